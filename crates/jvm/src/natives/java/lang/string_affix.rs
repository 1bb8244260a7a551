//! `String.startsWith` at an offset, `endsWith` and `equalsIgnoreCase` as one term.

use super::text::{Text, object, truth};
use crate::natives::support::{arg, method};
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use vm::{ElemKind, NativeResult, Val};

natives! {
    "java/lang/String" {
        "startsWith" "(Ljava/lang/String;I)Z" = symbolic starts_with_at;
        "endsWith" "(Ljava/lang/String;)Z" = symbolic ends_with;
        "equalsIgnoreCase" "(Ljava/lang/String;)Z" = symbolic equals_ignore_case;
    }
}

/// Longer strings are not compared as one term.
const MAX_UNITS: u32 = 256;
/// An ending is looked for at so many lengths beyond the shortest at once.
const MORE_LENGTHS: u32 = 2;

/// Only the concrete result is known.
fn too_long(vm: &mut Vmj, holds: bool) -> Res<Val> {
    vm.note(ledger::Kind::Concretised, "comparison of long strings");
    Ok(Val::bool(holds))
}

/// Whether `part` stands in `text` at an offset.
pub(super) fn stands_at(vm: &Vmj, text: &Text, at: u32, part: &Text) -> bool {
    let fits = at as u64 + part.len as u64 <= text.len as u64;
    fits && (0..part.len).all(|i| text.concrete(vm, at + i) == part.concrete(vm, i))
}

fn starts_with_at(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
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
    let (text, mut prefix) = (Text::of(vm, this), Text::of(vm, prefix));
    super::system::decide_value(vm, offset)?;
    let fits = at as i64 + prefix.len as i64 <= text.len as i64;
    let holds = fits && stands_at(vm, &text, at as u32, &prefix);
    if !text.is_symbolic(vm) && !prefix.is_symbolic(vm) {
        return Ok(Val::bool(holds));
    }
    if prefix.len > MAX_UNITS {
        return too_long(vm, holds);
    }
    if !prefix.has_fixed_length() {
        prefix.fix_length(vm)?;
    }
    let end = at as u32 + prefix.len;
    let needed = vm.pool.bv(32, end as u64);
    let length = text.length(vm);
    let long_enough = vm.pool.ule(needed, length);
    if end > 0 && !text.reaches(end - 1) {
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
    let (mut text, mut suffix) = (Text::of(vm, this), Text::of(vm, suffix));
    let holds = suffix.len <= text.len && stands_at(vm, &text, text.len - suffix.len, &suffix);
    if !text.is_symbolic(vm) && !suffix.is_symbolic(vm) {
        return Ok(Val::bool(holds));
    }
    if suffix.len + MORE_LENGTHS > MAX_UNITS || text.len > MAX_UNITS {
        return too_long(vm, holds);
    }
    if !suffix.has_fixed_length() {
        suffix.fix_length(vm)?;
    }
    if !text.is_input() && !text.has_fixed_length() {
        text.fix_length(vm)?;
    }
    // All lengths up to a few more than needed at once; longer strings are another run.
    let most =
        text.len.max(suffix.len + MORE_LENGTHS).min(if text.is_input() { MAX_UNITS } else { text.len });
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
    let (a, b) = (Text::of(vm, this), Text::of(vm, other));
    let ascii = |vm: &Vmj, text: &Text| {
        !text.is_symbolic(vm) && text.len <= MAX_UNITS && (0..text.len).all(|i| text.concrete(vm, i) < 0x80)
    };
    let (plain, free) = match (ascii(vm, &a), ascii(vm, &b)) {
        (true, false) if b.is_symbolic(vm) => (&a, &b),
        (false, true) if a.is_symbolic(vm) => (&b, &a),
        _ => return literal_ignore_case(vm, args, &a, &b),
    };
    if plain.len > MAX_UNITS || plain.len > 0 && !free.reaches(plain.len - 1) {
        return literal_ignore_case(vm, args, &a, &b);
    }
    let (length, wanted) = (free.length(vm), vm.pool.bv(32, plain.len as u64));
    let mut term = vm.pool.eq(length, wanted);
    let mut holds = a.len == b.len;
    for i in 0..plain.len {
        let alike = alike_ignoring_case(plain.concrete(vm, i));
        holds = holds && alike.contains(&free.concrete(vm, i));
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
    let regions = method(vm, "java/lang/String", "regionMatches", "(ZILjava/lang/String;II)Z")?;
    let length = Val { bits: a.len as u64, term: x };
    let length = vm.val(length.bits, length.term);
    let args = vec![arg(args, 0), Val::bool(true), Val::i32(0), arg(args, 1), Val::i32(0), length];
    Ok(NativeResult::Call(regions, args))
}
