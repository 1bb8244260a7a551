//! Structures that go in a circle: a loop that walks along references comes to no end there.
//!
//! Nothing in such a loop asks whether two references are the same, so no run demands that they are. A few runs are
//! therefore tried once more with a new object replaced by one made before.

use std::collections::VecDeque;

use explore::{End, Finished, RunId, Step, Target};
use ledger::Ledger;
use term::{Assignment, TermId};
use vm::{Outcome, Stop};

use super::explore::ClassExplorer;
use super::subject::{Stage, Subject};

/// So many circles are tried, in so many of the shortest runs, each for so many steps, decisions and terms.
const MOST_CIRCLES: usize = 24;
const MOST_RUNS: usize = 16;
/// So many runs are made longer for it.
const MOST_LONGER: usize = 24;
const STEPS: u64 = 200_000;
const DECISIONS: u32 = 2_000;
const TERMS: usize = 50_000;
/// So much of the way is told; it goes round and round.
const TOLD: usize = 64;
/// Of the methods that change an object, so many.
const MOST_WAYS: u128 = 3;

impl ClassExplorer<'_> {
    /// Adds a run that does not end, or ends for want of stack, because its inputs go in a circle.
    pub(super) fn circles(
        &mut self,
        subject: &mut Subject,
        finished: &mut Vec<Finished<Stage>>,
        (name, noted): (&str, &mut Ledger),
    ) {
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
        let limits = self.vm.limits;
        let (mut tried, mut runs) = (0, 0);
        self.vm.limits.steps = limits.steps.min(STEPS);
        self.vm.limits.decisions = limits.decisions.min(DECISIONS);
        self.vm.limits.terms = limits.terms.min(TERMS);
        let mut found = None;
        let mut models: VecDeque<Assignment> = shortest.iter().map(|i| finished[*i].model.clone()).collect();
        let mut longer = MOST_LONGER;
        let mut cut = false;
        'search: while let Some(start) = models.pop_front() {
            self.vm.start_run(start.clone());
            subject.execute(self.vm);
            let aliases = self.vm.aliases();
            runs += usize::from(!aliases.is_empty());
            if runs > MOST_RUNS {
                cut = true;
                break;
            }
            for model in self.longer(&start) {
                cut |= longer == 0;
                if longer > 0 {
                    longer -= 1;
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
                    cut = true;
                    break 'search;
                }
            }
        }
        self.vm.limits = limits;
        self.vm.ledger = ledger;
        if cut && found.is_none() {
            let reason = format!("at most {MOST_CIRCLES} structures that go in a circle");
            noted.note(ledger::Kind::NotShown, name, reason);
        }
        finished.extend(found);
    }

    /// Inputs with one more object than those of the last run: one is put where null was, since where the shortest run shows all that is
    /// wanted none came to a second object, and a circle may begin further on; or something more is done with an object inside
    /// another.
    fn longer(&mut self, start: &Assignment) -> Vec<Assignment> {
        let mut found = Vec::new();
        for var in self.vm.inputs.asked.clone() {
            if start.bits(var) != 0 {
                continue;
            }
            let name = self.vm.pool.var_name(var).to_string();
            let last = name.rsplit('.').next().unwrap_or_default();
            let call = last.strip_prefix("call").is_some_and(|n| n.parse::<u32>().is_ok());
            let values = match () {
                () if last == "some" => 1..=1,
                // The receiver's own calls were tried by the search.
                () if call && name.matches('.').count() > 1 => 1..=MOST_WAYS,
                () => continue,
            };
            found.extend(values.map(|value| {
                let mut model = start.clone();
                model.set_bits(var, value);
                model
            }));
        }
        found
    }

    /// Runs a model; what came of it, if that is no end.
    fn circle(&mut self, subject: &mut Subject, model: Assignment, number: usize) -> Option<Finished<Stage>> {
        let vm = &mut *self.vm;
        vm.start_run(model.clone());
        let before = vm.steps;
        let mut outcome = subject.execute(vm);
        let stage = subject.observe(vm, &outcome);
        let told = vm.trace.elems.len().min(TOLD);
        let elems = &vm.trace.elems[..told];
        let (path, condition): (Vec<Step>, Vec<TermId>) =
            elems.iter().map(|e| (Step::of(e), vm.trace.taken(e))).unzip();
        let steps = vm.steps - before;
        let endless = match &outcome {
            Outcome::Stopped(Stop::Steps) if vm.runs_on() => true,
            // A sum grows on the way, or each round decides something: numbers alone show whether it ends.
            Outcome::Stopped(Stop::Steps | Stop::Memory | Stop::Decisions) => {
                let goes_on = stage == Stage::Call && subject.goes_on(vm, &model);
                if goes_on {
                    outcome = Outcome::Stopped(Stop::Steps);
                }
                goes_on
            }
            Outcome::Threw(exception) => {
                &*vm.lang.classes[vm.heap.class(*exception)].name == "java/lang/StackOverflowError"
            }
            _ => false,
        };
        if !endless || stage != Stage::Call {
            return None;
        }
        Some(Finished {
            id: RunId(number as u32),
            end: End::of(vm, &outcome),
            model,
            outcome,
            observation: stage,
            path,
            condition,
            edges: Vec::new(),
            blocks: Vec::new(),
            meets: Vec::new(),
            new: Vec::new(),
            steps,
        })
    }
}
