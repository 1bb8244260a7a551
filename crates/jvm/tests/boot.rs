//! Boots JDKs in the VM and runs whole programs there; what they print must be what the real JVM prints.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use jvm::Jvm;
use jvm::boot::{BootOptions, boot};
use jvm::load::Jdk;
use jvm::natives;
use vm::{Lang, Outcome, Val, Vm};

const JDK_17: &str = "/usr/lib/jvm/java-17-openjdk-amd64";
const JDK_25: &str = "/usr/lib/jvm/temurin-25-jdk-amd64";

/// The programs, compiled once.
fn classes() -> &'static Path {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    let dir = CLASSES.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/boot_programs");
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let javac = Path::new(JDK_17).join("bin/javac");
        let status =
            Command::new(javac).args(["-nowarn", "-g", "-d"]).arg(dir.path()).args(&files).status().unwrap();
        assert!(status.success());
        std::fs::create_dir_all(dir.path().join("META-INF/services")).unwrap();
        for (name, text) in RESOURCES {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    });
    dir.path()
}

/// What lies beside the classes.
const RESOURCES: [(&str, &str); 3] = [
    ("META-INF/services/Initialising$Greeter", "# two of them\nInitialising$Loud\nInitialising$Polite\n"),
    ("Messages.properties", "greeting=Hello\nfarewell=Bye\n"),
    ("Messages_de.properties", "greeting=Hallo\n"),
];

fn booted(home: &str) -> Vm<Jvm> {
    let jdk = Arc::new(Jdk::open(Path::new(home)).unwrap());
    boot(&BootOptions::new(jdk, vec![classes().to_path_buf()])).unwrap()
}

/// Runs `main` of a program in a fresh run; its output and how it ended.
fn run(vm: &mut Vm<Jvm>, program: &str) -> (String, Outcome) {
    vm.start_run(Default::default());
    vm.limits.steps = 500_000_000;
    let class = vm.lang.class(program).unwrap();
    let main = vm.lang.declared(class, "main", "([Ljava/lang/String;)V").unwrap();
    let strings = vm.lang.array_of(vm.lang.known.string);
    let args = vm.new_array(strings, 0).unwrap();
    let initialiser = Jvm::initialiser(vm, class).unwrap();
    assert_eq!(vm.call(initialiser, &[]), Outcome::Returned(None));
    let outcome = vm.call(main, &[Val::obj(args)]);
    (String::from_utf8_lossy(&natives::stdout(vm)).into_owned(), outcome)
}

fn expected(home: &str, program: &str) -> String {
    expected_of(home, classes(), program)
}

