//! Java test classes.

mod asserts;
mod capture;
mod expr;
mod junit4;
mod junit5;
pub mod literal;
mod method;
pub mod names;
pub(crate) mod plan;
pub mod probe;
pub(crate) mod reflect;
mod stub;

use std::collections::BTreeSet;

use suite::case::{ClassName, Step, TestCase, Type, Value};

use crate::doc::Source;
use crate::write::MARKER;
use asserts::Dialect;
pub(crate) use asserts::delta;
use capture::Capture;
pub(crate) use expr::is_default;
pub(crate) use method::{DISABLED, SUSPECT_TAG, comment};
use names::Names;

/// What the tests are written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Framework {
    Junit5,
    Junit4,
}

impl Framework {
    fn dialect(self) -> &'static dyn Dialect {
        match self {
            Framework::Junit5 => &junit5::Junit5,
            Framework::Junit4 => &junit4::Junit4,
        }
    }
}

/// One test class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteFile {
    /// Dotted; the package of the class under test, so that package-private members can be reached.
    pub package: String,
    pub class_name: String,
    /// Simple names of other classes of the package, as far as known: they may hide `java.lang`'s.
    pub siblings: Vec<String>,
    /// In the order in which they are written.
    pub cases: Vec<TestCase>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub framework: Framework,
    /// The Java version that the tests must compile with.
    pub release: u16,
}

/// The text of a file, and where in it each case stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    /// In the order of the cases.
    pub spans: Vec<Span>,
    /// First and last lines of what cases share: only they need it.
    pub shared: Vec<(usize, usize)>,
}

/// The lines of one case, 1-based, inclusive, helpers and comment with it: without them the file is still a
/// Java class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub case: String,
    pub first: usize,
    pub last: usize,
    /// It is expected not to end.
    pub endless: bool,
}

/// Renders a test class. The same input gives the same bytes.
pub fn render(file: &SuiteFile, options: Options) -> Rendered {
    let dialect = options.framework.dialect();
    let mut names = Names::new(&file.package, known_siblings(file));
    let (body, mut spans, mut shared) = class_body(file, dialect, options.release, &mut names);
    let mut source = Source::new();
    header(&file.package, &names, &mut source);
    let offset = source.next_line() - 1;
    for span in &mut spans {
        span.first += offset;
        span.last += offset;
    }
    for (first, last) in &mut shared {
        *first += offset;
        *last += offset;
    }
    Rendered { text: source.finish() + &body, spans, shared }
}

fn header(package: &str, names: &Names, source: &mut Source) {
    source.line(&format!("{MARKER}, which replaces this file when it runs again."));
    source.line(
        "// To keep changes of your own, delete the line above: Testwright then leaves the file alone.",
    );
    if !package.is_empty() {
        source.line(&format!("package {package};"));
    }
    let (statics, imports) = names.import_lines();
    for group in [statics, imports] {
        if !group.is_empty() {
            source.gap();
            group.iter().for_each(|line| source.line(line));
        }
    }
    source.gap();
}

fn class_body(
    file: &SuiteFile,
    dialect: &dyn Dialect,
    release: u16,
    names: &mut Names,
) -> (String, Vec<Span>, Vec<(usize, usize)>) {
    let mut source = Source::new();
    if file.cases.iter().any(has_raw_type) {
        source.line("@SuppressWarnings({\"rawtypes\", \"unchecked\"})");
    }
    source.line(&format!("{}class {} {{", dialect.visibility(), file.class_name));
    source.indent();
    Capture::of(&file.cases).members(dialect, names, release, &mut source);
    let stubs = stub::of(&file.cases, &known_siblings(file));
    let mut spans = Vec::new();
    let suspects = file.cases.iter().position(|case| case.suspect.is_some());
    for (i, case) in file.cases.iter().enumerate() {
        source.gap();
        if suspects == Some(i) {
            suspects_heading(&mut source);
        }
        let first = source.next_line();
        method::method(dialect, names, release, (case, &stubs), &mut source);
        let (last, endless) = (source.next_line() - 1, case.outcome.is_endless());
        spans.push(Span { case: case.name.clone(), first, last, endless });
    }
    let shared = stub::classes(&stubs, names, release, &mut source);
    reflect::helpers(&file.cases, names, &mut source);
    source.dedent();
    source.line("}");
    (source.finish(), spans, shared)
}

