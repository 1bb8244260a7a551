//! Comparisons of strings as one term instead of one branch a character.
//!
//! Run literally, `equals`, `startsWith` and `endsWith` branch once a character and drown the search. Here the
//! result is a term over lengths and units, and the program branches on it once. Without symbolic values the
//! bytes are compared as the JDK does.

use crate::natives::support::{arg, null_pointer};
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use ir::{Check, MemType};
use term::{Sort, TermId};
use vm::{ElemKind, InputId, NativeResult, ObjId, Val};

natives! {
    "java/lang/String" {
        "equals" "(Ljava/lang/Object;)Z" = symbolic equals;
        "startsWith" "(Ljava/lang/String;I)Z" = symbolic starts_with;
        "endsWith" "(Ljava/lang/String;)Z" = symbolic ends_with;
        "equalsIgnoreCase" "(Ljava/lang/String;)Z" = symbolic equals_ignore_case;
    }
}

/// Longer strings are not compared as one term.
const MAX_UNITS: u32 = 256;
/// An ending is looked for at so many lengths beyond the shortest at once.
const MORE_LENGTHS: u32 = 2;

/// A string as the terms see it.
pub(super) struct Text {
    pub len: u32,
    /// `NONE` if the length is concrete.
    len_term: TermId,
    /// The array, and how many bytes a unit takes there.
    value: ObjId,
    wide: bool,
    /// An untouched input: its units can be named beyond the length of this run.
    pub input: Option<InputId>,
    pub symbolic: bool,
}

impl Text {
    pub fn read(vm: &Vmj, string: ObjId) -> Text {
        let value = vm.heap.read_ref(string, vm.lang.known.string_value);
        let wide = match vm.lang.known.string_coder {
            Some(coder) => vm.heap.read_u8(string, coder) != 0,
            // Before Java 9 the array holds units.
            None => false,
        };
        let bytes = vm.heap.len(value);
        let len = if wide { bytes / 2 } else { bytes };
        let shadow = vm.heap.shadow(value);
        let origin = shadow.filter(|s| s.cells.is_empty()).and_then(|s| s.origin);
        // A whole view of 16-bit elements is the array of Java 8; other whole views are bytes of their own.
        let input = origin.map(|o| o.input).filter(|input| vm.inputs.get(*input).elem == Sort::Bv(16));
        let symbolic = shadow.is_some();
        let len_term = shadow.map_or(TermId::NONE, |s| s.len);
        Text { len, len_term, value, wide, input, symbolic }
    }

    /// The length in units as a term.
    pub fn length(&self, vm: &mut Vmj) -> TermId {
        if let Some(input) = self.input {
            return vm.inputs.get(input).len;
        }
        match self.len_term {
            TermId::NONE => vm.pool.bv(32, self.len as u64),
            term if self.wide => {
                let one = vm.pool.bv(32, 1);
                vm.pool.bvlshr(term, one)
            }
            term => term,
        }
    }

    pub fn has_fixed_length(&self) -> bool {
        self.len_term.is_none()
    }

    /// A unit as a 16-bit term. Beyond the length of this run only for inputs.
    pub fn unit(&self, vm: &mut Vmj, index: u32) -> Res<TermId> {
        if let Some(input) = self.input {
            return Ok(vm.inputs.elem(&mut vm.pool, input, index));
        }
        let unit_array = vm.lang.known.string_coder.is_none();
        if self.wide || unit_array {
            let val = vm.load(self.value, index * 2, MemType::U16)?;
            let term = vm.term(val, Sort::Bv(32));
            return Ok(vm.pool.extract(15, 0, term));
        }
        let val = vm.load(self.value, index, MemType::U8)?;
        let term = vm.term(val, Sort::Bv(32));
        Ok(vm.pool.extract(15, 0, term))
    }

    /// How many units can be named.
    fn reach(&self) -> u32 {
        if self.input.is_some() { MAX_UNITS } else { self.len }
    }

