//! Inputs: values of Java types built from symbolic variables.
//!
//! Variables are named after the parameter: `n` for a number, `s.null`, `s.length` and `s[3]` for a string or
//! array, `e` for the ordinal of an enum constant. A reference is the term `ite(s.null, 0, object)`: whether
//! it is null is decided where the program asks.

use ir::{ClassId, MemType, Type};
use ledger::Kind as Imprecision;
use term::{Assignment, Sort, TermId};
use vm::{ElemKind, ObjId, Origin, Outcome, Stop, Val, View, Vm};

use crate::load::{FieldType, access};
use crate::world::Jvm;

/// How inputs of a type are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A primitive.
    Scalar(FieldType),
    /// A `java.lang.String`.
    Str,
    /// A box of a primitive.
    Boxed {
        class: ClassId,
        prim: FieldType,
    },
    /// A constant of an enum, by its place in the list.
    Enum {
        class: ClassId,
        constants: Vec<ObjId>,
    },
    Array {
        class: ClassId,
        elem: Box<Kind>,
    },
    /// Objects of one class stand for all that the type allows.
    Only {
        kind: Box<Kind>,
        ty: String,
    },
    /// Nothing but null, because we cannot make objects of the type yet.
    Null(String),
}

/// Strings and arrays are at most this long.
pub const MAX_LENGTH: u32 = 1 << 16;

/// How many characters decide whether a string needs 16-bit units; beyond them it is assumed.
const CODER_UNITS: u32 = 4;

/// How to make inputs of a type. Initialises enums and adds them to the snapshot, so it belongs between runs.
pub fn kind_of(vm: &mut Vm<Jvm>, ty: &FieldType) -> Kind {
    match ty {
        FieldType::Class(name) => class_kind(vm, name),
        FieldType::Array(elem) => {
            // `<T extends Comparable<T>> f(T[], T)` takes strings only in an array of strings.
            let of_strings = matches!(&**elem, FieldType::Class(name) if &**name == "java/lang/Comparable");
            let made =
                if of_strings { vm.lang.class("[Ljava/lang/String;") } else { vm.lang.class_of_type(ty) };
            let Ok(class) = made else { return Kind::Null(format!("{ty:?}")) };
            Kind::Array { class, elem: Box::new(kind_of(vm, elem)) }
        }
        prim => Kind::Scalar(prim.clone()),
    }
}

fn class_kind(vm: &mut Vm<Jvm>, name: &str) -> Kind {
    let prim = match name {
        "java/lang/String" => return Kind::Str,
        "java/lang/Boolean" => FieldType::Boolean,
        "java/lang/Byte" => FieldType::Byte,
        "java/lang/Short" => FieldType::Short,
        "java/lang/Character" => FieldType::Char,
        "java/lang/Integer" => FieldType::Int,
        "java/lang/Long" => FieldType::Long,
        "java/lang/Float" => FieldType::Float,
        "java/lang/Double" => FieldType::Double,
        // The simplest objects a person would pass.
        "java/lang/CharSequence" | "java/lang/Object" | "java/lang/Comparable" | "java/io/Serializable" => {
            return Kind::Only { kind: Box::new(Kind::Str), ty: name.replace('/', ".") };
        }
        "java/lang/Number" => {
            let kind = Box::new(class_kind(vm, "java/lang/Integer"));
            return Kind::Only { kind, ty: name.replace('/', ".") };
        }
        _ => return enum_kind(vm, name),
    };
    match vm.lang.class(name) {
        Ok(class) => Kind::Boxed { class, prim },
        Err(_) => Kind::Null(name.to_string()),
    }
}

fn enum_kind(vm: &mut Vm<Jvm>, name: &str) -> Kind {
    let unsupported = Kind::Null(name.replace('/', "."));
    let Ok(class) = vm.lang.class(name) else { return unsupported };
    if vm.lang.classes[class].access & access::ENUM == 0 {
        return unsupported;
    }
    match enum_constants(vm, class) {
        Some(constants) if !constants.is_empty() => Kind::Enum { class, constants },
        _ => unsupported,
    }
}

/// The constants of an enum in order; initialises it in the snapshot. `None` if that fails.
pub fn enum_constants(vm: &mut Vm<Jvm>, class: ClassId) -> Option<Vec<ObjId>> {
    vm.start_run(Assignment::default());
    initialise(vm, class).ok()?;
    vm.freeze();
    let mirror = <Jvm as vm::Lang>::statics(vm, class).ok()?;
    let fields = &vm.lang.classes[class].fields;
    let offsets: Vec<u32> =
        fields.iter().filter(|f| f.is_static() && f.access & access::ENUM != 0).map(|f| f.offset).collect();
    Some(offsets.into_iter().map(|offset| vm.heap.read_ref(mirror, offset)).collect())
}

