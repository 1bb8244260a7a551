//! What an activation of a function meets of what is demanded, and how near a way not taken would come to the rest.

use crate::dataflow::{DataFlow, Pair, Tracker};
use crate::flow::{Flow, Stretch, Visit, Visits, Walker, stretches};
use crate::graph::{GraphEdge, GraphNode, Path, Tour, tour};
use crate::loops::{LoopShape, loops};
use crate::obligation::Demand;
use crate::projection::Projection;
use crate::route::{Passed, du_route, raising_route, route, value_route, whole_route};
use ir::{Function, Move};
use std::collections::{BTreeMap, BTreeSet};

/// Measures activations of one function. Parts are demands on one activation, by number.
pub struct Meter {
    flow: Flow,
    parts: Vec<Demand>,
    data: Option<DataFlow>,
    loops: Vec<LoopShape>,
    /// All paths, by their edges; the first is the root.
    trie: Vec<Branching>,
    /// Paths without edges.
    single: BTreeMap<GraphNode, Vec<u32>>,
    /// Parts that are du-paths, by what arrives.
    carried: BTreeMap<Pair, Vec<u32>>,
    /// To each node where something demanded begins: edges from each other node.
    distances: BTreeMap<GraphNode, Vec<Option<u32>>>,
}

#[derive(Default)]
struct Branching {
    next: BTreeMap<GraphEdge, u32>,
    /// Parts that have a path that ends here.
    ends: Vec<u32>,
}

/// So many edges are looked at for side trips from du-paths, of one activation.
const MOST_TRIPS: usize = 1_000_000;

/// How near something is to a part that was not met yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Aim {
    /// Edges that are still to be taken, at least.
    pub remaining: u32,
    pub part: u32,
}

/// How far an activation has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    walker: Walker,
    /// Kept where there are loops.
    visits: Visits,
    tracker: Option<Tracker>,
}

impl Meter {
    /// Parts that are [`Demand::Points`], [`Demand::Both`] or [`Demand::Impossible`] are never met here.
    pub fn new(projection: &Projection, flow: Flow, parts: Vec<Demand>) -> Meter {
        let flows = parts.iter().any(|p| matches!(p, Demand::DefUse(_) | Demand::DuPath(..)));
        let goes_round = parts.iter().any(|p| matches!(p, Demand::Loop { .. }));
        let mut meter = Meter {
            data: flows.then(|| DataFlow::new(projection, &flow)),
            loops: if goes_round { loops(projection, &flow) } else { Vec::new() },
            trie: vec![Branching::default()],
            single: BTreeMap::new(),
            carried: BTreeMap::new(),
            distances: BTreeMap::new(),
            flow,
            parts,
        };
        for part in 0..meter.parts.len() as u32 {
            meter.enter(part);
        }
        meter
    }

    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// The routes of what meets a part: all that do take one of them. None if a part is not of that sort.
    pub fn routes(&self, projection: &Projection, part: u32) -> Vec<Vec<Passed>> {
        match self.parts.get(part as usize) {
            Some(Demand::Paths(paths)) => paths.iter().map(|p| route(projection, &self.flow, p)).collect(),
            Some(Demand::Whole(path)) => vec![whole_route(projection, &self.flow, path)],
            Some(Demand::DuPath(pair, path)) => {
                let data = self.data.iter();
                data.map(|d| du_route(projection, &self.flow, d, *pair, path)).collect()
            }
            Some(Demand::DefUse(pairs)) => {
                let data = self.data.iter();
                data.flat_map(|d| pairs.iter().map(|p| value_route(projection, &self.flow, d, *p))).collect()
            }
            Some(Demand::Loop { number, times: crate::Times::Zero }) => {
                let shape = self.loops.get(*number as usize);
                let ways =
                    shape.and_then(|shape| shape.ways_past(projection, &self.flow)).unwrap_or_default();
                let taken = ways.into_iter().map(|way| match way.raises {
                    None => route(projection, &self.flow, &way.path),
                    Some(check) => raising_route(projection, &self.flow, &way.path, check),
                });
                taken.collect()
            }
            _ => Vec::new(),
        }
    }

    pub fn parts(&self) -> &[Demand] {
        &self.parts
    }

