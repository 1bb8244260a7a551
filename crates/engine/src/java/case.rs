//! A finished run as a test case: arrange, act, assert.

use std::sync::Arc;

use explore::Finished;
use ir::FuncId;
use jvm::load::{Method, access};
use jvm::observe::Seen;
use jvm::world::Jvm;
use ledger::{Kind as Imprecision, Ledger};
use suite::case::{Assert, Call, Check, Outcome, Step, Target, TestCase, Text, Traits, Type, Value};
use suite::explain::{Fact, fact};
use suite::name::test_name;
use vm::{ElemKind, Vm};

use super::arrange::{self, Names};
use super::spelling::JavaSpelling;
use super::subject::{Detail, End, Look, Param, Stage, Subject};
use super::value::{class_name, field_type, nameable, value};

/// Why a run cannot be a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoCase(pub String);

/// Makes the test case of a run; `facts` say under which conditions it is one.
pub fn case(
    jvm: &Jvm,
    subject: &Subject,
    detail: &Detail,
    facts: &[Fact],
    ledger: &Ledger,
) -> Result<TestCase, NoCase> {
    if detail.stage != Stage::Call {
        return Err(NoCase("the inputs could not be made".to_string()));
    }
    let taken: Vec<String> = ["result", "thrown"].into_iter().map(String::from).collect();
    let mut names = Names::new(taken);
    let mut arrange = arrange::steps(jvm, &detail.before.script, &detail.fakes, &mut names)?;
    let args = arrange::values(jvm, &detail.before.args, &names)?;
    let args = bind_arrays(&mut arrange, &subject.params, args, detail);
    let on = match &detail.before.receiver {
        Some(receiver) => Target::Instance(Box::new(arrange::written(jvm, receiver, &names)?)),
        None if &*jvm.funcs[subject.func].name == "<init>" => Target::New,
        None => Target::Static,
    };
    let act = call_of(jvm, subject.func, on, args);
    let (outcome, asserts) = outcome(jvm, detail, &act, &arrange, &names, ledger)?;
    let result = asserts.iter().find_map(|a| match (&a.subject, &a.check) {
        (
            suite::case::Subject::Value(Value::Result),
            Check::Equals(v) | Check::Within { expected: v, .. },
        ) => Some(v),
        (suite::case::Subject::Value(Value::Result), Check::Null) => Some(&Value::Null),
        _ => None,
    });
    let base = match &*jvm.funcs[subject.func].name {
        "<init>" => format!("new{}", class_name(jvm, subject.class).simple_name()),
        name => name.to_string(),
    };
    let name = test_name(&base, facts, &outcome, result);
    let comment = comment(facts, &outcome, result);
    Ok(TestCase { name, comment, arrange, act, outcome, asserts, suspect: None, covers: Vec::new() })
}

/// So many conditions of a path are looked at for what to say of it.
const FACTS_OF: usize = 2000;

/// The conditions that a run decided on, in order, each once.
pub fn facts(vm: &mut Vm<Jvm>, finished: &Finished<Stage>, spelling: &JavaSpelling) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    // Whether a setter is called shows in the test; conditions speak of what it sets.
    let set: Vec<_> = (0..vm.pool.var_count() as u32).map(term::VarId).collect();
    let set: Vec<_> = set.into_iter().filter(|var| vm.pool.var_name(*var).ends_with(".set")).collect();
    let with = set
        .into_iter()
        .map(|var| {
            let called = finished.model.get(var).is_some_and(|value| value.bits() != 0);
            (var, vm.pool.bool(called))
        })
        .collect();
    // Of a long path the beginning says enough.
    let first = &finished.condition[..finished.condition.len().min(FACTS_OF)];
    let conditions = vm.pool.substitute(first, &with);
    for (step, condition) in finished.path.iter().zip(&conditions) {
        let shown = matches!(step.kind, ElemKind::Branch | ElemKind::Check(_) | ElemKind::Which);
        // What constructors asked of their arguments is seen where the test calls them.
        if step.input || !shown || vm.pool.as_bool(*condition) == Some(true) {
            continue;
        }
        let tracked = vm.lang.funcs.get(step.site.func).is_some_and(|f| f.tracked);
        if let Some(fact) = fact(&vm.pool, *condition, spelling)
            && !facts.contains(&fact)
        {
            // Of what the library decided, only sizes say something about the source (`s.isEmpty()`).
            if step.kind == ElemKind::Which && !fact.text.ends_with(" null") {
                continue;
            }
            let about_size = fact.word.is_some() && fact.text.contains(".length") && is_small(&fact.text);
            if tracked || about_size && facts.len() < LIBRARY_FACTS {
                facts.push(fact);
            }
        }
    }
    facts
}

