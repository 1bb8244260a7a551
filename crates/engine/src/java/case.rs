//! A finished run as a test case: arrange, act, assert.

use std::sync::Arc;

use ir::FuncId;
use jvm::load::{Method, access};
use jvm::observe::Seen;
use jvm::world::Jvm;
use ledger::Ledger;
use suite::case::{Assert, Call, Outcome, Step, Target, TestCase, Text, Throws, Traits, Type, Value};
use suite::explain::Fact;
use suite::name::test_name;
use vm::Vm;

use super::arrange::{self, Names};
use super::asserts::{
    Graph, MOST_UNCHANGED, assert_arguments, assert_changes, assert_result, assert_static, assert_unchanged,
    declared_type,
};
use super::recorded::Recorded;
use super::subject::{Detail, End, Param, Stage, Subject};
use super::value::{class_name, field_type, nameable};

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
    let mut names = Names::new(arrange::taken());
    let mut arrange = arrange::steps(jvm, &detail.before.script, &detail.fakes, &mut names)?;
    let args = arrange::values(jvm, &detail.before.args, &names)?;
    let args = bind_arrays(&mut arrange, &subject.params, args, detail);
    let on = match &detail.before.receiver {
        Some(receiver) => Target::Instance(Box::new(arrange::written(jvm, receiver, &names)?)),
        None if let (Some(object), Some((_, name))) = (detail.before.stand_in, &subject.stand_in) => {
            let told = (name.as_str(), detail.fakes.as_slice());
            Target::Below(arrange::methods_below(jvm, object, told, &mut names, &mut arrange)?)
        }
        None if &*jvm.funcs[subject.func].name == "<init>" => Target::New,
        None => Target::Static,
    };
    let mut act = call_of(jvm, subject.func, on, args);
    act.traits.left_out = detail.before.left_out;
    leave_out(&mut act);
    super::typed::type_arguments(jvm, &mut arrange, &mut act);
    let recorded = super::recorded::record(jvm, detail, &mut arrange, &mut names);
    let (outcome, asserts) = outcome(jvm, detail, &act, &arrange, recorded, &names, ledger)?;
    suite::case::forget_idle_variables(&mut arrange, &act, &asserts);
    let result = suite::case::result(&asserts);
    let mut base = match &*jvm.funcs[subject.func].name {
        "<init>" => format!("new{}", class_name(jvm, subject.class).simple_name()),
        jvm::kotlin::CONSTRUCTOR => format!("new{}", class_name(jvm, subject.class).simple_name()),
        name => source_name(jvm, subject.func).unwrap_or_else(|| jvm::kotlin::plain_name(name).to_string()),
    };
    // Of several lambdas that are called alike, where each comes from tells them apart.
    if let (false, Some(from)) = (subject.runs.is_empty(), handed_out_by(&arrange, &act)) {
        base = format!("{from}_{base}");
    }
    let receiver = match &act.on {
        Target::Instance(receiver) => match &**receiver {
            Value::Var(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    // What the source calls `this` has a name in the test.
    let plain = |name: &str| if name == "this" { receiver.clone() } else { Some(name.to_string()) };
    let sides = |text: &str| text.split_once(" == ").map(|(a, b)| (plain(a), plain(b)));
    let is_told = |fact: &Fact| {
        let Some((a, b)) = sides(&fact.text) else { return false };
        facts
            .iter()
            .filter_map(|told| sides(&told.text))
            .any(|(c, d)| (a == c && b == d) || (a == d && b == c))
    };
    let given = same_objects(&subject.params, &act).into_iter().filter(|fact| !is_told(fact));
    let mut told = facts.iter().cloned().chain(given).chain(exceptions_of(&arrange)).collect::<Vec<Fact>>();
    told.extend(nothing_found(&arrange, &told));
    told.splice(0..0, left_out(subject, &act));
    let facts = told.as_slice();
    let after = calls_before(&arrange, &act).or_else(|| match facts.iter().any(is_telling) {
        true => None,
        false => calls_on_others(&arrange, &act),
    });
    let name = test_name(&base, facts, after.as_ref().map(|(_, word)| word.as_str()), &outcome, result);
    let after = after.map(|(text, _)| text).unwrap_or_default();
    let mut comment = comment(&after, facts, &outcome, result);
    if arrange.iter().any(|step| matches!(step, Step::Set { reflective: true, .. })) {
        let what = "No calls were found that lead to this state: fields are set by reflection.";
        comment.push(what.to_string());
    }
    Ok(TestCase { name, comment, arrange, act, outcome, asserts, suspect: None, covers: Vec::new() })
}

/// Which arguments a call leaves out.
fn left_out(subject: &Subject, act: &Call) -> Option<Fact> {
    let out = (0..subject.params.len()).filter(|at| act.traits.leaves_out(*at));
    let names: Vec<&str> = out.map(|at| subject.params[at].name.as_str()).collect();
    let capitalised = |name: &&str| {
        let mut chars = name.chars();
        chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect::<String>()
    };
    let words: Vec<String> = names.iter().map(capitalised).collect();
    let word = (words.len() < 3).then(|| format!("without{}", words.join("And")));
    (!names.is_empty()).then(|| Fact { text: format!("without {}", names.join(" and ")), word })
}

/// What a call leaves out is nothing that a test has to make.
fn leave_out(act: &mut Call) {
    for (at, arg) in act.args.iter_mut().enumerate() {
        if act.traits.leaves_out(at) {
            *arg = Value::Null;
        }
    }
}

/// What Kotlin's source calls a function, where the compiler calls it otherwise: `ping$module`.
fn source_name(jvm: &Jvm, func: FuncId) -> Option<String> {
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref().filter(|_| f.name.contains(['$', '-']))?;
    let kotlin = jvm::kotlin::kotlin(file)?;
    let function = kotlin.function(&f.name, &f.descriptor, f.signature.ty.params.len())?;
    Some(function.name.clone())
}

/// The method or constant that the receiver of a call comes from.
fn handed_out_by(arrange: &[Step], act: &Call) -> Option<String> {
    let Target::Instance(receiver) = &act.on else { return None };
    let made = match &**receiver {
        Value::Var(variable) => arrange.iter().find_map(|step| match step {
            Step::Bind { name, value, .. } if name == variable => Some(value),
            _ => None,
        })?,
        value => value,
    };
    match made {
        Value::Call(call) if !call.method.is_empty() => Some(call.method.clone()),
        Value::Field { name, .. } => Some(suite::name::lower_camel(name)),
        _ => None,
    }
}

const COMMENT_WIDTH: usize = 100;

/// What was called before, on the receiver or for what static fields remember, as a comment and a name say it: `after
/// push() twice`, `afterPushTwice`.
fn calls_before(arrange: &[Step], act: &Call) -> Option<(String, String)> {
    let mut calls: Vec<(String, usize)> = Vec::new();
    for step in arrange {
        let call = match step {
            Step::Do(call) => call,
            // What it handed out is looked at.
            Step::Bind { value: Value::Call(call), .. } if matches!(call.on, Target::Instance(_)) => call,
            _ => continue,
        };
        let told = match &call.on {
            Target::Instance(on) => matches!(&act.on, Target::Instance(receiver) if on == receiver),
            Target::Static | Target::New | Target::Below(_) => true,
        };
        if !told {
            continue;
        }
        let method = match call.on {
            Target::New | Target::Below(_) => format!("new {}", call.class.simple_name()),
            _ => jvm::kotlin::plain_name(&call.method).to_string(),
        };
        match calls.last_mut() {
            Some((last, count)) if *last == method => *count += 1,
            _ => calls.push((method, 1)),
        }
    }
    let word = |method: &str| capital(&method.split(' ').map(capital).collect::<String>());
    let total: usize = calls.iter().map(|(_, count)| count).sum();
    let times = |count: usize| match count {
        1 => String::new(),
        2 => "twice".to_string(),
        n => format!("{n} times"),
    };
    match calls.as_slice() {
        [] => None,
        [(method, count)] => {
            let times = times(*count);
            let text = format!("after {method}() {times}").trim_end().to_string();
            let word = format!("after{}{}", word(method), capital(&times).replace(' ', ""));
            Some((text, word.replace("times", "Times")))
        }
        [(first, 1), (second, 1)] => Some((
            format!("after {first}() and {second}()"),
            format!("after{}And{}", word(first), word(second)),
        )),
        _ => Some((format!("after {total} calls"), format!("after{total}Calls"))),
    }
}

/// Arguments that are the object which is called, or an earlier argument: `other == account`.
fn same_objects(params: &[Param], act: &Call) -> Vec<Fact> {
    let mut known: Vec<(&str, &Value)> = Vec::new();
    if let Target::Instance(receiver) = &act.on
        && let Value::Var(name) = &**receiver
    {
        known.push((name, receiver));
    }
    let mut found = Vec::new();
    for (param, arg) in params.iter().zip(&act.args).filter(|(_, arg)| matches!(arg, Value::Var(_))) {
        match known.iter().find(|(_, value)| *value == arg) {
            Some((name, _)) => found.push(Fact {
                text: format!("{} == {name}", param.name),
                word: Some(format!("{}Is{}", param.name, capital(name))),
            }),
            None => known.push((&param.name, arg)),
        }
    }
    found
}

/// What objects that stand for interfaces throw: `mailer.send() throws IOException`.
fn exceptions_of(arrange: &[Step]) -> Vec<Fact> {
    let mut found = Vec::new();
    for step in arrange {
        let Step::Bind { name, value: Value::Fake { methods, .. }, .. } = step else { continue };
        for method in methods.iter().filter(|method| method.throws != Throws::Never) {
            let called = &method.of.method;
            let exception = method.values().find_map(|value| match value {
                Value::Var(variable) => match declared_type(arrange, &Value::var(variable)) {
                    Type::Class { name, .. } => Some(name.simple_name().to_string()),
                    _ => None,
                },
                _ => None,
            });
            let exception = exception.unwrap_or_else(|| "an exception".to_string());
            found.push(Fact {
                text: format!("{name}.{called}() throws {exception}"),
                word: Some(format!("{name}{}Throws", capital(called))),
            });
        }
    }
    found
}

/// That a stand-in had nothing to give, which is why things went as they did, where no condition says so:
/// `users.findById() is empty`.
fn nothing_found(arrange: &[Step], told: &[Fact]) -> Option<Fact> {
    // The source asked for it by the name that it gave it.
    if told.iter().any(|fact| fact.text.ends_with(".isEmpty()") && !fact.text.starts_with('!')) {
        return None;
    }
    let fakes = arrange.iter().rev().filter_map(|step| match step {
        Step::Bind { name, value: Value::Fake { methods, .. }, .. } => Some((name, methods)),
        _ => None,
    });
    let mut called = fakes.flat_map(|(name, methods)| {
        let called = methods.iter().rev().filter(|method| method.called && method.throws == Throws::Never);
        called.map(move |method| (name, method))
    });
    called.find_map(|(name, method)| {
        let answer = format!("{name}.{}()", method.of.method);
        let (number, last) = last_answer(arrange, method.result.as_ref()?);
        if told.iter().any(|fact| fact.text.contains(&answer)) || !is_nothing(arrange, last) {
            return None;
        }
        let answer = match number {
            0 | 1 => answer,
            2 => format!("the second {answer}"),
            _ => format!("the last {answer}"),
        };
        let word = Some(format!("{name}{}Empty", capital(&method.of.method)));
        Some(Fact { text: format!("{answer} is empty"), word })
    })
}

/// What a variable was bound to.
fn bound<'a>(arrange: &'a [Step], variable: &str) -> Option<&'a Value> {
    arrange.iter().find_map(|step| match step {
        Step::Bind { name, value, .. } if name == variable => Some(value),
        _ => None,
    })
}

