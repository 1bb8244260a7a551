//! Which claims of infeasibility an exploration of single calls allows.
//!
//! "All paths were explored" speaks of one call, on a new object, in the state after class initialisation. Where
//! another way in, or an earlier call, could still reach a branch, it is open, not infeasible.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ClassId, FuncId};
use jvm::load::{FieldType, Instr, access};
use jvm::world::Jvm;

use super::outcome::{ClassResult, Fate};

/// Turns claims that go too far into open obligations. `explored` are the methods that were called with all inputs, `bodies` the
/// code of lambdas that was.
pub fn withdraw(jvm: &Jvm, class: ClassId, explored: &[FuncId], bodies: &[FuncId], result: &mut ClassResult) {
    let entries: Vec<String> = explored.iter().map(|func| jvm.func_name(*func)).collect();
    let changeable = keeps_state(jvm, class);
    let uncalled = uncalled(jvm, class, bodies, result);
    let closed = is_closed(jvm, class, explored);
    let private: Vec<String> = jvm.classes[class]
        .functions()
        .filter(|func| jvm.funcs[*func].is(access::PRIVATE))
        .map(|func| jvm.func_name(func))
        .collect();
    let pure: Vec<String> =
        explored.iter().filter(|func| is_pure(jvm, **func)).map(|func| jvm.func_name(*func)).collect();
    let asserting: Vec<String> = functions_of(jvm, class, result)
        .into_iter()
        .filter(|func| asserts(jvm, *func))
        .map(|func| jvm.func_name(func))
        .collect();
    let mut outside: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (key, (obligation, fate)) in &mut result.obligations {
        let Fate::Infeasible(why) = fate else { continue };
        if asserting.contains(&obligation.function) {
            why.push_str(" (with assertions enabled)");
        }
        if result.proved.contains(key) {
            continue;
        }
        let entered = entries.contains(&obligation.function);
        if !(entered || closed && private.contains(&obligation.function)) {
            *fate = Fate::Open("not reached from the methods that were explored".to_string());
        } else if uncalled.contains(&obligation.function) {
            *fate = Fate::Open("the lambda is handed out, and no call of it was found".to_string());
        } else if changeable && !pure.contains(&obligation.function) && !result.by_word.contains(key) {
            *fate = Fate::Open(format!(
                "not reached by one call on objects after at most {} calls, of which all paths were explored",
                jvm::input::MAX_CHANGES
            ));
        } else if !result.by_word.contains(key) {
            let looks_at = outside.entry(obligation.function.clone()).or_insert_with(|| {
                // A private one is entered from any of the others.
                let of = |func: &&FuncId| !entered || jvm.func_name(**func) == obligation.function;
                let from: Vec<FuncId> = explored.iter().filter(of).copied().collect();
                super::outside::looks_at(jvm, &from, class)
            });
            if let Some(what) = looks_at {
                *fate = Fate::Open(what.clone());
            }
        }
    }
}

/// The functions that are accounted for: of the class and of classes inside of it.
fn functions_of(jvm: &Jvm, class: ClassId, result: &ClassResult) -> Vec<FuncId> {
    let inside = format!("{}$", jvm.classes[class].name);
    let owners: BTreeSet<&str> = result
        .obligations
        .values()
        .filter_map(|(obligation, _)| obligation.function.split(['.', '(']).next())
        .filter(|name| *name == &*jvm.classes[class].name || name.starts_with(&inside))
        .collect();
    owners.into_iter().filter_map(|name| jvm.loaded(name)).flat_map(|c| jvm.classes[c].functions()).collect()
}

/// Whether a function has `assert` statements.
fn asserts(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref();
    let code = file.and_then(|file| file.method(&f.name, &f.descriptor)?.bytecode().ok().flatten());
    code.zip(file).is_some_and(|(code, file)| {
        let mut read = code.instrs.iter().filter_map(|(_, instr)| match instr {
            Instr::GetStatic(cp) => file.pool.field(*cp).ok(),
            _ => None,
        });
        read.any(|field| field.name == "$assertionsDisabled")
    })
}

/// Lambdas that methods hand out, or that no run called, and that were not called with all inputs: others may do that.
fn uncalled(jvm: &Jvm, class: ClassId, bodies: &[FuncId], result: &ClassResult) -> Vec<String> {
    let escaping = jvm::input::escaping(jvm, class);
    let lambdas = jvm.classes[class].functions().filter(|func| jvm::input::is_body(&jvm.funcs[*func].name));
    let lambdas = lambdas.filter(|func| !bodies.contains(func)).map(|func| (func, jvm.func_name(func)));
    let is_called = |name: &String| {
        result
            .obligations
            .iter()
            .any(|(_, (obligation, fate))| obligation.function == *name && matches!(fate, Fate::Covered))
    };
    lambdas.filter(|(func, name)| escaping.contains(func) || !is_called(name)).map(|(_, name)| name).collect()
}

