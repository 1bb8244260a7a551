//! Explores functions of the textual IR: parameters become inputs called after their variables.

// Each test binary uses its own part of this.
#![allow(dead_code)]

use explore::strategy::by_name;
use explore::{BranchGoal, End, Exploration, Options, Session, Target, minimise};
use ir::{FuncId, MemType, Module, Type};
use ledger::Kind;
use solver::{Chain, Config};
use std::sync::Arc;
use term::Sort;
use vm::{Callable, Native, NativeResult, Origin, Outcome, Stop, TextLang, Val, View, Vm, sort_of};

#[derive(Clone)]
pub struct Entry {
    pub func: FuncId,
    pub params: Vec<(Type, String)>,
    pub ret: Option<Type>,
}

impl Entry {
    pub fn new(module: &Module, name: &str) -> Entry {
        let func = module.find_func(name).unwrap_or_else(|| panic!("there is no function @{name}"));
        let function = module.funcs()[func].body.as_ref().expect("the function has a body");
        let params = function
            .regs
            .iter()
            .take(function.params as usize)
            .map(|(reg, info)| (info.ty, info.variable.clone().unwrap_or_else(|| format!("p{}", reg.0))))
            .collect();
        Entry { func, params, ret: function.ret }
    }
}

impl Target<TextLang> for Entry {
    type Observation = String;

    fn execute(&mut self, vm: &mut Vm<TextLang>) -> Outcome {
        let mut args = Vec::new();
        for (ty, name) in &self.params {
            args.push(match ty {
                Type::Ref => Val::ZERO,
                _ => {
                    let (term, bits) = vm.inputs.scalar(&mut vm.pool, name, sort_of(*ty));
                    Val { bits, term }
                }
            });
        }
        vm.call(self.func, &args)
    }

    fn observe(&mut self, vm: &mut Vm<TextLang>, outcome: &Outcome) -> String {
        TextLang::show(vm, outcome, self.ret)
    }
}

/// Functions that golden tests may declare.
pub fn natives(lang: TextLang) -> TextLang {
    lang.native("input.i32s", Native { run: input_array::<false>, symbolic: true })
        .native("input.u8s", Native { run: input_array::<true>, symbolic: true })
        .native("lie", Native { run: lie, symbolic: true })
        .native("opaque", Native { run: opaque, symbolic: false })
        .native("assume", Native { run: assume, symbolic: true })
        .native("wish", Native { run: wish, symbolic: true })
}

/// An array of symbolic length, up to the argument, with symbolic elements.
fn input_array<const BYTES: bool>(vm: &mut Vm<TextLang>, args: &[Val]) -> NativeResult<TextLang> {
    match make_array(vm, args[0].as_i32() as u32, BYTES) {
        Ok(val) => NativeResult::Return(val),
        Err(stop) => NativeResult::Stop(stop),
    }
}

fn make_array(vm: &mut Vm<TextLang>, max: u32, bytes: bool) -> Result<Val, Stop> {
    let (class, elem, sort) =
        if bytes { ("Bytes", MemType::U8, Sort::Bv(8)) } else { ("Ints", MemType::I32, Sort::Bv(32)) };
    let class = vm.lang.module().find_class(class).expect("the module declares the array class");
    let input = vm.inputs.sequence(&mut vm.pool, "a", sort);
    let len_term = vm.inputs.get(input).len;
    let border = vm.pool.bv(32, max as u64);
    let fits = vm.pool.ule(len_term, border);
    vm.assume(fits)?;
    vm.ledger.note(Kind::InputBound, "input", format!("length up to {max}"));
    let len = vm.inputs.value(&vm.pool, len_term) as u32;
    let array = vm.new_array(class, len)?;
    for i in 0..len {
        let value = vm.inputs.elem_value(&vm.pool, input, i);
        vm.store_bits(array, i * elem.size(), elem, value);
    }
    let shadow = vm.heap.shadow_mut(array);
    shadow.len = len_term;
    shadow.origin = Some(Origin::new(input, View::Whole));
    Ok(Val::obj(array))
}

/// Says it returns its argument plus one, but returns it plus two.
fn lie(vm: &mut Vm<TextLang>, args: &[Val]) -> NativeResult<TextLang> {
    let one = vm.pool.bv(32, 1);
    let x = vm.term(args[0], Sort::Bv(32));
    let term = vm.pool.bvadd(x, one);
    NativeResult::Return(Val { bits: args[0].bits.wrapping_add(2) & 0xffff_ffff, term })
}

/// Has no symbolic treatment.
fn opaque(_vm: &mut Vm<TextLang>, args: &[Val]) -> NativeResult<TextLang> {
    NativeResult::Return(Val::i32(args[0].as_i32().wrapping_mul(3)))
}

