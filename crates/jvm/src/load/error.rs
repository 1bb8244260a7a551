//! What can go wrong between a path and a parsed class. Texts are built only when shown.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::{NEWEST_MAJOR, OLDEST_MAJOR};

/// Where in a class the defect is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// A byte offset in the class file.
    Offset(u32),
    /// A constant-pool index.
    Constant(u16),
    /// A bytecode offset in a method's code.
    Code { method: Arc<str>, descriptor: Arc<str>, pc: u16 },
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Offset(offset) => write!(f, "at byte {offset}"),
            At::Constant(index) => write!(f, "at constant #{index}"),
            At::Code { method, descriptor, pc } => write!(f, "in {method}{descriptor} at bytecode {pc}"),
        }
    }
}

/// A class file that breaks the rules of JVMS §4. Its fault is the input's, never ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed class {} {at}: {what}", shown(class))]
pub struct Malformed {
    /// Internal name, empty when the defect comes before the name is known.
    pub class: Arc<str>,
    pub at: At,
    pub what: &'static str,
}

fn shown(class: &str) -> &str {
    if class.is_empty() { "(name unknown)" } else { class }
}

/// Any failure of this module.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Malformed(#[from] Malformed),

    #[error(
        "class {} has class-file version {major}.{minor}, made by {}; supported are {OLDEST_MAJOR} to \
         {NEWEST_MAJOR} ({} to {})",
        shown(class), java_of(*major), java_of(OLDEST_MAJOR), java_of(NEWEST_MAJOR)
    )]
    UnsupportedVersion { class: Arc<str>, major: u16, minor: u16 },

    #[error("{origin} holds a class named {found} where {wanted} was looked for")]
    WrongName { origin: String, wanted: String, found: Arc<str> },

    #[error("class path entry {} does not exist", path.display())]
    MissingEntry { path: PathBuf },

    #[error("class path entry {} is neither a directory nor a jar", path.display())]
    NotAnEntry { path: PathBuf },

    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },

    #[error("cannot read jar {}{}: {source}", path.display(), in_entry(entry))]
    Jar { path: PathBuf, entry: String, source: zip::result::ZipError },

    #[error("{} in {} is larger than {limit} bytes", entry, path.display())]
    TooLarge { path: PathBuf, entry: String, limit: u64 },

    #[error("{} is not a usable JDK image: {what}", path.display())]
    BadImage { path: PathBuf, what: &'static str },

    #[error("{} in {} is compressed with “{method}”, which is not supported", resource, path.display())]
    ImageCompression { path: PathBuf, resource: String, method: String },

    #[error("{} is not a JDK: {what}", home.display())]
    NotAJdk { home: PathBuf, what: String },

    #[error("no JDK found; name one explicitly or set JAVA_HOME. Looked at:{}", bullets(looked_at))]
    NoJdk { looked_at: Vec<String> },
}

fn in_entry(entry: &str) -> String {
    if entry.is_empty() { String::new() } else { format!(" ({entry})") }
}

fn bullets(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n  - {line}")).collect()
}

/// The Java release that introduced a class-file version (JVMS table 4.1-A), as people name it.
fn java_of(major: u16) -> String {
    match major {
        45 => "Java 1.1".into(),
        46..=48 => format!("Java 1.{}", major.saturating_sub(44)),
        49.. => format!("Java {}", major.saturating_sub(44)),
        _ => "no known Java".into(),
    }
}
