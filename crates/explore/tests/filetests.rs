//! Runs the golden tests of `filetests/` that say `test explore`.
//!
//! `; explore: @f OPTIONS => RESULT`: explores a function of the file with its parameters as inputs. Options are
//! `exhaustive`, `inputs` (show the minimised inputs of each run), `strategy=S`, `max-paths=N`, `loop-bound=N`,
//! `steps=N`, `depth=N`. The result says how many runs, which obligations were covered and proved
//! infeasible, whether the exploration was exhaustive, the ledger's kinds and the outcomes.

mod support;

use explore::{Options, Proof, Verdict};
use ir::filetest::{FileTest, discover};
use ir::text::parse_module;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use support::{Ask, Explored, explore};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests")
}

#[test]
fn golden_tests() {
    let mut count = 0;
    let mut failures = Vec::new();
    for path in discover(&folder()).expect("the folder is there") {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let Ok(test) = FileTest::read(&text) else { continue };
        if test.command("explore").is_none() {
            continue;
        }
        count += 1;
        if let Err(message) = check(&path, &test) {
            failures.push(message);
        }
    }
    assert!(count >= 5, "only {count} golden tests found");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(path: &Path, test: &FileTest) -> Result<(), String> {
    let parsed = parse_module(&test.module).map_err(|e| format!("{}:{e}", path.display()))?;
    let mut found = Vec::new();
    for expected in test.expected("explore") {
        let (question, _) = expected.text.split_once("=>").unwrap_or((&expected.text, ""));
        let mut words = question.split_whitespace();
        let name = words.next().and_then(|w| w.strip_prefix('@')).ok_or("no function named")?;
        let mut ask = Ask::default();
        let mut show_inputs = false;
        // Whatever else is said changes what `exhaustive` stands for.
        if question.split_whitespace().any(|word| word == "exhaustive") {
            ask.options = Options { audit: true, ..Options::exhaustive() };
        }
        for word in words {
            match word.split_once('=').unwrap_or((word, "")) {
                ("exhaustive", _) => {}
                ("inputs", _) => show_inputs = true,
                ("strategy", name) => ask.strategy = name.to_string(),
                ("max-paths", n) => ask.options.max_paths = number(n)?,
                ("loop-bound", n) => ask.options.loop_bound = number(n)? as u32,
                ("steps", n) => ask.limits.get_or_insert_default().steps = number(n)?,
                ("depth", n) => ask.limits.get_or_insert_default().depth = number(n)? as u32,
                (other, _) => return Err(format!("{}: unknown option `{other}`", path.display())),
            }
        }
        let result = describe(&explore(&parsed.module, name, &ask), show_inputs);
        found.push((expected.code_line, format!("{} => {result}", question.trim())));
    }
    test.check(path, "explore", &found)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

fn describe(explored: &Explored, show_inputs: bool) -> String {
    let found = &explored.found;
    let mut out = format!("{} paths", found.finished.len());
    let count = |wanted: fn(&Verdict) -> bool| found.verdicts.iter().filter(|v| wanted(v)).count();
    let covered = count(|v| matches!(v, Verdict::Covered(_)));
    write!(out, ", {covered}/{} covered", found.verdicts.len()).unwrap();
    let infeasible = count(|v| matches!(v, Verdict::Infeasible(Proof::Exhaustive)));
    let bounded = count(|v| matches!(v, Verdict::Infeasible(Proof::WithinBounds)));
    let open = count(|v| matches!(v, Verdict::Open(_)));
    for (n, what) in [(infeasible, "infeasible"), (bounded, "infeasible within bounds"), (open, "open")] {
        if n > 0 {
            write!(out, ", {n} {what}").unwrap();
        }
    }
    if found.exhaustive {
        out.push_str(", exhaustive");
    }
    let ledger = explored.ledger();
    if !ledger.is_empty() {
        write!(out, ", ledger {}", ledger.join(" ")).unwrap();
    }
    if show_inputs {
        let mut runs: Vec<String> = (0..found.finished.len())
            .map(|i| format!("({}) {}", explored.inputs(i), found.finished[i].observation))
            .collect();
        runs.sort();
        write!(out, ": {}", runs.join(" | ")).unwrap();
    } else {
        let outcomes = explored.outcomes();
        match outcomes.len() {
            0..=8 => write!(out, ": {}", outcomes.join(" | ")).unwrap(),
            n => write!(out, ": {n} outcomes").unwrap(),
        }
    }
    out
}
