//! Symbolic memory: loads and stores of terms, symbolic indices, copies.

use crate::heap::ObjId;
use crate::lang::{Lang, Stop, Val};
use crate::machine::Vm;
use crate::shadow::{Cell, View};
use crate::trace::ElemKind;
use ir::MemType;
use ledger::Kind;
use term::{Sort, TermId};

/// Arrays up to this length are merged when a symbolic index writes them.
const MERGE_WRITE: u32 = 64;
/// A symbolic read is merged into a decision tree over at most this many runs of equal elements.
const MERGE_READ_RUNS: usize = 512;
/// Longer arrays are not even scanned for a merged read.
const MERGE_READ_SCAN: u32 = 1 << 16;
/// Looking at so many elements costs a run one of its steps.
const SCANNED_A_STEP: u32 = 16;

impl<L: Lang> Vm<L> {
    /// Reads a concrete value, widened as a register holds it.
    #[inline]
    pub fn load_bits(&self, object: ObjId, offset: u32, ty: MemType) -> u64 {
        match ty {
            MemType::I8 => self.heap.read_u8(object, offset) as i8 as i32 as u32 as u64,
            MemType::U8 => self.heap.read_u8(object, offset) as u64,
            MemType::I16 => self.heap.read_u16(object, offset) as i16 as i32 as u32 as u64,
            MemType::U16 => self.heap.read_u16(object, offset) as u64,
            MemType::I32 | MemType::F32 | MemType::Ref => self.heap.read_u32(object, offset) as u64,
            MemType::I64 | MemType::F64 => self.heap.read_u64(object, offset),
        }
    }

    #[inline]
    pub fn store_bits(&mut self, object: ObjId, offset: u32, ty: MemType, bits: u64) {
        match ty {
            MemType::I8 | MemType::U8 => self.heap.write_u8(object, offset, bits as u8),
            MemType::I16 | MemType::U16 => self.heap.write_u16(object, offset, bits as u16),
            MemType::I32 | MemType::F32 | MemType::Ref => self.heap.write_u32(object, offset, bits as u32),
            MemType::I64 | MemType::F64 => self.heap.write_u64(object, offset, bits),
        }
    }

    /// Reads a value with its term.
    pub fn load(&mut self, object: ObjId, offset: u32, ty: MemType) -> Result<Val, Stop> {
        let bits = self.load_bits(object, offset, ty);
        if !self.heap.has_shadow(object) {
            return Ok(Val::concrete(bits));
        }
        if !self.choices.is_empty() {
            self.saw_contents(object);
            self.saw_access(object, offset, false);
        }
        let cell = self.load_cell(object, offset, ty)?;
        let term = self.widen(cell, ty);
        Ok(Val { bits, term })
    }

    /// Writes a value with its term.
    pub fn store(&mut self, object: ObjId, offset: u32, ty: MemType, val: Val) -> Result<(), Stop> {
        let plain = val.term.is_some() && self.inputs.is_plain();
        if !plain && (val.term.is_some() || self.heap.has_shadow(object)) {
            if !self.choices.is_empty() {
                self.saw_access(object, offset, true);
            }
            let cell = self.narrow(val.term, ty);
            self.store_cell(object, offset, ty, cell)?;
        }
        self.store_bits(object, offset, ty, val.bits);
        Ok(())
    }

