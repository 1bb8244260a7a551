//! Inputs of reflection: class literals, generic types, members of well-known classes.

use ir::ClassId;
use term::Assignment;
use vm::{ObjId, Vm};

use super::Kind;
use super::generic::Generic;
use super::recipe::{Make, ParamWay, Way, can_name, prepare_makes};
use crate::load::{FieldType, access};
use crate::world::Jvm;

/// A class, a box, an interface, an array, an enum; the class under test and a primitive come besides.
const SOME_CLASSES: [&str; 5] = [
    "java/lang/String",
    "java/lang/Integer",
    "java/util/List",
    "[Ljava/lang/String;",
    "java/math/RoundingMode",
];

/// Public fields of the library, spelled in different ways.
const SOME_FIELDS: [(&str, &[&str]); 2] = [
    ("java/io/InterruptedIOException", &["bytesTransferred"]),
    ("java/io/StreamTokenizer", &["sval", "ttype", "TT_EOF"]),
];

/// Public methods without parameters.
const SOME_METHODS: [(&str, &[&str]); 2] =
    [("java/lang/String", &["length", "isEmpty", "toString"]), ("java/lang/Runnable", &["run"])];

/// What proxies of every interface are asked as well.
const OF_OBJECT: &[&str] = &["hashCode", "toString"];

/// How to make inputs of a type of reflection, if it is one.
pub(super) fn reflected(vm: &mut Vm<Jvm>, name: &str, args: &[Generic]) -> Option<Kind> {
    match name {
        "java/lang/Class" | "java/lang/reflect/AnnotatedElement" | "java/lang/reflect/GenericDeclaration" => {
            class_literals(vm, args.first())
        }
        "java/lang/reflect/Type" => {
            let classes = class_literals(vm, None)?;
            let ty = vm.lang.class(name).ok()?;
            let generic = parameterised(vm, "java/lang/reflect/Type")?;
            Some(Kind::OneOf { ty, kinds: vec![classes, generic], all: false })
        }
        "java/lang/reflect/ParameterizedType" => parameterised(vm, name),
        "java/lang/reflect/Field" => {
            let mut from: Vec<(String, Vec<String>)> = own_fields(vm);
            from.extend(SOME_FIELDS.iter().map(|(class, names)| owned(class, names)));
            let called = ("getField", "(Ljava/lang/String;)Ljava/lang/reflect/Field;");
            members(vm, name, from, called)
        }
        "java/lang/reflect/Method" | "java/lang/reflect/Executable" => {
            let mut from: Vec<_> = SOME_METHODS.iter().map(|(class, names)| owned(class, names)).collect();
            if handles_calls(&vm.lang) {
                from.insert(0, owned("java/lang/Object", OF_OBJECT));
            }
            let called = ("getMethod", "(Ljava/lang/String;[Ljava/lang/Class;)Ljava/lang/reflect/Method;");
            members(vm, "java/lang/reflect/Method", from, called)
        }
        "java/lang/reflect/Constructor" => constructor(vm, name),
        "java/lang/reflect/Member" | "java/lang/reflect/AccessibleObject" => {
            reflected(vm, "java/lang/reflect/Field", &[])
        }
        _ => None,
    }
}

/// Whether the class under test is what proxies hand their calls to.
fn handles_calls(jvm: &Jvm) -> bool {
    let handler = jvm.loaded("java/lang/reflect/InvocationHandler");
    jvm.worlds.context.zip(handler).is_some_and(|(class, handler)| jvm.is_subclass(class, handler))
}

fn owned(class: &str, names: &[&str]) -> (String, Vec<String>) {
    (class.to_string(), names.iter().map(|name| name.to_string()).collect())
}

/// Public fields of the class under test.
fn own_fields(vm: &Vm<Jvm>) -> Vec<(String, Vec<String>)> {
    let jvm = &vm.lang;
    let Some(context) = jvm.worlds.context.filter(|c| can_name(jvm, *c)) else { return Vec::new() };
    let class = &jvm.classes[context];
    let public = class.fields.iter().filter(|f| f.access & access::PUBLIC != 0);
    let names: Vec<String> = public.take(2).map(|f| f.name.to_string()).collect();
    if names.is_empty() { Vec::new() } else { vec![(class.name.to_string(), names)] }
}

/// `AbstractList<E>` and the like: the superclass of a generic class, with its arguments.
fn parameterised(vm: &mut Vm<Jvm>, ty: &str) -> Option<Kind> {
    let ty = vm.lang.class(ty).ok()?;
    let class = vm.lang.class("java/lang/Class").ok()?;
    let func = vm.lang.method(class, "getGenericSuperclass", "()Ljava/lang/reflect/Type;").ok()?;
    let on = literals(vm, &["java/util/ArrayList", "java/util/Properties", "java/lang/Enum$EnumDesc"])?;
    let key = format!("generic types as {}", vm.lang.classes[ty].name);
    let way = Way {
        func,
        on: Some(on),
        outer: false,
        given: None,
        then: Vec::new(),
        only_then: false,
        of_owner: false,
        params: Vec::new(),
    };
    Some(Kind::Object(prepare_makes(vm, &key, ty, Vec::new(), |_| vec![Make::Call(way)])))
}

