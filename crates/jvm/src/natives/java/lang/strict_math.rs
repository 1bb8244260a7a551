//! `java.lang.StrictMath`, where `Math` ends up too. Later JDKs have some of these in Java; as terms they can be solved.

use crate::natives::support::arg;
use crate::natives::{Res, Vmj, natives};
use term::{Fun, Fun2, Sort, TermId};
use vm::Val;

natives! {
    "java/lang/StrictMath" {
        "sqrt" "(D)D" = symbolic sqrt;
        "sin" "(D)D" = symbolic sin;
        "cos" "(D)D" = symbolic cos;
        "tan" "(D)D" = symbolic tan;
        "asin" "(D)D" = symbolic asin;
        "acos" "(D)D" = symbolic acos;
        "atan" "(D)D" = symbolic atan;
        "log" "(D)D" = symbolic log;
        "log10" "(D)D" = symbolic log10;
        "log1p" "(D)D" = symbolic log1p;
        "exp" "(D)D" = symbolic exp;
        "expm1" "(D)D" = symbolic expm1;
        "sinh" "(D)D" = symbolic sinh;
        "cosh" "(D)D" = symbolic cosh;
        "tanh" "(D)D" = symbolic tanh;
        "cbrt" "(D)D" = symbolic cbrt;
        "atan2" "(DD)D" = symbolic atan2;
        "pow" "(DD)D" = symbolic pow;
        "hypot" "(DD)D" = symbolic hypot;
        "IEEEremainder" "(DD)D" = symbolic remainder;
        "floor" "(D)D" = symbolic floor;
        "ceil" "(D)D" = symbolic ceil;
        "rint" "(D)D" = symbolic rint;
    }
    "java/lang/Math" {
        "sqrt" "(D)D" = symbolic sqrt;
        "round" "(D)J" = symbolic round;
        "round" "(F)I" = symbolic round_f32;
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

/// A double made of one.
fn unary(
    vm: &mut Vmj,
    args: &[Val],
    bits: f64,
    term: impl Fn(&mut term::Pool, TermId) -> TermId,
) -> Res<Val> {
    let val = arg(args, 0);
    if val.term.is_none() {
        return Ok(Val::concrete(bits.to_bits()));
    }
    let term = term(&mut vm.pool, val.term);
    Ok(vm.val(bits.to_bits(), term))
}

/// Correctly rounded, so `Math`'s and `StrictMath`'s are the same.
fn sqrt(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    unary(vm, args, arg(args, 0).as_f64().sqrt(), term::Pool::fpsqrt)
}

fn floor(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    unary(vm, args, arg(args, 0).as_f64().floor(), term::Pool::fpfloor)
}

fn ceil(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    unary(vm, args, arg(args, 0).as_f64().ceil(), term::Pool::fpceil)
}

fn rint(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    unary(vm, args, arg(args, 0).as_f64().round_ties_even(), term::Pool::fprint)
}

macro_rules! functions {
    ($($name:ident = $fun:expr;)*) => {
        $(fn $name(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
            unary(vm, args, $fun.of()(arg(args, 0).as_f64()), |pool, t| pool.fp_fun($fun, t))
        })*
    };
}

functions! {
    sin = Fun::Sin;
    cos = Fun::Cos;
    tan = Fun::Tan;
    asin = Fun::Asin;
    acos = Fun::Acos;
    atan = Fun::Atan;
    log = Fun::Log;
    log10 = Fun::Log10;
    log1p = Fun::Log1p;
    exp = Fun::Exp;
    expm1 = Fun::Expm1;
    sinh = Fun::Sinh;
    cosh = Fun::Cosh;
    tanh = Fun::Tanh;
    cbrt = Fun::Cbrt;
}

fn binary(vm: &mut Vmj, args: &[Val], fun: Fun2) -> Res<Val> {
    let (a, b) = (arg(args, 0), arg(args, 1));
    let bits = fun.of()(a.as_f64(), b.as_f64()).to_bits();
    if a.term.is_none() && b.term.is_none() {
        return Ok(Val::concrete(bits));
    }
    let (a, b) = (vm.term(a, Sort::F64), vm.term(b, Sort::F64));
    let term = vm.pool.fp_fun2(fun, a, b);
    Ok(vm.val(bits, term))
}

fn atan2(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    binary(vm, args, Fun2::Atan2)
}

fn pow(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    binary(vm, args, Fun2::Pow)
}

fn hypot(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    binary(vm, args, Fun2::Hypot)
}

fn remainder(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    binary(vm, args, Fun2::Remainder)
}

/// To the nearest whole number, ties upward: one more than the floor if the rest is at least a half. The rest is
/// exact where that matters; from NaN comes 0.
fn rounded(vm: &mut Vmj, value: TermId, half: TermId, one: TermId, width: u32) -> TermId {
    let floor = vm.pool.fpfloor(value);
    let (rest, next) = (vm.pool.fpsub(value, floor), vm.pool.fpadd(floor, one));
    let up = vm.pool.fple(half, rest);
    let result = vm.pool.ite(up, next, floor);
    vm.pool.fp_to_sbv_sat(width, result)
}

fn round(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let (val, x) = (arg(args, 0), arg(args, 0).as_f64());
    let bits = if x - x.floor() >= 0.5 { x.floor() + 1.0 } else { x.floor() } as i64 as u64;
    if val.term.is_none() {
        return Ok(Val::concrete(bits));
    }
    let (half, one) = (vm.pool.f64(0.5f64.to_bits()), vm.pool.f64(1f64.to_bits()));
    let term = rounded(vm, val.term, half, one, 64);
    Ok(vm.val(bits, term))
}

fn round_f32(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let (val, x) = (arg(args, 0), arg(args, 0).as_f32());
    let result = if x - x.floor() >= 0.5 { x.floor() + 1.0 } else { x.floor() } as i32;
    if val.term.is_none() {
        return Ok(Val::i32(result));
    }
    let (half, one) = (vm.pool.f32(0.5f32.to_bits()), vm.pool.f32(1f32.to_bits()));
    let term = rounded(vm, val.term, half, one, 32);
    Ok(vm.val(result as u32 as u64, term))
}
