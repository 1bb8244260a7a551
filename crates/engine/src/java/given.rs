//! What the user's word and annotations say of a method's arguments, for proofs about its code.

use std::sync::Arc;

use explore::{Asks, Given, Goal};
use ir::op::Effect;
use ir::{Cfg, Dominators, Edges, Function, Names, Op, Reg};
use jvm::input::known::{Limit, Number, ResultCase, Rule, When};
use jvm::load::FieldType;
use jvm::world::Jvm;

use super::subject::Subject;
use crate::goal::CoverageGoal;

/// What collections are asked for without being changed, nor handed to anybody who could.
const READING: [&str; 12] = [
    "size",
    "isEmpty",
    "get",
    "contains",
    "containsKey",
    "containsValue",
    "containsAll",
    "indexOf",
    "getOrDefault",
    "equals",
    "hashCode",
    "toString",
];

/// Collections whose size is what the rule says of it, until somebody changes them.
const COLLECTIONS: [&str; 7] = [
    "java/util/Collection",
    "java/util/List",
    "java/util/Set",
    "java/util/Map",
    "java/util/Deque",
    "java/util/Queue",
    "java/util/ArrayList",
];

/// What holds of the parameters that nothing writes, wherever the method is on its way. Nothing where the method is called by code
/// that is looked at too: it may give it anything.
pub(super) fn given(jvm: &Jvm, subject: &Subject, goal: &CoverageGoal) -> Given {
    let mut given = Given::default();
    let called_again = goal.calls().iter().any(|(_, func)| *func == subject.func);
    let function = goal.function(subject.func).filter(|_| !called_again);
    let Some(function) = function else { return given };
    let first = u32::from(!jvm.funcs[subject.func].is_static());
    let types = &jvm.funcs[subject.func].signature.ty.params;
    for (place, rule) in &subject.conditions.params {
        let (Some(ty), reg) = (types.get(*place), Reg(first + *place as u32)) else { continue };
        let written = function.code.iter().any(|inst| inst.dst == reg);
        if written || reg.0 >= function.params {
            continue;
        }
        if ty.is_reference() {
            given.present.extend((rule.non_null && !rule.null).then_some(reg));
            if let Some(asked) = asks(jvm, function, reg, ty) {
                given.sizes.extend(size(rule, ty).map(|bounds| (reg, bounds)));
                given.asks.extend(asked.sizes);
                if rule.each.as_ref().is_some_and(|each| each.non_null) {
                    given.no_null.extend(asked.elements);
                }
            }
        } else {
            given.numbers.extend(numbers(rule).map(|bounds| (reg, bounds)));
        }
    }
    for (a, b) in &subject.conditions.never_same {
        let [a, b] = [a, b].map(|place| Reg(first + *place as u32));
        let kept = |reg: Reg| reg.0 < function.params && function.code.iter().all(|inst| inst.dst != reg);
        if kept(a) && kept(b) {
            given.apart.extend([(a, b), (b, a)]);
        }
    }
    results(jvm, function, &mut given);
    let kept = |reg: Reg| function.code.iter().all(|inst| inst.dst != reg).then_some(reg);
    // They are static and have the same parameters.
    let valid = subject.conditions.valid.iter().filter_map(|valid| jvm.funcs[*valid].lowered());
    let params: Vec<Option<Reg>> = (first..function.params).map(|reg| kept(Reg(reg))).collect();
    given.valid.extend(valid.map(|valid| (Arc::new(valid.clone()), params.clone())));
    given
}

/// What interfaces return by the user's word.
fn results(jvm: &Jvm, function: &Function, given: &mut Given) {
    for (index, inst) in function.code.iter().enumerate().filter(|(_, inst)| inst.op == Op::CallIface) {
        let Some(called) = jvm.funcs.get(ir::FuncId(inst.a)) else { continue };
        let of_type = jvm.worlds.known.types.get(&jvm.classes[called.class].name);
        let cases = of_type.and_then(|known| known.results.get(&*called.name));
        let [ResultCase { when: When::Always, then }] = cases.map_or(&[][..], |cases| &cases[..]) else {
            continue;
        };
        match &called.signature.ty.ret {
            Some(ty) if ty.is_reference() && then.non_null => drop(given.no_null.insert(index as u32)),
            Some(ty) if !ty.is_reference() => {
                given.results.extend(numbers(then).map(|bounds| (index as u32, bounds)));
            }
            _ => {}
        }
    }
}

