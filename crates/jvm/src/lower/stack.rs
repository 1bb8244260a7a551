//! The operand stack: what is pushed, popped and shuffled without any code, and how entries get registers.

use ir::{Op, Reg, Type};

use super::Refusal;
use super::method::{Lowering, Next, Step};
use super::state::{Const, Entry};
use crate::load::instr::{Comparison, Instr};

/// The JVM's stacks have at most 65535 words.
const MAX_STACK: usize = 65535;

impl Lowering<'_> {
    pub fn push(&mut self, entry: Entry) -> Step {
        if self.state.stack.len() >= MAX_STACK {
            return self.refuse("operand stack overflows");
        }
        self.state.stack.push(entry);
        Ok(Next::On)
    }

    pub fn push_reg(&mut self, reg: Reg) -> Step {
        let ty = self.out.ty(reg);
        self.push(Entry::Reg(reg, ty))
    }

    pub fn pop(&mut self) -> Result<Entry, Refusal> {
        match self.state.stack.pop() {
            Some(entry) => Ok(entry),
            None => self.refuse("operand stack underflows"),
        }
    }

    /// Pops a value of this type as it is.
    pub fn pop_entry(&mut self, ty: Type) -> Result<Entry, Refusal> {
        let entry = self.pop()?;
        if entry.ty() != ty || entry == Entry::Return {
            return self.refuse(format!("operand is {}, not {ty}", entry.ty()));
        }
        Ok(entry)
    }

    /// Pops a value of this type into a register.
    pub fn pop_reg(&mut self, ty: Type) -> Result<Reg, Refusal> {
        let entry = self.pop_entry(ty)?;
        Ok(self.reg_of(entry))
    }

    /// A register that holds the entry's value.
    pub fn reg_of(&mut self, entry: Entry) -> Reg {
        match entry {
            Entry::Reg(reg, _) => reg,
            Entry::Const(value) => self.const_reg(value),
            Entry::Compare(comparison, a, b) => {
                let op = match comparison {
                    Comparison::Long => Op::CmpI64,
                    Comparison::FloatL => Op::CmplF32,
                    Comparison::FloatG => Op::CmpgF32,
                    Comparison::DoubleL => Op::CmplF64,
                    Comparison::DoubleG => Op::CmpgF64,
                };
                self.out.value(Type::I32, op, a.0, b.0, 0)
            }
            Entry::Truth(reg) => self.out.value(Type::I32, Op::I1ToI32, reg.0, 0, 0),
            // Popping by type never yields one.
            Entry::Return => self.const_reg(Const::Null),
        }
    }

    /// Gives pending comparisons and truth values registers, because control leaves the block.
    pub fn settle_stack(&mut self) {
        for index in 0..self.state.stack.len() {
            let entry = self.state.stack[index];
            if matches!(entry, Entry::Compare(..) | Entry::Truth(_)) {
                let reg = self.reg_of(entry);
                self.state.stack[index] = Entry::Reg(reg, Type::I32);
            }
        }
    }

    /// Saves entries that still read a local which is about to be overwritten.
    pub fn save(&mut self, local: Reg) {
        let mut saved = None;
        for index in 0..self.state.stack.len() {
            let entry = self.state.stack[index];
            if !entry.reads(local) {
                continue;
            }
            let reg = match entry {
                Entry::Reg(..) => *saved.get_or_insert_with(|| {
                    let ty = self.out.ty(local);
                    let kept = self.out.reg(ty);
                    self.out.copy(kept, local);
                    if self.state.facts.is_nonnull(local) {
                        self.state.facts.add_nonnull(kept);
                    }
                    kept
                }),
                other => self.reg_of(other),
            };
            self.state.stack[index] = Entry::Reg(reg, entry.ty());
        }
    }

    /// `pop`, `dup`, `swap` and their relatives (JVMS §6.5): no code, only entries.
    pub fn shuffle(&mut self, instr: &Instr) -> Step {
        match instr {
            Instr::Pop => {
                self.group(1)?;
            }
            Instr::Pop2 => {
                self.group(2)?;
            }
            Instr::Dup => self.dup(1, 0)?,
            Instr::DupX1 => self.dup(1, 1)?,
            Instr::DupX2 => self.dup(1, 2)?,
            Instr::Dup2 => self.dup(2, 0)?,
            Instr::Dup2X1 => self.dup(2, 1)?,
            Instr::Dup2X2 => self.dup(2, 2)?,
            Instr::Swap => {
                let (top, under) = (self.group(1)?, self.group(1)?);
                self.state.stack.extend(top);
                self.state.stack.extend(under);
            }
            _ => return self.refuse("is not a stack instruction"),
        }
        Ok(Next::On)
    }

    /// Duplicates the top `words` and puts the copy beneath the `under` words below them.
    fn dup(&mut self, words: usize, under: usize) -> Result<(), Refusal> {
        let top = self.group(words)?;
        let below = self.group(under)?;
        // Computed once, wherever it is used.
        let mut settled = Vec::with_capacity(top.len());
        for entry in top {
            settled.push(match entry {
                Entry::Compare(..) => Entry::Reg(self.reg_of(entry), Type::I32),
                other => other,
            });
        }
        self.state.stack.extend_from_slice(&settled);
        self.state.stack.extend(below);
        self.state.stack.extend(settled);
        match self.state.stack.len() {
            0..=MAX_STACK => Ok(()),
            _ => self.refuse("operand stack overflows"),
        }
    }

    /// Pops entries of together this many words, deepest first.
    fn group(&mut self, words: usize) -> Result<Vec<Entry>, Refusal> {
        let mut entries = Vec::new();
        let mut left = words;
        while left > 0 {
            let entry = self.pop()?;
            let size = if entry.is_wide() { 2 } else { 1 };
            if size > left {
                return self.refuse("a stack instruction splits a long or double");
            }
            left -= size;
            entries.push(entry);
        }
        entries.reverse();
        Ok(entries)
    }
}
