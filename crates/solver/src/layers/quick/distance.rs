//! Branch distance: by how much a condition fails at a point. 0 means it holds.

use term::semantics::{canonical, mask, signed};
use term::{Float, Op, TermId};

use super::point::Point;

/// How many connectives and comparisons of one assertion are looked at (shared ones once for each use); beyond
/// that a condition just fails or holds.
const FUEL: u32 = 300;
/// How deep they may be nested.
const DEPTH: u32 = 100;
/// For what has no gradient.
const FLAT: u128 = 1 << 20;
/// No single condition outweighs all others together.
const MAX: u128 = 1 << 100;

pub(super) fn of(point: &Point, assertion: TermId) -> u128 {
    to(point, assertion, true)
}

/// How far a condition is from the wanted value.
pub(super) fn to(point: &Point, condition: TermId, want: bool) -> u128 {
    let mut fuel = FUEL;
    distance(point, condition, want, DEPTH, &mut fuel)
}

fn distance(point: &Point, t: TermId, want: bool, depth: u32, fuel: &mut u32) -> u128 {
    if (point.value_of(t) != 0) == want {
        return 0;
    }
    if depth == 0 || *fuel == 0 {
        return FLAT;
    }
    *fuel -= 1;
    let (op, args) = point.pool.node(t);
    let mut below = |i: usize, want: bool| distance(point, args[i], want, depth - 1, fuel);
    let distance = match op {
        Op::Not => below(0, !want),
        Op::And if want => below(0, true).saturating_add(below(1, true)),
        Op::And => below(0, false).min(below(1, false)),
        Op::Or if want => below(0, true).min(below(1, true)),
        Op::Or => below(0, false).saturating_add(below(1, false)),
        Op::Ite => {
            let through_then = below(1, want).saturating_add(below(0, true));
            let through_other = below(2, want).saturating_add(below(0, false));
            through_then.min(through_other)
        }
        Op::Eq | Op::FpEq if !want => 1,
        Op::Eq | Op::FpEq | Op::FpLt | Op::FpLe | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
            gap(point, op, args[0], args[1])
        }
        Op::FpIsZero if want => {
            match point.pool.sort(args[0]).float().map(|f| ordered(f, point.value_of(args[0]))) {
                Some(Some(place)) => place.unsigned_abs(),
                _ => MAX / 2,
            }
        }
        _ => FLAT,
    };
    distance.clamp(1, MAX)
}

/// How far two terms are from each other.
fn gap(point: &Point, op: Op, a: TermId, b: TermId) -> u128 {
    let sort = point.pool.sort(a);
    let (x, y, w) = (point.value_of(a), point.value_of(b), sort.bits());
    if let Some(float) = sort.float() {
        return match (ordered(float, x), ordered(float, y)) {
            (Some(x), Some(y)) => x.abs_diff(y) + 1,
            // NaN is far from everything.
            _ => MAX / 2,
        };
    }
    match op {
        Op::Eq => {
            let difference = x.wrapping_sub(y) & mask(w);
            difference.min(difference.wrapping_neg() & mask(w))
        }
        Op::BvSlt | Op::BvSle => signed(x, w).abs_diff(signed(y, w)).saturating_add(1),
        _ => x.abs_diff(y).saturating_add(1),
    }
}

/// The place of a float in the order of its format, neighbours one apart; `None` for NaN.
pub(super) fn ordered(float: Float, bits: u128) -> Option<i128> {
    let w = float.bits();
    let infinity = infinity(float);
    let magnitude = bits & (mask(w) >> 1);
    if magnitude > infinity {
        return None;
    }
    let magnitude = magnitude as i128;
    Some(if bits >> (w - 1) == 1 { -magnitude } else { magnitude })
}

/// The inverse of [`ordered`].
pub(super) fn unordered(float: Float, place: i128) -> Option<u128> {
    let magnitude = place.unsigned_abs();
    if magnitude > infinity(float) {
        return None;
    }
    let sign = u128::from(place < 0) << (float.bits() - 1);
    Some(canonical(float, sign | magnitude))
}

fn infinity(float: Float) -> u128 {
    match float {
        Float::F32 => 0x7f80_0000,
        Float::F64 => 0x7ff0_0000_0000_0000,
    }
}
