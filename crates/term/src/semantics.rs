//! What each operator computes on concrete values; the one definition behind folding and evaluation.
//!
//! Values are `u128`: Booleans 0 or 1, bit-vectors masked to their width, floats in their interchange format
//! with the one canonical NaN. Array operators are not here, they have no `u128` value.

use crate::op::{Float, Op};

/// All ones in the low `width` bits.
#[inline]
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// Reads the low `width` bits as a signed number.
#[inline]
pub fn signed(value: u128, width: u32) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    ((value << shift) as i128) >> shift
}

pub const NAN32: u32 = 0x7fc0_0000;
pub const NAN64: u64 = 0x7ff8_0000_0000_0000;

#[inline]
pub fn f32_bits(value: f32) -> u128 {
    (if value.is_nan() { NAN32 } else { value.to_bits() }).into()
}

#[inline]
pub fn f64_bits(value: f64) -> u128 {
    (if value.is_nan() { NAN64 } else { value.to_bits() }).into()
}

/// Replaces any NaN by the canonical one.
pub fn canonical(float: Float, bits: u128) -> u128 {
    match float {
        Float::F32 => f32_bits(f32::from_bits(bits as u32)),
        Float::F64 => f64_bits(f64::from_bits(bits as u64)),
    }
}

#[inline]
fn as32(value: u128) -> f32 {
    f32::from_bits(value as u32)
}

#[inline]
fn as64(value: u128) -> f64 {
    f64::from_bits(value as u64)
}

#[inline]
fn unary(width: u32, a: u128, op32: fn(f32) -> f32, op64: fn(f64) -> f64) -> u128 {
    if width == 32 { f32_bits(op32(as32(a))) } else { f64_bits(op64(as64(a))) }
}

#[inline]
fn binary(width: u32, a: u128, b: u128, op32: fn(f32, f32) -> f32, op64: fn(f64, f64) -> f64) -> u128 {
    if width == 32 { f32_bits(op32(as32(a), as32(b))) } else { f64_bits(op64(as64(a), as64(b))) }
}

#[inline]
fn test(width: u32, a: u128, op32: fn(f32) -> bool, op64: fn(f64) -> bool) -> u128 {
    (if width == 32 { op32(as32(a)) } else { op64(as64(a)) }).into()
}

#[inline]
fn compare(width: u32, a: u128, b: u128, op32: fn(&f32, &f32) -> bool, op64: fn(&f64, &f64) -> bool) -> u128 {
    (if width == 32 { op32(&as32(a), &as32(b)) } else { op64(&as64(a), &as64(b)) }).into()
}

