//! `pow`, `cbrt` and `hypot`.

use super::{cut, high, with_high};

/// A double whose low word is zero.
fn from_high(high: i32) -> f64 {
    f64::from_bits(u64::from(high as u32) << 32)
}

/// What kind of whole number an exponent is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    No,
    Odd,
    Even,
}

fn whole(y: f64) -> Whole {
    let y = y.abs();
    match () {
        () if y.trunc() != y => Whole::No,
        // From 2^53 on every double is even.
        () if y < 9007199254740992.0 && y as u64 & 1 == 1 => Whole::Odd,
        () => Whole::Even,
    }
}

/// The exponents that need no logarithm.
fn special_exponent(x: f64, y: f64) -> Option<f64> {
    if y.is_infinite() {
        let size = x.abs();
        return Some(match (size == 1.0, (size > 1.0) == (y > 0.0)) {
            (true, _) => f64::NAN,
            (_, true) => f64::INFINITY,
            _ => 0.0,
        });
    }
    match y {
        1.0 => Some(x),
        -1.0 => Some(1.0 / x),
        2.0 => Some(x * x),
        0.5 if !x.is_sign_negative() => Some(x.sqrt()),
        _ => None,
    }
}

pub fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return x + y;
    }
    if let Some(value) = special_exponent(x, y) {
        return value;
    }
    let negative = x.is_sign_negative();
    let whole = if negative { whole(y) } else { Whole::No };
    let size = x.abs();
    if size == 0.0 || size == 1.0 || size.is_infinite() {
        let z = if y < 0.0 { 1.0 / size } else { size };
        return match (negative, whole) {
            (true, Whole::No) if size == 1.0 => f64::NAN,
            (true, Whole::Odd) => -z,
            _ => z,
        };
    }
    if negative && whole == Whole::No {
        return f64::NAN;
    }
    let sign = if whole == Whole::Odd { -1.0 } else { 1.0 };
    let (overflow, underflow) = (sign * f64::INFINITY, sign * 0.0);
    let (hx, hy) = (high(size), high(y.abs()));
    let (t1, t2) = if hy > 0x41e0_0000 {
        // |y| > 2^31: nothing but a base close to one stays in range.
        if hx < 0x3fef_ffff {
            return if y < 0.0 { overflow } else { underflow };
        }
        if hx > 0x3ff0_0000 {
            return if y > 0.0 { overflow } else { underflow };
        }
        log2_near_one(size)
    } else {
        log2(size)
    };
    // y * log2(x) in two parts.
    let y1 = cut(y);
    let p_l = (y - y1) * t1 + y * t2;
    let p_h = y1 * t1;
    let z = p_l + p_h;
    const OVER: f64 = 8.0085662595372944372e-17;
    if z >= 1024.0 {
        if z > 1024.0 || p_l + OVER > z - p_h {
            return overflow;
        }
    } else if z <= -1075.0 && (z < -1075.0 || p_l <= z - p_h) {
        return underflow;
    }
    sign * exp2(z, p_h, p_l)
}

const INV_LN2: f64 = 1.44269504088896338700e+00;
const INV_LN2_HIGH: f64 = 1.44269502162933349609e+00;
const INV_LN2_LOW: f64 = 1.92596299112661746887e-08;

/// The binary logarithm of a number within 2^-20 of one, in two parts.
fn log2_near_one(x: f64) -> (f64, f64) {
    let t = x - 1.0;
    let w = (t * t) * (0.5 - t * (0.3333333333333333333333 - t * 0.25));
    let u = INV_LN2_HIGH * t;
    let v = t * INV_LN2_LOW - w * INV_LN2;
    let t1 = cut(u + v);
    (t1, v - (t1 - u))
}

/// The binary logarithm of a positive number, in two parts.
fn log2(x: f64) -> (f64, f64) {
    const L: [f64; 6] = [
        5.99999999999994648725e-01,
        4.28571428578550184252e-01,
        3.33333329818377432918e-01,
        2.72728123808534006489e-01,
        2.30660745775561754067e-01,
        2.06975017800338417784e-01,
    ];
    // 2/(3 ln 2), and in two parts.
    const CP: f64 = 9.61796693925975554329e-01;
    const CP_HIGH: f64 = 9.61796700954437255859e-01;
    const CP_LOW: f64 = -7.02846165095275826516e-09;
    let (mut x, mut n) = (x, 0);
    if high(x) < 0x0010_0000 {
        x *= 9007199254740992.0;
        n -= 53;
    }
    n += (high(x) >> 20) - 0x3ff;
    let j = high(x) & 0x000f_ffff;
    let mut ix = j | 0x3ff0_0000;
    // Around 1 or around 1.5, with log2(1.5) in two parts.
    let (k, middle, dp_h, dp_l) = match j {
        _ if j <= 0x3988e => (0, 1.0, 0.0, 0.0),
        _ if j < 0xbb67a => (1, 1.5, 5.84962487220764160156e-01, 1.35003920212974897128e-08),
        _ => {
            n += 1;
            ix -= 0x0010_0000;
            (0, 1.0, 0.0, 0.0)
        }
    };
    x = with_high(x, ix);
    let u = x - middle;
    let v = 1.0 / (x + middle);
    let ss = u * v;
    let s_h = cut(ss);
    let t_h = from_high(((ix >> 1) | 0x2000_0000) + 0x0008_0000 + (k << 18));
    let t_l = x - (t_h - middle);
    let s_l = v * ((u - s_h * t_h) - s_h * t_l);
    let s2 = ss * ss;
    let mut r = s2 * s2 * (L[0] + s2 * (L[1] + s2 * (L[2] + s2 * (L[3] + s2 * (L[4] + s2 * L[5])))));
    r += s_l * (s_h + ss);
    let s2 = s_h * s_h;
    let t_h = cut(3.0 + s2 + r);
    let t_l = r - ((t_h - 3.0) - s2);
    let u = s_h * t_h;
    let v = s_l * t_h + t_l * ss;
    let p_h = cut(u + v);
    let p_l = v - (p_h - u);
    let z_h = CP_HIGH * p_h;
    let z_l = CP_LOW * p_h + p_l * CP + dp_l;
    let t = f64::from(n);
    let t1 = cut(((z_h + z_l) + dp_h) + t);
    (t1, z_l - (((t1 - t) - dp_h) - z_h))
}

