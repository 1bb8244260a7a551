//! Examples of inputs: what existing tests call the program with.
//!
//! In: a machine of its own that has the user's tests on its class path. Out: calls of the program as data, which
//! [`crate::input::example`] turns into inputs in another machine. Whether a test passes is nobody's business here.

mod listener;
mod tests;

use std::sync::Arc;

pub(crate) use listener::{Listener, called};
pub use tests::{has_tests, listen, mentions};

/// A value that a test gave to the program, as it was when it did.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Example {
    Null,
    /// A primitive, or the one in a box.
    Bits(u64),
    Text(Vec<u16>),
    /// A constant of an enum.
    Constant(String),
    Array(Vec<Example>),
    /// The elements of a list or a set.
    Elements(Vec<Example>),
    Object(Arc<Made>),
    /// Something that nothing is known of.
    Unknown,
}

/// How an object came to be what it was: by a constructor, and by calls of the test on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Made {
    pub by: Call,
    pub then: Vec<Call>,
}

/// A call of a constructor or method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Internal name of the class that has the code.
    pub class: Arc<str>,
    pub method: Arc<str>,
    pub descriptor: Arc<str>,
    pub args: Vec<Example>,
}

/// A call of the program by a test, and what it was made on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Heard {
    pub on: Option<Example>,
    pub call: Call,
}
