//! The oracle answers as Java does, whatever the call does to its JVM.

use testkit::compare::{Rules, Subject, compare};
use testkit::methods::{JDK_CLASSES, MemberKind, comparable};
use testkit::random::Generator;
use testkit::{Answer, Call, Jdk, Oracle, Outcome, Receiver, Value};

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
    let mut oracle = Oracle::with(&jdk, &[], 300, false).unwrap();
    let abs = Call::of_static("java.lang.Math", "abs", "(I)I", vec![Value::Int(-3)]);
    let exit = Call::of_static("java.lang.System", "exit", "(I)V", vec![Value::Int(0)]);
    let halt = Call {
        receiver: Receiver::None,
        ..Call::of_static("java.lang.Thread", "sleep", "(J)V", vec![Value::Long(60_000)])
    };
    let unknown = Call::of_static("no.such.Class", "f", "()V", vec![]);
    let wrong = Call::of_static("java.lang.Math", "abs", "(I)I", vec![Value::str("x")]);
    let calls = [&abs, &exit, &abs, &halt, &abs, &unknown, &wrong, &abs].map(Clone::clone);
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
    let mut calls = Vec::new();
    for class in JDK_CLASSES {
        let members = comparable(&mut oracle, class).unwrap();
        assert!(members.len() > 5, "{class}: {} methods", members.len());
        let constructors: Vec<_> =
            members.iter().filter(|member| member.kind == MemberKind::Constructor).cloned().collect();
        let mut generator = Generator::new(7);
        for member in &members {
            calls.extend((0..30).filter_map(|_| generator.call(member, &constructors)));
        }
    }
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
