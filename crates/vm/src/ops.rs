//! The symbolic side of pure instructions: a term for the result of an operation on terms.
//!
//! Only entered when an operand carries a term, so speed matters less here than in the step loop.

use crate::heap::ObjId;
use crate::lang::{Lang, Stop, Val};
use crate::machine::Vm;
use crate::trace::ElemKind;
use ir::Op;
use ledger::Kind;
use term::{Float, Op as T, Pool, Sort, TermId};

/// The NaN that terms know.
const CANONICAL_NAN_32: u64 = 0x7fc0_0000;
const CANONICAL_NAN_64: u64 = 0x7ff8_0000_0000_0000;

impl<L: Lang> Vm<L> {
    /// The term of a binary operation; operands without a term are constants.
    pub(crate) fn binary_term(&mut self, op: Op, a: (u64, TermId), b: (u64, TermId)) -> TermId {
        if op == Op::EqRef {
            self.note_identity(a, b);
            self.demand_same(ObjId(a.0 as u32), ObjId(b.0 as u32));
            self.demand_there(a, b);
        }
        let (left, right) = operand_sorts(op);
        let x = self.operand(a, left);
        let y = self.operand(b, right);
        let term = binary_of(&mut self.pool, op, x, y)
            .unwrap_or_else(|| unreachable!("{} is not a binary operation", op.name()));
        self.symbolic(term)
    }

    /// An input object is made anew, but a caller could pass one that the program has already (an interned string,
    /// a cached box): that the two are different is not proved.
    fn note_identity(&mut self, a: (u64, TermId), b: (u64, TermId)) {
        let made = |(bits, term): (u64, TermId)| {
            let id = ObjId(bits as u32);
            term.is_some() && self.heap.contains(id) && self.heap.is_fresh(id)
        };
        // Where one of them could have been chosen to be the other, that is tried.
        let chosen = || self.could_be(ObjId(a.0 as u32), ObjId(b.0 as u32));
        if a.0 != 0 && b.0 != 0 && a.0 != b.0 && (made(a) || made(b)) && !chosen() {
            self.note(Kind::Concretised, "an input object is taken to be no other object");
        }
    }

    /// The term of a unary operation on a term.
    pub(crate) fn unary_term(&mut self, op: Op, x: TermId) -> TermId {
        let term = unary_of(&mut self.pool, op, x)
            .unwrap_or_else(|| unreachable!("{} is not a unary operation", op.name()));
        self.symbolic(term)
    }

    /// The bits of a symbolic float. Terms know one NaN only: where the payload of this run's is another, that it
    /// is a NaN becomes a decision, and the bits stay concrete.
    pub fn float_bits(&mut self, op: Op, float: Val) -> Result<Val, Stop> {
        let (is_nan, canonical) = match op {
            Op::F32Bits => (float.as_f32().is_nan(), CANONICAL_NAN_32),
            _ => (float.as_f64().is_nan(), CANONICAL_NAN_64),
        };
        if is_nan {
            self.note(Kind::Concretised, "the bits of a NaN");
        }
        if is_nan && float.bits != canonical {
            let is_nan = self.pool.fpisnan(float.term);
            self.decide(ElemKind::Which, is_nan, true)?;
            return Ok(Val::concrete(float.bits));
        }
        Ok(Val { bits: float.bits, term: self.unary_term(op, float.term) })
    }

    fn operand(&mut self, (bits, term): (u64, TermId), sort: Sort) -> TermId {
        match term {
            TermId::NONE => self.pool.constant(sort, bits as u128),
            term => term,
        }
    }
}

