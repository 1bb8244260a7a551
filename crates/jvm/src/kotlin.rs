//! What the Kotlin compiler says of a class: its `kotlin.Metadata` annotation, a protocol buffer in strings.
//!
//! Only what a test needs to know is read: which JVM methods are functions, extension functions and properties of
//! the source, and whether their parameters and results may be null. Foreign bytes: anything malformed is "not
//! Kotlin", never an error.

use crate::load::ClassFile;
use crate::load::annotation::{ElementValue, annotations};

/// A class or file of Kotlin source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KotlinClass {
    pub kind: KotlinKind,
    pub functions: Vec<KotlinFunction>,
    pub properties: Vec<KotlinProperty>,
    pub constructors: Vec<KotlinFunction>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KotlinKind {
    #[default]
    Class,
    Object,
    Companion,
    /// Top-level functions and properties of a file.
    File,
    /// Lambdas, `when` tables: nothing that source can name.
    Synthetic,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KotlinFunction {
    pub name: String,
    /// Name of the JVM method.
    pub jvm_name: String,
    /// Its descriptor, where the compiler said it.
    pub jvm_descriptor: Option<String>,
    /// An extension function: whether its receiver may be null.
    pub receiver: Option<bool>,
    /// Whether each parameter may be null.
    pub parameters: Vec<Nullness>,
    /// The type arguments of the receiver, if there is one, and of each parameter.
    pub arguments: Vec<Vec<KotlinType>>,
    pub returns: Nullness,
    /// The type arguments of the result.
    pub returned: Vec<KotlinType>,
    pub is_suspend: bool,
}

/// Whether a type has null among its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nullness {
    #[default]
    Never,
    /// The source says so: `T?`.
    Marked,
    /// If what stands for the type parameter has.
    ByVariable,
}

impl Nullness {
    pub fn may_be(self) -> bool {
        self != Nullness::Never
    }
}

/// A type as far as null is concerned: `List<Item?>` is never null and has an argument that may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KotlinType {
    pub null: Nullness,
    pub arguments: Vec<KotlinType>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KotlinProperty {
    pub name: String,
    pub getter: Option<String>,
    pub setter: Option<String>,
    pub receiver: Option<bool>,
    pub nullable: Nullness,
    /// The arguments of its type.
    pub arguments: Vec<KotlinType>,
}

impl KotlinClass {
    /// The function that became a JVM method.
    pub fn function(&self, jvm_name: &str, descriptor: &str, parameters: usize) -> Option<&KotlinFunction> {
        let list = if jvm_name == "<init>" { &self.constructors } else { &self.functions };
        let arity = |f: &KotlinFunction| {
            f.parameters.len() + usize::from(f.receiver.is_some()) + usize::from(f.is_suspend)
        };
        let mut named = list.iter().filter(|f| f.jvm_name == jvm_name && arity(f) == parameters);
        let exact = named.clone().find(|f| f.jvm_descriptor.as_deref() == Some(descriptor));
        exact.or_else(|| named.find(|f| f.jvm_descriptor.is_none()))
    }

    /// The property that a JVM method reads, and whether it is an extension.
    pub fn getter(&self, jvm_name: &str) -> Option<&KotlinProperty> {
        self.properties.iter().find(|p| p.getter.as_deref() == Some(jvm_name))
    }

    pub fn setter(&self, jvm_name: &str) -> Option<&KotlinProperty> {
        self.properties.iter().find(|p| p.setter.as_deref() == Some(jvm_name))
    }
}

/// Whether a class was made from Kotlin.
pub fn is_kotlin(class: &ClassFile) -> bool {
    let raw = class.annotations.as_ref().and_then(|raw| raw.visible.as_ref());
    let all = raw.and_then(|raw| annotations(raw, &class.pool).ok()).unwrap_or_default();
    all.iter().any(|annotation| &*annotation.descriptor == "Lkotlin/Metadata;")
}

