//! Obligations of several functions as one goal of the explorer.
//!
//! What the explorer calls obligations are *parts* here: what one run can do. Most obligations have one part; that a
//! condition decides its decision has two, which different runs may show, and several pairs of them to choose from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use coverage::decision::Decision;
use coverage::{Criterion, Demand, EdgeMap, EdgeSet, Flow, Meter, Obligation, Options, Projection, Target};
use explore::{Aim, Flip, Goal, ObligationId as PartId, Verdict};
use ir::{BlockId, FuncId, Function, Move, Names};
use vm::{Edge, Site, Step, Trace};

use crate::seen::{AllSeen, Seen};

/// The obligations of a criterion in some functions, numbered through.
pub struct CoverageGoal {
    functions: BTreeMap<FuncId, Entry>,
    obligations: Vec<(FuncId, Obligation)>,
    /// By obligation: the sets of parts each of which meets it. None if nothing can.
    ways: Vec<Vec<Vec<PartId>>>,
    parts: Vec<Part>,
    by_edge: BTreeMap<Edge, Vec<PartId>>,
    /// Where each part can be met.
    places: Vec<(Site, PartId)>,
    /// Which instructions may call which functions.
    calls: Vec<(Site, FuncId)>,
    /// The function that is called.
    called: Option<FuncId>,
    /// Functions that owe more than the limit lets be listed.
    cut: Vec<String>,
    walks: bool,
    /// By obligation: whether it is looked for; none if all are.
    narrowed: Option<Vec<bool>>,
}

struct Entry {
    function: Arc<Function>,
    map: EdgeMap,
    meter: Meter,
    /// By the meter's number.
    walked: Vec<PartId>,
    /// Parts that are points, with the obligation that has them.
    points: Vec<(PartId, u32)>,
    /// Parts that nothing asks for and that are worth showing where a run does: each copy of what the compiler duplicated.
    copies: Vec<(PartId, Obligation)>,
    decisions: Vec<Decision>,
}

/// What one run can do.
struct Part {
    func: FuncId,
    /// The meter's number; none for points.
    walked: Option<u32>,
}

/// Of functions with more it is not asked how many runs they take.
const MOST_BRANCHES: usize = 200;

/// So many aims of a flip are told.
const AIMS: usize = 4;

/// What became of an obligation, as the verdicts on its parts tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Covered,
    /// The code alone shows that nothing can.
    Impossible(&'static str),
    /// By what is known of this part, as of one of every other way; by the code alone, or not.
    Infeasible(PartId, ByCode),
    /// This part is open.
    Open(PartId),
}

/// Whether the code alone shows it, whatever was explored.
pub type ByCode = bool;

impl CoverageGoal {
    pub fn new(
        criterion: Criterion,
        options: &Options,
        functions: impl IntoIterator<Item = (FuncId, Arc<Function>)>,
        names: &dyn Names,
    ) -> CoverageGoal {
        let mut goal = CoverageGoal {
            functions: BTreeMap::new(),
            obligations: Vec::new(),
            ways: Vec::new(),
            parts: Vec::new(),
            by_edge: BTreeMap::new(),
            places: Vec::new(),
            calls: Vec::new(),
            called: None,
            cut: Vec::new(),
            walks: false,
            narrowed: None,
        };
        let sorted: BTreeMap<FuncId, Arc<Function>> = functions.into_iter().collect();
        for (func, function) in sorted {
            goal.add(criterion, options, func, function, names);
        }
        goal
    }

