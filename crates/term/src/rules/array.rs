//! Arrays: reads look through writes at other indices.

use crate::op::Op;
use crate::pool::{Pool, TermId};

/// - `(select ((as const A) v) i) ⇒ v`
/// - `(select (store a i v) i) ⇒ v`
/// - `(select (store a i v) j) ⇒ (select a j)`, i and j surely different
pub(super) fn select(pool: &mut Pool, array: TermId, index: TermId) -> Option<TermId> {
    let mut at = array;
    loop {
        match pool.node(at) {
            (Op::ConstArray { .. }, &[value]) => return Some(value),
            (Op::Store, &[_, i, value]) if i == index => return Some(value),
            (Op::Store, &[below, i, _]) if surely_different(pool, i, index) => at = below,
            _ => break,
        }
    }
    (at != array).then(|| pool.raw(Op::Select, &[at, index]))
}

/// - `(store (store a i v) i w) ⇒ (store a i w)`
/// - `(store a i (select a i)) ⇒ a`
pub(super) fn store(pool: &mut Pool, array: TermId, index: TermId, value: TermId) -> Option<TermId> {
    if pool.binary(Op::Select, value) == Some((array, index)) {
        return Some(array);
    }
    match pool.node(array) {
        (Op::Store, &[below, i, _]) if i == index => Some(pool.store(below, index, value)),
        _ => None,
    }
}

/// Different literals, or one base with different offsets.
fn surely_different(pool: &Pool, a: TermId, b: TermId) -> bool {
    let parts = |t| match (pool.as_const(t), pool.with_const(Op::BvAdd, t)) {
        (Some(k), _) => (TermId::NONE, k),
        (None, Some((x, k))) => (x, k),
        (None, None) => (t, 0),
    };
    let ((x, k), (y, l)) = (parts(a), parts(b));
    x == y && k != l
}
