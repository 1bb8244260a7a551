//! Bitwise operators and shifts. Low masks and shifts right by literals become extract and extend, which then
//! meet the conversions around them: `b & 0xff` of a sign extended byte is its zero extension.

use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::semantics::mask;

pub(super) fn and(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let w = pool.width(a);
    // (bvand x x) ⇒ x; (bvand x (bvnot x)) ⇒ 0
    if a == b {
        return Some(a);
    }
    if pool.unary(Op::BvNot, a) == Some(b) || pool.unary(Op::BvNot, b) == Some(a) {
        return Some(pool.same(a, 0));
    }
    if let Some(k) = pool.as_const(b) {
        // (bvand x 0) ⇒ 0; (bvand x ~0) ⇒ x
        if k == 0 {
            return Some(b);
        }
        if k == mask(w) {
            return Some(a);
        }
        // (bvand x 2^n-1) ⇒ ((_ zero_extend w-n) ((_ extract n-1 0) x))
        if (k + 1).is_power_of_two() {
            let low = pool.extract(k.trailing_ones() - 1, 0, a);
            return Some(pool.zext(w, low));
        }
        // (bvand (bvand x k1) k) ⇒ (bvand x k1&k)
        if let Some((x, k1)) = pool.with_const(Op::BvAnd, a) {
            let both = pool.same(a, k & k1);
            return Some(pool.bvand(x, both));
        }
        // (bvand ((_ zero_extend i) x) k) ⇒ ((_ zero_extend i) (bvand x k))
        if let Some(x) = pool.as_zext(a) {
            let k = pool.same(x, k);
            let narrow = pool.bvand(x, k);
            return Some(pool.zext(w, narrow));
        }
        return None;
    }
    both_conditions(pool, Op::And, a, b).or_else(|| both_extended(pool, Op::BvAnd, a, b))
}

pub(super) fn or(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (bvor x x) ⇒ x; (bvor x (bvnot x)) ⇒ ~0
    if a == b {
        return Some(a);
    }
    if pool.unary(Op::BvNot, a) == Some(b) || pool.unary(Op::BvNot, b) == Some(a) {
        return Some(pool.same(a, u128::MAX));
    }
    if let Some(k) = pool.as_const(b) {
        // (bvor x 0) ⇒ x; (bvor x ~0) ⇒ ~0
        if k == 0 {
            return Some(a);
        }
        if k == mask(pool.width(a)) {
            return Some(b);
        }
        // (bvor (bvor x k1) k) ⇒ (bvor x k1|k)
        let (x, k1) = pool.with_const(Op::BvOr, a)?;
        let both = pool.same(a, k | k1);
        return Some(pool.bvor(x, both));
    }
    both_conditions(pool, Op::Or, a, b)
        .or_else(|| joined(pool, a, b))
        .or_else(|| joined(pool, b, a))
        .or_else(|| both_extended(pool, Op::BvOr, a, b))
}

/// `(bvor (concat x 0…) ((_ zero_extend i) y)) ⇒ (concat x y)`, y no wider than the zeros: bytes put together.
/// `(bvor (bvshl x k) ((_ zero_extend i) y))` alike.
fn joined(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let low = pool.as_zext(b)?;
    let (high, zeros) = match pool.node(a) {
        (Op::Concat, &[x, y]) if pool.as_const(y) == Some(0) => (x, pool.width(y)),
        (Op::BvShl, &[x, count]) => {
            let count = pool.as_const(count)? as u32;
            let w = pool.width(a);
            if count == 0 || count >= w || pool.width(low) > count {
                return None;
            }
            (pool.extract(w - 1 - count, 0, x), count)
        }
        _ => return None,
    };
    if pool.width(low) > zeros {
        return None;
    }
    let low = pool.zext(zeros, low);
    Some(pool.concat(high, low))
}

/// `(f ((_ zero_extend i) x) ((_ zero_extend j) y)) ⇒ ((_ zero_extend k) (f x' y'))`, both widened to the wider only.
fn both_extended(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    let (x, y) = (pool.as_zext(a)?, pool.as_zext(b)?);
    let (w, narrow) = (pool.width(a), pool.width(x).max(pool.width(y)));
    let (x, y) = (pool.zext(narrow, x), pool.zext(narrow, y));
    let inner = pool.mk(op, &[x, y]);
    Some(pool.zext(w, inner))
}

