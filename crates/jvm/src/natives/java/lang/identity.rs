//! Objects whose identity follows from their values, as far as a test can tell: texts that are written as literals are
//! interned, boxes of small numbers are cached.
//!
//! An input of such a class is an object of its own in the heap. Where the program asks whether it is another object,
//! values answer: `s == "x"` holds of the argument `"x"`. A text that must not be the literal is a copy
//! (`new String("x")`), which a variable of its own, `s.copy`, says. Boxes made of symbolic numbers are objects of their
//! own as well: looking them up in the cache would ask which number it is.

use super::string_compare::equal_texts;
use crate::link::{ClassOrigin, string_units};
use crate::natives::support::*;
use crate::natives::{Fail, Res, Vmj, natives};
use crate::world::Jvm;
use ir::ClassId;
use term::{Sort, TermId};
use vm::{ElemKind, NativeResult, ObjId, Stop, Val};

natives! {
    "java/lang/Boolean" {
        "valueOf" "(Z)Ljava/lang/Boolean;" = symbolic box_boolean;
    }
    "java/lang/Byte" {
        "valueOf" "(B)Ljava/lang/Byte;" = symbolic box_byte;
    }
    "java/lang/Character" {
        "valueOf" "(C)Ljava/lang/Character;" = symbolic box_char;
    }
    "java/lang/Short" {
        "valueOf" "(S)Ljava/lang/Short;" = symbolic box_short;
    }
    "java/lang/Integer" {
        "valueOf" "(I)Ljava/lang/Integer;" = symbolic box_int;
    }
    "java/lang/Long" {
        "valueOf" "(J)Ljava/lang/Long;" = symbolic box_long;
    }
    "java/lang/String" {
        "intern" "()Ljava/lang/String;" = symbolic intern;
    }
}

/// Boxes that are cached, where, and the values that are: the smallest and the largest.
const CACHED: [(&str, &str, i64, i64); 6] = [
    ("java/lang/Boolean", "", 0, 1),
    ("java/lang/Byte", "java/lang/Byte$ByteCache", -128, 127),
    ("java/lang/Character", "java/lang/Character$CharacterCache", 0, 127),
    ("java/lang/Short", "java/lang/Short$ShortCache", -128, 127),
    ("java/lang/Integer", "java/lang/Integer$IntegerCache", -128, 127),
    ("java/lang/Long", "java/lang/Long$LongCache", -128, 127),
];

/// The primitives in them.
const LETTERS: [char; 6] = ['Z', 'B', 'C', 'S', 'I', 'J'];

fn cached(jvm: &Jvm, class: ClassId) -> Option<usize> {
    let name = &*jvm.classes[class].name;
    CACHED.iter().position(|(cached, ..)| *cached == name)
}

/// Whether objects of a class may be told apart by value.
pub(crate) fn has_value_identity(jvm: &Jvm, class: ClassId) -> bool {
    class == jvm.known.string || cached(jvm, class).is_some()
}

/// Whether two objects are one because of their values.
pub(crate) fn same_by_value(vm: &mut Vmj, a: ObjId, b: ObjId) -> Result<Option<Val>, Stop> {
    let class = vm.heap.class(a);
    if vm.heap.class(b) != class || !vm.lang.worlds.is_by_value(a) && !vm.lang.worlds.is_by_value(b) {
        return Ok(None);
    }
    let same = if class == vm.lang.known.string {
        // The library asks for the same object before it compares texts: asking it twice would only double the paths.
        if asked_by_library(vm) || !is_shared_text(vm, a) || !is_shared_text(vm, b) {
            return Ok(None);
        }
        same_text(vm, a, b)
    } else {
        let Some(index) = cached(&vm.lang, class) else { return Ok(None) };
        let (_, _, low, high) = CACHED[index];
        // All values of `Boolean` and `Byte` are.
        let always = index < 2;
        if !always && asked_by_library(vm) || !is_shared_box(vm, a, index) || !is_shared_box(vm, b, index) {
            return Ok(None);
        }
        same_box(vm, a, b, (low, high), always)
    };
    match same {
        Ok(val) => Ok(Some(val)),
        Err(Fail::Stop(stop)) => Err(stop),
        Err(Fail::Raise(_) | Fail::Throw(_)) => Ok(None),
    }
}

