//! Random path: as if one walked down from the root and tossed a coin at each decision. Shallow alternatives are
//! likelier than deep ones, so a loop that makes many deep ones does not drown the rest.

use super::chance::Chance;
use crate::frontier::{Candidate, Guide, Strategy};
use std::collections::BTreeMap;

pub struct RandomPath {
    /// By depth.
    levels: BTreeMap<u32, Vec<Candidate>>,
    chance: Chance,
}

impl RandomPath {
    pub fn new(seed: u64) -> RandomPath {
        RandomPath { levels: BTreeMap::new(), chance: Chance::new(seed) }
    }
}

impl Strategy for RandomPath {
    fn add(&mut self, candidate: Candidate) {
        self.levels.entry(candidate.depth).or_default().push(candidate);
    }

    fn next(&mut self, _guide: &Guide<'_>) -> Option<Candidate> {
        // A walk that comes to a level with n candidates ends there with a chance of about n in 2^level. What is
        // left of the chance goes to the deepest.
        let (first, _) = self.levels.first_key_value()?;
        let first = *first;
        let mut left = self.chance.draw() >> 1;
        let depth = self.levels.iter().find_map(|(depth, level)| {
            let weight = (1_u64 << 62).checked_shr(depth - first).unwrap_or(0).max(1);
            let weight = weight.saturating_mul(level.len() as u64);
            match left < weight {
                true => Some(*depth),
                false => {
                    left -= weight;
                    None
                }
            }
        });
        let depth = depth.or_else(|| self.levels.last_key_value().map(|(depth, _)| *depth))?;
        let level = self.levels.get_mut(&depth)?;
        let pick = self.chance.below(level.len());
        let candidate = level.swap_remove(pick);
        if level.is_empty() {
            self.levels.remove(&depth);
        }
        Some(candidate)
    }
}
