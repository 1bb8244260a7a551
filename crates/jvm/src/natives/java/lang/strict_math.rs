//! `java.lang.StrictMath`.

use crate::natives::support::arg;
use crate::natives::{Res, Vmj, natives};
use vm::Val;

natives! {
    "java/lang/StrictMath" {
        "sqrt" "(D)D" = symbolic sqrt;
    }
    "java/lang/Math" {
        "sqrt" "(D)D" = symbolic sqrt;
    }
}

/// Correctly rounded, so both are the same.
fn sqrt(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let val = arg(args, 0);
    let bits = val.as_f64().sqrt().to_bits();
    if val.term.is_none() {
        return Ok(Val::concrete(bits));
    }
    let term = vm.pool.fpsqrt(val.term);
    Ok(vm.val(bits, term))
}
