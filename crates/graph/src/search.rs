//! Finds paths in order of their cost, cheapest first.
//!
//! A best-first walk over prefixes of paths. What a prefix still costs at least is the distance to the goal and from
//! there to an exit; so complete paths come out in the order of their cost. A prefix is decided when its turn
//! comes, and one that cannot be run is never made longer.

use crate::cfg::Cfg;
use crate::goal::{DONE, Decision, Follower, Goal, Use};
use crate::prove::Row;
use crate::tree::{Status, Tree, TreeId};
use coverage::Times;
use coverage::graph::{GraphEdge, GraphNode, Path};
use entity::EntityId;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::{Cause, Model};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use term::TermId;

/// Cost, and blocks among what costs the same: so a round through a loop always counts for something.
pub type Price = (u64, u64);

/// A complete path that can be run.
#[derive(Clone, Debug)]
pub struct Found {
    pub start: GraphNode,
    pub edges: Vec<GraphEdge>,
    pub cost: u64,
    pub model: Rc<Model>,
    /// What must hold to take it.
    pub facts: Vec<TermId>,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum End {
    Found(Found),
    /// There is no (further) such path.
    Exhausted,
    /// There may be one, but so many prefixes could not be decided; and why the last could not.
    Unsure(u64, Cause),
    /// The work allowed is spent.
    Budget,
    Interrupted,
}

/// One search; asked again it finds the next path.
pub struct Search<'a> {
    cfg: &'a Cfg,
    /// None: any path to an exit.
    follower: Option<Follower<'a>>,
    row: Option<Row<'a>>,
    heap: BinaryHeap<Reverse<Entry>>,
    bounds: Bounds,
    seen: FxHashSet<(GraphNode, u32, u32, Vec<TermId>)>,
    unsure: Option<(u64, Cause)>,
    /// Paths that differ in nothing a goal asks for are one; not so when paths themselves are asked for.
    merges: bool,
    /// Of equal cost, paths that do something new come first.
    used: Option<&'a Used>,
}

/// Edges and pairs of edges that runs took already.
#[derive(Default)]
pub struct Used {
    edges: FxHashSet<GraphEdge>,
    pairs: FxHashSet<(GraphEdge, GraphEdge)>,
}

impl Used {
    pub fn add(&mut self, edges: &[GraphEdge]) {
        self.edges.extend(edges);
        self.pairs.extend(edges.windows(2).map(|pair| (pair[0], pair[1])));
    }

    /// 0 for a new edge, 1 for a new pair, 2 for nothing new.
    fn rank(&self, last: Option<GraphEdge>, edge: GraphEdge) -> u16 {
        if !self.edges.contains(&edge) {
            return 0;
        }
        1 + u16::from(last.is_none_or(|last| self.pairs.contains(&(last, edge))))
    }
}

/// A prefix that may be made longer, or ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at_least: Price,
    /// Which way it went at each node: of equal cost the first in the order of the edges is first.
    ways: Vec<u16>,
    from: TreeId,
    /// None ends the run.
    via: Option<u32>,
    progress: u32,
    /// What the goal asks for besides the path.
    more: Vec<u32>,
}

impl<'a> Search<'a> {
    pub fn all(cfg: &'a Cfg, tree: &mut Tree, distances: &mut Distances) -> Search<'a> {
        Search::new(cfg, None, &[], None, tree, distances)
    }

    pub fn goal(
        cfg: &'a Cfg,
        goal: &'a Goal,
        decisions: &'a [Decision],
        used: &'a Used,
        tree: &mut Tree,
        distances: &mut Distances,
    ) -> Search<'a> {
        Search::new(cfg, Some(goal), decisions, Some(used), tree, distances)
    }

