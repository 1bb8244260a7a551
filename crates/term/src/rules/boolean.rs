//! Connectives.

use crate::op::Op;
use crate::pool::{Pool, TermId};

pub(super) fn not(pool: &mut Pool, a: TermId) -> Option<TermId> {
    // (not (not c)) ⇒ c
    if let Some(inner) = pool.unary(Op::Not, a) {
        return Some(inner);
    }
    // (not (bvult x y)) ⇒ (bvule y x), and so on; not for floats, where NaN makes both false.
    let flipped = match pool.node(a) {
        (Op::BvUlt, &[x, y]) => (Op::BvUle, y, x),
        (Op::BvUle, &[x, y]) => (Op::BvUlt, y, x),
        (Op::BvSlt, &[x, y]) => (Op::BvSle, y, x),
        (Op::BvSle, &[x, y]) => (Op::BvSlt, y, x),
        _ => return None,
    };
    Some(pool.mk(flipped.0, &[flipped.1, flipped.2]))
}

pub(super) fn and(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (and c true) ⇒ c; (and c false) ⇒ false
    match pool.as_bool(b) {
        Some(true) => return Some(a),
        Some(false) => return Some(b),
        None => {}
    }
    // (and c c) ⇒ c; (and c (not c)) ⇒ false
    if a == b {
        return Some(a);
    }
    if pool.complementary(a, b) {
        return Some(pool.bool(false));
    }
    for (x, y) in [(a, b), (b, a)] {
        if let Some((p, q)) = pool.binary(Op::And, y) {
            // (and c (and c d)) ⇒ (and c d); (and c (and (not c) d)) ⇒ false
            if x == p || x == q {
                return Some(y);
            }
            if pool.complementary(x, p) || pool.complementary(x, q) {
                return Some(pool.bool(false));
            }
        }
        if let Some((p, q)) = pool.binary(Op::Or, y) {
            // (and c (or c d)) ⇒ c; (and c (or (not c) d)) ⇒ (and c d)
            if x == p || x == q {
                return Some(x);
            }
            for (this, other) in [(p, q), (q, p)] {
                if pool.complementary(x, this) {
                    return Some(pool.and(x, other));
                }
            }
        }
        if let Some(t) = and_ordered(pool, x, y) {
            return Some(t);
        }
    }
    None
}

/// Comparisons of the same two terms, in one of the two orders of the conjunction.
fn and_ordered(pool: &mut Pool, x: TermId, y: TermId) -> Option<TermId> {
    let (op, &[p, q]) = pool.node(x) else { return None };
    let (p, q) = (p, q);
    if let Some(negated) = pool.unary(Op::Not, y) {
        let (of, &[r, s]) = pool.node(negated) else { return None };
        let same_pair = (r == p && s == q) || (r == q && s == p);
        return match (op, of) {
            // (and (bvule x y) (not (= x y))) ⇒ (bvult x y), signed alike
            (Op::BvUle, Op::Eq) if same_pair => Some(pool.ult(p, q)),
            (Op::BvSle, Op::Eq) if same_pair => Some(pool.slt(p, q)),
            // (and (bvult x y) (not (= x y))) ⇒ (bvult x y), signed and float alike
            (Op::BvUlt | Op::BvSlt, Op::Eq) | (Op::FpLt, Op::FpEq) if same_pair => Some(x),
            // (and (fp.lt x y) (not (fp.lt y x))) ⇒ (fp.lt x y)
            (Op::FpLt, Op::FpLt | Op::FpLe) if r == q && s == p => Some(x),
            // (and (fp.eq x y) (not (fp.lt x y))) ⇒ (fp.eq x y), either order
            (Op::FpEq, Op::FpLt) if same_pair => Some(x),
            // (and (fp.leq x y) (not (fp.lt y x))) ⇒ (fp.leq x y)
            (Op::FpLe, Op::FpLt) if r == q && s == p => Some(x),
            // (and (fp.leq x y) (not (fp.eq x y))) ⇒ (fp.lt x y)
            (Op::FpLe, Op::FpEq) if same_pair => Some(pool.fplt(p, q)),
            _ => None,
        };
    }
    let (of, &[r, s]) = pool.node(y) else { return None };
    let (straight, crossed) = (r == p && s == q, r == q && s == p);
    match (op, of) {
        // (and (bvule x y) (bvule y x)) ⇒ (= x y), signed alike
        (Op::BvUle, Op::BvUle) | (Op::BvSle, Op::BvSle) if crossed => Some(pool.eq(p, q)),
        // (and (fp.leq x y) (fp.leq y x)) ⇒ (fp.eq x y)
        (Op::FpLe, Op::FpLe) if crossed => Some(pool.fpeq(p, q)),
        // (and (bvult x y) (bvult y x)) ⇒ false, signed and float alike
        (Op::BvUlt, Op::BvUlt) | (Op::BvSlt, Op::BvSlt) | (Op::FpLt, Op::FpLt) if crossed => {
            Some(pool.bool(false))
        }
        // (and (bvult x y) (bvule x y)) ⇒ (bvult x y), signed and float alike
        (Op::BvUlt, Op::BvUle) | (Op::BvSlt, Op::BvSle) | (Op::FpLt, Op::FpLe) if straight => Some(x),
        // (and (bvule x y) (= x y)) ⇒ (= x y), signed and float alike
        (Op::BvUle | Op::BvSle, Op::Eq) | (Op::FpLe, Op::FpEq) if straight || crossed => Some(y),
        // (and (bvult x y) (= x y)) ⇒ false, signed and float alike
        (Op::BvUlt | Op::BvSlt, Op::Eq) | (Op::FpLt, Op::FpEq) if straight || crossed => {
            Some(pool.bool(false))
        }
        _ => None,
    }
}

