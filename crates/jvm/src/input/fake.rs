//! Interfaces and abstract classes that nobody implements: a made-up class whose results are inputs.

use ir::{ClassId, FuncId};
use vm::{ElemKind, NativeResult, ObjId, Outcome, Stop, Val, Vm};

use super::callback::{self, Callback};
use super::cases::{ResultCase, case_of};
use super::generic::{self, Generic};
use super::known::{Rule, hold};
use super::made_up::{env_in, is_plain};
use super::object::{Event, absent, arguments, log, nothing, remember, see_args};
use super::recipe::Way;
use super::{Kind, make_at, nullable};
use crate::link::ClassOrigin;
use crate::load::{FieldType, access};
use crate::observe::{Seen, see_argument};
use crate::world::Jvm;

/// A class that stands for an interface or an abstract class.
#[derive(Debug)]
pub struct Fake {
    pub interface: ClassId,
    /// The constructor of an abstract class.
    pub constructor: Option<Way>,
    /// Type arguments of the interface, where they are known.
    pub args: Vec<Generic>,
    pub methods: Vec<FakeMethod>,
}

#[derive(Debug)]
pub struct FakeMethod {
    /// The interface's.
    pub func: FuncId,
    /// How its results are made, in each of its cases; none if it returns nothing.
    pub results: Vec<Kind>,
    /// The type of its result with its arguments, where they are known.
    pub returns: Option<Generic>,
    /// What is known of its results, by cases of its arguments, which have these names.
    pub cases: Vec<ResultCase>,
    pub params: Vec<String>,
    /// It is declared to return no null.
    pub(super) no_null: bool,
    /// What it returns holds what Kotlin's types say.
    pub(super) elements: Rule,
    /// Exceptions that it may throw instead.
    pub(super) throws: Vec<Kind>,
    /// A function that it is given and may call.
    pub callback: Option<Callback>,
}

/// A call of a fake in this run, and what it returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeCall {
    pub object: ObjId,
    pub method: usize,
    pub result: Seen,
    /// The result is an exception.
    pub threw: bool,
    /// No call by itself: the function that the method was given was run with these arguments.
    pub ran: Option<Vec<Seen>>,
    /// What the method was given, if a test may want to know; known once the run has ended, see [`look_at_given`].
    pub given: Option<Vec<Given>>,
    /// The thread that called.
    pub(super) thread: usize,
    pub(super) bits: Vec<u64>,
}

/// An argument that a stand-in was given, as it is at the end of the run: that is when a test looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub seen: Seen,
    /// It may be compared by `equals`: all it is made of is equal to itself and to nothing by accident.
    pub equal: bool,
}

/// Counts a call, and keeps it if a test may tell of it.
pub(super) fn keep(vm: &mut Vm<Jvm>, call: FakeCall) {
    let worlds = &mut vm.lang.worlds;
    worlds.fake_asked += 1;
    if call.ran.is_none() {
        let count = worlds.fake_counts.entry((call.object, call.method)).or_insert(0);
        *count += 1;
        if *count > MOST_KEPT {
            return;
        }
    } else if worlds.fake_calls.len() > MOST_KEPT * 16 {
        return;
    }
    worlds.fake_calls.push(call);
}

/// How often a method of a stand-in was called in this run.
fn calls_before(vm: &Vm<Jvm>, object: ObjId, method: usize) -> usize {
    vm.lang.worlds.fake_counts.get(&(object, method)).copied().unwrap_or(0)
}

impl FakeCall {
    pub(super) fn new(vm: &Vm<Jvm>, object: ObjId, method: usize) -> FakeCall {
        let (thread, bits) = (vm.lang.threads.current, Vec::new());
        FakeCall { object, method, result: Seen::Null, threw: false, ran: None, given: None, thread, bits }
    }
}

