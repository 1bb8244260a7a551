//! A term of one variable as a function of it, piece by piece.
//!
//! On each piece the value is the same for all values of the variable, or grows with them. That is what comparisons with
//! literals, sums with literals, conversions and tables look up to; of what is not so in general (products, remainders)
//! short pieces are taken value by value. Exact or not at all.

use crate::op::{Op, Sort};
use crate::pool::{Pool, TermId, VarId};
use crate::semantics::{apply, mask};

/// More pieces are not looked at.
const MOST: usize = 64;
/// So many terms are looked at.
const TERMS: u32 = 160;
/// How deep. The host's stack is small.
const DEPTH: u32 = 40;
/// Pieces of so many values are taken apart where nothing else helps.
const SHORT: u128 = 16;

/// Values from the first to the last, both included.
pub(crate) type Range = (u128, u128);

/// Where the variable is from `low` to `high` the value is `at`, or `at + (variable - low)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub low: u128,
    pub high: u128,
    pub at: u128,
    pub grows: bool,
}

impl Piece {
    /// The part from `low` to `high`, which lies inside.
    fn part(self, low: u128, high: u128) -> Piece {
        let at = if self.grows { self.at + (low - self.low) } else { self.at };
        Piece { low, high, at, grows: self.grows && low < high }
    }

    /// The largest value.
    pub(crate) fn top(self) -> u128 {
        if self.grows { self.at + (self.high - self.low) } else { self.at }
    }
}

/// What terms are as functions of one variable.
pub(crate) struct Pieces<'a> {
    pub pool: &'a Pool,
    pub var: VarId,
    /// Values of the other variables that have only one.
    pub fixed: &'a dyn Fn(VarId) -> Option<u128>,
    terms: u32,
}

impl<'a> Pieces<'a> {
    pub(crate) fn new(pool: &'a Pool, var: VarId, fixed: &'a dyn Fn(VarId) -> Option<u128>) -> Pieces<'a> {
        Pieces { pool, var, fixed, terms: TERMS }
    }

    /// A term where the variable is in these ranges, which ascend and are apart; `None` if it is not that simple.
    pub(crate) fn of(&mut self, t: TermId, domain: &[Range]) -> Option<Vec<Piece>> {
        self.look(t, domain, DEPTH)
    }

    fn look(&mut self, t: TermId, domain: &[Range], depth: u32) -> Option<Vec<Piece>> {
        if domain.is_empty() {
            return Some(Vec::new());
        }
        let constant = |value: u128| {
            domain.iter().map(|&(low, high)| Piece { low, high, at: value, grows: false }).collect()
        };
        if let Some(value) = self.pool.as_const(t) {
            return Some(constant(value));
        }
        if let Some(var) = self.pool.var_of(t) {
            if var == self.var {
                let own = |&(low, high): &Range| Piece { low, high, at: low, grows: low < high };
                let own: Vec<Piece> = domain.iter().map(own).collect();
                return if self.pool.sort(t) == Sort::Bool { values(&own) } else { Some(own) };
            }
            return (self.fixed)(var).map(constant);
        }
        self.terms = self.terms.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        let (op, args) = self.pool.node(t);
        let width = args.first().map_or(0, |&a| self.pool.sort(a).bits());
        let found = match (op, args) {
            (Op::Ite, &[condition, yes, no]) => {
                let condition = self.look(condition, domain, depth)?;
                let mut both = self.look(yes, &ranges(&condition, 1), depth)?;
                both.extend(self.look(no, &ranges(&condition, 0), depth)?);
                both.sort_unstable_by_key(|piece| piece.low);
                both
            }
            (Op::Select | Op::Store | Op::ConstArray { .. } | Op::Const | Op::Var, _) => return None,
            (_, &[a]) => {
                let a = self.look(a, domain, depth)?;
                one(op, width, a)?
            }
            (_, &[a, b]) => {
                let low = self.pool.sort(b).bits();
                let a = self.look(a, domain, depth)?;
                let b = self.look(b, domain, depth)?;
                two(op, if op == Op::Concat { low } else { width }, &a, &b)?
            }
            _ => return None,
        };
        let found = joined(found);
        (found.len() <= MOST).then_some(found)
    }
}

/// Where pieces have a value that does not grow.
pub(crate) fn ranges(pieces: &[Piece], value: u128) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.at == value) {
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == piece.low => last.1 = piece.high,
            _ => ranges.push((piece.low, piece.high)),
        }
    }
    ranges
}

