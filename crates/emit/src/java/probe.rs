//! A program that performs cases on the real JVM and reports what it saw, one JSON line a case.
//!
//! Each line is `{"case": n, "outcome": …, "subjects": […]}`. The outcome is `{"returned": V}` or `{"thrown":
//! {"class", "exact", "message"}}` or `{"broken": text}` when the arrangement failed; the subjects stand for the
//! case's asserts, in order: `V`, or null where there is none. `V` is `{"value": …}` in the serial form of
//! [`Value`], or `{"opaque": class}` for objects that no value stands for.

use suite::case::{Subject, TestCase, Type, Value};

use super::expr::{Place, Scope};
use super::method::{arrange, large_arrays};
use super::names::Names;
use super::{Rendered, Span, SuiteFile, known_siblings, plan, reflect};
use crate::doc::{Doc, Source};

/// Helpers of the probe: showing values, capturing streams, the protocol. Java 8.
const SUPPORT: &str = include_str!("probe_support.java");

/// The probe's main class, in the package of the cases. Its arguments: the file to report to, the milliseconds a
/// case may take, and the indexes of the cases to perform.
pub const CLASS: &str = "TestwrightProbe";

/// `file.class_name` is ignored.
pub fn render(file: &SuiteFile, release: u16) -> Rendered {
    let mut names = Names::new(&file.package, known_siblings(file));
    let mut source = Source::new();
    if !file.package.is_empty() {
        source.line(&format!("package {};", file.package));
        source.gap();
    }
    // Imports are known only after the body.
    let mut body = Source::new();
    let mut spans = Vec::new();
    body.line("@SuppressWarnings({\"rawtypes\", \"unchecked\", \"deprecation\"})");
    body.line(&format!("class {CLASS} {{"));
    body.indent();
    for (index, case) in file.cases.iter().enumerate() {
        let first = body.next_line();
        // Variables keep their places here: only their names are put right.
        perform(&plan::renamed(case), index, &mut names, release, &mut body);
        let (last, endless) = (body.next_line() - 1, case.outcome.is_endless());
        spans.push(Span { case: case.name.clone(), first, last, endless });
    }
    reflect::helpers(&file.cases, &mut names, &mut body);
    body.line("public static void main(String[] args) throws Exception {");
    body.indent();
    body.line(&format!("TestwrightProbeSupport.main(args, {CLASS}.class);"));
    body.dedent();
    body.line("}");
    body.dedent();
    body.line("}");
    body.gap();
    let (_, imports) = names.import_lines();
    imports.iter().for_each(|line| source.line(line));
    source.gap();
    let offset = source.next_line() - 1;
    for span in &mut spans {
        span.first += offset;
        span.last += offset;
    }
    Rendered { text: source.finish() + &body.finish() + SUPPORT, spans, shared: Vec::new() }
}

fn perform(case: &TestCase, index: usize, names: &mut Names, release: u16, source: &mut Source) {
    let returns_something = case.act.returns != Type::Void;
    let result = "result".to_owned();
    let mut scope = Scope { names, case, release, result, large: Vec::new(), stubs: &[] };
    source.line(&format!("static void case{index}(TestwrightProbeSupport probe) throws Throwable {{"));
    source.indent();
    arrange(&mut scope, source);
    if returns_something {
        let ty = scope.names.ty(&case.act.returns);
        source.line(&format!("{ty} result = {};", zero(&case.act.returns)));
    }
    source.line("probe.begin();");
    source.line("try {");
    source.indent();
    let act = scope.call(&case.act);
    if returns_something {
        source.put(&Doc::cat([Doc::text("result = "), act]), ";");
        source.line("probe.returned(TestwrightProbeSupport.show(result));");
    } else {
        source.put(&act, ";");
        source.line("probe.returned(null);");
    }
    source.dedent();
    source.line("} catch (Throwable thrown) {");
    source.indent();
    source.line("probe.thrown(thrown);");
    source.dedent();
    source.line("} finally {");
    source.indent();
    source.line("probe.end();");
    source.dedent();
    source.line("}");
    for assert in &case.asserts {
        match &assert.subject {
            Subject::Stdout => source.line("probe.subject(probe.stdout());"),
            Subject::Stderr => source.line("probe.subject(probe.stderr());"),
            Subject::Value(value) => {
                let of_result = value.any(&mut |v| *v == Value::Result);
                let place = Place::Argument { overloaded: false };
                let doc = scope.expr(value, &Type::object(), place);
                let test = if of_result { "if (probe.hasReturned()) " } else { "" };
                source.line(&format!("{test}try {{"));
                source.indent();
                source.put(
                    &Doc::call("probe.subject", vec![Doc::call("TestwrightProbeSupport.show", vec![doc])]),
                    ";",
                );
                source.dedent();
                source.line("} catch (Throwable thrown) {");
                source.indent();
                source.line("probe.subject(null);");
                source.dedent();
                source.line(if of_result { "} else probe.subject(null);" } else { "}" });
            }
        }
    }
    source.dedent();
    source.line("}");
    large_arrays(&mut scope, source);
}

fn zero(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "false",
        ty if ty.is_primitive() => "0",
        _ => "null",
    }
}
