//! Expressions as they are written, before types are known: infix text, and the same as JSON.
//!
//! The text has the operators of C and the functions of Z3's Python interface (`And`, `Or`, `Not`, `If`, …).
//! Bitwise operators bind closer than comparisons, and comparisons do not chain.

use crate::error::{At, Malformed};
use crate::json::{Json, Kind as JsonKind};

/// Deeper expressions are refused: what reads them recurses.
const MAX_DEPTH: u32 = 200;

/// An expression and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Syntax {
    pub at: At,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// As spelled. Its type is that of what it stands beside, unless it is said.
    Number(String, Option<String>),
    Bool(bool),
    Name(String),
    Index(String, Box<Syntax>),
    /// An operator or a function by name; `-` and others by the number of arguments.
    Apply(String, Vec<Syntax>),
}

/// What an assignment writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub at: At,
    pub name: String,
    pub index: Option<Syntax>,
}

/// Reads an expression from a string or from its JSON form.
pub fn read(json: &Json) -> Result<Syntax, Malformed> {
    from_json(json, 0)
}

/// Reads `x = e` or `x[i] = e`.
pub fn read_assignment(json: &Json) -> Result<(Place, Syntax), Malformed> {
    let mut parser = Parser::new(json.string()?, inside(json.at))?;
    let target = parser.unary(0)?;
    if parser.peek() != Some("=") {
        return Err(parser.unexpected("'='"));
    }
    parser.next += 1;
    let value = parser.expression(0)?;
    parser.end()?;
    Ok((place(target)?, value))
}

/// Reads what an assignment writes.
pub fn read_place(json: &Json) -> Result<Place, Malformed> {
    place(from_json(json, 0)?)
}

fn place(syntax: Syntax) -> Result<Place, Malformed> {
    let at = syntax.at;
    match syntax.kind {
        Kind::Name(name) => Ok(Place { at, name, index: None }),
        Kind::Index(name, index) => Ok(Place { at, name, index: Some(*index) }),
        _ => Err(Malformed::new(at, "only a variable or an element of an array can be assigned")),
    }
}

/// Behind the quote.
fn inside(at: At) -> At {
    At { line: at.line, column: at.column + 1 }
}

fn from_json(json: &Json, depth: u32) -> Result<Syntax, Malformed> {
    let at = json.at;
    if depth > MAX_DEPTH {
        return Err(json.error(format!("an expression nested more than {MAX_DEPTH} deep")));
    }
    let kind = match &json.kind {
        JsonKind::String(text) => {
            let mut parser = Parser::new(text, inside(at))?;
            let syntax = parser.expression(0)?;
            parser.end()?;
            return Ok(syntax);
        }
        JsonKind::Number(text) => Kind::Number(text.clone(), None),
        JsonKind::Bool(value) => Kind::Bool(*value),
        JsonKind::Object(_) => {
            let fields = json.object()?;
            if let Some(op) = fields.get("op") {
                fields.only(&["op", "args"])?;
                let args = fields.need("args")?.list()?;
                let args = args.iter().map(|a| from_json(a, depth + 1)).collect::<Result<_, _>>()?;
                Kind::Apply(op.string()?.to_string(), args)
            } else if let Some(name) = fields.get("var") {
                fields.only(&["var", "index"])?;
                let name = name.string()?.to_string();
                match fields.get("index") {
                    Some(index) => Kind::Index(name, Box::new(from_json(index, depth + 1)?)),
                    None => Kind::Name(name),
                }
            } else {
                fields.only(&["const", "type"])?;
                let ty = fields.get("type").map(Json::string).transpose()?.map(str::to_string);
                let value = fields.need("const")?;
                match &value.kind {
                    JsonKind::Number(text) | JsonKind::String(text) => Kind::Number(text.clone(), ty),
                    JsonKind::Bool(b) if ty.as_deref().is_none_or(|t| t == "bool") => Kind::Bool(*b),
                    _ => return Err(value.error("a constant is a number, a Boolean or a number in quotes")),
                }
            }
        }
        _ => return Err(json.error(format!("here stands {}, an expression is wanted", json.what()))),
    };
    Ok(Syntax { at, kind })
}

/// Binary operators with their binding power; comparisons do not chain.
const BINARY: &[(&str, u8)] = &[
    ("||", 2),
    ("or", 2),
    ("&&", 3),
    ("and", 3),
    ("==", 5),
    ("!=", 5),
    ("<=", 5),
    (">=", 5),
    ("<", 5),
    (">", 5),
    ("|", 6),
    ("^", 7),
    ("&", 8),
    ("<<", 9),
    (">>", 9),
    ("+", 10),
    ("-", 10),
    ("*", 11),
    ("/", 11),
    ("%", 11),
];
const COMPARE: u8 = 5;
const NOT: u8 = 4;
const SYMBOLS: &[&str] = &[
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "|", "^", "&", "+", "-", "*", "/", "%", "!",
    "~", "(", ")", "[", "]", ",", "?", ":", "=",
];

