//! Constants: literals, and everything `ldc` can load.

use ir::{Op, Reg, Type};

use super::method::{Lowering, Next, Step};
use super::state::{Const, Entry};
use crate::link::reg_type;
use crate::load::{Constant, FieldType};

impl Lowering<'_> {
    pub fn push_const(&mut self, value: Const) -> Step {
        self.push(Entry::Const(value))
    }

    /// A register that holds a constant; the same one within a straight line of blocks.
    pub fn const_reg(&mut self, value: Const) -> Reg {
        if let Some(reg) = self.state.facts.constant(value) {
            return reg;
        }
        let reg = self.out.reg(value.ty());
        self.const_into(reg, value);
        self.state.facts.add_constant(value, reg);
        reg
    }

    /// A register that holds a constant and that later code does not use, unless one is there already.
    pub fn own_const_reg(&mut self, value: Const) -> Reg {
        self.state.facts.constant(value).unwrap_or_else(|| {
            let reg = self.out.reg(value.ty());
            self.const_into(reg, value);
            reg
        })
    }

    pub fn const_into(&mut self, reg: Reg, value: Const) {
        match value {
            Const::Null => self.out.write(reg, Op::Null, 0, 0, 0),
            Const::I32(value) => self.out.write(reg, Op::ConstI32, value as u32, 0, 0),
            Const::I64(value) => self.out.write(reg, Op::ConstI64, value as u32, (value >> 32) as u32, 0),
            Const::F32(bits) => self.out.write(reg, Op::ConstF32, bits, 0, 0),
            Const::F64(bits) => self.out.write(reg, Op::ConstF64, bits as u32, (bits >> 32) as u32, 0),
        }
    }

    pub fn ldc(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        match file.pool.get(cp)? {
            Constant::Int(value) => self.push_const(Const::I32(value)),
            Constant::Float(value) => self.push_const(Const::F32(value.to_bits())),
            Constant::Long(value) => self.push_const(Const::I64(value)),
            Constant::Double(value) => self.push_const(Const::F64(value.to_bits())),
            Constant::String => self.ldc_string(cp),
            Constant::Class(name) => match self.jvm.class(name) {
                Ok(class) => {
                    let reg = self.out.value(Type::Ref, Op::ClassRef, class.0, 0, 0);
                    self.state.facts.add_nonnull(reg);
                    self.push_reg(reg)
                }
                Err(error) => self.trap(&error),
            },
            Constant::MethodHandle(_) | Constant::MethodType(_) => self.linked_constant(cp, Type::Ref),
            Constant::Dynamic(dynamic) => {
                let Some(ty) = FieldType::parse(dynamic.descriptor) else {
                    return self.refuse("dynamic constant has a wrong type");
                };
                self.dynamic_constant(cp, reg_type(&ty))
            }
            _ => self.refuse("constant cannot be loaded"),
        }
    }

    fn ldc_string(&mut self, cp: u16) -> Step {
        let units = self.file.pool.string(cp)?;
        let string = self.jvm.string_id(&units);
        if let Some(reg) = self.state.facts.string(string) {
            return self.push_reg(reg);
        }
        let reg = self.out.value(Type::Ref, Op::Str, string.0, 0, 0);
        self.state.facts.add_string(string, reg);
        self.push_reg(reg)?;
        Ok(Next::On)
    }
}
