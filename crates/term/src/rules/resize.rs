//! Concat, extract and extensions: what conversions between integer types leave behind.

use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::semantics::mask;

pub(super) fn extract(pool: &mut Pool, hi: u32, lo: u32, a: TermId) -> Option<TermId> {
    let w = pool.width(a);
    let size = hi - lo + 1;
    // ((_ extract w-1 0) x) ⇒ x
    if size == w {
        return Some(a);
    }
    match pool.node(a) {
        // ((_ extract h l) ((_ extract i j) x)) ⇒ ((_ extract h+j l+j) x)
        (Op::Extract { lo: below, .. }, &[x]) => Some(pool.extract(hi + below, lo + below, x)),
        (Op::Concat, &[x, y]) => Some(extract_concat(pool, hi, lo, x, y)),
        (Op::ZeroExt { .. }, &[x]) => {
            let inner = pool.width(x);
            // Inside x: of x. Above it: 0. Across its end: a shorter extension.
            if lo >= inner {
                return Some(pool.bv(size, 0));
            }
            let kept = pool.extract(hi.min(inner - 1), lo, x);
            Some(pool.zext(size, kept))
        }
        (Op::SignExt { .. }, &[x]) => {
            let inner = pool.width(x);
            let kept = pool.extract(hi.min(inner - 1), lo.min(inner - 1), x);
            Some(pool.sext(size, kept))
        }
        // ((_ extract h l) (bvand x k)) ⇒ (bvand ((_ extract h l) x) k'), other bitwise operators alike
        (op @ (Op::BvAnd | Op::BvOr | Op::BvXor), &[x, y]) => {
            let k = pool.as_const(y)?;
            let (x, k) = (pool.extract(hi, lo, x), pool.bv128(size, k >> lo));
            Some(pool.mk(op, &[x, k]))
        }
        // ((_ extract h 0) (bvadd x k)) ⇒ (bvadd ((_ extract h 0) x) k'), bvmul alike: low bits need low bits only
        (op @ (Op::BvAdd | Op::BvMul), &[x, y]) if lo == 0 => {
            let k = pool.as_const(y)?;
            let (x, k) = (pool.extract(hi, 0, x), pool.bv128(size, k));
            Some(pool.mk(op, &[x, k]))
        }
        (op @ (Op::BvNeg | Op::BvNot), &[x]) if lo == 0 || op == Op::BvNot => {
            let x = pool.extract(hi, lo, x);
            Some(pool.mk(op, &[x]))
        }
        // ((_ extract h l) (ite c x k)) ⇒ (ite c ((_ extract h l) x) k')
        (Op::Ite, &[c, x, y]) if pool.is_const(x) || pool.is_const(y) => {
            let (x, y) = (pool.extract(hi, lo, x), pool.extract(hi, lo, y));
            Some(pool.ite(c, x, y))
        }
        // ((_ extract h l) (bvshl x k)) ⇒ ((_ extract h-k l-k) x), l ≥ k
        (Op::BvShl, &[x, count]) => {
            let k = pool.as_const(count)?;
            let k = u32::try_from(k).ok().filter(|&k| k <= lo)?;
            Some(pool.extract(hi - k, lo - k, x))
        }
        _ => None,
    }
}

/// `((_ extract h l) (concat x y))` ⇒ of x, of y, or the concatenation of both parts.
fn extract_concat(pool: &mut Pool, hi: u32, lo: u32, x: TermId, y: TermId) -> TermId {
    let low = pool.width(y);
    if lo >= low {
        pool.extract(hi - low, lo - low, x)
    } else if hi < low {
        pool.extract(hi, lo, y)
    } else {
        let (high, low) = (pool.extract(hi - low, 0, x), pool.extract(low - 1, lo, y));
        pool.concat(high, low)
    }
}

pub(super) fn concat(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let (high, low) = (pool.width(a), pool.width(b));
    // (concat 0 x) ⇒ ((_ zero_extend i) x)
    if pool.as_const(a) == Some(0) {
        return Some(pool.zext(high + low, b));
    }
    match (pool.node(a), pool.node(b)) {
        // (concat ((_ extract h m+1) x) ((_ extract m l) x)) ⇒ ((_ extract h l) x)
        ((Op::Extract { hi, lo }, &[x]), (Op::Extract { hi: m, lo: l }, &[y])) if x == y && lo == m + 1 => {
            Some(pool.extract(hi, l, x))
        }
        // (concat ((_ zero_extend i) x) y) ⇒ ((_ zero_extend i) (concat x y)), sign_extend alike
        ((Op::ZeroExt { .. }, &[x]), _) => {
            let inner = pool.concat(x, b);
            Some(pool.zext(high + low, inner))
        }
        ((Op::SignExt { .. }, &[x]), _) => {
            let inner = pool.concat(x, b);
            Some(pool.sext(high + low, inner))
        }
        // (concat x (concat y z)) ⇒ (concat (concat x y) z) when x and y join
        (_, (Op::Concat, &[y, z])) => {
            let joins = match (pool.as_extract(a), pool.as_extract(y)) {
                (Some((_, lo, x)), Some((m, _, x2))) => x == x2 && lo == m + 1,
                _ => pool.is_const(a) && pool.is_const(y),
            };
            joins.then(|| {
                let joined = pool.concat(a, y);
                pool.concat(joined, z)
            })
        }
        // (concat (concat x y) z) ⇒ (concat x (concat y z)) when y and z join
        ((Op::Concat, &[x, y]), _) => {
            let joins = match (pool.as_extract(y), pool.as_extract(b)) {
                (Some((_, lo, p)), Some((m, _, q))) => p == q && lo == m + 1,
                _ => pool.is_const(y) && pool.is_const(b),
            };
            joins.then(|| {
                let joined = pool.concat(y, b);
                pool.concat(x, joined)
            })
        }
        _ => None,
    }
}

pub(super) fn zext(pool: &mut Pool, to: u32, a: TermId) -> Option<TermId> {
    // ((_ zero_extend 0) x) ⇒ x; ((_ zero_extend i) ((_ zero_extend j) x)) ⇒ ((_ zero_extend i+j) x)
    if pool.width(a) == to {
        return Some(a);
    }
    let x = pool.as_zext(a)?;
    Some(pool.zext(to, x))
}

pub(super) fn sext(pool: &mut Pool, to: u32, a: TermId) -> Option<TermId> {
    // ((_ sign_extend 0) x) ⇒ x; ((_ sign_extend i) ((_ sign_extend j) x)) ⇒ ((_ sign_extend i+j) x)
    if pool.width(a) == to {
        return Some(a);
    }
    if let Some(x) = pool.as_sext(a) {
        return Some(pool.sext(to, x));
    }
    // ((_ sign_extend i) ((_ zero_extend j) x)) ⇒ ((_ zero_extend i+j) x), j > 0 as there are no others
    if let Some(x) = pool.as_zext(a) {
        return Some(pool.zext(to, x));
    }
    // ((_ sign_extend i) (bvand x k)) ⇒ ((_ zero_extend i) (bvand x k)), k without the sign bit
    if let Some((_, k)) = pool.with_const(Op::BvAnd, a)
        && k <= mask(pool.width(a)) >> 1
    {
        return Some(pool.zext(to, a));
    }
    None
}
