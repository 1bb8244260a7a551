//! Looking at a finished run: guest values as plain data.
//!
//! What a value shows is read from the heap (primitives, strings, boxes, arrays, enums) or asked of the
//! guest's own public methods (collections, getters), so that a test can ask the same.

mod questions;

use std::sync::Arc;

pub use questions::{Question, answer, questions};

use ir::{ClassId, FuncId, MemType};
use vm::{ObjId, Outcome, Stop, Val, Vm};

use crate::load::instr::Kind;
use crate::load::{ClassFile, FieldType, Instr, access};
use crate::world::Jvm;

/// A value as a test can see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Null,
    Bool(bool),
    Byte(i8),
    Short(i16),
    Char(u16),
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    Str(Vec<u16>),
    /// A text that is no literal: an object of its own.
    Copy(Vec<u16>),
    Boxed(Box<Seen>),
    /// Class and name of an enum constant.
    Enum(ClassId, String),
    /// What a constant of the program holds: class and name of a static field that a test may read.
    Constant(ClassId, Arc<str>),
    /// A class object.
    Class(ClassId),
    /// An array of this array class.
    Array(ClassId, Vec<Seen>),
    List(Vec<Seen>),
    Set(Vec<Seen>),
    Map(Vec<(Seen, Seen)>),
    Optional(Option<Box<Seen>>),
    /// A value of the library that is made from its text: a large number, a date.
    Parsed(ClassId, Vec<u16>),
    /// Any other object: its class, its identity, and what it shows of itself.
    Object {
        class: ClassId,
        id: ObjId,
        shown: Vec<(Member, Seen)>,
    },
    /// An object that the run was given.
    Input(ObjId),
    /// Not looked into: too deep, too large, or it threw.
    Opaque(ClassId),
}

/// By what an object shows something of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Member {
    Getter(FuncId),
    /// A field that a test may read.
    Field {
        owner: ClassId,
        name: Arc<str>,
        ty: FieldType,
    },
    /// What it goes over: a class of the program is `Iterable`.
    Elements,
}

/// Objects that go over more elements are not looked into: some never come to an end.
const MAX_ITERATED: usize = 16;

/// Arrays and collections with more elements are not looked into.
const MAX_ELEMS: u32 = 4096;
const MAX_DEPTH: u32 = 4;

/// A value of a declared type. References may be looked at through the guest's methods, which can change
/// the heap; look at everything before the next run starts.
pub fn see(vm: &mut Vm<Jvm>, bits: u64, ty: &FieldType) -> Seen {
    // Guest code that is run to look at a value is not part of the path.
    let trace = std::mem::take(&mut vm.trace);
    let seen = see_typed(vm, bits, ty, 0);
    vm.trace = trace;
    seen
}

/// An object, whatever its class; looked into even if the run was given it.
pub fn see_object(vm: &mut Vm<Jvm>, object: ObjId) -> Seen {
    let trace = std::mem::take(&mut vm.trace);
    let seen = if object.is_null() { Seen::Null } else { look_into(vm, object, 0) };
    vm.trace = trace;
    seen
}

/// A value passed while inputs are made. No guest code is run for it.
pub fn see_argument(vm: &mut Vm<Jvm>, bits: u64, ty: &FieldType) -> Seen {
    match ty.is_reference() {
        true => see_input(vm, ObjId(bits as u32)),
        false => see_typed(vm, bits, ty, 0),
    }
}

/// An object passed while inputs are made.
pub fn see_input(vm: &mut Vm<Jvm>, object: ObjId) -> Seen {
    see_ref(vm, object, 0)
}

/// What a call of a method on an object runs.
pub fn dispatched(vm: &mut Vm<Jvm>, object: ObjId, func: FuncId) -> Option<FuncId> {
    let class = vm.heap.class(object);
    dispatched_in(&mut vm.lang, class, func)
}

