//! Objects as inputs, from source to confirmed tests: every program in `fixtures/worlds/<topic>/`.
//!
//! What is written is compared with `fixtures/worlds/golden/`, which people read; `BLESS=1` rewrites it, and the diff is
//! read. `open.txt` there lists what is not covered, and why.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use report::{Report, Verdict};
use testkit::Jdk;
use testkit::jdk::Options;

/// Subjects that other tools were measured on, and the most tests that any of them needed.
const AT_MOST: [(&str, &str, usize); 15] = [
    ("fx.worlds.Subjects", "mixedNumbers", 4),
    ("fx.worlds.Subjects", "usePow", 3),
    ("fx.worlds.Subjects", "useSin", 3),
    ("fx.worlds.Subjects", "useCos", 3),
    ("fx.worlds.Subjects", "divideByZero", 3),
    ("fx.worlds.Subjects", "moduloByZero", 3),
    ("fx.worlds.Subjects", "min3", 3),
    ("fx.worlds.Segment", "append", 3),
    ("fx.worlds.Segment", "insert", 1),
    ("fx.worlds.Segment", "delete", 13),
    ("fx.worlds.Segment", "count", 5),
    ("fx.worlds.Subjects", "indexOf", 3),
    ("fx.worlds.DataObject", "read", 23),
    ("fx.worlds.Subjects", "noArgs", 3),
    ("fx.worlds.Subjects", "withArgs", 3),
];

#[test]
fn object_worlds_are_covered_and_read_as_recorded() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/worlds");
    let jdk = Jdk::at_least(17).unwrap();
    let classes = jdk.compile(&sources(&fixtures), &Options::default()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .args(["generate", "-o", "out", "--report", "json=report.json", "-c"])
        .arg(&classes)
        .arg("fx.**")
        .current_dir(dir.path())
        .env("JAVA_HOME", &jdk.home)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let report: Report = serde_json::from_slice(&fs::read(dir.path().join("report.json")).unwrap()).unwrap();

    let mut tests: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut open = String::new();
    for target in &report.targets {
        assert!(target.disagreements.is_empty(), "{}: {:?}", target.class, target.disagreements);
        assert!(target.dropped.is_empty(), "{}: {:?}", target.class, target.dropped);
        for test in &target.tests {
            assert!(test.confirmed, "{}.{}", target.class, test.name);
            *tests.entry((&target.class, &test.method)).or_default() += 1;
        }
        for obligation in target.obligations.iter().filter(|o| o.verdict != Verdict::Covered) {
            let why = obligation.why.as_deref().unwrap_or_default();
            open.push_str(&format!("{}: {}: {why}\n", obligation.function, obligation.text));
        }
    }
    for (class, method, most) in AT_MOST {
        let count = tests.get(&(class, method)).copied().unwrap_or(0);
        assert!((1..=most).contains(&count), "{class}.{method}: {count} tests, at most {most} are needed");
    }
    compare(&fixtures.join("golden/open.txt"), &open);
    for file in written(&dir.path().join("out")) {
        let name = file.strip_prefix(dir.path().join("out")).unwrap().to_string_lossy().replace('/', ".");
        compare(&fixtures.join("golden").join(format!("{name}.txt")), &fs::read_to_string(&file).unwrap());
    }
}

/// Worked examples whose paths can be counted by hand, nothing merged.
const PATHS: [(&str, usize); 4] =
    [("followsItself", 4), ("twoLists", 5), ("oneNullOneTwo", 7), ("lastTwo", 3)];

#[test]
fn identities_are_explored_once_each() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/worlds");
    let jdk = Jdk::at_least(17).unwrap();
    let classes = jdk.compile(&sources(&fixtures), &Options::default()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .args(["explore", "--exhaustive", "--json", "-c"])
        .arg(&classes)
        .arg("fx.worlds.Identities")
        .env("JAVA_HOME", &jdk.home)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    for (method, paths) in PATHS {
        let name = format!("\"{method}\"");
        assert_eq!(text.lines().filter(|line| line.contains(&name)).count(), paths, "{method}: {text}");
    }
}

/// States that no call leads to are reached by reflection, if that is wanted, and told otherwise.
#[test]
fn states_beyond_the_api_are_tested_only_if_wanted() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/worlds");
    let jdk = Jdk::at_least(17).unwrap();
    let classes = jdk.compile(&sources(&fixtures), &Options::default()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let run = |construct: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
            .args(["generate", "-o", construct, "--construct", construct, "-c"])
            .arg(&classes)
            .arg("fx.beyond.Valve")
            .current_dir(dir.path())
            .env("JAVA_HOME", &jdk.home)
            .output()
            .unwrap();
        let tests = dir.path().join(construct).join("fx/beyond/ValveTest.java");
        (String::from_utf8_lossy(&output.stderr).into_owned(), fs::read_to_string(tests).unwrap())
    };
    let (stderr, tests) = run("any");
    assert!(stderr.contains("16 of 16 obligations covered"), "{stderr}");
    assert_eq!(tests.matches("fields are set by reflection").count(), 4, "{tests}");
    compare(&fixtures.join("golden/fx.beyond.ValveTest.any.java.txt"), &tests);
    let (stderr, tests) = run("api");
    assert_eq!(stderr.matches("met only by objects whose fields are set directly").count(), 6, "{stderr}");
    assert!(!tests.contains("setField"), "{tests}");
}

/// Objects of private classes, and a circle of them, in both languages.
#[test]
fn private_classes_are_made_by_reflection_if_wanted() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/worlds");
    let jdk = Jdk::at_least(17).unwrap();
    let classes = jdk.compile(&sources(&fixtures), &Options::default()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    for (language, file) in [("java", "ChainTest.java"), ("kotlin", "ChainTest.kt")] {
        let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
            .args(["generate", "-o", language, "--construct", "any", "--language", language, "-c"])
            .arg(&classes)
            .arg("fx.beyond.Chain")
            .current_dir(dir.path())
            .env("JAVA_HOME", &jdk.home)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("15 of 15 obligations covered"), "{stderr}");
        let tests = fs::read_to_string(dir.path().join(language).join("fx/beyond").join(file)).unwrap();
        compare(&fixtures.join(format!("golden/fx.beyond.{file}.any.txt")), &tests);
    }
}

fn sources(fixtures: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        written(fixtures).into_iter().filter(|f| f.extension().is_some_and(|e| e == "java")).collect();
    found.sort();
    found
}

/// All files below a folder, in order.
fn written(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn compare(golden: &Path, text: &str) {
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(golden.parent().unwrap()).unwrap();
        fs::write(golden, text).unwrap();
        return;
    }
    let recorded = fs::read_to_string(golden).unwrap_or_default();
    assert_eq!(recorded, text, "{} differs; BLESS=1 rewrites it", golden.display());
}
