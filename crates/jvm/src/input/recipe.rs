//! How objects of a class are made as a person would: constructors, factories, public fields, methods that change
//! them. Found once for each class, before any run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ir::{ClassId, FuncId, MemType};
use vm::Vm;

use super::effects::{Setter, reads_only, setters, writes};
use super::generic::{self, Env, Generic};
use super::known::Rule;
use super::producers::{Constant, constants, held, producers};
use super::{Kind, kind_for};
use crate::link::ClassOrigin;
use crate::load::{FieldType, Instr, access};
use crate::world::Jvm;

/// All that is known of making objects of a class.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub class: ClassId,
    /// Its type arguments, where they are known.
    pub args: Vec<Generic>,
    /// The best first. Empty if a test cannot make one.
    pub ways: Vec<Make>,
    /// Fields that outsiders are meant to assign.
    pub fields: Vec<FieldWay>,
    /// Methods that change an object, for more than a fresh one, and the names of the fields that they write.
    pub changes: Vec<(Way, BTreeSet<Arc<str>>)>,
    /// What is not tried, for people.
    pub left_out: Vec<String>,
}

impl Recipe {
    /// By these ways and no others.
    fn by(class: ClassId, args: Vec<Generic>, ways: Vec<Make>) -> Recipe {
        Recipe { class, args, ways, fields: Vec::new(), changes: Vec::new(), left_out: Vec::new() }
    }
}

/// How an object is come by.
#[derive(Clone, Debug)]
pub enum Make {
    Call(Way),
    Constant(Constant),
}

/// A call that makes or changes an object: a constructor, a factory, a method.
#[derive(Clone, Debug)]
pub struct Way {
    pub func: FuncId,
    /// What a factory method is called on, if it is not static.
    pub on: Option<Kind>,
    /// Its first argument is the object that the new one belongs to.
    pub outer: bool,
    /// The parameter that an object is given as which this call changes: it is called on another one.
    pub given: Option<usize>,
    /// What may be called on the result, which is a part of the object.
    pub then: Vec<Way>,
    /// Called for that alone: it changes nothing itself.
    pub only_then: bool,
    /// It is called on the object that handed this one out: `ring.offer(x)` between `ring.iterator()` and `next()`.
    pub of_owner: bool,
    pub params: Vec<ParamWay>,
}

impl Way {
    /// Whether it is a call on the object itself that changes it.
    pub fn is_plain(&self) -> bool {
        self.given.is_none() && !self.only_then && !self.of_owner
    }
}

#[derive(Clone, Debug)]
pub struct ParamWay {
    pub name: String,
    pub ty: FieldType,
    pub kind: Kind,
    /// It is declared to take no null.
    pub non_null: bool,
    /// What is declared of its elements: that they are not null.
    pub elements: Rule,
}

#[derive(Clone, Debug)]
pub struct FieldWay {
    pub owner: ClassId,
    pub name: Arc<str>,
    pub offset: u32,
    pub cell: MemType,
    pub ty: FieldType,
    pub kind: Kind,
    /// The method that assigns it, if a test does not; and whether it takes no null.
    pub setter: Option<(FuncId, bool)>,
    /// What the method is declared to take as elements.
    pub elements: Rule,
}

/// So many ways are tried for one class.
const MAX_WAYS: usize = 5;
const MAX_CHANGES: usize = 40;
/// So many fields are set by methods that do nothing else.
const MAX_SETTERS: usize = 40;
/// Constructors with more parameters are nothing a person would call twice.
const MAX_PARAMS: usize = 12;
/// Beyond so many classes, further ones are only null.
const MAX_RECIPES: usize = 200;

