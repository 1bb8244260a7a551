//! Processes and the environment: there are none.

use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use vm::{ObjId, Val};

natives! {
    "java/lang/ProcessEnvironment" {
        "environ" "()[[B" = environ;
    }
    "java/lang/ProcessHandleImpl" {
        "initNative" "()V" = ignore;
        "getCurrentPid0" "()J" = pid;
        "isAlive0" "(J)J" = pid;
        "parent0" "(JJ)J" = none;
    }
    "java/lang/ProcessImpl" {
        "init" "()V" = ignore;
    }
    "java/lang/ProcessHandleImpl$Info" {
        "initIDs" "()V" = ignore;
        "info0" "(J)V" = ignore;
    }
}

fn environ(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    ref_array(vm, "[B", &[])
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn pid(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(1)
}

fn none(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(-1)
}
