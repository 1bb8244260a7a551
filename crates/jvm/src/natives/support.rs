//! What natives have in common: fields by name, strings, arrays, mirrors, failures.

use super::{Fail, Res, Vmj};
use crate::link::{self, ClassKind, LinkError};
use crate::world::Jvm;
use ir::{ClassId, FuncId, MemType};
use vm::{Lang, NativeResult, ObjId, Raise, Stop, Val};

impl From<LinkError> for Fail {
    fn from(error: LinkError) -> Fail {
        // Names of exception classes have packages; names of what we do not support have not.
        match error.class.contains('/') {
            true => throw(error.class, error.message),
            false => unsupported(error.class, error.message),
        }
    }
}

/// An exception by internal class name, with a message.
pub(crate) fn throw(class: &str, message: impl Into<String>) -> Fail {
    Fail::Raise(Raise::named(class, message))
}

/// An exception without a message.
pub(crate) fn throw_plain(class: &str) -> Fail {
    Fail::Raise(Raise::Named { class: class.to_string(), message: None })
}

pub(crate) fn null_pointer() -> Fail {
    throw_plain("java/lang/NullPointerException")
}

pub(crate) fn unsupported(what: &'static str, which: impl Into<String>) -> Fail {
    Fail::Stop(Stop::Unsupported { what, which: which.into() })
}

/// The object of an argument, which must not be null.
pub(crate) fn non_null(val: Val) -> Res<ObjId> {
    match val.as_obj() {
        object if object.is_null() => Err(null_pointer()),
        object => Ok(object),
    }
}

/// A missing argument is a fault of the caller's table, not of the program: it reads as zero.
pub(crate) fn arg(args: &[Val], index: usize) -> Val {
    args.get(index).copied().unwrap_or(Val::ZERO)
}

// Fields by name. The JDK's fields come and go between versions: what is missing reads as zero and ignores writes.

/// Offset and cell of an instance field, found from the class upwards.
pub(crate) fn field_of(jvm: &Jvm, class: ClassId, name: &str) -> Option<(u32, MemType)> {
    jvm.classes[class].ancestors.iter().rev().find_map(|class| {
        let fields = &jvm.classes[*class].fields;
        fields.iter().find(|f| &*f.name == name && !f.is_static()).map(|f| (f.offset, f.ty))
    })
}

pub(crate) fn get(vm: &Vmj, object: ObjId, name: &str) -> u64 {
    match field_of(&vm.lang, vm.heap.class(object), name) {
        Some((offset, ty)) => vm.load_bits(object, offset, ty),
        None => 0,
    }
}

pub(crate) fn get_ref(vm: &Vmj, object: ObjId, name: &str) -> ObjId {
    ObjId(get(vm, object, name) as u32)
}

pub(crate) fn get_i32(vm: &Vmj, object: ObjId, name: &str) -> i32 {
    get(vm, object, name) as u32 as i32
}

pub(crate) fn set(vm: &mut Vmj, object: ObjId, name: &str, val: Val) -> Res<()> {
    if let Some((offset, ty)) = field_of(&vm.lang, vm.heap.class(object), name) {
        vm.store(object, offset, ty, val)?;
    }
    Ok(())
}

pub(crate) fn set_ref(vm: &mut Vmj, object: ObjId, name: &str, value: ObjId) -> Res<()> {
    set(vm, object, name, Val::obj(value))
}

pub(crate) fn set_i32(vm: &mut Vmj, object: ObjId, name: &str, value: i32) -> Res<()> {
    set(vm, object, name, Val::i32(value))
}

/// Mirror, offset and cell of a static field.
pub(crate) fn static_field(vm: &mut Vmj, class: ClassId, name: &str) -> Res<Option<(ObjId, u32, MemType)>> {
    let found = vm.lang.classes[class].fields.iter().find(|f| &*f.name == name && f.is_static());
    let Some((offset, ty)) = found.map(|f| (f.offset, f.ty)) else { return Ok(None) };
    Ok(Some((mirror(vm, class)?, offset, ty)))
}

pub(crate) fn set_static(vm: &mut Vmj, class: &str, name: &str, val: Val) -> Res<()> {
    let class = vm.lang.class(class)?;
    if let Some((mirror, offset, ty)) = static_field(vm, class, name)? {
        vm.store(mirror, offset, ty, val)?;
    }
    Ok(())
}

// Classes.

/// The class object of a class.
pub(crate) fn mirror(vm: &mut Vmj, class: ClassId) -> Res<ObjId> {
    Ok(Jvm::class_object(vm, class)?)
}

/// The class that a class object stands for.
pub(crate) fn class_of(vm: &Vmj, mirror: ObjId) -> Res<ClassId> {
    if mirror.is_null() {
        return Err(null_pointer());
    }
    Ok(link::class_of_mirror(vm, mirror))
}

pub(crate) fn find_class(vm: &mut Vmj, name: &str) -> Res<ClassId> {
    Ok(vm.lang.class(name)?)
}

pub(crate) fn new_object(vm: &mut Vmj, class: &str) -> Res<ObjId> {
    let class = find_class(vm, class)?;
    Ok(vm.new_object(class)?)
}

