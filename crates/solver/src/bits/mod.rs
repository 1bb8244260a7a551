//! Decides questions about bit-vectors: as circuits, and those as clauses for a SAT solver in this process.
//!
//! Most questions that the cheaper layers leave open are small. Z3 takes milliseconds for each because of what it
//! does before it searches; terms here were rewritten when they were made, so there is little to do but search.
//! Floats are compared and taken apart, but not computed with; arrays are not known. Such questions are left to Z3.

mod gates;
mod words;

use std::ops::Range;
use std::time::Instant;

use rustc_hash::FxHashMap;
use term::{Float, Op, Pool, Sort, TermId};

use self::gates::{Bit, FALSE, Gates, Verdict};
use self::words::{Word, constant};
use crate::ask::{Answer, Cause, Model};

/// Larger circuits are left to Z3, which knows how to make them smaller.
const MOST_GATES: u64 = 200_000;

/// What came of a question, and what it took: gates built and units of search, a unit about a microsecond.
#[derive(Debug)]
pub struct Decided {
    pub answer: Answer,
    pub gates: u64,
    pub used: u64,
}

/// Whether all operators of these terms are known here.
pub fn knows(pool: &Pool, terms: &[TermId]) -> bool {
    terms.iter().all(|&t| {
        let known = match pool.node(t).0 {
            Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpSqrt => false,
            Op::FpRint | Op::FpFloor | Op::FpCeil => false,
            Op::FpFromSBv { .. } | Op::FpToSBvSat { .. } | Op::FpToFp { .. } => false,
            Op::Select | Op::Store | Op::ConstArray { .. } => false,
            op => !op.only_evaluated(),
        };
        known && !pool.sort(t).is_array()
    })
}

/// Is there an assignment under which all assertions hold? Only of terms that it [`knows`].
pub fn decide(pool: &Pool, assertions: &[TermId], limit: u64, deadline: Option<Instant>) -> Decided {
    let mut circuit = Circuit {
        pool,
        gates: Gates::new(deadline),
        words: FxHashMap::default(),
        quotients: FxHashMap::default(),
    };
    for t in pool.postorder(assertions) {
        let word = circuit.word(t);
        circuit.words.insert(t, word);
        if circuit.gates.count() > MOST_GATES {
            return Decided { answer: Answer::Unknown(Cause::Limit), gates: circuit.gates.count(), used: 0 };
        }
    }
    let wanted: Vec<Bit> = assertions.iter().map(|t| circuit.words[t][0]).collect();
    let answer = match circuit.gates.solve(&wanted, limit) {
        Verdict::Sat => Answer::Sat(circuit.model()),
        Verdict::Unsat(core) => Answer::Unsat(core),
        Verdict::Limit => Answer::Unknown(Cause::Limit),
    };
    Decided { answer, gates: circuit.gates.count(), used: circuit.gates.used() }
}

struct Circuit<'a> {
    pool: &'a Pool,
    gates: Gates,
    words: FxHashMap<TermId, Word>,
    /// Quotients and remainders, whether signed, by what is divided: both come of one circuit.
    quotients: FxHashMap<(bool, TermId, TermId), (Word, Word)>,
}

