//! `testwright explore` and `testwright cover`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use engine::java::outcome::{ClassResult, Fate, Proposed};
use engine::{Config, Event, Total, Worlds, prepare, reporting};
use serde_json::{Value, json};

use crate::args::{CoverArgs, ExploreArgs, config, places};
use crate::progress::Progress;
use crate::{End, Failure, stats};

/// Paths of a method that are listed if nobody says how many.
pub const DEFAULT_PATHS: u64 = 100;

pub fn run(args: &ExploreArgs, interrupt: &Arc<AtomicBool>) -> Result<End, Failure> {
    let mut progress = Progress::new();
    let results = explored(&exploring(args)?, interrupt, &mut |event| progress.event(&event))?;
    progress.finish();
    match args.json {
        true => results.iter().flat_map(paths_json).for_each(|line| println!("{line}")),
        false => results.iter().for_each(paths_text),
    }
    for result in &results {
        print_stats(result, args.search.stats);
        if args.profile {
            stats::profile(&result.class.replace('/', "."), &reporting::methods(result));
        }
    }
    Ok(End::Done)
}

fn print_stats(result: &ClassResult, wanted: bool) {
    if wanted {
        let solver = reporting::solver_stats(&result.solver);
        stats::print(&result.class.replace('/', "."), &reporting::methods(result), &solver);
    }
}

pub fn cover(args: &CoverArgs, interrupt: &Arc<AtomicBool>) -> Result<End, Failure> {
    let mut progress = Progress::new();
    let mut events = |event| progress.event(&event);
    if args.paths {
        let found = cheapest(args, interrupt, &mut events)?;
        progress.finish();
        for path in &found {
            match args.json {
                true => println!("{path}"),
                false => println!("{}", path_text(path)),
            }
        }
        return Ok(End::Done);
    }
    crate::reports::check(&args.report)?;
    let config = config(&args.target, &args.search)?;
    let mut jdk = String::new();
    let results = explored(&config, interrupt, &mut |event| {
        if let Event::Booted { jdk: version, .. } = &event {
            jdk.clone_from(version);
        }
        events(event);
    })?;
    progress.finish();
    match args.json {
        true => results.iter().flat_map(cover_json).for_each(|line| println!("{line}")),
        false => results.iter().for_each(cover_text),
    }
    results.iter().for_each(|result| print_stats(result, args.search.stats));
    if !args.report.is_empty() {
        let mut report = reporting::new_report(&config, &jdk);
        let all = results.into_iter().map(engine::Generated::unconfirmed);
        report.targets = all.map(|one| reporting::target(&one, config.criterion, false)).collect();
        crate::reports::write(&args.report, &report, &mut |target| {
            engine::pictures::of_class(&config, &places(), target)
        })?;
    }
    Ok(End::Done)
}

