//! The shadow of an object: which of its bytes hold symbolic values.

use crate::input::InputId;
use rustc_hash::FxHashMap;
use term::{Pool, TermId};

/// Symbolic contents of one object, by byte offset.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    /// What was written since: a term with its size in bytes, or `NONE` for a concrete value that hides the
    /// origin's.
    pub cells: FxHashMap<u32, Cell>,
    /// Whether any cell of an array is not one whole element. Cells never overlap.
    pub mixed: bool,
    /// The length of an array, if symbolic.
    pub len: TermId,
    /// Where untouched elements come from, if the object is an input.
    pub origin: Option<Origin>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub term: TermId,
    pub size: u8,
}

/// An array whose untouched elements are the elements of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub input: InputId,
    pub view: View,
    /// What was made of each 16-bit element, one after the other.
    pub maps: Maps,
}

impl Origin {
    /// The elements as they are.
    pub fn new(input: InputId, view: View) -> Origin {
        Origin { input, view, maps: Maps::default() }
    }
}

/// What is made of one character without regard to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharMap {
    /// ASCII letters only.
    Lower,
    Upper,
    /// One character in place of another.
    Replace(u16, u16),
}

/// A few of them in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Maps([Option<CharMap>; MAX_MAPS]);

const MAX_MAPS: usize = 4;

impl Maps {
    /// With one more; `None` if there are too many.
    pub fn then(mut self, map: CharMap) -> Option<Maps> {
        let free = self.0.iter().position(Option::is_none)?;
        self.0[free] = Some(map);
        Some(self)
    }

    /// What becomes of an element, as a term.
    pub fn apply(self, pool: &mut Pool, element: TermId) -> TermId {
        self.0.iter().flatten().fold(element, |element, map| map.apply(pool, element))
    }
}

impl CharMap {
    /// What becomes of a 16-bit unit.
    pub fn unit(self, unit: u16) -> u16 {
        match self {
            CharMap::Lower if (b'A' as u16..=b'Z' as u16).contains(&unit) => unit + 32,
            CharMap::Upper if (b'a' as u16..=b'z' as u16).contains(&unit) => unit - 32,
            CharMap::Replace(from, to) if unit == from => to,
            _ => unit,
        }
    }

    /// What becomes of a 16-bit term.
    pub fn apply(self, pool: &mut Pool, unit: TermId) -> TermId {
        let (first, last, change) = match self {
            CharMap::Lower => (b'A', b'Z', 32),
            CharMap::Upper => (b'a', b'z', 32u16.wrapping_neg()),
            CharMap::Replace(from, to) => {
                let (from, to) = (pool.bv(16, from as u64), pool.bv(16, to as u64));
                let same = pool.eq(unit, from);
                return pool.ite(same, to, unit);
            }
        };
        let (first, last) = (pool.bv(16, first as u64), pool.bv(16, last as u64));
        let (above, below) = (pool.ule(first, unit), pool.ule(unit, last));
        let letter = pool.and(above, below);
        let change = pool.bv(16, change as u64);
        let changed = pool.bvadd(unit, change);
        pool.ite(letter, changed, unit)
    }
}

/// How the bytes of an array show the elements of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Element for element.
    Whole,
    /// A byte array that holds the low byte of each 16-bit element, all of which are below 256.
    /// That they are is decided of so many first ones; of the others the run relies on it.
    LowBytes { decided: u32 },
    /// A byte array that holds both bytes of each 16-bit element, low byte first.
    BothBytes,
}
