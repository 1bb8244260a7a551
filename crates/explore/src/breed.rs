//! Inputs bred from those that brought something: changed by chance, run without the symbolic side, which is a hundred
//! times cheaper than a flip, and kept where they come to code that no run has seen.
//!
//! What parsers want (three parts with blanks between, a number in each) takes many decisions of library code to be
//! turned, none of which seems to lead anywhere; a text like that is found by chance soon. From there on flips find the rest.
//! The share of the work that this gets grows with what it brings and falls with what it does not.

use crate::finished::Finished;
use crate::goal::Goal;
use crate::mutate::{Genes, Words};
use crate::strategy::Chance;
use crate::target::Target;
use ir::{BlockId, FuncId};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use term::Assignment;
use vm::{Edge, Lang, Outcome, Trace, Vm};

/// The share of the work, in 64ths: at first, at most.
const FIRST: u64 = 16;
const MOST: u64 = 32;
const LEAST: u64 = 4;
/// Jobs of a round.
const MOST_JOBS: u64 = 8;
/// Flips in vain before anything is bred.
const IN_VAIN: u32 = 12;
/// Runs of a job, and parents.
const TRIES: u32 = 48;
const PARENTS: usize = 4;
/// A run may take so many times the steps of its parents, and always so many.
const LONGER: u64 = 8;
const MIN_STEPS: u64 = 20_000;
/// A job ends after so many steps.
const JOB_STEPS: u64 = 1_000_000;
/// What bred runs cost is counted as effort, which the journal keeps: so much for 30 steps.
pub(crate) const EFFORT_A_STEP: (u64, u64) = (100, 30);

/// What a job breeds from, and what is nothing new.
pub(crate) struct Brood {
    parents: Vec<Assignment>,
    words: Arc<Words>,
    seen: Arc<Seen>,
    seed: u64,
    /// Of a run.
    steps: u64,
}

/// What runs came to in the functions of the goal.
#[derive(Clone, Default)]
struct Seen {
    funcs: FxHashSet<FuncId>,
    edges: FxHashSet<Edge>,
    blocks: FxHashSet<(FuncId, BlockId)>,
}

impl Seen {
    fn is_new(&self, trace: &Trace) -> bool {
        trace.blocks.iter().any(|at| self.funcs.contains(&at.0) && !self.blocks.contains(at))
            || trace.edges.iter().any(|edge| self.funcs.contains(&edge.func) && !self.edges.contains(edge))
    }
}

pub(crate) struct Nursery {
    chance: Chance,
    words: Arc<Words>,
    seen: Arc<Seen>,
    /// Runs that saw something first, by number.
    firsts: Vec<u32>,
    share: u64,
    /// Work that went into it, and by how many jobs.
    spent: u64,
    jobs: u64,
}

impl Nursery {
    pub(crate) fn new(seed: u64, words: Words, goal: &dyn Goal) -> Nursery {
        let funcs = goal.places().iter().map(|(site, _)| site.func).collect();
        Nursery {
            chance: Chance::new(seed ^ 0x6272_6565_6421),
            words: Arc::new(words),
            seen: Arc::new(Seen { funcs, ..Seen::default() }),
            firsts: Vec::new(),
            share: FIRST,
            spent: 0,
            jobs: 0,
        }
    }

    /// A run was merged. What a run saw that was stopped counts too: another one would be stopped as well.
    pub(crate) fn note(&mut self, run: u32, edges: &[Edge], blocks: &[(FuncId, BlockId)]) {
        let seen = &self.seen;
        let new_edge = edges.iter().any(|e| seen.funcs.contains(&e.func) && !seen.edges.contains(e));
        let new_block = blocks.iter().any(|b| seen.funcs.contains(&b.0) && !seen.blocks.contains(b));
        if new_edge || new_block || self.firsts.is_empty() {
            let seen = Arc::make_mut(&mut self.seen);
            seen.edges.extend(edges.iter().filter(|e| seen.funcs.contains(&e.func)));
            seen.blocks.extend(blocks.iter().filter(|b| seen.funcs.contains(&b.0)));
            self.firsts.push(run);
        }
    }

