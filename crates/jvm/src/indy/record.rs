//! `equals`, `hashCode` and `toString` of records, as `java.lang.runtime.ObjectMethods` makes them.

use ir::{Builder, ClassId, Function, Op, Reg, Type};

use super::adapt::{Adapter, wrapper};
use super::concat::{self, Piece};
use super::{Bootstrapped, Linked, synthetic};
use crate::link::{LinkError, ResolvedField, reg_type, resolve_field};
use crate::load::{Constant, FieldType, HandleKind};
use crate::world::Jvm;

/// A component: its name, its type, its field.
struct Component {
    name: String,
    ty: FieldType,
    field: ResolvedField,
}

pub(super) fn link(jvm: &mut Jvm, site: &Bootstrapped<'_>) -> Linked {
    let pool = &site.file.pool;
    let Some(Ok(Constant::Class(name))) = site.args.first().map(|cp| pool.get(*cp)) else { return Ok(None) };
    let Some(Ok(names)) = site.args.get(1).map(|cp| pool.string(*cp)) else { return Ok(None) };
    let names = String::from_utf16_lossy(&names);
    let class = jvm.class(name)?;
    let mut components = Vec::new();
    for (cp, name) in site.args.iter().skip(2).zip(names.split(';')) {
        let Ok(handle) = pool.method_handle(*cp) else { return Ok(None) };
        let Some(ty) = FieldType::parse(handle.member.descriptor) else { return Ok(None) };
        if handle.kind != HandleKind::GetField {
            return Ok(None);
        }
        let owner = jvm.class(handle.member.class)?;
        let field = resolve_field(jvm, owner, handle.member.name, handle.member.descriptor)?;
        components.push(Component { name: name.to_string(), ty, field });
    }
    let tag = jvm.tag(class);
    let label = format!("record {}.{}{tag}", jvm.classes[class].name, site.call.dynamic.name);
    if let Some(func) = jvm.made.get(label.as_str()) {
        return Ok(Some(*func));
    }
    let function = match site.call.dynamic.name {
        "equals" => equals(jvm, &label, class, &components)?,
        "hashCode" => hash_code(jvm, &label, &components)?,
        "toString" => to_string(jvm, &label, class, &components)?,
        _ => return Ok(None),
    };
    Ok(Some(jvm.make_func(&label, |_| function)))
}

fn get(adapter: &mut Adapter<'_>, object: Reg, component: &Component) -> Reg {
    let ResolvedField { ty, offset, .. } = component.field;
    adapter.b.value(ty.reg_type(), Op::load(ty), object.0, offset, 0)
}

/// The same record, or one whose components are all equal; looked at from the last to the first, as the JDK's nested
/// tests do. The receiver is not null: it is the `this` of `equals`.
fn equals(
    jvm: &mut Jvm,
    label: &str,
    class: ClassId,
    components: &[Component],
) -> Result<Function, LinkError> {
    let b = Builder::new(label, &[Type::Ref, Type::Ref], Some(Type::I32));
    let mut adapter = Adapter { jvm, b };
    let (this, other) = (Reg(0), Reg(1));
    let [yes, no, test, compare] = std::array::from_fn(|_| adapter.b.block());
    let same = adapter.b.value(Type::I1, Op::EqRef, this.0, other.0, 0);
    adapter.b.br(same, yes, test, synthetic());
    adapter.b.switch_to(test);
    let is_record = adapter.b.value(Type::I1, Op::InstanceOf, other.0, class.0, 0);
    adapter.b.br(is_record, compare, no, synthetic());
    adapter.b.switch_to(compare);
    for component in components.iter().rev() {
        let (a, b) = (get(&mut adapter, this, component), get(&mut adapter, other, component));
        let equal = equal(&mut adapter, &component.ty, a, b)?;
        let next = adapter.b.block();
        adapter.b.br(equal, next, no, synthetic());
        adapter.b.switch_to(next);
    }
    adapter.b.jump(yes);
    for (block, answer) in [(yes, 1), (no, 0)] {
        adapter.b.switch_to(block);
        let answer = adapter.b.const_i32(answer);
        adapter.b.ret(Some(answer));
    }
    Ok(adapter.b.finish())
}

