//! From bytes to a [`ClassFile`]: the class structure and its members (JVMS §4.1, §4.5, §4.6).

use std::sync::Arc;

use super::annotation::RawAnnotations;
use super::attributes::{self, ClassAttributes};
use super::class::{ClassFile, Code, Field, Method, Parameter, access};
use super::descriptor::{FieldType, is_class_name};
use super::error::{At, LoadError, Malformed};
use super::intern::{Interner, Text};
use super::pool::{Constant, ConstantPool};
use super::reader::{Fault, Read, Reader, Slice, narrow};
use super::{NEWEST_MAJOR, OLDEST_MAJOR};

const MAGIC: u32 = 0xcafe_babe;

impl ClassFile {
    /// Parses a class file. Method bodies are delimited and their tables read, but instructions are decoded only
    /// by [`Method::bytecode`].
    pub fn parse(bytes: Arc<[u8]>) -> Result<ClassFile, LoadError> {
        let mut reader = Reader::new(&bytes);
        let nameless = |fault: Fault| malformed("".into(), fault);
        let (major, minor) = header(&mut reader).map_err(nameless)?;
        if !(OLDEST_MAJOR..=NEWEST_MAJOR).contains(&major) {
            // The pool's format may be one we do not know: the name is a courtesy.
            let name = ConstantPool::parse(&mut reader, &bytes)
                .and_then(|pool| class_name(&mut reader, &pool).map(|(_, name)| name))
                .unwrap_or_else(|_| "".into());
            return Err(LoadError::UnsupportedVersion { class: name, major, minor });
        }
        let mut pool = ConstantPool::parse(&mut reader, &bytes).map_err(nameless)?;
        let (access, name) = class_name(&mut reader, &pool).map_err(nameless)?;
        pool.class = name.clone();
        let input = Input { bytes: bytes.clone(), pool, name, major, interner: Interner::default() };
        match input.class(reader, minor, access) {
            Ok(class) => Ok(class),
            Err((name, fault)) => Err(malformed(name, fault).into()),
        }
    }
}

fn malformed(class: Arc<str>, fault: Fault) -> Malformed {
    Malformed { class, at: At::Offset(narrow(fault.offset)), what: fault.what }
}

fn header(reader: &mut Reader<'_>) -> Read<(u16, u16)> {
    if reader.remaining() > usize::try_from(i32::MAX).unwrap_or(usize::MAX) {
        return reader.fault("is larger than 2 GiB");
    }
    if reader.u32()? != MAGIC {
        return Err(Fault { offset: 0, what: "is not a class file: it does not begin with CAFEBABE" });
    }
    let minor = reader.u16()?;
    let major = reader.u16()?;
    Ok((major, minor))
}

fn class_name(reader: &mut Reader<'_>, pool: &ConstantPool) -> Read<(u16, Arc<str>)> {
    let access = reader.u16()?;
    let offset = reader.pos();
    match pool.class(reader.u16()?) {
        Ok(name) if is_class_name(name) => Ok((access, name.into())),
        _ => Err(Fault { offset, what: "this_class does not name a class" }),
    }
}

/// What every part of the parser needs.
pub(super) struct Input {
    pub bytes: Arc<[u8]>,
    pub pool: ConstantPool,
    pub name: Arc<str>,
    pub major: u16,
    pub interner: Interner,
}

impl Input {
    fn class(self, mut reader: Reader<'_>, minor: u16, access: u16) -> Result<ClassFile, (Arc<str>, Fault)> {
        match self.body(&mut reader) {
            Ok(body) => Ok(body.assemble(self, minor, access)),
            Err(fault) => Err((self.name, fault)),
        }
    }

    fn body(&self, reader: &mut Reader<'_>) -> Read<Body> {
        let offset = reader.pos();
        let super_name = self.optional_class_at(reader)?;
        let rootless = &*self.name == "java/lang/Object" || &*self.name == "module-info";
        if super_name.is_none() && !rootless {
            return Err(Fault { offset, what: "class has no superclass" });
        }
        if super_name.as_deref().is_some_and(|name| !is_class_name(name)) {
            return Err(Fault { offset, what: "superclass is not a class" });
        }
        let interfaces = reader.list(2, |reader| self.class_at(reader))?;
        let fields = reader.list(8, |reader| self.field(reader))?;
        let methods = reader.list(8, |reader| self.method(reader))?;
        let attributes = attributes::of_class(self, reader)?;
        reader.finish()?;
        Ok(Body { super_name, interfaces, fields, methods, attributes })
    }

