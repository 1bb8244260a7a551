//! Which variables a term is about.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

use crate::pool::{Pool, TermId, VarId};

/// Terms of at most so many variables are known one by one, so that a condition that is built on the last one costs what
/// is new in it. Of longer lists only those asked for are kept: each link of a chain would have its own.
const FEW: usize = 16;

/// What is known so far.
#[derive(Default)]
pub(crate) struct Vars {
    /// By term: not looked at, too many, or the variables.
    few: Vec<Known>,
    many: FxHashMap<TermId, Arc<[VarId]>>,
}

#[derive(Clone, Default)]
enum Known {
    #[default]
    No,
    Many,
    Few(Arc<[VarId]>),
}

impl Vars {
    /// The variables of a term, by id.
    pub(crate) fn of(&mut self, pool: &Pool, t: TermId) -> Arc<[VarId]> {
        // Number 0 is no term.
        if self.few.len() <= pool.len() {
            self.few.resize(pool.len() + 1, Known::No);
        }
        if let Known::No = self.few[t.0 as usize] {
            self.look(pool, t);
        }
        match &self.few[t.0 as usize] {
            Known::Few(vars) => vars.clone(),
            _ => self.all(pool, t),
        }
    }

    /// Looks at a term and all below it that are not known yet.
    fn look(&mut self, pool: &Pool, t: TermId) {
        let mut work = vec![t];
        while let Some(&t) = work.last() {
            if !matches!(self.few[t.0 as usize], Known::No) {
                work.pop();
                continue;
            }
            if let Some(var) = pool.var_of(t) {
                self.few[t.0 as usize] = Known::Few([var].into());
                work.pop();
                continue;
            }
            let args = pool.node(t).1;
            let waiting = work.len();
            work.extend(args.iter().filter(|a| matches!(self.few[a.0 as usize], Known::No)));
            if work.len() == waiting {
                self.few[t.0 as usize] = self.joined(args);
                work.pop();
            }
        }
    }

    /// What the arguments are about together.
    fn joined(&self, args: &[TermId]) -> Known {
        let mut all: Option<Arc<[VarId]>> = None;
        for arg in args {
            let Known::Few(vars) = &self.few[arg.0 as usize] else { return Known::Many };
            let so_far = match &all {
                Some(so_far) => so_far,
                None => {
                    all = Some(vars.clone());
                    continue;
                }
            };
            if vars.iter().all(|var| so_far.binary_search(var).is_ok()) {
                continue;
            }
            let mut both: Vec<VarId> = so_far.iter().chain(vars.iter()).copied().collect();
            both.sort_unstable();
            both.dedup();
            if both.len() > FEW {
                return Known::Many;
            }
            // Most terms are about what one of their arguments is about.
            all = Some(if both.len() == vars.len() { vars.clone() } else { both.into() });
        }
        Known::Few(all.unwrap_or_else(|| [].into()))
    }

    fn all(&mut self, pool: &Pool, t: TermId) -> Arc<[VarId]> {
        if let Some(vars) = self.many.get(&t) {
            return vars.clone();
        }
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            if let Known::Few(vars) = &self.few[t.0 as usize] {
                found.extend(vars.iter().copied());
            } else if let Some(vars) = self.many.get(&t) {
                found.extend(vars.iter().copied());
            } else {
                work.extend_from_slice(pool.node(t).1);
            }
        }
        let mut vars: Vec<VarId> = found.into_iter().collect();
        vars.sort_unstable();
        let vars: Arc<[VarId]> = vars.into();
        self.many.insert(t, vars.clone());
        vars
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Sort;

    #[test]
    fn few_many_and_none() {
        let mut pool = Pool::without_rules();
        let constant = pool.bv(32, 7);
        assert!(pool.vars(constant).is_empty());
        let vars: Vec<TermId> = (0..40).map(|i| pool.declare(&format!("x{i}"), Sort::Bv(32))).collect();
        let mut sum = constant;
        for (i, var) in vars.iter().enumerate() {
            sum = pool.bvadd(sum, *var);
            assert_eq!(pool.vars(sum).len(), i + 1);
        }
        let two = pool.bvmul(vars[3], vars[1]);
        let more = pool.bvadd(sum, two);
        assert_eq!(*pool.vars(two), [pool.var_of(vars[1]).unwrap(), pool.var_of(vars[3]).unwrap()]);
        assert_eq!(pool.vars(more), pool.vars(sum));
    }

    #[test]
    fn a_long_chain_of_conditions_is_looked_at_once() {
        let mut pool = Pool::without_rules();
        let x = pool.declare("x", Sort::Bv(32));
        let mut t = x;
        // Quadratic work would take minutes.
        for _ in 0..100_000 {
            t = pool.bvadd(t, x);
            assert_eq!(pool.vars(t).len(), 1);
        }
    }
}