/// Parts of the library that are about identity: they ask for the same object and never for an equal one.
const ABOUT_IDENTITY: [&str; 4] =
    ["java/util/IdentityHashMap", "java/util/concurrent/atomic/", "java/lang/invoke/", "java/lang/ref/"];

/// Elsewhere the library asks for the same object to save a call of `equals`.
fn asked_by_library(vm: &Vmj) -> bool {
    let Some(frame) = vm.frames().last() else { return false };
    let class = &vm.lang.classes[vm.lang.funcs[frame.func].class];
    class.origin == ClassOrigin::Library && !ABOUT_IDENTITY.iter().any(|part| class.name.starts_with(part))
}

/// An input, or a text that the program has interned.
fn is_shared_text(vm: &mut Vmj, object: ObjId) -> bool {
    if vm.lang.worlds.is_by_value(object) {
        return true;
    }
    let units = string_units(vm, object);
    vm.lang.objects.interned(&units) == Some(object)
}

/// One made of a symbolic number, an input, or one of the cache's.
fn is_shared_box(vm: &mut Vmj, object: ObjId, index: usize) -> bool {
    if vm.lang.worlds.is_by_value(object) {
        return true;
    }
    let (name, cache, low, high) = CACHED[index];
    let Some((offset, ty)) = field_of(&vm.lang, vm.heap.class(object), "value") else { return false };
    let value = vm.load_bits(object, offset, ty) as u32 as i32 as i64;
    if index == 0 {
        let constant = if value == 0 { "FALSE" } else { "TRUE" };
        return static_object(vm, name, constant) == Some(object);
    }
    if !(low..=high).contains(&value) {
        return false;
    }
    let Some(cached) = static_object(vm, cache, "cache").filter(|cache| !cache.is_null()) else {
        return false;
    };
    let at = (value - low) as u32;
    at < vm.heap.len(cached) && vm.heap.read_ref(cached, at * 4) == object
}

/// What a static field of a class holds, if the class is there.
fn static_object(vm: &mut Vmj, class: &str, field: &str) -> Option<ObjId> {
    let class = vm.lang.loaded(class)?;
    let field = vm.lang.classes[class].fields.iter().find(|f| f.is_static() && &*f.name == field)?;
    let offset = field.offset;
    let statics = <Jvm as vm::Lang>::statics(vm, class).ok()?;
    Some(vm.heap.read_ref(statics, offset))
}

fn same_text(vm: &mut Vmj, a: ObjId, b: ObjId) -> Res<Val> {
    let equal = equal_texts(vm, a, b)?;
    let mut holds = equal.bits != 0;
    let one = vm.pool.bv(32, 1);
    let term = vm.term(equal, Sort::Bv(32));
    let mut term = vm.pool.eq(term, one);
    for object in [a, b] {
        if let Some((copy, bits)) = copy_of(vm, object) {
            let original = vm.pool.not(copy);
            term = vm.pool.and(term, original);
            holds &= bits == 0;
        }
    }
    Ok(vm.val(holds as u64, term))
}

/// The variable that says of an input that it is a copy, and its value in this run.
fn copy_of(vm: &mut Vmj, object: ObjId) -> Option<(TermId, u64)> {
    let name = vm.lang.worlds.copy_name(object)?;
    Some(vm.inputs.scalar(&mut vm.pool, &name, Sort::Bool))
}

