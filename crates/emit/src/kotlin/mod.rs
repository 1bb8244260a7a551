//! Kotlin test classes: JUnit 5, or `kotlin.test`.
//!
//! In: the same cases as for Java, and what only the class files know of Kotlin source ([`Facts`]). Out: a file, where
//! each case stands in it, and the cases that cannot be said in Kotlin, with the reason (a null for a parameter that
//! is not nullable does not compile there).

mod asserts;
mod expr;
pub mod literal;
mod names;
mod nulls;
mod wrapped;

use suite::case::{Call, ClassName, Outcome, Step, Subject, Target, TestCase, Type, Value};

use crate::doc::{Doc, Source};
use crate::java::names::{test_method, variable_for};
use crate::java::plan::{for_values, plan_with, replace_variables, result_uses};
use crate::java::reflect;
use crate::java::{DISABLED, Rendered, SUSPECT_TAG, Span, SuiteFile};
use crate::write::MARKER;
use expr::Scope;
use names::{Names, identifier};

/// What the tests are written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Library {
    Junit5,
    KotlinTest,
}

/// How a JVM method is spelled in Kotlin source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Name of the function or property.
    pub name: String,
    pub form: Form,
    /// Whether each JVM parameter may be null; those beyond the end may.
    pub nullable: Vec<bool>,
    /// Whether the source says so of each: what has the type of a type parameter may be null if what stands for that may.
    pub marked: Vec<bool>,
    pub returns_nullable: bool,
    pub returns_marked: bool,
    /// Which JVM parameters are only what the source's objects of value classes wrap; those beyond the end are not.
    pub values: Vec<Option<Wrapped>>,
    /// The same of the result.
    pub returns_value: Option<Wrapped>,
    /// What the type arguments of each JVM parameter say of null; of those beyond the end nothing is known.
    pub arguments: Vec<Vec<Nulls>>,
    /// The JVM parameter that takes a variable number of arguments, and the names of those behind it, which must be said.
    pub vararg: Option<(usize, Vec<String>)>,
    /// The last JVM parameter is what goes on with the result.
    pub is_suspend: bool,
    /// What the source calls each JVM parameter, where some may be left out; those it does not name are empty.
    pub names: Vec<String>,
}

/// What a type says of null: `List<String?>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nulls {
    /// None where it depends on what stands for a type parameter.
    pub marked: Option<bool>,
    pub arguments: Vec<Nulls>,
}

/// An object of a value class, of which the JVM only sees what it wraps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapped {
    pub class: ClassName,
    /// What shows the value.
    pub property: Option<String>,
    /// Whether the class can wrap null.
    pub wraps_null: bool,
    /// Whether the object itself may be null.
    pub may_be_null: bool,
    /// One of the language's unsigned numbers.
    pub is_unsigned: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    #[default]
    Function,
    /// `receiver.name(…)`: the first JVM parameter is the receiver.
    Extension,
    Getter,
    Setter,
    ExtensionGetter,
    /// A method that checks what a new object of a value class wraps: the constructor.
    Constructor,
}

/// What a class is in Kotlin source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassForm {
    /// Not Kotlin's.
    #[default]
    Java,
    Class,
    /// A value class: nothing says which of its objects is meant, only what they wrap.
    Value,
    /// Named by itself, without `INSTANCE`.
    Object,
    /// Named by the class around it.
    Companion,
    /// Its members stand in no class.
    File,
}

/// What only the class files know.
pub trait Facts {
    /// `None`: as in Java.
    fn member(&self, call: &Call) -> Option<Member>;
    fn class(&self, class: &ClassName) -> ClassForm;
    /// Of each type parameter of a class, whether null may stand for it.
    fn type_parameters(&self, class: &ClassName) -> Vec<bool>;
    /// Of each type parameter of a class, the class that what stands for it must extend or implement, if not `Any`.
    fn bounds(&self, _: &ClassName) -> Vec<Option<ClassName>> {
        Vec::new()
    }
}

/// Nothing is known: everything is spelled as Java has it.
pub struct NoFacts;

impl Facts for NoFacts {
    fn member(&self, _: &Call) -> Option<Member> {
        None
    }

    fn class(&self, _: &ClassName) -> ClassForm {
        ClassForm::Java
    }

    fn type_parameters(&self, _: &ClassName) -> Vec<bool> {
        Vec::new()
    }
}

/// Why a case cannot be written in Kotlin; none if it can.
pub fn objection(case: &TestCase, facts: &dyn Facts) -> Option<String> {
    let mut names = Names::new("", facts);
    let case = plan_with(&shared(&compared(case), facts), &|value| expr::is_object(facts, value));
    let mut scope = Scope::new(&mut names, &case, facts, "result".into());
    let mut source = Source::new();
    body(Library::Junit5, &mut scope, &mut source);
    scope.refused
}

