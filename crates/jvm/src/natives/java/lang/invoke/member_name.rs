//! `java.lang.invoke.MethodHandleNatives`: member names are resolved by the front end's own linking.

use super::method_type;
use crate::link::{resolve_field, resolve_method};
use crate::load::access;
use crate::natives::java::lang::{field_of_object, func_of_object};
use crate::natives::support::*;
use crate::natives::{Fail, Res, Vmj, natives};
use ir::{ClassId, FuncId};
use vm::{ObjId, Val};

natives! {
    "java/lang/invoke/MethodHandleNatives" {
        "init" "(Ljava/lang/invoke/MemberName;Ljava/lang/Object;)V" = init;
        "expand" "(Ljava/lang/invoke/MemberName;)V" = expand;
        "resolve" "(Ljava/lang/invoke/MemberName;Ljava/lang/Class;IZ)Ljava/lang/invoke/MemberName;" = resolve;
        "resolve" "(Ljava/lang/invoke/MemberName;Ljava/lang/Class;Z)Ljava/lang/invoke/MemberName;" = resolve_11;
        "resolve" "(Ljava/lang/invoke/MemberName;Ljava/lang/Class;)Ljava/lang/invoke/MemberName;" = resolve_8;
        "objectFieldOffset" "(Ljava/lang/invoke/MemberName;)J" = field_offset;
        "staticFieldOffset" "(Ljava/lang/invoke/MemberName;)J" = field_offset;
        "staticFieldBase" "(Ljava/lang/invoke/MemberName;)Ljava/lang/Object;" = static_field_base;
        "setCallSiteTargetNormal" "(Ljava/lang/invoke/CallSite;Ljava/lang/invoke/MethodHandle;)V" = set_target;
        "setCallSiteTargetVolatile" "(Ljava/lang/invoke/CallSite;Ljava/lang/invoke/MethodHandle;)V" = set_target;
        "getNamedCon" "(I[Ljava/lang/Object;)I" = zero;
        "getConstant" "(I)I" = zero;
        "getMembers" "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/String;ILjava/lang/Class;I[Ljava/lang/invoke/MemberName;)I" = members;
        "clearCallSiteContext" "(Ljava/lang/invoke/MethodHandleNatives$CallSiteContext;)V" = ignore;
    }
}

const IS_METHOD: i32 = 0x1_0000;
const IS_CONSTRUCTOR: i32 = 0x2_0000;
pub(super) const IS_FIELD: i32 = 0x4_0000;
const TRUSTED_FINAL: i32 = 0x20_0000;
const KIND_SHIFT: i32 = 24;

/// Reference kinds (JVMS table 5.4.3.5-A).
mod kind {
    pub const GET_FIELD: i32 = 1;
    pub const GET_STATIC: i32 = 2;
    pub const PUT_FIELD: i32 = 3;
    pub const PUT_STATIC: i32 = 4;
    pub const INVOKE_VIRTUAL: i32 = 5;
    pub const INVOKE_STATIC: i32 = 6;
    pub const INVOKE_SPECIAL: i32 = 7;
    pub const NEW_INVOKE_SPECIAL: i32 = 8;
    pub const INVOKE_INTERFACE: i32 = 9;
}

