//! Tests of one name: what is given to them tells them apart where their conditions do not.

use std::collections::BTreeMap;

use crate::case::{Call, Step, TestCase, Value};
use crate::name::value_word;

/// Gives tests that have the same name what they are given besides, in name and comment: `render_afterAlign_withRight`.
pub fn tell_apart<'a>(cases: impl IntoIterator<Item = &'a mut TestCase>) {
    let mut groups: BTreeMap<String, Vec<&mut TestCase>> = BTreeMap::new();
    for case in cases {
        groups.entry(case.name.clone()).or_default().push(case);
    }
    for (_, mut group) in groups.into_iter().filter(|(_, group)| group.len() > 1) {
        let given: Vec<Vec<(String, Value)>> = group.iter().map(|case| given(case)).collect();
        let Some(found) = telling(&given) else { continue };
        for (case, (word, text)) in group.iter_mut().zip(found) {
            case.name.push_str(&format!("_with{word}"));
            if let Some(line) = case.comment.first_mut() {
                *line = with(line, &text);
            }
        }
    }
}

/// Of the first place where all of them have something else that can be said: what that is, in a name and in a comment.
fn telling(given: &[Vec<(String, Value)>]) -> Option<Vec<(String, String)>> {
    let (first, rest) = given.split_first()?;
    first.iter().find_map(|(place, value)| {
        let mut values = vec![value];
        for other in rest {
            values.push(other.iter().find(|(at, _)| at == place).map(|(_, value)| value)?);
        }
        let mut found: Vec<(String, String)> = Vec::new();
        for value in values {
            let (word, text) = said(value)?;
            if found.iter().any(|(known, _)| *known == word) {
                return None;
            }
            found.push((word, text));
        }
        Some(found)
    })
}

/// What a test gives to its calls, each with its place: first to the call under test.
fn given(case: &TestCase) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    of_call("act", &case.act, &mut found);
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for step in &case.arrange {
        match step {
            Step::Do(call) => {
                let count = times.entry(call.method.clone()).or_insert(0);
                *count += 1;
                of_call(&format!("{} {count}", call.method), call, &mut found);
            }
            Step::Bind { name, value: Value::Call(call), .. } => {
                of_call(&format!("{name} ="), call, &mut found);
            }
            Step::Bind { name, value, .. } => found.push((name.clone(), value.clone())),
            Step::Set { field, value, .. } => found.push((field.clone(), value.clone())),
        }
    }
    found
}

fn of_call(place: &str, call: &Call, found: &mut Vec<(String, Value)>) {
    for (i, arg) in call.args.iter().enumerate() {
        match arg {
            Value::Array { items, .. } | Value::List(items) if items.len() <= 4 => {
                let numbered = items.iter().enumerate();
                found.extend(numbered.map(|(j, item)| (format!("{place} {i} {j}"), item.clone())));
            }
            arg => found.push((format!("{place} {i}"), arg.clone())),
        }
    }
}

/// A value in a name and in a comment.
fn said(value: &Value) -> Option<(String, String)> {
    let text = match value {
        Value::Boxed(inner) => return said(inner),
        Value::Null => "null".to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Byte(value) => value.to_string(),
        Value::Short(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Long(value) => value.to_string(),
        Value::Char(_) => format!("'{}'", value_word(value)?),
        Value::Str(text) => format!("\"{}\"", text.quotable()?),
        Value::Enum { constant, .. } => constant.clone(),
        _ => return None,
    };
    let number = text.trim_matches('"').parse::<i64>().ok();
    let word = value_word(value).or_else(|| crate::explain::number_word(i128::from(number?)))?;
    Some((word, text))
}

/// A comment with one more condition, which comes last.
fn with(comment: &str, value: &str) -> String {
    let ends = [": returns", ": throws", ": does not end"];
    match ends.iter().filter_map(|end| comment.rfind(end)).max() {
        Some(at) => format!("{}, with {value}{}", &comment[..at], &comment[at..]),
        None => {
            let mut rest = comment.chars();
            let first: String = rest.next().into_iter().flat_map(char::to_lowercase).collect();
            format!("With {value}: {first}{}", rest.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{ClassName, Outcome, Type};

    fn parse(text: &str) -> TestCase {
        let class = ClassName::new("p", &["Parser"]);
        let act = Call::on_class(class, "parse", vec![Type::string()], Type::Int, vec![Value::str(text)]);
        let mut case = TestCase::new("parse_sNotEmpty", act, Outcome::Returns);
        case.comment = vec!["s.length() != 0: returns a value".to_string()];
        case
    }

    #[test]
    fn what_differs_is_said() {
        let mut cases = [parse("0"), parse("-1")];
        tell_apart(cases.iter_mut());
        assert_eq!(cases[1].name, "parse_sNotEmpty_withMinus1");
        assert_eq!(cases[1].comment, ["s.length() != 0, with \"-1\": returns a value"]);
    }

    #[test]
    fn what_cannot_be_told_apart_stays() {
        let mut cases = [parse("0"), parse("0"), parse("1")];
        tell_apart(cases.iter_mut());
        assert!(cases.iter().all(|case| case.name == "parse_sNotEmpty"));
    }
}