/// The last of the answers that a method of a stand-in gives, and how many there are: `results.next()` goes through a list.
fn last_answer<'a>(arrange: &'a [Step], result: &'a Value) -> (usize, &'a Value) {
    let on = |value: &'a Value| match value {
        Value::Call(call) => match &call.on {
            Target::Instance(on) => Some((call.method.as_str(), &**on)),
            _ => None,
        },
        _ => None,
    };
    let list = match on(result) {
        Some(("next", Value::Var(iterator))) => bound(arrange, iterator).and_then(on),
        _ => None,
    };
    match list {
        Some(("iterator", Value::List(items))) => (items.len(), items.last().unwrap_or(result)),
        _ => (1, result),
    }
}

/// Whether a value is an empty `Optional` or collection.
fn is_nothing(arrange: &[Step], value: &Value) -> bool {
    match value {
        Value::Optional(None) => true,
        Value::List(items) | Value::Set(items) => items.is_empty(),
        Value::Var(variable) => match bound(arrange, variable) {
            // A collection that nothing is put into.
            Some(Value::Call(call)) => {
                let library = call.class.package.starts_with("java.util") && call.on == Target::New;
                let fills = |step: &Step| match step {
                    Step::Do(Call { on: Target::Instance(on), .. }) => **on == *value,
                    _ => false,
                };
                library && call.args.is_empty() && !arrange.iter().any(fills)
            }
            Some(Value::Var(_)) | None => false,
            Some(value) => is_nothing(arrange, value),
        },
        _ => false,
    }
}

