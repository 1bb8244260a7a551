//! The fixtures are what they claim: they compile, and the real JVM shows every behaviour that is demanded and none
//! that is excluded. Branch edges are counted and reached on the JVM too, so only `infeasible` rests on reasoning.
//!
//! `BLESS=1` adds missing `branches` lines; an example must be added by hand where chance does not reach an edge.

use std::collections::BTreeMap;
use std::path::PathBuf;
use testkit::expect::{Method, Observed, Problem, check};
use testkit::fixtures::{Case, Compiled, DEFAULT_RELEASE};
use testkit::methods::{Member, MemberKind, is_input, split_descriptor};
use testkit::oracle::MethodEdges;
use testkit::random::Generator;
use testkit::{Answer, Call, Fixtures, Oracle, Receiver};

const RANDOM_CALLS: usize = 1000;
/// A fresh world costs a class loading each.
const RANDOM_CALLS_STATEFUL: usize = 400;

#[test]
fn compile_without_debug_information() {
    let compiled = Fixtures::discover().unwrap().compile(true).unwrap();
    assert!(compiled.contains_key(&DEFAULT_RELEASE));
}

#[test]
fn class_names_are_unique_in_their_topic() {
    let fixtures = Fixtures::discover().unwrap();
    let mut seen = BTreeMap::new();
    for case in &fixtures.cases {
        for class in case.classes() {
            if let Some(other) = seen.insert(class.clone(), &case.name) {
                panic!("{class} is in {other} and {}", case.name);
            }
        }
    }
    assert!(fixtures.cases.len() >= 100, "{} cases", fixtures.cases.len());
}

