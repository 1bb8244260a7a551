//! From bytes to a parsed class.
//!
//! Comes in: a JDK's home, and the user's directories and jars. Goes out: immutable [`ClassFile`]s, and bytecode
//! decoded on demand. It deliberately does not know linking, field layout, heap objects, or what an instruction
//! does; it never runs anything and reads no environment variable.
//!
//! # Use
//!
//! ```no_run
//! # use jvm::load::*;
//! # use std::{path::PathBuf, sync::Arc};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let search = JdkSearch { explicit: Some("/usr/lib/jvm/java-17-openjdk-amd64".into()), ..JdkSearch::default() };
//! let jdk = Arc::new(Jdk::locate(&search)?);
//! let path = ClassPath::new(jdk, &[PathBuf::from("target/classes")])?;
//! if let Some((class, origin)) = path.load("com/acme/Calc")? {
//!     for method in &class.methods {
//!         let Some(bytecode) = method.bytecode()? else { continue }; // native or abstract
//!         for (pc, instr) in &bytecode.instrs {
//!             if let Instr::InvokeVirtual(cp) = instr {
//!                 let MemberRef { class, name, descriptor, .. } = class.pool.method(*cp)?;
//!                 println!("{origin:?} {pc}: {class}.{name}{descriptor}");
//!             }
//!         }
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Where to look
//!
//! * [`Jdk`], [`JdkSearch`], [`ClassPath`], [`Origin`]: finding bytes. Both stores are `Send + Sync`, cache nothing
//!   and answer `Ok(None)` for what is not there; an error always names the file.
//! * [`ClassFile`], [`Field`], [`Method`], [`Code`], [`access`]: the class, plain public data. Names are internal
//!   (`java/lang/String`), shared `Arc<str>`s.
//! * [`ConstantPool`]: typed accessors that borrow from the class; [`Constant`] for `ldc` and bootstrap arguments.
//! * [`FieldType`], [`MethodType`]: parsed descriptors.
//! * [`Bytecode`], [`instr`]: decoded code. Decoding is not kept: whoever lowers a method does it once.
//! * [`annotation`]: raw for reflection, parsed on demand.
//! * [`LoadError`], [`Malformed`]: whose fault it is, and where.
//!
//! # What parsing guarantees, and what not
//!
//! Parsed: names and descriptors of members are legal, `ConstantValue`s fit their fields, code is there exactly
//! when it must be and has room for the arguments, handlers lie within the code. Decoded: every branch target and
//! handler is the start of an instruction, locals are below `max_locals`, the last instruction does not fall
//! through. *Not* checked: operand types and stack depth (that is verification), the kind of constant an
//! instruction refers to (the pool's accessors do, when asked), bootstrap indices, cycles of dynamic constants.
//!
//! Hostile bytes give an error, in time and memory linear in their size: no recursion but annotations (bounded),
//! counts allocate no more than the bytes can fill, texts are interned, jar entries and image resources are capped.
//!
//! # Why our own parser
//!
//! Lowering wants pool entries borrowed rather than copied, code undecoded until needed, instructions in families,
//! lone surrogates intact, and defects with their place, and nothing here may panic on hostile bytes: having that
//! exactly so was worth the two thousand lines more than fitting another crate's model to it. A thousand classes are read and parsed in about 40 ms, all of java.base decoded in 0.3 s. The
//! image is read at positions instead of mapped, see `file.rs`. Jars are the `zip` crate's.

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
mod smap;

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
pub use smap::CallSites;

/// Java 1.1.
pub const OLDEST_MAJOR: u16 = 45;
/// Java 25.
pub const NEWEST_MAJOR: u16 = 69;
