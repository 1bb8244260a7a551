//! Finding the methods that are tests, and running them for what they call.

use std::sync::Arc;

use ir::{ClassId, FuncId};
use term::Assignment;
use vm::{ObjId, Outcome, Val, Vm};

use super::{Heard, Listener};
use crate::link::new_string;
use crate::load::annotation::{Annotation, ElementValue, annotations};
use crate::load::{ClassFile, ClassPath, FieldType, Method, access};
use crate::world::Jvm;

/// Annotations of methods that are run as tests.
const TESTS: [&str; 4] = [
    "Lorg/junit/jupiter/api/Test;",
    "Lorg/junit/jupiter/api/RepeatedTest;",
    "Lorg/junit/Test;",
    "Lorg/testng/annotations/Test;",
];
const PARAMETERISED: &str = "Lorg/junit/jupiter/params/ParameterizedTest;";
const VALUES: &str = "Lorg/junit/jupiter/params/provider/ValueSource;";
const ROWS: &str = "Lorg/junit/jupiter/params/provider/CsvSource;";
/// Annotations of methods that come before: once, and before each test.
const ONCE: [&str; 3] =
    ["Lorg/junit/jupiter/api/BeforeAll;", "Lorg/junit/BeforeClass;", "Lorg/testng/annotations/BeforeClass;"];
const EACH: [&str; 3] =
    ["Lorg/junit/jupiter/api/BeforeEach;", "Lorg/junit/Before;", "Lorg/testng/annotations/BeforeMethod;"];
/// Instructions of a test.
const STEPS: u64 = 5_000_000;

/// Whether a class has methods that are tests.
pub fn has_tests(file: &ClassFile) -> bool {
    file.methods.iter().any(|method| is_test(file, method))
}

/// Whether a class names another one, or one nested in it.
pub fn mentions(file: &ClassFile, class: &str) -> bool {
    let names = (1..file.pool.len()).filter_map(|index| file.pool.class(index).ok());
    let mut rest = names.filter_map(|name| name.strip_prefix(class));
    rest.any(|rest| rest.is_empty() || rest.starts_with('$'))
}

/// Runs the tests of these classes and tells what they call the program with, each call once.
pub fn listen(vm: &mut Vm<Jvm>, program: &Arc<ClassPath>, tests: &[String]) -> Vec<Heard> {
    vm.lang.listener = Some(Box::new(Listener::new(program.clone())));
    vm.listening = true;
    vm.limits.steps = STEPS;
    for name in tests {
        let Ok(class) = vm.lang.class(name) else { continue };
        let Some(file) = vm.lang.classes[class].file.clone() else { continue };
        for method in file.methods.iter().filter(|method| is_test(&file, method)) {
            for given in arguments(&file, method) {
                run(vm, class, &file, method, &given);
            }
        }
    }
    vm.listening = false;
    let heard = vm.lang.listener.take().map(|listener| listener.heard);
    vm.start_exploration();
    heard.unwrap_or_default()
}

fn is_test(file: &ClassFile, method: &Method) -> bool {
    if method.code.is_none() {
        return false;
    }
    let plain = method.ty.params.is_empty();
    let marked = marks(file, method)
        .iter()
        .any(|mark| (plain && TESTS.contains(&&*mark.descriptor)) || &*mark.descriptor == PARAMETERISED);
    let old = file.super_name.as_deref() == Some("junit/framework/TestCase");
    marked || old && plain && method.name.starts_with("test")
}

fn marks(file: &ClassFile, method: &Method) -> Vec<Annotation> {
    let raw = method.annotations.as_ref().and_then(|raw| raw.visible.as_ref());
    raw.and_then(|raw| annotations(raw, &file.pool).ok()).unwrap_or_default()
}

/// What a test is given: nothing, or what stands in its annotations, a list of arguments for each run.
fn arguments(file: &ClassFile, method: &Method) -> Vec<Vec<ElementValue>> {
    if method.ty.params.is_empty() {
        return vec![Vec::new()];
    }
    let mut rows = Vec::new();
    for mark in marks(file, method) {
        let values = mark.elements.into_iter().filter_map(|(name, value)| match value {
            ElementValue::Array(values) => Some((name, values)),
            _ => None,
        });
        for (name, values) in values {
            match (&*mark.descriptor, &*name) {
                (VALUES, _) => rows.extend(values.into_iter().map(|value| vec![value])),
                (ROWS, "value") => rows.extend(values.iter().filter_map(split)),
                _ => {}
            }
        }
    }
    rows.retain(|row: &Vec<ElementValue>| row.len() == method.ty.params.len());
    rows
}

