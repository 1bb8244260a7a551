//! `java.lang.invoke.MethodType` objects, read and made.

use crate::load::MethodType;
use crate::natives::support::*;
use crate::natives::{Res, Vmj};
use crate::world::Jvm;
use ir::{ClassId, FuncId};
use vm::{NativeResult, ObjId, Val};

/// Return class and parameter classes of a `MethodType` object.
pub(super) fn classes(vm: &Vmj, method_type: ObjId) -> Res<(ClassId, Vec<ClassId>)> {
    if method_type.is_null() {
        return Err(null_pointer());
    }
    let ret = class_of(vm, get_ref(vm, method_type, "rtype"))?;
    let params = refs(vm, get_ref(vm, method_type, "ptypes"));
    let params = params.into_iter().map(|param| class_of(vm, param)).collect::<Res<Vec<_>>>()?;
    Ok((ret, params))
}

/// `I`, `Ljava/lang/String;`, `[J`, `V`.
pub(super) fn class_descriptor(vm: &Vmj, class: ClassId) -> String {
    let class = &vm.lang.classes[class];
    match &*class.name {
        "boolean" => "Z".into(),
        "byte" => "B".into(),
        "char" => "C".into(),
        "short" => "S".into(),
        "int" => "I".into(),
        "long" => "J".into(),
        "float" => "F".into(),
        "double" => "D".into(),
        "void" => "V".into(),
        name if name.starts_with('[') => name.into(),
        name => format!("L{name};"),
    }
}

pub(super) fn descriptor(vm: &Vmj, method_type: ObjId) -> Res<String> {
    let (ret, params) = classes(vm, method_type)?;
    let params: String = params.into_iter().map(|param| class_descriptor(vm, param)).collect();
    Ok(format!("({params}){}", class_descriptor(vm, ret)))
}

/// The classes of a descriptor, the return class first.
pub(super) fn classes_of(vm: &mut Vmj, ty: &MethodType) -> Res<(ClassId, Vec<ClassId>)> {
    let ret = match &ty.ret {
        Some(ret) => vm.lang.class_of_type(ret)?,
        None => vm.lang.known.void(),
    };
    let params = ty.params.iter().map(|param| vm.lang.class_of_type(param));
    let params = params.collect::<Result<Vec<_>, _>>()?;
    Ok((ret, params))
}

/// Makes the `MethodType` object of a descriptor by the JDK's own code, then goes on.
pub(super) fn make(
    vm: &mut Vmj,
    ty: &MethodType,
    keep: Vec<Val>,
    then: fn(&mut Vmj, &[Val]) -> NativeResult<Jvm>,
) -> Res<NativeResult<Jvm>> {
    let (ret, params) = classes_of(vm, ty)?;
    let ret = mirror(vm, ret)?;
    let params = params.into_iter().map(|param| mirror(vm, param)).collect::<Res<Vec<_>>>()?;
    let params = ref_array(vm, "java/lang/Class", &params)?;
    let func = maker(vm)?;
    let args = vec![Val::obj(ret), Val::obj(params)];
    Ok(NativeResult::CallThen { func, args, then, keep })
}

fn maker(vm: &mut Vmj) -> Res<FuncId> {
    method(
        vm,
        "java/lang/invoke/MethodType",
        "methodType",
        "(Ljava/lang/Class;[Ljava/lang/Class;)Ljava/lang/invoke/MethodType;",
    )
}