/// Reads the annotation; `None` if the class was not made from Kotlin.
pub fn kotlin(class: &ClassFile) -> Option<KotlinClass> {
    let raw = class.annotations.as_ref()?.visible.as_ref()?;
    let all = annotations(raw, &class.pool).ok()?;
    let metadata = all.iter().find(|a| &*a.descriptor == "Lkotlin/Metadata;")?;
    let element = |name: &str| metadata.elements.iter().find(|(n, _)| &**n == name).map(|(_, v)| v);
    let kind = match element("k") {
        Some(ElementValue::Int(kind)) => *kind,
        _ => 1,
    };
    let strings = |name: &str| -> Vec<Vec<u16>> {
        match element(name) {
            Some(ElementValue::Array(items)) => items
                .iter()
                .filter_map(|item| match item {
                    ElementValue::String(units) => Some(units.to_vec()),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    };
    let bytes = unpack(&strings("d1"));
    let texts: Vec<String> = strings("d2").iter().map(|units| String::from_utf16_lossy(units)).collect();
    match kind {
        1 => class_of(&bytes, &texts),
        // A file, or a part of a file in several classes.
        2 | 5 => file_of(&bytes, &texts),
        _ => Some(KotlinClass { kind: KotlinKind::Synthetic, ..KotlinClass::default() }),
    }
}

/// The bytes in the strings: as characters after a zero, or seven bits a character in old compilers.
fn unpack(strings: &[Vec<u16>]) -> Vec<u8> {
    let mut units = strings.iter().flatten().copied();
    match units.next() {
        Some(0) => units.map(|unit| unit as u8).collect(),
        first => {
            // The first may be a marker or data; each holds seven bits, offset by one.
            let data = first.filter(|unit| *unit != 0xffff).into_iter().chain(units);
            let mut bytes = Vec::new();
            let (mut bits, mut count) = (0u32, 0);
            for unit in data {
                bits |= u32::from((unit as u8).wrapping_sub(1) & 0x7f) << count;
                count += 7;
                if count >= 8 {
                    bytes.push(bits as u8);
                    bits >>= 8;
                    count -= 8;
                }
            }
            bytes
        }
    }
}

fn class_of(bytes: &[u8], texts: &[String]) -> Option<KotlinClass> {
    let (names, message) = names_and_message(bytes, texts)?;
    let fields = fields(message);
    let flags = fields.iter().find(|f| f.number == 1).map_or(6, Field::int);
    let kind = match flags >> 6 & 7 {
        5 => KotlinKind::Object,
        6 => KotlinKind::Companion,
        _ => KotlinKind::Class,
    };
    let types = type_table(&fields);
    let mut class = KotlinClass { kind, ..KotlinClass::default() };
    for field in &fields {
        match field.number {
            8 => class.constructors.extend(constructor(field.bytes, &names, &types)),
            9 => class.functions.extend(function(field.bytes, &names, &types)),
            10 => class.properties.extend(property(field.bytes, &names, &types)),
            _ => {}
        }
    }
    Some(class)
}

fn file_of(bytes: &[u8], texts: &[String]) -> Option<KotlinClass> {
    let (names, message) = names_and_message(bytes, texts)?;
    let fields = fields(message);
    let types = type_table(&fields);
    let mut class = KotlinClass { kind: KotlinKind::File, ..KotlinClass::default() };
    for field in &fields {
        match field.number {
            3 => class.functions.extend(function(field.bytes, &names, &types)),
            4 => class.properties.extend(property(field.bytes, &names, &types)),
            _ => {}
        }
    }
    Some(class)
}

/// The types that others name by number.
fn type_table<'a>(fields: &[Field<'a>]) -> Types<'a> {
    let Some(table) = fields.iter().find(|f| f.number == 30) else { return Types::default() };
    let inside = self::fields(table.bytes);
    Types {
        first_nullable: inside.iter().find(|f| f.number == 2).map(Field::int),
        all: inside.iter().filter(|f| f.number == 1).map(|f| f.bytes).collect(),
    }
}

#[derive(Default)]
struct Types<'a> {
    all: Vec<&'a [u8]>,
    /// From this one on all of them may be null.
    first_nullable: Option<u64>,
}

/// Types inside of types are read so deep.
const DEPTH: u32 = 8;

