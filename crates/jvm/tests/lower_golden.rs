//! What lowering makes of small methods.

mod lower_common;

use std::sync::LazyLock;

use ir::{Function, Op, Origin};
use jvm::Jvm;
use lower_common::{JDK, compile_on, named, open, text};

const SOURCE: &str = include_str!("lower_programs/Golden.java");

/// Compiled once for all tests.
fn opened() -> Jvm {
    static FOLDER: LazyLock<tempfile::TempDir> =
        LazyLock::new(|| compile_on(JDK, &[("Golden.java", SOURCE)], &["-g"]));
    open(FOLDER.path())
}

fn golden(name: &str, expected: &str) {
    let mut jvm = opened();
    // Positions say where instructions come from, not what they do.
    let found: Vec<String> = text(&mut jvm, "Golden", name)
        .lines()
        .map(|line| line.split_whitespace().filter(|word| !word.starts_with('@') || word.contains('"')))
        .map(|words| words.collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty() && !line.starts_with("func") && line != "}")
        .collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found, expected, "\n{}", found.join("\n"));
}

#[test]
fn expressions_write_their_variable_directly() {
    golden(
        "add",
        r#"
        b0:
        %2: i32 "c" = add.i32 %0, %1
        ret.val %2
        "#,
    );
}

#[test]
fn constants_of_loops_are_made_once_and_checks_not_twice() {
    golden(
        "sum",
        r#"
        b0:
        %3 = const.i32 1
        %1: i32 "t" = const.i32 0
        %2: i32 "i" = const.i32 0
        jump b1
        b1:
        guard.nonnull %0
        %4 = arraylen %0
        %5 = sle.i32 %4, %2
        br %5, b3, b2 !source 0.0
        b2:
        guard.bounds %0, %2
        %4 = aload.i32 %0, %2
        %1 = add.i32 %1, %4
        %2 = add.i32 %2, %3
        jump b1
        b3:
        ret.val %1
        "#,
    );
    golden(
        "bump",
        r#"
        b0:
        guard.nonnull %0
        guard.bounds %0, %1
        %2 = aload.i32 %0, %1
        %3 = const.i32 1
        %3 = add.i32 %2, %3
        astore.i32 %0, %1, %3
        ret.val %2
        "#,
    );
}

#[test]
fn comparisons_go_into_their_branch() {
    golden(
        "min",
        r#"
        b0:
        %3 = lt.f64 %0, %1
        br %3, b1, b2 !source 0.0
        b1:
        %2: f64 = copy %0
        jump b3
        b2:
        %2 = copy %1
        jump b3
        b3:
        ret.val %2
        "#,
    );
}

#[test]
fn handlers_are_found_in_landing_blocks() {
    golden(
        "divide",
        r#"
        b0 unwind b1:
        %3 = const.i32 10
        guard.nonzero.i32 %0
        %3 = sdiv.i32 %3, %0
        ret.val %3
        b1:
        %1 = catch
        %4 = instanceof %1, java/lang/ArithmeticException
        br %4, b2, b3 !synthetic 0.0
        b2:
        %2: ref "e" = copy %1
        %3 = const.i32 -1
        ret.val %3
        b3:
        throw %1
        "#,
    );
}

/// Each branch of a method: its origin, decision and condition.
fn branches(jvm: &mut Jvm, name: &str) -> Vec<(Origin, u32, u32)> {
    let func = named(jvm, "Golden", name);
    let function = jvm.ir(func).expect("lowered");
    function.branches.iter().map(|(_, info)| (info.origin, info.decision, info.condition)).collect()
}

fn source_branches(jvm: &mut Jvm, name: &str) -> Vec<(u32, u32)> {
    let all = branches(jvm, name);
    let mut decisions: Vec<u32> = all.iter().filter(|b| b.0 == Origin::Source).map(|b| b.1).collect();
    decisions.sort_unstable();
    decisions.dedup();
    let number = |d: u32| decisions.iter().position(|known| *known == d).unwrap_or(0) as u32;
    all.iter().filter(|b| b.0 == Origin::Source).map(|b| (number(b.1), b.2)).collect()
}

#[test]
fn branches_of_one_condition_are_one_decision() {
    let mut jvm = opened();
    let cases: &[(&str, &[(u32, u32)])] = &[
        ("cond", &[(0, 0), (0, 1), (0, 2)]),
        ("condCalls", &[(0, 0), (0, 1), (0, 2)]),
        ("condOnStack", &[(0, 0), (0, 1)]),
        ("ternaryCond", &[(0, 0), (0, 1), (0, 2)]),
        ("nestedIf", &[(0, 0), (1, 0)]),
        ("elseIf", &[(0, 0), (1, 0)]),
        ("twoIfs", &[(0, 0), (1, 0)]),
        ("whileAnd", &[(0, 0), (0, 1)]),
        ("multiLine", &[(0, 0), (0, 1), (0, 2)]),
    ];
    for (name, expected) in cases {
        assert_eq!(source_branches(&mut jvm, name), *expected, "{name}");
    }
}

#[test]
fn branches_that_nobody_wrote_are_synthetic() {
    let mut jvm = opened();
    // Of a string switch only the second switch counts, of an assertion the condition, of a resource nothing.
    assert_eq!(source_branches(&mut jvm, "stringSwitch").len(), 1);
    assert_eq!(source_branches(&mut jvm, "asserts").len(), 1);
    assert_eq!(source_branches(&mut jvm, "resource").len(), 0);
    assert_eq!(source_branches(&mut jvm, "closesItself").len(), 1);
    assert_eq!(source_branches(&mut jvm, "enumSwitch").len(), 1);
    assert_eq!(source_branches(&mut jvm, "<clinit>").len(), 0);
}

/// The registers of a function that hold source variables, by name.
fn variables(function: &Function) -> Vec<&str> {
    let mut names: Vec<&str> = function.regs.values().filter_map(|reg| reg.variable.as_deref()).collect();
    names.sort_unstable();
    names
}

#[test]
fn variables_that_share_a_slot_get_registers_of_their_own() {
    let mut jvm = opened();
    let func = named(&mut jvm, "Golden", "slots");
    let function = jvm.ir(func).expect("lowered");
    assert_eq!(variables(&function), ["a", "b", "i", "j", "n", "r"]);
}

#[test]
fn classes_are_initialised_only_where_that_can_matter() {
    let mut jvm = opened();
    let mut guards = |name: &str| {
        let func = named(&mut jvm, "Golden", name);
        let function = jvm.ir(func).expect("lowered");
        function.code.iter().filter(|inst| inst.op == Op::GuardInit).count()
    };
    assert_eq!(guards("usesPlain"), 0);
    assert_eq!(guards("usesStatic"), 1);
    assert_eq!(guards("usesOwn"), 0);
}
