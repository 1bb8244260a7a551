//! Propagation: a failing assertion is solved for one variable, top down, with all other terms as they are.
//!
//! At each operator one argument is chosen and the value computed that it must take for the operator to give the
//! wanted value; at a variable that value is the move. Where no such value exists there is no move.

use term::semantics::{f32_bits, f64_bits, mask, signed};
use term::{Float, Fun, Fun2, Op, Sort, TermId};

use super::distance::{ordered, unordered};
use super::point::Point;

/// Longest way down.
const MAX_STEPS: u32 = 2_000;

impl Point<'_> {
    /// A move (input and value) that would satisfy some failing assertion by itself.
    pub fn propagation(&mut self, random: bool) -> Option<(usize, u128)> {
        let failing = self.failing();
        let pick = if random { self.random.below(failing.len()) } else { failing.len().saturating_sub(1) };
        let mut t = *failing.get(pick)?;
        let mut wanted = 1u128;
        for _ in 0..MAX_STEPS {
            if let Some(slot) = self.slot_of(t) {
                return Some((slot, wanted));
            }
            if let Some((base, value)) = self.one_base(t, wanted) {
                (t, wanted) = (base, value?);
                continue;
            }
            let (op, args) = self.pool.node(t);
            let open: Vec<usize> =
                (0..args.len()).filter(|&i| self.pool.as_const(args[i]).is_none()).collect();
            let child = self.choose(op, args, &open, wanted, random)?;
            wanted = self.inverse(op, t, args, child, wanted, random)?;
            t = args[child];
            if self.pool.sort(t).is_array() {
                return None;
            }
        }
        None
    }

    /// A term whose arguments stand for the same unknown, as `x ^ (x >> 13)` or `(x << 21) - x`: the unknown and what
    /// it must be, if that is possible.
    fn one_base(&self, t: TermId, wanted: u128) -> Option<(TermId, Option<u128>)> {
        let (op, &[a, b]) = self.pool.node(t) else { return None };
        let w = self.pool.sort(a).bits();
        match op {
            Op::BvXor => {
                for (base, other) in [(a, b), (b, a)] {
                    let Some((left, count)) = self.shifted(other, base) else { continue };
                    // Each round makes another `count` bits right.
                    let mut value = wanted;
                    for _ in 0..w.div_ceil(count) {
                        let shifted = if left { (value << count) & mask(w) } else { value >> count };
                        value = wanted ^ shifted;
                    }
                    return Some((base, Some(value)));
                }
                None
            }
            Op::BvAdd | Op::BvSub if self.pool.as_const(a).is_none() && self.pool.as_const(b).is_none() => {
                let (x, k, c) = self.linear(t, 8)?;
                let rest = wanted.wrapping_sub(c) & mask(w);
                (x != t).then(|| (x, factor(rest, k & mask(w), w)))
            }
            _ => None,
        }
    }

    /// Whether a term is another shifted by a plain number: to the left or not, and how far. The simplifier writes a
    /// shift to the right as a part that is extended.
    fn shifted(&self, t: TermId, base: TermId) -> Option<(bool, u32)> {
        let w = self.pool.sort(t).bits();
        let (left, x, count) = match self.pool.node(t) {
            (op @ (Op::BvShl | Op::BvLShr), &[x, count]) => {
                (op == Op::BvShl, x, u32::try_from(self.pool.as_const(count)?).ok()?)
            }
            (Op::ZeroExt { .. }, &[part]) => match self.pool.node(part) {
                (Op::Extract { hi, lo }, &[x]) if hi + 1 == w => (false, x, lo),
                _ => return None,
            },
            _ => return None,
        };
        (x == base && count > 0 && count < w).then_some((left, count))
    }

    /// The term as `k * x + c`, if it is made of one unknown.
    fn linear(&self, t: TermId, depth: u32) -> Option<(TermId, u128, u128)> {
        let plain = Some((t, 1, 0));
        let (op, args) = self.pool.node(t);
        if depth == 0 {
            return plain;
        }
        let of = |i: usize| match self.pool.as_const(args[i]) {
            Some(c) => Some((None, 0, c)),
            None => self.linear(args[i], depth - 1).map(|(x, k, c)| (Some(x), k, c)),
        };
        let constant = |i: usize| args.get(i).and_then(|&a| self.pool.as_const(a));
        let (x, k, c): (Option<TermId>, u128, u128) = match op {
            Op::BvAdd | Op::BvSub => {
                let ((x, k, c), (y, l, d)) = (of(0)?, of(1)?);
                if x.is_some() && y.is_some() && x != y {
                    return plain;
                }
                let base = x.or(y);
                match op {
                    Op::BvAdd => (base, k.wrapping_add(l), c.wrapping_add(d)),
                    _ => (base, k.wrapping_sub(l), c.wrapping_sub(d)),
                }
            }
            Op::BvNeg => of(0).map(|(x, k, c)| (x, k.wrapping_neg(), c.wrapping_neg()))?,
            Op::BvNot => of(0).map(|(x, k, c)| (x, k.wrapping_neg(), !c))?,
            Op::BvMul => match (constant(0), constant(1)) {
                (Some(m), _) => of(1).map(|(x, k, c)| (x, k.wrapping_mul(m), c.wrapping_mul(m)))?,
                (_, Some(m)) => of(0).map(|(x, k, c)| (x, k.wrapping_mul(m), c.wrapping_mul(m)))?,
                _ => return plain,
            },
            Op::BvShl => match constant(1) {
                Some(n) if n < 128 => of(0).map(|(x, k, c)| (x, k << n, c << n))?,
                _ => return plain,
            },
            _ => return plain,
        };
        x.map(|x| (x, k, c))
    }

    fn choose(
        &mut self,
        op: Op,
        args: &[TermId],
        open: &[usize],
        wanted: u128,
        random: bool,
    ) -> Option<usize> {
        if op == Op::Ite {
            return Some(self.choose_branch(args, wanted, random));
        }
        // A part that is wrong already, where each part must be right by itself.
        let wrong = |i: &usize| match op {
            Op::And if wanted == 1 => self.value_of(args[*i]) == 0,
            Op::Or if wanted == 0 => self.value_of(args[*i]) == 1,
            Op::Concat => {
                let low = self.pool.width(args[1]);
                let part = if *i == 0 { wanted >> low } else { wanted & mask(low) };
                self.value_of(args[*i]) != part
            }
            _ => true,
        };
        let list: Vec<usize> = open.iter().copied().filter(wrong).collect();
        let pick = if random { self.random.below(list.len()) } else { 0 };
        list.get(pick).copied()
    }

    /// Change the condition when the other branch has the value already, or cannot be avoided.
    fn choose_branch(&mut self, args: &[TermId], wanted: u128, random: bool) -> usize {
        let taken = if self.value_of(args[0]) != 0 { 1 } else { 2 };
        let other = 3 - taken;
        let fixed = self.pool.as_const(args[taken]).is_some();
        if fixed || self.value_of(args[other]) == wanted || (random && self.random.below(4) == 0) {
            0
        } else {
            taken
        }
    }

    fn inverse(
        &mut self,
        op: Op,
        t: TermId,
        args: &[TermId],
        child: usize,
        wanted: u128,
        random: bool,
    ) -> Option<u128> {
        let sort = self.pool.sort(args[child]);
        let w = sort.bits();
        let now = self.value_of(args[child]);
        let other = args.get(1 - child.min(1)).map_or(0, |&a| self.value_of(a));
        let v = wanted;
        let value = match op {
            Op::Const | Op::Var | Op::Select | Op::Store | Op::ConstArray { .. } => return None,
            Op::Not => v ^ 1,
            Op::And | Op::Or => v,
            Op::Xor | Op::BvXor => v ^ other,
            Op::Ite if child == 0 => now ^ 1,
            Op::Ite => v,
            Op::Eq if v == 1 => other,
            Op::Eq => self.unequal(sort, other, random)?,
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
                self.order(op, child, v == 1, w, other, random)?
            }
            Op::BvAdd => v.wrapping_sub(other),
            Op::BvSub if child == 0 => v.wrapping_add(other),
            Op::BvSub => other.wrapping_sub(v),
            Op::BvMul if args[0] == args[1] => root(v)?,
            Op::BvMul => factor(v, other, w)?,
            Op::BvNeg => v.wrapping_neg(),
            Op::BvNot => !v,
            Op::BvUDiv | Op::BvSDiv | Op::BvURem | Op::BvSRem => division(op, child, v, other, now, w)?,
            Op::BvAnd => {
                // Bits outside the mask keep what they are.
                if v & !other & mask(w) != 0 {
                    return None;
                }
                (now & !other) | v
            }
            Op::BvOr => {
                if other & !v & mask(w) != 0 {
                    return None;
                }
                (v & !other) | (now & other)
            }
            Op::BvShl | Op::BvLShr | Op::BvAShr => shift(op, child, v, other, now, w)?,
            Op::Concat if child == 0 => v >> self.pool.width(args[1]),
            Op::Concat => v,
            Op::Extract { hi, lo } => {
                let field = mask(hi - lo + 1) << lo;
                (now & !field) | (v << lo)
            }
            Op::ZeroExt { .. } => (v <= mask(w)).then_some(v)?,
            Op::SignExt { to } => (signed(v, to) == signed(v, w)).then_some(v)?,
            Op::FpToSBvSat { width } => from_integer(sort.float()?, signed(v, width)),
            Op::FpFromSBv { to } => {
                let number = to_f64(to, v);
                if !number.is_finite() {
                    return None;
                }
                let integer = number as i128;
                (signed(integer as u128, w) == integer).then_some(integer as u128)?
            }
            Op::FpToFp { to } => from_f64(sort.float()?, to_f64(to, v)),
            Op::FpFromBits { .. } | Op::FpToBits => v,
            Op::FpLt | Op::FpLe | Op::FpEq => {
                self.float_order(op, child, v == 1, sort.float()?, other, random)?
            }
            Op::FpIsNan | Op::FpIsInf | Op::FpIsZero | Op::FpIsNegative => {
                from_f64(sort.float()?, float_with(op, v == 1, to_f64(sort.float()?, now)))
            }
            Op::FpAdd
            | Op::FpSub
            | Op::FpMul
            | Op::FpDiv
            | Op::FpFmod
            | Op::FpFun { .. }
            | Op::FpFun2 { .. }
            | Op::FpNeg
            | Op::FpAbs
            | Op::FpSqrt
            | Op::FpRint
            | Op::FpFloor
            | Op::FpCeil => self.float_arithmetic(op, t, child, sort.float()?, v, random),
        };
        Some(value & mask(w))
    }

    /// Some value other than that one.
    fn unequal(&mut self, sort: Sort, other: u128, random: bool) -> Option<u128> {
        Some(match sort.float() {
            Some(float) => match ordered(float, other) {
                Some(place) => unordered(float, place + 1).or_else(|| unordered(float, place - 1))?,
                None => 0,
            },
            None if random => other.wrapping_add(self.random.next().into()).wrapping_add(1),
            None => other.wrapping_add(1),
        })
    }

    /// A value on the wanted side of `other`: next to it, or at random on that side.
    fn order(
        &mut self,
        op: Op,
        child: usize,
        holds: bool,
        w: u32,
        other: u128,
        random: bool,
    ) -> Option<u128> {
        let is_signed = matches!(op, Op::BvSlt | Op::BvSle);
        let strict = matches!(op, Op::BvUlt | Op::BvSlt);
        // Bias makes signed order unsigned.
        let bias = if is_signed { 1u128 << (w - 1) } else { 0 };
        let bound = other ^ bias;
        // `a < b` fails as `b <= a`.
        let below = (child == 0) == holds;
        let strict = strict == holds;
        let edge = match (below, strict) {
            (true, true) => bound.checked_sub(1)?,
            (false, true) => bound.checked_add(1).filter(|&e| e <= mask(w))?,
            (_, false) => bound,
        };
        let value = if random && self.random.coin() {
            let room = if below { edge } else { mask(w) - edge };
            let step = u128::from(self.random.next()) % room.saturating_add(1).max(1);
            if below { edge - step } else { edge + step }
        } else {
            edge
        };
        Some(value ^ bias)
    }

    fn float_order(
        &mut self,
        op: Op,
        child: usize,
        holds: bool,
        float: Float,
        other: u128,
        random: bool,
    ) -> Option<u128> {
        let bound = to_f64(float, other);
        if bound.is_nan() {
            return if holds { None } else { Some(other) };
        }
        if op == Op::FpEq {
            return if holds { Some(other) } else { self.unequal(float.into(), other, random) };
        }
        let below = (child == 0) == holds;
        let strict = (op == Op::FpLt) == holds;
        if !strict {
            return Some(other);
        }
        // A whole number away if that is possible, else the next float.
        let plain = from_f64(float, if below { (bound - 1.0).ceil() } else { (bound + 1.0).floor() });
        let (x, y) = (to_f64(float, plain), bound);
        if (below && x < y || !below && x > y) && !(random && self.random.coin()) {
            return Some(plain);
        }
        let place = ordered(float, other)?;
        unordered(float, if below { place - 1 } else { place + 1 })
    }

    fn float_arithmetic(
        &mut self,
        op: Op,
        t: TermId,
        child: usize,
        float: Float,
        wanted: u128,
        random: bool,
    ) -> u128 {
        let (_, args) = self.pool.node(t);
        let side = |point: &Self, i: usize| args.get(i).map_or(0.0, |&a| to_f64(float, point.value_of(a)));
        let (v, o, now) = (to_f64(float, wanted), side(self, 1 - child.min(1)), side(self, child));
        // Another of many solutions, now and then.
        let turn = if random { self.random.below(5) as f64 - 2.0 } else { 0.0 };
        let value = match (op, child) {
            (Op::FpAdd, _) if args[0] == args[1] => v / 2.0,
            (Op::FpAdd, _) => v - o,
            (Op::FpSub, 0) => v + o,
            (Op::FpSub, _) => o - v,
            (Op::FpMul, _) if args[0] == args[1] => {
                if turn < 0.0 {
                    -v.sqrt()
                } else {
                    v.sqrt()
                }
            }
            (Op::FpMul, _) => v / o,
            (Op::FpDiv, 0) => v * o,
            (Op::FpDiv, _) => o / v,
            // As many divisors as before, and the wanted rest.
            (Op::FpFmod | Op::FpFun2 { fun: Fun2::Remainder }, 0) if now.is_finite() && o != 0.0 => {
                now - now % o + v + turn * o
            }
            (Op::FpFmod, 1) => o - v,
            (Op::FpNeg, _) => -v,
            (Op::FpSqrt, _) => v * v,
            (Op::FpFun { fun }, _) => inverse_function(fun, v, turn),
            (Op::FpFun2 { fun }, _) => inverse_function2(fun, child, v, o, turn),
            _ => v,
        };
        let bits = from_f64(float, value);
        // Rounding may need a neighbour instead.
        match ordered(float, bits) {
            Some(place) if random => {
                let offset = self.random.below(5) as i128 - 2;
                unordered(float, place + offset).unwrap_or(bits)
            }
            _ => bits,
        }
    }
}

