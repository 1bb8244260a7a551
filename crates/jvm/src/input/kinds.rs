//! Which objects stand for a type.

use std::sync::Arc;

use ir::ClassId;
use term::Assignment;
use vm::Vm;

use super::generic::{self, Env, Generic};
use super::recipe::{Make, Way, can_name, prepare, prepare_makes, prepare_ways, way};
use super::{Kind, asked, initialise};
use crate::link::ClassOrigin;
use crate::load::{FieldType, Instr, access};
use crate::world::Jvm;

/// So many classes are tried for an interface or abstract class.
const MAX_IMPLEMENTERS: usize = 6;

/// How to make inputs of a type. Initialises enums and adds them to the snapshot, so it belongs between runs.
pub fn kind_for(vm: &mut Vm<Jvm>, ty: &Generic) -> Kind {
    match ty {
        Generic::Prim(prim) => Kind::Scalar(prim.clone()),
        Generic::Any | Generic::Wild => any(vm),
        Generic::Class(name, args) => class_kind(vm, name, args),
        Generic::Array(elem) => array_kind(vm, elem),
    }
}

fn array_kind(vm: &mut Vm<Jvm>, elem: &Generic) -> Kind {
    // `<T extends Comparable<T>> f(T[], T)` takes strings only in an array of strings.
    let of_strings = matches!(elem, Generic::Class(name, _) if &**name == "java/lang/Comparable");
    let class = match elem {
        _ if of_strings => vm.lang.class("[Ljava/lang/String;"),
        elem => vm.lang.class_of_type(&FieldType::Array(Box::new(erased(elem)).into())),
    };
    match class {
        Ok(class) => Kind::Array { class, elem: Box::new(kind_for(vm, elem)) },
        Err(_) => Kind::Null(elem.to_string()),
    }
}

fn erased(ty: &Generic) -> FieldType {
    match ty {
        Generic::Prim(prim) => prim.clone(),
        Generic::Any | Generic::Wild => FieldType::Class("java/lang/Object".into()),
        Generic::Class(name, _) => FieldType::Class(name.clone()),
        Generic::Array(elem) => FieldType::Array(Box::new(erased(elem)).into()),
    }
}

/// The simplest objects a person would pass for `Object`: one of the class under test among them, and of what it asks
/// for by `instanceof`, casts and patterns.
fn any(vm: &mut Vm<Jvm>) -> Kind {
    let ty = vm.lang.known.object;
    let mut kinds = vec![Kind::Str, boxed(vm, "java/lang/Integer", FieldType::Int)];
    let Some(context) = vm.lang.worlds.context else { return Kind::OneOf { ty, kinds, all: false } };
    // Something that is neither; where the class has no objects of its own, an object that is nothing else.
    let other = plain_class(vm, context, &[]).or_else(|| plain_class(vm, ty, &[]));
    kinds.extend(other);
    // What these hold is looked at once more, as nested patterns do (`o instanceof Box(Point(int x, int y))`).
    if vm.lang.worlds.asking < MAX_NESTED {
        vm.lang.worlds.asking += 1;
        let mut asked: Vec<(usize, Kind)> = Vec::new();
        let mut types = asked::types(&vm.lang);
        for class in asked::annotated(vm) {
            let ty = Generic::Class(vm.lang.classes[class].name.clone(), Vec::new());
            if !types.contains(&ty) {
                types.push(ty);
            }
        }
        for ty in types {
            match kind_for(vm, &ty) {
                Kind::OneOf { kinds, .. } => asked.extend(kinds.into_iter().enumerate()),
                Kind::Only { kind, .. } => asked.push((0, *kind)),
                Kind::Null(_) | Kind::Scalar(_) => {}
                kind => asked.push((0, kind)),
            }
        }
        vm.lang.worlds.asking -= 1;
        // One object of each type before a second one of any.
        asked.sort_by_key(|(place, _)| *place);
        for (_, kind) in asked {
            if !kinds.iter().any(|known| is_alike(&vm.lang, known, &kind)) && kinds.len() < MAX_ASKED {
                kinds.push(kind);
            }
        }
    }
    Kind::OneOf { ty, kinds, all: false }
}

pub(super) const MAX_NESTED: u32 = 2;
/// So many classes of objects are tried for `Object`.
const MAX_ASKED: usize = 12;

/// `new File(name).toPath()`.
fn of_file(vm: &mut Vm<Jvm>, path: ClassId) -> Option<Kind> {
    let file = vm.lang.class("java/io/File").ok()?;
    let func = vm.lang.method(file, "toPath", "()Ljava/nio/file/Path;").ok()?;
    let on = plain_class(vm, file, &[])?;
    let key = prepare_ways(vm, path, Vec::new(), |_| {
        vec![Way {
            func,
            on: Some(on),
            outer: false,
            given: None,
            then: Vec::new(),
            only_then: false,
            of_owner: false,
            params: Vec::new(),
        }]
    });
    Some(Kind::Object(key))
}

