//! The frontier: alternatives nobody took yet, and the trait by which a strategy picks among them.

use crate::code::Code;
use crate::finished::RunId;
use crate::goal::{Aim, Goal, ObligationId};
use crate::tree::Slot;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use vm::{ElemKind, Site};

/// An alternative that may be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub slot: Slot,
    pub site: Site,
    /// Where its function was called from: what a helper decides for one caller is not what it decides for another.
    pub caller: Site,
    pub kind: ElemKind,
    pub alternative: u32,
    /// Decisions above it.
    pub depth: u32,
    /// How often the site had decided before on this path.
    pub visit: u32,
    /// A wish, or below one that was not granted: for when nothing else is left.
    pub unwished: bool,
    /// Decided while inputs were made.
    pub input: bool,
    /// Decided while inputs were made, by code that is not tracked.
    pub aside: bool,
    /// Among the last decisions of a run whose inputs could not be made: another way may be all that they want.
    pub mends: bool,
    /// It changes nothing but what the message of an exception says ([`vm::Elem::doomed`]).
    pub doomed: bool,
    /// The run that met the decision first.
    pub run: RunId,
    /// Candidates are numbered as they are found.
    pub order: u64,
    /// Where it leads.
    pub leads: crate::code::Leads,
    /// What it comes near to, the nearest first, as far as that was told when it was found.
    pub aims: [Option<Aim>; AIMS],
}

/// So many aims of a candidate are kept.
pub const AIMS: usize = 4;

/// What came of trying a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// A run took it; whether it met an obligation first.
    Ran {
        new: bool,
    },
    Infeasible,
    GaveUp,
}

/// Picks what to try next. One file each in `strategy/`; `docs/add-a-strategy.md` tells how.
pub trait Strategy {
    /// A candidate was found, or one that was handed out is to be tried once more.
    fn add(&mut self, candidate: Candidate);

    /// The next to try; `None` only if there is none left.
    fn next(&mut self, guide: &Guide<'_>) -> Option<Candidate>;

    /// What came of one.
    fn feedback(&mut self, _candidate: &Candidate, _tried: Tried) {}
}

/// What a strategy may want to know.
pub struct Guide<'a> {
    pub(crate) goal: &'a dyn Goal,
    pub(crate) wanted: &'a [bool],
    pub(crate) code: &'a Code,
    pub(crate) checks: &'a Checks,
    pub(crate) near: &'a [bool],
    pub(crate) gains: &'a [u32],
    pub(crate) taken: &'a FxHashMap<(Site, u32), u32>,
    /// Counts the rounds: within one, nothing else here changes.
    pub round: u64,
}

impl Guide<'_> {
    /// Whether the candidate takes an edge that an unmet obligation asks for.
    pub fn is_wanted(&self, candidate: &Candidate) -> bool {
        candidate.leads.edge.is_some_and(|edge| self.goal.of_edge(edge).iter().any(|o| self.is_unmet(*o)))
    }

    /// Whether the candidate's run came to a branch that an unmet obligation wants to go another way: what was
    /// decided before, anywhere, may be all that is in the way.
    pub fn is_near(&self, candidate: &Candidate) -> bool {
        self.near.get(candidate.run.0 as usize).copied().unwrap_or(false)
    }

    /// Whether the candidate is a check of tracked code that no run has seen going that way, or another
    /// object or index than before, and was not tried often enough yet.
    pub fn is_fresh_check(&self, candidate: &Candidate) -> bool {
        let asks = match candidate.kind {
            ElemKind::Check(_) | ElemKind::Which => candidate.leads.tracked,
            // What the caller wants to know of the result.
            ElemKind::Branch => candidate.site.is_outside(),
            ElemKind::Assume | ElemKind::Prefer | ElemKind::Fresh => false,
        };
        asks && self.checks.is_fresh(candidate.site, candidate.alternative)
    }

    /// Blocks and calls from where the candidate leads to the nearest place that is wanted, of whatever function.
    pub fn distance(&self, candidate: &Candidate) -> u32 {
        self.code.distance(candidate.site.func, candidate.leads.block)
    }

    /// How many obligations a run met first.
    pub fn gain(&self, run: RunId) -> u32 {
        self.gains.get(run.0 as usize).copied().unwrap_or(0)
    }

    /// How often runs decided so.
    pub fn taken(&self, site: Site, alternative: u32) -> u32 {
        self.taken.get(&(site, alternative)).copied().unwrap_or(0)
    }

    /// Whether an obligation is still worth meeting.
    pub fn is_unmet(&self, obligation: ObligationId) -> bool {
        self.wanted.get(obligation as usize).copied().unwrap_or(false)
    }
}

/// Which way each check has gone, and how often it refused to go the other.
#[derive(Default)]
pub(crate) struct Checks {
    seen: BTreeSet<(Site, u32)>,
    refused: BTreeMap<(Site, u32), u32>,
    tries: u32,
}

impl Checks {
    /// A check that refused so often is left alone.
    pub(crate) fn new(tries: u32) -> Checks {
        Checks { tries, ..Checks::default() }
    }

    pub(crate) fn saw(&mut self, site: Site, choice: u32) {
        self.seen.insert((site, choice));
    }

    pub(crate) fn refused(&mut self, site: Site, choice: u32) {
        *self.refused.entry((site, choice)).or_insert(0) += 1;
    }

    fn is_fresh(&self, site: Site, choice: u32) -> bool {
        let refused = self.refused.get(&(site, choice)).copied().unwrap_or(0);
        !self.seen.contains(&(site, choice)) && refused < self.tries
    }
}
