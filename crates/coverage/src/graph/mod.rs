//! A plain directed graph with several edges between the same nodes allowed, and the paths that criteria ask for.
//!
//! Knows nothing of programs: whoever has a control-flow graph in another form (a JSON file, say) makes one of these.
//! Everything that can be exponential is an iterator, or takes a [`Limit`] and says whether it was cut.

mod bounded;
mod du;
mod loops;
mod pairs;
mod primes;
mod round_trips;
mod tour;

pub use bounded::complete_paths;
pub use du::{Span, du_paths};
pub use loops::{NaturalLoop, natural_loops};
pub use pairs::paths_of_length;
pub use primes::{PrimePaths, prime_paths};
pub use round_trips::{has_round_trip, round_trips};
pub use tour::{Tour, tour};

use entity::{EntityId, entity};
use std::collections::VecDeque;

entity! {
    /// A node of a [`Graph`].
    pub struct GraphNode = "n";
}
entity! {
    /// An edge of a [`Graph`].
    pub struct GraphEdge = "e";
}

/// A directed graph with entries and ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    edges: Vec<(GraphNode, GraphNode)>,
    succs: Vec<Vec<GraphEdge>>,
    preds: Vec<Vec<GraphEdge>>,
    starts: Vec<GraphNode>,
    finals: Vec<bool>,
}

/// A path: where it starts and the edges it takes. Without edges it is a single node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    pub start: GraphNode,
    pub edges: Vec<GraphEdge>,
}

/// How many things are listed at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Paths.
    pub paths: usize,
    /// Steps of the search for them: a graph can have few paths that are hard to find.
    pub steps: u64,
}

impl Default for Limit {
    fn default() -> Self {
        Limit { paths: 1_000, steps: 200_000 }
    }
}

/// Paths, and whether there are more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    pub paths: Vec<Path>,
    /// The limit was reached: there may be others.
    pub cut: bool,
}

impl Graph {
    pub fn new(nodes: usize) -> Graph {
        Graph {
            edges: Vec::new(),
            succs: vec![Vec::new(); nodes],
            preds: vec![Vec::new(); nodes],
            starts: Vec::new(),
            finals: vec![false; nodes],
        }
    }

    /// From pairs of node numbers; the starts and ends too.
    pub fn from_edges(nodes: usize, edges: &[(u32, u32)], starts: &[u32], finals: &[u32]) -> Graph {
        let mut graph = Graph::new(nodes);
        for (from, to) in edges {
            graph.add_edge(GraphNode(*from), GraphNode(*to));
        }
        starts.iter().for_each(|n| graph.add_start(GraphNode(*n)));
        finals.iter().for_each(|n| graph.add_final(GraphNode(*n)));
        graph
    }

    pub fn add_edge(&mut self, from: GraphNode, to: GraphNode) -> GraphEdge {
        let edge = GraphEdge(self.edges.len() as u32);
        self.edges.push((from, to));
        self.succs[from.index()].push(edge);
        self.preds[to.index()].push(edge);
        edge
    }

    pub fn add_start(&mut self, node: GraphNode) {
        if !self.starts.contains(&node) {
            self.starts.push(node);
        }
    }

    pub fn add_final(&mut self, node: GraphNode) {
        self.finals[node.index()] = true;
    }

    pub fn len(&self) -> usize {
        self.succs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.succs.is_empty()
    }

    pub fn nodes(&self) -> impl Iterator<Item = GraphNode> + use<> {
        (0..self.succs.len()).map(GraphNode::from_index)
    }

    pub fn edges(&self) -> impl Iterator<Item = GraphEdge> + use<> {
        (0..self.edges.len()).map(GraphEdge::from_index)
    }

    pub fn from(&self, edge: GraphEdge) -> GraphNode {
        self.edges[edge.index()].0
    }

    pub fn to(&self, edge: GraphEdge) -> GraphNode {
        self.edges[edge.index()].1
    }

    /// Edges out of a node, in the order in which they were added.
    pub fn succs(&self, node: GraphNode) -> &[GraphEdge] {
        &self.succs[node.index()]
    }

