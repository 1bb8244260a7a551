//! One short constructor an operator, all through [`Pool::mk`].

use crate::op::{Float, Fun, Fun2, Op, Sort};
use crate::pool::{Pool, TermId};

macro_rules! constructors {
    ($($name:ident = $op:expr, ($($arg:ident),+);)+) => {
        impl Pool {
            $(
                #[doc = concat!("[`", stringify!($op), "`].")]
                pub fn $name(&mut self, $($arg: TermId),+) -> TermId {
                    self.mk($op, &[$($arg),+])
                }
            )+
        }
    };
}

constructors! {
    not = Op::Not, (a);
    and = Op::And, (a, b);
    or = Op::Or, (a, b);
    xor = Op::Xor, (a, b);
    ite = Op::Ite, (cond, then, other);
    eq = Op::Eq, (a, b);
    bvadd = Op::BvAdd, (a, b);
    bvsub = Op::BvSub, (a, b);
    bvmul = Op::BvMul, (a, b);
    bvudiv = Op::BvUDiv, (a, b);
    bvsdiv = Op::BvSDiv, (a, b);
    bvurem = Op::BvURem, (a, b);
    bvsrem = Op::BvSRem, (a, b);
    bvneg = Op::BvNeg, (a);
    bvand = Op::BvAnd, (a, b);
    bvor = Op::BvOr, (a, b);
    bvxor = Op::BvXor, (a, b);
    bvnot = Op::BvNot, (a);
    bvshl = Op::BvShl, (a, count);
    bvlshr = Op::BvLShr, (a, count);
    bvashr = Op::BvAShr, (a, count);
    ult = Op::BvUlt, (a, b);
    ule = Op::BvUle, (a, b);
    slt = Op::BvSlt, (a, b);
    sle = Op::BvSle, (a, b);
    concat = Op::Concat, (high, low);
    fpadd = Op::FpAdd, (a, b);
    fpsub = Op::FpSub, (a, b);
    fpmul = Op::FpMul, (a, b);
    fpdiv = Op::FpDiv, (a, b);
    fpfmod = Op::FpFmod, (a, b);
    fpneg = Op::FpNeg, (a);
    fpabs = Op::FpAbs, (a);
    fpsqrt = Op::FpSqrt, (a);
    fprint = Op::FpRint, (a);
    fpfloor = Op::FpFloor, (a);
    fpceil = Op::FpCeil, (a);
    fplt = Op::FpLt, (a, b);
    fple = Op::FpLe, (a, b);
    fpeq = Op::FpEq, (a, b);
    fpisnan = Op::FpIsNan, (a);
    fpisinf = Op::FpIsInf, (a);
    fpiszero = Op::FpIsZero, (a);
    fpisneg = Op::FpIsNegative, (a);
    fptobits = Op::FpToBits, (a);
    select = Op::Select, (array, index);
    store = Op::Store, (array, index, value);
}

impl Pool {
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// `a > b`, unsigned.
    pub fn ugt(&mut self, a: TermId, b: TermId) -> TermId {
        self.ult(b, a)
    }

    /// `a >= b`, unsigned.
    pub fn uge(&mut self, a: TermId, b: TermId) -> TermId {
        self.ule(b, a)
    }

    /// `a > b`, signed.
    pub fn sgt(&mut self, a: TermId, b: TermId) -> TermId {
        self.slt(b, a)
    }

    /// `a >= b`, signed.
    pub fn sge(&mut self, a: TermId, b: TermId) -> TermId {
        self.sle(b, a)
    }

    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// Conjunction of any number.
    pub fn all(&mut self, terms: &[TermId]) -> TermId {
        let mut result = self.bool(true);
        for &t in terms {
            result = self.and(result, t);
        }
        result
    }

    /// Disjunction of any number.
    pub fn any(&mut self, terms: &[TermId]) -> TermId {
        let mut result = self.bool(false);
        for &t in terms {
            result = self.or(result, t);
        }
        result
    }

    /// Bits `hi` down to `lo`.
    pub fn extract(&mut self, hi: u32, lo: u32, t: TermId) -> TermId {
        self.mk(Op::Extract { hi, lo }, &[t])
    }

    /// Zero extension to the width `to`.
    pub fn zext(&mut self, to: u32, t: TermId) -> TermId {
        self.mk(Op::ZeroExt { to }, &[t])
    }

    /// Sign extension to the width `to`.
    pub fn sext(&mut self, to: u32, t: TermId) -> TermId {
        self.mk(Op::SignExt { to }, &[t])
    }

    /// 1 or 0 of a width, from a Boolean.
    pub fn bool_to_bv(&mut self, width: u32, cond: TermId) -> TermId {
        let (one, zero) = (self.bv(width, 1), self.bv(width, 0));
        self.ite(cond, one, zero)
    }

    pub fn fp_fun(&mut self, fun: Fun, t: TermId) -> TermId {
        self.mk(Op::FpFun { fun }, &[t])
    }

    pub fn fp_fun2(&mut self, fun: Fun2, a: TermId, b: TermId) -> TermId {
        self.mk(Op::FpFun2 { fun }, &[a, b])
    }

    pub fn fp_from_sbv(&mut self, to: Float, t: TermId) -> TermId {
        self.mk(Op::FpFromSBv { to }, &[t])
    }

    pub fn fp_to_sbv_sat(&mut self, width: u32, t: TermId) -> TermId {
        self.mk(Op::FpToSBvSat { width }, &[t])
    }

    pub fn fp_to_fp(&mut self, to: Float, t: TermId) -> TermId {
        self.mk(Op::FpToFp { to }, &[t])
    }

    pub fn fp_from_bits(&mut self, to: Float, t: TermId) -> TermId {
        self.mk(Op::FpFromBits { to }, &[t])
    }

    pub fn const_array(&mut self, index: u32, value: TermId) -> TermId {
        self.mk(Op::ConstArray { index }, &[value])
    }

    /// The zero of a scalar sort (`false`, `0`, `+0.0`).
    pub fn zero(&mut self, sort: Sort) -> TermId {
        self.constant(sort, 0)
    }
}
