//! What came of an attempt.

use ledger::Kind;
use term::{Assignment, TermId};
use vm::{ElemKind, Lang};

use super::merge::Merged;
use super::{Event, Session, State};
use crate::frontier::{Candidate, Tried};
use crate::target::Target;
use crate::tree::{Child, GaveUp, Slot};
use crate::worker::{Attempt, Found};

/// A candidate whose run went elsewhere: to be tried with other inputs than that had.
pub(super) struct Again {
    candidate: Candidate,
    other: TermId,
    new: bool,
}

fn ran(merged: &Merged) -> Tried {
    match merged.reached {
        true => Tried::Ran { new: merged.new },
        false => Tried::GaveUp,
    }
}

impl<L, T> Session<'_, L, T>
where
    L: Lang + Clone + Send,
    T: Target<L> + Clone + Send,
    T::Observation: Send,
{
    pub(super) fn conclude_first(&mut self, state: &mut State<L, T>, mut attempt: Attempt<T::Observation>) {
        self.count(state, &mut attempt);
        match attempt.found {
            Found::Ran(run) => {
                let run = self.localise(state, attempt.worker, *run);
                self.merge(state, run, None);
            }
            Found::Failed(why) => self.note_failure(why),
            Found::Unsat | Found::Unknown(_) | Found::Nothing => {}
        }
    }

    /// The solver does not help: mutation may.
    pub(super) fn stuck(&mut self, state: &mut State<L, T>, candidate: &Candidate) {
        if let Some(run) = state.finished.get(candidate.run.0 as usize) {
            state.fuzz.add(&self.vm.pool, &state.tree, candidate.slot, &run.model);
        }
    }

    pub(super) fn conclude_mutant(
        &mut self,
        state: &mut State<L, T>,
        slot: Slot,
        mut attempt: Attempt<T::Observation>,
    ) {
        self.count(state, &mut attempt);
        state.spent.fuzzed += 1;
        match attempt.found {
            Found::Ran(run) => {
                let run = self.localise(state, attempt.worker, *run);
                let model = run.model.clone();
                let merged = self.merge(state, run, None);
                state.fuzz.feedback(&self.vm.pool, slot, &model, merged.new);
            }
            Found::Failed(why) => self.note_failure(why),
            Found::Unsat | Found::Unknown(_) | Found::Nothing => {}
        }
    }

    pub(super) fn conclude_bred(&mut self, state: &mut State<L, T>, mut attempt: Attempt<T::Observation>) {
        let before = state.spent.work();
        self.count(state, &mut attempt);
        let new = match attempt.found {
            Found::Ran(run) => {
                state.spent.fuzzed += 1;
                let run = self.localise(state, attempt.worker, *run);
                self.merge(state, run, None).new
            }
            Found::Failed(why) => {
                self.note_failure(why);
                false
            }
            Found::Unsat | Found::Unknown(_) | Found::Nothing => false,
        };
        state.nursery.feedback(state.spent.work() - before, new);
    }

    pub(super) fn note_failure(&mut self, why: String) {
        let reason = format!("bug: the machine failed: {why}");
        self.vm.ledger.note(Kind::UnsupportedConstruct, "exploration", reason);
    }

    /// Puts the result of a candidate where it belongs; one that strayed is to be tried once more another way.
    pub(super) fn conclude(
        &mut self,
        state: &mut State<L, T>,
        candidate: &Candidate,
        mut attempt: Attempt<T::Observation>,
    ) -> Option<Again> {
        state.fruitless += 1;
        self.count(state, &mut attempt);
        let tried = match attempt.found {
            Found::Ran(run) => {
                let run = self.localise(state, attempt.worker, *run);
                let other = self.other_inputs(candidate, state, &run.model);
                let merged = self.merge(state, run, Some(candidate.slot));
                if !merged.reached && state.tree.child(candidate.slot) == Child::Open {
                    return Some(Again { candidate: *candidate, other, new: merged.new });
                }
                ran(&merged)
            }
            Found::Failed(why) => {
                state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Failed));
                self.note_failure(why);
                Tried::GaveUp
            }
            // Not of a flip.
            Found::Nothing => Tried::GaveUp,
            Found::Unsat => {
                state.tree.set_child(candidate.slot, Child::Infeasible);
                (self.observer)(Event::Infeasible {
                    site: candidate.site,
                    alternative: candidate.alternative,
                });
                Tried::Infeasible
            }
            Found::Unknown(cause) => {
                state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Solver));
                self.stuck(state, candidate);
                let place = state.code.place(self.vm, candidate.site);
                self.vm.ledger.note(Kind::SolverUnknown, place, cause.clone());
                let (site, alternative) = (candidate.site, candidate.alternative);
                (self.observer)(Event::Unknown { site, alternative, cause });
                Tried::GaveUp
            }
        };
        self.tell(state, candidate, tried);
        None
    }

    /// Tries a candidate once more whose run went elsewhere.
    pub(super) fn try_again(&mut self, state: &mut State<L, T>, again: Again) {
        let Again { candidate, other, new } = again;
        let mut merged = Merged { new, reached: false };
        let job = self.flip(state, &candidate, Some(other));
        let mut attempt = self.attempt(state, &job);
        self.count(state, &mut attempt);
        if let Found::Ran(run) = attempt.found {
            let run = self.localise(state, attempt.worker, *run);
            let second = self.merge(state, run, Some(candidate.slot));
            merged = Merged { new: new || second.new, reached: second.reached };
        }
        if !merged.reached && state.tree.child(candidate.slot) == Child::Open {
            state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Diverged));
            self.stuck(state, &candidate);
        }
        self.tell(state, &candidate, ran(&merged));
    }

    /// Tells those who choose what came of a candidate.
    fn tell(&mut self, state: &mut State<L, T>, candidate: &Candidate, tried: Tried) {
        // Another object or index is never seen as such: each run says which one it picked.
        if !matches!(tried, Tried::Ran { .. }) || matches!(candidate.kind, ElemKind::Which | ElemKind::Fresh)
        {
            state.checks.refused(candidate.site, candidate.alternative);
        }
        self.strategy.feedback(candidate, tried);
    }

    /// "Not these values for what the candidate's condition is about."
    pub(super) fn other_inputs(
        &mut self,
        candidate: &Candidate,
        state: &State<L, T>,
        model: &Assignment,
    ) -> TermId {
        let pool = &mut self.vm.pool;
        let Some(node) = candidate.slot.node() else { return pool.bool(false) };
        let condition = state.tree.condition(node, candidate.alternative);
        let mut others = Vec::new();
        for var in pool.vars(condition).iter() {
            let sort = pool.var_sort(*var);
            if sort.is_array() {
                continue;
            }
            let value = pool.constant(sort, model.bits(*var));
            let term = pool.var_term(*var);
            others.push(pool.ne(term, value));
        }
        pool.any(&others)
    }
}
