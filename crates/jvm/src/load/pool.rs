//! The constant pool (JVMS §4.4).
//!
//! Parsing checks tags and texts; what an entry refers to is checked when it is asked for, so a wrong
//! reference costs only whoever uses it. Entries refer to each other by kind (a class to a text, a member to a
//! class and a name-and-type), so a chain has at most four links and cannot be cyclic. Only the arguments of
//! `CONSTANT_Dynamic` bootstraps can form a cycle; they are indices, followed by whoever links them.

use std::sync::Arc;

use super::error::{At, Malformed};
use super::mutf8;
use super::reader::{Read, Reader, narrow};

/// A constant with its references followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant<'a> {
    /// A text; its value by [`ConstantPool::utf8`].
    Utf8,
    Int(i32),
    /// A NaN's payload is kept.
    Float(f32),
    Long(i64),
    Double(f64),
    /// Internal name or array descriptor.
    Class(&'a str),
    /// A string; its value by [`ConstantPool::string`].
    String,
    Field(MemberRef<'a>),
    Method(MemberRef<'a>),
    NameAndType(NameAndType<'a>),
    MethodHandle(MethodHandle<'a>),
    /// A method descriptor.
    MethodType(&'a str),
    Dynamic(Dynamic<'a>),
    InvokeDynamic(Dynamic<'a>),
    Module(&'a str),
    Package(&'a str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameAndType<'a> {
    pub name: &'a str,
    pub descriptor: &'a str,
}

/// A symbolic reference to a field or method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberRef<'a> {
    /// Internal name; an array descriptor is possible for methods (`[I.clone()`).
    pub class: &'a str,
    pub name: &'a str,
    pub descriptor: &'a str,
    /// It was an interface method reference.
    pub interface: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodHandle<'a> {
    pub kind: HandleKind,
    pub member: MemberRef<'a>,
}

/// `reference_kind` (JVMS table 5.4.3.5-A); the discriminant is the number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum HandleKind {
    GetField = 1,
    GetStatic = 2,
    PutField = 3,
    PutStatic = 4,
    InvokeVirtual = 5,
    InvokeStatic = 6,
    InvokeSpecial = 7,
    NewInvokeSpecial = 8,
    InvokeInterface = 9,
}

/// A dynamically computed constant or call site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dynamic<'a> {
    /// Index into [`ClassFile::bootstrap_methods`](super::ClassFile::bootstrap_methods), not checked here.
    pub bootstrap: u16,
    pub name: &'a str,
    /// A field descriptor for a constant, a method descriptor for a call site.
    pub descriptor: &'a str,
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    /// Index 0, and the index after a long or double.
    Unusable,
    /// Standard UTF-8 in the class's bytes.
    Utf8 {
        start: u32,
        len: u16,
    },
    /// A text that only modified UTF-8 can spell; an index into `texts`.
    Text(u32),
    Int(i32),
    Float(u32),
    Long(i64),
    Double(u64),
    Class(u16),
    String(u16),
    Field(u16, u16),
    Method(u16, u16),
    InterfaceMethod(u16, u16),
    NameAndType(u16, u16),
    MethodHandle(u8, u16),
    MethodType(u16),
    Dynamic(u16, u16),
    InvokeDynamic(u16, u16),
    Module(u16),
    Package(u16),
}

#[derive(Clone, Debug)]
struct Text {
    units: Vec<u16>,
    /// `None` when there are lone surrogates.
    text: Option<Box<str>>,
}

#[derive(Clone, Debug)]
pub struct ConstantPool {
    bytes: Arc<[u8]>,
    entries: Vec<Entry>,
    texts: Vec<Text>,
    /// Whose pool it is, for messages.
    pub(super) class: Arc<str>,
}

type Got<T> = Result<T, Malformed>;

impl ConstantPool {
    pub(super) fn parse(reader: &mut Reader<'_>, bytes: &Arc<[u8]>) -> Read<ConstantPool> {
        let count = usize::from(reader.u16()?);
        if count == 0 {
            return reader.fault("constant pool has no entry 0");
        }
        // The smallest entry has three bytes.
        let fits = reader.remaining().checked_div(3).unwrap_or(0).saturating_add(1);
        let mut entries = Vec::with_capacity(count.min(fits));
        let mut texts = Vec::new();
        entries.push(Entry::Unusable);
        while entries.len() < count {
            let entry = entry(reader, &mut texts)?;
            entries.push(entry);
            if matches!(entry, Entry::Long(_) | Entry::Double(_)) {
                entries.push(Entry::Unusable);
            }
        }
        if entries.len() > count {
            return reader.fault("last constant needs two entries and has one");
        }
        Ok(ConstantPool { bytes: bytes.clone(), entries, texts, class: "".into() })
    }

    /// `constant_pool_count`: valid indices are below it.
    pub fn len(&self) -> u16 {
        u16::try_from(self.entries.len()).unwrap_or(u16::MAX)
    }

    /// True when only entry 0 is there.
    pub fn is_empty(&self) -> bool {
        self.entries.len() <= 1
    }

    /// Any constant.
    pub fn get(&self, index: u16) -> Got<Constant<'_>> {
        Ok(match self.entry(index) {
            Entry::Unusable => return self.wrong(index, "index is not valid"),
            Entry::Utf8 { .. } | Entry::Text(_) => Constant::Utf8,
            Entry::Int(value) => Constant::Int(value),
            Entry::Float(bits) => Constant::Float(f32::from_bits(bits)),
            Entry::Long(value) => Constant::Long(value),
            Entry::Double(bits) => Constant::Double(f64::from_bits(bits)),
            Entry::Class(name) => Constant::Class(self.utf8(name)?),
            Entry::String(_) => Constant::String,
            Entry::Field(..) => Constant::Field(self.field(index)?),
            Entry::Method(..) | Entry::InterfaceMethod(..) => Constant::Method(self.method(index)?),
            Entry::NameAndType(..) => Constant::NameAndType(self.name_and_type(index)?),
            Entry::MethodHandle(..) => Constant::MethodHandle(self.method_handle(index)?),
            Entry::MethodType(descriptor) => Constant::MethodType(self.utf8(descriptor)?),
            Entry::Dynamic(..) => Constant::Dynamic(self.dynamic(index)?),
            Entry::InvokeDynamic(..) => Constant::InvokeDynamic(self.invoke_dynamic(index)?),
            Entry::Module(name) => Constant::Module(self.utf8(name)?),
            Entry::Package(name) => Constant::Package(self.utf8(name)?),
        })
    }

    /// A name or descriptor. A text with lone surrogates is an error here: none of ours can be spelled so.
    pub fn utf8(&self, index: u16) -> Got<&str> {
        let text = match self.entry(index) {
            Entry::Utf8 { .. } => self.raw(index).and_then(|bytes| std::str::from_utf8(bytes).ok()),
            Entry::Text(at) => self.text(at).and_then(|text| text.text.as_deref()),
            _ => return self.wrong(index, "is not a text"),
        };
        text.map_or_else(|| self.wrong(index, "is not a name: it has unpaired surrogates"), Ok)
    }

    /// Any text as UTF-16 code units, lone surrogates included.
    pub fn utf16(&self, index: u16) -> Got<Vec<u16>> {
        match self.entry(index) {
            Entry::Text(at) => self
                .text(at)
                .map_or_else(|| self.wrong(index, "is not a text"), |text| Ok(text.units.clone())),
            _ => self.utf8(index).map(|text| text.encode_utf16().collect()),
        }
    }

    /// The value of a `CONSTANT_String` as UTF-16 code units, lone surrogates included.
    pub fn string(&self, index: u16) -> Got<Vec<u16>> {
        match self.entry(index) {
            Entry::String(text) => self.utf16(text),
            _ => self.wrong(index, "is not a string"),
        }
    }

    /// A class's internal name, or an array's descriptor.
    pub fn class(&self, index: u16) -> Got<&str> {
        match self.entry(index) {
            Entry::Class(name) => self.utf8(name),
            _ => self.wrong(index, "is not a class"),
        }
    }

    /// The index of the text that names a class, for interning.
    pub(super) fn class_text(&self, index: u16) -> Got<u16> {
        match self.entry(index) {
            Entry::Class(name) => Ok(name),
            _ => self.wrong(index, "is not a class"),
        }
    }

    /// As `class_text`, of a module or package.
    pub(super) fn module_text(&self, index: u16) -> Got<u16> {
        match self.entry(index) {
            Entry::Module(name) | Entry::Package(name) => Ok(name),
            _ => self.wrong(index, "is not a module or package"),
        }
    }

    /// As `class_text`, of a name and a descriptor.
    pub(super) fn name_and_type_texts(&self, index: u16) -> Got<(u16, u16)> {
        match self.entry(index) {
            Entry::NameAndType(name, descriptor) => Ok((name, descriptor)),
            _ => self.wrong(index, "is not a name and type"),
        }
    }

    pub fn int(&self, index: u16) -> Got<i32> {
        match self.entry(index) {
            Entry::Int(value) => Ok(value),
            _ => self.wrong(index, "is not an int"),
        }
    }

    pub fn float(&self, index: u16) -> Got<f32> {
        match self.entry(index) {
            Entry::Float(bits) => Ok(f32::from_bits(bits)),
            _ => self.wrong(index, "is not a float"),
        }
    }

    pub fn long(&self, index: u16) -> Got<i64> {
        match self.entry(index) {
            Entry::Long(value) => Ok(value),
            _ => self.wrong(index, "is not a long"),
        }
    }

    pub fn double(&self, index: u16) -> Got<f64> {
        match self.entry(index) {
            Entry::Double(bits) => Ok(f64::from_bits(bits)),
            _ => self.wrong(index, "is not a double"),
        }
    }

    pub fn name_and_type(&self, index: u16) -> Got<NameAndType<'_>> {
        match self.entry(index) {
            Entry::NameAndType(name, descriptor) => {
                Ok(NameAndType { name: self.utf8(name)?, descriptor: self.utf8(descriptor)? })
            }
            _ => self.wrong(index, "is not a name and type"),
        }
    }

    pub fn field(&self, index: u16) -> Got<MemberRef<'_>> {
        match self.entry(index) {
            Entry::Field(class, member) => self.member(class, member, false),
            _ => self.wrong(index, "is not a field reference"),
        }
    }

    /// A method of a class or of an interface; `interface` tells which.
    pub fn method(&self, index: u16) -> Got<MemberRef<'_>> {
        match self.entry(index) {
            Entry::Method(class, member) => self.member(class, member, false),
            Entry::InterfaceMethod(class, member) => self.member(class, member, true),
            _ => self.wrong(index, "is not a method reference"),
        }
    }

    /// All methods that the class names.
    pub fn methods(&self) -> impl Iterator<Item = MemberRef<'_>> {
        self.entries.iter().filter_map(|entry| match *entry {
            Entry::Method(class, member) => self.member(class, member, false).ok(),
            Entry::InterfaceMethod(class, member) => self.member(class, member, true).ok(),
            _ => None,
        })
    }

    pub fn method_handle(&self, index: u16) -> Got<MethodHandle<'_>> {
        let Entry::MethodHandle(kind, member) = self.entry(index) else {
            return self.wrong(index, "is not a method handle");
        };
        let Some(kind) = HandleKind::from_number(kind) else {
            return self.wrong(index, "has an unknown method handle kind");
        };
        let member = if kind.is_field() { self.field(member)? } else { self.method(member)? };
        Ok(MethodHandle { kind, member })
    }

    /// The descriptor of a `CONSTANT_MethodType`.
    pub fn method_type(&self, index: u16) -> Got<&str> {
        match self.entry(index) {
            Entry::MethodType(descriptor) => self.utf8(descriptor),
            _ => self.wrong(index, "is not a method type"),
        }
    }

    /// A `CONSTANT_Dynamic`.
    pub fn dynamic(&self, index: u16) -> Got<Dynamic<'_>> {
        match self.entry(index) {
            Entry::Dynamic(bootstrap, member) => self.bootstrapped(bootstrap, member),
            _ => self.wrong(index, "is not a dynamic constant"),
        }
    }

    /// A `CONSTANT_InvokeDynamic`.
    pub fn invoke_dynamic(&self, index: u16) -> Got<Dynamic<'_>> {
        match self.entry(index) {
            Entry::InvokeDynamic(bootstrap, member) => self.bootstrapped(bootstrap, member),
            _ => self.wrong(index, "is not a dynamic call site"),
        }
    }

    pub fn module(&self, index: u16) -> Got<&str> {
        match self.entry(index) {
            Entry::Module(name) => self.utf8(name),
            _ => self.wrong(index, "is not a module"),
        }
    }

    pub fn package(&self, index: u16) -> Got<&str> {
        match self.entry(index) {
            Entry::Package(name) => self.utf8(name),
            _ => self.wrong(index, "is not a package"),
        }
    }

    fn member(&self, class: u16, member: u16, interface: bool) -> Got<MemberRef<'_>> {
        let NameAndType { name, descriptor } = self.name_and_type(member)?;
        Ok(MemberRef { class: self.class(class)?, name, descriptor, interface })
    }

    fn bootstrapped(&self, bootstrap: u16, member: u16) -> Got<Dynamic<'_>> {
        let NameAndType { name, descriptor } = self.name_and_type(member)?;
        Ok(Dynamic { bootstrap, name, descriptor })
    }

    fn entry(&self, index: u16) -> Entry {
        self.entries.get(usize::from(index)).copied().unwrap_or(Entry::Unusable)
    }

    fn raw(&self, index: u16) -> Option<&[u8]> {
        let Entry::Utf8 { start, len } = self.entry(index) else { return None };
        let start = usize::try_from(start).ok()?;
        self.bytes.get(start..start.checked_add(usize::from(len))?)
    }

    fn text(&self, at: u32) -> Option<&Text> {
        self.texts.get(usize::try_from(at).ok()?)
    }

    fn wrong<T>(&self, index: u16, what: &'static str) -> Got<T> {
        Err(Malformed { class: self.class.clone(), at: At::Constant(index), what })
    }
}

