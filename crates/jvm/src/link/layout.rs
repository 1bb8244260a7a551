//! Where fields lie: natural alignment, wide ones first, behind those of the superclass.
//!
//! Sizes are whole words: `Unsafe` exchanges a byte by exchanging the word around it.

use std::sync::Arc;

use ir::MemType;

use super::class::{FieldInfo, mem_type};
use super::known::INJECTED;
use crate::load::{ClassFile, access};

const WORD: u32 = 8;

/// Places for a class's fields: the fields, the size of an instance, the size of the mirror.
pub(super) fn layout(file: &ClassFile, super_size: u32, mirror_base: u32) -> (Vec<FieldInfo>, u32, u32) {
    let mut fields: Vec<FieldInfo> = file
        .fields
        .iter()
        .map(|field| FieldInfo {
            name: field.name.clone(),
            descriptor: field.descriptor.clone(),
            access: field.access,
            ty: mem_type(&field.ty),
            offset: 0,
        })
        .collect();
    for (_, name, ty) in INJECTED.iter().filter(|(class, ..)| *class == &*file.name) {
        fields.push(FieldInfo {
            name: Arc::from(*name),
            descriptor: Arc::from("I"),
            access: access::PRIVATE | access::SYNTHETIC,
            ty: *ty,
            offset: 0,
        });
    }
    let size = place(&mut fields, false, super_size);
    let mirror_size = place(&mut fields, true, mirror_base);
    (fields, size, mirror_size)
}

/// Gives the static or the instance fields their offsets from `start` on; the end.
pub(super) fn place(fields: &mut [FieldInfo], statics: bool, start: u32) -> u32 {
    let mut end = start;
    for size in [8, 4, 2, 1] {
        for field in fields.iter_mut().filter(|f| f.is_static() == statics && f.ty.size() == size) {
            field.offset = end.next_multiple_of(size);
            end = field.offset + size;
        }
    }
    end.next_multiple_of(WORD)
}

/// A field that lowering makes up.
pub(crate) fn made_field(name: &str, ty: MemType, is_static: bool) -> FieldInfo {
    let access = access::PRIVATE | access::SYNTHETIC | if is_static { access::STATIC } else { 0 };
    let descriptor = match ty {
        MemType::I8 => "B",
        MemType::U8 => "Z",
        MemType::I16 => "S",
        MemType::U16 => "C",
        MemType::I32 => "I",
        MemType::I64 => "J",
        MemType::F32 => "F",
        MemType::F64 => "D",
        MemType::Ref => "Ljava/lang/Object;",
    };
    FieldInfo { name: name.into(), descriptor: descriptor.into(), access, ty, offset: 0 }
}
