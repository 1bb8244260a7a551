//! Making input objects in a run: by the recipe of their class, with inputs as arguments.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::{ClassId, FuncId};
use term::TermId;
use vm::{Alternative, ChoiceWay, ElemKind, ObjId, Outcome, Stop, Val, Vm};

use super::known::Rule;
use super::recipe::{FieldWay, Make, Recipe, Way};
use super::statics::Shared;
use super::{Generic, Kind, make_at, nullable};
use crate::load::FieldType;
use crate::observe::Seen;
use crate::world::Jvm;

/// A step that made or changed an input, as a test must repeat it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A constructor, or a factory (on an object, if it is no static method).
    Made {
        name: String,
        object: ObjId,
        func: FuncId,
        on: Option<Seen>,
        args: Vec<Seen>,
        /// What it was made for, and the type arguments where they are known.
        class: ClassId,
        of: Vec<Generic>,
    },
    /// What a static field holds.
    Constant { name: String, object: ObjId, owner: ClassId, field: Arc<str> },
    /// A method called for its effect.
    Called { object: ObjId, func: FuncId, args: Vec<Seen> },
    /// A static method or a constructor called for what static fields remember of it, or a method of what a static one
    /// returns.
    CalledFirst { on: Option<Shared>, func: FuncId, args: Vec<Seen> },
    /// A field assigned; by reflection, where a test may not.
    Assigned { object: ObjId, owner: ClassId, field: Arc<str>, value: Seen, reflective: bool },
    /// An object of a class that stands for an interface or an abstract class, whose constructor takes the arguments.
    Faked { name: String, object: ObjId, class: ClassId, args: Vec<Seen> },
    /// A list with these elements.
    Listed { name: String, object: ObjId, items: Vec<Seen>, of: Generic },
}

/// An object made by a recipe in this run: what a later input may be the same as.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub object: ObjId,
    /// What stands for it in choices.
    pub(super) value: u32,
    /// When there is one.
    pub(super) there: TermId,
}

/// So many methods are called, one after the other, to bring an object into a state.
pub const MAX_CHANGES: u32 = 5;
/// Of objects inside others, so many.
const MAX_CHANGES_INSIDE: u32 = 2;
/// And on objects inside of those.
const MAX_CHANGES_DEEP: u32 = 1;
/// An input is compared with so many earlier ones.
const MAX_ALIASES: usize = 6;
/// Objects inside objects are there by default down to this depth.
const DEEP: usize = 3;