/// The recipe of a class, under its key; `None` if there are too many already.
pub(super) fn prepare(vm: &mut Vm<Jvm>, class: ClassId, args: &[Generic]) -> Option<Arc<str>> {
    let key: Arc<str> = Generic::Class(vm.lang.classes[class].name.clone(), args.to_vec()).to_string().into();
    if vm.lang.worlds.recipes.contains_key(&key) {
        return Some(key);
    }
    if vm.lang.worlds.recipes.len() >= MAX_RECIPES {
        return None;
    }
    // Entered first: the class may refer to itself.
    vm.lang.worlds.recipes.insert(key.clone(), Arc::new(Recipe::by(class, Vec::new(), Vec::new())));
    vm.lang.worlds.preparing.push(key.clone());
    let file = vm.lang.classes[class].file.clone();
    let env = generic::class_env(file.as_deref().and_then(|f| f.signature.as_deref()), args);
    let user = vm.lang.classes[class].origin != ClassOrigin::Library;
    let told = told_ways(vm, class, &env);
    let mut left_out = Vec::new();
    let (mut ways, fields, mut changes) = match (told.is_empty(), user) {
        (false, _) => (told, Vec::new(), Vec::new()),
        (true, false) => (super::library::makes(vm, class, &env), Vec::new(), Vec::new()),
        (true, true) => {
            let mut setters = setters(&vm.lang, class);
            cut(&mut setters, MAX_SETTERS, "setters", &mut left_out);
            let mut ways = user_makes(vm, class, &env, &mut left_out);
            if !ways.is_empty() {
                ways.extend(super::producers::linked(vm, class, &key, &env).into_iter().map(Make::Call));
            }
            let fields = fields(vm, class, &env, &setters);
            let mut changes = changes(vm, class, &env, &setters, &mut left_out);
            changes.extend(super::given::takers(vm, class, &fields));
            super::through::add_parts(vm, class, &env, &mut changes, &mut left_out);
            (ways, fields, changes)
        }
    };
    let calls = ways.iter_mut().filter_map(|make| match make {
        Make::Call(way) => Some(way),
        Make::Constant(_) => None,
    });
    tell_apart(calls, fields.iter().map(|f| (f.name.to_string(), f.ty.clone(), f.kind.clone())).collect());
    tell_overloads_apart(&vm.lang, changes.iter_mut().map(|(way, _)| way));
    vm.lang.worlds.preparing.pop();
    let recipe = Recipe { class, args: args.to_vec(), ways, fields, changes, left_out };
    vm.lang.worlds.recipes.insert(key.clone(), Arc::new(recipe));
    Some(key)
}

/// Leaves out what is too much, and says so.
pub(super) fn cut<T>(all: &mut Vec<T>, most: usize, what: &str, left_out: &mut Vec<String>) {
    if all.len() > most {
        left_out.push(format!("{most} of {} {what} are tried", all.len()));
        all.truncate(most);
    }
}

/// Words that name other variables of an object: whether it is there, what it is, how it is made.
const TAKEN: [&str; 9] = ["null", "some", "set", "is", "way", "of", "length", "size", "then"];

/// Variables are named after parameters, and a variable has one type: parameters of several calls that share a name but
/// not a type get names of their own.
fn tell_apart<'a>(ways: impl Iterator<Item = &'a mut Way>, mut taken: Vec<(String, FieldType, Kind)>) {
    for way in ways {
        for at in 0..way.params.len() {
            let (ty, kind) = (way.params[at].ty.clone(), way.params[at].kind.clone());
            let mut name = way.params[at].name.clone();
            let call = name.strip_prefix("call").is_some_and(|n| n.parse::<u32>().is_ok());
            if TAKEN.contains(&name.as_str()) || call {
                name.push('_');
            }
            let clashes = |name: &String, way: &Way| {
                let elsewhere =
                    taken.iter().any(|(other, of, made)| other == name && (*of != ty || *made != kind));
                elsewhere || way.params.iter().enumerate().any(|(i, p)| i != at && p.name == *name)
            };
            while clashes(&name, way) {
                name.push_str(&type_word(&ty));
            }
            way.params[at].name = name.clone();
            taken.push((name, ty, kind));
        }
    }
}

/// The same for calls whose variables are named after their method too.
pub(super) fn tell_overloads_apart<'a>(jvm: &Jvm, ways: impl Iterator<Item = &'a mut Way>) {
    let mut by_name: BTreeMap<Arc<str>, Vec<&mut Way>> = BTreeMap::new();
    for way in ways {
        by_name.entry(jvm.funcs[way.func].name.clone()).or_default().push(way);
    }
    for alike in by_name.into_values() {
        tell_apart(alike.into_iter(), Vec::new());
    }
}

