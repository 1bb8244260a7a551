//! `java.lang.System`, `Runtime` and `Shutdown`; the clock has its own file.

use super::throwable::places;
use crate::link::{ClassKind, ClassOrigin};
use crate::natives::support::{arg, new_string, own_body, set_static, text, throw};
use crate::natives::{Fail, Res, Vmj, natives};
use crate::world::Jvm;
use ir::{ClassId, MemType};
use ledger::Kind;
use term::Sort;
use vm::{ElemKind, Lang, NativeResult, ObjId, Stop, Val};

natives! {
    "java/lang/System" {
        "setIn0" "(Ljava/io/InputStream;)V" = set_in;
        "setOut0" "(Ljava/io/PrintStream;)V" = set_out;
        "setErr0" "(Ljava/io/PrintStream;)V" = set_err;
        "arraycopy" "(Ljava/lang/Object;ILjava/lang/Object;II)V" = symbolic arraycopy;
        "mapLibraryName" "(Ljava/lang/String;)Ljava/lang/String;" = map_library_name;
        "getenv" "(Ljava/lang/String;)Ljava/lang/String;" = symbolic get_variable;
        "getenv" "()Ljava/util/Map;" = symbolic get_variables;
        "getProperty" "(Ljava/lang/String;)Ljava/lang/String;" = symbolic get_property;
        "getProperty" "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;" = symbolic get_property_or;
        "getProperties" "()Ljava/util/Properties;" = symbolic get_properties;
    }
    "java/lang/Runtime" {
        "availableProcessors" "()I" = available_processors;
        "freeMemory" "()J" = free_memory;
        "totalMemory" "()J" = total_memory;
        "maxMemory" "()J" = total_memory;
        "gc" "()V" = collect;
    }
    "java/lang/Shutdown" {
        "beforeHalt" "()V" = collect;
        "halt0" "(I)V" = symbolic halt;
        "runAllFinalizers" "()V" = collect;
    }
}

fn set_in(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    set_static(vm, "java/lang/System", "in", arg(args, 0))
}

fn set_out(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    set_static(vm, "java/lang/System", "out", arg(args, 0))
}

fn set_err(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    set_static(vm, "java/lang/System", "err", arg(args, 0))
}

fn map_library_name(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let name = text(vm, arg(args, 0).as_obj())?;
    new_string(vm, &format!("lib{name}.so"))
}

/// Says that the program itself, not its library, asked the environment for something: another one has another answer.
fn note(vm: &mut Vmj, what: &str) {
    let through = ["java/lang/Boolean", "java/lang/Integer", "java/lang/Long"];
    let asks = places(vm).map(|place| &vm.lang.classes[vm.lang.funcs[place.func].class]);
    let mut asks = asks.skip_while(|class| through.contains(&&*class.name));
    let program = asks.next().is_some_and(|class| class.origin != ClassOrigin::Library);
    drop(asks);
    if program {
        vm.note(Kind::Environment, what);
    }
}

fn get_variable(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    note(vm, "environment variables");
    own_body(vm, ("java/lang/System", "getenv", "(Ljava/lang/String;)Ljava/lang/String;"), args)
}

fn get_variables(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    note(vm, "environment variables");
    own_body(vm, ("java/lang/System", "getenv", "()Ljava/util/Map;"), args)
}

fn get_property(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    note(vm, "system properties");
    own_body(vm, ("java/lang/System", "getProperty", "(Ljava/lang/String;)Ljava/lang/String;"), args)
}

fn get_property_or(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    note(vm, "system properties");
    let descriptor = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;";
    own_body(vm, ("java/lang/System", "getProperty", descriptor), args)
}

fn get_properties(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    note(vm, "system properties");
    own_body(vm, ("java/lang/System", "getProperties", "()Ljava/util/Properties;"), args)
}

/// Machines differ: what depends on these numbers is nothing to assert.
fn available_processors(vm: &mut Vmj, _: &[Val]) -> Res<i32> {
    note(vm, "processors");
    Ok(if vm.salt == 0 { 2 } else { 5 })
}

