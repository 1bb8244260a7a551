//! Values that a user lists: what a value must be one of.

use ir::ClassId;
use term::{Sort, TermId};
use vm::{ObjId, Outcome, Stop, Val, Vm};

use super::known::{Constant, Limit, Number, Rule, Time, bound, boxed_prim, must_be_true};
use super::rule::{ask, limits};
use crate::load::{FieldType, access};
use crate::world::Jvm;

/// A number or truth value is one of those listed, if any are.
pub(super) fn be_one_of(vm: &mut Vm<Jvm>, val: Val, ty: &FieldType, of: &[Constant]) -> Result<(), Stop> {
    if of.is_empty() {
        return Ok(());
    }
    let (condition, holds) = is_one_of(vm, val, ty, of);
    vm.require(condition, holds)
}

/// The condition that a number or truth value is one of those listed, and whether it is in this run.
pub(super) fn is_one_of(vm: &mut Vm<Jvm>, val: Val, ty: &FieldType, of: &[Constant]) -> (TermId, bool) {
    let mut condition = vm.pool.bool(false);
    let mut holds = false;
    for constant in of {
        let Some((sort, bits)) = bits(ty, constant) else { continue };
        let mask = if sort.bits() == 32 { u32::MAX as u64 } else { u64::MAX };
        holds |= val.bits & mask == bits & mask;
        let same = match val.term.is_some() {
            true => {
                let constant = vm.pool.constant(sort, (bits & mask).into());
                vm.pool.eq(val.term, constant)
            }
            false => vm.pool.bool(val.bits & mask == bits & mask),
        };
        condition = vm.pool.or(condition, same);
    }
    (condition, holds)
}

/// A constant as a register of the type holds it; none if the type has no such value.
fn bits(ty: &FieldType, constant: &Constant) -> Option<(Sort, u64)> {
    let number = match constant {
        Constant::Truth(truth) => {
            return (*ty == FieldType::Boolean).then_some((Sort::Bv(32), (*truth).into()));
        }
        Constant::Text(text) => {
            let mut units = text.encode_utf16();
            let unit = units.next().filter(|_| *ty == FieldType::Char)?;
            return units.next().is_none().then_some((Sort::Bv(32), unit.into()));
        }
        Constant::Number(number) => *number,
    };
    Some(match (ty, number) {
        (FieldType::Double, Number::Float(f)) => (Sort::F64, f.to_bits()),
        (FieldType::Double, Number::Int(n)) => (Sort::F64, (n as f64).to_bits()),
        (FieldType::Float, Number::Float(f)) => (Sort::F32, (f as f32).to_bits().into()),
        (FieldType::Float, Number::Int(n)) => (Sort::F32, (n as f32).to_bits().into()),
        (FieldType::Long, Number::Int(n)) => (Sort::Bv(64), i64::try_from(n).ok()? as u64),
        (FieldType::Byte | FieldType::Short | FieldType::Char | FieldType::Int, Number::Int(n)) => {
            (Sort::Bv(32), i32::try_from(n).ok()? as u32 as u64)
        }
        _ => return None,
    })
}

