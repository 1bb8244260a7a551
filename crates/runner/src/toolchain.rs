//! Finds a JDK: `java`, `javac` and their version.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A JDK that can compile and run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    pub home: PathBuf,
    pub java: PathBuf,
    /// Its own, or for a runtime that of another JDK which is as new.
    pub javac: PathBuf,
    /// What javac is told to compile for, if it is another JDK's.
    pub javac_release: Option<u16>,
    /// The feature release: 8, 11, 17, 25.
    pub release: u16,
}

#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    #[error(
        "no JDK found: {tried}. Install one (Debian: apt install openjdk-17-jdk-headless) or point JAVA_HOME \
         or --jdk at it"
    )]
    NotFound { tried: String },
    #[error(
        "{home} has java but no javac: it is a runtime only, and there is no JDK as new in JAVA_HOME, on the PATH \
         or in /usr/lib/jvm whose javac could be used. Install the JDK of the same version"
    )]
    NoCompiler { home: PathBuf },
    #[error("{home} is no JDK: there is no {missing}")]
    NotAJdk { home: PathBuf, missing: PathBuf },
    #[error("cannot tell the version of the JDK at {home}")]
    NoVersion { home: PathBuf },
}

impl Jdk {
    /// The JDK at `explicit` if given; otherwise by `JAVA_HOME`, otherwise by the `javac` on the `PATH`.
    pub fn find(explicit: Option<&Path>) -> Result<Jdk, ToolchainError> {
        if let Some(home) = explicit {
            return Jdk::at(home);
        }
        if let Some(home) = env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
            return Jdk::at(Path::new(&home));
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let mut runtime_only = None;
        for dir in env::split_paths(&path) {
            // Distributions link /usr/bin/javac to the JDK through alternatives.
            for tool in ["javac", "java"] {
                let Ok(real) = fs::canonicalize(dir.join(tool)) else { continue };
                let Some(home) = real.parent().and_then(Path::parent) else { continue };
                match Jdk::at(home) {
                    Ok(jdk) => return Ok(jdk),
                    Err(error) => {
                        runtime_only.get_or_insert(error);
                    }
                }
            }
        }
        Err(runtime_only.unwrap_or(ToolchainError::NotFound {
            tried: "JAVA_HOME is not set and there is no javac on the PATH".into(),
        }))
    }

    /// The JDK in this directory.
    pub fn at(home: &Path) -> Result<Jdk, ToolchainError> {
        let home = fs::canonicalize(home).unwrap_or_else(|_| home.to_path_buf());
        let java = home.join("bin/java");
        let javac = home.join("bin/javac");
        if !java.is_file() {
            return Err(ToolchainError::NotAJdk { home, missing: java });
        }
        let release = release_file(&home).or_else(|| ask(&java));
        if !javac.is_file() {
            let Some(release) = release else { return Err(ToolchainError::NoCompiler { home }) };
            let Some(javac) = compiler_for(release) else { return Err(ToolchainError::NoCompiler { home }) };
            return Ok(Jdk { home, java, javac, javac_release: Some(release), release });
        }
        let release = release.ok_or_else(|| ToolchainError::NoVersion { home: home.clone() })?;
        Ok(Jdk { home, java, javac, javac_release: None, release })
    }
}

/// The javac of a JDK of this machine that can compile for `release`, the oldest such.
fn compiler_for(release: u16) -> Option<PathBuf> {
    let named = env::var_os("JAVA_HOME").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path)
        .filter_map(|dir| Some(fs::canonicalize(dir.join("javac")).ok()?.parent()?.parent()?.to_path_buf()));
    let usual = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<(u16, PathBuf)> = named
        .into_iter()
        .chain(on_path)
        .chain(usual)
        .filter_map(|home| Some((release_file(&home)?, home.join("bin/javac"))))
        .filter(|(version, javac)| *version >= release && javac.is_file())
        .collect();
    found.sort();
    found.into_iter().next().map(|(_, javac)| javac)
}

/// Every JDK since 8 has a `release` file; reading it is quicker than starting Java.
fn release_file(home: &Path) -> Option<u16> {
    let text = fs::read_to_string(home.join("release")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    feature_release(line.trim().trim_matches('"'))
}

fn ask(java: &Path) -> Option<u16> {
    let output = Command::new(java).arg("-version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    feature_release(text.split('"').nth(1)?)
}

/// `1.8.0_392` is 8, `17.0.9` is 17, `25-ea` is 25.
fn feature_release(version: &str) -> Option<u16> {
    let mut parts = version.split(['.', '-', '_', '+']);
    let first: u16 = parts.next()?.parse().ok()?;
    if first == 1 { parts.next()?.parse().ok() } else { Some(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_ages_are_understood() {
        let versions = ["1.8.0_392", "17.0.9", "25-ea", "11", "21+35", "x"].map(feature_release);
        assert_eq!(versions, [Some(8), Some(17), Some(25), Some(11), Some(21), None]);
    }

    #[test]
    fn a_runtime_without_compiler_is_named_as_such() {
        let dir = tempfile::tempdir().unwrap();
        let error = Jdk::at(dir.path()).unwrap_err().to_string();
        assert!(error.contains("is no JDK") && error.contains("bin/java"), "{error}");
        fs::create_dir(dir.path().join("bin")).unwrap();
        fs::write(dir.path().join("bin/java"), "").unwrap();
        let error = Jdk::at(dir.path()).unwrap_err().to_string();
        assert!(error.contains("runtime only"), "{error}");
    }

    #[test]
    fn the_jdk_of_this_machine_is_found() {
        let jdk = Jdk::find(None).unwrap();
        assert!(jdk.release >= 8 && jdk.javac.is_file());
    }
}
