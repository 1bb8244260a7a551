//! `java.lang.Object`.

use crate::link::ClassKind;
use crate::natives::support::{arg, mirror, non_null, throw};
use crate::natives::{Res, Vmj, has_value_identity, natives};
use vm::{ObjId, Val};

natives! {
    "java/lang/Object" {
        "getClass" "()Ljava/lang/Class;" = symbolic get_class;
        "hashCode" "()I" = symbolic hash_code;
        "clone" "()Ljava/lang/Object;" = symbolic clone;
    }
    "java/lang/System" {
        "identityHashCode" "(Ljava/lang/Object;)I" = symbolic identity_hash_code;
    }
}

fn get_class(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    non_null(arg(args, 0))?;
    let class = vm.dispatch_class(arg(args, 0))?;
    mirror(vm, class)
}

fn hash_code(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let object = vm.deref(arg(args, 0))?;
    vm.demand_numbered(object);
    Ok(vm.identity_hash(object) as i32)
}

fn identity_hash_code(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let object = vm.deref(arg(args, 0))?;
    if object.is_null() {
        return Ok(0);
    }
    vm.demand_numbered(object);
    // Where values decide which objects are one, one number for all of them keeps it from telling them apart.
    let class = vm.heap.class(object);
    let object = if has_value_identity(&vm.lang, class) { ObjId(class.0) } else { object };
    Ok(vm.identity_hash(object) as i32)
}

/// A shallow copy, terms and symbolic length included.
fn clone(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let object = vm.deref(arg(args, 0))?;
    let class = vm.heap.class(object);
    let (size, len) = (vm.heap.obj(object).size, vm.heap.len(object));
    match vm.lang.classes[class].kind {
        ClassKind::Array { .. } => {}
        _ if vm.lang.is_subclass(class, vm.lang.known.cloneable) => {}
        _ => {
            let name = vm.lang.classes[class].java_name();
            return Err(throw("java/lang/CloneNotSupportedException", name));
        }
    }
    let copy = match vm.lang.classes[class].is_array() {
        true => vm.new_array(class, len)?,
        false => vm.new_object(class)?,
    };
    vm.heap.copy_bytes(object, 0, copy, 0, size);
    if let Some(shadow) = vm.heap.shadow(object).cloned() {
        *vm.heap.shadow_mut(copy) = shadow;
    }
    Ok(copy)
}
