//! Notes at the boundaries of comparisons: whether the operands are equal, and whether they are next to each other on the
//! side where the comparison changes.
//!
//! `a < b` changes between `b - 1` and `b`, `a <= b` between `b` and `b + 1`, `a == b` on both sides of `b`. Of floats only
//! equality is noted. Notes decide nothing; the graph stays as it is.

use crate::func::{Function, Inst, Origin, Position, RegInfo};
use crate::op::Op;
use crate::types::{Reg, Type};

/// Where one of the operands is beside the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

/// A comparison with what can be noted of it.
struct Comparison {
    equal: Op,
    /// Less than, of the same kind; none for floats.
    less: Option<Op>,
    wide: bool,
    sides: &'static [Side],
}

/// Adds notes in front of every comparison that a branch of the source depends on alone.
pub fn note_boundaries(func: &mut Function) {
    let mut noted: Vec<(u32, Comparison)> = Vec::new();
    for (branch, info) in &func.branches {
        if info.origin == Origin::Source
            && func.code[*branch as usize].op == Op::Br
            && let Some(found) = comparison(func, *branch)
        {
            noted.push(found);
        }
    }
    noted.sort_by_key(|(index, _)| *index);
    noted.dedup_by_key(|(index, _)| *index);
    // Behind each index, what is added in front of it and of all before.
    let mut moved: Vec<u32> = Vec::with_capacity(func.code.len() + 1);
    let mut code: Vec<Inst> = Vec::with_capacity(func.code.len());
    let mut positions: Vec<Position> = Vec::with_capacity(func.code.len());
    let mut next = noted.iter().peekable();
    for index in 0..func.code.len() {
        moved.push(code.len() as u32);
        let (inst, position) = (func.code[index], func.positions[index]);
        if let Some((_, comparison)) = next.next_if(|(at, _)| *at == index as u32) {
            notes(func, &inst, comparison, &mut code);
            positions.resize(code.len(), position);
        }
        code.push(inst);
        positions.push(position);
    }
    moved.push(code.len() as u32);
    // A block begins in front of its first instruction's notes; a branch is never a comparison, so nothing stands
    // between its place and itself.
    for block in func.blocks.keys().collect::<Vec<_>>() {
        let range = &mut func.blocks[block];
        range.start = moved[range.start as usize];
        range.end = moved[range.end as usize];
    }
    for (index, _) in &mut func.branches {
        *index = moved[*index as usize];
    }
    func.code = code;
    func.positions = positions;
}

/// The comparison that a branch's condition is, behind negations, if it is in the branch's block.
fn comparison(func: &Function, branch: u32) -> Option<(u32, Comparison)> {
    let start = func.blocks[func.block_at(branch)].start;
    let mut reg = Reg(func.code[branch as usize].a);
    let mut before = branch;
    loop {
        let at = (start..before).rev().find(|i| func.code[*i as usize].dst == reg)?;
        let inst = func.code[at as usize];
        if inst.op != Op::NotI1 {
            return Some((at, kind(inst.op)?));
        }
        (reg, before) = (Reg(inst.a), at);
    }
}

fn kind(op: Op) -> Option<Comparison> {
    use Side::{Above, Below};
    let (equal, less, wide, sides): (Op, Option<Op>, bool, &'static [Side]) = match op {
        Op::EqI32 | Op::NeI32 => (Op::EqI32, Some(Op::SltI32), false, &[Below, Above]),
        Op::SltI32 => (Op::EqI32, Some(Op::SltI32), false, &[Below]),
        Op::SleI32 => (Op::EqI32, Some(Op::SltI32), false, &[Above]),
        Op::UltI32 => (Op::EqI32, Some(Op::UltI32), false, &[Below]),
        Op::UleI32 => (Op::EqI32, Some(Op::UltI32), false, &[Above]),
        Op::EqI64 | Op::NeI64 => (Op::EqI64, Some(Op::SltI64), true, &[Below, Above]),
        Op::SltI64 => (Op::EqI64, Some(Op::SltI64), true, &[Below]),
        Op::SleI64 => (Op::EqI64, Some(Op::SltI64), true, &[Above]),
        Op::UltI64 => (Op::EqI64, Some(Op::UltI64), true, &[Below]),
        Op::UleI64 => (Op::EqI64, Some(Op::UltI64), true, &[Above]),
        Op::EqF32 | Op::LtF32 | Op::LeF32 => (Op::EqF32, None, false, &[]),
        Op::EqF64 | Op::LtF64 | Op::LeF64 => (Op::EqF64, None, true, &[]),
        _ => return None,
    };
    Some(Comparison { equal, less, wide, sides })
}

/// `a == b`, and `a == b - 1` or `a == b + 1` where that does not wrap.
fn notes(func: &mut Function, inst: &Inst, comparison: &Comparison, code: &mut Vec<Inst>) {
    let (a, b) = (inst.a, inst.b);
    let mut add = |func: &mut Function, ty: Type, op: Op, a: u32, b: u32| -> u32 {
        let dst = func.regs.push(RegInfo { ty, variable: None });
        code.push(Inst { op, dst, a, b, c: 0 });
        dst.0
    };
    let equal = add(func, Type::I1, comparison.equal, a, b);
    let mut wanted = vec![equal];
    if let Some(less) = comparison.less {
        let (ty, constant, plus, minus) = match comparison.wide {
            false => (Type::I32, Op::ConstI32, Op::AddI32, Op::SubI32),
            true => (Type::I64, Op::ConstI64, Op::AddI64, Op::SubI64),
        };
        for side in comparison.sides {
            let one = add(func, ty, constant, 1, 0);
            let (op, order) = match side {
                Side::Below => (minus, (a, b)),
                Side::Above => (plus, (b, a)),
            };
            let beside = add(func, ty, op, b, one);
            let is_beside = add(func, Type::I1, comparison.equal, a, beside);
            // At the end of the type's range nothing is beside it.
            let in_order = add(func, Type::I1, less, order.0, order.1);
            wanted.push(add(func, Type::I1, Op::AndI1, is_beside, in_order));
        }
    }
    for condition in wanted {
        code.push(Inst { op: Op::Note, dst: Reg::NONE, a: condition, b: 0, c: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_module;

    #[test]
    fn comparisons_get_notes_and_the_graph_stays() {
        let text = "func @f(%0: i32, %1: i64, %2: f64) {
b0:
  %3 = const.i32 10
  %4 = slt.i32 %0, %3
  br %4, b1, b2 !source 0.0
b1:
  %5 = eq.i64 %1, %1
  %6 = not %5
  br %6, b2, b2 !source 1.0
b2:
  %7 = lt.f64 %2, %2
  br %7, b3, b3 !source 2.0
b3:
  %8 = sle.i32 %0, %3
  br %8, b4, b4 !synthetic 3.0
b4:
  ret
}
";
        let mut func = parse_module(text).unwrap().module.function("f").unwrap().clone();
        let before: Vec<_> = func.blocks.keys().map(|b| func.successors(b)).collect();
        note_boundaries(&mut func);
        assert_eq!(crate::verify(&func, &crate::verify::AnyProgram), []);
        let after: Vec<_> = func.blocks.keys().map(|b| func.successors(b)).collect();
        assert_eq!(before, after);
        let notes = |block: u32| {
            let range = func.blocks[crate::BlockId(block)];
            (range.start..range.end).filter(|i| func.code[*i as usize].op == Op::Note).count()
        };
        assert_eq!([0, 1, 2, 3].map(notes), [2, 3, 1, 0]);
    }
}
