//! `java.lang.Throwable` and `StackTraceElement`: frames are recorded when a throwable is made, elements when they
//! are looked at.

use crate::link::{Body, ClassOrigin};
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use ir::{ClassId, FuncId};
use vm::{ObjId, Val};

natives! {
    "java/lang/Throwable" {
        "fillInStackTrace" "(I)Ljava/lang/Throwable;" = fill_in_stack_trace;
        "getStackTraceDepth" "()I" = get_stack_trace_depth;
        "getStackTraceElement" "(I)Ljava/lang/StackTraceElement;" = get_stack_trace_element;
    }
    "java/lang/StackTraceElement" {
        "initStackTraceElements" "([Ljava/lang/StackTraceElement;Ljava/lang/Throwable;)V" = init_elements;
        "initStackTraceElements" "([Ljava/lang/StackTraceElement;Ljava/lang/Object;I)V" = init_elements;
        "initStackTraceElement" "(Ljava/lang/StackTraceElement;Ljava/lang/StackFrameInfo;)V" = init_element;
    }
    "java/lang/NullPointerException" {
        "getExtendedNPEMessage" "()Ljava/lang/String;" = extended_message;
    }
    "jdk/internal/reflect/Reflection" {
        "getCallerClass" "()Ljava/lang/Class;" = get_caller_class;
    }
    "sun/reflect/Reflection" {
        "getCallerClass" "()Ljava/lang/Class;" = get_caller_class;
    }
    "java/lang/SecurityManager" {
        "getClassContext" "()[Ljava/lang/Class;" = get_class_context;
    }
}

/// As `-XX:MaxJavaStackTraceDepth`.
const MAX_DEPTH: usize = 1024;

/// A frame of the program: its function, and the index of its instruction.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub func: FuncId,
    pub pc: u32,
}

/// The frames of methods, innermost first; functions that lowering made up are nobody's frames.
pub(crate) fn places(vm: &Vmj) -> impl Iterator<Item = Place> + '_ {
    let frames = vm.frames().iter().rev();
    frames
        .filter(|frame| matches!(vm.lang.funcs[frame.func].body, Body::Method(_)))
        .map(|frame| Place { func: frame.func, pc: frame.pc })
}

/// Keeps the frames in `backtrace`, as an array of longs.
fn fill_in_stack_trace(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let this = arg(args, 0).as_obj();
    let class = vm.heap.class(this);
    let mut inside = true;
    // Who called the first method is nobody's business: in a world with other hashes it is another.
    let caller = match vm.salt {
        0 => None,
        _ => Some(Place { func: method(vm, "java/lang/Thread", "run", "()V")?, pc: 0 }),
    };
    let of_class = |func: FuncId| vm.lang.is_subclass(class, vm.lang.funcs[func].class);
    let kept: Vec<Place> = places(vm)
        .skip_while(|place| &*vm.lang.funcs[place.func].name == "fillInStackTrace")
        .skip_while(|place| {
            inside &= &*vm.lang.funcs[place.func].name == "<init>" && of_class(place.func);
            inside
        })
        .chain(caller)
        .take(MAX_DEPTH)
        .collect();
    let long = vm.lang.known.primitives[5];
    let longs = vm.lang.array_of(long);
    let array = vm.new_array(longs, kept.len() as u32)?;
    for (i, place) in kept.iter().enumerate() {
        vm.heap.write_u64(array, i as u32 * 8, (place.func.0 as u64) << 32 | place.pc as u64);
    }
    set_ref(vm, this, "backtrace", array)?;
    set_i32(vm, this, "depth", kept.len() as i32)?;
    Ok(this)
}

/// The frames that a backtrace holds.
pub(crate) fn recorded(vm: &Vmj, backtrace: ObjId) -> Vec<Place> {
    if backtrace.is_null() || !vm.lang.classes[vm.heap.class(backtrace)].is_array() {
        return Vec::new();
    }
    let words = (0..vm.heap.len(backtrace)).map(|i| vm.heap.read_u64(backtrace, i * 8));
    words.map(|word| Place { func: FuncId((word >> 32) as u32), pc: word as u32 }).collect()
}

fn init_elements(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let elements = refs(vm, arg(args, 0).as_obj());
    let source = non_null(arg(args, 1))?;
    let backtrace = match vm.lang.classes[vm.heap.class(source)].is_array() {
        true => source,
        false => get_ref(vm, source, "backtrace"),
    };
    for (element, place) in elements.into_iter().zip(recorded(vm, backtrace)) {
        fill_element(vm, element, place)?;
    }
    Ok(())
}

/// Before Java 9.
fn get_stack_trace_depth(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let backtrace = get_ref(vm, arg(args, 0).as_obj(), "backtrace");
    Ok(recorded(vm, backtrace).len() as i32)
}

