//! Decisions: which branches make up one condition of the source.
//!
//! `a && (b || !c)` is three branches in the bytecode. A decision is a set of branches with one entry and two ways out:
//! every branch but the first is reached from the others only, does nothing but evaluate, and does not start a
//! statement of its own. What a record pattern takes apart (`o instanceof R(int w, int h) && w > h`) stands in blocks of its own between
//! two branches, as what its calls raise is caught: they belong to the branch behind them. So does what chooses an operand
//! (`a && f(c ? x : y) > 3`, `p?.name != null`): the choice is a decision of its own, within the other one.

use std::collections::BTreeMap;

use entity::EntityId;
use ir::op::Effect;
use ir::{BlockId, BranchInfo, Function, Inst, Op, Origin, Position, Reg, Ways};

use super::written::Written;

/// Blocks that choose an operand at most.
const MOST_OF_OPERAND: usize = 64;

/// Numbers the branches of a function: decisions in the order of their first branch, conditions within them.
pub(super) fn group(function: &mut Function, written: &Written) {
    let decisions = Grouping::new(function, written).decisions();
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

struct Grouping<'a> {
    function: &'a Function,
    written: &'a Written,
    ways: Ways<'a>,
    /// Who leads to each block; blocks that only copy on the way are looked through.
    preds: Vec<Vec<BlockId>>,
}

impl<'a> Grouping<'a> {
    fn new(function: &'a Function, written: &'a Written) -> Self {
        let ways = Ways::new(function);
        let mut preds: Vec<Vec<BlockId>> = vec![Vec::new(); function.blocks.len()];
        for block in function.blocks.keys().filter(|block| !ways.is_passage(*block)) {
            for to in function.successors(block).into_iter().map(|to| ways.end(to)) {
                if !preds[to.index()].contains(&block) {
                    preds[to.index()].push(block);
                }
            }
        }
        Grouping { function, written, ways, preds }
    }

    /// The branches of each decision.
    fn decisions(&self) -> Vec<Vec<BlockId>> {
        let mut taken: Vec<bool> = vec![false; self.function.blocks.len()];
        let mut decisions: Vec<Vec<BlockId>> = Vec::new();
        for block in self.function.blocks.keys() {
            if taken[block.index()] || self.branch(block).is_none() {
                continue;
            }
            let members = self.decision(block, &taken);
            for member in &members {
                taken[member.index()] = true;
            }
            decisions.push(members);
        }
        decisions
    }

    fn branch(&self, block: BlockId) -> Option<BranchInfo> {
        self.function.blocks[block].end.checked_sub(1).and_then(|index| self.function.branch_info(index))
    }

    fn is_condition(&self, block: BlockId) -> bool {
        self.branch(block).is_some_and(|info| info.origin == Origin::Source) && self.last(block).op == Op::Br
    }

