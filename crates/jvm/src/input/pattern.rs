//! Texts that a regular expression matches, as far as a person would think of some: what programs ask of their texts stands
//! in such literals.
//!
//! What Java writes and the parser does not know (looking around, references back) gives none. Nothing depends on a text
//! really matching: it is tried.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Which alternatives, characters and lengths are taken: so many ways.
const WAYS: usize = 4;
/// Longer texts are given up.
const LONGEST: usize = 48;
/// Deeper ones are refused.
const DEEPEST: u32 = 40;

/// How many characters a text has at least that matches all of a pattern; 0 if that is not known.
pub fn shortest_match(pattern: &str) -> u32 {
    // What stands for characters beyond ASCII is counted in bytes by the parser.
    let plain = pattern.is_ascii()
        && !["\\u", "\\x", "\\p", "\\P", "\\N", "\\0", "\\c"].iter().any(|e| pattern.contains(e));
    let mut parser = ParserBuilder::new();
    parser.unicode(false).utf8(false).nest_limit(DEEPEST);
    let parsed = plain.then(|| parser.build().parse(pattern).ok()).flatten();
    parsed
        .and_then(|hir| hir.properties().minimum_len())
        .and_then(|least| u32::try_from(least).ok())
        .unwrap_or(0)
}

/// A few texts that match a literal, if it is more than plain text.
pub(super) fn samples(literal: &str) -> Vec<String> {
    if !literal.contains(['[', '\\', '(', '*', '+', '?', '|', '.', '{', '^', '$']) {
        return Vec::new();
    }
    // `\d` and the like are ASCII in Java.
    let mut parser = ParserBuilder::new();
    parser.unicode(false).utf8(false).nest_limit(DEEPEST);
    let Ok(pattern) = parser.build().parse(literal) else { return Vec::new() };
    if matches!(pattern.kind(), HirKind::Literal(_) | HirKind::Empty) {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for way in 0..WAYS {
        let mut text = Vec::new();
        if spell(&pattern, way, &mut text).is_some()
            && let Ok(text) = String::from_utf8(text)
            && !text.is_empty()
            && !found.contains(&text)
        {
            found.push(text);
        }
    }
    found
}

/// Appends one text; `None` if it becomes too long or nothing matches.
fn spell(pattern: &Hir, way: usize, text: &mut Vec<u8>) -> Option<()> {
    if text.len() > LONGEST {
        return None;
    }
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.extend_from_slice(&literal.0),
        HirKind::Class(class) => text.push(character(class, way)?),
        HirKind::Capture(group) => spell(&group.sub, way, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| spell(part, way, text))?,
        HirKind::Alternation(parts) => spell(parts.get(way % parts.len().max(1))?, way, text)?,
        HirKind::Repetition(repeated) => {
            let most = repeated.max.unwrap_or(u32::MAX);
            let wanted = match way % WAYS {
                0 => repeated.min.max(1),
                1 => repeated.min,
                2 => repeated.min.saturating_add(2),
                _ => repeated.min.saturating_add(1),
            };
            for _ in 0..wanted.min(most) {
                spell(&repeated.sub, way, text)?;
            }
        }
    }
    Some(())
}

/// One of the characters of a class: a plain one, if it has any.
fn character(class: &Class, way: usize) -> Option<u8> {
    let plain = [b"a1A ", b"b2B-", b"x0X.", b"z9Z_"][way % WAYS];
    let has = |unit: u8| match class {
        Class::Bytes(class) => class.ranges().iter().any(|r| (r.start()..=r.end()).contains(&unit)),
        Class::Unicode(class) => {
            class.ranges().iter().any(|r| (r.start()..=r.end()).contains(&char::from(unit)))
        }
    };
    let plain = plain.iter().copied().find(|unit| has(*unit));
    plain.or_else(|| (0x21..0x7f).chain([b' ']).chain(0..0x80).find(|unit| has(*unit)))
}

#[cfg(test)]
mod tests {
    use super::samples;

    #[test]
    fn texts_match_what_they_are_made_of() {
        assert_eq!(samples("[A-Z]{2}-\\d+"), ["AA-1", "BB-2", "XX-000", "ZZ-99"]);
        assert_eq!(samples("(GET|POST) (?<path>/\\w*)"), ["GET /a", "POST /", "GET /xx", "POST /z"]);
        assert_eq!(samples("^\\s*#"), [" #", "#", "  #"]);
        assert!(samples("plain").is_empty());
    }

    #[test]
    fn what_is_too_long_or_unknown_gives_none() {
        assert!(samples("(?=a)b").is_empty());
        assert!(samples("(a)\\1").is_empty());
        assert!(samples("x{100000}").is_empty());
        assert!(samples("[").is_empty());
    }
}
