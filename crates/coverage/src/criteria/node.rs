//! Node coverage: every basic block of the source is executed.

use crate::criterion::{Owed, Rule, Subject};
use crate::obligation::{Kind, Obligation, Target};

pub(crate) struct Node;

impl Rule for Node {
    fn owed(&self, subject: &Subject, owed: &mut Owed) {
        let graph = subject.projection;
        let one = |node: &crate::projection::Node| {
            let what = format!("block {} is entered", node.block);
            Obligation::new(graph, Kind::Node, vec![Target::Enter(node.block)], node.line, &what)
        };
        owed.obligations.extend(graph.nodes.iter().map(one));
    }
}