fn assume(vm: &mut Vm<TextLang>, args: &[Val]) -> NativeResult<TextLang> {
    if args[0].term.is_some() {
        let term = args[0].term;
        let fact = if args[0].bits != 0 { term } else { vm.pool.not(term) };
        if let Err(stop) = vm.assume(fact) {
            return NativeResult::Stop(stop);
        }
    }
    match args[0].bits {
        0 => NativeResult::Stop(Stop::Assumption),
        _ => NativeResult::Void,
    }
}

fn wish(vm: &mut Vm<TextLang>, args: &[Val]) -> NativeResult<TextLang> {
    if args[0].term.is_some() {
        let decided = vm.decide(vm::ElemKind::Prefer, args[0].term, args[0].bits != 0);
        if let Err(stop) = decided {
            return NativeResult::Stop(stop);
        }
    }
    NativeResult::Void
}

/// What a test asks for.
pub struct Ask {
    pub options: Options,
    pub strategy: String,
    pub seed: u64,
    pub jobs: usize,
    pub limits: Option<vm::Limits>,
    pub solver_audit: bool,
    /// Whether the inputs of each run are made simple afterwards.
    pub minimise: bool,
}

impl Default for Ask {
    fn default() -> Self {
        let options = Options { audit: true, ..Options::default() };
        Ask {
            options,
            strategy: "coverage".to_string(),
            seed: 1,
            jobs: 1,
            limits: None,
            solver_audit: false,
            minimise: true,
        }
    }
}

pub struct Explored {
    pub found: Exploration<String>,
    pub vm: Vm<TextLang>,
    pub entry: Entry,
}

pub fn explore(module: &Module, name: &str, ask: &Ask) -> Explored {
    let mut vm = Vm::new(natives(TextLang::new(module.clone())), 64 << 20);
    if let Some(limits) = ask.limits {
        vm.limits = limits;
    }
    vm.freeze();
    let mut entry = Entry::new(module, name);
    let funcs: Vec<FuncId> = module.bodies().map(|(id, _)| id).collect();
    let functions: Vec<_> = funcs
        .into_iter()
        .filter_map(|func| match vm.callable(func) {
            Ok(Callable::Ir(function)) if reaches(module, entry.func, func) => Some((func, function)),
            _ => None,
        })
        .collect();
    let goal = BranchGoal::new(functions.iter().map(|(id, f)| (*id, Arc::clone(f))));
    let chain = || Chain::new(Config { audit: ask.solver_audit, ..Config::default() });
    let mut strategy = by_name(&ask.strategy, ask.seed).expect("a known strategy");
    let session = Session {
        vm: &mut vm,
        target: &mut entry,
        chain: &chain,
        jobs: ask.jobs,
        strategy: &mut *strategy,
        goal: &goal,
        options: ask.options.clone(),
        cut: &|| None,
        observer: &mut |_| {},
        journal: None,
        seeds: explore::Seeds::default(),
        words: explore::Words::default(),
        doubts: None,
        clock: &|| 0,
    };
    let mut found = session.explore();
    for run in found.finished.iter_mut().filter(|f| ask.minimise && f.end.is_behaviour()) {
        minimise(&mut vm, &mut entry, run);
    }
    Explored { found, vm, entry }
}

/// Whether a function calls another, directly or not; only direct calls count.
fn reaches(module: &Module, from: FuncId, to: FuncId) -> bool {
    let mut seen = vec![from];
    let mut next = 0;
    while let Some(func) = seen.get(next).copied() {
        next += 1;
        let Some(body) = module.funcs().get(func).and_then(|f| f.body.as_ref()) else { continue };
        for inst in body.code.iter().filter(|i| i.op == ir::Op::Call) {
            if !seen.contains(&FuncId(inst.a)) {
                seen.push(FuncId(inst.a));
            }
        }
    }
    seen.contains(&to)
}

impl Explored {
    /// The inputs of a run, in the order of the parameters.
    pub fn inputs(&self, run: usize) -> String {
        let model = &self.found.finished[run].model;
        let shown: Vec<String> = self
            .entry
            .params
            .iter()
            .map(|(ty, name)| {
                let bits = self.vm.pool.var_by_name(name).map_or(0, |var| model.bits(var) as u64);
                TextLang::show(&self.vm, &Outcome::Returned(Some(Val::concrete(bits))), Some(*ty))
            })
            .collect();
        shown.join(", ")
    }

    /// The distinct outcomes, sorted.
    pub fn outcomes(&self) -> Vec<String> {
        let mut all: Vec<String> = self
            .found
            .finished
            .iter()
            .filter(|f| f.end != End::Stopped(Stop::Assumption))
            .map(|f| f.observation.clone())
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// The kinds in the ledger.
    pub fn ledger(&self) -> Vec<&'static str> {
        let mut kinds: Vec<_> = self.found.ledger.iter().map(|(entry, _)| entry.kind.code()).collect();
        kinds.dedup();
        kinds
    }
}