    /// The jobs of the next round, if it is time for any: so much work was done in all.
    pub(crate) fn next<O>(
        &mut self,
        (finished, near): (&[Finished<O>], &[bool]),
        fruitless: u32,
        work: u64,
    ) -> Vec<Brood> {
        let due = (work * self.share / 64).saturating_sub(self.spent);
        if fruitless < IN_VAIN || due == 0 || finished.is_empty() {
            return Vec::new();
        }
        let jobs = 1 + due / (self.spent / self.jobs.max(1)).max(1);
        (0..jobs.min(MOST_JOBS)).map(|_| self.brood(finished, near)).collect()
    }

    fn brood<O>(&mut self, finished: &[Finished<O>], near: &[bool]) -> Brood {
        // The newest of those that saw something first, any of them, and two that came to a branch that is still wanted.
        let near = |run: usize| near.get(run).copied().unwrap_or(false);
        let firsts = &self.firsts;
        let close: Vec<usize> = firsts.iter().map(|run| *run as usize).filter(|run| near(*run)).collect();
        let mut chosen: Vec<usize> = firsts.last().map(|run| *run as usize).into_iter().collect();
        while chosen.len() < PARENTS {
            let from = match (chosen.len(), close.is_empty(), firsts.is_empty()) {
                (1 | 2, false, _) => close[self.chance.below(close.len())],
                (_, _, false) => firsts[self.chance.below(firsts.len())] as usize,
                _ => self.chance.below(finished.len()),
            };
            chosen.push(from);
        }
        let parents: Vec<&Finished<O>> = chosen.iter().filter_map(|run| finished.get(*run)).collect();
        let steps = parents.iter().map(|run| run.steps).max().unwrap_or(0);
        Brood {
            parents: parents.iter().map(|run| run.model.clone()).collect(),
            words: self.words.clone(),
            seen: self.seen.clone(),
            seed: self.chance.draw(),
            steps: (steps * LONGER).max(MIN_STEPS),
        }
    }

    /// What came of a job that took so much work.
    pub(crate) fn feedback(&mut self, work: u64, new: bool) {
        self.spent += work;
        self.jobs += 1;
        self.share = match new {
            true => (self.share + self.share / 2 + 1).min(MOST),
            false => (self.share - self.share / 32).max(LEAST),
        };
    }
}

impl Brood {
    /// Breeds until a run comes to something new; its inputs. Variables are those of the machine's pool, which knows the
    /// parents' by `import`.
    pub(crate) fn breed<L: Lang, T: Target<L>>(
        &self,
        vm: &mut Vm<L>,
        target: &mut T,
        import: &mut dyn FnMut(&mut Vm<L>, &Assignment) -> Assignment,
    ) -> Option<Assignment> {
        let mut chance = Chance::new(self.seed);
        let before = vm.steps;
        (vm.limits.steps, vm.limits.quiet) = (self.steps, 0);
        let mut parents: Vec<(Assignment, Genes)> = Vec::new();
        for parent in &self.parents {
            let model = import(vm, parent);
            vm.start_run(model.clone());
            target.execute(vm);
            let genes = Genes::of(&vm.pool, &vm.inputs);
            if !genes.is_empty() {
                parents.push((model, genes));
            }
        }
        if parents.is_empty() {
            return None;
        }
        for _ in 0..TRIES {
            if vm.steps - before > JOB_STEPS {
                break;
            }
            let (parent, genes) = &parents[chance.below(parents.len())];
            let other = &parents[chance.below(parents.len())].0;
            let model = genes.child(&mut chance, &mut vm.pool, parent, other, &self.words);
            vm.start_run(model.clone());
            let outcome = target.execute(vm);
            if !matches!(outcome, Outcome::Stopped(_)) && self.seen.is_new(&vm.trace) {
                return Some(model);
            }
        }
        None
    }
}
