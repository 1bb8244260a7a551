//! Types of variables and expressions. Integers have a width and wrap; floats are IEEE 754.

use std::fmt;
use term::semantics::{mask, signed};
use term::{Float, Sort};

/// What an expression can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Bool,
    Int { width: u32, signed: bool },
    Float(Float),
}

impl Type {
    pub const I32: Type = Type::Int { width: 32, signed: true };

    /// `bool`, `i1` to `i128`, `u1` to `u128`, `f32`, `f64`.
    pub fn from_name(name: &str) -> Option<Type> {
        match name {
            "bool" => return Some(Type::Bool),
            "f32" => return Some(Type::Float(Float::F32)),
            "f64" => return Some(Type::Float(Float::F64)),
            _ => {}
        }
        let signed = name.starts_with('i');
        let digits = name.strip_prefix(['i', 'u'])?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
        let width = digits.parse().ok().filter(|w| plain && (1..=128).contains(w))?;
        Some(Type::Int { width, signed })
    }

    pub fn sort(self) -> Sort {
        match self {
            Type::Bool => Sort::Bool,
            Type::Int { width, .. } => Sort::Bv(width),
            Type::Float(Float::F32) => Sort::F32,
            Type::Float(Float::F64) => Sort::F64,
        }
    }

    pub fn is_int(self) -> bool {
        matches!(self, Type::Int { .. })
    }

    pub fn is_number(self) -> bool {
        self != Type::Bool
    }

    /// A literal of this type, or why it is none.
    pub fn literal(self, text: &str) -> Result<u128, String> {
        match self {
            Type::Bool => match text {
                "true" => Ok(1),
                "false" => Ok(0),
                _ => Err(format!("{text} is no bool")),
            },
            Type::Int { width, signed: is_signed } => {
                let (negative, digits) = match text.strip_prefix('-') {
                    Some(digits) => (true, digits),
                    None => (false, text),
                };
                let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
                    Some(hex) => u128::from_str_radix(hex, 16),
                    None => digits.parse(),
                };
                let magnitude = magnitude.map_err(|_| format!("{text} is no {self}"))?;
                let most = match (is_signed, negative) {
                    (true, true) => mask(width - 1) + 1,
                    (true, false) => mask(width - 1),
                    (false, true) => 0,
                    (false, false) => mask(width),
                };
                match magnitude <= most {
                    true if negative => Ok(magnitude.wrapping_neg() & mask(width)),
                    true => Ok(magnitude),
                    false => Err(format!("{text} does not fit into {self}")),
                }
            }
            Type::Float(Float::F32) => match text.parse::<f32>() {
                Ok(value) => Ok(term::semantics::f32_bits(value)),
                Err(_) => Err(format!("{text} is no f32")),
            },
            Type::Float(Float::F64) => match text.parse::<f64>() {
                Ok(value) => Ok(term::semantics::f64_bits(value)),
                Err(_) => Err(format!("{text} is no f64")),
            },
        }
    }

    /// A value as a person writes it, and as [`literal`](Self::literal) reads it.
    pub fn show(self, bits: u128) -> String {
        match self {
            Type::Bool => (bits != 0).to_string(),
            Type::Int { width, signed: true } => signed(bits, width).to_string(),
            Type::Int { signed: false, .. } => bits.to_string(),
            Type::Float(Float::F32) => float_text(f32::from_bits(bits as u32).to_string()),
            Type::Float(Float::F64) => float_text(f64::from_bits(bits as u64).to_string()),
        }
    }
}

/// `1` as `1.0`: a float is seen to be one.
fn float_text(text: String) -> String {
    match text.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        true => text + ".0",
        false => text,
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Int { width, signed: true } => write!(f, "i{width}"),
            Type::Int { width, signed: false } => write!(f, "u{width}"),
            Type::Float(Float::F32) => f.write_str("f32"),
            Type::Float(Float::F64) => f.write_str("f64"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_literals() {
        for name in ["bool", "i1", "i32", "u128", "f32", "f64"] {
            assert_eq!(Type::from_name(name).unwrap().to_string(), name);
        }
        for name in ["", "i", "i0", "i129", "int", "f16", "i08", "u+1"] {
            assert_eq!(Type::from_name(name), None, "{name}");
        }
        let i8 = Type::from_name("i8").unwrap();
        for value in ["-128", "127", "0", "-1"] {
            assert_eq!(i8.show(i8.literal(value).unwrap()), value);
        }
        assert!(i8.literal("128").is_err() && i8.literal("-129").is_err());
        let widest = Type::from_name("i128").unwrap();
        let least = "-170141183460469231731687303715884105728";
        assert_eq!(widest.show(widest.literal(least).unwrap()), least);
        assert!(Type::from_name("u128").unwrap().literal("-1").is_err());
        let f64 = Type::Float(Float::F64);
        assert_eq!(f64.show(f64.literal("2").unwrap()), "2.0");
    }
}
