//! Contradictions that the low bits show: sums and products modulo a power of two know nothing of the bits above.
//!
//! `4 * x * x == 10` has no solution modulo 4, `x * x == y * y + 2` none either. The low bits of few variables are tried in
//! all ways; only "unsat" is ever answered here, where Z3 would build multipliers.

use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, TermId};

use super::{Layer, LayerKind, Rest};
use crate::ask::{Answer, Query};

/// Larger questions are not looked at.
const MAX_NODES: usize = 400;
/// So many low bits of all variables together are tried.
const BITS: u32 = 10;
/// So many of one variable.
const MOST_BITS: u32 = 5;
/// What a node costs that is evaluated, in [`crate::Stats::effort`].
const EFFORT_A_NODE: u64 = 1;

pub struct Residues;

impl Layer for Residues {
    fn kind(&self) -> LayerKind {
        LayerKind::Residues
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let equations: Vec<usize> =
            (0..query.assertions.len()).filter(|i| is_equation(pool, query.assertions[*i])).collect();
        let terms: Vec<TermId> = equations.iter().map(|i| query.assertions[*i]).collect();
        let order = ring_terms(pool, &terms);
        let multiplies = order.iter().any(|t| pool.node(*t).0 == Op::BvMul);
        if !multiplies || order.len() > MAX_NODES {
            return rest.ask(pool, query);
        }
        let (refuted, tried) = refutes(pool, &terms, &order);
        rest.stats().effort += tried * order.len() as u64 * EFFORT_A_NODE;
        if !refuted {
            return rest.ask(pool, query);
        }
        rest.answered(LayerKind::Residues);
        Answer::Unsat(equations)
    }
}

/// An equation of bit-vectors that are longer than the bits that are looked at.
fn is_equation(pool: &Pool, term: TermId) -> bool {
    let (op, args) = pool.node(term);
    op == Op::Eq && matches!(pool.sort(args[0]), Sort::Bv(width) if width > MOST_BITS)
}

/// The sides of equations and what they are made of by ring operations, arguments first.
fn ring_terms(pool: &Pool, equations: &[TermId]) -> Vec<TermId> {
    let mut used: FxHashSet<TermId> = FxHashSet::default();
    let mut open: Vec<TermId> = equations.iter().flat_map(|t| pool.node(*t).1.iter().copied()).collect();
    while let Some(term) = open.pop() {
        if used.len() <= MAX_NODES && used.insert(term) && is_ring(pool, term) {
            open.extend(pool.node(term).1);
        }
    }
    let mut order = pool.postorder(equations);
    order.retain(|t| used.contains(t));
    order
}

/// Whether no low bits of the variables satisfy the equations, and how many were tried.
fn refutes(pool: &Pool, equations: &[TermId], order: &[TermId]) -> (bool, u64) {
    // What is no ring operation is a variable of its own: any value may come of it.
    let free: Vec<TermId> = order.iter().copied().filter(|t| !is_ring(pool, *t)).collect();
    let Some(bits) = BITS.checked_div(free.len() as u32).filter(|bits| *bits > 0) else { return (false, 0) };
    let bits = bits.min(MOST_BITS);
    let mask = (1_u64 << bits) - 1;
    let place: FxHashMap<TermId, usize> = order.iter().enumerate().map(|(i, t)| (*t, i)).collect();
    let mut values = vec![0_u64; order.len()];
    let ways = 1_u64 << (bits * free.len() as u32);
    for way in 0..ways {
        for (i, term) in free.iter().enumerate() {
            values[place[term]] = way >> (bits * i as u32) & mask;
        }
        for (i, term) in order.iter().enumerate() {
            if let Some(value) = ring(pool, *term, &|t| values[place[&t]]) {
                values[i] = value & mask;
            }
        }
        let holds = |equation: &TermId| {
            let (_, args) = pool.node(*equation);
            values[place[&args[0]]] == values[place[&args[1]]]
        };
        if equations.iter().all(holds) {
            return (false, way + 1);
        }
    }
    (true, ways)
}

fn is_ring(pool: &Pool, term: TermId) -> bool {
    ring(pool, term, &|_| 0).is_some()
}

/// The value of a term whose low bits depend on the low bits of its arguments only.
fn ring(pool: &Pool, term: TermId, value: &dyn Fn(TermId) -> u64) -> Option<u64> {
    if let (Some(constant), Sort::Bv(_)) = (pool.as_const(term), pool.sort(term)) {
        return Some(constant as u64);
    }
    let (op, args) = pool.node(term);
    let long = |t: TermId| matches!(pool.sort(t), Sort::Bv(width) if width > MOST_BITS);
    if !long(term) || !args.iter().all(|t| long(*t)) {
        return None;
    }
    let all = || args.iter().map(|t| value(*t));
    Some(match op {
        Op::BvAdd => all().fold(0, u64::wrapping_add),
        Op::BvMul => all().fold(1, u64::wrapping_mul),
        Op::BvAnd => all().fold(u64::MAX, |a, b| a & b),
        Op::BvOr => all().fold(0, |a, b| a | b),
        Op::BvXor => all().fold(0, |a, b| a ^ b),
        Op::BvSub => value(args[0]).wrapping_sub(value(args[1])),
        Op::BvNeg => value(args[0]).wrapping_neg(),
        Op::BvNot => !value(args[0]),
        Op::SignExt { .. } | Op::ZeroExt { .. } => value(args[0]),
        Op::Extract { lo: 0, .. } => value(args[0]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_refuted_by_their_low_bits() {
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.declare(name, Sort::Bv(32)));
        let [x, y] = [x, y].map(|t| pool.sext(64, t));
        let ten = pool.bv(64, 10);
        let twelve = pool.bv(64, 12);
        let three = pool.bv(64, 3);
        let square = pool.bvmul(x, x);
        let thrice = pool.bvmul(square, three);
        let other = pool.bvmul(y, y);
        let sum = pool.bvadd(thrice, other);
        let same = pool.eq(x, y);
        let is = |pool: &mut Pool, k: TermId| pool.eq(sum, k);
        let refuted =
            |pool: &Pool, equations: &[TermId]| refutes(pool, equations, &ring_terms(pool, equations)).0;
        let tenth = is(&mut pool, ten);
        assert!(refuted(&pool, &[same, tenth]));
        // x is 2 and y is 0.
        let twelfth = is(&mut pool, twelve);
        assert!(!refuted(&pool, &[twelfth]));
    }
}
