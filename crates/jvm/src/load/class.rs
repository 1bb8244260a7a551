//! The parsed class: plain data, immutable after parsing.

use std::sync::{Arc, OnceLock};

use super::annotation::RawAnnotations;
use super::descriptor::{FieldType, MethodType};
use super::error::Malformed;
use super::instr::Bytecode;
use super::module::Module;
use super::pool::{Constant, ConstantPool};
use super::reader::Slice;
use super::smap::CallSites;

/// One class, interface, or `module-info`.
#[derive(Clone, Debug)]
pub struct ClassFile {
    pub major: u16,
    pub minor: u16,
    /// `access::*`; `SYNTHETIC` also when only the attribute said so.
    pub access: u16,
    /// Internal name, `java/lang/String`.
    pub name: Arc<str>,
    /// `None` for `java/lang/Object` and `module-info` only.
    pub super_name: Option<Arc<str>>,
    pub interfaces: Vec<Arc<str>>,
    pub fields: Vec<Field>,
    pub methods: Vec<Method>,
    pub pool: ConstantPool,
    pub source_file: Option<Arc<str>>,
    /// JSR-45 `SourceDebugExtension` (Kotlin inlining), raw modified UTF-8.
    pub source_debug_extension: Option<Slice>,
    /// Generic signature, unparsed.
    pub signature: Option<Arc<str>>,
    pub inner_classes: Vec<InnerClass>,
    pub enclosing_method: Option<EnclosingMethod>,
    pub nest_host: Option<Arc<str>>,
    pub nest_members: Vec<Arc<str>>,
    /// `Some` for a sealed class.
    pub permitted_subclasses: Option<Vec<Arc<str>>>,
    /// `Some` for a record.
    pub record: Option<Vec<RecordComponent>>,
    pub bootstrap_methods: Vec<BootstrapMethod>,
    pub annotations: Option<Box<RawAnnotations>>,
    pub module: Option<Box<Module>>,
    /// The whole class file.
    pub bytes: Arc<[u8]>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub access: u16,
    pub name: Arc<str>,
    pub descriptor: Arc<str>,
    pub ty: FieldType,
    /// `ConstantValue` of a static field: a pool index whose constant fits the type. Others are `None`, as the
    /// JVM ignores them.
    pub constant_value: Option<u16>,
    pub signature: Option<Arc<str>>,
    pub annotations: Option<Box<RawAnnotations>>,
}

#[derive(Clone, Debug)]
pub struct Method {
    /// The declaring class, for messages.
    pub class: Arc<str>,
    pub access: u16,
    pub name: Arc<str>,
    pub descriptor: Arc<str>,
    /// Shared by the class's methods of the same descriptor.
    pub ty: Arc<MethodType>,
    /// Present unless the method is native or abstract.
    pub code: Option<Code>,
    /// The `throws` clause.
    pub exceptions: Vec<Arc<str>>,
    pub signature: Option<Arc<str>>,
    /// `MethodParameters`; `None` when absent.
    pub parameters: Option<Vec<Parameter>>,
    pub annotations: Option<Box<RawAnnotations>>,
    /// `AnnotationDefault`, raw; parsed by [`super::annotation::default_value`].
    pub annotation_default: Option<Slice>,
    /// What [`Method::bytecode`] found.
    pub(super) decoded: OnceLock<Option<Bytecode>>,
}

#[derive(Clone, Debug)]
pub struct Code {
    pub max_stack: u16,
    pub max_locals: u16,
    /// The bytecode, 1 to 65535 bytes. Decode by [`Method::bytecode`].
    pub bytes: Slice,
    /// In search order. `start < end <= len`; that they lie on instructions is checked when decoding.
    pub handlers: Vec<Handler>,
    /// `(start pc, line)` in file order; tables may be unsorted and may repeat lines.
    pub lines: Vec<(u16, u16)>,
    pub locals: Vec<LocalVariable>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First pc covered.
    pub start: u16,
    /// First pc not covered.
    pub end: u16,
    pub handler: u16,
    /// A pool index of a class; `None` catches everything.
    pub catch_type: Option<u16>,
}

#[derive(Clone, Debug)]
pub struct LocalVariable {
    /// Has a value from here …
    pub start: u16,
    /// … for this many bytes.
    pub len: u16,
    pub name: Arc<str>,
    pub descriptor: Arc<str>,
    pub slot: u16,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Option<Arc<str>>,
    pub access: u16,
}

#[derive(Clone, Debug)]
pub struct InnerClass {
    pub inner: Arc<str>,
    /// `None` for local and anonymous classes.
    pub outer: Option<Arc<str>>,
    /// Simple name; `None` for anonymous classes.
    pub name: Option<Arc<str>>,
    pub access: u16,
}

#[derive(Clone, Debug)]
pub struct EnclosingMethod {
    pub class: Arc<str>,
    /// Name and descriptor; `None` in an initialiser.
    pub method: Option<(Arc<str>, Arc<str>)>,
}

