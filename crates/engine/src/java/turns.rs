//! Which method is explored when, and with what.
//!
//! Most methods of a class are done soon and a few want all there is. So each gets a short turn first; what is then left
//! is split over those that ran out of it, from the beginning and with more; what they leave, over those that had found
//! nothing new for a while.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use explore::Stopped;

use super::outcome::{ClassResult, Fate, Key, MethodResult, Proposed};
use crate::config::{Config, Suite};

/// One exploration of a method.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Which of the entries.
    pub index: usize,
    pub work: u64,
    pub paths: Option<u64>,
    /// Work that those who come later could lend.
    pub spare: u64,
    /// Where each path is told of, telling included.
    pub deadline: Option<Instant>,
    /// The solver's limit for one question.
    pub question: u32,
    /// Flips without anything new after which the rest is left.
    pub patience: u32,
    /// Every path counts, as far as paths and work go.
    pub whole: bool,
}

/// Flips without anything new before the next method has its turn, and before nothing is expected any more.
pub const SHORT_PATIENCE: u32 = 1500;
const LONG_PATIENCE: u32 = 10_000;

/// A method's first turn is this part of an even share.
const SHORT: u64 = 4;
/// A question may take this part of a short turn, or the hard ones would leave no time for the others; of a long one, that.
const QUESTIONS: u64 = 20;
const HARD_QUESTIONS: u64 = 2;
/// Of what others have, this part may be lent to those who have a short turn.
const WAITING: u64 = 8;
/// Z3's resource units in a work unit, and what is asked at least.
const RLIMIT_A_UNIT: u64 = 3;
pub const LEAST_RLIMIT: u64 = 150_000;

pub struct Turns<'a> {
    config: &'a Config,
    count: usize,
    /// The methods still to come in this round, the next one last.
    open: Vec<usize>,
    /// Those that ran out of their share.
    unfinished: Vec<usize>,
    /// Those that found nothing new for a while.
    stuck: Vec<usize>,
    /// What each was to cover.
    wanted: Vec<BTreeSet<Key>>,
    round: u32,
    /// Work and paths of all turns before.
    spent: u64,
    paths: u64,
}

