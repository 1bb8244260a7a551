//! The chain against plain Z3 on recorded questions, as ratios of one run, with layers left out in turn:
//! `cargo run --release -p testwright-solver --example questions -- DIR [questions an exploration] [slow]`; with `slow` the
//! chain alone, by who answered, and which questions it took longest for.
//!
//! `DIR` holds what `testwright show smt` printed, a file a class; `scripts/questions` records it. Each file is asked
//! in its order by a new chain, with the hints that were recorded, learning from question to question as an
//! exploration does.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use solver::z3::Context;
use solver::{Answer, Chain, Config, LayerKind, Limits, Query};
use term::Pool;
use term::read::{Script, script};

/// About a tenth of a second of Z3: the corpus has questions that nobody answers.
const LIMITS: Limits = Limits { quick: 8_000, rlimit: 300_000, circuits: u64::MAX };

struct Subject {
    name: String,
    pool: Pool,
    questions: Vec<Script>,
}

#[derive(Default)]
struct Total {
    time: Duration,
    questions: usize,
    sat: usize,
    unsat: usize,
    unknown: usize,
    /// Asked of Z3.
    z3: u64,
}

impl Total {
    fn count(&mut self, answer: &Answer) {
        self.questions += 1;
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat(_) => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(dir) = args.next() else {
        eprintln!("questions: name a directory of recorded questions");
        return ExitCode::from(2);
    };
    let most = args.next().and_then(|n| n.parse().ok()).unwrap_or(60);
    let mut subjects = match read(&dir, most) {
        Ok(subjects) => subjects,
        Err(why) => {
            eprintln!("questions: {why}");
            return ExitCode::FAILURE;
        }
    };
    let count: usize = subjects.iter().map(|s| s.questions.len()).sum();
    println!("{count} questions of {} explorations", subjects.len());
    if args.next().is_some_and(|arg| arg == "slow") {
        slow(&mut subjects);
        return ExitCode::SUCCESS;
    }
    println!("{:44} {:>10} {:>7} {:>9} {:>18}", "", "time", "ratio", "to Z3", "sat/unsat/unknown");
    let plain = ask_z3(&mut subjects, false);
    show("plain Z3, a new solver a question", &plain, &plain);
    show("plain Z3, incremental", &ask_z3(&mut subjects, true), &plain);
    let klee = [LayerKind::Bounds, LayerKind::Ranges, LayerKind::Residues, LayerKind::Quick, LayerKind::Bits];
    let (independence, cache) = (LayerKind::Independence, LayerKind::Cache);
    let with = |more: &[LayerKind]| klee.iter().chain(more).copied().collect::<Vec<_>>();
    let runs: [(&str, Vec<LayerKind>); 11] = [
        ("the whole chain", vec![]),
        ("  without independence", vec![independence]),
        ("  without caches", vec![cache]),
        ("  without either", vec![independence, cache]),
        ("  independence and caches alone", with(&[])),
        ("    without independence", with(&[independence])),
        ("    without caches", with(&[cache])),
        ("    without either", with(&[independence, cache])),
        ("  without ranges", vec![LayerKind::Ranges]),
        ("  without residues", vec![LayerKind::Residues]),
        ("  without circuits", vec![LayerKind::Bits]),
    ];
    for (name, without) in runs {
        let total = chain(&mut subjects, &without);
        show(name, &total, &plain);
    }
    ExitCode::SUCCESS
}

fn show(name: &str, total: &Total, plain: &Total) {
    let ratio = plain.time.as_secs_f64() / total.time.as_secs_f64().max(1e-9);
    let answers = format!("{}/{}/{}", total.sat, total.unsat, total.unknown);
    println!("{name:44} {:>10.1?} {ratio:>6.1}x {:>9} {answers:>18}", total.time, total.z3);
}

fn read(dir: &str, most: usize) -> Result<Vec<Subject>, String> {
    let entries = std::fs::read_dir(dir).map_err(|why| format!("{dir}: {why}"))?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "smt2"));
    files.sort();
    let mut subjects = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|why| format!("{}: {why}", file.display()))?;
        for part in text.split("; question ").skip(1) {
            let (head, body) = part.split_once('\n').unwrap_or((part, ""));
            // Each exploration counts from 0 and has variables of its own.
            if head.starts_with("0:") || subjects.is_empty() {
                let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                subjects.push(Subject { name, pool: Pool::new(), questions: Vec::new() });
            }
            let Some(Subject { pool, questions, .. }) = subjects.last_mut() else { continue };
            if questions.len() < most {
                questions.push(script(pool, body).map_err(|why| format!("{}: {why}", file.display()))?);
            }
        }
    }
    Ok(subjects)
}