/// `(bvand (ite c 1 0) (ite d 1 0)) ⇒ (ite (and c d) 1 0)`; or, xor alike: Java's `&` on Booleans.
fn both_conditions(pool: &mut Pool, connective: Op, a: TermId, b: TermId) -> Option<TermId> {
    let ((c, a1, a0), (d, b1, b0)) = (pool.as_ite(a)?, pool.as_ite(b)?);
    let is = |pool: &Pool, t, k| pool.as_const(t) == Some(k);
    if is(pool, a1, 1) && is(pool, b1, 1) && is(pool, a0, 0) && is(pool, b0, 0) {
        let cond = pool.mk(connective, &[c, d]);
        return Some(pool.ite(cond, a1, a0));
    }
    None
}

pub(super) fn xor(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (bvxor x x) ⇒ 0
    if a == b {
        return Some(pool.same(a, 0));
    }
    if let Some(k) = pool.as_const(b) {
        // (bvxor x 0) ⇒ x; (bvxor x ~0) ⇒ (bvnot x)
        if k == 0 {
            return Some(a);
        }
        if k == mask(pool.width(a)) {
            return Some(pool.bvnot(a));
        }
        // (bvxor (bvxor x k1) k) ⇒ (bvxor x k1^k)
        let (x, k1) = pool.with_const(Op::BvXor, a)?;
        let both = pool.same(a, k ^ k1);
        return Some(pool.bvxor(x, both));
    }
    // (bvxor (bvxor x y) y) ⇒ x
    for (x, y) in [(a, b), (b, a)] {
        if let Some((p, q)) = pool.binary(Op::BvXor, x) {
            if q == y {
                return Some(p);
            }
            if p == y {
                return Some(q);
            }
        }
    }
    both_conditions(pool, Op::Xor, a, b)
}

pub(super) fn not(pool: &mut Pool, a: TermId) -> Option<TermId> {
    match pool.node(a) {
        // (bvnot (bvnot x)) ⇒ x
        (Op::BvNot, &[x]) => Some(x),
        // (bvnot (bvneg x)) ⇒ (bvadd x -1)
        (Op::BvNeg, &[x]) => {
            let ones = pool.same(a, u128::MAX);
            Some(pool.bvadd(x, ones))
        }
        // (bvnot (bvadd x k)) ⇒ (bvsub ~k x)
        (Op::BvAdd, &[x, y]) => {
            let k = pool.as_const(y)?;
            let k = pool.same(a, !k);
            Some(pool.bvsub(k, x))
        }
        _ => None,
    }
}

pub(super) fn shl(pool: &mut Pool, a: TermId, count: TermId) -> Option<TermId> {
    let w = pool.width(a);
    // (bvshl 0 y) ⇒ 0
    if pool.as_const(a) == Some(0) {
        return Some(a);
    }
    let k = pool.as_const(count)?;
    // (bvshl x 0) ⇒ x; (bvshl x k) ⇒ 0, k ≥ w
    if k == 0 {
        return Some(a);
    }
    if k >= w.into() {
        return Some(pool.same(a, 0));
    }
    // (bvshl (bvshl x k1) k) ⇒ (bvshl x k1+k); no overflow, both are below the width
    if let Some((x, k1)) = pool.with_const(Op::BvShl, a) {
        let sum = k + k1;
        if sum >= w.into() {
            return Some(pool.same(a, 0));
        }
        let sum = pool.same(count, sum);
        return Some(pool.bvshl(x, sum));
    }
    // (bvshl x k) ⇒ (concat ((_ extract w-1-k 0) x) 0), x an extension or concatenation: bytes being put together
    if matches!(pool.node(a).0, Op::ZeroExt { .. } | Op::SignExt { .. } | Op::Concat) {
        let kept = pool.extract(w - 1 - k as u32, 0, a);
        let zeros = pool.bv(k as u32, 0);
        return Some(pool.concat(kept, zeros));
    }
    None
}

/// `(bvlshr x k) ⇒ ((_ zero_extend k) ((_ extract w-1 k) x))`; 0 when k ≥ w.
pub(super) fn lshr(pool: &mut Pool, a: TermId, count: TermId) -> Option<TermId> {
    let w = pool.width(a);
    if pool.as_const(a) == Some(0) {
        return Some(a);
    }
    let k = pool.as_const(count)?;
    if k >= w.into() {
        return Some(pool.same(a, 0));
    }
    let kept = pool.extract(w - 1, k as u32, a);
    Some(pool.zext(w, kept))
}

/// `(bvashr x k) ⇒ ((_ sign_extend k) ((_ extract w-1 k) x))`, k at most w-1.
pub(super) fn ashr(pool: &mut Pool, a: TermId, count: TermId) -> Option<TermId> {
    let w = pool.width(a);
    if pool.as_const(a) == Some(0) {
        return Some(a);
    }
    let k = pool.as_const(count)?.min(u128::from(w) - 1);
    let kept = pool.extract(w - 1, k as u32, a);
    Some(pool.sext(w, kept))
}
