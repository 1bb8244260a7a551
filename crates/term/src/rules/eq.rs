//! Equality: solved for the side that is not literal, where the operator can be inverted.

use crate::op::{Op, Sort};
use crate::pool::{Pool, TermId};
use crate::semantics::{apply, mask, signed};

pub(super) fn eq(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (= x x) ⇒ true
    if a == b {
        return Some(pool.bool(true));
    }
    match pool.sort(a) {
        Sort::Bool => booleans(pool, a, b),
        Sort::Bv(w) => match pool.as_const(b) {
            Some(k) => with_literal(pool, w, a, b, k),
            None => both_open(pool, a, b).or_else(|| both_open(pool, b, a)).or_else(|| linear(pool, a, b)),
        },
        Sort::F32 | Sort::F64 => {
            // (= x NaN) ⇒ (fp.isNaN x)
            let k = pool.as_const(b)?;
            let is_nan = apply(Op::FpIsNan, pool.width(b), [k, 0, 0]) != 0;
            is_nan.then(|| pool.fpisnan(a))
        }
        Sort::Array { .. } => None,
    }
}

fn booleans(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (= c true) ⇒ c; (= c false) ⇒ (not c)
    if let Some(value) = pool.as_bool(b) {
        return Some(if value { a } else { pool.not(a) });
    }
    // (= c (not c)) ⇒ false; (= (not c) (not d)) ⇒ (= c d)
    if pool.complementary(a, b) {
        return Some(pool.bool(false));
    }
    let (c, d) = (pool.unary(Op::Not, a)?, pool.unary(Op::Not, b)?);
    Some(pool.eq(c, d))
}

/// `(= a k)`, `w` bits wide.
fn with_literal(pool: &mut Pool, w: u32, a: TermId, b: TermId, k: u128) -> Option<TermId> {
    let (op, args) = pool.node(a);
    let args: [TermId; 2] = [args.first().copied()?, args.get(1).copied().unwrap_or(TermId::NONE)];
    let right = if args[1].is_some() { pool.as_const(args[1]) } else { None };
    let solved = match (op, right) {
        // (= (bvadd x k1) k) ⇒ (= x k-k1)
        (Op::BvAdd, Some(k1)) => (args[0], k.wrapping_sub(k1)),
        // (= (bvxor x k1) k) ⇒ (= x k^k1)
        (Op::BvXor, Some(k1)) => (args[0], k ^ k1),
        // (= (bvmul x k1) k) ⇒ (= x k*k1⁻¹), k1 odd
        (Op::BvMul, Some(k1)) if k1 & 1 == 1 => (args[0], k.wrapping_mul(odd_inverse(k1))),
        // (= (bvneg x) k) ⇒ (= x -k)
        (Op::BvNeg, _) => (args[0], k.wrapping_neg()),
        // (= (bvnot x) k) ⇒ (= x ~k)
        (Op::BvNot, _) => (args[0], !k),
        // (= (bvsub x y) 0) ⇒ (= x y); (= (bvxor x y) 0) alike
        (Op::BvSub | Op::BvXor, None) if k == 0 => return Some(pool.eq(args[0], args[1])),
        // (= (bvsub k1 x) k) ⇒ (= x k1-k)
        (Op::BvSub, None) => {
            let k1 = pool.as_const(args[0])?;
            (args[1], k1.wrapping_sub(k))
        }
        // (= (bvor x y) 0) ⇒ (and (= x 0) (= y 0))
        (Op::BvOr, _) if k == 0 => {
            let (x, y) = (pool.eq(args[0], b), pool.eq(args[1], b));
            return Some(pool.and(x, y));
        }
        // (= (bvand x k1) k) ⇒ false, k has bits that k1 has not; (= (bvor x k1) k) ⇒ false the other way round
        (Op::BvAnd, Some(k1)) if k & !k1 != 0 => return Some(pool.bool(false)),
        (Op::BvOr, Some(k1)) if k1 & !k != 0 => return Some(pool.bool(false)),
        // (= ((_ zero_extend i) x) k) ⇒ (= x k) or false
        (Op::ZeroExt { .. }, _) => {
            let inner = pool.width(args[0]);
            if k > mask(inner) {
                return Some(pool.bool(false));
            }
            (args[0], k)
        }
        // (= ((_ sign_extend i) x) k) ⇒ (= x k) or false
        (Op::SignExt { .. }, _) => {
            let inner = pool.width(args[0]);
            if signed(k, w) != signed(k, inner) {
                return Some(pool.bool(false));
            }
            (args[0], k)
        }
        // (= (concat x y) k) ⇒ (and (= x k_high) (= y k_low))
        (Op::Concat, _) => {
            let low = pool.width(args[1]);
            let (high_k, low_k) = (pool.same(args[0], k >> low), pool.same(args[1], k));
            let (x, y) = (pool.eq(args[0], high_k), pool.eq(args[1], low_k));
            return Some(pool.and(x, y));
        }
        // (= (bvshl x k1) k) ⇒ (= ((_ extract w-1-k1 0) x) k>>k1), or false when k has lower bits
        (Op::BvShl, Some(k1)) if k1 < u128::from(w) => {
            let count = k1 as u32;
            if k & mask(count) != 0 {
                return Some(pool.bool(false));
            }
            (pool.extract(w - 1 - count, 0, args[0]), k >> count)
        }
        _ => return None,
    };
    let k = pool.same(solved.0, solved.1);
    Some(pool.eq(solved.0, k))
}

