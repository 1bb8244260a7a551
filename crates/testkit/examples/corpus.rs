//! `make corpus`: tests for classes of real libraries, measured from outside.
//!
//! The program is used as a user would. What it wrote is compiled with javac, run by JUnit's console launcher and
//! measured by JaCoCo, all without our own runner: a mistake there cannot hide here.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde::Deserialize;
use testkit::jdk::{Jdk, workspace};

const CONSOLE: &str = "org.junit.platform:junit-platform-console-standalone:1.11.4";
const AGENT: (&str, &str) = ("org.jacoco:org.jacoco.agent:0.8.14", "-runtime");
const CLI: (&str, &str) = ("org.jacoco:org.jacoco.cli:0.8.14", "-nodeps");

#[derive(Deserialize)]
struct Corpus {
    library: Vec<Library>,
}

#[derive(Deserialize)]
struct Library {
    name: String,
    artifacts: Vec<String>,
    package: String,
    classes: Vec<String>,
}

/// What the program says of a class.
#[derive(Deserialize)]
struct Report {
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    tests: Vec<serde_json::Value>,
    dropped: Vec<serde_json::Value>,
    disagreements: Vec<String>,
}

struct Options {
    program: PathBuf,
    /// The list of libraries, where it is not ours.
    libraries: Option<PathBuf>,
    seconds: u64,
    /// Classes measured at the same time, each with one worker if there are several.
    at_once: usize,
    words: Vec<String>,
}

/// One line of the table.
#[derive(Clone, Default)]
struct Row {
    class: String,
    tests: u32,
    branches: Share,
    lines: Share,
    failed: u32,
    dropped: usize,
    disagreements: usize,
    crashed: u32,
    seconds: f64,
    notes: Vec<String>,
}

#[derive(Clone, Copy, Default)]
struct Share {
    covered: u32,
    total: u32,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("corpus: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, String> {
    let options = options()?;
    let root = workspace();
    let list = options.libraries.clone().unwrap_or_else(|| root.join("scripts/corpus.toml"));
    let text = std::fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let corpus: Corpus = toml::from_str(&text).map_err(|e| format!("{}: {e}", list.display()))?;
    let jdk = Jdk::at_least(17).map_err(|e| e.to_string())?;
    let mut table = header(&options, &jdk);
    print!("{table}");
    let mut good = true;
    let mut all = Row { class: "**all**".to_string(), ..Row::default() };
    for library in &corpus.library {
        let wanted = |class: &&String| {
            options.words.is_empty()
                || options.words.iter().any(|word| format!("{}.{class}", library.package).contains(word))
        };
        let mut sum = Row { class: format!("**{}**", library.name), ..Row::default() };
        let mut rows = Vec::new();
        let classes: Vec<&String> = library.classes.iter().filter(wanted).collect();
        for row in measure_all(&options, &jdk, library, &classes)? {
            good &= row.failed == 0 && row.crashed == 0;
            sum.add(&row);
            rows.push(row);
        }
        if rows.is_empty() {
            continue;
        }
        println!("{}", sum.line());
        let _ = writeln!(table, "{}", sum.line());
        rows.iter().for_each(|row| {
            let _ = writeln!(table, "{}", row.line());
        });
        all.add(&sum);
    }
    println!("{}", all.line());
    let _ = writeln!(table, "{}", all.line());
    if options.words.is_empty() && options.libraries.is_none() {
        let path = root.join("docs/corpus.md");
        std::fs::write(&path, table).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(good)
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        program: "target/release/testwright".into(),
        libraries: None,
        seconds: 60,
        at_once: 1,
        words: Vec::new(),
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--program" => options.program = args.next().ok_or("--program wants a path")?.into(),
            "--libraries" => options.libraries = Some(args.next().ok_or("--libraries wants a file")?.into()),
            "--time" => {
                let seconds = args.next().and_then(|s| s.parse().ok());
                options.seconds = seconds.ok_or("--time wants seconds")?;
            }
            "--at-once" => {
                let count = args.next().and_then(|s| s.parse().ok()).filter(|count| *count > 0);
                options.at_once = count.ok_or("--at-once wants a number")?;
            }
            word if !word.starts_with('-') => options.words.push(word.to_string()),
            other => return Err(format!("unknown option {other}")),
        }
    }
    options.program = options
        .program
        .canonicalize()
        .map_err(|e| format!("{}: {e}; make build", options.program.display()))?;
    Ok(options)
}

