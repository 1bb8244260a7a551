//! Finds JUnit: on the user's class path, in the local Maven repository, or by Maven.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use emit::java::Framework;

use crate::process::{Limits, run};

/// Fetched when nothing suitable is there.
const STANDALONE: Artifact =
    Artifact { group: "org.junit.platform", name: "junit-platform-console-standalone", version: "1.11.4" };
const JUNIT4: Artifact = Artifact { group: "junit", name: "junit", version: "4.13.2" };
const HAMCREST: Artifact = Artifact { group: "org.hamcrest", name: "hamcrest-core", version: "1.3" };

/// The jars that compile and run tests of a framework, besides the user's class path. They stand in front of it,
/// so that versions do not mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JunitJars {
    pub framework: Framework,
    pub jars: Vec<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum JunitError {
    #[error(
        "{artifact} is neither on the class path nor in {repository}, and {cause}. Put it on the class path (-c), \
         or run once with network: mvn dependency:get -Dartifact={artifact}"
    )]
    NotFound { artifact: String, repository: PathBuf, cause: String },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Artifact {
    pub group: &'static str,
    pub name: &'static str,
    pub version: &'static str,
}

impl JunitJars {
    pub fn find(framework: Framework, class_path: &[PathBuf]) -> Result<JunitJars, JunitError> {
        if complete_on(class_path, framework) {
            return Ok(JunitJars { framework, jars: Vec::new() });
        }
        let repository = local_repository();
        let jars = match framework {
            Framework::Junit5 => vec![resolve(&repository, STANDALONE, "", "1.")?],
            Framework::Junit4 => {
                vec![resolve(&repository, JUNIT4, "", "4.13")?, resolve(&repository, HAMCREST, "", "1.3")?]
            }
        };
        Ok(JunitJars { framework, jars })
    }
}

/// Whether the class path alone can run tests: API, engine and launcher for JUnit 5 (projects seldom have the
/// launcher, their build tool brings it), `assertThrows` for JUnit 4.
fn complete_on(class_path: &[PathBuf], framework: Framework) -> bool {
    let has = |prefix: &str| {
        class_path.iter().any(|entry| {
            entry.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
                name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            }) && entry.is_file()
        })
    };
    match framework {
        Framework::Junit5 => {
            has("junit-platform-console-standalone-1.1")
                || (["junit-jupiter-api-5.", "junit-jupiter-engine-5.", "junit-platform-engine-1."]
                    .into_iter()
                    .chain(["junit-platform-commons-1.", "opentest4j-"])
                    .all(has)
                    // Our launcher uses what came with 1.8: 1.8, 1.9, 1.10 and on.
                    && ["1.8.", "1.9.", "1.1"].iter().any(|v| has(&format!("junit-platform-launcher-{v}"))))
        }
        Framework::Junit4 => has("junit-4.13.") && (has("hamcrest-core-") || has("hamcrest-")),
    }
}

pub(crate) fn local_repository() -> PathBuf {
    let home = env::var_os("HOME").map_or_else(|| PathBuf::from("/root"), PathBuf::from);
    home.join(".m2/repository")
}

/// The newest version of the artifact in the local repository that begins with `series`, else Maven's.
pub(crate) fn resolve(
    repository: &Path,
    artifact: Artifact,
    classifier: &str,
    series: &str,
) -> Result<PathBuf, JunitError> {
    let folder = repository.join(artifact.group.replace('.', "/")).join(artifact.name);
    let suffix = if classifier.is_empty() { String::new() } else { format!("-{classifier}") };
    let jar = |version: &str| folder.join(version).join(format!("{}-{version}{suffix}.jar", artifact.name));
    let mut versions: Vec<String> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|version| {
            version.starts_with(series) && version_key(version).is_some() && jar(version).is_file()
        })
        .collect();
    versions.sort_by_key(|version| version_key(version));
    if let Some(version) = versions.last() {
        return Ok(jar(version));
    }
    let mut coordinates = format!("{}:{}:{}", artifact.group, artifact.name, artifact.version);
    if !classifier.is_empty() {
        coordinates.push_str(&format!(":jar:{classifier}"));
    }
    let cause = match maven_get(&coordinates) {
        Ok(()) if jar(artifact.version).is_file() => return Ok(jar(artifact.version)),
        Ok(()) => "Maven put it elsewhere (a localRepository in its settings?)".into(),
        Err(cause) => cause,
    };
    Err(JunitError::NotFound { artifact: coordinates, repository: repository.to_path_buf(), cause })
}

/// Numbers of a released version; milestones and candidates have none.
fn version_key(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

fn maven_get(coordinates: &str) -> Result<(), String> {
    let mut command = Command::new("mvn");
    command
        .args(["-q", "-B", "dependency:get", "-Dtransitive=false"])
        .arg(format!("-Dartifact={coordinates}"));
    let limits = Limits { wall: Duration::from_secs(300), ..Limits::default() };
    match run(command, &limits) {
        Ok(finished) if finished.succeeded() => Ok(()),
        Ok(finished) => {
            let words = finished.last_words();
            Err(format!("Maven could not fetch it ({})", words.lines().next().unwrap_or("no reason given")))
        }
        Err(_) => Err("Maven (mvn) is not installed".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_path_counts_only_if_it_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let entry = |name: &str| {
            let path = dir.path().join(name);
            fs::write(&path, "").unwrap();
            path
        };
        let junit4 = entry("junit-4.13.2.jar");
        assert!(!complete_on(std::slice::from_ref(&junit4), Framework::Junit4));
        let both = [junit4, entry("hamcrest-core-1.3.jar")];
        assert!(complete_on(&both, Framework::Junit4));
        assert!(!complete_on(&both, Framework::Junit5));
        assert!(complete_on(&[entry("junit-platform-console-standalone-1.11.4.jar")], Framework::Junit5));
    }

    #[test]
    fn the_newest_release_of_the_series_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        for version in ["1.9.3", "1.10.2", "1.11.0-M1", "2.0.0"] {
            let folder = dir.path().join("g/n").join(version);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("n-{version}.jar")), "").unwrap();
        }
        let artifact = Artifact { group: "g", name: "n", version: "1.0" };
        let jar = resolve(dir.path(), artifact, "", "1.").unwrap();
        assert!(jar.ends_with("1.10.2/n-1.10.2.jar"), "{jar:?}");
    }
}
