//! JUnit 5 (Jupiter).

use suite::case::{ClassName, Type, Value};

use super::asserts::{Dialect, assertion};
use super::expr::{Place, Scope};
use crate::doc::Doc;

pub struct Junit5;

const ARGUMENT: Place = Place::Argument { overloaded: false };

impl Dialect for Junit5 {
    fn assertions(&self) -> &'static str {
        "org.junit.jupiter.api.Assertions"
    }

    fn test_annotation(&self) -> &'static str {
        "org.junit.jupiter.api.Test"
    }

    fn tag_annotation(&self) -> Option<&'static str> {
        Some("org.junit.jupiter.api.Tag")
    }

    fn disabled_annotation(&self) -> &'static str {
        "org.junit.jupiter.api.Disabled"
    }

    fn before_annotation(&self) -> &'static str {
        "org.junit.jupiter.api.BeforeEach"
    }

    fn after_annotation(&self) -> &'static str {
        "org.junit.jupiter.api.AfterEach"
    }

    fn visibility(&self) -> &'static str {
        ""
    }

    /// Jupiter compares by `doubleToLongBits`, which is what is meant, and refuses a delta of zero.
    fn float_equals(&self, scope: &mut Scope<'_>, expected: &Value, actual: Doc) -> Doc {
        let expected = scope.expr(expected, &Type::Void, ARGUMENT);
        assertion(self, scope, "assertEquals", vec![expected, actual])
    }

    /// Jupiter has overloads for every pair of primitive and box.
    fn boxed_equals(&self, scope: &mut Scope<'_>, expected: &Value, _boxed: bool, actual: Doc) -> Doc {
        let expected = scope.expr(expected, &Type::Void, ARGUMENT);
        assertion(self, scope, "assertEquals", vec![expected, actual])
    }

    fn array_equals(&self, scope: &mut Scope<'_>, expected: Doc, actual: Doc, _elem: &Type) -> Doc {
        assertion(self, scope, "assertArrayEquals", vec![expected, actual])
    }

    fn iterates(&self, scope: &mut Scope<'_>, expected: Doc, actual: Doc) -> Doc {
        assertion(self, scope, "assertIterableEquals", vec![expected, actual])
    }

    fn instance_of(&self, scope: &mut Scope<'_>, class: &ClassName, actual: Doc) -> Doc {
        let class = Doc::text(format!("{}.class", scope.names.class(class)));
        assertion(self, scope, "assertInstanceOf", vec![class, actual])
    }

    fn wraps_completion(&self) -> bool {
        true
    }

    fn completes(&self, scope: &mut Scope<'_>, call: Doc) -> Doc {
        let lambda = Doc::cat([Doc::text("() -> "), call]);
        assertion(self, scope, "assertDoesNotThrow", vec![lambda])
    }
}