/// A text, or characters that are no `String` where the code tells the two apart.
fn sequence(vm: &mut Vm<Jvm>) -> Kind {
    let text = Generic::Class("java/lang/String".into(), Vec::new());
    let both = match asked::types(&vm.lang).contains(&text) {
        true => built(vm),
        false => None,
    };
    match both {
        Some((ty, builder)) => {
            let mut kinds = vec![Kind::Str, builder];
            for class in asked::subclasses(vm, ty) {
                let known = kinds.iter().any(|kind| super::object::class_of(&vm.lang, kind) == Some(class));
                kinds.extend(if known { None } else { plain_class(vm, class, &[]) });
            }
            Kind::OneOf { ty, kinds, all: false }
        }
        None => Kind::Only { kind: Box::new(Kind::Str), ty: "java.lang.CharSequence".to_string() },
    }
}

/// `new StringBuilder(text)`, and the type of all sequences of characters.
fn built(vm: &mut Vm<Jvm>) -> Option<(ClassId, Kind)> {
    let ty = vm.lang.class("java/lang/CharSequence").ok()?;
    let builder = vm.lang.class("java/lang/StringBuilder").ok()?;
    let func = vm.lang.declared(builder, "<init>", "(Ljava/lang/String;)V")?;
    let makes = |vm: &mut Vm<Jvm>| {
        let mut makes = way(vm, func, &Env::new());
        for text in &mut makes.params {
            text.non_null = true;
            // As people would ask for it.
            text.name = "toString()".to_string();
        }
        vec![Make::Call(makes)]
    };
    let key = prepare_makes(vm, "characters in a StringBuilder", builder, Vec::new(), makes);
    Some((ty, Kind::Object(key)))
}

fn boxed(vm: &mut Vm<Jvm>, name: &str, prim: FieldType) -> Kind {
    match vm.lang.class(name) {
        Ok(class) => Kind::Boxed { class, prim },
        Err(_) => Kind::Null(name.to_string()),
    }
}

fn class_kind(vm: &mut Vm<Jvm>, name: &str, args: &[Generic]) -> Kind {
    let prim = match name {
        "java/lang/String" => return Kind::Str,
        "java/lang/Boolean" => FieldType::Boolean,
        "java/lang/Byte" => FieldType::Byte,
        "java/lang/Short" => FieldType::Short,
        "java/lang/Character" => FieldType::Char,
        "java/lang/Integer" => FieldType::Int,
        "java/lang/Long" => FieldType::Long,
        "java/lang/Float" => FieldType::Float,
        "java/lang/Double" => FieldType::Double,
        "java/lang/Object" => return any(vm),
        "java/lang/CharSequence" => return sequence(vm),
        "java/lang/Comparable" | "java/io/Serializable" => {
            return Kind::Only { kind: Box::new(Kind::Str), ty: name.replace('/', ".") };
        }
        "java/lang/Number" => {
            let mut kinds = vec![
                boxed(vm, "java/lang/Integer", FieldType::Int),
                boxed(vm, "java/lang/Double", FieldType::Double),
                boxed(vm, "java/lang/Long", FieldType::Long),
                boxed(vm, "java/lang/Float", FieldType::Float),
                boxed(vm, "java/lang/Short", FieldType::Short),
                boxed(vm, "java/lang/Byte", FieldType::Byte),
            ];
            for name in
                ["java/math/BigInteger", "java/math/BigDecimal", "java/util/concurrent/atomic/AtomicInteger"]
            {
                if let Ok(class) = vm.lang.class(name) {
                    kinds.extend(plain_class(vm, class, &[]));
                }
            }
            return vm.lang.class(name).map_or(Kind::Null(name.to_string()), |ty| Kind::OneOf {
                ty,
                kinds,
                all: false,
            });
        }
        // Nobody can extend it: any enum will do.
        "java/lang/Enum" => {
            let some = vm.lang.class("java/math/RoundingMode").ok();
            return match some.and_then(|class| plain_class(vm, class, &[])) {
                Some(kind) => Kind::Only { kind: Box::new(kind), ty: name.replace('/', ".") },
                None => Kind::Null(name.replace('/', ".")),
            };
        }
        _ => return other_class(vm, name, args),
    };
    boxed(vm, name, prim)
}

