//! `Unsafe`: reads, writes and compare-and-set of fields, elements and memory outside the heap.
//!
//! An offset that `Unsafe` shows is ours plus [`BASE`], as if objects had a header of that size.

use super::unsafe_memory::block_at;
use crate::natives::java::lang::decide_value;
use crate::natives::support::*;
use crate::natives::{Res, Vmj};
use ir::MemType;
use term::Sort;
use vm::{ElemKind, ObjId, Val};

/// What `arrayBaseOffset` says.
pub(crate) const BASE: u64 = 16;

/// A range of bytes inside an object.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub object: ObjId,
    pub offset: u32,
}

/// Where object and offset, or null and an address, point; checked against the object's size.
pub(super) fn resolve(vm: &mut Vmj, object: Val, offset: Val, size: u64) -> Res<Place> {
    decide_value(vm, offset)?;
    let object = vm.deref(object)?;
    let (object, inside) = match object.is_null() {
        true => match block_at(vm, offset.bits) {
            Some(found) => found,
            None => return Err(unsupported("unsafe access", format!("address {:#x}", offset.bits))),
        },
        false => (object, offset.bits.wrapping_sub(BASE)),
    };
    let end = inside.checked_add(size);
    if end.is_none_or(|end| end > vm.heap.obj(object).size as u64) {
        let class = vm.lang.classes[vm.heap.class(object)].name.clone();
        return Err(unsupported("unsafe access", format!("outside a {class} at offset {}", offset.as_i64())));
    }
    Ok(Place { object, offset: inside as u32 })
}

/// The index, possibly symbolic, of an element that an offset points at, if it is one whole element.
fn elem_index(vm: &mut Vmj, object: Val, offset: Val, ty: MemType) -> Res<Option<(ObjId, Val)>> {
    if offset.term.is_none() || object.as_obj().is_null() {
        return Ok(None);
    }
    let array = vm.deref(object)?;
    let size = ty.size();
    if elem_type(vm, array).is_none_or(|elem| elem.size() != size) {
        return Ok(None);
    }
    let inside = offset.bits.wrapping_sub(BASE);
    let (index, rest) = (inside / size as u64, inside % size as u64);
    if rest != 0 || index >= vm.heap.len(array) as u64 {
        return Ok(None);
    }
    let base = vm.pool.bv(64, BASE);
    let shift = vm.pool.bv(64, size.trailing_zeros() as u64);
    let inside = vm.pool.bvsub(offset.term, base);
    let shifted = vm.pool.bvlshr(inside, shift);
    let index_term = vm.pool.extract(31, 0, shifted);
    let index = vm.val(index, index_term);
    // The program computed the offset from an index that it checked; here that is only assumed of this run.
    let len = vm.pool.bv(64, (vm.heap.len(array) as u64) << size.trailing_zeros());
    let bounded = vm.pool.ult(inside, len);
    vm.decide(ElemKind::Which, bounded, true)?;
    Ok(Some((array, index)))
}

fn get(vm: &mut Vmj, args: &[Val], ty: MemType) -> Res<Val> {
    if let Some((array, index)) = elem_index(vm, arg(args, 1), arg(args, 2), ty)? {
        return Ok(vm.load_elem(array, index, ty)?);
    }
    let place = resolve(vm, arg(args, 1), arg(args, 2), ty.size() as u64)?;
    Ok(vm.load(place.object, place.offset, ty)?)
}

fn put(vm: &mut Vmj, args: &[Val], ty: MemType) -> Res<()> {
    if let Some((array, index)) = elem_index(vm, arg(args, 1), arg(args, 2), ty)? {
        vm.store_elem(array, index, ty, arg(args, 3))?;
        return Ok(());
    }
    let place = resolve(vm, arg(args, 1), arg(args, 2), ty.size() as u64)?;
    vm.store(place.object, place.offset, ty, arg(args, 3))?;
    Ok(())
}

/// What lies at an address outside the heap.
pub(crate) fn at_address(vm: &mut Vmj, address: Val, ty: MemType) -> Res<Val> {
    get(vm, &[Val::obj(ObjId::NULL), Val::obj(ObjId::NULL), address], ty)
}

pub(crate) fn put_at_address(vm: &mut Vmj, address: Val, ty: MemType, value: Val) -> Res<()> {
    put(vm, &[Val::obj(ObjId::NULL), Val::obj(ObjId::NULL), address, value], ty)
}

/// Compares and swaps; the old value, and whether it was the expected one. A symbolic comparison is decided here.
fn exchange(vm: &mut Vmj, args: &[Val], ty: MemType) -> Res<(Val, bool)> {
    let place = resolve(vm, arg(args, 1), arg(args, 2), ty.size() as u64)?;
    let (expected, new) = (arg(args, 3), arg(args, 4));
    let old = vm.load(place.object, place.offset, ty)?;
    let mask = if ty.size() == 8 { u64::MAX } else { u32::MAX as u64 };
    let mut same = old.bits & mask == expected.bits & mask;
    if ty == MemType::Ref && vm.by_value {
        let one = vm.same_object(old, expected)?;
        same = one.bits != 0;
        if one.term.is_some() {
            vm.decide(ElemKind::Which, one.term, same)?;
        }
    } else if old.term.is_some() || expected.term.is_some() {
        let sort = if ty.size() == 8 { Sort::Bv(64) } else { Sort::Bv(32) };
        let (a, b) = (vm.term(old, sort), vm.term(expected, sort));
        let condition = vm.pool.eq(a, b);
        vm.decide(ElemKind::Which, condition, same)?;
    }
    if same {
        vm.store(place.object, place.offset, ty, new)?;
    }
    Ok((old, same))
}

