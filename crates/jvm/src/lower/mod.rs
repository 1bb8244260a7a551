//! Lowering: from bytecode to IR.

use std::sync::Arc;

use ir::{Builder, Check, FuncId, Type};
use vm::Callable;

use crate::world::Jvm;

/// The code of a function.
pub(crate) fn code(jvm: &mut Jvm, func: FuncId) -> Callable<Jvm> {
    let mut b = Builder::new(jvm.func_name(func), &[], None::<Type>);
    let m = jvm.text_id("bytecode: none");
    b.trap(Check::Link, m);
    Callable::Ir(Arc::new(b.finish()))
}