/// The whole question each time; one context for an exploration, or a new one for each question, as KLEE asked STP.
fn ask_z3(subjects: &mut [Subject], incremental: bool) -> Total {
    let mut total = Total::default();
    for subject in subjects {
        let start = Instant::now();
        let mut context = Context::new();
        for question in &subject.questions {
            if !incremental {
                context = Context::new();
            }
            let Some(context) = &mut context else { continue };
            let answer = context.ask(&subject.pool, &question.assertions, LIMITS.rlimit);
            total.count(&answer);
            total.z3 += 1;
        }
        total.time += start.elapsed();
    }
    total
}

fn chain(subjects: &mut [Subject], without: &[LayerKind]) -> Total {
    let mut total = Total::default();
    for subject in subjects {
        let start = Instant::now();
        let mut chain = Chain::new(Config { without: without.to_vec(), ..Config::default() });
        for question in &subject.questions {
            let query =
                Query { assertions: &question.assertions, hint: question.hint.as_ref(), limits: LIMITS };
            let answer = chain.ask(&mut subject.pool, &query);
            let news = chain.new_batch();
            chain.absorb(&news);
            total.count(&answer);
        }
        total.time += start.elapsed();
        total.z3 += chain.stats().asked_z3;
    }
    total
}

/// Where the chain's time goes.
fn slow(subjects: &mut [Subject]) {
    let mut questions = Vec::new();
    for (nth, subject) in subjects.iter_mut().enumerate() {
        let mut chain = Chain::default();
        for (number, question) in subject.questions.iter().enumerate() {
            let query =
                Query { assertions: &question.assertions, hint: question.hint.as_ref(), limits: LIMITS };
            let before = chain.stats().clone();
            let start = Instant::now();
            let answer = chain.ask(&mut subject.pool, &query);
            let took = start.elapsed();
            let news = chain.new_batch();
            chain.absorb(&news);
            let after = chain.stats();
            // The last layer that was needed, of all parts of the question.
            let by = if after.asked_z3 > before.asked_z3 { Some(LayerKind::Z3) } else { None };
            let by = by
                .or_else(|| LayerKind::ALL.into_iter().rev().find(|kind| after.by(*kind) > before.by(*kind)));
            let by = by.map_or_else(|| "nobody".to_string(), |kind| format!("{kind:?}"));
            let said = match answer {
                Answer::Sat(_) => "sat".to_string(),
                Answer::Unsat(_) => "unsat".to_string(),
                Answer::Unknown(cause) => format!("unknown: {cause}"),
            };
            questions.push((
                took,
                by,
                said,
                format!("{} {nth}:{number}", subject.name),
                question.assertions.len(),
            ));
        }
    }
    let total: Duration = questions.iter().map(|q| q.0).sum();
    let mut kinds: std::collections::BTreeMap<&str, (usize, Duration)> = Default::default();
    for (took, by, ..) in &questions {
        let kind = kinds.entry(by).or_default();
        *kind = (kind.0 + 1, kind.1 + *took);
    }
    for (by, (count, took)) in kinds {
        println!(
            "{by:14} {count:>7} questions {took:>10.1?} {:>5.1} %",
            100.0 * took.as_secs_f64() / total.as_secs_f64()
        );
    }
    questions.sort_by_key(|question| std::cmp::Reverse(question.0));
    for (took, by, said, name, assertions) in questions.iter().take(60) {
        println!("{took:>10.1?} {by:12} {name:50} {assertions:>4} assertions, {said}");
    }
    println!("{total:.1?}");
}