    fn enter(&mut self, part: u32) {
        if let Demand::Paths(paths) = &self.parts[part as usize] {
            for path in paths {
                if path.edges.is_empty() {
                    self.single.entry(path.start).or_default().push(part);
                    continue;
                }
                let mut at = 0;
                for edge in &path.edges {
                    let fresh = self.trie.len() as u32;
                    let next = *self.trie[at as usize].next.entry(*edge).or_insert(fresh);
                    if next == fresh {
                        self.trie.push(Branching::default());
                    }
                    at = next;
                }
                self.trie[at as usize].ends.push(part);
            }
        }
        if let Demand::DuPath(pair, _) = &self.parts[part as usize] {
            self.carried.entry(*pair).or_default().push(part);
        }
        let mut places = self.begins(part);
        if let Demand::DefUse(pairs) = &self.parts[part as usize] {
            let ends = pairs.iter().filter_map(|pair| self.data.as_ref()?.places(&self.flow, *pair));
            places.extend(ends.map(|(_, to, _)| to).collect::<Vec<_>>());
        }
        for place in places {
            let graph = &self.flow.graph;
            self.distances.entry(place).or_insert_with(|| graph.distances_to(&[place]));
        }
    }

    /// Where what meets a part begins.
    fn begins(&self, part: u32) -> Vec<GraphNode> {
        match &self.parts[part as usize] {
            Demand::Paths(paths) => paths.iter().map(|path| path.start).collect(),
            Demand::Whole(path) | Demand::DuPath(_, path) => vec![path.start],
            Demand::RoundTrip(node) => vec![*node],
            Demand::Loop { number, .. } => {
                self.loops.get(*number as usize).map(|shape| shape.header).into_iter().collect()
            }
            Demand::DefUse(pairs) => {
                let places = pairs.iter().filter_map(|pair| self.data.as_ref()?.places(&self.flow, *pair));
                places.map(|(from, ..)| from).collect()
            }
            Demand::Points | Demand::Both(_) | Demand::Impossible(_) => Vec::new(),
        }
    }

    /// The blocks in which what meets a part begins.
    pub fn starts(&self, part: u32) -> Vec<ir::BlockId> {
        self.begins(part).into_iter().map(|node| self.flow.block(node)).collect()
    }

    /// The parts that an activation meets, ascending.
    pub fn met(&self, func: &Function, moves: &[Move]) -> Vec<u32> {
        let mut met: BTreeSet<u32> = BTreeSet::new();
        let all = stretches(&self.flow, moves.iter().copied());
        for stretch in &all {
            self.met_on(stretch, &mut met);
        }
        if let Some(data) = &self.data {
            let exercised = data.follow(func, &self.flow, moves, |pair, way| {
                let parts = self.carried.get(&pair).into_iter().flatten();
                met.extend(parts.filter(|p| self.du_path(**p).is_some_and(|path| path.edges == way)));
            });
            for (i, part) in self.parts.iter().enumerate() {
                if matches!(part, Demand::DefUse(pairs) if pairs.iter().any(|p| exercised.contains(p))) {
                    met.insert(i as u32);
                }
            }
        }
        let complete = complete_stretches(func, &self.flow, moves);
        let visits = self.visits(moves);
        for (i, part) in self.parts.iter().enumerate() {
            let meets = match part {
                Demand::Whole(path) => {
                    complete.iter().any(|s| s.start == path.start && s.edges == path.edges)
                }
                Demand::Loop { number, times } => {
                    let rounds = self.loops.get(*number as usize).map(|l| l.rounds(visits.iter().copied()));
                    rounds.is_some_and(|all| all.iter().any(|r| times.fits(*r)))
                }
                _ => false,
            };
            if meets {
                met.insert(i as u32);
            }
        }
        met.into_iter().collect()
    }

    /// The nodes an activation comes to, if there are loops to count its rounds.
    fn visits(&self, moves: &[Move]) -> Vec<Visit> {
        let mut visits = Visits::default();
        if !self.loops.is_empty() {
            moves.iter().for_each(|what| visits.step(&self.flow, *what));
        }
        visits.all
    }

    fn du_path(&self, part: u32) -> Option<&Path> {
        match self.parts.get(part as usize) {
            Some(Demand::DuPath(_, path)) => Some(path),
            _ => None,
        }
    }

