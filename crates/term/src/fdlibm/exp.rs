//! `exp`, `expm1` and the hyperbolic functions.

use super::{high, low, with_high};

const OVERFLOW: f64 = 7.09782712893383973096e+02;
const UNDERFLOW: f64 = -7.45133219101941108420e+02;
const LN2_HIGH: f64 = 6.93147180369123816490e-01;
const LN2_LOW: f64 = 1.90821492927058770002e-10;
const INV_LN2: f64 = 1.44269504088896338700e+00;
const INFINITE: i32 = 0x7ff0_0000;

fn add_exponent(y: f64, k: i32) -> f64 {
    with_high(y, high(y).wrapping_add(k << 20))
}

pub fn exp(x: f64) -> f64 {
    const P: [f64; 5] = [
        1.66666666666666019037e-01,
        -2.77777777770155933842e-03,
        6.61375632143793436117e-05,
        -1.65339022054652515390e-06,
        4.13813679705723846039e-08,
    ];
    // 2^-1000.
    let tiny = f64::from_bits(23 << 52);
    let hx = high(x) & i32::MAX;
    let negative = high(x) < 0;
    if hx >= 0x4086_2e42 {
        if hx >= INFINITE {
            return match ((hx & 0xf_ffff) as u32 | low(x) != 0, negative) {
                (true, _) => x + x,
                (_, true) => 0.0,
                _ => x,
            };
        }
        if x > OVERFLOW {
            return f64::INFINITY;
        }
        if x < UNDERFLOW {
            return 0.0;
        }
    }
    let (mut k, mut hi, mut lo, mut r) = (0, 0.0, 0.0, x);
    if hx > 0x3fd6_2e42 {
        if hx < 0x3ff0_a2b2 {
            let sign = if negative { -1.0 } else { 1.0 };
            hi = x - sign * LN2_HIGH;
            lo = sign * LN2_LOW;
            k = if negative { -1 } else { 1 };
        } else {
            k = (INV_LN2 * x + if negative { -0.5 } else { 0.5 }) as i32;
            let t = k as f64;
            hi = x - t * LN2_HIGH;
            lo = t * LN2_LOW;
        }
        r = hi - lo;
    } else if hx < 0x3e30_0000 {
        return 1.0 + x;
    }
    let t = r * r;
    let c = r - t * (P[0] + t * (P[1] + t * (P[2] + t * (P[3] + t * P[4]))));
    if k == 0 {
        return 1.0 - ((r * c) / (c - 2.0) - r);
    }
    let y = 1.0 - ((lo - (r * c) / (2.0 - c)) - hi);
    match k >= -1021 {
        true => add_exponent(y, k),
        false => add_exponent(y, k + 1000) * tiny,
    }
}

