//! `expect.toml`: what is read, what is refused, and what counts as a problem.

use testkit::expect::{Expect, Method, Observed, Pattern, Problem, check};
use testkit::fixtures::Fixtures;
use testkit::{Answer, Call, Outcome, Value};

fn method(text: &str) -> Method {
    let expect: Expect = toml::from_str(&format!("[[method]]\nname = \"f\"\n{text}")).unwrap();
    expect.method[0].clone()
}

fn pattern(text: &str) -> Result<Pattern, String> {
    Pattern::try_from(text.to_string()).map_err(|e| e.to_string())
}

fn run(args: Vec<Value>, outcome: Outcome) -> (Call, Answer) {
    let call = Call::of_static("fx.A", "f", "(I)I", args.clone());
    (call, Answer { outcome, args_after: args, fields_after: Vec::new(), stdout: Vec::new() })
}

fn returned(value: Value) -> (Call, Answer) {
    run(vec![], Outcome::Returned(value))
}

fn shows(text: &str, (call, answer): &(Call, Answer)) -> bool {
    pattern(text).unwrap().matches(call, answer)
}

#[test]
fn patterns_of_results() {
    let five = returned(Value::Int(5));
    for yes in ["returns", "returns 5", "returns > 4", "returns <= 5", "returns != 0", "returns 0x5"] {
        assert!(shows(yes, &five), "{yes}");
    }
    for no in
        ["returns 4", "returns < 5", "returns null", "throws java.lang.Error", "returns \"5\"", "prints"]
    {
        assert!(!shows(no, &five), "{no}");
    }
    assert!(shows("returns \"a\\nb\"", &returned(Value::str("a\nb"))));
    assert!(shows("returns containing \"nee\"", &returned(Value::str("needle"))));
    assert!(shows(
        "returns [1, [2]]",
        &returned(Value::Array(
            "Ljava/lang/Object;".into(),
            vec![Value::boxed(Value::Int(1)), Value::Array("I".into(), vec![Value::Int(2)])]
        ))
    ));
    assert!(shows("returns RED", &returned(Value::Enum("fx.Color".into(), "RED".into()))));
}

#[test]
fn patterns_of_exceptions_and_effects() {
    let thrown = |message: Option<&str>| {
        let message = message.map(|m| m.encode_utf16().collect());
        run(vec![], Outcome::Threw { class: "a.B$C".into(), message })
    };
    assert!(shows("throws a.B$C", &thrown(Some("x"))));
    assert!(shows("throws a.B$C \"x\"", &thrown(Some("x"))));
    assert!(shows("throws a.B$C null", &thrown(None)));
    assert!(!shows("throws a.B$C null", &thrown(Some("x"))));
    assert!(!shows("throws a.B", &thrown(None)));
    assert!(!shows("returns", &thrown(None)));

    let array = |values: &[i32]| Value::Array("I".into(), values.iter().map(|x| Value::Int(*x)).collect());
    let (call, mut answer) = run(vec![array(&[2, 1])], Outcome::Returned(Value::Void));
    assert!(!shows("argument 0 changes", &(call.clone(), answer.clone())));
    answer.args_after = vec![array(&[1, 2])];
    answer.fields_after = vec![("size".into(), Value::Int(3))];
    answer.stdout = b"hi\n".to_vec();
    let changed = (call, answer);
    for yes in [
        "argument 0 changes",
        "argument 0 becomes [1, 2]",
        "field size becomes 3",
        "prints \"hi\\n\"",
        "returns",
    ] {
        assert!(shows(yes, &changed), "{yes}");
    }
    assert!(!shows("field size becomes 4", &changed));
    assert!(!shows("argument 1 changes", &changed));
    assert!(!shows("returns", &run(vec![], Outcome::Unanswered("timed out".into()))));
}

