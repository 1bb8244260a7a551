//! Structures that go in a circle: a loop that walks along references comes to no end there.
//!
//! Nothing in such a loop asks whether two references are the same, so no run demands that they are. A few runs are
//! therefore tried once more with a new object replaced by one made before.

use explore::{End, Finished, RunId, Step, Target};
use term::Assignment;
use vm::{Outcome, Stop};

use super::explore::ClassExplorer;
use super::subject::{Stage, Subject};

/// So many circles are tried, in so many of the shortest runs, each for so many steps.
const MOST_CIRCLES: usize = 12;
const MOST_RUNS: usize = 8;
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
        'search: for i in shortest {
            self.vm.start_run(finished[i].model.clone());
            subject.execute(self.vm);
            let aliases = self.vm.aliases();
            runs += usize::from(!aliases.is_empty());
            if runs > MOST_RUNS {
                break;
            }
            for (variable, value) in aliases {
                let Some(variable) = self.vm.pool.var_of(variable) else { continue };
                let mut model = finished[i].model.clone();
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
