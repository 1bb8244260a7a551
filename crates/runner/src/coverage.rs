//! How much of a class emitted tests cover, measured by JaCoCo.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Serialize;
use suite::case::ClassName;

use crate::Error;
use crate::confirm::{Environment, Jobs, Prepared, TestSource};
use crate::junit::{Artifact, JunitJars, local_repository, resolve};
use crate::workspace::{absolute, run_tool};

/// The first release that reads the classes of Java 25.
const VERSION: &str = "0.8.14";

/// Missed and covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counter {
    pub missed: u32,
    pub covered: u32,
}

impl Counter {
    pub fn total(self) -> u32 {
        self.missed + self.covered
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    pub branches: Counter,
    pub lines: Counter,
    pub instructions: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MethodCoverage {
    pub name: String,
    pub descriptor: String,
    pub line: Option<u32>,
    pub counters: Counters,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCoverage {
    /// Internal name (`com/acme/Calc$Inner`).
    pub class: String,
    pub counters: Counters,
    pub methods: Vec<MethodCoverage>,
}

/// Runs the tests of `sources` once under the agent and reports on `classes` and what is nested in them.
pub fn coverage(
    environment: &Environment,
    junit: &JunitJars,
    sources: Vec<TestSource>,
    classes: &[ClassName],
) -> Result<Vec<ClassCoverage>, Error> {
    let repository = local_repository();
    let artifact = |name| Artifact { group: "org.jacoco", name, version: VERSION };
    let agent = resolve(&repository, artifact("org.jacoco.agent"), "runtime", VERSION)?;
    let cli = resolve(&repository, artifact("org.jacoco.cli"), "nodeps", VERSION)?;
    let prepared = Prepared::new(environment, junit, sources, None)?;
    let jobs = prepared.jobs(|_| true);
    let workspace = &prepared.workspace;
    // The JVM may write only its own directory, whose name follows from the session's.
    let data = workspace.path().join("coverage-1/jacoco.exec");
    let patterns: Vec<String> =
        classes.iter().flat_map(|c| [c.binary_name(), format!("{}$*", c.binary_name())]).collect();
    let mut option = OsString::from("-javaagent:");
    option.push(&agent);
    option.push("=destfile=");
    option.push(&data);
    option.push(format!(",includes={}", patterns.join(":")));
    let limit = environment.limits.test;
    let jobs = Jobs { name: "coverage", jobs: &jobs, perturbed: false, limit };
    prepared.run(jobs, vec![option], vec![agent])?;
    let files = workspace.subdir("covered")?;
    for class in classes {
        extract(&environment.class_path, class, &files)?;
    }
    let xml = workspace.path().join("jacoco.xml");
    let args: Vec<OsString> = vec![
        "-jar".into(),
        cli.clone().into(),
        "report".into(),
        data.into(),
        "--classfiles".into(),
        files.into(),
        "--xml".into(),
        xml.clone().into(),
        "--quiet".into(),
    ];
    let finished = run_tool(environment, &environment.jdk.java, args, workspace.path(), absolute(&[cli]))?;
    let text = fs::read_to_string(&xml)
        .map_err(|_| Error::Tool { tool: "JaCoCo", message: finished.last_words() })?;
    parse(&text).map_err(|message| Error::Tool { tool: "JaCoCo", message })
}

/// Copies the class file and those of its nested classes out of the first class path entry that has it.
fn extract(class_path: &[PathBuf], class: &ClassName, into: &Path) -> Result<(), Error> {
    let name = class.internal_name();
    let (folder, simple) = name.rsplit_once('/').unwrap_or(("", &name));
    let wanted = |file: &str| {
        file.strip_suffix(".class")
            .and_then(|file| file.strip_prefix(simple))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
    };
    let target = into.join(folder);
    let io = |what, path: &Path| {
        let path = path.to_path_buf();
        move |source| Error::Io { what, path, source }
    };
    fs::create_dir_all(&target).map_err(io("make", &target))?;
    for entry in class_path {
        if entry.is_dir() {
            let dir = entry.join(folder);
            if !dir.join(format!("{simple}.class")).is_file() {
                continue;
            }
            for file in fs::read_dir(&dir).map_err(io("read", &dir))?.flatten() {
                if let Some(name) = file.file_name().to_str().filter(|name| wanted(name)) {
                    fs::copy(file.path(), target.join(name)).map_err(io("copy", &file.path()))?;
                }
            }
            return Ok(());
        }
        let Ok(file) = fs::File::open(entry) else { continue };
        let Ok(mut archive) = zip::ZipArchive::new(file) else { continue };
        let inside: Vec<String> = archive
            .file_names()
            .filter_map(|path| Some(path.ok()?.into_owned()))
            .filter(|path| {
                let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
                dir == folder && wanted(file)
            })
            .collect();
        if !inside.contains(&format!("{name}.class")) {
            continue;
        }
        for path in inside {
            let mut bytes = Vec::new();
            let read = archive.by_name(&path).map(|mut file| file.read_to_end(&mut bytes));
            if let Ok(Ok(_)) = read {
                let file = path.rsplit('/').next().unwrap_or(&path);
                fs::write(target.join(file), bytes).map_err(io("write", &target))?;
            }
        }
        return Ok(());
    }
    Err(Error::Tool { tool: "coverage", message: format!("{class} is not on the class path") })
}

fn parse(xml: &str) -> Result<Vec<ClassCoverage>, String> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(xml, options).map_err(|e| e.to_string())?;
    let text = |node: roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap_or("").to_owned();
    Ok(document
        .descendants()
        .filter(|node| node.has_tag_name("class"))
        .map(|class| ClassCoverage {
            class: text(class, "name"),
            counters: counters(class),
            methods: class
                .children()
                .filter(|node| node.has_tag_name("method"))
                .map(|method| MethodCoverage {
                    name: text(method, "name"),
                    descriptor: text(method, "desc"),
                    line: method.attribute("line").and_then(|line| line.parse().ok()),
                    counters: counters(method),
                })
                .collect(),
        })
        .collect())
}

fn counters(node: roxmltree::Node<'_, '_>) -> Counters {
    let mut counters = Counters::default();
    for counter in node.children().filter(|child| child.has_tag_name("counter")) {
        let number = |name| counter.attribute(name).and_then(|n| n.parse().ok()).unwrap_or(0);
        let value = Counter { missed: number("missed"), covered: number("covered") };
        match counter.attribute("type") {
            Some("BRANCH") => counters.branches = value,
            Some("LINE") => counters.lines = value,
            Some("INSTRUCTION") => counters.instructions = value,
            _ => {}
        }
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_by_class_and_method() {
        let xml = r#"<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
            <report name="x"><package name="a"><class name="a/B" sourcefilename="B.java">
            <method name="f" desc="(I)V" line="3"><counter type="BRANCH" missed="1" covered="3"/></method>
            <counter type="LINE" missed="0" covered="5"/></class></package></report>"#;
        let classes = parse(xml).unwrap();
        assert_eq!(classes[0].class, "a/B");
        assert_eq!(classes[0].counters.lines, Counter { missed: 0, covered: 5 });
        assert_eq!(classes[0].methods[0].counters.branches.total(), 4);
        assert_eq!(classes[0].methods[0].line, Some(3));
    }
}
