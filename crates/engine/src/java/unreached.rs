//! Code of a class that none of its public methods runs: where a test gets at it.
//!
//! `Base16` has no public method but constructors; `encode(byte[])`, which it inherits, calls what it implements. So methods of
//! the classes above are called where they lead to such code, and what nothing else leads to is called itself: a test lies in
//! the package of the class.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ClassId, FuncId};
use jvm::input::{can_call, can_name};
use jvm::link::ClassOrigin;
use jvm::load::access;
use jvm::world::Jvm;
use vm::Vm;

use super::entries::{Entry, is_bare, is_callable, is_made_of_components, runs};
use super::owed::callees;

/// So many inherited methods lead to the same code.
const MOST_A_METHOD: usize = 2;

/// Entries besides those `found`, for code of some classes that they do not run.
pub fn unreached(vm: &mut Vm<Jvm>, classes: &[ClassId], nested: &[ClassId], found: &[Entry]) -> Vec<Entry> {
    let mut reached: BTreeSet<FuncId> = BTreeSet::new();
    for entry in found {
        let mut from = vec![entry.func];
        from.extend(runs(vm, entry.func, nested));
        for func in from {
            reached.extend(reach(vm, entry.class, func).into_keys());
        }
    }
    let mut more = Vec::new();
    for class in classes {
        let own: Vec<FuncId> = vm.lang.classes[*class].functions().collect();
        let own: Vec<FuncId> =
            own.into_iter().filter(|func| !reached.contains(func) && is_code(vm, *func)).collect();
        if own.is_empty() {
            continue;
        }
        let ways: Vec<(FuncId, BTreeMap<FuncId, u32>)> = inherited(vm, *class)
            .into_iter()
            .map(|func| (func, reach(vm, *class, func)))
            .filter(|(_, reach)| own.iter().any(|func| reach.contains_key(func)))
            .collect();
        for func in own {
            if reached.contains(&func) {
                continue;
            }
            let mut near: Vec<&(FuncId, BTreeMap<FuncId, u32>)> =
                ways.iter().filter(|(_, reach)| reach.contains_key(&func)).collect();
            near.sort_by_key(|(from, reach)| (reach[&func], *from));
            near.truncate(MOST_A_METHOD);
            for (from, reach) in near {
                more.push(Entry { class: *class, func: *from, hidden: None, left_out: None });
                reached.extend(reach.keys().copied());
            }
            if !reached.contains(&func) && can_call(&vm.lang, func) {
                more.push(Entry { class: *class, func, hidden: None, left_out: None });
                reached.extend(reach(vm, *class, func).into_keys());
            }
        }
    }
    let mut seen = BTreeSet::new();
    more.retain(|entry| seen.insert((entry.class, entry.func)));
    more
}

/// Nested classes that a test cannot name and whose methods no entry is known to run: visitors, comparators and the like,
/// made to be called back.
pub fn unseen(vm: &mut Vm<Jvm>, nested: &[ClassId], found: &[Entry]) -> Vec<ClassId> {
    let mut run: BTreeSet<ClassId> = BTreeSet::new();
    for entry in found {
        let mut from = vec![entry.func];
        from.extend(runs(vm, entry.func, nested));
        let reached = from.into_iter().flat_map(|func| reach(vm, entry.class, func)).map(|(func, _)| func);
        let reached: Vec<FuncId> = reached.collect();
        let methods = reached.into_iter().filter(|func| !vm.lang.funcs[*func].name.starts_with('<'));
        run.extend(methods.map(|func| vm.lang.funcs[func].class));
    }
    nested.iter().copied().filter(|class| !can_name(&vm.lang, *class) && !run.contains(class)).collect()
}

fn is_code(vm: &mut Vm<Jvm>, func: FuncId) -> bool {
    if is_bare(vm, func) {
        return false;
    }
    let jvm = &vm.lang;
    let f = &jvm.funcs[func];
    let is_enum = jvm.classes[f.class].access & access::ENUM != 0;
    let made = is_enum && (f.name.starts_with('$') || matches!(&*f.name, "values" | "valueOf" | "<init>"));
    f.tracked && is_callable(jvm, func) && !made && !is_made_of_components(jvm, func)
}

/// Public methods of the program's classes above one, but for those it has itself.
fn inherited(vm: &mut Vm<Jvm>, class: ClassId) -> Vec<FuncId> {
    let jvm = &mut vm.lang;
    let above: Vec<ClassId> = jvm.classes[class].ancestors.iter().rev().copied().collect();
    let mut found = Vec::new();
    for owner in above {
        let fits = jvm.classes[owner].origin != ClassOrigin::Library && can_name(jvm, owner);
        if owner == class || !fits {
            continue;
        }
        for func in jvm.classes[owner].functions().collect::<Vec<_>>() {
            let f = &jvm.funcs[func];
            let plain = f.is(access::PUBLIC) && !f.is_static() && !f.name.starts_with('<');
            if plain && is_callable(jvm, func) && jvm::observe::dispatched_in(jvm, class, func) == Some(func)
            {
                found.push(func);
            }
        }
    }
    found
}

/// What a call of a method on an object of a class may run of the class and of those above it, and how many calls away.
pub fn reach(vm: &mut Vm<Jvm>, class: ClassId, from: FuncId) -> BTreeMap<FuncId, u32> {
    let mut found = BTreeMap::from([(from, 0)]);
    let mut open = std::collections::VecDeque::from([(from, 0)]);
    while let Some((func, away)) = open.pop_front() {
        if vm.lang.funcs[func].access & access::ABSTRACT != 0 {
            continue;
        }
        let Some(function) = vm.lang.ir(func) else { continue };
        for (_, callee) in callees(&vm.lang, class, func, &function) {
            if let std::collections::btree_map::Entry::Vacant(entry) = found.entry(callee) {
                entry.insert(away + 1);
                open.push_back((callee, away + 1));
            }
        }
    }
    found
}
