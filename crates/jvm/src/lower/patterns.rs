//! Branches that compilers write and no person did: string switches, assertion status, closing of resources.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::load::instr::{BinaryOp, Bytecode, Cond, Instr, Kind};
use crate::load::{ClassFile, Code, Constant, FieldType, Method, MethodType, access};

/// The pcs of branches that are not in the source.
pub(super) fn synthetic_branches(file: &ClassFile, method: &Method, bytecode: &Bytecode) -> FxHashSet<u16> {
    let patterns = Patterns { file, code: &bytecode.instrs, bytecode };
    let mut found = FxHashSet::default();
    if is_compiled_glue(method) {
        let branches = bytecode.instrs.iter().filter(|(_, instr)| is_branch(instr));
        found.extend(branches.map(|(pc, _)| *pc));
        return found;
    }
    patterns.assertions(&mut found);
    patterns.string_switches(&mut found);
    patterns.resources(method, &mut found);
    patterns.constants(&mut found);
    patterns.nullable_enums(&mut found);
    patterns.left_out(method, &mut found);
    found.extend(patterns.total_switches().map(|(pc, _)| pc));
    patterns.inlined(method, &mut found);
    found
}

/// A switch on a string, as compilers write it: on the hash first, then by comparison.
#[derive(Clone)]
pub(super) struct StringSwitch {
    /// The local that holds the string.
    pub slot: u16,
    /// Constant-pool indices of the literals, and where the comparisons with each begin.
    pub cases: Vec<(u16, u16)>,
    pub default: u16,
}

/// String switches by the pc of the switch on the hash.
pub(super) fn string_switches(file: &ClassFile, bytecode: &Bytecode) -> FxHashMap<u16, StringSwitch> {
    let patterns = Patterns { file, code: &bytecode.instrs, bytecode };
    let switches = bytecode.instrs.iter().enumerate();
    switches.filter_map(|(index, (pc, _))| Some((*pc, patterns.string_switch(index)?))).collect()
}

/// Where compilers throw because no case fits, though all cases there are have been written: `switch` over all
/// constants of an enum or all classes of a sealed hierarchy, Kotlin's `when`.
pub(super) fn never(file: &ClassFile, code: &Code, bytecode: &Bytecode) -> FxHashSet<u16> {
    let patterns = Patterns { file, code: &bytecode.instrs, bytecode };
    let mut found = FxHashSet::default();
    for (pc, instr) in &bytecode.instrs {
        let targets: Vec<u16> = match instr {
            Instr::TableSwitch(switch) => vec![switch.default],
            Instr::LookupSwitch(switch) => vec![switch.default],
            Instr::If(_, target) => vec![*target],
            _ => continue,
        };
        for target in targets {
            // A person's `throw` stands on a line of its own, most often; Kotlin's exception is nobody's but the compiler's.
            let same_line = code.line(*pc) == code.line(target);
            let fits = |class: &str| match class {
                "java/lang/MatchException" | "java/lang/IncompatibleClassChangeError" => {
                    same_line && !matches!(instr, Instr::If(..))
                }
                "kotlin/NoWhenBranchMatchedException" => true,
                _ => false,
            };
            if bytecode.index_of(target).is_some_and(|index| patterns.throws_new(index, fits)) {
                found.insert(target);
            }
        }
    }
    found.extend(patterns.total_switches().filter_map(|(_, default)| default));
    found
}

/// Synthetic methods hold no source code, except the bodies of lambdas.
fn is_compiled_glue(method: &Method) -> bool {
    method.is(access::SYNTHETIC) && !method.name.contains("lambda") && !method.name.contains("$default")
}

fn is_branch(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::If(..)
            | Instr::IfInts(..)
            | Instr::IfRefs(..)
            | Instr::IfNull(..)
            | Instr::TableSwitch(_)
            | Instr::LookupSwitch(_)
    )
}

struct Patterns<'a> {
    file: &'a ClassFile,
    code: &'a [(u16, Instr)],
    bytecode: &'a Bytecode,
}

