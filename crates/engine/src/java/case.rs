//! A finished run as a test case: arrange, act, assert.

use std::sync::Arc;

use explore::Finished;
use ir::FuncId;
use jvm::load::{FieldType, Method, access};
use jvm::observe::Seen;
use jvm::world::Jvm;
use ledger::{Kind as Imprecision, Ledger};
use suite::case::{Assert, Call, Check, Outcome, Step, Target, TestCase, Text, Traits, Type, Value};
use suite::explain::{Fact, fact};
use suite::name::test_name;
use vm::{ElemKind, Vm};

use super::spelling::JavaSpelling;
use super::subject::{Detail, End, Param, Stage, Subject};
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
    let mut arrange = Vec::new();
    let constructor = match &subject.constructor {
        Some((func, params)) => {
            let args = arguments(jvm, &detail.constructor_args)?;
            Some((call(jvm, *func, Target::New, params, args), *func))
        }
        None => None,
    };
    let in_constructor = detail.stage != Stage::Call && subject.constructor.is_some();
    let act = match (&subject.method, constructor) {
        (Some((func, params)), constructor) if !in_constructor => {
            let args = arguments(jvm, &detail.args)?;
            let args = bind_arrays(&mut arrange, params, args, detail);
            let on = match constructor {
                Some((new, _)) => {
                    let class = class_name(jvm, subject.class);
                    let name = variable_name(class.simple_name(), params);
                    arrange.insert(
                        0,
                        Step::Bind { name: name.clone(), ty: Type::class(class), value: Value::call(new) },
                    );
                    Target::Instance(Box::new(Value::var(name)))
                }
                None => Target::Static,
            };
            call(jvm, *func, on, params, args)
        }
        (_, Some((new, _))) => new,
        (_, None) => return Err(NoCase("there is nothing to call".to_string())),
    };
    let (outcome, asserts) = outcome(jvm, subject, detail, &act, ledger)?;
    let result = asserts.iter().find_map(|a| match (&a.subject, &a.check) {
        (
            suite::case::Subject::Value(Value::Result),
            Check::Equals(v) | Check::Within { expected: v, .. },
        ) => Some(v),
        (suite::case::Subject::Value(Value::Result), Check::Null) => Some(&Value::Null),
        _ => None,
    });
    let base = match &subject.method {
        Some((func, _)) => jvm.funcs[*func].name.to_string(),
        None => format!("new{}", class_name(jvm, subject.class).simple_name()),
    };
    let name = test_name(&base, facts, &outcome, result);
    let comment = comment(facts, &outcome, result);
    Ok(TestCase { name, comment, arrange, act, outcome, asserts, covers: Vec::new() })
}

/// The conditions that a run decided on, in order, each once.
pub fn facts(vm: &Vm<Jvm>, finished: &Finished<Stage>, spelling: &JavaSpelling) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    for (step, condition) in finished.path.iter().zip(&finished.condition) {
        if !matches!(step.kind, ElemKind::Branch | ElemKind::Check(_)) {
            continue;
        }
        let tracked = vm.lang.funcs.get(step.site.func).is_some_and(|f| f.tracked);
        if let Some(fact) = fact(&vm.pool, *condition, spelling)
            && !facts.contains(&fact)
        {
            // Of what the library decided, only sizes say something about the source (`s.isEmpty()`).
            let about_size = fact.word.is_some() && fact.text.contains(".length");
            if tracked || about_size && facts.len() < LIBRARY_FACTS {
                facts.push(fact);
            }
        }
    }
    facts
}

/// Beyond so many conditions, the library's are left out.
const LIBRARY_FACTS: usize = 6;

const COMMENT_WIDTH: usize = 100;

