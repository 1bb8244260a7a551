//! What an input reference is, and what else it could have been.
//!
//! A reference input is, in one run, one object: a new one of one of several types, or one made before. The other
//! alternatives are worth a run only if the program can tell the difference: where it compares two references,
//! asks for a type, dispatches on it, or reads what was written through another reference. Such a place demands
//! the alternative; nothing else does, so shapes that the program cannot tell apart are explored once.

use crate::heap::ObjId;
use crate::lang::{Lang, Stop};
use crate::machine::Vm;
use crate::trace::ElemKind;
use ir::ClassId;
use term::{Sort, TermId};

/// What a reference input may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// A new object of this class.
    Class(ClassId),
    /// The same as an object made before.
    Object(ObjId),
}

#[derive(Clone, Debug)]
struct Choice {
    object: ObjId,
    /// Index of its element in the trace.
    elem: u32,
    alternatives: Vec<Alternative>,
}

/// The choices of one run.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    all: Vec<Choice>,
    /// Fields of input objects that were written: object and offset.
    writes: Vec<(ObjId, u32)>,
}

/// More writes are not remembered: who reads and writes so much in one run has other worries than aliases.
const MAX_WRITES: usize = 256;

impl Choices {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.writes.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl<L: Lang> Vm<L> {
    /// Which alternative the input called `name` takes in this run, as a decision whose other alternatives wait to
    /// be asked for.
    pub fn choose(&mut self, name: &str, alternatives: &[Alternative]) -> Result<u32, Stop> {
        let count = alternatives.len() as u32;
        if count <= 1 {
            return Ok(0);
        }
        let (which, bits) = self.inputs.scalar(&mut self.pool, &format!("{name}.is"), Sort::Bv(32));
        // The last alternative stands for all numbers beyond it: one of the conditions always holds.
        let last = count - 1;
        let choice = (bits as u32).min(last);
        let mut conditions: Vec<TermId> = Vec::with_capacity(count as usize);
        for i in 0..last {
            let here = self.pool.bv(32, i as u64);
            conditions.push(self.pool.eq(which, here));
        }
        let border = self.pool.bv(32, last as u64);
        conditions.push(self.pool.ule(border, which));
        self.decide_among(ElemKind::Fresh, &conditions, choice)?;
        Ok(choice)
    }

    /// Remembers that an object is what the last [`choose`](Self::choose) chose.
    pub fn chosen(&mut self, elem: u32, object: ObjId, alternatives: &[Alternative]) {
        self.choices.all.push(Choice { object, elem, alternatives: alternatives.to_vec() });
    }

    /// The program can tell whether two objects are the same.
    pub(crate) fn demand_same(&mut self, a: ObjId, b: ObjId) {
        if a == b || a.is_null() || b.is_null() {
            return;
        }
        for (one, other) in [(a, b), (b, a)] {
            let found = self.choices.all.iter().filter(|c| c.object == one).find_map(|c| {
                let at = c.alternatives.iter().position(|alt| *alt == Alternative::Object(other))?;
                Some((c.elem, at as u32))
            });
            if let Some(demand) = found {
                self.demand(demand);
                return;
            }
        }
    }

    /// The program can tell whether an object is of a class.
    pub(crate) fn demand_class(&mut self, object: ObjId, class: ClassId) {
        let is = self.lang.is_subclass(self.heap.class(object), class);
        let mut demands = Vec::new();
        for choice in self.choices.all.iter().filter(|c| c.object == object) {
            let differs = |alt: &Alternative| match alt {
                Alternative::Class(other) => self.lang.is_subclass(*other, class) != is,
                Alternative::Object(_) => false,
            };
            let at = choice.alternatives.iter().position(differs);
            demands.extend(at.map(|at| (choice.elem, at as u32)));
        }
        demands.into_iter().for_each(|demand| self.demand(demand));
    }

    /// What the program does next depends on the object's very class.
    pub fn demand_classes(&mut self, object: ObjId) {
        if self.choices.is_empty() {
            return;
        }
        let mut demands = Vec::new();
        for choice in self.choices.all.iter().filter(|c| c.object == object) {
            let classes = choice.alternatives.iter().enumerate();
            let others = classes.filter(|(_, alt)| matches!(alt, Alternative::Class(_)));
            demands.extend(others.map(|(at, _)| (choice.elem, at as u32)));
        }
        demands.into_iter().for_each(|demand| self.demand(demand));
    }

    /// A field of an object is read or written: an alias would see what was written through another reference.
    pub(crate) fn saw_access(&mut self, object: ObjId, offset: u32, write: bool) {
        if self.making_inputs {
            return;
        }
        let others: Vec<ObjId> = self
            .choices
            .writes
            .iter()
            .filter(|(other, at)| *at == offset && *other != object)
            .map(|(other, _)| *other)
            .collect();
        for other in others {
            self.demand_same(object, other);
        }
        if write && self.choices.writes.len() < MAX_WRITES && !self.choices.writes.contains(&(object, offset))
        {
            self.choices.writes.push((object, offset));
        }
    }

    fn demand(&mut self, demand: (u32, u32)) {
        let taken = self.trace.elems.get(demand.0 as usize).is_none_or(|elem| elem.choice == demand.1);
        if !taken && !self.trace.demands.contains(&demand) {
            self.trace.demands.push(demand);
        }
    }
}
