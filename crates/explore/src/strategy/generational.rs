//! Generational: all alternatives of one run, then those of the next; runs that brought more come first.

use crate::finished::RunId;
use crate::frontier::{Candidate, Guide, Strategy};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct Generational {
    /// Shallow first.
    children: BTreeMap<RunId, BTreeMap<(u32, u64), Candidate>>,
    /// Runs whose gain is not known yet.
    unranked: BTreeSet<RunId>,
    ranked: BTreeSet<(Reverse<u32>, Reverse<RunId>)>,
}

impl Strategy for Generational {
    fn add(&mut self, candidate: Candidate) {
        let run = candidate.run;
        let children = self.children.entry(run).or_insert_with(|| {
            self.unranked.insert(run);
            BTreeMap::new()
        });
        children.insert((candidate.depth, candidate.order), candidate);
    }

    fn next(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        while let Some(run) = self.unranked.pop_first() {
            self.ranked.insert((Reverse(guide.gain(run)), Reverse(run)));
        }
        let best = *self.ranked.first()?;
        let children = self.children.get_mut(&best.1.0)?;
        let (_, candidate) = children.pop_first()?;
        if children.is_empty() {
            self.children.remove(&best.1.0);
            self.ranked.remove(&best);
        }
        Some(candidate)
    }
}
