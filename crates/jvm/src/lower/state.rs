//! What is known while a block is lowered: the operand stack as aliases, and facts that spare instructions.

use ir::{ClassId, Reg, StrId, Type};

use crate::load::instr::Comparison;

/// An operand stack entry. Longs and doubles are one entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Entry {
    /// Whatever the register holds: a local's while nothing is stored there, or a temporary's.
    Reg(Reg, Type),
    Const(Const),
    /// A comparison that a branch may take over; -1, 0 or 1 otherwise.
    Compare(Comparison, Reg, Reg),
    /// An `i1` that a branch may take over; 0 or 1 otherwise.
    Truth(Reg),
    /// The return address of a subroutine. Nothing of it exists at run time.
    Return,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Const {
    Null,
    I32(i32),
    I64(i64),
    /// Bits.
    F32(u32),
    /// Bits.
    F64(u64),
}

impl Const {
    pub fn ty(self) -> Type {
        match self {
            Const::Null => Type::Ref,
            Const::I32(_) => Type::I32,
            Const::I64(_) => Type::I64,
            Const::F32(_) => Type::F32,
            Const::F64(_) => Type::F64,
        }
    }
}

impl Entry {
    pub fn ty(self) -> Type {
        match self {
            Entry::Reg(_, ty) => ty,
            Entry::Const(value) => value.ty(),
            Entry::Compare(..) | Entry::Truth(_) => Type::I32,
            Entry::Return => Type::Ref,
        }
    }

    /// Longs and doubles are two words in the instructions that count words.
    pub fn is_wide(self) -> bool {
        matches!(self.ty(), Type::I64 | Type::F64)
    }

    /// Whether reading the entry later reads this register.
    pub fn reads(self, reg: Reg) -> bool {
        match self {
            Entry::Reg(r, _) | Entry::Truth(r) => r == reg,
            Entry::Compare(_, a, b) => a == reg || b == reg,
            Entry::Const(_) | Entry::Return => false,
        }
    }
}

/// The stack and the facts at one place. Facts hold on every way from where they were found, so a block with one
/// entry starts with those of the block before it.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub stack: Vec<Entry>,
    pub facts: Facts,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    consts: Recent<(Const, Reg)>,
    strings: Recent<(StrId, Reg)>,
    statics: Recent<(ClassId, Reg)>,
    nonnull: Recent<Reg>,
    inside: Recent<(Reg, Reg)>,
    initialised: Recent<ClassId>,
}

/// A short list of the latest facts. Long ones would make lowering of long blocks quadratic.
#[derive(Clone, Debug)]
struct Recent<T>(Vec<T>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent(Vec::new())
    }
}

const KEPT: usize = 48;

impl<T: PartialEq + Copy> Recent<T> {
    fn add(&mut self, fact: T) {
        if self.0.len() >= KEPT {
            self.0.remove(0);
        }
        self.0.push(fact);
    }

    fn find(&self, is_it: impl Fn(&T) -> bool) -> Option<T> {
        self.0.iter().rev().find(|fact| is_it(fact)).copied()
    }

    fn has(&self, fact: T) -> bool {
        self.0.contains(&fact)
    }

    fn forget(&mut self, is_it: impl Fn(&T) -> bool) {
        self.0.retain(|fact| !is_it(fact));
    }
}

impl Facts {
    pub fn constant(&self, value: Const) -> Option<Reg> {
        self.consts.find(|(known, _)| *known == value).map(|(_, reg)| reg)
    }

    pub fn add_constant(&mut self, value: Const, reg: Reg) {
        self.consts.add((value, reg));
    }

    pub fn string(&self, string: StrId) -> Option<Reg> {
        self.strings.find(|(known, _)| *known == string).map(|(_, reg)| reg)
    }

    pub fn add_string(&mut self, string: StrId, reg: Reg) {
        self.strings.add((string, reg));
        self.add_nonnull(reg);
    }

    pub fn statics(&self, class: ClassId) -> Option<Reg> {
        self.statics.find(|(known, _)| *known == class).map(|(_, reg)| reg)
    }

    pub fn add_statics(&mut self, class: ClassId, reg: Reg) {
        self.statics.add((class, reg));
    }

    pub fn is_nonnull(&self, reg: Reg) -> bool {
        self.nonnull.has(reg)
    }

    pub fn add_nonnull(&mut self, reg: Reg) {
        if !self.nonnull.has(reg) {
            self.nonnull.add(reg);
        }
    }

    pub fn is_inside(&self, array: Reg, index: Reg) -> bool {
        self.inside.has((array, index))
    }

    pub fn add_inside(&mut self, array: Reg, index: Reg) {
        self.inside.add((array, index));
    }

    pub fn is_initialised(&self, class: ClassId) -> bool {
        self.initialised.has(class)
    }

    pub fn add_initialised(&mut self, class: ClassId) {
        self.initialised.add(class);
    }

    /// The register is about to hold something else.
    pub fn forget(&mut self, reg: Reg) {
        self.nonnull.forget(|known| *known == reg);
        self.inside.forget(|(array, index)| *array == reg || *index == reg);
    }
}
