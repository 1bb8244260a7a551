//! Pattern switches: `SwitchBootstraps.typeSwitch` and `enumSwitch` as a chain of tests.

use ir::{Builder, ClassId, FuncId, Function, Op, Reg, Type};

use super::adapt::{Adapter, unboxed, wrapper};
use super::{Bootstrapped, Linked, synthetic};
use crate::link::{LinkError, reg_type, resolve_field};
use crate::load::{ClassFile, Constant, FieldType, MethodType};
use crate::world::Jvm;

/// What a case tests.
enum Label {
    Class(ClassId),
    /// A box with that number.
    Int(i32),
    /// A primitive value.
    Same(i32),
    Long(i64),
    /// The bits of a floating-point value: 0.0 and -0.0 are different, NaN is NaN (JLS 15.20.2 with JEP 507).
    Float(u32),
    Double(u64),
    /// What the value in a box matches.
    Boxed(FieldType, Box<Label>),
    Text(Vec<u16>),
    /// A primitive type that has all values of the target's: it always matches.
    Any,
    /// A primitive type that may have the target's value; the function of the library that tells.
    Exact(FuncId),
    /// A constant of an enum; `None` if there is no such constant, which matches nothing.
    Enum(Option<(ClassId, String)>),
}

/// A function `(target, restart) -> index`: the first label from `restart` on that matches, -1 for null, the number of
/// labels if none does.
pub(super) fn link(jvm: &mut Jvm, site: &Bootstrapped<'_>, of_enum: bool) -> Linked {
    let Some(ty) = MethodType::parse(site.call.dynamic.descriptor) else { return Ok(None) };
    let [target, FieldType::Int] = ty.params.as_slice() else { return Ok(None) };
    let mut labels = Vec::new();
    for cp in site.args {
        let found = match target.is_reference() {
            true => match boxed_label(jvm, site, *cp, target) {
                Some(label) => Some(label),
                None => label(jvm, site, *cp, if of_enum { Some(target) } else { None })?,
            },
            false => primitive_label(jvm, site, *cp, target),
        };
        match found {
            Some(label) => labels.push(label),
            None => return Ok(None),
        }
    }
    let tag = jvm.tag(site.call.class);
    let name = format!("switch {}@{}{tag}", jvm.func_name(site.call.func), site.call.pc);
    if let Some(func) = jvm.made.get(name.as_str()) {
        return Ok(Some(*func));
    }
    let function = build(jvm, &name, &ty, &labels)?;
    Ok(Some(jvm.make_func(&name, |_| function)))
}

/// A label of a switch over a box that is about the value in it. Numbers that fit an `int` are left to [`Label::Int`].
fn boxed_label(jvm: &mut Jvm, site: &Bootstrapped<'_>, cp: u16, target: &FieldType) -> Option<Label> {
    let inside = unboxed(target)?;
    match site.file.pool.get(cp).ok()? {
        Constant::Long(_) | Constant::Float(_) | Constant::Double(_) | Constant::Dynamic(_) => {
            let label = primitive_label(jvm, site, cp, &inside)?;
            Some(Label::Boxed(target.clone(), Box::new(label)))
        }
        _ => None,
    }
}

