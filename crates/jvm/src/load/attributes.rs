//! Attributes (JVMS §4.7). Unknown ones are skipped; known ones must have exactly the length they claim, and a
//! class too old to know an attribute does not have it.

use std::sync::Arc;

use super::annotation::RawAnnotations;
use super::class::{
    BootstrapMethod, Code, EnclosingMethod, Handler, InnerClass, LocalVariable, Parameter, RecordComponent,
};
use super::module::{self, Module};
use super::parse::{Input, MemberAttributes};
use super::reader::{Fault, Read, Reader, Slice};

#[derive(Default)]
pub(super) struct ClassAttributes {
    pub synthetic: bool,
    pub source_file: Option<Arc<str>>,
    pub source_debug_extension: Option<Slice>,
    pub signature: Option<Arc<str>>,
    pub inner_classes: Vec<InnerClass>,
    pub enclosing_method: Option<EnclosingMethod>,
    pub nest_host: Option<Arc<str>>,
    pub nest_members: Vec<Arc<str>>,
    pub permitted_subclasses: Option<Vec<Arc<str>>>,
    pub record: Option<Vec<RecordComponent>>,
    pub bootstrap_methods: Vec<BootstrapMethod>,
    pub annotations: Option<Box<RawAnnotations>>,
    pub module: Option<Box<Module>>,
}

pub(super) fn of_class(input: &Input, reader: &mut Reader<'_>) -> Read<ClassAttributes> {
    let mut found = ClassAttributes::default();
    let major = input.major;
    each(input, reader, |name, at| {
        match name {
            "SourceFile" => found.source_file = Some(input.text_at(at)?),
            "SourceDebugExtension" => found.source_debug_extension = Some(raw(input, at)),
            "Synthetic" => found.synthetic = true,
            "Signature" if major >= 49 => found.signature = Some(input.text_at(at)?),
            "InnerClasses" => found.inner_classes = at.list(8, |at| inner_class(input, at))?,
            "EnclosingMethod" if major >= 49 => found.enclosing_method = Some(enclosing_method(input, at)?),
            "NestHost" if major >= 55 => found.nest_host = Some(input.class_at(at)?),
            "NestMembers" if major >= 55 => found.nest_members = at.list(2, |at| input.class_at(at))?,
            "PermittedSubclasses" if major >= 60 => {
                found.permitted_subclasses = Some(at.list(2, |at| input.class_at(at))?);
            }
            "Record" if major >= 58 => found.record = Some(at.list(6, |at| record_component(input, at))?),
            "BootstrapMethods" if major >= 51 => {
                found.bootstrap_methods = at.list(4, |at| {
                    Ok(BootstrapMethod { handle: at.u16()?, args: at.list(2, Reader::u16)? })
                })?;
            }
            "Module" if major >= 53 => found.module = Some(Box::new(module::module(input, at)?)),
            _ => return annotation(input, name, at, &mut found.annotations),
        }
        Ok(true)
    })?;
    Ok(found)
}

pub(super) fn of_field(input: &Input, reader: &mut Reader<'_>) -> Read<MemberAttributes> {
    let mut found = MemberAttributes::default();
    each(input, reader, |name, at| {
        match name {
            "ConstantValue" => found.constant_value = Some(at.u16()?),
            _ => return member(input, name, at, &mut found),
        }
        Ok(true)
    })?;
    Ok(found)
}

pub(super) fn of_method(input: &Input, reader: &mut Reader<'_>) -> Read<MemberAttributes> {
    let mut found = MemberAttributes::default();
    each(input, reader, |name, at| {
        match name {
            "Code" if found.code.is_some() => return at.fault("method has two Code attributes"),
            "Code" => found.code = Some(code(input, at)?),
            "Exceptions" => found.exceptions = at.list(2, |at| input.class_at(at))?,
            "MethodParameters" if input.major >= 52 => found.parameters = Some(parameters(input, at)?),
            "AnnotationDefault" => found.annotation_default = Some(raw(input, at)),
            _ => return member(input, name, at, &mut found),
        }
        Ok(true)
    })?;
    Ok(found)
}

/// What fields, methods and record components have in common.
fn member(input: &Input, name: &str, at: &mut Reader<'_>, found: &mut MemberAttributes) -> Read<bool> {
    match name {
        "Synthetic" => found.synthetic = true,
        "Signature" if input.major >= 49 => found.signature = Some(input.text_at(at)?),
        _ => return annotation(input, name, at, &mut found.annotations),
    }
    Ok(true)
}

fn annotation(
    input: &Input,
    name: &str,
    at: &mut Reader<'_>,
    found: &mut Option<Box<RawAnnotations>>,
) -> Read<bool> {
    if !name.starts_with("Runtime") || input.major < 49 {
        return Ok(false);
    }
    let raws = found.get_or_insert_default();
    let place = match name {
        "RuntimeVisibleAnnotations" => &mut raws.visible,
        "RuntimeInvisibleAnnotations" => &mut raws.invisible,
        "RuntimeVisibleParameterAnnotations" => &mut raws.visible_parameters,
        "RuntimeInvisibleParameterAnnotations" => &mut raws.invisible_parameters,
        "RuntimeVisibleTypeAnnotations" => &mut raws.visible_types,
        "RuntimeInvisibleTypeAnnotations" => &mut raws.invisible_types,
        _ => return Ok(false),
    };
    *place = Some(raw(input, at));
    Ok(true)
}

