//! The projected graph of a function as a plain graph, and the way of an activation as a walk on it.

use crate::graph::{Graph, GraphEdge, GraphNode};
use crate::projection::{Branch, Projection};
use ir::{BlockId, Move};
use std::collections::BTreeMap;

/// The plain graph of a function, with what its nodes and edges are in the code.
///
/// Nodes are the blocks that hold code of the source. Edges are normal ones; one for each way of a source branch, even
/// if two ways lead to the same block. Where exceptions land, a walk starts anew: landing blocks are starts besides
/// the entry.
#[derive(Clone, Debug)]
pub struct Flow {
    pub graph: Graph,
    blocks: Vec<BlockId>,
    node_of: Vec<Option<GraphNode>>,
    /// By edge: which choice of the branch at the end of its first block it is.
    choices: Vec<Option<u32>>,
    by_choice: BTreeMap<(GraphNode, Option<u32>, GraphNode), GraphEdge>,
    /// By code index of a source branch and position of a successor.
    choice_of: BTreeMap<(u32, u32), u32>,
    /// By node: the code index of the source branch at its end.
    branch_of: Vec<Option<u32>>,
}

impl Flow {
    pub fn new(projection: &Projection) -> Flow {
        let mut node_of = vec![None; projection.func.blocks.len()];
        let blocks: Vec<BlockId> = projection.nodes.iter().map(|n| n.block).collect();
        for (i, block) in blocks.iter().enumerate() {
            node_of[block.0 as usize] = Some(GraphNode(i as u32));
        }
        let mut flow = Flow {
            graph: Graph::new(blocks.len()),
            node_of,
            choices: Vec::new(),
            by_choice: BTreeMap::new(),
            choice_of: BTreeMap::new(),
            branch_of: vec![None; blocks.len()],
            blocks,
        };
        let all = projection.branches.iter().flat_map(|b| std::iter::once(b).chain(&b.copies));
        let branches: BTreeMap<u32, &Branch> = all.map(|b| (b.index, b)).collect();
        for node in flow.graph.nodes() {
            let block = flow.blocks[node.0 as usize];
            let last = projection.func.blocks[block].end - 1;
            match branches.get(&last) {
                Some(branch) => {
                    flow.branch_of[node.0 as usize] = Some(last);
                    for (choice, way) in branch.choices.iter().enumerate() {
                        for position in &way.positions {
                            flow.choice_of.insert((last, *position), choice as u32);
                        }
                        for to in projection.shown_from(way.target) {
                            flow.add_edge(node, Some(choice as u32), to);
                        }
                    }
                }
                None => {
                    for to in projection.shown_successors(block) {
                        flow.add_edge(node, None, to);
                    }
                }
            }
            if projection.ends(block) {
                flow.graph.add_final(node);
            }
        }
        for start in projection.starts() {
            if let Some(node) = flow.node(start) {
                flow.graph.add_start(node);
            }
        }
        flow
    }

    fn add_edge(&mut self, from: GraphNode, choice: Option<u32>, to: BlockId) {
        let Some(to) = self.node(to) else { return };
        if self.by_choice.contains_key(&(from, choice, to)) {
            return;
        }
        let edge = self.graph.add_edge(from, to);
        self.choices.push(choice);
        self.by_choice.insert((from, choice, to), edge);
    }

    /// The node of a block, if it holds code of the source.
    pub fn node(&self, block: BlockId) -> Option<GraphNode> {
        self.node_of.get(block.0 as usize).copied().flatten()
    }

    pub fn block(&self, node: GraphNode) -> BlockId {
        self.blocks[node.0 as usize]
    }

    /// The source branch an edge leaves by: its code index and the choice.
    pub fn taken(&self, edge: GraphEdge) -> Option<(u32, u32)> {
        let branch = self.branch_of[self.graph.from(edge).0 as usize]?;
        Some((branch, self.choices[edge.0 as usize]?))
    }

    /// The edge out of a node by a choice of its branch to another.
    pub fn edge(&self, from: GraphNode, choice: Option<u32>, to: GraphNode) -> Option<GraphEdge> {
        self.by_choice.get(&(from, choice, to)).copied()
    }

    /// The choice that a successor of a source branch is.
    pub fn choice(&self, index: u32, position: u32) -> Option<u32> {
        self.choice_of.get(&(index, position)).copied()
    }

    /// The edges that taking a successor of a branch may lead along.
    pub fn edges_by(&self, index: u32, position: u32) -> impl Iterator<Item = GraphEdge> + '_ {
        let choice = self.choice(index, position);
        let from = self.branch_of.iter().position(|b| *b == Some(index)).filter(|_| choice.is_some());
        let edges = from.map(|n| self.graph.succs(GraphNode(n as u32))).unwrap_or(&[]);
        edges.iter().copied().filter(move |e| self.choices[e.0 as usize] == choice)
    }
}

/// A stretch of an activation without exceptions, as a walk on the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub start: GraphNode,
    pub edges: Vec<GraphEdge>,
    /// It begins where the function does.
    pub from_entry: bool,
    /// It begins there, or where an exception landed.
    pub from_start: bool,
}

/// A node that an activation comes to, also by way of an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    pub node: GraphNode,
    /// It was come to because something raised an exception.
    pub raised: bool,
}

/// The nodes that an activation comes to, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    pub all: Vec<Visit>,
    raised: bool,
}

impl Visits {
    pub fn step(&mut self, flow: &Flow, what: Move) {
        match what {
            Move::Block(block) => {
                if let Some(node) = flow.node(block) {
                    let raised = std::mem::take(&mut self.raised);
                    self.all.push(Visit { node, raised });
                }
            }
            Move::Take { .. } => {}
            Move::Raise(_) => self.raised = true,
        }
    }
}

/// Follows an activation on the graph.
#[derive(Clone, Debug, Default)]
pub struct Walker {
    /// What was walked since the function was entered or an exception landed.
    pub stretch: Option<Stretch>,
    at: Option<GraphNode>,
    choice: Option<u32>,
    raised: bool,
}

impl Walker {
    /// Where the walk is.
    pub fn at(&self) -> Option<GraphNode> {
        self.at
    }

    /// Takes a step. A stretch that ends by it is returned.
    pub fn step(&mut self, flow: &Flow, what: Move) -> Option<Stretch> {
        match what {
            Move::Block(block) => {
                let to = flow.node(block)?;
                let edge = self.at.and_then(|at| flow.edge(at, self.choice, to));
                self.choice = None;
                self.at = Some(to);
                match (edge, &mut self.stretch) {
                    (Some(edge), Some(stretch)) => {
                        stretch.edges.push(edge);
                        None
                    }
                    _ => {
                        let from_start = self.stretch.is_none();
                        let from_entry = !self.raised && from_start;
                        self.stretch.replace(Stretch { start: to, edges: Vec::new(), from_entry, from_start })
                    }
                }
            }
            Move::Take { index, successor } => {
                // Branches that the compiler added are passed over on the way to the next block.
                if self.at.is_some_and(|at| flow.branch_of[at.0 as usize] == Some(index)) {
                    self.choice = flow.choice(index, successor);
                }
                None
            }
            Move::Raise(_) => {
                self.at = None;
                self.choice = None;
                self.raised = true;
                self.stretch.take()
            }
        }
    }
}

/// The stretches of a whole activation.
pub fn stretches(flow: &Flow, moves: impl IntoIterator<Item = Move>) -> Vec<Stretch> {
    let mut walker = Walker::default();
    let mut all: Vec<Stretch> = moves.into_iter().filter_map(|what| walker.step(flow, what)).collect();
    all.extend(walker.stretch);
    all
}
