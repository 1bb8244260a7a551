//! Terms from one pool in another. Pools are not shared between threads; what workers find is brought over.

use rustc_hash::FxHashMap;

use crate::eval::Assignment;
use crate::op::Op;
use crate::pool::{Pool, TermId};

impl Pool {
    /// The same terms here: equal structure, variables by name. Nothing is simplified, so that nothing changes.
    pub fn import(&mut self, from: &Pool, roots: &[TermId]) -> Vec<TermId> {
        let mut work = Vec::new();
        let mut other = FxHashMap::default();
        roots.iter().map(|root| self.import_one(from, *root, &mut work, &mut other)).collect()
    }

    /// `other`: terms that are not what they are there. Only a variable that has another sort here makes such; they must
    /// not be waited for.
    fn import_one(
        &mut self,
        from: &Pool,
        root: TermId,
        work: &mut Vec<TermId>,
        other: &mut FxHashMap<TermId, TermId>,
    ) -> TermId {
        if root.is_none() {
            return root;
        }
        // Most are known here: each run of a path brings the conditions of the runs before.
        if let Some(known) = self.by_hash(from.hash128(root)) {
            return known;
        }
        // Terms wait here until their arguments are known.
        work.push(root);
        let mut last = TermId::NONE;
        while let Some(&term) = work.last() {
            if let Some(known) = self.by_hash(from.hash128(term)).or_else(|| other.get(&term).copied()) {
                last = known;
                work.pop();
                continue;
            }
            let (op, args) = from.node(term);
            let mut here = [TermId::NONE; 3];
            let waiting = work.len();
            match op {
                Op::Var => {
                    if let Some(var) = from.var_of(term) {
                        last = self.declare(from.var_name(var), from.sort(term));
                        if self.hash128(last) != from.hash128(term) {
                            other.insert(term, last);
                        }
                    }
                }
                Op::Const => {
                    last = self.constant(from.sort(term), from.as_const(term).unwrap_or(0));
                }
                _ => {
                    for (i, arg) in args.iter().enumerate().rev() {
                        match self.by_hash(from.hash128(*arg)).or_else(|| other.get(arg).copied()) {
                            Some(known) => here[i] = known,
                            None => work.push(*arg),
                        }
                    }
                    if work.len() > waiting {
                        continue;
                    }
                    last = self.adopt(from, term, &here[..args.len()]);
                }
            }
            work.pop();
        }
        last
    }

    /// The same values for the variables of that name here.
    pub fn import_assignment(&mut self, from: &Pool, values: &Assignment) -> Assignment {
        let mut here = Assignment::new();
        // By name: the order in which the other pool came to know them must not show here.
        let mut values: Vec<_> = values.iter().collect();
        values.sort_unstable_by_key(|(var, _)| from.var_name(*var));
        for (var, value) in values {
            let term = self.declare(from.var_name(var), from.var_sort(var));
            if let Some(var) = self.var_of(term) {
                here.set(var, value.clone());
            }
        }
        here
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Sort;

    #[test]
    fn a_term_keeps_its_structure_and_its_hash() {
        let (mut a, mut b) = (Pool::new(), Pool::new());
        let other = b.declare("other", Sort::Bv(8));
        let (x, y) = (a.declare("x", Sort::Bv(32)), a.declare("y", Sort::Bv(32)));
        let sum = a.bvadd(x, y);
        let seven = a.bv(32, 7);
        let small = a.ult(sum, seven);
        let not = a.not(small);
        let here = b.import(&a, &[small, not, TermId::NONE]);
        assert_eq!(a.hash128(small), b.hash128(here[0]));
        assert_eq!(a.display(not).to_string(), b.display(here[1]).to_string());
        assert_eq!(here[2], TermId::NONE);
        let before = b.len();
        assert_eq!(b.import(&a, &[not]), [here[1]]);
        assert_eq!(b.len(), before, "nothing is made twice");
        assert_eq!(b.var_name(b.var_of(other).unwrap()), "other");
    }

    #[test]
    fn values_follow_the_names() {
        let (mut a, mut b) = (Pool::new(), Pool::new());
        b.declare("y", Sort::Bv(32));
        let x = a.declare("x", Sort::Bv(32));
        let y = a.declare("y", Sort::Bv(32));
        let mut values = Assignment::new();
        values.set_bits(a.var_of(x).unwrap(), 1);
        values.set_bits(a.var_of(y).unwrap(), 2);
        let here = b.import_assignment(&a, &values);
        assert_eq!(here.bits(b.var_by_name("x").unwrap()), 1);
        assert_eq!(here.bits(b.var_by_name("y").unwrap()), 2);
    }

    #[test]
    fn a_deep_term_does_not_use_the_hosts_stack() {
        let (mut a, mut b) = (Pool::without_rules(), Pool::new());
        let x = a.declare("x", Sort::Bv(32));
        let mut t = x;
        for _ in 0..200_000 {
            t = a.bvadd(t, x);
        }
        assert_eq!(a.hash128(t), {
            let here = b.import(&a, &[t])[0];
            b.hash128(here)
        });
    }
}
