//! The freely distributable math library that `StrictMath` is defined by, operation for operation, so that results
//! agree bit for bit. Terms over these functions are evaluated by them, and so does the VM compute them. Written after Sun's algorithms; their notice:
//!
//! Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun Microsystems,
//! Inc. business. Permission to use, copy, modify, and distribute this software is freely granted, provided that
//! this notice is preserved.
#![allow(
    clippy::approx_constant,
    clippy::eq_op,
    clippy::excessive_precision,
    clippy::match_overlapping_arm,
    clippy::needless_range_loop,
    reason = "operation for operation as the original: constants in full, x - x for NaN, indices as published"
)]

mod exp;
mod inverse;
mod log;
mod power;
mod reduce;
mod trig;

pub use exp::{cosh, exp, expm1, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use log::{log, log1p, log10};
pub use power::{cbrt, hypot, pow};
pub use trig::{cos, sin, tan};

/// The high word, sign included.
fn high(x: f64) -> i32 {
    (x.to_bits() >> 32) as i32
}

fn low(x: f64) -> u32 {
    x.to_bits() as u32
}

fn with_high(x: f64, high: i32) -> f64 {
    f64::from_bits((x.to_bits() & 0xffff_ffff) | (high as u32 as u64) << 32)
}

/// The low word cleared.
fn cut(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000)
}

const TWO54: f64 = 18014398509481984.0;

/// `IEEEremainder`: the exact remainder of the quotient rounded to the nearest even integer.
pub fn remainder(x: f64, p: f64) -> f64 {
    if p == 0.0 || !x.is_finite() || p.is_nan() {
        return (x * p) / (x * p);
    }
    let sign = high(x) & i32::MIN;
    let magnitude = high(p) & i32::MAX;
    let mut rest = if magnitude <= 0x7fdf_ffff { x % (p + p) } else { x };
    if x.to_bits() & !(1 << 63) == p.to_bits() & !(1 << 63) {
        return 0.0 * x;
    }
    rest = rest.abs();
    let p = p.abs();
    if magnitude < 0x0020_0000 {
        if rest + rest > p {
            rest -= p;
            if rest + rest >= p {
                rest -= p;
            }
        }
    } else {
        let half = 0.5 * p;
        if rest > half {
            rest -= p;
            if rest >= half {
                rest -= p;
            }
        }
    }
    with_high(rest, high(rest) ^ sign)
}
