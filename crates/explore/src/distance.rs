//! How far it is to what is wanted, on the control-flow graph of several functions and the calls between them.
//!
//! A way leads out of functions first, by returning or by an exception, and into others then, by calling them: never out of
//! a function and on behind a call that did not lead there. The graph is made once; only the distances change.

use ir::{BlockId, Cfg, FuncId, Function, Op};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;
use vm::Site;

use crate::goal::ObligationId;

/// No place that is wanted can be reached.
pub const FAR: u32 = 1_000;
/// One can be reached, but only by leaving the function. How far it is from there says little: what the function decided is
/// behind it by then.
pub const OUTSIDE: u32 = FAR / 2;

/// The nearest place that is wanted: how many blocks and calls away, and what is wanted there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    pub away: u32,
    pub obligation: ObligationId,
}

const NOWHERE: Near = Near { away: FAR, obligation: ObligationId::MAX };

/// A stretch of a block up to a call, or the way out of a function by an exception.
type Node = u32;

#[derive(Default)]
pub struct Distances {
    functions: BTreeMap<FuncId, Layout>,
    /// By node: where one comes from within the function, with what the step costs.
    within: Vec<Vec<(Node, u32)>>,
    /// From a call to the beginning of what it calls.
    into: Vec<(Node, Node)>,
    /// From an end of a function to behind the calls of it.
    out: Vec<(Node, Node)>,
    /// Without leaving a function, and in any way.
    inward: Vec<Near>,
    near: Vec<Near>,
    /// What lies beyond a call or an end, however near the rest is.
    beyond: Vec<Near>,
}

struct Layout {
    function: Arc<Function>,
    /// By node from `first` on: the instruction that it begins with.
    starts: Vec<u32>,
    first: Node,
    /// Where exceptions leave the function.
    raised: Node,
}

impl Layout {
    /// The node that holds an instruction.
    fn at(&self, index: u32) -> Node {
        self.first + self.starts.partition_point(|start| *start <= index).saturating_sub(1) as Node
    }

    fn entry(&self, block: BlockId) -> Option<Node> {
        Some(self.at(self.function.blocks.get(block)?.start))
    }

    fn last_op(&self, block: BlockId) -> Option<Op> {
        let last = self.function.blocks.get(block)?.end.checked_sub(1)?;
        self.function.code.get(last as usize).map(|inst| inst.op)
    }
}

impl Distances {
    /// The graph of functions, with calls between them.
    pub fn new(functions: BTreeMap<FuncId, Arc<Function>>, calls: &[(Site, FuncId)]) -> Distances {
        let mut sites: BTreeMap<FuncId, Vec<u32>> = BTreeMap::new();
        for (site, _) in calls.iter().filter(|(_, to)| functions.contains_key(to)) {
            sites.entry(site.func).or_default().push(site.index);
        }
        let mut layouts: BTreeMap<FuncId, Layout> = BTreeMap::new();
        let mut nodes: Node = 0;
        for (func, function) in functions {
            let mut starts: Vec<u32> = function.blocks.values().map(|block| block.start).collect();
            // A call never ends a block: something stands behind it.
            starts.extend(sites.get(&func).into_iter().flatten().map(|index| index + 1));
            starts.sort_unstable();
            starts.dedup();
            let (first, raised) = (nodes, nodes + starts.len() as Node);
            layouts.insert(func, Layout { function, starts, first, raised });
            nodes = raised + 1;
        }
        let mut found = Distances {
            within: vec![Vec::new(); nodes as usize],
            inward: vec![NOWHERE; nodes as usize],
            near: vec![NOWHERE; nodes as usize],
            beyond: vec![NOWHERE; nodes as usize],
            ..Distances::default()
        };
        for layout in layouts.values() {
            found.link(layout);
        }
        for (site, to) in calls {
            if let (Some(from), Some(to)) = (layouts.get(&site.func), layouts.get(to)) {
                found.call(from, site.index, to);
            }
        }
        found.functions = layouts;
        found
    }

