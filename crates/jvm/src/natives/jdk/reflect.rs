//! `Method.invoke` and `Constructor.newInstance`: VM calls. What the callee throws arrives wrapped, so the call is
//! made from a small IR function with a handler.

use crate::link::{ClassKind, Sig};
use crate::load::access;
use crate::natives::boxes::{boxed, fitted};
use crate::natives::java::lang::func_of_object;
use crate::natives::support::*;
use crate::natives::{Fail, Res, Vmj, natives};
use crate::world::Jvm;
use ir::{Builder, ClassId, FuncId, Function, Op, Reg, Type};
use std::sync::Arc;
use vm::{NativeResult, ObjId, Val};

natives! {
    "jdk/internal/reflect/NativeMethodAccessorImpl" {
        "invoke0" "(Ljava/lang/reflect/Method;Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;" = invoke;
    }
    "jdk/internal/reflect/DirectMethodHandleAccessor$NativeAccessor" {
        "invoke0" "(Ljava/lang/reflect/Method;Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;" = invoke;
    }
    "sun/reflect/NativeMethodAccessorImpl" {
        "invoke0" "(Ljava/lang/reflect/Method;Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;" = invoke;
    }
    "jdk/internal/reflect/NativeConstructorAccessorImpl" {
        "newInstance0" "(Ljava/lang/reflect/Constructor;[Ljava/lang/Object;)Ljava/lang/Object;" = new_instance;
    }
    "jdk/internal/reflect/DirectConstructorHandleAccessor$NativeAccessor" {
        "newInstance0" "(Ljava/lang/reflect/Constructor;[Ljava/lang/Object;)Ljava/lang/Object;" = new_instance;
    }
    "sun/reflect/NativeConstructorAccessorImpl" {
        "newInstance0" "(Ljava/lang/reflect/Constructor;[Ljava/lang/Object;)Ljava/lang/Object;" = new_instance;
    }
    "testwright" {
        "reflective call" "" = call_target;
    }
}

/// What goes on with a call's result.
type Then = fn(&mut Vmj, &[Val]) -> NativeResult<Jvm>;

/// The hook that makes the call itself, inside the handler.
const CALL: &str = "testwright.reflective call";

fn invoke(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let func = func_of_object(vm, non_null(arg(args, 0))?)?;
    let receiver = arg(args, 1).as_obj();
    let class = vm.lang.funcs[func].class;
    if !vm.lang.funcs[func].is_static() {
        non_null(arg(args, 1))?;
        if !vm.lang.is_subclass(vm.heap.class(receiver), class) {
            return Err(illegal("object is not an instance of declaring class"));
        }
    }
    let target = match vm.lang.funcs[func].is_static() {
        true => func,
        false => select(vm, func, receiver)?,
    };
    start(vm, target, receiver, arg(args, 2).as_obj(), class)
}

fn new_instance(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let func = func_of_object(vm, non_null(arg(args, 0))?)?;
    let class = vm.lang.funcs[func].class;
    if vm.lang.classes[class].access & access::ABSTRACT != 0 {
        return Err(throw_plain("java/lang/InstantiationException"));
    }
    let object = vm.new_object(class)?;
    start(vm, func, object, arg(args, 1).as_obj(), class)
}

fn illegal(message: &str) -> Fail {
    throw("java/lang/IllegalArgumentException", message)
}

/// Checks the arguments, initialises the class, and calls the handler's function.
fn start(vm: &mut Vmj, func: FuncId, receiver: ObjId, args: ObjId, class: ClassId) -> Res<NativeResult<Jvm>> {
    let signature = vm.lang.funcs[func].signature.clone();
    let given = refs(vm, args);
    let wanted = signature.ty.params.len();
    if given.len() != wanted {
        // Since Java 18 reflection goes through method handles, which count.
        let counts = match vm.lang.path.jdk().feature {
            ..18 => String::new(),
            _ => format!(": {} expected: {wanted}", given.len()),
        };
        return Err(illegal(&format!("wrong number of arguments{counts}")));
    }
    // Converted once here so that a misfit is not wrapped, and again inside, where the values are needed.
    convert(vm, &signature, &given)?;
    let wrapper = wrapper(vm);
    let keep = vec![
        Val::concrete(wrapper.0 as u64),
        Val::concrete(func.0 as u64),
        Val::obj(receiver),
        Val::obj(args),
    ];
    initialised(vm, class, keep, |_, args| {
        let wrapper = FuncId(arg(args, 1).bits as u32);
        NativeResult::Call(wrapper, vec![arg(args, 2), arg(args, 3), arg(args, 4)])
    })
}

