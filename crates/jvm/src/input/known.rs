//! What is known of inputs beyond their types: by the user's word, or by annotations.
//!
//! A run whose inputs are not as they should be ends before the call, and only what mends them is tried in its
//! place: conditions on numbers and sizes are told to the solver, those that take code (a regular expression, a
//! method of the user's) are run like any other code, and found their way through.

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::{ClassId, FuncId};
use ledger::Kind as Imprecision;
use vm::{NativeResult, ObjId, Stop, Val, Vm};

use crate::link::ClassOrigin;
use crate::load::FieldType;
use crate::world::Jvm;

pub use super::cases::{ResultCase, When};
pub use super::rule::{Constant, Limit, Number, Rule, Time};
pub(super) use super::rule::{bound, boxed_prim, differ, hold, must_be_true, must_return_true};

/// What a user knows, with names as the class files have them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    pub methods: Vec<MethodKnown>,
    /// By internal name.
    pub types: BTreeMap<Arc<str>, TypeKnown>,
    /// Static methods that end a run if their argument is false.
    pub assume: Vec<MethodRef>,
    /// Constraints that annotations declare are not looked at.
    pub ignore_annotations: bool,
}

/// A method by class and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodRef {
    /// Internal name.
    pub class: Arc<str>,
    pub method: String,
}

/// A class, or a method of it, whose obligations a driver has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// Internal name.
    pub class: String,
    /// None for all of the class.
    pub method: Option<String>,
}

/// What is known of the inputs of some methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MethodKnown {
    /// Internal name, or a prefix that ends in `/`.
    pub class: String,
    /// None for all of the class.
    pub method: Option<String>,
    /// By the name of the parameter.
    pub inputs: BTreeMap<String, Rule>,
    pub never_same: Vec<(String, String)>,
    /// Methods that say whether the arguments are valid together.
    pub valid: Vec<MethodRef>,
    /// It stands for callers of these classes or methods, whose obligations are its.
    pub covers: Vec<Covered>,
}

impl MethodKnown {
    fn is_about(&self, class: &str, method: &str) -> bool {
        let fits = match self.class.ends_with('/') {
            true => class.starts_with(&self.class),
            false => class == self.class,
        };
        fits && self.method.as_deref().is_none_or(|name| name == method)
    }
}

/// What is known of objects of a type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeKnown {
    pub fields: BTreeMap<String, Rule>,
    /// Of what methods return where the object stands for an interface: by cases of the arguments, of which exactly
    /// one holds.
    pub results: BTreeMap<String, Vec<ResultCase>>,
    pub valid: Vec<MethodRef>,
    /// The only ways to make one.
    pub made_by: Vec<MethodRef>,
}

/// What the arguments of one method must be like.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// The method: one that says whether objects are valid is itself tried with any.
    pub of: Option<FuncId>,
    /// By the place of the parameter.
    pub params: Vec<(usize, Rule)>,
    pub never_same: Vec<(usize, usize)>,
    /// Parameters whose objects are of one class: no caller could pass others that compiles.
    pub of_one_class: Vec<(usize, usize)>,
    pub valid: Vec<FuncId>,
    /// Parameters that are declared to take no null. What only null reaches is tried when all else is done.
    pub refuse_null: Vec<usize>,
}

impl Conditions {
    pub fn is_empty(&self) -> bool {
        self.params.is_empty() && self.never_same.is_empty() && self.valid.is_empty()
    }
}

/// The conditions of a method's parameters, which are called `names`.
pub fn conditions(vm: &mut Vm<Jvm>, func: FuncId, names: &[String]) -> Conditions {
    let known = vm.lang.worlds.known.clone();
    let f = &vm.lang.funcs[func];
    let (class, method) = (vm.lang.classes[f.class].name.clone(), f.name.clone());
    let mut rules: Vec<Rule> = match known.ignore_annotations {
        true => vec![Rule::default(); names.len()],
        false => super::declared::parameters(&vm.lang, func),
    };
    rules.resize(names.len(), Rule::default());
    // Java has no way to write a new object of an inner class that belongs to nobody.
    if &*method == "<init>"
        && super::is_inner(&vm.lang, vm.lang.funcs[func].class)
        && let Some(outer) = rules.first_mut()
    {
        outer.non_null = true;
    }
    let mut conditions = Conditions { of: Some(func), ..Conditions::default() };
    let at = |name: &String| names.iter().position(|n| n == name);
    for entry in known.methods.iter().filter(|entry| entry.is_about(&class, &method)) {
        for (name, rule) in &entry.inputs {
            if let Some(rules) = at(name).and_then(|i| rules.get_mut(i)) {
                // The user's word goes before an annotation's.
                let mut told = rule.clone();
                told.join(rules);
                *rules = told;
            }
        }
        let pairs = entry.never_same.iter().filter_map(|(a, b)| Some((at(a)?, at(b)?)));
        conditions.never_same.extend(pairs);
        for valid in &entry.valid {
            conditions
                .valid
                .extend(resolve(vm, valid, &|f| f.is_static() && f.signature.ty.params.len() == names.len()));
        }
    }
    if !known.ignore_annotations {
        let refused = super::nullness::refuses_null(&vm.lang, func).into_iter().enumerate();
        conditions.refuse_null = refused.filter(|(_, refused)| *refused).map(|(i, _)| i).collect();
    }
    conditions.of_one_class = of_one_class(&vm.lang, func);
    conditions.params = rules.into_iter().enumerate().filter(|(_, rule)| !rule.is_empty()).collect();
    conditions
}

