//! Collections as inputs.
//!
//! A list is an `ArrayList` whose size is a variable: its two fields are set as `new ArrayList<>(elements)` leaves
//! them. Other collections are filled by their own methods, with as many elements as the run's model says.

use ir::{ClassId, FuncId, MemType};
use ledger::Kind as Imprecision;
use term::Sort;
use vm::{ElemKind, ObjId, Outcome, Stop, Val, Vm};

use super::object::{Event, absent, log, nothing};
use super::{Generic, Kind, make_at, nullable};
use crate::natives::support::field_of;
use crate::world::Jvm;

/// Collections that are filled element by element have at most so many.
const MAX_FILLED: u64 = 4;
/// Lists have at most so many elements.
const MAX_LIST: u64 = 64;

/// An `ArrayList` of symbolic size.
pub(super) fn list(
    vm: &mut Vm<Jvm>,
    name: &str,
    class: ClassId,
    elem: &Kind,
    of: &Generic,
    optional: bool,
) -> Result<Val, Stop> {
    if absent(vm, name, optional) {
        return nothing(vm, name, class, optional);
    }
    let object = vm.new_object(class)?;
    let (len_term, bits) = vm.inputs.scalar(&mut vm.pool, &format!("{name}.size"), Sort::Bv(32));
    let len = bounded(vm, name, len_term, bits, MAX_LIST)? as u32;
    let jvm = &vm.lang;
    let fields = (
        field_of(jvm, class, "elementData"),
        field_of(jvm, class, "size"),
        jvm.loaded("[Ljava/lang/Object;"),
    );
    let (Some((data_at, _)), Some((size_at, size_ty)), Some(objects)) = fields else {
        return Err(Stop::Unsupported { what: "input", which: "java.util.ArrayList".to_string() });
    };
    let data = vm.new_array(objects, len)?;
    if !vm.inputs.is_plain() {
        vm.heap.shadow_mut(data).len = len_term;
    }
    let mut items = Vec::new();
    let outer = vm.lang.worlds.there;
    for i in 0..len {
        let index = vm.pool.bv(32, i as u64);
        let inside = vm.pool.ult(index, len_term);
        vm.lang.worlds.there = if outer.is_some() { vm.pool.and(outer, inside) } else { inside };
        let val = make_at(vm, &format!("{name}.get{i}"), elem, false)?;
        vm.store(data, i * MemType::Ref.size(), MemType::Ref, val)?;
        items.push(val);
    }
    vm.lang.worlds.there = outer;
    vm.store(object, data_at, MemType::Ref, Val::obj(data))?;
    vm.store(object, size_at, size_ty, Val { bits: len as u64, term: len_term })?;
    if vm.lang.worlds.script.is_some() {
        let items = items.iter().map(|val| crate::observe::see_input(vm, val.as_obj())).collect();
        log(vm, Event::Listed { name: name.to_string(), object, items, of: of.clone() });
    }
    Ok(nullable(vm, name, object, optional))
}

fn bounded(vm: &mut Vm<Jvm>, name: &str, term: term::TermId, bits: u64, max: u64) -> Result<u64, Stop> {
    if bits > max {
        return Err(Stop::Assumption);
    }
    let limit = vm.pool.bv(32, max);
    let inside = vm.pool.ule(term, limit);
    vm.outside = super::site(name);
    vm.assume(inside)?;
    vm.ledger.note(Imprecision::Tried, "inputs", format!("collections of at most {max} elements"));
    Ok(bits)
}

/// A collection that `add` fills: a set, a queue, a map (`put`).
pub(super) fn filled(
    vm: &mut Vm<Jvm>,
    name: &str,
    class: ClassId,
    add: FuncId,
    (elems, of): (&[Kind], &[Generic]),
    optional: bool,
) -> Result<Val, Stop> {
    if absent(vm, name, optional) {
        return nothing(vm, name, class, optional);
    }
    let (size, bits) = vm.inputs.scalar(&mut vm.pool, &format!("{name}.size"), Sort::Bv(32));
    let count = bounded(vm, name, size, bits, MAX_FILLED)?;
    // How many there are shows in the structure, so it is decided here.
    let here = vm.pool.bv(32, count);
    let same = vm.pool.eq(size, here);
    vm.outside = super::site(&format!("{name}.size"));
    vm.decide(ElemKind::Which, same, true)?;
    super::initialise(vm, class).map_err(|_| Stop::Assumption)?;
    let object = vm.new_object(class)?;
    let Some(constructor) = vm.lang.declared(class, "<init>", "()V") else { return Err(Stop::Assumption) };
    returned(vm.call(constructor, &[Val::obj(object)]))?;
    if vm.lang.worlds.script.is_some() {
        let made = Event::Made {
            name: name.to_string(),
            object,
            func: constructor,
            on: None,
            args: Vec::new(),
            class,
            of: of.to_vec(),
        };
        log(vm, made);
    }
    let func = crate::observe::dispatched(vm, object, add).ok_or(Stop::Assumption)?;
    let parts: &[&str] = if elems.len() > 1 { &["key", "value"] } else { &["element"] };
    for i in 0..count {
        let names: Vec<String> = parts.iter().map(|part| format!("{name}.{part}{i}")).collect();
        add_one(vm, &names, object, (func, add), elems)?;
    }
    Ok(nullable(vm, name, object, optional))
}

fn add_one(
    vm: &mut Vm<Jvm>,
    names: &[String],
    object: ObjId,
    (func, add): (FuncId, FuncId),
    elems: &[Kind],
) -> Result<(), Stop> {
    let mut vals = vec![Val::obj(object)];
    for (kind, name) in elems.iter().zip(names) {
        let val = make_at(vm, name, kind, false)?;
        vals.push(val);
    }
    let script = vm.lang.worlds.script.is_some();
    let seen =
        script.then(|| vals[1..].iter().map(|val| crate::observe::see_input(vm, val.as_obj())).collect());
    returned(vm.call(func, &vals))?;
    if let Some(args) = seen {
        log(vm, Event::Called { object, func: add, args });
    }
    Ok(())
}

fn returned(outcome: Outcome) -> Result<(), Stop> {
    match outcome {
        Outcome::Returned(_) => Ok(()),
        // A sorted set takes no null: such a collection is no input.
        Outcome::Threw(_) => Err(Stop::Assumption),
        Outcome::Stopped(stop) => Err(stop),
    }
}
