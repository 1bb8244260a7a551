//! Inputs: values of Java types built from symbolic variables.
//!
//! Variables are named after the parameter: `n` for a number, `s.null`, `s.length` and `s[3]` for a string or
//! array, `e` for the ordinal of an enum constant. A reference is the term `ite(s.null, 0, object)`: whether
//! it is null is decided where the program asks. Objects are made as a test would make them, by constructors,
//! factories, assignments and calls whose arguments are inputs again ([`recipe`], [`mod@object`]): what a run works on
//! can always be built, and class invariants hold.

mod asked;
mod callback;
mod cases;
mod collection;
mod declared;
mod effects;
mod enums;
pub mod example;
mod fake;
mod generic;
mod given;
mod hidden;
mod kinds;
pub mod known;
mod lambdas;
mod left_out;
mod library;
mod made_up;
mod moments;
mod nullness;
mod object;
mod owners;
mod pattern;
mod producers;
mod raw;
mod recipe;
mod reflected;
mod resets;
mod rule;
mod shape;
mod statics;
mod through;
mod values;
mod vocabulary;
mod words;
pub mod wrapped;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ir::{ClassId, FuncId, MemType, Type};
use ledger::Kind as Imprecision;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::Hasher;
use term::{Sort, TermId};
use vm::{ElemKind, ObjId, Origin, Outcome, Site, Stop, Val, View, Vm};

use crate::load::FieldType;
use crate::world::Jvm;

pub use callback::Callback;
pub use effects::{is_changeable, reads, writes};
pub use fake::{Fake, FakeCall, FakeMethod, Given, STAND_IN, could_throw, look_at_given, unmade};
pub use generic::{
    Generic, Open, closed_result, has_wildcards, is_generic, open_within_bounds, returns_variables,
};
pub use hidden::{Hidden, hidden, is_only_handed_out, params_of};
pub use kinds::{enum_constants, kind_for};
pub use known::{Conditions, Known};
pub use lambdas::{escaping, is_body, lambdas};
pub use left_out::{INPUT as LEFT_OUT, LeftOut, left_out};
pub use made_up::{stand_in, types_on};
pub use nullness::refuses_null;
pub use object::{Event, MAX_CHANGES, change_order, class_of, object};
pub use pattern::shortest_match;
pub use producers::{Constant, constant};
pub use raw::{allow_raw, forbid_raw, says_field_is_set};
pub use recipe::{
    Make, ParamWay, Recipe, Way, can_call, can_name, is_assigned, is_inner, is_written, param_kinds,
    param_names, param_types, param_types_on, prepare_class, prepare_makes, way,
};
pub use resets::{Reset, disturb, reset, resets};
pub use shape::shape;
pub use statics::{Shared, StaticField, Statics, call_earlier, keeps_state, statics};
pub use vocabulary::vocabulary;

