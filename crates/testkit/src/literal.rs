//! Java literals: in `expect.toml` (typed when the type is known) and in sources (to learn constants).

use crate::methods::box_of;
use crate::value::Value;
use crate::{Error, Result};

/// A literal before its type is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Null,
    Bool(bool),
    /// With `L` suffix or without.
    Integer(i128, bool),
    /// With `f` suffix or without.
    Float(f64, bool),
    Char(u16),
    Str(Vec<u16>),
    /// An enum constant, or `MIN_VALUE`, `MAX_VALUE`.
    Name(String),
    Array(Vec<Literal>),
}

/// Reads literals from left to right.
pub struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { rest: text }
    }

    pub fn rest(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        self.rest
    }

    /// Skips the text if it comes next.
    pub fn skip(&mut self, text: &str) -> bool {
        match self.rest().strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The next run of characters that may stand in a name or number.
    pub fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c))).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    /// `(a, b)`
    pub fn list(&mut self) -> Result<Vec<Literal>> {
        if !self.skip("(") {
            return Err(self.wrong("'('"));
        }
        self.items(")")
    }

    pub fn literal(&mut self) -> Result<Literal> {
        let rest = self.rest();
        match rest.chars().next() {
            Some('"') => Ok(Literal::Str(self.quoted('"')?)),
            Some('\'') => match self.quoted('\'')?[..] {
                [unit] => Ok(Literal::Char(unit)),
                _ => Err(self.wrong("one character")),
            },
            Some('[') => {
                self.skip("[");
                Ok(Literal::Array(self.items("]")?))
            }
            Some(c) if c.is_ascii_digit() || c == '-' || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() => Ok(match self.word() {
                "null" => Literal::Null,
                "true" => Literal::Bool(true),
                "false" => Literal::Bool(false),
                "NaN" => Literal::Float(f64::NAN, false),
                "Infinity" => Literal::Float(f64::INFINITY, false),
                name => Literal::Name(name.into()),
            }),
            _ => Err(self.wrong("a literal")),
        }
    }

    pub fn end(&mut self) -> Result<()> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.wrong("the end")) }
    }

    pub fn wrong(&mut self, wanted: &str) -> Error {
        Error::Malformed(format!("{wanted} expected before {:?}", self.rest()))
    }

    fn items(&mut self, close: &str) -> Result<Vec<Literal>> {
        let mut items = Vec::new();
        if self.skip(close) {
            return Ok(items);
        }
        loop {
            items.push(self.literal()?);
            if self.skip(close) {
                return Ok(items);
            }
            if !self.skip(",") {
                return Err(self.wrong("','"));
            }
        }
    }

    fn number(&mut self) -> Result<Literal> {
        let negative = self.skip("-");
        let mut word = self.word().to_string();
        // An exponent's sign ends the word: 1e-3.
        let hex = word.starts_with("0x") || word.starts_with("0X");
        if !hex && word.ends_with(['e', 'E']) && self.rest.starts_with(['-', '+']) {
            word.push(if self.rest.starts_with('-') { '-' } else { '+' });
            self.rest = &self.rest[1..];
            word.push_str(self.word());
        }
        let parsed =
            if word == "Infinity" { Some(Literal::Float(f64::INFINITY, false)) } else { number(&word) };
        match parsed.ok_or_else(|| Error::Malformed(format!("not a number: {word:?}")))? {
            Literal::Integer(x, long) => Ok(Literal::Integer(if negative { -x } else { x }, long)),
            Literal::Float(x, single) => Ok(Literal::Float(if negative { -x } else { x }, single)),
            other => Ok(other),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Vec<u16>> {
        let mut units = Vec::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.rest = &self.rest[at + 1..];
                return Ok(units);
            }
            let escape = if c == '\\' { chars.next().map(|(_, e)| e) } else { None };
            match (c, escape) {
                ('\n', _) => break,
                ('\\', Some('n')) => units.push(10),
                ('\\', Some('t')) => units.push(9),
                ('\\', Some('r')) => units.push(13),
                ('\\', Some('b')) => units.push(8),
                ('\\', Some('f')) => units.push(12),
                ('\\', Some('s')) => units.push(32),
                ('\\', Some('0')) => units.push(0),
                ('\\', Some('u')) => {
                    let digits: String = chars.by_ref().take(4).map(|(_, d)| d).collect();
                    units.push(u16::from_str_radix(&digits, 16).map_err(|_| self.wrong("\\uXXXX"))?);
                }
                ('\\', Some(other)) => units.extend(other.encode_utf16(&mut [0; 2]).iter()),
                _ => units.extend(c.encode_utf16(&mut [0; 2]).iter()),
            }
        }
        Err(self.wrong("a closed literal"))
    }
}

