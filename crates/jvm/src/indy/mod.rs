//! `invokedynamic` and dynamic constants whose bootstraps are known by name become plain IR.
//!
//! A call site becomes a call of a made-up function that takes what the site takes. What is not known here is left to
//! natives (see `lower::dynamic`).

mod adapt;
mod concat;
mod condy;
mod lambda;
mod record;
mod switch;

pub(crate) use adapt::wrapper;
pub(crate) use switch::enum_description;

use ir::{BranchInfo, ClassId, FuncId, Origin};

use crate::link::LinkError;
use crate::load::{ClassFile, Dynamic, MethodHandle};
use crate::world::Jvm;

/// A call site or dynamic constant.
pub(crate) struct Call<'a> {
    /// The class whose code it is in.
    pub class: ClassId,
    pub func: FuncId,
    pub pc: u32,
    pub dynamic: Dynamic<'a>,
}

/// A call site with its bootstrap: the class file it is in, and the pool indices of the static arguments.
struct Bootstrapped<'a> {
    call: &'a Call<'a>,
    file: &'a ClassFile,
    handle: MethodHandle<'a>,
    args: &'a [u16],
}

/// What linking a site gives: a function, or nothing if the bootstrap or its arguments are not known here.
type Linked = Result<Option<FuncId>, LinkError>;

/// The function that a call site calls.
pub(crate) fn link(jvm: &mut Jvm, file: &ClassFile, call: &Call<'_>) -> Linked {
    let Some(site) = bootstrapped(file, call) else { return Ok(None) };
    match (site.handle.member.class, site.handle.member.name) {
        ("java/lang/invoke/LambdaMetafactory", "metafactory") => lambda::link(jvm, &site, false),
        ("java/lang/invoke/LambdaMetafactory", "altMetafactory") => lambda::link(jvm, &site, true),
        ("java/lang/invoke/StringConcatFactory", "makeConcat") => concat::link(jvm, &site, false),
        ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants") => concat::link(jvm, &site, true),
        ("java/lang/runtime/ObjectMethods", "bootstrap") => record::link(jvm, &site),
        ("java/lang/runtime/SwitchBootstraps", "typeSwitch") => switch::link(jvm, &site, false),
        ("java/lang/runtime/SwitchBootstraps", "enumSwitch") => switch::link(jvm, &site, true),
        _ => Ok(None),
    }
}

/// A function without parameters that returns a dynamic constant.
pub(crate) fn constant(jvm: &mut Jvm, file: &ClassFile, call: &Call<'_>) -> Linked {
    let Some(site) = bootstrapped(file, call) else { return Ok(None) };
    match site.handle.member.class {
        "java/lang/invoke/ConstantBootstraps" => condy::link(jvm, &site),
        _ => Ok(None),
    }
}

fn bootstrapped<'a>(file: &'a ClassFile, call: &'a Call<'a>) -> Option<Bootstrapped<'a>> {
    let method = file.bootstrap_methods.get(usize::from(call.dynamic.bootstrap))?;
    let handle = file.pool.method_handle(method.handle).ok()?;
    Some(Bootstrapped { call, file, handle, args: &method.args })
}

/// No branch in made-up code is of the source.
fn synthetic() -> BranchInfo {
    BranchInfo { origin: Origin::Synthetic, decision: 0, condition: 0, far: false }
}
