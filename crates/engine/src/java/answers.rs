//! What a call did to its object where no getter shows it: questions are put to the object before and after, in runs of their
//! own, and those it answers otherwise are worth asking in a test (`cart.add("a", 2, 3)`, then `cart.total()`). The same of an
//! object that is new, made by a constructor or returned (`builder.build()`, then `cart.total()`).

use jvm::input::writes;
use jvm::link::ClassOrigin;
use jvm::observe::{self, Member, Question, Seen};
use jvm::world::Jvm;
use suite::case::{Assert, Call, Check, Step, Target, Type, Value};
use term::Assignment;
use vm::{Outcome, Val, Vm};

use super::arrange::Names;
use super::asserts::{Graph, declared_type};
use super::case::call_of;
use super::subject::{Before, Detail, End, Subject};

/// What an object said when it was asked after the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub of: Asked,
    pub question: Question,
    pub seen: Seen,
}

/// Which object is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The one that is called, or the one that a constructor makes.
    Called,
    /// The one that the call returns, made by it.
    Returned,
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
        let End::Returned(returned) = &detail.end else { return None };
        let told = self.answers_of_called(vm, model, detail).unwrap_or_default();
        // Only a new object shows nothing: inputs and constants are known by name.
        match returned {
            Some(Seen::Object { class, shown, .. }) if shown.is_empty() => {
                let questions = observe::questions(vm, *class, self.func, &[]);
                let mut more = self.answers_of_new(vm, model, questions, Asked::Returned).unwrap_or_default();
                more.extend(told);
                Some(more)
            }
            _ => Some(told),
        }
    }

    /// What a new object says of itself: the first questions that have an answer, or one that changes it if it is answered alike
    /// when it is put twice.
    fn answers_of_new(
        &mut self,
        vm: &mut Vm<Jvm>,
        model: &Assignment,
        mut questions: Vec<Question>,
        of: Asked,
    ) -> Option<Vec<Answer>> {
        let changing = questions.split_off(questions.iter().take_while(|q| !q.changes).count());
        let answers = self.ask(vm, model, &questions, Some(of))?;
        let told = questions.into_iter().zip(answers);
        let told = told.filter(|(_, answer)| answer.as_ref().is_some_and(says));
        let chosen: Vec<Question> = told.map(|(question, _)| question).take(MOST).collect();
        if !chosen.is_empty() {
            // As the test does it: nothing else is asked before.
            let answers = self.ask(vm, model, &chosen, Some(of))?;
            return Some(answered(chosen, answers, of));
        }
        for question in changing.into_iter().take(MOST_CHANGING) {
            // Nobody asks a new object for what it hands out once.
            let twice = self.ask(vm, model, &[question.clone(), question.clone()], Some(of))?;
            if twice[0] == twice[1] && twice[0].as_ref().is_some_and(says_at_once) {
                return Some(answered(vec![question], twice, of));
            }
        }
        None
    }

    fn answers_of_called(
        &mut self,
        vm: &mut Vm<Jvm>,
        model: &Assignment,
        detail: &Detail,
    ) -> Option<Vec<Answer>> {
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
        let of = Asked::Called;
        if is_new {
            return self.answers_of_new(vm, model, questions, of);
        }
        let changing = questions.split_off(questions.iter().take_while(|q| !q.changes).count());
        let before = self.ask(vm, model, &questions, None)?;
        let after = self.ask(vm, model, &questions, Some(of))?;
        let told = questions.into_iter().zip(before).zip(after);
        let told = told.filter(|((_, before), after)| before != after && after.as_ref().is_some_and(says));
        let chosen: Vec<Question> = told.map(|((question, _), _)| question).take(MOST).collect();
        if !chosen.is_empty() {
            // As the test does it: nothing else is asked before.
            let answers = self.ask(vm, model, &chosen, Some(of))?;
            return Some(answered(chosen, answers, of));
        }
        for question in changing.into_iter().take(MOST_CHANGING) {
            let one = std::slice::from_ref(&question);
            let before = self.ask(vm, model, one, None)?;
            let after = self.ask(vm, model, one, Some(of))?;
            if before != after && after.iter().flatten().any(says_at_once) {
                return Some(answered(vec![question], after, of));
            }
        }
        None
    }

    /// Runs with the call, and asks one of its objects; or without the call, and asks the one it would be made on.
    fn ask(
        &mut self,
        vm: &mut Vm<Jvm>,
        model: &Assignment,
        questions: &[Question],
        after: Option<Asked>,
    ) -> Option<Vec<Option<Seen>>> {
        if questions.is_empty() {
            return Some(Vec::new());
        }
        vm.start_run(model.clone());
        self.before = Some(Before::default());
        let outcome = self.run(vm, after.is_some());
        self.before = None;
        vm.lang.worlds.script = None;
        let Ok(Outcome::Returned(result)) = outcome else { return None };
        let object = match after {
            Some(Asked::Returned) => vm.deref(result?).ok()?,
            _ => (self.on.bits != 0).then(|| self.on.as_obj())?,
        };
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

fn answered(questions: Vec<Question>, answers: Vec<Option<Seen>>, of: Asked) -> Vec<Answer> {
    let both = questions.into_iter().zip(answers);
    both.filter_map(|(question, seen)| Some(Answer { of, question, seen: seen? })).collect()
}

/// Whether there is something in an answer that a test can compare.
fn says(seen: &Seen) -> bool {
    match seen {
        Seen::Opaque(_) => false,
        Seen::Object { shown, .. } => !shown.is_empty(),
        _ => true,
    }
}

/// Whether it can be compared by asking once: getters of what is handed out would be read of one answer each.
fn says_at_once(seen: &Seen) -> bool {
    !matches!(seen, Seen::Object { .. }) && says(seen)
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
    let graph = Graph { jvm, names, above: Vec::new() };
    for Answer { of, question, seen } in &detail.answers {
        let (asked, declared) = match (of, &act.on) {
            (Asked::Called, Target::Instance(on)) => ((**on).clone(), declared_type(arrange, on)),
            (Asked::Returned, _) | (_, Target::New | Target::Below(_)) => {
                (Value::Result, act.returns.clone())
            }
            (Asked::Called, Target::Static) => continue,
        };
        let Type::Class { name, .. } = &declared else { continue };
        let Some(known) = jvm.loaded(&name.internal_name()) else { continue };
        let args: Option<Vec<Value>> =
            question.args.iter().map(|at| act.args.get(*at).filter(|v| is_simple(v)).cloned()).collect();
        let (Some(args), true) = (args, jvm.is_subclass(known, jvm.funcs[question.func].class)) else {
            continue;
        };
        let call = call_of(jvm, question.func, Target::Instance(Box::new(asked)), args);
        if !call.traits.throws_checked {
            let returns = call.returns.clone();
            let mut told = Vec::new();
            graph.assert_value(Value::call(call), &returns, seen, &mut told);
            if question.changes && told.len() > 1 {
                continue;
            }
            asserts.extend(told);
            // What answers is not null.
            if *of == Asked::Returned {
                asserts.retain(|assert| *assert != Assert::result(Check::NotNull));
            }
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
