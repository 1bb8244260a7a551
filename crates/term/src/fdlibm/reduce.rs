//! Argument reduction: the remainder of `x` by π/2, in two parts.

use super::high;

const TWO_OVER_PI: [i32; 66] = [
    0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041, 0xFE5163, 0xABDEBB,
    0xC561B7, 0x246E3A, 0x424DD2, 0xE00649, 0x2EEA09, 0xD1921C, 0xFE1DEB, 0x1CB129, 0xA73EE8, 0x8235F5,
    0x2EBB44, 0x84E99C, 0x7026B4, 0x5F7E41, 0x3991D6, 0x398353, 0x39F49C, 0x845F8B, 0xBDF928, 0x3B1FF8,
    0x97FFDE, 0x05980F, 0xEF2F11, 0x8B5A0A, 0x6D1F6D, 0x367ECF, 0x27CB09, 0xB74F46, 0x3F669E, 0x5FEA2D,
    0x7527BA, 0xC7EBE5, 0xF17B3D, 0x0739F7, 0x8A5292, 0xEA6BFB, 0x5FB11F, 0x8D5D08, 0x560330, 0x46FC7B,
    0x6BABF0, 0xCFBC20, 0x9AF436, 0x1DA9E3, 0x91615E, 0xE61B08, 0x659985, 0x5F14A0, 0x68408D, 0xFFD880,
    0x4D7327, 0x310606, 0x1556CA, 0x73A8C9, 0x60E27B, 0xC08C6B,
];

/// High words of n·π/2, n from 1 to 32.
const NPIO2_HIGH: [i32; 32] = [
    0x3FF921FB, 0x400921FB, 0x4012D97C, 0x401921FB, 0x401F6A7A, 0x4022D97C, 0x4025FDBB, 0x402921FB,
    0x402C463A, 0x402F6A7A, 0x4031475C, 0x4032D97C, 0x40346B9C, 0x4035FDBB, 0x40378FDB, 0x403921FB,
    0x403AB41B, 0x403C463A, 0x403DD85A, 0x403F6A7A, 0x40407E4C, 0x4041475C, 0x4042106C, 0x4042D97C,
    0x4043A28C, 0x40446B9C, 0x404534AC, 0x4045FDBB, 0x4046C6CB, 0x40478FDB, 0x404858EB, 0x404921FB,
];

const INV_PIO2: f64 = 6.36619772367581382433e-01;
const PIO2_1: f64 = 1.57079632673412561417e+00;
const PIO2_1T: f64 = 6.07710050650619224932e-11;
const PIO2_2: f64 = 6.07710050630396597660e-11;
const PIO2_2T: f64 = 2.02226624879595063154e-21;
const PIO2_3: f64 = 2.02226624871116645580e-21;
const PIO2_3T: f64 = 8.47842766036889956997e-32;
const TWO24: f64 = 16777216.0;
const TWO_M24: f64 = 5.96046447753906250000e-08;

/// `x - n·π/2` as a sum of two doubles, with `n` (its low bits) first. `x` is finite and beyond π/4.
pub(super) fn rem_pio2(x: f64) -> (i32, f64, f64) {
    let hx = high(x);
    let ix = hx & i32::MAX;
    if ix < 0x4002_d97c {
        let sign = if hx > 0 { 1.0 } else { -1.0 };
        let (n, a, b) = near(x * sign, ix);
        return (if hx > 0 { n } else { -n }, a * sign, b * sign);
    }
    let (n, a, b) = if ix <= 0x4139_21fb { medium(x.abs(), ix) } else { large(x.abs(), ix) };
    if hx < 0 { (-n, -a, -b) } else { (n, a, b) }
}

/// Below 3π/4: n is 1. Rounding is symmetric, so negative arguments are their mirror image.
fn near(x: f64, ix: i32) -> (i32, f64, f64) {
    let mut z = x - PIO2_1;
    let tail = if ix != 0x3ff9_21fb {
        PIO2_1T
    } else {
        z -= PIO2_2;
        PIO2_2T
    };
    let a = z - tail;
    (1, a, (z - a) - tail)
}

/// Up to 2^19·π/2.
fn medium(t: f64, ix: i32) -> (i32, f64, f64) {
    let n = (t * INV_PIO2 + 0.5) as i32;
    let f = n as f64;
    let mut r = t - f * PIO2_1;
    let mut w = f * PIO2_1T;
    let mut a = r - w;
    let exact = n < 32 && usize::try_from(n - 1).ok().and_then(|i| NPIO2_HIGH.get(i)) != Some(&ix);
    if !exact {
        let j = ix >> 20;
        let lost = |a: f64| j - ((high(a) >> 20) & 0x7ff);
        if lost(a) > 16 {
            let t = r;
            w = f * PIO2_2;
            r = t - w;
            w = f * PIO2_2T - ((t - r) - w);
            a = r - w;
            if lost(a) > 49 {
                let t = r;
                w = f * PIO2_3;
                r = t - w;
                w = f * PIO2_3T - ((t - r) - w);
                a = r - w;
            }
        }
    }
    (n, a, (r - a) - w)
}

