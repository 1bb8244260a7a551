//! What a term may be, from what its arguments may be.

use term::semantics::mask;
use term::{Float, Fun, Fun2, Op, TermId};

use super::State;
use super::domain::{Domain, Fp, Int, rounded};

pub fn forward(state: &State, t: TermId) -> Domain {
    let pool = state.pool;
    let (op, args) = pool.node(t);
    let full = || Domain::full(pool.sort(t));
    let domain = |i: usize| args.get(i).map_or(Domain::Any, |&a| state.get(a));
    match (op, domain(0), domain(1)) {
        (Op::Const | Op::Var, ..) => full(),
        (Op::Ite, condition, then) => match condition.decided() {
            Some(true) => then,
            Some(false) => domain(2),
            None => then.join(domain(2)),
        },
        (Op::Not, Domain::Bool { no, yes }, _) => Domain::Bool { no: yes, yes: no },
        (Op::And, a, b) => match (a.decided(), b.decided()) {
            (Some(false), _) | (_, Some(false)) => Domain::truth(false),
            (Some(true), Some(true)) => Domain::truth(true),
            _ => full(),
        },
        (Op::Or, a, b) => match (a.decided(), b.decided()) {
            (Some(true), _) | (_, Some(true)) => Domain::truth(true),
            (Some(false), Some(false)) => Domain::truth(false),
            _ => full(),
        },
        (Op::Xor, a, b) => match (a.decided(), b.decided()) {
            (Some(a), Some(b)) => Domain::truth(a != b),
            _ => full(),
        },
        (Op::Eq, Domain::Int(a), Domain::Int(b)) => equal(a, b),
        (Op::Eq, Domain::Fp(a), Domain::Fp(b)) => {
            // NaN equals itself here, and the zeros differ.
            let apart = a.high < b.low || b.high < a.low;
            if apart && !(a.nan && b.nan) { Domain::truth(false) } else { full() }
        }
        (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, Domain::Int(a), Domain::Int(b)) => order(op, a, b),
        (Op::FpLt | Op::FpLe | Op::FpEq, Domain::Fp(a), Domain::Fp(b)) => float_order(op, a, b),
        (Op::FpIsNan, Domain::Fp(a), _) => Domain::Bool { no: a.has_number(), yes: a.nan },
        (Op::FpIsInf, Domain::Fp(a), _) => Domain::Bool {
            no: a.nan || a.has_number() && (a.low < f64::INFINITY && a.high > f64::NEG_INFINITY),
            yes: a.is_infinite_possible(),
        },
        (Op::FpIsZero, Domain::Fp(a), _) => {
            Domain::Bool { no: a.nan || a.low < 0.0 || a.high > 0.0, yes: a.contains(0.0) }
        }
        (Op::FpIsNegative, Domain::Fp(a), _) => {
            Domain::Bool { no: a.nan || a.high >= 0.0, yes: a.has_number() && a.low <= 0.0 }
        }
        (_, Domain::Int(a), b) if matches!(pool.sort(t), term::Sort::Bv(_)) => {
            let low_width = args.get(1).map_or(0, |&a| pool.sort(a).bits());
            integer(op, a, b, low_width).map_or_else(full, Domain::Int)
        }
        (Op::FpFromSBv { to }, Domain::Int(a), _) => {
            let float = |value: i128| match to {
                Float::F32 => f64::from(value as f32),
                Float::F64 => value as f64,
            };
            Domain::Fp(Fp::of(float(a.low), float(a.high), false))
        }
        (Op::FpToSBvSat { width }, Domain::Fp(a), _) if width <= 64 => to_integer(a, width),
        (_, Domain::Fp(a), b) => {
            let Some(float) = pool.sort(t).float() else { return full() };
            let b = if let Domain::Fp(b) = b { b } else { Fp::FULL };
            let same = args.len() == 2 && args[0] == args[1];
            Domain::Fp(float_value(op, float, a, b, same))
        }
        _ => full(),
    }
}

