//! What annotations say of values: the constraints of Bean Validation (`javax.validation`, `jakarta.validation`).

use std::collections::BTreeMap;

use ir::{ClassId, FuncId};

use super::generic::Generic;
use super::known::{Limit, Number, Rule, Time};
use super::nullness::{annotated_types, marked, nullness};
use crate::kotlin::{KotlinType, Nullness};
use crate::load::FieldType;
use crate::load::annotation::{
    Annotation, ElementValue, Part, TypeAnnotation, annotations, parameter_annotations,
};
use crate::world::Jvm;

/// What the parameters of a function are declared to be.
pub(super) fn parameters(jvm: &Jvm, func: FuncId) -> Vec<Rule> {
    let f = &jvm.funcs[func];
    let count = f.signature.ty.params.len();
    let mut rules = vec![Rule::default(); count];
    for (rule, marked) in rules.iter_mut().zip(marked_elements(jvm, func)) {
        rule.each = marked.then(|| Box::new(Rule { non_null: true, ..Rule::default() }));
    }
    let Some(file) = &jvm.classes[f.class].file else { return rules };
    if let Some(kotlin) = crate::kotlin::kotlin(file) {
        let function = kotlin.function(&f.name, &f.descriptor, count).map(|f| f.arguments.clone());
        let setter = || kotlin.setter(&f.name).filter(|_| count == 1).map(|p| vec![p.arguments.clone()]);
        let arguments = function.or_else(setter).unwrap_or_default();
        let classes = super::wrapped::params(jvm, func);
        for (rule, class) in rules.iter_mut().zip(classes) {
            rule.wrapped_by = class;
        }
        for ((rule, arguments), ty) in rules.iter_mut().zip(&arguments).zip(&f.signature.ty.params) {
            rule.join(&elements(arguments, holds_elements(jvm, ty), &|null| null == Nullness::Never));
        }
    }
    let Some(raw) = file.method(&f.name, &f.descriptor).and_then(|m| m.annotations.as_ref()) else {
        return rules;
    };
    for slice in [&raw.visible_parameters, &raw.invisible_parameters].into_iter().flatten() {
        let Ok(parameters) = parameter_annotations(slice, &file.pool) else { continue };
        // Synthetic parameters in front may be left out.
        let skipped = count.saturating_sub(parameters.len());
        for (rule, annotations) in rules.iter_mut().skip(skipped).zip(parameters) {
            annotations.iter().for_each(|annotation| declare(rule, annotation));
        }
    }
    let hidden = usize::from(&*f.name == "<init>" && super::is_inner(jvm, f.class));
    for one in annotated_types(raw, file) {
        if let Some(rule) = rules.get_mut(usize::from(one.index) + hidden) {
            declare_element(rule, &one);
        }
    }
    rules
}

/// Of the elements of a function's parameters, only that they are not null, and what objects of value classes wrap: the rest is what a method under test is declared to
/// be given, and constructors are called with whatever they take.
pub(super) fn element_nulls(jvm: &Jvm, func: FuncId) -> Vec<Rule> {
    let nulls = |rule: Rule| {
        let (each, values) = (only_nulls(rule.each), only_nulls(rule.values));
        Rule { each, values, wrapped_by: rule.wrapped_by, ..Rule::default() }
    };
    parameters(jvm, func).into_iter().map(nulls).collect()
}

fn only_nulls(rule: Option<Box<Rule>>) -> Option<Box<Rule>> {
    let rule = *rule?;
    let nulls = Rule {
        non_null: rule.non_null,
        each: only_nulls(rule.each),
        values: only_nulls(rule.values),
        ..Rule::default()
    };
    Some(Box::new(nulls)).filter(|rule| !rule.is_empty())
}

/// Which parameters of a function are of Kotlin types whose objects may return null where a type parameter says what they
/// return: `() -> String?`, `() -> R`.
pub(super) fn nullable_results(jvm: &Jvm, func: FuncId) -> Vec<bool> {
    let f = &jvm.funcs[func];
    let count = f.signature.ty.params.len();
    let kotlin = jvm.classes[f.class].file.as_deref().and_then(crate::kotlin::kotlin);
    let function = kotlin.as_ref().and_then(|kotlin| kotlin.function(&f.name, &f.descriptor, count));
    let Some(function) = function else { return Vec::new() };
    let types = function.arguments.iter().zip(&f.signature.ty.params);
    types
        .map(|(arguments, ty)| {
            // The last argument of a function's type is what it returns.
            let is_function =
                matches!(ty, FieldType::Class(name) if name.starts_with("kotlin/jvm/functions/"));
            let skipped = if is_function { arguments.len().saturating_sub(1) } else { 0 };
            arguments.iter().skip(skipped).any(|argument| argument.null.may_be())
        })
        .collect()
}

