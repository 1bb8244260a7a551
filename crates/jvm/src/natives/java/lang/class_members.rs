//! `java.lang.Class`: its fields, methods and constructors as reflection objects.

use crate::link::{Body, ClassOrigin};
use crate::load::{FieldType, Method, RawAnnotations, access};
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use ir::{ClassId, FuncId};
use vm::{ObjId, Val};

natives! {
    "java/lang/Class" {
        "getDeclaredFields0" "(Z)[Ljava/lang/reflect/Field;" = get_declared_fields;
        "getDeclaredMethods0" "(Z)[Ljava/lang/reflect/Method;" = get_declared_methods;
        "getDeclaredConstructors0" "(Z)[Ljava/lang/reflect/Constructor;" = get_declared_constructors;
        "getRecordComponents0" "()[Ljava/lang/reflect/RecordComponent;" = get_record_components;
    }
    "java/lang/reflect/Executable" {
        "getParameters0" "()[Ljava/lang/reflect/Parameter;" = get_parameters;
        "getTypeAnnotationBytes0" "()[B" = executable_type_annotations;
    }
    "java/lang/reflect/Field" {
        "getTypeAnnotationBytes0" "()[B" = field_type_annotations;
    }
}

/// The field that a `Field` object stands for: its class and index in the class file.
pub(crate) fn field_of_object(vm: &Vmj, object: ObjId) -> Res<(ClassId, usize)> {
    let class = class_of(vm, get_ref(vm, object, "clazz"))?;
    Ok((class, get_i32(vm, object, "slot") as usize))
}

/// The function that a `Method` or `Constructor` object stands for.
pub(crate) fn func_of_object(vm: &Vmj, object: ObjId) -> Res<FuncId> {
    let class = class_of(vm, get_ref(vm, object, "clazz"))?;
    let slot = get_i32(vm, object, "slot") as u32;
    let methods = &vm.lang.classes[class].methods;
    match methods.start.checked_add(slot) {
        Some(func) if methods.contains(&func) => Ok(FuncId(func)),
        _ => Err(unsupported("reflection", "a method object made by hand")),
    }
}

fn type_mirror(vm: &mut Vmj, ty: Option<&FieldType>) -> Res<ObjId> {
    let class = match ty {
        Some(ty) => vm.lang.class_of_type(ty)?,
        None => vm.lang.known.void(),
    };
    mirror(vm, class)
}

fn optional_bytes(vm: &mut Vmj, bytes: Option<&crate::load::Slice>) -> Res<ObjId> {
    bytes.map_or(Ok(ObjId::NULL), |bytes| byte_array(vm, bytes))
}

fn field_object(vm: &mut Vmj, class: ClassId, index: usize) -> Res<ObjId> {
    let file = vm.lang.classes[class].file.clone();
    let Some(field) = file.as_ref().and_then(|file| file.fields.get(index)) else {
        return Err(unsupported("reflection", "a field without a class file"));
    };
    let object = new_object(vm, "java/lang/reflect/Field")?;
    let declaring = mirror(vm, class)?;
    set_ref(vm, object, "clazz", declaring)?;
    set_i32(vm, object, "slot", index as i32)?;
    let name = interned(vm, &field.name)?;
    set_ref(vm, object, "name", name)?;
    let ty = type_mirror(vm, Some(&field.ty))?;
    set_ref(vm, object, "type", ty)?;
    set_i32(vm, object, "modifiers", (field.access & 0x50df) as i32)?;
    // Finals of records and of hidden classes cannot be written even by reflection.
    let is_record = file.as_ref().is_some_and(|file| file.record.is_some());
    let trusted = field.access & access::FINAL != 0 && (field.access & access::STATIC != 0 || is_record);
    set_i32(vm, object, "trustedFinal", trusted as i32)?;
    let signature = optional_string(vm, field.signature.as_deref())?;
    set_ref(vm, object, "signature", signature)?;
    let raw = field.annotations.as_ref().and_then(|a| a.visible.as_ref());
    let annotations = optional_bytes(vm, raw)?;
    set_ref(vm, object, "annotations", annotations)?;
    Ok(object)
}

fn get_declared_fields(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = class_of(vm, arg(args, 0).as_obj())?;
    let public_only = arg(args, 1).bits != 0;
    let file = vm.lang.classes[class].file.clone();
    let mut objects = Vec::new();
    for (index, field) in file.iter().flat_map(|file| file.fields.iter().enumerate()) {
        if !public_only || field.access & access::PUBLIC != 0 {
            objects.push(field_object(vm, class, index)?);
        }
    }
    ref_array(vm, "java/lang/reflect/Field", &objects)
}

