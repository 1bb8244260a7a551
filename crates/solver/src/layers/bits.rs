//! Questions about bit-vectors, decided by a SAT solver in this process; Z3 gets what it leaves open.

use std::time::Instant;

use term::Pool;

use super::{Layer, LayerKind, Rest};
use crate::ask::{Answer, Limits, Query};
use crate::bits;
use crate::shrink::{default_order, shrink};

/// Resource units of Z3 that take as long as one unit of search.
const UNITS: u64 = 3;
/// What a gate and a unit of search count as effort.
const GATE: u64 = 30;
const SEARCH: u64 = 100;
/// What circuits did not decide Z3 decides by rewriting, soon or not at all: it gets this part of its limit.
const AFTER: u32 = 4;

pub struct Bits {
    deadline: Option<Instant>,
}

impl Bits {
    pub fn new(deadline: Option<Instant>) -> Self {
        Bits { deadline }
    }
}

impl Layer for Bits {
    fn kind(&self) -> LayerKind {
        LayerKind::Bits
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let order = pool.postorder(query.assertions);
        if query.limits.rlimit == 0 || !bits::knows(pool, &order) {
            return rest.ask(pool, query);
        }
        let limit = u64::from(query.limits.rlimit) / UNITS;
        let decided = bits::decide(pool, query.assertions, limit, self.deadline);
        rest.stats().effort += decided.gates * GATE + decided.used * SEARCH;
        match decided.answer {
            Answer::Sat(mut model) => {
                debug_assert!(model.satisfies(pool, query.assertions), "the circuits are wrong");
                shrink(pool, query.assertions, &mut model, &default_order(pool, query.assertions));
                rest.answered(LayerKind::Bits);
                Answer::Sat(model)
            }
            Answer::Unsat(core) => {
                rest.answered(LayerKind::Bits);
                Answer::Unsat(core)
            }
            Answer::Unknown(_) => {
                let rlimit = (query.limits.rlimit / AFTER).max(1);
                rest.ask(pool, &Query { limits: Limits { rlimit, ..query.limits }, ..*query })
            }
        }
    }
}