    fn add(
        &mut self,
        criterion: Criterion,
        options: &Options,
        func: FuncId,
        function: Arc<Function>,
        names: &dyn Names,
    ) {
        let projection = Projection::new(&function, names);
        let flow = Flow::new(&projection);
        let owed = criterion.owed(&projection, &flow, options);
        if owed.cut {
            self.cut.push(function.name.clone());
        }
        let mut demands: Vec<Demand> = Vec::new();
        let mut walked: Vec<PartId> = Vec::new();
        let mut known: BTreeMap<Demand, PartId> = BTreeMap::new();
        let mut points: Vec<(PartId, u32)> = Vec::new();
        let mut copies: Vec<(PartId, Obligation)> = Vec::new();
        for obligation in owed.obligations {
            let number = self.obligations.len() as u32;
            let mut walk = |goal: &mut CoverageGoal, demand: Demand| {
                *known.entry(demand.clone()).or_insert_with(|| {
                    let id = goal.parts.len() as PartId;
                    goal.parts.push(Part { func, walked: Some(demands.len() as u32) });
                    demands.push(demand);
                    walked.push(id);
                    id
                })
            };
            let ways: Vec<Vec<PartId>> = match &obligation.demand {
                Demand::Points => {
                    let id = self.parts.len() as PartId;
                    self.parts.push(Part { func, walked: None });
                    points.push((id, number));
                    for edge in edges_to(func, &function, &obligation) {
                        self.by_edge.entry(edge).or_default().push(id);
                    }
                    let places: BTreeSet<u32> =
                        obligation.targets.iter().map(|target| target.place(&function)).collect();
                    if obligation.kind == coverage::Kind::Branch && places.len() > 1 {
                        for target in &obligation.targets {
                            let copy = Obligation { targets: vec![*target], ..obligation.clone() };
                            copies.push((self.parts.len() as PartId, copy));
                            self.parts.push(Part { func, walked: None });
                        }
                    }
                    self.places.extend(places.into_iter().map(|index| (Site { func, index }, id)));
                    vec![vec![id]]
                }
                Demand::Impossible(_) => Vec::new(),
                Demand::Both(pairs) => {
                    let mut ways: Vec<Vec<PartId>> = Vec::new();
                    for pair in pairs {
                        let [a, b] = pair.clone().map(|paths| walk(self, Demand::Paths(paths)));
                        ways.push(vec![a, b]);
                    }
                    ways
                }
                demand => vec![vec![walk(self, demand.clone())]],
            };
            self.ways.push(ways);
            self.obligations.push((func, obligation));
        }
        self.walks |= !demands.is_empty();
        for (demand, part) in demands.iter().zip(&walked) {
            for edge in last_edges(func, &function, &flow, demand) {
                self.by_edge.entry(edge).or_default().push(*part);
                self.places.push((Site { func, index: edge.index }, *part));
            }
        }
        let map = EdgeMap::new(&function);
        let meter = Meter::new(&projection, flow, demands);
        // What has no last branch is looked for where it begins.
        let placed: BTreeSet<PartId> = self.places.iter().map(|(_, part)| *part).collect();
        for (number, part) in walked.iter().enumerate().filter(|(_, part)| !placed.contains(part)) {
            let starts = meter.starts(number as u32).into_iter().map(|block| function.blocks[block].start);
            self.places.extend(starts.map(|index| (Site { func, index }, *part)));
        }
        let decisions = coverage::decision::decisions(&projection);
        drop(projection);
        self.functions.insert(func, Entry { function, map, meter, walked, points, copies, decisions });
    }

    /// Only some obligations are looked for; what is met of the others counts as ever.
    pub fn narrow(&mut self, keep: impl Fn(&Obligation) -> bool) {
        self.narrowed = Some(self.obligations.iter().map(|(_, obligation)| keep(obligation)).collect());
    }

    /// Tells which function is called, and which instructions may call which functions.
    pub fn connect(&mut self, called: FuncId, calls: Vec<(Site, FuncId)>) {
        self.called = Some(called);
        self.calls = calls;
    }

    pub fn obligations(&self) -> &[(FuncId, Obligation)] {
        &self.obligations
    }

    pub fn function(&self, func: FuncId) -> Option<&Function> {
        Some(&*self.functions.get(&func)?.function)
    }

    pub fn functions(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.functions.keys().copied()
    }

