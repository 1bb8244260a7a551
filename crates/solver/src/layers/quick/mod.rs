//! Concrete search from the hint: most questions of an exploration want one value changed.
//!
//! Moves: solve an assertion for one variable by inverting the operators on the way to it (propagation), put
//! variables that are only compared in their order (placing), literals of the question and their neighbours as values,
//! descent on the distance by which the question fails, Newton's method on its equations, and new starts at random. All
//! by evaluation, within a small budget, and reproducible: the random numbers depend on the question only. Where the
//! variables can have few values only, all are tried in the end (few), which answers either way.

mod distance;
mod few;
mod invert;
mod newton;
mod placing;
mod point;

use term::semantics::{f32_bits, f64_bits, mask};
use term::{Float, Op, Pool, Sort, TermId};

use self::point::Point;
use super::{Layer, LayerKind, Rest};
use crate::ask::{Answer, Model, Query};
use crate::shrink::{default_order, shrink};

pub struct Quick {
    seed: u64,
}

impl Quick {
    pub fn new(seed: u64) -> Self {
        Quick { seed }
    }
}

/// Where Z3 is strong, the search ends after this share of its budget.
const EASY_SHARE: u32 = 32;
/// Where nobody else knows the operators, it goes on for so many budgets.
const ALONE: u32 = 3;
/// The first moves of a propagation are the plain ones; randomness enters when they went in circles.
const PLAIN: u32 = 3;
/// Making the program costs as much as so many evaluations.
const SET_UP: u64 = 20;
/// Terms larger than this are left to Z3: an evaluation costs too much.
const MAX_NODES: usize = 20_000;

impl Layer for Quick {
    fn kind(&self) -> LayerKind {
        LayerKind::Quick
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let order = pool.postorder(query.assertions);
        let Some(budget) = budget(pool, query, &order) else { return rest.ask(pool, query) };
        let mut point = Point::new(pool, query, &order, budget, self.seed ^ question(pool, query));
        let found = search(&mut point, &order);
        rest.stats().effort += effort(budget - point.budget(), &order);
        let model = match found {
            true => point.model(),
            false => {
                let (few, operations) = few::all(pool, query.assertions, &order, query.hint);
                rest.stats().effort += operations / 2;
                match few {
                    few::Few::Found(model) => model,
                    // What our own functions say near a limit need not be what a runtime says.
                    few::Few::Nothing if !order.iter().any(|&t| pool.node(t).0.only_evaluated()) => {
                        rest.answered(LayerKind::Quick);
                        return Answer::Unsat((0..query.assertions.len()).collect());
                    }
                    few::Few::Nothing | few::Few::Many => return rest.ask(pool, query),
                }
            }
        };
        rest.answered(LayerKind::Quick);
        Answer::Sat(simple(pool, query, model))
    }
}

/// The first moves of the search, before anybody looks for a contradiction: where inputs are to be had they are mostly all
/// it takes, and the search that comes later would make them too.
pub struct Glance {
    seed: u64,
}

impl Glance {
    pub fn new(seed: u64) -> Self {
        Glance { seed }
    }
}

impl Layer for Glance {
    fn kind(&self) -> LayerKind {
        LayerKind::Quick
    }

    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer {
        // Without inputs to begin with it would take more.
        if query.hint.is_none() {
            return rest.ask(pool, query);
        }
        let order = pool.postorder(query.assertions);
        let Some(budget) = budget(pool, query, &order) else { return rest.ask(pool, query) };
        let mut point = Point::new(pool, query, &order, budget, self.seed ^ question(pool, query));
        let found = point.solved() || propagate(&mut point, 0..PLAIN);
        rest.stats().effort += effort(budget - point.budget(), &order);
        if !found {
            return rest.ask(pool, query);
        }
        let model = point.model();
        rest.answered(LayerKind::Quick);
        Answer::Sat(simple(pool, query, model))
    }
}

/// Evaluations that a question is worth; none if it is not to be searched.
fn budget(pool: &Pool, query: &Query, order: &[TermId]) -> Option<u32> {
    if query.limits.quick == 0 || order.len() > MAX_NODES {
        return None;
    }
    Some(match () {
        () if order.iter().any(|&t| pool.node(t).0.only_evaluated()) => query.limits.quick * ALONE,
        () if is_hard(pool, order) => query.limits.quick,
        () => query.limits.quick / EASY_SHARE,
    })
}

/// Random numbers depend on the question only.
fn question(pool: &Pool, query: &Query) -> u64 {
    query.assertions.iter().fold(0, |sum, &t| sum ^ pool.hash128(t)) as u64
}

/// What some evaluations cost. One computes what depends on one variable, a part of all.
fn effort(evaluations: u32, order: &[TermId]) -> u64 {
    (u64::from(evaluations) + SET_UP) * order.len() as u64 / 2
}

/// What the search moved is made simple; what the hint said stays.
fn simple(pool: &mut Pool, query: &Query, mut model: Model) -> Model {
    let mut order = default_order(pool, query.assertions);
    if let Some(hint) = query.hint {
        order.retain(|&(var, _)| hint.get(var) != model.get(var));
    }
    shrink(pool, query.assertions, &mut model, &order);
    model
}

