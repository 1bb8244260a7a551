//! Values that cross the border to the JVM, their wire form and their Java spelling.

use crate::{Error, Result};
use std::fmt;

/// A Java value. Floats compare by their bits (see [`crate::compare`] for the lenient view).
#[derive(Clone, Debug)]
pub enum Value {
    Void,
    Null,
    Bool(bool),
    Byte(i8),
    Short(i16),
    Char(u16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// A box; the inner value is one of the eight primitives.
    Boxed(Box<Value>),
    /// UTF-16 units; lone surrogates are legal.
    Str(Vec<u16>),
    /// Element descriptor (`I`, `Ljava/lang/String;`, `[I`) and elements.
    Array(String, Vec<Value>),
    /// Class with dots, and the constant.
    Enum(String, String),
    /// Any other object: its class with dots, and its `toString` where the class overrides that.
    Object(String, Option<String>),
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        use Value::*;
        match (self, other) {
            (Void, Void) | (Null, Null) => true,
            (Bool(a), Bool(b)) => a == b,
            (Byte(a), Byte(b)) => a == b,
            (Short(a), Short(b)) => a == b,
            (Char(a), Char(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (Long(a), Long(b)) => a == b,
            (Float(a), Float(b)) => a.to_bits() == b.to_bits(),
            (Double(a), Double(b)) => a.to_bits() == b.to_bits(),
            (Boxed(a), Boxed(b)) => a == b,
            (Str(a), Str(b)) => a == b,
            (Array(d, a), Array(e, b)) => d == e && a == b,
            (Enum(c, a), Enum(d, b)) => c == d && a == b,
            (Object(c, a), Object(d, b)) => c == d && a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Value {
    pub fn str(text: &str) -> Value {
        Value::Str(text.encode_utf16().collect())
    }

    pub fn boxed(primitive: Value) -> Value {
        Value::Boxed(Box::new(primitive))
    }

    /// The value without its box.
    pub fn unboxed(&self) -> &Value {
        match self {
            Value::Boxed(inner) => inner,
            other => other,
        }
    }

    /// The integer in an integral value or character, boxed or not.
    pub fn as_integer(&self) -> Option<i64> {
        match self.unboxed() {
            Value::Byte(x) => Some(i64::from(*x)),
            Value::Short(x) => Some(i64::from(*x)),
            Value::Char(x) => Some(i64::from(*x)),
            Value::Int(x) => Some(i64::from(*x)),
            Value::Long(x) => Some(*x),
            _ => None,
        }
    }

    /// The number in a float or double, boxed or not.
    pub fn as_float(&self) -> Option<f64> {
        match self.unboxed() {
            Value::Float(x) => Some(f64::from(*x)),
            Value::Double(x) => Some(*x),
            _ => None,
        }
    }

    /// Appends the wire form; `crates/testkit/java/Codec.java` documents it.
    pub fn encode(&self, out: &mut String) {
        use fmt::Write;
        let written = match self {
            Value::Void => write!(out, "v"),
            Value::Null => write!(out, "n"),
            Value::Bool(x) => write!(out, "Z{}", u8::from(*x)),
            Value::Byte(x) => write!(out, "B{x}"),
            Value::Short(x) => write!(out, "S{x}"),
            Value::Char(x) => write!(out, "C{x:04x}"),
            Value::Int(x) => write!(out, "I{x}"),
            Value::Long(x) => write!(out, "J{x}"),
            Value::Float(x) => write!(out, "F{:x}", x.to_bits()),
            Value::Double(x) => write!(out, "D{:x}", x.to_bits()),
            Value::Boxed(inner) => {
                out.push('b');
                inner.encode(out);
                Ok(())
            }
            Value::Str(units) => {
                out.push('s');
                units.iter().try_for_each(|unit| write!(out, "{unit:04x}"))
            }
            Value::Array(element, values) => {
                out.push('[');
                out.push_str(element);
                encode_all(values, '{', '}', out);
                Ok(())
            }
            Value::Enum(class, name) => write!(out, "eL{};{name}", class.replace('.', "/")),
            Value::Object(class, text) => {
                let units =
                    text.as_ref().map(|t| t.encode_utf16().map(|u| format!("{u:04x}")).collect::<String>());
                write!(out, "o{class}#{}", units.as_deref().unwrap_or("-"))
            }
        };
        written.expect("writing to a string does not fail");
    }

    /// Reads a whole token.
    pub fn decode(token: &str) -> Result<Value> {
        let mut reader = Reader { text: token, at: 0 };
        let value = reader.value()?;
        reader.end()?;
        Ok(value)
    }

    /// Reads a whole list token: `(I1,n)`.
    pub fn decode_list(token: &str) -> Result<Vec<Value>> {
        let mut reader = Reader { text: token, at: 0 };
        reader.expect('(')?;
        let values = reader.items(')')?;
        reader.end()?;
        Ok(values)
    }

    /// Reads a whole token of named fields: `{a=I1,b=n}`.
    pub fn decode_fields(token: &str) -> Result<Vec<(String, Value)>> {
        let mut reader = Reader { text: token, at: 0 };
        let mut fields = Vec::new();
        reader.expect('{')?;
        while reader.rest() != "}" {
            if !fields.is_empty() {
                reader.expect(',')?;
            }
            let equals = reader.rest().find('=').ok_or_else(|| reader.wrong("'='"))?;
            let name = reader.rest()[..equals].to_string();
            reader.at += equals + 1;
            fields.push((name, reader.value()?));
        }
        Ok(fields)
    }
}

/// Appends the wire form of an argument list.
pub fn encode_list(values: &[Value], out: &mut String) {
    encode_all(values, '(', ')', out);
}

fn encode_all(values: &[Value], open: char, close: char, out: &mut String) {
    out.push(open);
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        value.encode(out);
    }
    out.push(close);
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn wrong(&self, wanted: &str) -> Error {
        let shown: String = self.text.chars().take(200).collect();
        Error::Malformed(format!("{wanted} expected at {} of {shown:?}", self.at))
    }

    fn expect(&mut self, c: char) -> Result<()> {
        if !self.rest().starts_with(c) {
            return Err(self.wrong(&format!("{c:?}")));
        }
        self.at += c.len_utf8();
        Ok(())
    }

    fn end(&self) -> Result<()> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.wrong("the end")) }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let word = &rest[..rest.find([',', '}', ')']).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn until(&mut self, c: char) -> Result<&'a str> {
        let rest = self.rest();
        let end = rest.find(c).ok_or_else(|| self.wrong(&format!("{c:?}")))?;
        self.at += end + c.len_utf8();
        Ok(&rest[..end])
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        let at = self.at;
        self.word().parse().map_err(|_| Reader { text: self.text, at }.wrong("a number"))
    }

    fn units(&mut self) -> Result<Vec<u16>> {
        let word = self.word();
        if !word.is_ascii() || !word.len().is_multiple_of(4) {
            return Err(self.wrong("hex units"));
        }
        let unit = |i: usize| u16::from_str_radix(&word[i..i + 4], 16).map_err(|_| self.wrong("hex units"));
        (0..word.len()).step_by(4).map(unit).collect()
    }

    fn value(&mut self) -> Result<Value> {
        let kind = self.rest().chars().next().ok_or_else(|| self.wrong("a value"))?;
        self.at += kind.len_utf8();
        Ok(match kind {
            'v' => Value::Void,
            'n' => Value::Null,
            'Z' => Value::Bool(self.word() == "1"),
            'B' => Value::Byte(self.number()?),
            'S' => Value::Short(self.number()?),
            'C' => Value::Char(self.units()?.first().copied().ok_or_else(|| self.wrong("a unit"))?),
            'I' => Value::Int(self.number()?),
            'J' => Value::Long(self.number()?),
            'F' => Value::Float(f32::from_bits(
                u32::from_str_radix(self.word(), 16).map_err(|_| self.wrong("hex bits"))?,
            )),
            'D' => Value::Double(f64::from_bits(
                u64::from_str_radix(self.word(), 16).map_err(|_| self.wrong("hex bits"))?,
            )),
            'b' => Value::boxed(self.value()?),
            's' => Value::Str(self.units()?),
            '[' => {
                let element = self.until('{')?.to_string();
                Value::Array(element, self.items('}')?)
            }
            'e' => {
                self.expect('L')?;
                let class = self.until(';')?.replace('/', ".");
                Value::Enum(class, self.word().to_string())
            }
            'o' => {
                let class = self.until('#')?.to_string();
                if self.rest().starts_with('-') {
                    self.at += 1;
                    Value::Object(class, None)
                } else {
                    Value::Object(class, Some(String::from_utf16_lossy(&self.units()?)))
                }
            }
            _ => return Err(self.wrong("a kind of value")),
        })
    }

    fn items(&mut self, close: char) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        if self.rest().starts_with(close) {
            self.at += 1;
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            if self.rest().starts_with(close) {
                self.at += 1;
                return Ok(values);
            }
            self.expect(',')?;
        }
    }
}

/// The value as Java would write it, as near as a person needs.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Void => write!(f, "void"),
            Value::Null => write!(f, "null"),
            Value::Bool(x) => write!(f, "{x}"),
            Value::Byte(x) => write!(f, "{x}"),
            Value::Short(x) => write!(f, "{x}"),
            Value::Int(x) => write!(f, "{x}"),
            Value::Long(x) => write!(f, "{x}L"),
            Value::Float(x) => write_float(f, f64::from(*x), format!("{x:?}"), "f"),
            Value::Double(x) => write_float(f, *x, format!("{x:?}"), ""),
            Value::Char(x) => write!(f, "'{}'", escaped(&[*x], '\'')),
            Value::Boxed(inner) => write!(f, "{inner}"),
            Value::Str(units) => write!(f, "\"{}\"", escaped(units, '"')),
            Value::Array(_, values) => {
                write!(f, "[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
                }
                write!(f, "]")
            }
            Value::Enum(_, name) => write!(f, "{name}"),
            Value::Object(class, Some(text)) => write!(f, "{class}<{text}>"),
            Value::Object(class, None) => write!(f, "{class}"),
        }
    }
}

