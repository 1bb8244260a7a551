//! What a method of an object that stands for an interface returns, by cases of its arguments.

use std::collections::BTreeMap;

use ledger::Kind as Imprecision;
use term::TermId;
use vm::{ElemKind, Stop, Val, Vm};

use super::known::{Constant, Rule, bound};
use super::values::is_one_of;
use crate::link::ClassKind;
use crate::load::FieldType;
use crate::world::Jvm;

/// In this case of the arguments the result is like that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultCase {
    pub when: When,
    pub then: Rule,
}

/// A case of the arguments. Cases were checked: exactly one holds of any arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum When {
    #[default]
    Always,
    /// None of the others holds.
    Otherwise,
    /// By the names of parameters. Null is in a case only if that says `null` or nothing of the parameter.
    Args(BTreeMap<String, Rule>),
}

impl Rule {
    /// Whether it takes guest code to check, which cannot be run inside of a call.
    pub(super) fn takes_code(&self, ty: &FieldType) -> bool {
        self.matches.is_some()
            || self.each.is_some()
            || ty.is_reference() && (self.size.is_some() || !self.one_of.is_empty())
    }
}

/// The case that arguments are in; a decision where they are inputs.
pub(super) fn case_of(
    vm: &mut Vm<Jvm>,
    cases: &[ResultCase],
    names: &[String],
    (args, types): (&[Val], &[FieldType]),
) -> Result<usize, Stop> {
    let mut otherwise = 0;
    for (number, case) in cases.iter().enumerate() {
        let rules = match &case.when {
            When::Always => return Ok(number),
            When::Otherwise => {
                otherwise = number;
                continue;
            }
            When::Args(rules) => rules,
        };
        let (mut condition, mut holds) = (vm.pool.bool(true), true);
        for ((name, val), ty) in names.iter().zip(args).zip(types) {
            if let Some(rule) = rules.get(name) {
                let (term, here) = is_like(vm, *val, ty, rule)?;
                condition = vm.pool.and(condition, term);
                holds &= here;
            }
        }
        vm.decide(ElemKind::Branch, condition, holds)?;
        if holds {
            return Ok(number);
        }
    }
    Ok(otherwise)
}

/// The condition that an argument is like that, and whether it is.
fn is_like(vm: &mut Vm<Jvm>, val: Val, ty: &FieldType, rule: &Rule) -> Result<(TermId, bool), Stop> {
    let (mut condition, mut holds) = (vm.pool.bool(true), true);
    if !ty.is_reference() {
        for (limit, below) in [(rule.min, true), (rule.max, false)] {
            if let Some(limit) = limit {
                let (term, here) = bound(vm, val, ty, limit, below);
                condition = vm.pool.and(condition, term);
                holds &= here;
            }
        }
        if !rule.one_of.is_empty() {
            let (term, here) = is_one_of(vm, val, ty, &rule.one_of);
            condition = vm.pool.and(condition, term);
            holds &= here;
        }
        return Ok((condition, holds));
    }
    let null = vm.pool.bv(32, 0);
    let is_null = match val.term.is_some() {
        true => vm.pool.eq(val.term, null),
        false => vm.pool.bool(val.bits == 0),
    };
    if rule.null {
        return Ok((is_null, val.bits == 0));
    }
    if rule.is_empty() {
        return Ok((condition, true));
    }
    let there = vm.pool.not(is_null);
    if val.bits == 0 {
        return Ok((there, false));
    }
    // What is inside of an object is looked at as it is in this run.
    let object = vm.deref(val)?;
    let class = vm.heap.class(object);
    if rule.size.is_some() || !rule.one_of.is_empty() {
        let reason = "a case of arguments asks what is inside of an object";
        vm.ledger.note(Imprecision::Concretised, "inputs", reason);
    }
    let text = match &*vm.lang.classes[class].name {
        "java/lang/String" => crate::link::string_units(vm, object),
        _ => Vec::new(),
    };
    if let Some((least, most)) = rule.size {
        let size = match vm.lang.classes[class].kind {
            ClassKind::Array { .. } => vm.heap.len(object),
            _ => text.len() as u32,
        };
        holds &= (least..=most).contains(&size);
    }
    if !rule.one_of.is_empty() {
        let same = |constant: &Constant| matches!(constant, Constant::Text(t) if t.encode_utf16().eq(text.iter().copied()));
        holds &= rule.one_of.iter().any(same);
    }
    // A decision on what was only looked at is none: that it is not null is all that can be turned.
    Ok(if holds { (there, true) } else { (vm.pool.bool(false), false) })
}
