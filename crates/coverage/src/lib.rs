//! What a test suite owes a function, and what it has paid.
//!
//! In: functions of the IR, and of every execution the coverage points it passed ([`ir::EdgeMap`]). Out: the
//! obligations of a criterion ([`Criterion`], [`Obligation`]) and an account of them ([`Account`]): covered by
//! which execution, infeasible and why, open and why.
//! Does not know how executions come about, nor who decides that something is infeasible.

mod account;
mod criteria;
mod criterion;
mod describe;
mod duplicate;
pub mod graph;
mod obligation;
mod projection;

pub use account::{Account, Counts, ExecId, Verdict};
pub use criterion::{Criterion, Rule};
pub use describe::{branch_text, condition_text};
pub use ir::{EdgeMap, EdgeSet};
pub use obligation::{Kind, Obligation, ObligationId, Target};
pub use projection::{Branch, Choice, Node, Projection};
