//! What the boot and callers outside runs ask of natives.

use super::java::lang::{RUNNABLE, line, recorded, set_status};
use super::support::{get_ref, set, set_i32, set_static, text};
use super::{Console, Fail, Saved, Vmj};
use vm::{ObjId, Val};

fn reason(fail: Fail) -> String {
    match fail {
        Fail::Stop(stop) => format!("{stop:?}"),
        Fail::Raise(raise) => format!("{raise:?}"),
        Fail::Throw(exception) => format!("an exception, {exception}"),
    }
}

/// Gives the main thread object what its constructor asks of the current thread.
pub(crate) fn prime_thread(vm: &mut Vmj, thread: ObjId) -> Result<(), String> {
    let prime = |vm: &mut Vmj| {
        set_i32(vm, thread, "priority", 5)?;
        set(vm, thread, "eetop", Val::i64(1))
    };
    prime(vm).map_err(reason)
}

/// What the VM tells `Unsafe` of the machine.
pub(crate) fn set_unsafe_constants(vm: &mut Vmj) -> Result<(), String> {
    const CLASS: &str = "jdk/internal/misc/UnsafeConstants";
    let constants = [("ADDRESS_SIZE0", 8), ("PAGE_SIZE", 4096), ("BIG_ENDIAN", 0), ("UNALIGNED_ACCESS", 1)];
    for (name, value) in constants {
        set_static(vm, CLASS, name, Val::i32(value)).map_err(reason)?;
    }
    Ok(())
}

/// The main thread runs.
pub(crate) fn thread_started(vm: &mut Vmj, thread: ObjId) -> Result<(), String> {
    let start = |vm: &mut Vmj| {
        set(vm, thread, "eetop", Val::i64(1))?;
        set_status(vm, thread, RUNNABLE)
    };
    start(vm).map_err(reason)
}

/// From now on user classes belong to this loader and its unnamed module.
pub(crate) fn set_app_loader(vm: &mut Vmj, loader: ObjId) -> Result<(), String> {
    vm.lang.platform.app_loader = Some(loader);
    let module = get_ref(vm, loader, "unnamedModule");
    vm.lang.platform.unnamed_module = (!module.is_null()).then_some(module);
    Ok(())
}

/// Class and message of an exception, for people.
pub fn describe(vm: &mut Vmj, exception: ObjId) -> String {
    let class = vm.lang.classes[vm.heap.class(exception)].java_name();
    let message = get_ref(vm, exception, "detailMessage");
    let mut all = match message.is_null() {
        true => class,
        false => format!("{class}: {}", text(vm, message).unwrap_or_default()),
    };
    let cause = get_ref(vm, exception, "cause");
    if !cause.is_null() && cause != exception {
        all.push_str(", caused by ");
        all.push_str(&describe(vm, cause));
    }
    all
}

/// The frames of an exception, innermost first: `com.acme.Calc.divide:12`.
pub fn stack_trace(vm: &mut Vmj, exception: ObjId) -> Vec<String> {
    let backtrace = get_ref(vm, exception, "backtrace");
    let places = recorded(vm, backtrace);
    places
        .into_iter()
        .map(|place| {
            let func = &vm.lang.funcs[place.func];
            let name = format!("{}.{}", vm.lang.classes[func.class].java_name(), func.name);
            match line(vm, place) {
                line if line > 0 => format!("{name}:{line}"),
                _ => name,
            }
        })
        .collect()
}

/// What the program wrote to standard output and standard error since the run began; nothing if initialisers of classes wrote there as
/// well: that comes in whichever test is the first to use the class, and no test knows whether it is.
pub fn told(vm: &mut Vmj) -> (Vec<u8>, Vec<u8>) {
    let console = vm.lang.state::<Saved<Console>>();
    let told = |all: &Vec<u8>, told: &Vec<u8>| if all.len() == told.len() { all.clone() } else { Vec::new() };
    (told(&console.out, &console.told_out), told(&console.err, &console.told_err))
}

/// What the program wrote to standard output since the run began.
pub fn stdout(vm: &mut Vmj) -> Vec<u8> {
    vm.lang.state::<Saved<Console>>().out.clone()
}

/// What the program wrote to standard error since the run began.
pub fn stderr(vm: &mut Vmj) -> Vec<u8> {
    vm.lang.state::<Saved<Console>>().err.clone()
}
