//! Comparisons, branches, switches, subroutines and returns.

use entity::EntityId;
use ir::{BlockId, Op, Origin, Reg, SwitchTable, Type};

use super::Refusal;
use super::method::{Lowering, Next, Step};
use super::patterns::StringSwitch;
use super::state::{Const, Entry};
use crate::link::resolve_method;
use crate::load::instr::{Comparison, Cond, Kind, LookupSwitch, TableSwitch};

/// A condition as the IR can compute it; negated where only the opposite has an operator.
struct Test {
    op: Op,
    a: Reg,
    b: Reg,
    negated: bool,
}

impl Lowering<'_> {
    /// Kept pending: most comparisons are followed by the branch that takes them over.
    pub fn compare(&mut self, comparison: Comparison) -> Step {
        let ty = match comparison {
            Comparison::Long => Type::I64,
            Comparison::FloatL | Comparison::FloatG => Type::F32,
            Comparison::DoubleL | Comparison::DoubleG => Type::F64,
        };
        let b = self.pop_reg(ty)?;
        let a = self.pop_reg(ty)?;
        self.push(Entry::Compare(comparison, a, b))
    }

    pub fn branch_zero(&mut self, cond: Cond, target: u16) -> Step {
        let entry = self.pop_entry(Type::I32)?;
        match (entry, cond) {
            (Entry::Compare(comparison, a, b), _) => {
                let test = compared(comparison, cond, a, b);
                self.branch_on(test, target)
            }
            // Record patterns test a constant: that nothing goes the other way is no business of criteria.
            (Entry::Const(Const::I32(value)), _) if self.origin() == Origin::Synthetic => {
                let next = self.next_pc()?;
                self.go(if holds(cond, value) { target } else { next }, self.context)
            }
            (Entry::Truth(truth), Cond::Eq | Cond::Ne) => self.branch(truth, cond == Cond::Eq, target, None),
            _ => {
                let value = self.reg_of(entry);
                // What tests a stack slot and nothing else may go (see `thread`): others do not rely on what it loads.
                let local = self.is_local.get(value.index()).copied().unwrap_or(false);
                let zero = match !local && self.out.is_at_start() {
                    true => self.own_const_reg(Const::I32(0)),
                    false => self.const_reg(Const::I32(0)),
                };
                self.branch_on(ints(cond, value, zero), target)
            }
        }
    }

    /// Where the code goes on.
    fn next_pc(&self) -> Result<u16, Refusal> {
        match self.bytecode.instrs.get(self.index + 1) {
            Some((pc, _)) => Ok(*pc),
            None => self.refuse("falls off the end of the code"),
        }
    }

    pub fn branch_ints(&mut self, cond: Cond, target: u16) -> Step {
        let b = self.pop_reg(Type::I32)?;
        let a = self.pop_reg(Type::I32)?;
        self.branch_on(ints(cond, a, b), target)
    }

    pub fn branch_refs(&mut self, same: bool, target: u16) -> Step {
        let b = self.pop_reg(Type::Ref)?;
        let a = self.pop_reg(Type::Ref)?;
        self.branch_on(Test { op: Op::EqRef, a, b, negated: !same }, target)
    }

    pub fn branch_null(&mut self, null: bool, target: u16) -> Step {
        let reg = self.pop_reg(Type::Ref)?;
        let truth = self.out.value(Type::I1, Op::IsNull, reg.0, 0, 0);
        self.branch(truth, !null, target, Some(reg))
    }

    fn branch_on(&mut self, test: Test, target: u16) -> Step {
        let truth = self.out.value(Type::I1, test.op, test.a.0, test.b.0, 0);
        self.branch(truth, test.negated, target, None)
    }

    /// Branches to the target if the truth value is 1, or if it is 0 and `negated`. On the side where it is 0,
    /// `nonnull` is not null.
    fn branch(&mut self, truth: Reg, negated: bool, target: u16, nonnull: Option<Reg>) -> Step {
        self.settle_stack();
        let next = self.next_pc()?;
        let origin = self.origin();
        let (yes, no) = if negated { (next, target) } else { (target, next) };
        let yes = self.edge(yes)?;
        if let Some(reg) = nonnull {
            self.state.facts.add_nonnull(reg);
        }
        let no = self.edge(no)?;
        self.out.br(truth, yes, no, origin);
        // What is done if it holds comes next, and the jump leads past it; only `do … while` jumps back if it holds.
        let jumps_if_true = target <= self.pc;
        self.out.note_truth(usize::from(jumps_if_true == negated));
        Ok(Next::Closed)
    }

    pub fn table_switch(&mut self, switch: &TableSwitch) -> Step {
        let value = self.pop_reg(Type::I32)?;
        if let Some(strings) = self.string_switches.get(&self.pc).cloned() {
            return self.string_switch(&strings);
        }
        // A gap looks like a case that goes where the default goes.
        let keys = (switch.low..=i32::MAX).zip(&switch.targets);
        let cases: Vec<(i32, u16)> = keys
            .filter(|(_, target)| **target != switch.default)
            .map(|(key, target)| (key, *target))
            .collect();
        self.switch(value, &cases, switch.default)
    }

    pub fn lookup_switch(&mut self, switch: &LookupSwitch) -> Step {
        let value = self.pop_reg(Type::I32)?;
        if let Some(strings) = self.string_switches.get(&self.pc).cloned() {
            return self.string_switch(&strings);
        }
        self.switch(value, &switch.cases, switch.default)
    }

    /// A switch on a string compares with its literals at once: a hash says nothing to a solver, and only equal
    /// strings have any business in a case.
    fn string_switch(&mut self, switch: &StringSwitch) -> Step {
        self.settle_stack();
        let file = self.file.clone();
        let equals =
            resolve_method(self.jvm, self.jvm.known.string, "equals", "(Ljava/lang/Object;)Z", false);
        let equals = match equals {
            Ok(func) => func,
            Err(error) => return self.trap(&error),
        };
        let string = self.local(switch.slot, Type::Ref);
        let origin = self.origin();
        for (literal, target) in &switch.cases {
            let units = file.pool.string(*literal)?;
            let id = self.jvm.string_id(&units);
            let literal = self.out.value(Type::Ref, Op::Str, id.0, 0, 0);
            let list = self.out.list(&[string, literal]);
            let equal = self.out.value(Type::I32, Op::Call, equals.0, list, 0);
            let zero = self.const_reg(Const::I32(0));
            let truth = self.out.value(Type::I1, Op::NeI32, equal.0, zero.0, 0);
            let yes = self.edge(*target)?;
            let no = self.inner_block();
            self.out.br(truth, yes, no, origin);
            self.out.switch_to(no);
        }
        let default = self.edge(switch.default)?;
        self.out.jump(default);
        Ok(Next::Closed)
    }

    fn switch(&mut self, value: Reg, cases: &[(i32, u16)], default: u16) -> Step {
        self.settle_stack();
        let origin = self.origin();
        let mut targets: Vec<(i32, BlockId)> = Vec::with_capacity(cases.len());
        for (key, target) in cases {
            targets.push((*key, self.edge(*target)?));
        }
        let default = self.edge(default)?;
        self.out.switch(value, SwitchTable { cases: targets, default }, origin);
        Ok(Next::Closed)
    }

    /// Calls a subroutine: its blocks are copied for each call, so this is a jump.
    pub fn jsr(&mut self, target: u16) -> Step {
        let inner = self.flow.call(&self.bytecode, self.context, target, self.index)?;
        self.push(Entry::Return)?;
        self.go(target, inner)
    }

    pub fn ret_subroutine(&mut self, slot: u16) -> Step {
        let (back, outer) = self.flow.back(self.context, slot)?;
        self.go(back, outer)
    }

    pub fn ret(&mut self, kind: Option<Kind>) -> Step {
        let ret = self.jvm.funcs[self.func].signature.ret;
        if kind.map(Self::kind_type) != ret {
            return self.refuse("returns a value of the wrong type");
        }
        let value = match ret {
            Some(ty) => Some(self.pop_reg(ty)?),
            None => None,
        };
        if let Some(lock) = self.lock {
            self.out.effect(Op::MonitorExit, lock.0, 0, 0);
        }
        match value {
            Some(value) => self.out.effect(Op::RetVal, value.0, 0, 0),
            None => self.out.effect(Op::Ret, 0, 0, 0),
        }
        Ok(Next::Closed)
    }
}

