//! `log`, `log10`, `log1p`.

use super::{TWO54, high, low, with_high};

const LN2_HIGH: f64 = 6.93147180369123816490e-01;
const LN2_LOW: f64 = 1.90821492927058770002e-10;
const L: [f64; 7] = [
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
];
const INFINITE: i32 = 0x7ff0_0000;

/// Handles zero, negative and huge arguments; otherwise a normal number and the power of two taken out of it.
fn normal(x: f64) -> Result<(f64, i32), f64> {
    let hx = high(x);
    if hx < 0x0010_0000 {
        if (hx & i32::MAX) as u32 | low(x) == 0 {
            return Err(-TWO54 / 0.0);
        }
        if hx < 0 {
            return Err((x - x) / 0.0);
        }
        return Ok((x * TWO54, -54));
    }
    if hx >= INFINITE {
        return Err(x + x);
    }
    Ok((x, 0))
}

pub fn log(x: f64) -> f64 {
    let (x, mut k) = match normal(x) {
        Ok(found) => found,
        Err(result) => return result,
    };
    let mut hx = high(x);
    k += (hx >> 20) - 1023;
    hx &= 0x000f_ffff;
    let i = (hx + 0x9_5f64) & 0x10_0000;
    let x = with_high(x, hx | (i ^ 0x3ff0_0000));
    k += i >> 20;
    let dk = k as f64;
    let f = x - 1.0;
    if (0x000f_ffff & (2 + hx)) < 3 {
        if f == 0.0 {
            return if k == 0 { 0.0 } else { dk * LN2_HIGH + dk * LN2_LOW };
        }
        let r = f * f * (0.5 - 0.33333333333333333 * f);
        return if k == 0 { f - r } else { dk * LN2_HIGH - ((r - dk * LN2_LOW) - f) };
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let t1 = w * (L[1] + w * (L[3] + w * L[5]));
    let t2 = z * (L[0] + w * (L[2] + w * (L[4] + w * L[6])));
    let r = t2 + t1;
    if (hx - 0x6_147a) | (0x6_b851 - hx) > 0 {
        let half = 0.5 * f * f;
        return match k {
            0 => f - (half - s * (half + r)),
            _ => dk * LN2_HIGH - ((half - (s * (half + r) + dk * LN2_LOW)) - f),
        };
    }
    match k {
        0 => f - s * (f - r),
        _ => dk * LN2_HIGH - ((s * (f - r) - dk * LN2_LOW) - f),
    }
}

pub fn log10(x: f64) -> f64 {
    const INV_LN10: f64 = 4.34294481903251816668e-01;
    const LOG10_2_HIGH: f64 = 3.01029995663611771306e-01;
    const LOG10_2_LOW: f64 = 3.69423907715893078616e-13;
    let (x, mut k) = match normal(x) {
        Ok(found) => found,
        Err(result) => return result,
    };
    let hx = high(x);
    k += (hx >> 20) - 1023;
    let i = i32::from(k < 0);
    let x = with_high(x, (hx & 0x000f_ffff) | ((0x3ff - i) << 20));
    let y = (k + i) as f64;
    let z = y * LOG10_2_LOW + INV_LN10 * log(x);
    z + y * LOG10_2_HIGH
}

pub fn log1p(x: f64) -> f64 {
    let hx = high(x);
    let ax = hx & i32::MAX;
    let mut k = 1;
    let (mut f, mut hu, mut c) = (0.0, 0, 0.0);
    if hx < 0x3fda_827a {
        if ax >= 0x3ff0_0000 {
            return if x == -1.0 { f64::NEG_INFINITY } else { f64::NAN };
        }
        if ax < 0x3e20_0000 {
            return if ax < 0x3c90_0000 { x } else { x - x * x * 0.5 };
        }
        if hx > 0 || hx <= 0xbfd2_bec3_u32 as i32 {
            (k, f, hu) = (0, x, 1);
        }
    }
    if hx >= INFINITE {
        return x + x;
    }
    if k != 0 {
        let mut u;
        if hx < 0x4340_0000 {
            u = 1.0 + x;
            hu = high(u);
            k = (hu >> 20) - 1023;
            c = if k > 0 { 1.0 - (u - x) } else { x - (u - 1.0) };
            c /= u;
        } else {
            u = x;
            hu = high(u);
            k = (hu >> 20) - 1023;
        }
        hu &= 0x000f_ffff;
        if hu < 0x6_a09e {
            u = with_high(u, hu | 0x3ff0_0000);
        } else {
            k += 1;
            u = with_high(u, hu | 0x3fe0_0000);
            hu = (0x0010_0000 - hu) >> 2;
        }
        f = u - 1.0;
    }
    let dk = k as f64;
    let half = 0.5 * f * f;
    if hu == 0 {
        if f == 0.0 {
            if k == 0 {
                return 0.0;
            }
            c += dk * LN2_LOW;
            return dk * LN2_HIGH + c;
        }
        let r = half * (1.0 - 0.66666666666666666 * f);
        return if k == 0 { f - r } else { dk * LN2_HIGH - ((r - (dk * LN2_LOW + c)) - f) };
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let r = z * (L[0] + z * (L[1] + z * (L[2] + z * (L[3] + z * (L[4] + z * (L[5] + z * L[6]))))));
    match k {
        0 => f - (half - s * (half + r)),
        _ => dk * LN2_HIGH - ((half - (s * (half + r) + (dk * LN2_LOW + c))) - f),
    }
}
