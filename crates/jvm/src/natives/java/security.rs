//! `java.security`: there is no security manager and nothing is privileged.

use crate::natives::{Res, Row, Vmj, natives};
use vm::{ObjId, Val};

natives! {
    "java/security/AccessController" {
        "getProtectionDomain" "(Ljava/lang/Class;)Ljava/security/ProtectionDomain;" = null;
        "ensureMaterializedForStackWalk" "(Ljava/lang/Object;)V" = ignore;
        "getStackAccessControlContext" "()Ljava/security/AccessControlContext;" = null;
        "getInheritedAccessControlContext" "()Ljava/security/AccessControlContext;" = null;
    }
}

fn null(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![ROWS]
}
