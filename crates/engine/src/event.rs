//! What the engine tells while it works.

/// A step of the work, for progress displays and logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Booted {
        jdk: String,
        millis: u64,
    },
    ClassStarted {
        class: String,
        index: usize,
        count: usize,
    },
    MethodStarted {
        class: String,
        method: String,
    },
    /// From time to time during a method.
    Progress {
        method: String,
        paths: u64,
        /// Alternatives tried, and those waiting.
        flips: u64,
        open: u64,
        covered: u32,
        obligations: u32,
    },
    MethodDone {
        class: String,
        method: String,
        paths: u64,
        covered: u32,
        /// By the code alone: what else is claimed is known when the class is done.
        infeasible: u32,
        obligations: u32,
    },
    Confirming {
        class: String,
        tests: usize,
    },
    /// A test file was written.
    Written {
        path: String,
        tests: usize,
        dropped: usize,
    },
    /// Something the user should know, though the work goes on.
    Warning(String),
    /// A class for which nothing could be written, and why.
    Skipped {
        class: String,
        why: String,
    },
}
