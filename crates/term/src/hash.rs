//! Structural hashing: 128 bits, the same in every process and pool.
//!
//! Two lanes of multiply-and-fold with different odd constants. Not cryptographic: terms come from our own VM,
//! nobody gains from a collision.

use std::hash::Hasher;

use crate::op::{Op, Sort};

const K: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

#[inline]
fn mix(state: u128, value: u128) -> u128 {
    let (s0, s1) = (state as u64, (state >> 64) as u64);
    let (v0, v1) = (value as u64, (value >> 64) as u64);
    let low = fold(s0 ^ v0 ^ K[0], s1 ^ v1 ^ K[1]).wrapping_add(s1.rotate_left(29) ^ v0);
    let high = fold(s1 ^ v0 ^ K[2], s0.rotate_left(32) ^ v1 ^ K[3]).wrapping_add(s0 ^ v1.rotate_left(17));
    (u128::from(high) << 64) | u128::from(low)
}

fn finish(state: u128) -> u128 {
    mix(mix(state, u128::from(K[3])), u128::from(K[2]) << 64)
}

/// Takes structural hashes as they are, for tables by them.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64 ^ (hash >> 64) as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = fold(self.0 ^ u64::from(byte), K[0]));
    }
}

fn sort_number(sort: Sort) -> u128 {
    match sort {
        Sort::Bool => 0,
        Sort::Bv(w) => 1 | (u128::from(w) << 8),
        Sort::F32 => 2,
        Sort::F64 => 3,
        Sort::Array { index, elem } => 4 | (u128::from(index) << 8) | (u128::from(elem) << 40),
    }
}

/// Hash of a name.
pub(crate) fn bytes(text: &[u8]) -> u128 {
    let mut state = text.len() as u128;
    for chunk in text.chunks(16) {
        let mut block = [0u8; 16];
        block[..chunk.len()].copy_from_slice(chunk);
        state = mix(state, u128::from_le_bytes(block));
    }
    finish(state)
}

/// Hash of a text, the same in every process.
pub fn text(text: &str) -> u128 {
    bytes(text.as_bytes())
}

pub(crate) fn leaf(op: Op, sort: Sort, value: u128) -> u128 {
    finish(mix(mix(u128::from(op.code()) + 1, sort_number(sort)), value))
}

pub(crate) fn node(op: Op, args: impl Iterator<Item = u128>) -> u128 {
    let [first, second] = op.parameters();
    let head = (u128::from(op.code()) + 1) | (u128::from(first) << 32) | (u128::from(second) << 64);
    finish(args.fold(mix(u128::from(K[0]), head), mix))
}

/// Hash of a sequence of hashes, for cache keys.
pub fn sequence(hashes: impl IntoIterator<Item = u128>) -> u128 {
    finish(hashes.into_iter().fold(u128::from(K[1]), mix))
}
