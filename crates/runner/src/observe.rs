//! Performs cases on the real JVM and says what it saw, in the terms of the case.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::thread;

use emit::java::{SuiteFile, probe};
use emit::write::java_path;
use serde::Deserialize;
use suite::case::{Check, ClassName, Outcome, Subject, TestCase, Text, Value};

use crate::Error;
use crate::compile::{TestSource, compile};
use crate::session::{Ending, Jvm, Session};
use crate::workspace::{Environment, Workspace, absolute, join_path};

/// What the JVM showed, the same in both runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    pub outcome: ObservedOutcome,
    /// What each assert of the case looks at; `None` where there is nothing to look at (a getter that threw, the
    /// result of a call that threw).
    pub subjects: Vec<Option<Seen>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservedOutcome {
    /// `None`: void.
    Returned(Option<Seen>),
    /// `class` is the nearest class that a test in the package can name, `exact` the binary name of the real one.
    Threw { class: ClassName, exact: String, message: Option<Text> },
}

/// A value as far as the model can hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Value(Value),
    /// An object of this class (binary name).
    Opaque(String),
}

/// The answer for one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    Stable(Observation),
    Unstable {
        first: Box<Observation>,
        second: Box<Observation>,
    },
    /// It could not be performed to its end: does not compile, the arrangement throws, hangs, exits.
    Failed {
        reason: String,
    },
    /// The time for everything was over before that.
    Late,
}

/// One answer a case, in order. All cases belong to `package`; `release` is the Java version to write for.
pub fn observe(
    environment: &Environment,
    package: &str,
    cases: &[TestCase],
    release: u16,
) -> Result<Vec<Observed>, Error> {
    let file = SuiteFile {
        package: package.to_owned(),
        class_name: probe::CLASS.to_owned(),
        siblings: Vec::new(),
        cases: cases.to_vec(),
    };
    let rendered = probe::render(&file, release);
    let mut sources = vec![TestSource::new(java_path(package, probe::CLASS), rendered)];
    let workspace = Workspace::new()?;
    let compiled = compile(environment, &workspace, &[], &mut sources, &[], None)?;
    if compiled.late {
        return Ok(vec![Observed::Late; cases.len()]);
    }
    let jobs: Vec<String> = (0..cases.len())
        .filter(|case| !compiled.rejected.contains_key(&(0, *case)))
        .map(|case| case.to_string())
        .collect();
    let main = if package.is_empty() { probe::CLASS.into() } else { format!("{package}.{}", probe::CLASS) };
    let (first, second) = thread::scope(|scope| {
        let first = scope.spawn(|| perform(environment, &workspace, &main, &jobs, false));
        let second = perform(environment, &workspace, &main, &jobs, true);
        (first.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), second)
    });
    let (first, second) = (first?, second?);
    Ok((0..cases.len())
        .map(|case| match compiled.rejected.get(&(0, case)) {
            Some(diagnostic) => Observed::Failed { reason: format!("does not compile: {diagnostic}") },
            None => match (answer(&first, case), answer(&second, case)) {
                (Ok(first), Ok(second)) if first == second => Observed::Stable(first),
                (Ok(first), Ok(second)) => {
                    Observed::Unstable { first: Box::new(first), second: Box::new(second) }
                }
                (Err(None), _) | (_, Err(None)) => Observed::Late,
                (Err(Some(reason)), _) | (_, Err(Some(reason))) => Observed::Failed { reason },
            },
        })
        .collect())
}

fn perform(
    environment: &Environment,
    workspace: &Workspace,
    main: &str,
    jobs: &[String],
    perturbed: bool,
) -> Result<Session, Error> {
    let mut class_path: Vec<PathBuf> = vec![workspace.classes()];
    class_path.extend(absolute(&environment.class_path));
    let jvm = Jvm {
        environment,
        workspace,
        name: if perturbed { "second" } else { "first" },
        perturbed,
        options: Vec::new(),
        class_path: join_path(&class_path),
        readable: Vec::new(),
    };
    let arguments = |_: &Path, report: &Path, open: &[String]| {
        let limit = environment.limits.test.as_millis().to_string();
        let mut args: Vec<OsString> = vec![main.into(), report.into(), limit.into()];
        args.extend(open.iter().map(OsString::from));
        Ok(args)
    };
    jvm.run(jobs, arguments, |line| {
        let number: String =
            line.strip_prefix("{\"case\":")?.chars().take_while(char::is_ascii_digit).collect();
        Some(number)
    })
}

