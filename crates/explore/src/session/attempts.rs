//! Rounds: jobs for the workers, the journal, what an attempt may use.

use std::sync::{PoisonError, RwLock};

use ledger::Kind;
use solver::Limits;
use term::{Assignment, Pool, TermId};
use vm::{ElemKind, Lang};

use super::conclude::Again;
use super::{Session, State, Stopped};
use crate::breed::Brood;
use crate::budget::{RLIMIT_A_UNIT, STEPS_A_UNIT};
use crate::crew::{Crew, Round};
use crate::finished::RunId;
use crate::frontier::Candidate;
use crate::journal;
use crate::target::Target;
use crate::tree::Slot;
use crate::worker::{Attempt, Found, Job, Run, Share, Terms};

/// The budget may be passed by this part of it.
const SLACK: u64 = 20;
/// One attempt may take this part of what others can lend.
const LENT: u64 = 4;
/// After so many runs that did not end however long they went on, none is waited for.
const MOST_ENDLESS: u32 = 2;
/// A run may always take so many steps.
const MIN_STEPS: u64 = 10_000;

/// Who takes what came of a job; what is to be tried once more because of it, before anything else is taken.
type Conclude<'c, 'a, L, T> = dyn FnMut(
        &mut Session<'a, L, T>,
        &mut State<L, T>,
        usize,
        Attempt<<T as Target<L>>::Observation>,
    ) -> Option<Again>
    + 'c;