/// What is known of input objects: recipes of classes, and what the current run made.
#[derive(Default, Clone)]
pub struct Worlds {
    /// The class under test: what its package may use, tests may use.
    pub context: Option<ClassId>,
    /// Classes without a name whose code the method under test runs: what they ask of inputs is tried first.
    pub behind: Vec<ClassId>,
    /// Classes without a name, and how their objects are made.
    handed: Vec<(ClassId, Kind)>,
    /// Tests of it lie in another package, as its jar lets nobody into its own.
    pub apart: bool,
    /// Tests are written in Kotlin.
    pub in_kotlin: bool,
    pub recipes: FxHashMap<Arc<str>, Arc<Recipe>>,
    /// What making inputs runs is looked at as well.
    pub whole: bool,
    /// The run asked for random numbers.
    pub random: bool,
    /// Names of the fields that the method under test may read: what it is called on is best changed there.
    pub wanted: Arc<BTreeSet<Arc<str>>>,
    /// So many more calls than usual may come before, on what the method under test is called on.
    pub more_calls: u32,
    /// Abstract classes whose stand-ins' constructors are being found out.
    pub constructed: Vec<ClassId>,
    /// Recipes that are being found out.
    preparing: Vec<Arc<str>>,
    /// Classes of the program by their direct supertypes, once asked for.
    hierarchy: Option<BTreeMap<Arc<str>, Vec<Arc<str>>>>,
    /// Objects that this run made by recipes, in order.
    made: Vec<object::Made>,
    /// Objects that others handed out when they were made, with those.
    handed_out: Vec<(ObjId, ObjId)>,
    /// Arrays that are arguments of this run, in order.
    arrays: Vec<object::Made>,
    /// Inputs of this run that are constants of an enum, and what they could have been.
    pub enum_inputs: Vec<(String, Vec<ObjId>)>,
    /// Classes of the arrays inside of objects and arrays.
    inner_arrays: Vec<ClassId>,
    /// The array that was made last.
    last_array: Option<ObjId>,
    /// Texts and boxes of this run that are what their values are, and the names of texts that may be copies.
    by_value: FxHashMap<ObjId, Option<Arc<str>>>,
    /// When what is being made is there at all.
    there: TermId,
    /// Recipes that are being followed, the outermost first.
    stack: Vec<Arc<str>>,
    /// Whether arguments of calls on input objects are being made.
    changing: u32,
    /// How many of the recipes make what a factory of the next is called on.
    makers: usize,
    /// Classes that stand for interfaces: the type each was made for, and its methods.
    pub fakes: FxHashMap<ClassId, (Arc<str>, Arc<Fake>)>,
    /// Fakes of this run by name, and their calls.
    faked: Vec<(ObjId, String)>,
    pub fake_calls: Vec<FakeCall>,
    /// How often each method of each of them was called, and how often all of them were.
    pub fake_counts: FxHashMap<(ObjId, usize), usize>,
    pub fake_asked: u64,
    /// Results of their methods that were made beforehand: fake, numbers of the method and of the case, result.
    fake_results: Vec<(ObjId, usize, usize, Val)>,
    /// Exceptions that their calls throw: fake, numbers of the method and of the call, exception.
    fake_thrown: Vec<(ObjId, usize, usize, ObjId)>,
    /// What they give to functions that they were given: fake, numbers of the method and of the argument, argument.
    fake_passed: Vec<(ObjId, usize, usize, Val)>,
    /// How many fakes are being prepared inside each other.
    faking: u32,
    /// The next stand-in is of a type with an argument that may be null: `() -> String?`.
    lenient: bool,
    /// Whether types that code asks objects for are being prepared.
    asking: u32,
    /// What users know of inputs.
    pub known: Arc<Known>,
    /// What objects of a class must be like.
    type_rules: FxHashMap<ClassId, Arc<known::TypeRules>>,
    /// Fields that are set directly, by class; none where objects come from calls alone.
    raw: Option<FxHashMap<ClassId, Arc<[recipe::FieldWay]>>>,
    /// What static fields have to do with methods, as far as it was looked at.
    looked_at: FxHashMap<(ClassId, FuncId), statics::Looked>,
    /// Methods that take too long to be asked what an object shows.
    pub costly: FxHashSet<FuncId>,
    /// Getters are asked in the opposite order: what one changes shows in the others.
    pub backwards: bool,
    /// How this run's inputs were made, if somebody wants to know.
    pub script: Option<Vec<Event>>,
}

impl Worlds {
    /// The objects of the last run are gone.
    pub(crate) fn forget_objects(&mut self) {
        self.made.clear();
        self.arrays.clear();
        self.last_array = None;
        self.by_value.clear();
    }

    /// Whether all inputs of this run were made before it began: nothing stands for an interface.
    pub(crate) fn is_plain(&self) -> bool {
        self.faked.is_empty()
    }

    /// Whether the object's identity follows from its value.
    pub(crate) fn is_by_value(&self, object: ObjId) -> bool {
        self.by_value.contains_key(&object)
    }

    pub(crate) fn set_by_value(&mut self, object: ObjId, name: Option<&str>) {
        self.by_value.insert(object, name.map(Arc::from));
    }

    /// The variable that says whether an input text is a copy.
    pub(crate) fn copy_name(&self, object: ObjId) -> Option<String> {
        let name = self.by_value.get(&object)?.as_ref()?;
        Some(format!("{name}.copy"))
    }

    /// Whether a step of the script made the object.
    pub fn is_scripted(&self, object: ObjId) -> bool {
        self.script.iter().flatten().any(|event| match event {
            Event::Made { object: made, .. }
            | Event::Constant { object: made, .. }
            | Event::Listed { object: made, .. }
            | Event::Faked { object: made, .. } => *made == object,
            Event::Called { .. } | Event::CalledFirst { .. } | Event::Assigned { .. } => false,
        })
    }
}

