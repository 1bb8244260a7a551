//! Fewer tests: inputs of two runs put together may show at once what takes both of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use explore::{End, Finished, Goal, select};
use term::{Assignment, VarId};

use super::explore::ClassExplorer;
use super::subject::{Stage, Subject};
use crate::goal::CoverageGoal;

/// Of more tests than this no pairs are tried.
const MOST_TESTS: usize = 12;
/// Of inputs of more parts than this each is exchanged alone.
const MOST_PARTS: usize = 4;
const MOST_RUNS: usize = 600;
/// Steps that all of these runs may take.
const MOST_STEPS: u64 = 3_000_000;

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
        let returning: Vec<usize> =
            chosen.iter().copied().filter(|i| finished[*i].end == End::Returned).collect();
        if returning.len() < 2 || chosen.len() > MOST_TESTS {
            return chosen;
        }
        let ledger = self.vm.ledger.clone();
        self.vm.walking = goal.walks();
        let mut tried: BTreeSet<String> = BTreeSet::new();
        let mut found: Vec<Finished<Stage>> = Vec::new();
        let mut steps = 0;
        'search: for one in &returning {
            for other in returning.iter().filter(|other| *other != one) {
                let models = [&finished[*one].model, &finished[*other].model];
                for model in self.mixed(models) {
                    if !tried.insert(format!("{:?}", explore::inputs(&self.vm.pool, &model))) {
                        continue;
                    }
                    let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
                    if late || tried.len() > MOST_RUNS || steps > MOST_STEPS {
                        break 'search;
                    }
                    let before = self.vm.steps;
                    let run = self.ended(subject, model, finished.len() + found.len());
                    steps += self.vm.steps - before;
                    let Some(mut run) = run.filter(|run| run.end == End::Returned) else { continue };
                    run.meets = goal.met_by(&self.vm.trace);
                    run.meets.retain(|part| needed.contains(part));
                    run.edges = self.vm.trace.edges.iter().copied().collect();
                    run.edges.sort_unstable();
                    found.push(run);
                }
            }
        }
        self.vm.walking = false;
        self.vm.ledger = ledger;
        let known = finished.len();
        finished.append(&mut found);
        let smaller = select(finished);
        if smaller.len() < chosen.len() {
            return smaller;
        }
        finished.truncate(known);
        chosen
    }

    /// The inputs of one run with some of another's: of each set of parameters, or of each alone where they are many.
    fn mixed(&self, [one, other]: [&Assignment; 2]) -> Vec<Assignment> {
        let mut parts: BTreeMap<&str, Vec<VarId>> = BTreeMap::new();
        for (var, _) in one.iter().chain(other.iter()) {
            let name = self.vm.pool.var_name(var);
            let part = parts.entry(name.split(['.', '[']).next().unwrap_or(name)).or_default();
            if !part.contains(&var) {
                part.push(var);
            }
        }
        let differs = |vars: &Vec<VarId>| vars.iter().any(|var| one.get(*var) != other.get(*var));
        let parts: Vec<Vec<VarId>> = parts.into_values().filter(differs).collect();
        let sets: Vec<u32> = match parts.len() {
            0 | 1 => Vec::new(),
            // Neither none of them nor all.
            count @ ..=MOST_PARTS => (1..(1 << count) - 1).collect(),
            count => (0..count.min(31)).map(|part| 1 << part).collect(),
        };
        let mix = |set: u32| {
            let mut model = one.clone();
            for (_, vars) in parts.iter().enumerate().filter(|(part, _)| set >> part & 1 == 1) {
                for var in vars {
                    match other.get(*var) {
                        Some(value) => model.set(*var, value.clone()),
                        None => {
                            model.remove(*var);
                        }
                    }
                }
            }
            model
        };
        sets.into_iter().map(mix).collect()
    }
}
