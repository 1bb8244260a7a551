//! Checks the checker: every answer of a chain against plain Z3.

use term::{Pool, TermId};

use crate::ask::{Answer, Query};
use crate::z3::Context;

/// Compares an answer with what a fresh Z3 says about the whole question, and solves cores again.
///
/// # Panics
/// When they contradict each other. "Unknown" contradicts nothing.
pub fn audit(pool: &Pool, query: &Query, answer: &Answer) {
    match answer {
        Answer::Sat(model) => {
            assert!(
                model.satisfies(pool, query.assertions),
                "a model that does not satisfy: {}",
                text(pool, query)
            );
            let plain = plain(pool, query.assertions, query.limits.rlimit);
            assert!(!plain.is_unsat(), "Z3 says unsat to a satisfied question: {}", text(pool, query));
        }
        Answer::Unsat(core) => {
            assert!(
                core.is_sorted() && core.iter().all(|&i| i < query.assertions.len()),
                "a malformed core {core:?}"
            );
            let terms: Vec<TermId> = core.iter().map(|&i| query.assertions[i]).collect();
            let plain = plain(pool, &terms, query.limits.rlimit);
            assert!(!plain.is_sat(), "a core {core:?} that is satisfiable: {}", text(pool, query));
        }
        Answer::Unknown(_) => {}
    }
}

/// Z3 alone, in a context of its own.
pub fn plain(pool: &Pool, assertions: &[TermId], rlimit: u32) -> Answer {
    match Context::new() {
        Some(mut context) => context.ask(pool, assertions, rlimit),
        None => Answer::Unknown(crate::Cause::Crashed("no Z3 context".to_string())),
    }
}

fn text(pool: &Pool, query: &Query) -> String {
    term::smtlib::script(pool, query.assertions)
}
