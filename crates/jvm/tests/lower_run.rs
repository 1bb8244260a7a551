//! Java methods run in the VM and on the real JVM: the answers must agree.

mod lower_common;

use std::process::Command;

use ir::Type;
use jvm::Jvm;
use jvm::link::string_units;
use lower_common::{JDK, booted, compile_on, named, run};
use vm::{Outcome, Val, Vm};

/// Runs every static method without parameters that returns `int`, in the VM and on the JVM (whose `main` prints
/// `name=value` lines).
fn agree(jdk: &str, class: &str, source: &str) {
    let printer = ("RunAll.java", include_str!("lower_programs/RunAll.java"));
    let folder = compile_on(jdk, &[(&format!("{class}.java"), source), printer], &["-g"]);
    let done = Command::new(format!("{jdk}/bin/java"))
        .args(["-ea", "-cp"])
        .arg(folder.path())
        .args(["RunAll", class])
        .output()
        .expect("java runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    let mut vm = booted(jdk, folder.path());
    let mut wrong = Vec::new();
    for line in printed.lines() {
        let (name, expected) = line.split_once('=').expect("name=value");
        vm.start_run(Default::default());
        let found = match run(&mut vm, class, name, &[]) {
            Outcome::Returned(Some(value)) => show(&mut vm, class, name, value),
            other => describe(&vm, &other),
        };
        if found != expected {
            wrong.push(format!("{name}: {found}, not {expected}"));
        }
    }
    assert!(printed.lines().count() > 3);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// An int or a string as Java prints it.
fn show(vm: &mut Vm<Jvm>, class: &str, name: &str, value: Val) -> String {
    let func = named(&mut vm.lang, class, name);
    match vm.lang.funcs[func].signature.ret {
        Some(Type::Ref) if value.as_obj().is_null() => "null".to_string(),
        Some(Type::Ref) => String::from_utf16_lossy(&string_units(vm, value.as_obj())).replace('\n', "\\n"),
        _ => value.as_i32().to_string(),
    }
}

fn describe(vm: &Vm<Jvm>, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Threw(exception) => {
            let class = vm.heap.class(*exception);
            let message = vm.lang.classes[vm.lang.known.throwable]
                .fields
                .iter()
                .find(|field| &*field.name == "detailMessage")
                .map(|field| vm.heap.read_ref(*exception, field.offset));
            let text =
                message.filter(|m| !m.is_null()).map(|m| String::from_utf16_lossy(&string_units(vm, m)));
            format!("{} {}", vm.lang.classes[class].java_name(), text.unwrap_or_default())
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn arithmetic_and_conversions_agree_with_the_jvm() {
    agree(JDK, "Arithmetic", include_str!("lower_programs/Arithmetic.java"));
}

#[test]
fn control_flow_arrays_and_exceptions_agree_with_the_jvm() {
    agree(JDK, "Control", include_str!("lower_programs/Control.java"));
}

#[test]
fn dispatch_and_initialisation_agree_with_the_jvm() {
    agree(JDK, "Dispatch", include_str!("lower_programs/Dispatch.java"));
}

#[test]
fn lambdas_and_method_references_agree_with_the_jvm() {
    agree(JDK, "Lambdas", include_str!("lower_programs/Lambdas.java"));
}

#[test]
fn strings_records_and_switches_agree_with_the_jvm() {
    agree(JDK, "Strings", include_str!("lower_programs/Strings.java"));
}

#[test]
fn pattern_switches_agree_with_the_jvm() {
    let jdk = "/usr/lib/jvm/temurin-25-jdk-amd64";
    if std::path::Path::new(jdk).is_dir() {
        agree(jdk, "PatternSwitches", include_str!("lower_programs/PatternSwitches.java"));
    }
}
