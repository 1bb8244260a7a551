//! Makes a model as simple as a person would write it, by evaluation alone.
//!
//! Variables of the same value are moved together first, as far as that goes: two lengths that must be equal can only
//! become small at once. Then one variable after the other is moved to the simplest value under which all assertions still hold, in a fixed
//! order and with a fixed list of candidates, so that equal questions end in equal models whoever found the first.

use term::semantics::{mask, signed};
use term::{Float, Pool, Program, Sort, TermId, VarId};

use crate::ask::Model;

/// Which values of a variable are simple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefer {
    /// 0, 1, -1, then close to 0.
    SmallMagnitude,
    /// 0, 1, then close to 0 as unsigned.
    Unsigned,
    /// UTF-16 units: a letter, a digit, a space, other printable ASCII, then small.
    Text,
    /// The value stays.
    Keep,
}

/// Evaluations spent on one variable at most; a safety net, the lists are shorter.
const MAX_TRIES: u32 = 400;
/// Operations spent on one model at most, about a quarter of a second: conditions over thousands of elements are left
/// as they were found.
const MAX_OPERATIONS: u64 = 30_000_000;
/// So many different values are looked at for variables that share them.
const MAX_GROUPS: usize = 64;

/// Shrinks `model`, which must satisfy `assertions`, variable by variable in the given order. Variables not in
/// the order stay, arrays lose entries and defaults they do not need. Gives the number of evaluations.
pub fn shrink(pool: &Pool, assertions: &[TermId], model: &mut Model, order: &[(VarId, Prefer)]) -> u32 {
    let mut program = Program::compile(pool, assertions);
    program.load(model);
    if !program.all_hold() {
        debug_assert!(false, "shrink wants a model that satisfies");
        return 0;
    }
    let mut evaluations = 0;
    let affordable = (MAX_OPERATIONS / program.len().max(1) as u64).min(u32::MAX.into()) as u32;
    for (slots, prefer, sort) in equals(pool, &program, model, order) {
        let left = affordable.saturating_sub(evaluations + 1);
        let first = program.vars()[slots[0]];
        let vars: Vec<VarId> = slots.iter().map(|slot| program.vars()[*slot]).collect();
        let mut search = Search {
            program: &mut program,
            slots,
            best: model.bits(first),
            tries: 0,
            most: MAX_TRIES.min(left),
        };
        search.run(sort, prefer);
        let best = search.settle();
        evaluations += search.tries + 1;
        vars.into_iter().for_each(|var| model.set_bits(var, best));
    }
    evaluations += stretch(pool, &mut program, model, order);
    // Large numbers that stayed before others shrank may be held by nothing now: a length by an index below it.
    let again = order.iter().filter(|(var, _)| matches!(pool.var_sort(*var), Sort::Bv(_)));
    let rounds = order.iter().map(|item| (item, false)).chain(again.map(|item| (item, true)));
    for (&(var, prefer), second) in rounds {
        if second && (prefer == Prefer::Text || !is_large(model.bits(var), pool.var_sort(var).bits())) {
            continue;
        }
        // A variable costs a look at all operations even if nothing is tried.
        evaluations += 1;
        if prefer == Prefer::Keep {
            continue;
        }
        let left = affordable.saturating_sub(evaluations);
        if left == 0 {
            break;
        }
        if pool.var_sort(var).is_array() {
            evaluations += shrink_array(pool, assertions, model, var);
            program.load(model);
            continue;
        }
        let Some(slot) = program.vars().iter().position(|&v| v == var) else {
            // No assertion has it: anything goes.
            model.set_bits(var, simplest(pool.var_sort(var), prefer));
            continue;
        };
        let most = MAX_TRIES.min(left);
        let slots = vec![slot];
        let mut search = Search { program: &mut program, slots, best: model.bits(var), tries: 0, most };
        search.run(pool.var_sort(var), prefer);
        model.set_bits(var, search.settle());
        evaluations += search.tries;
    }
    evaluations
}

/// Numbers beyond this are far away.
const FAR: u128 = 1 << 20;

/// Of several numbers that are far from zero one goes as far as it can: the largest number and 1 overflow as well as two
/// that nobody would write.
fn stretch(pool: &Pool, program: &mut Program, model: &mut Model, order: &[(VarId, Prefer)]) -> u32 {
    let is_far = |(var, prefer): &&(VarId, Prefer)| match pool.var_sort(*var) {
        Sort::Bv(width) => {
            *prefer == Prefer::SmallMagnitude && signed(model.bits(*var), width).unsigned_abs() > FAR
        }
        _ => false,
    };
    let far: Vec<VarId> = order.iter().filter(is_far).map(|(var, _)| *var).collect();
    if far.len() < 2 {
        return 0;
    }
    let mut tries = 0;
    for var in far.into_iter().rev() {
        let Some(slot) = program.vars().iter().position(|&v| v == var) else { continue };
        let (width, value) = (pool.var_sort(var).bits(), model.bits(var));
        let largest = mask(width) >> 1;
        let end = if signed(value, width) < 0 { largest + 1 } else { largest };
        tries += 1;
        program.update(slot, end);
        if program.all_hold() {
            model.set_bits(var, end);
            break;
        }
        program.update(slot, value);
    }
    tries
}

