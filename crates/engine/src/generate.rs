//! `testwright generate`: from targets to confirmed test files.

use std::ffi::OsString;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use jvm::boot::{BootOptions, boot};
use jvm::load::{ClassPath, Jdk, JdkSearch};
use jvm::world::Jvm;
use runner::confirm::Environment;
use runner::coverage::ClassCoverage;
use runner::junit::JunitJars;
use runner::sandbox::Isolation;
use suite::case::TestCase;
use vm::Vm;

use crate::batch::{Batch, WRITING};
use crate::config::{Config, Framework};
use crate::error::Error;
use crate::event::Event;
use crate::examples::Examples;
use crate::java::cheapest::Cheapest;
use crate::java::explore::ClassExplorer;
use crate::java::outcome::{ClassResult, Proposed};
use crate::journal::FileJournal;
use crate::target::{ClassTarget, resolve};

/// What the process was started with, as far as it matters for finding a JDK.
#[derive(Clone, Debug, Default)]
pub struct Places {
    pub java_home: Option<OsString>,
    pub path: Option<OsString>,
}

/// What came of one class.
pub struct Generated {
    pub result: ClassResult,
    /// Where the tests were written; none if there were no tests.
    pub file: Option<PathBuf>,
    pub text: String,
    /// The kept tests, in order, by index into `result.tests`, with the case as it was written.
    pub kept: Vec<(usize, TestCase)>,
    /// The dropped ones, with the reason.
    pub dropped: Vec<(usize, String)>,
    /// Where the JVM showed something else than our VM: bugs of ours.
    pub disagreements: Vec<String>,
    pub isolation: Option<Isolation>,
    /// What JaCoCo says of the written tests, if it was asked.
    pub measured: Option<Vec<ClassCoverage>>,
    pub millis: u64,
    pub millis_confirming: u64,
    /// Tests that the time was over for before they were confirmed; they are among the dropped ones.
    pub late: usize,
}

/// Everything found before the work starts, so that nothing is missing at its end.
pub struct Setup {
    pub path: Arc<ClassPath>,
    pub targets: Vec<ClassTarget>,
    pub(crate) confirm: Option<(Environment, JunitJars)>,
    pub release: u16,
}

/// Share of a class's time that is kept for emitting and confirming.
const CONFIRM_SHARE: f64 = 0.4;
const CONFIRM_MOST: Duration = Duration::from_secs(10);
/// Compiling and running the tests of a class takes about this on a machine that does nothing else.
const CONFIRM_USUAL: Duration = Duration::from_millis(2500);
/// And this where the compiler is Kotlin's.
const CONFIRM_KOTLIN: Duration = Duration::from_secs(6);
/// However busy the machine, confirming is not given more than this share.
const CONFIRM_CROWDED: f64 = 0.6;
/// Making tests may take this part of a class's time longer than was meant for it.
const GRACE: u32 = 20;

/// Generates tests for all targets; `done` gets each class as soon as it is written.
pub fn generate(
    config: &Config,
    places: &Places,
    interrupt: &Arc<AtomicBool>,
    events: &mut dyn FnMut(Event),
    done: &mut dyn FnMut(Generated),
) -> Result<(), Error> {
    let begun = Instant::now();
    let setup = prepare(config, places)?;
    let out = config.out.as_deref().ok_or(Error::NoOutput)?;
    check_writable(out)?;
    let count = setup.targets.len();
    let mut booted = Worlds::boot(config, &setup.path, interrupt, events)?;
    let mut total = Total { started: begun, ..Total::start() };
    let mut batch = Batch::new(config, &setup, out);
    for (index, target) in setup.targets.iter().enumerate() {
        let class = target.class.replace(['/', '$'], ".");
        if total.is_over(config, batch.waiting()) {
            events(Event::Skipped { class, why: "the time for all classes was spent".to_string() });
            continue;
        }
        let config = &total.share(config, count - index, batch.waiting());
        // Each class starts from a world of its own: its tests do not depend on what else was asked for.
        let mut worlds = booted.fork();
        events(Event::ClassStarted { class: class.clone(), index, count });
        // Finding everything and booting is part of the first one's time.
        let started = if index == 0 { begun } else { Instant::now() };
        let explored = worlds.explore(config, target, started, events);
        match explored {
            Ok(result) => {
                total.add(&result);
                batch.add(target, result, started);
            }
            // One class of many that cannot be loaded must not cost the others.
            Err(why) if count > 1 => events(Event::Skipped { class, why: why.to_string() }),
            Err(why) => return Err(why),
        }
        if interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            if config.discard {
                return Ok(());
            }
            return batch.emit(&mut total, events, done);
        }
        if batch.is_full() {
            batch.emit(&mut total, events, done)?;
        }
    }
    batch.emit(&mut total, events, done)?;
    // What is written needs not be continued; what was not confirmed in time can be.
    if let Some(folder) = &config.journal {
        for target in setup.targets.iter().filter(|target| !batch.is_late(&target.class)) {
            let _ = fs::remove_file(folder.join(format!("{}.journal", target.class.replace('/', "."))));
        }
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}

