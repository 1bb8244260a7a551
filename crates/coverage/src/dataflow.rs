//! Definitions and uses of source variables, and which definition can reach which use.
//!
//! A use is a *p-use* where the value goes into the branch at the end of its block, counted once for each way of the
//! branch, and a *c-use* where it goes anywhere else. Only registers that hold a variable of the source count; `this`
//! does not, nor do fields and elements. Uses in the block of the definition itself do not count, as in the literature:
//! they follow from reaching it; but a branch at its end does.

use crate::flow::{Flow, Walker};
use crate::graph::{GraphEdge, GraphNode};
use crate::projection::Projection;
use ir::op::Effect;
use ir::{BlockId, Cfg, Edges, Function, Move, Op, Origin, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// A definition of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Def {
    pub reg: Reg,
    pub block: BlockId,
    /// Code index; none for a parameter, which has its value from the start.
    pub index: Option<u32>,
    pub line: u32,
}

/// A use of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    pub reg: Reg,
    pub block: BlockId,
    /// Of the instruction that reads the variable.
    pub index: u32,
    pub line: u32,
    /// Of a p-use: code index of the branch, and which of its choices.
    pub decides: Option<(u32, u32)>,
}

/// A definition and a use it can reach, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub def: u32,
    pub use_: u32,
}

#[derive(Clone, Debug)]
pub struct DataFlow {
    pub defs: Vec<Def>,
    pub uses: Vec<Use>,
    /// By definition, then by use.
    pub pairs: Vec<Pair>,
    /// By block: what happens in it, by code index; uses of an instruction before its definition.
    events: Vec<Vec<(u32, Event)>>,
    /// P-uses by branch and choice.
    deciding: BTreeMap<(u32, u32), Vec<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Use(u32),
    /// What a p-use decides with is read here.
    Read(u32),
    Def(u32),
}

impl DataFlow {
    pub fn new(projection: &Projection, flow: &Flow) -> DataFlow {
        let func = projection.func;
        let mut data = DataFlow {
            defs: Vec::new(),
            uses: Vec::new(),
            pairs: Vec::new(),
            events: vec![Vec::new(); func.blocks.len()],
            deciding: BTreeMap::new(),
        };
        // Before the first code of the source nothing is set.
        let entry = projection.shown_from(BlockId(0)).first().copied().unwrap_or(BlockId(0));
        for reg in (0..func.params).map(Reg).filter(|r| is_variable(func, *r)) {
            let line = func.positions[func.blocks[entry].start as usize].line;
            data.defs.push(Def { reg, block: entry, index: None, line });
        }
        let live = live_out(func, projection.cfg());
        for block in projection.reachable() {
            data.read_block(projection, flow, block, &live[block.0 as usize]);
        }
        for def in 0..data.defs.len() as u32 {
            let reached = data.reached(flow, def);
            data.pairs.extend(reached.into_iter().map(|use_| Pair { def, use_ }));
        }
        data
    }

    fn read_block(&mut self, projection: &Projection, flow: &Flow, block: BlockId, live: &BTreeSet<Reg>) {
        let func = projection.func;
        let range = func.blocks[block];
        for index in range.start..range.end {
            let inst = func.code[index as usize];
            let line = func.positions[index as usize].line;
            // A check reads what the instruction behind it reads again.
            let reads: BTreeSet<Reg> = match inst.op.effect() {
                Effect::Guard => BTreeSet::new(),
                _ => inst.reads(func).filter(|r| is_variable(func, *r)).collect(),
            };
            for reg in reads {
                let (computes, branch) = destiny(func, block, index, live);
                let mut add = |decides| {
                    self.uses.push(Use { reg, block, index, line, decides });
                    self.uses.len() as u32 - 1
                };
                if computes {
                    let id = add(None);
                    self.events[block.0 as usize].push((index, Event::Use(id)));
                }
                let choices = branch.map_or(0, |b| choices(flow, func, b));
                for choice in 0..choices {
                    let Some(branch) = branch else { break };
                    let id = add(Some((branch, choice)));
                    self.events[block.0 as usize].push((index, Event::Read(id)));
                    self.deciding.entry((branch, choice)).or_default().push(id);
                }
            }
            if !inst.dst.is_none() && is_variable(func, inst.dst) {
                let id = self.defs.len() as u32;
                self.defs.push(Def { reg: inst.dst, block, index: Some(index), line });
                self.events[block.0 as usize].push((index, Event::Def(id)));
            }
        }
    }

