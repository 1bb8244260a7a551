//! The classes that stand for interfaces and abstract classes: which methods they have, what these return and throw, and what types they
//! are of. What they do in a run is in `fake.rs`.

use std::sync::Arc;

use ir::{Builder, ClassId, FuncId, Op, Type};
use vm::{Native, Vm};

use super::Kind;
use super::callback::callback;
use super::cases::ResultCase;
use super::fake::{Fake, FakeMethod, HOOK, MAX_DEPTH, MAX_THROWN, STAND_IN, call};
use super::generic::{self, Generic};
use super::kind_for;
use super::known::{Rule, told_kind};
use super::recipe::{Way, can_call, can_name, is_inner, param_names, way};
use crate::link::{ClassOrigin, SyntheticClass, SyntheticMethod, define_synthetic, reg_type};
use crate::load::{ClassFile, FieldType, Instr, access};
use crate::world::Jvm;

/// Types with more methods are nothing to write by hand.
const MAX_METHODS: usize = 80;
/// The same of the library's abstract classes: a clock, a timer's task.
const MAX_LIBRARY_METHODS: usize = 4;
/// And of an interface of the library.
const MAX_LIBRARY_INTERFACE: usize = 12;

/// The fake of an interface or abstract class that a test may name.
pub(super) fn prepare(vm: &mut Vm<Jvm>, interface: ClassId, args: &[Generic]) -> Option<Kind> {
    prepare_with(vm, interface, args, &[])
}

/// The class that stands for an abstract one in tests of its constructors; none where a test cannot write any.
pub fn stand_in(vm: &mut Vm<Jvm>, class: ClassId) -> Option<ClassId> {
    match prepare(vm, class, &[]) {
        Some(Kind::Fake { class }) => Some(class),
        _ => None,
    }
}

/// Another one that overrides what an interface of the program has a body for, if the class under test asks for that.
pub(super) fn prepare_overriding(vm: &mut Vm<Jvm>, interface: ClassId, args: &[Generic]) -> Option<Kind> {
    let class = &vm.lang.classes[interface];
    if !class.is_interface() || class.origin == ClassOrigin::Library {
        return None;
    }
    let overridden = asked_defaults(vm, interface);
    if overridden.is_empty() { None } else { prepare_with(vm, interface, args, &overridden) }
}