/// The term of a binary operation on terms; none if it is no such operation.
pub fn binary_of(pool: &mut Pool, op: Op, x: TermId, y: TermId) -> Option<TermId> {
    Some(match op {
        Op::AddI32 | Op::AddI64 => pool.bvadd(x, y),
        Op::SubI32 | Op::SubI64 => pool.bvsub(x, y),
        Op::MulI32 | Op::MulI64 => pool.bvmul(x, y),
        Op::SDivI32 | Op::SDivI64 => pool.bvsdiv(x, y),
        Op::SRemI32 | Op::SRemI64 => pool.bvsrem(x, y),
        Op::UDivI32 | Op::UDivI64 => pool.bvudiv(x, y),
        Op::URemI32 | Op::URemI64 => pool.bvurem(x, y),
        Op::AndI32 | Op::AndI64 => pool.bvand(x, y),
        Op::OrI32 | Op::OrI64 => pool.bvor(x, y),
        Op::XorI32 | Op::XorI64 => pool.bvxor(x, y),
        Op::ShlI32 | Op::LShrI32 | Op::AShrI32 => {
            let mask = pool.bv(32, 31);
            let count = pool.bvand(y, mask);
            shift(pool, op, x, count)
        }
        Op::ShlI64 | Op::LShrI64 | Op::AShrI64 => {
            let mask = pool.bv(32, 63);
            let count = pool.bvand(y, mask);
            let count = pool.zext(64, count);
            shift(pool, op, x, count)
        }
        Op::AndI1 => pool.and(x, y),
        Op::OrI1 => pool.or(x, y),
        Op::EqI32 | Op::EqI64 | Op::EqRef => pool.eq(x, y),
        Op::NeI32 | Op::NeI64 => pool.ne(x, y),
        Op::SltI32 | Op::SltI64 => pool.slt(x, y),
        Op::SleI32 | Op::SleI64 => pool.sle(x, y),
        Op::UltI32 | Op::UltI64 => pool.ult(x, y),
        Op::UleI32 | Op::UleI64 => pool.ule(x, y),
        Op::EqF32 | Op::EqF64 => pool.fpeq(x, y),
        Op::LtF32 | Op::LtF64 => pool.fplt(x, y),
        Op::LeF32 | Op::LeF64 => pool.fple(x, y),
        Op::AddF32 | Op::AddF64 => pool.fpadd(x, y),
        Op::SubF32 | Op::SubF64 => pool.fpsub(x, y),
        Op::MulF32 | Op::MulF64 => pool.fpmul(x, y),
        Op::DivF32 | Op::DivF64 => pool.fpdiv(x, y),
        Op::RemF32 | Op::RemF64 => pool.fpfmod(x, y),
        Op::CmpI64 => {
            let (less, equal) = (pool.slt(x, y), pool.eq(x, y));
            three_way(pool, less, equal, 1)
        }
        Op::CmplF32 | Op::CmplF64 => {
            // -1 on NaN: greater and equal are tested, everything else is -1.
            let (greater, equal) = (pool.fplt(y, x), pool.fpeq(x, y));
            let (one, zero, minus) = (pool.bv(32, 1), pool.bv(32, 0), pool.bv(32, u32::MAX as u64));
            let rest = pool.ite(equal, zero, minus);
            pool.ite(greater, one, rest)
        }
        Op::CmpgF32 | Op::CmpgF64 => {
            let (less, equal) = (pool.fplt(x, y), pool.fpeq(x, y));
            three_way(pool, less, equal, 1)
        }
        _ => return None,
    })
}

fn three_way(pool: &mut Pool, less: TermId, equal: TermId, otherwise: u64) -> TermId {
    let (minus, zero, rest) = (pool.bv(32, u32::MAX as u64), pool.bv(32, 0), pool.bv(32, otherwise));
    let rest = pool.ite(equal, zero, rest);
    pool.ite(less, minus, rest)
}

/// The term of a unary operation on a term; none if it is no such operation.
pub fn unary_of(pool: &mut Pool, op: Op, x: TermId) -> Option<TermId> {
    Some(match op {
        Op::NegI32 | Op::NegI64 => pool.bvneg(x),
        Op::NotI1 => pool.not(x),
        Op::IsNull => {
            let null = pool.bv(32, 0);
            pool.eq(x, null)
        }
        Op::NegF32 | Op::NegF64 => pool.fpneg(x),
        Op::I1ToI32 => pool.bool_to_bv(32, x),
        Op::I32ToI8 => {
            let low = pool.extract(7, 0, x);
            pool.sext(32, low)
        }
        Op::I32ToU8 => {
            let low = pool.extract(7, 0, x);
            pool.zext(32, low)
        }
        Op::I32ToI16 => {
            let low = pool.extract(15, 0, x);
            pool.sext(32, low)
        }
        Op::I32ToU16 => {
            let low = pool.extract(15, 0, x);
            pool.zext(32, low)
        }
        Op::I32ToI64 => pool.sext(64, x),
        Op::U32ToI64 => pool.zext(64, x),
        Op::I64ToI32 => pool.extract(31, 0, x),
        Op::I32ToF32 | Op::I64ToF32 => pool.fp_from_sbv(Float::F32, x),
        Op::I32ToF64 | Op::I64ToF64 => pool.fp_from_sbv(Float::F64, x),
        Op::F32ToF64 => pool.fp_to_fp(Float::F64, x),
        Op::F64ToF32 => pool.fp_to_fp(Float::F32, x),
        Op::F32ToI32 | Op::F64ToI32 => pool.fp_to_sbv_sat(32, x),
        Op::F32ToI64 | Op::F64ToI64 => pool.fp_to_sbv_sat(64, x),
        Op::F32Bits | Op::F64Bits => pool.fptobits(x),
        Op::BitsF32 => pool.fp_from_bits(Float::F32, x),
        Op::BitsF64 => pool.fp_from_bits(Float::F64, x),
        _ => return None,
    })
}

fn shift(pool: &mut Pool, op: Op, x: TermId, count: TermId) -> TermId {
    let op = match op {
        Op::ShlI32 | Op::ShlI64 => T::BvShl,
        Op::LShrI32 | Op::LShrI64 => T::BvLShr,
        _ => T::BvAShr,
    };
    pool.mk(op, &[x, count])
}

/// The sorts of a binary operation's operands, from its row.
fn operand_sorts(op: Op) -> (Sort, Sort) {
    let sort = |i: usize| match op.operands()[i] {
        ir::op::Operand::Reg(ty) => crate::machine::sort_of(ty),
        _ => unreachable!("operands of {} are typed", op.name()),
    };
    (sort(0), sort(1))
}
