//! What became of the obligations of a control-flow graph, as data and as text. `docs/cover.schema.json` describes it.

use crate::{Counts, Solver, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Changes when a reader of the old form could misunderstand the new one.
pub const COVER_SCHEMA: &str = "testwright-cover/1";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverReport {
    pub schema: String,
    /// Version of Testwright.
    pub version: String,
    pub graph: GraphInfo,
    /// None if paths were listed.
    pub criterion: Option<String>,
    /// What a path costs: blocks, statements or lines.
    pub cost: String,
    pub counts: Counts,
    /// There are more obligations than the limit allows to list.
    pub cut: bool,
    pub obligations: Vec<CoverObligation>,
    /// The suite, or the paths in order of their cost.
    pub tests: Vec<CoverTest>,
    pub decisions: Vec<CoverDecision>,
    /// Subpaths that no run takes, found on the way.
    pub infeasible_subpaths: Vec<Contradiction>,
    /// Of paths: every one was listed.
    pub exhausted: bool,
    /// Why the search ended early, if it did.
    pub stopped: Option<String>,
    pub work: Work,
    pub solver: Solver,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphInfo {
    pub name: String,
    pub file: String,
    pub nodes: usize,
    pub edges: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverObligation {
    /// `o1`, `o2`, …
    pub id: String,
    pub kind: String,
    pub text: String,
    /// The path that must be toured, where it is one: node names.
    pub nodes: Vec<String>,
    /// And edge names.
    pub edges: Vec<String>,
    pub verdict: Verdict,
    /// Tests that cover it: one, or two that together show a condition.
    pub by: Vec<String>,
    /// Why it is infeasible or open.
    pub why: Option<String>,
    /// Subpaths one of which every way to it contains.
    pub contradictions: Vec<Contradiction>,
    /// The test that tours an infeasible path with side trips.
    pub side_trips: Option<String>,
}

/// A subpath that no run takes, and the conditions in it that contradict each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    pub nodes: Vec<String>,
    pub edges: Vec<String>,
    pub conditions: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverTest {
    /// `t1`, `t2`, …
    pub id: String,
    /// Every input, whether it matters or not; an array as a list.
    pub inputs: BTreeMap<String, serde_json::Value>,
    pub nodes: Vec<String>,
    pub edges: Vec<String>,
    pub cost: u64,
    /// Obligations that it covers, alone or with another.
    pub covers: Vec<String>,
}

/// A decision with the evaluations that show its conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverDecision {
    pub node: String,
    pub text: String,
    pub conditions: Vec<String>,
    pub rows: Vec<CoverRow>,
    /// For each condition the rows, counted from 0, that show it; true in the first.
    pub pairs: Vec<Option<(usize, usize)>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverRow {
    pub values: Vec<Option<bool>>,
    pub outcome: bool,
    pub test: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Prefixes of paths that were looked at.
    pub prefixes: u64,
    /// Of which cut because they contain a subpath known to be infeasible.
    pub cut_by_subpaths: u64,
    /// Work units, about a microsecond each.
    pub units: u64,
}

impl CoverReport {
    pub fn to_json(&self) -> String {
        // Plain data with text keys: serialising it cannot fail.
        serde_json::to_string_pretty(self).map_or_else(|e| format!("{{\"error\": \"{e}\"}}\n"), |s| s + "\n")
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for o in &self.obligations {
            let verdict = match o.verdict {
                Verdict::Covered => format!("covered by {}", o.by.join(" and ")),
                Verdict::Infeasible => format!("infeasible: {}", o.why.as_deref().unwrap_or("")),
                Verdict::Open => format!("open: {}", o.why.as_deref().unwrap_or("")),
            };
            let _ = writeln!(out, "{} {} {}: {verdict}", o.id, o.kind, o.text);
            if let Some(test) = &o.side_trips {
                let _ = writeln!(out, "   toured with side trips by {test}");
            }
        }
        for d in &self.decisions {
            let _ = writeln!(out, "{}: {}", d.node, d.text);
            out.push_str(&d.to_text());
        }
        for t in &self.tests {
            let _ = writeln!(out, "{}: {}: {} (cost {})", t.id, t.inputs_text(), t.nodes.join(" "), t.cost);
        }
        if let Some(criterion) = &self.criterion {
            let Counts { covered, infeasible, open } = self.counts;
            let _ = writeln!(
                out,
                "{}: {criterion}: {} obligations: {covered} covered, {infeasible} infeasible, {open} open; {} tests",
                self.graph.name,
                self.obligations.len(),
                self.tests.len()
            );
        } else {
            let more = if self.exhausted { "there are no others" } else { "there may be others" };
            let _ = writeln!(out, "{}: {} paths; {more}", self.graph.name, self.tests.len());
        }
        if self.cut {
            out.push_str("there are more obligations than were listed: --criterion-limit lists more\n");
        }
        if let Some(why) = &self.stopped {
            let _ = writeln!(out, "stopped: {why}");
        }
        out
    }
}

impl CoverTest {
    /// `a = 3, b = 0`.
    pub fn inputs_text(&self) -> String {
        let text = |v: &serde_json::Value| match v {
            serde_json::Value::String(s) => s.clone(),
            other => other.to_string(),
        };
        let all: Vec<String> = self.inputs.iter().map(|(name, v)| format!("{name} = {}", text(v))).collect();
        if all.is_empty() { "no inputs".to_string() } else { all.join(", ") }
    }
}

impl CoverDecision {
    /// The rows, one a line, with the conditions each of them shows.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let header: Vec<&str> = self.conditions.iter().map(String::as_str).collect();
        let _ = writeln!(out, "   row  {}  outcome  shows", header.join("  "));
        for (i, row) in self.rows.iter().enumerate() {
            let _ = write!(out, "   {:<3}", i + 1);
            for (value, title) in row.values.iter().zip(&header) {
                let text = match value {
                    Some(true) => "T",
                    Some(false) => "F",
                    None => "-",
                };
                let _ = write!(out, "  {text:<width$}", width = title.chars().count());
            }
            let outcome = if row.outcome { "T" } else { "F" };
            let _ = writeln!(out, "  {outcome:<7}  {} ({})", self.shows(i), row.test);
        }
        out
    }

    /// Which conditions a row shows, and with which other row.
    pub fn shows(&self, row: usize) -> String {
        let one = |(c, pair): (usize, &Option<(usize, usize)>)| {
            let (t, f) = (*pair)?;
            let other = if t == row { f } else { t };
            (t == row || f == row).then(|| format!("{} with row {}", self.conditions[c], other + 1))
        };
        self.pairs.iter().enumerate().filter_map(one).collect::<Vec<_>>().join("; ")
    }
}
