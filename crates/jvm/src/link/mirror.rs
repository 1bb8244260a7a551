//! Mirrors: the `java.lang.Class` objects. A class's static fields lie behind the fields of its mirror.

use ir::{ClassId, MemType};
use vm::{ObjId, Stop, Vm};

use super::class::{ClassKind, ClassOrigin};
use super::strings::intern;
use crate::load::Constant;
use crate::world::Jvm;

/// The mirror of a class, made on first use.
pub fn mirror(vm: &mut Vm<Jvm>, class: ClassId) -> Result<ObjId, Stop> {
    if let Some(mirror) = vm.lang.objects.mirror(class) {
        return Ok(mirror);
    }
    let size = vm.lang.classes[class].mirror_size;
    let mirror = vm.heap.alloc(vm.lang.known.class, size, 0).map_err(|_| Stop::Memory)?;
    vm.lang.objects.set_mirror(class, mirror);
    vm.heap.write_u32(mirror, vm.lang.known.mirror_class, class.0);
    if let ClassKind::Array { elem, .. } = vm.lang.classes[class].kind {
        let component = self::mirror(vm, elem)?;
        if let Some(offset) = vm.lang.known.mirror_component {
            vm.heap.write_ref(mirror, offset, component);
        }
    }
    set_home(vm, class, mirror);
    set_constants(vm, class, mirror)?;
    Ok(mirror)
}

/// The class that a mirror stands for.
pub fn class_of_mirror(vm: &Vm<Jvm>, mirror: ObjId) -> ClassId {
    ClassId(vm.heap.read_u32(mirror, vm.lang.known.mirror_class))
}

/// The loader and the module.
fn set_home(vm: &mut Vm<Jvm>, class: ClassId, mirror: ObjId) {
    let mut base = class;
    while let Some(elem) = vm.lang.elem_of(base) {
        base = elem;
    }
    let platform = &vm.lang.platform;
    let (loader, module) = match vm.lang.classes[base].origin {
        ClassOrigin::Library => {
            let name = vm.lang.module_of(base);
            (platform.loaders.get(&name).copied(), platform.modules.get(&name).copied())
        }
        ClassOrigin::User | ClassOrigin::Synthetic => (platform.app_loader, platform.unnamed_module),
    };
    let known = &vm.lang.known;
    for (offset, value) in [(known.mirror_loader, loader), (known.mirror_module, module)] {
        if let (Some(offset), Some(value)) = (offset, value) {
            vm.heap.write_ref(mirror, offset, value);
        }
    }
}

/// Static fields with a `ConstantValue`.
fn set_constants(vm: &mut Vm<Jvm>, class: ClassId, mirror: ObjId) -> Result<(), Stop> {
    let Some(file) = vm.lang.classes[class].file.clone() else { return Ok(()) };
    for field in file.fields.iter().filter(|field| field.constant_value.is_some()) {
        let Some(place) = vm.lang.classes[class].field(&field.name, &field.descriptor) else { continue };
        let (offset, ty) = (place.offset, place.ty);
        // A value that cannot be read is as good as none: the JVM would have refused the class.
        let Ok(Some(value)) = file.constant_value(field) else { continue };
        match value {
            Constant::Int(value) => match ty {
                MemType::I8 | MemType::U8 => vm.heap.write_u8(mirror, offset, value as u8),
                MemType::I16 | MemType::U16 => vm.heap.write_u16(mirror, offset, value as u16),
                _ => vm.heap.write_u32(mirror, offset, value as u32),
            },
            Constant::Float(value) => vm.heap.write_u32(mirror, offset, value.to_bits()),
            Constant::Long(value) => vm.heap.write_u64(mirror, offset, value as u64),
            Constant::Double(value) => vm.heap.write_u64(mirror, offset, value.to_bits()),
            Constant::String => {
                let units = field.constant_value.and_then(|index| file.pool.string(index).ok());
                let string = intern(vm, &units.unwrap_or_default())?;
                vm.heap.write_ref(mirror, offset, string);
            }
            // The parser admits no other kinds.
            _ => {}
        }
    }
    Ok(())
}
