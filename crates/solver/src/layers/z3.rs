//! The last layer: Z3, then the model made small.

use std::time::Instant;

use term::{Pool, Program};

use super::cache::News;
use super::{Layer, LayerKind, Rest};
use crate::ask::{Answer, Cause, Query};
use crate::shrink::{default_order, shrink};
use crate::z3::Context;

/// Holds Z3's context for the batch.
pub struct Z3 {
    context: Option<Context>,
    deadline: Option<Instant>,
}

impl Z3 {
    pub fn new(deadline: Option<Instant>) -> Z3 {
        Z3 { context: None, deadline }
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
        if self.context.is_none() {
            self.context = Context::new().map(|context| context.until(self.deadline));
        }
        let Some(context) = &mut self.context else {
            return Answer::Unknown(Cause::Crashed("no Z3 context".to_string()));
        };
        let before = context.used();
        let answer = context.ask(pool, query.assertions, query.limits.rlimit);
        rest.stats().rlimit += context.used() - before;
        match answer {
            Answer::Sat(mut model) => {
                if !Program::compile(pool, query.assertions).run_assignment(&model).iter().all(|&v| v != 0) {
                    rest.stats().withdrawn += 1;
                    return Answer::Unknown(Cause::Bug("a Z3 model that does not satisfy its question"));
                }
                shrink(pool, query.assertions, &mut model, &default_order(pool, query.assertions));
                rest.answered(LayerKind::Z3);
                Answer::Sat(model)
            }
            Answer::Unsat(core) => {
                rest.answered(LayerKind::Z3);
                Answer::Unsat(core)
            }
            Answer::Unknown(cause) => {
                // A context that failed is not asked again.
                if matches!(cause, Cause::Crashed(_) | Cause::Memory) {
                    self.context = None;
                }
                Answer::Unknown(cause)
            }
        }
    }

    fn new_batch(&mut self, _news: &mut News) {
        self.context = None;
    }
}
