//! Static fields outlast a test: what one leaves there the next one finds. A test must hold whatever ran before it, so
//! each is run once more in worlds where others have run. What differs there is set back by a call that comes
//! first, or not asserted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use ir::{ClassId, Move};
use jvm::input::{Reset, StaticField};
use jvm::world::Jvm;
use ledger::Ledger;
use suite::case::{ClassName, Outcome as CaseOutcome, Step, Target, TestCase, Value};
use vm::{Outcome, Vm};

use super::case;
use super::entries::Entry;
use super::explore::ClassExplorer;
use super::outcome::{ClassResult, Fate, Key, Proposed};
use super::propose::{COLD, agree, assign, counterpart};
use super::subject::Subject;
use explore::Target as _;

/// What such tests depend on.
const STATE: &str = "static state that other tests change";

impl ClassExplorer<'_> {
    /// Makes the tests of a class independent of each other, as far as possible. What is not is left to the JVM to
    /// tell.
    pub(super) fn outlast(&mut self, class: ClassId, entries: &[Entry], result: &mut ClassResult) {
        let Some(other) = self.other.as_deref_mut() else { return };
        let mut subjects: BTreeMap<usize, Subject> = BTreeMap::new();
        for test in &result.tests {
            if let Some(entry) = entries.get(test.method).filter(|_| !subjects.contains_key(&test.method)) {
                let twin = counterpart(&self.vm.lang, other, entry, &self.twins);
                subjects.extend(twin.map(|twin| (test.method, twin)));
            }
        }
        let fields: BTreeSet<StaticField> =
            subjects.values().flat_map(|subject| subject.statics.fields.iter().cloned()).collect();
        if fields.is_empty() {
            return;
        }
        other.start_exploration();
        let resets = jvm::input::resets(other, class, &fields);
        other.limits.steps = self.config.budget.max_steps.saturating_mul(COLD);
        let cases: Vec<TestCase> = result.tests.iter().map(|test| test.case.clone()).collect();
        let mut last =
            settle(other, &mut subjects, (class, &fields, &resets), self.deadline, &mut result.tests);
        let disturbers = last.disturbers(&result.tests);
        if !disturbers.is_empty() {
            result.tests.iter_mut().zip(cases).for_each(|(test, case)| test.case = case);
            withhold(&disturbers, result);
            last = settle(other, &mut subjects, (class, &fields, &resets), self.deadline, &mut result.tests);
        }
        let firsts = last.firsts;
        let tests = || result.tests.iter().enumerate();
        let forwards = play(&mut other.fork(), &mut subjects, &firsts, tests());
        let backwards = play(&mut other.fork(), &mut subjects, &firsts, tests().rev());
        if other.is_late() {
            return;
        }
        withdraw(&forwards.intersection(&backwards).cloned().collect(), result);
    }
}

/// How the tests of a class get along with each other.
#[derive(Default)]
struct Lasting {
    /// The calls that come before a test.
    firsts: BTreeMap<usize, Vec<Reset>>,
    /// Tests that no call makes cover the same everywhere.
    alone: BTreeSet<usize>,
    /// Tests after which others end otherwise or cover something else.
    breaks: BTreeMap<usize, BTreeSet<usize>>,
}

impl Lasting {
    /// Tests that spoil more than they cover, with all others that make the same calls.
    fn disturbers(&self, tests: &[Proposed]) -> BTreeSet<usize> {
        let only = |is_one: &dyn Fn(usize) -> bool| -> usize {
            let (own, others): (Vec<usize>, Vec<usize>) = (0..tests.len()).partition(|at| is_one(*at));
            let met: BTreeSet<&Key> = own.iter().flat_map(|at| &tests[*at].meets).collect();
            met.into_iter().filter(|key| !others.iter().any(|at| tests[*at].meets.contains(key))).count()
        };
        let mut found = BTreeSet::new();
        for (at, broken) in &self.breaks {
            let calls = leaving(&tests[*at].case);
            let makes_one = |at: usize| calls.iter().any(|call| made(&tests[at].case).contains(call));
            let spoilt = |at: usize| !makes_one(at) && broken.contains(&at) && self.alone.contains(&at);
            if only(&spoilt) > only(&makes_one) {
                found.extend((0..tests.len()).filter(|at| makes_one(*at)));
            }
        }
        found
    }
}

/// The calls of a test by class and name.
fn made(case: &TestCase) -> Vec<(&ClassName, &str)> {
    let first = case.arrange.iter().filter(|step| is_first(step)).filter_map(|step| match step {
        Step::Do(call) => Some(call),
        _ => None,
    });
    first.chain([&case.act]).map(|call| (&call.class, call.method.as_str())).collect()
}

/// Those of them that may leave static state behind: what comes first for its effect, or else what is tested.
fn leaving(case: &TestCase) -> Vec<(&ClassName, &str)> {
    let mut calls = made(case);
    if calls.len() > 1 {
        calls.pop();
    }
    calls
}

