//! What is kept of a run.

use crate::goal::ObligationId;
use entity::entity;
use ir::{BlockId, ClassId, FuncId};
use term::{Assignment, Pool, TermId, Value, VarId};
use vm::{Edge, ElemKind, Lang, Outcome, Site, Stop, Val, Vm};

entity! {
    /// A run of an exploration, numbered in the order of the tree's merges.
    pub struct RunId = "r";
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Finished<O> {
    pub id: RunId,
    /// The inputs.
    pub model: Assignment,
    /// How it ended. Object ids in it are meaningless by now: what matters is in the observation.
    pub outcome: Outcome,
    pub end: End,
    pub observation: O,
    pub path: Vec<Step>,
    /// What must hold of inputs to take this path: branches, checks, choices and assumptions, in order.
    pub condition: Vec<TermId>,
    /// Ascending.
    pub edges: Vec<Edge>,
    /// Ascending.
    pub blocks: Vec<(FuncId, BlockId)>,
    /// The obligations it meets, ascending.
    pub meets: Vec<ObligationId>,
    /// The obligations that no run met before it.
    pub new: Vec<ObligationId>,
    /// Instructions it took.
    pub steps: u64,
}

/// One decision of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    pub site: Site,
    pub kind: ElemKind,
    pub choice: u32,
    /// Decided while inputs were made.
    pub input: bool,
}

impl Step {
    pub fn of(elem: &vm::Elem) -> Step {
        Step { site: elem.site, kind: elem.kind, choice: elem.choice, input: elem.input }
    }
}

/// How a run ended, without object ids: comparable between runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Returned,
    Threw {
        class: ClassId,
        /// Where it came from, if that is in tracked code.
        site: Option<Site>,
        /// By a `throw` of the program, not by a check.
        explicit: bool,
    },
    Stopped(Stop),
}

impl End {
    pub fn of<L: Lang>(vm: &Vm<L>, outcome: &Outcome) -> End {
        match outcome {
            Outcome::Returned(_) => End::Returned,
            Outcome::Threw(exception) => {
                let thrown = vm.thrown.filter(|t| t.exception == *exception);
                End::Threw {
                    class: vm.heap.class(*exception),
                    site: thrown.map(|t| t.site).filter(|s| vm.lang.is_tracked(s.func)),
                    explicit: thrown.is_some_and(|t| t.explicit),
                }
            }
            Outcome::Stopped(stop) => End::Stopped(stop.clone()),
        }
    }

    /// Whether the program itself ended, so that a test can show it.
    pub fn is_behaviour(&self) -> bool {
        !matches!(self, End::Stopped(_))
    }
}

impl<O> Finished<O> {
    /// What it returned, if it did.
    pub fn returned(&self) -> Option<Val> {
        match self.outcome {
            Outcome::Returned(val) => val,
            _ => None,
        }
    }
}

/// A value of an input, for people and tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    pub variable: VarId,
    pub value: Value,
}

/// The inputs that a model mentions, in the order in which they came into being.
pub fn inputs(pool: &Pool, model: &Assignment) -> Vec<Input> {
    let input = |(variable, value): (VarId, &Value)| Input {
        name: pool.var_name(variable).to_string(),
        variable,
        value: value.clone(),
    };
    model.iter().map(input).collect()
}

/// Drops alternatives' conditions: what a trace took, in order.
pub(crate) fn taken(trace: &vm::Trace) -> (Vec<Step>, Vec<TermId>) {
    let path = trace.elems.iter().map(Step::of).collect();
    let condition = trace.elems.iter().map(|e| trace.taken(e)).collect();
    (path, condition)
}
