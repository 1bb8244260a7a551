//! Class initialisation (JVMS §5.5) as IR: one function a class, run by `guard.init`.
//!
//! The state lies in the mirror's bytes, so the heap's undo log restores it between runs. Values of `ConstantValue`
//! attributes are set when the mirror is made. Which thread is at it know [`crate::threads`]; others wait.

use ir::{BranchInfo, Builder, Check, ClassId, FuncId, Function, Op, Origin, Reg, SwitchTable, Type};

use super::class::ClassKind;
use super::names;
use crate::load::access;
use crate::world::Jvm;

/// The states a class goes through, as the mirror's byte holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum InitState {
    Not = 0,
    InProgress = 1,
    Done = 2,
    Failed = 3,
}

/// Whether initialising the class runs any code.
pub(super) fn needs_init(jvm: &Jvm, class: ClassId) -> bool {
    let own = &jvm.classes[class];
    let inherited = !own.is_interface()
        && (own.superclass.is_some_and(|up| jvm.classes[up].needs_init)
            || own.all_interfaces.iter().any(|i| jvm.classes[*i].needs_init && has_defaults(jvm, *i)));
    own.kind == ClassKind::Plain && (inherited || static_initialiser(jvm, class).is_some())
}

fn static_initialiser(jvm: &Jvm, class: ClassId) -> Option<FuncId> {
    jvm.declared(class, "<clinit>", "()V").filter(|func| jvm.funcs[*func].is_static())
}

/// Whether an interface declares a method with a body, other than a static one.
fn has_defaults(jvm: &Jvm, interface: ClassId) -> bool {
    let bodied = |f: FuncId| jvm.funcs[f].access & (access::ABSTRACT | access::STATIC) == 0;
    jvm.classes[interface].functions().any(bodied)
}

/// The interfaces that initialising a class initialises first: superinterfaces before the interface itself.
fn interfaces_to_init(jvm: &Jvm, class: ClassId) -> Vec<ClassId> {
    fn add(jvm: &Jvm, interface: ClassId, into: &mut Vec<ClassId>) {
        for up in &jvm.classes[interface].interfaces {
            add(jvm, *up, into);
        }
        if jvm.classes[interface].needs_init && has_defaults(jvm, interface) && !into.contains(&interface) {
            into.push(interface);
        }
    }
    let mut all = Vec::new();
    for interface in &jvm.classes[class].interfaces {
        add(jvm, *interface, &mut all);
    }
    all
}

/// The function that initialises a class; no parameters, no result.
pub(crate) fn initialiser(jvm: &mut Jvm, class: ClassId) -> FuncId {
    if let Some(func) = jvm.classes[class].initialiser {
        return func;
    }
    let name = format!("initialise {}{}", jvm.classes[class].name, jvm.tag(class));
    let func = jvm.make_func(&name, |jvm| build(jvm, class, &name));
    jvm.classes[class].initialiser = Some(func);
    func
}

fn build(jvm: &mut Jvm, class: ClassId, name: &str) -> Function {
    let state = jvm.known.mirror_state;
    let mut b = Builder::new(name, &[], None);
    let [go, supers, own, finish, leave, failed, own_failed, rejected, busy] =
        std::array::from_fn(|_| b.block());
    let [begin, end, wait] = ["testwright.beginInit", "testwright.endInit", "testwright.awaitInit"]
        .map(|name| jvm.hook(name, &[Type::Ref], None));
    let info = BranchInfo { origin: Origin::Synthetic, decision: 0, condition: 0, far: false };
    let set_state = |b: &mut Builder, mirror: Reg, to: InitState| {
        let value = b.const_i32(to as i32);
        b.effect(Op::StoreI8, mirror.0, state, value.0);
    };

    let mirror = b.value(Type::Ref, Op::Statics, class.0, 0, 0);
    let now = b.value(Type::I32, Op::LoadU8, mirror.0, state, 0);
    let cases = vec![
        (InitState::InProgress as i32, busy),
        (InitState::Done as i32, leave),
        (InitState::Failed as i32, rejected),
    ];
    b.switch(now, SwitchTable { cases, default: go }, info);

    b.switch_to(go);
    set_state(&mut b, mirror, InitState::InProgress);
    b.call(Reg::NONE, begin, &[mirror]);
    b.jump(supers);

    b.switch_to(supers);
    b.set_unwind(supers, Some(failed));
    if !jvm.classes[class].is_interface() {
        let superclass = jvm.classes[class].superclass.filter(|up| jvm.classes[*up].needs_init);
        for up in superclass.into_iter().chain(interfaces_to_init(jvm, class)) {
            b.effect(Op::GuardInit, up.0, 0, 0);
        }
    }
    b.jump(own);

    b.switch_to(own);
    b.set_unwind(own, Some(own_failed));
    if let Some(clinit) = static_initialiser(jvm, class) {
        b.call(Reg::NONE, clinit, &[]);
    }
    b.jump(finish);

    b.switch_to(finish);
    set_state(&mut b, mirror, InitState::Done);
    b.call(Reg::NONE, end, &[mirror]);
    b.ret(None);

    // By this thread, which goes on, or by another one, which is waited for.
    b.switch_to(busy);
    b.call(Reg::NONE, wait, &[mirror]);
    let now = b.value(Type::I32, Op::LoadU8, mirror.0, state, 0);
    let cases = vec![(InitState::Failed as i32, rejected)];
    b.switch(now, SwitchTable { cases, default: leave }, info);

    b.switch_to(leave);
    b.ret(None);

    // What initialising a superclass threw goes on as it is.
    b.switch_to(failed);
    let error = b.value(Type::Ref, Op::Catch, 0, 0, 0);
    set_state(&mut b, mirror, InitState::Failed);
    b.call(Reg::NONE, end, &[mirror]);
    b.throw(error);

    b.switch_to(own_failed);
    let error = b.value(Type::Ref, Op::Catch, 0, 0, 0);
    set_state(&mut b, mirror, InitState::Failed);
    b.call(Reg::NONE, end, &[mirror]);
    wrap_and_throw(jvm, &mut b, error, info);

    b.switch_to(rejected);
    let class = names::dotted(&jvm.classes[class].name);
    let text = format!("java/lang/NoClassDefFoundError: Could not initialize class {class}");
    let message = jvm.text_id(&text);
    b.trap(Check::Link, message);
    b.finish()
}

/// Errors go on as they are, exceptions inside an `ExceptionInInitializerError`.
fn wrap_and_throw(jvm: &mut Jvm, b: &mut Builder, error: Reg, info: BranchInfo) {
    let name = "java/lang/ExceptionInInitializerError";
    let wrapper = jvm.class(name).ok().and_then(|wrapper| {
        let constructor = jvm.declared(wrapper, "<init>", "(Ljava/lang/Throwable;)V")?;
        Some((wrapper, constructor, jvm.class("java/lang/Error").ok()?))
    });
    let Some((wrapper, constructor, errors)) = wrapper else {
        b.throw(error);
        return;
    };
    let [plain, wrap] = std::array::from_fn(|_| b.block());
    let is_error = b.value(Type::I1, Op::InstanceOf, error.0, errors.0, 0);
    b.br(is_error, plain, wrap, info);
    b.switch_to(plain);
    b.throw(error);
    b.switch_to(wrap);
    b.effect(Op::GuardInit, wrapper.0, 0, 0);
    let object = b.new_object(wrapper);
    b.call(Reg::NONE, constructor, &[object, error]);
    b.throw(object);
}
