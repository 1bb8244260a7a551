//! Reads whole JDKs: every class parses, every method decodes, every constant resolves.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use jvm::load::annotation;
use jvm::load::{ClassFile, ClassPath, Jdk, JdkSearch, Origin, access};

const JDK_17: &str = "/usr/lib/jvm/java-17-openjdk-amd64";
const JDK_25: &str = "/usr/lib/jvm/temurin-25-jdk-amd64";

fn jdk(home: &str) -> Arc<Jdk> {
    Arc::new(Jdk::open(Path::new(home)).expect("JDK opens"))
}

#[derive(Default, Debug)]
struct Totals {
    classes: usize,
    methods: usize,
    instructions: usize,
    annotations: usize,
}

fn read_everything(class: &ClassFile, totals: &mut Totals) {
    totals.classes += 1;
    // Index 0 and the second halves of longs and doubles are the only ones without a constant.
    let unusable = (0..class.pool.len()).filter(|index| class.pool.get(*index).is_err()).count();
    let wide = (0..class.pool.len())
        .filter(|index| class.pool.long(*index).is_ok() || class.pool.double(*index).is_ok())
        .count();
    assert_eq!(unusable, 1 + wide, "{}", class.name);
    for method in &class.methods {
        totals.methods += 1;
        let bytecode = method.bytecode().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(bytecode.is_none(), method.access & (access::NATIVE | access::ABSTRACT) != 0);
        totals.instructions += bytecode.map_or(0, |bytecode| bytecode.instrs.len());
        if let Some(raw) = &method.annotation_default {
            annotation::default_value(raw, &class.pool).unwrap();
        }
        if let Some(raw) = method.annotations.as_ref().and_then(|raws| raws.visible_parameters.as_ref()) {
            annotation::parameter_annotations(raw, &class.pool).unwrap();
        }
    }
    let members = class.methods.iter().map(|method| &method.annotations);
    let members =
        members.chain(class.fields.iter().map(|field| &field.annotations)).chain([&class.annotations]);
    for raws in members.flatten() {
        for raw in [&raws.visible, &raws.invisible].into_iter().flatten() {
            totals.annotations += annotation::annotations(raw, &class.pool).unwrap().len();
        }
    }
}

fn read_java_base(jdk: &Jdk) -> Totals {
    let mut totals = Totals::default();
    for name in jdk.classes() {
        let package = name.rsplit_once('/').map_or("", |(package, _)| package);
        if jdk.module_of(package).is_some_and(|module| &**module == "java.base") {
            let bytes = jdk.class(&name).unwrap().expect("listed class is there");
            let class = ClassFile::parse(bytes).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(*class.name, *name);
            read_everything(&class, &mut totals);
        }
    }
    totals
}

#[test]
fn java_base_of_17() {
    let start = Instant::now();
    let jdk = jdk(JDK_17);
    println!("open: {:?}", start.elapsed());
    assert_eq!(jdk.feature, 17);
    let totals = read_java_base(&jdk);
    println!("{totals:?} in {:?}", start.elapsed());
    assert!(
        totals.classes > 6000 && totals.instructions > 1_600_000 && totals.annotations > 1000,
        "{totals:?}"
    );
}

#[test]
fn java_base_of_25_if_present() {
    if !Path::new(JDK_25).exists() {
        return;
    }
    let start = Instant::now();
    let jdk = jdk(JDK_25);
    assert_eq!(jdk.feature, 25);
    let totals = read_java_base(&jdk);
    println!("{totals:?} in {:?}", start.elapsed());
    assert!(totals.classes > 6000 && totals.instructions > 1_500_000, "{totals:?}");
}

#[test]
fn image_lookups() {
    let jdk = jdk(JDK_17);
    assert_eq!(jdk.module_of("java/lang").map(|module| &**module), Some("java.base"));
    assert_eq!(jdk.module_of("java/sql").map(|module| &**module), Some("java.sql"));
    assert_eq!(jdk.module_of("com/acme"), None);
    assert!(jdk.modules().iter().any(|module| &**module == "jdk.compiler"));
    for absent in [
        "java/lang/Strin",
        "java/lang/String/",
        "java/lang/Nope",
        "Nope",
        "",
        "java/lang",
        "/",
        "module-info",
    ] {
        assert!(jdk.class(absent).unwrap().is_none(), "{absent}");
    }
    assert!(jdk.resource("java/lang/uniName.dat").unwrap().is_some());
    assert!(jdk.resource("java/lang/nothing.dat").unwrap().is_none());
    // In a folder that is no package, in some module other than java.base.
    assert!(jdk.resource("META-INF/services/java.nio.file.spi.FileSystemProvider").unwrap().is_some());
    assert!(jdk.module_resource("java.base", "META-INF/services/nothing").unwrap().is_none());
}

