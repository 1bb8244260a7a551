//! What must be reached once.

use crate::dataflow::Pair;
use crate::graph::{GraphNode, Path};
use crate::projection::Projection;
use entity::entity;
use ir::{BlockId, EdgeMap, EdgeSet, Function};
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
    /// A path is taken, or one of several.
    Path,
    /// A loop is gone through so often.
    Loop,
    /// A condition or decision has a value.
    Condition,
    /// A condition is shown to decide.
    Independence,
    /// A value that was assigned is used.
    DataFlow,
    /// An implicit check passes or fails.
    Check,
    /// The operands of a comparison are where it changes.
    Boundary,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Entry => "entry",
            Kind::Branch => "branch",
            Kind::Line => "line",
            Kind::Node => "node",
            Kind::Edge => "edge",
            Kind::Path => "path",
            Kind::Loop => "loop",
            Kind::Condition => "condition",
            Kind::Independence => "independence",
            Kind::DataFlow => "data-flow",
            Kind::Check => "check",
            Kind::Boundary => "boundary",
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
    /// The instruction at this code index raises.
    Raise(u32),
}

impl Target {
    /// The instruction where it is reached.
    pub fn place(self, func: &Function) -> u32 {
        match self {
            Target::Enter(block) => func.blocks.get(block).map_or(0, |block| block.start),
            Target::Take { index, .. } | Target::Execute(index) | Target::Raise(index) => index,
        }
    }
}

/// What must happen, where reaching a point is not enough.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Demand {
    /// One of the obligation's targets is reached.
    Points,
    /// One activation takes one of the paths, without leaving it.
    Paths(Vec<Path>),
    /// One activation takes this path and nothing else.
    Whole(Path),
    /// One activation comes back to the node without passing another twice.
    RoundTrip(GraphNode),
    /// The loop, by number, is gone through so often when it is come to.
    Loop { number: u32, times: Times },
    /// The value of a definition arrives at a use, in one of these pairs.
    DefUse(Vec<Pair>),
    /// The same along this path, which begins with the block of the definition, without leaving it.
    DuPath(Pair, Path),
    /// Two paths of one of these pairs are taken, by one execution or by two.
    Both(Vec<[Vec<Path>; 2]>),
    /// Nothing can do it, and why that is known from the code alone.
    Impossible(&'static str),
}

/// How often a loop's body is begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Times {
    Zero,
    One,
    Many,
}

impl Times {
    pub fn fits(self, rounds: u32) -> bool {
        match self {
            Times::Zero => rounds == 0,
            Times::One => rounds == 1,
            Times::Many => rounds > 1,
        }
    }
}

/// One thing that a suite must do to satisfy the criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    pub id: ObligationId,
    /// Name of the function.
    pub function: String,
    pub kind: Kind,
    /// Any of these covers it: several cases of a switch may go the same way, and compilers duplicate code.
    /// Of what is more than points these are where it begins.
    pub targets: Vec<Target>,
    pub demand: Demand,
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
        let demand = Demand::Points;
        Obligation { id: ObligationId(0), function, kind, targets, demand, line, condition: None, text }
    }

    pub(crate) fn demanding(mut self, demand: Demand) -> Obligation {
        self.demand = demand;
        self
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
            Some(Target::Take { index, .. } | Target::Execute(index) | Target::Raise(index)) => *index,
            None => 0,
        }
    }

    /// Whether an execution covers it, if points are all it asks for, by its points and the instructions they imply ([`EdgeMap::executed`]).
    pub fn is_covered(&self, func: &Function, map: &EdgeMap, points: &EdgeSet, executed: &EdgeSet) -> bool {
        self.demand == Demand::Points
            && self.targets.iter().any(|target| match target {
                Target::Enter(block) => points.contains(map.entry(*block)),
                Target::Take { index, position } => points.contains(map.taken(*index, *position)),
                Target::Execute(index) => executed.contains(*index),
                Target::Raise(index) => map.raised(func, *index).is_some_and(|point| points.contains(point)),
            })
    }
}

impl fmt::Display for Obligation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
