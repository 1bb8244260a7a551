//! What a test suite owes a function, and what it has paid.
//!
//! In: functions of the IR, and of every execution the coverage points it passed ([`ir::EdgeMap`]) or the way it took
//! ([`ir::Move`]). Out: the obligations of a criterion ([`Criterion`], [`Obligation`]), what an execution meets of them
//! and how far it is from the others ([`Meter`]), and an account of them ([`Account`]): covered by which execution,
//! infeasible and why, open and why.
//! Does not know how executions come about, nor who decides that something is infeasible.

mod account;
mod criteria;
mod criterion;
mod dataflow;
pub mod decision;
mod describe;
mod duplicate;
mod exclusive;
mod flow;
pub mod graph;
mod loops;
pub mod mcdc;
mod meter;
mod obligation;
mod projection;
mod route;
mod suite;

pub use account::{Account, Counts, ExecId, Verdict};
pub use criterion::{Criterion, Options, Owed, Rule, Subject};
pub use dataflow::{DataFlow, Def, Pair, Use};
pub use describe::{UNBOXING, branch_text, condition_text};
pub use exclusive::exclusive;
pub use flow::{Flow, Stretch, Walker, stretches};
pub use ir::{EdgeMap, EdgeSet};
pub use loops::{LoopShape, loops};
pub use meter::{Aim, Meter, Progress};
pub use obligation::{Demand, Kind, Obligation, ObligationId, Target, Times};
pub use projection::{Branch, Choice, Node, Projection};
pub use route::{Passed, point_route, route, value_route};
pub use suite::fewest_rows;
