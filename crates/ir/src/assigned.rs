//! Definite assignment: on every path a register is written before it is read.
//!
//! A forward analysis over sets of registers, meeting by intersection. Along an exceptional edge only what was
//! written before the first instruction that can raise is certain: later states hold more.

use crate::cfg::{Cfg, Edges};
use crate::func::Function;
use crate::types::{BlockId, Reg};
use entity::EntityId;

/// A set of registers.
#[derive(Clone, PartialEq)]
struct RegSet(Vec<u64>);

impl RegSet {
    fn with(regs: usize, up_to: usize) -> RegSet {
        let mut set = RegSet(vec![0; regs.div_ceil(64)]);
        (0..up_to).for_each(|i| set.insert(Reg::from_index(i)));
        set
    }

    fn insert(&mut self, reg: Reg) {
        if let Some(word) = self.0.get_mut(reg.index() / 64) {
            *word |= 1 << (reg.index() % 64);
        }
    }

    fn contains(&self, reg: Reg) -> bool {
        self.0.get(reg.index() / 64).is_some_and(|word| word >> (reg.index() % 64) & 1 == 1)
    }

    /// Keeps what the other has too; whether something went.
    fn intersect(&mut self, other: &RegSet) -> bool {
        let mut changed = false;
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            changed |= *word & !other != 0;
            *word &= other;
        }
        changed
    }
}

/// Reads of registers that some path leaves unwritten, by instruction index, each register once an instruction.
/// The function is otherwise valid. What cannot be reached reads nothing.
pub(crate) fn unassigned_reads(func: &Function) -> Vec<(u32, Reg)> {
    let cfg = Cfg::new(func);
    let params = RegSet::with(func.regs.len(), func.params as usize);
    // `None`: no path found yet.
    let mut entry: Vec<Option<RegSet>> = vec![None; func.blocks.len()];
    if let Some(first) = entry.first_mut() {
        *first = Some(params);
    }
    let order = cfg.reverse_postorder(Edges::All);
    let mut dirty = vec![false; func.blocks.len()];
    if let Some(first) = dirty.first_mut() {
        *first = true;
    }
    while dirty.iter().any(|d| *d) {
        for block in &order {
            if !std::mem::replace(&mut dirty[block.index()], false) {
                continue;
            }
            let Some(at_entry) = &entry[block.index()] else { continue };
            let (raised, end) = transfer(func, *block, at_entry.clone());
            let node = cfg.node(*block);
            let mut flow = |to: BlockId, state: &RegSet| {
                let changed = match &mut entry[to.index()] {
                    Some(known) => known.intersect(state),
                    unknown => {
                        *unknown = Some(state.clone());
                        true
                    }
                };
                dirty[to.index()] |= changed;
            };
            node.succs.iter().for_each(|succ| flow(*succ, &end));
            if let (Some(unwind), Some(raised)) = (node.unwind, &raised) {
                flow(unwind, raised);
            }
        }
    }
    let mut found = Vec::new();
    for (id, block) in func.blocks.iter() {
        let Some(mut state) = entry[id.index()].clone() else { continue };
        for index in block.start..block.end {
            let inst = func.code[index as usize];
            for reg in inst.reads(func) {
                if !state.contains(reg) && !found.contains(&(index, reg)) {
                    found.push((index, reg));
                }
            }
            state.insert(inst.dst);
        }
    }
    found
}

/// The state where the block can first raise, if it can, and at its end.
fn transfer(func: &Function, block: BlockId, mut state: RegSet) -> (Option<RegSet>, RegSet) {
    let mut raised = None;
    let block = func.blocks[block];
    for inst in &func.code[block.start as usize..block.end as usize] {
        if raised.is_none() && inst.op.can_raise() {
            raised = Some(state.clone());
        }
        state.insert(inst.dst);
    }
    (raised, state)
}
