//! Contradictions that bounds alone show: `x < 5` and `x > 10`, `x = 3` and `x * x > 100`.
//!
//! For every term that is compared with literals a signed and an unsigned interval is kept, with the assertions
//! that made each end; comparisons that go in a circle are found (`order`); and assertions all of whose variables are
//! fixed by equalities are evaluated. Only "unsat" is ever answered here.

use indexmap::IndexMap;
use term::semantics::{mask, signed};
use term::{Op, Pool, Program, Sort, TermId};

use super::{Layer, LayerKind, Rest, order};
use crate::ask::{Answer, Core, Model, Query};

pub struct Bounds;

impl Layer for Bounds {
    fn kind(&self) -> LayerKind {
        LayerKind::Bounds
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let found = contradiction(pool, query.assertions)
            .or_else(|| order::cycle(pool, query.assertions))
            .or_else(|| falsified(pool, query.assertions));
        match found {
            Some(core) => {
                rest.answered(LayerKind::Bounds);
                Answer::Unsat(core)
            }
            None => rest.ask(pool, query),
        }
    }
}

/// An interval of biased values (bias makes signed order unsigned) and the assertions behind its ends.
#[derive(Clone)]
struct Interval {
    low: u128,
    high: u128,
    low_core: Core,
    high_core: Core,
}

impl Interval {
    fn full(width: u32) -> Self {
        Interval { low: 0, high: mask(width), low_core: Vec::new(), high_core: Vec::new() }
    }

    fn at_least(&mut self, bound: u128, core: &[usize]) {
        if bound > self.low {
            self.low = bound;
            self.low_core = core.to_vec();
        }
    }

    fn at_most(&mut self, bound: u128, core: &[usize]) {
        if bound < self.high {
            self.high = bound;
            self.high_core = core.to_vec();
        }
    }

    /// Values at an end that an assertion excludes. One pass over ascending values, then one over descending ones
    /// finds all, whatever the order of the assertions.
    fn exclude(&mut self, excluded: &[(u128, usize)]) {
        for &(value, i) in excluded {
            if value == self.low && value < self.high {
                self.low += 1;
                self.low_core.push(i);
            }
        }
        for &(value, i) in excluded.iter().rev() {
            if value == self.high && value > self.low {
                self.high -= 1;
                self.high_core.push(i);
            }
        }
    }

    fn both_cores(&self) -> Core {
        self.low_core.iter().chain(&self.high_core).copied().collect()
    }

    /// Nothing is left, or only a value that is excluded.
    fn empty(&self, excluded: &[(u128, usize)]) -> Option<Core> {
        let mut core = self.both_cores();
        if self.low == self.high {
            core.push(excluded.iter().find(|&&(value, _)| value == self.low)?.1);
        } else if self.low < self.high {
            return None;
        }
        core.sort_unstable();
        core.dedup();
        Some(core)
    }
}

/// What assertions say about one term.
struct Known {
    width: u32,
    unsigned: Interval,
    signed: Interval,
    excluded: Vec<(u128, usize)>,
}

fn contradiction(pool: &Pool, assertions: &[TermId]) -> Option<Core> {
    let mut known: IndexMap<TermId, Known, rustc_hash::FxBuildHasher> = IndexMap::default();
    for (i, &t) in assertions.iter().enumerate() {
        note(pool, &mut known, i, t);
    }
    known.values_mut().find_map(Known::contradiction)
}

