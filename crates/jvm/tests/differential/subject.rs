//! Our VM as a subject of the test kit's comparison.

use std::collections::BTreeMap;

use ir::{ClassId, FuncId};
use jvm::Jvm;
use jvm::input::{self, Kind};
use jvm::link::Func;
use jvm::load::FieldType;
use jvm::observe;
use term::Assignment;
use testkit::compare::Subject;
use testkit::{Answer, Call, Outcome, Receiver, Value};
use vm::{Lang, Stop, Val, Vm};

use crate::audit::Run;
use crate::build::{build, missing};
use crate::read::Reader;
use crate::symbolic;

/// A world that answers calls; with symbolic arguments it also checks that terms and concrete values agree.
pub struct VmSubject {
    pub vm: Vm<Jvm>,
    /// Arguments are symbolic inputs with a model that gives their values.
    pub symbolic: bool,
    /// Calls whose terms do not evaluate to what happened, and how.
    pub inconsistent: Vec<String>,
    /// The first few calls without an answer, by reason.
    pub open: BTreeMap<String, Vec<String>>,
    /// Decisions and terms that were checked.
    pub checked: usize,
    /// Runs whose course was predicted from the terms of another.
    pub predicted: usize,
    /// What the last run left.
    pub(crate) last: Option<Run>,
    /// Names of the inputs of the current call, in the order they are made.
    next_input: usize,
    kinds: Vec<Option<Kind>>,
}

/// Why something is not looked at.
pub const TOO_LARGE: &str = "a result is too large, or its toString takes too long";

/// Calls that see the identity of an input string: ours are objects of their own, a test passes literals.
const SEES_IDENTITY: &[(&str, &str)] = &[("fx.strings.StringEquality", "sameObject")];

/// What a run that ended left to look at.
struct Done {
    outcome: vm::Outcome,
    receiver: Option<Val>,
    constructed: bool,
    ret: Option<FieldType>,
    args: Vec<Val>,
    types: Vec<FieldType>,
}

impl VmSubject {
    pub fn new(vm: Vm<Jvm>, symbolic: bool) -> VmSubject {
        VmSubject {
            vm,
            symbolic,
            inconsistent: Vec::new(),
            open: BTreeMap::new(),
            checked: 0,
            predicted: 0,
            last: None,
            next_input: 0,
            kinds: Vec::new(),
        }
    }

    fn prepare(&mut self, call: &Call) {
        self.kinds.clear();
        if !self.symbolic {
            self.vm.start_run(Assignment::default());
            return;
        }
        let mut inputs: Vec<(Value, FieldType)> = Vec::new();
        match &call.receiver {
            Receiver::None => {}
            Receiver::New { desc, args } => inputs.extend(args.iter().cloned().zip(self.types(desc))),
            // A receiver is never null, so only its value is an input.
            Receiver::Value(_) => {}
        }
        inputs.extend(call.args.iter().cloned().zip(self.types(&call.desc)));
        self.kinds = inputs.iter().map(|(value, ty)| symbolic::kind_of(&mut self.vm, value, ty)).collect();
        if let Receiver::Value(value) = &call.receiver {
            let own = FieldType::Class(call.class.replace('.', "/").into());
            self.kinds.insert(0, symbolic::kind_of(&mut self.vm, value, &own));
            inputs.insert(0, (value.clone(), own));
        }
        self.vm.start_exploration();
        let mut model = Assignment::default();
        for (i, (value, _)) in inputs.iter().enumerate() {
            if let Some(kind) = self.kinds[i].clone() {
                symbolic::assign(&mut self.vm, &mut model, &format!("p{i}"), &kind, value);
            }
        }
        self.vm.start_run(model);
    }

    /// Runs the call from where [`prepare`](Self::prepare) or a new model left the machine.
    pub(crate) fn answer(&mut self, call: &Call) -> Answer {
        self.next_input = 0;
        self.last = None;
        match self.run(call) {
            Ok(done) => self.describe(call, done),
            Err(stop) => stopped(&self.vm, stop),
        }
    }

    fn types(&mut self, desc: &str) -> Vec<FieldType> {
        self.vm.lang.sig(desc).map(|sig| sig.ty.params.clone()).unwrap_or_default()
    }

    /// The next argument: an input if its kind allows it.
    fn make(&mut self, value: &Value) -> Result<Val, Stop> {
        let index = self.next_input;
        self.next_input += 1;
        match self.kinds.get(index).cloned().flatten() {
            Some(kind) => input::make(&mut self.vm, &format!("p{index}"), &kind),
            None => build(&mut self.vm, value),
        }
    }

