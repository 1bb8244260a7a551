//! The shadow of an object: which of its bytes hold symbolic values.

use crate::input::InputId;
use rustc_hash::FxHashMap;
use term::TermId;

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
