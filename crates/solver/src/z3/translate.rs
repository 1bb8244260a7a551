//! Terms as Z3 expressions, one node at a time, children first.

use std::ffi::CString;

use term::smtlib::saturation_bounds;
use term::{Float, Op, Pool, Sort, TermId};
use z3_sys::*;

use super::Context;
use crate::ask::Cause;

/// Rounding modes used.
#[derive(Clone, Copy)]
enum Round {
    NearestEven,
    Down,
    Up,
}

#[expect(unsafe_code, reason = "FFI: builds expressions; every argument belongs to this context")]
impl Context {
    /// Translates a term whose arguments were translated before.
    pub(super) fn translate(&mut self, pool: &Pool, t: TermId) -> Result<(), Cause> {
        if !self.expressions.contains_key(&t) {
            let expression = self.build(pool, t)?;
            self.expressions.insert(t, expression);
        }
        Ok(())
    }

    /// The literal that stands for assertion `i` in cores.
    pub(super) fn mark(&mut self, i: usize) -> Result<Z3_ast, Cause> {
        let sort = self.sort(Sort::Bool)?;
        self.named(&format!("assertion!{i}"), sort)
    }

    pub(super) fn implies(&mut self, mark: Z3_ast, expression: Z3_ast) -> Result<Z3_ast, Cause> {
        // SAFETY: both are Boolean expressions of this context.
        let built = unsafe { Z3_mk_implies(self.context, mark, expression) };
        built.ok_or_else(|| self.failed())
    }

    fn build(&mut self, pool: &Pool, t: TermId) -> Result<Z3_ast, Cause> {
        let sort = pool.sort(t);
        if let Some(value) = pool.as_const(t) {
            return self.literal(sort, value);
        }
        if let Some(var) = pool.var_of(t) {
            let z3_sort = self.sort(sort)?;
            return self.named(pool.var_name(var), z3_sort);
        }
        let (op, args) = pool.node(t);
        if op.only_evaluated() {
            // Anything at all: what is impossible with that is impossible.
            let z3_sort = self.sort(sort)?;
            return self.named(&format!("only evaluated!{}", self.expressions.len()), z3_sort);
        }
        let from = pool.sort(args[0]);
        let x: Vec<Z3_ast> = args.iter().map(|a| self.expressions[a]).collect();
        // SAFETY: the context is live and `x` holds as many expressions of it as the operator has arguments,
        // with sorts that `Pool::mk` checked.
        let built = unsafe { self.build_node(op, from, sort, &x)? };
        built.ok_or_else(|| self.failed())
    }