/// 2 to the power of `p_h + p_l`, which is about `z`.
fn exp2(z: f64, mut p_h: f64, p_l: f64) -> f64 {
    const P: [f64; 5] = [
        1.66666666666666019037e-01,
        -2.77777777770155933842e-03,
        6.61375632143793436117e-05,
        -1.65339022054652515390e-06,
        4.13813679705723846039e-08,
    ];
    const LN2: f64 = 6.93147180559945286227e-01;
    const LN2_HIGH: f64 = 6.93147182464599609375e-01;
    const LN2_LOW: f64 = -1.90465429995776804525e-09;
    let j = high(z);
    let i = j & i32::MAX;
    let mut n = 0;
    if i > 0x3fe0_0000 {
        // The whole number nearest to z.
        let k = (i >> 20) - 0x3ff;
        n = j.wrapping_add(0x0010_0000 >> (k + 1));
        let k = ((n & i32::MAX) >> 20) - 0x3ff;
        let t = from_high(n & !(0x000f_ffff >> k));
        n = ((n & 0x000f_ffff) | 0x0010_0000) >> (20 - k);
        if j < 0 {
            n = -n;
        }
        p_h -= t;
    }
    let t = cut(p_l + p_h);
    let u = t * LN2_HIGH;
    let v = (p_l - (t - p_h)) * LN2 + t * LN2_LOW;
    let z = u + v;
    let w = v - (z - u);
    let t = z * z;
    let t1 = z - t * (P[0] + t * (P[1] + t * (P[2] + t * (P[3] + t * P[4]))));
    let r = (z * t1) / (t1 - 2.0) - (w + z * w);
    let z = 1.0 - (r - z);
    let j = high(z).wrapping_add(n << 20);
    // A subnormal result is rounded once, by the multiplication.
    if (j >> 20) <= 0 { scale(z, n) } else { with_high(z, j) }
}

/// `z * 2^n` for results below the normal range.
fn scale(z: f64, n: i32) -> f64 {
    let up = with_high(z, high(z).wrapping_add((n + 54) << 20));
    up * 5.55111512312578270212e-17
}

pub fn cbrt(x: f64) -> f64 {
    const B1: i32 = 715094163;
    const B2: i32 = 696219795;
    let size = x.abs();
    if !x.is_finite() {
        return x + x;
    }
    if x == 0.0 {
        return x;
    }
    // Five bits by dividing the exponent, then 23, then 53.
    let mut t = if high(size) < 0x0010_0000 {
        let t = size * super::TWO54;
        with_high(t, high(t) / 3 + B2)
    } else {
        from_high(high(size) / 3 + B1)
    };
    let r = t * t / size;
    let s = 19.0 / 35.0 + r * t;
    t *= 5.0 / 14.0 + (45.0 / 28.0) / (s + 99.0 / 70.0 + (-864.0 / 1225.0) / s);
    t = from_high(high(t) + 1);
    let s = t * t;
    let r = size / s;
    let w = t + t;
    let r = (r - t) / (w + r);
    t += t * r;
    t.copysign(x)
}

pub fn hypot(x: f64, y: f64) -> f64 {
    let (a, b) = (x.abs(), y.abs());
    if a.is_infinite() || b.is_infinite() {
        return f64::INFINITY;
    }
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let (mut a, mut b) = if b > a { (b, a) } else { (a, b) };
    let (mut ha, mut hb) = (high(a), high(b));
    if ha - hb > 0x3c0_0000 {
        return a + b;
    }
    // Out of the range where squares overflow or vanish.
    let mut k = 0;
    if a > f64::from_bits(0x5f30_0000_ffff_ffff) {
        ha -= 0x2580_0000;
        hb -= 0x2580_0000;
        k += 600;
        a = with_high(a, ha);
        b = with_high(b, hb);
    }
    if b < f64::from_bits(0x20b0_0000_0000_0000) {
        if b < f64::MIN_POSITIVE {
            if b == 0.0 {
                return a;
            }
            let up = from_high(0x7fd0_0000);
            // The high words stay as they were: so does the original.
            a *= up;
            b *= up;
            k -= 1022;
        } else {
            ha += 0x2580_0000;
            hb += 0x2580_0000;
            k -= 600;
            a = with_high(a, ha);
            b = with_high(b, hb);
        }
    }
    let w = a - b;
    let root = if w > b {
        let t1 = from_high(ha);
        let t2 = a - t1;
        (t1 * t1 - (b * -b - t2 * (a + t1))).sqrt()
    } else {
        let a = a + a;
        let y1 = from_high(hb);
        let y2 = b - y1;
        let t1 = from_high(ha + 0x0010_0000);
        let t2 = a - t1;
        (t1 * y1 - (w * -w - (t1 * y2 + t2 * b))).sqrt()
    };
    if k == 0 { root } else { from_high(0x3ff0_0000 + (k << 20)) * root }
}