fn prepare_with(
    vm: &mut Vm<Jvm>,
    interface: ClassId,
    args: &[Generic],
    overridden: &[FuncId],
) -> Option<Kind> {
    let lenient = std::mem::take(&mut vm.lang.worlds.lenient);
    let is_interface = vm.lang.classes[interface].is_interface();
    let is_open = vm.lang.classes[interface].access & access::ABSTRACT != 0 && !is_inner(&vm.lang, interface);
    if !(is_interface || is_open) || !can_name(&vm.lang, interface) {
        return None;
    }
    let file = vm.lang.classes[interface].file.clone()?;
    // Records and enums are not extended by name (JLS §8.1.4).
    if file.permitted_subclasses.is_some() || matches!(&*file.name, "java/lang/Record" | "java/lang/Enum") {
        return None;
    }
    let key = Generic::Class(vm.lang.classes[interface].name.clone(), args.to_vec()).to_string();
    // Results of fakes inside of fakes are cut short: such a fake is nothing for a place further out.
    let key = format!("{key} inside of {} with {overridden:?}", vm.lang.worlds.faking);
    let key = if lenient { format!("{key}, null too") } else { key };
    let known = vm.lang.worlds.fakes.iter().find(|(_, (k, _))| **k == *key).map(|(class, _)| *class);
    if let Some(class) = known {
        return Some(Kind::Fake { class });
    }
    let mut funcs = match is_interface {
        true => abstract_methods(&vm.lang, interface),
        false => left_abstract(vm, interface)?,
    };
    funcs.extend(overridden);
    let library = vm.lang.classes[interface].origin == ClassOrigin::Library;
    let most = match (library, is_interface) {
        (true, false) => MAX_LIBRARY_METHODS,
        // Large interfaces of the library (streams) come with promises that nobody keeps by hand.
        (true, true) => MAX_LIBRARY_INTERFACE,
        (false, _) => MAX_METHODS,
    };
    if is_interface && funcs.is_empty() || funcs.len() > most {
        return None;
    }
    let env = generic::class_env(file.signature.as_deref(), args);
    let constructor = match is_interface {
        true => None,
        // A constructor that takes an object of its own class needs another one for that.
        false if vm.lang.worlds.constructed.contains(&interface) => return None,
        false => {
            vm.lang.worlds.constructed.push(interface);
            let found = constructor(vm, interface, &env);
            vm.lang.worlds.constructed.pop();
            Some(found?)
        }
    };
    let mut methods = Vec::new();
    for func in &funcs {
        let owner = vm.lang.funcs[*func].class;
        // What the library's own classes leave open is described there, and null is no answer (`Clock.instant`).
        let by_contract = !is_interface && vm.lang.classes[owner].origin == ClassOrigin::Library;
        let env = env_in(&vm.lang, interface, args, owner, 0).unwrap_or_default();
        let result = result_kind(vm, *func, &env);
        let returns = result_type(&vm.lang, *func, &env, !args.is_empty());
        let (mut cases, params) = (known_cases(&vm.lang, interface, *func), param_names(&vm.lang, *func));
        let mut results: Vec<Kind> = result.iter().cloned().collect();
        if let (Some(kind), Some(ty)) = (result, vm.lang.funcs[*func].signature.ty.ret.clone()) {
            let told = cases.iter_mut().map(|case| told_kind(vm, &ty, kind.clone(), &mut case.then));
            let told: Vec<Kind> = told.collect();
            if !told.is_empty() {
                results = told;
            }
        }
        let throws = exceptions(vm, *func);
        let declared = vm.lang.funcs[*func].signature.ty.ret.as_ref().is_some_and(FieldType::is_reference)
            && (by_contract
                || !vm.lang.worlds.known.ignore_annotations
                    && super::nullness::returns_no_null(&vm.lang, *func, lenient));
        // What cannot be made is null whatever is declared.
        let no_null = declared && !results.iter().any(|kind| matches!(kind, Kind::Null(_)));
        let elements = match no_null {
            true => super::declared::returned_elements(&vm.lang, *func),
            false => Rule::default(),
        };
        let callback = callback(vm, *func, (interface, args));
        methods.push(FakeMethod {
            func: *func,
            results,
            returns,
            cases,
            params,
            no_null,
            elements,
            throws,
            callback,
        });
    }
    if vm.lang.native(HOOK).is_none() {
        vm.lang.register(HOOK, Native { run: call, symbolic: true });
    }
    let number = vm.lang.worlds.fakes.len();
    let class = SyntheticClass {
        name: format!("{}{STAND_IN}{number}", vm.lang.classes[interface].name),
        superclass: (!is_interface).then_some(interface),
        interfaces: if is_interface { vec![interface] } else { Vec::new() },
        fields: Vec::new(),
    };
    let class = define_synthetic(&mut vm.lang, class, |jvm, _| {
        funcs.iter().enumerate().map(|(index, func)| body(jvm, *func, index)).collect()
    });
    let fake = Fake { interface, constructor, args: args.to_vec(), methods };
    vm.lang.worlds.fakes.insert(class, (key.into(), Arc::new(fake)));
    Some(Kind::Fake { class })
}

/// The types of a method's parameters and of its result, as they are for objects of a type with these arguments.
pub fn types_on(
    jvm: &Jvm,
    class: ClassId,
    args: &[Generic],
    func: FuncId,
) -> Option<(Vec<Generic>, Option<Generic>)> {
    let f = &jvm.funcs[func];
    let env = env_in(jvm, class, args, f.class, 0)?;
    let signature =
        jvm.classes[f.class].file.as_deref()?.method(&f.name, &f.descriptor)?.signature.as_deref();
    let result = f.signature.ty.ret.as_ref().map(|ret| generic::result(signature, ret, &env));
    Some((super::param_types(jvm, func, &env), result))
}

/// What the variables of a type above another stand for, seen from there.
pub(super) fn env_in(
    jvm: &Jvm,
    class: ClassId,
    args: &[Generic],
    owner: ClassId,
    depth: u32,
) -> Option<generic::Env> {
    let file = jvm.classes[class].file.as_deref()?;
    let signature = file.signature.as_deref();
    let env = generic::class_env(signature, args);
    if class == owner {
        return Some(env);
    }
    if depth > 16 {
        return None;
    }
    let mut above = match signature {
        Some(signature) => generic::supertypes(signature, &env),
        None => {
            let names = file.interfaces.iter().chain(&file.super_name);
            names.map(|name| Generic::Class(name.clone(), Vec::new())).collect()
        }
    };
    // All that a raw type inherits is raw.
    if generic::has_params(signature) && args.is_empty() {
        above.iter_mut().for_each(|ty| {
            if let Generic::Class(_, args) = ty {
                args.clear();
            }
        });
    }
    above.iter().find_map(|ty| match ty {
        Generic::Class(name, args) => env_in(jvm, jvm.loaded(name)?, args, owner, depth + 1),
        _ => None,
    })
}