    /// An element at a possibly symbolic index that was guarded.
    pub fn load_elem(&mut self, array: ObjId, index: Val, ty: MemType) -> Result<Val, Stop> {
        let size = ty.size();
        let at = index.bits as u32;
        if index.term.is_none() {
            return self.load(array, at * size, ty);
        }
        self.stay_inside(array, index)?;
        let (first, last) = self.reach(array, index);
        if first == last {
            return self.load(array, at * size, ty);
        }
        // Tables of the library are asked the same again and again.
        let table = (array, index.term, first, last);
        let is_table = self.heap.is_as_frozen(array) && !self.heap.has_shadow(array);
        if is_table && let Some(term) = self.tables.get(&table) {
            return Ok(Val { bits: self.load_bits(array, at * size, ty), term: *term });
        }
        if let Some(runs) = self.equal_runs(array, first..last + 1, ty)? {
            let term = self.decision_tree(index.term, &runs);
            let term = self.symbolic(term);
            if is_table {
                self.tables.insert(table, term);
            }
            return Ok(Val { bits: self.load_bits(array, at * size, ty), term });
        }
        self.pick_index(index)?;
        self.load(array, at * size, ty)
    }

    /// Stores an element at a possibly symbolic index that was guarded.
    pub fn store_elem(&mut self, array: ObjId, index: Val, ty: MemType, val: Val) -> Result<(), Stop> {
        let size = ty.size();
        let at = index.bits as u32;
        if index.term.is_some() {
            self.stay_inside(array, index)?;
            let (first, last) = self.reach(array, index);
            if first == last {
                return self.store(array, at * size, ty, val);
            }
            if last - first >= MERGE_WRITE {
                self.pick_index(index)?;
                return self.store(array, at * size, ty, val);
            }
            let sort = crate::machine::sort_of(ty.reg_type());
            let new = self.term(val, sort);
            for i in first..=last {
                let old = self.load(array, i * size, ty)?;
                let old = self.term(old, sort);
                let here = self.pool.bv(32, i as u64);
                let hit = self.pool.eq(index.term, here);
                let merged = self.pool.ite(hit, new, old);
                let merged = self.symbolic(merged);
                let cell = self.narrow(merged, ty);
                self.store_cell(array, i * size, ty, cell)?;
            }
            self.store_bits(array, at * size, ty, val.bits);
            return Ok(());
        }
        self.store(array, at * size, ty, val)
    }

    /// Copies elements with their terms; the ranges are inside the arrays and may overlap.
    pub fn copy_elems(
        &mut self,
        from: ObjId,
        from_index: u32,
        to: ObjId,
        to_index: u32,
        count: u32,
        ty: MemType,
    ) -> Result<(), Stop> {
        let size = ty.size();
        if self.heap.has_shadow(from) || self.heap.has_shadow(to) {
            let mut cells = Vec::with_capacity(count as usize);
            for i in 0..count {
                let cell = match self.heap.has_shadow(from) {
                    true => self.load_cell(from, (from_index + i) * size, ty)?,
                    false => TermId::NONE,
                };
                cells.push(cell);
            }
            if self.heap.has_shadow(to) || cells.iter().any(|t| t.is_some()) {
                for (i, cell) in cells.into_iter().enumerate() {
                    self.store_cell(to, (to_index + i as u32) * size, ty, cell)?;
                }
            }
        }
        self.heap.copy_bytes(from, from_index * size, to, to_index * size, count * size);
        Ok(())
    }

    /// An array of symbolic length has, in this run, only so many elements: an index inside the symbolic
    /// length may lie beyond them, which is another run.
    fn stay_inside(&mut self, array: ObjId, index: Val) -> Result<(), Stop> {
        if self.heap.len_term(array).is_none() {
            return Ok(());
        }
        let len = self.pool.bv(32, self.heap.len(array) as u64);
        let inside = self.pool.ult(index.term, len);
        self.decide(ElemKind::Which, inside, true)
    }

    /// The first and the last element that a symbolic index can be on this path.
    fn reach(&mut self, array: ObjId, index: Val) -> (u32, u32) {
        let end = self.heap.len(array).saturating_sub(1);
        match self.range(index.term) {
            Some((low, high)) => (low.min(end.into()) as u32, high.min(end.into()) as u32),
            None => (0, end),
        }
    }

    /// Fixes a symbolic index by a decision that can be flipped.
    fn pick_index(&mut self, index: Val) -> Result<(), Stop> {
        let here = self.pool.bv(32, index.bits);
        let picked = self.pool.eq(index.term, here);
        self.decide(ElemKind::Which, picked, true)
    }

