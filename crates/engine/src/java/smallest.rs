//! The smallest suite of a short method. The search for what is not covered yet leaves out paths that add nothing by
//! themselves; one of them may show at once what takes two of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use explore::{Finished, Stopped, select};
use suite::case::{Outcome, Value};

use super::entries::Entry;
use super::explore::ClassExplorer;
use super::outcome::{ClassResult, Key, MethodResult, Proposed, key};
use super::turns::{self, Turn, Turns};
use crate::config::Suite;

/// Of fewer tests none is spared; more are not looked at.
const FEWEST_TESTS: usize = 3;
const MOST_TESTS: usize = 24;
/// What a method may take.
const PATHS: u64 = 100;
const WORK: u64 = 50_000;
/// All methods together may take this part of what the class took, and this in any case.
const SHARE: u64 = 16;
const LEAST: u64 = 100_000;

impl ClassExplorer<'_> {
    /// Explores methods whose tests may be too many once more, whole, and takes the tests of that if they are fewer.
    pub(super) fn smallest(&mut self, entries: &[Entry], turns: &Turns<'_>, result: &mut ClassResult) {
        let budget = &self.config.budget;
        let counted = budget.class_paths.is_some() || budget.max_paths.is_some_and(|paths| paths < PATHS);
        if self.config.suite != Suite::Smallest || self.config.exhaustive || counted {
            return;
        }
        let unused = budget.work.saturating_sub(turns.spent());
        let mut left = (turns.spent() / SHARE).max(LEAST).min(unused);
        for (index, entry) in entries.iter().enumerate().take(result.methods.len()) {
            let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || left == 0 || self.is_interrupted() {
                return;
            }
            // What is complete has been looked at whole, and what ran out of something is not short.
            if result.methods[index].stopped[..] != [Stopped::Met] || result.methods[index].paths > PATHS {
                continue;
            }
            let mine: Vec<&Proposed> = result.tests.iter().filter(|test| test.method == index).collect();
            let count = mine.len();
            // Tests with objects say more than what they cover: what becomes of those, what is asked of stand-ins.
            let is_plain = |test: &&Proposed| test.case.arrange.is_empty() && !test.case.outcome.is_endless();
            if !(FEWEST_TESTS..=MOST_TESTS).contains(&count) || !mine.iter().all(is_plain) {
                continue;
            }
            let shown = shown(mine.into_iter());
            let Some(mut subject) = entry.subject(self.vm) else { continue };
            let goal = self.goal(&subject);
            if count <= goal.fewest_runs(entry.func, |obligation| shown.met.contains(&key(obligation))) {
                continue;
            }
            let turn = Turn {
                index,
                work: WORK.min(left),
                paths: Some(PATHS),
                spare: 0,
                deadline: self.deadline,
                question: turns::LEAST_RLIMIT as u32,
                patience: turns::SHORT_PATIENCE,
                whole: true,
            };
            let name = result.methods[index].name.clone();
            let exploration = self.session(&mut subject, &goal, &turn, &name, &mut result.solver);
            left = left.saturating_sub(exploration.spent.work());
            result.methods[index].spent.add(&exploration.spent);
            result.methods[index].times.add(&exploration.times);
            let (mut finished, ledger) = (exploration.finished, exploration.ledger);
            let met: BTreeSet<u32> = finished.iter().flat_map(|run| run.meets.iter().copied()).collect();
            let needed = goal.needed(&met);
            finished.iter_mut().for_each(|run| run.meets.retain(|part| needed.contains(part)));
            leave_short(&mut finished);
            if select(&finished).len() >= count {
                continue;
            }
            let mut found = MethodResult::new(&self.vm.lang, entry.func);
            let tests = self.propose((entry, index), &mut subject, &goal, (finished, &ledger), &mut found);
            if tests.len() < count && self::shown(tests.iter()).has(&shown) {
                result.tests.retain(|test| test.method != index);
                result.tests.extend(tests);
            }
        }
    }
}

/// Leaves the runs that are not longer than what each obligation takes at least: a list of five that shows everything at
/// once says less to a reader than one of one and one of none.
fn leave_short<O>(finished: &mut Vec<Finished<O>>) {
    let mut shortest: BTreeMap<u32, usize> = BTreeMap::new();
    for run in finished.iter().filter(|run| run.end.is_behaviour()) {
        for part in &run.meets {
            let least = shortest.entry(*part).or_insert(usize::MAX);
            *least = (*least).min(run.path.len());
        }
    }
    let longest = shortest.into_values().max().unwrap_or(usize::MAX);
    finished.retain(|run| run.path.len() <= longest);
}

/// What tests are there for.
struct Shown {
    met: BTreeSet<Key>,
    halves: BTreeSet<(Key, usize)>,
    /// What is thrown, and whether yes, no, nothing or something is returned.
    ends: BTreeSet<String>,
}

impl Shown {
    fn has(&self, other: &Shown) -> bool {
        self.met.is_superset(&other.met)
            && self.halves.is_superset(&other.halves)
            && self.ends.is_superset(&other.ends)
    }
}

fn shown<'a>(tests: impl Iterator<Item = &'a Proposed>) -> Shown {
    let mut shown = Shown { met: BTreeSet::new(), halves: BTreeSet::new(), ends: BTreeSet::new() };
    for test in tests {
        shown.met.extend(test.meets.iter().cloned());
        shown.halves.extend(test.halves.iter().cloned());
        let bug = test.suspicious.as_ref().map(|suspicious| suspicious.what.clone());
        shown.ends.insert(bug.unwrap_or_else(|| match (&test.case.outcome, test.case.result()) {
            (Outcome::Throws { class, .. }, _) => class.internal_name(),
            (_, Some(value @ (Value::Null | Value::Bool(_)))) => format!("{value:?}"),
            _ => "something".to_string(),
        }));
    }
    shown
}
