//! Depth first: the deepest alternative found last.

use crate::frontier::{Candidate, Guide, Strategy};

#[derive(Default)]
pub struct Dfs {
    stack: Vec<Candidate>,
}

impl Strategy for Dfs {
    fn add(&mut self, candidate: Candidate) {
        self.stack.push(candidate);
    }

    fn next(&mut self, _guide: &Guide<'_>) -> Option<Candidate> {
        self.stack.pop()
    }
}
