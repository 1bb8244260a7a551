//! The unit of work for Java: make a receiver and arguments, call a method, look at what it did.

use std::collections::BTreeSet;
use std::sync::Arc;

use explore::Target;
use ir::{ClassId, FuncId};
use jvm::input::{self, Conditions, Event, FakeCall, Kind, LeftOut, Reset, Statics};
use jvm::load::FieldType;
use jvm::observe::{self, Seen};
use jvm::world::Jvm;
use term::Assignment;
use vm::{ElemKind, ObjId, Outcome, Site, Stop, Thrown, Val, Vm};

use super::answers::Answer;

/// A parameter that is explored.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name in the source; also that of its variables.
    pub name: String,
    pub ty: FieldType,
    pub kind: Kind,
}

/// A method of a class, and what it is called with.
#[derive(Clone, Debug)]
pub struct Subject {
    pub class: ClassId,
    /// The method or constructor under test.
    pub func: FuncId,
    /// What it is called on; none for static methods and constructors.
    pub receiver: Option<Param>,
    /// What constructors of an abstract class make: objects of this class, which stands for it, and what they are called.
    pub stand_in: Option<(ClassId, String)>,
    pub params: Vec<Param>,
    /// What runs in its place, as the call leaves arguments out.
    pub left_out: Option<LeftOut>,
    /// What static fields have to do with it.
    pub statics: Statics,
    /// Code of the class that the call runs, where that is not to be told from the method: bodies of lambdas.
    pub runs: Vec<FuncId>,
    /// The fields that it reads: calls before that write those come first, so what a call's number means depends on them.
    pub wanted: Arc<BTreeSet<Arc<str>>>,
    /// Calls that come first in every run.
    pub resets: Vec<Reset>,
    /// What its arguments must be like.
    pub conditions: Conditions,
    /// Which arguments the last run left out.
    chosen: Val,
    /// How far the last run came.
    stage: Stage,
    /// What the last run worked on.
    pub(super) on: Val,
    pub(super) args: Vec<Val>,
    /// Arguments before the call; only kept by [`Subject::detail`].
    pub(super) before: Option<Before>,
}

/// What was being done when a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Initialising the class or building inputs.
    Prepare,
    Call,
}

/// Arguments as they were before the call, and how they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    pub script: Vec<Event>,
    pub receiver: Option<Seen>,
    pub args: Vec<Seen>,
    /// Arguments that the call leaves out, a bit each.
    pub left_out: u32,
    /// Arguments that are the same array as an earlier one: which, and which one.
    pub same: Vec<(usize, usize)>,
    /// The object that the constructor of an abstract class is called on, and its class.
    pub stand_in: Option<(ObjId, ClassId)>,
}

/// Everything that a test can show of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    pub stage: Stage,
    pub before: Before,
    pub args_after: Vec<Seen>,
    pub end: End,
    /// It was stopped in a loop that no input leads out of, or where every thread waits.
    pub runs_on: bool,
    /// What objects that the call was given showed before and after it: the receiver, then arguments.
    pub looks: Vec<Look>,
    /// What static getters showed before and after.
    pub statics: Vec<(FuncId, Seen, Seen)>,
    /// What objects that stand for interfaces were asked, and what they said.
    pub fakes: Vec<FakeCall>,
    /// What a constructor made, looked into.
    pub made: Option<Seen>,
    /// What the object said when it was asked, where nothing else shows what was done to it.
    pub answers: Vec<Answer>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// An object that the call was given, looked into before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    pub object: ObjId,
    pub before: Seen,
    pub after: Seen,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Returned(Option<Seen>),
    Threw {
        class: ClassId,
        message: Option<Vec<u16>>,
        thrown: Option<Thrown>,
        /// Where tracked code was, the innermost place first.
        at: Vec<Site>,
        /// What it had called there, if the exception came from outside of it.
        by: Option<FuncId>,
    },
    Stopped(Stop),
}

