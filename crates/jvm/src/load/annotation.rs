//! Annotations: kept raw, as reflection hands them to the JDK's own parser, and parsed on demand.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::{At, Malformed};
use super::pool::ConstantPool;
use super::reader::{Fault, Read, Reader, Slice, narrow};

/// The annotation attributes of a class, field, method or record component, without their headers.
#[derive(Clone, Debug, Default)]
pub struct RawAnnotations {
    /// `RuntimeVisibleAnnotations`.
    pub visible: Option<Slice>,
    /// `RuntimeInvisibleAnnotations`: class retention, where many nullness annotations live.
    pub invisible: Option<Slice>,
    /// `RuntimeVisibleParameterAnnotations`.
    pub visible_parameters: Option<Slice>,
    /// `RuntimeInvisibleParameterAnnotations`.
    pub invisible_parameters: Option<Slice>,
    /// `RuntimeVisibleTypeAnnotations`.
    pub visible_types: Option<Slice>,
    /// `RuntimeInvisibleTypeAnnotations`.
    pub invisible_types: Option<Slice>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// Field descriptor of the annotation interface, `Ljava/lang/Deprecated;`.
    pub descriptor: Arc<str>,
    /// Given elements in file order.
    pub elements: Vec<(Arc<str>, ElementValue)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ElementValue {
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// UTF-16 code units.
    String(Arc<[u16]>),
    /// Descriptor of the enum type and name of the constant.
    Enum(Arc<str>, Arc<str>),
    /// A return descriptor, `V` for `void.class`.
    Class(Arc<str>),
    Annotation(Annotation),
    Array(Vec<ElementValue>),
}

/// Annotations inside annotations inside arrays: deeper than this is not a program but an attack.
const MAX_DEPTH: u32 = 64;

/// Parses a `visible` or `invisible` attribute.
pub fn annotations(raw: &Slice, pool: &ConstantPool) -> Result<Vec<Annotation>, Malformed> {
    whole(raw, pool, |reader, texts| reader.list(4, |reader| annotation(reader, texts, 0)))
}

/// Parses a `…_parameters` attribute: a list for each parameter that the compiler counted, which may leave out
/// synthetic ones.
pub fn parameter_annotations(raw: &Slice, pool: &ConstantPool) -> Result<Vec<Vec<Annotation>>, Malformed> {
    whole(raw, pool, |reader, texts| {
        let count = reader.u8()?;
        (0..count).map(|_| reader.list(4, |reader| annotation(reader, texts, 0))).collect()
    })
}

/// An annotation of a type or of a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeAnnotation {
    /// Which parameter's, the first being 0, those that the compiler added not counted.
    pub index: u8,
    pub part: Part,
    pub annotation: Annotation,
}

/// What of a type is annotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// The elements of an array.
    Element,
    /// A type argument.
    Argument(u8),
}

/// Parses a `…_types` attribute of a method or field, as far as parameters and fields are concerned (JVMS §4.7.20).
pub fn type_annotations(raw: &Slice, pool: &ConstantPool) -> Result<Vec<TypeAnnotation>, Malformed> {
    let all = whole(raw, pool, |reader, texts| {
        reader.list(8, |reader| {
            let index = type_target(reader)?;
            let steps = reader.u8()?;
            let mut path = Vec::new();
            for _ in 0..steps {
                let step = (reader.u8()?, reader.u8()?);
                // A step into a nested class leads to the type that is meant; others to its parts.
                path.extend(Some(step).filter(|(kind, _)| *kind != 1));
            }
            let annotation = annotation(reader, texts, 0)?;
            let part = match path.as_slice() {
                [] => Some(Part::Whole),
                [(0, _)] => Some(Part::Element),
                [(3, argument)] => Some(Part::Argument(*argument)),
                _ => None,
            };
            Ok(index.zip(part).map(|(index, part)| TypeAnnotation { index, part, annotation }))
        })
    })?;
    Ok(all.into_iter().flatten().collect())
}

/// Reads what a type annotation is about: the parameter, the field (number 0), or something else.
fn type_target(reader: &mut Reader<'_>) -> Read<Option<u8>> {
    let start = *reader;
    let skipped = match reader.u8()? {
        0x16 => return reader.u8().map(Some),
        0x13 => return Ok(Some(0)),
        0x14 | 0x15 => 0,
        0x00 | 0x01 => 1,
        0x10..=0x12 | 0x17 | 0x42..=0x46 => 2,
        0x47..=0x4b => 3,
        0x40 | 0x41 => {
            let count = reader.u16()?;
            for _ in 0..count {
                reader.u16()?;
                reader.u16()?;
                reader.u16()?;
            }
            0
        }
        _ => return start.fault("unknown target of a type annotation"),
    };
    for _ in 0..skipped {
        reader.u8()?;
    }
    Ok(None)
}

