//! Last resorts for obligations that nothing else met: null where it is declared to be refused, and states beyond what
//! calls were found to make, by fields that are set directly.
//!
//! Such a state may be impossible, so nobody gets a test of it who did not ask for that (`--construct any`). Everybody
//! is told that only such states lead there.

use std::collections::BTreeSet;
use std::time::Instant;

use suite::case::{Step, TestCase};

use super::entries::Entry;
use super::explore::ClassExplorer;
use super::outcome::{ClassResult, Fate, Key, MethodResult, Proposed, key, record};
use super::reach::State;
use super::turns::{self, Turn, Turns};
use crate::config::{Config, Construct};

/// Of what all methods may use, this part is for such states: where tests are wanted, and where only to tell.
const SHARE: u64 = 4;
const SHARE_TO_TELL: u64 = 40;

/// What is said of an obligation that no other state meets.
const ONLY_BEYOND: &str = "met only by objects whose fields are set directly: no calls were found that make them so (--construct any writes the test)";

/// What is tried when nothing else is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resort {
    /// Null for parameters that are declared not to take it.
    Null,
    /// Fields set directly.
    Fields,
}

/// Whether a case sets fields that a test may not name.
pub fn is_beyond(case: &TestCase) -> bool {
    case.arrange.iter().any(|step| matches!(step, Step::Set { reflective: true, .. }))
}

/// The work of a class that is kept for what no call was found to reach. Where it is only told of, what is left will do, or
/// the little that a budget may be passed by.
pub fn reserve(config: &Config) -> u64 {
    match config.construct {
        Construct::Api => 0,
        Construct::Any => config.budget.work / SHARE,
    }
}