/// Initialises a class from outside a run.
pub fn initialise(vm: &mut Vm<Jvm>, class: ClassId) -> Result<(), Outcome> {
    if <Jvm as vm::Lang>::is_initialised(vm, class) {
        return Ok(());
    }
    let initialiser = <Jvm as vm::Lang>::initialiser(vm, class).map_err(Outcome::Stopped)?;
    match vm.call(initialiser, &[]) {
        Outcome::Returned(_) => Ok(()),
        other => Err(other),
    }
}

/// Makes the value of an input in the current run.
pub fn make(vm: &mut Vm<Jvm>, name: &str, kind: &Kind) -> Result<Val, Stop> {
    match kind {
        Kind::Scalar(ty) => scalar(vm, name, ty),
        Kind::Str => string(vm, name),
        Kind::Boxed { class, prim } => boxed(vm, name, *class, prim),
        Kind::Enum { constants, .. } => enum_constant(vm, name, constants),
        Kind::Array { class, elem } => array(vm, name, *class, elem),
        Kind::Only { kind, ty } => {
            vm.ledger.note(Imprecision::UnsupportedInput, ty, "only one class of objects is tried");
            make(vm, name, kind)
        }
        Kind::Null(ty) => {
            vm.ledger.note(Imprecision::UnsupportedInput, ty, "only null is tried");
            Ok(Val::ZERO)
        }
    }
}

fn scalar(vm: &mut Vm<Jvm>, name: &str, ty: &FieldType) -> Result<Val, Stop> {
    let (term, bits) = vm.inputs.scalar(&mut vm.pool, name, scalar_sort(ty));
    Ok(match ty {
        FieldType::Boolean => Val { bits: bits & 1, term: vm.pool.bool_to_bv(32, term) },
        FieldType::Byte => Val { bits: bits as i8 as u32 as u64, term: vm.pool.sext(32, term) },
        FieldType::Short => Val { bits: bits as i16 as u32 as u64, term: vm.pool.sext(32, term) },
        FieldType::Char => Val { bits: bits as u16 as u64, term: vm.pool.zext(32, term) },
        _ => Val { bits, term },
    })
}

/// The sort of the variable behind a primitive.
pub fn scalar_sort(ty: &FieldType) -> Sort {
    match ty {
        FieldType::Boolean => Sort::Bool,
        FieldType::Byte => Sort::Bv(8),
        FieldType::Short | FieldType::Char => Sort::Bv(16),
        FieldType::Long => Sort::Bv(64),
        FieldType::Float => Sort::F32,
        FieldType::Double => Sort::F64,
        FieldType::Int | FieldType::Class(_) | FieldType::Array(_) => Sort::Bv(32),
    }
}

/// A reference to `object` that may be null.
fn nullable(vm: &mut Vm<Jvm>, name: &str, object: ObjId) -> Val {
    let (is_null, bits) = vm.inputs.scalar(&mut vm.pool, &format!("{name}.null"), Sort::Bool);
    let (null, id) = (vm.pool.bv(32, 0), vm.pool.bv(32, object.0 as u64));
    let term = vm.pool.ite(is_null, null, id);
    Val { bits: if bits != 0 { 0 } else { object.0 as u64 }, term }
}

/// The length of a sequence in this run, bounded.
fn length(vm: &mut Vm<Jvm>, len: TermId) -> Result<u32, Stop> {
    let bits = vm.inputs.value(&vm.pool, len) as u32;
    let max = vm.pool.bv(32, MAX_LENGTH as u64);
    let bounded = vm.pool.ule(len, max);
    if bits > MAX_LENGTH {
        return Err(Stop::Assumption);
    }
    vm.assume(bounded)?;
    vm.ledger.note(Imprecision::InputBound, "inputs", format!("at most {MAX_LENGTH} elements"));
    Ok(bits)
}

