//! Arithmetic, shifts, bit operations and conversions. The IR's operators are the JVM's (wrap-around, masked shift
//! counts, saturating conversions); only division needs a check.

use ir::{Op, Type};

use super::method::{Lowering, Step};
use super::state::{Const, Entry};
use crate::load::instr::{BinaryOp, Conversion, NumKind};

impl Lowering<'_> {
    pub fn binary(&mut self, op: BinaryOp, kind: NumKind) -> Step {
        let ty = num_type(kind);
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr);
        let right = self.pop_entry(if shift { Type::I32 } else { ty })?;
        let left = self.pop_reg(ty)?;
        let right_reg = self.reg_of(right);
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            let zero = matches!(right, Entry::Const(Const::I32(0) | Const::I64(0)));
            let known = matches!(right, Entry::Const(_)) && !zero;
            match ty {
                Type::I32 if !known => self.out.effect(Op::GuardNonZeroI32, right_reg.0, 0, 0),
                Type::I64 if !known => self.out.effect(Op::GuardNonZeroI64, right_reg.0, 0, 0),
                _ => {}
            }
        }
        let Some(op) = binary_op(op, kind) else { return self.refuse("no such operation") };
        let result = self.out.value(ty, op, left.0, right_reg.0, 0);
        self.push_reg(result)
    }

    pub fn negate(&mut self, kind: NumKind) -> Step {
        let ty = num_type(kind);
        let operand = self.pop_reg(ty)?;
        let op = match kind {
            NumKind::Int => Op::NegI32,
            NumKind::Long => Op::NegI64,
            NumKind::Float => Op::NegF32,
            NumKind::Double => Op::NegF64,
        };
        let result = self.out.value(ty, op, operand.0, 0, 0);
        self.push_reg(result)
    }

    pub fn convert(&mut self, conversion: Conversion) -> Step {
        let (from, to, op) = match conversion {
            Conversion::I2L => (Type::I32, Type::I64, Op::I32ToI64),
            Conversion::I2F => (Type::I32, Type::F32, Op::I32ToF32),
            Conversion::I2D => (Type::I32, Type::F64, Op::I32ToF64),
            Conversion::L2I => (Type::I64, Type::I32, Op::I64ToI32),
            Conversion::L2F => (Type::I64, Type::F32, Op::I64ToF32),
            Conversion::L2D => (Type::I64, Type::F64, Op::I64ToF64),
            Conversion::F2I => (Type::F32, Type::I32, Op::F32ToI32),
            Conversion::F2L => (Type::F32, Type::I64, Op::F32ToI64),
            Conversion::F2D => (Type::F32, Type::F64, Op::F32ToF64),
            Conversion::D2I => (Type::F64, Type::I32, Op::F64ToI32),
            Conversion::D2L => (Type::F64, Type::I64, Op::F64ToI64),
            Conversion::D2F => (Type::F64, Type::F32, Op::F64ToF32),
            Conversion::I2B => (Type::I32, Type::I32, Op::I32ToI8),
            Conversion::I2C => (Type::I32, Type::I32, Op::I32ToU16),
            Conversion::I2S => (Type::I32, Type::I32, Op::I32ToI16),
        };
        let operand = self.pop_reg(from)?;
        let result = self.out.value(to, op, operand.0, 0, 0);
        self.push_reg(result)
    }
}

fn num_type(kind: NumKind) -> Type {
    match kind {
        NumKind::Int => Type::I32,
        NumKind::Long => Type::I64,
        NumKind::Float => Type::F32,
        NumKind::Double => Type::F64,
    }
}

fn binary_op(op: BinaryOp, kind: NumKind) -> Option<Op> {
    let ops = match op {
        BinaryOp::Add => [Op::AddI32, Op::AddI64, Op::AddF32, Op::AddF64],
        BinaryOp::Sub => [Op::SubI32, Op::SubI64, Op::SubF32, Op::SubF64],
        BinaryOp::Mul => [Op::MulI32, Op::MulI64, Op::MulF32, Op::MulF64],
        BinaryOp::Div => [Op::SDivI32, Op::SDivI64, Op::DivF32, Op::DivF64],
        BinaryOp::Rem => [Op::SRemI32, Op::SRemI64, Op::RemF32, Op::RemF64],
        _ => {
            let ops = match op {
                BinaryOp::Shl => [Op::ShlI32, Op::ShlI64],
                BinaryOp::Shr => [Op::AShrI32, Op::AShrI64],
                BinaryOp::Ushr => [Op::LShrI32, Op::LShrI64],
                BinaryOp::And => [Op::AndI32, Op::AndI64],
                BinaryOp::Or => [Op::OrI32, Op::OrI64],
                _ => [Op::XorI32, Op::XorI64],
            };
            return match kind {
                NumKind::Int => Some(ops[0]),
                NumKind::Long => Some(ops[1]),
                NumKind::Float | NumKind::Double => None,
            };
        }
    };
    Some(ops[kind as usize])
}
