//! The alternative that runs have taken least often. One that was tried often without anything new is postponed
//! until the others are.

use crate::frontier::{Candidate, Guide, Strategy, Tried};
use std::collections::BTreeMap;
use vm::Site;

/// Tries without anything new that postpone an alternative once more.
const PATIENCE: u32 = 6;

type Key = (Site, u32);

#[derive(Default)]
pub struct Fewest {
    groups: BTreeMap<Key, Group>,
}

#[derive(Default)]
struct Group {
    /// Shallow first.
    candidates: BTreeMap<(u32, u64), Candidate>,
    /// Since it last brought something new.
    tried: u32,
}

impl Strategy for Fewest {
    fn add(&mut self, candidate: Candidate) {
        let group = self.groups.entry((candidate.site, candidate.alternative)).or_default();
        group.candidates.insert((candidate.depth, candidate.order), candidate);
    }

    fn next(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        let rank = |(key, group): (&Key, &Group)| {
            let ((depth, order), _) = group.candidates.first_key_value()?;
            let taken = guide.taken(key.0, key.1) + group.tried;
            Some((group.tried / PATIENCE, taken, *depth, *order, *key))
        };
        let (.., key) = self.groups.iter().filter_map(rank).min()?;
        let group = self.groups.get_mut(&key)?;
        group.tried += 1;
        group.candidates.pop_first().map(|(_, candidate)| candidate)
    }

    fn feedback(&mut self, candidate: &Candidate, tried: Tried) {
        if tried == (Tried::Ran { new: true })
            && let Some(group) = self.groups.get_mut(&(candidate.site, candidate.alternative))
        {
            group.tried = 0;
        }
    }
}
