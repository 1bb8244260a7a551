//! Every method of a JDK's java.base is lowered, and the IR verifier looks at all of it.

use std::path::Path;
use std::sync::Arc;

use ir::Op;
use jvm::link::{Body, ClassOrigin};
use jvm::load::{ClassPath, Jdk, access};
use jvm::{Jvm, Options};

/// What came out of lowering a whole module.
#[derive(Debug, Default)]
struct Count {
    classes: usize,
    methods: usize,
    instructions: usize,
    registers: usize,
    made: usize,
    /// `trap link` in methods that have bytecode: what the module's own code could not link.
    traps: Vec<String>,
    errors: Vec<String>,
}

fn lower_module(home: &str, module: &str) -> Option<Count> {
    let home = Path::new(home);
    if !home.is_dir() {
        return None;
    }
    let jdk = Arc::new(Jdk::open(home).expect("the JDK opens"));
    let path = Arc::new(ClassPath::new(jdk.clone(), &[]).expect("an empty class path"));
    let mut jvm = Jvm::new(path, Options::default()).expect("the base classes link");
    let mut count = Count::default();
    for name in jdk.classes() {
        let package = name.rsplit_once('/').map_or("", |(package, _)| package);
        if jdk.module_of(package).is_none_or(|m| &**m != module) {
            continue;
        }
        let class = match jvm.class(&name) {
            Ok(class) => class,
            Err(error) => {
                count.errors.push(format!("{name}: {error}"));
                continue;
            }
        };
        assert_eq!(jvm.classes[class].origin, ClassOrigin::Library);
        count.classes += 1;
        for func in jvm.classes[class].functions() {
            let has_code = jvm.funcs[func].access & (access::NATIVE | access::ABSTRACT) == 0
                && matches!(jvm.funcs[func].body, Body::Method(_));
            let Some(function) = jvm.ir(func) else { continue };
            if !has_code {
                continue;
            }
            count.methods += 1;
            count.instructions += function.code.len();
            count.registers += function.regs.len();
            let errors = ir::verify(&function, &jvm);
            count.errors.extend(errors.iter().take(1).map(|error| error.to_string()));
            for inst in function.code.iter().filter(|inst| inst.op == Op::Trap) {
                count.traps.push(format!("{}: {}", function.name, jvm.string_text(ir::StrId(inst.b))));
            }
        }
    }
    // What lowering made up on the way: lambdas, initialisers, concatenations.
    for func in jvm.funcs.keys() {
        if let Body::Ir(function) = &jvm.funcs[func].body {
            count.made += 1;
            let errors = ir::verify(function, &jvm);
            count.errors.extend(errors.iter().take(1).map(|error| error.to_string()));
        }
    }
    Some(count)
}

fn check(count: &Count) {
    println!(
        "{} classes, {} methods, {} made up, {} instructions, {} registers, {} traps, {} errors",
        count.classes,
        count.methods,
        count.made,
        count.instructions,
        count.registers,
        count.traps.len(),
        count.errors.len()
    );
    for line in count.errors.iter().take(40) {
        println!("error: {line}");
    }
    for line in count.traps.iter().take(60) {
        println!("trap: {line}");
    }
    assert!(count.errors.is_empty());
}

#[test]
fn all_of_java_base_17_lowers_and_verifies() {
    let count = lower_module("/usr/lib/jvm/java-17-openjdk-amd64", "java.base").expect("JDK 17 is installed");
    check(&count);
    assert!(count.classes > 6000, "{} classes", count.classes);
}

#[test]
fn all_of_java_base_25_lowers_and_verifies() {
    if let Some(count) = lower_module("/usr/lib/jvm/temurin-25-jdk-amd64", "java.base") {
        check(&count);
    }
}
