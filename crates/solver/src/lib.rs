//! The solver chain: from a set of Boolean terms to inputs that satisfy them, or to the reason why there are none.
//!
//! In: terms of a [`term::Pool`] and, usually, the assignment of the run whose branch is to be flipped ([`Query`]).
//! Out: [`Answer`]: a model that was checked by evaluation, the assertions that contradict each other, or an
//! honest "unknown" with its cause.
//! Does not know: programs, paths, inputs; files and clocks (but [`remote`] starts the helper it is told to). All limits are counts of work, so that answers are
//! the same on every machine.

pub mod ask;
pub mod backend;
pub mod bits;
pub mod chain;
pub mod layers;
pub mod remote;
pub mod shrink;
pub mod z3;

pub mod audit;

pub use ask::{Answer, Cause, Core, Limits, Model, Query};
pub use chain::{Chain, Config, Dump, Known, LayerKind, News, Stats};
pub use shrink::{Prefer, shrink};