    fn field(&self, reader: &mut Reader<'_>) -> Read<Field> {
        let start = *reader;
        let mut access = reader.u16()?;
        let (name, descriptor_index) = (reader.u16()?, reader.u16()?);
        let name = self.text(name, start.pos())?;
        let descriptor = self.text(descriptor_index, start.pos())?.text;
        if !name.is_member_name {
            return start.fault("field has an illegal name");
        }
        let Some(ty) = self.interner.field_type(&self.pool, descriptor_index) else {
            return start.fault("field has an illegal descriptor");
        };
        let attributes = attributes::of_field(self, reader)?;
        if attributes.synthetic {
            access |= access::SYNTHETIC;
        }
        let constant_value = attributes.constant_value.filter(|_| access & access::STATIC != 0);
        if constant_value.is_some_and(|index| !self.constant_fits(index, &ty)) {
            return start.fault("ConstantValue does not fit the field's type");
        }
        let (signature, annotations) = (attributes.signature, attributes.annotations);
        Ok(Field { access, name: name.text, descriptor, ty, constant_value, signature, annotations })
    }

    fn method(&self, reader: &mut Reader<'_>) -> Read<Method> {
        let start = *reader;
        let mut access = reader.u16()?;
        let (name, descriptor_index) = (reader.u16()?, reader.u16()?);
        let name = self.text(name, start.pos())?;
        let descriptor = self.text(descriptor_index, start.pos())?.text;
        if !name.is_method_name {
            return start.fault("method has an illegal name");
        }
        let Some(ty) = self.interner.method_type(&self.pool, descriptor_index) else {
            return start.fault("method has an illegal descriptor");
        };
        let attributes = attributes::of_method(self, reader)?;
        if attributes.synthetic {
            access |= access::SYNTHETIC;
        }
        let method = Method {
            class: self.name.clone(),
            access,
            name: name.text,
            descriptor,
            ty,
            code: attributes.code,
            exceptions: attributes.exceptions,
            signature: attributes.signature,
            parameters: attributes.parameters,
            annotations: attributes.annotations,
            annotation_default: attributes.annotation_default,
            decoded: std::sync::OnceLock::new(),
        };
        match check_code(&method) {
            Some(what) => start.fault(what),
            None => Ok(method),
        }
    }

    /// JVMS §4.7.2, table 4.7.2-A.
    fn constant_fits(&self, index: u16, ty: &FieldType) -> bool {
        match self.pool.get(index) {
            Ok(Constant::Int(_)) => matches!(
                ty,
                FieldType::Int | FieldType::Short | FieldType::Char | FieldType::Byte | FieldType::Boolean
            ),
            Ok(Constant::Float(_)) => *ty == FieldType::Float,
            Ok(Constant::Long(_)) => *ty == FieldType::Long,
            Ok(Constant::Double(_)) => *ty == FieldType::Double,
            Ok(Constant::String) => matches!(ty, FieldType::Class(name) if &**name == "java/lang/String"),
            _ => false,
        }
    }

    /// A `u16` index of a text.
    pub fn text_at(&self, reader: &mut Reader<'_>) -> Read<Arc<str>> {
        let offset = reader.pos();
        self.text(reader.u16()?, offset).map(|text| text.text)
    }

    /// A `u16` index of a text, or 0.
    pub fn optional_text_at(&self, reader: &mut Reader<'_>) -> Read<Option<Arc<str>>> {
        let offset = reader.pos();
        match reader.u16()? {
            0 => Ok(None),
            index => self.text(index, offset).map(|text| Some(text.text)),
        }
    }

    /// A `u16` index of a class.
    pub fn class_at(&self, reader: &mut Reader<'_>) -> Read<Arc<str>> {
        let offset = reader.pos();
        self.class_name(reader.u16()?, offset)
    }

