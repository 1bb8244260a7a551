//! Coverage first: what meets an obligation, then checks not seen failing, then what is near to something
//! wanted and was tried least.
//!
//! Candidates of one site and alternative, called from one place, are ranked together: what makes one better than another (is it
//! wanted, how far is it, how often was it tried) is the same for all of them but the depth.

use crate::finished::RunId;
use crate::frontier::{Candidate, Guide, Strategy, Tried};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use vm::{ElemKind, Site};

/// A wanted edge that refused so often is no better than its distance says: something else must come first.
const STUBBORN: u32 = 12;

/// The class of candidates that are for when nothing else is left.
const UNWISHED: u32 = 4;
/// The class of what other code decided when it made inputs: they are made, one way or the other.
const ASIDE_CODE: u32 = 3;
/// The class of candidates that are not wanted for themselves.
const NOTHING_WANTED: u32 = 2;
/// Every so many picks, near runs are not preferred: what is wanted may be easier to reach another way.
const ASIDE: u64 = 4;
/// So many candidates of a group are looked at for a near one.
const LOOK: usize = 32;

/// Every so many picks the newest run goes on from where it was flipped: several decisions in a row may have
/// to go another way before anything shows.
const ONWARD: u64 = 3;

/// Every so many picks a wish is given up: what is wanted may need another constructor, or a call before.
const SECOND_BEST: u64 = 8;
/// The same where nothing at hand is wanted for itself, after so many picks.
const SECOND_BEST_AT_A_LOSS: u64 = 4;
const AT_A_LOSS: u64 = 32;

/// Of so many wishes that are given up, one is taken wherever it is.
const FLAT: u64 = 3;

/// Every so many picks inputs that could not be made are mended: a wish may have been granted but for an argument that
/// was refused.
const MEND: u64 = 4;
/// So often for one site, since that last brought something.
const MENDED: u32 = 4;

/// Site, who called, kind and alternative; what is below an ungranted wish is apart.
type Key = (Site, Site, ElemKind, u32, bool);

/// What makes one group better than another, the smallest being the best.
type Rank = (u32, bool, u32, u32, u32, u64);

#[derive(Default)]
pub struct Coverage {
    groups: BTreeMap<Key, Group>,
    /// All candidates, the newest run's first, shallow first.
    newest: BTreeSet<(Reverse<RunId>, u32, u64, Key)>,
    /// Candidates that may mend inputs, the newest run's first, deep first.
    mends: BTreeSet<(Reverse<RunId>, Reverse<u32>, u64, Key)>,
    picks: u64,
    /// Wishes that were given up for want of anything better.
    wishes: u64,
    /// The groups by rank, without and with a preference for near runs, as of a round: ranking all of them for each
    /// pick costs more than a run.
    ranked: [Option<BTreeSet<(Rank, Key)>>; 2],
    round: u64,
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

    /// How deep inside of others an object is that is made otherwise. Objects inside of others have ever more of them inside: another
    /// state of what is near comes first, more than once.
    fn inside(&self) -> u32 {
        let wish = self.candidates.values().next().filter(|candidate| candidate.kind == ElemKind::Prefer);
        wish.map_or(0, |candidate| candidate.site.level())
    }

    fn rank(&self, guide: &Guide<'_>, prefer_near: bool) -> Option<Rank> {
        let ((depth, order), candidate) = self.pick(guide)?;
        // The run ended for want of something: nothing is known of what comes after, below a wish no less than elsewhere.
        let lacks = candidate.kind == ElemKind::Assume && self.tried < STUBBORN;
        let class = if candidate.unwished && !guide.is_wanted(candidate) && !lacks {
            UNWISHED
        } else if guide.is_wanted(candidate) && self.tried < STUBBORN {
            0
        } else if guide.is_fresh_check(candidate) || lacks {
            1
        } else if candidate.aside {
            ASIDE_CODE
        } else {
            NOTHING_WANTED
        };
        let tried = self.tried + self.inside();
        let distance = guide.distance(candidate) + tried;
        let far = class == NOTHING_WANTED && prefer_near && !guide.is_near(candidate);
        Some((class, far, distance, tried, *depth, *order))
    }
}

impl Coverage {
    /// The wish to give up that was given up least.
    fn second_best(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        let wishes = self
            .groups
            .iter()
            .filter(|(key, group)| key.2 == ElemKind::Prefer && !group.candidates.is_empty());
        // Now and then what is deep inside, or below another wish that is given up, is no worse than what is near: a builder may
        // have to be told something before any of what it ends up in shows it.
        let flat = self.wishes % FLAT == FLAT - 1;
        let ranked = wishes.filter_map(|(key, group)| match group.rank(guide, false)? {
            (class, far, distance, tried, depth, order) if flat => {
                let inside = group.inside();
                Some((
                    (class.min(NOTHING_WANTED), far, distance - inside, tried - inside, depth, order),
                    *key,
                ))
            }
            rank => Some((rank, *key)),
        });
        let (_, best) = ranked.min()?;
        self.wishes += 1;
        let group = self.groups.get(&best)?;
        // The same wish after different others: from both ends and the middle in turn.
        let last = group.candidates.len().checked_sub(1)?;
        let at = [0, last, last / 2][group.tried as usize % 3];
        let place = *group.candidates.keys().nth(at)?;
        self.take(guide, best, place)
    }

