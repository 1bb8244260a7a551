//! The verifier: what must hold of every function before anything else reads it.
//!
//! Structure and operand types are checked against the opcode table; what only the program knows (callees,
//! how many classes there are) is asked of [`Program`]. Assignment before use is in `assigned.rs`.

mod error;

pub use error::{OpName, Place, VerifyError, What};

use crate::assigned::unassigned_reads;
use crate::func::{Function, Inst};
use crate::module::{Module, Signature};
use crate::op::{Op, OpResult, Operand};
use crate::types::{BlockId, Check, ClassId, FuncId, Reg, StrId, Type};

/// What the verifier asks of the program around a function. The defaults know nothing and forbid nothing.
pub trait Program {
    /// Parameters and result of a function, if known.
    fn signature(&self, _func: FuncId) -> Option<Signature> {
        None
    }

    fn has_func(&self, _func: FuncId) -> bool {
        true
    }

    fn has_class(&self, _class: ClassId) -> bool {
        true
    }

    fn has_str(&self, _string: StrId) -> bool {
        true
    }
}

/// A program of which nothing is known.
pub struct AnyProgram;

impl Program for AnyProgram {}

impl Program for Module {
    fn signature(&self, func: FuncId) -> Option<Signature> {
        self.funcs().get(func).and_then(|f| f.signature.clone())
    }

    fn has_func(&self, func: FuncId) -> bool {
        self.funcs().get(func).is_some()
    }

    fn has_class(&self, class: ClassId) -> bool {
        self.classes().get(class).is_some()
    }

    fn has_str(&self, string: StrId) -> bool {
        self.strings().get(string).is_some()
    }
}

/// All broken rules of a function, by place. Empty: the function is valid.
pub fn verify(func: &Function, program: &dyn Program) -> Vec<VerifyError> {
    let mut v = Verifier { func, program, errors: Vec::new() };
    v.structure();
    // Operands are read only if the blocks are where they should be; flow only if the operands are right.
    if v.errors.is_empty() {
        v.operands();
        v.branch_infos();
    }
    if v.errors.is_empty() {
        v.landings();
    }
    if v.errors.is_empty() {
        for (index, reg) in unassigned_reads(func) {
            v.report(Place::Inst(index), What::Unassigned(reg));
        }
    }
    v.errors.sort_by_key(|e| e.place);
    v.errors
}

/// All broken rules of all functions of a module.
pub fn verify_module(module: &Module) -> Vec<VerifyError> {
    module.bodies().flat_map(|(_, func)| verify(func, module)).collect()
}

struct Verifier<'f> {
    func: &'f Function,
    program: &'f dyn Program,
    errors: Vec<VerifyError>,
}

