//! What code looks at besides its arguments and its object: state that other classes keep, and the machine it runs on.
//!
//! An exploration sees the first as initialisers leave it, and the second as the VM has it. That no path leads somewhere then says
//! nothing of other states, so such a claim names what was looked at instead.

use std::collections::BTreeSet;

use ir::{ClassId, FuncId};
use jvm::link::ClassOrigin;
use jvm::load::{ClassFile, Constant, Instr, MemberRef, access};
use jvm::world::Jvm;

/// What the library tells of the machine, the thread or the object's place in memory; the JVM's own answer may be another one. Empty
/// names stand for every method.
const MACHINE: [(&str, &[&str]); 14] = [
    ("java/lang/Object", &["hashCode"]),
    ("java/lang/System", &["identityHashCode"]),
    ("java/lang/Runtime", &[]),
    (
        "java/lang/Thread",
        &[
            "activeCount",
            "getContextClassLoader",
            "getId",
            "getName",
            "getPriority",
            "getStackTrace",
            "getState",
            "getThreadGroup",
            "interrupted",
            "isDaemon",
            "isInterrupted",
            "threadId",
        ],
    ),
    ("java/lang/Throwable", &["getStackTrace"]),
    ("java/nio/charset/Charset", &["defaultCharset"]),
    ("java/text/DateFormat", &["getDateInstance", "getDateTimeInstance", "getInstance", "getTimeInstance"]),
    (
        "java/text/NumberFormat",
        &[
            "getCurrencyInstance",
            "getInstance",
            "getIntegerInstance",
            "getNumberInstance",
            "getPercentInstance",
        ],
    ),
    ("java/time/ZoneId", &["systemDefault"]),
    ("java/util/Locale", &["getDefault"]),
    ("java/util/ResourceBundle", &["getBundle"]),
    ("java/util/ServiceLoader", &[]),
    ("java/util/TimeZone", &["getDefault"]),
    ("java/util/logging/Logger", &["getLevel", "isLoggable"]),
];

/// Why what an exploration of some methods did not find may be there all the same; `None` if they look at nothing outside.
pub fn looks_at(jvm: &Jvm, from: &[FuncId], own: ClassId) -> Option<String> {
    let mut open: Vec<FuncId> = from.to_vec();
    let mut seen: BTreeSet<FuncId> = open.iter().copied().collect();
    while let Some(func) = open.pop() {
        let f = &jvm.funcs[func];
        let Some(file) = &jvm.classes[f.class].file else { continue };
        let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else {
            continue;
        };
        for (_, instr) in &code.instrs {
            if let Some(what) = asks(jvm, file, instr, own) {
                return Some(what);
            }
            for callee in callees(jvm, file, instr) {
                if seen.insert(callee) {
                    open.push(callee);
                }
            }
        }
    }
    None
}

fn asks(jvm: &Jvm, file: &ClassFile, instr: &Instr, own: ClassId) -> Option<String> {
    match instr {
        Instr::GetStatic(cp) => {
            let field = file.pool.field(*cp).ok()?;
            let holder = holder(jvm, jvm.loaded(field.class)?, field.name, field.descriptor)?;
            // The class's own state is the business of its own claims.
            let class = &jvm.classes[holder];
            let open = class.field(field.name, field.descriptor)?.access & access::PRIVATE == 0;
            let is_table = open && field.descriptor.starts_with('[') && class.origin != ClassOrigin::Library;
            let keeps = jvm::input::keeps_state(jvm, &class.name, field.name, field.descriptor);
            if holder == own || !(is_table || keeps) {
                return None;
            }
            let name = class.java_name();
            let simple = name.rsplit(['.', '$']).next().unwrap_or(&name);
            Some(format!(
                "{simple}.{} was as {simple} is initialised: other states were not tried",
                field.name
            ))
        }
        // Constants of an enum are there once for everybody.
        Instr::GetField(cp) => {
            let field = file.pool.field(*cp).ok()?;
            let holder = holder(jvm, jvm.loaded(field.class)?, field.name, field.descriptor)?;
            let class = &jvm.classes[holder];
            let access = class.field(field.name, field.descriptor)?.access;
            let shared = class.access & access::ENUM != 0 && class.origin != ClassOrigin::Library;
            let changes = access & access::FINAL == 0 || may_change(jvm, field.descriptor);
            let kept = access & access::PRIVATE != 0 && field.descriptor.starts_with('[');
            (shared && changes && !kept).then(|| {
                let name = class.java_name();
                let simple = name.rsplit(['.', '$']).next().unwrap_or(&name);
                format!(
                    "{} of the constants of {simple} was as they are made: other states were not tried",
                    field.name
                )
            })
        }
        Instr::InvokeVirtual(cp) | Instr::InvokeStatic(cp) | Instr::InvokeSpecial(cp) => {
            let called = file.pool.method(*cp).ok()?;
            let class = jvm.loaded(called.class)?;
            let declares = |class: ClassId| jvm.declared(class, called.name, called.descriptor).is_some();
            let owner = std::iter::once(class).chain(jvm.classes[class].ancestors.iter().rev().copied());
            let owner = owner.into_iter().find(|class| declares(*class))?;
            let owner: &str = &jvm.classes[owner].name;
            let (_, names) = MACHINE.iter().find(|(name, _)| *name == owner)?;
            (called.name != "<init>" && (names.is_empty() || names.contains(&called.name))).then(|| {
                let simple = owner.rsplit('/').next().unwrap_or(owner);
                format!("{simple}.{}() may say something else on another machine", called.name)
            })
        }
        _ => None,
    }
}