/// What all classes together have used of what they may.
pub struct Total {
    started: Instant,
    work: u64,
    paths: u64,
    /// Classes confirmed, and what that took.
    confirmed: (u32, Duration),
}

/// What confirming a class of many is thought to take before any was.
const CONFIRM_GUESS: Duration = Duration::from_millis(700);
/// Starting and ending it takes this besides, whatever the number of classes.
const CONFIRM_BASE: Duration = Duration::from_secs(3);

impl Total {
    pub fn start() -> Total {
        Total { started: Instant::now(), work: 0, paths: 0, confirmed: (0, Duration::ZERO) }
    }

    /// Counts what a class took.
    pub fn add(&mut self, result: &ClassResult) {
        self.work += result.methods.iter().map(|m| m.spent.work()).sum::<u64>();
        self.paths += result.methods.iter().map(|m| m.spent.runs).sum::<u64>();
    }

    /// Counts what confirming so many classes took.
    pub(crate) fn add_confirmed(&mut self, classes: usize, took: Duration) {
        self.confirmed.0 += classes as u32;
        self.confirmed.1 += took;
    }

    /// What confirming one more class will take, as far as is known.
    fn confirming(&self, config: &Config) -> Duration {
        match (config.run, self.confirmed) {
            (false, _) => Duration::ZERO,
            (true, (0, _)) => CONFIRM_GUESS,
            (true, (classes, took)) => took / classes,
        }
    }

    /// What is left of the time for exploring, if it is limited, with so many classes explored and not confirmed.
    fn left(&self, config: &Config, waiting: usize) -> Option<Duration> {
        let base = if config.run { CONFIRM_BASE } else { Duration::ZERO };
        let kept = base + self.confirming(config) * waiting as u32;
        Some(config.budget.total_time?.saturating_sub(self.started.elapsed() + kept))
    }

    /// When all of it must be over.
    pub(crate) fn end(&self, config: &Config) -> Option<Instant> {
        config.budget.total_time.map(|time| self.started + time.saturating_sub(WRITING))
    }

    /// Whether another class would pass the limit.
    fn is_over(&self, config: &Config, waiting: usize) -> bool {
        self.left(config, waiting).is_some_and(|left| left <= self.confirming(config))
    }

    /// The options of the next class: what is left of the whole is split evenly over the classes that are left.
    pub fn share(&self, config: &Config, classes: usize, waiting: usize) -> Config {
        let mut share = config.clone();
        if let Some(total) = config.budget.total_work {
            let left = total.saturating_sub(self.work) / classes.max(1) as u64;
            share.budget.work = share.budget.work.min(left);
        }
        if let Some(total) = config.budget.total_paths {
            let left = total.saturating_sub(self.paths) / classes.max(1) as u64;
            share.budget.class_paths = Some(share.budget.class_paths.map_or(left, |most| most.min(left)));
        }
        if let Some(left) = self.left(config, waiting) {
            // What confirming takes is kept for every class that may be reached.
            let each = left / classes.max(1) as u32;
            let time = each.max(self.confirming(config) + LEAST_EXPLORING);
            share.budget.time = Some(share.budget.time.map_or(time, |most| time.min(most)));
            share.budget.confirming = Some(self.confirming(config));
        }
        share
    }
}