/// Runs a class's initialiser if that is needed, then `then` with the kept values.
pub(crate) fn initialised(
    vm: &mut Vmj,
    class: ClassId,
    keep: Vec<Val>,
    then: fn(&mut Vmj, &[Val]) -> NativeResult<Jvm>,
) -> Res<NativeResult<Jvm>> {
    if vm.lang.classes[class].kind != ClassKind::Plain || Jvm::is_initialised(vm, class) {
        let mut args = vec![Val::ZERO];
        args.extend(keep);
        return Ok(then(vm, &args));
    }
    let func = Jvm::initialiser(vm, class)?;
    Ok(NativeResult::CallThen { func, args: Vec::new(), then, keep })
}

/// Returns the first kept value; a common end of [`initialised`].
pub(crate) fn give_back(_: &mut Vmj, args: &[Val]) -> NativeResult<Jvm> {
    NativeResult::Return(arg(args, 1))
}

pub(crate) fn nothing(_: &mut Vmj, _: &[Val]) -> NativeResult<Jvm> {
    NativeResult::Void
}

/// A method by class name, name and descriptor, as a caller finds it.
pub(crate) fn method(vm: &mut Vmj, class: &str, name: &str, descriptor: &str) -> Res<FuncId> {
    let class = find_class(vm, class)?;
    Ok(vm.lang.method(class, name, descriptor)?)
}

/// Goes on with the method's own body, where a native has nothing better to say.
pub(crate) fn own_body(
    vm: &mut Vmj,
    (class, name, descriptor): (&str, &str, &str),
    args: &[Val],
) -> Res<NativeResult<Jvm>> {
    let func = method(vm, class, name, descriptor)?;
    let body = crate::lower::literal(&mut vm.lang, func);
    Ok(NativeResult::Call(body, args.to_vec()))
}

/// What a call of a method on an object really calls.
pub(crate) fn select(vm: &mut Vmj, func: FuncId, receiver: ObjId) -> Res<FuncId> {
    let (declaring, slot, is_static, private) = {
        let f = &vm.lang.funcs[func];
        (f.class, f.slot, f.is_static(), f.is(crate::load::access::PRIVATE))
    };
    if is_static || private || &*vm.lang.funcs[func].name == "<init>" {
        return Ok(func);
    }
    let class = vm.heap.class(receiver);
    if vm.lang.classes[declaring].is_interface() {
        return Ok(vm.lang.interface_function(class, func)?);
    }
    Ok(vm.lang.virtual_function(class, slot).unwrap_or(func))
}

// Strings.

pub(crate) fn new_string(vm: &mut Vmj, text: &str) -> Res<ObjId> {
    let units: Vec<u16> = text.encode_utf16().collect();
    Ok(link::new_string(vm, &units)?)
}

pub(crate) fn interned(vm: &mut Vmj, text: &str) -> Res<ObjId> {
    let units: Vec<u16> = text.encode_utf16().collect();
    Ok(link::intern(vm, &units)?)
}

/// The text of a string object, fixed if it is symbolic; lone surrogates are replaced.
pub(crate) fn text(vm: &mut Vmj, string: ObjId) -> Res<String> {
    if string.is_null() {
        return Err(null_pointer());
    }
    let value = vm.heap.read_ref(string, vm.lang.known.string_value);
    fix_array(vm, value, "text of a string")?;
    Ok(String::from_utf16_lossy(&link::string_units(vm, string)))
}

/// Fixes length and elements of an array to those of this run.
pub(crate) fn fix_array(vm: &mut Vmj, array: ObjId, why: &str) -> Res<()> {
    if array.is_null() || !vm.heap.has_shadow(array) {
        return Ok(());
    }
    let (len, term) = (vm.heap.len(array), vm.heap.len_term(array));
    vm.concretise(Val { bits: len as u64, term }, why)?;
    let Some(ty) = elem_type(vm, array) else { return Ok(()) };
    for i in 0..len {
        let elem = vm.load(array, i * ty.size(), ty)?;
        vm.concretise(elem, why)?;
    }
    Ok(())
}

pub(crate) fn optional_string(vm: &mut Vmj, text: Option<&str>) -> Res<ObjId> {
    text.map_or(Ok(ObjId::NULL), |text| new_string(vm, text))
}

// Arrays.

pub(crate) fn byte_array(vm: &mut Vmj, bytes: &[u8]) -> Res<ObjId> {
    let array = vm.new_array(vm.lang.known.byte_array, bytes.len() as u32)?;
    vm.heap.bytes_mut(array).copy_from_slice(bytes);
    Ok(array)
}

pub(crate) fn ref_array(vm: &mut Vmj, elem: &str, items: &[ObjId]) -> Res<ObjId> {
    let elem = find_class(vm, elem)?;
    let class = vm.lang.array_of(elem);
    let array = vm.new_array(class, items.len() as u32)?;
    for (i, item) in items.iter().enumerate() {
        vm.heap.write_ref(array, i as u32 * 4, *item);
    }
    Ok(array)
}

pub(crate) fn string_array(vm: &mut Vmj, items: &[String]) -> Res<ObjId> {
    let strings = items.iter().map(|item| new_string(vm, item)).collect::<Res<Vec<_>>>()?;
    ref_array(vm, "java/lang/String", &strings)
}

/// The elements of an array of references.
pub(crate) fn refs(vm: &Vmj, array: ObjId) -> Vec<ObjId> {
    if array.is_null() {
        return Vec::new();
    }
    (0..vm.heap.len(array)).map(|i| vm.heap.read_ref(array, i * 4)).collect()
}

/// The cell type of an array object's elements.
pub(crate) fn elem_type(vm: &Vmj, array: ObjId) -> Option<MemType> {
    vm.lang.class_info(vm.heap.class(array)).elem
}
