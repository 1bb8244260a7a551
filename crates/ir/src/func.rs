//! Functions: flat code cut into basic blocks.

use crate::op::{Op, Operand};
use crate::types::{BlockId, Reg, Type};
use entity::PrimaryMap;

/// One instruction. What the operand words mean stands in the opcode's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inst {
    pub op: Op,
    /// Destination register, or [`Reg::NONE`].
    pub dst: Reg,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

/// A lowered function. `code` holds all instructions, block after block; `positions` runs parallel to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Unique name, as the language's reports spell it (`com/acme/Calc.divide(II)I`).
    pub name: String,
    /// Source file, where known.
    pub source: Option<String>,
    /// The first `params` registers are the parameters.
    pub params: u32,
    pub ret: Option<Type>,
    pub regs: PrimaryMap<Reg, RegInfo>,
    /// The entry is block 0. Blocks are contiguous and in order: block i+1 starts where block i ends.
    pub blocks: PrimaryMap<BlockId, Block>,
    pub code: Vec<Inst>,
    pub positions: Vec<Position>,
    /// Argument lists of calls.
    pub lists: Vec<Box<[Reg]>>,
    pub tables: Vec<SwitchTable>,
    /// What each branch (`br`, `switch`) means in the source, by index into `code`, ascending.
    pub branches: Vec<(u32, BranchInfo)>,
}

/// A register: its type, and the source variable it holds, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegInfo {
    pub ty: Type,
    pub variable: Option<String>,
}

/// A basic block: a range of `code` that ends in its only terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub start: u32,
    pub end: u32,
    /// Where an exception raised in this block goes; `None` leaves the function. The target starts with `catch`.
    pub unwind: Option<BlockId>,
    /// The compiler added it for what cannot happen: criteria do not ask for it.
    pub never: bool,
}

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Source line, 0 if unknown.
    pub line: u32,
    /// Offset in the original code (bytecode index).
    pub offset: u32,
}

/// A switch: sorted cases, and where everything else goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchTable {
    /// Ascending by value, values distinct.
    pub cases: Vec<(i32, BlockId)>,
    pub default: BlockId,
}

/// What a branch means in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchInfo {
    pub origin: Origin,
    /// The decision of the source it belongs to, numbered from 0 within the function.
    pub decision: u32,
    /// Which condition of that decision, numbered from 0 in evaluation order.
    pub condition: u32,
    /// Whether what the source does if the decision is true lies behind what it does otherwise. Compilers lay it out first; but if it
    /// only jumps (`if (c) continue;`), it is where that leads. Counts on the last condition.
    pub far: bool,
}

/// Who wrote a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A person: it is in the source and criteria count it.
    Source,
    /// The compiler or the lowering (handler search, string switch, assertion status…); criteria hide it.
    Synthetic,
}

impl Inst {
    /// The operands in the order of the opcode's row, each with its value; two words make one 64-bit literal.
    pub fn operands(&self) -> impl Iterator<Item = (Operand, u64)> + use<> {
        let words = [self.a, self.b, self.c];
        let mut next = 0;
        self.op.operands().iter().map(move |kind| {
            let word = |i: usize| words.get(i).copied().map_or(0, u64::from);
            let value = match kind.words() {
                1 => word(next),
                _ => word(next) | word(next + 1) << 32,
            };
            next += kind.words();
            (*kind, value)
        })
    }

    /// The registers the instruction reads, in operand order; those of its argument list included.
    pub fn reads<'f>(&self, func: &'f Function) -> impl Iterator<Item = Reg> + use<'f> {
        self.operands().flat_map(move |(kind, value)| {
            let (one, many): (Option<Reg>, &[Reg]) = match kind {
                Operand::Reg(_) | Operand::Any | Operand::Same => (Some(Reg(value as u32)), &[]),
                Operand::List => (None, func.lists.get(value as usize).map_or(&[], |list| &list[..])),
                _ => (None, &[]),
            };
            one.into_iter().chain(many.iter().copied())
        })
    }
}

impl Function {
    /// The argument list an instruction names.
    pub fn list(&self, index: u32) -> &[Reg] {
        &self.lists[index as usize]
    }

    /// The block that holds the instruction at `index`.
    pub fn block_at(&self, index: u32) -> BlockId {
        let after = self.blocks.values().as_slice().partition_point(|b| b.start <= index);
        BlockId(after as u32 - 1)
    }

    pub fn branch_info(&self, index: u32) -> Option<BranchInfo> {
        self.branches.binary_search_by_key(&index, |(i, _)| *i).ok().map(|i| self.branches[i].1)
    }

    /// Where control can go from a block without an exception, in the order of the terminator's operands.
    pub fn successors(&self, block: BlockId) -> Vec<BlockId> {
        let Some(last) = self.blocks[block].end.checked_sub(1).map(|i| self.code[i as usize]) else {
            return Vec::new();
        };
        match last.op {
            Op::Jump => vec![BlockId(last.a)],
            Op::Br => vec![BlockId(last.b), BlockId(last.c)],
            Op::Switch => {
                let table = &self.tables[last.b as usize];
                table.cases.iter().map(|(_, b)| *b).chain([table.default]).collect()
            }
            _ => Vec::new(),
        }
    }
}
