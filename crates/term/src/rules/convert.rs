//! Conversions between integers and floats.

use crate::op::{Float, Op, Sort};
use crate::pool::{Pool, TermId};
use crate::semantics::{mask, signed};

/// Bits of a signed integer that a format holds exactly.
fn exact_bits(float: Float) -> u32 {
    match float {
        Float::F32 => 25,
        Float::F64 => 54,
    }
}

/// The integer under an exact conversion to a float.
fn exact_integer(pool: &Pool, t: TermId) -> Option<TermId> {
    match pool.node(t) {
        (Op::FpFromSBv { to }, &[x]) if pool.width(x) <= exact_bits(to) => Some(x),
        _ => None,
    }
}

/// `((_ fp.to_sbv w) RTZ ((_ to_fp e s) RNE x)) ⇒ x`, extended, when the float holds x exactly.
pub(super) fn to_sbv(pool: &mut Pool, width: u32, a: TermId) -> Option<TermId> {
    let x = exact_integer(pool, a)?;
    if pool.width(x) <= width { Some(pool.sext(width, x)) } else { None }
}

pub(super) fn to_fp(pool: &mut Pool, to: Float, a: TermId) -> Option<TermId> {
    // ((_ to_fp e s) rm x) ⇒ x, of that format already
    if pool.sort(a) == Sort::from(to) {
        return Some(a);
    }
    match pool.node(a) {
        // ((_ to_fp 8 24) rm ((_ to_fp 11 53) rm x)) ⇒ x, x a float: widening is exact
        (Op::FpToFp { .. }, &[x]) if to == Float::F32 && pool.sort(x) == Sort::F32 => Some(x),
        // ((_ to_fp e s) rm ((_ to_fp f t) rm bv)) ⇒ ((_ to_fp e s) rm bv), the inner one exact
        (Op::FpFromSBv { .. }, _) => {
            let x = exact_integer(pool, a)?;
            Some(pool.fp_from_sbv(to, x))
        }
        _ => None,
    }
}

/// `((_ to_fp e s) (fp.to_ieee_bv x)) ⇒ x`.
pub(super) fn from_bits(pool: &mut Pool, a: TermId) -> Option<TermId> {
    pool.unary(Op::FpToBits, a)
}

/// Comparisons of exactly converted integers with each other or with literals are comparisons of integers:
/// `(fp.lt (to_fp x) 2.5) ⇒ (bvslt x 3)`.
pub(super) fn compare_integers(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    match (exact_integer(pool, a), exact_integer(pool, b)) {
        (Some(x), Some(y)) => {
            let w = pool.width(x).max(pool.width(y));
            let (x, y) = (pool.sext(w, x), pool.sext(w, y));
            Some(match op {
                Op::FpLt => pool.slt(x, y),
                Op::FpLe => pool.sle(x, y),
                _ => pool.eq(x, y),
            })
        }
        (Some(x), None) => {
            let k = literal(pool, b)?;
            match op {
                Op::FpLt => Some(below(pool, x, k.ceil(), true)),
                Op::FpLe => Some(below(pool, x, k.floor(), false)),
                _ if k.floor() != k => Some(pool.bool(false)),
                _ => Some(equals(pool, x, k)),
            }
        }
        (None, Some(y)) => {
            let k = literal(pool, a)?;
            // k < y is not (y ≤ k), and so on; y is never NaN, and k is none here.
            let reversed = match op {
                Op::FpLt => below(pool, y, k.floor(), false),
                Op::FpLe => below(pool, y, k.ceil(), true),
                _ if k.floor() != k => return Some(pool.bool(false)),
                _ => return Some(equals(pool, y, k)),
            };
            Some(pool.not(reversed))
        }
        (None, None) => None,
    }
}

fn literal(pool: &Pool, t: TermId) -> Option<f64> {
    let bits = pool.as_const(t)?;
    let value = match pool.sort(t).float()? {
        Float::F32 => f32::from_bits(bits as u32).into(),
        Float::F64 => f64::from_bits(bits as u64),
    };
    (!value.is_nan()).then_some(value)
}

/// `x < k` or `x ≤ k` for an integral k of any size.
fn below(pool: &mut Pool, x: TermId, k: f64, strict: bool) -> TermId {
    let w = pool.width(x);
    let max = (mask(w) >> 1) as i128;
    // Saturating; outside the range the comparison is decided.
    let k = k as i128;
    if k > max {
        return pool.bool(true);
    }
    if k < -max - 1 {
        return pool.bool(false);
    }
    let k = pool.same(x, k as u128);
    if strict { pool.slt(x, k) } else { pool.sle(x, k) }
}

fn equals(pool: &mut Pool, x: TermId, k: f64) -> TermId {
    let w = pool.width(x);
    let k = k as i128;
    if signed(k as u128, w) != k {
        return pool.bool(false);
    }
    let k = pool.same(x, k as u128);
    pool.eq(x, k)
}
