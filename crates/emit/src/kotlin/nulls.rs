//! What is declared of null inside of generic types, where the variables of a test are used: `List<String?>`.

use std::collections::BTreeMap;

use suite::case::{Call, Step, Target, TestCase, Value};

use super::{Facts, Nulls};

/// The type arguments of variables, as the functions that take them declare them.
pub fn declared(case: &TestCase, facts: &dyn Facts) -> BTreeMap<String, Vec<Nulls>> {
    let mut found = BTreeMap::new();
    let mut see = |value: &Value| {
        value.any(&mut |value| {
            if let Value::Call(call) = value {
                used(call, facts, &mut found);
            }
            false
        });
    };
    crate::java::plan::for_values(case, &mut see);
    used(&case.act, facts, &mut found);
    for step in &case.arrange {
        if let Step::Do(call) = step {
            used(call, facts, &mut found);
        }
    }
    // What is inside of something comes before it.
    for step in case.arrange.iter().rev() {
        match step {
            Step::Do(Call { on: Target::Instance(on), args, .. }) => {
                if let Value::Var(name) = &**on {
                    inside(name, args, &mut found);
                }
            }
            Step::Bind { name, value, .. } => match value {
                Value::Call(call) if call.on == Target::New => {
                    if let [items] = call.args.as_slice() {
                        held(name, items, &mut found);
                    }
                }
                items => held(name, items, &mut found),
            },
            _ => {}
        }
    }
    found
}

/// Whether null is put into a variable's object.
pub fn holds_null(case: &TestCase, name: &str, value: &Value) -> bool {
    let null = |value: &Value| value.any(&mut |v| *v == Value::Null);
    let puts = |step: &Step| match step {
        Step::Do(Call { on: Target::Instance(on), args, .. }) => {
            matches!(&**on, Value::Var(on) if on == name) && args.iter().any(null)
        }
        _ => false,
    };
    null(value) || case.arrange.iter().any(puts)
}

/// Whether all that is put into a variable's object in a place (keys, values) are texts.
pub fn holds_texts(case: &TestCase, name: &str, value: &Value, place: usize) -> bool {
    let is_text = |value: &Value| matches!(value, Value::Str(_) | Value::Null);
    let of_variable = |on: &Value| matches!(on, Value::Var(on) if on == name);
    let all = |value: &Value| match value {
        Value::List(items) | Value::Set(items) => items.iter().all(is_text),
        Value::Map(entries) => entries.iter().all(|(k, v)| is_text(if place == 0 { k } else { v })),
        _ => false,
    };
    let starts = match value {
        Value::Call(call) => call.args.iter().all(all),
        value => all(value),
    };
    starts
        && case.arrange.iter().all(|step| match step {
            Step::Do(Call { on: Target::Instance(on), args, .. }) if of_variable(on) => {
                args.get(place).is_none_or(is_text)
            }
            _ => true,
        })
}

fn used(call: &Call, facts: &dyn Facts, found: &mut BTreeMap<String, Vec<Nulls>>) {
    let mut member = None;
    for (i, arg) in call.args.iter().enumerate() {
        let Value::Var(name) = arg else { continue };
        let member = member.get_or_insert_with(|| facts.member(call).unwrap_or_default());
        if let Some(arguments) = member.arguments.get(i).filter(|arguments| !arguments.is_empty()) {
            found.entry(name.clone()).or_insert_with(|| arguments.clone());
        }
    }
}

/// Elements of a list, keys and values of a map, as what holds them is declared.
fn held(name: &str, items: &Value, found: &mut BTreeMap<String, Vec<Nulls>>) {
    match items {
        Value::List(items) | Value::Set(items) => {
            items.iter().for_each(|item| inside(name, std::slice::from_ref(item), found));
        }
        Value::Map(entries) => {
            entries.iter().for_each(|(key, value)| inside(name, &[key.clone(), value.clone()], found));
        }
        _ => {}
    }
}

/// What is put into a variable's object: an element, or a key and a value.
fn inside(name: &str, args: &[Value], found: &mut BTreeMap<String, Vec<Nulls>>) {
    let Some(declared) = found.get(name).filter(|declared| declared.len() == args.len()).cloned() else {
        return;
    };
    for (arg, nulls) in args.iter().zip(declared) {
        if let Value::Var(arg) = arg {
            found.entry(arg.clone()).or_insert(nulls.arguments);
        }
    }
}