impl HandleKind {
    pub fn from_number(number: u8) -> Option<HandleKind> {
        use HandleKind::*;
        let kinds = [
            GetField,
            GetStatic,
            PutField,
            PutStatic,
            InvokeVirtual,
            InvokeStatic,
            InvokeSpecial,
            NewInvokeSpecial,
            InvokeInterface,
        ];
        kinds.get(usize::from(number).checked_sub(1)?).copied()
    }

    pub fn is_field(self) -> bool {
        use HandleKind::*;
        matches!(self, GetField | GetStatic | PutField | PutStatic)
    }
}

fn entry(reader: &mut Reader<'_>, texts: &mut Vec<Text>) -> Read<Entry> {
    let start = *reader;
    Ok(match reader.u8()? {
        1 => {
            let len = reader.u16()?;
            let at = reader.pos();
            text(start, reader.bytes(usize::from(len))?, at, len, texts)?
        }
        3 => Entry::Int(reader.i32()?),
        4 => Entry::Float(reader.u32()?),
        5 => Entry::Long(reader.u64()?.cast_signed()),
        6 => Entry::Double(reader.u64()?),
        7 => Entry::Class(reader.u16()?),
        8 => Entry::String(reader.u16()?),
        9 => Entry::Field(reader.u16()?, reader.u16()?),
        10 => Entry::Method(reader.u16()?, reader.u16()?),
        11 => Entry::InterfaceMethod(reader.u16()?, reader.u16()?),
        12 => Entry::NameAndType(reader.u16()?, reader.u16()?),
        15 => Entry::MethodHandle(reader.u8()?, reader.u16()?),
        16 => Entry::MethodType(reader.u16()?),
        17 => Entry::Dynamic(reader.u16()?, reader.u16()?),
        18 => Entry::InvokeDynamic(reader.u16()?, reader.u16()?),
        19 => Entry::Module(reader.u16()?),
        20 => Entry::Package(reader.u16()?),
        _ => return start.fault("unknown constant tag"),
    })
}

fn text(start: Reader<'_>, bytes: &[u8], at: usize, len: u16, texts: &mut Vec<Text>) -> Read<Entry> {
    let in_place = Entry::Utf8 { start: narrow(at), len };
    if mutf8::is_plain(bytes) {
        return Ok(in_place);
    }
    let Some(units) = mutf8::decode(bytes) else {
        return start.fault("text is not modified UTF-8");
    };
    // The decoder refuses NUL and four-byte forms, so what is also UTF-8 reads the same both ways.
    if std::str::from_utf8(bytes).is_ok() {
        return Ok(in_place);
    }
    let text = String::from_utf16(&units).ok().map(String::into_boxed_str);
    let index = narrow(texts.len());
    texts.push(Text { units, text });
    Ok(Entry::Text(index))
}
