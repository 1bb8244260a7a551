//! What a run executed of the functions whose obligations it is measured by.

use std::collections::{BTreeMap, BTreeSet};

use coverage::decision::Row;
use ir::BlockId;

/// What was executed of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub blocks: BTreeSet<BlockId>,
    /// Branches by code index, and the positions of the successors that were taken.
    pub takes: BTreeSet<(u32, u32)>,
    /// Code indices of what raised, and their lines.
    pub raised: BTreeMap<u32, u32>,
    /// Edges of the projected graph: between which blocks, and by which choice of a branch.
    pub edges: BTreeSet<(BlockId, Option<u32>, BlockId)>,
    /// Lines of which some instruction was executed.
    pub lines: BTreeSet<u32>,
    /// Evaluations of decisions, by the place of the decision in the function.
    pub rows: BTreeSet<(usize, Row)>,
}

/// By function.
pub type AllSeen = BTreeMap<String, Seen>;

impl Seen {
    pub fn add(&mut self, other: &Seen) {
        self.blocks.extend(&other.blocks);
        self.takes.extend(&other.takes);
        self.raised.extend(&other.raised);
        self.edges.extend(&other.edges);
        self.lines.extend(&other.lines);
        self.rows.extend(other.rows.iter().cloned());
    }
}
