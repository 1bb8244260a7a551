//! String concatenation: a `StringBuilder` that appends, which is what the language says it means (JLS §15.18.1).

use ir::{Builder, Op, Reg, Type};

use super::adapt::Adapter;
use super::{Bootstrapped, Linked};
use crate::link::{LinkError, reg_type};
use crate::load::{Constant, FieldType, MethodType};
use crate::world::Jvm;

const ARGUMENT: u16 = 1;
const CONSTANT: u16 = 2;
const BUILDER: &str = "java/lang/StringBuilder";

/// A part of the result.
pub(super) enum Piece {
    Text(Vec<u16>),
    /// A register with a value of this type.
    Value(Reg, FieldType),
}

/// A function that takes the values and returns the string.
pub(super) fn link(jvm: &mut Jvm, site: &Bootstrapped<'_>, with_recipe: bool) -> Linked {
    let pool = &site.file.pool;
    let Some(ty) = MethodType::parse(site.call.dynamic.descriptor) else { return Ok(None) };
    let recipe = match (with_recipe, site.args.first()) {
        (true, Some(cp)) => match pool.string(*cp) {
            Ok(recipe) => recipe,
            Err(_) => return Ok(None),
        },
        (true, None) => return Ok(None),
        (false, _) => vec![ARGUMENT; ty.params.len()],
    };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut params = ty.params.iter().enumerate();
    let mut constants = site.args.iter().skip(1);
    for unit in recipe {
        match unit {
            ARGUMENT => match params.next() {
                Some((index, ty)) => pieces.push(Piece::Value(Reg(index as u32), ty.clone())),
                None => return Ok(None),
            },
            CONSTANT => {
                let text = constants.next().and_then(|cp| constant_text(site, *cp));
                match text {
                    Some(text) => add_text(&mut pieces, &text),
                    None => return Ok(None),
                }
            }
            unit => add_text(&mut pieces, &[unit]),
        }
    }
    let label = label(&pieces, &ty);
    if let Some(func) = jvm.made.get(label.as_str()) {
        return Ok(Some(*func));
    }
    let params: Vec<Type> = ty.params.iter().map(reg_type).collect();
    let mut adapter = Adapter { jvm, b: Builder::new(label.clone(), &params, Some(Type::Ref)) };
    let result = build(&mut adapter, &pieces)?;
    adapter.b.ret(Some(result));
    let function = adapter.b.finish();
    Ok(Some(jvm.make_func(&label, |_| function)))
}

fn label(pieces: &[Piece], ty: &MethodType) -> String {
    let mut text = format!("concat {ty} ");
    for piece in pieces {
        match piece {
            // Lone surrogates must not make different texts look the same.
            Piece::Text(units) => text.extend(char::decode_utf16(units.iter().copied()).map(|unit| {
                unit.map_or_else(|lone| format!("\\u{{{:x}}}", lone.unpaired_surrogate()), |c| c.to_string())
            })),
            Piece::Value(..) => text.push('\u{1}'),
        }
    }
    text
}

fn add_text(pieces: &mut Vec<Piece>, text: &[u16]) {
    match pieces.last_mut() {
        Some(Piece::Text(units)) => units.extend_from_slice(text),
        _ => pieces.push(Piece::Text(text.to_vec())),
    }
}

/// Constants that the recipe could not spell: strings with the marker characters, rarely anything else.
fn constant_text(site: &Bootstrapped<'_>, cp: u16) -> Option<Vec<u16>> {
    let text = match site.file.pool.get(cp).ok()? {
        Constant::String => return site.file.pool.string(cp).ok(),
        Constant::Int(value) => value.to_string(),
        Constant::Long(value) => value.to_string(),
        _ => return None,
    };
    Some(text.encode_utf16().collect())
}

/// Appends all pieces; the register with the string.
pub(super) fn build(adapter: &mut Adapter<'_>, pieces: &[Piece]) -> Result<Reg, LinkError> {
    let class = adapter.jvm.class(BUILDER)?;
    let method =
        |adapter: &mut Adapter<'_>, name: &str, descriptor: &str| adapter.jvm.method(class, name, descriptor);
    let constructor = method(adapter, "<init>", "()V")?;
    let to_string = method(adapter, "toString", "()Ljava/lang/String;")?;
    adapter.init(class);
    let builder = adapter.b.new_object(class);
    adapter.emit_call(Op::Call, constructor.0, &[builder], None);
    for piece in pieces {
        let (value, descriptor) = match piece {
            Piece::Text(text) => (adapter.text(text), "Ljava/lang/String;"),
            Piece::Value(reg, ty) => (*reg, append_type(ty)),
        };
        let append = method(adapter, "append", &format!("({descriptor})L{BUILDER};"))?;
        adapter.emit_call(Op::Call, append.0, &[builder, value], Some(Type::Ref));
    }
    let string = adapter.emit_call(Op::Call, to_string.0, &[builder], Some(Type::Ref));
    Ok(string.unwrap_or(builder))
}

/// Which `append` says what `String.valueOf` says. A char array is an object here, not a text.
fn append_type(ty: &FieldType) -> &'static str {
    match ty {
        FieldType::Boolean => "Z",
        FieldType::Char => "C",
        FieldType::Byte | FieldType::Short | FieldType::Int => "I",
        FieldType::Long => "J",
        FieldType::Float => "F",
        FieldType::Double => "D",
        FieldType::Class(name) if &**name == "java/lang/String" => "Ljava/lang/String;",
        FieldType::Class(_) | FieldType::Array(_) => "Ljava/lang/Object;",
    }
}