/// `InterruptedIOException.class.getField("bytesTransferred")`.
fn members(
    vm: &mut Vm<Jvm>,
    ty: &str,
    from: Vec<(String, Vec<String>)>,
    (method, descriptor): (&str, &str),
) -> Option<Kind> {
    let ty = vm.lang.class(ty).ok()?;
    let class = vm.lang.class("java/lang/Class").ok()?;
    let func = vm.lang.method(class, method, descriptor).ok()?;
    let context = vm.lang.worlds.context.map(|c| vm.lang.classes[c].name.to_string()).unwrap_or_default();
    let key = format!("{} for {context}", vm.lang.classes[ty].name);
    let mut ways = Vec::new();
    for (owner, names) in from {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (Some(on), Some(names)) = (literals(vm, &[&owner]), super::words::texts(vm, &names)) else {
            continue;
        };
        let text = FieldType::Class("java/lang/String".into());
        let mut params = vec![ParamWay {
            name: "name".to_string(),
            ty: text,
            kind: names,
            non_null: false,
            elements: Default::default(),
        }];
        if method == "getMethod" {
            // Of methods without parameters.
            let none = FieldType::Array(Box::new(FieldType::Class("java/lang/Class".into())).into());
            let kind = Kind::Null("parameters of a method".to_string());
            params.push(ParamWay {
                name: "parameterTypes".to_string(),
                ty: none,
                kind,
                non_null: false,
                elements: Default::default(),
            });
        }
        ways.push(Make::Call(Way {
            func,
            on: Some(on),
            outer: false,
            given: None,
            then: Vec::new(),
            only_then: false,
            of_owner: false,
            params,
        }));
    }
    (!ways.is_empty()).then(|| Kind::Object(prepare_makes(vm, &key, ty, Vec::new(), |_| ways)))
}

/// `ArrayList.class.getConstructor()`.
fn constructor(vm: &mut Vm<Jvm>, ty: &str) -> Option<Kind> {
    let ty = vm.lang.class(ty).ok()?;
    let class = vm.lang.class("java/lang/Class").ok()?;
    let descriptor = "([Ljava/lang/Class;)Ljava/lang/reflect/Constructor;";
    let func = vm.lang.method(class, "getConstructor", descriptor).ok()?;
    let on = literals(vm, &["java/util/ArrayList", "java/lang/String", "java/lang/Object"])?;
    let none = FieldType::Array(Box::new(FieldType::Class("java/lang/Class".into())).into());
    let kind = Kind::Null("parameters of a constructor".to_string());
    let params = vec![ParamWay {
        name: "parameterTypes".to_string(),
        ty: none,
        kind,
        non_null: false,
        elements: Default::default(),
    }];
    let way = Way {
        func,
        on: Some(on),
        outer: false,
        given: None,
        then: Vec::new(),
        only_then: false,
        of_owner: false,
        params,
    };
    Some(Kind::Object(prepare_makes(vm, "constructors", ty, Vec::new(), |_| vec![Make::Call(way)])))
}

/// Class objects: what the type argument allows, else a few of every sort.
fn class_literals(vm: &mut Vm<Jvm>, arg: Option<&Generic>) -> Option<Kind> {
    let named: Vec<String> = match arg {
        // Any enum will do.
        Some(Generic::Class(name, _)) if &**name == "java/lang/Enum" => {
            vec!["java/math/RoundingMode".to_string()]
        }
        Some(Generic::Class(name, _)) if &**name != "java/lang/Object" => vec![name.to_string()],
        Some(Generic::Array(_) | Generic::Prim(_)) => return None,
        _ => {
            let mut some: Vec<String> = SOME_CLASSES.iter().map(|name| name.to_string()).collect();
            let context = vm.lang.worlds.context.filter(|c| can_name(&vm.lang, *c));
            some.extend(context.map(|class| vm.lang.classes[class].name.to_string()));
            some
        }
    };
    let plain =
        arg.is_none_or(|arg| !matches!(arg, Generic::Class(name, _) if &**name != "java/lang/Object"));
    let mut classes: Vec<ClassId> = named.iter().filter_map(|name| vm.lang.class(name).ok()).collect();
    // What the code compares it with, if the type argument is no more than a bound of it.
    let bound = if plain { Some(vm.lang.known.object) } else { classes.first().copied() };
    let mut others = bound.map(|bound| super::asked::literals(vm, bound)).unwrap_or_default();
    // Of what objects of the program are: `Class<? extends Event>` is that of some event.
    others.extend(
        bound.filter(|_| !plain).map(|bound| super::kinds::implementers(vm, bound)).unwrap_or_default(),
    );
    if plain {
        others.extend(super::asked::annotated(vm));
    }
    for class in others {
        if !classes.contains(&class) {
            classes.push(class);
        }
    }
    if plain {
        classes.extend(vm.lang.known.primitive(&FieldType::Int));
    }
    mirrors(vm, &classes)
}

pub(super) fn literals(vm: &mut Vm<Jvm>, names: &[&str]) -> Option<Kind> {
    let classes: Vec<ClassId> = names.iter().filter_map(|name| vm.lang.class(name).ok()).collect();
    mirrors(vm, &classes)
}

fn mirrors(vm: &mut Vm<Jvm>, classes: &[ClassId]) -> Option<Kind> {
    vm.start_run(Assignment::default());
    let mut constants: Vec<ObjId> = Vec::new();
    for class in classes {
        constants.push(crate::link::mirror(vm, *class).ok()?);
    }
    vm.freeze();
    let class = vm.lang.class("java/lang/Class").ok()?;
    (!constants.is_empty()).then_some(Kind::Enum { class, constants })
}
