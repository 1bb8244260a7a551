//! Local variables: loads are aliases, stores take over the instruction that made the value.

use ir::{Op, Reg, Type};

use super::method::{Lowering, Next, Step, is_shared};
use super::state::{Const, Entry};
use crate::load::instr::Kind;

impl Lowering<'_> {
    pub fn load(&mut self, kind: Kind, slot: u16) -> Step {
        let ty = Self::kind_type(kind);
        let reg = self.local(slot, ty);
        self.push(Entry::Reg(reg, ty))
    }

    pub fn store(&mut self, kind: Kind, slot: u16) -> Step {
        let entry = self.pop()?;
        let ty = Self::kind_type(kind);
        if entry == Entry::Return {
            // The flow knows where `ret` goes.
            return if ty == Type::Ref { Ok(Next::On) } else { self.refuse("stores a return address") };
        }
        if entry.ty() != ty {
            return self.refuse(format!("stores {} as {ty}", entry.ty()));
        }
        let local = self.local(slot, ty);
        if entry == Entry::Reg(local, ty) {
            return Ok(Next::On);
        }
        if !self.take_over(entry, local) {
            self.save(local);
            match entry {
                Entry::Reg(from, _) => {
                    let nonnull =
                        ty == Type::Ref && (self.receiver == Some(from) || self.state.facts.is_nonnull(from));
                    self.overwrite(local);
                    self.out.copy(local, from);
                    if nonnull {
                        self.state.facts.add_nonnull(local);
                    }
                }
                Entry::Const(value) => {
                    self.overwrite(local);
                    self.const_into(local, value);
                }
                other => {
                    let reg = self.reg_of(other);
                    if !self.take_over(Entry::Reg(reg, ty), local) {
                        self.overwrite(local);
                        self.out.copy(local, reg);
                    }
                }
            }
        }
        Ok(Next::On)
    }

    /// If the value was made by the last instruction, it writes the local directly. Not while the old value of
    /// the local is still on the stack.
    fn take_over(&mut self, entry: Entry, local: Reg) -> bool {
        let Entry::Reg(made, ty) = entry else { return false };
        let still_read = self.state.stack.iter().any(|entry| entry.reads(local));
        if self.is_local(made) || still_read {
            return false;
        }
        match self.out.last() {
            Some(last) if last.dst == made && last.op != Op::Catch => {
                // Constants and strings stay where later code can find them again.
                if is_shared(last.op) {
                    return false;
                }
                last.dst = local;
            }
            _ => return false,
        }
        let nonnull = self.state.facts.is_nonnull(made);
        self.overwrite(local);
        if nonnull {
            self.state.facts.add_nonnull(local);
        }
        for entry in &mut self.state.stack {
            if *entry == Entry::Reg(made, ty) {
                *entry = Entry::Reg(local, ty);
            }
        }
        true
    }

    fn overwrite(&mut self, local: Reg) {
        self.state.facts.forget(local);
    }

    pub fn iinc(&mut self, slot: u16, by: i16) -> Step {
        let local = self.local(slot, Type::I32);
        self.save(local);
        self.overwrite(local);
        let by = self.const_reg(Const::I32(by.into()));
        self.out.write(local, Op::AddI32, local.0, by.0, 0);
        Ok(Next::On)
    }
}
