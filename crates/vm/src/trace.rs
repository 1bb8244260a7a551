//! What a run leaves behind: its path condition and its coverage.

use ir::{BlockId, Check, FuncId, Move};
use rustc_hash::FxHashSet;
use term::TermId;

/// An instruction of the program: where a decision was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    pub func: FuncId,
    /// Index into the function's code.
    pub index: u32,
}

/// Of the index of a decision outside, three bits say the level; the highest one is free.
const LEAST_LEVEL: u32 = 1 << 28;
const MOST_INSIDE: u32 = 7;

impl Site {
    /// Outside of any function: what whoever runs the program decides before and after.
    pub const OUTSIDE: Site = Site { func: FuncId(u32::MAX), index: 0 };

    pub fn is_outside(self) -> bool {
        self.func == Site::OUTSIDE.func
    }

    /// The index of a decision outside: a number of its own, and how deep inside of other inputs the one is that it is about.
    pub fn outside(number: u32, level: usize) -> u32 {
        (number & (LEAST_LEVEL - 1)) | (level.min(MOST_INSIDE as usize) as u32 * LEAST_LEVEL)
    }

    /// How deep inside of other inputs that is which is decided outside.
    pub fn level(self) -> u32 {
        if self.is_outside() { (self.index / LEAST_LEVEL) & MOST_INSIDE } else { 0 }
    }
}

/// Why an element is part of the path condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElemKind {
    /// A branch of the program.
    Branch,
    /// An implicit check.
    Check(Check),
    /// Which object a symbolic reference is, or which index, type or representation was chosen.
    Which,
    /// A fact the run relied on; never flipped. Where it did not hold, the run ended there, and holding is the only
    /// other alternative worth trying.
    Assume,
    /// A soft wish; dropped when it cannot be had.
    Prefer,
    /// What an input reference is: a new object of one of several types, or an object made before. Another
    /// alternative is worth trying only once a run asks for it ([`Trace::demands`]).
    Fresh,
}

/// One decision of a run: which of several alternatives was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elem {
    pub site: Site,
    pub kind: ElemKind,
    /// Which alternative was taken.
    pub choice: u32,
    /// How many alternatives there are.
    pub alternatives: u32,
    /// Index of the first alternative's condition in [`Trace::conditions`].
    pub first: u32,
    /// How often this site had decided before in this run; loops show here.
    pub visit: u32,
    /// Steps of [`Trace::walk`] recorded before this decision: where a flip leaves the run.
    pub walked: u32,
    /// Decided while inputs were made: other inputs may take other decisions here, by design.
    pub input: bool,
    /// Objects there were when it was decided.
    pub objects: u32,
    /// Decided by code that is not tracked, between the making of an exception and its leaving the call: what its
    /// message says, for instance. Deciding otherwise changes nothing but that.
    pub doomed: bool,
    /// Doomed, and so is all that was decided since that exception was made, by the platform's own code alone: nothing
    /// of the program can go another way here.
    pub moot: bool,
    /// Where tracked code called the function that decides, at any remove if that is not tracked itself.
    pub caller: Site,
    /// What lies ahead of this decision is the same for the same inputs as ahead of another with this number; 0 if that
    /// is not known ([`crate::Vm::digesting`]).
    pub state: u128,
}

/// The decisions of one run, in order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub elems: Vec<Elem>,
    pub conditions: Vec<TermId>,
    pub edges: FxHashSet<Edge>,
    pub blocks: FxHashSet<(FuncId, BlockId)>,
    /// Instructions of tracked functions that an exception left from.
    pub raised: FxHashSet<Site>,
    /// What [`ElemKind::Fresh`] decisions should be tried with besides: index of the element, what must hold there.
    pub demands: Vec<(u32, TermId)>,
    /// What was relied on without a decision, as it had been decided before: how many elements there were, and the
    /// condition. Kept along with [`Elem::state`].
    pub implied: Vec<(u32, TermId)>,
    /// What tracked functions did, in order; empty unless [`crate::Vm::walking`] asks for it.
    pub walk: Vec<Step>,
    pub(crate) activations: u32,
}

/// A step of a tracked function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which activation took it; numbered from 1 in the order of their calls.
    pub activation: u32,
    pub func: FuncId,
    pub what: Move,
}

/// A branch edge taken in a tracked function: the instruction and the position of its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    pub func: FuncId,
    pub index: u32,
    pub successor: u32,
}

impl Trace {
    pub fn clear(&mut self) {
        self.elems.clear();
        self.conditions.clear();
        self.edges.clear();
        self.blocks.clear();
        self.raised.clear();
        self.walk.clear();
        self.activations = 0;
        self.demands.clear();
        self.implied.clear();
    }

    /// Forgets what was covered so far, but no decision.
    pub fn forget_coverage(&mut self) {
        self.edges.clear();
        self.blocks.clear();
        self.raised.clear();
        self.walk.clear();
    }

    /// The condition of an element's alternative.
    pub fn condition(&self, elem: &Elem, alternative: u32) -> TermId {
        self.conditions[(elem.first + alternative) as usize]
    }

    /// The condition of what was taken.
    pub fn taken(&self, elem: &Elem) -> TermId {
        self.condition(elem, elem.choice)
    }
}