    /// The functions by name, with their decisions.
    pub fn decisions(&self) -> impl Iterator<Item = (&str, &[Decision])> + '_ {
        self.functions.values().map(|entry| (entry.function.name.as_str(), &entry.decisions[..]))
    }

    /// What a run executed, whatever it meets. It must have been recorded as a walk.
    pub fn seen(&self, trace: &Trace) -> AllSeen {
        let mut all: BTreeMap<FuncId, Seen> = BTreeMap::new();
        for (func, points) in self.points(trace) {
            let Some(entry) = self.functions.get(&func) else { continue };
            let executed = entry.map.executed(&entry.function, &points);
            let lines = executed.iter().map(|i| entry.function.positions[i as usize].line);
            all.entry(func).or_default().lines.extend(lines.filter(|line| *line != 0));
        }
        for (func, moves) in activations(&trace.walk) {
            let Some(entry) = self.functions.get(&func) else { continue };
            let seen = all.entry(func).or_default();
            for what in &moves {
                match what {
                    Move::Block(block) => {
                        seen.blocks.insert(*block);
                    }
                    Move::Take { index, successor } => {
                        seen.takes.insert((*index, *successor));
                    }
                    Move::Raise(index) => {
                        let line = entry.function.positions.get(*index as usize).map_or(0, |p| p.line);
                        seen.raised.insert(*index, line);
                    }
                }
            }
            let flow = entry.meter.flow();
            for edge in coverage::stretches(flow, moves.iter().copied()).into_iter().flat_map(|s| s.edges) {
                let [from, to] = [flow.graph.from(edge), flow.graph.to(edge)].map(|n| flow.block(n));
                seen.edges.insert((from, flow.taken(edge).map(|(_, choice)| choice), to));
            }
            let takes = moves.iter().filter_map(|what| match what {
                Move::Take { index, successor } => Some((*index, *successor)),
                _ => None,
            });
            let takes: Vec<(u32, u32)> = takes.collect();
            for (place, decision) in entry.decisions.iter().enumerate() {
                seen.rows.extend(decision.evaluations(takes.iter().copied()).into_iter().map(|r| (place, r)));
            }
        }
        let name = |func: FuncId| self.functions.get(&func).map(|entry| entry.function.name.clone());
        all.into_iter().filter_map(|(func, seen)| Some((name(func)?, seen))).collect()
    }

    /// Functions that owe more than the limit lets be listed.
    pub fn cut(&self) -> &[String] {
        &self.cut
    }

    /// What became of each obligation; some parts are known to be infeasible by the code alone.
    pub fn judge(&self, verdicts: &[Verdict], refuted: &dyn Fn(PartId) -> bool) -> Vec<Judgement> {
        let of = |part: &PartId| verdicts.get(*part as usize);
        let covered = |part: &PartId| matches!(of(part), Some(Verdict::Covered(_)));
        let judge = |(ways, (_, obligation)): (&Vec<Vec<PartId>>, &(FuncId, Obligation))| {
            if let Demand::Impossible(why) = obligation.demand {
                return Judgement::Impossible(why);
            }
            if ways.iter().any(|way| way.iter().all(covered)) {
                return Judgement::Covered;
            }
            let hopeless = |way: &Vec<PartId>| {
                let refuted = way.iter().find(|p| refuted(**p) && !covered(p));
                refuted
                    .or_else(|| way.iter().find(|p| matches!(of(p), Some(Verdict::Infeasible(_)))))
                    .copied()
            };
            let stuck: Vec<Option<PartId>> = ways.iter().map(hopeless).collect();
            match stuck.iter().position(Option::is_none) {
                Some(way) => Judgement::Open(ways[way].iter().copied().find(|p| !covered(p)).unwrap_or(0)),
                None => {
                    let by_code = stuck.iter().flatten().all(|p| refuted(*p));
                    Judgement::Infeasible(stuck.first().copied().flatten().unwrap_or(0), by_code)
                }
            }
        };
        self.ways.iter().zip(&self.obligations).map(judge).collect()
    }

    /// The parts that a suite must show to meet everything that runs with these parts can meet: of what has several ways,
    /// those that together need fewest parts.
    pub fn needed(&self, met: &BTreeSet<PartId>) -> BTreeSet<PartId> {
        let mut wants: Vec<Vec<Vec<PartId>>> = Vec::new();
        for ways in &self.ways {
            let possible = |way: &&Vec<PartId>| way.iter().all(|p| met.contains(p));
            wants.push(ways.iter().filter(possible).cloned().collect());
        }
        // What has one way is in any case; the search is for the others.
        let given: BTreeSet<PartId> =
            wants.iter().filter(|ways| ways.len() == 1).flatten().flatten().copied().collect();
        for ways in &mut wants {
            ways.iter_mut().for_each(|way| way.retain(|p| !given.contains(p)));
        }
        wants.retain(|ways| ways.len() > 1 && !ways.iter().any(Vec::is_empty));
        let mut needed = coverage::fewest_rows(&wants);
        needed.extend(given);
        let copies = self.functions.values().flat_map(|entry| &entry.copies);
        needed.extend(copies.map(|(part, _)| *part).filter(|part| met.contains(part)));
        needed
    }

    /// So many runs it takes at least that go through the function once, to do what each of these asks for there; as far as the
    /// code alone tells.
    pub fn fewest_runs(&self, func: FuncId, asked: impl Fn(&Obligation) -> bool) -> usize {
        let Some(entry) = self.functions.get(&func).filter(|_| !self.walks) else { return 1 };
        let asked = |part: &PartId| self.of_part(*part).any(|number| asked(&self.obligations[number].1));
        let of_func = self.by_edge.iter().filter(|(edge, _)| edge.func == func);
        let asked = of_func.filter(|(_, parts)| parts.iter().any(asked));
        let branch = |edge: &Edge| (entry.function.block_at(edge.index), edge.successor);
        let branches: Vec<_> = asked.map(|(edge, _)| branch(edge)).collect();
        if branches.len() > MOST_BRANCHES { 1 } else { coverage::exclusive(&entry.function, &branches) }
    }

    /// The obligations that parts meet or help to meet, with the half they show of what has two, by number: those whose
    /// way lies within what the suite shows.
    pub fn helped(&self, parts: &[PartId], shown: &BTreeSet<PartId>) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (number, ways) in self.ways.iter().enumerate() {
            let Some(way) = ways.iter().find(|way| way.iter().all(|p| shown.contains(p))) else { continue };
            for (half, part) in way.iter().enumerate() {
                if parts.contains(part) {
                    found.push((number, half));
                }
            }
        }
        found
    }

    /// How many parts the way has that meets an obligation.
    pub fn halves(&self, obligation: usize) -> usize {
        self.ways[obligation].first().map_or(1, Vec::len)
    }

    /// The function that a part is in.
    pub fn place(&self, part: PartId) -> Option<(FuncId, &Function)> {
        let func = self.parts.get(part as usize)?.func;
        Some((func, self.function(func)?))
    }

    /// The ways through its function that meet a part; none if it is not met by way of something.
    pub fn routes(&self, part: PartId, projection: &Projection) -> Vec<Vec<coverage::Passed>> {
        match self.parts.get(part as usize) {
            Some(Part { func, walked: Some(number) }) => {
                let entry = self.functions.get(func);
                entry.map_or_else(Vec::new, |entry| entry.meter.routes(projection, *number))
            }
            Some(Part { func, walked: None }) => {
                let entry = self.functions.get(func).into_iter();
                let numbers = entry.flat_map(|e| &e.points).filter(|(p, _)| *p == part);
                let targets = numbers.flat_map(|(_, number)| &self.obligations[*number as usize].1.targets);
                let routes: Option<Vec<_>> = targets.map(|t| coverage::point_route(projection, *t)).collect();
                routes.unwrap_or_default()
            }
            None => Vec::new(),
        }
    }

    /// Whether a part is that a path of the program is taken, for its own sake or by a value.
    pub fn is_plain_path(&self, part: PartId) -> bool {
        let of = |(ways, (_, o)): (&Vec<Vec<PartId>>, &(FuncId, Obligation))| {
            (o.kind == coverage::Kind::Path || matches!(o.demand, Demand::DuPath(..)))
                && ways.iter().any(|way| way.contains(&part))
        };
        self.ways.iter().zip(&self.obligations).any(of)
    }

    /// The obligations that a part alone would meet, by number.
    pub fn of_part(&self, part: PartId) -> impl Iterator<Item = usize> + '_ {
        (0..self.ways.len()).filter(move |i| self.ways[*i].iter().any(|way| way[..] == [part]))
    }

    /// Parts that are paths and that a run tours, at least with side trips, ascending.
    pub fn side_trips(&self, trace: &Trace) -> Vec<PartId> {
        let mut found: BTreeSet<PartId> = BTreeSet::new();
        for (func, moves) in activations(&trace.walk) {
            if let Some(entry) = self.functions.get(&func) {
                found.extend(
                    entry
                        .meter
                        .side_trips(&entry.function, &moves)
                        .into_iter()
                        .map(|p| entry.walked[p as usize]),
                );
            }
        }
        found.into_iter().collect()
    }

    /// The obligations that one run meets all by itself.
    pub fn met_whole(&self, trace: &Trace) -> impl Iterator<Item = &Obligation> {
        let met: BTreeSet<PartId> = self.met_by(trace).into_iter().collect();
        let verdict = |part: PartId| match met.contains(&part) {
            true => explore::Verdict::Covered(explore::RunId(0)),
            false => explore::Verdict::Open(explore::Why::Imprecise(Vec::new())),
        };
        let verdicts: Vec<explore::Verdict> = (0..self.len() as u32).map(verdict).collect();
        let judged = self.judge(&verdicts, &|_| false);
        let obligations = self.obligations.iter().map(|(_, obligation)| obligation);
        obligations.zip(judged).filter(|(_, judged)| matches!(judged, Judgement::Covered)).map(|(o, _)| o)
    }

    /// The points of a run, by function.
    fn points(&self, trace: &Trace) -> BTreeMap<FuncId, EdgeSet> {
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
        points
    }

    /// What a run meets by its points.
    fn met_points(&self, trace: &Trace, met: &mut Vec<PartId>) {
        for (func, points) in self.points(trace) {
            let Some(entry) = self.functions.get(&func) else { continue };
            let executed = entry.map.executed(&entry.function, &points);
            for (part, obligation) in &entry.points {
                let obligation = &self.obligations[*obligation as usize].1;
                if obligation.is_covered(&entry.function, &entry.map, &points, &executed) {
                    met.push(*part);
                }
            }
            let shown = |copy: &Obligation| copy.is_covered(&entry.function, &entry.map, &points, &executed);
            met.extend(entry.copies.iter().filter(|(_, copy)| shown(copy)).map(|(part, _)| *part));
        }
    }
}