/// A reference to an object of one of several kinds, or to one made before. `optional` ones are null by default.
pub(super) fn reference(
    vm: &mut Vm<Jvm>,
    name: &str,
    kinds: &[Kind],
    declared: ClassId,
    optional: bool,
) -> Result<Val, Stop> {
    let stack = &vm.lang.worlds.stack;
    let again = |kind: &Kind| matches!(kind, Kind::Object(key) if stack.contains(key));
    let optional = optional || own_depth(&vm.lang) >= DEEP || kinds.first().is_some_and(again);
    if absent(vm, name, optional) {
        // What needs no guest code is made even so: the same object as in runs where it is there.
        if let Some(kind @ (Kind::Str | Kind::Boxed { .. } | Kind::Enum { .. } | Kind::Array { .. })) =
            kinds.first()
        {
            return make_at(vm, name, &kind.clone(), optional);
        }
        let class = kinds.first().and_then(|kind| class_of(&vm.lang, kind)).unwrap_or(declared);
        return nothing(vm, name, class, optional);
    }
    let flag = present(vm, name, optional);
    let outer = vm.lang.worlds.there;
    let there = if outer.is_some() { vm.pool.and(outer, flag) } else { flag };
    let mut ways: Vec<ChoiceWay> = Vec::new();
    for (i, kind) in kinds.iter().enumerate() {
        let class = class_of(&vm.lang, kind).unwrap_or(declared);
        ways.push(ChoiceWay { what: Alternative::Class(class), value: i as u32, there });
    }
    let earlier = vm.lang.worlds.made.clone();
    let fits = |made: &&Made| vm.lang.is_subclass(vm.heap.class(made.object), declared);
    let mut aliases: Vec<Made> = earlier.iter().filter(fits).copied().collect();
    if aliases.len() > MAX_ALIASES {
        aliases.truncate(MAX_ALIASES);
        let reason = format!("the same object as {MAX_ALIASES} of the earlier ones");
        vm.ledger.note(ledger::Kind::Tried, name, reason);
    }
    for made in &aliases {
        let both = vm.pool.and(there, made.there);
        ways.push(ChoiceWay { what: Alternative::Object(made.object), value: made.value, there: both });
    }
    vm.outside = super::site(name);
    let at = vm.choose(name, &ways)?;
    vm.lang.worlds.there = there;
    let decided = vm.trace.elems.len();
    let built = match kinds.get(at) {
        Some(Kind::Object(key)) => {
            let key = key.clone();
            let inside = if clashes(&vm.lang, kinds, at) {
                labelled(&vm.lang, name, &kinds[at])
            } else {
                name.to_string()
            };
            object(vm, &inside, &key).map(|object| (object, nullable(vm, name, object, optional)))
        }
        // Which one of its constants it is stays open.
        Some(kind @ Kind::Enum { constants, .. }) if at > 0 => {
            let val = super::one_of(vm, &labelled(&vm.lang, name, kind), &constants.clone());
            val.map(|val| {
                let null = vm.pool.bv(32, 0);
                (val.as_obj(), Val { bits: val.bits, term: vm.pool.ite(flag, val.term, null) })
            })
        }
        Some(kind) if at == 0 => make_new(vm, name, &kind.clone(), optional).map(|val| (val.as_obj(), val)),
        Some(kind) => {
            // Variables of another kind have names of their own; whether it is null is said by the input's.
            let val = make_new(vm, &labelled(&vm.lang, name, kind), &kind.clone(), false);
            val.and_then(|val| match val.bits {
                0 => Err(Stop::Assumption),
                _ => Ok((val.as_obj(), nullable(vm, name, val.as_obj(), optional))),
            })
        }
        None => {
            let object = aliases.get(at - kinds.len()).map(|made| made.object).ok_or(Stop::Assumption)?;
            Ok((object, nullable(vm, name, object, optional)))
        }
    };
    vm.lang.worlds.there = outer;
    let is_made = at < kinds.len();
    if is_made && built == Err(Stop::Assumption) && vm.trace.elems.len() == decided {
        // Whatever its parts are, it cannot be made: without null no run would come to where the program does.
        let null = vm.pool.not(flag);
        vm.require(null, false)?;
    }
    let (object, val) = built?;
    if ways.len() > 1 {
        vm.chosen(name, object, &ways);
    }
    Ok(val)
}

/// The name for variables of an object that is of another kind than usual.
pub(super) fn labelled(jvm: &Jvm, name: &str, kind: &Kind) -> String {
    let class = class_of(jvm, kind).map(|class| jvm.classes[class].java_name());
    let label = class.as_deref().and_then(|c| c.rsplit(['.', '$']).next()).unwrap_or("other");
    format!("{name}.{label}")
}

/// Whether an object's variables would have the names of other variables of a kind before it.
pub(super) fn clashes(jvm: &Jvm, kinds: &[Kind], at: usize) -> bool {
    let parts = |kind: &Kind| {
        let Kind::Object(key) = kind else { return Vec::new() };
        let Some(recipe) = jvm.worlds.recipes.get(key) else { return Vec::new() };
        let ways = recipe.ways.iter().filter_map(|make| match make {
            Make::Call(way) => Some(&way.params),
            Make::Constant(_) => None,
        });
        let params = ways.flatten().map(|p| (p.name.clone(), p.kind.clone()));
        params.chain(recipe.fields.iter().map(|f| (f.name.to_string(), f.kind.clone()))).collect()
    };
    if at == 0 {
        return false;
    }
    let own: Vec<(String, Kind)> = parts(&kinds[at]);
    kinds[..at]
        .iter()
        .flat_map(parts)
        .any(|(name, kind)| own.iter().any(|(other, of)| *other == name && *of != kind))
}

