//! `Integer.parseInt` and `Long.parseLong` of symbolic text: one branch on whether it is a number, and the
//! number as a term. Run literally they branch several times a character.

use super::string_terms::{Text, concrete_unit, object};
use crate::natives::support::arg;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use term::TermId;
use vm::{ElemKind, NativeResult, Raise, Val};

natives! {
    "java/lang/Integer" {
        "parseInt" "(Ljava/lang/String;)I" = symbolic parse_int;
    }
    "java/lang/Long" {
        "parseLong" "(Ljava/lang/String;)J" = symbolic parse_long;
    }
}

fn parse_int(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    parse(
        vm,
        args,
        &Kind {
            class: "java/lang/Integer",
            literal: ("parseInt", "(Ljava/lang/String;I)I"),
            bits: 32,
            digits: 10,
        },
    )
}

fn parse_long(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    parse(
        vm,
        args,
        &Kind {
            class: "java/lang/Long",
            literal: ("parseLong", "(Ljava/lang/String;I)J"),
            bits: 64,
            digits: 19,
        },
    )
}

struct Kind {
    class: &'static str,
    /// The JDK's own parser, which takes a radix.
    literal: (&'static str, &'static str),
    bits: u32,
    /// Digits of the largest number.
    digits: u32,
}

/// Wide enough for any number with as many digits as the largest.
const WIDE: u32 = 72;

fn parse(vm: &mut Vmj, args: &[Val], kind: &Kind) -> Res<NativeResult<Jvm>> {
    let string = object(vm, arg(args, 0), false)?;
    let class = vm.lang.class(kind.class)?;
    let literal = vm.lang.method(class, kind.literal.0, kind.literal.1)?;
    let by_the_jdk = NativeResult::Call(literal, vec![arg(args, 0), Val::i32(10)]);
    if string.is_null() {
        return Ok(by_the_jdk);
    }
    let text = Text::read(vm, string);
    let most = kind.digits + 1;
    let units: Vec<u16> = (0..text.len.min(most + 1)).map(|i| concrete_unit(vm, &text, i)).collect();
    if !text.symbolic || text.len > most || units.iter().any(|unit| *unit >= 0x80) {
        return Ok(by_the_jdk);
    }
    // One length at a time: numbers of all lengths in one term are too much for a solver.
    text.pick_length(vm)?;
    let terms = Terms::new(vm, &text, kind)?;
    // Digits of other scripts are left to the JDK, in other runs.
    vm.decide(ElemKind::Which, terms.plain, true)?;
    let number = concrete(&units, kind.bits);
    vm.decide(ElemKind::Branch, terms.valid, number.is_some())?;
    let Some(number) = number else {
        let shown = String::from_utf16_lossy(&units);
        let message = format!("For input string: \"{shown}\"");
        return Ok(NativeResult::Raise(Raise::named("java/lang/NumberFormatException", message)));
    };
    let bits = if kind.bits == 32 { number as u32 as u64 } else { number as u64 };
    Ok(NativeResult::Return(vm.val(bits, terms.value)))
}

/// The number that ASCII units spell, if it fits.
fn concrete(units: &[u16], bits: u32) -> Option<i64> {
    let text = String::from_utf16(units).ok()?;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    match bits {
        32 => text.parse::<i32>().ok().map(i64::from),
        _ => text.parse::<i64>().ok(),
    }
}

struct Terms {
    /// All units are ASCII.
    plain: TermId,
    /// It is a number that fits.
    valid: TermId,
    value: TermId,
}

impl Terms {
    /// Of a text whose length is decided.
    fn new(vm: &mut Vmj, text: &Text, kind: &Kind) -> Res<Terms> {
        // Fewer digits than the largest number has always fit.
        let (wide, may_overflow) = match text.len >= kind.digits {
            true => (WIDE, true),
            false => (kind.bits, false),
        };
        let mut plain = vm.pool.bool(true);
        let mut valid = vm.pool.bool(text.len > 0);
        let mut minus = vm.pool.bool(false);
        let mut sum = vm.pool.bv(wide, 0);
        for i in 0..text.len {
            let unit = text.unit(vm, i)?;
            let border = vm.pool.bv(16, 0x80);
            let narrow = vm.pool.ult(unit, border);
            plain = vm.pool.and(plain, narrow);
            let (is_digit, digit) = digit(vm, unit, wide);
            if i == 0 && text.len > 1 {
                let (dash, plus) = (vm.pool.bv(16, '-' as u64), vm.pool.bv(16, '+' as u64));
                minus = vm.pool.eq(unit, dash);
                let positive = vm.pool.eq(unit, plus);
                let signed = vm.pool.or(minus, positive);
                valid = vm.pool.or(is_digit, signed);
                let zero = vm.pool.bv(wide, 0);
                sum = vm.pool.ite(signed, zero, digit);
            } else {
                valid = vm.pool.and(valid, is_digit);
                let ten = vm.pool.bv(wide, 10);
                let scaled = vm.pool.bvmul(sum, ten);
                sum = vm.pool.bvadd(scaled, digit);
            }
        }
        let negated = vm.pool.bvneg(sum);
        let value = vm.pool.ite(minus, negated, sum);
        if may_overflow {
            let fits = fits(vm, value, kind.bits);
            valid = vm.pool.and(valid, fits);
        }
        Ok(Terms { plain, valid, value: vm.pool.extract(kind.bits - 1, 0, value) })
    }
}

/// Whether a unit is a digit, and its value as a term of this width.
fn digit(vm: &mut Vmj, unit: TermId, width: u32) -> (TermId, TermId) {
    let (zero, nine) = (vm.pool.bv(16, '0' as u64), vm.pool.bv(16, 9));
    let value = vm.pool.bvsub(unit, zero);
    let is_digit = vm.pool.ule(value, nine);
    (is_digit, vm.pool.zext(width, value))
}

/// Whether a wide number is one of so many bits.
fn fits(vm: &mut Vmj, value: TermId, bits: u32) -> TermId {
    let low = vm.pool.extract(bits - 1, 0, value);
    let again = vm.pool.sext(WIDE, low);
    vm.pool.eq(again, value)
}