/// The steps of each activation, in the order of their calls.
fn activations(walk: &[Step]) -> Vec<(FuncId, Vec<Move>)> {
    let mut all: BTreeMap<u32, (FuncId, Vec<Move>)> = BTreeMap::new();
    for step in walk {
        all.entry(step.activation).or_insert_with(|| (step.func, Vec::new())).1.push(step.what);
    }
    all.into_values().collect()
}

impl Goal for CoverageGoal {
    fn len(&self) -> usize {
        self.parts.len()
    }

    fn met_by(&self, trace: &Trace) -> Vec<PartId> {
        let mut met = Vec::new();
        self.met_points(trace, &mut met);
        if self.walks {
            for (func, moves) in activations(&trace.walk) {
                if let Some(entry) = self.functions.get(&func) {
                    let found = entry.meter.met(&entry.function, &moves);
                    met.extend(found.into_iter().map(|p| entry.walked[p as usize]));
                }
            }
        }
        met.sort_unstable();
        met.dedup();
        met
    }

    fn of_edge(&self, edge: Edge) -> &[PartId] {
        self.by_edge.get(&edge).map_or(&[], |ids| &ids[..])
    }

    fn edges(&self) -> Vec<(Edge, PartId)> {
        self.by_edge.iter().flat_map(|(edge, ids)| ids.iter().map(|id| (*edge, *id))).collect()
    }

