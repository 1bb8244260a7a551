//! `expect.toml`: what an exploration of a fixture must show. The format is described in `fixtures/java/README.md`.

use crate::call::{Answer, Call, Outcome, Receiver};
use crate::literal::{Cursor, Literal};
use crate::methods::{Member, MemberKind, split_descriptor};
use crate::value::Value;
use crate::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt;

/// The whole file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The Java release the sources need; 17 when absent.
    pub release: Option<u32>,
    /// Calls change static state, so each must run in a fresh world.
    #[serde(default)]
    pub stateful: bool,
    #[serde(default)]
    pub method: Vec<Method>,
}

/// Expectations of one method.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Simple class name; may be left out when the case has one source file.
    pub class: Option<String>,
    /// `<init>` for a constructor.
    pub name: String,
    /// Needed when the name is overloaded.
    pub desc: Option<String>,
    /// Branch edges of the method's own byte code: two a conditional jump, one a distinct switch target.
    pub branches: Option<u32>,
    /// How many of them no input reaches (within `bound`, if given). Requires a note.
    #[serde(default)]
    pub infeasible: u32,
    /// How many of them need more than a constructor and one call: an exploration may reach them or not.
    #[serde(default)]
    pub beyond: u32,
    /// How many of them are further copies of a source branch (javac repeats `finally` blocks). A view that merges
    /// copies has so many fewer, and infeasible ones in copies do not count there.
    #[serde(default)]
    pub copies: u32,
    /// Feasible paths within `bound`, where the number is known exactly.
    pub paths: Option<u32>,
    pub note: Option<String>,
    /// Within which bounds the verdicts hold, for people.
    pub bound: Option<String>,
    /// Behaviours at least one explored run must show.
    #[serde(default)]
    pub must: Vec<Pattern>,
    /// Behaviours no run may show.
    #[serde(default)]
    pub never: Vec<Pattern>,
    /// Calls with their behaviour, true on the real JVM: witnesses for what chance does not find.
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// A behaviour, as in `returns 0`, `throws java.lang.ArithmeticException`, `prints "x\n"`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern {
    text: String,
    kind: PatternKind,
}

#[derive(Clone, Debug, PartialEq)]
enum PatternKind {
    Returns(Test),
    Throws { class: String, message: Option<Test> },
    Prints(Test),
    ArgumentBecomes(usize, Test),
    ArgumentChanges(usize),
    FieldBecomes(String, Test),
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Any,
    Is(Literal),
    Compare(Comparison, f64),
    Containing(Vec<u16>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Different,
}

/// `(7, 0) throws java.lang.ArithmeticException`, `new (5) (1) returns 6`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Example {
    pub text: String,
    construct: Option<Vec<Literal>>,
    args: Vec<Literal>,
    pub pattern: Pattern,
}

/// What an exploration (or a number of random calls) showed of one method.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    pub runs: Vec<(Call, Answer)>,
    /// All branch edges of the method, if they were counted.
    pub edges: Option<u32>,
    /// Those that ran.
    pub covered: BTreeSet<u32>,
    /// How many edges were proved infeasible, if a proof was tried.
    pub proved_infeasible: Option<u32>,
    /// Number of feasible paths, if the exploration claims to be exhaustive within the bound.
    pub paths: Option<u32>,
}

/// Something an exploration got wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    Missing(String),
    Forbidden {
        pattern: String,
        call: String,
        answer: String,
    },
    EdgeCount {
        expected: u32,
        found: u32,
    },
    Uncovered {
        feasible: u32,
        covered: u32,
    },
    /// More edges ran than are said to be feasible: the expectation is wrong.
    InfeasibleReached {
        feasible: u32,
        covered: u32,
    },
    /// More edges are claimed infeasible than are: the claim is unsound.
    Unsound {
        infeasible: u32,
        claimed: u32,
    },
    Unproved {
        infeasible: u32,
        proved: u32,
    },
    PathCount {
        expected: u32,
        found: u32,
    },
}

