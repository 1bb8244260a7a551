//! What stand-ins were told: `mailer.send(to, subject, body)` returns nothing, and that it was called so is all that a method
//! does; what `repository.save(order)` returns says nothing of what was saved. The stand-in keeps what it was given in a list, and
//! the test looks at that.

use std::collections::BTreeSet;

use ir::FuncId;
use jvm::input::{Event, FakeCall, Given, can_name};
use jvm::observe::Seen;
use jvm::world::Jvm;
use suite::case::{
    Assert, Call, Check, ClassName, FakeMethod, Records, Step, Subject, TestCase, Throws, Type, Value,
};
use vm::ObjId;

use super::arrange::Names;
use super::asserts::Graph;
use super::outcome::Proposed;
use super::subject::{Detail, End};
use super::told;
use super::value::value;

/// More calls than this are counted, not told one by one.
const MOST_CALLS: usize = 5;
/// So many objects that have no `equals` are looked into.
const MOST_INSIDE: usize = 2;

/// What a test says of what its stand-ins were told.
#[derive(Default)]
pub struct Recorded {
    pub told: Vec<Assert>,
    /// Of methods that were not called.
    pub not_told: Vec<Assert>,
}

/// Has the stand-ins of a test keep what methods were given that are told to do something, and says what that was; nothing, of
/// those that were not called. Which of these is worth saying shows when all tests are there, see [`leave_out_unrelated`].
pub fn record(jvm: &Jvm, detail: &Detail, arrange: &mut Vec<Step>, names: &mut Names) -> Recorded {
    let mut recorded = Recorded::default();
    // Where a mistake ends the call, what went before is not what the test is about.
    if let End::Threw { thrown, .. } = &detail.end
        && !thrown.is_some_and(|thrown| thrown.explicit)
    {
        return recorded;
    }
    for event in &detail.before.script {
        let Event::Faked { object, class, .. } = event else { continue };
        let Some((_, fake)) = jvm.worlds.fakes.get(class) else { continue };
        for (index, method) in fake.methods.iter().enumerate() {
            let own = |call: &&FakeCall| call.object == *object && call.method == index;
            let calls: Vec<&FakeCall> = detail.fakes.iter().filter(own).collect();
            let given: Option<Vec<&[Given]>> = calls.iter().map(|call| call.given.as_deref()).collect();
            let Some(given) = given else { continue };
            if told::is_told(jvm, method.func) {
                let (func, params) = (method.func, &method.params);
                let told = Told { jvm, object: *object, index, func, given, params };
                let asserts = match told.given.is_empty() {
                    true => &mut recorded.not_told,
                    false => &mut recorded.told,
                };
                told.record(arrange, names, asserts);
            }
        }
    }
    recorded
}

/// Leaves out that something was not called where no other test of the method shows it called.
pub fn leave_out_unrelated(tests: &mut [Proposed]) {
    let mut called: BTreeSet<(usize, String)> = BTreeSet::new();
    for test in tests.iter() {
        let kept = kept(&test.case).filter(|(list, _)| !is_said_empty(&test.case, list));
        called.extend(kept.map(|(_, what)| (test.method, what)));
    }
    for test in tests {
        let unrelated = kept(&test.case)
            .filter(|(list, what)| {
                is_said_empty(&test.case, list) && !called.contains(&(test.method, what.clone()))
            })
            .map(|(list, _)| list.clone());
        let unrelated: Vec<Value> = unrelated.collect();
        test.case.asserts.retain(|assert| !unrelated.iter().any(|list| is_about(assert, list)));
    }
}

/// The lists of a test, and which method of which type each is for.
fn kept(case: &TestCase) -> impl Iterator<Item = (&Value, String)> {
    let fakes = case.arrange.iter().filter_map(|step| match step {
        Step::Bind { value: Value::Fake { ty, methods, .. }, .. } => Some((ty, methods)),
        _ => None,
    });
    fakes.flat_map(|(ty, methods)| {
        let lists = methods.iter().filter_map(|method| Some((method, &method.records.as_ref()?.list)));
        lists.map(move |(method, list)| (list, format!("{ty:?} {} {:?}", method.of.method, method.params)))
    })
}

fn is_about(assert: &Assert, list: &Value) -> bool {
    matches!(&assert.subject, Subject::Value(value) if value.any(&mut |v| v == list))
}

fn is_said_empty(case: &TestCase, list: &Value) -> bool {
    let nothing = |check: &Check| match check {
        Check::Equals(Value::List(items)) => items.is_empty(),
        check => *check == Check::Equals(Value::Int(0)),
    };
    case.asserts.iter().filter(|assert| is_about(assert, list)).all(|assert| nothing(&assert.check))
}

/// The calls of one method of a stand-in.
struct Told<'a> {
    jvm: &'a Jvm,
    object: ObjId,
    index: usize,
    func: FuncId,
    given: Vec<&'a [Given]>,
    /// Names of the parameters as they are declared.
    params: &'a [String],
}

