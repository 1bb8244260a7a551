//! Assertions in Kotlin, with JUnit 5 or `kotlin.test`.

use suite::case::{Assert, Check, ClassName, Subject, TestCase, Type, Value};

use super::expr::Scope;
use super::names::{Names, array_of};
use super::{ClassForm, Library};
use crate::doc::{Doc, Source};
use crate::java::delta;

/// One of the library's assertion functions called.
pub fn call(library: Library, scope: &mut Scope<'_, '_>, function: &str, args: Vec<Doc>) -> Doc {
    let package = match library {
        Library::Junit5 => "org.junit.jupiter.api.Assertions",
        Library::KotlinTest => "kotlin.test",
    };
    Doc::call(scope.names.import(&format!("{package}.{function}")), args)
}

/// The act, which throws.
pub fn throws(library: Library, scope: &mut Scope<'_, '_>, class: &ClassName) -> Doc {
    let class = scope.names.class(class);
    let function = match library {
        Library::Junit5 => scope.names.import("org.junit.jupiter.api.assertThrows"),
        Library::KotlinTest => scope.names.import("kotlin.test.assertFailsWith"),
    };
    let act = scope.call_alone(&scope.case.act);
    Doc::cat([Doc::text(format!("{function}<{class}> {{ ")), act, Doc::text(" }")])
}

/// A call of which nothing but its normal end is asserted.
pub fn completes(library: Library, scope: &mut Scope<'_, '_>, act: Doc) -> Doc {
    match library {
        Library::Junit5 => {
            let function = scope.names.import("org.junit.jupiter.api.assertDoesNotThrow");
            Doc::cat([Doc::text(format!("{function} {{ ")), act, Doc::text(" }")])
        }
        // A test that ends is one that did not throw.
        Library::KotlinTest => act,
    }
}

/// `inline`: the expression that stands for the result, where it has no variable.
pub fn assert(library: Library, scope: &mut Scope<'_, '_>, assert: &Assert, inline: Option<Doc>) -> Doc {
    match &assert.subject {
        Subject::Value(value) => {
            let ty = scope.static_type(value);
            let actual = match inline {
                Some(doc) => doc,
                None => scope.expr(value),
            };
            check(library, scope, &assert.check, actual, ty.as_ref())
        }
        Subject::Stdout => printed(library, scope, &assert.check, "capturedOut"),
        Subject::Stderr => printed(library, scope, &assert.check, "capturedErr"),
    }
}

fn check(library: Library, scope: &mut Scope<'_, '_>, check: &Check, actual: Doc, ty: Option<&Type>) -> Doc {
    match check {
        Check::Null | Check::Equals(Value::Null) => call(library, scope, "assertNull", vec![actual]),
        Check::NotNull => call(library, scope, "assertNotNull", vec![actual]),
        Check::Same(expected) => {
            let expected = scope.expr(expected);
            let is_value =
                matches!(ty, Some(Type::Class { name, .. }) if scope.facts.class(name) == ClassForm::Value);
            call(library, scope, if is_value { "assertEquals" } else { "assertSame" }, vec![expected, actual])
        }
        Check::NotSame(unexpected) => {
            let unexpected = scope.expr(unexpected);
            call(library, scope, "assertNotSame", vec![unexpected, actual])
        }
        Check::Iterates(expected) => {
            let expected = compared(library, scope, expected);
            let elements = Doc::cat([actual, Doc::text(".toList()")]);
            call(library, scope, "assertEquals", vec![expected, elements])
        }
        Check::InstanceOf(class) => {
            let ty = scope.names.ty(&Type::class(class.clone()), false);
            match library {
                Library::Junit5 => {
                    let class = Doc::text(format!("{}::class.java", scope.names.class(class)));
                    call(library, scope, "assertInstanceOf", vec![class, actual])
                }
                Library::KotlinTest => {
                    let function = scope.names.import("kotlin.test.assertIs");
                    Doc::call(format!("{function}<{ty}>"), vec![actual])
                }
            }
        }
        Check::Equals(expected) => equals(library, scope, expected, actual, ty),
        Check::Within { expected, ulps } => match delta(expected, *ulps) {
            Some(delta) if !matches!(expected, Value::Array { .. }) => {
                let expected = scope.expr(expected);
                call(library, scope, "assertEquals", vec![expected, actual, Doc::text(delta)])
            }
            Some(delta) if library == Library::Junit5 => {
                let expected = scope.expr(expected);
                call(library, scope, "assertArrayEquals", vec![expected, actual, Doc::text(delta)])
            }
            _ => equals(library, scope, expected, actual, ty),
        },
    }
}

