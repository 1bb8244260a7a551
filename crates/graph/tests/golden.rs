//! The figures of `fixtures/cfg`, by every structural criterion.

use graph::{Cfg, Cover, NextPath, Options, Paths, Suite, Verdict, Why};
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

fn load(name: &str) -> Cfg {
    let path = format!("{}/../../fixtures/cfg/{name}.json", env!("CARGO_MANIFEST_DIR"));
    graph::read(&std::fs::read_to_string(path).unwrap(), 32).unwrap()
}

fn cover(cfg: &Cfg, criterion: &str) -> Cover {
    graph::cover(cfg, criterion, &Options::default(), &NEVER, &mut |_, _| {}).unwrap()
}

/// Obligations, of which covered, of which infeasible, tests.
fn figures(cover: &Cover) -> (usize, usize, usize, usize) {
    let count = |f: fn(&Verdict) -> bool| cover.obligations.iter().filter(|(_, v)| f(v)).count();
    let covered = count(|v| matches!(v, Verdict::Covered { .. }));
    let infeasible = count(|v| matches!(v, Verdict::Infeasible { .. }));
    (cover.obligations.len(), covered, infeasible, cover.tests.len())
}

fn check(name: &str, criterion: &str, expected: (usize, usize, usize, usize)) {
    let cfg = load(name);
    let cover = cover(&cfg, criterion);
    let open: Vec<_> = cover.obligations.iter().filter(|(_, v)| matches!(v, Verdict::Open { .. })).collect();
    assert_eq!(figures(&cover), expected, "{name} {criterion}: open {open:?}");
}

#[test]
fn theory_graph() {
    check("theory", "node", (6, 6, 0, 1));
    check("theory", "edge", (7, 7, 0, 1));
    check("theory", "edge-pair", (10, 10, 0, 3));
    check("theory", "prime-path", (10, 10, 0, 4));
}

/// A loop that nothing leaves: no number of rounds need be searched.
#[test]
fn runs_that_never_end_are_infeasible() {
    check("never", "edge", (4, 0, 4, 0));
    let cover = cover(&load("never"), "edge");
    let never = cover.obligations.iter().filter(|(_, v)| {
        matches!(v, Verdict::Infeasible { why: Why::NeverEnds(subpaths), .. } if subpaths.len() == 1)
    });
    assert_eq!(never.count(), 3);
}

#[test]
fn tutorial() {
    check("tutorial", "node", (4, 4, 0, 2));
    check("tutorial", "edge", (4, 4, 0, 2));
    let cfg = load("tutorial");
    let cover = cover(&cfg, "node");
    // Both have a value, whether it matters or not.
    assert!(cover.tests.iter().all(|t| t.inputs.iter().all(|v| v.len() == 1)));
}

#[test]
fn demonstration() {
    check("demo", "node", (9, 9, 0, 2));
    check("demo", "edge", (11, 11, 0, 2));
    check("demo", "edge-pair", (14, 14, 0, 3));
    check("demo", "prime-path", (13, 12, 1, 5));
}

#[test]
fn the_impossible_prime_path_is_explained() {
    let cfg = load("demo");
    let cover = cover(&cfg, "prime-path");
    let (obligation, verdict) =
        cover.obligations.iter().find(|(_, v)| matches!(v, Verdict::Infeasible { .. })).unwrap();
    assert_eq!(obligation.text, "2 6 7 8 10");
    let Verdict::Infeasible { why: Why::Contradiction(subpaths), .. } = verdict else {
        panic!("{verdict:?}")
    };
    let texts: Vec<String> = subpaths.iter().map(|s| cfg.path_text(s.start, &s.edges)).collect();
    assert_eq!(texts, ["2 6 7 8"]);
    let core: Vec<_> = subpaths[0].core.iter().map(|i| cfg.condition_text(subpaths[0].edges[*i])).collect();
    assert_eq!(core, [Some("i > 5".to_string())]);
}

#[test]
fn what_gcc_makes_of_it() {
    check("demo-gcc", "node", (10, 10, 0, 2));
    check("demo-gcc", "edge", (13, 13, 0, 2));
    // After the first round `a` is 2 or 3: no run with `i > 5` leaves by `a <= 0`.
    check("demo-gcc", "edge-pair", (18, 17, 1, 4));
    let cfg = load("demo-gcc");
    let options = Options { work: 1_000_000, ..Options::default() };
    let cover = graph::cover(&cfg, "prime-path", &options, &NEVER, &mut |_, _| {}).unwrap();
    assert_eq!(cover.obligations.len(), 20);
}

#[test]
fn division() {
    check("divide", "node", (7, 7, 0, 2));
    check("divide", "edge", (8, 8, 0, 2));
    let cfg = load("divide");
    assert_eq!(cover(&cfg, "edge-pair").obligations.len(), 9);
    assert_eq!(cover(&cfg, "prime-path").obligations.len(), 7);
    // No input divides by zero: it would end the run.
    for test in cover(&cfg, "prime-path").tests {
        assert!(graph::follow(&cfg, &test.inputs, test.start, &test.edges).is_ok());
    }
}

#[test]
fn sixteen_ifs_do_not_blow_up() {
    for (criterion, count, most) in [("node", 49, 3), ("edge", 64, 3), ("edge-pair", 92, 5)] {
        let cover = cover(&load("sixteen-ifs"), criterion);
        let (all, covered, infeasible, tests) = figures(&cover);
        assert_eq!((all, covered, infeasible), (count, count, 0), "{criterion}");
        assert!(tests <= most, "{criterion}: {tests} tests");
    }
    let cfg = load("sixteen-ifs");
    let options = Options { max_obligations: 50, ..Options::default() };
    let cover = graph::cover(&cfg, "prime-path", &options, &NEVER, &mut |_, _| {}).unwrap();
    assert!(cover.cut);
    assert_eq!(figures(&cover), (50, 50, 0, 50));
}

