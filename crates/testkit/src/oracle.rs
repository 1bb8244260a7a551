//! The real JVM, asked for the truth: one process answers any number of calls.

use crate::call::{Answer, Call};
use crate::jdk::Jdk;
use crate::methods::Member;
use crate::process::{Launch, Process};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;

pub struct Oracle {
    launch: Launch,
    process: Option<Process>,
    /// Edges seen by processes that ended meanwhile.
    earlier: BTreeMap<String, MethodEdges>,
    edges: bool,
}

/// Branch edges of one method that ran, of those it has; numbered as `Edges.java` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodEdges {
    pub total: u32,
    pub hit: std::collections::BTreeSet<u32>,
}

impl Oracle {
    pub fn start(jdk: &Jdk, class_path: &[PathBuf]) -> Result<Oracle> {
        Oracle::with(jdk, class_path, 2000, false)
    }

    /// An oracle that also records branch edges of classes on the class path. JDK 17 to 23 only: the byte-code
    /// library that comes with them is used.
    pub fn with_edges(jdk: &Jdk, class_path: &[PathBuf]) -> Result<Oracle> {
        Oracle::with(jdk, class_path, 2000, true)
    }

    pub fn with(jdk: &Jdk, class_path: &[PathBuf], timeout_millis: u32, edges: bool) -> Result<Oracle> {
        let launch = Launch::new(jdk, class_path, timeout_millis, edges)?;
        let process = Some(launch.start()?);
        Ok(Oracle { launch, process, earlier: BTreeMap::new(), edges })
    }

    pub fn call(&mut self, call: &Call) -> Result<Answer> {
        let mut answers = self.call_all(std::slice::from_ref(call))?;
        answers.pop().ok_or_else(|| Error::Oracle("no answer".into()))
    }

    /// All answers, in order. Calls are pipelined; one that ends the JVM is unanswered and the rest go to a new one.
    pub fn call_all(&mut self, calls: &[Call]) -> Result<Vec<Answer>> {
        let requests: Vec<String> = calls
            .iter()
            .map(|call| {
                let mut line = String::new();
                call.encode(&mut line);
                line
            })
            .collect();
        let mut answers = Vec::with_capacity(calls.len());
        let mut alone = false;
        while answers.len() < requests.len() {
            // When a process was recording edges, its record would die with it: ask in small lots.
            let lot = if alone {
                1
            } else if self.edges {
                1000
            } else {
                requests.len()
            };
            let end = (answers.len() + lot).min(requests.len());
            let waiting = &requests[answers.len()..end];
            let lines = self.process()?.exchange(waiting)?;
            let missing = lines.len() < waiting.len();
            let last_word = lines.last().is_some_and(|line| line == "X timed out" || line == "X exited");
            for line in &lines {
                answers.push(Answer::decode(line)?);
            }
            if last_word || missing {
                self.process = None;
            } else if self.edges {
                self.collect_edges()?;
            }
            if missing && !last_word {
                // It ended without a word. Answers are buffered, so with several on their way we cannot know which
                // call did it: ask one at a time until it happens again.
                if alone {
                    answers.push(Answer::unanswered("the JVM ended"));
                }
                alone = !alone;
            }
        }
        Ok(answers)
    }

    /// Public constructors and methods of a class, sorted.
    pub fn methods(&mut self, class: &str) -> Result<Vec<Member>> {
        let items = self.ask(&format!("M {class}"))?;
        items.iter().map(|item| Member::decode(class, item)).collect()
    }

    /// Names of the constants of an enum; empty for another class.
    pub fn enum_constants(&mut self, class: &str) -> Result<Vec<String>> {
        self.ask(&format!("E {class}"))
    }

    /// Names of static fields that are not final.
    pub fn mutable_statics(&mut self, class: &str) -> Result<Vec<String>> {
        self.ask(&format!("F {class}"))
    }

    /// Branch edges seen so far, by `class.method:desc`.
    pub fn edges(&mut self) -> Result<BTreeMap<String, MethodEdges>> {
        self.collect_edges()?;
        Ok(self.earlier.clone())
    }

    fn collect_edges(&mut self) -> Result<()> {
        for item in self.ask("V")? {
            let wrong = || Error::Oracle(format!("not an edge record: {item}"));
            let mut parts = item.rsplitn(3, ':');
            let hit = parts.next().ok_or_else(wrong)?;
            let total = parts.next().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
            let name = parts.next().ok_or_else(wrong)?;
            let entry = self.earlier.entry(name.to_string()).or_default();
            entry.total = total;
            for id in hit.split(',').filter(|id| !id.is_empty()) {
                entry.hit.insert(id.parse().map_err(|_| wrong())?);
            }
        }
        Ok(())
    }

    fn ask(&mut self, request: &str) -> Result<Vec<String>> {
        let lines = self.process()?.exchange(&[request.to_string()])?;
        let line = lines.first().ok_or_else(|| Error::Oracle(format!("no answer to {request:?}")))?;
        match line.strip_prefix('L') {
            Some(items) => Ok(items.split_whitespace().map(String::from).collect()),
            None => Err(Error::Oracle(format!("{request:?}: {line}"))),
        }
    }

    fn process(&mut self) -> Result<&mut Process> {
        if self.process.is_none() {
            self.process = Some(self.launch.start()?);
        }
        self.process.as_mut().ok_or_else(|| Error::Oracle("not running".into()))
    }
}
