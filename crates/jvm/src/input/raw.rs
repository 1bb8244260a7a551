//! States that no call was found to make: fields of the program's own classes set directly, as a last resort.
//!
//! Each such field may keep what the calls before made of it or hold an input instead; which of both is a variable,
//! so that the solver sets as few fields as it takes. Final fields and the library's objects are left alone. Objects of
//! classes that a test may not name are made by their constructors all the same.

use ir::{ClassId, FuncId};
use rustc_hash::FxHashMap;
use term::Sort;
use vm::{ObjId, Stop, Val, Vm};

use super::object::{Event, class_of, log, nothing, record};
use super::recipe::{FieldWay, Make, can_name, field_ways, prepare_makes, way};
use super::{Kind, generic, make_at};
use crate::link::ClassOrigin;
use crate::load::{FieldType, access};
use crate::world::Jvm;

/// Of one object so many fields are set.
const MAX_FIELDS: usize = 16;

/// What the name of a variable ends with that says whether a field is set.
const SET: &str = "set";

/// Whether a variable says that a field is set.
pub fn says_field_is_set(variable: &str) -> bool {
    variable.strip_suffix(SET).is_some_and(|field| field.ends_with('='))
}

/// Fields of all objects that can be made so far may be set from now on. Belongs between runs.
pub fn allow_raw(vm: &mut Vm<Jvm>) {
    let mut raw = vm.lang.worlds.raw.take().unwrap_or_default();
    // What fields hold may have to be made too, by recipes that are found here.
    loop {
        let recipes = &vm.lang.worlds.recipes;
        let mut new: Vec<(ClassId, Vec<generic::Generic>)> = recipes
            .values()
            .filter(|recipe| !raw.contains_key(&recipe.class) && !recipe.ways.is_empty())
            .map(|recipe| (recipe.class, recipe.args.clone()))
            .collect();
        new.sort_by_key(|(class, args)| (*class, args.len()));
        new.dedup_by_key(|(class, _)| *class);
        if new.is_empty() {
            break;
        }
        for (class, args) in new {
            let file = vm.lang.classes[class].file.clone();
            let env = generic::class_env(file.as_deref().and_then(|f| f.signature.as_deref()), &args);
            let assigned: Vec<_> = vm
                .lang
                .worlds
                .recipes
                .values()
                .filter(|recipe| recipe.class == class)
                .flat_map(|recipe| recipe.fields.iter().map(|field| field.name.clone()))
                .collect();
            let mut fields = field_ways(vm, class, &env, &[], |_, _, field| !assigned.contains(&field.name));
            for field in &mut fields {
                add_hidden(vm, field);
            }
            fields.retain(|field| !matches!(field.kind, Kind::Null(_)));
            fields.truncate(MAX_FIELDS);
            raw.insert(class, fields.into());
        }
    }
    vm.lang.worlds.raw = Some(raw);
}

/// So many classes that a test may not name are tried for one field.
const MAX_HIDDEN: usize = 4;

/// Lets a field hold objects of classes that a test may not name.
fn add_hidden(vm: &mut Vm<Jvm>, field: &mut FieldWay) {
    let FieldType::Class(name) = &field.ty else { return };
    let Ok(declared) = vm.lang.class(name) else { return };
    if vm.lang.classes[declared].origin == ClassOrigin::Library {
        return;
    }
    let mut found: Vec<ClassId> = vec![declared];
    for name in vm.lang.subtypes(declared) {
        found.extend(vm.lang.class(&name).ok());
    }
    let shut = access::ABSTRACT | access::INTERFACE | access::ENUM;
    found.retain(|class| vm.lang.classes[*class].access & shut == 0 && !can_name(&vm.lang, *class));
    found.truncate(MAX_HIDDEN);
    let hidden: Vec<Kind> = found.into_iter().filter_map(|class| hidden(vm, class)).collect();
    let known = match std::mem::replace(&mut field.kind, Kind::Null(String::new())) {
        Kind::Null(_) => Vec::new(),
        Kind::OneOf { kinds, .. } => kinds,
        kind => vec![kind],
    };
    let mut kinds: Vec<Kind> = hidden.into_iter().chain(known).collect();
    field.kind = match kinds.len() {
        0 => Kind::Null(name.replace('/', ".")),
        1 => kinds.remove(0),
        _ => Kind::OneOf { ty: declared, kinds, all: false },
    };
}

