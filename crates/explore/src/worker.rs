//! A worker has a machine and a solver of its own and makes attempts, one after the other.
//!
//! What comes of an attempt depends on the attempt alone: the machine starts from the snapshot, terms are made in
//! a new pool, the solver knows what the rounds before taught all workers alike. So it does not matter who makes
//! it, nor how many workers there are.

use crate::breed::{Brood, EFFORT_A_STEP};
use crate::budget::{EFFORT_A_TERM, Times};
use crate::finished::End;
use crate::target::Target;
use ir::{BlockId, FuncId};
use ledger::Ledger;
use solver::{Answer, Chain, Limits, News, Query};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock};
use term::{Assignment, Pool, TermId};
use vm::{Edge, Lang, Outcome, Site, Trace, Val, Vm};

/// What is to be tried. Terms and variables are those of the session's pool.
pub(crate) enum Job {
    /// Run on these inputs.
    Inputs(Assignment),
    /// Find inputs for which all of these hold, and run on them.
    Flip { assertions: Vec<TermId>, hint: Option<Assignment> },
    /// Look for inputs that come to something new, by chance, and run on them.
    Breed(Brood),
}

/// What an attempt may use.
#[derive(Clone, Copy)]
pub(crate) struct Share<'a> {
    pub solver: Limits,
    pub steps: u64,
    /// Steps beyond those for runs that decide nothing.
    pub quiet: u64,
    /// Whether runs keep the states in which they decided.
    pub states: bool,
    pub clock: &'a (dyn Fn() -> u64 + Sync),
}

/// A run, before it is merged. Terms are those of its own pool, functions and classes those of the worker's machine.
pub(crate) struct Run<O> {
    pub pool: Pool,
    pub model: Assignment,
    pub outcome: Outcome,
    pub end: End,
    pub observation: O,
    pub trace: Trace,
    /// What the trace covered, ascending.
    pub edges: Vec<Edge>,
    pub blocks: Vec<(FuncId, BlockId)>,
    /// All functions that it names, each once.
    pub funcs: Vec<FuncId>,
    pub steps: u64,
    /// Where it was, if it was stopped.
    pub stopped_at: String,
}

pub(crate) enum Found<O> {
    Ran(Box<Run<O>>),
    Unsat,
    Unknown(String),
    /// Nothing was bred that is worth running.
    Nothing,
    /// The worker panicked.
    Failed(String),
}

/// What came of an attempt.
pub(crate) struct Attempt<O> {
    pub found: Found<O>,
    /// Who made it: the run's functions are numbered by its machine.
    pub worker: usize,
    pub news: News,
    pub ledger: Ledger,
    pub steps: u64,
    pub questions: u64,
    pub rlimit: u64,
    pub effort: u64,
    pub times: Times,
}

pub(crate) struct Worker<L: Lang, T> {
    pub vm: Vm<L>,
    target: T,
    pub chain: Chain,
    /// It panicked: its machine is in no state to go on.
    pub failed: bool,
}

/// Where the terms of jobs are.
#[derive(Clone, Copy)]
pub(crate) enum Terms<'a> {
    /// In the session's pool, which grows while others read it.
    Session(&'a RwLock<Pool>),
    Other(&'a Pool),
}

/// Who merges holds the pool for some microseconds: to wait for that is cheaper than to be put to sleep.
const SPINS: u32 = 5_000;

impl Terms<'_> {
    fn read<R>(self, read: impl FnOnce(&Pool) -> R) -> R {
        match self {
            Terms::Session(pool) => {
                for _ in 0..SPINS {
                    if let Ok(pool) = pool.try_read() {
                        return read(&pool);
                    }
                    std::hint::spin_loop();
                }
                read(&pool.read().unwrap_or_else(PoisonError::into_inner))
            }
            Terms::Other(pool) => read(pool),
        }
    }
}

impl<L: Lang + Clone, T: Target<L> + Clone> Worker<L, T> {
    pub fn new(vm: &mut Vm<L>, target: &T, chain: Chain) -> Worker<L, T> {
        Worker { vm: vm.fork(), target: target.clone(), chain, failed: false }
    }