    /// The elements of an array as runs `(first index, register term)` of equal neighbours, if there are few.
    fn equal_runs(
        &mut self,
        array: ObjId,
        within: std::ops::Range<u32>,
        ty: MemType,
    ) -> Result<Option<Vec<(u32, TermId)>>, Stop> {
        let len = within.len() as u32;
        if len > MERGE_READ_SCAN {
            return Ok(None);
        }
        self.charge(u64::from(len / SCANNED_A_STEP));
        let sort = crate::machine::sort_of(ty.reg_type());
        let shadowed = self.heap.has_shadow(array);
        let mut runs: Vec<(u32, TermId)> = Vec::new();
        let mut last_bits = None;
        for i in within {
            let offset = i * ty.size();
            if !shadowed {
                let bits = self.load_bits(array, offset, ty);
                if last_bits == Some(bits) {
                    continue;
                }
                last_bits = Some(bits);
                let term = self.pool.constant(sort, bits as u128);
                runs.push((i, term));
            } else {
                let val = self.load(array, offset, ty)?;
                if val.term.is_none() && last_bits == Some(val.bits) {
                    continue;
                }
                last_bits = val.term.is_none().then_some(val.bits);
                let term = self.term(val, sort);
                if runs.last().is_some_and(|(_, last)| *last == term) {
                    continue;
                }
                runs.push((i, term));
            }
            if runs.len() > MERGE_READ_RUNS {
                return Ok(None);
            }
        }
        Ok(Some(runs))
    }

    /// `ite(index < m, left, right)`, balanced over the runs.
    fn decision_tree(&mut self, index: TermId, runs: &[(u32, TermId)]) -> TermId {
        match runs {
            [] => TermId::NONE,
            [(_, term)] => *term,
            _ => {
                let (left, right) = runs.split_at(runs.len() / 2);
                let border = self.pool.bv(32, right[0].0 as u64);
                let below = self.pool.ult(index, border);
                let left = self.decision_tree(index, left);
                let right = self.decision_tree(index, right);
                self.pool.ite(below, left, right)
            }
        }
    }

    /// The sort of a memory cell.
    pub fn cell_sort(ty: MemType) -> Sort {
        match ty {
            MemType::I8 | MemType::U8 => Sort::Bv(8),
            MemType::I16 | MemType::U16 => Sort::Bv(16),
            MemType::I32 | MemType::Ref => Sort::Bv(32),
            MemType::I64 => Sort::Bv(64),
            MemType::F32 => Sort::F32,
            MemType::F64 => Sort::F64,
        }
    }

    /// From a cell's term to a register's.
    fn widen(&mut self, cell: TermId, ty: MemType) -> TermId {
        if cell.is_none() {
            return cell;
        }
        let term = match ty {
            MemType::I8 | MemType::I16 => self.pool.sext(32, cell),
            MemType::U8 | MemType::U16 => self.pool.zext(32, cell),
            MemType::I32 | MemType::I64 | MemType::F32 | MemType::F64 | MemType::Ref => cell,
        };
        self.symbolic(term)
    }

    /// From a register's term to a cell's.
    fn narrow(&mut self, term: TermId, ty: MemType) -> TermId {
        if term.is_none() {
            return term;
        }
        let cell = match ty {
            MemType::I8 | MemType::U8 => self.pool.extract(7, 0, term),
            MemType::I16 | MemType::U16 => self.pool.extract(15, 0, term),
            MemType::I32 | MemType::I64 | MemType::F32 | MemType::F64 | MemType::Ref => term,
        };
        self.symbolic(cell)
    }

