//! Decisions: which branches make up one condition of the source.
//!
//! `a && (b || !c)` is three branches in the bytecode. A decision is a set of branches with one entry and two ways out:
//! every branch but the first is reached from the others only, does nothing but evaluate, and does not start a
//! statement of its own.

use entity::EntityId;
use ir::op::Effect;
use ir::{BlockId, BranchInfo, Function, Op, Origin};

/// Numbers the branches of a function: decisions in the order of their first branch, conditions within them.
pub(super) fn group(function: &mut Function) {
    let preds = predecessors(function);
    let mut decision_of: Vec<Option<usize>> = vec![None; function.blocks.len()];
    let mut decisions: Vec<Vec<BlockId>> = Vec::new();
    for block in function.blocks.keys() {
        if decision_of[block.index()].is_some() || branch(function, block).is_none() {
            continue;
        }
        let members = decision(function, block, &preds, &decision_of);
        for member in &members {
            decision_of[member.index()] = Some(decisions.len());
        }
        decisions.push(members);
    }
    for (decision, members) in decisions.iter().enumerate() {
        for (condition, block) in members.iter().enumerate() {
            let index = function.blocks[*block].end - 1;
            if let Ok(at) = function.branches.binary_search_by_key(&index, |(i, _)| *i) {
                let info = &mut function.branches[at].1;
                info.decision = decision as u32;
                info.condition = condition as u32;
            }
        }
    }
}

fn branch(function: &Function, block: BlockId) -> Option<BranchInfo> {
    function.blocks[block].end.checked_sub(1).and_then(|index| function.branch_info(index))
}

fn is_condition(function: &Function, block: BlockId) -> bool {
    branch(function, block).is_some_and(|info| info.origin == Origin::Source)
        && function.code[function.blocks[block].end as usize - 1].op == Op::Br
}

/// Who leads to each block; blocks that only copy on the way are looked through.
fn predecessors(function: &Function) -> Vec<Vec<BlockId>> {
    let mut preds: Vec<Vec<BlockId>> = vec![Vec::new(); function.blocks.len()];
    for block in function.blocks.keys().filter(|block| !is_passage(function, *block)) {
        for to in targets(function, block) {
            if !preds[to.index()].contains(&block) {
                preds[to.index()].push(block);
            }
        }
    }
    preds
}

/// The branches of the decision that starts with a branch, in order. Of all that could follow, as many as leave
/// together two ways out.
fn decision(
    function: &Function,
    head: BlockId,
    preds: &[Vec<BlockId>],
    taken: &[Option<usize>],
) -> Vec<BlockId> {
    let mut members = vec![head];
    if !is_condition(function, head) {
        return members;
    }
    let mut complete = 1;
    while let Some(next) = next_condition(function, &members, preds, taken) {
        members.push(next);
        if exits(function, &members) == 2 {
            complete = members.len();
        }
    }
    members.truncate(complete);
    members
}

/// The first block in order that can only be reached from the members and only evaluates a condition.
fn next_condition(
    function: &Function,
    members: &[BlockId],
    preds: &[Vec<BlockId>],
    taken: &[Option<usize>],
) -> Option<BlockId> {
    let mut candidates: Vec<BlockId> = members.iter().flat_map(|member| targets(function, *member)).collect();
    candidates.sort_unstable();
    candidates.dedup();
    candidates.into_iter().find(|block| {
        let before = &preds[block.index()];
        block.index() != 0
            && !members.contains(block)
            && taken[block.index()].is_none()
            && is_condition(function, *block)
            && before.iter().all(|pred| members.contains(pred))
            && !starts_statement(function, *block, before)
            && only_evaluates(function, *block)
    })
}

/// How many different blocks the members lead to outside of themselves.
fn exits(function: &Function, members: &[BlockId]) -> usize {
    let all = members.iter().flat_map(|member| targets(function, *member));
    let mut outside: Vec<BlockId> = all.filter(|to| !members.contains(to)).collect();
    outside.sort_unstable();
    outside.dedup();
    outside.len()
}

fn targets(function: &Function, block: BlockId) -> Vec<BlockId> {
    function.successors(block).into_iter().map(|to| forward(function, to)).collect()
}

/// Whether line information says that the block begins another statement than the branches before it.
fn starts_statement(function: &Function, block: BlockId, before: &[BlockId]) -> bool {
    let line = function.positions[function.blocks[block].start as usize].line;
    let others = before.iter().map(|pred| function.positions[function.blocks[*pred].end as usize - 1].line);
    line != 0 && others.into_iter().all(|other| other != 0 && other != line)
}

/// No stores, neither to memory nor to variables, but for what `o instanceof Circle c` names. Calls are part of evaluating.
fn only_evaluates(function: &Function, block: BlockId) -> bool {
    let range = function.blocks[block];
    let code = &function.code[range.start as usize..range.end as usize];
    code.iter().enumerate().all(|(at, inst)| {
        let writes_variable =
            !inst.dst.is_none() && function.regs.get(inst.dst).is_some_and(|reg| reg.variable.is_some());
        let cast = at.checked_sub(1).map(|before| &code[before]);
        let names = inst.op == Op::Copy && cast.is_some_and(|c| c.op == Op::GuardCast && c.a == inst.a);
        let writes_memory = inst.op.effect() == Effect::Write && !matches!(inst.op, Op::New | Op::NewArray);
        (!writes_variable || names) && !writes_memory && inst.op != Op::Catch
    })
}

/// A block that only copies on its way to another.
fn is_passage(function: &Function, block: BlockId) -> bool {
    let range = function.blocks[block];
    let code = &function.code[range.start as usize..range.end as usize];
    let Some((last, before)) = code.split_last() else { return false };
    // A constant for the stack is what a condition's value is turned into; that is not on the way to it.
    last.op == Op::Jump && before.iter().all(|inst| inst.op == Op::Copy)
}

/// Where an edge really goes.
fn forward(function: &Function, block: BlockId) -> BlockId {
    let mut at = block;
    for _ in 0..function.blocks.len() {
        if !is_passage(function, at) {
            break;
        }
        at = BlockId(function.code[function.blocks[at].end as usize - 1].a);
    }
    at
}
