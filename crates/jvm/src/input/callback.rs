//! Functions that methods of stand-ins are given: a fake transaction runs the work it gets, a fake repository shows its
//! visitor an element, an executor runs the task.

use ir::{ClassId, FuncId};
use vm::{ElemKind, NativeResult, ObjId, Stop, Val, Vm};

use super::fake::{Fake, FakeCall, MAX_DEPTH, answered, asked, keep};
use super::generic::{self, Env, Generic};
use super::made_up::{abstract_methods, env_in, is_plain};
use super::{Kind, kind_for, make_at};
use crate::observe::{dispatched, see_argument};
use crate::world::Jvm;

/// A function among the parameters of a method that a class standing for an interface may call.
#[derive(Debug)]
pub struct Callback {
    /// Which parameter it is, and what a test calls it.
    pub param: usize,
    pub name: String,
    /// What is called: the only abstract method of its type.
    pub func: FuncId,
    /// How its arguments are called and made.
    args: Vec<(String, Kind)>,
    /// What it returns is what the method returns.
    pub returned: bool,
}

/// Interfaces of the library with one method that are no functions: what is given is not meant to be called by them.
const NO_FUNCTIONS: [&str; 6] = [
    "java/lang/Comparable",
    "java/lang/Iterable",
    "java/lang/AutoCloseable",
    "java/io/Closeable",
    "java/io/Flushable",
    "java/lang/Readable",
];

/// The first function among the parameters of a method that its implementation could call.
pub(super) fn callback(
    vm: &mut Vm<Jvm>,
    method: FuncId,
    (interface, args): (ClassId, &[Generic]),
) -> Option<Callback> {
    if vm.lang.worlds.faking >= MAX_DEPTH {
        return None;
    }
    let owner = vm.lang.funcs[method].class;
    let env = env_in(&vm.lang, interface, args, owner, 0).unwrap_or_default();
    let (params, returns) = types(&vm.lang, method, &env)?;
    for (param, ty) in params.iter().enumerate() {
        let Generic::Class(name, of) = ty else { continue };
        let Ok(class) = vm.lang.class(name) else { continue };
        if !vm.lang.classes[class].is_interface() || NO_FUNCTIONS.contains(&&**name) {
            continue;
        }
        let [func] = abstract_methods(&vm.lang, class)[..] else { continue };
        if !may_throw(&vm.lang, method, func) {
            continue;
        }
        let declares = vm.lang.funcs[func].class;
        let env = env_in(&vm.lang, class, of, declares, 0).unwrap_or_default();
        let Some((given, result)) = types(&vm.lang, func, &env) else { continue };
        vm.lang.worlds.faking += 1;
        let names = super::param_names(&vm.lang, func);
        let args = given.iter().zip(&names);
        let args = args.map(|(ty, own)| (named(own, &shown(ty)), kind_for(vm, &shown(ty)))).collect();
        vm.lang.worlds.faking -= 1;
        let own = super::param_names(&vm.lang, method);
        let name = named(own.get(param).map_or("arg0", String::as_str), ty);
        let returned = returns.is_some() && result == returns && result != Some(Generic::Any);
        return Some(Callback { param, name, func, args, returned });
    }
    None
}

/// What a parameter is called: as in the source, or after its type.
fn named(own: &str, ty: &Generic) -> String {
    let made_up = own.strip_prefix("arg").is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    let Generic::Class(class, _) = ty else { return own.to_string() };
    let simple = class.rsplit(['/', '$']).next().unwrap_or(class);
    let mut chars = simple.chars();
    match chars.next() {
        Some(first) if made_up => first.to_lowercase().chain(chars).collect(),
        _ => own.to_string(),
    }
}

/// What stands for a type that nothing is known of: a text.
fn shown(ty: &Generic) -> Generic {
    match ty {
        Generic::Any | Generic::Wild => Generic::Class("java/lang/String".into(), Vec::new()),
        Generic::Class(name, _)
            if &**name == "java/lang/Object" || !name.contains('/') && name.len() <= 2 =>
        {
            Generic::Class("java/lang/String".into(), Vec::new())
        }
        known => known.clone(),
    }
}

/// The types of a method, its own variables standing for themselves.
fn types(jvm: &Jvm, func: FuncId, env: &Env) -> Option<(Vec<Generic>, Option<Generic>)> {
    let f = &jvm.funcs[func];
    let signature = jvm.classes[f.class].file.as_deref()?.method(&f.name, &f.descriptor)?.signature.clone();
    if let Some(open) = signature.as_deref().and_then(|signature| generic::open(signature, env)) {
        return Some((open.params, open.returns));
    }
    let params = generic::params(signature.as_deref(), &f.signature.ty.params, env);
    let ret = f.signature.ty.ret.as_ref();
    Some((params, ret.map(|erased| generic::result(signature.as_deref(), erased, env))))
}