fn write_float(f: &mut fmt::Formatter<'_>, x: f64, plain: String, suffix: &str) -> fmt::Result {
    if x.is_nan() {
        write!(f, "NaN")
    } else if x.is_infinite() {
        write!(f, "{}Infinity", if x < 0.0 { "-" } else { "" })
    } else {
        write!(f, "{plain}{suffix}")
    }
}

fn escaped(units: &[u16], quote: char) -> String {
    let mut out = String::new();
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok('\n') => out.push_str("\\n"),
            Ok('\r') => out.push_str("\\r"),
            Ok('\t') => out.push_str("\\t"),
            Ok('\\') => out.push_str("\\\\"),
            Ok(c) if c == quote => {
                out.push('\\');
                out.push(c);
            }
            Ok(c) if (c as u32) < 0x20 || (0x7f..0xa0).contains(&(c as u32)) => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            Ok(c) => out.push(c),
            Err(lone) => out.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(value: Value) {
        let mut token = String::new();
        value.encode(&mut token);
        assert!(!token.contains(' '), "{token}");
        assert_eq!(Value::decode(&token).unwrap(), value, "{token}");
    }

    #[test]
    fn every_kind_round_trips() {
        for value in [
            Value::Void,
            Value::Null,
            Value::Bool(true),
            Value::Byte(-128),
            Value::Short(-1),
            Value::Char(0xd800),
            Value::Int(i32::MIN),
            Value::Long(i64::MIN),
            Value::Float(-0.0),
            Value::Double(f64::NAN),
            Value::boxed(Value::Int(7)),
            Value::Str(vec![0, 0xd800, b'a'.into(), 0xffff]),
            Value::Array("I".into(), vec![]),
            Value::Array(
                "[I".into(),
                vec![Value::Array("I".into(), vec![Value::Int(1), Value::Int(2)]), Value::Null],
            ),
            Value::Array("Ljava/lang/String;".into(), vec![Value::str("a,b}c"), Value::Null]),
            Value::Enum("fx.enums.Color".into(), "RED".into()),
            Value::Object("java.util.ArrayList".into(), Some("[1, 2]".into())),
            Value::Object("java.lang.Object".into(), None),
        ] {
            round_trip(value);
        }
    }

    #[test]
    fn malformed_tokens_are_errors() {
        for token in ["", "I", "Ix", "s004", "sZZZZ", "[I", "[I{I1", "q", "I1,", "b", "eX", "oX"] {
            assert!(Value::decode(token).is_err(), "{token:?}");
        }
    }

    #[test]
    fn java_spelling() {
        let array = Value::Array("Ljava/lang/String;".into(), vec![Value::str("a\"\n"), Value::Null]);
        assert_eq!(array.to_string(), "[\"a\\\"\\n\", null]");
        assert_eq!(Value::Double(f64::NEG_INFINITY).to_string(), "-Infinity");
        assert_eq!(Value::Char(0xd800).to_string(), "'\\ud800'");
    }
}