/// How objects of a class without a name are made, if something hands them out.
pub(super) fn handed(jvm: &Jvm, class: ClassId) -> Option<Kind> {
    let known = jvm.worlds.handed.iter().find(|(handed, _)| *handed == class);
    known.map(|(_, kind)| kind.clone())
}

/// Whether objects of two kinds are of one class. Those that are handed out are known by the type above it that hands them out.
fn is_alike(jvm: &Jvm, a: &Kind, b: &Kind) -> bool {
    let handed_out = |kind| jvm.worlds.handed.iter().any(|(_, handed)| handed == kind);
    let class = |kind| super::object::class_of(jvm, kind);
    a == b || class(a) == class(b) && !handed_out(a) && !handed_out(b)
}

fn other_class(vm: &mut Vm<Jvm>, name: &str, args: &[Generic]) -> Kind {
    let unsupported = Kind::Null(name.replace('/', "."));
    let Ok(class) = vm.lang.class(name) else { return unsupported };
    if let Some(kind) = handed(&vm.lang, class) {
        return kind;
    }
    if matches!(name, "java/lang/Class") || name.starts_with("java/lang/reflect/") {
        return super::reflected::reflected(vm, name, args).unwrap_or(unsupported);
    }
    if name == "java/nio/file/Path"
        && let Some(kind) = of_file(vm, class)
    {
        return kind;
    }
    if let Some(kind) = collection(vm, name, args) {
        return with_asked(vm, class, args, kind);
    }
    if vm.lang.classes[class].access & access::ENUM != 0 {
        return match enum_constants(vm, class) {
            Some(constants) if !constants.is_empty() => Kind::Enum { class, constants },
            _ => unsupported,
        };
    }
    if let Some(stand_in) = stand_in(name)
        && let Ok(class) = vm.lang.class(stand_in)
        && let Some(kind) = collection(vm, stand_in, args).or_else(|| plain_class(vm, class, args))
    {
        return match second_stand_in(vm, name, class) {
            Some((ty, second)) => Kind::OneOf { ty, kinds: vec![kind, second], all: false },
            None => Kind::Only { kind: Box::new(kind), ty: name.replace('/', ".") },
        };
    }
    // Kotlin's function types are written as lambdas, whatever else implements them.
    if name.starts_with("kotlin/jvm/functions/")
        && let Some(fake) = super::made_up::prepare(vm, class, args)
    {
        return fake;
    }
    let own = plain_class(vm, class, args);
    let mut kinds: Vec<Kind> = Vec::new();
    if vm.lang.classes[class].access & access::FINAL == 0 {
        for sub in implementers(vm, class) {
            if contradicts(&vm.lang, sub, class, args) {
                continue;
            }
            let own = own_args(&vm.lang, sub, class, args);
            kinds.extend(plain_class(vm, sub, &own));
        }
        // What needs no object of the type to be made comes first.
        kinds.sort_by_key(|kind| needs_itself(&vm.lang, kind, class));
    }
    match vm.lang.classes[class].access & (access::ABSTRACT | access::INTERFACE) == 0 {
        true => kinds.splice(0..0, own).for_each(drop),
        // Factories of an interface often take what they make.
        false => kinds.extend(own),
    }
    let is_abstract = vm.lang.classes[class].access & (access::ABSTRACT | access::INTERFACE) != 0;
    // Of the library's types there are too many objects to try them all.
    if is_abstract && vm.lang.classes[class].origin == ClassOrigin::Library {
        for sub in asked::subclasses(vm, class) {
            kinds.extend(handed(&vm.lang, sub).or_else(|| plain_class(vm, sub, &[])));
        }
    }
    let own = &vm.lang.classes[class];
    let may_be_other = own.access & access::ABSTRACT != 0
        && (own.origin != ClassOrigin::Library || is_made_for_tests(&vm.lang, class));
    if own.is_interface() || may_be_other || kinds.is_empty() {
        // Where all that there is wraps another one (decorators), one comes first that is made of nothing.
        let wrap = kinds.iter().all(|kind| needs_itself(&vm.lang, kind, class));
        let mut made_up: Vec<Kind> = super::made_up::prepare(vm, class, args).into_iter().collect();
        made_up.extend(super::made_up::prepare_overriding(vm, class, args));
        let at = if wrap { 0 } else { kinds.len() };
        kinds.splice(at..at, made_up);
    }
    match kinds.len() {
        0 => unsupported,
        1 if matches!(&kinds[0], Kind::Object(_))
            && super::object::class_of(&vm.lang, &kinds[0]) == Some(class) =>
        {
            kinds.remove(0)
        }
        1 if matches!(&kinds[0], Kind::Fake { .. }) => kinds.remove(0),
        _ => Kind::OneOf { ty: class, kinds, all: false },
    }
}

