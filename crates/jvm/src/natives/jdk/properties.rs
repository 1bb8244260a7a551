//! `jdk.internal.util.SystemProps.Raw`: the system properties of a fixed virtual machine, nothing of the host's.

use crate::load::Constant;
use crate::natives::support::*;
use crate::natives::{Res, Saved, Vmj, natives};
use std::collections::BTreeMap;
use vm::{ObjId, Val};

/// What the virtual machine's properties are made of.
#[derive(Clone, Default)]
pub struct Environment {
    pub language: String,
    pub country: String,
    /// As `-D` options; they win over everything.
    pub properties: BTreeMap<String, String>,
}

natives! {
    "jdk/internal/util/SystemProps$Raw" {
        "vmProperties" "()[Ljava/lang/String;" = vm_properties;
        "platformProperties" "()[Ljava/lang/String;" = platform_properties;
    }
}

/// Keys and values in turn, then nulls.
fn vm_properties(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    let jdk = vm.lang.path.jdk().clone();
    let feature = jdk.feature.to_string();
    let home = jdk.home.to_string_lossy().into_owned();
    let mut all: BTreeMap<String, String> = [
        ("java.home", home.as_str()),
        ("java.vm.specification.name", "Java Virtual Machine Specification"),
        ("java.vm.specification.vendor", "Oracle Corporation"),
        ("java.vm.specification.version", &feature),
        ("java.vm.name", "OpenJDK 64-Bit Server VM"),
        ("java.vm.vendor", "Testwright"),
        ("java.vm.version", &jdk.version),
        ("java.vm.info", "mixed mode"),
        ("java.vm.compressedOopsMode", "32-bit"),
        ("jdk.debug", "release"),
        ("sun.boot.library.path", &format!("{home}/lib")),
        ("java.library.path", "/usr/lib"),
        ("java.class.path", "/classes"),
        ("sun.nio.MaxDirectMemorySize", "-1"),
        ("sun.nio.PageAlignDirectMemory", "false"),
        // Reflection by natives, lambda forms interpreted: nothing is spun at run time.
        ("sun.reflect.inflationThreshold", "2147483647"),
        ("jdk.reflect.useNativeAccessorOnly", "true"),
        ("java.lang.invoke.MethodHandle.COMPILE_THRESHOLD", "-1"),
        ("jdk.internal.lambda.disableEagerInitialization", "false"),
        ("user.timezone", "UTC"),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_string(), value.to_string()))
    .collect();
    all.extend(vm.lang.state::<Saved<Environment>>().properties.clone());
    let mut items = Vec::new();
    for (key, value) in &all {
        items.push(new_string(vm, key)?);
        items.push(new_string(vm, value)?);
    }
    // The reader stops at a null key.
    items.extend([ObjId::NULL, ObjId::NULL]);
    ref_array(vm, "java/lang/String", &items)
}

/// An array whose indices the class names by constants, `_user_dir_NDX`.
fn platform_properties(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    let class = find_class(vm, "jdk/internal/util/SystemProps$Raw")?;
    let environment = (**vm.lang.state::<Saved<Environment>>()).clone();
    let Some(file) = vm.lang.classes[class].file.clone() else { return Ok(ObjId::NULL) };
    let mut items = Vec::new();
    for field in &file.fields {
        let Ok(Some(Constant::Int(index))) = file.constant_value(field) else { continue };
        let (index, name) = (index as usize, &*field.name);
        if name == "FIXED_LENGTH" {
            items.resize(items.len().max(index), ObjId::NULL);
        } else if let Some(name) = name.strip_prefix('_').and_then(|n| n.strip_suffix("_NDX")) {
            items.resize(items.len().max(index + 1), ObjId::NULL);
            let value = platform_value(name, &environment);
            items[index] = optional_string(vm, value)?;
        }
    }
    ref_array(vm, "java/lang/String", &items)
}

fn platform_value<'a>(name: &str, environment: &'a Environment) -> Option<&'a str> {
    Some(match name {
        "display_country" => &environment.country,
        "display_language" => &environment.language,
        "file_encoding" | "sun_jnu_encoding" | "native_encoding" => "UTF-8",
        "stdin_encoding" | "stdout_encoding" | "stderr_encoding" => "UTF-8",
        "file_separator" => "/",
        "path_separator" => ":",
        "line_separator" => "\n",
        "java_io_tmpdir" => "/tmp",
        "os_arch" => "amd64",
        "os_name" => "Linux",
        "os_version" => "5.10",
        "sun_arch_data_model" => "64",
        "sun_cpu_endian" => "little",
        "sun_io_unicode_encoding" => "UnicodeLittle",
        "user_dir" => "/",
        "user_home" => "/home/user",
        "user_name" => "user",
        _ => return None,
    })
}
