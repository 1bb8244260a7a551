//! Contradictions that intervals show: what a term may be, from its arguments upwards and from its uses downwards,
//! until nothing changes. Rounding is monotone, so the ends of an interval of floats bound what comes of it.
//!
//! Only "unsat" is ever answered here. It costs microseconds where Z3 builds multipliers and rounding circuits, or
//! does not know the operator at all.

mod back;
mod domain;
mod forward;

use term::{Pool, TermId, TermMap};

pub(super) use self::domain::Domain;
use super::{Layer, LayerKind, Rest};
use crate::ask::{Answer, Core, Query};

/// Passes up and down.
const ROUNDS: u32 = 6;
/// Larger questions are not looked at.
const MAX_NODES: usize = 20_000;
/// What a node costs, over all passes, in [`crate::Stats::effort`].
const EFFORT_A_NODE: u64 = 40;
/// Nodes visited to make a core smaller.
const CORE_EFFORT: usize = 40_000;

pub struct Ranges;

impl Layer for Ranges {
    fn kind(&self) -> LayerKind {
        LayerKind::Ranges
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let order = pool.postorder(query.assertions);
        rest.stats().effort += order.len() as u64 * EFFORT_A_NODE;
        if order.len() <= MAX_NODES && contradicts(pool, query.assertions, &order) {
            rest.answered(LayerKind::Ranges);
            return Answer::Unsat(core(pool, query.assertions, order.len()));
        }
        rest.ask(pool, query)
    }
}

/// The domains of a question's terms.
pub(super) struct State<'a> {
    pool: &'a Pool,
    order: &'a [TermId],
    place: TermMap,
    domains: Vec<Domain>,
    /// Something became smaller.
    changed: bool,
    empty: bool,
}

impl<'a> State<'a> {
    fn new(pool: &'a Pool, assertions: &[TermId], order: &'a [TermId]) -> Self {
        let mut place = TermMap::below(assertions);
        for (i, &t) in order.iter().enumerate() {
            place.insert(t, i as u32);
        }
        let domains = order
            .iter()
            .map(|&t| match pool.as_const(t) {
                Some(bits) => Domain::constant(pool.sort(t), bits),
                None => Domain::full(pool.sort(t)),
            })
            .collect();
        let mut state = State { pool, order, place, domains, changed: false, empty: false };
        for &t in assertions {
            state.narrow(t, Domain::truth(true));
        }
        state
    }

    fn get(&self, t: TermId) -> Domain {
        self.place.get(t).map_or(Domain::Any, |i| self.domains[i as usize])
    }

    fn narrow(&mut self, t: TermId, by: Domain) {
        let Some(i) = self.place.get(t).map(|i| i as usize) else { return };
        let met = self.domains[i].meet(by);
        if met != self.domains[i] {
            self.domains[i] = met;
            self.changed = true;
            self.empty |= met.is_empty();
        }
    }

    /// Goes up and down until nothing changes or nothing is left.
    fn settle(&mut self) {
        for _ in 0..ROUNDS {
            self.changed = false;
            for i in 0..self.order.len() {
                let t = self.order[i];
                let domain = forward::forward(self, t);
                self.narrow(t, domain);
                if self.empty {
                    return;
                }
            }
            for i in (0..self.order.len()).rev() {
                back::back(self, self.order[i]);
                if self.empty {
                    return;
                }
            }
            if !self.changed {
                return;
            }
        }
    }
}

/// What some terms of a question may be, each a superset; `None` if nothing satisfies the question.
pub(super) fn domains(
    pool: &Pool,
    assertions: &[TermId],
    order: &[TermId],
    terms: &[TermId],
) -> Option<Vec<Domain>> {
    let mut state = State::new(pool, assertions, order);
    state.settle();
    (!state.empty).then(|| terms.iter().map(|&t| state.get(t)).collect())
}

fn contradicts(pool: &Pool, assertions: &[TermId], order: &[TermId]) -> bool {
    let mut state = State::new(pool, assertions, order);
    state.settle();
    state.empty
}

/// Leaves out assertions that the contradiction does not need, in halves, then one by one, as far as the effort goes.
fn core(pool: &Pool, assertions: &[TermId], nodes: usize) -> Core {
    let mut kept: Vec<usize> = (0..assertions.len()).collect();
    let mut effort = CORE_EFFORT;
    let mut chunk = assertions.len().div_ceil(2);
    while chunk > 0 {
        let mut at = 0;
        while at < kept.len() {
            let Some(left) = effort.checked_sub(nodes) else { return kept };
            effort = left;
            let end = (at + chunk).min(kept.len());
            let without: Vec<usize> = kept[..at].iter().chain(&kept[end..]).copied().collect();
            let terms: Vec<TermId> = without.iter().map(|&i| assertions[i]).collect();
            let order = pool.postorder(&terms);
            if !terms.is_empty() && contradicts(pool, &terms, &order) {
                kept = without;
            } else {
                at = end;
            }
        }
        chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
    }
    kept
}