    unsafe fn build_node(
        &mut self,
        op: Op,
        from: Sort,
        sort: Sort,
        x: &[Z3_ast],
    ) -> Result<Option<Z3_ast>, Cause> {
        let c = self.context;
        // SAFETY: by the caller.
        let built = unsafe {
            match op {
                Op::Const | Op::Var | Op::FpFmod | Op::FpFun { .. } | Op::FpFun2 { .. } => None,
                Op::Not => Z3_mk_not(c, x[0]),
                Op::And => Z3_mk_and(c, 2, x.as_ptr()),
                Op::Or => Z3_mk_or(c, 2, x.as_ptr()),
                Op::Xor => Z3_mk_xor(c, x[0], x[1]),
                Op::Ite => Z3_mk_ite(c, x[0], x[1], x[2]),
                Op::Eq => Z3_mk_eq(c, x[0], x[1]),
                Op::BvAdd => Z3_mk_bvadd(c, x[0], x[1]),
                Op::BvSub => Z3_mk_bvsub(c, x[0], x[1]),
                Op::BvMul => Z3_mk_bvmul(c, x[0], x[1]),
                Op::BvUDiv => Z3_mk_bvudiv(c, x[0], x[1]),
                Op::BvSDiv => Z3_mk_bvsdiv(c, x[0], x[1]),
                Op::BvURem => Z3_mk_bvurem(c, x[0], x[1]),
                Op::BvSRem => Z3_mk_bvsrem(c, x[0], x[1]),
                Op::BvNeg => Z3_mk_bvneg(c, x[0]),
                Op::BvAnd => Z3_mk_bvand(c, x[0], x[1]),
                Op::BvOr => Z3_mk_bvor(c, x[0], x[1]),
                Op::BvXor => Z3_mk_bvxor(c, x[0], x[1]),
                Op::BvNot => Z3_mk_bvnot(c, x[0]),
                Op::BvShl => Z3_mk_bvshl(c, x[0], x[1]),
                Op::BvLShr => Z3_mk_bvlshr(c, x[0], x[1]),
                Op::BvAShr => Z3_mk_bvashr(c, x[0], x[1]),
                Op::BvUlt => Z3_mk_bvult(c, x[0], x[1]),
                Op::BvUle => Z3_mk_bvule(c, x[0], x[1]),
                Op::BvSlt => Z3_mk_bvslt(c, x[0], x[1]),
                Op::BvSle => Z3_mk_bvsle(c, x[0], x[1]),
                Op::Concat => Z3_mk_concat(c, x[0], x[1]),
                Op::Extract { hi, lo } => Z3_mk_extract(c, hi, lo, x[0]),
                Op::ZeroExt { to } => Z3_mk_zero_ext(c, to - from.bits(), x[0]),
                Op::SignExt { to } => Z3_mk_sign_ext(c, to - from.bits(), x[0]),
                Op::FpAdd => Z3_mk_fpa_add(c, self.round(Round::NearestEven)?, x[0], x[1]),
                Op::FpSub => Z3_mk_fpa_sub(c, self.round(Round::NearestEven)?, x[0], x[1]),
                Op::FpMul => Z3_mk_fpa_mul(c, self.round(Round::NearestEven)?, x[0], x[1]),
                Op::FpDiv => Z3_mk_fpa_div(c, self.round(Round::NearestEven)?, x[0], x[1]),
                Op::FpNeg => Z3_mk_fpa_neg(c, x[0]),
                Op::FpAbs => Z3_mk_fpa_abs(c, x[0]),
                Op::FpSqrt => Z3_mk_fpa_sqrt(c, self.round(Round::NearestEven)?, x[0]),
                Op::FpRint => Z3_mk_fpa_round_to_integral(c, self.round(Round::NearestEven)?, x[0]),
                Op::FpFloor => Z3_mk_fpa_round_to_integral(c, self.round(Round::Down)?, x[0]),
                Op::FpCeil => Z3_mk_fpa_round_to_integral(c, self.round(Round::Up)?, x[0]),
                Op::FpLt => Z3_mk_fpa_lt(c, x[0], x[1]),
                Op::FpLe => Z3_mk_fpa_leq(c, x[0], x[1]),
                Op::FpEq => Z3_mk_fpa_eq(c, x[0], x[1]),
                Op::FpIsNan => Z3_mk_fpa_is_nan(c, x[0]),
                Op::FpIsInf => Z3_mk_fpa_is_infinite(c, x[0]),
                Op::FpIsZero => Z3_mk_fpa_is_zero(c, x[0]),
                Op::FpIsNegative => Z3_mk_fpa_is_negative(c, x[0]),
                Op::FpFromSBv { .. } => {
                    Z3_mk_fpa_to_fp_signed(c, self.round(Round::NearestEven)?, x[0], self.sort(sort)?)
                }
                Op::FpToSBvSat { width } => return self.saturating(from, width, x[0]).map(Some),
                Op::FpToFp { .. } => {
                    Z3_mk_fpa_to_fp_float(c, self.round(Round::NearestEven)?, x[0], self.sort(sort)?)
                }
                Op::FpFromBits { .. } => Z3_mk_fpa_to_fp_bv(c, x[0], self.sort(sort)?),
                Op::FpToBits => return self.bits_of_float(from, x[0]).map(Some),
                Op::Select => Z3_mk_select(c, x[0], x[1]),
                Op::Store => Z3_mk_store(c, x[0], x[1], x[2]),
                Op::ConstArray { index } => Z3_mk_const_array(c, self.sort(Sort::Bv(index))?, x[0]),
            }
        };
        Ok(built)
    }

    /// `fp.to_sbv` is unspecified outside its range, Java is not: by cases.
    fn saturating(&mut self, from: Sort, width: u32, x: Z3_ast) -> Result<Z3_ast, Cause> {
        let c = self.context;
        let (low, high) = saturation_bounds(from, width);
        let (low, high) = (self.literal(from, low)?, self.literal(from, high)?);
        let bv = Sort::Bv(width);
        let zero = self.literal(bv, 0)?;
        let min = self.literal(bv, 1 << (width - 1))?;
        let max = self.literal(bv, (1 << (width - 1)) - 1)?;
        // SAFETY: all expressions are of this context and of fitting sorts.
        let built = unsafe {
            let toward_zero = Z3_mk_fpa_round_toward_zero(c);
            let inside = toward_zero.and_then(|rm| Z3_mk_fpa_to_sbv(c, rm, x, width));
            let is_high = Z3_mk_fpa_leq(c, high, x);
            let is_low = Z3_mk_fpa_leq(c, x, low);
            let is_nan = Z3_mk_fpa_is_nan(c, x);
            inside
                .and_then(|inside| Z3_mk_ite(c, is_high?, max, inside))
                .and_then(|rest| Z3_mk_ite(c, is_low?, min, rest))
                .and_then(|rest| Z3_mk_ite(c, is_nan?, zero, rest))
        };
        built.ok_or_else(|| self.failed())
    }

