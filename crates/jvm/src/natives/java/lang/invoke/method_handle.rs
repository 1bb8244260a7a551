//! Calls of method handles: `invokeExact`, `invoke`, `invokeBasic` and `linkTo…`.
//!
//! Arguments are boxed and given to the handle's lambda form, which the JDK's own interpreter runs name by name;
//! each name is a call of [`invoke_named`], which calls the member it names.

use super::member_name::{IS_FIELD, target};
use super::method_type;
use crate::link::SiteKind;
use crate::load::MethodType;
use crate::natives::boxes::{boxer, fitted, unboxed};
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives, settle};
use crate::world::Jvm;
use ir::{ClassId, FuncId};
use vm::{Lang, NativeResult, ObjId, Val};

natives! {
    "java/lang/invoke/MethodHandle" {
        "invokeExact" "" = symbolic invoke_exact;
        "invoke" "" = symbolic invoke;
        "invokeBasic" "" = symbolic invoke_basic;
        "linkToStatic" "" = symbolic link_to;
        "linkToSpecial" "" = symbolic link_to;
        "linkToVirtual" "" = symbolic link_to;
        "linkToInterface" "" = symbolic link_to;
    }
    "java/lang/invoke/LambdaForm" {
        "prepare" "()V" = ignore;
        "compileToBytecode" "()V" = ignore;
        "compileToBytecode" "()Ljava/lang/invoke/MemberName;" = not_compiled;
    }
    "java/lang/invoke/LambdaForm$NamedFunction" {
        "invokeWithArguments" "([Ljava/lang/Object;)Ljava/lang/Object;" = symbolic invoke_named;
    }
    "java/lang/invoke/InvokerBytecodeGenerator" {
        "maybeCompile" "(Ljava/lang/invoke/LambdaForm;)V" = ignore;
    }
}

