//! The figures of `make bench`: rates of the VM and the explorer, with what the design expects beside them.
//!
//! Rates depend on the machine; compare figures of one run with each other, or runs on one machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use engine::{Config, Places, Worlds, class_path, resolve};
use vm::{Outcome, Val};

/// As the command line has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let classes = compile();
    let config = config(&classes);
    let places = Places { java_home: std::env::var_os("JAVA_HOME"), path: std::env::var_os("PATH") };
    let interrupt = Arc::new(AtomicBool::new(false));

    let started = Instant::now();
    let path = class_path(&config, &places).expect("a JDK");
    let mut worlds = Worlds::boot(&config, &path, &interrupt, &mut |_| {}).expect("the JDK boots");
    let boot = started.elapsed();
    println!(
        "boot of JDK {}: {:.0} ms, {} instructions",
        path.jdk().version,
        boot.as_secs_f64() * 1e3,
        worlds.vm.steps
    );

    if std::env::args().any(|arg| arg == "workers") {
        return workers(&config, &mut worlds, &path);
    }
    if std::env::args().any(|arg| arg == "growth") {
        return growth(&config, &mut worlds, &path);
    }
    if std::env::args().any(|arg| arg == "exploration") {
        return exploration(&config, &mut worlds, &path);
    }
    let first = {
        let target = &resolve(&["bench.Figures#classify".to_string()], &path).expect("the class")[0];
        let mut small = config.clone();
        small.budget.max_paths = Some(1);
        worlds.explore(&small, target, Instant::now(), &mut |_| {}).expect("explored");
        started.elapsed()
    };
    println!(
        "start to first test, without the confirming run: {:.0} ms (design: below 1000)",
        first.as_secs_f64() * 1e3
    );

    println!("\nconcrete code (design: tens of millions of IR operations a second)");
    for (method, n) in [("sum", 5_000_000), ("sieve", 1_000_000), ("words", 100_000)] {
        concrete(&mut worlds, method, n);
    }

    exploration(&config, &mut worlds, &path);

    growth(&config, &mut worlds, &path);

    println!("\nsnapshot against running from the start (boot, then one run)");
    let (seconds, paths, _) = timed(&config, &mut worlds, &path, "depth8", 200);
    let each = seconds / paths as f64;
    println!(
        "  {:.0} us a path from the snapshot, {:.0} us from the start: {:.0} times",
        each * 1e6,
        (boot.as_secs_f64() + each) * 1e6,
        (boot.as_secs_f64() + each) / each
    );

    workers(&config, &mut worlds, &path);
}

fn growth(config: &Config, worlds: &mut Worlds, path: &Arc<jvm::load::ClassPath>) {
    println!("\ncost of a path as depth and heap grow (flat a step), processor time");
    for method in ["depth8", "depth16", "depth32", "depth64", "heap10", "heap1000"] {
        let (seconds, paths, spent) = timed(config, worlds, path, method, 200);
        println!(
            "  {method:<12} {paths:>6} paths {:>8.1} us a path {:>8.1} instructions a path",
            seconds * 1e6 / paths as f64,
            spent.steps as f64 / paths as f64
        );
    }
}

/// Exploring all paths, tests of each of them included; a method named on the command line alone.
fn exploration(config: &Config, worlds: &mut Worlds, path: &Arc<jvm::load::ClassPath>) {
    println!("\nexploration (design: a thousand paths a second, solver included)");
    let named: Vec<String> = std::env::args().collect();
    let methods = ["classify", "inversions", "command"];
    let alone = methods.iter().any(|method| named.iter().any(|arg| arg == method));
    for method in methods.iter().filter(|method| !alone || named.iter().any(|arg| arg == *method)) {
        let target = &resolve(&[format!("bench.Figures#{method}")], path).expect("the class")[0];
        let mut all = config.clone();
        all.exhaustive = true;
        all.budget.max_paths = Some(1500);
        let (started, before) = (Instant::now(), busy());
        let result = worlds.explore(&all, target, started, &mut |_| {}).expect("explored");
        let (seconds, worked, method) =
            (started.elapsed().as_secs_f64(), busy() - before, &result.methods[0]);
        println!(
            "  {:<12} {:>6} paths {:>8.0} paths/s {:>8.0} a second of processor time {:>7} questions {:>5.1} % of them to Z3",
            method.name,
            method.paths,
            method.paths as f64 / seconds,
            method.paths as f64 / worked,
            result.solver.questions,
            100.0 * result.solver.by(solver::LayerKind::Z3) as f64 / result.solver.questions.max(1) as f64
        );
    }
}

