//! `toLowerCase`, `toUpperCase` and `replace`: what is made of each character alone, as terms.
//!
//! The JDK looks at one character after the other and decides on each; here the text that comes out has the length of
//! the one that goes in, known or not, and its characters are functions of those.

use super::string_affix::stands_at;
use super::text::{Text, inside};
use crate::natives::support::{arg, get, non_null, own_body};
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use vm::{CharMap, ElemKind, NativeResult, ObjId, Val, View};

natives! {
    "java/lang/StringLatin1" {
        "toLowerCase" "(Ljava/lang/String;[BLjava/util/Locale;)Ljava/lang/String;" = symbolic to_lower_case;
        "toUpperCase" "(Ljava/lang/String;[BLjava/util/Locale;)Ljava/lang/String;" = symbolic to_upper_case;
    }
    "java/lang/String" {
        "replace" "(CC)Ljava/lang/String;" = symbolic replace;
        "replace" "(Ljava/lang/CharSequence;Ljava/lang/CharSequence;)Ljava/lang/String;" = symbolic replace_text;
    }
}

/// Longer texts are left to the JDK's loop.
const MAX_UNITS: u32 = 256;

fn to_lower_case(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    change_case(vm, args, CharMap::Lower, "toLowerCase")
}

fn to_upper_case(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    change_case(vm, args, CharMap::Upper, "toUpperCase")
}

fn change_case(vm: &mut Vmj, args: &[Val], map: CharMap, name: &str) -> Res<NativeResult<Jvm>> {
    non_null(arg(args, 2))?;
    let locale = vm.deref(arg(args, 2))?;
    let this = vm.deref(arg(args, 0))?;
    if !is_special(vm, locale)
        && is_ascii(vm, this)?
        && let Some(mapped) = mapped(vm, this, map)?
    {
        return Ok(NativeResult::Return(Val::obj(mapped)));
    }
    let descriptor = "(Ljava/lang/String;[BLjava/util/Locale;)Ljava/lang/String;";
    own_body(vm, ("java/lang/StringLatin1", name, descriptor), args)
}

/// Languages in which letters of ASCII have other counterparts.
fn is_special(vm: &mut Vmj, locale: ObjId) -> bool {
    let base = ObjId(get(vm, locale, "baseLocale") as u32);
    if base.is_null() {
        return true;
    }
    let language = ObjId(get(vm, base, "language") as u32);
    let units = if language.is_null() { Vec::new() } else { crate::link::string_units(vm, language) };
    ["tr", "az", "lt"].iter().any(|special| special.encode_utf16().eq(units.iter().copied()))
}

/// Whether a symbolic text has ASCII characters only, as one decision.
fn is_ascii(vm: &mut Vmj, string: ObjId) -> Res<bool> {
    let text = Text::of(vm, string);
    if !text.is_symbolic(vm) || text.len > MAX_UNITS {
        return Ok(false);
    }
    let mut term = vm.pool.bool(true);
    let border = vm.pool.bv(16, 0x80);
    for index in 0..text.len {
        let unit = text.unit(vm, index)?;
        let plain = vm.pool.ult(unit, border);
        term = vm.pool.and(term, plain);
    }
    let holds = (0..text.len).all(|index| text.concrete(vm, index) < 0x80);
    vm.decide(ElemKind::Which, term, holds)?;
    Ok(holds)
}

fn replace(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let (from, to) = (arg(args, 1), arg(args, 2));
    let this = vm.deref(arg(args, 0))?;
    let plain = from.term.is_none() && to.term.is_none() && from.bits < 0x100 && to.bits < 0x100;
    if plain && from.bits != to.bits {
        let text = Text::of(vm, this);
        if text.is_symbolic(vm) && text.len <= MAX_UNITS {
            let map = CharMap::Replace(from.bits as u16, to.bits as u16);
            if let Some(mapped) = mapped(vm, this, map)? {
                return Ok(NativeResult::Return(Val::obj(mapped)));
            }
        }
    }
    own_body(vm, ("java/lang/String", "replace", "(CC)Ljava/lang/String;"), args)
}