impl<'a> Turns<'a> {
    pub fn new(count: usize, config: &'a Config) -> Turns<'a> {
        let open = (0..count).rev().collect();
        Turns {
            config,
            count,
            open,
            unfinished: Vec::new(),
            stuck: Vec::new(),
            wanted: Vec::new(),
            round: 0,
            spent: 0,
            paths: 0,
        }
    }

    /// Whether the next turn is the first of its method.
    pub fn is_first_round(&self) -> bool {
        self.round == 0 && !self.open.is_empty()
    }

    /// Whether each of several methods has had its first turn, and none another.
    pub fn is_first_round_over(&self) -> bool {
        self.round == 0 && self.open.is_empty() && self.count > 1
    }

    /// The next turn; none when everything is done or nothing is left.
    pub fn next(&mut self, result: &mut ClassResult, end: Option<Instant>) -> Option<Turn> {
        while self.open.is_empty() && self.round < 2 {
            self.round += 1;
            let is_open = |key: &Key| {
                result.obligations.get(key).is_some_and(|(_, fate)| matches!(fate, Fate::Open(_)))
            };
            let all = self.config.exhaustive || self.config.suite == Suite::Paths;
            let more = |i: &usize| all || self.wanted[*i].iter().any(is_open);
            let next = if self.round == 1 { &mut self.unfinished } else { &mut self.stuck };
            self.open = std::mem::take(next).into_iter().filter(more).rev().collect();
        }
        let index = self.open.pop()?;
        let waiting = self.open.len() as u64 + 1;
        // One method has nothing to gain by a short turn.
        let part = if self.round == 0 && self.count > 1 { SHORT } else { 1 };
        let kept = super::beyond::reserve(self.config);
        let left = self.config.budget.work.saturating_sub(self.spent + kept);
        let work = left / waiting / part;
        let now = Instant::now();
        let time = end.map(|end| end.saturating_duration_since(now) / (waiting * part) as u32);
        // One that had all of it comes again only if it left most of it.
        let whole = self.config.budget.time.unwrap_or_default();
        let little = if self.count == 1 { whole / 2 } else { Duration::from_millis(20) };
        if self.round > 0 && (work == 0 || time.is_some_and(|time| time < little)) {
            self.open.clear();
            return None;
        }
        if self.round > 0 {
            self.ask_again(index, result);
        }
        Some(Turn {
            index,
            work,
            paths: self.paths(waiting),
            // Nobody has tried yet what those who come later need it for.
            spare: (left - work) / if part > 1 { WAITING } else { 1 },
            deadline: time.map(|time| now + time),
            question: self.question(work, part),
            // While others wait who ran out of work, nobody goes on for nothing.
            patience: if self.round > 1 || self.count == 1 { LONG_PATIENCE } else { SHORT_PATIENCE },
            whole: self.config.exhaustive,
        })
    }

    /// Paths of a turn, with so many methods waiting.
    fn paths(&self, waiting: u64) -> Option<u64> {
        let of_class = self.config.budget.class_paths.map(|most| most.saturating_sub(self.paths) / waiting);
        [self.config.budget.max_paths, of_class].into_iter().flatten().min()
    }

    /// What a question may take in a turn of so much work, which is so small a part of an even share. Not by the clock, or
    /// tests would depend on it even where it cuts nothing.
    fn question(&self, work: u64, part: u64) -> u32 {
        let shares = (self.count as u64 * part).max(1);
        let even = self.config.budget.time.map_or(u64::MAX, |time| time.as_micros() as u64 / shares);
        let questions = if part > 1 { QUESTIONS } else { HARD_QUESTIONS };
        let question = (work.min(even) / questions).saturating_mul(RLIMIT_A_UNIT).max(LEAST_RLIMIT);
        question.min(u32::MAX.into()) as u32
    }

    /// Takes back what was left open by this method alone: with more work it may be settled either way.
    fn ask_again(&self, index: usize, result: &mut ClassResult) {
        let others =
            |key: &Key| self.wanted.iter().enumerate().any(|(i, all)| i != index && all.contains(key));
        for key in &self.wanted[index] {
            let open = result.obligations.get(key).is_some_and(|(_, fate)| matches!(fate, Fate::Open(_)));
            if open && !others(key) {
                result.obligations.remove(key);
            }
        }
    }

    /// Work that was done between turns.
    pub fn spend(&mut self, work: u64) {
        self.spent += work;
    }

    /// Work of all turns.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// What each method was to cover, as far as they had a turn.
    pub fn wanted(&self) -> &[BTreeSet<Key>] {
        &self.wanted
    }

    /// A turn is over.
    pub fn done(&mut self, turn: Turn, found: &MethodResult, wanted: Vec<Key>) {
        if self.round == 0 {
            self.wanted.push(wanted.into_iter().collect());
        }
        self.spent += found.spent.work();
        self.paths += found.spent.runs;
        let cut = matches!(found.stopped.last(), Some(Stopped::Work | Stopped::Cut));
        let stuck = found.stopped.last() == Some(&Stopped::NothingNew);
        let unknown = found.ledger.iter().any(|(entry, _)| entry.kind == ledger::Kind::SolverUnknown);
        // What telling of a path takes is known only now.
        let again = self.config.suite == Suite::Paths && found.stopped.last() == Some(&Stopped::Cut);
        match self.round {
            0 if self.count == 1 && again => self.unfinished.push(turn.index),
            0 if self.count > 1 && (cut || unknown) => self.unfinished.push(turn.index),
            0 | 1 if self.count > 1 && stuck => self.stuck.push(turn.index),
            _ => {}
        }
    }
}

/// Enters what a turn found. Of a second one, the tests that show something new, or all where each path is told of.
pub fn merge(
    result: &mut ClassResult,
    index: usize,
    found: MethodResult,
    tests: Vec<Proposed>,
    suite: Suite,
) {
    if index == result.methods.len() {
        result.methods.push(found);
        result.tests.extend(tests);
        return;
    }
    let known = &mut result.methods[index];
    // It began anew: those of the first turn are among them.
    known.paths = found.paths.max(known.paths);
    known.outcomes = found.outcomes;
    known.ledger.merge(&found.ledger);
    known.stopped.extend(found.stopped);
    known.exhaustive = found.exhaustive;
    known.runs_to_failure = known.runs_to_failure.or(found.runs_to_failure);
    known.spent.add(&found.spent);
    known.times.add(&found.times);
    known.diverged += found.diverged;
    known.millis += found.millis;
    known.untestable.extend(found.untestable);
    known.lost.extend(found.lost);
    if suite == Suite::Paths {
        let before = result.tests.iter().filter(|test| test.method == index).count();
        if tests.len() > before {
            result.tests.retain(|test| test.method != index);
            result.tests.extend(tests);
        }
        return;
    }
    let mut met: BTreeSet<Key> = result.tests.iter().flat_map(|test| test.meets.iter().cloned()).collect();
    let mut halves: BTreeSet<(Key, usize)> =
        result.tests.iter().flat_map(|test| test.halves.iter().cloned()).collect();
    for test in tests {
        let new = test.meets.iter().any(|key| !met.contains(key))
            || test.halves.iter().any(|half| !halves.contains(half));
        let twin = |other: &Proposed| {
            let (a, b) = (&other.case, &test.case);
            a.act == b.act && a.arrange == b.arrange && a.outcome == b.outcome
        };
        if new && !result.tests.iter().any(twin) {
            met.extend(test.meets.iter().cloned());
            halves.extend(test.halves.iter().cloned());
            result.tests.push(test);
        }
    }
}
