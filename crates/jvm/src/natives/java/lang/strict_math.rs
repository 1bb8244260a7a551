//! `java.lang.StrictMath`: what is native before Java 21. Later JDKs have these in Java.

use super::fdlibm;
use crate::natives::support::arg;
use crate::natives::{Res, Vmj, natives};
use vm::Val;

natives! {
    "java/lang/StrictMath" {
        "sqrt" "(D)D" = symbolic sqrt;
        "sin" "(D)D" = sin;
        "cos" "(D)D" = cos;
        "tan" "(D)D" = tan;
        "asin" "(D)D" = asin;
        "acos" "(D)D" = acos;
        "atan" "(D)D" = atan;
        "log" "(D)D" = log;
        "log10" "(D)D" = log10;
        "log1p" "(D)D" = log1p;
        "expm1" "(D)D" = expm1;
        "sinh" "(D)D" = sinh;
        "cosh" "(D)D" = cosh;
        "tanh" "(D)D" = tanh;
        "atan2" "(DD)D" = atan2;
        "IEEEremainder" "(DD)D" = remainder;
    }
    "java/lang/Math" {
        "sqrt" "(D)D" = symbolic sqrt;
        "fma" "(DDD)D" = fma;
        "fma" "(FFF)F" = fma_f32;
    }
}

/// The JDK's own body goes through `BigDecimal`, for millions of steps.
fn fma(_: &mut Vmj, args: &[Val]) -> Res<f64> {
    Ok(arg(args, 0).as_f64().mul_add(arg(args, 1).as_f64(), arg(args, 2).as_f64()))
}

fn fma_f32(_: &mut Vmj, args: &[Val]) -> Res<Val> {
    Ok(Val::f32(arg(args, 0).as_f32().mul_add(arg(args, 1).as_f32(), arg(args, 2).as_f32())))
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

macro_rules! unary {
    ($($name:ident)*) => {
        $(fn $name(_: &mut Vmj, args: &[Val]) -> Res<f64> {
            Ok(fdlibm::$name(arg(args, 0).as_f64()))
        })*
    };
}

unary! { sin cos tan asin acos atan log log10 log1p expm1 sinh cosh tanh }

fn atan2(_: &mut Vmj, args: &[Val]) -> Res<f64> {
    Ok(fdlibm::atan2(arg(args, 0).as_f64(), arg(args, 1).as_f64()))
}

fn remainder(_: &mut Vmj, args: &[Val]) -> Res<f64> {
    Ok(fdlibm::remainder(arg(args, 0).as_f64(), arg(args, 1).as_f64()))
}
