//! Runs a list of jobs in JVMs that may die under them: what hangs or exits is found and the rest run again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Error;
use crate::process::{End, Finished};
use crate::workspace::{Environment, Workspace, jvm_options, run_tool};

/// What the watchdog of ours in the JVM exits with.
const WATCHDOG: i32 = 124;

/// How one JVM, or several in a row, went through the jobs.
#[derive(Debug)]
pub(crate) struct Session {
    /// Lines the JVM reported of each job, in the order of the report; the key is the job's id.
    pub reports: BTreeMap<String, Ending>,
    /// Trouble outside of any job, for those that were never started.
    pub trouble: Option<String>,
    /// The time for everything was over before all of them had ended.
    pub late: bool,
}

/// How one job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The line that said so, after its first word.
    Reported(String),
    TimedOut,
    /// The JVM ended during it.
    Exited(String),
}

/// One JVM for a list of jobs.
pub(crate) struct Jvm<'a> {
    pub environment: &'a Environment,
    pub workspace: &'a Workspace,
    /// Name of the run's directory, unique in the workspace.
    pub name: &'a str,
    pub perturbed: bool,
    pub options: Vec<OsString>,
    pub class_path: OsString,
    pub readable: Vec<PathBuf>,
}

impl Jvm<'_> {
    /// `arguments` gives main class and arguments for a report file and the jobs still to do. `ended` recognises
    /// the line that ends a job and gives its id.
    pub fn run(
        &self,
        jobs: &[String],
        arguments: impl Fn(&Path, &Path, &[String]) -> Result<Vec<OsString>, Error>,
        ended: impl Fn(&str) -> Option<String>,
    ) -> Result<Session, Error> {
        let mut session = Session { reports: BTreeMap::new(), trouble: None, late: false };
        let mut open: Vec<String> = jobs.to_vec();
        let started = Instant::now();
        let mut attempt = 0;
        while !open.is_empty() && started.elapsed() < self.environment.limits.wall {
            if self.environment.limits.is_late() {
                session.late = true;
                break;
            }
            attempt += 1;
            let private = self.workspace.subdir(&format!("{}-{attempt}", self.name))?;
            let report = private.join("report");
            let args = arguments(&private, &report, &open)?;
            let finished = self.start(&private, args)?;
            let lines = fs::read_to_string(&report).unwrap_or_default();
            let before = session.reports.len();
            session.late = finished.end == End::Late;
            let complete = read(&lines, &finished, &ended, &mut session);
            open.retain(|job| !session.reports.contains_key(job));
            if complete || session.reports.len() == before {
                if !open.is_empty() && session.trouble.is_none() {
                    session.trouble = Some(describe(&finished));
                }
                break;
            }
        }
        if !open.is_empty() && session.trouble.is_none() {
            session.trouble = Some(format!("the limit of {:?} was reached", self.environment.limits.wall));
        }
        Ok(session)
    }

    fn start(&self, private: &Path, args: Vec<OsString>) -> Result<Finished, Error> {
        let mut all = jvm_options(self.environment, private, self.perturbed);
        all.extend(self.options.iter().cloned());
        all.extend([OsString::from("-cp"), self.class_path.clone()]);
        all.extend(args);
        let mut readable = self.readable.clone();
        readable.push(self.workspace.classes());
        run_tool(self.environment, &self.environment.jdk.java, all, private, readable)
    }
}

/// Reads a report; true if the JVM came to its end.
fn read(
    lines: &str,
    finished: &Finished,
    ended: &impl Fn(&str) -> Option<String>,
    session: &mut Session,
) -> bool {
    let mut running: Option<String> = None;
    let mut complete = false;
    for line in lines.lines() {
        if let Some(id) = line.strip_prefix("start\t") {
            running = Some(unescape(id));
        } else if line == "done" {
            complete = true;
        } else if let Some(message) = line.strip_prefix("trouble\t") {
            session.trouble.get_or_insert_with(|| unescape(message));
        } else if let Some(id) = ended(line) {
            session.reports.insert(id, Ending::Reported(line.to_owned()));
            running = None;
        }
    }
    if let (false, Some(id)) = (complete, running) {
        let ending = match finished.end {
            End::Code(WATCHDOG) | End::TimedOut => Some(Ending::TimedOut),
            End::Code(_) | End::Signal(_) => Some(Ending::Exited(describe(finished))),
            // Whatever ran then is not to blame.
            End::Late => None,
        };
        session.reports.extend(ending.map(|ending| (id, ending)));
    }
    complete
}

fn describe(finished: &Finished) -> String {
    let how = match finished.end {
        End::Code(code) => format!("the JVM exited with {code}"),
        End::Signal(signal) => format!("the JVM was killed by signal {signal}"),
        End::TimedOut => "the JVM ran out of time".to_owned(),
        End::Late => "the time was over".to_owned(),
    };
    match finished.stderr.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{how}: {line}"),
        None => how,
    }
}

/// Reverses the escaping of the reports: a backslash and four hexadecimal digits for a UTF-16 unit.
pub(crate) fn unescape(text: &str) -> String {
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let code =
            if c == '\\' { rest.get(1..5).and_then(|hex| u16::from_str_radix(hex, 16).ok()) } else { None };
        match code {
            Some(unit) => {
                units.push(unit);
                rest = rest.get(5..).unwrap_or("");
            }
            None => {
                units.extend(c.encode_utf16(&mut [0; 2]).iter());
                rest = rest.get(c.len_utf8()..).unwrap_or("");
            }
        }
    }
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(end: End) -> Finished {
        Finished { end, stdout: String::new(), stderr: String::new() }
    }

    fn ended(line: &str) -> Option<String> {
        line.strip_prefix("pass\t").map(unescape)
    }

    #[test]
    fn the_test_that_was_running_is_to_blame() {
        let lines = "start\ta\npass\ta\nstart\tb\n";
        for (end, ending) in [
            (End::Code(124), Ending::TimedOut),
            (End::TimedOut, Ending::TimedOut),
            (End::Code(3), Ending::Exited("the JVM exited with 3".into())),
        ] {
            let mut session = Session { reports: BTreeMap::new(), trouble: None, late: false };
            assert!(!read(lines, &finished(end), &ended, &mut session));
            assert_eq!(session.reports["a"], Ending::Reported("pass\ta".into()));
            assert_eq!(session.reports["b"], ending);
        }
        let mut session = Session { reports: BTreeMap::new(), trouble: None, late: true };
        assert!(!read(lines, &finished(End::Late), &ended, &mut session));
        assert_eq!(session.reports.keys().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unescape("a\\005cb\\00e9\\0009"), "a\\bé\t");
        assert_eq!(unescape("\\zz é"), "\\zz é");
    }
}
