//! `java.lang.ClassLoader`, `jdk.internal.loader.*`: classes come from the class path and the JDK directly, so
//! loaders only need to find what the front end loads.

use crate::link::ClassOrigin;
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use ir::ClassId;
use vm::{ObjId, Val};

natives! {
    "java/lang/ClassLoader" {
        "findBootstrapClass" "(Ljava/lang/String;)Ljava/lang/Class;" = find_bootstrap_class;
        "findLoadedClass0" "(Ljava/lang/String;)Ljava/lang/Class;" = find_loaded_class;
        "findBuiltinLib" "(Ljava/lang/String;)Ljava/lang/String;" = find_builtin_library;
        "retrieveDirectives" "()Ljava/lang/AssertionStatusDirectives;" = retrieve_directives;
    }
    "jdk/internal/loader/NativeLibraries" {
        "load" "(Ljdk/internal/loader/NativeLibraries$NativeLibraryImpl;Ljava/lang/String;ZZZ)Z" = load_library;
        "load" "(Ljdk/internal/loader/NativeLibraries$NativeLibraryImpl;Ljava/lang/String;ZZ)Z" = load_library;
        "findBuiltinLib" "(Ljava/lang/String;)Ljava/lang/String;" = find_builtin_library;
    }
    "jdk/internal/loader/BootLoader" {
        "getSystemPackageLocation" "(Ljava/lang/String;)Ljava/lang/String;" = system_package_location;
        "getSystemPackageNames" "()[Ljava/lang/String;" = system_package_names;
        "setBootLoaderUnnamedModule0" "(Ljava/lang/Module;)V" = ignore;
        "loadLibrary" "(Ljava/lang/String;)V" = ignore;
    }
    "java/lang/System" {
        "loadLibrary" "(Ljava/lang/String;)V" = load_user_library;
        "load" "(Ljava/lang/String;)V" = load_user_library;
    }
    "java/lang/Runtime" {
        "loadLibrary" "(Ljava/lang/String;)V" = load_runtime_library;
        "load" "(Ljava/lang/String;)V" = load_runtime_library;
    }
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn by_name(vm: &mut Vmj, name: ObjId) -> Res<Option<ClassId>> {
    let name = text(vm, name)?;
    if name.contains('/') || name.starts_with('[') {
        return Ok(None);
    }
    match vm.lang.class(&name.replace('.', "/")) {
        Ok(class) => Ok(Some(class)),
        Err(error) if error.class == "java/lang/NoClassDefFoundError" => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The loader that a class's mirror names.
fn loader_of(vm: &mut Vmj, class: ClassId) -> Res<ObjId> {
    let mirror = mirror(vm, class)?;
    Ok(get_ref(vm, mirror, "classLoader"))
}

fn find_bootstrap_class(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = by_name(vm, arg(args, args.len().saturating_sub(1)).as_obj())?;
    match class {
        Some(class)
            if vm.lang.classes[class].origin == ClassOrigin::Library && loader_of(vm, class)?.is_null() =>
        {
            mirror(vm, class)
        }
        _ => Ok(ObjId::NULL),
    }
}

/// What a loader has loaded, or could: loading is not observable otherwise.
fn find_loaded_class(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let this = arg(args, 0).as_obj();
    let Some(class) = by_name(vm, arg(args, 1).as_obj())? else { return Ok(ObjId::NULL) };
    match loader_of(vm, class)? == this {
        true => mirror(vm, class),
        false => Ok(ObjId::NULL),
    }
}

/// The JDK's own libraries are built in: their natives are ours.
fn find_builtin_library(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let file = text(vm, arg(args, 0).as_obj())?;
    let name = file.strip_prefix("lib").and_then(|f| f.strip_suffix(".so")).unwrap_or(&file).to_string();
    new_string(vm, &name)
}

fn load_library(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(true)
}

/// Libraries of the JDK are built in; others hold machine code, which the VM does not run.
fn load_user_library(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let name = text(vm, arg(args, 0).as_obj())?;
    const OURS: [&str; 9] =
        ["java", "net", "nio", "zip", "extnet", "management", "prefs", "jimage", "verify"];
    match OURS.contains(&name.as_str()) {
        true => Ok(()),
        false => Err(unsupported("native library", name)),
    }
}

fn load_runtime_library(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    load_user_library(vm, args.get(1..).unwrap_or_default())
}

fn retrieve_directives(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    let object = new_object(vm, "java/lang/AssertionStatusDirectives")?;
    let none = ref_array(vm, "java/lang/String", &[])?;
    let boolean = vm.lang.known.primitives[0];
    let booleans = vm.lang.array_of(boolean);
    let empty = vm.new_array(booleans, 0)?;
    set_ref(vm, object, "classes", none)?;
    set_ref(vm, object, "packages", none)?;
    set_ref(vm, object, "classEnabled", empty)?;
    set_ref(vm, object, "packageEnabled", empty)?;
    // As -ea.
    set_i32(vm, object, "deflt", !vm.lang.options.no_assertions as i32)?;
    Ok(object)
}

/// `jrt:/java.base` for a package of the JDK.
fn system_package_location(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let package = text(vm, arg(args, 0).as_obj())?.replace('.', "/");
    let module = vm.lang.path.jdk().module_of(&package).cloned();
    optional_string(vm, module.map(|module| format!("jrt:/{module}")).as_deref())
}

fn system_package_names(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    string_array(vm, &["java/lang".to_string(), "java/util".to_string()])
}
