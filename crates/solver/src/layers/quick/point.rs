//! A point of the search: an assignment, the values of all terms under it, and how far it is from a solution.

use term::semantics::{f32_bits, f64_bits, mask, signed};
use term::{Float, Pool, Program, Sort, TermId, TermMap};

use super::distance;
use crate::ask::{Model, Query};

pub(super) struct Point<'a> {
    pub pool: &'a Pool,
    assertions: &'a [TermId],
    program: Program,
    /// Where the program keeps a term's value.
    root: TermMap,
    slot: TermMap,
    base: Model,
    budget: u32,
    pub random: Random,
    cost: u128,
    best: (u128, Vec<u128>),
}

/// Xorshift; statistics do not matter here, being the same everywhere does.
pub(super) struct Random(u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn coin(&mut self) -> bool {
        self.next() & 1 == 0
    }
}

impl<'a> Point<'a> {
    pub fn new(pool: &'a Pool, query: &Query<'a>, order: &[TermId], budget: u32, seed: u64) -> Self {
        let terms: Vec<TermId> = order.iter().copied().filter(|&t| !pool.sort(t).is_array()).collect();
        let mut program = Program::compile(pool, &terms);
        let base = query.hint.cloned().unwrap_or_else(Model::new);
        program.load(&base);
        let (mut root, mut slot) = (TermMap::below(&terms), TermMap::below(&terms));
        for (i, &t) in terms.iter().enumerate() {
            root.insert(t, i as u32);
        }
        for (i, &v) in program.vars().iter().enumerate() {
            slot.insert(pool.var_term(v), i as u32);
        }
        let mut point = Point {
            pool,
            assertions: query.assertions,
            program,
            root,
            slot,
            base,
            budget,
            random: Random(seed | 1),
            cost: 0,
            best: (u128::MAX, Vec::new()),
        };
        point.measure();
        point
    }

    pub fn solved(&self) -> bool {
        self.cost == 0
    }

    pub fn cost(&self) -> u128 {
        self.cost
    }

    pub fn budget_left(&self) -> bool {
        self.budget > 0
    }

    pub fn budget(&self) -> u32 {
        self.budget
    }

    pub fn spend(&mut self, evaluations: u32) {
        self.budget = self.budget.saturating_sub(evaluations);
    }

    /// The value of a term at this point.
    pub fn value_of(&self, t: TermId) -> u128 {
        self.root.get(t).map_or(0, |i| self.program.root(i as usize))
    }

    /// How many variables there are.
    pub fn slots(&self) -> usize {
        self.program.vars().len()
    }

    pub fn slot_of(&self, t: TermId) -> Option<usize> {
        self.slot.get(t).map(|i| i as usize)
    }

    pub fn value(&self, slot: usize) -> u128 {
        self.program.input(slot)
    }

    pub fn sort(&self, slot: usize) -> Sort {
        self.pool.var_sort(self.program.vars()[slot])
    }

    pub fn set(&mut self, slot: usize, value: u128) {
        self.spend(1);
        self.program.update(slot, value);
        self.measure();
    }

    pub fn assertions(&self) -> &[TermId] {
        self.assertions
    }

    /// Changes a variable; [`measured`](Self::measured) is to follow before the cost is looked at.
    pub fn place(&mut self, slot: usize, value: u128) {
        self.spend(1);
        self.program.update(slot, value);
    }

    pub fn measured(&mut self) {
        self.measure();
    }

    /// The value of a term as a number.
    pub fn number(&self, t: TermId, unsigned: bool) -> f64 {
        let (bits, sort) = (self.value_of(t), self.pool.sort(t));
        match sort.float() {
            Some(Float::F32) => f32::from_bits(bits as u32).into(),
            Some(Float::F64) => f64::from_bits(bits as u64),
            None if unsigned => bits as f64,
            None => signed(bits, sort.bits().max(1)) as f64,
        }
    }

    /// The value of a variable as a number.
    pub fn real(&self, slot: usize) -> f64 {
        self.number(self.pool.var_term(self.program.vars()[slot]), false)
    }

    /// The nearest value of a variable's sort.
    pub fn nearest(&self, slot: usize, value: f64) -> u128 {
        let sort = self.sort(slot);
        match sort.float() {
            Some(Float::F32) => f32_bits(value as f32),
            Some(Float::F64) => f64_bits(value),
            None => {
                let half = 1i128 << (sort.bits().max(1) - 1);
                let whole = value.round_ties_even() as i128;
                whole.clamp(-half, half - 1) as u128 & mask(sort.bits())
            }
        }
    }

    pub fn back_to_best(&mut self) {
        for slot in 0..self.best.1.len() {
            if self.program.input(slot) != self.best.1[slot] {
                self.program.update(slot, self.best.1[slot]);
            }
        }
        self.measure();
    }

    /// The assignment, with what the hint said about other variables of the question.
    pub fn model(&self) -> Model {
        let mut model = Model::new();
        for var in self.pool.vars_of(self.assertions) {
            if let Some(value) = self.base.get(var) {
                model.set(var, value.clone());
            }
        }
        for (slot, &var) in self.program.vars().iter().enumerate() {
            model.set_bits(var, self.program.input(slot));
        }
        for var in self.program.array_vars() {
            if model.get(var).is_none() {
                model.set(var, term::Value::Array(Default::default()));
            }
        }
        model
    }

    pub fn failing(&self) -> Vec<TermId> {
        self.assertions.iter().copied().filter(|&t| self.value_of(t) == 0).collect()
    }

    /// Variables of failing assertions.
    pub fn slots_of_failing(&self) -> Vec<usize> {
        let mut slots: Vec<usize> = Vec::new();
        for t in self.failing() {
            let vars = self.pool.vars(t);
            slots.extend(vars.iter().filter_map(|&v| self.slot_of(self.pool.var_term(v))));
        }
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// The variable's value some steps up or down its order; `None` at the end of it.
    pub fn stepped(&self, slot: usize, step: u128, up: bool) -> Option<u128> {
        let (sort, value) = (self.sort(slot), self.value(slot));
        if let Some(float) = sort.float() {
            let place = distance::ordered(float, value)?;
            let step = i128::try_from(step).ok()?;
            let moved = if up { place.checked_add(step)? } else { place.checked_sub(step)? };
            return distance::unordered(float, moved);
        }
        let moved = if up { value.wrapping_add(step) } else { value.wrapping_sub(step) } & mask(sort.bits());
        (step <= mask(sort.bits())).then_some(moved)
    }

    fn measure(&mut self) {
        let mut cost = 0u128;
        for &t in self.assertions {
            cost = cost.saturating_add(distance::of(self, t));
        }
        self.cost = cost;
        if cost < self.best.0 {
            self.best.0 = cost;
            self.best.1.clear();
            self.best.1.extend((0..self.program.vars().len()).map(|slot| self.program.input(slot)));
        }
    }
}
