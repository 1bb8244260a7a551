//! Calls of methods.

use std::sync::Arc;

use ir::{ClassId, FuncId, Op, Reg, Type};

use super::Refusal;
use super::method::{Lowering, Next, Step};
use super::state::{Const, Entry};
use crate::link::{Func, LinkError, Sig, resolve_method, select_special, signature_text};
use crate::load::{MemberRef, access};

/// A method reference: the class it names, the method found, and the descriptor.
struct Target {
    class: ClassId,
    func: FuncId,
}

impl Lowering<'_> {
    pub fn invoke_virtual(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        let member = file.pool.method(cp)?;
        let sig = self.call_sig(member.descriptor)?;
        if self.is_hash_of_string_switch() {
            // The switch compares with its literals: the hash is not needed, that the string is not null is.
            let receiver = self.pop_reg(Type::Ref)?;
            self.guard_nonnull(receiver);
            return self.push(Entry::Const(Const::I32(0)));
        }
        match self.target(member) {
            Ok(target) if self.is_polymorphic(target.func) => {
                self.invoke_polymorphic(target.func, member, &sig)
            }
            Ok(target) if self.jvm.funcs[target.func].is_static() => self.static_mismatch(target.func, false),
            Ok(target) => self.dispatched(&target, &sig),
            Err(error) => self.failing_call(&sig, true, &error),
        }
    }

    /// Whether the next instruction is a switch on the hash of a string that is lowered by comparisons.
    fn is_hash_of_string_switch(&self) -> bool {
        let next = self.bytecode.instrs.get(self.index + 1).map(|(pc, _)| *pc);
        next.is_some_and(|pc| self.string_switches.contains_key(&pc))
    }

    pub fn invoke_interface(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        let member = file.pool.method(cp)?;
        let sig = self.call_sig(member.descriptor)?;
        match self.target(member) {
            Ok(target) if self.jvm.funcs[target.func].is_static() => self.static_mismatch(target.func, false),
            Ok(target) => self.dispatched(&target, &sig),
            Err(error) => self.failing_call(&sig, true, &error),
        }
    }

    pub fn invoke_special(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        let member = file.pool.method(cp)?;
        let sig = self.call_sig(member.descriptor)?;
        let selected = self.target(member).and_then(|target| {
            if self.jvm.funcs[target.func].is_static() {
                return Err(self.mismatch(target.func, false));
            }
            select_special(self.jvm, self.class, target.class, target.func)
        });
        match selected {
            Ok(func) => {
                let args = self.arguments(&sig, true)?;
                if let Some(receiver) = args.first() {
                    self.guard_nonnull(*receiver);
                }
                self.call(Op::Call, func.0, &args, sig.ret)
            }
            Err(error) => self.failing_call(&sig, true, &error),
        }
    }

    pub fn invoke_static(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        let member = file.pool.method(cp)?;
        let sig = self.call_sig(member.descriptor)?;
        match self.target(member) {
            Ok(target) if self.is_polymorphic(target.func) => {
                self.invoke_polymorphic(target.func, member, &sig)
            }
            Ok(target) if !self.jvm.funcs[target.func].is_static() => self.static_mismatch(target.func, true),
            Ok(target) => {
                let args = self.arguments(&sig, false)?;
                self.guard_init(self.jvm.funcs[target.func].class);
                self.call(Op::Call, target.func.0, &args, sig.ret)
            }
            Err(error) => self.failing_call(&sig, false, &error),
        }
    }

    /// A call by slot, by interface, or directly where only one method can be meant.
    fn dispatched(&mut self, target: &Target, sig: &Sig) -> Step {
        let args = self.arguments(sig, true)?;
        if let Some(receiver) = args.first() {
            self.guard_nonnull(*receiver);
        }
        let func = &self.jvm.funcs[target.func];
        let owner = &self.jvm.classes[func.class];
        let referenced = &self.jvm.classes[target.class];
        let one = func.access & (access::PRIVATE | access::FINAL) != 0
            || func.name.starts_with('<')
            || (referenced.access & access::FINAL != 0
                && !func.is(access::ABSTRACT)
                && !referenced.is_array());
        if one {
            self.call(Op::Call, target.func.0, &args, sig.ret)
        } else if owner.is_interface() {
            self.call(Op::CallIface, target.func.0, &args, sig.ret)
        } else if func.slot != Func::NO_SLOT {
            let slot = func.slot;
            self.call(Op::CallVirt, slot, &args, sig.ret)
        } else {
            self.call(Op::Call, target.func.0, &args, sig.ret)
        }
    }

    pub fn call(&mut self, op: Op, callee: u32, args: &[Reg], ret: Option<Type>) -> Step {
        let list = self.out.list(args);
        match ret {
            Some(ty) => {
                let result = self.out.value(ty, op, callee, list, 0);
                self.push_reg(result)
            }
            None => {
                self.out.effect(op, callee, list, 0);
                Ok(Next::On)
            }
        }
    }

    fn target(&mut self, member: MemberRef<'_>) -> Result<Target, LinkError> {
        let class = self.jvm.class(member.class)?;
        let func = resolve_method(self.jvm, class, member.name, member.descriptor, member.interface);
        match func {
            Ok(func) => Ok(Target { class, func }),
            Err(error) => match self.polymorphic(class, member.name) {
                Some(func) => Ok(Target { class, func }),
                None => Err(error),
            },
        }
    }

    pub fn call_sig(&mut self, descriptor: &str) -> Result<Arc<Sig>, Refusal> {
        match self.jvm.sig(descriptor) {
            Some(sig) => Ok(sig),
            None => self.refuse("call has a wrong descriptor"),
        }
    }

    /// Pops the arguments, the receiver first if there is one.
    pub fn arguments(&mut self, sig: &Sig, receiver: bool) -> Result<Vec<Reg>, Refusal> {
        let mut args = Vec::with_capacity(sig.params.len() + 1);
        for ty in sig.params.iter().rev() {
            args.push(self.pop_reg(*ty)?);
        }
        if receiver {
            args.push(self.pop_reg(Type::Ref)?);
        }
        args.reverse();
        Ok(args)
    }

    /// A call that cannot be linked: its operands are popped, so that wrong ones are found, then it raises.
    fn failing_call(&mut self, sig: &Sig, receiver: bool, error: &LinkError) -> Step {
        self.arguments(sig, receiver)?;
        self.trap(error)
    }

    fn mismatch(&self, func: FuncId, wants_static: bool) -> LinkError {
        let func = &self.jvm.funcs[func];
        let expected = if wants_static { "static" } else { "non-static" };
        let text = signature_text(Some(&self.jvm.classes[func.class].name), &func.name, &func.signature.ty);
        let message = format!("Expected {expected} method '{text}'");
        LinkError::new("java/lang/IncompatibleClassChangeError", message)
    }

    fn static_mismatch(&mut self, func: FuncId, wants_static: bool) -> Step {
        let error = self.mismatch(func, wants_static);
        self.trap(&error)
    }
}
