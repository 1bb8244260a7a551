//! Emitted tests on the real JVM: what is green, and how everything that is not shows.

#[path = "../../emit/tests/samples/mod.rs"]
mod samples;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use emit::java::{Framework, Options, SuiteFile, render};
use emit::write::java_path;
use runner::confirm::{ConfirmReport, Environment, Faulty, TestSource, Verdict, confirm};
use runner::coverage::coverage;
use runner::junit::JunitJars;
use runner::observe::{Observed, ObservedOutcome, Seen, adopt, observe};
use runner::process::Limits;
use runner::sandbox::Isolation;
use runner::toolchain::Jdk;
use samples::{act, file, java_class};
use suite::case::{Assert, Call, Check, ClassName, Outcome, TestCase, Text, Type, Value};
use tempfile::TempDir;

/// The compiled code under test.
struct Subject {
    _dir: TempDir,
    environment: Environment,
}

fn subject() -> Subject {
    let dir = tempfile::tempdir().unwrap();
    let jdk = Jdk::find(None).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../emit/tests/samples/com/acme/Calc.java");
    let status = Command::new(&jdk.javac).args(["-g", "-d"]).arg(dir.path()).arg(source).status().unwrap();
    assert!(status.success());
    let environment = Environment {
        jdk,
        class_path: vec![dir.path().to_path_buf()],
        isolation: Isolation::detect(),
        limits: Limits { test: Duration::from_secs(4), ..Limits::default() },
        preview: None,
    };
    Subject { _dir: dir, environment }
}

fn source(file: &SuiteFile, options: Options) -> TestSource {
    let rendered = render(file, options);
    TestSource::new(java_path(&file.package, &file.class_name), rendered)
}

fn options(framework: Framework) -> Options {
    Options { framework, release: if framework == Framework::Junit5 { 17 } else { 8 } }
}

fn check(environment: &Environment, framework: Framework, files: &[SuiteFile]) -> ConfirmReport {
    let junit = JunitJars::find(framework, &environment.class_path).unwrap();
    let sources: Vec<TestSource> = files.iter().map(|file| source(file, options(framework))).collect();
    confirm(environment, &junit, sources, None).unwrap()
}

#[test]
fn every_sample_is_green_in_both_frameworks() {
    let subject = subject();
    let files: Vec<SuiteFile> = samples::all().into_iter().map(|(_, file)| file).collect();
    let count: usize = files.iter().map(|file| file.cases.len()).sum();
    for framework in [Framework::Junit5, Framework::Junit4] {
        let report = check(&subject.environment, framework, &files);
        let bad: Vec<_> = report.tests.iter().filter(|test| test.verdict != Verdict::Passed).collect();
        assert!(bad.is_empty(), "{framework:?}: {bad:#?}");
        assert_eq!(report.tests.len(), count);
    }
}

/// One test of every kind that must not be shipped, between tests that must.
fn mixed() -> SuiteFile {
    let good =
        |name: &str| TestCase::returns(name, act("twice", "(J)J", vec![Value::Long(1)]), Value::Long(2));
    file(vec![
        good("a_good"),
        TestCase::new("b_hangs", act("hang", "(Z)V", vec![Value::Bool(true)]), Outcome::Returns),
        TestCase::new("c_exits", act("exit", "(I)V", vec![Value::Int(3)]), Outcome::Returns),
        TestCase::returns("d_wrong", act("twice", "(J)J", vec![Value::Long(1)]), Value::Long(3)),
        TestCase::returns("e_unknownMethod", act("noSuch", "(J)J", vec![Value::Long(1)]), Value::Long(3)),
        TestCase::throws(
            "f_unknownImport",
            act("twice", "(J)J", vec![Value::Long(1)]),
            java_class("org.nowhere.NoSuchException"),
            None,
        ),
        TestCase::returns("g_clock", act("clock", "()J", vec![]), Value::Long(1)),
        good("h_good"),
    ])
}