/// Whether people extend an abstract class of the library in tests: all that it leaves open are a few public methods that return
/// something, and what can be made of it never changes (`Clock.fixed`, a clock that stands still).
fn is_made_for_tests(jvm: &Jvm, class: ClassId) -> bool {
    let open = jvm.classes[class].functions().map(|func| &jvm.funcs[func]);
    let open: Vec<_> = open.filter(|f| f.access & access::ABSTRACT != 0).collect();
    let answers = |f: &crate::link::Func| f.is(access::PUBLIC) && f.signature.ty.ret.is_some();
    let plain = |f: &crate::link::Func| {
        &*f.name == "<init>"
            && f.signature.ty.params.is_empty()
            && f.access & (access::PUBLIC | access::PROTECTED) != 0
    };
    (1..=MAX_ANSWERS).contains(&open.len())
        && open.iter().all(|f| answers(f))
        && jvm.classes[class].functions().any(|func| plain(&jvm.funcs[func]))
}

/// Abstract classes of the library that leave more open than this are not extended.
const MAX_ANSWERS: usize = 3;

/// Whether making an object takes one of a type above it.
fn needs_itself(jvm: &Jvm, kind: &Kind, above: ClassId) -> bool {
    let Kind::Object(key) = kind else { return false };
    let Some(recipe) = jvm.worlds.recipes.get(key) else { return false };
    let takes_one = |ty: &FieldType| match ty {
        FieldType::Class(name) => jvm.loaded(name).is_some_and(|class| jvm.is_subclass(class, above)),
        _ => false,
    };
    if jvm.worlds.preparing.contains(key) {
        // Its ways are not known yet; that they lead back here is.
        let constructors = jvm.classes[recipe.class].functions().map(|func| &jvm.funcs[func]);
        let constructors = constructors.filter(|f| &*f.name == "<init>");
        let longest = constructors.max_by_key(|f| f.signature.ty.params.len());
        return longest.is_some_and(|f| f.signature.ty.params.iter().any(takes_one));
    }
    let Some(Make::Call(way)) = recipe.ways.first() else { return false };
    way.params.iter().any(|param| takes_one(&param.ty))
}

/// A class that a test can make objects of.
pub(super) fn plain_class(vm: &mut Vm<Jvm>, class: ClassId, args: &[Generic]) -> Option<Kind> {
    if vm.lang.classes[class].access & access::ENUM != 0 {
        let constants = enum_constants(vm, class).filter(|all| !all.is_empty())?;
        return Some(Kind::Enum { class, constants });
    }
    let key = prepare(vm, class, args)?;
    // One that is being prepared right now has no ways yet; whoever prepares it sees to that.
    let unfinished = vm.lang.worlds.preparing.contains(&key);
    let usable = unfinished || vm.lang.worlds.recipes.get(&key).is_some_and(|r| !r.ways.is_empty());
    usable.then_some(Kind::Object(key))
}

/// What a person takes for an abstract class of the library.
pub(super) fn stand_in(name: &str) -> Option<&'static str> {
    Some(match name {
        "java/io/Reader" => "java/io/StringReader",
        "java/io/Writer" => "java/io/StringWriter",
        "java/io/InputStream" => "java/io/ByteArrayInputStream",
        "java/io/OutputStream" => "java/io/ByteArrayOutputStream",
        "java/util/Calendar" => "java/util/GregorianCalendar",
        "java/text/DateFormat" => "java/text/SimpleDateFormat",
        "java/text/NumberFormat" | "java/text/Format" => "java/text/DecimalFormat",
        "java/util/ResourceBundle" => "java/util/PropertyResourceBundle",
        "java/util/Dictionary" => "java/util/Hashtable",
        "java/lang/Appendable" => "java/lang/StringBuilder",
        "java/lang/Readable" => "java/io/StringReader",
        "java/util/concurrent/Future" | "java/util/concurrent/CompletionStage" => {
            "java/util/concurrent/CompletableFuture"
        }
        "java/time/temporal/Temporal"
        | "java/time/temporal/TemporalAccessor"
        | "java/time/chrono/ChronoLocalDate" => "java/time/LocalDate",
        _ => return None,
    })
}

/// Another class that stands for one, where the code asks for a type that the first is not of: what characters are appended to may be
/// something to flush and to close.
fn second_stand_in(vm: &mut Vm<Jvm>, name: &str, first: ClassId) -> Option<(ClassId, Kind)> {
    let second = match name {
        "java/lang/Appendable" => "java/io/StringWriter",
        _ => return None,
    };
    let (ty, second) = (vm.lang.class(name).ok()?, vm.lang.class(second).ok()?);
    let asked = asked::types(&vm.lang).into_iter().any(|asked| match asked {
        Generic::Class(asked, _) => vm
            .lang
            .class(&asked)
            .is_ok_and(|asked| vm.lang.is_subclass(second, asked) && !vm.lang.is_subclass(first, asked)),
        _ => false,
    });
    Some((ty, plain_class(vm, second, &[]).filter(|_| asked)?))
}

