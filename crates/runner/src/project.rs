//! Projects: where a build tool puts classes, dependencies and test sources.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a project says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Compiled classes first, then dependencies.
    pub class_path: Vec<PathBuf>,
    /// Where hand-written tests live.
    pub test_sources: PathBuf,
}

/// Why a project cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("{} is not a Maven or Gradle project: it has no pom.xml, build.gradle or build.gradle.kts", .0.display())]
    Unknown(PathBuf),
    #[error("{} has no compiled classes at {}; build it first ({how})", project.display(), classes.display())]
    NotBuilt { project: PathBuf, classes: PathBuf, how: &'static str },
    #[error("Maven could not tell the class path of {}: {why}", project.display())]
    Maven { project: PathBuf, why: String },
}

impl Project {
    /// Reads a project's layout; asks Maven for dependencies.
    pub fn open(folder: &Path) -> Result<Project, ProjectError> {
        if folder.join("pom.xml").is_file() {
            return maven(folder);
        }
        if folder.join("build.gradle").is_file() || folder.join("build.gradle.kts").is_file() {
            return gradle(folder);
        }
        Err(ProjectError::Unknown(folder.to_path_buf()))
    }
}

fn built(project: &Path, classes: PathBuf, how: &'static str) -> Result<PathBuf, ProjectError> {
    match classes.is_dir() {
        true => Ok(classes),
        false => Err(ProjectError::NotBuilt { project: project.to_path_buf(), classes, how }),
    }
}

fn maven(folder: &Path) -> Result<Project, ProjectError> {
    let classes = built(folder, folder.join("target/classes"), "mvn compile")?;
    let failed = |why: String| ProjectError::Maven { project: folder.to_path_buf(), why };
    let listing = tempfile::NamedTempFile::new().map_err(|e| failed(e.to_string()))?;
    let output = Command::new("mvn")
        .args(["-q", "-B", "dependency:build-classpath", "-Dmdep.includeScope=test"])
        .arg(format!("-Dmdep.outputFile={}", listing.path().display()))
        .current_dir(folder)
        .output()
        .map_err(|e| {
            failed(format!("mvn cannot be started ({e}); install Maven, or give the class path with -c"))
        })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        let error = said.lines().find(|line| line.contains("[ERROR]")).unwrap_or("mvn failed").to_string();
        return Err(failed(error));
    }
    let text = std::fs::read_to_string(listing.path()).map_err(|e| failed(e.to_string()))?;
    let mut class_path = vec![classes];
    class_path.extend(std::env::split_paths(text.trim()).filter(|p| !p.as_os_str().is_empty()));
    Ok(Project { class_path, test_sources: folder.join("src/test/java") })
}

/// Gradle's layout without asking it: its daemon takes longer than the job. Dependencies beyond the
/// project's own `libs` folder are to be given with `-c`.
fn gradle(folder: &Path) -> Result<Project, ProjectError> {
    let classes = built(folder, folder.join("build/classes/java/main"), "gradle classes")?;
    let mut class_path = vec![classes];
    for extra in ["build/classes/kotlin/main", "build/resources/main"] {
        class_path.extend(Some(folder.join(extra)).filter(|p| p.is_dir()));
    }
    let mut jars: Vec<PathBuf> = std::fs::read_dir(folder.join("libs"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "jar"))
        .collect();
    jars.sort();
    class_path.extend(jars);
    Ok(Project { class_path, test_sources: folder.join("src/test/java") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_no_project_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Project::open(folder.path()), Err(ProjectError::Unknown(_))));
    }

    #[test]
    fn a_project_that_was_not_built_says_how() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("pom.xml"), "<project/>").unwrap();
        let error = Project::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("mvn compile"), "{error}");
    }

    #[test]
    fn gradle_projects_are_read_by_their_layout() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("build.gradle.kts"), "").unwrap();
        std::fs::create_dir_all(folder.path().join("build/classes/java/main")).unwrap();
        std::fs::create_dir_all(folder.path().join("libs")).unwrap();
        std::fs::write(folder.path().join("libs/a.jar"), "").unwrap();
        let project = Project::open(folder.path()).unwrap();
        assert_eq!(project.class_path.len(), 2);
        assert!(project.test_sources.ends_with("src/test/java"));
    }
}