impl Told<'_> {
    fn record(&self, arrange: &mut Vec<Step>, names: &mut Names, asserts: &mut Vec<Assert>) {
        let Some(Value::Var(variable)) = names.get(self.object) else { return };
        let Some(at) =
            arrange.iter().position(|step| matches!(step, Step::Bind { name, .. } if *name == variable))
        else {
            return;
        };
        let Step::Bind { value: fake @ Value::Fake { .. }, .. } = &arrange[at] else { return };
        let in_lambda = !fake.is_class();
        let Value::Fake { methods, .. } = fake else { return };
        let Some(method) = methods.get(self.index) else { return };
        if method.throws != Throws::Never || method.runs.is_some() {
            return;
        }
        // Parameters of a method may be called like variables around it, unless it looks at those.
        let alone = in_lambda || method.result.is_some();
        let called = told::names(self.jvm, self.func, self.params, method);
        let called: Vec<String> =
            called.into_iter().map(|wish| if alone { free(names, wish) } else { wish }).collect();
        let written: Vec<Option<Vec<Value>>> =
            (0..method.params.len()).map(|param| self.written(param, names)).collect();
        let plain: Vec<usize> = (0..written.len()).filter(|param| written[*param].is_some()).collect();
        // What cannot be compared is kept for what it shows, if there is nothing else to keep.
        let kept: Vec<usize> = match plain.as_slice() {
            [] => (0..method.params.len()).take(1).collect(),
            plain => plain.to_vec(),
        };
        let elem = match kept.as_slice() {
            [] => None,
            [one] => Some(self.element(method, *one)),
            _ => Some(list_of(Type::object())),
        };
        let list = names.free(&format!("{}Calls", method.of.method));
        let params = kept.iter().map(|param| (*param, called[*param].clone())).collect();
        let records = Records { list: Value::var(&list), params };
        let ty = match &elem {
            Some(elem) => list_of(elem.clone()),
            None => Type::class(ClassName::new("java.util.concurrent.atomic", &["AtomicInteger"])),
        };
        let of = Value::var(&list);
        match (&elem, plain.is_empty()) {
            (None, _) => {
                let atomic = ClassName::new("java.util.concurrent.atomic", &["AtomicInteger"]);
                let get = Call::on_instance(of, atomic, "get", Vec::new(), Type::Int, Vec::new());
                asserts.push(Assert::that(Value::call(get), self.count()));
            }
            (Some(_), false) if self.given.len() <= MOST_CALLS => {
                let calls = (0..self.given.len()).map(|call| {
                    let mut values: Vec<Value> = plain
                        .iter()
                        .filter_map(|param| {
                            written[*param].as_ref().and_then(|values| values.get(call)).cloned()
                        })
                        .collect();
                    match (values.len(), values.pop()) {
                        (1, Some(only)) => only,
                        (_, last) => Value::List(values.into_iter().chain(last).collect()),
                    }
                });
                asserts.push(Assert::that(of, Check::Equals(Value::List(calls.collect()))));
            }
            (Some(elem), looked_into) => {
                let list = ClassName::new("java.util", &["List"]);
                let on_list = |method: &str, params: Vec<Type>, returns: &Type, args: Vec<Value>| {
                    let call =
                        Call::on_instance(of.clone(), list.clone(), method, params, returns.clone(), args);
                    Value::call(call)
                };
                let size = on_list("size", Vec::new(), &Type::Int, Vec::new());
                asserts.push(Assert::that(size, self.count()));
                let graph = Graph { jvm: self.jvm, names, above: Vec::new() };
                for (i, call) in self.given.iter().enumerate().take(MOST_INSIDE).filter(|_| looked_into) {
                    let Some(given) = kept.first().and_then(|param| call.get(*param)) else { continue };
                    let at = on_list("get", vec![Type::Int], elem, vec![Value::Int(i as i32)]);
                    graph.assert_value(at, elem, &given.seen, asserts);
                }
            }
        }
        if let Step::Bind { value: Value::Fake { methods, .. }, .. } = &mut arrange[at]
            && let Some(method) = methods.get_mut(self.index)
        {
            method.records = Some(records);
        }
        let made = match &ty {
            Type::Class { name, .. } if elem.is_none() => name.clone(),
            _ => ClassName::new("java.util", &["ArrayList"]),
        };
        let mut made = Call::constructor(made, Vec::new(), Vec::new());
        made.traits.generic_class = elem.is_some();
        arrange.insert(at, Step::Bind { name: list, ty, value: Value::call(made) });
    }

    fn count(&self) -> Check {
        Check::Equals(Value::Int(i32::try_from(self.given.len()).unwrap_or(i32::MAX)))
    }

    /// What a parameter was in each call, as a list of it is compared; none if that cannot be.
    fn written(&self, param: usize, names: &Names) -> Option<Vec<Value>> {
        let one = |given: &&[Given]| {
            let given = given.get(param).filter(|given| given.equal)?;
            let value = value(self.jvm, &given.seen, names)?;
            let is_primitive = matches!(
                given.seen,
                Seen::Bool(_)
                    | Seen::Byte(_)
                    | Seen::Short(_)
                    | Seen::Char(_)
                    | Seen::Int(_)
                    | Seen::Long(_)
                    | Seen::Float(_)
                    | Seen::Double(_)
            );
            let holds_arrays = value.any(&mut |v| matches!(v, Value::Array { .. }));
            (!holds_arrays).then(|| if is_primitive { Value::boxed(value) } else { value })
        };
        self.given.iter().map(one).collect()
    }

    /// The type of a list's elements that holds what a parameter was.
    fn element(&self, method: &FakeMethod, param: usize) -> Type {
        let Some(ty) = method.params.get(param).filter(|_| method.open.is_none()) else {
            return Type::object();
        };
        let nameable = |name: &ClassName| {
            self.jvm.loaded(&name.internal_name()).is_none_or(|class| can_name(self.jvm, class))
        };
        match ty {
            Type::Class { name, .. } if !nameable(name) => Type::object(),
            // Where the declaration has wildcards, the argument is of some type that nothing else is known of.
            Type::Class { name, .. } if !method.exact => Type::class(name.clone()),
            ty => ty.boxed(),
        }
    }
}

/// A name that no variable of the test has.
fn free(names: &Names, wish: String) -> String {
    if names.is_free(&wish) { wish } else { format!("given{}", suite::explain::capitalised(&wish)) }
}

fn list_of(elem: Type) -> Type {
    Type::Class { name: ClassName::new("java.util", &["List"]), args: vec![elem] }
}
