//! Resources: those of the JDK's modules are read from its image, those of the program from the class path.

use crate::load::Origin;
use crate::natives::java::io::CLASS_PATH;
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use std::sync::Arc;
use vm::{NativeResult, ObjId, Val};

natives! {
    "jdk/internal/module/SystemModuleFinders$SystemModuleReader" {
        "open" "(Ljava/lang/String;)Ljava/util/Optional;" = open;
        "read" "(Ljava/lang/String;)Ljava/util/Optional;" = read;
        "find" "(Ljava/lang/String;)Ljava/util/Optional;" = find;
        "containsImageLocation" "(Ljava/lang/String;)Z" = contains;
        "release" "(Ljava/nio/ByteBuffer;)V" = ignore;
    }
    "java/lang/ClassLoader" {
        "getResourceAsStream" "(Ljava/lang/String;)Ljava/io/InputStream;" = resource_as_stream;
        "getSystemResourceAsStream" "(Ljava/lang/String;)Ljava/io/InputStream;" = system_resource_as_stream;
    }
    "jdk/internal/loader/BuiltinClassLoader" {
        "findResourceOnClassPath" "(Ljava/lang/String;)Ljava/net/URL;" = resource_address;
        "findResourcesOnClassPath" "(Ljava/lang/String;)Ljava/util/Enumeration;" = resource_addresses;
    }
    // Java 8.
    "sun/misc/URLClassPath" {
        "findResource" "(Ljava/lang/String;Z)Ljava/net/URL;" = resource_address;
        "findResources" "(Ljava/lang/String;Z)Ljava/util/Enumeration;" = resource_addresses;
        "getResource" "(Ljava/lang/String;Z)Lsun/misc/Resource;" = nothing_there;
    }
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

/// The module's resource that a reader is asked for.
fn module_resource(vm: &mut Vmj, args: &[Val]) -> Res<Option<Arc<[u8]>>> {
    let module = get_ref(vm, arg(args, 0).as_obj(), "module");
    let module = text(vm, module)?;
    let name = text(vm, arg(args, 1).as_obj())?;
    let found = vm.lang.path.jdk().module_resource(&module, &name);
    found.map_err(|error| throw("java/io/IOException", error.to_string()))
}

/// A stream over bytes, as its own constructor leaves it.
fn stream(vm: &mut Vmj, bytes: &[u8]) -> Res<ObjId> {
    let array = byte_array(vm, bytes)?;
    let stream = new_object(vm, "java/io/ByteArrayInputStream")?;
    set_ref(vm, stream, "buf", array)?;
    set_i32(vm, stream, "count", bytes.len() as i32)?;
    Ok(stream)
}

fn optional(vm: &mut Vmj, value: ObjId) -> Res<ObjId> {
    let optional = new_object(vm, "java/util/Optional")?;
    set_ref(vm, optional, "value", value)?;
    Ok(optional)
}

fn open(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let value = match module_resource(vm, args)? {
        Some(bytes) => stream(vm, &bytes)?,
        None => ObjId::NULL,
    };
    optional(vm, value)
}

/// Calls a static function of the JDK that makes the value, then wraps it.
fn wrapped(vm: &mut Vmj, class: &str, name: &str, descriptor: &str, value: ObjId) -> Res<NativeResult<Jvm>> {
    let func = method(vm, class, name, descriptor)?;
    let then = |vm: &mut Vmj, args: &[Val]| crate::natives::settle(optional(vm, arg(args, 0).as_obj()));
    Ok(NativeResult::CallThen { func, args: vec![Val::obj(value)], then, keep: Vec::new() })
}

fn none(vm: &mut Vmj) -> Res<NativeResult<Jvm>> {
    Ok(NativeResult::Return(Val::obj(optional(vm, ObjId::NULL)?)))
}

fn read(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let Some(bytes) = module_resource(vm, args)? else { return none(vm) };
    let array = byte_array(vm, &bytes)?;
    wrapped(vm, "java/nio/ByteBuffer", "wrap", "([B)Ljava/nio/ByteBuffer;", array)
}

fn find(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    if module_resource(vm, args)?.is_none() {
        return none(vm);
    }
    let module = get_ref(vm, arg(args, 0).as_obj(), "module");
    let (module, name) = (text(vm, module)?, text(vm, arg(args, 1).as_obj())?);
    let address = new_string(vm, &format!("jrt:/{module}/{name}"))?;
    wrapped(vm, "java/net/URI", "create", "(Ljava/lang/String;)Ljava/net/URI;", address)
}

fn contains(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    Ok(module_resource(vm, args)?.is_some())
}

fn resource_as_stream(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    from_class_path(vm, arg(args, 1))
}

fn system_resource_as_stream(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    from_class_path(vm, arg(args, 0))
}

/// Classes are found elsewhere, and so are the resources of the JDK.
fn nothing_there(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

/// The resources of that name in all entries of the class path, as an enumeration of addresses. `ServiceLoader` reads them.
fn resource_addresses(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let name = text(vm, non_null(arg(args, 1))?)?;
    let found = vm.lang.path.clone().resources(&name).unwrap_or_default();
    let mut entries: Vec<usize> = Vec::new();
    if is_plain(vm, &name) {
        entries.extend(found.iter().filter_map(|found| match found.origin {
            Origin::Entry(index) => Some(index),
            _ => None,
        }));
    }
    let mut urls = Vec::new();
    let mut left = Vec::new();
    for index in entries {
        let address = new_string(vm, &format!("file:{CLASS_PATH}-{index}/{name}"))?;
        let url = new_object(vm, "java/net/URL")?;
        urls.push(url);
        left.extend([Val::obj(url), Val::obj(address)]);
    }
    let items = ref_array(vm, "java/lang/Object", &urls)?;
    let list = new_object(vm, "java/util/Vector")?;
    set_ref(vm, list, "elementData", items)?;
    set_i32(vm, list, "elementCount", urls.len() as i32)?;
    left.push(Val::obj(list));
    make_addresses(vm, left)
}

/// `[url, text, url, text…, list]`: constructs each, then returns the list's enumeration.
fn make_addresses(vm: &mut Vmj, mut left: Vec<Val>) -> Res<NativeResult<Jvm>> {
    if left.len() < 2 {
        let elements = method(vm, "java/util/Vector", "elements", "()Ljava/util/Enumeration;")?;
        return Ok(NativeResult::Call(elements, left));
    }
    let func = method(vm, "java/net/URL", "<init>", "(Ljava/lang/String;)V")?;
    let args: Vec<Val> = left.drain(..2).collect();
    let then = |vm: &mut Vmj, args: &[Val]| {
        crate::natives::settle(make_addresses(vm, args.get(1..).unwrap_or_default().to_vec()))
    };
    Ok(NativeResult::CallThen { func, args, then, keep: left })
}

/// What else is in an address has to be escaped; such names are left out.
fn is_plain(vm: &mut Vmj, name: &str) -> bool {
    let plain = name.chars().all(|c: char| c.is_ascii_alphanumeric() || "/._-$".contains(c));
    if !plain {
        vm.note(ledger::Kind::Environment, "the address of a resource with unusual characters in its name");
    }
    plain
}

/// Where a resource of the program is: a file in a folder that only the virtual file system has. Bundles are read by such addresses.
fn resource_address(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let name = text(vm, non_null(arg(args, 1))?)?;
    let nothing = NativeResult::Return(Val::obj(ObjId::NULL));
    if !matches!(vm.lang.path.clone().user_resource(&name), Ok(Some(_))) {
        return Ok(nothing);
    }
    if !is_plain(vm, &name) {
        return Ok(nothing);
    }
    let address = new_string(vm, &format!("file:{CLASS_PATH}/{name}"))?;
    let url = new_object(vm, "java/net/URL")?;
    let func = method(vm, "java/net/URL", "<init>", "(Ljava/lang/String;)V")?;
    let then = |_: &mut Vmj, args: &[Val]| NativeResult::Return(arg(args, 1));
    Ok(NativeResult::CallThen {
        func,
        args: vec![Val::obj(url), Val::obj(address)],
        then,
        keep: vec![Val::obj(url)],
    })
}

fn from_class_path(vm: &mut Vmj, name: Val) -> Res<ObjId> {
    let name = text(vm, non_null(name)?)?;
    match vm.lang.path.clone().resource(&name) {
        Ok(Some(found)) => stream(vm, &found.bytes),
        // What cannot be read is as good as missing, as for the JDK's own loaders.
        Ok(None) | Err(_) => Ok(ObjId::NULL),
    }
}