/// Looks at the tests in worlds where others have run before, and has calls come before them that make up for it.
fn settle(
    other: &mut Vm<Jvm>,
    subjects: &mut BTreeMap<usize, Subject>,
    (class, fields, resets): (ClassId, &BTreeSet<StaticField>, &[Vec<Reset>]),
    deadline: Option<Instant>,
    tests: &mut [Proposed],
) -> Lasting {
    let before: Vec<TestCase> = tests.iter().map(|test| test.case.clone()).collect();
    let Lasting { mut firsts, mut alone, mut breaks } = Lasting::default();
    for order in orders(tests) {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
        let mut used = other.fork();
        match &order {
            Some(order) => {
                play(&mut used, subjects, &firsts, order.iter().map(|at| (*at, &tests[*at])));
            }
            None => jvm::input::disturb(&mut used, class, fields),
        }
        let single = match order.as_deref() {
            Some([at]) => Some(*at),
            _ => None,
        };
        for (at, test) in tests.iter_mut().enumerate() {
            let Some(subject) = subjects.get_mut(&test.method) else { continue };
            let there = shown(&mut used, subject, test, firsts.get(&at));
            if other.is_late() {
                // Runs that were cut show nothing.
                return Lasting { firsts, alone, breaks };
            }
            let mut left = test.case.clone();
            let ends_alike = there.as_ref().is_some_and(|there| agree(&mut left, there, STATE).is_ok());
            let asserts_alike = ends_alike && left == test.case;
            if let Some(single) = single.filter(|_| !firsts.contains_key(&at)) {
                let mut first = before[at].clone();
                let ends = there.as_ref().is_some_and(|there| agree(&mut first, there, STATE).is_ok());
                if (!ends || !covers(&mut used, subject, test, None)) && !other.is_late() {
                    breaks.entry(single).or_default().insert(at);
                }
            }
            if asserts_alike && (alone.contains(&at) || covers(&mut used, subject, test, firsts.get(&at))) {
                continue;
            }
            let mut found = None;
            if !firsts.contains_key(&at) {
                found = reset([&mut used, &mut *other], subject, test, resets, true);
                if found.is_none() && !asserts_alike {
                    found = reset([&mut used, &mut *other], subject, test, resets, false);
                }
            }
            match found {
                None if other.is_late() => return Lasting { firsts, alone, breaks },
                Some((calls, case)) => {
                    firsts.insert(at, calls);
                    test.case = case;
                }
                None => {
                    alone.insert(at);
                    if ends_alike {
                        test.case = left;
                    }
                }
            }
        }
    }
    Lasting { firsts, alone, breaks }
}

/// Leaves out tests that change static state for all others.
fn withhold(tests: &BTreeSet<usize>, result: &mut ClassResult) {
    let why = "reached, but a test of it would leave static state behind that others do not hold in, and no call was found \
               that sets it back";
    let mut gone: BTreeSet<Key> = BTreeSet::new();
    let mut at = 0;
    result.tests.retain(|test| {
        let kept = !tests.contains(&at);
        at += 1;
        if !kept {
            gone.extend(test.meets.iter().cloned());
        }
        kept
    });
    gone.retain(|key| !result.tests.iter().any(|test| test.meets.contains(key)));
    for key in gone {
        if let Some((_, fate)) = result.obligations.get_mut(&key) {
            *fate = Fate::Open(why.to_string());
        }
    }
}

/// So many worlds in which only one test has run are looked at.
const ALONE: usize = 12;

/// Whether a step is about static state.
fn is_first(step: &Step) -> bool {
    let Step::Do(call) = step else { return false };
    match &call.on {
        // Objects that everybody shares.
        Target::Instance(on) => matches!(&**on, Value::Field { of: None, .. } | Value::Call(_)),
        _ => true,
    }
}

/// Which tests have run before, in which order: all of them, forwards and backwards, and one alone, first those that
/// are about static state. Or none of them, but others.
fn orders(tests: &[Proposed]) -> Vec<Option<Vec<usize>>> {
    let all: Vec<usize> = (0..tests.len()).collect();
    let backwards: Vec<usize> = all.iter().rev().copied().collect();
    let mut alone: Vec<usize> = Vec::new();
    let mut methods = BTreeSet::new();
    alone.extend(all.iter().filter(|at| tests[**at].case.arrange.iter().any(is_first)));
    alone.truncate(ALONE / 2);
    alone.extend(all.iter().filter(|at| methods.insert(tests[**at].method)));
    alone.truncate(ALONE);
    let alone = alone.into_iter().map(|at| Some(vec![at]));
    [Some(all), Some(backwards), None].into_iter().chain(alone).collect()
}