/// Compares what was observed with what is expected.
pub fn check(method: &Method, observed: &Observed) -> Vec<Problem> {
    let mut problems = Vec::new();
    for pattern in &method.must {
        if !observed.runs.iter().any(|(call, answer)| pattern.matches(call, answer)) {
            problems.push(Problem::Missing(pattern.text.clone()));
        }
    }
    for pattern in &method.never {
        if let Some((call, answer)) =
            observed.runs.iter().find(|(call, answer)| pattern.matches(call, answer))
        {
            let (call, answer) = (call.to_string(), answer.to_string());
            problems.push(Problem::Forbidden { pattern: pattern.text.clone(), call, answer });
        }
    }
    if let (Some(branches), Some(found)) = (method.branches, observed.edges) {
        let covered = observed.covered.len() as u32;
        let merged = method.copies > 0 && found == branches.saturating_sub(method.copies);
        let feasible = if merged {
            found.saturating_sub(method.infeasible.saturating_sub(method.copies))
        } else {
            branches.saturating_sub(method.infeasible)
        };
        if branches != found && !merged {
            problems.push(Problem::EdgeCount { expected: branches, found });
        } else if covered < feasible.saturating_sub(method.beyond) {
            problems.push(Problem::Uncovered { feasible: feasible.saturating_sub(method.beyond), covered });
        } else if covered > feasible {
            problems.push(Problem::InfeasibleReached { feasible, covered });
        }
    }
    if let Some(proved) = observed.proved_infeasible {
        if proved > method.infeasible + method.beyond {
            problems.push(Problem::Unsound { infeasible: method.infeasible, claimed: proved });
        } else if proved < method.infeasible {
            problems.push(Problem::Unproved { infeasible: method.infeasible, proved });
        }
    }
    if let (Some(expected), Some(found)) = (method.paths, observed.paths)
        && expected != found
    {
        problems.push(Problem::PathCount { expected, found });
    }
    problems
}

impl Method {
    /// Rules that the types cannot say.
    pub fn validate(&self) -> std::result::Result<(), String> {
        let left_out = self.infeasible + self.beyond;
        if left_out > 0 && self.note.is_none() {
            return Err(format!("{}: edges left out need a note that says why", self.name));
        }
        if self.branches.is_some_and(|branches| branches < left_out) {
            return Err(format!("{}: more edges left out than there are", self.name));
        }
        Ok(())
    }
}

impl Pattern {
    /// Whether a run shows this behaviour.
    pub fn matches(&self, call: &Call, answer: &Answer) -> bool {
        match (&self.kind, &answer.outcome) {
            (PatternKind::Returns(test), Outcome::Returned(value)) => test.holds(value),
            (PatternKind::Throws { class, message }, Outcome::Threw { class: thrown, message: found }) => {
                let found = found.clone().map_or(Value::Null, Value::Str);
                class == thrown && message.as_ref().is_none_or(|test| test.holds(&found))
            }
            (_, Outcome::Unanswered(_) | Outcome::ConstructionThrew { .. }) => false,
            (PatternKind::Prints(test), _) => {
                !answer.stdout.is_empty() && test.holds(&Value::str(&String::from_utf8_lossy(&answer.stdout)))
            }
            (PatternKind::ArgumentBecomes(i, test), _) => {
                answer.args_after.get(*i).is_some_and(|arg| test.holds(arg))
            }
            (PatternKind::ArgumentChanges(i), _) => {
                answer.args_after.get(*i).is_some_and(|after| call.args.get(*i) != Some(after))
            }
            (PatternKind::FieldBecomes(name, test), _) => {
                answer.fields_after.iter().any(|(field, value)| field == name && test.holds(value))
            }
            _ => false,
        }
    }
}

impl Test {
    fn parse(cursor: &mut Cursor<'_>) -> Result<Test> {
        if cursor.rest().is_empty() {
            return Ok(Test::Any);
        }
        if cursor.skip("containing ") {
            return match cursor.literal()? {
                Literal::Str(units) => Ok(Test::Containing(units)),
                _ => Err(cursor.wrong("a string")),
            };
        }
        for (sign, comparison) in [
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("!=", Comparison::Different),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ] {
            if cursor.skip(sign) {
                let number = cursor.literal()?.as_number().ok_or_else(|| cursor.wrong("a number"))?;
                return Ok(Test::Compare(comparison, number));
            }
        }
        Ok(Test::Is(cursor.literal()?))
    }

    fn holds(&self, value: &Value) -> bool {
        match self {
            Test::Any => true,
            Test::Is(literal) => literal.is(value),
            Test::Containing(part) => match value {
                Value::Str(units) => contains(units, part),
                Value::Object(_, Some(text)) => contains(&text.encode_utf16().collect::<Vec<_>>(), part),
                _ => false,
            },
            Test::Compare(comparison, bound) => {
                let number = value.as_float().or_else(|| value.as_integer().map(|x| x as f64));
                number.is_some_and(|x| match comparison {
                    Comparison::Less => x < *bound,
                    Comparison::LessOrEqual => x <= *bound,
                    Comparison::Greater => x > *bound,
                    Comparison::GreaterOrEqual => x >= *bound,
                    Comparison::Different => x != *bound,
                })
            }
        }
    }
}

fn contains(units: &[u16], part: &[u16]) -> bool {
    part.is_empty() || units.windows(part.len()).any(|window| window == part)
}

