//! Objects that something else makes: methods that return them, constants that hold them.

use std::sync::Arc;

use ir::{ClassId, FuncId};
use vm::{ObjId, Outcome, Stop, Vm};

use super::generic::{self, Env};
use super::recipe::{Make, Way, can_call, can_name, prepare_makes, way};
use super::{Kind, kind_for};
use crate::input::Generic;
use crate::link::ClassOrigin;
use crate::load::{FieldType, Instr, access};
use crate::world::Jvm;

/// A static field that holds an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    pub owner: ClassId,
    pub name: Arc<str>,
    offset: u32,
}

const MAX_PRODUCERS: usize = 4;
const MAX_CONSTANTS: usize = 4;
/// Methods with more parameters are nothing a person would call to get an object.
const MAX_PARAMS: usize = 8;

/// Methods of other classes that return objects of a class: of those it is nested with; if nothing else makes one,
/// of its package.
pub(super) fn producers(vm: &mut Vm<Jvm>, class: ClassId, alone: bool) -> Vec<Way> {
    let near = nest(vm, class);
    let mut found = of_classes(vm, class, near);
    if found.is_empty() && alone {
        let package = vm.lang.classes[class].package().to_string();
        let near = |name: &String| {
            name.strip_prefix(&package).is_some_and(|rest| {
                rest.strip_prefix('/').unwrap_or(rest).find('/').is_none()
                    && (rest.starts_with('/') || package.is_empty())
            })
        };
        let names = vm.lang.path.list_all().unwrap_or_default();
        let ends = format!(")L{};", vm.lang.classes[class].name);
        let makes = |name: &String| {
            let file = vm.lang.path.load(name).ok().flatten();
            file.is_some_and(|(file, _)| file.methods.iter().any(|m| m.descriptor.ends_with(&*ends)))
        };
        let names: Vec<String> = names.into_iter().filter(near).filter(makes).collect();
        let owners = names.iter().filter_map(|name| vm.lang.class(name).ok()).collect();
        found = of_classes(vm, class, owners);
    }
    found
}

/// The class at the top of those that a class is nested in, and all that are nested in it.
pub(super) fn nest(vm: &mut Vm<Jvm>, class: ClassId) -> Vec<ClassId> {
    let name = vm.lang.classes[class].name.clone();
    let top = name.split('$').next().unwrap_or(&name).to_string();
    let Ok(top) = vm.lang.class(&top) else { return vec![class] };
    let inside = format!("{}$", vm.lang.classes[top].name);
    let file = vm.lang.classes[top].file.clone();
    let names = file.iter().flat_map(|f| f.inner_classes.iter().map(|inner| inner.inner.clone()));
    let mut found = vec![top];
    for name in names.filter(|name| name.starts_with(&inside)) {
        if let Ok(class) = vm.lang.class(&name)
            && !found.contains(&class)
        {
            found.push(class);
        }
    }
    found
}

fn of_classes(vm: &mut Vm<Jvm>, class: ClassId, owners: Vec<ClassId>) -> Vec<Way> {
    let mut found: Vec<Way> = Vec::new();
    let wanted = FieldType::Class(vm.lang.classes[class].name.clone());
    for owner in owners {
        if owner == class || vm.lang.is_subclass(owner, class) || !can_name(&vm.lang, owner) {
            continue;
        }
        for func in vm.lang.classes[owner].functions() {
            let f = &vm.lang.funcs[func];
            let fits = f.signature.ty.ret.as_ref() == Some(&wanted)
                && f.signature.ty.params.len() <= MAX_PARAMS
                // What takes one to give one makes nothing from nothing.
                && !f.signature.ty.params.contains(&wanted)
                && f.access & access::ABSTRACT == 0
                && can_call(&vm.lang, func);
            if !fits {
                continue;
            }
            let is_static = f.is_static();
            if let Some(way) = producer(vm, owner, func, is_static) {
                found.push(way);
            }
        }
    }
    found.sort_by_key(|way| {
        let fixed = way.params.iter().any(|p| matches!(p.kind, Kind::Null(_)));
        (fixed, way.on.is_some(), std::cmp::Reverse(way.params.len()), way.func)
    });
    found.truncate(MAX_PRODUCERS);
    found
}