    fn new(
        cfg: &'a Cfg,
        goal: Option<&'a Goal>,
        decisions: &'a [Decision],
        used: Option<&'a Used>,
        tree: &mut Tree,
        distances: &mut Distances,
    ) -> Search<'a> {
        let row = match goal {
            Some(Goal::Row { decision, values, outcome }) => {
                decisions.get(*decision).map(|decision| Row { decision, values, outcome: *outcome })
            }
            _ => None,
        };
        let mut search = Search {
            cfg,
            follower: goal.map(|g| Follower::new(cfg, g)),
            row,
            heap: BinaryHeap::new(),
            bounds: Bounds::new(cfg, goal, decisions, distances),
            seen: FxHashSet::default(),
            unsure: None,
            merges: goal.is_some(),
            used,
        };
        for (i, start) in cfg.shape.starts().iter().enumerate() {
            let root = tree.root(*start);
            let progress = search.follower.as_ref().map_or(DONE, |f| f.start(*start));
            if search.is_open(tree, root) {
                search.expand(tree, root, progress, vec![i as u16], (0, 0), &[]);
            }
        }
        search
    }

    /// The next path, within so much work.
    pub fn next(&mut self, tree: &mut Tree, work: u64, interrupt: &AtomicBool) -> End {
        let stop = tree.spent.work.saturating_add(work);
        while let Some(Reverse(entry)) = self.heap.pop() {
            tree.spent.work += 2;
            if tree.spent.work > stop {
                self.heap.push(Reverse(entry));
                return End::Budget;
            }
            if interrupt.load(Ordering::Relaxed) {
                self.heap.push(Reverse(entry));
                return End::Interrupted;
            }
            let more: Vec<TermId> = entry.more.iter().map(|t| TermId(*t)).collect();
            match entry.via {
                Some(edge) => self.follow(tree, &entry, GraphEdge(edge), &more),
                None => {
                    if let Some(found) = self.finish(tree, entry.from, &more) {
                        return End::Found(found);
                    }
                }
            }
        }
        match &self.unsure {
            None => End::Exhausted,
            Some((count, cause)) => End::Unsure(*count, cause.clone()),
        }
    }

    /// Makes a prefix longer, unless it cannot be run or one that is as good was made longer before.
    fn follow(&mut self, tree: &mut Tree, entry: &Entry, edge: GraphEdge, more: &[TermId]) {
        let child = tree.child(entry.from, edge);
        if !self.is_open(tree, child) {
            return;
        }
        if !more.is_empty() {
            let hint = model(&tree.prefix(child).status);
            match tree.ask(child, more, hint.as_ref()) {
                Status::Infeasible(_) => return,
                Status::Unknown(cause) => self.doubt(cause),
                Status::Feasible(_) => {}
            }
        }
        self.expand(tree, child, entry.progress, entry.ways.clone(), entry.at_least, more);
    }

    fn is_open(&mut self, tree: &Tree, id: TreeId) -> bool {
        match &tree.prefix(id).status {
            Status::Infeasible(_) => false,
            Status::Feasible(_) => true,
            Status::Unknown(cause) => {
                self.doubt(cause.clone());
                true
            }
        }
    }

    fn doubt(&mut self, cause: Cause) {
        let count = self.unsure.as_ref().map_or(0, |(count, _)| *count);
        self.unsure = Some((count + 1, cause));
    }

    fn expand(
        &mut self,
        tree: &mut Tree,
        id: TreeId,
        progress: u32,
        ways: Vec<u16>,
        at_least: Price,
        more: &[TermId],
    ) {
        let (node, state) = (tree.prefix(id).node, tree.prefix(id).state);
        if self.merges && !self.seen.insert((node, progress, state, more.to_vec())) {
            return;
        }
        self.push(tree, id, progress, &ways, at_least, more);
        // Or the row is made here.
        if let Some(row) = self.row.as_ref().filter(|r| progress != DONE && r.decision.node == node) {
            let mut facts = Vec::new();
            let store = tree.prefix(id).store.clone();
            row.facts(&mut tree.symbolic, &store, &mut facts);
            if facts.iter().all(|f| tree.symbolic.pool.as_bool(*f) != Some(false)) {
                self.push(tree, id, DONE, &ways, at_least, &facts);
            }
        }
    }

    fn push(
        &mut self,
        tree: &Tree,
        id: TreeId,
        progress: u32,
        ways: &[u16],
        at_least: Price,
        more: &[TermId],
    ) {
        let (node, cost) = (tree.prefix(id).node, tree.prefix(id).cost);
        let more: Vec<u32> = more.iter().map(|t| t.0).collect();
        let ends = self.follower.as_ref().map_or(progress == DONE, |f| f.ends(progress));
        if self.cfg.shape.is_final(node) && ends {
            // Ending comes before going on at the same cost.
            let at_least = at_least.max(cost);
            let entry =
                Entry { at_least, ways: ways.to_vec(), from: id, via: None, progress, more: more.clone() };
            self.heap.push(Reverse(entry));
        }
        let last = tree.prefix(id).edge;
        for (i, edge) in self.cfg.shape.succs(node).iter().enumerate() {
            let rank = self.used.as_ref().map_or(0, |used| used.rank(last, *edge));
            let progress = self.follower.as_ref().map_or(DONE, |f| f.step(progress, *edge));
            let to = self.cfg.shape.to(*edge);
            let Some(rest) = self.bounds.rest(to, progress) else { continue };
            let here = self.bounds.costs[to.index()];
            let sum = (cost.0 + here + rest.0, cost.1 + 1 + rest.1);
            let mut ways = ways.to_vec();
            ways.push(rank << 14 | i.min(0x3fff) as u16);
            let at_least = at_least.max(sum);
            let via = Some(edge.0);
            self.heap.push(Reverse(Entry { at_least, ways, from: id, via, progress, more: more.clone() }));
        }
    }

    fn finish(&mut self, tree: &mut Tree, id: TreeId, more: &[TermId]) -> Option<Found> {
        let (node, store) = (tree.prefix(id).node, tree.prefix(id).store.clone());
        let mut all = more.to_vec();
        tree.symbolic.leave(&store, node, None, &mut all);
        let hint = model(&tree.prefix(id).status);
        match tree.ask(id, &all, hint.as_ref()) {
            Status::Infeasible(_) => None,
            Status::Unknown(cause) => {
                self.doubt(cause);
                None
            }
            Status::Feasible(model) => {
                let (start, edges) = tree.edges(id);
                let mut facts = tree.facts(id).0;
                facts.extend(all);
                Some(Found { start, edges, cost: tree.prefix(id).cost.0, model, facts })
            }
        }
    }
}