/// Whether a condition speaks of small numbers only: others are the library's own (where it sorts in another way).
fn is_small(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit())
        .all(|number| number.len() < 2 || number <= "16" && number.len() == 2)
}

/// Beyond so many conditions, the library's are left out.
const LIBRARY_FACTS: usize = 6;

const COMMENT_WIDTH: usize = 100;

/// `b == 0: throws ArithmeticException`.
fn comment(facts: &[Fact], outcome: &Outcome, result: Option<&Value>) -> Vec<String> {
    let end = match outcome {
        Outcome::Throws { class, .. } => format!("throws {}", class.simple_name()),
        Outcome::Endless { .. } => "does not end".to_string(),
        Outcome::Returns => match result {
            Some(Value::Bool(b)) => format!("returns {b}"),
            Some(Value::Null) => "returns null".to_string(),
            Some(Value::Int(i)) => format!("returns {i}"),
            Some(Value::Long(i)) => format!("returns {i}"),
            Some(Value::Double(bits)) => format!("returns {:?}", f64::from_bits(*bits)),
            Some(Value::Str(text)) if text.quotable().is_some() => {
                format!("returns \"{}\"", text.quotable().unwrap_or_default())
            }
            Some(Value::Enum { constant, .. }) => format!("returns {constant}"),
            Some(_) => "returns a value".to_string(),
            None => "returns".to_string(),
        },
    };
    // The last conditions set the path apart; what does not fit is left out from the front.
    let mut shown: Vec<&str> = Vec::new();
    let mut width = end.len();
    for fact in facts.iter().rev() {
        width += fact.text.len() + 2;
        if width > COMMENT_WIDTH {
            shown.push("…");
            break;
        }
        shown.push(&fact.text);
    }
    shown.reverse();
    if shown.is_empty() {
        return vec![capital(&end)];
    }
    vec![format!("{}: {end}", shown.join(", "))]
}

fn capital(text: &str) -> String {
    suite::explain::capitalised(text)
}

/// Binds arrays to variables that the call changes, so that they can be looked at after it, and those that are more
/// than one argument.
fn bind_arrays(arrange: &mut Vec<Step>, params: &[Param], args: Vec<Value>, detail: &Detail) -> Vec<Value> {
    let mut bound: Vec<Value> = Vec::new();
    for (i, arg) in args.into_iter().enumerate() {
        if let Some((_, first)) = detail.before.same.iter().find(|(other, _)| *other == i) {
            bound.push(bound[*first].clone());
            continue;
        }
        let changed = detail.args_after.get(i).is_some_and(|after| *after != detail.before.args[i]);
        let shared = detail.before.same.iter().any(|(_, first)| *first == i);
        if !matches!(arg, Value::Array { .. }) || !(changed || shared) {
            bound.push(arg);
            continue;
        }
        let name = params[i].name.clone();
        arrange.push(Step::Bind { name: name.clone(), ty: field_type(&params[i].ty), value: arg });
        bound.push(Value::var(name));
    }
    bound
}

pub fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "abstract"
            | "assert"
            | "boolean"
            | "break"
            | "byte"
            | "case"
            | "catch"
            | "char"
            | "class"
            | "const"
            | "continue"
            | "default"
            | "do"
            | "double"
            | "else"
            | "enum"
            | "extends"
            | "final"
            | "finally"
            | "float"
            | "for"
            | "goto"
            | "if"
            | "implements"
            | "import"
            | "instanceof"
            | "int"
            | "interface"
            | "long"
            | "native"
            | "new"
            | "package"
            | "private"
            | "protected"
            | "public"
            | "return"
            | "short"
            | "static"
            | "strictfp"
            | "super"
            | "switch"
            | "synchronized"
            | "this"
            | "throw"
            | "throws"
            | "transient"
            | "try"
            | "void"
            | "volatile"
            | "while"
            | "true"
            | "false"
            | "null"
            | "_"
    )
}

