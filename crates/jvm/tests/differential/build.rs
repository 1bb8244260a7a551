//! Values of the test kit as guest values.

use ir::MemType;
use jvm::Jvm;
use jvm::input;
use jvm::link::{intern, mem_type};
use jvm::load::FieldType;
use testkit::Value;
use vm::{Lang, ObjId, Outcome, Stop, Val, Vm};

/// Why a value could not be made.
pub fn missing(which: impl Into<String>) -> Stop {
    Stop::Unsupported { what: "argument", which: which.into() }
}

/// Makes a value on the guest heap as the oracle makes it: strings are interned, boxes come from `valueOf`.
pub fn build(vm: &mut Vm<Jvm>, value: &Value) -> Result<Val, Stop> {
    Ok(match value {
        Value::Void | Value::Object(..) => return Err(missing(value.to_string())),
        Value::Null => Val::ZERO,
        Value::Bool(x) => Val::bool(*x),
        Value::Byte(x) => Val::i32(i32::from(*x)),
        Value::Short(x) => Val::i32(i32::from(*x)),
        Value::Char(x) => Val::i32(i32::from(*x)),
        Value::Int(x) => Val::i32(*x),
        Value::Long(x) => Val::i64(*x),
        Value::Float(x) => Val::f32(*x),
        Value::Double(x) => Val::f64(*x),
        Value::Boxed(inner) => return boxed(vm, inner),
        Value::Str(units) => Val::obj(intern(vm, units)?),
        Value::Enum(class, name) => Val::obj(enum_constant(vm, class, name)?),
        Value::Array(elem, values) => return array(vm, elem, values),
    })
}

/// The type of a primitive and the class of its box.
pub fn box_of(primitive: &Value) -> Option<(FieldType, &'static str)> {
    Some(match primitive {
        Value::Bool(_) => (FieldType::Boolean, "java/lang/Boolean"),
        Value::Byte(_) => (FieldType::Byte, "java/lang/Byte"),
        Value::Short(_) => (FieldType::Short, "java/lang/Short"),
        Value::Char(_) => (FieldType::Char, "java/lang/Character"),
        Value::Int(_) => (FieldType::Int, "java/lang/Integer"),
        Value::Long(_) => (FieldType::Long, "java/lang/Long"),
        Value::Float(_) => (FieldType::Float, "java/lang/Float"),
        Value::Double(_) => (FieldType::Double, "java/lang/Double"),
        _ => return None,
    })
}

fn boxed(vm: &mut Vm<Jvm>, inner: &Value) -> Result<Val, Stop> {
    let (prim, class) = box_of(inner).ok_or_else(|| missing(inner.to_string()))?;
    let val = build(vm, inner)?;
    let desc = format!("({})L{class};", descriptor(&prim));
    let id = vm.lang.class(class).map_err(|e| missing(e.to_string()))?;
    input::initialise(vm, id).map_err(|_| missing(class))?;
    let func = vm.lang.declared(id, "valueOf", &desc).ok_or_else(|| missing(class))?;
    match vm.call(func, &[val]) {
        Outcome::Returned(Some(val)) => Ok(val),
        _ => Err(missing(class)),
    }
}

pub fn descriptor(prim: &FieldType) -> char {
    match prim {
        FieldType::Boolean => 'Z',
        FieldType::Byte => 'B',
        FieldType::Short => 'S',
        FieldType::Char => 'C',
        FieldType::Int => 'I',
        FieldType::Long => 'J',
        FieldType::Float => 'F',
        FieldType::Double => 'D',
        FieldType::Class(_) | FieldType::Array(_) => 'L',
    }
}

fn enum_constant(vm: &mut Vm<Jvm>, class: &str, name: &str) -> Result<ObjId, Stop> {
    let id = vm.lang.class(&class.replace('.', "/")).map_err(|e| missing(e.to_string()))?;
    input::initialise(vm, id).map_err(|_| missing(class))?;
    let mirror = Jvm::statics(vm, id)?;
    let desc = format!("L{};", class.replace('.', "/"));
    let field = vm.lang.classes[id].field(name, &desc).map(|field| field.offset);
    let offset = field.ok_or_else(|| missing(format!("{class}.{name}")))?;
    Ok(vm.heap.read_ref(mirror, offset))
}

fn array(vm: &mut Vm<Jvm>, elem: &str, values: &[Value]) -> Result<Val, Stop> {
    let ty = FieldType::parse(elem).ok_or_else(|| missing(elem))?;
    let cell: MemType = mem_type(&ty);
    let class = vm.lang.class(&format!("[{elem}")).map_err(|e| missing(e.to_string()))?;
    let array = vm.new_array(class, values.len() as u32)?;
    for (i, value) in values.iter().enumerate() {
        let val = build(vm, value)?;
        vm.store_bits(array, i as u32 * cell.size(), cell, val.bits);
    }
    Ok(Val::obj(array))
}