/// References by `Objects.equals`, floats by `compare`, other primitives by value.
fn equal(adapter: &mut Adapter<'_>, ty: &FieldType, a: Reg, b: Reg) -> Result<Reg, LinkError> {
    let op = match ty {
        FieldType::Long => Op::EqI64,
        FieldType::Float | FieldType::Double => {
            let FieldType::Class(class) = wrapper(ty) else { return Ok(a) };
            let order =
                adapter.call_static(&class, "compare", &format!("({ty}{ty})I"), &[a, b], Some(Type::I32))?;
            let zero = adapter.b.const_i32(0);
            return Ok(adapter.b.value(Type::I1, Op::EqI32, order.unwrap_or(zero).0, zero.0, 0));
        }
        FieldType::Class(_) | FieldType::Array(_) => {
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
            let answer =
                adapter.call_static("java/util/Objects", "equals", descriptor, &[a, b], Some(Type::I32))?;
            let zero = adapter.b.const_i32(0);
            return Ok(adapter.b.value(Type::I1, Op::NeI32, answer.unwrap_or(zero).0, zero.0, 0));
        }
        _ => Op::EqI32,
    };
    Ok(adapter.b.value(Type::I1, op, a.0, b.0, 0))
}

/// `31 * h + hash` over the components, from 0.
fn hash_code(jvm: &mut Jvm, label: &str, components: &[Component]) -> Result<Function, LinkError> {
    let b = Builder::new(label, &[Type::Ref], Some(Type::I32));
    let mut adapter = Adapter { jvm, b };
    let mut result = adapter.b.const_i32(0);
    let factor = adapter.b.const_i32(31);
    for component in components {
        let value = get(&mut adapter, Reg(0), component);
        let hash = match wrapper(&component.ty) {
            FieldType::Class(class) if !component.ty.is_reference() => {
                let descriptor = format!("({})I", component.ty);
                adapter.call_static(&class, "hashCode", &descriptor, &[value], Some(Type::I32))?
            }
            _ => {
                let descriptor = "(Ljava/lang/Object;)I";
                adapter.call_static("java/util/Objects", "hashCode", descriptor, &[value], Some(Type::I32))?
            }
        };
        let scaled = adapter.b.value(Type::I32, Op::MulI32, result.0, factor.0, 0);
        result = adapter.b.value(Type::I32, Op::AddI32, scaled.0, hash.unwrap_or(scaled).0, 0);
    }
    adapter.b.ret(Some(result));
    Ok(adapter.b.finish())
}

/// `Point[x=1, y=2]`.
fn to_string(
    jvm: &mut Jvm,
    label: &str,
    class: ClassId,
    components: &[Component],
) -> Result<Function, LinkError> {
    let name = simple_name(jvm, class);
    let b = Builder::new(label, &[Type::Ref], Some(Type::Ref));
    let mut adapter = Adapter { jvm, b };
    let mut pieces = Vec::new();
    let units = |text: String| Piece::Text(text.encode_utf16().collect());
    for (index, component) in components.iter().enumerate() {
        let before = if index == 0 { format!("{name}[") } else { ", ".to_string() };
        pieces.push(units(format!("{before}{}=", component.name)));
        let value = get(&mut adapter, Reg(0), component);
        debug_assert_eq!(adapter.b.reg_type(value), reg_type(&component.ty));
        pieces.push(Piece::Value(value, component.ty.clone()));
    }
    pieces.push(units(if components.is_empty() { format!("{name}[]") } else { "]".to_string() }));
    let text = concat::build(&mut adapter, &pieces)?;
    adapter.b.ret(Some(text));
    Ok(adapter.b.finish())
}

/// As `Class.getSimpleName` gives it.
fn simple_name(jvm: &Jvm, class: ClassId) -> String {
    let class = &jvm.classes[class];
    let inner =
        class.file.as_ref().and_then(|file| file.inner_classes.iter().find(|i| i.inner == class.name));
    match inner.and_then(|inner| inner.name.as_ref()) {
        Some(name) => name.to_string(),
        None => class.name.rsplit('/').next().unwrap_or_default().to_string(),
    }
}
