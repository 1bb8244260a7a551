//! What an existing test gave to the program, as values of input variables.

use std::collections::BTreeMap;

use vm::Vm;

use super::object::{change_order, clashes, class_of, labelled};
use super::recipe::{Make, Way};
use super::{Kind, MAX_CHANGES};
use crate::examples::{Call, Example, Made};
use crate::link::string_units;
use crate::world::Jvm;

/// Enters what makes the input `name` of a kind like an example; what cannot be said stays as it is by default.
pub fn enter(vm: &Vm<Jvm>, name: &str, kind: &Kind, example: &Example, inputs: &mut BTreeMap<String, u128>) {
    let is_reference = !matches!(kind, Kind::Scalar(_));
    if is_reference && !matches!(example, Example::Unknown) {
        // Of the two the input has one: whether it is null by default depends on where it is.
        let null = *example == Example::Null;
        inputs.insert(format!("{name}.null"), null.into());
        inputs.insert(format!("{name}.some"), (!null).into());
    }
    match (kind, example) {
        (Kind::Scalar(_) | Kind::Boxed { .. }, Example::Bits(bits)) => {
            inputs.insert(name.to_string(), (*bits).into());
        }
        (Kind::Str, Example::Text(units)) => text(name, units, inputs),
        (Kind::Word(words), Example::Text(units)) => {
            let known = words.iter().position(|word| string_units(vm, *word) == *units);
            inputs.insert(format!("{name}.word"), known.map_or(0, |at| at as u128 + 1));
            text(name, units, inputs);
        }
        (Kind::Enum { constants, .. }, Example::Constant(constant)) => {
            let called =
                |object: &vm::ObjId| crate::observe::constant_name(vm, *object).as_ref() == Some(constant);
            if let Some(at) = constants.iter().position(called) {
                inputs.insert(name.to_string(), at as u128);
            }
        }
        (Kind::Array { elem, .. }, Example::Array(items)) => {
            inputs.insert(format!("{name}.length"), items.len() as u128);
            for (i, item) in items.iter().enumerate() {
                enter(vm, &format!("{name}[{i}]"), elem, item, inputs);
            }
        }
        (Kind::List { elem, .. }, Example::Elements(items)) => {
            inputs.insert(format!("{name}.size"), items.len() as u128);
            for (i, item) in items.iter().enumerate() {
                enter(vm, &format!("{name}.get{i}"), elem, item, inputs);
            }
        }
        (Kind::Filled { elems, .. }, Example::Elements(items)) => {
            let [elem] = elems.as_slice() else { return };
            inputs.insert(format!("{name}.size"), items.len() as u128);
            for (i, item) in items.iter().enumerate() {
                enter(vm, &format!("{name}.element{i}"), elem, item, inputs);
            }
        }
        (Kind::Object(key), Example::Object(made)) => object(vm, name, key, made, inputs),
        (Kind::OneOf { kinds, .. }, example) => {
            let Some(at) = kinds.iter().position(|kind| fits(vm, kind, example)) else { return };
            inputs.insert(format!("{name}.is"), at as u128);
            let inside = match &kinds[at] {
                Kind::Object(_) if !clashes(&vm.lang, kinds, at) => name.to_string(),
                _ if at == 0 => name.to_string(),
                kind => labelled(&vm.lang, name, kind),
            };
            enter(vm, &inside, &kinds[at], example, inputs);
        }
        (Kind::Only { kind, .. }, example) => enter(vm, name, kind, example, inputs),
        _ => {}
    }
}

fn text(name: &str, units: &[u16], inputs: &mut BTreeMap<String, u128>) {
    inputs.insert(format!("{name}.length"), units.len() as u128);
    for (i, unit) in units.iter().enumerate() {
        inputs.insert(format!("{name}[{i}]"), (*unit).into());
    }
}

/// Whether an example may be of a kind.
fn fits(vm: &Vm<Jvm>, kind: &Kind, example: &Example) -> bool {
    match (kind, example) {
        (Kind::Object(_), Example::Object(made)) => {
            class_of(&vm.lang, kind).is_some_and(|class| *vm.lang.classes[class].name == *made.by.class)
        }
        (Kind::Str | Kind::Word(_), Example::Text(_))
        | (Kind::Boxed { .. }, Example::Bits(_))
        | (Kind::Enum { .. }, Example::Constant(_))
        | (Kind::Array { .. }, Example::Array(_))
        | (Kind::List { .. } | Kind::Filled { .. }, Example::Elements(_)) => true,
        (Kind::Only { kind, .. }, example) => fits(vm, kind, example),
        _ => false,
    }
}

/// The constructor that a test called, and the calls before that are among those which an input may get.
fn object(vm: &Vm<Jvm>, name: &str, key: &str, made: &Made, inputs: &mut BTreeMap<String, u128>) {
    let Some(recipe) = vm.lang.worlds.recipes.get(key) else { return };
    let by = recipe.ways.iter().position(|way| matches!(way, Make::Call(way) if is_call(vm, way, &made.by)));
    let Some(at) = by else { return };
    inputs.insert(format!("{name}.way"), at as u128);
    if let Some(Make::Call(way)) = recipe.ways.get(at) {
        arguments(vm, name, way, &made.by, inputs);
    }
    let order = change_order(&vm.lang, recipe);
    let calls = made.then.iter().filter_map(|call| {
        let at = order.iter().position(|way| is_call(vm, way, call))?;
        Some((at, call))
    });
    for (i, (at, call)) in calls.take(MAX_CHANGES as usize).enumerate() {
        let step = format!("{name}.call{i}");
        inputs.insert(step.clone(), at as u128 + 1);
        arguments(vm, &format!("{step}.{}", call.method), &order[at], call, inputs);
    }
    // A setter that does nothing else shows as what its field is.
    for field in &recipe.fields {
        let Some((setter, _)) = field.setter else { continue };
        let f = &vm.lang.funcs[setter];
        let last =
            made.then.iter().rev().find(|call| call.method == f.name && call.descriptor == f.descriptor);
        if let Some([value]) = last.map(|call| call.args.as_slice()) {
            let inside = format!("{name}.{}", field.name);
            enter(vm, &inside, &field.kind, value, inputs);
            inputs.insert(format!("{inside}.set"), 1);
        }
    }
}

fn is_call(vm: &Vm<Jvm>, way: &Way, call: &Call) -> bool {
    let f = &vm.lang.funcs[way.func];
    way.is_plain() && f.name == call.method && f.descriptor == call.descriptor
}

fn arguments(vm: &Vm<Jvm>, name: &str, way: &Way, call: &Call, inputs: &mut BTreeMap<String, u128>) {
    for (param, example) in way.params.iter().zip(&call.args) {
        enter(vm, &format!("{name}.{}", param.name), &param.kind, example, inputs);
    }
}
