//! The blocks that an execution of a path goes through, with what must have come before it.
//!
//! Whatever reaches the path has passed the blocks that dominate its beginning, each a last time, in order: what they
//! computed and decided still holds, but for variables that blocks in between may have set again.

use crate::dataflow::{DataFlow, Pair, first_check};
use crate::flow::Flow;
use crate::graph::Path;
use crate::obligation::Target;
use crate::projection::Projection;
use ir::{BlockId, Cfg, Dominators, Edges, Function, Reg};
use std::collections::BTreeSet;

/// A block that is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    pub block: BlockId,
    /// Positions of the successors it may leave by; empty if that is not known.
    pub leaves: Vec<u32>,
    /// Registers that may have been set since the block before.
    pub forget: Vec<Reg>,
    /// Other code may have run since the block before, so memory may hold anything.
    pub detour: bool,
    /// The instruction that raises there; nothing behind it is executed.
    pub raises: Option<u32>,
    /// The first instruction that need not be passed: a value is used by an instruction even if that raises.
    pub until: Option<u32>,
    /// The note that holds there; nothing behind it counts.
    pub notes: Option<u32>,
}

impl Passed {
    /// A block that is passed straight after the one before, by whichever way.
    fn through(block: BlockId) -> Passed {
        let (leaves, forget) = (Vec::new(), Vec::new());
        Passed { block, leaves, forget, detour: false, raises: None, until: None, notes: None }
    }
}

/// So many dominating blocks are looked at.
const MOST_BEFORE: usize = 24;

/// The blocks in order. The last block of the path is entered and not passed.
pub fn route(projection: &Projection, flow: &Flow, path: &Path) -> Vec<Passed> {
    along(projection, flow, path).0
}

/// The same, and the last block of the path is passed to its end.
pub fn whole_route(projection: &Projection, flow: &Flow, path: &Path) -> Vec<Passed> {
    let (mut passed, forget, detour) = along(projection, flow, path);
    let block = flow.block(path.end(&flow.graph));
    passed.push(Passed { forget, detour, ..Passed::through(block) });
    passed
}

/// The same, and a check in the last block fails.
pub fn raising_route(projection: &Projection, flow: &Flow, path: &Path, check: u32) -> Vec<Passed> {
    let (mut passed, forget, detour) = along(projection, flow, path);
    let block = flow.block(path.end(&flow.graph));
    passed.push(Passed { forget, detour, raises: Some(check), ..Passed::through(block) });
    passed
}

/// The same, up to what uses a value there.
pub fn du_route(
    projection: &Projection,
    flow: &Flow,
    data: &DataFlow,
    pair: Pair,
    path: &Path,
) -> Vec<Passed> {
    let use_ = data.uses[pair.use_ as usize];
    let (mut passed, forget, detour) = along(projection, flow, path);
    // Otherwise the way out of the last block is the last edge of the path.
    if use_.decides.is_none() {
        let until = Some(first_check(projection.func, use_.block, use_.index));
        passed.push(Passed { forget, detour, until, ..Passed::through(use_.block) });
    }
    passed
}

/// The blocks of a path but for the last, what may have been set on the way to that, and whether other code may have run there.
fn along(projection: &Projection, flow: &Flow, path: &Path) -> (Vec<Passed>, Vec<Reg>, bool) {
    let func = projection.func;
    let cfg = projection.cfg();
    let start = flow.block(path.start);
    let mut passed = before(func, cfg, start);
    let (mut forget, mut detour) = passed.pop().map(|p: Passed| (p.forget, p.detour)).unwrap_or_default();
    for edge in &path.edges {
        let block = flow.block(flow.graph.from(*edge));
        let successors = func.successors(block).len() as u32;
        let leaves: Vec<u32> = match flow.taken(*edge) {
            Some((index, choice)) => {
                (0..successors).filter(|p| flow.choice(index, *p) == Some(choice)).collect()
            }
            None => Vec::new(),
        };
        let to = flow.block(flow.graph.to(*edge));
        let between = straight(projection, block, &leaves, to);
        let (before, other) = (std::mem::take(&mut forget), std::mem::take(&mut detour));
        passed.push(Passed { leaves, forget: before, detour: other, ..Passed::through(block) });
        match between {
            Some(between) => passed.extend(between.into_iter().map(Passed::through)),
            None => (forget, detour) = set_between(projection, block, to),
        }
    }
    (passed, forget, detour)
}

