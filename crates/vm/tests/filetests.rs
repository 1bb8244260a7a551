//! Runs the golden tests of `filetests/` that say `test run`.
//!
//! `; run: @f(7, -0.5, null) OPTIONS == 5`, `… raises div-zero`, `… returns`, `… stops steps`. Options: `steps=N`,
//! `depth=N`. Every call is made twice from the same snapshot, and a third time with all its numbers as inputs:
//! the results must be the same, and the term of the symbolic result must have the value of the concrete one.

use ir::filetest::{FileTest, discover};
use ir::text::parse_module;
use ir::{Module, Type};
use std::path::{Path, PathBuf};
use term::Assignment;
use vm::{Limits, Outcome, TextLang, Val, Vm, sort_of};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests")
}

#[test]
fn golden_tests() {
    let mut count = 0;
    let mut failures = Vec::new();
    for path in discover(&folder()).expect("the folder is there") {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let Ok(test) = FileTest::read(&text) else { continue };
        if test.command("run").is_none() {
            continue;
        }
        match check(&path, &test) {
            Ok(calls) => count += calls,
            Err(message) => failures.push(message),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 200, "only {count} calls");
}

/// Every opcode of the table is run by some golden test.
#[test]
fn every_opcode_is_run() {
    let mut used = Vec::new();
    for path in discover(&folder().join("vm")).expect("the folder is there") {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let test = FileTest::read(&text).expect("a golden test");
        let parsed = parse_module(&test.module).expect("a module");
        used.extend(parsed.module.bodies().flat_map(|(_, f)| f.code.iter().map(|i| i.op)));
    }
    let missing: Vec<_> = ir::Op::ALL.iter().filter(|op| !used.contains(op)).map(|op| op.name()).collect();
    assert!(missing.is_empty(), "not run by any golden test: {missing:?}");
}

fn check(path: &Path, test: &FileTest) -> Result<usize, String> {
    let parsed = parse_module(&test.module).map_err(|e| format!("{}:{e}", path.display()))?;
    let mut found = Vec::new();
    for expected in test.expected("run") {
        let at = |message: String| format!("{}:{}: {message}", path.display(), expected.line);
        let call = Call::parse(&parsed.module, &expected.text).map_err(at)?;
        let result = call.run(&parsed.module).map_err(at)?;
        let sep = if starts_with_word(&result) { "" } else { "== " };
        found.push((expected.code_line, format!("{} {sep}{result}", call.text)));
    }
    test.check(path, "run", &found)?;
    Ok(found.len())
}

fn starts_with_word(result: &str) -> bool {
    ["raises ", "returns", "stops ", "exits "].iter().any(|word| result.starts_with(word))
}

struct Call {
    /// As it stands in the file.
    text: String,
    name: String,
    args: Vec<String>,
    limits: Limits,
}

impl Call {
    fn parse(module: &Module, text: &str) -> Result<Call, String> {
        let rest = text.strip_prefix('@').ok_or("expected `@name(…)`")?;
        let (name, rest) = rest.split_once('(').ok_or("expected `(`")?;
        let (args, mut rest) = rest.split_once(')').ok_or("expected `)`")?;
        module.function(name).ok_or_else(|| format!("no function @{name}"))?;
        let args: Vec<String> =
            args.split(',').map(|a| a.trim().to_string()).filter(|a| !a.is_empty()).collect();
        let mut limits = Limits { decisions: u32::MAX, ..Limits::default() };
        let mut options = String::new();
        while let Some((option, n)) = rest.split_whitespace().next().and_then(|w| w.split_once('=')) {
            let Ok(number) = n.parse::<u64>() else { break };
            match option {
                "steps" => limits.steps = number,
                "quiet" => limits.quiet = number,
                // So deep a recursion makes terms in proportion.
                "depth" => (limits.depth, limits.terms) = (number as u32, usize::MAX),
                _ => return Err(format!("unknown option `{option}`")),
            }
            options.push_str(&format!(" {option}={n}"));
            rest = rest.trim_start().get(option.len() + 1 + n.len()..).unwrap_or("");
        }
        let text = format!("@{name}({}){options}", args.join(", "));
        Ok(Call { text, name: name.to_string(), args, limits })
    }

    fn run(&self, module: &Module) -> Result<String, String> {
        let mut vm = Vm::new(TextLang::new(module.clone()), 16 << 20);
        vm.limits = self.limits;
        vm.freeze();
        let func = module.find_func(&self.name).ok_or("no such function")?;
        let function = module.function(&self.name).ok_or("no body")?;
        let types: Vec<Type> = function.regs.values().take(function.params as usize).map(|r| r.ty).collect();
        if types.len() != self.args.len() {
            return Err(format!("{} arguments for {} parameters", self.args.len(), types.len()));
        }
        let bits: Vec<u64> =
            types.iter().zip(&self.args).map(|(ty, arg)| literal(*ty, arg)).collect::<Result<_, _>>()?;
        let args: Vec<Val> = bits.iter().map(|b| Val::concrete(*b)).collect();

        let mut results = Vec::new();
        for _ in 0..2 {
            vm.start_run(Assignment::default());
            let outcome = vm.call(func, &args);
            results.push(TextLang::show(&vm, &outcome, function.ret));
        }
        if results[0] != results[1] {
            return Err(format!("the snapshot leaks: {} then {}", results[0], results[1]));
        }
        let symbolic = self.run_symbolic(&mut vm, func, &types, &bits, function.ret)?;
        if symbolic != results[0] {
            return Err(format!("{} but symbolically {symbolic}", results[0]));
        }
        Ok(symbolic)
    }

    /// The same call with inputs for arguments.
    fn run_symbolic(
        &self,
        vm: &mut Vm<TextLang>,
        func: ir::FuncId,
        types: &[Type],
        bits: &[u64],
        ret: Option<Type>,
    ) -> Result<String, String> {
        let mut model = Assignment::default();
        let mut args = Vec::new();
        for (i, (ty, bits)) in types.iter().zip(bits).enumerate() {
            let term = vm.pool.declare(&format!("p{i}"), sort_of(*ty));
            let symbolic = *ty != Type::Ref;
            if let Some(var) = vm.pool.var_of(term) {
                model.set_bits(var, *bits as u128);
            }
            args.push(if symbolic { Val { bits: *bits, term } } else { Val::concrete(*bits) });
        }
        vm.start_run(model.clone());
        let outcome = vm.call(func, &args);
        for elem in &vm.trace.elems {
            let taken = vm.trace.taken(elem);
            if model.eval(&vm.pool, taken) == 0 {
                return Err(format!("the path condition {} does not hold", vm.pool.display(taken)));
            }
        }
        if let (Outcome::Returned(Some(val)), Some(ty)) = (&outcome, ret)
            && val.term.is_some()
        {
            let value = Val::concrete(model.eval(&vm.pool, val.term) as u64);
            let as_term = TextLang::show(vm, &Outcome::Returned(Some(value)), ret);
            let as_value = TextLang::show(vm, &outcome, ret);
            if as_term != as_value {
                let term = vm.pool.display(val.term);
                return Err(format!("returns {as_value}, but its {ty} term {term} is {as_term}"));
            }
        }
        Ok(TextLang::show(vm, &outcome, ret))
    }
}

fn literal(ty: Type, text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no {ty}");
    let nan = text == "nan";
    Ok(match ty {
        Type::I1 | Type::I32 => text.parse::<i32>().map_err(|_| wrong())? as u32 as u64,
        Type::I64 | Type::Ptr => text.parse::<i64>().map_err(|_| wrong())? as u64,
        Type::F32 if nan => 0x7fc0_0000,
        Type::F64 if nan => 0x7ff8_0000_0000_0000,
        Type::F32 => text.parse::<f32>().map_err(|_| wrong())?.to_bits().into(),
        Type::F64 => text.parse::<f64>().map_err(|_| wrong())?.to_bits(),
        Type::Ref if text == "null" => 0,
        Type::Ref => return Err(wrong()),
    })
}