fn number(word: &str) -> Option<Literal> {
    let plain = word.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = if let Some(hex) = plain.strip_prefix("0x") {
        (hex, 16)
    } else if let Some(binary) = plain.strip_prefix("0b") {
        (binary, 2)
    } else {
        (plain.as_str(), 10)
    };
    let (body, long) = digits.strip_suffix('l').map_or((digits, false), |body| (body, true));
    if let Ok(x) = u64::from_str_radix(body, radix) {
        // Hexadecimal and binary literals may set the sign bit.
        let x = match (radix, long) {
            (10, _) => i128::from(x),
            (_, true) => i128::from(x as i64),
            (_, false) => i128::from(x as u32 as i32),
        };
        return Some(Literal::Integer(x, long));
    }
    if radix != 10 {
        return None;
    }
    let (body, single) = plain.strip_suffix('f').map_or((plain.as_str(), false), |body| (body, true));
    let body = body.strip_suffix('d').unwrap_or(body);
    body.parse().ok().map(|x| Literal::Float(x, single))
}

impl Literal {
    /// The value of this literal as an argument of the described type.
    pub fn typed(&self, desc: &str) -> Result<Value> {
        let wrong = || Error::Malformed(format!("{self:?} is not a {desc}"));
        if *self == Literal::Null && desc.starts_with(['L', '[']) {
            return Ok(Value::Null);
        }
        if let Some(primitive) = box_of(desc) {
            return Ok(Value::boxed(self.typed(primitive)?));
        }
        if let Some(element) = desc.strip_prefix('[') {
            let Literal::Array(items) = self else { return Err(wrong()) };
            let values: Result<Vec<Value>> = items.iter().map(|item| item.typed(element)).collect();
            return Ok(Value::Array(element.to_string(), values?));
        }
        if let Literal::Name(name) = self
            && let Some(value) = extreme(name, desc)
        {
            return Ok(value);
        }
        Ok(match (desc, self) {
            ("Z", Literal::Bool(x)) => Value::Bool(*x),
            ("B", Literal::Integer(x, false)) => Value::Byte(i8::try_from(*x).map_err(|_| wrong())?),
            ("S", Literal::Integer(x, false)) => Value::Short(i16::try_from(*x).map_err(|_| wrong())?),
            ("I", Literal::Integer(x, false)) => Value::Int(i32::try_from(*x).map_err(|_| wrong())?),
            ("J", Literal::Integer(x, _)) => Value::Long(i64::try_from(*x).map_err(|_| wrong())?),
            ("C", Literal::Integer(x, false)) => Value::Char(u16::try_from(*x).map_err(|_| wrong())?),
            ("C", Literal::Char(x)) => Value::Char(*x),
            ("F", Literal::Float(x, _)) => Value::Float(*x as f32),
            ("D", Literal::Float(x, _)) => Value::Double(*x),
            ("F", Literal::Integer(x, _)) => Value::Float(*x as f32),
            ("D", Literal::Integer(x, _)) => Value::Double(*x as f64),
            ("Ljava/lang/String;" | "Ljava/lang/CharSequence;", Literal::Str(units)) => {
                Value::Str(units.clone())
            }
            ("Ljava/lang/Object;" | "Ljava/lang/Comparable;" | "Ljava/lang/Number;", _) => {
                self.untyped().ok_or_else(wrong)?
            }
            (_, Literal::Name(name)) => {
                let class = desc.strip_prefix('L').and_then(|d| d.strip_suffix(';')).ok_or_else(wrong)?;
                Value::Enum(class.replace('/', "."), name.clone())
            }
            _ => return Err(wrong()),
        })
    }

    fn untyped(&self) -> Option<Value> {
        Some(match self {
            Literal::Str(units) => Value::Str(units.clone()),
            Literal::Bool(x) => Value::boxed(Value::Bool(*x)),
            Literal::Integer(x, true) => Value::boxed(Value::Long(i64::try_from(*x).ok()?)),
            Literal::Integer(x, false) => Value::boxed(Value::Int(i32::try_from(*x).ok()?)),
            Literal::Float(x, true) => Value::boxed(Value::Float(*x as f32)),
            Literal::Float(x, false) => Value::boxed(Value::Double(*x)),
            Literal::Char(x) => Value::boxed(Value::Char(*x)),
            Literal::Null | Literal::Name(_) | Literal::Array(_) => return None,
        })
    }

    /// Whether a value is what this literal says, whatever the value's width; boxes count as their content, and a
    /// string also stands for the `toString` of an object. NaN is NaN, and 0.0 is not -0.0.
    pub fn is(&self, value: &Value) -> bool {
        match (self, value.unboxed()) {
            (Literal::Null, Value::Null) => true,
            (Literal::Bool(a), Value::Bool(b)) => a == b,
            (Literal::Integer(a, _), Value::Float(b)) => same_float(*a as f64, f64::from(*b)),
            (Literal::Integer(a, _), Value::Double(b)) => same_float(*a as f64, *b),
            (Literal::Integer(a, _), b) => b.as_integer().is_some_and(|b| *a == i128::from(b)),
            (Literal::Float(a, _), Value::Float(b)) => same_float(f64::from(*a as f32), f64::from(*b)),
            (Literal::Float(a, _), Value::Double(b)) => same_float(*a, *b),
            (Literal::Char(a), Value::Char(b)) => a == b,
            (Literal::Str(a), Value::Str(b)) => a == b,
            (Literal::Str(a), Value::Object(_, Some(text))) => text.encode_utf16().eq(a.iter().copied()),
            (Literal::Name(a), Value::Enum(_, b)) => a == b,
            (Literal::Name(a), b) => descriptor(b).and_then(|desc| extreme(a, desc)).is_some_and(|a| a == *b),
            (Literal::Array(a), Value::Array(_, b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is(b))
            }
            _ => false,
        }
    }

