//! `java.lang.Float` and `Double`: bits.

use crate::natives::support::arg;
use crate::natives::{Res, Vmj, natives};
use ir::Op;
use term::Float;
use vm::Val;

natives! {
    "java/lang/Float" {
        "floatToRawIntBits" "(F)I" = symbolic to_bits_32;
        "intBitsToFloat" "(I)F" = symbolic from_bits_32;
    }
    "java/lang/Double" {
        "doubleToRawLongBits" "(D)J" = symbolic to_bits_64;
        "longBitsToDouble" "(J)D" = symbolic from_bits_64;
    }
}

fn to_bits_32(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    to_bits(vm, arg(args, 0), Op::F32Bits)
}

fn to_bits_64(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    to_bits(vm, arg(args, 0), Op::F64Bits)
}

fn to_bits(vm: &mut Vmj, val: Val, op: Op) -> Res<Val> {
    if val.term.is_none() {
        return Ok(val);
    }
    Ok(vm.float_bits(op, val)?)
}

fn from_bits_32(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    from_bits(vm, arg(args, 0), Float::F32)
}

fn from_bits_64(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    from_bits(vm, arg(args, 0), Float::F64)
}

fn from_bits(vm: &mut Vmj, val: Val, float: Float) -> Res<Val> {
    if val.term.is_none() {
        return Ok(val);
    }
    let term = vm.pool.fp_from_bits(float, val.term);
    Ok(vm.val(val.bits, term))
}
