//! What is wrong with a graph, and where.

use std::fmt;

/// A place in the text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    pub line: u32,
    pub column: u32,
}

/// A graph that cannot be understood. The input's fault, never ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}")]
pub struct Malformed {
    pub at: At,
    pub message: String,
}

impl Malformed {
    pub fn new(at: At, message: impl Into<String>) -> Malformed {
        Malformed { at, message: message.into() }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
