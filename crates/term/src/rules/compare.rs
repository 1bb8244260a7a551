//! Orders of bit-vectors.

use super::bounds::{signed_range, unsigned_range};
use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::semantics::{mask, signed};

pub(super) fn compare(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    let is_signed = matches!(op, Op::BvSlt | Op::BvSle);
    let strict = matches!(op, Op::BvUlt | Op::BvSlt);
    // (bvult x x) ⇒ false; (bvule x x) ⇒ true
    if a == b {
        return Some(pool.bool(!strict));
    }
    if let Some(decided) = by_range(pool, is_signed, strict, a, b) {
        return Some(pool.bool(decided));
    }
    edge(pool, is_signed, strict, a, b)
        .or_else(|| narrow(pool, op, is_signed, a, b))
        .or_else(|| of_not(pool, op, a, b))
}

/// `(bvult x y) ⇒ true` when the ranges say so, and so on.
fn by_range(pool: &Pool, is_signed: bool, strict: bool, a: TermId, b: TermId) -> Option<bool> {
    let (surely, never) = if is_signed {
        let ((a_low, a_high), (b_low, b_high)) = (signed_range(pool, a), signed_range(pool, b));
        if strict { (a_high < b_low, a_low >= b_high) } else { (a_high <= b_low, a_low > b_high) }
    } else {
        let ((a_low, a_high), (b_low, b_high)) = (unsigned_range(pool, a), unsigned_range(pool, b));
        if strict { (a_high < b_low, a_low >= b_high) } else { (a_high <= b_low, a_low > b_high) }
    };
    if surely {
        Some(true)
    } else if never {
        Some(false)
    } else {
        None
    }
}

/// Literals next to the end of the order: `(bvult x 1) ⇒ (= x 0)`, `(bvule x 0) ⇒ (= x 0)`,
/// `(bvult 0 x) ⇒ (not (= x 0))`, `(bvult ~0-1 x) ⇒ (= x ~0)`, signed alike with its ends.
fn edge(pool: &mut Pool, is_signed: bool, strict: bool, a: TermId, b: TermId) -> Option<TermId> {
    let w = pool.width(a);
    let least = if is_signed { 1u128 << (w - 1) } else { 0 };
    let greatest = least.wrapping_sub(1) & mask(w);
    let (x, k, only) = match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(k)) if strict && k == least.wrapping_add(1) & mask(w) => (a, least, true),
        (None, Some(k)) if !strict && k == least => (a, least, true),
        (None, Some(k)) if strict && k == greatest => (a, greatest, false),
        (Some(k), None) if strict && k == greatest.wrapping_sub(1) & mask(w) => (b, greatest, true),
        (Some(k), None) if !strict && k == greatest => (b, greatest, true),
        (Some(k), None) if strict && k == least => (b, least, false),
        _ => return None,
    };
    let k = pool.same(x, k);
    Some(if only { pool.eq(x, k) } else { pool.ne(x, k) })
}

/// Extensions on both sides, or on one with a literal on the other, keep the order: compare what was extended.
/// `(bvslt ((_ zero_extend i) x) ((_ zero_extend i) y)) ⇒ (bvult x y)`, `(bvslt ((_ sign_extend i) x) …) ⇒ (bvslt x …)`.
/// A literal that does not fit was decided by range.
fn narrow(pool: &mut Pool, op: Op, is_signed: bool, a: TermId, b: TermId) -> Option<TermId> {
    let w = pool.width(a);
    let (x, y, zero) = match (pool.node(a), pool.node(b)) {
        ((Op::ZeroExt { .. }, &[x]), (Op::ZeroExt { .. }, &[y])) if pool.sort(x) == pool.sort(y) => {
            (x, y, true)
        }
        ((Op::SignExt { .. }, &[x]), (Op::SignExt { .. }, &[y])) if pool.sort(x) == pool.sort(y) => {
            (x, y, false)
        }
        ((Op::ZeroExt { .. }, &[x]), (Op::Const, _)) => (x, fitting(pool, x, b, w, true)?, true),
        ((Op::Const, _), (Op::ZeroExt { .. }, &[y])) => (fitting(pool, y, a, w, true)?, y, true),
        ((Op::SignExt { .. }, &[x]), (Op::Const, _)) => (x, fitting(pool, x, b, w, false)?, false),
        ((Op::Const, _), (Op::SignExt { .. }, &[y])) => (fitting(pool, y, a, w, false)?, y, false),
        _ => return None,
    };
    let op = match (op, zero && is_signed) {
        (Op::BvSlt, true) => Op::BvUlt,
        (Op::BvSle, true) => Op::BvUle,
        _ => op,
    };
    Some(pool.mk(op, &[x, y]))
}

/// The literal `k` in the sort of `like`, if extending it gives `k` again.
fn fitting(pool: &mut Pool, like: TermId, k: TermId, w: u32, zero: bool) -> Option<TermId> {
    let k = pool.as_const(k)?;
    let inner = pool.width(like);
    let fits = if zero { k <= mask(inner) } else { signed(k, w) == signed(k, inner) };
    fits.then(|| pool.same(like, k))
}

/// `(bvult (bvnot x) k) ⇒ (bvult ~k x)`, all four orders alike: complement reverses them.
fn of_not(pool: &mut Pool, op: Op, a: TermId, b: TermId) -> Option<TermId> {
    let (x, y) = match (pool.unary(Op::BvNot, a), pool.unary(Op::BvNot, b)) {
        (Some(x), Some(y)) => (y, x),
        (Some(x), None) => {
            let k = pool.as_const(b)?;
            (pool.same(b, !k), x)
        }
        (None, Some(y)) => {
            let k = pool.as_const(a)?;
            (y, pool.same(a, !k))
        }
        (None, None) => return None,
    };
    Some(pool.mk(op, &[x, y]))
}
