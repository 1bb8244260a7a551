//! `String.equals`, `startsWith`, `compareTo`, `hashCode`, `length`, `charAt`: one term instead of a branch a
//! character. (`indexOf` is left to its body: an index that is a term makes every substring after it one too.)
//!
//! Each computes what its body would and, where something symbolic is involved, a term for the result that holds
//! for every input on the path. Lengths that matter beyond this run's are decided, so that the search can flip them.

use super::text::{INT, Text, inside, object, truth};
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use term::TermId;
use vm::{ElemKind, NativeResult, ObjId, Val};

natives! {
    "java/lang/String" {
        "equals" "(Ljava/lang/Object;)Z" = symbolic equals;
        "startsWith" "(Ljava/lang/String;)Z" = symbolic starts_with;
        "compareTo" "(Ljava/lang/String;)I" = symbolic compare_to;
        "hashCode" "()I" = symbolic hash_code;
        "length" "()I" = symbolic length;
        "isEmpty" "()Z" = symbolic is_empty;
        "charAt" "(I)C" = symbolic char_at;
    }
}

/// More units than this are compared by the literal body's own loop.
const LONG: u32 = 1 << 12;

fn this(vm: &mut Vmj, args: &[Val]) -> Res<Text> {
    let object = vm.deref(arg(args, 0))?;
    Ok(Text::of(vm, object))
}

/// Runs the method's own body.
fn literal(vm: &mut Vmj, name: &str, descriptor: &str, args: &[Val]) -> Res<NativeResult<Jvm>> {
    own_body(vm, ("java/lang/String", name, descriptor), args)
}

fn equals(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let this = vm.deref(arg(args, 0))?;
    let other = vm.deref(arg(args, 1))?;
    if this == other {
        return Ok(Val::bool(true));
    }
    if other.is_null() || vm.heap.class(other) != vm.lang.known.string {
        return Ok(Val::bool(false));
    }
    equal_texts(vm, this, other)
}

/// Whether two strings have the same text, as Java's `boolean`.
pub(super) fn equal_texts(vm: &mut Vmj, a: ObjId, b: ObjId) -> Res<Val> {
    let (mut a, mut b) = (Text::of(vm, a), Text::of(vm, b));
    let same = a.len == b.len && (0..a.len).all(|i| a.concrete(vm, i) == b.concrete(vm, i));
    if !a.is_symbolic(vm) && !b.is_symbolic(vm) {
        return Ok(Val::bool(same));
    }
    // One length must be known, and the other text must have names for that many units.
    if !a.has_fixed_length() && !b.has_fixed_length() {
        a.fix_length(vm)?;
    }
    if b.has_fixed_length() {
        std::mem::swap(&mut a, &mut b);
    }
    if a.len > 0 && !b.reaches(a.len - 1) && !b.has_fixed_length() {
        b.fix_length(vm)?;
    }
    if b.has_fixed_length() && a.len != b.len {
        return Ok(Val::bool(false));
    }
    let (length, n) = (b.length(vm), vm.pool.bv(32, a.len as u64));
    let mut condition = vm.pool.eq(length, n);
    for i in 0..a.len {
        let (x, y) = (a.unit(vm, i)?, b.unit(vm, i)?);
        let equal = vm.pool.eq(x, y);
        condition = vm.pool.and(condition, equal);
    }
    Ok(truth(vm, same, condition))
}

fn starts_with(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let mut text = this(vm, args)?;
    let prefix = object(vm, arg(args, 1), true)?;
    let mut prefix = Text::of(vm, prefix);
    prefix.fix_length(vm)?;
    let fits = prefix.len <= text.len;
    let holds = fits && (0..prefix.len).all(|i| text.concrete(vm, i) == prefix.concrete(vm, i));
    if !text.is_symbolic(vm) && !prefix.is_symbolic(vm) {
        return Ok(Val::bool(holds));
    }
    if prefix.len > 0 && !text.reaches(prefix.len - 1) {
        text.fix_length(vm)?;
        if !fits {
            return Ok(Val::bool(false));
        }
    }
    let (length, end) = (text.length(vm), vm.pool.bv(32, prefix.len as u64));
    let mut condition = vm.pool.ule(end, length);
    for i in 0..prefix.len {
        let (x, y) = (text.unit(vm, i)?, prefix.unit(vm, i)?);
        let equal = vm.pool.eq(x, y);
        condition = vm.pool.and(condition, equal);
    }
    Ok(truth(vm, holds, condition))
}

