//! From a case as it was found to the case as a person would write it: no dead variables, values inlined where
//! they are used once, receivers named, names that Java allows.

use std::collections::{BTreeMap, BTreeSet};

use suite::case::{Assert, Call, Check, Outcome, Step, Subject, Target, TestCase, Type, Value};

use super::names::{identifier, variable_for};

/// A value that is longer than this keeps its variable even if it is used once.
const MAX_INLINE: usize = 48;

/// Names that the surrounding code uses itself.
const TAKEN: [&str; 7] =
    ["result", "thrown", "probe", "capturedOut", "capturedErr", "standardOut", "standardErr"];

pub fn plan(case: &TestCase) -> TestCase {
    // An anonymous class is no expression that anybody reads inside a call, nor are several statements.
    plan_with(case, &|value| value.is_class() || value.is_block())
}

/// The same where a language knows other values that want a variable.
pub fn plan_with(case: &TestCase, wants_variable: &dyn Fn(&Value) -> bool) -> TestCase {
    let mut case = case.clone();
    forget_unread(&mut case);
    rename(&mut case);
    name_objects(&mut case);
    inline(&mut case, wants_variable);
    case
}

/// Stand-ins keep nothing that no assert looks at: asserts are left out where they do not hold everywhere.
fn forget_unread(case: &mut TestCase) {
    let asserts = std::mem::take(&mut case.asserts);
    let is_read = |list: &Value| {
        let mut read = false;
        asserts.iter().for_each(|assert| for_assert(assert, &mut |v| read |= v.any(&mut |v| v == list)));
        read
    };
    for step in &mut case.arrange {
        if let Step::Bind { value: Value::Fake { methods, .. }, .. } = step {
            for method in methods {
                method.records = method.records.take().filter(|records| is_read(&records.list));
            }
        }
    }
    case.asserts = asserts;
}

/// Only the names put right.
pub fn renamed(case: &TestCase) -> TestCase {
    let mut case = case.clone();
    rename(&mut case);
    case
}

/// Makes every variable an identifier of its own.
fn rename(case: &mut TestCase) {
    let mut taken: BTreeSet<String> = TAKEN.iter().map(|s| (*s).to_owned()).collect();
    let mut renamed: BTreeMap<String, Value> = BTreeMap::new();
    for step in &case.arrange {
        if let Step::Bind { name, .. } = step {
            let fresh = fresh(&identifier(name), &taken);
            if fresh != *name {
                renamed.insert(name.clone(), Value::Var(fresh.clone()));
            }
            taken.insert(fresh);
        }
    }
    if renamed.is_empty() {
        return;
    }
    for step in &mut case.arrange {
        if let Step::Bind { name, .. } = step
            && let Some(Value::Var(fresh)) = renamed.get(name)
        {
            name.clone_from(fresh);
        }
    }
    each_value(case, &mut |value| substitute(value, &renamed));
}

fn fresh(wish: &str, taken: &BTreeSet<String>) -> String {
    let mut name = wish.to_owned();
    let mut n = 2u64;
    while taken.contains(&name) {
        name = format!("{wish}{n}");
        n += 1;
    }
    name
}

/// An object that the act is called on gets a variable: the test then reads as arrange, act, assert. So do objects
/// that are passed to an act that throws: an exception of their making must not pass for one of the act.
fn name_objects(case: &mut TestCase) {
    let mut taken: BTreeSet<String> = case
        .arrange
        .iter()
        .filter_map(|step| match step {
            Step::Bind { name, .. } => Some(name.clone()),
            Step::Do(_) | Step::Set { .. } => None,
        })
        .chain(TAKEN.iter().map(|s| (*s).to_owned()))
        .collect();
    let throws = matches!(case.outcome, Outcome::Throws { .. });
    let receiver = match &mut case.act.on {
        Target::Instance(receiver) => Some(&mut **receiver),
        Target::Static | Target::New | Target::Below(_) => None,
    };
    let args = case.act.args.iter_mut().filter(|_| throws).map(|arg| (arg, false));
    let objects = receiver.into_iter().map(|receiver| (receiver, true)).chain(args);
    for (value, is_receiver) in objects {
        let ty = match &*value {
            Value::Call(call) => call.returns.clone(),
            // Nothing can be called on a lambda before it has a type.
            Value::Fake { ty, .. } if is_receiver => ty.clone(),
            _ => continue,
        };
        let wish = match &ty {
            Type::Class { name, .. } => variable_for(name),
            _ => "value".to_owned(),
        };
        let name = fresh(&wish, &taken);
        taken.insert(name.clone());
        let value = std::mem::replace(value, Value::Var(name.clone()));
        case.arrange.push(Step::Bind { name, ty, value });
    }
}

