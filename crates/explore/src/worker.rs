//! Workers: each has a machine and a solver of its own and makes attempts, one after the other.
//!
//! What comes of an attempt depends on the attempt alone: the machine starts from the snapshot, terms are made in
//! a new pool, the solver knows what the rounds before taught all workers alike. So it does not matter who makes
//! it, nor how many workers there are.

use crate::breed::{Brood, EFFORT_A_STEP};
use crate::budget::{EFFORT_A_TERM, Times};
use crate::finished::End;
use crate::session::Stopped;
use crate::target::Target;
use ir::{BlockId, FuncId};
use ledger::Ledger;
use rustc_hash::FxHashMap;
use solver::{Answer, Chain, Known, Limits, News, Query, Stats};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
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

struct Worker<L: Lang, T> {
    vm: Vm<L>,
    target: T,
    chain: Chain,
    /// What functions of this machine are called in the session's.
    funcs: FxHashMap<FuncId, FuncId>,
    /// It panicked: its machine is in no state to go on.
    failed: bool,
    /// Pools of its runs that are merged, for it to free: that takes a while, and others need not wait.
    waste: Vec<Pool>,
}

/// All workers of a session.
pub(crate) struct Crew<L: Lang, T> {
    workers: Vec<Worker<L, T>>,
    /// What was learned in the last round and is yet to be told to all.
    news: Vec<News>,
    /// How long the rounds take together where each worker has a processor of its own.
    pub(crate) waiting: u64,
}