pub(super) fn or(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (or c true) ⇒ true; (or c false) ⇒ c
    match pool.as_bool(b) {
        Some(true) => return Some(b),
        Some(false) => return Some(a),
        None => {}
    }
    // (or c c) ⇒ c; (or c (not c)) ⇒ true
    if a == b {
        return Some(a);
    }
    if pool.complementary(a, b) {
        return Some(pool.bool(true));
    }
    for (x, y) in [(a, b), (b, a)] {
        if let Some((p, q)) = pool.binary(Op::Or, y) {
            // (or c (or c d)) ⇒ (or c d); (or c (or (not c) d)) ⇒ true
            if x == p || x == q {
                return Some(y);
            }
            if pool.complementary(x, p) || pool.complementary(x, q) {
                return Some(pool.bool(true));
            }
        }
        if let Some((p, q)) = pool.binary(Op::And, y) {
            // (or c (and c d)) ⇒ c; (or c (and (not c) d)) ⇒ (or c d)
            if x == p || x == q {
                return Some(x);
            }
            for (this, other) in [(p, q), (q, p)] {
                if pool.complementary(x, this) {
                    return Some(pool.or(x, other));
                }
            }
        }
        if let Some(t) = or_ordered(pool, x, y) {
            return Some(t);
        }
    }
    None
}

fn or_ordered(pool: &mut Pool, x: TermId, y: TermId) -> Option<TermId> {
    let ((op, &[p, q]), (of, &[r, s])) = (pool.node(x), pool.node(y)) else { return None };
    let (straight, crossed) = (r == p && s == q, r == q && s == p);
    match (op, of) {
        // (or (bvult x y) (= x y)) ⇒ (bvule x y), signed and float alike
        (Op::BvUlt, Op::Eq) if straight || crossed => Some(pool.ule(p, q)),
        (Op::BvSlt, Op::Eq) if straight || crossed => Some(pool.sle(p, q)),
        (Op::FpLt, Op::FpEq) if straight || crossed => Some(pool.fple(p, q)),
        // (or (bvult x y) (bvule x y)) ⇒ (bvule x y), signed and float alike
        (Op::BvUlt, Op::BvUle) | (Op::BvSlt, Op::BvSle) | (Op::FpLt, Op::FpLe) if straight => Some(y),
        // (or (bvult x y) (bvult y x)) ⇒ (not (= x y)), signed alike; with NaN both are false, so not for floats
        (Op::BvUlt, Op::BvUlt) | (Op::BvSlt, Op::BvSlt) if crossed => Some(pool.ne(p, q)),
        // (or (bvule x y) (bvule y x)) ⇒ true, signed alike
        (Op::BvUle, Op::BvUle) | (Op::BvSle, Op::BvSle) if crossed => Some(pool.bool(true)),
        _ => None,
    }
}

pub(super) fn xor(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    // (xor c false) ⇒ c; (xor c true) ⇒ (not c); (xor c c) ⇒ false
    match pool.as_bool(b) {
        Some(true) => return Some(pool.not(a)),
        Some(false) => return Some(a),
        None => {}
    }
    if a == b {
        return Some(pool.bool(false));
    }
    if pool.complementary(a, b) {
        return Some(pool.bool(true));
    }
    // (xor (not c) (not d)) ⇒ (xor c d)
    let (c, d) = (pool.unary(Op::Not, a)?, pool.unary(Op::Not, b)?);
    Some(pool.xor(c, d))
}
