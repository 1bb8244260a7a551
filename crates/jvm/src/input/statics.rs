//! Calls that come before everything else, where static fields remember them: `Registry.register("a")`, then the call
//! under test.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::{ClassId, FuncId};
use rustc_hash::FxHashMap;
use vm::{ElemKind, Outcome, Stop, Val, Vm};

use super::effects::{is_changeable, reads_only, writes};
use super::generic::Env;
use super::object::{self, Event};
use super::producers::Constant as Held;
use super::recipe::{self, Make, Way};
use crate::link::ClassOrigin;
use crate::load::{Instr, MemberRef, access};
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
    // An array in capitals is a table that nobody writes.
    let table = descriptor.starts_with('[') && !name.contains(|c: char| c.is_ascii_lowercase());
    // Of others, who uses a class first may decide what a final field begins with.
    let changes = || match field.access & access::ENUM != 0 {
        true => holds_state(jvm, descriptor, &mut Vec::new()),
        false => is_changeable(descriptor) && !table,
    };
    field.access & access::SYNTHETIC == 0 && (field.access & access::FINAL == 0 || changes())
}

/// Whether what a static field holds can be told apart later: another object, or one that has changed.
pub fn keeps_state(jvm: &Jvm, class: &str, name: &str, descriptor: &str) -> bool {
    let field = jvm.loaded(class).and_then(|owner| jvm.classes[owner].field(name, descriptor));
    let open = field.is_some_and(|field| field.access & access::FINAL == 0);
    can_change(jvm, class, name, descriptor) && (open || holds_state(jvm, descriptor, &mut Vec::new()))
}

/// Whether what a field of a type holds can change. Objects of the program's classes can where they, or those of a class below, have
/// fields that do.
fn holds_state(jvm: &Jvm, descriptor: &str, seen: &mut Vec<ClassId>) -> bool {
    if !is_changeable(descriptor) {
        return false;
    }
    let class = descriptor.strip_prefix('L').and_then(|d| jvm.loaded(d.strip_suffix(';')?));
    let Some(class) = class.filter(|class| jvm.classes[*class].origin == ClassOrigin::User) else {
        return true;
    };
    let mut classes: Vec<ClassId> =
        user_classes(jvm).filter(|below| jvm.is_subclass(*below, class)).collect();
    // Of a class that is not loaded nothing is known.
    let open = access::ABSTRACT | access::INTERFACE;
    if jvm.classes[class].access & open != 0 && classes.iter().all(|c| jvm.classes[*c].access & open != 0) {
        return true;
    }
    classes.retain(|class| !seen.contains(class));
    seen.extend(&classes);
    classes.iter().any(|class| {
        jvm.classes[*class].ancestors.iter().any(|owner| {
            let owner = &jvm.classes[*owner];
            match owner.origin {
                ClassOrigin::Library => !STATELESS.contains(&&*owner.name) && !owner.is_interface(),
                _ => owner.fields.iter().filter(|field| !field.is_static()).any(|field| {
                    field.access & access::FINAL == 0 || holds_state(jvm, &field.descriptor, seen)
                }),
            }
        })
    })
}

fn user_classes(jvm: &Jvm) -> impl Iterator<Item = ClassId> {
    jvm.classes.keys().filter(|class| jvm.classes[*class].origin == ClassOrigin::User)
}

/// Classes of the library that have no state of their own for those below them.
const STATELESS: [&str; 3] = ["java/lang/Object", "java/lang/Enum", "java/lang/Record"];

/// An object that everybody shares, for calls that change static state: a Kotlin `object`, a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shared {
    /// `Inventory.INSTANCE`.
    Held(Held),
    /// `Registry.getInstance()`.
    Got(FuncId),
}

/// A method that changes static state: static, a constructor, or called on an object that everybody shares.
pub(super) type Changing = (Option<Shared>, FuncId);

/// A call before, and the object that everybody shares on which it is made, if it is not static.
pub type Earlier = (Option<Shared>, Way);

