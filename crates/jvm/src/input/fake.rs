//! Interfaces and abstract classes that nobody implements: a made-up class whose results are inputs.

use std::sync::Arc;

use ir::{Builder, ClassId, FuncId, Op, Type};
use vm::{ElemKind, Native, NativeResult, ObjId, Outcome, Stop, Val, Vm};

use super::callback::{self, Callback, callback};
use super::cases::{ResultCase, case_of};
use super::generic::{self, Generic};
use super::known::{Rule, hold, told_kind};
use super::object::{Event, absent, arguments, log, nothing, remember, see_args};
use super::recipe::{Way, can_call, can_name, is_inner, param_names, way};
use super::{Kind, kind_for, make_at, nullable};
use crate::link::{ClassOrigin, SyntheticClass, SyntheticMethod, define_synthetic, reg_type};
use crate::load::{ClassFile, FieldType, Instr, access};
use crate::observe::{Seen, see_argument};
use crate::world::Jvm;

/// A class that stands for an interface or an abstract class.
#[derive(Debug)]
pub struct Fake {
    pub interface: ClassId,
    /// The constructor of an abstract class.
    pub constructor: Option<Way>,
    /// Type arguments of the interface, where they are known.
    pub args: Vec<Generic>,
    pub methods: Vec<FakeMethod>,
}

#[derive(Debug)]
pub struct FakeMethod {
    /// The interface's.
    pub func: FuncId,
    /// How its results are made, in each of its cases; none if it returns nothing.
    pub results: Vec<Kind>,
    /// The type of its result with its arguments, where they are known.
    pub returns: Option<Generic>,
    /// What is known of its results, by cases of its arguments, which have these names.
    pub cases: Vec<ResultCase>,
    pub params: Vec<String>,
    /// It is declared to return no null.
    no_null: bool,
    /// What it returns holds what Kotlin's types say.
    elements: Rule,
    /// Exceptions that it may throw instead.
    throws: Vec<Kind>,
    /// A function that it is given and may call.
    pub callback: Option<Callback>,
}

/// A call of a fake in this run, and what it returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeCall {
    pub object: ObjId,
    pub method: usize,
    pub result: Seen,
    /// The result is an exception.
    pub threw: bool,
    /// No call by itself: the function that the method was given was run with these arguments.
    pub ran: Option<Vec<Seen>>,
    /// What the method was given, if a test may want to know; known once the run has ended, see [`look_at_given`].
    pub given: Option<Vec<Given>>,
    /// The thread that called.
    pub(super) thread: usize,
    pub(super) bits: Vec<u64>,
}

/// An argument that a stand-in was given, as it is at the end of the run: that is when a test looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub seen: Seen,
    /// It may be compared by `equals`: all it is made of is equal to itself and to nothing by accident.
    pub equal: bool,
}

/// Counts a call, and keeps it if a test may tell of it.
pub(super) fn keep(vm: &mut Vm<Jvm>, call: FakeCall) {
    let worlds = &mut vm.lang.worlds;
    worlds.fake_asked += 1;
    if call.ran.is_none() {
        let count = worlds.fake_counts.entry((call.object, call.method)).or_insert(0);
        *count += 1;
        if *count > MOST_KEPT {
            return;
        }
    } else if worlds.fake_calls.len() > MOST_KEPT * 16 {
        return;
    }
    worlds.fake_calls.push(call);
}

/// How often a method of a stand-in was called in this run.
fn calls_before(vm: &Vm<Jvm>, object: ObjId, method: usize) -> usize {
    vm.lang.worlds.fake_counts.get(&(object, method)).copied().unwrap_or(0)
}

impl FakeCall {
    pub(super) fn new(vm: &Vm<Jvm>, object: ObjId, method: usize) -> FakeCall {
        let (thread, bits) = (vm.lang.threads.current, Vec::new());
        FakeCall { object, method, result: Seen::Null, threw: false, ran: None, given: None, thread, bits }
    }
}

