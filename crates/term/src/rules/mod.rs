//! The simplifier: constant folding and rewrite rules, a file a family.
//!
//! [`crate::Pool::mk`] calls in here before it makes a node, so arguments are already simplified. A rule
//! states `match ⇒ result` in SMT-LIB; `k` are literals, `c` and `d` Booleans. Two things every rule must keep:
//! the result is at most a constant larger than the match, and of several non-literal arguments at most one
//! is rewritten further, otherwise rules are exponential on shared terms.

mod arith;
mod array;
mod bits;
mod boolean;
mod bounds;
mod compare;
mod convert;
mod eq;
mod float;
mod ite;
mod resize;

use crate::op::{Op, Sort, result_sort};
use crate::pool::{Pool, TermId};
use crate::semantics::apply;

/// Folds an operator over literals only.
pub(crate) fn fold(pool: &mut Pool, op: Op, args: &[TermId]) -> Option<TermId> {
    let mut values = [0u128; 3];
    for (value, &arg) in values.iter_mut().zip(args) {
        *value = pool.as_const(arg)?;
    }
    let mut sorts = [Sort::Bool; 3];
    for (sort, &arg) in sorts.iter_mut().zip(args) {
        *sort = pool.sort(arg);
    }
    // Ill-sorted arguments are left to `Pool::raw`, which reports them.
    let sort = result_sort(op, sorts.get(..args.len())?)?;
    if sort.is_array() {
        return None;
    }
    let width = if op == Op::Concat { sorts[1].bits() } else { sorts[0].bits() };
    Some(pool.constant(sort, apply(op, width, values)))
}

/// The first rule that applies. `args` are ordered (literals last where the operator commutes) and not all literals.
pub(crate) fn simplify(pool: &mut Pool, op: Op, args: &[TermId]) -> Option<TermId> {
    if args.len() != op.row().arity {
        return None;
    }
    if let Some(lifted) = ite::lift(pool, op, args) {
        return Some(lifted);
    }
    match op {
        Op::Const | Op::Var => None,
        Op::Not => boolean::not(pool, args[0]),
        Op::And => boolean::and(pool, args[0], args[1]),
        Op::Or => boolean::or(pool, args[0], args[1]),
        Op::Xor => boolean::xor(pool, args[0], args[1]),
        Op::Ite => ite::ite(pool, args[0], args[1], args[2]),
        Op::Eq => eq::eq(pool, args[0], args[1]),
        Op::BvAdd => arith::add(pool, args[0], args[1]),
        Op::BvSub => arith::sub(pool, args[0], args[1]),
        Op::BvMul => arith::mul(pool, args[0], args[1]),
        Op::BvUDiv => arith::udiv(pool, args[0], args[1]),
        Op::BvSDiv => arith::sdiv(pool, args[0], args[1]),
        Op::BvURem => arith::urem(pool, args[0], args[1]),
        Op::BvSRem => arith::srem(pool, args[0], args[1]),
        Op::BvNeg => arith::neg(pool, args[0]),
        Op::BvAnd => bits::and(pool, args[0], args[1]),
        Op::BvOr => bits::or(pool, args[0], args[1]),
        Op::BvXor => bits::xor(pool, args[0], args[1]),
        Op::BvNot => bits::not(pool, args[0]),
        Op::BvShl => bits::shl(pool, args[0], args[1]),
        Op::BvLShr => bits::lshr(pool, args[0], args[1]),
        Op::BvAShr => bits::ashr(pool, args[0], args[1]),
        Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => compare::compare(pool, op, args[0], args[1]),
        Op::Concat => resize::concat(pool, args[0], args[1]),
        Op::Extract { hi, lo } => resize::extract(pool, hi, lo, args[0]),
        Op::ZeroExt { to } => resize::zext(pool, to, args[0]),
        Op::SignExt { to } => resize::sext(pool, to, args[0]),
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFmod => {
            float::binary(pool, op, args[0], args[1])
        }
        Op::FpNeg | Op::FpAbs | Op::FpSqrt | Op::FpRint | Op::FpFloor | Op::FpCeil => {
            float::unary(pool, op, args[0])
        }
        Op::FpFun { .. } => None,
        Op::FpFun2 { fun } => float::function(pool, fun, args[0], args[1]),
        Op::FpLt | Op::FpLe | Op::FpEq => float::compare(pool, op, args[0], args[1]),
        Op::FpIsNan | Op::FpIsInf | Op::FpIsZero | Op::FpIsNegative => float::test(pool, op, args[0]),
        Op::FpFromSBv { .. } => None,
        Op::FpToSBvSat { width } => convert::to_sbv(pool, width, args[0]),
        Op::FpToFp { to } => convert::to_fp(pool, to, args[0]),
        Op::FpFromBits { .. } => convert::from_bits(pool, args[0]),
        // Not the inverse of FpFromBits: that one loses NaN payloads.
        Op::FpToBits => None,
        Op::Select => array::select(pool, args[0], args[1]),
        Op::Store => array::store(pool, args[0], args[1], args[2]),
        Op::ConstArray { .. } => None,
    }
}

/// Short ways to look at a term, for matching.
impl Pool {
    fn unary(&self, op: Op, t: TermId) -> Option<TermId> {
        match self.node(t) {
            (o, &[a]) if o == op => Some(a),
            _ => None,
        }
    }

    fn binary(&self, op: Op, t: TermId) -> Option<(TermId, TermId)> {
        match self.node(t) {
            (o, &[a, b]) if o == op => Some((a, b)),
            _ => None,
        }
    }

    /// A binary term whose right argument is a literal.
    fn with_const(&self, op: Op, t: TermId) -> Option<(TermId, u128)> {
        let (a, b) = self.binary(op, t)?;
        Some((a, self.as_const(b)?))
    }

    fn as_ite(&self, t: TermId) -> Option<(TermId, TermId, TermId)> {
        match self.node(t) {
            (Op::Ite, &[c, a, b]) => Some((c, a, b)),
            _ => None,
        }
    }

    fn as_zext(&self, t: TermId) -> Option<TermId> {
        match self.node(t) {
            (Op::ZeroExt { .. }, &[a]) => Some(a),
            _ => None,
        }
    }

    fn as_sext(&self, t: TermId) -> Option<TermId> {
        match self.node(t) {
            (Op::SignExt { .. }, &[a]) => Some(a),
            _ => None,
        }
    }

    fn as_extract(&self, t: TermId) -> Option<(u32, u32, TermId)> {
        match self.node(t) {
            (Op::Extract { hi, lo }, &[a]) => Some((hi, lo, a)),
            _ => None,
        }
    }

    fn is_const(&self, t: TermId) -> bool {
        self.as_const(t).is_some()
    }

    /// Whether one is the negation of the other, also where negation was pushed into a comparison.
    fn complementary(&mut self, a: TermId, b: TermId) -> bool {
        self.sort(a) == Sort::Bool && (self.not(a) == b || self.not(b) == a)
    }

    /// A bit-vector literal of the sort of `like`.
    fn same(&mut self, like: TermId, value: u128) -> TermId {
        self.constant(self.sort(like), value)
    }
}