/// What a call of a method on an object of a class runs.
pub fn dispatched_in(jvm: &mut Jvm, class: ClassId, func: FuncId) -> Option<FuncId> {
    let slot = jvm.funcs[func].slot;
    if jvm.classes[jvm.funcs[func].class].is_interface() {
        <Jvm as vm::Lang>::interface_function(jvm, class, func).ok()
    } else if slot != crate::link::Func::NO_SLOT {
        <Jvm as vm::Lang>::virtual_function(jvm, class, slot)
    } else {
        Some(func)
    }
}

fn see_typed(vm: &mut Vm<Jvm>, bits: u64, ty: &FieldType, depth: u32) -> Seen {
    match ty {
        FieldType::Boolean => Seen::Bool(bits & 1 != 0),
        FieldType::Byte => Seen::Byte(bits as i8),
        FieldType::Short => Seen::Short(bits as i16),
        FieldType::Char => Seen::Char(bits as u16),
        FieldType::Int => Seen::Int(bits as i32),
        FieldType::Long => Seen::Long(bits as i64),
        FieldType::Float => Seen::Float(bits as u32),
        FieldType::Double => Seen::Double(bits),
        FieldType::Class(_) | FieldType::Array(_) => see_ref(vm, ObjId(bits as u32), depth),
    }
}

fn see_ref(vm: &mut Vm<Jvm>, object: ObjId, depth: u32) -> Seen {
    if object.is_null() {
        return Seen::Null;
    }
    if vm.lang.worlds.is_scripted(object) {
        return Seen::Input(object);
    }
    look_into(vm, object, depth)
}

/// Whether an input text is to be a copy in this run.
fn is_copy(vm: &Vm<Jvm>, object: ObjId) -> bool {
    let name = vm.lang.worlds.copy_name(object);
    let var = name.and_then(|name| vm.pool.var_by_name(&name));
    var.is_some_and(|var| vm.inputs.model.bits(var) != 0)
}

fn look_into(vm: &mut Vm<Jvm>, object: ObjId, depth: u32) -> Seen {
    let class = vm.heap.class(object);
    if depth > MAX_DEPTH {
        return Seen::Opaque(class);
    }
    if vm.lang.classes[class].is_array() {
        return see_array(vm, object, class, depth);
    }
    let name = vm.lang.classes[class].name.clone();
    match &*name {
        "java/lang/String" => {
            let seen = if is_copy(vm, object) { Seen::Copy } else { Seen::Str };
            let text = string_units(vm, object).filter(|text| !names_stand_in(text));
            return text.map_or(Seen::Opaque(class), seen);
        }
        "java/lang/Class" => {
            return Seen::Class(crate::link::class_of_mirror(vm, object));
        }
        // What `emptyList()` and the like return: the library keeps these classes to itself.
        "kotlin/collections/EmptyList" => return Seen::List(Vec::new()),
        "kotlin/collections/EmptySet" => return Seen::Set(Vec::new()),
        "kotlin/collections/EmptyMap" => return Seen::Map(Vec::new()),
        _ => {}
    }
    if let Some(prim) = boxed_type(&name)
        && let Some(field) =
            vm.lang.classes[class].fields.iter().find(|f| &*f.name == "value" && !f.is_static())
    {
        let bits = vm.load_bits(object, field.offset, field.ty);
        return Seen::Boxed(Box::new(see_typed(vm, bits, &prim, depth)));
    }
    if let Some(seen) = see_enum(vm, object, class) {
        return seen;
    }
    if vm.lang.classes[class].origin == crate::link::ClassOrigin::Library {
        return see_library(vm, object, class, depth);
    }
    if let Some(name) = constant_of(vm, object, class) {
        return Seen::Constant(class, name);
    }
    Seen::Object { class, id: object, shown: see_members(vm, object, class, depth) }
}

