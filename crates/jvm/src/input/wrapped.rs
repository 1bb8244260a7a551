//! Value classes of Kotlin as inputs: the JVM is given what their objects wrap, under names that only Kotlin's source can call.

use std::sync::Arc;

use ir::{ClassId, FuncId};
use vm::{Outcome, Stop, Val, Vm};

use super::generic::Env;
use super::recipe::Way;
use crate::kotlin::{self, CONSTRUCTOR, Values};
use crate::load::{FieldType, access};
use crate::world::Jvm;

fn values(jvm: &Jvm, func: FuncId) -> Option<Values> {
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref()?;
    kotlin::values(&jvm.path, file, &f.name, &f.descriptor)
}

/// Why a test cannot write a call of a method whose name is no identifier; none if it can.
pub fn unwritten(jvm: &Jvm, func: FuncId) -> Option<String> {
    if !jvm.worlds.in_kotlin {
        let why = match jvm.funcs[func].name.contains('-') {
            true => "Kotlin changes its name, as value classes are parameters or results",
            false => "its name is none in Java",
        };
        return Some(format!("Java cannot call it: {why} (tests with --language kotlin can)"));
    }
    let Some(values) = values(jvm, func) else {
        return Some("it has no name in the source".to_string());
    };
    let closed = values.params.iter().flatten().find(|of| !of.can_be_made());
    closed.map(|of| {
        let class = of.class.replace(['/', '$'], ".");
        format!("{class} is a value class without a constructor that tests may call")
    })
}

/// The value class of each parameter of which the JVM is only given what it wraps.
pub(super) fn params(jvm: &Jvm, func: FuncId) -> Vec<Option<Arc<str>>> {
    let params = values(jvm, func).map(|values| values.params).unwrap_or_default();
    params.into_iter().map(|of| Some(of?.class.into())).collect()
}

/// Whether a constructor is private only because it takes value classes: Kotlin's source calls it as any other.
pub(super) fn is_hidden_constructor(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let hidden = jvm.worlds.in_kotlin && &*f.name == "<init>" && f.access & access::PRIVATE != 0;
    let Some(file) = jvm.classes[f.class].file.as_deref().filter(|_| hidden) else { return false };
    let Some(own) = kotlin::kotlin(file).filter(|own| own.value.is_none()) else { return false };
    let count = f.signature.ty.params.len();
    let open = own.function(&f.name, &f.descriptor, count).is_some_and(|declared| declared.is_open);
    let closed = |values: Values| {
        let mut wrapped = values.params.into_iter().flatten().peekable();
        wrapped.peek().is_none() || wrapped.any(|of| !of.can_be_made())
    };
    open && values(jvm, func).is_some_and(|values| !closed(values))
}

/// How an object of a value class is made: its own constructor takes anything, so it is given what the source's would take.
pub(super) fn way(vm: &mut Vm<Jvm>, class: ClassId, env: &Env) -> Option<Way> {
    if !vm.lang.worlds.in_kotlin {
        return None;
    }
    let own = vm.lang.classes[class].file.as_deref().and_then(kotlin::kotlin)?;
    own.value.filter(|of| of.is_made)?;
    let jvm = &vm.lang;
    let named = |func: &FuncId, name: &str| &*jvm.funcs[*func].name == name;
    let constructor = jvm.classes[class].functions().find(|func| named(func, "<init>"))?;
    let wrapped = &jvm.funcs[constructor].signature.ty.params;
    let checks = jvm.classes[class]
        .functions()
        .find(|func| named(func, CONSTRUCTOR) && jvm.funcs[*func].signature.ty.params == *wrapped)?;
    let mut way = super::recipe::way(vm, checks, env);
    way.func = constructor;
    let name = vm.lang.classes[class].name.clone();
    way.params.iter_mut().for_each(|param| param.elements.wrapped_by = Some(name.clone()));
    Some(way)
}

/// What an object of a value class wraps is something that its constructor takes.
pub(super) fn must_be_taken(vm: &mut Vm<Jvm>, class: &str, val: Val, ty: &FieldType) -> Result<(), Stop> {
    let class = vm.lang.class(class).map_err(|_| Stop::Assumption)?;
    let same = |func: &FuncId| {
        let f = &vm.lang.funcs[*func];
        &*f.name == CONSTRUCTOR && f.signature.ty.params.iter().eq([ty])
    };
    // Null is no object where the class wraps none.
    let null = ty.is_reference() && val.bits == 0;
    let Some(checks) = vm.lang.classes[class].functions().find(same).filter(|_| !null) else { return Ok(()) };
    super::initialise(vm, class).map_err(|_| Stop::Assumption)?;
    match vm.call(checks, &[val]) {
        Outcome::Returned(_) => Ok(()),
        Outcome::Threw(_) => Err(Stop::Assumption),
        Outcome::Stopped(stop) => Err(stop),
    }
}