    /// Whether a node gives a variable another value.
    pub fn redefines(&self, flow: &Flow, node: GraphNode, reg: Reg) -> bool {
        let events = &self.events[flow.block(node).0 as usize];
        events.iter().any(|(_, e)| matches!(e, Event::Def(d) if self.defs[*d as usize].reg == reg))
    }

    /// Whether the use is behind the definition in the same block.
    pub fn is_used_at_once(&self, pair: Pair) -> bool {
        let (def, use_) = (self.defs[pair.def as usize], self.uses[pair.use_ as usize]);
        def.block == use_.block && def.index.is_none_or(|index| index < use_.index)
    }

    /// Whether what the variable holds where the block of the use is entered is what is used there.
    pub fn arrives(&self, pair: Pair) -> bool {
        let use_ = self.uses[pair.use_ as usize];
        let before = self.events[use_.block.0 as usize].iter().filter(|(index, _)| *index < use_.index);
        let sets = |e: &Event| matches!(e, Event::Def(d) if self.defs[*d as usize].reg == use_.reg);
        !before.map(|(_, event)| event).any(sets)
    }

    /// Uses that a definition can reach along normal edges, ascending.
    fn reached(&self, flow: &Flow, def: u32) -> Vec<u32> {
        let Def { reg, block, index, .. } = self.defs[def as usize];
        let later = |(i, e): &(u32, Event)| {
            let again = matches!(e, Event::Def(d) if self.defs[*d as usize].reg == reg);
            again && index.is_none_or(|index| *i > index)
        };
        let Some(home) = flow.node(block).filter(|_| !self.events[block.0 as usize].iter().any(later)) else {
            return Vec::new();
        };
        let mut found: BTreeSet<u32> = BTreeSet::new();
        let mut seen = vec![false; flow.graph.len()];
        let mut open = vec![home];
        while let Some(node) = open.pop() {
            for edge in flow.graph.succs(node) {
                if let Some(taken) = flow.taken(*edge) {
                    let decides = self.deciding.get(&taken).into_iter().flatten();
                    // Read in the block of the definition, but before it: an older value decides.
                    let newer = |u: &&u32| {
                        let u = &self.uses[**u as usize];
                        u.reg == reg && (node != home || index.is_none_or(|i| u.index > i))
                    };
                    found.extend(decides.filter(newer));
                }
                let to = flow.graph.to(*edge);
                if std::mem::replace(&mut seen[to.0 as usize], true) {
                    continue;
                }
                let mut ends = false;
                for (_, event) in &self.events[flow.block(to).0 as usize] {
                    match event {
                        Event::Use(u) | Event::Read(u) if self.uses[*u as usize].reg == reg => {
                            found.insert(*u);
                        }
                        Event::Def(d) if self.defs[*d as usize].reg == reg => {
                            ends = true;
                            break;
                        }
                        _ => {}
                    }
                }
                if !ends {
                    open.push(to);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The node of a definition, and that of a use with the edges it decides.
    pub fn places(&self, flow: &Flow, pair: Pair) -> Option<(GraphNode, GraphNode, Vec<GraphEdge>)> {
        let (def, use_) = (self.defs[pair.def as usize], self.uses[pair.use_ as usize]);
        let (from, to) = (flow.node(def.block)?, flow.node(use_.block)?);
        let edges = match use_.decides {
            None => Vec::new(),
            Some(taken) => {
                let all = flow.graph.succs(to).iter().copied();
                all.filter(|e| flow.taken(*e) == Some(taken)).collect()
            }
        };
        Some((from, to, edges))
    }

    /// Follows an activation: the pairs it exercises.
    pub fn exercised(&self, func: &Function, flow: &Flow, moves: &[Move]) -> BTreeSet<Pair> {
        self.follow(func, flow, moves, |_, _| {})
    }

    /// The same; told of each value that arrives without an exception on the way, and of the edges it came along.
    pub fn follow(
        &self,
        func: &Function,
        flow: &Flow,
        moves: &[Move],
        mut arrives: impl FnMut(Pair, &[GraphEdge]),
    ) -> BTreeSet<Pair> {
        let (mut walker, mut tracker) = (Walker::default(), Tracker::new(self));
        for (i, what) in moves.iter().enumerate() {
            walker.step(flow, *what);
            tracker.step(self, func, flow, &walker, *what, moves.get(i + 1).copied());
            let edges = walker.stretch.as_ref().map_or(&[][..], |stretch| &stretch.edges);
            for (pair, since) in tracker.arrived.drain(..) {
                arrives(pair, edges.get(since..).unwrap_or(&[]));
            }
        }
        tracker.met
    }
}

/// Which definition each variable has its value from, while an activation is followed.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    last: BTreeMap<Reg, u32>,
    /// How many edges of the stretch had been taken when a variable was set; none if that was in an earlier one.
    since: BTreeMap<Reg, usize>,
    /// The definition whose value a p-use read last, and what `since` was.
    read: BTreeMap<u32, (u32, Option<usize>)>,
    pub met: BTreeSet<Pair>,
    /// What arrived in the last step within one stretch, and how many edges of it had been taken when it was set.
    pub arrived: Vec<(Pair, usize)>,
}

impl Tracker {
    pub fn new(data: &DataFlow) -> Tracker {
        let params = || data.defs.iter().enumerate().filter(|(_, d)| d.index.is_none());
        Tracker {
            last: params().map(|(i, d)| (d.reg, i as u32)).collect(),
            since: params().map(|(_, d)| (d.reg, 0)).collect(),
            ..Tracker::default()
        }
    }

    /// Whether a definition is the one that holds.
    pub fn holds(&self, data: &DataFlow, def: u32) -> bool {
        self.last.get(&data.defs[def as usize].reg) == Some(&def)
    }

    /// How many edges of the stretch had been taken when a definition that holds was made in it.
    pub fn since(&self, data: &DataFlow, def: u32) -> Option<usize> {
        self.since.get(&data.defs[def as usize].reg).copied().filter(|_| self.holds(data, def))
    }

    /// Takes a step that the walker has taken; of a block what it does before the next step, if that is an exception
    /// in it.
    pub fn step(
        &mut self,
        data: &DataFlow,
        func: &Function,
        flow: &Flow,
        walker: &Walker,
        what: Move,
        next: Option<Move>,
    ) {
        self.arrived.clear();
        match what {
            Move::Block(block) => {
                if flow.node(block).is_some() {
                    self.decided(data, flow, walker);
                }
                let raised = match next {
                    // What a check belongs to had read its operands before it failed.
                    Some(Move::Raise(index)) if func.block_at(index) == block => {
                        Some(checked(func, block, index))
                    }
                    _ => None,
                };
                self.pass(data, block, walker, raised);
            }
            Move::Take { index, successor } => {
                let choice = flow.choice(index, successor);
                let decides = choice.and_then(|choice| data.deciding.get(&(index, choice)));
                for use_ in decides.into_iter().flatten() {
                    if let Some((def, _)) = self.read.get(use_) {
                        self.met.insert(Pair { def: *def, use_: *use_ });
                    }
                }
            }
            Move::Raise(_) => {}
        }
    }

    /// What decided the edge by which a block was come to has arrived.
    fn decided(&mut self, data: &DataFlow, flow: &Flow, walker: &Walker) {
        let Some(stretch) = &walker.stretch else { return };
        let Some(edge) = stretch.edges.last() else {
            // A new stretch: an exception lies between what was set and here.
            if !stretch.from_entry {
                self.since.clear();
            }
            return;
        };
        let decides = flow.taken(*edge).and_then(|taken| data.deciding.get(&taken));
        for use_ in decides.into_iter().flatten() {
            if let Some((def, Some(since))) = self.read.get(use_) {
                self.arrived.push((Pair { def: *def, use_: *use_ }, *since));
            }
        }
    }

    fn pass(&mut self, data: &DataFlow, block: BlockId, walker: &Walker, raised: Option<u32>) {
        for (index, event) in &data.events[block.0 as usize] {
            match event {
                // What raised had read its operands.
                Event::Use(u) if raised.is_none_or(|r| *index <= r) => {
                    let reg = data.uses[*u as usize].reg;
                    if let Some(def) = self.last.get(&reg) {
                        let pair = Pair { def: *def, use_: *u };
                        self.met.insert(pair);
                        self.arrived.extend(self.since.get(&reg).map(|since| (pair, *since)));
                    }
                }
                Event::Read(u) if raised.is_none_or(|r| *index <= r) => {
                    let reg = data.uses[*u as usize].reg;
                    if let Some(def) = self.last.get(&reg) {
                        self.read.insert(*u, (*def, self.since.get(&reg).copied()));
                    }
                }
                Event::Def(d) if raised.is_none_or(|r| *index < r) => {
                    let reg = data.defs[*d as usize].reg;
                    self.last.insert(reg, *d);
                    self.since.insert(reg, walker.stretch.as_ref().map_or(0, |s| s.edges.len()));
                }
                _ => break,
            }
        }
    }
}

/// The instruction that a check is there for, or the instruction itself if it is none.
fn checked(func: &Function, block: BlockId, index: u32) -> u32 {
    let is_check = |i: &u32| func.code[*i as usize].op.effect() == Effect::Guard;
    (index..func.blocks[block].end).find(|i| !is_check(i)).unwrap_or(index)
}

/// The first of the checks that stand in front of an instruction, or the instruction itself.
pub(crate) fn first_check(func: &Function, block: BlockId, index: u32) -> u32 {
    let is_check = |i: &u32| func.code[*i as usize].op.effect() == Effect::Guard;
    (func.blocks[block].start..index).rev().take_while(is_check).last().unwrap_or(index)
}

fn is_variable(func: &Function, reg: Reg) -> bool {
    func.regs.get(reg).is_some_and(|info| info.variable.as_deref().is_some_and(|name| name != "this"))
}

/// By block: registers without a variable whose value may be read after it.
fn live_out(func: &Function, cfg: &Cfg) -> Vec<BTreeSet<Reg>> {
    let mut live_in: Vec<BTreeSet<Reg>> = vec![BTreeSet::new(); func.blocks.len()];
    let mut live_out = live_in.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for (block, range) in func.blocks.iter() {
            let at = block.0 as usize;
            let mut live: BTreeSet<Reg> =
                cfg.succs(block, Edges::All).flat_map(|s| live_in[s.0 as usize].iter().copied()).collect();
            if live != live_out[at] {
                live_out[at] = live.clone();
            }
            for inst in func.code[range.start as usize..range.end as usize].iter().rev() {
                live.remove(&inst.dst);
                live.extend(inst.reads(func).filter(|r| !is_variable(func, *r)));
            }
            changed |= live != live_in[at];
            live_in[at] = live;
        }
    }
    live_out
}

/// What becomes of what an instruction reads: whether it goes into a value that outlives the block, a call or memory,
/// and the source branch it goes into.
fn destiny(func: &Function, block: BlockId, index: u32, live: &BTreeSet<Reg>) -> (bool, Option<u32>) {
    let range = func.blocks[block];
    let mut carried: BTreeSet<Reg> = BTreeSet::new();
    let (mut computes, mut called, mut branch) = (false, false, None);
    for i in index..range.end {
        let inst = func.code[i as usize];
        let reads = i == index || inst.reads(func).any(|r| carried.contains(&r));
        if !reads {
            carried.remove(&inst.dst);
            continue;
        }
        match inst.op {
            Op::Br | Op::Switch => {
                if func.branch_info(i).is_some_and(|info| info.origin == Origin::Source) {
                    branch = Some(i);
                }
            }
            op if op.effect() == Effect::Guard => {}
            _ if inst.dst.is_none() || is_variable(func, inst.dst) => computes = true,
            op => {
                carried.insert(inst.dst);
                called |= op.effect() == Effect::Call;
            }
        }
    }
    computes |= carried.iter().any(|reg| live.contains(reg));
    // A call whose result nobody wants was made for what it does.
    (computes || called && branch.is_none(), branch)
}

fn choices(flow: &Flow, func: &Function, branch: u32) -> u32 {
    let successors = func.successors(func.block_at(branch)).len() as u32;
    (0..successors).filter_map(|p| flow.choice(branch, p)).max().map_or(0, |most| most + 1)
}