    fn run(&mut self, call: &Call) -> Result<Done, Stop> {
        let link = |e: jvm::link::LinkError| missing(e.to_string());
        let class = self.vm.lang.class(&call.class.replace('.', "/")).map_err(link)?;
        let mut done = Done {
            outcome: vm::Outcome::Returned(None),
            receiver: None,
            constructed: false,
            ret: None,
            args: Vec::new(),
            types: self.types(&call.desc),
        };
        if let Err(outcome) = input::initialise(&mut self.vm, class) {
            return Ok(Done { outcome, ..done });
        }
        match &call.receiver {
            Receiver::None => {}
            Receiver::Value(value) => {
                // Dispatch is ours to do, so which object it is becomes a fact; what it holds stays symbolic.
                let receiver = self.make(value)?;
                done.receiver = Some(self.vm.concretise(receiver, "the receiver")?);
            }
            Receiver::New { desc, args } => {
                let mut vals = Vec::new();
                for value in args {
                    vals.push(self.make(value)?);
                }
                done.args = self.arguments(call)?;
                let (object, outcome) = self.construct(class, desc, &vals)?;
                if !matches!(outcome, vm::Outcome::Returned(_)) {
                    return Ok(Done { outcome, ..done });
                }
                done.receiver = Some(object);
            }
        }
        done.constructed = true;
        if !matches!(call.receiver, Receiver::New { .. }) {
            done.args = self.arguments(call)?;
        }
        if call.method == "<init>" {
            let args = done.args.clone();
            let (object, outcome) = self.construct(class, &call.desc, &args)?;
            done.outcome = match outcome {
                vm::Outcome::Returned(_) => vm::Outcome::Returned(Some(object)),
                other => other,
            };
            done.ret = Some(FieldType::Class("java/lang/Object".into()));
            return Ok(done);
        }
        let func = self.vm.lang.method(class, &call.method, &call.desc).map_err(link)?;
        done.ret = self.vm.lang.funcs[func].signature.ty.ret.clone();
        let mut args: Vec<Val> = done.receiver.into_iter().collect();
        args.extend(&done.args);
        let func = match done.receiver {
            Some(receiver) => dispatch(&mut self.vm, receiver, func)?,
            None => func,
        };
        done.outcome = self.vm.call(func, &args);
        Ok(done)
    }

    fn arguments(&mut self, call: &Call) -> Result<Vec<Val>, Stop> {
        call.args.iter().map(|value| self.make(value)).collect()
    }

    fn construct(&mut self, class: ClassId, desc: &str, args: &[Val]) -> Result<(Val, vm::Outcome), Stop> {
        let constructor =
            self.vm.lang.declared(class, "<init>", desc).ok_or_else(|| missing(format!("<init>{desc}")))?;
        let object = Val::obj(self.vm.new_object(class)?);
        let mut all = vec![object];
        all.extend_from_slice(args);
        Ok((object, self.vm.call(constructor, &all)))
    }

    fn describe(&mut self, call: &Call, done: Done) -> Answer {
        // Output and decisions first: looking at values runs guest code.
        let stdout = jvm::natives::stdout(&mut self.vm);
        let trace = std::mem::take(&mut self.vm.trace);
        let mut reader = Reader::default();
        let outcome = match done.outcome {
            vm::Outcome::Returned(val) => Outcome::Returned(match (val, &done.ret) {
                (Some(val), Some(ty)) => reader.value(&mut self.vm, val, ty),
                _ => Value::Void,
            }),
            vm::Outcome::Threw(exception) => {
                let class = self.vm.lang.classes[self.vm.heap.class(exception)].java_name();
                let message = observe::message(&mut self.vm, exception);
                if done.constructed {
                    Outcome::Threw { class, message }
                } else {
                    Outcome::ConstructionThrew { class, message }
                }
            }
            vm::Outcome::Stopped(stop) => return stopped(&self.vm, stop),
        };
        let made = matches!(call.receiver, Receiver::New { .. });
        let fields_after = match done.receiver {
            Some(receiver) if made => reader.fields(&mut self.vm, receiver.as_obj()),
            _ => Vec::new(),
        };
        let mut args_after = Vec::new();
        for (val, ty) in done.args.iter().zip(&done.types) {
            args_after.push(reader.value(&mut self.vm, *val, ty));
        }
        if reader.incomplete {
            return Answer::unanswered(TOO_LARGE);
        }
        let thrown = match &outcome {
            Outcome::Threw { class, .. } | Outcome::ConstructionThrew { class, .. } => class.clone(),
            _ => String::new(),
        };
        self.last = Some(Run { trace, leaves: reader.leaves, before_open: reader.before_open, thrown });
        Answer { outcome, args_after, fields_after, stdout }
    }
}

fn stopped(vm: &Vm<Jvm>, stop: Stop) -> Answer {
    Answer::unanswered(match stop {
        Stop::Unsupported { what, which } => format!("{what}: {which}"),
        stop => format!("{stop:?} at {}", vm.stopped_at),
    })
}

fn dispatch(vm: &mut Vm<Jvm>, receiver: Val, func: FuncId) -> Result<FuncId, Stop> {
    let class = vm.heap.class(receiver.as_obj());
    if vm.lang.classes[vm.lang.funcs[func].class].is_interface() {
        return Jvm::interface_function(&mut vm.lang, class, func)
            .map_err(|raise| missing(format!("{raise:?}")));
    }
    match vm.lang.funcs[func].slot {
        Func::NO_SLOT => Ok(func),
        slot => Jvm::virtual_function(&vm.lang, class, slot).ok_or_else(|| missing("no such method")),
    }
}

impl Subject for VmSubject {
    fn call(&mut self, call: &Call) -> Answer {
        if self.symbolic && SEES_IDENTITY.contains(&(&call.class, &call.method)) {
            return Answer::unanswered("the identity of an input");
        }
        self.prepare(call);
        let answer = self.answer(call);
        if self.symbolic {
            self.audit(call);
        }
        if let Outcome::Unanswered(reason) = &answer.outcome {
            let calls = self.open.entry(reason.clone()).or_default();
            if calls.len() < 3 {
                calls.push(format!("{call} {}", call.desc));
            }
        }
        answer
    }
}
