//! The oracle answers as Java does, whatever the call does to its JVM.

use testkit::compare::{Rules, Subject, compare};
use testkit::fixtures::{Compiled, DEFAULT_RELEASE};
use testkit::methods::{JDK_CLASSES, comparable};
use testkit::survey::jdk_calls;
use testkit::{Answer, Call, Fixtures, Jdk, Oracle, Outcome, Receiver, Value};

fn oracle() -> Oracle {
    Oracle::start(&Jdk::at_least(17).unwrap(), &[]).unwrap()
}

fn on(class: &str, method: &str, desc: &str, receiver: Value, args: Vec<Value>) -> Call {
    Call { receiver: Receiver::Value(receiver), ..Call::of_static(class, method, desc, args) }
}

#[test]
fn results_exceptions_and_changed_arguments() {
    let mut oracle = oracle();
    let mut shown = |call: Call| oracle.call(&call).unwrap().to_string();
    let ints = |values: &[i32]| Value::Array("I".into(), values.iter().map(|x| Value::Int(*x)).collect());
    assert_eq!(
        shown(Call::of_static(
            "java.lang.Integer",
            "parseInt",
            "(Ljava/lang/String;)I",
            vec![Value::str("-12")]
        )),
        "returns -12, arguments after (\"-12\")"
    );
    assert_eq!(
        shown(Call::of_static(
            "java.lang.Integer",
            "parseInt",
            "(Ljava/lang/String;)I",
            vec![Value::str("1x")]
        )),
        "throws java.lang.NumberFormatException \"For input string: \\\"1x\\\"\", arguments after (\"1x\")"
    );
    assert_eq!(
        shown(Call::of_static("java.util.Arrays", "sort", "([I)V", vec![ints(&[3, 1, 2])])),
        "returns void, arguments after ([1, 2, 3])"
    );
    assert_eq!(
        shown(Call::of_static("java.lang.Math", "floorMod", "(II)I", vec![Value::Int(7), Value::Int(0)])),
        "throws java.lang.ArithmeticException \"/ by zero\", arguments after (7, 0)"
    );
    assert_eq!(
        shown(on(
            "java.lang.String",
            "charAt",
            "(I)C",
            Value::Str(vec![0xd83d, 0xde00]),
            vec![Value::Int(1)]
        )),
        "returns '\\ude00', arguments after (1)"
    );
    assert_eq!(
        shown(Call::of_static("java.lang.Integer", "valueOf", "(I)Ljava/lang/Integer;", vec![Value::Int(5)])),
        "returns 5, arguments after (5)"
    );
    let append = Call {
        receiver: Receiver::New { desc: "(Ljava/lang/String;)V".into(), args: vec![Value::str("ab")] },
        ..Call::of_static("java.lang.StringBuilder", "reverse", "()Ljava/lang/StringBuilder;", vec![])
    };
    assert_eq!(shown(append), "returns java.lang.StringBuilder<ba>");
}

#[test]
fn calls_that_end_the_jvm_do_not_end_the_oracle() {
    let jdk = Jdk::at_least(17).unwrap();
    let mut oracle = Oracle::with(&jdk, &[], 1000, false).unwrap();
    let abs = Call::of_static("java.lang.Math", "abs", "(I)I", vec![Value::Int(-3)]);
    let exit = Call::of_static("java.lang.System", "exit", "(I)V", vec![Value::Int(0)]);
    let sleep = Call::of_static("java.lang.Thread", "sleep", "(J)V", vec![Value::Long(60_000)]);
    let unknown = Call::of_static("no.such.Class", "f", "()V", vec![]);
    let wrong = Call::of_static("java.lang.Math", "abs", "(I)I", vec![Value::str("x")]);
    let calls = [&abs, &exit, &abs, &sleep, &abs, &unknown, &wrong, &abs].map(Clone::clone);
    let outcomes: Vec<String> =
        oracle.call_all(&calls).unwrap().iter().map(|answer| answer.outcome.to_string()).collect();
    assert_eq!(outcomes[1], "unanswered: exited");
    assert_eq!(outcomes[3], "unanswered: timed out");
    assert!(outcomes[5].contains("ClassNotFoundException"), "{}", outcomes[5]);
    assert!(outcomes[6].contains("IllegalArgumentException"), "{}", outcomes[6]);
    for i in [0, 2, 4, 7] {
        assert_eq!(outcomes[i], "returns 3");
    }
}

#[test]
fn huge_results_and_memory_are_answered() {
    let mut oracle = oracle();
    let repeat =
        |n| on("java.lang.String", "repeat", "(I)Ljava/lang/String;", Value::str("ab"), vec![Value::Int(n)]);
    let answers = oracle.call_all(&[repeat(2), repeat(300_000), repeat(1 << 30), repeat(3)]).unwrap();
    assert_eq!(answers[0].outcome, Outcome::Returned(Value::str("abab")));
    assert!(answers[1].outcome.to_string().contains("too large"));
    assert!(answers[2].outcome.to_string().contains("OutOfMemoryError"));
    assert_eq!(answers[3].outcome, Outcome::Returned(Value::str("ababab")));
}

