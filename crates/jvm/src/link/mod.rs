//! Linking: from class files to classes with layouts, dispatch tables and resolved members.
//!
//! Linking is lazy and never fails as a whole. What is missing is a [`LinkError`], which lowering turns into code
//! that throws at the place of use, so that code which is never run never fails (JVMS §5.4).

mod class;
mod dispatch;
mod init;
mod known;
mod labels;
mod lang;
mod layout;
mod load;
mod mirror;
mod names;
mod raise;
mod resolve;
mod spelling;
mod strings;

use std::fmt;
use std::sync::Arc;

use ir::{ClassId, FuncId};

pub use class::{Body, Class, ClassKind, ClassOrigin, FieldInfo, Func, Sig, mem_type, reg_type};
pub use dispatch::{select_interface, select_special};
pub use init::InitState;
pub use known::Known;
pub use load::{SyntheticClass, SyntheticMethod};
pub use mirror::{class_of_mirror, mirror};
pub use names::signature_text;
pub use resolve::{ResolvedField, resolve_field, resolve_method};
pub use spelling::title;
pub use strings::{intern, new_string, string_units};

pub(crate) use init::initialiser;
pub(crate) use known::load_known;
pub(crate) use layout::made_field;
pub(crate) use load::{array_of, define, define_synthetic, is_subclass, load, load_type};
pub use raise::thrower;

/// Why linking failed: the error that Java throws where the class, field or method is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// Internal name of the error's class.
    pub class: &'static str,
    pub message: String,
}

impl LinkError {
    pub fn new(class: &'static str, message: impl Into<String>) -> LinkError {
        LinkError { class, message: message.into() }
    }

    /// Something we do not support; ends the run instead of throwing.
    pub fn unsupported(what: &'static str, which: impl Into<String>) -> LinkError {
        LinkError { class: what, message: which.into() }
    }

    pub(crate) fn incompatible(message: impl Into<String>) -> LinkError {
        LinkError::new("java/lang/IncompatibleClassChangeError", message)
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

impl std::error::Error for LinkError {}

/// A place whose linking is left to a native.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The class whose code it is in.
    pub class: ClassId,
    /// The method it is in.
    pub func: FuncId,
    /// Bytecode offset.
    pub pc: u32,
    pub kind: SiteKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// An `invokedynamic`: its constant-pool index.
    Call(u16),
    /// An `ldc` of a method handle, method type or dynamic constant: its constant-pool index.
    Constant(u16),
    /// A call of a signature-polymorphic method (JVMS §2.9.3).
    Polymorphic { class: ClassId, name: Arc<str>, descriptor: Arc<str> },
}