/// The constant of its own class that an object is: a singleton, a value with a name.
fn constant_of(vm: &mut Vm<Jvm>, object: ObjId, class: ClassId) -> Option<Arc<str>> {
    if !crate::input::can_name(&vm.lang, class) {
        return None;
    }
    let near = crate::input::lies_near(&vm.lang, class);
    let statics = <Jvm as vm::Lang>::statics(vm, class).ok()?;
    let of = &vm.lang.classes[class];
    let wanted = access::STATIC | access::FINAL;
    let found = of.fields.iter().find(|field| {
        let open = field.access & access::PUBLIC != 0 || near && field.access & access::PRIVATE == 0;
        let own = field.descriptor.strip_prefix('L').and_then(|d| d.strip_suffix(';')) == Some(&of.name);
        open && own && field.access & wanted == wanted && vm.heap.read_ref(statics, field.offset) == object
    });
    found.map(|field| field.name.clone())
}

fn see_array(vm: &mut Vm<Jvm>, array: ObjId, class: ClassId, depth: u32) -> Seen {
    let len = vm.heap.len(array);
    if len > MAX_ELEMS {
        return Seen::Opaque(class);
    }
    let cell = <Jvm as vm::Lang>::class_info(&vm.lang, class).elem.unwrap_or(MemType::Ref);
    let elem = match FieldType::parse(&vm.lang.classes[class].name) {
        Some(FieldType::Array(elem)) => (*elem).clone(),
        _ => return Seen::Opaque(class),
    };
    let items = (0..len)
        .map(|i| {
            let bits = vm.load_bits(array, i * cell.size(), cell);
            see_typed(vm, bits, &elem, depth + 1)
        })
        .collect();
    Seen::Array(class, items)
}

/// The primitive inside a box class.
/// The type of the value in a box.
pub(crate) fn boxed_type(name: &str) -> Option<FieldType> {
    Some(match name {
        "java/lang/Boolean" => FieldType::Boolean,
        "java/lang/Byte" => FieldType::Byte,
        "java/lang/Short" => FieldType::Short,
        "java/lang/Character" => FieldType::Char,
        "java/lang/Integer" => FieldType::Int,
        "java/lang/Long" => FieldType::Long,
        "java/lang/Float" => FieldType::Float,
        "java/lang/Double" => FieldType::Double,
        _ => return None,
    })
}

fn see_enum(vm: &mut Vm<Jvm>, object: ObjId, class: ClassId) -> Option<Seen> {
    let name = constant_name(vm, object)?;
    let base = vm.lang.loaded("java/lang/Enum");
    // A constant with a body has a class of its own; the enum is its superclass.
    let declared = match vm.lang.classes[class].superclass {
        Some(parent) if Some(parent) != base => parent,
        _ => class,
    };
    Some(Seen::Enum(declared, name))
}

/// The name of an enum's constant, if the object is one.
pub(crate) fn constant_name(vm: &Vm<Jvm>, object: ObjId) -> Option<String> {
    let base = vm.lang.loaded("java/lang/Enum")?;
    if !vm.lang.is_subclass(vm.heap.class(object), base) {
        return None;
    }
    let field = vm.lang.classes[base].field("name", "Ljava/lang/String;")?.offset;
    let name = string_units(vm, vm.heap.read_ref(object, field))?;
    Some(String::from_utf16_lossy(&name))
}

/// The units of a guest string.
pub fn string_units(vm: &Vm<Jvm>, string: ObjId) -> Option<Vec<u16>> {
    if string.is_null() {
        return None;
    }
    let known = &vm.lang.known;
    let value = vm.heap.read_ref(string, known.string_value);
    if value.is_null() {
        return None;
    }
    let bytes = vm.heap.bytes(value);
    let pairs = |bytes: &[u8]| bytes.chunks_exact(2).map(|p| u16::from_le_bytes([p[0], p[1]])).collect();
    Some(match known.string_coder {
        Some(coder) if vm.heap.read_u8(string, coder) == 0 => bytes.iter().map(|b| *b as u16).collect(),
        _ => pairs(bytes),
    })
}