/// Has some values stand where the variables stood that hold them.
pub fn replace_variables(case: &mut TestCase, which: &dyn Fn(&Value) -> bool) {
    let mut map: BTreeMap<String, Value> = BTreeMap::new();
    case.arrange.retain(|step| match step {
        Step::Bind { name, value, .. } if which(value) => map.insert(name.clone(), value.clone()).is_some(),
        _ => true,
    });
    if !map.is_empty() {
        each_value(case, &mut |value| substitute(value, &map));
    }
}

fn inline(case: &mut TestCase, wants_variable: &dyn Fn(&Value) -> bool) {
    // Without what nobody uses, what it was made of may be used by nobody.
    let mut steps = usize::MAX;
    while case.arrange.len() < steps {
        steps = case.arrange.len();
        inline_once(case, wants_variable);
    }
}

fn inline_once(case: &mut TestCase, wants_variable: &dyn Fn(&Value) -> bool) {
    let mut at = 0;
    while let Some(step) = case.arrange.get(at) {
        let Step::Bind { name, value, .. } = step else {
            at += 1;
            continue;
        };
        let (name, value) = (name.clone(), value.clone());
        let uses = uses(case, &name);
        let pure = !value.any(&mut |v| matches!(v, Value::Call(_) | Value::Field { .. }));
        let pure = pure && !wants_variable(&value);
        let is_receiver = matches!(&case.act.on, Target::Instance(v) if **v == Value::Var(name.clone()));
        if uses == 0 && (pure || only_makes(&value)) {
            case.arrange.remove(at);
        } else if uses == 0
            && let Value::Call(call) = value
        {
            case.arrange[at] = Step::Do(*call);
            at += 1;
        } else if uses == 1
            && pure
            && !(is_receiver && matches!(value, Value::Null | Value::Fake { .. }))
            && size(&value) <= MAX_INLINE
        {
            case.arrange.remove(at);
            let map = BTreeMap::from([(name, value)]);
            each_value(case, &mut |v| substitute(v, &map));
        } else if uses == 1 && is_factory(&value) && opens_chain(case.arrange.get(at + 1), &name) {
            case.arrange.remove(at);
            let map = BTreeMap::from([(name, value)]);
            each_value(case, &mut |v| substitute(v, &map));
        } else {
            at += 1;
        }
    }
}

fn is_factory(value: &Value) -> bool {
    matches!(value, Value::Call(call) if call.on == Target::Static)
}

/// Whether a step makes an object by a call on the one of this name, as in `Line.parse("x").get()`.
fn opens_chain(step: Option<&Step>, name: &str) -> bool {
    let Some(Step::Bind { value: Value::Call(call), .. }) = step else { return false };
    matches!(&call.on, Target::Instance(on) if matches!(&**on, Value::Var(of) if of == name))
}

/// Whether a value does nothing but make an object: what nobody uses need not be made.
fn only_makes(value: &Value) -> bool {
    !value.any(&mut |v| match v {
        Value::Call(call) => match call.on {
            Target::New | Target::Below(_) => false,
            Target::Static => !call.class.package.starts_with("java."),
            Target::Instance(_) => true,
        },
        _ => false,
    })
}

/// Roughly the width of the expression.
fn size(value: &Value) -> usize {
    match value {
        Value::Str(text) => text.0.len() + 2,
        Value::Array { items, .. } => 12 + items.iter().map(|v| size(v) + 2).sum::<usize>(),
        Value::Enum { class, constant } => class.simple_name().len() + constant.len() + 1,
        Value::Long(_) | Value::Double(_) | Value::Float(_) => 8,
        other => 4 + other.children().into_iter().map(|v| size(v) + 2).sum::<usize>(),
    }
}

