//! Lowering one method: the walk over its blocks, and what the opcode families share.

use std::sync::Arc;

use ir::{BlockId, Check, ClassId, FuncId, Function, Op, Origin, Position, Reg, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::draft::Draft;
use super::flow::{ContextId, Flow};
use super::state::{Const, Entry, State};
use super::written::Written;
use super::{Refusal, compact, decisions, handlers, hoist, patterns, thread, variables};
use crate::link::{ClassOrigin, LinkError};
use crate::load::instr::{Bytecode, Instr, Kind};
use crate::load::{ClassFile, Code, Method, access};
use crate::world::Jvm;

/// Whether the block goes on after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    On,
    /// The block has its terminator.
    Closed,
}

pub(super) type Step = Result<Next, Refusal>;

/// One method on its way from bytecode to IR.
pub(super) struct Lowering<'j> {
    pub jvm: &'j mut Jvm,
    pub func: FuncId,
    pub class: ClassId,
    pub file: Arc<ClassFile>,
    pub bytecode: Bytecode,
    pub out: Draft,
    pub state: State,
    pub flow: Flow,
    /// The block being lowered.
    pub context: ContextId,
    pub index: usize,
    pub pc: u16,
    /// Registers of locals by slot, in the order of [`Kind`].
    pub locals: Vec<[Reg; 5]>,
    /// By register: it is a local's and may be overwritten.
    pub is_local: Vec<bool>,
    /// Branches that no person wrote.
    pub synthetic: FxHashSet<u16>,
    /// Where the code begins that compilers add for what cannot happen.
    pub never: FxHashSet<u16>,
    /// Switches on strings by the pc of the switch on the hash.
    pub string_switches: FxHashMap<u16, patterns::StringSwitch>,
    /// What is locked while a synchronized method runs.
    pub lock: Option<Reg>,
    /// The register in which exceptions arrive.
    pub caught: Option<Reg>,
    pub landings: FxHashMap<(Vec<usize>, ContextId), BlockId>,
    pub unlocking: Option<BlockId>,
    /// `this` cannot be null, unless the method stores to its slot.
    pub receiver: Option<Reg>,
    blocks: FxHashMap<usize, NodeBlock>,
    work: Vec<usize>,
    /// IR blocks made while the current node is lowered; they share its landing block.
    made: Vec<BlockId>,
    lines: Vec<(u16, u16)>,
    /// The pcs of code that is on no line of the source, whatever the compiler says.
    added: FxHashSet<u16>,
    max_locals: u16,
    method_index: usize,
}

/// The IR block of a bytecode block, and how its stack comes in.
struct NodeBlock {
    block: BlockId,
    entry: State,
}

/// Lowers a method of a class file.
pub(super) fn lower(jvm: &mut Jvm, func: FuncId, index: u32) -> Result<Function, Refusal> {
    let class = jvm.funcs[func].class;
    let file = jvm.classes[class].file.clone().ok_or_else(|| Refusal::new("no class file"))?;
    let method = file.methods.get(index as usize).ok_or_else(|| Refusal::new("no such method"))?;
    let code = method.code.as_ref().ok_or_else(|| Refusal::new("no code"))?;
    let bytecode = method.decode()?.ok_or_else(|| Refusal::new("no code"))?;
    let flow = Flow::new(code, &bytecode)?;
    let synthetic = patterns::synthetic_branches(&file, method, &bytecode);
    let string_switches = patterns::string_switches(&file, &bytecode);
    let never = patterns::never(&file, code, &bytecode);
    let added = handlers::added(&file, code, &bytecode);
    let mut lines = code.lines.clone();
    lines.sort_by_key(|(pc, _)| *pc);
    if let Some(sites) = file.call_sites() {
        lines.iter_mut().for_each(|(_, line)| *line = sites.line(*line));
    }
    let mut lowering = Lowering {
        jvm,
        func,
        class,
        bytecode,
        out: Draft::default(),
        state: State::default(),
        flow,
        context: 0,
        index: 0,
        pc: 0,
        locals: vec![[Reg::NONE; 5]; usize::from(code.max_locals)],
        is_local: Vec::new(),
        synthetic,
        never,
        string_switches,
        lock: None,
        caught: None,
        landings: FxHashMap::default(),
        unlocking: None,
        receiver: None,
        blocks: FxHashMap::default(),
        work: Vec::new(),
        made: Vec::new(),
        lines,
        added,
        max_locals: code.max_locals,
        method_index: index as usize,
        file: file.clone(),
    };
    lowering.parameters(method)?;
    lowering.prologue(method)?;
    lowering.nodes(code)?;
    lowering.finish(method, code)
}

