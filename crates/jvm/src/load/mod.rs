//! From bytes to a parsed class.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::string_slice
)]

pub mod annotation;
mod attributes;
mod class;
mod class_path;
mod decode;
mod descriptor;
mod error;
mod file;
mod image;
mod image_resource;
pub mod instr;
mod intern;
mod jar;
mod jdk;
pub mod module;
pub mod mutf8;
mod parse;
mod pool;
mod reader;

pub use annotation::RawAnnotations;
pub use class::{
    BootstrapMethod, ClassFile, Code, EnclosingMethod, Field, Handler, InnerClass, LocalVariable, Method,
    Parameter, RecordComponent, access,
};
pub use class_path::{ClassPath, Found, Origin};
pub use decode::mnemonic;
pub use descriptor::{FieldType, MethodType, is_class_name};
pub use error::{At, LoadError, Malformed};
pub use instr::{Bytecode, Instr};
pub use jdk::{Jdk, JdkSearch};
pub use pool::{Constant, ConstantPool, Dynamic, HandleKind, MemberRef, MethodHandle, NameAndType};
pub use reader::Slice;

/// Java 1.1.
pub const OLDEST_MAJOR: u16 = 45;
/// Java 25.
pub const NEWEST_MAJOR: u16 = 69;
