//! States that no call was found to make: fields of the program's own classes set directly, as a last resort.
//!
//! Each such field may keep what the calls before made of it or hold an input instead; which of both is a variable,
//! so that the solver sets as few fields as it takes. Final fields and the library's objects are left alone.

use ir::ClassId;
use rustc_hash::FxHashMap;
use term::Sort;
use vm::{ObjId, Stop, Val, Vm};

use super::object::{Event, class_of, log, nothing, record};
use super::recipe::{FieldWay, can_name, field_ways};
use super::{Kind, generic, make_at};
use crate::load::FieldType;
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
            let mut fields = field_ways(vm, class, &env, &[], |jvm, owner, field| {
                !assigned.contains(&field.name) && can_name(jvm, owner)
            });
            fields.retain(|field| !matches!(field.kind, Kind::Null(_)));
            fields.truncate(MAX_FIELDS);
            raw.insert(class, fields.into());
        }
    }
    vm.lang.worlds.raw = Some(raw);
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
    let takes_code = matches!(
        field.kind,
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
