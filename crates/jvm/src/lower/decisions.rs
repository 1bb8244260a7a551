//! Decisions: which branches make up one condition of the source.
//!
//! `a && (b || !c)` is three branches in the bytecode. A branch belongs to the decision of those before it if it is
//! reached from them only, shares a target with one of them, does nothing but evaluate, and does not start a
//! statement of its own.

use entity::EntityId;
use ir::op::Effect;
use ir::{BlockId, BranchInfo, Function, Op, Origin};

/// Numbers the branches of a function: decisions in the order of their first branch, conditions within them.
pub(super) fn group(function: &mut Function) {
    let blocks = function.blocks.len();
    let mut preds: Vec<Vec<BlockId>> = vec![Vec::new(); blocks];
    for block in function.blocks.keys() {
        for to in function.successors(block) {
            let to = forward(function, to);
            if !preds[to.index()].contains(&block) && !is_passage(function, block) {
                preds[to.index()].push(block);
            }
        }
    }
    // By block: its decision.
    let mut decision_of: Vec<Option<u32>> = vec![None; blocks];
    // By decision: its blocks in order.
    let mut decisions: Vec<Vec<BlockId>> = Vec::new();
    for block in function.blocks.keys() {
        let Some(info) = branch(function, block) else { continue };
        let joined = (info.origin == Origin::Source)
            .then(|| joins(function, block, &preds, &decision_of, &decisions))
            .flatten();
        let decision = joined.unwrap_or_else(|| {
            decisions.push(Vec::new());
            decisions.len() as u32 - 1
        });
        decisions[decision as usize].push(block);
        decision_of[block.index()] = Some(decision);
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

/// The decision that a branch continues.
fn joins(
    function: &Function,
    block: BlockId,
    preds: &[Vec<BlockId>],
    decision_of: &[Option<u32>],
    decisions: &[Vec<BlockId>],
) -> Option<u32> {
    let last = function.code[function.blocks[block].end as usize - 1];
    let before = &preds[block.index()];
    let decision = before.first().and_then(|pred| decision_of[pred.index()])?;
    let members = &decisions[decision as usize];
    let only_from_it = before.iter().all(|pred| members.contains(pred));
    let is_condition = |block: &BlockId| {
        branch(function, *block).is_some_and(|info| info.origin == Origin::Source)
            && function.code[function.blocks[*block].end as usize - 1].op == Op::Br
    };
    if last.op != Op::Br || block.index() == 0 || !only_from_it || !members.iter().all(is_condition) {
        return None;
    }
    if starts_statement(function, block, before) || !only_evaluates(function, block) {
        return None;
    }
    let targets: Vec<BlockId> =
        function.successors(block).into_iter().map(|to| forward(function, to)).collect();
    let shared = members.iter().any(|member| {
        let theirs = function.successors(*member).into_iter().map(|to| forward(function, to));
        theirs.into_iter().any(|to| to != block && targets.contains(&to))
    });
    shared.then_some(decision)
}

/// Whether line information says that the block begins another statement than the branches before it.
fn starts_statement(function: &Function, block: BlockId, before: &[BlockId]) -> bool {
    let line = function.positions[function.blocks[block].start as usize].line;
    let others = before.iter().map(|pred| function.positions[function.blocks[*pred].end as usize - 1].line);
    line != 0 && others.into_iter().all(|other| other != 0 && other != line)
}

/// No stores, neither to memory nor to variables. Calls are part of evaluating.
fn only_evaluates(function: &Function, block: BlockId) -> bool {
    let range = function.blocks[block];
    function.code[range.start as usize..range.end as usize].iter().all(|inst| {
        let writes_variable =
            !inst.dst.is_none() && function.regs.get(inst.dst).is_some_and(|reg| reg.variable.is_some());
        let writes_memory = inst.op.effect() == Effect::Write && !matches!(inst.op, Op::New | Op::NewArray);
        !writes_variable && !writes_memory && inst.op != Op::Catch
    })
}

/// A block that only copies on its way to another.
fn is_passage(function: &Function, block: BlockId) -> bool {
    let range = function.blocks[block];
    let code = &function.code[range.start as usize..range.end as usize];
    let Some((last, before)) = code.split_last() else { return false };
    // A constant for the stack is what a condition's value is turned into; that is not on the way to it.
    last.op == Op::Jump && !before.is_empty() && before.iter().all(|inst| inst.op == Op::Copy)
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