/// The whole numbers that a rule allows, if it says anything of them.
fn numbers(rule: &Rule) -> Option<(i64, i64)> {
    let whole = |limit: &Option<Limit>, inwards: i128| match limit {
        Some(Limit { value: Number::Int(value), open }) => {
            i64::try_from(value + if *open { inwards } else { 0 }).ok()
        }
        _ => None,
    };
    let (least, most) = (whole(&rule.min, 1), whole(&rule.max, -1));
    (least.is_some() || most.is_some()).then(|| (least.unwrap_or(i64::MIN), most.unwrap_or(i64::MAX)))
}

/// How many characters or elements a rule allows.
fn size(rule: &Rule, ty: &FieldType) -> Option<(u32, u32)> {
    let (mut least, most) = rule.size.unwrap_or((0, i32::MAX as u32));
    if let (Some(pattern), true) = (&rule.matches, is_text(ty)) {
        least = least.max(jvm::input::shortest_match(pattern));
    }
    (least > 0 || rule.size.is_some()).then_some((least, most.min(i32::MAX as u32)))
}

fn is_text(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Class(name) if &**name == "java/lang/String")
}

/// What a function asks a parameter for, by code index.
#[derive(Default)]
struct Asked {
    sizes: Vec<(u32, Asks)>,
    /// Elements of a list.
    elements: Vec<u32>,
}

/// What a function asks a parameter for; `None` if somebody might change it.
fn asks(jvm: &Jvm, function: &Function, reg: Reg, ty: &FieldType) -> Option<Asked> {
    let text = is_text(ty);
    let collection = matches!(ty, FieldType::Class(name) if COLLECTIONS.contains(&&**name));
    if !text && !collection {
        return None;
    }
    let list = matches!(ty, FieldType::Class(name) if name.ends_with("List"));
    // An iterator may take something away.
    let removes = |index: usize| jvm.member(function, index as u32).is_some_and(|m| m.name == "remove");
    let calls = function.code.iter().enumerate();
    let mut calls = calls.filter(|(_, inst)| matches!(inst.op, Op::Call | Op::CallVirt | Op::CallIface));
    let only_read = !calls.any(|(index, _)| removes(index));
    let mut found = Asked::default();
    for (index, inst) in function.code.iter().enumerate() {
        if !inst.reads(function).any(|read| read == reg) {
            continue;
        }
        let index = index as u32;
        let is_call = matches!(inst.op, Op::Call | Op::CallVirt | Op::CallIface);
        let member = if is_call { jvm.member(function, index) } else { None };
        let on_it = is_call
            && function.list(inst.b).iter().position(|arg| *arg == reg) == Some(0)
            && function.list(inst.b).iter().filter(|arg| **arg == reg).count() == 1;
        match (&member, on_it) {
            (Some(member), true) if member.name == (if text { "length" } else { "size" }) => {
                found.sizes.push((index, Asks::Size));
            }
            (Some(member), true) if member.name == "isEmpty" => found.sizes.push((index, Asks::IsEmpty)),
            (Some(member), true) if list && member.name == "get" => found.elements.push(index),
            (Some(member), true) if !text && only_read && member.name == "iterator" => {
                found.elements.extend(gone_over(jvm, function, index));
            }
            (Some(member), true) if text || READING.contains(&member.name.as_str()) => {}
            _ if text => {}
            _ if matches!(inst.op.effect(), Effect::Guard | Effect::Pure) && inst.op != Op::Copy => {}
            _ => return None,
        }
    }
    Some(found)
}

/// Where an iterator that a call gave is asked for the next element. Its register may hold another one before and afterwards: what comes
/// behind the call, with no other value for the register in between, and only by way of the call, is asked of this one.
fn gone_over(jvm: &Jvm, function: &Function, made: u32) -> Vec<u32> {
    let iterator = function.code[made as usize].dst;
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(&cfg, Edges::All);
    let from = function.block_at(made);
    let rest = function.code.iter().enumerate().skip(made as usize + 1);
    let rest = rest.take_while(|(_, inst)| inst.dst != iterator);
    let on_it =
        rest.filter(|(_, inst)| inst.op == Op::CallIface && function.list(inst.b).first() == Some(&iterator));
    let next = on_it.filter(|(index, _)| {
        let behind = dominators.dominates(from, function.block_at(*index as u32));
        behind && jvm.member(function, *index as u32).is_some_and(|m| m.name == "next")
    });
    next.map(|(index, _)| index as u32).collect()
}
