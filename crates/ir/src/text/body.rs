//! The parser of function bodies, driven by the opcode table.

use super::lex::Token;
use super::nearest_op;
use super::parse::{FuncLines, ParseError, Parser, dense};
use super::print::{CANONICAL_NAN_32, CANONICAL_NAN_64};
use crate::func::{Block, BranchInfo, Function, Inst, Origin, Position, RegInfo, SwitchTable};
use crate::op::{Op, OpResult, Operand};
use crate::types::{BlockId, Check, Reg, Type};
use entity::PrimaryMap;
use std::collections::BTreeMap;

/// What is known of the registers while a body is read. Types said explicitly win over those an opcode implies.
#[derive(Default)]
struct Regs {
    declared: BTreeMap<u32, RegInfo>,
    implied: BTreeMap<u32, Type>,
    /// Where each register is named first, for the message if nothing tells its type.
    named: BTreeMap<u32, ParseError>,
}

struct Body {
    func: Function,
    regs: Regs,
    lines: FuncLines,
}

impl Parser<'_> {
    /// The rest of a function after its name.
    pub(super) fn body(&mut self, name: String) -> Result<(Function, FuncLines), ParseError> {
        let mut body = Body {
            func: Function {
                name,
                source: None,
                params: 0,
                ret: None,
                regs: PrimaryMap::new(),
                blocks: PrimaryMap::new(),
                code: Vec::new(),
                positions: Vec::new(),
                lists: Vec::new(),
                tables: Vec::new(),
                branches: Vec::new(),
            },
            regs: Regs::default(),
            lines: FuncLines::default(),
        };
        self.punct("(")?;
        while !self.eat(")") {
            if body.func.params > 0 {
                self.punct(",")?;
            }
            let expected = body.func.params;
            match self.take() {
                Token::Reg(n) if *n == expected => {}
                _ => return Err(self.error_before(format!("expected parameter `%{expected}`"))),
            }
            self.annotation(&mut body.regs, expected)?;
            body.func.params += 1;
        }
        body.func.ret = self.arrow()?;
        if self.eat_word("source") {
            match self.take() {
                Token::Str(file) => body.func.source = Some(file.clone()),
                _ => return Err(self.error_before("expected a file name in quotes")),
            }
        }
        self.punct("{")?;
        self.newline()?;
        while !self.eat("}") {
            self.statement(&mut body)?;
        }
        self.newline()?;
        let Body { mut func, regs, lines } = body;
        close_block(&mut func);
        func.regs = regs.finish()?;
        Ok((func, lines))
    }

    fn statement(&mut self, body: &mut Body) -> Result<(), ParseError> {
        match self.peek() {
            Token::Newline => {
                self.take();
                return Ok(());
            }
            Token::End => return Err(self.expected("`}`")),
            Token::Word(word) if Op::from_name(word).is_none() => match block_number(word) {
                Some(number) => return self.block_header(body, number),
                None => return Err(self.error(format!("unknown opcode `{word}`{}", nearest_op(word)))),
            },
            Token::Word(_) => {
                let line = self.line();
                let inst = self.instruction(body, Reg::NONE)?;
                return self.finish_instruction(body, inst, line);
            }
            Token::Reg(_) => {}
            _ => return Err(self.expected("an instruction, a block such as `b0:` or `}`")),
        }
        let line = self.line();
        let reg = self.register(body)?;
        if self.is_punct(":") {
            self.annotation(&mut body.regs, reg.0)?;
            if matches!(self.peek(), Token::Newline) {
                return self.newline();
            }
        }
        self.punct("=")?;
        let inst = self.instruction(body, reg)?;
        if let OpResult::Is(ty) = inst.op.result() {
            body.regs.implied.entry(reg.0).or_insert(ty);
        }
        self.finish_instruction(body, inst, line)
    }

    /// `: type "variable"`.
    fn annotation(&mut self, regs: &mut Regs, reg: u32) -> Result<(), ParseError> {
        self.punct(":")?;
        let ty = self.ty()?;
        let variable = match self.peek() {
            Token::Str(text) => {
                self.take();
                Some(text.clone())
            }
            _ => None,
        };
        match regs.declared.insert(reg, RegInfo { ty, variable }) {
            None => Ok(()),
            Some(_) => Err(self.error_before(format!("the type of %{reg} is said twice"))),
        }
    }

    fn register(&mut self, body: &mut Body) -> Result<Reg, ParseError> {
        match self.peek() {
            Token::Reg(n) => {
                let unknown = self.error(format!("nothing tells the type of %{n}"));
                self.take();
                body.regs.named.entry(*n).or_insert(unknown);
                Ok(Reg(*n))
            }
            _ => Err(self.expected("a register")),
        }
    }

    fn block(&mut self) -> Result<BlockId, ParseError> {
        match self.peek() {
            Token::Word(word) if block_number(word).is_some() => {
                self.take();
                Ok(BlockId(block_number(word).unwrap_or(0)))
            }
            _ => Err(self.expected("a block such as `b1`")),
        }
    }

    /// `b0 unwind b3 never:`.
    fn block_header(&mut self, body: &mut Body, number: u32) -> Result<(), ParseError> {
        let expected = body.func.blocks.next_key();
        if number != expected.0 {
            return Err(self.error(format!("expected block `{expected}`: blocks are numbered in order")));
        }
        body.lines.blocks.push(self.line());
        self.take();
        let unwind = if self.eat_word("unwind") { Some(self.block()?) } else { None };
        let never = self.eat_word("never");
        self.punct(":")?;
        self.newline()?;
        close_block(&mut body.func);
        let start = body.func.code.len() as u32;
        body.func.blocks.push(Block { start, end: start, unwind, never });
        Ok(())
    }

    fn instruction(&mut self, body: &mut Body, dst: Reg) -> Result<Inst, ParseError> {
        let op = match self.take() {
            Token::Word(word) => match Op::from_name(word) {
                Some(op) => op,
                None => return Err(self.error_before(format!("unknown opcode `{word}`{}", nearest_op(word)))),
            },
            _ => {
                self.take_back();
                return Err(self.expected("an opcode"));
            }
        };
        if body.func.blocks.is_empty() {
            return Err(self.error_before("expected block `b0` before the first instruction"));
        }
        let mut words = Vec::with_capacity(3);
        for (i, kind) in op.operands().iter().enumerate() {
            if i > 0 && *kind != Operand::List {
                self.punct(",")?;
            }
            let value = self.operand(body, op, *kind)?;
            words.push(value as u32);
            if kind.words() == 2 {
                words.push((value >> 32) as u32);
            }
        }
        let word = |i: usize| words.get(i).copied().unwrap_or(0);
        Ok(Inst { op, dst, a: word(0), b: word(1), c: word(2) })
    }

    fn operand(&mut self, body: &mut Body, op: Op, kind: Operand) -> Result<u64, ParseError> {
        Ok(match kind {
            Operand::Reg(_) | Operand::Any | Operand::Same => self.register(body)?.0.into(),
            Operand::Imm32 | Operand::Imm64 => self.literal(op)?,
            Operand::Block => self.block()?.0.into(),
            Operand::Func => self.func_name()?.0.into(),
            Operand::Class => self.class_name()?.0.into(),
            Operand::Str => match self.peek() {
                Token::Str(text) => {
                    self.take();
                    self.module.string_id(text).0.into()
                }
                _ => return Err(self.expected("a string in quotes")),
            },
            Operand::Check => {
                let known = match self.peek() {
                    Token::Word(word) => Check::from_name(word),
                    _ => None,
                };
                let Some(check) = known else {
                    let names: Vec<_> = Check::ALL.iter().map(|c| c.name()).collect();
                    return Err(self.expected(&format!("a check ({})", names.join(", "))));
                };
                self.take();
                check as u64
            }
            Operand::List => {
                self.punct("(")?;
                let mut regs = Vec::new();
                while !self.eat(")") {
                    if !regs.is_empty() {
                        self.punct(",")?;
                    }
                    regs.push(self.register(body)?);
                }
                body.func.lists.push(regs.into());
                body.func.lists.len() as u64 - 1
            }
            Operand::Table => {
                let table = self.table()?;
                body.func.tables.push(table);
                body.func.tables.len() as u64 - 1
            }
            Operand::Off => match self.peek() {
                Token::Word(name) | Token::Str(name) => match self.module.resolve_field(name) {
                    Ok(offset) => {
                        self.take();
                        offset.into()
                    }
                    Err(message) => return Err(self.error(message)),
                },
                _ => self.number::<u32>("a byte offset or `Class.field`")?.into(),
            },
            Operand::Slot => self.number::<u32>("a slot number")?.into(),
        })
    }

    /// `[1: b2, 7: b3, else: b4]`.
    fn table(&mut self) -> Result<SwitchTable, ParseError> {
        self.punct("[")?;
        let mut cases = Vec::new();
        while !self.eat_word("else") {
            let value = self.number::<i32>("a case of 32 bits or `else`")?;
            self.punct(":")?;
            cases.push((value, self.block()?));
            self.punct(",")?;
        }
        self.punct(":")?;
        let default = self.block()?;
        self.punct("]")?;
        Ok(SwitchTable { cases, default })
    }

    /// A literal of the type that the opcode gives.
    fn literal(&mut self, op: Op) -> Result<u64, ParseError> {
        let text = match self.peek() {
            Token::Number(text) | Token::Word(text) => text.as_str(),
            _ => "",
        };
        let bits = match op.result() {
            OpResult::Is(Type::F32) => float_bits(text, CANONICAL_NAN_32.into(), 8, |t| {
                t.parse::<f32>().ok().map(|f| f.to_bits().into())
            }),
            OpResult::Is(Type::F64) => {
                float_bits(text, CANONICAL_NAN_64, 16, |t| t.parse::<f64>().ok().map(f64::to_bits))
            }
            OpResult::Is(Type::I64) => return Ok(self.number::<i64>("an integer of 64 bits")? as u64),
            _ => return Ok(self.number::<i32>("an integer of 32 bits")? as u32 as u64),
        };
        let bits = bits.ok_or_else(|| self.expected("a float such as 1.5, -0.0, inf, nan or 0x7fc00001"))?;
        self.take();
        Ok(bits)
    }

    /// Position, branch info and the end of the line.
    fn finish_instruction(&mut self, body: &mut Body, inst: Inst, line: u32) -> Result<(), ParseError> {
        let block_start = body.func.blocks.values().next_back().map_or(0, |b| b.start as usize);
        let previous = body.func.positions.get(block_start..).and_then(|p| p.last()).copied();
        let position = match self.peek() {
            Token::Position(line, offset) => {
                self.take();
                Position { line: *line, offset: *offset }
            }
            _ => previous.unwrap_or_default(),
        };
        if self.eat("!") {
            let info = self.branch_info()?;
            body.func.branches.push((body.func.code.len() as u32, info));
        }
        self.newline()?;
        body.func.code.push(inst);
        body.func.positions.push(position);
        body.lines.insts.push(line);
        Ok(())
    }

    /// `source 0.1 far`: decision and condition, and whether the true way is the later one.
    fn branch_info(&mut self) -> Result<BranchInfo, ParseError> {
        let origin = if self.eat_word("source") {
            Origin::Source
        } else if self.eat_word("synthetic") {
            Origin::Synthetic
        } else {
            return Err(self.expected("`source` or `synthetic`"));
        };
        let pair = match self.peek() {
            Token::Number(text) => text.split_once('.').and_then(|(decision, condition)| {
                let canonical = |t: &str| t.parse::<u32>().ok().filter(|n| n.to_string() == t);
                Some((canonical(decision)?, canonical(condition)?))
            }),
            _ => None,
        };
        let (decision, condition) = pair.ok_or_else(|| self.expected("decision.condition such as 0.1"))?;
        self.take();
        let far = self.eat_word("far");
        Ok(BranchInfo { origin, decision, condition, far })
    }
}

