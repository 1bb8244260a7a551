//! The machine: its parts, calls from outside, decisions and the ledger.

use crate::choice::Choices;
use crate::fiber::Fibers;
use crate::frame::{Frame, Ret};
use crate::heap::{Heap, ObjId};
use crate::input::Inputs;
use crate::lang::{Callable, Lang, Stop, Val};
use crate::trace::{Elem, ElemKind, Site, Trace};
use ir::{ClassId, FuncId, Type};
use ledger::{Kind, Ledger};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use term::{Assignment, Known, Pool, Sort, TermId};

/// What one run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// IR instructions.
    pub steps: u64,
    /// Instructions beyond those for a run that has decided nothing for long: a loop that only counts is cheap, and most
    /// such loops end.
    pub quiet: u64,
    /// Nested calls; one more raises what the language says for a full stack.
    pub depth: u32,
    /// Elements of the path condition.
    pub decisions: u32,
    /// Terms: a run that goes on and on over symbolic values costs more than it can show.
    pub terms: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 20_000_000, quiet: 0, depth: 3000, decisions: 20_000, terms: 400_000 }
    }
}

/// Instructions between two looks at the interrupt.
const POLL: u64 = 1 << 12;

/// What the program did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Returned(Option<Val>),
    Threw(ObjId),
    /// The run ended before the program did.
    Stopped(Stop),
}

/// Where the exception thrown last came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thrown {
    pub exception: ObjId,
    pub site: Site,
    /// By a `throw` of the program, not by a check.
    pub explicit: bool,
}

/// A line of tracked code that was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedLine {
    pub func: FuncId,
    pub line: u32,
    /// How many tracked functions were active.
    pub depth: u32,
}

pub struct Vm<L: Lang> {
    pub lang: L,
    pub heap: Heap,
    pub pool: Pool,
    pub inputs: Inputs,
    pub trace: Trace,
    pub ledger: Ledger,
    pub limits: Limits,
    /// Set from outside to end the run at its next jump.
    pub interrupt: Arc<AtomicBool>,
    /// When runs end, however far they are.
    pub until: Option<Instant>,
    /// Perturbs what a program must not rely on (identity hashes…).
    pub salt: u64,
    /// The same for objects that runs make: those of the snapshot lie in tables by their hashes already.
    pub run_salt: u64,
    /// Whether the run asked for the identity hash of an object that it made.
    pub hashed: bool,
    /// Where the exception thrown last came from.
    pub thrown: Option<Thrown>,
    /// Where tracked code was when it was thrown, the innermost place first; the first few.
    pub thrown_at: Vec<Site>,
    /// What the innermost tracked function had called, if the exception came from there.
    pub thrown_by: Option<FuncId>,
    /// Instructions run when the last decision was taken.
    pub decided_at: u64,
    /// How many terms there were when the run began.
    terms_before: usize,
    /// Lines of tracked code as they are run, if anybody wants to see them.
    pub watch: Option<Vec<WatchedLine>>,
    /// Whether the language is told of each call ([`Lang::called`]).
    pub listening: bool,
    /// Whether runs keep the way of each activation of a tracked function ([`Trace::walk`]).
    pub walking: bool,
    /// Whether decisions keep the state they were taken in ([`Elem::state`]).
    pub digesting: bool,
    pub(crate) digest_keys: crate::digest::Keys,
    /// Where the last run that was stopped had got to, for people.
    pub stopped_at: String,
    /// The class that the last run which was stopped was initialising, the outermost one.
    pub stopped_initialising: Option<ClassId>,
    /// Instructions run since the machine was made.
    pub steps: u64,
    /// Where `steps` ends the run.
    pub(crate) step_limit: u64,
    /// What is left of [`Limits::quiet`].
    quiet_left: u64,
    /// Where `steps` is next compared with the limit, and the interrupt looked at.
    pub(crate) poll_at: u64,
    pub(crate) vals: Vec<u64>,
    pub(crate) terms: Vec<TermId>,
    pub(crate) frames: Vec<Frame<L>>,
    pub(crate) fibers: Fibers<L>,
    pub(crate) callables: Vec<Option<Callable<L>>>,
    /// Inputs are being made: decisions belong to them, not to the program.
    pub making_inputs: bool,
    /// Objects there were when all inputs were made.
    pub input_objects: u32,
    /// Some objects of this run are told apart by value ([`Lang::same_by_value`]).
    pub by_value: bool,
    /// Which of the decisions outside of the program the next one is.
    pub outside: u32,
    /// What input references could have been besides what they are in this run.
    pub(crate) choices: Choices,
    asserted: FxHashSet<TermId>,
    /// What follows from what was asserted, as far as it is about one variable at a time.
    known: Known,
    /// What tables that no run has changed hold at a symbolic index between two elements.
    pub(crate) tables: FxHashMap<(ObjId, TermId, u32, u32), TermId>,
    visits: FxHashMap<Site, u32>,
}

