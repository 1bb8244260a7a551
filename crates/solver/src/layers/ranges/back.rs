//! What the arguments of a term may be, from what the term may be.

use term::semantics::mask;
use term::{Op, Sort, TermId};

use super::State;
use super::domain::{Domain, Fp, Int, above, below};

pub fn back(state: &mut State, t: TermId) {
    let pool = state.pool;
    let (op, args) = pool.node(t);
    let known = state.get(t);
    match (op, args) {
        (Op::Not, &[a]) => {
            if let Some(value) = known.decided() {
                state.narrow(a, Domain::truth(!value));
            }
        }
        (Op::And, &[a, b]) => connective(state, known.decided(), true, a, b),
        (Op::Or, &[a, b]) => connective(state, known.decided(), false, a, b),
        (Op::Xor, &[a, b]) => {
            for (one, other) in [(a, b), (b, a)] {
                if let (Some(value), Some(one)) = (known.decided(), state.get(one).decided()) {
                    state.narrow(other, Domain::truth(value != one));
                }
            }
        }
        (Op::Ite, &[c, then, other]) => choice(state, known, c, then, other),
        (Op::Eq, &[a, b]) => match known.decided() {
            Some(true) => {
                let both = state.get(a).meet(state.get(b));
                state.narrow(a, both);
                state.narrow(b, both);
            }
            Some(false) => {
                for (one, other) in [(a, b), (b, a)] {
                    if let (Domain::Int(x), Domain::Int(y)) = (state.get(one), state.get(other))
                        && let Some(value) = x.single()
                    {
                        state.narrow(other, Domain::Int(y.without(value)));
                    }
                }
            }
            None => {}
        },
        (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, &[a, b]) => {
            if let Some(holds) = known.decided() {
                order(state, op, holds, a, b);
            }
        }
        (Op::FpLt | Op::FpLe | Op::FpEq, &[a, b]) => {
            if let Some(holds) = known.decided() {
                float_order(state, op, holds, a, b);
            }
        }
        (Op::FpIsNan, &[a]) => match known.decided() {
            Some(true) => state.narrow(a, Domain::Fp(Fp::NO_NUMBER)),
            Some(false) => state.narrow(a, Domain::Fp(Fp::FULL.number())),
            None => {}
        },
        (Op::FpIsZero, &[a]) if known.decided() == Some(true) => {
            state.narrow(a, Domain::Fp(Fp::constant(0.0)));
        }
        (Op::FpIsNegative, &[a]) => match known.decided() {
            Some(true) => state.narrow(a, Domain::Fp(Fp { low: f64::NEG_INFINITY, high: 0.0, nan: false })),
            Some(false) => state.narrow(a, Domain::Fp(Fp { low: 0.0, high: f64::INFINITY, nan: true })),
            None => {}
        },
        (Op::FpIsInf, &[a]) if known.decided() == Some(false) => {
            state.narrow(a, Domain::Fp(Fp { low: f64::MIN, high: f64::MAX, nan: true }));
        }
        _ => match known {
            Domain::Int(z) => integer(state, op, args, z),
            Domain::Fp(z) if z.is_number() => float(state, op, t, args, z),
            _ => {}
        },
    }
}

/// Conjunction for `and`, disjunction otherwise.
fn connective(state: &mut State, known: Option<bool>, and: bool, a: TermId, b: TermId) {
    if known == Some(and) {
        state.narrow(a, Domain::truth(and));
        state.narrow(b, Domain::truth(and));
    } else if known == Some(!and) {
        for (one, other) in [(a, b), (b, a)] {
            if state.get(one).decided() == Some(and) {
                state.narrow(other, Domain::truth(!and));
            }
        }
    }
}

fn choice(state: &mut State, known: Domain, c: TermId, then: TermId, other: TermId) {
    match state.get(c).decided() {
        Some(true) => state.narrow(then, known),
        Some(false) => state.narrow(other, known),
        None => {
            if state.get(then).meet(known).is_empty() {
                state.narrow(c, Domain::truth(false));
            }
            if state.get(other).meet(known).is_empty() {
                state.narrow(c, Domain::truth(true));
            }
        }
    }
}

fn order(state: &mut State, op: Op, holds: bool, a: TermId, b: TermId) {
    // `a < b` fails as `b <= a`.
    let strict = matches!(op, Op::BvUlt | Op::BvSlt) == holds;
    let (a, b) = if holds { (a, b) } else { (b, a) };
    let (Domain::Int(mut x), Domain::Int(mut y)) = (state.get(a), state.get(b)) else { return };
    let step = u128::from(strict);
    if matches!(op, Op::BvSlt | Op::BvSle) {
        x.high = x.high.min(y.high - step as i128);
        y.low = y.low.max(x.low + step as i128);
    } else {
        // Nothing is below zero.
        let nothing = Int { low: 1, high: 0, ..x };
        match y.uhigh.checked_sub(step) {
            Some(high) => x.uhigh = x.uhigh.min(high),
            None => x = nothing,
        }
        y.ulow = y.ulow.max(x.ulow + step);
    }
    state.narrow(a, Domain::Int(x.agreed()));
    state.narrow(b, Domain::Int(y.agreed()));
}

