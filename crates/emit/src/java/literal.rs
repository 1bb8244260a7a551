//! Java literals that `javac` reads back to the very same value.

use crate::doc::Doc;

/// A `CONSTANT_Utf8` holds at most 65535 bytes (JVMS §4.4.7); constant expressions are folded into one.
const MAX_CONSTANT_BYTES: usize = 65_535;
/// Strings whose literal is longer than this are written in several pieces.
const MAX_PIECE: usize = 64;

pub fn int(value: i32) -> String {
    match value {
        i32::MIN => "Integer.MIN_VALUE".into(),
        i32::MAX => "Integer.MAX_VALUE".into(),
        _ => value.to_string(),
    }
}

pub fn long(value: i64) -> String {
    match value {
        i64::MIN => "Long.MIN_VALUE".into(),
        i64::MAX => "Long.MAX_VALUE".into(),
        _ => format!("{value}L"),
    }
}

/// Without a cast: of type `byte` only for the two named constants.
pub fn byte(value: i8) -> String {
    match value {
        i8::MIN => "Byte.MIN_VALUE".into(),
        i8::MAX => "Byte.MAX_VALUE".into(),
        _ => value.to_string(),
    }
}

pub fn short(value: i16) -> String {
    match value {
        i16::MIN => "Short.MIN_VALUE".into(),
        i16::MAX => "Short.MAX_VALUE".into(),
        _ => value.to_string(),
    }
}

pub fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        // Every NaN but the canonical one keeps its payload.
        return if bits == 0x7fc0_0000 {
            "Float.NaN".into()
        } else {
            format!("Float.intBitsToFloat(0x{bits:08x})")
        };
    }
    let name = if value.is_infinite() {
        return if value > 0.0 { "Float.POSITIVE_INFINITY" } else { "Float.NEGATIVE_INFINITY" }.into();
    } else if value.abs() == f32::MAX {
        "Float.MAX_VALUE"
    } else if bits & 0x7fff_ffff == 1 {
        "Float.MIN_VALUE"
    } else if value.abs() == f32::MIN_POSITIVE {
        "Float.MIN_NORMAL"
    } else {
        return format!("{}f", decimal(&format!("{value:?}")));
    };
    signed(name, value.is_sign_negative())
}

pub fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        return if bits == 0x7ff8_0000_0000_0000 {
            "Double.NaN".into()
        } else {
            format!("Double.longBitsToDouble(0x{bits:016x}L)")
        };
    }
    let name = if value.is_infinite() {
        return if value > 0.0 { "Double.POSITIVE_INFINITY" } else { "Double.NEGATIVE_INFINITY" }.into();
    } else if value.abs() == f64::MAX {
        "Double.MAX_VALUE"
    } else if bits & (u64::MAX >> 1) == 1 {
        "Double.MIN_VALUE"
    } else if value.abs() == f64::MIN_POSITIVE {
        "Double.MIN_NORMAL"
    } else {
        return decimal(&format!("{value:?}"));
    };
    signed(name, value.is_sign_negative())
}

fn signed(name: &str, negative: bool) -> String {
    if negative { format!("-{name}") } else { name.to_owned() }
}

/// Rust's shortest round-trip digits, spelled as Java's `toString` does (`1.0E300`).
fn decimal(rust: &str) -> String {
    match rust.split_once('e') {
        Some((mantissa, exponent)) if mantissa.contains('.') => format!("{mantissa}E{exponent}"),
        Some((mantissa, exponent)) => format!("{mantissa}.0E{exponent}"),
        None => rust.to_owned(),
    }
}

pub fn char(unit: u16) -> String {
    match unit {
        0x27 => "'\\''".into(),
        0x22 => "'\"'".into(),
        0 => "'\\0'".into(),
        _ => format!("'{}'", escape(unit)),
    }
}

/// A string expression. Long ones become sums of literals; those beyond the limit of a constant are joined at
/// run time; long runs of one character are repeated, by `String.repeat` if `release` has it (11).
pub fn string(units: &[u16], release: u16) -> Doc {
    if units.len() > 40
        && let Some(first) = units.first()
        && units.iter().all(|u| u == first)
    {
        if release >= 11 {
            return Doc::text(format!("{}.repeat({})", literal(&[*first]), units.len()));
        } else if units.len() > 200 {
            let unit = char(*first);
            return Doc::text(format!("new String(new char[{}]).replace('\\0', {unit})", units.len()));
        }
    }
    if utf8_len(units) <= MAX_CONSTANT_BYTES {
        return constant(units);
    }
    let mut parts = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (i, unit) in units.iter().enumerate() {
        let len = utf8_len(&[*unit]);
        if bytes + len > MAX_CONSTANT_BYTES {
            parts.push(constant(&units[start..i]));
            (start, bytes) = (i, 0);
        }
        bytes += len;
    }
    parts.push(constant(&units[start..]));
    parts.insert(0, Doc::text("\"\""));
    Doc::call("String.join", parts)
}

fn constant(units: &[u16]) -> Doc {
    let whole = literal(units);
    if whole.len() <= MAX_PIECE {
        return Doc::text(whole);
    }
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for escaped in escaped(units) {
        // After a line end, or between words near the end of a line, a person would break too.
        let good = piece.ends_with("\\n") || (piece.ends_with(' ') && piece.len() > MAX_PIECE - 15);
        if good || piece.len() + escaped.len() > MAX_PIECE {
            pieces.push(Doc::text(format!("\"{piece}\"")));
            piece.clear();
        }
        piece.push_str(&escaped);
    }
    pieces.push(Doc::text(format!("\"{piece}\"")));
    if pieces.len() == 1 {
        return pieces.remove(0);
    }
    Doc::Chain { op: "+".into(), items: pieces }
}

