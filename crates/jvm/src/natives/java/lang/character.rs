//! `Character.isDigit` and its kin on a symbolic character: ASCII is one term, the rest is the body's tables.

use super::text::{INT, truth};
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use term::TermId;
use vm::{ElemKind, NativeResult, Val};

natives! {
    "java/lang/Character" {
        "isDigit" "(I)Z" = symbolic is_digit;
        "isLetter" "(I)Z" = symbolic is_letter;
        "isLetterOrDigit" "(I)Z" = symbolic is_letter_or_digit;
        "isUpperCase" "(I)Z" = symbolic is_upper_case;
        "isLowerCase" "(I)Z" = symbolic is_lower_case;
        "isWhitespace" "(I)Z" = symbolic is_whitespace;
        "toUpperCase" "(I)I" = symbolic to_upper_case;
        "toLowerCase" "(I)I" = symbolic to_lower_case;
    }
}

type Ranges = &'static [(u64, u64)];

const DIGITS: Ranges = &[(b'0' as u64, b'9' as u64)];
const UPPER: Ranges = &[(b'A' as u64, b'Z' as u64)];
const LOWER: Ranges = &[(b'a' as u64, b'z' as u64)];
const LETTERS: Ranges = &[(b'A' as u64, b'Z' as u64), (b'a' as u64, b'z' as u64)];
const LETTERS_DIGITS: Ranges =
    &[(b'0' as u64, b'9' as u64), (b'A' as u64, b'Z' as u64), (b'a' as u64, b'z' as u64)];
const WHITESPACE: Ranges = &[(0x09, 0x0d), (0x1c, 0x20)];

fn body(vm: &mut Vmj, name: &str, descriptor: &str, args: &[Val]) -> Res<NativeResult<Jvm>> {
    own_body(vm, ("java/lang/Character", name, descriptor), args)
}

/// Whether a symbolic character is in ASCII, decided; `false` for plain ones, which the body treats as well.
fn is_ascii(vm: &mut Vmj, ch: Val) -> Res<bool> {
    if ch.term.is_none() {
        return Ok(false);
    }
    let border = vm.pool.bv(32, 128);
    let condition = vm.pool.ult(ch.term, border);
    let ascii = (ch.bits as u32) < 128;
    vm.decide(ElemKind::Which, condition, ascii)?;
    Ok(ascii)
}

fn within(vm: &mut Vmj, ch: TermId, ranges: Ranges) -> TermId {
    let mut any = vm.pool.bool(false);
    for (first, last) in ranges {
        let (low, width) = (vm.pool.bv(32, *first), vm.pool.bv(32, last - first));
        let moved = vm.pool.bvsub(ch, low);
        let inside = vm.pool.ule(moved, width);
        any = vm.pool.or(any, inside);
    }
    any
}

fn holds(ch: u64, ranges: Ranges) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&ch))
}

fn test(vm: &mut Vmj, args: &[Val], name: &str, ranges: Ranges) -> Res<NativeResult<Jvm>> {
    let ch = arg(args, 0);
    if !is_ascii(vm, ch)? {
        return body(vm, name, "(I)Z", args);
    }
    let condition = within(vm, ch.term, ranges);
    Ok(NativeResult::Return(truth(vm, holds(ch.bits, ranges), condition)))
}

macro_rules! tests {
    ($($function:ident $name:literal $ranges:ident;)*) => {
        $(fn $function(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
            test(vm, args, $name, $ranges)
        })*
    };
}

tests! {
    is_digit "isDigit" DIGITS;
    is_letter "isLetter" LETTERS;
    is_letter_or_digit "isLetterOrDigit" LETTERS_DIGITS;
    is_upper_case "isUpperCase" UPPER;
    is_lower_case "isLowerCase" LOWER;
    is_whitespace "isWhitespace" WHITESPACE;
}

fn to_upper_case(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    flip_case(vm, args, "toUpperCase", LOWER)
}

fn to_lower_case(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    flip_case(vm, args, "toLowerCase", UPPER)
}

fn flip_case(vm: &mut Vmj, args: &[Val], name: &str, from: Ranges) -> Res<NativeResult<Jvm>> {
    let ch = arg(args, 0);
    if !is_ascii(vm, ch)? {
        return body(vm, name, "(I)I", args);
    }
    let term = vm.term(ch, INT);
    let (condition, bit) = (within(vm, term, from), vm.pool.bv(32, 0x20));
    let flipped = vm.pool.bvxor(term, bit);
    let term = vm.pool.ite(condition, flipped, term);
    let bits = if holds(ch.bits, from) { ch.bits ^ 0x20 } else { ch.bits };
    Ok(NativeResult::Return(vm.val(bits, term)))
}