    /// Z3 leaves the bits of NaN open; ours are canonical.
    pub(super) fn bits_of_float(&mut self, from: Sort, x: Z3_ast) -> Result<Z3_ast, Cause> {
        let c = self.context;
        let nan = match from.float() {
            Some(Float::F32) => term::semantics::NAN32.into(),
            Some(Float::F64) => term::semantics::NAN64.into(),
            None => return Err(Cause::Bug("the bits of something that is no float")),
        };
        let nan = self.literal(Sort::Bv(from.bits()), nan)?;
        // SAFETY: as above.
        let built = unsafe {
            let (is_nan, bits) = (Z3_mk_fpa_is_nan(c, x), Z3_mk_fpa_to_ieee_bv(c, x));
            is_nan.zip(bits).and_then(|(is_nan, bits)| Z3_mk_ite(c, is_nan, nan, bits))
        };
        built.ok_or_else(|| self.failed())
    }

    pub(super) fn literal(&mut self, sort: Sort, value: u128) -> Result<Z3_ast, Cause> {
        let c = self.context;
        let z3_sort = self.sort(sort)?;
        // SAFETY: as above; the numeral's text lives through the call.
        let built = unsafe {
            match (sort, u64::try_from(value)) {
                (Sort::Bool, _) if value != 0 => Z3_mk_true(c),
                (Sort::Bool, _) => Z3_mk_false(c),
                (Sort::F32 | Sort::F64, _) => {
                    let bits = self.literal(Sort::Bv(sort.bits()), value)?;
                    Z3_mk_fpa_to_fp_bv(c, bits, z3_sort)
                }
                (_, Ok(small)) => Z3_mk_unsigned_int64(c, small, z3_sort),
                (_, Err(_)) => {
                    let text = CString::new(value.to_string()).unwrap_or_default();
                    Z3_mk_numeral(c, text.as_ptr(), z3_sort)
                }
            }
        };
        built.ok_or_else(|| self.failed())
    }

    fn named(&mut self, name: &str, sort: Z3_sort) -> Result<Z3_ast, Cause> {
        let text = CString::new(name).map_err(|_| Cause::Bug("a variable name with a zero byte"))?;
        // SAFETY: as above.
        let built = unsafe {
            Z3_mk_string_symbol(self.context, text.as_ptr())
                .and_then(|symbol| Z3_mk_const(self.context, symbol, sort))
        };
        built.ok_or_else(|| self.failed())
    }

    pub(super) fn sort(&self, sort: Sort) -> Result<Z3_sort, Cause> {
        let c = self.context;
        // SAFETY: as above; Z3 makes each sort once.
        let built = unsafe {
            match sort {
                Sort::Bool => Z3_mk_bool_sort(c),
                Sort::Bv(w) => Z3_mk_bv_sort(c, w),
                Sort::F32 => Z3_mk_fpa_sort(c, 8, 24),
                Sort::F64 => Z3_mk_fpa_sort(c, 11, 53),
                Sort::Array { index, elem } => Z3_mk_bv_sort(c, index)
                    .zip(Z3_mk_bv_sort(c, elem))
                    .and_then(|(index, elem)| Z3_mk_array_sort(c, index, elem)),
            }
        };
        built.ok_or_else(|| self.failed())
    }

    fn round(&mut self, round: Round) -> Result<Z3_ast, Cause> {
        let c = self.context;
        if let Some(made) = self.rounding[round as usize] {
            return Ok(made);
        }
        // SAFETY: as above.
        let built = unsafe {
            match round {
                Round::NearestEven => Z3_mk_fpa_round_nearest_ties_to_even(c),
                Round::Down => Z3_mk_fpa_round_toward_negative(c),
                Round::Up => Z3_mk_fpa_round_toward_positive(c),
            }
        };
        self.rounding[round as usize] = built;
        built.ok_or_else(|| self.failed())
    }
}