#[test]
fn string_as_it_is() {
    let class_path = ClassPath::new(jdk(JDK_17), &[]).unwrap();
    let (string, origin) = class_path.load("java/lang/String").unwrap().unwrap();
    assert_eq!(origin, Origin::Jdk);
    assert_eq!((string.major, string.minor), (61, 0));
    assert!(string.is(access::PUBLIC | access::FINAL | access::SUPER));
    assert_eq!(string.super_name.as_deref(), Some("java/lang/Object"));
    assert_eq!(string.source_file.as_deref(), Some("String.java"));
    assert!(string.interfaces.iter().any(|name| &**name == "java/lang/CharSequence"));
    assert_eq!(string.field("value", "[B").unwrap().ty.to_string(), "[B");
    let latin1 = string.field("LATIN1", "B").unwrap();
    assert_eq!(string.constant_value(latin1).unwrap(), Some(jvm::load::Constant::Int(0)));
    let value_of = string.method("valueOf", "([CII)Ljava/lang/String;").unwrap();
    assert_eq!((value_of.ty.params.len(), value_of.arg_slots()), (3, 3));
    assert_eq!(value_of.ty.to_string(), "([CII)Ljava/lang/String;");
    let intern = string.method("intern", "()Ljava/lang/String;").unwrap();
    assert!(intern.is(access::NATIVE) && intern.bytecode().unwrap().is_none());
    assert!(class_path.load("java/lang/Object").unwrap().unwrap().0.super_name.is_none());
}

#[test]
fn attributes_of_the_jdk() {
    let jdk = jdk(JDK_17);
    let class_path = ClassPath::new(jdk.clone(), &[]).unwrap();
    let load = |name: &str| class_path.load(name).unwrap().unwrap().0;

    let entry = load("java/util/HashMap$TreeNode");
    assert_eq!(entry.nest_host.as_deref(), Some("java/util/HashMap"));
    assert_eq!(entry.modifiers(), access::STATIC | access::FINAL);
    assert!(load("java/util/HashMap").nest_members.contains(&entry.name));

    let sealed = load("java/lang/constant/ConstantDesc");
    let permitted = sealed.permitted_subclasses.expect("sealed in 17");
    assert!(permitted.iter().any(|name| &**name == "java/lang/Integer"));

    let comparator = load("java/util/Comparator");
    assert!(!comparator.bootstrap_methods.is_empty());
    let handle = comparator.pool.method_handle(comparator.bootstrap_methods[0].handle).unwrap();
    assert_eq!(handle.member.class, "java/lang/invoke/LambdaMetafactory");

    let anonymous = load("java/util/Collections$1");
    assert_eq!(anonymous.enclosing_method.unwrap().class.as_ref(), "java/util/Collections");

    let module = jdk.module_resource("java.sql", "module-info.class").unwrap().unwrap();
    let module = ClassFile::parse(module).unwrap().module.expect("module-info has Module");
    assert_eq!(&*module.name, "java.sql");
    assert!(module.requires.iter().any(|requires| &*requires.module == "java.base"));
    assert!(module.exports.iter().any(|exports| &*exports.package == "java/sql" && exports.to.is_empty()));
    assert_eq!(module.uses.iter().map(|name| &**name).collect::<Vec<_>>(), ["java/sql/Driver"]);

    let deprecated = load("java/lang/Integer");
    let constructor = deprecated.method("<init>", "(I)V").unwrap();
    let raw = constructor.annotations.as_ref().unwrap().visible.as_ref().unwrap();
    let parsed = annotation::annotations(raw, &deprecated.pool).unwrap();
    assert_eq!(&*parsed[0].descriptor, "Ljava/lang/Deprecated;");
    assert!(parsed[0].elements.iter().any(|(name, value)| {
        &**name == "forRemoval" && *value == annotation::ElementValue::Boolean(true)
    }));
}

#[test]
fn locating() {
    let empty = tempfile::tempdir().unwrap();
    let none = JdkSearch { folders: vec![empty.path().to_owned()], ..JdkSearch::default() };
    let message = Jdk::locate(&none).unwrap_err().to_string();
    for part in ["no JDK found", "JAVA_HOME: not set", "PATH: no java on it", "no JDK in it"] {
        assert!(message.contains(part), "{message}");
    }
    let wrong = JdkSearch { explicit: Some(empty.path().to_owned()), ..JdkSearch::default() };
    assert!(
        Jdk::locate(&wrong).unwrap_err().to_string().contains("is not a JDK: it has neither lib/modules")
    );
    let gone = JdkSearch { java_home: Some("/nowhere".into()), ..JdkSearch::default() };
    assert!(Jdk::locate(&gone).unwrap_err().to_string().contains("/nowhere is not a JDK: there is no such"));

    let by_home = JdkSearch { java_home: Some(JDK_17.into()), ..JdkSearch::default() };
    assert_eq!(Jdk::locate(&by_home).unwrap().feature, 17);
    let by_path = JdkSearch { path: Some(format!("/nowhere:{JDK_17}/bin").into()), ..JdkSearch::default() };
    assert_eq!(Jdk::locate(&by_path).unwrap().feature, 17);
    let by_folder = JdkSearch { folders: vec!["/usr/lib/jvm".into()], ..JdkSearch::default() };
    assert!(Jdk::locate(&by_folder).unwrap().feature >= 17);
}

#[test]
fn a_release_file_decides() {
    let home = tempfile::tempdir().unwrap();
    let lib = home.path().join("lib");
    std::fs::create_dir(&lib).unwrap();
    std::fs::write(lib.join("modules"), b"not an image, but long enough to have a header").unwrap();
    let open = || Jdk::open(home.path()).unwrap_err().to_string();
    assert!(open().contains("no readable release file"), "{}", open());
    let release = home.path().join("release");
    std::fs::write(&release, "JAVA_VERSION=\"99.0.1\"\n").unwrap();
    assert!(open().contains("it is Java 99; supported are Java 8 to 25"), "{}", open());
    std::fs::write(&release, "JAVA_VERSION=\"21\"\n").unwrap();
    assert!(open().contains("magic number"), "{}", open());
}