impl Circuit<'_> {
    fn word(&mut self, t: TermId) -> Word {
        let sort = self.pool.sort(t);
        if let Some(value) = self.pool.as_const(t) {
            return constant(value, sort.bits());
        }
        if self.pool.var_of(t).is_some() {
            return self.variable(sort);
        }
        let (op, args) = self.pool.node(t);
        let x: Vec<&[Bit]> = args.iter().map(|a| self.words[a].as_slice()).collect();
        let gates = &mut self.gates;
        match op {
            Op::Not | Op::BvNot => x[0].iter().map(|&bit| !bit).collect(),
            Op::And | Op::BvAnd => gates.each(x[0], x[1], Gates::and),
            Op::Or | Op::BvOr => gates.each(x[0], x[1], Gates::or),
            Op::Xor | Op::BvXor => gates.each(x[0], x[1], Gates::xor),
            Op::Ite => gates.choose(x[0][0], x[1], x[2]),
            Op::Eq => vec![gates.equal(x[0], x[1])],
            Op::BvAdd => gates.sum(x[0], x[1], FALSE),
            Op::BvSub => gates.difference(x[0], x[1]),
            Op::BvMul => gates.product(x[0], x[1]),
            Op::BvNeg => gates.negated(x[0]),
            Op::BvUDiv | Op::BvSDiv => self.quotient(op, args[0], args[1]).0,
            Op::BvURem | Op::BvSRem => self.quotient(op, args[0], args[1]).1,
            Op::BvShl => gates.shifted_left(x[0], x[1]),
            Op::BvLShr => gates.shifted_right(x[0], x[1], FALSE),
            Op::BvAShr => gates.shifted_right(x[0], x[1], x[0][x[0].len() - 1]),
            Op::BvUlt => vec![gates.below(x[0], x[1], false)],
            Op::BvUle => vec![gates.below(x[0], x[1], true)],
            Op::BvSlt => vec![gates.below_signed(x[0], x[1], false)],
            Op::BvSle => vec![gates.below_signed(x[0], x[1], true)],
            Op::Concat => [x[1], x[0]].concat(),
            Op::Extract { hi, lo } => x[0][lo as usize..=hi as usize].to_vec(),
            Op::ZeroExt { to } => extended(x[0], to, FALSE),
            Op::SignExt { to } => extended(x[0], to, x[0][x[0].len() - 1]),
            Op::FpToBits => x[0].to_vec(),
            // Only what `knows` lets through.
            _ => self.float(op, args, sort),
        }
    }

    fn quotient(&mut self, op: Op, a: TermId, b: TermId) -> (Word, Word) {
        let signed = matches!(op, Op::BvSDiv | Op::BvSRem);
        if let Some(known) = self.quotients.get(&(signed, a, b)) {
            return known.clone();
        }
        let (x, y) = (&self.words[&a], &self.words[&b]);
        let made = match signed {
            true => self.gates.divided_signed(x, y),
            false => self.gates.divided(x, y),
        };
        self.quotients.insert((signed, a, b), made.clone());
        made
    }

    fn variable(&mut self, sort: Sort) -> Word {
        let word: Word = (0..sort.bits()).map(|_| self.gates.input()).collect();
        // There is one NaN.
        if let Some(float) = sort.float() {
            let is_nan = self.gates.is_nan(&word, exponent(float));
            for (&bit, one) in word.iter().zip(nan(float)) {
                let same = if one == FALSE { !bit } else { bit };
                self.gates.add(&[!is_nan, same]);
            }
        }
        word
    }

    /// What can be said of floats without computing with them.
    fn float(&mut self, op: Op, args: &[TermId], sort: Sort) -> Word {
        let x: Vec<&[Bit]> = args.iter().map(|a| self.words[a].as_slice()).collect();
        let Some(float) = self.pool.sort(args[0]).float().or(sort.float()) else {
            return vec![FALSE; sort.bits() as usize];
        };
        let (gates, exponent) = (&mut self.gates, exponent(float));
        let top = float.bits() as usize - 1;
        let is_nan = gates.is_nan(x[0], exponent.clone());
        match op {
            Op::FpFromBits { .. } => gates.choose(is_nan, &nan(float), x[0]),
            Op::FpNeg => {
                let mut word = x[0].to_vec();
                word[top] = gates.xor(word[top], !is_nan);
                word
            }
            Op::FpAbs => {
                let mut word = x[0].to_vec();
                word[top] = FALSE;
                word
            }
            Op::FpIsNan => vec![is_nan],
            Op::FpIsInf => vec![gates.is_infinite(x[0], exponent)],
            Op::FpIsZero => vec![gates.is_float_zero(x[0])],
            Op::FpIsNegative => vec![gates.and(x[0][top], !is_nan)],
            Op::FpLt | Op::FpLe | Op::FpEq => {
                let other_nan = gates.is_nan(x[1], exponent);
                let numbers = gates.and(!is_nan, !other_nan);
                let (zero, other_zero) = (gates.is_float_zero(x[0]), gates.is_float_zero(x[1]));
                let zeros = gates.and(zero, other_zero);
                let same = gates.equal(x[0], x[1]);
                let same = gates.or(same, zeros);
                // By magnitude where signs agree, the other way round below zero.
                let less = gates.below(&x[0][..top], &x[1][..top], false);
                let more = gates.below(&x[1][..top], &x[0][..top], false);
                let magnitude = gates.mux(x[0][top], more, less);
                let differ = gates.xor(x[0][top], x[1][top]);
                let below = gates.mux(differ, x[0][top], magnitude);
                let below = gates.and(below, !zeros);
                let holds = match op {
                    Op::FpEq => same,
                    Op::FpLt => below,
                    _ => gates.or(below, same),
                };
                vec![gates.and(numbers, holds)]
            }
            _ => vec![FALSE; sort.bits() as usize],
        }
    }

    fn model(&self) -> Model {
        let mut model = Model::new();
        for (&t, word) in &self.words {
            if let Some(var) = self.pool.var_of(t) {
                let bits = word.iter().enumerate();
                model.set_bits(
                    var,
                    bits.fold(0, |sum, (i, &bit)| sum | u128::from(self.gates.value(bit)) << i),
                );
            }
        }
        model
    }
}

fn extended(word: &[Bit], to: u32, fill: Bit) -> Word {
    let mut word = word.to_vec();
    word.resize(to as usize, fill);
    word
}

/// Where the exponent of the interchange format is.
fn exponent(float: Float) -> Range<usize> {
    let (_, significand) = float.format();
    significand as usize - 1..float.bits() as usize - 1
}

fn nan(float: Float) -> Word {
    match float {
        Float::F32 => constant(term::semantics::NAN32.into(), 32),
        Float::F64 => constant(term::semantics::NAN64.into(), 64),
    }
}
