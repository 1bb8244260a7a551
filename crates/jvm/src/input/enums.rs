//! Sets and maps of enum constants, which are made for a class: `EnumSet.noneOf(Color.class)`, `new EnumMap<>(Color.class)`.

use std::collections::BTreeSet;

use ir::ClassId;
use vm::Vm;

use super::generic::Generic;
use super::recipe::{Make, Way, add_changes, prepare_makes, way};
use super::{Kind, kind_for, reflected};
use crate::load::access;
use crate::world::Jvm;

/// An empty set, one with a constant in it, or all of them; more come in by `add`.
pub(super) fn set(vm: &mut Vm<Jvm>, elem: &Generic) -> Option<Kind> {
    let (of, literal, elem) = parts(vm, elem)?;
    let class = vm.lang.class("java/util/EnumSet").ok()?;
    let mut makes = Vec::new();
    for name in ["noneOf", "allOf"] {
        let func = vm.lang.declared(class, name, "(Ljava/lang/Class;)Ljava/util/EnumSet;")?;
        let mut way = way(vm, func, &Vec::new());
        way.params.iter_mut().for_each(|param| {
            param.kind = literal.clone();
            param.non_null = true;
        });
        makes.push(Make::Call(way));
    }
    let add = vm.lang.method(class, "add", "(Ljava/lang/Object;)Z").ok()?;
    let mut add = way(vm, add, &Vec::new());
    fill(&mut add, &[kind_for(vm, &of)]);
    let key = format!("set of constants of {}", vm.lang.classes[elem].name);
    let key = prepare_makes(vm, &key, class, vec![of], |_| makes);
    add_changes(vm, &key, vec![(add, BTreeSet::from(["elements".into()]))]);
    Some(Kind::Object(key))
}

/// An empty map; entries come in by `put`.
pub(super) fn map(vm: &mut Vm<Jvm>, key: &Generic, value: &Generic) -> Option<Kind> {
    let (of, literal, elem) = parts(vm, key)?;
    let class = vm.lang.class("java/util/EnumMap").ok()?;
    let constructor = vm.lang.declared(class, "<init>", "(Ljava/lang/Class;)V")?;
    let mut make = way(vm, constructor, &Vec::new());
    fill(&mut make, &[literal]);
    let put = "(Ljava/lang/Enum;Ljava/lang/Object;)Ljava/lang/Object;";
    let put = vm.lang.method(class, "put", put).ok()?;
    let mut put = way(vm, put, &Vec::new());
    let value = match value {
        Generic::Any | Generic::Wild => Generic::Class("java/lang/String".into(), Vec::new()),
        known => known.clone(),
    };
    fill(&mut put, &[kind_for(vm, &of), kind_for(vm, &value)]);
    let name = format!("map from constants of {} to {value}", vm.lang.classes[elem].name);
    let name = prepare_makes(vm, &name, class, vec![of, value], |_| vec![Make::Call(make)]);
    add_changes(vm, &name, vec![(put, BTreeSet::from(["vals".into()]))]);
    Some(Kind::Object(name))
}

/// The enum, its class literal, and itself.
fn parts(vm: &mut Vm<Jvm>, elem: &Generic) -> Option<(Generic, Kind, ClassId)> {
    let name = match elem {
        Generic::Class(name, _) if &**name != "java/lang/Enum" => name.clone(),
        _ => "java/math/RoundingMode".into(),
    };
    let class = vm.lang.class(&name).ok()?;
    if vm.lang.classes[class].access & access::ENUM == 0 {
        return None;
    }
    let literal = reflected::literals(vm, &[&name])?;
    Some((Generic::Class(name, Vec::new()), literal, class))
}

fn fill(way: &mut Way, kinds: &[Kind]) {
    for (param, kind) in way.params.iter_mut().zip(kinds) {
        param.kind = kind.clone();
        param.non_null = true;
    }
}
