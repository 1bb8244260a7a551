//! `Integer.parseInt` and `Long.parseLong` of a symbolic text: whether it is a number is one decision, its value one
//! term.

use super::text::{Text, inside};
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use term::TermId;
use vm::{ElemKind, NativeResult, Val};

natives! {
    "java/lang/Integer" {
        "parseInt" "(Ljava/lang/String;I)I" = symbolic parse_int;
    }
    "java/lang/Long" {
        "parseLong" "(Ljava/lang/String;I)J" = symbolic parse_long;
    }
}

/// A parser of whole numbers.
struct Parser {
    class: &'static str,
    method: (&'static str, &'static str),
    bits: u32,
    /// Longer texts have leading zeros or are out of range: the body's business.
    longest: u32,
}

const INT: Parser = Parser {
    class: "java/lang/Integer",
    method: ("parseInt", "(Ljava/lang/String;I)I"),
    bits: 32,
    longest: 11,
};
const LONG: Parser = Parser {
    class: "java/lang/Long",
    method: ("parseLong", "(Ljava/lang/String;I)J"),
    bits: 64,
    longest: 20,
};

/// Bits of a magnitude: enough for 20 digits.
const WIDE: u32 = 72;

impl Parser {
    fn body(&self, vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
        own_body(vm, (self.class, self.method.0, self.method.1), args)
    }
}

fn parse_int(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    parse_number(vm, args, &INT)
}

fn parse_long(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    parse_number(vm, args, &LONG)
}

/// What the text is, as terms: whether all of it is ASCII, whether it is a number, whether it begins with `-`, and
/// its magnitude in `WIDE` bits.
struct Parsed {
    ascii: TermId,
    number: TermId,
    negative: TermId,
    magnitude: TermId,
}

fn parse_number(vm: &mut Vmj, args: &[Val], parser: &Parser) -> Res<NativeResult<Jvm>> {
    let radix = arg(args, 1);
    let string = arg(args, 0);
    if string.as_obj().is_null() || radix.term.is_some() || radix.as_i32() != 10 {
        return parser.body(vm, args);
    }
    let object = vm.deref(string)?;
    let mut text = Text::of(vm, object);
    if !text.is_symbolic(vm) {
        return parser.body(vm, args);
    }
    let bound = bound(vm, &mut text, parser)?;
    if text.len == 0 || text.len > parser.longest {
        return parser.body(vm, args);
    }
    let parsed = parse(vm, &text, bound)?;
    let units = text.units(vm);
    let ascii = units.iter().all(|unit| *unit < 128);
    vm.decide(ElemKind::Which, parsed.ascii, ascii)?;
    if !ascii {
        // Other alphabets have digits too.
        return parser.body(vm, args);
    }
    let digits = match units.as_slice() {
        [sign, rest @ ..] if matches!(*sign, 0x2b | 0x2d) => rest,
        all => all,
    };
    let is_digit = |unit: &u16| (0x30..=0x39).contains(unit);
    let number = !digits.is_empty() && digits.iter().all(is_digit);
    vm.decide(ElemKind::Which, parsed.number, number)?;
    if !number {
        return not_a_number(vm, string, radix, parser);
    }
    let negative = units.first() == Some(&0x2d);
    let magnitude = digits.iter().fold(0u128, |sum, unit| sum * 10 + (*unit as u128 - 0x30));
    let least = 1u128 << (parser.bits - 1);
    let (min, max) = (vm.pool.bv128(WIDE, least), vm.pool.bv128(WIDE, least - 1));
    let limit = vm.pool.ite(parsed.negative, min, max);
    let fits_term = vm.pool.ule(parsed.magnitude, limit);
    let fits = magnitude <= if negative { least } else { least - 1 };
    vm.decide(ElemKind::Which, fits_term, fits)?;
    if !fits {
        return not_a_number(vm, string, radix, parser);
    }
    let low = vm.pool.extract(parser.bits - 1, 0, parsed.magnitude);
    let negated = vm.pool.bvneg(low);
    let term = vm.pool.ite(parsed.negative, negated, low);
    let value = if negative { (magnitude as u64).wrapping_neg() } else { magnitude as u64 };
    let value = if parser.bits == 32 { value as u32 as u64 } else { value };
    Ok(NativeResult::Return(vm.val(value, term)))
}

