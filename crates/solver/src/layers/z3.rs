//! The last layer: the complete solver, then the model made small. What it cannot decide is asked again with one
//! variable after the other fixed to a value.

use rustc_hash::FxHashMap;
use term::{Op, Pool, Program, TermId, VarId};

use super::cache::News;
use super::{Layer, LayerKind, Rest};
use crate::ask::{Answer, Cause, Model, Query};
use crate::backend::Backend;
use crate::shrink::{default_order, shrink};
use crate::z3::{SHARED_SHARE, weight};

/// Questions with something fixed, after one that was not decided.
const FIXED_QUESTIONS: u32 = 8;
/// The part of the question's limit that each of them gets.
const FIXED_SHARE: u32 = 8;

pub struct Z3 {
    backend: Box<dyn Backend>,
}

impl Z3 {
    pub fn new(backend: Box<dyn Backend>) -> Self {
        Z3 { backend }
    }
}

impl Layer for Z3 {
    fn kind(&self) -> LayerKind {
        LayerKind::Z3
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        if query.limits.rlimit == 0 {
            return Answer::Unknown(Cause::Limit);
        }
        let mut circuits = query.limits.circuits;
        let mut answer = self.decide(pool, query.assertions, query.limits.rlimit, &mut circuits, rest);
        if let Answer::Unknown(Cause::Limit | Cause::Incomplete(_) | Cause::Unsupported(_)) = answer
            && let Some(model) = self.fix_one_by_one(pool, query, &mut circuits, rest)
        {
            answer = Answer::Sat(model);
        }
        match answer {
            Answer::Sat(mut model) => {
                shrink(pool, query.assertions, &mut model, &default_order(pool, query.assertions));
                rest.answered(LayerKind::Z3);
                Answer::Sat(model)
            }
            Answer::Unsat(core) => {
                rest.answered(LayerKind::Z3);
                Answer::Unsat(core)
            }
            Answer::Unknown(cause) => Answer::Unknown(cause),
        }
    }

    fn new_batch(&mut self, _news: &mut News) {
        self.backend.forget();
    }
}

impl Z3 {
    /// Asks, and believes no model. Takes what circuits cost from what they may.
    fn decide(
        &mut self,
        pool: &Pool,
        assertions: &[TermId],
        rlimit: u32,
        circuits: &mut u64,
        rest: &mut Rest<'_>,
    ) -> Answer {
        let once = weight::cost(pool, &pool.postorder(assertions));
        if once > *circuits {
            return Answer::Unknown(Cause::Limit);
        }
        rest.stats().asked_z3 += 1;
        let before = self.backend.used();
        let answer = self.backend.ask(pool, assertions, rlimit);
        let used = self.backend.used() - before;
        // Beyond its share the shared solver is left and a new one builds them again.
        let built = if used > u64::from(rlimit / SHARED_SHARE) { 2 * once } else { once };
        *circuits = circuits.saturating_sub(built);
        rest.stats().rlimit += used + built;
        let Answer::Sat(model) = answer else { return answer };
        if Program::compile(pool, assertions).run_assignment(&model).iter().all(|&v| v != 0) {
            return Answer::Sat(model);
        }
        let foreign =
            pool.postorder(assertions).into_iter().map(|t| pool.node(t).0).find(|op| op.only_evaluated());
        match foreign {
            // It took the operator for anything.
            Some(op) => Answer::Unknown(Cause::Unsupported(op)),
            None => {
                rest.stats().withdrawn += 1;
                Answer::Unknown(Cause::Bug("a Z3 model that does not satisfy its question"))
            }
        }
    }

    /// Fixes a variable to what the hint says, or to a small number, and asks about the rest; another variable if that
    /// helps nothing. Only models come from this: that something fixed leaves no solution proves nothing.
    fn fix_one_by_one(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        circuits: &mut u64,
        rest: &mut Rest<'_>,
    ) -> Option<Model> {
        let vars = hard_vars(pool, query.assertions);
        if vars.len() < 2 && !vars.is_empty() && pool.vars(query.assertions[0]).len() < 2 {
            // With its only variable fixed a question is an evaluation, and the search has done that.
            return None;
        }
        let rlimit = (query.limits.rlimit / FIXED_SHARE).max(1);
        let mut left = FIXED_QUESTIONS;
        for var in vars {
            let sort = pool.var_sort(var);
            let hinted = query.hint.map_or(0, |hint| hint.bits(var));
            let three = if sort.is_float() { 0x4008 << (sort.bits() - 16) } else { 3 };
            for value in [hinted, three] {
                if left == 0 {
                    return None;
                }
                left -= 1;
                let literal = pool.constant(sort, value & term::semantics::mask(sort.bits()));
                let with = FxHashMap::from_iter([(var, literal)]);
                let smaller = pool.substitute(query.assertions, &with);
                if smaller.iter().any(|&t| pool.as_bool(t) == Some(false)) {
                    continue;
                }
                if let Answer::Sat(mut model) = self.decide(pool, &smaller, rlimit, circuits, rest) {
                    model.set_bits(var, pool.as_const(literal).unwrap_or(0));
                    if let Some(hint) = query.hint {
                        model.fill_from(hint);
                    }
                    if model.satisfies(pool, query.assertions) {
                        return Some(model);
                    }
                }
            }
        }
        None
    }
}

/// The scalar variables under operators that solvers are slow at, most uses first, then by name.
fn hard_vars(pool: &Pool, assertions: &[TermId]) -> Vec<VarId> {
    let mut uses: FxHashMap<VarId, u32> = FxHashMap::default();
    for t in pool.postorder(assertions) {
        let (op, args) = pool.node(t);
        let hard = match op {
            Op::BvMul | Op::BvUDiv | Op::BvSDiv | Op::BvURem | Op::BvSRem => {
                args.iter().all(|&a| pool.as_const(a).is_none())
            }
            Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpSqrt => true,
            op => op.only_evaluated(),
        };
        if hard {
            for &var in pool.vars(t).iter().filter(|&&var| !pool.var_sort(var).is_array()) {
                *uses.entry(var).or_insert(0) += 1;
            }
        }
    }
    let mut vars: Vec<VarId> = uses.keys().copied().collect();
    vars.sort_unstable_by_key(|&var| (std::cmp::Reverse(uses[&var]), pool.var_name(var)));
    vars
}