    /// The term of a cell, `NONE` if it is concrete.
    ///
    /// Cells never overlap. A regular access of a regular object finds its own cell or none; everything else goes
    /// byte by byte.
    pub fn load_cell(&mut self, object: ObjId, offset: u32, ty: MemType) -> Result<TermId, Stop> {
        let size = ty.size();
        let Some(shadow) = self.heap.shadow(object) else { return Ok(TermId::NONE) };
        match shadow.cells.get(&offset) {
            Some(cell) if cell.size as u32 == size => {
                let term = cell.term;
                self.as_cell_sort(object, offset, term, ty)
            }
            None if !shadow.mixed && self.is_regular(object, offset, size) => {
                let term = self.origin_cell(object, offset)?;
                self.as_cell_sort(object, offset, term, ty)
            }
            _ => self.load_bytes(object, offset, ty),
        }
    }

    /// Whether an access is to one whole element, or to a field.
    fn is_regular(&self, object: ObjId, offset: u32, size: u32) -> bool {
        let elem = self.lang.class_info(self.heap.class(object)).elem;
        elem.is_none_or(|elem| elem.size() == size && offset.is_multiple_of(size))
    }

    /// The term of an element that nobody wrote, if the array is an input; the offset is the element's own.
    fn origin_cell(&mut self, object: ObjId, offset: u32) -> Result<TermId, Stop> {
        let Some(origin) = self.heap.shadow(object).and_then(|s| s.origin) else { return Ok(TermId::NONE) };
        let size = self.lang.class_info(self.heap.class(object)).elem.map_or(1, MemType::size);
        Ok(match origin.view {
            View::Whole => {
                let term = self.inputs.elem(&mut self.pool, origin.input, offset / size);
                match self.pool.sort(term) {
                    Sort::Bool => self.pool.bool_to_bv(8, term),
                    _ => term,
                }
            }
            View::LowBytes { decided } => {
                let plain = self.inputs.elem(&mut self.pool, origin.input, offset);
                let unit = origin.maps.apply(&mut self.pool, plain);
                let border = self.pool.bv(16, 256);
                let narrow = self.pool.ult(plain, border);
                let known = self.trace.elems.len();
                self.assume(narrow)?;
                if offset >= decided && self.trace.elems.len() > known {
                    self.note(Kind::Concretised, "a character of a narrow string is taken to be narrow");
                }
                self.pool.extract(7, 0, unit)
            }
            View::BothBytes => {
                let unit = self.inputs.elem(&mut self.pool, origin.input, offset / 2);
                let unit = origin.maps.apply(&mut self.pool, unit);
                match offset % 2 {
                    0 => self.pool.extract(7, 0, unit),
                    _ => self.pool.extract(15, 8, unit),
                }
            }
        })
    }

    /// A cell that was written as another type of the same size.
    fn as_cell_sort(
        &mut self,
        object: ObjId,
        offset: u32,
        term: TermId,
        ty: MemType,
    ) -> Result<TermId, Stop> {
        if term.is_none() {
            return Ok(term);
        }
        let wanted = Self::cell_sort(ty);
        if self.pool.sort(term) == wanted {
            return Ok(term);
        }
        let bits = self.cell_bits(object, offset, term)?;
        if bits.is_none() {
            return Ok(bits);
        }
        let term = match wanted.float() {
            Some(float) => self.pool.fp_from_bits(float, bits),
            None => bits,
        };
        Ok(self.symbolic(term))
    }

    /// The bits of a cell's term. `NONE` if it is a NaN whose payload terms do not know; then that is decided.
    fn cell_bits(&mut self, object: ObjId, offset: u32, term: TermId) -> Result<TermId, Stop> {
        let (op, ty) = match self.pool.sort(term) {
            Sort::F32 => (ir::Op::F32Bits, MemType::F32),
            Sort::F64 => (ir::Op::F64Bits, MemType::F64),
            _ => return Ok(term),
        };
        let bits = self.load_bits(object, offset, ty);
        Ok(self.float_bits(op, Val { bits, term })?.term)
    }