#[test]
fn what_hangs_exits_fails_or_does_not_compile_is_told_apart_and_the_rest_passes() {
    let mut subject = subject();
    subject.environment.limits.test = Duration::from_millis(1500);
    for framework in [Framework::Junit5, Framework::Junit4] {
        let report = check(&subject.environment, framework, &[mixed()]);
        let verdict = |case: &str| report.verdict(0, case).unwrap();
        assert_eq!(
            (verdict("a_good"), verdict("h_good")),
            (&Verdict::Passed, &Verdict::Passed),
            "{report:#?}"
        );
        assert_eq!(verdict("b_hangs"), &Verdict::TimedOut);
        assert!(matches!(verdict("c_exits"), Verdict::Exited { how } if how.contains("exited with 3")));
        assert!(matches!(verdict("d_wrong"), Verdict::Failed { message } if message.contains('2')));
        assert!(
            matches!(verdict("e_unknownMethod"), Verdict::CompileError { diagnostic } if diagnostic.contains("noSuch"))
        );
        assert!(matches!(verdict("f_unknownImport"), Verdict::CompileError { .. }), "{report:#?}");
        assert!(matches!(verdict("g_clock"), Verdict::Unstable { .. }), "{report:#?}");
    }
}

#[test]
fn what_does_not_compile_is_mended_once_and_rejected_if_that_does_not_help() {
    let subject = subject();
    let junit = JunitJars::find(Framework::Junit5, &subject.environment.class_path).unwrap();
    let (mixed, options) = (mixed(), options(Framework::Junit5));
    let wanted = |case: &TestCase| ["a_good", "d_wrong", "h_good"].contains(&case.name.as_str());
    let mut good = mixed.clone();
    good.cases.retain(wanted);
    let mut broken = mixed;
    broken
        .cases
        .retain(|case| wanted(case) || ["e_unknownMethod", "f_unknownImport"].contains(&case.name.as_str()));
    let mut asked: Vec<Vec<String>> = Vec::new();
    let report = {
        let mut mended = broken.clone();
        let mut mend = |faulty: &[Faulty<'_>]| {
            asked.push(faulty.iter().map(|faulty| faulty.case.to_string()).collect());
            // One of them can be helped.
            for case in mended.cases.iter_mut().filter(|case| case.name == "e_unknownMethod") {
                *case = TestCase { name: case.name.clone(), ..good.cases[0].clone() };
            }
            vec![source(&mended, options)]
        };
        confirm(&subject.environment, &junit, vec![source(&broken, options)], Some(&mut mend)).unwrap()
    };
    asked.iter_mut().for_each(|names| names.sort());
    assert_eq!(asked.concat(), ["e_unknownMethod", "f_unknownImport"], "{asked:?}");
    let verdict = |case: &str| report.verdict(0, case).unwrap();
    for passed in ["a_good", "e_unknownMethod", "h_good"] {
        assert_eq!(verdict(passed), &Verdict::Passed, "{passed}");
    }
    assert!(matches!(verdict("d_wrong"), Verdict::Failed { .. }), "{report:#?}");
    assert!(matches!(verdict("f_unknownImport"), Verdict::CompileError { .. }), "{report:#?}");
}

#[test]
fn a_stub_that_does_not_compile_costs_those_that_use_it() {
    let subject = subject();
    let junit = JunitJars::find(Framework::Junit5, &subject.environment.class_path).unwrap();
    let mut file = mixed();
    file.cases.retain(|case| ["a_good", "h_good"].contains(&case.name.as_str()));
    let mut broken = source(&file, options(Framework::Junit5));
    let user = broken.text.find("void h_good() {").unwrap() + "void h_good() {".len();
    broken.text.insert_str(user, " new BadStub();");
    broken.text.truncate(broken.text.trim_end().len() - 1);
    let first = broken.text.lines().count() + 1;
    broken.text += "    private static class BadStub implements NoSuch {\n    }\n}\n";
    broken.shared.push((first, first + 1));
    let report = confirm(&subject.environment, &junit, vec![broken], None).unwrap();
    assert_eq!(report.verdict(0, "a_good"), Some(&Verdict::Passed));
    assert!(matches!(report.verdict(0, "h_good"), Some(Verdict::CompileError { .. })), "{report:#?}");
}

#[test]
fn nothing_is_said_of_what_there_was_no_time_for() {
    let mut subject = subject();
    subject.environment.limits.until = Some(Instant::now());
    let report = check(&subject.environment, Framework::Junit5, &[mixed()]);
    assert!(report.tests.iter().all(|test| test.verdict == Verdict::Late), "{report:#?}");
    let seen = observe(&subject.environment, "com.acme", &mixed().cases, 17).unwrap();
    assert!(seen.iter().all(|seen| *seen == Observed::Late), "{seen:#?}");
}