#[test]
fn the_jvm_shows_what_is_expected() {
    let fixtures = Fixtures::discover().unwrap();
    let mut problems = Vec::new();
    for (release, compiled) in fixtures.compile(false).unwrap() {
        let cases: Vec<&Case> = fixtures.of_release(release).collect();
        problems.extend(verify(&cases, &compiled));
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

fn verify(cases: &[&Case], compiled: &Compiled) -> Vec<String> {
    let class_path: Vec<PathBuf> = vec![compiled.classes.clone()];
    let has_edges = (17..24).contains(&compiled.jdk.version);
    let mut oracle = Oracle::with(&compiled.jdk, &class_path, 1000, has_edges).unwrap();
    let mut problems = Vec::new();
    let mut calls = Vec::new();
    let mut subjects = Vec::new();
    for case in cases {
        let mut problem = |text: String| problems.push(format!("{}/{}: {text}", case.topic, case.name));
        let classes = match Classes::read(case, &mut oracle) {
            Ok(classes) => classes,
            Err(e) => {
                problem(e.to_string());
                continue;
            }
        };
        if !case.expect.stateful && !classes.mutable_statics.is_empty() {
            problem(format!("not stateful, but has {:?}", classes.mutable_statics));
        }
        for member in classes.unexpected(case) {
            problem(format!("no expectation of {}", member.key()));
        }
        for (index, method) in case.expect.method.iter().enumerate() {
            match classes.find(case, method) {
                Ok(member) => {
                    let first = calls.len();
                    if let Err(e) = classes.calls(case, method, &member, &mut calls) {
                        problem(format!("{}: {e}", method.name));
                    }
                    subjects.push((*case, index, member, first..calls.len()));
                }
                Err(e) => problem(e),
            }
        }
    }
    let answers = oracle.call_all(&calls).unwrap();
    let edges = if has_edges { Some(oracle.edges().unwrap()) } else { None };
    for (case, index, member, range) in subjects {
        let method = &case.expect.method[index];
        // Edges of an inherited method are those of another class.
        let edges = edges.as_ref().filter(|_| member.declared);
        let runs: Vec<(Call, Answer)> =
            calls[range.clone()].iter().cloned().zip(answers[range].iter().cloned()).collect();
        for text in judge(method, &member, runs, edges) {
            problems.push(format!("{}/{} {}{}: {text}", case.topic, case.name, member.name, member.desc));
        }
        if let Some(edges) = edges
            && method.branches.is_none()
        {
            let total = edges.get(&member.key()).map_or(0, |found| found.total);
            if std::env::var_os("BLESS").is_some() {
                bless(case, index, total);
            } else {
                problems.push(format!("{}/{} {}: branches = {total}?", case.topic, case.name, member.name));
            }
        }
    }
    problems
}

fn judge(
    method: &Method,
    member: &Member,
    runs: Vec<(Call, Answer)>,
    edges: Option<&BTreeMap<String, MethodEdges>>,
) -> Vec<String> {
    let mut texts = Vec::new();
    for (example, (call, answer)) in method.examples.iter().zip(&runs) {
        if !example.pattern.matches(call, answer) {
            texts.push(format!("example {:?} is wrong: {answer}", example.text));
        }
    }
    let found = edges.and_then(|edges| edges.get(&member.key()));
    let observed = Observed {
        runs,
        edges: edges.map(|_| found.map_or(0, |found| found.total)),
        covered: found.map(|found| found.hit.clone()).unwrap_or_default(),
        ..Observed::default()
    };
    for problem in check(method, &observed) {
        let uncovered = matches!(problem, Problem::Uncovered { .. });
        let missed: Vec<u32> =
            (0..observed.edges.unwrap_or(0)).filter(|edge| !observed.covered.contains(edge)).collect();
        texts.push(if uncovered { format!("{problem}, not {missed:?}") } else { problem.to_string() });
    }
    texts
}

/// What reflection says of the classes of a case.
struct Classes {
    members: Vec<Member>,
    enums: BTreeMap<String, Vec<String>>,
    mutable_statics: Vec<String>,
}

impl Classes {
    fn read(case: &Case, oracle: &mut Oracle) -> testkit::Result<Classes> {
        let mut names = case.classes();
        names.extend(case.expect.method.iter().map(|method| case.class_of(method)));
        names.sort();
        names.dedup();
        let mut found = Classes { members: Vec::new(), enums: BTreeMap::new(), mutable_statics: Vec::new() };
        for name in &names {
            found.members.extend(oracle.methods(name)?);
            found.mutable_statics.extend(oracle.mutable_statics(name)?);
        }
        let own = names.iter().cloned();
        let used = found.members.iter().flat_map(|member| {
            let (parameters, _) = split_descriptor(&member.desc).unwrap_or_default();
            parameters.into_iter().filter_map(|p| {
                Some(p.trim_start_matches('[').strip_prefix('L')?.strip_suffix(';')?.replace('/', "."))
            })
        });
        for class in own.chain(used).filter(|class| class.starts_with("fx.")).collect::<Vec<_>>() {
            let constants = oracle.enum_constants(&class)?;
            if !constants.is_empty() {
                found.enums.insert(class, constants);
            }
        }
        Ok(found)
    }

    fn find(&self, case: &Case, method: &Method) -> Result<Member, String> {
        let class = case.class_of(method);
        let named: Vec<&Member> = self
            .members
            .iter()
            .filter(|member| member.class == class && member.name == method.name)
            .filter(|member| method.desc.as_ref().is_none_or(|desc| *desc == member.desc))
            .collect();
        match named[..] {
            [member] => Ok(member.clone()),
            [] => Err(format!("no public method {class}.{}", method.name)),
            _ => Err(format!("{class}.{} is overloaded: desc needed", method.name)),
        }
    }

    fn constructors(&self, class: &str) -> Vec<Member> {
        let mut all = self.members.clone();
        all.retain(|member| member.class == class && member.kind == MemberKind::Constructor);
        all
    }

    /// Public methods with supported parameters that `expect.toml` does not mention. Constructors, and methods
    /// every enum or record has, may be left out.
    fn unexpected(&self, case: &Case) -> Vec<Member> {
        let top = case.classes();
        let mentioned: Vec<Member> =
            case.expect.method.iter().filter_map(|method| self.find(case, method).ok()).collect();
        let mut left = self.members.clone();
        left.retain(|member| {
            let boring =
                matches!(member.name.as_str(), "values" | "valueOf" | "toString" | "hashCode" | "equals");
            let takes = split_descriptor(&member.desc).is_ok_and(|(p, _)| p.iter().all(|p| self.can_make(p)));
            let reachable = member.kind == MemberKind::Static
                || self.enums.contains_key(&member.class)
                || !self.constructors(&member.class).is_empty();
            let counted =
                member.declared && member.kind != MemberKind::Constructor && !boring && takes && reachable;
            counted && top.contains(&member.class) && !mentioned.contains(member)
        });
        left
    }

    fn can_make(&self, desc: &str) -> bool {
        let own = desc.trim_start_matches('[').strip_prefix("Lfx/").and_then(|rest| rest.strip_suffix(';'));
        is_input(desc)
            && own.is_none_or(|rest| self.enums.contains_key(&format!("fx.{}", rest.replace('/', "."))))
    }

    fn calls(
        &self,
        case: &Case,
        method: &Method,
        member: &Member,
        calls: &mut Vec<Call>,
    ) -> testkit::Result<()> {
        let constructors = self.constructors(&member.class);
        let fresh = case.expect.stateful;
        for example in &method.examples {
            let mut call = example.call(member, &constructors)?;
            call.fresh = fresh;
            calls.push(call);
        }
        let mut generator = Generator::new(17);
        generator.learn(&case.source_text()?);
        for (class, constants) in &self.enums {
            generator.learn_enum(class, constants.clone());
        }
        let varied = !member.desc.starts_with("()") || member.kind == MemberKind::Instance;
        let number = if !varied {
            1
        } else if fresh {
            RANDOM_CALLS_STATEFUL
        } else {
            RANDOM_CALLS
        };
        for _ in 0..number {
            let Some(mut call) = generator.call(member, &constructors) else {
                return Err(testkit::Error::Malformed(format!("cannot make arguments for {}", member.desc)));
            };
            call.fresh = fresh;
            // An enum's instance methods are called on its constants; null receivers are not calls.
            if !matches!(call.receiver, Receiver::Value(testkit::Value::Null)) {
                calls.push(call);
            }
        }
        Ok(())
    }
}

/// Inserts `branches` after the name (and desc) of the method with this index.
fn bless(case: &Case, index: usize, total: u32) {
    let file = case.dir.join("expect.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].trim() == "[[method]]").collect();
    let mut at = starts[index] + 1;
    while lines.get(at).is_some_and(|line| ["class", "name", "desc"].iter().any(|key| line.starts_with(key)))
    {
        at += 1;
    }
    lines.insert(at, format!("branches = {total}"));
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
}