/// Parses an `AnnotationDefault` attribute.
pub fn default_value(raw: &Slice, pool: &ConstantPool) -> Result<ElementValue, Malformed> {
    whole(raw, pool, |reader, texts| value(reader, texts, 0))
}

fn whole<T>(
    raw: &Slice,
    pool: &ConstantPool,
    parse: impl FnOnce(&mut Reader<'_>, &mut Texts<'_>) -> Read<T>,
) -> Result<T, Malformed> {
    let mut reader = Reader::new(raw);
    let mut texts = Texts { pool, names: FxHashMap::default(), strings: FxHashMap::default() };
    let parsed = parse(&mut reader, &mut texts).and_then(|parsed| reader.finish().map(|()| parsed));
    parsed.map_err(|fault| {
        let offset = narrow(fault.offset).saturating_add(raw.offset());
        Malformed { class: pool.class.clone(), at: At::Offset(offset), what: fault.what }
    })
}

/// Texts shared by all annotations of one attribute: a hostile one may name the same large text over and over.
struct Texts<'a> {
    pool: &'a ConstantPool,
    names: FxHashMap<u16, Arc<str>>,
    strings: FxHashMap<u16, Arc<[u16]>>,
}

impl Texts<'_> {
    fn name(&mut self, reader: &mut Reader<'_>) -> Read<Arc<str>> {
        let (offset, index) = (reader.pos(), reader.u16()?);
        if let Some(name) = self.names.get(&index) {
            return Ok(name.clone());
        }
        let name =
            self.pool.utf8(index).map_err(|_| Fault { offset, what: "annotation has a wrong text" })?;
        Ok(self.names.entry(index).or_insert_with(|| name.into()).clone())
    }

    fn string(&mut self, reader: &mut Reader<'_>) -> Read<Arc<[u16]>> {
        let (offset, index) = (reader.pos(), reader.u16()?);
        if let Some(string) = self.strings.get(&index) {
            return Ok(string.clone());
        }
        let units =
            self.pool.utf16(index).map_err(|_| Fault { offset, what: "annotation has a wrong text" })?;
        Ok(self.strings.entry(index).or_insert_with(|| units.into()).clone())
    }
}

fn annotation(reader: &mut Reader<'_>, texts: &mut Texts<'_>, depth: u32) -> Read<Annotation> {
    let descriptor = texts.name(reader)?;
    let elements =
        reader.list(5, |reader| Ok((texts.name(reader)?, value(reader, texts, depth.saturating_add(1))?)))?;
    Ok(Annotation { descriptor, elements })
}

fn value(reader: &mut Reader<'_>, texts: &mut Texts<'_>, depth: u32) -> Read<ElementValue> {
    if depth > MAX_DEPTH {
        return reader.fault("annotation is nested too deeply");
    }
    let start = *reader;
    let pool = texts.pool;
    let wrong = |_: Malformed| Fault { offset: start.pos(), what: "annotation has a wrong constant" };
    Ok(match reader.u8()? {
        b'Z' => ElementValue::Boolean(pool.int(reader.u16()?).map_err(wrong)? != 0),
        b'B' => {
            let [.., low] = pool.int(reader.u16()?).map_err(wrong)?.to_be_bytes();
            ElementValue::Byte(low.cast_signed())
        }
        b'C' => ElementValue::Char(low_half(pool.int(reader.u16()?).map_err(wrong)?)),
        b'S' => ElementValue::Short(low_half(pool.int(reader.u16()?).map_err(wrong)?).cast_signed()),
        b'I' => ElementValue::Int(pool.int(reader.u16()?).map_err(wrong)?),
        b'J' => ElementValue::Long(pool.long(reader.u16()?).map_err(wrong)?),
        b'F' => ElementValue::Float(pool.float(reader.u16()?).map_err(wrong)?),
        b'D' => ElementValue::Double(pool.double(reader.u16()?).map_err(wrong)?),
        b's' => ElementValue::String(texts.string(reader)?),
        b'e' => ElementValue::Enum(texts.name(reader)?, texts.name(reader)?),
        b'c' => ElementValue::Class(texts.name(reader)?),
        b'@' => ElementValue::Annotation(annotation(reader, texts, depth)?),
        b'[' => ElementValue::Array(reader.list(3, |reader| value(reader, texts, depth.saturating_add(1)))?),
        _ => return start.fault("unknown annotation value tag"),
    })
}

fn low_half(value: i32) -> u16 {
    let [_, _, high, low] = value.to_be_bytes();
    u16::from_be_bytes([high, low])
}
