//! Typed ids and dense maps.
//!
//! In: nothing. Out: newtype ids over `u32` ([`entity!`]) and maps keyed by them: [`PrimaryMap`] owns the
//! values and hands out the ids, [`SharedMap`] does so with cheap copies, [`SecondaryMap`] hangs further data on ids that another map handed out.
//! Does not know what the ids stand for.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// An id that a [`PrimaryMap`] can hand out.
pub trait EntityId: Copy + Eq {
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

/// Declares a `u32` newtype id that prints as `prefix` and its number (`b3`, `%7`).
#[macro_export]
macro_rules! entity {
    ($(#[$meta:meta])* $vis:vis struct $name:ident = $prefix:literal;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(pub u32);

        impl $crate::EntityId for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                debug_assert!(index < u32::MAX as usize);
                $name(index as u32)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// Owns values and hands out their ids, densely from 0.
#[derive(Clone, PartialEq, Eq)]
pub struct PrimaryMap<K, V> {
    values: Vec<V>,
    key: PhantomData<K>,
}

impl<K: EntityId, V> PrimaryMap<K, V> {
    pub fn new() -> Self {
        PrimaryMap { values: Vec::new(), key: PhantomData }
    }

    pub fn push(&mut self, value: V) -> K {
        let key = K::from_index(self.values.len());
        self.values.push(value);
        key
    }

    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(key.index())
    }

    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.values.get_mut(key.index())
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The id that the next [`push`](Self::push) will hand out.
    pub fn next_key(&self) -> K {
        K::from_index(self.values.len())
    }

    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.values.len()).map(K::from_index)
    }

    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }

    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.values.iter().enumerate().map(|(i, v)| (K::from_index(i), v))
    }
}

impl<K: EntityId, V> Default for PrimaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityId, V> Index<K> for PrimaryMap<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        &self.values[key.index()]
    }
}

impl<K: EntityId, V> IndexMut<K> for PrimaryMap<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.values[key.index()]
    }
}

impl<K: EntityId, V: fmt::Debug> fmt::Debug for PrimaryMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.values).finish()
    }
}

impl<K: EntityId, V> FromIterator<V> for PrimaryMap<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(iter: I) -> Self {
        PrimaryMap { values: iter.into_iter().collect(), key: PhantomData }
    }
}

/// A [`PrimaryMap`] whose copies share what neither has changed: copying costs next to nothing.
#[derive(Clone)]
pub struct SharedMap<K, V> {
    /// All but the last are full.
    chunks: Vec<Arc<Vec<V>>>,
    len: usize,
    key: PhantomData<K>,
}

/// Values that are copied together when one of them changes: a power of two.
const CHUNK: usize = 256;

impl<K: EntityId, V: Clone> SharedMap<K, V> {
    pub fn new() -> Self {
        SharedMap { chunks: Vec::new(), len: 0, key: PhantomData }
    }

    pub fn push(&mut self, value: V) -> K {
        let key = self.next_key();
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Arc::new(Vec::with_capacity(CHUNK)));
        }
        if let Some(last) = self.chunks.last_mut() {
            Arc::make_mut(last).push(value);
        }
        self.len += 1;
        key
    }

    pub fn get(&self, key: K) -> Option<&V> {
        self.chunks.get(key.index() / CHUNK)?.get(key.index() % CHUNK)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The id that the next [`push`](Self::push) will hand out.
    pub fn next_key(&self) -> K {
        K::from_index(self.len)
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.len).map(K::from_index)
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.chunks.iter_mut().flat_map(|chunk| Arc::make_mut(chunk).iter_mut())
    }

    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.values().enumerate().map(|(i, v)| (K::from_index(i), v))
    }
}

impl<K: EntityId, V: Clone> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityId, V> Index<K> for SharedMap<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        &self.chunks[key.index() / CHUNK][key.index() % CHUNK]
    }
}

impl<K: EntityId, V: Clone> IndexMut<K> for SharedMap<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut Arc::make_mut(&mut self.chunks[key.index() / CHUNK])[key.index() % CHUNK]
    }
}

/// Further data on ids that a [`PrimaryMap`] handed out. Reading an id never written gives the default.
#[derive(Clone)]
pub struct SecondaryMap<K, V> {
    values: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: EntityId, V: Clone> SecondaryMap<K, V> {
    pub fn with_default(default: V) -> Self {
        SecondaryMap { values: Vec::new(), default, key: PhantomData }
    }

    pub fn get(&self, key: K) -> &V {
        self.values.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: EntityId, V: Clone + Default> SecondaryMap<K, V> {
    pub fn new() -> Self {
        Self::with_default(V::default())
    }
}

impl<K: EntityId, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityId, V: Clone> Index<K> for SecondaryMap<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        self.get(key)
    }
}

impl<K: EntityId, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        let i = key.index();
        if i >= self.values.len() {
            self.values.resize(i + 1, self.default.clone());
        }
        &mut self.values[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    entity! {
        /// A thing.
        struct Thing = "t";
    }

    #[test]
    fn primary_map_hands_out_dense_ids_that_print_with_their_prefix() {
        let mut map: PrimaryMap<Thing, &str> = PrimaryMap::new();
        let a = map.push("a");
        let b = map.push("b");
        assert_eq!((a.to_string(), format!("{b:?}")), ("t0".to_string(), "t1".to_string()));
        assert_eq!(map[b], "b");
        assert_eq!(map.keys().collect::<Vec<_>>(), [a, b]);
        assert_eq!(map.next_key(), Thing(2));
    }

    #[test]
    fn copies_of_a_shared_map_do_not_see_each_others_changes() {
        let mut map: SharedMap<Thing, usize> = SharedMap::new();
        for i in 0..3 * CHUNK {
            assert_eq!(map.push(i).index(), i);
        }
        let mut copy = map.clone();
        copy[Thing(5)] = 99;
        assert_eq!(copy.push(7), Thing(3 * CHUNK as u32));
        assert_eq!((map[Thing(5)], copy[Thing(5)], copy[Thing(6)]), (5, 99, 6));
        assert_eq!((map.len(), copy.len()), (3 * CHUNK, 3 * CHUNK + 1));
        assert_eq!(map.get(Thing(3 * CHUNK as u32)), None);
        assert_eq!(map.values().copied().collect::<Vec<_>>(), (0..3 * CHUNK).collect::<Vec<_>>());
    }

    #[test]
    fn secondary_map_reads_its_default_where_nothing_was_written() {
        let mut map: SecondaryMap<Thing, u8> = SecondaryMap::with_default(9);
        map[Thing(3)] = 1;
        assert_eq!((map[Thing(0)], map[Thing(3)], map[Thing(100)]), (9, 1, 9));
    }
}