/// Everything beyond, in pieces of 24 bits.
fn large(x: f64, ix: i32) -> (i32, f64, f64) {
    let e0 = (ix >> 20) - 1046;
    let mut z = f64::from_bits((x.to_bits() & 0xffff_ffff) | ((ix - (e0 << 20)) as u32 as u64) << 32);
    let mut pieces = [0.0; 3];
    for piece in pieces.iter_mut().take(2) {
        *piece = (z as i32) as f64;
        z = (z - *piece) * TWO24;
    }
    pieces[2] = z;
    let count = pieces.iter().rposition(|piece| *piece != 0.0).map_or(1, |last| last + 1);
    kernel(&pieces[..count], e0)
}

const PIO2: [f64; 8] = [
    1.57079625129699707031e+00,
    7.54978941586159635335e-08,
    5.39030252995776476554e-15,
    3.28200341580791294123e-22,
    1.27065575308067607349e-29,
    1.22933308981111328932e-36,
    2.73370053816464559624e-44,
    2.16741683877804819444e-51,
];

/// Terms of 2/π that a double-precision result starts with.
const TERMS: usize = 4;

fn scale(x: f64, exponent: i32) -> f64 {
    // Exponents here stay far from the ends, so one multiplication is exact.
    x * f64::from_bits(((1023 + exponent) as u64) << 52)
}

fn kernel(x: &[f64], e0: i32) -> (i32, f64, f64) {
    let last = x.len() - 1;
    let skip = ((e0 - 3) / 24).max(0);
    let mut q0 = e0 - 24 * (skip + 1);
    let two_over_pi =
        |i: i32| usize::try_from(i).ok().and_then(|i| TWO_OVER_PI.get(i)).map_or(0.0, |t| *t as f64);
    let mut f = [0.0; 20];
    for (i, slot) in f.iter_mut().enumerate().take(last + TERMS + 1) {
        *slot = two_over_pi(skip - last as i32 + i as i32);
    }
    let mut q = [0.0; 20];
    let product = |f: &[f64; 20], i: usize| {
        let mut sum = 0.0;
        for (j, piece) in x.iter().enumerate() {
            sum += piece * f[last + i - j];
        }
        sum
    };
    for i in 0..=TERMS {
        q[i] = product(&f, i);
    }
    let mut iq = [0i32; 20];
    let mut top = TERMS;
    let (n, half, mut z) = loop {
        // Distil q into integers, from the highest.
        let mut z = q[top];
        for i in 0..top {
            let carry = ((TWO_M24 * z) as i32) as f64;
            iq[i] = (z - TWO24 * carry) as i32;
            z = q[top - i - 1] + carry;
        }
        z = scale(z, q0);
        z -= 8.0 * (z * 0.125).floor();
        let mut n = z as i32;
        z -= n as f64;
        let mut half = 0;
        if q0 > 0 {
            let high = iq[top - 1] >> (24 - q0);
            n += high;
            iq[top - 1] -= high << (24 - q0);
            half = iq[top - 1] >> (23 - q0);
        } else if q0 == 0 {
            half = iq[top - 1] >> 23;
        } else if z >= 0.5 {
            half = 2;
        }
        if half > 0 {
            n += 1;
            let mut carry = false;
            for digit in iq.iter_mut().take(top) {
                if carry {
                    *digit = 0xff_ffff - *digit;
                } else if *digit != 0 {
                    carry = true;
                    *digit = 0x100_0000 - *digit;
                }
            }
            match q0 {
                1 => iq[top - 1] &= 0x7f_ffff,
                2 => iq[top - 1] &= 0x3f_ffff,
                _ => {}
            }
            if half == 2 {
                z = 1.0 - z;
                if carry {
                    z -= scale(1.0, q0);
                }
            }
        }
        if z == 0.0 && iq[TERMS..top].iter().all(|digit| *digit == 0) {
            // Cancelled completely: take more terms.
            let more = (1..=TERMS).find(|k| iq[TERMS - k] != 0).unwrap_or(TERMS);
            for i in top + 1..=top + more {
                f[last + i] = two_over_pi(skip + i as i32);
                q[i] = product(&f, i);
            }
            top += more;
            continue;
        }
        break (n, half, z);
    };
    if z == 0.0 {
        top -= 1;
        q0 -= 24;
        while iq[top] == 0 {
            top -= 1;
            q0 -= 24;
        }
    } else {
        z = scale(z, -q0);
        if z >= TWO24 {
            let carry = ((TWO_M24 * z) as i32) as f64;
            iq[top] = (z - TWO24 * carry) as i32;
            top += 1;
            q0 += 24;
            iq[top] = carry as i32;
        } else {
            iq[top] = z as i32;
        }
    }
    let mut unit = scale(1.0, q0);
    for i in (0..=top).rev() {
        q[i] = unit * iq[i] as f64;
        unit *= TWO_M24;
    }
    let mut fq = [0.0; 20];
    for i in (0..=top).rev() {
        let mut sum = 0.0;
        for k in 0..=TERMS.min(top - i) {
            sum += PIO2[k] * q[i + k];
        }
        fq[top - i] = sum;
    }
    let mut first = 0.0;
    for i in (0..=top).rev() {
        first += fq[i];
    }
    let mut second = fq[0] - first;
    for term in &fq[1..=top] {
        second += term;
    }
    match half {
        0 => (n & 7, first, second),
        _ => (n & 7, -first, -second),
    }
}
