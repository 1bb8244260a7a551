//! Code of a class that no call of a test leads to: initialisers, which run once and take nothing, what only they call, and
//! what nothing calls. It is owed like all other code, so that no figure is of less than the whole class.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use explore::{Goal, RunId, Verdict, Why};
use ir::{ClassId, FuncId, Function, Op};
use jvm::load::access;
use jvm::world::Jvm;
use suite::case::{Call, ClassName, Step, TestCase, Value};
use term::Assignment;
use vm::{Lang, Outcome, Trace, Val, Vm};

use super::entries::{is_bare, is_made_of_components};
use super::explore::ClassExplorer;
use super::outcome::{ClassResult, Fate, Proposed, key};
use super::owed::{callees, is_made};
use super::unreached::reach;
use crate::goal::{CoverageGoal, Judgement};

/// Private methods that serialisation calls, by name.
const CALLED_BY_SERIALISATION: [&str; 5] =
    ["readObject", "readObjectNoData", "readResolve", "writeObject", "writeReplace"];

const UNCALLED: &str = "nothing calls it, and it is private";
const UNFOUND: &str = "no call was found that leads to it";
const ELSEWHERE: &str = "only classes beside it in its source call it, which are targets of their own";
const NEVER_LEFT_OUT: &str = "only Kotlin's source leaves arguments out (tests with --language kotlin do)";
const ONCE: &str = "an initialiser runs once, and goes another way";

/// What initialising a class did.
struct Initialised {
    name: Arc<str>,
    /// Its own initialiser.
    func: FuncId,
    goal: CoverageGoal,
    trace: Trace,
    /// Other classes that it initialised.
    others: BTreeSet<ClassId>,
}