fn string(vm: &mut Vm<Jvm>, name: &str) -> Result<Val, Stop> {
    let input = vm.inputs.sequence(&mut vm.pool, name, Sort::Bv(16));
    let len_term = vm.inputs.get(input).len;
    let len = length(vm, len_term)?;
    let units: Vec<u16> = (0..len).map(|i| vm.inputs.elem_value(&vm.pool, input, i) as u16).collect();
    let object = crate::link::new_string(vm, &units)?;
    let known = &vm.lang.known;
    let (value_at, coder_at) = (known.string_value, known.string_coder);
    let value = vm.heap.read_ref(object, value_at);
    let wide = units.iter().any(|unit| *unit > 0xff);
    let late = wide && units.iter().take(CODER_UNITS as usize).all(|unit| *unit <= 0xff);
    let Some(coder_at) = coder_at else {
        // Before Java 9 the units are the array.
        let shadow = vm.heap.shadow_mut(value);
        shadow.len = len_term;
        shadow.origin = Some(Origin { input, view: View::Whole });
        return Ok(nullable(vm, name, object));
    };
    // A string is wide if any of its units is; the first few decide, for the others it is a fact of the run.
    let mut wide_term = vm.pool.bool(false);
    for i in 0..CODER_UNITS {
        let unit = vm.inputs.elem(&mut vm.pool, input, i);
        let (index, border) = (vm.pool.bv(32, i as u64), vm.pool.bv(16, 0x100));
        let inside = vm.pool.ult(index, len_term);
        let narrow = vm.pool.ult(unit, border);
        let high = vm.pool.not(narrow);
        let both = vm.pool.and(inside, high);
        wide_term = vm.pool.or(wide_term, both);
    }
    let narrow_term = vm.pool.not(wide_term);
    // Readers and most programs are happy with Latin letters: others come when nothing else is left to try.
    vm.decide(ElemKind::Prefer, narrow_term, !wide || late)?;
    if late {
        vm.ledger.note(
            Imprecision::Concretised,
            name,
            "a string that is wide beyond its first characters stays so",
        );
    } else {
        let coder = vm.pool.bool_to_bv(8, wide_term);
        vm.store_cell(object, coder_at, MemType::I8, coder)?;
    }
    let mut len_in_bytes = len_term;
    if wide {
        let one = vm.pool.bv(32, 1);
        len_in_bytes = vm.pool.bvshl(len_term, one);
    }
    let view = if wide { View::BothBytes } else { View::LowBytes { decided: CODER_UNITS } };
    let shadow = vm.heap.shadow_mut(value);
    shadow.len = len_in_bytes;
    shadow.origin = Some(Origin { input, view });
    Ok(nullable(vm, name, object))
}

fn boxed(vm: &mut Vm<Jvm>, name: &str, class: ClassId, prim: &FieldType) -> Result<Val, Stop> {
    let object = vm.new_object(class)?;
    let val = scalar(vm, name, prim)?;
    let place = vm.lang.classes[class].fields.iter().find(|f| &*f.name == "value" && !f.is_static());
    let Some((ty, offset)) = place.map(|f| (f.ty, f.offset)) else {
        return Err(Stop::Unsupported { what: "box", which: vm.lang.classes[class].name.to_string() });
    };
    vm.store(object, offset, ty, val)?;
    Ok(nullable(vm, name, object))
}

fn enum_constant(vm: &mut Vm<Jvm>, name: &str, constants: &[ObjId]) -> Result<Val, Stop> {
    let (index, bits) = vm.inputs.scalar(&mut vm.pool, name, Sort::Bv(32));
    let Some(chosen) = constants.get(bits as usize).copied() else { return Err(Stop::Assumption) };
    let count = vm.pool.bv(32, constants.len() as u64);
    let inside = vm.pool.ult(index, count);
    vm.assume(inside)?;
    let mut term = vm.pool.bv(32, constants.last().map_or(0, |c| c.0 as u64));
    for (i, constant) in constants.iter().enumerate().rev().skip(1) {
        let (here, id) = (vm.pool.bv(32, i as u64), vm.pool.bv(32, constant.0 as u64));
        let hit = vm.pool.eq(index, here);
        term = vm.pool.ite(hit, id, term);
    }
    let (is_null, null_bits) = vm.inputs.scalar(&mut vm.pool, &format!("{name}.null"), Sort::Bool);
    let null = vm.pool.bv(32, 0);
    let term = vm.pool.ite(is_null, null, term);
    Ok(Val { bits: if null_bits != 0 { 0 } else { chosen.0 as u64 }, term })
}

fn array(vm: &mut Vm<Jvm>, name: &str, class: ClassId, elem: &Kind) -> Result<Val, Stop> {
    // Only the elements of primitive arrays are variables; objects have variables of their own.
    let input = match elem {
        Kind::Scalar(ty) => Some(vm.inputs.sequence(&mut vm.pool, name, scalar_sort(ty))),
        _ => None,
    };
    let len_term = match input {
        Some(input) => vm.inputs.get(input).len,
        None => vm.inputs.scalar(&mut vm.pool, &format!("{name}.length"), Sort::Bv(32)).0,
    };
    let len = length(vm, len_term)?;
    let array = vm.new_array(class, len)?;
    match (elem, input) {
        (Kind::Scalar(ty), Some(input)) => {
            let cell = crate::link::mem_type(ty);
            for i in 0..len {
                let bits = vm.inputs.elem_value(&vm.pool, input, i);
                vm.store_bits(array, i * cell.size(), cell, bits);
            }
            let shadow = vm.heap.shadow_mut(array);
            shadow.len = len_term;
            shadow.origin = Some(Origin { input, view: View::Whole });
        }
        _ => {
            vm.heap.shadow_mut(array).len = len_term;
            for i in 0..len {
                let val = make(vm, &format!("{name}[{i}]"), elem)?;
                vm.store(array, i * MemType::Ref.size(), MemType::Ref, val)?;
            }
        }
    }
    Ok(nullable(vm, name, array))
}

/// The register type of an input.
pub fn register_type(kind: &Kind) -> Type {
    match kind {
        Kind::Scalar(ty) => crate::link::reg_type(ty),
        _ => Type::Ref,
    }
}
