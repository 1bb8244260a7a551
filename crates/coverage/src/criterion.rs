//! The criteria by their names on the command line. Families have a file in `criteria/`.

use crate::criteria::{self, data_flow, logic, paths};
use crate::flow::Flow;
use crate::graph::Limit;
use crate::obligation::{Demand, Obligation, Target};
use crate::projection::Projection;
use std::fmt;

/// Turns the projected graph of a function into obligations.
pub trait Rule: Sync {
    /// Adds the obligations in the order of the code; ids are given by [`Criterion::owed`].
    fn owed(&self, subject: &Subject, owed: &mut Owed);
}

/// A function, as rules look at it.
pub struct Subject<'p, 'f> {
    pub projection: &'p Projection<'f>,
    pub flow: &'p Flow,
    pub options: &'p Options,
}

/// What criteria can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Obligations of one function that are listed at most, where there can be exponentially many.
    pub limit: Limit,
    /// How often `complete-path` goes back along an edge at most.
    pub rounds: u32,
    /// Boundary values of each comparison are asked for besides; the front end must have put notes there.
    pub boundary: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { limit: Limit::default(), rounds: 2, boundary: false }
    }
}

/// What a function owes.
#[derive(Clone, Debug, Default)]
pub struct Owed {
    pub obligations: Vec<Obligation>,
    /// There are more than the limit lets be listed.
    pub cut: bool,
}

macro_rules! criteria {
    ($($variant:ident = $name:literal, $rule:expr, $doc:literal;)*) => {
        /// A coverage criterion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Criterion { $(#[doc = $doc] $variant,)* }

        impl Criterion {
            pub const ALL: &[Criterion] = &[$(Criterion::$variant,)*];

            /// The name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Criterion::$variant => $name,)* }
            }

            pub fn from_name(name: &str) -> Option<Criterion> {
                match name { $($name => Some(Criterion::$variant),)* _ => None }
            }

            /// What it asks for, in a sentence.
            pub fn doc(self) -> &'static str {
                match self { $(Criterion::$variant => $doc,)* }
            }

            fn rule(self) -> &'static dyn Rule {
                match self { $(Criterion::$variant => &$rule,)* }
            }
        }
    };
}

