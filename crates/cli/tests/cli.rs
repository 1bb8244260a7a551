//! The binary as users and scripts meet it: what goes wrong is told on standard error, nothing is on standard output,
//! and the exit code is the documented one (1 failed, 2 wrong usage).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use testkit::Jdk;
use testkit::jdk::Options;

const CALC: &str = "package a; public class Calc {
    public int divide(int x, int y) { return x / y; }
    public static int twice(int x) { return x * 2; }
}";
const SHAPE: &str = "package a; public interface Shape { int area(); }";
const BASE: &str = "package a; public abstract class Base {
    public abstract int f();
    public int g(int x) { return x > 0 ? f() : 0; }
    public static boolean even(int x) { return x % 2 == 0; }
    public static int sum(int n) {
        int s = 0;
        while (n > 0) {
            s += n;
            n--;
        }
        return s;
    }
}";

/// A place to work in, with compiled classes.
struct Place {
    dir: TempDir,
    jdk: Jdk,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let sources: Vec<PathBuf> = [("Calc", CALC), ("Shape", SHAPE), ("Base", BASE)]
            .map(|(name, text)| {
                let file = dir.path().join(format!("{name}.java"));
                fs::write(&file, text).unwrap();
                file
            })
            .to_vec();
        let jdk = Jdk::at_least(17).unwrap();
        let compiled = jdk.compile(&sources, &Options::default()).unwrap();
        // A copy of its own: the compiled classes are shared, and some tests damage them.
        let classes = dir.path().join("classes/a");
        fs::create_dir_all(&classes).unwrap();
        for name in ["Calc", "Shape", "Base"] {
            let file = format!("{name}.class");
            fs::copy(compiled.join("a").join(&file), classes.join(&file)).unwrap();
        }
        Place { dir, jdk }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testwright"));
        command.args(args).current_dir(self.dir.path()).env("JAVA_HOME", &self.jdk.home);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// `generate` without the confirming run, with these further arguments.
    fn generate(&self, args: &[&str]) -> Output {
        let mut all = vec!["generate", "--no-run", "-c", "classes", "-o", "out"];
        all.extend(args);
        self.run(&all)
    }
}

