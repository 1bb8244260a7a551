//! Conversions between what an interface method is called with and what the implementation takes: casts, boxing,
//! unboxing, widening, as `LambdaMetafactory` does them.

use ir::{Builder, ClassId, FuncId, Op, Reg, Type};

use crate::link::{Func, LinkError, reg_type};
use crate::load::FieldType;
use crate::world::Jvm;

/// Builds a function that converts and calls.
pub(super) struct Adapter<'j> {
    pub jvm: &'j mut Jvm,
    pub b: Builder,
}

impl Adapter<'_> {
    /// Converts a value of type `from` to `to`. References are seen as `seen` first, a type that the compiler knows
    /// better than the erased one.
    pub fn convert(
        &mut self,
        value: Reg,
        from: &FieldType,
        to: &FieldType,
        seen: &FieldType,
    ) -> Result<Reg, LinkError> {
        if from == to && from == seen {
            return Ok(value);
        }
        match (from.is_reference(), to.is_reference()) {
            (false, false) => Ok(self.widen(value, from, to)),
            (false, true) => match unboxed(to) {
                Some(primitive) => {
                    let widened = self.widen(value, from, &primitive);
                    self.boxed(widened, &primitive)
                }
                None => {
                    let object = self.boxed(value, from)?;
                    self.cast(object, &wrapper(from), to)?;
                    Ok(object)
                }
            },
            (true, _) => {
                let source = if seen.is_reference() { seen } else { from };
                self.cast(value, from, source)?;
                if to.is_reference() {
                    self.cast(value, source, to)?;
                    return Ok(value);
                }
                match unboxed(source) {
                    Some(primitive) => {
                        let plain = self.unbox(value, source, &primitive)?;
                        Ok(self.widen(plain, &primitive, to))
                    }
                    None => {
                        // Any number will do for a numeric type.
                        let through = match to {
                            FieldType::Boolean | FieldType::Char => wrapper(to),
                            _ => FieldType::Class("java/lang/Number".into()),
                        };
                        self.cast(value, source, &through)?;
                        self.unbox(value, &through, to)
                    }
                }
            }
        }
    }

    pub fn cast(&mut self, object: Reg, from: &FieldType, to: &FieldType) -> Result<(), LinkError> {
        if from == to || *to == FieldType::Class("java/lang/Object".into()) {
            return Ok(());
        }
        let class = self.jvm.class_of_type(to)?;
        self.b.effect(Op::GuardCast, object.0, class.0, 0);
        Ok(())
    }

    /// Widening between primitives. Types narrower than int are ints already.
    pub fn widen(&mut self, value: Reg, from: &FieldType, to: &FieldType) -> Reg {
        let op = match (reg_type(from), reg_type(to)) {
            (Type::I32, Type::I64) => Op::I32ToI64,
            (Type::I32, Type::F32) => Op::I32ToF32,
            (Type::I32, Type::F64) => Op::I32ToF64,
            (Type::I64, Type::F32) => Op::I64ToF32,
            (Type::I64, Type::F64) => Op::I64ToF64,
            (Type::F32, Type::F64) => Op::F32ToF64,
            _ => return value,
        };
        self.b.value(reg_type(to), op, value.0, 0, 0)
    }

    /// `Integer.valueOf(value)`.
    pub fn boxed(&mut self, value: Reg, ty: &FieldType) -> Result<Reg, LinkError> {
        let FieldType::Class(name) = wrapper(ty) else { return Ok(value) };
        let descriptor = format!("({ty})L{name};");
        self.call_static(&name, "valueOf", &descriptor, &[value], Some(Type::Ref))
            .map(|reg| reg.unwrap_or(value))
    }

    /// `object.intValue()`.
    pub fn unbox(&mut self, object: Reg, from: &FieldType, to: &FieldType) -> Result<Reg, LinkError> {
        let FieldType::Class(name) = from else { return Ok(object) };
        let method = match to {
            FieldType::Boolean => "booleanValue",
            FieldType::Byte => "byteValue",
            FieldType::Char => "charValue",
            FieldType::Short => "shortValue",
            FieldType::Int => "intValue",
            FieldType::Long => "longValue",
            FieldType::Float => "floatValue",
            FieldType::Double => "doubleValue",
            FieldType::Class(_) | FieldType::Array(_) => return Ok(object),
        };
        self.b.effect(Op::GuardNonNull, object.0, 0, 0);
        let class = self.jvm.class(name)?;
        let func = self.jvm.method(class, method, &format!("(){to}"))?;
        let result = self.call_instance(func, &[object], Some(reg_type(to)));
        Ok(result.unwrap_or(object))
    }

    /// Calls a static method of a class that is initialised first.
    pub fn call_static(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[Reg],
        ret: Option<Type>,
    ) -> Result<Option<Reg>, LinkError> {
        let class = self.jvm.class(class)?;
        let func = self.jvm.method(class, name, descriptor)?;
        self.init(self.jvm.funcs[func].class);
        Ok(self.emit_call(Op::Call, func.0, args, ret))
    }

    pub fn init(&mut self, class: ClassId) {
        if self.jvm.classes[class].needs_init {
            self.b.effect(Op::GuardInit, class.0, 0, 0);
        }
    }

    /// Calls an instance method on a receiver that is not null, as dispatch has it.
    pub fn call_instance(&mut self, func: FuncId, args: &[Reg], ret: Option<Type>) -> Option<Reg> {
        use crate::load::access::{FINAL, PRIVATE};
        let method = &self.jvm.funcs[func];
        let owner = &self.jvm.classes[method.class];
        let direct = method.access & (PRIVATE | FINAL) != 0 || owner.access & FINAL != 0;
        if direct {
            self.emit_call(Op::Call, func.0, args, ret)
        } else if owner.is_interface() {
            self.emit_call(Op::CallIface, func.0, args, ret)
        } else if method.slot != Func::NO_SLOT {
            let slot = method.slot;
            self.emit_call(Op::CallVirt, slot, args, ret)
        } else {
            self.emit_call(Op::Call, func.0, args, ret)
        }
    }

    pub fn emit_call(&mut self, op: Op, callee: u32, args: &[Reg], ret: Option<Type>) -> Option<Reg> {
        let list = self.b.list(args);
        match ret {
            Some(ty) => Some(self.b.value(ty, op, callee, list, 0)),
            None => {
                self.b.effect(op, callee, list, 0);
                None
            }
        }
    }

    pub fn text(&mut self, text: &[u16]) -> Reg {
        let string = self.jvm.string_id(text);
        self.b.str(string)
    }
}

