//! The unit of work for Java: make a receiver with a constructor, call a method, look at what it did.

use explore::Target;
use ir::{ClassId, FuncId};
use jvm::input::{self, Kind};
use jvm::load::FieldType;
use jvm::observe::{self, Seen};
use jvm::world::Jvm;
use term::Assignment;
use vm::{ElemKind, Outcome, Stop, Thrown, Val, Vm};

/// A parameter that is explored.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name in the source; also that of its variables.
    pub name: String,
    pub ty: FieldType,
    pub kind: Kind,
}

/// A method of a class, and how its receiver is made.
#[derive(Clone, Debug)]
pub struct Subject {
    pub class: ClassId,
    /// The constructor that makes the receiver, with its parameters; none for static methods.
    pub constructor: Option<(FuncId, Vec<Param>)>,
    /// The method called; none if the constructor itself is under test.
    pub method: Option<(FuncId, Vec<Param>)>,
    /// How far the last run came.
    stage: Stage,
    /// What the last run worked on.
    receiver: Val,
    args: Vec<Val>,
    /// Arguments before the call; only kept by [`Subject::detail`].
    before: Option<Vec<Seen>>,
}

/// What was being done when a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Initialising the class or building inputs.
    Prepare,
    Construct,
    Call,
}

/// Everything that a test can show of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    pub stage: Stage,
    pub constructor_args: Vec<Seen>,
    pub args: Vec<Seen>,
    pub args_after: Vec<Seen>,
    pub end: End,
    /// The receiver's getters before and after the call.
    pub receiver_before: Option<Seen>,
    pub receiver_after: Option<Seen>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Returned(Option<Seen>),
    Threw { class: ClassId, message: Option<Vec<u16>>, thrown: Option<Thrown> },
    Stopped(Stop),
}

impl Subject {
    pub fn new(
        class: ClassId,
        constructor: Option<(FuncId, Vec<Param>)>,
        method: Option<(FuncId, Vec<Param>)>,
    ) -> Subject {
        Subject {
            class,
            constructor,
            method,
            stage: Stage::Prepare,
            receiver: Val::ZERO,
            args: Vec::new(),
            before: None,
        }
    }

    fn constructor_params(&self) -> &[Param] {
        self.constructor.as_ref().map_or(&[], |(_, params)| params)
    }

    fn method_params(&self) -> &[Param] {
        self.method.as_ref().map_or(&[], |(_, params)| params)
    }

    /// All explored parameters, the constructor's first.
    pub fn params(&self) -> impl Iterator<Item = &Param> {
        self.constructor_params().iter().chain(self.method_params())
    }

    fn run(&mut self, vm: &mut Vm<Jvm>, call: bool) -> Result<Outcome, Stop> {
        self.stage = Stage::Prepare;
        self.receiver = Val::ZERO;
        if let Err(outcome) = input::initialise(vm, self.class) {
            return Ok(outcome);
        }
        let params: Vec<Param> = self.params().cloned().collect();
        self.args.clear();
        for param in &params {
            let val = input::make(vm, &param.name, &param.kind)?;
            self.args.push(val);
        }
        if self.before.is_some() {
            let seen = self.see_args(vm);
            self.before = Some(seen);
        }
        let n = self.constructor_params().len();
        if let Some((constructor, _)) = &self.constructor {
            self.stage = Stage::Construct;
            self.receiver = Val::obj(vm.new_object(self.class)?);
            let mut args = vec![self.receiver];
            args.extend_from_slice(&self.args[..n]);
            match vm.call(*constructor, &args) {
                Outcome::Returned(_) => {}
                other => return Ok(other),
            }
        }
        let Some((method, _)) = &self.method else { return Ok(Outcome::Returned(None)) };
        if !call {
            return Ok(Outcome::Returned(None));
        }
        self.stage = Stage::Call;
        let mut args = Vec::new();
        if self.constructor.is_some() {
            args.push(self.receiver);
        }
        args.extend_from_slice(&self.args[n..]);
        let outcome = vm.call(*method, &args);
        if let Outcome::Returned(Some(val)) = outcome {
            decide_result(vm, val, *method)?;
        }
        Ok(outcome)
    }

    fn see_args(&self, vm: &mut Vm<Jvm>) -> Vec<Seen> {
        let args = self.args.clone();
        self.params().zip(args).map(|(param, val)| observe::see(vm, val.bits, &param.ty)).collect()
    }

    /// Runs once more on a model and keeps all that a test can show.
    pub fn detail(&mut self, vm: &mut Vm<Jvm>, model: &Assignment) -> Detail {
        let receiver_before = self.receiver_before(vm, model);
        vm.start_run(model.clone());
        self.before = Some(Vec::new());
        let outcome = self.run(vm, true).unwrap_or_else(Outcome::Stopped);
        let n = self.constructor_params().len();
        let mut before = self.before.take().unwrap_or_default();
        let args = before.split_off(n.min(before.len()));
        // Output first: looking at values runs guest code.
        let (stdout, stderr) = (jvm::natives::stdout(vm), jvm::natives::stderr(vm));
        let thrown = vm.thrown;
        let end = match outcome {
            Outcome::Returned(None) => End::Returned(None),
            Outcome::Returned(Some(val)) => {
                let ret = self.method.as_ref().and_then(|(m, _)| vm.lang.funcs[*m].signature.ty.ret.clone());
                End::Returned(ret.map(|ty| observe::see(vm, val.bits, &ty)))
            }
            Outcome::Threw(exception) => End::Threw {
                class: vm.heap.class(exception),
                message: observe::message(vm, exception),
                thrown: thrown.filter(|t| t.exception == exception),
            },
            Outcome::Stopped(stop) => End::Stopped(stop),
        };
        let args_after = self.see_args(vm).split_off(n.min(self.args.len()));
        let receiver_after =
            (self.receiver.bits != 0).then(|| observe::see_object(vm, self.receiver.as_obj()));
        Detail {
            stage: self.stage,
            constructor_args: before,
            args,
            args_after,
            end,
            receiver_before,
            receiver_after,
            stdout,
            stderr,
        }
    }

    /// What the receiver shows before the call, found in a run of its own: looking may change it.
    fn receiver_before(&mut self, vm: &mut Vm<Jvm>, model: &Assignment) -> Option<Seen> {
        self.constructor.as_ref()?;
        self.method.as_ref()?;
        vm.start_run(model.clone());
        match self.run(vm, false) {
            Ok(Outcome::Returned(_)) => Some(observe::see_object(vm, self.receiver.as_obj())),
            _ => None,
        }
    }
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

    fn observe(&mut self, _vm: &mut Vm<Jvm>, _outcome: &Outcome) -> Stage {
        self.stage
    }
}
