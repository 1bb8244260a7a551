//! Objects inside an object that it hands out: calls on them change its state as well (`bank.open("a").freeze()`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ir::{ClassId, FuncId};
use vm::Vm;

use super::effects::{setters, writes};
use super::generic::Env;
use super::recipe::{Way, can_call, cut, tell_overloads_apart, way};
use crate::link::ClassOrigin;
use crate::load::{FieldType, access};
use crate::world::Jvm;

/// So many methods of one inner class are called, on what so many methods hand out.
const MOST_CALLED: usize = 4;
const MOST_DOORS: usize = 2;
/// Parameters of a method that hands something out, as of others that change an object.
const MAX_PARAMS: usize = 4;

/// Adds calls on what methods of a class hand out of it, with the names of the fields that they write.
pub(super) fn add_parts(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    env: &Env,
    changes: &mut Vec<(Way, BTreeSet<Arc<str>>)>,
    left_out: &mut Vec<String>,
) {
    for (hands_out, inner) in doors(&mut vm.lang, class) {
        let mut called = called(&vm.lang, inner);
        cut(&mut called, MOST_CALLED, "methods that change a part of it", left_out);
        let fields: BTreeSet<Arc<str>> = called.iter().flat_map(|(_, fields)| fields).cloned().collect();
        let mut then: Vec<Way> = called.into_iter().map(|(func, _)| way(vm, func, &Env::new())).collect();
        tell_overloads_apart(&vm.lang, then.iter_mut());
        if then.is_empty() {
            continue;
        }
        let plain = |(way, _): &&mut (Way, BTreeSet<Arc<str>>)| way.func == hands_out && way.is_plain();
        match changes.iter_mut().find(plain) {
            Some((way, writes)) => {
                way.then = then;
                writes.extend(fields);
            }
            None => {
                let way = Way { then, only_then: true, ..way(vm, hands_out, env) };
                changes.push((way, fields));
            }
        }
    }
}

/// Methods that change objects of a class: setters and others, and what they write.
fn called(jvm: &Jvm, inner: ClassId) -> Vec<(FuncId, BTreeSet<Arc<str>>)> {
    let setters = setters(jvm, inner).into_iter();
    let mut called: Vec<(FuncId, BTreeSet<Arc<str>>)> =
        setters.map(|setter| (setter.func, [Arc::from(setter.field.as_str())].into())).collect();
    for func in jvm.classes[inner].functions() {
        let f = &jvm.funcs[func];
        let plain = f.access & (access::STATIC | access::ABSTRACT) == 0 && !f.name.starts_with('<');
        let new = !called.iter().any(|(known, _)| *known == func);
        if plain && new && can_call(jvm, func) && f.signature.ty.params.len() <= 2 {
            called.extend(writes(jvm, inner, func).map(|fields| (func, fields)));
        }
    }
    // What anybody may call comes first.
    called.sort_by_key(|(func, _)| !jvm.funcs[*func].is(access::PUBLIC));
    called
}

/// Methods that hand out objects of a class of the program which a field holds, alone or among others: a few a class, those first that
/// write something, as they may have made what they hand out.
fn doors(jvm: &mut Jvm, class: ClassId) -> Vec<(FuncId, ClassId)> {
    let mut found: Vec<(FuncId, ClassId)> = Vec::new();
    let Some(file) = jvm.classes[class].file.clone() else { return found };
    let functions: Vec<FuncId> = jvm.classes[class].functions().collect();
    for func in functions {
        let f = &jvm.funcs[func];
        let Some(FieldType::Class(name)) = f.signature.ty.ret.clone() else { continue };
        let plain =
            f.access & (access::STATIC | access::ABSTRACT) == 0 && f.signature.ty.params.len() <= MAX_PARAMS;
        let held = format!("L{name};");
        let holds = file.fields.iter().any(|field| {
            let signature = field.signature.as_deref().unwrap_or_default();
            signature.contains(&held) || *field.descriptor == *held
        });
        if !plain || !holds || !can_call(jvm, func) {
            continue;
        }
        let Ok(inner) = jvm.class(&name) else { continue };
        let own = &jvm.classes[inner];
        let fits = own.origin != ClassOrigin::Library && !own.is_interface() && inner != class;
        if fits {
            found.push((func, inner));
        }
    }
    // `open(iban)` before `find(iban)`, and before `next()`, which takes out what it hands out.
    found.sort_by_key(|(func, _)| {
        (writes(jvm, class, *func).is_none(), jvm.funcs[*func].signature.ty.params.is_empty())
    });
    let mut of: BTreeMap<ClassId, usize> = BTreeMap::new();
    found.retain(|(_, inner)| {
        let known = of.entry(*inner).or_default();
        *known += 1;
        *known <= MOST_DOORS
    });
    found
}