/// `Int`, `String`, `ByteArray`.
pub(super) fn type_word(ty: &FieldType) -> String {
    match ty {
        FieldType::Array(elem) => type_word(elem) + "Array",
        FieldType::Class(name) => name.rsplit(['/', '$']).next().unwrap_or("Object").to_string(),
        FieldType::Boolean => "Boolean".to_string(),
        FieldType::Byte => "Byte".to_string(),
        FieldType::Short => "Short".to_string(),
        FieldType::Char => "Char".to_string(),
        FieldType::Int => "Int".to_string(),
        FieldType::Long => "Long".to_string(),
        FieldType::Float => "Float".to_string(),
        FieldType::Double => "Double".to_string(),
    }
}

/// The recipe of a class whose arguments are not known.
pub fn prepare_class(vm: &mut Vm<Jvm>, class: ClassId) -> Option<(Arc<str>, Arc<Recipe>)> {
    let key = prepare(vm, class, &[])?;
    let recipe = vm.lang.worlds.recipes.get(&key)?.clone();
    Some((key, recipe))
}

/// Enters a recipe whose ways are known.
pub(super) fn prepare_ways(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    args: Vec<Generic>,
    ways: impl FnOnce(&mut Vm<Jvm>) -> Vec<Way>,
) -> Arc<str> {
    let key = Generic::Class(vm.lang.classes[class].name.clone(), args.clone()).to_string();
    prepare_makes(vm, &key, class, args, |vm| ways(vm).into_iter().map(Make::Call).collect())
}

/// Enters a recipe of a name of its own.
pub fn prepare_makes(
    vm: &mut Vm<Jvm>,
    key: &str,
    class: ClassId,
    args: Vec<Generic>,
    ways: impl FnOnce(&mut Vm<Jvm>) -> Vec<Make>,
) -> Arc<str> {
    let key: Arc<str> = key.into();
    if !vm.lang.worlds.recipes.contains_key(&key) {
        let empty = Recipe::by(class, Vec::new(), Vec::new());
        vm.lang.worlds.recipes.insert(key.clone(), Arc::new(empty));
        let mut ways = ways(vm);
        let calls = ways.iter_mut().filter_map(|make| match make {
            Make::Call(way) => Some(way),
            Make::Constant(_) => None,
        });
        tell_apart(calls, Vec::new());
        vm.lang.worlds.recipes.insert(key.clone(), Arc::new(Recipe::by(class, args, ways)));
    }
    key
}

/// Methods that a test may call on objects of a recipe to change them.
pub(super) fn add_changes(vm: &mut Vm<Jvm>, key: &Arc<str>, mut changes: Vec<(Way, BTreeSet<Arc<str>>)>) {
    tell_overloads_apart(&vm.lang, changes.iter_mut().map(|(way, _)| way));
    if let Some(recipe) = vm.lang.worlds.recipes.get_mut(key) {
        Arc::make_mut(recipe).changes = changes;
    }
}

/// All ways to objects of a class: calls of its own, calls of others, constants.
fn user_makes(vm: &mut Vm<Jvm>, class: ClassId, env: &Env, left_out: &mut Vec<String>) -> Vec<Make> {
    if !can_name(&vm.lang, class) || vm.lang.classes[class].access & access::ENUM != 0 {
        return Vec::new();
    }
    let mut ways = user_ways(vm, class, env);
    cut(&mut ways, MAX_WAYS, "ways to make it", left_out);
    for at in 0..ways.len() {
        let example = super::words::example(vm, class, &ways[at].clone());
        ways.extend(example);
    }
    let constants = constants(vm, class);
    let alone = ways.is_empty() && constants.is_empty();
    let mut others = producers(vm, class, alone);
    others.retain(|way| !super::kinds::gives_another(&vm.lang, way.func, env));
    if alone && others.is_empty() {
        others = held(vm, class);
    }
    let ways = ways.into_iter().chain(others).map(Make::Call);
    ways.chain(constants.into_iter().map(Make::Constant)).collect()
}

/// How to make inputs for the parameters of a function, of the types that they have in some place.
pub fn param_kinds(vm: &mut Vm<Jvm>, func: FuncId, types: &[Generic]) -> Vec<Kind> {
    let lenient = match vm.lang.worlds.known.ignore_annotations {
        true => Vec::new(),
        false => super::declared::nullable_results(&vm.lang, func),
    };
    let kinds = types.iter().enumerate().map(|(i, ty)| {
        vm.lang.worlds.lenient = lenient.get(i).is_some_and(|lenient| *lenient);
        let kind = kind_for(vm, ty);
        vm.lang.worlds.lenient = false;
        kind
    });
    kinds.collect()
}