fn uses(case: &TestCase, name: &str) -> usize {
    let mut count = 0;
    // `any` never finds: it is used to visit.
    let mut visit = |v: &Value| {
        if matches!(v, Value::Var(n) if n == name) {
            count += 1;
        }
        false
    };
    for_values(case, &mut |v| {
        v.any(&mut visit);
    });
    count
}

/// How often the asserts look at the result.
pub fn result_uses(case: &TestCase) -> usize {
    let mut count = 0;
    for assert in &case.asserts {
        for_assert(assert, &mut |v| {
            v.any(&mut |v| {
                count += usize::from(*v == Value::Result);
                false
            });
        });
    }
    count
}

/// Every value at the top of some place: initialisers, receivers, arguments, subjects, expectations.
pub fn for_values(case: &TestCase, f: &mut impl FnMut(&Value)) {
    for step in &case.arrange {
        match step {
            Step::Bind { value, .. } => f(value),
            Step::Do(call) => call.operands().for_each(&mut *f),
            Step::Set { of, value, .. } => {
                f(of);
                f(value);
            }
        }
    }
    case.act.operands().for_each(&mut *f);
    for assert in &case.asserts {
        for_assert(assert, f);
    }
}

fn for_assert(assert: &Assert, f: &mut impl FnMut(&Value)) {
    if let Subject::Value(value) = &assert.subject {
        f(value);
    }
    match &assert.check {
        Check::Equals(v)
        | Check::Within { expected: v, .. }
        | Check::Iterates(v)
        | Check::Same(v)
        | Check::NotSame(v) => f(v),
        Check::Null | Check::NotNull | Check::InstanceOf(_) => {}
    }
}

/// Every call of the case, the act included.
pub fn for_calls(case: &TestCase, f: &mut impl FnMut(&Call)) {
    for step in &case.arrange {
        if let Step::Do(call) = step {
            f(call);
        }
    }
    f(&case.act);
    for_values(case, &mut |value| {
        value.any(&mut |v| {
            if let Value::Call(call) = v {
                f(call);
            }
            false
        });
    });
}

fn each_value(case: &mut TestCase, f: &mut impl FnMut(&mut Value)) {
    for step in &mut case.arrange {
        match step {
            Step::Bind { value, .. } => f(value),
            Step::Do(call) => each_operand(call, f),
            Step::Set { of, value, .. } => {
                f(of);
                f(value);
            }
        }
    }
    each_operand(&mut case.act, f);
    for assert in &mut case.asserts {
        if let Subject::Value(value) = &mut assert.subject {
            f(value);
        }
        match &mut assert.check {
            Check::Equals(v)
            | Check::Within { expected: v, .. }
            | Check::Iterates(v)
            | Check::Same(v)
            | Check::NotSame(v) => f(v),
            Check::Null | Check::NotNull | Check::InstanceOf(_) => {}
        }
    }
}

fn each_operand(call: &mut Call, f: &mut impl FnMut(&mut Value)) {
    match &mut call.on {
        Target::Instance(receiver) => f(receiver),
        Target::Below(methods) => methods.iter_mut().flat_map(|method| method.values_mut()).for_each(&mut *f),
        Target::Static | Target::New => {}
    }
    call.args.iter_mut().for_each(f);
}

/// Replaces variables, everywhere inside `value`.
fn substitute(value: &mut Value, map: &BTreeMap<String, Value>) {
    match value {
        Value::Var(name) => {
            if let Some(replacement) = map.get(name) {
                *value = replacement.clone();
            }
        }
        Value::Boxed(inner) | Value::Cast { of: inner, .. } => substitute(inner, map),
        Value::Array { items, .. } | Value::List(items) | Value::Set(items) => {
            items.iter_mut().for_each(|v| substitute(v, map));
        }
        Value::Map(entries) => entries.iter_mut().for_each(|(k, v)| {
            substitute(k, map);
            substitute(v, map);
        }),
        Value::Optional(Some(inner)) => substitute(inner, map),
        Value::Call(call) => each_operand(call, &mut |v| substitute(v, map)),
        Value::Field { of: Some(of), .. } => substitute(of, map),
        Value::Fake { constructor, methods, .. } => {
            if let Some(call) = constructor {
                each_operand(call, &mut |v| substitute(v, map));
            }
            methods.iter_mut().flat_map(|m| m.values_mut()).for_each(|v| substitute(v, map));
        }
        Value::Optional(None)
        | Value::Field { of: None, .. }
        | Value::Null
        | Value::Bool(_)
        | Value::Byte(_)
        | Value::Short(_)
        | Value::Char(_)
        | Value::Int(_)
        | Value::Long(_)
        | Value::Float(_)
        | Value::Double(_)
        | Value::Str(_)
        | Value::Enum { .. }
        | Value::Class(_)
        | Value::Result => {}
    }
}

