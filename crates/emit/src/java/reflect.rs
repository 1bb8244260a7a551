//! Fields that a test may not name, set by reflection through a method of the test class.

use suite::case::{Step, TestCase, Type};

use super::expr::{Place, Scope};
use super::names::Names;
use crate::doc::{Doc, Source};

const METHOD: &str = "setField";

pub fn is_needed(case: &TestCase) -> bool {
    case.arrange.iter().any(|step| matches!(step, Step::Set { reflective: true, .. }))
}

/// `setField(order, Order.class, "total", 7)`.
pub fn set(scope: &mut Scope<'_>, step: &Step) -> Option<Doc> {
    let Step::Set { of, class, field, value, reflective: true, .. } = step else { return None };
    let place = Place::Argument { overloaded: false };
    let of = scope.expr(of, &Type::class(class.clone()), place);
    let value = scope.expr(value, &Type::object(), place);
    let owner = format!("{}.class", scope.names.class(class));
    let args = vec![of, Doc::text(owner), Doc::text(format!("\"{field}\"")), value];
    Some(Doc::call(METHOD, args))
}

/// The method itself.
pub fn helper(names: &mut Names, source: &mut Source) {
    let field = names.known("java.lang.reflect.Field");
    source.gap();
    source.line(&format!(
        "private static void {METHOD}(Object object, Class<?> owner, String name, Object value) throws Exception {{"
    ));
    source.indent();
    source.line(&format!("{field} field = owner.getDeclaredField(name);"));
    source.line("field.setAccessible(true);");
    source.line("field.set(object, value);");
    source.dedent();
    source.line("}");
}
