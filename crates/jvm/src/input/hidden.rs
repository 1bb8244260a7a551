//! Objects of classes that a test cannot name: what returns them, and by which type they are used.
//!
//! `Ints.asList` returns a `List` whose class is private. A test calls `Ints.asList(1, 2).get(0)`: the method is named by
//! a type that the test may write, the code that runs is that of the private class.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ir::{ClassId, FuncId};
use vm::Vm;

use super::effects::writes;
use super::generic::{self, Generic};
use super::made_up::env_in;
use super::owners::changes_of_owners;
use super::producers::{constant, producer};
use super::recipe::{Make, Way, add_changes, can_call, can_name, prepare_makes, way};
use super::{Kind, kind_for};
use crate::load::{ClassFile, Field, FieldType, Instr, Method, access};
use crate::world::Jvm;

/// A method that runs code of classes without a name.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// The type by which the objects are used.
    pub ty: ClassId,
    /// Its arguments, where they are known.
    pub args: Vec<Generic>,
    /// How they are made.
    pub kind: Kind,
    /// The method as the type declares it.
    pub func: FuncId,
    /// What the object is called in tests, unless after its type.
    pub name: Option<String>,
    /// The classes without a name that have the code.
    pub classes: Vec<ClassId>,
    /// Code of the program that the call runs and that cannot be told from the type: the bodies of lambdas.
    pub runs: Vec<FuncId>,
}

/// What makes objects of one type, and of which classes they are.
#[derive(Default)]
struct Source {
    makes: Vec<Make>,
    classes: Vec<ClassId>,
}

/// By the type and its arguments.
type Sources = BTreeMap<(Arc<str>, Vec<Generic>), Source>;

impl Source {
    fn add(&mut self, classes: Vec<ClassId>) {
        for class in classes {
            if !self.classes.contains(&class) {
                self.classes.push(class);
            }
        }
    }
}

const MAX_MAKES: usize = 6;
/// Helpers are followed so deep.
const MAX_DEPTH: u32 = 3;

/// Whether a test gets objects of a class only by another type: only the classes around it and in it can call its constructors, and
/// none of them hands it out by its name.
pub fn is_only_handed_out(file: &ClassFile, mut nest: impl Iterator<Item = impl Borrow<ClassFile>>) -> bool {
    let own = |m: &&Method| &*m.name == "<init>" && m.access & access::SYNTHETIC == 0;
    let mut constructors = file.methods.iter().filter(own).peekable();
    let kinds = access::ABSTRACT | access::INTERFACE | access::ENUM;
    let for_others = |m: &Method| &*m.name != "<init>" && m.access & (access::STATIC | access::PRIVATE) == 0;
    if file.modifiers() & kinds != 0
        || constructors.peek().is_none()
        || constructors.any(|m| m.access & access::PRIVATE == 0)
        || !file.methods.iter().any(for_others)
    {
        return false;
    }
    let is_it = |ty: &FieldType| matches!(ty, FieldType::Class(name) if *name == file.name);
    let open = |access: u16| access & access::PRIVATE == 0;
    let returns = |m: &Method| open(m.access) && m.ty.ret.as_ref().is_some_and(is_it);
    let holds = |f: &Field| open(f.access) && is_it(&f.ty);
    !nest.any(|file| {
        let file: &ClassFile = file.borrow();
        file.methods.iter().any(returns) || file.fields.iter().any(holds)
    })
}

