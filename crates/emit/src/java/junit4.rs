//! JUnit 4 (4.13, for `assertThrows`).

use suite::case::{ClassName, Type, Value};

use super::asserts::{Dialect, assertion};
use super::expr::{Place, Scope};
use crate::doc::Doc;

pub struct Junit4;

const ARGUMENT: Place = Place::Argument { overloaded: false };

impl Dialect for Junit4 {
    fn assertions(&self) -> &'static str {
        "org.junit.Assert"
    }

    fn test_annotation(&self) -> &'static str {
        "org.junit.Test"
    }

    fn tag_annotation(&self) -> Option<&'static str> {
        None
    }

    fn disabled_annotation(&self) -> &'static str {
        "org.junit.Ignore"
    }

    fn before_annotation(&self) -> &'static str {
        "org.junit.Before"
    }

    fn after_annotation(&self) -> &'static str {
        "org.junit.After"
    }

    fn visibility(&self) -> &'static str {
        "public "
    }

    /// JUnit 4 wants a delta; with a delta of zero it takes NaN for NaN but the zeros for equal, so the one
    /// a person would not expect is compared by hand.
    fn float_equals(&self, scope: &mut Scope<'_>, expected: &Value, actual: Doc) -> Doc {
        let literal = scope.expr(expected, &Type::Void, ARGUMENT);
        let (zero, class) = match expected {
            Value::Float(bits) if *bits == 1 << 31 => ("", Some("Float")),
            Value::Float(_) => ("0.0f", None),
            Value::Double(bits) if *bits == 1 << 63 => ("", Some("Double")),
            _ => ("0.0", None),
        };
        let args = match class {
            Some(class) => {
                let class = scope.names.known(&format!("java.lang.{class}"));
                vec![Doc::text("0"), Doc::call(format!("{class}.compare"), vec![literal, actual])]
            }
            None => vec![literal, actual, Doc::text(zero)],
        };
        assertion(self, scope, "assertEquals", args)
    }

    /// `assertEquals(3, Integer)` is ambiguous between longs and objects: spell the box.
    fn boxed_equals(&self, scope: &mut Scope<'_>, expected: &Value, boxed: bool, actual: Doc) -> Doc {
        let ty = scope.static_type(expected).map_or(Type::object(), |ty| ty.boxed());
        let expected =
            scope.expr(&Value::boxed(expected.clone()), &ty, Place::Argument { overloaded: boxed });
        assertion(self, scope, "assertEquals", vec![expected, actual])
    }

    fn array_equals(&self, scope: &mut Scope<'_>, expected: Doc, actual: Doc, elem: &Type) -> Doc {
        let mut args = vec![expected, actual];
        match elem {
            Type::Float => args.push(Doc::text("0.0f")),
            Type::Double => args.push(Doc::text("0.0")),
            _ => {}
        }
        assertion(self, scope, "assertArrayEquals", args)
    }

    fn iterates(&self, scope: &mut Scope<'_>, expected: Doc, actual: Doc) -> Doc {
        let stream = scope.names.known("java.util.stream.StreamSupport");
        let list = scope.names.known("java.util.stream.Collectors");
        let elements = Doc::cat([
            Doc::text(format!("{stream}.stream(")),
            actual,
            Doc::text(format!(".spliterator(), false).collect({list}.toList())")),
        ]);
        assertion(self, scope, "assertEquals", vec![expected, elements])
    }

    fn instance_of(&self, scope: &mut Scope<'_>, class: &ClassName, actual: Doc) -> Doc {
        let class = scope.names.class(class);
        let test = Doc::cat([actual, Doc::text(format!(" instanceof {class}"))]);
        assertion(self, scope, "assertTrue", vec![test])
    }

    fn wraps_completion(&self) -> bool {
        false
    }

    fn completes(&self, _scope: &mut Scope<'_>, call: Doc) -> Doc {
        call
    }
}
