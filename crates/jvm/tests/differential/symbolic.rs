//! Arguments as symbolic inputs whose model gives the wanted values.

use ir::ClassId;
use jvm::Jvm;
use jvm::input::{self, Kind, scalar_sort};
use jvm::load::FieldType;
use term::{Assignment, Sort};
use testkit::Value;
use vm::Vm;

use crate::build::box_of;

/// How to make the value an input; `None` if inputs of that shape do not exist. May add to the snapshot.
pub fn kind_of(vm: &mut Vm<Jvm>, value: &Value, declared: &FieldType) -> Option<Kind> {
    if let Some((prim, _)) = box_of(value) {
        return Some(Kind::Scalar(prim));
    }
    match value {
        Value::Null => supported(input::kind_of(vm, declared)),
        Value::Str(_) => Some(Kind::Str),
        Value::Boxed(inner) => {
            let (prim, class) = box_of(inner)?;
            Some(Kind::Boxed { class: vm.lang.class(class).ok()?, prim })
        }
        Value::Enum(class, _) => {
            supported(input::kind_of(vm, &FieldType::Class(class.replace('.', "/").into())))
        }
        Value::Array(elem, values) => {
            let ty = FieldType::parse(elem)?;
            let class: ClassId = vm.lang.class(&format!("[{elem}")).ok()?;
            let mut kinds: Vec<Kind> = Vec::new();
            for value in values.iter().filter(|value| **value != Value::Null) {
                kinds.push(kind_of(vm, value, &ty)?);
            }
            kinds.dedup();
            let elem = match kinds.len() {
                0 => supported(input::kind_of(vm, &ty))?,
                1 => kinds.remove(0),
                _ => return None,
            };
            Some(Kind::Array { class, elem: Box::new(elem) })
        }
        _ => None,
    }
}

fn supported(kind: Kind) -> Option<Kind> {
    match &kind {
        Kind::Null(_) => None,
        Kind::Array { elem, .. } => supported((**elem).clone()).map(|_| kind),
        _ => Some(kind),
    }
}

/// Lets the model give the input this value.
pub fn assign(vm: &mut Vm<Jvm>, model: &mut Assignment, name: &str, kind: &Kind, value: &Value) {
    let mut set = |vm: &mut Vm<Jvm>, name: &str, sort: Sort, bits: u64| {
        let term = vm.pool.declare(name, sort);
        let var = vm.pool.var_of(term).expect("just declared");
        model.set_bits(var, bits as u128);
    };
    if *value == Value::Null {
        return set(vm, &format!("{name}.null"), Sort::Bool, 1);
    }
    match (kind, value) {
        (Kind::Scalar(ty), _) => set(vm, name, scalar_sort(ty), bits(value)),
        (Kind::Boxed { prim, .. }, Value::Boxed(inner)) => set(vm, name, scalar_sort(prim), bits(inner)),
        (Kind::Enum { class, constants }, Value::Enum(_, constant)) => {
            let index = constants.iter().position(|object| {
                let seen = jvm::observe::see_object(vm, *object);
                seen == jvm::observe::Seen::Enum(*class, constant.clone())
            });
            set(vm, name, Sort::Bv(32), index.expect("a constant of the enum") as u64);
        }
        (Kind::Str, Value::Str(units)) => {
            let units: Vec<u64> = units.iter().map(|unit| u64::from(*unit)).collect();
            sequence(vm, model, name, Sort::Bv(16), &units);
        }
        (Kind::Array { elem, .. }, Value::Array(_, values)) => match &**elem {
            Kind::Scalar(ty) => {
                let units: Vec<u64> = values.iter().map(bits).collect();
                sequence(vm, model, name, scalar_sort(ty), &units);
            }
            elem => {
                sequence(vm, model, name, Sort::Bv(32), &[]);
                let len = vm.pool.declare(&format!("{name}.length"), Sort::Bv(32));
                model.set_bits(vm.pool.var_of(len).expect("just declared"), values.len() as u128);
                for (i, value) in values.iter().enumerate() {
                    assign(vm, model, &format!("{name}[{i}]"), elem, value);
                }
            }
        },
        (Kind::Only { kind, .. }, value) => assign(vm, model, name, kind, value),
        (kind, value) => panic!("{value} is not of {kind:?}"),
    }
}

fn sequence(vm: &mut Vm<Jvm>, model: &mut Assignment, name: &str, elem: Sort, values: &[u64]) {
    let input = vm.inputs.sequence(&mut vm.pool, name, elem);
    let len = vm.inputs.get(input).len;
    model.set_bits(vm.pool.var_of(len).expect("a variable"), values.len() as u128);
    for (i, value) in values.iter().enumerate() {
        let term = vm.inputs.elem(&mut vm.pool, input, i as u32);
        model.set_bits(vm.pool.var_of(term).expect("a variable"), *value as u128);
    }
}

/// The bits of a primitive in its own width.
fn bits(value: &Value) -> u64 {
    match value {
        Value::Bool(x) => u64::from(*x),
        Value::Byte(x) => *x as u8 as u64,
        Value::Short(x) => *x as u16 as u64,
        Value::Char(x) => u64::from(*x),
        Value::Int(x) => *x as u32 as u64,
        Value::Long(x) => *x as u64,
        Value::Float(x) => u64::from(x.to_bits()),
        Value::Double(x) => x.to_bits(),
        other => panic!("{other} is not a primitive"),
    }
}
