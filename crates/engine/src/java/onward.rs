//! States further on: from a state that is known to be reached, what one more call makes of it, and so on.
//!
//! Some branches take an object that many calls were made on (a tree of seven nodes). All sequences of so many calls are far
//! too many to try; but most of them lead to states of the same shape, and of each shape one is enough to go on from. The
//! arguments of all calls stay inputs, so that a state is what its shape says and whatever values a path asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use explore::{End, Finished, Target};
use ir::{ClassId, FuncId};
use jvm::input::{Kind, Recipe};

use super::entries::Entry;
use super::explore::ClassExplorer;
use super::outcome::{ClassResult, Fate, Key, MethodResult, key, record};
use super::subject::{Stage, Subject};
use super::turns::{self, Turn, Turns};
use crate::goal::CoverageGoal;

/// So many calls in a row, beside those that any exploration may make.
const MORE_CALLS: u32 = 7;
/// So many states of one number of calls are gone on from, and so many found by one method.
const MOST_STATES: usize = 48;
const MOST_A_METHOD: usize = 16;
/// So many paths of a method are looked at besides those of the states.
const PATHS: u64 = 200;
/// Of what all methods may use, the most and the least that is for this.
const MOST_SHARE: u64 = 4;
const LEAST_SHARE: u64 = 40;
/// And of what is tried before methods get their long turns.
const EARLY_SHARE: u64 = 10;

/// How much of what a class has is for this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    Little,
    Rest,
}

/// An object that was brought into a state by calls.
#[derive(Clone, Debug, Default)]
struct State {
    calls: Vec<FuncId>,
    /// The inputs it was made of, without those that say which calls there were.
    inputs: BTreeMap<String, u128>,
}

/// The objects that methods of a class are called on.
struct Receiver {
    name: String,
    recipe: Arc<Recipe>,
}

