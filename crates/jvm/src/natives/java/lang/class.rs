//! `java.lang.Class`: what it says of a class. Its members are in `class_members.rs`.

use crate::link::{ClassKind, ClassOrigin};
use crate::load::access;
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use ir::ClassId;
use vm::{NativeResult, ObjId, Val};

natives! {
    "java/lang/Class" {
        "forName0" "(Ljava/lang/String;ZLjava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/Class;" = for_name;
        "isInstance" "(Ljava/lang/Object;)Z" = symbolic is_instance;
        "isAssignableFrom" "(Ljava/lang/Class;)Z" = is_assignable_from;
        "isInterface" "()Z" = is_interface;
        "isArray" "()Z" = is_array;
        "isPrimitive" "()Z" = is_primitive;
        "isHidden" "()Z" = is_hidden;
        "isRecord0" "()Z" = is_record;
        "initClassName" "()Ljava/lang/String;" = init_class_name;
        "getName0" "()Ljava/lang/String;" = init_class_name;
        "getSuperclass" "()Ljava/lang/Class;" = get_superclass;
        "getInterfaces0" "()[Ljava/lang/Class;" = get_interfaces;
        "getModifiers" "()I" = get_modifiers;
        "getComponentType" "()Ljava/lang/Class;" = get_component_type;
        "getSigners" "()[Ljava/lang/Object;" = null;
        "setSigners" "([Ljava/lang/Object;)V" = ignore;
        "getEnclosingMethod0" "()[Ljava/lang/Object;" = get_enclosing_method;
        "getDeclaringClass0" "()Ljava/lang/Class;" = get_declaring_class;
        "getSimpleBinaryName0" "()Ljava/lang/String;" = get_simple_binary_name;
        "getProtectionDomain0" "()Ljava/security/ProtectionDomain;" = null;
        "protectionDomain" "()Ljava/security/ProtectionDomain;" = null;
        "getPrimitiveClass" "(Ljava/lang/String;)Ljava/lang/Class;" = get_primitive_class;
        "getGenericSignature0" "()Ljava/lang/String;" = get_generic_signature;
        "getRawAnnotations" "()[B" = get_raw_annotations;
        "getRawTypeAnnotations" "()[B" = get_raw_type_annotations;
        "getConstantPool" "()Ljdk/internal/reflect/ConstantPool;" = get_constant_pool;
        "getConstantPool" "()Lsun/reflect/ConstantPool;" = get_constant_pool;
        "getDeclaredClasses0" "()[Ljava/lang/Class;" = get_declared_classes;
        "desiredAssertionStatus0" "(Ljava/lang/Class;)Z" = desired_assertion_status;
        "getNestHost0" "()Ljava/lang/Class;" = get_nest_host;
        "getNestMembers0" "()[Ljava/lang/Class;" = get_nest_members;
        "getPermittedSubclasses0" "()[Ljava/lang/Class;" = get_permitted_subclasses;
        "getClassAccessFlagsRaw0" "()I" = get_access_flags;
        "getClassFileVersion0" "()I" = get_class_file_version;
    }
    "jdk/internal/reflect/Reflection" {
        "getClassAccessFlags" "(Ljava/lang/Class;)I" = get_access_flags;
        "areNestMates" "(Ljava/lang/Class;Ljava/lang/Class;)Z" = are_nest_mates;
    }
    "sun/reflect/Reflection" {
        "getClassAccessFlags" "(Ljava/lang/Class;)I" = get_access_flags;
    }
}

fn this(vm: &Vmj, args: &[Val]) -> Res<ClassId> {
    class_of(vm, arg(args, 0).as_obj())
}

