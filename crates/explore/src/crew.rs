//! The workers of a session, and how they share a round.
//!
//! Attempts do not depend on each other, so any worker may make any of them. What came of them is put into the tree in their
//! order and by one thread, the session's, which makes attempts too: between two of its own it takes what is done already,
//! so that little of it is left when the round is.

use crate::books::Books;
use crate::session::Stopped;
use crate::target::Target;
use crate::worker::{Attempt, Found, Job, Run, Share, Terms, Worker};
use solver::{Chain, Known, Stats};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use term::Pool;
use vm::{Lang, Vm};

/// All workers of a session.
pub(crate) struct Crew<L: Lang, T> {
    workers: Vec<Worker<L, T>>,
    /// How long the rounds take together where each worker has a processor of its own.
    pub(crate) waiting: u64,
}

/// What came of a round's attempts so far, in the order of the jobs.
pub(crate) struct Done<O> {
    results: Vec<Mutex<Option<Attempt<O>>>>,
}

impl<O> Done<O> {
    fn at(&self, index: usize) -> Option<MutexGuard<'_, Option<Attempt<O>>>> {
        Some(self.results.get(index)?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the result of a job, if it is there and wanted.
    pub(crate) fn take_if(
        &self,
        index: usize,
        wanted: impl FnOnce(&Attempt<O>) -> bool,
    ) -> Option<Attempt<O>> {
        let mut result = self.at(index)?;
        result.as_ref().is_some_and(wanted).then(|| result.take()).flatten()
    }
}

/// What a round is about.
#[derive(Clone, Copy)]
pub(crate) struct Round<'a> {
    pub jobs: &'a [Job],
    pub share: Share<'a>,
    pub cut: &'a (dyn Fn() -> Option<Stopped> + Sync),
}

impl<L, T> Crew<L, T>
where
    L: Lang + Clone + Send,
    T: Target<L> + Clone + Send,
    T::Observation: Send,
{
    pub(crate) fn new(count: usize, vm: &mut Vm<L>, target: &T, chain: &dyn Fn() -> Chain) -> Crew<L, T> {
        let known = Known::default();
        let chain = || {
            let mut chain = chain();
            chain.join(&known);
            chain
        };
        let workers = (0..count.max(1)).map(|_| Worker::new(vm, target, chain())).collect();
        Crew { workers, waiting: 0 }
    }

    /// Nobody.
    pub(crate) fn none() -> Crew<L, T> {
        Crew { workers: Vec::new(), waiting: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.workers.len()
    }

    /// Makes attempts at all jobs, unless `cut` ends them early. `meanwhile` is called by this thread between its own
    /// attempts: it may take results, and says what that took of the clock.
    pub(crate) fn pass(
        &mut self,
        Round { jobs, share, cut }: Round<'_>,
        terms: Terms<'_>,
        books: &mut Books,
        meanwhile: &mut dyn FnMut(&mut Books, &Done<T::Observation>) -> u64,
    ) -> Vec<Option<Attempt<T::Observation>>> {
        let next = AtomicUsize::new(0);
        let done = Done { results: jobs.iter().map(|_| Mutex::new(None)).collect() };
        let worked = Mutex::new((0, 0));
        // One attempt; whether there may be another.
        let one = |id: usize, worker: &mut Worker<L, T>| -> bool {
            let index = next.fetch_add(1, Ordering::Relaxed);
            // Who is out of time need not finish the round; without a cut every round is finished.
            let Some(job) = jobs.get(index) else { return false };
            if index > 0 && (cut().is_some() || worker.vm.interrupt.load(Ordering::Relaxed)) {
                return false;
            }
            let attempt = worker.guarded(id, terms, job, share);
            let took = attempt.times.total();
            let mut worked = worked.lock().unwrap_or_else(PoisonError::into_inner);
            *worked = (worked.0 + took, worked.1.max(took));
            drop(worked);
            if let Some(mut result) = done.at(index) {
                *result = Some(attempt);
            }
            !worker.failed
        };
        let helpers = self.workers.len().min(jobs.len()).max(1);
        let mut merged = 0;
        if let Some((first, others)) = self.workers.split_first_mut() {
            // All of them know what the first is told.
            books.news().iter().for_each(|news| first.chain.absorb(news));
            let mut waste = books.waste().into_iter();
            let own = waste.next();
            std::thread::scope(|scope| {
                for (index, worker) in others.iter_mut().take(helpers - 1).enumerate() {
                    let (one, waste) = (&one, waste.next());
                    scope.spawn(move || {
                        drop(waste);
                        while one(index + 1, worker) {}
                    });
                }
                drop(own);
                while one(0, first) {
                    merged += meanwhile(books, &done);
                }
                merged += meanwhile(books, &done);
            });
        }
        let (all, longest) = worked.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.waiting += (all + merged).div_ceil(helpers as u64).max(longest).max(merged);
        done.results.into_iter().map(|r| r.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// Replaces workers that failed, and does again what they had done and nobody took. Once: what fails again has failed.
    pub(crate) fn mend(
        &mut self,
        (vm, target): (&mut Vm<L>, &T),
        round: Round<'_>,
        pool: Option<&Pool>,
        books: &mut Books,
        (results, taken): (&mut [Option<Attempt<T::Observation>>], usize),
    ) {
        let failed: Vec<bool> = self.workers.iter().map(|worker| worker.failed).collect();
        if !failed.contains(&true) {
            return;
        }
        self.replace_failed(vm, target, books);
        for (index, result) in results.iter_mut().enumerate().skip(taken) {
            // Runs of a machine that is gone cannot be understood any more.
            let again = |attempt: &Attempt<_>| {
                matches!(attempt.found, Found::Failed(_))
                    || matches!(attempt.found, Found::Ran(_)) && failed.get(attempt.worker) == Some(&true)
            };
            if result.as_ref().is_none_or(again) {
                let alone = Round { jobs: &round.jobs[index..=index], ..round };
                let terms = Terms::Other(pool.unwrap_or(&vm.pool));
                *result = self.pass(alone, terms, books, &mut |_, _| 0).pop().flatten();
                self.replace_failed(vm, target, books);
            }
        }
    }

    /// The solver goes on: it knows what the others know, and starts anew with every attempt.
    fn replace_failed(&mut self, vm: &mut Vm<L>, target: &T, books: &mut Books) {
        for (id, worker) in self.workers.iter_mut().enumerate().filter(|(_, worker)| worker.failed) {
            worker.chain.new_batch();
            let chain = std::mem::take(&mut worker.chain);
            *worker = Worker::new(vm, target, chain);
            books.forget(id);
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut all = Stats::default();
        self.workers.iter().for_each(|worker| all.add(worker.chain.stats()));
        all
    }

    /// Enters what a worker's names mean here; `None` if it came across code that this machine has not seen yet.
    pub(crate) fn learn(
        &self,
        lang: &L,
        books: &mut Books,
        id: usize,
        run: &Run<T::Observation>,
    ) -> Option<()> {
        books.learn(id, run, lang, &self.workers.get(id)?.vm.lang)
    }
}