/// Pairs of parameters of one type variable whose bound is about itself: `<N extends Comparable<N>> N larger(N a, N b)`.
fn of_one_class(jvm: &Jvm, func: FuncId) -> Vec<(usize, usize)> {
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref();
    let signature = file.and_then(|file| file.method(&f.name, &f.descriptor)?.signature.as_deref());
    let declared = |variable: &str| {
        let of_class = file.and_then(|file| file.signature.as_deref()).unwrap_or_default();
        [signature.unwrap_or_default(), of_class].iter().any(|text| {
            let own = text.strip_prefix('<').and_then(|text| text.split_once(&format!("{variable}:")));
            own.is_some_and(|(_, bound)| {
                bound.split([')', '(']).next().unwrap_or(bound).contains(&format!("<T{variable};>"))
            })
        })
    };
    let variables: Vec<Option<&str>> = signature.map(super::generic::variables).unwrap_or_default();
    let mut pairs = Vec::new();
    for (b, variable) in variables.iter().enumerate() {
        let first = variables.iter().position(|other| other == variable).filter(|a| *a < b);
        if let (Some(a), true) = (first, variable.is_some_and(declared)) {
            pairs.push((a, b));
        }
    }
    pairs
}

/// What has its obligations met by a driver.
pub fn covered_by(jvm: &Jvm, func: FuncId) -> Vec<Covered> {
    let f = &jvm.funcs[func];
    let about = |entry: &&MethodKnown| entry.is_about(&jvm.classes[f.class].name, &f.name);
    jvm.worlds.known.methods.iter().filter(about).flat_map(|entry| entry.covers.iter().cloned()).collect()
}

/// The first function of that name that is fit.
pub fn resolve(
    vm: &mut Vm<Jvm>,
    name: &MethodRef,
    fit: &dyn Fn(&crate::link::Func) -> bool,
) -> Option<FuncId> {
    let class = vm.lang.class(&name.class).ok()?;
    let wanted = if name.method == "new" { "<init>" } else { name.method.as_str() };
    let jvm = &vm.lang;
    jvm.classes[class].functions().find(|func| *jvm.funcs[*func].name == *wanted && fit(&jvm.funcs[*func]))
}

/// Checks the arguments of a call, and all objects that were made for them.
pub fn check(
    vm: &mut Vm<Jvm>,
    conditions: &Conditions,
    args: &[Val],
    types: &[FieldType],
) -> Result<(), Stop> {
    vm.outside = super::site("conditions");
    for (i, rule) in &conditions.params {
        if let (Some(val), Some(ty)) = (args.get(*i), types.get(*i)) {
            hold(vm, *val, ty, rule)?;
        }
    }
    let non_null = Rule { non_null: true, ..Rule::default() };
    for i in &conditions.refuse_null {
        if let (Some(val), Some(ty)) = (args.get(*i), types.get(*i)) {
            hold(vm, *val, ty, &non_null)?;
        }
    }
    if !conditions.refuse_null.is_empty() {
        vm.ledger.note(Imprecision::InputBound, "inputs", NO_NULL);
    }
    for (a, b) in &conditions.never_same {
        if let (Some(a), Some(b)) = (args.get(*a), args.get(*b)) {
            differ(vm, *a, *b)?;
        }
    }
    for (a, b) in &conditions.of_one_class {
        let objects = [args.get(*a), args.get(*b)].map(|val| ObjId(val.map_or(0, |val| val.bits) as u32));
        let [a, b] = objects;
        if !a.is_null() && !b.is_null() && vm.heap.class(a) != vm.heap.class(b) {
            return Err(Stop::Assumption);
        }
    }
    check_objects(vm, conditions.of)?;
    for func in &conditions.valid {
        let class = vm.lang.funcs[*func].class;
        super::initialise(vm, class).map_err(|_| Stop::Assumption)?;
        must_return_true(vm, *func, args)?;
    }
    if !conditions.is_empty() {
        note(vm);
    }
    Ok(())
}