    pub fn preds(&self, node: GraphNode) -> &[GraphEdge] {
        &self.preds[node.index()]
    }

    pub fn starts(&self) -> &[GraphNode] {
        &self.starts
    }

    pub fn is_final(&self, node: GraphNode) -> bool {
        self.finals[node.index()]
    }

    /// Which nodes can be reached from the starts.
    pub fn reachable(&self) -> Vec<bool> {
        self.reachable_from(&self.starts, |_| true)
    }

    /// Which nodes can be reached from some nodes through nodes that are allowed; the first ones need not be.
    pub fn reachable_from(&self, from: &[GraphNode], allowed: impl Fn(GraphNode) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut open: Vec<GraphNode> = from.to_vec();
        open.iter().for_each(|n| seen[n.index()] = true);
        while let Some(node) = open.pop() {
            for edge in self.succs(node) {
                let to = self.to(*edge);
                if !seen[to.index()] && allowed(to) {
                    seen[to.index()] = true;
                    open.push(to);
                }
            }
        }
        seen
    }

    /// How many edges lie between each node and the nearest of some nodes; `None` where no path leads there.
    pub fn distances_to(&self, targets: &[GraphNode]) -> Vec<Option<u32>> {
        let mut distance = vec![None; self.len()];
        let mut queue: VecDeque<GraphNode> = VecDeque::new();
        for target in targets {
            distance[target.index()] = Some(0);
            queue.push_back(*target);
        }
        while let Some(node) = queue.pop_front() {
            let next = distance[node.index()].map_or(0, |d| d + 1);
            for edge in self.preds(node) {
                let from = self.from(*edge);
                if distance[from.index()].is_none() {
                    distance[from.index()] = Some(next);
                    queue.push_back(from);
                }
            }
        }
        distance
    }

    /// Edges that lead back in a depth-first walk from the starts, by edge number: without them there is no cycle.
    pub fn retreating(&self) -> Vec<bool> {
        #[derive(Clone, Copy, PartialEq)]
        enum Colour {
            New,
            Open,
            Done,
        }
        let mut colour = vec![Colour::New; self.len()];
        let mut back = vec![false; self.edges.len()];
        let roots: Vec<GraphNode> = self.starts.iter().copied().chain(self.nodes()).collect();
        for root in roots {
            if colour[root.index()] != Colour::New {
                continue;
            }
            colour[root.index()] = Colour::Open;
            let mut stack = vec![(root, 0)];
            while let Some((node, next)) = stack.last_mut() {
                let Some(edge) = self.succs(*node).get(*next).copied() else {
                    colour[node.index()] = Colour::Done;
                    stack.pop();
                    continue;
                };
                *next += 1;
                let to = self.to(edge);
                match colour[to.index()] {
                    Colour::Open => back[edge.index()] = true,
                    Colour::Done => {}
                    Colour::New => {
                        colour[to.index()] = Colour::Open;
                        stack.push((to, 0));
                    }
                }
            }
        }
        back
    }
}

impl Path {
    pub fn node(start: GraphNode) -> Path {
        Path { start, edges: Vec::new() }
    }

    /// The path along some nodes; the first edge between two of them. `None` where there is none.
    pub fn along(graph: &Graph, nodes: &[u32]) -> Option<Path> {
        let mut path = Path::node(GraphNode(*nodes.first()?));
        for pair in nodes.windows(2) {
            let to = |e: &&GraphEdge| graph.to(**e) == GraphNode(pair[1]);
            path.edges.push(*graph.succs(GraphNode(pair[0])).iter().find(to)?);
        }
        Some(path)
    }

    pub fn nodes(&self, graph: &Graph) -> Vec<GraphNode> {
        std::iter::once(self.start).chain(self.edges.iter().map(|e| graph.to(*e))).collect()
    }

    pub fn end(&self, graph: &Graph) -> GraphNode {
        self.edges.last().map_or(self.start, |e| graph.to(*e))
    }

    pub fn is_cycle(&self, graph: &Graph) -> bool {
        !self.edges.is_empty() && self.end(graph) == self.start
    }
}
