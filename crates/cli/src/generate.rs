//! `testwright generate`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::{Config, Event, Framework, reporting};

use crate::args::{FrameworkArg, GenerateArgs, LanguageArg, SuiteArg, config, places};
use crate::progress::Progress;
use crate::{End, Failure, reports, stats};

/// What the engine is told.
pub fn configuration(args: &GenerateArgs) -> Result<Config, Failure> {
    let mut config = config(&args.target, &args.search)?;
    config.out = args.out.clone().or(config.out);
    config.framework = match (args.language, args.framework) {
        (LanguageArg::Java, FrameworkArg::Junit5) => Framework::Junit5,
        (LanguageArg::Java, FrameworkArg::Junit4) => Framework::Junit4,
        (LanguageArg::Kotlin, FrameworkArg::Junit5) => Framework::KotlinJunit5,
        (LanguageArg::Kotlin, FrameworkArg::KotlinTest) => Framework::KotlinTest,
        (LanguageArg::Kotlin, FrameworkArg::Junit4) => {
            return Err(Failure::Usage("Kotlin tests are written with junit5 or kotlin-test".to_string()));
        }
        (LanguageArg::Java, FrameworkArg::KotlinTest) => {
            return Err(Failure::Usage("kotlin-test needs --language kotlin".to_string()));
        }
    };
    config.suite = match args.suite {
        _ if args.all_paths => engine::Suite::Paths,
        SuiteArg::Smallest => engine::Suite::Smallest,
        SuiteArg::Each => engine::Suite::Each,
        SuiteArg::Paths => engine::Suite::Paths,
    };
    config.run = !args.no_run;
    config.trust = args.trust;
    config.measure = args.measure;
    config.resume = args.resume;
    config.journal = config.out.as_ref().map(|out| out.join(".testwright"));
    Ok(config)
}

pub fn run(args: &GenerateArgs, interrupt: &Arc<AtomicBool>) -> Result<End, Failure> {
    let config = configuration(args)?;
    reports::check(&args.report)?;
    let mut progress = Progress::new();
    let mut jdk = String::new();
    let mut targets = Vec::new();
    let mut texts = Vec::new();
    let mut written = 0;
    let mut measured = Vec::new();
    let result = {
        let mut events = |event: Event| {
            if let Event::Booted { jdk: version, .. } = &event {
                jdk.clone_from(version);
            }
            progress.event(&event);
        };
        engine::generate(&config, &places(), interrupt, &mut events, &mut |generated| {
            written += generated.kept.len();
            if args.print && !generated.text.is_empty() {
                texts.push(generated.text.clone());
            }
            measured.extend(generated.measured.iter().flatten().map(measure_line));
            targets.push(reporting::target(&generated, config.criterion, config.run));
        })
    };
    progress.finish();
    texts.iter().for_each(|text| print!("{text}"));
    for target in &targets {
        summarise(target);
        if args.search.stats {
            stats::print(&target.class, &target.methods, &target.solver);
        }
    }
    measured.iter().for_each(|line: &String| eprintln!("{line}"));
    let bugs: usize = targets.iter().map(|t| t.bugs.len()).sum();
    let mut report = reporting::new_report(&config, &jdk);
    report.targets = targets;
    reports::write(&args.report, &report, &mut |target| {
        engine::pictures::of_class(&config, &places(), target)
    })?;
    result?;
    if written == 0 {
        return Err(Failure::Failed("no test was written; the reasons are above".to_string()));
    }
    match args.fail_on_bug && bugs > 0 {
        true => Ok(End::BugsFound),
        false => Ok(End::Done),
    }
}

/// What a person wants to know at the end: how much was covered, what was not and why, suspected bugs.
fn summarise(target: &report::Target) {
    let counts = target.counts;
    let total = counts.covered + counts.infeasible + counts.open;
    eprintln!(
        "{}: {} of {total} obligations covered, {} infeasible, {} open; {} tests",
        target.class,
        counts.covered,
        counts.infeasible,
        counts.open,
        target.tests.len()
    );
    let unmet = target.obligations.iter().filter(|o| o.verdict != report::Verdict::Covered);
    for obligation in unmet.take(20) {
        let verdict = match obligation.verdict {
            report::Verdict::Infeasible => "infeasible",
            _ => "open",
        };
        let name = &obligation.method;
        let why = obligation.why.as_deref().unwrap_or("");
        eprintln!("  {verdict}: {name}, {}: {why}", obligation.text);
    }
    for bug in &target.bugs {
        let others =
            if bug.also.is_empty() { String::new() } else { format!(" and {} more", bug.also.len()) };
        eprintln!("  suspected bug ({}): {} (test {}{others})", bug.rank, bug.what, bug.test);
    }
    for dropped in target.dropped.iter().take(10) {
        eprintln!("  dropped: {}: {}", dropped.name, first_line(&dropped.why));
    }
    for disagreement in &target.disagreements {
        eprintln!("  our VM and the JVM disagree, please report: {}", first_line(disagreement));
    }
}

/// `JaCoCo: com.acme.Calc: branches 6 of 6, lines 8 of 9`.
fn measure_line(class: &runner::coverage::ClassCoverage) -> String {
    let (branches, lines) = (class.counters.branches, class.counters.lines);
    format!(
        "JaCoCo: {}: branches {} of {}, lines {} of {}",
        class.class.replace('/', "."),
        branches.covered,
        branches.total(),
        lines.covered,
        lines.total()
    )
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}