#[test]
fn wrong_patterns_are_refused() {
    for wrong in [
        "",
        "gives 5",
        "returns 5 6",
        "throws",
        "returns \"open",
        "argument x changes",
        "returns > \"a\"",
        "field a 5",
    ] {
        assert!(pattern(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn problems() {
    let expected = method(
        "branches = 4\ninfeasible = 1\nnote = \"n\"\nmust = [\"returns 1\", \"returns 2\"]\nnever = [\"returns 3\"]",
    );
    let mut observed = Observed {
        runs: vec![returned(Value::Int(1)), returned(Value::Int(3))],
        edges: Some(4),
        covered: [0, 1].into(),
        proved_infeasible: Some(2),
        paths: None,
    };
    let problems: Vec<String> = check(&expected, &observed).iter().map(Problem::to_string).collect();
    assert_eq!(
        problems,
        [
            "nothing returns 2",
            "must never be \"returns 3\": fx.A.f() returns 3",
            "2 of 3 feasible edges covered",
            "2 edges claimed infeasible, only 1 are",
        ]
    );
    observed.runs[1] = returned(Value::Int(2));
    observed.covered = [0, 1, 3].into();
    observed.proved_infeasible = Some(1);
    assert_eq!(check(&expected, &observed), []);
    observed.covered = [0, 1, 2, 3].into();
    assert_eq!(check(&expected, &observed), [Problem::InfeasibleReached { feasible: 3, covered: 4 }]);
    observed.edges = Some(6);
    observed.proved_infeasible = Some(0);
    assert_eq!(
        check(&expected, &observed),
        [Problem::EdgeCount { expected: 4, found: 6 }, Problem::Unproved { infeasible: 1, proved: 0 }]
    );
}

#[test]
fn edges_beyond_one_call_may_be_reached_or_not() {
    let expected = method("branches = 4\nbeyond = 2\nnote = \"n\"");
    for covered in [2, 3, 4] {
        let observed = Observed { edges: Some(4), covered: (0..covered).collect(), ..Observed::default() };
        assert_eq!(check(&expected, &observed), []);
    }
    let observed = Observed { edges: Some(4), covered: [0].into(), ..Observed::default() };
    assert_eq!(check(&expected, &observed), [Problem::Uncovered { feasible: 2, covered: 1 }]);
}

#[test]
fn merged_copies_are_counted_once() {
    let expected = method("branches = 10\ncopies = 4\ninfeasible = 2\nnote = \"n\"");
    let merged = Observed { edges: Some(6), covered: (0..6).collect(), ..Observed::default() };
    assert_eq!(check(&expected, &merged), []);
    let literal = Observed { edges: Some(10), covered: (0..8).collect(), ..Observed::default() };
    assert_eq!(check(&expected, &literal), []);
}

#[test]
fn errors_name_the_file() {
    let root = std::env::temp_dir().join(format!("testkit-{}", std::process::id()));
    let dir = root.join("topic/case");
    std::fs::create_dir_all(&dir).unwrap();
    let attempt = |expect: Option<&str>| {
        if let Some(text) = expect {
            std::fs::write(dir.join("expect.toml"), text).unwrap();
        }
        Fixtures::discover_in(&root).map(|_| ()).unwrap_err().to_string()
    };
    assert!(attempt(None).contains("no .java or .kt file"));
    std::fs::write(dir.join("A.java"), "class A {}").unwrap();
    assert!(attempt(None).contains("topic/case/expect.toml"));
    for (text, wanted) in [
        ("[[method]]\nname = 5", "name"),
        ("[[method]]\nname = \"f\"\nmust = [\"gives 5\"]", "returns, throws"),
        ("[[method]]\nname = \"f\"\nmsut = []", "msut"),
        ("[[method]]\nname = \"f\"\nbranches = 2\ninfeasible = 1", "need a note"),
        ("[[method]]\nname = \"f\"\nbranches = 2\ninfeasible = 3\nnote = \"n\"", "more edges left out"),
    ] {
        let error = attempt(Some(text));
        assert!(error.contains("topic/case/expect.toml") && error.contains(wanted), "{error}");
    }
    std::fs::write(dir.join("B.java"), "class B {}").unwrap();
    assert!(attempt(Some("[[method]]\nname = \"f\"")).contains("a class is needed"));
    std::fs::remove_dir_all(&root).unwrap();
}