fn equal(a: Int, b: Int) -> Domain {
    if a.high < b.low || b.high < a.low || a.uhigh < b.ulow || b.uhigh < a.ulow {
        return Domain::truth(false);
    }
    match (a.single(), b.single()) {
        (Some(a), Some(b)) => Domain::truth(a == b),
        _ => Domain::Bool { no: true, yes: true },
    }
}

fn order(op: Op, a: Int, b: Int) -> Domain {
    let (always, never) = match op {
        Op::BvUlt => (a.uhigh < b.ulow, a.ulow >= b.uhigh),
        Op::BvUle => (a.uhigh <= b.ulow, a.ulow > b.uhigh),
        Op::BvSlt => (a.high < b.low, a.low >= b.high),
        _ => (a.high <= b.low, a.low > b.high),
    };
    Domain::Bool { no: !always, yes: !never }
}

fn float_order(op: Op, a: Fp, b: Fp) -> Domain {
    let numbers = a.has_number() && b.has_number();
    let (always, never) = match op {
        Op::FpLt => (a.high < b.low, a.low >= b.high),
        Op::FpLe => (a.high <= b.low, a.low > b.high),
        _ => (a.low == a.high && b.low == b.high && a.low == b.low, a.high < b.low || b.high < a.low),
    };
    Domain::Bool { no: a.nan || b.nan || !always, yes: numbers && !never }
}

/// Bit-vectors of the same width in and out, but for the extensions.
fn integer(op: Op, a: Int, b: Domain, low_width: u32) -> Option<Int> {
    let w = a.width;
    let b = if let Domain::Int(b) = b { Some(b) } else { None };
    Some(match op {
        Op::BvAdd => {
            let b = b?;
            Int::of_signed(w, a.low + b.low, a.high + b.high).meet(Int::of_unsigned(
                w,
                a.ulow + b.ulow,
                a.uhigh + b.uhigh,
            ))
        }
        Op::BvSub => {
            let b = b?;
            let signed = Int::of_signed(w, a.low - b.high, a.high - b.low);
            match a.ulow.checked_sub(b.uhigh) {
                Some(low) => signed.meet(Int::of_unsigned(w, low, a.uhigh - b.ulow)),
                None => signed,
            }
        }
        Op::BvMul => {
            let b = b?;
            let ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
            let low = ends.into_iter().min()?;
            let high = ends.into_iter().max()?;
            Int::of_signed(w, low, high).meet(Int::of_unsigned(w, a.ulow * b.ulow, a.uhigh * b.uhigh))
        }
        Op::BvNeg => Int::of_signed(w, -a.high, -a.low),
        Op::BvNot => Int::of_signed(w, -1 - a.high, -1 - a.low),
        Op::BvSDiv => {
            let b = b?;
            if b.low <= 0 && b.high >= 0 {
                return None;
            }
            let ends = [a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high];
            // The divisors of the smallest size are ends too; zero is none.
            Int::of_signed(w, ends.into_iter().min()?, ends.into_iter().max()?)
        }
        Op::BvSRem => {
            let b = b?;
            let most = b.low.abs().max(b.high.abs());
            // By zero it is the dividend.
            let most = if b.low <= 0 && b.high >= 0 { i128::MAX } else { most - 1 };
            Int::of_signed(
                w,
                if a.low < 0 { a.low.max(-most) } else { 0 },
                if a.high > 0 { a.high.min(most) } else { 0 },
            )
        }
        Op::BvUDiv => {
            let b = b?;
            if b.ulow == 0 {
                return None;
            }
            Int::of_unsigned(w, a.ulow / b.uhigh, a.uhigh / b.ulow)
        }
        Op::BvURem => {
            let b = b?;
            let high = if b.ulow == 0 { a.uhigh } else { a.uhigh.min(b.uhigh - 1) };
            Int::of_unsigned(w, 0, high)
        }
        Op::BvAnd => Int::of_unsigned(w, 0, a.uhigh.min(b?.uhigh)),
        Op::BvOr => Int::of_unsigned(w, a.ulow.max(b?.ulow), bits_of(a.uhigh | b?.uhigh)),
        Op::BvXor => Int::of_unsigned(w, 0, bits_of(a.uhigh | b?.uhigh)),
        Op::BvShl => {
            let count = u32::try_from(b?.single()?).ok().filter(|&count| count < w)?;
            Int::of_unsigned(w, a.ulow << count, a.uhigh << count).meet(Int::of_signed(
                w,
                a.low << count,
                a.high << count,
            ))
        }
        Op::BvLShr => {
            let count = u32::try_from(b?.single()?).ok().filter(|&count| count < w)?;
            Int::of_unsigned(w, a.ulow >> count, a.uhigh >> count)
        }
        Op::BvAShr => {
            let count = u32::try_from(b?.single()?).ok()?.min(w - 1);
            Int::of_signed(w, a.low >> count, a.high >> count)
        }
        Op::ZeroExt { to } if to <= 64 => Int::of_unsigned(to, a.ulow, a.uhigh),
        Op::SignExt { to } if to <= 64 => Int::of_signed(to, a.low, a.high),
        Op::Extract { hi, lo } => {
            let to = hi - lo + 1;
            // A part of what fits is what fits; a part of what does not is anything.
            let unsigned = Int::of_unsigned(to, a.ulow >> lo, a.uhigh >> lo);
            let exact = a.uhigh >> lo <= mask(to);
            match (exact, lo) {
                (true, _) => unsigned,
                (false, 0) => Int::of_signed(to, a.low, a.high),
                (false, _) => return None,
            }
        }
        Op::Concat if w + low_width <= 64 => {
            let (low, high) = b.map_or((0, mask(low_width)), |b| (b.ulow, b.uhigh));
            Int::of_unsigned(w + low_width, (a.ulow << low_width) + low, (a.uhigh << low_width) + high)
        }
        _ => return None,
    })
}