impl Types<'_> {
    /// A type written in place, or by its number in the table.
    fn find(&self, fields: &[Field<'_>], inline: u32, by_id: u32, depth: u32) -> Option<KotlinType> {
        fields.iter().find_map(|f| match f.number {
            n if n == inline => Some(self.read(f.bytes, depth)),
            n if n == by_id => Some(self.numbered(f.int(), depth)),
            _ => None,
        })
    }

    fn numbered(&self, number: u64, depth: u32) -> KotlinType {
        let Some(bytes) = usize::try_from(number).ok().and_then(|at| self.all.get(at)) else {
            return KotlinType { null: Nullness::Marked, arguments: Vec::new() };
        };
        let mut ty = self.read(bytes, depth);
        if self.first_nullable.is_some_and(|first| number >= first) {
            ty.null = Nullness::Marked;
        }
        ty
    }

    fn read(&self, bytes: &[u8], depth: u32) -> KotlinType {
        let fields = fields(bytes);
        let marked = fields.iter().any(|f| f.number == 3 && f.value != 0);
        let null = match (marked, fields.iter().any(|f| matches!(f.number, 7 | 9))) {
            (true, _) => Nullness::Marked,
            (false, true) => Nullness::ByVariable,
            (false, false) => Nullness::Never,
        };
        // Of `*` nothing is said.
        let unknown = || KotlinType { null: Nullness::Marked, arguments: Vec::new() };
        let argument = |f: &Field<'_>| match depth < DEPTH {
            true => self.find(&self::fields(f.bytes), 2, 3, depth + 1).unwrap_or_else(unknown),
            false => unknown(),
        };
        KotlinType { null, arguments: fields.iter().filter(|f| f.number == 2).map(argument).collect() }
    }
}

fn function(bytes: &[u8], names: &Names, types: &Types<'_>) -> Option<KotlinFunction> {
    const SUSPEND: u64 = 1 << 13;
    let fields = fields(bytes);
    let name = names.get(fields.iter().find(|f| f.number == 2)?.int())?;
    let flags = fields.iter().find(|f| f.number == 9).map_or(6, Field::int);
    let (jvm_name, jvm_descriptor) = signature(&fields, 100, names);
    let receiver = types.find(&fields, 5, 8, 0);
    let parameters = parameters(&fields, 6, types);
    let returns = types.find(&fields, 3, 7, 0).unwrap_or_default();
    Some(KotlinFunction {
        jvm_name: jvm_name.unwrap_or_else(|| name.clone()),
        name,
        jvm_descriptor,
        receiver: receiver.as_ref().map(|ty| ty.null.may_be()),
        parameters: parameters.iter().map(|ty| ty.null).collect(),
        arguments: receiver.into_iter().chain(parameters).map(|ty| ty.arguments).collect(),
        returns: returns.null,
        returned: returns.arguments,
        is_suspend: flags & SUSPEND != 0,
    })
}

fn constructor(bytes: &[u8], names: &Names, types: &Types<'_>) -> Option<KotlinFunction> {
    let fields = fields(bytes);
    let (_, jvm_descriptor) = signature(&fields, 100, names);
    let parameters = parameters(&fields, 2, types);
    Some(KotlinFunction {
        name: "<init>".to_string(),
        jvm_name: "<init>".to_string(),
        jvm_descriptor,
        parameters: parameters.iter().map(|ty| ty.null).collect(),
        arguments: parameters.into_iter().map(|ty| ty.arguments).collect(),
        ..KotlinFunction::default()
    })
}