    /// The number, for comparisons.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Literal::Integer(x, _) => Some(*x as f64),
            Literal::Float(x, _) => Some(*x),
            Literal::Char(x) => Some(f64::from(*x)),
            _ => None,
        }
    }
}

fn same_float(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn descriptor(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Byte(_) => "B",
        Value::Short(_) => "S",
        Value::Char(_) => "C",
        Value::Int(_) => "I",
        Value::Long(_) => "J",
        Value::Float(_) => "F",
        Value::Double(_) => "D",
        _ => return None,
    })
}

/// `MIN_VALUE` and `MAX_VALUE` as the box classes define them (the least positive number for floats).
fn extreme(name: &str, desc: &str) -> Option<Value> {
    let least = match name {
        "MIN_VALUE" => true,
        "MAX_VALUE" => false,
        _ => return None,
    };
    Some(match desc {
        "B" => Value::Byte(if least { i8::MIN } else { i8::MAX }),
        "S" => Value::Short(if least { i16::MIN } else { i16::MAX }),
        "C" => Value::Char(if least { 0 } else { u16::MAX }),
        "I" => Value::Int(if least { i32::MIN } else { i32::MAX }),
        "J" => Value::Long(if least { i64::MIN } else { i64::MAX }),
        "F" => Value::Float(if least { f32::from_bits(1) } else { f32::MAX }),
        "D" => Value::Double(if least { f64::from_bits(1) } else { f64::MAX }),
        _ => return None,
    })
}

/// String, character and number literals of a Java source text, comments left out.
pub fn in_source(source: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(source);
    while let Some(c) = cursor.rest().chars().next() {
        if cursor.rest.starts_with("//") {
            cursor.rest = cursor.rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if cursor.rest.starts_with("/*") {
            cursor.rest = cursor.rest.split_once("*/").map_or("", |(_, rest)| rest);
        } else if c.is_alphabetic() || c == '_' || c == '$' {
            cursor.word();
        } else if (c == '"' || c == '\'' || c.is_ascii_digit())
            && !cursor.rest.starts_with("\"\"\"")
            && let Ok(literal) = cursor.literal()
        {
            found.extend(literal.untyped());
        } else {
            cursor.rest = &cursor.rest[c.len_utf8()..];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Literal {
        let mut cursor = Cursor::new(text);
        let literal = cursor.literal().unwrap();
        cursor.end().unwrap();
        literal
    }

    #[test]
    fn literals_take_the_type_of_their_place() {
        assert_eq!(read("-2147483648").typed("I").unwrap(), Value::Int(i32::MIN));
        assert_eq!(read("MIN_VALUE").typed("J").unwrap(), Value::Long(i64::MIN));
        assert_eq!(read("0xFFFF_FFFF").typed("I").unwrap(), Value::Int(-1));
        assert_eq!(read("5").typed("Ljava/lang/Long;").unwrap(), Value::boxed(Value::Long(5)));
        assert_eq!(read("1e-3").typed("D").unwrap(), Value::Double(1e-3));
        assert_eq!(read("-Infinity").typed("D").unwrap(), Value::Double(f64::NEG_INFINITY));
        assert_eq!(read("\"a\\u0041\\n\"").typed("Ljava/lang/String;").unwrap(), Value::str("aA\n"));
        assert_eq!(read("[[1], null]").typed("[[I").unwrap().to_string(), "[[1], null]");
        assert_eq!(read("RED").typed("Lfx/Color;").unwrap(), Value::Enum("fx.Color".into(), "RED".into()));
        assert!(read("300").typed("B").is_err());
        assert!(read("null").typed("I").is_err());
    }

    #[test]
    fn literals_match_values() {
        assert!(read("0").is(&Value::Long(0)));
        assert!(read("0").is(&Value::boxed(Value::Double(0.0))));
        assert!(!read("0").is(&Value::Double(-0.0)));
        assert!(read("-0.0").is(&Value::Double(-0.0)));
        assert!(read("NaN").is(&Value::Float(f32::NAN)));
        assert!(read("0.1").is(&Value::Float(0.1)));
        assert!(read("MAX_VALUE").is(&Value::Short(i16::MAX)));
        assert!(read("\"[1]\"").is(&Value::Object("java.util.List".into(), Some("[1]".into()))));
    }

    #[test]
    fn constants_of_a_source() {
        let values = in_source(
            "// 1\n/* \"no\" */ int x = 0x10 + 2_000L; char c = '\\''; String s = \"a//b\"; double d = 1e-3;",
        );
        let shown: Vec<String> = values.iter().map(Value::to_string).collect();
        assert_eq!(shown, ["16", "2000L", "'\\''", "\"a//b\"", "0.001"]);
    }
}
