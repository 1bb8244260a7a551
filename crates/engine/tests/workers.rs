//! Exact path counts of known subjects, and that the number of workers does not show.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use engine::java::outcome::{ClassResult, Fate};
use engine::{ClassTarget, Config, Places, Worlds, class_path};
use testkit::Fixtures;
use testkit::fixtures::{Case, Compiled, DEFAULT_RELEASE};

fn compiled() -> (Fixtures, Compiled) {
    let fixtures = Fixtures::discover().unwrap();
    let compiled = fixtures.compile(false).unwrap().remove(&DEFAULT_RELEASE).unwrap();
    (fixtures, compiled)
}

fn explore(config: &Config, class: &str, method: Option<&str>) -> ClassResult {
    let path = class_path(config, &Places::default()).unwrap();
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut worlds = Worlds::boot(config, &path, &interrupt, &mut |_| {}).unwrap();
    let methods = method.map(|name| (name.to_string(), None)).into_iter().collect();
    let target = ClassTarget { class: class.replace('.', "/"), methods, nested: Vec::new() };
    worlds.explore(config, &target, Instant::now(), &mut |_| {}).unwrap()
}

fn config(compiled: &Compiled) -> Config {
    Config {
        class_path: vec![compiled.classes.clone()],
        jdk: Some(compiled.jdk.home.clone()),
        run: false,
        ..Config::default()
    }
}

/// The case studies of Kähkönen 2008, table 6.1, and smaller ones of the same kind: under `--exhaustive` the number of
/// paths is exactly the one that enumeration gives.
#[test]
fn sorts_and_trees_have_exactly_their_paths() {
    let (fixtures, compiled) = compiled();
    let config = Config { exhaustive: true, ..config(&compiled) };
    let cases: Vec<&Case> = fixtures.cases.iter().filter(|case| case.topic == "lct").collect();
    let mut counted = 0;
    for case in cases {
        let mut classes: Vec<String> = case.expect.method.iter().map(|m| case.class_of(m)).collect();
        classes.dedup();
        for class in classes {
            let result = explore(&config, &class, None);
            for expected in case.expect.method.iter().filter(|m| case.class_of(m) == class) {
                let Some(paths) = expected.paths else { continue };
                let found = result.methods.iter().find(|m| m.name == expected.name).unwrap();
                assert_eq!(found.paths, u64::from(paths), "{class}#{}", found.name);
                assert!(found.exhaustive, "{class}#{}: {:?}", found.name, found.ledger);
                counted += paths;
            }
            if class.ends_with("FaultySort") {
                let thrown = result.methods[0].outcomes["throws java.lang.IllegalStateException"];
                assert_eq!(thrown, 293);
            }
        }
    }
    assert!(counted > 13_575, "{counted} paths");
}

/// Everything that becomes visible.
fn shown(result: &ClassResult) -> String {
    let mut all = String::new();
    for test in &result.tests {
        all.push_str(&format!("{:?} {:?} {:?}\n", test.case, test.inputs, test.meets));
    }
    for ((function, id), (_, fate)) in &result.obligations {
        let fate = match fate {
            Fate::Covered => "covered",
            Fate::Infeasible(why) | Fate::Open(why) => why,
        };
        all.push_str(&format!("{function} {id}: {fate}\n"));
    }
    for method in &result.methods {
        all.push_str(&format!("{} {} {:?} {:?}\n", method.name, method.paths, method.spent, method.ledger));
    }
    all
}

#[test]
fn one_two_and_four_workers_find_the_same() {
    let (fixtures, compiled) = compiled();
    // Code that is found late, strings, lambdas, enums, exceptions: where machines could come to differ.
    for topic in ["lambdas", "strings", "exceptions", "collections", "enums"] {
        let case = fixtures.of_release(DEFAULT_RELEASE).find(|case| case.topic == topic).unwrap();
        let class = case.class_of(&case.expect.method[0]);
        let of = |jobs: usize| {
            let mut config = Config { jobs, ..config(&compiled) };
            config.budget.work = 400_000;
            shown(&explore(&config, &class, None))
        };
        let one = of(1);
        for jobs in [2, 4] {
            assert_eq!(one, of(jobs), "{class}, {jobs} workers");
        }
    }
}

#[test]
fn ten_repetitions_find_the_same() {
    let (_, compiled) = compiled();
    let mut config = config(&compiled);
    config.budget.work = 100_000;
    let path = class_path(&config, &Places::default()).unwrap();
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut booted = Worlds::boot(&config, &path, &interrupt, &mut |_| {}).unwrap();
    let target =
        ClassTarget { class: "fx/lct/FaultySort".to_string(), methods: Vec::new(), nested: Vec::new() };
    let mut of = |jobs: usize| {
        let config = Config { jobs, ..config.clone() };
        shown(&booted.fork().explore(&config, &target, Instant::now(), &mut |_| {}).unwrap())
    };
    let first = of(1);
    for repetition in 1..10 {
        assert_eq!(first, of(1 << (repetition % 3)), "repetition {repetition}");
    }
}

/// Whatever a kill, a power failure or a full disk leaves of the journal, going on with it gives what an exploration
/// gives that nobody disturbed.
#[test]
fn an_exploration_goes_on_where_it_was_cut_off() {
    let (_, compiled) = compiled();
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("fx.lct.FaultySort.journal");
    let of = |jobs: usize, resume: bool| {
        let mut config =
            Config { jobs, resume, journal: Some(folder.path().to_path_buf()), ..config(&compiled) };
        config.exhaustive = true;
        config.budget.max_paths = Some(300);
        shown(&explore(&config, "fx.lct.FaultySort", None))
    };
    let whole = of(1, false);
    let bytes = std::fs::read(&journal).unwrap();
    assert!(bytes.len() > 10_000, "{} bytes", bytes.len());
    for (number, share) in [0, 1, 17, 42, 60, 83, 99, 100].into_iter().enumerate() {
        std::fs::write(&journal, &bytes[..bytes.len() * share / 100]).unwrap();
        assert_eq!(whole, of(1 + number % 2, true), "{share} % of the journal");
        assert_eq!(std::fs::read(&journal).unwrap(), bytes, "the journal is whole again");
    }
}

/// What the user gives as an example is run before anything is looked for.
#[test]
fn examples_are_the_first_runs() {
    let (_, compiled) = compiled();
    let given = [("a", 8000), ("b", 9000), ("c", 7153), ("d", 9500), ("e", 9600)];
    let seed = engine::Seed {
        class: "fx.lct.FaultySort".to_string(),
        method: "five".to_string(),
        descriptor: None,
        inputs: given.map(|(name, value)| (name.to_string(), value)).into(),
    };
    let config = Config { seeds: [seed].into(), ..config(&compiled) };
    let result = explore(&config, "fx.lct.FaultySort", None);
    assert_eq!(result.methods[0].runs_to_failure, Some(2));
}

/// Kähkönen 2008 found it after 16 runs on average.
#[test]
fn a_certain_number_in_the_way_is_found_within_eight_runs() {
    let (_, compiled) = compiled();
    let runs: Vec<u64> = (0..20)
        .map(|seed| {
            let mut config = Config { seed, ..config(&compiled) };
            config.budget.max_paths = Some(100);
            let result = explore(&config, "fx.lct.FaultySort", None);
            result.methods[0].runs_to_failure.unwrap()
        })
        .collect();
    let mean = runs.iter().sum::<u64>() as f64 / runs.len() as f64;
    assert!(mean <= 8.0, "{mean} runs on average: {runs:?}");
}