impl Subject {
    pub fn new(class: ClassId, func: FuncId, receiver: Option<Param>, params: Vec<Param>) -> Subject {
        Subject {
            class,
            func,
            receiver,
            stand_in: None,
            params,
            left_out: None,
            statics: Statics::default(),
            runs: Vec::new(),
            wanted: Arc::default(),
            resets: Vec::new(),
            conditions: Conditions::default(),
            chosen: Val::ZERO,
            stage: Stage::Prepare,
            on: Val::ZERO,
            args: Vec::new(),
            before: None,
        }
    }

    /// What the last run called the method on.
    pub fn object(&self) -> Option<ObjId> {
        (self.receiver.is_some() && self.on.bits != 0).then(|| self.on.as_obj())
    }

    /// All that is explored, the receiver first.
    pub fn inputs(&self) -> impl Iterator<Item = &Param> {
        self.receiver.iter().chain(&self.params)
    }

    pub(super) fn run(&mut self, vm: &mut Vm<Jvm>, call: bool) -> Result<Outcome, Stop> {
        self.stage = Stage::Prepare;
        self.on = Val::ZERO;
        self.args.clear();
        if let Err(outcome) = input::initialise(vm, self.class) {
            return Ok(outcome);
        }
        vm.lang.worlds.script = self.before.is_some().then(Vec::new);
        input::begin(vm);
        let prepared = self.prepare(vm);
        input::done(vm);
        prepared?;
        if !call {
            return Ok(Outcome::Returned(None));
        }
        let is_constructor = &*vm.lang.funcs[self.func].name == "<init>";
        if is_constructor && self.stand_in.is_none() {
            self.on = Val::obj(vm.new_object(self.class)?);
        }
        self.stage = Stage::Call;
        let mut args = Vec::new();
        if self.receiver.is_some() || is_constructor {
            args.push(self.on);
        }
        args.extend_from_slice(&self.args);
        let func = match (&self.left_out, &self.receiver) {
            (Some(left_out), _) => {
                args.extend([self.chosen, Val::ZERO]);
                left_out.func
            }
            (None, Some(_)) => observe::dispatched(vm, self.on.as_obj(), self.func).unwrap_or(self.func),
            (None, None) => self.func,
        };
        let outcome = vm.call(func, &args);
        if let Outcome::Returned(Some(val)) = outcome {
            decide_result(vm, val, self.func)?;
        }
        Ok(outcome)
    }

    /// Makes the receiver and the arguments.
    fn prepare(&mut self, vm: &mut Vm<Jvm>) -> Result<(), Stop> {
        self.args.clear();
        vm.lang.worlds.wanted = self.wanted.clone();
        for reset in &self.resets {
            input::reset(vm, reset)?;
        }
        input::call_earlier(vm, &self.statics.earlier)?;
        if let Some(receiver) = &self.receiver {
            self.on = Val::obj(make_receiver(vm, receiver)?);
            // A test calls what the object's class makes of the method: it must be code of the class under test.
            let runs = observe::dispatched(vm, self.on.as_obj(), self.func);
            if runs != Some(self.func) {
                // An object of another class may not override it.
                vm.demand_classes(self.on.as_obj());
            }
            if self.runs.is_empty()
                && runs != Some(self.func)
                && !runs.is_some_and(|func| vm.lang.funcs[func].tracked)
            {
                return Err(Stop::Assumption);
            }
        }
        for param in &self.params {
            let val = input::make(vm, &param.name, &param.kind)?;
            self.args.push(val);
        }
        let types: Vec<FieldType> = self.params.iter().map(|param| param.ty.clone()).collect();
        input::known::check(vm, &self.conditions, &self.args, &types)?;
        if let Some(left_out) = &self.left_out {
            self.chosen = left_out.choose(vm)?;
        }
        let stand_in = match &self.stand_in {
            Some((class, name)) => Some((input::unmade(vm, name, *class)?, *class)),
            None => None,
        };
        if let Some((object, _)) = stand_in {
            self.on = Val::obj(object);
        }
        if let Some(before) = &mut self.before {
            before.stand_in = stand_in;
            before.receiver = self.receiver.as_ref().map(|_| observe::see_input(vm, self.on.as_obj()));
            before.args = see_args(vm, &self.params, &self.args);
            before.left_out = self.left_out.as_ref().map_or(0, |left_out| left_out.params(self.chosen));
            before.same = same_arrays(&self.params, &self.args);
            before.script = vm.lang.worlds.script.clone().unwrap_or_default();
        }
        Ok(())
    }

