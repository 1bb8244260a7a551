//! What is explored: the unit of work, injected by who knows the language.

use crate::finished::End;
use vm::{Lang, Outcome, Vm};

/// An entry, its context and where to stop.
pub trait Target<L: Lang> {
    /// What is kept of a finished run: arguments, result, changes, as the caller wants to see them.
    type Observation;

    /// Runs once. The machine is at its snapshot and holds the model: builds the inputs from it, assumes what
    /// must hold of them, calls the entry.
    fn execute(&mut self, vm: &mut Vm<L>) -> Outcome;

    /// Whether an end is a bug of the program: by default an exception that a check raised in tracked code, not a
    /// `throw`.
    fn is_bug(&self, _vm: &Vm<L>, end: &End) -> bool {
        matches!(end, End::Threw { explicit: false, site: Some(_), .. })
    }

    /// Looks at the world a run left. What this does is no part of the path.
    fn observe(&mut self, vm: &mut Vm<L>, outcome: &Outcome) -> Self::Observation;
}
