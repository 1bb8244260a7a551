//! The exploration: a short loop over injected parts.

use crate::budget::{Options, RLIMIT_A_UNIT, STEPS_A_UNIT, Spent, Times};
use crate::code::Code;
use crate::finished::{End, Finished, RunId, taken};
use crate::frontier::{AIMS, Candidate, Checks, Guide, Strategy, Tried};
use crate::fuzz::Fuzz;
use crate::goal::{Aim, Flip, Goal, ObligationId};
use crate::journal::{self, Journal};
use crate::target::Target;
use crate::tree::{Child, GaveUp, Inserted, Node, NodeId, Slot, Tree};
use crate::verdict::{Verdict, verdicts};
use crate::worker::{Attempt, Crew, Found, Job, Run, Share};
use ledger::{Kind, Ledger};
use rustc_hash::FxHashMap;
use solver::{Chain, Limits};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use term::{Assignment, Pool, TermId};
use vm::{Edge, ElemKind, Lang, Outcome, Site, Stop, Trace, Vm};

/// With everything met, so many flips are tried for a run that returns normally.
const RETURN_TRIES: u32 = 100;

/// Everything an exploration is made of.
pub struct Session<'a, L: Lang, T: Target<L>> {
    /// At its snapshot. Its inputs, terms and ledger are those of this exploration.
    pub vm: &'a mut Vm<L>,
    pub target: &'a mut T,
    /// Makes the solver of a worker.
    pub chain: &'a dyn Fn() -> Chain,
    /// Workers. What is found does not depend on their number.
    pub jobs: usize,
    pub strategy: &'a mut dyn Strategy,
    pub goal: &'a dyn Goal,
    pub options: Options,
    /// Asked between runs; `true` ends the exploration. The place for a clock.
    pub cut: &'a (dyn Fn() -> bool + Sync),
    pub observer: &'a mut dyn FnMut(Event),
    /// Where an exploration that may have to be continued leaves its traces.
    pub journal: Option<&'a mut dyn Journal>,
    /// Inputs to run before any are looked for.
    pub seeds: Seeds,
    /// Nanoseconds since whenever, for [`Exploration::times`] only.
    pub clock: &'a (dyn Fn() -> u64 + Sync),
}

/// Example inputs, in terms of a pool of their own.
#[derive(Default)]
pub struct Seeds {
    pub pool: Pool,
    pub inputs: Vec<Assignment>,
}

/// What happens, as it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Ran {
        run: RunId,
        end: End,
        new: Vec<ObligationId>,
        met: usize,
        obligations: usize,
        spent: Spent,
        open: u64,
    },
    Infeasible {
        site: Site,
        alternative: u32,
    },
    Unknown {
        site: Site,
        alternative: u32,
        cause: String,
    },
    Diverged {
        run: RunId,
        site: Site,
    },
    Stopped(Stopped),
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing was left to try.
    Complete,
    /// All obligations are met, and each check was tried.
    Met,
    /// Nothing new came for a long time.
    NothingNew,
    /// As many bugs were met as were asked for.
    Bugs,
    Paths,
    Work,
    Memory,
    /// [`Session::cut`] said so.
    Cut,
    Interrupted,
}

/// What an exploration found.
pub struct Exploration<O> {
    /// In the order of discovery; runs that are no behaviour of the program included.
    pub finished: Vec<Finished<O>>,
    pub verdicts: Vec<Verdict>,
    pub ledger: Ledger,
    pub tree: Tree,
    pub stopped: Stopped,
    pub spent: Spent,
    /// Runs that left the path they were solved for.
    pub diverged: u64,
    /// Whether every path was explored and the ledger allows to say so.
    pub exhaustive: bool,
    /// What the workers' solvers did.
    pub solver: solver::Stats,
    pub times: Times,
}

/// So much is tried because runs asked for it.
const MAX_DEMANDS: usize = 400;

/// What grows while exploring.
struct State<L: Lang, T: Target<L>> {
    crew: Crew<L, T>,
    tree: Tree,
    code: Code,
    checks: Checks,
    covered: Vec<Option<RunId>>,
    /// Obligations that are still worth meeting.
    wanted: Vec<bool>,
    /// What alternatives that are about to become candidates come near to.
    aims: BTreeMap<Slot, Vec<Aim>>,
    finished: Vec<Finished<T::Observation>>,
    /// Runs that came to a branch of an unmet obligation, by number.
    near: Vec<bool>,
    /// Obligations each run met first.
    gains: Vec<u32>,
    /// How often runs decided so.
    taken: FxHashMap<(Site, u32), u32>,
    spent: Spent,
    rounds: u64,
    orders: u64,
    diverged: u64,
    /// What runs asked for and nobody tried yet, and all that was ever asked for.
    demands: VecDeque<(Slot, TermId)>,
    asked: BTreeSet<(Slot, TermId)>,
    /// Flips tried since anything new came.
    fruitless: u32,
    /// Some run returned normally.
    returned: bool,
    left: u64,
    /// The most work that one attempt took so far.
    dearest: u64,
    times: Times,
    /// Decisions of all runs that are kept.
    steps_kept: u64,
    /// Different bugs met, by exception and place.
    bugs: BTreeSet<(ir::ClassId, Option<Site>)>,
    /// Alternatives tried, by function.
    tries: FxHashMap<ir::FuncId, u64>,
    fuzz: Fuzz,
}