/// Before Java 9.
fn get_stack_trace_element(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let backtrace = get_ref(vm, arg(args, 0).as_obj(), "backtrace");
    let place = recorded(vm, backtrace).get(arg(args, 1).as_i32() as usize).copied();
    let Some(place) = place else { return Err(throw_plain("java/lang/IndexOutOfBoundsException")) };
    let element = new_object(vm, "java/lang/StackTraceElement")?;
    fill_element(vm, element, place)?;
    Ok(element)
}

/// A frame of a stack walk knows its place by its member name; see `stack_walker.rs`.
fn init_element(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let info = non_null(arg(args, 1))?;
    let place = super::stack_walker::place_of(vm, info);
    match place {
        Some(place) => fill_element(vm, arg(args, 0).as_obj(), place),
        None => Ok(()),
    }
}

/// Source line of a place: -1 if unknown, -2 in a native method. The class file says it, not the IR: there, what compilers add has no line,
/// and what was copied from inline functions has the line of the call.
pub(crate) fn line(vm: &mut Vmj, place: Place) -> i32 {
    let position = match vm.lang.ir(place.func) {
        Some(function) => function.positions.get(place.pc as usize).copied(),
        None => return -2,
    };
    let func = &vm.lang.funcs[place.func];
    let code = || {
        let file = vm.lang.classes[func.class].file.as_deref()?;
        file.method(&func.name, &func.descriptor)?.code.as_ref()
    };
    let line = |pc: u16| code().and_then(|code| code.line(pc)).map(i32::from);
    position.and_then(|position| line(u16::try_from(position.offset).ok()?)).unwrap_or(-1)
}

fn fill_element(vm: &mut Vmj, element: ObjId, place: Place) -> Res<()> {
    let func = &vm.lang.funcs[place.func];
    let (class, method) = (func.class, func.name.clone());
    let own = &vm.lang.classes[class];
    let name = own.java_name();
    let source = own.file.as_ref().and_then(|file| file.source_file.clone());
    let user = own.origin != ClassOrigin::Library;
    let name = interned(vm, &name)?;
    set_ref(vm, element, "declaringClass", name)?;
    let method = interned(vm, &method)?;
    set_ref(vm, element, "methodName", method)?;
    let source = match source {
        Some(source) => interned(vm, &source)?,
        None => ObjId::NULL,
    };
    set_ref(vm, element, "fileName", source)?;
    let line = line(vm, place);
    set_i32(vm, element, "lineNumber", line)?;
    let declaring = mirror(vm, class)?;
    set_ref(vm, element, "declaringClassObject", declaring)?;
    set_home(vm, element, class, user)
}

fn set_home(vm: &mut Vmj, element: ObjId, class: ClassId, user: bool) -> Res<()> {
    if vm.lang.path.jdk().feature < 9 {
        return Ok(());
    }
    if user {
        let loader = interned(vm, "app")?;
        return set_ref(vm, element, "classLoaderName", loader);
    }
    let module = vm.lang.module_of(class);
    let module = interned(vm, &module)?;
    set_ref(vm, element, "moduleName", module)?;
    let version = vm.lang.path.jdk().version.clone();
    let version = interned(vm, &version)?;
    set_ref(vm, element, "moduleVersion", version)
}

/// Helpful messages depend on `-g`: there are none. What a program makes of one is not asserted, as it is another in a world
/// with other hashes.
fn extended_message(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    if places(vm).any(|place| vm.lang.funcs[place.func].tracked) {
        vm.note(ledger::Kind::UnsupportedNative, "the message of a NullPointerException");
    }
    match vm.salt {
        0 => Ok(ObjId::NULL),
        _ => interned(vm, "Cannot invoke what is null"),
    }
}

fn is_reflection_frame(vm: &Vmj, func: FuncId) -> bool {
    let func = &vm.lang.funcs[func];
    let class = &*vm.lang.classes[func.class].name;
    (class == "java/lang/reflect/Method" && &*func.name == "invoke")
        || class.starts_with("jdk/internal/reflect/")
        || class.starts_with("sun/reflect/")
}

/// The caller of the method that asks.
fn get_caller_class(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    // The first is the method that asks.
    let caller = places(vm).skip(1).find(|place| !is_reflection_frame(vm, place.func));
    let class = caller.map(|place| vm.lang.funcs[place.func].class);
    class.map_or(Ok(ObjId::NULL), |class| mirror(vm, class))
}

fn get_class_context(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    let classes: Vec<ClassId> = places(vm).map(|place| vm.lang.funcs[place.func].class).collect();
    let mirrors = classes.into_iter().map(|class| mirror(vm, class)).collect::<Res<Vec<_>>>()?;
    ref_array(vm, "java/lang/Class", &mirrors)
}
