//! JSON that remembers where everything stands, so that a wrong graph can be told by line and column.

use crate::error::{At, Malformed};

/// Deeper nesting is refused: no graph needs it, and the reader recurses.
const MAX_DEPTH: u32 = 128;
/// Larger files are refused before they are read.
const MAX_BYTES: usize = 64 << 20;

/// A value and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Json {
    pub at: At,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Null,
    Bool(bool),
    /// As it is spelled: how wide a number is depends on who reads it.
    Number(String),
    String(String),
    List(Vec<Json>),
    /// In the order of the text; keys are unique.
    Object(Vec<(String, At, Json)>),
}

impl Json {
    pub fn parse(text: &str) -> Result<Json, Malformed> {
        if text.len() > MAX_BYTES {
            return Err(Malformed::new(At { line: 1, column: 1 }, "the file is larger than 64 MiB"));
        }
        let mut reader = Reader { rest: text.chars(), next: None, at: At { line: 1, column: 1 } };
        reader.next = reader.rest.next();
        if reader.next == Some('\u{feff}') {
            reader.bump();
        }
        let value = reader.value(0)?;
        reader.space();
        match reader.next {
            None => Ok(value),
            Some(c) => Err(reader.error(format!("{c:?} after the end of the JSON value"))),
        }
    }

    /// What sort of thing it is, for messages.
    pub fn what(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a Boolean",
            Kind::Number(_) => "a number",
            Kind::String(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Object(_) => "an object",
        }
    }

    pub fn error(&self, message: impl Into<String>) -> Malformed {
        Malformed::new(self.at, message)
    }

    fn wanted(&self, what: &str) -> Malformed {
        self.error(format!("here stands {}, {what} is wanted", self.what()))
    }

    pub fn string(&self) -> Result<&str, Malformed> {
        match &self.kind {
            Kind::String(s) => Ok(s),
            _ => Err(self.wanted("a string")),
        }
    }

    pub fn list(&self) -> Result<&[Json], Malformed> {
        match &self.kind {
            Kind::List(items) => Ok(items),
            _ => Err(self.wanted("a list")),
        }
    }

    pub fn object(&self) -> Result<Fields<'_>, Malformed> {
        match &self.kind {
            Kind::Object(fields) => Ok(Fields { at: self.at, fields }),
            _ => Err(self.wanted("an object")),
        }
    }

    /// A natural number such as a line.
    pub fn natural(&self) -> Result<u32, Malformed> {
        match &self.kind {
            Kind::Number(n) => n.parse().map_err(|_| self.wanted("a natural number below 2^32")),
            _ => Err(self.wanted("a number")),
        }
    }
}

/// The fields of an object.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    pub at: At,
    fields: &'a [(String, At, Json)],
}

impl<'a> Fields<'a> {
    pub fn get(&self, key: &str) -> Option<&'a Json> {
        self.fields.iter().find(|(k, _, _)| k == key).map(|(_, _, v)| v)
    }

    pub fn need(&self, key: &str) -> Result<&'a Json, Malformed> {
        self.get(key).ok_or_else(|| Malformed::new(self.at, format!("the field \"{key}\" is missing")))
    }

    /// Refuses fields that mean nothing here: a misspelt one must not be skipped in silence.
    pub fn only(&self, known: &[&str]) -> Result<(), Malformed> {
        match self.fields.iter().find(|(k, _, _)| !known.contains(&k.as_str())) {
            None => Ok(()),
            Some((key, at, _)) => Err(Malformed::new(
                *at,
                format!("the field {key:?} is not known here; known are {}", known.join(", ")),
            )),
        }
    }
}

struct Reader<'a> {
    rest: std::str::Chars<'a>,
    next: Option<char>,
    at: At,
}

