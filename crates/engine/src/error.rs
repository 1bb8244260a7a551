//! What can go wrong before or outside the exploration, each with what to do about it.

use std::path::PathBuf;

use jvm::load::LoadError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum Error {
    #[error("cannot understand the target '{target}': {why}")]
    BadTarget { target: String, why: String },
    #[error("no class matches '{target}' on the class path")]
    NothingMatches { target: String },
    #[error("class {class} is not on the class path{}", suggestion(nearest))]
    UnknownClass { class: String, nearest: Vec<String> },
    #[error("class {class} has no method {method}{}", suggestion(nearest))]
    UnknownMethod { class: String, method: String, nearest: Vec<String> },
    #[error("there is nothing to test in {class}: it is {what}")]
    NotTestable { class: String, what: String },
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("the class {class} cannot be loaded: {why}")]
    Link { class: String, why: String },
    #[error("an internal error ended the exploration of {class}; please report it")]
    Internal { class: String },
    #[error("the JDK at {} could not be started in the VM: {why}", home.display())]
    Boot { home: PathBuf, why: String },
    #[error("{}: {why}", path.display())]
    Known { path: PathBuf, why: String },
    #[error("cannot write {}: {why}", path.display())]
    Write { path: PathBuf, why: String },
    #[error("no output folder: give one with -o DIR")]
    NoOutput,
    #[error("no targets: name a class such as com.acme.Calc, or a package such as com.acme.**")]
    NoTargets,
    #[error("{0}")]
    Runner(String),
}

impl Error {
    /// Whether the user asked for something that cannot be understood, as opposed to something that failed.
    pub fn is_usage(&self) -> bool {
        matches!(self, Error::BadTarget { .. } | Error::Known { .. } | Error::NoOutput | Error::NoTargets)
    }
}

fn suggestion(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}
