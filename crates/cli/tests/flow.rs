//! `testwright cover --cfg` through the binary: figures, reports against their schemas, wrong input.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> String {
    root().join(format!("fixtures/cfg/{name}.json")).display().to_string()
}

fn testwright(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testwright")).args(args).output().unwrap()
}

fn cover(args: &[&str]) -> Value {
    let output = testwright(&[&["cover", "--json", "--cfg"], args].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    testkit::schema::check(&root().join("docs/cover.schema.json"), &report);
    report
}

#[test]
fn figures_of_the_fixtures() {
    // Obligations by node, edge, edge pair, prime path; of the last how many can be covered, and the tests that do.
    let expected = [
        ("theory", [6, 7, 10, 10], 10, 4),
        ("tutorial", [4, 4, 2, 2], 2, 2),
        ("demo", [9, 11, 14, 13], 12, 5),
        ("divide", [7, 8, 9, 7], 5, 3),
    ];
    for (name, counts, feasible, tests) in expected {
        for (criterion, count) in ["node", "edge", "edge-pair", "prime-path"].into_iter().zip(counts) {
            let report = cover(&[&fixture(name), "--criterion", criterion]);
            assert_eq!(report["obligations"].as_array().unwrap().len(), count, "{name} {criterion}");
            assert_eq!(report["counts"]["open"], 0, "{name} {criterion}");
            if criterion == "prime-path" {
                assert_eq!(report["counts"]["covered"], feasible, "{name}");
                assert!(report["tests"].as_array().unwrap().len() <= tests, "{name}");
            }
        }
    }
    for (criterion, count) in [("node", 10), ("edge", 13), ("edge-pair", 18), ("prime-path", 20)] {
        let report = cover(&[&fixture("demo-gcc"), "--criterion", criterion, "--work", "1000000"]);
        assert_eq!(report["obligations"].as_array().unwrap().len(), count, "{criterion}");
    }
    let report = cover(&[&fixture("demo"), "--criterion", "mcdc"]);
    let rows = |d: &Value| d["rows"].as_array().unwrap().len();
    assert_eq!(report["decisions"].as_array().unwrap().iter().map(rows).sum::<usize>(), 7);
    let none = testwright(&["cover", "--cfg", &fixture("demo"), "--criterion", "branch-checks"]);
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn cheapest_paths_come_first() {
    let report = cover(&[&fixture("demo"), "--paths", "--max-paths", "4"]);
    let paths: Vec<String> = report["tests"].as_array().unwrap().iter().map(path).collect();
    let expected = ["2 6 7 9 10", "2 6 3 5 6 7 9 10", "2 6 3 5 4 5 6 7 9 10", "2 6 3 5 6 3 5 6 7 9 10"];
    assert_eq!(paths, expected);
    let statements = cover(&[&fixture("demo"), "--paths", "--max-paths", "20", "--cost", "statements"]);
    let costs: Vec<u64> =
        statements["tests"].as_array().unwrap().iter().map(|t| t["cost"].as_u64().unwrap()).collect();
    assert!(costs.is_sorted() && costs[0] == 2, "{costs:?}");
}

fn path(test: &Value) -> String {
    let nodes = test["nodes"].as_array().unwrap();
    nodes.iter().map(|n| n.as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

/// A graph all of whose paths can be run, as text of letters; entry and exit cost one each.
fn letters(edges: &[(&str, &str)], count: usize) -> Vec<String> {
    let mut names: Vec<&str> = vec!["<"];
    edges.iter().flat_map(|(a, b)| [*a, *b]).for_each(|n| {
        if !names.contains(&n) {
            names.push(n);
        }
    });
    let nodes: Vec<Value> = names.iter().map(|n| serde_json::json!({ "id": n })).collect();
    let edges: Vec<Value> = edges.iter().map(|(a, b)| serde_json::json!({ "from": a, "to": b })).collect();
    let graph = serde_json::json!({
        "schema": "testwright-cfg/1", "entry": "<", "exits": [">"], "nodes": nodes, "edges": edges
    });
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("graph.json");
    std::fs::write(&file, graph.to_string()).unwrap();
    let report = cover(&[&file.display().to_string(), "--paths", "--max-paths", &count.to_string()]);
    let word = |t: &Value| path(t).replace(['<', '>', ' '], "");
    report["tests"].as_array().unwrap().iter().map(word).collect()
}

#[test]
fn golden_vectors_of_cheapest_first() {
    // a+ | bc | def
    let either = [
        ("<", "a"),
        ("<", "b"),
        ("<", "d"),
        ("a", "a"),
        ("a", ">"),
        ("b", "c"),
        ("c", ">"),
        ("d", "e"),
        ("e", "f"),
        ("f", ">"),
    ];
    assert_eq!(letters(&either, 7), ["a", "aa", "bc", "aaa", "def", "aaaa", "aaaaa"]);
    // (a | bc | def)+
    let mut again = either.to_vec();
    again.extend([
        ("a", "b"),
        ("a", "d"),
        ("c", "a"),
        ("c", "b"),
        ("c", "d"),
        ("f", "a"),
        ("f", "b"),
        ("f", "d"),
    ]);
    let expected =
        ["a", "aa", "bc", "aaa", "abc", "bca", "def", "aaaa", "aabc", "abca", "adef", "bcaa", "bcbc", "defa"];
    assert_eq!(letters(&again, 14), expected);
    // a+ (bc | def); of equal length the order of the edges decides.
    let both = [
        ("<", "a"),
        ("a", "a"),
        ("a", "b"),
        ("a", "d"),
        ("b", "c"),
        ("c", ">"),
        ("d", "e"),
        ("e", "f"),
        ("f", ">"),
    ];
    assert_eq!(letters(&both, 6), ["abc", "aabc", "adef", "aaabc", "aadef", "aaaabc"]);
}

#[test]
fn pages_load_nothing_from_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let out = format!("html={}", dir.path().display());
    assert!(testwright(&["cover", "--cfg", &fixture("mcdc"), "--report", &out]).status.success());
    let page = std::fs::read_to_string(dir.path().join("index.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("return 1;") && page.contains("class=\"tag covered\""));
    for foreign in ["<script", "<link", "src=", "@import", "url(http"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    let again = testwright(&["show", "cfg", "--svg", "--cfg", &fixture("mcdc")]);
    assert_eq!(again.stdout, testwright(&["show", "cfg", "--svg", "--cfg", &fixture("mcdc")]).stdout);
    assert!(String::from_utf8_lossy(&again.stdout).starts_with("<svg"));
}

#[test]
fn fixtures_agree_with_the_schema() {
    for name in ["mcdc", "sixteen-ifs", "empty-loop", "empty-loop-free", "types"] {
        let text = std::fs::read_to_string(fixture(name)).unwrap();
        testkit::schema::check(&root().join("docs/cfg.schema.json"), &serde_json::from_str(&text).unwrap());
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("graph.json");
    let head = r#"{"schema": "testwright-cfg/1", "inputs": [{"name": "a", "type": "i32"}], "entry": "s", "exits": ["s"],"#;
    for (rest, expected) in [
        (r#" "nodes": [{"id": "s"}], "edges": [{"from": "s", "to": "x"}]}"#, "there is no node \"x\""),
        (r#" "nodes": [{"id": "s"}, {"id": "s"}]}"#, "there are two nodes \"s\""),
        (r#" "nodes": [{"id": "s", "statements": ["a = b"]}]}"#, "no variable is called \"b\""),
        (
            r#" "nodes": [{"id": "s", "statements": ["a = a <"]}]}"#,
            "the expression ends where a value is wanted",
        ),
        (r#" "nodes": [{"id": "s", "statements": ["a = a < 1"]}]}"#, "this is a bool, an i32 is wanted"),
        (r#" "nodes": [{"id": "s", "statements": ["a = 5000000000"]}]}"#, "does not fit into i32"),
        (r#" "nodes": [{"id": "s", "stetements": []}]}"#, "the field \"stetements\" is not known here"),
        (r#" "nodes": [{"id": "s"}"#, "the text ends where ',' or ']' is wanted"),
        (
            r#" "nodes": [{"id": "s"}], "edges": [{"from": "s", "to": "s", "when": "0 < a < 3"}]}"#,
            "do not chain",
        ),
        (
            r#" "nodes": [{"id": "s"}], "edges": [{"from": "s", "to": "s", "when": "a = 3"}]}"#,
            "'==' compares",
        ),
    ] {
        std::fs::write(&file, format!("{head}\n{rest}")).unwrap();
        let output = testwright(&["cover", "--cfg", &file.display().to_string()]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("line 2, column") && message.contains(expected), "{message}");
    }
    std::fs::write(&file, [0xff, 0xfe, 0]).unwrap();
    let output = testwright(&["cover", "--cfg", &file.display().to_string()]);
    assert_eq!(output.status.code(), Some(1));
    let output = testwright(&["cover", "--cfg", "/nowhere.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(testwright(&["cover"]).status.code(), Some(2));
}