/// Inputs are made from now on.
pub fn begin(vm: &mut Vm<Jvm>) {
    vm.making_inputs = true;
    let worlds = &mut vm.lang.worlds;
    worlds.random = false;
    worlds.made.clear();
    worlds.handed_out.clear();
    worlds.arrays.clear();
    worlds.inner_arrays.clear();
    worlds.enum_inputs.clear();
    worlds.stack.clear();
    worlds.changing = 0;
    worlds.makers = 0;
    worlds.there = TermId::NONE;
    worlds.faked.clear();
    worlds.fake_calls.clear();
    worlds.fake_counts.clear();
    worlds.fake_asked = 0;
    worlds.fake_results.clear();
    worlds.fake_thrown.clear();
    worlds.fake_passed.clear();
    if let Some(script) = &mut worlds.script {
        script.clear();
    }
}

/// All inputs are made.
pub fn done(vm: &mut Vm<Jvm>) {
    vm.making_inputs = false;
    vm.input_objects = vm.heap.count() as u32;
    vm.outside = 0;
    // What making them ran is no part of what the call covers.
    if !vm.lang.worlds.whole {
        vm.trace.forget_coverage();
    }
}

/// Decisions on an input have a place of their own, the same in every run.
fn site(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    Site::outside(hasher.finish() as u32 | 1, name.matches('.').count())
}

