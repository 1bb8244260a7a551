//! Questions whose variables can have few values: all of them are tried, and where none holds there is none.
//!
//! Digits, days of a month, sides of a triangle below twenty: a thousand evaluations say more about a square root or a
//! quotient of them than any solver.

use term::semantics::mask;
use term::{Pool, Program, Sort, TermId};

use crate::ask::Model;
use crate::layers::ranges::{Domain, domains};

/// Operations that may be spent, tens of nanoseconds each.
const MAX_OPERATIONS: u64 = 1_000_000;

pub(super) enum Few {
    /// Too many to try.
    Many,
    /// Nothing holds.
    Nothing,
    Found(Model),
}

/// Tries all values of all variables; says besides how many operations that took.
pub(super) fn all(pool: &Pool, assertions: &[TermId], order: &[TermId], hint: Option<&Model>) -> (Few, u64) {
    // As many are affordable at most.
    let affordable = MAX_OPERATIONS / order.len().max(1) as u64;
    let mut program = Program::compile(pool, assertions);
    if program.array_vars().next().is_some() {
        return (Few::Many, 0);
    }
    let terms: Vec<TermId> = program.vars().iter().map(|&var| pool.var_term(var)).collect();
    let Some(domains) = domains(pool, assertions, order, &terms) else { return (Few::Nothing, 0) };
    let rows: Option<Vec<Row>> =
        terms.iter().zip(domains).map(|(&t, domain)| Row::of(pool.sort(t), domain)).collect();
    let Some(rows) = rows else { return (Few::Many, 0) };
    let count = rows.iter().try_fold(1u64, |product, row| product.checked_mul(row.count));
    if count.is_none_or(|count| count > affordable) {
        return (Few::Many, 0);
    }
    let mut at = vec![0u64; rows.len()];
    program.load(&Model::new());
    for (slot, row) in rows.iter().enumerate() {
        program.update(slot, row.value(0));
    }
    let mut tried = 0;
    loop {
        tried += 1;
        if program.all_hold() {
            let mut model = hint.cloned().unwrap_or_default();
            for (slot, &var) in program.vars().iter().enumerate() {
                model.set_bits(var, program.input(slot));
            }
            return (Few::Found(model), tried * program.len() as u64);
        }
        // The next way: the first that is not at its end goes on, those before it begin anew.
        let Some(next) = (0..rows.len()).find(|&i| at[i] + 1 < rows[i].count) else {
            return (Few::Nothing, tried * program.len() as u64);
        };
        for slot in 0..=next {
            at[slot] = if slot == next { at[slot] + 1 } else { 0 };
            program.update(slot, rows[slot].value(at[slot]));
        }
    }
}

/// The values of a variable, one after the other.
struct Row {
    first: u128,
    count: u64,
    /// From one to the next.
    step: u128,
    width: u32,
}

impl Row {
    fn of(sort: Sort, domain: Domain) -> Option<Row> {
        let width = sort.bits().max(1);
        let row = |first: u128, count: u128, step: u128| {
            Some(Row { first: first & mask(width), count: count.try_into().ok()?, step, width })
        };
        match domain {
            Domain::Bool { no, yes } => row(u128::from(!no), u128::from(no) + u128::from(yes), 1),
            Domain::Int(int) => {
                let (signed, unsigned) = ((int.high - int.low) as u128, int.uhigh - int.ulow);
                match signed <= unsigned {
                    true => row(int.low as u128, signed + 1, 1),
                    false => row(int.ulow, unsigned + 1, 1),
                }
            }
            // Both zeros.
            Domain::Fp(fp) if fp.low == 0.0 && fp.high == 0.0 && !fp.nan => row(0, 2, 1 << (width - 1)),
            Domain::Fp(_) | Domain::Any => None,
        }
    }

    fn value(&self, nth: u64) -> u128 {
        self.first.wrapping_add(self.step.wrapping_mul(nth.into())) & mask(self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(pool: &Pool, assertions: &[TermId]) -> Few {
        all(pool, assertions, &pool.postorder(assertions), None).0
    }

    #[test]
    fn squares_below_twenty_are_tried_one_by_one() {
        let mut pool = Pool::new();
        let [a, b] = ["a", "b"].map(|name| pool.declare(name, Sort::Bv(32)));
        let (zero, twenty) = (pool.bv(32, 0), pool.bv(32, 20));
        let mut question =
            vec![pool.slt(zero, a), pool.slt(zero, b), pool.sle(a, twenty), pool.sle(b, twenty)];
        let (aa, bb) = (pool.bvmul(a, a), pool.bvmul(b, b));
        let sum = pool.bvadd(aa, bb);
        for (wanted, holds) in [(800, true), (799, false)] {
            let wanted = pool.bv(32, wanted);
            question.push(pool.eq(sum, wanted));
            match ask(&pool, &question) {
                Few::Found(model) => assert!(holds && model.satisfies(&pool, &question)),
                Few::Nothing => assert!(!holds),
                Few::Many => panic!("four hundred are few"),
            }
            question.pop();
        }
        // Without an upper bound there are too many.
        question.remove(2);
        let wanted = pool.bv(32, 843);
        question.push(pool.eq(sum, wanted));
        assert!(matches!(ask(&pool, &question), Few::Many));
    }

    #[test]
    fn zero_is_two_floats() {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::F64);
        let zero = pool.constant(Sort::F64, 0);
        let one = pool.constant(Sort::F64, 1f64.to_bits().into());
        let quotient = pool.raw(term::Op::FpDiv, &[one, x]);
        let question = [pool.raw(term::Op::FpIsZero, &[x]), pool.raw(term::Op::FpLt, &[quotient, zero])];
        match ask(&pool, &question) {
            Few::Found(model) => assert!(model.satisfies(&pool, &question)),
            _ => panic!("the negative zero"),
        }
    }
}
