//! `Unsafe`: memory outside the heap, as byte arrays of the heap behind made-up addresses, and bulk operations.

use super::unsafe_access::{Place, resolve};
use crate::natives::support::*;
use crate::natives::{Res, Saved, Vmj, natives};
use ir::MemType;
use std::collections::BTreeMap;
use vm::{ObjId, Val};

/// Blocks by address.
#[derive(Clone, Default)]
pub(super) struct Arena {
    blocks: BTreeMap<u64, u32>,
    used: u64,
}

/// The first address handed out.
const BASE: u64 = 0x10_0000;
const ALIGN: u64 = 16;

natives! {
    "jdk/internal/misc/Unsafe" {
        "allocateMemory0" "(J)J" = allocate_memory;
        "reallocateMemory0" "(JJ)J" = reallocate_memory;
        "freeMemory0" "(J)V" = free_memory;
        "setMemory0" "(Ljava/lang/Object;JJB)V" = symbolic set_memory;
        "copyMemory0" "(Ljava/lang/Object;JLjava/lang/Object;JJ)V" = symbolic copy_memory;
        "copySwapMemory0" "(Ljava/lang/Object;JLjava/lang/Object;JJJ)V" = copy_swap_memory;
        "getLoadAverage0" "([DI)I" = load_average;
    }
    "sun/misc/Unsafe" {
        "allocateMemory" "(J)J" = allocate_memory;
        "reallocateMemory" "(JJ)J" = reallocate_memory;
        "freeMemory" "(J)V" = free_memory;
        "setMemory" "(Ljava/lang/Object;JJB)V" = symbolic set_memory;
        "copyMemory" "(Ljava/lang/Object;JLjava/lang/Object;JJ)V" = symbolic copy_memory;
    }
}

/// A zeroed block of memory; its address.
pub(crate) fn allocate(vm: &mut Vmj, size: i64) -> Res<i64> {
    let Ok(size) = u32::try_from(size) else { return Ok(0) };
    let block = vm.new_array(vm.lang.known.byte_array, size)?;
    let arena = vm.lang.state::<Saved<Arena>>();
    let address = BASE + arena.used;
    arena.used += (size as u64 + 1).next_multiple_of(ALIGN);
    arena.blocks.insert(address, block.0);
    Ok(address as i64)
}

/// The block that holds an address, and the offset in it.
pub(crate) fn block_at(vm: &mut Vmj, address: u64) -> Option<(ObjId, u64)> {
    let arena = vm.lang.state::<Saved<Arena>>();
    let (start, block) = arena.blocks.range(..=address).next_back()?;
    Some((ObjId(*block), address - start))
}

fn allocate_memory(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    allocate(vm, arg(args, 1).as_i64())
}

fn reallocate_memory(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let (old, size) = (arg(args, 1).bits, arg(args, 2).as_i64());
    let new = allocate(vm, size)?;
    let (from, to) = (block_at(vm, old), block_at(vm, new as u64));
    if let (Some((from, 0)), Some((to, 0))) = (from, to) {
        let count = vm.heap.len(from).min(vm.heap.len(to));
        vm.copy_elems(from, 0, to, 0, count, MemType::I8)?;
    }
    vm.lang.state::<Saved<Arena>>().blocks.remove(&old);
    Ok(new)
}

fn free_memory(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    vm.lang.state::<Saved<Arena>>().blocks.remove(&arg(args, 1).bits);
    Ok(())
}

fn set_memory(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let count = fix(vm, arg(args, 3))?;
    if count == 0 {
        return Ok(());
    }
    let Place { object, offset } = resolve(vm, arg(args, 1), arg(args, 2), count)?;
    for i in 0..count {
        vm.store(object, offset + i as u32, MemType::I8, arg(args, 4))?;
    }
    Ok(())
}

fn fix(vm: &mut Vmj, val: Val) -> Res<u64> {
    crate::natives::java::lang::decide_value(vm, val)?;
    Ok(val.bits)
}

fn copy_memory(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let count = fix(vm, arg(args, 5))?;
    // Of nothing, addresses do not matter.
    if count == 0 {
        return Ok(());
    }
    let from = resolve(vm, arg(args, 1), arg(args, 2), count)?;
    let to = resolve(vm, arg(args, 3), arg(args, 4), count)?;
    if !vm.heap.has_shadow(from.object) && !vm.heap.has_shadow(to.object) {
        vm.heap.copy_bytes(from.object, from.offset, to.object, to.offset, count as u32);
        return Ok(());
    }
    let bytes = (0..count as u32)
        .map(|i| vm.load(from.object, from.offset + i, MemType::I8))
        .collect::<Result<Vec<Val>, _>>()?;
    for (i, byte) in bytes.into_iter().enumerate() {
        vm.store(to.object, to.offset + i as u32, MemType::I8, byte)?;
    }
    Ok(())
}

fn copy_swap_memory(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let (count, elem) = (arg(args, 5).bits, arg(args, 6).bits.clamp(1, 8) as usize);
    let from = resolve(vm, arg(args, 1), arg(args, 2), count)?;
    let to = resolve(vm, arg(args, 3), arg(args, 4), count)?;
    fix_array(vm, from.object, "bytes that are swapped")?;
    let start = from.offset as usize;
    let mut bytes = vm.heap.bytes(from.object)[start..start + count as usize].to_vec();
    bytes.chunks_exact_mut(elem).for_each(<[u8]>::reverse);
    for (i, byte) in bytes.into_iter().enumerate() {
        vm.store(to.object, to.offset + i as u32, MemType::I8, Val::i32(byte as i8 as i32))?;
    }
    Ok(())
}

fn load_average(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(-1)
}