/// How many units to look at. All lengths that a number has are treated together where the text is an input, so that
/// "is it this number" is one question; other lengths one by one.
fn bound(vm: &mut Vmj, text: &mut Text, parser: &Parser) -> Res<u32> {
    if text.is_input() && !text.has_fixed_length() && (1..=parser.longest).contains(&text.len) {
        let (length, one, most) = (text.length(vm), vm.pool.bv(32, 1), vm.pool.bv(32, parser.longest as u64));
        let (some, short) = (vm.pool.ule(one, length), vm.pool.ule(length, most));
        let fits = vm.pool.and(some, short);
        vm.decide(ElemKind::Which, fits, true)?;
        return Ok(parser.longest);
    }
    text.fix_length(vm)?;
    Ok(text.len)
}

fn parse(vm: &mut Vmj, text: &Text, bound: u32) -> Res<Parsed> {
    let length = text.length(vm);
    let mut ascii = vm.pool.bool(true);
    let mut number = vm.pool.bool(true);
    let mut negative = vm.pool.bool(false);
    let mut magnitude = vm.pool.bv(WIDE, 0);
    for i in 0..bound {
        let unit = text.unit(vm, i)?;
        let inside = inside(vm, i, length);
        let pool = &mut vm.pool;
        let outside = pool.not(inside);
        let (border, nine, zero) = (pool.bv(16, 128), pool.bv(16, 9), pool.bv(16, 0x30));
        let narrow = pool.ult(unit, border);
        let narrow = pool.or(outside, narrow);
        ascii = pool.and(ascii, narrow);
        let digit = pool.bvsub(unit, zero);
        let mut fine = pool.ule(digit, nine);
        let wide = pool.zext(WIDE, digit);
        let ten = pool.bv(WIDE, 10);
        let shifted = pool.bvmul(magnitude, ten);
        let mut next = pool.bvadd(shifted, wide);
        if i == 0 {
            let (minus, plus) = (pool.bv(16, 0x2d), pool.bv(16, 0x2b));
            negative = pool.eq(unit, minus);
            let positive = pool.eq(unit, plus);
            let sign = pool.or(negative, positive);
            next = pool.ite(sign, magnitude, next);
            // A sign alone is no number.
            let one = pool.bv(32, 1);
            let more = pool.ult(one, length);
            let signed = pool.and(sign, more);
            fine = pool.or(fine, signed);
        }
        let fine = pool.or(outside, fine);
        number = pool.and(number, fine);
        magnitude = pool.ite(inside, next, magnitude);
    }
    Ok(Parsed { ascii, number, negative, magnitude })
}

/// Throws what the body throws.
fn not_a_number(vm: &mut Vmj, string: Val, radix: Val, parser: &Parser) -> Res<NativeResult<Jvm>> {
    const CLASS: &str = "java/lang/NumberFormatException";
    let class = find_class(vm, CLASS)?;
    let with = vm.lang.declared(class, "forInputString", &format!("(Ljava/lang/String;I)L{CLASS};"));
    let without = vm.lang.declared(class, "forInputString", &format!("(Ljava/lang/String;)L{CLASS};"));
    let (func, args) = match (with, without) {
        (Some(func), _) => (func, vec![string, radix]),
        (None, Some(func)) => (func, vec![string]),
        (None, None) => return parser.body(vm, &[string, radix]),
    };
    let then = |_: &mut Vmj, args: &[Val]| NativeResult::Throw(arg(args, 0).as_obj());
    Ok(NativeResult::CallThen { func, args, then, keep: Vec::new() })
}