impl<'a, L, T> Session<'a, L, T>
where
    L: Lang + Clone + Send,
    T: Target<L> + Clone + Send,
    T::Observation: Send,
{
    /// Explores to exhaustion, to the goal or to the budget.
    pub fn explore(mut self) -> Exploration<T::Observation> {
        let mut state = self.start();
        let first = self.attempt(&mut state, &Job::Inputs(Assignment::default()));
        self.conclude_first(&mut state, first);
        self.sow(&mut state);
        let stopped = loop {
            self.serve(&mut state);
            let started = (self.clock)();
            let chosen = self.choose(&mut state);
            state.times.choosing += (self.clock)().saturating_sub(started);
            let (round, stopped) = match chosen {
                Ok(round) => (round, None),
                Err(stopped) => (Vec::new(), Some(stopped)),
            };
            let mutants = self.mutants(&mut state, round.len(), stopped);
            if let Some(stopped) = stopped
                && mutants.is_empty()
            {
                break stopped;
            }
            let mut attempts = self.attempt_all(&mut state, &round, &mutants);
            let started = (self.clock)();
            let fuzzed = attempts.split_off(round.len());
            for (candidate, attempt) in round.iter().zip(attempts) {
                // Only a cut leaves a candidate without an attempt.
                if let Some(attempt) = attempt {
                    self.conclude(&mut state, candidate, attempt);
                }
            }
            for ((slot, _), attempt) in mutants.iter().zip(fuzzed) {
                if let Some(attempt) = attempt {
                    self.conclude_mutant(&mut state, *slot, attempt);
                }
            }
            state.times.merging += (self.clock)().saturating_sub(started);
        };
        (self.observer)(Event::Stopped(stopped));
        self.vm.walking = false;
        self.finish(state, stopped)
    }

    fn start(&mut self) -> State<L, T> {
        self.vm.start_exploration();
        self.vm.walking = self.goal.walks();
        let crew = Crew::new(self.jobs, self.vm, self.target, self.chain);
        let mut state = State {
            crew,
            tree: Tree::default(),
            code: Code::default(),
            checks: Checks::new(self.options.check_tries),
            covered: vec![None; self.goal.len()],
            wanted: self.goal.wants(&vec![false; self.goal.len()]),
            aims: BTreeMap::new(),
            finished: Vec::new(),
            near: Vec::new(),
            gains: Vec::new(),
            taken: FxHashMap::default(),
            spent: Spent::default(),
            rounds: 0,
            orders: 0,
            diverged: 0,
            demands: VecDeque::new(),
            asked: BTreeSet::new(),
            fruitless: 0,
            returned: false,
            left: 0,
            dearest: 0,
            times: Times::default(),
            steps_kept: 0,
            bugs: BTreeSet::new(),
            tries: FxHashMap::default(),
            fuzz: Fuzz::new(self.options.seed),
        };
        self.measure(&mut state, None);
        state
    }

    /// The next round's candidates, or why there is none.
    fn choose(&mut self, state: &mut State<L, T>) -> Result<Vec<Candidate>, Stopped> {
        self.check_budget(state)?;
        state.rounds += 1;
        let batch = self.round_size(state);
        let mut round = Vec::with_capacity(batch);
        // A suite that only shows failures shows too little: a normal return is looked for as well, for a while.
        let shown = state.returned || state.fruitless >= RETURN_TRIES;
        let met = shown && !state.wanted.contains(&true);
        while round.len() < batch {
            let guide = Guide {
                goal: self.goal,
                wanted: &state.wanted,
                code: &state.code,
                checks: &state.checks,
                near: &state.near,
                gains: &state.gains,
                taken: &state.taken,
                round: state.rounds,
            };
            let Some(candidate) = self.strategy.next(&guide) else { break };
            // A run that strayed may have been there meanwhile.
            if state.tree.child(candidate.slot) != Child::Open {
                continue;
            }
            if state.tries.get(&candidate.site.func).copied().unwrap_or(0) >= self.options.function_tries {
                self.give_up(state, &candidate, Kind::PathLimit, "paths of this function");
                continue;
            }
            if met && !self.options.exhaustive && !guide.is_fresh_check(&candidate) {
                state.left += 1;
                continue;
            }
            *state.tries.entry(candidate.site.func).or_insert(0) += 1;
            round.push(candidate);
        }
        match round.is_empty() {
            false => Ok(round),
            true if state.left > 0 => Err(Stopped::Met),
            true => Err(Stopped::Complete),
        }
    }

    /// Leaves an alternative that lies beyond a bound, and says so.
    fn give_up(&mut self, state: &mut State<L, T>, candidate: &Candidate, kind: Kind, reason: &str) {
        state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Bound));
        let place = state.code.place(self.vm, candidate.site);
        self.vm.ledger.note(kind, place, reason);
    }

    /// How many candidates are tried before the next look at the results: more where more are open. Fewer where the
    /// budget would not last for them.
    fn round_size(&self, state: &State<L, T>) -> usize {
        let open = state.tree.open();
        let share = if self.options.exhaustive { 4 } else { 32 };
        let least = u64::from(self.options.batch);
        let wanted = (open / share).clamp(least, least.max(self.options.batch_most.into()));
        let runs_left = self.options.max_paths.saturating_sub(state.spent.runs);
        let work_left = self.options.work.saturating_sub(state.spent.work());
        let affordable = work_left / state.dearest.max(1);
        wanted.min(runs_left).min(affordable).max(1) as usize
    }

    /// Bytes in use, about: figures a term, a node and a step of a run as they were measured.
    fn memory(&self, state: &State<L, T>) -> u64 {
        self.vm.pool.len() as u64 * 110 + state.tree.len() as u64 * 150 + state.steps_kept * 20
    }

    fn check_budget(&self, state: &State<L, T>) -> Result<(), Stopped> {
        // What is complete has not run out of anything.
        match state.tree.open() == 0 && !self.vm.interrupt.load(Ordering::Relaxed) {
            true => Ok(()),
            false => self.check_budget_always(state),
        }
    }

    fn check_budget_always(&self, state: &State<L, T>) -> Result<(), Stopped> {
        if self.vm.interrupt.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        if self.options.max_bugs.is_some_and(|most| state.bugs.len() as u64 >= most.into()) {
            return Err(Stopped::Bugs);
        }
        if (self.cut)() {
            return Err(Stopped::Cut);
        }
        if state.spent.runs >= self.options.max_paths {
            return Err(Stopped::Paths);
        }
        if state.spent.work() >= self.options.work {
            return Err(Stopped::Work);
        }
        if self.memory(state) >= self.options.memory {
            return Err(Stopped::Memory);
        }
        if !self.options.exhaustive && state.fruitless >= self.options.patience {
            return Err(Stopped::NothingNew);
        }
        Ok(())
    }

    /// Tries each candidate with what was known before the round; what the solvers learned is told to all after it.
    fn attempt_all(
        &mut self,
        state: &mut State<L, T>,
        round: &[Candidate],
        mutants: &[(Slot, Assignment)],
    ) -> Vec<Option<Attempt<T::Observation>>> {
        let mut jobs: Vec<Job> = round.iter().map(|candidate| self.flip(state, candidate, None)).collect();
        jobs.extend(mutants.iter().map(|(_, model)| Job::Inputs(model.clone())));
        self.round(state, None, &jobs, self.cut)
    }

    /// Runs the example inputs.
    fn sow(&mut self, state: &mut State<L, T>) {
        let seeds = std::mem::take(&mut self.seeds);
        let jobs: Vec<Job> = seeds.inputs.into_iter().map(Job::Inputs).collect();
        if jobs.is_empty() {
            return;
        }
        for attempt in self.round(state, Some(&seeds.pool), &jobs, self.cut).into_iter().flatten() {
            self.conclude_first(state, attempt);
        }
    }

    /// A round, from the journal as far as it goes. Jobs are in terms of `pool`, or else of this machine's.
    fn round(
        &mut self,
        state: &mut State<L, T>,
        pool: Option<&Pool>,
        jobs: &[Job],
        cut: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Option<Attempt<T::Observation>>> {
        let share = self.share(state);
        if let Some(attempts) = self.replayed(state, jobs.len(), share) {
            return attempts;
        }
        let attempts = state.crew.round(self.vm, self.target, pool, jobs, share, cut);
        if let Some(journal) = &mut self.journal
            && let Some(record) = journal::encode(&attempts)
        {
            journal.keep(&record);
        }
        attempts
    }

    /// What the next round came to before the exploration was cut off: its inputs are run again.
    fn replayed(
        &mut self,
        state: &mut State<L, T>,
        jobs: usize,
        share: Share<'_>,
    ) -> Option<Vec<Option<Attempt<T::Observation>>>> {
        let record = self.journal.as_mut()?.next()?;
        // A pool of its own: what came into being when must not depend on how far the journal goes.
        let mut pool = Pool::new();
        let kept = journal::decode(&record, jobs, &mut pool)?;
        let again: Vec<Job> = kept.iter().filter_map(journal::Kept::job).collect();
        let mut runs = match again.is_empty() {
            true => Vec::new(),
            false => state.crew.round(self.vm, self.target, Some(&pool), &again, share, &|| false),
        }
        .into_iter();
        let attempt = |kept: journal::Kept| {
            let run = kept.job().and_then(|_| runs.next().flatten());
            kept.attempt(run)
        };
        Some(kept.into_iter().map(attempt).collect())
    }

    /// Inputs that take a candidate are to be found.
    fn flip(&self, state: &State<L, T>, candidate: &Candidate, but: Option<TermId>) -> Job {
        let mut assertions = state.tree.path_condition(candidate.slot);
        assertions.extend(but);
        let first = candidate.slot.node().map(|node| state.tree.node(node).run.0 as usize);
        // An object in another state is of use where something is wanted: with the other inputs of a run that came there.
        let near = match candidate.kind {
            ElemKind::Prefer if candidate.order.is_multiple_of(2) => state.near.iter().position(|near| *near),
            _ => None,
        };
        let hint = near.or(first).and_then(|run| state.finished.get(run)).map(|f| f.model.clone());
        Job::Flip { assertions, hint }
    }

    /// One attempt by itself.
    fn attempt(&mut self, state: &mut State<L, T>, job: &Job) -> Attempt<T::Observation> {
        let found = self.round(state, None, std::slice::from_ref(job), &|| false).pop().flatten();
        found.unwrap_or_else(|| unreachable!("the first job of a round is always done"))
    }

    /// What an attempt may use: near the end of the budget not more than is left of it.
    fn share(&self, state: &State<L, T>) -> Share<'a> {
        let left = self.options.work.saturating_sub(state.spent.work());
        let left = left + (self.options.work / SLACK).max(self.options.overdraft);
        let rlimit = left.saturating_mul(RLIMIT_A_UNIT).min(u32::MAX.into()) as u32;
        let solver = Limits { rlimit: self.options.solver.rlimit.min(rlimit), ..self.options.solver };
        let steps = self.vm.limits.steps.min(left.saturating_mul(STEPS_A_UNIT).max(MIN_STEPS));
        Share { solver, steps, clock: self.clock }
    }

    /// Counts what an attempt took.
    fn count(&mut self, state: &mut State<L, T>, attempt: &mut Attempt<T::Observation>) {
        let before = state.spent.work();
        state.spent.steps += attempt.steps;
        state.spent.questions += attempt.questions;
        state.spent.rlimit += attempt.rlimit;
        state.spent.effort += attempt.effort;
        state.spent.flips += u64::from(attempt.questions > 0);
        state.spent.infeasible += u64::from(matches!(attempt.found, Found::Unsat));
        state.times.add(&attempt.times);
        state.spent.runs += u64::from(matches!(attempt.found, Found::Ran(_)));
        state.dearest = state.dearest.max(state.spent.work() - before);
        self.vm.ledger.merge(&attempt.ledger);
        state.crew.teach(std::mem::take(&mut attempt.news));
    }

    /// The run of an attempt in this machine's terms. Where it met code that this machine has never seen it is
    /// run again here.
    fn localise(
        &mut self,
        state: &mut State<L, T>,
        worker: usize,
        mut run: Run<T::Observation>,
    ) -> Run<T::Observation> {
        if state.crew.localise(self.vm, worker, &mut run).is_some() {
            return run;
        }
        let ledger = self.vm.ledger.clone();
        let model = self.vm.pool.import_assignment(&run.pool, &run.model);
        let here = crate::worker::run(self.vm, self.target, model);
        self.vm.ledger = ledger;
        here
    }

    fn conclude_first(&mut self, state: &mut State<L, T>, mut attempt: Attempt<T::Observation>) {
        self.count(state, &mut attempt);
        match attempt.found {
            Found::Ran(run) => {
                let run = self.localise(state, attempt.worker, *run);
                self.merge(state, run, None);
            }
            Found::Failed(why) => self.note_failure(why),
            Found::Unsat | Found::Unknown(_) => {}
        }
    }

    /// The solver does not help: mutation may.
    fn stuck(&mut self, state: &mut State<L, T>, candidate: &Candidate) {
        if let Some(run) = state.finished.get(candidate.run.0 as usize) {
            state.fuzz.add(&self.vm.pool, &state.tree, candidate.slot, &run.model);
        }
    }

    /// Mutated inputs for what the solver gave up, as long as anything is wanted.
    fn mutants(
        &mut self,
        state: &mut State<L, T>,
        flips: usize,
        stopped: Option<Stopped>,
    ) -> Vec<(Slot, Assignment)> {
        let wanted = state.wanted.iter().any(|wanted| *wanted);
        let go_on = matches!(stopped, None | Some(Stopped::Complete));
        if !wanted || !go_on || self.check_budget_always(state).is_err() {
            return Vec::new();
        }
        let flips = if flips == 0 { self.options.batch as usize } else { flips };
        let runs_left = self.options.max_paths.saturating_sub(state.spent.runs) as usize;
        let mut mutants = state.fuzz.round(&self.vm.pool, &state.tree, flips, stopped.is_some());
        mutants.truncate(runs_left.saturating_sub(if stopped.is_some() { 0 } else { flips }));
        mutants
    }

    fn conclude_mutant(&mut self, state: &mut State<L, T>, slot: Slot, mut attempt: Attempt<T::Observation>) {
        self.count(state, &mut attempt);
        state.spent.fuzzed += 1;
        match attempt.found {
            Found::Ran(run) => {
                let run = self.localise(state, attempt.worker, *run);
                let model = run.model.clone();
                let merged = self.merge(state, run, None);
                state.fuzz.feedback(&self.vm.pool, slot, &model, merged.new);
            }
            Found::Failed(why) => self.note_failure(why),
            Found::Unsat | Found::Unknown(_) => {}
        }
    }

    fn note_failure(&mut self, why: String) {
        let reason = format!("bug: the machine failed: {why}");
        self.vm.ledger.note(Kind::UnsupportedConstruct, "exploration", reason);
    }

    /// Puts the result of a candidate where it belongs; one that strayed is tried once more another way.
    fn conclude(
        &mut self,
        state: &mut State<L, T>,
        candidate: &Candidate,
        mut attempt: Attempt<T::Observation>,
    ) {
        state.fruitless += 1;
        self.count(state, &mut attempt);
        let tried = match attempt.found {
            Found::Ran(run) => {
                let run = self.localise(state, attempt.worker, *run);
                let other = self.other_inputs(candidate, state, &run.model);
                let mut merged = self.merge(state, run, Some(candidate.slot));
                if !merged.reached && state.tree.child(candidate.slot) == Child::Open {
                    let job = self.flip(state, candidate, Some(other));
                    let mut again = self.attempt(state, &job);
                    self.count(state, &mut again);
                    if let Found::Ran(run) = again.found {
                        let run = self.localise(state, again.worker, *run);
                        let again = self.merge(state, run, Some(candidate.slot));
                        merged = Merged { new: merged.new || again.new, reached: again.reached };
                    }
                    if !merged.reached && state.tree.child(candidate.slot) == Child::Open {
                        state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Diverged));
                        self.stuck(state, candidate);
                    }
                }
                match merged.reached {
                    true => Tried::Ran { new: merged.new },
                    false => Tried::GaveUp,
                }
            }
            Found::Failed(why) => {
                state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Failed));
                self.note_failure(why);
                Tried::GaveUp
            }
            Found::Unsat => {
                state.tree.set_child(candidate.slot, Child::Infeasible);
                (self.observer)(Event::Infeasible {
                    site: candidate.site,
                    alternative: candidate.alternative,
                });
                Tried::Infeasible
            }
            Found::Unknown(cause) => {
                state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Solver));
                self.stuck(state, candidate);
                let place = state.code.place(self.vm, candidate.site);
                self.vm.ledger.note(Kind::SolverUnknown, place, cause.clone());
                let (site, alternative) = (candidate.site, candidate.alternative);
                (self.observer)(Event::Unknown { site, alternative, cause });
                Tried::GaveUp
            }
        };
        // Another object or index is never seen as such: each run says which one it picked.
        if !matches!(tried, Tried::Ran { .. }) || matches!(candidate.kind, ElemKind::Which | ElemKind::Fresh)
        {
            state.checks.refused(candidate.site, candidate.alternative);
        }
        self.strategy.feedback(candidate, tried);
    }

    /// "Not these values for what the candidate's condition is about."
    fn other_inputs(&mut self, candidate: &Candidate, state: &State<L, T>, model: &Assignment) -> TermId {
        let pool = &mut self.vm.pool;
        let Some(node) = candidate.slot.node() else { return pool.bool(false) };
        let condition = state.tree.condition(node, candidate.alternative);
        let mut others = Vec::new();
        for var in pool.vars(condition).iter() {
            let sort = pool.var_sort(*var);
            if sort.is_array() {
                continue;
            }
            let value = pool.constant(sort, model.bits(*var));
            let term = pool.var_term(*var);
            others.push(pool.ne(term, value));
        }
        pool.any(&others)
    }

    /// Puts a run into the tree, the account and the list.
    fn merge(&mut self, state: &mut State<L, T>, run: Run<T::Observation>, target: Option<Slot>) -> Merged {
        let id = RunId(state.finished.len() as u32);
        if self.options.audit {
            self.audit(&run);
        }
        let inserted = state.tree.insert(&mut self.vm.pool, &run.trace, &run.model, id, target);
        self.note_stray(state, id, target, &inserted);
        self.note_stop(&run);
        let mut new = Vec::new();
        let mut meets = Vec::new();
        if run.end.is_behaviour() {
            meets = self.goal.met_by(&run.trace);
            for obligation in &meets {
                if let Some(covered @ None) = state.covered.get_mut(*obligation as usize) {
                    *covered = Some(id);
                    new.push(*obligation);
                }
            }
            let asked = |e: &&vm::Elem| {
                matches!(e.kind, ElemKind::Check(_)) || e.kind == ElemKind::Branch && e.site.is_outside()
            };
            for elem in run.trace.elems.iter().filter(asked) {
                state.checks.saw(elem.site, elem.choice);
            }
        }
        state.returned |= run.end == End::Returned;
        if let End::Threw { class, site, .. } = &run.end
            && self.target.is_bug(self.vm, &run.end)
        {
            state.bugs.insert((*class, *site));
        }
        if !new.is_empty() {
            state.fruitless = 0;
            let met: Vec<bool> = state.covered.iter().map(Option::is_some).collect();
            state.wanted = self.goal.wants(&met);
            self.measure(state, Some(&new));
        }
        let (path, condition) = taken(&run.trace);
        state.steps_kept += path.len() as u64;
        let mut edges: Vec<Edge> = run.trace.edges.iter().copied().collect();
        edges.sort_unstable();
        let mut blocks: Vec<_> = run.trace.blocks.iter().copied().collect();
        blocks.sort_unstable();
        (self.observer)(Event::Ran {
            run: id,
            end: run.end.clone(),
            new: new.clone(),
            met: state.covered.iter().flatten().count(),
            obligations: state.covered.len(),
            spent: state.spent,
            open: state.tree.open(),
        });
        state.gains.push(new.len() as u32);
        for elem in &run.trace.elems {
            *state.taken.entry((elem.site, elem.choice)).or_insert(0) += 1;
        }
        let merged = Merged { new: !new.is_empty(), reached: inserted.reached };
        state.finished.push(Finished {
            id,
            model: run.model,
            outcome: run.outcome,
            end: run.end,
            observation: run.observation,
            path,
            condition,
            edges,
            blocks,
            meets,
            new,
            steps: run.steps,
        });
        self.note_near(state, merged.new);
        if self.goal.walks() {
            self.aim(state, &run.trace, &inserted.new);
        }
        for node in inserted.new {
            self.open(state, node);
        }
        for (elem, wanted) in run.trace.demands {
            let Some(node) = inserted.nodes.get(elem as usize) else { continue };
            let slot = state.tree.first_decided(&self.vm.pool, *node);
            if state.asked.len() < MAX_DEMANDS && state.asked.insert((slot, wanted)) {
                state.demands.push_back((slot, wanted));
            }
        }
        merged
    }

    /// Marks the last run if it came to a branch that is still wanted; all runs if what is wanted changed.
    fn note_near(&self, state: &mut State<L, T>, changed: bool) {
        let is_unmet = |o: &ObligationId| state.wanted.get(*o as usize).copied().unwrap_or(false);
        let wanted: BTreeSet<_> =
            self.goal.edges().iter().filter(|(_, o)| is_unmet(o)).map(|(e, _)| (e.func, e.index)).collect();
        let from = if changed { 0 } else { state.near.len() };
        state.near.truncate(from);
        for run in &state.finished[from..] {
            state.near.push(run.edges.iter().any(|e| wanted.contains(&(e.func, e.index))));
        }
    }

    /// Asks what other ways of a run's new decisions would have come near to.
    fn aim(&mut self, state: &mut State<L, T>, trace: &Trace, new: &[NodeId]) {
        let first = trace.elems.len().saturating_sub(new.len());
        let (mut slots, mut flips) = (Vec::new(), Vec::new());
        for (i, id) in new.iter().enumerate() {
            let node = *state.tree.node(*id);
            for alternative in 0..node.alternatives {
                let slot = Slot::of(*id, alternative);
                if node.kind != ElemKind::Branch || state.tree.child(slot) != Child::Unexplored {
                    continue;
                }
                let leads = state.code.leads(self.vm, node.site, node.kind, alternative);
                if let Some(edge) = leads.edge.filter(|_| leads.tracked) {
                    slots.push(slot);
                    flips.push(Flip { elem: (first + i) as u32, edge });
                }
            }
        }
        let wanted = |o: ObligationId| state.wanted.get(o as usize).copied().unwrap_or(false);
        let aims = self.goal.aims(trace, &flips, &wanted);
        state.aims = slots.into_iter().zip(aims).collect();
    }

    /// Looks at the alternatives of a new node: those that may be tried become candidates.
    fn open(&mut self, state: &mut State<L, T>, id: NodeId) {
        let node = *state.tree.node(id);
        for alternative in 0..node.alternatives {
            let slot = Slot::of(id, alternative);
            if state.tree.child(slot) != Child::Unexplored {
                continue;
            }
            if node.kind == ElemKind::Fresh {
                // Until a run asks for it.
                continue;
            }
            let child = if self.vm.pool.as_bool(state.tree.condition(id, alternative)) == Some(false) {
                Child::Infeasible
            } else {
                match node.kind {
                    ElemKind::Assume if alternative == 0 => Child::Open,
                    ElemKind::Assume => Child::Excluded,
                    ElemKind::Which if node.chain >= self.options.which_bound => {
                        let place = state.code.place(self.vm, node.site);
                        let reason = format!("after {} values of an index or reference", node.chain + 1);
                        self.vm.ledger.note(Kind::Concretised, place, reason);
                        Child::GaveUp(GaveUp::Bound)
                    }
                    _ if node.depth >= self.options.max_depth => {
                        let place = state.code.place(self.vm, node.site);
                        let reason = format!("below {} decisions", self.options.max_depth);
                        self.vm.ledger.note(Kind::LoopBound, place, reason);
                        Child::GaveUp(GaveUp::Bound)
                    }
                    ElemKind::Branch | ElemKind::Check(_) if node.visit >= self.options.loop_bound => {
                        let place = state.code.place(self.vm, node.site);
                        let reason = format!("after {} times", self.options.loop_bound);
                        self.vm.ledger.note(Kind::LoopBound, place, reason);
                        Child::GaveUp(GaveUp::Bound)
                    }
                    ElemKind::Branch
                    | ElemKind::Check(_)
                    | ElemKind::Which
                    | ElemKind::Prefer
                    | ElemKind::Fresh => Child::Open,
                }
            };
            state.tree.set_child(slot, child);
            if child == Child::Open {
                self.add_candidate(state, slot, &node);
            }
        }
    }

    /// Tries what runs asked for: another object or type for an input than they got. Each question is asked once,
    /// where the input is decided on: decisions further down belong to what it was.
    fn serve(&mut self, state: &mut State<L, T>) {
        while !state.demands.is_empty() {
            if self.check_budget(state).is_err() && state.tree.open() > 0 {
                return;
            }
            let count = self.round_size(state).min(state.demands.len());
            let demands: Vec<(Slot, TermId)> = state.demands.drain(..count).collect();
            let jobs: Vec<Job> = demands
                .into_iter()
                .map(|(slot, wanted)| {
                    let mut assertions = state.tree.path_condition(slot);
                    assertions.push(wanted);
                    Job::Flip { assertions, hint: None }
                })
                .collect();
            for mut attempt in self.round(state, None, &jobs, self.cut).into_iter().flatten() {
                self.count(state, &mut attempt);
                match attempt.found {
                    Found::Ran(run) => {
                        let run = self.localise(state, attempt.worker, *run);
                        self.merge(state, run, None);
                    }
                    Found::Unsat => {}
                    Found::Unknown(cause) => self.vm.ledger.note(Kind::SolverUnknown, "inputs", cause),
                    Found::Failed(why) => self.note_failure(why),
                }
            }
        }
    }

    fn add_candidate(&mut self, state: &mut State<L, T>, slot: Slot, node: &Node) {
        let mut aims = [None; AIMS];
        let found = state.aims.remove(&slot).unwrap_or_default();
        aims.iter_mut().zip(found).for_each(|(aim, found)| *aim = Some(found));
        let leads = state.code.leads(self.vm, node.site, node.kind, slot.alternative);
        self.strategy.add(Candidate {
            slot,
            site: node.site,
            kind: node.kind,
            alternative: slot.alternative,
            depth: node.depth,
            visit: node.visit,
            unwished: node.unwished || node.kind == ElemKind::Prefer,
            run: node.run,
            order: state.orders,
            leads,
            aims,
        });
        state.orders += 1;
    }

    /// Measures functions again whose obligations changed; all of them at the start.
    fn measure(&mut self, state: &mut State<L, T>, changed: Option<&[ObligationId]>) {
        let edges = self.goal.edges();
        let mut funcs: Vec<_> = edges
            .iter()
            .filter(|(_, o)| changed.is_none_or(|changed| changed.contains(o)))
            .map(|(e, _)| e.func)
            .collect();
        funcs.sort_unstable();
        funcs.dedup();
        for func in funcs {
            let wanted: Vec<Edge> = edges
                .iter()
                .filter(|(e, o)| e.func == func && state.wanted.get(*o as usize).copied().unwrap_or(false))
                .map(|(e, _)| *e)
                .collect();
            state.code.measure(self.vm, func, &wanted);
        }
    }

    fn note_stray(&mut self, state: &mut State<L, T>, run: RunId, target: Option<Slot>, inserted: &Inserted) {
        let node = match (inserted.strayed, inserted.reached) {
            (Some(node), _) => Some(node),
            (None, false) => target.and_then(Slot::node),
            (None, true) => None,
        };
        if let Some(node) = node {
            let site = state.tree.node(node).site;
            state.diverged += 1;
            let place = state.code.place(self.vm, site);
            self.vm.ledger.note(Kind::Diverged, place, "decided otherwise than predicted");
            (self.observer)(Event::Diverged { run, site });
        }
    }

    /// A run that did not end by itself is in the ledger.
    fn note_stop(&mut self, run: &Run<T::Observation>) {
        let Outcome::Stopped(stop) = &run.outcome else { return };
        let (kind, reason) = match stop {
            Stop::Steps => (Kind::StepLimit, format!("{} steps", self.vm.limits.steps)),
            Stop::Memory => (Kind::MemoryLimit, "heap".to_string()),
            Stop::Decisions => (Kind::LoopBound, format!("{} decisions", self.vm.limits.decisions)),
            Stop::Unsupported { what: "native", which } => (Kind::UnsupportedNative, which.clone()),
            Stop::Unsupported { what, which } => (Kind::UnsupportedConstruct, format!("{what} {which}")),
            Stop::Deadlock => (Kind::Deadlock, "every thread waits".to_string()),
            Stop::Interrupted => (Kind::BudgetSpent, "interrupted".to_string()),
            // What the program or the user asked for.
            Stop::Exit(_) | Stop::Assumption => return,
        };
        self.vm.ledger.note(kind, run.stopped_at.clone(), reason);
    }

    /// The path condition of a run holds of its own inputs, or the machine's symbolic side is wrong.
    fn audit(&mut self, run: &Run<T::Observation>) {
        for elem in &run.trace.elems {
            let term = run.trace.taken(elem);
            if run.model.eval(&self.vm.pool, term) == 0 {
                let text = self.vm.pool.display(term).to_string();
                self.vm.ledger.note(Kind::Diverged, format!("{:?}", elem.site), format!("bug: not {text}"));
            }
        }
    }

    fn finish(self, state: State<L, T>, stopped: Stopped) -> Exploration<T::Observation> {
        let open = state.tree.open();
        let reason = format!("{open} alternatives left");
        let kind = match stopped {
            Stopped::Complete => None,
            Stopped::Met | Stopped::NothingNew => Some(Kind::NotSplit),
            Stopped::Paths | Stopped::Bugs => Some(Kind::PathLimit),
            Stopped::Memory => Some(Kind::MemoryLimit),
            Stopped::Work | Stopped::Cut | Stopped::Interrupted => Some(Kind::BudgetSpent),
        };
        if let Some(kind) = kind
            && open > 0
        {
            self.vm.ledger.note(kind, "exploration", reason);
        }
        let ledger = self.vm.ledger.clone();
        let solver = state.crew.stats();
        Exploration {
            solver,
            times: state.times,
            verdicts: verdicts(&state.covered, &state.tree, &ledger, stopped),
            exhaustive: state.tree.is_closed() && ledger.allows_exhaustive(),
            finished: state.finished,
            ledger,
            tree: state.tree,
            stopped,
            spent: state.spent,
            diverged: state.diverged,
        }
    }
}

/// The budget may be passed by this part of it.
const SLACK: u64 = 20;
/// A run may always take so many steps.
const MIN_STEPS: u64 = 10_000;

struct Merged {
    new: bool,
    reached: bool,
}