/// The best of several turns of each: what else the machine does takes turns with both. What processors are busy with
/// tells more than the clock where others use them too.
fn workers(config: &Config, worlds: &mut Worlds, path: &Arc<jvm::load::ClassPath>) {
    println!("\ntwo workers against one (design: 1.7 times with a thousand open branches)");
    // Paths that cost next to nothing, and paths that cost what those of real methods do.
    for (method, max_paths) in [("orderings", None), ("inversions", Some(4000)), ("command", Some(4000))] {
        let target = &resolve(&[format!("bench.Figures#{method}")], path).expect("the class")[0];
        let best = |jobs: usize, worlds: &mut Worlds| {
            let mut all = config.clone();
            all.exhaustive = true;
            all.jobs = jobs;
            all.processor_time = true;
            all.budget.max_paths = max_paths;
            let result = worlds.fork().explore(&all, target, Instant::now(), &mut |_| {}).expect("explored");
            let method = &result.methods[0];
            let times = method.times;
            let alone = (times.starting + times.choosing + times.merging) as f64 / times.total() as f64;
            (method.paths, times.elapsed as f64 / 1e9, times.waiting as f64 / 1e9, alone)
        };
        let (mut paths, mut clock, mut busy, mut alone) = (0, [f64::MAX; 2], [f64::MAX; 2], [f64::MAX; 2]);
        for _ in 0..if max_paths.is_some() { 3 } else { 9 } {
            for jobs in [1, 2] {
                let (found, seconds, waiting, share) = best(jobs, worlds);
                clock[jobs - 1] = seconds.min(clock[jobs - 1]);
                busy[jobs - 1] = waiting.min(busy[jobs - 1]);
                alone[jobs - 1] = share.min(alone[jobs - 1]);
                paths = found;
            }
        }
        println!(
            "  {method:<11} {paths:>5} paths   by the clock {:>6.0} and {:>6.0} paths/s, {:.2} times   by processor time, a processor a worker, {:.2} times   not shared {:.1} and {:.1} %",
            paths as f64 / clock[0],
            paths as f64 / clock[1],
            clock[0] / clock[1],
            busy[0] / busy[1],
            100.0 * alone[0],
            100.0 * alone[1],
        );
    }
    let cores = std::thread::available_parallelism().map_or(0, |n| n.get());
    println!("  {cores} cores, whatever else they do; not shared: making machines, choosing, merging");
}

/// Explores a method of the class: seconds of processor time, the best of a few; paths, what was spent.
fn timed(
    config: &Config,
    worlds: &mut Worlds,
    path: &Arc<jvm::load::ClassPath>,
    method: &str,
    max_paths: u64,
) -> (f64, u64, explore::Spent) {
    let target = &resolve(&[format!("bench.Figures#{method}")], path).expect("the class")[0];
    let mut all = config.clone();
    all.exhaustive = true;
    all.processor_time = true;
    all.budget.max_paths = Some(max_paths);
    let run = |_| {
        let result = worlds.fork().explore(&all, target, Instant::now(), &mut |_| {}).expect("explored");
        let method = &result.methods[0];
        let times = method.times;
        ((times.total() - times.starting) as f64 / 1e9, method.paths, method.spent)
    };
    (0..5).map(run).min_by(|a, b| a.0.total_cmp(&b.0)).expect("several runs")
}

/// Seconds that this thread had a processor; by the clock where the system does not say.
fn busy() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos: Option<f64> = text.split_whitespace().next().and_then(|n| n.parse().ok());
    let clock = || {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64())
    };
    nanos.map_or_else(clock, |nanos| nanos / 1e9)
}

/// Runs a static int method of one int and prints its rate.
fn concrete(worlds: &mut Worlds, method: &str, n: i32) {
    let vm = &mut worlds.vm;
    vm.limits.steps = u64::MAX / 2;
    vm.start_run(term::Assignment::default());
    let class = vm.lang.class("bench/Figures").expect("the class");
    let func = vm.lang.declared(class, method, "(I)I").expect("the method");
    jvm::input::initialise(vm, class).expect("initialised");
    let (before, started) = (vm.steps, Instant::now());
    let outcome = vm.call(func, &[Val::i32(n)]);
    let (seconds, steps) = (started.elapsed().as_secs_f64(), vm.steps - before);
    assert!(matches!(outcome, Outcome::Returned(_)), "{method}: {outcome:?}");
    println!("  {method:<12} {steps:>11} operations {:>7.1} M/s", steps as f64 / seconds / 1e6);
}

fn compile() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = std::env::temp_dir().join("testwright-bench");
    std::fs::create_dir_all(&out).expect("a temporary folder");
    let status = Command::new("javac")
        .args(["-g", "-d"])
        .arg(&out)
        .arg(root.join("benches/java/Figures.java"))
        .status()
        .expect("javac");
    assert!(status.success());
    out
}

fn config(classes: &Path) -> Config {
    Config { class_path: vec![classes.to_path_buf()], run: false, ..Config::default() }
}