/// What static fields have to do with a method under test.
#[derive(Clone, Debug, Default)]
pub struct Statics {
    /// Those that it, or what makes the object it is called on, may read and that can change.
    pub fields: BTreeSet<StaticField>,
    /// Methods that change those, for calls before: by the simple name of their class.
    pub earlier: Vec<(String, Vec<Earlier>)>,
    /// Getters that show what the method may change.
    pub getters: Vec<FuncId>,
}

/// What was found of a method in the classes that were loaded then.
#[derive(Clone, Debug)]
pub(super) struct Looked {
    /// So many classes were loaded, and these functions reached.
    classes: usize,
    reached: Vec<FuncId>,
    fields: BTreeSet<StaticField>,
    changing: Vec<Changing>,
    getters: Vec<FuncId>,
}

/// What static fields have to do with a method that can reach these functions.
pub fn statics(vm: &mut Vm<Jvm>, class: ClassId, func: FuncId, reached: Vec<FuncId>) -> Statics {
    let classes = vm.lang.classes.len();
    let known = vm.lang.worlds.looked_at.remove(&(class, func));
    let known = known.filter(|known| known.classes == classes && known.reached == reached);
    let looked = known.unwrap_or_else(|| look(&vm.lang, class, func, reached));
    let mut earlier: Vec<(String, Vec<Earlier>)> = Vec::new();
    for (on, func) in &looked.changing {
        let name = vm.lang.classes[vm.lang.funcs[*func].class].java_name();
        let name = name.rsplit(['.', '$']).next().unwrap_or(&name).to_string();
        let way = recipe::way(vm, *func, &Env::new());
        match earlier.iter_mut().find(|(of, _)| *of == name) {
            Some((_, ways)) => ways.push((on.clone(), way)),
            None => earlier.push((name, vec![(on.clone(), way)])),
        }
    }
    for (_, ways) in &mut earlier {
        recipe::tell_overloads_apart(&vm.lang, ways.iter_mut().map(|(_, way)| way));
    }
    let (fields, getters) = (looked.fields.clone(), looked.getters.clone());
    vm.lang.worlds.looked_at.insert((class, func), looked);
    Statics { fields, earlier, getters }
}