/// A call of a function, its parameters made as their types say.
pub fn way(vm: &mut Vm<Jvm>, func: FuncId, env: &Env) -> Way {
    let names = param_names(&vm.lang, func);
    let types = param_types(&vm.lang, func, env);
    let erased = vm.lang.funcs[func].signature.ty.params.clone();
    let (mut refuses, mut elements) = match vm.lang.worlds.known.ignore_annotations {
        true => (Vec::new(), Vec::new()),
        false => (super::refuses_null(&vm.lang, func), super::declared::element_nulls(&vm.lang, func)),
    };
    refuses.resize(erased.len(), false);
    elements.resize(erased.len(), Rule::default());
    let params = names
        .into_iter()
        .zip(param_kinds(vm, func, &types))
        .zip(erased.into_iter().zip(refuses.into_iter().zip(elements)))
        .map(|((name, kind), (ty, (non_null, elements)))| ParamWay { name, ty, kind, non_null, elements })
        .collect();
    let outer = &*vm.lang.funcs[func].name == "<init>" && is_inner(&vm.lang, vm.lang.funcs[func].class);
    Way { func, on: None, outer, given: None, then: Vec::new(), only_then: false, of_owner: false, params }
}

/// The types of a function's parameters, with arguments where they are known.
pub fn param_types(jvm: &Jvm, func: FuncId, env: &Env) -> Vec<Generic> {
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref();
    let declared = file.and_then(|file| file.method(&f.name, &f.descriptor));
    // Of variables that nothing is known of, their bounds are.
    let bounds = match env.is_empty() {
        true => generic::class_env(file.and_then(|file| file.signature.as_deref()), &[]),
        false => env.clone(),
    };
    generic::params(declared.and_then(|m| m.signature.as_deref()), &f.signature.ty.params, &bounds)
}

/// The same of a method that is called on objects of a kind: a class below a generic one says what its variables stand for, if all
/// classes that there are say the same.
pub fn param_types_on(jvm: &Jvm, on: &Kind, func: FuncId) -> Vec<Generic> {
    let owner = jvm.funcs[func].class;
    let kinds: Vec<&Kind> = match on {
        Kind::OneOf { kinds, .. } => kinds.iter().collect(),
        kind => vec![kind],
    };
    let classes = kinds.into_iter().filter(|kind| !matches!(kind, Kind::Fake { .. } | Kind::Null(_)));
    let mut envs = classes.map(|kind| {
        let class = super::object::class_of(jvm, kind)?;
        super::made_up::env_in(jvm, class, &[], owner, 0)
    });
    let env = match envs.next() {
        Some(Some(first)) if envs.all(|other| other.as_ref() == Some(&first)) => first,
        _ => Env::new(),
    };
    param_types(jvm, func, &env)
}

/// Names of parameters: those of the source where they are known, identifiers in any case, none twice.
pub fn param_names(jvm: &Jvm, func: FuncId) -> Vec<String> {
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref();
    let declared = file.and_then(|file| file.method(&f.name, &f.descriptor));
    let code = declared.and_then(|m| m.code.as_ref());
    let mut slot = if f.is_static() { 0 } else { 1 };
    let mut names: Vec<String> = Vec::new();
    for (i, ty) in f.signature.ty.params.iter().enumerate() {
        let local = code.and_then(|c| c.local(slot, 0)).map(|l| l.name.to_string());
        let given =
            declared.and_then(|m| m.parameters.as_ref()?.get(i)?.name.as_ref().map(|n| n.to_string()));
        slot += ty.slots();
        // Kotlin's name for the receiver of an extension function.
        let local = local.map(|n| if n.starts_with("$this$") { "receiver".to_string() } else { n });
        // And for that of a value class's member.
        let local = local.map(|n| if n == "this" { decapitalised(jvm, f.class) } else { n });
        let name = local.or(given).unwrap_or_default();
        let plain: String = name.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
        let mut name = if plain.is_empty() { format!("arg{i}") } else { plain };
        while names.contains(&name) {
            name.push_str("Arg");
        }
        names.push(name);
    }
    names
}

/// `cents` for `Cents`.
fn decapitalised(jvm: &Jvm, class: ClassId) -> String {
    let name = jvm.classes[class].name.rsplit(['/', '$']).next().unwrap_or_default();
    let mut chars = name.chars();
    chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
}

