//! The question and its answers.

use term::{Op, TermId};

/// Values for variables. One that is not mentioned is "don't care" and reads as 0.
pub use term::Assignment as Model;

/// How much work a question may cost. Counts, not seconds: the same question ends the same way everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Evaluations of the question by the quick search; 0 leaves it out.
    pub quick: u32,
    /// Z3's resource units; 0 leaves Z3 out.
    pub rlimit: u32,
    /// What Z3 may need besides to build the circuits of products, quotients and floats, in the same units.
    pub circuits: u64,
}

impl Default for Limits {
    /// About a second of Z3 on a current machine.
    fn default() -> Self {
        Limits { quick: 8_000, rlimit: 3_000_000, circuits: u64::MAX }
    }
}

/// Is there an assignment under which all assertions hold?
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    pub assertions: &'a [TermId],
    /// An assignment known to satisfy all but the last assertion or assertions, such as the run being flipped.
    /// It is a starting point only: a hint that satisfies nothing is no error.
    pub hint: Option<&'a Model>,
    pub limits: Limits,
}

impl<'a> Query<'a> {
    pub fn new(assertions: &'a [TermId]) -> Self {
        Query { assertions, hint: None, limits: Limits::default() }
    }

    pub fn with_hint(self, hint: &'a Model) -> Self {
        Query { hint: Some(hint), ..self }
    }

    pub fn with_limits(self, limits: Limits) -> Self {
        Query { limits, ..self }
    }
}

/// Indices of assertions that cannot hold together, ascending. Not necessarily minimal.
pub type Core = Vec<usize>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Checked by evaluation.
    Sat(Model),
    Unsat(Core),
    Unknown(Cause),
}

impl Answer {
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }

    pub fn model(&self) -> Option<&Model> {
        match self {
            Answer::Sat(model) => Some(model),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Cause {
    #[error("the question's work limit was reached")]
    Limit,
    #[error("the solver ran out of memory")]
    Memory,
    #[error("the solver gave up: {0}")]
    Incomplete(String),
    #[error("the solver failed: {0}")]
    Crashed(String),
    #[error("the search was stopped")]
    Interrupted,
    #[error("no complete solver knows the operator {}", .0.name())]
    Unsupported(Op),
    #[error("bug: {0}")]
    Bug(&'static str),
}