/// Types of the library that hold what a factory makes, and the methods that hand it out.
const HOLDERS: [(&str, &str, &str); 3] = [
    ("java/util/Optional", "get", "()Ljava/lang/Object;"),
    ("java/util/List", "get", "(I)Ljava/lang/Object;"),
    ("java/util/concurrent/CompletableFuture", "join", "()Ljava/lang/Object;"),
];

/// Factories that return objects of a class inside others: `static Optional<Line> parse(String text)`.
pub(super) fn held(vm: &mut Vm<Jvm>, class: ClassId) -> Vec<Way> {
    let wanted = Generic::Class(vm.lang.classes[class].name.clone(), Vec::new());
    let mut found = Vec::new();
    for owner in nest(vm, class) {
        if !can_name(&vm.lang, owner) {
            continue;
        }
        for func in vm.lang.classes[owner].functions() {
            let f = &vm.lang.funcs[func];
            let (true, Some(ret)) = (f.is_static() && can_call(&vm.lang, func), f.signature.ty.ret.clone())
            else {
                continue;
            };
            let FieldType::Class(holder) = &ret else { continue };
            let Some((_, method, descriptor)) = HOLDERS.iter().find(|(name, ..)| *name == &**holder) else {
                continue;
            };
            let file = vm.lang.classes[owner].file.clone();
            let declared = file.as_deref().and_then(|file| file.method(&f.name, &f.descriptor));
            let result = generic::result(declared.and_then(|m| m.signature.as_deref()), &ret, &Env::new());
            let Generic::Class(_, args) = result else { continue };
            if args != [wanted.clone()] {
                continue;
            }
            let key = format!("{} of {}{}", vm.lang.classes[owner].name, f.name, f.descriptor);
            let Ok(holder) = vm.lang.class(holder) else { continue };
            let Ok(get) = vm.lang.method(holder, method, descriptor) else { continue };
            let on = prepare_makes(vm, &key, holder, args, |vm| vec![Make::Call(way(vm, func, &Env::new()))]);
            found.push(Way { on: Some(Kind::Object(on)), ..way(vm, get, &Env::new()) });
        }
    }
    found.truncate(MAX_PRODUCERS);
    found
}

/// A call of a method that returns an object, on an object that can be made, if it is not static.
pub(super) fn producer(vm: &mut Vm<Jvm>, owner: ClassId, func: ir::FuncId, is_static: bool) -> Option<Way> {
    let on = match is_static {
        true => None,
        false => {
            let ty = Generic::Class(vm.lang.classes[owner].name.clone(), Vec::new());
            match kind_for(vm, &ty) {
                Kind::Null(_) => return None,
                // Being found out at this moment: it may need what we are looking for.
                Kind::Object(key) if vm.lang.worlds.preparing.contains(&key) => return None,
                kind => Some(kind),
            }
        }
    };
    Some(Way { on, ..way(vm, func, &Env::new()) })
}

/// So many methods are tried by which an object hands out another of its class.
const MAX_PARTS: usize = 2;