    /// A cell put together from cells of other sizes, byte by byte, low byte first.
    fn load_bytes(&mut self, object: ObjId, offset: u32, ty: MemType) -> Result<TermId, Stop> {
        let mut whole = TermId::NONE;
        for i in 0..ty.size() {
            let byte = self.byte_term(object, offset + i)?;
            whole = if i == 0 { byte } else { self.pool.concat(byte, whole) };
        }
        let term = match Self::cell_sort(ty).float() {
            Some(float) => self.pool.fp_from_bits(float, whole),
            None => whole,
        };
        Ok(self.symbolic(term))
    }

    /// The term of one byte, a constant if it is concrete.
    fn byte_term(&mut self, object: ObjId, offset: u32) -> Result<TermId, Stop> {
        let (start, term) = match self.covering_cell(object, offset) {
            Some((start, cell)) => (start, cell.term),
            None => {
                let size = self.lang.class_info(self.heap.class(object)).elem.map_or(1, MemType::size);
                let start = offset / size * size;
                (start, self.origin_cell(object, start)?)
            }
        };
        let bits = match term {
            TermId::NONE => TermId::NONE,
            term => self.cell_bits(object, start, term)?,
        };
        if bits.is_none() {
            return Ok(self.pool.bv(8, self.heap.read_u8(object, offset) as u64));
        }
        let low = (offset - start) * 8;
        Ok(self.pool.extract(low + 7, low, bits))
    }

    /// The cell that holds a byte, and where it starts.
    fn covering_cell(&self, object: ObjId, offset: u32) -> Option<(u32, Cell)> {
        let shadow = self.heap.shadow(object)?;
        (offset.saturating_sub(7)..=offset).rev().find_map(|start| {
            let cell = shadow.cells.get(&start)?;
            (start + cell.size as u32 > offset).then_some((start, *cell))
        })
    }

    /// Sets the term of a cell; `NONE` makes it concrete. To be called before the concrete value is written.
    pub fn store_cell(&mut self, object: ObjId, offset: u32, ty: MemType, term: TermId) -> Result<(), Stop> {
        let size = ty.size();
        let regular = self.is_regular(object, offset, size);
        let known = self.heap.shadow(object).map(|s| (s.mixed, s.cells.get(&offset).map(|c| c.size as u32)));
        let fits = |here: Option<u32>| here.is_none_or(|here| here == size);
        if !regular || known.is_some_and(|(mixed, here)| mixed || !fits(here)) {
            self.cut_cells(object, offset, size)?;
        }
        let shadow = self.heap.shadow_mut(object);
        shadow.mixed |= !regular;
        if term.is_some() || shadow.origin.is_some() {
            shadow.cells.insert(offset, Cell { term, size: size as u8 });
        } else {
            shadow.cells.remove(&offset);
        }
        Ok(())
    }

    /// Takes a range out of the cells that overlap it; what remains of them are bytes.
    fn cut_cells(&mut self, object: ObjId, offset: u32, size: u32) -> Result<(), Stop> {
        let mut kept = Vec::new();
        let mut gone = Vec::new();
        for start in offset.saturating_sub(7)..offset + size {
            let Some(cell) = self.heap.shadow(object).and_then(|s| s.cells.get(&start).copied()) else {
                continue;
            };
            let end = start + cell.size as u32;
            if end <= offset {
                continue;
            }
            gone.push(start);
            for at in (start..end).filter(|at| *at < offset || *at >= offset + size) {
                let byte = match cell.term {
                    TermId::NONE => TermId::NONE,
                    _ => self.byte_term(object, at)?,
                };
                kept.push((at, self.symbolic(byte)));
            }
        }
        let shadow = self.heap.shadow_mut(object);
        shadow.mixed |= !kept.is_empty();
        for start in gone {
            shadow.cells.remove(&start);
        }
        for (at, term) in kept {
            shadow.cells.insert(at, Cell { term, size: 1 });
        }
        Ok(())
    }
}
