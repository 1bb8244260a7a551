//! Our VM against the real JVM: the same calls must give the same answers.

mod audit;
mod build;
mod read;
mod subject;
mod symbolic;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jvm::Jvm;
use jvm::boot::{BootOptions, boot};
use subject::VmSubject;
use testkit::compare::{Report, Rules, compare};
use testkit::fixtures::Case;
use testkit::methods::{EXCLUDED, Member, MemberKind, is_input, split_descriptor};
use testkit::random::Generator;
use testkit::survey::{Survey, jdk_calls};
use testkit::{Call, Fixtures, Jdk, Oracle};
use vm::Vm;

const SEED: u64 = 2024;

/// More of the JDK, where results are objects too.
const WIDER: &[&str] = &[
    "java.lang.Character$UnicodeBlock",
    "java.lang.StringBuffer",
    "java.math.BigDecimal",
    "java.math.BigInteger",
    "java.net.URI",
    "java.net.URLDecoder",
    "java.net.URLEncoder",
    "java.text.DecimalFormat",
    "java.text.MessageFormat",
    "java.time.DayOfWeek",
    "java.time.Duration",
    "java.time.Instant",
    "java.time.LocalDate",
    "java.time.LocalDateTime",
    "java.time.LocalTime",
    "java.time.Month",
    "java.time.Period",
    "java.time.Year",
    "java.time.YearMonth",
    "java.time.ZoneOffset",
    "java.util.ArrayDeque",
    "java.util.ArrayList",
    "java.util.BitSet",
    "java.util.Collections",
    "java.util.HashMap",
    "java.util.HashSet",
    "java.util.LinkedHashMap",
    "java.util.LinkedList",
    "java.util.List",
    "java.util.Locale",
    "java.util.Optional",
    "java.util.OptionalInt",
    "java.util.PriorityQueue",
    "java.util.Random",
    "java.util.SplittableRandom",
    "java.util.StringJoiner",
    "java.util.StringTokenizer",
    "java.util.TreeMap",
    "java.util.TreeSet",
    "java.util.UUID",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.atomic.AtomicBoolean",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.concurrent.atomic.AtomicLong",
    "java.util.regex.Pattern",
    "java.util.zip.Adler32",
    "java.util.zip.CRC32",
];

/// Members of those that are left out: how class, name and descriptor begin, and why.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("java.util.Random", "<init>()", "seeds itself"),
    ("java.util.SplittableRandom", "<init>()", "seeds itself"),
    ("java.util.UUID", "randomUUID()", "random"),
    ("java.time.", "now()", "the clock"),
    ("java.math.BigInteger", "clearBit(", "too many digits"),
    ("java.math.BigInteger", "flipBit(", "too many digits"),
    ("java.math.BigInteger", "setBit(", "too many digits"),
    ("java.math.BigInteger", "shiftLeft(", "too many digits"),
    ("java.math.BigInteger", "shiftRight(", "too many digits"),
    ("java.math.BigInteger", "pow(", "too many digits"),
    ("java.math.BigDecimal", "movePoint", "too many digits"),
    ("java.math.BigDecimal", "pow(", "too many digits"),
    ("java.math.BigDecimal", "setScale(", "too many digits"),
    ("java.util.BitSet", "set(II", "too many bits"),
    ("java.util.BitSet", "flip(II", "too many bits"),
    ("java.util.Locale", "getAvailableLocales", "all of them take millions of steps"),
];

fn booted(jdk: &Jdk, class_path: Vec<PathBuf>) -> Vm<Jvm> {
    let jdk = Arc::new(jvm::load::Jdk::open(&jdk.home).expect("the JDK opens"));
    boot(&BootOptions::new(jdk, class_path)).expect("the JDK boots")
}

/// Compares group by group; prints a table and everything that is not as it must be.
fn judge(groups: &BTreeMap<String, Vec<Call>>, subject: &mut VmSubject, oracle: &mut Oracle) -> Verdict {
    let mut verdict = Verdict::default();
    println!("{:<40} {:>7} {:>7} {:>7} {:>7}", "class", "calls", "agreed", "differ", "open");
    for (class, calls) in groups {
        let report = compare(calls, subject, oracle, Rules::default()).expect("the oracle answers");
        let open: usize = report.unanswered.values().sum();
        println!(
            "{class:<40} {:>7} {:>7} {:>7} {open:>7}",
            report.calls,
            report.agreed,
            report.differed.len()
        );
        verdict.add(report);
    }
    for (reason, count) in &verdict.unanswered {
        println!("{count:>6} unanswered, {reason}");
    }
    for (reason, calls) in &subject.open {
        calls.iter().for_each(|call| println!("OPEN {reason}: {call}"));
    }
    for difference in verdict.differed.iter().take(shown()) {
        println!("{difference}");
    }
    for text in subject.inconsistent.iter().take(shown()) {
        println!("INCONSISTENT {text}");
    }
    println!(
        "{} calls, {} agreed, {} differed, {} unanswered by us; {} terms checked, {} runs predicted, {} calls inconsistent",
        verdict.calls,
        verdict.agreed,
        verdict.differed.len(),
        verdict.open(),
        subject.checked,
        subject.predicted,
        subject.inconsistent.len()
    );
    verdict
}

