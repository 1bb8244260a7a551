//! What was generated, as a report.

use std::collections::{BTreeMap, BTreeSet};

use coverage::Criterion;
use coverage::decision::Row;
use coverage::mcdc::Variant;
use report::cover::{CoverDecision, CoverRow};
use report::{
    Bug, Counts, Dropped, LedgerEntry, Method, Obligation, Report, SCHEMA, SeenFlow, Solver, Stages, Target,
    Test, Times, Verdict,
};
use solver::LayerKind;
use suite::case::Outcome;

use crate::config::Config;
use crate::generate::Generated;
use crate::java::outcome::{ClassResult, Fate, Key};

/// A report without targets yet.
pub fn new_report(config: &Config, jdk: &str) -> Report {
    Report {
        schema: SCHEMA.to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        jdk: jdk.to_string(),
        criterion: config.criterion.name().to_string(),
        seed: config.seed,
        class_path: config.class_path.iter().map(|p| p.display().to_string()).collect(),
        targets: Vec::new(),
    }
}

/// What is said of one class.
pub fn target(generated: &Generated, criterion: Criterion, confirmed: bool) -> Target {
    let result = &generated.result;
    let by: BTreeMap<&Key, &str> = generated
        .tests()
        .flat_map(|(proposed, case)| proposed.meets.iter().map(move |key| (key, case.name.as_str())))
        .rev_map();
    let obligations: Vec<Obligation> = result
        .obligations
        .iter()
        .map(|(key, (obligation, fate))| {
            let by = by.get(key).map(|name| both_halves(generated, key, name));
            let lost = result.methods.iter().find_map(|m| m.lost.get(key)).map(String::as_str);
            let mut report = obligation_report(obligation, fate, by.flatten().as_deref(), lost);
            let mut tests = generated.tests();
            let tours = tests.find(|(p, _)| p.side_trips.contains(key)).map(|(_, case)| &case.name);
            if let (Some(test), Some(why)) = (tours, &mut report.why) {
                *why += &format!("; {test} takes it with side trips");
            }
            report
        })
        .collect();
    let mut counts = Counts::default();
    for obligation in &obligations {
        match obligation.verdict {
            Verdict::Covered => counts.covered += 1,
            Verdict::Infeasible => counts.infeasible += 1,
            Verdict::Open => counts.open += 1,
        }
    }
    Target {
        class: result.class.replace('/', "."),
        methods: methods(result),
        tests: tests(generated, confirmed),
        dropped: generated
            .dropped
            .iter()
            .map(|(i, why)| Dropped { name: result.tests[*i].case.name.clone(), why: why.clone() })
            .collect(),
        obligations,
        counts,
        bugs: bugs(generated),
        ledger: ledger(result),
        solver: solver_stats(&result.solver),
        times: Times { total_millis: generated.millis, confirming_millis: generated.millis_confirming },
        file: generated.file.as_ref().map(|p| p.display().to_string()),
        disagreements: generated.disagreements.clone(),
        cut: result.cut.iter().cloned().collect(),
        isolation: generated.isolation.map(|i| format!("{i:?}").to_lowercase()),
        source: source(result),
        lines: lines(generated),
        decisions: decisions(generated, criterion),
        seen: seen(generated),
    }
}

/// The path of the source file: it lies where the package does.
fn source(result: &ClassResult) -> Option<String> {
    let file = result.source.as_deref()?;
    Some(match result.class.rsplit_once('/') {
        Some((package, _)) => format!("{package}/{file}"),
        None => file.to_string(),
    })
}

/// Lines of the class that have code, and whether a kept test executes them.
fn lines(generated: &Generated) -> BTreeMap<u32, bool> {
    // Nested classes stand in the same file.
    let own = &generated.result.class;
    let mut executed: BTreeSet<u32> = BTreeSet::new();
    for (proposed, _) in generated.tests() {
        let of_class = proposed.seen.iter().filter(|(function, _)| function.starts_with(own));
        executed.extend(of_class.flat_map(|(_, seen)| &seen.lines));
    }
    generated.result.lines.iter().map(|line| (*line, executed.contains(line))).collect()
}