fn header(options: &Options, jdk: &Jdk) -> String {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let how = match options.at_once {
        1 => format!("one class at a time on a machine with {cores} cores"),
        n => format!("{n} classes at the same time on a machine with {cores} cores, with one worker each"),
    };
    format!(
        "# Real libraries\n\n\
         What `make corpus` measured: classes of unmodified jars from Maven (`scripts/corpus.toml`), {} seconds a \
         class, {}, JDK {}. Branches and lines are JaCoCo's, nested classes included, of the tests as they were \
         written, compiled and run outside of Testwright. *Failed*: tests that do not compile or do not pass there; \
         *dropped*: tests that were not written because the confirming run did not confirm them; *disagreed*: where our VM \
         and the JVM showed different outcomes; *crashed*: the program itself died. Failed and crashed must be 0.\n\n\
         | class | tests | branches | lines | failed | dropped | disagreed | crashed | seconds |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        options.seconds, how, jdk.version
    )
}

/// Measures classes, some at the same time; rows come in the order of the classes.
fn measure_all(
    options: &Options,
    jdk: &Jdk,
    library: &Library,
    classes: &[&String],
) -> Result<Vec<Row>, String> {
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<(usize, Result<Row, String>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.at_once {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(class) = classes.get(at) else { return };
                    let row = measure(options, jdk, library, class);
                    if let Ok(row) = &row {
                        println!("{}", row.line());
                        row.notes.iter().for_each(|note| eprintln!("  {class}: {note}"));
                    }
                    rows.lock().unwrap_or_else(|e| e.into_inner()).push((at, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(|e| e.into_inner());
    rows.sort_by_key(|(at, _)| *at);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Generates tests for a class and measures them.
fn measure(options: &Options, jdk: &Jdk, library: &Library, class: &str) -> Result<Row, String> {
    let name = format!("{}.{class}", library.package);
    let dir = workspace().join("target/corpus").join(&name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let dir = dir.canonicalize().map_err(|e| e.to_string())?;
    let jars: Vec<PathBuf> = library.artifacts.iter().map(|a| jar(a, "")).collect();
    let class_path = join(&jars);
    let mut row = Row { class: class.to_string(), ..Row::default() };

    let report = dir.join("report.json");
    let mut command = Command::new(&options.program);
    command
        .args(["generate", "-c", &class_path, "--time", &options.seconds.to_string(), "-o"])
        .arg(dir.join("tests"))
        .arg("--report")
        .arg(format!("json={}", report.display()))
        .arg("--jdk")
        .arg(&jdk.home)
        .arg(&name);
    if options.at_once > 1 {
        command.args(["--jobs", "1"]);
    }
    let started = Instant::now();
    let end = finish(command, Duration::from_secs(options.seconds * 3 + 60), &dir.join("generate.log"))?;
    row.seconds = started.elapsed().as_secs_f64();
    match end {
        Some(0) => {}
        // It says itself that nothing was written.
        Some(1) => row.notes.push(format!("no tests; see {}", dir.join("generate.log").display())),
        other => {
            row.crashed = 1;
            row.notes.push(format!("ended with {other:?}; see {}", dir.join("generate.log").display()));
        }
    }
    if let Ok(text) = std::fs::read_to_string(&report)
        && let Ok(report) = serde_json::from_str::<Report>(&text)
    {
        for target in &report.targets {
            row.tests += target.tests.len() as u32;
            row.dropped += target.dropped.len();
            row.disagreements += target.disagreements.len();
        }
    }
    run_tests(jdk, &dir, &class_path, &library.package, &mut row)?;
    cover(jdk, &dir, jars.first(), &name, &mut row)?;
    Ok(row)
}

/// Compiles and runs what was written, as a build would, under JaCoCo.
fn run_tests(jdk: &Jdk, dir: &Path, class_path: &str, package: &str, row: &mut Row) -> Result<(), String> {
    let mut sources = Vec::new();
    java_files(&dir.join("tests"), &mut sources);
    if sources.is_empty() {
        return Ok(());
    }
    let classes = dir.join("classes");
    let console = jar(CONSOLE, "");
    let path = format!("{}:{class_path}:{}", classes.display(), console.display());
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    javac.args(["-nowarn", "-encoding", "UTF-8", "-cp", &path, "-d"]).arg(&classes).args(&sources);
    if finish(javac, Duration::from_secs(120), &dir.join("javac.log"))? != Some(0) {
        row.failed = row.tests;
        row.notes.push(format!("does not compile; see {}", dir.join("javac.log").display()));
        return Ok(());
    }
    let agent = format!(
        "-javaagent:{}=destfile={},includes={package}.*",
        jar(AGENT.0, AGENT.1).display(),
        dir.join("jacoco.exec").display()
    );
    let mut java = Command::new(jdk.java());
    java.current_dir(dir).args(["-ea", "-Xmx1g", &agent, "-jar"]).arg(&console);
    java.args(["execute", "--details", "summary", "--disable-banner", "--class-path", &path]);
    java.arg("--scan-class-path").arg(&classes);
    let log = dir.join("junit.log");
    finish(java, Duration::from_secs(600), &log)?;
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let count = |what: &str| {
        let line = text.lines().find(|line| line.contains(what));
        line.and_then(|line| line.trim_matches(['[', ' ']).split(' ').next()?.parse::<u32>().ok())
    };
    // Those that show that a call does not end are written disabled.
    let passed = count("tests successful").unwrap_or(0) + count("tests skipped").unwrap_or(0);
    row.failed = row.tests - passed.min(row.tests);
    if row.failed > 0 {
        row.notes.push(format!("tests failed; see {}", log.display()));
    }
    Ok(())
}

/// Reads what JaCoCo counted for the class and what is nested in it.
fn cover(
    jdk: &Jdk,
    dir: &Path,
    jar_of_class: Option<&PathBuf>,
    name: &str,
    row: &mut Row,
) -> Result<(), String> {
    let Some(library) = jar_of_class else { return Ok(()) };
    // Only the class itself: analysing a whole jar takes JaCoCo seconds.
    let only = dir.join("analysed");
    std::fs::create_dir_all(&only).map_err(|e| e.to_string())?;
    let inside = name.replace('.', "/");
    let mut unzip = Command::new("unzip");
    unzip.args(["-q", "-o"]).arg(library).arg(format!("{inside}.class")).arg(format!("{inside}$*.class"));
    unzip.arg("-d").arg(&only);
    finish(unzip, Duration::from_secs(60), &dir.join("unzip.log"))?;
    let csv = dir.join("jacoco.csv");
    let data = dir.join("jacoco.exec");
    let mut jacoco = Command::new(jdk.java());
    jacoco.arg("-jar").arg(jar(CLI.0, CLI.1)).arg("report");
    if data.exists() {
        jacoco.arg(&data);
    }
    jacoco.arg("--classfiles").arg(&only).arg("--csv").arg(&csv);
    finish(jacoco, Duration::from_secs(120), &dir.join("jacoco.log"))?;
    let text = std::fs::read_to_string(&csv).map_err(|e| format!("{}: {e}", csv.display()))?;
    for line in text.lines().skip(1) {
        let number = |field: usize| line.rsplit(',').nth(field).and_then(|n| n.parse().ok()).unwrap_or(0);
        // From the right: methods, complexity, lines, branches, each missed and covered.
        row.lines.add(number(4), number(5));
        row.branches.add(number(6), number(7));
    }
    Ok(())
}

/// Runs a command with its output in a file; its exit code, or none if it was killed.
fn finish(mut command: Command, limit: Duration, log: &Path) -> Result<Option<i32>, String> {
    let file = std::fs::File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let other = file.try_clone().map_err(|e| e.to_string())?;
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(other)
        .spawn()
        .map_err(|e| format!("{program}: {e}"))?;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(status.code());
        }
        if started.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn java_files(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            java_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "java") {
            found.push(path);
        }
    }
}

/// Where Maven keeps an artifact.
fn jar(artifact: &str, suffix: &str) -> PathBuf {
    let mut parts = artifact.split(':');
    let (group, name, version) =
        (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let home = std::env::var_os("HOME").map_or_else(|| PathBuf::from("/root"), PathBuf::from);
    home.join(".m2/repository")
        .join(group.replace('.', "/"))
        .join(name)
        .join(version)
        .join(format!("{name}-{version}{suffix}.jar"))
}

fn join(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

impl Share {
    fn add(&mut self, covered: u32, missed: u32) {
        self.covered += covered;
        self.total += covered + missed;
    }

    fn text(self) -> String {
        match self.total {
            0 => "-".to_string(),
            total => {
                format!(
                    "{:.1} % ({}/{total})",
                    100.0 * f64::from(self.covered) / f64::from(total),
                    self.covered
                )
            }
        }
    }
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.tests += other.tests;
        self.branches.add(other.branches.covered, other.branches.total - other.branches.covered);
        self.lines.add(other.lines.covered, other.lines.total - other.lines.covered);
        self.failed += other.failed;
        self.dropped += other.dropped;
        self.disagreements += other.disagreements;
        self.crashed += other.crashed;
        self.seconds += other.seconds;
    }

    fn line(&self) -> String {
        format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {:.0} |",
            self.class,
            self.tests,
            self.branches.text(),
            self.lines.text(),
            self.failed,
            self.dropped,
            self.disagreements,
            self.crashed,
            self.seconds
        )
    }
}
