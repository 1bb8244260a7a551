//! Terms: what a symbolic value is made of.
//!
//! In: operators and arguments ([`Pool::mk`]), from a VM that follows a program, and assignments of variables
//! ([`Assignment`]). Out: simplified, hash-consed terms ([`TermId`]), their values ([`Program`]), their text
//! ([`Pool::display`], [`smtlib::script`]).
//! Does not know: programs, paths, inputs, solvers. Nothing here recurses over a term on the host's stack without a bound.

mod build;
mod display;
mod hash;
mod known;
mod map;
pub mod op;
mod pieces;
mod pool;
mod rules;
pub mod semantics;

pub mod eval;
pub mod fdlibm;
pub mod read;
pub mod smtlib;
mod transfer;
mod vars;
pub mod wire;

pub use eval::{ArrayValue, Assignment, Program, Value};
pub use hash::sequence as hash_sequence;
pub use hash::text as hash_text;
pub use known::Known;
pub use map::TermMap;
pub use op::{Float, Fun, Fun2, Op, Sort};
pub use pool::{Pool, TermId, VarId};
