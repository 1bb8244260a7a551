//! Sums, products, quotients: literals to the outside, identities.

use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::semantics::{mask, signed};

use super::bounds::{signed_range, unsigned_range};

pub(super) fn add(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    if let Some(k) = pool.as_const(b) {
        // (bvadd x 0) ⇒ x
        if k == 0 {
            return Some(a);
        }
        // (bvadd (bvadd x k1) k) ⇒ (bvadd x k1+k)
        if let Some((x, k1)) = pool.with_const(Op::BvAdd, a) {
            let sum = pool.same(a, k.wrapping_add(k1));
            return Some(pool.bvadd(x, sum));
        }
        // (bvadd (bvsub k1 x) k) ⇒ (bvsub k1+k x)
        if let Some((left, x)) = pool.binary(Op::BvSub, a)
            && let Some(k1) = pool.as_const(left)
        {
            let sum = pool.same(a, k.wrapping_add(k1));
            return Some(pool.bvsub(sum, x));
        }
        // (bvadd (bvnot x) 1) ⇒ (bvneg x)
        if let Some(x) = pool.unary(Op::BvNot, a) {
            let sum = pool.same(a, k.wrapping_sub(1));
            let neg = pool.bvneg(x);
            return Some(pool.bvadd(neg, sum));
        }
        return None;
    }
    for (x, y) in [(a, b), (b, a)] {
        // (bvadd (bvadd x k) y) ⇒ (bvadd (bvadd x y) k)
        if let Some((inner, k)) = pool.with_const(Op::BvAdd, x) {
            let sum = pool.bvadd(inner, y);
            let k = pool.same(a, k);
            return Some(pool.bvadd(sum, k));
        }
        // (bvadd (bvneg x) y) ⇒ (bvsub y x)
        if let Some(inner) = pool.unary(Op::BvNeg, x) {
            return Some(pool.bvsub(y, inner));
        }
        // (bvadd (bvsub x y) y) ⇒ x
        if let Some((left, right)) = pool.binary(Op::BvSub, x)
            && right == y
        {
            return Some(left);
        }
    }
    None
}

pub(super) fn sub(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (bvsub x x) ⇒ 0
    if a == b {
        return Some(pool.same(a, 0));
    }
    // (bvsub x k) ⇒ (bvadd x -k)
    if let Some(k) = pool.as_const(b) {
        let k = pool.same(b, k.wrapping_neg());
        return Some(pool.bvadd(a, k));
    }
    if let Some(k) = pool.as_const(a) {
        // (bvsub 0 x) ⇒ (bvneg x)
        if k == 0 {
            return Some(pool.bvneg(b));
        }
        // (bvsub k (bvadd x k1)) ⇒ (bvsub k-k1 x)
        if let Some((x, k1)) = pool.with_const(Op::BvAdd, b) {
            let k = pool.same(a, k.wrapping_sub(k1));
            return Some(pool.bvsub(k, x));
        }
    }
    // (bvsub x (bvneg y)) ⇒ (bvadd x y)
    if let Some(y) = pool.unary(Op::BvNeg, b) {
        return Some(pool.bvadd(a, y));
    }
    // (bvsub (bvadd x y) y) ⇒ x, and for the other summand
    if let Some((x, y)) = pool.binary(Op::BvAdd, a) {
        if y == b {
            return Some(x);
        }
        if x == b {
            return Some(y);
        }
        // (bvsub (bvadd x k) (bvadd y k1)) ⇒ (bvadd (bvsub x y) k-k1); (bvsub (bvadd x k) y) alike
        if let Some(k) = pool.as_const(y) {
            let (right, k1) = pool.with_const(Op::BvAdd, b).unwrap_or((b, 0));
            let difference = pool.bvsub(x, right);
            let k = pool.same(a, k.wrapping_sub(k1));
            return Some(pool.bvadd(difference, k));
        }
    }
    if let Some((x, y)) = pool.binary(Op::BvAdd, b) {
        // (bvsub x (bvadd x y)) ⇒ (bvneg y), and for the other summand
        if x == a {
            return Some(pool.bvneg(y));
        }
        if y == a {
            return Some(pool.bvneg(x));
        }
        // (bvsub x (bvadd y k)) ⇒ (bvadd (bvsub x y) -k)
        if let Some(k) = pool.as_const(y)
            && !pool.is_const(a)
        {
            let difference = pool.bvsub(a, x);
            let k = pool.same(a, k.wrapping_neg());
            return Some(pool.bvadd(difference, k));
        }
    }
    None
}

pub(super) fn neg(pool: &mut Pool, a: TermId) -> Option<TermId> {
    match pool.node(a) {
        // (bvneg (bvneg x)) ⇒ x
        (Op::BvNeg, &[x]) => Some(x),
        // (bvneg (bvsub x y)) ⇒ (bvsub y x)
        (Op::BvSub, &[x, y]) => Some(pool.bvsub(y, x)),
        // (bvneg (bvadd x k)) ⇒ (bvsub -k x)
        (Op::BvAdd, &[x, y]) => {
            let k = pool.as_const(y)?;
            let k = pool.same(a, k.wrapping_neg());
            Some(pool.bvsub(k, x))
        }
        // (bvneg (bvnot x)) ⇒ (bvadd x 1)
        (Op::BvNot, &[x]) => {
            let one = pool.same(a, 1);
            Some(pool.bvadd(x, one))
        }
        _ => None,
    }
}