/// What is known of a method's results: of the type itself, or of the one that declares the method.
fn known_cases(jvm: &Jvm, interface: ClassId, func: FuncId) -> Vec<ResultCase> {
    let f = &jvm.funcs[func];
    let types = [interface, f.class].map(|class| jvm.worlds.known.types.get(&jvm.classes[class].name));
    let mut told = types.into_iter().flatten().filter_map(|known| known.results.get(&*f.name));
    told.next().cloned().unwrap_or_default()
}

/// What a class must implement, but for what `Object` has anyway.
pub(super) fn abstract_methods(jvm: &Jvm, interface: ClassId) -> Vec<FuncId> {
    let mut open: Vec<FuncId> = Vec::new();
    let mut defaults: Vec<FuncId> = Vec::new();
    let same = |a: FuncId, b: FuncId| {
        jvm.funcs[a].name == jvm.funcs[b].name && jvm.funcs[a].descriptor == jvm.funcs[b].descriptor
    };
    for owner in jvm.classes[interface].all_interfaces.iter() {
        for func in jvm.classes[*owner].functions() {
            let f = &jvm.funcs[func];
            if f.access & (access::STATIC | access::PRIVATE) != 0 {
                continue;
            }
            // What it has for everybody: its `clone` implements nobody's.
            let of_object = jvm
                .declared(jvm.known.object, &f.name, &f.descriptor)
                .is_some_and(|func| jvm.funcs[func].access & access::PUBLIC != 0);
            match f.access & access::ABSTRACT != 0 {
                true if !of_object => open.push(func),
                true => {}
                false => defaults.push(func),
            }
        }
    }
    // A default serves what interfaces above its own declare; one below may declare the method anew without it.
    let below = |a: FuncId, b: FuncId| {
        let (a, b) = (jvm.funcs[a].class, jvm.funcs[b].class);
        a != b && jvm.classes[a].all_interfaces.contains(&b)
    };
    open.retain(|func| !defaults.iter().any(|default| same(*default, *func) && below(*default, *func)));
    let mut found: Vec<FuncId> = Vec::new();
    for func in open {
        match found.iter_mut().find(|known| same(**known, func)) {
            // What an interface declares anew says more of results and exceptions: `Closeable.close()`.
            Some(known) if below(func, *known) => *known = func,
            Some(_) => {}
            None => found.push(func),
        }
    }
    found.sort_unstable();
    found
}

/// What a class below an abstract one must implement; none if a test cannot.
fn left_abstract(vm: &mut Vm<Jvm>, class: ClassId) -> Option<Vec<FuncId>> {
    let (ancestors, interfaces) =
        (vm.lang.classes[class].ancestors.clone(), vm.lang.classes[class].all_interfaces.clone());
    let mut found: Vec<FuncId> = Vec::new();
    for owner in ancestors.iter().chain(interfaces.iter()) {
        for func in vm.lang.classes[*owner].functions().collect::<Vec<_>>() {
            let f = &vm.lang.funcs[func];
            if f.access & access::ABSTRACT == 0 {
                continue;
            }
            let (name, descriptor) = (f.name.clone(), f.descriptor.clone());
            let resolved = vm.lang.method(class, &name, &descriptor).ok()?;
            let jvm = &vm.lang;
            if jvm.funcs[resolved].access & access::ABSTRACT == 0 || found.contains(&resolved) {
                continue;
            }
            let open = jvm.funcs[resolved].access & (access::PUBLIC | access::PROTECTED) != 0;
            if !open && !can_call(jvm, resolved) {
                return None;
            }
            found.push(resolved);
        }
    }
    found.sort_unstable();
    Some(found)
}

