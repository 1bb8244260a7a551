//! Criteria, those that are alike in one file.

pub(crate) mod boundary;
pub(crate) mod branch;
pub(crate) mod checks;
pub(crate) mod data_flow;
pub(crate) mod edge;
pub(crate) mod line;
pub(crate) mod logic;
pub(crate) mod loops;
pub(crate) mod node;
pub(crate) mod paths;