/// The first difference, else the difference of the lengths.
fn compare_to(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let mut a = this(vm, args)?;
    let other = object(vm, arg(args, 1), true)?;
    let mut b = Text::of(vm, other);
    let (x, y) = (a.units(vm), b.units(vm));
    let differ = x.iter().zip(&y).find(|(x, y)| x != y).map(|(x, y)| *x as i32 - *y as i32);
    let result = differ.unwrap_or(a.len as i32 - b.len as i32);
    if !a.is_symbolic(vm) && !b.is_symbolic(vm) {
        return Ok(Val::i32(result));
    }
    if !a.has_fixed_length() && !b.has_fixed_length() {
        a.fix_length(vm)?;
    }
    let fixed = if a.has_fixed_length() { a.len } else { b.len };
    for text in [&mut a, &mut b] {
        if fixed > 0 && !text.has_fixed_length() && !text.reaches(fixed - 1) {
            text.fix_length(vm)?;
        }
    }
    let limit = match (a.has_fixed_length(), b.has_fixed_length()) {
        (true, true) => a.len.min(b.len),
        _ => fixed,
    };
    let (length_a, length_b) = (a.length(vm), b.length(vm));
    let mut term = vm.pool.bvsub(length_a, length_b);
    let by_length = term;
    for i in (0..limit).rev() {
        let (x, y) = (a.unit(vm, i)?, b.unit(vm, i)?);
        let equal = vm.pool.eq(x, y);
        let (x, y) = (vm.pool.zext(32, x), vm.pool.zext(32, y));
        let difference = vm.pool.bvsub(x, y);
        let here = vm.pool.ite(equal, term, difference);
        let (in_a, in_b) = (inside(vm, i, length_a), inside(vm, i, length_b));
        let both = vm.pool.and(in_a, in_b);
        term = vm.pool.ite(both, here, by_length);
    }
    Ok(vm.val(result as u32 as u64, term))
}

/// Not cached: the field is nobody's business but the body's.
fn hash_code(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let mut text = this(vm, args)?;
    let mut hash = 0i32;
    for i in 0..text.len {
        hash = hash.wrapping_mul(31).wrapping_add(text.concrete(vm, i) as i32);
    }
    if !text.is_symbolic(vm) {
        return Ok(Val::i32(hash));
    }
    text.fix_length(vm)?;
    let mut term = vm.pool.bv(32, 0);
    let factor = vm.pool.bv(32, 31);
    for i in 0..text.len {
        let unit = text.unit(vm, i)?;
        let unit = vm.pool.zext(32, unit);
        let shifted = vm.pool.bvmul(term, factor);
        term = vm.pool.bvadd(shifted, unit);
    }
    Ok(vm.val(hash as u32 as u64, term))
}

fn length(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let text = this(vm, args)?;
    Ok(text.length_val(vm))
}

fn is_empty(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
    let text = this(vm, args)?;
    if text.has_fixed_length() {
        return Ok(Val::bool(text.len == 0));
    }
    let (length, zero) = (text.length(vm), vm.pool.bv(32, 0));
    let condition = vm.pool.eq(length, zero);
    Ok(truth(vm, text.len == 0, condition))
}

fn char_at(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let text = this(vm, args)?;
    let index = arg(args, 1);
    let fits = (index.bits as u32) < text.len;
    if index.term.is_some() || !text.has_fixed_length() {
        let (at, length) = (vm.term(index, INT), text.length(vm));
        let condition = vm.pool.ult(at, length);
        vm.decide(ElemKind::Check(ir::Check::Bounds), condition, fits)?;
    }
    if !fits {
        // The body says what is wrong, in the words of its version and with the numbers of this run. It gets a
        // string without terms: what it would decide on them is decided.
        let units = text.units(vm);
        let plain = crate::link::new_string(vm, &units)?;
        return literal(vm, "charAt", "(I)C", &[Val::obj(plain), Val::concrete(index.bits)]);
    }
    if !text.is_symbolic(vm) && index.term.is_none() {
        return Ok(NativeResult::Return(Val::i32(text.concrete(vm, index.bits as u32) as i32)));
    }
    if index.term.is_some() {
        return char_at_symbolic(vm, text, index);
    }
    let unit = text.unit(vm, index.bits as u32)?;
    let term = vm.pool.zext(32, unit);
    let bits = text.concrete(vm, index.bits as u32) as u64;
    Ok(NativeResult::Return(vm.val(bits, term)))
}

/// A choice among all units by the index, which lies inside.
fn char_at_symbolic(vm: &mut Vmj, mut text: Text, index: Val) -> Res<NativeResult<Jvm>> {
    let bits = text.concrete(vm, index.bits as u32) as u64;
    let bound = text.bound(vm)?;
    if bound > LONG {
        super::system::decide_value(vm, index)?;
        let unit = text.unit(vm, index.bits as u32)?;
        let term = vm.pool.zext(32, unit);
        return Ok(NativeResult::Return(vm.val(bits, term)));
    }
    let mut term = TermId::NONE;
    for i in (0..bound).rev() {
        let unit = text.unit(vm, i)?;
        let unit = vm.pool.zext(32, unit);
        term = match term {
            TermId::NONE => unit,
            rest => {
                let here = vm.pool.bv(32, i as u64);
                let hit = vm.pool.eq(index.term, here);
                vm.pool.ite(hit, unit, rest)
            }
        };
    }
    Ok(NativeResult::Return(vm.val(bits, term)))
}
