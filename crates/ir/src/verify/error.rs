//! Broken rules as values.

use crate::op::Op;
use crate::types::{BlockId, ClassId, FuncId, Reg, StrId, Type};
use std::fmt;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    pub function: String,
    pub place: Place,
    pub what: What,
}

/// Where in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Function,
    Block(BlockId),
    /// By index into `code`.
    Inst(u32),
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.function)?;
        match self.place {
            Place::Function => {}
            Place::Block(block) => write!(f, "{block}: ")?,
            Place::Inst(index) => write!(f, "instruction {index}: ")?,
        }
        self.what.fmt(f)
    }
}

impl std::error::Error for VerifyError {}

/// Which rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum What {
    #[error("the function has no block")]
    NoBlocks,
    #[error("there are {params} parameters but {regs} registers")]
    Params { params: u32, regs: usize },
    #[error("{code} instructions have {positions} positions")]
    Positions { code: usize, positions: usize },
    #[error("the block does not start where the one before it ends")]
    NotContiguous,
    #[error("the last block does not end where the code ends")]
    NotCovered,
    #[error("the block is empty")]
    EmptyBlock,
    #[error("the block does not end in a terminator")]
    NoTerminator,
    #[error("a terminator stands before the end of its block")]
    EarlyTerminator,
    #[error("there is no {0}")]
    NoBlock(BlockId),
    #[error("there is no register {0}")]
    NoReg(Reg),
    #[error("there is no function {0}")]
    NoFunc(FuncId),
    #[error("there is no class {0}")]
    NoClass(ClassId),
    #[error("there is no string {0}")]
    NoStr(StrId),
    #[error("there is no check {0}")]
    NoCheck(u32),
    #[error("there is no argument list {0}")]
    NoList(u32),
    #[error("there is no switch table {0}")]
    NoTable(u32),
    #[error("{reg} is {found}, not {expected}")]
    Type { reg: Reg, found: Type, expected: Type },
    #[error("`{0}` gives a result that nothing receives")]
    NoDestination(OpName),
    #[error("`{0}` gives no result")]
    Destination(OpName),
    #[error("the literal {0} is neither 0 nor 1")]
    Truth(u32),
    #[error("the callee takes {expected} arguments, not {found}")]
    Arity { expected: usize, found: usize },
    #[error("the callee returns nothing")]
    VoidCallee,
    #[error("a dispatched call needs the object as its first argument")]
    NoReceiver,
    #[error("the function returns nothing")]
    ReturnsNothing,
    #[error("the function returns {0}")]
    ReturnsValue(Type),
    #[error("the cases of the switch are not ascending")]
    CasesUnsorted,
    #[error("branch infos are not ascending")]
    InfosUnsorted,
    #[error("a branch info belongs to `br` or `switch`")]
    InfoMisplaced,
    #[error("the branch does not say what it means in the source")]
    InfoMissing,
    #[error("exceptions land here, but the block does not start with `catch`")]
    NoCatch,
    #[error("`catch` stands only at the start of a block where exceptions land")]
    CatchMisplaced,
    #[error("a normal edge leads to the landing block {0}")]
    EdgeToLanding(BlockId),
    #[error("the entry is a landing block")]
    EntryIsLanding,
    #[error("{0} may be read before it is written")]
    Unassigned(Reg),
}

/// An opcode that prints as its spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpName(pub Op);

impl fmt::Display for OpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}
