//! Compiles emitted tests and runs them twice, in fresh isolated JVMs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use emit::java::names::test_method;
use emit::java::{Framework, Span};
use serde::Serialize;

pub use crate::compile::{Faulty, Mend, TestSource};
pub use crate::workspace::Environment;

use crate::Error;
use crate::compile::{Compiled, compile, is_below};
use crate::junit::JunitJars;
use crate::session::{Ending, Jvm, Session, unescape};
use crate::workspace::{Workspace, absolute, join_path};

const REPORT: (&str, &str) = ("TestwrightReport.java", include_str!("java/TestwrightReport.java"));
const LAUNCHER5: (&str, &str) = ("TestwrightLauncher5.java", include_str!("java/TestwrightLauncher5.java"));
const LAUNCHER4: (&str, &str) = ("TestwrightLauncher4.java", include_str!("java/TestwrightLauncher4.java"));

/// What has not ended by then, and was not expected to, is taken not to end: the VM has seen that nothing leads out of it.
const ENDLESS_WAIT: Duration = Duration::from_secs(1);

/// Tests that are expected not to end take their whole time, in so many JVMs.
const ENDLESS_AT_ONCE: usize = 2;

/// What confirming takes beyond what it usually does: so many tests to compile and run, of which some are expected not to end.
pub fn longer(tests: usize, endless: usize) -> Duration {
    let waiting = ENDLESS_WAIT * endless.div_ceil(ENDLESS_AT_ONCE) as u32;
    waiting + EACH * tests.saturating_sub(USUAL) as u32
}

/// So many tests of a class are nothing special; each of the others takes so long, on a machine that does something else as well.
const USUAL: usize = 400;
const EACH: Duration = Duration::from_millis(3);

/// The order of the second run; any number but 0.
const ORDER_SEED: u64 = 20_260_101;

/// What a test did in both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    Passed,
    /// The same failure in both runs: the JVM is stable and disagrees.
    Failed {
        message: String,
    },
    /// The two runs differ.
    Unstable {
        first: String,
        second: String,
    },
    CompileError {
        diagnostic: String,
    },
    TimedOut,
    /// The JVM ended during the test.
    Exited {
        how: String,
    },
    NotRun {
        reason: String,
    },
    /// The time for everything was over before it had run twice.
    Late,
}