/// Whether a test may write the name of a class.
pub fn can_name(jvm: &Jvm, class: ClassId) -> bool {
    let class = &jvm.classes[class];
    let Some(file) = &class.file else { return false };
    let modifiers = file.modifiers();
    let local =
        class.name.split('$').skip(1).any(|p| p.is_empty() || p.starts_with(|c: char| c.is_ascii_digit()));
    let exported = class.origin != ClassOrigin::Library
        || class.name.starts_with("java/")
        || class.name.starts_with("javax/");
    let near = class.origin != ClassOrigin::Library && same_package(jvm, class.package());
    let public = modifiers & access::PUBLIC != 0;
    // Kotlin has no packages that keep classes to themselves: what is not public is private to its file.
    let in_file = !public && !class.name.contains('$') && crate::kotlin::is_kotlin(file);
    !local
        && exported
        && !in_file
        && !crate::kotlin::is_unnamed(file)
        && modifiers & access::PRIVATE == 0
        && (public || near)
}

/// Whether a test may call a method of a class that it may name.
pub fn can_call(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    // `protected` of Kotlin is for classes below, wherever they lie.
    let below = jvm.worlds.in_kotlin
        && f.is(access::PROTECTED)
        && jvm.classes[f.class].file.as_deref().is_some_and(crate::kotlin::is_kotlin);
    let near = jvm.classes[f.class].origin != ClassOrigin::Library
        && same_package(jvm, jvm.classes[f.class].package())
        && !below;
    let open = f.access & (access::PRIVATE | access::SYNTHETIC) == 0 && (f.is(access::PUBLIC) || near);
    (open || super::wrapped::is_hidden_constructor(jvm, func)) && is_written(jvm, func)
}

/// Whether a test can write the name of a method: Kotlin's compiler gives some a `-` (`getDuration-UwyO8pc`), which only Kotlin can
/// call, by another name.
pub fn is_written(jvm: &Jvm, func: FuncId) -> bool {
    let name = &*jvm.funcs[func].name;
    let plain = name == "<init>" || name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    plain || super::wrapped::unwritten(jvm, func).is_none()
}

/// Whether a test lies in the package of a class.
pub(super) fn is_near(jvm: &Jvm, class: ClassId) -> bool {
    jvm.classes[class].origin != ClassOrigin::Library && same_package(jvm, jvm.classes[class].package())
}

fn same_package(jvm: &Jvm, package: &str) -> bool {
    !jvm.worlds.apart && jvm.worlds.context.is_some_and(|context| jvm.classes[context].package() == package)
}

/// Whether objects of the class belong to one of its outer class, which `new` must be told.
pub fn is_inner(jvm: &Jvm, class: ClassId) -> bool {
    let Some(file) = &jvm.classes[class].file else { return false };
    let own = file.inner_classes.iter().find(|inner| inner.inner == file.name);
    own.is_some_and(|inner| inner.access & access::STATIC == 0 && inner.outer.is_some())
        && !jvm.classes[class].is_interface()
}

/// The ways that the user wants objects of a class to be made, and no others.
fn told_ways(vm: &mut Vm<Jvm>, class: ClassId, env: &Env) -> Vec<Make> {
    let known = vm.lang.worlds.known.clone();
    let Some(told) = known.types.get(&vm.lang.classes[class].name) else { return Vec::new() };
    let mut ways = Vec::new();
    for name in &told.made_by {
        let makes =
            |f: &crate::link::Func| &*f.name == "<init>" || f.is_static() && f.signature.ty.ret.is_some();
        if let Some(func) = super::known::resolve(vm, name, &makes) {
            ways.push(Make::Call(way(vm, func, env)));
        }
    }
    ways
}