/// Whether what a function throws may leave a method: it need not be declared, or the method declares it.
fn may_throw(jvm: &Jvm, method: FuncId, func: FuncId) -> bool {
    let declared = |func: FuncId| {
        let f = &jvm.funcs[func];
        let file = jvm.classes[f.class].file.as_deref();
        let found = file.and_then(|file| file.method(&f.name, &f.descriptor));
        found.map(|method| method.exceptions.clone()).unwrap_or_default()
    };
    let allowed = declared(method);
    declared(func).iter().all(|name| allowed.contains(name))
}

/// Makes the arguments that take code, in runs that ask for them.
pub(super) fn prepare(vm: &mut Vm<Jvm>, name: &str, object: ObjId, fake: &Fake) -> Result<(), Stop> {
    for (index, method) in fake.methods.iter().enumerate() {
        let Some(callback) = &method.callback else { continue };
        let called = format!("{name}.{}()", vm.lang.funcs[method.func].name);
        let takes_code = |(_, (_, kind)): &(usize, &(String, Kind))| !is_plain(kind);
        for (number, (own, kind)) in callback.args.iter().enumerate().filter(takes_code) {
            let given = argument_name(&vm.lang, &called, callback, own);
            if asked(vm, &given).1 != 0 {
                let val = make_at(vm, &given, kind, false)?;
                vm.lang.worlds.fake_passed.push((object, index, number, val));
            }
        }
    }
    Ok(())
}

fn argument_name(jvm: &Jvm, called: &str, callback: &Callback, own: &str) -> String {
    format!("{called}.{}.{own}", jvm.funcs[callback.func].name)
}

/// Runs the function that a method of a fake was given, if this run wants that: a wish.
pub(super) fn run(vm: &mut Vm<Jvm>, args: &[Val]) -> Result<Option<NativeResult<Jvm>>, Stop> {
    let (Some(this), Some(index)) = (args.first(), args.get(1)) else { return Ok(None) };
    let object = vm.deref(*this)?;
    let index = index.bits as usize;
    let class = vm.heap.class(object);
    let Some((_, fake)) = vm.lang.worlds.fakes.get(&class).cloned() else { return Ok(None) };
    let Some(callback) = fake.methods.get(index).and_then(|method| method.callback.as_ref()) else {
        return Ok(None);
    };
    let method = &fake.methods[index];
    let Some(name) = vm.lang.worlds.faked.iter().find(|(o, _)| *o == object).map(|(_, name)| name.clone())
    else {
        return Ok(None);
    };
    let called = format!("{name}.{}()", vm.lang.funcs[method.func].name);
    let function = match args.get(2 + callback.param) {
        Some(function) if function.bits != 0 => vm.deref(*function)?,
        _ => return Ok(None),
    };
    let reason = "a function that a stand-in is given is called once in a call, if at all, and with no null";
    vm.ledger.note(ledger::Kind::Tried, "inputs", reason);
    if vm.choose_among(ElemKind::Prefer, &format!("{called}.runs"), 2)? == 0 {
        return Ok(None);
    }
    let mut vals = vec![Val::obj(function)];
    for (number, (own, kind)) in callback.args.iter().enumerate() {
        let given = argument_name(&vm.lang, &called, callback, own);
        if !is_plain(kind) {
            let (flag, made) = asked(vm, &given);
            vm.require(flag, made != 0)?;
        }
        let made = vm.lang.worlds.fake_passed.iter();
        let made = made.clone().find(|(o, m, n, _)| *o == object && *m == index && *n == number);
        let val = match made.map(|(.., val)| *val) {
            Some(val) => val,
            None => make_at(vm, &given, kind, false)?,
        };
        // Kotlin's types refuse null, and nobody's repository hands it to a visitor.
        if val.term.is_some() && !matches!(kind, Kind::Scalar(_)) {
            let null = vm.pool.bv(32, 0);
            let there = vm.pool.ne(val.term, null);
            vm.require(there, val.bits != 0)?;
        }
        vals.push(val);
    }
    let mut passed = Vec::new();
    if vm.lang.worlds.script.is_some() {
        let types = vm.lang.funcs[callback.func].signature.ty.params.clone();
        for (val, ty) in vals[1..].iter().copied().zip(&types) {
            passed.push(see_argument(vm, val.bits, ty));
        }
    }
    let Some(target) = dispatched(vm, function, callback.func) else { return Ok(None) };
    let ran = Some(passed);
    let call = FakeCall { ran, ..FakeCall::new(vm, object, index) };
    keep(vm, call);
    Ok(Some(match callback.returned {
        true => NativeResult::Call(target, vals),
        false => NativeResult::CallThen { func: target, args: vals, then: go_on, keep: args.to_vec() },
    }))
}

/// What the method returns once the function has run.
fn go_on(vm: &mut Vm<Jvm>, args: &[Val]) -> NativeResult<Jvm> {
    answered(vm, args.get(1..).unwrap_or_default())
}
