//! `testwright serve` through the binary.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_testwright"))
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Server { child, input, output }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn ask(&mut self, id: u32, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
        let message = serde_json::from_str(&line).unwrap();
        testkit::schema::check(&docs("json-rpc.schema.json"), &message);
        message
    }

    /// The answer to a request, and the notifications before it.
    fn answer(&mut self, id: u32) -> (Value, Vec<Value>) {
        let mut told = Vec::new();
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return (message, told);
            }
            told.push(message);
        }
    }

    fn end(mut self) {
        self.input = None;
        assert!(self.child.wait().unwrap().success());
    }
}

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// The records of an answer, which are of the schema.
fn records(answer: &Value) -> &[Value] {
    let all = answer["result"].as_array().unwrap_or_else(|| panic!("{answer}"));
    all.iter().for_each(|one| testkit::schema::check(&docs("code.schema.json"), one));
    all
}

fn fixture(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fixtures/cfg/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn graphs_are_covered_with_progress() {
    let mut server = Server::start();
    server.ask(1, "cover-cfg", json!({ "graph": fixture("demo"), "criterion": "edge" }));
    let (answer, told) = server.answer(1);
    assert_eq!(answer["result"]["counts"]["covered"], 11, "{answer}");
    assert!(told.iter().any(|t| t["method"] == "progress" && t["params"]["id"] == 1));
    testkit::schema::check(&docs("cover.schema.json"), &answer["result"]);
    server.ask(2, "cover-cfg", json!({ "graph": fixture("demo"), "paths": true, "max-paths": 3 }));
    assert_eq!(server.answer(2).0["result"]["tests"].as_array().unwrap().len(), 3);
    server.ask(3, "version", json!({}));
    assert!(server.answer(3).0["result"]["version"].is_string());
    server.end();
}

#[test]
fn what_runs_can_be_cancelled() {
    let mut server = Server::start();
    // Endless: paths of a loop, more of them than anybody waits for.
    let endless = json!({ "graph": fixture("demo"), "paths": true, "max-paths": 100_000_000, "work": 1_000_000_000_000_u64 });
    server.ask(1, "cover-cfg", endless.clone());
    server.ask(2, "cover-cfg", endless);
    server.send(&json!({ "jsonrpc": "2.0", "id": 3, "method": "cancel", "params": { "id": 2 } }).to_string());
    assert_eq!(server.answer(3).0["result"]["cancelled"], true);
    server.send(&json!({ "jsonrpc": "2.0", "method": "cancel", "params": { "id": 1 } }).to_string());
    assert_eq!(server.answer(1).0["error"]["code"], -32800);
    assert_eq!(server.answer(2).0["error"]["code"], -32800);
    server.end();
}

/// Compiled classes: a loop that can be explored for ever, and a method that is covered at once.
fn classes() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("Work.java");
    let text = "package a; public class Work {
        public static int kind(int x) { return x > 9 ? 1 : x == 3 ? 2 : 0; }
        public static long grind(long[] a) { long h = 7; for (long x : a) { h = h * 31 % (x | 1); } return h; }
    }";
    std::fs::write(&source, text).unwrap();
    let jdk = testkit::Jdk::at_least(17).unwrap();
    let compiled = jdk.compile(&[source], &testkit::jdk::Options::default()).unwrap();
    std::fs::create_dir_all(dir.path().join("a")).unwrap();
    std::fs::copy(compiled.join("a/Work.class"), dir.path().join("a/Work.class")).unwrap();
    dir
}