    /// What may mend inputs and was tried least.
    fn mend(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        let tried = |key: &Key| self.groups.get(key).map_or(u32::MAX, |group| group.tried);
        let newest = self.mends.iter().filter(|(_, _, _, key)| tried(key) < MENDED).take(LOOK).enumerate();
        let best = newest.min_by_key(|(i, (_, _, _, key))| (tried(key), *i));
        let (_, Reverse(depth), order, key) = *best?.1;
        self.take(guide, key, (depth, order))
    }

    /// The best group and its rank.
    fn best(&mut self, guide: &Guide<'_>, prefer_near: bool) -> Option<(Rank, Key)> {
        if self.round != guide.round {
            self.round = guide.round;
            self.ranked = [None, None];
        }
        let groups = &self.groups;
        let ranked = self.ranked[usize::from(prefer_near)].get_or_insert_with(|| {
            groups.iter().filter_map(|(key, group)| Some((group.rank(guide, prefer_near)?, *key))).collect()
        });
        ranked.first().copied()
    }

    /// Takes a candidate out; its group is ranked again.
    fn take(&mut self, guide: &Guide<'_>, key: Key, place: (u32, u64)) -> Option<Candidate> {
        let group = self.groups.get_mut(&key)?;
        for (prefer_near, ranked) in self.ranked.iter_mut().enumerate() {
            if let (Some(ranked), Some(rank)) = (ranked, group.rank(guide, prefer_near == 1)) {
                ranked.remove(&(rank, key));
            }
        }
        let candidate = group.candidates.remove(&place);
        // Counted now, so that one round does not take all its flips from one group.
        group.tried += 1;
        for (prefer_near, ranked) in self.ranked.iter_mut().enumerate() {
            if let (Some(ranked), Some(rank)) = (ranked, group.rank(guide, prefer_near == 1)) {
                ranked.insert((rank, key));
            }
        }
        let candidate = candidate?;
        self.newest.remove(&(Reverse(candidate.run), candidate.depth, candidate.order, key));
        self.mends.remove(&(Reverse(candidate.run), Reverse(candidate.depth), candidate.order, key));
        Some(candidate)
    }
}

fn key(candidate: &Candidate) -> Key {
    (candidate.site, candidate.caller, candidate.kind, candidate.alternative, candidate.unwished)
}

impl Strategy for Coverage {
    fn add(&mut self, candidate: Candidate) {
        let key = key(&candidate);
        self.ranked = [None, None];
        if !candidate.unwished && !candidate.aside {
            self.newest.insert((Reverse(candidate.run), candidate.depth, candidate.order, key));
        }
        if candidate.mends {
            self.mends.insert((Reverse(candidate.run), Reverse(candidate.depth), candidate.order, key));
        }
        let group = self.groups.entry(key).or_default();
        group.candidates.insert((candidate.depth, candidate.order), candidate);
    }

    fn next(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        self.picks += 1;
        let prefer_near = !self.picks.is_multiple_of(ASIDE);
        let at_a_loss = self.picks > AT_A_LOSS
            && self.best(guide, prefer_near).is_some_and(|(rank, _)| rank.0 >= NOTHING_WANTED);
        let second_best = if at_a_loss { SECOND_BEST_AT_A_LOSS } else { SECOND_BEST };
        if self.picks.is_multiple_of(second_best)
            && let Some(candidate) = self.second_best(guide)
        {
            return Some(candidate);
        }
        if self.picks % MEND == 2
            && let Some(candidate) = self.mend(guide)
        {
            return Some(candidate);
        }
        let (rank, mut best) = self.best(guide, prefer_near)?;
        let mut place = *self.groups.get(&best)?.pick(guide)?.0;
        if rank.0 >= NOTHING_WANTED
            && self.picks.is_multiple_of(ONWARD)
            && let Some((_, depth, order, key)) = self.newest.first()
        {
            (best, place) = (*key, (*depth, *order));
        }
        self.take(guide, best, place)
    }

    fn feedback(&mut self, candidate: &Candidate, tried: Tried) {
        if tried == (Tried::Ran { new: true })
            && let Some(group) = self.groups.get_mut(&key(candidate))
        {
            group.tried = 0;
        }
    }
}