criteria! {
    Branch = "branch", criteria::branch::Branch, "Every branch of the source goes every way it can go.";
    BranchChecks = "branch-checks", criteria::checks::BranchChecks, "As branch, and every implicit check (null, bounds, division by zero, cast) passes and fails.";
    Line = "line", criteria::line::Line, "Every line of the source that has code is executed.";
    Node = "node", criteria::node::Node, "Every basic block of the source is executed.";
    Edge = "edge", criteria::edge::Edge, "Every edge between basic blocks of the source is taken.";
    EdgePair = "edge-pair", paths::Paths::Pairs, "Every two edges that follow each other are taken one after the other.";
    PrimePath = "prime-path", paths::Paths::Primes, "Every prime path is taken: a longest path on which no block comes twice, but the first may be the last.";
    RoundTrip = "round-trip", paths::Paths::SimpleRoundTrips, "For each block on a cycle, some cycle from it back to it is taken (simple round trips).";
    CompleteRoundTrip = "complete-round-trip", paths::Paths::RoundTrips, "Every cycle that passes no block twice is taken, from each of its blocks.";
    Loop = "loop", criteria::loops::Loops, "Every loop is gone through not at all, once, and more than once.";
    CompletePath = "complete-path", paths::Paths::Complete, "Every path from the entry or a handler to an end that goes back along an edge at most --path-rounds times.";
    Condition = "condition", logic::Logic::Conditions, "Every condition of every decision is true and is false.";
    Decision = "decision", logic::Logic::Decisions, "Every decision has every outcome.";
    ConditionDecision = "condition-decision", logic::Logic::ConditionsAndDecisions, "condition and decision together.";
    MultipleCondition = "multiple-condition", logic::Logic::Rows, "Every decision is evaluated in every way that short-circuit evaluation allows.";
    Mcdc = "mcdc", logic::Logic::MASKING, "Masking MC/DC (DO-178C, CAST-6): every condition is shown to independently affect its decision's outcome, by two evaluations with different outcomes that it determines; what it masks may differ.";
    McdcUnique = "mcdc-unique", logic::Logic::UNIQUE, "Unique-cause MC/DC (DO-178C): as mcdc, and no other condition that both evaluate differs.";
    Gacc = "gacc", logic::Logic::GENERAL, "General active clause coverage (GACC): every condition determines its decision's outcome once when true and once when false.";
    Cacc = "cacc", logic::Logic::MASKING, "Correlated active clause coverage (CACC): the same as masking MC/DC.";
    Racc = "racc", logic::Logic::UNIQUE, "Restricted active clause coverage (RACC): the same as unique-cause MC/DC.";
    AllDefs = "all-defs", data_flow::DataFlowRule::Defs, "Every value assigned to a variable arrives at some use.";
    AllCUses = "all-c-uses", data_flow::DataFlowRule::CUses, "Every value assigned to a variable arrives at every computation that can use it.";
    AllPUses = "all-p-uses", data_flow::DataFlowRule::PUses, "Every value assigned to a variable arrives at every branch that can use it, each way.";
    AllCUsesSomePUses = "all-c-uses-some-p-uses", data_flow::DataFlowRule::CUsesSomePUses, "As all-c-uses; a value that no computation uses arrives at some branch.";
    AllPUsesSomeCUses = "all-p-uses-some-c-uses", data_flow::DataFlowRule::PUsesSomeCUses, "As all-p-uses; a value that no branch uses arrives at some computation.";
    AllUses = "all-uses", data_flow::DataFlowRule::Uses, "all-c-uses and all-p-uses together.";
    AllDuPaths = "all-du-paths", data_flow::DataFlowRule::DuPaths, "Every value arrives at every use along every simple path that does not assign the variable again.";
}

impl Criterion {
    /// The obligations of a function under the default options.
    pub fn obligations(self, projection: &Projection) -> Vec<Obligation> {
        self.owed(projection, &Flow::new(projection), &Options::default()).obligations
    }

    /// The obligations of a function, numbered from 0. The same function gives the same obligations in the same
    /// order. Never empty for a function that has code.
    pub fn owed(self, projection: &Projection, flow: &Flow, options: &Options) -> Owed {
        let mut owed = Owed::default();
        let subject = Subject { projection, flow, options };
        self.rule().owed(&subject, &mut owed);
        if owed.obligations.len() > options.limit.paths && self.is_limited() {
            owed.obligations.truncate(options.limit.paths);
            owed.cut = true;
        }
        if options.boundary {
            criteria::boundary::boundaries(&subject, &mut owed);
        }
        if owed.obligations.is_empty() {
            owed.obligations.push(Obligation::entry(projection));
        }
        for (i, obligation) in owed.obligations.iter_mut().enumerate() {
            obligation.id.0 = i as u32;
        }
        owed
    }

    /// Whether a function can owe exponentially many, so that the limit counts.
    fn is_limited(self) -> bool {
        use Criterion::*;
        let paths = matches!(self, EdgePair | PrimePath | CompleteRoundTrip | CompletePath);
        paths || matches!(self, MultipleCondition | AllDuPaths)
    }
}

impl Subject<'_, '_> {
    /// An obligation that begins at a block.
    pub(crate) fn at(&self, kind: crate::Kind, block: ir::BlockId, line: u32, what: &str) -> Obligation {
        Obligation::new(self.projection, kind, vec![Target::Enter(block)], line, what)
    }

    pub(crate) fn of_points(
        &self,
        kind: crate::Kind,
        takes: Vec<(u32, u32)>,
        line: u32,
        what: &str,
    ) -> Obligation {
        let targets = takes.into_iter().map(|(index, position)| Target::Take { index, position }).collect();
        Obligation::new(self.projection, kind, targets, line, what).demanding(Demand::Points)
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
