//! What the ids in instructions are called: the printer asks, whoever owns the tables answers.

use crate::func::{Function, Inst};
use crate::types::{ClassId, FuncId, StrId};

/// Names of functions, classes and fields, and the contents of string constants. The defaults print ids, so
/// a function can be shown without the tables it was lowered against.
pub trait Names {
    /// A function's name, without the `@`.
    fn func(&self, func: FuncId) -> String {
        func.to_string()
    }

    fn class(&self, class: ClassId) -> String {
        class.to_string()
    }

    /// The contents of a string constant, unquoted.
    fn str(&self, string: StrId) -> String {
        string.to_string()
    }

    /// `Class.field` for the byte offset an instruction names, where that is certain. The parser must read
    /// the name back to the same offset; otherwise the number is printed.
    fn field(&self, _func: &Function, _inst: &Inst, _offset: u32) -> Option<String> {
        None
    }

    /// The plain name of the field or function that the instruction at a code index uses, as the source spells it.
    /// For messages only: nothing reads it back, so a front end may look it up by the original offset.
    fn member(&self, _func: &Function, _index: u32) -> Option<String> {
        None
    }
}

/// Prints ids: `@f3`, `c3`, `"s3"`.
pub struct Ids;

impl Names for Ids {}
