//! Resolution of fields and methods (JVMS §5.4.3). Access is not checked.

use ir::{ClassId, FuncId, MemType};

use super::dispatch::most_specific;
use super::{LinkError, names};
use crate::load::{FieldType, MethodType, access};
use crate::world::Jvm;

/// A resolved field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolvedField {
    /// The declaring class.
    pub class: ClassId,
    /// In the object, or in the declaring class's mirror if it is static.
    pub offset: u32,
    pub ty: MemType,
    pub is_static: bool,
    pub is_final: bool,
}

/// Finds a field in a class, its superinterfaces, its superclasses (§5.4.3.2).
pub fn resolve_field(
    jvm: &Jvm,
    class: ClassId,
    name: &str,
    descriptor: &str,
) -> Result<ResolvedField, LinkError> {
    let mut at = Some(class);
    while let Some(here) = at {
        let own = &jvm.classes[here];
        // Superinterfaces of a superclass come with that superclass; looking at all of them here would let a
        // distant interface hide the superclass's field.
        let found = own.field(name, descriptor).map(|field| (here, field)).or_else(|| {
            own.interfaces.iter().find_map(|interface| {
                let all = jvm.classes[*interface].all_interfaces.iter();
                all.rev().find_map(|i| jvm.classes[*i].field(name, descriptor).map(|field| (*i, field)))
            })
        });
        if let Some((class, field)) = found {
            return Ok(ResolvedField {
                class,
                offset: field.offset,
                ty: field.ty,
                is_static: field.is_static(),
                is_final: field.access & access::FINAL != 0,
            });
        }
        at = own.superclass;
    }
    let message = if jvm.path.jdk().feature < 21 {
        name.to_string()
    } else {
        let ty = FieldType::parse(descriptor).map_or_else(String::new, |ty| names::type_text(&ty));
        let class = names::dotted(&jvm.classes[class].name);
        format!("Class {class} does not have member field '{ty} {name}'")
    };
    Err(LinkError::new("java/lang/NoSuchFieldError", message))
}

/// Finds a method from a class (§5.4.3.3) or interface (§5.4.3.4) reference on.
pub fn resolve_method(
    jvm: &mut Jvm,
    class: ClassId,
    name: &str,
    descriptor: &str,
    interface: bool,
) -> Result<FuncId, LinkError> {
    let own = &jvm.classes[class];
    if own.is_interface() != interface {
        let (found, expected) = match interface {
            true => ("class", "interface"),
            false => ("interface", "class"),
        };
        let name = names::dotted(&own.name);
        let message = format!("Found {found} {name}, but {expected} was expected");
        return Err(LinkError::incompatible(message));
    }
    if let Some(func) = find(jvm, class, name, descriptor) {
        return Ok(func);
    }
    let ty = MethodType::parse(descriptor);
    let text = ty.map_or_else(
        || format!("{}.{name}{descriptor}", jvm.classes[class].name),
        |ty| names::signature_text(Some(&jvm.classes[class].name), name, &ty),
    );
    Err(LinkError::new("java/lang/NoSuchMethodError", format!("'{text}'")))
}

fn find(jvm: &Jvm, class: ClassId, name: &str, descriptor: &str) -> Option<FuncId> {
    if jvm.classes[class].is_interface() {
        if let Some(func) = jvm.declared(class, name, descriptor) {
            return Some(func);
        }
        let object = jvm.declared(jvm.known.object, name, descriptor);
        let public = object.filter(|f| {
            let func = &jvm.funcs[*f];
            func.is(access::PUBLIC) && !func.is_static()
        });
        if public.is_some() {
            return public;
        }
    } else if let Some(func) = in_superclasses(jvm, class, name, descriptor) {
        return Some(func);
    }
    let candidates = most_specific(jvm, class, name, descriptor);
    let concrete: Vec<FuncId> =
        candidates.iter().copied().filter(|f| !jvm.funcs[*f].is(access::ABSTRACT)).collect();
    match concrete.as_slice() {
        [one] => Some(*one),
        _ => candidates.first().copied(),
    }
}

/// The method that a class or its nearest superclass declares.
pub(super) fn in_superclasses(jvm: &Jvm, class: ClassId, name: &str, descriptor: &str) -> Option<FuncId> {
    jvm.classes[class].ancestors.iter().rev().find_map(|class| jvm.declared(*class, name, descriptor))
}