/// The library's collections.
fn collection(vm: &mut Vm<Jvm>, name: &str, args: &[Generic]) -> Option<Kind> {
    let of_asked = asked::of_elements(&vm.lang);
    let arg = |i: usize| element(args.get(i).unwrap_or(&Generic::Wild), of_asked);
    let (class, add, parts): (&str, (&str, &str), usize) = match name {
        "java/lang/Iterable"
        | "java/util/Collection"
        | "java/util/List"
        | "java/util/ArrayList"
        | "java/util/SequencedCollection"
        | "java/util/AbstractList"
        | "java/util/AbstractCollection" => {
            return list_kind(vm, &arg(0), name);
        }
        "java/util/Set" | "java/util/LinkedHashSet" | "java/util/SequencedSet" | "java/util/AbstractSet" => {
            ("java/util/LinkedHashSet", ADD, 1)
        }
        "java/util/HashSet" => ("java/util/HashSet", ADD, 1),
        "java/util/SortedSet" | "java/util/NavigableSet" | "java/util/TreeSet" => {
            ("java/util/TreeSet", ADD, 1)
        }
        "java/util/Queue" | "java/util/Deque" | "java/util/ArrayDeque" => ("java/util/ArrayDeque", ADD, 1),
        "java/util/LinkedList" => ("java/util/LinkedList", ADD, 1),
        "java/util/Vector" => ("java/util/Vector", ADD, 1),
        "java/util/concurrent/CopyOnWriteArrayList" => ("java/util/concurrent/CopyOnWriteArrayList", ADD, 1),
        "java/util/concurrent/BlockingQueue" | "java/util/concurrent/LinkedBlockingQueue" => {
            ("java/util/concurrent/LinkedBlockingQueue", ADD, 1)
        }
        "java/util/Stack" => ("java/util/Stack", ADD, 1),
        "java/util/PriorityQueue" => ("java/util/PriorityQueue", ADD, 1),
        "java/util/Map" | "java/util/LinkedHashMap" | "java/util/SequencedMap" | "java/util/AbstractMap" => {
            ("java/util/LinkedHashMap", PUT, 2)
        }
        "java/util/HashMap" => ("java/util/HashMap", PUT, 2),
        "java/util/Hashtable" => ("java/util/Hashtable", PUT, 2),
        "java/util/Properties" => ("java/util/Properties", PUT, 2),
        "java/util/concurrent/ConcurrentMap" | "java/util/concurrent/ConcurrentHashMap" => {
            ("java/util/concurrent/ConcurrentHashMap", PUT, 2)
        }
        "java/util/SortedMap" | "java/util/NavigableMap" | "java/util/TreeMap" => {
            ("java/util/TreeMap", PUT, 2)
        }
        "java/util/Optional" => {
            return of_element(vm, name, &arg(0), "ofNullable", "(Ljava/lang/Object;)Ljava/util/Optional;");
        }
        "java/util/concurrent/CompletableFuture" => {
            let descriptor = "(Ljava/lang/Object;)Ljava/util/concurrent/CompletableFuture;";
            return of_element(vm, name, &arg(0), "completedFuture", descriptor);
        }
        "java/util/concurrent/atomic/AtomicReference"
        | "java/lang/ref/WeakReference"
        | "java/lang/ref/SoftReference" => {
            return of_element(vm, name, &arg(0), "<init>", "(Ljava/lang/Object;)V");
        }
        "java/util/EnumSet" => return super::enums::set(vm, &arg(0)),
        "java/util/EnumMap" => return super::enums::map(vm, &arg(0), &arg(1)),
        "java/util/concurrent/ExecutorService" => return common_pool(vm, name),
        "java/util/Iterator" => return of_list(vm, name, &arg(0), "iterator", "()Ljava/util/Iterator;"),
        "java/util/ListIterator" => {
            return of_list(vm, name, &arg(0), "listIterator", "()Ljava/util/ListIterator;");
        }
        "java/util/stream/Stream" => {
            return of_list(vm, name, &arg(0), "stream", "()Ljava/util/stream/Stream;");
        }
        _ => return None,
    };
    let stands_for = (name != class).then(|| name.into());
    let class = vm.lang.class(class).ok()?;
    let add = vm.lang.method(class, add.0, add.1).ok()?;
    let mut elems: Vec<Kind> = (0..parts).map(|i| kind_for(vm, &arg(i))).collect();
    if elems.first() == Some(&Kind::Str)
        && let Some(key) = super::words::key(vm)
    {
        elems[0] = key;
    }
    let parts = if generic::is_generic(&vm.lang, class) { parts } else { 0 };
    let of = (0..parts).map(arg).collect();
    Some(Kind::Filled { class, add, elems, of, stands_for })
}

