//! Objects that others change: methods and constructors that take one and assign its fields, as those do by which two objects
//! come to know each other (`parent.add(child)`, `new Employee(department)`).

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::{ClassId, FuncId, MemType, Op};
use vm::{Callable, Vm};

use super::effects::{is_changeable, reads_only, writes};
use super::generic::Env;
use super::producers::nest;
use super::recipe::{FieldWay, Way, can_call, can_name, way};
use super::{Generic, Kind, kind_for};
use crate::link::ClassOrigin;
use crate::load::{FieldType, access};
use crate::world::Jvm;

/// So many of them are tried for one class.
const MOST: usize = 4;
const MAX_PARAMS: usize = 4;

/// Calls that are given an object of a class and change it, and the names of the fields that they write of it.
pub(super) fn takers(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    fields: &[FieldWay],
) -> Vec<(Way, BTreeSet<Arc<str>>)> {
    let mut found = Vec::new();
    for owner in acquainted(vm, class) {
        let functions: Vec<FuncId> = vm.lang.classes[owner].functions().collect();
        for func in functions {
            if found.len() < MOST
                && let Some(taker) = taker(vm, class, owner, func, fields)
            {
                found.push(taker);
            }
        }
    }
    found
}

/// The classes whose objects may know those of a class: it is nested with them, or its fields hold them.
fn acquainted(vm: &mut Vm<Jvm>, class: ClassId) -> Vec<ClassId> {
    let mut found = nest(vm, class);
    if !found.contains(&class) {
        found.insert(0, class);
    }
    let names: Vec<Arc<str>> = vm.lang.classes[class]
        .fields
        .iter()
        .filter(|field| !field.is_static())
        .filter_map(|field| match FieldType::parse(&field.descriptor) {
            Some(FieldType::Class(name)) => Some(name),
            _ => None,
        })
        .collect();
    for name in names {
        if let Ok(held) = vm.lang.class(&name)
            && !found.contains(&held)
        {
            found.push(held);
        }
    }
    found
        .retain(|class| vm.lang.classes[*class].origin != ClassOrigin::Library && can_name(&vm.lang, *class));
    found
}

fn taker(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    owner: ClassId,
    func: FuncId,
    fields: &[FieldWay],
) -> Option<(Way, BTreeSet<Arc<str>>)> {
    let f = &vm.lang.funcs[func];
    let constructor = &*f.name == "<init>";
    let is_abstract = vm.lang.classes[owner].access & access::ABSTRACT != 0;
    let fits = can_call(&vm.lang, func)
        && f.access & access::ABSTRACT == 0
        && f.signature.ty.params.len() <= MAX_PARAMS
        && (constructor && owner != class && !is_abstract || !f.name.starts_with('<'));
    if !fits {
        return None;
    }
    let is_static = f.is_static();
    let takes = |ty: &FieldType| match ty {
        FieldType::Class(name) => vm.lang.loaded(name).is_some_and(|ty| {
            vm.lang.classes[ty].origin != ClassOrigin::Library && vm.lang.is_subclass(class, ty)
        }),
        _ => false,
    };
    let given = f.signature.ty.params.iter().position(takes)?;
    let mut written = assigned(vm, class, func, given + usize::from(!is_static))?;
    // What a test assigns, or a setter, needs no other object.
    written.retain(|field| !fields.iter().any(|way| way.name == *field));
    if written.is_empty() {
        return None;
    }
    let on = match is_static || constructor {
        true => None,
        false => match kind_for(vm, &Generic::Class(vm.lang.classes[owner].name.clone(), Vec::new())) {
            Kind::Null(_) => return None,
            kind => Some(kind),
        },
    };
    Some((Way { on, given: Some(given), ..way(vm, func, &Env::new()) }, written))
}

/// Names of the fields of a class that a function changes of what it is given: those that it assigns, those whose objects it tells
/// something (`department.members.add(this)`), and what methods write that it calls on it.
fn assigned(vm: &mut Vm<Jvm>, class: ClassId, func: FuncId, param: usize) -> Option<BTreeSet<Arc<str>>> {
    let Ok(Callable::Ir(code)) = <Jvm as vm::Lang>::function(vm, func) else { return None };
    let jvm = &vm.lang;
    let field_at = |offset: u32| {
        let owners = jvm.classes[class].ancestors.iter();
        let mut fields = owners.flat_map(|owner| &jvm.classes[*owner].fields);
        fields.find(|field| !field.is_static() && field.offset == offset)
    };
    let mut found = BTreeSet::new();
    // What fields of it the registers hold, as far as one can see without following branches.
    let mut held: Vec<(u32, Arc<str>)> = Vec::new();
    for inst in &code.code {
        let loads = inst.op == Op::load(MemType::Ref) && inst.a as usize == param;
        if MemType::ALL.iter().any(|ty| inst.op == Op::store(*ty)) && inst.a as usize == param {
            found.extend(field_at(inst.b).map(|field| field.name.clone()));
        }
        let callee = match inst.op {
            Op::Call | Op::CallIface => Some(FuncId(inst.a)),
            Op::CallVirt => jvm.classes[class].vtable.get(inst.a as usize).copied(),
            _ => None,
        };
        let on = callee.and_then(|_| code.list(inst.b).first().copied());
        if let (Some(callee), Some(on)) = (callee, on) {
            let of_it =
                jvm.funcs.get(callee).is_some_and(|f| jvm.classes[class].ancestors.contains(&f.class));
            if on.0 as usize == param && of_it && &*jvm.funcs[callee].name != "<init>" {
                found.extend(writes(jvm, class, callee).into_iter().flatten());
            }
            // A slot is one of the class that is called, which is not known here.
            let told = inst.op == Op::CallVirt
                || jvm.funcs.get(callee).is_some_and(|f| !reads_only(&f.name, &f.descriptor));
            found.extend(held.iter().filter(|(reg, _)| *reg == on.0 && told).map(|(_, name)| name.clone()));
        }
        held.retain(|(reg, _)| *reg != inst.dst.0);
        if loads && let Some(field) = field_at(inst.b).filter(|field| is_changeable(&field.descriptor)) {
            held.push((inst.dst.0, field.name.clone()));
        }
    }
    Some(found)
}
