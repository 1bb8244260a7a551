//! Real runtimes confirm what was emitted.
//!
//! In: emitted test classes, the class path they are about, a JDK. Out: for each test a verdict of two runs in
//! fresh, isolated JVMs ([`confirm`]); what the JVM really does in a case ([`observe`]); how much of a class the
//! tests cover ([`coverage`]). This crate may touch the world: it starts processes, which write in a private
//! temporary directory only, and puts finished test classes where they belong ([`files`]).
//! Does not know: how tests were found, what to do about a verdict, where tests are kept.

mod compile;
pub mod confirm;
pub mod coverage;
pub mod files;
pub mod junit;
pub mod kotlin;
pub mod observe;
pub mod process;
pub mod project;
pub mod sandbox;
mod session;
pub mod toolchain;
mod workspace;

pub use compile::TestSource;
pub use workspace::Environment;

/// Why the runner could not do its work at all. What a single test did is a verdict, not an error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Toolchain(#[from] toolchain::ToolchainError),
    #[error(transparent)]
    Junit(#[from] junit::JunitError),
    #[error("cannot {what} {path}: {source}")]
    Io { what: &'static str, path: std::path::PathBuf, source: std::io::Error },
    #[error("cannot run {program}: {source}")]
    Start { program: String, source: std::io::Error },
    #[error("{path} was not written by Testwright and is left alone")]
    Foreign { path: std::path::PathBuf },
    #[error("{tool} failed: {message}")]
    Tool { tool: &'static str, message: String },
}
