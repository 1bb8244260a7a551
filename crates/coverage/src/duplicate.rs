//! Finding branches that are one branch of the source: compilers copy the body of `finally` to every way out.
//!
//! Copies stand on the same line, compute the same condition in the same way, begin the same code behind at least
//! one choice, and exclude each other: no copy is reached from another without going round a loop. At least one
//! is reached by an exception only. All that must hold. What merely looks alike (two equal conditions on
//! one line, one after the other) is left apart, so that at worst something counts twice, never not at all.

use crate::projection::Branch;
use entity::EntityId;
use ir::op::Operand;
use ir::{BlockId, Cfg, Edges, Function, Inst, Op, Reg};
use std::collections::BTreeMap;

/// A piece of code with temporaries renamed in order of appearance.
type Shape = Vec<String>;

/// More branches than this on one line are generated code, not copies of a `finally`; comparing all pairs of
/// them would take its time.
const MOST_COPIES: usize = 16;

/// Makes later copies of a branch copies of the first.
pub(crate) fn duplicates(func: &Function, cfg: &Cfg, branches: Vec<Branch>) -> Vec<Branch> {
    let mut groups: BTreeMap<(u32, Shape), Vec<usize>> = BTreeMap::new();
    for (i, branch) in branches.iter().enumerate().filter(|(_, b)| b.line != 0) {
        groups.entry((branch.line, condition_shape(func, branch.index))).or_default().push(i);
    }
    let normal = normally_reached(cfg);
    let mut first_of: Vec<Option<usize>> = vec![None; branches.len()];
    let few = |members: &Vec<usize>| (2..=MOST_COPIES).contains(&members.len());
    for members in groups.into_values().filter(few) {
        let block = |i: usize| func.block_at(branches[i].index);
        let landed = |i: usize| !normal[block(i).index()];
        let mut taken: Vec<usize> = Vec::new();
        for first in &members {
            if taken.contains(first) {
                continue;
            }
            let mut copies = vec![*first];
            for other in members.iter().filter(|m| *m > first && !taken.contains(m)) {
                let apart = copies.iter().all(|c| {
                    !reaches(cfg, block(*c), block(*other)) && !reaches(cfg, block(*other), block(*c))
                });
                if apart && same_beginning(func, &branches[*first], &branches[*other]) {
                    copies.push(*other);
                }
            }
            if copies.len() > 1 && copies.iter().any(|c| landed(*c)) && !copies.iter().all(|c| landed(*c)) {
                copies.iter().skip(1).for_each(|c| first_of[*c] = Some(*first));
                taken.extend(copies);
            }
        }
    }
    let mut merged: Vec<Branch> = Vec::new();
    let mut place = vec![0; branches.len()];
    for (i, branch) in branches.into_iter().enumerate() {
        match first_of[i] {
            Some(first) => merged[place[first]].copies.push(branch),
            None => {
                place[i] = merged.len();
                merged.push(branch);
            }
        }
    }
    merged
}

/// What is reached without an exception; the rest is code of handlers.
fn normally_reached(cfg: &Cfg) -> Vec<bool> {
    let mut seen = vec![false; cfg.len()];
    let mut open: Vec<BlockId> = cfg.blocks().take(1).collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[block.index()], true) {
            open.extend(cfg.succs(block, Edges::Normal));
        }
    }
    seen
}

/// The instructions of the branch's own line that lead to it in its block, and the branch. What is only put aside there
/// (the exception, until the copy is done) is no part of it.
fn condition_shape(func: &Function, index: u32) -> Shape {
    let block = func.blocks[func.block_at(index)];
    let line = func.positions[index as usize].line;
    let own = (block.start..index)
        .rev()
        .take_while(|i| func.positions[*i as usize].line == line && func.code[*i as usize].op != Op::Catch);
    let mut read: Vec<Reg> = func.code[index as usize].reads(func).collect();
    let mut kept = vec![index];
    for i in own {
        let inst = func.code[i as usize];
        if inst.op != Op::Copy || read.contains(&inst.dst) {
            read.extend(inst.reads(func));
            kept.push(i);
        }
    }
    kept.reverse();
    shape(func, kept)
}