fn same_box(vm: &mut Vmj, a: ObjId, b: ObjId, (low, high): (i64, i64), always: bool) -> Res<Val> {
    let class = vm.heap.class(a);
    let Some((offset, ty)) = field_of(&vm.lang, class, "value") else { return Ok(Val::bool(false)) };
    let (x, y) = (vm.load(a, offset, ty)?, vm.load(b, offset, ty)?);
    let (width, value) = match ty {
        ir::MemType::I64 => (64, x.as_i64()),
        _ => (32, x.as_i32() as i64),
    };
    let (tx, ty) = (vm.term(x, Sort::Bv(width)), vm.term(y, Sort::Bv(width)));
    let mut term = vm.pool.eq(tx, ty);
    let mut holds = x.bits == y.bits;
    // A cached one says by itself that the number is small.
    if !(always || x.term.is_none() || y.term.is_none()) {
        let (least, most) = (vm.pool.bv(width, low as u64), vm.pool.bv(width, high as u64));
        let (above, below) = (vm.pool.sle(least, tx), vm.pool.sle(tx, most));
        let small = vm.pool.and(above, below);
        term = vm.pool.and(term, small);
        holds &= (low..=high).contains(&value);
        vm.note(ledger::Kind::Concretised, "large numbers in boxes are taken to be different objects");
    }
    Ok(vm.val(holds as u64, term))
}

fn box_boolean(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    boxed(vm, args, 0)
}

fn box_byte(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    boxed(vm, args, 1)
}

fn box_char(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    boxed(vm, args, 2)
}

fn box_short(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    boxed(vm, args, 3)
}

fn box_int(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    boxed(vm, args, 4)
}

fn box_long(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    boxed(vm, args, 5)
}

/// A symbolic number gets a box of its own; any other the JDK's.
fn boxed(vm: &mut Vmj, args: &[Val], index: usize) -> Res<NativeResult<Jvm>> {
    let val = arg(args, 0);
    let (name, ..) = CACHED[index];
    if val.term.is_none() {
        let body = match vm.lang.box_bodies[index] {
            Some(body) => body,
            None => {
                let func = method(vm, name, "valueOf", &format!("({})L{name};", LETTERS[index]))?;
                let body = crate::lower::literal(&mut vm.lang, func);
                *vm.lang.box_bodies[index].insert(body)
            }
        };
        return Ok(NativeResult::Call(body, vec![val]));
    }
    let class = vm.lang.class(name)?;
    let object = vm.new_object(class)?;
    if let Some((offset, ty)) = field_of(&vm.lang, class, "value") {
        vm.store(object, offset, ty, val)?;
    }
    by_value(vm, object, None);
    Ok(NativeResult::Return(Val::obj(object)))
}

/// From now on the object is what its value is; an input text, of this name, may be a copy.
pub(crate) fn by_value(vm: &mut Vmj, object: ObjId, name: Option<&str>) {
    vm.by_value = true;
    vm.lang.worlds.set_by_value(object, name);
}

/// An input's literal is interned itself; of a copy there is another object that is.
fn intern(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let this = vm.deref(arg(args, 0))?;
    if vm.lang.worlds.is_by_value(this) {
        let Some((copy, bits)) = copy_of(vm, this) else { return Ok(this) };
        let original = vm.pool.not(copy);
        vm.decide(ElemKind::Branch, original, bits == 0)?;
        return if bits == 0 { Ok(this) } else { twin(vm, this) };
    }
    let value = vm.heap.read_ref(this, vm.lang.known.string_value);
    fix_array(vm, value, "text of an interned string")?;
    let units = string_units(vm, this);
    if let Some(object) = vm.lang.objects.interned(&units) {
        return Ok(object);
    }
    // The first string of its content is the interned one.
    vm.lang.objects.set_interned(units.into(), this);
    Ok(this)
}

/// The interned text that is equal to this one.
fn twin(vm: &mut Vmj, text: ObjId) -> Res<ObjId> {
    let class = vm.lang.known.string;
    let twin = vm.new_object(class)?;
    let fields: Vec<_> =
        vm.lang.classes[class].fields.iter().filter(|f| !f.is_static()).map(|f| (f.offset, f.ty)).collect();
    for (offset, ty) in fields {
        let val = vm.load(text, offset, ty)?;
        vm.store(twin, offset, ty, val)?;
    }
    by_value(vm, twin, None);
    Ok(twin)
}