/// What stands between the ordinary cases and those that may show bugs.
pub(crate) fn suspects_heading(source: &mut Source) {
    source.line(
        "// Suspected bugs: the tests below pin down what happens today, which may not be what was meant.",
    );
    source.gap();
}

/// Types of the library that have type arguments where a person declares a variable.
const GENERIC: [&str; 18] = [
    "Collection",
    "List",
    "Set",
    "Map",
    "Deque",
    "Queue",
    "Iterator",
    "ListIterator",
    "Iterable",
    "Optional",
    "Comparator",
    "Function",
    "Supplier",
    "Consumer",
    "Predicate",
    "Stream",
    "Entry",
    "Comparable",
];

/// Whether a test declares something of a generic class without its type arguments.
fn has_raw_type(case: &TestCase) -> bool {
    let bare = |ty: &Type| matches!(ty, Type::Class { args, .. } if args.is_empty());
    let raw = |ty: &Type| {
        matches!(ty, Type::Class { name, args }
            if args.is_empty() && name.package.starts_with("java.") && GENERIC.contains(&name.simple_name()))
    };
    let declares = |step: &Step| match step {
        Step::Bind { ty, value: Value::Call(call), .. } => raw(ty) || bare(ty) && call.traits.generic_class,
        Step::Bind { ty, .. } => raw(ty),
        _ => false,
    };
    // What is returned has a variable where it is looked at more than once.
    case.arrange.iter().any(declares) || plan::result_uses(case) > 1 && raw(&case.act.returns)
}

/// Simple names that mean this package's own classes: those given, the test class, and whatever the cases use.
fn known_siblings(file: &SuiteFile) -> BTreeSet<String> {
    let mut siblings: BTreeSet<String> = file.siblings.iter().cloned().collect();
    siblings.insert(file.class_name.clone());
    for case in &file.cases {
        for_classes(case, &mut |class| {
            if class.package == file.package {
                siblings.insert(class.outermost().to_owned());
            }
        });
    }
    siblings
}

fn for_classes(case: &TestCase, f: &mut impl FnMut(&ClassName)) {
    fn of_type(ty: &Type, f: &mut impl FnMut(&ClassName)) {
        match ty {
            Type::Class { name, args } => {
                f(name);
                args.iter().for_each(|arg| of_type(arg, f));
            }
            Type::Array(elem) => of_type(elem, f),
            _ => {}
        }
    }
    plan::for_calls(case, &mut |call| {
        f(&call.class);
        call.params.iter().chain([&call.returns]).for_each(|ty| of_type(ty, f));
    });
    for step in &case.arrange {
        if let Step::Bind { ty, .. } = step {
            of_type(ty, f);
        }
    }
    if let suite::case::Outcome::Throws { class, .. } = &case.outcome {
        f(class);
    }
    for assert in &case.asserts {
        if let suite::case::Check::InstanceOf(class) = &assert.check {
            f(class);
        }
    }
    plan::for_values(case, &mut |value| {
        value.any(&mut |v| {
            match v {
                Value::Enum { class, .. } | Value::Field { class, .. } => f(class),
                Value::Fake { ty, methods, .. } => {
                    of_type(ty, f);
                    let types = methods.iter().flat_map(|m| m.params.iter().chain([&m.returns]));
                    types.for_each(|ty| of_type(ty, f));
                }
                Value::Class(ty) | Value::Array { elem: ty, .. } => of_type(ty, f),
                _ => {}
            }
            false
        });
    });
}