fn parameters(of: &[Field<'_>], number: u32, types: &Types<'_>) -> Vec<KotlinType> {
    let unknown = || KotlinType { null: Nullness::Marked, arguments: Vec::new() };
    let read = |f: &Field<'_>| types.find(&fields(f.bytes), 3, 5, 0).unwrap_or_else(unknown);
    of.iter().filter(|f| f.number == number).map(read).collect()
}

fn property(bytes: &[u8], names: &Names, types: &Types<'_>) -> Option<KotlinProperty> {
    let fields = fields(bytes);
    let name = names.get(fields.iter().find(|f| f.number == 2)?.int())?;
    let signatures = fields.iter().find(|f| f.number == 100).map(|f| self::fields(f.bytes));
    let accessor = |number: u32| {
        let field = signatures.as_ref()?.iter().find(|f| f.number == number)?;
        method(field.bytes, names).0
    };
    let ty = types.find(&fields, 3, 9, 0).unwrap_or_default();
    Some(KotlinProperty {
        name,
        getter: accessor(3),
        setter: accessor(4),
        receiver: types.find(&fields, 5, 10, 0).map(|ty| ty.null.may_be()),
        nullable: ty.null,
        arguments: ty.arguments,
    })
}

/// Name and descriptor of the JVM method, as far as they are not what follows from the source.
fn signature(fields: &[Field<'_>], number: u32, names: &Names) -> (Option<String>, Option<String>) {
    fields.iter().find(|f| f.number == number).map_or((None, None), |f| method(f.bytes, names))
}

fn method(bytes: &[u8], names: &Names) -> (Option<String>, Option<String>) {
    let fields = fields(bytes);
    let text = |number: u32| fields.iter().find(|f| f.number == number).and_then(|f| names.get(f.int()));
    (text(1), text(2))
}

/// The texts that the message names by number.
struct Names(Vec<Option<String>>);

impl Names {
    fn get(&self, index: u64) -> Option<String> {
        self.0.get(usize::try_from(index).ok()?)?.clone()
    }
}

/// A table of names, its length in front, then the message itself.
fn names_and_message<'a>(bytes: &'a [u8], texts: &[String]) -> Option<(Names, &'a [u8])> {
    let mut rest = bytes;
    let len = usize::try_from(varint(&mut rest)?).ok()?;
    let (table, message) = rest.split_at_checked(len)?;
    let mut names = Vec::new();
    for record in fields(table).iter().filter(|f| f.number == 1) {
        let inside = fields(record.bytes);
        let int = |number: u32| inside.iter().find(|f| f.number == number).map(Field::int);
        // A record may stand for many names in a row; no more of them than there are texts.
        let range = int(1).unwrap_or(1).min(texts.len() as u64 + 1);
        for _ in 0..range {
            let own =
                inside.iter().find(|f| f.number == 6).map(|f| String::from_utf8_lossy(f.bytes).into_owned());
            let text = match (own, int(2)) {
                (Some(own), _) => Some(own),
                // One of the compiler's own names (kotlin/Any): none of a member.
                (None, Some(_)) => None,
                (None, None) => texts.get(names.len()).cloned(),
            };
            let text = text.map(|text| match int(3).unwrap_or(0) {
                // L…; as a class name.
                2 => text.trim_start_matches('L').trim_end_matches(';').replace('$', "."),
                _ => text,
            });
            names.push(text);
        }
        if names.len() > texts.len() + 10_000 {
            return None;
        }
    }
    // Names without a record are the texts themselves.
    for text in texts.iter().skip(names.len()) {
        names.push(Some(text.clone()));
    }
    Some((Names(names), message))
}

/// One field of a message.
struct Field<'a> {
    number: u32,
    /// Of a number.
    value: u64,
    /// Of a text or a message.
    bytes: &'a [u8],
}

impl Field<'_> {
    fn int(&self) -> u64 {
        self.value
    }
}

/// The fields of a message, up to the first that is malformed.
fn fields(bytes: &[u8]) -> Vec<Field<'_>> {
    let mut rest = bytes;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let Some(field) = field(&mut rest) else { break };
        found.push(field);
    }
    found
}

fn field<'a>(rest: &mut &'a [u8]) -> Option<Field<'a>> {
    let tag = varint(rest)?;
    let number = u32::try_from(tag >> 3).ok()?;
    let take = |rest: &mut &'a [u8], len: usize| {
        let (head, tail) = rest.split_at_checked(len)?;
        *rest = tail;
        Some(head)
    };
    match tag & 7 {
        0 => Some(Field { number, value: varint(rest)?, bytes: &[] }),
        1 => Some(Field { number, value: 0, bytes: take(rest, 8)? }),
        2 => {
            let len = usize::try_from(varint(rest)?).ok()?;
            Some(Field { number, value: 0, bytes: take(rest, len)? })
        }
        5 => Some(Field { number, value: 0, bytes: take(rest, 4)? }),
        _ => None,
    }
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (first, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_message_is_no_class_and_no_panic() {
        for bytes in [&[][..], &[0xff; 20], &[3, 1, 2], &[0, 8], &[0, 0x4a, 0xff, 0xff, 0xff, 0xff, 0x0f]] {
            let _ = class_of(bytes, &["x".to_string()]);
            let _ = file_of(bytes, &[]);
        }
        assert_eq!(unpack(&[vec![0, 1, 255]]), [1, 255]);
    }

    #[test]
    fn numbers_are_read_seven_bits_at_a_time() {
        let mut bytes: &[u8] = &[0xac, 0x02, 7];
        assert_eq!(varint(&mut bytes), Some(300));
        assert_eq!(bytes, [7]);
        assert_eq!(varint(&mut &[0x80u8; 12][..]), None);
    }
}