pub fn expm1(x: f64) -> f64 {
    const Q: [f64; 5] = [
        -3.33333333333331316428e-02,
        1.58730158725481460165e-03,
        -7.93650757867487942473e-05,
        4.00821782732936239552e-06,
        -2.01099218183624371326e-07,
    ];
    let hx = high(x) & i32::MAX;
    let negative = high(x) < 0;
    if hx >= 0x4043_687a {
        if hx >= 0x4086_2e42 {
            if hx >= INFINITE {
                return match ((hx & 0xf_ffff) as u32 | low(x) != 0, negative) {
                    (true, _) => x + x,
                    (_, true) => -1.0,
                    _ => x,
                };
            }
            if x > OVERFLOW {
                return f64::INFINITY;
            }
        }
        if negative {
            return 1.0e-300 - 1.0;
        }
    }
    let (mut k, mut c, mut r) = (0, 0.0, x);
    if hx > 0x3fd6_2e42 {
        let (hi, lo);
        if hx < 0x3ff0_a2b2 {
            let sign = if negative { -1.0 } else { 1.0 };
            hi = x - sign * LN2_HIGH;
            lo = sign * LN2_LOW;
            k = if negative { -1 } else { 1 };
        } else {
            k = (INV_LN2 * x + if negative { -0.5 } else { 0.5 }) as i32;
            let t = k as f64;
            hi = x - t * LN2_HIGH;
            lo = t * LN2_LOW;
        }
        r = hi - lo;
        c = (hi - r) - lo;
    } else if hx < 0x3c90_0000 {
        return x;
    }
    let half = 0.5 * r;
    let square = r * half;
    let r1 = 1.0 + square * (Q[0] + square * (Q[1] + square * (Q[2] + square * (Q[3] + square * Q[4]))));
    let t = 3.0 - r1 * half;
    let mut e = square * ((r1 - t) / (6.0 - r * t));
    if k == 0 {
        return r - (r * e - square);
    }
    e = r * (e - c) - c;
    e -= square;
    match k {
        -1 => 0.5 * (r - e) - 0.5,
        1 if r < -0.25 => -2.0 * (e - (r + 0.5)),
        1 => 1.0 + 2.0 * (r - e),
        _ if k <= -2 || k > 56 => add_exponent(1.0 - (e - r), k) - 1.0,
        _ if k < 20 => {
            let t = with_high(1.0, 0x3ff0_0000 - (0x20_0000 >> k));
            add_exponent(t - (e - r), k)
        }
        _ => {
            let t = with_high(1.0, (0x3ff - k) << 20);
            add_exponent((r - (e + t)) + 1.0, k)
        }
    }
}

/// Whether `exp(|x| / 2)` squared still fits, by the high word of |x|.
fn half_fits(ix: i32, x: f64) -> bool {
    ix < 0x4086_33ce || (ix == 0x4086_33ce && low(x) <= 0x8fb9_f87d)
}

pub fn sinh(x: f64) -> f64 {
    const HUGE: f64 = 1.0e307;
    let ix = high(x) & i32::MAX;
    if ix >= INFINITE {
        return x + x;
    }
    let h = if high(x) < 0 { -0.5 } else { 0.5 };
    if ix < 0x4036_0000 {
        if ix < 0x3e30_0000 {
            return x;
        }
        let t = expm1(x.abs());
        if ix < 0x3ff0_0000 {
            return h * (2.0 * t - t * t / (t + 1.0));
        }
        return h * (t + t / (t + 1.0));
    }
    if ix < 0x4086_2e42 {
        return h * exp(x.abs());
    }
    if half_fits(ix, x) {
        let w = exp(0.5 * x.abs());
        let t = h * w;
        return t * w;
    }
    x * HUGE
}

pub fn cosh(x: f64) -> f64 {
    let ix = high(x) & i32::MAX;
    if ix >= INFINITE {
        return x * x;
    }
    if ix < 0x3fd6_2e43 {
        let t = expm1(x.abs());
        let w = 1.0 + t;
        if ix < 0x3c80_0000 {
            return w;
        }
        return 1.0 + (t * t) / (w + w);
    }
    if ix < 0x4036_0000 {
        let t = exp(x.abs());
        return 0.5 * t + 0.5 / t;
    }
    if ix < 0x4086_2e42 {
        return 0.5 * exp(x.abs());
    }
    if half_fits(ix, x) {
        let w = exp(0.5 * x.abs());
        let t = 0.5 * w;
        return t * w;
    }
    f64::INFINITY
}

pub fn tanh(x: f64) -> f64 {
    let jx = high(x);
    let ix = jx & i32::MAX;
    if ix >= INFINITE {
        return if jx >= 0 { 1.0 / x + 1.0 } else { 1.0 / x - 1.0 };
    }
    let z = if ix < 0x4036_0000 {
        if ix < 0x3c80_0000 {
            return x * (1.0 + x);
        }
        if ix >= 0x3ff0_0000 {
            let t = expm1(2.0 * x.abs());
            1.0 - 2.0 / (t + 2.0)
        } else {
            let t = expm1(-2.0 * x.abs());
            -t / (t + 2.0)
        }
    } else {
        1.0 - 1.0e-300
    };
    if jx >= 0 { z } else { -z }
}