#[derive(Clone, Debug)]
pub struct BootstrapMethod {
    /// Pool index of a method handle.
    pub handle: u16,
    /// Pool indices of loadable constants.
    pub args: Vec<u16>,
}

#[derive(Clone, Debug)]
pub struct RecordComponent {
    pub name: Arc<str>,
    pub descriptor: Arc<str>,
    pub ty: FieldType,
    pub signature: Option<Arc<str>>,
    pub annotations: Option<Box<RawAnnotations>>,
}

impl ClassFile {
    pub fn is(&self, flags: u16) -> bool {
        self.access & flags == flags
    }

    /// Where code was called that the compiler copied from inline functions.
    pub fn call_sites(&self) -> Option<CallSites> {
        let bytes = self.source_debug_extension.as_ref().filter(|_| self.is_kotlin())?;
        Some(CallSites::parse(&String::from_utf8_lossy(bytes)))
    }

    /// Whether its source is a Kotlin file.
    pub fn is_kotlin(&self) -> bool {
        self.source_file.as_deref().is_some_and(|source| source.ends_with(".kt"))
    }

    pub fn method(&self, name: &str, descriptor: &str) -> Option<&Method> {
        self.methods.iter().find(|method| &*method.name == name && &*method.descriptor == descriptor)
    }

    pub fn field(&self, name: &str, descriptor: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name && &*field.descriptor == descriptor)
    }

    /// The initial value of a static field, where the class file gives one.
    pub fn constant_value(&self, field: &Field) -> Result<Option<Constant<'_>>, Malformed> {
        field.constant_value.map(|index| self.pool.get(index)).transpose()
    }

    /// The flags `Class.getModifiers` shows: of the own `InnerClasses` entry where there is one (JVMS §4.7.6),
    /// without `SUPER`.
    pub fn modifiers(&self) -> u16 {
        let own = self.inner_classes.iter().find(|inner| inner.inner == self.name);
        own.map_or(self.access, |inner| inner.access) & !access::SUPER
    }
}

impl Method {
    pub fn is(&self, flags: u16) -> bool {
        self.access & flags == flags
    }

    pub fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }

    pub fn is_class_initializer(&self) -> bool {
        &*self.name == "<clinit>" && &*self.descriptor == "()V"
    }

    /// Local slots the arguments take, receiver included.
    pub fn arg_slots(&self) -> u16 {
        let receiver = u16::from(!self.is(access::STATIC));
        self.ty.param_slots().saturating_add(receiver)
    }

    /// The decoded, validated code; `None` for native and abstract methods. It is kept: code of the program is looked at
    /// again and again.
    pub fn bytecode(&self) -> Result<Option<&Bytecode>, Malformed> {
        if let Some(known) = self.decoded.get() {
            return Ok(known.as_ref());
        }
        let decoded = self.decode()?;
        Ok(self.decoded.get_or_init(|| decoded).as_ref())
    }

    /// The same for those who look at it once: it is not kept.
    pub fn decode(&self) -> Result<Option<Bytecode>, Malformed> {
        self.code.as_ref().map(|code| super::decode::decode(self, code)).transpose()
    }
}

impl Code {
    /// The source line of a pc: that of the nearest entry at or before it.
    pub fn line(&self, pc: u16) -> Option<u16> {
        let before = self.lines.iter().filter(|(start, _)| *start <= pc);
        before.max_by_key(|(start, _)| *start).map(|(_, line)| *line)
    }

    /// The source variable that a local slot holds at a pc.
    pub fn local(&self, slot: u16, pc: u16) -> Option<&LocalVariable> {
        self.locals.iter().find(|local| {
            local.slot == slot && pc.checked_sub(local.start).is_some_and(|into| into < local.len)
        })
    }
}

/// Access and property flags (JVMS tables 4.1-B, 4.5-A, 4.6-A, 4.7.6-A).
pub mod access {
    pub const PUBLIC: u16 = 0x0001;
    pub const PRIVATE: u16 = 0x0002;
    pub const PROTECTED: u16 = 0x0004;
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    /// Of a class.
    pub const SUPER: u16 = 0x0020;
    /// Of a method.
    pub const SYNCHRONIZED: u16 = 0x0020;
    /// Of a field.
    pub const VOLATILE: u16 = 0x0040;
    /// Of a method.
    pub const BRIDGE: u16 = 0x0040;
    /// Of a field.
    pub const TRANSIENT: u16 = 0x0080;
    /// Of a method.
    pub const VARARGS: u16 = 0x0080;
    /// Of a method.
    pub const NATIVE: u16 = 0x0100;
    /// Of a class.
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    /// Of a method.
    pub const STRICT: u16 = 0x0800;
    pub const SYNTHETIC: u16 = 0x1000;
    /// Of a class.
    pub const ANNOTATION: u16 = 0x2000;
    pub const ENUM: u16 = 0x4000;
    /// Of a class file.
    pub const MODULE: u16 = 0x8000;
    /// Of a parameter.
    pub const MANDATED: u16 = 0x8000;
}