fn user_ways(vm: &mut Vm<Jvm>, class: ClassId, env: &Env) -> Vec<Way> {
    let jvm = &vm.lang;
    let is_abstract = jvm.classes[class].access & (access::ABSTRACT | access::INTERFACE) != 0;
    let makes = |func: &FuncId| {
        let f = &jvm.funcs[*func];
        let few = f.signature.ty.params.len() <= MAX_PARAMS;
        let constructor = &*f.name == "<init>" && !is_abstract;
        few && can_call(jvm, *func) && (constructor || f.is_static() && returns(jvm, *func, class))
    };
    let found: Vec<FuncId> = jvm.classes[class].functions().filter(makes).collect();
    let mut ways: Vec<Way> = found.into_iter().map(|func| way(vm, func, env)).collect();
    ways.extend(super::wrapped::way(vm, class, env));
    let jvm = &vm.lang;
    ways.sort_by_key(|way| {
        let f = &jvm.funcs[way.func];
        let fixed = way.params.iter().any(|p| matches!(p.kind, Kind::Null(_)));
        let factory = &*f.name != "<init>";
        let own = factory && takes_own(jvm, class, way);
        (fixed, own, !f.is(access::PUBLIC), factory, std::cmp::Reverse(way.params.len()), way.func)
    });
    // Factories that take one of their own kind make nothing from nothing.
    if ways.iter().all(|way| &*jvm.funcs[way.func].name != "<init>" && takes_own(jvm, class, way)) {
        ways.clear();
    }
    ways
}

/// Whether a way to make an object takes one, or an array of them.
fn takes_own(jvm: &Jvm, class: ClassId, way: &Way) -> bool {
    let own = FieldType::Class(jvm.classes[class].name.clone());
    way.params.iter().any(|p| p.ty == own || matches!(&p.ty, FieldType::Array(elem) if **elem == own))
}

pub(super) fn returns(jvm: &Jvm, func: FuncId, class: ClassId) -> bool {
    let name = &jvm.classes[class].name;
    matches!(&jvm.funcs[func].signature.ty.ret, Some(FieldType::Class(ret)) if ret == name)
}

/// Fields that a test may assign: public ones, those near it that no method of the class assigns itself, and those that
/// have a setter.
fn fields(vm: &mut Vm<Jvm>, class: ClassId, env: &Env, setters: &[Setter]) -> Vec<FieldWay> {
    field_ways(vm, class, env, setters, |jvm, owner, field| {
        let near = same_package(jvm, jvm.classes[owner].package());
        let open = field.access & access::PUBLIC != 0
            || near && field.access & access::PRIVATE == 0 && !is_assigned(jvm, owner, &field.name);
        can_name(jvm, owner) && open
    })
}

/// Fields of the program's classes that are neither constants nor the compiler's, as far as they are `open` or have a
/// setter.
pub(super) fn field_ways(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    env: &Env,
    setters: &[Setter],
    open: impl Fn(&Jvm, ClassId, &crate::link::FieldInfo) -> bool,
) -> Vec<FieldWay> {
    let mut found = Vec::new();
    let owners = vm.lang.classes[class].ancestors.clone();
    for owner in owners {
        if vm.lang.classes[owner].origin == ClassOrigin::Library {
            continue;
        }
        let Some(file) = vm.lang.classes[owner].file.clone() else { continue };
        let own = if owner == class { env.clone() } else { Env::new() };
        for field in vm.lang.classes[owner].fields.clone() {
            let setter = setters.iter().find(|s| s.owner == owner && *s.field == *field.name);
            let setter = setter.map(|s| (s.func, s.non_null));
            let fixed = access::STATIC | access::FINAL | access::SYNTHETIC;
            let fits = field.access & fixed == 0 && (setter.is_some() || open(&vm.lang, owner, &field));
            let Some(ty) = FieldType::parse(&field.descriptor).filter(|_| fits) else { continue };
            let declared =
                file.fields.iter().find(|f| f.name == field.name && f.descriptor == field.descriptor);
            let generic = Generic::of_field(declared.and_then(|f| f.signature.as_deref()), &ty, &own);
            let kind = kind_for(vm, &generic);
            let (name, offset, cell) = (field.name, field.offset, field.ty);
            let elements = match setter {
                Some((func, _)) if !vm.lang.worlds.known.ignore_annotations => {
                    super::declared::element_nulls(&vm.lang, func).pop().unwrap_or_default()
                }
                _ => Rule::default(),
            };
            found.push(FieldWay { owner, name, offset, cell, ty, kind, setter, elements });
        }
    }
    found
}

/// Whether a method of the class, not a constructor, assigns the field.
pub fn is_assigned(jvm: &Jvm, class: ClassId, field: &str) -> bool {
    let Some(file) = &jvm.classes[class].file else { return true };
    file.methods.iter().filter(|m| !m.is_constructor()).any(|method| {
        let Ok(Some(code)) = method.bytecode() else { return false };
        code.instrs.iter().any(|(_, instr)| match instr {
            Instr::PutField(cp) => {
                file.pool.field(*cp).is_ok_and(|f| f.name == field && f.class == &*file.name)
            }
            _ => false,
        })
    })
}