impl Verifier<'_> {
    fn report(&mut self, place: Place, what: What) {
        self.errors.push(VerifyError { function: self.func.name.clone(), place, what });
    }

    fn structure(&mut self) {
        let func = self.func;
        if func.params as usize > func.regs.len() {
            self.report(Place::Function, What::Params { params: func.params, regs: func.regs.len() });
        }
        if func.positions.len() != func.code.len() {
            let what = What::Positions { code: func.code.len(), positions: func.positions.len() };
            self.report(Place::Function, what);
        }
        if func.blocks.is_empty() {
            self.report(Place::Function, What::NoBlocks);
        }
        let mut end = 0;
        for (id, block) in func.blocks.iter() {
            if block.start != end || block.end < block.start {
                self.report(Place::Block(id), What::NotContiguous);
                return;
            }
            end = block.end;
            let code = func.code.get(block.start as usize..block.end as usize).unwrap_or(&[]);
            let Some((last, before)) = code.split_last() else {
                self.report(Place::Block(id), What::EmptyBlock);
                continue;
            };
            if let Some(early) = before.iter().position(|i| i.op.is_terminator()) {
                self.report(Place::Inst(block.start + early as u32), What::EarlyTerminator);
            }
            if !last.op.is_terminator() {
                self.report(Place::Inst(block.end - 1), What::NoTerminator);
            }
            if let Some(unwind) = block.unwind.filter(|u| func.blocks.get(*u).is_none()) {
                self.report(Place::Block(id), What::NoBlock(unwind));
            }
        }
        if end as usize != func.code.len() {
            self.report(Place::Function, What::NotCovered);
        }
    }

    fn operands(&mut self) {
        for (index, inst) in self.func.code.iter().enumerate() {
            let place = Place::Inst(index as u32);
            self.destination(place, inst);
            for (kind, value) in inst.operands() {
                self.operand(place, inst, kind, value);
            }
            match inst.op {
                Op::ConstI1 if inst.a > 1 => self.report(place, What::Truth(inst.a)),
                Op::Call => self.call(place, inst, self.program.signature(FuncId(inst.a))),
                Op::CallIface => {
                    self.call(place, inst, self.program.signature(FuncId(inst.a)));
                    self.receiver(place, inst);
                }
                Op::CallVirt => self.receiver(place, inst),
                Op::Ret => {
                    if let Some(ty) = self.func.ret {
                        self.report(place, What::ReturnsValue(ty));
                    }
                }
                Op::RetVal => match self.func.ret {
                    Some(ty) => self.register(place, Reg(inst.a), Some(ty)),
                    None => self.report(place, What::ReturnsNothing),
                },
                // The row says all there is to say of every other opcode.
                _ => {}
            }
        }
    }

    fn destination(&mut self, place: Place, inst: &Inst) {
        let given = !inst.dst.is_none();
        match inst.op.result() {
            OpResult::None if given => self.report(place, What::Destination(OpName(inst.op))),
            OpResult::Is(_) | OpResult::Any if !given => {
                self.report(place, What::NoDestination(OpName(inst.op)))
            }
            OpResult::Is(ty) => self.register(place, inst.dst, Some(ty)),
            OpResult::Any => self.register(place, inst.dst, None),
            OpResult::Maybe if given => self.register(place, inst.dst, None),
            OpResult::None | OpResult::Maybe => {}
        }
    }

    fn register(&mut self, place: Place, reg: Reg, expected: Option<Type>) {
        match (self.func.regs.get(reg), expected) {
            (None, _) => self.report(place, What::NoReg(reg)),
            (Some(info), Some(expected)) if info.ty != expected => {
                self.report(place, What::Type { reg, found: info.ty, expected });
            }
            (Some(_), _) => {}
        }
    }

    fn require(&mut self, place: Place, holds: bool, what: What) {
        if !holds {
            self.report(place, what);
        }
    }

    fn block(&mut self, place: Place, block: BlockId) {
        if self.func.blocks.get(block).is_none() {
            self.report(place, What::NoBlock(block));
        }
    }

    fn operand(&mut self, place: Place, inst: &Inst, kind: Operand, value: u64) {
        let word = value as u32;
        match kind {
            Operand::Reg(ty) => self.register(place, Reg(word), Some(ty)),
            Operand::Any => self.register(place, Reg(word), None),
            Operand::Same => {
                let ty = self.func.regs.get(inst.dst).map(|r| r.ty);
                self.register(place, Reg(word), ty);
            }
            Operand::Block => self.block(place, BlockId(word)),
            Operand::Func => {
                self.require(place, self.program.has_func(FuncId(word)), What::NoFunc(FuncId(word)))
            }
            Operand::Class => {
                self.require(place, self.program.has_class(ClassId(word)), What::NoClass(ClassId(word)))
            }
            Operand::Str => self.require(place, self.program.has_str(StrId(word)), What::NoStr(StrId(word))),
            Operand::Check => self.require(place, (word as usize) < Check::ALL.len(), What::NoCheck(word)),
            Operand::List => match self.func.lists.get(word as usize) {
                Some(list) => list.iter().for_each(|reg| self.register(place, *reg, None)),
                None => self.report(place, What::NoList(word)),
            },
            Operand::Table => match self.func.tables.get(word as usize) {
                Some(table) => {
                    if !table.cases.is_sorted_by(|a, b| a.0 < b.0) {
                        self.report(place, What::CasesUnsorted);
                    }
                    table.cases.iter().for_each(|(_, block)| self.block(place, *block));
                    self.block(place, table.default);
                }
                None => self.report(place, What::NoTable(word)),
            },
            // Every literal, offset and slot is legal as far as a function can tell.
            Operand::Imm32 | Operand::Imm64 | Operand::Off | Operand::Slot => {}
        }
    }

    fn call(&mut self, place: Place, inst: &Inst, signature: Option<Signature>) {
        let (Some(signature), Some(args)) = (signature, self.func.lists.get(inst.b as usize)) else { return };
        if signature.params.len() != args.len() {
            let what = What::Arity { expected: signature.params.len(), found: args.len() };
            self.report(place, what);
            return;
        }
        for (arg, ty) in args.iter().zip(&signature.params) {
            // That the register exists was checked with the list.
            if self.func.regs.get(*arg).is_some() {
                self.register(place, *arg, Some(*ty));
            }
        }
        match signature.ret {
            None if !inst.dst.is_none() => self.report(place, What::VoidCallee),
            Some(ty) if self.func.regs.get(inst.dst).is_some() => self.register(place, inst.dst, Some(ty)),
            _ => {}
        }
    }

    fn receiver(&mut self, place: Place, inst: &Inst) {
        let Some(args) = self.func.lists.get(inst.b as usize) else { return };
        match args.first() {
            Some(reg) if self.func.regs.get(*reg).is_some_and(|r| r.ty != Type::Ref) => {
                self.report(place, What::NoReceiver);
            }
            None => self.report(place, What::NoReceiver),
            Some(_) => {}
        }
    }

    fn branch_infos(&mut self) {
        let func = self.func;
        if !func.branches.is_sorted_by(|a, b| a.0 < b.0) {
            self.report(Place::Function, What::InfosUnsorted);
            return;
        }
        let is_branch =
            |index: u32| func.code.get(index as usize).is_some_and(|i| matches!(i.op, Op::Br | Op::Switch));
        for (index, _) in &func.branches {
            if !is_branch(*index) {
                self.report(Place::Inst(*index), What::InfoMisplaced);
            }
        }
        for index in (0..func.code.len() as u32).filter(|i| is_branch(*i)) {
            if func.branch_info(index).is_none() {
                self.report(Place::Inst(index), What::InfoMissing);
            }
        }
    }

    fn landings(&mut self) {
        let func = self.func;
        let mut lands = vec![false; func.blocks.len()];
        for unwind in func.blocks.values().filter_map(|b| b.unwind) {
            lands[unwind.0 as usize] = true;
        }
        for (id, block) in func.blocks.iter() {
            let is_landing = lands[id.0 as usize];
            for index in block.start..block.end {
                let is_catch = func.code[index as usize].op == Op::Catch;
                let first = index == block.start;
                if first && is_landing && !is_catch {
                    self.report(Place::Inst(index), What::NoCatch);
                } else if is_catch && !(first && is_landing) {
                    self.report(Place::Inst(index), What::CatchMisplaced);
                }
            }
            if is_landing && id == BlockId(0) {
                self.report(Place::Block(id), What::EntryIsLanding);
            }
            let mut reported = Vec::new();
            for succ in func.successors(id) {
                if lands[succ.0 as usize] && !reported.contains(&succ) {
                    reported.push(succ);
                    self.report(Place::Inst(block.end - 1), What::EdgeToLanding(succ));
                }
            }
        }
    }
}
