//! Does a subject answer as the JVM does?

use crate::Result;
use crate::call::{Answer, Call, Outcome};
use crate::methods::may_differ_by_an_ulp;
use crate::oracle::Oracle;
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Something that runs Java calls; our VM, driven by its own tests.
pub trait Subject {
    fn call(&mut self, call: &Call) -> Answer;
}

/// What counts as a difference.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Compare messages of exceptions (never those of `NullPointerException`: they depend on `-g`).
    pub messages: bool,
    /// Compare instance fields of the receiver.
    pub fields: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { messages: true, fields: true }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    pub calls: usize,
    pub agreed: usize,
    pub differed: Vec<Difference>,
    /// Calls that one side did not answer, by who and why.
    pub unanswered: BTreeMap<String, usize>,
}

#[derive(Clone, Debug)]
pub struct Difference {
    pub call: Call,
    pub subject: Answer,
    pub oracle: Answer,
    /// The first thing that differs.
    pub what: &'static str,
}

/// Asks both and compares.
pub fn compare(
    calls: &[Call],
    subject: &mut dyn Subject,
    oracle: &mut Oracle,
    rules: Rules,
) -> Result<Report> {
    let truths = oracle.call_all(calls)?;
    let mut report = Report { calls: calls.len(), ..Report::default() };
    for (call, truth) in calls.iter().zip(truths) {
        if let Some(reason) = unanswered(&truth) {
            *report.unanswered.entry(format!("oracle: {reason}")).or_default() += 1;
            continue;
        }
        let answer = subject.call(call);
        if let Some(reason) = unanswered(&answer) {
            *report.unanswered.entry(format!("subject: {reason}")).or_default() += 1;
            continue;
        }
        match difference(call, &answer, &truth, rules) {
            None => report.agreed += 1,
            Some(what) => {
                report.differed.push(Difference { call: call.clone(), subject: answer, oracle: truth, what })
            }
        }
    }
    Ok(report)
}

/// Running out of stack or memory depends on the machine, not on the program alone.
fn unanswered(answer: &Answer) -> Option<String> {
    match &answer.outcome {
        Outcome::Unanswered(reason) => Some(reason.clone()),
        Outcome::Threw { class, .. } | Outcome::ConstructionThrew { class, .. }
            if class == "java.lang.OutOfMemoryError" || class == "java.lang.StackOverflowError" =>
        {
            Some(class.clone())
        }
        _ => None,
    }
}

/// The first thing in which two answers to a call differ.
pub fn difference(call: &Call, subject: &Answer, oracle: &Answer, rules: Rules) -> Option<&'static str> {
    let ulps = u64::from(may_differ_by_an_ulp(call));
    match (&subject.outcome, &oracle.outcome) {
        (Outcome::Returned(a), Outcome::Returned(b)) => {
            if !alike(a, b, ulps) {
                return Some("result");
            }
        }
        (Outcome::Threw { class: a, message: m }, Outcome::Threw { class: b, message: n })
        | (
            Outcome::ConstructionThrew { class: a, message: m },
            Outcome::ConstructionThrew { class: b, message: n },
        ) => {
            if a != b {
                return Some("exception");
            }
            if rules.messages && a != "java.lang.NullPointerException" && m != n {
                return Some("message");
            }
        }
        _ => return Some("outcome"),
    }
    let same_args = subject.args_after.len() == oracle.args_after.len()
        && subject.args_after.iter().zip(&oracle.args_after).all(|(a, b)| alike(a, b, 0));
    if !same_args {
        return Some("arguments");
    }
    let same_fields = subject.fields_after.len() == oracle.fields_after.len()
        && subject
            .fields_after
            .iter()
            .zip(&oracle.fields_after)
            .all(|(a, b)| a.0 == b.0 && alike(&a.1, &b.1, 0));
    if rules.fields && !same_fields {
        return Some("fields");
    }
    (subject.stdout != oracle.stdout).then_some("standard output")
}

/// Equal, with all NaNs the same (Java leaves their payload open) and doubles at most so many ulps apart.
pub fn alike(a: &Value, b: &Value, ulps: u64) -> bool {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) if x.is_nan() => y.is_nan(),
        (Value::Double(x), Value::Double(y)) if x.is_nan() => y.is_nan(),
        (Value::Double(x), Value::Double(y)) => {
            !y.is_nan()
                && if ulps == 0 { x.to_bits() == y.to_bits() } else { order(*x).abs_diff(order(*y)) <= ulps }
        }
        (Value::Boxed(x), Value::Boxed(y)) => alike(x, y, ulps),
        (Value::Array(d, x), Value::Array(e, y)) => {
            d == e && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| alike(x, y, ulps))
        }
        _ => a == b,
    }
}

/// Doubles in order, neighbours one apart; the two zeros fall together.
fn order(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}\n  {} differs\n  subject: {}\n  JVM:     {}",
            self.call, self.call.desc, self.what, self.subject, self.oracle
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} calls, {} agreed, {} differed", self.calls, self.agreed, self.differed.len())?;
        for (reason, count) in &self.unanswered {
            writeln!(f, "{count} unanswered, {reason}")?;
        }
        self.differed.iter().take(50).try_for_each(|difference| writeln!(f, "{difference}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ulps_are_neighbours() {
        let near = |a: f64, b: f64| alike(&Value::Double(a), &Value::Double(b), 1);
        assert!(near(1.0, f64::from_bits(1.0_f64.to_bits() + 1)));
        assert!(!near(1.0, f64::from_bits(1.0_f64.to_bits() + 2)));
        assert!(near(-1.0, f64::from_bits((-1.0_f64).to_bits() + 1)));
        assert!(near(f64::from_bits(1), 0.0) && near(-f64::from_bits(1), 0.0));
        assert!(!near(f64::NAN, 1.0) && !near(1.0, f64::NAN));
        assert!(!alike(&Value::Double(0.0), &Value::Double(-0.0), 0));
    }
}
