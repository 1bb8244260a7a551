//! What an input reference is, and what else it could have been.
//!
//! A reference input is, in one run, one object: a new one of one of several types, or one made before. The other
//! alternatives are worth a run only if the program can tell the difference: where it compares two references,
//! asks for a type, dispatches on it, reads a field, which each class has its own constructors to set, or reads what was
//! written through another reference. Such a place demands the alternative; nothing else does, so shapes that the program
//! cannot tell apart are explored once.

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

/// An alternative of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub what: Alternative,
    /// What the variable of the choice is when this is taken.
    pub value: u32,
    /// When there is such an object at all.
    pub there: TermId,
}

#[derive(Clone, Debug)]
struct Choice {
    object: ObjId,
    /// Index of its element in the trace.
    elem: u32,
    /// The variable that says what it is.
    variable: TermId,
    options: Vec<Way>,
}

/// The choices of one run.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    all: Vec<Choice>,
    /// Fields of input objects that were written: object and offset.
    writes: Vec<(ObjId, u32)>,
    /// Objects that stand for what is null in this run: nothing is known of their contents.
    placeholders: Vec<ObjId>,
    /// Input objects that are told apart by a number of theirs.
    numbered: Vec<ObjId>,
    /// Objects that were chosen and that nothing was read of yet.
    unread: Vec<ObjId>,
}

/// So many objects are remembered that are told apart by a number.
const MAX_NUMBERED: usize = 16;
/// More writes are not remembered: who reads and writes so much in one run has other worries than aliases.
const MAX_WRITES: usize = 256;