/// `java/lang/Integer` for int; other types as they are.
pub(crate) fn wrapper(ty: &FieldType) -> FieldType {
    let name = match ty {
        FieldType::Boolean => "java/lang/Boolean",
        FieldType::Byte => "java/lang/Byte",
        FieldType::Char => "java/lang/Character",
        FieldType::Short => "java/lang/Short",
        FieldType::Int => "java/lang/Integer",
        FieldType::Long => "java/lang/Long",
        FieldType::Float => "java/lang/Float",
        FieldType::Double => "java/lang/Double",
        FieldType::Class(_) | FieldType::Array(_) => return ty.clone(),
    };
    FieldType::Class(name.into())
}

/// int for `java/lang/Integer`.
pub(super) fn unboxed(ty: &FieldType) -> Option<FieldType> {
    let FieldType::Class(name) = ty else { return None };
    Some(match &**name {
        "java/lang/Boolean" => FieldType::Boolean,
        "java/lang/Byte" => FieldType::Byte,
        "java/lang/Character" => FieldType::Char,
        "java/lang/Short" => FieldType::Short,
        "java/lang/Integer" => FieldType::Int,
        "java/lang/Long" => FieldType::Long,
        "java/lang/Float" => FieldType::Float,
        "java/lang/Double" => FieldType::Double,
        _ => return None,
    })
}
