//! Java sources compiled on the fly, lowered and run.
#![allow(dead_code, reason = "every test binary uses another part")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ir::FuncId;
use jvm::boot::{BootOptions, boot};
use jvm::load::{ClassPath, Jdk};
use jvm::{Jvm, Options};
use vm::{Outcome, Val, Vm};

pub const JDK: &str = "/usr/lib/jvm/java-17-openjdk-amd64";

/// Compiles sources (`Name.java` and text) into a folder that is removed with the value.
pub fn compile_on(jdk: &str, sources: &[(&str, &str)], flags: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut files = Vec::new();
    for (name, text) in sources {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("a source file");
        files.push(file);
    }
    let done = Command::new(format!("{jdk}/bin/javac"))
        .args(["-nowarn", "-d"])
        .arg(folder.path())
        .args(flags)
        .args(&files)
        .output()
        .expect("javac runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    folder
}

pub fn open(folder: &Path) -> Jvm {
    let jdk = Arc::new(Jdk::open(Path::new(JDK)).expect("the JDK opens"));
    let path = Arc::new(ClassPath::new(jdk, &[folder.to_owned()]).expect("the folder opens"));
    Jvm::new(path, Options::default()).expect("the base classes link")
}

/// A booted world over a folder of classes.
pub fn booted(jdk: &str, folder: &Path) -> Vm<Jvm> {
    let jdk = Arc::new(Jdk::open(Path::new(jdk)).expect("the JDK opens"));
    boot(&BootOptions::new(jdk, vec![folder.to_owned()])).expect("the JDK boots")
}

/// A static or instance method by class, name and descriptor.
pub fn method(jvm: &mut Jvm, class: &str, name: &str, descriptor: &str) -> FuncId {
    let class = jvm.class(class).expect("the class is there");
    jvm.declared(class, name, descriptor).expect("the method is there")
}

/// The only method of that name.
pub fn named(jvm: &mut Jvm, class: &str, name: &str) -> FuncId {
    let class = jvm.class(class).expect("the class is there");
    let mut all = jvm.classes[class].functions().filter(|f| &*jvm.funcs[*f].name == name);
    let first = all.next().unwrap_or_else(|| panic!("{name} is there"));
    assert!(all.next().is_none(), "{name} is overloaded");
    first
}

/// The lowered method as text.
pub fn text(jvm: &mut Jvm, class: &str, name: &str) -> String {
    let func = named(jvm, class, name);
    let function = jvm.ir(func).expect("not a native");
    ir::text::print_function(&function, jvm)
}

pub fn run(vm: &mut Vm<Jvm>, class: &str, name: &str, args: &[Val]) -> Outcome {
    let target = named(&mut vm.lang, class, name);
    let class = vm.lang.funcs[target].class;
    match jvm::input::initialise(vm, class) {
        Ok(()) => vm.call(target, args),
        Err(outcome) => outcome,
    }
}

/// The i32 a method returns.
pub fn run_i32(vm: &mut Vm<Jvm>, class: &str, name: &str, args: &[Val]) -> i32 {
    match run(vm, class, name, args) {
        Outcome::Returned(Some(value)) => value.as_i32(),
        other => panic!("{class}.{name}: {other:?}"),
    }
}