fn free_memory(vm: &mut Vmj, _: &[Val]) -> Res<i64> {
    note(vm, "memory");
    Ok(if vm.salt == 0 { 128 << 20 } else { 96 << 20 })
}

fn total_memory(vm: &mut Vmj, _: &[Val]) -> Res<i64> {
    note(vm, "memory");
    Ok(if vm.salt == 0 { 256 << 20 } else { 384 << 20 })
}

/// Nothing is collected within a run.
fn collect(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn halt(_: &mut Vmj, args: &[Val]) -> Res<()> {
    Err(Stop::Exit(arg(args, 0).as_i32()).into())
}

/// Positions and length may be symbolic: whether they fit is one check, then they are decided, so that the search
/// can come back with others.
fn arraycopy(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let [from, from_at, to, to_at, count] = std::array::from_fn(|i| arg(args, i));
    let source = super::text::object(vm, from, true)?;
    let target = super::text::object(vm, to, true)?;
    let (source_class, target_class) = (vm.heap.class(source), vm.heap.class(target));
    let (source_elem, target_elem) =
        match (vm.lang.classes[source_class].kind, vm.lang.classes[target_class].kind) {
            (ClassKind::Array { elem: s, .. }, ClassKind::Array { elem: t, .. }) => (s, t),
            (ClassKind::Array { .. }, _) => return Err(not_an_array(vm, "destination", target)),
            _ => return Err(not_an_array(vm, "source", source)),
        };
    let (source_cell, target_cell) = (cell(vm, source), cell(vm, target));
    let primitive =
        vm.lang.classes[source_elem].is_primitive() || vm.lang.classes[target_elem].is_primitive();
    if primitive && source_elem != target_elem {
        return Err(mismatch(vm, source, target));
    }
    let fits = fits(vm, source, from_at, count, "srcPos")?;
    if let Some(message) = fits {
        return Err(out_of_bounds(vm, message, [from_at, to_at, count], source, target));
    }
    if let Some(message) = self::fits(vm, target, to_at, count, "destPos")? {
        return Err(out_of_bounds(vm, message, [from_at, to_at, count], source, target));
    }
    for position in [from_at, to_at, count] {
        decide_value(vm, position)?;
    }
    let (from_at, to_at, count) = (from_at.bits as u32, to_at.bits as u32, count.bits as u32);
    let unchecked = primitive || vm.lang.is_subclass(source_elem, target_elem);
    if source_cell != target_cell {
        return Err(mismatch(vm, source, target));
    }
    if unchecked {
        vm.copy_elems(source, from_at, target, to_at, count, source_cell)?;
        return Ok(());
    }
    copy_checked(vm, source, from_at, target, to_at, count)
}

fn cell(vm: &Vmj, array: ObjId) -> MemType {
    vm.lang.class_info(vm.heap.class(array)).elem.unwrap_or(MemType::Ref)
}

/// Element by element, until one does not fit; those before it stay copied (as the specification says).
fn copy_checked(vm: &mut Vmj, source: ObjId, from: u32, target: ObjId, to: u32, count: u32) -> Res<()> {
    let target_class = vm.heap.class(target);
    for i in 0..count {
        let elem = vm.load(source, (from + i) * 4, MemType::Ref)?;
        let object = elem.as_obj();
        if !object.is_null() {
            let class = vm.dispatch_class(elem)?;
            if !vm.lang.may_store(target_class, class) {
                let message = format!(
                    "arraycopy: element type mismatch: can not cast one of the elements of {} to the type of the destination array, {}",
                    elem_name(vm, vm.heap.class(source)) + "[]",
                    elem_name(vm, target_class),
                );
                return Err(throw("java/lang/ArrayStoreException", message));
            }
        }
        vm.store(target, (to + i) * 4, MemType::Ref, elem)?;
    }
    Ok(())
}

fn elem_name(vm: &Vmj, array: ClassId) -> String {
    vm.lang.elem_of(array).map_or_else(String::new, |elem| vm.lang.classes[elem].java_name())
}

/// Checks `0 <= at`, `0 <= count`, `at + count <= length` as one decision; says what is wrong.
fn fits(
    vm: &mut Vmj,
    array: ObjId,
    at: Val,
    count: Val,
    position: &'static str,
) -> Res<Option<&'static str>> {
    let len = vm.heap.len(array);
    let len_term = vm.heap.len_term(array);
    let (p, c) = (at.as_i32(), count.as_i32());
    let inside = p >= 0 && c >= 0 && p as u32 as u64 + c as u32 as u64 <= len as u64;
    if at.term.is_some() || count.term.is_some() || len_term.is_some() {
        let p = vm.term(at, Sort::Bv(32));
        let c = vm.term(count, Sort::Bv(32));
        let n = vm.term(Val { bits: len as u64, term: len_term }, Sort::Bv(32));
        let pool = &mut vm.pool;
        let zero = pool.bv(32, 0);
        let (p_ok, c_ok) = (pool.sle(zero, p), pool.sle(zero, c));
        let sum = pool.bvadd(p, c);
        let fits = pool.ule(sum, n);
        let condition = pool.all(&[p_ok, c_ok, fits]);
        vm.decide(ElemKind::Check(ir::Check::Bounds), condition, inside)?;
    }
    Ok((!inside).then_some(position))
}

