//! Test cases as data.
//!
//! In: finished executions of the code under test. Out: [`case::TestCase`]s: arrange, act, assert, named and
//! explained, as plain data that an emitter renders and a runner confirms.
//! Does not know: test frameworks, the syntax of any language, files, processes.

pub mod apart;
pub mod case;
pub mod explain;
pub mod name;
pub mod text;
pub mod types;