/// A class whose turn comes is explored for this long at least; of too many classes the last ones are left out.
const LEAST_EXPLORING: Duration = Duration::from_millis(200);

/// Finds the JDK, the classes and what confirming needs.
pub fn prepare(config: &Config, places: &Places) -> Result<Setup, Error> {
    if config.targets.is_empty() {
        return Err(Error::NoTargets);
    }
    let path = class_path(config, places)?;
    let targets = resolve(&config.targets, &path)?;
    let release = path.jdk().feature.min(u16::MAX as u32) as u16;
    let confirm = match config.run {
        false => None,
        true => Some(confirming(config, &path, &targets)?),
    };
    Ok(Setup { path, targets, confirm, release })
}

/// The JDK and the user's class path.
pub fn class_path(config: &Config, places: &Places) -> Result<Arc<ClassPath>, Error> {
    let jdk = Jdk::locate(&JdkSearch {
        explicit: config.jdk.clone(),
        java_home: places.java_home.clone(),
        path: places.path.clone(),
        folders: JdkSearch::usual_folders(),
    })?;
    Ok(Arc::new(ClassPath::new(Arc::new(jdk), &config.class_path)?))
}

/// The release of Java whose preview features a class uses (JVMS 4.1).
fn preview(path: &ClassPath, class: &str) -> Option<u16> {
    let (file, _) = path.load(class).ok()??;
    (file.minor == u16::MAX).then(|| file.major.saturating_sub(44))
}

fn confirming(
    config: &Config,
    path: &ClassPath,
    targets: &[ClassTarget],
) -> Result<(Environment, JunitJars), Error> {
    let jdk = runner::toolchain::Jdk::at(&path.jdk().home).map_err(|e| Error::Runner(e.to_string()))?;
    let mut junit = JunitJars::find(framework(config.framework), &config.class_path)
        .map_err(|e| Error::Runner(e.to_string()))?;
    if config.framework.is_kotlin() {
        let kotlin_test = config.framework == Framework::KotlinTest;
        runner::kotlin::add_libraries(&mut junit, &config.class_path, kotlin_test)
            .map_err(|e| Error::Runner(e.to_string()))?;
    }
    let isolation = Isolation::detect();
    let absolute = |p: &PathBuf| fs::canonicalize(p).unwrap_or_else(|_| p.clone());
    let environment = Environment {
        jdk,
        class_path: config.class_path.iter().map(absolute).collect(),
        isolation,
        limits: runner::process::Limits::default(),
        preview: targets.iter().find_map(|target| preview(path, &target.class)),
    };
    Ok((environment, junit))
}

pub(crate) fn framework(framework: Framework) -> emit::java::Framework {
    match framework {
        Framework::Junit5 | Framework::KotlinJunit5 | Framework::KotlinTest => emit::java::Framework::Junit5,
        Framework::Junit4 => emit::java::Framework::Junit4,
    }
}

fn check_writable(out: &Path) -> Result<(), Error> {
    let fail = |why: std::io::Error| Error::Write { path: out.to_path_buf(), why: why.to_string() };
    fs::create_dir_all(out).map_err(fail)?;
    tempfile::Builder::new().prefix(".testwright-").tempfile_in(out).map_err(fail)?;
    Ok(())
}

/// The program in the world that is explored, and in one that differs in what tests must not depend on.
pub struct Worlds {
    pub vm: Vm<Jvm>,
    other: Option<Vm<Jvm>>,
    examples: Option<Examples>,
    /// How much longer booting took than it needed a processor: who shares the machine confirms later too.
    crowded: f64,
}

/// A machine is taken to be shared with so many others at most.
const CROWDED_MOST: f64 = 4.0;