/// An object is one of those listed, if any are: a box of a number, a string, a constant of an enum.
pub(super) fn object_be_one_of(vm: &mut Vm<Jvm>, object: ObjId, of: &[Constant]) -> Result<(), Stop> {
    if of.is_empty() {
        return Ok(());
    }
    let class = vm.heap.class(object);
    let name = vm.lang.classes[class].name.clone();
    if let Some(prim) = boxed_prim(&name)
        && let Some((offset, cell)) = crate::natives::support::field_of(&vm.lang, class, "value")
    {
        let val = vm.load(object, offset, cell)?;
        return be_one_of(vm, val, &prim, of);
    }
    if &*name != "java/lang/String" {
        let named = of.iter().any(|constant| match constant {
            Constant::Text(text) => enum_constant(vm, class, text) == Some(object),
            _ => false,
        });
        return if named { Ok(()) } else { Err(Stop::Assumption) };
    }
    let Some(equals) = vm.lang.declared(class, "equals", "(Ljava/lang/Object;)Z") else {
        return Err(Stop::Assumption);
    };
    let mut any = Val { bits: 0, term: vm.pool.bv(32, 0) };
    for constant in of {
        let Constant::Text(text) = constant else { continue };
        let units: Vec<u16> = text.encode_utf16().collect();
        let other = crate::link::new_string(vm, &units)?;
        match vm.call(equals, &[Val::obj(object), Val::obj(other)]) {
            Outcome::Returned(Some(same)) => {
                let term = vm.term(same, Sort::Bv(32));
                any = Val { bits: any.bits | same.bits, term: vm.pool.bvor(any.term, term) };
            }
            Outcome::Stopped(stop) => return Err(stop),
            _ => return Err(Stop::Assumption),
        }
    }
    must_be_true(vm, any)
}

/// A `BigDecimal` or `BigInteger` is on the right side of a limit; other objects are.
pub(super) fn big_number(vm: &mut Vm<Jvm>, object: ObjId, limit: Limit, below: bool) -> Result<(), Stop> {
    let class = vm.heap.class(object);
    let name = vm.lang.classes[class].name.clone();
    let text = match (&*name, limit.value) {
        ("java/math/BigDecimal", Number::Int(n)) => n.to_string(),
        ("java/math/BigDecimal", Number::Float(f)) => f.to_string(),
        // The whole number beside the limit; a limit between two is never met.
        ("java/math/BigInteger", Number::Int(n)) => n.to_string(),
        ("java/math/BigInteger", Number::Float(f)) => {
            format!("{:.0}", if below { f.ceil() } else { f.floor() })
        }
        _ => return Ok(()),
    };
    let func = |vm: &Vm<Jvm>, name: &str, descriptor: &str| {
        vm.lang.declared(class, name, descriptor).ok_or(Stop::Assumption)
    };
    let make = func(vm, "<init>", "(Ljava/lang/String;)V")?;
    let compare = func(vm, "compareTo", &format!("(L{name};)I"))?;
    let units: Vec<u16> = text.encode_utf16().collect();
    let text = crate::link::new_string(vm, &units)?;
    let edge = vm.new_object(class)?;
    let call = |vm: &mut Vm<Jvm>, func, args: &[Val]| match vm.call(func, args) {
        Outcome::Returned(val) => Ok(val),
        Outcome::Threw(_) => Err(Stop::Assumption),
        Outcome::Stopped(stop) => Err(stop),
    };
    call(vm, make, &[Val::obj(edge), Val::obj(text)])?;
    let order = call(vm, compare, &[Val::obj(object), Val::obj(edge)])?.ok_or(Stop::Assumption)?;
    let zero = Limit { value: Number::Int(0), open: limit.open };
    let (condition, holds) = bound(vm, order, &FieldType::Int, zero, below);
    vm.require(condition, holds)
}

/// The constant of an enum by its name.
pub(super) fn enum_constant(vm: &mut Vm<Jvm>, class: ClassId, name: &str) -> Option<ObjId> {
    // A constant with a body is of a class of its own.
    let owner = match vm.lang.classes[class].superclass {
        Some(above) if vm.lang.classes[above].access & access::ENUM != 0 => above,
        _ => class,
    };
    let fields = &vm.lang.classes[owner].fields;
    let field = fields.iter().find(|f| f.access & access::ENUM != 0 && *f.name == *name)?;
    let offset = field.offset;
    let statics = <Jvm as vm::Lang>::statics(vm, owner).ok()?;
    Some(vm.heap.read_ref(statics, offset))
}

