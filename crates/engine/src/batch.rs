//! Explored classes on their way to their files: emitted, confirmed together, written.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use emit::java::{Options, Rendered, SuiteFile};
use emit::write::{java_path, kotlin_path};
use jvm::load::{FieldType, access};
use runner::confirm::{Environment, Faulty, Mend, TestSource, Verdict, confirm};
use runner::files::{test_class_name, write_test};
use runner::junit::JunitJars;
use runner::observe::{Observed, adopt, observe};
use runner::sandbox::Isolation;
use suite::case::{ClassName, Outcome, TestCase};

use crate::config::{Config, Framework};
use crate::error::Error;
use crate::event::Event;
use crate::generate::{Generated, Setup, Total, framework};
use crate::java::kotlin::KotlinFacts;
use crate::java::outcome::ClassResult;
use crate::target::ClassTarget;

/// Classes that were explored and are to be emitted, confirmed together and written.
pub(crate) struct Batch<'a> {
    config: &'a Config,
    setup: &'a Setup,
    out: &'a Path,
    classes: Vec<Pending<'a>>,
    /// Classes some of whose tests were not confirmed in time.
    late: Vec<String>,
}

/// A class on its way to its file.
struct Pending<'a> {
    emitter: Emitter<'a>,
    subject: ClassName,
    /// Tests that nothing speaks against so far, by index into the proposed ones.
    kept: Vec<(usize, TestCase)>,
    /// What the JVM showed otherwise.
    failed: Vec<(usize, TestCase, String)>,
    generated: Generated,
    /// What was left of its time when it was explored.
    left: Option<Duration>,
}

/// Writing the files takes less than this; confirming ends so long before the time is over.
pub(crate) const WRITING: Duration = Duration::from_millis(100);

/// Starting the JVM costs more than running the tests of a class.
const BATCH: usize = 8;