fn convert(vm: &mut Vmj, signature: &Arc<Sig>, given: &[ObjId]) -> Res<Vec<Val>> {
    let mut values = Vec::with_capacity(given.len());
    for (ty, object) in signature.ty.params.iter().zip(given) {
        let class = vm.lang.class_of_type(ty)?;
        match fitted(vm, *object, class)? {
            Some(val) => values.push(val),
            None => return Err(illegal("argument type mismatch")),
        }
    }
    Ok(values)
}

/// Function id, receiver, arguments → the boxed result; what the target throws becomes an
/// `InvocationTargetException`.
fn wrapper(vm: &mut Vmj) -> FuncId {
    let target = vm.lang.hook(CALL, &[Type::I32, Type::Ref, Type::Ref], Some(Type::Ref));
    vm.lang.make_func("reflective call", |jvm| build(jvm, target))
}

fn build(jvm: &mut Jvm, target: FuncId) -> Function {
    const WRAPPED: &str = "java/lang/reflect/InvocationTargetException";
    let mut b = Builder::new("reflective call", &[Type::I32, Type::Ref, Type::Ref], Some(Type::Ref));
    let (call, failed) = (b.block(), b.block());
    b.jump(call);
    b.switch_to(call);
    b.set_unwind(call, Some(failed));
    let result = b.call_value(Type::Ref, target, &[Reg(0), Reg(1), Reg(2)]);
    b.ret(Some(result));
    b.switch_to(failed);
    let thrown = b.value(Type::Ref, Op::Catch, 0, 0, 0);
    let class = jvm.class(WRAPPED);
    let constructor =
        class.as_ref().ok().and_then(|c| jvm.declared(*c, "<init>", "(Ljava/lang/Throwable;)V"));
    match (class, constructor) {
        (Ok(class), Some(constructor)) => {
            b.effect(Op::GuardInit, class.0, 0, 0);
            let wrapped = b.new_object(class);
            b.call(Reg::NONE, constructor, &[wrapped, thrown]);
            b.throw(wrapped);
        }
        // Every JDK has the class; if not, the exception goes on unwrapped.
        _ => b.throw(thrown),
    }
    b.finish()
}

/// Calls the target and boxes its result. A constructor's result is the new object.
fn call_target(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let func = FuncId(arg(args, 0).bits as u32);
    let (receiver, given) = (arg(args, 1), refs(vm, arg(args, 2).as_obj()));
    let (signature, is_static, constructor) = {
        let f = &vm.lang.funcs[func];
        (f.signature.clone(), f.is_static(), &*f.name == "<init>")
    };
    let mut values = convert(vm, &signature, &given)?;
    if !is_static {
        values.insert(0, receiver);
    }
    let (then, keep): (Then, Val) = match (&signature.ty.ret, constructor) {
        (_, true) => (give_back, receiver),
        (None, _) => (give_back, Val::ZERO),
        (Some(ty), _) => {
            let class = vm.lang.class_of_type(ty)?;
            match vm.lang.classes[class].kind {
                ClassKind::Primitive(_) => (
                    |vm, args| {
                        crate::natives::settle(boxed(vm, ClassId(arg(args, 1).bits as u32), arg(args, 0)))
                    },
                    Val::concrete(class.0 as u64),
                ),
                _ => return Ok(NativeResult::Call(func, values)),
            }
        }
    };
    Ok(NativeResult::CallThen { func, args: values, then, keep: vec![keep] })
}