/// What Kotlin's types say of the elements that a function returns.
pub(super) fn returned_elements(jvm: &Jvm, func: FuncId) -> Rule {
    let f = &jvm.funcs[func];
    let kotlin = jvm.classes[f.class].file.as_deref().and_then(crate::kotlin::kotlin);
    let (Some(kotlin), Some(ty)) = (kotlin, &f.signature.ty.ret) else { return Rule::default() };
    let function = kotlin.function(&f.name, &f.descriptor, f.signature.ty.params.len());
    let arguments = function.map(|f| &f.returned).or_else(|| kotlin.getter(&f.name).map(|p| &p.arguments));
    // What a type parameter stands for counts as it is.
    let never = |null| null != Nullness::Marked;
    arguments.map(|arguments| elements(arguments, holds_elements(jvm, ty), &never)).unwrap_or_default()
}

/// Elements are as the arguments of a Kotlin type say: those of a list or an array, the keys and values of a map.
fn elements(arguments: &[KotlinType], holds: bool, never: &dyn Fn(Nullness) -> bool) -> Rule {
    let rule = |ty: &KotlinType| {
        // What is inside of elements is looked at where they are lists or maps, of whatever class.
        let inside = elements(&ty.arguments, holds, never);
        let rule = Rule { non_null: never(ty.null), ..inside };
        Some(Box::new(rule)).filter(|rule| !rule.is_empty())
    };
    match arguments {
        [each] if holds => Rule { each: rule(each), ..Rule::default() },
        [keys, values] if holds => Rule { each: rule(keys), values: rule(values), ..Rule::default() },
        _ => Rule::default(),
    }
}

/// Whether the arguments of a type are what its objects hold: arrays, and what the library keeps things in.
fn holds_elements(jvm: &Jvm, ty: &FieldType) -> bool {
    let FieldType::Class(name) = ty else { return matches!(ty, FieldType::Array(_)) };
    let above = |above: &str| {
        let (class, above) = (jvm.loaded(name), jvm.loaded(above));
        class.zip(above).is_some_and(|(class, above)| jvm.is_subclass(class, above))
    };
    name.starts_with("java/") && (above("java/lang/Iterable") || above("java/util/Map"))
}

/// Which parameters of a function hold elements that are never null, by a scope that says so of all types.
fn marked_elements(jvm: &Jvm, func: FuncId) -> Vec<bool> {
    let f = &jvm.funcs[func];
    let count = f.signature.ty.params.len();
    let Some(file) = &jvm.classes[f.class].file else { return vec![false; count] };
    let Some(method) = file.method(&f.name, &f.descriptor) else { return vec![false; count] };
    if !marked(jvm, file, method) {
        return vec![false; count];
    }
    let types = super::param_types(jvm, func, &Vec::new());
    let hidden = usize::from(&*f.name == "<init>" && super::is_inner(jvm, f.class));
    let annotated = method.annotations.as_ref().map(|raw| annotated_types(raw, file)).unwrap_or_default();
    let holds = |(i, ty): (usize, &Generic)| {
        let nullable = annotated.iter().any(|one| {
            usize::from(one.index) + hidden == i
                && one.part != Part::Whole
                && nullness(&one.annotation) == Some(false)
        });
        let elements = match ty {
            Generic::Array(elem) => matches!(**elem, Generic::Class(..) | Generic::Array(_)),
            // A map's keys and values have no rule of their own.
            Generic::Class(_, args) => matches!(args.as_slice(), [Generic::Class(..) | Generic::Array(_)]),
            _ => false,
        };
        elements && !nullable
    };
    types.iter().enumerate().map(holds).collect()
}

/// Takes what an annotation of a part of a type says of elements.
fn declare_element(rule: &mut Rule, one: &TypeAnnotation) {
    let part = match one.part {
        Part::Whole => return,
        Part::Argument(1) => &mut rule.values,
        Part::Argument(n) if n > 1 => return,
        _ => &mut rule.each,
    };
    let mut each = part.take().unwrap_or_default();
    declare(&mut each, &one.annotation);
    each.non_null |= nullness(&one.annotation) == Some(true);
    *part = Some(each).filter(|each| !each.is_empty());
}

