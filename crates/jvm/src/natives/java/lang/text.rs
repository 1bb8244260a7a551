//! Strings with their symbolic side: length and units as terms.

use crate::natives::support::null_pointer;
use crate::natives::{Res, Vmj};
use ir::{Check, MemType};
use term::{Sort, TermId};
use vm::{ElemKind, InputId, Maps, ObjId, Val};

/// A string object seen as a sequence of 16-bit units.
#[derive(Clone, Copy)]
pub(super) struct Text {
    value: ObjId,
    /// Bytes a unit takes in the array.
    width: u32,
    /// Units in this run.
    pub len: u32,
    /// The length in units, if it is symbolic.
    len_term: TermId,
    /// The input whose elements the units are, as far as nothing was written over them.
    input: Option<InputId>,
    /// What was made of them.
    maps: Maps,
}

/// Lengths up to this are treated together, if the input's length is symbolic.
const TOGETHER: u32 = 8;

impl Text {
    pub fn of(vm: &mut Vmj, string: ObjId) -> Text {
        let known = &vm.lang.known;
        let value = vm.heap.read_ref(string, known.string_value);
        let width = match known.string_coder {
            Some(offset) => 1 + vm.heap.read_u8(string, offset) as u32,
            None => 2,
        };
        let bytes = vm.heap.obj(value).size;
        let shadow = vm.heap.shadow(value);
        let origin = shadow.and_then(|shadow| shadow.origin);
        let (input, maps) = (origin.map(|o| o.input), origin.map_or_else(Maps::default, |o| o.maps));
        let array_len = shadow.map_or(TermId::NONE, |shadow| shadow.len);
        let len_term = match input {
            Some(input) if array_len.is_some() => vm.inputs.get(input).len,
            _ if array_len.is_some() && width == 2 && vm.lang.known.string_coder.is_some() => {
                let one = vm.pool.bv(32, 1);
                vm.pool.bvlshr(array_len, one)
            }
            _ => array_len,
        };
        Text { value, width, len: bytes / width, len_term, input, maps }
    }

    /// Whether anything of it is symbolic.
    pub fn is_symbolic(&self, vm: &Vmj) -> bool {
        vm.heap.has_shadow(self.value)
    }

    /// Whether its units can be named beyond the length of this run.
    pub fn is_input(&self) -> bool {
        self.input.is_some()
    }

    pub fn has_fixed_length(&self) -> bool {
        self.len_term.is_none()
    }

    /// The length as a term.
    pub fn length(&self, vm: &mut Vmj) -> TermId {
        match self.len_term {
            TermId::NONE => vm.pool.bv(32, self.len as u64),
            term => term,
        }
    }

    pub fn length_val(&self, vm: &Vmj) -> Val {
        vm.val(self.len as u64, self.len_term)
    }

    /// Whether the unit at an index beyond this run's length has a name.
    pub fn reaches(&self, index: u32) -> bool {
        index < self.len || self.input.is_some()
    }

    /// Fixes the length to this run's by a decision that can be flipped.
    pub fn fix_length(&mut self, vm: &mut Vmj) -> Res<()> {
        if self.len_term.is_some() {
            let here = vm.pool.bv(32, self.len as u64);
            let same = vm.pool.eq(self.len_term, here);
            vm.decide(ElemKind::Which, same, true)?;
            self.len_term = TermId::NONE;
        }
        Ok(())
    }

    /// How many units have to be looked at: all of them if the length is fixed; otherwise a number that the length
    /// is decided not to pass.
    pub fn bound(&mut self, vm: &mut Vmj) -> Res<u32> {
        if self.len_term.is_none() {
            return Ok(self.len);
        }
        if self.input.is_none() {
            self.fix_length(vm)?;
            return Ok(self.len);
        }
        let bound = self.len.next_power_of_two().max(TOGETHER);
        let limit = vm.pool.bv(32, bound as u64);
        let short = vm.pool.ule(self.len_term, limit);
        vm.decide(ElemKind::Which, short, true)?;
        Ok(bound)
    }

    /// The concrete unit at an index inside.
    pub fn concrete(&self, vm: &Vmj, index: u32) -> u16 {
        match self.width {
            1 => vm.heap.read_u8(self.value, index) as u16,
            _ => vm.heap.read_u16(self.value, index * 2),
        }
    }

    /// The unit at an index that is [reached](Self::reaches), 16 bits wide.
    pub fn unit(&self, vm: &mut Vmj, index: u32) -> Res<TermId> {
        let offset = index * self.width;
        let untouched = vm.heap.shadow(self.value).is_some_and(|shadow| {
            let covers = |at: u32| shadow.cells.contains_key(&at);
            let wide =
                self.width == 2 && (covers(offset + 1) || offset > 0 && shadow.mixed && covers(offset - 1));
            shadow.origin.is_some() && !covers(offset) && !wide
        });
        if let (true, Some(input)) = (untouched, self.input) {
            let unit = vm.inputs.elem(&mut vm.pool, input, index);
            return Ok(self.maps.apply(&mut vm.pool, unit));
        }
        let concrete = self.concrete(vm, index) as u64;
        if !vm.heap.has_shadow(self.value) {
            return Ok(vm.pool.bv(16, concrete));
        }
        if self.width == 1 {
            let cell = vm.load_cell(self.value, offset, MemType::I8)?;
            return Ok(match cell {
                TermId::NONE => vm.pool.bv(16, concrete),
                cell => vm.pool.zext(16, cell),
            });
        }
        let cell = vm.load_cell(self.value, offset, MemType::U16)?;
        Ok(match cell {
            TermId::NONE => vm.pool.bv(16, concrete),
            cell => cell,
        })
    }

    /// All concrete units.
    pub fn units(&self, vm: &Vmj) -> Vec<u16> {
        (0..self.len).map(|i| self.concrete(vm, i)).collect()
    }
}

/// The object behind an argument that may be a symbolic reference; null is decided as a check if `must`.
pub(super) fn object(vm: &mut Vmj, val: Val, must: bool) -> Res<ObjId> {
    if val.term.is_some() {
        let null = vm.pool.bv(32, 0);
        let some = vm.pool.ne(val.term, null);
        let kind = if must { ElemKind::Check(Check::Null) } else { ElemKind::Branch };
        vm.decide(kind, some, val.bits != 0)?;
        if val.bits != 0 {
            vm.deref(val)?;
        }
    }
    match val.as_obj() {
        object if object.is_null() && must => Err(null_pointer()),
        object => Ok(object),
    }
}

/// A truth value as Java's `boolean`.
pub(super) fn truth(vm: &mut Vmj, holds: bool, condition: TermId) -> Val {
    let term = vm.pool.bool_to_bv(32, condition);
    vm.val(holds as u64, term)
}

/// `index < length`, for an index that is a plain number.
pub(super) fn inside(vm: &mut Vmj, index: u32, length: TermId) -> TermId {
    let index = vm.pool.bv(32, index as u64);
    vm.pool.ult(index, length)
}

pub(super) const INT: Sort = Sort::Bv(32);