/// Decisions of several conditions: each evaluation with the first test that makes it, and which two show a condition.
fn decisions(generated: &Generated, criterion: Criterion) -> Vec<CoverDecision> {
    let variant = match criterion {
        Criterion::McdcUnique | Criterion::Racc => Variant::UniqueCause,
        _ => Variant::Masking,
    };
    let mut tables = Vec::new();
    for (function, decisions) in &generated.result.decisions {
        let several = decisions.iter().enumerate().filter(|(_, d)| d.conditions.len() > 1);
        for (place, decision) in several {
            let mut rows: Vec<(Row, &str)> = Vec::new();
            for (proposed, case) in generated.tests() {
                let seen = proposed.seen.get(function).into_iter().flat_map(|seen| &seen.rows);
                for (_, row) in seen.filter(|(of, _)| *of == place) {
                    if !rows.iter().any(|(known, _)| known == row) {
                        rows.push((row.clone(), &case.name));
                    }
                }
            }
            // True before false, as people write truth tables.
            rows.sort_by(|a, b| b.0.values.cmp(&a.0.values));
            let plain: Vec<Row> = rows.iter().map(|(row, _)| row.clone()).collect();
            let pairs = (0..decision.conditions.len())
                .map(|c| coverage::mcdc::pairs(decision, &plain, c, variant).first().copied());
            tables.push(CoverDecision {
                node: format!("{}, line {}", jvm::title(function), decision.line),
                text: decision.text.clone(),
                conditions: decision.conditions.iter().map(|c| c.texts[1].clone()).collect(),
                pairs: pairs.collect(),
                rows: rows
                    .into_iter()
                    .map(|(row, test)| CoverRow {
                        values: row.values,
                        outcome: row.outcome,
                        test: test.to_string(),
                    })
                    .collect(),
            });
        }
    }
    tables
}

fn seen(generated: &Generated) -> BTreeMap<String, SeenFlow> {
    let mut all: BTreeMap<String, SeenFlow> = BTreeMap::new();
    for (proposed, _) in generated.tests() {
        for (function, seen) in &proposed.seen {
            let flow = all.entry(function.clone()).or_default();
            flow.blocks.extend(seen.blocks.iter().map(|b| b.0));
            flow.edges.extend(seen.edges.iter().map(|(from, choice, to)| (from.0, *choice, to.0)));
        }
    }
    all
}

/// The tests that cover an obligation: the one given, or those that show its two halves; none if one of them was not
/// confirmed.
fn both_halves(generated: &Generated, key: &Key, first: &str) -> Option<String> {
    let halves = |half: usize| {
        let mut tests = generated.tests();
        tests.find(|(p, _)| p.halves.iter().any(|(k, h)| k == key && *h == half)).map(|(_, case)| &case.name)
    };
    let has_halves = generated.result.tests.iter().any(|t| t.halves.iter().any(|(k, _)| k == key));
    match has_halves {
        false => Some(first.to_string()),
        true => {
            let (a, b) = (halves(0)?, halves(1)?);
            Some(if a == b { a.clone() } else { format!("{a} and {b}") })
        }
    }
}

/// The first test of each key.
trait FirstByKey<'a> {
    fn rev_map(self) -> BTreeMap<&'a Key, &'a str>;
}

impl<'a, I: Iterator<Item = (&'a Key, &'a str)>> FirstByKey<'a> for I {
    fn rev_map(self) -> BTreeMap<&'a Key, &'a str> {
        let mut map = BTreeMap::new();
        for (key, name) in self {
            map.entry(key).or_insert(name);
        }
        map
    }
}

