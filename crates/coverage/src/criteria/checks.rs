//! Branch coverage with the implicit checks: each goes both ways too, as far as they stand in code of the source.

use super::branch::Branch;
use crate::criterion::{Owed, Rule, Subject};
use crate::obligation::{Kind, Obligation, Target};
use ir::op::Effect;
use ir::{Check, Op};

pub(crate) struct BranchChecks;

impl Rule for BranchChecks {
    fn owed(&self, subject: &Subject, owed: &mut Owed) {
        Branch.owed(subject, owed);
        let graph = subject.projection;
        for block in graph.reachable() {
            let range = graph.func.blocks[block];
            for index in (range.start..range.end).filter(|i| graph.is_visible(*i)) {
                let inst = graph.func.code[index as usize];
                let Some(what) =
                    (inst.op.effect() == Effect::Guard).then(|| texts(inst.op, inst.a)).flatten()
                else {
                    continue;
                };
                let line = graph.func.positions[index as usize].line;
                // A guard never ends its block: what follows runs if it passes.
                let ways = [(Target::Execute(index + 1), what.0), (Target::Raise(index), what.1)];
                for (target, text) in ways {
                    owed.obligations.push(Obligation::new(graph, Kind::Check, vec![target], line, text));
                }
            }
        }
    }
}

/// What it means that a check passes, and that it fails. Those that only the machine can fail are no obligations.
fn texts(op: Op, check: u32) -> Option<(&'static str, &'static str)> {
    let check = match op {
        Op::Guard => *Check::ALL.get(check as usize)?,
        Op::GuardNonNull => Check::Null,
        Op::GuardBounds => Check::Bounds,
        Op::GuardNonZeroI32 | Op::GuardNonZeroI64 => Check::DivZero,
        Op::GuardNonNegative => Check::NegativeSize,
        Op::GuardCast => Check::Cast,
        Op::GuardStore => Check::Store,
        _ => return None,
    };
    Some(match check {
        Check::Null => ("what is used is not null", "what is used is null"),
        Check::Bounds => ("the index is inside the array", "the index is outside the array"),
        Check::DivZero => ("the divisor is not zero", "the divisor is zero"),
        Check::Cast => ("the cast succeeds", "the cast fails"),
        Check::Store => ("the array may hold the element", "the array may not hold the element"),
        Check::NegativeSize => ("the length is not negative", "the length is negative"),
        _ => return None,
    })
}
