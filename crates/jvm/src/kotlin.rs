//! What the Kotlin compiler says of a class: its `kotlin.Metadata` annotation, a protocol buffer in strings.
//!
//! Only what a test needs to know is read: which JVM methods are functions, extension functions and properties of
//! the source, and whether their parameters and results may be null. Foreign bytes: anything malformed is "not
//! Kotlin", never an error.

mod values;
mod wire;

pub use values::{
    CONSTRUCTOR, ValueClass, Values, Wrapped, is_unsigned, plain_name, source_name, source_variable, values,
};

use crate::link::{Class, Func};
use crate::load::annotation::{ElementValue, annotations};
use crate::load::{ClassFile, Instr, MethodType};
use wire::{Field, Names, fields, names_and_message, unpack, varint};

/// A class or file of Kotlin source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KotlinClass {
    pub kind: KotlinKind,
    pub functions: Vec<KotlinFunction>,
    pub properties: Vec<KotlinProperty>,
    pub constructors: Vec<KotlinFunction>,
    /// Of each type parameter, whether null may stand for it.
    pub variables: Vec<bool>,
    /// What it wraps, if it is a value class.
    pub value: Option<ValueClass>,
    /// The classes above it, and for each of their type arguments which type parameter of this one it is. Class files do not say so
    /// where one of them is `Nothing`.
    pub above: Vec<(String, Vec<Option<usize>>)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KotlinKind {
    #[default]
    Class,
    Object,
    Companion,
    /// A constant of an enum that has members of its own.
    Constant,
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
    /// Their classes, where their types are classes.
    pub classes: Vec<Option<String>>,
    /// The names of the parameters.
    pub names: Vec<String>,
    /// The parameter that takes a variable number of arguments.
    pub vararg: Option<usize>,
    /// Of each parameter, whether a call may leave it out.
    pub optional: Vec<bool>,
    pub returns: Nullness,
    /// The type arguments of the result.
    pub returned: Vec<KotlinType>,
    pub returned_class: Option<String>,
    /// A member of a value class: the first JVM parameter is what the object wraps.
    pub on_value: bool,
    /// Whether a test may call it.
    pub is_open: bool,
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
    /// The internal name of its class, if it is one of the program's.
    pub class: Option<String>,
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
    /// The class that its type is, and that of what it extends.
    pub class: Option<String>,
    pub receiver_class: Option<String>,
    /// Whether a test may read it.
    pub is_open: bool,
}

