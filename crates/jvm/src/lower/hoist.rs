//! Constants that loops use are made once, in the entry block. An interpreter pays for every instruction, and loading
//! a constant anew each time round is the most common one it can be spared.

use entity::EntityId;
use ir::op::Operand;
use ir::{Inst, Op, Reg};
use rustc_hash::FxHashMap;

use super::draft::{Draft, Line};

/// A method that needs more pays too much on entry.
const MOST: usize = 16;

/// Moves constants of loops to the entry block, which is not part of any loop.
pub(super) fn hoist(draft: &mut Draft, is_local: &[bool]) {
    let in_loop = blocks_in_loops(draft);
    if !in_loop.contains(&true) {
        return;
    }
    let mut writes = vec![0u32; draft.regs.len()];
    for line in draft.blocks.iter().flat_map(|block| &block.code) {
        if !line.inst.dst.is_none() {
            writes[line.inst.dst.index()] += 1;
        }
    }
    let is_temporary =
        |reg: Reg| writes[reg.index()] == 1 && !is_local.get(reg.index()).copied().unwrap_or(false);
    let mut made: Vec<Inst> = Vec::new();
    let mut renamed: FxHashMap<Reg, Reg> = FxHashMap::default();
    for (block, in_loop) in draft.blocks.iter_mut().zip(&in_loop) {
        if !in_loop {
            continue;
        }
        block.code.retain(|line| {
            let inst = line.inst;
            if !is_constant(inst.op) || !is_temporary(inst.dst) {
                return true;
            }
            let same = made.iter().find(|known| (known.op, known.a, known.b) == (inst.op, inst.a, inst.b));
            match same {
                Some(known) => {
                    renamed.insert(inst.dst, known.dst);
                    false
                }
                None if made.len() < MOST => {
                    made.push(inst);
                    false
                }
                None => true,
            }
        });
    }
    if !renamed.is_empty() {
        rename(draft, &renamed);
    }
    let entry = &mut draft.blocks[0];
    if let Some(at) = entry.code.len().checked_sub(1) {
        let position = entry.code[at].position;
        let lines = made.into_iter().map(|inst| Line { inst, position, origin: None, truth: None });
        entry.code.splice(at..at, lines);
    }
}

fn is_constant(op: Op) -> bool {
    matches!(op, Op::ConstI32 | Op::ConstI64 | Op::ConstF32 | Op::ConstF64 | Op::Null)
}

/// By block: whether it lies between the target and the source of a backward jump, as the bytecode has them.
fn blocks_in_loops(draft: &Draft) -> Vec<bool> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for (index, block) in draft.blocks.iter().enumerate() {
        for to in draft.successors(index) {
            let target = draft.blocks[to].order;
            // Landing blocks have the order of their handler, so equal orders alone mean nothing.
            if target < block.order || to == index {
                spans.push((target, block.order));
            }
        }
    }
    let inside = |order: u32| spans.iter().any(|(from, to)| *from <= order && order <= *to);
    draft.blocks.iter().enumerate().map(|(index, block)| index != 0 && inside(block.order)).collect()
}

fn rename(draft: &mut Draft, renamed: &FxHashMap<Reg, Reg>) {
    let new = |reg: Reg| renamed.get(&reg).copied().unwrap_or(reg);
    for block in &mut draft.blocks {
        for line in &mut block.code {
            let mut word = 0;
            for kind in line.inst.op.operands() {
                let operand = match word {
                    0 => &mut line.inst.a,
                    1 => &mut line.inst.b,
                    _ => &mut line.inst.c,
                };
                if matches!(kind, Operand::Reg(_) | Operand::Any | Operand::Same) {
                    *operand = new(Reg(*operand)).0;
                }
                word += kind.words();
            }
        }
    }
    for reg in draft.lists.iter_mut().flatten() {
        *reg = new(*reg);
    }
}
