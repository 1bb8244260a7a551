//! The simplifier: constant folding and rewrite rules, a file a family.
//!
//! [`crate::Pool::mk`] calls in here before it makes a node, so arguments are already simplified. A rule
//! states `match` and `result` in SMT-LIB. Rules must not make a term larger than what they match by more than
//! a constant, and must not fork over shared terms (only one argument is rewritten further), otherwise a
//! chain of them is exponential.

use crate::op::Op;
use crate::pool::{Pool, TermId};
use crate::semantics::apply;

/// Folds an operator over literals only.
pub(crate) fn fold(pool: &mut Pool, op: Op, args: &[TermId]) -> Option<TermId> {
    let mut values = [0u128; 3];
    for (value, &arg) in values.iter_mut().zip(args) {
        *value = pool.as_const(arg)?;
    }
    if matches!(op, Op::ConstArray { .. }) {
        return None;
    }
    let mut sorts = [crate::op::Sort::Bool; 3];
    for (sort, &arg) in sorts.iter_mut().zip(args) {
        *sort = pool.sort(arg);
    }
    // Ill-sorted arguments are left to `Pool::raw`, which reports them.
    let sort = crate::op::result_sort(op, sorts.get(..args.len())?)?;
    let width = if op == Op::Concat { sorts[1].bits() } else { sorts[0].bits() };
    Some(pool.constant(sort, apply(op, width, values)))
}

pub(crate) fn simplify(_pool: &mut Pool, _op: Op, _args: &[TermId]) -> Option<TermId> {
    None
}