/// `b == 0: throws ArithmeticException`.
fn comment(facts: &[Fact], outcome: &Outcome, result: Option<&Value>) -> Vec<String> {
    let end = match outcome {
        Outcome::Throws { class, .. } => format!("throws {}", class.simple_name()),
        Outcome::Returns => match result {
            Some(Value::Bool(b)) => format!("returns {b}"),
            Some(Value::Null) => "returns null".to_string(),
            Some(Value::Int(i)) => format!("returns {i}"),
            Some(Value::Long(i)) => format!("returns {i}"),
            Some(Value::Double(bits)) => format!("returns {:?}", f64::from_bits(*bits)),
            Some(Value::Str(text)) if text.0.is_empty() => "returns \"\"".to_string(),
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

fn arguments(jvm: &Jvm, seen: &[Seen]) -> Result<Vec<Value>, NoCase> {
    seen.iter()
        .map(|arg| {
            value(jvm, arg).ok_or_else(|| NoCase("an argument cannot be written in source".to_string()))
        })
        .collect()
}

/// Binds arrays that the call changes to variables, so that they can be looked at after it.
fn bind_arrays(arrange: &mut Vec<Step>, params: &[Param], args: Vec<Value>, detail: &Detail) -> Vec<Value> {
    args.into_iter()
        .enumerate()
        .map(|(i, arg)| {
            let changed = detail.args_after.get(i).is_some_and(|after| *after != detail.args[i]);
            match (&arg, changed) {
                (Value::Array { .. }, true) => {
                    let name = params[i].name.clone();
                    arrange.push(Step::Bind {
                        name: name.clone(),
                        ty: field_type(&params[i].ty),
                        value: arg,
                    });
                    Value::var(name)
                }
                _ => arg,
            }
        })
        .collect()
}

/// A name for the receiver that no parameter has.
fn variable_name(class: &str, params: &[Param]) -> String {
    let mut chars = class.chars();
    let mut name =
        chars.next().map_or(String::new(), |c| c.to_lowercase().collect::<String>() + chars.as_str());
    if is_keyword(&name)
        || params.iter().any(|p| p.name == name)
        || matches!(name.as_str(), "result" | "thrown")
    {
        name = format!("the{class}");
    }
    name
}

fn is_keyword(name: &str) -> bool {
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
fn call(jvm: &Jvm, func: FuncId, on: Target, params: &[Param], args: Vec<Value>) -> Call {
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
        params: params.iter().map(|p| field_type(&p.ty)).collect(),
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
    subject: &Subject,
    detail: &Detail,
    act: &Call,
    ledger: &Ledger,
) -> Result<(Outcome, Vec<Assert>), NoCase> {
    let mut asserts = Vec::new();
    let outcome = match &detail.end {
        End::Stopped(stop) => return Err(NoCase(format!("the run did not end by itself: {stop:?}"))),
        End::Threw { class, message, thrown } => {
            // Messages of the JDK and the VM change between versions; the program's own are its behaviour.
            let own = thrown.is_some_and(|t| {
                t.explicit && jvm.funcs.get(t.site.func).is_some_and(|f| is_user(jvm, f.class))
            });
            let message = message.clone().filter(|_| own).map(Text);
            Outcome::Throws { class: nameable(jvm, *class), message }
        }
        End::Returned(result) => {
            if let Some(result) = result {
                assert_result(jvm, detail, result, act, ledger, &mut asserts);
            } else if subject.method.is_none()
                && let Some(Seen::Object { getters, .. }) = &detail.receiver_after
            {
                assert_getters(jvm, &Value::Result, getters, None, &mut asserts);
            }
            Outcome::Returns
        }
    };
    assert_arguments(jvm, detail, act, &mut asserts);
    if let Target::Instance(receiver) = &act.on
        && let (Some(Seen::Object { getters: before, .. }), Some(Seen::Object { getters: after, .. })) =
            (&detail.receiver_before, &detail.receiver_after)
    {
        assert_getters(jvm, receiver, after, Some(before), &mut asserts);
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
    detail: &Detail,
    result: &Seen,
    act: &Call,
    ledger: &Ledger,
    asserts: &mut Vec<Assert>,
) {
    if *result == Seen::Null {
        asserts.push(Assert::result(Check::Null));
        return;
    }
    if let Some(expected) = value(jvm, result) {
        let inexact = ledger.iter().any(|(entry, _)| entry.kind == Imprecision::InexactMath);
        let check = match expected {
            Value::Float(_) | Value::Double(_) if inexact => Check::Within { expected, ulps: 1 },
            expected => Check::Equals(expected),
        };
        asserts.push(Assert::result(check));
        return;
    }
    if let Seen::Object { id, getters, .. } = result {
        // The receiver itself: a fluent method.
        if let (Target::Instance(receiver), Some(Seen::Object { id: own, .. })) =
            (&act.on, &detail.receiver_after)
            && own == id
        {
            asserts.push(Assert::result(Check::Same((**receiver).clone())));
            return;
        }
        let before = asserts.len();
        assert_getters(jvm, &Value::Result, getters, None, asserts);
        if asserts.len() == before {
            asserts.push(Assert::result(Check::NotNull));
        }
        return;
    }
    asserts.push(Assert::result(Check::NotNull));
}

/// Getters of an object, all of them or those that changed.
fn assert_getters(
    jvm: &Jvm,
    of: &Value,
    getters: &[(FuncId, Seen)],
    before: Option<&[(FuncId, Seen)]>,
    asserts: &mut Vec<Assert>,
) {
    for (func, seen) in getters {
        let unchanged = before.is_some_and(|b| b.iter().any(|(f, s)| f == func && s == seen));
        let Some(expected) = value(jvm, seen).filter(|_| !unchanged) else { continue };
        let getter = call(jvm, *func, Target::Instance(Box::new(of.clone())), &[], Vec::new());
        if getter.traits.throws_checked {
            continue;
        }
        let check = if expected == Value::Null { Check::Null } else { Check::Equals(expected) };
        asserts.push(Assert::that(Value::call(getter), check));
    }
}

/// Arrays that the call changed.
fn assert_arguments(jvm: &Jvm, detail: &Detail, act: &Call, asserts: &mut Vec<Assert>) {
    for (arg, after) in act.args.iter().zip(&detail.args_after) {
        if let (Value::Var(_), Some(expected)) = (arg, value(jvm, after)) {
            asserts.push(Assert::that(arg.clone(), Check::Equals(expected)));
        }
    }
}

/// The parameters of a method as inputs; names are those of the source where known.
pub fn params(vm: &mut Vm<Jvm>, func: FuncId, taken: &[String]) -> Vec<Param> {
    let method = &vm.lang.funcs[func];
    let types: Vec<FieldType> = method.signature.ty.params.clone();
    let is_static = method.is_static();
    let file = vm.lang.classes[method.class].file.clone();
    let declared = file.as_deref().and_then(|f| f.method(&method.name, &method.descriptor));
    let mut slot = if is_static { 0 } else { 1 };
    let mut names: Vec<String> = Vec::new();
    for (i, ty) in types.iter().enumerate() {
        let code = declared.and_then(|m| m.code.as_ref());
        let local = code.and_then(|c| c.local(slot, 0)).map(|l| l.name.to_string());
        slot += ty.slots();
        // Kotlin's name for the receiver of an extension function.
        let local = local.map(|n| if n.starts_with("$this$") { "receiver".to_string() } else { n });
        let mut name = local.filter(|n| !n.is_empty()).unwrap_or_else(|| format!("arg{i}"));
        let plain: String = name.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
        name = if plain.is_empty() || is_keyword(&plain) { format!("arg{i}") } else { plain };
        while names.contains(&name) || taken.contains(&name) || matches!(name.as_str(), "result" | "thrown") {
            name.push_str("Arg");
        }
        names.push(name);
    }
    types
        .into_iter()
        .zip(names)
        .map(|(ty, name)| {
            let kind = jvm::input::kind_of(vm, &ty);
            Param { name, ty, kind }
        })
        .collect()
}
