//! What annotations say of values: the constraints of Bean Validation (`javax.validation`, `jakarta.validation`).

use std::collections::BTreeMap;

use ir::{ClassId, FuncId};

use super::known::{Limit, Number, Rule};
use crate::load::annotation::{Annotation, ElementValue, annotations, parameter_annotations};
use crate::world::Jvm;

/// What the parameters of a function are declared to be.
pub(super) fn parameters(jvm: &Jvm, func: FuncId) -> Vec<Rule> {
    let f = &jvm.funcs[func];
    let count = f.signature.ty.params.len();
    let mut rules = vec![Rule::default(); count];
    let Some(file) = &jvm.classes[f.class].file else { return rules };
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
    rules
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
        if !rule.is_empty() {
            rules.insert(field.name.to_string(), rule);
        }
    }
    rules
}

fn declare(rule: &mut Rule, annotation: &Annotation) {
    let name = annotation.descriptor.trim_start_matches('L').trim_end_matches(';');
    let Some(name) = name
        .strip_prefix("javax/validation/constraints/")
        .or_else(|| name.strip_prefix("jakarta/validation/constraints/"))
    else {
        return;
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
            rule.matches = Some("(?s).*\\S.*".to_string());
        }
        "Positive" => rule.min = limit(0, true),
        "PositiveOrZero" => rule.min = limit(0, false),
        "Negative" => rule.max = limit(0, true),
        "NegativeOrZero" => rule.max = limit(0, false),
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
        _ => {}
    }
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