/// Renders a test class. The same input gives the same bytes.
pub fn render(file: &SuiteFile, library: Library, facts: &dyn Facts) -> Rendered {
    let mut names = Names::new(&file.package, facts);
    let mut body = Source::new();
    body.line(&format!("class {} {{", file.class_name));
    body.indent();
    asserts::capture(library, &file.cases, &mut names, &mut body);
    let mut spans = Vec::new();
    let suspects = file.cases.iter().position(|case| case.suspect.is_some());
    for (i, case) in file.cases.iter().enumerate() {
        body.gap();
        if suspects == Some(i) {
            crate::java::suspects_heading(&mut body);
        }
        let first = body.next_line();
        method(library, &mut names, facts, case, &mut body);
        let (last, endless) = (body.next_line() - 1, case.outcome.is_endless());
        spans.push(Span { case: case.name.clone(), first, last, endless });
    }
    reflection(&file.cases, &mut body);
    body.dedent();
    body.line("}");
    let mut source = Source::new();
    source.line(&format!("{MARKER}, which replaces this file when it runs again."));
    source.line(
        "// To keep changes of your own, delete the line above: Testwright then leaves the file alone.",
    );
    if !file.package.is_empty() {
        source.line(&format!("package {}", names::qualified(&file.package)));
    }
    source.gap();
    names.imports().iter().for_each(|line| source.line(line));
    source.gap();
    let offset = source.next_line() - 1;
    for span in &mut spans {
        span.first += offset;
        span.last += offset;
    }
    Rendered { text: source.finish() + &body.finish(), spans, shared: Vec::new() }
}

fn method(library: Library, names: &mut Names<'_>, facts: &dyn Facts, case: &TestCase, source: &mut Source) {
    let case = &plan_with(&shared(&compared(case), facts), &|value| expr::is_object(facts, value));
    crate::java::comment(&case.comment, source);
    source.line(&format!("@{}", names.import(library.test_annotation())));
    if case.suspect.is_some() {
        source.line(&format!("@{}(\"{SUSPECT_TAG}\")", names.import("org.junit.jupiter.api.Tag")));
    }
    if case.outcome == (Outcome::Endless { disabled: true }) {
        source.line(&format!("@{}(\"{DISABLED}\")", names.import("org.junit.jupiter.api.Disabled")));
    }
    source.line(&format!("fun {}() {{", names::quoted(&test_method(&case.name))));
    source.indent();
    let wish = match case.act.method.is_empty() {
        true => identifier(&variable_for(&case.act.class)),
        false => "result".to_owned(),
    };
    let result = if case.type_of(&wish).is_some() { "result".to_owned() } else { wish };
    let mut scope = Scope::new(names, case, facts, result);
    body(library, &mut scope, source);
    source.dedent();
    source.line("}");
}

/// The lists in which stand-ins keep what they are given.
fn kept(case: &TestCase) -> Vec<Value> {
    let mut lists = Vec::new();
    for_values(case, &mut |value| {
        value.any(&mut |v| {
            if let Value::Fake { methods, .. } = v {
                lists.extend(methods.iter().filter_map(|method| Some(method.records.as_ref()?.list.clone())));
            }
            false
        });
    });
    lists
}

/// What stand-ins kept is compared as a whole or counted: such lists hold anything that may be null, which is nothing to ask
/// questions of.
fn compared(case: &TestCase) -> TestCase {
    let lists = kept(case);
    let mut case = case.clone();
    case.asserts.retain(|assert| match &assert.subject {
        Subject::Value(Value::Call(call)) => {
            let counts =
                matches!(&call.on, Target::Instance(on) if lists.contains(on)) && call.returns == Type::Int;
            counts || !call.operands().any(|v| v.any(&mut |v| lists.contains(v)))
        }
        _ => true,
    });
    case
}

/// An `object` needs no variable: it has a name.
fn shared(case: &TestCase, facts: &dyn Facts) -> TestCase {
    let mut case = case.clone();
    replace_variables(&mut case, &|value| match value {
        Value::Field { of: None, class, name, .. } if name == "INSTANCE" => {
            facts.class(class) == ClassForm::Object
        }
        Value::Field { of: None, name, ty: Type::Class { name: class, .. }, .. } if name == "Companion" => {
            facts.class(class) == ClassForm::Companion
        }
        _ => false,
    });
    case
}