/// What the ledger says where inputs were limited by what is known of them.
pub const LIMITED: &str = "only what testwright.toml and annotations allow";
/// The same for parameters that are declared to take no null.
pub const NO_NULL: &str =
    "null only where it is not declared to be refused, or where nothing else meets a branch";

pub(super) fn note(vm: &mut Vm<Jvm>) {
    vm.ledger.note(Imprecision::InputBound, "inputs", LIMITED);
}

/// What is known of the types of objects that this run made.
fn check_objects(vm: &mut Vm<Jvm>, tested: Option<FuncId>) -> Result<(), Stop> {
    let made: Vec<ObjId> = vm.lang.worlds.made.iter().map(|made| made.object).collect();
    for object in made {
        for class in vm.lang.classes[vm.heap.class(object)].ancestors.clone() {
            if vm.lang.classes[class].origin == ClassOrigin::Library {
                continue;
            }
            let rules = type_rules(vm, class);
            for (offset, cell, ty, rule) in &rules.fields {
                let val = vm.load(object, *offset, *cell)?;
                hold(vm, val, ty, rule)?;
            }
            for func in rules.valid.iter().filter(|func| Some(**func) != tested) {
                let owner = vm.lang.funcs[*func].class;
                super::initialise(vm, owner).map_err(|_| Stop::Assumption)?;
                must_return_true(vm, *func, &[Val::obj(object)])?;
            }
            if !rules.fields.is_empty() || !rules.valid.is_empty() {
                note(vm);
            }
        }
    }
    Ok(())
}

/// What objects of a class must be like, found once.
#[derive(Debug, Default)]
pub struct TypeRules {
    fields: Vec<(u32, ir::MemType, FieldType, Rule)>,
    valid: Vec<FuncId>,
}

fn type_rules(vm: &mut Vm<Jvm>, class: ClassId) -> Arc<TypeRules> {
    if let Some(rules) = vm.lang.worlds.type_rules.get(&class) {
        return rules.clone();
    }
    let known = vm.lang.worlds.known.clone();
    let told = known.types.get(&vm.lang.classes[class].name);
    let mut fields: BTreeMap<String, Rule> = match known.ignore_annotations {
        true => BTreeMap::new(),
        false => super::declared::fields(&vm.lang, class),
    };
    for (name, rule) in told.iter().flat_map(|told| &told.fields) {
        let mut both = rule.clone();
        if let Some(declared) = fields.get(name) {
            both.join(declared);
        }
        fields.insert(name.clone(), both);
    }
    let mut rules = TypeRules::default();
    for (name, rule) in fields {
        let field = vm.lang.classes[class].fields.iter().find(|f| *f.name == *name && !f.is_static());
        if let Some((field, ty)) = field.and_then(|f| Some((f, FieldType::parse(&f.descriptor)?))) {
            rules.fields.push((field.offset, field.ty, ty, rule));
        }
    }
    for valid in told.iter().flat_map(|told| &told.valid) {
        let takes_it = |f: &crate::link::Func| {
            let params = f.signature.ty.params.len();
            if f.is_static() { params == 1 } else { params == 0 }
        };
        rules.valid.extend(resolve(vm, valid, &takes_it));
    }
    let rules = Arc::new(rules);
    vm.lang.worlds.type_rules.insert(class, rules.clone());
    rules
}

/// What ends a run if it is called with false: JUnit's assumptions, a static `assume(boolean)` of the user's, and what
/// the user names.
pub fn assumption(jvm: &Jvm, func: FuncId) -> Option<vm::Native<Jvm>> {
    let f = &jvm.funcs[func];
    if !f.is_static() || f.signature.ty.ret.is_some() || jvm.classes[f.class].origin == ClassOrigin::Library {
        return None;
    }
    let flag = f.signature.ty.params.iter().position(|ty| *ty == FieldType::Boolean)?;
    let class = &*jvm.classes[f.class].name;
    let junit = matches!(class, "org/junit/jupiter/api/Assumptions" | "org/junit/Assume");
    let named = jvm.worlds.known.assume.iter().any(|name| *name.class == *class && *name.method == *f.name);
    let run = match (&*f.name, flag) {
        ("assumeTrue", 0) if junit => assume_first,
        ("assumeTrue", 1) if junit => assume_second,
        ("assumeFalse", 0) if junit => refute_first,
        ("assumeFalse", 1) if junit => refute_second,
        ("assume", 0) if &*f.descriptor == "(Z)V" => assume_first,
        (_, 0) if named => assume_first,
        _ => return None,
    };
    Some(vm::Native { run, symbolic: true })
}

