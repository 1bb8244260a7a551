//! Field and method descriptors (JVMS §4.3) and the legality of names.

use std::fmt;
use std::sync::Arc;

/// A field, parameter, element or non-void result type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldType {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    /// Internal name, `java/lang/String`.
    Class(Arc<str>),
    /// Of this element type.
    Array(Arc<FieldType>),
}

/// Parameters without the receiver, and the result; `None` is void.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodType {
    pub params: Vec<FieldType>,
    pub ret: Option<FieldType>,
}

impl FieldType {
    /// `None` unless the whole text is one field descriptor.
    pub fn parse(descriptor: &str) -> Option<FieldType> {
        let (ty, rest) = field_type(descriptor)?;
        rest.is_empty().then_some(ty)
    }

    /// The type a constant-pool class entry names: `java/lang/String`, or an array descriptor.
    pub fn of_class_constant(name: &str) -> Option<FieldType> {
        if name.starts_with('[') {
            FieldType::parse(name)
        } else {
            is_class_name(name).then(|| FieldType::Class(name.into()))
        }
    }

    /// Stack words and local slots it takes: 2 for long and double, 1 otherwise.
    pub fn slots(&self) -> u16 {
        if matches!(self, FieldType::Long | FieldType::Double) { 2 } else { 1 }
    }

    pub fn is_reference(&self) -> bool {
        matches!(self, FieldType::Class(_) | FieldType::Array(_))
    }

    /// What Java calls it, classes by a rule of one's own: `int[]`, `String`, `java.util.Map.Entry`.
    pub fn spelled(&self, class: fn(&str) -> String) -> String {
        let primitive = match self {
            FieldType::Class(name) => return class(name),
            FieldType::Array(element) => return format!("{}[]", element.spelled(class)),
            FieldType::Boolean => "boolean",
            FieldType::Byte => "byte",
            FieldType::Char => "char",
            FieldType::Short => "short",
            FieldType::Int => "int",
            FieldType::Long => "long",
            FieldType::Float => "float",
            FieldType::Double => "double",
        };
        primitive.to_string()
    }

    /// What a class constant or `Class.getName` (with dots) calls it: `java/lang/String`, `[I`; for a primitive
    /// the descriptor letter.
    pub fn class_constant(&self) -> String {
        match self {
            FieldType::Class(name) => name.to_string(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for FieldType {
    /// The descriptor.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldType::Boolean => f.write_str("Z"),
            FieldType::Byte => f.write_str("B"),
            FieldType::Char => f.write_str("C"),
            FieldType::Short => f.write_str("S"),
            FieldType::Int => f.write_str("I"),
            FieldType::Long => f.write_str("J"),
            FieldType::Float => f.write_str("F"),
            FieldType::Double => f.write_str("D"),
            FieldType::Class(name) => write!(f, "L{name};"),
            FieldType::Array(element) => write!(f, "[{element}"),
        }
    }
}

impl MethodType {
    /// `None` unless the whole text is one method descriptor with at most 255 parameter slots (JVMS §4.3.3).
    pub fn parse(descriptor: &str) -> Option<MethodType> {
        let mut rest = descriptor.strip_prefix('(')?;
        let mut params = Vec::new();
        let mut slots = 0u16;
        while !rest.starts_with(')') {
            let (param, after) = field_type(rest)?;
            slots = slots.checked_add(param.slots()).filter(|slots| *slots <= 255)?;
            params.push(param);
            rest = after;
        }
        let result = rest.strip_prefix(')')?;
        let ret = if result == "V" { None } else { Some(FieldType::parse(result)?) };
        Some(MethodType { params, ret })
    }

    /// Local slots of the parameters, without the receiver.
    pub fn param_slots(&self) -> u16 {
        self.params.iter().fold(0, |sum: u16, param| sum.saturating_add(param.slots()))
    }
}

impl fmt::Display for MethodType {
    /// The descriptor.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for param in &self.params {
            write!(f, "{param}")?;
        }
        match &self.ret {
            Some(ret) => write!(f, "){ret}"),
            None => f.write_str(")V"),
        }
    }
}

/// One field type from the front of the text, and what follows it. At most 255 dimensions (JVMS §4.3.2), which
/// also bounds the nesting of the result.
fn field_type(text: &str) -> Option<(FieldType, &str)> {
    let base = text.trim_start_matches('[');
    let dimensions = text.len().checked_sub(base.len()).filter(|dimensions| *dimensions <= 255)?;
    let mut chars = base.chars();
    let (mut ty, rest) = match chars.next()? {
        'Z' => (FieldType::Boolean, chars.as_str()),
        'B' => (FieldType::Byte, chars.as_str()),
        'C' => (FieldType::Char, chars.as_str()),
        'S' => (FieldType::Short, chars.as_str()),
        'I' => (FieldType::Int, chars.as_str()),
        'J' => (FieldType::Long, chars.as_str()),
        'F' => (FieldType::Float, chars.as_str()),
        'D' => (FieldType::Double, chars.as_str()),
        'L' => {
            let (name, rest) = chars.as_str().split_once(';')?;
            if !is_class_name(name) {
                return None;
            }
            (FieldType::Class(name.into()), rest)
        }
        _ => return None,
    };
    for _ in 0..dimensions {
        ty = FieldType::Array(Arc::new(ty));
    }
    Some((ty, rest))
}

/// A binary class name in internal form (JVMS §4.2.1), not an array.
pub fn is_class_name(name: &str) -> bool {
    let illegal = |byte: u8| matches!(byte, b'.' | b';' | b'[');
    !name.bytes().any(illegal) && name.split('/').all(|part| !part.is_empty())
}

/// A field, method or local variable name (JVMS §4.2.2), the special method names excepted.
pub(super) fn is_member_name(name: &str) -> bool {
    !name.is_empty() && !name.bytes().any(|byte| matches!(byte, b'.' | b';' | b'[' | b'/'))
}

pub(super) fn is_method_name(name: &str) -> bool {
    let special = name == "<init>" || name == "<clinit>";
    special || (is_member_name(name) && !name.bytes().any(|byte| matches!(byte, b'<' | b'>')))
}