/// Methods by which an object hands out another one of its class that it is linked with: `tree.find(3)`, `node.next()`. What is made
/// so is part of something, as what a constructor makes may never be (a node that knows its parent).
pub(super) fn linked(vm: &mut Vm<Jvm>, class: ClassId, key: &Arc<str>, env: &Env) -> Vec<Way> {
    let own = FieldType::Class(vm.lang.classes[class].name.clone());
    let jvm = &vm.lang;
    let is_link = |field: &crate::link::FieldInfo| {
        !field.is_static() && FieldType::parse(&field.descriptor).as_ref() == Some(&own)
    };
    if !can_name(jvm, class) || !jvm.classes[class].fields.iter().any(is_link) {
        return Vec::new();
    }
    let fits = |func: &FuncId| {
        let f = &jvm.funcs[*func];
        f.signature.ty.ret.as_ref() == Some(&own)
            && !f.signature.ty.params.contains(&own)
            && f.signature.ty.params.len() <= MAX_PARAMS
            && f.access & (access::STATIC | access::ABSTRACT) == 0
            && can_call(jvm, *func)
            && hands_out(jvm, class, *func)
    };
    let mut found: Vec<FuncId> = jvm.classes[class].functions().filter(fits).collect();
    found.truncate(MAX_PARTS);
    found.into_iter().map(|func| Way { on: Some(Kind::Object(key.clone())), ..way(vm, func, env) }).collect()
}

/// Whether a method returns anything but the object that it is called on, as fluent ones do.
fn hands_out(jvm: &Jvm, class: ClassId, func: FuncId) -> bool {
    let Some(file) = &jvm.classes[class].file else { return false };
    let f = &jvm.funcs[func];
    let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else {
        return false;
    };
    code.instrs.windows(2).any(|pair| match (&pair[0].1, &pair[1].1) {
        (Instr::Load(_, 0), Instr::Return(_)) => false,
        (_, last) => matches!(last, Instr::Return(Some(_))),
    })
}

/// Constants that hold objects of a class: its own, and those of the classes it is nested in.
pub(super) fn constants(vm: &mut Vm<Jvm>, class: ClassId) -> Vec<Constant> {
    let name = vm.lang.classes[class].name.clone();
    let mut owners = vec![name.to_string()];
    if vm.lang.classes[class].origin != ClassOrigin::Library {
        let mut outer = &*name;
        while let Some((before, _)) = outer.rsplit_once('$') {
            owners.push(before.to_string());
            outer = before;
        }
    }
    if &*name == "java/nio/charset/Charset" {
        owners = vec!["java/nio/charset/StandardCharsets".to_string()];
    }
    let descriptor = format!("L{name};");
    let mut found = Vec::new();
    for owner in owners {
        let Ok(owner) = vm.lang.class(&owner) else { continue };
        if !can_name(&vm.lang, owner) {
            continue;
        }
        let near = super::recipe::is_near(&vm.lang, owner);
        for field in &vm.lang.classes[owner].fields {
            let wanted = access::STATIC | access::FINAL;
            let hidden = access::PRIVATE | access::SYNTHETIC | access::ENUM;
            let open = field.access & access::PUBLIC != 0 || near;
            if field.access & wanted == wanted
                && field.access & hidden == 0
                && open
                && *field.descriptor == *descriptor
            {
                found.push(Constant { owner, name: field.name.clone(), offset: field.offset });
            }
        }
    }
    found.truncate(MAX_CONSTANTS);
    found
}

/// Static fields of a class as ways to an object, by their name and descriptor.
pub fn constant(jvm: &Jvm, owner: ClassId, name: &str, descriptor: &str) -> Option<Make> {
    let field = jvm.classes[owner].field(name, descriptor).filter(|f| f.is_static())?;
    Some(Make::Constant(Constant { owner, name: field.name.clone(), offset: field.offset }))
}

/// The object that a constant holds.
pub(super) fn read(vm: &mut Vm<Jvm>, constant: &Constant) -> Result<ObjId, Stop> {
    match super::initialise(vm, constant.owner) {
        Ok(()) => {}
        Err(Outcome::Stopped(stop)) => return Err(stop),
        Err(_) => return Err(Stop::Assumption),
    }
    let mirror = <Jvm as vm::Lang>::statics(vm, constant.owner)?;
    let object = vm.heap.read_ref(mirror, constant.offset);
    if object.is_null() { Err(Stop::Assumption) } else { Ok(object) }
}