/// Methods of hidden classes among `nested`, by the types through which a test can call them. `nested` are classes
/// inside `class`.
pub fn hidden(vm: &mut Vm<Jvm>, class: ClassId, nested: &[ClassId]) -> Vec<Hidden> {
    vm.lang.worlds.handed.clear();
    let mut unnamed: Vec<ClassId> = nested.to_vec();
    unnamed.retain(|c| vm.lang.classes[*c].access & (access::ABSTRACT | access::INTERFACE) == 0);
    let nest: Vec<Arc<ClassFile>> =
        std::iter::once(&class).chain(nested).filter_map(|c| vm.lang.classes[*c].file.clone()).collect();
    let only_handed_out = |jvm: &Jvm, c: ClassId| {
        let file = jvm.classes[c].file.as_ref();
        file.is_some_and(|file| is_only_handed_out(file, nest.iter().cloned()))
    };
    unnamed.retain(|c| !can_name(&vm.lang, *c) || only_handed_out(&vm.lang, *c));
    if unnamed.is_empty() {
        return Vec::new();
    }
    let mut sources: Sources = BTreeMap::new();
    let mut owners: Vec<ClassId> = std::iter::once(class).chain(nested.iter().copied()).collect();
    owners.retain(|c| can_name(&vm.lang, *c) && !unnamed.contains(c));
    for owner in owners {
        // Constants of an enum that have a body, subclasses that implement an abstract class.
        let below: Vec<ClassId> =
            unnamed.iter().copied().filter(|c| vm.lang.is_subclass(*c, owner)).collect();
        if !below.is_empty() {
            sources.entry((vm.lang.classes[owner].name.clone(), Vec::new())).or_default().add(below);
        }
        methods_of(vm, owner, &unnamed, &mut sources);
        fields_of(vm, owner, &unnamed, &mut sources);
    }
    let mut found = Vec::new();
    for ((name, args), source) in sources {
        let Ok(ty) = vm.lang.class(&name) else { continue };
        let inside = ty == class || nested.contains(&ty);
        let kind = match inside {
            // It has a recipe of its own.
            true => kind_for(vm, &Generic::Class(name.clone(), Vec::new())),
            false => {
                let ty_name = Generic::Class(name.clone(), args.clone());
                let key = format!("hidden {ty_name} of {}", vm.lang.classes[class].name);
                let mut makes = source.makes;
                makes.truncate(MAX_MAKES);
                let of_owners = changes_of_owners(vm, &makes);
                let key = prepare_makes(vm, &key, ty, args.clone(), |_| makes);
                let mut changes = changes(vm, ty, &args, &source.classes);
                changes.extend(of_owners);
                add_changes(vm, &key, changes);
                Kind::Object(key)
            }
        };
        vm.lang.worlds.handed.extend(source.classes.iter().map(|class| (*class, kind.clone())));
        for func in callable(&mut vm.lang, ty, &source.classes) {
            // Methods that a class of the program declares are explored as its own.
            let known = found.iter().any(|h: &Hidden| h.ty == ty && h.func == func);
            if inside && (known || vm.lang.funcs[func].class == ty) {
                continue;
            }
            found.push(Hidden {
                ty,
                args: args.clone(),
                kind: kind.clone(),
                func,
                name: None,
                classes: source.classes.clone(),
                runs: Vec::new(),
            });
        }
    }
    found
}

/// Methods of a type that change objects of hidden classes: an iterator's `next()`.
fn changes(
    vm: &mut Vm<Jvm>,
    ty: ClassId,
    args: &[Generic],
    classes: &[ClassId],
) -> Vec<(Way, BTreeSet<Arc<str>>)> {
    vm.lang.know_subtypes();
    let mut found = Vec::new();
    for func in callable(&mut vm.lang, ty, classes) {
        let mut written: Option<BTreeSet<Arc<str>>> = None;
        for class in classes {
            let target = crate::observe::dispatched_in(&mut vm.lang, *class, func);
            if let Some(fields) = target.and_then(|target| writes(&vm.lang, *class, target)) {
                written.get_or_insert_default().extend(fields);
            }
        }
        let f = &vm.lang.funcs[func];
        let plain = f.signature.ty.params.len() <= 4 && f.class != vm.lang.known.object;
        if let Some(written) = written.filter(|_| plain) {
            let env = env_in(&vm.lang, ty, args, f.class, 0).unwrap_or_default();
            found.push((way(vm, func, &env), written));
        }
    }
    found
}

/// The types of the parameters of a hidden method.
pub fn params_of(jvm: &Jvm, hidden: &Hidden) -> Vec<Generic> {
    let owner = jvm.funcs[hidden.func].class;
    let env = env_in(jvm, hidden.ty, &hidden.args, owner, 0).unwrap_or_default();
    super::param_types(jvm, hidden.func, &env)
}

/// Methods that return what they make by another type.
fn methods_of(vm: &mut Vm<Jvm>, owner: ClassId, unnamed: &[ClassId], sources: &mut Sources) {
    for func in vm.lang.classes[owner].functions() {
        let f = &vm.lang.funcs[func];
        if f.name.starts_with('<') || f.access & access::ABSTRACT != 0 || !can_call(&vm.lang, func) {
            continue;
        }
        let (is_static, Some(ret)) = (f.is_static(), f.signature.ty.ret.clone()) else { continue };
        let FieldType::Class(name) = ret.clone() else { continue };
        let mut made = Vec::new();
        mentioned(&vm.lang, owner, func, unnamed, &mut made, 0);
        let Some(made) = fitting(vm, &name, made) else { continue };
        let Some(way) = producer(vm, owner, func, is_static) else { continue };
        let file = vm.lang.classes[owner].file.clone();
        let f = &vm.lang.funcs[func];
        let signature =
            file.as_deref().and_then(|file| file.method(&f.name, &f.descriptor)?.signature.clone());
        let result = generic::result(signature.as_deref(), &ret, &Vec::new());
        enter(sources, name, result, Make::Call(way), made);
    }
}

