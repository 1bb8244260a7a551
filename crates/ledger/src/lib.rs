//! The ledger of imprecision (design decision 4).
//!
//! In: every place where the engine could not be exact, told by whoever noticed. Out: a sorted, counted list
//! that users see, and the answer to "may this be called exhaustively explored?". Does not know how the
//! imprecision came about; kinds are one row each in the table below.

use std::collections::BTreeMap;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal, $exact:literal;)*) => {
        /// One kind of imprecision.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $($(#[$doc])* $name,)* }

        impl Kind {
            pub const ALL: &[Kind] = &[$(Kind::$name,)*];

            /// The stable code used in reports.
            pub fn code(self) -> &'static str {
                match self { $(Kind::$name => $code,)* }
            }

            /// What a person reads.
            pub fn text(self) -> &'static str {
                match self { $(Kind::$name => $text,)* }
            }

            /// Whether an exploration with such an entry may still be called exhaustive.
            pub fn allows_exhaustive(self) -> bool {
                match self { $(Kind::$name => $exact,)* }
            }
        }
    };
}

kinds! {
    /// A symbolic value was replaced by the concrete one of this run.
    Concretised = "concretised", "a symbolic value was fixed to its concrete value", false;
    /// An operation has no symbolic treatment.
    UnsupportedOp = "unsupported-op", "an operation is not supported symbolically", false;
    /// A native method without an intrinsic was reached.
    UnsupportedNative = "unsupported-native", "a native method is not modelled", false;
    /// A construct of the class file or language is not supported.
    UnsupportedConstruct = "unsupported-construct", "a construct is not supported", false;
    /// A run took another path than its inputs were solved for.
    Diverged = "diverged", "a run left the path that was predicted for it", false;
    /// The solver gave up.
    SolverUnknown = "solver-unknown", "the solver could not decide a question", false;
    /// A run was cut by its step budget.
    StepLimit = "step-limit", "a run was cut by the step budget", false;
    /// A run was cut by its memory budget.
    MemoryLimit = "memory-limit", "a run was cut by the memory budget", false;
    /// A loop was not unrolled any further.
    LoopBound = "loop-bound", "a loop was not unrolled any further", false;
    /// Paths were left unexplored because the path budget was spent.
    PathLimit = "path-limit", "paths were left because the path budget was spent", false;
    /// Paths were left unexplored because the time or work budget was spent.
    BudgetSpent = "budget-spent", "paths were left because the budget was spent", false;
    /// The sizes of input strings and arrays are bounded.
    /// Verdicts hold within these bounds and say so.
    InputBound = "input-bound", "input strings and arrays were bounded in length", false;
    /// Inputs are bounded where others are as likely: a few calls before, a few elements. What is not reached within such
    /// bounds is open.
    Tried = "tried", "inputs were tried within bounds", false;
    /// Branches that could lead nowhere new were not split (the default, switched off by --exhaustive).
    NotSplit = "not-split", "branches that add no obligation were not split", false;
    /// Alternatives were left out that lead on exactly as others do, which were explored (the default, switched off by
    /// --exhaustive). Nothing is covered by them that is not covered otherwise.
    Joined = "joined", "alternatives that lead on as explored ones do were left out", true;
    /// The class was initialised in a way the real runtime may see differently.
    Environment = "environment", "a value came from the virtual environment", false;
    /// Threads were started: one of their schedules is explored.
    Schedule = "schedule", "threads were run in one order only", false;
    /// Every thread waits for ever.
    Deadlock = "deadlock", "the program waits for ever", false;
    /// The program ended the process: a test cannot outlive that.
    Exit = "exit", "the program ends the JVM", false;
    /// A parameter type for which no inputs can be made yet.
    UnsupportedInput = "unsupported-input", "inputs of a type cannot be made", false;
    /// A floating-point result may differ in the last place between runtimes.
    NotShown = "not-shown", "something that tests could show was not looked at", true;
    InexactMath = "inexact-math", "a library function may differ in the last place", true;
}

/// One line of the ledger: what, where, why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub kind: Kind,
    /// Where it happened, in source terms where known (`com.acme.Calc.divide:12`).
    pub place: String,
    /// What exactly (the operator, the native's name, the type…).
    pub reason: String,
}

/// A counted, ordered set of entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    entries: BTreeMap<Entry, u64>,
}

impl Ledger {
    pub fn note(&mut self, kind: Kind, place: impl Into<String>, reason: impl Into<String>) {
        let entry = Entry { kind, place: place.into(), reason: reason.into() };
        *self.entries.entry(entry).or_insert(0) += 1;
    }

    /// Takes back what was noted for a reason that no longer holds anywhere.
    pub fn forget(&mut self, kind: Kind, reason: &str) {
        self.entries.retain(|entry, _| entry.kind != kind || entry.reason != reason);
    }

    pub fn merge(&mut self, other: &Ledger) {
        for (entry, count) in &other.entries {
            *self.entries.entry(entry.clone()).or_insert(0) += count;
        }
    }

    /// Whether everything noted so far still allows the word "exhaustive".
    pub fn allows_exhaustive(&self) -> bool {
        self.entries.keys().all(|e| e.kind.allows_exhaustive())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Entry, u64)> {
        self.entries.iter().map(|(e, n)| (e, *n))
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_counted_ordered_and_decide_exhaustiveness() {
        let mut ledger = Ledger::default();
        ledger.note(Kind::InexactMath, "A.f:1", "Math.sin");
        assert!(ledger.allows_exhaustive());
        ledger.note(Kind::Concretised, "A.f:2", "hash");
        ledger.note(Kind::Concretised, "A.f:2", "hash");
        assert!(!ledger.allows_exhaustive());
        let lines: Vec<_> = ledger.iter().map(|(e, n)| (e.kind.code(), n)).collect();
        assert_eq!(lines, [("concretised", 2), ("inexact-math", 1)]);
    }
}