/// An object of a kind that is none made before.
fn make_new(vm: &mut Vm<Jvm>, name: &str, kind: &Kind, optional: bool) -> Result<Val, Stop> {
    match kind {
        Kind::Fake { class } => super::fake::fake(vm, name, *class, optional),
        kind => make_at(vm, name, kind, optional),
    }
}

/// The term that says that a reference is not null.
fn present(vm: &mut Vm<Jvm>, name: &str, optional: bool) -> TermId {
    let suffix = if optional { "some" } else { "null" };
    let flag = vm.inputs.scalar(&mut vm.pool, &format!("{name}.{suffix}"), term::Sort::Bool).0;
    if optional { flag } else { vm.pool.not(flag) }
}

/// A reference that is null in this run; in others it is an object of the class.
pub(super) fn nothing(vm: &mut Vm<Jvm>, name: &str, class: ClassId, optional: bool) -> Result<Val, Stop> {
    let object = vm.new_object(class)?;
    vm.make_placeholder(object);
    Ok(nullable(vm, name, object, optional))
}

/// Whether a reference is null in this run.
pub(super) fn absent(vm: &mut Vm<Jvm>, name: &str, optional: bool) -> bool {
    let (suffix, null) = if optional { ("some", 0) } else { ("null", 1) };
    vm.inputs.scalar(&mut vm.pool, &format!("{name}.{suffix}"), term::Sort::Bool).1 == null
}

/// The class of the objects that a kind makes.
pub fn class_of(jvm: &Jvm, kind: &Kind) -> Option<ClassId> {
    match kind {
        Kind::Object(key) => jvm.worlds.recipes.get(key).map(|recipe| recipe.class),
        Kind::Str | Kind::Word(_) => jvm.loaded("java/lang/String"),
        Kind::Boxed { class, .. } | Kind::Enum { class, .. } | Kind::Array { class, .. } => Some(*class),
        Kind::List { class, .. } | Kind::Filled { class, .. } | Kind::Fake { class } => Some(*class),
        Kind::Only { kind, .. } => class_of(jvm, kind),
        Kind::OneOf { kinds, .. } => kinds.first().and_then(|kind| class_of(jvm, kind)),
        Kind::Scalar(_) | Kind::Null(_) => None,
    }
}

/// A new object by the recipe of its class. One that cannot be made is no input: the run ends there.
pub fn object(vm: &mut Vm<Jvm>, name: &str, key: &Arc<str>) -> Result<ObjId, Stop> {
    let Some(recipe) = vm.lang.worlds.recipes.get(key).cloned() else { return Err(Stop::Assumption) };
    vm.lang.worlds.stack.push(key.clone());
    let made = follow(vm, name, &recipe);
    vm.lang.worlds.stack.pop();
    made
}

fn follow(vm: &mut Vm<Jvm>, name: &str, recipe: &Recipe) -> Result<ObjId, Stop> {
    for reason in &recipe.left_out {
        let class = vm.lang.classes[recipe.class].java_name();
        vm.ledger.note(ledger::Kind::Tried, class, reason.clone());
    }
    let class = &vm.lang.classes[recipe.class];
    let library = class.origin == crate::link::ClassOrigin::Library;
    if library && !super::library::is_complete(&class.name) {
        let which = class.java_name();
        vm.ledger.note(ledger::Kind::UnsupportedInput, which, "only some ways to make one are tried");
    }
    vm.outside = super::site(name);
    // What a call before is given matters by its value: of the library's classes one way to make it will do.
    let ways = if library && vm.lang.worlds.changing > 0 { 1 } else { recipe.ways.len() as u32 };
    if ways < recipe.ways.len() as u32 {
        let class = vm.lang.classes[recipe.class].java_name();
        vm.ledger.note(ledger::Kind::Tried, class, "one way to make it for calls before");
    }
    let way = vm.choose_among(ElemKind::Prefer, &format!("{name}.way"), ways)?;
    let Some(way) = recipe.ways.get(way as usize) else {
        return Err(Stop::Unsupported { what: "input", which: vm.lang.classes[recipe.class].java_name() });
    };
    let (object, given) = match way {
        Make::Call(way) => call_way(vm, name, recipe, way)?,
        // Everybody shares it: it stays as it is.
        Make::Constant(constant) => {
            let object = super::producers::read(vm, constant)?;
            if vm.lang.worlds.script.is_some() {
                let (owner, field) = (constant.owner, constant.name.clone());
                log(vm, Event::Constant { name: name.to_string(), object, owner, field });
            }
            return Ok(object);
        }
    };
    remember(vm, name, object);
    for field in &recipe.fields {
        // Values of a plain run do not say where they come from: what a constructor was given is an input in others.
        let is_given = |now: Val| given.iter().any(|(ty, val)| *ty == field.ty && val.bits == now.bits);
        let now = vm.load(object, field.offset, field.cell)?;
        if now.term.is_some() || vm.inputs.is_plain() && is_given(now) {
            continue;
        }
        assign(vm, name, object, field, now)?;
    }
    // What a factory is called on is no part of what it makes: a builder takes as many calls as the object itself.
    match own_depth(&vm.lang).saturating_sub(vm.lang.worlds.makers) {
        0 | 1 => change(vm, name, object, &recipe.changes, MAX_CHANGES + vm.lang.worlds.more_calls)?,
        2 => change(vm, name, object, &recipe.changes, MAX_CHANGES_INSIDE)?,
        3 => change(vm, name, object, &recipe.changes, MAX_CHANGES_DEEP)?,
        _ => {}
    }
    super::raw::set_fields(vm, name, object, recipe.class)?;
    Ok(object)
}