/// Takes down what one assertion says about a term, if it compares it with a literal.
fn note(pool: &Pool, known: &mut IndexMap<TermId, Known, rustc_hash::FxBuildHasher>, i: usize, t: TermId) {
    let (op, args) = pool.node(t);
    if op == Op::Not {
        if let (Op::Eq, &[x, k]) = pool.node(args[0])
            && let (Sort::Bv(width), Some(k)) = (pool.sort(x), pool.as_const(k))
        {
            known.entry(x).or_insert_with(|| Known::new(width)).excluded.push((k, i));
        }
        return;
    }
    let &[a, b] = args else { return };
    let Sort::Bv(width) = pool.sort(a) else { return };
    let (x, k, left) = match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(k)) => (a, k, true),
        (Some(k), None) => (b, k, false),
        _ => return,
    };
    let bias = 1u128 << (width - 1);
    let entry = || Known::new(width);
    match op {
        Op::Eq => {
            let entry = known.entry(x).or_insert_with(entry);
            for (interval, k) in [(&mut entry.unsigned, k), (&mut entry.signed, k ^ bias)] {
                // Not by `at_least`: an equality is as good a reason as a bound at the same place.
                interval.at_least(k, &[i]);
                interval.at_most(k, &[i]);
            }
        }
        Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
            let is_signed = matches!(op, Op::BvSlt | Op::BvSle);
            let strict = u128::from(matches!(op, Op::BvUlt | Op::BvSlt));
            let entry = known.entry(x).or_insert_with(entry);
            let (interval, k) =
                if is_signed { (&mut entry.signed, k ^ bias) } else { (&mut entry.unsigned, k) };
            // Literals at the end of the order were folded by the simplifier; without it they are no news here.
            let bound = if left { k.checked_sub(strict) } else { k.checked_add(strict) };
            match bound {
                Some(bound) if left => interval.at_most(bound, &[i]),
                Some(bound) => interval.at_least(bound, &[i]),
                None => {}
            }
        }
        // Says nothing about an interval.
        _ => {}
    }
}

impl Known {
    fn new(width: u32) -> Self {
        Known { width, unsigned: Interval::full(width), signed: Interval::full(width), excluded: Vec::new() }
    }

    fn contradiction(&mut self) -> Option<Core> {
        let bias = 1u128 << (self.width - 1);
        // A signed interval on one side of zero is an unsigned one, and the other way round.
        let (low, high) = (self.signed.low, self.signed.high);
        if low <= high && (low >= bias) == (high >= bias) {
            let core = self.signed.both_cores();
            self.unsigned.at_least(low ^ bias, &core);
            self.unsigned.at_most(high ^ bias, &core);
        }
        let (low, high) = (self.unsigned.low, self.unsigned.high);
        if low <= high && (low >= bias) == (high >= bias) {
            let core = self.unsigned.both_cores();
            self.signed.at_least(low ^ bias, &core);
            self.signed.at_most(high ^ bias, &core);
        }
        self.excluded.sort_unstable();
        let biased: Vec<(u128, usize)> = {
            let mut list: Vec<_> = self.excluded.iter().map(|&(value, i)| (value ^ bias, i)).collect();
            list.sort_unstable();
            list
        };
        self.unsigned.exclude(&self.excluded);
        self.signed.exclude(&biased);
        debug_assert!(signed(bias, self.width) < 0);
        self.unsigned.empty(&self.excluded).or_else(|| self.signed.empty(&biased))
    }
}

/// An assertion that is false under variables fixed by equalities.
fn falsified(pool: &Pool, assertions: &[TermId]) -> Option<Core> {
    let mut fixed = Model::new();
    let mut by: IndexMap<term::VarId, usize, rustc_hash::FxBuildHasher> = IndexMap::default();
    for (i, &t) in assertions.iter().enumerate() {
        if let (Op::Eq, &[x, k]) = pool.node(t)
            && let (Some(var), Some(k)) = (pool.var_of(x), pool.as_const(k))
        {
            // Of two that fix the same variable the last counts: the first is falsified by it.
            fixed.set_bits(var, k);
            by.insert(var, i);
        }
    }
    if by.is_empty() {
        return None;
    }
    let decided: Vec<usize> = (0..assertions.len())
        .filter(|&i| pool.vars(assertions[i]).iter().all(|var| by.contains_key(var)))
        .collect();
    let terms: Vec<TermId> = decided.iter().map(|&i| assertions[i]).collect();
    let mut program = Program::compile(pool, &terms);
    let at = program.run_assignment(&fixed).iter().position(|&value| value == 0)?;
    let mut core: Core = pool.vars(terms[at]).iter().filter_map(|var| by.get(var).copied()).collect();
    core.push(decided[at]);
    core.sort_unstable();
    core.dedup();
    Some(core)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_of_one_float_are_both_to_blame() {
        let mut pool = Pool::new();
        let y = pool.declare("y", Sort::F64);
        let large = pool.constant(Sort::F64, f64::MAX.to_bits().into());
        let small = pool.constant(Sort::F64, (-1e-230f64).to_bits().into());
        let question = [pool.eq(y, large), pool.eq(y, small)];
        assert_eq!(falsified(&pool, &question), Some(vec![0, 1]));
    }
}