/// Lambda forms are interpreted: nothing is prepared or compiled.
fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn not_compiled(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

/// The descriptor at the call that a site number stands for.
fn site_type(vm: &Vmj, site: Val) -> Res<MethodType> {
    let site = vm.lang.sites.get(site.bits as usize);
    let ty = site.and_then(|site| match &site.kind {
        SiteKind::Polymorphic { descriptor, .. } => MethodType::parse(descriptor),
        _ => None,
    });
    ty.ok_or_else(|| unsupported("method handle", "a call site without a descriptor"))
}

fn invoke_exact(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let ty = site_type(vm, arg(args, 0))?;
    let handle = non_null(arg(args, 1))?;
    if !has_type(vm, handle, &ty)? {
        let has = method_type::descriptor(vm, get_ref(vm, handle, "type"))?;
        let message = format!("handle's method type {has} but found {ty}");
        return Err(throw("java/lang/invoke/WrongMethodTypeException", message));
    }
    interpret(vm, handle, &ty, args.get(2..).unwrap_or_default())
}

fn has_type(vm: &mut Vmj, handle: ObjId, ty: &MethodType) -> Res<bool> {
    let has = method_type::classes(vm, get_ref(vm, handle, "type"))?;
    Ok(has == method_type::classes_of(vm, ty)?)
}

/// Adapts the handle by its own `asType` if the types differ.
fn invoke(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let ty = site_type(vm, arg(args, 0))?;
    let handle = non_null(arg(args, 1))?;
    if has_type(vm, handle, &ty)? {
        return interpret(vm, handle, &ty, args.get(2..).unwrap_or_default());
    }
    method_type::make(vm, &ty, args.to_vec(), |vm, args| settle(adapt(vm, args)))
}

/// `[type, site, handle, arguments…]`.
fn adapt(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let func = method(
        vm,
        "java/lang/invoke/MethodHandle",
        "asType",
        "(Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MethodHandle;",
    )?;
    let func = select(vm, func, arg(args, 2).as_obj())?;
    let mut keep = vec![arg(args, 1)];
    keep.extend_from_slice(args.get(3..).unwrap_or_default());
    Ok(NativeResult::CallThen {
        func,
        args: vec![arg(args, 2), arg(args, 0)],
        // `[adapted, site, arguments…]`
        then: |vm, args| {
            let mut call = vec![arg(args, 1), arg(args, 0)];
            call.extend_from_slice(args.get(2..).unwrap_or_default());
            settle(invoke_basic(vm, &call))
        },
        keep,
    })
}

/// No type check: the JDK's own code calls it.
fn invoke_basic(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let ty = site_type(vm, arg(args, 0))?;
    let handle = non_null(arg(args, 1))?;
    interpret(vm, handle, &ty, args.get(2..).unwrap_or_default())
}

/// Runs the handle's lambda form on boxed arguments and unboxes the result.
fn interpret(vm: &mut Vmj, handle: ObjId, ty: &MethodType, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let (ret, params) = method_type::classes_of(vm, ty)?;
    // Direct handles of fields and methods need no form.
    if let Some(member) = field_member(vm, handle)
        && let Some(result) = access_field(vm, member, args)?
    {
        return Ok(result);
    }
    if let Some((func, virtual_call)) = direct(vm, handle)
        && let Some(result) = call_direct(vm, func, virtual_call, &params, ret, args)?
    {
        return Ok(result);
    }
    let mut boxed = vec![Val::obj(handle)];
    for (class, val) in params.iter().zip(args) {
        boxed.push(box_now(vm, *class, *val)?);
    }
    let array = value_array(vm, &boxed)?;
    run_form(vm, handle, array, ret)
}

fn run_form(vm: &mut Vmj, handle: ObjId, values: ObjId, ret: ClassId) -> Res<NativeResult<Jvm>> {
    let form = get_ref(vm, handle, "form");
    let func = method(
        vm,
        "java/lang/invoke/LambdaForm",
        "interpretWithArguments",
        "([Ljava/lang/Object;)Ljava/lang/Object;",
    )?;
    Ok(NativeResult::CallThen {
        func,
        args: vec![Val::obj(form), Val::obj(values)],
        then: |vm, args| settle(unbox_result(vm, arg(args, 0), ClassId(arg(args, 1).bits as u32))),
        keep: vec![Val::concrete(ret.0 as u64)],
    })
}

fn unbox_result(vm: &mut Vmj, result: Val, class: ClassId) -> Res<NativeResult<Jvm>> {
    if class == vm.lang.known.void() {
        return Ok(NativeResult::Void);
    }
    if !vm.lang.classes[class].is_primitive() {
        return Ok(NativeResult::Return(result));
    }
    let object = result.as_obj();
    if object.is_null() {
        // A void name whose value is asked for, as lambda forms do.
        return Ok(NativeResult::Return(Val::ZERO));
    }
    match fitted(vm, object, class)? {
        Some(val) => Ok(NativeResult::Return(val)),
        // Narrow types travel as ints in basic forms.
        None => match unboxed(vm, object)? {
            Some((_, val)) => Ok(NativeResult::Return(val)),
            None => Err(throw_plain("java/lang/ClassCastException")),
        },
    }
}

/// A box made without the cache: only lambda forms see it, and they compare no identities.
fn box_now(vm: &mut Vmj, class: ClassId, val: Val) -> Res<Val> {
    let Some(func) = boxer(vm, class)? else { return Ok(val) };
    let class = vm.lang.funcs[func].class;
    let object = vm.new_object(class)?;
    if let Some((offset, ty)) = field_of(&vm.lang, class, "value") {
        vm.store(object, offset, ty, val)?;
    }
    Ok(Val::obj(object))
}

fn value_array(vm: &mut Vmj, values: &[Val]) -> Res<ObjId> {
    let objects = vm.lang.array_of(vm.lang.known.object);
    let array = vm.new_array(objects, values.len() as u32)?;
    for (i, val) in values.iter().enumerate() {
        vm.store(array, i as u32 * 4, ir::MemType::Ref, *val)?;
    }
    Ok(array)
}

/// The member of a direct handle of a field.
fn field_member(vm: &Vmj, handle: ObjId) -> Option<ObjId> {
    let name = &*vm.lang.classes[vm.heap.class(handle)].name;
    let accessor = matches!(
        name,
        "java/lang/invoke/DirectMethodHandle$Accessor" | "java/lang/invoke/DirectMethodHandle$StaticAccessor"
    );
    accessor.then(|| get_ref(vm, handle, "member"))
}

/// Reads or writes the field that a member names; `None` if its class is not initialised yet.
fn access_field(vm: &mut Vmj, member: ObjId, args: &[Val]) -> Res<Option<NativeResult<Jvm>>> {
    let class = class_of(vm, get_ref(vm, member, "clazz"))?;
    let flags = get_i32(vm, member, "flags");
    let is_static = flags & crate::load::access::STATIC as i32 != 0;
    let offset = get_i32(vm, member, "vm.target") as u32;
    let found =
        vm.lang.classes[class].fields.iter().find(|f| f.offset == offset && f.is_static() == is_static);
    let Some(ty) = found.map(|field| field.ty) else {
        return Err(unsupported("method handle", "an unresolved field"));
    };
    let (object, rest) = match is_static {
        true if !Jvm::is_initialised(vm, class) => return Ok(None),
        true => (mirror(vm, class)?, args),
        false => {
            non_null(arg(args, 0))?;
            let object = vm.deref(arg(args, 0))?;
            if !vm.lang.is_subclass(vm.heap.class(object), class) {
                let message = format!(
                    "Cannot cast {} to {}",
                    vm.lang.classes[vm.heap.class(object)].java_name(),
                    vm.lang.classes[class].java_name()
                );
                return Err(throw("java/lang/ClassCastException", message));
            }
            (object, args.get(1..).unwrap_or_default())
        }
    };
    match flags >> 24 & 0xf {
        1 | 2 => Ok(Some(NativeResult::Return(vm.load(object, offset, ty)?))),
        _ => {
            vm.store(object, offset, ty, arg(rest, 0))?;
            Ok(Some(NativeResult::Void))
        }
    }
}

/// The method of a plain direct handle, and whether it is dispatched.
fn direct(vm: &Vmj, handle: ObjId) -> Option<(FuncId, bool)> {
    let name = &*vm.lang.classes[vm.heap.class(handle)].name;
    let dispatched = match name {
        "java/lang/invoke/DirectMethodHandle" | "java/lang/invoke/DirectMethodHandle$Interface" => true,
        "java/lang/invoke/DirectMethodHandle$Special" => false,
        _ => return None,
    };
    let member = get_ref(vm, handle, "member");
    let func = target(vm, member).ok()?;
    let kind = get_i32(vm, member, "flags") >> 24 & 0xf;
    (&*vm.lang.funcs[func].name != "<init>").then_some((func, dispatched && kind != 7))
}

/// Calls a method with arguments that already are of its types; `None` if some are not.
fn call_direct(
    vm: &mut Vmj,
    func: FuncId,
    dispatched: bool,
    params: &[ClassId],
    ret: ClassId,
    args: &[Val],
) -> Res<Option<NativeResult<Jvm>>> {
    let is_static = vm.lang.funcs[func].is_static();
    let ty = vm.lang.funcs[func].signature.ty.clone();
    let (own_ret, own_params) = method_type::classes_of(vm, &ty)?;
    let skip = usize::from(!is_static);
    let same = own_ret == ret
        && own_params.len() + skip == params.len()
        && own_params.iter().zip(params.iter().skip(skip)).all(|(own, given)| own == given);
    if !same {
        return Ok(None);
    }
    let class = vm.lang.funcs[func].class;
    let callee = match is_static {
        true => func,
        false => {
            let receiver = vm.deref(arg(args, 0))?;
            if receiver.is_null() {
                return Err(null_pointer());
            }
            if dispatched { select(vm, func, receiver)? } else { func }
        }
    };
    if is_static {
        let mut keep = vec![Val::concrete(callee.0 as u64)];
        keep.extend_from_slice(args);
        return Ok(Some(initialised(vm, class, keep, |_, args| {
            NativeResult::Call(FuncId(arg(args, 1).bits as u32), args.get(2..).unwrap_or_default().to_vec())
        })?));
    }
    Ok(Some(NativeResult::Call(callee, args.to_vec())))
}

/// `linkToStatic` and its kin, called from bytecode: the last argument is the member name.
fn link_to(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let Some((member, rest)) = args.get(1..).and_then(|args| args.split_last()) else {
        return Err(null_pointer());
    };
    call_member(vm, member.as_obj(), rest.to_vec())
}

/// Calls the target of a member name with unboxed arguments.
fn call_member(vm: &mut Vmj, member: ObjId, args: Vec<Val>) -> Res<NativeResult<Jvm>> {
    let func = target(vm, member)?;
    let kind = get_i32(vm, member, "flags") >> 24 & 0xf;
    let class = vm.lang.funcs[func].class;
    if vm.lang.funcs[func].is_static() {
        let mut keep = vec![Val::concrete(func.0 as u64)];
        keep.extend(args);
        return initialised(vm, class, keep, |_, args| {
            NativeResult::Call(FuncId(arg(args, 1).bits as u32), args.get(2..).unwrap_or_default().to_vec())
        });
    }
    let receiver = non_null(arg(&args, 0))?;
    let callee = match kind {
        5 | 9 => select(vm, func, receiver)?,
        _ => func,
    };
    Ok(NativeResult::Call(callee, args))
}

/// One name of a lambda form: `[named function, boxed arguments]`.
fn invoke_named(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let function = non_null(arg(args, 0))?;
    let values = arg(args, 1).as_obj();
    let member = get_ref(vm, function, "member");
    if member.is_null() {
        // A function that is only a handle, such as a constant or an identity.
        let handle = get_ref(vm, function, "resolvedHandle");
        return run_boxed(vm, handle, values);
    }
    if get_i32(vm, member, "flags") & IS_FIELD != 0 {
        return named_field(vm, function, member, values);
    }
    let func = target(vm, member)?;
    let owner = vm.lang.classes[vm.lang.funcs[func].class].name.clone();
    let name = vm.lang.funcs[func].name.clone();
    let given = load_all(vm, values)?;
    if &*owner == "java/lang/invoke/MethodHandle" {
        match &*name {
            "invokeBasic" | "invokeExact" | "invoke" => {
                return run_boxed(vm, arg(&given, 0).as_obj(), values);
            }
            name if name.starts_with("linkTo") => {
                let Some((last, rest)) = given.split_last() else { return Err(null_pointer()) };
                let target = self::target(vm, last.as_obj())?;
                let unboxed = unbox_all(vm, target, rest)?;
                let result = call_member(vm, last.as_obj(), unboxed)?;
                return box_after(vm, target, result);
            }
            _ => {}
        }
    }
    let unboxed = unbox_all(vm, func, &given)?;
    let result = call_member(vm, member, unboxed)?;
    box_after(vm, func, result)
}

/// A name that reads a field, such as an argument that a handle was bound to.
fn named_field(vm: &mut Vmj, function: ObjId, member: ObjId, values: ObjId) -> Res<NativeResult<Jvm>> {
    let given = load_all(vm, values)?;
    let reads = get_i32(vm, member, "flags") >> 24 & 0xf <= 2;
    if reads && let Some(NativeResult::Return(val)) = access_field(vm, member, &given)? {
        let ty = class_of(vm, get_ref(vm, member, "type"))?;
        return Ok(NativeResult::Return(box_now(vm, ty, val)?));
    }
    let handle = get_ref(vm, function, "resolvedHandle");
    run_boxed(vm, handle, values)
}

fn load_all(vm: &mut Vmj, array: ObjId) -> Res<Vec<Val>> {
    if array.is_null() {
        return Ok(Vec::new());
    }
    let all = (0..vm.heap.len(array)).map(|i| vm.load(array, i * 4, ir::MemType::Ref));
    Ok(all.collect::<Result<Vec<_>, _>>()?)
}

/// Runs a handle's form on arguments that are boxed already: `values` may start with the handle itself or not.
fn run_boxed(vm: &mut Vmj, handle: ObjId, values: ObjId) -> Res<NativeResult<Jvm>> {
    if handle.is_null() {
        return Err(null_pointer());
    }
    let mut given = load_all(vm, values)?;
    if given.first().map(|v| v.as_obj()) != Some(handle) {
        given.insert(0, Val::obj(handle));
    }
    let array = value_array(vm, &given)?;
    run_form(vm, handle, array, vm.lang.known.object)
}

/// Boxed values as the registers of a function's parameters, receiver included.
fn unbox_all(vm: &mut Vmj, func: FuncId, given: &[Val]) -> Res<Vec<Val>> {
    let ty = vm.lang.funcs[func].signature.ty.clone();
    let (_, mut params) = method_type::classes_of(vm, &ty)?;
    if !vm.lang.funcs[func].is_static() {
        params.insert(0, vm.lang.known.object);
    }
    let mut values = Vec::with_capacity(given.len());
    for (class, val) in params.into_iter().zip(given) {
        if !vm.lang.classes[class].is_primitive() {
            values.push(*val);
            continue;
        }
        let object = vm.deref(*val)?;
        match unboxed(vm, object)? {
            Some((_, val)) => values.push(val),
            None => return Err(throw_plain("java/lang/ClassCastException")),
        }
    }
    Ok(values)
}

/// Lets a call's result be boxed as the function's return type says.
fn box_after(vm: &mut Vmj, func: FuncId, result: NativeResult<Jvm>) -> Res<NativeResult<Jvm>> {
    let ty = vm.lang.funcs[func].signature.ty.clone();
    let (ret, _) = method_type::classes_of(vm, &ty)?;
    let keep = vec![Val::concrete(ret.0 as u64)];
    let then: fn(&mut Vmj, &[Val]) -> NativeResult<Jvm> =
        |vm, args| settle(box_now(vm, ClassId(arg(args, 1).bits as u32), arg(args, 0)));
    match result {
        NativeResult::Call(func, args) => Ok(NativeResult::CallThen { func, args, then, keep }),
        // The class is initialised first: go through a function that calls, so that its result comes here.
        NativeResult::CallThen { func: initialiser, args, keep: inner, .. } => {
            let mut kept = keep;
            kept.extend(inner);
            Ok(NativeResult::CallThen {
                func: initialiser,
                args,
                then: |_, args| NativeResult::CallThen {
                    func: FuncId(arg(args, 2).bits as u32),
                    args: args.get(3..).unwrap_or_default().to_vec(),
                    then: |vm, args| settle(box_now(vm, ClassId(arg(args, 1).bits as u32), arg(args, 0))),
                    keep: vec![arg(args, 1)],
                },
                keep: kept,
            })
        }
        other => Ok(other),
    }
}