fn zero(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(0)
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

/// The function of a resolved member name.
pub(super) fn target(vm: &Vmj, member: ObjId) -> Res<FuncId> {
    if member.is_null() {
        return Err(null_pointer());
    }
    let func = FuncId((get(vm, member, "vm.target") as u32).wrapping_sub(1));
    match vm.lang.funcs.get(func) {
        Some(_) => Ok(func),
        None => Err(unsupported("method handle", "an unresolved member name")),
    }
}

/// Marks a member name as resolved to a method. The target is kept plus one: 0 is none.
fn set_method(vm: &mut Vmj, member: ObjId, func: FuncId, kind: i32) -> Res<()> {
    let (class, access, constructor) = {
        let f = &vm.lang.funcs[func];
        (f.class, f.access as i32, &*f.name == "<init>")
    };
    let what = if constructor { IS_CONSTRUCTOR } else { IS_METHOD };
    set_i32(vm, member, "flags", access | what | kind << KIND_SHIFT)?;
    let class = mirror(vm, class)?;
    set_ref(vm, member, "clazz", class)?;
    set_i32(vm, member, "vm.target", func.0.wrapping_add(1) as i32)?;
    // Since Java 11.
    if field_of(&vm.lang, vm.heap.class(member), "method").is_none() {
        return Ok(());
    }
    let resolved = new_object(vm, "java/lang/invoke/ResolvedMethodName")?;
    set_ref(vm, resolved, "vmholder", class)?;
    set_i32(vm, resolved, "vm.target", func.0 as i32)?;
    set_ref(vm, member, "method", resolved)
}

/// How a method is called unless the caller asked for `invokespecial`.
fn natural_kind(vm: &Vmj, func: FuncId, interface_call: bool) -> i32 {
    let f = &vm.lang.funcs[func];
    let final_class = vm.lang.classes[f.class].access & access::FINAL != 0;
    match () {
        () if &*f.name == "<init>" => kind::NEW_INVOKE_SPECIAL,
        () if f.is_static() => kind::INVOKE_STATIC,
        () if f.access & (access::PRIVATE | access::FINAL) != 0 || final_class => kind::INVOKE_SPECIAL,
        () if vm.lang.classes[f.class].is_interface()
            || interface_call && f.slot == crate::link::Func::NO_SLOT =>
        {
            kind::INVOKE_INTERFACE
        }
        () => kind::INVOKE_VIRTUAL,
    }
}

struct FoundField {
    class: ClassId,
    offset: u32,
    access: u16,
}

fn set_field(vm: &mut Vmj, member: ObjId, field: &FoundField, setter: bool) -> Res<()> {
    let is_static = field.access & access::STATIC != 0;
    let kind = match (is_static, setter) {
        (false, false) => kind::GET_FIELD,
        (true, false) => kind::GET_STATIC,
        (false, true) => kind::PUT_FIELD,
        (true, true) => kind::PUT_STATIC,
    };
    let record = vm.lang.classes[field.class].file.as_ref().is_some_and(|file| file.record.is_some());
    let is_final = field.access & access::FINAL != 0;
    let trusted = if is_final && (is_static || record) { TRUSTED_FINAL } else { 0 };
    set_i32(vm, member, "flags", field.access as i32 | IS_FIELD | trusted | kind << KIND_SHIFT)?;
    let class = mirror(vm, field.class)?;
    set_ref(vm, member, "clazz", class)?;
    set_i32(vm, member, "vm.target", field.offset as i32)
}

/// From a reflection object.
fn init(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let (member, source) = (non_null(arg(args, 0))?, non_null(arg(args, 1))?);
    let class = vm.lang.classes[vm.heap.class(source)].name.clone();
    match &*class {
        "java/lang/reflect/Field" => {
            let (class, index) = field_of_object(vm, source)?;
            let own = &vm.lang.classes[class];
            let field = own.file.as_ref().and_then(|file| file.fields.get(index));
            let info = field.and_then(|field| own.field(&field.name, &field.descriptor));
            let Some(info) = info else { return Err(throw_plain("java/lang/InternalError")) };
            let found = FoundField { class, offset: info.offset, access: info.access };
            set_field(vm, member, &found, false)
        }
        "java/lang/reflect/Method" | "java/lang/reflect/Constructor" => {
            let func = func_of_object(vm, source)?;
            let kind = natural_kind(vm, func, true);
            set_method(vm, member, func, kind)
        }
        _ => Err(throw("java/lang/InternalError", format!("unrecognized type {class}"))),
    }
}

/// Java 8: the methods that a class declares, by name and descriptor where they are given; how many there are.
fn members(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let class = class_of(vm, arg(args, 0).as_obj())?;
    let wanted = |vm: &mut Vmj, text_of: Val| match text_of.as_obj() {
        none if none.is_null() => Ok(None),
        string => text(vm, string).map(Some),
    };
    let (name, descriptor) = (wanted(vm, arg(args, 1))?, wanted(vm, arg(args, 2))?);
    if arg(args, 3).as_i32() & IS_METHOD == 0 {
        return Err(unsupported("method handle", "members that are not methods, by their class"));
    }
    let matching = |vm: &Vmj, func: FuncId| {
        let f = &vm.lang.funcs[func];
        !f.name.starts_with('<')
            && name.as_ref().is_none_or(|name| *f.name == **name)
            && descriptor.as_ref().is_none_or(|descriptor| *f.descriptor == **descriptor)
    };
    let found: Vec<FuncId> = vm.lang.classes[class].functions().filter(|func| matching(vm, *func)).collect();
    let places = refs(vm, non_null(arg(args, 6))?);
    let skipped = arg(args, 5).as_i32().max(0) as usize;
    for (func, member) in found.iter().skip(skipped).zip(places) {
        let kind = natural_kind(vm, *func, false);
        set_method(vm, member, *func, kind)?;
    }
    Ok(found.len().saturating_sub(skipped) as i32)
}

fn resolve_8(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    resolve_member(vm, non_null(arg(args, 0))?).map(|()| arg(args, 0).as_obj())
}

fn resolve_11(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    speculative(vm, arg(args, 0), arg(args, 2).bits != 0)
}

fn resolve(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    speculative(vm, arg(args, 0), arg(args, 3).bits != 0)
}

fn speculative(vm: &mut Vmj, member: Val, speculative: bool) -> Res<ObjId> {
    let member = non_null(member)?;
    match resolve_member(vm, member) {
        Ok(()) => Ok(member),
        Err(Fail::Raise(_)) if speculative => Ok(ObjId::NULL),
        Err(fail) => Err(fail),
    }
}

fn resolve_member(vm: &mut Vmj, member: ObjId) -> Res<()> {
    let flags = get_i32(vm, member, "flags");
    let wanted = flags >> KIND_SHIFT & 0xf;
    let class = class_of(vm, get_ref(vm, member, "clazz"))?;
    let name = get_ref(vm, member, "name");
    let ty = get_ref(vm, member, "type");
    let name = text(vm, name)?;
    let descriptor = type_descriptor(vm, ty)?;
    if flags & IS_FIELD != 0 {
        let field = resolve_field(&vm.lang, class, &name, &descriptor)?;
        let info = vm.lang.classes[field.class].field(&name, &descriptor);
        let access = info.map_or(0, |info| info.access);
        let setter = wanted == kind::PUT_FIELD || wanted == kind::PUT_STATIC;
        return set_field(
            vm,
            member,
            &FoundField { class: field.class, offset: field.offset, access },
            setter,
        );
    }
    if let Some(func) = polymorphic(vm, class, &name) {
        let kind = if vm.lang.funcs[func].is_static() { kind::INVOKE_STATIC } else { kind::INVOKE_VIRTUAL };
        return set_method(vm, member, func, kind);
    }
    let interface = vm.lang.classes[class].is_interface();
    let func = match name == "<init>" {
        true => vm.lang.declared(class, &name, &descriptor).ok_or_else(|| {
            let owner = vm.lang.classes[class].java_name();
            throw("java/lang/NoSuchMethodError", format!("{owner}.<init>{descriptor}"))
        })?,
        false => resolve_method(&mut vm.lang, class, &name, &descriptor, interface)?,
    };
    if vm.lang.funcs[func].is_static() != (wanted == kind::INVOKE_STATIC) && name != "<init>" {
        let owner = vm.lang.classes[class].java_name();
        let message = format!("{owner}.{name}{descriptor}");
        return Err(throw("java/lang/IncompatibleClassChangeError", message));
    }
    let kind = match wanted {
        kind::INVOKE_SPECIAL => kind::INVOKE_SPECIAL,
        _ => natural_kind(vm, func, wanted == kind::INVOKE_INTERFACE),
    };
    set_method(vm, member, func, kind)
}

/// The signature-polymorphic method of `MethodHandle` or `VarHandle` of that name.
fn polymorphic(vm: &Vmj, class: ClassId, name: &str) -> Option<FuncId> {
    let owner = &vm.lang.classes[class];
    if !matches!(&*owner.name, "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle") {
        return None;
    }
    owner.functions().find(|func| {
        let func = &vm.lang.funcs[*func];
        &*func.name == name && func.is(access::NATIVE | access::VARARGS)
    })
}

/// The descriptor of a member's type: a method type, a class or a string.
fn type_descriptor(vm: &mut Vmj, ty: ObjId) -> Res<String> {
    if ty.is_null() {
        return Err(null_pointer());
    }
    let class = vm.heap.class(ty);
    if class == vm.lang.known.string {
        return text(vm, ty);
    }
    if class == vm.lang.known.class {
        let class = class_of(vm, ty)?;
        return Ok(method_type::class_descriptor(vm, class));
    }
    if vm.lang.classes[class].is_array() {
        // Return class and parameter classes, not made into a type yet.
        let parts = refs(vm, ty);
        let params = parts.get(1).map_or_else(Vec::new, |params| refs(vm, *params));
        let mut text = String::from("(");
        for param in params {
            let class = class_of(vm, param)?;
            text.push_str(&method_type::class_descriptor(vm, class));
        }
        let ret = class_of(vm, parts.first().copied().unwrap_or(ObjId::NULL))?;
        return Ok(format!("{text}){}", method_type::class_descriptor(vm, ret)));
    }
    method_type::descriptor(vm, ty)
}

/// Fills name and type of a member name that has only its target.
fn expand(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let member = non_null(arg(args, 0))?;
    if get_i32(vm, member, "flags") & IS_FIELD != 0 {
        return expand_field(vm, member);
    }
    let func = target(vm, member)?;
    let (name, descriptor) = (vm.lang.funcs[func].name.clone(), vm.lang.funcs[func].descriptor.clone());
    let name = interned(vm, &name)?;
    set_ref(vm, member, "name", name)?;
    let descriptor = interned(vm, &descriptor)?;
    set_ref(vm, member, "type", descriptor)
}

fn expand_field(vm: &mut Vmj, member: ObjId) -> Res<()> {
    let class = class_of(vm, get_ref(vm, member, "clazz"))?;
    let is_static = get_i32(vm, member, "flags") & access::STATIC as i32 != 0;
    let offset = get_i32(vm, member, "vm.target") as u32;
    let found =
        vm.lang.classes[class].fields.iter().find(|f| f.offset == offset && f.is_static() == is_static);
    let Some((name, descriptor)) = found.map(|f| (f.name.clone(), f.descriptor.clone())) else {
        return Err(throw_plain("java/lang/InternalError"));
    };
    let name = interned(vm, &name)?;
    set_ref(vm, member, "name", name)?;
    let ty = crate::load::FieldType::parse(&descriptor);
    let ty = match ty {
        Some(ty) => vm.lang.class_of_type(&ty)?,
        None => vm.lang.known.object,
    };
    let ty = mirror(vm, ty)?;
    set_ref(vm, member, "type", ty)
}

/// As `Unsafe` shows offsets.
fn field_offset(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let member = non_null(arg(args, 0))?;
    Ok(get_i32(vm, member, "vm.target") as i64 + crate::natives::jdk::OFFSET_BASE as i64)
}

fn static_field_base(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    Ok(get_ref(vm, non_null(arg(args, 0))?, "clazz"))
}

fn set_target(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    set_ref(vm, non_null(arg(args, 0))?, "target", arg(args, 1).as_obj())
}