/// What was called on one other object before: `after user.activate()`, `afterUserActivate`.
fn calls_on_others(arrange: &[Step], act: &Call) -> Option<(String, String)> {
    let mut found: Vec<(&String, &String)> = Vec::new();
    for step in arrange {
        let Step::Do(call) = step else { continue };
        // What a collection holds, or a field, is no state that a name tells of.
        let fills = call.method.starts_with("set") || call.class.package.starts_with("java.");
        let (Target::Instance(on), false) = (&call.on, fills) else { continue };
        let Value::Var(name) = &**on else { continue };
        if !found.contains(&(name, &call.method)) {
            found.push((name, &call.method));
        }
    }
    let [(on, method)] = found[..] else { return None };
    let receiver = matches!(&act.on, Target::Instance(of) if **of == Value::var(on));
    (!receiver)
        .then(|| (format!("after {on}.{method}()"), format!("after{}{}", capital(on), capital(method))))
}

/// That something is not null says little where something else is known.
fn is_telling(fact: &Fact) -> bool {
    !fact.text.ends_with(" != null")
}

/// `b == 0: throws ArithmeticException`.
fn comment(after: &str, facts: &[Fact], outcome: &Outcome, result: Option<&Value>) -> Vec<String> {
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
            Some(value) => match described(value) {
                Some(text) => format!("returns {text}"),
                None => "returns a value".to_string(),
            },
            None => "returns".to_string(),
        },
    };
    let telling: Vec<&Fact> = facts.iter().filter(|fact| is_telling(fact)).collect();
    let facts = if telling.is_empty() && end == "returns" { facts.iter().collect() } else { telling };
    // The last conditions set the path apart; what does not fit is left out from the front.
    let mut shown: Vec<&str> = Vec::new();
    let mut width = end.len();
    for fact in facts.iter().rev().filter(|fact| fact.text.len() + end.len() <= COMMENT_WIDTH) {
        width += fact.text.len() + 2;
        if width > COMMENT_WIDTH {
            shown.push("…");
            break;
        }
        shown.push(&fact.text);
    }
    shown.reverse();
    if shown == ["…"] {
        shown.clear();
    }
    // What the conditions say of earlier calls they say better.
    if !after.is_empty() && (shown.is_empty() || width + after.len() < COMMENT_WIDTH) {
        shown.insert(0, after);
    }
    if shown.is_empty() {
        return vec![capital(&end)];
    }
    let text = format!("{}: {end}", shown.join(", "));
    vec![if shown[0] == after { capital(&text) } else { text }]
}

