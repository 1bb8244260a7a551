//! Kotlin literals that the compiler reads back to the very same value.

use crate::doc::Doc;

/// A constant of the class file holds at most 65535 bytes (JVMS §4.4.7), three of them a character.
const MAX_UNITS: usize = 20_000;

pub fn int(value: i32) -> String {
    match value {
        i32::MIN => "Int.MIN_VALUE".into(),
        i32::MAX => "Int.MAX_VALUE".into(),
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

/// A byte or short as a number that says its type.
pub fn small(value: i64, min: i64, max: i64, ty: &str) -> String {
    if value == min {
        format!("{ty}.MIN_VALUE")
    } else if value == max {
        format!("{ty}.MAX_VALUE")
    } else if value < 0 {
        format!("({value}).to{ty}()")
    } else {
        format!("{value}.to{ty}()")
    }
}

pub fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() && bits != 0x7fc0_0000 {
        return format!("Float.fromBits({})", int(bits.cast_signed()));
    }
    named(f64::from(value), "Float", value.abs() == f32::MAX, bits & 0x7fff_ffff == 1)
        .unwrap_or_else(|| format!("{}f", decimal(&format!("{value:?}"))))
}

pub fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_nan() && bits != 0x7ff8_0000_0000_0000 {
        return format!("Double.fromBits({})", long(bits.cast_signed()));
    }
    named(value, "Double", value.abs() == f64::MAX, bits & (u64::MAX >> 1) == 1)
        .unwrap_or_else(|| decimal(&format!("{value:?}")))
}

fn named(value: f64, ty: &str, largest: bool, smallest: bool) -> Option<String> {
    let name = if value.is_nan() {
        return Some(format!("{ty}.NaN"));
    } else if value.is_infinite() {
        return Some(format!("{ty}.{}", if value > 0.0 { "POSITIVE_INFINITY" } else { "NEGATIVE_INFINITY" }));
    } else if largest {
        "MAX_VALUE"
    } else if smallest {
        "MIN_VALUE"
    } else {
        return None;
    };
    Some(format!("{}{ty}.{name}", if value.is_sign_negative() { "-" } else { "" }))
}

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
        0x24 => "'$'".into(),
        _ => format!("'{}'", escape(unit)),
    }
}

pub fn string(units: &[u16]) -> Doc {
    if units.len() > 40
        && let Some(first) = units.first()
        && units.iter().all(|unit| unit == first)
    {
        return Doc::text(format!("{}.repeat({})", literal(&[*first]), units.len()));
    }
    if units.len() <= MAX_UNITS {
        return Doc::text(literal(units));
    }
    // Joined when the test runs: one constant would be too large.
    let parts = units.chunks(MAX_UNITS).map(|part| Doc::text(literal(part))).collect();
    Doc::cat([Doc::call("listOf", parts), Doc::text(".joinToString(\"\")")])
}

fn literal(units: &[u16]) -> String {
    let body: String = units
        .iter()
        .map(|unit| match unit {
            0x22 => "\\\"".into(),
            0x24 => "\\$".into(),
            _ => escape(*unit),
        })
        .collect();
    format!("\"{body}\"")
}

fn escape(unit: u16) -> String {
    match unit {
        0x08 => "\\b".into(),
        0x09 => "\\t".into(),
        0x0a => "\\n".into(),
        0x0d => "\\r".into(),
        0x5c => "\\\\".into(),
        0x20..=0x7e => char::from(unit as u8).to_string(),
        _ => format!("\\u{unit:04x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spelled_as_kotlin_wants_them() {
        assert_eq!(
            [int(i32::MIN), long(5), small(-1, -128, 127, "Byte")],
            ["Int.MIN_VALUE", "5L", "(-1).toByte()"]
        );
        assert_eq!([double(0.1f64.to_bits()), double((-f64::MAX).to_bits())], ["0.1", "-Double.MAX_VALUE"]);
        assert_eq!(float(f32::NAN.to_bits()), "Float.NaN");
        assert_eq!(double(0xfff8_0000_0000_0000), "Double.fromBits(-2251799813685248L)");
        let text: Vec<u16> = "a$\"\u{c}\\".encode_utf16().collect();
        assert_eq!(string(&text).flat(), r#""a\$\"\u000c\\""#);
        assert_eq!([char(0x24), char(0x27), char(0)], ["'$'", "'\\''", "'\\u0000'"]);
    }
}