#[cfg(test)]
mod tests {
    use suite::case::{ClassName, FakeMethod, Records};

    use super::*;

    fn calc() -> ClassName {
        ClassName::new("p", &["Calc"])
    }

    #[test]
    fn single_uses_are_inlined_and_dead_variables_vanish() {
        let act = Call::on_class(calc(), "f", vec![Type::Int], Type::Int, vec![Value::var("x")]);
        let case = TestCase::returns("t", act, Value::Int(0))
            .binding("dead", Type::Int, Value::Int(9))
            .binding("x", Type::Int, Value::Int(1));
        let planned = plan(&case);
        assert!(planned.arrange.is_empty());
        assert_eq!(planned.act.args, [Value::Int(1)]);
    }

    #[test]
    fn what_is_looked_at_afterwards_keeps_its_variable() {
        let ints = Value::Array { elem: Type::Int, items: vec![Value::Int(1)] };
        let act =
            Call::on_class(calc(), "f", vec![Type::array(Type::Int)], Type::Void, vec![Value::var("a")]);
        let case = TestCase::new("t", act, Outcome::Returns)
            .binding("a", Type::array(Type::Int), ints.clone())
            .asserting(Assert::that(Value::var("a"), Check::Equals(ints)));
        assert_eq!(plan(&case), case);
    }

    #[test]
    fn what_a_stand_in_keeps_for_nobody_is_not_kept() {
        let class = ClassName::new("p", &["Mailer"]);
        let records = Records { list: Value::var("sendCalls"), params: vec![(0, "to".to_string())] };
        let method = FakeMethod {
            of: Call::on_class(class.clone(), "send", vec![Type::string()], Type::Void, vec![]),
            params: vec![Type::string()],
            returns: Type::Void,
            open: None,
            result: None,
            called: true,
            exceptions: vec![],
            throws: suite::case::Throws::Never,
            runs: None,
            records: Some(records),
            exact: true,
        };
        let ty = Type::class(class);
        let fake = Value::Fake { ty: ty.clone(), constructor: None, methods: vec![method] };
        let list = ClassName::new("java.util", &["ArrayList"]);
        let made = Value::call(Call::constructor(list.clone(), vec![], vec![]));
        let act = Call::on_class(calc(), "f", vec![ty.clone()], Type::Void, vec![Value::var("mailer")]);
        let case = TestCase::new("t", act, Outcome::Returns)
            .binding("sendCalls", Type::class(list), made)
            .binding("mailer", ty, fake);
        assert!(plan(&case).arrange.is_empty());
        let expected = Check::Equals(Value::List(vec![Value::str("a")]));
        let read = case.asserting(Assert::that(Value::var("sendCalls"), expected));
        assert_eq!(plan(&read).arrange.len(), 1);
        assert!(
            matches!(&plan(&read).act.args[..], [Value::Fake { methods, .. }] if methods[0].records.is_some())
        );
    }

    #[test]
    fn receivers_get_a_variable_and_keywords_are_no_names() {
        let make = Value::call(Call::constructor(calc(), vec![], vec![]));
        let act = Call::on_instance(make.clone(), calc(), "f", vec![], Type::Int, vec![]);
        let planned = plan(&TestCase::returns("t", act, Value::Int(0)));
        assert!(matches!(&planned.arrange[..], [Step::Bind { name, .. }] if name == "calc"));
        let act = Call::on_instance(Value::var("new"), calc(), "f", vec![], Type::Int, vec![]);
        let case = TestCase::returns("t", act, Value::Int(0)).binding("new", Type::class(calc()), make);
        let planned = plan(&case);
        assert!(matches!(&planned.arrange[..], [Step::Bind { name, .. }] if name == "new_"));
        assert_eq!(planned.act.on, Target::Instance(Box::new(Value::var("new_"))));
    }
}
