//! Remembers answers: the same question, a question that contains a known contradiction, a question that a known
//! model happens to satisfy.
//!
//! Everything is kept by structural hash, so what one worker learned can be absorbed by another with a pool
//! of its own. Limits are not part of the key and "unknown" is not kept: asking again with a larger limit must
//! be able to help.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};
use term::{Pool, Program, TermId, Value};

use super::{Layer, LayerKind, Rest};
use crate::ask::{Answer, Model, Query};

/// How many recent models are tried by evaluation.
const RECENT: usize = 12;
/// How many models are remembered for one assertion.
const PER_ASSERTION: usize = 6;
/// Beyond this many answers the cache starts anew; a chain serves one class, so this is a safety net.
const MAX_ENTRIES: usize = 200_000;

/// What a batch learned, free of any pool.
#[derive(Clone, Default, Debug)]
pub struct News {
    pub(super) entries: Vec<Learned>,
}

impl News {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A model by the hashes of its variables.
pub(super) type Portable = Vec<(u128, Value)>;

#[derive(Clone, Debug)]
pub(super) enum Learned {
    Sat {
        /// Sorted hashes of the assertions.
        assertions: Vec<u128>,
        model: Portable,
    },
    Unsat {
        core: Vec<u128>,
    },
}

#[derive(Default)]
pub(crate) struct Cache {
    /// What was absorbed, by all who share it.
    base: Known,
    /// What this batch learned.
    batch: Store,
    news: News,
}

/// What several chains know together; written between rounds only.
#[derive(Clone, Default)]
pub struct Known(Arc<RwLock<Store>>);

/// Answers with their indices.
#[derive(Default)]
struct Store {
    exact: FxHashMap<u128, usize>,
    models: Vec<Portable>,
    by_assertion: FxHashMap<u128, VecDeque<usize>>,
    recent: VecDeque<usize>,
    /// Cores by their smallest hash.
    cores: FxHashMap<u128, Vec<Vec<u128>>>,
}

impl Layer for Cache {
    fn kind(&self) -> LayerKind {
        LayerKind::Cache
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let hashes: Vec<u128> = query.assertions.iter().map(|&t| pool.hash128(t)).collect();
        if let Some(answer) = self.lookup(pool, query, &hashes) {
            rest.answered(LayerKind::Cache);
            return answer;
        }
        let answer = rest.ask(pool, query);
        let learned = match &answer {
            Answer::Sat(model) => {
                let mut assertions = hashes;
                assertions.sort_unstable();
                Learned::Sat { assertions, model: portable(pool, query, model) }
            }
            Answer::Unsat(core) => {
                let mut core: Vec<u128> = core.iter().map(|&i| hashes[i]).collect();
                core.sort_unstable();
                core.dedup();
                Learned::Unsat { core }
            }
            Answer::Unknown(_) => return answer,
        };
        self.batch.learn(&learned);
        self.news.entries.push(learned);
        answer
    }

    fn new_batch(&mut self, news: &mut News) {
        news.entries.append(&mut self.news.entries);
        self.batch = Store::default();
    }

    fn join(&mut self, known: &Known) {
        self.base = known.clone();
    }

