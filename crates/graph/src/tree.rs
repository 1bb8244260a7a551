//! The paths that were looked at, as a tree of their prefixes. Each prefix is run on terms once and decided once.

use crate::symbolic::{Store, Symbolic};
use coverage::graph::{GraphEdge, GraphNode};
use rustc_hash::FxHashMap;
use solver::{Answer, Cause, Chain, Limits, Model, Query};
use std::rc::Rc;
use term::TermId;

pub type TreeId = u32;

/// Whether a prefix can be run.
#[derive(Clone, Debug)]
pub enum Status {
    Feasible(Rc<Model>),
    /// Facts that contradict each other, by the step they belong to.
    Infeasible(Vec<usize>),
    /// The solver does not know.
    Unknown(Cause),
}

pub struct Prefix {
    pub parent: Option<TreeId>,
    /// By which it was reached; none at the start.
    pub edge: Option<GraphEdge>,
    pub node: GraphNode,
    pub depth: u32,
    /// Cost and number of blocks so far.
    pub cost: (u64, u64),
    pub store: Store,
    /// What must hold besides what must hold for the parent.
    pub facts: Vec<TermId>,
    /// The same for two prefixes whose facts and store are the same.
    pub state: u32,
    pub status: Status,
    children: Vec<(GraphEdge, TreeId)>,
}

/// Figures of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Prefixes that were decided.
    pub prefixes: u64,
    /// Prefixes cut because a learned subpath says they cannot be run.
    pub cut_by_learned: u64,
    pub questions: u64,
    /// About a microsecond each.
    pub work: u64,
}

pub struct Tree<'c> {
    pub symbolic: Symbolic<'c>,
    pub chain: Chain,
    pub prefixes: Vec<Prefix>,
    pub learned: Learned,
    pub spent: Spent,
    roots: Vec<(GraphNode, TreeId)>,
    states: FxHashMap<(u32, Vec<TermId>, Store), u32>,
    costs: Vec<u64>,
}

/// Subpaths that no run takes, whatever it did before.
#[derive(Default)]
pub struct Learned {
    /// By their last edge.
    by_last: FxHashMap<GraphEdge, Vec<usize>>,
    pub subpaths: Vec<Subpath>,
}

/// A subpath that no run takes, and the edges whose conditions contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subpath {
    pub start: GraphNode,
    pub edges: Vec<GraphEdge>,
    /// Positions in `edges` of what contradicts; what statements demand counts for the edge that leads to them.
    pub core: Vec<usize>,
}

