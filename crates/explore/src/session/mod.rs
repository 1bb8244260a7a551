//! The exploration: a short loop over injected parts.

mod attempts;
mod choose;
mod conclude;
mod merge;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ledger::{Kind, Ledger};
use rustc_hash::FxHashMap;
use solver::Chain;
use term::{Assignment, Pool, TermId};
use vm::{Lang, Site, Vm};

use crate::books::Books;
use crate::breed::Nursery;
use crate::budget::{Options, Spent, Times};
use crate::code::Code;
use crate::crew::Crew;
use crate::finished::{End, Finished, RunId};
use crate::frontier::{Checks, Strategy};
use crate::fuzz::Fuzz;
use crate::goal::{Aim, Goal, ObligationId};
use crate::joined::Joined;
use crate::journal::Journal;
use crate::mutate::Words;
use crate::target::Target;
use crate::tree::{Slot, Tree};
use crate::verdict::{Verdict, verdicts};
use crate::worker::Job;

/// With everything met, so many flips are tried for a run that returns normally, and where some do, for runs that show what
/// only failures have shown.
const RETURN_TRIES: u32 = 100;
const SHOW_TRIES: u32 = 40;

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
    /// Asked between runs; a reason ends the exploration. The place for a clock and for what the process takes.
    pub cut: &'a (dyn Fn() -> Option<Stopped> + Sync),
    pub observer: &'a mut dyn FnMut(Event),
    /// Where an exploration that may have to be continued leaves its traces.
    pub journal: Option<&'a mut dyn Journal>,
    /// Inputs to run before any are looked for.
    pub seeds: Seeds,
    /// What inputs are made of that are found by chance.
    pub words: Words,
    /// Says which obligations cannot be met, given which are.
    pub doubts: Option<Doubts<'a>>,
    /// Nanoseconds since whenever, for [`Exploration::times`] only.
    pub clock: &'a (dyn Fn() -> u64 + Sync),
}

/// Example inputs, in terms of a pool of their own.
#[derive(Default)]
pub struct Seeds {
    pub pool: Pool,
    pub inputs: Vec<Assignment>,
}

/// From which obligations are met to those that cannot be.
pub type Doubts<'a> = &'a dyn Fn(&[bool]) -> Vec<ObligationId>;

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
    /// The time was over.
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
    books: Books,
    tree: Tree,
    code: Code,
    checks: Checks,
    covered: Vec<Option<RunId>>,
    /// Obligations that a run has met which returned, and those that no such run can meet.
    shown: Vec<bool>,
    /// Everything is met: what is left is to show it by runs that return.
    showing: bool,
    /// Obligations that are still worth meeting.
    wanted: Vec<bool>,
    /// What is known not to be met by anything.
    refuted: Vec<ObligationId>,
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
    demands: VecDeque<(Slot, TermId, RunId)>,
    asked: BTreeSet<(Slot, TermId)>,
    /// Flips tried since anything new came.
    fruitless: u32,
    /// Runs that decided nothing, were given more steps, and did not end.
    endless: u32,
    /// Alternatives that change nothing but what an exception's message says.
    moot: u64,
    /// Some run returned normally.
    returned: bool,
    left: u64,
    /// The most work that one attempt took so far.
    dearest: u64,
    times: Times,
    /// What of merging the workers waited for.
    merged_alone: u64,
    /// Bytes that the runs take, about, and what solvers remember of them.
    kept: u64,
    /// Different bugs met, by exception and place.
    bugs: BTreeSet<(ir::ClassId, Option<Site>)>,
    /// Alternatives beyond the bound of loops; none once it was raised.
    bounded: Option<Vec<Slot>>,
    /// Alternatives tried, by function.
    tries: FxHashMap<ir::FuncId, u64>,
    fuzz: Fuzz,
    nursery: Nursery,
    joined: Joined,
}

impl<L: Lang, T: Target<L>> State<L, T> {
    /// Whether a run met something that only failures have shown.
    fn fails_to_show(&self, run: &Finished<T::Observation>) -> bool {
        run.end != End::Returned && run.meets.iter().any(|o| !self.shown.get(*o as usize).unwrap_or(&true))
    }

    /// Whether something was met that only failures have shown.
    fn is_to_show(&self) -> bool {
        !self.returned
            || self.covered.iter().zip(&self.shown).any(|(covered, shown)| covered.is_some() && !shown)
    }

    /// What cannot be had is not wanted.
    fn leave_refuted(&mut self) {
        for obligation in &self.refuted {
            self.wanted[*obligation as usize] = false;
        }
    }
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
            let broods = if stopped.is_none() { self.broods(&mut state) } else { Vec::new() };
            self.attempt_all(&mut state, &round, &mutants, broods);
        };
        (self.observer)(Event::Stopped(stopped));
        self.vm.walking = false;
        self.vm.digesting = false;
        self.finish(state, stopped)
    }

    fn start(&mut self) -> State<L, T> {
        self.vm.start_exploration();
        self.vm.walking = self.goal.walks();
        let started = (self.clock)();
        let crew = Crew::new(self.jobs, self.vm, self.target, self.chain);
        let books = Books::new(crew.len());
        let times = Times { starting: (self.clock)().saturating_sub(started), ..Times::default() };
        let mut state = State {
            crew,
            books,
            tree: Tree::default(),
            code: Code::default(),
            checks: Checks::new(self.options.check_tries),
            covered: vec![None; self.goal.len()],
            shown: (0..self.goal.len() as ObligationId).map(|o| !self.goal.may_return(o)).collect(),
            showing: false,
            wanted: self.goal.wants(&vec![false; self.goal.len()]),
            refuted: Vec::new(),
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
            endless: 0,
            moot: 0,
            returned: false,
            left: 0,
            dearest: 0,
            times,
            merged_alone: 0,
            kept: 0,
            bugs: BTreeSet::new(),
            bounded: Some(Vec::new()),
            tries: FxHashMap::default(),
            fuzz: Fuzz::new(self.options.seed),
            nursery: Nursery::new(self.options.seed, std::mem::take(&mut self.words), self.goal),
            joined: Joined::default(),
        };
        state.code.connect(self.vm, self.goal);
        self.measure(&mut state);
        state
    }

    fn finish(self, mut state: State<L, T>, stopped: Stopped) -> Exploration<T::Observation> {
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
        if state.joined.count() > 0 {
            let reason = format!("{} alternatives", state.joined.count());
            self.vm.ledger.note(Kind::Joined, "exploration", reason);
        }
        if state.moot > 0 {
            let reason =
                format!("{} alternatives that change no more than an exception's message", state.moot);
            self.vm.ledger.note(Kind::Joined, "exploration", reason);
        }
        let ledger = self.vm.ledger.clone();
        let solver = state.crew.stats();
        let alone = state.times.starting + state.times.choosing + state.merged_alone;
        state.times.waiting = alone + state.crew.waiting;
        Exploration {
            solver,
            times: state.times,
            verdicts: verdicts(&state.covered, &state.tree, &ledger, stopped),
            exhaustive: state.tree.is_closed()
                && state.joined.count() + state.moot == 0
                && ledger.allows_exhaustive(),
            finished: state.finished,
            ledger,
            tree: state.tree,
            stopped,
            spent: state.spent,
            diverged: state.diverged,
        }
    }
}
