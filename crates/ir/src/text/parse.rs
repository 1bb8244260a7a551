//! The parser of modules: classes, declarations and the frames of functions. Bodies are in `body.rs`.

use super::lex::{Spanned, Token, lex};
use crate::module::{Class, ClassKind, Field, Module, Signature, next_offset};
use crate::types::{ClassId, FuncId, MemType, Type};
use entity::PrimaryMap;
use std::collections::BTreeSet;

/// Why a text is not a module, and where. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// A module, and the lines its parts stand on.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub module: Module,
    /// For every function with a body.
    pub lines: Vec<(FuncId, FuncLines)>,
}

/// The lines, from 1, of a function's header, blocks and instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuncLines {
    pub header: u32,
    pub blocks: Vec<u32>,
    pub insts: Vec<u32>,
}

impl Parsed {
    pub fn lines_of(&self, func: FuncId) -> Option<&FuncLines> {
        self.lines.iter().find(|(id, _)| *id == func).map(|(_, lines)| lines)
    }
}

/// Reads a module. Functions and classes that are named but nowhere declared enter it without more.
pub fn parse_module(text: &str) -> Result<Parsed, ParseError> {
    let tokens = lex(text)?;
    let mut module = Module::new();
    enter_declared(&tokens, &mut module)?;
    let mut parser = Parser { tokens: &tokens, next: 0, module };
    let mut lines = Vec::new();
    loop {
        match parser.take() {
            Token::Newline => {}
            Token::End => return Ok(Parsed { module: parser.module, lines }),
            Token::Word(word) => match word.as_str() {
                "class" => parser.class(ClassKind::Object)?,
                "interface" => parser.class(ClassKind::Interface)?,
                "array" => parser.array()?,
                "declare" => parser.declaration()?,
                "func" => lines.push(parser.function()?),
                _ => {
                    return Err(
                        parser.error_before("expected `class`, `interface`, `array`, `declare` or `func`")
                    );
                }
            },
            _ => {
                return Err(
                    parser.error_before("expected `class`, `interface`, `array`, `declare` or `func`")
                );
            }
        }
    }
}