/// A collection, and others of its type that the class under test asks for by `instanceof`: a set for `Collection`, a list that is
/// not `RandomAccess`, an `Iterable` that is no `Collection`.
fn with_asked(vm: &mut Vm<Jvm>, class: ClassId, args: &[Generic], usual: Kind) -> Kind {
    let is_concrete = vm.lang.classes[class].access & (access::ABSTRACT | access::INTERFACE) == 0;
    if is_concrete || vm.lang.worlds.asking > 0 {
        return usual;
    }
    vm.lang.worlds.asking += 1;
    let usually = super::object::class_of(&vm.lang, &usual);
    let mut asks_for_usual = false;
    let mut kinds = vec![usual];
    for ty in asked::types(&vm.lang) {
        let Generic::Class(name, _) = &ty else { continue };
        let name = if &**name == "java/util/RandomAccess" { "java/util/LinkedList" } else { name };
        let Ok(below) = vm.lang.class(name) else { continue };
        if below == class || !vm.lang.is_subclass(below, class) {
            continue;
        }
        asks_for_usual |= usually.is_some_and(|usually| vm.lang.is_subclass(usually, below));
        let Some(kind) = handed(&vm.lang, below).or_else(|| collection(vm, name, args)) else { continue };
        if !kinds.iter().any(|known| is_alike(&vm.lang, known, &kind)) && kinds.len() < MAX_ASKED {
            kinds.push(kind);
        }
    }
    // Something that is no collection: `Iterable` as a lambda.
    if asks_for_usual && super::made_up::abstract_methods(&vm.lang, class).len() == 1 {
        kinds.extend(super::made_up::prepare(vm, class, args));
    }
    vm.lang.worlds.asking -= 1;
    match kinds.len() {
        1 => kinds.remove(0),
        _ => Kind::OneOf { ty: class, kinds, all: false },
    }
}

const ADD: (&str, &str) = ("add", "(Ljava/lang/Object;)Z");
const PUT: (&str, &str) = ("put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");

/// Of elements of an unknown type, strings; where anything may be given and is told apart, anything.
fn element(ty: &Generic, of_asked: bool) -> Generic {
    match ty {
        Generic::Wild if of_asked => Generic::Class("java/lang/Object".into(), Vec::new()),
        Generic::Any | Generic::Wild => Generic::Class("java/lang/String".into(), Vec::new()),
        known => known.clone(),
    }
}

fn list_kind(vm: &mut Vm<Jvm>, elem: &Generic, name: &str) -> Option<Kind> {
    let class = vm.lang.class("java/util/ArrayList").ok()?;
    vm.lang.class("[Ljava/lang/Object;").ok()?;
    let of = elem.clone();
    let elem = kind_for(vm, elem);
    let stands_for = (name != "java/util/ArrayList").then(|| name.into());
    Some(Kind::List { class, elem: Box::new(elem), of, stands_for })
}

/// `Optional.ofNullable(element)`.
fn of_element(vm: &mut Vm<Jvm>, name: &str, elem: &Generic, factory: &str, descriptor: &str) -> Option<Kind> {
    let class = vm.lang.class(name).ok()?;
    let func = vm.lang.declared(class, factory, descriptor)?;
    let key = prepare_ways(vm, class, vec![elem.clone()], |vm| {
        let mut way = super::recipe::way(vm, func, &Vec::new());
        for param in &mut way.params {
            param.kind = kind_for(vm, elem);
        }
        vec![way]
    });
    Some(Kind::Object(key))
}

/// `list.iterator()`.
fn of_list(vm: &mut Vm<Jvm>, name: &str, elem: &Generic, method: &str, descriptor: &str) -> Option<Kind> {
    let class = vm.lang.class(name).ok()?;
    let owner = vm.lang.class("java/util/List").ok()?;
    let func = vm.lang.method(owner, method, descriptor).ok()?;
    let list = list_kind(vm, elem, name)?;
    let key = prepare_ways(vm, class, vec![elem.clone()], |_| {
        vec![Way {
            func,
            on: Some(list),
            outer: false,
            given: None,
            then: Vec::new(),
            only_then: false,
            of_owner: false,
            params: Vec::new(),
        }]
    });
    Some(Kind::Object(key))
}