/// What names of such classes are told by.
pub const STAND_IN: &str = "$$Fake";
/// So many results that take guest code are made for one method.
const MAX_MADE: usize = 3;
/// So many exceptions are tried for one method, in so many of its calls.
pub(super) const MAX_THROWN: usize = 3;
/// So many results of one method are inputs of their own; after that the last one comes again.
const MAX_RESULTS: usize = 16;
/// So many calls of one method are kept; later ones are only counted. No test tells of as many, and loops that go on asking a
/// stand-in come to millions.
const MOST_KEPT: usize = 1000;
/// Fakes that return fakes.
pub(super) const MAX_DEPTH: u32 = 2;
pub(super) const HOOK: &str = "testwright/Fake.call";

impl Fake {
    /// The types of a method's parameters as a class that stands for the interface declares them.
    pub fn param_types(&self, jvm: &Jvm, func: FuncId) -> Vec<Generic> {
        let env = env_in(jvm, self.interface, &self.args, jvm.funcs[func].class, 0).unwrap_or_default();
        super::param_types(jvm, func, &env)
    }
}

impl Fake {
    /// The types of a method with type parameters of its own.
    pub fn open_types(&self, jvm: &Jvm, func: FuncId) -> Option<generic::Open> {
        let f = &jvm.funcs[func];
        let env = env_in(jvm, self.interface, &self.args, f.class, 0).unwrap_or_default();
        let signature =
            jvm.classes[f.class].file.as_deref()?.method(&f.name, &f.descriptor)?.signature.clone()?;
        generic::open(&signature, &env)
    }
}

/// A fake as an input.
pub(super) fn fake(vm: &mut Vm<Jvm>, name: &str, class: ClassId, optional: bool) -> Result<Val, Stop> {
    if absent(vm, name, optional) {
        return nothing(vm, name, class, optional);
    }
    let object = vm.new_object(class)?;
    let Some((_, fake)) = vm.lang.worlds.fakes.get(&class).cloned() else { return Err(Stop::Assumption) };
    let mut seen = Vec::new();
    if let Some(way) = &fake.constructor {
        note_class_below(vm, fake.interface);
        super::initialise(vm, fake.interface).map_err(|_| Stop::Assumption)?;
        let args = arguments(vm, name, way, None)?;
        if vm.lang.worlds.script.is_some() {
            seen = see_args(vm, way, &args);
        }
        // Its constructor may ask its methods already.
        vm.lang.worlds.faked.push((object, name.to_string()));
        let mut vals = vec![Val::obj(object)];
        vals.extend(args);
        match vm.call(way.func, &vals) {
            Outcome::Returned(_) => {}
            Outcome::Threw(_) => return Err(Stop::Assumption),
            Outcome::Stopped(stop) => return Err(stop),
        }
    }
    prepare_answers(vm, name, object, &fake)?;
    if fake.constructor.is_none() {
        vm.lang.worlds.faked.push((object, name.to_string()));
    }
    log(vm, Event::Faked { name: name.to_string(), object, class, args: seen });
    remember(vm, name, object);
    Ok(nullable(vm, name, object, optional))
}

/// An object of a class that stands for an abstract one, whose constructor is still to be called: it is what is tested.
pub fn unmade(vm: &mut Vm<Jvm>, name: &str, class: ClassId) -> Result<ObjId, Stop> {
    let object = vm.new_object(class)?;
    let Some((_, fake)) = vm.lang.worlds.fakes.get(&class).cloned() else { return Err(Stop::Assumption) };
    note_class_below(vm, fake.interface);
    vm.lang.worlds.faked.push((object, name.to_string()));
    prepare_answers(vm, name, object, &fake)?;
    Ok(object)
}

fn note_class_below(vm: &mut Vm<Jvm>, class: ClassId) {
    let which = vm.lang.classes[class].java_name();
    let reason = "only subclasses that leave its methods as they are";
    vm.ledger.note(ledger::Kind::UnsupportedInput, which, reason);
}

