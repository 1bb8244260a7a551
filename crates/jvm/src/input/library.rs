//! Objects of the library's own classes: by constructors and factories of plain values, and around the readers, writers and
//! streams that a test can look into.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ClassId, FuncId};
use term::Op;
use vm::{Stop, Val, Vm};

use super::generic::Env;
use super::producers::constants;
use super::recipe::{Make, Way, can_name, param_names, returns, type_word, way};
use super::{Kind, kinds};
use crate::load::{FieldType, access};
use crate::world::Jvm;

/// Classes of which every object can be made by the ways that are tried, as far as its methods tell.
const COMPLETE: [&str; 10] = [
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/time/Duration",
    "java/time/Instant",
    "java/time/LocalDate",
    "java/util/Date",
    "java/util/UUID",
    "java/util/concurrent/atomic/AtomicBoolean",
    "java/util/concurrent/atomic/AtomicInteger",
    "java/util/concurrent/atomic/AtomicLong",
];

/// Whether the objects of a class that are tried stand for all there are.
pub(super) fn is_complete(class: &str) -> bool {
    COMPLETE.binary_search(&class).is_ok()
}

/// All ways to objects of a class of the library that are tried.
pub(super) fn makes(vm: &mut Vm<Jvm>, class: ClassId, env: &Env) -> Vec<Make> {
    let mut ways = ways(vm, class, env);
    if let Some(way) = super::words::way(vm, class) {
        ways.insert(ways.len().min(1), way);
    }
    // Hardly any text names a character set or a language.
    let by_text = ways.first().is_none_or(|way| way.params.iter().any(|p| p.ty.is_reference()));
    // Those that the code compares with come first.
    let mut held: Vec<Make> = super::asked::constant_makes(vm, class);
    for constant in constants(vm, class) {
        let known = |make: &Make| matches!(make, Make::Constant(other) if *other == constant);
        if !held.iter().any(known) {
            held.push(Make::Constant(constant));
        }
    }
    let constants = held.into_iter();
    let ways = ways.into_iter().map(Make::Call);
    if by_text { constants.chain(ways).collect() } else { ways.chain(constants).collect() }
}

/// So many numbers make an object of the library at most.
const MAX_NUMBERS: usize = 6;

