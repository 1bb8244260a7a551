//! Objects that others hand out and go on using: an iterator whose collection changes, a subscription whose bus is closed. What
//! changes the owner meanwhile is a call before, as what changes the object itself is.

use std::collections::BTreeSet;
use std::sync::Arc;

use vm::Vm;

use super::Kind;
use super::recipe::{Make, Way};
use crate::link::ClassOrigin;
use crate::world::Jvm;

/// So many methods of an owner are called.
const MOST: usize = 4;

/// Calls that change the objects of the program which hand out what is made so, with the names of the fields that they write.
pub(super) fn changes_of_owners(vm: &Vm<Jvm>, makes: &[Make]) -> Vec<(Way, BTreeSet<Arc<str>>)> {
    let mut found: Vec<(Way, BTreeSet<Arc<str>>)> = Vec::new();
    for make in makes {
        let Make::Call(Way { on: Some(Kind::Object(key)), .. }) = make else { continue };
        let Some(owner) = vm.lang.worlds.recipes.get(key) else { continue };
        if vm.lang.classes[owner.class].origin == ClassOrigin::Library {
            continue;
        }
        for (way, writes) in owner.changes.iter().filter(|(way, _)| way.is_plain() && way.then.is_empty()) {
            if found.len() < MOST && !found.iter().any(|(known, _)| known.func == way.func) {
                found.push((Way { of_owner: true, ..way.clone() }, writes.clone()));
            }
        }
    }
    found
}
