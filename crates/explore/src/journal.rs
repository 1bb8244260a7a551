//! The journal: what attempts came to, as bytes, so that an exploration can go on where it was cut off.
//!
//! It holds inputs, verdicts and what the solver learned; no terms and no trees. Who goes on runs the inputs again
//! and asks no question twice; as explorations are deterministic, all else comes by itself. Where the bytes are
//! kept is the business of who hands the journal in.

use crate::budget::Times;
use crate::worker::{Attempt, Found, Job};
use ledger::Ledger;
use solver::News;
use term::wire::{Reader, Writer};
use term::{Assignment, Pool, Sort};

/// Keeps records. They come back in the order in which they were written.
pub trait Journal {
    /// The next record of the exploration that is being continued; `None` when it got no further.
    fn next(&mut self) -> Option<Vec<u8>>;

    /// Keeps a record. From the first one on, [`next`](Self::next) is not asked any more.
    fn keep(&mut self, record: &[u8]);
}

/// What an attempt came to.
pub(crate) struct Kept {
    verdict: Verdict,
    news: News,
    questions: u64,
    rlimit: u64,
    effort: u64,
}

enum Verdict {
    /// These inputs were run.
    Ran(Assignment),
    Unsat,
    Unknown(String),
    Failed(String),
    Nothing,
}

/// The record of a round.
pub(crate) struct Record {
    to: Writer,
    left: usize,
}

impl Record {
    pub(crate) fn new(jobs: usize) -> Record {
        let mut to = Writer::default();
        to.u64(jobs as u64);
        Record { to, left: jobs }
    }

    /// The next attempt.
    pub(crate) fn add<O>(&mut self, attempt: &Attempt<O>) {
        self.left = self.left.saturating_sub(1);
        let to = &mut self.to;
        to.u64(attempt.questions);
        to.u64(attempt.rlimit);
        to.u64(attempt.effort);
        match &attempt.found {
            Found::Ran(run) => {
                to.u8(0);
                assignment(to, &run.pool, &run.model);
            }
            Found::Unsat => to.u8(1),
            Found::Unknown(cause) => {
                to.u8(2);
                to.blob(cause.as_bytes());
            }
            Found::Failed(why) => {
                to.u8(3);
                to.blob(why.as_bytes());
            }
            Found::Nothing => to.u8(4),
        }
        attempt.news.encode(to);
    }

    /// The bytes, if the round was finished.
    pub(crate) fn whole(self) -> Option<Vec<u8>> {
        (self.left == 0).then_some(self.to.bytes)
    }
}

/// What a round of so many jobs came to; variables are those of the pool. `None` if the record is another's.
pub(crate) fn decode(bytes: &[u8], jobs: usize, pool: &mut Pool) -> Option<Vec<Kept>> {
    let mut from = Reader::new(bytes);
    if from.count()? != jobs {
        return None;
    }
    let mut kept = Vec::with_capacity(jobs);
    for _ in 0..jobs {
        let (questions, rlimit, effort) = (from.u64()?, from.u64()?, from.u64()?);
        let text = |from: &mut Reader<'_>| Some(String::from_utf8_lossy(from.blob()?).into_owned());
        let verdict = match from.u8()? {
            0 => Verdict::Ran(read_assignment(&mut from, pool)?),
            1 => Verdict::Unsat,
            2 => Verdict::Unknown(text(&mut from)?),
            3 => Verdict::Failed(text(&mut from)?),
            4 => Verdict::Nothing,
            _ => return None,
        };
        kept.push(Kept { verdict, news: News::decode(&mut from)?, questions, rlimit, effort });
    }
    from.is_empty().then_some(kept)
}

impl Kept {
    /// What is to be run again to know all that the attempt knew.
    pub(crate) fn job(&self) -> Option<Job> {
        match &self.verdict {
            Verdict::Ran(model) => Some(Job::Inputs(model.clone())),
            _ => None,
        }
    }

    /// The attempt as it was, given its run.
    pub(crate) fn attempt<O>(self, run: Option<Attempt<O>>) -> Option<Attempt<O>> {
        let (questions, rlimit, effort, news) = (self.questions, self.rlimit, self.effort, self.news);
        let found = match self.verdict {
            Verdict::Ran(_) => return run.map(|run| Attempt { questions, rlimit, effort, news, ..run }),
            Verdict::Unsat => Found::Unsat,
            Verdict::Unknown(cause) => Found::Unknown(cause),
            Verdict::Failed(why) => Found::Failed(why),
            Verdict::Nothing => Found::Nothing,
        };
        let (ledger, times) = (Ledger::default(), Times::default());
        Some(Attempt { found, worker: 0, news, ledger, steps: 0, questions, rlimit, effort, times })
    }
}

fn assignment(to: &mut Writer, pool: &Pool, model: &Assignment) {
    to.u64(model.len() as u64);
    for (var, value) in model.iter() {
        to.blob(pool.var_name(var).as_bytes());
        sort(to, pool.var_sort(var));
        to.value(value);
    }
}

fn read_assignment(from: &mut Reader<'_>, pool: &mut Pool) -> Option<Assignment> {
    let mut model = Assignment::new();
    for _ in 0..from.count()? {
        let name = std::str::from_utf8(from.blob()?).ok()?;
        let sort = read_sort(from)?;
        if let Some(var) = pool.var_by_name(name)
            && pool.var_sort(var) != sort
        {
            return None;
        }
        let term = pool.declare(name, sort);
        model.set(pool.var_of(term)?, from.value()?);
    }
    Some(model)
}

fn sort(to: &mut Writer, sort: Sort) {
    let (tag, a, b) = match sort {
        Sort::Bool => (0, 0, 0),
        Sort::Bv(width) => (1, width, 0),
        Sort::F32 => (2, 0, 0),
        Sort::F64 => (3, 0, 0),
        Sort::Array { index, elem } => (4, index, elem),
    };
    to.u8(tag);
    to.u64(a.into());
    to.u64(b.into());
}

fn read_sort(from: &mut Reader<'_>) -> Option<Sort> {
    let (tag, a, b) = (from.u8()?, u32::try_from(from.u64()?).ok()?, u32::try_from(from.u64()?).ok()?);
    let width = |w: u32| (1..=128).contains(&w).then_some(w);
    Some(match tag {
        0 => Sort::Bool,
        1 => Sort::Bv(width(a)?),
        2 => Sort::F32,
        3 => Sort::F64,
        4 => Sort::Array { index: width(a)?, elem: width(b)? },
        _ => return None,
    })
}