/// Makes what the methods of a fake return, throw and hand to functions, as far as that takes code and the run asks for it.
fn prepare_answers(vm: &mut Vm<Jvm>, name: &str, object: ObjId, fake: &Fake) -> Result<(), Stop> {
    for (index, method) in fake.methods.iter().enumerate() {
        let Some(ty) = vm.lang.funcs[method.func].signature.ty.ret.clone() else { continue };
        let called = format!("{name}.{}()", vm.lang.funcs[method.func].name);
        for (number, kind) in method.results.iter().enumerate() {
            let rule = method.cases.get(number).map(|case| &case.then);
            if !takes_code(method, number, &ty) || asked(vm, &in_case(&called, number)).1 == 0 {
                continue;
            }
            // Every call returns the same object, unless that will not do.
            for again in 1..=MAX_MADE {
                let mut made = in_case(&called, number);
                if again > 1 {
                    made.push_str(&format!("#{again}"));
                    vm.outside = super::site(&made);
                    if vm.choose_among(ElemKind::Prefer, &format!("{made}.other"), 2)? == 0 {
                        break;
                    }
                }
                let val = make_at(vm, &made, kind, false)?;
                if never_null(&ty) || method.no_null {
                    hold(vm, val, &ty, &Rule { non_null: true, ..method.elements.clone() })?;
                }
                if let Some(rule) = rule {
                    hold(vm, val, &ty, rule)?;
                    super::known::note(vm);
                }
                vm.lang.worlds.fake_results.push((object, index, number, val));
            }
        }
    }
    make_thrown(vm, name, object, fake)?;
    callback::prepare(vm, name, object, fake)
}

/// Whether a result takes guest code to make, so that it is made with the fake.
fn takes_code(method: &FakeMethod, case: usize, ty: &FieldType) -> bool {
    let rule = method.cases.get(case).map(|case| &case.then);
    method.results.get(case).is_some_and(|kind| !is_plain(kind))
        || rule.is_some_and(|rule| rule.takes_code(ty))
}

/// Whether a result is made: not before a run that asks for it.
pub(super) fn asked(vm: &mut Vm<Jvm>, called: &str) -> (term::TermId, u64) {
    vm.inputs.scalar(&mut vm.pool, &format!("{called}.asked"), term::Sort::Bool)
}

/// Types whose very purpose is that nobody returns null.
fn never_null(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Class(name) if name.starts_with("java/util/Optional") || name.starts_with("java/util/stream/"))
}

/// The name of a result in one of several cases.
fn in_case(name: &str, number: usize) -> String {
    if number == 0 { name.to_string() } else { format!("{name}/{}", number + 1) }
}

/// What a method of a fake does: runs what it was given, returns the next input.
pub(super) fn call(vm: &mut Vm<Jvm>, args: &[Val]) -> NativeResult<Jvm> {
    match callback::run(vm, args) {
        Ok(Some(running)) => running,
        Ok(None) => answered(vm, args),
        Err(stop) => NativeResult::Stop(stop),
    }
}

/// The next input as the result of a call.
pub(super) fn answered(vm: &mut Vm<Jvm>, args: &[Val]) -> NativeResult<Jvm> {
    match answer(vm, args) {
        Ok(Answer::Value(val)) => NativeResult::Return(val),
        Ok(Answer::Nothing) => NativeResult::Void,
        Ok(Answer::Threw(exception)) => NativeResult::Throw(exception),
        Err(stop) => NativeResult::Stop(stop),
    }
}

