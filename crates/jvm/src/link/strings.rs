//! Guest strings made and read by the host.
//!
//! Since Java 9 a string is a byte array with a coder (0: one byte a unit, 1: two, low byte first); before, a char
//! array.

use std::sync::Arc;

use ir::StrId;
use vm::{ObjId, Stop, Vm};

use crate::world::Jvm;

const LATIN1: u8 = 0;
const UTF16: u8 = 1;

/// A fresh string object with these UTF-16 units.
pub fn new_string(vm: &mut Vm<Jvm>, units: &[u16]) -> Result<ObjId, Stop> {
    let known = &vm.lang.known;
    let (value_offset, coder_offset) = (known.string_value, known.string_coder);
    let (string_class, byte_array, char_array) = (known.string, known.byte_array, known.char_array);
    let latin1 = units.iter().all(|unit| *unit < 256);
    let count = u32::try_from(units.len()).map_err(|_| Stop::Memory)?;
    let value = match coder_offset {
        Some(_) if latin1 => {
            let value = vm.new_array(byte_array, count)?;
            for (byte, unit) in vm.heap.bytes_mut(value).iter_mut().zip(units) {
                *byte = *unit as u8;
            }
            value
        }
        wide => {
            let value = match wide {
                Some(_) => vm.new_array(byte_array, count.checked_mul(2).ok_or(Stop::Memory)?)?,
                None => vm.new_array(char_array, count)?,
            };
            for (pair, unit) in vm.heap.bytes_mut(value).chunks_exact_mut(2).zip(units) {
                pair.copy_from_slice(&unit.to_le_bytes());
            }
            value
        }
    };
    let string = vm.new_object(string_class)?;
    vm.heap.write_ref(string, value_offset, value);
    if let Some(offset) = coder_offset {
        vm.heap.write_u8(string, offset, if latin1 { LATIN1 } else { UTF16 });
    }
    Ok(string)
}

/// The concrete UTF-16 units of a string object.
pub fn string_units(vm: &Vm<Jvm>, string: ObjId) -> Vec<u16> {
    let known = &vm.lang.known;
    let value = vm.heap.read_ref(string, known.string_value);
    if value.is_null() {
        return Vec::new();
    }
    let latin1 = known.string_coder.is_some_and(|offset| vm.heap.read_u8(string, offset) == LATIN1);
    let bytes = vm.heap.bytes(value);
    match latin1 {
        true => bytes.iter().map(|byte| u16::from(*byte)).collect(),
        false => bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect(),
    }
}

/// The string object that stands for all equal ones (`String.intern`).
pub fn intern(vm: &mut Vm<Jvm>, units: &[u16]) -> Result<ObjId, Stop> {
    if let Some(object) = vm.lang.objects.interned(units) {
        return Ok(object);
    }
    let object = new_string(vm, units)?;
    vm.lang.objects.set_interned(units.into(), object);
    Ok(object)
}

/// The interned object of a string constant.
pub(super) fn constant(vm: &mut Vm<Jvm>, string: StrId) -> Result<ObjId, Stop> {
    if let Some(object) = vm.lang.objects.constant(string) {
        return Ok(object);
    }
    let units: Arc<[u16]> = vm.lang.string_units(string).clone();
    let object = intern(vm, &units)?;
    vm.lang.objects.set_constant(string, object);
    Ok(object)
}
