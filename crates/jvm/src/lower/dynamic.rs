//! What is linked by code: signature-polymorphic calls, `invokedynamic`, method handles and dynamic constants.
//!
//! Bootstraps known by name become plain IR (see `indy`); the rest is left to natives by a hook that gets the
//! number of the site.

use ir::{ClassId, FuncId, Op, Reg, Type};

use super::method::{Lowering, Step};
use super::state::Const;
use crate::indy;
use crate::link::{Sig, Site, SiteKind};
use crate::load::{MemberRef, access};

impl Lowering<'_> {
    /// The signature-polymorphic method of that name, whatever the descriptor at the call (JVMS §2.9.3).
    pub fn polymorphic(&self, class: ClassId, name: &str) -> Option<FuncId> {
        let mut all = self.jvm.classes[class].functions();
        all.find(|func| &*self.jvm.funcs[*func].name == name && self.is_polymorphic(*func))
    }

    pub fn is_polymorphic(&self, func: FuncId) -> bool {
        let method = &self.jvm.funcs[func];
        let owner = &*self.jvm.classes[method.class].name;
        matches!(owner, "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle")
            && method.is(access::NATIVE | access::VARARGS)
            && method.descriptor.starts_with("([Ljava/lang/Object;)")
    }

    /// Calls the hook of a signature-polymorphic method: the site, then the receiver (if any) and the arguments.
    pub fn invoke_polymorphic(&mut self, func: FuncId, member: MemberRef<'_>, sig: &Sig) -> Step {
        let is_static = self.jvm.funcs[func].is_static();
        let args = self.arguments(sig, !is_static)?;
        if let (false, Some(receiver)) = (is_static, args.first()) {
            self.guard_nonnull(*receiver);
        }
        let class = self.jvm.funcs[func].class;
        let kind =
            SiteKind::Polymorphic { class, name: member.name.into(), descriptor: member.descriptor.into() };
        let hook = format!("{}.{}", self.jvm.classes[class].name, member.name);
        self.call_hook(&hook, kind, &args, sig.ret)
    }

    pub fn invoke_dynamic(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        let dynamic = file.pool.invoke_dynamic(cp)?;
        let sig = self.call_sig(dynamic.descriptor)?;
        let args = self.arguments(&sig, false)?;
        let site = indy::Call { class: self.class, func: self.func, pc: self.pc.into(), dynamic };
        match indy::link(self.jvm, &file, &site) {
            Ok(Some(func)) => self.call(Op::Call, func.0, &args, sig.ret),
            Ok(None) => self.call_hook("invokedynamic", SiteKind::Call(cp), &args, sig.ret),
            Err(error) => self.trap(&error),
        }
    }

    /// A dynamic constant: known bootstraps are a call, others are left to the hook.
    pub fn dynamic_constant(&mut self, cp: u16, ty: Type) -> Step {
        let file = self.file.clone();
        let dynamic = file.pool.dynamic(cp)?;
        let site = indy::Call { class: self.class, func: self.func, pc: self.pc.into(), dynamic };
        match indy::constant(self.jvm, &file, &site) {
            Ok(Some(func)) => self.call(Op::Call, func.0, &[], Some(ty)),
            Ok(None) => self.linked_constant(cp, ty),
            Err(error) => self.trap(&error),
        }
    }

    pub fn linked_constant(&mut self, cp: u16, ty: Type) -> Step {
        self.call_hook("ldc", SiteKind::Constant(cp), &[], Some(ty))
    }

    fn call_hook(&mut self, name: &str, kind: SiteKind, args: &[Reg], ret: Option<Type>) -> Step {
        let site = self.site(kind);
        let number = self.const_reg(Const::I32(site as i32));
        let mut all = vec![number];
        all.extend_from_slice(args);
        let params: Vec<Type> = all.iter().map(|reg| self.out.ty(*reg)).collect();
        let hook = self.jvm.hook(name, &params, ret);
        self.call(Op::Call, hook.0, &all, ret)
    }

    fn site(&mut self, kind: SiteKind) -> usize {
        // A constant is resolved once a class, however many instructions load it.
        let constant = matches!(kind, SiteKind::Constant(_));
        let known = |site: &Site| constant && site.class == self.class && site.kind == kind;
        if let Some(index) = self.jvm.sites.iter().position(known) {
            return index;
        }
        self.jvm.sites.push(Site { class: self.class, func: self.func, pc: self.pc.into(), kind });
        self.jvm.sites.len() - 1
    }
}
