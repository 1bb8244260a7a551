//! Do the terms of a run say what it does?
//!
//! The path condition must hold in the run's own model, and everything that was read must be what its term says. The
//! strongest question is asked last: under another model that satisfies the path condition, the program must take the
//! same path, and what it gives must be what the first run's terms say; what has no term must not change.

use ir::FuncId;
use jvm::Jvm;
use term::{Assignment, Program, Sort, TermId, VarId};
use testkit::rng::Rng;
use testkit::{Call, Outcome};
use vm::{Elem, ElemKind, Trace, Vm};

use crate::read::Leaf;
use crate::subject::{TOO_LARGE, VmSubject};

/// What is kept of a run.
pub struct Run {
    pub trace: Trace,
    pub leaves: Vec<Leaf>,
    pub before_open: Option<usize>,
    /// Class of the exception, empty if it returned.
    pub thrown: String,
}

/// How many other models are tried, to find one that takes the same path.
const TRIES: usize = 40;

/// So many units of a string decide its coder.
const CODER_UNITS: u32 = 4;

/// Inputs that grow beyond this make runs of another size, not of another kind.
const MAX_LENGTH: u64 = 40;

impl VmSubject {
    pub(crate) fn audit(&mut self, call: &Call) {
        let Some(run) = self.last.take() else { return };
        let what = self.inconsistency(&run).or_else(|| self.misprediction(call, &run));
        if let Some(what) = what {
            self.inconsistent.push(format!("{call} {}\n  {what}", call.desc));
        }
    }

    fn inconsistency(&mut self, run: &Run) -> Option<String> {
        let mut roots: Vec<TermId> = run.trace.conditions.clone();
        roots.extend(run.leaves.iter().map(|leaf| leaf.term).filter(|term| term.is_some()));
        let mut program = Program::compile(&self.vm.pool, &roots);
        let values = program.run_assignment(&self.vm.inputs.model).to_vec();
        self.checked += roots.len();
        for elem in &run.trace.elems {
            for alternative in 0..elem.alternatives {
                let holds = values[(elem.first + alternative) as usize] != 0;
                if holds != (alternative == elem.choice) {
                    let shown = text(&self.vm, run.trace.condition(elem, alternative));
                    let place = name(&self.vm, elem.site.func);
                    let (kind, index, choice) = (elem.kind, elem.site.index, elem.choice);
                    return Some(format!(
                        "{kind:?} at {place}@{index}: alternative {alternative}, taken {choice}, is {holds}: {shown}"
                    ));
                }
            }
        }
        let leaves = run.leaves.iter().filter(|leaf| leaf.term.is_some());
        for (leaf, value) in leaves.zip(&values[run.trace.conditions.len()..]) {
            if !same(self.vm.pool.sort(leaf.term), leaf.bits, *value as u64) {
                let shown = text(&self.vm, leaf.term);
                return Some(format!("a value is {:#x}, its term {:#x}: {shown}", leaf.bits, *value as u64));
            }
        }
        None
    }

    fn misprediction(&mut self, call: &Call, run: &Run) -> Option<String> {
        let taken: Vec<TermId> = run.trace.elems.iter().map(|elem| run.trace.taken(elem)).collect();
        let model = self.another_model(call, &taken)?;
        let shown: Vec<String> = model
            .iter()
            .filter(|(var, value)| self.vm.inputs.model.bits(*var) != value.bits())
            .map(|(var, value)| format!("{} = {:#x}", self.vm.pool.var_name(var), value.bits()))
            .collect();
        let shown = shown.join(", ");
        self.vm.start_run(model.clone());
        let answer = self.answer(call);
        let Some(second) = self.last.take() else {
            return match answer.outcome {
                Outcome::Unanswered(reason) if !is_budget(&reason) => {
                    Some(format!("with {shown}: stopped, {reason}"))
                }
                _ => None,
            };
        };
        self.predicted += 1;
        let place = |vm: &Vm<Jvm>, trace: &Trace, elem: Option<&Elem>| match elem {
            Some(elem) => format!(
                "{:?} {} at {}@{}: {}",
                elem.kind,
                elem.choice,
                name(vm, elem.site.func),
                elem.site.index,
                text(vm, trace.taken(elem))
            ),
            None => "the end".to_string(),
        };
        let (a, b) = (branches(&run.trace), branches(&second.trace));
        // A condition that an earlier one settles is not decided again, so one run may have fewer.
        let (fewer, more) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
        let key = |elem: &Elem| (elem.site, elem.kind, elem.choice);
        let mut rest = more.iter();
        let differs = fewer.iter().position(|x| !rest.any(|y| key(x) == key(y)));
        if let Some(at) = differs {
            let first = place(&self.vm, &run.trace, a.get(at));
            let then = place(&self.vm, &second.trace, b.get(at));
            return Some(format!(
                "with {shown}: another path at branch {at}\n  first  {first}\n  second {then}"
            ));
        }
        if run.thrown != second.thrown {
            return Some(format!("with {shown}: {:?}, before {:?}", second.thrown, run.thrown));
        }
        let end = run.before_open.unwrap_or(run.leaves.len());
        for (i, first) in run.leaves.iter().enumerate().take(end) {
            let Some(then) = second.leaves.get(i) else {
                return Some(format!("with {shown}: less was read"));
            };
            let agrees = match first.term {
                TermId::NONE => first == then,
                term => same(self.vm.pool.sort(term), then.bits, model.eval(&self.vm.pool, term) as u64),
            };
            if !agrees {
                let term = if first.term.is_some() { text(&self.vm, first.term) } else { "none".into() };
                return Some(format!(
                    "with {shown}: value {i} was {:#x}, is {:#x}, term {term}",
                    first.bits, then.bits
                ));
            }
        }
        None
    }