/// A `Method` or `Constructor` object for a function.
fn executable_object(vm: &mut Vmj, func: FuncId) -> Res<ObjId> {
    let class = vm.lang.funcs[func].class;
    let slot = func.0 - vm.lang.classes[class].methods.start;
    let Some(method) = method_of(vm, func) else { return made_up_method(vm, func, slot) };
    let constructor = method.is_constructor();
    let object = match constructor {
        true => new_object(vm, "java/lang/reflect/Constructor")?,
        false => new_object(vm, "java/lang/reflect/Method")?,
    };
    let declaring = mirror(vm, class)?;
    set_ref(vm, object, "clazz", declaring)?;
    set_i32(vm, object, "slot", slot as i32)?;
    if !constructor {
        let name = interned(vm, &method.name)?;
        set_ref(vm, object, "name", name)?;
        let ret = type_mirror(vm, method.ty.ret.as_ref())?;
        set_ref(vm, object, "returnType", ret)?;
    }
    let params = method.ty.params.iter().map(|ty| type_mirror(vm, Some(ty))).collect::<Res<Vec<_>>>()?;
    let params = ref_array(vm, "java/lang/Class", &params)?;
    set_ref(vm, object, "parameterTypes", params)?;
    let mut exceptions = Vec::new();
    for name in &method.exceptions {
        let class = find_class(vm, name)?;
        exceptions.push(mirror(vm, class)?);
    }
    let exceptions = ref_array(vm, "java/lang/Class", &exceptions)?;
    set_ref(vm, object, "exceptionTypes", exceptions)?;
    // STRICT is shown, flags of Java's making are not.
    set_i32(vm, object, "modifiers", (method.access & 0x1fff) as i32)?;
    let signature = optional_string(vm, method.signature.as_deref())?;
    set_ref(vm, object, "signature", signature)?;
    set_annotations(vm, object, &method)?;
    Ok(object)
}

/// A `Method` object for a method of a lambda's class.
fn made_up_method(vm: &mut Vmj, func: FuncId, slot: u32) -> Res<ObjId> {
    let method = &vm.lang.funcs[func];
    let (class, name, access) = (method.class, method.name.clone(), method.access);
    let ty = method.signature.ty.clone();
    let object = new_object(vm, "java/lang/reflect/Method")?;
    let declaring = mirror(vm, class)?;
    set_ref(vm, object, "clazz", declaring)?;
    set_i32(vm, object, "slot", slot as i32)?;
    let name = interned(vm, &name)?;
    set_ref(vm, object, "name", name)?;
    let ret = type_mirror(vm, ty.ret.as_ref())?;
    set_ref(vm, object, "returnType", ret)?;
    let params = ty.params.iter().map(|ty| type_mirror(vm, Some(ty))).collect::<Res<Vec<_>>>()?;
    let params = ref_array(vm, "java/lang/Class", &params)?;
    set_ref(vm, object, "parameterTypes", params)?;
    let none = ref_array(vm, "java/lang/Class", &[])?;
    set_ref(vm, object, "exceptionTypes", none)?;
    set_i32(vm, object, "modifiers", (access & 0x1fff) as i32)?;
    Ok(object)
}

fn set_annotations(vm: &mut Vmj, object: ObjId, method: &Method) -> Res<()> {
    if let Some(raw) = &method.annotations {
        let RawAnnotations { visible, visible_parameters, .. } = &**raw;
        let annotations = optional_bytes(vm, visible.as_ref())?;
        set_ref(vm, object, "annotations", annotations)?;
        let parameters = optional_bytes(vm, visible_parameters.as_ref())?;
        set_ref(vm, object, "parameterAnnotations", parameters)?;
    }
    let default = optional_bytes(vm, method.annotation_default.as_ref())?;
    set_ref(vm, object, "annotationDefault", default)
}

