//! Lowering: from bytecode to IR, one method at a time, on first use.
//!
//! A method is lowered block by block in an order in which some predecessor of a block comes before it. The operand
//! stack exists at lowering time only: entries are aliases of registers and constants, copied into registers
//! where control flow joins and where an aliased local is overwritten. Locals are registers, one a slot and type.
//! Nothing fails here: what cannot be linked or is malformed becomes code that throws when it is reached.

mod arith;
mod arrays;
mod branches;
mod compact;
mod constants;
mod decisions;
mod draft;
mod dynamic;
mod exceptions;
mod fields;
mod flow;
mod handlers;
mod hoist;
mod invoke;
mod locals;
mod method;
mod objects;
mod patterns;
mod stack;
mod state;
mod thread;
mod variables;
mod written;

use std::sync::Arc;

use ir::{Builder, Check, FuncId, Function, Type};
use vm::Callable;

use crate::link::{Body, ClassOrigin, Func, LinkError};
use crate::load::{Malformed, access};
use crate::world::Jvm;

/// The code of a function: a registered native, made-up IR, or the method's bytecode.
pub(crate) fn code(jvm: &mut Jvm, func: FuncId) -> Callable<Jvm> {
    let name = jvm.func_name(func);
    if let Some(native) = jvm.native(&name) {
        return Callable::Native(native);
    }
    if let Some(native) = crate::input::known::assumption(jvm, func) {
        return Callable::Native(native);
    }
    let function = match jvm.funcs[func].body.clone() {
        Body::Ir(function) => return Callable::Ir(function),
        Body::Hook(hook) => {
            let what =
                if &*hook == "invokedynamic" || &*hook == "ldc" { "invokedynamic" } else { "method handle" };
            trapping(jvm, func, &LinkError::unsupported(what, name))
        }
        Body::Method(index) => method_code(jvm, func, index, name),
    };
    Callable::Ir(Arc::new(function))
}

/// A method as its bytecode has it, whatever native replaces it; no function of its own.
pub(crate) fn written(jvm: &mut Jvm, func: FuncId) -> Option<Function> {
    let Body::Method(index) = jvm.funcs[func].body else { return None };
    let name = jvm.func_name(func);
    Some(method_code(jvm, func, index, name))
}

/// A method's own body, whatever native replaces it: what natives fall back on, and their oracle.
pub(crate) fn literal(jvm: &mut Jvm, func: FuncId) -> FuncId {
    let key: Arc<str> = format!("literal {}", func.0).into();
    if let Some(made) = jvm.made.get(&key) {
        return *made;
    }
    let Body::Method(index) = jvm.funcs[func].body else { return func };
    let original = &jvm.funcs[func];
    let copy = Func {
        class: original.class,
        name: original.name.clone(),
        descriptor: original.descriptor.clone(),
        access: original.access,
        slot: original.slot,
        signature: original.signature.clone(),
        body: original.body.clone(),
        tracked: original.tracked,
        code: None,
    };
    let made = jvm.funcs.push(copy);
    let name = jvm.func_name(func);
    let function = method_code(jvm, made, index, name);
    jvm.funcs[made].code = Some(Callable::Ir(Arc::new(function)));
    jvm.made.insert(key, made);
    made
}

fn method_code(jvm: &mut Jvm, func: FuncId, index: u32, name: String) -> Function {
    let flags = jvm.funcs[func].access;
    if flags & access::NATIVE != 0 {
        return trapping(jvm, func, &LinkError::unsupported("native method", name));
    }
    if flags & access::ABSTRACT != 0 {
        let class = jvm.classes[jvm.funcs[func].class].java_name();
        return trapping(
            jvm,
            func,
            &LinkError::new("java/lang/AbstractMethodError", format!("{class}: {name}")),
        );
    }
    match method::lower(jvm, func, index) {
        Ok(mut function) => {
            let own = jvm.classes[jvm.funcs[func].class].origin == ClassOrigin::User;
            if jvm.options.boundaries && own {
                ir::note_boundaries(&mut function);
            }
            checked(jvm, func, function)
        }
        Err(refusal) => {
            let message = format!("{name}: {}", refusal.text());
            trapping(jvm, func, &LinkError::new("java/lang/VerifyError", message))
        }
    }
}

/// Code that nobody verified may break rules that the VM relies on; the JVM would refuse it too.
fn checked(jvm: &mut Jvm, func: FuncId, function: Function) -> Function {
    if jvm.classes[jvm.funcs[func].class].origin == ClassOrigin::Library {
        return function;
    }
    match ir::verify(&function, jvm).first() {
        None => function,
        Some(error) => {
            let error = LinkError::new("java/lang/VerifyError", error.to_string());
            trapping(jvm, func, &error)
        }
    }
}

/// A function that raises the error at once.
fn trapping(jvm: &mut Jvm, func: FuncId, error: &LinkError) -> Function {
    let target = &jvm.funcs[func];
    let receiver = (!target.is_static()).then_some(Type::Ref);
    let params: Vec<Type> = receiver.into_iter().chain(target.signature.params.iter().copied()).collect();
    let mut b = Builder::new(jvm.func_name(func), &params, target.signature.ret);
    let message = jvm.text_id(&error.to_string());
    b.trap(Check::Link, message);
    b.finish()
}

/// Why bytecode cannot be lowered: it breaks a rule of JVMS §4.10.
#[derive(Debug)]
pub(super) struct Refusal {
    pc: Option<u16>,
    what: String,
}

impl Refusal {
    fn new(what: impl Into<String>) -> Refusal {
        Refusal { pc: None, what: what.into() }
    }

    fn at(pc: u16, what: impl Into<String>) -> Refusal {
        Refusal { pc: Some(pc), what: what.into() }
    }

    fn text(&self) -> String {
        match self.pc {
            Some(pc) => format!("bytecode {pc}: {}", self.what),
            None => self.what.clone(),
        }
    }
}

impl From<Malformed> for Refusal {
    fn from(malformed: Malformed) -> Refusal {
        Refusal::new(malformed.to_string())
    }
}
