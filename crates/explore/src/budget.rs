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
    /// A site that decided so often in one run is not flipped any further.
    pub loop_bound: u32,
    /// So many values of one symbolic index or reference are tried, one after the other.
    pub which_bound: u32,
    /// Without `exhaustive`: flips tried without anything new before the rest is left.
    pub patience: u32,
    /// Flips of one check that were refused before it is left.
    pub check_tries: u32,
    /// Flips chosen before the next look at the results. Fixed, whatever the number of workers.
    pub batch: u32,
    /// What one question may cost.
    pub solver: Limits,
    /// Check after each run that its path condition holds of its own inputs. For tests.
    pub audit: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            exhaustive: false,
            max_paths: 10_000,
            work: 60_000_000,
            loop_bound: 40,
            which_bound: 64,
            patience: 1500,
            check_tries: 8,
            batch: 4,
            solver: Limits::default(),
            audit: false,
        }
    }
}

impl Options {
    /// Everything, as far as paths and work allow.
    pub fn exhaustive() -> Options {
        Options { exhaustive: true, loop_bound: 4_000, which_bound: 4_000, ..Options::default() }
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
    pub runs: u64,
}

/// IR instructions in a work unit.
const STEPS_A_UNIT: u64 = 30;
/// Z3's resource units in a work unit.
const RLIMIT_A_UNIT: u64 = 3;
/// What a question costs besides, and a run.
const UNITS_A_QUESTION: u64 = 10;
const UNITS_A_RUN: u64 = 10;

impl Spent {
    /// One figure for all of it. Ratios are measured on one machine and then fixed: they need to be about
    /// right, not exact.
    pub fn work(&self) -> u64 {
        self.steps / STEPS_A_UNIT
            + self.rlimit / RLIMIT_A_UNIT
            + self.questions * UNITS_A_QUESTION
            + self.runs * UNITS_A_RUN
    }
}
