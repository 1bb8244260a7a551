//! One input again, traced line by line.

use jvm::world::Jvm;
use report::Test;
use vm::Vm;

use crate::config::Config;
use crate::error::Error;
use crate::java::explore::{assign, load, methods, subject};
use crate::java::subject::End;
use crate::target::ClassTarget;

/// Runs a test of a report and tells what happened, a line each.
pub fn replay(
    vm: &mut Vm<Jvm>,
    config: &Config,
    target: &ClassTarget,
    test: &Test,
) -> Result<Vec<String>, Error> {
    let class = load(vm, target)?;
    let func = methods(vm, class, target, config)?.into_iter().next().ok_or(Error::NoTargets)?;
    let mut subject = subject(vm, class, func).ok_or(Error::NoTargets)?;
    vm.start_exploration();
    let inputs = test
        .inputs
        .iter()
        .filter_map(|(name, value)| {
            Some((name.clone(), u128::from_str_radix(value.trim_start_matches("0x"), 16).ok()?))
        })
        .collect();
    let model = assign(vm, &mut subject, &inputs);
    vm.watch = Some(Vec::new());
    let detail = subject.detail(vm, &model);
    let watched = vm.watch.take().unwrap_or_default();
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