/// How many objects of the program are being made inside each other: what the library wraps around one does not make
/// it any deeper.
fn own_depth(jvm: &Jvm) -> usize {
    // One that is used by a type of the library may be of a class of the program: then it can be changed.
    let own = |key: &&Arc<str>| {
        jvm.worlds.recipes.get(*key).is_some_and(|recipe| {
            let library = jvm.classes[recipe.class].origin == crate::link::ClassOrigin::Library;
            !library || !recipe.changes.is_empty()
        })
    };
    jvm.worlds.stack.iter().filter(own).count()
}

/// Later inputs may be the same object.
pub(super) fn remember(vm: &mut Vm<Jvm>, name: &str, object: ObjId) {
    let there = vm.lang.worlds.there;
    let there = if there.is_some() { there } else { vm.pool.bool(true) };
    // Numbers of earlier objects are above those of classes, and the same in every run.
    let value = super::site(name) | (1 << 31);
    vm.lang.worlds.made.push(Made { object, value, there });
}

/// A new object by a call, and what that was given.
fn call_way(
    vm: &mut Vm<Jvm>,
    name: &str,
    recipe: &Recipe,
    way: &Way,
) -> Result<(ObjId, Vec<(FieldType, Val)>), Stop> {
    let constructor = &*vm.lang.funcs[way.func].name == "<init>";
    let mut vals = Vec::new();
    let mut on = None;
    // The object comes before its arguments: it is the same one, by its number, in runs where it is null.
    let made = if constructor { Some(vm.new_object(recipe.class)?) } else { None };
    if let Some(kind) = &way.on {
        let of_program = class_of(&vm.lang, kind)
            .is_some_and(|class| vm.lang.classes[class].origin != crate::link::ClassOrigin::Library);
        let makers = usize::from(of_program);
        vm.lang.worlds.makers += makers;
        let val = make_at(vm, &format!("{name}.of"), kind, false);
        vm.lang.worlds.makers -= makers;
        let val = val?;
        if class_of(&vm.lang, kind) == Some(recipe.class) {
            // One of its own kind is null until a run asks for it (`name.of.some`).
            let ty = FieldType::Class(vm.lang.classes[recipe.class].name.clone());
            super::known::hold(vm, val, &ty, &Rule { non_null: true, ..Rule::default() })?;
        }
        if val.bits == 0 {
            return Err(Stop::Assumption);
        }
        on = Some((val, kind.clone()));
    }
    let args = arguments(vm, name, way, None)?;
    super::initialise(vm, vm.lang.funcs[way.func].class).map_err(|_| Stop::Assumption)?;
    let seen = record(vm, |vm| see_args(vm, way, &args));
    let seen_on = match &on {
        Some((val, _)) if vm.lang.worlds.script.is_some() => {
            Some(crate::observe::see_input(vm, val.as_obj()))
        }
        _ => None,
    };
    let first = made.or_else(|| on.as_ref().map(|(val, _)| val.as_obj()));
    vals.extend(first.map(Val::obj));
    let given = way.params.iter().map(|p| p.ty.clone()).zip(args.iter().copied()).collect();
    vals.extend(args);
    let func = match &on {
        Some((val, _)) => crate::observe::dispatched(vm, val.as_obj(), way.func).ok_or(Stop::Assumption)?,
        None => way.func,
    };
    let object = match (vm.call(func, &vals), made) {
        (Outcome::Returned(_), Some(object)) => object,
        (Outcome::Returned(Some(val)), None) if val.bits != 0 => vm.deref(val)?,
        (Outcome::Returned(_) | Outcome::Threw(_), _) => return Err(Stop::Assumption),
        (Outcome::Stopped(stop), _) => return Err(stop),
    };
    if let Some((owner, _)) = &on {
        vm.lang.worlds.handed_out.push((object, owner.as_obj()));
    }
    if let Some(args) = seen {
        let event = Event::Made {
            name: name.to_string(),
            object,
            func: way.func,
            on: seen_on,
            args,
            class: recipe.class,
            of: recipe.args.clone(),
        };
        log(vm, event);
    }
    Ok((object, given))
}

