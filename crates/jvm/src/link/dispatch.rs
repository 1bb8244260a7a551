//! Dispatch tables and method selection (JVMS §5.4.5, §5.4.6).
//!
//! Only methods that classes declare have slots. A call that resolves to an interface's method, even by
//! `invokevirtual`, is an interface call, so that tables need no entries for methods a class merely inherits from
//! interfaces.

use ir::{ClassId, FuncId};
use vm::Raise;

use super::class::Func;
use super::resolve::in_superclasses;
use super::{LinkError, names};
use crate::load::access;
use crate::world::Jvm;

/// Computes a class's dispatch table from its superclass's and its own methods.
pub(super) fn vtable(jvm: &mut Jvm, class: ClassId) {
    let own = &jvm.classes[class];
    if own.is_interface() {
        return;
    }
    let mut table = own.superclass.map_or_else(Vec::new, |up| jvm.classes[up].vtable.clone());
    for func in own.functions() {
        let method = &jvm.funcs[func];
        let dispatched =
            method.access & (access::STATIC | access::PRIVATE) == 0 && !method.name.starts_with('<');
        if !dispatched {
            continue;
        }
        let mut slot = Func::NO_SLOT;
        for (index, entry) in table.iter_mut().enumerate() {
            if *entry != func && overrides(jvm, func, *entry) {
                *entry = func;
                slot = slot.min(index as u32);
            }
        }
        if slot == Func::NO_SLOT {
            slot = table.len() as u32;
            table.push(func);
        }
        jvm.funcs[func].slot = slot;
    }
    jvm.classes[class].vtable = table;
}

/// Whether a method of a subclass overrides what a slot holds (§5.4.5). Package-private methods are overridden
/// within their package only.
fn overrides(jvm: &Jvm, func: FuncId, inherited: FuncId) -> bool {
    let (new, old) = (&jvm.funcs[func], &jvm.funcs[inherited]);
    if new.name != old.name || new.descriptor != old.descriptor || new.class == old.class {
        return false;
    }
    let wide = old.access & (access::PUBLIC | access::PROTECTED) != 0;
    wide || jvm.classes[new.class].package() == jvm.classes[old.class].package()
}

/// The maximally-specific superinterface methods (§5.4.3.3), the class itself included if it is an interface:
/// neither private nor static, and no candidate's interface extends another's. In order of class ids.
pub(super) fn most_specific(jvm: &Jvm, class: ClassId, name: &str, descriptor: &str) -> Vec<FuncId> {
    let all = &jvm.classes[class].all_interfaces;
    let candidates: Vec<FuncId> = all
        .iter()
        .filter_map(|interface| jvm.declared(*interface, name, descriptor))
        .filter(|func| jvm.funcs[*func].access & (access::STATIC | access::PRIVATE) == 0)
        .collect();
    let class_of = |func: &FuncId| jvm.funcs[*func].class;
    let hidden = |func: &FuncId| {
        candidates.iter().any(|other| other != func && jvm.is_subclass(class_of(other), class_of(func)))
    };
    candidates.iter().copied().filter(|func| !hidden(func)).collect()
}

/// What a call of an interface's method runs on an object of a class (§5.4.6).
pub fn select_interface(jvm: &mut Jvm, class: ClassId, func: FuncId) -> Result<FuncId, Raise> {
    if let Some(selected) = jvm.selected.get(&(class, func)) {
        return Ok(*selected);
    }
    let selected = select(jvm, class, func)?;
    jvm.selected.insert((class, func), selected);
    Ok(selected)
}

fn select(jvm: &Jvm, class: ClassId, func: FuncId) -> Result<FuncId, Raise> {
    let method = &jvm.funcs[func];
    let receiver = names::dotted(&jvm.classes[class].name);
    let text = names::signature_text(None, &method.name, &method.signature.ty);
    let owner = &jvm.classes[method.class];
    if !jvm.is_subclass(class, method.class) {
        let message =
            format!("Class {receiver} does not implement the requested interface {}", owner.java_name());
        return Err(Raise::named("java/lang/IncompatibleClassChangeError", message));
    }
    let in_class = jvm.classes[class].ancestors.iter().rev().find_map(|up| {
        let found = jvm.declared(*up, &method.name, &method.descriptor)?;
        (jvm.funcs[found].access & (access::STATIC | access::PRIVATE) == 0).then_some(found)
    });
    let found = match in_class {
        Some(found) if !jvm.funcs[found].is(access::PUBLIC) => {
            let text = names::signature_text(
                Some(&jvm.classes[jvm.funcs[found].class].name),
                &method.name,
                &method.signature.ty,
            );
            let message = format!("class {receiver} tried to access method '{text}'");
            return Err(Raise::named("java/lang/IllegalAccessError", message));
        }
        Some(found) => Some(found),
        None => {
            let all = most_specific(jvm, class, &method.name, &method.descriptor);
            let concrete: Vec<FuncId> =
                all.into_iter().filter(|f| !jvm.funcs[*f].is(access::ABSTRACT)).collect();
            if concrete.len() > 1 {
                let texts: Vec<String> = concrete
                    .iter()
                    .map(|f| format!("{}.{}", jvm.classes[jvm.funcs[*f].class].name, method.name))
                    .collect();
                let message = format!("Conflicting default methods: {}", texts.join(" "));
                return Err(Raise::named("java/lang/IncompatibleClassChangeError", message));
            }
            concrete.first().copied()
        }
    };
    match found {
        Some(found) if !jvm.funcs[found].is(access::ABSTRACT) => Ok(found),
        _ => {
            let kind = if owner.is_interface() { "interface" } else { "class" };
            let message = format!(
                "Receiver class {receiver} does not define or inherit an implementation of the resolved method \
                 'abstract {text}' of {kind} {}.",
                owner.java_name()
            );
            Err(Raise::named("java/lang/AbstractMethodError", message))
        }
    }
}

/// What `invokespecial` in a method of class `caller` runs for a resolved method (JVMS §6.5).
pub fn select_special(
    jvm: &Jvm,
    caller: ClassId,
    referenced: ClassId,
    resolved: FuncId,
) -> Result<FuncId, LinkError> {
    let method = &jvm.funcs[resolved];
    if method.name.starts_with('<') || method.is(access::PRIVATE) {
        return Ok(resolved);
    }
    let here = &jvm.classes[caller];
    let to = &jvm.classes[referenced];
    let above = caller != referenced && !to.is_interface() && jvm.is_subclass(caller, referenced);
    let start = match here.superclass {
        Some(superclass) if above && here.access & access::SUPER != 0 => superclass,
        _ => referenced,
    };
    let in_class = match jvm.classes[start].is_interface() {
        true => jvm.declared(start, &method.name, &method.descriptor),
        false => in_superclasses(jvm, start, &method.name, &method.descriptor),
    };
    let found = in_class.filter(|f| !jvm.funcs[*f].is_static()).or_else(|| {
        let all = most_specific(jvm, start, &method.name, &method.descriptor);
        all.into_iter().find(|f| !jvm.funcs[*f].is(access::ABSTRACT))
    });
    match found.or(Some(resolved)) {
        Some(found) if !jvm.funcs[found].is(access::ABSTRACT) => Ok(found),
        _ => {
            let text = names::signature_text(Some(&to.name), &method.name, &method.signature.ty);
            Err(LinkError::new("java/lang/AbstractMethodError", text))
        }
    }
}
