//! `testwright explore` and `testwright cover`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use engine::java::explore::{ClassResult, Fate};
use engine::{Config, Worlds, prepare};
use serde_json::json;

use crate::args::{CoverArgs, ExploreArgs, config, places};
use crate::progress::Progress;
use crate::{End, Failure};

pub fn run(args: &ExploreArgs, interrupt: &Arc<AtomicBool>) -> Result<End, Failure> {
    let mut config = config(&args.target, &args.search)?;
    // Without tests to choose, every path is worth printing.
    config.suite = engine::Suite::Paths;
    each_class(&config, interrupt, |result| match args.json {
        true => paths_json(result),
        false => paths_text(result),
    })
}

pub fn cover(args: &CoverArgs, interrupt: &Arc<AtomicBool>) -> Result<End, Failure> {
    let config = config(&args.target, &args.search)?;
    each_class(&config, interrupt, |result| match args.json {
        true => cover_json(result),
        false => cover_text(result),
    })
}

fn each_class(
    config: &Config,
    interrupt: &Arc<AtomicBool>,
    mut show: impl FnMut(&ClassResult),
) -> Result<End, Failure> {
    let mut progress = Progress::new();
    let setup = prepare(config, &places())?;
    let mut events = |event| progress.event(&event);
    let mut results = Vec::new();
    for target in &setup.targets {
        let mut worlds = Worlds::boot(config, &setup.path, interrupt, &mut events)?;
        results.push(worlds.explore(config, target, Instant::now(), &mut events)?);
    }
    progress.finish();
    results.iter().for_each(&mut show);
    Ok(End::Done)
}

fn paths_text(result: &ClassResult) {
    for test in &result.tests {
        let method = &result.methods[test.method];
        println!("{}#{}{}", result.class.replace('/', "."), method.name, method.descriptor);
        for line in &test.case.comment {
            println!("  {line}");
        }
        for (name, value) in &test.inputs {
            println!("    {name} = {value:#x}");
        }
    }
}

fn paths_json(result: &ClassResult) {
    for test in &result.tests {
        let method = &result.methods[test.method];
        let inputs: serde_json::Map<_, _> =
            test.inputs.iter().map(|(name, value)| (name.clone(), json!(format!("{value:#x}")))).collect();
        let line = json!({
            "class": result.class.replace('/', "."),
            "method": method.name,
            "descriptor": method.descriptor,
            "condition": test.case.comment.join(" "),
            "inputs": inputs,
            "outcome": engine::reporting::outcome_text(&test.case.outcome),
            "suspicious": test.suspicious,
        });
        println!("{line}");
    }
}

fn cover_text(result: &ClassResult) {
    for ((function, _), (obligation, fate)) in &result.obligations {
        let verdict = match fate {
            Fate::Covered => {
                let by = witness(result, function, obligation.id.0);
                format!("covered by {by}")
            }
            Fate::Infeasible(why) => format!("infeasible: {why}"),
            Fate::Open(why) => format!("open: {why}"),
        };
        let tours = side_trips(result, function, obligation.id.0);
        let tours = tours.map_or_else(String::new, |name| format!("; {name} takes it with side trips"));
        println!("{function}, {}: {verdict}{tours}", obligation.text);
    }
    let counts = result.counts();
    println!("{} covered, {} infeasible, {} open", counts.covered, counts.infeasible, counts.open);
    for function in &result.cut {
        println!("{function} owes more obligations than are listed; --criterion-limit lists more");
    }
}

/// The test that covers an obligation; two of them where one alone does not.
fn witness(result: &ClassResult, function: &str, id: u32) -> String {
    let wanted = |(f, o): &(String, u32)| f == function && *o == id;
    let mut names: Vec<&str> = Vec::new();
    for half in 0..2 {
        let shows =
            |t: &&engine::java::explore::Proposed| t.halves.iter().any(|(k, h)| wanted(k) && *h == half);
        let by = result.tests.iter().find(shows).map(|t| t.case.name.as_str());
        names.extend(by.filter(|name| !names.contains(name)));
    }
    if names.is_empty() {
        let meets = |t: &&engine::java::explore::Proposed| t.meets.iter().any(wanted);
        names.extend(result.tests.iter().find(meets).map(|t| t.case.name.as_str()));
    }
    match names.is_empty() {
        true => "a run that is no test".to_string(),
        false => names.join(" and "),
    }
}

/// The test that takes a path with side trips which none takes straight.
fn side_trips<'a>(result: &'a ClassResult, function: &str, id: u32) -> Option<&'a str> {
    let tours =
        |t: &&engine::java::explore::Proposed| t.side_trips.iter().any(|(f, o)| f == function && *o == id);
    result.tests.iter().find(tours).map(|t| t.case.name.as_str())
}

fn cover_json(result: &ClassResult) {
    for ((function, id), (obligation, fate)) in &result.obligations {
        let (verdict, why) = match fate {
            Fate::Covered => ("covered", witness(result, function, *id)),
            Fate::Infeasible(why) => ("infeasible", why.clone()),
            Fate::Open(why) => ("open", why.clone()),
        };
        let line = json!({
            "function": function,
            "line": obligation.line,
            "obligation": obligation.text,
            "verdict": verdict,
            "why": why,
            "side_trips": side_trips(result, function, *id),
        });
        println!("{line}");
    }
}