    fn absorb(&mut self, news: &News) {
        let mut base = self.base.0.write().unwrap_or_else(PoisonError::into_inner);
        for learned in &news.entries {
            base.learn(learned);
        }
    }
}

impl Cache {
    fn lookup(&self, pool: &Pool, query: &Query, hashes: &[u128]) -> Option<Answer> {
        let base = &*self.base.0.read().unwrap_or_else(PoisonError::into_inner);
        let set: FxHashSet<u128> = hashes.iter().copied().collect();
        for store in [&self.batch, base] {
            if let Some(core) = store.core_within(hashes, &set) {
                return Some(Answer::Unsat(core));
            }
        }
        let mut sorted = hashes.to_vec();
        sorted.sort_unstable();
        let key = term::hash_sequence(sorted);
        for store in [&self.batch, base] {
            if let Some(&at) = store.exact.get(&key) {
                return Some(Answer::Sat(localise(pool, query, &store.models[at])));
            }
        }
        satisfying([&self.batch, base], pool, query, hashes)
    }
}

/// Tries models that satisfied the last assertion before (a superset's model is among them), then recent ones.
fn satisfying(stores: [&Store; 2], pool: &Pool, query: &Query, hashes: &[u128]) -> Option<Answer> {
    let last = hashes.last()?;
    // Most models fail where the path turns off, at the last assertion: it is looked at before all others.
    let turns = query.assertions.last().map_or(&[][..], std::slice::from_ref);
    let mut turn: Option<Glance> = None;
    let mut all: Option<Glance> = None;
    for store in stores {
        let known = store.by_assertion.get(last).into_iter().flatten();
        let mut tried: Vec<usize> = Vec::with_capacity(RECENT + PER_ASSERTION);
        for &at in known.chain(&store.recent) {
            if tried.contains(&at) {
                continue;
            }
            tried.push(at);
            let remembered = &store.models[at];
            if !turn.get_or_insert_with(|| Glance::new(pool, query, turns)).holds(remembered) {
                continue;
            }
            if !all.get_or_insert_with(|| Glance::new(pool, query, query.assertions)).holds(remembered) {
                continue;
            }
            let model = localise(pool, query, remembered);
            if model.satisfies(pool, query.assertions) {
                return Some(Answer::Sat(model));
            }
        }
    }
    None
}

/// Evaluates some assertions under remembered models.
struct Glance {
    program: Program,
    /// Hash of each variable, and what it is where a model does not mention it.
    vars: Vec<(u128, u128)>,
    inputs: Vec<u128>,
}

impl Glance {
    fn new(pool: &Pool, query: &Query, assertions: &[TermId]) -> Glance {
        let program = Program::compile(pool, assertions);
        let of = |var: &term::VarId| {
            (pool.hash128(pool.var_term(*var)), query.hint.map_or(0, |hint| hint.bits(*var)))
        };
        let vars = program.vars().iter().map(of).collect();
        Glance { program, vars, inputs: Vec::new() }
    }

    /// Whether they may hold; with arrays in them that is not looked at.
    fn holds(&mut self, remembered: &Portable) -> bool {
        if self.program.array_vars().next().is_some() {
            return true;
        }
        self.inputs.clear();
        self.inputs.extend(self.vars.iter().map(|(hash, otherwise)| {
            let at = remembered.binary_search_by_key(hash, |&(h, _)| h);
            at.map_or(*otherwise, |at| remembered[at].1.bits())
        }));
        self.program.holds(&self.inputs)
    }
}

impl Store {
    fn learn(&mut self, learned: &Learned) {
        if self.models.len() > MAX_ENTRIES {
            *self = Store::default();
        }
        match learned {
            Learned::Sat { assertions, model } => {
                let at = self.models.len();
                self.models.push(model.clone());
                self.exact.insert(term::hash_sequence(assertions.iter().copied()), at);
                for &hash in assertions {
                    push_bounded(self.by_assertion.entry(hash).or_default(), at, PER_ASSERTION);
                }
                push_bounded(&mut self.recent, at, RECENT);
            }
            Learned::Unsat { core } => {
                // An empty core would make every question unsatisfiable; nobody may teach that.
                if let Some(&first) = core.first() {
                    let cores = self.cores.entry(first).or_default();
                    if !cores.contains(core) {
                        cores.push(core.clone());
                    }
                }
            }
        }
    }

    fn core_within(&self, hashes: &[u128], set: &FxHashSet<u128>) -> Option<Vec<usize>> {
        if self.cores.is_empty() {
            return None;
        }
        let found = hashes
            .iter()
            .filter_map(|hash| self.cores.get(hash))
            .flatten()
            .find(|core| core.iter().all(|hash| set.contains(hash)))?;
        Some((0..hashes.len()).filter(|&i| found.binary_search(&hashes[i]).is_ok()).collect())
    }
}

/// The newest first.
fn push_bounded(queue: &mut VecDeque<usize>, at: usize, limit: usize) {
    queue.push_front(at);
    queue.truncate(limit);
}

fn portable(pool: &Pool, query: &Query, model: &Model) -> Portable {
    let mut portable: Portable = pool
        .vars_of(query.assertions)
        .into_iter()
        .filter_map(|var| Some((pool.hash128(pool.var_term(var)), model.get(var)?.clone())))
        .collect();
    portable.sort_unstable_by_key(|&(hash, _)| hash);
    portable
}

/// The model for this question's variables: as remembered, else as hinted, else 0.
fn localise(pool: &Pool, query: &Query, remembered: &Portable) -> Model {
    let mut model = Model::new();
    for var in pool.vars_of(query.assertions) {
        let hash = pool.hash128(pool.var_term(var));
        let known = remembered.binary_search_by_key(&hash, |&(h, _)| h).ok().map(|at| &remembered[at].1);
        let value = known.or_else(|| query.hint.and_then(|hint| hint.get(var)));
        let zero =
            if pool.var_sort(var).is_array() { Value::Array(Default::default()) } else { Value::Bits(0) };
        model.set(var, value.cloned().unwrap_or(zero));
    }
    model
}
