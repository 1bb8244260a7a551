//! `java.lang.reflect.Array`.

use crate::link::ClassKind;
use crate::natives::boxes::{boxed, fitted, widened};
use crate::natives::support::*;
use crate::natives::{Fail, Res, Vmj, natives};
use crate::world::Jvm;
use ir::{ClassId, MemType};
use vm::{NativeResult, ObjId, Val};

natives! {
    "java/lang/reflect/Array" {
        "getLength" "(Ljava/lang/Object;)I" = symbolic get_length;
        "get" "(Ljava/lang/Object;I)Ljava/lang/Object;" = get;
        "getBoolean" "(Ljava/lang/Object;I)Z" = get_boolean;
        "getByte" "(Ljava/lang/Object;I)B" = get_byte;
        "getChar" "(Ljava/lang/Object;I)C" = get_char;
        "getShort" "(Ljava/lang/Object;I)S" = get_short;
        "getInt" "(Ljava/lang/Object;I)I" = get_int;
        "getLong" "(Ljava/lang/Object;I)J" = get_long;
        "getFloat" "(Ljava/lang/Object;I)F" = get_float;
        "getDouble" "(Ljava/lang/Object;I)D" = get_double;
        "set" "(Ljava/lang/Object;ILjava/lang/Object;)V" = set;
        "setBoolean" "(Ljava/lang/Object;IZ)V" = set_boolean;
        "setByte" "(Ljava/lang/Object;IB)V" = set_byte;
        "setChar" "(Ljava/lang/Object;IC)V" = set_char;
        "setShort" "(Ljava/lang/Object;IS)V" = set_short;
        "setInt" "(Ljava/lang/Object;II)V" = set_int;
        "setLong" "(Ljava/lang/Object;IJ)V" = set_long;
        "setFloat" "(Ljava/lang/Object;IF)V" = set_float;
        "setDouble" "(Ljava/lang/Object;ID)V" = set_double;
        "newArray" "(Ljava/lang/Class;I)Ljava/lang/Object;" = symbolic new_array;
        "multiNewArray" "(Ljava/lang/Class;[I)Ljava/lang/Object;" = multi_new_array;
    }
}

fn not_an_array() -> Fail {
    throw("java/lang/IllegalArgumentException", "Argument is not an array")
}

fn mismatch() -> Fail {
    throw("java/lang/IllegalArgumentException", "argument type mismatch")
}

/// Element class and cell of an array object.
fn elem(vm: &Vmj, array: ObjId) -> Res<(ClassId, MemType)> {
    match vm.lang.classes[vm.heap.class(array)].kind {
        ClassKind::Array { elem, cell } => Ok((elem, cell)),
        _ => Err(not_an_array()),
    }
}

fn get_length(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let array = crate::natives::java::lang::text::object(vm, arg(args, 0), true)?;
    elem(vm, array)?;
    Ok(Val { bits: vm.heap.len(array) as u64, term: vm.heap.len_term(array) })
}

/// Array, element class, cell, byte offset.
fn place(vm: &Vmj, args: &[Val]) -> Res<(ObjId, ClassId, MemType, u32)> {
    let array = non_null(arg(args, 0))?;
    let (class, cell) = elem(vm, array)?;
    let (index, len) = (arg(args, 1).as_i32(), vm.heap.len(array));
    if index < 0 || index as u32 >= len {
        let message = format!("Index {index} out of bounds for length {len}");
        return Err(throw("java/lang/ArrayIndexOutOfBoundsException", message));
    }
    Ok((array, class, cell, index as u32 * cell.size()))
}

fn get(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let (array, class, cell, offset) = place(vm, args)?;
    let val = vm.load(array, offset, cell)?;
    boxed(vm, class, val)
}

fn get_as(vm: &mut Vmj, args: &[Val], primitive: usize) -> Res<Val> {
    let (array, class, cell, offset) = place(vm, args)?;
    let val = vm.load(array, offset, cell)?;
    let wanted = vm.lang.known.primitives[primitive];
    widened(vm, class, wanted, val)?.ok_or_else(mismatch)
}

fn set(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let (array, class, cell, offset) = place(vm, args)?;
    match fitted(vm, arg(args, 2).as_obj(), class)? {
        Some(val) => Ok(vm.store(array, offset, cell, val)?),
        None if cell != MemType::Ref => Err(mismatch()),
        None => Err(throw("java/lang/IllegalArgumentException", "array element type mismatch")),
    }
}

fn set_as(vm: &mut Vmj, args: &[Val], primitive: usize) -> Res<()> {
    let (array, class, cell, offset) = place(vm, args)?;
    let from = vm.lang.known.primitives[primitive];
    match widened(vm, from, class, arg(args, 2))? {
        Some(val) => Ok(vm.store(array, offset, cell, val)?),
        None => Err(mismatch()),
    }
}

macro_rules! accessors {
    ($($get:ident $set:ident $index:literal;)*) => {
        $(
            fn $get(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
                get_as(vm, args, $index)
            }

            fn $set(vm: &mut Vmj, args: &[Val]) -> Res<()> {
                set_as(vm, args, $index)
            }
        )*
    };
}

// The indices are those of `Known::primitives`.
accessors! {
    get_boolean set_boolean 0;
    get_byte set_byte 1;
    get_char set_char 2;
    get_short set_short 3;
    get_int set_int 4;
    get_long set_long 5;
    get_float set_float 6;
    get_double set_double 7;
}

fn negative(len: i32) -> Fail {
    throw("java/lang/NegativeArraySizeException", len.to_string())
}

fn new_array(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let elem = vm.deref(arg(args, 0))?;
    let elem = class_of(vm, elem)?;
    let len = arg(args, 1);
    if len.term.is_some() {
        let zero = vm.pool.bv(32, 0);
        let fits = vm.pool.sle(zero, len.term);
        vm.decide(vm::ElemKind::Check(ir::Check::NegativeSize), fits, len.as_i32() >= 0)?;
    }
    if len.as_i32() < 0 {
        return Err(negative(len.as_i32()));
    }
    if elem == vm.lang.known.void() {
        return Err(throw_plain("java/lang/IllegalArgumentException"));
    }
    let class = vm.lang.array_of(elem);
    let array = vm.new_array(class, len.bits as u32)?;
    if len.term.is_some() {
        vm.heap.shadow_mut(array).len = len.term;
    }
    Ok(array)
}

fn multi_new_array(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let elem = class_of(vm, arg(args, 0).as_obj())?;
    let sizes = non_null(arg(args, 1))?;
    let sizes: Vec<i32> = (0..vm.heap.len(sizes)).map(|i| vm.heap.read_u32(sizes, i * 4) as i32).collect();
    if sizes.is_empty() || elem == vm.lang.known.void() {
        return Err(throw("java/lang/IllegalArgumentException", "Empty dimensions array"));
    }
    if let Some(bad) = sizes.iter().find(|size| **size < 0) {
        return Err(negative(*bad));
    }
    nested(vm, elem, &sizes)
}

fn nested(vm: &mut Vmj, elem: ClassId, sizes: &[i32]) -> Res<ObjId> {
    let class = sizes.iter().fold(elem, |class, _| vm.lang.array_of(class));
    let (Some(first), rest) = (sizes.first(), sizes.get(1..).unwrap_or_default()) else {
        return Ok(ObjId::NULL);
    };
    let array = vm.new_array(class, *first as u32)?;
    if !rest.is_empty() {
        for i in 0..*first as u32 {
            let inner = nested(vm, elem, rest)?;
            vm.heap.write_ref(array, i * 4, inner);
        }
    }
    Ok(array)
}
