//! Coverage first: what meets an obligation, then checks not seen failing, then what is near to something
//! wanted and was tried least.
//!
//! Candidates of one site and alternative are ranked together: what makes one better than another (is it
//! wanted, how far is it, how often was it tried) is the same for all of them but the depth.

use crate::frontier::{Candidate, Guide, Strategy, Tried};
use std::collections::BTreeMap;
use vm::{ElemKind, Site};

/// A wanted edge that refused so often is no better than its distance says: something else must come first.
const STUBBORN: u32 = 12;

#[derive(Default)]
pub struct Coverage {
    groups: BTreeMap<(Site, ElemKind, u32), Group>,
}

#[derive(Default)]
struct Group {
    /// Shallow first, then as found.
    candidates: BTreeMap<(u32, u64), Candidate>,
    /// Tried since it last brought something new.
    tried: u32,
}

impl Group {
    fn rank(&self, guide: &Guide<'_>) -> Option<(u32, u32, u32, u32, u64)> {
        let ((depth, order), candidate) = self.candidates.first_key_value()?;
        let class = if candidate.kind == ElemKind::Prefer {
            // A wish is dropped when nothing else is left.
            3
        } else if guide.is_wanted(candidate) && self.tried < STUBBORN {
            0
        } else if guide.is_fresh_check(candidate) {
            1
        } else {
            2
        };
        let distance = guide.distance(candidate) + self.tried;
        Some((class, distance, self.tried, *depth, *order))
    }
}

impl Strategy for Coverage {
    fn add(&mut self, candidate: Candidate) {
        let group = self.groups.entry((candidate.site, candidate.kind, candidate.alternative)).or_default();
        group.candidates.insert((candidate.depth, candidate.order), candidate);
    }

    fn next(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        let ranked = self.groups.iter().filter_map(|(key, group)| Some((group.rank(guide)?, *key)));
        let (_, best) = ranked.min()?;
        let group = self.groups.get_mut(&best)?;
        // Counted now, so that one round does not take all its flips from one group.
        group.tried += 1;
        group.candidates.pop_first().map(|(_, candidate)| candidate)
    }

    fn feedback(&mut self, candidate: &Candidate, tried: Tried) {
        if tried == (Tried::Ran { new: true })
            && let Some(group) = self.groups.get_mut(&(candidate.site, candidate.kind, candidate.alternative))
        {
            group.tried = 0;
        }
    }
}