impl Verdict {
    /// Why a test with this verdict is not shipped, for the report; `None` if it is.
    pub fn objection(&self) -> Option<String> {
        Some(match self {
            Verdict::Passed => return None,
            Verdict::Failed { message } => format!("fails on the JVM: {message}"),
            Verdict::Unstable { first, second } => format!("unstable: {first}, then {second}"),
            Verdict::CompileError { diagnostic } => format!("does not compile: {diagnostic}"),
            Verdict::TimedOut => "ran out of time".into(),
            Verdict::Exited { how } => how.clone(),
            Verdict::NotRun { reason } => format!("could not be run: {reason}"),
            Verdict::Late => "the time was over before it was confirmed".into(),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestVerdict {
    /// Index of the source.
    pub source: usize,
    /// Name of the test method.
    pub case: String,
    pub verdict: Verdict,
}

/// One verdict a case, in the order of the sources and their spans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfirmReport {
    pub tests: Vec<TestVerdict>,
}

impl ConfirmReport {
    pub fn verdict(&self, source: usize, case: &str) -> Option<&Verdict> {
        self.tests.iter().find(|test| test.source == source && test.case == case).map(|test| &test.verdict)
    }
}

/// One `javac`, then two JVMs at the same time; more only for what goes wrong or does not end.
pub fn confirm(
    environment: &Environment,
    junit: &JunitJars,
    sources: Vec<TestSource>,
    mend: Mend<'_>,
) -> Result<ConfirmReport, Error> {
    if sources.iter().all(|source| source.spans.is_empty()) {
        return Ok(ConfirmReport { tests: Vec::new() });
    }
    let prepared = Prepared::new(environment, junit, sources, mend)?;
    let jobs = prepared.jobs(|span| !span.endless);
    // What is expected not to end takes its whole time in each run, so it is run once, and while the others run.
    let endless = prepared.jobs(|span| span.endless);
    let (some, rest) = endless.split_at(endless.len().div_ceil(ENDLESS_AT_ONCE));
    let wait = environment.limits.test.min(ENDLESS_WAIT);
    let usual = environment.limits.test;
    let lists = [
        Jobs { name: "first", jobs: &jobs, perturbed: false, limit: usual },
        Jobs { name: "second", jobs: &jobs, perturbed: true, limit: usual },
        Jobs { name: "third", jobs: some, perturbed: false, limit: wait },
        Jobs { name: "fourth", jobs: rest, perturbed: true, limit: wait },
    ];
    let sessions = thread::scope(|scope| {
        let prepared = &prepared;
        let run = |list: Jobs<'_>| prepared.run(list, Vec::new(), Vec::new());
        let running = lists.map(|list| scope.spawn(move || run(list)));
        running.map(|session| session.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let [first, second, third, fourth] = sessions;
    let (first, second, third, fourth) = (first?, second?, third?, fourth?);
    let mut tests = Vec::new();
    for (file, source) in prepared.sources.iter().enumerate() {
        for (case, span) in source.spans.iter().enumerate() {
            let verdict = match prepared.rejected.get(&(file, case)) {
                Some(diagnostic) => Verdict::CompileError { diagnostic: diagnostic.clone() },
                None if prepared.late => Verdict::Late,
                None => {
                    let id = job(&source.path, &span.case);
                    match span.endless {
                        true => {
                            let by = if third.reports.contains_key(&id) { &third } else { &fourth };
                            combine(run_of(by, &id), run_of(by, &id))
                        }
                        false => combine(run_of(&first, &id), run_of(&second, &id)),
                    }
                }
            };
            tests.push(TestVerdict { source: file, case: span.case.clone(), verdict });
        }
    }
    Ok(ConfirmReport { tests })
}

/// Tests for one JVM.
pub(crate) struct Jobs<'a> {
    /// Unique in the workspace.
    pub name: &'a str,
    pub jobs: &'a [String],
    /// In another world than usual.
    pub perturbed: bool,
    /// What each of them may take.
    pub limit: Duration,
}

/// A compiled batch, ready to be run.
pub(crate) struct Prepared<'a> {
    environment: &'a Environment,
    junit: &'a JunitJars,
    /// As they were compiled.
    sources: Vec<TestSource>,
    pub workspace: Workspace,
    pub rejected: BTreeMap<(usize, usize), String>,
    /// There was no time to compile them.
    late: bool,
}

impl<'a> Prepared<'a> {
    pub fn new(
        environment: &'a Environment,
        junit: &'a JunitJars,
        mut sources: Vec<TestSource>,
        mend: Mend<'_>,
    ) -> Result<Prepared<'a>, Error> {
        if let Some(source) = sources.iter().find(|source| !is_below(&source.path)) {
            let message = format!("{} is not a relative path", source.path.display());
            return Err(Error::Tool { tool: "confirm", message });
        }
        let workspace = Workspace::new()?;
        let launcher = match junit.framework {
            Framework::Junit5 => LAUNCHER5,
            Framework::Junit4 => LAUNCHER4,
        };
        let extra = [REPORT, launcher];
        let compiled = compile(environment, &workspace, &junit.jars, &mut sources, &extra, mend)?;
        let Compiled { rejected, late } = compiled;
        Ok(Prepared { environment, junit, sources, workspace, rejected, late })
    }

    /// `class#method` of those that compiled.
    pub fn jobs(&self, wanted: impl Fn(&Span) -> bool) -> Vec<String> {
        let mut jobs = Vec::new();
        if self.late {
            return jobs;
        }
        for (file, source) in self.sources.iter().enumerate() {
            for (case, span) in source.spans.iter().enumerate() {
                if !self.rejected.contains_key(&(file, case)) && wanted(span) {
                    jobs.push(job(&source.path, &span.case));
                }
            }
        }
        jobs
    }

    pub fn run(
        &self,
        Jobs { name, jobs, perturbed, limit }: Jobs<'_>,
        options: Vec<OsString>,
        readable: Vec<PathBuf>,
    ) -> Result<Session, Error> {
        let mut class_path = vec![self.workspace.classes()];
        class_path.extend(absolute(&self.junit.jars));
        class_path.extend(absolute(&self.environment.class_path));
        let mut readable = readable;
        readable.extend(absolute(&self.junit.jars));
        let jvm = Jvm {
            environment: self.environment,
            workspace: &self.workspace,
            name,
            perturbed,
            options,
            class_path: join_path(&class_path),
            readable,
        };
        let main = match self.junit.framework {
            Framework::Junit5 => "TestwrightLauncher5",
            Framework::Junit4 => "TestwrightLauncher4",
        };
        let seed = if perturbed { ORDER_SEED } else { 0 };
        let arguments = |private: &Path, report: &Path, open: &[String]| {
            let list = private.join("tests");
            self.workspace.write(&list, &(open.join("\n") + "\n"))?;
            let limit = limit.as_millis().to_string();
            let args = [main.into(), report.into(), limit.into(), seed.to_string().into(), list.into()];
            Ok(args.to_vec())
        };
        jvm.run(jobs, arguments, |line| {
            let rest = line.strip_prefix("pass\t").or_else(|| line.strip_prefix("fail\t"))?;
            Some(unescape(rest.split('\t').next()?))
        })
    }
}

fn job(path: &Path, case: &str) -> String {
    let class: Vec<String> =
        path.with_extension("").components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    format!("{}#{}", class.join("."), test_method(case))
}

/// What a test did in one run.
enum Run {
    Passed,
    Failed(String),
    TimedOut,
    Exited(String),
    Missing(String),
    Late,
}

fn run_of(session: &Session, id: &str) -> Run {
    match session.reports.get(id) {
        Some(Ending::Reported(line)) => match line.strip_prefix("fail\t") {
            Some(rest) => Run::Failed(rest.split_once('\t').map_or_else(String::new, |(_, m)| unescape(m))),
            None => Run::Passed,
        },
        Some(Ending::TimedOut) => Run::TimedOut,
        Some(Ending::Exited(how)) => Run::Exited(how.clone()),
        None if session.late => Run::Late,
        None => Run::Missing(session.trouble.clone().unwrap_or_else(|| "JUnit did not find it".into())),
    }
}

fn combine(first: Run, second: Run) -> Verdict {
    match (first, second) {
        (Run::Passed, Run::Passed) => Verdict::Passed,
        (Run::Failed(first), Run::Failed(second)) if first == second => Verdict::Failed { message: first },
        (Run::TimedOut, _) | (_, Run::TimedOut) => Verdict::TimedOut,
        (Run::Exited(how), _) | (_, Run::Exited(how)) => Verdict::Exited { how },
        (Run::Late, _) | (_, Run::Late) => Verdict::Late,
        (Run::Missing(reason), _) | (_, Run::Missing(reason)) => Verdict::NotRun { reason },
        (first, second) => Verdict::Unstable { first: show(&first), second: show(&second) },
    }
}

fn show(run: &Run) -> String {
    match run {
        Run::Passed => "passed".into(),
        Run::Failed(message) => format!("failed with {message}"),
        Run::TimedOut => "ran out of time".into(),
        Run::Late => "the time was over".into(),
        Run::Exited(how) | Run::Missing(how) => how.clone(),
    }
}
