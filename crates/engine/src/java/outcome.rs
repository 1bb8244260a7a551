//! What was found out about a class and its methods.

use std::collections::{BTreeMap, BTreeSet};

use coverage::Obligation;
use coverage::decision::Decision;
use explore::{Exploration, Spent, Stopped};
use ir::FuncId;
use jvm::world::Jvm;
use ledger::Ledger;
use suite::case::TestCase;

use super::subject::Stage;
use super::suspect::Suspect;
use crate::seen::AllSeen;

/// What became of an obligation of the class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// By a test; its index among the proposed ones once they are chosen.
    Covered,
    Infeasible(String),
    Open(String),
}

/// A test before it is emitted.
pub struct Proposed {
    pub case: TestCase,
    /// Index of the method it belongs to.
    pub method: usize,
    /// Names and values of its input variables, for replay.
    pub inputs: BTreeMap<String, u128>,
    /// Obligations it meets, as keys of [`ClassResult::obligations`]; of what two tests show together, those it shows
    /// one half of.
    pub meets: Vec<Key>,
    /// Obligations it meets in code that its method was not known to run (what a queue calls to compare, an object that others made).
    pub besides: Vec<Key>,
    /// Which half of those it shows, where there are two.
    pub halves: Vec<(Key, usize)>,
    /// Paths that nothing takes straight, but this with side trips.
    pub side_trips: Vec<Key>,
    /// It may show a bug.
    pub suspicious: Option<Suspect>,
    /// What it executes.
    pub seen: AllSeen,
    /// It tried to change files or to connect, which the VM refuses and a JVM that is not isolated might do.
    pub reaches_out: bool,
    /// No parameter refuses null.
    pub takes_null: bool,
}

/// An obligation of a class: the function and its number there.
pub type Key = (String, u32);

/// What was found out about one method.
pub struct MethodResult {
    /// Internal name of the class that declares it: the class under test, one nested in it, or a type by which objects
    /// of a nested class are used.
    pub class: String,
    pub name: String,
    pub descriptor: String,
    pub paths: u64,
    /// How its paths ended, counted.
    pub outcomes: BTreeMap<String, u64>,
    pub ledger: Ledger,
    pub stopped: Vec<Stopped>,
    pub exhaustive: bool,
    pub spent: Spent,
    pub times: explore::Times,
    /// Runs until the first that ended in an exception.
    pub runs_to_failure: Option<u64>,
    pub diverged: u64,
    pub millis: u64,
    /// Runs that could not become tests, and why.
    pub untestable: Vec<String>,
    /// What only such runs reached, and why they could not.
    pub lost: BTreeMap<Key, String>,
}

impl MethodResult {
    /// Nothing yet.
    pub(super) fn new(jvm: &Jvm, func: FuncId) -> MethodResult {
        let f = &jvm.funcs[func];
        MethodResult {
            class: jvm.classes[f.class].name.to_string(),
            name: f.name.to_string(),
            descriptor: f.descriptor.to_string(),
            paths: 0,
            outcomes: BTreeMap::new(),
            ledger: Ledger::default(),
            stopped: Vec::new(),
            exhaustive: true,
            spent: Spent::default(),
            times: explore::Times::default(),
            runs_to_failure: None,
            diverged: 0,
            millis: 0,
            untestable: Vec::new(),
            lost: BTreeMap::new(),
        }
    }
}

/// What was found out about a class.
pub struct ClassResult {
    /// Internal name.
    pub class: String,
    pub methods: Vec<MethodResult>,
    pub tests: Vec<Proposed>,
    pub obligations: BTreeMap<Key, (Obligation, Fate)>,
    /// Those that are infeasible by the code alone, whatever calls came before.
    pub proved: BTreeSet<Key>,
    /// Those that cannot be met by what the user says of the method's arguments, whatever the object it is called on.
    pub by_word: BTreeSet<Key>,
    /// Those of which that was tried to be shown.
    pub(super) tried: BTreeSet<Key>,
    /// Functions that owe more than the limit lets be listed.
    pub cut: BTreeSet<String>,
    /// Decisions of the functions that were looked at.
    pub decisions: BTreeMap<String, Vec<Decision>>,
    /// Lines of the class that have code.
    pub lines: BTreeSet<u32>,
    /// The name of the source file, where the class file tells it.
    pub source: Option<String>,
    /// Classes that its code names and that are not on the class path, by their internal names.
    pub missing: BTreeSet<String>,
    pub solver: solver::Stats,
}

impl ClassResult {
    /// Enters what tests meet in code that their methods were not known to run, as far as somebody owes it.
    pub(super) fn credit(&mut self) {
        for test in &mut self.tests {
            for key in &test.besides {
                let Some((_, fate)) = self.obligations.get_mut(key) else { continue };
                if !test.meets.contains(key) {
                    test.meets.push(key.clone());
                }
                *fate = Fate::Covered;
            }
        }
    }

    pub(super) fn new(class: &str) -> ClassResult {
        ClassResult {
            class: class.to_string(),
            methods: Vec::new(),
            tests: Vec::new(),
            obligations: BTreeMap::new(),
            proved: BTreeSet::new(),
            by_word: BTreeSet::new(),
            tried: BTreeSet::new(),
            cut: BTreeSet::new(),
            decisions: BTreeMap::new(),
            lines: BTreeSet::new(),
            source: None,
            missing: BTreeSet::new(),
            solver: solver::Stats::default(),
        }
    }

    pub fn ledger(&self) -> Ledger {
        let mut all = Ledger::default();
        self.methods.iter().for_each(|m| all.merge(&m.ledger));
        all
    }

    pub fn counts(&self) -> coverage::Counts {
        let mut counts = coverage::Counts::default();
        for (_, fate) in self.obligations.values() {
            match fate {
                Fate::Covered => counts.covered += 1,
                Fate::Infeasible(_) => counts.infeasible += 1,
                Fate::Open(_) => counts.open += 1,
            }
        }
        counts
    }
}

/// The key of an obligation.
pub(super) fn key(obligation: &Obligation) -> Key {
    (obligation.function.clone(), obligation.id.0)
}

pub(super) fn record(found: &mut MethodResult, exploration: &Exploration<Stage>, jvm: &Jvm) {
    found.paths += exploration.spent.runs;
    found.exhaustive &= exploration.exhaustive;
    found.stopped.push(exploration.stopped);
    found.diverged += exploration.diverged;
    if found.runs_to_failure.is_none() {
        let failed = |run: &explore::Finished<_>| matches!(run.end, explore::End::Threw { .. });
        let before = found.spent.runs;
        found.runs_to_failure = exploration.finished.iter().position(failed).map(|at| before + at as u64 + 1);
    }
    found.spent.add(&exploration.spent);
    found.times.add(&exploration.times);
    found.ledger.merge(&exploration.ledger);
    for run in &exploration.finished {
        let outcome = match &run.end {
            explore::End::Returned => "returns".to_string(),
            explore::End::Threw { class, .. } => format!("throws {}", jvm.classes[*class].java_name()),
            explore::End::Stopped(stop) => format!("stopped: {stop:?}"),
        };
        *found.outcomes.entry(outcome).or_insert(0) += 1;
    }
}
