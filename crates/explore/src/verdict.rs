//! What became of each obligation.

use crate::finished::RunId;
use crate::session::Stopped;
use crate::tree::Tree;
use ledger::{Kind, Ledger};

/// What is known of an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Covered(RunId),
    Infeasible(Proof),
    Open(Why),
}

/// Why an obligation cannot be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// All paths were explored, exactly.
    Exhaustive,
    /// All paths were explored for inputs within the bounds on their size.
    WithinBounds,
}

/// Why an obligation was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The exploration ended before.
    Stopped(Stopped),
    /// All paths that could be explored were, but not exactly: the ledger's kinds, ascending.
    Imprecise(Vec<Kind>),
}

/// The verdicts of all obligations, by number.
pub(crate) fn verdicts(
    covered: &[Option<RunId>],
    tree: &Tree,
    ledger: &Ledger,
    stopped: Stopped,
) -> Vec<Verdict> {
    let rest = if !tree.is_closed() && stopped != Stopped::Complete {
        Verdict::Open(Why::Stopped(stopped))
    } else {
        let mut kinds: Vec<Kind> =
            ledger.iter().map(|(entry, _)| entry.kind).filter(|kind| !kind.allows_exhaustive()).collect();
        kinds.dedup();
        let bounded = kinds.contains(&Kind::InputBound);
        kinds.retain(|kind| *kind != Kind::InputBound);
        match (tree.is_closed(), kinds.is_empty()) {
            (true, true) if bounded => Verdict::Infeasible(Proof::WithinBounds),
            (true, true) => Verdict::Infeasible(Proof::Exhaustive),
            // Every alternative that was given up is in the ledger.
            _ => Verdict::Open(Why::Imprecise(kinds)),
        }
    };
    covered.iter().map(|run| run.map_or_else(|| rest.clone(), Verdict::Covered)).collect()
}
