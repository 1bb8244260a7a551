//! Field access.

use ir::{ClassId, Op, Reg, Type};

use super::Refusal;
use super::method::{Lowering, Next, Step};
use crate::link::{LinkError, ResolvedField, reg_type, resolve_field};
use crate::load::FieldType;

/// A field, or the error that using it raises; and the type its descriptor says.
type Resolved = (Result<ResolvedField, LinkError>, Type);

impl Lowering<'_> {
    pub fn get_field(&mut self, cp: u16) -> Step {
        let (field, _) = self.field(cp, false)?;
        let object = self.pop_reg(Type::Ref)?;
        match field {
            Ok(field) => {
                self.guard_nonnull(object);
                let value =
                    self.out.value(field.ty.reg_type(), Op::load(field.ty), object.0, field.offset, 0);
                self.push_reg(value)
            }
            Err(error) => self.trap(&error),
        }
    }

    pub fn put_field(&mut self, cp: u16) -> Step {
        let (field, ty) = self.field(cp, false)?;
        let value = self.pop_reg(ty)?;
        let object = self.pop_reg(Type::Ref)?;
        match field {
            Ok(field) => {
                self.guard_nonnull(object);
                self.out.effect(Op::store(field.ty), object.0, field.offset, value.0);
                Ok(Next::On)
            }
            Err(error) => self.trap(&error),
        }
    }

    pub fn get_static(&mut self, cp: u16) -> Step {
        match self.field(cp, true)? {
            (Ok(field), _) => {
                let statics = self.statics(field.class);
                let value =
                    self.out.value(field.ty.reg_type(), Op::load(field.ty), statics.0, field.offset, 0);
                self.push_reg(value)
            }
            (Err(error), _) => self.trap(&error),
        }
    }

    pub fn put_static(&mut self, cp: u16) -> Step {
        let (field, ty) = self.field(cp, true)?;
        let value = self.pop_reg(ty)?;
        match field {
            Ok(field) => {
                let statics = self.statics(field.class);
                self.out.effect(Op::store(field.ty), statics.0, field.offset, value.0);
                Ok(Next::On)
            }
            Err(error) => self.trap(&error),
        }
    }

    /// The object with a class's static fields, once the class is initialised.
    fn statics(&mut self, class: ClassId) -> Reg {
        self.guard_init(class);
        if let Some(reg) = self.state.facts.statics(class) {
            return reg;
        }
        let reg = self.out.value(Type::Ref, Op::Statics, class.0, 0, 0);
        self.state.facts.add_statics(class, reg);
        reg
    }

    fn field(&mut self, cp: u16, wants_static: bool) -> Result<Resolved, Refusal> {
        let file = self.file.clone();
        let member = file.pool.field(cp)?;
        let Some(ty) = FieldType::parse(member.descriptor) else {
            return self.refuse("field has a wrong descriptor");
        };
        let resolved = self.jvm.class(member.class).and_then(|class| {
            let field = resolve_field(self.jvm, class, member.name, member.descriptor)?;
            if field.is_static != wants_static {
                let expected = if wants_static { "static" } else { "non-static" };
                let owner = self.jvm.classes[field.class].java_name();
                let message = format!("Expected {expected} field {owner}.{}", member.name);
                return Err(LinkError::new("java/lang/IncompatibleClassChangeError", message));
            }
            Ok(field)
        });
        Ok((resolved, reg_type(&ty)))
    }
}