impl<'a, L, T> Session<'a, L, T>
where
    L: Lang + Clone + Send,
    T: Target<L> + Clone + Send,
    T::Observation: Send,
{
    /// Tries each candidate with what was known before the round; what the solvers learned is told to all after it.
    pub(super) fn attempt_all(
        &mut self,
        state: &mut State<L, T>,
        round: &[Candidate],
        mutants: &[(Slot, Assignment)],
        broods: Vec<Brood>,
    ) {
        let started = (self.clock)();
        let mut jobs: Vec<Job> = round.iter().map(|candidate| self.flip(state, candidate, None)).collect();
        jobs.extend(mutants.iter().map(|(_, model)| Job::Inputs(model.clone())));
        jobs.extend(broods.into_iter().map(Job::Breed));
        state.times.choosing += (self.clock)().saturating_sub(started);
        self.round(state, None, &jobs, self.cut, &mut |session, state, index, attempt| {
            match (round.get(index), mutants.get(index.saturating_sub(round.len()))) {
                (Some(candidate), _) => return session.conclude(state, candidate, attempt),
                (None, Some((slot, _))) => session.conclude_mutant(state, *slot, attempt),
                (None, None) => session.conclude_bred(state, attempt),
            }
            None
        });
    }

    /// Runs the example inputs.
    pub(super) fn sow(&mut self, state: &mut State<L, T>) {
        let seeds = std::mem::take(&mut self.seeds);
        let jobs: Vec<Job> = seeds.inputs.into_iter().map(Job::Inputs).collect();
        if jobs.is_empty() {
            return;
        }
        self.round(state, Some(&seeds.pool), &jobs, self.cut, &mut |session, state, _, attempt| {
            session.conclude_first(state, attempt);
            None
        });
    }

    /// A round, from the journal as far as it goes. Jobs are in terms of `pool`, or else of this machine's. `conclude` gets
    /// what came of them, in their order, while others are still being tried.
    pub(super) fn round(
        &mut self,
        state: &mut State<L, T>,
        pool: Option<&Pool>,
        jobs: &[Job],
        cut: &(dyn Fn() -> Option<Stopped> + Sync),
        conclude: &mut Conclude<'_, 'a, L, T>,
    ) {
        let share = self.share(state);
        if let Some(attempts) = self.replayed(state, jobs.len(), share) {
            self.conclude_rest(state, (0, attempts), None, conclude);
            return;
        }
        let round = Round { jobs, share, cut };
        // While others read the terms of jobs this machine makes more of them.
        let own = RwLock::new(if pool.is_none() { std::mem::take(&mut self.vm.pool) } else { Pool::new() });
        let terms = pool.map_or(Terms::Session(&own), Terms::Other);
        let mut crew = std::mem::replace(&mut state.crew, Crew::none());
        let mut books = std::mem::take(&mut state.books);
        let mut record = self.journal.is_some().then(|| journal::Record::new(jobs.len()));
        let (mut taken, mut again) = (0, None);
        let mut results = crew.pass(round, terms, &mut books, &mut |books, done| {
            let started = (self.clock)();
            while again.is_none() {
                let clear = |attempt: &Attempt<_>| match &attempt.found {
                    Found::Ran(run) => books.knows(attempt.worker, run),
                    _ => true,
                };
                let Some(attempt) = done.take_if(taken, clear) else { break };
                record.iter_mut().for_each(|record| record.add(&attempt));
                let mut lock = pool.is_none().then(|| own.write().unwrap_or_else(PoisonError::into_inner));
                lock.iter_mut().for_each(|own| std::mem::swap(&mut **own, &mut self.vm.pool));
                std::mem::swap(books, &mut state.books);
                again = conclude(self, state, taken, attempt);
                std::mem::swap(books, &mut state.books);
                lock.iter_mut().for_each(|own| std::mem::swap(&mut **own, &mut self.vm.pool));
                taken += 1;
            }
            let took = (self.clock)().saturating_sub(started);
            state.times.merging += took;
            took
        });
        if pool.is_none() {
            self.vm.pool = own.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        crew.mend((self.vm, self.target), round, pool, &mut books, (&mut results, taken));
        (state.crew, state.books) = (crew, books);
        if let (Some(mut record), Some(journal)) = (record, &mut self.journal) {
            results.iter().skip(taken).flatten().for_each(|attempt| record.add(attempt));
            record.whole().iter().for_each(|record| journal.keep(record));
        }
        self.conclude_rest(state, (taken, results), again, conclude);
    }

    /// What is left of a round when all was tried, behind so many that were taken before.
    fn conclude_rest(
        &mut self,
        state: &mut State<L, T>,
        (taken, results): (usize, Vec<Option<Attempt<T::Observation>>>),
        again: Option<Again>,
        conclude: &mut Conclude<'_, 'a, L, T>,
    ) {
        let started = (self.clock)();
        if let Some(again) = again {
            self.try_again(state, again);
        }
        for (index, attempt) in results.into_iter().enumerate().skip(taken) {
            // Only a cut leaves a job without an attempt.
            if let Some(attempt) = attempt
                && let Some(again) = conclude(self, state, index, attempt)
            {
                self.try_again(state, again);
            }
        }
        let took = (self.clock)().saturating_sub(started);
        state.times.merging += took;
        state.merged_alone += took;
    }

    /// What the next round came to before the exploration was cut off: its inputs are run again.
    pub(super) fn replayed(
        &mut self,
        state: &mut State<L, T>,
        jobs: usize,
        share: Share<'_>,
    ) -> Option<Vec<Option<Attempt<T::Observation>>>> {
        let record = self.journal.as_mut()?.next()?;
        // A pool of its own: what came into being when must not depend on how far the journal goes.
        let mut pool = Pool::new();
        let kept = journal::decode(&record, jobs, &mut pool)?;
        let again: Vec<Job> = kept.iter().filter_map(journal::Kept::job).collect();
        let mut runs = match again.is_empty() {
            true => Vec::new(),
            false => {
                let round = Round { jobs: &again, share, cut: &|| None };
                let terms = Terms::Other(&pool);
                let mut runs = state.crew.pass(round, terms, &mut state.books, &mut |_, _| 0);
                let (machine, books) = ((&mut *self.vm, &*self.target), &mut state.books);
                state.crew.mend(machine, round, Some(&pool), books, (&mut runs, 0));
                runs
            }
        }
        .into_iter();
        let attempt = |kept: journal::Kept| {
            let run = kept.job().and_then(|_| runs.next().flatten());
            kept.attempt(run)
        };
        Some(kept.into_iter().map(attempt).collect())
    }

    /// Inputs that take a candidate are to be found.
    pub(super) fn flip(&self, state: &State<L, T>, candidate: &Candidate, but: Option<TermId>) -> Job {
        let mut assertions = state.tree.path_condition(candidate.slot);
        assertions.extend(but);
        let first = candidate.slot.node().map(|node| {
            let node = state.tree.node(node);
            node.ended.unwrap_or(node.run).0 as usize
        });
        // An object in another state is of use where something is wanted: with the other inputs of a run that came there.
        let near = match candidate.kind {
            ElemKind::Prefer if candidate.order.is_multiple_of(2) => state.near.iter().position(|near| *near),
            _ => None,
        };
        let hint = near.or(first).and_then(|run| state.finished.get(run)).map(|f| f.model.clone());
        Job::Flip { assertions, hint }
    }

    /// One attempt by itself.
    pub(super) fn attempt(&mut self, state: &mut State<L, T>, job: &Job) -> Attempt<T::Observation> {
        let mut found = None;
        self.round(state, None, std::slice::from_ref(job), &|| None, &mut |_, _, _, attempt| {
            found = Some(attempt);
            None
        });
        found.unwrap_or_else(|| unreachable!("the first job of a round is always done"))
    }

    /// What an attempt may use: near the end of the budget not more than is left of it.
    pub(super) fn share(&self, state: &State<L, T>) -> Share<'a> {
        let left = self.options.work.saturating_sub(state.spent.work());
        // Others lend for what is wanted only.
        let lent = if state.wanted.iter().any(|wanted| *wanted) { self.options.overdraft / LENT } else { 0 };
        let left = left + (self.options.work / SLACK).max(lent);
        let rlimit = left.saturating_mul(RLIMIT_A_UNIT).min(u32::MAX.into()) as u32;
        let circuits = left.saturating_mul(RLIMIT_A_UNIT).min(self.options.solver.circuits);
        let solver =
            Limits { rlimit: self.options.solver.rlimit.min(rlimit), circuits, ..self.options.solver };
        let steps = self.vm.limits.steps.min(left.saturating_mul(STEPS_A_UNIT).max(MIN_STEPS));
        let quiet = match state.endless < MOST_ENDLESS {
            true => self.vm.limits.quiet.min(left.saturating_mul(STEPS_A_UNIT)),
            false => 0,
        };
        Share { solver, steps, quiet, states: self.joins(state), clock: self.clock }
    }

    /// Counts what an attempt took.
    pub(super) fn count(&mut self, state: &mut State<L, T>, attempt: &mut Attempt<T::Observation>) {
        let before = state.spent.work();
        state.spent.steps += attempt.steps;
        state.spent.questions += attempt.questions;
        state.spent.rlimit += attempt.rlimit;
        state.spent.effort += attempt.effort;
        state.spent.flips += u64::from(attempt.questions > 0);
        state.spent.infeasible += u64::from(matches!(attempt.found, Found::Unsat));
        state.times.add(&attempt.times);
        state.spent.runs += u64::from(matches!(attempt.found, Found::Ran(_)));
        state.dearest = state.dearest.max(state.spent.work() - before);
        self.vm.ledger.merge(&attempt.ledger);
        state.books.teach(std::mem::take(&mut attempt.news));
    }

    /// The run of an attempt in this machine's terms. Where it met code that this machine has never seen it is
    /// run again here.
    pub(super) fn localise(
        &mut self,
        state: &mut State<L, T>,
        worker: usize,
        mut run: Run<T::Observation>,
    ) -> Run<T::Observation> {
        let knows = state.books.knows(worker, &run);
        if knows || state.crew.learn(&self.vm.lang, &mut state.books, worker, &run).is_some() {
            state.books.translate(&mut self.vm.pool, worker, &mut run);
            return run;
        }
        let ledger = self.vm.ledger.clone();
        let model = self.vm.pool.import_assignment(&run.pool, &run.model);
        self.vm.digesting = self.joins(state);
        let here = crate::worker::run(self.vm, self.target, model);
        self.vm.ledger = ledger;
        here
    }

    /// Mutated inputs for what the solver gave up, as long as anything is wanted.
    pub(super) fn mutants(
        &mut self,
        state: &mut State<L, T>,
        flips: usize,
        stopped: Option<Stopped>,
    ) -> Vec<(Slot, Assignment)> {
        let wanted = state.wanted.iter().any(|wanted| *wanted);
        let go_on = matches!(stopped, None | Some(Stopped::Complete));
        if !wanted || !go_on || self.check_budget_always(state).is_err() {
            return Vec::new();
        }
        let flips = if flips == 0 { self.options.batch as usize } else { flips };
        let runs_left = self.options.max_paths.saturating_sub(state.spent.runs) as usize;
        let mut mutants = state.fuzz.round(&self.vm.pool, &state.tree, flips, stopped.is_some());
        mutants.truncate(runs_left.saturating_sub(if stopped.is_some() { 0 } else { flips }));
        mutants
    }

    /// Inputs are to be bred, if it is time for that and anything is wanted.
    pub(super) fn broods(&mut self, state: &mut State<L, T>) -> Vec<Brood> {
        let wanted = state.wanted.iter().any(|wanted| *wanted);
        if self.options.exhaustive || !wanted || self.check_budget_always(state).is_err() {
            return Vec::new();
        }
        state.nursery.next((&state.finished, &state.near), state.fruitless, state.spent.work())
    }

    /// Tries what runs asked for: another object or type for an input than they got. Each question is asked once,
    /// where the input is decided on: decisions further down belong to what it was.
    pub(super) fn serve(&mut self, state: &mut State<L, T>) {
        while !state.demands.is_empty() {
            if self.check_budget(state).is_err() && state.tree.open() > 0 {
                return;
            }
            let count = self.round_size(state).min(state.demands.len());
            let demands: Vec<(Slot, TermId, RunId)> = state.demands.drain(..count).collect();
            let jobs: Vec<Job> = demands
                .into_iter()
                .map(|(slot, wanted, run)| {
                    let mut assertions = state.tree.path_condition(slot);
                    assertions.push(wanted);
                    let hint = state.finished.get(run.0 as usize).map(|f| f.model.clone());
                    Job::Flip { assertions, hint }
                })
                .collect();
            self.round(state, None, &jobs, self.cut, &mut |session, state, _, mut attempt| {
                session.count(state, &mut attempt);
                match attempt.found {
                    Found::Ran(run) => {
                        let run = session.localise(state, attempt.worker, *run);
                        session.merge(state, run, None);
                    }
                    Found::Unsat | Found::Nothing => {}
                    Found::Unknown(cause) => session.vm.ledger.note(Kind::SolverUnknown, "inputs", cause),
                    Found::Failed(why) => session.note_failure(why),
                }
                None
            });
        }
    }
}
