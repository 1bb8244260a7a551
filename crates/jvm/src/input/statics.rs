//! Calls that come before everything else, where static fields remember them: `Registry.register("a")`, then the call
//! under test.

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
use crate::world::Jvm;

/// A static field: the class that names it, and its name.
pub type StaticField = (Arc<str>, Arc<str>);

/// So many calls come before.
const MAX_CALLS: u32 = 3;
/// Of so many methods.
pub(super) const MAX_METHODS: usize = 6;
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
pub(super) fn changing(jvm: &Jvm, class: ClassId, fields: &BTreeSet<StaticField>) -> Vec<FuncId> {
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
pub(super) fn changes(
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
            let args = object::arguments(vm, &inside, way, None)?;
            let seen = object::record(vm, |vm| object::see_args(vm, way, &args));
            perform(vm, None, way.func, args)?;
            if let Some(args) = seen {
                object::log(vm, Event::CalledFirst { on: None, func: way.func, args });
            }
        }
        let reason = format!("at most {MAX_CALLS} calls before");
        vm.ledger.note(ledger::Kind::InputChoice, of.as_str(), reason);
    }
    Ok(())
}

/// Calls a method, on what another one returns if it is not static.
pub(super) fn perform(
    vm: &mut Vm<Jvm>,
    on: Option<FuncId>,
    func: FuncId,
    args: Vec<Val>,
) -> Result<Option<Val>, Stop> {
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