/// Neighbours that are one piece.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if let Some(last) = all.last_mut()
            && last.high + 1 == piece.low
        {
            let (short, long) = (last.low == last.high, piece.low == piece.high);
            if last.at == piece.at && !last.grows && !piece.grows {
                last.high = piece.high;
                continue;
            }
            if (last.grows || short)
                && (piece.grows || long)
                && (last.grows || piece.grows)
                && last.top() + 1 == piece.at
            {
                last.high = piece.high;
                last.grows = true;
                continue;
            }
        }
        all.push(piece);
    }
    all
}

/// Both functions on pieces that they have in common.
fn common(a: &[Piece], b: &[Piece]) -> Vec<(Piece, Piece)> {
    let (mut i, mut j) = (0, 0);
    let mut all = Vec::with_capacity(a.len().max(b.len()));
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let (low, high) = (x.low.max(y.low), x.high.min(y.high));
        if low <= high {
            all.push((x.part(low, high), y.part(low, high)));
        }
        i += usize::from(x.high == high);
        j += usize::from(y.high == high);
    }
    all
}

/// Cuts growing pieces where their value reaches a multiple of `size`.
fn blocks(pieces: &[Piece], size: u128) -> Option<Vec<Piece>> {
    let mut all = Vec::with_capacity(pieces.len());
    for &piece in pieces {
        let mut rest = piece;
        while rest.grows {
            let last = rest.at - rest.at % size + (size - 1);
            if rest.top() <= last {
                break;
            }
            let high = rest.low + (last - rest.at);
            all.push(rest.part(rest.low, high));
            rest = rest.part(high + 1, rest.high);
            if all.len() > MOST {
                return None;
            }
        }
        all.push(rest);
    }
    Some(all)
}

/// Short pieces value by value.
fn values(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let mut all = Vec::with_capacity(pieces.len());
    for &piece in pieces {
        if !piece.grows {
            all.push(piece);
            continue;
        }
        if piece.high - piece.low >= SHORT {
            return None;
        }
        all.extend((piece.low..=piece.high).map(|value| piece.part(value, value)));
        if all.len() > MOST {
            return None;
        }
    }
    Some(all)
}

fn one(op: Op, width: u32, a: Vec<Piece>) -> Option<Vec<Piece>> {
    let constant = |pieces: Vec<Piece>| {
        pieces.into_iter().map(|p| Piece { at: apply(op, width, [p.at, 0, 0]), grows: false, ..p }).collect()
    };
    if a.iter().all(|piece| !piece.grows) {
        return Some(constant(a));
    }
    match op {
        Op::ZeroExt { .. } => Some(a),
        // Within one half all bits above are the same.
        Op::SignExt { .. } => {
            let halves = blocks(&a, 1 << (width - 1))?;
            Some(halves.into_iter().map(|p| Piece { at: apply(op, width, [p.at, 0, 0]), ..p }).collect())
        }
        Op::Extract { hi, lo: 0 } => {
            let blocks = blocks(&a, mask(hi + 1).checked_add(1)?)?;
            Some(blocks.into_iter().map(|p| Piece { at: apply(op, width, [p.at, 0, 0]), ..p }).collect())
        }
        Op::Extract { lo, .. } => Some(constant(blocks(&a, 1 << lo)?)),
        _ => Some(constant(values(&a)?)),
    }
}

