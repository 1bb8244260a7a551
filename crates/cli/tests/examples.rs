//! What the user's existing tests call the program with is run first (`fixtures/examples`).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use report::{Report, Verdict};
use testkit::Jdk;
use testkit::jdk::Options;

struct Lock {
    jdk: Jdk,
    classes: PathBuf,
    tests: PathBuf,
    folder: tempfile::TempDir,
}

impl Lock {
    fn new() -> Lock {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/examples");
        let jdk = Jdk::at_least(17).unwrap();
        let classes = jdk.compile(&[fixtures.join("main/Lock.java")], &Options::default()).unwrap();
        let junit = runner::junit::JunitJars::find(emit::java::Framework::Junit5, &[]).unwrap();
        let path = std::env::join_paths(junit.jars.iter().chain([&classes])).unwrap();
        let extra = vec!["-cp".to_string(), path.into_string().unwrap()];
        let options = Options { extra, ..Options::default() };
        let tests = jdk.compile(&[fixtures.join("test/LockTest.java")], &options).unwrap();
        Lock { jdk, classes, tests, folder: tempfile::tempdir().unwrap() }
    }

    fn generate(&self, options: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_testwright"))
            .args(["generate", "-o", "out", "--report", "json=report.json", "--work", "2000000", "-c"])
            .arg(&self.classes)
            .args(options)
            .arg("fx.examples.Lock")
            .current_dir(self.folder.path())
            .env("JAVA_HOME", &self.jdk.home)
            .output()
            .unwrap()
    }

    /// What is open of the class.
    fn open(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.path().join("report.json")).unwrap();
        let report: Report = serde_json::from_str(&text).unwrap();
        let open = report.targets[0].obligations.iter().filter(|o| o.verdict == Verdict::Open);
        open.map(|o| o.text.clone()).collect()
    }
}

#[test]
fn existing_tests_are_the_first_runs() {
    let lock = Lock::new();
    let alone = lock.generate(&[]);
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
    let hidden = lock.open();
    assert!(hidden.len() >= 2, "without examples the keys are not found: {hidden:?}");

    let told = lock.generate(&["--tests", lock.tests.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{said}");
    assert!(!said.contains("warning"), "{said}");
    assert_eq!(lock.open(), Vec::<String>::new(), "{said}");
    let written = std::fs::read_to_string(lock.folder.path().join("out/fx/examples/LockTest.java")).unwrap();
    assert!(written.contains("\"open sesame\"") && written.contains("59, 26"), "{written}");
}

#[test]
fn tests_that_are_not_there_are_named() {
    let lock = Lock::new();
    let none = lock.generate(&["--tests", "nowhere"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&none.stderr).contains("nowhere"));

    let others = lock.generate(&["--tests", lock.classes.to_str().unwrap(), "--no-run"]);
    assert!(others.status.success());
    let said = String::from_utf8_lossy(&others.stderr);
    assert!(said.contains("no test of JUnit or TestNG under --tests calls fx.examples.Lock"), "{said}");
}