/// `ForkJoinPool.commonPool()`: nobody need shut it down.
fn common_pool(vm: &mut Vm<Jvm>, name: &str) -> Option<Kind> {
    let ty = vm.lang.class(name).ok()?;
    let pool = vm.lang.class("java/util/concurrent/ForkJoinPool").ok()?;
    let func = vm.lang.declared(pool, "commonPool", "()Ljava/util/concurrent/ForkJoinPool;")?;
    let way = Way {
        func,
        on: None,
        outer: false,
        given: None,
        then: Vec::new(),
        only_then: false,
        of_owner: false,
        params: Vec::new(),
    };
    let key = prepare_ways(vm, ty, Vec::new(), |_| vec![way]);
    Some(Kind::Only { kind: Box::new(Kind::Object(key)), ty: name.replace('/', ".") })
}

/// The constants of an enum in order; initialises it in the snapshot. `None` if that fails.
pub fn enum_constants(vm: &mut Vm<Jvm>, class: ClassId) -> Option<Vec<vm::ObjId>> {
    vm.start_run(Assignment::default());
    initialise(vm, class).ok()?;
    vm.freeze();
    let mirror = <Jvm as vm::Lang>::statics(vm, class).ok()?;
    let fields = &vm.lang.classes[class].fields;
    let offsets: Vec<u32> =
        fields.iter().filter(|f| f.is_static() && f.access & access::ENUM != 0).map(|f| f.offset).collect();
    Some(offsets.into_iter().map(|offset| vm.heap.read_ref(mirror, offset)).collect())
}

/// Concrete classes of the program that are of this type and that a test may name; the nearest first.
pub(super) fn implementers(vm: &mut Vm<Jvm>, class: ClassId) -> Vec<ClassId> {
    // Of `Object`, `Runnable` and the like everything is one: the library's own types are looked for only if
    // they are no classes of everybody's.
    if vm.lang.classes[class].name.starts_with("java/lang/") {
        return Vec::new();
    }
    // A lambda stands for the library's functions: what of the program implements one does so for a purpose of its own.
    let own = &vm.lang.classes[class];
    if own.origin == ClassOrigin::Library
        && own.is_interface()
        && super::made_up::abstract_methods(&vm.lang, class).len() == 1
    {
        return Vec::new();
    }
    let subs = vm.lang.subtypes(class);
    let mut found: Vec<ClassId> = Vec::new();
    for name in subs {
        if let Ok(sub) = vm.lang.class(&name)
            && vm.lang.classes[sub].access & (access::ABSTRACT | access::INTERFACE) == 0
            && vm.lang.classes[sub].origin != ClassOrigin::Library
            && can_name(&vm.lang, sub)
            && !spoils_its_parent(&vm.lang, sub)
        {
            found.push(sub);
        }
        if found.len() == MAX_IMPLEMENTERS {
            break;
        }
    }
    found
}

/// What the type parameters of a class are where it stands for a type with these arguments: `Ok<T> extends Outcome<T>` is an
/// `Ok<Integer>` for `Outcome<Integer>`. None if nothing is known of any.
fn own_args(jvm: &Jvm, sub: ClassId, class: ClassId, args: &[Generic]) -> Vec<Generic> {
    let Some(file) = jvm.classes[sub].file.as_deref().filter(|_| !args.is_empty()) else { return Vec::new() };
    let count = generic::class_env(file.signature.as_deref(), &[]).len();
    let marker = Generic::Class("?".into(), Vec::new());
    // What Kotlin's compiler leaves out of its class files: `Ok<T> : Res<T, Nothing>`.
    let kotlin = crate::kotlin::kotlin(file).filter(|_| count > 0);
    let told = |at: usize| {
        let mut above = kotlin.iter().flat_map(|kotlin| &kotlin.above);
        let (_, given) = above.find(|(name, _)| **name == *jvm.classes[class].name)?;
        given.iter().position(|own| *own == Some(at))
    };
    let own: Vec<Generic> = (0..count)
        .map(|at| {
            let mut marked = vec![Generic::Any; count];
            marked[at] = marker.clone();
            let given = super::made_up::env_in(jvm, sub, &marked, class, 0).unwrap_or_default();
            let place = given.iter().position(|(_, given)| *given == marker).or_else(|| told(at));
            place.and_then(|place| args.get(place)).cloned().unwrap_or(Generic::Any)
        })
        .collect();
    if own.iter().all(|arg| *arg == Generic::Any) { Vec::new() } else { own }
}

