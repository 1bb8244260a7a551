//! Checks JSON against a schema of ours: the part of JSON Schema 2020-12 that they use.

use serde_json::Value;
use std::path::Path;

/// Panics with all places where a value breaks the schema in a file.
pub fn check(schema: &Path, value: &Value) {
    let text = std::fs::read_to_string(schema).unwrap_or_else(|e| panic!("{}: {e}", schema.display()));
    let root: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", schema.display()));
    let mut wrong = Vec::new();
    Checker { root: &root }.check(&root, value, "$", &mut wrong);
    assert!(wrong.is_empty(), "{} is broken:\n{}", schema.display(), wrong.join("\n"));
}

struct Checker<'s> {
    root: &'s Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
        let Some(rules) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                wrong.push(format!("{at}: nothing is allowed here"));
            }
            return;
        };
        for (rule, wanted) in rules {
            match rule.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" | "required" | "examples"
                | "default" => {}
                "$ref" => {
                    let pointer = wanted.as_str().unwrap().trim_start_matches('#');
                    let target = self.root.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
                    self.check(target, value, at, wrong);
                }
                "type" => {
                    let names: Vec<&str> = match wanted {
                        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                        name => vec![name.as_str().unwrap()],
                    };
                    if !names.iter().any(|name| is_a(value, name)) {
                        wrong.push(format!("{at}: {value} is no {names:?}"));
                    }
                }
                "const" if value != wanted => wrong.push(format!("{at}: {value} is not {wanted}")),
                "enum" if !wanted.as_array().unwrap().contains(value) => {
                    wrong.push(format!("{at}: {value} is none of {wanted}"));
                }
                "const" | "enum" => {}
                "minimum" => {
                    if value.as_f64().is_some_and(|v| v < wanted.as_f64().unwrap()) {
                        wrong.push(format!("{at}: {value} is less than {wanted}"));
                    }
                }
                "minItems" => {
                    if value.as_array().is_some_and(|v| (v.len() as u64) < wanted.as_u64().unwrap()) {
                        wrong.push(format!("{at}: less than {wanted} items"));
                    }
                }
                // Patterns are for other readers; no expression engine is worth having for them.
                "pattern" => {}
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{at}[{i}]"), wrong);
                    }
                }
                "properties" => {
                    for (key, inner) in wanted.as_object().unwrap() {
                        if let Some(found) = value.get(key) {
                            self.check(inner, found, &format!("{at}.{key}"), wrong);
                        }
                    }
                }
                "additionalProperties" => {
                    let known = rules.get("properties").and_then(Value::as_object);
                    for (key, found) in value.as_object().into_iter().flatten() {
                        if !known.is_some_and(|k| k.contains_key(key)) {
                            self.check(wanted, found, &format!("{at}.{key}"), wrong);
                        }
                    }
                }
                "oneOf" | "anyOf" => {
                    let fits = |one: &&Value| {
                        let mut inner = Vec::new();
                        self.check(one, value, at, &mut inner);
                        inner.is_empty()
                    };
                    let fitting = wanted.as_array().unwrap().iter().filter(fits).count();
                    if fitting == 0 || fitting > 1 && rule == "oneOf" {
                        wrong.push(format!("{at}: {value} fits {fitting} of the alternatives"));
                    }
                }
                other => panic!("the checker does not know {other:?}"),
            }
        }
        // What the schema asks for must be there; what it does not name must not appear.
        for key in rules.get("required").and_then(Value::as_array).into_iter().flatten() {
            if value.is_object() && value.get(key.as_str().unwrap()).is_none() {
                wrong.push(format!("{at}: {key} is missing"));
            }
        }
        if let (Some(known), Some(object), None) = (
            rules.get("properties").and_then(Value::as_object),
            value.as_object(),
            rules.get("additionalProperties"),
        ) {
            for key in object.keys().filter(|k| !known.contains_key(*k)) {
                wrong.push(format!("{at}.{key} is not in the schema"));
            }
        }
    }
}

fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("no type {other:?}"),
    }
}
