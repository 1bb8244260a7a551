//! Fewer tests: inputs of several runs put together may show at once what takes each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use explore::{End, Finished, Goal, select};
use term::{Assignment, VarId};

use super::explore::ClassExplorer;
use super::subject::{Stage, Subject};
use crate::goal::CoverageGoal;

/// Of more tests than this no pairs are tried.
const MOST_PAIRED: usize = 12;
/// Of more tests than this nothing is tried.
const MOST_TESTS: usize = 40;
/// Of inputs of more parts than this each is exchanged alone.
const MOST_PARTS: usize = 4;
/// Values of a part that are put together with those of others.
const MOST_VALUES: usize = 4;
const MOST_RUNS: usize = 600;
/// Steps that all of these runs may take.
const MOST_STEPS: u64 = 3_000_000;

/// The variables of one parameter, of the receiver or of a static field.
type Part = Vec<VarId>;

/// Runs of inputs that are put together for one method, and what they may still cost.
struct Trials<'t> {
    subject: &'t mut Subject,
    goal: &'t CoverageGoal,
    needed: &'t BTreeSet<u32>,
    tried: BTreeSet<String>,
    runs: usize,
    steps: u64,
}

impl ClassExplorer<'_> {
    /// Indices of a smaller set of runs that shows what the chosen ones show, if inputs of those put together give one; what makes it
    /// smaller is added to the runs.
    pub(super) fn fewer(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        needed: &BTreeSet<u32>,
        finished: &mut Vec<Finished<Stage>>,
        chosen: Vec<usize>,
    ) -> Vec<usize> {
        let returns = |i: &&usize| finished[**i].end == End::Returned;
        if chosen.iter().filter(returns).count() < 2 || chosen.len() > MOST_TESTS {
            return chosen;
        }
        let ledger = self.vm.ledger.clone();
        self.vm.walking = goal.walks();
        let mut best = chosen;
        for search in [Self::pairs, Self::combined] {
            let tried = BTreeSet::new();
            let mut trials = Trials { subject: &mut *subject, goal, needed, tried, runs: 0, steps: 0 };
            let known = finished.len();
            let mut found = search(self, &mut trials, finished, &best);
            finished.append(&mut found);
            let smaller = select(finished);
            match smaller.len() < best.len() {
                true => best = smaller,
                false => finished.truncate(known),
            }
        }
        self.vm.walking = false;
        self.vm.ledger = ledger;
        best
    }

    /// Runs of the inputs of one chosen run with some of another's.
    fn pairs(
        &mut self,
        trials: &mut Trials<'_>,
        finished: &[Finished<Stage>],
        chosen: &[usize],
    ) -> Vec<Finished<Stage>> {
        let mut found: Vec<Finished<Stage>> = Vec::new();
        if chosen.len() > MOST_PAIRED {
            return found;
        }
        let returning: Vec<&Finished<Stage>> =
            chosen.iter().map(|i| &finished[*i]).filter(|run| run.end == End::Returned).collect();
        for (i, one) in returning.iter().enumerate() {
            for (_, other) in returning.iter().enumerate().filter(|(j, _)| *j != i) {
                for model in self.mixed([&one.model, &other.model]) {
                    if self.is_spent(trials) {
                        return found;
                    }
                    found.extend(self.attempt(trials, model, finished.len() + found.len()));
                }
            }
        }
        found
    }

    /// Runs that each show as much as one can of what those before it left, as far as exchanging one part of the inputs after the other
    /// for what it is in another chosen run leads there: of branches that have nothing to do with each other, each goes where it is needed.
    fn combined(
        &mut self,
        trials: &mut Trials<'_>,
        finished: &[Finished<Stage>],
        chosen: &[usize],
    ) -> Vec<Finished<Stage>> {
        let returning = |run: &&Finished<Stage>| run.end == End::Returned;
        let mut pool: Vec<Finished<Stage>> =
            chosen.iter().map(|i| &finished[*i]).filter(returning).cloned().collect();
        let values = self.values_of_parts(&pool);
        let own = pool.len();
        let mut left: BTreeSet<u32> = pool.iter().flat_map(|run| run.meets.iter().copied()).collect();
        let mut taken = 0;
        if values.len() < 2 {
            return Vec::new();
        }
        while !left.is_empty() && taken + 1 < own {
            let gain = |run: &Finished<Stage>| run.meets.iter().filter(|part| left.contains(part)).count();
            let Some(mut run) = pool.iter().rev().max_by_key(|run| gain(run)).cloned() else { break };
            loop {
                let before = gain(&run);
                for (part, value) in values.iter().flat_map(|(part, all)| all.iter().map(move |v| (part, v)))
                {
                    if self.is_spent(trials) {
                        return pool.split_off(own);
                    }
                    let mut model = run.model.clone();
                    put(&mut model, part, value);
                    let number = finished.len() + pool.len() - own;
                    let better = self.attempt(trials, model, number).filter(|other| gain(other) > gain(&run));
                    run = better.unwrap_or(run);
                }
                if gain(&run) == before {
                    break;
                }
            }
            if gain(&run) == 0 {
                break;
            }
            run.meets.iter().for_each(|part| {
                left.remove(part);
            });
            // From other beginnings the same inputs may lead elsewhere.
            trials.tried.clear();
            pool.push(run);
            taken += 1;
        }
        pool.split_off(own)
    }

    fn is_spent(&self, trials: &Trials<'_>) -> bool {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        late || trials.runs >= MOST_RUNS || trials.steps > MOST_STEPS
    }

    /// What inputs show that were not tried before, if the method returns.
    fn attempt(
        &mut self,
        trials: &mut Trials<'_>,
        model: Assignment,
        number: usize,
    ) -> Option<Finished<Stage>> {
        if !trials.tried.insert(format!("{:?}", explore::inputs(&self.vm.pool, &model))) {
            return None;
        }
        trials.runs += 1;
        let before = self.vm.steps;
        let run = self.ended(trials.subject, model, number);
        trials.steps += self.vm.steps - before;
        let mut run = run.filter(|run| run.end == End::Returned)?;
        run.meets = trials.goal.met_by(&self.vm.trace);
        run.meets.retain(|part| trials.needed.contains(part));
        run.edges = self.vm.trace.edges.iter().copied().collect();
        run.edges.sort_unstable();
        Some(run)
    }

    /// The parts of inputs, in the order in which they were made.
    fn parts<'m>(&self, models: impl Iterator<Item = &'m Assignment>) -> Vec<Part> {
        let mut parts: BTreeMap<&str, Part> = BTreeMap::new();
        for (var, _) in models.flat_map(Assignment::iter) {
            let name = self.vm.pool.var_name(var);
            let part = parts.entry(name.split(['.', '[']).next().unwrap_or(name)).or_default();
            if !part.contains(&var) {
                part.push(var);
            }
        }
        parts.into_values().collect()
    }

    /// What each part is in some runs, where it is not the same in all of them.
    fn values_of_parts(&self, runs: &[Finished<Stage>]) -> Vec<(Part, Vec<Assignment>)> {
        let mut parts = self.parts(runs.iter().map(|run| &run.model));
        parts.sort_by_key(|part| part.iter().min().copied());
        let different = |part: Part| {
            let mut all: Vec<Assignment> = Vec::new();
            for run in runs {
                let mut value = Assignment::new();
                part.iter().for_each(|var| {
                    run.model.get(*var).into_iter().for_each(|v| value.set(*var, v.clone()));
                });
                let is_same = |other: &Assignment| part.iter().all(|var| other.get(*var) == value.get(*var));
                if all.len() < MOST_VALUES && !all.iter().any(is_same) {
                    all.push(value);
                }
            }
            (part, all)
        };
        parts.into_iter().map(different).filter(|(_, all)| all.len() > 1).collect()
    }

    /// The inputs of one run with some of another's: of each set of parameters, or of each alone where they are many.
    fn mixed(&self, [one, other]: [&Assignment; 2]) -> Vec<Assignment> {
        let differs = |vars: &Part| vars.iter().any(|var| one.get(*var) != other.get(*var));
        let parts: Vec<Part> = self.parts([one, other].into_iter()).into_iter().filter(differs).collect();
        let sets: Vec<u32> = match parts.len() {
            0 | 1 => Vec::new(),
            // Neither none of them nor all.
            count @ ..=MOST_PARTS => (1..(1 << count) - 1).collect(),
            count => (0..count.min(31)).map(|part| 1 << part).collect(),
        };
        let mix = |set: u32| {
            let mut model = one.clone();
            for (_, vars) in parts.iter().enumerate().filter(|(part, _)| set >> part & 1 == 1) {
                put(&mut model, vars, other);
            }
            model
        };
        sets.into_iter().map(mix).collect()
    }
}

/// Gives a part of inputs the value that it has in others.
fn put(model: &mut Assignment, part: &Part, others: &Assignment) {
    for var in part {
        match others.get(*var) {
            Some(value) => model.set(*var, value.clone()),
            None => {
                model.remove(*var);
            }
        }
    }
}
