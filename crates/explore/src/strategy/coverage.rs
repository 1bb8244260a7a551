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

/// Every so many picks, near runs are not preferred: what is wanted may be easier to reach another way.
const ASIDE: u64 = 4;
/// So many candidates of a group are looked at for a near one.
const LOOK: usize = 32;

#[derive(Default)]
pub struct Coverage {
    groups: BTreeMap<(Site, ElemKind, u32), Group>,
    picks: u64,
}

#[derive(Default)]
struct Group {
    /// Shallow first, then as found.
    candidates: BTreeMap<(u32, u64), Candidate>,
    /// Tried since it last brought something new.
    tried: u32,
}

impl Group {
    /// The candidate to try: one of a near run before others.
    fn pick(&self, guide: &Guide<'_>) -> Option<(&(u32, u64), &Candidate)> {
        let near = self.candidates.iter().take(LOOK).find(|(_, c)| guide.is_near(c));
        near.or_else(|| self.candidates.first_key_value())
    }

    fn rank(&self, guide: &Guide<'_>, prefer_near: bool) -> Option<(u32, bool, u32, u32, u32, u64)> {
        let ((depth, order), candidate) = self.pick(guide)?;
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
        let far = class == 2 && prefer_near && !guide.is_near(candidate);
        Some((class, far, distance, self.tried, *depth, *order))
    }
}

impl Strategy for Coverage {
    fn add(&mut self, candidate: Candidate) {
        let group = self.groups.entry((candidate.site, candidate.kind, candidate.alternative)).or_default();
        group.candidates.insert((candidate.depth, candidate.order), candidate);
    }

    fn next(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        self.picks += 1;
        let prefer_near = !self.picks.is_multiple_of(ASIDE);
        let ranked =
            self.groups.iter().filter_map(|(key, group)| Some((group.rank(guide, prefer_near)?, *key)));
        let (_, best) = ranked.min()?;
        let group = self.groups.get_mut(&best)?;
        // Counted now, so that one round does not take all its flips from one group.
        group.tried += 1;
        let key = *group.pick(guide)?.0;
        group.candidates.remove(&key)
    }

    fn feedback(&mut self, candidate: &Candidate, tried: Tried) {
        if tried == (Tried::Ran { new: true })
            && let Some(group) = self.groups.get_mut(&(candidate.site, candidate.kind, candidate.alternative))
        {
            group.tried = 0;
        }
    }
}