fn body(library: Library, scope: &mut Scope<'_, '_>, source: &mut Source) {
    let case = scope.case;
    let kept = kept(case);
    for step in &case.arrange {
        match step {
            Step::Bind { name, ty, value } => {
                if let (Value::Fake { ty, constructor, methods }, true) =
                    (value, expr::is_object(scope.facts, value))
                {
                    let object = scope.object(ty, constructor.as_deref(), methods);
                    source.put(&Doc::cat([Doc::text(format!("val {} = ", identifier(name))), object]), "");
                    continue;
                }
                let list = ClassName::new("java.util", &["List"]);
                if matches!(ty, Type::Class { name, .. } if *name == list) && kept.contains(&Value::var(name))
                {
                    source.line(&format!("val {} = mutableListOf<Any?>()", identifier(name)));
                    continue;
                }
                let doc = scope.initialiser(name, value, ty);
                // What the initialiser does not say by itself.
                let typed = matches!(value, Value::Null | Value::Fake { .. }) || scope.needs_type(value, ty);
                let ty = if typed {
                    format!(": {}", scope.names.ty(ty, *value == Value::Null))
                } else {
                    String::new()
                };
                source.put(&Doc::cat([Doc::text(format!("val {}{ty} = ", identifier(name))), doc]), "");
            }
            Step::Do(call) => {
                let doc = scope.call_alone(call);
                source.put(&doc, "");
            }
            Step::Set { of, field, value, reflective: true, .. } => {
                let (of, value) = (scope.expr(of), scope.expr(value));
                let args = vec![of, Doc::text(format!("\"{field}\"")), value];
                source.put(&Doc::call(reflect::SET, args), "");
            }
            Step::Set { of, field, value, .. } => {
                let (of, value) = (scope.receiver(of), scope.expr(value));
                source.put(&Doc::cat([of, Doc::text(format!(".{} = ", names::quoted(field))), value]), "");
            }
        }
    }
    match &case.outcome {
        Outcome::Returns | Outcome::Endless { .. } => returns(library, scope, source),
        Outcome::Throws { class, message } => {
            let call = asserts::throws(library, scope, class);
            match message {
                None => source.put(&call, ""),
                Some(message) => {
                    source.put(&Doc::cat([Doc::text("val thrown = "), call]), "");
                    let expected = scope.expr(&Value::Str(message.clone()));
                    let equal = asserts::call(
                        library,
                        scope,
                        "assertEquals",
                        vec![expected, Doc::text("thrown.message")],
                    );
                    source.put(&equal, "");
                }
            }
            for assert in &case.asserts {
                let doc = asserts::assert(library, scope, assert, None);
                source.put(&doc, "");
            }
        }
    }
}

/// The methods that do by reflection what a test may not, as far as they are needed.
fn reflection(cases: &[TestCase], source: &mut Source) {
    if cases.iter().any(reflect::sets) {
        source.gap();
        source.line(&format!("private fun {}(target: Any, name: String, value: Any?) {{", reflect::SET));
        source.indent();
        source.line("val types = generateSequence<Class<*>>(target.javaClass) { it.superclass }");
        source.line("val field = types.flatMap { it.declaredFields.asSequence() }.first { it.name == name }");
        source.line("field.isAccessible = true");
        source.line("field.set(target, value)");
        source.dedent();
        source.line("}");
    }
    if cases.iter().any(reflect::creates) {
        source.gap();
        source.line(&format!(
            "private fun {}(className: String, vararg arguments: Any?): Any {{",
            reflect::CREATE
        ));
        source.indent();
        source.line("val constructors = Class.forName(className).declaredConstructors");
        source.line("val constructor = constructors.first { it.parameterCount == arguments.size }");
        source.line("constructor.isAccessible = true");
        source.line("return constructor.newInstance(*arguments)");
        source.dedent();
        source.line("}");
    }
}

fn returns(library: Library, scope: &mut Scope<'_, '_>, source: &mut Source) {
    let case = scope.case;
    let uses = result_uses(case);
    let act = if uses == 0 { scope.call_alone(&case.act) } else { scope.call(&case.act) };
    let first = case.asserts.first().is_some_and(|assert| assert.subject == Subject::Value(Value::Result));
    let mut inline = None;
    if uses == 0 {
        let statement = match case.asserts.is_empty() {
            true => asserts::completes(library, scope, act),
            false => act,
        };
        source.put(&statement, "");
    } else if uses == 1 && first && !case.act.method.is_empty() {
        inline = Some(act);
    } else {
        source.put(&Doc::cat([Doc::text(format!("val {} = ", scope.result)), act]), "");
    }
    for assert in &case.asserts {
        let doc = asserts::assert(library, scope, assert, inline.take());
        source.put(&doc, "");
    }
}

impl Library {
    fn test_annotation(self) -> &'static str {
        match self {
            Library::Junit5 => "org.junit.jupiter.api.Test",
            Library::KotlinTest => "kotlin.test.Test",
        }
    }
}