/// Calls `visit` with each attribute's name and a reader over its content; `visit` answers whether it knows the
/// attribute, and must then have read all of it.
fn each<'a>(
    input: &Input,
    reader: &mut Reader<'a>,
    mut visit: impl FnMut(&str, &mut Reader<'a>) -> Read<bool>,
) -> Read<()> {
    let count = reader.u16()?;
    for _ in 0..count {
        let offset = reader.pos();
        let name = input.text_at(reader)?;
        let len = reader.u32()?;
        let mut content = reader.sub(len)?;
        if visit(&name, &mut content)? && content.finish().is_err() {
            return Err(Fault { offset, what: "attribute has a wrong length" });
        }
    }
    Ok(())
}

/// The whole content, unread.
fn raw(input: &Input, at: &mut Reader<'_>) -> Slice {
    let content = at.rest(&input.bytes);
    at.skip_all();
    content
}

fn inner_class(input: &Input, at: &mut Reader<'_>) -> Read<InnerClass> {
    Ok(InnerClass {
        inner: input.class_at(at)?,
        outer: input.optional_class_at(at)?,
        name: input.optional_text_at(at)?,
        access: at.u16()?,
    })
}

fn enclosing_method(input: &Input, at: &mut Reader<'_>) -> Read<EnclosingMethod> {
    Ok(EnclosingMethod { class: input.class_at(at)?, method: input.optional_name_and_type_at(at)? })
}

fn record_component(input: &Input, at: &mut Reader<'_>) -> Read<RecordComponent> {
    let start = *at;
    let name = input.text_at(at)?;
    let descriptor_index = at.u16()?;
    let descriptor = input.text(descriptor_index, start.pos())?.text;
    let Some(ty) = input.interner.field_type(&input.pool, descriptor_index) else {
        return start.fault("record component has an illegal descriptor");
    };
    let mut found = MemberAttributes::default();
    each(input, at, |name, at| member(input, name, at, &mut found))?;
    Ok(RecordComponent { name, descriptor, ty, signature: found.signature, annotations: found.annotations })
}

fn parameters(input: &Input, at: &mut Reader<'_>) -> Read<Vec<Parameter>> {
    let count = at.u8()?;
    let mut parameters = Vec::with_capacity(count.into());
    for _ in 0..count {
        parameters.push(Parameter { name: input.optional_text_at(at)?, access: at.u16()? });
    }
    Ok(parameters)
}

fn code(input: &Input, at: &mut Reader<'_>) -> Read<Code> {
    let start = *at;
    // Before 45.3 (JDK 1.0.2), the three sizes were narrower (as HotSpot still reads them); no compiler anyone
    // has today writes that.
    let max_stack = at.u16()?;
    let max_locals = at.u16()?;
    let len = at.u32()?;
    let Some(len) = u16::try_from(len).ok().filter(|len| *len > 0) else {
        return start.fault("code length is not 1 to 65535");
    };
    let bytes = at.sub(len.into())?.rest(&input.bytes);
    let handlers = at.list(8, |at| handler(at, len))?;
    let mut code = Code { max_stack, max_locals, bytes, handlers, lines: Vec::new(), locals: Vec::new() };
    each(input, at, |name, at| {
        match name {
            "LineNumberTable" => {
                let lines = at.list(4, |at| Ok((at.u16()?, at.u16()?)))?;
                // There may be several tables.
                if code.lines.is_empty() { code.lines = lines } else { code.lines.extend(lines) }
            }
            "LocalVariableTable" => code.locals.extend(at.list(10, |at| local(input, at, len))?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(code)
}

fn handler(at: &mut Reader<'_>, len: u16) -> Read<Handler> {
    let place = *at;
    let (start, end, handler, catch_type) = (at.u16()?, at.u16()?, at.u16()?, at.u16()?);
    if start >= end || end > len || handler >= len {
        return place.fault("exception handler is out of the code");
    }
    Ok(Handler { start, end, handler, catch_type: (catch_type != 0).then_some(catch_type) })
}

fn local(input: &Input, at: &mut Reader<'_>, code_len: u16) -> Read<LocalVariable> {
    let place = *at;
    let (start, len) = (at.u16()?, at.u16()?);
    if start.checked_add(len).is_none_or(|end| end > code_len) {
        return place.fault("local variable is out of the code");
    }
    let name = input.text_at(at)?;
    let name = crate::kotlin::source_variable(&name).map_or(name.clone(), Into::into);
    let descriptor = input.text_at(at)?;
    Ok(LocalVariable { start, len, name, descriptor, slot: at.u16()? })
}
