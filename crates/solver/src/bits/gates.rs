//! Gates: Boolean functions of literals, each made once, as clauses of a SAT solver.

use std::cell::Cell;
use std::ops::Not;
use std::time::Instant;

use batsat::{Callbacks, ClauseKind, Solver, SolverInterface, SolverOpts, lbool};
use rustc_hash::FxHashMap;

/// A Boolean of the circuit or its negation: twice the variable's number, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Bit(u32);

pub(super) const TRUE: Bit = Bit(0);
pub(super) const FALSE: Bit = Bit(1);

impl Bit {
    pub fn of(value: bool) -> Bit {
        if value { TRUE } else { FALSE }
    }

    /// Whether it is the same in all assignments.
    pub fn constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self == TRUE)
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Negated if `negate`.
    fn flip(self, negate: bool) -> Bit {
        Bit(self.0 ^ u32::from(negate))
    }
}

impl Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        self.flip(true)
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Bit, Bit),
    Xor(Bit, Bit),
    /// The middle one of three.
    Majority(Bit, Bit, Bit),
    Mux(Bit, Bit, Bit),
}

/// When the search gives up. Conflicts count by how much there is to look through, so that equal limits take about
/// equal time.
struct Meter {
    conflict: u64,
    used: Cell<u64>,
    limit: u64,
    deadline: Option<Instant>,
}

/// So many looks at the meter lie between two looks at the clock.
const CLOCK: u64 = 1024;

impl Callbacks for Meter {
    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.used.set(self.used.get() + self.conflict);
        }
    }

    fn stop(&self) -> bool {
        let used = self.used.get() + 1;
        self.used.set(used);
        used > self.limit
            || used.is_multiple_of(CLOCK) && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A circuit under construction.
pub(super) struct Gates {
    solver: Solver<Meter>,
    known: FxHashMap<Gate, Bit>,
    clause: Vec<batsat::Lit>,
    count: u64,
}

pub(super) enum Verdict {
    Sat,
    /// The assumptions that cannot hold together, by their places.
    Unsat(Vec<usize>),
    Limit,
}

impl Gates {
    pub fn new(deadline: Option<Instant>) -> Gates {
        let meter = Meter { conflict: 0, used: Cell::new(0), limit: 0, deadline };
        let mut gates = Gates {
            solver: Solver::new(SolverOpts::default(), meter),
            known: FxHashMap::default(),
            clause: Vec::new(),
            count: 0,
        };
        // The first variable is what is always true.
        let always = gates.input();
        gates.add(&[always]);
        gates
    }

    /// Gates made so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What the search used.
    pub fn used(&self) -> u64 {
        self.solver.cb().used.get()
    }

    /// A Boolean that is not determined by others.
    pub fn input(&mut self) -> Bit {
        Bit(self.solver.new_var_default().idx() * 2)
    }

    /// One of these holds.
    pub fn add(&mut self, bits: &[Bit]) {
        self.clause.clear();
        self.clause.extend(bits.iter().map(|&bit| lit(bit)));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (TRUE, other) => other,
            (FALSE, _) => FALSE,
            _ if a == b => a,
            _ if a == !b => FALSE,
            _ => self.gate(Gate::And(a, b), |gates, out| {
                gates.add(&[!out, a]);
                gates.add(&[!out, b]);
                gates.add(&[out, !a, !b]);
            }),
        }
    }

    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.flip(a.is_negated()), b.flip(b.is_negated()));
        let (a, b) = (a.min(b), a.max(b));
        let out = match (a, b) {
            _ if a == b => FALSE,
            (TRUE, other) => !other,
            _ => self.gate(Gate::Xor(a, b), |gates, out| {
                gates.add(&[!out, a, b]);
                gates.add(&[!out, !a, !b]);
                gates.add(&[out, !a, b]);
                gates.add(&[out, a, !b]);
            }),
        };
        out.flip(negate)
    }

    /// `then` if `cond`, else `other`.
    pub fn mux(&mut self, cond: Bit, then: Bit, other: Bit) -> Bit {
        if cond.is_negated() && cond.constant().is_none() {
            return self.mux(!cond, other, then);
        }
        match (cond.constant(), then.constant(), other.constant()) {
            (Some(cond), ..) => return if cond { then } else { other },
            (_, Some(true), _) => return self.or(cond, other),
            (_, Some(false), _) => return self.and(!cond, other),
            (_, _, Some(true)) => return self.or(!cond, then),
            (_, _, Some(false)) => return self.and(cond, then),
            _ => {}
        }
        if then == other {
            return then;
        }
        if then == !other {
            return self.xor(cond, other);
        }
        let negate = then.is_negated();
        let (then, other) = (then.flip(negate), other.flip(negate));
        let out = self.gate(Gate::Mux(cond, then, other), |gates, out| {
            gates.add(&[!cond, !then, out]);
            gates.add(&[!cond, then, !out]);
            gates.add(&[cond, !other, out]);
            gates.add(&[cond, other, !out]);
            // Implied; without them nothing is known of the output while the condition is open.
            gates.add(&[!then, !other, out]);
            gates.add(&[then, other, !out]);
        });
        out.flip(negate)
    }

    /// Whether two of three hold: the carry of an addition.
    pub fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let mut bits = [a, b, c];
        bits.sort_unstable();
        let [a, b, c] = bits;
        match a.constant() {
            Some(true) => return self.or(b, c),
            Some(false) => return self.and(b, c),
            None => {}
        }
        match () {
            () if a == b || b == c => b,
            () if a == !b => c,
            () if b == !c => a,
            () => self.gate(Gate::Majority(a, b, c), |gates, out| {
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    gates.add(&[!x, !y, out]);
                    gates.add(&[x, y, !out]);
                }
            }),
        }
    }

    /// Whether all hold.
    pub fn all(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        bits.into_iter().fold(TRUE, |all, bit| self.and(all, bit))
    }

    fn gate(&mut self, gate: Gate, define: impl FnOnce(&mut Gates, Bit)) -> Bit {
        if let Some(&bit) = self.known.get(&gate) {
            return bit;
        }
        self.count += 1;
        let out = self.input();
        define(self, out);
        self.known.insert(gate, out);
        out
    }

    /// Looks for an assignment under which all of these hold.
    pub fn solve(&mut self, wanted: &[Bit], limit: u64) -> Verdict {
        let conflict = CONFLICT + self.count / GATES_A_UNIT;
        let meter = self.solver.cb_mut();
        (meter.conflict, meter.limit) = (conflict, limit);
        let wanted: Vec<batsat::Lit> = wanted.iter().map(|&bit| lit(bit)).collect();
        match self.solver.solve_limited(&wanted) {
            found if found == lbool::TRUE => Verdict::Sat,
            found if found == lbool::FALSE => {
                let is_part = |l: &batsat::Lit| self.solver.unsat_core_contains_var(l.var());
                Verdict::Unsat((0..wanted.len()).filter(|&i| is_part(&wanted[i])).collect())
            }
            _ => Verdict::Limit,
        }
    }

    /// Whether a bit holds in the assignment that was found.
    pub fn value(&self, bit: Bit) -> bool {
        self.solver.value_lit(lit(bit)) == lbool::TRUE
    }
}

/// What a conflict costs in a small circuit, in units of a decision, about a microsecond.
const CONFLICT: u64 = 20;
/// And one more for each so many gates.
const GATES_A_UNIT: u64 = 400;

fn lit(bit: Bit) -> batsat::Lit {
    batsat::Lit::new(batsat::Var::unsafe_from_idx(bit.0 / 2), !bit.is_negated())
}
