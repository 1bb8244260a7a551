//! Fixtures, found by their folders: `fixtures/java/<topic>/<case>/`.

use crate::expect::Expect;
use crate::jdk::{Jdk, Options, workspace};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Sources are compiled for this release unless `expect.toml` says otherwise.
pub const DEFAULT_RELEASE: u32 = 17;

#[derive(Clone, Debug)]
pub struct Fixtures {
    /// Sorted by topic and name.
    pub cases: Vec<Case>,
}

/// One program under test.
#[derive(Clone, Debug)]
pub struct Case {
    pub topic: String,
    pub name: String,
    pub dir: PathBuf,
    pub sources: Vec<PathBuf>,
    pub expect: Expect,
}

/// The classes of one release: all cases of it, compiled together.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub jdk: Jdk,
    pub classes: PathBuf,
    /// What they need besides.
    pub libraries: Vec<PathBuf>,
}

impl Compiled {
    pub fn class_path(&self) -> Vec<PathBuf> {
        std::iter::once(&self.classes).chain(&self.libraries).cloned().collect()
    }
}

impl Fixtures {
    /// All cases of this repository.
    pub fn discover() -> Result<Fixtures> {
        Fixtures::discover_in(&workspace().join("fixtures/java"))
    }

    pub fn discover_in(root: &Path) -> Result<Fixtures> {
        let mut cases = Vec::new();
        for topic in folders(root)? {
            for dir in folders(&topic)? {
                cases.push(Case::read(&dir, name_of(&topic), name_of(&dir))?);
            }
        }
        Ok(Fixtures { cases })
    }

    pub fn releases(&self) -> Vec<u32> {
        let mut releases: Vec<u32> = self.cases.iter().map(Case::release).collect();
        releases.sort_unstable();
        releases.dedup();
        releases
    }

    pub fn of_release(&self, release: u32) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(move |case| case.release() == release)
    }

    /// Compiles all cases, one javac call a release; releases for which there is no JDK are absent.
    pub fn compile(&self, no_debug: bool) -> Result<BTreeMap<u32, Compiled>> {
        let mut compiled = BTreeMap::new();
        for release in self.releases() {
            let Ok(jdk) = Jdk::at_least(release) else { continue };
            let files: Vec<PathBuf> =
                self.of_release(release).flat_map(|case| case.sources.clone()).collect();
            let options = Options { release: Some(release), no_debug, extra: Vec::new() };
            let classes = jdk.compile(&files, &options)?;
            compiled.insert(release, Compiled { jdk, classes, libraries: Vec::new() });
        }
        Ok(compiled)
    }
}

impl Case {
    fn read(dir: &Path, topic: String, name: String) -> Result<Case> {
        let mut sources: Vec<PathBuf> = entries(dir)?;
        sources.retain(|file| file.extension().is_some_and(|e| e == "java" || e == "kt"));
        if sources.is_empty() {
            return Err(Error::file(dir, "no .java or .kt file"));
        }
        let file = dir.join("expect.toml");
        let text = std::fs::read_to_string(&file).map_err(|e| Error::file(&file, e))?;
        let expect: Expect = toml::from_str(&text).map_err(|e| Error::file(&file, e))?;
        for method in &expect.method {
            method.validate().map_err(|e| Error::file(&file, e))?;
            if method.class.is_none() && sources.len() > 1 {
                return Err(Error::file(
                    &file,
                    format!("{}: with several sources a class is needed", method.name),
                ));
            }
        }
        Ok(Case { topic, name, dir: dir.to_path_buf(), sources, expect })
    }

    pub fn release(&self) -> u32 {
        self.expect.release.unwrap_or(DEFAULT_RELEASE)
    }

    /// The full name of the class a method expectation is about.
    pub fn class_of(&self, method: &crate::expect::Method) -> String {
        let simple = method
            .class
            .clone()
            .unwrap_or_else(|| self.sources.first().map(|source| stem(source)).unwrap_or_default());
        format!("fx.{}.{simple}", self.topic)
    }

    /// Full names of the top-level classes, one a source file.
    pub fn classes(&self) -> Vec<String> {
        self.sources.iter().map(|source| format!("fx.{}.{}", self.topic, stem(source))).collect()
    }

    /// The text of all sources, to learn constants from.
    pub fn source_text(&self) -> Result<String> {
        let read = |file: &PathBuf| std::fs::read_to_string(file).map_err(|e| Error::file(file, e));
        Ok(self.sources.iter().map(read).collect::<Result<Vec<_>>>()?.join("\n"))
    }
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(dir).map_err(|e| Error::file(dir, e))?;
    let mut paths: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn folders(dir: &Path) -> Result<Vec<PathBuf>> {
    Ok(entries(dir)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The class named after a file; of Kotlin the one that holds its top-level functions.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if path.extension().is_some_and(|e| e == "kt") { stem + "Kt" } else { stem }
}
