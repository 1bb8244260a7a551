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
                    let other = value(right).or_else(|| literal(right))?;
                    match subject == other {
                        // What differs in its arguments only.
                        true => format!(
                            "{}{relation}{}",
                            with_argument(left)?,
                            capitalised(&with_argument(right)?)
                        ),
                        false => format!("{subject}{relation}{}", capitalised(&other)),
                    }
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
    let Some((called, argument)) = last_call(asked) else {
        return Some(value(asked)? + if holds { "True" } else { "False" });
    };
    if let (Some(of), "") = (called.strip_suffix(".isEmpty"), argument) {
        return Some(value(of)? + if holds { "Empty" } else { "NotEmpty" });
    }
    // What takes a call to say is left out.
    let argument = match argument.contains('.') {
        true => None,
        false => value(argument).filter(|_| !argument.ends_with(')')),
    };
    let argument = argument.or_else(|| literal(last_call(asked)?.1)).unwrap_or_default();
    let word = value(called)? + &capitalised(&argument);
    Some(if holds { word } else { format!("not{}", capitalised(&word)) })
}

/// A call with its one argument: `height(node.left)` is `heightNodeLeft`.
fn with_argument(text: &str) -> Option<String> {
    let (called, argument) = last_call(text)?;
    Some(value(called)? + &capitalised(&value(argument)?))
}

/// What the last call of a text calls, and with what.
fn last_call(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(')')?;
    let mut depth = 0;
    let open = inner.char_indices().rev().find(|(_, c)| {
        depth += match c {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        depth < 0
    });
    let (open, _) = open?;
    Some((&inner[..open], &inner[open + 1..]))
}

/// A text without the arguments of its calls; `None` if its parentheses do not match.
fn without_arguments(text: &str) -> Option<String> {
    let (mut depth, mut kept) = (0_i32, String::new());
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            c if depth == 0 => kept.push(c),
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (depth == 0).then_some(kept)
}

/// The two sides of a comparison, and the word for it.
fn compared(text: &str) -> Option<(&str, &'static str, &str)> {
    let (mut depth, mut sign) = (0_i32, None);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                sign = text[at + 1..].split_once(' ').map(|(sign, right)| (&text[..at], sign, right));
                break;
            }
            _ => {}
        }
    }
    let (left, sign, right) = sign?;
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

/// A variable, a field, or a call, whose arguments are left out.
fn value(text: &str) -> Option<String> {
    let text = &without_arguments(text).filter(|_| !text.starts_with('('))?;
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
    if inner.len() == 1 && !inner.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return constant_word(&format!("'{inner}'"));
    }
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
            ("!email.contains(\"@\")", Some("notEmailContainsAt")),
            ("repo.find(name).isPresent()", Some("repoFindIsPresent")),
            ("Duration.between(u.getLast(), now).toDays() > 90", Some("betweenToDaysGreaterThan90")),
            ("text.split(\", \").length == 2", Some("textSplitLengthIs2")),
            ("(a + b).isZero()", None),
            ("height(node.left) >= height(node.right)", Some("heightNodeLeftAtLeastHeightNodeRight")),
            ("f(a, b) == f(b, a)", None),
        ] {
            assert_eq!(word_of_source(text).as_deref(), word, "{text}");
        }
    }
}
