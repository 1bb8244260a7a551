//! The simplest inputs that still take a path.

use crate::finished::{End, Finished, taken};
use crate::target::Target;
use solver::shrink::default_order;
use vm::{Lang, Vm};

/// How often a shrunk model is shrunk again.
const ROUNDS: u32 = 3;
/// Paths of more conditions are left as they are: it would take seconds, and nobody reads such inputs.
const MOST_CONDITIONS: usize = 2000;

/// Replaces the inputs of a run by the simplest that take the same path to the same end, and its observation by
/// the one they give. What does not check out is left as it was. To be used before the machine starts
/// another exploration.
pub fn minimise<L: Lang, T: Target<L>>(
    vm: &mut Vm<L>,
    target: &mut T,
    finished: &mut Finished<T::Observation>,
) {
    if finished.condition.len() > MOST_CONDITIONS {
        return;
    }
    // What the runs below note was noted when the path was found.
    let ledger = vm.ledger.clone();
    for _ in 0..ROUNDS {
        if !simplify(vm, target, finished) {
            break;
        }
    }
    vm.ledger = ledger;
}

/// One round; whether there may be more to gain.
fn simplify<L: Lang, T: Target<L>>(
    vm: &mut Vm<L>,
    target: &mut T,
    finished: &mut Finished<T::Observation>,
) -> bool {
    // A native that lies about its result leaves a condition that does not even hold of the run itself.
    if !finished.model.satisfies(&vm.pool, &finished.condition) {
        return false;
    }
    let order = default_order(&vm.pool, &finished.condition);
    let mut model = finished.model.clone();
    // What the path does not depend on is zero, and not mentioned.
    let mentioned: Vec<_> = model.iter().map(|(var, _)| var).collect();
    for var in mentioned.into_iter().filter(|var| !order.iter().any(|(v, _)| v == var)) {
        model.remove(var);
    }
    solver::shrink(&vm.pool, &finished.condition, &mut model, &order);
    if model == finished.model {
        return false;
    }
    vm.start_run(model.clone());
    let before = vm.steps;
    let outcome = target.execute(vm);
    let steps = vm.steps - before;
    let end = End::of(vm, &outcome);
    let trace = std::mem::take(&mut vm.trace);
    let (path, condition) = taken(&trace);
    if path != finished.path || end != finished.end {
        return false;
    }
    let observation = target.observe(vm, &outcome);
    finished.model = model;
    finished.outcome = outcome;
    finished.end = end;
    finished.observation = observation;
    finished.condition = condition;
    finished.steps = steps;
    true
}
