//! Dynamic constants of `java.lang.invoke.ConstantBootstraps` that need no method handles.

use ir::{Builder, Op, Type};

use super::adapt::Adapter;
use super::{Bootstrapped, Linked};
use crate::link::{reg_type, resolve_field};
use crate::load::{Constant, FieldType};
use crate::world::Jvm;

pub(super) fn link(jvm: &mut Jvm, site: &Bootstrapped<'_>) -> Linked {
    let dynamic = site.call.dynamic;
    let Some(ty) = FieldType::parse(dynamic.descriptor) else { return Ok(None) };
    let tag = jvm.tag(site.call.class);
    let label = format!("constant {}@{}{tag}", jvm.func_name(site.call.func), site.call.pc);
    let mut adapter = Adapter { jvm, b: Builder::new(label.clone(), &[], Some(reg_type(&ty))) };
    match site.handle.member.name {
        "nullConstant" if ty.is_reference() => {
            let null = adapter.b.null();
            adapter.b.ret(Some(null));
        }
        "primitiveClass" => {
            let class = match dynamic.name {
                "V" => adapter.jvm.known.void(),
                letter => match FieldType::parse(letter).and_then(|ty| adapter.jvm.known.primitive(&ty)) {
                    Some(class) => class,
                    None => return Ok(None),
                },
            };
            let mirror = adapter.b.value(Type::Ref, Op::ClassRef, class.0, 0, 0);
            adapter.b.ret(Some(mirror));
        }
        // The owner is the type itself, or for `getStaticFinal` an argument.
        "enumConstant" | "getStaticFinal" => {
            let owner = match site.args.first().map(|cp| site.file.pool.get(*cp)) {
                Some(Ok(Constant::Class(name))) => name.to_string(),
                Some(_) => return Ok(None),
                None => ty.class_constant(),
            };
            let class = adapter.jvm.class(&owner)?;
            let field = resolve_field(adapter.jvm, class, dynamic.name, dynamic.descriptor)?;
            if !field.is_static {
                return Ok(None);
            }
            adapter.init(field.class);
            let statics = adapter.b.value(Type::Ref, Op::Statics, field.class.0, 0, 0);
            let value = adapter.b.value(field.ty.reg_type(), Op::load(field.ty), statics.0, field.offset, 0);
            adapter.b.ret(Some(value));
        }
        _ => return Ok(None),
    }
    let function = adapter.b.finish();
    Ok(Some(jvm.make_func(&label, |_| function)))
}
