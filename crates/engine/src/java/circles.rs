//! Structures that go in a circle: a loop that walks along references comes to no end there.
//!
//! Nothing in such a loop asks whether two references are the same, so no run demands that they are. A few runs are
//! therefore tried once more with a new object replaced by one made before.

use std::collections::VecDeque;

use explore::{End, Finished, RunId, Step, Target};
use term::Assignment;
use vm::{Outcome, Stop};

use super::explore::ClassExplorer;
use super::subject::{Stage, Subject};

/// So many circles are tried, in so many of the shortest runs, each for so many steps.
const MOST_CIRCLES: usize = 12;
const MOST_RUNS: usize = 8;
/// So many runs are made longer for it.
const MOST_LONGER: usize = 12;
const STEPS: u64 = 200_000;

impl ClassExplorer<'_> {
    /// Adds a run that does not end, or ends for want of stack, because its inputs go in a circle.
    pub(super) fn circles(&mut self, subject: &mut Subject, finished: &mut Vec<Finished<Stage>>) {
        let endless = |run: &Finished<Stage>| run.end == End::Stopped(Stop::Steps);
        if finished.iter().any(endless) {
            return;
        }
        let mut shortest: Vec<usize> = (0..finished.len())
            .filter(|i| finished[*i].end == End::Returned && finished[*i].observation == Stage::Call)
            .collect();
        shortest.sort_by_key(|i| (finished[*i].path.len(), *i));
        // What these runs note is no imprecision of the search.
        let ledger = self.vm.ledger.clone();
        let (steps, mut tried, mut runs) = (self.vm.limits.steps, 0, 0);
        self.vm.limits.steps = steps.min(STEPS);
        let mut found = None;
        let mut models: VecDeque<Assignment> = shortest.iter().map(|i| finished[*i].model.clone()).collect();
        let mut longer = MOST_LONGER;
        'search: while let Some(start) = models.pop_front() {
            self.vm.start_run(start.clone());
            subject.execute(self.vm);
            let aliases = self.vm.aliases();
            runs += usize::from(!aliases.is_empty());
            if runs > MOST_RUNS {
                break;
            }
            // Where the shortest run shows all that is wanted, none came to a second object: one is put where null was.
            for var in self.vm.inputs.asked.clone() {
                let absent = self.vm.pool.var_name(var).ends_with(".some") && start.bits(var) == 0;
                if absent && aliases.is_empty() && longer > 0 {
                    longer -= 1;
                    let mut model = start.clone();
                    model.set_bits(var, 1);
                    models.push_back(model);
                }
            }
            for (variable, value) in aliases {
                let Some(variable) = self.vm.pool.var_of(variable) else { continue };
                let mut model = start.clone();
                model.set_bits(variable, value.into());
                tried += 1;
                if let Some(run) = self.circle(subject, model, finished.len()) {
                    found = Some(run);
                    break 'search;
                }
                if tried == MOST_CIRCLES {
                    break 'search;
                }
            }
        }
        self.vm.limits.steps = steps;
        self.vm.ledger = ledger;
        finished.extend(found);
    }

    /// Runs a model; what came of it, if that is no end.
    fn circle(&mut self, subject: &mut Subject, model: Assignment, number: usize) -> Option<Finished<Stage>> {
        let vm = &mut *self.vm;
        vm.start_run(model.clone());
        let before = vm.steps;
        let outcome = subject.execute(vm);
        let endless = match &outcome {
            Outcome::Stopped(Stop::Steps) => vm.runs_on(),
            Outcome::Threw(exception) => {
                &*vm.lang.classes[vm.heap.class(*exception)].name == "java/lang/StackOverflowError"
            }
            _ => false,
        };
        let stage = subject.observe(vm, &outcome);
        if !endless || stage != Stage::Call {
            return None;
        }
        let elems = &vm.trace.elems;
        Some(Finished {
            id: RunId(number as u32),
            end: End::of(vm, &outcome),
            model,
            outcome,
            observation: stage,
            path: elems.iter().map(Step::of).collect(),
            condition: elems.iter().map(|e| vm.trace.taken(e)).collect(),
            edges: Vec::new(),
            blocks: Vec::new(),
            meets: Vec::new(),
            new: Vec::new(),
            steps: vm.steps - before,
        })
    }
}