impl<'a> Batch<'a> {
    pub fn new(config: &'a Config, setup: &'a Setup, out: &'a Path) -> Batch<'a> {
        Batch { config, setup, out, classes: Vec::new(), late: Vec::new() }
    }

    /// Classes that wait to be confirmed.
    pub fn waiting(&self) -> usize {
        self.classes.len()
    }

    /// Whether tests of a class were not confirmed in time.
    pub fn is_late(&self, class: &str) -> bool {
        self.late.iter().any(|late| late == class)
    }

    pub fn is_full(&self) -> bool {
        // Only confirming is cheaper for several.
        self.classes.len() >= if self.setup.confirm.is_some() { BATCH } else { 1 }
    }

    pub fn add(&mut self, target: &ClassTarget, result: ClassResult, started: Instant) {
        let subject = ClassName::from_internal(&target.class);
        let is_kotlin = self.config.framework.is_kotlin();
        let kept: Vec<_> = result.tests.iter().enumerate().map(|(i, t)| (i, t.case.clone())).collect();
        let emitter = Emitter {
            config: self.config,
            setup: self.setup,
            package: match self.setup.path.is_closed(&target.class) {
                true => format!("{}.tests", subject.package),
                false => subject.package.clone(),
            },
            class_name: test_class_name(&[self.out.to_path_buf()], &subject, is_kotlin),
            stateful: is_stateful(self.setup, target),
            kotlin: is_kotlin.then(|| KotlinFacts::new(&self.setup.path)),
        };
        let generated = Generated {
            kept: Vec::new(),
            millis: started.elapsed().as_millis() as u64,
            ..Generated::unconfirmed(result)
        };
        // Its share of the time for all is a plan; what the user said of each class and of all of them is to be kept.
        let left = self.config.budget.time.map(|time| time.saturating_sub(started.elapsed() + WRITING));
        let mut class = Pending { emitter, subject, kept, failed: Vec::new(), generated, left };
        if let Some(facts) = &class.emitter.kotlin {
            class.kept.retain(|(index, case)| match emit::kotlin::objection(case, facts) {
                None => true,
                Some(why) => {
                    class.generated.dropped.push((*index, why));
                    false
                }
            });
        }
        self.classes.push(class);
    }

    /// Confirms and writes all of them.
    pub fn emit(
        &mut self,
        total: &mut Total,
        events: &mut dyn FnMut(Event),
        done: &mut dyn FnMut(Generated),
    ) -> Result<(), Error> {
        let mut classes = std::mem::take(&mut self.classes);
        let confirming = Instant::now();
        if let Some((environment, junit)) = &self.setup.confirm {
            classes.iter_mut().for_each(|class| class.refuse(self.config, environment.isolation));
            let mut environment = environment.clone();
            // What each of them left of its time is there for all.
            let left = classes.iter().map(|class| class.left).sum::<Option<Duration>>();
            let until = left.map(|left| confirming + left);
            environment.limits.until = until.into_iter().chain(total.end(self.config)).min();
            let environment = &environment;
            for class in classes.iter_mut().filter(|class| !class.kept.is_empty()) {
                let tests = class.kept.len();
                events(Event::Confirming { class: class.subject.source_name(), tests });
                class.generated.isolation = Some(environment.isolation);
            }
            confirm_all(environment, junit, &mut classes)?;
            total.add_confirmed(classes.len(), confirming.elapsed());
        }
        let each = confirming.elapsed().as_millis() as u64 / classes.len().max(1) as u64;
        for class in classes {
            if class.generated.late > 0 {
                self.late.push(class.subject.internal_name());
                events(Event::Warning(format!(
                    "{} of {} tests of {} were not confirmed in time and are not written: the same command with \
                     --resume goes on from here, more --time leaves more for it",
                    class.generated.late,
                    class.generated.result.tests.len(),
                    class.subject.source_name(),
                )));
            }
            let mut generated = class.write(self.config, self.setup, self.out, events)?;
            generated.millis += each;
            generated.millis_confirming = if self.setup.confirm.is_some() { each } else { 0 };
            done(generated);
        }
        Ok(())
    }
}

impl Pending<'_> {
    /// Drops what cannot be written or must not be run.
    fn refuse(&mut self, config: &Config, isolation: Isolation) {
        if !self.generated.result.missing.is_empty() {
            let lacks = |case: &TestCase| matches!(&case.outcome, Outcome::Throws { class, .. } if class.simple_name() == "NoClassDefFoundError");
            let (lost, whole): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.kept).into_iter().partition(|(_, case)| lacks(case));
            let why = "needs a class that is not on the class path";
            self.generated.dropped.extend(lost.into_iter().map(|(index, _)| (index, why.to_string())));
            self.kept = whole;
        }
        if isolation == Isolation::None && !config.trust {
            // What changes no file, starts no process and connects to nobody in the VM does no harm on the JVM either; the
            // VM ends a run where a process is started.
            let why = "it tries to change files or to connect, and the run cannot be isolated on this machine (no bubblewrap, no \
                       namespaces); install bubblewrap, or give --trust to run it unprotected";
            let tests = &self.generated.result.tests;
            let (harmful, harmless): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.kept).into_iter().partition(|(index, _)| tests[*index].reaches_out);
            self.generated.dropped.extend(harmful.into_iter().map(|(i, _)| (i, why.to_string())));
            self.kept = harmless;
        }
    }

    /// Takes what the JVM said of the tests.
    fn judge(&mut self, cases: Vec<(usize, TestCase)>, verdicts: Vec<Verdict>, again: bool) {
        for ((index, case), verdict) in cases.into_iter().zip(verdicts) {
            match verdict {
                Verdict::TimedOut if case.outcome.is_endless() => self.kept.push((index, case)),
                Verdict::Passed if case.outcome.is_endless() => {
                    let why = "it takes long, but ends on the JVM";
                    self.generated.dropped.push((index, why.to_string()));
                }
                Verdict::Passed => self.kept.push((index, case)),
                Verdict::Failed { .. } if !again && !case.outcome.is_endless() => {
                    self.failed.push((index, case, verdict.objection().unwrap_or_default()));
                }
                other => {
                    self.generated.late += usize::from(other == Verdict::Late);
                    self.generated.dropped.push((index, other.objection().unwrap_or_default()));
                }
            }
        }
        self.kept.sort_by_key(|(index, _)| *index);
    }

    /// The class that a test fails for want of.
    fn lacking(&self, objection: &str) -> Option<String> {
        let (_, rest) = objection.split_once("NoClassDefFoundError: ")?;
        let name = rest.split(|c: char| c.is_whitespace()).next()?.replace('.', "/");
        self.generated.result.missing.contains(&name).then(|| name.replace('/', "."))
    }

    /// What the JVM shows where it showed something else: a stable outcome is what the test asserts, and a
    /// disagreement is noted.
    fn adopt(&mut self, environment: &Environment) -> Result<Vec<(usize, TestCase)>, Error> {
        if self.emitter.stateful {
            // What the JVM showed depends on the tests that ran before: not to be asserted.
            let why = "the outcome depends on static state that other tests change";
            self.generated
                .dropped
                .extend(self.failed.drain(..).map(|(index, _, _)| (index, why.to_string())));
        }
        let mut adopted = Vec::new();
        let mut failed = std::mem::take(&mut self.failed);
        // The JVM loads more classes than a run needs, to verify the code.
        failed.retain(|(index, _, objection)| match self.lacking(objection) {
            Some(class) => {
                self.generated
                    .dropped
                    .push((*index, format!("needs {class}, which is not on the class path")));
                false
            }
            None => true,
        });
        if failed.is_empty() {
            return Ok(adopted);
        }
        let wrong: Vec<TestCase> = failed.iter().map(|(_, case, _)| case.clone()).collect();
        let seen = observe(environment, &self.emitter.package, &wrong, self.emitter.setup.release)
            .map_err(|e| Error::Runner(e.to_string()))?;
        for ((index, case, objection), seen) in failed.into_iter().zip(seen) {
            // That the VM refuses to change files and to connect is known and in the ledger.
            let refused = self.generated.result.tests.get(index).is_some_and(|test| test.reaches_out);
            if !refused {
                self.generated.disagreements.push(format!("{}: {objection}", case.name));
            }
            match seen {
                Observed::Stable(observation) => adopted.push((index, adopt(&case, &observation, false))),
                Observed::Unstable { .. } => {
                    let why = "the JVM shows different outcomes from run to run";
                    self.generated.dropped.push((index, why.to_string()));
                }
                Observed::Failed { reason } => self.generated.dropped.push((index, reason)),
                Observed::Late => {
                    self.generated.late += 1;
                    self.generated.dropped.push((index, Verdict::Late.objection().unwrap_or_default()));
                }
            }
        }
        Ok(adopted)
    }

    fn write(
        mut self,
        config: &Config,
        setup: &Setup,
        out: &Path,
        events: &mut dyn FnMut(Event),
    ) -> Result<Generated, Error> {
        for (_, case) in self.kept.iter_mut().filter(|(_, case)| case.outcome.is_endless()) {
            case.outcome = Outcome::Endless { disabled: true };
        }
        let dropped = self.generated.dropped.len();
        if self.kept.is_empty() {
            events(Event::Skipped {
                class: self.subject.source_name(),
                why: match dropped {
                    0 => "no test was found".to_string(),
                    n => format!("none of its {n} tests could be confirmed"),
                },
            });
            return Ok(self.generated);
        }
        let rendered = self.emitter.render(&self.kept);
        let path = self.emitter.path();
        write_test(out, &path, &rendered.text).map_err(|e| Error::Runner(e.to_string()))?;
        let path = out.join(path);
        events(Event::Written { path: path.display().to_string(), tests: self.kept.len(), dropped });
        if config.measure
            && let Some((environment, junit)) = &setup.confirm
        {
            let source = self.emitter.source(&self.kept);
            let measured = runner::coverage::coverage(environment, junit, vec![source], &[self.subject]);
            self.generated.measured = Some(measured.map_err(|e| Error::Runner(e.to_string()))?);
        }
        self.generated.file = Some(path);
        self.generated.text = rendered.text;
        self.generated.kept = self.kept;
        Ok(self.generated)
    }
}