    /// Looks at what a test of the last run would show, for what that makes the machine do.
    pub fn look(&self, vm: &mut Vm<Jvm>, outcome: &Outcome) {
        if self.on.bits != 0 {
            observe::see_object(vm, self.on.as_obj());
        }
        see_args(vm, &self.params, &self.args);
        if let (Outcome::Returned(Some(val)), Some(ty)) =
            (outcome, vm.lang.funcs[self.func].signature.ty.ret.clone())
        {
            observe::see(vm, val.bits, &ty);
        }
    }

    /// Runs once more on a model and keeps all that a test can show.
    pub fn detail(&mut self, vm: &mut Vm<Jvm>, model: &Assignment) -> Detail {
        let (looks, statics) = self.looks_before(vm, model);
        let mut detail = self.watch(vm, model, &looks, Order::ResultFirst);
        let known = detail.statics.len() == statics.len();
        for ((_, before, _), seen) in detail.statics.iter_mut().zip(statics).filter(|_| known) {
            *before = seen;
        }
        // A getter may change what others show (`hasNext`), and a test asks some of them only: what is shown in any
        // order is kept.
        let returned = match &detail.end {
            End::Returned(result) => result.as_ref(),
            _ => None,
        };
        let mut all = detail.looks.iter().map(|look| &look.after).chain(&detail.made).chain(returned);
        let orders = if all.any(observe::asks_several) { Order::OTHERS.as_slice() } else { &[] };
        for order in orders {
            let other = self.watch(vm, model, &looks, *order);
            for (look, other) in detail.looks.iter_mut().zip(&other.looks) {
                observe::keep_common(&mut look.after, &other.after);
            }
            if let (Some(made), Some(other)) = (&mut detail.made, &other.made) {
                observe::keep_common(made, other);
            }
            if let (End::Returned(Some(result)), End::Returned(Some(other))) = (&mut detail.end, &other.end) {
                observe::keep_common(result, other);
            }
        }
        detail.answers = self.answers(vm, model, &detail).unwrap_or_default();
        detail
    }