/// Looks at the code of all methods that could change what the functions read.
fn look(jvm: &Jvm, class: ClassId, func: FuncId, reached: Vec<FuncId>) -> Looked {
    let mut funcs = reached.clone();
    if !jvm.funcs[func].is_static() && jvm.classes[class].origin == ClassOrigin::User {
        let makes = |f: &FuncId| jvm.funcs[*f].is_static() || &*jvm.funcs[*f].name == "<init>";
        funcs.extend(jvm.classes[class].functions().filter(makes));
    }
    let fields = remembered(jvm, funcs.into_iter());
    let mut changing = changing(jvm, class, &fields);
    changing.retain(|(on, changing)| *changing != func || on.is_some() || jvm.funcs[func].is_static());
    changing.sort_by_key(|(on, func)| {
        let f = &jvm.funcs[*func];
        (!recipe::grows(&f.name), f.signature.ty.params.is_empty(), on.is_some(), *func)
    });
    changing.truncate(MAX_METHODS);
    let getters = getters(jvm, class, func);
    Looked { classes: jvm.classes.len(), reached, fields, changing, getters }
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

/// Static methods and constructors, of the class and of those that hold the fields, that change one of the fields; and methods of
/// objects that they share.
pub(super) fn changing(jvm: &Jvm, class: ClassId, fields: &BTreeSet<StaticField>) -> Vec<Changing> {
    if fields.is_empty() {
        return Vec::new();
    }
    let mut owners = vec![class];
    for (owner, _) in fields {
        owners.extend(jvm.loaded(owner).filter(|owner| !owners.contains(owner)));
    }
    let functions = owners.iter().flat_map(|owner| jvm.classes[*owner].functions());
    let own = functions.filter(|func| {
        let f = &jvm.funcs[*func];
        let constructor = &*f.name == "<init>" && jvm.classes[f.class].access & access::ABSTRACT == 0;
        let named = f.is_static() && !f.name.starts_with('<') && &*f.name != "main";
        (constructor || named)
            && recipe::can_call(jvm, *func)
            && recipe::can_name(jvm, f.class)
            && f.signature.ty.params.len() <= 4
            && changes(jvm, *func, fields, &mut Vec::new(), 0)
    });
    let mut found: Vec<Changing> = own.map(|func| (None, func)).collect();
    // Many shared objects are of one class (`CSVFormat.DEFAULT`, `CSVFormat.EXCEL`): its methods are looked at once.
    let mut looked_at: FxHashMap<FuncId, bool> = FxHashMap::default();
    for (on, of, is_one) in shared(jvm, &owners, fields) {
        let lines = jvm.classes[of].ancestors.iter().rev().copied();
        let lines = lines.filter(|owner| jvm.classes[*owner].origin == ClassOrigin::User);
        for func in lines.flat_map(|owner| jvm.classes[owner].functions()) {
            let f = &jvm.funcs[func];
            let plain = f.access & (access::STATIC | access::ABSTRACT) == 0 && !f.name.starts_with('<');
            let known = found.iter().any(|(_, other)| {
                let other = &jvm.funcs[*other];
                !other.is_static() && other.name == f.name && other.descriptor == f.descriptor
            });
            if plain
                && !known
                && recipe::can_call(jvm, func)
                && f.signature.ty.params.len() <= 4
                && (is_one && !reads_only(&f.name, &f.descriptor) && writes(jvm, of, func).is_some()
                    || *looked_at
                        .entry(func)
                        .or_insert_with(|| changes(jvm, func, fields, &mut Vec::new(), 0)))
            {
                found.push((Some(on.clone()), func));
            }
        }
    }
    found
}

/// Objects that classes share: how a test gets at them, their class, and whether one of the fields holds them.
fn shared(jvm: &Jvm, owners: &[ClassId], fields: &BTreeSet<StaticField>) -> Vec<(Shared, ClassId, bool)> {
    let mut found: Vec<(Shared, ClassId, bool)> = Vec::new();
    let class_of = |descriptor: &str| {
        let class = jvm.loaded(descriptor.strip_prefix('L')?.strip_suffix(';')?)?;
        (jvm.classes[class].origin == ClassOrigin::User && recipe::can_name(jvm, class)).then_some(class)
    };
    let is_one = |class: &str, name: &str| fields.iter().any(|(c, n)| **c == *class && **n == *name);
    for owner in owners.iter().copied().filter(|owner| recipe::can_name(jvm, *owner)) {
        let near = recipe::is_near(jvm, owner);
        for field in jvm.classes[owner].fields.iter().filter(|field| field.is_static()) {
            let open = field.access & access::PUBLIC != 0 || near && field.access & access::PRIVATE == 0;
            let fixed = field.access & (access::FINAL | access::SYNTHETIC) == access::FINAL;
            let Some(of) = class_of(&field.descriptor).filter(|_| open && fixed) else { continue };
            if let Some(Make::Constant(constant)) =
                super::producers::constant(jvm, owner, &field.name, &field.descriptor)
            {
                found.push((Shared::Held(constant), of, is_one(&jvm.classes[owner].name, &field.name)));
            }
        }
        for getter in jvm.classes[owner].functions() {
            let f = &jvm.funcs[getter];
            let asks = f.is_static() && f.signature.ty.params.is_empty() && recipe::can_call(jvm, getter);
            let returned = f.descriptor.strip_prefix("()").filter(|_| asks);
            let Some(of) = returned.and_then(class_of) else { continue };
            // One that makes an object each time shares none.
            let file = jvm.classes[owner].file.as_deref();
            let code =
                file.and_then(|file| Some((file, file.method(&f.name, &f.descriptor)?.bytecode().ok()??)));
            let hands_out = code.is_some_and(|(file, code)| {
                code.instrs.iter().any(|(_, instr)| match instr {
                    Instr::GetStatic(cp) => file.pool.field(*cp).is_ok_and(|field| {
                        Some(field.descriptor) == returned && is_one(field.class, field.name)
                    }),
                    _ => false,
                })
            });
            if hands_out {
                found.push((Shared::Got(getter), of, true));
            }
        }
    }
    found
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
        Instr::GetStatic(cp) if is_one(*cp) => file.pool.field(*cp).ok().map(|field| field.descriptor),
        // `access$getAll$cp()`, by which a companion gets at what its class keeps to itself.
        Instr::InvokeStatic(cp) => file.pool.method(*cp).ok().and_then(|called| {
            let descriptor = called.descriptor.strip_prefix("()")?;
            gives(jvm, &called, fields).then_some(descriptor)
        }),
        _ => None,
    });
    let held: Vec<&str> = gets.filter(|descriptor| is_changeable(descriptor)).collect();
    let is_held = |class: ClassId| {
        let names = held.iter().filter_map(|held| held.strip_prefix('L')?.strip_suffix(';'));
        names
            .filter_map(|name| jvm.loaded(name))
            .any(|held| jvm.is_subclass(held, class) || jvm.is_subclass(class, held))
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

/// Whether all that a method does is to return one of the fields.
fn gives(jvm: &Jvm, called: &MemberRef<'_>, fields: &BTreeSet<StaticField>) -> bool {
    let Some(owner) = jvm.loaded(called.class) else { return false };
    let Some(file) = &jvm.classes[owner].file else { return false };
    let code = file.method(called.name, called.descriptor).and_then(|m| m.bytecode().ok().flatten());
    let code = code.as_ref().map_or(&[][..], |code| &code.instrs);
    match code {
        [(_, Instr::GetStatic(cp)), (_, Instr::Return(_))] => file.pool.field(*cp).is_ok_and(|field| {
            fields.iter().any(|(class, name)| **class == *field.class && **name == *field.name)
        }),
        _ => false,
    }
}

/// Calls methods that static fields remember: none if that will do.
pub fn call_earlier(vm: &mut Vm<Jvm>, earlier: &[(String, Vec<Earlier>)]) -> Result<(), Stop> {
    for (of, ways) in earlier {
        for i in 0..MAX_CALLS {
            let step = format!("{of}.call{i}");
            vm.outside = super::site(&step);
            let which = vm.choose_among(ElemKind::Prefer, &step, ways.len() as u32 + 1)?;
            let Some((on, way)) = which.checked_sub(1).and_then(|at| ways.get(at as usize)) else { break };
            let name = &vm.lang.funcs[way.func].name;
            let inside = format!("{step}.{}", if name.starts_with('<') { "new" } else { name });
            let args = object::arguments(vm, &inside, way, None)?;
            let seen = object::record(vm, |vm| object::see_args(vm, way, &args));
            perform(vm, on.as_ref(), way.func, args)?;
            if let Some(args) = seen {
                object::log(vm, Event::CalledFirst { on: on.clone(), func: way.func, args });
            }
        }
        let reason = format!("at most {MAX_CALLS} calls before");
        vm.ledger.note(ledger::Kind::Tried, of.as_str(), reason);
    }
    Ok(())
}

/// Calls a method, on an object that everybody shares if it is not static.
pub(super) fn perform(
    vm: &mut Vm<Jvm>,
    on: Option<&Shared>,
    func: FuncId,
    args: Vec<Val>,
) -> Result<Option<Val>, Stop> {
    let class = vm.lang.funcs[func].class;
    super::initialise(vm, class).map_err(|_| Stop::Assumption)?;
    let mut vals = Vec::new();
    let mut target = func;
    if let Some(shared) = on {
        let object = match shared {
            Shared::Held(constant) => super::producers::read(vm, constant)?,
            Shared::Got(getter) => {
                let object = perform(vm, None, *getter, Vec::new())?.ok_or(Stop::Assumption)?;
                vm.deref(object)?
            }
        };
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
