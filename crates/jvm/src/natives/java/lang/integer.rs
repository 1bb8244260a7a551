//! `Integer.parseInt` of a symbolic text: whether it is a number is one decision, its value one term.

use super::text::Text;
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use term::TermId;
use vm::{ElemKind, NativeResult, Val};

natives! {
    "java/lang/Integer" {
        "parseInt" "(Ljava/lang/String;I)I" = symbolic parse_int;
    }
}

/// Longer texts have leading zeros or are out of range: the body's business.
const LONGEST: u32 = 11;

fn body(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let func = method(vm, "java/lang/Integer", "parseInt", "(Ljava/lang/String;I)I")?;
    let body = crate::lower::literal(&mut vm.lang, func);
    Ok(NativeResult::Call(body, args.to_vec()))
}

/// What the text is, as terms: whether all of it is ASCII, whether it is a number, whether it begins with `-`, and
/// its magnitude in 64 bits.
struct Parsed {
    ascii: TermId,
    number: TermId,
    negative: TermId,
    magnitude: TermId,
}

fn parse_int(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let radix = arg(args, 1);
    let string = arg(args, 0);
    if string.as_obj().is_null() || radix.term.is_some() || radix.as_i32() != 10 {
        return body(vm, args);
    }
    let object = vm.deref(string)?;
    let mut text = Text::of(vm, object);
    if !text.is_symbolic(vm) {
        return body(vm, args);
    }
    text.fix_length(vm)?;
    if text.len == 0 || text.len > LONGEST {
        return body(vm, args);
    }
    let parsed = parse(vm, &text)?;
    let units = text.units(vm);
    let ascii = units.iter().all(|unit| *unit < 128);
    vm.decide(ElemKind::Which, parsed.ascii, ascii)?;
    if !ascii {
        // Other alphabets have digits too.
        return body(vm, args);
    }
    let digits = match units.as_slice() {
        [sign, rest @ ..] if matches!(*sign, 0x2b | 0x2d) => rest,
        all => all,
    };
    let is_digit = |unit: &u16| (0x30..=0x39).contains(unit);
    let number = !digits.is_empty() && digits.iter().all(is_digit);
    vm.decide(ElemKind::Which, parsed.number, number)?;
    if !number {
        return not_a_number(vm, string, radix);
    }
    let negative = units.first() == Some(&0x2d);
    let magnitude = digits.iter().fold(0u64, |sum, unit| sum * 10 + (*unit as u64 - 0x30));
    let (min, max) = (vm.pool.bv(64, 1 << 31), vm.pool.bv(64, (1 << 31) - 1));
    let limit = vm.pool.ite(parsed.negative, min, max);
    let fits_term = vm.pool.ule(parsed.magnitude, limit);
    let fits = magnitude <= if negative { 1 << 31 } else { (1 << 31) - 1 };
    vm.decide(ElemKind::Which, fits_term, fits)?;
    if !fits {
        return not_a_number(vm, string, radix);
    }
    let low = vm.pool.extract(31, 0, parsed.magnitude);
    let negated = vm.pool.bvneg(low);
    let term = vm.pool.ite(parsed.negative, negated, low);
    let value = if negative { (magnitude as u32).wrapping_neg() } else { magnitude as u32 };
    Ok(NativeResult::Return(vm.val(value as u64, term)))
}

fn parse(vm: &mut Vmj, text: &Text) -> Res<Parsed> {
    let mut ascii = vm.pool.bool(true);
    let mut number = vm.pool.bool(true);
    let mut negative = vm.pool.bool(false);
    let mut magnitude = vm.pool.bv(64, 0);
    for i in 0..text.len {
        let unit = text.unit(vm, i)?;
        let pool = &mut vm.pool;
        let (border, nine, zero) = (pool.bv(16, 128), pool.bv(16, 9), pool.bv(16, 0x30));
        let narrow = pool.ult(unit, border);
        ascii = pool.and(ascii, narrow);
        let digit = pool.bvsub(unit, zero);
        let mut fine = pool.ule(digit, nine);
        let wide = pool.zext(64, digit);
        let ten = pool.bv(64, 10);
        let shifted = pool.bvmul(magnitude, ten);
        let mut next = pool.bvadd(shifted, wide);
        if i == 0 {
            let (minus, plus) = (pool.bv(16, 0x2d), pool.bv(16, 0x2b));
            negative = pool.eq(unit, minus);
            let positive = pool.eq(unit, plus);
            let sign = pool.or(negative, positive);
            next = pool.ite(sign, magnitude, next);
            if text.len > 1 {
                fine = pool.or(fine, sign);
            }
        }
        number = pool.and(number, fine);
        magnitude = next;
    }
    Ok(Parsed { ascii, number, negative, magnitude })
}

/// Throws what the body throws.
fn not_a_number(vm: &mut Vmj, string: Val, radix: Val) -> Res<NativeResult<Jvm>> {
    const CLASS: &str = "java/lang/NumberFormatException";
    let class = find_class(vm, CLASS)?;
    let with = vm.lang.declared(class, "forInputString", &format!("(Ljava/lang/String;I)L{CLASS};"));
    let without = vm.lang.declared(class, "forInputString", &format!("(Ljava/lang/String;)L{CLASS};"));
    let (func, args) = match (with, without) {
        (Some(func), _) => (func, vec![string, radix]),
        (None, Some(func)) => (func, vec![string]),
        (None, None) => return body(vm, &[string, radix]),
    };
    let then = |_: &mut Vmj, args: &[Val]| NativeResult::Throw(arg(args, 0).as_obj());
    Ok(NativeResult::CallThen { func, args, then, keep: Vec::new() })
}