fn float_order(state: &mut State, op: Op, holds: bool, a: TermId, b: TermId) {
    let (Domain::Fp(x), Domain::Fp(y)) = (state.get(a), state.get(b)) else { return };
    if holds {
        if op == Op::FpEq {
            let both = Fp { low: x.low.max(y.low), high: x.high.min(y.high), nan: false };
            state.narrow(a, Domain::Fp(both));
            state.narrow(b, Domain::Fp(both));
            return;
        }
        let strict = op == Op::FpLt;
        let high = if strict { y.high.next_down() } else { y.high };
        let low = if strict { x.low.next_up() } else { x.low };
        state.narrow(a, Domain::Fp(Fp { low: f64::NEG_INFINITY, high, nan: false }));
        state.narrow(b, Domain::Fp(Fp { low, high: f64::INFINITY, nan: false }));
        return;
    }
    // Fails with NaN too: only numbers are in order.
    if x.nan || y.nan || op == Op::FpEq {
        return;
    }
    let strict = op == Op::FpLe;
    let low = if strict { y.low.next_up() } else { y.low };
    let high = if strict { x.high.next_down() } else { x.high };
    state.narrow(a, Domain::Fp(Fp { low, high: f64::INFINITY, nan: false }));
    state.narrow(b, Domain::Fp(Fp { low: f64::NEG_INFINITY, high, nan: false }));
}

fn integer(state: &mut State, op: Op, args: &[TermId], z: Int) {
    let int = |state: &State, i: usize| match args.get(i).map(|&a| state.get(a)) {
        Some(Domain::Int(int)) => Some(int),
        _ => None,
    };
    let Some(a) = int(state, 0) else {
        if let (Op::FpToSBvSat { width }, &[x]) = (op, args) {
            to_integer(state, x, z, width);
        }
        return;
    };
    let full = Int::full(z.width);
    match op {
        Op::BvAdd | Op::BvSub => {
            let Some(b) = int(state, 1) else { return };
            let (low, high) = match op {
                Op::BvAdd => (a.low + b.low, a.high + b.high),
                _ => (a.low - b.high, a.high - b.low),
            };
            // Only what cannot wrap can be undone.
            if low < full.low || high > full.high {
                return;
            }
            let (x, y) = match op {
                Op::BvAdd => ((z.low - b.high, z.high - b.low), (z.low - a.high, z.high - a.low)),
                _ => ((z.low + b.low, z.high + b.high), (a.low - z.high, a.high - z.low)),
            };
            for (arg, old, (low, high)) in [(args[0], a, x), (args[1], b, y)] {
                let (low, high) = (low.max(old.low), high.min(old.high));
                state.narrow(arg, Domain::Int(Int { low, high, ..old }.agreed()));
            }
        }
        Op::BvNeg if a.low > full.low => {
            let (low, high) = ((-z.high).max(a.low), (-z.low).min(a.high));
            state.narrow(args[0], Domain::Int(Int { low, high, ..a }.agreed()));
        }
        Op::BvNot => {
            let (low, high) = ((-1 - z.high).max(a.low), (-1 - z.low).min(a.high));
            state.narrow(args[0], Domain::Int(Int { low, high, ..a }.agreed()));
        }
        Op::ZeroExt { .. } => {
            let (ulow, uhigh) = (z.ulow.max(a.ulow), z.uhigh.min(a.uhigh));
            state.narrow(args[0], Domain::Int(Int { ulow, uhigh, ..a }.agreed()));
        }
        Op::SignExt { .. } => {
            let (low, high) = (z.low.max(a.low), z.high.min(a.high));
            state.narrow(args[0], Domain::Int(Int { low, high, ..a }.agreed()));
        }
        Op::Extract { hi, lo: 0 } if a.uhigh <= mask(hi + 1) => {
            let (ulow, uhigh) = (z.ulow.max(a.ulow), z.uhigh.min(a.uhigh));
            state.narrow(args[0], Domain::Int(Int { ulow, uhigh, ..a }.agreed()));
        }
        _ => {}
    }
}