impl Worlds {
    pub fn boot(
        config: &Config,
        path: &Arc<ClassPath>,
        interrupt: &Arc<AtomicBool>,
        events: &mut dyn FnMut(Event),
    ) -> Result<Worlds, Error> {
        let (started, worked) = (Instant::now(), crate::java::processor_time());
        let fail =
            |why: jvm::boot::BootError| Error::Boot { home: path.jdk().home.clone(), why: why.to_string() };
        let mut options = BootOptions::new(path.jdk().clone(), config.class_path.clone());
        options.options.boundaries = config.criterion_options.boundary;
        let mut vm = boot(&options).map_err(fail)?;
        vm.interrupt = interrupt.clone();
        let mut other = match config.run {
            true => Some(boot(&perturbed(options)).map_err(fail)?),
            false => None,
        };
        if let Some((path, known)) = &config.known {
            let known = Arc::new(crate::known::with_nested(&vm.lang.path, crate::known::Known::clone(known)));
            crate::known::check(&mut vm, &known).map_err(|why| Error::Known { path: path.clone(), why })?;
            vm.lang.worlds.known = known.clone();
            other.iter_mut().for_each(|other| other.lang.worlds.known = known.clone());
        }
        for vm in std::iter::once(&mut vm).chain(&mut other) {
            vm.lang.worlds.in_kotlin = config.framework.is_kotlin();
        }
        let examples = Examples::boot(config, path)?;
        let took = started.elapsed();
        let worked = Duration::from_nanos(crate::java::processor_time().saturating_sub(worked));
        let crowded = (took.as_secs_f64() / worked.as_secs_f64().max(1e-3)).clamp(1.0, CROWDED_MOST);
        events(Event::Booted { jdk: path.jdk().version.clone(), millis: took.as_millis() as u64 });
        Ok(Worlds { vm, other, examples, crowded })
    }

    /// The same worlds once more: what is done in one is not seen in the other.
    pub fn fork(&mut self) -> Worlds {
        Worlds {
            vm: self.vm.fork(),
            other: self.other.as_mut().map(Vm::fork),
            examples: self.examples.as_mut().map(Examples::fork),
            crowded: self.crowded,
        }
    }

    pub fn explore(
        &mut self,
        config: &Config,
        target: &ClassTarget,
        started: Instant,
        events: &mut dyn FnMut(Event),
    ) -> Result<ClassResult, Error> {
        let deadline = config.budget.time.map(|time| {
            let share = config.budget.confirming.unwrap_or_else(|| {
                let usual = if config.framework.is_kotlin() { CONFIRM_KOTLIN } else { CONFIRM_USUAL };
                let share = time.mul_f64(CONFIRM_SHARE).clamp(usual, CONFIRM_MOST);
                share.max(usual.mul_f64(self.crowded)).min(time.mul_f64(CONFIRM_CROWDED))
            });
            let reserve = if config.run { share } else { Duration::ZERO };
            started + time.saturating_sub(reserve + time / GRACE)
        });
        // By then everything was told of that there was time for; what is still to be told is lost.
        let until = config.budget.time.zip(deadline).map(|(time, deadline)| deadline + time / GRACE);
        self.vm.until = until;
        self.other.iter_mut().for_each(|other| other.until = until);
        jvm::warm::warm(&mut self.vm, &target.class);
        let journal = match &config.journal {
            Some(folder) => Some(self.journal(config, folder, target)?),
            None => None,
        };
        let examples = self.examples.as_mut().map(|examples| examples.of(&target.class));
        if examples.as_ref().is_some_and(Vec::is_empty) {
            let class = target.class.replace('/', ".");
            events(Event::Warning(format!("no test of JUnit or TestNG under --tests calls {class}")));
        }
        let (vm, other) = (&mut self.vm, self.other.as_mut());
        let mut explorer = ClassExplorer::new((vm, other), config, deadline, journal, events);
        explorer.examples = examples.unwrap_or_default();
        // A mistake of ours that costs a class must not cost the others.
        let result = catch_unwind(AssertUnwindSafe(|| explorer.explore(target)))
            .unwrap_or_else(|_| Err(Error::Internal { class: target.class.replace('/', ".") }));
        if let Some(why) = explorer.journal.as_ref().and_then(FileJournal::failure) {
            events(Event::Warning(format!(
                "the journal cannot be written, --resume will do work again: {why}"
            )));
        }
        result
    }

