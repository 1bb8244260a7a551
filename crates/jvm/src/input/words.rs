//! Texts that classes of the library are made of and that no search would spell: a pattern, an address, a number beyond `long`.

use ir::ClassId;
use term::Assignment;
use vm::Vm;

use super::Kind;
use super::recipe::Way;
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
