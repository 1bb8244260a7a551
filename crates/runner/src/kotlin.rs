//! The Kotlin compiler: found like JUnit, run by the JDK's `java`, isolated like javac.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::Error;
use crate::compile::{Compiler, Complaint};
use crate::junit::{Artifact, JunitError, JunitJars, local_repository, resolve};
use crate::process::End;
use crate::workspace::{Environment, Workspace, absolute, join_path, run_tool};

/// What `scripts/setup` fetches; the newest of the same series in the local repository is taken.
const VERSION: &str = "2.2.21";
const SERIES: &str = "2.2.";

const fn kotlin(name: &'static str) -> Artifact {
    Artifact { group: "org.jetbrains.kotlin", name, version: VERSION }
}

/// What the compiler itself is made of.
fn compiler() -> Result<Vec<PathBuf>, JunitError> {
    let repository = local_repository();
    let coroutines =
        Artifact { group: "org.jetbrains.kotlinx", name: "kotlinx-coroutines-core-jvm", version: "1.8.0" };
    let annotations = Artifact { group: "org.jetbrains", name: "annotations", version: "13.0" };
    let reflect = Artifact { group: "org.jetbrains.kotlin", name: "kotlin-reflect", version: "1.6.10" };
    [
        (kotlin("kotlin-compiler-embeddable"), SERIES),
        (kotlin("kotlin-stdlib"), SERIES),
        (kotlin("kotlin-script-runtime"), SERIES),
        (reflect, "1.6."),
        (coroutines, "1."),
        (annotations, "13."),
    ]
    .into_iter()
    .map(|(artifact, series)| resolve(&repository, artifact, "", series))
    .collect()
}

/// Adds what Kotlin tests need to run: the standard library unless the user has one, and `kotlin.test` if asked for.
pub fn add_libraries(
    junit: &mut JunitJars,
    class_path: &[PathBuf],
    kotlin_test: bool,
) -> Result<(), JunitError> {
    let repository = local_repository();
    let has = |prefix: &str| {
        class_path.iter().any(|entry| {
            entry.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(prefix))
        })
    };
    if !has("kotlin-stdlib-") {
        junit.jars.push(resolve(&repository, kotlin("kotlin-stdlib"), "", SERIES)?);
    }
    if kotlin_test && !has("kotlin-test-") {
        junit.jars.push(resolve(&repository, kotlin("kotlin-test"), "", SERIES)?);
        junit.jars.push(resolve(&repository, kotlin("kotlin-test-junit5"), "", SERIES)?);
    }
    Ok(())
}

pub(crate) fn kotlinc(
    environment: &Environment,
    workspace: &Workspace,
    jars: &[PathBuf],
    files: &[PathBuf],
) -> Result<Compiler, Error> {
    let compiler = compiler()?;
    let mut class_path = vec![workspace.classes()];
    class_path.extend(absolute(jars));
    class_path.extend(absolute(&environment.class_path));
    let mut temporary = OsString::from("-Djava.io.tmpdir=");
    temporary.push(workspace.path());
    let mut args: Vec<OsString> = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx1g"]
        .into_iter()
        .map(OsString::from)
        .collect();
    args.extend([temporary, "-cp".into(), join_path(&compiler)]);
    let target = match environment.jdk.release {
        ..=8 => "1.8".to_string(),
        release => release.min(21).to_string(),
    };
    args.extend(
        ["org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect", "-nowarn"]
            .map(OsString::from),
    );
    args.extend(["-jvm-target".into(), target.into(), "-d".into(), workspace.classes().into()]);
    // Tests are of the module that they test: they may use what is internal, but not what libraries keep to themselves.
    let mut friends = OsString::from("-Xfriend-paths=");
    let entries = absolute(&environment.class_path);
    let own = entries.iter().enumerate().filter(|(at, entry)| *at == 0 || entry.is_dir());
    for (i, (_, entry)) in own.enumerate() {
        if i > 0 {
            friends.push(",");
        }
        friends.push(entry);
    }
    args.extend([friends, "-cp".into(), join_path(&class_path)]);
    args.extend(files.iter().map(|file| file.clone().into_os_string()));
    let mut readable = absolute(jars);
    readable.extend(compiler);
    let finished = run_tool(environment, &environment.jdk.java, args, workspace.path(), readable)?;
    if finished.succeeded() {
        return Ok(Compiler::Said(Vec::new()));
    }
    if finished.end == End::Late {
        return Ok(Compiler::Late);
    }
    let complaints = parse(&finished.stderr, files, workspace);
    if complaints.is_empty() {
        let message = match finished.end {
            End::TimedOut => format!("no end after {:?}", environment.limits.wall),
            End::Code(_) | End::Signal(_) | End::Late => finished.last_words(),
        };
        return Err(Error::Tool { tool: "the Kotlin compiler", message });
    }
    Ok(Compiler::Said(complaints))
}

/// `path/File.kt:12:5: error: message`; the path may be relative to the directory of the run.
fn parse(output: &str, files: &[PathBuf], workspace: &Workspace) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for line in output.lines() {
        let Some((place, message)) = line.split_once(": error: ") else { continue };
        let mut parts = place.trim_start_matches("file://").rsplitn(3, ':');
        let (Some(_column), Some(number), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let path = workspace.path().join(path);
        let same = |file: &&PathBuf| {
            **file == path
                || std::fs::canonicalize(file)
                    .is_ok_and(|real| Some(real) == std::fs::canonicalize(&path).ok())
        };
        if let (Some(file), Ok(line)) = (files.iter().find(same), number.parse()) {
            complaints.push(Complaint { file: file.clone(), line, message: message.to_owned() });
        }
    }
    complaints
}