/// Whether a number is none that was tried one by one.
fn is_large(value: u128, width: u32) -> bool {
    signed(value, width).unsigned_abs() > 16
}

/// Variables of the program that have the same value, and not a small one, in the given order: their places in the
/// program, and what is simple for them.
fn equals(
    pool: &Pool,
    program: &Program,
    model: &Model,
    order: &[(VarId, Prefer)],
) -> Vec<(Vec<usize>, Prefer, Sort)> {
    let mut groups: Vec<(u128, Vec<usize>, Prefer, Sort)> = Vec::new();
    for &(var, prefer) in order {
        let sort = pool.var_sort(var);
        let value = model.bits(var);
        if !matches!(prefer, Prefer::SmallMagnitude | Prefer::Unsigned) || sort.is_array() || value <= 1 {
            continue;
        }
        let Some(slot) = program.vars().iter().position(|&v| v == var) else { continue };
        match groups.iter().position(|(v, _, p, s)| (*v, *p, *s) == (value, prefer, sort)) {
            Some(at) => groups[at].1.push(slot),
            None if groups.len() < MAX_GROUPS => groups.push((value, vec![slot], prefer, sort)),
            None => {}
        }
    }
    groups.retain(|(_, slots, ..)| slots.len() > 1);
    groups.into_iter().map(|(_, slots, prefer, sort)| (slots, prefer, sort)).collect()
}

/// The variables of `assertions` by name, numbers in names by value, with the preference their sort suggests:
/// 16-bit variables with `[` in their name are string units.
pub fn default_order(pool: &Pool, assertions: &[TermId]) -> Vec<(VarId, Prefer)> {
    let mut vars = pool.vars_of(assertions);
    vars.sort_by(|&a, &b| natural(pool.var_name(a)).cmp(natural(pool.var_name(b))));
    vars.into_iter().map(|var| (var, default_prefer(pool, var))).collect()
}

/// See [`default_order`].
pub fn default_prefer(pool: &Pool, var: VarId) -> Prefer {
    let is_unit = pool.var_sort(var) == Sort::Bv(16) && pool.var_name(var).contains('[');
    if is_unit { Prefer::Text } else { Prefer::SmallMagnitude }
}

/// Pieces of a name: text, or digits as a number, so that `a[2]` comes before `a[10]`.
fn natural(name: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        // Text sorts after numbers; equal numbers fall back on their spelling.
        Some((if digits { piece.parse().unwrap_or(u64::MAX - 1) } else { u64::MAX }, piece))
    })
}

fn simplest(_sort: Sort, prefer: Prefer) -> u128 {
    match prefer {
        Prefer::Text => u128::from(b'a'),
        Prefer::SmallMagnitude | Prefer::Unsigned | Prefer::Keep => 0,
    }
}

struct Search<'a> {
    program: &'a mut Program,
    /// Variables that move together.
    slots: Vec<usize>,
    best: u128,
    tries: u32,
    most: u32,
}