/// The arguments of a call; one of them may be an object that is there already.
pub(super) fn arguments(
    vm: &mut Vm<Jvm>,
    name: &str,
    way: &Way,
    given: Option<ObjId>,
) -> Result<Vec<Val>, Stop> {
    let mut vals = Vec::new();
    for (i, p) in way.params.iter().enumerate() {
        if let Some(object) = given.filter(|_| way.given == Some(i)) {
            vals.push(Val::obj(object));
            continue;
        }
        let val = make_at(vm, &format!("{name}.{}", p.name), &p.kind, false)?;
        let non_null = way.outer && i == 0 || p.non_null;
        if non_null || !p.elements.is_empty() {
            super::known::hold(vm, val, &p.ty, &Rule { non_null, ..p.elements.clone() })?;
        }
        vals.push(val);
    }
    super::library::require_counted(vm, way.func, &vals)?;
    Ok(vals)
}

pub(super) fn see_args(vm: &mut Vm<Jvm>, way: &Way, args: &[Val]) -> Vec<Seen> {
    way.params.iter().zip(args).map(|(p, val)| crate::observe::see_argument(vm, val.bits, &p.ty)).collect()
}

/// What a step looked like, if anybody wants to know.
pub(super) fn record<T>(vm: &mut Vm<Jvm>, see: impl FnOnce(&mut Vm<Jvm>) -> T) -> Option<T> {
    vm.lang.worlds.script.is_some().then(|| see(vm))
}

pub(super) fn log(vm: &mut Vm<Jvm>, event: Event) {
    if let Some(script) = &mut vm.lang.worlds.script {
        script.push(event);
    }
}

/// Gives a field an input that does not hold one already: a constructor's argument.
fn assign(vm: &mut Vm<Jvm>, name: &str, object: ObjId, field: &FieldWay, now: Val) -> Result<(), Stop> {
    let name = format!("{name}.{}", field.name);
    let val = match field.setter {
        None => make_at(vm, &name, &field.kind, true)?,
        Some((_, non_null)) => set(vm, &name, field, now, non_null)?,
    };
    if !field.elements.is_empty() && val.bits != now.bits {
        super::known::hold(vm, val, &field.ty, &field.elements)?;
    }
    vm.store(object, field.offset, field.cell, val)?;
    if val.bits != now.bits
        && let Some(value) = record(vm, |vm| crate::observe::see_argument(vm, val.bits, &field.ty))
    {
        let (owner, name) = (field.owner, field.name.clone());
        let event = match field.setter {
            None => Event::Assigned { object, owner, field: name, value, reflective: false },
            Some((func, _)) => Event::Called { object, func, args: vec![value] },
        };
        log(vm, event);
    }
    Ok(())
}

