//! Frames: windows into one register stack. Guest calls never use the host's stack.

use crate::heap::ObjId;
use crate::lang::{Lang, NativeResult, Val};
use crate::machine::Vm;
use ir::{FuncId, Function, Reg};
use std::sync::Arc;

/// An activation of a function.
pub struct Frame<L: Lang> {
    pub func: FuncId,
    pub function: Arc<Function>,
    /// Index of the instruction that runs, or that called.
    pub pc: u32,
    /// Where its registers start in the register stack.
    pub base: u32,
    /// What becomes of its result.
    pub ret: Ret<L>,
    /// Whether any of its registers may hold a term. Until then its term window is not even kept.
    pub symbolic: bool,
    /// Whether its coverage is recorded.
    pub tracked: bool,
    /// Its number among the activations whose way is kept; 0 if it is not.
    pub activation: u32,
    /// The exception that led to the current landing block.
    pub caught: ObjId,
}

/// What becomes of a callee's result.
pub enum Ret<L: Lang> {
    /// Goes into a register of the caller; `Reg::NONE` drops it.
    Into(Reg),
    /// Is thrown in the caller.
    Throw,
    /// Is handed to a native that goes on from there; the native's own result goes where the box says.
    Then(Box<Then<L>>),
    /// Ends the run.
    Done,
}

pub struct Then<L: Lang> {
    pub run: fn(&mut Vm<L>, &[Val]) -> NativeResult<L>,
    pub keep: Vec<Val>,
    pub ret: Ret<L>,
}