/// The last block ends where the code ends now.
fn close_block(func: &mut Function) {
    let end = func.code.len() as u32;
    if let Some(block) = func.blocks.values_mut().next_back() {
        block.end = end;
    }
}

/// The number of a block's name, `b12`.
fn block_number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('b')?;
    digits.parse::<u32>().ok().filter(|n| n.to_string() == digits)
}

/// Bits of a float literal: `nan`, the bits of another NaN in hex, or a decimal number.
fn float_bits(text: &str, nan: u64, digits: usize, decimal: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    if text == "nan" {
        return Some(nan);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        let fits = hex.len() <= digits && !hex.starts_with('+');
        return u64::from_str_radix(hex, 16).ok().filter(|_| fits);
    }
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || c == '-') || text == "inf";
    decimal(text).filter(|_| numeric && !text.contains("nan"))
}

impl Regs {
    fn finish(mut self) -> Result<PrimaryMap<Reg, RegInfo>, ParseError> {
        for (reg, ty) in self.implied {
            self.declared.entry(reg).or_insert(RegInfo { ty, variable: None });
        }
        for (reg, unknown) in &self.named {
            if !self.declared.contains_key(reg) {
                return Err(unknown.clone());
            }
        }
        let named = self.named;
        dense(self.declared).map_err(|missing| {
            // A register above the gap was named; the message goes there.
            let above = named.range(missing..).next().map(|(_, e)| e.clone());
            let mut error = above.unwrap_or(ParseError { line: 1, column: 1, message: String::new() });
            error.message =
                format!("%{missing} is skipped: registers are numbered densely; declare it at the top");
            error
        })
    }
}