/// A call of a method or constructor.
pub fn call_of(jvm: &Jvm, func: FuncId, on: Target, args: Vec<Value>) -> Call {
    let method = &jvm.funcs[func];
    let class = class_name(jvm, method.class);
    let is_new = on == Target::New;
    let returns = match (&method.signature.ty.ret, is_new) {
        (_, true) => Type::class(class.clone()),
        (Some(ty), false) => field_type(ty),
        (None, false) => Type::Void,
    };
    Call {
        on,
        class,
        method: if is_new { String::new() } else { method.name.to_string() },
        params: arrange::parameter_types(jvm, func),
        returns,
        args,
        traits: traits(jvm, func),
    }
}

/// What the spelling of a call depends on.
pub fn traits(jvm: &Jvm, func: FuncId) -> Traits {
    let method = &jvm.funcs[func];
    let class = &jvm.classes[method.class];
    let file = class.file.as_deref();
    let declared: Option<&Method> = file.and_then(|f| f.method(&method.name, &method.descriptor));
    let same_name = class.functions().filter(|f| jvm.funcs[*f].name == method.name).count();
    let signature = declared.and_then(|m| m.signature.clone());
    Traits {
        varargs: method.access & access::VARARGS != 0,
        overloaded: same_name > 1,
        throws_checked: declared.is_some_and(|m| m.exceptions.iter().any(|name| is_checked(jvm, name))),
        returns_type_variable: signature
            .is_some_and(|s: Arc<str>| s.rsplit(')').next().is_some_and(|r| r.starts_with('T'))),
        inner: &*method.name == "<init>" && jvm::input::is_inner(jvm, method.class),
        generic_class: file.and_then(|f| f.signature.clone()).is_some_and(|s| s.starts_with('<')),
    }
}

/// Whether an exception must be declared; one that is not loaded is taken to be.
fn is_checked(jvm: &Jvm, name: &str) -> bool {
    let Some(class) = jvm.loaded(name) else { return true };
    !["java/lang/RuntimeException", "java/lang/Error"]
        .iter()
        .any(|base| jvm.loaded(base).is_some_and(|base| jvm.is_subclass(class, base)))
}

/// How the act ended, and what is asserted of it.
fn outcome(
    jvm: &Jvm,
    detail: &Detail,
    act: &Call,
    arrange: &[Step],
    names: &Names,
    ledger: &Ledger,
) -> Result<(Outcome, Vec<Assert>), NoCase> {
    let mut asserts = Vec::new();
    let outcome = match &detail.end {
        End::Stopped(_) if detail.runs_on => return Ok((Outcome::Endless { disabled: false }, asserts)),
        End::Stopped(stop) => return Err(NoCase(format!("the run did not end by itself: {stop:?}"))),
        End::Threw { class, message, thrown, .. } => {
            // Messages of the JDK and the VM change between versions; the program's own are its behaviour.
            let own = thrown.is_some_and(|t| {
                t.explicit && jvm.funcs.get(t.site.func).is_some_and(|f| is_user(jvm, f.class))
            });
            let message = message.clone().filter(|_| own).map(Text);
            Outcome::Throws { class: nameable(jvm, *class), message }
        }
        End::Returned(result) => {
            if let Some(result) = result {
                assert_result(jvm, result, act, names, ledger, &mut asserts);
            } else if let Some(Seen::Object { getters, .. }) = &detail.made {
                assert_getters(jvm, (&Value::Result, &act.returns), getters, None, names, &mut asserts);
            }
            Outcome::Returns
        }
    };
    assert_arguments(jvm, detail, act, names, &mut asserts);
    for look in &detail.looks {
        assert_changes(jvm, look, arrange, names, &mut asserts);
    }
    for (bytes, assert) in
        [(&detail.stdout, Assert::stdout as fn(String) -> Assert), (&detail.stderr, Assert::stderr)]
    {
        if !bytes.is_empty()
            && let Ok(text) = String::from_utf8(bytes.clone())
        {
            asserts.push(assert(text));
        }
    }
    Ok((outcome, asserts))
}