/// By fdlibm alone, so that the search goes the same way on every machine.
fn inverse_function(fun: Fun, v: f64, turn: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    use term::fdlibm::{acos, asin, atan, cos, exp, expm1, log, log1p, pow, sin, tan};
    let bounded = v.clamp(-1.0, 1.0);
    match fun {
        // Every second turn on the falling side.
        Fun::Sin if turn % 2.0 != 0.0 => PI - asin(bounded) + (turn - turn % 2.0) / 2.0 * TAU,
        Fun::Sin => asin(bounded) + turn / 2.0 * TAU,
        Fun::Cos if turn % 2.0 != 0.0 => -acos(bounded),
        Fun::Cos => acos(bounded) + turn / 2.0 * TAU,
        Fun::Tan => atan(v) + turn * PI,
        Fun::Asin => sin(v),
        Fun::Acos => cos(v),
        Fun::Atan => tan(v),
        Fun::Exp => log(v),
        Fun::Expm1 => log1p(v),
        Fun::Log => exp(v),
        Fun::Log10 => pow(10.0, v),
        Fun::Log1p => expm1(v),
        Fun::Sinh => log(v + (v * v + 1.0).sqrt()),
        Fun::Cosh => log(v + (v * v - 1.0).sqrt()),
        Fun::Tanh => 0.5 * log((1.0 + v) / (1.0 - v)),
        Fun::Cbrt => v * v * v,
    }
}

