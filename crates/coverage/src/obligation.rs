//! What must be reached once.

use crate::projection::Projection;
use entity::entity;
use ir::{BlockId, EdgeMap, EdgeSet};
use std::fmt;

entity! {
    /// An obligation of one function under one criterion.
    pub struct ObligationId = "o";
}

/// What sort of thing must be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The function is entered.
    Entry,
    /// A branch of the source goes one of its ways.
    Branch,
    Line,
    Node,
    Edge,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Entry => "entry",
            Kind::Branch => "branch",
            Kind::Line => "line",
            Kind::Node => "node",
            Kind::Edge => "edge",
        }
    }
}

/// A point in the code; reaching one target of an obligation covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// The block is entered.
    Enter(BlockId),
    /// The branch at this code index takes the successor at this position.
    Take { index: u32, position: u32 },
    /// The instruction at this code index is executed.
    Execute(u32),
}

/// One thing that a suite must do to satisfy the criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    pub id: ObligationId,
    /// Name of the function.
    pub function: String,
    pub kind: Kind,
    /// Any of these covers it: several cases of a switch may go the same way, and compilers duplicate code.
    pub targets: Vec<Target>,
    /// Source line, 0 if unknown.
    pub line: u32,
    /// Decision and condition of the source, of a branch.
    pub condition: Option<(u32, u32)>,
    /// What it means to a person: `line 12: x > 0`.
    pub text: String,
}

impl Obligation {
    pub(crate) fn new(
        graph: &Projection,
        kind: Kind,
        targets: Vec<Target>,
        line: u32,
        what: &str,
    ) -> Obligation {
        let text = match (line, what) {
            (0, what) => what.to_string(),
            (line, "") => format!("line {line}"),
            (line, what) => format!("line {line}: {what}"),
        };
        let function = graph.func.name.clone();
        Obligation { id: ObligationId(0), function, kind, targets, line, condition: None, text }
    }

    /// That the function is entered: what a function without anything else owes.
    pub(crate) fn entry(graph: &Projection) -> Obligation {
        let line = graph.func.positions.first().map_or(0, |p| p.line);
        Obligation::new(graph, Kind::Entry, vec![Target::Enter(BlockId(0))], line, "the function is entered")
    }

    /// The code index of the first target, where the explorer aims.
    pub fn site(&self, func: &ir::Function) -> u32 {
        match self.targets.first() {
            Some(Target::Enter(block)) => func.blocks.get(*block).map_or(0, |b| b.start),
            Some(Target::Take { index, .. } | Target::Execute(index)) => *index,
            None => 0,
        }
    }

    /// Whether an execution covers it, by its points and the instructions they imply ([`EdgeMap::executed`]).
    pub fn is_covered(&self, map: &EdgeMap, points: &EdgeSet, executed: &EdgeSet) -> bool {
        self.targets.iter().any(|target| match target {
            Target::Enter(block) => points.contains(map.entry(*block)),
            Target::Take { index, position } => points.contains(map.taken(*index, *position)),
            Target::Execute(index) => executed.contains(*index),
        })
    }
}

impl fmt::Display for Obligation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
