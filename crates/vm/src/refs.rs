//! References that carry terms: terms over object ids, trees of `ite` with constant leaves.

use crate::heap::ObjId;
use crate::lang::{Lang, Stop, Val};
use crate::machine::{Vm, sort_of};
use crate::trace::ElemKind;
use ir::{ClassId, MemType};
use term::{Op, Sort, TermId};

/// A reference with more possible objects is decided instead of merged.
const MERGE_OBJECTS: usize = 64;

impl<L: Lang> Vm<L> {
    /// The object a guarded reference denotes. If it could be several, that is a decision.
    pub fn deref(&mut self, reference: Val) -> Result<ObjId, Stop> {
        if reference.term.is_some() {
            let id = self.pool.bv(32, reference.bits);
            let same = self.pool.eq(reference.term, id);
            self.decide(ElemKind::Which, same, true)?;
        }
        Ok(reference.as_obj())
    }

    /// Reads a field through a reference, merged over the objects it could denote where that is possible.
    pub fn load_through(&mut self, reference: Val, offset: u32, ty: MemType) -> Result<Val, Stop> {
        let object = reference.as_obj();
        let Some(objects) = self.possible_objects(reference.term) else {
            self.deref(reference)?;
            return self.load(object, offset, ty);
        };
        if objects.len() == 1 {
            return self.load(object, offset, ty);
        }
        let sort = sort_of(ty.reg_type());
        let term = self.map_objects(reference.term, &mut |vm, id| {
            // What this path has excluded may still be among the objects: null, or a class without the field.
            if id.is_null() || offset + ty.size() > vm.heap.obj(id).size {
                return Ok(vm.pool.constant(sort, 0));
            }
            let val = vm.load(id, offset, ty)?;
            Ok(vm.term(val, sort))
        })?;
        Ok(Val { bits: self.load_bits(object, offset, ty), term: self.symbolic(term) })
    }

    /// Whether an object is of a class, as a value; the reference may be symbolic.
    pub fn instance_of(&mut self, reference: Val, class: ClassId) -> Result<Val, Stop> {
        let object = reference.as_obj();
        let holds = !object.is_null() && self.lang.is_subclass(self.heap.class(object), class);
        if !object.is_null() && !self.choices.is_empty() {
            self.demand_class(object, class);
        }
        if reference.term.is_none() {
            return Ok(Val::bool(holds));
        }
        let term = if self.possible_objects(reference.term).is_some() {
            self.map_objects(reference.term, &mut |vm, id| {
                let holds = !id.is_null() && vm.lang.is_subclass(vm.heap.class(id), class);
                Ok(vm.pool.bool(holds))
            })?
        } else {
            self.deref(reference)?;
            TermId::NONE
        };
        Ok(Val { bits: holds as u64, term: self.symbolic(term) })
    }

    /// The class that a call through a guarded reference dispatches on; decided only if it could be several.
    pub fn dispatch_class(&mut self, reference: Val) -> Result<ClassId, Stop> {
        let class = self.heap.class(reference.as_obj());
        self.demand_classes(reference.as_obj());
        if reference.term.is_some() {
            let same = self
                .possible_objects(reference.term)
                .is_some_and(|objects| objects.iter().all(|o| self.heap.class(*o) == class));
            if !same {
                self.deref(reference)?;
            }
        }
        Ok(class)
    }

    /// Whether two references whose numbers differ are to the same object. Where values decide ([`Lang::same_by_value`]),
    /// that holds of runs in which one of them is null too.
    pub fn same_object(&mut self, a: Val, b: Val) -> Result<Val, Stop> {
        if let (Some(x), Some(y)) = (self.valued_object(a), self.valued_object(b))
            && x != y
            && let Some(same) = L::same_by_value(self, x, y)?
        {
            let null = self.pool.bv(32, 0);
            let (x, y) = (self.term(a, Sort::Bv(32)), self.term(b, Sort::Bv(32)));
            let (no_x, no_y) = (self.pool.eq(x, null), self.pool.eq(y, null));
            let neither = self.pool.and(no_x, no_y);
            let either = self.pool.or(no_x, no_y);
            let same_value = self.term(same, Sort::Bool);
            let term = self.pool.ite(either, neither, same_value);
            let holds = a.bits != 0 && b.bits != 0 && same.bits != 0;
            return Ok(Val { bits: holds as u64, term: self.symbolic(term) });
        }
        let term = match a.term.is_some() || b.term.is_some() {
            true => self.binary_term(ir::Op::EqRef, (a.bits, a.term), (b.bits, b.term)),
            false => TermId::NONE,
        };
        Ok(Val { bits: (a.bits == b.bits) as u64, term })
    }

    /// The one object that a reference is unless it is null, if its class has values for identities.
    fn valued_object(&self, reference: Val) -> Option<ObjId> {
        let object = match reference.term {
            TermId::NONE => reference.as_obj(),
            term => match self.possible_objects(term)?[..] {
                [object] => object,
                _ => return None,
            },
        };
        (!object.is_null() && self.lang.has_value_identity(self.heap.class(object))).then_some(object)
    }

    /// Whether a reference denotes one of a few objects that are known.
    pub(crate) fn is_one_of(&self, reference: TermId) -> bool {
        reference.is_some()
            && self.pool.sort(reference) == Sort::Bv(32)
            && self.possible_objects(reference).is_some()
    }

    /// The objects, without null, that a reference term can denote, if it is a small tree of constants.
    pub(crate) fn possible_objects(&self, term: TermId) -> Option<Vec<ObjId>> {
        let mut objects = Vec::new();
        let mut work = vec![term];
        let mut budget = MERGE_OBJECTS * 2;
        while let Some(term) = work.pop() {
            budget = budget.checked_sub(1)?;
            if let Some(id) = self.pool.as_const(term) {
                let id = ObjId(id as u32);
                if !id.is_null() && !objects.contains(&id) {
                    if !self.heap.contains(id) || self.choices.is_placeholder(id) {
                        return None;
                    }
                    objects.push(id);
                }
                continue;
            }
            match self.pool.node(term) {
                (Op::Ite, [_, then, other]) => work.extend([*then, *other]),
                _ => return None,
            }
        }
        Some(objects)
    }

    /// Replaces the leaves of a reference term. Only for terms that `possible_objects` accepts.
    fn map_objects(
        &mut self,
        term: TermId,
        leaf: &mut dyn FnMut(&mut Self, ObjId) -> Result<TermId, Stop>,
    ) -> Result<TermId, Stop> {
        if let Some(id) = self.pool.as_const(term) {
            return leaf(self, ObjId(id as u32));
        }
        let (_, args) = self.pool.node(term);
        let (condition, then, other) = (args[0], args[1], args[2]);
        let then = self.map_objects(then, leaf)?;
        let other = self.map_objects(other, leaf)?;
        Ok(self.pool.ite(condition, then, other))
    }
}
