//! Warming the library up before runs start from the snapshot.
//!
//! The first `DateTimeFormatter` costs millions of steps, the next a few thousand: classes are initialised and caches
//! filled. What the code under test mentions is done once here, with values of our own, and becomes part of the frozen
//! world. Only the JDK's own classes are touched: a program cannot tell, but for time. A class of the program that is
//! first used in a run is initialised in that run.

use std::collections::BTreeSet;

use ir::ClassId;
use vm::{Outcome, Val, Vm};

use crate::input;
use crate::link::{self, ClassOrigin, Func};
use crate::load::Constant;
use crate::world::Jvm;

/// A call with values of our own.
struct Call {
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    args: &'static [Arg],
}

#[derive(Clone, Copy)]
enum Arg {
    Int(i32),
    Double(f64),
    Text(&'static str),
    /// The result of an earlier call of the lesson.
    Of(usize),
    /// Objects: texts, boxed numbers.
    Objects(&'static [Arg]),
}

/// What to do when any of these classes or methods (`class.name`) is mentioned.
struct Lesson {
    mentions: &'static [&'static str],
    calls: &'static [Call],
}

const fn call(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    args: &'static [Arg],
) -> Call {
    Call { class, name, descriptor, args }
}

/// More classes of the program are not looked at.
const MOST_CLASSES: usize = 300;
/// Steps of one lesson or initialiser.
const STEPS: u64 = 30_000_000;

const STRING: &str = "java/lang/String";
const NUMBERS: &str = "java/text/NumberFormat";
const DATES: &str = "java/time/LocalDate";
const FORMATTER: &str = "java/time/format/DateTimeFormatter";

const LESSONS: &[Lesson] = &[
    Lesson {
        mentions: &[
            "java/lang/String.format",
            "java/lang/String.formatted",
            "java/util/Formatter",
            "java/io/PrintStream.printf",
        ],
        calls: &[call(
            STRING,
            "format",
            "(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;",
            &[
                Arg::Text("%s %5d %,d %.2f %x%n"),
                Arg::Objects(&[Arg::Text("a"), Arg::Int(1), Arg::Int(1), Arg::Double(1.5), Arg::Int(1)]),
            ],
        )],
    },
    Lesson {
        mentions: &[
            "java/util/regex/Pattern",
            "java/lang/String.split",
            "java/lang/String.matches",
            "java/lang/String.replaceAll",
            "java/lang/String.replaceFirst",
            "java/util/Scanner",
        ],
        calls: &[call(
            STRING,
            "replaceAll",
            "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;",
            &[Arg::Text("ab 12"), Arg::Text("([a-c]+)\\s*(\\d|x)"), Arg::Text("$1")],
        )],
    },
    Lesson {
        mentions: &[FORMATTER, "java/time/format/DateTimeFormatterBuilder"],
        calls: &[
            call(DATES, "of", "(III)Ljava/time/LocalDate;", &[Arg::Int(2024), Arg::Int(2), Arg::Int(29)]),
            call(
                FORMATTER,
                "ofPattern",
                "(Ljava/lang/String;)Ljava/time/format/DateTimeFormatter;",
                &[Arg::Text("EEEE, d MMMM uuuu")],
            ),
            call(
                FORMATTER,
                "format",
                "(Ljava/time/temporal/TemporalAccessor;)Ljava/lang/String;",
                &[Arg::Of(1), Arg::Of(0)],
            ),
            call(
                FORMATTER,
                "ofPattern",
                "(Ljava/lang/String;)Ljava/time/format/DateTimeFormatter;",
                &[Arg::Text("EEE d MMM yyyy HH:mm:ss.SSS a")],
            ),
            call(
                "java/time/LocalDateTime",
                "parse",
                "(Ljava/lang/CharSequence;)Ljava/time/LocalDateTime;",
                &[Arg::Text("2024-02-29T10:15:30")],
            ),
            call(
                FORMATTER,
                "format",
                "(Ljava/time/temporal/TemporalAccessor;)Ljava/lang/String;",
                &[Arg::Of(3), Arg::Of(4)],
            ),
        ],
    },
    Lesson {
        mentions: &["java/time/LocalDate.parse"],
        calls: &[call(
            DATES,
            "parse",
            "(Ljava/lang/CharSequence;)Ljava/time/LocalDate;",
            &[Arg::Text("2024-02-29")],
        )],
    },
    Lesson {
        mentions: &["java/time/LocalTime.parse"],
        calls: &[call(
            "java/time/LocalTime",
            "parse",
            "(Ljava/lang/CharSequence;)Ljava/time/LocalTime;",
            &[Arg::Text("10:15:30")],
        )],
    },
    Lesson {
        mentions: &["java/time/LocalDateTime.parse"],
        calls: &[call(
            "java/time/LocalDateTime",
            "parse",
            "(Ljava/lang/CharSequence;)Ljava/time/LocalDateTime;",
            &[Arg::Text("2024-02-29T10:15:30")],
        )],
    },
    Lesson {
        mentions: &["java/time/Instant.parse", "java/time/Instant.toString"],
        calls: &[
            call(
                "java/time/Instant",
                "parse",
                "(Ljava/lang/CharSequence;)Ljava/time/Instant;",
                &[Arg::Text("2024-02-29T10:15:30Z")],
            ),
            call("java/lang/Object", "toString", "()Ljava/lang/String;", &[Arg::Of(0)]),
        ],
    },
    Lesson {
        mentions: &["java/time/ZonedDateTime", "java/time/ZoneId"],
        calls: &[
            call(
                "java/time/ZoneId",
                "of",
                "(Ljava/lang/String;)Ljava/time/ZoneId;",
                &[Arg::Text("Europe/Berlin")],
            ),
            call(
                "java/time/ZonedDateTime",
                "parse",
                "(Ljava/lang/CharSequence;)Ljava/time/ZonedDateTime;",
                &[Arg::Text("2024-02-29T10:15:30+01:00[Europe/Berlin]")],
            ),
            call("java/lang/Object", "toString", "()Ljava/lang/String;", &[Arg::Of(1)]),
        ],
    },
    Lesson {
        mentions: &[
            "java/text/DecimalFormat",
            NUMBERS,
            "java/text/MessageFormat",
            "java/text/DecimalFormatSymbols",
        ],
        calls: &[
            call(NUMBERS, "getInstance", "()Ljava/text/NumberFormat;", &[]),
            call(NUMBERS, "format", "(D)Ljava/lang/String;", &[Arg::Of(0), Arg::Double(1234.5)]),
            call(NUMBERS, "getCurrencyInstance", "()Ljava/text/NumberFormat;", &[]),
            call(NUMBERS, "format", "(D)Ljava/lang/String;", &[Arg::Of(2), Arg::Double(1234.5)]),
            call(
                NUMBERS,
                "parse",
                "(Ljava/lang/String;)Ljava/lang/Number;",
                &[Arg::Of(0), Arg::Text("1,234.5")],
            ),
        ],
    },
    Lesson {
        mentions: &[
            "java/text/SimpleDateFormat",
            "java/text/DateFormat",
            "java/util/Calendar",
            "java/util/GregorianCalendar",
            "java/util/Date.toString",
        ],
        calls: &[
            call("java/text/DateFormat", "getDateInstance", "()Ljava/text/DateFormat;", &[]),
            call(
                "java/text/DateFormat",
                "parse",
                "(Ljava/lang/String;)Ljava/util/Date;",
                &[Arg::Of(0), Arg::Text("Jan 2, 2020")],
            ),
            call(
                "java/text/DateFormat",
                "format",
                "(Ljava/util/Date;)Ljava/lang/String;",
                &[Arg::Of(0), Arg::Of(1)],
            ),
            call("java/lang/Object", "toString", "()Ljava/lang/String;", &[Arg::Of(1)]),
        ],
    },
    Lesson {
        mentions: &["java/security/MessageDigest", "java/util/UUID.nameUUIDFromBytes"],
        calls: &[
            call(
                "java/security/MessageDigest",
                "getInstance",
                "(Ljava/lang/String;)Ljava/security/MessageDigest;",
                &[Arg::Text("SHA-256")],
            ),
            call(
                "java/security/MessageDigest",
                "getInstance",
                "(Ljava/lang/String;)Ljava/security/MessageDigest;",
                &[Arg::Text("MD5")],
            ),
            call("java/security/MessageDigest", "digest", "()[B", &[Arg::Of(0)]),
        ],
    },
    Lesson {
        mentions: &["java/lang/String.toUpperCase", "java/lang/String.toLowerCase"],
        calls: &[call(STRING, "toUpperCase", "()Ljava/lang/String;", &[Arg::Text("a\u{e9}")])],
    },
    Lesson {
        mentions: &["java/util/stream/Stream", "java/util/stream/Collectors", "java/util/stream/IntStream"],
        calls: &[
            call(
                "java/util/List",
                "of",
                "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/List;",
                &[Arg::Text("b"), Arg::Text("a")],
            ),
            call("java/util/Collection", "stream", "()Ljava/util/stream/Stream;", &[Arg::Of(0)]),
            call("java/util/stream/Stream", "sorted", "()Ljava/util/stream/Stream;", &[Arg::Of(1)]),
            call("java/util/stream/Collectors", "toList", "()Ljava/util/stream/Collector;", &[]),
            call(
                "java/util/stream/Stream",
                "collect",
                "(Ljava/util/stream/Collector;)Ljava/lang/Object;",
                &[Arg::Of(2), Arg::Of(3)],
            ),
        ],
    },
];

/// Warms up what a class of the program, and the program's classes it uses, mention; then freezes the world again.
pub fn warm(vm: &mut Vm<Jvm>, class: &str) {
    let mentions = mentions(vm, class);
    let (limits, ledger) = (vm.limits, std::mem::take(&mut vm.ledger));
    vm.limits.steps = STEPS;
    for name in mentions.iter().filter(|name| !name.contains('.')) {
        let done = match library_class(vm, name) {
            Some(class) => input::initialise(vm, class).is_ok(),
            None => continue,
        };
        keep(vm, done);
    }
    for lesson in LESSONS.iter().filter(|lesson| lesson.mentions.iter().any(|m| mentions.contains(*m))) {
        let done = teach(vm, lesson).is_some();
        keep(vm, done);
    }
    vm.limits = limits;
    vm.ledger = ledger;
}

/// What did not come to an end is undone.
fn keep(vm: &mut Vm<Jvm>, done: bool) {
    if done {
        vm.trace = vm::Trace::default();
        vm.freeze();
    } else {
        vm.start_run(Default::default());
    }
}

fn teach(vm: &mut Vm<Jvm>, lesson: &Lesson) -> Option<()> {
    let mut results: Vec<Val> = Vec::new();
    for call in lesson.calls {
        let class = library_class(vm, call.class)?;
        input::initialise(vm, class).ok()?;
        let mut args = Vec::new();
        for arg in call.args {
            args.push(value(vm, *arg, &results)?);
        }
        let func = vm.lang.method(class, call.name, call.descriptor).ok()?;
        let target = if vm.lang.funcs[func].is_static() { func } else { dispatch(vm, func, *args.first()?)? };
        match vm.call(target, &args) {
            Outcome::Returned(result) => results.push(result.unwrap_or(Val::ZERO)),
            _ => return None,
        }
    }
    Some(())
}

fn dispatch(vm: &mut Vm<Jvm>, func: ir::FuncId, receiver: Val) -> Option<ir::FuncId> {
    let object = receiver.as_obj();
    if object.is_null() {
        return None;
    }
    let class = vm.heap.class(object);
    let Func { slot, class: owner, .. } = &vm.lang.funcs[func];
    let (slot, owner) = (*slot, *owner);
    if vm.lang.classes[owner].is_interface() {
        return <Jvm as vm::Lang>::interface_function(&mut vm.lang, class, func).ok();
    }
    match slot {
        Func::NO_SLOT => Some(func),
        slot => <Jvm as vm::Lang>::virtual_function(&vm.lang, class, slot),
    }
}

fn value(vm: &mut Vm<Jvm>, arg: Arg, results: &[Val]) -> Option<Val> {
    Some(match arg {
        Arg::Int(value) => Val::i32(value),
        Arg::Double(value) => Val::f64(value),
        Arg::Text(text) => {
            let units: Vec<u16> = text.encode_utf16().collect();
            Val::obj(link::new_string(vm, &units).ok()?)
        }
        Arg::Of(index) => *results.get(index)?,
        Arg::Objects(items) => {
            let class = vm.lang.array_of(vm.lang.known.object);
            let array = vm.new_array(class, items.len() as u32).ok()?;
            for (i, item) in items.iter().enumerate() {
                let item = boxed(vm, *item, results)?;
                vm.heap.write_ref(array, i as u32 * 4, item.as_obj());
            }
            Val::obj(array)
        }
    })
}

fn boxed(vm: &mut Vm<Jvm>, arg: Arg, results: &[Val]) -> Option<Val> {
    let (class, descriptor) = match arg {
        Arg::Int(_) => ("java/lang/Integer", "(I)Ljava/lang/Integer;"),
        Arg::Double(_) => ("java/lang/Double", "(D)Ljava/lang/Double;"),
        _ => return value(vm, arg, results),
    };
    let val = value(vm, arg, results)?;
    let class = library_class(vm, class)?;
    input::initialise(vm, class).ok()?;
    let func = vm.lang.declared(class, "valueOf", descriptor)?;
    match vm.call(func, &[val]) {
        Outcome::Returned(result) => result,
        _ => None,
    }
}

fn library_class(vm: &mut Vm<Jvm>, name: &str) -> Option<ClassId> {
    let class = vm.lang.class(name).ok()?;
    (vm.lang.classes[class].origin == ClassOrigin::Library).then_some(class)
}

/// Names of the library's classes, and `class.method` of its methods, in the constant pools of a class and of the
/// program's classes it refers to.
fn mentions(vm: &mut Vm<Jvm>, class: &str) -> BTreeSet<String> {
    let mut mentions = BTreeSet::new();
    let mut seen: BTreeSet<String> = BTreeSet::from([class.to_string()]);
    let mut waiting = vec![class.to_string()];
    while let Some(name) = waiting.pop() {
        let Ok(id) = vm.lang.class(&name) else { continue };
        if vm.lang.classes[id].origin == ClassOrigin::Library {
            mentions.insert(name);
            continue;
        }
        let Some(file) = vm.lang.classes[id].file.clone() else { continue };
        for index in 1..file.pool.len() {
            let other = match file.pool.get(index) {
                Ok(Constant::Class(other)) => other,
                Ok(Constant::Method(member)) => {
                    mentions.insert(format!("{}.{}", member.class, member.name));
                    member.class
                }
                _ => continue,
            };
            if !other.starts_with('[') && seen.len() < MOST_CLASSES && seen.insert(other.to_string()) {
                waiting.push(other.to_string());
            }
        }
    }
    mentions
}