/// What takes plain values, or what stands for the library's abstract classes.
fn ways(vm: &mut Vm<Jvm>, class: ClassId, env: &Env) -> Vec<Way> {
    let jvm = &vm.lang;
    if !can_name(jvm, class) {
        return Vec::new();
    }
    let is_abstract = jvm.classes[class].access & (access::ABSTRACT | access::INTERFACE) != 0;
    let plain = |ty: &FieldType| match ty {
        FieldType::Class(name) => is_text(name) || is_value(name) || kinds::stand_in(name).is_some(),
        FieldType::Array(elem) => !elem.is_reference(),
        _ => true,
    };
    let makes = |func: &FuncId| {
        let f = &jvm.funcs[*func];
        let params = &f.signature.ty.params;
        let constructor = &*f.name == "<init>" && !is_abstract;
        let by_clock = matches!(&*f.name, "now" | "system" | "tickMillis" | "tickMinutes" | "tickSeconds");
        let factory = !by_clock
            && f.is_static()
            && returns(jvm, *func, class)
            && (!params.is_empty() || &*f.name == "empty");
        !opens_files(jvm, *func)
            && !converts(&f.name, params)
            && f.is(access::PUBLIC)
            && params.iter().all(plain)
            && (constructor || factory)
    };
    let mut found: Vec<FuncId> = jvm.classes[class].functions().filter(makes).collect();
    // How much room there is for more is nothing that an object tells.
    if found.iter().any(|func| jvm.funcs[*func].signature.ty.params.is_empty()) {
        found.retain(|func| !is_about_room(jvm, *func));
    }
    // Of long calls those of numbers alone, where no shorter ones are (`LocalDateTime.of(2000, 1, 1, 0, 0)`).
    let length = |func: &FuncId| jvm.funcs[*func].signature.ty.params.len();
    let of_numbers =
        |func: &FuncId| !jvm.funcs[*func].signature.ty.params.iter().any(FieldType::is_reference);
    let shortest = found.iter().copied().filter(of_numbers).map(|func| length(&func)).min();
    let longest = shortest.filter(|shortest| (4..=MAX_NUMBERS).contains(shortest)).unwrap_or(3);
    found.retain(|func| length(func) <= 3 || length(func) == longest && of_numbers(func));
    // What refuses the simplest arguments costs a search before the first object is there; through what divides them
    // hardly anything can be solved.
    let tried: BTreeMap<FuncId, Trial> =
        found.clone().into_iter().map(|func| (func, trial(vm, class, func))).collect();
    let jvm = &vm.lang;
    found.sort_by_key(|func| {
        let f = &jvm.funcs[*func];
        let params = &f.signature.ty.params;
        let texts = params.iter().filter(|ty| is_text_type(ty)).count();
        let objects = params.iter().filter(|ty| ty.is_reference()).count();
        let around = params.iter().any(is_stood_for);
        let usual = matches!(&*f.name, "valueOf" | "of");
        let makes = &*f.name == "<init>";
        let Trial { refuses, divides, products } = tried.get(func).copied().unwrap_or_default();
        // The more numbers the more can be told; what is around another object needs no more than that.
        let numbers = if around { params.len() as isize } else { -(params.len() as isize) };
        (texts, objects, divides, refuses, !usual, !makes, numbers, products, *func)
    });
    // Numbers with a point lead into conversions that nothing can be solved through.
    let has_floats = |func: &FuncId| {
        jvm.funcs[*func]
            .signature
            .ty
            .params
            .iter()
            .any(|ty| matches!(ty, FieldType::Float | FieldType::Double))
    };
    // Unless they are all there is: `OptionalDouble.of(0.5)` beside `empty()`.
    let of_something = |func: &FuncId| !jvm.funcs[*func].signature.ty.params.is_empty();
    if found.iter().any(|func| !has_floats(func) && of_something(func)) {
        found.retain(|func| !has_floats(func));
    }
    found.truncate(3);
    found.into_iter().map(|func| way(vm, func, env)).collect()
}

/// How a constructor or factory takes zeros.
#[derive(Clone, Copy, Debug, Default)]
struct Trial {
    refuses: bool,
    /// It divides its arguments.
    divides: bool,
    /// So many products of them matter.
    products: usize,
}

/// Calls a constructor or factory that takes no texts: those are refused by most anyway, and come last.
fn trial(vm: &mut Vm<Jvm>, class: ClassId, func: FuncId) -> Trial {
    let params = vm.lang.funcs[func].signature.ty.params.clone();
    if params.iter().any(FieldType::is_reference) {
        return Trial::default();
    }
    vm.start_run(term::Assignment::default());
    if super::initialise(vm, class).is_err() {
        return Trial::default();
    }
    let mut args: Vec<vm::Val> = Vec::new();
    if &*vm.lang.funcs[func].name == "<init>" {
        let Ok(object) = vm.new_object(class) else { return Trial::default() };
        args.push(vm::Val::obj(object));
    }
    for (i, ty) in params.iter().enumerate() {
        // No input has such a name, and a name has one type.
        match super::make(vm, &format!("trial {i} {}", type_word(ty)), &Kind::Scalar(ty.clone())) {
            Ok(val) => args.push(val),
            Err(_) => return Trial::default(),
        }
    }
    let refuses = matches!(vm.call(func, &args), vm::Outcome::Threw(_));
    // What the message of an exception takes does not count.
    let decided = vm.trace.elems.iter().filter(|elem| !elem.doomed);
    let mut open: Vec<term::TermId> = decided.map(|elem| vm.trace.taken(elem)).collect();
    let mut seen = BTreeSet::new();
    let (mut divides, mut products) = (false, 0);
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let (op, operands) = vm.pool.node(term);
        divides |= matches!(op, Op::BvSDiv | Op::BvUDiv | Op::BvSRem | Op::BvURem);
        products += usize::from(op == Op::BvMul);
        open.extend(operands);
    }
    Trial { refuses, divides, products }
}

fn is_text(name: &str) -> bool {
    matches!(name, "java/lang/String" | "java/lang/CharSequence")
}

