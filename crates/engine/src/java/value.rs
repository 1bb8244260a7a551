//! From what a run showed to what a test says.

use ir::ClassId;
use jvm::input::can_name;
use jvm::load::{FieldType, Instr, access};
use jvm::observe::{Member, Seen};
use jvm::world::Jvm;
use suite::case::{Call, ClassName, Text, Type, Value};

use super::arrange::Names;

/// A value that a test can write down; `None` if it holds an object that it cannot.
pub fn value(jvm: &Jvm, seen: &Seen, names: &Names) -> Option<Value> {
    Some(match seen {
        Seen::Null => Value::Null,
        Seen::Bool(value) => Value::Bool(*value),
        Seen::Byte(value) => Value::Byte(*value),
        Seen::Short(value) => Value::Short(*value),
        Seen::Char(value) => Value::Char(*value),
        Seen::Int(value) => Value::Int(*value),
        Seen::Long(value) => Value::Long(*value),
        Seen::Float(bits) => Value::Float(*bits),
        Seen::Double(bits) => Value::Double(*bits),
        Seen::Str(units) => Value::Str(Text(units.clone())),
        Seen::Copy(units) => {
            let text = Value::Str(Text(units.clone()));
            let string = ClassName::new("java.lang", &["String"]);
            Value::Call(Box::new(Call::constructor(string, vec![Type::string()], vec![text])))
        }
        Seen::Boxed(inner) => Value::boxed(value(jvm, inner, names)?),
        Seen::Enum(class, constant) => can_name(jvm, *class)
            .then(|| Value::Enum { class: class_name(jvm, *class), constant: constant.clone() })?,
        Seen::Constant(class, name) => {
            let of = class_name(jvm, *class);
            Value::Field { of: None, ty: Type::class(of.clone()), class: of, name: name.to_string() }
        }
        Seen::Class(class) => Value::Class(type_of(jvm, *class)?),
        Seen::Array(class, items) => {
            let elem = jvm.elem_of(*class)?;
            Value::Array { elem: type_of(jvm, elem)?, items: values(jvm, items, names)? }
        }
        Seen::List(items) => Value::List(values(jvm, items, names)?),
        Seen::Set(items) => Value::Set(values(jvm, items, names)?),
        Seen::Map(entries) => {
            let entry = |(k, v): &(Seen, Seen)| Some((value(jvm, k, names)?, value(jvm, v, names)?));
            Value::Map(entries.iter().map(entry).collect::<Option<_>>()?)
        }
        Seen::Optional(None) => Value::Optional(None),
        Seen::Optional(Some(inner)) => Value::Optional(Some(Box::new(value(jvm, inner, names)?))),
        Seen::Parsed(class, text) => parsed(jvm, *class, text),
        Seen::Input(object) => return names.get(*object),
        Seen::Object { class, shown, .. } => return record(jvm, *class, shown, names),
        Seen::Opaque(_) => return None,
    })
}

/// A record by its components: it is equal to another with the same ones, unless its `equals` is not the compiler's.
fn record(jvm: &Jvm, class: ClassId, shown: &[(Member, Seen)], names: &Names) -> Option<Value> {
    let file = jvm.classes[class].file.as_deref()?;
    let components = file.record.as_ref()?;
    let by_components = file.method("equals", "(Ljava/lang/Object;)Z").is_some_and(|equals| {
        let code = equals.bytecode().ok().flatten();
        code.is_some_and(|code| code.instrs.iter().any(|(_, instr)| matches!(instr, Instr::InvokeDynamic(_))))
    });
    if !by_components || !can_name(jvm, class) {
        return None;
    }
    let descriptor: String = components.iter().map(|component| &*component.descriptor).collect();
    let constructor = file.method("<init>", &format!("({descriptor})V"))?;
    if constructor.access & access::PRIVATE != 0 {
        return None;
    }
    let mut args = Vec::new();
    for component in components {
        let is_it = |member: &Member| matches!(member, Member::Getter(func) if jvm.funcs[*func].name == component.name);
        let (_, held) = shown.iter().find(|(member, _)| is_it(member))?;
        // Arrays are compared by identity there.
        if matches!(held, Seen::Array(..)) {
            return None;
        }
        args.push(value(jvm, held, names)?);
    }
    let types = components.iter().map(|component| Type::from_descriptor(&component.descriptor));
    let mut call = Call::constructor(class_name(jvm, class), types.collect::<Option<_>>()?, args);
    call.traits.generic_class = file.signature.as_deref().is_some_and(|s| s.starts_with('<'));
    Some(Value::call(call))
}

/// `new BigDecimal("1.50")`, `LocalDate.parse("1970-01-01")`.
fn parsed(jvm: &Jvm, class: ClassId, text: &[u16]) -> Value {
    let name = class_name(jvm, class);
    let text = vec![Value::Str(Text(text.to_vec()))];
    let string = vec![Type::string()];
    let factory = match name.simple_name() {
        "BigDecimal" | "BigInteger" => return Value::call(Call::constructor(name, string, text)),
        "UUID" => "fromString",
        "URI" => "create",
        _ => "parse",
    };
    let made = Type::class(name.clone());
    Value::call(Call::on_class(name, factory, string, made, text))
}

fn values(jvm: &Jvm, items: &[Seen], names: &Names) -> Option<Vec<Value>> {
    items.iter().map(|item| value(jvm, item, names)).collect()
}

/// A class as the source names it.
pub fn class_name(jvm: &Jvm, class: ClassId) -> ClassName {
    ClassName::from_internal(&jvm.classes[class].name)
}

/// The type of a class, array or primitive.
pub fn type_of(jvm: &Jvm, class: ClassId) -> Option<Type> {
    let name = &jvm.classes[class].name;
    match jvm.classes[class].is_primitive() {
        true => primitive(name),
        false if name.starts_with('[') => Type::from_descriptor(name),
        false => Some(Type::class(class_name(jvm, class))),
    }
}

fn primitive(name: &str) -> Option<Type> {
    Some(match name {
        "boolean" => Type::Bool,
        "byte" => Type::Byte,
        "short" => Type::Short,
        "char" => Type::Char,
        "int" => Type::Int,
        "long" => Type::Long,
        "float" => Type::Float,
        "double" => Type::Double,
        "void" => Type::Void,
        _ => return None,
    })
}

/// The static type of a parameter or result.
pub fn field_type(ty: &FieldType) -> Type {
    Type::from_descriptor(&ty.to_string()).unwrap_or_else(Type::object)
}

/// The nearest class of an exception that a test may name.
pub fn nameable(jvm: &Jvm, mut class: ClassId) -> ClassName {
    while !can_name(jvm, class) {
        match jvm.classes[class].superclass {
            Some(parent) => class = parent,
            None => break,
        }
    }
    class_name(jvm, class)
}
