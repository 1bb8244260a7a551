//! Source text from test cases.
//!
//! In: [`suite::case::TestCase`]s grouped into a file. Out: the text of a test class in the user's language and
//! framework, with the lines each case takes, so that a compiler's complaint finds its case; and the rule by
//! which files are written or left alone ([`mod@write`]).
//! Does not know: how the cases were found, whether they pass, files, processes.

pub mod doc;
pub mod java;
pub mod kotlin;
pub mod write;
