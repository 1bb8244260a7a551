//! Where branches really lead: through blocks that only copy for the stack and jump.
//!
//! Short-circuit evaluation leaves an expression along many edges, but only two ways. Edges that go to the same block go the
//! same way; but `c ? x : y` comes together again behind two blocks that only copy, and what is held while a condition is
//! evaluated is copied on each edge. So ways are told apart in three manners, until there are two.

use crate::{BlockId, Function, Op, Reg};
use entity::EntityId;
use std::collections::BTreeMap;

/// The ways of one function.
#[derive(Debug)]
pub struct Ways<'a> {
    func: &'a Function,
    /// How many edges lead to each block.
    entered: Vec<u32>,
}

impl<'a> Ways<'a> {
    pub fn new(func: &'a Function) -> Self {
        let mut entered = vec![0; func.blocks.len()];
        for to in func.blocks.keys().flat_map(|block| func.successors(block)) {
            if let Some(count) = entered.get_mut(to.index()) {
                *count += 1;
            }
        }
        Ways { func, entered }
    }

    /// Whether a block only copies on its way to another. What assigns a variable does more.
    pub fn is_passage(&self, block: BlockId) -> bool {
        let range = self.func.blocks[block];
        let code = &self.func.code[range.start as usize..range.end as usize];
        let Some((last, before)) = code.split_last() else { return false };
        // A constant for the stack is what a condition's value is turned into; that is not on the way to it.
        last.op == Op::Jump
            && before.iter().all(|inst| {
                let info = self.func.regs.get(inst.dst);
                inst.op == Op::Copy && info.is_none_or(|info| info.variable.is_none())
            })
    }

    /// Where an edge really goes.
    pub fn end(&self, block: BlockId) -> BlockId {
        self.follow(block, |_| true)
    }

    /// The ways of edges that leave a decision, given by the block that each leads to first: for each edge a block that stands for
    /// its way. None unless there are two.
    pub fn two(&self, firsts: &[BlockId]) -> Option<Vec<BlockId>> {
        // Up to where edges meet.
        let meetings = |block: &BlockId| self.follow(*block, |at| self.entered[at.index()] <= 1);
        let ends = self.ends(firsts);
        let firsts = firsts.iter();
        let manners: [Vec<BlockId>; 3] =
            [ends, firsts.clone().map(meetings).collect(), firsts.copied().collect()];
        manners.into_iter().find(|ways| {
            let mut different = ways.clone();
            different.sort_unstable();
            different.dedup();
            different.len() == 2
        })
    }

    /// Whether edges all lead to the same, with the same.
    pub fn are_one(&self, firsts: &[BlockId]) -> bool {
        let ends = self.ends(firsts);
        ends.iter().all(|end| Some(end) == ends.first())
    }

    /// For each edge, given by the block that it leads to first, where it really goes; but those that bring something else
    /// there (`c ? x : d ? y : z`) are told apart by the block that copies it.
    fn ends(&self, firsts: &[BlockId]) -> Vec<BlockId> {
        let brought: Vec<(BlockId, BTreeMap<Reg, Reg>)> =
            firsts.iter().map(|first| (self.end(*first), self.brought(*first))).collect();
        let alone = |end: BlockId| {
            let mut there = brought.iter().filter(|(other, _)| *other == end);
            let first = there.next();
            there.all(|other| Some(other) == first)
        };
        let name = |(end, copies): &(BlockId, BTreeMap<Reg, Reg>)| match alone(*end) {
            true => *end,
            // The first edge that brings the same stands for all.
            false => {
                let same = |(e, c): &(BlockId, BTreeMap<Reg, Reg>)| (e, c) == (end, copies);
                brought.iter().position(same).map_or(*end, |at| firsts[at])
            }
        };
        brought.iter().map(name).collect()
    }

    /// What is copied on the way to where an edge really goes: by register, what it held at first.
    fn brought(&self, first: BlockId) -> BTreeMap<Reg, Reg> {
        let mut held: BTreeMap<Reg, Reg> = BTreeMap::new();
        let end = self.end(first);
        let mut at = first;
        for _ in 0..self.func.blocks.len() {
            if at == end || !self.is_passage(at) {
                break;
            }
            let range = self.func.blocks[at];
            for inst in &self.func.code[range.start as usize..range.end as usize - 1] {
                let from = held.get(&Reg(inst.a)).copied().unwrap_or(Reg(inst.a));
                held.insert(inst.dst, from);
            }
            at = BlockId(self.func.code[range.end as usize - 1].a);
        }
        held
    }

    fn follow(&self, block: BlockId, on: impl Fn(BlockId) -> bool) -> BlockId {
        let mut at = block;
        for _ in 0..self.func.blocks.len() {
            if !self.is_passage(at) || !on(at) {
                break;
            }
            at = BlockId(self.func.code[self.func.blocks[at].end as usize - 1].a);
        }
        at
    }
}
