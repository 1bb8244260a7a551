//! Where branches really lead: through blocks that only hold what lies on the stack while a condition is evaluated.
//!
//! Short-circuit evaluation leaves an expression along many edges, but only two ways. Edges that go to the same block go the
//! same way; what is held meanwhile (`f(x, a || b)` holds `x`) is copied on each edge, in a block of its own that nobody wrote. The arms of
//! `c ? x : y` copy as well, but are code of the source: each is a way, though both lead to the same next.

use crate::{BlockId, Function, Op, Position};
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

    /// Whether a block was only put on an edge: it jumps, and copies at most what the branch before it left on the stack.
    pub fn is_passage(&self, block: BlockId) -> bool {
        let range = self.func.blocks[block];
        let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else { return false };
        let holds = |index: u32| {
            let inst = &self.func.code[index as usize];
            let info = self.func.regs.get(inst.dst);
            inst.op == Op::Copy
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

    /// The two ways of edges that leave a decision, given by the block that each leads to first. None unless there are two.
    pub fn two(&self, firsts: &[BlockId]) -> Option<[BlockId; 2]> {
        let mut ends: Vec<BlockId> = firsts.iter().map(|first| self.end(*first)).collect();
        ends.sort_unstable();
        ends.dedup();
        ends.try_into().ok()
    }
}
