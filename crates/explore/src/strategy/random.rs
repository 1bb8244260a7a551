//! Any alternative, from a seeded generator.

use crate::frontier::{Candidate, Guide, Strategy};

pub struct Random {
    candidates: Vec<Candidate>,
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { candidates: Vec::new(), state: seed }
    }

    /// SplitMix64.
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

impl Strategy for Random {
    fn add(&mut self, candidate: Candidate) {
        self.candidates.push(candidate);
    }

    fn next(&mut self, _guide: &Guide<'_>) -> Option<Candidate> {
        let count = self.candidates.len() as u64;
        if count == 0 {
            return None;
        }
        let pick = self.draw() % count;
        Some(self.candidates.swap_remove(pick as usize))
    }
}