/// Constants whose class is hidden behind another type.
fn fields_of(vm: &mut Vm<Jvm>, owner: ClassId, unnamed: &[ClassId], sources: &mut Sources) {
    let Some(initialiser) = vm.lang.declared(owner, "<clinit>", "()V") else { return };
    let mut made = Vec::new();
    mentioned(&vm.lang, owner, initialiser, unnamed, &mut made, 0);
    let file = vm.lang.classes[owner].file.clone();
    let near = super::recipe::is_near(&vm.lang, owner);
    for field in file.iter().flat_map(|f| &f.fields) {
        let open = field.access & access::PUBLIC != 0 || near && field.access & access::PRIVATE == 0;
        let hidden = access::SYNTHETIC | access::ENUM;
        let (FieldType::Class(name), true) = (&field.ty, field.access & access::STATIC != 0) else {
            continue;
        };
        if !open || field.access & hidden != 0 {
            continue;
        }
        let Some(made) = fitting(vm, name, made.clone()) else { continue };
        let Some(make) = constant(&vm.lang, owner, &field.name, &field.descriptor) else { continue };
        let ty = Generic::of_field(field.signature.as_deref(), &field.ty, &Vec::new());
        enter(sources, name.clone(), ty, make, made);
    }
}

/// Those of some classes that are of a type which a test may name.
fn fitting(vm: &mut Vm<Jvm>, ty: &str, mut made: Vec<ClassId>) -> Option<Vec<ClassId>> {
    if made.is_empty() || ty == "java/lang/Object" {
        return None;
    }
    let ty = vm.lang.class(ty).ok().filter(|ty| can_name(&vm.lang, *ty))?;
    made.retain(|class| vm.lang.is_subclass(*class, ty));
    (!made.is_empty()).then_some(made)
}

fn enter(sources: &mut Sources, name: Arc<str>, ty: Generic, make: Make, classes: Vec<ClassId>) {
    let args = match ty {
        Generic::Class(_, args) => args,
        _ => Vec::new(),
    };
    let source = sources.entry((name, args)).or_default();
    source.makes.push(make);
    source.add(classes);
}

/// The hidden classes whose objects a method makes or takes from a constant, itself or by helpers.
fn mentioned(
    jvm: &Jvm,
    owner: ClassId,
    func: FuncId,
    unnamed: &[ClassId],
    found: &mut Vec<ClassId>,
    depth: u32,
) {
    let Some(file) = &jvm.classes[owner].file else { return };
    let f = &jvm.funcs[func];
    let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else { return };
    for (_, instr) in &code.instrs {
        let (class, called) = match instr {
            Instr::New(cp) => (file.pool.class(*cp).ok(), None),
            Instr::GetStatic(cp) => (file.pool.field(*cp).ok().map(|f| f.class), None),
            Instr::InvokeStatic(cp) | Instr::InvokeSpecial(cp) | Instr::InvokeVirtual(cp) => {
                let method = file.pool.method(*cp).ok();
                (method.as_ref().map(|m| m.class), method)
            }
            _ => continue,
        };
        let Some(class) = class.and_then(|name| jvm.loaded(name)) else { continue };
        if unnamed.contains(&class) && !found.contains(&class) {
            found.push(class);
        }
        let inside = class == owner || unnamed.contains(&class);
        if let Some(called) = called.filter(|_| inside && depth < MAX_DEPTH)
            && let Some(callee) = jvm.declared(class, called.name, called.descriptor)
            && callee != func
        {
            mentioned(jvm, class, callee, unnamed, found, depth + 1);
        }
    }
}

/// Methods of a type that run code of the program on objects of some classes; each once.
fn callable(jvm: &mut Jvm, ty: ClassId, classes: &[ClassId]) -> Vec<FuncId> {
    let mut owners: Vec<ClassId> = vec![ty];
    owners.extend(jvm.classes[ty].ancestors.iter().rev().copied());
    owners.extend(jvm.classes[ty].all_interfaces.iter().copied());
    owners.push(jvm.known.object);
    // What a bridge leads on is called by the types that the class below gives it.
    let functions = owners.iter().flat_map(|owner| jvm.classes[*owner].functions());
    let leads_on = |func: &FuncId| {
        let bridge = &jvm.funcs[*func];
        let mut beside = jvm.classes[bridge.class].functions().map(|func| &jvm.funcs[func]);
        bridge.access & access::BRIDGE != 0
            && beside.any(|f| f.name == bridge.name && f.access & access::SYNTHETIC == 0)
    };
    let bridges: Vec<FuncId> = functions.filter(leads_on).collect();
    let mut found: Vec<FuncId> = Vec::new();
    for owner in owners {
        for func in jvm.classes[owner].functions() {
            let f = &jvm.funcs[func];
            let hidden = access::STATIC | access::PRIVATE | access::SYNTHETIC;
            let known = found
                .iter()
                .chain(&bridges)
                .any(|g| jvm.funcs[*g].name == f.name && jvm.funcs[*g].descriptor == f.descriptor);
            if f.access & hidden != 0 || !f.is(access::PUBLIC) || f.name.starts_with('<') || known {
                continue;
            }
            let runs = |class: &ClassId| {
                crate::observe::dispatched_in(jvm, *class, func)
                    .is_some_and(|target| jvm.funcs[target].tracked)
            };
            if classes.iter().any(runs) {
                found.push(func);
            }
        }
    }
    found
}
