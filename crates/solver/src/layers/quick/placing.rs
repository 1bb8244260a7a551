//! Numbers that only have to stand in an order: `a < b`, `b <= c`, `c != 7`.
//!
//! Sorting and searching ask little else, about many variables at once, where moving one at a time goes in circles.
//! Every variable starts where the search was best, within the bounds that literals give it, and is raised as far as those below it ask
//! for; since each stays below what the literals above it allow, that ends. What else the question says is not looked
//! at here: the point tells whether it holds.

use term::semantics::mask;
use term::{Op, Sort, TermId};

use super::point::Point;

/// Fewer comparisons between variables are solved one by one as well.
const WORTH: usize = 2;

/// Puts the compared variables in their order; true if the point satisfies the question then.
pub(super) fn place(point: &mut Point) -> bool {
    let row = |signed| Row::of(point, signed).filter(|row| row.between >= WORTH);
    let Some(mut row) = row(true).or_else(|| row(false)) else { return false };
    point.back_to_best();
    row.values = row.slots.iter().map(|slot| row.bits(point.value(*slot))).collect();
    if !row.bound() || !row.settle() {
        return false;
    }
    let moved = row.slots.iter().zip(&row.values).map(|(&slot, &value)| (slot, row.bits(value)));
    for (slot, value) in moved.collect::<Vec<_>>() {
        if point.value(slot) != value {
            point.place(slot, value);
        }
    }
    point.measured();
    point.solved()
}

/// `values[from] + strict <= values[to]`.
struct Edge {
    from: usize,
    to: usize,
    strict: bool,
}

/// The variables of one width in one order, with values that compare as they stand.
struct Row {
    width: u32,
    signed: bool,
    slots: Vec<usize>,
    values: Vec<u128>,
    low: Vec<u128>,
    high: Vec<u128>,
    edges: Vec<Edge>,
    /// Variables that differ, and values that they do not have.
    apart: Vec<(usize, usize)>,
    excluded: Vec<(usize, u128)>,
    /// Comparisons of two variables.
    between: usize,
}

/// A side of a comparison.
enum Side {
    Var(usize),
    Literal(u128),
}

impl Row {
    /// What the assertions say in this order, of variables that are as wide as the first.
    fn of(point: &Point, signed: bool) -> Option<Row> {
        let mut row = Row {
            width: 0,
            signed,
            slots: Vec::new(),
            values: Vec::new(),
            low: Vec::new(),
            high: Vec::new(),
            edges: Vec::new(),
            apart: Vec::new(),
            excluded: Vec::new(),
            between: 0,
        };
        let mut places = vec![usize::MAX; point.slots()];
        for &t in point.assertions() {
            row.note(point, &mut places, t);
        }
        (!row.slots.is_empty()).then_some(row)
    }

    fn note(&mut self, point: &Point, places: &mut [usize], t: TermId) {
        let (positive, (op, args)) = match point.pool.node(t) {
            (Op::Not, &[inner]) => (false, point.pool.node(inner)),
            node => (true, node),
        };
        let &[a, b] = args else { return };
        let equality = op == Op::Eq;
        let strict = match (op, self.signed) {
            (Op::Eq, _) => false,
            (Op::BvSlt, true) | (Op::BvUlt, false) => true,
            (Op::BvSle, true) | (Op::BvUle, false) => false,
            _ => return,
        };
        let Sort::Bv(width) = point.pool.sort(a) else { return };
        let is_plain = |t| point.slot_of(t).is_some() || point.pool.as_const(t).is_some();
        if self.width != 0 && self.width != width || !is_plain(a) || !is_plain(b) {
            return;
        }
        self.width = width;
        let (a, b) = (self.side(point, places, a), self.side(point, places, b));
        match (equality, positive) {
            (true, true) => {
                self.ordered(&a, &b, false);
                self.ordered(&b, &a, false);
            }
            (true, false) => self.different(&a, &b),
            (false, true) => self.ordered(&a, &b, strict),
            (false, false) => self.ordered(&b, &a, !strict),
        }
    }

    fn side(&mut self, point: &Point, places: &mut [usize], t: TermId) -> Side {
        let Some(slot) = point.slot_of(t) else {
            return Side::Literal(self.bits(point.pool.as_const(t).unwrap_or(0)));
        };
        if places[slot] == usize::MAX {
            places[slot] = self.slots.len();
            self.slots.push(slot);
            self.values.push(self.bits(point.value(slot)));
            self.low.push(0);
            self.high.push(mask(self.width));
        }
        Side::Var(places[slot])
    }

    /// Between values and bits, both ways: with the sign's bit turned around, signed order is unsigned.
    fn bits(&self, value: u128) -> u128 {
        if self.signed { value ^ 1 << (self.width - 1) } else { value }
    }