    /// The steps within a function.
    fn link(&mut self, layout: &Layout) {
        let cfg = Cfg::new(&layout.function);
        for (id, block) in layout.function.blocks.iter() {
            let (first, last) = (layout.at(block.start), layout.at(block.end.saturating_sub(1)));
            for node in first..=last {
                if node > first {
                    self.within[node as usize].push((node - 1, 0));
                }
                if let Some(handler) = cfg.node(id).unwind.and_then(|handler| layout.entry(handler)) {
                    self.within[handler as usize].push((node, 1));
                }
            }
            for to in cfg.node(id).succs.iter().filter_map(|to| layout.entry(*to)) {
                self.within[to as usize].push((last, 1));
            }
            if block.unwind.is_none() && matches!(layout.last_op(id), Some(Op::Throw | Op::Trap)) {
                self.within[layout.raised as usize].push((last, 1));
            }
        }
    }

    /// A call, and how one comes back from it.
    fn call(&mut self, from: &Layout, index: u32, to: &Layout) {
        self.into.push((from.at(index), to.first));
        let returns = |id: &BlockId| matches!(to.last_op(*id), Some(Op::Ret | Op::RetVal));
        for block in to.function.blocks.keys().filter(returns) {
            self.out.push((to.at(to.function.blocks[block].end - 1), from.at(index + 1)));
        }
        let handler = from.function.blocks[from.function.block_at(index)].unwind;
        self.out.push((to.raised, handler.and_then(|h| from.entry(h)).unwrap_or(from.raised)));
    }

    /// Measures anew, to the places that are wanted now.
    pub fn measure(&mut self, wanted: impl IntoIterator<Item = (Site, ObligationId)>) {
        let mut into: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        self.into.iter().for_each(|(from, to)| into.entry(*to).or_default().push(*from));
        let mut out: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        self.out.iter().for_each(|(from, to)| out.entry(*to).or_default().push(*from));
        let mut inward = vec![NOWHERE; self.within.len()];
        for (site, obligation) in wanted {
            if let Some(layout) = self.functions.get(&site.func) {
                let place = &mut inward[layout.at(site.index) as usize];
                *place = (*place).min(Near { away: 0, obligation });
            }
        }
        self.spread(&mut inward, &into);
        let mut near = inward.clone();
        self.spread(&mut near, &out);
        let mut beyond = vec![NOWHERE; self.within.len()];
        let over = |beyond: &mut Vec<Near>, calls: &[(Node, Node)], near: &[Near]| {
            for (from, to) in calls {
                let place = &mut beyond[*from as usize];
                *place = (*place).min(near[*to as usize].farther(1));
            }
        };
        over(&mut beyond, &self.into, &inward);
        over(&mut beyond, &self.out, &near);
        self.spread(&mut beyond, &BTreeMap::new());
        (self.inward, self.near, self.beyond) = (inward, near, beyond);
    }

    /// Makes each node as near as its nearest successor allows.
    fn spread(&self, near: &mut [Near], calls: &BTreeMap<Node, Vec<Node>>) {
        let known = near.iter().enumerate().filter(|(_, near)| near.away < FAR);
        let mut open: BinaryHeap<Reverse<(Near, Node)>> =
            known.map(|(node, near)| Reverse((*near, node as Node))).collect();
        while let Some(Reverse((best, node))) = open.pop() {
            if near[node as usize] < best {
                continue;
            }
            let called = calls.get(&node).into_iter().flatten().map(|from| (*from, 1));
            for (from, step) in self.within[node as usize].iter().copied().chain(called) {
                let found = best.farther(step);
                if found < near[from as usize] {
                    near[from as usize] = found;
                    open.push(Reverse((found, from)));
                }
            }
        }
    }

    /// How far it is from the beginning of a block, or from where an exception leaves the function.
    pub fn away(&self, func: FuncId, block: Option<BlockId>) -> u32 {
        let is_near = |all: &[Near]| self.of(all, func, block).filter(|near| near.away < FAR);
        match is_near(&self.inward) {
            Some(near) => near.away,
            None if is_near(&self.near).is_some() => OUTSIDE,
            None => FAR,
        }
    }