    /// A `u16` index of a class, or 0.
    pub fn optional_class_at(&self, reader: &mut Reader<'_>) -> Read<Option<Arc<str>>> {
        let offset = reader.pos();
        match reader.u16()? {
            0 => Ok(None),
            index => self.class_name(index, offset).map(Some),
        }
    }

    /// A `u16` index of a module or package.
    pub fn module_at(&self, reader: &mut Reader<'_>) -> Read<Arc<str>> {
        let offset = reader.pos();
        let Ok(text) = self.pool.module_text(reader.u16()?) else {
            return Err(Fault { offset, what: "refers to a constant that is not a module or package" });
        };
        self.text(text, offset).map(|text| text.text)
    }

    /// A `u16` index of a name and type, or 0.
    pub fn optional_name_and_type_at(&self, reader: &mut Reader<'_>) -> Read<Option<(Arc<str>, Arc<str>)>> {
        let offset = reader.pos();
        let index = reader.u16()?;
        if index == 0 {
            return Ok(None);
        }
        let Ok((name, descriptor)) = self.pool.name_and_type_texts(index) else {
            return Err(Fault { offset, what: "refers to a constant that is not a name and type" });
        };
        Ok(Some((self.text(name, offset)?.text, self.text(descriptor, offset)?.text)))
    }

    pub fn text(&self, index: u16, offset: usize) -> Read<Text> {
        let text = self.interner.text(&self.pool, index);
        text.map_err(|_| Fault { offset, what: "refers to a constant that is not a text" })
    }

    fn class_name(&self, index: u16, offset: usize) -> Read<Arc<str>> {
        let Ok(text) = self.pool.class_text(index) else {
            return Err(Fault { offset, what: "refers to a constant that is not a class" });
        };
        self.text(text, offset).map(|text| text.text)
    }
}

/// Code is there exactly when it must be, and has room for the arguments.
fn check_code(method: &Method) -> Option<&'static str> {
    let bodiless = method.access & (access::NATIVE | access::ABSTRACT) != 0;
    match &method.code {
        Some(_) if bodiless => Some("native or abstract method has code"),
        None if !bodiless => Some("method has no code and is neither native nor abstract"),
        Some(code) if code.max_locals < method.arg_slots() => Some("arguments do not fit max_locals"),
        _ => None,
    }
}

struct Body {
    super_name: Option<Arc<str>>,
    interfaces: Vec<Arc<str>>,
    fields: Vec<Field>,
    methods: Vec<Method>,
    attributes: ClassAttributes,
}

impl Body {
    fn assemble(self, input: Input, minor: u16, access: u16) -> ClassFile {
        let attributes = self.attributes;
        let synthetic = if attributes.synthetic { access::SYNTHETIC } else { 0 };
        ClassFile {
            major: input.major,
            minor,
            access: access | synthetic,
            name: input.name,
            super_name: self.super_name,
            interfaces: self.interfaces,
            fields: self.fields,
            methods: self.methods,
            pool: input.pool,
            source_file: attributes.source_file,
            source_debug_extension: attributes.source_debug_extension,
            signature: attributes.signature,
            inner_classes: attributes.inner_classes,
            enclosing_method: attributes.enclosing_method,
            nest_host: attributes.nest_host,
            nest_members: attributes.nest_members,
            permitted_subclasses: attributes.permitted_subclasses,
            record: attributes.record,
            bootstrap_methods: attributes.bootstrap_methods,
            annotations: attributes.annotations,
            module: attributes.module,
            bytes: input.bytes,
        }
    }
}

/// What the attributes of a field or method say; each parser fills its part.
#[derive(Default)]
pub(super) struct MemberAttributes {
    pub synthetic: bool,
    pub signature: Option<Arc<str>>,
    pub annotations: Option<Box<RawAnnotations>>,
    pub constant_value: Option<u16>,
    pub code: Option<Code>,
    pub exceptions: Vec<Arc<str>>,
    pub parameters: Option<Vec<Parameter>>,
    pub annotation_default: Option<Slice>,
}
