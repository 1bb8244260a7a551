//! Which exception a failure is, and functions that make it.

use ir::{Builder, Check, ClassId, FuncId, Function, Op, Reg, Type};
use vm::{ObjId, Raise, Stop, Val, Vm};

use super::class::{ClassKind, ClassOrigin};
use super::strings::new_string;
use crate::world::Jvm;

/// Kinds of things we do not support, as [`Stop::Unsupported`] names them. A failure with such a "class" ends the
/// run.
const UNSUPPORTED: [&str; 6] =
    ["native method", "invokedynamic", "constant", "method handle", "bytecode", "class"];

/// A function that returns the exception, and its arguments.
pub(super) fn raise(vm: &mut Vm<Jvm>, raise: Raise) -> Result<(FuncId, Vec<Val>), Stop> {
    let (class, message) = match raise {
        Raise::Named { class, message } => (class, message),
        Raise::Check { check, a, b } => {
            let (class, message) = of_check(vm, check, a, b);
            (class.to_string(), message)
        }
    };
    if let Some(what) = UNSUPPORTED.iter().find(|what| **what == class) {
        return Err(Stop::Unsupported { what, which: message.unwrap_or_default() });
    }
    let func = thrower(&mut vm.lang, &class, message.is_some())?;
    let args = match message {
        Some(message) => {
            let units: Vec<u16> = message.encode_utf16().collect();
            vec![Val::obj(new_string(vm, &units)?)]
        }
        None => Vec::new(),
    };
    Ok((func, args))
}

fn of_check(vm: &Vm<Jvm>, check: Check, a: u64, b: u64) -> (&'static str, Option<String>) {
    let jvm = &vm.lang;
    let feature = jvm.path.jdk().feature;
    let class_of = |object: u64| vm.heap.class(ObjId(object as u32));
    match check {
        Check::Null => ("java/lang/NullPointerException", None),
        Check::Bounds => {
            let (index, len) = (a as u32 as i32, b as u32);
            let message = match feature {
                ..11 => index.to_string(),
                _ => format!("Index {index} out of bounds for length {len}"),
            };
            ("java/lang/ArrayIndexOutOfBoundsException", Some(message))
        }
        Check::DivZero => ("java/lang/ArithmeticException", Some("/ by zero".into())),
        Check::Cast => {
            let message = cast_message(jvm, class_of(a), ClassId(b as u32));
            ("java/lang/ClassCastException", Some(message))
        }
        Check::Store => {
            let message = jvm.classes[class_of(a)].java_name();
            ("java/lang/ArrayStoreException", Some(message))
        }
        Check::NegativeSize => {
            let message = (feature >= 11).then(|| (a as u32 as i32).to_string());
            ("java/lang/NegativeArraySizeException", message)
        }
        Check::Stack => ("java/lang/StackOverflowError", None),
        Check::Memory => ("java/lang/OutOfMemoryError", Some("Java heap space".into())),
        Check::Dispatch => {
            let class = jvm.classes.get(ClassId(a as u32)).map(|class| class.java_name());
            ("java/lang/AbstractMethodError", class)
        }
        Check::Monitor => {
            let message = "current thread is not owner";
            ("java/lang/IllegalMonitorStateException", (feature >= 11).then(|| message.into()))
        }
        Check::Init => ("java/lang/NoClassDefFoundError", None),
        Check::Link => ("java/lang/LinkageError", None),
    }
}

/// As HotSpot words it since Java 11.
fn cast_message(jvm: &Jvm, from: ClassId, to: ClassId) -> String {
    let (a, b) = (jvm.classes[from].java_name(), jvm.classes[to].java_name());
    if jvm.path.jdk().feature < 11 {
        return format!("{a} cannot be cast to {b}");
    }
    let (home_a, home_b) = (home(jvm, from), home(jvm, to));
    let homes = match home_a == home_b {
        true => format!("{a} and {b} are in {home_a}"),
        false => format!("{a} is in {home_a}; {b} is in {home_b}"),
    };
    format!("class {a} cannot be cast to class {b} ({homes})")
}

/// `module java.base of loader 'bootstrap'`.
fn home(jvm: &Jvm, class: ClassId) -> String {
    let mut class = class;
    while let ClassKind::Array { elem, .. } = jvm.classes[class].kind {
        class = elem;
    }
    match jvm.classes[class].origin {
        ClassOrigin::Library => {
            let module = jvm.module_of(class);
            format!("module {module} of loader '{}'", loader_name(&module))
        }
        ClassOrigin::User | ClassOrigin::Synthetic => "unnamed module of loader 'app'".into(),
    }
}

/// Which of the three built-in loaders defines a module of the JDK.
pub(crate) fn loader_name(module: &str) -> &'static str {
    const PLATFORM: [&str; 21] = [
        "java.compiler",
        "java.net.http",
        "java.scripting",
        "java.security.jgss",
        "java.smartcardio",
        "java.sql",
        "java.sql.rowset",
        "java.transaction.xa",
        "java.xml.crypto",
        "jdk.accessibility",
        "jdk.charsets",
        "jdk.crypto.cryptoki",
        "jdk.crypto.ec",
        "jdk.dynalink",
        "jdk.httpserver",
        "jdk.jsobject",
        "jdk.localedata",
        "jdk.naming.dns",
        "jdk.security.auth",
        "jdk.security.jgss",
        "jdk.zipfs",
    ];
    const APP: [&str; 12] = [
        "jdk.attach",
        "jdk.compiler",
        "jdk.editpad",
        "jdk.internal.ed",
        "jdk.internal.le",
        "jdk.internal.opt",
        "jdk.jartool",
        "jdk.javadoc",
        "jdk.jconsole",
        "jdk.jdeps",
        "jdk.jlink",
        "jdk.jshell",
    ];
    match module {
        _ if PLATFORM.contains(&module) => "platform",
        _ if APP.contains(&module) => "app",
        _ => "bootstrap",
    }
}

/// A function that makes an exception of a class: with a message parameter or without.
pub fn thrower(jvm: &mut Jvm, class: &str, with_message: bool) -> Result<FuncId, Stop> {
    let name = format!("make {class}{}", if with_message { " with message" } else { "" });
    if let Some(func) = jvm.made.get(name.as_str()) {
        return Ok(*func);
    }
    let cannot = |why: String| Stop::Unsupported { what: "exception", which: why };
    let id = jvm.class(class).map_err(|error| cannot(error.to_string()))?;
    let with = jvm.declared(id, "<init>", "(Ljava/lang/String;)V").map(|f| (f, true));
    // `AssertionError` takes any object.
    let with = with.or_else(|| jvm.declared(id, "<init>", "(Ljava/lang/Object;)V").map(|f| (f, true)));
    let without = jvm.declared(id, "<init>", "()V").map(|f| (f, false));
    let constructor = if with_message { with.or(without) } else { without };
    let (constructor, takes_message) =
        constructor.ok_or_else(|| cannot(format!("{class} has no usable constructor")))?;
    let function = build(&name, id, constructor, with_message, takes_message);
    Ok(jvm.make_func(&name, |_| function))
}

fn build(name: &str, class: ClassId, constructor: FuncId, with_message: bool, takes: bool) -> Function {
    let params: &[Type] = if with_message { &[Type::Ref] } else { &[] };
    let mut b = Builder::new(name, params, Some(Type::Ref));
    b.effect(Op::GuardInit, class.0, 0, 0);
    let object = b.new_object(class);
    match takes {
        true => b.call(Reg::NONE, constructor, &[object, Reg(0)]),
        false => b.call(Reg::NONE, constructor, &[object]),
    }
    b.ret(Some(object));
    b.finish()
}
