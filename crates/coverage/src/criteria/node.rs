//! Node coverage: every basic block of the source is executed.

use crate::criterion::Rule;
use crate::obligation::{Kind, Obligation, Target};
use crate::projection::Projection;

pub(crate) struct Node;

impl Rule for Node {
    fn obligations(&self, graph: &Projection) -> Vec<Obligation> {
        let one = |node: &crate::projection::Node| {
            let what = format!("block {} is entered", node.block);
            Obligation::new(graph, Kind::Node, vec![Target::Enter(node.block)], node.line, &what)
        };
        graph.nodes.iter().map(one).collect()
    }
}