impl ClassExplorer<'_> {
    /// Enters what no exploration owed. `fresh` is a machine in which the class is not initialised yet.
    pub(super) fn uncalled(&mut self, fresh: &mut Vm<Jvm>, class: ClassId, result: &mut ClassResult) {
        let names: Vec<Arc<str>> = std::iter::once(class)
            .chain(self.nested.iter().copied())
            .map(|class| self.vm.lang.classes[class].name.clone())
            .collect();
        let mut classes: Vec<ClassId> = names.iter().filter_map(|name| fresh.lang.class(name).ok()).collect();
        // What a compiler adds, for a `switch` over an enum, is in no source.
        let is_added = |class: ClassId| fresh.lang.classes[class].access & access::SYNTHETIC != 0;
        classes.retain(|class| !is_added(*class) && !drives(&fresh.lang, *class));
        let mut initialised: BTreeMap<ClassId, Initialised> = BTreeMap::new();
        for class in &classes {
            let found = self.initialise(fresh, *class, &classes, result);
            initialised.extend(found.map(|found| (*class, found)));
        }
        let uses: Vec<BTreeSet<ClassId>> =
            result.tests.iter().map(|test| used(fresh, &classes, &initialised, test)).collect();
        for (class, initialised) in &initialised {
            let by: Vec<usize> = (0..uses.len()).filter(|at| uses[*at].contains(class)).collect();
            enter(&fresh.lang, initialised, &by, result);
        }
        for class in &classes {
            let Some(bare) = self.construct_below(fresh, *class, result) else { continue };
            let makes = |at: &usize| makes_below(&fresh.lang, *class, &result.tests[*at].case);
            let by: Vec<usize> = (0..result.tests.len()).filter(makes).collect();
            enter(&fresh.lang, &bare, &by, result);
        }
        let nest = nest(fresh, &classes);
        let (own, all) = (live(fresh, &classes), live(fresh, &nest));
        for class in &classes {
            for func in unaccounted(fresh, fresh.lang.classes[*class].functions(), result) {
                let Some(function) = fresh.lang.ir(func) else { continue };
                if is_silent(fresh, func) {
                    continue;
                }
                let private = fresh.lang.funcs[func].is(access::PRIVATE);
                let dead = private && !all.contains(&func);
                let elsewhere = private && !dead && !own.contains(&func);
                let leaves_out =
                    fresh.lang.funcs[func].name.ends_with("$default") && !fresh.lang.worlds.in_kotlin;
                let goal = self.owing(&fresh.lang, vec![(func, function)]);
                for (_, obligation) in goal.obligations() {
                    let fate = match (dead, elsewhere) {
                        (true, _) => {
                            result.proved.insert(key(obligation));
                            Fate::Infeasible(UNCALLED.to_string())
                        }
                        // Who calls it enters it.
                        (_, true) if obligation.kind == coverage::Kind::Entry => continue,
                        (_, true) => Fate::Open(ELSEWHERE.to_string()),
                        // Where Java's tests call all there is to call, that somebody leaves arguments out is no code of theirs.
                        _ if leaves_out && obligation.kind == coverage::Kind::Entry => continue,
                        _ if leaves_out => Fate::Open(NEVER_LEFT_OUT.to_string()),
                        _ => Fate::Open(UNFOUND.to_string()),
                    };
                    result.obligations.insert(key(obligation), (obligation.clone(), fate));
                }
            }
        }
    }

    /// Runs the initialiser of a class, if there is one that owes something.
    fn initialise(
        &self,
        fresh: &mut Vm<Jvm>,
        class: ClassId,
        classes: &[ClassId],
        result: &ClassResult,
    ) -> Option<Initialised> {
        let func = fresh.lang.declared(class, "<clinit>", "()V")?;
        let reached = reach(fresh, class, func).into_keys();
        let mut owing: Vec<(FuncId, Arc<Function>)> = unaccounted(fresh, reached, result)
            .into_iter()
            .filter_map(|func| Some((func, fresh.lang.ir(func)?)))
            .collect();
        // What the initialisers before this one did is undone.
        fresh.start_exploration();
        fresh.start_run(Assignment::default());
        if owing.is_empty() || Jvm::is_initialised(fresh, class) {
            return None;
        }
        fresh.walking = true;
        // However it ends: what it did, it did.
        let _ = jvm::input::initialise(fresh, class);
        fresh.walking = false;
        let others = classes.iter().filter(|other| **other != class && Jvm::is_initialised(fresh, **other));
        let others = others.copied().collect();
        let name = fresh.lang.classes[class].name.clone();
        let trace = std::mem::take(&mut fresh.trace);
        // Of lambdas that it makes, others call the code.
        let entered: BTreeSet<FuncId> = trace.blocks.iter().map(|(func, _)| *func).collect();
        owing.retain(|(func, _)| entered.contains(func));
        let goal = self.owing(&fresh.lang, owing);
        Some(Initialised { name, func, goal, trace, others })
    }

    /// Runs the constructor of an abstract class that no test is about, as every class below does.
    fn construct_below(
        &self,
        fresh: &mut Vm<Jvm>,
        class: ClassId,
        result: &ClassResult,
    ) -> Option<Initialised> {
        let all: Vec<FuncId> = fresh.lang.classes[class].functions().collect();
        let bare: Vec<FuncId> = all.into_iter().filter(|func| is_bare(fresh, *func)).collect();
        let [func] = unaccounted(fresh, bare, result)[..] else { return None };
        let owing = vec![(func, fresh.lang.ir(func)?)];
        fresh.lang.worlds.context = Some(class);
        let below = jvm::input::stand_in(fresh, class)?;
        fresh.start_exploration();
        fresh.start_run(Assignment::default());
        let object = jvm::input::unmade(fresh, "object", below).ok()?;
        fresh.walking = true;
        let outcome = fresh.call(func, &[Val::obj(object)]);
        fresh.walking = false;
        let trace = std::mem::take(&mut fresh.trace);
        let (name, goal) = (fresh.lang.classes[class].name.clone(), self.owing(&fresh.lang, owing));
        matches!(outcome, Outcome::Returned(_)).then(|| Initialised {
            name,
            func,
            goal,
            trace,
            others: BTreeSet::new(),
        })
    }

    fn owing(&self, jvm: &Jvm, functions: Vec<(FuncId, Arc<Function>)>) -> CoverageGoal {
        CoverageGoal::new(self.config.criterion, &self.config.criterion_options, functions, jvm)
    }
}

