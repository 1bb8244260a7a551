//! `jdk.internal.util.ArraysSupport.mismatch`, which `Arrays.equals` and `compare` stand on: one term for the index of
//! the first difference.

use super::system::decide_value;
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use ir::MemType;
use vm::{NativeResult, Val};

natives! {
    "jdk/internal/util/ArraysSupport" {
        "mismatch" "([Z[ZI)I" = symbolic mismatch;
        "mismatch" "([B[BI)I" = symbolic mismatch;
        "mismatch" "([C[CI)I" = symbolic mismatch;
        "mismatch" "([S[SI)I" = symbolic mismatch;
        "mismatch" "([I[II)I" = symbolic mismatch;
        "mismatch" "([J[JI)I" = symbolic mismatch;
    }
}

/// More elements than this are left to the decision on each.
const LONG: u32 = 1 << 12;

fn mismatch(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    non_null(arg(args, 0))?;
    non_null(arg(args, 1))?;
    let (a, b) = (vm.deref(arg(args, 0))?, vm.deref(arg(args, 1))?);
    let count = arg(args, 2);
    decide_value(vm, count)?;
    let count = count.bits as u32;
    let Some(ty) = elem_type(vm, a) else { return Err(throw_plain("java/lang/InternalError")) };
    if count > vm.heap.len(a).min(vm.heap.len(b)) {
        return Err(throw_plain("java/lang/ArrayIndexOutOfBoundsException"));
    }
    let differs = |vm: &Vmj, i: u32| vm.load_bits(a, i * ty.size(), ty) != vm.load_bits(b, i * ty.size(), ty);
    let first = (0..count).find(|i| differs(vm, *i));
    let result = first.map_or(-1, |i| i as i32);
    if !vm.heap.has_shadow(a) && !vm.heap.has_shadow(b) {
        return Ok(NativeResult::Return(Val::i32(result)));
    }
    // Beyond the limit only what this run looked at is known, so it is fixed.
    let last = if count > LONG { first.map_or(count, |i| i + 1) } else { count };
    let sort = if ty == MemType::I64 { term::Sort::Bv(64) } else { term::Sort::Bv(32) };
    let mut term = vm.pool.bv(32, u32::MAX as u64);
    for i in (0..last).rev() {
        let (x, y) = (vm.load(a, i * ty.size(), ty)?, vm.load(b, i * ty.size(), ty)?);
        if x.term.is_none() && y.term.is_none() && x.bits == y.bits {
            continue;
        }
        let (x, y) = (vm.term(x, sort), vm.term(y, sort));
        let (equal, here) = (vm.pool.eq(x, y), vm.pool.bv(32, i as u64));
        term = vm.pool.ite(equal, term, here);
    }
    let result = vm.val(result as u32 as u64, term);
    if last < count {
        decide_value(vm, result)?;
        return Ok(NativeResult::Return(Val::concrete(result.bits)));
    }
    Ok(NativeResult::Return(result))
}
