//! The JVM front end.
//!
//! Comes in: a class path and a JDK on disk. Goes out: parsed classes (`load`), and what is built on them.
//! It deliberately knows nothing of solvers, exploration, coverage or test frameworks.

pub mod boot;
pub mod examples;
mod indy;
pub mod input;
pub mod kotlin;
pub mod link;
pub mod load;
pub mod lower;
pub mod natives;
pub mod observe;
mod threads;
pub mod warm;
pub mod world;

pub use link::title;
pub use world::{Jvm, Options};
