//! What the program's tables hold: classes, their fields, and functions.

use std::sync::Arc;

use ir::{ClassId, FuncId, Function, MemType, Type};
use vm::Callable;

use crate::load::{ClassFile, FieldType, Method, MethodType, access};
use crate::world::Jvm;

/// A class, interface, array or primitive type, linked: its supertypes are known, its fields have places and
/// its methods have functions.
#[derive(Clone)]
pub struct Class {
    /// Internal name (`java/lang/String`), an array's descriptor (`[I`), or a primitive's name (`int`).
    pub name: Arc<str>,
    pub kind: ClassKind,
    /// `None` for arrays, primitives and classes that lowering made up (lambdas).
    pub file: Option<Arc<ClassFile>>,
    /// `access::*`.
    pub access: u16,
    /// `None` for `java/lang/Object`, interfaces' is `java/lang/Object`, primitives have none.
    pub superclass: Option<ClassId>,
    /// The direct ones, in order.
    pub interfaces: Vec<ClassId>,
    /// Superclasses by depth, the root first and the class itself last.
    pub ancestors: Box<[ClassId]>,
    /// All interfaces it is a subtype of, itself included if it is one; ascending.
    pub all_interfaces: Box<[ClassId]>,
    /// Declared fields, static and injected ones included.
    pub fields: Vec<FieldInfo>,
    /// Size in bytes of an instance, inherited fields included.
    pub size: u32,
    /// Size in bytes of its mirror: a `java/lang/Class` instance with the static fields behind it.
    pub mirror_size: u32,
    /// Declared methods: a run of function ids, in the order of the class file.
    pub methods: std::ops::Range<u32>,
    /// What each dispatch slot calls.
    pub vtable: Vec<FuncId>,
    pub origin: ClassOrigin,
    /// Whether coverage of its methods is recorded.
    pub tracked: bool,
    /// Whether initialising it can be observed: it, a superclass or an interface with default methods has a
    /// static initialiser. What cannot be observed is not guarded.
    pub needs_init: bool,
    /// The function that initialises it, once made.
    pub(crate) initialiser: Option<FuncId>,
    /// The array class with elements of this class, once made.
    pub(crate) array: Option<ClassId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// A class or interface.
    Plain,
    /// Of elements of this class.
    Array { elem: ClassId, cell: MemType },
    /// `None` is void.
    Primitive(Option<MemType>),
}

/// Who brought a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassOrigin {
    /// The JDK.
    Library,
    /// The class path.
    User,
    /// Made by lowering or defined at run time.
    Synthetic,
}

/// A field and its place: in the object, or in the mirror if it is static.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    pub name: Arc<str>,
    pub descriptor: Arc<str>,
    pub access: u16,
    pub ty: MemType,
    pub offset: u32,
}

impl FieldInfo {
    pub fn is_static(&self) -> bool {
        self.access & access::STATIC != 0
    }
}

/// A method, or a function that lowering made up.
#[derive(Clone)]
pub struct Func {
    /// The declaring class.
    pub class: ClassId,
    pub name: Arc<str>,
    pub descriptor: Arc<str>,
    pub access: u16,
    /// The dispatch slot, [`Func::NO_SLOT`] if it is never dispatched by one.
    pub slot: u32,
    pub signature: Arc<Sig>,
    pub body: Body,
    /// Whether its coverage is recorded.
    pub tracked: bool,
    /// The code, once asked for.
    pub(crate) code: Option<Callable<Jvm>>,
}

/// Where a function's code comes from.
#[derive(Clone)]
pub enum Body {
    /// Index into the methods of the declaring class's file.
    Method(u32),
    Ir(Arc<Function>),
    /// Whatever is registered under the name, else the end of the run.
    Hook(Arc<str>),
}

impl Func {
    pub const NO_SLOT: u32 = u32::MAX;

    /// Its IR, if it was lowered before.
    pub fn lowered(&self) -> Option<&Function> {
        match &self.code {
            Some(Callable::Ir(function)) => Some(function),
            _ => None,
        }
    }

    pub fn is(&self, flags: u16) -> bool {
        self.access & flags == flags
    }

    pub fn is_static(&self) -> bool {
        self.is(access::STATIC)
    }
}

/// A method descriptor as registers: without the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sig {
    pub ty: MethodType,
    pub params: Vec<Type>,
    pub ret: Option<Type>,
}

impl Sig {
    pub fn new(ty: MethodType) -> Sig {
        let params = ty.params.iter().map(reg_type).collect();
        let ret = ty.ret.as_ref().map(reg_type);
        Sig { ty, params, ret }
    }
}

/// The register type of values of a field type.
pub fn reg_type(ty: &FieldType) -> Type {
    mem_type(ty).reg_type()
}

/// The cell type of a field or element.
pub fn mem_type(ty: &FieldType) -> MemType {
    match ty {
        FieldType::Boolean => MemType::U8,
        FieldType::Byte => MemType::I8,
        FieldType::Char => MemType::U16,
        FieldType::Short => MemType::I16,
        FieldType::Int => MemType::I32,
        FieldType::Long => MemType::I64,
        FieldType::Float => MemType::F32,
        FieldType::Double => MemType::F64,
        FieldType::Class(_) | FieldType::Array(_) => MemType::Ref,
    }
}

impl Class {
    pub fn is_interface(&self) -> bool {
        self.access & access::INTERFACE != 0 && self.kind == ClassKind::Plain
    }

    pub fn is_array(&self) -> bool {
        matches!(self.kind, ClassKind::Array { .. })
    }

    pub fn is_primitive(&self) -> bool {
        matches!(self.kind, ClassKind::Primitive(_))
    }

    /// The declared methods.
    pub fn functions(&self) -> impl Iterator<Item = FuncId> + use<> {
        self.methods.clone().map(FuncId)
    }

    /// The method of the class file that a function stands for.
    pub fn method(&self, index: u32) -> Option<&Method> {
        self.file.as_ref()?.methods.get(index as usize)
    }

    /// A declared field.
    pub fn field(&self, name: &str, descriptor: &str) -> Option<&FieldInfo> {
        self.fields.iter().find(|f| &*f.name == name && &*f.descriptor == descriptor)
    }

    /// `java/util` for `java/util/List`; empty for the unnamed package.
    pub fn package(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(package, _)| package)
    }

    /// As `Class.getName` spells it.
    pub fn java_name(&self) -> String {
        self.name.replace('/', ".")
    }
}
