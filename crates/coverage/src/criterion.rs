//! The criteria by their names on the command line. Each has a file of its own in `criteria/`.

use crate::criteria;
use crate::obligation::Obligation;
use crate::projection::Projection;
use std::fmt;

/// Turns the projected graph of a function into obligations.
pub trait Rule: Sync {
    /// The obligations in the order of the code; ids are given by [`Criterion::obligations`].
    fn obligations(&self, graph: &Projection) -> Vec<Obligation>;
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
    Line = "line", criteria::line::Line, "Every line of the source that has code is executed.";
    Node = "node", criteria::node::Node, "Every basic block of the source is executed.";
    Edge = "edge", criteria::edge::Edge, "Every edge between basic blocks of the source is taken.";
}

impl Criterion {
    /// The obligations of a function, numbered from 0. The same function gives the same obligations in the same
    /// order. Never empty for a function that has code.
    pub fn obligations(self, graph: &Projection) -> Vec<Obligation> {
        let mut obligations = self.rule().obligations(graph);
        if obligations.is_empty() {
            obligations.push(Obligation::entry(graph));
        }
        for (i, obligation) in obligations.iter_mut().enumerate() {
            obligation.id.0 = i as u32;
        }
        obligations
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
