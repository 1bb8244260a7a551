//! One test method: arrange, act, assert.

use suite::case::{Check, ClassName, Outcome, Step, Subject, TestCase, Text, Type, Value};

use super::asserts::{Dialect, assert, assertion};
use super::capture;
use super::expr::{LargeArray, Place, Scope, is_default};
use super::names::{Names, identifier, test_method, variable_for};
use super::plan::{for_calls, plan, result_uses};
use super::reflect;
use super::stub::Stub;
use crate::doc::{Doc, Source, WIDTH};

/// At most so many assignments in one method that fills a large array.
const FILLS_A_METHOD: usize = 1500;

/// By which a build can tell suspected bugs from other tests.
pub(crate) const SUSPECT_TAG: &str = "suspected-bug";

pub(crate) const DISABLED: &str = "does not end";

/// Writes the method and the helpers that only it uses.
pub fn method(
    dialect: &dyn Dialect,
    names: &mut Names,
    release: u16,
    (case, stubs): (&TestCase, &[Stub]),
    source: &mut Source,
) {
    let case = &plan(case);
    comment(&case.comment, source);
    source.line(&format!("@{}", names.known(dialect.test_annotation())));
    if let (Some(_), Some(tag)) = (&case.suspect, dialect.tag_annotation()) {
        source.line(&format!("@{}(\"{SUSPECT_TAG}\")", names.known(tag)));
    }
    if case.outcome == (Outcome::Endless { disabled: true }) {
        source.line(&format!("@{}(\"{DISABLED}\")", names.known(dialect.disabled_annotation())));
    }
    let throws = throws_clause(dialect, case, release);
    source.line(&format!("{}void {}(){throws} {{", dialect.visibility(), test_method(&case.name)));
    source.indent();
    let result = result_name(case);
    let mut scope = Scope { names, case, release, result, large: Vec::new(), stubs };
    arrange(&mut scope, source);
    match &case.outcome {
        Outcome::Returns | Outcome::Endless { .. } => act_and_assert(dialect, &mut scope, source),
        Outcome::Throws { class, message } => {
            throws_and_assert(dialect, &mut scope, class, message.as_ref(), source)
        }
    }
    source.dedent();
    source.line("}");
    large_arrays(&mut scope, source);
}

pub fn comment(lines: &[String], source: &mut Source) {
    for line in lines {
        let mut text = String::from("//");
        for word in comment_text(line).split_whitespace() {
            if text.chars().count() + 1 + word.chars().count() > WIDTH - 4 && text.len() > 2 {
                source.line(&text);
                text = String::from("//");
            }
            text.push(' ');
            text.push_str(word);
        }
        source.line(&text);
    }
}

