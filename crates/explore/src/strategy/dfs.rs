//! Depth first: the deepest alternative found last; what nobody wishes for after everything else.

use crate::frontier::{Candidate, Guide, Strategy};

#[derive(Default)]
pub struct Dfs {
    stack: Vec<Candidate>,
    unwished: Vec<Candidate>,
}

impl Strategy for Dfs {
    fn add(&mut self, candidate: Candidate) {
        match candidate.unwished {
            true => self.unwished.push(candidate),
            false => self.stack.push(candidate),
        }
    }

    fn next(&mut self, _guide: &Guide<'_>) -> Option<Candidate> {
        self.stack.pop().or_else(|| self.unwished.pop())
    }
}