impl<L: Lang> Vm<L> {
    pub fn new(lang: L, heap_limit: usize) -> Vm<L> {
        Vm {
            lang,
            heap: Heap::new(heap_limit),
            pool: Pool::new(),
            inputs: Inputs::default(),
            trace: Trace::default(),
            ledger: Ledger::default(),
            limits: Limits::default(),
            interrupt: Arc::new(AtomicBool::new(false)),
            until: None,
            salt: 0,
            run_salt: 0,
            hashed: false,
            thrown: None,
            thrown_at: Vec::new(),
            thrown_by: None,
            decided_at: 0,
            terms_before: 0,
            watch: None,
            listening: false,
            walking: false,
            digesting: false,
            digest_keys: crate::digest::Keys::default(),
            stopped_at: String::new(),
            stopped_initialising: None,
            steps: 0,
            step_limit: 0,
            quiet_left: 0,
            poll_at: 0,
            vals: Vec::new(),
            terms: Vec::new(),
            frames: Vec::new(),
            fibers: Fibers::new(),
            callables: Vec::new(),
            making_inputs: false,
            input_objects: 0,
            by_value: false,
            outside: 0,
            choices: Choices::default(),
            asserted: FxHashSet::default(),
            known: Known::default(),
            tables: FxHashMap::default(),
            visits: FxHashMap::default(),
        }
    }

    /// Makes the world as it is now the one that every run starts from.
    pub fn freeze(&mut self) {
        self.heap.freeze();
        self.lang.freeze();
    }

    /// Makes the world as a run has left it the one that further runs start from, with the values of that run.
    pub fn keep(&mut self) {
        self.forget_fibers();
        self.heap.forget_terms();
        self.freeze();
    }

    /// Another machine at the same snapshot, to be used by another thread. Code found so far is shared.
    pub fn fork(&mut self) -> Vm<L>
    where
        L: Clone,
    {
        self.start_run(Assignment::default());
        let mut fork = Vm::new(self.lang.clone(), self.heap.limit);
        fork.heap = self.heap.clone();
        fork.limits = self.limits;
        fork.interrupt = self.interrupt.clone();
        fork.until = self.until;
        fork.salt = self.salt;
        fork.walking = self.walking;
        fork.callables = self.callables.clone();
        fork
    }

    /// Goes back to the frozen world and starts a run with these inputs.
    pub fn start_run(&mut self, model: Assignment) {
        self.forget_fibers();
        self.heap.reset();
        self.lang.reset();
        self.trace.clear();
        self.asserted.clear();
        self.known.clear();
        self.tables.clear();
        self.visits.clear();
        self.thrown = None;
        self.hashed = false;
        self.decided_at = self.steps;
        self.terms_before = self.pool.len();
        self.making_inputs = false;
        self.input_objects = 0;
        self.by_value = false;
        self.outside = 0;
        self.choices.clear();
        self.inputs.start_run(model);
    }

    /// Forgets inputs and terms: another exploration begins.
    pub fn start_exploration(&mut self) {
        self.start_run(Assignment::default());
        self.pool = Pool::new();
        self.terms_before = 0;
        self.inputs = Inputs::default();
        self.ledger = Ledger::default();
    }

