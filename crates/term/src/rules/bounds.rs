//! The range of a bit-vector term, seen from a few nodes: enough for indices, digits and characters.

use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::semantics::{mask, signed};

/// How many nodes down the look goes.
const DEPTH: u32 = 6;

/// Least and greatest value, unsigned.
pub(super) fn unsigned_range(pool: &Pool, t: TermId) -> (u128, u128) {
    unsigned(pool, t, DEPTH)
}

/// Least and greatest value, signed.
pub(super) fn signed_range(pool: &Pool, t: TermId) -> (i128, i128) {
    signed_at(pool, t, DEPTH)
}

fn unsigned(pool: &Pool, t: TermId, depth: u32) -> (u128, u128) {
    let top = mask(pool.width(t));
    if let Some(k) = pool.as_const(t) {
        return (k, k);
    }
    if depth == 0 {
        return (0, top);
    }
    match pool.node(t) {
        (Op::ZeroExt { .. }, &[x]) => unsigned(pool, x, depth - 1),
        (Op::BvAnd, &[x, y]) => {
            let (_, a) = unsigned(pool, x, depth - 1);
            let (_, b) = if pool.is_const(y) { unsigned(pool, y, 1) } else { (0, top) };
            (0, a.min(b))
        }
        (Op::BvURem, &[_, y]) => match pool.as_const(y) {
            Some(k) if k > 0 => (0, k - 1),
            _ => (0, top),
        },
        (Op::BvUDiv, &[x, y]) => match pool.as_const(y) {
            Some(k) if k > 0 => {
                let (low, high) = unsigned(pool, x, depth - 1);
                (low / k, high / k)
            }
            _ => (0, top),
        },
        (Op::Ite, &[_, x, y]) => {
            // Only one branch is followed, so that the walk stays linear.
            let open = if pool.is_const(x) { y } else { x };
            let closed = if pool.is_const(x) { x } else { y };
            let Some(k) = pool.as_const(closed) else { return (0, top) };
            let (low, high) = unsigned(pool, open, depth - 1);
            (low.min(k), high.max(k))
        }
        (Op::BvAdd, &[x, y]) => {
            let Some(k) = pool.as_const(y) else { return (0, top) };
            let (low, high) = unsigned(pool, x, depth - 1);
            match (low.checked_add(k), high.checked_add(k)) {
                (Some(low), Some(high)) if high <= top => (low, high),
                _ => (0, top),
            }
        }
        _ => (0, top),
    }
}

fn signed_at(pool: &Pool, t: TermId, depth: u32) -> (i128, i128) {
    let w = pool.width(t);
    let max = (mask(w) >> 1) as i128;
    if let Some(k) = pool.as_const(t) {
        return (signed(k, w), signed(k, w));
    }
    if depth == 0 {
        return (-max - 1, max);
    }
    match pool.node(t) {
        (Op::SignExt { .. }, &[x]) => signed_at(pool, x, depth - 1),
        (Op::BvNeg, &[x]) => match signed_at(pool, x, depth - 1) {
            (low, high) if low > -max - 1 => (-high, -low),
            _ => (-max - 1, max),
        },
        (Op::BvSRem, &[x, y]) => match pool.as_const(y) {
            Some(k) if k != 0 && signed(k, w) != i128::MIN => {
                let bound = signed(k, w).abs() - 1;
                let (low, high) = signed_at(pool, x, depth - 1);
                (if low >= 0 { 0 } else { -bound }, if high <= 0 { 0 } else { bound })
            }
            _ => (-max - 1, max),
        },
        (Op::Ite, &[_, x, y]) => {
            let open = if pool.is_const(x) { y } else { x };
            let closed = if pool.is_const(x) { x } else { y };
            let Some(k) = pool.as_const(closed).map(|k| signed(k, w)) else { return (-max - 1, max) };
            let (low, high) = signed_at(pool, open, depth - 1);
            (low.min(k), high.max(k))
        }
        (Op::BvAdd, &[x, y]) => {
            let Some(k) = pool.as_const(y).map(|k| signed(k, w)) else { return (-max - 1, max) };
            let (low, high) = signed_at(pool, x, depth - 1);
            match (low.checked_add(k), high.checked_add(k)) {
                (Some(low), Some(high)) if low >= -max - 1 && high <= max => (low, high),
                _ => (-max - 1, max),
            }
        }
        _ => {
            let (low, high) = unsigned(pool, t, depth);
            if high <= max as u128 { (low as i128, high as i128) } else { (-max - 1, max) }
        }
    }
}
