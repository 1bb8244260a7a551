//! `java.lang.Thread`: there is one guest thread, the main one.
//!
//! Threads that the JDK starts for its own housekeeping (reference handling, cleaners) never run, which no program
//! can tell from their being slow. A thread that the program starts ends the run: we do not support it, and say so.

use crate::natives::support::*;
use crate::natives::{Res, Saved, Vmj, natives};
use vm::{ObjId, Stop, Val};

/// The main thread, and what natives keep for it.
#[derive(Clone, Default)]
pub(crate) struct Threads {
    pub current: u32,
    /// Whether the program runs, as opposed to the JDK's boot.
    pub running: bool,
    /// A permit of `LockSupport.unpark` for the main thread.
    permit: bool,
    scoped_cache: u32,
}

natives! {
    "java/lang/Thread" {
        "currentThread" "()Ljava/lang/Thread;" = current_thread;
        "currentCarrierThread" "()Ljava/lang/Thread;" = current_thread;
        "setCurrentThread" "(Ljava/lang/Thread;)V" = ignore;
        "yield" "()V" = ignore;
        "yield0" "()V" = ignore;
        "sleep" "(J)V" = sleep_millis;
        "sleep0" "(J)V" = sleep_millis;
        "sleepNanos0" "(J)V" = sleep_nanos;
        "start0" "()V" = start;
        "isAlive" "()Z" = is_alive;
        "isInterrupted" "(Z)Z" = is_interrupted;
        "holdsLock" "(Ljava/lang/Object;)Z" = holds_lock;
        "dumpThreads" "([Ljava/lang/Thread;)[[Ljava/lang/StackTraceElement;" = dump_threads;
        "getThreads" "()[Ljava/lang/Thread;" = get_threads;
        "getStackTrace0" "()Ljava/lang/Object;" = null;
        "setPriority0" "(I)V" = ignore;
        "stop0" "(Ljava/lang/Object;)V" = ignore;
        "suspend0" "()V" = ignore;
        "resume0" "()V" = ignore;
        "interrupt0" "()V" = ignore;
        "clearInterruptEvent" "()V" = ignore;
        "setNativeName" "(Ljava/lang/String;)V" = ignore;
        "ensureMaterializedForStackWalk" "(Ljava/lang/Object;)V" = ignore;
        "findScopedValueBindings" "()Ljava/lang/Object;" = null;
        "extentLocalBindings" "()Ljava/lang/Object;" = null;
        "scopedValueCache" "()[Ljava/lang/Object;" = scoped_cache;
        "setScopedValueCache" "([Ljava/lang/Object;)V" = set_scoped_cache;
        "getNextThreadIdOffset" "()J" = next_thread_id_offset;
    }
    "java/lang/VirtualThread" {
        "notifyJvmtiDisableSuspend" "(Z)V" = ignore;
        "notifyJvmtiEnd" "()V" = ignore;
        "notifyJvmtiMount" "(Z)V" = ignore;
        "notifyJvmtiStart" "()V" = ignore;
        "notifyJvmtiUnmount" "(Z)V" = ignore;
        "postPinnedEvent" "(Ljava/lang/String;)V" = ignore;
        "takeVirtualThreadListToUnblock" "()Ljava/lang/VirtualThread;" = null;
    }
    "jdk/internal/vm/ContinuationSupport" {
        "isSupported0" "()Z" = no;
    }
    "jdk/internal/vm/Continuation" {
        "pin" "()V" = ignore;
        "unpin" "()V" = ignore;
        "isPinned0" "(Ljdk/internal/vm/ContinuationScope;)I" = zero;
    }
    "jdk/internal/misc/Unsafe" {
        "park" "(ZJ)V" = park;
        "unpark" "(Ljava/lang/Object;)V" = unpark;
    }
    "sun/misc/Unsafe" {
        "park" "(ZJ)V" = park;
        "unpark" "(Ljava/lang/Object;)V" = unpark;
    }
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn null(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

fn no(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn zero(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(0)
}

fn threads(vm: &mut Vmj) -> &mut Saved<Threads> {
    vm.lang.state()
}

fn current_thread(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId(threads(vm).current))
}

fn sleep_millis(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    match arg(args, 0).as_i64() {
        millis if millis < 0 => Err(throw("java/lang/IllegalArgumentException", "timeout value is negative")),
        millis => {
            super::clock::advance(vm, millis.saturating_mul(1_000_000));
            Ok(())
        }
    }
}

fn sleep_nanos(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    super::clock::advance(vm, arg(args, 0).as_i64().max(0));
    Ok(())
}

fn start(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let thread = arg(args, 0).as_obj();
    let class = vm.lang.classes[vm.heap.class(thread)].name.clone();
    let housekeeping = class.starts_with("java/lang/ref/") || &*class == "jdk/internal/misc/InnocuousThread";
    if !threads(vm).running || housekeeping {
        return Ok(());
    }
    Err(unsupported("thread", format!("start of a {class}")))
}

/// Before Java 17.
fn is_alive(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    Ok(threads(vm).current == arg(args, 0).as_obj().0)
}

/// Before Java 17.
fn is_interrupted(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

/// Monitors are not counted with one thread: who asks holds it.
fn holds_lock(_: &mut Vmj, args: &[Val]) -> Res<bool> {
    non_null(arg(args, 0))?;
    Ok(true)
}

fn get_threads(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    let current = ObjId(threads(vm).current);
    ref_array(vm, "java/lang/Thread", &[current])
}

fn dump_threads(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let count = refs(vm, arg(args, 0).as_obj()).len();
    ref_array(vm, "[Ljava/lang/StackTraceElement;", &vec![ObjId::NULL; count])
}

fn scoped_cache(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId(threads(vm).scoped_cache))
}

fn set_scoped_cache(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    threads(vm).scoped_cache = arg(args, 0).as_obj().0;
    Ok(())
}

/// The offset in `Thread.ThreadIdentifiers` of the next id, as an address for Unsafe: see `unsafe_memory.rs`.
fn next_thread_id_offset(vm: &mut Vmj, _: &[Val]) -> Res<i64> {
    crate::natives::jdk::allocate(vm, 8)
}

fn park(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    if std::mem::take(&mut threads(vm).permit) {
        return Ok(());
    }
    let (absolute, time) = (arg(args, 1).bits != 0, arg(args, 2).as_i64());
    if absolute {
        // Until a wall-clock instant in milliseconds; one second is as good as any.
        super::clock::advance(vm, 1_000_000_000);
    } else if time > 0 {
        super::clock::advance(vm, time);
    } else {
        return Err(Stop::Deadlock.into());
    }
    Ok(())
}

fn unpark(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let thread = arg(args, 1).as_obj().0;
    let threads = threads(vm);
    threads.permit |= threads.current == thread;
    Ok(())
}
