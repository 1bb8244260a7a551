//! Reports: what was found, as data for other tools.
//!
//! In: plain figures and texts, put together by the engine. Out: JSON with versioned schemas
//! (`docs/report.schema.json`, `docs/cover.schema.json`), pages, pictures, SARIF and LCOV. Does not know how anything was
//! found, and touches no files.

pub mod cover;
pub mod html;
pub mod lcov;
pub mod picture;
pub mod sarif;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Changes when a reader of the old form could misunderstand the new one.
pub const SCHEMA: &str = "testwright-report/1";

/// Everything one call of `testwright` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub schema: String,
    /// Version of Testwright.
    pub version: String,
    /// Version of the JDK whose library was run.
    pub jdk: String,
    pub criterion: String,
    pub seed: u64,
    pub class_path: Vec<String>,
    pub targets: Vec<Target>,
}

/// One class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Binary name.
    pub class: String,
    pub methods: Vec<Method>,
    pub tests: Vec<Test>,
    /// Tests that were found but not shipped.
    pub dropped: Vec<Dropped>,
    pub obligations: Vec<Obligation>,
    pub counts: Counts,
    pub bugs: Vec<Bug>,
    pub ledger: Vec<LedgerEntry>,
    pub solver: Solver,
    pub times: Times,
    /// The test file, if one was written.
    pub file: Option<String>,
    /// Where the real runtime showed something else than our VM: bugs of ours, worth reporting.
    pub disagreements: Vec<String>,
    /// Functions that owe more obligations than the limit lets be listed.
    #[serde(default)]
    pub cut: Vec<String>,
    /// How the confirming run was isolated; none if there was none.
    pub isolation: Option<String>,
    /// The source file by its path in a source folder: `com/acme/Calc.java`.
    #[serde(default)]
    pub source: Option<String>,
    /// Lines that have code, and whether a test executes them.
    #[serde(default)]
    pub lines: BTreeMap<u32, bool>,
    /// Decisions of several conditions, with the evaluations that tests make of them.
    #[serde(default)]
    pub decisions: Vec<cover::CoverDecision>,
    /// What the tests execute of each function, for pictures.
    #[serde(skip)]
    pub seen: BTreeMap<String, SeenFlow>,
}

/// What the tests execute of a function: blocks, and edges by the choice of the branch they leave by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenFlow {
    pub blocks: BTreeSet<u32>,
    pub edges: BTreeSet<(u32, Option<u32>, u32)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    pub name: String,
    pub descriptor: String,
    pub paths: u64,
    /// How the paths ended, counted.
    pub outcomes: BTreeMap<String, u64>,
    /// Every path was explored and the ledger allows to say so.
    pub exhaustive: bool,
    /// Runs that left their predicted path.
    pub diverged: u64,
    pub steps: u64,
    /// Alternatives tried, and how many of them no inputs take.
    #[serde(default)]
    pub flips: u64,
    #[serde(default)]
    pub infeasible_flips: u64,
    /// Runs on mutated inputs.
    #[serde(default)]
    pub fuzzed: u64,
    /// Questions to the solver.
    #[serde(default)]
    pub questions: u64,
    /// Work units, as the budget counts them.
    #[serde(default)]
    pub work: u64,
    /// Where the time of its exploration went, all workers together.
    #[serde(default)]
    pub stages: Stages,
    pub millis: u64,
    /// Runs that could not become tests, and why.
    pub untestable: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test {
    pub name: String,
    pub method: String,
    pub descriptor: String,
    /// Values of the input variables, as numbers in hexadecimal; what is not named is zero.
    pub inputs: BTreeMap<String, String>,
    pub outcome: String,
    /// Obligations this test meets first, as [`Obligation::text`] spells them.
    pub covers: Vec<String>,
    /// Passed twice on the real runtime.
    pub confirmed: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    pub name: String,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obligation {
    pub function: String,
    /// The function as the source names it.
    #[serde(default)]
    pub method: String,
    /// What sort of thing it asks for: `branch`, `path`, `independence`, …
    #[serde(default)]
    pub kind: String,
    pub line: u32,
    pub text: String,
    pub verdict: Verdict,
    /// The test that covers it, or why it is infeasible or open.
    pub by: Option<String>,
    pub why: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Covered,
    Infeasible,
    Open,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub covered: u32,
    pub infeasible: u32,
    pub open: u32,
}

/// A suspected bug: an exception that nobody threw on purpose, or a call that does not end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bug {
    pub what: String,
    /// Where the exception was raised, 0 if unknown.
    #[serde(default)]
    pub line: u32,
    /// `likely`, `possible` (a library refused what the program gave it), `field set from outside` (one that its class assigns too) or
    /// `null argument`.
    pub rank: String,
    /// Where the program was, the innermost call first.
    pub trail: Vec<String>,
    /// The simplest test that shows it, and others.
    pub test: String,
    pub also: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    pub kind: String,
    pub text: String,
    pub place: String,
    pub reason: String,
    pub count: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solver {
    pub questions: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Answers by the layer that gave them.
    pub answered: BTreeMap<String, u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    pub total_millis: u64,
    pub confirming_millis: u64,
}

/// Microseconds by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stages {
    pub choosing: u64,
    pub moving: u64,
    pub solving: u64,
    pub running: u64,
    pub merging: u64,
}

/// A report that cannot be read.
#[derive(Debug)]
pub struct Unreadable(pub String);

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a Testwright report: {}", self.0)
    }
}

impl std::error::Error for Unreadable {}

impl Report {
    pub fn to_json(&self) -> String {
        // Plain data with text keys: serialising it cannot fail.
        serde_json::to_string_pretty(self).map_or_else(|e| format!("{{\"error\": \"{e}\"}}\n"), |s| s + "\n")
    }

    pub fn from_json(text: &str) -> Result<Report, Unreadable> {
        let report: Report = serde_json::from_str(text).map_err(|e| Unreadable(e.to_string()))?;
        match report.schema == SCHEMA {
            true => Ok(report),
            false => Err(Unreadable(format!("its schema is {}, this version reads {SCHEMA}", report.schema))),
        }
    }

    /// A test by name, with its class.
    pub fn test(&self, name: &str) -> Option<(&Target, &Test)> {
        self.targets.iter().find_map(|t| t.tests.iter().find(|test| test.name == name).map(|test| (t, test)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_back_and_other_schemas_are_refused() {
        let mut report = Report {
            schema: SCHEMA.to_string(),
            version: "0.1.0".to_string(),
            jdk: "17".to_string(),
            criterion: "branch".to_string(),
            seed: 0,
            class_path: vec!["classes".to_string()],
            targets: Vec::new(),
        };
        assert_eq!(Report::from_json(&report.to_json()).unwrap(), report);
        report.schema = "testwright-report/99".to_string();
        assert!(Report::from_json(&report.to_json()).unwrap_err().to_string().contains("99"));
        assert!(Report::from_json("{").is_err());
    }
}