fn equals(
    library: Library,
    scope: &mut Scope<'_, '_>,
    expected: &Value,
    actual: Doc,
    ty: Option<&Type>,
) -> Doc {
    match expected {
        Value::Bool(value) if ty.is_some_and(|ty| *ty == Type::Bool) => {
            call(library, scope, if *value { "assertTrue" } else { "assertFalse" }, vec![actual])
        }
        Value::Array { elem, .. } => {
            let array = Type::array(elem.clone());
            // A nested array is compared by content in JUnit only.
            let function = match (library, elem) {
                (Library::Junit5, _) | (Library::KotlinTest, Type::Array(_)) => "assertArrayEquals",
                (Library::KotlinTest, _) => "assertContentEquals",
            };
            let known = ty.is_some_and(|ty| matches!(ty, Type::Array(_)));
            let actual = match known {
                true => actual,
                false => {
                    let ty = scope.names.ty(&array, false);
                    let ty = if array_of(elem).is_some() { ty } else { "Array<*>".to_owned() };
                    Doc::cat([actual, Doc::text(format!(" as {ty}"))])
                }
            };
            let expected = scope.expr(expected);
            let library = if function == "assertArrayEquals" { Library::Junit5 } else { library };
            call(library, scope, function, vec![expected, actual])
        }
        _ => {
            let expected = compared(library, scope, expected);
            call(library, scope, "assertEquals", vec![expected, actual])
        }
    }
}

/// What something is compared with: where any object will do, as in JUnit, nothing says what an empty collection holds.
fn compared(library: Library, scope: &mut Scope<'_, '_>, expected: &Value) -> Doc {
    match expected {
        expected if library == Library::KotlinTest => scope.expr(expected),
        Value::List(items) if items.is_empty() => Doc::text("emptyList<Any>()"),
        Value::Set(items) if items.is_empty() => Doc::text("emptySet<Any>()"),
        Value::Map(entries) if entries.is_empty() => Doc::text("emptyMap<Any, Any>()"),
        expected => scope.expr(expected),
    }
}

fn printed(library: Library, scope: &mut Scope<'_, '_>, check: &Check, stream: &str) -> Doc {
    let (Check::Equals(expected) | Check::Same(expected) | Check::Within { expected, .. }) = check else {
        return call(library, scope, "assertNotNull", vec![Doc::text(stream)]);
    };
    let has_lines = matches!(expected, Value::Str(text) if text.units().contains(&0x0a));
    let lines = if has_lines { ".replace(System.lineSeparator(), \"\\n\")" } else { "" };
    let expected = scope.expr(expected);
    let actual = Doc::text(format!("capturedText({stream}){lines}"));
    call(library, scope, "assertEquals", vec![expected, actual])
}

/// Members that swap the standard streams, if any case looks at them.
pub fn capture(library: Library, cases: &[TestCase], names: &mut Names<'_>, source: &mut Source) {
    let looks = |subject: Subject| cases.iter().flat_map(|case| &case.asserts).any(|a| a.subject == subject);
    let streams: Vec<(&str, &str)> =
        [(looks(Subject::Stdout), ("Out", "out")), (looks(Subject::Stderr), ("Err", "err"))]
            .into_iter()
            .filter_map(|(used, stream)| used.then_some(stream))
            .collect();
    if streams.is_empty() {
        return;
    }
    let (before, after) = match library {
        Library::Junit5 => ("org.junit.jupiter.api.BeforeEach", "org.junit.jupiter.api.AfterEach"),
        Library::KotlinTest => ("kotlin.test.BeforeTest", "kotlin.test.AfterTest"),
    };
    let bytes = names.import("java.io.ByteArrayOutputStream");
    let print = names.import("java.io.PrintStream");
    for (upper, lower) in &streams {
        source.line(&format!("private val standard{upper} = System.{lower}"));
        source.line(&format!("private val captured{upper} = {bytes}()"));
    }
    source.gap();
    source.line(&format!("@{}", names.import(before)));
    source.line("fun captureOutput() {");
    source.indent();
    for (upper, _) in &streams {
        source.line(&format!("System.set{upper}({print}(captured{upper}, true, \"UTF-8\"))"));
    }
    source.dedent();
    source.line("}");
    source.gap();
    source.line(&format!("@{}", names.import(after)));
    source.line("fun restoreOutput() {");
    source.indent();
    for (upper, _) in &streams {
        source.line(&format!("System.set{upper}(standard{upper})"));
    }
    source.dedent();
    source.line("}");
    source.gap();
    source.line(&format!("private fun capturedText(stream: {bytes}) = stream.toString(\"UTF-8\")"));
}
