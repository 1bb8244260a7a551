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

/// The conditions that others imply: `n > 0` where `n > 1` is said as well, `n != 1` where it is 2, `!s.equals("a")`
/// where `s` is "b"; and of those that say the same in other words (`c == null`, `c is null`) all but the last.
fn loose(facts: &[Fact]) -> Vec<usize> {
    let claims: Vec<Option<Claim<'_>>> = facts.iter().map(|fact| Claim::read(&fact.text)).collect();
    let implied = |at: usize| {
        let Some(claim) = claims[at] else { return false };
        claims.iter().enumerate().any(|(other, by)| match by {
            Some(by) if other != at && by.of == claim.of => match (claim.range(), by.range()) {
                // Of two that say the same the first is kept.
                (Some(wide), Some(narrow)) if wide == narrow => other < at,
                (Some(wide), Some(narrow)) => wide.0 <= narrow.0 && narrow.1 <= wide.1,
                _ if (claim.sign, claim.value) == (by.sign, by.value) => other > at,
                (None, Some((low, high))) if claim.sign == "!=" => {
                    claim.value.parse::<i64>().is_ok_and(|number| !(low..=high).contains(&number))
                }
                _ => claim.sign == "!=" && by.sign == "==" && claim.is_apart(by),
            },
            _ => false,
        })
    };
    (0..facts.len()).filter(|at| implied(*at)).collect()
}

/// A comparison of something with something else; `==` and `!=` also by `equals` and by what a `switch` found.
#[derive(Clone, Copy, Debug)]
struct Claim<'t> {
    of: &'t str,
    sign: &'t str,
    value: &'t str,
}

impl<'t> Claim<'t> {
    fn read(text: &'t str) -> Option<Claim<'t>> {
        let (asked, sign) = match text.strip_prefix('!') {
            Some(asked) => (asked, "!="),
            None => (text, "=="),
        };
        if let Some((of, value)) = asked.strip_suffix(')').and_then(|call| call.split_once(".equals("))
            && [of, value].iter().all(|side| words(side).is_some_and(|words| words.len() == 1))
        {
            let (of, value) = if of.starts_with('"') { (value, of) } else { (of, value) };
            return Some(Claim { of, sign, value });
        }
        let words = words(text).filter(|_| sign == "==")?;
        let is_sign = |word: &&str| matches!(*word, "==" | "!=" | "<" | "<=" | ">" | ">=" | "is");
        let is_joined = |word: &&str| matches!(*word, "&&" | "||" | "?" | "instanceof" | "&" | "|" | "^");
        let mut signs = words.iter().enumerate().filter(|(_, word)| is_sign(word));
        let (at, sign) = signs.next()?;
        // `o is a Circle`, `x is 1, 2 or 3` say something else.
        let one = words.len() == at + 2 && signs.next().is_none() && !words.iter().any(is_joined);
        let start = sign.as_ptr() as usize - text.as_ptr() as usize;
        let of = text.get(..start)?.trim_end();
        let sign = if *sign == "is" { "==" } else { sign };
        (one && !of.is_empty()).then_some(Claim { of, sign, value: words[at + 1] })
    }

    /// The numbers that it allows.
    fn range(&self) -> Option<(i64, i64)> {
        let number = self.value.parse::<i64>().ok()?;
        match self.sign {
            "<" => Some((i64::MIN, number.saturating_sub(1))),
            "<=" => Some((i64::MIN, number)),
            ">" => Some((number.saturating_add(1), i64::MAX)),
            ">=" => Some((number, i64::MAX)),
            "==" => Some((number, number)),
            _ => None,
        }
    }

    /// Whether the values of two are known to differ: both are literals.
    fn is_apart(&self, other: &Claim<'_>) -> bool {
        let literal = |text: &str| text == "null" || text.starts_with('"') && text.ends_with('"');
        literal(self.value) && literal(other.value) && self.value != other.value
    }
}

/// The words of a text, by spaces that are outside of quotes and parentheses; `None` if these do not match.
fn words(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut quote, mut escaped) = (0_i32, None, false);
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(mark), c) if c == mark && !escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ' ') if depth == 0 => {
                found.push(text.get(start..at)?);
                start = at + 1;
            }
            _ => {}
        }
        escaped = false;
        if depth < 0 {
            return None;
        }
    }
    found.push(text.get(start..)?);
    (depth == 0 && quote.is_none()).then_some(found)
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
        assert_eq!(facts(&["(Integer) o <= 10", "(Integer) o <= 5"]), "(Integer) o <= 5");
        assert_eq!(facts(&["c == null", "c is null"]), "c is null");
        let last = facts(&["!s.equals(\"red\")", "s.equals(\"a b\")", "s is \"a b\""]);
        assert_eq!(last, "s is \"a b\"");
        assert_eq!(facts(&["\"on\".equals(mode)", "mode != null"]), "\"on\".equals(mode)");
        assert_eq!(
            facts(&["!(x == 1)", "x == 1 || y", "o is a Dog", "x != y"]),
            "!(x == 1), x == 1 || y, o is a Dog, x != y"
        );
    }
}
