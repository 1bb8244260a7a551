//! Strings of the code under test: UTF-16 units, which need not be well-formed.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string as Java and .NET see it. Serialises as a JSON string where it is well-formed, otherwise as the
/// list of its units.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(pub Vec<u16>);

impl Text {
    /// The Rust string, if the units are well-formed.
    pub fn to_utf8(&self) -> Option<String> {
        String::from_utf16(&self.0).ok()
    }

    pub fn units(&self) -> &[u16] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text, if it can be quoted in a comment: short, and nothing in it needs an escape.
    pub fn quotable(&self) -> Option<String> {
        let text = self.to_utf8()?;
        let plain =
            |c: char| c == ' ' || c.is_alphanumeric() || c.is_ascii_punctuation() && c != '\\' && c != '"';
        (text.chars().count() <= 24 && text.chars().all(plain)).then_some(text)
    }
}

impl From<&str> for Text {
    fn from(s: &str) -> Self {
        Text(s.encode_utf16().collect())
    }
}

impl From<String> for Text {
    fn from(s: String) -> Self {
        Text::from(s.as_str())
    }
}

impl From<Vec<u16>> for Text {
    fn from(units: Vec<u16>) -> Self {
        Text(units)
    }
}

impl fmt::Display for Text {
    /// Lone surrogates show as U+FFFD: for people, not for code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf16_lossy(&self.0))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_utf8() {
            Some(s) => fmt::Debug::fmt(&s, f),
            None => write!(f, "utf16{:04x?}", self.0),
        }
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.to_utf8() {
            Some(s) => serializer.serialize_str(&s),
            None => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Str(String),
            Units(Vec<u16>),
        }
        match Form::deserialize(deserializer)
            .map_err(|_| D::Error::custom("a string or a list of UTF-16 units"))?
        {
            Form::Str(s) => Ok(Text::from(s)),
            Form::Units(units) => Ok(Text(units)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ill_formed_text_survives_serialisation() {
        for text in [Text::from("a\u{1F600}\0"), Text(vec![0xd800, 0x61]), Text::default()] {
            let json = serde_json::to_string(&text).unwrap();
            assert_eq!(serde_json::from_str::<Text>(&json).unwrap(), text, "{json}");
        }
        assert_eq!(serde_json::to_string(&Text::from("é")).unwrap(), "\"é\"");
    }
}
