//! Assertions, as far as the frameworks agree; where they do not, a [`Dialect`] decides.

use suite::case::{Assert, Check, ClassName, Subject, Type, Value};

use super::expr::{Place, Scope};
use super::literal;
use crate::doc::Doc;

const ARGUMENT: Place = Place::Argument { overloaded: false };

/// What differs between test frameworks. One file a framework.
pub trait Dialect {
    /// The class whose static methods are imported.
    fn assertions(&self) -> &'static str;
    fn test_annotation(&self) -> &'static str;
    /// What gives a test a tag, where the framework has tags that are strings.
    fn tag_annotation(&self) -> Option<&'static str>;
    fn disabled_annotation(&self) -> &'static str;
    fn before_annotation(&self) -> &'static str;
    fn after_annotation(&self) -> &'static str;
    /// In front of classes and methods that the framework calls: `public ` or nothing.
    fn visibility(&self) -> &'static str;
    /// Exact equality of a float or double.
    fn float_equals(&self, scope: &mut Scope<'_>, expected: &Value, actual: Doc) -> Doc;
    /// Equality of a box with a known primitive. `boxed`: the actual value's static type is the box itself.
    fn boxed_equals(&self, scope: &mut Scope<'_>, expected: &Value, boxed: bool, actual: Doc) -> Doc;
    /// Equality of arrays; `elem` is the element type.
    fn array_equals(&self, scope: &mut Scope<'_>, expected: Doc, actual: Doc, elem: &Type) -> Doc;
    /// That an object goes over the elements of a list.
    fn iterates(&self, scope: &mut Scope<'_>, expected: Doc, actual: Doc) -> Doc;
    fn instance_of(&self, scope: &mut Scope<'_>, class: &ClassName, actual: Doc) -> Doc;
    /// Whether [`completes`](Self::completes) puts the call into a lambda.
    fn wraps_completion(&self) -> bool;
    /// The statement for a call of which nothing but its normal end is asserted.
    fn completes(&self, scope: &mut Scope<'_>, call: Doc) -> Doc;
}

/// One of the framework's assertion methods called.
pub fn assertion(dialect: &dyn Dialect, scope: &mut Scope<'_>, method: &str, args: Vec<Doc>) -> Doc {
    Doc::call(scope.names.static_method(dialect.assertions(), method), args)
}

/// `inline`: the expression that stands for the result, where it has no variable.
pub fn assert(dialect: &dyn Dialect, scope: &mut Scope<'_>, assert: &Assert, inline: Option<Doc>) -> Doc {
    match &assert.subject {
        Subject::Value(value) => {
            let ty = scope.static_type(value);
            let actual = match inline {
                Some(doc) => doc,
                None => scope.expr(value, &Type::Void, ARGUMENT),
            };
            check(dialect, scope, &assert.check, actual, ty)
        }
        Subject::Stdout => printed(dialect, scope, &assert.check, "capturedOut"),
        Subject::Stderr => printed(dialect, scope, &assert.check, "capturedErr"),
    }
}

fn check(dialect: &dyn Dialect, scope: &mut Scope<'_>, check: &Check, actual: Doc, ty: Option<Type>) -> Doc {
    match check {
        Check::Null => assertion(dialect, scope, "assertNull", vec![actual]),
        Check::NotNull => assertion(dialect, scope, "assertNotNull", vec![actual]),
        Check::Same(expected) => {
            let expected = scope.expr(expected, &Type::object(), ARGUMENT);
            assertion(dialect, scope, "assertSame", vec![expected, actual])
        }
        Check::NotSame(unexpected) => {
            let unexpected = scope.expr(unexpected, &Type::object(), ARGUMENT);
            assertion(dialect, scope, "assertNotSame", vec![unexpected, actual])
        }
        Check::Iterates(expected) => {
            let expected = scope.expr(expected, &Type::object(), ARGUMENT);
            dialect.iterates(scope, expected, actual)
        }
        Check::InstanceOf(class) => dialect.instance_of(scope, class, actual),
        Check::Equals(expected) => equals(dialect, scope, expected, actual, ty.as_ref()),
        Check::Within { expected, ulps } => match delta(expected, *ulps) {
            Some(delta) => {
                let method = if matches!(expected, Value::Array { .. }) {
                    "assertArrayEquals"
                } else {
                    "assertEquals"
                };
                let bare = if let Value::Boxed(inner) = expected { inner } else { expected };
                let expected = scope.expr(bare, &Type::Void, ARGUMENT);
                assertion(dialect, scope, method, vec![expected, actual, Doc::text(delta)])
            }
            None => equals(dialect, scope, expected, actual, ty.as_ref()),
        },
    }
}

fn equals(
    dialect: &dyn Dialect,
    scope: &mut Scope<'_>,
    expected: &Value,
    actual: Doc,
    ty: Option<&Type>,
) -> Doc {
    let boxed = ty.is_some_and(|ty| ty.unboxed().is_some());
    match expected {
        Value::Null => assertion(dialect, scope, "assertNull", vec![actual]),
        Value::Boxed(inner) if ty.is_some_and(Type::is_primitive) => {
            equals(dialect, scope, inner, actual, ty)
        }
        Value::Boxed(inner) => match **inner {
            Value::Bool(value) if boxed => truth(dialect, scope, value, actual),
            _ => dialect.boxed_equals(scope, inner, boxed, actual),
        },
        Value::Bool(value) if ty.is_none_or(|ty| *ty == Type::Bool) => truth(dialect, scope, *value, actual),
        Value::Float(_) | Value::Double(_) if ty.is_none_or(Type::is_primitive) => {
            dialect.float_equals(scope, expected, actual)
        }
        // Integers of any width compare by value; the plain literal is the most readable.
        Value::Byte(v) if ty == Some(&Type::Byte) => integral(dialect, scope, literal::byte(*v), actual),
        Value::Short(v) if ty == Some(&Type::Short) => integral(dialect, scope, literal::short(*v), actual),
        Value::Array { elem, .. } => {
            let array = Type::array(elem.clone());
            let known =
                ty.is_some_and(|ty| *ty == array || (matches!(ty, Type::Array(_)) && !elem.is_primitive()));
            let actual = if known {
                actual
            } else {
                Doc::cat([Doc::text(format!("({}) ", scope.names.erased(&array))), actual])
            };
            let expected = scope.expr(expected, &array, ARGUMENT);
            dialect.array_equals(scope, expected, actual, elem)
        }
        _ => {
            let expected = scope.expr(expected, ty.unwrap_or(&Type::object()), ARGUMENT);
            assertion(dialect, scope, "assertEquals", vec![expected, actual])
        }
    }
}

fn truth(dialect: &dyn Dialect, scope: &mut Scope<'_>, value: bool, actual: Doc) -> Doc {
    assertion(dialect, scope, if value { "assertTrue" } else { "assertFalse" }, vec![actual])
}

fn integral(dialect: &dyn Dialect, scope: &mut Scope<'_>, literal: String, actual: Doc) -> Doc {
    assertion(dialect, scope, "assertEquals", vec![Doc::text(literal), actual])
}

/// What was captured, with the line ends of every platform.
fn printed(dialect: &dyn Dialect, scope: &mut Scope<'_>, check: &Check, stream: &str) -> Doc {
    let (Check::Equals(expected) | Check::Same(expected) | Check::Within { expected, .. }) = check else {
        // A stream is a text; of the other checks only "not null" could hold, and that says nothing.
        return assertion(dialect, scope, "assertNotNull", vec![Doc::text(stream)]);
    };
    let has_lines = matches!(expected, Value::Str(text) if text.units().contains(&0x0a));
    let text =
        format!("{stream}.toString({})", super::capture::charset(scope.names, scope.release, expected));
    let text = if has_lines { format!("{text}.replace(System.lineSeparator(), \"\\n\")") } else { text };
    let expected = scope.expr(expected, &Type::string(), ARGUMENT);
    assertion(dialect, scope, "assertEquals", vec![expected, Doc::text(text)])
}

/// The delta literal for a finite expectation; of an array, the largest its elements allow.
pub fn delta(expected: &Value, ulps: u32) -> Option<String> {
    match expected {
        Value::Boxed(inner) => delta(inner, ulps),
        Value::Float(bits) if f32::from_bits(*bits).is_finite() => Some(literal::float_delta(*bits, ulps)),
        Value::Double(bits) if f64::from_bits(*bits).is_finite() => Some(literal::double_delta(*bits, ulps)),
        Value::Array { items, .. } => {
            let largest = items.iter().filter(|v| match v {
                Value::Float(bits) => f32::from_bits(*bits).is_finite(),
                Value::Double(bits) => f64::from_bits(*bits).is_finite(),
                _ => false,
            });
            let key = |v: &&Value| match v {
                Value::Float(bits) => u64::from(bits & 0x7fff_ffff),
                Value::Double(bits) => bits & (u64::MAX >> 1),
                _ => 0,
            };
            delta(largest.max_by_key(key)?, ulps)
        }
        _ => None,
    }
}