/// What the fields of a class are declared to be.
pub(super) fn fields(jvm: &Jvm, class: ClassId) -> BTreeMap<String, Rule> {
    let mut rules = BTreeMap::new();
    let Some(file) = &jvm.classes[class].file else { return rules };
    for field in &file.fields {
        let Some(raw) = &field.annotations else { continue };
        let mut rule = Rule::default();
        for slice in [&raw.visible, &raw.invisible].into_iter().flatten() {
            let Ok(all) = annotations(slice, &file.pool) else { continue };
            all.iter().for_each(|annotation| declare(&mut rule, annotation));
        }
        annotated_types(raw, file).iter().for_each(|one| declare_element(&mut rule, one));
        if !rule.is_empty() {
            rules.insert(field.name.to_string(), rule);
        }
    }
    rules
}

/// A character that neither `trim` nor `isBlank` takes for nothing.
const NOT_BLANK: &str = "(?s).*[^\\x00-\\x20\\u1680\\u2000-\\u200a\\u2028\\u2029\\u205f\\u3000].*";

/// Adds what an annotation says of a value.
fn declare(rule: &mut Rule, annotation: &Annotation) {
    rule.add(declared(annotation));
}

fn declared(annotation: &Annotation) -> Rule {
    let mut rule = Rule::default();
    let name = annotation.descriptor.trim_start_matches('L').trim_end_matches(';');
    let Some(name) = name
        .strip_prefix("javax/validation/constraints/")
        .or_else(|| name.strip_prefix("jakarta/validation/constraints/"))
    else {
        return rule;
    };
    let limit = |value: i128, open: bool| Some(Limit { value: Number::Int(value), open });
    match name {
        "NotNull" => rule.non_null = true,
        "NotEmpty" => {
            rule.non_null = true;
            rule.size = Some((1, u32::MAX));
        }
        "NotBlank" => {
            rule.non_null = true;
            rule.matches = Some(NOT_BLANK.to_string());
        }
        "Positive" => rule.min = limit(0, true),
        "PositiveOrZero" => rule.min = limit(0, false),
        "Negative" => rule.max = limit(0, true),
        "NegativeOrZero" => rule.max = limit(0, false),
        "Null" => rule.null = true,
        "Digits" => {
            let digits = match element(annotation, "integer") {
                Some(ElementValue::Int(n)) => u32::try_from(*n).ok(),
                _ => None,
            };
            if let Some(below) = digits.and_then(|digits| 10i128.checked_pow(digits)) {
                (rule.min, rule.max) = (limit(-below, true), limit(below, true));
            }
            if let Some(ElementValue::Int(n)) = element(annotation, "fraction") {
                rule.fraction = u32::try_from(*n).ok();
            }
        }
        "AssertTrue" => rule.min = limit(1, false),
        "AssertFalse" => rule.max = limit(0, false),
        "Min" => rule.min = whole(annotation).and_then(|value| limit(value, false)),
        "Max" => rule.max = whole(annotation).and_then(|value| limit(value, false)),
        "DecimalMin" => rule.min = decimal(annotation),
        "DecimalMax" => rule.max = decimal(annotation),
        "Size" => {
            let part = |name: &str| match element(annotation, name) {
                Some(ElementValue::Int(n)) => u32::try_from(*n).ok(),
                _ => None,
            };
            rule.size = Some((part("min").unwrap_or(0), part("max").unwrap_or(u32::MAX)));
        }
        "Pattern" => rule.matches = text(annotation, "regexp"),
        "Email" => rule.matches = Some("[^@\\s]+@[^@\\s]+".to_string()),
        "Past" | "PastOrPresent" => rule.time = Some(Time::Past),
        "Future" | "FutureOrPresent" => rule.time = Some(Time::Future),
        _ => {}
    }
    rule
}

fn element<'a>(annotation: &'a Annotation, name: &str) -> Option<&'a ElementValue> {
    annotation.elements.iter().find(|(n, _)| **n == *name).map(|(_, value)| value)
}

fn whole(annotation: &Annotation) -> Option<i128> {
    match element(annotation, "value") {
        Some(ElementValue::Long(n)) => Some((*n).into()),
        _ => None,
    }
}

fn text(annotation: &Annotation, name: &str) -> Option<String> {
    match element(annotation, name) {
        Some(ElementValue::String(units)) => String::from_utf16(units).ok(),
        _ => None,
    }
}

fn decimal(annotation: &Annotation) -> Option<Limit> {
    let text = text(annotation, "value")?;
    let open = matches!(element(annotation, "inclusive"), Some(ElementValue::Boolean(false)));
    let value = match text.parse::<i128>() {
        Ok(n) => Number::Int(n),
        Err(_) => Number::Float(text.parse().ok()?),
    };
    Some(Limit { value, open })
}
