//! What conditions that hold say about single variables, and what follows from it.

use rustc_hash::FxHashMap;

use crate::op::{Op, Sort};
use crate::pieces::{Pieces, Range, all_values, first_var, ranges};
use crate::pool::{Pool, TermId, VarId};
use crate::semantics::mask;

/// So many ranges of values of a variable are told apart.
const MOST: usize = 24;
/// Conditions inside of a condition that are looked at.
const PARTS: u32 = 32;

/// Values that variables can have where some conditions hold.
#[derive(Clone, Default)]
pub struct Known {
    values: FxHashMap<VarId, Vec<Range>>,
}

impl Known {
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Takes down that a condition holds. Whether that was clear before: no values that are left say otherwise.
    pub fn assert(&mut self, pool: &Pool, condition: TermId) -> bool {
        self.part(pool, condition, true, &mut PARTS.clone())
    }

    fn part(&mut self, pool: &Pool, t: TermId, holds: bool, parts: &mut u32) -> bool {
        let Some(left) = parts.checked_sub(1) else { return false };
        *parts = left;
        match (pool.node(t), holds) {
            ((Op::Not, &[inner]), _) => self.part(pool, inner, !holds, parts),
            ((Op::And, &[a, b]), true) | ((Op::Or, &[a, b]), false) => {
                let a = self.part(pool, a, holds, parts);
                let b = self.part(pool, b, holds, parts);
                a && b
            }
            _ => self.compared(pool, t, holds).unwrap_or_else(|| self.simple(pool, t, holds)),
        }
    }

    /// [`Known::simple`] for the most frequent conditions: a variable, or its sum with a literal, compared with a literal. Their
    /// values are one interval, which may go round.
    fn compared(&mut self, pool: &Pool, t: TermId, holds: bool) -> Option<bool> {
        let (op, &[a, b]) = pool.node(t) else { return None };
        let (side, k, left) = literal(pool, a, b)?;
        let Sort::Bv(width @ 1..=64) = pool.sort(side) else { return None };
        let (x, by) = match pool.node(side) {
            (Op::BvAdd, &[p, q]) => literal(pool, p, q).map(|(x, by, _)| (x, by))?,
            _ => (side, 0),
        };
        let var = pool.var_of(x)?;
        let (max, half) = (mask(width), 1u128 << (width - 1));
        let (low, high) = match (op, left) {
            (Op::Eq, _) => (k, k),
            (Op::BvUlt, true) => (0, k.checked_sub(1)?),
            (Op::BvUlt, false) => (k + 1, max),
            (Op::BvUle, true) => (0, k),
            (Op::BvUle, false) => (k, max),
            (Op::BvSlt, true) if k != half => (half, k.wrapping_sub(1) & max),
            (Op::BvSlt, false) if k != half - 1 => ((k + 1) & max, half - 1),
            (Op::BvSle, true) => (half, k),
            (Op::BvSle, false) => (k, half - 1),
            _ => return None,
        };
        let (low, high) = (low.wrapping_sub(by) & max, high.wrapping_sub(by) & max);
        let around = (high + 1) & max == low;
        let (low, high) = match holds {
            // All values or none: whoever made the condition should have seen it.
            _ if around => return None,
            true => (low, high),
            false => ((high + 1) & max, low.wrapping_sub(1) & max),
        };
        // An empty range is no part.
        let parts = if low <= high { [(low, high), (1, 0)] } else { [(0, high), (low, max)] };
        let domain = self.values.entry(var).or_insert_with(|| vec![(0, max)]);
        let inside = |range: &Range| parts.iter().any(|part| part.0 <= range.0 && range.1 <= part.1);
        if domain.iter().all(inside) {
            return Some(true);
        }
        let both = |range: &Range| parts.map(|part| (range.0.max(part.0), range.1.min(part.1)));
        let left: Vec<Range> = domain.iter().flat_map(both).filter(|range| range.0 <= range.1).collect();
        if !left.is_empty() {
            *domain = fewer(left);
        }
        Some(false)
    }

    fn simple(&mut self, pool: &Pool, t: TermId, holds: bool) -> bool {
        let Some(var) = first_var(pool, t, &|var| self.value(var).is_some()) else {
            // No variable is left, or none was found.
            return self.range(pool, t) == Some((holds.into(), holds.into()));
        };
        let Some(all) = all_values(pool, var) else { return false };
        let all = [all];
        let domain = self.values.get(&var).map_or(&all[..], Vec::as_slice);
        let fixed = |var| self.value(var);
        let Some(pieces) = Pieces::new(pool, var, &fixed).of(t, domain) else { return false };
        if pieces.iter().all(|piece| piece.at == u128::from(holds)) {
            return true;
        }
        let left = ranges(&pieces, holds.into());
        // Nothing is left only where what was asserted cannot be; nobody needs to know more of that.
        if !left.is_empty() {
            self.values.insert(var, fewer(left));
        }
        false
    }

    /// The value of a variable that has only one.
    fn value(&self, var: VarId) -> Option<u128> {
        match self.values.get(&var).map(Vec::as_slice) {
            Some(&[(low, high)]) if low == high => Some(low),
            _ => None,
        }
    }

    /// The least and the greatest value of a term, unsigned, if it is about one variable of which something is known.
    pub fn range(&self, pool: &Pool, t: TermId) -> Option<(u128, u128)> {
        let fixed = |var| self.value(var);
        let pieces = match first_var(pool, t, &|var| self.value(var).is_some()) {
            Some(var) => Pieces::new(pool, var, &fixed).of(t, self.values.get(&var)?)?,
            None => {
                // Of what is fixed any variable will do.
                let var = first_var(pool, t, &|_| false)?;
                Pieces::new(pool, var, &fixed).of(t, self.values.get(&var)?)?
            }
        };
        let low = pieces.iter().map(|piece| piece.at).min()?;
        let high = pieces.iter().map(|piece| piece.top()).max()?;
        Some((low, high))
    }
}

/// Of two terms the one that is no literal, the literal, and whether the former stands left of it.
fn literal(pool: &Pool, a: TermId, b: TermId) -> Option<(TermId, u128, bool)> {
    match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(k)) => Some((a, k, true)),
        (Some(k), None) => Some((b, k, false)),
        _ => None,
    }
}

/// Of too many ranges those are one that are nearest to each other.
fn fewer(mut ranges: Vec<Range>) -> Vec<Range> {
    while ranges.len() > MOST {
        let gap = |i: &usize| ranges[i + 1].0 - ranges[*i].1;
        let Some(at) = (0..ranges.len() - 1).min_by_key(gap) else { break };
        ranges[at].1 = ranges[at + 1].1;
        ranges.remove(at + 1);
    }
    ranges
}
