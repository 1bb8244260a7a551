//! Class paths of directories and jars, as users have them: good, missing, broken, hostile.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};

use jvm::load::{ClassFile, ClassPath, Jdk, LoadError, Origin};

const JDK_17: &str = "/usr/lib/jvm/java-17-openjdk-amd64";

static JDK: LazyLock<Arc<Jdk>> = LazyLock::new(|| Arc::new(Jdk::open(Path::new(JDK_17)).unwrap()));

fn class_path(entries: &[&Path]) -> Result<ClassPath, LoadError> {
    ClassPath::new(JDK.clone(), &entries.iter().map(|path| path.to_path_buf()).collect::<Vec<_>>())
}

fn run(folder: &Path, tool: &str, arguments: &[&str]) {
    let output =
        Command::new(format!("{JDK_17}/bin/{tool}")).current_dir(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles `(name, source)` pairs into `folder/out`.
fn compile(folder: &Path, out: &str, flags: &[&str], sources: &[(&str, &str)]) {
    let mut arguments = vec!["-d", out];
    arguments.extend(flags);
    for (name, source) in sources {
        std::fs::write(folder.join(name), source).unwrap();
        arguments.push(name);
    }
    run(folder, "javac", &arguments);
}

#[test]
fn directories_and_jars() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let a =
        "package com.acme; public class A { public int f(int x) { return x + 1; } static class Inner {} }";
    compile(folder, "out", &["-g", "-parameters"], &[("A.java", a), ("B.java", "class B {}")]);
    std::fs::write(folder.join("out/com/acme/text.properties"), "k=v").unwrap();
    run(folder, "jar", &["cf", "a.jar", "-C", "out", "."]);

    for entry in [folder.join("out"), folder.join("a.jar")] {
        let class_path = class_path(&[&entry]).unwrap();
        assert_eq!(class_path.list(0).unwrap(), ["B", "com/acme/A", "com/acme/A$Inner"]);
        let (class, origin) = class_path.load("com/acme/A").unwrap().unwrap();
        assert_eq!(origin, Origin::Entry(0));
        let f = class.method("f", "(I)I").unwrap();
        let parameter = &f.parameters.as_ref().unwrap()[0];
        assert_eq!(parameter.name.as_deref(), Some("x"));
        let code = f.code.as_ref().unwrap();
        assert_eq!(code.local(1, 0).map(|local| &*local.name), Some("x"));
        assert_eq!(code.line(2), Some(1));
        assert_eq!(class_path.load("java/lang/Object").unwrap().unwrap().1, Origin::Jdk);
        let resource = class_path.resource("com/acme/text.properties").unwrap().unwrap();
        assert_eq!((&*resource.bytes, resource.origin), (b"k=v".as_slice(), Origin::Entry(0)));
        for absent in [
            "com/acme/Nope",
            "com/acme",
            "",
            "/",
            "../out/B",
            "com/../B",
            "/etc/passwd",
            "B/",
            "a\0b",
            "com//acme/A",
        ] {
            assert!(class_path.load(absent).unwrap().is_none(), "{absent}");
        }
    }

    // The first entry wins; every entry is listed; a folder's jars are a class path too.
    let both = class_path(&[&folder.join("out"), &folder.join("a.jar")]).unwrap();
    assert_eq!(both.load("B").unwrap().unwrap().1, Origin::Entry(0));
    assert_eq!(both.list_all().unwrap().len(), 3);
    assert_eq!(both.resources("com/acme/text.properties").unwrap().len(), 2);
    let star = class_path(&[&folder.join("*")]).unwrap();
    assert_eq!(star.entry(0), Some(folder.join("a.jar").as_path()));
}

#[test]
fn entries_that_are_wrong() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let message = |path: &Path| class_path(&[path]).unwrap_err().to_string();

    let missing = folder.join("missing.jar");
    assert_eq!(message(&missing), format!("class path entry {} does not exist", missing.display()));

    let text = folder.join("text.jar");
    std::fs::write(&text, "this is no archive").unwrap();
    assert!(
        message(&text).starts_with(&format!("cannot read jar {}: ", text.display())),
        "{}",
        message(&text)
    );

    compile(
        folder,
        "out",
        &[],
        &[("B.java", "class B { String s = \"some text to compress, some text\"; }")],
    );
    let class = folder.join("out/B.class");
    assert!(message(&class).ends_with("is neither a directory nor a jar"));

    // Cut short: the directory at the end is gone. Damaged inside: the checksum tells, and names the entry.
    run(folder, "jar", &["cf", "b.jar", "-C", "out", "."]);
    let good = std::fs::read(folder.join("b.jar")).unwrap();
    std::fs::write(&text, &good[..good.len() / 2]).unwrap();
    assert!(message(&text).starts_with("cannot read jar"));
    let mut damaged = good.clone();
    let at = damaged.windows(7).position(|window| window == b"B.class").unwrap() + 60;
    damaged[at..at + 20].fill(0);
    std::fs::write(&text, &damaged).unwrap();
    let error = class_path(&[&text]).unwrap().find("B").unwrap_err().to_string();
    assert!(error.starts_with("cannot read jar") && error.contains("(B.class)"), "{error}");

    // A class under a name that is not its own.
    std::fs::copy(&class, folder.join("out/C.class")).unwrap();
    let error = class_path(&[&folder.join("out")]).unwrap().load("C").unwrap_err();
    assert!(error.to_string().ends_with("holds a class named B where C was looked for"), "{error}");
}

