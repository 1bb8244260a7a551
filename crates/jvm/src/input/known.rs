//! What is known of inputs beyond their types: by the user's word, or by annotations.
//!
//! A run whose inputs are not as they should be ends before the call, and only what mends them is tried in its
//! place: conditions on numbers and sizes are told to the solver, those that take code (a regular expression, a
//! method of the user's) are run like any other code, and found their way through.

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::{ClassId, FuncId};
use ledger::Kind as Imprecision;
use term::{Sort, TermId};
use vm::{NativeResult, ObjId, Outcome, Stop, Val, Vm};

use crate::link::{ClassKind, ClassOrigin};
use crate::load::FieldType;
use crate::world::Jvm;

pub use super::cases::{ResultCase, When};

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
    /// It stands for callers of these classes, whose obligations are its.
    pub covers: Vec<String>,
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

/// What a value must be like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    pub non_null: bool,
    pub min: Option<Limit>,
    pub max: Option<Limit>,
    /// Characters of a string, elements of an array or collection: at least and at most.
    pub size: Option<(u32, u32)>,
    /// A regular expression that all of a string matches.
    pub matches: Option<String>,
    /// Internal names of the classes its objects may be of.
    pub types: Vec<Arc<str>>,
    /// Of the elements.
    pub each: Option<Box<Rule>>,
    /// Nothing but null.
    pub null: bool,
    /// One of these, if any are given.
    pub one_of: Vec<Constant>,
}

/// A value that a file can spell; the name of an enum's constant is a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    Number(Number),
    Truth(bool),
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    pub value: Number,
    /// The value itself is out.
    pub open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Int(i128),
    Float(f64),
}

impl Rule {
    pub fn is_empty(&self) -> bool {
        *self == Rule::default()
    }

    /// Both what this rule and the other ask.
    pub fn join(&mut self, other: &Rule) {
        self.non_null |= other.non_null;
        self.min = self.min.or(other.min);
        self.max = self.max.or(other.max);
        self.size = self.size.or(other.size);
        self.matches = self.matches.take().or_else(|| other.matches.clone());
        self.types.extend(other.types.iter().cloned());
        self.each = self.each.take().or_else(|| other.each.clone());
        self.null |= other.null;
        if self.one_of.is_empty() {
            self.one_of.clone_from(&other.one_of);
        }
    }
}

/// What the arguments of one method must be like.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// By the place of the parameter.
    pub params: Vec<(usize, Rule)>,
    pub never_same: Vec<(usize, usize)>,
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
    let mut conditions = Conditions::default();
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
    conditions.params = rules.into_iter().enumerate().filter(|(_, rule)| !rule.is_empty()).collect();
    conditions
}