    fn met_on(&self, stretch: &Stretch, met: &mut BTreeSet<u32>) {
        for position in 0..stretch.edges.len() {
            let mut at = 0;
            for edge in &stretch.edges[position..] {
                let Some(next) = self.trie[at as usize].next.get(edge) else { break };
                at = *next;
                met.extend(&self.trie[at as usize].ends);
            }
        }
        let nodes: Vec<GraphNode> = std::iter::once(stretch.start)
            .chain(stretch.edges.iter().map(|e| self.flow.graph.to(*e)))
            .collect();
        for node in &nodes {
            met.extend(self.single.get(node).into_iter().flatten());
        }
        for (i, part) in self.parts.iter().enumerate() {
            let meets = match part {
                Demand::RoundTrip(node) => has_round_trip(&nodes, *node),
                _ => false,
            };
            if meets {
                met.insert(i as u32);
            }
        }
    }

    /// The paths that an activation tours, at least with side trips, by part, ascending. A value stays what it is on
    /// side trips from its path.
    pub fn side_trips(&self, func: &Function, moves: &[Move]) -> Vec<u32> {
        let all = stretches(&self.flow, moves.iter().copied());
        let to = |e| self.flow.graph.to(e);
        let trips = |path: &Path| all.iter().any(|s| tour(s.start, &s.edges, to, path) != Tour::No);
        let parts = self.parts.iter().enumerate();
        let toured = parts.filter(|(_, p)| matches!(p, Demand::Paths(paths) if paths.iter().any(trips)));
        let mut found: BTreeSet<u32> = toured.map(|(i, _)| i as u32).collect();
        if let Some(data) = self.data.as_ref().filter(|_| !self.carried.is_empty()) {
            let mut steps = 0;
            data.follow(func, &self.flow, moves, |pair, way| {
                for part in self.carried.get(&pair).into_iter().flatten() {
                    let Some(path) = self.du_path(*part).filter(|_| !found.contains(part)) else { continue };
                    steps += way.len();
                    if steps < MOST_TRIPS && tour(path.start, way, to, path) != Tour::No {
                        found.insert(*part);
                    }
                }
            });
        }
        found.into_iter().collect()
    }

    /// An activation at its beginning.
    pub fn start(&self) -> Progress {
        let tracker = self.data.as_ref().map(Tracker::new);
        Progress { walker: Walker::default(), visits: Visits::default(), tracker }
    }

    /// Takes a step; the next one of the activation tells whether it came to the end of a block.
    pub fn step(&self, func: &Function, progress: &mut Progress, what: Move, next: Option<Move>) {
        progress.walker.step(&self.flow, what);
        if !self.loops.is_empty() {
            progress.visits.step(&self.flow, what);
        }
        if let (Some(tracker), Some(data)) = (&mut progress.tracker, &self.data) {
            tracker.step(data, func, &self.flow, &progress.walker, what, next);
        }
    }

    /// What taking a successor of a branch next would come near to, the nearest first.
    pub fn aims(
        &self,
        progress: &Progress,
        index: u32,
        successor: u32,
        wanted: &dyn Fn(u32) -> bool,
        most: usize,
    ) -> Vec<Aim> {
        let Some(stretch) = &progress.walker.stretch else { return Vec::new() };
        let mut edges = stretch.edges.clone();
        let mut aims: Vec<Aim> = Vec::new();
        for edge in self.flow.edges_by(index, successor) {
            if progress.walker.at() != Some(self.flow.graph.from(edge)) {
                continue;
            }
            edges.push(edge);
            for part in (0..self.parts.len() as u32).filter(|p| wanted(*p)) {
                if let Some(remaining) = self.remaining(part, progress, stretch, &edges, edge) {
                    aims.push(Aim { remaining, part });
                }
            }
            edges.pop();
        }
        aims.sort_unstable();
        aims.dedup_by_key(|a| a.part);
        aims.truncate(most);
        aims
    }

    fn distance(&self, from: GraphNode, to: GraphNode) -> Option<u32> {
        self.distances.get(&to)?[from.0 as usize]
    }

