//! One input again, traced line by line.

use std::collections::BTreeMap;

use ir::ClassId;
use jvm::world::Jvm;
use report::Test;
use vm::{Vm, WatchedLine};

use crate::config::Config;
use crate::error::Error;
use crate::java::entries::{Entry, entries};
use crate::java::explore::load;
use crate::java::propose::assign;
use crate::java::subject::{Detail, End};
use crate::target::ClassTarget;

/// Runs a test of a report and tells what happened, a line each.
pub fn replay(
    vm: &mut Vm<Jvm>,
    config: &Config,
    target: &ClassTarget,
    test: &Test,
) -> Result<Vec<String>, Error> {
    let class = load(vm, target)?;
    let entry = find(vm, class, config, target, test)?;
    let inputs = test
        .inputs
        .iter()
        .filter_map(|(name, value)| {
            Some((name.clone(), u128::from_str_radix(value.trim_start_matches("0x"), 16).ok()?))
        })
        .collect();
    let (detail, watched) = run_again(vm, &entry, &inputs)?;
    let mut lines = Vec::new();
    for step in watched {
        let indent = "  ".repeat(step.depth as usize);
        lines.push(format!("{indent}{}:{}", vm.lang.func_name(step.func), step.line));
    }
    for (name, value) in &test.inputs {
        lines.push(format!("input {name} = {value}"));
    }
    lines.push(match &detail.end {
        End::Returned(None) => "returned".to_string(),
        End::Returned(Some(seen)) => format!("returned {seen:?}"),
        End::Threw { class, message, .. } => {
            let message = message.as_ref().map(|units| format!(": {}", String::from_utf16_lossy(units)));
            format!("threw {}{}", vm.lang.classes[*class].java_name(), message.unwrap_or_default())
        }
        End::Stopped(stop) => format!("did not end by itself: {stop:?}"),
    });
    Ok(lines)
}

/// The method that the test calls: of the class or one nested in it, by the names of its inputs where several are alike.
fn find(
    vm: &mut Vm<Jvm>,
    class: ClassId,
    config: &Config,
    target: &ClassTarget,
    test: &Test,
) -> Result<Entry, Error> {
    let config = Config { package_private: true, ..config.clone() };
    let named =
        ClassTarget { methods: vec![(test.method.clone(), Some(test.descriptor.clone()))], ..target.clone() };
    let mut all = entries(vm, class, target, &config)?;
    let of = |vm: &Vm<Jvm>, entry: &Entry| {
        let f = &vm.lang.funcs[entry.func];
        *f.name == *test.method && *f.descriptor == *test.descriptor
    };
    all.retain(|entry| of(vm, entry));
    if all.is_empty() {
        // Its message says what there is.
        all = entries(vm, class, &named, &config)?;
    }
    let fits = |vm: &mut Vm<Jvm>, entry: &Entry| {
        let Some(subject) = entry.subject(vm) else { return false };
        let names: Vec<&str> =
            subject.receiver.iter().chain(&subject.params).map(|param| param.name.as_str()).collect();
        test.inputs.keys().all(|input| {
            let root = input.split(['.', '[']).next().unwrap_or(input);
            names.contains(&root)
        })
    };
    let best = all.iter().position(|entry| fits(vm, entry)).unwrap_or(0);
    all.into_iter().nth(best).ok_or(Error::NoTargets)
}

/// Runs inputs again and watches every line.
fn run_again(
    vm: &mut Vm<Jvm>,
    entry: &Entry,
    inputs: &BTreeMap<String, u128>,
) -> Result<(Detail, Vec<WatchedLine>), Error> {
    let mut subject = entry.subject(vm).ok_or(Error::NoTargets)?;
    subject.conditions.refuse_null.clear();
    if inputs.keys().any(|name| jvm::input::says_field_is_set(name)) {
        jvm::input::allow_raw(vm);
    }
    vm.start_exploration();
    let model = assign(vm, &mut subject, inputs);
    vm.watch = Some(Vec::new());
    let detail = subject.detail(vm, &model);
    Ok((detail, vm.watch.take().unwrap_or_default()))
}