    /// Fixes the length to the one of this run by a decision that can be flipped.
    pub fn pick_length(&self, vm: &mut Vmj) -> Res<()> {
        let (length, here) = (self.length(vm), vm.pool.bv(32, self.len as u64));
        let same = vm.pool.eq(length, here);
        Ok(vm.decide(ElemKind::Which, same, true)?)
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

/// Only the concrete result is known.
fn too_long(vm: &mut Vmj, holds: bool) -> Res<Val> {
    vm.note(ledger::Kind::Concretised, "comparison of long strings");
    Ok(Val::bool(holds))
}

fn truth(vm: &mut Vmj, holds: bool, term: TermId) -> Val {
    let term = vm.pool.bool_to_bv(32, term);
    vm.val(holds as u64, term)
}

fn equals(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let this = object(vm, arg(args, 0), true)?;
    let other = object(vm, arg(args, 1), false)?;
    if other.is_null() {
        return Ok(Val::bool(false));
    }
    if this == other {
        return Ok(Val::bool(true));
    }
    if vm.heap.class(other) != vm.lang.known.string {
        return Ok(Val::bool(false));
    }
    let (a, b) = (Text::read(vm, this), Text::read(vm, other));
    let holds = a.len == b.len && same_units(vm, &a, 0, &b);
    if !a.symbolic && !b.symbolic {
        return Ok(Val::bool(holds));
    }
    // The side with the fixed length says how many units matter.
    let (fixed, free) = if a.has_fixed_length() { (&a, &b) } else { (&b, &a) };
    if !fixed.has_fixed_length() || fixed.len > free.reach() || fixed.len > MAX_UNITS {
        let (x, y) = (a.length(vm), b.length(vm));
        let same = vm.pool.eq(x, y);
        vm.decide(ElemKind::Branch, same, a.len == b.len)?;
        if a.len != b.len {
            return Ok(Val::bool(false));
        }
        a.pick_length(vm)?;
        if a.len > MAX_UNITS {
            return too_long(vm, holds);
        }
    }
    let (x, y) = (a.length(vm), b.length(vm));
    let mut term = vm.pool.eq(x, y);
    for i in 0..fixed.len {
        let (x, y) = (a.unit(vm, i)?, b.unit(vm, i)?);
        let same = vm.pool.eq(x, y);
        term = vm.pool.and(term, same);
    }
    Ok(truth(vm, holds, term))
}

fn starts_with(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let this = object(vm, arg(args, 0), true)?;
    let offset = arg(args, 2);
    let at = offset.as_i32();
    if offset.term.is_some() {
        let zero = vm.pool.bv(32, 0);
        let negative = vm.pool.slt(offset.term, zero);
        vm.decide(ElemKind::Branch, negative, at < 0)?;
    }
    if at < 0 {
        // The JDK does not look at the prefix then, not even whether it is null.
        return Ok(Val::bool(false));
    }
    let prefix = object(vm, arg(args, 1), true)?;
    let (text, prefix) = (Text::read(vm, this), Text::read(vm, prefix));
    super::system::decide_value(vm, offset)?;
    let fits = at as i64 + prefix.len as i64 <= text.len as i64;
    let holds = fits && same_units(vm, &text, at as u32, &prefix);
    if !text.symbolic && !prefix.symbolic {
        return Ok(Val::bool(holds));
    }
    if prefix.len > MAX_UNITS {
        return too_long(vm, holds);
    }
    if !prefix.has_fixed_length() {
        prefix.pick_length(vm)?;
    }
    let end = at as u32 + prefix.len;
    let needed = vm.pool.bv(32, end as u64);
    let length = text.length(vm);
    let long_enough = vm.pool.ule(needed, length);
    if end > text.reach() {
        vm.decide(ElemKind::Branch, long_enough, fits)?;
        if !fits {
            return Ok(Val::bool(false));
        }
    }
    let mut term = long_enough;
    for i in 0..prefix.len {
        let (x, y) = (text.unit(vm, at as u32 + i)?, prefix.unit(vm, i)?);
        let same = vm.pool.eq(x, y);
        term = vm.pool.and(term, same);
    }
    Ok(truth(vm, holds, term))
}

fn ends_with(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let this = object(vm, arg(args, 0), true)?;
    let suffix = object(vm, arg(args, 1), true)?;
    let (text, suffix) = (Text::read(vm, this), Text::read(vm, suffix));
    let holds = suffix.len <= text.len && same_units(vm, &text, text.len - suffix.len, &suffix);
    if !text.symbolic && !suffix.symbolic {
        return Ok(Val::bool(holds));
    }
    if suffix.len + MORE_LENGTHS > MAX_UNITS || text.len > MAX_UNITS {
        return too_long(vm, holds);
    }
    if !suffix.has_fixed_length() {
        suffix.pick_length(vm)?;
    }
    if text.input.is_none() && !text.has_fixed_length() {
        text.pick_length(vm)?;
    }
    // All lengths up to a few more than needed at once; longer strings are another run.
    let most =
        text.len.max(suffix.len + MORE_LENGTHS).min(if text.input.is_some() { MAX_UNITS } else { text.len });
    let length = text.length(vm);
    let bound = vm.pool.bv(32, most as u64);
    let bounded = vm.pool.ule(length, bound);
    vm.decide(ElemKind::Which, bounded, true)?;
    let mut term = vm.pool.bool(false);
    for n in suffix.len..=most {
        let here = vm.pool.bv(32, n as u64);
        let mut case = vm.pool.eq(length, here);
        for i in 0..suffix.len {
            let (x, y) = (text.unit(vm, n - suffix.len + i)?, suffix.unit(vm, i)?);
            let same = vm.pool.eq(x, y);
            case = vm.pool.and(case, same);
        }
        term = vm.pool.or(term, case);
    }
    Ok(truth(vm, holds, term))
}

/// Against an ASCII text of fixed length as one term; otherwise by the JDK's own comparison of regions.
fn equals_ignore_case(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let this = object(vm, arg(args, 0), true)?;
    let other = object(vm, arg(args, 1), false)?;
    if other.is_null() || this == other {
        return Ok(NativeResult::Return(Val::bool(!other.is_null())));
    }
    let (a, b) = (Text::read(vm, this), Text::read(vm, other));
    let ascii = |vm: &Vmj, text: &Text| {
        !text.symbolic && text.len <= MAX_UNITS && (0..text.len).all(|i| concrete_unit(vm, text, i) < 0x80)
    };
    let (plain, free) = match (ascii(vm, &a), ascii(vm, &b)) {
        (true, false) if b.symbolic => (&a, &b),
        (false, true) if a.symbolic => (&b, &a),
        _ => return literal_ignore_case(vm, args, &a, &b),
    };
    if plain.len > free.reach() {
        return literal_ignore_case(vm, args, &a, &b);
    }
    let (length, wanted) = (free.length(vm), vm.pool.bv(32, plain.len as u64));
    let mut term = vm.pool.eq(length, wanted);
    let mut holds = a.len == b.len;
    for i in 0..plain.len {
        let alike = alike_ignoring_case(concrete_unit(vm, plain, i));
        holds = holds && alike.contains(&concrete_unit(vm, free, i));
        let unit = free.unit(vm, i)?;
        let mut any = vm.pool.bool(false);
        for one in alike {
            let one = vm.pool.bv(16, one as u64);
            let same = vm.pool.eq(unit, one);
            any = vm.pool.or(any, same);
        }
        term = vm.pool.and(term, any);
    }
    Ok(NativeResult::Return(truth(vm, holds, term)))
}

/// The units that `equalsIgnoreCase` takes for the same as an ASCII one: their upper cases, or the lower cases of
/// those, are the same. Beyond ASCII that are the Kelvin sign, the long s and the two other forms of i.
fn alike_ignoring_case(unit: u16) -> Vec<u16> {
    let c = char::from(unit as u8);
    let mut alike = vec![c.to_ascii_lowercase() as u16];
    if c.is_ascii_alphabetic() {
        alike.push(c.to_ascii_uppercase() as u16);
    }
    match c.to_ascii_lowercase() {
        'k' => alike.push(0x212a),
        's' => alike.push(0x017f),
        'i' => alike.extend([0x0130, 0x0131]),
        _ => {}
    }
    alike
}

fn literal_ignore_case(vm: &mut Vmj, args: &[Val], a: &Text, b: &Text) -> Res<NativeResult<Jvm>> {
    let (x, y) = (a.length(vm), b.length(vm));
    let same = vm.pool.eq(x, y);
    vm.decide(ElemKind::Branch, same, a.len == b.len)?;
    if a.len != b.len {
        return Ok(NativeResult::Return(Val::bool(false)));
    }
    let regions = vm.lang.method(vm.lang.known.string, "regionMatches", "(ZILjava/lang/String;II)Z")?;
    let length = Val { bits: a.len as u64, term: x };
    let length = vm.val(length.bits, length.term);
    let args = vec![arg(args, 0), Val::bool(true), Val::i32(0), arg(args, 1), Val::i32(0), length];
    Ok(NativeResult::Call(regions, args))
}

/// Whether `part` stands in `text` at an offset.
fn same_units(vm: &Vmj, text: &Text, at: u32, part: &Text) -> bool {
    let fits = at as u64 + part.len as u64 <= text.len as u64;
    if fits && text.wide == part.wide && vm.lang.known.string_coder.is_some() {
        let size = if text.wide { 2 } else { 1 };
        let (from, to) = ((at * size) as usize, ((at + part.len) * size) as usize);
        return vm.heap.bytes(text.value).get(from..to) == Some(vm.heap.bytes(part.value));
    }
    fits && (0..part.len).all(|i| concrete_unit(vm, text, at + i) == concrete_unit(vm, part, i))
}

pub(super) fn concrete_unit(vm: &Vmj, text: &Text, index: u32) -> u16 {
    match text.wide || vm.lang.known.string_coder.is_none() {
        true => vm.heap.read_u16(text.value, index * 2),
        false => vm.heap.read_u8(text.value, index) as u16,
    }
}
