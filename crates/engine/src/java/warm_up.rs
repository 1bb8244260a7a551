//! Runs before the snapshot that all others start from.

use std::collections::BTreeSet;

use ir::ClassId;
use jvm::link::ClassOrigin;
use jvm::world::Jvm;
use term::Assignment;
use vm::{Lang, Outcome, Stop, Vm};

use super::propose::COLD;
use super::subject::Subject;
use explore::Target;

/// Puts into the snapshot what every run would do again: the class under test is initialised, if that works
/// without inputs, and so are the classes that a first few runs came across. Says how many steps a run takes where it needs
/// more than it is given: what the library does only once for a locale or a provider takes millions.
pub(super) fn warm_up(vm: &mut Vm<Jvm>, subject: &mut Subject) -> Option<u64> {
    vm.start_run(Assignment::default());
    if jvm::input::initialise(vm, subject.class).is_ok() {
        vm.freeze();
    }
    vm.start_exploration();
    let mut met: BTreeSet<ClassId> = BTreeSet::new();
    let mut large = false;
    for value in WARM_UP_VALUES {
        vm.start_run(warm_model(vm, value));
        let before = initialised(vm);
        let outcome = subject.execute(vm);
        large |= value == 0 && matches!(outcome, Outcome::Stopped(Stop::Steps));
        if value == 0 {
            // So will telling of each run: what a `toString` is the first to use may take longer than all else.
            let limit = vm.limits.steps;
            vm.limits.steps = limit.saturating_mul(COLD);
            subject.look(vm, &outcome);
            vm.limits.steps = limit;
        }
        met.extend(initialised(vm).difference(&before));
    }
    keep(vm, &met);
    large.then(|| needed(vm, subject)).flatten()
}

/// The steps that a plain run takes if it is given many; none if it does not end then either.
fn needed(vm: &mut Vm<Jvm>, subject: &mut Subject) -> Option<u64> {
    let limit = vm.limits.steps;
    vm.limits.steps = limit.saturating_mul(COLD);
    vm.start_run(Assignment::default());
    let before = (vm.steps, initialised(vm));
    let outcome = subject.execute(vm);
    let steps = vm.steps - before.0;
    if !matches!(outcome, Outcome::Stopped(_)) {
        let met: BTreeSet<ClassId> = initialised(vm).difference(&before.1).copied().collect();
        keep(vm, &met);
    }
    vm.limits.steps = limit;
    (!matches!(outcome, Outcome::Stopped(_))).then_some(steps)
}

/// Where a run on these inputs is stopped while it initialises a class (a table of a hundred thousand lines): puts that class into
/// the snapshot, however long it takes. Its name, if it came to its end.
pub(super) fn initialise_stopped(
    vm: &mut Vm<Jvm>,
    subject: &mut Subject,
    model: &Assignment,
) -> Option<String> {
    vm.start_run(model.clone());
    vm.stopped_initialising = None;
    if !matches!(subject.execute(vm), Outcome::Stopped(Stop::Steps)) {
        return None;
    }
    let class = vm.stopped_initialising?;
    keep_however_long(vm, class).then(|| vm.lang.classes[class].name.to_string())
}

/// Initialises a class in the snapshot; whether it is initialised there now.
pub(super) fn keep_however_long(vm: &mut Vm<Jvm>, class: ClassId) -> bool {
    let limit = vm.limits.steps;
    vm.limits.steps = limit.saturating_mul(INITIALISING);
    keep(vm, &BTreeSet::from([class]));
    vm.limits.steps = limit;
    vm.start_run(Assignment::default());
    Jvm::is_initialised(vm, class)
}

/// Initialising a class that runs were stopped in may take so many times their steps.
const INITIALISING: u64 = 100;

/// Runs in a world that is not warmed up, and puts the classes that were met into its snapshot, that of the subject too: unless it
/// prints, which is to show in each run there, as it may in the first test of a JVM.
pub(super) fn warming<T>(vm: &mut Vm<Jvm>, class: ClassId, run: impl FnOnce(&mut Vm<Jvm>) -> T) -> T {
    vm.start_run(Assignment::default());
    let before = initialised(vm);
    let cold = !Jvm::is_initialised(vm, class);
    let result = run(vm);
    let met: BTreeSet<ClassId> = initialised(vm).difference(&before).copied().collect();
    if !met.is_empty() {
        keep(vm, &met);
    }
    if cold {
        keep_quiet(vm, &BTreeSet::from([class]));
    }
    result
}

/// Initialises the library's classes in the snapshot, and those of the program that do so without a sound.
fn keep(vm: &mut Vm<Jvm>, classes: &BTreeSet<ClassId>) {
    let (mut library, others): (BTreeSet<ClassId>, _) =
        classes.iter().partition(|class| vm.lang.classes[**class].origin == ClassOrigin::Library);
    // One that fails, or that the VM cannot finish, does so in the runs too, where it belongs: half of it in the snapshot
    // would show as null there.
    for _ in 0..MOST_FAILING {
        vm.start_run(Assignment::default());
        let failing = library.iter().find(|class| jvm::input::initialise(vm, **class).is_err()).copied();
        match failing {
            Some(class) => library.remove(&class),
            None => {
                vm.freeze();
                break;
            }
        };
    }
    keep_quiet(vm, &others);
}

/// Where more of the library's classes cannot be initialised, none is put into the snapshot.
const MOST_FAILING: usize = 32;

/// Initialises classes in the snapshot, if all of them end normally and print nothing.
fn keep_quiet(vm: &mut Vm<Jvm>, classes: &BTreeSet<ClassId>) {
    if classes.is_empty() {
        return;
    }
    vm.start_run(Assignment::default());
    let normal = classes.iter().all(|class| jvm::input::initialise(vm, *class).is_ok());
    if normal && jvm::natives::stdout(vm).is_empty() && jvm::natives::stderr(vm).is_empty() {
        vm.freeze();
    }
}

/// What all variables are in the runs that warm up: nothing, a letter, a digit, a letter beyond Latin.
const WARM_UP_VALUES: [u64; 4] = [0, 'a' as u64, '7' as u64, 'Ā' as u64];

/// All variables known so far have this value; sequences are one element long, unless it is zero.
fn warm_model(vm: &Vm<Jvm>, value: u64) -> Assignment {
    let mut model = Assignment::default();
    if value == 0 {
        return model;
    }
    for index in 0..vm.pool.var_count() {
        let var = term::VarId(index as u32);
        let name = vm.pool.var_name(var);
        match vm.pool.var_sort(var) {
            term::Sort::Bool => {}
            _ if name.ends_with(".length") || name.ends_with(".size") => model.set_bits(var, 1),
            _ if is_choice(name) => {}
            term::Sort::Bv(_) => model.set_bits(var, value as u128),
            _ => {}
        }
    }
    model
}

/// Whether a variable says how an object is made, not what it holds.
fn is_choice(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    matches!(last, "is" | "way") || last.strip_prefix("call").is_some_and(|n| n.parse::<u32>().is_ok())
}

/// The classes that are initialised, but for those under test: what their initialisers reach counts in each run.
fn initialised(vm: &Vm<Jvm>) -> BTreeSet<ClassId> {
    let others = |class: &ClassId| !vm.lang.classes[*class].tracked;
    vm.lang.classes.keys().filter(|class| others(class) && Jvm::is_initialised(vm, *class)).collect()
}
