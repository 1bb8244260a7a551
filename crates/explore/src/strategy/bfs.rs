//! Breadth first: the alternative with the fewest decisions above it.

use crate::frontier::{Candidate, Guide, Strategy};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Bfs {
    queue: BTreeMap<(u32, u64), Candidate>,
}

impl Strategy for Bfs {
    fn add(&mut self, candidate: Candidate) {
        self.queue.insert((candidate.depth, candidate.order), candidate);
    }

    fn next(&mut self, _guide: &Guide<'_>) -> Option<Candidate> {
        self.queue.pop_first().map(|(_, candidate)| candidate)
    }
}