    /// Runs, and looks at what came of it.
    fn watch(
        &mut self,
        vm: &mut Vm<Jvm>,
        model: &Assignment,
        looks: &[(ObjId, Seen)],
        order: Order,
    ) -> Detail {
        vm.lang.worlds.backwards = order == Order::Backwards;
        vm.start_run(model.clone());
        self.before = Some(Before::default());
        let mut outcome = self.run(vm, true).unwrap_or_else(Outcome::Stopped);
        if matches!(outcome, Outcome::Stopped(Stop::Memory | Stop::Decisions))
            && self.stage == Stage::Call
            && self.goes_on(vm, model)
        {
            outcome = Outcome::Stopped(Stop::Steps);
        }
        let before = self.before.take().unwrap_or_default();
        // One that was cut while its inputs were made has none to look at.
        let looks = if self.stage == Stage::Prepare { &[] } else { looks };
        let runs_on = match outcome {
            Outcome::Stopped(Stop::Steps) => vm.runs_on(),
            Outcome::Stopped(Stop::Deadlock) => true,
            _ => false,
        };
        let thrown_at: Vec<Site> = vm.thrown_at.clone();
        let thrown_by = vm.thrown_by;
        // Output first: looking at values runs guest code.
        let (stdout, stderr) = jvm::natives::told(vm);
        let mut fakes = vm.lang.worlds.fake_calls.clone();
        let thrown = vm.thrown;
        let look = |vm: &mut Vm<Jvm>, (object, before): &(ObjId, Seen)| Look {
            object: *object,
            before: before.clone(),
            after: observe::see_object(vm, *object),
        };
        let mut after: Vec<Look> = Vec::new();
        match order {
            Order::ResultFirst => {}
            Order::ResultLast => after = looks.iter().map(|one| look(vm, one)).collect(),
            Order::Backwards => {
                after = looks.iter().rev().map(|one| look(vm, one)).collect();
                after.reverse();
            }
        }
        let end = match outcome {
            Outcome::Returned(None) => End::Returned(None),
            Outcome::Returned(Some(val)) => {
                let ret = vm.lang.funcs[self.func].signature.ty.ret.clone();
                End::Returned(ret.map(|ty| observe::see(vm, val.bits, &ty)))
            }
            Outcome::Threw(exception) => End::Threw {
                class: vm.heap.class(exception),
                message: observe::message(vm, exception),
                thrown: thrown.filter(|t| t.exception == exception),
                at: thrown_at,
                by: thrown_by,
            },
            Outcome::Stopped(stop) => End::Stopped(stop),
        };
        let made =
            (self.receiver.is_none() && self.on.bits != 0).then(|| observe::see_object(vm, self.on.as_obj()));
        let args_after = see_args(vm, &self.params, &self.args);
        if order == Order::ResultFirst {
            after = looks.iter().map(|one| look(vm, one)).collect();
        }
        let statics = see_statics(vm, &self.statics.getters);
        let getters = self.statics.getters.iter().copied();
        let statics = getters.zip(statics).map(|(getter, seen)| (getter, seen.clone(), seen)).collect();
        if !matches!(end, End::Stopped(_)) {
            input::look_at_given(vm, &mut fakes);
        }
        vm.lang.worlds.script = None;
        vm.lang.worlds.backwards = false;
        Detail {
            stage: self.stage,
            before,
            args_after,
            end,
            runs_on,
            looks: after,
            statics,
            fakes,
            made,
            answers: Vec::new(),
            stdout,
            stderr,
        }
    }

    /// Whether a run on the values of a model alone comes to no end either: where numbers are added up on the way round a circle,
    /// what is said of them grows until memory is spent, and they are no reason to end.
    pub fn goes_on(&mut self, vm: &mut Vm<Jvm>, model: &Assignment) -> bool {
        vm.inputs.set_plain(true);
        vm.start_run(model.clone());
        let before = self.before.take();
        self.before = before.as_ref().map(|_| Before::default());
        let outcome = self.run(vm, true).unwrap_or_else(Outcome::Stopped);
        let goes_on = outcome == Outcome::Stopped(Stop::Steps) && self.stage == Stage::Call && vm.runs_on();
        vm.inputs.set_plain(false);
        goes_on
    }

    /// What the objects that the call is given show before it, found in a run of its own: looking may change them.
    fn looks_before(&mut self, vm: &mut Vm<Jvm>, model: &Assignment) -> (Vec<(ObjId, Seen)>, Vec<Seen>) {
        vm.start_run(model.clone());
        self.before = Some(Before::default());
        let prepared = matches!(self.run(vm, false), Ok(Outcome::Returned(_)));
        let before = self.before.take().unwrap_or_default();
        if !prepared {
            return (Vec::new(), Vec::new());
        }
        let mut objects: Vec<ObjId> = Vec::new();
        for seen in before.receiver.iter().chain(&before.args) {
            if let Seen::Input(object) = seen
                && !objects.contains(object)
            {
                objects.push(*object);
            }
        }
        // What they are made of may change as well, and what objects that stand for interfaces return.
        let made = before.script.iter().filter_map(|event| match event {
            Event::Made { object, .. } | Event::Listed { object, .. } => Some(*object),
            _ => None,
        });
        let inside: Vec<ObjId> = made
            .filter(|object| !objects.contains(object) && may_change(vm, *object))
            .take(MOST_INSIDE)
            .collect();
        objects.extend(inside);
        let looks = objects.into_iter().map(|object| (object, observe::see_object(vm, object))).collect();
        (looks, see_statics(vm, &self.statics.getters))
    }
}