    /// How many edges are left to a part once the last of some edges was taken.
    fn remaining(
        &self,
        part: u32,
        progress: &Progress,
        stretch: &Stretch,
        edges: &[GraphEdge],
        last: GraphEdge,
    ) -> Option<u32> {
        let here = self.flow.graph.to(last);
        match &self.parts[part as usize] {
            Demand::Paths(paths) => paths.iter().filter_map(|path| self.left_of(path, edges, here)).min(),
            Demand::Whole(path) => {
                let begun =
                    stretch.from_start && stretch.start == path.start && path.edges.starts_with(edges);
                begun.then(|| (path.edges.len() - edges.len()) as u32)
            }
            Demand::RoundTrip(node) => {
                let back = self.distance(here, *node)?;
                let been = *node == stretch.start || edges.iter().any(|e| self.flow.graph.from(*e) == *node);
                Some(if been { back } else { back + self.flow.graph.len() as u32 })
            }
            Demand::Loop { number, times } => {
                let shape = self.loops.get(*number as usize)?;
                let next = Visit { node: here, raised: false };
                let rounds = shape.rounds(progress.visits.all.iter().copied().chain([next])).last().copied();
                let to_header = self.distance(here, shape.header);
                let wanted = match times {
                    crate::Times::Zero => 0,
                    crate::Times::One => 1,
                    crate::Times::Many => 2,
                };
                match (shape.contains(here), rounds) {
                    (true, Some(rounds)) if rounds <= wanted => Some(to_header? + (wanted - rounds) * 2),
                    (false, Some(rounds)) if times.fits(rounds) => Some(0),
                    _ => Some(to_header? + 4),
                }
            }
            Demand::DefUse(pairs) => {
                let data = self.data.as_ref()?;
                let tracker = progress.tracker.as_ref()?;
                let left = |pair: &crate::Pair| {
                    let (from, to, decides) = data.places(&self.flow, *pair)?;
                    let extra = u32::from(!decides.is_empty());
                    if tracker.holds(data, pair.def) {
                        if decides.contains(&last) {
                            return Some(0);
                        }
                        return Some(self.distance(here, to)? + extra);
                    }
                    Some(self.distance(here, from)? + self.distance(from, to).unwrap_or(1) + extra + 1)
                };
                pairs.iter().filter_map(left).min()
            }
            Demand::DuPath(pair, path) => {
                let data = self.data.as_ref()?;
                let since = progress.tracker.as_ref()?.since(data, pair.def);
                if let Some(way) = since.and_then(|since| edges.get(since..))
                    && path.edges.starts_with(way)
                {
                    return Some((path.edges.len() - way.len()) as u32);
                }
                // A parameter has its value once.
                data.defs[pair.def as usize].index?;
                Some(self.distance(here, path.start)? + path.edges.len() as u32 + 1)
            }
            Demand::Points | Demand::Both(_) | Demand::Impossible(_) => None,
        }
    }

    /// Edges left of a path: as much of its beginning as the edges end with is done.
    fn left_of(&self, path: &Path, edges: &[GraphEdge], here: GraphNode) -> Option<u32> {
        let length = path.edges.len();
        let done = (1..=length.min(edges.len())).rev().find(|k| edges.ends_with(&path.edges[..*k]));
        match done {
            Some(done) => Some((length - done) as u32),
            None => Some(self.distance(here, path.start)? + length as u32),
        }
    }
}

/// The stretches that begin at a start and come to an end: the function returned, or threw by a statement of its own, which a handler
/// of its own may have caught.
fn complete_stretches(func: &Function, flow: &Flow, moves: &[Move]) -> Vec<Stretch> {
    let ends = |index: u32| func.blocks[func.block_at(index)].end == index + 1;
    let mut walker = Walker::default();
    let mut all = Vec::new();
    for what in moves {
        let ended = walker.step(flow, *what);
        all.extend(ended.filter(|_| matches!(what, Move::Raise(index) if ends(*index))));
    }
    all.extend(walker.stretch);
    all.retain(|stretch| stretch.from_start);
    all
}

/// Whether a walk comes back to a node and passes no other twice on the way.
fn has_round_trip(nodes: &[GraphNode], node: GraphNode) -> bool {
    let mut between: Option<BTreeSet<GraphNode>> = None;
    let mut simple = false;
    for at in nodes {
        if *at == node {
            if simple && between.is_some() {
                return true;
            }
            between = Some(BTreeSet::new());
            simple = true;
        } else if let Some(seen) = &mut between {
            simple &= seen.insert(*at);
        }
    }
    false
}