fn declared_executables(vm: &mut Vmj, args: &[Val], constructors: bool) -> Res<Vec<ObjId>> {
    let class = class_of(vm, arg(args, 0).as_obj())?;
    let public_only = arg(args, 1).bits != 0;
    // Arrays and primitives have no methods of their own, lambdas' classes no constructor that anybody may see.
    if vm.lang.classes[class].file.is_none() && vm.lang.classes[class].origin != ClassOrigin::Synthetic {
        return Ok(Vec::new());
    }
    let mut wanted: Vec<FuncId> = vm.lang.classes[class]
        .functions()
        .filter(|func| {
            let func = &vm.lang.funcs[*func];
            let kind = match &*func.name {
                "<init>" => constructors,
                "<clinit>" => false,
                _ => !constructors,
            };
            kind && (!public_only || func.is(access::PUBLIC))
        })
        .collect();
    // The JVM promises no order, and HotSpot's is not that of the class file: what depends on it must not be asserted.
    if vm.salt != 0 {
        wanted.reverse();
    }
    wanted.into_iter().map(|func| executable_object(vm, func)).collect()
}

fn get_declared_methods(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let objects = declared_executables(vm, args, false)?;
    ref_array(vm, "java/lang/reflect/Method", &objects)
}

fn get_declared_constructors(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let objects = declared_executables(vm, args, true)?;
    ref_array(vm, "java/lang/reflect/Constructor", &objects)
}

fn get_record_components(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let class = class_of(vm, arg(args, 0).as_obj())?;
    let file = vm.lang.classes[class].file.clone();
    let mut objects = Vec::new();
    for component in file.iter().flat_map(|file| file.record.iter().flatten()) {
        let object = new_object(vm, "java/lang/reflect/RecordComponent")?;
        set_ref(vm, object, "clazz", arg(args, 0).as_obj())?;
        let name = interned(vm, &component.name)?;
        set_ref(vm, object, "name", name)?;
        let ty = type_mirror(vm, Some(&component.ty))?;
        set_ref(vm, object, "type", ty)?;
        let signature = optional_string(vm, component.signature.as_deref())?;
        set_ref(vm, object, "signature", signature)?;
        let raw = component.annotations.as_deref();
        let annotations = optional_bytes(vm, raw.and_then(|a| a.visible.as_ref()))?;
        set_ref(vm, object, "annotations", annotations)?;
        let types = optional_bytes(vm, raw.and_then(|a| a.visible_types.as_ref()))?;
        set_ref(vm, object, "typeAnnotations", types)?;
        let getter = vm.lang.declared(class, &component.name, &format!("(){}", component.descriptor));
        if let Some(getter) = getter {
            let getter = executable_object(vm, getter)?;
            set_ref(vm, object, "accessor", getter)?;
        }
        objects.push(object);
    }
    ref_array(vm, "java/lang/reflect/RecordComponent", &objects)
}

/// From the `MethodParameters` attribute; null if there is none.
fn get_parameters(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let this = arg(args, 0).as_obj();
    let func = func_of_object(vm, this)?;
    let Some(method) = method_of(vm, func) else { return Ok(ObjId::NULL) };
    let Some(parameters) = method.parameters else { return Ok(ObjId::NULL) };
    let mut objects = Vec::new();
    for (index, parameter) in parameters.iter().enumerate() {
        let object = new_object(vm, "java/lang/reflect/Parameter")?;
        let name = match &parameter.name {
            Some(name) => interned(vm, name)?,
            None => ObjId::NULL,
        };
        set_ref(vm, object, "name", name)?;
        set_i32(vm, object, "modifiers", parameter.access as i32)?;
        set_ref(vm, object, "executable", this)?;
        set_i32(vm, object, "index", index as i32)?;
        objects.push(object);
    }
    ref_array(vm, "java/lang/reflect/Parameter", &objects)
}

fn method_of(vm: &Vmj, func: FuncId) -> Option<Method> {
    let func = &vm.lang.funcs[func];
    match func.body {
        Body::Method(index) => vm.lang.classes[func.class].method(index).cloned(),
        Body::Ir(_) | Body::Hook(_) => None,
    }
}

fn executable_type_annotations(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let func = func_of_object(vm, arg(args, 0).as_obj())?;
    let raw = method_of(vm, func).and_then(|m| m.annotations?.visible_types);
    optional_bytes(vm, raw.as_ref())
}

fn field_type_annotations(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let (class, index) = field_of_object(vm, arg(args, 0).as_obj())?;
    let file = vm.lang.classes[class].file.clone();
    let raw = file.as_ref().and_then(|f| f.fields.get(index)?.annotations.as_ref()?.visible_types.clone());
    optional_bytes(vm, raw.as_ref())
}