impl<L, T> Crew<L, T>
where
    L: Lang + Clone + Send,
    T: Target<L> + Clone + Send,
    T::Observation: Send,
{
    pub(crate) fn new(count: usize, vm: &mut Vm<L>, target: &T, chain: &dyn Fn() -> Chain) -> Crew<L, T> {
        let known = Known::default();
        let chain = || {
            let mut chain = chain();
            chain.join(&known);
            chain
        };
        let workers = (0..count.max(1)).map(|_| Worker::new(vm, target, chain())).collect();
        Crew { workers, news: Vec::new(), waiting: 0 }
    }

    /// Makes attempts at all jobs; the results stand in the order of the jobs. Ends early if `cut` says so. A
    /// worker that fails is replaced and its work done again, once. Jobs are in terms of `pool`, or else of the
    /// session's machine.
    pub(crate) fn round(
        &mut self,
        vm: &mut Vm<L>,
        target: &T,
        pool: Option<&Pool>,
        jobs: &[Job],
        share: Share<'_>,
        cut: &(dyn Fn() -> Option<Stopped> + Sync),
    ) -> Vec<Option<Attempt<T::Observation>>> {
        let mut results = self.pass(pool.unwrap_or(&vm.pool), jobs.iter().collect(), share, cut);
        if self.workers.iter().any(|worker| worker.failed) {
            self.replace_failed(vm, target);
            let again = |result: &Option<Attempt<_>>| {
                result.as_ref().is_none_or(|a| matches!(a.found, Found::Failed(_)))
            };
            for (result, job) in results.iter_mut().zip(jobs).filter(|(result, _)| again(result)) {
                *result = self.pass(pool.unwrap_or(&vm.pool), vec![job], share, cut).pop().flatten();
                self.replace_failed(vm, target);
            }
        }
        results
    }

    fn pass(
        &mut self,
        pool: &Pool,
        jobs: Vec<&Job>,
        share: Share<'_>,
        cut: &(dyn Fn() -> Option<Stopped> + Sync),
    ) -> Vec<Option<Attempt<T::Observation>>> {
        let news = std::mem::take(&mut self.news);
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<Attempt<T::Observation>>>> =
            jobs.iter().map(|_| Mutex::new(None)).collect();
        let work = |id: usize, worker: &mut Worker<L, T>| {
            worker.waste.clear();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                // Who is out of time need not finish the round; without a cut every round is finished.
                let Some(job) = jobs.get(at) else { break };
                if at > 0 && (cut().is_some() || worker.vm.interrupt.load(Ordering::Relaxed)) {
                    break;
                }
                let attempt = worker.guarded(id, pool, job, share);
                let failed = worker.failed;
                *results[at].lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(attempt);
                if failed {
                    break;
                }
            }
        };
        let helpers = self.workers.len().min(jobs.len()).max(1);
        if let Some((first, others)) = self.workers.split_first_mut() {
            // All of them know what the first is told.
            news.iter().for_each(|news| first.chain.absorb(news));
            std::thread::scope(|scope| {
                for (index, worker) in others.iter_mut().take(helpers - 1).enumerate() {
                    let work = &work;
                    scope.spawn(move || work(index + 1, worker));
                }
                work(0, first);
            });
        }
        let results: Vec<_> = results
            .into_iter()
            .map(|r| r.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
            .collect();
        let times = || results.iter().flatten().map(|attempt| attempt.times.total());
        let share = times().sum::<u64>().div_ceil(helpers as u64);
        self.waiting += share.max(times().max().unwrap_or(0));
        results
    }

    /// The solver goes on: it knows what the others know, and starts anew with every attempt.
    fn replace_failed(&mut self, vm: &mut Vm<L>, target: &T) {
        for worker in self.workers.iter_mut().filter(|worker| worker.failed) {
            worker.chain.new_batch();
            let chain = std::mem::take(&mut worker.chain);
            *worker = Worker::new(vm, target, chain);
        }
    }

    /// To be told to all workers before the next round, in this order.
    pub(crate) fn teach(&mut self, news: News) {
        if !news.is_empty() {
            self.news.push(news);
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut all = Stats::default();
        self.workers.iter().for_each(|worker| all.add(worker.chain.stats()));
        all
    }

    /// A worker's run in the session's numbering; `None` if it came across code that the session's machine has not
    /// seen yet.
    pub(crate) fn localise(
        &mut self,
        vm: &mut Vm<L>,
        id: usize,
        run: &mut Run<T::Observation>,
    ) -> Option<()> {
        let worker = &mut self.workers[id];
        let (lang, fork, known) = (&vm.lang, &worker.vm.lang, &mut worker.funcs);
        // Most of the time both have met the same code in the same order, and mostly one function after itself.
        let mut last = (Site::OUTSIDE.func, Site::OUTSIDE.func);
        let moved = Cell::new(false);
        let mut func = |func: FuncId| -> Option<FuncId> {
            if func == last.0 {
                return Some(last.1);
            }
            if func == Site::OUTSIDE.func {
                return Some(func);
            }
            let here = match known.get(&func) {
                Some(here) => *here,
                None => {
                    let here = lang.func_of(fork, func)?;
                    known.insert(func, here);
                    here
                }
            };
            moved.set(moved.get() || here != func);
            last = (func, here);
            Some(here)
        };
        let trace = &mut run.trace;
        for edge in &trace.edges {
            func(edge.func)?;
        }
        for (at, _) in &trace.blocks {
            func(*at)?;
        }
        for step in &mut trace.walk {
            step.func = func(step.func)?;
        }
        let mut site = |site: Site| Some(Site { func: func(site.func)?, ..site });
        for elem in &mut trace.elems {
            elem.site = site(elem.site)?;
            elem.caller = site(elem.caller)?;
        }
        trace.raised = trace.raised.iter().map(|at| site(*at)).collect::<Option<_>>()?;
        if let End::Threw { class, site: at, .. } = &mut run.end {
            *class = lang.class_of(fork, *class)?;
            *at = match *at {
                Some(at) => Some(site(at)?),
                None => None,
            };
        }
        if moved.get() {
            trace.edges = trace
                .edges
                .iter()
                .map(|e| Some(Edge { func: func(e.func)?, ..*e }))
                .collect::<Option<_>>()?;
            trace.blocks = trace.blocks.iter().map(|(f, b)| Some((func(*f)?, *b))).collect::<Option<_>>()?;
            (run.edges, run.blocks) = covered(trace);
        }
        trace.conditions = vm.pool.import(&run.pool, &trace.conditions);
        let wanted: Vec<TermId> = trace.demands.iter().map(|(_, wanted)| *wanted).collect();
        let wanted = vm.pool.import(&run.pool, &wanted);
        trace.demands.iter_mut().zip(wanted).for_each(|((_, term), here)| *term = here);
        let implied: Vec<TermId> = trace.implied.iter().map(|(_, implied)| *implied).collect();
        let implied = vm.pool.import(&run.pool, &implied);
        trace.implied.iter_mut().zip(implied).for_each(|((_, term), here)| *term = here);
        run.model = vm.pool.import_assignment(&run.pool, &run.model);
        worker.waste.push(std::mem::take(&mut run.pool));
        Some(())
    }
}

impl<L: Lang + Clone, T: Target<L> + Clone> Worker<L, T> {
    fn new(vm: &mut Vm<L>, target: &T, chain: Chain) -> Worker<L, T> {
        Worker {
            vm: vm.fork(),
            target: target.clone(),
            chain,
            funcs: FxHashMap::default(),
            failed: false,
            waste: Vec::new(),
        }
    }

    /// An attempt that survives a bug of ours: the worker is then to be replaced.
    fn guarded(&mut self, id: usize, pool: &Pool, job: &Job, share: Share<'_>) -> Attempt<T::Observation> {
        match catch_unwind(AssertUnwindSafe(|| self.attempt(id, pool, job, share))) {
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

    fn attempt(&mut self, id: usize, pool: &Pool, job: &Job, share: Share<'_>) -> Attempt<T::Observation> {
        self.vm.start_exploration();
        let before = (self.vm.steps, self.chain.stats().clone());
        let mut questions = 0;
        let mut bred = 0;
        let mut times = Times::default();
        let started = (share.clock)();
        let found = match job {
            Job::Inputs(model) => {
                let model = self.vm.pool.import_assignment(pool, model);
                let run = self.run(model, share);
                times.running = (share.clock)().saturating_sub(started);
                Found::Ran(Box::new(run))
            }
            Job::Breed(brood) => {
                let model = self.breed(pool, brood);
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
                let assertions = self.vm.pool.import(pool, assertions);
                let hint = hint.as_ref().map(|hint| self.vm.pool.import_assignment(pool, hint));
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
    fn breed(&mut self, pool: &Pool, brood: &Brood) -> Option<Assignment> {
        let walking = std::mem::replace(&mut self.vm.walking, false);
        self.vm.digesting = false;
        self.vm.inputs.set_plain(true);
        let import = &mut |vm: &mut Vm<L>, model: &Assignment| vm.pool.import_assignment(pool, model);
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
fn covered(trace: &Trace) -> (Vec<Edge>, Vec<(FuncId, BlockId)>) {
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
    Run { pool: Pool::new(), model, outcome, end, observation, trace, edges, blocks, steps, stopped_at }
}
