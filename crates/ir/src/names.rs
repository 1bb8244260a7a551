//! What the ids in instructions are called: the printer asks, whoever owns the tables answers.

use std::collections::BTreeMap;

use crate::func::{Function, Inst};
use crate::types::{ClassId, FuncId, Reg, StrId};

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

    /// The field or function that the instruction at a code index uses, as the source spells it.
    /// For messages only: nothing reads it back, so a front end may look it up by the original offset.
    fn member(&self, _func: &Function, _index: u32) -> Option<Member> {
        None
    }

    /// What the source has instead of the numbers that the switch at a code index compares with.
    fn labels(&self, _func: &Function, _index: u32) -> Option<BTreeMap<i32, String>> {
        None
    }

    /// Whether the switch at a code index is come to again where the guard of a case fails: that is no loop of the source.
    fn is_retried(&self, _func: &Function, _index: u32) -> bool {
        false
    }

    /// Whether the operands of the comparison at a code index stand the other way round in the source: `b > a`, where the
    /// code has `a < b`.
    fn is_turned(&self, _func: &Function, _index: u32) -> bool {
        false
    }

    /// What the integer that a register holds is in the source; of an array, what its elements are.
    fn meaning(&self, _func: &Function, _reg: Reg) -> Meaning {
        Meaning::Number
    }
}

/// What an integer of the code is in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    #[default]
    Number,
    Truth,
    /// A UTF-16 unit.
    Char,
    /// 8 bits, with a sign.
    Byte,
    /// 16 bits, with a sign.
    Short,
}

/// A field or function, as the source spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    /// The class it is named with, where it belongs to no object.
    pub owner: Option<String>,
    /// What it holds or returns.
    pub meaning: Meaning,
    /// What it takes besides an object that it belongs to; none if that is not known.
    pub takes: Vec<Meaning>,
    /// What stands in its last array was written as arguments of their own.
    pub spreads: bool,
    /// Its last two arguments say which of the others were left out: bits, and a value that is nothing.
    pub leaves_out: bool,
}

/// The name of a [`Member`] that is no name: the source compares with `==`.
pub const EQUALITY: &str = "==";

/// Prints ids: `@f3`, `c3`, `"s3"`.
pub struct Ids;

impl Names for Ids {}