fn model(status: &Status) -> Option<Rc<Model>> {
    match status {
        Status::Feasible(model) => Some(model.clone()),
        _ => None,
    }
}

/// Cheapest ways to nodes, worked out when asked for.
pub struct Distances {
    costs: Rc<Vec<u64>>,
    to: FxHashMap<GraphNode, Rc<Vec<Option<Price>>>>,
    to_exit: Rc<Vec<Option<Price>>>,
}

impl Distances {
    pub fn new(cfg: &Cfg, costs: Vec<u64>) -> Distances {
        let exits: Vec<GraphNode> = cfg.shape.nodes().filter(|n| cfg.shape.is_final(*n)).collect();
        let to_exit = Rc::new(cheapest(cfg, &costs, &exits));
        Distances { costs: Rc::new(costs), to: FxHashMap::default(), to_exit }
    }

    fn to(&mut self, cfg: &Cfg, node: GraphNode) -> Rc<Vec<Option<Price>>> {
        let costs = self.costs.clone();
        self.to.entry(node).or_insert_with(|| Rc::new(cheapest(cfg, &costs, &[node]))).clone()
    }

    /// Whether a run can come from a node to an exit, by the edges alone.
    pub fn can_end(&self, node: GraphNode) -> bool {
        self.to_exit[node.index()].is_some()
    }
}

/// What the nodes behind a node cost at least on the way to the nearest of some nodes.
fn cheapest(cfg: &Cfg, costs: &[u64], targets: &[GraphNode]) -> Vec<Option<Price>> {
    let mut best: Vec<Option<Price>> = vec![None; cfg.nodes.len()];
    let mut heap: BinaryHeap<Reverse<(Price, u32)>> = BinaryHeap::new();
    for target in targets {
        best[target.index()] = Some((0, 0));
        heap.push(Reverse(((0, 0), target.0)));
    }
    while let Some(Reverse((price, node))) = heap.pop() {
        let node = GraphNode(node);
        if best[node.index()] != Some(price) {
            continue;
        }
        let next = (price.0 + costs[node.index()], price.1 + 1);
        for edge in cfg.shape.preds(node) {
            let from = cfg.shape.from(*edge);
            if best[from.index()].is_none_or(|b| next < b) {
                best[from.index()] = Some(next);
                heap.push(Reverse((next, from.0)));
            }
        }
    }
    best
}

/// Least costs of what is left, by how far the goal is met.
struct Bounds {
    costs: Rc<Vec<u64>>,
    to_exit: Rc<Vec<Option<Price>>>,
    kind: Kind,
}

enum Kind {
    Any,
    /// To its first node; and behind each of its nodes to its last and from there to an exit.
    Path {
        to_start: Rc<Vec<Option<Price>>>,
        left: Vec<Option<Price>>,
    },
    /// To the definition, to the use, and from the definition by the use to an exit.
    DefUse {
        to_def: Rc<Vec<Option<Price>>>,
        to_use: Rc<Vec<Option<Price>>>,
        from_def: Option<Price>,
        from_use: Option<Price>,
    },
    /// To each of its nodes; and behind each to its last and from there to an exit.
    Tour {
        to: Vec<Rc<Vec<Option<Price>>>>,
        left: Vec<Option<Price>>,
    },
    /// Of a path that is all there is, behind each of its nodes.
    Whole {
        left: Vec<Option<Price>>,
    },
    /// To the header, from there to an exit, and whether the loop can be come to again once it was left.
    Loop {
        to_header: Rc<Vec<Option<Price>>>,
        from_header: Option<Price>,
        again: bool,
        times: Times,
    },
    Row {
        to_node: Rc<Vec<Option<Price>>>,
        from_node: Option<Price>,
    },
}

