//! The oracle's JVM process: lines in, lines out.

use crate::jdk::{Jdk, Options, workspace};
use crate::{Error, Result};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// How to start the JVM; kept because it is started again when a call ended it.
#[derive(Clone, Debug)]
pub struct Launch {
    pub java: PathBuf,
    pub arguments: Vec<String>,
}

impl Launch {
    /// Compiles the oracle's own Java sources with the JDK that is to run them.
    pub fn new(jdk: &Jdk, class_path: &[PathBuf], timeout_millis: u32, edges: bool) -> Result<Launch> {
        let sources = workspace().join("crates/testkit/java");
        let mut files: Vec<PathBuf> = ["Oracle", "Codec", "Types", "World"]
            .iter()
            .map(|name| sources.join(format!("{name}.java")))
            .collect();
        let mut options = Options::default();
        let mut arguments: Vec<String> = [
            "-ea",
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-OmitStackTraceInFastThrow", // otherwise hot exceptions lose their messages
            "-Xlog:disable",
            "-XX:+DisplayVMOutputToStderr",
            "-Dfile.encoding=UTF-8",
        ]
        .map(String::from)
        .into();
        if edges {
            let export = "java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED";
            files.push(sources.join("Edges.java"));
            options.extra = vec!["--add-exports".into(), export.into()];
            arguments.extend(["--add-exports".into(), export.into()]);
            let unverified = ["-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"];
            arguments.extend(unverified.map(String::from));
        }
        let classes = jdk.compile(&files, &options)?;
        // Libraries are loaded once; the classes under test anew in each world.
        let (folders, jars): (Vec<&PathBuf>, Vec<&PathBuf>) =
            class_path.iter().partition(|entry| entry.is_dir());
        let own = std::iter::once(&classes).chain(jars).map(|entry| entry.display().to_string());
        arguments.extend(["-cp".into(), own.collect::<Vec<_>>().join(":"), "Oracle".into()]);
        if !folders.is_empty() {
            let joined: Vec<String> = folders.iter().map(|entry| entry.display().to_string()).collect();
            arguments.extend(["--cp".into(), joined.join(":")]);
        }
        arguments.extend(["--timeout".into(), timeout_millis.to_string()]);
        if edges {
            arguments.push("--edges".into());
        }
        Ok(Launch { java: jdk.java(), arguments })
    }

    pub fn start(&self) -> Result<Process> {
        let mut child = Command::new(&self.java)
            .args(&self.arguments)
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("_JAVA_OPTIONS")
            .env_remove("JDK_JAVA_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| Error::Oracle(format!("{}: {e}", self.java.display())))?;
        let input = child.stdin.take().ok_or_else(|| Error::Oracle("no standard input".into()))?;
        let output = child.stdout.take().ok_or_else(|| Error::Oracle("no standard output".into()))?;
        let mut process = Process { child, input, output: BufReader::with_capacity(1 << 16, output) };
        let greeting = process.exchange(&["E java.lang.Object".to_string()])?;
        if greeting != ["L"] {
            let command = format!("{} {}", self.java.display(), self.arguments.join(" "));
            return Err(Error::Oracle(format!("it does not answer; started as: {command}")));
        }
        Ok(process)
    }
}

pub struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Sends all lines and reads as many answers as come: fewer only when the JVM ended.
    pub fn exchange(&mut self, requests: &[String]) -> Result<Vec<String>> {
        let Process { input, output, .. } = self;
        std::thread::scope(|scope| {
            // Written by a thread of its own: with both pipes full, one that only writes would wait forever.
            scope.spawn(move || {
                for chunk in requests.chunks(256) {
                    let text = chunk.join("\n") + "\n";
                    if input.write_all(text.as_bytes()).is_err() {
                        return; // the JVM ended; the reading side sees it too
                    }
                }
                let _ = input.flush();
            });
            let mut answers = Vec::with_capacity(requests.len());
            while answers.len() < requests.len() {
                let mut line = String::new();
                let read = output.read_line(&mut line).map_err(|e| Error::Oracle(e.to_string()))?;
                if read == 0 || !line.ends_with('\n') {
                    break;
                }
                line.pop();
                answers.push(line);
            }
            Ok(answers)
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
