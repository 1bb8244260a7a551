//! How a run's inputs were made, as the steps of a test.

use std::collections::BTreeMap;

use ir::FuncId;
use jvm::input::{Event, Generic};
use jvm::load::FieldType;
use jvm::observe::Seen;
use jvm::world::Jvm;
use suite::case::{Call, ClassName, Step, Target, Type, Value};
use vm::ObjId;

use super::case::{NoCase, call_of};
use super::value::{class_name, field_type, value};

/// Variables of a test by the objects they hold.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: BTreeMap<u32, String>,
    taken: Vec<String>,
}

impl Names {
    /// Names that variables must not have.
    pub fn new(taken: Vec<String>) -> Names {
        Names { names: BTreeMap::new(), taken }
    }

    pub fn get(&self, object: ObjId) -> Option<Value> {
        self.names.get(&object.0).map(Value::var)
    }

    fn name(&mut self, object: ObjId, input: &str) -> String {
        let wish = variable(input);
        let mut name = wish.clone();
        let mut n = 2;
        while self.taken.contains(&name) {
            name = format!("{wish}{n}");
            n += 1;
        }
        self.taken.push(name.clone());
        self.names.insert(object.0, name.clone());
        name
    }
}

/// A name for the variable of an input: `order.customer` is `customer`, `orders.get0` is `orders0`.
fn variable(input: &str) -> String {
    let plain = |s: &str| s.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let parts: Vec<&str> = input.split('.').collect();
    let last = parts.last().copied().unwrap_or("object");
    let counted = ["get", "element", "entry"].iter().find_map(|prefix| last.strip_prefix(prefix));
    match counted.filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit())) {
        Some(number) if parts.len() > 1 => format!("{}{number}", plain(parts[parts.len() - 2])),
        _ => match plain(last) {
            name if name.is_empty() => "object".to_string(),
            name => name,
        },
    }
}

/// The steps that make the inputs, in the order in which the run made them.
pub fn steps(jvm: &Jvm, script: &[Event], names: &mut Names) -> Result<Vec<Step>, NoCase> {
    let mut steps = Vec::new();
    for event in script {
        steps.push(step(jvm, event, names)?);
    }
    Ok(steps)
}

fn step(jvm: &Jvm, event: &Event, names: &mut Names) -> Result<Step, NoCase> {
    Ok(match event {
        Event::Made { name, object, func, on, args, of } => {
            let args = values(jvm, args, names)?;
            let on = on.as_ref().map(|on| written(jvm, on, names)).transpose()?;
            let constructor = &*jvm.funcs[*func].name == "<init>";
            let target = match (constructor, on) {
                (true, _) => Target::New,
                (false, Some(on)) => Target::Instance(Box::new(on)),
                (false, None) => Target::Static,
            };
            let call = call_of(jvm, *func, target, args);
            let ty = match &call.returns {
                Type::Class { name, .. } => Type::Class { name: name.clone(), args: boxed_args(of) },
                other => other.clone(),
            };
            let name = names.name(*object, name);
            Step::Bind { name, ty, value: Value::call(call) }
        }
        Event::Listed { name, object, items, of } => {
            let items = values(jvm, items, names)?;
            let class = ClassName::new("java.util", &["ArrayList"]);
            let collection = Type::class(ClassName::new("java.util", &["Collection"]));
            let mut call = match items.is_empty() {
                true => Call::constructor(class, Vec::new(), Vec::new()),
                false => Call::constructor(class, vec![collection], vec![Value::List(items)]),
            };
            call.traits.generic_class = true;
            let list = ClassName::new("java.util", &["List"]);
            let ty = Type::Class { name: list, args: boxed_args(std::slice::from_ref(of)) };
            let name = names.name(*object, name);
            Step::Bind { name, ty, value: Value::call(call) }
        }
        Event::Called { object, func, args } => {
            let args = values(jvm, args, names)?;
            let on = names.get(*object).ok_or_else(unnamed)?;
            Step::Do(call_of(jvm, *func, Target::Instance(Box::new(on)), args))
        }
        Event::Assigned { object, owner, field, value } => Step::Set {
            of: names.get(*object).ok_or_else(unnamed)?,
            class: class_name(jvm, *owner),
            field: field.to_string(),
            ty: field_of(jvm, *owner, field),
            value: written(jvm, value, names)?,
        },
    })
}

fn unnamed() -> NoCase {
    NoCase("an object has no name in the test".to_string())
}

fn field_of(jvm: &Jvm, owner: ir::ClassId, field: &str) -> Type {
    let found = jvm.classes[owner].fields.iter().find(|f| &*f.name == field);
    found.and_then(|f| FieldType::parse(&f.descriptor)).map_or_else(Type::object, |ty| field_type(&ty))
}

/// Values that a test can write down.
pub fn values(jvm: &Jvm, seen: &[Seen], names: &Names) -> Result<Vec<Value>, NoCase> {
    seen.iter().map(|seen| written(jvm, seen, names)).collect()
}

pub fn written(jvm: &Jvm, seen: &Seen, names: &Names) -> Result<Value, NoCase> {
    value(jvm, seen, names).ok_or_else(|| NoCase("an argument cannot be written in source".to_string()))
}

/// Type arguments as a declaration spells them; none if one of them is not known.
fn boxed_args(of: &[Generic]) -> Vec<Type> {
    of.iter().map(generic_type).collect::<Option<Vec<_>>>().unwrap_or_default()
}

fn generic_type(ty: &Generic) -> Option<Type> {
    Some(match ty {
        Generic::Any => return None,
        Generic::Prim(prim) => field_type(prim),
        Generic::Array(elem) => Type::array(generic_type(elem)?),
        Generic::Class(name, args) => Type::Class {
            name: ClassName::from_internal(name),
            // `List<?>` inside is spelled without its argument.
            args: args.iter().map(generic_type).collect::<Option<Vec<_>>>().unwrap_or_default(),
        },
    })
}

/// What the spelling of a function's call depends on lies in its declaration.
pub fn parameter_types(jvm: &Jvm, func: FuncId) -> Vec<Type> {
    jvm.funcs[func].signature.ty.params.iter().map(field_type).collect()
}