/// Collections and optionals of the library, asked by their own methods.
fn see_library(vm: &mut Vm<Jvm>, object: ObjId, class: ClassId, depth: u32) -> Seen {
    let is = |vm: &Vm<Jvm>, name: &str| vm.lang.loaded(name).is_some_and(|of| vm.lang.is_subclass(class, of));
    let elems = |vm: &mut Vm<Jvm>| match ask(vm, object, "toArray", "()[Ljava/lang/Object;") {
        Some(array) if !ObjId(array as u32).is_null() => {
            let array = ObjId(array as u32);
            (vm.heap.len(array) <= MAX_ELEMS)
                .then(|| (0..vm.heap.len(array)).map(|i| vm.heap.read_ref(array, i * 4)).collect::<Vec<_>>())
        }
        _ => None,
    };
    if is(vm, "java/util/List") {
        let Some(items) = elems(vm) else { return Seen::Opaque(class) };
        return Seen::List(see_items(vm, items, depth));
    }
    if is(vm, "java/util/Set") {
        let Some(items) = elems(vm) else { return Seen::Opaque(class) };
        return Seen::Set(see_items(vm, items, depth));
    }
    if is(vm, "java/util/Map") {
        let Some(entries) = ask(vm, object, "entrySet", "()Ljava/util/Set;") else {
            return Seen::Opaque(class);
        };
        let entries = ObjId(entries as u32);
        let Some(array) = ask(vm, entries, "toArray", "()[Ljava/lang/Object;") else {
            return Seen::Opaque(class);
        };
        let array = ObjId(array as u32);
        if array.is_null() || vm.heap.len(array) > MAX_ELEMS {
            return Seen::Opaque(class);
        }
        let mut seen = Vec::new();
        for i in 0..vm.heap.len(array) {
            let entry = vm.heap.read_ref(array, i * 4);
            let key = ask(vm, entry, "getKey", "()Ljava/lang/Object;");
            let value = ask(vm, entry, "getValue", "()Ljava/lang/Object;");
            let (Some(key), Some(value)) = (key, value) else { return Seen::Opaque(class) };
            let key = see_ref(vm, ObjId(key as u32), depth + 1);
            let value = see_ref(vm, ObjId(value as u32), depth + 1);
            seen.push((key, value));
        }
        return Seen::Map(seen);
    }
    if &*vm.lang.classes[class].name == "java/util/Optional" {
        let field = vm.lang.classes[class].field("value", "Ljava/lang/Object;").map(|f| f.offset);
        let Some(offset) = field else { return Seen::Opaque(class) };
        let value = vm.heap.read_ref(object, offset);
        return match value.is_null() {
            true => Seen::Optional(None),
            false => Seen::Optional(Some(Box::new(see_ref(vm, value, depth + 1)))),
        };
    }
    let name = vm.lang.classes[class].name.clone();
    if is_parsed(&name)
        && let Some(text) = ask(vm, object, "toString", "()Ljava/lang/String;")
        && let Some(text) = string_units(vm, ObjId(text as u32))
    {
        return Seen::Parsed(class, text);
    }
    if shows_text(&name)
        && let Ok(func) = vm.lang.method(class, "toString", "()Ljava/lang/String;")
        && let Some(text) = ask_func(vm, object, func)
    {
        let text = see_typed(vm, text, &FieldType::Class("java/lang/String".into()), depth + 1);
        return Seen::Object { class, id: object, shown: vec![(Member::Getter(func), text)] };
    }
    Seen::Object { class, id: object, shown: see_members(vm, object, class, depth) }
}

/// What a collection holds. Objects of the program in a small one are looked at as if they were held without it.
fn see_items(vm: &mut Vm<Jvm>, items: Vec<ObjId>, depth: u32) -> Vec<Seen> {
    let few = items.len() <= 8;
    let mut seen = Vec::new();
    for item in items {
        let own =
            !item.is_null() && vm.lang.classes[vm.heap.class(item)].origin == crate::link::ClassOrigin::User;
        seen.push(see_ref(vm, item, if own && few { depth.max(1) } else { depth + 1 }));
    }
    seen
}