/// The stages; true when the point satisfies the question.
fn search(point: &mut Point, order: &[TermId]) -> bool {
    let mut values: Vec<(Sort, u128)> = Vec::new();
    for &t in order {
        if let Some(k) = point.pool.as_const(t) {
            values.push((point.pool.sort(t), k));
        }
    }
    // By value, not by where they stand in the pool.
    values.sort_unstable();
    values.dedup();
    point.solved()
        || propagate(point, 0..PLAIN)
        || placing::place(point)
        || propagate(point, PLAIN..24)
        || literals(point, &values)
        || descend(point)
        || equations(point)
        || (point.budget_left() && restart(point, &values))
}

/// Floats and products are what a bit-blasting solver hates.
fn is_hard(pool: &Pool, order: &[TermId]) -> bool {
    order.iter().any(|&t| match pool.node(t) {
        (Op::BvMul | Op::BvUDiv | Op::BvSDiv | Op::BvURem | Op::BvSRem, _) => true,
        (
            Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFmod | Op::FpSqrt | Op::FpToSBvSat { .. },
            _,
        ) => true,
        _ => pool.sort(t).is_float(),
    })
}

/// Propagation moves, taken whether or not they lower the cost: the next one repairs.
fn propagate(point: &mut Point, moves: std::ops::Range<u32>) -> bool {
    for n in moves {
        if !point.budget_left() {
            return false;
        }
        let Some((slot, value)) = point.propagation(n >= PLAIN) else { continue };
        point.set(slot, value);
        if point.solved() {
            return true;
        }
    }
    false
}

/// Literals of the question, their neighbours and the usual suspects, for every variable of a failing assertion.
fn literals(point: &mut Point, values: &[(Sort, u128)]) -> bool {
    point.back_to_best();
    for slot in point.slots_of_failing() {
        let sort = point.sort(slot);
        let old = point.value(slot);
        for value in candidates(sort, values) {
            if !point.budget_left() {
                return false;
            }
            let before = point.cost();
            point.set(slot, value);
            if point.solved() {
                return true;
            }
            if point.cost() >= before {
                point.set(slot, old);
            } else {
                break;
            }
        }
    }
    false
}

fn candidates(sort: Sort, literals: &[(Sort, u128)]) -> Vec<u128> {
    let w = sort.bits();
    let mut list = match sort.float() {
        Some(Float::F32) => {
            [0.0, 1.0, -1.0, 0.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE]
                .map(f32_bits)
                .to_vec()
        }
        Some(Float::F64) => {
            [0.0, 1.0, -1.0, 0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE]
                .map(f64_bits)
                .to_vec()
        }
        None => vec![0, 1, mask(w), 1u128 << (w - 1), mask(w) >> 1],
    };
    for &(other, k) in literals {
        if other == sort && sort.is_float() {
            list.extend([k, k.wrapping_add(1), k.wrapping_sub(1)]);
        } else if !sort.is_float() && !other.is_float() {
            list.extend([k, k.wrapping_add(1), k.wrapping_sub(1), k.wrapping_neg()].map(|v| v & mask(w)));
        }
        if list.len() > 60 {
            break;
        }
    }
    list
}

/// One variable at a time, in growing steps as long as the distance shrinks.
fn descend(point: &mut Point) -> bool {
    point.back_to_best();
    let mut improved = true;
    while improved {
        improved = false;
        for slot in point.slots_of_failing() {
            for up in [true, false] {
                let mut step = 1u128;
                loop {
                    if !point.budget_left() {
                        return false;
                    }
                    let (before, old) = (point.cost(), point.value(slot));
                    let Some(value) = point.stepped(slot, step, up) else { break };
                    point.set(slot, value);
                    if point.solved() {
                        return true;
                    }
                    if point.cost() < before {
                        improved = true;
                        step = step.saturating_mul(2);
                    } else {
                        point.set(slot, old);
                        if step == 1 {
                            break;
                        }
                        // Overshot: begin again with small steps from here.
                        step = 1;
                    }
                }
            }
        }
    }
    false
}

/// Newton from the best point, then the last bits by descent.
fn equations(point: &mut Point) -> bool {
    point.back_to_best();
    newton::solve(point) || descend(point)
}

/// From the best point and from new ones in turn, for what is left of the budget.
fn restart(point: &mut Point, values: &[(Sort, u128)]) -> bool {
    let mut round = 0;
    while point.budget_left() {
        point.back_to_best();
        if round % 2 == 1 {
            scatter(point, values);
            if newton::solve(point) {
                return true;
            }
        }
        if propagate(point, 0..40) || descend(point) {
            return true;
        }
        point.spend(8);
        round += 1;
    }
    false
}

/// Puts the variables of failing assertions somewhere else: at literals, at small numbers, anywhere.
fn scatter(point: &mut Point, values: &[(Sort, u128)]) {
    for slot in point.slots_of_failing() {
        let sort = point.sort(slot);
        let tenths = point.random.below(400) as f64 / 10.0 - 20.0;
        let magnitude = [1.0, 0.01, 100.0, 1e6][point.random.below(4)];
        let value = match point.random.below(4) {
            0 => {
                let list = candidates(sort, values);
                list[point.random.below(list.len())]
            }
            1 | 2 => point.nearest(slot, tenths * magnitude),
            _ if sort.is_float() => point.nearest(slot, tenths),
            _ => u128::from(point.random.next()) & mask(sort.bits()),
        };
        point.place(slot, value);
    }
    point.measured();
}