/// What a field holds after its setter was called or not: `now`, unless a run asks for more.
fn set(vm: &mut Vm<Jvm>, name: &str, field: &FieldWay, now: Val, non_null: bool) -> Result<Val, Stop> {
    let Some(class) = class_of(&vm.lang, &field.kind) else {
        // A primitive, or nothing that can be made.
        let val = make_at(vm, name, &field.kind, true)?;
        let zero = matches!(&field.kind, Kind::Scalar(_)) && now.bits == 0;
        if zero || val.term.is_none() {
            return Ok(if zero { val } else { now });
        }
        let (flag, bits) = vm.inputs.scalar(&mut vm.pool, &format!("{name}.set"), term::Sort::Bool);
        return Ok(either(vm, flag, bits, val, now));
    };
    let is_null = now.bits == 0;
    // A setter that takes no null is called only if there is something.
    let flag = match is_null || non_null {
        true => "some",
        false => "set",
    };
    let (flag, bits) = vm.inputs.scalar(&mut vm.pool, &format!("{name}.{flag}"), term::Sort::Bool);
    let outer = vm.lang.worlds.there;
    vm.lang.worlds.there = if outer.is_some() { vm.pool.and(outer, flag) } else { flag };
    // What is compared as it is must be there to be found: constants of an enum, numbers; a text in the place of another.
    let plain = match &field.kind {
        Kind::Enum { .. } | Kind::Boxed { .. } => true,
        Kind::Str | Kind::Array { .. } => !is_null,
        _ => false,
    };
    let val = match bits {
        0 if !plain => {
            let object = vm.new_object(class)?;
            vm.make_placeholder(object);
            Ok(Val::obj(object))
        }
        _ => make_at(vm, name, &field.kind, true),
    };
    vm.lang.worlds.there = outer;
    let val = val?;
    Ok(either(vm, flag, bits, val, now))
}

fn either(vm: &mut Vm<Jvm>, flag: TermId, bits: u64, yes: Val, no: Val) -> Val {
    let sort = if yes.term.is_some() { vm.pool.sort(yes.term) } else { term::Sort::Bv(32) };
    let (yes_term, no_term) = (vm.term(yes, sort), vm.term(no, sort));
    let term = vm.pool.ite(flag, yes_term, no_term);
    Val { bits: if bits != 0 { yes.bits } else { no.bits }, term }
}

/// So many methods are tried to change an object.
const MAX_METHODS: usize = 12;

/// The methods that are tried, in their order: those that write what the program reads come first.
fn in_order<'a>(jvm: &Jvm, all: &'a [(Way, BTreeSet<Arc<str>>)]) -> Vec<&'a Way> {
    let mut changes: Vec<&(Way, BTreeSet<Arc<str>>)> = all.iter().collect();
    changes.sort_by_key(|(_, writes)| writes.is_disjoint(&jvm.worlds.wanted));
    changes.into_iter().take(MAX_METHODS).map(|(way, _)| way).collect()
}

/// The methods that may be called before on objects of a recipe: a call's number is its place here, plus one.
pub fn change_order(jvm: &Jvm, recipe: &Recipe) -> Vec<Way> {
    in_order(jvm, &recipe.changes).into_iter().cloned().collect()
}

/// Calls methods that change the object: none if that will do. Those that write what the program reads come first.
fn change(
    vm: &mut Vm<Jvm>,
    name: &str,
    object: ObjId,
    all: &[(Way, BTreeSet<Arc<str>>)],
    most: u32,
) -> Result<(), Stop> {
    if all.is_empty() {
        return Ok(());
    }
    let changes = in_order(&vm.lang, all);
    if all.len() > MAX_METHODS {
        let reason = format!("{MAX_METHODS} of {} methods that change it are tried", all.len());
        vm.ledger.note(ledger::Kind::Tried, name, reason);
    }
    for i in 0..most {
        let step = format!("{name}.call{i}");
        vm.outside = super::site(&step);
        let which = vm.choose_among(ElemKind::Prefer, &step, changes.len() as u32 + 1)?;
        let Some(way) = which.checked_sub(1).and_then(|at| changes.get(at as usize)).copied() else {
            if i + 1 == most {
                break;
            }
            return Ok(());
        };
        vm.lang.worlds.changing += 1;
        let called = change_by(vm, &step, object, way);
        vm.lang.worlds.changing -= 1;
        called?;
    }
    let reason = format!("at most {most} calls on it before");
    vm.ledger.note(ledger::Kind::Tried, name, reason);
    Ok(())
}

