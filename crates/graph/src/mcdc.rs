//! Which evaluations of a decision show that each of its conditions matters.
//!
//! A row gives every condition a value, bit by bit; nothing is masked by short-circuit evaluation, since conditions of
//! a graph have no side effects.

use crate::goal::Decision;

/// How strict the two rows that show a condition must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// General active clause coverage: the condition decides the outcome in both.
    General,
    /// Correlated active clause coverage, masking MC/DC: and the outcomes differ.
    Masking,
    /// Restricted active clause coverage, unique-cause MC/DC: and no other condition differs.
    UniqueCause,
}

/// More conditions are not tabulated.
pub const MAX_CONDITIONS: usize = 12;
/// Pairs of one condition that a plan looks at.
const MAX_PAIRS: usize = 4_096;
/// Steps of the search for the fewest rows; beyond, the best found so far is taken.
const MAX_STEPS: u32 = 20_000;

/// A value for each condition: bit `i` is condition `i`.
pub type Row = u32;

/// For each condition two rows that show it, true in the first; none where there are none.
pub type Plan = Vec<Option<(Row, Row)>>;

/// A decision as a table.
pub struct Table {
    pub conditions: usize,
    outcomes: Vec<bool>,
}

impl Table {
    pub fn new(decision: &Decision) -> Option<Table> {
        let conditions = decision.conditions();
        let count = conditions.len();
        if count > MAX_CONDITIONS {
            return None;
        }
        let outcome = |row: Row| {
            let values: Vec<bool> = (0..count).map(|i| row >> i & 1 == 1).collect();
            decision.expr.decide(&conditions, &values, &mut vec![false; count])
        };
        Some(Table { conditions: count, outcomes: (0..1 << count).map(outcome).collect() })
    }

    pub fn rows(&self) -> impl Iterator<Item = Row> + use<> {
        0..self.outcomes.len() as Row
    }

    pub fn outcome(&self, row: Row) -> bool {
        self.outcomes[row as usize]
    }

    /// Whether the condition alone changes the outcome.
    pub fn determines(&self, row: Row, condition: usize) -> bool {
        self.outcome(row) != self.outcome(row ^ (1 << condition))
    }

    /// Pairs that show a condition, true in the first; those that differ in nothing else come first.
    pub fn pairs(&self, condition: usize, variant: Variant, usable: &dyn Fn(Row) -> bool) -> Vec<(Row, Row)> {
        let is_true = |row: Row| row >> condition & 1 == 1;
        let able = |row: &Row| self.determines(*row, condition) && usable(*row);
        let trues: Vec<Row> = self.rows().filter(|r| is_true(*r)).filter(able).collect();
        let falses: Vec<Row> = self.rows().filter(|r| !is_true(*r)).filter(able).collect();
        let mut pairs: Vec<(Row, Row)> = Vec::new();
        for t in &trues {
            let f = t ^ (1 << condition);
            if falses.contains(&f) {
                pairs.push((*t, f));
            }
        }
        if variant == Variant::UniqueCause {
            return pairs;
        }
        'all: for t in &trues {
            for f in &falses {
                let differ = variant == Variant::General || self.outcome(*t) != self.outcome(*f);
                if differ && t ^ f != 1 << condition {
                    pairs.push((*t, *f));
                    if pairs.len() >= MAX_PAIRS {
                        break 'all;
                    }
                }
            }
        }
        pairs
    }

    /// A pair for each condition that has one, so that few rows are needed; rows that cost nothing first.
    pub fn plan(&self, variant: Variant, usable: &dyn Fn(Row) -> bool, cost: &dyn Fn(Row) -> u32) -> Plan {
        let pairs: Vec<Vec<(Row, Row)>> =
            (0..self.conditions).map(|c| self.pairs(c, variant, usable)).collect();
        let mut planner = Planner { pairs: &pairs, cost, best: None, steps: 0 };
        planner.search(&mut Vec::new(), &mut Vec::new(), 0);
        planner.best.map_or_else(|| vec![None; self.conditions], |(_, chosen)| chosen)
    }
}

struct Planner<'a> {
    pairs: &'a [Vec<(Row, Row)>],
    cost: &'a dyn Fn(Row) -> u32,
    best: Option<(u32, Plan)>,
    steps: u32,
}

impl Planner<'_> {
    fn search(&mut self, chosen: &mut Plan, rows: &mut Vec<Row>, cost: u32) {
        self.steps += 1;
        if self.best.as_ref().is_some_and(|(best, _)| cost >= *best || self.steps > MAX_STEPS) {
            return;
        }
        let Some(pairs) = self.pairs.get(chosen.len()) else {
            self.best = Some((cost, chosen.clone()));
            return;
        };
        if pairs.is_empty() {
            chosen.push(None);
            self.search(chosen, rows, cost);
            chosen.pop();
            return;
        }
        let price = |rows: &[Row], pair: &(Row, Row)| -> u32 {
            [pair.0, pair.1].iter().filter(|r| !rows.contains(r)).map(|r| (self.cost)(*r)).sum()
        };
        let mut order: Vec<(u32, usize)> =
            pairs.iter().enumerate().map(|(i, pair)| (price(rows, pair), i)).collect();
        order.sort_unstable();
        for (extra, i) in order {
            if self.best.as_ref().is_some_and(|(best, _)| cost + extra >= *best) {
                break;
            }
            let (t, f) = pairs[i];
            let before = rows.len();
            for row in [t, f] {
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
            chosen.push(Some((t, f)));
            self.search(chosen, rows, cost + extra);
            chosen.pop();
            rows.truncate(before);
            if self.steps > MAX_STEPS {
                break;
            }
        }
    }
}
