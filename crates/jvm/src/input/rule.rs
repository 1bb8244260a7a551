//! What a value must be like, and making sure that inputs are.

use std::sync::Arc;

use ir::FuncId;
use term::{Sort, TermId};
use vm::{ObjId, Outcome, Stop, Val, Vm};

use crate::link::ClassKind;
use crate::load::FieldType;
use crate::world::Jvm;

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
    /// Of the elements; of a map, its keys.
    pub each: Option<Box<Rule>>,
    /// Of a map's values.
    pub values: Option<Box<Rule>>,
    /// A decimal number has so many digits behind its point at most.
    pub fraction: Option<u32>,
    /// A date or time lies there.
    pub time: Option<Time>,
    /// Nothing but null.
    pub null: bool,
    /// One of these, if any are given.
    pub one_of: Vec<Constant>,
    /// What an object of this value class (an internal name) wraps: its constructor does not refuse it.
    pub wrapped_by: Option<Arc<str>>,
    /// Besides.
    pub also: Vec<Rule>,
}

/// Where a date or time lies, whenever a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    Past,
    Future,
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

    /// All that the other asks, besides what this one does.
    pub fn add(&mut self, mut other: Rule) {
        fn give<T>(to: &mut Option<T>, from: &mut Option<T>) {
            if to.is_none() {
                *to = from.take();
            }
        }
        self.non_null |= std::mem::take(&mut other.non_null);
        self.null |= std::mem::take(&mut other.null);
        give(&mut self.min, &mut other.min);
        give(&mut self.max, &mut other.max);
        give(&mut self.size, &mut other.size);
        give(&mut self.matches, &mut other.matches);
        give(&mut self.each, &mut other.each);
        give(&mut self.values, &mut other.values);
        give(&mut self.fraction, &mut other.fraction);
        give(&mut self.time, &mut other.time);
        give(&mut self.wrapped_by, &mut other.wrapped_by);
        if !other.is_empty() {
            self.also.push(other);
        }
    }

    /// What this rule asks, and what the other asks of the rest.
    pub fn join(&mut self, other: &Rule) {
        self.non_null |= other.non_null;
        self.min = self.min.or(other.min);
        self.max = self.max.or(other.max);
        self.size = self.size.or(other.size);
        self.matches = self.matches.take().or_else(|| other.matches.clone());
        self.types.extend(other.types.iter().cloned());
        self.each = self.each.take().or_else(|| other.each.clone());
        self.values = self.values.take().or_else(|| other.values.clone());
        self.fraction = self.fraction.or(other.fraction);
        self.time = self.time.or(other.time);
        self.wrapped_by = self.wrapped_by.take().or_else(|| other.wrapped_by.clone());
        self.also.extend(other.also.iter().cloned());
        self.null |= other.null;
        if self.one_of.is_empty() {
            self.one_of.clone_from(&other.one_of);
        }
    }
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
pub(super) fn differ(vm: &mut Vm<Jvm>, a: Val, b: Val) -> Result<(), Stop> {
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
    if let Some(class) = &rule.wrapped_by {
        super::wrapped::must_be_taken(vm, class, val, ty)?;
    }
    if !ty.is_reference() {
        limits(vm, val, ty, rule)?;
        super::values::be_one_of(vm, val, ty, &rule.one_of)?;
        return rule.also.iter().try_for_each(|also| hold(vm, val, ty, also));
    }
    if rule.null {
        let zero = vm.pool.bv(32, 0);
        let condition =
            if val.term.is_some() { vm.pool.eq(val.term, zero) } else { vm.pool.bool(val.bits == 0) };
        return vm.require(condition, val.bits == 0);
    }
    // Null is none of the values that a list has.
    if rule.non_null || !rule.one_of.is_empty() {
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
    if let Some(most) = rule.fraction {
        super::values::has_digits(vm, object, most)?;
    }
    if let Some(time) = rule.time {
        super::values::in_time(vm, object, time)?;
    }
    let is_map = vm.lang.loaded("java/util/Map").is_some_and(|map| vm.lang.is_subclass(class, map));
    if let Some(each) = rule.each.as_ref().filter(|_| !is_map) {
        elements(vm, object, each)?;
    }
    let keys = (&rule.each, "keySet", "()Ljava/util/Set;");
    let values = (&rule.values, "values", "()Ljava/util/Collection;");
    for (each, method, descriptor) in [keys, values] {
        if let Some(each) = each.as_ref().filter(|_| is_map) {
            let held = ask(vm, object, method, descriptor)?;
            let held = vm.deref(held)?;
            elements(vm, held, each)?;
        }
    }
    rule.also.iter().try_for_each(|also| hold_object(vm, object, also))
}

/// What a method of an object without parameters returns.
pub(super) fn ask(vm: &mut Vm<Jvm>, object: ObjId, method: &str, descriptor: &str) -> Result<Val, Stop> {
    let class = vm.heap.class(object);
    let func = vm.lang.method(class, method, descriptor).map_err(|_| Stop::Assumption)?;
    let func = crate::observe::dispatched(vm, object, func).ok_or(Stop::Assumption)?;
    match vm.call(func, &[Val::obj(object)]) {
        Outcome::Returned(Some(val)) => Ok(val),
        Outcome::Returned(None) | Outcome::Threw(_) => Err(Stop::Assumption),
        Outcome::Stopped(stop) => Err(stop),
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
pub(super) fn limits(vm: &mut Vm<Jvm>, val: Val, ty: &FieldType, rule: &Rule) -> Result<(), Stop> {
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
