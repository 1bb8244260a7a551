//! `sin`, `cos`, `tan`.

use super::reduce::rem_pio2;
use super::{cut, high, low};

/// High word of π/4: nothing to reduce below.
const PIO4_HIGH: i32 = 0x3fe9_21fb;
const INFINITE: i32 = 0x7ff0_0000;

pub fn sin(x: f64) -> f64 {
    match high(x) & i32::MAX {
        ix if ix <= PIO4_HIGH => kernel_sin(x, 0.0, false),
        ix if ix >= INFINITE => x - x,
        _ => {
            let (n, a, b) = rem_pio2(x);
            match n & 3 {
                0 => kernel_sin(a, b, true),
                1 => kernel_cos(a, b),
                2 => -kernel_sin(a, b, true),
                _ => -kernel_cos(a, b),
            }
        }
    }
}

pub fn cos(x: f64) -> f64 {
    match high(x) & i32::MAX {
        ix if ix <= PIO4_HIGH => kernel_cos(x, 0.0),
        ix if ix >= INFINITE => x - x,
        _ => {
            let (n, a, b) = rem_pio2(x);
            match n & 3 {
                0 => kernel_cos(a, b),
                1 => -kernel_sin(a, b, true),
                2 => -kernel_cos(a, b),
                _ => kernel_sin(a, b, true),
            }
        }
    }
}

pub fn tan(x: f64) -> f64 {
    match high(x) & i32::MAX {
        ix if ix <= PIO4_HIGH => kernel_tan(x, 0.0, 1),
        ix if ix >= INFINITE => x - x,
        _ => {
            let (n, a, b) = rem_pio2(x);
            kernel_tan(a, b, 1 - ((n & 1) << 1))
        }
    }
}

/// On [-π/4, π/4]; `y` is the tail of `x`, looked at only if there is one.
fn kernel_sin(x: f64, y: f64, tail: bool) -> f64 {
    const S1: f64 = -1.66666666666666324348e-01;
    const S2: f64 = 8.33333333332248946124e-03;
    const S3: f64 = -1.98412698298579493134e-04;
    const S4: f64 = 2.75573137070700676789e-06;
    const S5: f64 = -2.50507602534068634195e-08;
    const S6: f64 = 1.58969099521155010221e-10;
    if high(x) & i32::MAX < 0x3e40_0000 {
        return x;
    }
    let z = x * x;
    let v = z * x;
    let r = S2 + z * (S3 + z * (S4 + z * (S5 + z * S6)));
    match tail {
        false => x + v * (S1 + z * r),
        true => x - ((z * (0.5 * y - v * r) - y) - v * S1),
    }
}

fn kernel_cos(x: f64, y: f64) -> f64 {
    const C1: f64 = 4.16666666666666019037e-02;
    const C2: f64 = -1.38888888888741095749e-03;
    const C3: f64 = 2.48015872894767294178e-05;
    const C4: f64 = -2.75573143513906633035e-07;
    const C5: f64 = 2.08757232129817482790e-09;
    const C6: f64 = -1.13596475577881948265e-11;
    let ix = high(x) & i32::MAX;
    if ix < 0x3e40_0000 {
        return 1.0;
    }
    let z = x * x;
    let r = z * (C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * C6)))));
    if ix < 0x3fd3_3333 {
        return 1.0 - (0.5 * z - (z * r - x * y));
    }
    let qx = match ix > 0x3fe9_0000 {
        true => 0.28125,
        false => f64::from_bits(((ix - 0x0020_0000) as u32 as u64) << 32),
    };
    let hz = 0.5 * z - qx;
    let a = 1.0 - qx;
    a - (hz - (z * r - x * y))
}

const T: [f64; 13] = [
    3.33333333333334091986e-01,
    1.33333333333201242699e-01,
    5.39682539762260521377e-02,
    2.18694882948595424599e-02,
    8.86323982359930005737e-03,
    3.59207910759131235356e-03,
    1.45620945432529025516e-03,
    5.88041240820264096874e-04,
    2.46463134818469906812e-04,
    7.81794442939557092300e-05,
    7.14072491382608190305e-05,
    -1.85586374855275456654e-05,
    2.59073051863633712884e-05,
];

/// The tangent if `k` is 1, minus its reciprocal if it is -1.
fn kernel_tan(x: f64, y: f64, k: i32) -> f64 {
    const PIO4: f64 = 7.85398163397448278999e-01;
    const PIO4_LOW: f64 = 3.06161699786838301793e-17;
    let (mut x, mut y) = (x, y);
    let hx = high(x);
    let ix = hx & i32::MAX;
    if ix < 0x3e30_0000 && x as i32 == 0 {
        if (ix as u32 | low(x)) | (k + 1) as u32 == 0 {
            return 1.0 / x.abs();
        }
        return match k {
            1 => x,
            _ => minus_reciprocal(x + y, |z| y - (z - x)),
        };
    }
    let large = ix >= 0x3fe5_9428;
    if large {
        if hx < 0 {
            (x, y) = (-x, -y);
        }
        x = (PIO4 - x) + (PIO4_LOW - y);
        y = 0.0;
    }
    let z = x * x;
    let w = z * z;
    let r = T[1] + w * (T[3] + w * (T[5] + w * (T[7] + w * (T[9] + w * T[11]))));
    let v = z * (T[2] + w * (T[4] + w * (T[6] + w * (T[8] + w * (T[10] + w * T[12])))));
    let s = z * x;
    let mut r = y + z * (s * (r + v) + y);
    r += T[0] * s;
    let w = x + r;
    if large {
        let v = k as f64;
        return (1 - ((hx >> 30) & 2)) as f64 * (v - 2.0 * (x - (w * w / (w + v) - r)));
    }
    match k {
        1 => w,
        _ => minus_reciprocal(w, |z| r - (z - x)),
    }
}

/// `-1 / w` with care; `rest` tells what a cut `w` lacks.
fn minus_reciprocal(w: f64, rest: impl Fn(f64) -> f64) -> f64 {
    let z = cut(w);
    let v = rest(z);
    let a = -1.0 / w;
    let t = cut(a);
    let s = 1.0 + t * z;
    t + a * (s + t * v)
}
