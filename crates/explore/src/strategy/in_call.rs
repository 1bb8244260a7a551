//! What the call under test decides, and nothing of how its inputs were made: for inputs that are known to be worth having.

use crate::frontier::{Candidate, Guide, Strategy, Tried};

pub struct InCall(Box<dyn Strategy>);

impl InCall {
    pub fn new(strategy: Box<dyn Strategy>) -> InCall {
        InCall(strategy)
    }
}

impl Strategy for InCall {
    fn add(&mut self, candidate: Candidate) {
        // The wishes that were not granted are those that the inputs were chosen for.
        if !candidate.input {
            self.0.add(Candidate { unwished: false, ..candidate });
        }
    }

    fn next(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        self.0.next(guide)
    }

    fn feedback(&mut self, candidate: &Candidate, tried: Tried) {
        self.0.feedback(candidate, tried);
    }
}
