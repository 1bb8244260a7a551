//! `asin`, `acos`, `atan`, `atan2`.

use super::{cut, high, low};

const PIO2_HIGH: f64 = 1.57079632679489655800e+00;
const PIO2_LOW: f64 = 6.12323399573676603587e-17;
const PIO4_HIGH: f64 = 7.85398163397448278999e-01;
const PI: f64 = std::f64::consts::PI;
const PI_LOW: f64 = 1.2246467991473531772e-16;
const TINY: f64 = 1.0e-300;
const INFINITE: i32 = 0x7ff0_0000;

/// The rational function that both arcs share: numerator and denominator.
fn parts(t: f64) -> (f64, f64) {
    const P: [f64; 6] = [
        1.66666666666666657415e-01,
        -3.25565818622400915405e-01,
        2.01212532134862925881e-01,
        -4.00555345006794114027e-02,
        7.91534994289814532176e-04,
        3.47933107596021167570e-05,
    ];
    const Q: [f64; 4] = [
        -2.40339491173441421878e+00,
        2.02094576023350569471e+00,
        -6.88283971605453293030e-01,
        7.70381505559019352791e-02,
    ];
    let p = t * (P[0] + t * (P[1] + t * (P[2] + t * (P[3] + t * (P[4] + t * P[5])))));
    let q = 1.0 + t * (Q[0] + t * (Q[1] + t * (Q[2] + t * Q[3])));
    (p, q)
}

pub fn asin(x: f64) -> f64 {
    let hx = high(x);
    let ix = hx & i32::MAX;
    if ix >= 0x3ff0_0000 {
        if (ix - 0x3ff0_0000) as u32 | low(x) == 0 {
            return x * PIO2_HIGH + x * PIO2_LOW;
        }
        return (x - x) / (x - x);
    }
    if ix < 0x3fe0_0000 {
        if ix < 0x3e40_0000 {
            return x;
        }
        let (p, q) = parts(x * x);
        return x + x * (p / q);
    }
    let t = (1.0 - x.abs()) * 0.5;
    let (p, q) = parts(t);
    let s = t.sqrt();
    let result = if ix >= 0x3fef_3333 {
        PIO2_HIGH - (2.0 * (s + s * (p / q)) - PIO2_LOW)
    } else {
        let w = cut(s);
        let c = (t - w * w) / (s + w);
        let p = 2.0 * s * (p / q) - (PIO2_LOW - 2.0 * c);
        let q = PIO4_HIGH - 2.0 * w;
        PIO4_HIGH - (p - q)
    };
    if hx > 0 { result } else { -result }
}

pub fn acos(x: f64) -> f64 {
    let hx = high(x);
    let ix = hx & i32::MAX;
    if ix >= 0x3ff0_0000 {
        if (ix - 0x3ff0_0000) as u32 | low(x) == 0 {
            return if hx > 0 { 0.0 } else { PI + 2.0 * PIO2_LOW };
        }
        return (x - x) / (x - x);
    }
    if ix < 0x3fe0_0000 {
        if ix <= 0x3c60_0000 {
            return PIO2_HIGH + PIO2_LOW;
        }
        let (p, q) = parts(x * x);
        return PIO2_HIGH - (x - (PIO2_LOW - x * (p / q)));
    }
    if hx < 0 {
        let z = (1.0 + x) * 0.5;
        let (p, q) = parts(z);
        let s = z.sqrt();
        let w = (p / q) * s - PIO2_LOW;
        return PI - 2.0 * (s + w);
    }
    let z = (1.0 - x) * 0.5;
    let s = z.sqrt();
    let df = cut(s);
    let c = (z - df * df) / (s + df);
    let (p, q) = parts(z);
    let w = (p / q) * s + c;
    2.0 * (df + w)
}

