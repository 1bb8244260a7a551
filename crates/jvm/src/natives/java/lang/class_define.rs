//! Classes defined at run time: dynamic proxies, annotation instances, what the program's own loaders make.
//!
//! A class outlives the run that defined it (it costs lowering), its mirror does not. The same bytes give the same
//! class again; other bytes under the same name give another class, and the name means the one defined last.

use crate::link::{ClassOrigin, define};
use crate::load::ClassFile;
use crate::natives::support::*;
use crate::natives::{Res, Saved, Vmj, natives};
use crate::world::{Jvm, RunState};
use ir::ClassId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::{NativeResult, ObjId, Val};

natives! {
    "java/lang/ClassLoader" {
        "defineClass0" "(Ljava/lang/ClassLoader;Ljava/lang/Class;Ljava/lang/String;[BIILjava/security/ProtectionDomain;ZILjava/lang/Object;)Ljava/lang/Class;" = define_hidden;
        "defineClass1" "(Ljava/lang/ClassLoader;Ljava/lang/String;[BIILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;" = define_from_array;
        "defineClass1" "(Ljava/lang/String;[BIILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;" = define_from_array;
        "defineClass2" "(Ljava/lang/ClassLoader;Ljava/lang/String;Ljava/nio/ByteBuffer;IILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;" = define_from_buffer;
    }
    "jdk/internal/misc/Unsafe" {
        "defineClass0" "(Ljava/lang/String;[BIILjava/lang/ClassLoader;Ljava/security/ProtectionDomain;)Ljava/lang/Class;" = define_unsafe;
    }
    "sun/misc/Unsafe" {
        "defineClass" "(Ljava/lang/String;[BIILjava/lang/ClassLoader;Ljava/security/ProtectionDomain;)Ljava/lang/Class;" = define_unsafe;
    }
    "java/lang/reflect/Proxy" {
        "defineClass0" "(Ljava/lang/ClassLoader;Ljava/lang/String;[BII)Ljava/lang/Class;" = define_from_array;
    }
}

/// Classes by their bytes. Nothing of it depends on a run.
#[derive(Clone, Default)]
struct Defined {
    by_bytes: FxHashMap<Arc<[u8]>, ClassId>,
}

impl RunState for Defined {
    fn fork(&self) -> Box<dyn RunState> {
        Box::new(self.clone())
    }

    fn freeze(&mut self) {}

    fn reset(&mut self) {}

    /// It is the same for all runs.
    fn is_untouched(&self) -> bool {
        true
    }
}

/// Modules by package, of those that were defined at run time.
#[derive(Clone, Default)]
pub(super) struct Packages(pub BTreeMap<String, u32>);

/// `HIDDEN_CLASS` of `MethodHandles.Lookup`.
const HIDDEN: i32 = 2;

fn slice(vm: &mut Vmj, array: Val, offset: Val, len: Val) -> Res<Vec<u8>> {
    let array = non_null(array)?;
    fix_array(vm, array, "bytes of a class")?;
    let (offset, len) = (offset.as_i32() as usize, len.as_i32() as usize);
    let bytes = vm.heap.bytes(array).get(offset..offset.saturating_add(len));
    bytes.map(<[u8]>::to_vec).ok_or_else(|| throw_plain("java/lang/ArrayIndexOutOfBoundsException"))
}

fn define_from_array(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let bytes = slice(vm, arg(args, 2), arg(args, 3), arg(args, 4))?;
    let class = define_bytes(vm, bytes, false)?;
    home(vm, class, arg(args, 0).as_obj())
}

fn define_unsafe(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let bytes = slice(vm, arg(args, 2), arg(args, 3), arg(args, 4))?;
    let class = define_bytes(vm, bytes, false)?;
    home(vm, class, arg(args, 5).as_obj())
}

fn define_from_buffer(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let name = arg(args, 1).as_obj();
    let name = if name.is_null() { "from a buffer".into() } else { text(vm, name)? };
    Err(unsupported("class definition", name))
}

/// Loader, lookup class, name, bytes, offset, length, domain, initialise, flags, class data.
fn define_hidden(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let bytes = slice(vm, arg(args, 3), arg(args, 4), arg(args, 5))?;
    let class = define_bytes(vm, bytes, arg(args, 8).as_i32() & HIDDEN != 0)?;
    let mirror = home(vm, class, arg(args, 0).as_obj())?;
    set_ref(vm, mirror, "classData", arg(args, 9).as_obj())?;
    match arg(args, 7).bits {
        0 => Ok(NativeResult::Return(Val::obj(mirror))),
        _ => initialised(vm, class, vec![Val::obj(mirror)], give_back),
    }
}

fn define_bytes(vm: &mut Vmj, bytes: Vec<u8>, hidden: bool) -> Res<ClassId> {
    let bytes: Arc<[u8]> = bytes.into();
    if let Some(class) = vm.lang.state::<Defined>().by_bytes.get(&bytes).copied() {
        let name = vm.lang.classes[class].name.clone();
        vm.lang.names.insert(name, Ok(class));
        return Ok(class);
    }
    let file = ClassFile::parse(bytes.clone())
        .map_err(|error| throw("java/lang/ClassFormatError", error.to_string()))?;
    let name = file.name.clone();
    if hidden && vm.lang.loaded(&name).is_some() {
        // Its code means itself by its name, which another class has.
        return Err(unsupported("class definition", format!("a second hidden {name}")));
    }
    let class = define(&mut vm.lang, Arc::new(file), ClassOrigin::Synthetic, false)?;
    vm.lang.names.insert(name, Ok(class));
    vm.lang.state::<Defined>().by_bytes.insert(bytes, class);
    Ok(class)
}

/// Gives the mirror its loader and module.
fn home(vm: &mut Vmj, class: ClassId, loader: ObjId) -> Res<ObjId> {
    let mirror = mirror(vm, class)?;
    let is_loader = |vm: &Vmj| field_of(&vm.lang, vm.heap.class(loader), "unnamedModule").is_some();
    let loader = if !loader.is_null() && is_loader(vm) { loader } else { ObjId::NULL };
    let package = vm.lang.classes[class].package().to_string();
    let module = match vm.lang.state::<Saved<Packages>>().0.get(&package) {
        Some(module) => ObjId(*module),
        None if loader.is_null() => vm.lang.platform.modules.get("java.base").copied().unwrap_or(ObjId::NULL),
        None => get_ref(vm, loader, "unnamedModule"),
    };
    set_ref(vm, mirror, "classLoader", loader)?;
    set_ref(vm, mirror, "module", module)?;
    Ok(mirror)
}
