//! Numbers by term, for one walk over some terms of a pool.

use rustc_hash::FxHashMap;

use crate::pool::TermId;

/// Up to this id there is a place for every term: clearing so many takes microseconds, less than hashing a few hundred.
const DENSE: usize = 1 << 15;
const NOTHING: u32 = u32::MAX;

/// A map from terms to numbers below 2^32 - 1.
#[derive(Clone)]
pub struct TermMap {
    dense: Vec<u32>,
    sparse: FxHashMap<TermId, u32>,
}

impl TermMap {
    /// For terms of which `roots` are the topmost: no term below has a larger id.
    pub fn below(roots: &[TermId]) -> TermMap {
        let most = roots.iter().map(|t| t.0 as usize + 1).max().unwrap_or(0);
        let dense = if most <= DENSE { vec![NOTHING; most] } else { Vec::new() };
        TermMap { dense, sparse: FxHashMap::default() }
    }

    #[inline]
    pub fn get(&self, t: TermId) -> Option<u32> {
        match self.dense.get(t.0 as usize) {
            Some(&number) => (number != NOTHING).then_some(number),
            None => self.sparse.get(&t).copied(),
        }
    }

    /// Whether the term was not there before.
    #[inline]
    pub fn insert(&mut self, t: TermId, number: u32) -> bool {
        debug_assert_ne!(number, NOTHING);
        match self.dense.get_mut(t.0 as usize) {
            Some(place) => std::mem::replace(place, number) == NOTHING,
            None => self.sparse.insert(t, number).is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_ids_alike() {
        for most in [9, 1 << 20] {
            let mut map = TermMap::below(&[TermId(most)]);
            for t in [TermId(3), TermId(most)] {
                assert_eq!(map.get(t), None);
                assert!(map.insert(t, 7));
                assert!(!map.insert(t, 8));
                assert_eq!(map.get(t), Some(8));
            }
            // Not below the roots: no matter.
            assert_eq!(map.get(TermId(most + 1)), None);
            assert!(map.insert(TermId(most + 1), 1));
            assert_eq!(map.get(TermId(most + 1)), Some(1));
        }
    }
}