    /// Calls a function and runs until it is done. May be used while a run is under way only by code that
    /// looks at a finished run, never by natives (they return [`crate::NativeResult::Call`]).
    pub fn call(&mut self, func: FuncId, args: &[Val]) -> Outcome {
        self.step_limit = self.steps.saturating_add(self.limits.steps);
        self.quiet_left = self.limits.quiet;
        self.poll_at = self.steps;
        let depth = self.frames.len();
        // Terms that stand for values of a plain run are constants, which nobody needs.
        let plain: Vec<Val>;
        let args = match self.inputs.is_plain() {
            true => {
                plain = args.iter().map(|arg| Val::concrete(arg.bits)).collect();
                &plain
            }
            false => args,
        };
        let outcome = match self.enter(func, args, Ret::Done) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => self.drive(),
            Err(stop) => Outcome::Stopped(stop),
        };
        match outcome {
            Outcome::Stopped(Stop::Deadlock) => self.stopped_at = L::waiting(self),
            Outcome::Stopped(_) => {
                self.stopped_at = self.place();
                let initialised = |frame: &Frame<L>| self.lang.initialised_by(frame.func);
                self.stopped_initialising = self.frames[depth..].iter().find_map(initialised);
            }
            Outcome::Threw(exception) => self.doom(exception),
            Outcome::Returned(_) => {}
        }
        self.go_to_main();
        self.frames.truncate(depth);
        outcome
    }

    /// Marks what was decided since the exception that left the call was made.
    fn doom(&mut self, exception: ObjId) {
        // One that is an input was made before anything that matters was decided.
        if !self.heap.is_fresh(exception) || exception.0 < self.input_objects {
            return;
        }
        let mut elems = std::mem::take(&mut self.trace.elems);
        let since = elems.iter().rposition(|e| e.objects <= exception.0).map_or(0, |i| i + 1);
        let is_library = |elem: &Elem| !elem.site.is_outside() && self.lang.is_library(elem.site.func);
        let by_library = elems[since..].iter().all(is_library);
        for elem in &mut elems[since..] {
            elem.doomed = !elem.site.is_outside() && !self.lang.is_tracked(elem.site.func);
            elem.moot = by_library;
        }
        self.trace.elems = elems;
    }

    /// The frames of the current run, innermost last.
    pub fn frames(&self) -> &[Frame<L>] {
        &self.frames
    }

    /// Where the program is, for people: function and line.
    pub fn place(&self) -> String {
        let Some(frame) = self.frames.last() else { return "before the call".to_string() };
        let line = frame.function.positions.get(frame.pc as usize).map_or(0, |p| p.line);
        match line {
            0 => frame.function.name.clone(),
            _ => format!("{}:{line}", frame.function.name),
        }
    }

    pub fn note(&mut self, kind: Kind, reason: impl Into<String>) {
        let place = self.place();
        self.ledger.note(kind, place, reason);
    }

    /// The site of the instruction that runs.
    pub fn site(&self) -> Site {
        match self.frames.last() {
            Some(frame) => Site { func: frame.func, index: frame.pc },
            None => Site { index: self.outside, ..Site::OUTSIDE },
        }
    }

    /// Records that a two-way decision went one way. Choice 0 means the condition holds.
    pub fn decide(&mut self, kind: ElemKind, condition: TermId, holds: bool) -> Result<(), Stop> {
        if self.pool.as_bool(condition).is_some() {
            return Ok(());
        }
        let negated = self.pool.not(condition);
        let taken = if holds { condition } else { negated };
        if self.is_asserted(taken) {
            return Ok(());
        }
        self.push_elem(kind, &[condition, negated], if holds { 0 } else { 1 })
    }

    /// Records an n-way decision; the conditions exclude each other and one of them holds.
    pub fn decide_among(&mut self, kind: ElemKind, conditions: &[TermId], choice: u32) -> Result<(), Stop> {
        let taken = conditions[choice as usize];
        if self.pool.as_bool(taken) == Some(true) || self.is_asserted(taken) {
            return Ok(());
        }
        self.push_elem(kind, conditions, choice)
    }

    /// Records a fact that the run relies on and that is never flipped.
    pub fn assume(&mut self, condition: TermId) -> Result<(), Stop> {
        if self.pool.as_bool(condition).is_some() || self.is_asserted(condition) {
            return Ok(());
        }
        self.push_elem(ElemKind::Assume, &[condition], 0)
    }

    /// What inputs must be like. A run whose inputs are not ends here, and what mends them is tried in its place.
    pub fn require(&mut self, condition: TermId, holds: bool) -> Result<(), Stop> {
        if self.pool.as_bool(condition).is_none() {
            let negated = self.pool.not(condition);
            let taken = if holds { condition } else { negated };
            if !self.is_asserted(taken) {
                self.push_elem(ElemKind::Assume, &[condition, negated], if holds { 0 } else { 1 })?;
            }
        }
        if holds { Ok(()) } else { Err(Stop::Assumption) }
    }

    /// Whether a condition was decided before, or follows from what was; the run relies on it then. It holds from now on.
    fn is_asserted(&mut self, condition: TermId) -> bool {
        let asserted = self.asserted.contains(&condition);
        let implied = asserted || self.known.assert(&self.pool, condition);
        if implied {
            self.rely_on(condition);
        }
        if implied && !asserted {
            self.decided_at = self.steps;
        }
        implied
    }

    /// Something about these terms was decided before and is made use of.
    fn rely_on(&mut self, term: TermId) {
        let entry = (self.trace.elems.len() as u32, term);
        if self.digesting && self.trace.implied.last() != Some(&entry) {
            self.trace.implied.push(entry);
        }
    }

    /// The least and the greatest value of a term on this path, unsigned, if something is known of it.
    pub(crate) fn range(&mut self, term: TermId) -> Option<(u128, u128)> {
        let range = self.known.range(&self.pool, term)?;
        self.rely_on(term);
        Some(range)
    }

    fn push_elem(&mut self, kind: ElemKind, conditions: &[TermId], choice: u32) -> Result<(), Stop> {
        if self.trace.elems.len() >= self.limits.decisions as usize {
            return Err(Stop::Decisions);
        }
        self.decided_at = self.steps;
        let is_place = matches!(kind, ElemKind::Branch | ElemKind::Check(_));
        let state = if self.digesting && is_place { self.digest() } else { 0 };
        let site = self.site();
        let visits = self.visits.entry(site).or_insert(0);
        let visit = *visits;
        *visits += 1;
        let first = self.trace.conditions.len() as u32;
        self.trace.conditions.extend_from_slice(conditions);
        self.asserted.insert(conditions[choice as usize]);
        self.trace.elems.push(Elem {
            site,
            kind,
            choice,
            alternatives: conditions.len() as u32,
            first,
            visit,
            walked: self.trace.walk.len() as u32,
            input: self.making_inputs,
            objects: self.heap.count() as u32,
            doomed: false,
            moot: false,
            caller: self.caller(),
            state,
        });
        Ok(())
    }

    /// Where the function at work was called from: the innermost call in tracked code that is still going on.
    fn caller(&self) -> Site {
        let above = self.frames.iter().rev().skip(1).find(|frame| self.lang.is_tracked(frame.func));
        above.map_or(Site::OUTSIDE, |frame| Site { func: frame.func, index: frame.pc })
    }

    /// Fixes a symbolic value to the one of this run, and says so in the ledger.
    pub fn concretise(&mut self, val: Val, why: &str) -> Result<Val, Stop> {
        if val.term.is_some() {
            let sort = self.pool.sort(val.term);
            let value = self.pool.constant(sort, val.bits as u128);
            let same = self.pool.eq(val.term, value);
            self.note(Kind::Concretised, why);
            self.assume(same)?;
        }
        Ok(Val::concrete(val.bits))
    }

    /// The term of a value, a constant if it has none.
    pub fn term(&mut self, val: Val, sort: Sort) -> TermId {
        match val.term {
            TermId::NONE => self.pool.constant(sort, val.bits as u128),
            term => term,
        }
    }

    /// A value with this term, unless the term is a constant.
    pub fn val(&self, bits: u64, term: TermId) -> Val {
        Val { bits, term: self.symbolic(term) }
    }

    /// The term, or none if it is a constant and the concrete side says it all.
    pub(crate) fn symbolic(&self, term: TermId) -> TermId {
        if term.is_some() && self.pool.as_const(term).is_none() { term } else { TermId::NONE }
    }

    /// Takes steps from the run for work that is no instruction.
    pub(crate) fn charge(&mut self, steps: u64) {
        self.step_limit = self.step_limit.saturating_sub(steps);
        self.poll_at = self.poll_at.min(self.step_limit);
    }

    pub(crate) fn check_budget(&mut self) -> Result<(), Stop> {
        if self.steps >= self.step_limit {
            if self.quiet_left == 0 || !self.runs_on() {
                return Err(Stop::Steps);
            }
            let more = self.quiet_left.min(self.limits.steps.max(1));
            self.quiet_left -= more;
            self.step_limit = self.steps.saturating_add(more);
        }
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        if self.is_late() {
            return Err(Stop::Time);
        }
        if self.pool.len() > self.terms_before.saturating_add(self.limits.terms) {
            return Err(Stop::Memory);
        }
        self.poll_at = self.step_limit.min(self.steps.saturating_add(POLL));
        Ok(())
    }

    /// Whether runs end at once, for want of time.
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether nothing was decided for so long that no input seems to lead out of where the run is.
    pub fn runs_on(&self) -> bool {
        self.steps - self.decided_at > self.limits.steps / 2
    }

    /// A number that stands for the identity of an object, stable within a world.
    pub fn identity_hash(&mut self, object: ObjId) -> u32 {
        let made = self.heap.is_fresh(object);
        self.hashed |= made;
        let salt = if made { self.salt.wrapping_add(self.run_salt) } else { self.salt };
        let mut x = (object.0 as u64).wrapping_add(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x ^= x >> 29;
        x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^= x >> 32;
        // Positive and not zero, as hash codes of the JVM are.
        ((x as u32) & 0x7fff_ffff) | 1
    }
}

/// The sort of the terms that a register of this type holds.
pub fn sort_of(ty: Type) -> Sort {
    match ty {
        Type::I1 => Sort::Bool,
        Type::I32 | Type::Ref => Sort::Bv(32),
        Type::I64 | Type::Ptr => Sort::Bv(64),
        Type::F32 => Sort::F32,
        Type::F64 => Sort::F64,
    }
}