fn to_integer(state: &mut State, x: TermId, z: Int, width: u32) {
    let (min, max) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    let low = match z.low {
        low if low == min => f64::NEG_INFINITY,
        low if low > 0 => (low as f64).next_down(),
        low => ((low - 1) as f64).next_down(),
    };
    let high = match z.high {
        high if high == max => f64::INFINITY,
        high if high < 0 => (high as f64).next_up(),
        high => ((high + 1) as f64).next_up(),
    };
    let nan = z.low <= 0 && z.high >= 0;
    state.narrow(x, Domain::Fp(Fp { low, high, nan }));
}

/// The result is a number.
fn float(state: &mut State, op: Op, t: TermId, args: &[TermId], z: Fp) {
    let pool = state.pool;
    let Some(format) = pool.sort(t).float() else { return };
    let fp = |state: &State, i: usize| match args.get(i).map(|&a| state.get(a)) {
        Some(Domain::Fp(fp)) => Some(fp),
        _ => None,
    };
    let Some(a) = fp(state, 0) else {
        if let (Op::FpFromSBv { .. }, &[x], Some(Domain::Int(int))) =
            (op, args, args.first().map(|&x| state.get(x)))
        {
            from_integer(state, x, int, below(format, z.low), above(format, z.high));
        }
        return;
    };
    // What was rounded into the interval lies between the neighbours of its ends.
    let (low, high) = (below(format, z.low), above(format, z.high));
    let number = |low: f64, high: f64| Domain::Fp(Fp::of(low, high, false));
    match op {
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv => {
            let Some(b) = fp(state, 1) else { return };
            // NaN in gives NaN out.
            state.narrow(args[0], Domain::Fp(Fp::FULL.number()));
            state.narrow(args[1], Domain::Fp(Fp::FULL.number()));
            let finite = |d: Fp| d.low > f64::NEG_INFINITY && d.high < f64::INFINITY;
            match op {
                Op::FpMul if args[0] == args[1] => {
                    let most = high.max(0.0).sqrt().next_up();
                    state.narrow(args[0], number(-most, most));
                }
                Op::FpAdd if finite(b) => state.narrow(args[0], outward(low - b.high, high - b.low)),
                Op::FpSub if finite(b) => state.narrow(args[0], outward(low + b.low, high + b.high)),
                Op::FpMul if finite(b) && !b.contains(0.0) => {
                    let ends = Fp::hull(&[low / b.low, low / b.high, high / b.low, high / b.high], false);
                    state.narrow(args[0], outward(ends.low, ends.high));
                }
                Op::FpDiv if finite(b) && finite(z) => {
                    let ends = Fp::hull(&[low * b.low, low * b.high, high * b.low, high * b.high], false);
                    state.narrow(args[0], outward(ends.low, ends.high));
                }
                _ => {}
            }
            if !finite(a) {
                return;
            }
            match op {
                Op::FpAdd => state.narrow(args[1], outward(low - a.high, high - a.low)),
                Op::FpSub => state.narrow(args[1], outward(a.low - high, a.high - low)),
                Op::FpMul if args[0] != args[1] && !a.contains(0.0) => {
                    let ends = Fp::hull(&[low / a.low, low / a.high, high / a.low, high / a.high], false);
                    state.narrow(args[1], outward(ends.low, ends.high));
                }
                _ => {}
            }
        }
        Op::FpNeg => state.narrow(args[0], number(-z.high, -z.low)),
        Op::FpAbs => state.narrow(args[0], number(-z.high, z.high)),
        Op::FpSqrt => {
            let low = low.max(0.0);
            state.narrow(args[0], number((low * low).next_down().max(0.0), (high * high).next_up()));
        }
        Op::FpFloor => state.narrow(args[0], number(z.low, (z.high + 1.0).next_up())),
        Op::FpCeil => state.narrow(args[0], number((z.low - 1.0).next_down(), z.high)),
        Op::FpRint => state.narrow(args[0], outward(z.low - 1.0, z.high + 1.0)),
        Op::FpToFp { .. } => state.narrow(args[0], number(low, high)),
        Op::FpFmod | Op::FpFun { .. } => state.narrow(args[0], Domain::Fp(Fp::FULL.number())),
        _ => {}
    }
    debug_assert!(matches!(pool.sort(t), Sort::F32 | Sort::F64));
}

/// Ends that were computed with a rounding of their own.
fn outward(low: f64, high: f64) -> Domain {
    Domain::Fp(Fp::of(low.next_down(), high.next_up(), false))
}

fn from_integer(state: &mut State, x: TermId, int: Int, low: f64, high: f64) {
    let low = if low < int.low as f64 { int.low } else { low.floor() as i128 };
    let high = if high > int.high as f64 { int.high } else { high.ceil() as i128 };
    state.narrow(x, Domain::Int(Int { low: low.max(int.low), high: high.min(int.high), ..int }.agreed()));
}