impl KotlinClass {
    /// The function that became a JVM method.
    pub fn function(&self, jvm_name: &str, descriptor: &str, parameters: usize) -> Option<&KotlinFunction> {
        let list =
            if matches!(jvm_name, "<init>" | CONSTRUCTOR) { &self.constructors } else { &self.functions };
        let arity = |f: &KotlinFunction| {
            let hidden = usize::from(f.is_suspend) + usize::from(f.on_value);
            f.parameters.len() + usize::from(f.receiver.is_some()) + hidden
        };
        let mut named = list.iter().filter(|f| f.jvm_name == jvm_name && arity(f) == parameters);
        // What a call returns may be known better than the method says.
        let params = |descriptor: &str| descriptor.split(')').next().map(str::to_string);
        let same = |f: &&KotlinFunction| f.jvm_descriptor.as_deref().and_then(params) == params(descriptor);
        let exact = named.clone().find(same);
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

/// Whether a class was made from Kotlin, and no source can name it: an enum's constant with members of its own, or the compiler's
/// own (`DefaultImpls`, `WhenMappings`).
pub fn is_unnamed(class: &ClassFile) -> bool {
    let kind = || kotlin(class).map(|class| class.kind);
    class.name.contains('$') && matches!(kind(), Some(KotlinKind::Constant | KotlinKind::Synthetic))
}

/// Whether a class was made from Kotlin.
pub fn is_kotlin(class: &ClassFile) -> bool {
    let raw = class.annotations.as_ref().and_then(|raw| raw.visible.as_ref());
    let all = raw.and_then(|raw| annotations(raw, &class.pool).ok()).unwrap_or_default();
    all.iter().any(|annotation| &*annotation.descriptor == "Lkotlin/Metadata;")
}

/// Whether a method of a Kotlin class stands in no source: what a read-only collection makes of Java's `add` and `remove`, and the
/// choice between the parts that a call of a data class's `copy` leaves out.
pub fn is_made(class: &Class, func: &Func) -> bool {
    let Some(file) = class.file.as_deref() else { return false };
    let copies = &*func.name == "copy$default" && file.methods.iter().any(|m| &*m.name == "component1");
    let refuses = || {
        let code = file.method(&func.name, &func.descriptor).and_then(|m| m.bytecode().ok().flatten());
        code.is_some_and(|code| {
            code.instrs.len() <= 6
                && code.instrs.iter().any(|(_, instr)| match instr {
                    Instr::Ldc(cp) => {
                        file.pool.string(*cp).is_ok_and(|text| READ_ONLY.encode_utf16().eq(text))
                    }
                    _ => false,
                })
        })
    };
    (copies || refuses()) && is_kotlin(file)
}

/// What the compiler has methods throw that would change a read-only collection.
const READ_ONLY: &str = "Operation is not supported for read-only collection";

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

fn class_of(bytes: &[u8], texts: &[String]) -> Option<KotlinClass> {
    let (names, message) = names_and_message(bytes, texts)?;
    let fields = fields(message);
    let flags = fields.iter().find(|f| f.number == 1).map_or(6, Field::int);
    let kind = match flags >> 6 & 7 {
        3 => KotlinKind::Constant,
        5 => KotlinKind::Object,
        6 => KotlinKind::Companion,
        _ => KotlinKind::Class,
    };
    let types = type_table(&fields, &names).with(&fields, 5);
    let mut class = KotlinClass { kind, ..KotlinClass::default() };
    for field in &fields {
        match field.number {
            8 => class.constructors.extend(constructor(field.bytes, &names, &types)),
            9 => class.functions.extend(function(field.bytes, &names, &types)),
            10 => class.properties.extend(property(field.bytes, &names, &types)),
            5 => class.variables.push(takes_null(field.bytes, &types)),
            _ => {}
        }
    }
    class.above = above(&fields, &names, &types);
    class.value = value_of(&fields, &names, &class);
    if class.value.is_some() {
        // Those that classes above declare are called on objects.
        for function in &mut class.functions {
            function.on_value = function.jvm_name.contains('-');
        }
    }
    Some(class)
}

/// The classes above one, by what of its own they are of.
fn above(of: &[Field<'_>], names: &Names, types: &Types<'_>) -> Vec<(String, Vec<Option<usize>>)> {
    let int = |inside: &[Field<'_>], number: u32| inside.iter().find(|f| f.number == number).map(Field::int);
    let parameters = of.iter().filter(|f| f.number == 5).map(|f| fields(f.bytes));
    let parameters: Vec<_> = parameters.map(|inside| (int(&inside, 1), int(&inside, 2))).collect();
    let numbered = |number: u64| usize::try_from(number).ok().and_then(|at| types.all.get(at)).copied();
    let read = |bytes: &[u8]| {
        let inside = fields(bytes);
        let class = names.get(int(&inside, 6)?)?.replace('.', "$");
        let arguments = inside.iter().filter(|f| f.number == 2).map(|argument| {
            let argument = fields(argument.bytes);
            let inline = argument.iter().find(|f| f.number == 2).map(|f| f.bytes);
            let ty = fields(inline.or_else(|| numbered(int(&argument, 3)?))?);
            let (id, name) = (int(&ty, 7), int(&ty, 9));
            let is_it = |(own_id, own_name): &(Option<u64>, Option<u64>)| {
                id.is_some() && id == *own_id || name.is_some() && name == *own_name
            };
            parameters.iter().position(is_it)
        });
        Some((class, arguments.collect()))
    };
    let mut found = Vec::new();
    for field in of {
        match field.number {
            6 => found.extend(read(field.bytes)),
            // Numbers may stand together in one field.
            2 if field.bytes.is_empty() => found.extend(numbered(field.int()).and_then(read)),
            2 => {
                let mut rest = field.bytes;
                while let Some(number) = varint(&mut rest) {
                    found.extend(numbered(number).and_then(read));
                }
            }
            _ => {}
        }
    }
    found
}

/// What a value class wraps.
fn value_of(fields: &[Field<'_>], names: &Names, class: &KotlinClass) -> Option<ValueClass> {
    let property = names.get(fields.iter().find(|f| f.number == 17)?.int())?;
    let declared = class.properties.iter().find(|p| p.name == property && p.receiver.is_none());
    // It gives back what it was given; others compute that.
    let gives_back = |f: &&KotlinFunction| {
        let ty = f.jvm_descriptor.as_deref().and_then(MethodType::parse);
        ty.is_some_and(|ty| ty.params.iter().eq(&ty.ret))
    };
    let constructor = class.constructors.iter().find(gives_back);
    Some(ValueClass {
        is_shown: declared.is_some_and(|p| p.is_open),
        nullable: declared.is_some_and(|p| p.nullable.may_be()),
        is_made: constructor.is_some_and(|f| f.is_open),
        property,
    })
}

fn file_of(bytes: &[u8], texts: &[String]) -> Option<KotlinClass> {
    let (names, message) = names_and_message(bytes, texts)?;
    let fields = fields(message);
    let types = type_table(&fields, &names);
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
fn type_table<'a>(fields: &[Field<'a>], names: &'a Names) -> Types<'a> {
    let names = Some(names);
    let Some(table) = fields.iter().find(|f| f.number == 30) else {
        return Types { names, ..Types::default() };
    };
    let inside = self::fields(table.bytes);
    Types {
        names,
        first_nullable: inside.iter().find(|f| f.number == 2).map(Field::int),
        all: inside.iter().filter(|f| f.number == 1).map(|f| f.bytes).collect(),
        ..Types::default()
    }
}

#[derive(Clone, Default)]
struct Types<'a> {
    /// Type parameters that have a bound without null: by number, and by name, as a function's own types tell them.
    strict: Vec<u64>,
    strict_names: Vec<u64>,
    names: Option<&'a Names>,
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
            return unknown();
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
        let open = |f: &Field<'_>| match f.number {
            7 => !self.strict.contains(&f.int()),
            9 => !self.strict_names.contains(&f.int()),
            _ => false,
        };
        let null = match (marked, fields.iter().any(open)) {
            (true, _) => Nullness::Marked,
            (false, true) => Nullness::ByVariable,
            (false, false) => Nullness::Never,
        };
        // Of `*` nothing is said.
        let argument = |f: &Field<'_>| match depth < DEPTH {
            true => self.find(&self::fields(f.bytes), 2, 3, depth + 1).unwrap_or_else(unknown),
            false => unknown(),
        };
        let class = fields.iter().find(|f| f.number == 6).and_then(|f| self.names?.get(f.int()));
        // Nested classes stand behind dots.
        let class = class.map(|name| name.replace('.', "$"));
        KotlinType { null, class, arguments: fields.iter().filter(|f| f.number == 2).map(argument).collect() }
    }
}

/// A type of which nothing is said.
fn unknown() -> KotlinType {
    KotlinType { null: Nullness::Marked, ..KotlinType::default() }
}

fn function(bytes: &[u8], names: &Names, types: &Types<'_>) -> Option<KotlinFunction> {
    const SUSPEND: u64 = 1 << 13;
    let fields = fields(bytes);
    let name = names.get(fields.iter().find(|f| f.number == 2)?.int())?;
    let flags = fields.iter().find(|f| f.number == 9).map_or(6, Field::int);
    let (jvm_name, jvm_descriptor) = signature(&fields, 100, names);
    let types = &types.with(&fields, 4);
    let receiver = types.find(&fields, 5, 8, 0);
    let parameters = parameters(&fields, 6, types);
    let optional = optional(&fields, 6);
    let (names, vararg) = names_of(&fields, 6, names);
    let returns = types.find(&fields, 3, 7, 0).unwrap_or_default();
    Some(KotlinFunction {
        jvm_name: jvm_name.unwrap_or_else(|| name.clone()),
        name,
        jvm_descriptor,
        receiver: receiver.as_ref().map(|ty| ty.null.may_be()),
        parameters: parameters.iter().map(|ty| ty.null).collect(),
        classes: receiver.iter().chain(&parameters).map(|ty| ty.class.clone()).collect(),
        arguments: receiver.into_iter().chain(parameters).map(|ty| ty.arguments).collect(),
        returns: returns.null,
        returned: returns.arguments,
        returned_class: returns.class,
        is_suspend: flags & SUSPEND != 0,
        names,
        vararg,
        optional,
        on_value: false,
        is_open: is_open(flags),
    })
}

/// Whether what has these flags is public or internal, which a test in the same module may use.
fn is_open(flags: u64) -> bool {
    matches!(flags >> 1 & 7, 0 | 3)
}

fn constructor(bytes: &[u8], names: &Names, types: &Types<'_>) -> Option<KotlinFunction> {
    let fields = fields(bytes);
    let (jvm_name, jvm_descriptor) = signature(&fields, 100, names);
    let flags = fields.iter().find(|f| f.number == 1).map_or(6, Field::int);
    let parameters = parameters(&fields, 2, types);
    let (names, vararg) = names_of(&fields, 2, names);
    // Where value classes are parameters, what the source calls is another one that the compiler made besides.
    let unmarked =
        |descriptor: String| descriptor.replace("Lkotlin/jvm/internal/DefaultConstructorMarker;)", ")");
    let jvm_descriptor = jvm_descriptor.map(unmarked);
    Some(KotlinFunction {
        name: "<init>".to_string(),
        jvm_name: jvm_name.unwrap_or_else(|| "<init>".to_string()),
        jvm_descriptor,
        parameters: parameters.iter().map(|ty| ty.null).collect(),
        classes: parameters.iter().map(|ty| ty.class.clone()).collect(),
        names,
        vararg,
        optional: optional(&fields, 2),
        is_open: is_open(flags),
        arguments: parameters.into_iter().map(|ty| ty.arguments).collect(),
        ..KotlinFunction::default()
    })
}

impl<'a> Types<'a> {
    /// The same where there are these type parameters besides.
    fn with(&self, parameters: &[Field<'_>], number: u32) -> Types<'a> {
        let mut types = self.clone();
        for parameter in parameters.iter().filter(|f| f.number == number) {
            if !takes_null(parameter.bytes, self) {
                let fields = fields(parameter.bytes);
                let told = |number: u32| fields.iter().find(|f| f.number == number).map(Field::int);
                types.strict.extend(told(1));
                types.strict_names.extend(told(2));
            }
        }
        types
    }
}

/// Whether all bounds of a type parameter have null.
fn takes_null(bytes: &[u8], types: &Types<'_>) -> bool {
    let bounds = fields(bytes);
    let mut bounds = bounds.iter().filter_map(|f| match f.number {
        5 => Some(types.read(f.bytes, 0)),
        // Numbers of bounds may stand in one field.
        6 => Some(types.numbered(varint(&mut &*f.bytes).unwrap_or(f.int()), 0)),
        _ => None,
    });
    bounds.all(|bound| bound.null.may_be())
}

/// The names of parameters, and which of them takes a variable number of arguments.
fn names_of(of: &[Field<'_>], number: u32, names: &Names) -> (Vec<String>, Option<usize>) {
    let all: Vec<Vec<Field<'_>>> =
        of.iter().filter(|f| f.number == number).map(|f| fields(f.bytes)).collect();
    let name = |inside: &Vec<Field<'_>>| {
        inside.iter().find(|f| f.number == 2).and_then(|f| names.get(f.int())).unwrap_or_default()
    };
    let vararg = all.iter().position(|inside| inside.iter().any(|f| matches!(f.number, 4 | 6)));
    (all.iter().map(name).collect(), vararg)
}

/// Of each parameter, whether it has a value where a call leaves it out.
fn optional(of: &[Field<'_>], number: u32) -> Vec<bool> {
    const HAS_DEFAULT: u64 = 1 << 1;
    let flags = |f: &Field<'_>| fields(f.bytes).iter().find(|f| f.number == 1).map_or(0, Field::int);
    of.iter().filter(|f| f.number == number).map(|f| flags(f) & HAS_DEFAULT != 0).collect()
}

fn parameters(of: &[Field<'_>], number: u32, types: &Types<'_>) -> Vec<KotlinType> {
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
    let receiver = types.find(&fields, 5, 10, 0);
    Some(KotlinProperty {
        name,
        getter: accessor(3),
        setter: accessor(4),
        receiver: receiver.as_ref().map(|ty| ty.null.may_be()),
        receiver_class: receiver.and_then(|ty| ty.class),
        nullable: ty.null,
        class: ty.class,
        arguments: ty.arguments,
        is_open: is_open(fields.iter().find(|f| f.number == 11).map_or(518, Field::int)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_message_is_no_class_and_no_panic() {
        for bytes in [&[][..], &[0xff; 20], &[3, 1, 2], &[0, 8], &[0, 0x4a, 0xff, 0xff, 0xff, 0xff, 0x0f]] {
            let _ = class_of(bytes, &["x".to_string()]);
            let _ = file_of(bytes, &[]);
        }
    }
}
