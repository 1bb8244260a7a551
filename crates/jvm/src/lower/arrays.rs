//! Arrays: access, length, creation.

use ir::{Builder, ClassId, FuncId, Function, Inst, MemType, Op, Origin, Reg, Type};

use super::method::{Lowering, Next, Step};
use super::state::{Const, Entry};
use crate::load::FieldType;
use crate::load::instr::{ArrayKind, ElementKind};
use crate::world::Jvm;

impl Lowering<'_> {
    pub fn array_load(&mut self, kind: ArrayKind) -> Step {
        let index = self.pop_reg(Type::I32)?;
        let array = self.pop_reg(Type::Ref)?;
        let cell = cell(kind);
        self.guard_inside(array, index);
        let value = self.out.value(cell.reg_type(), Op::aload(cell), array.0, index.0, 0);
        self.push_reg(value)
    }

    pub fn array_store(&mut self, kind: ArrayKind) -> Step {
        let cell = cell(kind);
        let entry = self.pop_entry(cell.reg_type())?;
        let value = self.reg_of(entry);
        let index = self.pop_reg(Type::I32)?;
        let array = self.pop_reg(Type::Ref)?;
        self.guard_inside(array, index);
        if kind == ArrayKind::Ref && entry != Entry::Const(Const::Null) {
            self.out.effect(Op::GuardStore, array.0, value.0, 0);
        }
        self.out.effect(Op::astore(cell), array.0, index.0, value.0);
        Ok(Next::On)
    }

    fn guard_inside(&mut self, array: Reg, index: Reg) {
        self.guard_nonnull(array);
        if !self.state.facts.is_inside(array, index) {
            self.out.effect(Op::GuardBounds, array.0, index.0, 0);
            self.state.facts.add_inside(array, index);
        }
    }

    pub fn array_length(&mut self) -> Step {
        let array = self.pop_reg(Type::Ref)?;
        self.guard_nonnull(array);
        let len = self.out.value(Type::I32, Op::ArrayLen, array.0, 0, 0);
        self.push_reg(len)
    }

    pub fn new_array(&mut self, kind: ElementKind) -> Step {
        let ty = match kind {
            ElementKind::Boolean => FieldType::Boolean,
            ElementKind::Char => FieldType::Char,
            ElementKind::Float => FieldType::Float,
            ElementKind::Double => FieldType::Double,
            ElementKind::Byte => FieldType::Byte,
            ElementKind::Short => FieldType::Short,
            ElementKind::Int => FieldType::Int,
            ElementKind::Long => FieldType::Long,
        };
        match self.jvm.class_of_type(&ty) {
            Ok(elem) => self.new_array_of(elem),
            Err(error) => self.trap(&error),
        }
    }

    pub fn new_ref_array(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        match self.jvm.class(file.pool.class(cp)?) {
            Ok(elem) => self.new_array_of(elem),
            Err(error) => {
                self.pop_reg(Type::I32)?;
                self.trap(&error)
            }
        }
    }

    fn new_array_of(&mut self, elem: ClassId) -> Step {
        let class = self.jvm.array_of(elem);
        let len = self.pop_entry(Type::I32)?;
        let reg = self.length(len);
        let array = self.out.value(Type::Ref, Op::NewArray, class.0, reg.0, 0);
        self.state.facts.add_nonnull(array);
        self.push_reg(array)
    }

    fn length(&mut self, len: Entry) -> Reg {
        let reg = self.reg_of(len);
        if !matches!(len, Entry::Const(Const::I32(0..))) {
            self.out.effect(Op::GuardNonNegative, reg.0, 0, 0);
        }
        reg
    }

    pub fn new_multi_array(&mut self, cp: u16, dimensions: u8) -> Step {
        let file = self.file.clone();
        let name = file.pool.class(cp)?;
        let class = self.jvm.class(name);
        let mut lengths = Vec::new();
        for _ in 0..dimensions {
            lengths.push(self.pop_entry(Type::I32)?);
        }
        lengths.reverse();
        let depth = name.bytes().take_while(|byte| *byte == b'[').count();
        if depth < usize::from(dimensions) {
            return self.refuse("multianewarray has more dimensions than its class");
        }
        match class {
            Ok(class) => {
                let lengths: Vec<Reg> = lengths.into_iter().map(|len| self.length(len)).collect();
                let func = multi_array(self.jvm, class, lengths.len());
                let list = self.out.list(&lengths);
                let array = self.out.value(Type::Ref, Op::Call, func.0, list, 0);
                self.state.facts.add_nonnull(array);
                self.push_reg(array)
            }
            Err(error) => self.trap(&error),
        }
    }
}

fn cell(kind: ArrayKind) -> MemType {
    match kind {
        ArrayKind::Int => MemType::I32,
        ArrayKind::Long => MemType::I64,
        ArrayKind::Float => MemType::F32,
        ArrayKind::Double => MemType::F64,
        ArrayKind::Ref => MemType::Ref,
        // A boolean array holds 0 and 1, which are the same signed.
        ArrayKind::ByteOrBoolean => MemType::I8,
        ArrayKind::Char => MemType::U16,
        ArrayKind::Short => MemType::I16,
    }
}

/// A function that makes an array of arrays; it takes the lengths of the outermost dimensions.
fn multi_array(jvm: &mut Jvm, class: ClassId, dimensions: usize) -> FuncId {
    let name = format!("new {} of {dimensions}", jvm.classes[class].name);
    if let Some(func) = jvm.made.get(name.as_str()) {
        return *func;
    }
    let inner = match jvm.elem_of(class) {
        Some(elem) if dimensions > 1 => Some(multi_array(jvm, elem, dimensions - 1)),
        _ => None,
    };
    let function = build_multi_array(&name, class, dimensions, inner);
    jvm.make_func(&name, |_| function)
}

fn build_multi_array(name: &str, class: ClassId, dimensions: usize, inner: Option<FuncId>) -> Function {
    let lengths = vec![Type::I32; dimensions];
    let mut b = Builder::new(name, &lengths, Some(Type::Ref));
    let array = b.value(Type::Ref, Op::NewArray, class.0, 0, 0);
    if let Some(inner) = inner {
        let [head, body, done] = std::array::from_fn(|_| b.block());
        let index = b.reg(Type::I32);
        b.emit(Inst { op: Op::ConstI32, dst: index, a: 0, b: 0, c: 0 });
        let one = b.const_i32(1);
        b.jump(head);
        b.switch_to(head);
        let more = b.value(Type::I1, Op::SltI32, index.0, 0, 0);
        let info = ir::BranchInfo { origin: Origin::Synthetic, decision: 0, condition: 0, far: false };
        b.br(more, body, done, info);
        b.switch_to(body);
        let rest: Vec<Reg> = (1..dimensions as u32).map(Reg).collect();
        let elem = b.call_value(Type::Ref, inner, &rest);
        b.effect(Op::AStoreRef, array.0, index.0, elem.0);
        b.emit(Inst { op: Op::AddI32, dst: index, a: index.0, b: one.0, c: 0 });
        b.jump(head);
        b.switch_to(done);
    }
    b.ret(Some(array));
    b.finish()
}