pub(super) fn mul(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let k = pool.as_const(b)?;
    // (bvmul x 0) ⇒ 0; (bvmul x 1) ⇒ x; (bvmul x -1) ⇒ (bvneg x)
    match k {
        0 => return Some(b),
        1 => return Some(a),
        _ if k == mask(pool.width(a)) => return Some(pool.bvneg(a)),
        _ => {}
    }
    // (bvmul (bvmul x k1) k) ⇒ (bvmul x k1*k)
    let (x, k1) = pool.with_const(Op::BvMul, a)?;
    let product = pool.same(a, k.wrapping_mul(k1));
    Some(pool.bvmul(x, product))
}

pub(super) fn udiv(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let k = pool.as_const(b)?;
    // (bvudiv x 2^n) ⇒ (bvlshr x n), 1 included
    if k.is_power_of_two() {
        let count = pool.same(a, k.trailing_zeros().into());
        return Some(pool.bvlshr(a, count));
    }
    // (bvudiv (bvmul x k1) k) ⇒ (bvmul x k1/k), k divides k1 and the product does not overflow
    let (x, k1) = unsigned_multiple(pool, a, k)?;
    let product = pool.same(a, k1 / k);
    Some(pool.bvmul(x, product))
}

/// `(bvmul x k1)` that does not overflow and that the literal divides.
fn unsigned_multiple(pool: &Pool, a: TermId, k: u128) -> Option<(TermId, u128)> {
    let (x, k1) = pool.with_const(Op::BvMul, a)?;
    let fits = unsigned_range(pool, x).1.checked_mul(k1)? <= mask(pool.width(a));
    (fits && k1.checked_rem(k)? == 0).then_some((x, k1))
}

/// The same, signed.
fn signed_multiple(pool: &Pool, a: TermId, k: i128) -> Option<(TermId, i128)> {
    let (x, k1) = pool.with_const(Op::BvMul, a)?;
    let w = pool.width(a);
    let (k1, (low, high)) = (signed(k1, w), signed_range(pool, x));
    let most = (mask(w) >> 1) as i128;
    let fits = |end: i128| end.checked_mul(k1).is_some_and(|p| -most <= p && p <= most);
    (fits(low) && fits(high) && k1.checked_rem(k)? == 0).then_some((x, k1))
}

pub(super) fn urem(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let k = pool.as_const(b)?;
    // (bvurem x 2^n) ⇒ (bvand x 2^n-1), 1 included
    if k.is_power_of_two() {
        let low = pool.same(a, k - 1);
        return Some(pool.bvand(a, low));
    }
    // (bvurem (bvmul x k1) k) ⇒ 0, k divides k1 and the product does not overflow
    unsigned_multiple(pool, a, k).map(|_| pool.same(a, 0))
}

/// Both zero extended (strictly), or zero extended and a literal that is not negative: signed is unsigned.
fn non_negative(pool: &Pool, a: TermId, b: TermId) -> bool {
    let sign = 1u128 << (pool.width(a) - 1);
    let known = |t| pool.as_zext(t).is_some() || pool.as_const(t).is_some_and(|k| k & sign == 0 && k != 0);
    known(a) && known(b)
}

pub(super) fn sdiv(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (bvsdiv x y) ⇒ (bvudiv x y), both non-negative and y a literal other than 0 (by zero they differ)
    if non_negative(pool, a, b) && pool.is_const(b) {
        return Some(pool.bvudiv(a, b));
    }
    let k = pool.as_const(b)?;
    // (bvsdiv x 1) ⇒ x; (bvsdiv x -1) ⇒ (bvneg x)
    if k == 1 && pool.width(a) > 1 {
        return Some(a);
    }
    if k == mask(pool.width(a)) {
        return Some(pool.bvneg(a));
    }
    // (bvsdiv (bvmul x k1) k) ⇒ (bvmul x k1/k), k divides k1 and the product does not overflow
    let k = signed(k, pool.width(a));
    let (x, k1) = signed_multiple(pool, a, k)?;
    let product = pool.same(a, (k1 / k) as u128);
    Some(pool.bvmul(x, product))
}

pub(super) fn srem(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (bvsrem x y) ⇒ (bvurem x y), both non-negative; by zero both give x
    if non_negative(pool, a, b) {
        return Some(pool.bvurem(a, b));
    }
    // (bvsrem x 1) ⇒ 0; (bvsrem x -1) ⇒ 0
    let k = pool.as_const(b)?;
    if k == 1 || k == mask(pool.width(a)) {
        return Some(pool.same(a, 0));
    }
    // (bvsrem (bvmul x k1) k) ⇒ 0, k divides k1 and the product does not overflow
    signed_multiple(pool, a, signed(k, pool.width(a))).map(|_| pool.same(a, 0))
}
