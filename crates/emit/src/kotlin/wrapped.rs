//! Objects of value classes: the JVM sees what they wrap, the source sees the objects.

use suite::case::{Call, Type, Value};

use super::Wrapped;
use super::expr::Scope;
use super::names::quoted;
use crate::doc::Doc;

impl Scope<'_, '_> {
    /// An argument that may be an object of a value class.
    pub fn argument(&mut self, value: &Value, wrapped: Option<&Option<Wrapped>>) -> Doc {
        match wrapped {
            Some(Some(wrapped)) => self.wrapped(value, wrapped),
            _ => self.expr(value),
        }
    }

    /// The object that wraps a value: `Cents(5L)`.
    pub fn wrapped(&mut self, value: &Value, as_a: &Wrapped) -> Doc {
        if *value == Value::Null && as_a.may_be_null {
            return Doc::text("null");
        }
        if *value == Value::Null && !as_a.wraps_null {
            return self.refuse("null in a value class that holds none");
        }
        if as_a.is_unsigned {
            return self.unsigned(value, as_a);
        }
        // What wraps what was taken out of such an object is the object.
        if let Value::Call(call) = value
            && let Some(member) = self.facts.member(call)
            && member.returns_value.as_ref().is_some_and(|returned| {
                returned.class == as_a.class && (as_a.may_be_null || !returned.may_be_null)
            })
        {
            return self.call_alone(call);
        }
        let class = self.names.class(&as_a.class);
        let value = self.expr(value);
        Doc::call(class, vec![value])
    }

    /// The same in front of a dot.
    pub fn wrapped_receiver(&mut self, value: &Value, as_a: &Wrapped) -> Doc {
        match value {
            Value::Null if as_a.may_be_null => Doc::text("null"),
            value => self.wrapped(value, as_a),
        }
    }

    /// The numbers of Java are signed: `255u`, `x.toUInt()`.
    fn unsigned(&mut self, value: &Value, as_a: &Wrapped) -> Doc {
        match value {
            Value::Int(value) => Doc::text(format!("{}u", *value as u32)),
            Value::Long(value) => Doc::text(format!("{}uL", *value as u64)),
            Value::Byte(value) => Doc::text(format!("{}.toUByte()", *value as u8)),
            Value::Short(value) => Doc::text(format!("{}.toUShort()", *value as u16)),
            value => {
                let value = self.receiver(value);
                Doc::cat([value, Doc::text(format!(".to{}()", as_a.class.simple_name()))])
            }
        }
    }

    /// What the JVM sees of the result of a call: `price.half().amount`.
    pub fn unwrapped(&mut self, call: &Call, doc: Doc) -> Doc {
        let member = self.facts.member(call);
        let Some(returned) = member.and_then(|member| member.returns_value) else { return doc };
        let dot = if returned.may_be_null { "?." } else { "." };
        let seen = match (returned.is_unsigned, &call.returns, &returned.property) {
            (true, Type::Byte, _) => "toByte()".to_owned(),
            (true, Type::Short, _) => "toShort()".to_owned(),
            (true, Type::Int, _) => "toInt()".to_owned(),
            (true, ..) => "toLong()".to_owned(),
            (false, _, Some(property)) => quoted(property),
            (false, _, None) => return self.refuse("what an object of a value class wraps does not show"),
        };
        Doc::cat([doc, Doc::text(format!("{dot}{seen}"))])
    }
}