    /// Paths of a class's methods, cheapest first, so many a method at most.
    pub fn cheapest(
        &mut self,
        config: &Config,
        target: &ClassTarget,
        (unit, most): (graph::Cost, usize),
        events: &mut dyn FnMut(Event),
    ) -> Result<Cheapest, Error> {
        let deadline = config.budget.time.map(|time| Instant::now() + time);
        jvm::warm::warm(&mut self.vm, &target.class);
        ClassExplorer::new((&mut self.vm, None), config, deadline, None, events).cheapest(target, unit, most)
    }

    /// The journal of a class: its name is a file's in the folder.
    fn journal(&self, config: &Config, folder: &Path, target: &ClassTarget) -> Result<FileJournal, Error> {
        let path = folder.join(format!("{}.journal", target.class.replace('/', ".")));
        let fail = |why: std::io::Error| Error::Write { path: path.clone(), why: why.to_string() };
        fs::create_dir_all(folder).map_err(fail)?;
        let mut stamp = crate::journal::stamp(config, &self.vm.lang.path);
        // Which of its methods are asked for is part of what the journal is of.
        for (name, descriptor) in &target.methods {
            stamp = stamp.rotate_left(9) ^ crate::journal::text_stamp(name, descriptor.as_deref());
        }
        FileJournal::open(&path, stamp, config.resume).map_err(fail)
    }
}

/// A world that differs in everything a test must not depend on.
fn perturbed(mut options: BootOptions) -> BootOptions {
    // Turkish has another upper case of i, Apia another date than Greenwich.
    options.locale = ("tr".to_string(), "TR".to_string());
    options.timezone = "Pacific/Apia".to_string();
    options.salt = 0x5bd1_e995;
    // Another decade, month, day of the month and of the week, hour, minute, second and millisecond: tests are kept for years, and
    // "5 decades ago" is another answer then. Texts of dates that are to come are of later years (`jvm::input::moments`).
    options.epoch_millis += 329_809_045_678;
    // Another machine, user and folder.
    for (name, value) in [
        ("user.name", "somebody"),
        ("user.home", "/home/somebody"),
        ("user.dir", "/home/somebody/else"),
        ("java.io.tmpdir", "/var/tmp"),
        ("java.class.path", "/other"),
        ("java.library.path", "/usr/local/lib"),
        ("java.awt.headless", "true"),
        ("java.vm.vendor", "Somebody"),
        ("java.vm.version", "0"),
        ("java.vm.info", "interpreted mode"),
        ("os.version", "6.1"),
    ] {
        options.properties.insert(name.to_string(), value.to_string());
    }
    options
}

/// The program without the JDK's boot: enough to look at code.
pub fn unbooted(path: &Arc<ClassPath>) -> Result<Vm<Jvm>, Error> {
    let jvm = Jvm::new(path.clone(), jvm::Options::default())
        .map_err(|why| Error::Boot { home: path.jdk().home.clone(), why: why.to_string() })?;
    Ok(Vm::new(jvm, 1 << 24))
}

/// The tests that were kept, with what they were proposed as.
impl Generated {
    /// All tests of a class as they were proposed, none of them written or run.
    pub fn unconfirmed(result: ClassResult) -> Generated {
        Generated {
            file: None,
            text: String::new(),
            kept: result.tests.iter().enumerate().map(|(i, test)| (i, test.case.clone())).collect(),
            dropped: Vec::new(),
            disagreements: Vec::new(),
            isolation: None,
            measured: None,
            millis: 0,
            millis_confirming: 0,
            late: 0,
            result,
        }
    }

    pub fn tests(&self) -> impl Iterator<Item = (&Proposed, &TestCase)> {
        self.kept.iter().map(|(index, case)| (&self.result.tests[*index], case))
    }
}