impl Bounds {
    fn new(cfg: &Cfg, goal: Option<&Goal>, decisions: &[Decision], distances: &mut Distances) -> Bounds {
        let exit = distances.to_exit.clone();
        let costs = distances.costs.clone();
        let kind = match goal {
            None => Kind::Any,
            Some(Goal::Path(path)) => {
                let left = behind(path, cfg, &costs, exit[path.end(&cfg.shape).index()]);
                Kind::Path { to_start: distances.to(cfg, path.start), left }
            }
            Some(Goal::Tour { path, .. }) => {
                let left = behind(path, cfg, &costs, exit[path.end(&cfg.shape).index()]);
                let nodes = path.nodes(&cfg.shape);
                Kind::Tour { to: nodes.iter().map(|node| distances.to(cfg, *node)).collect(), left }
            }
            Some(Goal::Whole(path)) => Kind::Whole { left: behind(path, cfg, &costs, Some((0, 0))) },
            Some(Goal::Loop { shape, times }) => {
                let header = shape.header;
                let left: Vec<GraphNode> = cfg
                    .shape
                    .edges()
                    .filter(|e| shape.contains(cfg.shape.from(*e)) && !shape.contains(cfg.shape.to(*e)))
                    .map(|e| cfg.shape.to(e))
                    .collect();
                let again = cfg.shape.reachable_from(&left, |_| true)[header.index()];
                let from_header = exit[header.index()];
                Kind::Loop { to_header: distances.to(cfg, header), from_header, again, times: *times }
            }
            Some(Goal::DefUse { def, used, .. }) => {
                let (node, from_use) = match used {
                    Use::Node(node) => (*node, exit[node.index()]),
                    Use::Edge(edge) => {
                        let to = cfg.shape.to(*edge);
                        let rest = exit[to.index()].map(|r| (r.0 + costs[to.index()], r.1 + 1));
                        (cfg.shape.from(*edge), rest)
                    }
                };
                let to_use = distances.to(cfg, node);
                let from_def = add(to_use[def.index()], from_use);
                Kind::DefUse { to_def: distances.to(cfg, *def), to_use, from_def, from_use }
            }
            Some(Goal::Row { decision, .. }) => match decisions.get(*decision) {
                Some(d) => Kind::Row { to_node: distances.to(cfg, d.node), from_node: exit[d.node.index()] },
                None => Kind::Any,
            },
        };
        Bounds { costs, to_exit: exit, kind }
    }

    /// What a run that is at a node still costs at least, the node itself not counted.
    fn rest(&self, node: GraphNode, progress: u32) -> Option<Price> {
        if progress == DONE {
            return self.to_exit[node.index()];
        }
        if Follower::is_lost(progress) {
            return None;
        }
        match &self.kind {
            Kind::Any => self.to_exit[node.index()],
            Kind::Path { to_start, left } => {
                let again = add(to_start[node.index()], left.first().copied().flatten());
                let on = left.get(progress as usize).copied().flatten().filter(|_| progress > 0);
                again.into_iter().chain(on).min()
            }
            Kind::DefUse { to_def, to_use, from_def, from_use } => {
                let again = add(to_def[node.index()], *from_def);
                let on = add(to_use[node.index()], *from_use).filter(|_| progress == 1);
                again.into_iter().chain(on).min()
            }
            Kind::Tour { to, left } => {
                let there = to.get(progress as usize)?;
                add(there[node.index()], left.get(progress as usize).copied().flatten())
            }
            Kind::Whole { left } => left.get(progress as usize).copied().flatten(),
            Kind::Loop { to_header, from_header, again, times } => match progress.checked_sub(1) {
                None => add(to_header[node.index()], *from_header),
                // Gone through too often: it has to be left and come to again.
                Some(rounds) if too_often(rounds, *times) => {
                    add(to_header[node.index()], *from_header).filter(|_| *again)
                }
                Some(_) => self.to_exit[node.index()],
            },
            Kind::Row { to_node, from_node } => add(to_node[node.index()], *from_node),
        }
    }
}

/// What a path costs behind each of its nodes, and what comes behind its last.
fn behind(path: &Path, cfg: &Cfg, costs: &[u64], last: Option<Price>) -> Vec<Option<Price>> {
    let nodes = path.nodes(&cfg.shape);
    let mut left: Vec<Option<Price>> = Vec::with_capacity(nodes.len());
    let mut rest = last;
    for node in nodes.iter().rev() {
        left.push(rest);
        rest = rest.map(|r| (r.0 + costs[node.index()], r.1 + 1));
    }
    left.reverse();
    left
}

fn too_often(rounds: u32, times: Times) -> bool {
    match times {
        Times::Zero => rounds > 0,
        Times::One => rounds > 1,
        Times::Many => false,
    }
}

fn add(a: Option<Price>, b: Option<Price>) -> Option<Price> {
    let (a, b) = (a?, b?);
    Some((a.0 + b.0, a.1 + b.1))
}
