//! Random priorities: any alternative, all alike, from a seeded generator.

use super::chance::Chance;
use crate::frontier::{Candidate, Guide, Strategy};

pub struct Random {
    candidates: Vec<Candidate>,
    chance: Chance,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { candidates: Vec::new(), chance: Chance::new(seed) }
    }
}

impl Strategy for Random {
    fn add(&mut self, candidate: Candidate) {
        self.candidates.push(candidate);
    }

    fn next(&mut self, _guide: &Guide<'_>) -> Option<Candidate> {
        if self.candidates.is_empty() {
            return None;
        }
        let pick = self.chance.below(self.candidates.len());
        Some(self.candidates.swap_remove(pick))
    }
}
