//! Our VM as a subject of the test kit's comparison.

use std::collections::BTreeMap;

use ir::{ClassId, FuncId};
use jvm::Jvm;
use jvm::input::{self, Kind};
use jvm::link::Func;
use jvm::load::FieldType;
use jvm::observe;
use term::{Assignment, Program, Sort, TermId};
use testkit::compare::Subject;
use testkit::{Answer, Call, Outcome, Receiver, Value};
use vm::{Lang, Stop, Val, Vm};

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
    /// Names of the inputs of the current call, in the order they are made.
    next_input: usize,
    kinds: Vec<Option<Kind>>,
}

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
            next_input: 0,
            kinds: Vec::new(),
        }
    }

    fn prepare(&mut self, call: &Call) {
        self.next_input = 0;
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
        self.kinds =
            inputs.iter().map(|(value, ty)| symbolic::kind_of(&mut self.vm, value, ty)).collect();
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
            Receiver::Value(value) => done.receiver = Some(self.make(value)?),
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

    fn construct(
        &mut self,
        class: ClassId,
        desc: &str,
        args: &[Val],
    ) -> Result<(Val, vm::Outcome), Stop> {
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
        let mut args_after = Vec::new();
        for (val, ty) in done.args.iter().zip(&done.types) {
            args_after.push(reader.value(&mut self.vm, *val, ty));
        }
        let made = matches!(call.receiver, Receiver::New { .. });
        let fields_after = match done.receiver {
            Some(receiver) if made => reader.fields(&mut self.vm, receiver.as_obj()),
            _ => Vec::new(),
        };
        if self.symbolic {
            self.check(call, &trace, &reader.terms);
        }
        Answer { outcome, args_after, fields_after, stdout }
    }

    /// The path condition holds in the model, no alternative does, and every term has the value that was seen.
    fn check(&mut self, call: &Call, trace: &vm::Trace, terms: &[(TermId, u64)]) {
        let mut roots: Vec<TermId> = trace.conditions.clone();
        roots.extend(terms.iter().map(|(term, _)| *term));
        let mut program = Program::compile(&self.vm.pool, &roots);
        let values = program.run_assignment(&self.vm.inputs.model).to_vec();
        self.checked += roots.len();
        for elem in &trace.elems {
            for alternative in 0..elem.alternatives {
                let holds = values[(elem.first + alternative) as usize] != 0;
                if holds != (alternative == elem.choice) {
                    let shown = term_text(&self.vm, trace.condition(elem, alternative));
                    let place = Jvm::function_name(&self.vm.lang, elem.site.func);
                    let what = format!("{:?} at {place}@{}: alternative {alternative}, taken {}, is {holds}: {shown}",
                        elem.kind, elem.site.index, elem.choice);
                    self.inconsistent.push(format!("{call} {}\n  {what}", call.desc));
                    return;
                }
            }
        }
        for ((term, bits), value) in terms.iter().zip(&values[trace.conditions.len()..]) {
            if !same(self.vm.pool.sort(*term), *bits, *value as u64) {
                let shown = term_text(&self.vm, *term);
                self.inconsistent.push(format!(
                    "{call} {}\n  a value is {bits:#x}, its term {:#x}: {shown}",
                    call.desc, *value as u64
                ));
                return;
            }
        }
    }
}

fn term_text(vm: &Vm<Jvm>, term: TermId) -> String {
    let text: String = vm.pool.display(term).to_string();
    text.chars().take(600).collect()
}

/// Equal in the width of the sort; NaNs are all the same.
fn same(sort: Sort, bits: u64, value: u64) -> bool {
    let nan32 = |x: u64| f32::from_bits(x as u32).is_nan();
    let nan64 = |x: u64| f64::from_bits(x).is_nan();
    match sort {
        Sort::Bool => (bits & 1) == (value & 1),
        Sort::Bv(width) if width < 64 => (bits ^ value) & ((1 << width) - 1) == 0,
        Sort::F32 => bits as u32 == value as u32 || nan32(bits) && nan32(value),
        Sort::F64 => bits == value || nan64(bits) && nan64(value),
        _ => bits == value,
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
        return Jvm::interface_function(&mut vm.lang, class, func).map_err(|raise| missing(format!("{raise:?}")));
    }
    match vm.lang.funcs[func].slot {
        Func::NO_SLOT => Ok(func),
        slot => Jvm::virtual_function(&vm.lang, class, slot).ok_or_else(|| missing("no such method")),
    }
}

impl Subject for VmSubject {
    fn call(&mut self, call: &Call) -> Answer {
        self.prepare(call);
        let answer = match self.run(call) {
            Ok(done) => self.describe(call, done),
            Err(stop) => stopped(&self.vm, stop),
        };
        if let Outcome::Unanswered(reason) = &answer.outcome {
            let calls = self.open.entry(reason.clone()).or_default();
            if calls.len() < 3 {
                calls.push(format!("{call} {}", call.desc));
            }
        }
        answer
    }
}
