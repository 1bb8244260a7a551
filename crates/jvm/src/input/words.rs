//! Texts that no search would spell: those that classes of the library are made of (a pattern, an address, a number beyond
//! `long`), and those that the program looks for in its maps and sets.

use std::sync::Arc;

use ir::{ClassId, FuncId};
use term::Assignment;
use vm::{Outcome, Val, Vm};

use super::Kind;
use super::producers::nest;
use super::recipe::Way;
use crate::load::{ClassFile, Instr, MemberRef};
use crate::world::Jvm;

/// Class, constructor or factory of one text, texts.
const WORDS: [(&str, &str, &[&str]); 13] = [
    (
        "java/math/BigInteger",
        "<init>",
        &["18446744073709551616", "-9223372036854775809", "100000000000000000000000000000000000001"],
    ),
    ("java/math/BigDecimal", "<init>", &["0.5", "-2.50", "1E+30", "1E-30"]),
    ("java/util/regex/Pattern", "compile", &["[a-z]+", "(\\d)(\\d*)", ","]),
    ("java/net/URI", "create", &["http://user@example.com:80/a/b?c=d#e", "mailto:a@example.com", "a/b"]),
    ("java/net/URL", "<init>", &["http://example.com:80/a/b?c=d#e", "file:/tmp/a"]),
    ("java/util/TimeZone", "getTimeZone", &["GMT+05:30", "America/New_York", "UTC"]),
    ("java/time/ZoneId", "of", &["+05:30", "Europe/Berlin", "UTC"]),
    ("java/util/Currency", "getInstance", &["EUR", "JPY"]),
    ("java/util/UUID", "fromString", &["123e4567-e89b-12d3-a456-426614174000"]),
    ("java/text/SimpleDateFormat", "<init>", &["yyyy-MM-dd HH:mm"]),
    ("java/text/DecimalFormat", "<init>", &["#,##0.00"]),
    ("java/text/MessageFormat", "<init>", &["{0}: {1}"]),
    ("java/time/format/DateTimeFormatter", "ofPattern", &["yyyy-MM-dd"]),
];

/// The call that makes an object of a class of one of its texts.
pub(super) fn way(vm: &mut Vm<Jvm>, class: ClassId) -> Option<Way> {
    let (name, method, words) = WORDS.iter().find(|(name, ..)| *name == &*vm.lang.classes[class].name)?;
    let descriptor = match *method {
        "<init>" => "(Ljava/lang/String;)V".to_string(),
        _ => format!("(Ljava/lang/String;)L{name};"),
    };
    let func = vm.lang.declared(class, method, &descriptor)?;
    let mut way = super::recipe::way(vm, func, &Vec::new());
    let kind = texts(vm, words)?;
    for param in &mut way.params {
        param.name = "text".to_string();
        param.kind = kind.clone();
    }
    Some(way)
}

/// The call of a constructor or factory that refuses empty texts with those that the program itself gives it:
/// `Money.of("2.50", "EUR")`.
pub(super) fn example(vm: &mut Vm<Jvm>, class: ClassId, way: &Way) -> Option<Way> {
    let plain = |kind: &Kind| matches!(kind, Kind::Str | Kind::Scalar(_));
    let of_texts =
        way.params.iter().any(|p| p.kind == Kind::Str) && way.params.iter().all(|p| plain(&p.kind));
    if !of_texts || way.on.is_some() || way.outer {
        return None;
    }
    let literals = literals(vm, class, way.func);
    let known = |(i, p): (usize, &super::ParamWay)| p.kind != Kind::Str || !literals[i].is_empty();
    if !way.params.iter().enumerate().all(known) || !refuses(vm, class, way) {
        return None;
    }
    let mut example = way.clone();
    for (param, literals) in example.params.iter_mut().zip(&literals) {
        if param.kind == Kind::Str {
            let words: Vec<&str> = literals.iter().map(String::as_str).collect();
            param.kind = texts(vm, &words)?;
        }
    }
    Some(example)
}

/// Whether a call with empty texts and zeros throws.
fn refuses(vm: &mut Vm<Jvm>, class: ClassId, way: &Way) -> bool {
    vm.start_run(Assignment::default());
    if super::initialise(vm, class).is_err() {
        return false;
    }
    let mut args: Vec<Val> = Vec::new();
    if &*vm.lang.funcs[way.func].name == "<init>" {
        let Ok(object) = vm.new_object(class) else { return false };
        args.push(Val::obj(object));
    }
    for param in &way.params {
        match param.ty.is_reference() {
            true => match crate::link::new_string(vm, &[]) {
                Ok(text) => args.push(Val::obj(text)),
                Err(_) => return false,
            },
            false => args.push(Val::ZERO),
        }
    }
    matches!(vm.call(way.func, &args), Outcome::Threw(_))
}

/// So many texts are kept of each parameter.
const MAX_LITERALS: usize = 4;