/// Fixes a symbolic value by a decision that can be flipped.
pub(crate) fn decide_value(vm: &mut Vmj, val: Val) -> Res<()> {
    if val.term.is_some() {
        let sort = vm.pool.sort(val.term);
        let constant = vm.pool.constant(sort, val.bits as u128);
        let same = vm.pool.eq(val.term, constant);
        vm.decide(ElemKind::Which, same, true)?;
    }
    Ok(())
}

fn out_of_bounds(vm: &Vmj, position: &str, values: [Val; 3], source: ObjId, target: ObjId) -> Fail {
    let [from, to, count] = values.map(Val::as_i32);
    let message = if from < 0 || to < 0 || count < 0 {
        let (what, index, array) = match (from < 0, to < 0) {
            (true, _) => ("source index", from, source),
            (_, true) => ("destination index", to, target),
            _ => {
                return throw(
                    "java/lang/ArrayIndexOutOfBoundsException",
                    format!("arraycopy: length {count} is negative"),
                );
            }
        };
        format!("arraycopy: {what} {index} out of bounds for {}", sized_text(vm, array))
    } else {
        let (what, at, array) = match position {
            "srcPos" => ("last source index", from, source),
            _ => ("last destination index", to, target),
        };
        format!(
            "arraycopy: {what} {} out of bounds for {}",
            at as u32 as u64 + count as u32 as u64,
            sized_text(vm, array)
        )
    };
    throw("java/lang/ArrayIndexOutOfBoundsException", message)
}

/// `int[5]`, `object array[5]`.
fn sized_text(vm: &Vmj, array: ObjId) -> String {
    let class = vm.heap.class(array);
    let elem = vm.lang.elem_of(class).map(|elem| &vm.lang.classes[elem]);
    match elem {
        Some(elem) if elem.is_primitive() => format!("{}[{}]", elem.name, vm.heap.len(array)),
        _ => format!("object array[{}]", vm.heap.len(array)),
    }
}

fn array_text(vm: &Vmj, array: ObjId) -> String {
    let class = vm.heap.class(array);
    let elem = vm.lang.elem_of(class).map(|elem| &vm.lang.classes[elem]);
    match elem {
        Some(elem) if elem.is_primitive() => format!("{}[]", elem.name),
        _ => "object array[]".to_string(),
    }
}

fn mismatch(vm: &Vmj, source: ObjId, target: ObjId) -> Fail {
    let message = format!(
        "arraycopy: type mismatch: can not copy {} into {}",
        array_text(vm, source),
        array_text(vm, target)
    );
    throw("java/lang/ArrayStoreException", message)
}

fn not_an_array(vm: &Vmj, which: &str, object: ObjId) -> Fail {
    let name = vm.lang.classes[vm.heap.class(object)].java_name();
    throw("java/lang/ArrayStoreException", format!("arraycopy: {which} type {name} is not an array"))
}
