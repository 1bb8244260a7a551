//! The blocks of a method's bytecode and how often each is entered.
//!
//! A block is known by its first instruction and its context: the calls of subroutines (`jsr`) that are under
//! way. Every call of a subroutine thus gets its own copy of the subroutine's blocks (JVMS §4.10.2.6 forbids
//! recursion, so this ends), and `ret` has one target.

use rustc_hash::FxHashMap;

use super::Refusal;
use crate::load::Code;
use crate::load::instr::{Bytecode, Instr, Kind};

/// More blocks than this only subroutines of subroutines of subroutines can have.
const MAX_NODES: usize = 200_000;

pub(super) struct Flow {
    pub nodes: Vec<Node>,
    by_start: FxHashMap<(usize, ContextId), usize>,
    contexts: Vec<Context>,
    /// By instruction: a block begins here.
    leaders: Vec<bool>,
}

/// A block: instructions `first..end` of the bytecode.
pub(super) struct Node {
    pub first: usize,
    pub end: usize,
    pub context: ContextId,
    /// Edges that lead here. Handlers have two more, so that none is taken for a straight line.
    pub entries: u32,
    /// Those of them that are not exceptional.
    pub jumps: u32,
}

pub(super) type ContextId = u32;

/// A call of a subroutine within another context.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Context {
    outer: ContextId,
    target: u16,
    back: u16,
    /// The local that holds the return address, as far as the subroutine's first instruction tells.
    slot: Option<u16>,
}

const OUTERMOST: ContextId = 0;

impl Flow {
    pub fn new(code: &Code, bytecode: &Bytecode) -> Result<Flow, Refusal> {
        let outermost = Context { outer: OUTERMOST, target: 0, back: 0, slot: None };
        let mut flow = Flow {
            nodes: Vec::new(),
            by_start: FxHashMap::default(),
            contexts: vec![outermost],
            leaders: leaders(code, bytecode)?,
        };
        flow.node(0, OUTERMOST)?;
        flow.nodes[0].entries += 1;
        flow.nodes[0].jumps += 1;
        let mut next = 0;
        while next < flow.nodes.len() {
            flow.explore(code, bytecode, next)?;
            next += 1;
        }
        Ok(flow)
    }

    /// The block at an instruction in a context, if control can get there.
    pub fn find(&self, instr: usize, context: ContextId) -> Option<usize> {
        self.by_start.get(&(instr, context)).copied()
    }

    fn node(&mut self, first: usize, context: ContextId) -> Result<usize, Refusal> {
        if let Some(node) = self.by_start.get(&(first, context)) {
            return Ok(*node);
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(Refusal::new("subroutines are nested too deeply"));
        }
        self.nodes.push(Node { first, end: first, context, entries: 0, jumps: 0 });
        let node = self.nodes.len() - 1;
        self.by_start.insert((first, context), node);
        Ok(node)
    }

    fn explore(&mut self, code: &Code, bytecode: &Bytecode, node: usize) -> Result<(), Refusal> {
        let Node { first, context, .. } = self.nodes[node];
        let mut last = first;
        while !bytecode.instrs[last].1.ends_flow()
            && last + 1 < bytecode.instrs.len()
            && !self.leaders[last + 1]
        {
            last += 1;
        }
        self.nodes[node].end = last + 1;
        let (pc, instr) = &bytecode.instrs[last];
        match instr {
            Instr::Jsr(target) => {
                let inner = self.call(bytecode, context, *target, last)?;
                self.edge(bytecode, *target, inner)?;
            }
            Instr::Ret(slot) => {
                let (back, outer) = self.back(context, *slot)?;
                self.edge(bytecode, back, outer)?;
            }
            _ => {
                let mut targets = Vec::new();
                instr.targets(|target| targets.push(target));
                for target in targets {
                    self.edge(bytecode, target, context)?;
                }
                if !instr.ends_flow() {
                    let next = bytecode.instrs.get(last + 1).map(|(pc, _)| *pc);
                    let next = next.ok_or_else(|| Refusal::at(*pc, "falls off the end of the code"))?;
                    self.edge(bytecode, next, context)?;
                }
            }
        }
        let start = bytecode.instrs[first].0;
        for handler in code.handlers.iter().filter(|h| h.start <= start && start < h.end) {
            let target = index(bytecode, handler.handler)?;
            let landed = self.node(target, context)?;
            self.nodes[landed].entries += 2;
        }
        Ok(())
    }

    fn edge(&mut self, bytecode: &Bytecode, target: u16, context: ContextId) -> Result<(), Refusal> {
        let node = self.node(index(bytecode, target)?, context)?;
        self.nodes[node].entries += 1;
        self.nodes[node].jumps += 1;
        Ok(())
    }

    /// The context inside a subroutine that the instruction at `caller` calls.
    pub fn call(
        &mut self,
        bytecode: &Bytecode,
        context: ContextId,
        target: u16,
        caller: usize,
    ) -> Result<ContextId, Refusal> {
        let back = bytecode.instrs.get(caller + 1).map(|(pc, _)| *pc);
        let back = back.ok_or_else(|| Refusal::new("jsr has no instruction to return to"))?;
        // A subroutine that is called again was left without `ret` before; so were all that it called.
        let mut outer = context;
        let mut at = context;
        while at != OUTERMOST {
            let call = self.contexts[at as usize];
            if call.target == target {
                outer = call.outer;
            }
            at = call.outer;
        }
        let slot = match bytecode.instrs.get(index(bytecode, target)?) {
            Some((_, Instr::Store(Kind::Ref, slot))) => Some(*slot),
            _ => None,
        };
        let call = Context { outer, target, back, slot };
        if let Some(known) = self.contexts.iter().skip(1).position(|context| *context == call) {
            return Ok(known as u32 + 1);
        }
        self.contexts.push(call);
        Ok(self.contexts.len() as u32 - 1)
    }

    /// Where `ret` goes: the return address, and the context there.
    pub fn back(&self, context: ContextId, slot: u16) -> Result<(u16, ContextId), Refusal> {
        let mut at = context;
        while at != OUTERMOST {
            let call = self.contexts[at as usize];
            if call.slot.is_none_or(|known| known == slot) {
                return Ok((call.back, call.outer));
            }
            at = call.outer;
        }
        Err(Refusal::new("ret outside of a subroutine"))
    }
}

fn index(bytecode: &Bytecode, pc: u16) -> Result<usize, Refusal> {
    bytecode.index_of(pc).ok_or_else(|| Refusal::at(pc, "is not an instruction"))
}

/// Where blocks begin: at targets, behind branches, at handlers and where regions begin and end.
fn leaders(code: &Code, bytecode: &Bytecode) -> Result<Vec<bool>, Refusal> {
    let mut leaders = vec![false; bytecode.instrs.len()];
    let mut mark = |pc: u16| {
        if let Some(leader) = bytecode.index_of(pc).and_then(|index| leaders.get_mut(index)) {
            *leader = true;
        }
    };
    for handler in &code.handlers {
        mark(handler.start);
        mark(handler.end);
        mark(handler.handler);
    }
    let mut after_branch = true;
    for (pc, instr) in &bytecode.instrs {
        if after_branch {
            mark(*pc);
        }
        after_branch = instr.ends_flow();
        instr.targets(|target| {
            mark(target);
            after_branch = true;
        });
    }
    Ok(leaders)
}
