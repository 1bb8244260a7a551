//! Boundary values: at each comparison of the source the operands are equal once, and once next to each other on the side
//! where the comparison changes. The front end puts notes there ([`ir::note_boundaries`]).

use crate::criterion::{Owed, Subject};
use crate::decision::decisions;
use crate::describe::boundary_text;
use crate::obligation::{Kind, Obligation, Target};
use ir::Op;

pub(crate) fn boundaries(subject: &Subject, owed: &mut Owed) {
    let graph = subject.projection;
    let notes = |branch: u32| -> Vec<u32> {
        let start = graph.func.blocks[graph.func.block_at(branch)].start;
        (start..branch).filter(|i| graph.func.code[*i as usize].op == Op::Note).collect()
    };
    let decisions = decisions(graph);
    for branch in &graph.branches {
        let of = |decision: &crate::decision::Decision| {
            let mut conditions = 0..decision.conditions.len();
            let condition =
                conditions.find(|c| decision.takes(*c, true).first().is_some_and(|t| t.0 == branch.index))?;
            Some(decision.conditions[condition].texts[1].clone())
        };
        let condition = decisions.iter().find_map(of);
        let copies: Vec<Vec<u32>> = branch.copies.iter().map(|copy| notes(copy.index)).collect();
        for (i, note) in notes(branch.index).into_iter().enumerate() {
            // Nothing is near a truth value.
            let Some(value) = boundary_text(graph.func, graph.names, note) else { continue };
            let text = match &condition {
                Some(condition) if *condition != value => format!("{value}, at the boundary of {condition}"),
                _ => value,
            };
            let same = copies.iter().filter_map(|notes| notes.get(i));
            let targets =
                std::iter::once(&note).chain(same).map(|index| Target::Take { index: *index, position: 0 });
            let mut one = Obligation::new(graph, Kind::Boundary, targets.collect(), branch.line, &text);
            one.condition = Some((branch.info.decision, branch.info.condition));
            owed.obligations.push(one);
        }
    }
}
