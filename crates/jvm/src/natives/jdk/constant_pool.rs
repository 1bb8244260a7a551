//! `jdk.internal.reflect.ConstantPool`: what the JDK's annotation parser reads.

use crate::load::{ClassFile, Malformed};
use crate::natives::support::*;
use crate::natives::{Fail, Res, Vmj, natives};
use std::sync::Arc;
use vm::{ObjId, Val};

natives! {
    "jdk/internal/reflect/ConstantPool" {
        "getSize0" "(Ljava/lang/Object;)I" = size;
        "getClassAt0" "(Ljava/lang/Object;I)Ljava/lang/Class;" = class_at;
        "getClassAtIfLoaded0" "(Ljava/lang/Object;I)Ljava/lang/Class;" = class_at;
        "getIntAt0" "(Ljava/lang/Object;I)I" = int_at;
        "getLongAt0" "(Ljava/lang/Object;I)J" = long_at;
        "getFloatAt0" "(Ljava/lang/Object;I)F" = float_at;
        "getDoubleAt0" "(Ljava/lang/Object;I)D" = double_at;
        "getStringAt0" "(Ljava/lang/Object;I)Ljava/lang/String;" = string_at;
        "getUTF8At0" "(Ljava/lang/Object;I)Ljava/lang/String;" = utf8_at;
    }
    "sun/reflect/ConstantPool" {
        "getSize0" "(Ljava/lang/Object;)I" = size;
        "getClassAt0" "(Ljava/lang/Object;I)Ljava/lang/Class;" = class_at;
        "getIntAt0" "(Ljava/lang/Object;I)I" = int_at;
        "getLongAt0" "(Ljava/lang/Object;I)J" = long_at;
        "getFloatAt0" "(Ljava/lang/Object;I)F" = float_at;
        "getDoubleAt0" "(Ljava/lang/Object;I)D" = double_at;
        "getStringAt0" "(Ljava/lang/Object;I)Ljava/lang/String;" = string_at;
        "getUTF8At0" "(Ljava/lang/Object;I)Ljava/lang/String;" = utf8_at;
    }
}

impl From<Malformed> for Fail {
    fn from(_: Malformed) -> Fail {
        throw("java/lang/IllegalArgumentException", "Wrong type at constant pool index")
    }
}

/// The class file behind the pool object, and the index asked for.
fn at(vm: &Vmj, args: &[Val]) -> Res<(Arc<ClassFile>, u16)> {
    let class = class_of(vm, arg(args, 1).as_obj())?;
    let file = vm.lang.classes[class].file.clone();
    let index = u16::try_from(arg(args, 2).as_i32());
    match (file, index) {
        (Some(file), Ok(index)) => Ok((file, index)),
        _ => Err(throw("java/lang/IllegalArgumentException", "Constant pool index out of bounds")),
    }
}

fn size(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let (file, _) = at(vm, &[arg(args, 0), arg(args, 1), Val::ZERO])?;
    Ok(file.pool.len() as i32)
}

fn class_at(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let (file, index) = at(vm, args)?;
    let class = find_class(vm, file.pool.class(index)?)?;
    mirror(vm, class)
}

fn int_at(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let (file, index) = at(vm, args)?;
    Ok(file.pool.int(index)?)
}

fn long_at(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let (file, index) = at(vm, args)?;
    Ok(file.pool.long(index)?)
}

fn float_at(vm: &mut Vmj, args: &[Val]) -> Res<f32> {
    let (file, index) = at(vm, args)?;
    Ok(file.pool.float(index)?)
}

fn double_at(vm: &mut Vmj, args: &[Val]) -> Res<f64> {
    let (file, index) = at(vm, args)?;
    Ok(file.pool.double(index)?)
}

fn string_at(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let (file, index) = at(vm, args)?;
    Ok(crate::link::intern(vm, &file.pool.string(index)?)?)
}

fn utf8_at(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let (file, index) = at(vm, args)?;
    Ok(crate::link::intern(vm, &file.pool.utf16(index)?)?)
}