/// Whether some choice of both begins the same code, which is not empty.
fn same_beginning(func: &Function, a: &Branch, b: &Branch) -> bool {
    let beginning = |block: BlockId| {
        let block = func.blocks[block];
        shape(func, block.start..block.end.saturating_sub(1))
    };
    a.choices.len() == b.choices.len()
        && a.choices.iter().zip(&b.choices).any(|(x, y)| {
            let (x, y) = (beginning(x.target), beginning(y.target));
            !x.is_empty() && x == y
        })
}

/// Constants stand for themselves: where they are loaded depends on whether a loop is around.
fn shape(func: &Function, code: impl IntoIterator<Item = u32>) -> Shape {
    // What each temporary is called: a number for each value that it holds.
    let mut called: BTreeMap<Reg, usize> = BTreeMap::new();
    let mut values = 0;
    let mut register = |reg: Reg, at: Option<u32>| {
        if let Some(variable) = func.regs.get(reg).and_then(|info| info.variable.as_ref()) {
            return format!("{variable:?}");
        }
        if let Some(value) = at.and_then(|at| constant(func, reg, at)) {
            return value;
        }
        let number = called.get(&reg).copied().filter(|_| at.is_some()).unwrap_or_else(|| {
            values += 1;
            values
        });
        called.insert(reg, number);
        format!("%{number}")
    };
    let mut one = |index: u32, inst: &Inst| {
        let mut text = format!("{} {}", func.positions[index as usize].line, inst.op.name());
        for (kind, value) in inst.operands() {
            let word = value as u32;
            text.push(' ');
            match kind {
                Operand::Reg(_) | Operand::Any | Operand::Same => text += &register(Reg(word), Some(index)),
                Operand::List => func.list(word).iter().for_each(|r| text += &register(*r, Some(index))),
                Operand::Table => {
                    let cases = func.tables.get(word as usize).into_iter().flat_map(|t| &t.cases);
                    cases.for_each(|(case, _)| text += &format!("{case} "));
                }
                // Copies go to other blocks.
                Operand::Block => {}
                _ => text += &value.to_string(),
            }
        }
        if !inst.dst.is_none() {
            text += &format!(" -> {}", register(inst.dst, None));
        }
        text
    };
    // Where something was found not to be null before, it is not asked again.
    let is_aside = |i: &u32| {
        let inst = &func.code[*i as usize];
        let temporary = func.regs.get(inst.dst).is_some_and(|info| info.variable.is_none());
        is_constant(inst.op) && temporary || inst.op == Op::GuardNonNull
    };
    let code: Vec<u32> = code.into_iter().collect();
    // What only loads a constant is what it does.
    let all = code.iter().all(is_aside);
    code.iter().filter(|i| all || !is_aside(i)).map(|i| one(*i, &func.code[*i as usize])).collect()
}

fn is_constant(op: Op) -> bool {
    matches!(op, Op::ConstI1 | Op::ConstI32 | Op::ConstI64 | Op::ConstF32 | Op::ConstF64)
}

/// The constant that a temporary holds at an instruction: loaded before in its block, or once in the function.
fn constant(func: &Function, reg: Reg, at: u32) -> Option<String> {
    let text = |index: u32| {
        let inst = &func.code[index as usize];
        is_constant(inst.op).then(|| format!("{} {} {}", inst.op.name(), inst.a, inst.b))
    };
    let writes = |index: &u32| func.code[*index as usize].dst == reg;
    let block = func.blocks[func.block_at(at)];
    if let Some(index) = (block.start..at).rev().find(writes) {
        return text(index);
    }
    let mut all = (0..func.code.len() as u32).filter(writes);
    let only = all.next().filter(|_| all.next().is_none())?;
    text(only)
}

/// Whether a path leads from the end of one block to another without going back in reverse postorder. What raises in the
/// first block itself does so before its branch.
fn reaches(cfg: &Cfg, from: BlockId, to: BlockId) -> bool {
    let mut place = vec![usize::MAX; cfg.len()];
    for (i, block) in cfg.reverse_postorder(Edges::All).into_iter().enumerate() {
        place[block.index()] = i;
    }
    let mut seen = vec![false; cfg.len()];
    let forward = |block: BlockId, edges: Edges| {
        cfg.succs(block, edges).filter(|succ| place[succ.index()] > place[block.index()]).collect::<Vec<_>>()
    };
    let mut open = forward(from, Edges::Normal);
    while let Some(block) = open.pop() {
        if block == to {
            return true;
        }
        if !std::mem::replace(&mut seen[block.index()], true) {
            open.extend(forward(block, Edges::All));
        }
    }
    false
}