fn answer(vm: &mut Vm<Jvm>, args: &[Val]) -> Result<Answer, Stop> {
    let unknown =
        || Stop::Unsupported { what: "input", which: "an object that stands for an interface".to_string() };
    let (Some(this), Some(index)) = (args.first(), args.get(1)) else { return Err(unknown()) };
    let object = vm.deref(*this)?;
    let index = index.bits as usize;
    let class = vm.heap.class(object);
    let Some((_, fake)) = vm.lang.worlds.fakes.get(&class) else { return Err(unknown()) };
    let fake = fake.clone();
    let method = fake.methods.get(index).ok_or_else(unknown)?;
    if could_change(
        vm,
        object,
        args.get(2..).unwrap_or_default(),
        &vm.lang.funcs[method.func].signature.ty.params,
    ) {
        let interface = vm.lang.classes[fake.interface].java_name();
        let called = format!("{interface}.{}", vm.lang.funcs[method.func].name);
        vm.ledger.note(ledger::Kind::Tried, called, "a stand-in leaves other objects as they are");
    }
    if method.results.is_empty() {
        if let Some(thrown) = thrown(vm, object, index, method)? {
            return Ok(Answer::Threw(thrown));
        }
        let call = FakeCall { bits: given_bits(vm, &fake, args), ..FakeCall::new(vm, object, index) };
        keep(vm, call);
        return Ok(Answer::Nothing);
    }
    if let Some(thrown) = thrown(vm, object, index, method)? {
        return Ok(Answer::Threw(thrown));
    }
    let name = vm.lang.worlds.faked.iter().find(|(o, _)| *o == object).map(|(_, name)| name.clone());
    let before = calls_before(vm, object, index);
    let number = before.min(MAX_RESULTS - 1);
    let func = &vm.lang.funcs[method.func];
    let (called, ret) = (func.name.to_string(), func.signature.ty.ret.clone());
    let again = if number == 0 { String::new() } else { format!("#{}", number + 1) };
    let first = format!("{}.{called}()", name.unwrap_or_default());
    let name = format!("{first}{again}");
    let params = vm.lang.funcs[method.func].signature.ty.params.clone();
    let case = case_of(vm, &method.cases, &method.params, (args.get(2..).unwrap_or_default(), &params))?;
    if ret.as_ref().is_some_and(|ty| takes_code(method, case, ty)) {
        let (flag, made) = asked(vm, &in_case(&first, case));
        vm.require(flag, made != 0)?;
    }
    let results = vm.lang.worlds.fake_results.iter();
    let mut ready = results.filter(|(o, m, c, _)| *o == object && *m == index && *c == case);
    let last = ready.clone().next_back();
    let val = match ready.nth(before).or(last).map(|(_, _, _, val)| *val) {
        Some(val) => val,
        None => {
            let kind = method.results.get(case).ok_or_else(unknown)?;
            let val = make_at(vm, &in_case(&name, case), kind, false)?;
            // Kotlin has no way to return null for a number.
            let of_kotlin = vm.lang.classes[fake.interface].name.starts_with("kotlin/jvm/functions/");
            let boxed = of_kotlin && matches!(kind, Kind::Boxed { .. });
            if let (true, Some(ty)) = (boxed || method.no_null, &ret) {
                hold(vm, val, ty, &Rule { non_null: true, ..Rule::default() })?;
            }
            if let (Some(case), Some(ty)) = (method.cases.get(case), &ret) {
                hold(vm, val, ty, &case.then)?;
                super::known::note(vm);
            }
            val
        }
    };
    // To look at a value may take code, which is no part of the run: only who writes the test wants to know.
    let result = match ret {
        Some(ty) if vm.lang.worlds.script.is_some() => see_argument(vm, val.bits, &ty),
        _ => Seen::Null,
    };
    let call = FakeCall { result, bits: given_bits(vm, &fake, args), ..FakeCall::new(vm, object, index) };
    keep(vm, call);
    Ok(Answer::Value(val))
}

