//! `java.lang.String` and its helpers.

use crate::link::string_units;
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use vm::{ObjId, Val};

natives! {
    "java/lang/String" {
        "intern" "()Ljava/lang/String;" = intern;
    }
    "java/lang/StringUTF16" {
        "isBigEndian" "()Z" = is_big_endian;
    }
    "java/lang/StringCoding" {
        "err" "(Ljava/lang/String;)V" = ignore;
    }
}

/// The first string of its content is the interned one.
fn intern(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let this = arg(args, 0).as_obj();
    let value = vm.heap.read_ref(this, vm.lang.known.string_value);
    fix_array(vm, value, "text of an interned string")?;
    let units = string_units(vm, this);
    if let Some(object) = vm.lang.objects.interned(&units) {
        return Ok(object);
    }
    vm.lang.objects.set_interned(units.into(), this);
    Ok(this)
}

fn is_big_endian(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}
