//! Standard output and error captured in plain JUnit: fields, set-up and tear-down of the test class.

use suite::case::{Check, Subject, TestCase, Value};

use super::asserts::Dialect;
use super::names::Names;
use crate::doc::Source;

/// Which streams the cases of a file look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capture {
    out: bool,
    err: bool,
    /// Something that is not ASCII is expected, so the charset must be said.
    unicode: bool,
}

impl Capture {
    pub fn of(cases: &[TestCase]) -> Capture {
        let mut capture = Capture::default();
        for assert in cases.iter().flat_map(|case| &case.asserts) {
            match assert.subject {
                Subject::Stdout => capture.out = true,
                Subject::Stderr => capture.err = true,
                Subject::Value(_) => continue,
            }
            capture.unicode |= matches!(&assert.check, Check::Equals(value) if !is_ascii(value));
        }
        capture
    }

    /// The members that swap the streams, if any are looked at.
    pub fn members(self, dialect: &dyn Dialect, names: &mut Names, release: u16, source: &mut Source) {
        let streams: Vec<(&str, &str)> = [(self.out, ("Out", "out")), (self.err, ("Err", "err"))]
            .into_iter()
            .filter_map(|(used, stream)| used.then_some(stream))
            .collect();
        if streams.is_empty() {
            return;
        }
        let print = names.known("java.io.PrintStream");
        let bytes = names.known("java.io.ByteArrayOutputStream");
        for (upper, lower) in &streams {
            source.line(&format!("private final {print} standard{upper} = System.{lower};"));
            source.line(&format!("private final {bytes} captured{upper} = new {bytes}();"));
        }
        let charset = match (self.unicode, release >= 10) {
            (false, _) => String::new(),
            (true, true) => format!(", true, {}.UTF_8", names.known("java.nio.charset.StandardCharsets")),
            (true, false) => ", true, \"UTF-8\"".into(),
        };
        let throws = if self.unicode && release < 10 { " throws Exception" } else { "" };
        let visibility = dialect.visibility();
        source.gap();
        source.line(&format!("@{}", names.known(dialect.before_annotation())));
        source.line(&format!("{visibility}void captureOutput(){throws} {{"));
        source.indent();
        for (upper, _) in &streams {
            source.line(&format!("System.set{upper}(new {print}(captured{upper}{charset}));"));
        }
        source.dedent();
        source.line("}");
        source.gap();
        source.line(&format!("@{}", names.known(dialect.after_annotation())));
        source.line(&format!("{visibility}void restoreOutput() {{"));
        source.indent();
        for (upper, _) in &streams {
            source.line(&format!("System.set{upper}(standard{upper});"));
        }
        source.dedent();
        source.line("}");
    }
}

/// The argument of `toString` on the captured bytes.
pub fn charset(names: &mut Names, release: u16, expected: &Value) -> String {
    match (is_ascii(expected), release >= 10) {
        (true, _) => String::new(),
        (false, true) => format!("{}.UTF_8", names.known("java.nio.charset.StandardCharsets")),
        (false, false) => "\"UTF-8\"".into(),
    }
}

/// Whether reading the captured text can throw a checked exception.
pub fn throws_checked(case: &TestCase, release: u16) -> bool {
    release < 10
        && case.asserts.iter().any(|assert| match (&assert.subject, &assert.check) {
            (Subject::Stdout | Subject::Stderr, Check::Equals(expected)) => !is_ascii(expected),
            _ => false,
        })
}

fn is_ascii(value: &Value) -> bool {
    match value {
        Value::Str(text) => text.units().iter().all(|u| *u < 0x80),
        _ => true,
    }
}