/// Whether somebody else's code in the place of a stand-in could change what the program looks at later: it is given, or knows, an
/// object that is no value.
fn could_change(vm: &Vm<Jvm>, stand_in: ObjId, args: &[Val], types: &[FieldType]) -> bool {
    let changes = |object: ObjId| {
        let class = &vm.lang.classes[vm.heap.class(object)];
        let is_value = class.access & access::ENUM != 0
            || !super::is_changeable(&format!("L{};", class.name)) && !class.name.starts_with('[')
            || class.file.as_ref().is_some_and(|file| file.record.is_some());
        let is_stand_in = vm.lang.worlds.fakes.contains_key(&vm.heap.class(object));
        object != stand_in && !is_value && !is_stand_in
    };
    let given = args.iter().zip(types).filter(|(val, ty)| ty.is_reference() && val.bits != 0);
    // Who calls it may have been given to it before: that is the object under test, which has its own claims.
    let knows =
        vm.lang.worlds.made.iter().filter(|made| Some(vm.heap.class(made.object)) != vm.lang.worlds.context);
    given.map(|(val, _)| val.as_obj()).chain(knows.map(|made| made.object)).any(changes)
}

/// What a call was given, if somebody writes a test of it. The library's interfaces that return something are asked, not told.
fn given_bits(vm: &Vm<Jvm>, fake: &Fake, args: &[Val]) -> Vec<u64> {
    let told = args.get(1).and_then(|index| fake.methods.get(index.bits as usize)).is_some_and(|method| {
        method.results.is_empty() || vm.lang.classes[fake.interface].origin != ClassOrigin::Library
    });
    match vm.lang.worlds.script.is_some() && told {
        true => args.iter().skip(2).map(|val| val.bits).collect(),
        false => Vec::new(),
    }
}

/// Looks at what stand-ins were given, as it is now: a test that keeps it looks at it then. What
/// another thread called comes in no order that a test could rely on, and is left out with all other calls of that method.
pub fn look_at_given(vm: &mut Vm<Jvm>, calls: &mut [FakeCall]) {
    let main = vm.lang.threads.current;
    let elsewhere: Vec<(ObjId, usize)> =
        calls.iter().filter(|call| call.thread != main).map(|call| (call.object, call.method)).collect();
    for call in calls {
        let bits = std::mem::take(&mut call.bits);
        call.thread = 0;
        let fake = vm.lang.worlds.fakes.get(&vm.heap.class(call.object)).map(|(_, fake)| fake.clone());
        let func = fake.and_then(|fake| fake.methods.get(call.method).map(|method| method.func));
        let all = calls_before(vm, call.object, call.method) <= MOST_KEPT;
        let (Some(func), true, false) = (func, all, elsewhere.contains(&(call.object, call.method))) else {
            continue;
        };
        let types = vm.lang.funcs[func].signature.ty.params.clone();
        if bits.len() != types.len() {
            continue;
        }
        let mut given = Vec::new();
        for (bits, ty) in bits.iter().zip(&types) {
            let seen = crate::observe::see(vm, *bits, ty);
            let equal = is_equal_to_itself(vm, &seen);
            given.push(Given { seen, equal });
        }
        call.given = Some(given);
    }
}

/// Whether what was seen can be compared by `equals`. Arrays cannot; what a class of the program makes of `equals` is its own
/// affair, unless it is a record.
fn is_equal_to_itself(vm: &mut Vm<Jvm>, seen: &Seen) -> bool {
    match seen {
        Seen::Array(..) | Seen::Opaque(_) => false,
        Seen::Input(object) | Seen::Object { id: object, .. } => {
            let class = vm.heap.class(*object);
            let jvm = &mut vm.lang;
            if jvm.classes[class].name.starts_with('[') {
                return false;
            }
            let record = jvm.classes[class].file.as_ref().is_some_and(|file| file.record.is_some());
            let equals = jvm.method(class, "equals", "(Ljava/lang/Object;)Z");
            record
                || equals.is_ok_and(|func| jvm.classes[jvm.funcs[func].class].origin == ClassOrigin::Library)
        }
        Seen::List(items) | Seen::Set(items) => items.iter().all(|item| is_equal_to_itself(vm, item)),
        Seen::Map(entries) => {
            entries.iter().all(|(key, item)| is_equal_to_itself(vm, key) && is_equal_to_itself(vm, item))
        }
        Seen::Optional(Some(item)) => is_equal_to_itself(vm, item),
        _ => true,
    }
}

