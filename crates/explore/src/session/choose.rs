//! What is tried next, and whether anything may be tried at all.

use std::sync::atomic::Ordering;

use ledger::Kind;
use vm::Lang;

use super::{RETURN_TRIES, SHOW_TRIES, Session, State, Stopped};
use crate::frontier::{Candidate, Guide};
use crate::joined::Look;
use crate::target::Target;
use crate::tree::{Child, GaveUp};

/// So many flips without anything new raise doubts.
const DOUBT: u32 = 100;
/// How much more often loops are gone through where what is wanted needs it.
const LONGER: u32 = 4;

/// What the ledger says of loops that were not gone through more often.
pub(super) fn beyond(loop_bound: u32) -> String {
    format!("after {loop_bound} times")
}

impl<L, T> Session<'_, L, T>
where
    L: Lang + Clone + Send,
    T: Target<L> + Clone + Send,
    T::Observation: Send,
{
    /// The next round's candidates, or why there is none.
    pub(super) fn choose(&mut self, state: &mut State<L, T>) -> Result<Vec<Candidate>, Stopped> {
        self.check_budget(state)?;
        self.doubt(state);
        state.rounds += 1;
        let batch = self.round_size(state);
        let mut round = Vec::with_capacity(batch);
        let met = !state.wanted.contains(&true) && !self.shows(state);
        while round.len() < batch {
            let guide = Guide {
                goal: self.goal,
                wanted: &state.wanted,
                code: &state.code,
                checks: &state.checks,
                near: &state.near,
                gains: &state.gains,
                taken: &state.taken,
                round: state.rounds,
            };
            let Some(candidate) = self.strategy.next(&guide) else {
                // Nothing else is left but what waits.
                let go = match round.is_empty() {
                    true => state.joined.wake(&self.vm.pool, &mut state.tree),
                    false => Vec::new(),
                };
                if go.is_empty() {
                    break;
                }
                go.into_iter().for_each(|candidate| self.strategy.add(candidate));
                continue;
            };
            // A run that strayed may have been there meanwhile.
            if state.tree.child(candidate.slot) != Child::Open {
                continue;
            }
            if self.joins(state) {
                match state.joined.look(&self.vm.pool, &state.tree, &candidate) {
                    Look::Try => {}
                    Look::Joined(slot) => {
                        state.tree.set_child(candidate.slot, Child::Joined(slot));
                        continue;
                    }
                    Look::Wait => continue,
                }
            }
            let fresh = guide.is_fresh_check(&candidate);
            // What only changes a message comes last, and no round is filled up with it: what that brings may lead on.
            if candidate.doomed
                && (round.iter().any(|other: &Candidate| !other.doomed) || self.goes_on(state))
            {
                self.strategy.add(candidate);
                match round.is_empty() {
                    true => continue,
                    false => break,
                }
            }
            if state.tries.get(&candidate.site.func).copied().unwrap_or(0) >= self.options.function_tries {
                self.give_up(state, &candidate, Kind::PathLimit, "paths of this function");
                continue;
            }
            if met && !self.options.exhaustive && !fresh {
                state.left += 1;
                continue;
            }
            *state.tries.entry(candidate.site.func).or_insert(0) += 1;
            round.push(candidate);
        }
        match round.is_empty() {
            false => Ok(round),
            true if state.left > 0 => Err(Stopped::Met),
            true if self.goes_on(state) => self.choose(state),
            true => Err(Stopped::Complete),
        }
    }

    /// A test of a failure says little of what was computed before it, and a suite that only shows failures shows too little: with
    /// everything met, runs that return are looked for as well, for a while.
    fn shows(&mut self, state: &mut State<L, T>) -> bool {
        if !state.is_to_show() || self.goal.never_returns() {
            return false;
        }
        if !state.showing {
            state.showing = true;
            state.fruitless = 0;
            self.measure(state);
            self.note_near(state, true);
        }
        state.fruitless < if state.returned { SHOW_TRIES } else { RETURN_TRIES }
    }

    /// Where nothing new comes, it is asked whether what is still wanted can be had at all, once. Who wants every path gets
    /// them whatever they lead to.
    fn doubt(&mut self, state: &mut State<L, T>) {
        let in_vain = state.fruitless >= DOUBT && state.wanted.contains(&true);
        if !in_vain || self.options.exhaustive {
            return;
        }
        let Some(doubts) = self.doubts.take() else { return };
        let met: Vec<bool> = state.covered.iter().map(Option::is_some).collect();
        state.refuted = doubts(&met);
        state.leave_refuted();
        self.measure(state);
    }

    /// Where nothing else is left and something is still wanted, loops are gone through more often, once.
    fn goes_on(&mut self, state: &mut State<L, T>) -> bool {
        if self.options.exhaustive || !state.wanted.contains(&true) {
            return false;
        }
        let Some(mut again) = state.bounded.take() else { return false };
        // All that lay beyond the bound is tried now.
        self.vm.ledger.forget(Kind::LoopBound, &beyond(self.options.loop_bound));
        self.options.loop_bound = self.options.loop_bound.saturating_mul(LONGER);
        again.retain(|slot| matches!(state.tree.child(*slot), Child::GaveUp(_)));
        for slot in &again {
            if let Some(node) = slot.node() {
                let node = *state.tree.node(node);
                state.tree.set_child(*slot, Child::Open);
                self.add_candidate(state, *slot, &node, false);
            }
        }
        !again.is_empty()
    }

    /// Whether runs are to be compared by the states in which they decided: not in short explorations, and not where every
    /// path counts.
    pub(super) fn joins(&self, state: &State<L, T>) -> bool {
        let long = state.spent.runs >= self.options.join_after;
        long && !self.options.exhaustive && !self.goal.walks() && !state.joined.has_ended()
    }

    /// Leaves an alternative that lies beyond a bound, and says so.
    pub(super) fn give_up(
        &mut self,
        state: &mut State<L, T>,
        candidate: &Candidate,
        kind: Kind,
        reason: &str,
    ) {
        state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Bound));
        let place = state.code.place(self.vm, candidate.site);
        self.vm.ledger.note(kind, place, reason);
    }

    /// How many candidates are tried before the next look at the results: more where more are open. Fewer where the
    /// budget would not last for them.
    pub(super) fn round_size(&self, state: &State<L, T>) -> usize {
        let open = state.tree.open();
        let share = if self.options.exhaustive { 2 } else { 32 };
        let least = u64::from(self.options.batch);
        let wanted = (open / share).clamp(least, least.max(self.options.batch_most.into()));
        let runs_left = self.options.max_paths.saturating_sub(state.spent.runs);
        let work_left = self.options.work.saturating_sub(state.spent.work());
        let affordable = work_left / state.dearest.max(1);
        wanted.min(runs_left).min(affordable).max(1) as usize
    }

    /// Bytes in use, about: figures a term, a node and a run as they were measured.
    pub(super) fn memory(&self, state: &State<L, T>) -> u64 {
        self.vm.pool.len() as u64 * 110 + state.tree.len() as u64 * 150 + state.kept
    }

    pub(super) fn check_budget(&self, state: &State<L, T>) -> Result<(), Stopped> {
        // What is complete has not run out of anything.
        match state.tree.open() == 0 && !self.vm.interrupt.load(Ordering::Relaxed) {
            true => Ok(()),
            false => self.check_budget_always(state),
        }
    }

    pub(super) fn check_budget_always(&self, state: &State<L, T>) -> Result<(), Stopped> {
        if self.vm.interrupt.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        if self.options.max_bugs.is_some_and(|most| state.bugs.len() as u64 >= most.into()) {
            return Err(Stopped::Bugs);
        }
        if let Some(stopped) = (self.cut)() {
            return Err(stopped);
        }
        if state.spent.runs >= self.options.max_paths {
            return Err(Stopped::Paths);
        }
        if state.spent.work() >= self.options.work {
            return Err(Stopped::Work);
        }
        if self.memory(state) >= self.options.memory {
            return Err(Stopped::Memory);
        }
        if !self.options.exhaustive && state.fruitless >= self.options.patience {
            return Err(Stopped::NothingNew);
        }
        Ok(())
    }
}