#[derive(Deserialize)]
struct Line {
    outcome: LineOutcome,
    subjects: Vec<Option<LineValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LineOutcome {
    Returned(Option<LineValue>),
    Thrown { class: ClassName, exact: Text, message: Option<Text> },
    Broken(Text),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LineValue {
    Value(Value),
    Opaque(Text),
}

impl From<LineValue> for Seen {
    fn from(value: LineValue) -> Seen {
        match value {
            LineValue::Value(value) => Seen::Value(value),
            LineValue::Opaque(class) => Seen::Opaque(class.to_string()),
        }
    }
}

/// What one JVM showed, or why it did not; no reason if there was no time for it.
fn answer(session: &Session, case: usize) -> Result<Observation, Option<String>> {
    match session.reports.get(&case.to_string()) {
        Some(Ending::Reported(line)) => {
            let line: Line =
                serde_json::from_str(line).map_err(|e| Some(format!("the probe's report: {e}")))?;
            let outcome = match line.outcome {
                LineOutcome::Returned(value) => ObservedOutcome::Returned(value.map(Seen::from)),
                LineOutcome::Thrown { class, exact, message } => {
                    ObservedOutcome::Threw { class, exact: exact.to_string(), message }
                }
                LineOutcome::Broken(why) => return Err(Some(format!("cannot be arranged: {why}"))),
            };
            let subjects = line.subjects.into_iter().map(|value| value.map(Seen::from)).collect();
            Ok(Observation { outcome, subjects })
        }
        Some(Ending::TimedOut) => Err(Some("ran out of time".into())),
        Some(Ending::Exited(how)) => Err(Some(how.clone())),
        None if session.late => Err(None),
        None => Err(Some(session.trouble.clone().unwrap_or_else(|| "the probe did not reach it".into()))),
    }
}

/// The case with what the JVM showed in the place of what it expected; asserts whose subject cannot be shown, or
/// no longer exists, are dropped. A message is asserted if the case asserted one, or if `keep_messages`.
pub fn adopt(case: &TestCase, seen: &Observation, keep_messages: bool) -> TestCase {
    let mut adopted = case.clone();
    adopted.outcome = match &seen.outcome {
        ObservedOutcome::Returned(_) => Outcome::Returns,
        ObservedOutcome::Threw { class, message, .. } => {
            let had_message = matches!(case.outcome, Outcome::Throws { message: Some(_), .. });
            let message = message.clone().filter(|_| had_message || keep_messages);
            Outcome::Throws { class: class.clone(), message }
        }
    };
    let mut asserts = Vec::new();
    let mut about_result = false;
    for (assert, subject) in case.asserts.iter().zip(&seen.subjects) {
        about_result |= assert.subject == Subject::Value(Value::Result);
        let mut assert = assert.clone();
        let check = match (&assert.check, subject) {
            (_, None) => continue,
            (Check::Equals(_), Some(Seen::Value(value))) => Check::Equals(value.clone()),
            (Check::Within { ulps, .. }, Some(Seen::Value(value))) => {
                Check::Within { expected: value.clone(), ulps: *ulps }
            }
            (Check::Null | Check::NotNull, Some(Seen::Value(Value::Null))) => Check::Null,
            (Check::Null | Check::NotNull, Some(_)) => Check::NotNull,
            (Check::Equals(_) | Check::Within { .. }, Some(Seen::Opaque(_))) => Check::NotNull,
            // Identity, class and elements were not observed: what cannot be vouched for is not asserted.
            (Check::Same(_) | Check::NotSame(_) | Check::InstanceOf(_) | Check::Iterates(_), Some(_)) => {
                continue;
            }
        };
        assert.check = check;
        asserts.push(assert);
    }
    if let (false, ObservedOutcome::Returned(Some(Seen::Value(value)))) = (about_result, &seen.outcome)
        && case.outcome != Outcome::Returns
    {
        asserts.insert(0, suite::case::Assert::result(Check::Equals(value.clone())));
    }
    adopted.asserts = asserts;
    adopted
}

/// Cases by package, as [`observe`] wants them; indexes into `cases`.
pub fn by_package(cases: &[TestCase]) -> BTreeMap<String, Vec<usize>> {
    let mut packages: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        packages.entry(case.act.class.package.clone()).or_default().push(index);
    }
    packages
}