/// Checks the exit code, an empty standard output and a part of the message.
fn fails(output: &Output, code: i32, message: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(stderr.contains(message), "no {message:?} in:\n{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn what_works_leaves_standard_output_empty() {
    let place = Place::new();
    let output = place.generate(&["a.Calc"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.is_empty());
    assert!(text(&place.path("out/a/CalcTest.java")).contains("ArithmeticException"));
}

#[test]
fn unknown_names_come_with_the_nearest() {
    let place = Place::new();
    fails(&place.generate(&["a.Clac"]), 1, "did you mean a.Calc?");
    fails(&place.generate(&["a.Calc#divde"]), 1, "did you mean divide?");
    fails(&place.generate(&["a.Calc#divide(II)J"]), 1, "did you mean divide(int, int)");
    fails(&place.generate(&["b.**"]), 1, "no class matches 'b.**'");
    fails(&place.run(&["explore", "-c", "classes", "a.Clac"]), 1, "did you mean a.Calc?");
    fails(&place.run(&["cover", "-c", "classes", "a.Clac"]), 1, "did you mean a.Calc?");
}

#[test]
fn wrong_usage_is_told_apart_from_failure() {
    let place = Place::new();
    fails(&place.generate(&["a.C*c"]), 2, "'*' may only stand at the end");
    fails(&place.generate(&["a.Calc#"]), 2, "names no method");
    fails(&place.generate(&[]), 2, "no targets");
    fails(&place.generate(&["--criterion", "most", "a.Calc"]), 2, "branch");
    fails(&place.generate(&["--report", "xml=x", "a.Calc"]), 2, "json");
    fails(&place.generate(&["--report", "json", "a.Calc"]), 2, "json=FILE");
    fails(&place.generate(&["--time", "soon", "a.Calc"]), 2, "not a number of seconds");
    fails(&place.generate(&["--time", "0", "a.Calc"]), 2, "more than 0");
    fails(&place.generate(&["--strategy", "luck", "a.Calc"]), 2, "coverage");
    fails(&place.run(&["generate", "--no-run", "-c", "classes", "a.Calc"]), 2, "-o DIR");
    fails(&place.run(&["invent"]), 2, "unrecognized subcommand");
}

#[test]
fn places_that_are_not_there() {
    let place = Place::new();
    fails(
        &place.run(&["generate", "--no-run", "-c", "classes:nowhere", "-o", "out", "a.Calc"]),
        1,
        "nowhere",
    );
    fails(&place.generate(&["--jdk", "/nonexistent", "a.Calc"]), 1, "/nonexistent is not a JDK");
    fails(&place.run(&["generate", "-p", "/nonexistent", "a.Calc"]), 1, "not a Maven or Gradle project");
    fails(&place.run(&["replay", "nothing.json#test"]), 1, "nothing.json");
    fails(&place.generate(&["--report", "json=Calc.java/report.json", "a.Calc"]), 1, "Calc.java/report.json");
}

#[test]
fn a_java_home_without_a_jdk_is_named() {
    let place = Place::new();
    let output = place
        .command(&["generate", "--no-run", "-c", "classes", "-o", "out", "a.Calc"])
        .env("JAVA_HOME", "/nonexistent")
        .env("PATH", "/nonexistent")
        .output()
        .unwrap();
    // One of the usual folders may hold a JDK; then it is taken.
    let stderr = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => assert!(stderr.contains("wrote")),
        code => assert!(code == Some(1) && stderr.contains("JDK"), "{code:?}: {stderr}"),
    }
}

#[test]
fn damaged_classes_are_refused_with_the_reason() {
    let place = Place::new();
    let file = place.path("classes/a/Calc.class");
    let bytes = fs::read(&file).unwrap();
    let mut future = bytes.clone();
    future[6..8].copy_from_slice(&99u16.to_be_bytes());
    fs::write(&file, future).unwrap();
    fails(&place.generate(&["a.Calc"]), 1, "version 99");
    fs::write(&file, &bytes[..200]).unwrap();
    fails(&place.generate(&["a.Calc"]), 1, "ends too early");
    fs::write(&file, b"").unwrap();
    fails(&place.generate(&["a.Calc"]), 1, "a.Calc");
    fs::write(&file, b"not a class at all").unwrap();
    fails(&place.generate(&["a.Calc"]), 1, "a.Calc");
}

#[test]
fn one_damaged_class_does_not_cost_the_others() {
    let place = Place::new();
    fs::write(place.path("classes/a/Calc.class"), b"not a class at all").unwrap();
    let output = place.generate(&["a.*"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("no tests for a.Calc"), "{stderr}");
    assert!(place.path("out/a/BaseTest.java").exists());
}

#[test]
fn what_cannot_be_written() {
    let place = Place::new();
    fs::write(place.path("file"), "").unwrap();
    let into = |out: &str| place.run(&["generate", "--no-run", "-c", "classes", "-o", out, "a.Calc"]);
    fails(&into("file"), 1, "cannot write file");
    fails(&into("file/below"), 1, "cannot write file/below");
}

#[test]
fn files_of_others_are_left_alone() {
    let place = Place::new();
    let theirs = place.path("out/a/CalcTest.java");
    fs::create_dir_all(theirs.parent().unwrap()).unwrap();
    fs::write(&theirs, "mine").unwrap();
    let output = place.generate(&["a.Calc"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text(&theirs), "mine");
    let ours = place.path("out/a/CalcTestwrightTest.java");
    let first = text(&ours);
    // Our own file is replaced, by the same.
    assert_eq!(place.generate(&["a.Calc"]).status.code(), Some(0));
    assert_eq!(text(&ours), first);
}

#[test]
fn interfaces_have_nothing_to_test_and_abstract_classes_their_static_part() {
    let place = Place::new();
    fails(&place.generate(&["a.Shape"]), 1, "a.Shape");
    let output = place.generate(&["a.Base"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(text(&place.path("out/a/BaseTest.java")).contains("Base.even("));
}

#[test]
fn reports_of_every_kind() {
    let place = Place::new();
    fs::create_dir_all(place.path("classes/a")).unwrap();
    fs::write(place.path("classes/a/Base.java"), BASE).unwrap();
    let kinds = ["json=made/for/it/r.json", "html=pages", "sarif=r.sarif", "lcov=r.lcov"];
    let mut args = vec!["a.Base"];
    kinds.iter().for_each(|kind| args.extend(["--report", kind]));
    let output = place.generate(&args);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| fs::read_to_string(place.path(name)).unwrap();
    let report: serde_json::Value = serde_json::from_str(&read("made/for/it/r.json")).unwrap();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    testkit::schema::check(&docs.join("report.schema.json"), &report);
    let sarif: serde_json::Value = serde_json::from_str(&read("r.sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert!(sarif["runs"][0]["results"].is_array());
    let lcov = read("r.lcov");
    assert!(
        lcov.contains("SF:a/Base.java") && lcov.contains("BRDA:4,") && lcov.ends_with("end_of_record\n"),
        "{lcov}"
    );
    assert!(read("pages/index.html").contains("a.Base.html"));
    let page = read("pages/a.Base.html");
    assert!(
        page.contains("<svg") && page.contains("public static boolean even") && !page.contains("<script")
    );
}

/// The lines of `--json`, which are of the schema.
fn records(output: &Output) -> Vec<serde_json::Value> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/code.schema.json");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.inspect(|line| testkit::schema::check(&schema, line)).collect()
}

#[test]
fn obligations_and_tests_are_of_the_schema() {
    let place = Place::new();
    for criterion in ["prime-path", "mcdc", "all-du-paths", "loop", "branch-checks"] {
        let more = ["--json", "--criterion", criterion, "--boundary", "-c", "classes", "a.Base"];
        let all = records(&place.run(&[&["cover"][..], &more].concat()));
        let tests: Vec<_> = all.iter().filter(|r| r["record"] == "test").map(|r| &r["name"]).collect();
        let by = all.iter().filter_map(|r| r["by"].as_array()).flatten();
        assert!(!tests.is_empty() && all.len() > tests.len(), "{criterion}: {all:?}");
        assert!(
            by.chain(all.iter().map(|r| &r["side_trips"]).filter(|t| t.is_string()))
                .all(|by| tests.contains(&by))
        );
    }
    assert!(records(&place.run(&["explore", "--json", "-c", "classes", "a.Base#even"])).len() > 1);
}

#[test]
fn paths_of_a_method_come_cheapest_first() {
    let place = Place::new();
    let paths = |method: &str, unit: &str| -> Vec<serde_json::Value> {
        let more = ["--max-paths", "6", "--cost", unit, "-c", "classes", method];
        let output = place.run(&[&["cover", "--paths", "--json"][..], &more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        records(&output)
    };
    let costs = |paths: &[serde_json::Value]| -> Vec<u64> {
        assert!(paths.iter().all(|p| p["cheapest"] == true), "{paths:?}");
        paths.iter().map(|p| p["cost"].as_u64().unwrap()).collect()
    };
    let all = paths("a.Base#even", "blocks");
    assert!(all.len() >= 2 && all.iter().all(|p| p["exhaustive"] == true), "{all:?}");
    assert!(costs(&all).is_sorted());
    // Endless: each further round of the loop costs two blocks, three statements, three lines.
    let endless = paths("a.Base#sum", "blocks");
    assert_eq!(costs(&endless), [3, 5, 7, 9, 11, 13]);
    assert!(endless.iter().all(|p| p["exhaustive"] == false));
    for unit in ["statements", "lines"] {
        assert_eq!(costs(&paths("a.Base#sum", unit)), [3, 6, 9, 12, 15, 18], "{unit}");
    }
    // What the library does to compare texts is no path of the method.
    let source = place.path("Words.java");
    let text = "package a; public class Words { public static int pick(String s, int k) { switch (s) { \
                case \"one\": return 1; default: return k > 3 ? 2 : 3; } } }";
    fs::write(&source, text).unwrap();
    let compiled = place.jdk.compile(&[source], &Options::default()).unwrap();
    fs::copy(compiled.join("a/Words.class"), place.path("classes/a/Words.class")).unwrap();
    let words = paths("a.Words#pick", "blocks");
    let mut outcomes: Vec<&str> = words.iter().filter_map(|p| p["condition"].as_str()).collect();
    outcomes.sort_unstable();
    assert_eq!(outcomes.len(), 4, "{words:?}");
    outcomes.dedup();
    assert_eq!(outcomes.len(), 4, "{words:?}");
    let picture = place.run(&["show", "cfg", "--svg", "-c", "classes", "a.Base#g"]);
    assert!(String::from_utf8_lossy(&picture.stdout).starts_with("<svg"));
}

/// Switches over floating-point values, a preview of Java 25: where there is such a JDK.
#[test]
fn switches_over_floating_point_constants_are_covered() {
    let Ok(jdk) = Jdk::at_least(25) else { return };
    let place = Place::new();
    let source = place.path("Real.java");
    let text = "package a; public class Real {
        static int f(float x) { return switch (x) { case 1.5f -> 1; case -0.0f -> 2; case float y when y > 9 -> 3; default -> 0; }; }
        static int d(double x) { return switch (x) { case 0.0 -> 1; case Double.NaN -> 2; default -> 0; }; }
        static int b(Double x) { return switch (x) { case null -> 5; case 2.5 -> 1; case Double z when z.isNaN() -> 2; default -> 0; }; }
    }";
    fs::write(&source, text).unwrap();
    let extra = vec!["--enable-preview".to_string()];
    let options = Options { release: Some(25), no_debug: false, extra };
    let compiled = jdk.compile(&[source], &options).unwrap();
    let home = jdk.home.display().to_string();
    let classes = compiled.display().to_string();
    let all = records(&place.run(&["cover", "--json", "--jdk", &home, "-c", &classes, "a.Real"]));
    let outcomes = |method: &str| -> Vec<&str> {
        let of = all.iter().filter(|r| r["record"] == "test" && r["method"] == method);
        let told = of.filter_map(|r| r["condition"].as_str()?.rsplit_once("eturns "));
        let mut found: Vec<&str> = told.map(|(_, value)| value).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    assert!(all.iter().filter(|r| r["record"] == "obligation").all(|o| o["verdict"] == "covered"), "{all:?}");
    assert_eq!(outcomes("f").len(), 4, "{all:?}");
    assert_eq!([outcomes("d").len(), outcomes("b").len()], [3, 4], "{all:?}");
    assert!(all.iter().any(|o| o["obligation"] == "line 2: x is -0.0"), "{all:?}");
}

/// Neither bubblewrap nor namespaces: what is harmless is confirmed, what changes files only if it is trusted.
#[test]
fn without_isolation_only_harmless_tests_are_confirmed() {
    let place = Place::new();
    let source = place.path("Disk.java");
    let text = "package a; public class Disk { public static int plain(int x) { return x > 3 ? 1 : 2; } \
                public static boolean gone(int x) { return x > 7 && new java.io.File(\"/nowhere/x\").delete(); } }";
    fs::write(&source, text).unwrap();
    let compiled = place.jdk.compile(&[source], &Options::default()).unwrap();
    fs::copy(compiled.join("a/Disk.class"), place.path("classes/a/Disk.class")).unwrap();
    let tools = place.path("tools");
    fs::create_dir(&tools).unwrap();
    let run = |extra: &[&str]| {
        let mut args = vec!["generate", "-c", "classes", "-o", "out", "a.Disk"];
        args.extend(extra);
        let output = place.command(&args).env("PATH", &tools).output().unwrap();
        (
            String::from_utf8_lossy(&output.stderr).into_owned(),
            fs::read_to_string(place.path("out/a/DiskTest.java")),
        )
    };
    let (stderr, tests) = run(&[]);
    assert!(stderr.contains("it tries to change files"), "{stderr}");
    assert!(
        tests.is_ok_and(|t| t.contains("plain(") && t.contains("gone(0)") && !t.contains("gone(8)")),
        "{stderr}"
    );
    let (stderr, tests) = run(&["--trust"]);
    assert!(tests.is_ok_and(|t| t.contains("gone(8)")), "{stderr}");
}