/// What an initialiser does, every test does that uses the class.
fn enter(jvm: &Jvm, initialised: &Initialised, by: &[usize], result: &mut ClassResult) {
    let Initialised { goal, trace, .. } = initialised;
    let met: BTreeSet<u32> = goal.met_by(trace).into_iter().collect();
    let verdict = |part: u32| match met.contains(&part) {
        true => Verdict::Covered(RunId(0)),
        false => Verdict::Open(Why::Imprecise(Vec::new())),
    };
    let verdicts: Vec<Verdict> = (0..goal.len() as u32).map(verdict).collect();
    let own = jvm.func_name(initialised.func);
    for ((_, obligation), judgement) in goal.obligations().iter().zip(goal.judge(&verdicts, &|_| false)) {
        // That there is one is nothing to show.
        if obligation.kind == coverage::Kind::Entry && obligation.function == own {
            continue;
        }
        let key = key(obligation);
        let fate = match judgement {
            Judgement::Covered if by.is_empty() => {
                Fate::Open(format!("no test uses {}", initialised.name.replace(['/', '$'], ".")))
            }
            Judgement::Covered => {
                by.iter().for_each(|at| result.tests[*at].meets.push(key.clone()));
                Fate::Covered
            }
            Judgement::Impossible(why) => {
                result.proved.insert(key.clone());
                Fate::Infeasible(why.to_string())
            }
            Judgement::Infeasible(..) | Judgement::Open(_) => Fate::Open(ONCE.to_string()),
        };
        result.obligations.insert(key, (obligation.clone(), fate));
    }
    let seen = goal.seen(trace);
    for at in by {
        for (function, seen) in &seen {
            result.tests[*at].seen.entry(function.clone()).or_default().add(seen);
        }
    }
}

/// Whether a test makes an object of a class below another one.
fn makes_below(jvm: &Jvm, class: ClassId, case: &TestCase) -> bool {
    let below =
        |name: &ClassName| jvm.loaded(&name.internal_name()).is_some_and(|made| jvm.is_subclass(made, class));
    let mut makes = |value: &Value| match value {
        Value::Call(call) => call.is_new() && below(&call.class),
        Value::Fake { constructor: Some(call), .. } => below(&call.class),
        _ => false,
    };
    let steps = case.arrange.iter().flat_map(Step::values);
    let values: Vec<&Value> = steps.chain(case.act.operands()).collect();
    case.act.is_new() && below(&case.act.class) || values.into_iter().any(|value| value.any(&mut makes))
}

/// The classes that a test initialises.
fn used(
    fresh: &mut Vm<Jvm>,
    classes: &[ClassId],
    initialised: &BTreeMap<ClassId, Initialised>,
    test: &Proposed,
) -> BTreeSet<ClassId> {
    let named = |class: &ClassId| {
        let name = ClassName::from_internal(&fresh.lang.classes[*class].name);
        let makes = |call: &Call| call.class == name;
        let mut asks = |value: &Value| match value {
            Value::Call(call) => makes(call),
            Value::Enum { class, .. } => *class == name,
            Value::Field { of: None, class, .. } => *class == name,
            _ => false,
        };
        let case = &test.case;
        let steps = case.arrange.iter().flat_map(Step::values);
        let values: Vec<&Value> = steps.chain(case.act.operands()).collect();
        makes(&case.act) || values.into_iter().any(|value| value.any(&mut asks))
    };
    let mut found: BTreeSet<ClassId> = classes.iter().copied().filter(named).collect();
    let functions: Vec<FuncId> =
        classes.iter().flat_map(|class| fresh.lang.classes[*class].functions()).collect();
    for func in functions {
        let Some(seen) = test.seen.get(&fresh.lang.func_name(func)) else { continue };
        let Some(function) = fresh.lang.ir(func) else { continue };
        found.insert(fresh.lang.funcs[func].class);
        let asks = function.code.iter().enumerate().filter(|(at, inst)| {
            let line = function.positions[*at].line;
            inst.op == Op::GuardInit
                && seen.blocks.contains(&function.block_at(*at as u32))
                && (line == 0 || seen.lines.contains(&line))
        });
        found.extend(asks.map(|(_, inst)| ClassId(inst.a)));
    }
    let others: Vec<ClassId> =
        found.iter().filter_map(|class| initialised.get(class)).flat_map(|one| one.others.clone()).collect();
    found.extend(others);
    found
}

/// Whether a class is there to drive others: it owes nothing itself.
fn drives(jvm: &Jvm, class: ClassId) -> bool {
    jvm.classes[class].functions().any(|func| !jvm::input::known::covered_by(jvm, func).is_empty())
}

/// Those of some functions that are code of the source and whose obligations nobody has entered.
fn unaccounted(
    vm: &Vm<Jvm>,
    functions: impl IntoIterator<Item = FuncId>,
    result: &ClassResult,
) -> Vec<FuncId> {
    let jvm = &vm.lang;
    let owed = |func: &FuncId| {
        let f = &jvm.funcs[*func];
        let has_code = f.access & (access::ABSTRACT | access::NATIVE) == 0;
        let assumes = jvm::input::known::assumption(jvm, *func).is_some();
        f.tracked && has_code && !assumes && !is_made(jvm, *func) && !is_made_of_components(jvm, *func)
    };
    let accounted = |func: &FuncId| {
        let name = jvm.func_name(*func);
        let first = result.obligations.range((name.clone(), 0)..).next();
        first.is_some_and(|((function, _), _)| *function == name)
    };
    functions.into_iter().filter(|func| owed(func) && !accounted(func)).collect()
}