fn holds(cond: Cond, value: i32) -> bool {
    match cond {
        Cond::Eq => value == 0,
        Cond::Ne => value != 0,
        Cond::Lt => value < 0,
        Cond::Le => value <= 0,
        Cond::Gt => value > 0,
        Cond::Ge => value >= 0,
    }
}

fn ints(cond: Cond, a: Reg, b: Reg) -> Test {
    let (op, a, b) = match cond {
        Cond::Eq => (Op::EqI32, a, b),
        Cond::Ne => (Op::NeI32, a, b),
        Cond::Lt => (Op::SltI32, a, b),
        Cond::Le => (Op::SleI32, a, b),
        Cond::Gt => (Op::SltI32, b, a),
        Cond::Ge => (Op::SleI32, b, a),
    };
    Test { op, a, b, negated: false }
}

/// The condition on the operands of a comparison that holds when its -1, 0 or 1 stands so to 0. On NaN the
/// comparison gives -1 (`L`) or 1 (`G`), and no IR comparison holds: where the JVM's does, negate the opposite.
fn compared(comparison: Comparison, cond: Cond, a: Reg, b: Reg) -> Test {
    let (eq, lt, le, nan_less) = match comparison {
        Comparison::Long => {
            let (op, a, b) = match cond {
                Cond::Eq => (Op::EqI64, a, b),
                Cond::Ne => (Op::NeI64, a, b),
                Cond::Lt => (Op::SltI64, a, b),
                Cond::Le => (Op::SleI64, a, b),
                Cond::Gt => (Op::SltI64, b, a),
                Cond::Ge => (Op::SleI64, b, a),
            };
            return Test { op, a, b, negated: false };
        }
        Comparison::FloatL => (Op::EqF32, Op::LtF32, Op::LeF32, true),
        Comparison::FloatG => (Op::EqF32, Op::LtF32, Op::LeF32, false),
        Comparison::DoubleL => (Op::EqF64, Op::LtF64, Op::LeF64, true),
        Comparison::DoubleG => (Op::EqF64, Op::LtF64, Op::LeF64, false),
    };
    match (cond, nan_less) {
        (Cond::Eq, _) => Test { op: eq, a, b, negated: false },
        (Cond::Ne, _) => Test { op: eq, a, b, negated: true },
        (Cond::Lt, false) => Test { op: lt, a, b, negated: false },
        (Cond::Lt, true) => Test { op: le, a: b, b: a, negated: true },
        (Cond::Ge, false) => Test { op: lt, a, b, negated: true },
        (Cond::Ge, true) => Test { op: le, a: b, b: a, negated: false },
        (Cond::Gt, false) => Test { op: le, a, b, negated: true },
        (Cond::Gt, true) => Test { op: lt, a: b, b: a, negated: false },
        (Cond::Le, false) => Test { op: le, a, b, negated: false },
        (Cond::Le, true) => Test { op: lt, a: b, b: a, negated: true },
    }
}
