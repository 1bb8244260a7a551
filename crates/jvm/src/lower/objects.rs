//! Objects: creation, casts, type tests, monitors.

use ir::{ClassId, Op, Origin, Type};

use super::method::{Lowering, Next, Step};
use super::state::{Const, Entry};
use crate::link::LinkError;
use crate::load::access;

impl Lowering<'_> {
    pub fn new_object(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        let class = match self.jvm.class(file.pool.class(cp)?) {
            Ok(class) => class,
            Err(error) => return self.trap(&error),
        };
        let target = &self.jvm.classes[class];
        if target.access & (access::ABSTRACT | access::INTERFACE) != 0 || target.is_array() {
            let error = LinkError::new("java/lang/InstantiationError", target.java_name());
            return self.trap(&error);
        }
        self.guard_init(class);
        let object = self.out.value(Type::Ref, Op::New, class.0, 0, 0);
        self.state.facts.add_nonnull(object);
        self.push_reg(object)
    }

    pub fn check_cast(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        let class = self.jvm.class(file.pool.class(cp)?);
        let entry = self.pop_entry(Type::Ref)?;
        match class {
            Ok(class) => {
                self.cast(entry, class);
                self.push(entry)
            }
            // Null has every type, also one that is missing.
            Err(error) => {
                self.only_null(entry, &error)?;
                self.push(entry)
            }
        }
    }

    fn cast(&mut self, entry: Entry, class: ClassId) {
        if entry != Entry::Const(Const::Null) && class != self.jvm.known.object {
            let object = self.reg_of(entry);
            self.out.effect(Op::GuardCast, object.0, class.0, 0);
        }
    }

    /// Goes on if the reference is null; otherwise raises the error.
    fn only_null(&mut self, entry: Entry, error: &LinkError) -> Step {
        let object = self.reg_of(entry);
        let (null, other) = (self.inner_block(), self.inner_block());
        let is_null = self.out.value(Type::I1, Op::IsNull, object.0, 0, 0);
        self.out.br(is_null, null, other, Origin::Synthetic);
        self.out.switch_to(other);
        self.trap(error)?;
        self.out.switch_to(null);
        Ok(Next::On)
    }

    pub fn instance_of(&mut self, cp: u16) -> Step {
        let file = self.file.clone();
        let class = self.jvm.class(file.pool.class(cp)?);
        let entry = self.pop_entry(Type::Ref)?;
        match class {
            Ok(class) => {
                let object = self.reg_of(entry);
                let truth = self.out.value(Type::I1, Op::InstanceOf, object.0, class.0, 0);
                self.push(Entry::Truth(truth))
            }
            Err(error) => {
                self.only_null(entry, &error)?;
                self.push_const(Const::I32(0))
            }
        }
    }

    pub fn monitor(&mut self, op: Op) -> Step {
        let object = self.pop_reg(Type::Ref)?;
        self.guard_nonnull(object);
        self.out.effect(op, object.0, 0, 0);
        Ok(Next::On)
    }
}