/// The cells of a row of comma-separated values, with quotes as JUnit has them.
fn split(row: &ElementValue) -> Option<Vec<ElementValue>> {
    let ElementValue::String(units) = row else { return None };
    let row = String::from_utf16_lossy(units);
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    for c in row.chars() {
        match c {
            '\'' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    cells.push(cell);
    let text = |cell: String| ElementValue::String(cell.trim().encode_utf16().collect());
    Some(cells.into_iter().map(text).collect())
}

/// Runs one test on a new object of its class, after what comes before each.
fn run(vm: &mut Vm<Jvm>, class: ClassId, file: &ClassFile, method: &Method, given: &[ElementValue]) {
    vm.start_run(Assignment::default());
    if let Some(listener) = &mut vm.lang.listener {
        listener.forget_objects();
    }
    let Some(constructor) = vm.lang.declared(class, "<init>", "()V") else { return };
    let Some(test) = vm.lang.declared(class, &method.name, &method.descriptor) else { return };
    if crate::input::initialise(vm, class).is_err() {
        return;
    }
    let before = |marked: &[&str], named: &str| -> Vec<FuncId> {
        let marks = |m: &&Method| marks(file, m).iter().any(|mark| marked.contains(&&*mark.descriptor));
        let first = file.methods.iter().filter(|m| marks(m) || &*m.name == named && m.ty.params.is_empty());
        first.filter_map(|m| vm.lang.declared(class, &m.name, &m.descriptor)).collect()
    };
    let (once, each) = (before(&ONCE, ""), before(&EACH, "setUp"));
    let Ok(object) = vm.new_object(class) else { return };
    let mut calls = vec![(constructor, Vec::new())];
    calls.extend(once.into_iter().chain(each).map(|func| (func, Vec::new())));
    let mut args = Vec::new();
    for (value, ty) in given.iter().zip(&method.ty.params) {
        let Some(val) = argument(vm, value, ty) else { return };
        args.push(val);
    }
    calls.push((test, args));
    for (func, args) in calls {
        let on = (!vm.lang.funcs[func].is(access::STATIC)).then(|| Val::obj(object));
        let all: Vec<Val> = on.into_iter().chain(args).collect();
        // A test that fails has called something all the same.
        if !matches!(vm.call(func, &all), Outcome::Returned(_)) {
            return;
        }
    }
}

/// A value of an annotation as an argument of this type; texts are converted as JUnit does.
fn argument(vm: &mut Vm<Jvm>, value: &ElementValue, ty: &FieldType) -> Option<Val> {
    let int = |value: i32| Some(Val::concrete(value as u32 as u64));
    match value {
        ElementValue::Boolean(value) => int((*value).into()),
        ElementValue::Byte(value) => int((*value).into()),
        ElementValue::Char(value) => int((*value).into()),
        ElementValue::Short(value) => int((*value).into()),
        ElementValue::Int(value) if *ty == FieldType::Long => Some(Val::concrete(i64::from(*value) as u64)),
        ElementValue::Int(value) => int(*value),
        ElementValue::Long(value) => Some(Val::concrete(*value as u64)),
        ElementValue::Float(value) => Some(Val::concrete(value.to_bits().into())),
        ElementValue::Double(value) => Some(Val::concrete(value.to_bits())),
        ElementValue::String(units) => converted(vm, units, ty),
        ElementValue::Enum(..) | ElementValue::Class(_) | ElementValue::Annotation(_) => None,
        ElementValue::Array(_) => None,
    }
}

fn converted(vm: &mut Vm<Jvm>, units: &[u16], ty: &FieldType) -> Option<Val> {
    let text = String::from_utf16_lossy(units);
    let bits = match ty {
        FieldType::Boolean => u64::from(text.parse::<bool>().ok()?),
        FieldType::Byte | FieldType::Short | FieldType::Int => text.parse::<i32>().ok()? as u32 as u64,
        FieldType::Char => u64::from(*units.first()?),
        FieldType::Long => text.parse::<i64>().ok()? as u64,
        FieldType::Float => text.parse::<f32>().ok()?.to_bits().into(),
        FieldType::Double => text.parse::<f64>().ok()?.to_bits(),
        FieldType::Class(name) if &**name == "java/lang/String" => match units.is_empty() {
            // An empty cell is null.
            true => u64::from(ObjId::NULL.0),
            false => return new_string(vm, units).ok().map(Val::obj),
        },
        FieldType::Class(_) | FieldType::Array(_) => return None,
    };
    Some(Val::concrete(bits))
}