impl Choices {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.writes.clear();
        self.placeholders.clear();
        self.numbered.clear();
        self.unread.clear();
    }

    /// Everything here, for [`Vm::digest`].
    pub(crate) fn digest(&self, pool: &term::Pool, key: &dyn Fn(ClassId) -> u128, add: &mut dyn FnMut(u128)) {
        for choice in &self.all {
            add(u128::from(choice.object.0) | u128::from(choice.elem) << 32);
            add(pool.hash128(choice.variable));
            for way in &choice.options {
                let what = match way.what {
                    Alternative::Class(class) => key(class),
                    Alternative::Object(object) => u128::from(object.0),
                };
                add(what);
                add(u128::from(way.value));
                add(if way.there.is_some() { pool.hash128(way.there) } else { 0 });
            }
        }
        self.writes.iter().for_each(|(object, at)| add(u128::from(object.0) | u128::from(*at) << 32));
        let objects = self.placeholders.iter().chain(&self.numbered).chain(&self.unread);
        objects.for_each(|object| add(object.0.into()));
    }

    pub(crate) fn is_placeholder(&self, object: ObjId) -> bool {
        self.placeholders.contains(&object)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl<L: Lang> Vm<L> {
    /// Which way the input called `name` goes in this run: its position, as a decision whose other outcomes wait to
    /// be asked for. A model that names none is no input.
    pub fn choose(&mut self, name: &str, ways: &[Way]) -> Result<usize, Stop> {
        if ways.len() <= 1 {
            return Ok(0);
        }
        let (which, bits) = self.inputs.scalar(&mut self.pool, &format!("{name}.is"), Sort::Bv(32));
        let at = ways.iter().position(|way| way.value == bits as u32).ok_or(Stop::Assumption)?;
        let here = self.pool.bv(32, bits);
        let same = self.pool.eq(which, here);
        self.decide(ElemKind::Fresh, same, true)?;
        Ok(at)
    }

    /// Which of so many alternatives the variable `name` says, as a decision.
    pub fn choose_among(&mut self, kind: ElemKind, name: &str, count: u32) -> Result<u32, Stop> {
        if count <= 1 {
            return Ok(0);
        }
        let (which, bits) = self.inputs.scalar(&mut self.pool, name, Sort::Bv(32));
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
        self.decide_among(kind, &conditions, choice)?;
        Ok(choice)
    }

    /// Remembers that the object is what the input called `name` was [chosen](Self::choose) to be.
    pub fn chosen(&mut self, name: &str, object: ObjId, ways: &[Way]) {
        let variable = self.inputs.scalar(&mut self.pool, &format!("{name}.is"), Sort::Bv(32)).0;
        // The last decision on that very variable; objects inside may have been decided on since.
        let is_own = |elem: &crate::trace::Elem| {
            elem.kind == ElemKind::Fresh
                && self
                    .pool
                    .vars(self.trace.taken(elem))
                    .contains(&self.pool.var_of(variable).unwrap_or(term::VarId(u32::MAX)))
        };
        if let Some(elem) = self.trace.elems.iter().rposition(is_own) {
            self.choices.all.push(Choice { object, elem: elem as u32, variable, options: ways.to_vec() });
            if !object.is_null() && !self.choices.unread.contains(&object) {
                // Without a shadow nobody would see it read.
                self.heap.shadow_mut(object);
                self.choices.unread.push(object);
            }
        }
    }

    /// What new objects of this run could have been instead: variables of choices, each with a value that makes it an
    /// object made before.
    pub fn aliases(&self) -> Vec<(TermId, u32)> {
        let mut found = Vec::new();
        for choice in &self.choices.all {
            let earlier =
                |way: &&Way| matches!(way.what, Alternative::Object(other) if other != choice.object);
            let new = choice.options.iter().filter(|way| matches!(way.what, Alternative::Class(_)));
            let chosen = self.inputs.value(&self.pool, choice.variable) as u32;
            if new.into_iter().any(|way| way.value == chosen) {
                let ways = choice.options.iter().filter(earlier);
                found.extend(ways.map(|way| (choice.variable, way.value)));
            }
        }
        found
    }

    /// The object stands for one that this run does not have.
    pub fn make_placeholder(&mut self, object: ObjId) {
        self.choices.placeholders.push(object);
    }

    /// The program can tell whether two objects are the same.
    pub(crate) fn demand_same(&mut self, a: ObjId, b: ObjId) {
        if a.is_null() || b.is_null() {
            return;
        }
        if a == b {
            return self.demand_other(a);
        }
        for (one, other) in [(a, b), (b, a)] {
            if self.demand_where(one, |_, way| way.what == Alternative::Object(other)) {
                return;
            }
        }
    }

    /// Whether two objects that are different in this run could be one by choice: it is among the alternatives of either.
    pub(crate) fn could_be(&self, a: ObjId, b: ObjId) -> bool {
        let among = |one: ObjId, other: ObjId| {
            let own = self.choices.all.iter().filter(|choice| choice.object == one);
            own.flat_map(|choice| &choice.options).any(|way| way.what == Alternative::Object(other))
        };
        among(a, b) || among(b, a)
    }

    /// An object is compared with itself: a constant that the program knows too. Of another class it would not be that one.
    fn demand_other(&mut self, object: ObjId) {
        let is_alias = |choice: &Choice| {
            let value = self.inputs.value(&self.pool, choice.variable) as u32;
            let taken = choice.options.iter().find(|way| way.value == value);
            taken.is_some_and(|way| matches!(way.what, Alternative::Object(_)))
        };
        if !self.choices.all.iter().any(|choice| choice.object == object && is_alias(choice)) {
            self.demand_classes(object);
        }
    }

    /// The program tells objects apart by a number that each has of its own (their identity's hash).
    pub fn demand_numbered(&mut self, object: ObjId) {
        let known = &self.choices.numbered;
        if self.choices.is_empty() || known.contains(&object) || known.len() >= MAX_NUMBERED {
            return;
        }
        for other in known.clone() {
            self.demand_same(object, other);
        }
        self.choices.numbered.push(object);
    }

    /// An input that may be null is compared with an object. Were it there, it could be that one if there is a choice: that
    /// it is there is decided first then, whether or not it is null in this run, so that runs of both kinds decide alike.
    pub(crate) fn demand_there(&mut self, a: (u64, TermId), b: (u64, TermId)) {
        for (one, other) in [(a, b), (b, a)] {
            if one.1.is_some() && other.0 != 0 && self.has_choice(one.1) {
                let null = self.pool.bv(32, 0);
                let is_null = self.pool.eq(one.1, null);
                // Beyond the limit of decisions the run ends at the next one.
                let _ = self.decide(ElemKind::Which, is_null, one.0 == 0);
            }
        }
    }

    /// Whether something that the reference may be could have been another object.
    fn has_choice(&self, reference: TermId) -> bool {
        let Some(objects) = self.possible_objects(reference) else { return true };
        self.choices.all.iter().any(|choice| objects.contains(&choice.object))
    }

    /// The program can tell whether an object is of a class.
    pub(crate) fn demand_class(&mut self, object: ObjId, class: ClassId) {
        let is = self.lang.is_subclass(self.heap.class(object), class);
        self.demand_where(object, |vm, way| match way.what {
            Alternative::Class(other) => vm.lang.is_subclass(other, class) != is,
            Alternative::Object(_) => false,
        });
    }

    /// What the program does next depends on the object's very class.
    pub fn demand_classes(&mut self, object: ObjId) {
        if !self.choices.is_empty() {
            let class = self.heap.class(object);
            self.demand_where(
                object,
                |_, way| matches!(way.what, Alternative::Class(other) if other != class),
            );
        }
    }

    /// Asks for the ways of an object's choice that fit; whether there was any.
    fn demand_where(&mut self, object: ObjId, fits: impl Fn(&Self, &Way) -> bool) -> bool {
        let mut found: Vec<(u32, TermId, Way)> = Vec::new();
        for choice in self.choices.all.iter().filter(|c| c.object == object) {
            let ways = choice.options.iter().filter(|way| fits(self, way));
            found.extend(ways.map(|way| (choice.elem, choice.variable, *way)));
        }
        for (elem, variable, way) in &found {
            let value = self.pool.bv(32, way.value as u64);
            let taken = self.pool.eq(*variable, value);
            let wanted = self.pool.and(way.there, taken);
            if !self.trace.demands.contains(&(*elem, wanted)) {
                self.trace.demands.push((*elem, wanted));
            }
        }
        !found.is_empty()
    }

    /// A field of an object is read: each class has constructors of its own to set it.
    pub(crate) fn saw_contents(&mut self, object: ObjId) {
        if self.making_inputs {
            return;
        }
        if let Some(at) = self.choices.unread.iter().position(|unread| *unread == object) {
            self.choices.unread.swap_remove(at);
            self.demand_classes(object);
        }
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
}