#[test]
fn classes_are_covered_with_progress_and_can_be_cancelled() {
    let dir = classes();
    let path = dir.path().display().to_string();
    let mut server = Server::start();
    server.ask(
        1,
        "cover",
        json!({ "class-path": path, "targets": ["a.Work#kind"], "criterion": "mcdc", "boundary": true }),
    );
    let (answer, told) = server.answer(1);
    let (obligations, tests): (Vec<&Value>, Vec<&Value>) =
        records(&answer).iter().partition(|one| one["record"] == "obligation");
    let names: Vec<&Value> = tests.iter().map(|test| &test["name"]).collect();
    let named = |o: &&Value| o["by"].as_array().unwrap().iter().all(|by| names.contains(&by));
    assert!(obligations.iter().all(named), "{answer}");
    assert!(obligations.len() > 2 && obligations.iter().all(|o| o["verdict"] == "covered"), "{answer}");
    let kinds: Vec<&str> = told.iter().filter_map(|t| t["params"]["event"]["kind"].as_str()).collect();
    assert!(["booted", "class", "method", "method-done"].iter().all(|k| kinds.contains(k)), "{kinds:?}");
    assert!(obligations.iter().all(|o| !o["by"].as_array().unwrap().is_empty() && o["cut"] == false));
    server.ask(4, "cover", json!({ "class-path": path, "targets": ["a.Work#kind"], "paths": true }));
    let (answer, told) = server.answer(4);
    assert!(records(&answer).iter().all(|p| p["cost"].is_number()), "{answer}");
    let class = json!({ "kind": "class", "class": "a.Work", "index": 0, "of": 1 });
    assert!(told.iter().any(|t| t["params"]["event"] == class), "{told:?}");
    server.ask(5, "explore", json!({ "class-path": path, "targets": ["a.Work#kind"] }));
    assert!(records(&server.answer(5).0).iter().all(|p| p["record"] == "path"));
    let out = dir.path().join("out").display().to_string();
    let generate = json!({ "class-path": path, "targets": ["a.Work#kind"], "out": out, "no-run": true });
    server.ask(6, "generate", generate);
    let (answer, _) = server.answer(6);
    testkit::schema::check(&docs("report.schema.json"), &answer["result"]["report"]);
    let endless = json!({ "class-path": path, "targets": ["a.Work#grind"], "exhaustive": true,
        "work": 1_000_000_000_000_u64, "max-paths": 100_000_000 });
    server.ask(2, "explore", endless);
    // It has begun.
    while server.next()["params"]["event"]["kind"] != "progress" {}
    server.send(&json!({ "jsonrpc": "2.0", "method": "cancel", "params": { "id": 2 } }).to_string());
    assert_eq!(server.answer(2).0["error"]["code"], -32800);
    server.ask(3, "version", json!({}));
    assert!(server.answer(3).0["result"]["version"].is_string(), "the server goes on");
    server.end();
}

#[test]
fn wrong_messages_are_answered_and_do_no_harm() {
    let mut server = Server::start();
    for (line, code) in [
        ("{", -32700),
        ("[]", -32600),
        (r#"{"id": 7, "method": "version"}"#, -32600),
        (r#"{"jsonrpc": "2.0", "id": 7, "method": "nothing"}"#, -32601),
        (r#"{"jsonrpc": "2.0", "id": 7, "method": "cover-cfg", "params": {}}"#, -32602),
        (r#"{"jsonrpc": "2.0", "id": 7, "method": "cover-cfg", "params": {"graph": {"schema": 1}}}"#, -32602),
        (
            r#"{"jsonrpc": "2.0", "id": 7, "method": "cover-cfg", "params": {"graph": {}, "criterion": "x"}}"#,
            -32602,
        ),
        (r#"{"jsonrpc": "2.0", "id": 7, "method": "explore", "params": {"no-such": 1}}"#, -32602),
        (r#"{"jsonrpc": "2.0", "id": 7, "method": "explore", "params": {"targets": []}}"#, -32602),
        (r#"{"jsonrpc": "2.0", "id": 7, "method": "explore", "params": {"targets": "a.B"}}"#, -32602),
        (r#"{"jsonrpc": "2.0", "id": 7, "method": "cancel"}"#, -32602),
    ] {
        server.send(line);
        let answer = server.next();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    server.send(r#"{"jsonrpc": "2.0", "method": "a notification"}"#);
    server.end();
}