fn is_text_type(ty: &FieldType) -> bool {
    match ty {
        FieldType::Class(name) => is_text(name),
        // Characters and bytes of a text.
        FieldType::Array(_) => true,
        _ => false,
    }
}

/// Small values that others are made of.
fn is_value(name: &str) -> bool {
    let of_time = ["DayOfWeek", "Instant", "LocalDate", "LocalDateTime", "LocalTime", "Month", "ZoneId"];
    name.strip_prefix("java/time/").is_some_and(|simple| of_time.contains(&simple))
}

fn is_stood_for(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Class(name) if kinds::stand_in(name).is_some())
}

/// Whether the only parameter of a constructor is the size of a buffer: `new StringWriter(16)`.
fn is_about_room(jvm: &Jvm, func: FuncId) -> bool {
    let names = param_names(jvm, func);
    let room = |name: &String| name.ends_with("apacity") || name.ends_with("ize");
    jvm.funcs[func].signature.ty.params == [FieldType::Int] && names.iter().all(room)
}

/// Whether a factory takes what it makes out of another object of time: the date that stands for one there has no zone and no hour, so
/// `ZoneId.from` would refuse each, and the others need none.
fn converts(name: &str, params: &[FieldType]) -> bool {
    let accessor =
        |ty: &FieldType| matches!(ty, FieldType::Class(of) if &**of == "java/time/temporal/TemporalAccessor");
    name == "from" && matches!(params, [only] if accessor(only))
}

/// Whether a call is declared to fail where there is no such file or no such character set.
fn opens_files(jvm: &Jvm, func: FuncId) -> bool {
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref();
    let declared = file.and_then(|file| file.method(&f.name, &f.descriptor));
    let fails = ["java/io/FileNotFoundException", "java/io/UnsupportedEncodingException"];
    declared.is_some_and(|method| method.exceptions.iter().any(|name| fails.contains(&&**name)))
}

/// Numbers that a factory of the library takes for a month, a day of the month or of the year: which parameter, and its largest value, the
/// smallest being 1. Others would be refused, and each is refused by itself: to say it first makes one question of what would
/// take several runs.
fn counted_from_one(class: &str, method: &str, descriptor: &str) -> &'static [(usize, u64)] {
    const MONTH: u64 = 12;
    const DAY: u64 = 31;
    let Some(class) = class.strip_prefix("java/time/") else { return &[] };
    match (class, method) {
        ("LocalDate" | "LocalDateTime" | "OffsetDateTime" | "ZonedDateTime", "of")
            if descriptor.starts_with("(III") =>
        {
            &[(1, MONTH), (2, DAY)]
        }
        ("LocalDate" | "LocalDateTime", "of") if descriptor.starts_with("(ILjava/time/Month;I") => {
            &[(2, DAY)]
        }
        ("LocalDate", "ofYearDay") => &[(1, 366)],
        ("YearMonth", "of") if descriptor.starts_with("(II)") => &[(1, MONTH)],
        ("MonthDay", "of") if descriptor.starts_with("(II)") => &[(0, MONTH), (1, DAY)],
        _ => &[],
    }
}

/// Ends the run where a factory of the library is about to refuse its arguments.
pub(super) fn require_counted(vm: &mut Vm<Jvm>, func: FuncId, args: &[Val]) -> Result<(), Stop> {
    let f = &vm.lang.funcs[func];
    let ranges = counted_from_one(&vm.lang.classes[f.class].name, &f.name, &f.descriptor);
    let (mut condition, mut holds) = (vm.pool.bool(true), true);
    for (param, most) in ranges {
        let Some(val) = args.get(*param) else { continue };
        holds &= (1..=*most).contains(&val.bits);
        if val.term.is_some() {
            let (one, most) = (vm.pool.bv(32, 1), vm.pool.bv(32, *most));
            let (above, below) = (vm.pool.ule(one, val.term), vm.pool.ule(val.term, most));
            let inside = vm.pool.and(above, below);
            condition = vm.pool.and(condition, inside);
        }
    }
    if ranges.is_empty() || vm.pool.as_bool(condition) == Some(true) {
        return Ok(());
    }
    vm.require(condition, holds)
}
