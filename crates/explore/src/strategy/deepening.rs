//! Iterative deepening: depth first down to a bound; when nothing is left above it, the bound grows.

use crate::frontier::{Candidate, Guide, Strategy};
use std::collections::BTreeMap;

/// The bound grows by so many decisions.
const STEP: u32 = 8;

pub struct Deepening {
    bound: u32,
    stack: Vec<Candidate>,
    /// Beyond the bound, by depth.
    below: BTreeMap<(u32, u64), Candidate>,
}

impl Default for Deepening {
    fn default() -> Self {
        Deepening { bound: STEP, stack: Vec::new(), below: BTreeMap::new() }
    }
}

impl Strategy for Deepening {
    fn add(&mut self, candidate: Candidate) {
        match candidate.depth < self.bound {
            true => self.stack.push(candidate),
            false => drop(self.below.insert((candidate.depth, candidate.order), candidate)),
        }
    }

    fn next(&mut self, _guide: &Guide<'_>) -> Option<Candidate> {
        if self.stack.is_empty()
            && let Some(((depth, _), _)) = self.below.first_key_value()
        {
            self.bound = depth + STEP;
            let rest = self.below.split_off(&(self.bound, 0));
            self.stack.extend(std::mem::replace(&mut self.below, rest).into_values());
        }
        self.stack.pop()
    }
}
