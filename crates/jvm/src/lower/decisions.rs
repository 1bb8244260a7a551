//! Decisions: which branches make up one condition of the source.
//!
//! `a && (b || !c)` is three branches in the bytecode. A decision is a set of branches with one entry and two ways out:
//! every branch but the first is reached from the others only, does nothing but evaluate, and does not start a
//! statement of its own.

use entity::EntityId;
use ir::op::Effect;
use ir::{BlockId, BranchInfo, Function, Inst, Op, Origin, Reg, Ways};

/// Numbers the branches of a function: decisions in the order of their first branch, conditions within them.
pub(super) fn group(function: &mut Function) {
    let decisions = decisions(function);
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

/// The branches of each decision.
fn decisions(function: &Function) -> Vec<Vec<BlockId>> {
    let ways = Ways::new(function);
    let preds = predecessors(function, &ways);
    let mut decision_of: Vec<Option<usize>> = vec![None; function.blocks.len()];
    let mut decisions: Vec<Vec<BlockId>> = Vec::new();
    for block in function.blocks.keys() {
        if decision_of[block.index()].is_some() || branch(function, block).is_none() {
            continue;
        }
        let members = decision(function, &ways, block, &preds, &decision_of);
        for member in &members {
            decision_of[member.index()] = Some(decisions.len());
        }
        decisions.push(members);
    }
    decisions
}

fn branch(function: &Function, block: BlockId) -> Option<BranchInfo> {
    function.blocks[block].end.checked_sub(1).and_then(|index| function.branch_info(index))
}

fn is_condition(function: &Function, block: BlockId) -> bool {
    branch(function, block).is_some_and(|info| info.origin == Origin::Source)
        && function.code[function.blocks[block].end as usize - 1].op == Op::Br
}

/// Who leads to each block; blocks that only copy on the way are looked through.
fn predecessors(function: &Function, ways: &Ways<'_>) -> Vec<Vec<BlockId>> {
    let mut preds: Vec<Vec<BlockId>> = vec![Vec::new(); function.blocks.len()];
    for block in function.blocks.keys().filter(|block| !ways.is_passage(*block)) {
        for to in targets(function, ways, block) {
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
    ways: &Ways<'_>,
    head: BlockId,
    preds: &[Vec<BlockId>],
    taken: &[Option<usize>],
) -> Vec<BlockId> {
    let mut members = vec![head];
    if !is_condition(function, head) {
        return members;
    }
    let mut complete = 1;
    while let Some(next) = next_condition(function, ways, &members, preds, taken) {
        members.push(next);
        if has_two_ways(function, ways, &members) {
            complete = members.len();
        }
    }
    // An empty statement: all ways lead to the same code, and which of them is true is not to be seen.
    let out = out(function, ways, &members);
    if complete < members.len() && out.iter().all(|first| ways.end(*first) == ways.end(out[0])) {
        complete = 1;
    }
    members.truncate(complete);
    members
}

/// The first block in order that can only be reached from the members and only evaluates a condition.
fn next_condition(
    function: &Function,
    ways: &Ways<'_>,
    members: &[BlockId],
    preds: &[Vec<BlockId>],
    taken: &[Option<usize>],
) -> Option<BlockId> {
    let mut candidates: Vec<BlockId> =
        members.iter().flat_map(|member| targets(function, ways, *member)).collect();
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

/// Whether the members lead out of themselves in two ways. Back to the first of them is out: that is another evaluation.
fn has_two_ways(function: &Function, ways: &Ways<'_>, members: &[BlockId]) -> bool {
    ways.two(&out(function, ways, members)).is_some()
}

/// What the members lead to first outside of themselves.
fn out(function: &Function, ways: &Ways<'_>, members: &[BlockId]) -> Vec<BlockId> {
    let all = members.iter().flat_map(|member| function.successors(*member));
    all.filter(|to| !members[1..].contains(&ways.end(*to))).collect()
}

fn targets(function: &Function, ways: &Ways<'_>, block: BlockId) -> Vec<BlockId> {
    function.successors(block).into_iter().map(|to| ways.end(to)).collect()
}

/// Whether line information says that the block begins another statement than the branches before it.
fn starts_statement(function: &Function, block: BlockId, before: &[BlockId]) -> bool {
    let line = function.positions[function.blocks[block].start as usize].line;
    let others = before.iter().map(|pred| function.positions[function.blocks[*pred].end as usize - 1].line);
    line != 0 && others.into_iter().all(|other| other != 0 && other != line)
}

/// No stores, neither to memory nor to variables, but for what `o instanceof Circle c` names and what is tested at once (`(c = next()) > 0`,
/// `i++ < 9`). Calls are part of evaluating.
fn only_evaluates(function: &Function, block: BlockId) -> bool {
    let range = function.blocks[block];
    let code = &function.code[range.start as usize..range.end as usize];
    let tested = tested(function, code);
    code.iter().enumerate().all(|(at, inst)| {
        let writes_variable =
            !inst.dst.is_none() && function.regs.get(inst.dst).is_some_and(|reg| reg.variable.is_some());
        let cast = at.checked_sub(1).map(|before| &code[before]);
        let names = inst.op == Op::Copy && cast.is_some_and(|c| c.op == Op::GuardCast && c.a == inst.a);
        let writes_memory = inst.op.effect() == Effect::Write && !matches!(inst.op, Op::New | Op::NewArray);
        let is_tested = tested.contains(&inst.dst) || inst.op == Op::Copy && tested.contains(&Reg(inst.a));
        (!writes_variable || names || is_tested) && !writes_memory && inst.op != Op::Catch
    })
}

/// Registers of a block that its branch depends on.
fn tested(function: &Function, code: &[Inst]) -> Vec<Reg> {
    let mut found: Vec<Reg> = Vec::new();
    for inst in code.iter().rev() {
        if inst.op == Op::Br || found.contains(&inst.dst) {
            found.extend(inst.reads(function));
        }
    }
    found
}
