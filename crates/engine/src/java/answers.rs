//! What a call did to its object where no getter shows it: questions are put to the object before and after, in runs of their
//! own, and those it answers otherwise are worth asking in a test (`cart.add("a", 2, 3)`, then `cart.total()`).

use jvm::input::writes;
use jvm::link::ClassOrigin;
use jvm::observe::{self, Member, Question, Seen};
use jvm::world::Jvm;
use suite::case::{Assert, Call, Step, Target, Type, Value};
use term::Assignment;
use vm::{Outcome, Val, Vm};

use super::arrange::Names;
use super::asserts::{Graph, declared_type};
use super::case::call_of;
use super::subject::{Before, Detail, End, Subject};

/// What an object said when it was asked after the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub question: Question,
    pub seen: Seen,
}

/// So many answers say enough.
const MOST: usize = 2;
/// So many questions that may change the object are tried: each takes runs of its own.
const MOST_CHANGING: usize = 4;

impl Subject {
    /// What the object of the call says otherwise than before it, and a new one where getters say nothing of it.
    pub(super) fn answers(
        &mut self,
        vm: &mut Vm<Jvm>,
        model: &Assignment,
        detail: &Detail,
    ) -> Option<Vec<Answer>> {
        let End::Returned(_) = &detail.end else { return None };
        let is_new = self.receiver.is_none();
        let object = (self.on.bits != 0).then(|| self.on.as_obj())?;
        let class = vm.heap.class(object);
        if vm.lang.classes[class].origin == ClassOrigin::Library {
            return None;
        }
        let hidden = match (is_new, &detail.made) {
            (true, Some(Seen::Object { shown, .. })) => shown.is_empty(),
            (true, _) => false,
            (false, _) => {
                let target = observe::dispatched(vm, object, self.func)?;
                let look = detail.looks.iter().find(|look| look.object == object);
                let hidden = look.is_none_or(|look| only_counts(&vm.lang, &look.before, &look.after));
                hidden && writes(&vm.lang, class, target).is_some()
            }
        };
        if !hidden {
            return None;
        }
        // Nothing is asked about null.
        let given = self.params.iter().zip(&self.args);
        let given =
            given.map(|(param, val)| (!param.ty.is_reference() || val.bits != 0).then_some(&param.ty));
        let given: Vec<_> = if is_new { Vec::new() } else { given.collect() };
        let mut questions = observe::questions(vm, class, self.func, &given);
        let changing = questions.split_off(questions.iter().take_while(|q| !q.changes).count());
        let before =
            if is_new { vec![None; questions.len()] } else { self.ask(vm, model, &questions, false)? };
        let after = self.ask(vm, model, &questions, true)?;
        let told = questions.into_iter().zip(before).zip(after);
        let told = told.filter(|((_, before), after)| before != after && after.as_ref().is_some_and(says));
        let chosen: Vec<Question> = told.map(|((question, _), _)| question).take(MOST).collect();
        if !chosen.is_empty() {
            // As the test does it: nothing else is asked before.
            let answers = self.ask(vm, model, &chosen, true)?;
            return Some(answered(chosen, answers));
        }
        for question in changing.into_iter().take(MOST_CHANGING) {
            let one = std::slice::from_ref(&question);
            let before = if is_new { vec![None] } else { self.ask(vm, model, one, false)? };
            let after = self.ask(vm, model, one, true)?;
            if before == after || !after.iter().flatten().any(says) {
                continue;
            }
            // Nobody asks a new object for what it hands out once.
            if is_new {
                let twice = self.ask(vm, model, &[question.clone(), question.clone()], true)?;
                if twice[0] != twice[1] {
                    continue;
                }
            }
            return Some(answered(vec![question], after));
        }
        None
    }

    /// Runs with or without the call, and asks.
    fn ask(
        &mut self,
        vm: &mut Vm<Jvm>,
        model: &Assignment,
        questions: &[Question],
        call: bool,
    ) -> Option<Vec<Option<Seen>>> {
        if questions.is_empty() {
            return Some(Vec::new());
        }
        vm.start_run(model.clone());
        self.before = Some(Before::default());
        let outcome = self.run(vm, call);
        self.before = None;
        vm.lang.worlds.script = None;
        if !matches!(outcome, Ok(Outcome::Returned(_))) {
            return None;
        }
        let object = (self.on.bits != 0).then(|| self.on.as_obj())?;
        let args: Vec<Val> = self.args.clone();
        Some(questions.iter().map(|question| observe::answer(vm, object, question, &args)).collect())
    }
}

/// Whether getters show no change, or none but of how much there is.
fn only_counts(jvm: &Jvm, before: &Seen, after: &Seen) -> bool {
    let (Seen::Object { shown: before, .. }, Seen::Object { shown: after, .. }) = (before, after) else {
        return before == after;
    };
    let changed = after.iter().filter(|shown| !before.contains(shown));
    changed.into_iter().all(|(member, _)| match member {
        Member::Getter(func) => {
            matches!(&*jvm.funcs[*func].name, "size" | "getSize" | "length" | "count" | "isEmpty" | "isFull")
        }
        Member::Elements | Member::Field { .. } => false,
    })
}

fn answered(questions: Vec<Question>, answers: Vec<Option<Seen>>) -> Vec<Answer> {
    let both = questions.into_iter().zip(answers);
    both.filter_map(|(question, seen)| Some(Answer { question, seen: seen? })).collect()
}

/// Whether there is something in an answer that a test can compare.
fn says(seen: &Seen) -> bool {
    match seen {
        Seen::Opaque(_) => false,
        Seen::Object { shown, .. } => !shown.is_empty(),
        _ => true,
    }
}

/// Asserts what the object answers.
pub fn assert_answers(
    jvm: &Jvm,
    detail: &Detail,
    act: &Call,
    arrange: &[Step],
    names: &Names,
    asserts: &mut Vec<Assert>,
) {
    let (of, declared) = match &act.on {
        Target::Instance(on) => ((**on).clone(), declared_type(arrange, on)),
        Target::New => (Value::Result, act.returns.clone()),
        Target::Static => return,
    };
    let Type::Class { name, .. } = &declared else { return };
    let Some(known) = jvm.loaded(&name.internal_name()) else { return };
    let graph = Graph { jvm, names, above: Vec::new() };
    for Answer { question, seen } in &detail.answers {
        let args: Option<Vec<Value>> =
            question.args.iter().map(|at| act.args.get(*at).filter(|v| is_simple(v)).cloned()).collect();
        let (Some(args), true) = (args, jvm.is_subclass(known, jvm.funcs[question.func].class)) else {
            continue;
        };
        let call = call_of(jvm, question.func, Target::Instance(Box::new(of.clone())), args);
        if !call.traits.throws_checked {
            let returns = call.returns.clone();
            graph.assert_value(Value::call(call), &returns, seen, asserts);
        }
    }
}

/// Whether a value is the same thing wherever it is written.
fn is_simple(value: &Value) -> bool {
    use Value::*;
    match value {
        Bool(_) | Byte(_) | Short(_) | Char(_) | Int(_) | Long(_) | Float(_) | Double(_) => true,
        Str(_) | Enum { .. } | Class(_) | Var(_) => true,
        Boxed(inner) => is_simple(inner),
        _ => false,
    }
}