#[test]
fn loops_of_empty_blocks() {
    for cost in graph::Cost::ALL {
        let cfg = load("empty-loop");
        let options = Options { cost: *cost, ..Options::default() };
        let cover = graph::cover(&cfg, "node", &options, &NEVER, &mut |_, _| {}).unwrap();
        // Going round changes nothing, so that a run that does never ends.
        assert_eq!(figures(&cover), (4, 2, 2, 1), "{cost:?} {:?}", cover.obligations);
        let cfg = load("empty-loop-free");
        let cover = graph::cover(&cfg, "prime-path", &options, &NEVER, &mut |_, _| {}).unwrap();
        assert_eq!(figures(&cover), (4, 4, 0, 1), "{cost:?}");
        let mut paths = Paths::new(&cfg, &options);
        for rounds in 0..5 {
            let NextPath::Path(path) = paths.next(&NEVER) else { panic!() };
            assert_eq!(path.edges.len(), 1 + 3 * rounds);
        }
    }
}

#[test]
fn types_and_bounds() {
    let cfg = load("types");
    let cover = cover(&cfg, "node");
    let bad: Vec<_> = cover
        .obligations
        .iter()
        .filter(|(_, v)| !matches!(v, Verdict::Covered { .. }))
        .map(|(o, v)| (o.text.clone(), matches!(v, Verdict::Infeasible { .. })))
        .collect();
    // 7 + 200 wraps to 207, and 7 is assumed away.
    assert_eq!(bad, [("never".to_string(), true)]);
}

#[test]
fn each_obligation_may_have_its_test() {
    let cfg = load("demo");
    let options = Options { suite: Suite::Each, ..Options::default() };
    let cover = graph::cover(&cfg, "prime-path", &options, &NEVER, &mut |_, _| {}).unwrap();
    assert_eq!(figures(&cover), (13, 12, 1, 8));
}

#[test]
fn mcdc_tables() {
    let rows = |cover: &Cover| -> usize { cover.decisions.iter().map(|d| d.rows.len()).sum() };
    let demo = cover(&load("demo"), "mcdc");
    assert_eq!((figures(&demo).0, figures(&demo).1, rows(&demo)), (4, 4, 7));
    // a || (b && c), as bits: masking and unique cause need four rows each.
    let choose = load("mcdc");
    let masking = cover(&choose, "mcdc");
    assert_eq!((figures(&masking).1, rows(&masking)), (3, 4));
    let unique = cover(&choose, "mcdc-unique");
    assert_eq!((figures(&unique).1, rows(&unique)), (3, 4));
    let number = |values: &[bool]| values.iter().fold(0, |n, v| n * 2 + usize::from(*v));
    let mut numbers: Vec<usize> = unique.decisions[0].rows.iter().map(|r| number(&r.values)).collect();
    numbers.sort_unstable();
    assert!(numbers == [1, 2, 3, 5] || numbers == [1, 2, 3, 6], "{numbers:?}");
}

#[test]
fn cheapest_first_on_the_demonstration() {
    let cfg = load("demo");
    let mut paths = Paths::new(&cfg, &Options::default());
    let mut costs = Vec::new();
    while let NextPath::Path(path) = paths.next(&NEVER) {
        if path.cost > 19 {
            break;
        }
        costs.push(path.cost);
        if costs.len() == 1 {
            assert_eq!(cfg.path_text(path.start, &path.edges), "2 6 7 9 10");
        }
    }
    assert!(costs.is_sorted());
    // 74 paths of at most 19 blocks, 12 of them can be run.
    assert_eq!(costs.len(), 12);
}

/// `while (i < n && i < 3) i++` between other nodes, and a body that comes before its test.
#[test]
fn loops_are_gone_through_not_at_all_once_and_more_often() {
    let text = r#"{
        "schema": "testwright-cfg/1",
        "inputs": [{ "name": "n", "type": "i8" }], "locals": [{ "name": "i", "type": "i8" }],
        "entry": "start", "exits": ["end"],
        "nodes": [{ "id": "start", "statements": ["i = 0"] }, { "id": "test" }, { "id": "body", "statements": ["i = i + 1"] },
            { "id": "again", "statements": ["i = i - 1"] }, { "id": "end" }],
        "edges": [
            { "from": "start", "to": "test" },
            { "from": "test", "to": "body", "when": "i < n && i < 3" },
            { "from": "test", "to": "again" },
            { "from": "body", "to": "test" },
            { "from": "again", "to": "again", "when": "i >= 0" },
            { "from": "again", "to": "end" }
        ]
    }"#;
    let cfg = graph::read(text, 32).unwrap();
    let options = Options { work: 1_000_000, ..Options::default() };
    let found = graph::cover(&cfg, "loop", &options, &NEVER, &mut |_, _| {}).unwrap();
    let shown: Vec<(String, bool)> = found
        .obligations
        .iter()
        .map(|(o, v)| (o.text.clone(), matches!(v, Verdict::Covered { .. })))
        .collect();
    let expected = [
        ("test: the loop is passed by", true),
        ("test: the loop is gone through once", true),
        ("test: the loop is gone through more than once", true),
        ("again: the loop is passed by", false),
        ("again: the loop is gone through once", true),
        ("again: the loop is gone through more than once", true),
    ];
    assert_eq!(shown, expected.map(|(text, covered)| (text.to_string(), covered)));
    assert!(found.obligations.iter().all(|(_, v)| !matches!(v, Verdict::Open { .. })));
}