/// What a call of a fake comes to.
enum Answer {
    Value(Val),
    Nothing,
    Threw(ObjId),
}

/// The name of what a call of a method decides, the first being 0.
fn nth_call(vm: &Vm<Jvm>, fake: &str, func: FuncId, number: usize) -> String {
    let again = if number == 0 { String::new() } else { format!("#{}", number + 1) };
    format!("{fake}.{}(){again}", vm.lang.funcs[func].name)
}

/// The exception that this call throws, if it does: a wish.
fn thrown(vm: &mut Vm<Jvm>, object: ObjId, index: usize, method: &FakeMethod) -> Result<Option<ObjId>, Stop> {
    let before = calls_before(vm, object, index);
    let name = vm.lang.worlds.faked.iter().find(|(o, _)| *o == object).map(|(_, name)| name.clone());
    let (Some(name), false, true) = (name, method.throws.is_empty(), before < MAX_THROWN) else {
        return Ok(None);
    };
    let name = nth_call(vm, &name, method.func, before);
    let count = method.throws.len() as u32 + 1;
    if vm.choose_among(ElemKind::Prefer, &format!("{name}.throws"), count)? == 0 {
        return Ok(None);
    }
    let made = &vm.lang.worlds.fake_thrown;
    let made = made.iter().find(|(o, m, n, _)| *o == object && *m == index && *n == before);
    let Some((_, _, _, exception)) = made.copied() else { return Err(Stop::Assumption) };
    let result = match vm.lang.worlds.script.is_some() {
        true => crate::observe::see_input(vm, exception),
        false => Seen::Null,
    };
    let call = FakeCall { result, threw: true, ..FakeCall::new(vm, object, index) };
    keep(vm, call);
    Ok(Some(exception))
}

/// What the first calls of stand-ins in this run could have thrown: the variables that say so, and how many exceptions there are.
pub fn could_throw(vm: &Vm<Jvm>) -> Vec<(String, u32)> {
    let worlds = &vm.lang.worlds;
    let mut found: Vec<(String, u32)> = Vec::new();
    for call in worlds.fake_calls.iter().filter(|call| !call.threw && call.ran.is_none()) {
        let fake = worlds.fakes.get(&vm.heap.class(call.object)).map(|(_, fake)| fake);
        let Some(method) = fake.and_then(|fake| fake.methods.get(call.method)) else { continue };
        let Some((_, name)) = worlds.faked.iter().find(|(object, _)| *object == call.object) else {
            continue;
        };
        let variable = format!("{}.throws", nth_call(vm, name, method.func, 0));
        if !method.throws.is_empty() && !found.iter().any(|(known, _)| *known == variable) {
            found.push((variable, method.throws.len() as u32));
        }
    }
    found
}

/// Makes the exceptions that calls of a fake throw in this run.
fn make_thrown(vm: &mut Vm<Jvm>, name: &str, object: ObjId, fake: &Fake) -> Result<(), Stop> {
    for (index, method) in fake.methods.iter().enumerate() {
        for number in 0..if method.throws.is_empty() { 0 } else { MAX_THROWN } {
            let call = nth_call(vm, name, method.func, number);
            let which =
                vm.inputs.scalar(&mut vm.pool, &format!("{call}.throws"), term::Sort::Bv(32)).1 as usize;
            let Some(at) = which.checked_sub(1) else { continue };
            let kind = method.throws[at.min(method.throws.len() - 1)].clone();
            let val = make_at(vm, &format!("{call}.thrown"), &kind, false)?;
            let ty = FieldType::Class("java/lang/Throwable".into());
            hold(vm, val, &ty, &Rule { non_null: true, ..Rule::default() })?;
            let exception = vm.deref(val)?;
            vm.lang.worlds.fake_thrown.push((object, index, number, exception));
        }
    }
    Ok(())
}