    fn places(&self) -> Vec<(Site, PartId)> {
        self.places.clone()
    }

    fn calls(&self) -> &[(Site, FuncId)] {
        &self.calls
    }

    fn returns(&self) -> Vec<Site> {
        let Some(func) = self.called else { return Vec::new() };
        let code = self.function(func).into_iter().flat_map(|function| function.code.iter().enumerate());
        code.filter(|(_, inst)| is_return(inst)).map(|(i, _)| Site { func, index: i as u32 }).collect()
    }

    fn never_returns(&self) -> bool {
        self.called.is_some_and(|func| self.functions.contains_key(&func)) && self.returns().is_empty()
    }

    fn may_return(&self, part: PartId) -> bool {
        // Of paths it is not asked: many of them end in an exception.
        let Some(Part { func, walked: None }) = self.parts.get(part as usize) else { return false };
        let Some(entry) = self.functions.get(func) else { return false };
        let copies = entry.copies.iter().filter(|(p, _)| *p == part).map(|(_, copy)| copy);
        let points = entry.points.iter().filter(|(p, _)| *p == part);
        let mut all = points.map(|(_, number)| &self.obligations[*number as usize].1).chain(copies);
        all.any(|obligation| obligation.targets.iter().any(|target| may_return(&entry.function, *target)))
    }

    fn catches(&self) -> bool {
        self.functions.values().any(|entry| explore::catches(&entry.function))
    }

    fn walks(&self) -> bool {
        self.walks
    }

