//! For criteria that ask for more than single edges: what comes nearest to an obligation that was tried least, and in
//! between what another strategy picks, as what stands in the way may lie elsewhere.

use crate::frontier::{Candidate, Guide, Strategy, Tried};
use crate::goal::ObligationId;
use std::collections::{BTreeMap, BTreeSet};

/// Every so many picks the other strategy has its turn.
const ASIDE: u64 = 4;

pub struct Aimed {
    other: Box<dyn Strategy>,
    /// All candidates that are not taken, as numbered.
    candidates: BTreeMap<u64, Candidate>,
    /// By obligation: edges that remain, decisions above, number.
    near: BTreeMap<ObligationId, BTreeSet<(u32, u32, u64)>>,
    /// How often an obligation was aimed at.
    tried: BTreeMap<ObligationId, u32>,
    picks: u64,
}

impl Aimed {
    pub fn new(other: Box<dyn Strategy>) -> Aimed {
        Aimed { other, candidates: BTreeMap::new(), near: BTreeMap::new(), tried: BTreeMap::new(), picks: 0 }
    }

    fn take(&mut self, order: u64) -> Option<Candidate> {
        let candidate = self.candidates.remove(&order)?;
        for aim in candidate.aims.into_iter().flatten() {
            if let Some(near) = self.near.get_mut(&aim.obligation) {
                near.remove(&(aim.remaining, candidate.depth, order));
            }
        }
        Some(candidate)
    }

    /// The nearest candidate of the obligation that is nearest and was tried least.
    fn aimed(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        let of = |(obligation, near): (&ObligationId, &BTreeSet<(u32, u32, u64)>)| {
            let (remaining, _, order) = *near.first().filter(|_| guide.is_unmet(*obligation))?;
            let tried = self.tried.get(obligation).copied().unwrap_or(0);
            Some((tried + remaining, *obligation, order))
        };
        let (_, obligation, order) = self.near.iter().filter_map(of).min()?;
        *self.tried.entry(obligation).or_insert(0) += 1;
        self.take(order)
    }
}

impl Strategy for Aimed {
    fn add(&mut self, candidate: Candidate) {
        self.other.add(candidate);
        self.candidates.insert(candidate.order, candidate);
        for aim in candidate.aims.into_iter().flatten() {
            let place = (aim.remaining, candidate.depth, candidate.order);
            self.near.entry(aim.obligation).or_default().insert(place);
        }
    }

    fn next(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        self.picks += 1;
        if !self.picks.is_multiple_of(ASIDE)
            && let Some(candidate) = self.aimed(guide)
        {
            return Some(candidate);
        }
        // The other one does not know what was taken here.
        while let Some(candidate) = self.other.next(guide) {
            if let Some(candidate) = self.take(candidate.order) {
                return Some(candidate);
            }
        }
        None
    }

    fn feedback(&mut self, candidate: &Candidate, tried: Tried) {
        self.other.feedback(candidate, tried);
    }
}