#[test]
fn calls_on_fixtures() {
    let compiled = Fixtures::discover().unwrap().compile(false).unwrap();
    for (release, Compiled { jdk, classes, .. }) in &compiled {
        let mut oracle = Oracle::start(jdk, std::slice::from_ref(classes)).unwrap();
        if *release != DEFAULT_RELEASE {
            let class = "fx.patterns.PatternSwitch";
            let call = Call::of_static(
                class,
                "classify",
                "(Ljava/lang/Object;)Ljava/lang/String;",
                vec![Value::Null],
            );
            assert_eq!(oracle.call(&call).unwrap().outcome, Outcome::Returned(Value::str("null")));
            continue;
        }
        // Statics live on in the shared world, and do not in fresh ones.
        let take = |fresh| Call {
            fresh,
            ..Call::of_static("fx.statics.Sequence", "take", "(I)Ljava/lang/String;", vec![Value::Int(1)])
        };
        let taken =
            oracle.call_all(&[take(false), take(false), take(true), take(true), take(false)]).unwrap();
        let shown: Vec<String> = taken.iter().map(|answer| answer.outcome.to_string()).collect();
        assert_eq!(shown, ["#2", "#3", "#2", "#2", "#4"].map(|text| format!("returns \"{text}\"")));

        let class = "fx.objects.Account";
        let account = |overdraft, amount| Call {
            receiver: Receiver::New {
                desc: "(Ljava/lang/String;I)V".into(),
                args: vec![Value::str("ann"), Value::Int(overdraft)],
            },
            ..Call::of_static(class, "withdraw", "(I)Z", vec![Value::Int(amount)])
        };
        assert_eq!(
            oracle.call(&account(1001, 5)).unwrap().to_string(),
            "returns true, arguments after (5), owner = \"ann\", overdraft = 1001, balance = -5L, frozen = true"
        );
        assert_eq!(
            oracle.call(&account(-1, 5)).unwrap().outcome.to_string(),
            "constructor throws java.lang.IllegalArgumentException \"negative overdraft\""
        );

        let print = Call::of_static("fx.stdout.Printing", "thenFail", "(I)V", vec![Value::Int(11)]);
        let answer = oracle.call(&print).unwrap();
        assert_eq!(
            answer.to_string(),
            "throws java.lang.IllegalStateException \"n = 11\", arguments after (11), prints \"before\""
        );

        let deep =
            Call::of_static("fx.recursion.RecursiveNumbers", "unbounded", "(I)I", vec![Value::Int(-1)]);
        assert_eq!(oracle.call(&deep).unwrap().outcome.to_string(), "throws java.lang.StackOverflowError");
        let level = Value::Enum("fx.enums.Levels$Level".into(), "WARN".into());
        let colour = Call::of_static(
            "fx.enums.Levels",
            "colour",
            "(Lfx/enums/Levels$Level;)Ljava/lang/String;",
            vec![level],
        );
        assert_eq!(oracle.call(&colour).unwrap().outcome, Outcome::Returned(Value::str("yellow")));
    }
}

/// Answers from another JVM: what our VM will stand for, and a check that the JVM agrees with itself.
struct OtherJvm(Oracle);

impl Subject for OtherJvm {
    fn call(&mut self, call: &Call) -> Answer {
        self.0.call(call).unwrap_or_else(|e| Answer::unanswered(e.to_string()))
    }
}

#[test]
fn random_calls_over_the_jdk() {
    let mut oracle = oracle();
    for class in JDK_CLASSES {
        let members = comparable(&mut oracle, class).unwrap();
        assert!(members.len() > 5, "{class}: {} methods", members.len());
    }
    let calls = jdk_calls(&mut oracle, 7, 30).unwrap();
    assert!(calls.len() > 20_000, "{} calls", calls.len());
    let answers = oracle.call_all(&calls).unwrap();
    assert_eq!(answers.len(), calls.len());
    let unanswered: Vec<String> = calls
        .iter()
        .zip(&answers)
        .filter(|(_, answer)| matches!(answer.outcome, Outcome::Unanswered(_)))
        .map(|(call, answer)| format!("{call} {answer}"))
        .collect();
    assert!(
        unanswered.len() * 200 < calls.len(),
        "{} unanswered: {:#?}",
        unanswered.len(),
        &unanswered[..20]
    );

    // Every tenth again on another JVM: nothing in the list may depend on the process.
    let sample: Vec<Call> = calls.into_iter().step_by(10).collect();
    let mut other = OtherJvm(Oracle::start(&Jdk::at_least(17).unwrap(), &[]).unwrap());
    let report = compare(&sample, &mut other, &mut oracle, Rules::default()).unwrap();
    assert!(report.differed.is_empty(), "{report}");
    assert!(report.agreed * 100 > report.calls * 98, "{report}");
}

#[test]
fn a_wrong_subject_is_caught() {
    struct Wrong;
    impl Subject for Wrong {
        fn call(&mut self, call: &Call) -> Answer {
            Answer {
                outcome: Outcome::Returned(Value::Int(3)),
                args_after: call.args.clone(),
                fields_after: Vec::new(),
                stdout: Vec::new(),
            }
        }
    }
    let call = |x| Call::of_static("java.lang.Math", "abs", "(I)I", vec![Value::Int(x)]);
    let report = compare(&[call(-3), call(4)], &mut Wrong, &mut oracle(), Rules::default()).unwrap();
    assert_eq!((report.calls, report.agreed, report.differed.len()), (2, 1, 1));
    assert_eq!(report.differed[0].what, "result");
}
