//! Conditions as the source says them, as part of a name: `step <= 0` is `stepNotPositive`.

use super::spelled::{capitalised, constant_word, identifier, number_word, zero_word};

/// The word for a condition of the source; `None` if it takes more than a few words.
pub fn word_of_source(text: &str) -> Option<String> {
    if let Some((left, relation, right)) = compared(text) {
        let subject = value(left)?;
        let positive = relation == "Is";
        return Some(match right {
            "null" => subject + if positive { "Null" } else { "NotNull" },
            "true" | "false" => subject + if (right == "true") == positive { "True" } else { "False" },
            "0" | "0.0" | "0.0f" => subject + &zero_word(relation)?,
            _ => match right.parse::<i128>() {
                Ok(number) => format!("{subject}{relation}{}", number_word(number)?),
                Err(_) => {
                    format!("{subject}{relation}{}", capitalised(&value(right).or_else(|| literal(right))?))
                }
            },
        });
    }
    if let Some(of) = text.strip_suffix(" is something else") {
        return Some(value(of)? + "IsSomethingElse");
    }
    let (asked, holds) = match text.strip_prefix('!') {
        Some(inner) => (inner, false),
        None => (text, true),
    };
    let Some((called, argument)) = asked.strip_suffix(')').and_then(|call| call.split_once('(')) else {
        return Some(value(asked)? + if holds { "True" } else { "False" });
    };
    if let (Some(of), "") = (called.strip_suffix(".isEmpty"), argument) {
        return Some(value(of)? + if holds { "Empty" } else { "NotEmpty" });
    }
    let argument = match argument {
        "" => String::new(),
        // What takes a call to say is left out.
        argument if argument.contains(['.', '(', ' ']) => literal(argument).unwrap_or_default(),
        argument => capitalised(&value(argument).or_else(|| literal(argument))?),
    };
    let word = value(called)? + &argument;
    Some(if holds { word } else { format!("not{}", capitalised(&word)) })
}

/// The two sides of a comparison, and the word for it.
fn compared(text: &str) -> Option<(&str, &'static str, &str)> {
    let (left, rest) = text.split_once(' ')?;
    let (sign, right) = rest.split_once(' ')?;
    let relation = match sign {
        "==" | "is" => "Is",
        "!=" => "IsNot",
        "<" => "LessThan",
        "<=" => "AtMost",
        ">" => "GreaterThan",
        ">=" => "AtLeast",
        _ => return None,
    };
    (!right.contains(' ')).then_some((left, relation, right))
}

/// A variable, a field, or a call without arguments.
fn value(text: &str) -> Option<String> {
    let text = text.strip_suffix("()").unwrap_or(text);
    let last = text.rsplit('.').next().unwrap_or_default();
    if last.len() > 1 && last.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') {
        return constant_word(last);
    }
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    // `Character.isDigit` is what it is without its class.
    let member = match text.split_once('.') {
        Some((of, member)) if of == "this" || of.starts_with(|c: char| c.is_ascii_uppercase()) => member,
        _ => text,
    };
    identifier(member).filter(|word| plain && word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// A short text or character of letters and digits.
fn literal(text: &str) -> Option<String> {
    let quoted = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    if text.len() == 3 && text.starts_with('\'') {
        return constant_word(text);
    }
    let inner = quoted('"').or_else(|| quoted('\''))?;
    let plain = !inner.is_empty() && inner.len() <= 16 && inner.chars().all(|c| c.is_ascii_alphanumeric());
    plain.then(|| inner.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_the_source_become_words() {
        for (text, word) in [
            ("step <= 0", Some("stepNotPositive")),
            ("step <= 59", Some("stepAtMost59")),
            ("slow == fast", Some("slowIsFast")),
            ("this.size == max", Some("sizeIsMax")),
            ("node.next == null", Some("nodeNextNull")),
            ("!name.isEmpty()", Some("nameNotEmpty")),
            ("seen.contains(id)", Some("seenContainsId")),
            ("!line.startsWith(\"ab\")", Some("notLineStartsWithAb")),
            ("c == 'x'", Some("cIsX")),
            ("hours.get(t.getHour())", Some("hoursGet")),
            ("item.status() == Status.BACK_ORDER", Some("itemStatusIsBackOrder")),
            ("mode is something else", Some("modeIsSomethingElse")),
            ("done", Some("doneTrue")),
            ("!done", Some("doneFalse")),
            ("a + b > c", None),
            ("f(a, b)", Some("f")),
            ("c == '%'", Some("cIsPercent")),
            ("c is '('", Some("cIsOpenParenthesis")),
            ("!Character.isDigit(c)", Some("notIsDigitC")),
            ("b == 0.0", Some("bZero")),
        ] {
            assert_eq!(word_of_source(text).as_deref(), word, "{text}");
        }
    }
}
