//! Calls that come before everything else, where static fields remember them: `Registry.register("a")`, then the call
//! under test. Besides, calls that take such fields back to where they were: `Registry.clear()`.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::{ClassId, FuncId};
use vm::{ElemKind, Outcome, Stop, Val, Vm};

use super::effects::{is_changeable, reads_only};
use super::generic::Env;
use super::object::{self, Event};
use super::recipe::{self, Way};
use crate::link::ClassOrigin;
use crate::load::{Instr, access};
use crate::observe::Seen;
use crate::world::Jvm;

/// A static field: the class that names it, and its name.
pub type StaticField = (Arc<str>, Arc<str>);

/// So many calls come before.
const MAX_CALLS: u32 = 3;
/// Of so many methods.
const MAX_METHODS: usize = 6;
/// Calls are followed so deep to find out which fields a method changes.
const MAX_DEPTH: u32 = 4;

/// Static fields of the program that functions, and what they call, read and that can change.
pub fn remembered(jvm: &Jvm, funcs: impl Iterator<Item = FuncId>) -> BTreeSet<StaticField> {
    let mut found = BTreeSet::new();
    let mut open: Vec<(FuncId, u32)> = funcs.map(|func| (func, 0)).collect();
    let mut seen: BTreeSet<FuncId> = open.iter().map(|(func, _)| *func).collect();
    while let Some((func, depth)) = open.pop() {
        let f = &jvm.funcs[func];
        let Some(file) = &jvm.classes[f.class].file else { continue };
        let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else {
            continue;
        };
        for (_, instr) in &code.instrs {
            match instr {
                Instr::GetStatic(cp) => {
                    let field = file.pool.field(*cp).ok();
                    let field = field.filter(|f| can_change(jvm, f.class, f.name, f.descriptor));
                    found.extend(field.map(|field| (field.class.into(), field.name.into())));
                }
                Instr::InvokeStatic(cp) | Instr::InvokeSpecial(cp) | Instr::InvokeVirtual(cp) => {
                    let callee = file.pool.method(*cp).ok().and_then(|called| {
                        let owner = jvm.loaded(called.class)?;
                        let own = jvm.classes[owner].origin == ClassOrigin::User;
                        jvm.declared(owner, called.name, called.descriptor).filter(|_| own)
                    });
                    let callee = callee.filter(|callee| depth < MAX_DEPTH && seen.insert(*callee));
                    open.extend(callee.map(|callee| (callee, depth + 1)));
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether a static field of the program can hold something else later, or something that changes.
fn can_change(jvm: &Jvm, class: &str, name: &str, descriptor: &str) -> bool {
    let Some(owner) = jvm.loaded(class).filter(|c| jvm.classes[*c].origin == ClassOrigin::User) else {
        return false;
    };
    let Some(field) = jvm.classes[owner].field(name, descriptor) else { return false };
    let fixed = field.access & (access::SYNTHETIC | access::ENUM) != 0;
    // An array in capitals is a table that nobody writes.
    let table = descriptor.starts_with('[') && !name.contains(|c: char| c.is_ascii_lowercase());
    !fixed && (field.access & access::FINAL == 0 || is_changeable(descriptor) && !table)
}

/// What static fields have to do with a method under test.
#[derive(Clone, Debug, Default)]
pub struct Statics {
    /// Those that it, or what makes the object it is called on, may read and that can change.
    pub fields: BTreeSet<StaticField>,
    /// Methods that change those, for calls before: by the simple name of their class.
    pub earlier: Vec<(String, Vec<Way>)>,
    /// Getters that show what the method may change.
    pub getters: Vec<FuncId>,
}

/// What static fields have to do with a method that can reach these functions.
pub fn statics(vm: &mut Vm<Jvm>, class: ClassId, func: FuncId, reached: Vec<FuncId>) -> Statics {
    let jvm = &vm.lang;
    let mut funcs = reached;
    if !jvm.funcs[func].is_static() && jvm.classes[class].origin == ClassOrigin::User {
        let makes = |f: &FuncId| jvm.funcs[*f].is_static() || &*jvm.funcs[*f].name == "<init>";
        funcs.extend(jvm.classes[class].functions().filter(makes));
    }
    let fields = remembered(jvm, funcs.into_iter());
    let getters = getters(jvm, class, func);
    let mut found = changing(jvm, class, &fields);
    found.retain(|changing| *changing != func || jvm.funcs[func].is_static());
    found.sort_by_key(|func| {
        let f = &jvm.funcs[*func];
        (!recipe::grows(&f.name), f.signature.ty.params.is_empty(), *func)
    });
    found.truncate(MAX_METHODS);
    let mut earlier: Vec<(String, Vec<Way>)> = Vec::new();
    for func in found {
        let name = vm.lang.classes[vm.lang.funcs[func].class].java_name();
        let name = name.rsplit(['.', '$']).next().unwrap_or(&name).to_string();
        let way = recipe::way(vm, func, &Env::new());
        match earlier.iter_mut().find(|(of, _)| *of == name) {
            Some((_, ways)) => ways.push(way),
            None => earlier.push((name, vec![way])),
        }
    }
    for (_, ways) in &mut earlier {
        recipe::tell_overloads_apart(&vm.lang, ways.iter_mut());
    }
    Statics { fields, earlier, getters }
}

/// Static getters of a class that show fields which a method of it may change.
fn getters(jvm: &Jvm, class: ClassId, func: FuncId) -> Vec<FuncId> {
    let functions = jvm.classes[class].functions().filter(|getter| {
        let f = &jvm.funcs[*getter];
        let asks = f.is_static() && f.signature.ty.params.is_empty() && f.signature.ty.ret.is_some();
        asks && *getter != func && recipe::can_call(jvm, *getter) && !f.name.starts_with('<')
    });
    let shows = |getter: &FuncId| {
        let read = remembered(jvm, std::iter::once(*getter));
        !read.is_empty()
            && changes(jvm, func, &read, &mut Vec::new(), 0)
            && !changes(jvm, *getter, &read, &mut Vec::new(), 0)
    };
    functions.filter(shows).take(MAX_METHODS).collect()
}

/// Static methods and constructors, of the class and of those that hold the fields, that change one of the fields.
fn changing(jvm: &Jvm, class: ClassId, fields: &BTreeSet<StaticField>) -> Vec<FuncId> {
    if fields.is_empty() {
        return Vec::new();
    }
    let mut owners = vec![class];
    for (owner, _) in fields {
        owners.extend(jvm.loaded(owner).filter(|owner| !owners.contains(owner)));
    }
    let functions = owners.into_iter().flat_map(|owner| jvm.classes[owner].functions());
    functions
        .filter(|func| {
            let f = &jvm.funcs[*func];
            let constructor = &*f.name == "<init>" && jvm.classes[f.class].access & access::ABSTRACT == 0;
            let named = f.is_static() && !f.name.starts_with('<') && &*f.name != "main";
            (constructor || named)
                && recipe::can_call(jvm, *func)
                && recipe::can_name(jvm, f.class)
                && f.signature.ty.params.len() <= 4
                && changes(jvm, *func, fields, &mut Vec::new(), 0)
        })
        .collect()
}

/// Whether a function may change one of the fields, or what one of them holds.
fn changes(
    jvm: &Jvm,
    func: FuncId,
    fields: &BTreeSet<StaticField>,
    seen: &mut Vec<FuncId>,
    depth: u32,
) -> bool {
    if depth > MAX_DEPTH || seen.contains(&func) {
        return false;
    }
    seen.push(func);
    let f = &jvm.funcs[func];
    let Some(file) = &jvm.classes[f.class].file else { return false };
    let Some(Ok(Some(code))) = file.method(&f.name, &f.descriptor).map(|m| m.bytecode()) else {
        return false;
    };
    let is_one = |cp| {
        file.pool.field(cp).is_ok_and(|field| {
            fields.iter().any(|(class, name)| **class == *field.class && **name == *field.name)
        })
    };
    // Objects in the fields are at hand, and something may be done with them.
    let gets = code.instrs.iter().filter_map(|(_, instr)| match instr {
        Instr::GetStatic(cp) if is_one(*cp) => file.pool.field(*cp).ok(),
        _ => None,
    });
    let held: Vec<&str> =
        gets.map(|field| field.descriptor).filter(|descriptor| is_changeable(descriptor)).collect();
    let is_held = |class: ClassId| {
        let names = held.iter().filter_map(|held| held.strip_prefix('L')?.strip_suffix(';'));
        names.filter_map(|name| jvm.loaded(name)).any(|held| {
            jvm.classes[held].ancestors.contains(&class) || jvm.classes[class].ancestors.contains(&held)
        })
    };
    code.instrs.iter().any(|(_, instr)| {
        let called = match instr {
            Instr::PutStatic(cp) => return is_one(*cp),
            Instr::ArrayStore(_) => return held.iter().any(|held| held.starts_with('[')),
            Instr::InvokeVirtual(cp) | Instr::InvokeSpecial(cp) | Instr::InvokeInterface(cp) => cp,
            Instr::InvokeStatic(cp) => cp,
            _ => return false,
        };
        let Ok(called) = file.pool.method(*called) else { return false };
        let Some(owner) = jvm.loaded(called.class) else { return false };
        if jvm.classes[owner].origin == ClassOrigin::User {
            let callee = jvm.declared(owner, called.name, called.descriptor);
            if callee.is_some_and(|callee| changes(jvm, callee, fields, seen, depth + 1)) {
                return true;
            }
        }
        called.name != "<init>" && !reads_only(called.name, called.descriptor) && is_held(owner)
    })
}

/// Calls methods that static fields remember: none if that will do.
pub fn call_earlier(vm: &mut Vm<Jvm>, earlier: &[(String, Vec<Way>)]) -> Result<(), Stop> {
    for (of, ways) in earlier {
        for i in 0..MAX_CALLS {
            let step = format!("{of}.call{i}");
            vm.outside = super::site(&step);
            let which = vm.choose_among(ElemKind::Prefer, &step, ways.len() as u32 + 1)?;
            let Some(way) = which.checked_sub(1).and_then(|at| ways.get(at as usize)) else { break };
            let name = &vm.lang.funcs[way.func].name;
            let inside = format!("{step}.{}", if name.starts_with('<') { "new" } else { name });
            let args = object::arguments(vm, &inside, way)?;
            let seen = object::record(vm, |vm| object::see_args(vm, way, &args));
            perform(vm, None, way.func, args)?;
            if let Some(args) = seen {
                object::log(vm, Event::CalledFirst { on: None, func: way.func, args });
            }
        }
        let reason = format!("at most {MAX_CALLS} calls before");
        vm.ledger.note(ledger::Kind::InputBound, of.as_str(), reason);
    }
    Ok(())
}

/// Calls a method, on what another one returns if it is not static.
fn perform(vm: &mut Vm<Jvm>, on: Option<FuncId>, func: FuncId, args: Vec<Val>) -> Result<Option<Val>, Stop> {
    let class = vm.lang.funcs[func].class;
    super::initialise(vm, class).map_err(|_| Stop::Assumption)?;
    let mut vals = Vec::new();
    let mut target = func;
    if let Some(getter) = on {
        let object = perform(vm, None, getter, Vec::new())?.ok_or(Stop::Assumption)?;
        let object = vm.deref(object)?;
        if object.is_null() {
            return Err(Stop::Assumption);
        }
        target = crate::observe::dispatched(vm, object, func).ok_or(Stop::Assumption)?;
        vals.push(Val::obj(object));
    } else if &*vm.lang.funcs[func].name == "<init>" {
        vals.push(Val::obj(vm.new_object(class)?));
    }
    vals.extend(args);
    match vm.call(target, &vals) {
        Outcome::Returned(val) => Ok(val),
        Outcome::Threw(_) => Err(Stop::Assumption),
        Outcome::Stopped(stop) => Err(stop),
    }
}

/// A call that takes static fields back to where they were.
#[derive(Clone, Debug)]
pub struct Reset {
    func: FuncId,
    /// The static method that returns what it is called on.
    on: Option<FuncId>,
    /// What a setter is given: as the machine knows it, and as a test spells it.
    value: Option<(u64, Seen)>,
}

/// Calls that may take fields back, the likeliest first. The machine is in a fresh world.
pub fn resets(vm: &mut Vm<Jvm>, class: ClassId, fields: &BTreeSet<StaticField>) -> Vec<Vec<Reset>> {
    let all = changing(&vm.lang, class, fields);
    let returns = |jvm: &Jvm, func: FuncId| jvm.funcs[func].signature.ty.ret.clone();
    let plain = |func: &&FuncId| {
        let f = &vm.lang.funcs[**func];
        f.is_static() && f.signature.ty.params.is_empty()
    };
    let mut calls: Vec<FuncId> = all.iter().filter(plain).copied().collect();
    calls.sort_by_key(|func| (returns(&vm.lang, *func).is_some(), vm.lang.funcs[*func].class != class));
    calls.truncate(MAX_METHODS);
    let mut found: Vec<Vec<Reset>> =
        calls.iter().map(|func| vec![Reset { func: *func, on: None, value: None }]).collect();
    found.extend(on_instances(&vm.lang, class, fields).into_iter().map(|reset| vec![reset]));
    let setters: Vec<Reset> = all.iter().filter_map(|func| setter(vm, *func, fields)).collect();
    found.extend(setters.iter().map(|reset| vec![reset.clone()]));
    if setters.len() > 1 {
        found.push(setters);
    }
    found
}

/// `Registry.getInstance().clear()`.
fn on_instances(jvm: &Jvm, class: ClassId, fields: &BTreeSet<StaticField>) -> Vec<Reset> {
    let mut owners = vec![class];
    for (owner, _) in fields {
        owners.extend(jvm.loaded(owner).filter(|owner| !owners.contains(owner)));
    }
    let mut found = Vec::new();
    for owner in owners {
        for getter in jvm.classes[owner].functions() {
            let f = &jvm.funcs[getter];
            let asks = f.is_static() && f.signature.ty.params.is_empty() && recipe::can_call(jvm, getter);
            let Some(crate::load::FieldType::Class(name)) = f.signature.ty.ret.as_ref().filter(|_| asks)
            else {
                continue;
            };
            let Some(of) = jvm.loaded(name).filter(|of| jvm.classes[*of].origin == ClassOrigin::User) else {
                continue;
            };
            let methods = jvm.classes[of].functions().filter(|func| {
                let f = &jvm.funcs[*func];
                let plain = f.access & (access::STATIC | access::ABSTRACT) == 0
                    && f.signature.ty.params.is_empty()
                    && f.signature.ty.ret.is_none();
                plain && recipe::can_call(jvm, *func) && super::effects::writes(jvm, of, *func).is_some()
            });
            let methods = methods.filter(|func| !jvm.funcs[*func].name.starts_with('<'));
            found.extend(methods.map(|func| Reset { func, on: Some(getter), value: None }));
        }
    }
    found.truncate(MAX_METHODS);
    found
}

/// A method with one parameter, given what a field of that type holds in the beginning.
fn setter(vm: &mut Vm<Jvm>, func: FuncId, fields: &BTreeSet<StaticField>) -> Option<Reset> {
    let f = &vm.lang.funcs[func];
    let [param] = &f.signature.ty.params[..] else { return None };
    let param = param.clone();
    if !f.is_static() || f.signature.ty.ret.is_some() {
        return None;
    }
    let written: Vec<StaticField> = fields
        .iter()
        .filter(|field| changes(&vm.lang, func, &BTreeSet::from([(*field).clone()]), &mut Vec::new(), 0))
        .cloned()
        .collect();
    written.into_iter().find_map(|(owner, name)| {
        let owner = vm.lang.loaded(&owner)?;
        super::initialise(vm, owner).ok()?;
        let field = vm.lang.classes[owner].fields.iter().find(|f| f.is_static() && f.name == name)?;
        if crate::load::FieldType::parse(&field.descriptor).as_ref() != Some(&param) {
            return None;
        }
        let (offset, ty) = (field.offset, field.ty);
        let statics = <Jvm as vm::Lang>::statics(vm, owner).ok()?;
        let bits = vm.load_bits(statics, offset, ty);
        let value = crate::observe::see(vm, bits, &param);
        let simple = !param.is_reference() || matches!(value, Seen::Null | Seen::Str(_));
        simple.then_some(Reset { func, on: None, value: Some((bits, value)) })
    })
}

/// Calls what takes static fields back, before everything else.
pub fn reset(vm: &mut Vm<Jvm>, reset: &Reset) -> Result<(), Stop> {
    let args = match &reset.value {
        None => Vec::new(),
        Some((_, Seen::Str(units))) => vec![Val::obj(crate::link::new_string(vm, units)?)],
        Some((bits, _)) => vec![Val { bits: *bits, term: term::TermId::NONE }],
    };
    perform(vm, reset.on, reset.func, args)?;
    let args = reset.value.iter().map(|(_, seen)| seen.clone()).collect();
    object::log(vm, Event::CalledFirst { on: reset.on, func: reset.func, args });
    Ok(())
}

/// Calls whatever changes the fields, with arguments that nobody starts with: what tests of other classes may do.
pub fn disturb(vm: &mut Vm<Jvm>, class: ClassId, fields: &BTreeSet<StaticField>) {
    for func in changing(&vm.lang, class, fields) {
        let types = vm.lang.funcs[func].signature.ty.params.clone();
        let args: Option<Vec<Val>> = types.iter().map(|ty| odd(vm, ty)).collect();
        let Some(args) = args else { continue };
        // One that was stopped leaves a world in pieces.
        match perform(vm, None, func, args) {
            Ok(_) | Err(Stop::Assumption) => vm.keep(),
            Err(_) => {}
        }
        vm.start_exploration();
    }
}

/// An argument that is not what fields hold in the beginning.
fn odd(vm: &mut Vm<Jvm>, ty: &crate::load::FieldType) -> Option<Val> {
    use crate::load::FieldType;
    Some(match ty {
        FieldType::Boolean => Val::bool(true),
        FieldType::Byte | FieldType::Short | FieldType::Char | FieldType::Int => Val::i32(77),
        FieldType::Long => Val { bits: 77, term: term::TermId::NONE },
        FieldType::Float => Val { bits: 77f32.to_bits() as u64, term: term::TermId::NONE },
        FieldType::Double => Val { bits: 77f64.to_bits(), term: term::TermId::NONE },
        FieldType::Class(name) if &**name == "java/lang/String" => {
            let units: Vec<u16> = "odd".encode_utf16().collect();
            Val::obj(crate::link::new_string(vm, &units).ok()?)
        }
        FieldType::Class(_) | FieldType::Array(_) => return None,
    })
}