/// Nothing in a comment may end it: no control characters, and no Unicode escape, which javac translates even
/// there (JLS §3.3); an even number of backslashes before the `u` is none.
fn comment_text(line: &str) -> String {
    let mut out = String::new();
    let mut slashes = 0;
    for c in line.chars() {
        if c == 'u' && slashes % 2 == 1 {
            out.push('\\');
        }
        slashes = if c == '\\' { slashes + 1 } else { 0 };
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

/// The checked exceptions that the method must declare. The act's own do not count where it stands in a lambda, which may
/// throw anything.
fn throws_clause(dialect: &dyn Dialect, case: &TestCase, release: u16) -> &'static str {
    let in_lambda = match case.outcome {
        Outcome::Throws { .. } => true,
        Outcome::Returns | Outcome::Endless { .. } => case.asserts.is_empty() && dialect.wraps_completion(),
    };
    let mut outside = case.clone();
    if in_lambda {
        outside.act.traits.throws_checked = false;
        outside.act.traits.throws_any = false;
        outside.act.args.clear();
    }
    let mut checked = capture::throws_checked(case, release) || reflect::is_needed(case);
    let mut any = false;
    for_calls(&outside, &mut |call| {
        checked |= call.traits.throws_checked;
        any |= call.traits.throws_any;
    });
    match (any, checked) {
        (true, _) => " throws Throwable",
        (false, true) => " throws Exception",
        (false, false) => "",
    }
}

fn result_name(case: &TestCase) -> String {
    let wish = match case.act.is_new() {
        true => variable_for(&case.act.class),
        false => "result".to_owned(),
    };
    if case.type_of(&wish).is_some() { "result".to_owned() } else { wish }
}

/// The statements of the arrangement.
pub fn arrange(scope: &mut Scope<'_>, source: &mut Source) {
    for step in &scope.case.arrange {
        match step {
            Step::Bind { name, value: fake @ Value::Fake { ty, constructor, methods }, .. }
                if fake.is_class() =>
            {
                let declaration = format!("{} {} = ", scope.names.ty(ty), identifier(name));
                let object = scope.fake_class(ty, constructor.as_deref(), methods);
                source.put(&Doc::cat([Doc::text(declaration), object]), ";");
            }
            Step::Bind { name, ty, value: fake @ Value::Fake { methods, .. } } if fake.is_block() => {
                scope.fake_block(identifier(name), ty, methods, source);
            }
            Step::Bind { name, ty, value } => {
                let declaration = format!("{} {} = ", scope.names.ty(ty), identifier(name));
                let value = scope.initialiser(value, ty);
                source.put(&Doc::cat([Doc::text(declaration), value]), ";");
            }
            Step::Do(call) => {
                let call = scope.call(call);
                source.put(&call, ";");
            }
            Step::Set { reflective: true, .. } => {
                if let Some(doc) = reflect::set(scope, step) {
                    source.put(&doc, ";");
                }
            }
            Step::Set { of, class, field, ty, value, .. } => {
                let of = scope.expr(of, &Type::class(class.clone()), Place::Receiver);
                let value = scope.expr(value, ty, Place::Assigned);
                source.put(&Doc::cat([of, Doc::text(format!(".{field} = ")), value]), ";");
            }
        }
    }
}

fn act_and_assert(dialect: &dyn Dialect, scope: &mut Scope<'_>, source: &mut Source) {
    let case = scope.case;
    let act = scope.call(&case.act);
    let uses = result_uses(case);
    let looked_at_first =
        case.asserts.first().is_some_and(|assert| assert.subject == Subject::Value(Value::Result));
    let mut inline = None;
    if uses == 0 {
        let statement = if case.asserts.is_empty() { dialect.completes(scope, act) } else { act };
        source.put(&statement, ";");
    } else if uses == 1 && looked_at_first && !needs_type(case) {
        inline = Some(act);
    } else {
        // A type variable's inferred type may fit several overloads of the assertion; a declared one fits one.
        let declaration = format!("{} {} = ", scope.names.ty(&case.act.returns), scope.result);
        source.put(&Doc::cat([Doc::text(declaration), act]), ";");
    }
    for item in &case.asserts {
        let doc = assert(dialect, scope, item, inline.take());
        source.put(&doc, ";");
    }
}

/// Whether the result must be given a declared type before it is asserted.
fn needs_type(case: &TestCase) -> bool {
    let equality = matches!(
        case.asserts.first().map(|assert| &assert.check),
        Some(Check::Equals(value)) if *value != Value::Null
    );
    (case.act.traits.returns_type_variable && equality) || case.act.is_new()
}

fn throws_and_assert(
    dialect: &dyn Dialect,
    scope: &mut Scope<'_>,
    class: &ClassName,
    message: Option<&Text>,
    source: &mut Source,
) {
    let case = scope.case;
    let class = scope.names.class(class);
    let lambda = Doc::cat([Doc::text("() -> "), scope.call(&case.act)]);
    let call = assertion(dialect, scope, "assertThrows", vec![Doc::text(format!("{class}.class")), lambda]);
    match message {
        None => source.put(&call, ";"),
        Some(message) => {
            source.put(&Doc::cat([Doc::text(format!("{class} thrown = ")), call]), ";");
            let place = Place::Argument { overloaded: false };
            let expected = scope.expr(&Value::Str(message.clone()), &Type::string(), place);
            let args = vec![expected, Doc::text("thrown.getMessage()")];
            let equal = assertion(dialect, scope, "assertEquals", args);
            source.put(&equal, ";");
        }
    }
    for item in &case.asserts {
        let doc = assert(dialect, scope, item, None);
        source.put(&doc, ";");
    }
}

/// The methods that make the arrays too large for an expression; one may contain further ones.
pub fn large_arrays(scope: &mut Scope<'_>, source: &mut Source) {
    let mut next = 0;
    while next < scope.large.len() {
        large_array(scope, next, source);
        next += 1;
    }
}

/// A method that makes a large array, and as many more as it takes to fill it.
fn large_array(scope: &mut Scope<'_>, index: usize, source: &mut Source) {
    let LargeArray { method, elem, items } = &scope.large[index];
    let (method, elem, items) = (method.clone(), elem.clone(), items.clone());
    let ty = scope.names.erased(&Type::array(elem.clone()));
    let mut fills = Vec::new();
    let mut at = 0;
    while at < items.len() {
        let run = items[at..].iter().take_while(|v| **v == items[at]).count();
        if !is_default(&items[at], &elem) {
            let value = scope.expr(&items[at], &elem, Place::Argument { overloaded: false });
            if run >= 4 && elem.is_primitive() {
                let fill = format!("{}.fill", scope.names.known("java.util.Arrays"));
                let bounds = [at, at + run].map(|n| Doc::text(n.to_string()));
                let [from, to] = bounds;
                fills.push(Doc::call(fill, vec![Doc::text("array"), from, to, value]));
            } else {
                for i in at..at + run {
                    fills.push(Doc::cat([Doc::text(format!("array[{i}] = ")), value.clone()]));
                }
            }
        }
        at += run;
    }
    let parts: Vec<&[Doc]> = fills.chunks(FILLS_A_METHOD).collect();
    source.gap();
    source.line(&format!("private static {ty} {method}() {{"));
    source.indent();
    let create = scope.new_array(&elem, items.len());
    source.line(&format!("{ty} array = {create};"));
    if let [part] = parts.as_slice() {
        part.iter().for_each(|doc| source.put(doc, ";"));
    } else {
        (1..=parts.len()).for_each(|n| source.line(&format!("{method}_part{n}(array);")));
    }
    source.line("return array;");
    source.dedent();
    source.line("}");
    if parts.len() > 1 {
        for (n, part) in parts.iter().enumerate() {
            source.gap();
            source.line(&format!("private static void {method}_part{}({ty} array) {{", n + 1));
            source.indent();
            part.iter().for_each(|doc| source.put(doc, ";"));
            source.dedent();
            source.line("}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_cannot_be_escaped_from() {
        assert_eq!(comment_text("a\nb"), "a b");
        assert_eq!(comment_text(r"x == '\u000a'"), r"x == '\\u000a'");
        assert_eq!(comment_text(r"\\u000a"), r"\\u000a");
    }
}