/// Values that are equal if their texts are, and that can be made from their text.
fn is_parsed(name: &str) -> bool {
    matches!(
        name,
        "java/math/BigDecimal"
            | "java/math/BigInteger"
            | "java/time/LocalDate"
            | "java/time/LocalTime"
            | "java/time/LocalDateTime"
            | "java/time/Instant"
            | "java/time/Duration"
            | "java/time/Period"
            | "java/time/YearMonth"
            | "java/util/UUID"
            | "java/net/URI"
    )
}

/// Objects that are known by their text only.
pub fn shows_text(name: &str) -> bool {
    matches!(
        name,
        "java/lang/StringBuilder"
            | "java/lang/StringBuffer"
            | "java/io/ByteArrayOutputStream"
            | "java/io/CharArrayWriter"
            | "java/io/StringWriter"
            | "java/util/StringJoiner"
            | "java/util/BitSet"
            | "java/util/OptionalInt"
            | "java/util/OptionalLong"
            | "java/util/OptionalDouble"
            | "java/util/concurrent/atomic/AtomicInteger"
            | "java/util/concurrent/atomic/AtomicLong"
            | "java/util/concurrent/atomic/AtomicBoolean"
    )
}

/// Calls a method without parameters; the result's bits, `None` if there is none or it did not return.
fn ask(vm: &mut Vm<Jvm>, object: ObjId, name: &str, descriptor: &str) -> Option<u64> {
    if object.is_null() {
        return None;
    }
    let class = vm.heap.class(object);
    let func = vm.lang.method(class, name, descriptor).ok()?;
    ask_func(vm, object, func)
}

/// What is asked of an object takes this part of a run's steps at most; what takes longer is not asked again.
const LOOKING: u64 = 4;

/// Calls a resolved method without parameters, dispatched on the object.
pub fn ask_func(vm: &mut Vm<Jvm>, object: ObjId, func: FuncId) -> Option<u64> {
    ask_with(vm, object, func, &[])
}

fn ask_with(vm: &mut Vm<Jvm>, object: ObjId, func: FuncId, args: &[Val]) -> Option<u64> {
    let target = dispatched(vm, object, func)?;
    if vm.lang.worlds.costly.contains(&target) {
        return None;
    }
    let asked = vm.lang.worlds.fake_asked;
    let limit = vm.limits.steps;
    vm.limits.steps = limit / LOOKING;
    let args: Vec<Val> = [Val::obj(object)].into_iter().chain(args.iter().copied()).collect();
    let outcome = vm.call(target, &args);
    vm.limits.steps = limit;
    if outcome == Outcome::Stopped(Stop::Steps) {
        vm.lang.worlds.costly.insert(target);
        let getter = vm.lang.func_name(target);
        vm.ledger.note(ledger::Kind::NotShown, getter, "it takes too long to be asked what objects show");
    }
    // What an object that stands for an interface says now is not what it says in the test.
    let asks = vm.lang.worlds.fake_asked > asked;
    match outcome {
        Outcome::Returned(Some(val)) if !asks => Some(val.bits),
        _ => None,
    }
}

/// The public methods without parameters that read like getters, and what they show now; then fields that are open and
/// that none of them shows. Getters that throw or end the run are left out.
fn see_members(vm: &mut Vm<Jvm>, object: ObjId, class: ClassId, depth: u32) -> Vec<(Member, Seen)> {
    let is_record = vm.lang.classes[class].file.as_ref().is_some_and(|file| file.record.is_some());
    let mut all = getters(vm, class);
    let fields = open_fields(vm, class, &all);
    // What is nothing but its fields is often one of a chain of its kind.
    let deep = is_record || all.is_empty() && !fields.is_empty();
    if depth >= if deep { MAX_DEPTH } else { 2 } {
        return Vec::new();
    }
    let backwards = vm.lang.worlds.backwards;
    if backwards {
        all.reverse();
    }
    let iterated = |vm: &mut Vm<Jvm>| Some((Member::Elements, see_elements(vm, object, class, depth)?));
    let first = if backwards { iterated(vm) } else { None };
    let mut seen: Vec<(Member, Seen)> = all
        .into_iter()
        .filter_map(|func| {
            let ret = vm.lang.funcs[func].signature.ty.ret.clone()?;
            let bits = ask_func(vm, object, func)?;
            Some((Member::Getter(func), see_typed(vm, bits, &ret, depth + 1)))
        })
        .collect();
    if backwards {
        seen.reverse();
        seen.extend(first);
    } else {
        seen.extend(iterated(vm));
    }
    for (field, offset, cell) in fields {
        let Member::Field { ty, .. } = &field else { continue };
        let bits = vm.load_bits(object, offset, cell);
        let value = see_typed(vm, bits, ty, depth + 1);
        seen.push((field, value));
    }
    seen
}