/// Runs tests one after the other, and says which ways they took.
fn play<'a>(
    used: &mut Vm<Jvm>,
    subjects: &mut BTreeMap<usize, Subject>,
    firsts: &BTreeMap<usize, Vec<Reset>>,
    tests: impl Iterator<Item = (usize, &'a Proposed)>,
) -> BTreeSet<Take> {
    let mut taken = BTreeSet::new();
    used.walking = true;
    used.lang.worlds.whole = true;
    for (at, test) in tests {
        let Some(subject) = subjects.get_mut(&test.method) else { continue };
        subject.resets = firsts.get(&at).cloned().unwrap_or_default();
        let model = model(used, subject, test);
        used.start_run(model);
        let outcome = subject.execute(used);
        subject.resets.clear();
        taken.append(&mut takes(used));
        // One that was stopped leaves a world in pieces.
        if !matches!(outcome, Outcome::Stopped(_)) {
            used.keep();
        }
    }
    used.walking = false;
    used.lang.worlds.whole = false;
    taken
}

/// A way that a branch went: its function, its place there, and which way.
type Take = (String, u32, u32);

/// Takes back what tests are said to cover and do not where others have run before. One that shows nothing then is
/// none.
fn withdraw(takes: &BTreeSet<Take>, result: &mut ClassResult) {
    let why = "it takes static state as it is in the beginning, which other tests change and no call that was found \
               sets back";
    let mut gone: BTreeSet<Key> = BTreeSet::new();
    result.tests.retain_mut(|test| {
        let lost = |(name, seen): (&String, &crate::seen::Seen)| {
            let gone = |take: &(u32, u32)| !takes.contains(&(name.clone(), take.0, take.1));
            seen.takes.iter().any(gone).then(|| name.clone())
        };
        let lost: BTreeSet<String> = test.seen.iter().filter_map(lost).collect();
        if lost.is_empty() {
            return true;
        }
        gone.extend(test.meets.iter().filter(|(function, _)| lost.contains(function)).cloned());
        test.meets.retain(|(function, _)| !lost.contains(function));
        test.besides.retain(|(function, _)| !lost.contains(function));
        !test.case.asserts.is_empty() || matches!(test.case.outcome, CaseOutcome::Throws { .. })
    });
    gone.retain(|key| !result.tests.iter().any(|test| test.meets.contains(key)));
    for key in gone {
        if let Some((_, fate)) = result.obligations.get_mut(&key) {
            *fate = Fate::Open(format!("reached, but no test can show it: {why}"));
        }
    }
}

/// Prepares a run of a test in a world.
fn model(vm: &mut Vm<Jvm>, subject: &mut Subject, test: &Proposed) -> term::Assignment {
    if test.takes_null {
        subject.conditions.refuse_null.clear();
    }
    vm.start_exploration();
    assign(vm, subject, &test.inputs)
}

/// What a test would be, by what its run shows in a world.
fn shown(
    vm: &mut Vm<Jvm>,
    subject: &mut Subject,
    test: &Proposed,
    resets: Option<&Vec<Reset>>,
) -> Option<TestCase> {
    subject.resets = resets.cloned().unwrap_or_default();
    let model = model(vm, subject, test);
    let detail = subject.detail(vm, &model);
    subject.resets.clear();
    case::case(&vm.lang, subject, &detail, &[], &Ledger::default()).ok()
}

/// Whether a test goes all the ways in a world that it is known to go.
fn covers(vm: &mut Vm<Jvm>, subject: &mut Subject, test: &Proposed, resets: Option<&Vec<Reset>>) -> bool {
    subject.resets = resets.cloned().unwrap_or_default();
    let model = model(vm, subject, test);
    vm.walking = true;
    vm.start_run(model);
    subject.execute(vm);
    vm.walking = false;
    subject.resets.clear();
    let takes = takes(vm);
    let mut known = test.seen.iter().flat_map(|(name, seen)| seen.takes.iter().map(move |take| (name, take)));
    known.all(|(name, take)| takes.contains(&(name.clone(), take.0, take.1)))
}

/// The ways that branches went in the last run.
fn takes(vm: &Vm<Jvm>) -> BTreeSet<Take> {
    let mut takes = BTreeSet::new();
    for step in &vm.trace.walk {
        if let Move::Take { index, successor } = step.what {
            takes.insert((vm.lang.func_name(step.func), index, successor));
        }
    }
    takes
}

/// The test with calls before it, if they make it hold in both worlds, and `cover` the same if that is wanted.
fn reset(
    [used, fresh]: [&mut Vm<Jvm>; 2],
    subject: &mut Subject,
    test: &Proposed,
    resets: &[Vec<Reset>],
    cover: bool,
) -> Option<(Vec<Reset>, TestCase)> {
    for calls in resets {
        let mut in_each = [&mut *used, &mut *fresh].map(|vm| shown(vm, subject, test, Some(calls)));
        let holds = in_each.iter().flatten().filter(|there| {
            let mut left = test.case.clone();
            agree(&mut left, there, STATE).is_ok() && left == test.case
        });
        if holds.count() < in_each.len() || cover && !covers(used, subject, test, Some(calls)) {
            continue;
        }
        let mut case = test.case.clone();
        let first = in_each[0].take()?.arrange.into_iter().take(calls.iter().map(Reset::steps).sum());
        case.arrange.splice(0..0, first);
        return Some((calls.clone(), case));
    }
    None
}
