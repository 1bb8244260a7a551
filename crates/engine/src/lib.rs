//! The façade: wires a language, a framework and a runner to the engine.
//!
//! In: a [`Config`]. Out: [`Event`]s while it works, test files, a report. Decisions are made in the crates
//! it wires; here they are only put together.

mod batch;
mod cases;
mod config;
mod error;
mod event;
mod examples;
pub mod flow;
mod generate;
mod goal;
pub mod java;
pub mod journal;
pub mod known;
mod memory;
pub mod pictures;
mod proofs;
mod replay;
pub mod reporting;
mod seen;
mod target;

pub use config::{Budget, Config, Construct, Framework, Questions, Seed, Suite};
pub use error::Error;
pub use event::Event;
pub use explore::strategy;
pub use generate::{Generated, Places, Total, Worlds, class_path, generate, prepare, unbooted};
pub use goal::{CoverageGoal, Judgement};
pub use proofs::{Proofs, prove};
pub use replay::replay;
pub use seen::{AllSeen, Seen};
pub use target::{ClassTarget, Pattern, resolve};