fn literal(units: &[u16]) -> String {
    let body: String = escaped(units).collect();
    format!("\"{body}\"")
}

fn escaped(units: &[u16]) -> impl Iterator<Item = String> {
    let mut previous = 0;
    units.iter().map(move |unit| {
        let high = (0xd800..0xdc00).contains(&previous);
        previous = *unit;
        match unit {
            0x22 => "\\\"".into(),
            // javac (17 to 25) looks past an escaped high surrogate for a low one and then takes the second of two
            // backslashes for the begin of an escape.
            0x5c if high => "\\134".into(),
            _ => escape(*unit),
        }
    })
}

/// Everything but printable ASCII is escaped: the file then means the same in every source encoding. Line ends
/// never as `\u000a`, which javac would translate before it reads the literal (JLS §3.3).
fn escape(unit: u16) -> String {
    match unit {
        0x08 => "\\b".into(),
        0x09 => "\\t".into(),
        0x0a => "\\n".into(),
        0x0c => "\\f".into(),
        0x0d => "\\r".into(),
        0x5c => "\\\\".into(),
        0x20..=0x7e => char::from(unit as u8).to_string(),
        _ => format!("\\u{unit:04x}"),
    }
}

/// Length in the class file's modified UTF-8 (JVMS §4.4.7).
fn utf8_len(units: &[u16]) -> usize {
    units
        .iter()
        .map(|u| match u {
            1..=0x7f => 1,
            0 | 0x80..=0x7ff => 2,
            _ => 3,
        })
        .sum()
}

/// The distance between adjacent floats at this value, times `ulps`, as a positive delta.
pub fn float_delta(bits: u32, ulps: u32) -> String {
    let magnitude = bits & 0x7fff_ffff;
    let above = f32::from_bits(magnitude.saturating_add(1));
    let ulp = if above.is_finite() {
        above - f32::from_bits(magnitude)
    } else {
        f32::MAX - f32::from_bits(f32::MAX.to_bits() - 1)
    };
    float((ulp * ulps.max(1) as f32).min(f32::MAX).to_bits())
}

pub fn double_delta(bits: u64, ulps: u32) -> String {
    let magnitude = bits & (u64::MAX >> 1);
    let above = f64::from_bits(magnitude.saturating_add(1));
    let ulp = if above.is_finite() {
        above - f64::from_bits(magnitude)
    } else {
        f64::MAX - f64::from_bits(f64::MAX.to_bits() - 1)
    };
    double((ulp * f64::from(ulps.max(1))).min(f64::MAX).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_a_person_writes_them() {
        assert_eq!([int(0), int(-1), int(i32::MIN)], ["0", "-1", "Integer.MIN_VALUE"]);
        assert_eq!([long(3), long(i64::MAX)], ["3L", "Long.MAX_VALUE"]);
        let doubles = [0.1, -0.0, 1e300, 5e-324, -f64::MAX, 1e-7, 123456789.0, f64::NEG_INFINITY];
        assert_eq!(
            doubles.map(|d| double(d.to_bits())),
            [
                "0.1",
                "-0.0",
                "1.0E300",
                "Double.MIN_VALUE",
                "-Double.MAX_VALUE",
                "1.0E-7",
                "123456789.0",
                "Double.NEGATIVE_INFINITY"
            ]
        );
        assert_eq!(double(f64::NAN.to_bits()), "Double.NaN");
        assert_eq!(double(0xfff8_0000_0000_0000), "Double.longBitsToDouble(0xfff8000000000000L)");
        assert_eq!([float(1.5f32.to_bits()), float(1e20f32.to_bits())], ["1.5f", "1.0E20f"]);
    }

    #[test]
    fn characters_are_escaped_only_where_they_must_be() {
        assert_eq!([char(97), char(39), char(34), char(10)], ["'a'", "'\\''", "'\"'", "'\\n'"]);
        assert_eq!([char(0), char(1), char(0xd800)], ["'\\0'", "'\\u0001'", "'\\ud800'"]);
        let text: Vec<u16> = "a'\"\\\u{7f}é".encode_utf16().chain([0xdc00]).collect();
        assert_eq!(string(&text, 8).flat(), r#""a'\"\\\u007f\u00e9\udc00""#);
    }

    #[test]
    fn a_backslash_after_a_high_surrogate_is_octal() {
        assert_eq!(string(&[0xd800, 0x5c, 0x5c, 0x75], 17).flat(), r#""\ud800\134\\u""#);
    }

    #[test]
    fn long_strings_are_split_and_runs_are_repeated() {
        let run = vec![0x61u16; 70_000];
        assert_eq!(string(&run, 11).flat(), "\"a\".repeat(70000)");
        assert_eq!(string(&run, 8).flat(), "new String(new char[70000]).replace('\\0', 'a')");
        let mixed: Vec<u16> = "ab".repeat(35_000).encode_utf16().collect();
        let Doc::Cat(call) = string(&mixed, 11) else { panic!("not a call") };
        assert_eq!(call[0], Doc::text("String.join"));
        let Doc::Chain { items, .. } = string(&mixed[..180], 11) else { panic!("not a sum") };
        assert_eq!(items.len(), 3);
    }

    #[test]
    fn deltas_are_one_unit_in_the_last_place() {
        assert_eq!(double_delta(1f64.to_bits(), 1), "2.220446049250313E-16");
        assert_eq!(double_delta((-0.0f64).to_bits(), 1), "Double.MIN_VALUE");
        assert_eq!(double_delta(f64::MAX.to_bits(), 1), double_delta((f64::MAX / 1.5).to_bits(), 1));
        assert_eq!(float_delta(1f32.to_bits(), 2), "2.3841858E-7f");
    }
}