    /// A value that does not change how inputs are represented, which is no decision of the program: arrays of objects
    /// keep their length, and strings the width of units that do not show in their coder's term.
    fn fitting(&self, var: VarId, old: u64, new: u64) -> Option<u64> {
        let (name, sort) = (self.vm.pool.var_name(var), self.vm.pool.var_sort(var));
        let new = canonical(sort, masked(sort, new));
        if let Some(sequence) = name.strip_suffix(".length") {
            let of_objects = self.vm.pool.var_by_name(&format!("{sequence}[0].null")).is_some();
            let hidden_wide = self.vm.inputs.by_name(sequence).is_some_and(|input| {
                let unit = |i: u32| self.vm.inputs.elem_value(&self.vm.pool, input, i);
                let is_text = self.vm.inputs.get(input).elem == Sort::Bv(16);
                is_text && (CODER_UNITS..old as u32).any(|i| unit(i) > 0xff)
            });
            return (new <= MAX_LENGTH && !of_objects && !hidden_wide).then_some(new);
        }
        let index = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')?.1.parse::<u32>().ok());
        let hidden = sort == Sort::Bv(16) && index.is_some_and(|index| index >= CODER_UNITS);
        Some(match old < 0x100 {
            true if hidden => new & 0xff,
            false if hidden => new | 0x100,
            _ => new,
        })
    }

    /// A model near the current one that satisfies the conditions.
    fn another_model(&mut self, call: &Call, conditions: &[TermId]) -> Option<Assignment> {
        let mut rng = Rng::derive(1, &call.to_string());
        let mut program = Program::compile(&self.vm.pool, conditions);
        let exotic = |(var, value): (VarId, &term::Value)| {
            canonical(self.vm.pool.var_sort(var), value.bits() as u64) != value.bits() as u64
        };
        if self.vm.inputs.model.iter().any(exotic) {
            return None;
        }
        for _ in 0..TRIES {
            let mut model = self.vm.inputs.model.clone();
            let mut changed = false;
            for _ in 0..1 + rng.below(3) {
                let vars = self.vm.pool.var_count();
                let var = VarId(rng.below(vars) as u32);
                if vars == 0 {
                    return None;
                }
                let old = model.bits(var) as u64;
                let new = match rng.below(6) {
                    0 => rng.below(3) as u64,
                    1 => old.wrapping_add(1),
                    2 => old.wrapping_sub(1),
                    3 => rng.below(128) as u64,
                    4 => old ^ (1 << rng.below(64)),
                    _ => rng.next_u64(),
                };
                let Some(new) = self.fitting(var, old, new) else { continue };
                changed |= new != old;
                model.set_bits(var, new.into());
            }
            if changed && program.run_assignment(&model).iter().all(|value| *value != 0) {
                return Some(model);
            }
        }
        None
    }
}

/// The same path may take longer or need more memory.
fn is_budget(reason: &str) -> bool {
    ["Steps", "Memory", TOO_LARGE].iter().any(|budget| reason.starts_with(budget))
}

/// What the program decided. How a run represents inputs and symbolic indices depends on lengths that the path may
/// leave open, so those decisions may differ.
fn branches(trace: &Trace) -> Vec<Elem> {
    let kept = |elem: &&Elem| matches!(elem.kind, ElemKind::Branch | ElemKind::Check(_));
    trace.elems.iter().filter(kept).copied().collect()
}

/// Facts about inputs are recorded before any function runs.
fn name(vm: &Vm<Jvm>, func: FuncId) -> String {
    if vm.lang.funcs.get(func).is_some() { vm.lang.func_name(func) } else { "the inputs".to_string() }
}

/// Terms know one NaN only.
fn canonical(sort: Sort, bits: u64) -> u64 {
    match sort {
        Sort::F32 if f32::from_bits(bits as u32).is_nan() => f32::NAN.to_bits().into(),
        Sort::F64 if f64::from_bits(bits).is_nan() => f64::NAN.to_bits(),
        _ => bits,
    }
}

fn masked(sort: Sort, bits: u64) -> u64 {
    match sort {
        Sort::Bool => bits & 1,
        Sort::Bv(width) if width < 64 => bits & ((1 << width) - 1),
        Sort::F32 => bits & 0xffff_ffff,
        _ => bits,
    }
}

fn text(vm: &Vm<Jvm>, term: TermId) -> String {
    vm.pool.display(term).to_string().chars().take(400).collect()
}

/// Equal in the width of the sort; NaNs are all the same.
fn same(sort: Sort, bits: u64, value: u64) -> bool {
    let nan32 = |x: u64| f32::from_bits(x as u32).is_nan();
    let nan64 = |x: u64| f64::from_bits(x).is_nan();
    match sort {
        Sort::F32 => bits as u32 == value as u32 || nan32(bits) && nan32(value),
        Sort::F64 => bits == value || nan64(bits) && nan64(value),
        sort => masked(sort, bits) == masked(sort, value),
    }
}