const REPLACE_TEXT: &str = "(Ljava/lang/CharSequence;Ljava/lang/CharSequence;)Ljava/lang/String;";

/// Where nothing is to be replaced the text stays as it is, its length too, by one decision; otherwise the JDK looks for
/// the places.
fn replace_text(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    if lacks(vm, args)? {
        return Ok(NativeResult::Return(arg(args, 0)));
    }
    own_body(vm, ("java/lang/String", "replace", REPLACE_TEXT), args)
}

/// Whether a symbolic text is decided not to have a plain one in it.
fn lacks(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let (target, with) = (arg(args, 1), arg(args, 2));
    let plain = |val: Val| val.term.is_none() && val.bits != 0;
    if !plain(target) || !plain(with) {
        return Ok(false);
    }
    let is_text = |object: ObjId| vm.heap.class(object) == vm.lang.known.string;
    if !is_text(target.as_obj()) || !is_text(with.as_obj()) {
        return Ok(false);
    }
    let this = vm.deref(arg(args, 0))?;
    let (mut text, target) = (Text::of(vm, this), Text::of(vm, target.as_obj()));
    // One character for another is said for each of them.
    let one = target.len == 1 && Text::of(vm, with.as_obj()).len == 1;
    if one || target.len == 0 || target.is_symbolic(vm) || !text.is_symbolic(vm) || text.len > MAX_UNITS {
        return Ok(false);
    }
    let bound = text.bound(vm)?;
    let length = text.length(vm);
    let mut term = vm.pool.bool(true);
    for at in 0..(bound + 1).saturating_sub(target.len) {
        let mut here = inside(vm, at + target.len - 1, length);
        for i in 0..target.len {
            let (unit, wanted) = (text.unit(vm, at + i)?, target.unit(vm, i)?);
            let same = vm.pool.eq(unit, wanted);
            here = vm.pool.and(here, same);
        }
        let elsewhere = vm.pool.not(here);
        term = vm.pool.and(term, elsewhere);
    }
    let lacks = (0..text.len).all(|at| !stands_at(vm, &text, at, &target));
    vm.decide(ElemKind::Branch, term, lacks)?;
    Ok(lacks)
}

/// A new text with something made of each character; `None` where that cannot be said in terms. It is an object of its
/// own even where the JDK finds nothing to change and returns the same one.
fn mapped(vm: &mut Vmj, string: ObjId, map: CharMap) -> Res<Option<ObjId>> {
    let known = &vm.lang.known;
    let (value_at, Some(coder_at)) = (known.string_value, known.string_coder) else { return Ok(None) };
    if vm.heap.read_u8(string, coder_at) != 0 {
        return Ok(None);
    }
    let value = vm.heap.read_ref(string, value_at);
    let Some(mut shadow) = vm.heap.shadow(value).cloned() else { return Ok(None) };
    if shadow.mixed {
        return Ok(None);
    }
    if let Some(origin) = &mut shadow.origin {
        let Some(maps) = origin.maps.then(map).filter(|_| matches!(origin.view, View::LowBytes { .. }))
        else {
            return Ok(None);
        };
        origin.maps = maps;
    }
    for cell in shadow.cells.values_mut().filter(|cell| cell.term.is_some()) {
        if cell.size != 1 {
            return Ok(None);
        }
        let unit = vm.pool.zext(16, cell.term);
        let changed = map.apply(&mut vm.pool, unit);
        cell.term = vm.pool.extract(7, 0, changed);
    }
    let (class, len) = (vm.heap.class(value), vm.heap.len(value));
    let bytes: Vec<u8> = vm.heap.bytes(value).iter().map(|b| map.unit(*b as u16) as u8).collect();
    let copy = vm.new_array(class, len)?;
    vm.heap.bytes_mut(copy).copy_from_slice(&bytes);
    *vm.heap.shadow_mut(copy) = shadow;
    let result = vm.new_object(vm.lang.known.string)?;
    vm.heap.write_ref(result, value_at, copy);
    vm.heap.write_u8(result, coder_at, 0);
    Ok(Some(result))
}