/// Calls a method that changes an object: on it, or on another one that is given it.
fn change_by(vm: &mut Vm<Jvm>, step: &str, object: ObjId, way: &Way) -> Result<(), Stop> {
    let constructor = &*vm.lang.funcs[way.func].name == "<init>";
    let name = match constructor {
        true => {
            let class = vm.lang.classes[vm.lang.funcs[way.func].class].java_name();
            format!("new{}", class.rsplit(['.', '$']).next().unwrap_or_default())
        }
        false => vm.lang.funcs[way.func].name.to_string(),
    };
    let method = format!("{step}.{name}");
    let on = match (&way.on, way.given) {
        (_, None) if way.of_owner => {
            let handed_out = vm.lang.worlds.handed_out.iter();
            let owner = handed_out.rev().find(|(made, _)| *made == object).map(|(_, owner)| *owner);
            Some(owner.ok_or(Stop::Assumption)?)
        }
        (_, None) => Some(object),
        (Some(kind), Some(_)) => {
            let val = make_at(vm, &format!("{method}.of"), kind, false)?;
            let ty = FieldType::Class(vm.lang.classes[vm.lang.funcs[way.func].class].name.clone());
            super::known::hold(vm, val, &ty, &Rule { non_null: true, ..Rule::default() })?;
            Some(vm.deref(val)?)
        }
        (None, Some(_)) if constructor => Some(vm.new_object(vm.lang.funcs[way.func].class)?),
        (None, Some(_)) => None,
    };
    let args = arguments(vm, &method, way, Some(object))?;
    let seen = record(vm, |vm| see_args(vm, way, &args));
    let func = match on {
        Some(on) if !constructor => crate::observe::dispatched(vm, on, way.func).ok_or(Stop::Assumption)?,
        _ => {
            super::initialise(vm, vm.lang.funcs[way.func].class).map_err(|_| Stop::Assumption)?;
            way.func
        }
    };
    let mut vals: Vec<Val> = on.map(Val::obj).into_iter().collect();
    vals.extend(args);
    let result = match vm.call(func, &vals) {
        Outcome::Returned(result) => result,
        Outcome::Threw(_) => return Err(Stop::Assumption),
        Outcome::Stopped(stop) => return Err(stop),
    };
    let then = match way.then.is_empty() {
        true => None,
        false => {
            let name = format!("{method}.then");
            vm.outside = super::site(&name);
            // Nothing, unless there is nothing else to it.
            let nothing = u32::from(!way.only_then);
            let which = vm.choose_among(ElemKind::Prefer, &name, way.then.len() as u32 + nothing)?;
            which.checked_sub(nothing).and_then(|at| way.then.get(at as usize))
        }
    };
    let part = match result.filter(|part| part.bits != 0 && !way.then.is_empty()) {
        Some(part) => Some(vm.deref(part)?),
        None => None,
    };
    // An input that comes back is changed where it is made.
    let part = part.filter(|part| !vm.lang.worlds.made.iter().any(|made| made.object == *part));
    // What is handed out shows what becomes of it.
    if let (Some(part), Some(on)) = (part, on) {
        if let Some(args) = seen {
            let class = vm.heap.class(part);
            let on = Some(crate::observe::see_input(vm, on));
            let name = format!("{method}.of");
            log(vm, Event::Made { name, object: part, func: way.func, on, args, class, of: Vec::new() });
        }
        return match then {
            Some(then) => change_by(vm, &format!("{method}.then"), part, then),
            None => Ok(()),
        };
    }
    if way.only_then || then.is_some() {
        return Err(Stop::Assumption);
    }
    if let Some(args) = seen {
        let event = match on {
            Some(object) if !constructor => Event::Called { object, func: way.func, args },
            _ => Event::CalledFirst { on: None, func: way.func, args },
        };
        log(vm, event);
    }
    Ok(())
}