/// A `BigDecimal` has at most so many digits behind its point; other objects have none.
pub(super) fn has_digits(vm: &mut Vm<Jvm>, object: ObjId, most: u32) -> Result<(), Stop> {
    if &*vm.lang.classes[vm.heap.class(object)].name != "java/math/BigDecimal" {
        return Ok(());
    }
    let plain = ask(vm, object, "stripTrailingZeros", "()Ljava/math/BigDecimal;")?;
    let plain = vm.deref(plain)?;
    let scale = ask(vm, plain, "scale", "()I")?;
    let most = Limit { value: Number::Int(most.into()), open: false };
    limits(vm, scale, &FieldType::Int, &Rule { max: Some(most), ..Rule::default() })
}

/// What makes a point in time of a type: a method, its parameters, and what it is given for the past and for the future.
type Points = (&'static str, &'static str, &'static str, [&'static [i64]; 2]);

/// A test's dates stay what they are while time goes by: the past ends with 2019 and the future begins with 2100.
const POINTS: [Points; 6] = [
    ("java/time/LocalDate", "of", "III", [&[2020, 1, 1], &[2100, 1, 1]]),
    ("java/time/LocalDateTime", "of", "IIIII", [&[2020, 1, 1, 0, 0], &[2100, 1, 1, 0, 0]]),
    ("java/time/Instant", "ofEpochSecond", "J", [&[1_577_836_800], &[4_102_444_800]]),
    ("java/time/Year", "of", "I", [&[2020], &[2100]]),
    ("java/time/YearMonth", "of", "II", [&[2020, 1], &[2100, 1]]),
    ("java/util/Date", "<init>", "J", [&[1_577_836_800_000], &[4_102_444_800_000]]),
];

/// A date or time is in the past or in the future, of the types that are known.
pub(super) fn in_time(vm: &mut Vm<Jvm>, object: ObjId, time: Time) -> Result<(), Stop> {
    let class = vm.heap.class(object);
    let name = vm.lang.classes[class].name.clone();
    let Some((_, make, params, edges)) = POINTS.iter().find(|(known, ..)| *known == &*name) else {
        let reason = "that it lies in the past or in the future is not looked at";
        vm.ledger.note(ledger::Kind::UnsupportedConstruct, vm.lang.classes[class].java_name(), reason);
        return Ok(());
    };
    vm.ledger.note(
        ledger::Kind::Environment,
        "inputs",
        "the past ends with 2019, the future begins with 2100",
    );
    let constructs = *make == "<init>";
    let ret = if constructs { "V".to_string() } else { format!("L{name};") };
    let func = vm.lang.declared(class, make, &format!("({params}){ret}")).ok_or(Stop::Assumption)?;
    let at = edges[usize::from(time == Time::Future)].iter();
    let mut args: Vec<Val> = at.map(|value| Val { bits: *value as u64, term: term::TermId::NONE }).collect();
    let made = if constructs { Some(vm.new_object(class)?) } else { None };
    args.splice(0..0, made.map(Val::obj));
    super::initialise(vm, class).map_err(|_| Stop::Assumption)?;
    let edge = match (vm.call(func, &args), made) {
        (Outcome::Returned(_), Some(made)) => made,
        (Outcome::Returned(Some(val)), None) => val.as_obj(),
        (Outcome::Stopped(stop), _) => return Err(stop),
        _ => return Err(Stop::Assumption),
    };
    let compare =
        vm.lang.method(class, "compareTo", "(Ljava/lang/Object;)I").map_err(|_| Stop::Assumption)?;
    let order = match vm.call(compare, &[Val::obj(object), Val::obj(edge)]) {
        Outcome::Returned(Some(val)) => val,
        Outcome::Stopped(stop) => return Err(stop),
        _ => return Err(Stop::Assumption),
    };
    let zero = Some(Limit { value: Number::Int(0), open: true });
    let rule = match time {
        Time::Past => Rule { max: zero, ..Rule::default() },
        Time::Future => Rule { min: zero, ..Rule::default() },
    };
    limits(vm, order, &FieldType::Int, &rule)
}