/// The hidden blocks on the way from a block to a shown one, if it leaves by one way and that does not divide.
fn straight(projection: &Projection, from: BlockId, leaves: &[u32], to: BlockId) -> Option<Vec<BlockId>> {
    let func = projection.func;
    let successors = func.successors(from);
    let mut at = match (&successors[..], leaves) {
        ([only], _) => *only,
        (all, [position]) => *all.get(*position as usize)?,
        _ => return None,
    };
    let mut between = Vec::new();
    while at != to {
        let [next] = func.successors(at)[..] else { return None };
        if projection.is_shown(at) || between.contains(&at) {
            return None;
        }
        between.push(at);
        at = next;
    }
    Some(between)
}

/// What every execution that reaches a point has passed.
pub fn point_route(projection: &Projection, target: Target) -> Option<Vec<Passed>> {
    let func = projection.func;
    let (block, leaves) = match target {
        Target::Enter(block) => (block, None),
        Target::Execute(index) => (func.block_at(index), None),
        Target::Take { index, .. } if func.code[index as usize].op == ir::Op::Note => {
            let mut passed = before(func, projection.cfg(), func.block_at(index));
            let last = passed.pop()?;
            passed.push(Passed { notes: Some(index), ..last });
            return Some(passed);
        }
        Target::Take { index, position } => {
            let block = func.block_at(index);
            (block, Some(position).filter(|_| func.blocks[block].end == index + 1))
        }
        Target::Raise(index) => {
            let mut passed = before(func, projection.cfg(), func.block_at(index));
            let last = passed.pop()?;
            passed.push(Passed { raises: Some(index), ..last });
            return Some(passed);
        }
    };
    let mut passed = before(func, projection.cfg(), block);
    let last = passed.pop()?;
    if let Some(position) = leaves {
        passed.push(Passed { leaves: vec![position], ..last });
    }
    Some(passed)
}

/// The block that sets a variable and the one that uses it, for a value that arrives there unchanged.
pub fn value_route(projection: &Projection, flow: &Flow, data: &DataFlow, pair: Pair) -> Vec<Passed> {
    let (func, cfg) = (projection.func, projection.cfg());
    let (def, use_) = (data.defs[pair.def as usize], data.uses[pair.use_ as usize]);
    let leaves: Vec<u32> = match use_.decides {
        None => Vec::new(),
        Some((index, choice)) => {
            let successors = func.successors(func.block_at(index)).len() as u32;
            (0..successors).filter(|p| flow.choice(index, *p) == Some(choice)).collect()
        }
    };
    // Checks of the use, and what comes after it, may fail: it has been used.
    let until = use_.decides.is_none().then(|| first_check(func, use_.block, use_.index));
    let mut passed = before(func, cfg, def.block);
    let (forget, detour) = passed.pop().map(|p| (p.forget, p.detour)).unwrap_or_default();
    if def.block == use_.block && def.index.is_none_or(|i| i < use_.index) {
        passed.push(Passed { leaves, forget, detour, until, ..Passed::through(def.block) });
        return passed;
    }
    passed.push(Passed { forget, detour, ..Passed::through(def.block) });
    // Whatever lies between does not set the variable, but may set any other.
    let keeps = |block: BlockId| !set_in(func, block).any(|reg| reg == def.reg);
    let ways = Ways { cfg, from: def.block, passes: cfg.blocks().map(keeps).collect() };
    let mut chain = vec![def.block];
    chain.extend(ways.between(use_.block));
    for (i, at) in chain.iter().enumerate() {
        let next = chain.get(i + 1).copied().unwrap_or(use_.block);
        let towards = ways.towards(next, *at);
        let successors = func.successors(*at);
        let out: Vec<u32> =
            (0..successors.len() as u32).filter(|p| towards[successors[*p as usize].0 as usize]).collect();
        let mut forget: BTreeSet<Reg> = BTreeSet::new();
        let mut detour = cfg.node(*at).unwind.is_some_and(|u| towards[u.0 as usize]);
        // An exception may have left the block before its end, and how much of it ran is not known.
        match detour {
            true if i > 0 => {
                let skipped = passed.pop().map(|p: Passed| p.forget).unwrap_or_default();
                forget.extend(skipped);
                forget.extend(set_in(func, *at));
            }
            true => {
                if let Some(last) = passed.last_mut() {
                    last.until = Some(def.index.map_or(func.blocks[*at].start, |index| index + 1));
                }
                forget.extend(set_in(func, *at));
            }
            false => {
                if let Some(last) = passed.last_mut().filter(|_| out.len() < successors.len()) {
                    last.leaves = out;
                }
            }
        }
        let reached = ways.reached(*at, Some(*at));
        let between = cfg.blocks().filter(|b| towards[b.0 as usize] && reached[b.0 as usize] && b != at);
        let again = |b: &BlockId| *b != next || ways.reached(next, Some(*at))[next.0 as usize];
        for other in between.filter(again) {
            detour = true;
            forget.extend(set_in(func, other));
        }
        forget.remove(&def.reg);
        let forget = forget.into_iter().collect();
        let pass = Passed { forget, detour, ..Passed::through(next) };
        passed.push(match next == use_.block {
            true => Passed { leaves: leaves.clone(), until, ..pass },
            false => pass,
        });
    }
    passed
}

