//! Which evaluations of a decision show that a condition matters, in the variants the literature and DO-178C name.

use crate::decision::{Decision, Row};

/// How strict the two evaluations that show a condition must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// General active clause coverage: the condition decides the outcome in both; the outcome may be the same.
    General,
    /// Correlated active clause coverage, masking MC/DC: and the outcomes differ.
    Masking,
    /// Restricted active clause coverage, unique-cause MC/DC: and no other condition that both evaluate differs.
    UniqueCause,
}

/// The pairs of rows, by index, that show a condition: true in the first, false in the second.
pub fn pairs(decision: &Decision, rows: &[Row], condition: usize, variant: Variant) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let candidates = |value: bool| {
        rows.iter()
            .enumerate()
            .filter(move |(_, r)| r.values[condition] == Some(value) && decision.determines(r, condition))
    };
    for (i, t) in candidates(true) {
        for (j, f) in candidates(false) {
            let shows = match variant {
                Variant::General => true,
                Variant::Masking => t.outcome != f.outcome,
                Variant::UniqueCause => t.outcome != f.outcome && alike(t, f, condition),
            };
            if shows {
                found.push((i, j));
            }
        }
    }
    found
}

/// Whether two rows agree on every other condition that both evaluate.
fn alike(a: &Row, b: &Row, except: usize) -> bool {
    a.values
        .iter()
        .zip(&b.values)
        .enumerate()
        .all(|(i, (x, y))| i == except || x.is_none() || y.is_none() || x == y)
}
