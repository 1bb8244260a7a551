//! `Unsafe`: offsets, classes, fences.

use super::unsafe_access::BASE;
use crate::link::ClassKind;
use crate::natives::java::lang::field_of_object;
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use vm::{Lang, NativeResult, ObjId, Val};

natives! {
    "jdk/internal/misc/Unsafe" {
        "objectFieldOffset0" "(Ljava/lang/reflect/Field;)J" = field_offset;
        "objectFieldOffset1" "(Ljava/lang/Class;Ljava/lang/String;)J" = named_field_offset;
        "staticFieldOffset0" "(Ljava/lang/reflect/Field;)J" = field_offset;
        "staticFieldBase0" "(Ljava/lang/reflect/Field;)Ljava/lang/Object;" = static_field_base;
        "shouldBeInitialized0" "(Ljava/lang/Class;)Z" = should_be_initialized;
        "ensureClassInitialized0" "(Ljava/lang/Class;)V" = ensure_class_initialized;
        "arrayBaseOffset0" "(Ljava/lang/Class;)I" = array_base_offset;
        "arrayIndexScale0" "(Ljava/lang/Class;)I" = array_index_scale;
        "addressSize0" "()I" = address_size;
        "pageSize" "()I" = page_size;
        "isBigEndian0" "()Z" = no;
        "unalignedAccess0" "()Z" = yes;
        "allocateInstance" "(Ljava/lang/Class;)Ljava/lang/Object;" = allocate_instance;
        "throwException" "(Ljava/lang/Throwable;)V" = throw_exception;
        "loadFence" "()V" = ignore;
        "storeFence" "()V" = ignore;
        "fullFence" "()V" = ignore;
        "writebackPreSync0" "()V" = ignore;
        "writebackPostSync0" "()V" = ignore;
    }
    "sun/misc/Unsafe" {
        "objectFieldOffset" "(Ljava/lang/reflect/Field;)J" = field_offset;
        "staticFieldOffset" "(Ljava/lang/reflect/Field;)J" = field_offset;
        "staticFieldBase" "(Ljava/lang/reflect/Field;)Ljava/lang/Object;" = static_field_base;
        "shouldBeInitialized" "(Ljava/lang/Class;)Z" = should_be_initialized;
        "ensureClassInitialized" "(Ljava/lang/Class;)V" = ensure_class_initialized;
        "arrayBaseOffset" "(Ljava/lang/Class;)I" = array_base_offset;
        "arrayIndexScale" "(Ljava/lang/Class;)I" = array_index_scale;
        "addressSize" "()I" = address_size;
        "pageSize" "()I" = page_size;
        "allocateInstance" "(Ljava/lang/Class;)Ljava/lang/Object;" = allocate_instance;
        "throwException" "(Ljava/lang/Throwable;)V" = throw_exception;
        "loadFence" "()V" = ignore;
        "storeFence" "()V" = ignore;
        "fullFence" "()V" = ignore;
    }
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn no(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn yes(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(true)
}

fn address_size(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(8)
}

fn page_size(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(4096)
}

/// Static fields lie in the mirror, so their offset is theirs there.
fn field_offset(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let (class, index) = field_of_object(vm, non_null(arg(args, 1))?)?;
    let own = &vm.lang.classes[class];
    let field = own.file.as_ref().and_then(|file| file.fields.get(index));
    let info = field.and_then(|field| own.field(&field.name, &field.descriptor));
    match info {
        Some(info) => Ok((info.offset as u64 + BASE) as i64),
        None => Err(throw_plain("java/lang/InternalError")),
    }
}

fn named_field_offset(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let class = class_of(vm, arg(args, 1).as_obj())?;
    let name = text(vm, arg(args, 2).as_obj())?;
    let own = &vm.lang.classes[class];
    match own.fields.iter().find(|field| *field.name == *name) {
        Some(field) => Ok((field.offset as u64 + BASE) as i64),
        None => Err(throw("java/lang/InternalError", name)),
    }
}

fn static_field_base(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let (class, _) = field_of_object(vm, non_null(arg(args, 1))?)?;
    mirror(vm, class)
}

fn should_be_initialized(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let class = class_of(vm, arg(args, 1).as_obj())?;
    Ok(vm.lang.classes[class].kind == ClassKind::Plain && !Jvm::is_initialised(vm, class))
}

fn ensure_class_initialized(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let class = class_of(vm, arg(args, 1).as_obj())?;
    initialised(vm, class, Vec::new(), nothing)
}

fn array_base_offset(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(BASE as i32)
}

fn array_index_scale(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let class = class_of(vm, arg(args, 1).as_obj())?;
    match vm.lang.classes[class].kind {
        ClassKind::Array { cell, .. } => Ok(cell.size() as i32),
        _ => Err(throw_plain("java/lang/InvalidClassException")),
    }
}

fn allocate_instance(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let class = class_of(vm, arg(args, 1).as_obj())?;
    let own = &vm.lang.classes[class];
    if own.kind != ClassKind::Plain
        || own.access & (crate::load::access::ABSTRACT | crate::load::access::INTERFACE) != 0
    {
        return Err(throw("java/lang/InstantiationException", own.java_name()));
    }
    let object = vm.new_object(class)?;
    initialised(vm, class, vec![Val::obj(object)], give_back)
}

fn throw_exception(_: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    Ok(NativeResult::Throw(non_null(arg(args, 1))?))
}