/// So many blocks between a definition and a use are looked at.
const MOST_BETWEEN: usize = 200;

/// The ways from a block on which certain blocks are passed and no others; where they begin and end may be others.
struct Ways<'a> {
    cfg: &'a Cfg,
    from: BlockId,
    passes: Vec<bool>,
}

impl Ways<'_> {
    /// Blocks that ways from a block come to, without passing another.
    fn reached(&self, from: BlockId, without: Option<BlockId>) -> Vec<bool> {
        let mut seen = vec![false; self.cfg.len()];
        let mut open: Vec<BlockId> = self.cfg.succs(from, Edges::All).collect();
        while let Some(block) = open.pop() {
            let first = !std::mem::replace(&mut seen[block.0 as usize], true);
            if first && self.passes[block.0 as usize] && Some(block) != without {
                open.extend(self.cfg.succs(block, Edges::All));
            }
        }
        seen
    }

    /// Blocks that lead to a block without passing another; the block itself too.
    fn towards(&self, to: BlockId, without: BlockId) -> Vec<bool> {
        let mut seen = vec![false; self.cfg.len()];
        let mut open = vec![to];
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut seen[block.0 as usize], true) {
                let may = |p: &BlockId| *p != without && self.passes[p.0 as usize];
                open.extend(self.cfg.preds(block, Edges::All).filter(may));
            }
        }
        seen
    }

    /// Blocks that every way to a block passes, in order.
    fn between(&self, to: BlockId) -> Vec<BlockId> {
        let (reached, towards) = (self.reached(self.from, None), self.towards(to, self.from));
        let inside = self.cfg.blocks().filter(|b| {
            let at = b.0 as usize;
            reached[at] && towards[at] && self.passes[at] && *b != to && *b != self.from
        });
        let inside: Vec<BlockId> = inside.take(MOST_BETWEEN + 1).collect();
        if inside.len() > MOST_BETWEEN {
            return Vec::new();
        }
        let mut found: Vec<(usize, BlockId)> = Vec::new();
        for block in inside {
            let without = self.reached(self.from, Some(block));
            if !without[to.0 as usize] {
                // Who is passed later leaves more to be reached without it.
                found.push((without.iter().filter(|r| **r).count(), block));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, block)| block).collect()
    }
}

