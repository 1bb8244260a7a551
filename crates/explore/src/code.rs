//! What the explorer reads of the program: where an alternative leads, and how far it is to what is wanted.

use crate::distance::{Distances, Near};
use crate::goal::{Goal, ObligationId};
use ir::{BlockId, FuncId, Function, Op};
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::{Callable, Edge, ElemKind, Lang, Site, Vm};

/// Functions looked at so far. Natives have no code.
#[derive(Default)]
pub struct Code {
    functions: BTreeMap<FuncId, Option<Known>>,
    distances: Distances,
}

struct Known {
    function: Arc<Function>,
    tracked: bool,
}

impl Code {
    fn known<L: Lang>(&mut self, vm: &mut Vm<L>, func: FuncId) -> Option<&Known> {
        // Decisions outside any function (inputs being built) have no code.
        if func == FuncId(u32::MAX) {
            return None;
        }
        self.functions
            .entry(func)
            .or_insert_with(|| match vm.callable(func) {
                Ok(Callable::Ir(function)) => {
                    let tracked = vm.lang.is_tracked(func);
                    Some(Known { function, tracked })
                }
                Ok(Callable::Native(_)) | Err(_) => None,
            })
            .as_ref()
    }

    /// Where an alternative of a decision leads: the edge it takes, if it is a branch's, and the block.
    pub fn leads<L: Lang>(&mut self, vm: &mut Vm<L>, site: Site, kind: ElemKind, alternative: u32) -> Leads {
        let outside = Leads { tracked: false, edge: None, block: None };
        let Some(known) = self.known(vm, site.func) else { return outside };
        let function = &*known.function;
        let Some(inst) = function.code.get(site.index as usize) else { return outside };
        let here = function.block_at(site.index);
        let successors = function.successors(here);
        let is_branch = kind == ElemKind::Branch && matches!(inst.op, Op::Br | Op::Switch | Op::Note);
        let successor = match (is_branch, inst.op) {
            (true, Op::Br | Op::Note) => Some(alternative),
            // The machine makes one alternative of the cases that go to one block, in order of appearance.
            (true, _) => (0..successors.len() as u32)
                .filter(|s| first_position(&successors, *s) == *s)
                .nth(alternative as usize),
            (false, _) => None,
        };
        let block = match (successor, kind) {
            (Some(_), _) if inst.op == Op::Note => Some(here),
            (Some(s), _) => successors.get(s as usize).copied(),
            (None, ElemKind::Check(_)) if alternative == 1 => function.blocks[here].unwind,
            (None, _) => Some(here),
        };
        let edge = successor.map(|successor| Edge { func: site.func, index: site.index, successor });
        Leads { tracked: known.tracked, edge, block }
    }

    /// Whether an instruction of tracked code can only be followed by an exception: its own, or the one that is thrown when
    /// it is done. (`throw new X("a" + b)`: whatever the text becomes.)
    pub fn only_throws<L: Lang>(&mut self, vm: &mut Vm<L>, site: Site) -> bool {
        let Some(known) = self.known(vm, site.func).filter(|known| known.tracked) else { return false };
        let function = &*known.function;
        if site.index as usize >= function.code.len() {
            return false;
        }
        let mut block = function.block_at(site.index);
        // Each block once: code that goes in a circle throws nothing.
        for _ in 0..function.blocks.len() {
            let last = function.blocks[block].end - 1;
            match (function.code[last as usize].op, &function.successors(block)[..]) {
                (Op::Throw | Op::Trap, _) => return true,
                (Op::Jump, [next]) => block = *next,
                _ => return false,
            }
        }
        false
    }

    /// Makes the graph on which distances are measured: functions with places that are wanted, and calls between them.
    pub fn connect<L: Lang>(&mut self, vm: &mut Vm<L>, goal: &dyn Goal) {
        let calls = goal.calls();
        let places = goal.places().into_iter().map(|(site, _)| site.func);
        let mut functions: BTreeMap<FuncId, Arc<Function>> = BTreeMap::new();
        for func in places.chain(calls.iter().flat_map(|(site, to)| [site.func, *to])) {
            if !functions.contains_key(&func)
                && let Some(known) = self.known(vm, func)
            {
                functions.insert(func, known.function.clone());
            }
        }
        self.distances = Distances::new(functions, calls);
    }

    /// Measures again: these places are wanted.
    pub fn measure(&mut self, wanted: impl IntoIterator<Item = (Site, ObligationId)>) {
        self.distances.measure(wanted);
    }

    /// Blocks and calls from a block to the nearest place that is wanted, or from where an exception leaves the function;
    /// 0 where functions are not tracked, whose branches decide what tracked code sees.
    pub fn distance(&self, func: FuncId, block: Option<BlockId>) -> u32 {
        match self.functions.get(&func) {
            Some(Some(known)) if known.tracked => self.distances.away(func, block),
            _ => 0,
        }
    }

    /// What is nearest beyond a call, or beyond the end of the function.
    pub fn beyond(&self, func: FuncId, block: Option<BlockId>) -> Option<Near> {
        self.distances.beyond(func, block)
    }

    /// The function and line of a site, for people.
    pub fn place<L: Lang>(&mut self, vm: &mut Vm<L>, site: Site) -> String {
        let Some(known) = self.known(vm, site.func) else { return "before the call".to_string() };
        let line = known.function.positions.get(site.index as usize).map_or(0, |p| p.line);
        match line {
            0 => known.function.name.clone(),
            _ => format!("{}:{line}", known.function.name),
        }
    }
}

/// See [`Code::leads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leads {
    pub tracked: bool,
    pub edge: Option<Edge>,
    pub block: Option<BlockId>,
}

/// One edge for all successors of a switch that are the same block.
pub fn canonical_edge(function: &Function, edge: Edge) -> Edge {
    match function.code.get(edge.index as usize).map(|i| i.op) {
        Some(Op::Switch) => {
            let successors = function.successors(function.block_at(edge.index));
            Edge { successor: first_position(&successors, edge.successor), ..edge }
        }
        _ => edge,
    }
}

fn first_position(successors: &[BlockId], successor: u32) -> u32 {
    let target = successors.get(successor as usize);
    successors.iter().position(|b| Some(b) == target).map_or(successor, |p| p as u32)
}
