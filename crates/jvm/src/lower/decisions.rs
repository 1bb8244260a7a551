//! Decisions: which branches make up one condition of the source.
//!
//! `a && (b || !c)` is three branches in the bytecode. A decision is a set of branches with one entry and two ways out:
//! every branch but the first is reached from the others only, does nothing but evaluate, and does not start a
//! statement of its own. What a record pattern takes apart (`o instanceof R(int w, int h) && w > h`) stands in blocks of its own between
//! two branches, as what its calls raise is caught: they belong to the branch behind them.

use entity::EntityId;
use ir::op::Effect;
use ir::{BlockId, BranchInfo, Function, Inst, Op, Origin, Position, Reg, Ways};

use super::written::Written;

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
        let mut complete = 1;
        while let Some(next) = self.next_condition(&members, taken) {
            members.push(next);
            if self.ways.two(&self.out(&members)).is_some() {
                complete = members.len();
            }
        }
        // An empty statement: all ways lead to the same code, and which of them is true is not to be seen.
        let out = self.out(&members);
        if complete < members.len() && out.iter().all(|first| self.ways.end(*first) == self.ways.end(out[0]))
        {
            complete = 1;
        }
        members.truncate(complete);
        members
    }

    /// The first block in order that can only be reached from the members and only evaluates a condition.
    fn next_condition(&self, members: &[BlockId], taken: &[bool]) -> Option<BlockId> {
        let mut candidates: Vec<BlockId> = members
            .iter()
            .flat_map(|member| self.function.successors(*member))
            .map(|to| self.end(to))
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates.into_iter().find(|block| {
            if block.index() == 0
                || members.contains(block)
                || taken[block.index()]
                || !self.is_condition(*block)
            {
                return false;
            }
            let piece = self.piece(*block);
            let before = &self.preds[piece[0].index()];
            before.iter().all(|pred| members.contains(pred))
                && !self.starts_statement(&piece, before)
                && self.only_evaluates(&piece)
        })
    }

    /// What the members lead to first outside of themselves. Back to the first of them is out: that is another evaluation.
    fn out(&self, members: &[BlockId]) -> Vec<BlockId> {
        let all = members.iter().flat_map(|member| self.function.successors(*member));
        all.filter(|to| !members[1..].contains(&self.end(*to))).collect()
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
            let lines = before.iter().map(|pred| self.positions(*pred).last().map_or(0, |p| p.line));
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
        // What patterns name, and where it comes from.
        let mut named: Vec<Reg> = Vec::new();
        let mut made: Vec<Reg> = Vec::new();
        code.iter().all(|(inst, position)| {
            let dst = inst.dst;
            let writes_variable =
                !dst.is_none() && self.function.regs.get(dst).is_some_and(|reg| reg.variable.is_some());
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