fn expected_of(home: &str, classes: &Path, program: &str) -> String {
    let output = Command::new(Path::new(home).join("bin/java"))
        .args(["-ea", "-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC", "-cp"])
        .arg(classes)
        .arg(program)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn agrees(home: &str, programs: &[String]) {
    if !Path::new(home).exists() {
        eprintln!("skipped: no JDK at {home}");
        return;
    }
    let mut vm = booted(home);
    for program in programs {
        let (printed, outcome) = run(&mut vm, program);
        if let Outcome::Threw(exception) = outcome {
            let trace = natives::stack_trace(&mut vm, exception);
            panic!("{program}: {} {trace:?}", natives::describe(&mut vm, exception));
        }
        assert_eq!(printed, expected(home, program), "{program}: {outcome:?} at {}", vm.stopped_at);
        assert_eq!(outcome, Outcome::Returned(None), "{program}");
    }
}

/// Programs that other tests here and in `boot_symbolic.rs` run, and that do not simply print.
const SPECIAL: [&str; 6] = ["Deadlock", "Exit", "InitDeadlock", "Symbolic", "Thrower", "World"];

/// All other programs; for hunting by hand, those named in `BOOT_ONLY`.
fn programs() -> Vec<String> {
    let only = std::env::var("BOOT_ONLY").ok();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/boot_programs");
    let names = std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> =
        names.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.retain(|name| !SPECIAL.contains(&name.as_str()));
    names.retain(|name| only.as_ref().is_none_or(|only| only.split(',').any(|one| one == name)));
    names.sort();
    names
}

#[test]
fn programs_print_what_the_jvm_prints_on_17() {
    agrees(JDK_17, &programs());
}

/// The JDK that is named by `JDK_21` and the like, or installed as Debian installs it.
fn named(version: u32) -> String {
    std::env::var(format!("JDK_{version}")).unwrap_or(format!("/usr/lib/jvm/java-{version}-openjdk-amd64"))
}

#[test]
fn programs_print_what_the_jvm_prints_on_21() {
    agrees(&named(21), &programs());
}

#[test]
fn a_program_prints_what_the_jvm_prints_on_8() {
    java_8_program(&named(8));
}

#[test]
fn a_program_prints_what_the_jvm_prints_on_11() {
    java_8_program(&named(11));
}

fn java_8_program(home: &str) {
    if !Path::new(home).exists() {
        eprintln!("skipped: no JDK at {home}");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/boot_programs/Java8.java");
    let javac = Command::new(Path::new(JDK_17).join("bin/javac"))
        .args(["--release", "8", "-nowarn", "-g", "-d"])
        .arg(dir.path())
        .arg(source)
        .output()
        .unwrap();
    assert!(javac.status.success(), "{}", String::from_utf8_lossy(&javac.stderr));
    let jdk = Arc::new(Jdk::open(Path::new(home)).unwrap());
    let mut vm = boot(&BootOptions::new(jdk, vec![dir.path().to_path_buf()])).unwrap();
    let (printed, outcome) = run(&mut vm, "Java8");
    assert_eq!(printed, expected_of(home, dir.path(), "Java8"), "{outcome:?} at {}", vm.stopped_at);
}

#[test]
fn programs_print_what_the_jvm_prints_on_25() {
    agrees(JDK_25, &programs());
}

/// A run leaves nothing behind: the second one prints the same and takes as many steps.
#[test]
fn runs_start_from_the_same_world() {
    let mut vm = booted(JDK_17);
    let mut before = vm.steps;
    let mut steps = Vec::new();
    let mut texts = Vec::new();
    for _ in 0..3 {
        texts.push(run(&mut vm, "Collections1").0);
        steps.push(vm.steps - before);
        before = vm.steps;
    }
    assert_eq!(texts[0], texts[1]);
    assert_eq!(texts[1], texts[2]);
    assert_eq!(steps[1], steps[2]);
}

#[test]
fn worlds_differ_by_locale_zone_clock_and_salt() {
    let jdk = Arc::new(Jdk::open(Path::new(JDK_17)).unwrap());
    let mut options = BootOptions::new(jdk, vec![classes().to_path_buf()]);
    let mut first = boot(&options).unwrap();
    options.locale = ("de".into(), "DE".into());
    options.timezone = "Asia/Tokyo".into();
    options.salt = 7;
    options.epoch_millis = 0;
    let mut second = boot(&options).unwrap();
    let (a, b) = (run(&mut first, "World").0, run(&mut second, "World").0);
    assert_eq!(a.lines().take(3).collect::<Vec<_>>(), ["en_US", "UTC", "2020"]);
    assert_eq!(b.lines().take(3).collect::<Vec<_>>(), ["de_DE", "Asia/Tokyo", "1970"]);
    assert_ne!(a.lines().nth(3), b.lines().nth(3), "identity hashes");
}

#[test]
fn ends_are_told() {
    let mut vm = booted(JDK_17);
    let exit = run(&mut vm, "Exit");
    assert_eq!(exit, ("before\n".into(), Outcome::Stopped(vm::Stop::Exit(3))));
    let (_, outcome) = run(&mut vm, "Thrower");
    let Outcome::Threw(exception) = outcome else { panic!("{outcome:?}") };
    assert_eq!(natives::describe(&mut vm, exception), "java.lang.IllegalStateException: end");
    assert_eq!(natives::stack_trace(&mut vm, exception), ["Thrower.fail:8", "Thrower.main:4"]);
}

/// What a program mentions of the library is initialised before its runs; they cost less and print the same.
#[test]
fn a_warm_library_saves_steps_and_changes_nothing() {
    let mut vm = booted(JDK_17);
    let steps = |vm: &mut Vm<Jvm>| {
        let before = vm.steps;
        let (printed, outcome) = run(vm, "TimeText");
        assert_eq!(outcome, Outcome::Returned(None));
        (vm.steps - before, printed)
    };
    let (cold, first) = steps(&mut vm);
    vm.start_run(Default::default());
    jvm::warm::warm(&mut vm, "TimeText");
    let (warm, second) = steps(&mut vm);
    assert_eq!(first, second);
    assert!(warm * 3 < cold, "{warm} steps, {cold} before");
}

/// Threads that wait for each other end the run, and it is said who waits for what.
#[test]
fn a_deadlock_is_found() {
    let mut vm = booted(JDK_17);
    let (printed, outcome) = run(&mut vm, "Deadlock");
    assert_eq!(outcome, Outcome::Stopped(vm::Stop::Deadlock), "{printed}");
    let expected = "the main thread waits for a java.lang.String locked by thread 1 in Deadlock.both";
    assert!(vm.stopped_at.starts_with(expected), "{}", vm.stopped_at);
    assert!(vm.stopped_at.contains("thread 1 waits for a java.lang.String locked by the main thread"));
    let (printed, outcome) = run(&mut vm, "InitDeadlock");
    assert_eq!(outcome, Outcome::Stopped(vm::Stop::Deadlock), "{printed}");
    let expected = "the main thread waits for thread 1 to initialise InitDeadlock$First";
    assert!(vm.stopped_at.starts_with(expected), "{}", vm.stopped_at);
    // The next run is not disturbed by the threads of this one.
    let (printed, outcome) = run(&mut vm, "Hello");
    assert_eq!(outcome, Outcome::Returned(None), "{printed}");
}