impl ClassExplorer<'_> {
    /// When the search by calls alone has to end.
    pub(super) fn deadline_of_calls(&self) -> Option<Instant> {
        let end = self.deadline?;
        let left = end.saturating_duration_since(Instant::now());
        Some(match self.config.construct {
            Construct::Api => end - left / (2 * SHARE) as u32,
            Construct::Any => end - left / SHARE as u32,
        })
    }

    /// Looks for what was not met where it takes null that is declared to be refused, then where it takes states that
    /// no call makes.
    pub(super) fn beyond(&mut self, entries: &[Entry], turns: &Turns<'_>, result: &mut ClassResult) {
        let work = self.config.budget.work;
        let work = work.saturating_sub(turns.spent()).max(work / SHARE_TO_TELL);
        let left = self.last_resort(Resort::Null, entries, (turns.wanted(), work), result);
        self.last_resort(Resort::Fields, entries, (turns.wanted(), left), result);
    }

    /// What is left of the work behind it. `wanted`: what each method was to cover.
    fn last_resort(
        &mut self,
        resort: Resort,
        entries: &[Entry],
        (wanted, work): (&[BTreeSet<Key>], u64),
        result: &mut ClassResult,
    ) -> u64 {
        let share = match (resort, self.config.construct) {
            (Resort::Fields, Construct::Api) => SHARE_TO_TELL,
            _ => SHARE,
        };
        let is_open = |result: &ClassResult, key: &Key| match result.obligations.get(key) {
            Some((_, Fate::Open(_))) => true,
            Some((_, Fate::Infeasible(_))) => resort == Resort::Null && !result.proved.contains(key),
            _ => false,
        };
        let mut waiting: Vec<usize> =
            (0..wanted.len()).filter(|i| wanted[*i].iter().any(|key| is_open(result, key))).rev().collect();
        let all = (self.config.budget.work / share).min(work);
        let mut left = all;
        while let Some(index) = waiting.pop() {
            let open: BTreeSet<Key> =
                wanted[index].iter().filter(|key| is_open(result, key)).cloned().collect();
            let now = Instant::now();
            let time = self.deadline.map(|end| end.saturating_duration_since(now));
            if open.is_empty() {
                continue;
            }
            if left == 0 || time.is_some_and(|time| time.is_zero()) {
                break;
            }
            let others = waiting.len() as u64 + 1;
            let turn = Turn {
                index,
                work: left / others,
                spare: 0,
                deadline: time.map(|time| now + time / others as u32),
                question: turns::LEAST_RLIMIT as u32,
                patience: turns::SHORT_PATIENCE,
                paths: self.config.budget.max_paths,
                whole: self.config.exhaustive,
            };
            left = left.saturating_sub(self.resort_of(resort, &entries[index], &turn, &open, result));
        }
        work - (all - left)
    }

    /// One method; the work it took.
    fn resort_of(
        &mut self,
        resort: Resort,
        entry: &Entry,
        turn: &Turn,
        open: &BTreeSet<Key>,
        result: &mut ClassResult,
    ) -> u64 {
        let Some(mut subject) = entry.subject(self.vm) else { return 0 };
        match resort {
            Resort::Null if subject.conditions.refuse_null.is_empty() => return 0,
            Resort::Null => subject.conditions.refuse_null.clear(),
            Resort::Fields => {
                jvm::input::allow_raw(self.vm);
                if let Some(other) = self.other.as_deref_mut() {
                    // Its recipes are found when the subject is made there.
                    let twin = super::propose::counterpart(&self.vm.lang, other, entry, &self.twins);
                    twin.iter().for_each(|_| jvm::input::allow_raw(other));
                }
            }
        }
        let mut goal = self.goal(&subject);
        goal.narrow(|obligation| open.contains(&key(obligation)));
        let name = self.vm.lang.funcs[entry.func].name.to_string();
        let mut found = MethodResult::new(&self.vm.lang, entry.func);
        let exploration = self.session(&mut subject, &goal, turn, &name, &mut result.solver);
        record(&mut found, &exploration, &self.vm.lang);
        let interrupt = std::mem::take(&mut self.vm.interrupt);
        let (finished, ledger) = (exploration.finished, exploration.ledger);
        let place = (entry, turn.index);
        let mut tests = self.propose(place, &mut subject, &goal, (finished, &ledger), &mut found);
        let states: Vec<State> = tests.iter().filter_map(|test| self.state(&mut subject, test)).collect();
        jvm::input::forbid_raw(self.vm);
        self.other.iter_mut().for_each(|other| jvm::input::forbid_raw(other));
        // A state that is known may be one that calls lead to after all.
        let reached: Vec<_> =
            states.into_iter().filter_map(|state| self.reach(&mut subject, &goal, open, state)).collect();
        if !reached.is_empty() {
            let better = self.propose(place, &mut subject, &goal, (reached, &ledger), &mut found);
            tests.splice(0..0, better);
        }
        self.vm.interrupt = interrupt;
        let work = found.spent.work();
        if let Some(known) = result.methods.get_mut(turn.index) {
            known.spent.add(&found.spent);
            known.times.add(&found.times);
        }
        self.enter(tests, open, result);
        work
    }

    /// Keeps the tests that are wanted, and says what the others would have shown.
    pub(super) fn enter(&self, tests: Vec<Proposed>, open: &BTreeSet<Key>, result: &mut ClassResult) {
        let keeps = |test: &Proposed| !is_beyond(&test.case) || self.config.construct == Construct::Any;
        let (kept, told): (Vec<Proposed>, Vec<Proposed>) = tests.into_iter().partition(keeps);
        let halves: BTreeSet<(Key, usize)> =
            result.tests.iter().chain(&kept).flat_map(|test| test.halves.iter().cloned()).collect();
        for test in kept {
            let mut new = false;
            let unmet = |key: &&Key| {
                let fate = result.obligations.get(*key).map(|(_, fate)| fate);
                open.contains(*key) && fate.is_some_and(|fate| *fate != Fate::Covered)
            };
            for key in test.meets.iter().filter(unmet).cloned().collect::<Vec<_>>() {
                let key = &key;
                let in_halves = test.halves.iter().any(|(of, _)| of == key);
                let whole = !in_halves || [0, 1].iter().all(|half| halves.contains(&(key.clone(), *half)));
                if let Some((_, fate)) = result.obligations.get_mut(key).filter(|_| whole) {
                    *fate = Fate::Covered;
                }
                new = true;
            }
            if new {
                result.tests.push(test);
            }
        }
        for key in told.iter().flat_map(|test| &test.meets) {
            if let Some((_, fate @ Fate::Open(_))) = result.obligations.get_mut(key) {
                *fate = Fate::Open(ONLY_BEYOND.to_string());
            }
        }
    }
}