const ATAN_HIGH: [f64; 4] = [
    4.63647609000806093515e-01,
    7.85398163397448278999e-01,
    9.82793723247329054082e-01,
    1.57079632679489655800e+00,
];
const ATAN_LOW: [f64; 4] = [
    2.26987774529616870924e-17,
    3.06161699786838301793e-17,
    1.39033110312309984516e-17,
    6.12323399573676603587e-17,
];
const A: [f64; 11] = [
    3.33333333333329318027e-01,
    -1.99999999998764832476e-01,
    1.42857142725034663711e-01,
    -1.11111104054623557880e-01,
    9.09088713343650656196e-02,
    -7.69187620504482999495e-02,
    6.66107313738753120669e-02,
    -5.83357013379057348645e-02,
    4.97687799461593236017e-02,
    -3.65315727442169155270e-02,
    1.62858201153657823623e-02,
];

pub fn atan(x: f64) -> f64 {
    let hx = high(x);
    let ix = hx & i32::MAX;
    if ix >= 0x4410_0000 {
        if x.is_nan() {
            return x + x;
        }
        return if hx > 0 { ATAN_HIGH[3] + ATAN_LOW[3] } else { -ATAN_HIGH[3] - ATAN_LOW[3] };
    }
    if ix < 0x3e20_0000 {
        return x;
    }
    let (id, x) = if ix < 0x3fdc_0000 {
        (None, x)
    } else {
        let x = x.abs();
        match ix {
            ..0x3fe6_0000 => (Some(0), (2.0 * x - 1.0) / (2.0 + x)),
            ..0x3ff3_0000 => (Some(1), (x - 1.0) / (x + 1.0)),
            ..0x4003_8000 => (Some(2), (x - 1.5) / (1.0 + 1.5 * x)),
            _ => (Some(3), -1.0 / x),
        }
    };
    let z = x * x;
    let w = z * z;
    let s1 = z * (A[0] + w * (A[2] + w * (A[4] + w * (A[6] + w * (A[8] + w * A[10])))));
    let s2 = w * (A[1] + w * (A[3] + w * (A[5] + w * (A[7] + w * A[9]))));
    match id {
        None => x - x * (s1 + s2),
        Some(id) => {
            let id: usize = id;
            let z = ATAN_HIGH[id] - ((x * (s1 + s2) - ATAN_LOW[id]) - x);
            if hx < 0 { -z } else { z }
        }
    }
}

pub fn atan2(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return x + y;
    }
    let (hx, hy) = (high(x), high(y));
    let (ix, iy) = (hx & i32::MAX, hy & i32::MAX);
    if x == 1.0 {
        return atan(y);
    }
    let m = ((hy >> 31) & 1) | ((hx >> 30) & 2);
    if y == 0.0 {
        return match m {
            0 | 1 => y,
            2 => PI + TINY,
            _ => -PI - TINY,
        };
    }
    if x == 0.0 {
        return if hy < 0 { -PIO2_HIGH - TINY } else { PIO2_HIGH + TINY };
    }
    if ix == INFINITE {
        return match (iy == INFINITE, m) {
            (true, 0) => PIO4_HIGH + TINY,
            (true, 1) => -PIO4_HIGH - TINY,
            (true, 2) => 3.0 * PIO4_HIGH + TINY,
            (true, _) => -3.0 * PIO4_HIGH - TINY,
            (false, 0) => 0.0,
            (false, 1) => -0.0,
            (false, 2) => PI + TINY,
            (false, _) => -PI - TINY,
        };
    }
    if iy == INFINITE {
        return if hy < 0 { -PIO2_HIGH - TINY } else { PIO2_HIGH + TINY };
    }
    let z = match (iy - ix) >> 20 {
        k if k > 60 => PIO2_HIGH + 0.5 * PI_LOW,
        k if hx < 0 && k < -60 => 0.0,
        _ => atan((y / x).abs()),
    };
    match m {
        0 => z,
        1 => -z,
        2 => PI - (z - PI_LOW),
        _ => (z - PI_LOW) - PI,
    }
}
