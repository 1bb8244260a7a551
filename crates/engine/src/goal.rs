//! Obligations of several functions as one goal of the explorer.

use std::collections::BTreeMap;
use std::sync::Arc;

use coverage::{Criterion, EdgeMap, EdgeSet, Obligation, Projection, Target};
use explore::{Goal, ObligationId};
use ir::{BlockId, FuncId, Function, Names};
use vm::{Edge, Trace};

/// The obligations of a criterion in some functions, numbered through.
pub struct CoverageGoal {
    functions: BTreeMap<FuncId, Entry>,
    obligations: Vec<(FuncId, Obligation)>,
    by_edge: BTreeMap<Edge, Vec<ObligationId>>,
}

struct Entry {
    function: Arc<Function>,
    map: EdgeMap,
    /// Its obligations are numbered from here.
    first: u32,
    count: u32,
}

impl CoverageGoal {
    pub fn new(
        criterion: Criterion,
        functions: impl IntoIterator<Item = (FuncId, Arc<Function>)>,
        names: &dyn Names,
    ) -> CoverageGoal {
        let mut goal =
            CoverageGoal { functions: BTreeMap::new(), obligations: Vec::new(), by_edge: BTreeMap::new() };
        let sorted: BTreeMap<FuncId, Arc<Function>> = functions.into_iter().collect();
        for (func, function) in sorted {
            let first = goal.obligations.len() as u32;
            let projection = Projection::new(&function, names);
            for obligation in criterion.obligations(&projection) {
                let id = goal.obligations.len() as u32;
                for edge in edges_to(func, &function, &obligation) {
                    goal.by_edge.entry(edge).or_default().push(id);
                }
                goal.obligations.push((func, obligation));
            }
            let count = goal.obligations.len() as u32 - first;
            let map = EdgeMap::new(&function);
            goal.functions.insert(func, Entry { function, map, first, count });
        }
        goal
    }

    pub fn obligations(&self) -> &[(FuncId, Obligation)] {
        &self.obligations
    }

    pub fn functions(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.functions.keys().copied()
    }
}

impl Goal for CoverageGoal {
    fn len(&self) -> usize {
        self.obligations.len()
    }

    fn met_by(&self, trace: &Trace) -> Vec<ObligationId> {
        let mut points: BTreeMap<FuncId, EdgeSet> = BTreeMap::new();
        for edge in &trace.edges {
            if let Some(entry) = self.functions.get(&edge.func) {
                points.entry(edge.func).or_default().insert(entry.map.taken(edge.index, edge.successor));
            }
        }
        for (func, block) in &trace.blocks {
            if let Some(entry) = self.functions.get(func) {
                points.entry(*func).or_default().insert(entry.map.entry(*block));
            }
        }
        for site in &trace.raised {
            if let Some(entry) = self.functions.get(&site.func)
                && let Some(point) = entry.map.raised(&entry.function, site.index)
            {
                points.entry(site.func).or_default().insert(point);
            }
        }
        let mut met = Vec::new();
        for (func, points) in points {
            let Some(entry) = self.functions.get(&func) else { continue };
            let executed = entry.map.executed(&entry.function, &points);
            for id in entry.first..entry.first + entry.count {
                if self.obligations[id as usize].1.is_covered(&entry.map, &points, &executed) {
                    met.push(id);
                }
            }
        }
        met.sort_unstable();
        met
    }

    fn of_edge(&self, edge: Edge) -> &[ObligationId] {
        self.by_edge.get(&edge).map_or(&[], |ids| &ids[..])
    }

    fn edges(&self) -> Vec<(Edge, ObligationId)> {
        self.by_edge.iter().flat_map(|(edge, ids)| ids.iter().map(|id| (*edge, *id))).collect()
    }
}

/// The branch edges that lead to an obligation's targets.
fn edges_to(func: FuncId, function: &Function, obligation: &Obligation) -> Vec<Edge> {
    let mut edges = Vec::new();
    for target in &obligation.targets {
        match target {
            Target::Take { index, position } => {
                edges.push(Edge { func, index: *index, successor: *position });
            }
            Target::Enter(block) => edges_into(func, function, *block, &mut edges),
            Target::Execute(index) => edges_into(func, function, function.block_at(*index), &mut edges),
        }
    }
    edges.sort();
    edges.dedup();
    edges
}

fn edges_into(func: FuncId, function: &Function, block: BlockId, edges: &mut Vec<Edge>) {
    for from in function.blocks.keys() {
        let successors = function.successors(from);
        if successors.len() < 2 {
            continue;
        }
        let index = function.blocks[from].end - 1;
        for (position, target) in successors.iter().enumerate() {
            if *target == block {
                edges.push(Edge { func, index, successor: position as u32 });
            }
        }
    }
}