/// The texts that code near a class gives a function, by parameter: where all that it is given is constant.
fn literals(vm: &mut Vm<Jvm>, class: ClassId, func: FuncId) -> Vec<Vec<String>> {
    let f = &vm.lang.funcs[func];
    let (name, descriptor) = (f.name.clone(), f.descriptor.clone());
    let params = f.signature.ty.params.clone();
    let mut found: Vec<Vec<String>> = vec![Vec::new(); params.len()];
    let owner = vm.lang.classes[f.class].name.clone();
    let mut classes = nest(vm, class);
    if let Some(context) = vm.lang.worlds.context {
        classes.extend(nest(vm, context));
    }
    for class in classes {
        let Some(file) = vm.lang.classes[class].file.clone() else { continue };
        for code in file.methods.iter().filter_map(|method| method.bytecode().ok().flatten()) {
            for (at, (_, instr)) in code.instrs.iter().enumerate() {
                let (Instr::InvokeStatic(cp) | Instr::InvokeSpecial(cp)) = instr else { continue };
                let called = file.pool.method(*cp);
                let same = called.is_ok_and(|called| {
                    *called.class == *owner && *called.name == *name && *called.descriptor == *descriptor
                });
                let Some(from) = at.checked_sub(params.len()).filter(|_| same) else { continue };
                let given: Vec<Option<Option<String>>> = code.instrs[from..at]
                    .iter()
                    .zip(&params)
                    .map(|((_, instr), ty)| match instr {
                        Instr::Ldc(cp) if ty.is_reference() => file
                            .pool
                            .string(*cp)
                            .ok()
                            .and_then(|text| String::from_utf16(&text).ok())
                            .map(Some),
                        Instr::Int(_)
                        | Instr::Long(_)
                        | Instr::Float(_)
                        | Instr::Double(_)
                        | Instr::Ldc(_)
                        | Instr::Ldc2(_)
                        | Instr::Load(..)
                            if !ty.is_reference() =>
                        {
                            Some(None)
                        }
                        _ => None,
                    })
                    .collect();
                if given.iter().any(Option::is_none) {
                    continue;
                }
                for (texts, text) in found.iter_mut().zip(given.into_iter().flatten()) {
                    if let Some(text) = text
                        && !texts.contains(&text)
                        && texts.len() < MAX_LITERALS
                    {
                        texts.push(text);
                    }
                }
            }
        }
    }
    found
}

/// Texts to choose from.
pub(super) fn texts(vm: &mut Vm<Jvm>, texts: &[&str]) -> Option<Kind> {
    vm.start_run(Assignment::default());
    let mut constants = Vec::new();
    for text in texts {
        let units: Vec<u16> = text.encode_utf16().collect();
        constants.push(crate::link::new_string(vm, &units).ok()?);
    }
    vm.freeze();
    let class = vm.lang.class("java/lang/String").ok()?;
    Some(Kind::Enum { class, constants })
}

/// So many words of the program are tried as keys.
const MAX_WORDS: usize = 16;
/// A word that long is nobody's key.
const LONGEST: usize = 40;
/// A word is asked for by a call that follows so soon.
const SOON: usize = 4;
/// What maps and sets are asked with a key.
const ASKS: [&str; 14] = [
    "get",
    "getOrDefault",
    "getProperty",
    "setProperty",
    "containsKey",
    "contains",
    "remove",
    "put",
    "putIfAbsent",
    "computeIfAbsent",
    "computeIfPresent",
    "compute",
    "merge",
    "add",
];

/// A text for a key, or one of the words that the class under test asks its collections for: hardly any other has the
/// same hash.
pub(super) fn key(vm: &mut Vm<Jvm>) -> Option<Kind> {
    of_calls(vm, |called| called.class.starts_with("java/util/") && ASKS.contains(&called.name))
}

/// The same for what keeps something under a text, as objects of a class of the program do: words that the class under
/// test gives its methods.
pub(super) fn key_of(vm: &mut Vm<Jvm>, class: ClassId) -> Option<Kind> {
    let jvm = &vm.lang;
    let names: Vec<Arc<str>> =
        jvm.classes[class].ancestors.iter().map(|above| jvm.classes[*above].name.clone()).collect();
    of_calls(vm, |called| {
        names.iter().any(|name| **name == *called.class)
            && called.descriptor.starts_with("(Ljava/lang/String;")
    })
}

/// A text, or one of the words that soon are an argument of certain calls in the class under test.
fn of_calls(vm: &mut Vm<Jvm>, asks: impl Fn(&MemberRef<'_>) -> bool) -> Option<Kind> {
    let context = vm.lang.worlds.context?;
    let mut found: Vec<Vec<u16>> = Vec::new();
    for class in nest(vm, context) {
        if let Some(file) = vm.lang.classes[class].file.clone() {
            asked(&file, &asks, &mut found);
        }
    }
    found.truncate(MAX_WORDS);
    if found.is_empty() {
        return None;
    }
    vm.start_run(Assignment::default());
    let words: Result<Vec<_>, _> = found.iter().map(|units| crate::link::intern(vm, units)).collect();
    vm.freeze();
    Some(Kind::Word(words.ok()?))
}

/// The words of a class that soon are the argument of a certain call.
fn asked(file: &ClassFile, wanted: &impl Fn(&MemberRef<'_>) -> bool, found: &mut Vec<Vec<u16>>) {
    for method in &file.methods {
        let Ok(Some(code)) = method.bytecode() else { continue };
        for (at, (_, instr)) in code.instrs.iter().enumerate() {
            let Instr::Ldc(cp) = instr else { continue };
            let Ok(units) = file.pool.string(*cp) else { continue };
            let next = code.instrs.iter().skip(at + 1).take(SOON);
            let asks = next.clone().any(|(_, instr)| match instr {
                Instr::InvokeInterface(cp) | Instr::InvokeVirtual(cp) => {
                    file.pool.method(*cp).is_ok_and(|called| wanted(&called))
                }
                _ => false,
            });
            if asks && units.len() <= LONGEST && !found.contains(&units) {
                found.push(units);
            }
        }
    }
}