/// Enters what the text declares before anything is parsed, so that ids follow the order of declaration and a
/// body may name what stands below it.
fn enter_declared(tokens: &[Spanned], module: &mut Module) -> Result<(), ParseError> {
    let mut names = BTreeSet::new();
    let mut depth = 0;
    let mut line_start = true;
    for (i, spanned) in tokens.iter().enumerate() {
        let declares = std::mem::replace(&mut line_start, spanned.token == Token::Newline) && depth == 0;
        match &spanned.token {
            Token::Punct("{") => depth += 1,
            Token::Punct("}") => depth -= 1,
            Token::Word(word) if declares => {
                let Some(name) = tokens.get(i + 1) else { continue };
                let is_func = matches!(word.as_str(), "func" | "declare");
                let text = match (&name.token, word.as_str()) {
                    (Token::Func(text), "func" | "declare") => text,
                    (Token::Word(text) | Token::Str(text), "class" | "interface" | "array") => text,
                    _ => continue,
                };
                if !names.insert((is_func, text)) {
                    let message = format!("{} is declared twice", name.token.describe());
                    return Err(ParseError { line: name.line, column: name.column, message });
                }
                match is_func {
                    true => drop(module.func_id(text)),
                    false => drop(module.class_id(text)),
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) struct Parser<'t> {
    tokens: &'t [Spanned],
    next: usize,
    pub(super) module: Module,
}

impl<'t> Parser<'t> {
    fn spanned(&self, index: usize) -> (&'t Token, u32, u32) {
        // The last token is `End`, which is never passed.
        match self.tokens.get(index).or(self.tokens.last()) {
            Some(s) => (&s.token, s.line, s.column),
            None => (&Token::End, 1, 1),
        }
    }

    pub(super) fn peek(&self) -> &'t Token {
        self.spanned(self.next).0
    }

    pub(super) fn line(&self) -> u32 {
        self.spanned(self.next).1
    }

    pub(super) fn take(&mut self) -> &'t Token {
        let token = self.peek();
        self.next += 1;
        token
    }

    /// An error at the next token.
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        let (_, line, column) = self.spanned(self.next);
        ParseError { line, column, message: message.into() }
    }

    /// An error at the token just taken.
    pub(super) fn error_before(&self, message: impl Into<String>) -> ParseError {
        let (_, line, column) = self.spanned(self.next.saturating_sub(1));
        ParseError { line, column, message: message.into() }
    }

    pub(super) fn expected(&self, what: &str) -> ParseError {
        self.error(format!("expected {what}, found {}", self.peek().describe()))
    }

    pub(super) fn is_punct(&self, punct: &str) -> bool {
        matches!(self.peek(), Token::Punct(p) if *p == punct)
    }

    pub(super) fn eat(&mut self, punct: &str) -> bool {
        let found = self.is_punct(punct);
        self.next += usize::from(found);
        found
    }

    pub(super) fn punct(&mut self, punct: &str) -> Result<(), ParseError> {
        if self.eat(punct) { Ok(()) } else { Err(self.expected(&format!("`{punct}`"))) }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if w == word);
        self.next += usize::from(found);
        found
    }

    pub(super) fn newline(&mut self) -> Result<(), ParseError> {
        match self.peek() {
            Token::Newline | Token::End => {
                self.next += 1;
                Ok(())
            }
            _ => Err(self.expected("the end of the line")),
        }
    }

    /// A name that is a word or quoted.
    pub(super) fn name(&mut self, what: &str) -> Result<&'t str, ParseError> {
        match self.peek() {
            Token::Word(text) | Token::Str(text) => {
                self.next += 1;
                Ok(text)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(super) fn class_name(&mut self) -> Result<ClassId, ParseError> {
        let name = self.name("a class")?;
        Ok(self.module.class_id(name))
    }

    pub(super) fn func_name(&mut self) -> Result<FuncId, ParseError> {
        match self.peek() {
            Token::Func(name) => {
                self.next += 1;
                Ok(self.module.func_id(name))
            }
            _ => Err(self.expected("a function such as `@f`")),
        }
    }

    /// A number in the one canonical spelling, within the type's range.
    pub(super) fn number<T: std::str::FromStr + ToString>(&mut self, what: &str) -> Result<T, ParseError> {
        match self.peek() {
            Token::Number(text) => match text.parse::<T>() {
                Ok(value) if value.to_string() == *text => {
                    self.next += 1;
                    Ok(value)
                }
                _ => Err(self.expected(what)),
            },
            _ => Err(self.expected(what)),
        }
    }

    pub(super) fn ty(&mut self) -> Result<Type, ParseError> {
        let found = match self.peek() {
            Token::Word(word) => Type::from_name(word),
            _ => None,
        };
        match found {
            Some(ty) => {
                self.next += 1;
                Ok(ty)
            }
            None => {
                let names: Vec<_> = Type::ALL.iter().map(|t| t.name()).collect();
                Err(self.expected(&format!("a type ({})", names.join(", "))))
            }
        }
    }

    pub(super) fn arrow(&mut self) -> Result<Option<Type>, ParseError> {
        if self.eat("->") { self.ty().map(Some) } else { Ok(None) }
    }

    fn declaration(&mut self) -> Result<(), ParseError> {
        let id = self.func_name()?;
        self.punct("(")?;
        let mut params = Vec::new();
        while !self.eat(")") {
            if !params.is_empty() {
                self.punct(",")?;
            }
            params.push(self.ty()?);
        }
        let ret = self.arrow()?;
        self.module.declare(id, Signature { params, ret });
        self.newline()
    }

    fn array(&mut self) -> Result<(), ParseError> {
        let id = self.class_name()?;
        if !self.eat_word("of") {
            return Err(self.expected("`of`"));
        }
        let kind = match self.peek() {
            Token::Word(word) if MemType::from_name(word).is_some() => {
                let ty = MemType::from_name(word).unwrap_or(MemType::Ref);
                self.next += 1;
                ClassKind::Array(ty, None)
            }
            _ => ClassKind::Array(MemType::Ref, Some(self.class_name()?)),
        };
        self.module.class_mut(id).kind = kind;
        self.newline()
    }

    /// A class that this one is built on; it must stand above, so that no class is its own ancestor.
    fn ancestor(&mut self, of: ClassId) -> Result<ClassId, ParseError> {
        let name = self.name("a class")?;
        match self.module.find_class(name) {
            Some(id) if id < of => Ok(id),
            _ => Err(self.error_before(format!("class `{name}` must be declared above"))),
        }
    }

    fn class(&mut self, kind: ClassKind) -> Result<(), ParseError> {
        let id = self.class_name()?;
        let superclass = if self.eat_word("extends") { Some(self.ancestor(id)?) } else { None };
        let mut interfaces = Vec::new();
        if self.eat_word("implements") {
            interfaces.push(self.ancestor(id)?);
            while self.eat(",") {
                interfaces.push(self.ancestor(id)?);
            }
        }
        let class = self.module.class_mut(id);
        (class.kind, class.superclass, class.interfaces) = (kind, superclass, interfaces);
        let inherited = superclass.map_or(0, |s| self.module.instance_size(s));
        self.punct("{")?;
        self.newline()?;
        while !self.eat("}") {
            if *self.peek() == Token::Newline {
                self.next += 1;
                continue;
            }
            self.member(id, inherited)?;
            self.newline()?;
        }
        self.newline()
    }

    fn member(&mut self, id: ClassId, inherited: u32) -> Result<(), ParseError> {
        // A field may be called like a keyword: what follows tells.
        let is_field = matches!(self.spanned(self.next + 1).0, Token::Punct(":"));
        if !is_field && self.eat_word("slot") {
            let slot = self.number("a slot number")?;
            self.punct("=")?;
            let func = self.func_name()?;
            if self.module.class_mut(id).slots.insert(slot, func).is_some() {
                return Err(self.error_before(format!("slot {slot} is filled twice")));
            }
            return Ok(());
        }
        if !is_field && self.eat_word("impl") {
            let declared = self.func_name()?;
            self.punct("=")?;
            let func = self.func_name()?;
            if self.module.class_mut(id).impls.insert(declared, func).is_some() {
                return Err(self.error_before("this function is implemented twice"));
            }
            return Ok(());
        }
        if !is_field && self.eat_word("init") {
            let func = self.func_name()?;
            if self.module.class_mut(id).init.replace(func).is_some() {
                return Err(self.error_before("the class has two initialisers"));
            }
            return Ok(());
        }
        let is_static = !is_field && self.eat_word("static");
        let name = self.name("a field, `static`, `slot`, `impl` or `init`")?;
        if self.module.field(id, name).is_some() {
            return Err(self.error_before(format!("the class already has a field `{name}`")));
        }
        self.punct(":")?;
        let ty = match self.peek() {
            Token::Word(word) => MemType::from_name(word),
            _ => None,
        };
        let Some(ty) = ty else {
            let names: Vec<_> = MemType::ALL.iter().map(|t| t.name()).collect();
            return Err(self.expected(&format!("a cell type ({})", names.join(", "))));
        };
        self.next += 1;
        let start = if is_static { 0 } else { inherited };
        let explicit = if self.eat("=") { Some(self.number::<u32>("a byte offset")?) } else { None };
        let class = self.module.class_mut(id);
        let Class { fields, statics, .. } = class;
        let fields = if is_static { statics } else { fields };
        let offset = explicit.or_else(|| next_offset(start, fields, ty));
        let Some(offset) = offset.filter(|o| o.checked_add(ty.size()).is_some()) else {
            return Err(self.error_before("the object is larger than 4 GiB"));
        };
        fields.push(Field { name: name.to_string(), ty, offset });
        Ok(())
    }

    fn function(&mut self) -> Result<(FuncId, FuncLines), ParseError> {
        let header = self.line();
        let id = self.func_name()?;
        let name = self.module.funcs().get(id).map_or_else(String::new, |f| f.name.clone());
        let (func, mut lines) = self.body(name)?;
        lines.header = header;
        self.module.define(id, func);
        Ok((id, lines))
    }

    pub(super) fn take_back(&mut self) {
        self.next = self.next.saturating_sub(1);
    }
}

/// Collects what is declared by number, densely from 0.
pub(super) fn dense<K: entity::EntityId, V>(
    map: std::collections::BTreeMap<u32, V>,
) -> Result<PrimaryMap<K, V>, u32> {
    for (expected, found) in map.keys().enumerate() {
        if expected as u32 != *found {
            return Err(expected as u32);
        }
    }
    Ok(map.into_values().collect())
}
