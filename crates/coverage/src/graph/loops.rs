//! Natural loops: a node that dominates where edges to it come from, and all that leads there without passing it.
//!
//! Cycles with several ways in, none of which dominates the others, are no loops.

use super::{Graph, GraphEdge, GraphNode};
use entity::EntityId;

/// A loop of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaturalLoop {
    pub header: GraphNode,
    /// By node.
    pub inside: Vec<bool>,
    /// The header can leave it before anything else in it is passed, and does not lead to itself: `while` and `for`,
    /// not `do`.
    pub tested_first: bool,
}

/// The loops of what can be reached, by the number of their headers.
pub fn natural_loops(graph: &Graph) -> Vec<NaturalLoop> {
    let reachable = graph.reachable();
    let mut loops = Vec::new();
    for header in graph.nodes().filter(|n| reachable[n.index()]) {
        // What is not reached past the header is dominated by it.
        let starts: Vec<GraphNode> = graph.starts().iter().copied().filter(|s| *s != header).collect();
        let past = graph.reachable_from(&starts, |n| n != header);
        let is_back = |edge: &&GraphEdge| {
            let from = graph.from(**edge);
            reachable[from.index()] && !past[from.index()]
        };
        let mut open: Vec<GraphNode> =
            graph.preds(header).iter().filter(is_back).map(|e| graph.from(*e)).collect();
        if open.is_empty() {
            continue;
        }
        let mut inside = vec![false; graph.len()];
        inside[header.index()] = true;
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut inside[node.index()], true) {
                let before = graph.preds(node).iter().map(|e| graph.from(*e));
                open.extend(before.filter(|n| reachable[n.index()]));
            }
        }
        let leads = |test: &dyn Fn(GraphNode) -> bool| graph.succs(header).iter().any(|e| test(graph.to(*e)));
        let leaves = leads(&|n| !inside[n.index()]) || graph.is_final(header);
        let tested_first = leaves && !leads(&|n| n == header);
        loops.push(NaturalLoop { header, inside, tested_first });
    }
    loops
}

impl NaturalLoop {
    pub fn contains(&self, node: GraphNode) -> bool {
        self.inside[node.index()]
    }

    /// How often the body has begun where the loop is come to.
    pub fn at_first(&self) -> u32 {
        u32::from(!self.tested_first)
    }

    /// Whether an edge within the loop begins its body once more.
    pub fn begins(&self, from: GraphNode, to: GraphNode) -> bool {
        if self.tested_first { from == self.header } else { to == self.header }
    }
}