fn is_user(jvm: &Jvm, class: ir::ClassId) -> bool {
    jvm.classes[class].origin != jvm::link::ClassOrigin::Library
}

fn assert_result(
    jvm: &Jvm,
    result: &Seen,
    act: &Call,
    names: &Names,
    ledger: &Ledger,
    asserts: &mut Vec<Assert>,
) {
    let check = match result {
        Seen::Null => Check::Null,
        // An object that the call was given, the receiver of a fluent method among them.
        Seen::Input(object) => match names.get(*object) {
            Some(variable) => Check::Same(variable),
            None => Check::NotNull,
        },
        Seen::Object { getters, .. } => {
            let before = asserts.len();
            assert_getters(jvm, (&Value::Result, &act.returns), getters, None, names, asserts);
            if asserts.len() > before {
                return;
            }
            Check::NotNull
        }
        seen => match value(jvm, seen, names) {
            Some(expected) => {
                let inexact = ledger.iter().any(|(entry, _)| entry.kind == Imprecision::InexactMath);
                match expected {
                    Value::Float(_) | Value::Double(_) if inexact => Check::Within { expected, ulps: 1 },
                    expected => return assert_equal(Value::Result, &act.returns, expected, asserts),
                }
            }
            None => Check::NotNull,
        },
    };
    asserts.push(Assert::result(check));
}

/// That something is equal to a value. Arrays are equal to nothing but themselves: a list of them is looked at one by
/// one, other collections of them not at all.
fn assert_equal(of: Value, ty: &Type, expected: Value, asserts: &mut Vec<Assert>) {
    let holds_arrays = |value: &Value| {
        value.children().into_iter().any(|v| v.any(&mut |v| matches!(v, Value::Array { .. })))
    };
    if matches!(expected, Value::Array { .. }) || !holds_arrays(&expected) {
        asserts.push(Assert::that(of, Check::Equals(expected)));
        return;
    }
    let list = suite::case::ClassName::new("java.util", &["List"]);
    let is_list = matches!(ty, Type::Class { name, .. } if *name == list);
    let (Value::List(items), true) = (expected, is_list) else {
        asserts.push(Assert::that(of, Check::NotNull));
        return;
    };
    let call = |name: &str, params: Vec<Type>, returns: Type, args: Vec<Value>| {
        Value::call(Call::on_instance(of.clone(), list.clone(), name, params, returns, args))
    };
    let size = call("size", Vec::new(), Type::Int, Vec::new());
    asserts.push(Assert::that(size, Check::Equals(Value::Int(items.len() as i32))));
    for (i, item) in items.into_iter().enumerate() {
        let at = call("get", vec![Type::Int], Type::object(), vec![Value::Int(i as i32)]);
        match item {
            Value::Null => asserts.push(Assert::that(at, Check::Null)),
            item => assert_equal(at, &Type::object(), item, asserts),
        }
    }
}

/// What an object that the call was given shows otherwise than before.
fn assert_changes(jvm: &Jvm, look: &Look, arrange: &[Step], names: &Names, asserts: &mut Vec<Assert>) {
    let Some(variable) = names.get(look.object) else { return };
    let declared = arrange.iter().find_map(|step| match step {
        Step::Bind { name, ty, .. } if Value::var(name) == variable => Some(ty.clone()),
        _ => None,
    });
    let declared = declared.unwrap_or_else(Type::object);
    match (&look.before, &look.after) {
        (Seen::Object { getters: before, .. }, Seen::Object { getters: after, .. }) => {
            assert_getters(jvm, (&variable, &declared), after, Some(before), names, asserts);
        }
        (before, after) if before != after => {
            if let Some(expected) = value(jvm, after, names) {
                assert_equal(variable, &declared, expected, asserts);
            }
        }
        _ => {}
    }
}

