//! Tokens of the textual form, with their places. Newlines are tokens: every statement is a line.

use super::parse::ParseError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A word: keyword, opcode, class or field name, block.
    Word(String),
    /// `@name`.
    Func(String),
    /// `%3`.
    Reg(u32),
    /// `@line:offset`.
    Position(u32, u32),
    /// `"text"`.
    Str(String),
    /// A number as it stands there; what it means depends on where it stands.
    Number(String),
    /// Punctuation: `( ) [ ] { } , : = !` and `->`.
    Punct(&'static str),
    Newline,
    End,
}

impl Token {
    /// How messages call it.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Word(text) | Token::Number(text) => format!("`{text}`"),
            Token::Func(name) => format!("`@{}`", super::quoted_if_needed(name)),
            Token::Reg(n) => format!("`%{n}`"),
            Token::Position(line, offset) => format!("`@{line}:{offset}`"),
            Token::Str(text) => super::quoted(text),
            Token::Punct(text) => format!("`{text}`"),
            Token::Newline => "the end of the line".to_string(),
            Token::End => "the end of the text".to_string(),
        }
    }
}

/// A token and where it starts; lines and columns count from 1, columns in characters.
#[derive(Clone, Debug)]
pub(super) struct Spanned {
    pub token: Token,
    pub line: u32,
    pub column: u32,
}

/// How many bytes at the start of the text make a word: letters, digits and `_ $ . / < >`, not starting with a
/// digit, a dot or a slash, and `-` between two of these.
pub(super) fn bare_len(text: &str) -> usize {
    let inner = |c: char| c.is_ascii_alphanumeric() || "_$./<>".contains(c);
    let mut chars = text.char_indices().peekable();
    match chars.next() {
        Some((_, c)) if c.is_ascii_alphabetic() || "_$<".contains(c) => {}
        _ => return 0,
    }
    let mut end = 1;
    while let Some((at, c)) = chars.next() {
        let joined = c == '-' && chars.peek().is_some_and(|(_, next)| next.is_ascii_alphanumeric());
        if !inner(c) && !joined {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

pub(super) fn lex(text: &str) -> Result<Vec<Spanned>, ParseError> {
    let mut tokens = Vec::new();
    let mut line_no = 0;
    for line in text.lines() {
        line_no += 1;
        let mut lexer = Lexer { line, at: 0, line_no };
        let mut end = 0;
        while let Some(spanned) = lexer.next()? {
            tokens.push(spanned);
            end = lexer.at;
        }
        // Behind the code, not behind a comment.
        let column = lexer.column(end);
        tokens.push(Spanned { token: Token::Newline, line: line_no, column });
    }
    tokens.push(Spanned { token: Token::End, line: line_no + 1, column: 1 });
    Ok(tokens)
}

struct Lexer<'t> {
    line: &'t str,
    /// Byte index of what comes next.
    at: usize,
    line_no: u32,
}

impl<'t> Lexer<'t> {
    fn column(&self, at: usize) -> u32 {
        self.line.get(..at).map_or(0, |before| before.chars().count() as u32) + 1
    }

    fn rest(&self) -> &'t str {
        self.line.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn error(&self, at: usize, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line_no, column: self.column(at), message: message.into() }
    }

    /// Takes the bytes while the characters satisfy the predicate.
    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let len = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or("")
    }

    fn number(&mut self) -> Result<u32, ParseError> {
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        let canonical = digits == "0" || !digits.starts_with('0');
        match digits.parse() {
            Ok(n) if canonical => Ok(n),
            _ => Err(self.error(start, format!("expected a number up to 4294967295, found `{digits}`"))),
        }
    }

    fn next(&mut self) -> Result<Option<Spanned>, ParseError> {
        self.take_while(|c| c == ' ' || c == '\t' || c == '\r');
        let start = self.at;
        let Some(c) = self.peek() else { return Ok(None) };
        let token = match c {
            ';' => {
                self.at = self.line.len();
                return Ok(None);
            }
            '"' => Token::Str(self.string()?),
            '%' => {
                self.at += 1;
                Token::Reg(self.number()?)
            }
            '@' => {
                self.at += 1;
                self.after_at()?
            }
            '-' if self.rest().starts_with("->") => {
                self.at += 2;
                Token::Punct("->")
            }
            c if c.is_ascii_digit() || c == '-' => self.literal(),
            _ if bare_len(self.rest()) > 0 => {
                let len = bare_len(self.rest());
                let word = self.rest().get(..len).unwrap_or("").to_string();
                self.at += len;
                Token::Word(word)
            }
            _ => {
                const PUNCT: [&str; 10] = ["(", ")", "[", "]", "{", "}", ",", ":", "=", "!"];
                let Some(found) = PUNCT.into_iter().find(|p| self.rest().starts_with(p)) else {
                    return Err(self.error(start, format!("unexpected character {c:?}")));
                };
                self.at += found.len();
                Token::Punct(found)
            }
        };
        Ok(Some(Spanned { token, line: self.line_no, column: self.column(start) }))
    }

    /// `@name`, `@"any name"` or `@line:offset`.
    fn after_at(&mut self) -> Result<Token, ParseError> {
        match self.peek() {
            Some('"') => Ok(Token::Func(self.string()?)),
            Some(c) if c.is_ascii_digit() => {
                let line = self.number()?;
                if self.peek() != Some(':') {
                    return Ok(Token::Position(line, 0));
                }
                self.at += 1;
                Ok(Token::Position(line, self.number()?))
            }
            _ => {
                let len = bare_len(self.rest());
                if len == 0 {
                    return Err(self.error(self.at, "expected a function name or a position after `@`"));
                }
                let name = self.rest().get(..len).unwrap_or("").to_string();
                self.at += len;
                Ok(Token::Func(name))
            }
        }
    }

    /// A number: digits, letters and dots, with signs at the start and after an exponent's `e`.
    fn literal(&mut self) -> Token {
        let mut previous = ' ';
        let mut end = 0;
        for c in self.rest().chars() {
            let sign = (c == '-' || c == '+') && (end == 0 || previous == 'e');
            if !sign && !c.is_ascii_alphanumeric() && c != '.' {
                break;
            }
            previous = c;
            end += c.len_utf8();
        }
        let text = self.rest().get(..end).unwrap_or("").to_string();
        self.at += end;
        Token::Number(text)
    }

    fn string(&mut self) -> Result<String, ParseError> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(c) = self.peek() else { return Err(self.error(start, "string without end")) };
            let at = self.at;
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(out),
                '\\' => {
                    let escaped = self.peek();
                    self.at += escaped.map_or(0, char::len_utf8);
                    match escaped {
                        Some('n') => out.push('\n'),
                        Some('t') => out.push('\t'),
                        Some('r') => out.push('\r'),
                        Some('"') => out.push('"'),
                        Some('\\') => out.push('\\'),
                        Some('u') => out.push(self.code_point(at)?),
                        _ => {
                            return Err(
                                self.error(at, "unknown escape; known are \\n \\t \\r \\\" \\\\ \\u{…}")
                            );
                        }
                    }
                }
                c => out.push(c),
            }
        }
    }

    fn code_point(&mut self, start: usize) -> Result<char, ParseError> {
        let rest = self.rest();
        let found = rest.strip_prefix('{').and_then(|r| r.split_once('}')).and_then(|(digits, _)| {
            let value = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
            Some((char::from_u32(value)?, digits.len() + 2))
        });
        let (c, len) = found.ok_or_else(|| self.error(start, "expected \\u{hex} of a Unicode character"))?;
        self.at += len;
        Ok(c)
    }
}
