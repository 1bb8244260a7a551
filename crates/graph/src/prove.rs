//! Proofs that something cannot be run: subpaths that contradict themselves whatever came before.

use crate::goal::{Decision, Goal};
use crate::symbolic::{Store, Symbolic};
use crate::tree::{Subpath, Tree, TreeId};
use coverage::graph::{GraphEdge, GraphNode};
use entity::EntityId;
use solver::{Answer, Query};
use std::collections::VecDeque;
use term::{TermId, VarId};

/// How many ways to a goal are followed backwards, and how many for a part of what must hold on one of them.
const MAX_WAYS: usize = 120;
const MAX_PART: usize = 12;
/// What is learned of an infeasible prefix lies within its last edges: looking farther costs more than it saves.
const MAX_LEARNED: usize = 48;

/// Why a goal cannot be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Each way to the goal ends in one of these.
    pub subpaths: Vec<Subpath>,
}

impl Tree<'_> {
    /// Generalises an infeasible prefix: the shortest end of it that cannot be run whatever came before.
    pub(crate) fn learn(&mut self, id: TreeId) {
        let (start, edges) = self.edges(id);
        let from = edges.len().saturating_sub(MAX_LEARNED);
        let start = if from == 0 { start } else { self.symbolic.cfg.shape.to(edges[from - 1]) };
        let edges = &edges[from..];
        if self.isolated(start, edges, None).is_none() {
            return;
        }
        let subpath = self.shortest(start, edges, None);
        self.learned.add(subpath);
    }

    /// The shortest end of a subpath that cannot be run, of one that is known to be such.
    fn shortest(&mut self, start: GraphNode, edges: &[GraphEdge], row: Option<&Row>) -> Subpath {
        let shape = &self.symbolic.cfg.shape;
        let node_at = |i: usize| if i == 0 { start } else { shape.to(edges[i - 1]) };
        // Cutting off the front only takes contradictions away. From `good` on it cannot be run, from `bad` on it can.
        let (mut good, mut bad) = (0, edges.len() + usize::from(row.is_some()));
        let mut core = None;
        while good + 1 < bad {
            let middle = good.midpoint(bad);
            match self.isolated(node_at(middle), &edges[middle..], row) {
                Some(found) => (good, core) = (middle, Some(found)),
                None => bad = middle,
            }
        }
        let core = core.or_else(|| self.isolated(node_at(good), &edges[good..], row)).unwrap_or_default();
        // Behind the last contradiction nothing matters, unless it is what is asked for at the end.
        let end = match row {
            Some(_) => edges.len(),
            None => core.last().map_or(edges.len(), |last| edges.len().min(good + last + 1)),
        };
        Subpath { start: node_at(good), edges: edges[good..end].to_vec(), core }
    }

    /// Whether a subpath contradicts itself: the positions in it that do. A start of a run may be anything.
    fn isolated(&mut self, start: GraphNode, edges: &[GraphEdge], row: Option<&Row>) -> Option<Vec<usize>> {
        let (store, facts) = self.symbolic.anywhere();
        let facts = self.along(store, facts, start, edges, row);
        self.contradict(&facts)
    }

    /// What must hold to take a subpath, each with the position in it.
    fn along(
        &mut self,
        store: Store,
        mut facts: Vec<TermId>,
        start: GraphNode,
        edges: &[GraphEdge],
        row: Option<&Row>,
    ) -> Vec<(TermId, usize)> {
        self.spent.work += 20 + 10 * edges.len() as u64;
        let symbolic = &mut self.symbolic;
        let shape = &symbolic.cfg.shape;
        let mut store = symbolic.enter(&store, start, &mut facts);
        let mut steps = vec![0; facts.len()];
        let mut node = start;
        for (i, edge) in edges.iter().enumerate() {
            symbolic.leave(&store, node, Some(*edge), &mut facts);
            node = shape.to(*edge);
            store = symbolic.enter(&store, node, &mut facts);
            steps.resize(facts.len(), i);
        }
        if let Some(row) = row {
            row.facts(symbolic, &store, &mut facts);
            steps.resize(facts.len(), edges.len());
        }
        facts.into_iter().zip(steps).collect()
    }

    /// Positions of facts that cannot hold together.
    fn contradict(&mut self, facts: &[(TermId, usize)]) -> Option<Vec<usize>> {
        let terms: Vec<TermId> = facts.iter().map(|(fact, _)| *fact).collect();
        let core = match terms.iter().position(|f| self.symbolic.pool.as_bool(*f) == Some(false)) {
            Some(i) => vec![i],
            None if terms.is_empty() => return None,
            None => match self.solve(&Query::new(&terms)) {
                Answer::Unsat(core) => core,
                Answer::Sat(_) | Answer::Unknown(_) => return None,
            },
        };
        let mut core: Vec<usize> = core.into_iter().filter_map(|i| facts.get(i).map(|f| f.1)).collect();
        core.sort_unstable();
        core.dedup();
        Some(core)
    }

    /// Tries to prove that no run meets a goal: all ways to it, followed backwards, contradict themselves.
    ///
    /// On each way parts of what must hold that share no variables are tried alone first: what a loop before does to
    /// other variables is then no longer seen, and going round it leads to what was looked at already.
    pub fn prove(&mut self, goal: &Goal, decisions: &[Decision]) -> Option<Proof> {
        let (start, edges, row) = match goal {
            Goal::Path(path) | Goal::Whole(path) => (path.start, path.edges.clone(), None),
            Goal::Row { decision, values, outcome } => {
                let decision = decisions.get(*decision)?;
                (decision.node, Vec::new(), Some(Row { decision, values, outcome: *outcome }))
            }
            Goal::Tour { .. } | Goal::DefUse { .. } | Goal::Loop { .. } => return None,
        };
        let mut ways = MAX_WAYS;
        self.backwards(start, &edges, row.as_ref(), None, &mut ways)
    }

    /// Groups of steps whose facts share variables.
    fn parts(&self, facts: &[(TermId, usize)]) -> Vec<Vec<usize>> {
        let mut groups: Vec<(Vec<VarId>, Vec<usize>)> = Vec::new();
        for (fact, step) in facts {
            let mut group = (self.symbolic.pool.vars(*fact).to_vec(), vec![*step]);
            let (shared, apart): (Vec<_>, Vec<_>) = std::mem::take(&mut groups)
                .into_iter()
                .partition(|(vars, steps)| steps.contains(step) || vars.iter().any(|v| group.0.contains(v)));
            for (vars, steps) in shared {
                group.0.extend(vars);
                group.1.extend(steps);
            }
            groups = apart;
            groups.push(group);
        }
        groups.into_iter().map(|(_, steps)| steps).collect()
    }

    /// Follows all ways to a goal backwards. With `steps`, only what these steps of the goal ask for counts, and what is
    /// connected with it.
    fn backwards(
        &mut self,
        start: GraphNode,
        goal: &[GraphEdge],
        row: Option<&Row>,
        steps: Option<&[usize]>,
        left: &mut usize,
    ) -> Option<Proof> {
        let cfg = self.symbolic.cfg;
        let reachable = cfg.shape.reachable();
        let mut ways: VecDeque<(GraphNode, Vec<GraphEdge>)> = VecDeque::from([(start, goal.to_vec())]);
        let mut subpaths: Vec<Subpath> = Vec::new();
        let mut seen: Vec<(GraphNode, Vec<TermId>)> = Vec::new();
        let mut allowed = if steps.is_some() { MAX_PART } else { MAX_WAYS };
        while let Some((start, edges)) = ways.pop_front() {
            if *left == 0 || allowed == 0 {
                return None;
            }
            *left -= 1;
            allowed -= 1;
            let before = edges.len() - goal.len();
            let seed = |step: usize| steps.is_none_or(|s| step >= before && s.contains(&(step - before)));
            let (store, facts) = self.symbolic.anywhere();
            let facts = self.along(store, facts, start, &edges, row);
            let facts = self.connected(&facts, seed);
            if self.contradict(&facts).is_some() {
                let subpath = self.shortest(start, &edges, row);
                if row.is_none() {
                    self.learned.add(subpath.clone());
                }
                if !subpaths.contains(&subpath) {
                    subpaths.push(subpath);
                }
                continue;
            }
            // To come here so that all this holds is what was already asked of an earlier way, or more.
            let mut asked: Vec<TermId> = facts.iter().map(|(fact, _)| *fact).collect();
            asked.sort_unstable_by_key(|t| t.0);
            asked.dedup();
            let contains =
                |less: &[TermId]| less.iter().all(|t| asked.binary_search_by_key(&t.0, |a| a.0).is_ok());
            if seen.iter().any(|(node, less)| *node == start && contains(less)) {
                continue;
            }
            seen.push((start, asked));
            let parts = if steps.is_none() { self.parts(&facts) } else { Vec::new() };
            if parts.len() > 1 {
                let closed =
                    parts.iter().find_map(|part| self.backwards(start, &edges, row, Some(part), left));
                if let Some(proof) = closed {
                    let new =
                        proof.subpaths.into_iter().filter(|s| !subpaths.contains(s)).collect::<Vec<_>>();
                    subpaths.extend(new);
                    continue;
                }
            }
            if cfg.shape.starts().contains(&start) {
                let (store, facts) = self.symbolic.start();
                let facts = self.along(store, facts, start, &edges, row);
                // Only what was asked of this way may be used: others rely on it.
                let facts = self.connected(&facts, seed);
                let core = self.contradict(&facts)?;
                let subpath = Subpath { start, edges: edges.clone(), core };
                if !subpaths.contains(&subpath) {
                    subpaths.push(subpath);
                }
            }
            let before = cfg.shape.preds(start).iter();
            for edge in before.filter(|e| reachable[cfg.shape.from(**e).index()]) {
                let longer = std::iter::once(*edge).chain(edges.iter().copied()).collect();
                ways.push_back((cfg.shape.from(*edge), longer));
            }
        }
        Some(Proof { subpaths })
    }

    /// The facts of some steps, and all that share variables with them.
    fn connected(&self, facts: &[(TermId, usize)], seed: impl Fn(usize) -> bool) -> Vec<(TermId, usize)> {
        let mut vars: Vec<VarId> = Vec::new();
        let mut taken = vec![false; facts.len()];
        loop {
            let before = taken.iter().filter(|t| **t).count();
            for (i, (fact, step)) in facts.iter().enumerate() {
                let own = self.symbolic.pool.vars(*fact);
                if !taken[i] && (seed(*step) || own.iter().any(|v| vars.contains(v))) {
                    taken[i] = true;
                    vars.extend(own.iter());
                }
            }
            if taken.iter().filter(|t| **t).count() == before {
                return facts.iter().zip(taken).filter(|(_, t)| *t).map(|(f, _)| *f).collect();
            }
        }
    }
}

/// Values of a decision's conditions, as facts.
pub struct Row<'d> {
    pub decision: &'d Decision,
    pub values: &'d [Option<bool>],
    pub outcome: Option<bool>,
}

impl Row<'_> {
    pub fn facts(&self, symbolic: &mut Symbolic, store: &Store, facts: &mut Vec<TermId>) {
        for (condition, value) in self.decision.conditions().into_iter().zip(self.values) {
            if let Some(value) = value {
                symbolic.assert(store, condition, *value, facts);
            }
        }
        if let Some(outcome) = self.outcome {
            symbolic.assert(store, &self.decision.expr, outcome, facts);
        }
    }
}
