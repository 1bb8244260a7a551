//! `java.lang.ref`: nothing is ever collected, so references keep what they refer to until they are cleared.

use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use vm::{ObjId, Stop, Val};

natives! {
    "java/lang/ref/Reference" {
        "getAndClearReferencePendingList" "()Ljava/lang/ref/Reference;" = null;
        "hasReferencePendingList" "()Z" = no;
        "waitForReferencePendingList" "()V" = wait;
        "get0" "()Ljava/lang/Object;" = symbolic referent;
        "refersTo0" "(Ljava/lang/Object;)Z" = refers_to;
        "clear0" "()V" = clear;
    }
    "java/lang/ref/PhantomReference" {
        "refersTo0" "(Ljava/lang/Object;)Z" = refers_to;
        "clear0" "()V" = clear;
    }
    "java/lang/ref/Finalizer" {
        "isFinalizationEnabled" "()Z" = no;
        "reportComplete" "(Ljava/lang/Object;)V" = ignore;
        "register" "(Ljava/lang/Object;)V" = ignore;
    }
}

fn null(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

fn no(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

/// Only the reference handler waits, and it never runs.
fn wait(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Err(Stop::Deadlock.into())
}

/// JDK 21.0.13 and later updates: `get` returned the field itself before.
fn referent(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let reference = arg(args, 0);
    match field_of(&vm.lang, vm.heap.class(reference.as_obj()), "referent") {
        Some((offset, ty)) => Ok(vm.load_through(reference, offset, ty)?),
        None => Err(unsupported("field", "java/lang/ref/Reference.referent")),
    }
}

fn refers_to(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    Ok(get_ref(vm, arg(args, 0).as_obj(), "referent") == arg(args, 1).as_obj())
}

fn clear(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    set_ref(vm, arg(args, 0).as_obj(), "referent", ObjId::NULL)
}
