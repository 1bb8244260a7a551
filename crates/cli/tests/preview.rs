//! Preview features of the newest JDK here: patterns of primitive types in `switch`.

use std::path::Path;
use std::process::Command;

use testkit::jdk::{Jdk, Options};

const SOURCE: &str = r#"package p;

public final class Prim {
    private Prim() {}

    public static String kind(int n) {
        return switch (n) {
            case 0 -> "zero";
            case int i when i > 100 -> "big";
            case int i -> "int";
        };
    }

    public static String of(Object o) {
        return switch (o) {
            case Integer i when i > 10 -> "big";
            case int i -> "int";
            case long l -> "long";
            case String s -> "text";
            default -> "other";
        };
    }

    public static int truth(boolean b) {
        return switch (b) {
            case true -> 1;
            case false -> 2;
        };
    }

    public static int large(long l) {
        return switch (l) {
            case 1L -> 1;
            case 10_000_000_000L -> 2;
            default -> 3;
        };
    }

    public static int narrow(int n) {
        return switch (n) {
            case byte b -> 1;
            case short s -> 2;
            case int i -> 3;
        };
    }
}
"#;

/// Where there is a JDK 25: in others the feature is another one, or none.
#[test]
fn switches_over_primitive_values_are_covered_and_confirmed() {
    let Some(jdk) = Jdk::all().into_iter().find(|jdk| jdk.version == 25) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Prim.java");
    std::fs::write(&file, SOURCE).unwrap();
    let options = Options { release: Some(25), no_debug: false, extra: vec!["--enable-preview".to_string()] };
    let classes = jdk.compile(&[file], &options).unwrap();
    let run = |command: &str, more: &[&Path]| {
        let output = Command::new(env!("CARGO_BIN_EXE_testwright"))
            .arg(command)
            .arg("--jdk")
            .arg(&jdk.home)
            .arg("-c")
            .arg(&classes)
            .args(more)
            .arg("p.Prim")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let both = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&both).into_owned()
    };
    let told = run("cover", &[]);
    assert!(told.contains("20 covered, 0 infeasible, 0 open"), "{told}");
    assert!(told.contains("o is a long: covered") && told.contains("n is a byte: covered"), "{told}");
    let told = run("generate", &[Path::new("-o"), &folder.path().join("out")]);
    assert!(told.contains("20 of 20 obligations covered") && !told.contains("dropped"), "{told}");
}