    /// The same, to what lies beyond a call or the function's end.
    pub fn beyond(&self, func: FuncId, block: Option<BlockId>) -> Option<Near> {
        self.of(&self.beyond, func, block).filter(|near| near.away < FAR)
    }

    fn of(&self, all: &[Near], func: FuncId, block: Option<BlockId>) -> Option<Near> {
        let layout = self.functions.get(&func)?;
        let node = block.map_or(Some(layout.raised), |block| layout.entry(block))?;
        all.get(node as usize).copied()
    }
}

impl Near {
    fn farther(self, step: u32) -> Near {
        match self.away + step {
            away if away < FAR => Near { away, ..self },
            _ => NOWHERE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::text::parse_module;

    /// `@f` calls `@g` on one of its ways, `@g` has a branch, and `@h` calls `@g` too.
    const TEXT: &str = "func @f(%0: i32) {
b0:
  %1 = const.i32 0
  %2 = slt.i32 %0, %1
  br %2, b1, b2 !source 0.0
b1:
  ret
b2:
  %3 = slt.i32 %1, %0
  br %3, b3, b4 !source 1.0
b3:
  call @g(%0)
  br %2, b4, b4 !source 2.0
b4:
  ret
}

func @g(%0: i32) {
b0:
  %1 = const.i32 7
  %2 = eq.i32 %0, %1
  br %2, b1, b2 !source 0.0
b1:
  ret
b2:
  ret
}
";

    fn distances(wanted: &[(u32, u32)]) -> (Distances, Vec<FuncId>) {
        let module = parse_module(TEXT).unwrap().module;
        let names = ["f", "g"];
        let funcs: Vec<FuncId> = (0..2).map(FuncId).collect();
        let functions: BTreeMap<FuncId, Arc<Function>> = funcs
            .iter()
            .zip(names)
            .map(|(func, name)| (*func, Arc::new(module.function(name).unwrap().clone())))
            .collect();
        let f = &functions[&funcs[0]];
        let call = f.code.iter().position(|inst| inst.op == Op::Call).unwrap() as u32;
        let mut found = Distances::new(functions, &[(Site { func: funcs[0], index: call }, funcs[1])]);
        let site = |(func, index): &(u32, u32)| Site { func: FuncId(*func), index: *index };
        found.measure(wanted.iter().enumerate().map(|(i, place)| (site(place), i as u32)));
        (found, funcs)
    }

    fn away(found: &Distances, func: FuncId) -> Vec<u32> {
        let blocks = found.functions[&func].function.blocks.keys();
        blocks.map(|block| found.away(func, Some(block))).collect()
    }

    #[test]
    fn what_a_callee_owes_pulls_through_the_call() {
        // The branch of g.
        let (found, funcs) = distances(&[(1, 2)]);
        assert_eq!(away(&found, funcs[0]), [3, FAR, 2, 1, FAR]);
        assert_eq!(away(&found, funcs[1]), [0, FAR, FAR]);
        assert_eq!(found.beyond(funcs[0], Some(BlockId(2))), Some(Near { away: 2, obligation: 0 }));
        assert_eq!(found.beyond(funcs[1], Some(BlockId(0))), None);
    }

    #[test]
    fn what_the_caller_owes_behind_the_call_is_reached_by_returning() {
        // The branch behind the call in f, and that in front of it, to which no way leads back.
        let index = |found: &Distances, op: Op, nth: usize| {
            let code = &found.functions[&FuncId(0)].function.code;
            code.iter().enumerate().filter(|(_, i)| i.op == op).nth(nth).unwrap().0 as u32
        };
        let (all, funcs) = distances(&[]);
        let (found, _) = distances(&[(0, index(&all, Op::Br, 2))]);
        assert_eq!(away(&found, funcs[1]), [OUTSIDE; 3]);
        assert_eq!(found.beyond(funcs[1], Some(BlockId(0))), Some(Near { away: 2, obligation: 0 }));
        assert_eq!(away(&found, funcs[0]), [2, FAR, 1, 0, FAR]);
        let (found, _) = distances(&[(0, index(&all, Op::Br, 1))]);
        assert_eq!(away(&found, funcs[1]), [FAR, FAR, FAR]);
    }
}