impl Reader<'_> {
    fn bump(&mut self) {
        match self.next {
            Some('\n') => self.at = At { line: self.at.line + 1, column: 1 },
            Some('\u{feff}') | None => {}
            Some(_) => self.at.column += 1,
        }
        self.next = self.rest.next();
    }

    fn space(&mut self) {
        while matches!(self.next, Some(' ' | '\t' | '\n' | '\r')) {
            self.bump();
        }
    }

    fn error(&self, message: impl Into<String>) -> Malformed {
        Malformed::new(self.at, message)
    }

    fn expect(&mut self, wanted: char) -> Result<(), Malformed> {
        match self.next == Some(wanted) {
            true => {
                self.bump();
                Ok(())
            }
            false => Err(self.unexpected(&format!("'{wanted}'"))),
        }
    }

    fn unexpected(&self, wanted: &str) -> Malformed {
        match self.next {
            Some(c) => self.error(format!("here stands {c:?}, {wanted} is wanted")),
            None => self.error(format!("the text ends where {wanted} is wanted")),
        }
    }

    fn value(&mut self, depth: u32) -> Result<Json, Malformed> {
        self.space();
        let at = self.at;
        if depth > MAX_DEPTH {
            return Err(self.error(format!("nested more than {MAX_DEPTH} deep")));
        }
        let kind = match self.next {
            Some('{') => self.fields(depth)?,
            Some('[') => self.items(depth)?,
            Some('"') => Kind::String(self.text()?),
            Some('-' | '0'..='9') => self.number()?,
            Some('a'..='z') => self.word()?,
            _ => return Err(self.unexpected("a JSON value")),
        };
        Ok(Json { at, kind })
    }

    fn fields(&mut self, depth: u32) -> Result<Kind, Malformed> {
        let mut fields: Vec<(String, At, Json)> = Vec::new();
        let mut keys = rustc_hash::FxHashSet::default();
        self.bump();
        self.space();
        if self.next == Some('}') {
            self.bump();
            return Ok(Kind::Object(fields));
        }
        loop {
            self.space();
            let at = self.at;
            if self.next != Some('"') {
                return Err(self.unexpected("the name of a field in quotes"));
            }
            let key = self.text()?;
            if !keys.insert(key.clone()) {
                return Err(Malformed::new(at, format!("the field {key:?} stands here twice")));
            }
            self.space();
            self.expect(':')?;
            let value = self.value(depth + 1)?;
            fields.push((key, at, value));
            self.space();
            match self.next {
                Some(',') => self.bump(),
                Some('}') => {
                    self.bump();
                    return Ok(Kind::Object(fields));
                }
                _ => return Err(self.unexpected("',' or '}'")),
            }
        }
    }

    fn items(&mut self, depth: u32) -> Result<Kind, Malformed> {
        let mut items = Vec::new();
        self.bump();
        self.space();
        if self.next == Some(']') {
            self.bump();
            return Ok(Kind::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            match self.next {
                Some(',') => self.bump(),
                Some(']') => {
                    self.bump();
                    return Ok(Kind::List(items));
                }
                _ => return Err(self.unexpected("',' or ']'")),
            }
        }
    }

    fn word(&mut self) -> Result<Kind, Malformed> {
        let start = self.error("");
        let mut word = String::new();
        while let Some(c @ 'a'..='z') = self.next {
            word.push(c);
            self.bump();
        }
        match word.as_str() {
            "true" => Ok(Kind::Bool(true)),
            "false" => Ok(Kind::Bool(false)),
            "null" => Ok(Kind::Null),
            _ => Err(Malformed::new(start.at, format!("'{word}' is no JSON value"))),
        }
    }

    fn number(&mut self) -> Result<Kind, Malformed> {
        let at = self.at;
        let mut text = String::new();
        while let Some(c @ ('-' | '+' | '.' | 'e' | 'E' | '0'..='9')) = self.next {
            text.push(c);
            self.bump();
        }
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let leading = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        let whole = digits.starts_with(|c: char| c.is_ascii_digit()) && !text.ends_with('.');
        match whole && !leading && text.parse::<f64>().is_ok() {
            true => Ok(Kind::Number(text)),
            false => Err(Malformed::new(at, format!("'{text}' is no JSON number"))),
        }
    }

    fn text(&mut self) -> Result<String, Malformed> {
        let mut text = String::new();
        self.bump();
        loop {
            match self.next {
                Some('"') => {
                    self.bump();
                    return Ok(text);
                }
                Some('\\') => text.push(self.escape()?),
                Some(c) if c >= ' ' => {
                    text.push(c);
                    self.bump();
                }
                _ => return Err(self.unexpected("'\"'")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Malformed> {
        self.bump();
        let c = match self.next {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('u') => {
                self.bump();
                return self.unicode();
            }
            _ => return Err(self.unexpected("an escape")),
        };
        self.bump();
        Ok(c)
    }

    fn unicode(&mut self) -> Result<char, Malformed> {
        let high = self.hex4()?;
        if !(0xd800..0xe000).contains(&high) {
            return char::from_u32(high).ok_or_else(|| self.error("no character has this number"));
        }
        self.expect('\\')?;
        self.expect('u')?;
        let low = self.hex4()?;
        match (high, low) {
            (0xd800..0xdc00, 0xdc00..0xe000) => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                char::from_u32(code).ok_or_else(|| self.error("no character has this number"))
            }
            _ => Err(self.error("half of a surrogate pair")),
        }
    }

    fn hex4(&mut self) -> Result<u32, Malformed> {
        let mut value = 0;
        for _ in 0..4 {
            match self.next.and_then(|c| c.to_digit(16)) {
                Some(digit) => value = value * 16 + digit,
                None => return Err(self.unexpected("a hexadecimal digit")),
            }
            self.bump();
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Json::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert_eq!(error("{\"a\": 1,\n \"a\": 2}"), "line 2, column 2: the field \"a\" stands here twice");
        assert_eq!(error("[1,\n  ]"), "line 2, column 3: here stands ']', a JSON value is wanted");
        assert_eq!(error("[1"), "line 1, column 3: the text ends where ',' or ']' is wanted");
        assert_eq!(error("nul"), "line 1, column 1: 'nul' is no JSON value");
        assert_eq!(error("01"), "line 1, column 1: '01' is no JSON number");
        assert!(error(&"[".repeat(100_000)).contains("nested more than"));
    }

    #[test]
    fn it_reads_what_another_reader_reads() {
        let text = r#" {"k": [1, -2.5e3, true, false, null, "a\n\u0041\ud83d\ude00\/"], "o": {}} "#;
        let Kind::Object(fields) = Json::parse(text).unwrap().kind else { panic!() };
        let Kind::List(items) = &fields[0].2.kind else { panic!() };
        assert_eq!(items[1].kind, Kind::Number("-2.5e3".into()));
        assert_eq!(items[5].kind, Kind::String("a\nA\u{1f600}/".into()));
    }
}
