//! Building functions: blocks are filled in any order and laid out in block order at the end.

use crate::func::{Block, BranchInfo, Function, Inst, Position, RegInfo, SwitchTable};
use crate::op::Op;
use crate::types::{BlockId, Check, ClassId, FuncId, Reg, StrId, Type};
use entity::{EntityId, PrimaryMap};

/// A function under construction.
pub struct Builder {
    name: String,
    source: Option<String>,
    params: u32,
    ret: Option<Type>,
    regs: PrimaryMap<Reg, RegInfo>,
    blocks: PrimaryMap<BlockId, Draft>,
    lists: Vec<Box<[Reg]>>,
    tables: Vec<SwitchTable>,
    current: BlockId,
    position: Position,
}

#[derive(Default)]
struct Draft {
    code: Vec<(Inst, Position)>,
    branches: Vec<(u32, BranchInfo)>,
    unwind: Option<BlockId>,
}

impl Builder {
    /// Starts a function whose parameters take the first registers; the entry block is current.
    pub fn new(name: impl Into<String>, params: &[Type], ret: Option<Type>) -> Builder {
        let mut blocks = PrimaryMap::new();
        let entry = blocks.push(Draft::default());
        Builder {
            name: name.into(),
            source: None,
            params: params.len() as u32,
            ret,
            regs: params.iter().map(|ty| RegInfo { ty: *ty, variable: None }).collect(),
            blocks,
            lists: Vec::new(),
            tables: Vec::new(),
            current: entry,
            position: Position::default(),
        }
    }

    pub fn source(&mut self, file: impl Into<String>) {
        self.source = Some(file.into());
    }

    pub fn reg(&mut self, ty: Type) -> Reg {
        self.regs.push(RegInfo { ty, variable: None })
    }

    pub fn reg_type(&self, reg: Reg) -> Type {
        self.regs[reg].ty
    }

    /// Says which source variable a register holds.
    pub fn name_reg(&mut self, reg: Reg, variable: impl Into<String>) {
        self.regs[reg].variable = Some(variable.into());
    }

    pub fn param(&self, index: u32) -> Reg {
        debug_assert!(index < self.params);
        Reg(index)
    }

