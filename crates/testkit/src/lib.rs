//! Development only: fixtures, and the real JVM as the oracle our own is measured by.
//!
//! In: `fixtures/<language>/<topic>/<case>/` (sources and an `expect.toml`) and a JDK of this machine.
//! Out: compiled fixtures, answers of the real JVM to any number of calls, random calls to ask, and two
//! judgements: [`compare::compare`] (does a [`compare::Subject`] answer as the JVM does?) and
//! [`expect::check`] (did an exploration show what the fixture demands?).
//!
//! It deliberately knows none of our other crates: a VM, an explorer or an emitter is driven by its own tests,
//! which translate to [`value::Value`] and [`call::Answer`]. So a mistake in one of them cannot hide here.

pub mod value;

pub mod call;
pub mod compare;
pub mod conform;
pub mod expect;
pub mod fixtures;
pub mod jdk;
pub mod kotlin;
pub mod literal;
pub mod methods;
pub mod oracle;
pub mod random;
pub mod rng;
pub mod schema;
pub mod survey;

mod process;

pub use call::{Answer, Call, Outcome, Receiver};
pub use fixtures::Fixtures;
pub use jdk::Jdk;
pub use oracle::Oracle;
pub use value::Value;

/// What may go wrong in the kit itself; what the program under test does is an [`Outcome`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path}: {message}")]
    File { path: std::path::PathBuf, message: String },
    #[error("no JDK {wanted} or newer in JAVA_HOME or /usr/lib/jvm")]
    NoJdk { wanted: u32 },
    #[error("javac failed:\n{0}")]
    Javac(String),
    #[error("the oracle's JVM: {0}")]
    Oracle(String),
    #[error("{0}")]
    Malformed(String),
}

impl Error {
    pub(crate) fn file(path: &std::path::Path, cause: impl std::fmt::Display) -> Error {
        Error::File { path: path.to_path_buf(), message: cause.to_string() }
    }
}

pub type Result<T> = std::result::Result<T, Error>;