fn inverse_function2(fun: Fun2, child: usize, v: f64, o: f64, turn: f64) -> f64 {
    use term::fdlibm::{log, pow, tan};
    match (fun, child) {
        (Fun2::Pow, 0) if v < 0.0 => -pow(-v, 1.0 / o),
        (Fun2::Pow, 0) => pow(v, 1.0 / o),
        (Fun2::Pow, _) => log(v) / log(o),
        (Fun2::Atan2, 0) => tan(v) * o,
        (Fun2::Atan2, _) => o / tan(v),
        (Fun2::Hypot, _) if turn < 0.0 => -(v * v - o * o).sqrt(),
        (Fun2::Hypot, _) => (v * v - o * o).sqrt(),
        (Fun2::Remainder, _) => v,
    }
}

/// x with `x * x = v`.
fn root(v: u128) -> Option<u128> {
    let root = v.isqrt();
    (root * root == v).then_some(root)
}

/// x with `x * other = v` modulo 2^w.
fn factor(v: u128, other: u128, w: u32) -> Option<u128> {
    if other == 0 {
        return None;
    }
    let shift = other.trailing_zeros();
    if v & mask(shift) != 0 {
        return None;
    }
    let odd = other >> shift;
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    // An exact quotient is the small solution.
    if v.is_multiple_of(other) {
        return Some(v / other);
    }
    Some((v >> shift).wrapping_mul(inverse) & (mask(w) >> shift))
}