fn both_open(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    match (pool.node(a), pool.node(b)) {
        // (= ((_ zero_extend i) x) ((_ zero_extend i) y)) ⇒ (= x y), x and y of one width; sign_extend alike
        ((Op::ZeroExt { .. }, &[x]), (Op::ZeroExt { .. }, &[y]))
        | ((Op::SignExt { .. }, &[x]), (Op::SignExt { .. }, &[y]))
            if pool.sort(x) == pool.sort(y) =>
        {
            Some(pool.eq(x, y))
        }
        // (= (bvnot x) (bvnot y)) ⇒ (= x y); bvneg alike
        ((Op::BvNot, &[x]), (Op::BvNot, &[y])) | ((Op::BvNeg, &[x]), (Op::BvNeg, &[y])) => {
            Some(pool.eq(x, y))
        }
        // (= (bvadd x y) (bvadd x z)) ⇒ (= y z); bvxor alike
        ((Op::BvAdd, &[x, y]), (Op::BvAdd, &[p, q])) | ((Op::BvXor, &[x, y]), (Op::BvXor, &[p, q])) => {
            if x == p {
                Some(pool.eq(y, q))
            } else if x == q {
                Some(pool.eq(y, p))
            } else if y == p {
                Some(pool.eq(x, q))
            } else if y == q {
                Some(pool.eq(x, p))
            } else {
                None
            }
        }
        // (= (bvadd x y) x) ⇒ (= y 0); bvxor and (bvsub x y) alike
        ((Op::BvAdd | Op::BvXor, &[x, y]), _) if x == b || y == b => {
            let (other, zero) = (if x == b { y } else { x }, pool.same(a, 0));
            Some(pool.eq(other, zero))
        }
        ((Op::BvSub, &[x, y]), _) if x == b => {
            let zero = pool.same(a, 0);
            Some(pool.eq(y, zero))
        }
        // (= (ite c 1 0) (ite d 1 0)) ⇒ (= c d), for any two different literals
        ((Op::Ite, &[c, x, y]), (Op::Ite, &[d, p, q]))
            if x == p && y == q && pool.is_const(x) && pool.is_const(y) =>
        {
            Some(pool.eq(c, d))
        }
        _ => None,
    }
}

/// So many summands are looked at.
const SUMMANDS: usize = 8;

/// (= (bvadd x (bvmul y 31)) (bvadd y (bvmul x 31))) ⇒ (= (bvmul y 2) (bvmul x 2)): what stands on both sides is taken
/// together, and an odd factor of all is left out.
fn linear(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let w = pool.width(a);
    let mut sum = Sum::default();
    sum.add(pool, a, 1)?;
    sum.add(pool, b, u128::MAX)?;
    let before = sum.met;
    sum.parts.iter_mut().for_each(|(_, k)| *k &= mask(w));
    sum.parts.retain(|(_, k)| *k != 0);
    let magnitude = |k: u128| signed(k, w).unsigned_abs();
    let common = sum.parts.iter().map(|(_, k)| magnitude(*k)).fold(0, gcd);
    let odd = if common == 0 { 1 } else { common >> common.trailing_zeros() };
    if sum.parts.len() >= before && odd == 1 {
        return None;
    }
    let inverse = odd_inverse(odd);
    let (mut left, mut right) =
        (pool.same(a, 0), pool.same(a, sum.literal.wrapping_neg().wrapping_mul(inverse)));
    for (t, k) in sum.parts {
        let factor = pool.same(a, magnitude(k) / odd);
        let part = pool.bvmul(t, factor);
        match signed(k, w) > 0 {
            true => left = pool.bvadd(left, part),
            false => right = pool.bvadd(right, part),
        }
    }
    Some(pool.eq(left, right))
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A sum of terms with factors, and a literal.
#[derive(Default)]
struct Sum {
    parts: Vec<(TermId, u128)>,
    literal: u128,
    /// Summands met, the same one more than once included.
    met: usize,
}

impl Sum {
    /// Adds a term so many times; `None` if there are too many summands.
    fn add(&mut self, pool: &Pool, t: TermId, factor: u128) -> Option<()> {
        if let Some(k) = pool.as_const(t) {
            self.literal = self.literal.wrapping_add(k.wrapping_mul(factor));
            return Some(());
        }
        match pool.node(t) {
            (Op::BvAdd, &[x, y]) => {
                self.add(pool, x, factor)?;
                return self.add(pool, y, factor);
            }
            (Op::BvSub, &[x, y]) => {
                self.add(pool, x, factor)?;
                return self.add(pool, y, factor.wrapping_neg());
            }
            (Op::BvNeg, &[x]) => return self.add(pool, x, factor.wrapping_neg()),
            (Op::BvMul, &[x, y]) => {
                if let Some(k) = pool.as_const(y) {
                    return self.add(pool, x, factor.wrapping_mul(k));
                }
            }
            _ => {}
        }
        self.met += 1;
        match self.parts.iter_mut().find(|(known, _)| *known == t) {
            Some((_, k)) => *k = k.wrapping_add(factor),
            None => self.parts.push((t, factor)),
        }
        (self.met <= SUMMANDS).then_some(())
    }
}

/// The inverse modulo 2^128 of an odd number, by Newton's iteration (each step doubles the right bits).
fn odd_inverse(k: u128) -> u128 {
    let mut inverse = k;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(k.wrapping_mul(inverse)));
    }
    inverse
}