/// Whether a class is one of another type than is asked for: `Celsius implements Format<Heat>` is no `Format<Date>`.
fn contradicts(jvm: &Jvm, sub: ClassId, class: ClassId, args: &[Generic]) -> bool {
    let Some(file) = jvm.classes[sub].file.as_deref().filter(|_| !args.is_empty()) else { return false };
    // Whatever its own variables stand for.
    let own = generic::class_env(file.signature.as_deref(), &[]);
    let own: Vec<Generic> = own.iter().map(|_| Generic::Any).collect();
    let Some(given) = super::made_up::env_in(jvm, sub, &own, class, 0) else { return false };
    given.iter().zip(args).any(|((_, given), asked)| are_apart(jvm, given, asked))
}

/// Whether what a function returns is of other type arguments than are asked for: `static <T> Res<List<T>, E> all(…)` makes no
/// `Res<Integer, E>`.
pub(super) fn gives_another(jvm: &Jvm, func: ir::FuncId, asked: &generic::Env) -> bool {
    let f = &jvm.funcs[func];
    let file = jvm.classes[f.class].file.as_deref();
    let signature = file.and_then(|file| file.method(&f.name, &f.descriptor)?.signature.as_deref());
    let Some(ret) = f.signature.ty.ret.as_ref() else { return false };
    match generic::result(signature, ret, &generic::Env::new()) {
        Generic::Class(_, given) => {
            asked.iter().zip(&given).any(|((_, asked), given)| are_apart(jvm, given, asked))
        }
        _ => false,
    }
}

/// Whether no object is of both types.
fn are_apart(jvm: &Jvm, a: &Generic, b: &Generic) -> bool {
    match (a, b) {
        (Generic::Class(a, _), Generic::Class(b, _)) => match (jvm.loaded(a), jvm.loaded(b)) {
            (Some(a), Some(b)) => !jvm.is_subclass(a, b) && !jvm.is_subclass(b, a),
            _ => false,
        },
        (Generic::Array(a), Generic::Array(b)) => are_apart(jvm, a, b),
        (Generic::Array(_), Generic::Class(name, _)) | (Generic::Class(name, _), Generic::Array(_)) => {
            !matches!(&**name, "java/lang/Object" | "java/lang/Cloneable" | "java/io/Serializable")
        }
        (Generic::Prim(a), Generic::Prim(b)) => a != b,
        (Generic::Prim(_), Generic::Class(..) | Generic::Array(_))
        | (Generic::Class(..) | Generic::Array(_), Generic::Prim(_)) => true,
        (Generic::Any | Generic::Wild, _) | (_, Generic::Any | Generic::Wild) => false,
    }
}

/// Whether a class above this one takes a value from it when it is initialised: `static final Zone UTC = UtcZone.INSTANCE`.
/// A test that uses this class first leaves null there for all others.
fn spoils_its_parent(jvm: &Jvm, class: ClassId) -> bool {
    let above = jvm.classes[class].ancestors.iter().filter(|above| **above != class);
    let files = above.filter_map(|above| jvm.classes[*above].file.as_deref());
    files.filter_map(|file| Some((file, file.method("<clinit>", "()V")?.bytecode().ok()??))).any(
        |(file, code)| {
            code.instrs.iter().any(|(_, instr)| match instr {
                Instr::GetStatic(cp) => {
                    file.pool.field(*cp).is_ok_and(|field| field.class == &*jvm.classes[class].name)
                }
                _ => false,
            })
        },
    )
}

impl Jvm {
    /// Finds out which of the program's classes are below which types, once.
    pub(super) fn know_subtypes(&mut self) {
        if self.worlds.hierarchy.is_none() {
            let mut below: std::collections::BTreeMap<Arc<str>, Vec<Arc<str>>> = Default::default();
            for name in self.path.list_all().unwrap_or_default() {
                let Ok(Some((file, _))) = self.path.load(&name) else { continue };
                for parent in file.interfaces.iter().chain(&file.super_name) {
                    below.entry(parent.clone()).or_default().push(file.name.clone());
                }
            }
            self.worlds.hierarchy = Some(below);
        }
    }

    /// Internal names of the program's classes below a type, in the order of their distance and name.
    pub(crate) fn subtypes(&mut self, class: ClassId) -> Vec<Arc<str>> {
        self.know_subtypes();
        let Some(below) = &self.worlds.hierarchy else { return Vec::new() };
        let mut found: Vec<Arc<str>> = Vec::new();
        let mut open = vec![self.classes[class].name.clone()];
        while !open.is_empty() {
            let mut next = Vec::new();
            for sub in open.iter().filter_map(|name| below.get(name)).flatten() {
                if !found.contains(sub) {
                    found.push(sub.clone());
                    next.push(sub.clone());
                }
            }
            open = next;
        }
        found
    }
}
