//! The private directory of a run, and the JVM commands in it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::Error;
use crate::process::{Finished, Limits, run};
use crate::sandbox::{Isolation, Job};
use crate::toolchain::Jdk;

/// What every run needs to know.
#[derive(Clone, Debug)]
pub struct Environment {
    pub jdk: Jdk,
    /// The code under test and what it depends on.
    pub class_path: Vec<PathBuf>,
    pub isolation: Isolation,
    pub limits: Limits,
    /// The release of Java whose preview features the code under test uses.
    pub preview: Option<u16>,
}

/// A directory that is deleted with this value. `src` and `classes` hold the batch; each JVM gets one of its own.
#[derive(Debug)]
pub(crate) struct Workspace {
    dir: TempDir,
}

impl Workspace {
    pub fn new() -> Result<Workspace, Error> {
        let dir = tempfile::Builder::new().prefix("testwright-").tempdir();
        let dir = dir.map_err(|source| Error::Io {
            what: "make a directory in",
            path: std::env::temp_dir(),
            source,
        })?;
        let workspace = Workspace { dir };
        workspace.subdir("src")?;
        workspace.subdir("classes")?;
        Ok(workspace)
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn src(&self) -> PathBuf {
        self.path().join("src")
    }

    pub fn classes(&self) -> PathBuf {
        self.path().join("classes")
    }

    pub fn subdir(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.path().join(name);
        fs::create_dir_all(&path).map_err(|source| Error::Io { what: "make", path: path.clone(), source })?;
        Ok(path)
    }

    pub fn write(&self, path: &Path, text: &str) -> Result<(), Error> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|source| Error::Io {
                what: "make",
                path: parent.to_path_buf(),
                source,
            })?;
        }
        fs::write(path, text).map_err(|source| Error::Io { what: "write", path: path.to_path_buf(), source })
    }
}

/// Class path entries as absolute paths: the JVM runs in another directory.
pub(crate) fn absolute(entries: &[PathBuf]) -> Vec<PathBuf> {
    entries.iter().map(|entry| std::path::absolute(entry).unwrap_or_else(|_| entry.clone())).collect()
}

pub(crate) fn join_path(entries: &[PathBuf]) -> OsString {
    // Entries with the separator in their name cannot be expressed to Java at all; they were split before us.
    let mut joined = OsString::new();
    for (i, entry) in entries.iter().enumerate() {
        if i > 0 {
            joined.push(":");
        }
        joined.push(entry);
    }
    joined
}

/// Runs a tool of the JDK, isolated, `private` its only writable directory.
pub(crate) fn run_tool(
    environment: &Environment,
    program: &Path,
    args: Vec<OsString>,
    private: &Path,
    readable: Vec<PathBuf>,
) -> Result<Finished, Error> {
    let mut readable = readable;
    readable.push(environment.jdk.home.clone());
    readable.extend(absolute(&environment.class_path));
    let job = Job {
        program: program.to_path_buf(),
        args,
        private: private.to_path_buf(),
        readable,
        env: Vec::new(),
    };
    run(environment.isolation.command(&job, &environment.limits), &environment.limits)
}

/// Options of a test JVM. The second of two runs is `perturbed`: another locale, time zone and source of identity
/// hash codes, so that an assertion that depends on them shows.
pub(crate) fn jvm_options(environment: &Environment, private: &Path, perturbed: bool) -> Vec<OsString> {
    let mut options: Vec<OsString> = [
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:+UnlockExperimentalVMOptions",
        "-ea",
        "-Xshare:auto",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-XX:-UsePerfData",
        "-XX:+DisableAttachMechanism",
        "-Djava.awt.headless=true",
    ]
    .into_iter()
    .map(OsString::from)
    .collect();
    options.push(format!("-Xmx{}m", environment.limits.heap_mb).into());
    options.extend(environment.preview.map(|_| OsString::from("--enable-preview")));
    let world: [&str; 4] = if perturbed {
        ["-Duser.language=tr", "-Duser.country=TR", "-Duser.timezone=Pacific/Apia", "-XX:hashCode=0"]
    } else {
        ["-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC", "-XX:hashCode=5"]
    };
    options.extend(world.into_iter().map(OsString::from));
    for property in ["java.io.tmpdir", "user.home"] {
        let mut option = OsString::from(format!("-D{property}="));
        option.push(private);
        options.push(option);
    }
    options
}
