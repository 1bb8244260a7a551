//! Names of tests: what was called, under which condition, with which outcome.

use std::collections::BTreeMap;

use crate::case::{Outcome, TestCase, Value};
use crate::explain::{Fact, camel, capitalised, number_word};

/// At most so many conditions go into a name; the last ones say what sets the path apart.
const MAX_WORDS: usize = 2;
const MAX_LENGTH: usize = 90;

/// `divide_bZero_throwsArithmeticException`. `after` says what was called before, where no condition tells more.
pub fn test_name(
    method: &str,
    facts: &[Fact],
    after: Option<&str>,
    outcome: &Outcome,
    result: Option<&Value>,
) -> String {
    let mut name: String =
        method.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    let words: Vec<&str> = facts.iter().filter_map(|f| f.word.as_deref()).collect();
    // That an argument is not null says little where something else is known.
    let telling: Vec<&str> = words.iter().copied().filter(|w| !w.ends_with("NotNull")).collect();
    let outcome = outcome_word(outcome, result);
    let words = match (telling.is_empty(), after) {
        (true, Some(after)) => vec![after],
        (true, None) if outcome.is_empty() => words,
        _ => telling,
    };
    let last = &words[words.len().saturating_sub(MAX_WORDS)..];
    let condition: String = last
        .iter()
        .enumerate()
        .map(|(i, w)| if i == 0 { w.to_string() } else { format!("And{}", capitalised(w)) })
        .collect();
    if !condition.is_empty() && name.len() + condition.len() < MAX_LENGTH {
        name.push('_');
        name.push_str(&condition);
    }
    if !outcome.is_empty() {
        name.push('_');
        name.push_str(&outcome);
    }
    name
}

/// Takes back what name and comment say of a result that is not asserted any more.
pub fn forget_result(case: &mut TestCase, result: &Value) {
    let word = outcome_word(&case.outcome, Some(result));
    if let Some(rest) = case.name.strip_suffix(&word).and_then(|name| name.strip_suffix('_')) {
        case.name = rest.to_string();
    }
    for line in &mut case.comment {
        let end = ["returns ", "Returns "].iter().filter_map(|word| line.rfind(word)).max();
        if let Some(end) = end {
            line.truncate(end + "returns".len());
        }
    }
}

/// What the outcome is called in a name.
fn outcome_word(outcome: &Outcome, result: Option<&Value>) -> String {
    match (outcome, result) {
        (Outcome::Throws { class, .. }, _) => format!("throws{}", class.simple_name()),
        (Outcome::Endless { .. }, _) => "doesNotEnd".to_string(),
        (Outcome::Returns, Some(value)) => match value_word(value) {
            Some(word) => format!("returns{word}"),
            None => String::new(),
        },
        (Outcome::Returns, None) => String::new(),
    }
}

pub(crate) fn value_word(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "Null".to_string(),
        Value::Bool(value) => capitalised(&value.to_string()),
        Value::Byte(value) => number_word(*value as i128)?,
        Value::Short(value) => number_word(*value as i128)?,
        Value::Int(value) => number_word(*value as i128)?,
        Value::Long(value) => number_word(*value as i128)?,
        Value::Char(unit) => {
            let c = char::from_u32(*unit as u32)?;
            c.is_ascii_alphanumeric().then(|| c.to_string())?
        }
        Value::Float(bits) => float_word(f32::from_bits(*bits) as f64)?,
        Value::Double(bits) => float_word(f64::from_bits(*bits))?,
        Value::Str(text) => {
            let text = String::from_utf16(&text.0).ok()?;
            match text.as_str() {
                "" => "Empty".to_string(),
                t if t.len() <= 16 && t.chars().all(|c| c.is_ascii_alphanumeric()) => capitalised(t),
                _ => return None,
            }
        }
        Value::Boxed(inner) => value_word(inner)?,
        Value::Enum { constant, .. } => camel(constant),
        Value::Field { of: None, class, name, .. } if name == "INSTANCE" => class.simple_name().to_string(),
        Value::Field { of: None, name, .. } => camel(name),
        Value::Array { items, .. } | Value::List(items) | Value::Set(items) if items.is_empty() => {
            "Empty".to_string()
        }
        Value::Map(entries) if entries.is_empty() => "Empty".to_string(),
        Value::Optional(None) => "Empty".to_string(),
        _ => return None,
    })
}

fn float_word(value: f64) -> Option<String> {
    if value.is_nan() {
        return Some("NaN".to_string());
    }
    if value.is_infinite() {
        return Some(if value > 0.0 { "Infinity" } else { "MinusInfinity" }.to_string());
    }
    (value.fract() == 0.0 && value.abs() < 1e6).then(|| number_word(value as i128)).flatten()
}

/// `BY_LENGTH` as `byLength`.
pub fn lower_camel(constant: &str) -> String {
    let name = camel(constant);
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().collect::<String>() + chars.as_str())
}

/// Makes names unique by numbering those that repeat; the first keeps its name.
pub fn make_unique<'a>(names: impl IntoIterator<Item = &'a mut String>) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for name in names {
        let count = seen.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            let mut n = *count;
            let mut candidate = format!("{name}_{n}");
            while seen.contains_key(&candidate) {
                n += 1;
                candidate = format!("{name}_{n}");
            }
            seen.insert(candidate.clone(), 1);
            *name = candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::ClassName;

    fn fact(word: &str) -> Fact {
        Fact { text: String::new(), word: Some(word.to_string()) }
    }

    #[test]
    fn names_say_condition_and_outcome() {
        let thrown =
            Outcome::Throws { class: ClassName::new("java.lang", &["ArithmeticException"]), message: None };
        assert_eq!(
            test_name("divide", &[fact("bZero")], None, &thrown, None),
            "divide_bZero_throwsArithmeticException"
        );
        let facts = [fact("sNotNull"), fact("sEmpty")];
        assert_eq!(
            test_name("f", &facts, Some("afterG"), &Outcome::Returns, Some(&Value::Int(-1))),
            "f_sEmpty_returnsMinus1"
        );
        assert_eq!(test_name("run", &[], None, &Outcome::Returns, None), "run");
        let given = [fact("xNotNull")];
        assert_eq!(test_name("run", &given, None, &Outcome::Returns, None), "run_xNotNull");
        assert_eq!(test_name("run", &given, None, &Outcome::Returns, Some(&Value::Int(1))), "run_returns1");
        assert_eq!(test_name("run", &given, Some("afterAdd"), &Outcome::Returns, None), "run_afterAdd");
    }

    #[test]
    fn repeated_names_are_numbered() {
        let mut names = ["a", "b", "a", "a_2", "a"].map(String::from);
        make_unique(names.iter_mut());
        assert_eq!(names, ["a", "b", "a_2", "a_2_2", "a_3"]);
    }
}