fn shown() -> usize {
    from_environment("DIFFERENCES", 40)
}

/// For hunting by hand: another seed, other numbers of calls.
fn from_environment(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn seed() -> u64 {
    from_environment("SEED", SEED as usize) as u64
}

#[derive(Default)]
struct Verdict {
    calls: usize,
    agreed: usize,
    differed: Vec<String>,
    unanswered: BTreeMap<String, usize>,
}

impl Verdict {
    fn add(&mut self, report: Report) {
        let differed = report.differed.iter().map(ToString::to_string).collect();
        let (calls, agreed, unanswered) = (report.calls, report.agreed, report.unanswered);
        self.merge(Verdict { calls, agreed, differed, unanswered });
    }

    fn merge(&mut self, other: Verdict) {
        self.calls += other.calls;
        self.agreed += other.agreed;
        self.differed.extend(other.differed);
        for (reason, count) in other.unanswered {
            *self.unanswered.entry(reason).or_default() += count;
        }
    }

    /// Calls that the JVM answered and we did not.
    fn open(&self) -> usize {
        let ours = self.unanswered.iter().filter(|(reason, _)| reason.starts_with("subject"));
        ours.map(|(_, count)| count).sum()
    }
}

fn by_class(calls: Vec<Call>) -> BTreeMap<String, Vec<Call>> {
    let only = std::env::var("ONLY").ok();
    let mut groups: BTreeMap<String, Vec<Call>> = BTreeMap::new();
    for call in calls {
        if only.as_ref().is_none_or(|only| format!("{}.{}", call.class, call.method).contains(only)) {
            groups.entry(call.class.clone()).or_default().push(call);
        }
    }
    groups
}

fn jdk_agrees(jdk: &Jdk, per_method: usize, symbolic: bool) -> (Verdict, VmSubject) {
    let mut oracle = Oracle::start(jdk, &[]).expect("a JVM");
    let calls = jdk_calls(&mut oracle, seed(), per_method).expect("the JDK's methods");
    let mut subject = VmSubject::new(booted(jdk, Vec::new()), symbolic);
    let verdict = judge(&by_class(calls), &mut subject, &mut oracle);
    (verdict, subject)
}

/// So many calls of each method of [`WIDER`] whose parameters can be made.
fn wider_calls(oracle: &mut Oracle, number: usize) -> Vec<Call> {
    let mut calls = Vec::new();
    for class in WIDER {
        let Ok(mut members) = oracle.methods(class) else { continue };
        members.retain(|member| {
            let types = split_descriptor(&member.desc).map(|(types, _)| types).unwrap_or_default();
            let left_out = |(class, name, _): &(&str, &str, &str)| {
                let own = format!("{}{}", member.name, member.desc);
                member.class.starts_with(class) && own.starts_with(name)
            };
            member.declared
                && types.iter().all(|desc| is_input(desc))
                && !EXCLUDED.iter().any(|(any, name, _)| *any == "*" && *name == member.name)
                && !LEFT_OUT.iter().any(left_out)
        });
        let constructors: Vec<Member> =
            members.iter().filter(|member| member.kind == MemberKind::Constructor).cloned().collect();
        let mut generator = Generator::new(seed());
        for member in &members {
            calls.extend((0..number).filter_map(|_| generator.call(member, &constructors)));
        }
    }
    calls
}

fn fixtures_agree(random: usize, symbolic: bool) -> (Verdict, usize) {
    let fixtures = Fixtures::discover().expect("the fixtures");
    let mut total = Verdict::default();
    let mut inconsistent = 0;
    for (release, compiled) in fixtures.compile(false).expect("the fixtures compile") {
        let class_path = vec![compiled.classes.clone()];
        let mut oracle = Oracle::start(&compiled.jdk, &class_path).expect("a JVM");
        let mut calls = Vec::new();
        for case in fixtures.of_release(release) {
            calls.extend(case_calls(case, &mut oracle, random));
        }
        let mut subject = VmSubject::new(booted(&compiled.jdk, class_path), symbolic);
        let verdict = judge(&by_class(calls), &mut subject, &mut oracle);
        total.merge(verdict);
        inconsistent += subject.inconsistent.len();
    }
    (total, inconsistent)
}

/// The examples of a case, and random calls of everything that can be called.
fn case_calls(case: &Case, oracle: &mut Oracle, random: usize) -> Vec<Call> {
    let survey = Survey::of(case, oracle).expect("a case");
    let mut calls = Vec::new();
    for method in &case.expect.method {
        let member = survey.find(case, method).expect("a method");
        calls.extend(survey.examples(method, member).expect("examples"));
    }
    for member in survey.callable() {
        calls.extend(survey.random(member, seed(), random));
    }
    calls
}

#[test]
fn jdk_methods() {
    let jdk = Jdk::at_least(17).expect("a JDK");
    let (verdict, _) = jdk_agrees(&jdk, from_environment("CALLS", 30), false);
    assert!(verdict.calls >= 20_000, "{} calls", verdict.calls);
    assert!(verdict.differed.is_empty(), "{} calls differ", verdict.differed.len());
    assert!(verdict.open() * 100 < verdict.calls, "{} calls unanswered", verdict.open());
}

#[test]
fn jdk_methods_of_symbolic_arguments() {
    let jdk = Jdk::at_least(17).expect("a JDK");
    let (verdict, subject) = jdk_agrees(&jdk, from_environment("CALLS", 5), true);
    assert!(verdict.differed.is_empty(), "{} calls differ", verdict.differed.len());
    assert!(subject.inconsistent.is_empty(), "{} calls inconsistent", subject.inconsistent.len());
}

#[test]
fn wider_jdk_methods() {
    let jdk = Jdk::at_least(17).expect("a JDK");
    let mut oracle = Oracle::start(&jdk, &[]).expect("a JVM");
    let calls = wider_calls(&mut oracle, from_environment("CALLS", 5));
    let mut subject = VmSubject::new(booted(&jdk, Vec::new()), false);
    let verdict = judge(&by_class(calls), &mut subject, &mut oracle);
    assert!(verdict.differed.is_empty(), "{} calls differ", verdict.differed.len());
    assert!(verdict.open() * 100 < verdict.calls, "{} calls unanswered", verdict.open());
}

#[test]
fn wider_jdk_methods_of_symbolic_arguments() {
    let jdk = Jdk::at_least(17).expect("a JDK");
    let mut oracle = Oracle::start(&jdk, &[]).expect("a JVM");
    let calls = wider_calls(&mut oracle, from_environment("CALLS", 2));
    let mut subject = VmSubject::new(booted(&jdk, Vec::new()), true);
    let verdict = judge(&by_class(calls), &mut subject, &mut oracle);
    assert!(verdict.differed.is_empty(), "{} calls differ", verdict.differed.len());
    assert!(subject.inconsistent.is_empty(), "{} calls inconsistent", subject.inconsistent.len());
}

#[test]
fn fixtures() {
    let (verdict, _) = fixtures_agree(from_environment("CALLS", 20), false);
    assert!(verdict.differed.is_empty(), "{} calls differ", verdict.differed.len());
    assert!(verdict.open() * 100 < verdict.calls, "{} calls unanswered", verdict.open());
}

#[test]
fn fixtures_of_symbolic_arguments() {
    let (verdict, inconsistent) = fixtures_agree(from_environment("CALLS", 10), true);
    assert!(verdict.differed.is_empty(), "{} calls differ", verdict.differed.len());
    assert!(inconsistent == 0, "{inconsistent} calls inconsistent");
}

#[test]
fn methods_of_a_newer_jdk() {
    // Skipped where there is none.
    let Ok(jdk) = Jdk::at_least(25) else { return };
    let (verdict, _) = jdk_agrees(&jdk, from_environment("CALLS", 3), false);
    assert!(verdict.differed.is_empty(), "{} calls differ", verdict.differed.len());
    assert!(verdict.open() * 100 < verdict.calls, "{} calls unanswered", verdict.open());
}

#[test]
fn methods_of_a_newer_jdk_of_symbolic_arguments() {
    let Ok(jdk) = Jdk::at_least(25) else { return };
    let (verdict, subject) = jdk_agrees(&jdk, from_environment("CALLS", 2), true);
    assert!(verdict.differed.is_empty(), "{} calls differ", verdict.differed.len());
    assert!(subject.inconsistent.is_empty(), "{} calls inconsistent", subject.inconsistent.len());
}