/// What `explore` finds, an object a path.
pub fn found(
    args: &ExploreArgs,
    interrupt: &Arc<AtomicBool>,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<Value>, Failure> {
    let results = explored(&exploring(args)?, interrupt, events)?;
    Ok(results.iter().flat_map(paths_json).collect())
}

/// What `cover` finds, an object an obligation, a test or a path.
pub fn covered(
    args: &CoverArgs,
    interrupt: &Arc<AtomicBool>,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<Value>, Failure> {
    if args.paths {
        return cheapest(args, interrupt, events);
    }
    let results = explored(&config(&args.target, &args.search)?, interrupt, events)?;
    Ok(results.iter().flat_map(cover_json).collect())
}

fn exploring(args: &ExploreArgs) -> Result<Config, Failure> {
    let mut config = config(&args.target, &args.search)?;
    // Without tests to choose, every path is worth printing.
    config.suite = engine::Suite::Paths;
    Ok(config)
}

fn explored(
    config: &Config,
    interrupt: &Arc<AtomicBool>,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<ClassResult>, Failure> {
    let setup = prepare(config, &places())?;
    let mut results = Vec::new();
    let mut booted = Worlds::boot(config, &setup.path, interrupt, events)?;
    let mut total = Total::start();
    for (index, target) in setup.targets.iter().enumerate() {
        if index > 0 && interrupt.load(Ordering::Relaxed) {
            break;
        }
        let share = total.share(config, setup.targets.len() - index, 0);
        let class = target.class.replace(['/', '$'], ".");
        events(Event::ClassStarted { class, index, count: setup.targets.len() });
        match booted.fork().explore(&share, target, Instant::now(), events) {
            Ok(result) => {
                total.add(&result);
                results.push(result);
            }
            // One class of many that cannot be explored must not cost the others.
            Err(why) if setup.targets.len() > 1 => {
                let class = target.class.replace(['/', '$'], ".");
                events(Event::Skipped { class, why: why.to_string() });
            }
            Err(why) => return Err(why.into()),
        }
    }
    Ok(results)
}

/// Paths of each method, cheapest first; what a path costs is what is executed of the method itself, again in each
/// round of a loop.
fn cheapest(
    args: &CoverArgs,
    interrupt: &Arc<AtomicBool>,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<Value>, Failure> {
    let config = config(&args.target, &args.search)?;
    let setup = prepare(&config, &places())?;
    let most = args.search.max_paths.unwrap_or(DEFAULT_PATHS).try_into().unwrap_or(usize::MAX);
    let mut booted = Worlds::boot(&config, &setup.path, interrupt, events)?;
    let mut found: Vec<Value> = Vec::new();
    for (index, target) in setup.targets.iter().enumerate() {
        if index > 0 && interrupt.load(Ordering::Relaxed) {
            break;
        }
        let class = target.class.replace(['/', '$'], ".");
        events(Event::ClassStarted { class: class.clone(), index, count: setup.targets.len() });
        let all = match booted.fork().cheapest(&config, target, (args.cost, most), events) {
            Ok(all) => all,
            // As above: the others are listed.
            Err(why) if setup.targets.len() > 1 => {
                events(Event::Skipped { class, why: why.to_string() });
                continue;
            }
            Err(why) => return Err(why.into()),
        };
        let tests = all.result.tests.iter().zip(paths_json(&all.result)).zip(&all.ways);
        for ((test, mut path), (way, is_final)) in tests {
            path["cost"] = json!(way.cost(args.cost));
            path["lines"] = json!(way.lines);
            path["cheapest"] = json!(is_final);
            path["exhaustive"] = json!(all.complete[test.method]);
            found.push(path);
        }
    }
    Ok(found)
}

fn path_text(path: &Value) -> String {
    let text = |key: &str| path[key].as_str().unwrap_or("").to_string();
    let lines =
        path["lines"].as_array().into_iter().flatten().map(Value::to_string).collect::<Vec<_>>().join(" ");
    let more = match (path["cheapest"] == true, path["exhaustive"] == true) {
        (_, true) => "",
        (true, false) => " (others cost at least as much)",
        (false, false) => " (others may be cheaper)",
    };
    format!(
        "{}#{}{}: cost {}: lines {lines}: {}{more}",
        text("class"),
        text("method"),
        text("descriptor"),
        path["cost"],
        text("condition")
    )
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

fn paths_json(result: &ClassResult) -> Vec<Value> {
    runs_json(result, "path")
}

/// The runs that were kept, as records of one kind (`docs/code.schema.json`).
fn runs_json(result: &ClassResult, record: &str) -> Vec<Value> {
    let one = |test: &Proposed| {
        let method = &result.methods[test.method];
        let inputs: serde_json::Map<_, _> =
            test.inputs.iter().map(|(name, value)| (name.clone(), json!(format!("{value:#x}")))).collect();
        json!({
            "record": record,
            "class": result.class.replace('/', "."),
            "method": method.name,
            "descriptor": method.descriptor,
            "condition": test.case.comment.join(" "),
            "inputs": inputs,
            "outcome": engine::reporting::outcome_text(&test.case.outcome),
            "suspicious": test.suspicious.as_ref().map(|s| &s.what),
        })
    };
    result.tests.iter().map(one).collect()
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
        println!("{}, {}: {verdict}{tours}", jvm::title(function), obligation.text);
    }
    let counts = result.counts();
    println!("{} covered, {} infeasible, {} open", counts.covered, counts.infeasible, counts.open);
    for function in &result.cut {
        println!(
            "{} owes more obligations than are listed; --criterion-limit lists more",
            jvm::title(function)
        );
    }
}

fn witness(result: &ClassResult, function: &str, id: u32) -> String {
    let names = witnesses(result, function, id);
    match names.is_empty() {
        true => "a run that is no test".to_string(),
        false => names.join(" and "),
    }
}

/// The test that covers an obligation; two of them where one alone does not.
fn witnesses<'a>(result: &'a ClassResult, function: &str, id: u32) -> Vec<&'a str> {
    let wanted = |(f, o): &(String, u32)| f == function && *o == id;
    let mut names: Vec<&str> = Vec::new();
    for half in 0..2 {
        let shows = |t: &&Proposed| t.halves.iter().any(|(k, h)| wanted(k) && *h == half);
        let by = result.tests.iter().find(shows).map(|t| t.case.name.as_str());
        names.extend(by.filter(|name| !names.contains(name)));
    }
    if names.is_empty() {
        let meets = |t: &&Proposed| t.meets.iter().any(wanted);
        names.extend(result.tests.iter().find(meets).map(|t| t.case.name.as_str()));
    }
    names
}

/// The test that takes a path with side trips which none takes straight.
fn side_trips<'a>(result: &'a ClassResult, function: &str, id: u32) -> Option<&'a str> {
    let tours = |t: &&Proposed| t.side_trips.iter().any(|(f, o)| f == function && *o == id);
    result.tests.iter().find(tours).map(|t| t.case.name.as_str())
}

fn cover_json(result: &ClassResult) -> Vec<Value> {
    let mut lines = Vec::new();
    for ((function, id), (obligation, fate)) in &result.obligations {
        let by = match fate {
            Fate::Covered => witnesses(result, function, *id),
            _ => Vec::new(),
        };
        let (verdict, why) = match fate {
            Fate::Covered if !by.is_empty() => ("covered", None),
            Fate::Covered => ("covered", Some(witness(result, function, *id))),
            Fate::Infeasible(why) => ("infeasible", Some(why.clone())),
            Fate::Open(why) => ("open", Some(why.clone())),
        };
        lines.push(json!({
            "record": "obligation",
            "class": result.class.replace('/', "."),
            "function": function,
            "method": jvm::title(function),
            "id": id,
            "kind": obligation.kind.name(),
            "line": obligation.line,
            "obligation": obligation.text,
            "verdict": verdict,
            "by": by,
            "why": why,
            "side_trips": side_trips(result, function, *id),
            "cut": result.cut.contains(function),
        }));
    }
    for (mut line, test) in runs_json(result, "test").into_iter().zip(&result.tests) {
        line["name"] = json!(test.case.name);
        lines.push(line);
    }
    lines
}
