//! Boxes of primitives: made by the JDK's own `valueOf` (which caches), read directly.

use super::support::*;
use super::{Res, Vmj};
use crate::link::ClassKind;
use crate::world::Jvm;
use ir::{ClassId, FuncId, MemType};
use vm::{NativeResult, ObjId, Val};

/// Box classes in the order of [`crate::link::Known::primitives`].
const BOXES: [(&str, &str); 8] = [
    ("java/lang/Boolean", "Z"),
    ("java/lang/Byte", "B"),
    ("java/lang/Character", "C"),
    ("java/lang/Short", "S"),
    ("java/lang/Integer", "I"),
    ("java/lang/Long", "J"),
    ("java/lang/Float", "F"),
    ("java/lang/Double", "D"),
];

/// `valueOf` of the box of a primitive class.
pub(crate) fn boxer(vm: &mut Vmj, primitive: ClassId) -> Res<Option<FuncId>> {
    let index = vm.lang.known.primitives.iter().position(|p| *p == primitive);
    let Some((class, letter)) = index.and_then(|i| BOXES.get(i)) else { return Ok(None) };
    Ok(Some(method(vm, class, "valueOf", &format!("({letter})L{class};"))?))
}

/// Ends a native with a value as reflection shows it: boxed, null for void.
pub(crate) fn boxed(vm: &mut Vmj, class: ClassId, val: Val) -> Res<NativeResult<Jvm>> {
    if class == vm.lang.known.void() {
        return Ok(NativeResult::Return(Val::ZERO));
    }
    match boxer(vm, class)? {
        Some(func) => {
            let declaring = vm.lang.funcs[func].class;
            // `valueOf` is static: its class must be initialised for the cache.
            let keep = vec![val, Val::concrete(func.0 as u64)];
            initialised(vm, declaring, keep, |_, args| {
                NativeResult::Call(FuncId(arg(args, 2).bits as u32), vec![arg(args, 1)])
            })
        }
        None => Ok(NativeResult::Return(val)),
    }
}

/// The primitive class and value that a box holds.
pub(crate) fn unboxed(vm: &mut Vmj, object: ObjId) -> Res<Option<(ClassId, Val)>> {
    if object.is_null() {
        return Ok(None);
    }
    let name = &*vm.lang.classes[vm.heap.class(object)].name;
    let Some(index) = BOXES.iter().position(|(class, _)| *class == name) else { return Ok(None) };
    let Some((offset, ty)) = field_of(&vm.lang, vm.heap.class(object), "value") else { return Ok(None) };
    Ok(Some((vm.lang.known.primitives[index], vm.load(object, offset, ty)?)))
}

/// Converts a primitive value by widening (JLS §5.1.2); `None` if that is not allowed.
pub(crate) fn widened(vm: &mut Vmj, from: ClassId, to: ClassId, val: Val) -> Res<Option<Val>> {
    if from == to {
        return Ok(Some(val));
    }
    let cell = |class: ClassId| match vm.lang.classes[class].kind {
        ClassKind::Primitive(cell) => cell,
        _ => None,
    };
    let (Some(source), Some(target)) = (cell(from), cell(to)) else { return Ok(None) };
    use MemType::{F32, F64, I8, I16, I32, I64, U16};
    let allowed = match source {
        I8 => matches!(target, I16 | I32 | I64 | F32 | F64),
        I16 | U16 => matches!(target, I32 | I64 | F32 | F64),
        I32 => matches!(target, I64 | F32 | F64),
        I64 => matches!(target, F32 | F64),
        F32 => target == F64,
        _ => false,
    };
    if !allowed {
        return Ok(None);
    }
    let fixed = match source.reg_type() == target.reg_type() {
        true => val,
        false => vm.concretise(val, "a widened argument of a reflective call")?,
    };
    let converted = match (source, target) {
        (I8 | I16 | U16 | I32, I64) => Val::i64(fixed.as_i32() as i64),
        (I8 | I16 | U16 | I32, F32) => Val::f32(fixed.as_i32() as f32),
        (I8 | I16 | U16 | I32, F64) => Val::f64(fixed.as_i32() as f64),
        (I64, F32) => Val::f32(fixed.as_i64() as f32),
        (I64, F64) => Val::f64(fixed.as_i64() as f64),
        (F32, F64) => Val::f64(fixed.as_f32() as f64),
        _ => fixed,
    };
    Ok(Some(converted))
}

/// A value for a place of class `to` from an object: unboxed and widened if `to` is primitive. `None` if it does
/// not fit.
pub(crate) fn fitted(vm: &mut Vmj, object: ObjId, to: ClassId) -> Res<Option<Val>> {
    if vm.lang.classes[to].is_primitive() {
        return match unboxed(vm, object)? {
            Some((from, val)) => widened(vm, from, to, val),
            None => Ok(None),
        };
    }
    let fits = object.is_null() || vm.lang.is_subclass(vm.heap.class(object), to);
    Ok(fits.then(|| Val::obj(object)))
}