/// All ones up to the highest bit.
fn bits_of(value: u128) -> u128 {
    mask(128 - value.leading_zeros())
}

fn to_integer(a: Fp, width: u32) -> Domain {
    let half = 2f64.powi(width as i32 - 1);
    let max = (1i128 << (width - 1)) - 1;
    let clamp = |value: f64| {
        if value >= half {
            max
        } else if value <= -half {
            -max - 1
        } else {
            value as i128
        }
    };
    let zero = Domain::Int(Int::constant(width, 0));
    if !a.has_number() {
        return zero;
    }
    let numbers = Domain::Int(Int::of_signed(width, clamp(a.low), clamp(a.high)));
    if a.nan { numbers.join(zero) } else { numbers }
}

/// Ends of an interval through an operation in the format.
fn float_value(op: Op, float: Float, a: Fp, b: Fp, same: bool) -> Fp {
    let nan = a.nan || b.nan && op.row().arity == 2;
    let r = |value: f64| rounded(float, value);
    let any = Fp { nan: true, ..Fp::FULL };
    if !a.has_number() || op.row().arity == 2 && !b.has_number() {
        // A power of NaN may be a number, and of infinities so may others.
        return if matches!(op, Op::FpFun2 { .. }) { any } else { Fp::NO_NUMBER };
    }
    match op {
        Op::FpAdd => {
            let opposite = (a.low == f64::NEG_INFINITY && b.high == f64::INFINITY)
                || (a.high == f64::INFINITY && b.low == f64::NEG_INFINITY);
            Fp::of(r(a.low + b.low), r(a.high + b.high), nan || opposite)
        }
        Op::FpSub => {
            let alike = (a.low == f64::NEG_INFINITY && b.low == f64::NEG_INFINITY)
                || (a.high == f64::INFINITY && b.high == f64::INFINITY);
            Fp::of(r(a.low - b.high), r(a.high - b.low), nan || alike)
        }
        Op::FpMul if same => {
            let (low, high) = (a.low.abs().min(a.high.abs()), a.low.abs().max(a.high.abs()));
            let low = if a.contains(0.0) { 0.0 } else { low };
            Fp::of(r(low * low), r(high * high), nan)
        }
        Op::FpMul => {
            let vanishing =
                a.contains(0.0) && b.is_infinite_possible() || b.contains(0.0) && a.is_infinite_possible();
            Fp::hull(
                &[r(a.low * b.low), r(a.low * b.high), r(a.high * b.low), r(a.high * b.high)],
                nan || vanishing,
            )
        }
        Op::FpDiv => {
            let both =
                a.contains(0.0) && b.contains(0.0) || a.is_infinite_possible() && b.is_infinite_possible();
            if b.contains(0.0) {
                return Fp { nan: nan || both, ..Fp::FULL };
            }
            Fp::hull(
                &[r(a.low / b.low), r(a.low / b.high), r(a.high / b.low), r(a.high / b.high)],
                nan || both,
            )
        }
        Op::FpFmod => {
            let most = b.low.abs().max(b.high.abs());
            let undefined = b.contains(0.0) || a.is_infinite_possible();
            let low = if a.low < 0.0 { a.low.max(-most) } else { 0.0 };
            let high = if a.high > 0.0 { a.high.min(most) } else { 0.0 };
            Fp::of(low, high, nan || undefined)
        }
        Op::FpNeg => Fp::of(-a.high, -a.low, nan),
        Op::FpAbs => {
            let low = if a.contains(0.0) { 0.0 } else { a.low.abs().min(a.high.abs()) };
            Fp::of(low, a.low.abs().max(a.high.abs()), nan)
        }
        Op::FpSqrt if a.high < 0.0 => Fp::NO_NUMBER,
        Op::FpSqrt => Fp::of(r(a.low.max(0.0).sqrt()), r(a.high.sqrt()), nan || a.low < 0.0),
        Op::FpRint => Fp::of(a.low.round_ties_even(), a.high.round_ties_even(), nan),
        Op::FpFloor => Fp::of(a.low.floor(), a.high.floor(), nan),
        Op::FpCeil => Fp::of(a.low.ceil(), a.high.ceil(), nan),
        Op::FpToFp { to } => Fp::of(rounded(to, a.low), rounded(to, a.high), nan),
        Op::FpFun { fun } => function(fun, a),
        Op::FpFun2 { fun: Fun2::Hypot } => {
            let least = [a, b].map(|d| if d.contains(0.0) { 0.0 } else { d.low.abs().min(d.high.abs()) });
            Fp::of(least[0].max(least[1]), f64::INFINITY, nan).wider()
        }
        Op::FpFun2 { fun: Fun2::Atan2 } => Fp::of(-3.2, 3.2, nan),
        Op::FpFun2 { fun: Fun2::Pow } => Fp { low: if a.low > 0.0 { 0.0 } else { f64::NEG_INFINITY }, ..any },
        _ => any,
    }
}

