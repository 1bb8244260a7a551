//! How large a question becomes inside Z3, guessed before it is asked.
//!
//! Z3 turns floating-point operators, products and quotients into circuits of many thousand gates each. Neither its resource limit nor an
//! interrupt reaches into that: a question with a few hundred of them takes minutes, then all memory, and the
//! failing allocation ends the process. So such questions are not asked, and what the others cost is added to what Z3
//! counts itself.

use term::{Op, Pool, Sort, TermId};

/// Beyond this no question is asked; a few seconds of building the circuit.
const MOST: u64 = 400;
/// Resource units that Z3 would count for the time a thousand gates take. Measured on questions of commons-math3 that
/// multiply and divide: six milliseconds each time.
const UNITS: u64 = 18_000;

/// Whether Z3 can be expected to build the circuit of these terms (all of them, each once).
pub(super) fn is_bearable(pool: &Pool, terms: &[TermId]) -> bool {
    total(pool, terms) <= MOST
}

/// What building the circuits of these terms costs once, in resource units.
pub(crate) fn cost(pool: &Pool, terms: &[TermId]) -> u64 {
    total(pool, terms) * UNITS
}

fn total(pool: &Pool, terms: &[TermId]) -> u64 {
    terms.iter().map(|&t| weight(pool, t)).sum()
}

/// Thousands of gates, roughly: significands of 24 and 53 bits, so products differ by a factor of five.
fn weight(pool: &Pool, t: TermId) -> u64 {
    let (op, args) = pool.node(t);
    // A sum with, or a product by, a constant is not cheaper: the rounding is the larger part.
    let wide = pool.sort(t) == Sort::F64 || args.iter().any(|&a| pool.sort(a) == Sort::F64);
    let (narrow, broad) = match op {
        // A constant factor leaves as many additions as it has bits.
        Op::BvMul if !args.iter().any(|&a| pool.as_const(a).is_some()) => return square(pool.width(t)) / 512,
        Op::BvUDiv | Op::BvSDiv | Op::BvURem | Op::BvSRem => return square(pool.width(t)) / 256,
        Op::FpAdd | Op::FpSub => (2, 4),
        Op::FpMul => (3, 12),
        Op::FpDiv | Op::FpSqrt => (5, 25),
        Op::FpRint | Op::FpFloor | Op::FpCeil => (1, 3),
        Op::FpFromSBv { .. } | Op::FpToSBvSat { .. } | Op::FpToFp { .. } => (2, 4),
        _ => (0, 0),
    };
    if wide { broad } else { narrow }
}

fn square(width: u32) -> u64 {
    u64::from(width) * u64::from(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_product_is_not_asked_and_a_discriminant_is() {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::F64);
        let mut power = x;
        for _ in 0..3 {
            power = pool.mk(Op::FpMul, &[power, x]);
        }
        assert!(is_bearable(&pool, &pool.postorder(&[power])));
        for _ in 0..40 {
            power = pool.mk(Op::FpMul, &[power, x]);
        }
        assert!(!is_bearable(&pool, &pool.postorder(&[power])));
    }
}