fn pattern(cursor: &mut Cursor<'_>) -> Result<PatternKind> {
    Ok(match cursor.word() {
        "returns" => PatternKind::Returns(Test::parse(cursor)?),
        "prints" => PatternKind::Prints(Test::parse(cursor)?),
        "throws" => {
            let class = cursor.word().to_string();
            if class.is_empty() {
                return Err(cursor.wrong("an exception class"));
            }
            let message = if cursor.rest().is_empty() { None } else { Some(Test::parse(cursor)?) };
            PatternKind::Throws { class, message }
        }
        "argument" => {
            let index = cursor.word().parse().map_err(|_| cursor.wrong("an argument's number"))?;
            match cursor.word() {
                "becomes" => PatternKind::ArgumentBecomes(index, Test::parse(cursor)?),
                "changes" => PatternKind::ArgumentChanges(index),
                _ => return Err(cursor.wrong("'becomes' or 'changes'")),
            }
        }
        "field" => {
            let name = cursor.word().to_string();
            if !cursor.skip("becomes") {
                return Err(cursor.wrong("'becomes'"));
            }
            PatternKind::FieldBecomes(name, Test::parse(cursor)?)
        }
        _ => return Err(cursor.wrong("returns, throws, prints, argument or field")),
    })
}

impl TryFrom<String> for Pattern {
    type Error = Error;

    fn try_from(text: String) -> Result<Pattern> {
        let mut cursor = Cursor::new(&text);
        let kind = pattern(&mut cursor)?;
        cursor.end()?;
        Ok(Pattern { kind, text })
    }
}

impl TryFrom<String> for Example {
    type Error = Error;

    fn try_from(text: String) -> Result<Example> {
        let mut cursor = Cursor::new(&text);
        let construct = if cursor.skip("new ") { Some(cursor.list()?) } else { None };
        let args = cursor.list()?;
        let pattern = Pattern::try_from(cursor.rest().to_string())?;
        Ok(Example { construct, args, pattern, text })
    }
}

impl Example {
    /// The call this example makes of a member; the constructor is the first whose parameters fit.
    pub fn call(&self, member: &Member, constructors: &[Member]) -> Result<Call> {
        let args = typed(&self.args, &member.desc)?;
        let own = || Error::Malformed(format!("{:?}: no fitting constructor", self.text));
        let receiver = match (&self.construct, member.kind) {
            (None, MemberKind::Static | MemberKind::Constructor) => Receiver::None,
            (Some(given), MemberKind::Instance) if constructors.is_empty() => match &given[..] {
                [constant @ Literal::Name(_)] => {
                    Receiver::Value(constant.typed(&format!("L{};", member.class.replace('.', "/")))?)
                }
                _ => return Err(own()),
            },
            (given, MemberKind::Instance) => {
                let given = given.as_deref().unwrap_or(&[]);
                let fitting = constructors.iter().find_map(|c| Some((c, typed(given, &c.desc).ok()?)));
                let (constructor, args) = fitting.ok_or_else(own)?;
                Receiver::New { desc: constructor.desc.clone(), args }
            }
            (Some(_), _) => return Err(Error::Malformed(format!("{:?}: the method is static", self.text))),
        };
        let (class, method, desc) = (member.class.clone(), member.name.clone(), member.desc.clone());
        Ok(Call { class, method, desc, receiver, args, fresh: false })
    }
}

fn typed(literals: &[Literal], desc: &str) -> Result<Vec<Value>> {
    let (parameters, _) = split_descriptor(desc)?;
    if parameters.len() != literals.len() {
        return Err(Error::Malformed(format!("{} arguments for {desc}", literals.len())));
    }
    literals.iter().zip(&parameters).map(|(literal, parameter)| literal.typed(parameter)).collect()
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Missing(pattern) => write!(f, "nothing {pattern}"),
            Problem::Forbidden { pattern, call, answer } => {
                write!(f, "must never be {pattern:?}: {call} {answer}")
            }
            Problem::EdgeCount { expected, found } => {
                write!(f, "has {found} branch edges, {expected} expected")
            }
            Problem::Uncovered { feasible, covered } => {
                write!(f, "{covered} of {feasible} feasible edges covered")
            }
            Problem::InfeasibleReached { feasible, covered } => {
                write!(f, "{covered} edges covered, but only {feasible} are said to be feasible")
            }
            Problem::Unsound { infeasible, claimed } => {
                write!(f, "{claimed} edges claimed infeasible, only {infeasible} are")
            }
            Problem::Unproved { infeasible, proved } => {
                write!(f, "{proved} of {infeasible} infeasible edges proved so")
            }
            Problem::PathCount { expected, found } => write!(f, "{found} paths, {expected} expected"),
        }
    }
}