#[test]
fn the_second_run_is_in_another_world() {
    let subject = subject();
    let class = java_class("java.util.TimeZone");
    let zone =
        Value::call(Call::on_class(class.clone(), "getDefault", vec![], Type::class(class.clone()), vec![]));
    let id = Call::on_instance(zone, class, "getID", vec![], Type::string(), vec![]);
    let report = check(
        &subject.environment,
        Framework::Junit5,
        &[file(vec![TestCase::returns("zone", id, Value::str("UTC"))])],
    );
    assert!(
        matches!(&report.tests[0].verdict, Verdict::Unstable { first, .. } if first == "passed"),
        "{report:#?}"
    );
}

#[test]
fn what_the_jvm_shows_replaces_what_was_expected() {
    let subject = subject();
    let object = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let wrong: Vec<TestCase> = vec![
        TestCase::returns(
            "divide",
            act("divide", "(II)I", vec![Value::Int(7), Value::Int(2)]),
            Value::Int(4),
        ),
        TestCase::returns(
            "divideByZero",
            act("divide", "(II)I", vec![Value::Int(7), Value::Int(0)]),
            Value::Int(0),
        ),
        TestCase::throws(
            "require",
            act("require", "(I)V", vec![Value::Int(-1)]),
            java_class("java.lang.RuntimeException"),
            Some(Text::from("?")),
        ),
        TestCase::throws(
            "halfThrows",
            act("sine", "(D)D", vec![Value::double(f64::INFINITY)]),
            java_class("java.lang.RuntimeException"),
            None,
        ),
        TestCase::returns("sort", act("sort", "([I)I", vec![Value::var("values")]), Value::Int(0))
            .binding(
                "values",
                Type::array(Type::Int),
                Value::Array { elem: Type::Int, items: vec![Value::Int(2), Value::Int(1)] },
            )
            .asserting(Assert::that(Value::var("values"), Check::Equals(Value::Null))),
        TestCase::returns("same", act("same", object, vec![Value::boxed(Value::Char(0xd800))]), Value::Null),
        TestCase::returns(
            "mode",
            act("mode", "(Z)Lcom/acme/Calc$Mode;", vec![Value::Bool(true)]),
            Value::Null,
        ),
        TestCase::returns("range", act("range", "(I)Ljava/util/List;", vec![Value::Int(2)]), Value::Null),
        TestCase::returns(
            "lengths",
            act("lengths", "(Ljava/lang/String;)Ljava/util/Map;", vec![Value::Str(Text(vec![0xdc00]))]),
            Value::Null,
        ),
        TestCase::new(
            "greet",
            act("greet", "(Ljava/lang/String;)V", vec![Value::str("é")]),
            Outcome::Returns,
        )
        .asserting(Assert::stdout("")),
        TestCase::returns("grid", act("grid", "(I)[[I", vec![Value::Int(1)]), Value::Null),
        TestCase::returns(
            "type",
            act("type", "(Ljava/lang/Object;)Ljava/lang/Class;", vec![Value::str("")]),
            Value::Null,
        ),
    ];
    let observed = observe(&subject.environment, "com.acme", &wrong, 17).unwrap();
    let right: Vec<TestCase> = wrong
        .iter()
        .zip(&observed)
        .map(|(case, observed)| match observed {
            Observed::Stable(seen) => adopt(case, seen, false),
            other => panic!("{}: {other:?}", case.name),
        })
        .collect();
    assert_eq!(right[0].asserts, [Assert::result(Check::Equals(Value::Int(3)))]);
    assert!(
        matches!(&right[1].outcome, Outcome::Throws { class, message: None } if class.simple_name() == "ArithmeticException")
    );
    assert!(
        matches!(&right[2].outcome, Outcome::Throws { message: Some(m), .. } if *m == Text::from("\"x\" < 0\n"))
    );
    assert_eq!(right[9].asserts, [Assert::stdout("Hello, é\n")]);
    let report = check(&subject.environment, Framework::Junit5, &[file(right)]);
    let bad: Vec<_> = report.tests.iter().filter(|test| test.verdict != Verdict::Passed).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn what_cannot_be_observed_says_why() {
    let mut subject = subject();
    subject.environment.limits.test = Duration::from_millis(1500);
    let object = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let calc = Call::constructor(samples::calc(), vec![], vec![]);
    let cases = vec![
        TestCase::new("hang", act("hang", "(Z)V", vec![Value::Bool(true)]), Outcome::Returns),
        TestCase::new("noSuch", act("noSuch", "()V", vec![]), Outcome::Returns),
        TestCase::returns("clock", act("clock", "()J", vec![]), Value::Long(1)),
        TestCase::returns("opaque", act("same", object, vec![Value::call(calc)]), Value::Null),
    ];
    let observed = observe(&subject.environment, "com.acme", &cases, 17).unwrap();
    assert!(
        matches!(&observed[0], Observed::Failed { reason } if reason == "ran out of time"),
        "{observed:?}"
    );
    assert!(matches!(&observed[1], Observed::Failed { reason } if reason.contains("does not compile")));
    assert!(matches!(&observed[2], Observed::Unstable { .. }));
    let Observed::Stable(seen) = &observed[3] else { panic!("{:?}", observed[3]) };
    assert_eq!(seen.outcome, ObservedOutcome::Returned(Some(Seen::Opaque("com.acme.Calc".into()))));
    assert_eq!(adopt(&cases[3], seen, false).asserts, [Assert::result(Check::NotNull)]);
}

#[test]
fn coverage_counts_branches_by_method() {
    let subject = subject();
    let junit = JunitJars::find(Framework::Junit5, &[]).unwrap();
    let sources = [source(&samples::references(), options(Framework::Junit5))];
    let classes = coverage(&subject.environment, &junit, sources.to_vec(), &[samples::calc()]).unwrap();
    let names: Vec<&str> = classes.iter().map(|class| class.class.as_str()).collect();
    assert!(names.contains(&"com/acme/Calc") && names.contains(&"com/acme/Calc$Mode"), "{names:?}");
    let calc = classes.iter().find(|class| class.class == "com/acme/Calc").unwrap();
    let branches = |name: &str| {
        let method = calc.methods.iter().find(|method| method.name == name).unwrap();
        (method.counters.branches.covered, method.counters.branches.total())
    };
    assert_eq!((branches("box"), branches("require"), branches("first")), ((2, 2), (2, 2), (1, 2)));
}

#[test]
fn the_unnamed_package_and_names_that_object_has_are_fine() {
    let dir = tempfile::tempdir().unwrap();
    let jdk = Jdk::find(None).unwrap();
    std::fs::write(dir.path().join("Plain.java"), "class Plain { static int one() { return 1; } }").unwrap();
    let status = Command::new(&jdk.javac).arg("Plain.java").current_dir(dir.path()).status().unwrap();
    assert!(status.success());
    let environment = Environment {
        jdk,
        class_path: vec![dir.path().to_path_buf()],
        isolation: Isolation::detect(),
        limits: Limits::default(),
        preview: None,
    };
    let call = || Call::on_class(ClassName::new("", &["Plain"]), "one", vec![], Type::Int, vec![]);
    let cases = ["toString", "assertEquals", "größe", "new"];
    let cases: Vec<TestCase> =
        cases.into_iter().map(|name| TestCase::returns(name, call(), Value::Int(1))).collect();
    let observed = observe(&environment, "", &cases[..1], 8).unwrap();
    assert!(
        matches!(&observed[0], Observed::Stable(seen)
            if seen.outcome == ObservedOutcome::Returned(Some(Seen::Value(Value::Int(1))))),
        "{observed:?}"
    );
    let file = SuiteFile { package: String::new(), class_name: "PlainTest".into(), siblings: vec![], cases };
    let report = check(&environment, Framework::Junit4, &[file]);
    assert!(report.tests.iter().all(|test| test.verdict == Verdict::Passed), "{report:#?}");
}

#[test]
fn a_class_path_entry_with_sources_is_not_compiled() {
    let subject = subject();
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("com/acme");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("Calc.java"), "this is not Java").unwrap();
    let mut class_path: Vec<PathBuf> = vec![dir.path().to_path_buf()];
    class_path.extend(subject.environment.class_path.clone());
    let environment = Environment { class_path, ..subject.environment.clone() };
    let case = TestCase::returns("twice", act("twice", "(J)J", vec![Value::Long(1)]), Value::Long(2));
    let report = check(&environment, Framework::Junit5, &[file(vec![case])]);
    assert_eq!(report.tests[0].verdict, Verdict::Passed);
}