fn division(op: Op, child: usize, v: u128, other: u128, now: u128, w: u32) -> Option<u128> {
    let (sv, so, sn) = (signed(v, w), signed(other, w), signed(now, w));
    Some(match (op, child) {
        (Op::BvUDiv, 0) => v.checked_mul(other).filter(|&x| x <= mask(w))?,
        (Op::BvUDiv, _) => other.checked_div(v)?,
        (Op::BvSDiv, 0) => sv.checked_mul(so)? as u128,
        (Op::BvSDiv, _) => so.checked_div(sv)? as u128,
        (Op::BvURem, 0) if v < other => {
            let base = now - now % other;
            base.checked_add(v).filter(|&x| x <= mask(w)).unwrap_or(v)
        }
        (Op::BvURem, _) if child == 1 && other > v => (other - v).max(v + 1),
        (Op::BvSRem, 0) if so != 0 && sv.unsigned_abs() < so.unsigned_abs() => {
            let base = sn.wrapping_sub(sn.wrapping_rem(so));
            let value = base.wrapping_add(sv);
            // The remainder has the dividend's sign.
            if (value < 0) == (sv < 0) || sv == 0 { value as u128 } else { v }
        }
        (Op::BvSRem, 1) => so.checked_sub(sv)?.unsigned_abs(),
        _ => return None,
    })
}

