//! If-then-else, and operators over it.

use crate::op::{Op, Sort};
use crate::pool::{Pool, TermId};

/// Moves an operator into an if-then-else of literals, where it folds.
///
/// - `(f (ite c k1 k2) k3) ⇒ (ite c (f k1 k3) (f k2 k3))`, for every operator and place;
/// - `(f (ite c k1 x) k3) ⇒ (ite c (f k1 k3) (f x k3))` for comparisons, which then become connectives: this
///   undoes `lcmp`, `dcmpl` and Booleans kept as integers.
pub(super) fn lift(pool: &mut Pool, op: Op, args: &[TermId]) -> Option<TermId> {
    if matches!(op, Op::Ite | Op::Const | Op::Var) {
        return None;
    }
    let mut place = None;
    for (i, &arg) in args.iter().enumerate() {
        if pool.is_const(arg) {
            continue;
        }
        if place.is_some() || pool.sort(arg).is_array() {
            return None;
        }
        place = Some(i);
    }
    let place = place?;
    let (cond, then, other) = pool.as_ite(args[place])?;
    let literals = usize::from(pool.is_const(then)) + usize::from(pool.is_const(other));
    let is_comparison =
        matches!(op, Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::FpLt | Op::FpLe | Op::FpEq);
    // Booleans with literal branches are connectives already, see `ite`.
    if literals == 2 || (literals == 1 && is_comparison) {
        let mut with = [TermId::NONE; 3];
        let with = with.get_mut(..args.len())?;
        with.copy_from_slice(args);
        with[place] = then;
        let then = pool.mk(op, with);
        with[place] = other;
        let other = pool.mk(op, with);
        return Some(pool.ite(cond, then, other));
    }
    None
}

pub(super) fn ite(pool: &mut Pool, c: TermId, a: TermId, b: TermId) -> Option<TermId> {
    // (ite true x y) ⇒ x; (ite false x y) ⇒ y; (ite c x x) ⇒ x
    if let Some(value) = pool.as_bool(c) {
        return Some(if value { a } else { b });
    }
    if a == b {
        return Some(a);
    }
    // (ite (not c) x y) ⇒ (ite c y x)
    if let Some(inner) = pool.unary(Op::Not, c) {
        return Some(pool.ite(inner, b, a));
    }
    if pool.sort(a) == Sort::Bool
        && let Some(t) = connective(pool, c, a, b)
    {
        return Some(t);
    }
    // (ite c (ite c x y) z) ⇒ (ite c x z); (ite c (ite d x y) y) ⇒ (ite (and c d) x y)
    if let Some((d, x, y)) = pool.as_ite(a) {
        if d == c {
            return Some(pool.ite(c, x, b));
        }
        if y == b {
            let both = pool.and(c, d);
            return Some(pool.ite(both, x, b));
        }
        // (ite c (ite d x y) x) ⇒ (ite (and c (not d)) y x)
        if x == b {
            let not_d = pool.not(d);
            let both = pool.and(c, not_d);
            return Some(pool.ite(both, y, b));
        }
    }
    // (ite c z (ite c x y)) ⇒ (ite c z y); (ite c x (ite d x y)) ⇒ (ite (or c d) x y)
    if let Some((d, x, y)) = pool.as_ite(b) {
        if d == c {
            return Some(pool.ite(c, a, y));
        }
        if x == a {
            let either = pool.or(c, d);
            return Some(pool.ite(either, a, y));
        }
        // (ite c y (ite d x y)) ⇒ (ite (or c (not d)) y x)
        if y == a {
            let not_d = pool.not(d);
            let either = pool.or(c, not_d);
            return Some(pool.ite(either, a, x));
        }
    }
    // (ite (= x y) x y) ⇒ y; (ite (= x y) y x) ⇒ x
    if let Some((x, y)) = pool.binary(Op::Eq, c)
        && ((a == x && b == y) || (a == y && b == x))
    {
        return Some(b);
    }
    None
}

/// Boolean branches.
fn connective(pool: &mut Pool, c: TermId, a: TermId, b: TermId) -> Option<TermId> {
    match (pool.as_bool(a), pool.as_bool(b)) {
        (Some(true), Some(false)) => return Some(c),
        (Some(false), Some(true)) => return Some(pool.not(c)),
        // (ite c true d) ⇒ (or c d)
        (Some(true), _) => return Some(pool.or(c, b)),
        // (ite c false d) ⇒ (and (not c) d)
        (Some(false), _) => {
            let not_c = pool.not(c);
            return Some(pool.and(not_c, b));
        }
        // (ite c d true) ⇒ (or (not c) d)
        (_, Some(true)) => {
            let not_c = pool.not(c);
            return Some(pool.or(not_c, a));
        }
        // (ite c d false) ⇒ (and c d)
        (_, Some(false)) => return Some(pool.and(c, a)),
        (None, None) => {}
    }
    // (ite c c d) ⇒ (or c d); (ite c d c) ⇒ (and c d)
    if a == c {
        return Some(pool.or(c, b));
    }
    if b == c {
        return Some(pool.and(c, a));
    }
    // (ite c d (not d)) ⇒ (= c d)
    if pool.complementary(a, b) {
        return Some(pool.eq(c, a));
    }
    None
}
