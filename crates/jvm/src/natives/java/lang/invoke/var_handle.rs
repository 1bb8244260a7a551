//! Accesses through a `VarHandle`: each kind of handle has static methods named like the access modes; a call is a
//! call of that method.

use crate::link::SiteKind;
use crate::natives::support::*;
use crate::natives::{Res, Row, Vmj, native};
use crate::world::Jvm;
use ir::FuncId;
use vm::{NativeResult, ObjId, Val};

macro_rules! modes {
    ($($name:literal)*) => {
        pub(crate) const ROWS: &[Row] = &[$(
            Row { class: "java/lang/invoke/VarHandle", name: $name, descriptor: "", native: native!(symbolic access) },
        )*];
    };
}

modes! {
    "get" "set" "getVolatile" "setVolatile" "getOpaque" "setOpaque" "getAcquire" "setRelease"
    "compareAndSet" "compareAndExchange" "compareAndExchangeAcquire" "compareAndExchangeRelease"
    "weakCompareAndSetPlain" "weakCompareAndSet" "weakCompareAndSetAcquire" "weakCompareAndSetRelease"
    "getAndSet" "getAndSetAcquire" "getAndSetRelease" "getAndAdd" "getAndAddAcquire" "getAndAddRelease"
    "getAndBitwiseOr" "getAndBitwiseOrAcquire" "getAndBitwiseOrRelease"
    "getAndBitwiseAnd" "getAndBitwiseAndAcquire" "getAndBitwiseAndRelease"
    "getAndBitwiseXor" "getAndBitwiseXorAcquire" "getAndBitwiseXorRelease"
}

fn access(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let site = vm.lang.sites.get(arg(args, 0).bits as usize).map(|site| site.kind.clone());
    let Some(SiteKind::Polymorphic { name, descriptor, .. }) = site else {
        return Err(unsupported("var handle", "a call site without a descriptor"));
    };
    non_null(arg(args, 1))?;
    let handle = vm.deref(arg(args, 1))?;
    let Some(func) = accessor(vm, handle, &name) else {
        let class = &vm.lang.classes[vm.heap.class(handle)].name;
        return Err(unsupported("var handle", format!("{name} of a {class}")));
    };
    let rest = args.get(1..).unwrap_or_default();
    let params = vm.lang.funcs[func].signature.params.clone();
    let given = vm.lang.sig(&descriptor).map(|sig| sig.params.clone()).unwrap_or_default();
    if params.get(1..) != Some(&given) {
        return Err(unsupported("var handle", format!("conversion of arguments {descriptor}")));
    }
    Ok(NativeResult::Call(func, rest.to_vec()))
}

/// The static method of the handle's class, or of one above it, for an access mode.
fn accessor(vm: &Vmj, handle: ObjId, name: &str) -> Option<FuncId> {
    vm.lang.classes[vm.heap.class(handle)].ancestors.iter().rev().find_map(|class| {
        let owner = &vm.lang.classes[*class];
        if &*owner.name == "java/lang/invoke/VarHandle" {
            return None;
        }
        owner.functions().find(|func| {
            let func = &vm.lang.funcs[*func];
            func.is_static()
                && &*func.name == name
                // Before Java 12 they take their own class.
                && func.descriptor.starts_with("(Ljava/lang/invoke/VarHandle")
        })
    })
}
