//! A function while it is being lowered: blocks of instructions that can still be changed, and their layout at
//! the end.

use entity::PrimaryMap;
use ir::{Block, BlockId, BranchInfo, Function, Inst, Op, Origin, Position, Reg, RegInfo, SwitchTable, Type};
use rustc_hash::FxHashSet;

/// Blocks in order of creation; block 0 is the entry.
#[derive(Default)]
pub(super) struct Draft {
    pub blocks: Vec<DraftBlock>,
    pub regs: PrimaryMap<Reg, RegInfo>,
    pub lists: Vec<Box<[Reg]>>,
    pub tables: Vec<SwitchTable>,
    pub params: u32,
    pub current: usize,
    pub position: Position,
}

#[derive(Default)]
pub(super) struct DraftBlock {
    pub code: Vec<Line>,
    pub unwind: Option<BlockId>,
    /// See [`Block::never`].
    pub never: bool,
    /// Where it goes in the layout: by bytecode offset; helpers of a block follow it.
    pub order: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Line {
    pub inst: Inst,
    pub position: Position,
    /// Who wrote the branch; only `br` and `switch` have it.
    pub origin: Option<Origin>,
    /// The way of a `br` that the source calls true, by its position, as far as the layout of the bytecode tells.
    pub truth: Option<usize>,
}

impl Draft {
    pub fn reg(&mut self, ty: Type) -> Reg {
        self.regs.push(RegInfo { ty, variable: None })
    }

    pub fn ty(&self, reg: Reg) -> Type {
        self.regs[reg].ty
    }

    pub fn block(&mut self, order: u32) -> BlockId {
        self.blocks.push(DraftBlock { order, ..DraftBlock::default() });
        BlockId(self.blocks.len() as u32 - 1)
    }

    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block.0 as usize;
    }

    /// Whether the current block has no instruction yet.
    pub fn is_at_start(&self) -> bool {
        self.blocks[self.current].code.is_empty()
    }

    pub fn here(&self) -> BlockId {
        BlockId(self.current as u32)
    }

    fn push(&mut self, inst: Inst, origin: Option<Origin>) {
        let position = self.position;
        let block = &mut self.blocks[self.current];
        debug_assert!(!block.is_closed());
        block.code.push(Line { inst, position, origin, truth: None });
    }

    pub fn effect(&mut self, op: Op, a: u32, b: u32, c: u32) {
        self.push(Inst { op, dst: Reg::NONE, a, b, c }, None);
    }

    pub fn write(&mut self, dst: Reg, op: Op, a: u32, b: u32, c: u32) {
        self.push(Inst { op, dst, a, b, c }, None);
    }

    pub fn value(&mut self, ty: Type, op: Op, a: u32, b: u32, c: u32) -> Reg {
        let dst = self.reg(ty);
        self.write(dst, op, a, b, c);
        dst
    }

    pub fn copy(&mut self, dst: Reg, src: Reg) {
        self.write(dst, Op::Copy, src.0, 0, 0);
    }

    pub fn jump(&mut self, to: BlockId) {
        self.effect(Op::Jump, to.0, 0, 0);
    }

    pub fn br(&mut self, cond: Reg, then: BlockId, otherwise: BlockId, origin: Origin) {
        let inst = Inst { op: Op::Br, dst: Reg::NONE, a: cond.0, b: then.0, c: otherwise.0 };
        self.push(inst, Some(origin));
    }

    /// Says which way of the `br` that was made last the source calls true.
    pub fn note_truth(&mut self, position: usize) {
        if let Some(line) = self.blocks[self.current].code.last_mut() {
            line.truth = Some(position);
        }
    }

    pub fn switch(&mut self, value: Reg, table: SwitchTable, origin: Origin) {
        self.tables.push(table);
        let index = self.tables.len() as u32 - 1;
        self.push(Inst { op: Op::Switch, dst: Reg::NONE, a: value.0, b: index, c: 0 }, Some(origin));
    }

    pub fn list(&mut self, regs: &[Reg]) -> u32 {
        self.lists.push(regs.into());
        self.lists.len() as u32 - 1
    }

    /// The destination of the last instruction of the current block may still be changed.
    pub fn last(&mut self) -> Option<&mut Inst> {
        self.blocks[self.current].code.last_mut().map(|line| &mut line.inst)
    }

    /// Lays the reachable blocks out: straight lines joined, jumps to jumps shortened; with `lines`, a jump that stands alone on its
    /// line stays, as `continue` does.
    pub fn finish(
        mut self,
        name: String,
        source: Option<String>,
        ret: Option<Type>,
        lines: bool,
    ) -> Function {
        self.thread_jumps(lines);
        self.join();
        let order = self.layout();
        let mut place = vec![BlockId(u32::MAX); self.blocks.len()];
        for (index, block) in order.iter().enumerate() {
            place[*block] = BlockId(index as u32);
        }
        let mut code = Vec::new();
        let mut positions = Vec::new();
        let mut branches = Vec::new();
        let mut blocks = PrimaryMap::new();
        let mut tables = Vec::new();
        for index in &order {
            let start = code.len() as u32;
            let block = &self.blocks[*index];
            for line in &block.code {
                let mut inst = line.inst;
                match inst.op {
                    Op::Jump => inst.a = place[inst.a as usize].0,
                    Op::Br => {
                        inst.b = place[inst.b as usize].0;
                        inst.c = place[inst.c as usize].0;
                    }
                    Op::Switch => {
                        let mut table = self.tables[inst.b as usize].clone();
                        table.default = place[table.default.0 as usize];
                        table.cases.iter_mut().for_each(|(_, to)| *to = place[to.0 as usize]);
                        inst.b = tables.len() as u32;
                        tables.push(table);
                    }
                    _ => {}
                }
                if let Some(origin) = line.origin {
                    let decision = branches.len() as u32;
                    let ways = [inst.b, inst.c];
                    let far = line.truth.is_some_and(|truth| ways[truth] > ways[1 - truth]);
                    branches.push((code.len() as u32, BranchInfo { origin, decision, condition: 0, far }));
                }
                code.push(inst);
                positions.push(line.position);
            }
            let unwind = block.unwind.map(|to| place[to.0 as usize]);
            blocks.push(Block { start, end: code.len() as u32, unwind, never: block.never });
        }
        Function {
            name,
            source,
            params: self.params,
            ret,
            regs: self.regs,
            blocks,
            code,
            positions,
            lists: self.lists,
            tables,
            branches,
        }
    }