    fn wants(&self, met: &[bool]) -> Vec<bool> {
        let mut wanted = vec![false; met.len()];
        let is_met = |part: &PartId| met.get(*part as usize).copied().unwrap_or(false);
        let kept = |number: usize| self.narrowed.as_ref().is_none_or(|all| all[number]);
        for (number, ways) in self.ways.iter().enumerate() {
            if !kept(number) || ways.iter().any(|way| way.iter().all(is_met)) {
                continue;
            }
            for part in ways.iter().flatten().filter(|p| !is_met(p)) {
                wanted[*part as usize] = true;
            }
        }
        wanted
    }

    fn aims(&self, trace: &Trace, flips: &[Flip], wanted: &dyn Fn(PartId) -> bool) -> Vec<Vec<Aim>> {
        let mut found = vec![Vec::new(); flips.len()];
        // Who steps next, by step: whether an activation comes to the end of a block shows there.
        let mut next: Vec<Option<Move>> = vec![None; trace.walk.len()];
        let mut later: BTreeMap<u32, Move> = BTreeMap::new();
        for (i, step) in trace.walk.iter().enumerate().rev() {
            next[i] = later.insert(step.activation, step.what);
        }
        let mut progress = BTreeMap::new();
        let mut flips = flips.iter().enumerate().peekable();
        for (i, step) in trace.walk.iter().enumerate() {
            while let Some((number, flip)) = flips.peek() {
                let Some(elem) = trace.elems.get(flip.elem as usize) else { break };
                if elem.walked as usize > i {
                    break;
                }
                // The decision is the one that this step is the outcome of.
                let same = matches!(step.what, Move::Take { index, .. } if index == flip.edge.index)
                    && step.func == flip.edge.func
                    && elem.walked as usize == i;
                if let (true, Some(entry), Some(at)) =
                    (same, self.functions.get(&step.func), progress.get(&step.activation))
                {
                    let wants = |p: u32| wanted(entry.walked[p as usize]);
                    let aims = entry.meter.aims(at, flip.edge.index, flip.edge.successor, &wants, AIMS);
                    let aim = |a: coverage::Aim| Aim {
                        remaining: a.remaining,
                        obligation: entry.walked[a.part as usize],
                    };
                    found[*number] = aims.into_iter().map(aim).collect();
                }
                flips.next();
            }
            if let Some(entry) = self.functions.get(&step.func) {
                let at = progress.entry(step.activation).or_insert_with(|| entry.meter.start());
                entry.meter.step(&entry.function, at, step.what, next[i]);
            }
        }
        found
    }
}

fn is_return(inst: &ir::Inst) -> bool {
    matches!(inst.op, ir::Op::Ret | ir::Op::RetVal)
}

/// Whether a way leads from a target to the end of the function; exceptions aside.
fn may_return(function: &Function, target: Target) -> bool {
    let from = match target {
        Target::Enter(block) => Some(block),
        Target::Execute(index) => Some(function.block_at(index)),
        Target::Take { index, position } => {
            function.successors(function.block_at(index)).get(position as usize).copied()
        }
        Target::Raise(_) => None,
    };
    let mut seen: BTreeSet<BlockId> = from.into_iter().collect();
    let mut open: Vec<BlockId> = from.into_iter().collect();
    while let Some(block) = open.pop() {
        let last = function.blocks[block].end - 1;
        if function.code.get(last as usize).is_some_and(is_return) {
            return true;
        }
        open.extend(function.successors(block).into_iter().filter(|next| seen.insert(*next)));
    }
    false
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
            Target::Execute(index) | Target::Raise(index) => {
                edges_into(func, function, function.block_at(*index), &mut edges);
            }
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

/// The branch edges that come last on a demand's paths; which of them brings it depends on what was before.
fn last_edges(func: FuncId, function: &Function, flow: &Flow, demand: &Demand) -> Vec<Edge> {
    let paths = match demand {
        Demand::Paths(paths) => &paths[..],
        Demand::Whole(path) | Demand::DuPath(_, path) => std::slice::from_ref(path),
        _ => return Vec::new(),
    };
    let mut edges: BTreeSet<Edge> = BTreeSet::new();
    for path in paths {
        let Some((index, choice)) = path.edges.iter().rev().find_map(|e| flow.taken(*e)) else { continue };
        let successors = function.successors(function.block_at(index)).len() as u32;
        let position = (0..successors).find(|p| flow.choice(index, *p) == Some(choice));
        edges.extend(position.map(|successor| Edge { func, index, successor }));
    }
    edges.into_iter().collect()
}