/// Objects of a class that a test may not name, by constructors that are told apart by how many arguments they take.
fn hidden(vm: &mut Vm<Jvm>, class: ClassId) -> Option<Kind> {
    let constructors = |jvm: &Jvm| -> Vec<FuncId> {
        let is_one =
            |func: &FuncId| &*jvm.funcs[*func].name == "<init>" && !jvm.funcs[*func].is(access::SYNTHETIC);
        jvm.classes[class].functions().filter(is_one).collect()
    };
    let all = constructors(&vm.lang);
    let arity = |func: &FuncId| vm.lang.funcs[*func].signature.ty.params.len();
    let mut alone: Vec<FuncId> =
        all.iter().copied().filter(|f| all.iter().filter(|g| arity(g) == arity(f)).count() == 1).collect();
    alone.sort_by_key(|func| (arity(func), *func));
    if alone.is_empty() {
        return None;
    }
    let key = format!("{} by reflection", vm.lang.classes[class].name);
    let key = prepare_makes(vm, &key, class, Vec::new(), |vm| {
        alone.into_iter().map(|func| Make::Call(way(vm, func, &Vec::new()))).collect()
    });
    Some(Kind::Object(key))
}

/// Objects come from calls alone again.
pub fn forbid_raw(vm: &mut Vm<Jvm>) {
    vm.lang.worlds.raw = None;
}

/// Lets the fields of a new object hold inputs instead of what they hold.
pub(super) fn set_fields(vm: &mut Vm<Jvm>, name: &str, object: ObjId, class: ClassId) -> Result<(), Stop> {
    let known = vm.lang.worlds.raw.as_ref();
    let Some(fields) = known.and_then(|raw: &FxHashMap<_, _>| raw.get(&class)).cloned() else {
        return Ok(());
    };
    for field in fields.iter() {
        set_field(vm, name, object, field)?;
    }
    Ok(())
}

fn set_field(vm: &mut Vm<Jvm>, name: &str, object: ObjId, field: &FieldWay) -> Result<(), Stop> {
    let now = vm.load(object, field.offset, field.cell)?;
    // No name of a parameter or field has such a character.
    let input = format!("{name}.{}=", field.name);
    let (flag, set) = vm.inputs.scalar(&mut vm.pool, &format!("{input}{SET}"), Sort::Bool);
    let set = set != 0;
    let kind = match &field.kind {
        Kind::Only { kind, .. } => kind,
        kind => kind,
    };
    let takes_code = matches!(
        kind,
        Kind::Object(_) | Kind::OneOf { .. } | Kind::List { .. } | Kind::Filled { .. } | Kind::Fake { .. }
    );
    let val = match class_of(&vm.lang, &field.kind) {
        Some(class) if takes_code && !set => nothing(vm, &input, class, true)?,
        _ => make_at(vm, &input, &field.kind, true)?,
    };
    let sort = match &field.ty {
        FieldType::Long => Sort::Bv(64),
        FieldType::Float => Sort::F32,
        FieldType::Double => Sort::F64,
        _ => Sort::Bv(32),
    };
    let (new, old) = (vm.term(val, sort), vm.term(now, sort));
    let term = vm.pool.ite(flag, new, old);
    let bits = if set { val.bits } else { now.bits };
    vm.store(object, field.offset, field.cell, Val { bits, term })?;
    if set
        && val.bits != now.bits
        && let Some(value) = record(vm, |vm| crate::observe::see_argument(vm, val.bits, &field.ty))
    {
        let (owner, field) = (field.owner, field.name.clone());
        log(vm, Event::Assigned { object, owner, field, value, reflective: true });
    }
    Ok(())
}