/// Exceptions that a method may throw where that matters: those it declares, and what the class under test catches
/// that need not be declared.
fn exceptions(vm: &mut Vm<Jvm>, func: FuncId) -> Vec<Kind> {
    let jvm = &vm.lang;
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.clone();
    let declared = file.as_deref().and_then(|file| file.method(&f.name, &f.descriptor));
    let mut names: Vec<Arc<str>> = declared.map(|method| method.exceptions.clone()).unwrap_or_default();
    let context = jvm.worlds.context.and_then(|context| jvm.classes[context].file.clone());
    if let Some(file) = context.as_deref() {
        let handlers = file.methods.iter().filter_map(|m| m.code.as_ref()).flat_map(|code| &code.handlers);
        for name in handlers.filter_map(|handler| file.pool.class(handler.catch_type?).ok()) {
            // Whatever is thrown is caught there: the plainest that nobody must declare.
            let all = matches!(name, "java/lang/Exception" | "java/lang/Throwable");
            let name: Arc<str> = if all { "java/lang/RuntimeException".into() } else { name.into() };
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let allowed = declared.map_or(0, |method| method.exceptions.len());
    let unchecked = vm.lang.class("java/lang/RuntimeException").ok();
    let mut kinds = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let Ok(class) = vm.lang.class(name) else { continue };
        let free = unchecked.is_some_and(|unchecked| vm.lang.is_subclass(class, unchecked));
        if (i < allowed || free) && kinds.len() < MAX_THROWN {
            kinds.extend(super::kinds::plain_class(vm, class, &[]));
        }
    }
    kinds
}

/// The constructor that a class below an abstract one calls: that with the fewest parameters.
fn constructor(vm: &mut Vm<Jvm>, class: ClassId, env: &generic::Env) -> Option<Way> {
    let jvm = &vm.lang;
    let open = |func: &FuncId| {
        let f = &jvm.funcs[*func];
        &*f.name == "<init>" && (can_call(jvm, *func) || f.access & access::PROTECTED != 0)
    };
    let func = jvm.classes[class]
        .functions()
        .filter(open)
        .min_by_key(|func| (jvm.funcs[*func].signature.ty.params.len(), *func))?;
    Some(way(vm, func, env))
}

/// The type of a function's result as a class that implements it may write it: with its arguments, if they depend on
/// nothing that is not known.
fn result_type(jvm: &Jvm, func: FuncId, env: &generic::Env, known: bool) -> Option<Generic> {
    let f = &jvm.funcs[func];
    let erased = f.signature.ty.ret.clone()?;
    let file = jvm.classes[f.class].file.as_deref()?;
    let has_params = |signature: Option<&str>| signature.is_some_and(|text| text.starts_with('<'));
    let signature = file.method(&f.name, &f.descriptor)?.signature.as_deref();
    let free = has_params(file.signature.as_deref()) && !known || has_params(signature);
    (!free).then(|| generic::result(signature, &erased, env))
}

/// Results are what a test can write down in place.
fn result_kind(vm: &mut Vm<Jvm>, func: FuncId, env: &generic::Env) -> Option<Kind> {
    let f = &vm.lang.funcs[func];
    let erased = f.signature.ty.ret.clone()?;
    let file = vm.lang.classes[f.class].file.clone();
    let declared = file.as_deref().and_then(|file| file.method(&f.name, &f.descriptor));
    let signature = declared.and_then(|m| m.signature.as_deref());
    // An interface whose methods return one of its kind would never end.
    let ends = vm.lang.worlds.faking >= MAX_DEPTH;
    if signature.is_some_and(returns_own_variable) {
        return Some(if ends { Kind::Null(erased.to_string()) } else { cast_kind(vm, func) });
    }
    let generic = generic::result(signature, &erased, env);
    let generic = match generic {
        Generic::Any | Generic::Wild => Generic::Class("java/lang/String".into(), Vec::new()),
        Generic::Class(name, _) if &*name == "java/lang/Object" => {
            Generic::Class("java/lang/String".into(), Vec::new())
        }
        known => known,
    };
    if ends {
        return Some(Kind::Null(generic.to_string()));
    }
    vm.lang.worlds.faking += 1;
    let kind = kind_for(vm, &generic);
    vm.lang.worlds.faking -= 1;
    Some(kind)
}

/// Whether a method's result is of a type that whoever calls it chooses: `<R> R accept(Visitor<R> visitor)`.
fn returns_own_variable(signature: &str) -> bool {
    let (Some(params), Some((_, result))) = (signature.strip_prefix('<'), signature.rsplit_once(")T")) else {
        return false;
    };
    let own = |name: &str| params.starts_with(&format!("{name}:")) || params.contains(&format!(";{name}:"));
    result.strip_suffix(';').or_else(|| result.split(';').next()).is_some_and(own)
}

/// What a method returns whose result is of the caller's choice: what the class under test takes it for; null where that
/// does not show or differs from call to call.
fn cast_kind(vm: &mut Vm<Jvm>, func: FuncId) -> Kind {
    let mut types: Vec<FieldType> = Vec::new();
    for (file, next) in after_calls(vm, func) {
        let Instr::CheckCast(cast) = next else { continue };
        let ty = file.pool.class(cast).ok().and_then(|ty| match ty.starts_with('[') {
            true => FieldType::parse(ty),
            false => Some(FieldType::Class(ty.into())),
        });
        types.extend(ty.filter(|ty| !types.contains(ty)));
    }
    let [ty] = &types[..] else { return Kind::Null("a type that the caller chooses".to_string()) };
    vm.lang.worlds.faking += 1;
    let kind = kind_for(vm, &Generic::of(ty));
    vm.lang.worlds.faking -= 1;
    kind
}

/// What follows each call of a method in the class under test.
fn after_calls(vm: &mut Vm<Jvm>, func: FuncId) -> Vec<(Arc<ClassFile>, Instr)> {
    let (name, descriptor) = (vm.lang.funcs[func].name.clone(), vm.lang.funcs[func].descriptor.clone());
    let classes = vm.lang.worlds.context.map(|class| super::producers::nest(vm, class)).unwrap_or_default();
    let mut found = Vec::new();
    for file in classes.into_iter().filter_map(|class| vm.lang.classes[class].file.clone()) {
        for code in file.methods.iter().filter_map(|method| method.bytecode().ok().flatten()) {
            for pair in code.instrs.windows(2) {
                let (Instr::InvokeInterface(called) | Instr::InvokeVirtual(called)) = &pair[0].1 else {
                    continue;
                };
                let called = file.pool.method(*called);
                if called.is_ok_and(|called| *called.name == *name && *called.descriptor == *descriptor) {
                    found.push((file.clone(), pair[1].1.clone()));
                }
            }
        }
    }
    found
}

/// Methods that an interface has a body for and that the class under test asks for something: a class that stands for it may
/// answer otherwise.
fn asked_defaults(vm: &mut Vm<Jvm>, interface: ClassId) -> Vec<FuncId> {
    let own = |jvm: &Jvm, func: &FuncId| {
        let f = &jvm.funcs[*func];
        f.access & (access::STATIC | access::PRIVATE | access::ABSTRACT | access::SYNTHETIC) == 0
            && f.signature.ty.ret.is_some()
    };
    let functions: Vec<FuncId> = vm.lang.classes[interface].functions().collect();
    let defaults = functions.into_iter().filter(|func| own(&vm.lang, func)).collect::<Vec<_>>();
    defaults.into_iter().filter(|func| !after_calls(vm, *func).is_empty()).collect()
}

/// Whether a result can be made when it is asked for. Others take guest code and are made with the fake, once.
pub(super) fn is_plain(kind: &Kind) -> bool {
    match kind {
        Kind::Scalar(_)
        | Kind::Str
        | Kind::Word(_)
        | Kind::Boxed { .. }
        | Kind::Enum { .. }
        | Kind::Null(_) => true,
        Kind::Only { kind, .. } => is_plain(kind),
        Kind::Array { elem, .. } => matches!(**elem, Kind::Scalar(_)),
        Kind::Object(_)
        | Kind::OneOf { .. }
        | Kind::Fake { .. }
        | Kind::List { .. }
        | Kind::Filled { .. } => false,
    }
}

/// Calls the hook with the object, the number of the method and the arguments.
fn body(jvm: &mut Jvm, func: FuncId, index: usize) -> SyntheticMethod {
    let (name, descriptor) = (jvm.funcs[func].name.clone(), jvm.funcs[func].descriptor.clone());
    let ty = jvm.funcs[func].signature.ty.clone();
    let params: Vec<Type> = std::iter::once(Type::Ref).chain(ty.params.iter().map(reg_type)).collect();
    let ret = ty.ret.as_ref().map(reg_type);
    let asked: Vec<Type> = [Type::Ref, Type::I32].into_iter().chain(params[1..].iter().copied()).collect();
    let hook = jvm.hook(HOOK, &asked, ret);
    let mut b = Builder::new(format!("fake {name}{descriptor}"), &params, ret);
    let number = b.const_i32(index as i32);
    let mut args = vec![b.param(0), number];
    args.extend((1..params.len() as u32).map(|i| b.param(i)));
    match ret {
        Some(ty) => {
            let result = b.call_value(ty, hook, &args);
            b.ret(Some(result));
        }
        None => {
            let list = b.list(&args);
            b.effect(Op::Call, hook.0, list, 0);
            b.ret(None);
        }
    }
    SyntheticMethod { name, descriptor, function: b.finish() }
}
