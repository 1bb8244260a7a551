//! Floats: few identities hold with NaN and signed zeros around.

use super::convert;
use crate::op::{Float, Fun2, Op};
use crate::pool::{Pool, TermId};

/// The value of a literal as a double; exact for both formats.
fn value(pool: &Pool, t: TermId) -> Option<f64> {
    let bits = pool.as_const(t)?;
    match pool.sort(t).float()? {
        Float::F32 => Some(f32::from_bits(bits as u32).into()),
        Float::F64 => Some(f64::from_bits(bits as u64)),
    }
}

fn is_nan(pool: &Pool, t: TermId) -> bool {
    value(pool, t).is_some_and(f64::is_nan)
}

pub(super) fn binary(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    // (fp.add rm x NaN) ⇒ NaN, all alike
    for t in [a, b] {
        if is_nan(pool, t) {
            return Some(t);
        }
    }
    let right = value(pool, b)?;
    let is_negative_zero = right == 0.0 && right.is_sign_negative();
    let keeps_left = match op {
        // (fp.mul rm x 1) ⇒ x; (fp.div rm x 1) ⇒ x
        Op::FpMul | Op::FpDiv => right == 1.0,
        // (fp.add rm x -0) ⇒ x; (fp.sub rm x +0) ⇒ x: the other zero would turn -0 into +0
        Op::FpAdd => is_negative_zero,
        Op::FpSub => right == 0.0 && !is_negative_zero,
        _ => false,
    };
    keeps_left.then_some(a)
}

/// The powers that need no logarithm, as fdlibm has them.
pub(super) fn function(pool: &mut Pool, fun: Fun2, a: TermId, b: TermId) -> Option<TermId> {
    let (Fun2::Pow, Some(exponent)) = (fun, value(pool, b)) else { return None };
    match exponent {
        // pow(x, 0) ⇒ 1, also for NaN; pow(x, 1) ⇒ x; pow(x, 2) ⇒ x * x; pow(x, -1) ⇒ 1 / x
        0.0 => Some(pool.f64(1f64.to_bits())),
        1.0 => Some(a),
        2.0 => Some(pool.fpmul(a, a)),
        -1.0 => {
            let one = pool.f64(1f64.to_bits());
            Some(pool.fpdiv(one, a))
        }
        // pow(x, 0.5) ⇒ sqrt(x + 0): -0 has the root +0 here
        0.5 => {
            let zero = pool.f64(0);
            let positive = pool.fpadd(a, zero);
            let infinite = pool.f64(f64::NEG_INFINITY.to_bits());
            let (root, lowest) = (pool.fpsqrt(positive), pool.fpeq(a, infinite));
            let infinity = pool.f64(f64::INFINITY.to_bits());
            Some(pool.ite(lowest, infinity, root))
        }
        _ => None,
    }
}

pub(super) fn unary(pool: &mut Pool, op: Op, a: TermId) -> Option<TermId> {
    match (op, pool.node(a)) {
        // (fp.neg (fp.neg x)) ⇒ x
        (Op::FpNeg, (Op::FpNeg, &[x])) => Some(x),
        // (fp.abs (fp.abs x)) ⇒ (fp.abs x); (fp.abs (fp.neg x)) ⇒ (fp.abs x)
        (Op::FpAbs, (Op::FpAbs, _)) => Some(a),
        (Op::FpAbs, (Op::FpNeg, &[x])) => Some(pool.fpabs(x)),
        // Rounding what is integral: (fp.roundToIntegral rm (fp.roundToIntegral rm' x)) ⇒ the inner one;
        // ((_ to_fp e s) rm x) of a bit-vector alike
        (Op::FpRint | Op::FpFloor | Op::FpCeil, (Op::FpRint | Op::FpFloor | Op::FpCeil, _))
        | (Op::FpRint | Op::FpFloor | Op::FpCeil, (Op::FpFromSBv { .. }, _)) => Some(a),
        _ => None,
    }
}

pub(super) fn compare(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    // (fp.lt x NaN) ⇒ false, all alike
    if is_nan(pool, a) || is_nan(pool, b) {
        return Some(pool.bool(false));
    }
    // (fp.lt x x) ⇒ false; (fp.eq x x), (fp.leq x x) ⇒ (not (fp.isNaN x))
    if a == b {
        if op == Op::FpLt {
            return Some(pool.bool(false));
        }
        let nan = pool.fpisnan(a);
        return Some(pool.not(nan));
    }
    if let Some(t) = convert::compare_integers(pool, op, a, b) {
        return Some(t);
    }
    match (op, value(pool, a), value(pool, b)) {
        // (fp.eq x 0) ⇒ (fp.isZero x)
        (Op::FpEq, None, Some(0.0)) => Some(pool.fpiszero(a)),
        // (fp.lt x -oo) ⇒ false; (fp.lt +oo x) ⇒ false
        (Op::FpLt, _, Some(f64::NEG_INFINITY)) | (Op::FpLt, Some(f64::INFINITY), _) => Some(pool.bool(false)),
        // (fp.leq -oo x) ⇒ (not (fp.isNaN x)); (fp.leq x +oo) alike
        (Op::FpLe, Some(f64::NEG_INFINITY), None) => {
            let nan = pool.fpisnan(b);
            Some(pool.not(nan))
        }
        (Op::FpLe, None, Some(f64::INFINITY)) => {
            let nan = pool.fpisnan(a);
            Some(pool.not(nan))
        }
        _ => None,
    }
}

pub(super) fn test(pool: &mut Pool, op: Op, a: TermId) -> Option<TermId> {
    match (op, pool.node(a)) {
        // (fp.isNaN (fp.neg x)) ⇒ (fp.isNaN x); fp.abs, rounding and other tests of magnitude alike
        (Op::FpIsNan | Op::FpIsInf | Op::FpIsZero, (Op::FpNeg | Op::FpAbs, &[x]))
        | (Op::FpIsNan | Op::FpIsInf, (Op::FpRint | Op::FpFloor | Op::FpCeil, &[x])) => {
            Some(pool.mk(op, &[x]))
        }
        // (fp.isNaN ((_ to_fp e s) rm bv)) ⇒ false; infinite alike: 2^127 is below the greatest float
        (Op::FpIsNan | Op::FpIsInf, (Op::FpFromSBv { .. }, _)) => Some(pool.bool(false)),
        // (fp.isZero ((_ to_fp e s) rm bv)) ⇒ (= bv 0); no integer but 0 rounds to 0
        (Op::FpIsZero, (Op::FpFromSBv { .. }, &[x])) => {
            let zero = pool.same(x, 0);
            Some(pool.eq(x, zero))
        }
        // (fp.isNegative ((_ to_fp e s) rm bv)) ⇒ (bvslt bv 0); 0 becomes +0
        (Op::FpIsNegative, (Op::FpFromSBv { .. }, &[x])) => {
            let zero = pool.same(x, 0);
            Some(pool.slt(x, zero))
        }
        // (fp.isNaN ((_ to_fp e s) rm x)) ⇒ (fp.isNaN x), between formats
        (Op::FpIsNan, (Op::FpToFp { .. }, &[x])) => Some(pool.fpisnan(x)),
        // (fp.isNegative (fp.abs x)) ⇒ false
        (Op::FpIsNegative, (Op::FpAbs, _)) => Some(pool.bool(false)),
        _ => None,
    }
}
