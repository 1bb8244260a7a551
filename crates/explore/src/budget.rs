//! What an exploration may use, and how work is counted.

use solver::Limits;

/// How far to go. Everything here is counted, so the same options end the same way on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Explore every path; otherwise stop where branches lead nowhere new.
    pub exhaustive: bool,
    /// Runs.
    pub max_paths: u64,
    /// Work units, about a microsecond each (see [`Spent::work`]).
    pub work: u64,
    /// What the last attempts may take beyond it: somebody else's who can spare it.
    pub overdraft: u64,
    /// A site that decided so often in one run is not flipped any further.
    pub loop_bound: u32,
    /// So many values of one symbolic index or reference are tried, one after the other.
    pub which_bound: u32,
    /// Without `exhaustive`: flips tried without anything new before the rest is left.
    pub patience: u32,
    /// Flips of one check that were refused before it is left.
    pub check_tries: u32,
    /// Flips chosen before the next look at the results, whatever the number of workers: at least and at most. More
    /// are chosen where many are open.
    pub batch: u32,
    pub batch_most: u32,
    /// Bytes that terms, tree and runs may take, about.
    pub memory: u64,
    /// Stop when so many different bugs were met.
    pub max_bugs: Option<u32>,
    /// Alternatives below so many decisions are not tried.
    pub max_depth: u32,
    /// So many alternatives of one function are tried at most.
    pub function_tries: u64,
    /// What one question may cost.
    pub solver: Limits,
    /// Of what is chosen by chance besides the strategy: mutations.
    pub seed: u64,
    /// Check after each run that its path condition holds of its own inputs. For tests.
    pub audit: bool,
    /// After so many runs alternatives are left out that lead on as explored ones do; never where `exhaustive` is set.
    pub join_after: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            exhaustive: false,
            max_paths: 10_000,
            work: 60_000_000,
            overdraft: 0,
            loop_bound: 40,
            which_bound: 64,
            patience: 1500,
            check_tries: 8,
            batch: 4,
            batch_most: 32,
            memory: u64::MAX,
            max_bugs: None,
            max_depth: u32::MAX,
            function_tries: u64::MAX,
            solver: Limits::default(),
            seed: 0,
            audit: false,
            join_after: 2048,
        }
    }
}

impl Options {
    /// Everything, as far as paths and work allow.
    pub fn exhaustive() -> Options {
        Options {
            exhaustive: true,
            loop_bound: 4_000,
            which_bound: 4_000,
            batch_most: 256,
            ..Options::default()
        }
    }
}

/// What was used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// IR instructions.
    pub steps: u64,
    /// Questions to the solver.
    pub questions: u64,
    /// Z3's resource units.
    pub rlimit: u64,
    /// Terms made and looked at besides, about ten nanoseconds each.
    pub effort: u64,
    pub runs: u64,
    /// Alternatives tried, and how many of them no inputs take.
    pub flips: u64,
    pub infeasible: u64,
    /// Runs on mutated inputs.
    pub fuzzed: u64,
}

/// Where time went, in nanoseconds of the clock that was handed in, all workers together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Choosing what to try.
    pub choosing: u64,
    /// Bringing terms from one pool to another.
    pub moving: u64,
    pub solving: u64,
    pub running: u64,
    /// Putting runs into the tree and the account.
    pub merging: u64,
    /// Making the workers' machines, before anything is tried.
    pub starting: u64,
    /// What of all this one has to wait for, if each worker has a processor of its own.
    pub waiting: u64,
    /// From the beginning to the end, on the wall; of who hands the clock in.
    pub elapsed: u64,
}

impl Times {
    pub fn add(&mut self, other: &Times) {
        self.choosing += other.choosing;
        self.moving += other.moving;
        self.solving += other.solving;
        self.running += other.running;
        self.merging += other.merging;
        self.starting += other.starting;
        self.waiting += other.waiting;
        self.elapsed += other.elapsed;
    }

    pub fn total(&self) -> u64 {
        self.choosing + self.moving + self.solving + self.running + self.merging + self.starting
    }
}

/// IR instructions in a work unit.
pub(crate) const STEPS_A_UNIT: u64 = 30;
/// Z3's resource units in a work unit.
pub(crate) const RLIMIT_A_UNIT: u64 = 3;
const EFFORT_A_UNIT: u64 = 100;
/// What a term costs that is made or moved, as [`Spent::effort`].
pub(crate) const EFFORT_A_TERM: u64 = 25;
/// What a question costs besides, and a run.
const UNITS_A_QUESTION: u64 = 10;
const UNITS_A_RUN: u64 = 10;

impl Spent {
    pub fn add(&mut self, other: &Spent) {
        self.steps += other.steps;
        self.questions += other.questions;
        self.rlimit += other.rlimit;
        self.effort += other.effort;
        self.runs += other.runs;
        self.flips += other.flips;
        self.infeasible += other.infeasible;
        self.fuzzed += other.fuzzed;
    }

    /// One figure for all of it. Ratios are measured on one machine and then fixed: they need to be about
    /// right, not exact.
    pub fn work(&self) -> u64 {
        self.steps / STEPS_A_UNIT
            + self.rlimit / RLIMIT_A_UNIT
            + self.effort / EFFORT_A_UNIT
            + self.questions * UNITS_A_QUESTION
            + self.runs * UNITS_A_RUN
    }
}