    /// An attempt that survives a bug of ours: the worker is then to be replaced.
    pub fn guarded(
        &mut self,
        id: usize,
        terms: Terms<'_>,
        job: &Job,
        share: Share<'_>,
    ) -> Attempt<T::Observation> {
        match catch_unwind(AssertUnwindSafe(|| self.attempt(id, terms, job, share))) {
            Ok(attempt) => attempt,
            Err(why) => {
                self.failed = true;
                let text = why.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| why.downcast_ref::<&str>().copied()).unwrap_or("no message");
                Attempt {
                    found: Found::Failed(text.to_string()),
                    worker: id,
                    news: News::default(),
                    ledger: Ledger::default(),
                    steps: 0,
                    questions: 0,
                    rlimit: 0,
                    effort: 0,
                    times: Times::default(),
                }
            }
        }
    }

    fn attempt(
        &mut self,
        id: usize,
        terms: Terms<'_>,
        job: &Job,
        share: Share<'_>,
    ) -> Attempt<T::Observation> {
        self.vm.start_exploration();
        let before = (self.vm.steps, self.chain.stats().clone());
        let mut questions = 0;
        let mut bred = 0;
        let mut times = Times::default();
        let started = (share.clock)();
        let found = match job {
            Job::Inputs(model) => {
                let model = terms.read(|pool| self.vm.pool.import_assignment(pool, model));
                let run = self.run(model, share);
                times.running = (share.clock)().saturating_sub(started);
                Found::Ran(Box::new(run))
            }
            Job::Breed(brood) => {
                let model = self.breed(terms, brood);
                bred = self.vm.steps - before.0;
                let found = match model {
                    Some(model) => Found::Ran(Box::new(self.run(model, share))),
                    None => Found::Nothing,
                };
                times.running = (share.clock)().saturating_sub(started);
                found
            }
            Job::Flip { assertions, hint } => {
                questions = 1;
                let (assertions, hint) = terms.read(|pool| {
                    let assertions = self.vm.pool.import(pool, assertions);
                    (assertions, hint.as_ref().map(|hint| self.vm.pool.import_assignment(pool, hint)))
                });
                let query = Query { assertions: &assertions, hint: hint.as_ref(), limits: share.solver };
                let moved = (share.clock)();
                let answer = self.chain.ask(&mut self.vm.pool, &query);
                let solved = (share.clock)();
                times.moving = moved.saturating_sub(started);
                times.solving = solved.saturating_sub(moved);
                match answer {
                    Answer::Sat(model) => {
                        let run = self.run(model, share);
                        times.running = (share.clock)().saturating_sub(solved);
                        Found::Ran(Box::new(run))
                    }
                    Answer::Unsat(_) => Found::Unsat,
                    Answer::Unknown(cause) => Found::Unknown(cause.to_string()),
                }
            }
        };
        // A run took its pool along.
        let terms = match &found {
            Found::Ran(run) => run.pool.len(),
            _ => self.vm.pool.len(),
        };
        let solver = self.chain.stats();
        let rlimit = solver.rlimit - before.1.rlimit;
        let effort = solver.effort - before.1.effort
            + terms as u64 * EFFORT_A_TERM
            + bred * EFFORT_A_STEP.0 / EFFORT_A_STEP.1;
        Attempt {
            found,
            worker: id,
            news: self.chain.new_batch(),
            ledger: std::mem::take(&mut self.vm.ledger),
            steps: self.vm.steps - before.0 - bred,
            questions,
            rlimit,
            effort,
            times,
        }
    }

    /// Inputs that come to something new, found by plain runs. Those are nobody's behaviour: what they note is forgotten.
    fn breed(&mut self, terms: Terms<'_>, brood: &Brood) -> Option<Assignment> {
        let walking = std::mem::replace(&mut self.vm.walking, false);
        self.vm.digesting = false;
        self.vm.inputs.set_plain(true);
        let import = &mut |vm: &mut Vm<L>, model: &Assignment| {
            terms.read(|pool| vm.pool.import_assignment(pool, model))
        };
        let found = brood.breed(&mut self.vm, &mut self.target, import);
        self.vm.inputs.set_plain(false);
        self.vm.walking = walking;
        self.vm.ledger = Ledger::default();
        found
    }

    fn run(&mut self, model: Assignment, share: Share<'_>) -> Run<T::Observation> {
        (self.vm.limits.steps, self.vm.limits.quiet) = (share.steps, share.quiet);
        self.vm.digesting = share.states;
        let mut run = run(&mut self.vm, &mut self.target, model);
        run.pool = std::mem::take(&mut self.vm.pool);
        run
    }
}

/// What a trace covered, ascending.
pub(crate) fn covered(trace: &Trace) -> (Vec<Edge>, Vec<(FuncId, BlockId)>) {
    let mut edges: Vec<Edge> = trace.edges.iter().copied().collect();
    edges.sort_unstable();
    let mut blocks: Vec<_> = trace.blocks.iter().copied().collect();
    blocks.sort_unstable();
    (edges, blocks)
}

/// Runs once; the pool stays with the machine.
pub(crate) fn run<L: Lang, T: Target<L>>(
    vm: &mut Vm<L>,
    target: &mut T,
    model: Assignment,
) -> Run<T::Observation> {
    vm.start_run(model.clone());
    let before = vm.steps;
    let outcome = target.execute(vm);
    let steps = vm.steps - before;
    let end = End::of(vm, &outcome);
    let stopped_at = match outcome {
        Outcome::Stopped(_) => vm.stopped_at.clone(),
        _ => String::new(),
    };
    // What observing does is no part of the path.
    let trace = std::mem::take(&mut vm.trace);
    let observation = target.observe(vm, &outcome);
    // Terms of the outcome would be those of a pool that is gone.
    let outcome = match outcome {
        Outcome::Returned(Some(val)) => Outcome::Returned(Some(Val::concrete(val.bits))),
        other => other,
    };
    let (edges, blocks) = covered(&trace);
    let funcs = named(&trace, &blocks, &end);
    Run {
        pool: Pool::new(),
        model,
        outcome,
        end,
        observation,
        trace,
        edges,
        blocks,
        funcs,
        steps,
        stopped_at,
    }
}

/// The functions that a run names, each once.
fn named(trace: &Trace, blocks: &[(FuncId, BlockId)], end: &End) -> Vec<FuncId> {
    // Mostly one after itself.
    let mut funcs: Vec<FuncId> = Vec::new();
    let mut add = |func: FuncId| {
        if funcs.last() != Some(&func) {
            funcs.push(func);
        }
    };
    blocks.iter().for_each(|(func, _)| add(*func));
    trace.edges.iter().for_each(|edge| add(edge.func));
    trace.walk.iter().for_each(|step| add(step.func));
    trace.raised.iter().for_each(|site| add(site.func));
    for elem in &trace.elems {
        add(elem.site.func);
        add(elem.caller.func);
    }
    if let End::Threw { site: Some(site), .. } = end {
        add(site.func);
    }
    funcs.sort_unstable();
    funcs.dedup();
    funcs.retain(|func| *func != Site::OUTSIDE.func);
    funcs
}
