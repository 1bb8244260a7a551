//! Where branches really lead: through blocks that only hold what lies on the stack while a condition is evaluated.
//!
//! Short-circuit evaluation leaves an expression along many edges, but only two ways. Edges that go to the same block go the
//! same way; what is held meanwhile (`f(x, a || b)` holds `x`) is copied on each edge, in a block of its own that nobody wrote. The arms of
//! `c ? x : y` copy as well, but are code of the source: each is a way, though both lead to the same next.

use crate::{BlockId, Function, Op, Position, Reg};
use entity::EntityId;

/// The ways of one function.
#[derive(Debug)]
pub struct Ways<'a> {
    func: &'a Function,
    /// Of each block, where the branches stand that lead to it.
    entered: Vec<Vec<Position>>,
}

impl<'a> Ways<'a> {
    pub fn new(func: &'a Function) -> Self {
        let mut entered = vec![Vec::new(); func.blocks.len()];
        for block in func.blocks.keys() {
            let Some(last) = func.blocks[block].end.checked_sub(1) else { continue };
            for to in func.successors(block) {
                if let Some(from) = entered.get_mut(to.index()) {
                    from.push(func.positions[last as usize]);
                }
            }
        }
        Ways { func, entered }
    }

    /// Whether a block was only put on an edge: it jumps, and puts at most where it belongs what the branch before it left on the stack,
    /// constants (`r[0] = a && b` holds `0`) among it.
    pub fn is_passage(&self, block: BlockId) -> bool {
        let range = self.func.blocks[block];
        let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else { return false };
        let holds = |index: u32| {
            let inst = &self.func.code[index as usize];
            let info = self.func.regs.get(inst.dst);
            (inst.op == Op::Copy || is_constant(inst.op))
                && info.is_none_or(|info| info.variable.is_none())
                && self.entered[block.index()].contains(&self.func.positions[index as usize])
        };
        self.func.code[last as usize].op == Op::Jump && (range.start..last).all(holds)
    }

    /// Where an edge really goes, given the block that it leads to first.
    pub fn end(&self, block: BlockId) -> BlockId {
        let mut at = block;
        for _ in 0..self.func.blocks.len() {
            if !self.is_passage(at) {
                break;
            }
            at = BlockId(self.func.code[self.func.blocks[at].end as usize - 1].a);
        }
        at
    }

    /// The first block of some kind that an edge leads to without any branch between, given the block that it leads to first.
    pub fn straight(&self, first: BlockId, is_one: impl Fn(BlockId) -> bool) -> Option<BlockId> {
        let mut at = first;
        for _ in 0..=self.func.blocks.len() {
            if is_one(at) {
                return Some(at);
            }
            let last = self.func.blocks[at].end.checked_sub(1)?;
            match self.func.code[last as usize] {
                inst if inst.op == Op::Jump => at = BlockId(inst.a),
                _ => return None,
            }
        }
        None
    }

    /// The way that an edge goes, given the block that it leads to first. Of blocks that bring the same truth value to the same place, as
    /// those at the ends of `c ? a > 3 : b < 5` do, the first stands for all.
    pub fn way(&self, first: BlockId) -> BlockId {
        let end = self.end(first);
        let Some(truth) = self.truth(end) else { return end };
        self.func.blocks.keys().find(|block| self.truth(*block) == Some(truth)).unwrap_or(end)
    }

    /// What a block brings where, if it does nothing but bring a truth value that no variable holds yet.
    fn truth(&self, block: BlockId) -> Option<(Reg, u32, BlockId)> {
        let range = self.func.blocks[block];
        let [inst, jump] = *self.func.code.get(range.start as usize..range.end as usize)? else {
            return None;
        };
        let is_variable = self.func.regs.get(inst.dst).is_some_and(|info| info.variable.is_some());
        let brings = inst.op == Op::ConstI32 && inst.a <= 1 && inst.b == 0 && jump.op == Op::Jump;
        (brings && !is_variable).then_some((inst.dst, inst.a, BlockId(jump.a)))
    }

    /// The two ways of edges that leave a decision, given by the block that each leads to first. None unless there are two.
    pub fn two(&self, firsts: &[BlockId]) -> Option<[BlockId; 2]> {
        let mut ends: Vec<BlockId> = firsts.iter().map(|first| self.way(*first)).collect();
        ends.sort_unstable();
        ends.dedup();
        ends.try_into().ok()
    }
}

fn is_constant(op: Op) -> bool {
    matches!(op, Op::ConstI1 | Op::ConstI32 | Op::ConstI64 | Op::ConstF32 | Op::ConstF64 | Op::Null | Op::Str)
}