/// What does not compile as a person would write it, so that nothing is left to the compiler.
fn respelled(case: &TestCase, diagnostic: &str) -> TestCase {
    match diagnostic.contains("ambiguous") {
        true => case.with_exact_arguments(),
        false => case.without_type_arguments(),
    }
}

/// Keeps what passes on the JVM, of all classes in one go; what failed is run once more with what the JVM shows.
fn confirm_all(
    environment: &Environment,
    junit: &JunitJars,
    classes: &mut [Pending<'_>],
) -> Result<(), Error> {
    let first = classes.iter_mut().map(|class| std::mem::take(&mut class.kept)).collect();
    run_all(environment, junit, classes, first, false)?;
    let adopted = classes.iter_mut().map(|class| class.adopt(environment)).collect::<Result<_, _>>()?;
    run_all(environment, junit, classes, adopted, true)
}

/// Runs cases of each class together.
fn run_all(
    environment: &Environment,
    junit: &JunitJars,
    classes: &mut [Pending<'_>],
    mut cases: Vec<Vec<(usize, TestCase)>>,
    again: bool,
) -> Result<(), Error> {
    if cases.iter().all(Vec::is_empty) {
        return Ok(());
    }
    let source = |(class, cases): (&Pending<'_>, &Vec<_>)| class.emitter.source(cases);
    let sources: Vec<TestSource> = classes.iter().zip(&cases).map(source).collect();
    // What does not compile is spelled otherwise.
    let in_kotlin = classes.iter().any(|class| class.emitter.kotlin.is_some());
    let mut mend = |faulty: &[Faulty<'_>]| {
        for faulty in faulty {
            let named = |(_, case): &&mut (usize, TestCase)| case.name == faulty.case;
            if let Some((_, case)) = cases[faulty.source].iter_mut().find(named) {
                *case = match in_kotlin {
                    true => case.without_own_type_arguments(),
                    false => respelled(case, faulty.complaint),
                };
            }
        }
        classes.iter().zip(&cases).map(source).collect()
    };
    let mend: Mend<'_> = Some(&mut mend);
    let report = confirm(environment, junit, sources, mend).map_err(|e| Error::Runner(e.to_string()))?;
    for (number, (class, cases)) in classes.iter_mut().zip(cases).enumerate() {
        let verdict = |(_, case): &(usize, TestCase)| {
            let known = report.verdict(number, &case.name).cloned();
            known.unwrap_or(Verdict::NotRun { reason: "not reported".to_string() })
        };
        let verdicts = cases.iter().map(verdict).collect();
        class.judge(cases, verdicts, again);
    }
    Ok(())
}

struct Emitter<'a> {
    config: &'a Config,
    setup: &'a Setup,
    package: String,
    class_name: String,
    /// The class keeps state in static fields, so that tests can change what others see.
    stateful: bool,
    /// Where the tests are Kotlin.
    kotlin: Option<KotlinFacts>,
}

impl Emitter<'_> {
    fn render(&self, cases: &[(usize, TestCase)]) -> Rendered {
        let file = SuiteFile {
            package: self.package.clone(),
            class_name: self.class_name.clone(),
            siblings: self.siblings(),
            cases: cases.iter().map(|(_, case)| case.clone()).collect(),
        };
        if let Some(facts) = &self.kotlin {
            let library = match self.config.framework {
                Framework::KotlinTest => emit::kotlin::Library::KotlinTest,
                _ => emit::kotlin::Library::Junit5,
            };
            return emit::kotlin::render(&file, library, facts);
        }
        let options = Options { framework: framework(self.config.framework), release: self.setup.release };
        emit::java::render(&file, options)
    }

    fn path(&self) -> PathBuf {
        match self.kotlin {
            Some(_) => kotlin_path(&self.package, &self.class_name),
            None => java_path(&self.package, &self.class_name),
        }
    }

    fn source(&self, cases: &[(usize, TestCase)]) -> TestSource {
        TestSource::new(self.path(), self.render(cases))
    }

    /// Simple names of the other classes of the package.
    fn siblings(&self) -> Vec<String> {
        let prefix = self.package.replace('.', "/") + "/";
        let all = self.setup.path.list_all().unwrap_or_default();
        all.iter()
            .filter_map(|class| class.strip_prefix(if prefix == "/" { "" } else { &prefix }))
            .filter(|rest| !rest.contains(['/', '$']))
            .map(str::to_string)
            .collect()
    }
}

/// Whether a class, or one nested in it, has static fields that can change: not final, or of a type that may be
/// mutable.
fn is_stateful(setup: &Setup, target: &ClassTarget) -> bool {
    let Ok(all) = setup.path.list_all() else { return true };
    let nested = format!("{}$", target.class);
    let mine = all.iter().filter(|class| **class == target.class || class.starts_with(&nested));
    mine.filter_map(|class| setup.path.load(class).ok().flatten()).any(|(file, _)| {
        file.fields.iter().any(|field| {
            let fixed = match &field.ty {
                FieldType::Class(name) => {
                    name.starts_with("java/lang/") || field.access & access::ENUM != 0 || **name == *file.name
                }
                FieldType::Array(_) => field.access & access::SYNTHETIC != 0,
                _ => true,
            };
            field.access & access::STATIC != 0 && !(fixed && field.access & access::FINAL != 0)
        })
    })
}
