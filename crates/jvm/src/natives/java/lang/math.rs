//! `Math`, `Integer.compare` and their kin as one term: a choice instead of a branch.

use super::text::{INT, truth};
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use term::{Sort, TermId};
use vm::{NativeResult, Val};

natives! {
    "java/lang/Math" {
        "abs" "(I)I" = symbolic abs_int;
        "abs" "(J)J" = symbolic abs_long;
        "abs" "(F)F" = symbolic abs_float;
        "abs" "(D)D" = symbolic abs_double;
        "min" "(II)I" = symbolic min_int;
        "max" "(II)I" = symbolic max_int;
        "min" "(JJ)J" = symbolic min_long;
        "max" "(JJ)J" = symbolic max_long;
        "floorMod" "(II)I" = symbolic floor_mod;
        "floorDiv" "(II)I" = symbolic floor_div;
    }
    "java/lang/Integer" {
        "compare" "(II)I" = symbolic compare_int;
        "signum" "(I)I" = symbolic signum;
    }
    "java/lang/Long" {
        "compare" "(JJ)I" = symbolic compare_long;
    }
    "java/lang/Double" {
        "isNaN" "(D)Z" = symbolic is_nan;
        "isInfinite" "(D)Z" = symbolic is_infinite;
    }
    "java/lang/Float" {
        "isNaN" "(F)Z" = symbolic is_nan_float;
        "isInfinite" "(F)Z" = symbolic is_infinite_float;
    }
}

const LONG: Sort = Sort::Bv(64);

/// Both as terms, if either is symbolic.
fn terms(vm: &mut Vmj, args: &[Val], sort: Sort) -> Option<(TermId, TermId)> {
    let (a, b) = (arg(args, 0), arg(args, 1));
    (a.term.is_some() || b.term.is_some()).then(|| (vm.term(a, sort), vm.term(b, sort)))
}

/// The first if the condition holds, else the second.
fn choose(vm: &mut Vmj, bits: u64, condition: TermId, then: TermId, other: TermId) -> Val {
    let term = vm.pool.ite(condition, then, other);
    vm.val(bits, term)
}

fn abs_of(vm: &mut Vmj, val: Val, bits: u64, sort: Sort) -> Val {
    if val.term.is_none() {
        return Val::concrete(bits);
    }
    let zero = vm.pool.constant(sort, 0);
    let negative = vm.pool.slt(val.term, zero);
    let negated = vm.pool.bvneg(val.term);
    choose(vm, bits, negative, negated, val.term)
}

fn abs_int(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let val = arg(args, 0);
    Ok(abs_of(vm, val, val.as_i32().wrapping_abs() as u32 as u64, INT))
}

fn abs_long(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let val = arg(args, 0);
    Ok(abs_of(vm, val, val.as_i64().wrapping_abs() as u64, LONG))
}

fn abs_float(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    abs_fp(vm, arg(args, 0), arg(args, 0).bits & 0x7fff_ffff)
}

fn abs_double(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    abs_fp(vm, arg(args, 0), arg(args, 0).bits & !(1 << 63))
}

fn abs_fp(vm: &mut Vmj, val: Val, bits: u64) -> Res<Val> {
    if val.term.is_none() {
        return Ok(Val::concrete(bits));
    }
    let term = vm.pool.fpabs(val.term);
    Ok(vm.val(bits, term))
}

/// The smaller or the greater of two signed integers.
fn extreme(vm: &mut Vmj, args: &[Val], bits: u64, sort: Sort, smaller: bool) -> Res<Val> {
    let Some((a, b)) = terms(vm, args, sort) else { return Ok(Val::concrete(bits)) };
    let first = vm.pool.sle(a, b);
    let (then, other) = if smaller { (a, b) } else { (b, a) };
    Ok(choose(vm, bits, first, then, other))
}

fn min_int(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let bits = arg(args, 0).as_i32().min(arg(args, 1).as_i32()) as u32 as u64;
    extreme(vm, args, bits, INT, true)
}

fn max_int(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let bits = arg(args, 0).as_i32().max(arg(args, 1).as_i32()) as u32 as u64;
    extreme(vm, args, bits, INT, false)
}

fn min_long(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let bits = arg(args, 0).as_i64().min(arg(args, 1).as_i64()) as u64;
    extreme(vm, args, bits, LONG, true)
}

fn max_long(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let bits = arg(args, 0).as_i64().max(arg(args, 1).as_i64()) as u64;
    extreme(vm, args, bits, LONG, false)
}