/// In which order a run's result and objects are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    ResultFirst,
    /// The result's `hasNext()` may have moved its owner on: what comes first shows what nobody has touched.
    ResultLast,
    /// Objects and getters the other way round, then the result.
    Backwards,
}

impl Order {
    const OTHERS: [Order; 2] = [Order::ResultLast, Order::Backwards];
}

/// Of what the receiver and the arguments are made of, so many objects are looked at.
const MOST_INSIDE: usize = 6;

/// Whether an object is one of the program's, a collection, or what others write to.
fn may_change(vm: &Vm<Jvm>, object: ObjId) -> bool {
    let class = &vm.lang.classes[vm.heap.class(object)];
    class.origin == jvm::link::ClassOrigin::User
        || class.name.starts_with("java/util/")
        || observe::shows_text(&class.name)
}

/// What static getters show; one that throws shows nothing.
fn see_statics(vm: &mut Vm<Jvm>, getters: &[FuncId]) -> Vec<Seen> {
    let seen = getters.iter().map(|getter| {
        let f = &vm.lang.funcs[*getter];
        let (class, ret) = (f.class, f.signature.ty.ret.clone());
        match (vm.call(*getter, &[]), ret) {
            (Outcome::Returned(Some(val)), Some(ty)) => observe::see(vm, val.bits, &ty),
            _ => Seen::Opaque(class),
        }
    });
    seen.collect()
}

fn see_args(vm: &mut Vm<Jvm>, params: &[Param], args: &[Val]) -> Vec<Seen> {
    params.iter().zip(args).map(|(param, val)| observe::see(vm, val.bits, &param.ty)).collect()
}

fn same_arrays(params: &[Param], args: &[Val]) -> Vec<(usize, usize)> {
    let is_array = |i: usize| matches!(params[i].ty, FieldType::Array(_)) && args[i].bits != 0;
    let earlier = |i: usize| (0..i).find(|j| is_array(*j) && args[*j].bits == args[i].bits);
    (0..args.len()).filter(|i| is_array(*i)).filter_map(|i| Some((i, earlier(i)?))).collect()
}

/// The object that a method is called on, never null.
fn make_receiver(vm: &mut Vm<Jvm>, receiver: &Param) -> Result<ObjId, Stop> {
    if let Kind::Object(key) = &receiver.kind {
        return input::object(vm, &receiver.name, key);
    }
    let val = input::make(vm, &receiver.name, &receiver.kind)?;
    if val.bits == 0 {
        return Err(Stop::Assumption);
    }
    if val.term.is_some() {
        let null = vm.pool.bv(32, 0);
        let there = vm.pool.ne(val.term, null);
        vm.assume(there)?;
    }
    vm.deref(val)
}

/// Whether a method returns true or false, null or an object, is worth knowing even where it does not branch.
fn decide_result(vm: &mut Vm<Jvm>, val: Val, method: FuncId) -> Result<(), Stop> {
    let ret = vm.lang.funcs[method].signature.ty.ret.clone();
    let two_ways = ret.is_some_and(|ty| ty == FieldType::Boolean || ty.is_reference());
    if val.term.is_none() || !two_ways {
        return Ok(());
    }
    let zero = vm.pool.bv(32, 0);
    let condition = vm.pool.ne(val.term, zero);
    vm.decide(ElemKind::Branch, condition, val.bits != 0)
}

impl Target<Jvm> for Subject {
    type Observation = Stage;

    fn execute(&mut self, vm: &mut Vm<Jvm>) -> Outcome {
        self.run(vm, true).unwrap_or_else(Outcome::Stopped)
    }

    /// What the machine raised, and what an `assert` did.
    fn is_bug(&self, vm: &Vm<Jvm>, end: &explore::End) -> bool {
        match end {
            explore::End::Threw { class, explicit, site: Some(_), .. } => {
                !explicit || &*vm.lang.classes[*class].name == "java/lang/AssertionError"
            }
            _ => false,
        }
    }

    fn observe(&mut self, _vm: &mut Vm<Jvm>, _outcome: &Outcome) -> Stage {
        self.stage
    }
}
