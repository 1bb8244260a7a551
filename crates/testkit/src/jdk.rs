//! Finds JDKs and compiles Java sources, with a cache keyed by everything that goes into a compilation.

use crate::rng::fnv;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A JDK of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    pub home: PathBuf,
    /// 8, 17, 25…
    pub version: u32,
}

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--release N`; none for the JDK's own.
    pub release: Option<u32>,
    /// `-g:none` instead of `-g`.
    pub no_debug: bool,
    /// Further arguments of javac.
    pub extra: Vec<String>,
}

impl Jdk {
    /// All JDKs (with a javac), oldest first: JAVA_HOME, then those in /usr/lib/jvm.
    pub fn all() -> Vec<Jdk> {
        let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
        if let Ok(entries) = std::fs::read_dir("/usr/lib/jvm") {
            homes.extend(entries.flatten().map(|entry| entry.path()));
        }
        let mut found: Vec<Jdk> = homes.iter().filter_map(|home| Jdk::at(home)).collect();
        found.sort_by(|a, b| (a.version, &a.home).cmp(&(b.version, &b.home)));
        found.dedup();
        found
    }

    /// The oldest JDK that is at least this version: newer ones may differ in what they print or throw.
    pub fn at_least(version: u32) -> Result<Jdk> {
        Jdk::all().into_iter().find(|jdk| jdk.version >= version).ok_or(Error::NoJdk { wanted: version })
    }

    /// The JDK at this home, if there is one.
    pub fn at(home: &Path) -> Option<Jdk> {
        let home = home.canonicalize().ok()?;
        if !home.join("bin/javac").exists() {
            return None;
        }
        let release = std::fs::read_to_string(home.join("release")).ok()?;
        let line = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        let text = line.trim_matches('"');
        let text = text.strip_prefix("1.").unwrap_or(text);
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        Some(Jdk { home, version: digits.parse().ok()? })
    }

    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// Compiles the files in one javac call, into a directory named after the hash of all inputs.
    /// A second call with the same inputs finds it there.
    pub fn compile(&self, files: &[PathBuf], options: &Options) -> Result<PathBuf> {
        let arguments = options.arguments();
        let out = cache_dir().join(format!("{:016x}", self.key(files, &arguments)?));
        if out.is_dir() {
            return Ok(out);
        }
        // Written beside and renamed, so that two test processes may do this at once.
        let unfinished = cache_dir().join(format!(
            "unfinished-{}-{:016x}",
            std::process::id(),
            self.key(files, &arguments)?
        ));
        std::fs::create_dir_all(&unfinished).map_err(|e| Error::file(&unfinished, e))?;
        let listing = unfinished.with_extension("txt");
        let lines: Vec<String> = files.iter().map(|file| format!("\"{}\"", file.display())).collect();
        std::fs::write(&listing, lines.join("\n")).map_err(|e| Error::file(&listing, e))?;
        let done = Command::new(self.home.join("bin/javac"))
            .current_dir(cache_dir()) // where a javac that fails leaves its notes
            .args(&arguments)
            .arg("-d")
            .arg(&unfinished)
            .arg(format!("@{}", listing.display()))
            .output()
            .map_err(|e| Error::Javac(e.to_string()))?;
        let _ = std::fs::remove_file(&listing);
        if !done.status.success() {
            let _ = std::fs::remove_dir_all(&unfinished);
            return Err(Error::Javac(String::from_utf8_lossy(&done.stderr).into_owned()));
        }
        if std::fs::rename(&unfinished, &out).is_err() {
            // Another process was first; its result is the same.
            let _ = std::fs::remove_dir_all(&unfinished);
        }
        if out.is_dir() { Ok(out) } else { Err(Error::file(&out, "could not be created")) }
    }

    fn key(&self, files: &[PathBuf], arguments: &[String]) -> Result<u64> {
        let mut all = format!("{} {} {arguments:?}\n", self.home.display(), self.version).into_bytes();
        for file in files {
            let text = std::fs::read(file).map_err(|e| Error::file(file, e))?;
            all.extend_from_slice(file.as_os_str().as_encoded_bytes());
            all.extend_from_slice(&text.len().to_le_bytes());
            all.extend_from_slice(&text);
        }
        Ok(fnv(&all))
    }
}

impl Options {
    fn arguments(&self) -> Vec<String> {
        let mut arguments: Vec<String> =
            ["-nowarn", "-proc:none", "-encoding", "UTF-8"].map(String::from).into();
        arguments.push(if self.no_debug { "-g:none" } else { "-g" }.into());
        if let Some(release) = self.release {
            arguments.extend(["--release".into(), release.to_string()]);
        }
        arguments.extend(self.extra.iter().cloned());
        arguments
    }
}

/// `target/fixtures`, in the target directory that cargo uses.
pub(crate) fn cache_dir() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from).unwrap_or_else(|| workspace().join("target"));
    target.join("fixtures")
}

/// The root of this repository.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