impl Lowering<'_> {
    /// The first registers are the receiver and the parameters.
    fn parameters(&mut self, method: &Method) -> Result<(), Refusal> {
        let mut slot = 0u16;
        if !method.is(access::STATIC) {
            let this = self.parameter(&mut slot, Type::Ref)?;
            let overwritten =
                self.bytecode.instrs.iter().any(|(_, i)| matches!(i, Instr::Store(_, 0) | Instr::Iinc(0, _)));
            self.receiver = (!overwritten).then_some(this);
        }
        let signature = self.jvm.funcs[self.func].signature.clone();
        for ty in &signature.params {
            self.parameter(&mut slot, *ty)?;
        }
        self.out.params = self.out.regs.len() as u32;
        Ok(())
    }

    fn parameter(&mut self, slot: &mut u16, ty: Type) -> Result<Reg, Refusal> {
        let words = if matches!(ty, Type::I64 | Type::F64) { 2 } else { 1 };
        if slot.saturating_add(words) > self.max_locals {
            return Err(Refusal::new("parameters do not fit max_locals"));
        }
        let reg = self.local(*slot, ty);
        *slot += words;
        Ok(reg)
    }

    /// The register of a local variable slot for values of a type.
    pub fn local(&mut self, slot: u16, ty: Type) -> Reg {
        let index = match ty {
            Type::I32 | Type::I1 => 0,
            Type::I64 | Type::Ptr => 1,
            Type::F32 => 2,
            Type::F64 => 3,
            Type::Ref => 4,
        };
        let Some(known) = self.locals.get(usize::from(slot)).map(|regs| regs[index]) else {
            // The decoder checked all slots against max_locals.
            return self.out.reg(ty);
        };
        if !known.is_none() {
            return known;
        }
        let reg = self.out.reg(ty);
        self.locals[usize::from(slot)][index] = reg;
        self.is_local.resize(self.out.regs.len(), false);
        self.is_local[reg.0 as usize] = true;
        reg
    }

    pub fn is_local(&self, reg: Reg) -> bool {
        self.is_local.get(reg.0 as usize).copied().unwrap_or(false)
    }

    /// The entry block: locks what a synchronized method locks.
    fn prologue(&mut self, method: &Method) -> Result<(), Refusal> {
        let entry = self.out.block(0);
        self.out.switch_to(entry);
        self.at(0);
        if method.is(access::SYNCHRONIZED) {
            let lock = self.out.reg(Type::Ref);
            match method.is(access::STATIC) {
                true => self.out.write(lock, Op::ClassRef, self.class.0, 0, 0),
                false => self.out.copy(lock, Reg(0)),
            }
            self.out.effect(Op::MonitorEnter, lock.0, 0, 0);
            self.lock = Some(lock);
        }
        let first = self.flow.find(0, 0).ok_or_else(|| Refusal::new("no code"))?;
        let block = self.enter(first, None)?;
        self.out.jump(block);
        Ok(())
    }

    fn nodes(&mut self, code: &Code) -> Result<(), Refusal> {
        while let Some(node) = self.work.pop() {
            self.node(code, node)?;
        }
        Ok(())
    }

    fn node(&mut self, code: &Code, node: usize) -> Result<(), Refusal> {
        let (first, end) = (self.flow.nodes[node].first, self.flow.nodes[node].end);
        self.context = self.flow.nodes[node].context;
        let Some(NodeBlock { block, entry }) = self.blocks.get(&node) else { return Ok(()) };
        let block = *block;
        self.state = entry.clone();
        self.out.switch_to(block);
        self.made = vec![block];
        let start = self.bytecode.instrs[first].0;
        let mut next = Next::On;
        for index in first..end {
            self.index = index;
            self.at(self.bytecode.instrs[index].0);
            let instr = self.bytecode.instrs[index].1.clone();
            next = self.instr(&instr)?;
            if next == Next::Closed {
                break;
            }
        }
        if next == Next::On {
            let after = self.bytecode.instrs.get(end).map(|(pc, _)| *pc);
            let after = after.ok_or_else(|| Refusal::at(self.pc, "falls off the end of the code"))?;
            self.go(after, self.context)?;
        }
        self.cover(code, start)
    }

    /// Gives the blocks of the node their landing block.
    fn cover(&mut self, code: &Code, start: u16) -> Result<(), Refusal> {
        let made = std::mem::take(&mut self.made);
        if made.iter().any(|block| self.out.blocks[block.0 as usize].can_raise()) {
            let landing = self.landing(code, start)?;
            for block in made {
                if self.out.blocks[block.0 as usize].can_raise() {
                    self.out.blocks[block.0 as usize].unwind = landing;
                }
            }
        }
        Ok(())
    }

    /// One arm an opcode or family; the bodies are in the family files.
    fn instr(&mut self, instr: &Instr) -> Step {
        match instr {
            Instr::Nop => Ok(Next::On),
            Instr::Null => self.push_const(Const::Null),
            Instr::Int(value) => self.push_const(Const::I32(*value)),
            Instr::Long(value) => self.push_const(Const::I64(*value)),
            Instr::Float(value) => self.push_const(Const::F32(value.to_bits())),
            Instr::Double(value) => self.push_const(Const::F64(value.to_bits())),
            Instr::Ldc(cp) | Instr::Ldc2(cp) => self.ldc(*cp),
            Instr::Load(kind, slot) => self.load(*kind, *slot),
            Instr::Store(kind, slot) => self.store(*kind, *slot),
            Instr::Iinc(slot, by) => self.iinc(*slot, *by),
            Instr::ArrayLoad(kind) => self.array_load(*kind),
            Instr::ArrayStore(kind) => self.array_store(*kind),
            Instr::ArrayLength => self.array_length(),
            Instr::NewArray(kind) => self.new_array(*kind),
            Instr::ANewArray(cp) => self.new_ref_array(*cp),
            Instr::MultiANewArray(cp, dimensions) => self.new_multi_array(*cp, *dimensions),
            Instr::Pop
            | Instr::Pop2
            | Instr::Dup
            | Instr::DupX1
            | Instr::DupX2
            | Instr::Dup2
            | Instr::Dup2X1
            | Instr::Dup2X2
            | Instr::Swap => self.shuffle(instr),
            Instr::Binary(op, kind) => self.binary(*op, *kind),
            Instr::Neg(kind) => self.negate(*kind),
            Instr::Convert(conversion) => self.convert(*conversion),
            Instr::Compare(comparison) => self.compare(*comparison),
            Instr::If(cond, target) => self.branch_zero(*cond, *target),
            Instr::IfInts(cond, target) => self.branch_ints(*cond, *target),
            Instr::IfRefs(same, target) => self.branch_refs(*same, *target),
            Instr::IfNull(null, target) => self.branch_null(*null, *target),
            Instr::Goto(target) => self.go(*target, self.context),
            Instr::Jsr(target) => self.jsr(*target),
            Instr::Ret(slot) => self.ret_subroutine(*slot),
            Instr::TableSwitch(switch) => self.table_switch(switch),
            Instr::LookupSwitch(switch) => self.lookup_switch(switch),
            Instr::Return(kind) => self.ret(*kind),
            Instr::GetStatic(cp) => self.get_static(*cp),
            Instr::PutStatic(cp) => self.put_static(*cp),
            Instr::GetField(cp) => self.get_field(*cp),
            Instr::PutField(cp) => self.put_field(*cp),
            Instr::InvokeVirtual(cp) => self.invoke_virtual(*cp),
            Instr::InvokeSpecial(cp) => self.invoke_special(*cp),
            Instr::InvokeStatic(cp) => self.invoke_static(*cp),
            Instr::InvokeInterface(cp) => self.invoke_interface(*cp),
            Instr::InvokeDynamic(cp) => self.invoke_dynamic(*cp),
            Instr::New(cp) => self.new_object(*cp),
            Instr::CheckCast(cp) => self.check_cast(*cp),
            Instr::InstanceOf(cp) => self.instance_of(*cp),
            Instr::AThrow => self.throw(),
            Instr::MonitorEnter => self.monitor(Op::MonitorEnter),
            Instr::MonitorExit => self.monitor(Op::MonitorExit),
        }
    }

    fn finish(mut self, method: &Method, code: &Code) -> Result<Function, Refusal> {
        let signature = self.jvm.funcs[self.func].signature.clone();
        let name = self.jvm.func_name(self.func);
        let source = self.file.source_file.as_ref().map(|source| source.to_string());
        let locals = std::mem::take(&mut self.locals);
        let own = self.jvm.classes[self.class].origin == ClassOrigin::User;
        if own {
            thread::thread(&mut self.out, &self.is_local);
        }
        hoist::hoist(&mut self.out, &self.is_local);
        let mut function = self.out.finish(name, source, signature.ret, own);
        let library = self.jvm.classes[self.class].origin == ClassOrigin::Library;
        variables::name(&mut function, &locals, code, &self.bytecode, !library);
        if own && code.locals.is_empty() {
            let is_static = method.access & access::STATIC != 0;
            variables::name_params(&mut function, is_static, &crate::input::param_names(self.jvm, self.func));
        }
        compact::compact(&mut function);
        let leaders = self.flow.nodes.iter().map(|node| self.bytecode.instrs[node.first].0).collect();
        let written = Written::new(&self.file, code, &self.bytecode, leaders);
        decisions::group(&mut function, &written);
        debug_assert_eq!(&*self.file.methods[self.method_index].name, &*method.name);
        Ok(function)
    }

    // Positions, registers and checks.

    /// Instructions get this position from now on.
    pub fn at(&mut self, pc: u16) {
        self.pc = pc;
        let after = self.lines.partition_point(|(start, _)| *start <= pc);
        let line = after.checked_sub(1).and_then(|i| self.lines.get(i)).map_or(0, |(_, line)| *line);
        let line = if self.added.contains(&pc) { 0 } else { line };
        self.out.position = Position { line: line.into(), offset: pc.into() };
    }

    pub fn refuse<T>(&self, what: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal::at(self.pc, what))
    }

    pub fn origin(&self) -> Origin {
        if self.synthetic.contains(&self.pc) { Origin::Synthetic } else { Origin::Source }
    }

    /// A block within the current node.
    pub fn inner_block(&mut self) -> BlockId {
        let block = self.out.block(self.pc.into());
        self.made.push(block);
        block
    }

    /// Ends the block by raising a linkage error.
    pub fn trap(&mut self, error: &LinkError) -> Step {
        let message = self.jvm.text_id(&error.to_string());
        self.out.effect(Op::Trap, Check::Link as u32, message.0, 0);
        Ok(Next::Closed)
    }

    /// Makes sure that a reference is not null, where that is not known.
    pub fn guard_nonnull(&mut self, reg: Reg) {
        if self.receiver == Some(reg) || self.state.facts.is_nonnull(reg) {
            return;
        }
        self.out.effect(Op::GuardNonNull, reg.0, 0, 0);
        self.state.facts.add_nonnull(reg);
    }

    /// Makes sure that a class is initialised, where that can matter.
    pub fn guard_init(&mut self, class: ClassId) {
        let target = &self.jvm.classes[class];
        // Code of a class runs only once its initialisation has begun, and then that of its superclasses has too.
        let under_way =
            class == self.class || (!target.is_interface() && self.jvm.is_subclass(self.class, class));
        if !target.needs_init || under_way || self.state.facts.is_initialised(class) {
            return;
        }
        self.out.effect(Op::GuardInit, class.0, 0, 0);
        self.state.facts.add_initialised(class);
    }

    // Control flow.

    /// The IR block of a bytecode block that is entered from here with the current state. Where control flow
    /// joins, `copies` collects what must be copied on this edge.
    fn enter(&mut self, node: usize, copies: Option<&mut Vec<(Reg, Entry)>>) -> Result<BlockId, Refusal> {
        let single = self.flow.nodes[node].entries <= 1;
        if !self.blocks.contains_key(&node) {
            let first = self.flow.nodes[node].first;
            let pc = self.bytecode.instrs[first].0;
            let block = self.out.block(pc.into());
            self.out.blocks[block.0 as usize].never = self.never.contains(&pc);
            let entry = if single {
                self.state.clone()
            } else {
                let types: Vec<Entry> = self.state.stack.clone();
                let stack = types.into_iter().map(|entry| match entry {
                    Entry::Return => Entry::Return,
                    other => Entry::Reg(self.out.reg(other.ty()), other.ty()),
                });
                State { stack: stack.collect(), ..State::default() }
            };
            self.blocks.insert(node, NodeBlock { block, entry });
            self.work.push(node);
        }
        let Some(known) = self.blocks.get(&node) else { return self.refuse("no such block") };
        if known.entry.stack.len() != self.state.stack.len() {
            return self.refuse("stack heights differ where control flow joins");
        }
        if !single {
            let mut edge = Vec::new();
            for (to, from) in known.entry.stack.iter().zip(&self.state.stack) {
                match (to, from) {
                    (Entry::Return, Entry::Return) => {}
                    (Entry::Reg(reg, ty), from) if *ty == from.ty() && *from != Entry::Return => {
                        if *from != Entry::Reg(*reg, *ty) {
                            edge.push((*reg, *from));
                        }
                    }
                    _ => return self.refuse("stack types differ where control flow joins"),
                }
            }
            if let Some(copies) = copies {
                *copies = edge;
            }
        }
        Ok(known.block)
    }

    fn node_at(&self, pc: u16, context: ContextId) -> Result<usize, Refusal> {
        let index = self.bytecode.index_of(pc);
        let node = index.and_then(|index| self.flow.find(index, context));
        node.ok_or_else(|| Refusal::at(pc, "is not the start of a block"))
    }

    /// Ends the block by going to another.
    pub fn go(&mut self, pc: u16, context: ContextId) -> Step {
        self.settle_stack();
        let node = self.node_at(pc, context)?;
        let mut copies = Vec::new();
        let block = self.enter(node, Some(&mut copies))?;
        self.copy_all(&copies);
        self.out.jump(block);
        Ok(Next::Closed)
    }

    /// One edge of a branch: the block to go to. An edge that must copy gets a block of its own.
    pub fn edge(&mut self, pc: u16) -> Result<BlockId, Refusal> {
        let node = self.node_at(pc, self.context)?;
        let mut copies = Vec::new();
        let block = self.enter(node, Some(&mut copies))?;
        if copies.is_empty() {
            return Ok(block);
        }
        let here = self.out.here();
        let between = self.out.block(self.pc.into());
        self.out.switch_to(between);
        self.copy_all(&copies);
        self.out.jump(block);
        self.out.switch_to(here);
        Ok(between)
    }

    /// Copies at once: no copy sees what another wrote.
    fn copy_all(&mut self, copies: &[(Reg, Entry)]) {
        let mut copies = copies.to_vec();
        self.write_directly(&mut copies);
        for index in 0..copies.len() {
            let written: Vec<Reg> = copies[..index].iter().map(|(to, _)| *to).collect();
            if let (_, Entry::Reg(from, ty)) = copies[index]
                && written.contains(&from)
            {
                let kept = self.out.reg(ty);
                self.out.copy(kept, from);
                copies[index].1 = Entry::Reg(kept, ty);
            }
        }
        for (to, from) in copies {
            match from {
                Entry::Reg(reg, _) => self.out.copy(to, reg),
                Entry::Const(value) => self.const_into(to, value),
                // Settled before.
                Entry::Compare(..) | Entry::Truth(_) | Entry::Return => {}
            }
        }
    }

    /// If the last instruction made what is copied, it may as well write the copy. The stack is not looked at again in
    /// this block.
    fn write_directly(&mut self, copies: &mut Vec<(Reg, Entry)>) {
        let Some(last) = self.out.last() else { return };
        let made = last.dst;
        let wanted: Vec<usize> = (0..copies.len()).filter(|index| copies[*index].1.reads(made)).collect();
        let [index] = wanted.as_slice() else { return };
        let (to, _) = copies[*index];
        let disturbs = copies.iter().any(|(_, from)| from.reads(to));
        let kept = made.is_none() || last.op == Op::Catch || is_shared(last.op);
        if kept || disturbs || self.is_local(made) {
            return;
        }
        if let Some(last) = self.out.last() {
            last.dst = to;
        }
        copies.remove(*index);
    }

    /// Where an exception handler's block begins, and the register in which it wants the exception.
    pub fn handler(&mut self, pc: u16, caught: Reg) -> Result<(BlockId, Reg), Refusal> {
        let node = self.node_at(pc, self.context)?;
        if let Some(known) = self.blocks.get(&node) {
            return match known.entry.stack.as_slice() {
                [Entry::Reg(reg, Type::Ref)] => Ok((known.block, *reg)),
                _ => self.refuse("a handler's block does not start with the exception alone"),
            };
        }
        let block = self.out.block(pc.into());
        let mut entry = State { stack: vec![Entry::Reg(caught, Type::Ref)], ..State::default() };
        if self.flow.nodes[node].jumps == 0 {
            entry.facts.add_nonnull(caught);
        }
        self.blocks.insert(node, NodeBlock { block, entry });
        self.work.push(node);
        Ok((block, caught))
    }

    /// The kind of a local or result as a register type.
    pub fn kind_type(kind: Kind) -> Type {
        match kind {
            Kind::Int => Type::I32,
            Kind::Long => Type::I64,
            Kind::Float => Type::F32,
            Kind::Double => Type::F64,
            Kind::Ref => Type::Ref,
        }
    }
}

/// Whether later code may find the instruction's result again by what it computes.
pub(super) fn is_shared(op: Op) -> bool {
    matches!(op, Op::ConstI32 | Op::ConstI64 | Op::ConstF32 | Op::ConstF64 | Op::Null | Op::Str | Op::Statics)
}
