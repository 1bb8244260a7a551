//! `java.lang.Thread`, `Object.wait` and `notify`, `LockSupport`: guest threads are fibers, see [`crate::threads`].
//!
//! Threads that the JDK starts for its own housekeeping (reference handling, cleaners) never run, which no program
//! can tell from their being slow. A native that must wait says so and is asked again when it may go on: what it
//! waits for stands in the thread's state.

use crate::natives::support::*;
use crate::natives::{Clock, Res, Saved, Vmj, natives};
use crate::threads::{State, Thread, is_interrupted};
use crate::world::Jvm;
use ir::{Builder, FuncId, Op, Reg, Type};
use ledger::Kind;
use vm::{NativeResult, ObjId, Val};

natives! {
    "java/lang/Thread" {
        "currentThread" "()Ljava/lang/Thread;" = current_thread;
        "currentCarrierThread" "()Ljava/lang/Thread;" = current_thread;
        "setCurrentThread" "(Ljava/lang/Thread;)V" = ignore;
        "yield" "()V" = make_way;
        "yield0" "()V" = make_way;
        "onSpinWait" "()V" = make_way;
        "sleep" "(J)V" = sleep_millis;
        "sleep0" "(J)V" = sleep_millis;
        "sleepNanos0" "(J)V" = sleep_nanos;
        "start0" "()V" = start;
        "isAlive" "()Z" = is_alive;
        "isInterrupted" "(Z)Z" = interrupted_before_14;
        "holdsLock" "(Ljava/lang/Object;)Z" = holds_lock;
        "dumpThreads" "([Ljava/lang/Thread;)[[Ljava/lang/StackTraceElement;" = dump_threads;
        "getThreads" "()[Ljava/lang/Thread;" = get_threads;
        "getStackTrace0" "()Ljava/lang/Object;" = null;
        "setPriority0" "(I)V" = ignore;
        "stop0" "(Ljava/lang/Object;)V" = no_stop;
        "suspend0" "()V" = no_stop;
        "resume0" "()V" = no_stop;
        "interrupt0" "()V" = interrupt;
        "clearInterruptEvent" "()V" = clear_interrupt;
        "setNativeName" "(Ljava/lang/String;)V" = ignore;
        "ensureMaterializedForStackWalk" "(Ljava/lang/Object;)V" = ignore;
        "findScopedValueBindings" "()Ljava/lang/Object;" = null;
        "extentLocalBindings" "()Ljava/lang/Object;" = null;
        "scopedValueCache" "()[Ljava/lang/Object;" = null;
        "setScopedValueCache" "([Ljava/lang/Object;)V" = ignore;
        "getNextThreadIdOffset" "()J" = next_thread_id_offset;
    }
    "java/lang/Object" {
        "notify" "()V" = notify;
        "notifyAll" "()V" = notify_all;
        "wait" "(J)V" = wait;
        "wait0" "(J)V" = wait;
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
    // Called by the function that every thread runs, after all else, and by those that initialise classes.
    "testwright" {
        "endThread" "" = end;
        "beginInit" "" = begin_initialising;
        "endInit" "" = end_initialising;
        "awaitInit" "" = await_initialised;
    }
}

/// More at once are refused, as a machine would.
const MOST: usize = 4000;

/// What a native may do: return nothing, or wait.
type Blocking = Res<NativeResult<Jvm>>;

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

fn no_stop(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Err(throw_plain("java/lang/UnsupportedOperationException"))
}

fn current_thread(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(vm.lang.threads.current().object)
}

/// Whether the flag of a thread object is set (Java 14 and newer).
pub(crate) fn thread_interrupted(vm: &Vmj, thread: ObjId) -> bool {
    get(vm, thread, "interrupted") != 0
}

/// Takes back an interrupt; whether there was one.
fn take_interrupt(vm: &mut Vmj) -> Res<bool> {
    let thread = vm.lang.threads.current().clone();
    let was = is_interrupted(vm, &thread);
    if was {
        vm.lang.threads.current().interrupted = false;
        set(vm, thread.object, "interrupted", Val::bool(false))?;
    }
    Ok(was)
}

fn now(vm: &mut Vmj) -> i64 {
    vm.lang.state::<Saved<Clock>>().nanos
}

/// Nine years. Who waits for longer means for ever, and the clock must not run over.
const FOR_EVER: i64 = 1 << 58;

/// The current thread waits in this state, until the time is over if there is one.
fn block(vm: &mut Vmj, state: State, nanos: Option<i64>) -> Blocking {
    let deadline = nanos.filter(|nanos| *nanos < FOR_EVER).map(|nanos| now(vm).saturating_add(nanos));
    let thread = vm.lang.threads.current();
    thread.state = state;
    thread.deadline = deadline;
    let object = thread.object;
    set_status(vm, object, status_of(state, deadline))?;
    Ok(NativeResult::Block)
}

/// The current thread goes on.
fn go_on(vm: &mut Vmj) -> Blocking {
    let thread = vm.lang.threads.current();
    thread.state = State::Running;
    thread.deadline = None;
    let object = thread.object;
    set_status(vm, object, RUNNABLE)?;
    Ok(NativeResult::Void)
}

fn is_over(vm: &mut Vmj) -> bool {
    let now = now(vm);
    vm.lang.threads.current().deadline.is_some_and(|at| at <= now)
}

/// JVMTI's alive and runnable, which `Thread.getState` reads.
pub(crate) const RUNNABLE: i32 = 5;
const TERMINATED: i32 = 2;

fn status_of(state: State, deadline: Option<i64>) -> i32 {
    let waits = if deadline.is_some() { 0x20 } else { 0x10 };
    match state {
        State::Running | State::Yielding => RUNNABLE,
        State::Entering(_) => 0x401,
        // As HotSpot shows it.
        State::Initialising(_) => RUNNABLE,
        State::Waiting { .. } => 0x181 | waits,
        State::Parked => 0x281 | waits,
        State::Sleeping => 0x41 | waits,
        State::Ended => TERMINATED,
    }
}

/// Up to Java 18 the status is in the thread, then in its holder.
pub(crate) fn set_status(vm: &mut Vmj, thread: ObjId, status: i32) -> Res<()> {
    set_i32(vm, thread, "threadStatus", status)?;
    match get_ref(vm, thread, "holder") {
        none if none.is_null() => Ok(()),
        holder => set_i32(vm, holder, "threadStatus", status),
    }
}

fn make_way(vm: &mut Vmj, _: &[Val]) -> Blocking {
    let state = vm.lang.threads.current().state;
    match state {
        State::Yielding => go_on(vm),
        _ if vm.lang.threads.list.len() == 1 => Ok(NativeResult::Void),
        _ => block(vm, State::Yielding, None),
    }
}

fn sleep_millis(vm: &mut Vmj, args: &[Val]) -> Blocking {
    match arg(args, 0).as_i64() {
        millis if millis < 0 => Err(throw("java/lang/IllegalArgumentException", "timeout value is negative")),
        millis => sleep(vm, millis.saturating_mul(1_000_000)),
    }
}

fn sleep_nanos(vm: &mut Vmj, args: &[Val]) -> Blocking {
    sleep(vm, arg(args, 0).as_i64().max(0))
}

fn sleep(vm: &mut Vmj, nanos: i64) -> Blocking {
    if take_interrupt(vm)? {
        go_on(vm)?;
        return Err(throw("java/lang/InterruptedException", "sleep interrupted"));
    }
    let state = vm.lang.threads.current().state;
    match state {
        State::Sleeping if is_over(vm) => go_on(vm),
        State::Sleeping => Ok(NativeResult::Block),
        _ => block(vm, State::Sleeping, Some(nanos)),
    }
}

fn start(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let thread = arg(args, 0).as_obj();
    let class = vm.lang.classes[vm.heap.class(thread)].name.clone();
    let housekeeping = class.starts_with("java/lang/ref/") || &*class == "jdk/internal/misc/InnocuousThread";
    if !vm.lang.threads.running || housekeeping {
        return Ok(());
    }
    let alive = vm.lang.threads.list.iter().filter(|thread| thread.state != State::Ended).count();
    if alive >= MOST {
        return Err(throw("java/lang/OutOfMemoryError", "unable to create native thread"));
    }
    vm.note(Kind::Schedule, "a thread was started");
    set(vm, thread, "eetop", Val::i64(1))?;
    set_status(vm, thread, RUNNABLE)?;
    let whole = whole_life(&mut vm.lang)?;
    vm.spawn(whole, &[Val::obj(thread)])?;
    vm.lang.threads.list.push(Thread::new(thread));
    Ok(())
}

/// What a thread does: `run`, then what its handler does with an exception, then its own clean-up.
fn whole_life(jvm: &mut Jvm) -> Res<FuncId> {
    const NAME: &str = "the life of a thread";
    let class = jvm.class("java/lang/Thread")?;
    let missing = |what: &str| unsupported("thread", format!("this JDK's Thread has no {what}"));
    let run = jvm.declared(class, "run", "()V").ok_or_else(|| missing("run"))?;
    let dispatch = jvm.declared(class, "dispatchUncaughtException", "(Ljava/lang/Throwable;)V");
    let dispatch = dispatch.ok_or_else(|| missing("dispatchUncaughtException"))?;
    let exit = jvm.declared(class, "exit", "()V").ok_or_else(|| missing("exit"))?;
    let end = jvm.hook("testwright.endThread", &[Type::Ref], None);
    let slot = jvm.funcs[run].slot;
    Ok(jvm.make_func(NAME, |_| {
        let mut b = Builder::new(NAME, &[Type::Ref], None);
        let thread = b.param(0);
        let [body, threw, leave, last] = std::array::from_fn(|_| b.block());
        b.jump(body);
        b.switch_to(body);
        b.set_unwind(body, Some(threw));
        let list = b.list(&[thread]);
        b.effect(Op::CallVirt, slot, list, 0);
        b.jump(leave);
        b.switch_to(threw);
        b.set_unwind(threw, Some(leave));
        let exception = b.value(Type::Ref, Op::Catch, 0, 0, 0);
        b.call(Reg::NONE, dispatch, &[thread, exception]);
        b.jump(leave);
        b.switch_to(leave);
        b.set_unwind(leave, Some(last));
        b.call(Reg::NONE, exit, &[thread]);
        b.jump(last);
        b.switch_to(last);
        b.call(Reg::NONE, end, &[thread]);
        b.ret(None);
        b.finish()
    }))
}

/// The thread is over: whoever joins it may go on.
fn end(vm: &mut Vmj, args: &[Val]) -> Blocking {
    let object = arg(args, 0).as_obj();
    set(vm, object, "eetop", Val::i64(0))?;
    set_status(vm, object, TERMINATED)?;
    vm.lang.threads.current().state = State::Ended;
    vm.lang.threads.notify(object, true);
    Ok(NativeResult::End)
}

fn is_alive(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let thread = vm.lang.threads.find(arg(args, 0).as_obj());
    Ok(thread.is_some_and(|thread| thread.state != State::Ended))
}

fn interrupted_before_14(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let Some(thread) = vm.lang.threads.find(arg(args, 0).as_obj()) else { return Ok(false) };
    let was = thread.interrupted;
    thread.interrupted &= arg(args, 1).bits == 0;
    Ok(was)
}

/// The JDK sets the thread's own flag where it has one; who waits is woken by looking at it.
fn interrupt(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let object = arg(args, 0).as_obj();
    let has_flag = field_of(&vm.lang, vm.heap.class(object), "interrupted").is_some();
    if let Some(thread) = vm.lang.threads.find(object).filter(|_| !has_flag) {
        thread.interrupted = true;
    }
    Ok(())
}

fn clear_interrupt(vm: &mut Vmj, _: &[Val]) -> Res<()> {
    vm.lang.threads.current().interrupted = false;
    Ok(())
}

fn holds_lock(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let object = non_null(arg(args, 0))?;
    Ok(vm.lang.threads.owns(object))
}

fn get_threads(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    let alive = vm.lang.threads.list.iter().filter(|thread| thread.state != State::Ended);
    let alive: Vec<ObjId> = alive.map(|thread| thread.object).collect();
    ref_array(vm, "java/lang/Thread", &alive)
}

fn dump_threads(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let count = refs(vm, arg(args, 0).as_obj()).len();
    ref_array(vm, "[Ljava/lang/StackTraceElement;", &vec![ObjId::NULL; count])
}

/// The offset in `Thread.ThreadIdentifiers` of the next id, as an address for Unsafe: see `unsafe_memory.rs`.
fn next_thread_id_offset(vm: &mut Vmj, _: &[Val]) -> Res<i64> {
    crate::natives::jdk::allocate(vm, 8)
}

// Monitors.

fn owned(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let object = arg(args, 0).as_obj();
    match vm.lang.threads.owns(object) {
        true => Ok(object),
        false => Err(throw("java/lang/IllegalMonitorStateException", "current thread is not owner")),
    }
}

fn notify(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let object = owned(vm, args)?;
    vm.lang.threads.notify(object, false);
    Ok(())
}

fn notify_all(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let object = owned(vm, args)?;
    vm.lang.threads.notify(object, true);
    Ok(())
}

fn wait(vm: &mut Vmj, args: &[Val]) -> Blocking {
    if let State::Waiting { object, count, notified } = vm.lang.threads.current().state {
        let woken = notified || is_over(vm) || {
            let thread = vm.lang.threads.current().clone();
            is_interrupted(vm, &thread)
        };
        if !woken {
            return Ok(NativeResult::Block);
        }
        if !vm.lang.threads.enter(object, count) {
            // Somebody has the monitor: still waiting, and woken.
            vm.lang.threads.current().state = State::Waiting { object, count, notified: true };
            return Ok(NativeResult::Block);
        }
        go_on(vm)?;
        return match !notified && take_interrupt(vm)? {
            true => Err(throw_plain("java/lang/InterruptedException")),
            false => Ok(NativeResult::Void),
        };
    }
    let timeout = arg(args, 1).as_i64();
    if timeout < 0 {
        return Err(throw("java/lang/IllegalArgumentException", "timeout value is negative"));
    }
    let object = owned(vm, args)?;
    if take_interrupt(vm)? {
        return Err(throw_plain("java/lang/InterruptedException"));
    }
    let count = vm.lang.threads.release(object);
    let nanos = (timeout > 0).then(|| timeout.saturating_mul(1_000_000));
    block(vm, State::Waiting { object, count, notified: false }, nanos)
}

// Initialising classes.

fn begin_initialising(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    vm.lang.threads.begin_initialising(arg(args, 0).as_obj());
    Ok(())
}

fn end_initialising(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    vm.lang.threads.end_initialising(arg(args, 0).as_obj());
    Ok(())
}

/// Who comes to a class that another thread is initialising waits; who is initialising it goes on.
fn await_initialised(vm: &mut Vmj, args: &[Val]) -> Blocking {
    let mirror = arg(args, 0).as_obj();
    let threads = &vm.lang.threads;
    if threads.is_initialising_elsewhere(threads.current, mirror) {
        return block(vm, State::Initialising(mirror), None);
    }
    match vm.lang.threads.current().state {
        State::Initialising(_) => go_on(vm),
        _ => Ok(NativeResult::Void),
    }
}

// Parking.

fn park(vm: &mut Vmj, args: &[Val]) -> Blocking {
    let thread = vm.lang.threads.current().clone();
    if thread.permit || is_interrupted(vm, &thread) {
        vm.lang.threads.current().permit = false;
        return go_on(vm);
    }
    if thread.state == State::Parked {
        return if is_over(vm) { go_on(vm) } else { Ok(NativeResult::Block) };
    }
    let (absolute, time) = (arg(args, 1).bits != 0, arg(args, 2).as_i64());
    let nanos = match absolute {
        // Until a wall-clock instant in milliseconds.
        true => {
            let clock = (**vm.lang.state::<Saved<Clock>>()).clone();
            let wall = clock.epoch_millis.saturating_add(clock.nanos / 1_000_000);
            Some(time.saturating_sub(wall).max(0).saturating_mul(1_000_000))
        }
        false if time > 0 => Some(time),
        false if time < 0 => return Ok(NativeResult::Void),
        false => None,
    };
    block(vm, State::Parked, nanos)
}

fn unpark(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    if let Some(thread) = vm.lang.threads.find(arg(args, 1).as_obj()) {
        thread.permit = true;
    }
    Ok(())
}