fn assume_first(vm: &mut Vm<Jvm>, args: &[Val]) -> NativeResult<Jvm> {
    assume(vm, args.first(), true)
}

fn assume_second(vm: &mut Vm<Jvm>, args: &[Val]) -> NativeResult<Jvm> {
    assume(vm, args.get(1), true)
}

fn refute_first(vm: &mut Vm<Jvm>, args: &[Val]) -> NativeResult<Jvm> {
    assume(vm, args.first(), false)
}

fn refute_second(vm: &mut Vm<Jvm>, args: &[Val]) -> NativeResult<Jvm> {
    assume(vm, args.get(1), false)
}

fn assume(vm: &mut Vm<Jvm>, flag: Option<&Val>, wanted: bool) -> NativeResult<Jvm> {
    let Some(flag) = flag.copied() else { return NativeResult::Void };
    let holds = (flag.bits as u32 != 0) == wanted;
    if flag.term.is_none() {
        return if holds { NativeResult::Void } else { NativeResult::Stop(Stop::Assumption) };
    }
    let zero = vm.pool.bv(32, 0);
    let condition = if wanted { vm.pool.ne(flag.term, zero) } else { vm.pool.eq(flag.term, zero) };
    match vm.require(condition, holds) {
        Ok(()) => NativeResult::Void,
        Err(stop) => NativeResult::Stop(stop),
    }
}

/// How a value is made so that its rule holds from the start: of the classes that it names, or one of the texts or
/// constants that it lists. What holds then is not asked again.
pub fn told_kind(vm: &mut Vm<Jvm>, ty: &FieldType, kind: super::Kind, rule: &mut Rule) -> super::Kind {
    if !rule.types.is_empty() {
        return kind_of_types(vm, ty, &rule.types);
    }
    let texts: Vec<&str> = rule
        .one_of
        .iter()
        .filter_map(|constant| match constant {
            Constant::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    if texts.is_empty() || texts.len() < rule.one_of.len() {
        return kind;
    }
    let listed = match &kind {
        super::Kind::Str => super::words::texts(vm, &texts),
        super::Kind::Enum { class, .. } => {
            let named = texts.iter().filter_map(|text| super::values::enum_constant(vm, *class, text));
            let constants: Vec<ObjId> = named.collect();
            (constants.len() == texts.len()).then_some(super::Kind::Enum { class: *class, constants })
        }
        _ => None,
    };
    match listed {
        Some(listed) => {
            rule.one_of.clear();
            rule.non_null = true;
            listed
        }
        None => kind,
    }
}

/// Why a text is no regular expression, if it is none: the library is asked.
pub fn refused_pattern(vm: &mut Vm<Jvm>, pattern: &str) -> Option<String> {
    vm.start_run(term::Assignment::default());
    let class = vm.lang.class("java/util/regex/Pattern").ok()?;
    super::initialise(vm, class).ok()?;
    let compile = "(Ljava/lang/String;)Ljava/util/regex/Pattern;";
    let compile = vm.lang.declared(class, "compile", compile)?;
    let units: Vec<u16> = pattern.encode_utf16().collect();
    let text = crate::link::new_string(vm, &units).ok()?;
    match vm.call(compile, &[Val::obj(text)]) {
        vm::Outcome::Threw(exception) => {
            let units = crate::observe::message(vm, exception).unwrap_or_default();
            let message = String::from_utf16_lossy(&units);
            Some(message.lines().next().unwrap_or_default().to_string())
        }
        _ => None,
    }
}

/// How objects of some classes are made where a wider type is asked for.
fn kind_of_types(vm: &mut Vm<Jvm>, ty: &FieldType, types: &[Arc<str>]) -> super::Kind {
    let mut kinds: Vec<super::Kind> = Vec::new();
    for name in types {
        match super::kind_of(vm, &FieldType::Class(name.clone())) {
            super::Kind::OneOf { ty, kinds: some, .. } => {
                // Of the class itself, not of what is below it.
                let own = some.into_iter().find(|kind| super::class_of(&vm.lang, kind) == Some(ty));
                kinds.extend(own);
            }
            super::Kind::Null(_) => {}
            kind => kinds.push(kind),
        }
    }
    match (kinds.len(), vm.lang.class_of_type(ty)) {
        (0, _) | (_, Err(_)) => super::kind_of(vm, ty),
        (1, _) => kinds.remove(0),
        (_, Ok(ty)) => super::Kind::OneOf { ty, kinds, all: true },
    }
}
