//! Branch coverage: every branch of the source goes every way it can go. Implicit checks are no branches, nor is
//! what the compiler added. Cases of a switch that go to the same block are one way.

use crate::criterion::{Owed, Rule, Subject};
use crate::obligation::{Kind, Obligation};

pub(crate) struct Branch;

impl Rule for Branch {
    fn owed(&self, subject: &Subject, owed: &mut Owed) {
        let graph = subject.projection;
        for branch in &graph.branches {
            for (i, choice) in branch.choices.iter().enumerate() {
                let mut obligation =
                    Obligation::new(graph, Kind::Branch, branch.targets(i), branch.line, &choice.text);
                obligation.condition = Some((branch.info.decision, branch.info.condition));
                owed.obligations.push(obligation);
            }
        }
    }
}