#[test]
fn every_damaged_jar_is_an_error_or_works() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    compile(folder, "out", &[], &[("B.java", "class B { int x; }")]);
    run(folder, "jar", &["cf", "b.jar", "-C", "out", "."]);
    let good = std::fs::read(folder.join("b.jar")).unwrap();
    let path = folder.join("bad.jar");
    for at in 0..good.len() {
        for byte in [0x00, 0xff, good[at] ^ 0x40] {
            let mut bad = good.clone();
            bad[at] = byte;
            std::fs::write(&path, &bad).unwrap();
            if let Ok(class_path) = class_path(&[&path]) {
                let _ = class_path.list_all();
                let _ = class_path.load("B");
            }
        }
    }
}

#[test]
fn multi_release_jars() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let source =
        |version: &str| format!("public class V {{ public static final String IS = \"{version}\"; }}");
    for (out, release) in [("base", "8"), ("v11", "11"), ("v17", "17"), ("v21", "17")] {
        compile(folder, out, &["--release", release], &[("V.java", &source(out))]);
    }
    compile(folder, "v17", &["--release", "17"], &[("W.java", "public class W {}")]);
    std::fs::write(folder.join("manifest"), "Multi-Release: true\n").unwrap();
    // Put together by hand: `jar --release 21` would compile-check against a newer JDK.
    for version in ["11", "17", "21"] {
        let to = folder.join(format!("base/META-INF/versions/{version}"));
        std::fs::create_dir_all(&to).unwrap();
        for file in std::fs::read_dir(folder.join(format!("v{version}"))).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    run(folder, "jar", &["cf", "plain.jar", "-C", "base", "."]);
    run(folder, "jar", &["cfm", "multi.jar", "manifest", "-C", "base", "."]);

    let version = |jar: &str| {
        let class_path = class_path(&[&folder.join(jar)]).unwrap();
        let class = class_path.load("V").unwrap().unwrap().0;
        let index = class.field("IS", "Ljava/lang/String;").unwrap().constant_value.unwrap();
        (String::from_utf16(&class.pool.string(index).unwrap()).unwrap(), class_path.list_all().unwrap())
    };
    assert_eq!(version("plain.jar"), ("base".into(), vec!["V".into()]));
    assert_eq!(version("multi.jar"), ("v17".into(), vec!["V".into(), "W".into()]));
}