/// Classes whose obligations a driver has.
pub fn covered_by(jvm: &Jvm, func: FuncId) -> Vec<String> {
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
    check_objects(vm)?;
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
fn check_objects(vm: &mut Vm<Jvm>) -> Result<(), Stop> {
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
            for func in &rules.valid {
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

pub(super) fn must_return_true(vm: &mut Vm<Jvm>, func: FuncId, args: &[Val]) -> Result<(), Stop> {
    match vm.call(func, args) {
        Outcome::Returned(Some(val)) => must_be_true(vm, val),
        Outcome::Returned(None) => Ok(()),
        Outcome::Threw(_) => Err(Stop::Assumption),
        Outcome::Stopped(stop) => Err(stop),
    }
}

pub(super) fn must_be_true(vm: &mut Vm<Jvm>, val: Val) -> Result<(), Stop> {
    let holds = val.bits as u32 != 0;
    if val.term.is_none() {
        return if holds { Ok(()) } else { Err(Stop::Assumption) };
    }
    let zero = vm.pool.bv(32, 0);
    let condition = vm.pool.ne(val.term, zero);
    vm.require(condition, holds)
}

/// Two references are not the same object; null is nobody.
fn differ(vm: &mut Vm<Jvm>, a: Val, b: Val) -> Result<(), Stop> {
    let holds = a.bits != b.bits || a.bits == 0;
    if a.term.is_none() && b.term.is_none() {
        return if holds { Ok(()) } else { Err(Stop::Assumption) };
    }
    let (a, b) = (vm.term(a, Sort::Bv(32)), vm.term(b, Sort::Bv(32)));
    let null = vm.pool.bv(32, 0);
    let (apart, nobody) = (vm.pool.ne(a, b), vm.pool.eq(a, null));
    let condition = vm.pool.or(apart, nobody);
    vm.require(condition, holds)
}

/// A value is as its rule says.
pub(super) fn hold(vm: &mut Vm<Jvm>, val: Val, ty: &FieldType, rule: &Rule) -> Result<(), Stop> {
    if !ty.is_reference() {
        limits(vm, val, ty, rule)?;
        return super::values::be_one_of(vm, val, ty, &rule.one_of);
    }
    if rule.null {
        let zero = vm.pool.bv(32, 0);
        let condition =
            if val.term.is_some() { vm.pool.eq(val.term, zero) } else { vm.pool.bool(val.bits == 0) };
        return vm.require(condition, val.bits == 0);
    }
    if rule.non_null {
        let there = val.bits != 0;
        if val.term.is_none() && !there {
            return Err(Stop::Assumption);
        }
        if val.term.is_some() {
            let null = vm.pool.bv(32, 0);
            let condition = vm.pool.ne(val.term, null);
            vm.require(condition, there)?;
        }
    }
    let asks = Rule { non_null: false, types: Vec::new(), ..rule.clone() };
    if val.bits == 0 || asks.is_empty() {
        return Ok(());
    }
    let object = vm.deref(val)?;
    hold_object(vm, object, rule)
}

fn hold_object(vm: &mut Vm<Jvm>, object: ObjId, rule: &Rule) -> Result<(), Stop> {
    let class = vm.heap.class(object);
    let name = vm.lang.classes[class].name.clone();
    if (rule.min.is_some() || rule.max.is_some())
        && let Some(prim) = boxed_prim(&name)
        && let Some((offset, cell)) = crate::natives::support::field_of(&vm.lang, class, "value")
    {
        let val = vm.load(object, offset, cell)?;
        limits(vm, val, &prim, rule)?;
    }
    for (limit, below) in [(rule.min, true), (rule.max, false)] {
        if let Some(limit) = limit {
            super::values::big_number(vm, object, limit, below)?;
        }
    }
    super::values::object_be_one_of(vm, object, &rule.one_of)?;
    if let Some((least, most)) = rule.size
        && let Some(size) = size(vm, object)?
    {
        let limit = |value: u32| Some(Limit { value: Number::Int(value.into()), open: false });
        let rule = Rule { min: limit(least), max: limit(most), ..Rule::default() };
        limits(vm, size, &FieldType::Int, &rule)?;
    }
    if let Some(pattern) = &rule.matches
        && &*name == "java/lang/String"
    {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let pattern = crate::link::new_string(vm, &units)?;
        if let Some(matches) = vm.lang.declared(class, "matches", "(Ljava/lang/String;)Z") {
            must_return_true(vm, matches, &[Val::obj(object), Val::obj(pattern)])?;
        }
    }
    match &rule.each {
        Some(each) => elements(vm, object, each),
        None => Ok(()),
    }
}

pub(super) fn boxed_prim(name: &str) -> Option<FieldType> {
    Some(match name {
        "java/lang/Byte" => FieldType::Byte,
        "java/lang/Short" => FieldType::Short,
        "java/lang/Integer" => FieldType::Int,
        "java/lang/Long" => FieldType::Long,
        "java/lang/Float" => FieldType::Float,
        "java/lang/Double" => FieldType::Double,
        "java/lang/Character" => FieldType::Char,
        "java/lang/Boolean" => FieldType::Boolean,
        _ => return None,
    })
}

/// How long or large an object is, if it is a string, an array, a collection or a map.
fn size(vm: &mut Vm<Jvm>, object: ObjId) -> Result<Option<Val>, Stop> {
    let class = vm.heap.class(object);
    if matches!(vm.lang.classes[class].kind, ClassKind::Array { .. }) {
        return Ok(Some(Val { bits: vm.heap.len(object) as u64, term: vm.heap.len_term(object) }));
    }
    let asked = if &*vm.lang.classes[class].name == "java/lang/String" { "length" } else { "size" };
    let Ok(func) = vm.lang.method(class, asked, "()I") else { return Ok(None) };
    let Some(func) = crate::observe::dispatched(vm, object, func) else { return Ok(None) };
    match vm.call(func, &[Val::obj(object)]) {
        Outcome::Returned(Some(val)) => Ok(Some(val)),
        Outcome::Returned(None) | Outcome::Threw(_) => Err(Stop::Assumption),
        Outcome::Stopped(stop) => Err(stop),
    }
}

fn elements(vm: &mut Vm<Jvm>, object: ObjId, each: &Rule) -> Result<(), Stop> {
    let class = vm.heap.class(object);
    let (array, class) = match vm.lang.classes[class].kind {
        ClassKind::Array { .. } => (object, class),
        _ => {
            let Ok(func) = vm.lang.method(class, "toArray", "()[Ljava/lang/Object;") else { return Ok(()) };
            let Some(func) = crate::observe::dispatched(vm, object, func) else { return Ok(()) };
            match vm.call(func, &[Val::obj(object)]) {
                Outcome::Returned(Some(val)) if val.bits != 0 => {
                    let array = vm.deref(val)?;
                    (array, vm.heap.class(array))
                }
                Outcome::Stopped(stop) => return Err(stop),
                _ => return Err(Stop::Assumption),
            }
        }
    };
    let ClassKind::Array { cell, .. } = vm.lang.classes[class].kind else { return Ok(()) };
    let Some(FieldType::Array(elem)) = FieldType::parse(&vm.lang.classes[class].name) else { return Ok(()) };
    for i in 0..vm.heap.len(array) {
        let val = vm.load(array, i * cell.size(), cell)?;
        hold(vm, val, &elem, each)?;
    }
    Ok(())
}

/// A number is within its limits.
fn limits(vm: &mut Vm<Jvm>, val: Val, ty: &FieldType, rule: &Rule) -> Result<(), Stop> {
    if let Some(limit) = rule.min {
        limited(vm, val, ty, limit, true)?;
    }
    if let Some(limit) = rule.max {
        limited(vm, val, ty, limit, false)?;
    }
    Ok(())
}

fn limited(vm: &mut Vm<Jvm>, val: Val, ty: &FieldType, limit: Limit, below: bool) -> Result<(), Stop> {
    let (condition, holds) = bound(vm, val, ty, limit, below);
    vm.require(condition, holds)
}

/// The condition that a number is on the right side of a limit, and whether it is in this run.
pub(super) fn bound(vm: &mut Vm<Jvm>, val: Val, ty: &FieldType, limit: Limit, below: bool) -> (TermId, bool) {
    let (sort, holds, constant): (Sort, bool, u128) = match ty {
        FieldType::Float | FieldType::Double => {
            let double = *ty == FieldType::Double;
            let value = match double {
                true => f64::from_bits(val.bits),
                false => f32::from_bits(val.bits as u32) as f64,
            };
            let edge = match limit.value {
                Number::Int(n) => n as f64,
                Number::Float(f) => f,
            };
            let (low, high) = if below { (edge, value) } else { (value, edge) };
            let holds = if limit.open { low < high } else { low <= high };
            match double {
                true => (Sort::F64, holds, edge.to_bits().into()),
                false => (Sort::F32, holds, (edge as f32).to_bits().into()),
            }
        }
        FieldType::Class(_) | FieldType::Array(_) => return (vm.pool.bool(true), true),
        _ => {
            let (width, value) = match ty {
                FieldType::Long => (64, val.bits as i64 as i128),
                _ => (32, val.bits as u32 as i32 as i128),
            };
            let edge = whole(limit, below);
            let holds = if below { edge <= value } else { value <= edge };
            let (least, most) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
            let (always, never) =
                if below { (edge <= least, edge > most) } else { (edge >= most, edge < least) };
            if always || never {
                return (vm.pool.bool(always), always);
            }
            return compared(vm, val, Sort::Bv(width), edge as u128, holds, (below, false));
        }
    };
    compared(vm, val, sort, constant, holds, (below, limit.open))
}

/// The first or last whole number within a limit.
fn whole(limit: Limit, below: bool) -> i128 {
    match limit.value {
        Number::Int(n) if limit.open => {
            if below {
                n.saturating_add(1)
            } else {
                n.saturating_sub(1)
            }
        }
        Number::Int(n) => n,
        Number::Float(f) => {
            let edge = if below { f.ceil() } else { f.floor() };
            match (limit.open && edge == f, below) {
                (true, true) => edge as i128 + 1,
                (true, false) => edge as i128 - 1,
                (false, _) => edge as i128,
            }
        }
    }
}

fn compared(
    vm: &mut Vm<Jvm>,
    val: Val,
    sort: Sort,
    edge: u128,
    holds: bool,
    (below, open): (bool, bool),
) -> (TermId, bool) {
    if val.term == TermId::NONE {
        return (vm.pool.bool(holds), holds);
    }
    let edge = vm.pool.constant(sort, edge);
    let (low, high) = if below { (edge, val.term) } else { (val.term, edge) };
    let condition = match (sort, open) {
        (Sort::Bv(_), _) => vm.pool.sle(low, high),
        (_, true) => vm.pool.fplt(low, high),
        (_, false) => vm.pool.fple(low, high),
    };
    (condition, holds)
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

/// How objects of some classes are made where a wider type is asked for.
pub fn kind_of_types(vm: &mut Vm<Jvm>, ty: &FieldType, types: &[Arc<str>]) -> super::Kind {
    let mut kinds: Vec<super::Kind> = Vec::new();
    for name in types {
        match super::kind_of(vm, &FieldType::Class(name.clone())) {
            super::Kind::OneOf { ty, kinds: some } => {
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
        (_, Ok(ty)) => super::Kind::OneOf { ty, kinds },
    }
}