/// How inputs of a type are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A primitive.
    Scalar(FieldType),
    /// A `java.lang.String`.
    Str,
    /// A text, or one of these, which the program looks for.
    Word(Vec<ObjId>),
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
    /// An object made by the recipe of this key.
    Object(Arc<str>),
    /// An `ArrayList`.
    List {
        class: ClassId,
        elem: Box<Kind>,
        /// The type of its elements.
        of: Generic,
        /// The type that it stands for, if that is another one.
        stands_for: Option<Arc<str>>,
    },
    /// A collection filled by its own method: of elements, or of keys and values.
    Filled {
        class: ClassId,
        add: FuncId,
        elems: Vec<Kind>,
        /// The types of its elements, or of keys and values.
        of: Vec<Generic>,
        stands_for: Option<Arc<str>>,
    },
    /// An object of a class that was made up for an interface.
    Fake {
        class: ClassId,
    },
    /// An object of one of several kinds.
    OneOf {
        ty: ClassId,
        kinds: Vec<Kind>,
        /// The user says that there are no others.
        all: bool,
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

/// Whether a test may name what is open to the package of a class.
pub(crate) fn lies_near(jvm: &Jvm, class: ClassId) -> bool {
    recipe::is_near(jvm, class)
}

/// How to make inputs of a type whose arguments are not known.
pub fn kind_of(vm: &mut Vm<Jvm>, ty: &FieldType) -> Kind {
    kind_for(vm, &Generic::of(ty))
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
    make_at(vm, name, kind, false)
}

/// Makes the value of an input; an `optional` reference is null unless something asks for more.
fn make_at(vm: &mut Vm<Jvm>, name: &str, kind: &Kind, optional: bool) -> Result<Val, Stop> {
    vm.outside = site(name);
    match kind {
        Kind::Scalar(ty) => scalar(vm, name, ty),
        Kind::Str => string(vm, name, optional),
        Kind::Word(words) => {
            match vm.choose_among(ElemKind::Which, &format!("{name}.word"), words.len() as u32 + 1)? {
                0 => string(vm, name, optional),
                chosen => Ok(Val::obj(words[chosen as usize - 1])),
            }
        }
        Kind::Boxed { class, prim } => boxed(vm, name, *class, prim, optional),
        Kind::Enum { class, constants } => {
            if &*vm.lang.classes[*class].name == "java/lang/Class" {
                let why = "only some classes are tried";
                vm.ledger.note(ledger::Kind::UnsupportedInput, "java.lang.Class", why);
            }
            enum_constant(vm, name, constants, optional)
        }
        // Arguments themselves may be one and the same array; arrays inside of others are taken to be their own.
        Kind::Array { class, elem } if vm.lang.worlds.stack.is_empty() && !name.contains(['.', '[']) => {
            shared_array(vm, name, *class, elem)
        }
        Kind::Array { class, elem } => {
            if vm.lang.worlds.inner_arrays.contains(class) {
                let reason = "arrays inside of objects and arrays are taken to be different ones";
                vm.ledger.note(Imprecision::Tried, "inputs", reason);
            }
            vm.lang.worlds.inner_arrays.push(*class);
            array(vm, name, *class, elem, optional)
        }
        Kind::Object(key) => {
            let Some(class) = vm.lang.worlds.recipes.get(key).map(|r| r.class) else {
                return Err(Stop::Assumption);
            };
            object::reference(vm, name, std::slice::from_ref(kind), class, optional)
        }
        Kind::List { class, elem, of, stands_for } => {
            note_stand_in(vm, *class, stands_for.as_deref());
            collection::list(vm, name, *class, elem, of, optional)
        }
        Kind::Filled { class, add, elems, of, stands_for } => {
            note_stand_in(vm, *class, stands_for.as_deref());
            collection::filled(vm, name, *class, *add, (elems, of), optional)
        }
        Kind::Fake { class } => object::reference(vm, name, std::slice::from_ref(kind), *class, optional),
        Kind::OneOf { ty, kinds, all } => {
            match all {
                true => known::note(vm),
                false => {
                    let (which, reason) =
                        (vm.lang.classes[*ty].java_name(), "only some classes of objects are tried");
                    vm.ledger.note(Imprecision::UnsupportedInput, which, reason);
                }
            }
            object::reference(vm, name, kinds, *ty, optional)
        }
        Kind::Only { kind, ty } => {
            vm.ledger.note(Imprecision::UnsupportedInput, ty, "only one class of objects is tried");
            make_at(vm, name, kind, optional)
        }
        Kind::Null(ty) => {
            vm.ledger.note(Imprecision::UnsupportedInput, ty, "only null is tried");
            Ok(Val::ZERO)
        }
    }
}

/// Notes that the objects of a type are all of one class.
fn note_stand_in(vm: &mut Vm<Jvm>, class: ClassId, stands_for: Option<&str>) {
    let Some(ty) = stands_for else { return };
    let simple = |name: &str| name.rsplit(['/', '.']).next().unwrap_or(name).to_string();
    let reason = format!("{} for {}", simple(&vm.lang.classes[class].name), simple(ty));
    vm.ledger.note(Imprecision::Tried, "inputs", reason);
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

/// A reference to `object` that may be null: `name.null` says that it is, or `name.some` that it is not.
fn nullable(vm: &mut Vm<Jvm>, name: &str, object: ObjId, optional: bool) -> Val {
    let suffix = if optional { "some" } else { "null" };
    let (flag, bits) = vm.inputs.scalar(&mut vm.pool, &format!("{name}.{suffix}"), Sort::Bool);
    let (null, id) = (vm.pool.bv(32, 0), vm.pool.bv(32, object.0 as u64));
    let term = if optional { vm.pool.ite(flag, id, null) } else { vm.pool.ite(flag, null, id) };
    let is_null = (bits != 0) != optional;
    Val { bits: if is_null { 0 } else { object.0 as u64 }, term }
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
    vm.ledger.note(
        Imprecision::InputBound,
        "inputs",
        format!("strings and arrays of at most {MAX_LENGTH} elements"),
    );
    Ok(bits)
}

fn string(vm: &mut Vm<Jvm>, name: &str, optional: bool) -> Result<Val, Stop> {
    let input = vm.inputs.sequence(&mut vm.pool, name, Sort::Bv(16));
    let len_term = vm.inputs.get(input).len;
    let len = length(vm, len_term)?;
    let units: Vec<u16> = (0..len).map(|i| vm.inputs.elem_value(&vm.pool, input, i) as u16).collect();
    let object = crate::link::new_string(vm, &units)?;
    crate::natives::by_value(vm, object, Some(name));
    let known = &vm.lang.known;
    let (value_at, coder_at) = (known.string_value, known.string_coder);
    let value = vm.heap.read_ref(object, value_at);
    if vm.inputs.is_plain() {
        return Ok(nullable(vm, name, object, optional));
    }
    let wide = units.iter().any(|unit| *unit > 0xff);
    let late = wide && units.iter().take(CODER_UNITS as usize).all(|unit| *unit <= 0xff);
    let Some(coder_at) = coder_at else {
        // Before Java 9 the units are the array.
        let shadow = vm.heap.shadow_mut(value);
        shadow.len = len_term;
        shadow.origin = Some(Origin::new(input, View::Whole));
        return Ok(nullable(vm, name, object, optional));
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
    shadow.origin = Some(Origin::new(input, view));
    Ok(nullable(vm, name, object, optional))
}

fn boxed(
    vm: &mut Vm<Jvm>,
    name: &str,
    class: ClassId,
    prim: &FieldType,
    optional: bool,
) -> Result<Val, Stop> {
    let object = vm.new_object(class)?;
    let val = scalar(vm, name, prim)?;
    let place = vm.lang.classes[class].fields.iter().find(|f| &*f.name == "value" && !f.is_static());
    let Some((ty, offset)) = place.map(|f| (f.ty, f.offset)) else {
        return Err(Stop::Unsupported { what: "box", which: vm.lang.classes[class].name.to_string() });
    };
    vm.store(object, offset, ty, val)?;
    crate::natives::by_value(vm, object, None);
    Ok(nullable(vm, name, object, optional))
}

fn enum_constant(vm: &mut Vm<Jvm>, name: &str, constants: &[ObjId], optional: bool) -> Result<Val, Stop> {
    let chosen = one_of(vm, name, constants)?;
    let suffix = if optional { "some" } else { "null" };
    let (flag, flag_bits) = vm.inputs.scalar(&mut vm.pool, &format!("{name}.{suffix}"), Sort::Bool);
    let null = vm.pool.bv(32, 0);
    let term =
        if optional { vm.pool.ite(flag, chosen.term, null) } else { vm.pool.ite(flag, null, chosen.term) };
    let is_null = (flag_bits != 0) != optional;
    Ok(Val { bits: if is_null { 0 } else { chosen.bits }, term })
}

/// One of some constants, never null.
fn one_of(vm: &mut Vm<Jvm>, name: &str, constants: &[ObjId]) -> Result<Val, Stop> {
    let (index, bits) = vm.inputs.scalar(&mut vm.pool, name, Sort::Bv(32));
    let Some(chosen) = constants.get(bits as usize).copied() else { return Err(Stop::Assumption) };
    if vm.lang.worlds.script.is_some() {
        vm.lang.worlds.enum_inputs.push((name.to_string(), constants.to_vec()));
    }
    let count = vm.pool.bv(32, constants.len() as u64);
    let inside = vm.pool.ult(index, count);
    vm.assume(inside)?;
    let mut term = vm.pool.bv(32, constants.last().map_or(0, |c| c.0 as u64));
    for (i, constant) in constants.iter().enumerate().rev().skip(1) {
        let (here, id) = (vm.pool.bv(32, i as u64), vm.pool.bv(32, constant.0 as u64));
        let hit = vm.pool.eq(index, here);
        term = vm.pool.ite(hit, id, term);
    }
    Ok(Val { bits: chosen.0 as u64, term })
}

fn array(vm: &mut Vm<Jvm>, name: &str, class: ClassId, elem: &Kind, optional: bool) -> Result<Val, Stop> {
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
            if !vm.inputs.is_plain() {
                let shadow = vm.heap.shadow_mut(array);
                shadow.len = len_term;
                shadow.origin = Some(Origin::new(input, View::Whole));
            }
        }
        _ => {
            if !vm.inputs.is_plain() {
                vm.heap.shadow_mut(array).len = len_term;
            }
            for i in 0..len {
                let val = make_at(vm, &format!("{name}[{i}]"), elem, false)?;
                vm.store(array, i * MemType::Ref.size(), MemType::Ref, val)?;
            }
        }
    }
    vm.lang.worlds.last_array = Some(array);
    Ok(nullable(vm, name, array, optional))
}

/// An array that is an argument: a new one, or the one that an earlier argument is.
fn shared_array(vm: &mut Vm<Jvm>, name: &str, class: ClassId, elem: &Kind) -> Result<Val, Stop> {
    let (null, _) = vm.inputs.scalar(&mut vm.pool, &format!("{name}.null"), Sort::Bool);
    let there = vm.pool.not(null);
    let mut ways = vec![vm::ChoiceWay { what: vm::Alternative::Class(class), value: 0, there }];
    let earlier: Vec<object::Made> =
        vm.lang.worlds.arrays.iter().filter(|made| vm.heap.class(made.object) == class).copied().collect();
    for made in &earlier {
        let there = vm.pool.and(there, made.there);
        ways.push(vm::ChoiceWay { what: vm::Alternative::Object(made.object), value: made.value, there });
    }
    let at = vm.choose(name, &ways)?;
    let (object, val) = match at.checked_sub(1).and_then(|at| earlier.get(at)) {
        Some(made) => (made.object, nullable(vm, name, made.object, false)),
        None => {
            let val = array(vm, name, class, elem, false)?;
            // The array is there, whether or not it is null in this run.
            let object = vm.lang.worlds.last_array.ok_or(Stop::Assumption)?;
            vm.lang.worlds.arrays.push(object::Made { object, value: site(name) | (1 << 31), there });
            (object, val)
        }
    };
    if ways.len() > 1 {
        vm.chosen(name, object, &ways);
    }
    Ok(val)
}

/// The register type of an input.
pub fn register_type(kind: &Kind) -> Type {
    match kind {
        Kind::Scalar(ty) => crate::link::reg_type(ty),
        _ => Type::Ref,
    }
}
