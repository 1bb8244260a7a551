//! `java.security`: there is no security manager and nothing is privileged.

use crate::natives::support::*;
use crate::natives::{Res, Row, Vmj, natives};
use crate::world::Jvm;
use vm::{NativeResult, ObjId, Val};

natives! {
    "java/security/AccessController" {
        "getProtectionDomain" "(Ljava/lang/Class;)Ljava/security/ProtectionDomain;" = null;
        "ensureMaterializedForStackWalk" "(Ljava/lang/Object;)V" = ignore;
        "getStackAccessControlContext" "()Ljava/security/AccessControlContext;" = null;
        "getInheritedAccessControlContext" "()Ljava/security/AccessControlContext;" = null;
        "doPrivileged" "(Ljava/security/PrivilegedAction;)Ljava/lang/Object;" = run;
        "doPrivileged" "(Ljava/security/PrivilegedAction;Ljava/security/AccessControlContext;)Ljava/lang/Object;" = run;
        "doPrivileged" "(Ljava/security/PrivilegedExceptionAction;)Ljava/lang/Object;" = run_exception;
        "doPrivileged" "(Ljava/security/PrivilegedExceptionAction;Ljava/security/AccessControlContext;)Ljava/lang/Object;" = run_exception;
    }
}

fn null(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

/// Before Java 12 these are natives. What they run is simply run; a checked exception is not wrapped.
fn run(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    call_run(vm, args, "java/security/PrivilegedAction")
}

fn run_exception(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    call_run(vm, args, "java/security/PrivilegedExceptionAction")
}

fn call_run(vm: &mut Vmj, args: &[Val], of: &str) -> Res<NativeResult<Jvm>> {
    let action = non_null(arg(args, 0))?;
    let func = method(vm, of, "run", "()Ljava/lang/Object;")?;
    let func = select(vm, func, action)?;
    Ok(NativeResult::Call(func, vec![arg(args, 0)]))
}

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![ROWS]
}
