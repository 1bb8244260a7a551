//! `testwright.toml`: what users know of their inputs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub use jvm::input::Known;
use jvm::input::known::{
    Constant, Covered, Limit, MethodKnown, MethodRef, Number, ResultCase, Rule, TypeKnown, When,
};
use jvm::load::{ClassPath, FieldType};
use jvm::world::Jvm;
use serde::Deserialize;
use vm::Vm;

use crate::error::Error;
use crate::target::{Pattern, Wildcard, nearest};

/// The file's name where none is given.
pub const FILE: &str = "testwright.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    /// Static methods that end a run if their argument is false.
    #[serde(default)]
    assume: Vec<String>,
    /// Whether constraints that annotations declare are taken for granted.
    #[serde(default = "yes")]
    annotations: bool,
    #[serde(default)]
    method: Vec<MethodTable>,
    #[serde(default, rename = "type")]
    types: Vec<TypeTable>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct MethodTable {
    name: String,
    #[serde(default)]
    inputs: BTreeMap<String, RuleTable>,
    #[serde(default)]
    never_same: Vec<[String; 2]>,
    #[serde(default)]
    valid: Names,
    #[serde(default)]
    covers: Names,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct TypeTable {
    name: String,
    #[serde(default)]
    fields: BTreeMap<String, RuleTable>,
    #[serde(default)]
    results: BTreeMap<String, toml::Value>,
    #[serde(default)]
    valid: Names,
    #[serde(default)]
    made_by: Names,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RuleTable {
    #[serde(default)]
    non_null: bool,
    min: Option<toml::Value>,
    max: Option<toml::Value>,
    size: Option<Size>,
    matches: Option<String>,
    #[serde(default)]
    types: Names,
    each: Option<Box<RuleTable>>,
    values: Option<Box<RuleTable>>,
    #[serde(default)]
    null: bool,
    #[serde(default)]
    one_of: Vec<toml::Value>,
}

/// What a method returns in one case of its arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CaseTable {
    when: toml::Value,
    then: RuleTable,
}

/// One name or several.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Names {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}

impl Names {
    fn all(&self) -> &[String] {
        match self {
            Names::None => &[],
            Names::One(name) => std::slice::from_ref(name),
            Names::Many(names) => names,
        }
    }
}

/// Exactly so many, or at least and at most.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Size {
    Exactly(u32),
    Between([u32; 2]),
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Known, Error> {
    let fail = |why: String| Error::Known { path: path.to_path_buf(), why };
    let text = fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
    parse(&text).map_err(fail)
}

/// The file in a folder, if there is one.
pub fn in_folder(folder: &Path) -> Option<PathBuf> {
    Some(folder.join(FILE)).filter(|path| path.is_file())
}

fn parse(text: &str) -> Result<Known, String> {
    let file: File = toml::from_str(text).map_err(|e| e.to_string().trim_end().to_string())?;
    let mut known = Known { ignore_annotations: !file.annotations, ..Known::default() };
    for name in &file.assume {
        known.assume.push(method_ref(name)?);
    }
    for table in &file.method {
        let pattern = Pattern::parse(&table.name).map_err(|e| e.to_string())?;
        known.methods.push(MethodKnown {
            class: pattern.class,
            method: pattern.method.map(|name| if name == "new" { "<init>".to_string() } else { name }),
            inputs: rules(&table.inputs)?,
            never_same: table.never_same.iter().map(|[a, b]| (a.clone(), b.clone())).collect(),
            valid: method_refs(&table.valid)?,
            covers: table.covers.all().iter().map(|name| covered(name)).collect(),
        });
        if pattern.wildcard == Wildcard::Package {
            return Err(format!("{}: write ** for all classes of a package", table.name));
        }
    }
    for table in &file.types {
        let entry = TypeKnown {
            fields: rules(&table.fields)?,
            results: results(&table.results)?,
            valid: method_refs(&table.valid)?,
            made_by: method_refs(&table.made_by)?,
        };
        if known.types.insert(table.name.replace('.', "/").into(), entry).is_some() {
            return Err(format!("{} is described twice", table.name));
        }
    }
    Ok(known)
}

fn rules(tables: &BTreeMap<String, RuleTable>) -> Result<BTreeMap<String, Rule>, String> {
    tables.iter().map(|(name, table)| Ok((name.clone(), rule(name, table)?))).collect()
}

/// What methods return: a rule, or a list of cases.
fn results(tables: &BTreeMap<String, toml::Value>) -> Result<BTreeMap<String, Vec<ResultCase>>, String> {
    let mut all = BTreeMap::new();
    for (name, value) in tables {
        let wrong = |e: toml::de::Error| format!("results.{name}: {}", e.message());
        let cases = match value {
            toml::Value::Array(cases) => cases
                .iter()
                .map(|case| {
                    let table: CaseTable = case.clone().try_into().map_err(wrong)?;
                    Ok(ResultCase { when: when(name, &table.when)?, then: rule(name, &table.then)? })
                })
                .collect::<Result<Vec<_>, String>>()?,
            other => {
                let table: RuleTable = other.clone().try_into().map_err(wrong)?;
                vec![ResultCase { when: When::Always, then: rule(name, &table)? }]
            }
        };
        all.insert(name.clone(), cases);
    }
    Ok(all)
}

fn when(name: &str, value: &toml::Value) -> Result<When, String> {
    if value.as_str() == Some("otherwise") {
        return Ok(When::Otherwise);
    }
    let tables: BTreeMap<String, RuleTable> = value.clone().try_into().map_err(|e: toml::de::Error| {
        format!("results.{name}: when is \"otherwise\" or says what parameters are like: {}", e.message())
    })?;
    Ok(When::Args(rules(&tables)?))
}

fn constant(name: &str, value: &toml::Value) -> Result<Constant, String> {
    Ok(match value {
        toml::Value::Integer(n) => Constant::Number(Number::Int((*n).into())),
        toml::Value::Float(f) => Constant::Number(Number::Float(*f)),
        toml::Value::Boolean(b) => Constant::Truth(*b),
        toml::Value::String(text) => Constant::Text(text.clone()),
        other => return Err(format!("{name}: one-of lists numbers, truth values and texts, not {other}")),
    })
}

fn rule(name: &str, table: &RuleTable) -> Result<Rule, String> {
    let limit = |value: &Option<toml::Value>| match value {
        None => Ok(None),
        Some(toml::Value::Integer(n)) => Ok(Some(Limit { value: Number::Int((*n).into()), open: false })),
        Some(toml::Value::Float(f)) => Ok(Some(Limit { value: Number::Float(*f), open: false })),
        Some(other) => Err(format!("{name}: min and max are numbers, not {other}")),
    };
    let size = match table.size {
        None => None,
        Some(Size::Exactly(n)) => Some((n, n)),
        Some(Size::Between([least, most])) if least <= most => Some((least, most)),
        Some(Size::Between([least, most])) => {
            return Err(format!("{name}: no size is at least {least} and at most {most}"));
        }
    };
    let (min, max) = (limit(&table.min)?, limit(&table.max)?);
    if let (Some(least), Some(most)) = (min, max)
        && number(least.value) > number(most.value)
    {
        return Err(format!("{name}: no number is at least {} and at most {}", shown(&least), shown(&most)));
    }
    Ok(Rule {
        non_null: table.non_null,
        min,
        max,
        size,
        matches: table.matches.clone(),
        types: table.types.all().iter().map(|class| class.replace('.', "/").into()).collect(),
        each: table.each.as_ref().map(|each| rule(name, each).map(Box::new)).transpose()?,
        values: table.values.as_ref().map(|each| rule(name, each).map(Box::new)).transpose()?,
        null: table.null,
        one_of: table.one_of.iter().map(|value| constant(name, value)).collect::<Result<_, _>>()?,
        ..Rule::default()
    })
}

fn number(number: Number) -> f64 {
    match number {
        Number::Int(n) => n as f64,
        Number::Float(f) => f,
    }
}

fn shown(limit: &Limit) -> String {
    match limit.value {
        Number::Int(n) => n.to_string(),
        Number::Float(f) => f.to_string(),
    }
}

fn method_refs(names: &Names) -> Result<Vec<MethodRef>, String> {
    names.all().iter().map(|name| method_ref(name)).collect()
}

/// `com.acme.Cart`, or `com.acme.Cart#add`.
fn covered(name: &str) -> Covered {
    let (class, method) = name.split_once('#').map_or((name, None), |(class, method)| (class, Some(method)));
    let method = method.map(|method| if method == "new" { "<init>" } else { method }.to_string());
    Covered { class: class.replace('.', "/"), method }
}

fn method_ref(name: &str) -> Result<MethodRef, String> {
    match name.split_once('#') {
        Some((class, method)) if !class.is_empty() && !method.is_empty() => {
            Ok(MethodRef { class: class.replace('.', "/").into(), method: method.to_string() })
        }
        _ => Err(format!("'{name}' names no method: write com.acme.Rules#valid")),
    }
}

/// Spells nested classes as class files do: a file may say `com.acme.Shop.Order`, as the source does.
pub fn with_nested(path: &ClassPath, mut known: Known) -> Known {
    let nested = |name: &str| {
        let mut found = name.to_string();
        while !matches!(path.find(&found), Ok(Some(_))) {
            match found.rfind('/').filter(|at| at + 1 < found.len()) {
                Some(at) => found.replace_range(at..=at, "$"),
                None => return name.to_string(),
            }
        }
        found
    };
    let in_rule = |rule: &mut Rule| {
        rule.types.iter_mut().for_each(|class| *class = nested(class).into());
    };
    let of_methods = known.methods.iter_mut().flat_map(|method| method.valid.iter_mut());
    let of_types = known.types.values_mut().flat_map(|ty| ty.valid.iter_mut().chain(&mut ty.made_by));
    let methods = known.assume.iter_mut().chain(of_methods).chain(of_types);
    methods.for_each(|method| method.class = nested(&method.class).into());
    for method in &mut known.methods {
        if !method.class.ends_with('/') {
            method.class = nested(&method.class);
        }
        method.inputs.values_mut().for_each(in_rule);
        method.covers.iter_mut().for_each(|covered| covered.class = nested(&covered.class));
    }
    known.types.values_mut().for_each(|ty| ty.fields.values_mut().for_each(in_rule));
    known.types = known.types.into_iter().map(|(name, ty)| (nested(&name).into(), ty)).collect();
    known
}

/// Everything that is named is there: a slip in a name must not pass for a rule that always holds.
pub fn check(vm: &mut Vm<Jvm>, known: &Known) -> Result<(), String> {
    for name in &known.assume {
        known_method(vm, name)?;
    }
    for entry in &known.methods {
        entry.valid.iter().try_for_each(|name| known_method(vm, name))?;
        for covered in &entry.covers {
            known_class(vm, &covered.class)?;
            if let Some(method) = &covered.method {
                known_method(
                    vm,
                    &MethodRef { class: covered.class.as_str().into(), method: method.clone() },
                )?;
            }
        }
        if entry.class.ends_with('/') {
            continue;
        }
        known_class(vm, &entry.class)?;
        if let Some(method) = &entry.method {
            known_method(vm, &MethodRef { class: entry.class.as_str().into(), method: method.clone() })?;
        }
        check_parameters(vm, entry)?;
    }
    for (name, entry) in &known.types {
        known_class(vm, name)?;
        entry.valid.iter().chain(&entry.made_by).try_for_each(|name| known_method(vm, name))?;
        let class = vm.lang.class(name).map_err(|e| e.to_string())?;
        for (method, cases) in &entry.results {
            known_method(vm, &MethodRef { class: name.clone(), method: method.clone() })?;
            check_cases(vm, class, method, cases)?;
        }
        for field in entry.fields.keys() {
            let fields = &vm.lang.classes[class].fields;
            if !fields.iter().any(|f| *f.name == **field) {
                let names = fields.iter().map(|f| f.name.to_string());
                return Err(missing(
                    &format!("{} has no field {field}", dotted(name)),
                    nearest(field, names),
                ));
            }
        }
    }
    Ok(())
}

fn check_parameters(vm: &mut Vm<Jvm>, entry: &MethodKnown) -> Result<(), String> {
    let class = vm.lang.class(&entry.class).map_err(|e| e.to_string())?;
    let jvm = &vm.lang;
    let about = jvm.classes[class].functions();
    let about = about.filter(|f| entry.method.as_ref().is_none_or(|name| *jvm.funcs[*f].name == **name));
    let params: Vec<(String, FieldType)> = about
        .flat_map(|f| {
            jvm::input::param_names(jvm, f).into_iter().zip(jvm.funcs[f].signature.ty.params.clone())
        })
        .collect();
    let pairs = entry.never_same.iter().flat_map(|(a, b)| [a, b]);
    for name in entry.inputs.keys().chain(pairs) {
        let Some((_, ty)) = params.iter().find(|(n, _)| n == name) else {
            let text = match &entry.method {
                Some(method) => format!("{}#{method} has no parameter {name}", dotted(&entry.class)),
                None => format!("no method of {} has a parameter {name}", dotted(&entry.class)),
            };
            return Err(missing(&text, nearest(name, params.iter().map(|(n, _)| n.clone()))));
        };
        if let Some(rule) = entry.inputs.get(name)
            && !ty.is_reference()
            && (rule.non_null
                || rule.size.is_some()
                || rule.matches.is_some()
                || rule.each.is_some()
                || rule.values.is_some())
        {
            return Err(format!("{name} is a number: it has min and max, nothing else"));
        }
        if let Some(rule) = entry.inputs.get(name) {
            let (rule, ty) = (rule.clone(), ty.clone());
            check_types(vm, name, &ty, &rule)?;
            check_patterns(vm, name, &rule)?;
        }
    }
    Ok(())
}

/// The classes that a parameter may be of are on the class path, and such that it can be.
fn check_types(vm: &mut Vm<Jvm>, name: &str, ty: &FieldType, rule: &Rule) -> Result<(), String> {
    for class in &rule.types {
        known_class(vm, class)?;
        let FieldType::Class(declared) = ty else { continue };
        let (Ok(class), Ok(declared)) = (vm.lang.class(class), vm.lang.class(declared)) else { continue };
        if !vm.lang.is_subclass(class, declared) {
            let [class, declared] = [class, declared].map(|class| vm.lang.classes[class].java_name());
            return Err(format!("{name} is a {declared}, which no {class} is"));
        }
    }
    Ok(())
}

/// Regular expressions are some, by the library's own word.
fn check_patterns(vm: &mut Vm<Jvm>, name: &str, rule: &Rule) -> Result<(), String> {
    if let Some(pattern) = &rule.matches
        && let Some(why) = jvm::input::known::refused_pattern(vm, pattern)
    {
        return Err(format!("{name}: '{pattern}' is no regular expression: {why}"));
    }
    let inside = [&rule.each, &rule.values].into_iter().flatten();
    inside.map(|inside| &**inside).chain(&rule.also).try_for_each(|inside| check_patterns(vm, name, inside))
}

/// Cases of a method's arguments name its parameters, and of any arguments exactly one holds.
fn check_cases(
    vm: &mut Vm<Jvm>,
    class: ir::ClassId,
    method: &str,
    cases: &[ResultCase],
) -> Result<(), String> {
    let jvm = &vm.lang;
    let place = format!("{}#{method}", jvm.classes[class].java_name());
    let asked = cases.iter().flat_map(|case| match &case.when {
        When::Args(rules) => rules.keys().cloned().collect(),
        _ => Vec::new(),
    });
    let asked: std::collections::BTreeSet<String> = asked.collect();
    let mut known: Vec<String> = Vec::new();
    for func in jvm.classes[class].functions().filter(|f| *jvm.funcs[*f].name == *method) {
        let names = jvm::input::param_names(jvm, func);
        if asked.iter().all(|name| names.contains(name)) {
            let types = jvm.funcs[func].signature.ty.params.iter().cloned();
            let params: Vec<(String, FieldType)> = names.into_iter().zip(types).collect();
            return crate::cases::check(&params, cases).map_err(|why| format!("{place}: {why}"));
        }
        known.extend(names);
    }
    let wrong = asked.iter().find(|name| !known.contains(name)).cloned().unwrap_or_default();
    let hint = "interfaces compiled without -parameters have arg0, arg1 and so on";
    Err(missing(&format!("{place} has no parameter {wrong} ({hint})"), nearest(&wrong, known.into_iter())))
}

fn known_class(vm: &mut Vm<Jvm>, name: &str) -> Result<(), String> {
    if vm.lang.class(name).is_ok() {
        return Ok(());
    }
    let all = vm.lang.path.list_all().unwrap_or_default();
    let names = all.iter().map(|class| dotted(class));
    Err(missing(&format!("class {} is not on the class path", dotted(name)), nearest(&dotted(name), names)))
}

fn known_method(vm: &mut Vm<Jvm>, name: &MethodRef) -> Result<(), String> {
    known_class(vm, &name.class)?;
    if jvm::input::known::resolve(vm, name, &|_| true).is_some() {
        return Ok(());
    }
    let class = vm.lang.class(&name.class).map_err(|e| e.to_string())?;
    let jvm = &vm.lang;
    let names = jvm.classes[class].functions().map(|f| jvm.funcs[f].name.to_string());
    let text = format!("class {} has no method {}", dotted(&name.class), name.method);
    Err(missing(&text, nearest(&name.method, names)))
}

fn dotted(class: &str) -> String {
    class.replace('/', ".")
}

fn missing(text: &str, nearest: Vec<String>) -> String {
    match nearest.as_slice() {
        [] => text.to_string(),
        names => format!("{text}; did you mean {}?", names.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_is_known() {
        let known = parse(
            r#"
            assume = ["a.Check#that"]
            [[method]]
            name = "a.Shop#order"
            inputs.quantity = { min = 1, max = 9 }
            inputs.names = { non-null = true, size = [1, 3], each = { matches = "[a-z]+" } }
            never-same = [["from", "to"]]
            valid = "a.Rules#order"
            [[type]]
            name = "a.Order"
            fields.total = { min = 0.5 }
            made-by = ["a.Orders#small", "a.Orders#large"]
            "#,
        )
        .unwrap();
        let order = &known.methods[0];
        assert_eq!((order.class.as_str(), order.method.as_deref()), ("a/Shop", Some("order")));
        assert_eq!(order.inputs["quantity"].max, Some(Limit { value: Number::Int(9), open: false }));
        assert_eq!(order.inputs["names"].size, Some((1, 3)));
        assert!(order.inputs["names"].each.as_ref().is_some_and(|each| each.matches.is_some()));
        assert_eq!(known.types["a/Order"].made_by.len(), 2);
        assert_eq!(known.assume[0].method, "that");
    }

    #[test]
    fn slips_are_errors() {
        let wrong = |text: &str| parse(text).unwrap_err();
        assert!(wrong("[[method]]\nname = 'a.B#c'\ninputs.n = { minimum = 1 }").contains("minimum"));
        assert!(wrong("[[method]]\nname = 'a.B#c'\nvalid = 'a.B.valid'").contains("names no method"));
        assert!(wrong("[[method]]\nname = 'a.B#c'\ninputs.n = { size = [3, 1] }").contains("no size"));
        assert!(wrong("[[method]]\nname = 'a.B#c'\ninputs.n = { min = 'x' }").contains("numbers"));
        assert!(wrong("[[types]]\nname = 'a.B'").contains("types"));
    }
}
