//! The explorer: finds inputs that take a program down its different paths.
//!
//! In: a [`Target`] (what to run, on which inputs), a [`solver::Chain`], a [`Strategy`] that picks what to
//! flip next, a [`Goal`] (obligations to meet) and [`Options`]. Out: an [`Exploration`]: the finished runs
//! ([`Finished`]), a verdict for each obligation, the ledger, figures.
//! Does not know any language, how inputs are built or tests are written; reads no clock (who wants a
//! deadline hands in [`Session::cut`]).

mod books;
mod breed;
mod budget;
mod code;
mod crew;
mod distance;
mod finished;
mod frontier;
mod fuzz;
mod goal;
mod joined;
mod journal;
mod minimise;
mod mutate;
mod select;
mod session;
pub mod strategy;
mod subpath;
mod target;
mod tree;
mod verdict;
mod worker;

pub use budget::{Options, Spent, Times};
pub use code::{Code, canonical_edge};
pub use finished::{End, Finished, Input, RunId, Step, inputs};
pub use frontier::{Candidate, Guide, Strategy, Tried};
pub use goal::{Aim, BranchGoal, Flip, Goal, ObligationId, catches};
pub use journal::Journal;
pub use minimise::minimise;
pub use mutate::{Words, texts};
pub use select::{select, simplest_each, smallest_cover};
pub use session::{Doubts, Event, Exploration, Seeds, Session, Stopped};
pub use subpath::{Asks, Callees, Fact, Given, Leg, OfType, Refuted, Typed, refute};
pub use target::Target;
pub use tree::{Child, GaveUp, Node, NodeId, Slot, Tree};
pub use verdict::{Proof, Verdict, Why};