fn null(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

/// `java.lang.String`, `[I`, `[Ljava.lang.String;` to the internal name; `None` if it can not be one.
fn internal_name(name: &str) -> Option<String> {
    if name.contains('/') || name.is_empty() {
        return None;
    }
    Some(name.replace('.', "/"))
}

/// Finds a class as `Class.forName` does; a missing one is a ClassNotFoundException.
fn find_by_java_name(vm: &mut Vmj, name: &str) -> Res<ClassId> {
    let not_found = || throw("java/lang/ClassNotFoundException", name);
    let internal = internal_name(name).ok_or_else(not_found)?;
    if internal.starts_with('[') && crate::load::FieldType::parse(&internal).is_none() {
        return Err(not_found());
    }
    match vm.lang.class(&internal) {
        Ok(class) if vm.lang.classes[class].is_primitive() => Err(not_found()),
        Ok(class) => Ok(class),
        Err(error) if error.class == "java/lang/NoClassDefFoundError" => Err(not_found()),
        Err(error) => Err(error.into()),
    }
}

fn for_name(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let name = text(vm, arg(args, 0).as_obj())?;
    let class = find_by_java_name(vm, &name)?;
    let mirror = mirror(vm, class)?;
    match arg(args, 1).bits {
        0 => Ok(NativeResult::Return(Val::obj(mirror))),
        _ => initialised(vm, class, vec![Val::obj(mirror)], give_back),
    }
}

fn is_instance(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let this = vm.deref(arg(args, 0))?;
    let class = class_of(vm, this)?;
    let val = vm.instance_of(arg(args, 1), class)?;
    if val.term.is_none() {
        return Ok(val);
    }
    let term = vm.pool.bool_to_bv(32, val.term);
    Ok(vm.val(val.bits, term))
}

fn is_assignable_from(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let this = this(vm, args)?;
    let other = class_of(vm, arg(args, 1).as_obj())?;
    Ok(vm.lang.is_subclass(other, this))
}

fn is_interface(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    Ok(vm.lang.classes[this(vm, args)?].is_interface())
}

fn is_array(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    Ok(vm.lang.classes[this(vm, args)?].is_array())
}

fn is_primitive(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    Ok(vm.lang.classes[this(vm, args)?].is_primitive())
}

/// Lambda classes are the only ones we make up.
fn is_hidden(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let class = &vm.lang.classes[this(vm, args)?];
    Ok(class.origin == ClassOrigin::Synthetic && class.file.is_none())
}

fn is_record(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let class = this(vm, args)?;
    Ok(vm.lang.classes[class].file.as_ref().is_some_and(|file| file.record.is_some()))
}

fn init_class_name(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let name = vm.lang.classes[class].java_name();
    let name = interned(vm, &name)?;
    set_ref(vm, arg(args, 0).as_obj(), "name", name)?;
    Ok(name)
}

fn get_superclass(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let own = &vm.lang.classes[class];
    match own.superclass {
        Some(superclass) if !own.is_interface() => mirror(vm, superclass),
        _ => Ok(ObjId::NULL),
    }
}

fn class_array(vm: &mut Vmj, classes: &[ClassId]) -> Res<ObjId> {
    let mirrors = classes.iter().map(|class| mirror(vm, *class)).collect::<Res<Vec<_>>>()?;
    ref_array(vm, "java/lang/Class", &mirrors)
}

fn get_interfaces(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let interfaces = match vm.lang.classes[class].is_array() {
        true => vec![vm.lang.known.cloneable, vm.lang.known.serializable],
        false => vm.lang.classes[class].interfaces.clone(),
    };
    class_array(vm, &interfaces)
}

/// `Class.getModifiers`: those of the source, from the `InnerClasses` attribute where there is one.
pub(crate) fn modifiers(jvm: &Jvm, class: ClassId) -> i32 {
    let own = &jvm.classes[class];
    match (&own.file, own.kind) {
        (Some(file), _) => file.modifiers() as i32,
        (None, ClassKind::Array { .. }) => {
            let mut elem = class;
            while let Some(inner) = jvm.elem_of(elem) {
                elem = inner;
            }
            let visible = access::PUBLIC | access::PRIVATE | access::PROTECTED;
            let of_elem = modifiers(jvm, elem) & visible as i32;
            of_elem | (access::FINAL | access::ABSTRACT) as i32
        }
        _ => (own.access & !access::SUPER) as i32,
    }
}

fn get_modifiers(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let class = this(vm, args)?;
    Ok(modifiers(&vm.lang, class))
}

/// As the class file has them, `ACC_SUPER` included.
fn get_access_flags(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let class = this(vm, args)?;
    Ok(vm.lang.classes[class].access as i32)
}

fn get_class_file_version(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let class = this(vm, args)?;
    let feature = vm.lang.path.jdk().feature as i32 + 44;
    Ok(vm.lang.classes[class].file.as_ref().map_or(feature, |f| (f.minor as i32) << 16 | f.major as i32))
}

fn get_component_type(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    match vm.lang.elem_of(class) {
        Some(elem) => mirror(vm, elem),
        None => Ok(ObjId::NULL),
    }
}

fn get_primitive_class(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let name = text(vm, arg(args, 0).as_obj())?;
    let found = vm.lang.known.primitives.into_iter().find(|class| *vm.lang.classes[*class].name == *name);
    match found {
        Some(class) => mirror(vm, class),
        None => Err(throw("java/lang/ClassNotFoundException", name)),
    }
}

/// Class, and name and descriptor if it is inside a method.
fn get_enclosing_method(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let enclosing = vm.lang.classes[class].file.as_ref().and_then(|file| file.enclosing_method.clone());
    let Some(enclosing) = enclosing else { return Ok(ObjId::NULL) };
    let outer = find_class(vm, &enclosing.class)?;
    let mut items = [mirror(vm, outer)?, ObjId::NULL, ObjId::NULL];
    if let Some((name, descriptor)) = enclosing.method {
        items[1] = interned(vm, &name)?;
        items[2] = interned(vm, &descriptor)?;
    }
    ref_array(vm, "java/lang/Object", &items)
}

/// Outer class and simple name of the class's own `InnerClasses` entry.
fn own_entry(vm: &Vmj, class: ClassId) -> Option<crate::load::InnerClass> {
    let file = vm.lang.classes[class].file.as_ref()?;
    file.inner_classes.iter().find(|inner| inner.inner == file.name).cloned()
}

fn get_declaring_class(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    match own_entry(vm, class).and_then(|entry| entry.outer) {
        Some(outer) => {
            let outer = find_class(vm, &outer)?;
            mirror(vm, outer)
        }
        None => Ok(ObjId::NULL),
    }
}

fn get_simple_binary_name(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    match own_entry(vm, class).and_then(|entry| entry.name) {
        Some(name) => interned(vm, &name),
        None => Ok(ObjId::NULL),
    }
}

fn get_generic_signature(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let signature = vm.lang.classes[class].file.as_ref().and_then(|file| file.signature.clone());
    optional_string(vm, signature.as_deref())
}

fn get_raw_annotations(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let file = vm.lang.classes[class].file.clone();
    let raw = file.as_ref().and_then(|file| file.annotations.as_ref()?.visible.as_ref());
    raw.map_or(Ok(ObjId::NULL), |raw| byte_array(vm, raw))
}

fn get_raw_type_annotations(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let file = vm.lang.classes[class].file.clone();
    let raw = file.as_ref().and_then(|file| file.annotations.as_ref()?.visible_types.as_ref());
    raw.map_or(Ok(ObjId::NULL), |raw| byte_array(vm, raw))
}

/// The pool object knows its class; its natives read the class file.
fn get_constant_pool(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let name = match vm.lang.path.jdk().feature {
        ..=8 => "sun/reflect/ConstantPool",
        _ => "jdk/internal/reflect/ConstantPool",
    };
    let pool = new_object(vm, name)?;
    set_ref(vm, pool, "constantPoolOop", arg(args, 0).as_obj())?;
    Ok(pool)
}

fn get_declared_classes(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let Some(file) = vm.lang.classes[class].file.clone() else { return class_array(vm, &[]) };
    let mut members = Vec::new();
    for inner in file.inner_classes.iter().filter(|inner| inner.outer.as_ref() == Some(&file.name)) {
        members.push(find_class(vm, &inner.inner)?);
    }
    class_array(vm, &members)
}

/// As with `-ea`: on for user classes.
fn desired_assertion_status(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let class = this(vm, args)?;
    Ok(vm.lang.classes[class].origin == ClassOrigin::User && !vm.lang.options.no_assertions)
}

fn nest_host(vm: &mut Vmj, class: ClassId) -> Res<ClassId> {
    let host = vm.lang.classes[class].file.as_ref().and_then(|file| file.nest_host.clone());
    match host {
        Some(host) => Ok(vm.lang.class(&host).unwrap_or(class)),
        None => Ok(class),
    }
}

fn get_nest_host(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let host = nest_host(vm, class)?;
    mirror(vm, host)
}

fn get_nest_members(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let host = nest_host(vm, class)?;
    let names = vm.lang.classes[host].file.as_ref().map_or_else(Vec::new, |file| file.nest_members.clone());
    let mut members = vec![host];
    for name in names {
        members.push(find_class(vm, &name)?);
    }
    class_array(vm, &members)
}

fn are_nest_mates(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let (a, b) = (this(vm, args)?, class_of(vm, arg(args, 1).as_obj())?);
    Ok(nest_host(vm, a)? == nest_host(vm, b)?)
}

fn get_permitted_subclasses(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = this(vm, args)?;
    let names = vm.lang.classes[class].file.as_ref().and_then(|file| file.permitted_subclasses.clone());
    let Some(names) = names else { return Ok(ObjId::NULL) };
    let classes = names.iter().map(|name| find_class(vm, name)).collect::<Res<Vec<_>>>()?;
    class_array(vm, &classes)
}