/// Whether a method knows nothing but its arguments, which are numbers, texts or arrays of numbers: it reads no field and calls nothing but
/// what is so too, or calculates, or works on texts, so that no earlier call matters to it.
fn is_pure(jvm: &Jvm, func: FuncId) -> bool {
    let plain = |ty: &FieldType| match ty {
        FieldType::Class(name) => &**name == "java/lang/String",
        FieldType::Array(elem) => !elem.is_reference(),
        _ => true,
    };
    let mut open = vec![func];
    let mut seen: BTreeSet<FuncId> = BTreeSet::from([func]);
    while let Some(func) = open.pop() {
        let f = &jvm.funcs[func];
        let Some(file) = jvm.classes[f.class].file.as_deref() else { return false };
        let code = file.method(&f.name, &f.descriptor).and_then(|method| method.bytecode().ok().flatten());
        let Some(code) = code.filter(|_| f.is_static() && f.signature.ty.params.iter().all(plain)) else {
            return false;
        };
        for (_, instr) in &code.instrs {
            match instr {
                Instr::GetField(_) | Instr::GetStatic(_) | Instr::PutField(_) | Instr::PutStatic(_) => {
                    return false;
                }
                Instr::InvokeInterface(_) | Instr::InvokeDynamic(_) => return false,
                Instr::New(class)
                    if !file.pool.class(*class).is_ok_and(|name| VALUE_MAKERS.contains(&name)) =>
                {
                    return false;
                }
                Instr::InvokeStatic(cp) | Instr::InvokeVirtual(cp) | Instr::InvokeSpecial(cp) => {
                    let Ok(called) = file.pool.method(*cp) else { return false };
                    let on_values = VALUE_MAKERS.contains(&called.class) && !depends(called.name);
                    if on_values {
                        continue;
                    }
                    let own = jvm.classes[f.class].functions().find(|own| {
                        let own = &jvm.funcs[*own];
                        *own.name == *called.name && *own.descriptor == *called.descriptor
                    });
                    let own = own.filter(|_| {
                        matches!(instr, Instr::InvokeStatic(_)) && *jvm.classes[f.class].name == *called.class
                    });
                    match own {
                        Some(own) if seen.insert(own) => open.push(own),
                        Some(_) => {}
                        None => return false,
                    }
                }
                _ => {}
            }
        }
    }
    true
}

/// Classes of the library whose methods calculate, or make values and the exceptions that are thrown for them.
const VALUE_MAKERS: [&str; 17] = [
    "java/lang/Math",
    "java/lang/StrictMath",
    "java/lang/String",
    "java/lang/StringBuilder",
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Short",
    "java/lang/Character",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Float",
    "java/lang/Double",
    "java/lang/ArithmeticException",
    "java/lang/IllegalArgumentException",
    "java/lang/IllegalStateException",
    "java/lang/IndexOutOfBoundsException",
    "java/lang/UnsupportedOperationException",
];

/// Whether what a method of these gives depends on more than its arguments: on locales, properties, or how often it was asked.
fn depends(name: &str) -> bool {
    matches!(
        name,
        "random"
            | "format"
            | "formatted"
            | "toLowerCase"
            | "toUpperCase"
            | "getBytes"
            | "getInteger"
            | "getLong"
            | "getBoolean"
            | "transform"
    )
}

/// Whether earlier calls can leave anything behind: a field that may be assigned, or whose object may change.
pub(super) fn keeps_state(jvm: &Jvm, class: ClassId) -> bool {
    let mut next = Some(class);
    while let Some(class) = next {
        let class = &jvm.classes[class];
        if class.origin == jvm::link::ClassOrigin::Library {
            return false;
        }
        // `$assertionsDisabled` and the like are set once; constants of enums are objects of the class itself.
        let changeable = class.fields.iter().any(|field| {
            let fixed = field.access & access::FINAL != 0;
            let value = !field.descriptor.starts_with(['[', 'L'])
                || field.access & access::ENUM != 0
                || VALUES.contains(&&*field.descriptor);
            field.access & access::SYNTHETIC == 0 && !(fixed && value)
        });
        if changeable {
            return true;
        }
        next = class.superclass;
    }
    false
}

/// Classes whose objects never change.
const VALUES: [&str; 9] = [
    "Ljava/lang/String;",
    "Ljava/lang/Boolean;",
    "Ljava/lang/Byte;",
    "Ljava/lang/Short;",
    "Ljava/lang/Character;",
    "Ljava/lang/Integer;",
    "Ljava/lang/Long;",
    "Ljava/lang/Float;",
    "Ljava/lang/Double;",
];

/// Whether nothing but the explored methods can call private ones: no nested class, no further way in.
fn is_closed(jvm: &Jvm, class: ClassId, explored: &[FuncId]) -> bool {
    let owner = &jvm.classes[class];
    let Some(file) = &owner.file else { return false };
    let hidden = access::PRIVATE | access::SYNTHETIC | access::ABSTRACT;
    file.nest_members.is_empty()
        && file.nest_host.is_none()
        && owner.functions().all(|func| {
            let f = &jvm.funcs[func];
            f.access & hidden != 0 || &*f.name == "<clinit>" || explored.contains(&func)
        })
}
