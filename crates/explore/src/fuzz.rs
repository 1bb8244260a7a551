//! Mutated inputs, where the solver does not know: guided by how near they come, fed into the same tree.
//!
//! An alternative that the solver gave up, or that runs kept missing, is stuck. Inputs that reach its decision are
//! changed at random, mostly in the variables of its condition, and those that came nearest are changed again. The
//! share of a round that this gets grows with what it brings and falls with what it does not.

use crate::strategy::Chance;
use crate::tree::{Child, Slot, Tree};
use term::{Assignment, Op, Pool, Sort, TermId, VarId};

/// Alternatives that are worked at, the newest ones.
const STUCK: usize = 16;
/// Inputs kept for each, the nearest.
const PARENTS: usize = 4;
/// Runs in vain after which an alternative is left.
const TRIES: u32 = 96;
/// The share of a round, in 64ths: at first, at most.
const FIRST: u32 = 16;
const MOST: u32 = 48;

pub(crate) struct Fuzz {
    chance: Chance,
    stuck: Vec<Stuck>,
    share: u32,
    next: usize,
}

struct Stuck {
    slot: Slot,
    condition: TermId,
    variables: Vec<VarId>,
    /// Constants of the condition: what values are compared with.
    constants: Vec<u128>,
    /// With their distance.
    parents: Vec<(u128, Assignment)>,
    tries: u32,
}

impl Fuzz {
    pub(crate) fn new(seed: u64) -> Fuzz {
        Fuzz { chance: Chance::new(seed ^ 0x6675_7a7a), stuck: Vec::new(), share: FIRST, next: 0 }
    }

    /// An alternative that is stuck, and inputs that come to its decision.
    pub(crate) fn add(&mut self, pool: &Pool, tree: &Tree, slot: Slot, model: &Assignment) {
        let Some(node) = slot.node() else { return };
        let condition = tree.condition(node, slot.alternative);
        let variables: Vec<VarId> =
            pool.vars(condition).iter().copied().filter(|v| !pool.var_sort(*v).is_array()).collect();
        if variables.is_empty() || self.stuck.iter().any(|stuck| stuck.slot == slot) {
            return;
        }
        let mut constants: Vec<u128> =
            pool.postorder(&[condition]).into_iter().filter_map(|term| pool.as_const(term)).collect();
        constants.sort_unstable();
        constants.dedup();
        constants.truncate(32);
        if self.stuck.len() >= STUCK {
            self.stuck.remove(0);
        }
        let parents = vec![(distance(pool, condition, model), model.clone())];
        self.stuck.push(Stuck { slot, condition, variables, constants, parents, tries: 0 });
    }

    /// Inputs to run in a round of so many flips; `alone` if there is nothing else to do.
    pub(crate) fn round(
        &mut self,
        pool: &Pool,
        tree: &Tree,
        flips: usize,
        alone: bool,
    ) -> Vec<(Slot, Assignment)> {
        self.stuck.retain(|s| s.tries < TRIES && matches!(tree.child(s.slot), Child::GaveUp(_)));
        if self.stuck.is_empty() {
            return Vec::new();
        }
        let count = if alone { flips } else { (flips * self.share as usize).div_ceil(64) };
        (0..count)
            .map(|_| {
                self.next = (self.next + 1) % self.stuck.len();
                let stuck = &mut self.stuck[self.next];
                stuck.tries += 1;
                (stuck.slot, mutate(&mut self.chance, pool, stuck))
            })
            .collect()
    }

    /// What came of inputs that were tried for an alternative.
    pub(crate) fn feedback(&mut self, pool: &Pool, slot: Slot, model: &Assignment, new: bool) {
        self.share = match new {
            true => (self.share * 2).min(MOST),
            false => (self.share - self.share / 16).max(1),
        };
        let Some(stuck) = self.stuck.iter_mut().find(|stuck| stuck.slot == slot) else { return };
        let near = distance(pool, stuck.condition, model);
        let best = stuck.parents.first().is_none_or(|(best, _)| near < *best);
        if best {
            stuck.tries = stuck.tries.saturating_sub(TRIES / 4);
        }
        if best || new || stuck.parents.len() < PARENTS {
            stuck.parents.push((near, model.clone()));
            stuck.parents.sort_by_key(|(distance, _)| *distance);
            stuck.parents.truncate(PARENTS);
        }
    }
}

/// Changes a few variables of one of the parents.
fn mutate(chance: &mut Chance, pool: &Pool, stuck: &Stuck) -> Assignment {
    let parent = chance.below(stuck.parents.len());
    let mut model = stuck.parents[parent].1.clone();
    let mentioned: Vec<VarId> =
        model.iter().map(|(var, _)| var).filter(|var| !pool.var_sort(*var).is_array()).collect();
    for _ in 0..1 + chance.below(3) {
        let elsewhere = !mentioned.is_empty() && chance.below(8) == 0;
        let var = match elsewhere {
            true => mentioned[chance.below(mentioned.len())],
            false => stuck.variables[chance.below(stuck.variables.len())],
        };
        let width = pool.var_sort(var).bits().clamp(1, 128);
        let old = model.bits(var);
        let wide = u128::from(chance.draw()) | u128::from(chance.draw()) << 64;
        let value = match chance.below(7) {
            0 => old.wrapping_add(1 + wide % 16),
            1 => old.wrapping_sub(1 + wide % 16),
            2 => old ^ 1 << (wide % u128::from(width)),
            3 => wide,
            4 => wide >> (128 - 1 - wide % 16),
            5 if !stuck.constants.is_empty() => stuck.constants[chance.below(stuck.constants.len())],
            _ => model.bits(stuck.variables[chance.below(stuck.variables.len())]),
        };
        let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
        model.set_bits(var, value & mask);
    }
    model
}

/// How far inputs are from meeting a condition; 0 if they do.
fn distance(pool: &Pool, condition: TermId, model: &Assignment) -> u128 {
    if model.eval(pool, condition) != 0 {
        return 0;
    }
    let (op, args) = pool.node(condition);
    let (op, args) = match (op, args) {
        (Op::Not, [inner]) => pool.node(*inner),
        other => other,
    };
    match args {
        [a, b] if op != Op::Var && matches!(pool.sort(*a), Sort::Bv(_)) => {
            let (a, b) = (model.eval(pool, *a), model.eval(pool, *b));
            a.abs_diff(b).saturating_add(1)
        }
        // Nothing is known but that it does not hold.
        _ => u128::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_inputs_are_less_far() {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::Bv(32));
        let seven = pool.bv(32, 7);
        let equal = pool.eq(x, seven);
        let at = |pool: &Pool, value: u128| {
            let mut model = Assignment::new();
            model.set_bits(pool.var_of(x).unwrap(), value);
            distance(pool, equal, &model)
        };
        assert_eq!(at(&pool, 7), 0);
        assert!(at(&pool, 9) < at(&pool, 90));
        let other = pool.not(equal);
        let mut model = Assignment::new();
        model.set_bits(pool.var_of(x).unwrap(), 7);
        assert_eq!(distance(&pool, other, &model), 1);
    }
}