/// The class that declares a field which is named by a class below it.
fn holder(jvm: &Jvm, class: ClassId, name: &str, descriptor: &str) -> Option<ClassId> {
    let own = std::iter::once(class).chain(jvm.classes[class].ancestors.iter().rev().copied());
    let mut own = own.chain(jvm.classes[class].all_interfaces.iter().copied());
    own.find(|class| {
        jvm.classes[*class].fields.iter().any(|f| *f.name == *name && *f.descriptor == *descriptor)
    })
}

/// Whether what a final field holds can change.
fn may_change(jvm: &Jvm, descriptor: &str) -> bool {
    if !jvm::input::is_changeable(descriptor) {
        return false;
    }
    let Some(class) = descriptor.strip_prefix('L').and_then(|name| jvm.loaded(name.strip_suffix(';')?))
    else {
        return true;
    };
    let held = &jvm.classes[class];
    held.origin == ClassOrigin::Library
        || held.access & (access::ABSTRACT | access::INTERFACE) != 0
        || super::claims::keeps_state(jvm, class)
}

/// The code of the program that an instruction may run: of a call, and of a lambda that is made.
fn callees(jvm: &Jvm, file: &ClassFile, instr: &Instr) -> Vec<FuncId> {
    let (cp, dispatched) = match instr {
        Instr::InvokeVirtual(cp) | Instr::InvokeInterface(cp) => (cp, true),
        Instr::InvokeStatic(cp) | Instr::InvokeSpecial(cp) => (cp, false),
        Instr::InvokeDynamic(site) => {
            let site = file.pool.invoke_dynamic(*site).ok();
            let bootstrap = site.and_then(|s| file.bootstrap_methods.get(s.bootstrap as usize));
            let handles =
                bootstrap.into_iter().flat_map(|b| &b.args).filter_map(|arg| match file.pool.get(*arg) {
                    Ok(Constant::MethodHandle(handle)) => Some(handle.member),
                    _ => None,
                });
            return handles.flat_map(|member| may_run(jvm, &member, true)).collect();
        }
        _ => return Vec::new(),
    };
    file.pool.method(*cp).map_or_else(|_| Vec::new(), |called| may_run(jvm, &called, dispatched))
}

fn may_run(jvm: &Jvm, called: &MemberRef<'_>, dispatched: bool) -> Vec<FuncId> {
    let Some(owner) = jvm.loaded(called.class) else { return Vec::new() };
    let own = |class: &ClassId| jvm.classes[*class].origin != ClassOrigin::Library;
    let mut classes: Vec<ClassId> = std::iter::once(owner).filter(own).collect();
    classes.extend(jvm.classes[owner].ancestors.iter().copied().filter(|c| *c != owner && own(c)));
    if dispatched {
        let below = |class: &ClassId| own(class) && *class != owner && jvm.is_subclass(*class, owner);
        classes.extend(jvm.classes.keys().filter(below));
    }
    let declared = |class: ClassId| jvm.declared(class, called.name, called.descriptor);
    classes.into_iter().filter_map(declared).collect()
}
