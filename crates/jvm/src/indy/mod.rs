//! `invokedynamic` and dynamic constants whose bootstraps are known by name become plain IR.

use ir::{ClassId, FuncId};

use crate::link::LinkError;
use crate::load::{ClassFile, Dynamic};
use crate::world::Jvm;

/// A call site or dynamic constant.
pub(crate) struct Call<'a> {
    /// The class whose code it is in.
    pub class: ClassId,
    pub func: FuncId,
    pub pc: u32,
    pub dynamic: Dynamic<'a>,
}

/// The function that a call site calls; `None` if its bootstrap is not known.
pub(crate) fn link(_jvm: &mut Jvm, _file: &ClassFile, _call: &Call<'_>) -> Result<Option<FuncId>, LinkError> {
    Ok(None)
}

/// A function without parameters that returns a dynamic constant; `None` if its bootstrap is not known.
pub(crate) fn constant(
    _jvm: &mut Jvm,
    _file: &ClassFile,
    _call: &Call<'_>,
) -> Result<Option<FuncId>, LinkError> {
    Ok(None)
}
