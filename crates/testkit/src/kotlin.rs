//! Kotlin fixtures: `fixtures/kotlin/<topic>/<case>/`, compiled by the Kotlin compiler that `scripts/setup` fetched.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fixtures::{Compiled, DEFAULT_RELEASE, Fixtures};
use crate::jdk::{Jdk, cache_dir, workspace};
use crate::rng::fnv;
use crate::{Error, Result};

const VERSION: &str = "2.2.21";

/// All Kotlin cases of this repository.
pub fn discover() -> Result<Fixtures> {
    Fixtures::discover_in(&workspace().join("fixtures/kotlin"))
}

/// Where Maven keeps an artifact.
fn jar(group: &str, name: &str, version: &str) -> PathBuf {
    let home = std::env::var_os("HOME").map_or_else(|| PathBuf::from("/root"), PathBuf::from);
    home.join(".m2/repository").join(group).join(name).join(version).join(format!("{name}-{version}.jar"))
}

/// The library that all compiled Kotlin needs.
pub fn standard_library() -> PathBuf {
    jar("org/jetbrains/kotlin", "kotlin-stdlib", VERSION)
}

/// Compiles all cases together; a second call with the same sources finds the classes there.
pub fn compile(fixtures: &Fixtures) -> Result<Compiled> {
    let jdk = Jdk::at_least(DEFAULT_RELEASE)?;
    let mut all = format!("{VERSION} {}\n", jdk.home.display()).into_bytes();
    let sources: Vec<PathBuf> = fixtures.cases.iter().flat_map(|case| case.sources.clone()).collect();
    for file in &sources {
        all.extend_from_slice(file.as_os_str().as_encoded_bytes());
        all.extend(std::fs::read(file).map_err(|e| Error::file(file, e))?);
    }
    let classes = cache_dir().join(format!("kotlin-{:016x}", fnv(&all)));
    let compiled =
        Compiled { jdk: jdk.clone(), classes: classes.clone(), libraries: vec![standard_library()] };
    if classes.is_dir() {
        return Ok(compiled);
    }
    // Written beside and renamed, so that two test processes may do this at once.
    let unfinished = classes.with_extension(format!("unfinished-{}", std::process::id()));
    if let Err(error) = compile_files(&sources, &unfinished) {
        let _ = std::fs::remove_dir_all(&unfinished);
        return Err(error);
    }
    if std::fs::rename(&unfinished, &classes).is_err() {
        let _ = std::fs::remove_dir_all(&unfinished);
    }
    Ok(compiled)
}

/// Compiles files to a folder.
pub fn compile_files(sources: &[PathBuf], classes: &Path) -> Result<()> {
    let kotlin = |name: &str, version: &str| jar("org/jetbrains/kotlin", name, version);
    let compiler = [
        kotlin("kotlin-compiler-embeddable", VERSION),
        standard_library(),
        kotlin("kotlin-script-runtime", VERSION),
        kotlin("kotlin-reflect", "1.6.10"),
        jar("org/jetbrains/kotlinx", "kotlinx-coroutines-core-jvm", "1.8.0"),
        jar("org/jetbrains", "annotations", "13.0"),
    ];
    let done = Command::new(Jdk::at_least(DEFAULT_RELEASE)?.java())
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"])
        .arg(compiler.iter().map(|jar| jar.display().to_string()).collect::<Vec<_>>().join(":"))
        .args(["org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect", "-nowarn"])
        .args(["-jvm-target", &DEFAULT_RELEASE.to_string(), "-cp"])
        .arg(standard_library())
        .arg("-d")
        .arg(classes)
        .args(sources)
        .output()
        .map_err(|e| Error::Javac(e.to_string()))?;
    match done.status.success() {
        true => Ok(()),
        false => {
            let text = String::from_utf8_lossy(&done.stderr);
            Err(Error::Javac(format!("the Kotlin compiler (scripts/setup fetches it): {text}")))
        }
    }
}