    fn ordered(&mut self, a: &Side, b: &Side, strict: bool) {
        match (a, b) {
            (&Side::Var(from), &Side::Var(to)) => {
                self.edges.push(Edge { from, to, strict });
                self.between += 1;
            }
            (&Side::Var(below), Side::Literal(k)) => {
                self.high[below] = self.high[below].min(k.saturating_sub(strict.into()));
            }
            (Side::Literal(k), &Side::Var(above)) => {
                self.low[above] = self.low[above].max(k.saturating_add(strict.into()));
            }
            (Side::Literal(_), Side::Literal(_)) => {}
        }
    }

    fn different(&mut self, a: &Side, b: &Side) {
        match (a, b) {
            (&Side::Var(a), &Side::Var(b)) => {
                self.apart.push((a, b));
                self.between += 1;
            }
            (&Side::Var(a), &Side::Literal(k)) | (&Side::Literal(k), &Side::Var(a)) => {
                self.excluded.push((a, k));
            }
            (Side::Literal(_), Side::Literal(_)) => {}
        }
    }

    /// Carries the upper bounds down and puts the values between the bounds.
    fn bound(&mut self) -> bool {
        for _ in 0..=self.slots.len() {
            let mut changed = false;
            for edge in &self.edges {
                let Some(most) = self.high[edge.to].checked_sub(edge.strict.into()) else { return false };
                if most < self.high[edge.from] {
                    self.high[edge.from] = most;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for (value, (&low, &high)) in self.values.iter_mut().zip(self.low.iter().zip(&self.high)) {
            if low > high {
                return false;
            }
            *value = (*value).clamp(low, high);
        }
        true
    }

    /// Raises values until all comparisons hold; false where they cannot.
    fn raise(&mut self) -> bool {
        for _ in 0..=self.slots.len() {
            let mut changed = false;
            for edge in &self.edges {
                let least = self.values[edge.from].saturating_add(edge.strict.into());
                if self.values[edge.to] < least {
                    if least > self.high[edge.to] {
                        return false;
                    }
                    self.values[edge.to] = least;
                    changed = true;
                }
            }
            if !changed {
                return true;
            }
        }
        false
    }

    /// Raises, then moves apart what must differ: one of two, the other next time where that brought both up.
    fn settle(&mut self) -> bool {
        let most = 2 * (self.apart.len() + self.excluded.len()) + 1;
        for turn in 0..most {
            if !self.raise() {
                return false;
            }
            let same = self.apart.iter().find(|(a, b)| self.values[*a] == self.values[*b]);
            let taken = self.excluded.iter().find(|(a, k)| self.values[*a] == *k);
            let (first, second) = match (same, taken) {
                (Some(&(a, b)), _) if turn % 2 == 0 => (b, a),
                (Some(&(a, b)), _) => (a, b),
                (None, Some(&(a, _))) => (a, a),
                (None, None) => return true,
            };
            let Some(up) = [first, second].into_iter().find(|at| self.values[*at] < self.high[*at]) else {
                return false;
            };
            self.values[up] += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{Limits, Query};
    use term::Pool;

    fn placed(pool: &Pool, assertions: &[TermId]) -> bool {
        let order = pool.postorder(assertions);
        let query = Query { assertions, hint: None, limits: Limits::default() };
        place(&mut Point::new(pool, &query, &order, 1000, 1))
    }

    #[test]
    fn variables_are_put_in_their_order() {
        let mut pool = Pool::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| pool.declare(name, Sort::Bv(32)));
        let (seven, most) = (pool.bv(32, 7), pool.bv(32, 0x7fff_ffff));
        let chain = [pool.slt(a, b), pool.slt(b, c), pool.sle(c, d), pool.sle(d, c), pool.ne(a, d)];
        assert!(placed(&pool, &chain));
        // From above: the last is at most 7, from below: the first is at least 5.
        let five = pool.bv(32, 5);
        let squeezed = [pool.slt(a, b), pool.slt(b, c), pool.sle(c, seven), pool.sle(five, a)];
        assert!(placed(&pool, &squeezed));
        let tight = [pool.slt(a, b), pool.slt(b, c), pool.slt(c, seven), pool.sle(five, a)];
        assert!(!placed(&pool, &tight));
        // What differs goes up, also where the other must not be below it, and not beyond the end.
        let apart = [pool.sle(a, b), pool.sle(b, c), pool.ne(a, b), pool.ne(b, c), pool.ne(c, seven)];
        assert!(placed(&pool, &apart));
        let end = [pool.sle(most, a), pool.sle(a, b), pool.ne(a, b)];
        assert!(!placed(&pool, &end));
        let unsigned = [pool.ult(most, a), pool.ult(a, b), pool.ult(b, c)];
        assert!(placed(&pool, &unsigned));
    }

    #[test]
    fn one_comparison_is_left_to_others() {
        let mut pool = Pool::new();
        let [a, b] = ["a", "b"].map(|name| pool.declare(name, Sort::Bv(8)));
        let below = pool.slt(a, b);
        assert!(!placed(&pool, &[below]));
    }
}
