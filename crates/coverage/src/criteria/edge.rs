//! Edge coverage: every edge between basic blocks of the source is taken. An edge that follows another without a
//! choice is kept, as textbooks count it. Edges out of a branch that the compiler added are no obligations,
//! nor are exceptional edges.

use crate::criterion::{Owed, Rule, Subject};
use crate::obligation::{Kind, Obligation, Target};

pub(crate) struct Edge;

impl Rule for Edge {
    fn owed(&self, subject: &Subject, owed: &mut Owed) {
        let graph = subject.projection;
        for node in &graph.nodes {
            let last = graph.func.blocks[node.block].end - 1;
            match graph.branches.iter().find(|b| b.index == last) {
                Some(branch) => {
                    for (i, choice) in branch.choices.iter().enumerate() {
                        let targets = branch.targets(i);
                        let mut one = Obligation::new(graph, Kind::Edge, targets, branch.line, &choice.text);
                        one.condition = Some((branch.info.decision, branch.info.condition));
                        owed.obligations.push(one);
                    }
                }
                // One way on: taken whenever the end of the block is reached.
                None => {
                    if let [to] = node.succs[..] {
                        let what = format!("from block {} to block {to}", node.block);
                        owed.obligations.push(Obligation::new(
                            graph,
                            Kind::Edge,
                            vec![Target::Execute(last)],
                            node.line,
                            &what,
                        ));
                    }
                }
            }
        }
    }
}
