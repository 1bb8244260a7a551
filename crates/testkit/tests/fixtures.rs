//! The fixtures are what they claim: they compile, and the real JVM shows every behaviour that is demanded and none
//! that is excluded. Branch edges are counted and reached on the JVM too, so only `infeasible` rests on reasoning.
//!
//! `BLESS=1` adds missing `branches` lines; an example must be added by hand where chance does not reach an edge.

use std::collections::BTreeMap;
use std::path::PathBuf;
use testkit::expect::{Method, Observed, Problem, check};
use testkit::fixtures::{Case, Compiled, DEFAULT_RELEASE};
use testkit::methods::Member;
use testkit::oracle::MethodEdges;
use testkit::survey::Survey;
use testkit::{Answer, Call, Fixtures, Oracle};

const RANDOM_CALLS: usize = 1000;
/// A fresh world costs a class loading each.
const RANDOM_CALLS_STATEFUL: usize = 400;

#[test]
fn compile_without_debug_information() {
    let compiled = Fixtures::discover().unwrap().compile(true).unwrap();
    assert!(compiled.contains_key(&DEFAULT_RELEASE));
}

#[test]
fn class_names_are_unique_in_their_topic() {
    let fixtures = Fixtures::discover().unwrap();
    let mut seen = BTreeMap::new();
    for case in &fixtures.cases {
        for class in case.classes() {
            if let Some(other) = seen.insert(class.clone(), &case.name) {
                panic!("{class} is in {other} and {}", case.name);
            }
        }
    }
    assert!(fixtures.cases.len() >= 100, "{} cases", fixtures.cases.len());
}

#[test]
fn the_jvm_shows_what_is_expected() {
    let fixtures = Fixtures::discover().unwrap();
    let mut problems = Vec::new();
    for (release, compiled) in fixtures.compile(false).unwrap() {
        let cases: Vec<&Case> = fixtures.of_release(release).collect();
        problems.extend(verify(&cases, &compiled));
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

fn verify(cases: &[&Case], compiled: &Compiled) -> Vec<String> {
    let class_path: Vec<PathBuf> = vec![compiled.classes.clone()];
    let has_edges = (17..24).contains(&compiled.jdk.version);
    let mut oracle = Oracle::with(&compiled.jdk, &class_path, 10_000, has_edges).unwrap();
    let mut problems = Vec::new();
    let mut calls = Vec::new();
    let mut subjects = Vec::new();
    for case in cases {
        let mut problem = |text: String| problems.push(format!("{}/{}: {text}", case.topic, case.name));
        let survey = match Survey::of(case, &mut oracle) {
            Ok(survey) => survey,
            Err(e) => {
                problem(e.to_string());
                continue;
            }
        };
        if !case.expect.stateful && !survey.mutable_statics.is_empty() {
            problem(format!("not stateful, but has {:?}", survey.mutable_statics));
        }
        for member in unexpected(&survey, case) {
            problem(format!("no expectation of {}", member.key()));
        }
        let number = if case.expect.stateful { RANDOM_CALLS_STATEFUL } else { RANDOM_CALLS };
        for (index, method) in case.expect.method.iter().enumerate() {
            let found = survey.find(case, method);
            match found.and_then(|member| Ok((member, survey.examples(method, member)?))) {
                Ok((member, examples)) => {
                    let first = calls.len();
                    calls.extend(examples);
                    calls.extend(survey.random(member, 17, number));
                    subjects.push((*case, index, member.clone(), first..calls.len()));
                }
                Err(e) => problem(format!("{}: {e}", method.name)),
            }
        }
    }
    let answers = oracle.call_all(&calls).unwrap();
    let edges = if has_edges { Some(oracle.edges().unwrap()) } else { None };
    for (case, index, member, range) in subjects {
        let method = &case.expect.method[index];
        // Edges of an inherited method are those of another class.
        let edges = edges.as_ref().filter(|_| member.declared);
        let runs: Vec<(Call, Answer)> =
            calls[range.clone()].iter().cloned().zip(answers[range].iter().cloned()).collect();
        for text in judge(method, &member, runs, edges) {
            problems.push(format!("{}/{} {}{}: {text}", case.topic, case.name, member.name, member.desc));
        }
        if let Some(edges) = edges
            && method.branches.is_none()
        {
            let total = edges.get(&member.key()).map_or(0, |found| found.total);
            if std::env::var_os("BLESS").is_some() {
                bless(case, index, total);
            } else {
                problems.push(format!("{}/{} {}: branches = {total}?", case.topic, case.name, member.name));
            }
        }
    }
    problems
}

fn judge(
    method: &Method,
    member: &Member,
    runs: Vec<(Call, Answer)>,
    edges: Option<&BTreeMap<String, MethodEdges>>,
) -> Vec<String> {
    let mut texts = Vec::new();
    for (example, (call, answer)) in method.examples.iter().zip(&runs) {
        if !example.pattern.matches(call, answer) {
            texts.push(format!("example {:?} is wrong: {answer}", example.text));
        }
    }
    let found = edges.and_then(|edges| edges.get(&member.key()));
    let observed = Observed {
        runs,
        edges: edges.map(|_| found.map_or(0, |found| found.total)),
        covered: found.map(|found| found.hit.clone()).unwrap_or_default(),
        ..Observed::default()
    };
    for problem in check(method, &observed) {
        let uncovered = matches!(problem, Problem::Uncovered { .. });
        let missed: Vec<u32> =
            (0..observed.edges.unwrap_or(0)).filter(|edge| !observed.covered.contains(edge)).collect();
        texts.push(if uncovered { format!("{problem}, not {missed:?}") } else { problem.to_string() });
    }
    texts
}

/// Public methods that could be called and that `expect.toml` does not mention. Constructors, and methods that every
/// enum, record or value has, may be left out.
fn unexpected(survey: &Survey, case: &Case) -> Vec<Member> {
    let mentioned: Vec<&Member> =
        case.expect.method.iter().filter_map(|method| survey.find(case, method).ok()).collect();
    let boring = ["values", "valueOf", "toString", "hashCode", "equals", "<init>"];
    survey
        .callable()
        .filter(|member| case.classes().contains(&member.class))
        .filter(|member| !boring.contains(&member.name.as_str()) && !mentioned.contains(member))
        .cloned()
        .collect()
}

/// Inserts `branches` after the name (and desc) of the method with this index.
fn bless(case: &Case, index: usize, total: u32) {
    let file = case.dir.join("expect.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].trim() == "[[method]]").collect();
    let mut at = starts[index] + 1;
    while lines.get(at).is_some_and(|line| ["class", "name", "desc"].iter().any(|key| line.starts_with(key)))
    {
        at += 1;
    }
    lines.insert(at, format!("branches = {total}"));
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
}