/// What a result is, in a few words.
fn described(value: &Value) -> Option<String> {
    let held = |what: &str, count: usize, of: &str| match count {
        0 => format!("an empty {what}"),
        1 => format!("a {what} of one {of}"),
        n => format!(
            "a {what} of {n} {}",
            if of == "entry" { "entries".to_string() } else { format!("{of}s") }
        ),
    };
    Some(match value {
        Value::List(items) => held("list", items.len(), "element"),
        Value::Set(items) => held("set", items.len(), "element"),
        Value::Map(entries) => held("map", entries.len(), "entry"),
        Value::Array { items, .. } => match items.len() {
            0 => "an empty array".to_string(),
            1 => "an array of one element".to_string(),
            n => format!("an array of {n} elements"),
        },
        Value::Optional(None) => "an empty Optional".to_string(),
        Value::Optional(Some(_)) => "an Optional with a value".to_string(),
        Value::Boxed(inner) => return described(inner),
        Value::Bool(value) => value.to_string(),
        Value::Byte(value) => value.to_string(),
        Value::Short(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Long(value) => value.to_string(),
        Value::Float(bits) => format!("{:?}", f32::from_bits(*bits)),
        Value::Double(bits) => format!("{:?}", f64::from_bits(*bits)),
        Value::Char(unit) => {
            let c = char::from_u32(u32::from(*unit)).filter(|c| c.is_ascii_graphic() && *c != '\'')?;
            format!("'{c}'")
        }
        Value::Class(_) => "a class".to_string(),
        Value::Field { of: None, class, name, .. } if name == "INSTANCE" => class.simple_name().to_string(),
        Value::Field { of: None, name, .. } => name.clone(),
        Value::Call(call) => {
            let name = call.class.simple_name();
            let vowel = name.starts_with(['A', 'E', 'I', 'O']);
            format!("{} {name}", if vowel { "an" } else { "a" })
        }
        _ => return None,
    })
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
    let is_new = matches!(on, Target::New | Target::Below(_));
    let returns = match (&method.signature.ty.ret, is_new) {
        (_, true) => Type::class(class.clone()),
        (Some(ty), false) => arrange::result_type(jvm, func).unwrap_or_else(|| field_type(ty)),
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
    let signature = declared.and_then(|m| m.signature.clone());
    Traits {
        varargs: method.access & access::VARARGS != 0,
        overloaded: !arrange::overloads(jvm, func).is_empty(),
        lambdas_compete: arrange::lambdas_compete(jvm, func),
        throws_checked: declared.is_some_and(|m| m.exceptions.iter().any(|name| is_checked(jvm, name))),
        throws_any: declared
            .is_some_and(|m| m.exceptions.iter().any(|name| &**name == "java/lang/Throwable")),
        generic_method: signature.as_ref().is_some_and(|s| s.starts_with('<')),
        returns_type_variable: signature
            .is_some_and(|s: Arc<str>| s.rsplit(')').next().is_some_and(|r| r.starts_with('T'))),
        inner: &*method.name == "<init>" && jvm::input::is_inner(jvm, method.class),
        reflective: &*method.name == "<init>" && is_hidden(jvm, method.class),
        left_out: 0,
        generic_class: file.and_then(|f| f.signature.clone()).is_some_and(|s| s.starts_with('<')),
    }
}

/// Whether a class of the program is one whose objects only reflection makes.
fn is_hidden(jvm: &Jvm, class: ir::ClassId) -> bool {
    is_user(jvm, class) && !jvm::input::can_name(jvm, class)
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
    recorded: Recorded,
    names: &Names,
    ledger: &Ledger,
) -> Result<(Outcome, Vec<Assert>), NoCase> {
    let mut asserts = Vec::new();
    let outcome = match &detail.end {
        End::Stopped(_) if detail.runs_on => return Ok((Outcome::Endless { disabled: false }, asserts)),
        End::Stopped(vm::Stop::Time) => {
            return Err(NoCase("the time was over before its test was made".to_string()));
        }
        End::Stopped(stop) => return Err(NoCase(format!("the run did not end by itself: {stop:?}"))),
        End::Threw { class, message, thrown, by, .. } => {
            // Messages of the JDK and the VM change between versions; the program's own are its behaviour.
            let own = thrown.is_some_and(|t| {
                t.explicit && jvm.funcs.get(t.site.func).is_some_and(|f| is_user(jvm, f.class))
            }) || by.is_some_and(|func| super::suspect::throws_what_it_is_given(jvm, func));
            let message = message.clone().filter(|_| own).map(Text);
            Outcome::Throws { class: nameable(jvm, *class), message }
        }
        End::Returned(result) => {
            if let Some(result) = result {
                assert_result(jvm, result, act, names, ledger, &mut asserts);
            } else if let Some(Seen::Object { id, shown, .. }) = &detail.made {
                let graph = Graph { jvm, names, above: vec![(*id, Value::Result)] };
                graph.assert(&Value::Result, &act.returns, shown, None, &mut asserts);
            }
            Outcome::Returns
        }
    };
    assert_arguments(jvm, detail, act, names, &mut asserts);
    for look in &detail.looks {
        assert_changes(jvm, look, arrange, names, &mut asserts);
    }
    for (getter, before, after) in &detail.statics {
        if before != after {
            assert_static(jvm, *getter, after, names, &mut asserts);
        }
    }
    asserts.extend(recorded.told);
    super::answers::assert_answers(jvm, detail, act, arrange, names, &mut asserts);
    if asserts.is_empty() && outcome == Outcome::Returns && act.returns == Type::Void {
        assert_unchanged(jvm, detail, arrange, names, &mut asserts);
        for (getter, _, after) in detail.statics.iter().take(MOST_UNCHANGED) {
            assert_static(jvm, *getter, after, names, &mut asserts);
        }
    }
    asserts.extend(recorded.not_told);
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
    let kinds = jvm::input::param_kinds(vm, func, generic);
    for ((ty, name), kind) in types.into_iter().zip(names).zip(kinds) {
        params.push(Param { name, ty, kind });
    }
    params
}

/// The name of a class without package and outer classes.
pub fn simple_name(jvm: &Jvm, class: ir::ClassId) -> String {
    class_name(jvm, class).simple_name().to_string()
}