impl<'c> Tree<'c> {
    pub fn new(symbolic: Symbolic<'c>, chain: Chain, costs: Vec<u64>) -> Tree<'c> {
        Tree {
            symbolic,
            chain,
            prefixes: Vec::new(),
            learned: Learned::default(),
            spent: Spent::default(),
            roots: Vec::new(),
            states: FxHashMap::default(),
            costs,
        }
    }

    pub fn prefix(&self, id: TreeId) -> &Prefix {
        &self.prefixes[id as usize]
    }

    /// The edges of a prefix.
    pub fn edges(&self, id: TreeId) -> (GraphNode, Vec<GraphEdge>) {
        let mut edges = Vec::with_capacity(self.prefix(id).depth as usize);
        let mut at = id;
        while let (Some(edge), Some(parent)) = (self.prefix(at).edge, self.prefix(at).parent) {
            edges.push(edge);
            at = parent;
        }
        edges.reverse();
        (self.prefix(at).node, edges)
    }

    /// What must hold for a prefix, each with its step.
    pub fn facts(&self, id: TreeId) -> (Vec<TermId>, Vec<usize>) {
        let mut chain = vec![id];
        while let Some(parent) = self.prefix(chain[chain.len() - 1]).parent {
            chain.push(parent);
        }
        let (mut facts, mut steps) = (Vec::new(), Vec::new());
        for (step, at) in chain.iter().rev().enumerate() {
            for fact in &self.prefix(*at).facts {
                facts.push(*fact);
                steps.push(step);
            }
        }
        (facts, steps)
    }

    /// The prefix of a start alone.
    pub fn root(&mut self, node: GraphNode) -> TreeId {
        if let Some((_, id)) = self.roots.iter().find(|(n, _)| *n == node) {
            return *id;
        }
        let (store, mut facts) = self.symbolic.start();
        let store = self.symbolic.enter(&store, node, &mut facts);
        let id = self.add(None, None, node, store, facts);
        self.roots.push((node, id));
        id
    }

    /// A prefix made longer by an edge; the parent must not be infeasible.
    pub fn child(&mut self, parent: TreeId, edge: GraphEdge) -> TreeId {
        if let Some((_, id)) = self.prefix(parent).children.iter().find(|(e, _)| *e == edge) {
            return *id;
        }
        let (from, store) = (self.prefix(parent).node, self.prefix(parent).store.clone());
        let to = self.symbolic.cfg.shape.to(edge);
        let id = match self.learned_ending(parent, edge) {
            Some(_) => {
                self.spent.cut_by_learned += 1;
                let id = self.push(Some(parent), Some(edge), to, store, Vec::new(), 0);
                self.prefixes[id as usize].status = Status::Infeasible(Vec::new());
                id
            }
            None => {
                let mut facts = Vec::new();
                self.symbolic.leave(&store, from, Some(edge), &mut facts);
                let store = self.symbolic.enter(&store, to, &mut facts);
                let id = self.add(Some(parent), Some(edge), to, store, facts);
                if matches!(&self.prefix(id).status, Status::Infeasible(core) if !core.is_empty()) {
                    self.learn(id);
                }
                id
            }
        };
        self.prefixes[parent as usize].children.push((edge, id));
        id
    }

    /// The learned subpath that a prefix would end in.
    fn learned_ending(&self, parent: TreeId, edge: GraphEdge) -> Option<usize> {
        let candidates = self.learned.by_last.get(&edge)?;
        candidates.iter().copied().find(|candidate| {
            let mut at = Some(parent);
            let before = self.learned.subpaths[*candidate].edges.iter().rev().skip(1);
            for wanted in before {
                let Some(prefix) = at.map(|a| self.prefix(a)) else { return false };
                if prefix.edge != Some(*wanted) {
                    return false;
                }
                at = prefix.parent;
            }
            true
        })
    }

    fn add(
        &mut self,
        parent: Option<TreeId>,
        edge: Option<GraphEdge>,
        node: GraphNode,
        store: Store,
        facts: Vec<TermId>,
    ) -> TreeId {
        let before = parent.map_or(0, |p| self.prefix(p).state);
        let next = self.states.len() as u32 + 1;
        // Without new facts and with the same store it is the parent's state.
        let state = match parent {
            Some(p) if facts.is_empty() && Rc::ptr_eq(&self.prefix(p).store, &store) => before,
            _ => *self.states.entry((before, facts.clone(), store.clone())).or_insert(next),
        };
        let id = self.push(parent, edge, node, store, facts, state);
        self.spent.prefixes += 1;
        self.spent.work += 20;
        self.prefixes[id as usize].status = self.decide(id);
        id
    }

    fn push(
        &mut self,
        parent: Option<TreeId>,
        edge: Option<GraphEdge>,
        node: GraphNode,
        store: Store,
        facts: Vec<TermId>,
        state: u32,
    ) -> TreeId {
        let (depth, cost) = parent.map_or((0, (0, 0)), |p| (self.prefix(p).depth + 1, self.prefix(p).cost));
        let cost = (cost.0 + self.costs[node.0 as usize], cost.1 + 1);
        let status = Status::Unknown(Cause::Bug("not decided yet"));
        let children = Vec::new();
        self.prefixes.push(Prefix { parent, edge, node, depth, cost, store, facts, state, status, children });
        (self.prefixes.len() - 1) as TreeId
    }

    fn decide(&mut self, id: TreeId) -> Status {
        let prefix = self.prefix(id);
        let parent = prefix.parent.map(|p| self.prefix(p).status.clone());
        if prefix.facts.iter().any(|f| self.symbolic.pool.as_bool(*f) == Some(false)) {
            return Status::Infeasible(vec![prefix.depth as usize]);
        }
        if self.goes_round(id) {
            return Status::Infeasible(Vec::new());
        }
        match parent {
            Some(status) if self.prefix(id).facts.is_empty() => status,
            Some(Status::Feasible(model)) => self.ask(id, &[], Some(&model)),
            _ => self.ask(id, &[], None),
        }
    }

    /// A run that comes to the same place with the same values, and nothing but values decides, never ends.
    fn goes_round(&self, id: TreeId) -> bool {
        let prefix = self.prefix(id);
        let mut at = prefix.parent;
        while let Some(earlier) = at.map(|a| self.prefix(a)) {
            let free = self.symbolic.cfg.is_free(earlier.node);
            if free || !Rc::ptr_eq(&earlier.store, &prefix.store) {
                return false;
            }
            if earlier.node == prefix.node {
                return true;
            }
            at = earlier.parent;
        }
        false
    }

    /// Whether a prefix can be run so that something more holds.
    pub fn ask(&mut self, id: TreeId, more: &[TermId], hint: Option<&Rc<Model>>) -> Status {
        let (mut facts, mut steps) = self.facts(id);
        let depth = self.prefix(id).depth as usize;
        facts.extend(more);
        steps.resize(facts.len(), depth);
        if let Some(model) = hint
            && model.satisfies(&self.symbolic.pool, &facts)
        {
            return Status::Feasible(model.clone());
        }
        let query = Query { assertions: &facts, hint: hint.map(|h| &**h), limits: Limits::default() };
        match self.solve(&query) {
            Answer::Sat(model) => Status::Feasible(Rc::new(model)),
            Answer::Unsat(core) => {
                let mut core: Vec<usize> = core.into_iter().filter_map(|i| steps.get(i).copied()).collect();
                core.sort_unstable();
                core.dedup();
                Status::Infeasible(core)
            }
            Answer::Unknown(cause) => Status::Unknown(cause),
        }
    }

    pub fn solve(&mut self, query: &Query) -> Answer {
        let before = self.chain.stats().rlimit;
        let answer = self.chain.ask(&mut self.symbolic.pool, query);
        self.spent.questions += 1;
        // Z3's resource units come at about three a microsecond.
        self.spent.work +=
            100 + 20 * query.assertions.len() as u64 + (self.chain.stats().rlimit - before) / 3;
        answer
    }
}

impl Learned {
    /// Remembers a subpath, unless one that it contains is known.
    pub fn add(&mut self, subpath: Subpath) {
        let Some(last) = subpath.edges.last() else { return };
        let places = self.by_last.entry(*last).or_default();
        if !places.iter().any(|p| subpath.edges.ends_with(&self.subpaths[*p].edges)) {
            places.push(self.subpaths.len());
            self.subpaths.push(subpath);
        }
    }
}