/// Applies `op`. `width` is the width of the first argument, except for [`Op::Concat`]: the low part's.
/// Arguments the operator does not have are ignored. Array operators and leaves give 0; callers keep them away.
#[inline]
pub fn apply(op: Op, width: u32, [a, b, c]: [u128; 3]) -> u128 {
    let w = width;
    match op {
        Op::Const | Op::Var | Op::Select | Op::Store | Op::ConstArray { .. } => 0,
        Op::Not => a ^ 1,
        Op::And | Op::BvAnd => a & b,
        Op::Or | Op::BvOr => a | b,
        Op::Xor | Op::BvXor => a ^ b,
        Op::Ite => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Op::Eq => (a == b).into(),
        Op::BvAdd => a.wrapping_add(b) & mask(w),
        Op::BvSub => a.wrapping_sub(b) & mask(w),
        Op::BvMul => a.wrapping_mul(b) & mask(w),
        Op::BvUDiv => a.checked_div(b).unwrap_or(mask(w)),
        Op::BvURem => a.checked_rem(b).unwrap_or(a),
        Op::BvSDiv => {
            let (x, y) = (signed(a, w), signed(b, w));
            let quotient = match y {
                0 if x < 0 => 1,
                0 => -1,
                _ => x.wrapping_div(y),
            };
            quotient as u128 & mask(w)
        }
        Op::BvSRem => {
            let (x, y) = (signed(a, w), signed(b, w));
            (if y == 0 { x } else { x.wrapping_rem(y) }) as u128 & mask(w)
        }
        Op::BvNeg => a.wrapping_neg() & mask(w),
        Op::BvNot => !a & mask(w),
        Op::BvShl => {
            if b >= w.into() {
                0
            } else {
                (a << b) & mask(w)
            }
        }
        Op::BvLShr => {
            if b >= w.into() {
                0
            } else {
                a >> b
            }
        }
        Op::BvAShr => (signed(a, w) >> b.min(u128::from(w) - 1)) as u128 & mask(w),
        Op::BvUlt => (a < b).into(),
        Op::BvUle => (a <= b).into(),
        Op::BvSlt => (signed(a, w) < signed(b, w)).into(),
        Op::BvSle => (signed(a, w) <= signed(b, w)).into(),
        Op::Concat => (a << (w & 127)) | b,
        Op::Extract { hi, lo } => (a >> lo) & mask(hi - lo + 1),
        Op::ZeroExt { .. } => a,
        Op::SignExt { to } => signed(a, w) as u128 & mask(to),
        Op::FpAdd => binary(w, a, b, |x, y| x + y, |x, y| x + y),
        Op::FpSub => binary(w, a, b, |x, y| x - y, |x, y| x - y),
        Op::FpMul => binary(w, a, b, |x, y| x * y, |x, y| x * y),
        Op::FpDiv => binary(w, a, b, |x, y| x / y, |x, y| x / y),
        Op::FpFmod => binary(w, a, b, |x, y| x % y, |x, y| x % y),
        Op::FpNeg => unary(w, a, |x| -x, |x| -x),
        Op::FpAbs => unary(w, a, f32::abs, f64::abs),
        Op::FpSqrt => unary(w, a, f32::sqrt, f64::sqrt),
        Op::FpRint => unary(w, a, f32::round_ties_even, f64::round_ties_even),
        Op::FpFloor => unary(w, a, f32::floor, f64::floor),
        Op::FpCeil => unary(w, a, f32::ceil, f64::ceil),
        Op::FpFun { fun } => f64_bits(fun.of()(as64(a))),
        Op::FpFun2 { fun } => f64_bits(fun.of()(as64(a), as64(b))),
        Op::FpLt => compare(w, a, b, f32::lt, f64::lt),
        Op::FpLe => compare(w, a, b, f32::le, f64::le),
        Op::FpEq => compare(w, a, b, f32::eq, f64::eq),
        Op::FpIsNan => test(w, a, f32::is_nan, f64::is_nan),
        Op::FpIsInf => test(w, a, f32::is_infinite, f64::is_infinite),
        Op::FpIsZero => test(w, a, |x| x == 0.0, |x| x == 0.0),
        Op::FpIsNegative => {
            test(w, a, |x| x.is_sign_negative() && !x.is_nan(), |x| x.is_sign_negative() && !x.is_nan())
        }
        Op::FpFromSBv { to } => match to {
            Float::F32 => f32_bits(signed(a, w) as f32),
            Float::F64 => f64_bits(signed(a, w) as f64),
        },
        Op::FpToSBvSat { width: to } => {
            // Rust's `as` truncates, saturates and maps NaN to 0 as Java does, at 128 bits; f32 and f64 that
            // do not fit 128 bits saturate there and again below.
            let value = if w == 32 { as32(a) as i128 } else { as64(a) as i128 };
            let max = (mask(to) >> 1) as i128;
            value.clamp(-max - 1, max) as u128 & mask(to)
        }
        Op::FpToFp { to } => match (w, to) {
            (32, Float::F32) | (64, Float::F64) => a,
            (_, Float::F32) => f32_bits(as64(a) as f32),
            (_, Float::F64) => f64_bits(as32(a).into()),
        },
        Op::FpFromBits { to } => canonical(to, a),
        // Terms of float sort already hold the canonical NaN.
        Op::FpToBits => a,
    }
}
