//! Which registers matter: those that some later branch, check, call, write or throw may depend on.
//!
//! Stronger than liveness: what is only computed with, and then forgotten or returned from the outermost function, does
//! not matter for where a run goes.

use crate::cfg::Cfg;
use crate::func::{Function, Inst};
use crate::op::{Effect, Op};
use crate::types::{BlockId, Reg};

/// The registers that matter at the end of each block.
#[derive(Clone, Debug)]
pub struct Relevant {
    end: Vec<Set>,
    /// Those that matter where exceptions of the block land.
    land: Vec<Set>,
    /// Whether what is returned matters.
    result: bool,
}

/// A set of registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn insert(&mut self, reg: Reg) {
        let at = reg.0 as usize / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (reg.0 % 64);
    }

    fn remove(&mut self, reg: Reg) {
        if let Some(word) = self.0.get_mut(reg.0 as usize / 64) {
            *word &= !(1 << (reg.0 % 64));
        }
    }

    fn contains(&self, reg: Reg) -> bool {
        self.0.get(reg.0 as usize / 64).is_some_and(|word| word >> (reg.0 % 64) & 1 == 1)
    }

    fn join(&mut self, other: &Set) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    fn regs(&self) -> impl Iterator<Item = Reg> + '_ {
        let bits = |(at, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| Reg(at as u32 * 64 + bit))
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

impl Relevant {
    /// `result` says whether what the function returns matters to anybody.
    pub fn new(func: &Function, result: bool) -> Relevant {
        let cfg = Cfg::new(func);
        let count = func.blocks.len();
        let mut found =
            Relevant { end: vec![Set::default(); count], land: vec![Set::default(); count], result };
        let mut start = vec![Set::default(); count];
        let mut changed = true;
        while changed {
            changed = false;
            for (block, range) in func.blocks.iter().rev() {
                let at = block.0 as usize;
                for succ in &cfg.node(block).succs {
                    found.end[at].join(&start[succ.0 as usize]);
                }
                if let Some(unwind) = cfg.node(block).unwind {
                    found.land[at].join(&start[unwind.0 as usize]);
                }
                let matters = found.before(func, block, range.start);
                if matters != start[at] {
                    start[at] = matters;
                    changed = true;
                }
            }
        }
        found
    }

    /// What matters before the instruction at this code index, ascending.
    pub fn at(&self, func: &Function, index: u32) -> Vec<Reg> {
        self.before(func, func.block_at(index), index).regs().collect()
    }

    /// What matters once the call at this code index has come back, but for its result, ascending.
    pub fn behind(&self, func: &Function, index: u32) -> Vec<Reg> {
        let mut set = self.before(func, func.block_at(index), index + 1);
        set.remove(func.code[index as usize].dst);
        set.join(&self.land[func.block_at(index).0 as usize]);
        set.regs().collect()
    }

    fn before(&self, func: &Function, block: BlockId, index: u32) -> Set {
        let at = block.0 as usize;
        let mut set = self.end[at].clone();
        set.join(&self.land[at]);
        let range = &func.blocks[block];
        for inst in func.code[index.min(range.end) as usize..range.end as usize].iter().rev() {
            let reads = self.has_effect(inst) || set.contains(inst.dst);
            set.remove(inst.dst);
            // An exception may have left before.
            set.join(&self.land[at]);
            if reads {
                inst.reads(func).for_each(|reg| set.insert(reg));
            }
        }
        set
    }

    /// Whether more comes of an instruction than its result. Reading memory may be a decision.
    fn has_effect(&self, inst: &Inst) -> bool {
        match inst.op.effect() {
            Effect::Pure => false,
            Effect::End => inst.op != Op::RetVal || self.result,
            Effect::Read | Effect::Write | Effect::Guard | Effect::Call => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: &str = "\
func @f(%0: i32, %1: i32) -> i32 {
b0:
  %2 = const.i32 0
  %3 = const.i32 5
  %4 = slt.i32 %0, %3
  br %4, b1, b2 !source 0.0
b1:
  %2 = add.i32 %2, %3
  jump b2
b2:
  %5 = slt.i32 %1, %3
  br %5, b3, b4 !source 1.0
b3:
  %2 = add.i32 %2, %3
  jump b4
b4:
  ret.val %2
}
";

    #[test]
    fn a_count_that_is_only_returned_does_not_matter() {
        let module = crate::text::parse_module(COUNTS).expect("a module").module;
        let func = module.function("f").expect("a body");
        let second = func.code.iter().rposition(|inst| inst.op == Op::Br).expect("a branch") as u32;
        // At the second comparison the first input and the count are of no use.
        let here = Relevant::new(func, false).at(func, second - 1);
        assert_eq!(here, [Reg(1), Reg(3)]);
        let here = Relevant::new(func, true).at(func, second - 1);
        assert_eq!(here, [Reg(1), Reg(2), Reg(3)]);
    }
}