fn two(op: Op, width: u32, a: &[Piece], b: &[Piece]) -> Option<Vec<Piece>> {
    let constant =
        |(x, y): (Piece, Piece)| Piece { at: apply(op, width, [x.at, y.at, 0]), grows: false, ..x };
    let plain = |pieces: &[Piece]| pieces.iter().all(|piece| !piece.grows);
    if plain(a) && plain(b) {
        return Some(common(a, b).into_iter().map(constant).collect());
    }
    let mut all = Vec::new();
    match op {
        Op::BvAdd | Op::BvSub if width < 128 => {
            for (x, y) in common(a, b) {
                let at = apply(op, width, [x.at, y.at, 0]);
                match (op, x.grows, y.grows) {
                    (_, false, false) | (Op::BvSub, true, true) => all.push(Piece { at, grows: false, ..x }),
                    (_, true, false) | (Op::BvAdd, false, true) => {
                        // Grows until it wraps.
                        let whole = Piece { at, grows: true, ..x };
                        let wraps = blocks(&[whole], mask(width) + 1)?;
                        all.extend(wraps.into_iter().map(|p| Piece { at: p.at & mask(width), ..p }));
                    }
                    _ => {
                        let (x, y) = (values(&[x])?, values(&[y])?);
                        all.extend(common(&x, &y).into_iter().map(constant));
                    }
                }
            }
        }
        Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::Eq => {
            let is_signed = matches!(op, Op::BvSlt | Op::BvSle);
            // Signed order is unsigned order with the halves swapped.
            let (a, b) = match is_signed {
                true => (swapped(a, width)?, swapped(b, width)?),
                false => (a.to_vec(), b.to_vec()),
            };
            let holds: fn(u128, u128) -> bool = match op {
                Op::BvUlt | Op::BvSlt => |x, y| x < y,
                Op::BvUle | Op::BvSle => |x, y| x <= y,
                _ => |x, y| x == y,
            };
            common(&a, &b).into_iter().for_each(|(x, y)| compared(x, y, holds, &mut all));
        }
        // A mask of the lowest or of the highest bits.
        Op::BvAnd if plain(b) && b.iter().all(|p| p.at == b[0].at) => {
            masked(op, width, a, b[0].at, &mut all)?
        }
        Op::BvAnd if plain(a) && a.iter().all(|p| p.at == a[0].at) => {
            masked(op, width, b, a[0].at, &mut all)?
        }
        _ => {
            let (a, b) = (values(a)?, values(b)?);
            all.extend(common(&a, &b).into_iter().map(constant));
        }
    }
    Some(all)
}

fn swapped(pieces: &[Piece], width: u32) -> Option<Vec<Piece>> {
    let bias = 1u128 << (width - 1);
    let halves = blocks(pieces, bias)?;
    Some(halves.into_iter().map(|p| Piece { at: p.at ^ bias, ..p }).collect())
}

fn masked(op: Op, width: u32, a: &[Piece], bits: u128, all: &mut Vec<Piece>) -> Option<()> {
    let low = bits & bits.wrapping_add(1) == 0;
    let size = match low {
        true => bits.checked_add(1)?,
        // What is below the mask does not show.
        false => 1u128 << bits.trailing_zeros(),
    };
    let high = bits == mask(width) & !(size - 1);
    let pieces = if low || high { blocks(a, size)? } else { values(a)? };
    let grows = |p: &Piece| low && p.grows;
    all.extend(pieces.into_iter().map(|p| Piece {
        at: apply(op, width, [p.at, bits, 0]),
        grows: grows(&p),
        ..p
    }));
    Some(())
}

/// A comparison of two functions on one piece: what holds changes where they meet.
fn compared(x: Piece, y: Piece, holds: fn(u128, u128) -> bool, all: &mut Vec<Piece>) {
    let mut cuts = [x.low, x.low, x.low];
    // Where one that grows reaches the other, and right after it.
    let meets = match (x.grows, y.grows) {
        (true, false) => y.at.checked_sub(x.at),
        (false, true) => x.at.checked_sub(y.at),
        _ => None,
    };
    if let Some(at) = meets.and_then(|by| x.low.checked_add(by)) {
        cuts = [x.low, at, at.saturating_add(1)];
    }
    let mut low = x.low;
    for next in [cuts[1], cuts[2], x.high.saturating_add(1)] {
        let high = next.min(x.high + 1);
        if high <= low {
            continue;
        }
        let (a, b) = (x.part(low, low), y.part(low, low));
        all.push(Piece { low, high: high - 1, at: holds(a.at, b.at).into(), grows: false });
        low = high;
    }
}

/// The first variable of a term that is not fixed.
pub(crate) fn first_var(pool: &Pool, t: TermId, fixed: &dyn Fn(VarId) -> bool) -> Option<VarId> {
    let mut work = vec![t];
    for _ in 0..TERMS {
        let t = work.pop()?;
        match pool.var_of(t) {
            Some(var) if !fixed(var) => return Some(var),
            Some(_) => {}
            None => work.extend(pool.node(t).1.iter().rev()),
        }
    }
    None
}

/// All values of a variable; `None` where they have no order that terms keep.
pub(crate) fn all_values(pool: &Pool, var: VarId) -> Option<Range> {
    match pool.var_sort(var) {
        Sort::Bool => Some((0, 1)),
        Sort::Bv(width) if width <= 64 => Some((0, mask(width))),
        Sort::Bv(_) | Sort::F32 | Sort::F64 | Sort::Array { .. } => None,
    }
}
