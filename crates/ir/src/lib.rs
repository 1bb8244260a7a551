//! The intermediate representation that every front end lowers to and everything else reads.
//!
//! In: functions built by a front end ([`Builder`]) or read from text ([`text`]). Out: [`Function`], a typed
//! register code over basic blocks in which everything that can go two ways is explicit: source branches end
//! blocks, implicit checks are guards inside them, exceptional edges are named by each block.
//! Does not know any source language, the heap, or how code is run.

mod assigned;
mod boundary;
mod build;
pub mod cfg;
pub mod dom;
pub mod dot;
pub mod edges;
pub mod filetest;
mod func;
pub mod loops;
pub mod module;
pub mod names;
pub mod op;
mod relevant;
pub mod text;
mod types;
pub mod verify;
mod walk;
mod ways;

pub use boundary::note_boundaries;
pub use build::Builder;
pub use cfg::{Cfg, Edges};
pub use dom::{Dominators, PostDominators};
pub use edges::{EdgeMap, EdgeSet};
pub use func::{Block, BranchInfo, Function, Inst, Origin, Position, RegInfo, SwitchTable};
pub use loops::{LoopId, Loops};
pub use module::{Module, Signature};
pub use names::{EQUALITY, Ids, Meaning, Member, Names};
pub use op::Op;
pub use relevant::Relevant;
pub use types::{BlockId, Check, ClassId, FuncId, MemType, Reg, StrId, Type};
pub use verify::{VerifyError, verify, verify_module};
pub use walk::Move;
pub use ways::Ways;