impl Patterns<'_> {
    fn instr(&self, index: usize) -> Option<&Instr> {
        self.code.get(index).map(|(_, instr)| instr)
    }

    /// What Kotlin's compiler copied from its library (`numbers.count { it > 3 }` asks whether the count is too large). What it asks of
    /// what the source computes (`numbers.any { it.isOdd() }`) is the source's.
    fn inlined(&self, method: &Method, found: &mut FxHashSet<u16>) {
        let (Some(sites), Some(code)) = (self.file.call_sites(), method.code.as_ref()) else { return };
        let is_copied = |pc: u16| code.line(pc).is_some_and(|line| sites.is_of_library(line));
        for pair in self.code.windows(2) {
            let ((before, _), (pc, instr)) = (&pair[0], &pair[1]);
            if is_branch(instr) && is_copied(*pc) && is_copied(*before) {
                found.insert(*pc);
            }
        }
    }

    /// Switches over components of records whose cases all fit whatever there is: `case R(int a, int b) when a > b` and `case R(int a,
    /// int b)` become a switch over `a` with two cases. Only the guards decide. With where each leads otherwise, which it never does.
    fn total_switches(&self) -> impl Iterator<Item = (u16, Option<u16>)> {
        let asked = self.code.windows(2).enumerate().filter_map(|(at, pair)| match (&pair[0], &pair[1]) {
            ((_, Instr::InvokeDynamic(cp)), (pc, Instr::TableSwitch(switch))) => {
                let cases = (switch.low..).zip(switch.targets.iter().copied()).collect();
                Some((at, *pc, *cp, switch.default, cases))
            }
            ((_, Instr::InvokeDynamic(cp)), (pc, Instr::LookupSwitch(switch))) => {
                Some((at, *pc, *cp, switch.default, switch.cases.clone()))
            }
            _ => None,
        });
        asked.filter_map(|(at, pc, cp, default, cases): (usize, u16, u16, u16, Vec<(i32, u16)>)| {
            let labels = self.total_labels(at, cp)?;
            let of = |case: i32| cases.iter().find(|(number, _)| *number == case).map(|(_, target)| *target);
            // `case null` is a question of its own.
            let asks_for_null = of(-1).is_some_and(|target| Some(target) != of(labels - 1));
            let is_case = cases.iter().any(|(_, target)| *target == default);
            (!asks_for_null).then_some((pc, (!is_case).then_some(default)))
        })
    }

    /// How many labels a pattern switch has, if each of them is the type of what is switched on.
    fn total_labels(&self, at: usize, cp: u16) -> Option<i32> {
        let site = self.file.pool.invoke_dynamic(cp).ok().filter(|site| site.name == "typeSwitch")?;
        let ty = MethodType::parse(site.descriptor)?.params.into_iter().next()?;
        let args = &self.file.bootstrap_methods.get(usize::from(site.bootstrap))?.args;
        let fits = |cp: &u16| match self.file.pool.get(*cp) {
            Ok(Constant::Class(name)) => {
                let is_type = matches!(&ty, FieldType::Class(class) if **class == *name);
                is_type || self.boxed_before(at).is_some_and(|class| *class == *name)
            }
            Ok(Constant::Dynamic(_)) => {
                let named = self.file.pool.dynamic(*cp).ok();
                let named = named.filter(|dynamic| dynamic.descriptor == "Ljava/lang/Class;");
                !ty.is_reference() && named.and_then(|d| FieldType::parse(d.name)).as_ref() == Some(&ty)
            }
            _ => false,
        };
        (!args.is_empty() && args.iter().all(fits)).then_some(i32::try_from(args.len()).ok()?)
    }

    /// The class of the box that the variable which is switched on was given: `x = Integer.valueOf(r.w()); … typeSwitch(x, i)`.
    fn boxed_before(&self, at: usize) -> Option<&str> {
        let Instr::Load(_, slot) = self.instr(at.checked_sub(2)?)? else { return None };
        let is_set = |index: &usize| matches!(self.instr(*index), Some(Instr::Store(_, to)) if to == slot);
        let set = (0..at).rev().find(is_set)?;
        let Instr::InvokeStatic(cp) = self.instr(set.checked_sub(1)?)? else { return None };
        let made = self.file.pool.method(*cp).ok()?;
        (made.name == "valueOf" && !made.descriptor.starts_with("(L")).then_some(made.class)
    }

    /// `throw new C()` at an index, without arguments but null.
    fn throws_new(&self, index: usize, fits: impl Fn(&str) -> bool) -> bool {
        let made = match self.instr(index) {
            Some(Instr::New(cp)) => self.file.pool.class(*cp).is_ok_and(fits),
            _ => false,
        };
        let mut rest = self.code.iter().skip(index + 1).map(|(_, instr)| instr);
        let mut rest = rest.by_ref().skip_while(|i| matches!(i, Instr::Dup | Instr::Null));
        made && matches!(rest.next(), Some(Instr::InvokeSpecial(_)))
            && matches!(rest.next(), Some(Instr::AThrow))
    }

    /// `assert`: the test of `$assertionsDisabled`, and in the static initialiser what it is set to.
    fn assertions(&self, found: &mut FxHashSet<u16>) {
        for (index, (pc, instr)) in self.code.iter().enumerate() {
            let Some(before) = index.checked_sub(1).and_then(|before| self.instr(before)) else { continue };
            let status = match before {
                Instr::GetStatic(cp) => self.file.pool.field(*cp).is_ok_and(|field| {
                    field.name == "$assertionsDisabled"
                        || (field.class == "kotlin/_Assertions" && field.name == "ENABLED")
                }),
                Instr::InvokeVirtual(cp) => self.calls(*cp, "java/lang/Class", "desiredAssertionStatus"),
                _ => false,
            };
            if status && matches!(instr, Instr::If(..)) {
                found.insert(*pc);
            }
        }
    }

    fn calls(&self, cp: u16, class: &str, name: &str) -> bool {
        self.file.pool.method(cp).is_ok_and(|method| method.class == class && method.name == name)
    }

    /// `if (true)`: compilers fold what a person wrote, and write it themselves for patterns that fit in any case.
    fn constants(&self, found: &mut FxHashSet<u16>) {
        let mut targets: FxHashSet<u16> = FxHashSet::default();
        for (_, instr) in self.code {
            match instr {
                Instr::TableSwitch(switch) => {
                    targets.extend(switch.targets.iter().chain([&switch.default]));
                }
                Instr::LookupSwitch(switch) => {
                    targets.extend(switch.cases.iter().map(|(_, to)| *to).chain([switch.default]));
                }
                Instr::Goto(to) | Instr::If(_, to) | Instr::IfInts(_, to) => {
                    targets.insert(*to);
                }
                Instr::IfRefs(_, to) | Instr::IfNull(_, to) | Instr::Jsr(to) => {
                    targets.insert(*to);
                }
                _ => {}
            }
        }
        for pair in self.code.windows(2) {
            // Where another way leads to the test, the constant is one of several values.
            if let [(_, Instr::Int(_)), (pc, Instr::If(..))] = pair
                && !targets.contains(pc)
            {
                found.insert(*pc);
            }
        }
    }

    /// Where Kotlin's calls leave arguments out: which of them, and whether that is asked of a class above.
    fn left_out(&self, method: &Method, found: &mut FxHashSet<u16>) {
        let types = &method.ty.params;
        let [.., FieldType::Int, FieldType::Class(last)] = types.as_slice() else { return };
        let is_new = &*method.name == "<init>" && &**last == "kotlin/jvm/internal/DefaultConstructorMarker";
        if !(method.is(access::SYNTHETIC) && (is_new || method.name.ends_with("$default"))) {
            return;
        }
        let slots: u16 = types.iter().map(FieldType::slots).sum();
        let marker = slots - 1 + u16::from(!method.is(access::STATIC));
        let is_const = |instr: &Instr| matches!(instr, Instr::Int(_) | Instr::Ldc(_));
        for window in self.code.windows(4) {
            if let [(_, Instr::Load(Kind::Int, slot)), (_, bit), (_, and), (pc, Instr::If(..))] = window
                && *slot + 1 == marker
                && is_const(bit)
                && matches!(and, Instr::Binary(BinaryOp::And, _))
            {
                found.insert(*pc);
            }
        }
        for pair in self.code.windows(2) {
            if let [(_, Instr::Load(Kind::Ref, slot)), (pc, Instr::IfNull(..))] = pair
                && *slot == marker
            {
                found.insert(*pc);
            }
        }
    }

    /// Kotlin's `when` over an enum that may be null: null is numbered -1 before the switch, which has a case for that.
    fn nullable_enums(&self, found: &mut FxHashSet<u16>) {
        for window in self.code.windows(9) {
            let [
                (pc, Instr::IfNull(false, other)),
                (_, Instr::Pop),
                (_, Instr::Int(-1)),
                (_, Instr::Goto(switch)),
                map,
                ..,
            ] = window
            else {
                continue;
            };
            let [.., (_, Instr::InvokeVirtual(_)), (_, Instr::ArrayLoad(_)), (at, next)] = window else {
                continue;
            };
            let is_map = matches!(&map.1, Instr::GetStatic(cp) if self.file.pool.field(*cp).is_ok_and(|f| f.name.starts_with("$EnumSwitchMapping$")));
            let is_switch = matches!(next, Instr::TableSwitch(_) | Instr::LookupSwitch(_));
            if is_map && is_switch && *other == map.0 && switch == at {
                found.insert(*pc);
            }
        }
    }

    /// A switch on the hash of a string. The comparisons that follow are the compiler's too if they only number
    /// the cases for a second switch, as javac does.
    fn string_switches(&self, found: &mut FxHashSet<u16>) {
        for (index, (pc, instr)) in self.code.iter().enumerate() {
            let hashed = index.checked_sub(1).and_then(|before| self.instr(before)).is_some_and(
                |i| matches!(i, Instr::InvokeVirtual(cp) if self.calls(*cp, "java/lang/String", "hashCode")),
            );
            if !hashed {
                continue;
            }
            let mut targets = Vec::new();
            match instr {
                Instr::LookupSwitch(switch) => targets.extend(switch.cases.iter().map(|(_, target)| *target)),
                Instr::TableSwitch(switch) => {
                    targets.extend(switch.targets.iter().filter(|target| **target != switch.default));
                }
                _ => continue,
            }
            let chains: Vec<Option<Vec<u16>>> =
                targets.iter().map(|target| self.equals_chain(*target)).collect();
            if chains.iter().any(|chain| chain.is_none()) {
                continue;
            }
            let numbers = chains.iter().flatten().all(|chain| !chain.is_empty());
            if !numbers && self.string_switch(index).is_some() {
                // As Kotlin and ecj write it: the switch itself is lowered to comparisons, which say it all.
                found.extend(targets.iter().flat_map(|target| self.comparisons(*target)));
                continue;
            }
            found.insert(*pc);
            found.extend(chains.into_iter().flatten().flatten());
        }
    }

    /// `s.hashCode()` and a switch on it whose cases all compare the same local with literals.
    fn string_switch(&self, index: usize) -> Option<StringSwitch> {
        let (cases, default) = match self.instr(index)? {
            Instr::LookupSwitch(switch) => (switch.cases.iter().map(|(_, t)| *t).collect(), switch.default),
            Instr::TableSwitch(switch) => (switch.targets.clone(), switch.default),
            _ => return None,
        };
        let Instr::InvokeVirtual(cp) = self.instr(index.checked_sub(1)?)? else { return None };
        if !self.calls(*cp, "java/lang/String", "hashCode") {
            return None;
        }
        let slot = match self.instr(index.checked_sub(2)?)? {
            Instr::Load(Kind::Ref, slot) => *slot,
            // `dup; store; hashCode`, as ecj writes it.
            Instr::Store(Kind::Ref, slot) if matches!(self.instr(index.checked_sub(3)?)?, Instr::Dup) => {
                *slot
            }
            _ => return None,
        };
        let mut literals = Vec::new();
        for target in cases.into_iter().filter(|target: &u16| *target != default) {
            let before = literals.len();
            let mut at = self.bytecode.index_of(target)?;
            while let (Some(Instr::Load(Kind::Ref, local)), Some(Instr::Ldc(literal))) =
                (self.instr(at), self.instr(at + 1))
            {
                let compared = matches!(self.instr(at + 2), Some(Instr::InvokeVirtual(cp)) if self.calls(*cp, "java/lang/String", "equals"));
                if *local != slot || !compared || !self.is_string(self.instr(at + 1)) {
                    break;
                }
                literals.push((*literal, target));
                let Some(Instr::If(cond, next)) = self.instr(at + 3) else { return None };
                // On to the next literal with the same hash: where this one is not equal.
                at = match cond {
                    Cond::Eq => self.bytecode.index_of(*next)?,
                    Cond::Ne => at + 4,
                    _ => return None,
                };
            }
            if literals.len() == before {
                return None;
            }
        }
        (!literals.is_empty()).then_some(StringSwitch { slot, cases: literals, default })
    }

    /// The branches of the comparisons with literals that start at a pc.
    fn comparisons(&self, start: u16) -> Vec<u16> {
        let mut branches = Vec::new();
        let mut at = self.bytecode.index_of(start);
        while let Some(index) = at
            && matches!(self.instr(index), Some(Instr::Load(Kind::Ref, _)))
            && self.is_string(self.instr(index + 1))
            && let Some((pc, Instr::If(cond, target))) = self.code.get(index + 3)
        {
            branches.push(*pc);
            let next = if *cond == Cond::Eq { self.bytecode.index_of(*target) } else { Some(index + 4) };
            at = next.filter(|next| *next > index);
        }
        branches
    }

    /// The branches of `if (s.equals("a")) n = 0; else if (s.equals("b")) n = 1; …` that starts at a pc. `None` if it
    /// is no comparison with a literal; empty if the comparisons do not just set a number.
    fn equals_chain(&self, start: u16) -> Option<Vec<u16>> {
        let mut branches = Vec::new();
        let mut at = self.bytecode.index_of(start)?;
        loop {
            let compares = matches!(self.instr(at), Some(Instr::Load(Kind::Ref, _)))
                && self.is_string(self.instr(at + 1))
                && matches!(self.instr(at + 2), Some(Instr::InvokeVirtual(cp)) if self.calls(*cp, "java/lang/String", "equals"));
            let Some((pc, Instr::If(_, target))) = self.code.get(at + 3) else {
                return (!branches.is_empty()).then_some(branches);
            };
            if !compares {
                return (!branches.is_empty()).then_some(branches);
            }
            let sets_number = matches!(self.instr(at + 4), Some(Instr::Int(_)))
                && matches!(self.instr(at + 5), Some(Instr::Store(Kind::Int, _)));
            if !sets_number {
                return Some(Vec::new());
            }
            branches.push(*pc);
            at = match self.bytecode.index_of(*target) {
                Some(next) if next > at => next,
                _ => return Some(branches),
            };
        }
    }

    fn is_string(&self, instr: Option<&Instr>) -> bool {
        match instr {
            Some(Instr::Ldc(cp)) => matches!(self.file.pool.get(*cp), Ok(Constant::String)),
            _ => false,
        }
    }

    /// Try-with-resources: `if (r != null) r.close()` where a handler of the closing adds to the suppressed
    /// exceptions; javac writes it once for each way out.
    fn resources(&self, method: &Method, found: &mut FxHashSet<u16>) {
        let Some(code) = &method.code else { return };
        let closes: Vec<(usize, u16)> =
            (0..self.code.len()).filter_map(|i| Some((i, self.close(i)?))).collect();
        let suppressing = |index: usize| {
            let pc = self.code[index].0;
            let mut handlers = code.handlers.iter().filter(|h| h.start <= pc && pc < h.end);
            handlers.any(|handler| self.suppresses(handler.handler))
        };
        // The slots of resources: closed at least once where suppression is handled.
        let resources: FxHashSet<u16> =
            closes.iter().filter(|(index, _)| suppressing(index + 3)).map(|(_, slot)| *slot).collect();
        for (index, slot) in closes {
            if resources.contains(&slot) {
                found.insert(self.code[index + 1].0);
            }
        }
    }

    /// `aload r; ifnull …; aload r; r.close()` at an index: the slot of `r`.
    fn close(&self, index: usize) -> Option<u16> {
        let Instr::Load(Kind::Ref, slot) = self.instr(index)? else { return None };
        let Instr::IfNull(true, _) = self.instr(index + 1)? else { return None };
        let Instr::Load(Kind::Ref, again) = self.instr(index + 2)? else { return None };
        let cp = match self.instr(index + 3)? {
            Instr::InvokeVirtual(cp) | Instr::InvokeInterface(cp) => *cp,
            _ => return None,
        };
        let method = self.file.pool.method(cp).ok()?;
        (slot == again && method.name == "close" && method.descriptor == "()V").then_some(*slot)
    }

    fn suppresses(&self, handler: u16) -> bool {
        let Some(start) = self.bytecode.index_of(handler) else { return false };
        self.code.iter().skip(start).take(4).any(|(_, instr)| {
            matches!(instr, Instr::InvokeVirtual(cp) if self.calls(*cp, "java/lang/Throwable", "addSuppressed"))
        })
    }
}