/// What an object goes over, if it is `Iterable` and comes to an end soon.
fn see_elements(vm: &mut Vm<Jvm>, object: ObjId, class: ClassId, depth: u32) -> Option<Seen> {
    let iterable = vm.lang.loaded("java/lang/Iterable")?;
    if !vm.lang.is_subclass(class, iterable) {
        return None;
    }
    let iterator = ObjId(ask(vm, object, "iterator", "()Ljava/util/Iterator;")? as u32);
    let mut items = Vec::new();
    while ask(vm, iterator, "hasNext", "()Z")? & 1 != 0 {
        if items.len() == MAX_ITERATED {
            let class = vm.lang.classes[class].java_name();
            let reason = format!("it goes over more than {MAX_ITERATED} elements");
            vm.ledger.note(ledger::Kind::NotShown, class, reason);
            return None;
        }
        items.push(ObjId(ask(vm, iterator, "next", "()Ljava/lang/Object;")? as u32));
    }
    Some(Seen::List(see_items(vm, items, depth)))
}

/// The fields of an object that a test may read where no getter shows them: public ones; of classes without getters
/// those near it too.
fn open_fields(vm: &Vm<Jvm>, class: ClassId, getters: &[FuncId]) -> Vec<(Member, u32, MemType)> {
    let jvm = &vm.lang;
    let mut found = Vec::new();
    for owner in jvm.classes[class].ancestors.iter().rev().copied() {
        let of = &jvm.classes[owner];
        if of.origin == crate::link::ClassOrigin::Library || !crate::input::can_name(jvm, owner) {
            continue;
        }
        let near = getters.is_empty() && crate::input::lies_near(jvm, owner);
        for field in &of.fields {
            let open = field.access & access::PUBLIC != 0 || near && field.access & access::PRIVATE == 0;
            let plain = field.access & (access::STATIC | access::SYNTHETIC) == 0;
            let shown = getters.iter().any(|func| shows(&jvm.funcs[*func].name, &field.name));
            if let (true, Some(ty)) = (open && plain && !shown, FieldType::parse(&field.descriptor)) {
                let member = Member::Field { owner, name: field.name.clone(), ty };
                found.push((member, field.offset, field.ty));
            }
        }
    }
    found
}

/// Whether a getter is named after a field: `getName`, `isName`, `name`.
fn shows(getter: &str, field: &str) -> bool {
    let rest =
        ["get", "is", "has"].iter().find_map(|p| getter.strip_prefix(p)).filter(|rest| !rest.is_empty());
    getter == field || rest.is_some_and(|rest| rest.eq_ignore_ascii_case(field))
}

/// Keeps of what getters showed what they show in another order too.
pub fn keep_common(seen: &mut Seen, other: &Seen) {
    match (seen, other) {
        (Seen::Object { shown, .. }, Seen::Object { shown: others, .. }) => {
            shown.retain(|(member, value)| {
                others.iter().any(|(other, as_well)| other == member && as_well == value)
            });
        }
        (Seen::List(items), Seen::List(others)) | (Seen::Set(items), Seen::Set(others)) => {
            items.iter_mut().zip(others).for_each(|(item, other)| keep_common(item, other));
        }
        (Seen::Map(items), Seen::Map(others)) => {
            items.iter_mut().zip(others).for_each(|((_, item), (_, other))| keep_common(item, other));
        }
        (Seen::Optional(Some(item)), Seen::Optional(Some(other))) => keep_common(item, other),
        _ => {}
    }
}