fn obligation_report(
    obligation: &coverage::Obligation,
    fate: &Fate,
    by: Option<&str>,
    lost: Option<&str>,
) -> Obligation {
    let (verdict, why) = match (fate, by) {
        (_, Some(_)) => (Verdict::Covered, None),
        // Reached in the VM, but no test that does is shipped.
        (Fate::Covered, None) => {
            let why = match lost {
                Some(why) => format!("reached, but no test can show it: {why}"),
                None => "reached, but its test was not confirmed".to_string(),
            };
            (Verdict::Open, Some(why))
        }
        (Fate::Infeasible(why), None) => (Verdict::Infeasible, Some(why.clone())),
        (Fate::Open(why), None) => (Verdict::Open, Some(why.clone())),
    };
    Obligation {
        function: obligation.function.clone(),
        method: jvm::title(&obligation.function),
        line: obligation.line,
        kind: obligation.kind.name().to_string(),
        text: obligation.text.clone(),
        verdict,
        by: by.map(str::to_string),
        why,
    }
}

/// Figures of each method.
pub fn methods(result: &ClassResult) -> Vec<Method> {
    result
        .methods
        .iter()
        .map(|m| Method {
            name: m.name.clone(),
            descriptor: m.descriptor.clone(),
            paths: m.paths,
            outcomes: m.outcomes.clone(),
            exhaustive: m.exhaustive,
            diverged: m.diverged,
            steps: m.spent.steps,
            flips: m.spent.flips,
            infeasible_flips: m.spent.infeasible,
            fuzzed: m.spent.fuzzed,
            questions: m.spent.questions,
            work: m.spent.work(),
            stages: stages(&m.times),
            millis: m.millis,
            untestable: m.untestable.clone(),
        })
        .collect()
}

/// Microseconds from nanoseconds.
fn stages(times: &explore::Times) -> Stages {
    Stages {
        choosing: times.choosing / 1_000,
        moving: times.moving / 1_000,
        solving: times.solving / 1_000,
        running: times.running / 1_000,
        merging: times.merging / 1_000,
    }
}

fn tests(generated: &Generated, confirmed: bool) -> Vec<Test> {
    generated
        .tests()
        .map(|(proposed, case)| {
            let method = &generated.result.methods[proposed.method];
            Test {
                name: case.name.clone(),
                method: method.name.clone(),
                descriptor: method.descriptor.clone(),
                inputs: proposed.inputs.iter().map(|(n, v)| (n.clone(), format!("{v:#x}"))).collect(),
                outcome: outcome_text(&case.outcome),
                covers: case.covers.clone(),
                confirmed,
            }
        })
        .collect()
}

/// `returns`, or `throws` and the class.
pub fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returns => "returns".to_string(),
        Outcome::Throws { class, .. } => format!("throws {}", class.source_name()),
        Outcome::Endless { .. } => "does not end".to_string(),
    }
}

/// One entry a cause, the likeliest bug first, of those the one with the shortest path.
fn bugs(generated: &Generated) -> Vec<Bug> {
    let suspected =
        generated.tests().filter_map(|(proposed, case)| Some((proposed.suspicious.as_ref()?, case)));
    let mut suspected: Vec<_> = suspected.collect();
    suspected.sort_by_key(|(suspect, _)| (suspect.rank, suspect.length));
    let mut bugs: Vec<Bug> = Vec::new();
    for (suspect, case) in suspected {
        match bugs.iter_mut().find(|bug| bug.what == suspect.what) {
            Some(bug) => bug.also.push(case.name.clone()),
            None => bugs.push(Bug {
                what: suspect.what.clone(),
                rank: suspect.rank.text().to_string(),
                line: suspect.line,
                trail: suspect.trail.clone(),
                test: case.name.clone(),
                also: Vec::new(),
            }),
        }
    }
    bugs
}

fn ledger(result: &ClassResult) -> Vec<LedgerEntry> {
    let ledger = result.ledger();
    ledger
        .iter()
        .map(|(entry, count)| LedgerEntry {
            kind: entry.kind.code().to_string(),
            text: entry.kind.text().to_string(),
            place: entry.place.clone(),
            reason: entry.reason.clone(),
            count,
        })
        .collect()
}

pub fn solver_stats(stats: &solver::Stats) -> Solver {
    Solver {
        questions: stats.questions,
        sat: stats.sat,
        unsat: stats.unsat,
        unknown: stats.unknown,
        answered: LayerKind::ALL.iter().map(|l| (format!("{l:?}").to_lowercase(), stats.by(*l))).collect(),
    }
}