/// A label of a switch over a primitive value: a constant, or a type that its value may fit into.
fn primitive_label(jvm: &mut Jvm, site: &Bootstrapped<'_>, cp: u16, target: &FieldType) -> Option<Label> {
    let is_int = matches!(target, FieldType::Int | FieldType::Short | FieldType::Byte | FieldType::Char);
    match site.file.pool.get(cp).ok()? {
        Constant::Int(value) if is_int => Some(Label::Same(value)),
        Constant::Long(value) if *target == FieldType::Long => Some(Label::Long(value)),
        Constant::Float(value) if *target == FieldType::Float => Some(Label::Float(value.to_bits())),
        Constant::Double(value) if *target == FieldType::Double => Some(Label::Double(value.to_bits())),
        Constant::Dynamic(_) => match (primitive(site, cp), truth(site, cp)) {
            (Some(to), _) if holds_all_of(&to, target) => Some(Label::Any),
            (Some(to), _) => {
                let name = format!("is{}To{}Exact", exact_name(target)?, exact_name_of_type(&to)?);
                let class = jvm.class("java/lang/runtime/ExactConversionsSupport").ok()?;
                let from = match reg_type(target) {
                    Type::I32 => "I",
                    Type::I64 => "J",
                    Type::F32 => "F",
                    _ => "D",
                };
                jvm.method(class, &name, &format!("({from})Z")).ok().map(Label::Exact)
            }
            (None, Some(truth)) if *target == FieldType::Boolean => Some(Label::Same(truth.into())),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a primitive type has all values of another, exactly (JLS 5.7).
fn holds_all_of(to: &FieldType, from: &FieldType) -> bool {
    use FieldType::{Byte, Char, Double, Float, Int, Long, Short};
    to == from
        || match from {
            Byte => matches!(to, Short | Int | Long | Float | Double),
            Short | Char => matches!(to, Int | Long | Float | Double),
            Int => matches!(to, Long | Double),
            Float => matches!(to, Double),
            _ => false,
        }
}

/// How `ExactConversionsSupport` names what it converts from: small integers are widened before.
fn exact_name(from: &FieldType) -> Option<&'static str> {
    match from {
        FieldType::Byte | FieldType::Short | FieldType::Char => Some("Int"),
        other => exact_name_of_type(other),
    }
}

fn exact_name_of_type(ty: &FieldType) -> Option<&'static str> {
    Some(match ty {
        FieldType::Byte => "Byte",
        FieldType::Short => "Short",
        FieldType::Char => "Char",
        FieldType::Int => "Int",
        FieldType::Long => "Long",
        FieldType::Float => "Float",
        FieldType::Double => "Double",
        _ => return None,
    })
}

/// `Boolean.TRUE` or `Boolean.FALSE` as a dynamic constant.
fn truth(site: &Bootstrapped<'_>, cp: u16) -> Option<bool> {
    let dynamic = site.file.pool.dynamic(cp).ok()?;
    match (dynamic.name, dynamic.descriptor) {
        ("TRUE", "Ljava/lang/Boolean;") => Some(true),
        ("FALSE", "Ljava/lang/Boolean;") => Some(false),
        _ => None,
    }
}

fn label(
    jvm: &mut Jvm,
    site: &Bootstrapped<'_>,
    cp: u16,
    of_enum: Option<&FieldType>,
) -> Result<Option<Label>, LinkError> {
    let pool = &site.file.pool;
    let text = |cp: u16| pool.string(cp).ok();
    Ok(match pool.get(cp) {
        Ok(Constant::Class(name)) => Some(Label::Class(jvm.class(name)?)),
        Ok(Constant::Int(value)) => Some(Label::Int(value)),
        Ok(Constant::String) => match (text(cp), of_enum) {
            (Some(name), Some(FieldType::Class(class))) => {
                let name = String::from_utf16_lossy(&name);
                Some(Label::Enum(enum_constant(jvm, class, name)))
            }
            (Some(text), None) => Some(Label::Text(text)),
            _ => None,
        },
        // `case int i` of an object that is declared to be no box: it is one.
        Ok(Constant::Dynamic(_)) if primitive(site, cp).is_some() => {
            match primitive(site, cp).as_ref().map(wrapper) {
                Some(FieldType::Class(class)) => Some(Label::Class(jvm.class(&class)?)),
                _ => None,
            }
        }
        Ok(Constant::Dynamic(_)) => enum_description(site.file, cp).map(|(class, name)| {
            let class = class.replace('.', "/");
            Label::Enum(enum_constant(jvm, &class, name))
        }),
        _ => None,
    })
}

fn enum_constant(jvm: &mut Jvm, class: &str, name: String) -> Option<(ClassId, String)> {
    let id = jvm.class(class).ok()?;
    resolve_field(jvm, id, &name, &format!("L{class};")).ok().filter(|field| field.is_static)?;
    Some((id, name))
}

/// The primitive type whose class is a dynamic constant.
fn primitive(site: &Bootstrapped<'_>, cp: u16) -> Option<FieldType> {
    let dynamic = site.file.pool.dynamic(cp).ok()?;
    let method = site.file.bootstrap_methods.get(usize::from(dynamic.bootstrap))?;
    let member = site.file.pool.method_handle(method.handle).ok()?.member;
    let is_class = member.class == "java/lang/invoke/ConstantBootstraps" && member.name == "primitiveClass";
    is_class.then(|| FieldType::parse(dynamic.name)).flatten()
}

/// `EnumDesc.of(ClassDesc.of("a.B"), "C")`, as javac spells it in dynamic constants.
pub(crate) fn enum_description(file: &ClassFile, cp: u16) -> Option<(String, String)> {
    let (method, args) = invocation(file, cp)?;
    if method != "java/lang/Enum$EnumDesc.of" {
        return None;
    }
    let (method, class_args) = invocation(file, *args.first()?)?;
    if method != "java/lang/constant/ClassDesc.of" {
        return None;
    }
    let string = |cp: &u16| file.pool.string(*cp).ok().map(|units| String::from_utf16_lossy(&units));
    Some((string(class_args.first()?)?, string(args.get(1)?)?))
}

/// A dynamic constant made by `ConstantBootstraps.invoke`: the method it calls and its arguments.
fn invocation(file: &ClassFile, cp: u16) -> Option<(String, &[u16])> {
    let dynamic = file.pool.dynamic(cp).ok()?;
    let method = file.bootstrap_methods.get(usize::from(dynamic.bootstrap))?;
    let handle = file.pool.method_handle(method.handle).ok()?;
    if handle.member.class != "java/lang/invoke/ConstantBootstraps" || handle.member.name != "invoke" {
        return None;
    }
    let (first, rest) = method.args.split_first()?;
    let called = file.pool.method_handle(*first).ok()?.member;
    Some((format!("{}.{}", called.class, called.name), rest))
}

fn build(jvm: &mut Jvm, name: &str, ty: &MethodType, labels: &[Label]) -> Result<Function, LinkError> {
    let params: Vec<Type> = ty.params.iter().map(reg_type).collect();
    let mut adapter = Adapter { jvm, b: Builder::new(name, &params, Some(Type::I32)) };
    let (target, restart) = (Reg(0), Reg(1));
    if params.first() == Some(&Type::Ref) {
        let [null, first] = std::array::from_fn(|_| adapter.b.block());
        let is_null = adapter.b.value(Type::I1, Op::IsNull, target.0, 0, 0);
        adapter.b.br(is_null, null, first, synthetic());
        adapter.b.switch_to(null);
        let answer = adapter.b.const_i32(-1);
        adapter.b.ret(Some(answer));
        adapter.b.switch_to(first);
    }
    for (index, label) in labels.iter().enumerate() {
        let [test, found, next] = std::array::from_fn(|_| adapter.b.block());
        let number = adapter.b.const_i32(index as i32);
        let wanted = adapter.b.value(Type::I1, Op::SleI32, restart.0, number.0, 0);
        adapter.b.br(wanted, test, next, synthetic());
        adapter.b.switch_to(test);
        let matches = matches(&mut adapter, target, label)?;
        adapter.b.br(matches, found, next, synthetic());
        adapter.b.switch_to(found);
        let answer = adapter.b.const_i32(index as i32);
        adapter.b.ret(Some(answer));
        adapter.b.switch_to(next);
    }
    let none = adapter.b.const_i32(labels.len() as i32);
    adapter.b.ret(Some(none));
    Ok(adapter.b.finish())
}

/// Whether a target that is not null matches a label.
fn matches(adapter: &mut Adapter<'_>, target: Reg, label: &Label) -> Result<Reg, LinkError> {
    match label {
        Label::Class(class) => Ok(adapter.b.value(Type::I1, Op::InstanceOf, target.0, class.0, 0)),
        Label::Any => Ok(adapter.b.value(Type::I1, Op::ConstI1, 1, 0, 0)),
        Label::Enum(None) => Ok(adapter.b.value(Type::I1, Op::ConstI1, 0, 0, 0)),
        Label::Enum(Some((class, name))) => {
            let descriptor = format!("L{};", adapter.jvm.classes[*class].name);
            let field = resolve_field(adapter.jvm, *class, name, &descriptor)?;
            adapter.init(field.class);
            let statics = adapter.b.value(Type::Ref, Op::Statics, field.class.0, 0, 0);
            let constant = adapter.b.value(Type::Ref, Op::LoadRef, statics.0, field.offset, 0);
            Ok(adapter.b.value(Type::I1, Op::EqRef, target.0, constant.0, 0))
        }
        Label::Text(text) => {
            let text = adapter.text(text);
            let string = adapter.jvm.known.string;
            let equals = adapter.jvm.method(string, "equals", "(Ljava/lang/Object;)Z")?;
            let answer = adapter.emit_call(Op::Call, equals.0, &[text, target], Some(Type::I32));
            let zero = adapter.b.const_i32(0);
            Ok(adapter.b.value(Type::I1, Op::NeI32, answer.unwrap_or(zero).0, zero.0, 0))
        }
        Label::Same(value) => {
            let wanted = adapter.b.const_i32(*value);
            Ok(adapter.b.value(Type::I1, Op::EqI32, target.0, wanted.0, 0))
        }
        Label::Int(value) => int_matches(adapter, target, *value),
        Label::Long(value) => {
            let wanted = adapter.b.value(Type::I64, Op::ConstI64, *value as u32, (*value >> 32) as u32, 0);
            Ok(adapter.b.value(Type::I1, Op::EqI64, target.0, wanted.0, 0))
        }
        Label::Float(bits) => {
            let wanted = adapter.b.value(Type::F32, Op::ConstF32, *bits, 0, 0);
            let value = f32::from_bits(*bits);
            let one = adapter.b.value(Type::F32, Op::ConstF32, 1_f32.to_bits(), 0, 0);
            let ops = [Op::EqF32, Op::DivF32];
            Ok(same_float(adapter, [target, wanted, one], value.into(), Type::F32, ops))
        }
        Label::Double(bits) => {
            let value = f64::from_bits(*bits);
            let constant = |adapter: &mut Adapter<'_>, bits: u64| {
                adapter.b.value(Type::F64, Op::ConstF64, bits as u32, (bits >> 32) as u32, 0)
            };
            let (wanted, one) = (constant(adapter, *bits), constant(adapter, 1_f64.to_bits()));
            Ok(same_float(adapter, [target, wanted, one], value, Type::F64, [Op::EqF64, Op::DivF64]))
        }
        Label::Boxed(class, label) => {
            let inside = unboxed(class).unwrap_or(FieldType::Int);
            let value = adapter.unbox(target, class, &inside)?;
            matches(adapter, value, label)
        }
        Label::Exact(func) => {
            let answer = adapter.emit_call(Op::Call, func.0, &[target], Some(Type::I32));
            let zero = adapter.b.const_i32(0);
            Ok(adapter.b.value(Type::I1, Op::NeI32, answer.unwrap_or(zero).0, zero.0, 0))
        }
    }
}

