//! What is to be reached: obligations, by number.

use crate::code::canonical_edge;
use ir::{FuncId, Function, Op, Origin};
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::{Edge, Site, Trace};

/// An obligation of a goal.
pub type ObligationId = u32;

/// The obligations of a criterion, as far as the explorer needs to know them.
pub trait Goal {
    /// How many there are; they are numbered from 0.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a run meets, ascending.
    fn met_by(&self, trace: &Trace) -> Vec<ObligationId>;

    /// What taking this edge helps to meet.
    fn of_edge(&self, edge: Edge) -> &[ObligationId];

    /// The edges that matter, with the obligations they help; the search is steered at them.
    fn edges(&self) -> Vec<(Edge, ObligationId)>;

    /// Where obligations can be met; the way there is what is measured.
    fn places(&self) -> Vec<(Site, ObligationId)> {
        let site = |edge: Edge| Site { func: edge.func, index: edge.index };
        self.edges().into_iter().map(|(edge, obligation)| (site(edge), obligation)).collect()
    }

    /// Which instructions may call which functions, as far as that is known before anything runs.
    fn calls(&self) -> &[(Site, FuncId)] {
        &[]
    }

    /// Whether code that owes something may go on after an exception.
    fn catches(&self) -> bool {
        true
    }

    /// Where the call returns, as far as that is known before anything runs.
    fn returns(&self) -> Vec<Site> {
        Vec::new()
    }

    /// Whether the code says that the call never returns.
    fn never_returns(&self) -> bool {
        false
    }

    /// Whether what comes after an obligation may return, as the code of its function tells: then a run that does is looked for.
    fn may_return(&self, _obligation: ObligationId) -> bool {
        false
    }

    /// Whether runs must keep the way of each activation ([`Trace::walk`]).
    fn walks(&self) -> bool {
        false
    }

    /// Which obligations are worth meeting, given which are met; of a pair that another pair can stand for, none.
    fn wants(&self, met: &[bool]) -> Vec<bool> {
        met.iter().map(|met| !met).collect()
    }

    /// What a run would have come near to had a decision gone another way: for each flip the nearest obligations, few.
    fn aims(&self, _trace: &Trace, flips: &[Flip], _wanted: &dyn Fn(ObligationId) -> bool) -> Vec<Vec<Aim>> {
        vec![Vec::new(); flips.len()]
    }
}

/// Another way for a decision of a run: the element of its trace, and the edge it would have taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    pub elem: u32,
    pub edge: Edge,
}

/// An obligation that is so many edges away, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Aim {
    pub remaining: u32,
    pub obligation: ObligationId,
}

/// Every edge of every branch that stands in the source of some functions.
pub struct BranchGoal {
    functions: BTreeMap<FuncId, Arc<Function>>,
    edges: Vec<Edge>,
    by_edge: BTreeMap<Edge, [ObligationId; 1]>,
    calls: Vec<(Site, FuncId)>,
}

impl BranchGoal {
    /// In the order of functions, instructions and successors. Switch cases that go to one block are one edge.
    pub fn new(functions: impl IntoIterator<Item = (FuncId, Arc<Function>)>) -> BranchGoal {
        let functions: BTreeMap<_, _> = functions.into_iter().collect();
        let mut edges = Vec::new();
        for (func, function) in &functions {
            for (index, inst) in function.code.iter().enumerate() {
                let index = index as u32;
                let is_source = function.branch_info(index).is_none_or(|i| i.origin == Origin::Source);
                if !is_source || !matches!(inst.op, Op::Br | Op::Switch) {
                    continue;
                }
                let successors = function.successors(function.block_at(index)).len() as u32;
                for successor in 0..successors {
                    let edge = Edge { func: *func, index, successor };
                    if canonical_edge(function, edge) == edge {
                        edges.push(edge);
                    }
                }
            }
        }
        let by_edge = edges.iter().enumerate().map(|(i, e)| (*e, [i as u32])).collect();
        let mut calls = Vec::new();
        for (func, function) in &functions {
            let plain = function.code.iter().enumerate().filter(|(_, inst)| inst.op == Op::Call);
            calls.extend(plain.map(|(i, inst)| (Site { func: *func, index: i as u32 }, FuncId(inst.a))));
        }
        BranchGoal { functions, edges, by_edge, calls }
    }

    /// The edge that an obligation asks for.
    pub fn edge(&self, obligation: ObligationId) -> Option<Edge> {
        self.edges.get(obligation as usize).copied()
    }

    fn canonical(&self, edge: Edge) -> Option<Edge> {
        Some(canonical_edge(self.functions.get(&edge.func)?, edge))
    }
}

impl Goal for BranchGoal {
    fn len(&self) -> usize {
        self.edges.len()
    }

    fn met_by(&self, trace: &Trace) -> Vec<ObligationId> {
        let mut met: Vec<_> = trace.edges.iter().flat_map(|edge| self.of_edge(*edge)).copied().collect();
        met.sort_unstable();
        met.dedup();
        met
    }

    fn of_edge(&self, edge: Edge) -> &[ObligationId] {
        let found = self.canonical(edge).and_then(|edge| self.by_edge.get(&edge));
        found.map_or(&[], |ids| &ids[..])
    }

    fn calls(&self) -> &[(Site, FuncId)] {
        &self.calls
    }

    fn catches(&self) -> bool {
        self.functions.values().any(|function| catches(function))
    }

    fn edges(&self) -> Vec<(Edge, ObligationId)> {
        self.edges.iter().enumerate().map(|(i, e)| (*e, i as u32)).collect()
    }
}

/// Whether a function goes on somewhere after an exception.
pub fn catches(function: &Function) -> bool {
    function.blocks.values().any(|block| block.unwind.is_some())
}
