//! The intermediate representation that every front end lowers to and everything else reads.
//!
//! In: functions built by a front end ([`Builder`]) or read from text. Out: [`Function`], a typed register
//! code over basic blocks in which everything that can go two ways is explicit: source branches end blocks,
//! implicit checks are guards inside them, exceptional edges are named by each block.
//! Does not know any source language, the heap, or how code is run.

mod build;
mod func;
pub mod op;
mod types;

pub use build::Builder;
pub use func::{Block, BranchInfo, Function, Inst, Origin, Position, RegInfo, SwitchTable};
pub use op::Op;
pub use types::{BlockId, Check, ClassId, FuncId, MemType, Reg, StrId, Type};