struct Parser<'t> {
    tokens: Vec<(At, &'t str)>,
    end: At,
    next: usize,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, start: At) -> Result<Parser<'t>, Malformed> {
        let mut tokens = Vec::new();
        let (mut rest, mut at) = (text, start);
        loop {
            let trimmed = rest.trim_start();
            at.column += rest[..rest.len() - trimmed.len()].chars().count() as u32;
            rest = trimmed;
            let Some(first) = rest.chars().next() else { break };
            let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '.');
            let length = if first.is_ascii_digit() {
                number_length(rest)
            } else if word(first) {
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            } else {
                match SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                    Some(symbol) => symbol.len(),
                    None => {
                        return Err(Malformed::new(at, format!("{first:?} means nothing in an expression")));
                    }
                }
            };
            let (token, tail) = rest.split_at(length);
            tokens.push((at, token));
            at.column += token.chars().count() as u32;
            rest = tail;
        }
        Ok(Parser { tokens, end: at, next: 0, depth: 0 })
    }

    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.next).map(|t| t.1)
    }

    fn at(&self) -> At {
        self.tokens.get(self.next).map_or(self.end, |t| t.0)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.peek() == Some(symbol);
        self.next += usize::from(found);
        found
    }

    fn need(&mut self, symbol: &str) -> Result<(), Malformed> {
        match self.take(symbol) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("'{symbol}'"))),
        }
    }

    fn unexpected(&self, wanted: &str) -> Malformed {
        let message = match self.peek() {
            Some("=") => "'=' assigns; '==' compares".to_string(),
            Some(token) => format!("here stands '{token}', {wanted} is wanted"),
            None => format!("the expression ends where {wanted} is wanted"),
        };
        Malformed::new(self.at(), message)
    }

    fn end(&self) -> Result<(), Malformed> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("an operator or the end")),
        }
    }

    fn expression(&mut self, least: u8) -> Result<Syntax, Malformed> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Malformed::new(self.at(), format!("nested more than {MAX_DEPTH} deep")));
        }
        let result = self.infix(least);
        self.depth -= 1;
        result
    }

    fn infix(&mut self, least: u8) -> Result<Syntax, Malformed> {
        let at = self.at();
        let mut left = match least <= NOT && self.take("not") {
            true => apply(at, "!", vec![self.expression(NOT)?]),
            false => self.unary(0)?,
        };
        let mut rounds = 0;
        loop {
            rounds += 1;
            if rounds > MAX_DEPTH {
                return Err(Malformed::new(self.at(), format!("more than {MAX_DEPTH} operators in a row")));
            }
            if least == 0 && self.take("?") {
                let then = self.expression(0)?;
                self.need(":")?;
                let other = self.expression(0)?;
                left = apply(at, "If", vec![left, then, other]);
                continue;
            }
            let found = self.peek().and_then(|t| BINARY.iter().find(|(name, _)| *name == t));
            let Some((name, power)) = found.filter(|(_, power)| *power >= least.max(1)) else {
                return Ok(left);
            };
            self.next += 1;
            let right = self.expression(power + 1)?;
            let name = match *name {
                "or" => "||",
                "and" => "&&",
                name => name,
            };
            left = apply(at, name, vec![left, right]);
            if *power == COMPARE
                && let Some(t) = self.peek()
                && BINARY.iter().any(|(n, p)| *n == t && *p == COMPARE)
            {
                return Err(Malformed::new(self.at(), "comparisons do not chain; write (a < b) && (b < c)"));
            }
        }
    }

    fn unary(&mut self, depth: u32) -> Result<Syntax, Malformed> {
        let at = self.at();
        if depth > MAX_DEPTH {
            return Err(Malformed::new(at, format!("nested more than {MAX_DEPTH} deep")));
        }
        match self.peek() {
            Some("-") => {
                self.next += 1;
                // The least number of a type has no positive counterpart: the sign belongs to the literal.
                if let Some(digits) = self.peek().filter(|t| t.starts_with(|c: char| c.is_ascii_digit())) {
                    self.next += 1;
                    return Ok(Syntax { at, kind: Kind::Number(format!("-{digits}"), None) });
                }
                Ok(apply(at, "-", vec![self.unary(depth + 1)?]))
            }
            Some(op @ ("!" | "~")) => {
                self.next += 1;
                Ok(apply(at, op, vec![self.unary(depth + 1)?]))
            }
            _ => self.primary(),
        }
    }

    fn primary(&mut self) -> Result<Syntax, Malformed> {
        let at = self.at();
        let Some(token) = self.peek() else { return Err(self.unexpected("a value")) };
        if self.take("(") {
            let inner = self.expression(0)?;
            self.need(")")?;
            return Ok(inner);
        }
        let first = token.chars().next().unwrap_or(' ');
        if first.is_ascii_digit() {
            self.next += 1;
            return Ok(Syntax { at, kind: Kind::Number(token.to_string(), None) });
        }
        if SYMBOLS.contains(&token) || matches!(token, "and" | "or" | "not") {
            return Err(self.unexpected("a value"));
        }
        self.next += 1;
        let kind = match token {
            "true" | "True" => Kind::Bool(true),
            "false" | "False" => Kind::Bool(false),
            name if self.take("(") => {
                let mut args = Vec::new();
                if !self.take(")") {
                    loop {
                        args.push(self.expression(0)?);
                        if self.take(")") {
                            break;
                        }
                        self.need(",")?;
                    }
                }
                Kind::Apply(name.to_string(), args)
            }
            name if self.take("[") => {
                let index = self.expression(0)?;
                self.need("]")?;
                Kind::Index(name.to_string(), Box::new(index))
            }
            name => Kind::Name(name.to_string()),
        };
        Ok(Syntax { at, kind })
    }
}

fn apply(at: At, op: &str, args: Vec<Syntax>) -> Syntax {
    Syntax { at, kind: Kind::Apply(op.to_string(), args) }
}

/// Digits, hexadecimal digits, fraction and exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize, hex: bool| {
        let is = |b: &&u8| if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() };
        from + bytes[from.min(bytes.len())..].iter().take_while(is).count()
    };
    if bytes.len() > 2 && bytes[0] == b'0' && matches!(bytes[1], b'x' | b'X') {
        return digits(2, true);
    }
    let mut end = digits(0, false);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1, false);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let past = digits(sign, false);
        if past > sign {
            end = past;
        }
    }
    end
}