/// Getters of an object, all of them or those that changed, as far as the type that the test knows it by has them.
fn assert_getters(
    jvm: &Jvm,
    (of, declared): (&Value, &Type),
    getters: &[(FuncId, Seen)],
    before: Option<&[(FuncId, Seen)]>,
    names: &Names,
    asserts: &mut Vec<Assert>,
) {
    for (func, seen) in getters {
        let unchanged = before.is_some_and(|b| b.iter().any(|(f, s)| f == func && s == seen));
        let Some(expected) = value(jvm, seen, names).filter(|_| !unchanged) else { continue };
        let Some(func) = declared_getter(jvm, declared, *func) else { continue };
        let getter = call_of(jvm, func, Target::Instance(Box::new(of.clone())), Vec::new());
        if getter.traits.throws_checked {
            continue;
        }
        let check = match (expected, seen) {
            (Value::Null, _) => Check::Null,
            (expected, Seen::Input(_)) => Check::Same(expected),
            (expected, _) => {
                let returns = getter.returns.clone();
                assert_equal(Value::call(getter), &returns, expected, asserts);
                continue;
            }
        };
        asserts.push(Assert::that(Value::call(getter), check));
    }
}

/// A getter as a type declares or inherits it; none if it does not.
fn declared_getter(jvm: &Jvm, declared: &Type, getter: FuncId) -> Option<FuncId> {
    let Type::Class { name, .. } = declared else { return None };
    let class = jvm.loaded(&name.internal_name())?;
    let wanted = &jvm.funcs[getter];
    if jvm.is_subclass(class, wanted.class) {
        return Some(getter);
    }
    let owner = &jvm.classes[class];
    let object = jvm.classes[jvm.known.object].functions();
    let inherited = owner.ancestors.iter().rev().chain(owner.all_interfaces.iter());
    let all = inherited.flat_map(|up| jvm.classes[*up].functions()).chain(object);
    all.into_iter().find(|func| {
        let f = &jvm.funcs[*func];
        f.name == wanted.name && f.signature.ty.params.is_empty() && f.is(access::PUBLIC) && !f.is_static()
    })
}

/// Arrays that the call changed.
fn assert_arguments(jvm: &Jvm, detail: &Detail, act: &Call, names: &Names, asserts: &mut Vec<Assert>) {
    for (arg, after) in act.args.iter().zip(&detail.args_after) {
        if let (Value::Var(_), Seen::Array(..), Some(expected)) = (arg, after, value(jvm, after, names)) {
            let assert = Assert::that(arg.clone(), Check::Equals(expected));
            if !asserts.contains(&assert) {
                asserts.push(assert);
            }
        }
    }
}

/// The parameters of a method as inputs; names are those of the source where known, none of them taken.
pub fn params(vm: &mut Vm<Jvm>, func: FuncId, taken: &[String]) -> Vec<Param> {
    let generic = jvm::input::param_types(&vm.lang, func, &Vec::new());
    params_as(vm, func, &generic, taken)
}

/// The same, with the types that the parameters have in this place.
pub fn params_as(
    vm: &mut Vm<Jvm>,
    func: FuncId,
    generic: &[jvm::input::Generic],
    taken: &[String],
) -> Vec<Param> {
    let mut names: Vec<String> = Vec::new();
    for (i, name) in jvm::input::param_names(&vm.lang, func).into_iter().enumerate() {
        let mut name = if is_keyword(&name) { format!("arg{i}") } else { name };
        while names.contains(&name) || taken.contains(&name) || matches!(name.as_str(), "result" | "thrown") {
            name.push_str("Arg");
        }
        names.push(name);
    }
    let types = vm.lang.funcs[func].signature.ty.params.clone();
    let mut params = Vec::new();
    for ((ty, name), generic) in types.into_iter().zip(names).zip(generic) {
        let kind = jvm::input::kind_for(vm, generic);
        params.push(Param { name, ty, kind });
    }
    params
}

/// The name of a class without package and outer classes.
pub fn simple_name(jvm: &Jvm, class: ir::ClassId) -> String {
    class_name(jvm, class).simple_name().to_string()
}