/// Methods that a test may call to change an object: those that assign a field, or call something that might.
fn changes(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    env: &Env,
    setters: &[Setter],
    left_out: &mut Vec<String>,
) -> Vec<(Way, BTreeSet<Arc<str>>)> {
    vm.lang.know_subtypes();
    let mut found: Vec<FuncId> = Vec::new();
    for owner in vm.lang.classes[class].ancestors.iter().rev().copied() {
        let jvm = &vm.lang;
        if jvm.classes[owner].origin == ClassOrigin::Library {
            continue;
        }
        for func in jvm.classes[owner].functions() {
            let f = &jvm.funcs[func];
            let fits = can_call(jvm, func)
                && f.access & (access::STATIC | access::ABSTRACT) == 0
                && f.signature.ty.params.len() <= 4
                && !f.name.starts_with('<')
                && (!reads_only(&f.name, &f.descriptor) || stores(jvm, owner, func))
                && !setters.iter().any(|s| s.func == func)
                && writes(jvm, class, func).is_some();
            let overridden = found
                .iter()
                .any(|g| jvm.funcs[*g].name == f.name && jvm.funcs[*g].descriptor == f.descriptor);
            if fits && !overridden {
                found.push(func);
            }
        }
    }
    let jvm = &vm.lang;
    found.sort_by_key(|func| {
        let f = &jvm.funcs[*func];
        (!grows(&f.name), !f.is(access::PUBLIC), f.signature.ty.params.is_empty(), *func)
    });
    cut(&mut found, MAX_CHANGES, "methods that change it", left_out);
    let key = super::words::key_of(vm, class);
    let mut ways = Vec::new();
    for func in found {
        let mut way = way(vm, func, env);
        if let (Some(key), Some(first)) = (&key, way.params.first_mut())
            && first.kind == Kind::Str
            && grows(&vm.lang.funcs[func].name)
        {
            first.kind = key.clone();
        }
        ways.push((way, writes(&vm.lang, class, func).unwrap_or_default()));
    }
    ways
}

/// Methods that put something in come first: most states need that.
pub(super) fn grows(name: &str) -> bool {
    let prefixes =
        ["add", "put", "push", "insert", "set", "enqueue", "offer", "append", "register", "with", "deposit"];
    prefixes.iter().any(|p| name.starts_with(p))
}

/// Whether a method assigns a field itself, or puts something into what one holds, whatever its name promises: counters, caches.
fn stores(jvm: &Jvm, class: ClassId, func: FuncId) -> bool {
    let Some(file) = &jvm.classes[class].file else { return false };
    let f = &jvm.funcs[func];
    let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else {
        return false;
    };
    if code.instrs.iter().any(|(_, instr)| matches!(instr, Instr::PutField(_) | Instr::PutStatic(_))) {
        return true;
    }
    let of_util = |name: &str| name.starts_with("java/util/") && !name.starts_with("java/util/function/");
    // What makes a collection of its own puts things into that one.
    let makes_one = code
        .instrs
        .iter()
        .any(|(_, instr)| matches!(instr, Instr::New(cp) if file.pool.class(*cp).is_ok_and(of_util)));
    let held: Vec<&str> = code
        .instrs
        .iter()
        .filter_map(|(_, instr)| match instr {
            Instr::GetField(cp) => file.pool.field(*cp).ok()?.descriptor.strip_prefix('L')?.strip_suffix(';'),
            _ => None,
        })
        .collect();
    let fills = |instr: &Instr| {
        let (Instr::InvokeVirtual(cp) | Instr::InvokeInterface(cp)) = instr else { return false };
        file.pool.method(*cp).is_ok_and(|called| {
            of_util(called.class)
                && held.contains(&called.class)
                && FILLS.iter().any(|p| called.name.starts_with(p))
        })
    };
    !makes_one && code.instrs.iter().any(|(_, instr)| fills(instr))
}

/// How names of methods begin by which collections, queues and counters of the library are changed.
const FILLS: [&str; 14] = [
    "put",
    "add",
    "compute",
    "merge",
    "push",
    "offer",
    "remove",
    "poll",
    "pop",
    "set",
    "increment",
    "decrement",
    "getAnd",
    "accumulate",
];