/// Whether a number has the bits of a constant, without asking for its bits, which solvers are slow at.
fn same_float(
    adapter: &mut Adapter<'_>,
    [target, wanted, one]: [Reg; 3],
    value: f64,
    ty: Type,
    [equal, divide]: [Op; 2],
) -> Reg {
    let b = &mut adapter.b;
    if value.is_nan() {
        let itself = b.value(Type::I1, equal, target.0, target.0, 0);
        let no = b.value(Type::I1, Op::ConstI1, 0, 0, 0);
        let yes = b.value(Type::I1, Op::ConstI1, 1, 0, 0);
        return b.value(Type::I1, Op::Select, itself.0, no.0, yes.0);
    }
    let same = b.value(Type::I1, equal, target.0, wanted.0, 0);
    if value != 0.0 {
        return same;
    }
    // One over zero tells the sign.
    let [of_target, of_wanted] = [target, wanted].map(|reg| b.value(ty, divide, one.0, reg.0, 0));
    let sign = b.value(Type::I1, equal, of_target.0, of_wanted.0, 0);
    b.value(Type::I1, Op::AndI1, same.0, sign.0, 0)
}

/// A number with that int value, or a character with that code.
fn int_matches(adapter: &mut Adapter<'_>, target: Reg, value: i32) -> Result<Reg, LinkError> {
    let [number, other, character, no, done] = std::array::from_fn(|_| adapter.b.block());
    let result = adapter.b.reg(Type::I1);
    let numbers = adapter.jvm.class("java/lang/Number")?;
    let characters = adapter.jvm.class("java/lang/Character")?;
    let is_number = adapter.b.value(Type::I1, Op::InstanceOf, target.0, numbers.0, 0);
    adapter.b.br(is_number, number, other, synthetic());
    for (block, class, method, descriptor) in
        [(number, numbers, "intValue", "()I"), (character, characters, "charValue", "()C")]
    {
        adapter.b.switch_to(block);
        let func = adapter.jvm.method(class, method, descriptor)?;
        let got = adapter.call_instance(func, &[target], Some(Type::I32));
        let wanted = adapter.b.const_i32(value);
        let equal = adapter.b.value(Type::I1, Op::EqI32, got.unwrap_or(wanted).0, wanted.0, 0);
        adapter.b.copy(result, equal);
        adapter.b.jump(done);
    }
    adapter.b.switch_to(other);
    let is_character = adapter.b.value(Type::I1, Op::InstanceOf, target.0, characters.0, 0);
    adapter.b.br(is_character, character, no, synthetic());
    adapter.b.switch_to(no);
    let never = adapter.b.value(Type::I1, Op::ConstI1, 0, 0, 0);
    adapter.b.copy(result, never);
    adapter.b.jump(done);
    adapter.b.switch_to(done);
    Ok(result)
}
