//! The `Module` attribute of `module-info` (JVMS §4.7.25).

use std::sync::Arc;

use super::pool::ConstantPool;
use super::reader::{Fault, Read, Reader};

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

pub(super) fn module(reader: &mut Reader<'_>, pool: &ConstantPool) -> Read<Module> {
    Ok(Module {
        name: module_name(reader, pool)?,
        flags: reader.u16()?,
        version: version(reader, pool)?,
        requires: reader.list(6, |reader| {
            Ok(Requires {
                module: module_name(reader, pool)?,
                flags: reader.u16()?,
                version: version(reader, pool)?,
            })
        })?,
        exports: reader.list(6, |reader| exports(reader, pool))?,
        opens: reader.list(6, |reader| exports(reader, pool))?,
        uses: reader.list(2, |reader| class_name(reader, pool))?,
        provides: reader.list(4, |reader| {
            Ok(Provides {
                service: class_name(reader, pool)?,
                with: reader.list(2, |reader| class_name(reader, pool))?,
            })
        })?,
    })
}

fn exports(reader: &mut Reader<'_>, pool: &ConstantPool) -> Read<Exports> {
    let offset = reader.pos();
    let package = pool.package(reader.u16()?).map_err(|_| wrong(offset))?.into();
    let flags = reader.u16()?;
    let to = reader.list(2, |reader| module_name(reader, pool))?;
    Ok(Exports { package, flags, to })
}

fn module_name(reader: &mut Reader<'_>, pool: &ConstantPool) -> Read<Arc<str>> {
    let offset = reader.pos();
    Ok(pool.module(reader.u16()?).map_err(|_| wrong(offset))?.into())
}

fn class_name(reader: &mut Reader<'_>, pool: &ConstantPool) -> Read<Arc<str>> {
    let offset = reader.pos();
    Ok(pool.class(reader.u16()?).map_err(|_| wrong(offset))?.into())
}

fn version(reader: &mut Reader<'_>, pool: &ConstantPool) -> Read<Option<Arc<str>>> {
    let offset = reader.pos();
    let text = pool.optional(reader.u16()?, ConstantPool::utf8).map_err(|_| wrong(offset))?;
    Ok(text.map(Into::into))
}

fn wrong(offset: usize) -> Fault {
    Fault { offset, what: "Module has a wrong constant" }
}