/// Types with more methods are nothing to write by hand.
const MAX_METHODS: usize = 80;
/// The same of the library's abstract classes: a clock, a timer's task.
const MAX_LIBRARY_METHODS: usize = 4;
/// What names of such classes are told by.
pub const STAND_IN: &str = "$$Fake";
/// And of an interface of the library.
const MAX_LIBRARY_INTERFACE: usize = 12;
/// So many results that take guest code are made for one method.
const MAX_MADE: usize = 3;
/// So many results of one method are inputs of their own; after that the last one comes again.
const MAX_RESULTS: usize = 16;
/// So many exceptions are tried for one method, in so many of its calls.
const MAX_THROWN: usize = 3;
/// So many calls of one method are kept; later ones are only counted. No test tells of as many, and loops that go on asking a
/// stand-in come to millions.
const MOST_KEPT: usize = 1000;
/// Fakes that return fakes.
pub(super) const MAX_DEPTH: u32 = 2;
const HOOK: &str = "testwright/Fake.call";

/// The fake of an interface or abstract class that a test may name.
pub(super) fn prepare(vm: &mut Vm<Jvm>, interface: ClassId, args: &[Generic]) -> Option<Kind> {
    prepare_with(vm, interface, args, &[])
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
            && !vm.lang.worlds.known.ignore_annotations
            && super::nullness::returns_no_null(&vm.lang, *func);
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

impl Fake {
    /// The types of a method's parameters as a class that stands for the interface declares them.
    pub fn param_types(&self, jvm: &Jvm, func: FuncId) -> Vec<Generic> {
        let env = env_in(jvm, self.interface, &self.args, jvm.funcs[func].class, 0).unwrap_or_default();
        super::param_types(jvm, func, &env)
    }
}

impl Fake {
    /// The types of a method with type parameters of its own.
    pub fn open_types(&self, jvm: &Jvm, func: FuncId) -> Option<generic::Open> {
        let f = &jvm.funcs[func];
        let env = env_in(jvm, self.interface, &self.args, f.class, 0).unwrap_or_default();
        let signature =
            jvm.classes[f.class].file.as_deref()?.method(&f.name, &f.descriptor)?.signature.clone()?;
        generic::open(&signature, &env)
    }
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
        if !found.iter().any(|known| same(*known, func)) {
            found.push(func);
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
        Generic::Any => Generic::Class("java/lang/String".into(), Vec::new()),
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

/// A fake as an input.
pub(super) fn fake(vm: &mut Vm<Jvm>, name: &str, class: ClassId, optional: bool) -> Result<Val, Stop> {
    if absent(vm, name, optional) {
        return nothing(vm, name, class, optional);
    }
    let object = vm.new_object(class)?;
    let Some((_, fake)) = vm.lang.worlds.fakes.get(&class).cloned() else { return Err(Stop::Assumption) };
    let mut seen = Vec::new();
    if let Some(way) = &fake.constructor {
        let which = vm.lang.classes[fake.interface].java_name();
        let reason = "only subclasses that leave its methods as they are";
        vm.ledger.note(ledger::Kind::UnsupportedInput, which, reason);
        super::initialise(vm, fake.interface).map_err(|_| Stop::Assumption)?;
        let args = arguments(vm, name, way, None)?;
        if vm.lang.worlds.script.is_some() {
            seen = see_args(vm, way, &args);
        }
        // Its constructor may ask its methods already.
        vm.lang.worlds.faked.push((object, name.to_string()));
        let mut vals = vec![Val::obj(object)];
        vals.extend(args);
        match vm.call(way.func, &vals) {
            Outcome::Returned(_) => {}
            Outcome::Threw(_) => return Err(Stop::Assumption),
            Outcome::Stopped(stop) => return Err(stop),
        }
    }
    for (index, method) in fake.methods.iter().enumerate() {
        let Some(ty) = vm.lang.funcs[method.func].signature.ty.ret.clone() else { continue };
        let called = format!("{name}.{}()", vm.lang.funcs[method.func].name);
        for (number, kind) in method.results.iter().enumerate() {
            let rule = method.cases.get(number).map(|case| &case.then);
            if !takes_code(method, number, &ty) || asked(vm, &in_case(&called, number)).1 == 0 {
                continue;
            }
            // Every call returns the same object, unless that will not do.
            for again in 1..=MAX_MADE {
                let mut made = in_case(&called, number);
                if again > 1 {
                    made.push_str(&format!("#{again}"));
                    vm.outside = super::site(&made);
                    if vm.choose_among(ElemKind::Prefer, &format!("{made}.other"), 2)? == 0 {
                        break;
                    }
                }
                let val = make_at(vm, &made, kind, false)?;
                if never_null(&ty) || method.no_null {
                    hold(vm, val, &ty, &Rule { non_null: true, ..method.elements.clone() })?;
                }
                if let Some(rule) = rule {
                    hold(vm, val, &ty, rule)?;
                    super::known::note(vm);
                }
                vm.lang.worlds.fake_results.push((object, index, number, val));
            }
        }
    }
    make_thrown(vm, name, object, &fake)?;
    callback::prepare(vm, name, object, &fake)?;
    if fake.constructor.is_none() {
        vm.lang.worlds.faked.push((object, name.to_string()));
    }
    log(vm, Event::Faked { name: name.to_string(), object, class, args: seen });
    remember(vm, name, object);
    Ok(nullable(vm, name, object, optional))
}

/// Whether a result takes guest code to make, so that it is made with the fake.
fn takes_code(method: &FakeMethod, case: usize, ty: &FieldType) -> bool {
    let rule = method.cases.get(case).map(|case| &case.then);
    method.results.get(case).is_some_and(|kind| !is_plain(kind))
        || rule.is_some_and(|rule| rule.takes_code(ty))
}

/// Whether a result is made: not before a run that asks for it.
pub(super) fn asked(vm: &mut Vm<Jvm>, called: &str) -> (term::TermId, u64) {
    vm.inputs.scalar(&mut vm.pool, &format!("{called}.asked"), term::Sort::Bool)
}

/// Types whose very purpose is that nobody returns null.
fn never_null(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Class(name) if name.starts_with("java/util/Optional") || name.starts_with("java/util/stream/"))
}

/// The name of a result in one of several cases.
fn in_case(name: &str, number: usize) -> String {
    if number == 0 { name.to_string() } else { format!("{name}/{}", number + 1) }
}

/// What a method of a fake does: runs what it was given, returns the next input.
fn call(vm: &mut Vm<Jvm>, args: &[Val]) -> NativeResult<Jvm> {
    match callback::run(vm, args) {
        Ok(Some(running)) => running,
        Ok(None) => answered(vm, args),
        Err(stop) => NativeResult::Stop(stop),
    }
}

/// The next input as the result of a call.
pub(super) fn answered(vm: &mut Vm<Jvm>, args: &[Val]) -> NativeResult<Jvm> {
    match answer(vm, args) {
        Ok(Answer::Value(val)) => NativeResult::Return(val),
        Ok(Answer::Nothing) => NativeResult::Void,
        Ok(Answer::Threw(exception)) => NativeResult::Throw(exception),
        Err(stop) => NativeResult::Stop(stop),
    }
}

fn answer(vm: &mut Vm<Jvm>, args: &[Val]) -> Result<Answer, Stop> {
    let unknown =
        || Stop::Unsupported { what: "input", which: "an object that stands for an interface".to_string() };
    let (Some(this), Some(index)) = (args.first(), args.get(1)) else { return Err(unknown()) };
    let object = vm.deref(*this)?;
    let index = index.bits as usize;
    let class = vm.heap.class(object);
    let Some((_, fake)) = vm.lang.worlds.fakes.get(&class) else { return Err(unknown()) };
    let fake = fake.clone();
    let method = fake.methods.get(index).ok_or_else(unknown)?;
    if method.results.is_empty() {
        if let Some(thrown) = thrown(vm, object, index, method)? {
            return Ok(Answer::Threw(thrown));
        }
        let call = FakeCall { bits: given_bits(vm, &fake, args), ..FakeCall::new(vm, object, index) };
        keep(vm, call);
        return Ok(Answer::Nothing);
    }
    if let Some(thrown) = thrown(vm, object, index, method)? {
        return Ok(Answer::Threw(thrown));
    }
    let name = vm.lang.worlds.faked.iter().find(|(o, _)| *o == object).map(|(_, name)| name.clone());
    let before = calls_before(vm, object, index);
    let number = before.min(MAX_RESULTS - 1);
    let func = &vm.lang.funcs[method.func];
    let (called, ret) = (func.name.to_string(), func.signature.ty.ret.clone());
    let again = if number == 0 { String::new() } else { format!("#{}", number + 1) };
    let first = format!("{}.{called}()", name.unwrap_or_default());
    let name = format!("{first}{again}");
    let params = vm.lang.funcs[method.func].signature.ty.params.clone();
    let case = case_of(vm, &method.cases, &method.params, (args.get(2..).unwrap_or_default(), &params))?;
    if ret.as_ref().is_some_and(|ty| takes_code(method, case, ty)) {
        let (flag, made) = asked(vm, &in_case(&first, case));
        vm.require(flag, made != 0)?;
    }
    let results = vm.lang.worlds.fake_results.iter();
    let mut ready = results.filter(|(o, m, c, _)| *o == object && *m == index && *c == case);
    let last = ready.clone().next_back();
    let val = match ready.nth(before).or(last).map(|(_, _, _, val)| *val) {
        Some(val) => val,
        None => {
            let kind = method.results.get(case).ok_or_else(unknown)?;
            let val = make_at(vm, &in_case(&name, case), kind, false)?;
            // Kotlin has no way to return null for a number.
            let of_kotlin = vm.lang.classes[fake.interface].name.starts_with("kotlin/jvm/functions/");
            let boxed = of_kotlin && matches!(kind, Kind::Boxed { .. });
            if let (true, Some(ty)) = (boxed || method.no_null, &ret) {
                hold(vm, val, ty, &Rule { non_null: true, ..Rule::default() })?;
            }
            if let (Some(case), Some(ty)) = (method.cases.get(case), &ret) {
                hold(vm, val, ty, &case.then)?;
                super::known::note(vm);
            }
            val
        }
    };
    // To look at a value may take code, which is no part of the run: only who writes the test wants to know.
    let result = match ret {
        Some(ty) if vm.lang.worlds.script.is_some() => see_argument(vm, val.bits, &ty),
        _ => Seen::Null,
    };
    let call = FakeCall { result, bits: given_bits(vm, &fake, args), ..FakeCall::new(vm, object, index) };
    keep(vm, call);
    Ok(Answer::Value(val))
}

/// What a call was given, if somebody writes a test of it. The library's interfaces that return something are asked, not told.
fn given_bits(vm: &Vm<Jvm>, fake: &Fake, args: &[Val]) -> Vec<u64> {
    let told = args.get(1).and_then(|index| fake.methods.get(index.bits as usize)).is_some_and(|method| {
        method.results.is_empty() || vm.lang.classes[fake.interface].origin != ClassOrigin::Library
    });
    match vm.lang.worlds.script.is_some() && told {
        true => args.iter().skip(2).map(|val| val.bits).collect(),
        false => Vec::new(),
    }
}

/// Looks at what stand-ins were given, as it is now: a test that keeps it looks at it then. What
/// another thread called comes in no order that a test could rely on, and is left out with all other calls of that method.
pub fn look_at_given(vm: &mut Vm<Jvm>, calls: &mut [FakeCall]) {
    let main = vm.lang.threads.current;
    let elsewhere: Vec<(ObjId, usize)> =
        calls.iter().filter(|call| call.thread != main).map(|call| (call.object, call.method)).collect();
    for call in calls {
        let bits = std::mem::take(&mut call.bits);
        call.thread = 0;
        let fake = vm.lang.worlds.fakes.get(&vm.heap.class(call.object)).map(|(_, fake)| fake.clone());
        let func = fake.and_then(|fake| fake.methods.get(call.method).map(|method| method.func));
        let all = calls_before(vm, call.object, call.method) <= MOST_KEPT;
        let (Some(func), true, false) = (func, all, elsewhere.contains(&(call.object, call.method))) else {
            continue;
        };
        let types = vm.lang.funcs[func].signature.ty.params.clone();
        if bits.len() != types.len() {
            continue;
        }
        let mut given = Vec::new();
        for (bits, ty) in bits.iter().zip(&types) {
            let seen = crate::observe::see(vm, *bits, ty);
            let equal = is_equal_to_itself(vm, &seen);
            given.push(Given { seen, equal });
        }
        call.given = Some(given);
    }
}

/// Whether what was seen can be compared by `equals`. Arrays cannot; what a class of the program makes of `equals` is its own
/// affair, unless it is a record.
fn is_equal_to_itself(vm: &mut Vm<Jvm>, seen: &Seen) -> bool {
    match seen {
        Seen::Array(..) | Seen::Opaque(_) => false,
        Seen::Input(object) | Seen::Object { id: object, .. } => {
            let class = vm.heap.class(*object);
            let jvm = &mut vm.lang;
            if jvm.classes[class].name.starts_with('[') {
                return false;
            }
            let record = jvm.classes[class].file.as_ref().is_some_and(|file| file.record.is_some());
            let equals = jvm.method(class, "equals", "(Ljava/lang/Object;)Z");
            record
                || equals.is_ok_and(|func| jvm.classes[jvm.funcs[func].class].origin == ClassOrigin::Library)
        }
        Seen::List(items) | Seen::Set(items) => items.iter().all(|item| is_equal_to_itself(vm, item)),
        Seen::Map(entries) => {
            entries.iter().all(|(key, item)| is_equal_to_itself(vm, key) && is_equal_to_itself(vm, item))
        }
        Seen::Optional(Some(item)) => is_equal_to_itself(vm, item),
        _ => true,
    }
}

/// What a call of a fake comes to.
enum Answer {
    Value(Val),
    Nothing,
    Threw(ObjId),
}

/// The name of what a call of a method decides, the first being 0.
fn nth_call(vm: &Vm<Jvm>, fake: &str, func: FuncId, number: usize) -> String {
    let again = if number == 0 { String::new() } else { format!("#{}", number + 1) };
    format!("{fake}.{}(){again}", vm.lang.funcs[func].name)
}

/// The exception that this call throws, if it does: a wish.
fn thrown(vm: &mut Vm<Jvm>, object: ObjId, index: usize, method: &FakeMethod) -> Result<Option<ObjId>, Stop> {
    let before = calls_before(vm, object, index);
    let name = vm.lang.worlds.faked.iter().find(|(o, _)| *o == object).map(|(_, name)| name.clone());
    let (Some(name), false, true) = (name, method.throws.is_empty(), before < MAX_THROWN) else {
        return Ok(None);
    };
    let name = nth_call(vm, &name, method.func, before);
    let count = method.throws.len() as u32 + 1;
    if vm.choose_among(ElemKind::Prefer, &format!("{name}.throws"), count)? == 0 {
        return Ok(None);
    }
    let made = &vm.lang.worlds.fake_thrown;
    let made = made.iter().find(|(o, m, n, _)| *o == object && *m == index && *n == before);
    let Some((_, _, _, exception)) = made.copied() else { return Err(Stop::Assumption) };
    let result = match vm.lang.worlds.script.is_some() {
        true => crate::observe::see_input(vm, exception),
        false => Seen::Null,
    };
    let call = FakeCall { result, threw: true, ..FakeCall::new(vm, object, index) };
    keep(vm, call);
    Ok(Some(exception))
}

/// What the first calls of stand-ins in this run could have thrown: the variables that say so, and how many exceptions there are.
pub fn could_throw(vm: &Vm<Jvm>) -> Vec<(String, u32)> {
    let worlds = &vm.lang.worlds;
    let mut found: Vec<(String, u32)> = Vec::new();
    for call in worlds.fake_calls.iter().filter(|call| !call.threw && call.ran.is_none()) {
        let fake = worlds.fakes.get(&vm.heap.class(call.object)).map(|(_, fake)| fake);
        let Some(method) = fake.and_then(|fake| fake.methods.get(call.method)) else { continue };
        let Some((_, name)) = worlds.faked.iter().find(|(object, _)| *object == call.object) else {
            continue;
        };
        let variable = format!("{}.throws", nth_call(vm, name, method.func, 0));
        if !method.throws.is_empty() && !found.iter().any(|(known, _)| *known == variable) {
            found.push((variable, method.throws.len() as u32));
        }
    }
    found
}

/// Makes the exceptions that calls of a fake throw in this run.
fn make_thrown(vm: &mut Vm<Jvm>, name: &str, object: ObjId, fake: &Fake) -> Result<(), Stop> {
    for (index, method) in fake.methods.iter().enumerate() {
        for number in 0..if method.throws.is_empty() { 0 } else { MAX_THROWN } {
            let call = nth_call(vm, name, method.func, number);
            let which =
                vm.inputs.scalar(&mut vm.pool, &format!("{call}.throws"), term::Sort::Bv(32)).1 as usize;
            let Some(at) = which.checked_sub(1) else { continue };
            let kind = method.throws[at.min(method.throws.len() - 1)].clone();
            let val = make_at(vm, &format!("{call}.thrown"), &kind, false)?;
            let ty = FieldType::Class("java/lang/Throwable".into());
            hold(vm, val, &ty, &Rule { non_null: true, ..Rule::default() })?;
            let exception = vm.deref(val)?;
            vm.lang.worlds.fake_thrown.push((object, index, number, exception));
        }
    }
    Ok(())
}