/// Whether something was asked more than once, so that the order could matter.
pub fn asks_several(seen: &Seen) -> bool {
    match seen {
        Seen::Object { shown, .. } => shown.len() > 1,
        Seen::List(items) | Seen::Set(items) => items.iter().any(asks_several),
        Seen::Map(entries) => entries.iter().any(|(_, item)| asks_several(item)),
        Seen::Optional(Some(item)) => asks_several(item),
        _ => false,
    }
}

/// Public methods without parameters that read like getters (`getX`, `isX`, `x` of a record, `size`,
/// `length`, an overridden `toString`), the class's own first, none twice, none of `Object`.
pub fn getters(vm: &Vm<Jvm>, class: ClassId) -> Vec<FuncId> {
    let mut found: Vec<FuncId> = Vec::new();
    let mut next = Some(class);
    while let Some(at) = next {
        let owner = &vm.lang.classes[at];
        next = owner.superclass;
        if &*owner.name == "java/lang/Object" || owner.origin == crate::link::ClassOrigin::Library {
            break;
        }
        let components: Vec<&str> =
            owner.file.iter().flat_map(|f| f.record.iter().flatten()).map(|c| &*c.name).collect();
        for func in owner.functions() {
            let method = &vm.lang.funcs[func];
            let reads = is_getter_name(&method.name)
                || components.contains(&&*method.name)
                || owner
                    .file
                    .as_ref()
                    .is_some_and(|file| returns_field(file, &method.name, &method.descriptor));
            let fits = method.is(access::PUBLIC)
                && crate::input::is_written(&vm.lang, func)
                && method.access & (access::STATIC | access::SYNTHETIC) == 0
                && method.signature.ty.params.is_empty()
                && method.signature.ty.ret.is_some();
            let known = found.iter().any(|f| vm.lang.funcs[*f].name == method.name);
            if reads && fits && !known {
                found.push(func);
            }
        }
    }
    found
}

/// Whether a method returns a field and does nothing else: `total()`.
fn returns_field(file: &ClassFile, name: &str, descriptor: &str) -> bool {
    let Some(Ok(Some(code))) = file.method(name, descriptor).map(|method| method.bytecode()) else {
        return false;
    };
    let mut instrs = code.instrs.iter().map(|(_, instr)| instr);
    let all = [instrs.next(), instrs.next(), instrs.next(), instrs.next()];
    matches!(
        all,
        [Some(Instr::Load(Kind::Ref, 0)), Some(Instr::GetField(_)), Some(Instr::Return(Some(_))), None]
    )
}

fn is_getter_name(name: &str) -> bool {
    let prefixed = |prefix: &str| {
        name.strip_prefix(prefix).and_then(|rest| rest.chars().next()).is_some_and(|c| c.is_uppercase())
    };
    prefixed("get")
        || prefixed("is")
        || prefixed("has")
        || matches!(name, "size" | "length" | "count" | "isEmpty" | "value" | "toString")
}

/// What `getMessage()` of an exception says.
pub fn message(vm: &mut Vm<Jvm>, exception: ObjId) -> Option<Vec<u16>> {
    let trace = std::mem::take(&mut vm.trace);
    let text = ask(vm, exception, "getMessage", "()Ljava/lang/String;");
    vm.trace = trace;
    string_units(vm, ObjId(text? as u32)).filter(|text| !names_stand_in(text))
}

/// Whether a text tells the name of a class that stands for an interface: another one in the test.
fn names_stand_in(text: &[u16]) -> bool {
    let mark: Vec<u16> = crate::input::STAND_IN.encode_utf16().collect();
    text.windows(mark.len()).any(|part| part == mark)
}
