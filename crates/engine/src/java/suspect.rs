//! Suspected bugs: outcomes that nobody wrote down as meant.
//!
//! A `throw` of the program and the checks of its arguments (`Objects.requireNonNull`, Guava's `Preconditions`…) are
//! refusals: somebody meant them. What a check of the machine raises in the program's code, or the library on its
//! behalf, and what never ends, may be a bug.

use ir::FuncId;
use jvm::world::Jvm;
use suite::case::{Step, TestCase, Value};
use vm::Site;

use super::subject::{Detail, End};

/// A suspected bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// What happens and where: `java.lang.ArithmeticException at a.Calc.divide(II)I, line 7`. One cause, one text.
    pub what: String,
    pub rank: Rank,
    /// Of the innermost call, 0 if unknown.
    pub line: u32,
    /// How the program came there, the innermost call first: `a.Calc.divide, line 7`.
    pub trail: Vec<String>,
    /// Decisions on the path that shows it.
    pub length: usize,
}

/// How likely it is that nobody meant it; the likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Broken whatever the caller may have been told: a failed assertion, a loop without end, an index beyond an array.
    Likely,
    /// A library refused what the program gave it.
    Possible,
    /// The test assigned a field that the class keeps itself: it may hold what no method would put there.
    KeptField,
    /// The caller gave null.
    NullArgument,
}

impl Rank {
    pub fn text(self) -> &'static str {
        match self {
            Rank::Likely => "likely",
            Rank::Possible => "possible",
            Rank::KeptField => "field set from outside",
            Rank::NullArgument => "null argument",
        }
    }
}

/// What the library throws because of a mistake of its caller.
const MISTAKES: [&str; 10] = [
    "java/lang/NullPointerException",
    "java/lang/ArithmeticException",
    "java/lang/IndexOutOfBoundsException",
    "java/lang/ClassCastException",
    "java/lang/NegativeArraySizeException",
    "java/lang/ArrayStoreException",
    "java/lang/StackOverflowError",
    "java/util/ConcurrentModificationException",
    "java/util/NoSuchElementException",
    "java/nio/BufferOverflowException",
];

/// What makes a run a suspected bug, if anything does.
pub fn suspect(
    jvm: &mut Jvm,
    (detail, length): (&Detail, usize),
    case: &TestCase,
    refused_null: bool,
) -> Option<Suspect> {
    match &detail.end {
        End::Stopped(stop) if detail.runs_on => {
            let how = if *stop == vm::Stop::Deadlock { "every thread waits" } else { "does not end" };
            let what = format!("{}.{} {how}", case.act.class.source_name(), called(case));
            Some(Suspect { what, rank: Rank::Likely, line: 0, trail: Vec::new(), length })
        }
        End::Threw { class, thrown: Some(thrown), at, by, .. } if !refused_null => {
            let name = &*jvm.classes[*class].name;
            let innermost = at.first()?;
            let in_program = thrown.site.func == innermost.func;
            let assertion = name == "java/lang/AssertionError";
            let meant = match in_program {
                true => thrown.explicit && !assertion,
                false => !is_mistake(jvm, *class) || by.is_some_and(|func| checks(jvm, func)),
            };
            if meant {
                return None;
            }
            let null_given = gives_null(case) && name == "java/lang/NullPointerException";
            // Structures that go in a circle are made so, and recursion without end is a mistake whoever made them.
            let state = name != "java/lang/StackOverflowError" && kept_field(jvm, case).is_some();
            let rank = match (null_given, in_program || assertion) {
                (true, _) => Rank::NullArgument,
                (false, _) if state => Rank::KeptField,
                (false, true) => Rank::Likely,
                (false, false) => Rank::Possible,
            };
            let trail: Vec<String> = at.iter().map(|site| place(jvm, *site)).collect();
            let what = format!("{} at {}", jvm.classes[*class].java_name(), trail[0]);
            let line = line(jvm, *innermost);
            Some(Suspect { what, rank, line, trail, length })
        }
        _ => None,
    }
}

/// A field that the test assigns and that methods of its class assign too: `list.elementsCount`. That it may be assigned from outside
/// does not mean that it may hold anything.
pub fn kept_field(jvm: &Jvm, case: &TestCase) -> Option<String> {
    case.arrange.iter().find_map(|step| {
        let Step::Set { of, class, field, reflective: false, .. } = step else { return None };
        let owner = jvm.loaded(&class.internal_name())?;
        let name = match of {
            Value::Var(name) => format!("{name}.{field}"),
            _ => field.clone(),
        };
        jvm::input::is_assigned(jvm, owner, field).then_some(name)
    })
}

/// Whether the test passes null anywhere, to the call or to what makes its objects, among elements too.
fn gives_null(case: &TestCase) -> bool {
    let null = |values: &[Value]| values.iter().any(|value| value.any(&mut |v| *v == Value::Null));
    null(&case.act.args)
        || case.arrange.iter().any(|step| match step {
            Step::Bind { value: Value::Call(call), .. } => null(&call.args),
            Step::Do(call) => null(&call.args),
            Step::Bind { value: value @ (Value::List(_) | Value::Array { .. }), .. } => {
                null(std::slice::from_ref(value))
            }
            Step::Bind { value: Value::Fake { methods, .. }, .. } => {
                methods.iter().any(|method| method.called && method.result == Some(Value::Null))
            }
            _ => false,
        })
}

fn called(case: &TestCase) -> &str {
    if case.act.method.is_empty() { "new" } else { &case.act.method }
}

fn is_mistake(jvm: &Jvm, class: ir::ClassId) -> bool {
    MISTAKES.iter().any(|name| jvm.loaded(name).is_some_and(|mistake| jvm.is_subclass(class, mistake)))
}

/// Whether calling the function means that its caller checks an argument.
fn checks(jvm: &Jvm, func: FuncId) -> bool {
    let Some(f) = jvm.funcs.get(func) else { return false };
    let class = &*jvm.classes[f.class].name;
    let simple = class.rsplit(['/', '$']).next().unwrap_or(class);
    let by_name = ["require", "check", "validate", "verify", "ensure", "notNull", "notEmpty"]
        .iter()
        .any(|start| f.name.starts_with(start));
    let of_enum = class == "java/lang/Enum" && &*f.name == "valueOf";
    by_name
        || of_enum
        || throws_what_it_is_given(jvm, func)
        || matches!(simple, "Preconditions" | "Validate" | "Assert" | "Intrinsics")
}

/// `orElseThrow(() -> new NotFound(id))`: the exception is the caller's.
pub fn throws_what_it_is_given(jvm: &Jvm, func: FuncId) -> bool {
    jvm.funcs.get(func).is_some_and(|f| {
        &*f.name == "orElseThrow" && f.descriptor.starts_with("(Ljava/util/function/Supplier;")
    })
}

/// `a.Calc.divide, line 7`.
fn place(jvm: &mut Jvm, site: Site) -> String {
    let Some(f) = jvm.funcs.get(site.func) else { return "?".to_string() };
    let name = format!("{}.{}", jvm.classes[f.class].java_name(), f.name);
    match line(jvm, site) {
        0 => name,
        line => format!("{name}, line {line}"),
    }
}

fn line(jvm: &mut Jvm, site: Site) -> u32 {
    jvm.ir(site.func).and_then(|code| code.positions.get(site.index as usize).map(|p| p.line)).unwrap_or(0)
}
