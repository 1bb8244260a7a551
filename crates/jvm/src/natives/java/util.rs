//! `java.util`: time zones, checksums, atomics.

use crate::natives::support::*;
use crate::natives::{Res, Row, Vmj, natives};
use vm::{ObjId, Val};

natives! {
    "java/util/concurrent/atomic/AtomicLong" {
        "VMSupportsCS8" "()Z" = yes;
    }
    "java/util/TimeZone" {
        "getSystemTimeZoneID" "(Ljava/lang/String;)Ljava/lang/String;" = time_zone;
        "getSystemGMTOffsetID" "()Ljava/lang/String;" = time_zone;
    }
    "java/util/zip/CRC32" {
        "update" "(II)I" = crc_update;
        "updateBytes0" "(I[BII)I" = crc_update_bytes;
        "updateBytes" "(I[BII)I" = crc_update_bytes;
    }
    "java/util/zip/Adler32" {
        "update" "(II)I" = adler_update;
        "updateBytes" "(I[BII)I" = adler_update_bytes;
    }
}

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![ROWS]
}

fn yes(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(true)
}

/// Only asked when `user.timezone` is not set, which booting does.
fn time_zone(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    new_string(vm, "UTC")
}

/// The slice `array[offset..offset + len]`, fixed if symbolic.
fn slice(vm: &mut Vmj, args: &[Val]) -> Res<Vec<u8>> {
    let array = non_null(arg(args, 1))?;
    fix_array(vm, array, "bytes of a checksum")?;
    let (offset, len) = (arg(args, 2).as_i32() as usize, arg(args, 3).as_i32() as usize);
    let bytes = vm.heap.bytes(array);
    let range = offset..offset.saturating_add(len);
    bytes
        .get(range)
        .map(<[u8]>::to_vec)
        .ok_or_else(|| throw_plain("java/lang/ArrayIndexOutOfBoundsException"))
}

/// The reflected polynomial of IEEE 802.3, bit by bit.
fn crc(start: i32, bytes: &[u8]) -> i32 {
    let mut crc = !(start as u32);
    for byte in bytes {
        crc ^= *byte as u32;
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc as i32
}

fn crc_update(_: &mut Vmj, args: &[Val]) -> Res<i32> {
    Ok(crc(arg(args, 0).as_i32(), &[arg(args, 1).bits as u8]))
}

fn crc_update_bytes(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    Ok(crc(arg(args, 0).as_i32(), &slice(vm, args)?))
}

pub(super) fn adler(start: i32, bytes: &[u8]) -> i32 {
    let (mut a, mut b) = (start as u32 & 0xffff, start as u32 >> 16);
    for byte in bytes {
        a = (a + *byte as u32) % 65521;
        b = (b + a) % 65521;
    }
    (b << 16 | a) as i32
}

fn adler_update(_: &mut Vmj, args: &[Val]) -> Res<i32> {
    Ok(adler(arg(args, 0).as_i32(), &[arg(args, 1).bits as u8]))
}

fn adler_update_bytes(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    Ok(adler(arg(args, 0).as_i32(), &slice(vm, args)?))
}
