//! The textual form: a printer and a parser driven by the opcode table.
//!
//! `print ∘ parse` is the identity on canonical text (comments and blank lines aside). The form is described
//! in `docs/ir.md`.

mod body;
mod lex;
mod parse;
mod print;

pub use parse::{FuncLines, ParseError, Parsed, parse_module};
pub use print::{print_function, print_inst, print_module, print_op};

use crate::op::Op;
use std::fmt::Write;

/// Whether a name can stand without quotes.
pub(crate) fn is_bare(name: &str) -> bool {
    lex::bare_len(name) == name.len() && !name.is_empty()
}

/// The name, in quotes if it needs them.
pub(crate) fn quoted_if_needed(name: &str) -> String {
    if is_bare(name) { name.to_string() } else { quoted(name) }
}

/// Text as a string literal: printable characters as they are, everything else escaped.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // Whatever could confuse a reader or a line-based tool is spelled as its number.
            c if c.is_control() || (!c.is_ascii() && !c.is_alphanumeric()) => {
                write!(out, "\\u{{{:x}}}", c as u32).expect("writing to a string");
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The opcode that is spelled most alike, for a message.
pub(crate) fn nearest_op(word: &str) -> String {
    let distance = |name: &str| {
        let mut row: Vec<usize> = (0..=name.len()).collect();
        for (i, a) in word.bytes().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], i + 1);
            for (j, b) in name.bytes().enumerate() {
                let replaced = diagonal + usize::from(a != b);
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
            }
        }
        row[name.len()]
    };
    // A long word is no misspelling, and comparing it with every opcode would take its time.
    if word.len() > 32 {
        return String::new();
    }
    match Op::ALL.iter().map(|op| (distance(op.name()), op.name())).min() {
        Some((d, name)) if d <= 2 => format!("; did you mean `{name}`?"),
        _ => String::new(),
    }
}