    fn code(&self, block: BlockId) -> &'a [Inst] {
        let range = self.function.blocks[block];
        &self.function.code[range.start as usize..range.end as usize]
    }

    fn positions(&self, block: BlockId) -> &'a [Position] {
        let range = self.function.blocks[block];
        &self.function.positions[range.start as usize..range.end as usize]
    }

    fn last(&self, block: BlockId) -> Inst {
        self.function.code[self.function.blocks[block].end as usize - 1]
    }

    /// The branches of the decision that starts with a branch, in order. Of all that could follow, as many as leave
    /// together two ways out.
    fn decision(&self, head: BlockId, taken: &[bool]) -> Vec<BlockId> {
        let mut members = vec![head];
        if !self.is_condition(head) {
            return members;
        }
        // Where the operands of members are chosen first.
        let mut operands: BTreeMap<BlockId, BlockId> = BTreeMap::new();
        let mut complete = 1;
        while let Some((first, next)) = self.next_condition(&members, &operands, taken) {
            members.push(next);
            if first != next {
                operands.insert(first, next);
            }
            if self.ways.two(&self.out(&members, &operands)).is_some() {
                complete = members.len();
            }
        }
        // An empty statement: all ways lead to the same code, and which of them is true is not to be seen.
        let out = self.out(&members, &operands);
        if complete < members.len() && out.iter().all(|first| self.ways.end(*first) == self.ways.end(out[0]))
        {
            complete = 1;
        }
        members.truncate(complete);
        members
    }

    /// The first block in order that can only be reached from the members and only evaluates a condition, and where its operands
    /// begin to be evaluated.
    fn next_condition(
        &self,
        members: &[BlockId],
        operands: &BTreeMap<BlockId, BlockId>,
        taken: &[bool],
    ) -> Option<(BlockId, BlockId)> {
        let is_free = |block: BlockId| {
            block.index() != 0
                && !members.contains(&block)
                && !taken[block.index()]
                && self.is_condition(block)
        };
        let mut candidates: Vec<BlockId> =
            members.iter().flat_map(|member| self.function.successors(*member)).collect();
        candidates.sort_unstable_by_key(|to| self.end(*to));
        candidates.into_iter().find_map(|to| {
            let first = self.ways.end(to);
            if operands.contains_key(&first) {
                return None;
            }
            if let Some(behind) = self.behind_operand(first, members).filter(|behind| is_free(*behind)) {
                return Some((first, behind));
            }
            let block = self.end(to);
            if !is_free(block) {
                return None;
            }
            let piece = self.piece(block);
            let before = &self.preds[piece[0].index()];
            let is_next = before.iter().all(|pred| members.contains(pred))
                && !self.starts_statement(&piece, before)
                && self.only_evaluates(&piece);
            is_next.then_some((block, block))
        })
    }

    /// The branch on an operand that is chosen first, given where the choice begins: all ways from there lead to it, each brings a value
    /// for it, and do nothing else.
    fn behind_operand(&self, first: BlockId, members: &[BlockId]) -> Option<BlockId> {
        let before = &self.preds[first.index()];
        let chooses = self.function.successors(first).len() > 1
            && before.iter().all(|pred| members.contains(pred))
            && self.only_evaluates(&[first]);
        let mut choice = vec![first];
        while chooses && choice.len() < MOST_OF_OPERAND {
            let mut out: Vec<BlockId> = choice
                .iter()
                .flat_map(|block| self.function.successors(*block))
                .map(|to| self.ways.end(to))
                .filter(|to| !choice.contains(to))
                .collect();
            out.sort_unstable();
            out.dedup();
            let is_inside = |to: &BlockId| self.preds[to.index()].iter().all(|pred| choice.contains(pred));
            let next = *out.iter().find(|to| is_inside(to))?;
            if !self.only_evaluates(&[next]) {
                return None;
            }
            if self.is_condition(next) && self.tests_chosen(next, &choice) {
                // `int x = c ? a : b;` is a statement if it stands on a line of its own. Otherwise that says nothing: lines of `? :` are
                // told wherever they stand.
                let is_statement = self.starts_statement(&[first], before) && self.assigns(next);
                return (out == [next] && !is_statement).then_some(next);
            }
            choice.push(next);
        }
        None
    }

    /// Whether a branch depends on what several blocks left for it on the stack.
    fn tests_chosen(&self, block: BlockId, choice: &[BlockId]) -> bool {
        let mut needed: Vec<Reg> = Vec::new();
        for inst in self.code(block).iter().rev() {
            if inst.op == Op::Br || needed.contains(&inst.dst) {
                needed.retain(|reg| *reg != inst.dst);
                needed.extend(inst.reads(self.function));
            }
        }
        let writes = |block: BlockId, reg: Reg| self.code(block).iter().any(|inst| inst.dst == reg);
        needed.into_iter().any(|reg| {
            let writers = self.function.blocks.keys().filter(|block| {
                (choice.contains(block) || self.ways.is_passage(*block)) && writes(*block, reg)
            });
            !self.is_variable(reg) && writers.count() > 1
        })
    }

    fn is_variable(&self, reg: Reg) -> bool {
        self.function.regs.get(reg).is_some_and(|reg| reg.variable.is_some())
    }

    /// Whether a register holds a variable by which Kotlin's compiler marks the code of an inline function.
    fn is_inlined(&self, reg: Reg) -> bool {
        let variable = self.function.regs.get(reg).and_then(|reg| reg.variable.as_deref());
        variable.is_some_and(|name| name.starts_with("$i$"))
    }

    fn assigns(&self, block: BlockId) -> bool {
        self.code(block).iter().any(|inst| !inst.dst.is_none() && self.is_variable(inst.dst))
    }

    /// What the members lead to first outside of themselves. Back to the first of them is out: that is another evaluation.
    fn out(&self, members: &[BlockId], operands: &BTreeMap<BlockId, BlockId>) -> Vec<BlockId> {
        let all = members.iter().flat_map(|member| self.function.successors(*member));
        let leads_on =
            |to: BlockId| operands.contains_key(&self.ways.end(to)) || members[1..].contains(&self.end(to));
        all.filter(|to| !leads_on(*to)).collect()
    }

    /// Where an edge leads, given its first block: past what only copies, and past what a record pattern takes apart.
    fn end(&self, first: BlockId) -> BlockId {
        let mut at = self.ways.end(first);
        for _ in 0..self.function.blocks.len() {
            match self.last(at) {
                Inst { op: Op::Jump, a, .. } => match self.ways.end(BlockId(a)) {
                    next if self.belong_together(at, next) => at = next,
                    _ => break,
                },
                _ => break,
            }
        }
        at
    }

    /// A branch's block, and before it those that belong to it.
    fn piece(&self, block: BlockId) -> Vec<BlockId> {
        let mut piece = vec![block];
        while let [before] = self.preds[piece[0].index()][..]
            && !piece.contains(&before)
            && self.belong_together(before, piece[0])
        {
            piece.insert(0, before);
        }
        piece
    }

    /// Whether code is divided in two blocks only because a record pattern reads a component there.
    fn belong_together(&self, block: BlockId, next: BlockId) -> bool {
        let reads =
            |block: BlockId| self.positions(block).iter().any(|p| self.written.is_component(p.offset));
        self.last(block).op == Op::Jump
            && self.preds[next.index()] == [block]
            && self.written.has_components()
            && (reads(block) || reads(next))
    }

    /// Whether line information says that a branch's blocks begin another statement than the branches before them.
    fn starts_statement(&self, piece: &[BlockId], before: &[BlockId]) -> bool {
        let other = |line: u32| {
            let at = |pred: &BlockId| self.positions(*pred).last().map_or(0, |p| self.written.line(p.offset));
            let lines = before.iter().map(at);
            line != 0 && lines.into_iter().all(|other| other != 0 && other != line)
        };
        piece.iter().any(|block| {
            let offset = self.positions(*block).last().map_or(0, |p| p.offset);
            self.written.statement(offset).is_some_and(other)
        })
    }

    /// No stores, neither to memory nor to variables, but for what patterns name (`o instanceof Circle c`) and what is used at once
    /// (`(c = next()) > 0`, `i++ < 9`), and into what is made here (`of(a, b)` makes an array). Calls are part of evaluating.
    fn only_evaluates(&self, piece: &[BlockId]) -> bool {
        let code: Vec<(Inst, Position)> = piece
            .iter()
            .flat_map(|block| self.code(*block).iter().copied().zip(self.positions(*block).iter().copied()))
            .collect();
        let tested = tested(self.function, &code);
        let may_assign = self.written.may_assign() || code.iter().any(|(inst, _)| self.is_inlined(inst.dst));
        // What patterns name, and where it comes from.
        let mut named: Vec<Reg> = Vec::new();
        let mut made: Vec<Reg> = Vec::new();
        code.iter().all(|(inst, position)| {
            let dst = inst.dst;
            let writes_variable = !dst.is_none() && self.is_variable(dst);
            let names = inst.op == Op::Copy && named.contains(&Reg(inst.a));
            match inst.op {
                Op::GuardCast => named.push(Reg(inst.a)),
                Op::New | Op::NewArray => made.push(dst),
                _ if names
                    || inst.op.effect() == Effect::Call && self.written.is_component(position.offset) =>
                {
                    named.push(dst);
                }
                Op::Copy if made.contains(&Reg(inst.a)) => made.push(dst),
                _ => {}
            }
            let is_tested = tested.contains(&dst) || inst.op == Op::Copy && tested.contains(&Reg(inst.a));
            // `i++` is an expression everywhere.
            let is_tested = is_tested && (may_assign || inst.reads(self.function).any(|reg| reg == dst));
            let stays = match inst.op {
                Op::New | Op::NewArray => true,
                op if op.effect() == Effect::Write => {
                    made.contains(&Reg(inst.a)) || self.written.is_kept(position.offset)
                }
                op => op != Op::Catch,
            };
            (!writes_variable || names || is_tested) && stays
        })
    }
}

/// Registers that the branch at the end of some code depends on.
fn tested(function: &Function, code: &[(Inst, Position)]) -> Vec<Reg> {
    let mut found: Vec<Reg> = Vec::new();
    for (inst, _) in code.iter().rev() {
        if inst.op == Op::Br || found.contains(&inst.dst) {
            found.extend(inst.reads(function));
        }
    }
    found
}