    pub fn block(&mut self) -> BlockId {
        self.blocks.push(Draft::default())
    }

    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Instructions go to the end of this block from now on.
    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block;
    }

    pub fn current(&self) -> BlockId {
        self.current
    }

    pub fn set_unwind(&mut self, block: BlockId, unwind: Option<BlockId>) {
        self.blocks[block].unwind = unwind;
    }

    /// Instructions get this position from now on.
    pub fn at(&mut self, position: Position) {
        self.position = position;
    }

    /// Whether the current block already ends in a terminator.
    pub fn is_closed(&self) -> bool {
        self.blocks[self.current].code.last().is_some_and(|(i, _)| i.op.is_terminator())
    }

    pub fn emit(&mut self, inst: Inst) {
        debug_assert!(!self.is_closed(), "instruction after the end of {} in {}", self.current, self.name);
        let position = self.position;
        self.blocks[self.current].code.push((inst, position));
    }

    /// An instruction without a result.
    pub fn effect(&mut self, op: Op, a: u32, b: u32, c: u32) {
        self.emit(Inst { op, dst: Reg::NONE, a, b, c });
    }

    /// An instruction whose result goes to `dst`.
    pub fn into(&mut self, dst: Reg, op: Op, a: u32, b: u32, c: u32) {
        self.emit(Inst { op, dst, a, b, c });
    }

    /// An instruction whose result goes to a new register of this type.
    pub fn value(&mut self, ty: Type, op: Op, a: u32, b: u32, c: u32) -> Reg {
        let dst = self.reg(ty);
        self.into(dst, op, a, b, c);
        dst
    }

    pub fn const_i32(&mut self, value: i32) -> Reg {
        self.value(Type::I32, Op::ConstI32, value as u32, 0, 0)
    }

    pub fn const_i64(&mut self, value: i64) -> Reg {
        self.value(Type::I64, Op::ConstI64, value as u32, (value as u64 >> 32) as u32, 0)
    }

    pub fn const_f32(&mut self, value: f32) -> Reg {
        self.value(Type::F32, Op::ConstF32, value.to_bits(), 0, 0)
    }

    pub fn const_f64(&mut self, value: f64) -> Reg {
        let bits = value.to_bits();
        self.value(Type::F64, Op::ConstF64, bits as u32, (bits >> 32) as u32, 0)
    }

    pub fn null(&mut self) -> Reg {
        self.value(Type::Ref, Op::Null, 0, 0, 0)
    }

    pub fn str(&mut self, string: StrId) -> Reg {
        self.value(Type::Ref, Op::Str, string.0, 0, 0)
    }

    pub fn copy(&mut self, dst: Reg, src: Reg) {
        self.into(dst, Op::Copy, src.0, 0, 0);
    }

    pub fn list(&mut self, regs: &[Reg]) -> u32 {
        self.lists.push(regs.into());
        self.lists.len() as u32 - 1
    }

    pub fn call(&mut self, dst: Reg, func: FuncId, args: &[Reg]) {
        let list = self.list(args);
        self.into(dst, Op::Call, func.0, list, 0);
    }

    pub fn call_value(&mut self, ty: Type, func: FuncId, args: &[Reg]) -> Reg {
        let dst = self.reg(ty);
        self.call(dst, func, args);
        dst
    }

    pub fn new_object(&mut self, class: ClassId) -> Reg {
        self.value(Type::Ref, Op::New, class.0, 0, 0)
    }

    pub fn jump(&mut self, to: BlockId) {
        self.effect(Op::Jump, to.0, 0, 0);
    }

    pub fn br(&mut self, cond: Reg, then: BlockId, otherwise: BlockId, info: BranchInfo) {
        self.note_branch(info);
        self.effect(Op::Br, cond.0, then.0, otherwise.0);
    }

    pub fn switch(&mut self, value: Reg, table: SwitchTable, info: BranchInfo) {
        self.note_branch(info);
        self.tables.push(table);
        let index = self.tables.len() as u32 - 1;
        self.effect(Op::Switch, value.0, index, 0);
    }

    pub fn ret(&mut self, value: Option<Reg>) {
        match value {
            Some(reg) => self.effect(Op::RetVal, reg.0, 0, 0),
            None => self.effect(Op::Ret, 0, 0, 0),
        }
    }

    pub fn throw(&mut self, exception: Reg) {
        self.effect(Op::Throw, exception.0, 0, 0);
    }

    pub fn trap(&mut self, check: Check, message: StrId) {
        self.effect(Op::Trap, check as u32, message.0, 0);
    }

    fn note_branch(&mut self, info: BranchInfo) {
        let draft = &mut self.blocks[self.current];
        draft.branches.push((draft.code.len() as u32, info));
    }

    /// Lays the blocks out. Every block must end in a terminator; the verifier checks that and more.
    pub fn finish(self) -> Function {
        let mut code = Vec::new();
        let mut positions = Vec::new();
        let mut branches = Vec::new();
        let mut blocks = PrimaryMap::new();
        for (id, draft) in self.blocks.iter() {
            let start = code.len() as u32;
            branches.extend(draft.branches.iter().map(|(i, info)| (start + i, *info)));
            for (inst, position) in &draft.code {
                code.push(*inst);
                positions.push(*position);
            }
            let (end, unwind) = (code.len() as u32, draft.unwind);
            let laid: BlockId = blocks.push(Block { start, end, unwind, never: false });
            debug_assert_eq!(laid.index(), id.index());
        }
        Function {
            name: self.name,
            source: self.source,
            params: self.params,
            ret: self.ret,
            regs: self.regs,
            blocks,
            code,
            positions,
            lists: self.lists,
            tables: self.tables,
            branches,
        }
    }
}
