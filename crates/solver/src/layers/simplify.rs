//! Constants, conjunctions, duplicates and plain contradictions.
//!
//! Terms were simplified when they were made; what is left here is what only the set shows.

use rustc_hash::FxHashMap;
use term::{Op, Pool, TermId};

use super::{Layer, LayerKind, Rest};
use crate::ask::{Answer, Model, Query};

pub struct Simplify;

impl Layer for Simplify {
    fn kind(&self) -> LayerKind {
        LayerKind::Simplify
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        match flatten(pool, query.assertions) {
            Flat::Contradiction(core) => {
                rest.answered(LayerKind::Simplify);
                Answer::Unsat(core)
            }
            Flat::Parts { terms, .. } if terms.is_empty() => {
                rest.answered(LayerKind::Simplify);
                Answer::Sat(query.hint.cloned().unwrap_or_else(Model::new))
            }
            Flat::Parts { terms, origin } => {
                let answer = rest.ask(pool, &Query { assertions: &terms, ..*query });
                match answer {
                    Answer::Unsat(core) => {
                        let mut core: Vec<usize> = core.into_iter().map(|i| origin[i]).collect();
                        core.sort_unstable();
                        core.dedup();
                        Answer::Unsat(core)
                    }
                    Answer::Sat(_) | Answer::Unknown(_) => answer,
                }
            }
        }
    }
}

enum Flat {
    /// Indices of assertions that contradict each other on sight.
    Contradiction(Vec<usize>),
    /// What is left, and the assertion each part comes from.
    Parts { terms: Vec<TermId>, origin: Vec<usize> },
}

fn flatten(pool: &mut Pool, assertions: &[TermId]) -> Flat {
    let (mut terms, mut origin) = (Vec::new(), Vec::new());
    let mut seen: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut work = Vec::new();
    for (i, &assertion) in assertions.iter().enumerate() {
        work.push(assertion);
        while let Some(t) = work.pop() {
            match (pool.as_bool(t), pool.node(t)) {
                (Some(true), _) => continue,
                (Some(false), _) => return Flat::Contradiction(vec![i]),
                (None, (Op::And, args)) => {
                    // The left part first, so that parts keep their order.
                    work.extend(args.iter().rev());
                    continue;
                }
                (None, (Op::Not, &[inner])) => {
                    // (not (or c d)) is the conjunction of the negations.
                    if let (Op::Or, &[c, d]) = pool.node(inner) {
                        work.extend([pool.not(d), pool.not(c)]);
                        continue;
                    }
                }
                _ => {}
            }
            if seen.insert(t, i).is_some() {
                continue;
            }
            // Also where negation was pushed into a comparison.
            let negation = pool.not(t);
            if let Some(&other) = seen.get(&negation) {
                let mut core = vec![other, i];
                core.dedup();
                return Flat::Contradiction(core);
            }
            terms.push(t);
            origin.push(i);
        }
    }
    Flat::Parts { terms, origin }
}