impl Search<'_> {
    fn run(&mut self, sort: Sort, prefer: Prefer) {
        match (sort, sort.float()) {
            (_, Some(float)) => self.float(float),
            (Sort::Bool, _) => {
                self.first_of([0]);
            }
            (_, None) => self.bits(sort.bits(), prefer),
        }
    }

    fn accepts(&mut self, value: u128) -> bool {
        self.tries += 1;
        if self.tries > self.most {
            return false;
        }
        self.set(value);
        self.program.all_hold()
    }

    fn set(&mut self, value: u128) {
        for slot in &self.slots {
            self.program.update(*slot, value);
        }
    }

    /// Leaves the program with the best value.
    fn settle(&mut self) -> u128 {
        self.set(self.best);
        self.best
    }

    /// Takes the first candidate that works, or that is the value already.
    fn first_of(&mut self, candidates: impl IntoIterator<Item = u128>) -> bool {
        for value in candidates {
            if value == self.best {
                return true;
            }
            if self.accepts(value) {
                self.best = value;
                return true;
            }
        }
        false
    }

    fn bits(&mut self, width: u32, prefer: Prefer) {
        let limit = mask(width);
        if prefer == Prefer::Text && width >= 8 && self.first_of(text_candidates()) {
            return;
        }
        if self.first_of([0, 1 & limit]) {
            return;
        }
        if prefer == Prefer::SmallMagnitude {
            if self.first_of([limit, 2 & limit, limit - 1]) {
                return;
            }
            // A positive value is simpler than a negative one of twice the size.
            if signed(self.best, width) < 0 {
                let positive = self.best.wrapping_neg() & limit;
                if signed(positive, width) > 0 && self.accepts(positive) {
                    self.best = positive;
                }
            }
        }
        let negative = prefer == Prefer::SmallMagnitude && signed(self.best, width) < 0;
        self.toward_zero(width, negative);
    }

    /// Small values one by one, then bisection between 0 (known to fail) and the best so far. Where the solutions
    /// are not an interval this ends at some boundary of them, which is still simple.
    fn toward_zero(&mut self, width: u32, negative: bool) {
        let limit = mask(width);
        let with_sign = |magnitude: u128| if negative { magnitude.wrapping_neg() & limit } else { magnitude };
        let magnitude = with_sign(self.best);
        for small in 2..magnitude.min(17) {
            if self.accepts(with_sign(small)) {
                self.best = with_sign(small);
                return;
            }
        }
        // Powers of two upward, and the round numbers that people write; the first that works bounds the bisection.
        let (mut fails, mut works) = (0u128, with_sign(self.best));
        let ladder = (4..127).flat_map(|k| [1u128 << k, 5 << (k - 2)]).chain([100, 1000]);
        let mut ladder: Vec<u128> = ladder.filter(|&rung| rung < magnitude).collect();
        ladder.sort_unstable();
        for rung in ladder {
            if self.accepts(with_sign(rung)) {
                works = rung;
                self.best = with_sign(works);
                break;
            }
            fails = rung;
        }
        while works - fails > 1 && self.tries < self.most {
            let middle = fails + (works - fails) / 2;
            if self.accepts(with_sign(middle)) {
                works = middle;
                self.best = with_sign(works);
            } else {
                fails = middle;
            }
        }
    }

    fn float(&mut self, float: Float) {
        let bits = |value: f64| match float {
            Float::F32 => term::semantics::f32_bits(value as f32),
            Float::F64 => term::semantics::f64_bits(value),
        };
        let simple = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, 10.0, -10.0, 100.0, -100.0, 1000.0, -1000.0];
        if self.first_of(simple.map(bits)) {
            return;
        }
        let value = match float {
            Float::F32 => f64::from(f32::from_bits(self.best as u32)),
            Float::F64 => f64::from_bits(self.best as u64),
        };
        if !value.is_finite() {
            return;
        }
        // Fewer digits: integers around, then ever more decimals.
        let mut scale = 1.0f64;
        for _ in 0..6 {
            let scaled = value * scale;
            if !scaled.is_finite() || scaled.abs() > 1e15 {
                break;
            }
            let candidates = [scaled.trunc(), scaled.floor(), scaled.ceil()].map(|v| bits(v / scale));
            if self.first_of(candidates) {
                break;
            }
            scale *= 10.0;
        }
        let value = match float {
            Float::F32 => f64::from(f32::from_bits(self.best as u32)),
            Float::F64 => f64::from_bits(self.best as u64),
        };
        // Toward zero by magnitude, over integers if it is one.
        if value.trunc() == value && value.abs() < 9e15 {
            let (mut fails, mut works) = (0.0f64, value.abs());
            let sign = value.signum();
            while works - fails > 1.0 && self.tries < self.most {
                let middle = (fails + (works - fails) / 2.0).trunc();
                if middle <= fails {
                    break;
                }
                if self.accepts(bits(middle * sign)) {
                    works = middle;
                    self.best = bits(works * sign);
                } else {
                    fails = middle;
                }
            }
        }
    }
}

fn text_candidates() -> impl Iterator<Item = u128> {
    let letters = u128::from(b'a')..=u128::from(b'z');
    let digits = u128::from(b'0')..=u128::from(b'9');
    letters.chain(digits).chain([32]).chain(33..=47).chain(58..=96).chain(123..=126)
}

fn shrink_array(pool: &Pool, assertions: &[TermId], model: &mut Model, var: VarId) -> u32 {
    let Some(term::Value::Array(original)) = model.get(var).cloned() else { return 0 };
    let mut evaluations = 0;
    let mut best = original.clone();
    let mut program = Program::compile(pool, assertions);
    let mut attempt = |candidate: &term::ArrayValue, model: &mut Model| {
        evaluations += 1;
        model.set(var, term::Value::Array(candidate.clone()));
        program.run_assignment(model).iter().all(|&v| v != 0)
    };
    let mut zeroed = best.clone();
    zeroed.default = 0;
    if attempt(&zeroed, model) {
        best = zeroed;
    }
    for index in original.entries.keys().take(64) {
        let mut without = best.clone();
        without.entries.remove(index);
        if attempt(&without, model) {
            best = without;
        }
    }
    best.entries.retain(|_, value| *value != best.default);
    model.set(var, term::Value::Array(best));
    evaluations
}