/// A divisor that is no plain number, or zero, is the body's business.
fn divisor(args: &[Val]) -> Option<i32> {
    let divisor = arg(args, 1);
    (divisor.term.is_none() && divisor.as_i32() != 0).then(|| divisor.as_i32())
}

fn body(vm: &mut Vmj, name: &str, args: &[Val]) -> Res<NativeResult<Jvm>> {
    own_body(vm, ("java/lang/Math", name, "(II)I"), args)
}

fn floor_mod(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let Some(by) = divisor(args) else { return body(vm, "floorMod", args) };
    let rest = arg(args, 0).as_i32().wrapping_rem(by);
    let result = if rest != 0 && (rest ^ by) < 0 { rest + by } else { rest };
    let Some((x, y)) = terms(vm, args, INT) else { return Ok(NativeResult::Return(Val::i32(result))) };
    let (rest, off) = off_floor(vm, x, y);
    let moved = vm.pool.bvadd(rest, y);
    Ok(NativeResult::Return(choose(vm, result as u32 as u64, off, moved, rest)))
}

fn floor_div(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let Some(by) = divisor(args) else { return body(vm, "floorDiv", args) };
    let x = arg(args, 0).as_i32();
    let (quotient, rest) = (x.wrapping_div(by), x.wrapping_rem(by));
    let result = if rest != 0 && (rest ^ by) < 0 { quotient - 1 } else { quotient };
    let Some((x, y)) = terms(vm, args, INT) else { return Ok(NativeResult::Return(Val::i32(result))) };
    let (_, off) = off_floor(vm, x, y);
    let (quotient, one) = (vm.pool.bvsdiv(x, y), vm.pool.bv(32, 1));
    let moved = vm.pool.bvsub(quotient, one);
    Ok(NativeResult::Return(choose(vm, result as u32 as u64, off, moved, quotient)))
}

/// The remainder, and whether truncation and flooring differ.
fn off_floor(vm: &mut Vmj, x: TermId, y: TermId) -> (TermId, TermId) {
    let rest = vm.pool.bvsrem(x, y);
    let zero = vm.pool.bv(32, 0);
    let signs = vm.pool.bvxor(rest, y);
    let (differ, some) = (vm.pool.slt(signs, zero), vm.pool.ne(rest, zero));
    let off = vm.pool.and(differ, some);
    (rest, off)
}

fn compare(vm: &mut Vmj, args: &[Val], result: std::cmp::Ordering, sort: Sort) -> Res<Val> {
    let bits = result as i32 as u32 as u64;
    let Some((a, b)) = terms(vm, args, sort) else { return Ok(Val::concrete(bits)) };
    let (less, equal) = (vm.pool.slt(a, b), vm.pool.eq(a, b));
    let (minus, zero, one) = (vm.pool.bv(32, u32::MAX as u64), vm.pool.bv(32, 0), vm.pool.bv(32, 1));
    let rest = vm.pool.ite(equal, zero, one);
    Ok(choose(vm, bits, less, minus, rest))
}

fn compare_int(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    compare(vm, args, arg(args, 0).as_i32().cmp(&arg(args, 1).as_i32()), INT)
}

fn compare_long(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    compare(vm, args, arg(args, 0).as_i64().cmp(&arg(args, 1).as_i64()), LONG)
}

fn signum(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    compare_int(vm, &[arg(args, 0), Val::ZERO])
}

/// A property of a float, as a truth value.
fn property(vm: &mut Vmj, val: Val, holds: bool, term: fn(&mut term::Pool, TermId) -> TermId) -> Res<Val> {
    if val.term.is_none() {
        return Ok(Val::bool(holds));
    }
    let condition = term(&mut vm.pool, val.term);
    Ok(truth(vm, holds, condition))
}

fn is_nan(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    property(vm, arg(args, 0), arg(args, 0).as_f64().is_nan(), term::Pool::fpisnan)
}

fn is_nan_float(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    property(vm, arg(args, 0), arg(args, 0).as_f32().is_nan(), term::Pool::fpisnan)
}

fn is_infinite(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    property(vm, arg(args, 0), arg(args, 0).as_f64().is_infinite(), term::Pool::fpisinf)
}

fn is_infinite_float(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    property(vm, arg(args, 0), arg(args, 0).as_f32().is_infinite(), term::Pool::fpisinf)
}