/// The blocks that dominate a block; the last entry stands for the block itself, with what was set on the way to it.
fn before(func: &Function, cfg: &Cfg, block: BlockId) -> Vec<Passed> {
    let doms = Dominators::new(cfg, Edges::All);
    let mut chain = vec![block];
    while let Some(above) = chain.last().and_then(|b| doms.idom(*b)).filter(|_| chain.len() <= MOST_BEFORE) {
        if chain.last() == Some(&above) {
            break;
        }
        chain.push(above);
    }
    chain.reverse();
    let mut passed: Vec<Passed> = Vec::new();
    let mut forget: BTreeSet<Reg> = BTreeSet::new();
    let mut detour = false;
    for (i, above) in chain.iter().enumerate() {
        let Some(below) = chain.get(i + 1) else {
            let forget = forget.iter().copied().collect();
            passed.push(Passed { forget, detour, ..Passed::through(*above) });
            break;
        };
        // Blocks from which the next one is reached without this one again.
        let towards = reaching(cfg, *below, *above);
        let successors = func.successors(*above);
        let leaves: Vec<u32> =
            (0..successors.len() as u32).filter(|p| towards[successors[*p as usize].0 as usize]).collect();
        let by_exception = cfg.node(*above).unwind.is_some_and(|u| towards[u.0 as usize]);
        match by_exception {
            // How much of it ran is not known.
            true => {
                detour = true;
                forget.extend(set_in(func, *above));
            }
            false => {
                let all = leaves.len() == successors.len();
                let leaves = if all { Vec::new() } else { leaves };
                let forget = std::mem::take(&mut forget).into_iter().collect();
                let detour = std::mem::take(&mut detour);
                passed.push(Passed { leaves, forget, detour, ..Passed::through(*above) });
            }
        }
        let from: Vec<BlockId> = cfg.succs(*above, Edges::All).collect();
        let reached = reachable(cfg, &from, *above);
        let between = cfg.blocks().filter(|b| towards[b.0 as usize] && reached[b.0 as usize] && b != above);
        // The next block itself only counts if it can be come to twice.
        let again = |b: &BlockId| b != below || is_on_cycle(cfg, *below, *above);
        for other in between.filter(again) {
            detour = true;
            forget.extend(set_in(func, other));
        }
    }
    passed
}

/// Blocks that lead to a block without passing another; the block itself too.
fn reaching(cfg: &Cfg, to: BlockId, without: BlockId) -> Vec<bool> {
    let mut seen = vec![false; cfg.len()];
    let mut open = vec![to];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[block.0 as usize], true) {
            open.extend(cfg.preds(block, Edges::All).filter(|p| *p != without));
        }
    }
    seen
}

fn reachable(cfg: &Cfg, from: &[BlockId], without: BlockId) -> Vec<bool> {
    let mut seen = vec![false; cfg.len()];
    let mut open: Vec<BlockId> = from.iter().copied().filter(|b| *b != without).collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[block.0 as usize], true) {
            open.extend(cfg.succs(block, Edges::All).filter(|s| *s != without));
        }
    }
    seen
}

fn is_on_cycle(cfg: &Cfg, block: BlockId, without: BlockId) -> bool {
    let next: Vec<BlockId> = cfg.succs(block, Edges::All).collect();
    reachable(cfg, &next, without)[block.0 as usize]
}

fn set_in(func: &Function, block: BlockId) -> impl Iterator<Item = Reg> + '_ {
    let range = func.blocks[block];
    let code = &func.code[range.start as usize..range.end as usize];
    code.iter().map(|inst| inst.dst).filter(|reg| !reg.is_none())
}

/// Registers that hidden blocks on the way from a block to a shown one may set, and whether there are such blocks.
fn set_between(projection: &Projection, from: BlockId, to: BlockId) -> (Vec<Reg>, bool) {
    let mut seen: BTreeSet<BlockId> = BTreeSet::new();
    let mut open: Vec<BlockId> = projection.cfg().node(from).succs.clone();
    let mut set: BTreeSet<Reg> = BTreeSet::new();
    while let Some(block) = open.pop() {
        if block == to || projection.is_shown(block) || !seen.insert(block) {
            continue;
        }
        set.extend(set_in(projection.func, block));
        open.extend(&projection.cfg().node(block).succs);
    }
    (set.into_iter().collect(), !seen.is_empty())
}