/// fdlibm is monotone up to an ulp or two; much more is allowed for.
fn function(fun: Fun, a: Fp) -> Fp {
    let ends = |low: f64, high: f64, nan: bool| {
        let (low, high) = (fun.of()(low), fun.of()(high));
        let slack = |value: f64| if value.is_finite() { value.abs() * 1e-12 } else { 0.0 };
        Fp::of(low - slack(low), high + slack(high), a.nan || nan).wider()
    };
    match fun {
        Fun::Sin | Fun::Cos => Fp { low: -1.0, high: 1.0, nan: a.nan || a.is_infinite_possible() },
        Fun::Tan => Fp { nan: true, ..Fp::FULL },
        Fun::Asin if a.high < -1.0 || a.low > 1.0 => Fp::NO_NUMBER,
        Fun::Asin => ends(a.low.max(-1.0), a.high.min(1.0), a.low < -1.0 || a.high > 1.0),
        Fun::Acos => Fp { low: -0.1, high: 3.2, nan: a.nan || a.low < -1.0 || a.high > 1.0 },
        Fun::Log | Fun::Log10 if a.high < 0.0 => Fp::NO_NUMBER,
        Fun::Log | Fun::Log10 => ends(a.low.max(0.0), a.high, a.low < 0.0),
        Fun::Log1p if a.high < -1.0 => Fp::NO_NUMBER,
        Fun::Log1p => ends(a.low.max(-1.0), a.high, a.low < -1.0),
        Fun::Cosh => Fp { low: 0.99, high: f64::INFINITY, nan: a.nan },
        Fun::Atan | Fun::Exp | Fun::Expm1 | Fun::Sinh | Fun::Tanh | Fun::Cbrt => ends(a.low, a.high, false),
    }
}