impl ClassExplorer<'_> {
    /// Looks for what was not met in states that more calls lead to; the work it took.
    pub(super) fn onward(
        &mut self,
        entries: &[Entry],
        turns: &Turns<'_>,
        share: Share,
        result: &mut ClassResult,
    ) -> u64 {
        let all = self.config.budget.work;
        let rest = |end: Instant| end.saturating_duration_since(Instant::now());
        let (left, deadline) = match share {
            Share::Little => (all / EARLY_SHARE, self.deadline.map(|end| end - rest(end) * 4 / 5)),
            Share::Rest => {
                let left = all.saturating_sub(turns.spent()).min(all / MOST_SHARE).max(all / LEAST_SHARE);
                // What is left of the time is for states beyond the API as well.
                (left, self.deadline.map(|end| end - rest(end) / 3))
            }
        };
        let mut classes: Vec<ClassId> = entries.iter().map(|entry| entry.class).collect();
        classes.dedup();
        self.more_calls(MORE_CALLS);
        let share = left;
        let mut left = left;
        for class in classes {
            let own = |entry: &&(usize, &Entry)| {
                entry.1.class == class && entry.1.hidden.is_none() && entry.1.left_out.is_none()
            };
            let own: Vec<(usize, &Entry)> =
                entries.iter().enumerate().filter(|e| own(&e)).take(turns.wanted().len()).collect();
            self.onward_of(&own, turns.wanted(), (&mut left, deadline), result);
        }
        self.more_calls(0);
        share - left
    }

    fn more_calls(&mut self, more: u32) {
        self.vm.lang.worlds.more_calls = more;
        self.other.iter_mut().for_each(|other| other.lang.worlds.more_calls = more);
    }

    /// The same of one class.
    fn onward_of(
        &mut self,
        entries: &[(usize, &Entry)],
        wanted: &[BTreeSet<Key>],
        (left, deadline): (&mut u64, Option<Instant>),
        result: &mut ClassResult,
    ) {
        let open_of = |result: &ClassResult, index: usize| -> BTreeSet<Key> {
            let is_open = |key: &&Key| matches!(result.obligations.get(*key), Some((_, Fate::Open(_))));
            wanted.get(index).into_iter().flatten().filter(is_open).cloned().collect()
        };
        let mut states = vec![State::default()];
        let mut shapes: BTreeSet<u64> = BTreeSet::new();
        for _ in 0..jvm::input::MAX_CHANGES + MORE_CALLS {
            let mut found: Vec<State> = Vec::new();
            for (index, entry) in entries {
                if entries.iter().all(|(index, _)| open_of(result, *index).is_empty()) {
                    return;
                }
                let open = open_of(result, *index);
                let Some((mut subject, receiver)) = self.on_receiver(entry) else { continue };
                let order = jvm::input::change_order(&self.vm.lang, &receiver.recipe);
                let changes = order.iter().any(|way| way.func == entry.func && way.is_plain());
                let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
                if *left == 0 || late {
                    return;
                }
                if open.is_empty() && !changes {
                    continue;
                }
                let place = |func: &FuncId| order.iter().position(|way| way.func == *func && way.is_plain());
                self.states = states.iter().filter_map(|state| state.inputs(&receiver, &place)).collect();
                let turn = Turn {
                    index: *index,
                    work: *left / 8,
                    paths: Some(self.states.len() as u64 + PATHS),
                    spare: 0,
                    deadline,
                    question: turns::LEAST_RLIMIT as u32,
                    patience: turns::SHORT_PATIENCE,
                    whole: self.config.exhaustive,
                };
                let mut goal = self.goal(&subject);
                if !changes {
                    goal.narrow(|obligation| open.contains(&key(obligation)));
                }
                let name = self.vm.lang.funcs[entry.func].name.to_string();
                let mut method = MethodResult::new(&self.vm.lang, entry.func);
                self.in_call = true;
                let exploration = self.session(&mut subject, &goal, &turn, &name, &mut result.solver);
                self.in_call = false;
                record(&mut method, &exploration, &self.vm.lang);
                *left = left.saturating_sub(method.spent.work());
                if changes {
                    let runs = exploration.finished.iter();
                    let mut new = 0;
                    for run in runs.filter(|run| run.end == End::Returned && run.observation == Stage::Call) {
                        if new == MOST_A_METHOD || found.len() == MOST_STATES {
                            break;
                        }
                        if let Some(shape) = self.shape(&mut subject, run)
                            && shapes.insert(shape)
                            && let Some(state) = self.further(&subject, &receiver, &order, run)
                        {
                            found.push(state);
                            new += 1;
                        }
                    }
                }
                self.show((entry, *index), &mut subject, &goal, &open, exploration, &mut method, result);
                if let Some(known) = result.methods.get_mut(*index) {
                    known.spent.add(&method.spent);
                    known.times.add(&method.times);
                }
            }
            if found.is_empty() {
                return;
            }
            states = found;
        }
    }

    /// A method that is called on an object that calls can change.
    fn on_receiver(&mut self, entry: &Entry) -> Option<(Subject, Receiver)> {
        let subject = entry.subject(self.vm)?;
        let receiver = subject.receiver.as_ref()?;
        let Kind::Object(key) = &receiver.kind else { return None };
        let recipe = self.vm.lang.worlds.recipes.get(key)?.clone();
        let name = receiver.name.clone();
        (!recipe.changes.is_empty()).then_some((subject, Receiver { name, recipe }))
    }

    /// The shape of the object behind a run.
    fn shape(&mut self, subject: &mut Subject, run: &Finished<Stage>) -> Option<u64> {
        self.vm.start_run(run.model.clone());
        subject.execute(self.vm);
        subject.object().map(|object| jvm::input::shape(self.vm, object))
    }

    /// The state behind a run: that before it, and the call.
    fn further(
        &self,
        subject: &Subject,
        receiver: &Receiver,
        order: &[jvm::input::Way],
        run: &Finished<Stage>,
    ) -> Option<State> {
        let mut inputs: BTreeMap<String, u128> = BTreeMap::new();
        let mut chosen: BTreeMap<u32, u128> = BTreeMap::new();
        let inside = format!("{}.", receiver.name);
        let all: Vec<(String, u128)> = explore::inputs(&self.vm.pool, &run.model)
            .into_iter()
            .map(|input| (input.name, input.value.bits()))
            .collect();
        for (name, value) in &all {
            let Some(part) = name.strip_prefix(&inside) else { continue };
            match part.strip_prefix("call").and_then(|number| number.parse::<u32>().ok()) {
                Some(number) => drop(chosen.insert(number, *value)),
                None => drop(inputs.insert(name.clone(), *value)),
            }
        }
        let mut calls = Vec::new();
        while let Some(place) = chosen.get(&(calls.len() as u32)).filter(|place| **place > 0) {
            // A state that another object brought it into is not gone on from.
            calls.push(order.get(*place as usize - 1).filter(|way| way.is_plain())?.func);
        }
        let way = order.iter().find(|way| way.func == subject.func && way.is_plain())?;
        let method = format!("{inside}call{}.{}", calls.len(), self.vm.lang.funcs[way.func].name);
        for (param, to) in subject.params.iter().zip(&way.params) {
            for (name, value) in &all {
                let Some(rest) = name.strip_prefix(&param.name) else { continue };
                if rest.is_empty() || rest.starts_with(['.', '[']) {
                    inputs.insert(format!("{method}.{}{rest}", to.name), *value);
                }
            }
        }
        calls.push(way.func);
        Some(State { calls, inputs })
    }

    /// Tests for what is open and was met.
    #[allow(clippy::too_many_arguments, reason = "an exploration and what it is about, each once")]
    fn show(
        &mut self,
        (entry, index): (&Entry, usize),
        subject: &mut Subject,
        goal: &CoverageGoal,
        open: &BTreeSet<Key>,
        exploration: explore::Exploration<Stage>,
        method: &mut MethodResult,
        result: &mut ClassResult,
    ) {
        let meets = |part: &u32| goal.of_part(*part).any(|o| open.contains(&key(&goal.obligations()[o].1)));
        let mut finished = exploration.finished;
        finished.retain(|run| run.meets.iter().any(meets));
        if finished.is_empty() {
            return;
        }
        let interrupt = std::mem::take(&mut self.vm.interrupt);
        let tests = self.propose((entry, index), subject, goal, (finished, &exploration.ledger), method);
        self.vm.interrupt = interrupt;
        self.enter(tests, open, result);
    }
}

impl State {
    /// The inputs that make it, with the calls numbered as they are for one method.
    fn inputs(
        &self,
        receiver: &Receiver,
        place: &impl Fn(&FuncId) -> Option<usize>,
    ) -> Option<BTreeMap<String, u128>> {
        let mut inputs = self.inputs.clone();
        for (number, func) in self.calls.iter().enumerate() {
            inputs.insert(format!("{}.call{number}", receiver.name), place(func)? as u128 + 1);
        }
        Some(inputs)
    }
}
