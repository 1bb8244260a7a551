//! What a test may not name, by reflection through methods of the test class: fields that are set, objects of private
//! classes.

use suite::case::{Call, Step, TestCase, Type, Value};

use super::expr::{Place, Scope};
use super::names::Names;
use super::plan::for_calls;
use crate::doc::{Doc, Source};

pub(crate) const SET: &str = "setField";
pub(crate) const CREATE: &str = "create";

pub fn is_needed(case: &TestCase) -> bool {
    sets(case) || creates(case)
}

pub(crate) fn sets(case: &TestCase) -> bool {
    case.arrange.iter().any(|step| matches!(step, Step::Set { reflective: true, .. }))
}

pub(crate) fn creates(case: &TestCase) -> bool {
    let mut found = false;
    for_calls(case, &mut |call| found |= call.traits.reflective);
    found
}

/// `setField(order, "total", 7)`.
pub fn set(scope: &mut Scope<'_>, step: &Step) -> Option<Doc> {
    let Step::Set { of, field, value, reflective: true, .. } = step else { return None };
    let of = scope.expr(of, &Type::object(), Place::Argument { overloaded: false });
    let value = object(scope, value);
    Some(Doc::call(SET, vec![of, Doc::text(format!("\"{field}\"")), value]))
}

/// `create("com.acme.Orders$Entry", "a", 7)`.
pub fn create(scope: &mut Scope<'_>, call: &Call) -> Doc {
    let class = Doc::text(format!("\"{}\"", call.class.binary_name()));
    let args: Vec<Doc> = call.args.iter().map(|arg| object(scope, arg)).collect();
    // A null alone would be no arguments at all.
    let args = match call.args.as_slice() {
        [Value::Null] => vec![Doc::text("(Object) null")],
        _ => args,
    };
    Doc::call(CREATE, std::iter::once(class).chain(args).collect())
}

fn object(scope: &mut Scope<'_>, value: &Value) -> Doc {
    scope.expr(value, &Type::object(), Place::Argument { overloaded: false })
}

/// The methods themselves, as far as they are needed.
pub fn helpers(cases: &[TestCase], names: &mut Names, source: &mut Source) {
    if cases.iter().any(sets) {
        let field = names.known("java.lang.reflect.Field");
        source.gap();
        source.line(&format!(
            "private static void {SET}(Object object, String name, Object value) throws Exception {{"
        ));
        source.indent();
        source.line("for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {");
        source.indent();
        source.line(&format!("for ({field} field : type.getDeclaredFields()) {{"));
        source.indent();
        source.line("if (field.getName().equals(name)) {");
        source.indent();
        source.line("field.setAccessible(true);");
        source.line("field.set(object, value);");
        source.line("return;");
        for _ in 0..3 {
            source.dedent();
            source.line("}");
        }
        source.line("throw new NoSuchFieldException(name);");
        source.dedent();
        source.line("}");
    }
    if cases.iter().any(creates) {
        let constructor = names.known("java.lang.reflect.Constructor");
        source.gap();
        source.line(&format!(
            "private static Object {CREATE}(String className, Object... arguments) throws Exception {{"
        ));
        source.indent();
        source.line(&format!(
            "for ({constructor}<?> constructor : Class.forName(className).getDeclaredConstructors()) {{"
        ));
        source.indent();
        source.line("if (constructor.getParameterTypes().length == arguments.length) {");
        source.indent();
        source.line("constructor.setAccessible(true);");
        source.line("return constructor.newInstance(arguments);");
        for _ in 0..2 {
            source.dedent();
            source.line("}");
        }
        source.line("throw new NoSuchMethodException(className);");
        source.dedent();
        source.line("}");
    }
}
