//! `jdk.internal.util.SystemProps.Raw`: the system properties of a fixed virtual machine, nothing of the host's.

use crate::load::Constant;
use crate::natives::support::*;
use crate::natives::{Res, Saved, Vmj, natives, settle};
use crate::world::Jvm;
use std::collections::BTreeMap;
use vm::{NativeResult, ObjId, Val};

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
    "java/lang/System" {
        "initProperties" "(Ljava/util/Properties;)Ljava/util/Properties;" = init_properties;
    }
}

/// Keys and values in turn, then nulls.
fn vm_properties(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    let mut items = Vec::new();
    for (key, value) in &properties_of_vm(vm) {
        items.push(new_string(vm, key)?);
        items.push(new_string(vm, value)?);
    }
    // The reader stops at a null key.
    items.extend([ObjId::NULL, ObjId::NULL]);
    ref_array(vm, "java/lang/String", &items)
}

fn properties_of_vm(vm: &mut Vmj) -> BTreeMap<String, String> {
    let jdk = vm.lang.path.jdk().clone();
    let feature = jdk.feature.to_string();
    // Up to Java 8 the runtime is a folder inside the JDK.
    let runtime = jdk.home.join("jre");
    let home = if jdk.feature < 9 && runtime.is_dir() { runtime } else { jdk.home.clone() };
    let home = home.to_string_lossy().into_owned();
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
    all
}

/// Before Java 12 the native puts them all into the table.
fn init_properties(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    const PLATFORM: [&str; 16] = [
        "file.encoding",
        "sun.jnu.encoding",
        "file.separator",
        "path.separator",
        "line.separator",
        "java.io.tmpdir",
        "os.arch",
        "os.name",
        "os.version",
        "sun.arch.data.model",
        "sun.cpu.endian",
        "sun.io.unicode.encoding",
        "user.dir",
        "user.home",
        "user.name",
        "java.vendor",
    ];
    let environment = (**vm.lang.state::<Saved<Environment>>()).clone();
    let version = vm.lang.path.jdk().version.clone();
    let feature = vm.lang.path.jdk().feature;
    let mut all = properties_of_vm(vm);
    for name in PLATFORM {
        let value = platform_value(&name.replace('.', "_"), &environment).unwrap_or("Testwright");
        all.entry(name.to_string()).or_insert_with(|| value.to_string());
    }
    let specification = if feature < 9 { format!("1.{feature}") } else { feature.to_string() };
    let class = format!("{}.0", feature + 44);
    for (name, value) in [
        ("user.language", environment.language.as_str()),
        ("user.country", &environment.country),
        ("java.version", &version),
        ("java.specification.version", &specification),
        ("java.specification.name", "Java Platform API Specification"),
        ("java.specification.vendor", "Oracle Corporation"),
        ("java.class.version", &class),
        ("java.vendor.url", "https://example.com"),
        ("java.vendor.url.bug", "https://example.com"),
    ] {
        all.entry(name.to_string()).or_insert_with(|| value.to_string());
    }
    let mut keep = vec![arg(args, 0)];
    for (key, value) in &all {
        keep.push(Val::obj(new_string(vm, key)?));
        keep.push(Val::obj(new_string(vm, value)?));
    }
    put_all(vm, keep)
}

/// `[table, key, value, key, value…]`.
fn put_all(vm: &mut Vmj, mut left: Vec<Val>) -> Res<NativeResult<Jvm>> {
    if left.len() < 3 {
        return Ok(NativeResult::Return(arg(&left, 0)));
    }
    let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
    let func = method(vm, "java/util/Properties", "put", put)?;
    let func = select(vm, func, non_null(left[0])?)?;
    let args = vec![left[0], left[1], left[2]];
    left.drain(1..3);
    let then = |vm: &mut Vmj, args: &[Val]| settle(put_all(vm, args.get(1..).unwrap_or_default().to_vec()));
    Ok(NativeResult::CallThen { func, args, then, keep: left })
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