#[test]
fn manifests_extend_the_class_path() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    compile(folder, "a", &[], &[("A.java", "class A {}")]);
    compile(folder, "b", &[], &[("B.java", "class B {}")]);
    std::fs::create_dir(folder.join("my lib")).unwrap();
    // Names its user, itself, and something that is not there; the long line gets continued.
    let filler = "gone-".repeat(30);
    std::fs::write(folder.join("ma"), format!("Class-Path: {filler}.jar my%20lib/b.jar a.jar\n")).unwrap();
    std::fs::write(folder.join("mb"), "Class-Path: ../a.jar\n").unwrap();
    run(folder, "jar", &["cfm", "a.jar", "ma", "-C", "a", "."]);
    run(folder, "jar", &["cfm", "my lib/b.jar", "mb", "-C", "b", "."]);
    let class_path = class_path(&[&folder.join("a.jar")]).unwrap();
    assert_eq!((class_path.n_entries(), class_path.list_all().unwrap()), (2, vec!["A".into(), "B".into()]));
    assert!(class_path.load("B").unwrap().is_some());
}

#[cfg(unix)]
#[test]
fn links_in_circles() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    compile(folder, "out", &[], &[("B.java", "class B {}")]);
    for name in ["x", "y"] {
        std::os::unix::fs::symlink(folder.join("out"), folder.join("out").join(name)).unwrap();
    }
    assert_eq!(class_path(&[&folder.join("out")]).unwrap().list_all().unwrap(), ["B"]);
}

/// A JDK 8 is made up from a few classes of 17: its layout is what matters.
#[test]
fn the_layout_of_java_8() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    std::fs::create_dir_all(folder.join("jre/lib/ext")).unwrap();
    std::fs::create_dir_all(folder.join("out/java/lang")).unwrap();
    std::fs::write(folder.join("release"), "JAVA_VERSION=\"1.8.0_402\"\n").unwrap();
    let object = JDK.class("java/lang/Object").unwrap().unwrap();
    std::fs::write(folder.join("out/java/lang/Object.class"), &object).unwrap();
    run(folder, "jar", &["cf", "jre/lib/rt.jar", "-C", "out", "."]);
    compile(folder, "ext", &[], &[("E.java", "class E {}")]);
    run(folder, "jar", &["cf", "jre/lib/ext/e.jar", "-C", "ext", "."]);
    for home in [folder.to_path_buf(), folder.join("jre")] {
        let jdk = Arc::new(Jdk::open(&home).unwrap());
        assert_eq!((jdk.feature, jdk.version.as_str()), (8, "1.8.0_402"));
        assert_eq!(jdk.classes(), ["E", "java/lang/Object"]);
        assert!(jdk.module_of("java/lang").is_none());
        let class_path = ClassPath::new(jdk, &[]).unwrap();
        assert_eq!(class_path.load("java/lang/Object").unwrap().unwrap().1, Origin::Jdk);
    }
}

/// Images as `jlink --compress` makes them read the same as the JDK they were made from. Level 1 shares strings
/// (“compact-cp”), level 2 deflates (“zip”).
fn compressed_image(level: &str) {
    let temp = tempfile::tempdir().unwrap();
    if !PathBuf::from(format!("{JDK_17}/jmods/java.base.jmod")).exists() {
        return;
    }
    run(temp.path(), "jlink", &["--add-modules", "java.base", "--output", "image", "--compress", level]);
    let jdk = Jdk::open(&temp.path().join("image")).unwrap();
    let names = jdk.classes();
    let mut different = 0;
    for name in &names {
        let class =
            ClassFile::parse(jdk.class(name).unwrap().unwrap()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(*class.name, **name);
        different += usize::from(JDK.class(name).unwrap() != Some(class.bytes));
    }
    // jlink itself makes the system modules and some invokers anew.
    assert!(names.len() > 5000 && different < 50, "{different} of {} classes differ", names.len());
}

#[test]
fn image_with_shared_strings() {
    compressed_image("1");
}

#[test]
fn image_with_zip() {
    compressed_image("2");
}
