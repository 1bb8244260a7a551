//! Splits a question into parts that share no variable.
//!
//! Flipping a branch changes the last assertion; only the part connected with it must be solved, the others
//! hold under the hint already. Parts that do not (no hint, or a poor one) are solved one by one.

use rustc_hash::FxHashMap;
use term::{Pool, Program, TermId, VarId};

use super::{Layer, LayerKind, Rest};
use crate::ask::{Answer, Model, Query};

pub struct Independence;

impl Layer for Independence {
    fn kind(&self) -> LayerKind {
        LayerKind::Independence
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let parts = parts(pool, query.assertions);
        let mut model = query.hint.cloned().unwrap_or_else(Model::new);
        // The part with the last assertion first: it is the one that decides.
        for (nth, part) in parts.iter().rev().enumerate() {
            let terms: Vec<TermId> = part.iter().map(|&i| query.assertions[i]).collect();
            let holds =
                |model: &Model| Program::compile(pool, &terms).run_assignment(model).iter().all(|&v| v != 0);
            if nth > 0 && holds(&model) {
                complete(pool, &terms, &mut model);
                continue;
            }
            match rest.ask(pool, &Query { assertions: &terms, ..*query }) {
                Answer::Sat(found) => {
                    // Only the part's own variables: of others the answer repeats the hint.
                    for var in pool.vars_of(&terms) {
                        if let Some(value) = found.get(var) {
                            model.set(var, value.clone());
                        }
                    }
                }
                Answer::Unsat(core) => return Answer::Unsat(core.into_iter().map(|i| part[i]).collect()),
                Answer::Unknown(cause) => return Answer::Unknown(cause),
            }
        }
        Answer::Sat(model)
    }
}

/// Mentions every variable of the terms in the model.
fn complete(pool: &Pool, terms: &[TermId], model: &mut Model) {
    for var in pool.vars_of(terms) {
        if model.get(var).is_none() {
            model.set(var, zero(pool, var));
        }
    }
}

fn zero(pool: &Pool, var: VarId) -> term::Value {
    if pool.var_sort(var).is_array() { term::Value::Array(Default::default()) } else { term::Value::Bits(0) }
}

/// Groups of assertion indices, each ascending, ordered by their last index.
fn parts(pool: &Pool, assertions: &[TermId]) -> Vec<Vec<usize>> {
    // Union-find over assertions; a variable remembers one assertion that has it.
    let mut parent: Vec<usize> = (0..assertions.len()).collect();
    let mut owner: FxHashMap<VarId, usize> = FxHashMap::default();
    for (i, &t) in assertions.iter().enumerate() {
        for &var in pool.vars(t).iter() {
            let other = *owner.entry(var).or_insert(i);
            let (a, b) = (find(&mut parent, i), find(&mut parent, other));
            parent[a.min(b)] = a.max(b);
        }
    }
    // The root of a set is its largest index.
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); assertions.len()];
    for i in 0..assertions.len() {
        groups[find(&mut parent, i)].push(i);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

fn find(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