macro_rules! accessors {
    ($($get:ident $put:ident $ty:ident;)*) => {
        $(
            fn $get(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
                get(vm, args, MemType::$ty)
            }

            fn $put(vm: &mut Vmj, args: &[Val]) -> Res<()> {
                put(vm, args, MemType::$ty)
            }
        )*
    };
}

accessors! {
    get_boolean put_boolean U8;
    get_byte put_byte I8;
    get_char put_char U16;
    get_short put_short I16;
    get_int put_int I32;
    get_long put_long I64;
    get_float put_float F32;
    get_double put_double F64;
    get_reference put_reference Ref;
}

macro_rules! exchangers {
    ($($set:ident $exchange:ident $ty:ident;)*) => {
        $(
            fn $set(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
                Ok(exchange(vm, args, MemType::$ty)?.1)
            }

            fn $exchange(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
                Ok(exchange(vm, args, MemType::$ty)?.0)
            }
        )*
    };
}

exchangers! {
    set_int exchange_int I32;
    set_long exchange_long I64;
    set_reference exchange_reference Ref;
}

/// With one thread, volatile, opaque and ordered accesses are plain ones.
macro_rules! rows {
    ($class:literal, $reference:literal, [$($name:literal $letter:literal $get:ident $put:ident;)*]) => {
        &[
            $(
                rows!(@row $class, concat!("get", $name), concat!("(Ljava/lang/Object;J)", $letter), $get),
                rows!(@row $class, concat!("get", $name, "Volatile"), concat!("(Ljava/lang/Object;J)", $letter), $get),
                rows!(@row $class, concat!("get", $name, "Acquire"), concat!("(Ljava/lang/Object;J)", $letter), $get),
                rows!(@row $class, concat!("get", $name, "Opaque"), concat!("(Ljava/lang/Object;J)", $letter), $get),
                rows!(@row $class, concat!("put", $name), concat!("(Ljava/lang/Object;J", $letter, ")V"), $put),
                rows!(@row $class, concat!("put", $name, "Volatile"), concat!("(Ljava/lang/Object;J", $letter, ")V"), $put),
                rows!(@row $class, concat!("put", $name, "Release"), concat!("(Ljava/lang/Object;J", $letter, ")V"), $put),
                rows!(@row $class, concat!("put", $name, "Opaque"), concat!("(Ljava/lang/Object;J", $letter, ")V"), $put),
                rows!(@row $class, concat!("putOrdered", $name), concat!("(Ljava/lang/Object;J", $letter, ")V"), $put),
            )*
            rows!(@row $class, concat!("compareAndSet", $reference), "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z", set_reference),
            rows!(@row $class, concat!("compareAndExchange", $reference), "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;", exchange_reference),
            rows!(@row $class, "compareAndSetInt", "(Ljava/lang/Object;JII)Z", set_int),
            rows!(@row $class, "compareAndExchangeInt", "(Ljava/lang/Object;JII)I", exchange_int),
            rows!(@row $class, "compareAndSetLong", "(Ljava/lang/Object;JJJ)Z", set_long),
            rows!(@row $class, "compareAndExchangeLong", "(Ljava/lang/Object;JJJ)J", exchange_long),
            rows!(@row $class, "compareAndSwapObject", "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z", set_reference),
            rows!(@row $class, "compareAndSwapInt", "(Ljava/lang/Object;JII)Z", set_int),
            rows!(@row $class, "compareAndSwapLong", "(Ljava/lang/Object;JJJ)Z", set_long),
        ]
    };
    (@row $class:literal, $name:expr, $descriptor:expr, $function:ident) => {
        $crate::natives::Row {
            class: $class,
            name: $name,
            descriptor: $descriptor,
            native: $crate::natives::native!(symbolic $function),
        }
    };
}

macro_rules! table {
    ($class:literal, $reference:literal) => {
        rows!($class, $reference, [
            "Boolean" "Z" get_boolean put_boolean;
            "Byte" "B" get_byte put_byte;
            "Char" "C" get_char put_char;
            "Short" "S" get_short put_short;
            "Int" "I" get_int put_int;
            "Long" "J" get_long put_long;
            "Float" "F" get_float put_float;
            "Double" "D" get_double put_double;
            "Reference" "Ljava/lang/Object;" get_reference put_reference;
            "Object" "Ljava/lang/Object;" get_reference put_reference;
        ])
    };
}

/// Java 12 and later.
pub(crate) const ROWS: &[crate::natives::Row] = table!("jdk/internal/misc/Unsafe", "Reference");
/// Java 9 to 11, which says `Object`.
pub(crate) const ROWS_11: &[crate::natives::Row] = table!("jdk/internal/misc/Unsafe", "Object");
/// Java 8.
pub(crate) const ROWS_8: &[crate::natives::Row] = table!("sun/misc/Unsafe", "Object");