fn shift(op: Op, child: usize, v: u128, other: u128, now: u128, w: u32) -> Option<u128> {
    if child == 1 {
        return (0..u128::from(w)).find(|&count| term::semantics::apply(op, w, [other, count, 0]) == v);
    }
    let count = u32::try_from(other).ok().filter(|&count| count < w)?;
    match op {
        Op::BvShl => {
            let kept = now & !(mask(w) >> count);
            (v & mask(count) == 0).then_some(kept | (v >> count))
        }
        _ => {
            let value = ((v << count) & mask(w)) | (now & mask(count));
            (term::semantics::apply(op, w, [value, count.into(), 0]) == v).then_some(value)
        }
    }
}

/// A float that has or has not the property, near the present one.
fn float_with(op: Op, holds: bool, now: f64) -> f64 {
    match (op, holds) {
        (Op::FpIsNan, true) => f64::NAN,
        (Op::FpIsInf, true) => f64::INFINITY,
        (Op::FpIsZero, true) => 0.0,
        (Op::FpIsNegative, true) => {
            if now > 0.0 {
                -now
            } else {
                -1.0
            }
        }
        (Op::FpIsNegative, false) => {
            if now < 0.0 {
                -now
            } else {
                0.0
            }
        }
        _ => 1.0,
    }
}

fn to_f64(float: Float, bits: u128) -> f64 {
    match float {
        Float::F32 => f32::from_bits(bits as u32).into(),
        Float::F64 => f64::from_bits(bits as u64),
    }
}

fn from_f64(float: Float, value: f64) -> u128 {
    match float {
        Float::F32 => f32_bits(value as f32),
        Float::F64 => f64_bits(value),
    }
}

fn from_integer(float: Float, value: i128) -> u128 {
    match float {
        Float::F32 => f32_bits(value as f32),
        Float::F64 => f64_bits(value as f64),
    }
}
