//! What several conditions on the same number say together.

use super::Fact;
use super::spelled::identifier;

/// What several conditions say of one size together, in the place of the last: a loop asks again and again whether there
/// is more. Of other numbers, the tightest bounds.
pub fn joined(facts: Vec<Fact>) -> Vec<Fact> {
    let mut ranges: Vec<(String, i64, i64, usize)> = Vec::new();
    for (at, fact) in facts.iter().enumerate() {
        let Some((size, low, high)) = size_range(&fact.text) else { continue };
        match ranges.iter_mut().find(|(of, ..)| *of == size) {
            Some(known) => *known = (size, known.1.max(low), known.2.min(high), at),
            None => ranges.push((size, low, high, at)),
        }
    }
    let loose = loose(&facts);
    let mut found = Vec::new();
    for (at, fact) in facts.into_iter().enumerate() {
        let range = size_range(&fact.text).and_then(|(size, ..)| ranges.iter().find(|(of, ..)| *of == size));
        match range {
            None if loose.contains(&at) => {}
            None => found.push(fact),
            Some((size, low, high, last)) if *last == at => found.extend(in_range(size, *low, *high)),
            Some(_) => {}
        }
    }
    found
}

/// The conditions that others imply: `n > 0` where `n > 1` is said as well, `n != 1` where it is 2.
fn loose(facts: &[Fact]) -> Vec<usize> {
    let parsed: Vec<Option<(&str, &str, i64)>> = facts
        .iter()
        .map(|fact| {
            let (left, number) = fact.text.rsplit_once(' ')?;
            let (of, sign) = left.rsplit_once(' ')?;
            let whole = !of.is_empty() && !of.contains([' ', '(', ')', '+', '*', '/', '?']);
            Some((of, sign, number.parse().ok()?)).filter(|_| whole)
        })
        .collect();
    let range = |sign: &str, number: i64| match sign {
        "<" => Some((i64::MIN, number.saturating_sub(1))),
        "<=" => Some((i64::MIN, number)),
        ">" => Some((number.saturating_add(1), i64::MAX)),
        ">=" => Some((number, i64::MAX)),
        "==" => Some((number, number)),
        _ => None,
    };
    let implied = |at: usize| {
        let Some((of, sign, number)) = parsed[at] else { return false };
        parsed.iter().enumerate().any(|(other, condition)| {
            let Some((subject, by, bound)) = condition else { return false };
            let Some((low, high)) = range(by, *bound).filter(|_| other != at && *subject == of) else {
                return false;
            };
            match (sign, range(sign, number)) {
                ("!=", _) => !(low..=high).contains(&number),
                // Of two that say the same the first is kept.
                (_, Some(wide)) if wide == (low, high) => other < at,
                (_, Some(wide)) => wide.0 <= low && high <= wide.1,
                _ => false,
            }
        })
    };
    (0..facts.len()).filter(|at| implied(*at)).collect()
}

/// Which sizes a condition on one allows.
fn size_range(text: &str) -> Option<(String, i64, i64)> {
    let mut parts = text.split(' ');
    let (size, sign, number) = (parts.next()?, parts.next()?, parts.next()?.parse::<i64>().ok()?);
    let is_size = [".length", ".length()", ".size()"].iter().any(|end| size.ends_with(end));
    if parts.next().is_some() || !is_size {
        return None;
    }
    let (low, high) = match sign {
        "<" => (0, number - 1),
        "<=" => (0, number),
        ">" => (number + 1, i64::MAX),
        ">=" => (number, i64::MAX),
        "==" => (number, number),
        "!=" if number == 0 => (1, i64::MAX),
        _ => return None,
    };
    Some((size.to_string(), low, high))
}

fn in_range(size: &str, low: i64, high: i64) -> Vec<Fact> {
    let of = [".length()", ".length", ".size()"].iter().find_map(|end| size.strip_suffix(end));
    let name = of.and_then(identifier);
    let word = |end: String| name.as_ref().map(|name| format!("{name}{end}"));
    let fact = |text: String, end: String| Fact { text: format!("{size} {text}"), word: word(end) };
    match (low, high) {
        (0, 0) => vec![fact("== 0".into(), "Empty".into())],
        (low, high) if low == high => vec![fact(format!("== {low}"), format!("Length{low}"))],
        (1, i64::MAX) => vec![fact("!= 0".into(), "NotEmpty".into())],
        (low, i64::MAX) => vec![fact(format!(">= {low}"), format!("LengthAtLeast{low}"))],
        (0, high) => vec![fact(format!("<= {high}"), format!("LengthAtMost{high}"))],
        (low, high) => vec![
            fact(
                format!(">= {low}"),
                if low == 1 { "NotEmpty".into() } else { format!("LengthAtLeast{low}") },
            ),
            fact(format!("<= {high}"), format!("LengthAtMost{high}")),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tightest_bounds_are_said() {
        let facts = |texts: &[&str]| {
            let all = texts.iter().map(|text| Fact { text: text.to_string(), word: None }).collect();
            joined(all).into_iter().map(|fact| fact.text).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(facts(&["n >= 1", "n > 30"]), "n > 30");
        assert_eq!(facts(&["n >= 1", "n <= 30", "m > 2"]), "n >= 1, n <= 30, m > 2");
        assert_eq!(facts(&["n > 0", "n != 1", "n > 1", "n == 2"]), "n == 2");
        assert_eq!(facts(&["a.size() > 0", "a.size() <= 1"]), "a.size() == 1");
    }
}
