//! One file a criterion, named as on the command line.

pub(crate) mod branch;
pub(crate) mod edge;
pub(crate) mod line;
pub(crate) mod node;