/// Whether a function is there for the language only: initialisers, which are looked at by themselves, constructors that keep
/// others from making objects, those of abstract classes that have nothing to show, and what gives a component of a record.
fn is_silent(vm: &mut Vm<Jvm>, func: FuncId) -> bool {
    if is_bare(vm, func) {
        return true;
    }
    let jvm = &vm.lang;
    let f = &jvm.funcs[func];
    let class = &jvm.classes[f.class];
    let file = class.file.as_deref();
    let code = || file.and_then(|file| file.method(&f.name, &f.descriptor)?.bytecode().ok().flatten());
    match &*f.name {
        "<clinit>" => true,
        // Nothing but the call of the one above.
        "<init>" => f.is(access::PRIVATE) && code().is_some_and(|code| code.instrs.len() <= 3),
        name => {
            let components = file.and_then(|file| file.record.as_ref());
            let is_one = components.is_some_and(|all| all.iter().any(|component| *component.name == *name));
            is_one && f.signature.ty.params.is_empty() && code().is_some_and(|code| code.instrs.len() <= 3)
        }
    }
}

/// The classes that may call private code of some, those among them.
fn nest(vm: &mut Vm<Jvm>, classes: &[ClassId]) -> Vec<ClassId> {
    let mut found: BTreeSet<ClassId> = classes.iter().copied().collect();
    for class in classes {
        let Some(file) = vm.lang.classes[*class].file.clone() else { continue };
        let host = file.nest_host.as_ref().and_then(|name| vm.lang.class(name).ok()).unwrap_or(*class);
        let Some(file) = vm.lang.classes[host].file.clone() else { continue };
        found.insert(host);
        found.extend(file.nest_members.iter().filter_map(|name| vm.lang.class(name).ok()));
    }
    found.into_iter().collect()
}

/// What can be called from somewhere, or may be by something that is not code of these classes.
fn live(vm: &mut Vm<Jvm>, classes: &[ClassId]) -> BTreeSet<FuncId> {
    let jvm = &vm.lang;
    let own: Vec<FuncId> = classes.iter().flat_map(|class| jvm.classes[*class].functions()).collect();
    let named = called_by_name(jvm, classes);
    let is_root = |func: &FuncId| {
        let f = &jvm.funcs[*func];
        let by_serialisation = CALLED_BY_SERIALISATION.contains(&&*f.name);
        !f.is(access::PRIVATE) || &*f.name == "<clinit>" || by_serialisation
    };
    let mut live: BTreeSet<FuncId> = BTreeSet::new();
    let mut callers: Vec<(FuncId, BTreeSet<FuncId>)> = Vec::new();
    let roots: BTreeSet<FuncId> = own.iter().copied().filter(|func| is_root(func)).collect();
    for func in &own {
        let class = vm.lang.funcs[*func].class;
        let reached: BTreeSet<FuncId> = reach(vm, class, *func).into_keys().collect();
        if roots.contains(func) {
            live.extend(reached);
        } else {
            let near = vm.lang.ir(*func).map(|function| callees(&vm.lang, class, *func, &function));
            callers.push((*func, near.into_iter().flatten().map(|(_, callee)| callee).collect()));
        }
    }
    // What code names without being seen to call it may be called in a way that is not known here.
    for func in &own {
        let f = &vm.lang.funcs[*func];
        let seen = callers.iter().any(|(caller, near)| caller != func && near.contains(func));
        let class = vm.lang.classes[f.class].name.to_string();
        if !seen && named.contains(&(class, f.name.to_string(), f.descriptor.to_string())) {
            live.extend(reach(vm, vm.lang.funcs[*func].class, *func).into_keys());
        }
    }
    live
}

/// The methods that the code of some classes names: class, name, descriptor.
fn called_by_name(jvm: &Jvm, classes: &[ClassId]) -> BTreeSet<(String, String, String)> {
    let files = classes.iter().filter_map(|class| jvm.classes[*class].file.as_deref());
    let methods = files.flat_map(|file| file.pool.methods());
    methods.map(|of| (of.class.to_string(), of.name.to_string(), of.descriptor.to_string())).collect()
}