    /// Edges to a block that only jumps go where it jumps.
    fn thread_jumps(&mut self, lines: bool) {
        let others = self.blocks.iter().flat_map(|block| &block.code).filter(|line| line.inst.op != Op::Jump);
        let known: FxHashSet<u32> = others.map(|line| line.position.line).collect();
        let stays = |line: &Line| lines && line.position.line != 0 && !known.contains(&line.position.line);
        let only_jumps: Vec<Option<u32>> = self
            .blocks
            .iter()
            .map(|block| match block.code.as_slice() {
                [line] if line.inst.op == Op::Jump && !stays(line) => Some(line.inst.a),
                _ => None,
            })
            .collect();
        let end = |mut at: u32| {
            // An empty loop jumps to itself for ever; any of its blocks will do.
            for _ in 0..only_jumps.len() {
                match only_jumps[at as usize] {
                    Some(next) => at = next,
                    None => break,
                }
            }
            at
        };
        for block in &mut self.blocks {
            let Some(line) = block.code.last_mut() else { continue };
            match line.inst.op {
                Op::Jump => line.inst.a = end(line.inst.a),
                Op::Br => {
                    line.inst.b = end(line.inst.b);
                    line.inst.c = end(line.inst.c);
                }
                Op::Switch => {
                    let table = &mut self.tables[line.inst.b as usize];
                    table.default = BlockId(end(table.default.0));
                    table.cases.iter_mut().for_each(|(_, to)| *to = BlockId(end(to.0)));
                }
                _ => {}
            }
        }
    }

    /// Appends a block to the only one that jumps to it, if exceptions of both land at the same place.
    fn join(&mut self) {
        let mut preds = vec![0u32; self.blocks.len()];
        preds[0] += 1;
        let reachable = self.reachable();
        for block in &reachable {
            for to in self.successors(*block) {
                preds[to] += 1;
            }
            if let Some(unwind) = self.blocks[*block].unwind {
                // Never joined, however often.
                preds[unwind.0 as usize] += 2;
            }
        }
        for index in reachable {
            while let Some(Line { inst: Inst { op: Op::Jump, a, .. }, .. }) = self.blocks[index].code.last() {
                let next = *a as usize;
                if next == index || preds[next] != 1 || !self.same_unwind(index, next) {
                    break;
                }
                let mut tail = std::mem::take(&mut self.blocks[next].code);
                let unwind = self.blocks[next].unwind;
                let block = &mut self.blocks[index];
                block.code.pop();
                block.code.append(&mut tail);
                block.unwind = block.unwind.or(unwind);
            }
        }
    }

    /// A block that cannot raise lands wherever its neighbour does.
    fn same_unwind(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.blocks[a], &self.blocks[b]);
        a.unwind == b.unwind
            || (a.unwind.is_none() && !a.can_raise())
            || (b.unwind.is_none() && !b.can_raise())
    }

    /// Where control can go from a block without an exception.
    pub fn successors(&self, block: usize) -> Vec<usize> {
        let Some(line) = self.blocks[block].code.last() else { return Vec::new() };
        match line.inst.op {
            Op::Jump => vec![line.inst.a as usize],
            Op::Br => vec![line.inst.b as usize, line.inst.c as usize],
            Op::Switch => {
                let table = &self.tables[line.inst.b as usize];
                table.cases.iter().map(|(_, to)| to.0 as usize).chain([table.default.0 as usize]).collect()
            }
            _ => Vec::new(),
        }
    }

    fn reachable(&self) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut work = vec![0];
        seen[0] = true;
        let mut found = Vec::new();
        while let Some(block) = work.pop() {
            found.push(block);
            let unwind = self.blocks[block].unwind.map(|to| to.0 as usize);
            for to in self.successors(block).into_iter().chain(unwind) {
                if !std::mem::replace(&mut seen[to], true) {
                    work.push(to);
                }
            }
        }
        found
    }

    /// Reachable blocks, the entry first, the others as the bytecode has them.
    fn layout(&self) -> Vec<usize> {
        let mut order = self.reachable();
        order.sort_by_key(|block| (*block != 0, self.blocks[*block].order, *block));
        order
    }
}

impl DraftBlock {
    pub fn is_closed(&self) -> bool {
        self.code.last().is_some_and(|line| line.inst.op.is_terminator())
    }

    pub fn can_raise(&self) -> bool {
        self.code.iter().any(|line| line.inst.op.can_raise())
    }
}
