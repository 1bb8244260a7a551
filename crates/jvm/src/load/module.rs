//! The `Module` attribute of `module-info` (JVMS §4.7.25).

use std::sync::Arc;

use super::parse::Input;
use super::reader::{Read, Reader};

#[derive(Clone, Debug)]
pub struct Module {
    pub name: Arc<str>,
    pub flags: u16,
    pub version: Option<Arc<str>>,
    pub requires: Vec<Requires>,
    pub exports: Vec<Exports>,
    /// Same shape as exports.
    pub opens: Vec<Exports>,
    /// Service interfaces, internal names.
    pub uses: Vec<Arc<str>>,
    pub provides: Vec<Provides>,
}

#[derive(Clone, Debug)]
pub struct Requires {
    pub module: Arc<str>,
    pub flags: u16,
    pub version: Option<Arc<str>>,
}

/// A package to everybody (`to` empty) or to some modules.
#[derive(Clone, Debug)]
pub struct Exports {
    /// `java/lang`.
    pub package: Arc<str>,
    pub flags: u16,
    pub to: Vec<Arc<str>>,
}

#[derive(Clone, Debug)]
pub struct Provides {
    pub service: Arc<str>,
    pub with: Vec<Arc<str>>,
}

pub(super) fn module(input: &Input, reader: &mut Reader<'_>) -> Read<Module> {
    Ok(Module {
        name: input.module_at(reader)?,
        flags: reader.u16()?,
        version: input.optional_text_at(reader)?,
        requires: reader.list(6, |reader| {
            Ok(Requires {
                module: input.module_at(reader)?,
                flags: reader.u16()?,
                version: input.optional_text_at(reader)?,
            })
        })?,
        exports: reader.list(6, |reader| exports(input, reader))?,
        opens: reader.list(6, |reader| exports(input, reader))?,
        uses: reader.list(2, |reader| input.class_at(reader))?,
        provides: reader.list(4, |reader| {
            Ok(Provides {
                service: input.class_at(reader)?,
                with: reader.list(2, |reader| input.class_at(reader))?,
            })
        })?,
    })
}

fn exports(input: &Input, reader: &mut Reader<'_>) -> Read<Exports> {
    Ok(Exports {
        package: input.module_at(reader)?,
        flags: reader.u16()?,
        to: reader.list(2, |reader| input.module_at(reader))?,
    })
}
