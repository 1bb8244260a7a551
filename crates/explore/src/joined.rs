//! Alternatives that lead on as others do: the same state, and inputs that are no freer.
//!
//! A run's decisions keep the state they were taken in ([`vm::Elem::state`]): two nodes with the same state and the same
//! conditions go on alike for the same inputs. Let the subtree of an alternative of one of them be explored to its end,
//! and let `V` be the variables that anything in it was decided by. What was asserted on the way to it matters there only
//! as far as it is about `V`, or about variables connected with `V` by other assertions. Where all of that was asserted on
//! the way to the other node too, whatever inputs take the same alternative there, inputs with the same values of `V` take
//! it here, and were explored: nothing new can be covered. (Read-write sets after Boonstoppel, Cadar and Engler, with
//! decisions in place of locations: what is read and decides nothing does not count. Subsumption of constraints besides.)

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use term::{Pool, TermId, VarId};

use crate::finished::End;
use crate::frontier::Candidate;
use crate::tree::{Child, GaveUp, Inserted, NodeId, Slot, Tree};
use crate::worker::Run;
use vm::{ElemKind, Stop};

/// So many nodes of one state are compared.
const COMPARED: usize = 16;
/// After so many looks it must have paid, or it ends.
const LOOKS: u64 = 512;
/// One of so many must have been left out or made to wait.
const WORTH: u64 = 8;
/// Nodes and assertions that may be looked at, about a tenth of a microsecond each, and how many more for each alternative
/// that was left out: a run costs more than that.
const EFFORT: u64 = 200_000;
const EFFORT_EACH: u64 = 1_000;
/// Larger subtrees are not gone through.
const MAX_NODES: usize = 20_000;

type Vars = Rc<FxHashSet<VarId>>;

/// What is known of states.
#[derive(Default)]
pub(crate) struct Joined {
    nodes: FxHashMap<u128, Vec<NodeId>>,
    /// What runs relied on without a decision, by the alternative they had taken last.
    implied: FxHashMap<Slot, FxHashSet<TermId>>,
    /// Alternatives with a run that was cut off, or that went elsewhere than was thought.
    cut: FxHashSet<Slot>,
    /// Variables that decide in subtrees that are explored to their end.
    deciding: FxHashMap<Slot, Vars>,
    count: u64,
    looks: u64,
    effort: u64,
    /// It does not pay here: runs keep no states any more, and nothing is compared.
    ended: bool,
    /// Alternatives of states that are being explored elsewhere; they are tried when nothing else is left.
    waiting: Vec<Candidate>,
    /// Those whose time has come.
    released: FxHashSet<Slot>,
}

/// What is to become of a candidate.
pub(crate) enum Look {
    Try,
    /// This alternative stands for it.
    Joined(Slot),
    Wait,
}

impl Joined {
    /// How many alternatives were left out.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Takes down a run that was put into the tree.
    pub(crate) fn note<O>(&mut self, tree: &Tree, run: &Run<O>, inserted: &Inserted) {
        for &node in &inserted.new {
            let state = tree.node(node).state;
            if state != 0 {
                self.nodes.entry(state).or_default().push(node);
            }
        }
        let aligned = inserted.strayed.is_none() && inserted.path.len() == run.trace.elems.len();
        let slot = |at: u32| match at.checked_sub(1) {
            Some(last) => inserted.path.get(last as usize).copied(),
            None => Some(Slot::ROOT),
        };
        for (at, term) in &run.trace.implied {
            if let Some(slot) = slot(*at) {
                self.implied.entry(slot).or_default().insert(*term);
            }
        }
        let ended = matches!(run.end, End::Returned | End::Threw { .. } | End::Stopped(Stop::Assumption));
        if !ended || !aligned {
            self.cut.extend(inserted.path.last());
        }
    }

    /// Whether more was spent than it can have saved.
    fn is_dear(&self) -> bool {
        self.effort > EFFORT + self.count * EFFORT_EACH
    }

    /// Looks at a candidate that is about to be tried. One whose state was met before waits: what lies ahead of it is
    /// probably no news, and once the other one is explored it may turn out to be none for certain.
    pub(crate) fn look(&mut self, pool: &Pool, tree: &Tree, candidate: &Candidate) -> Look {
        self.looks += 1;
        self.ended |= self.looks == LOOKS && (self.count + self.waiting.len() as u64) * WORTH < self.looks;
        self.ended |= self.is_dear();
        if self.ended {
            return Look::Try;
        }
        if let Some(slot) = self.slot_for(pool, tree, candidate.slot) {
            return Look::Joined(slot);
        }
        let Some(here) = candidate.slot.node().filter(|_| !self.released.contains(&candidate.slot)) else {
            return Look::Try;
        };
        let tried = |other: NodeId| {
            let child = tree.child(Slot::of(other, candidate.slot.alternative));
            !matches!(child, Child::GaveUp(_) | Child::Infeasible | Child::Excluded | Child::Moot)
        };
        match self.same(tree, here).into_iter().any(|other| other < here && tried(other)) {
            true => {
                self.waiting.push(*candidate);
                Look::Wait
            }
            false => Look::Try,
        }
    }

    /// Nothing else is left: who waits is looked at again, the deepest first. Gives those that stand for nothing that is
    /// known, one of a state, and the alternatives that others stand for now.
    pub(crate) fn wake(&mut self, pool: &Pool, tree: &mut Tree) -> Vec<Candidate> {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|candidate| tree.child(candidate.slot) == Child::Open);
        if self.ended {
            return waiting;
        }
        waiting.sort_by_key(|candidate| (std::cmp::Reverse(candidate.depth), candidate.order));
        loop {
            let before = waiting.len();
            waiting.retain(|candidate| match self.slot_for(pool, tree, candidate.slot) {
                Some(slot) => {
                    tree.set_child(candidate.slot, Child::Joined(slot));
                    false
                }
                None => true,
            });
            if waiting.len() == before {
                break;
            }
        }
        let mut states: FxHashSet<(u128, u32)> = FxHashSet::default();
        let mut go = Vec::new();
        for candidate in waiting {
            let state = candidate.slot.node().map_or(0, |node| tree.node(node).state);
            match states.insert((state, candidate.alternative)) {
                true => {
                    self.released.insert(candidate.slot);
                    go.push(candidate);
                }
                false => self.waiting.push(candidate),
            }
        }
        go
    }

    /// Other nodes of the same state that decide the same.
    fn same(&self, tree: &Tree, here: NodeId) -> Vec<NodeId> {
        let a = tree.node(here);
        let Some(others) = self.nodes.get(&a.state).filter(|_| a.state != 0) else { return Vec::new() };
        let same = |other: &NodeId| {
            let b = tree.node(*other);
            *other != here
                && (a.site, a.kind, a.alternatives) == (b.site, b.kind, b.alternatives)
                && (0..a.alternatives).all(|i| tree.condition(here, i) == tree.condition(*other, i))
        };
        others.iter().copied().filter(same).take(COMPARED).collect()
    }

    /// An alternative that stands for this one.
    fn slot_for(&mut self, pool: &Pool, tree: &Tree, slot: Slot) -> Option<Slot> {
        let here = slot.node().filter(|_| !self.is_dear())?;
        let others = self.same(tree, here);
        self.effort += others.len() as u64;
        let asserted: FxHashSet<TermId> = tree.path_condition(tree.node(here).parent).into_iter().collect();
        let found = others.into_iter().map(|other| Slot::of(other, slot.alternative)).find(|&other| {
            let Some(vars) = self.deciding(pool, tree, other) else { return false };
            let Some(node) = other.node() else { return false };
            let above = tree.path_condition(tree.node(node).parent);
            let (about, looks) = about(pool, &above, &vars);
            self.effort += looks;
            about.iter().all(|term| asserted.contains(term))
        })?;
        self.count += 1;
        Some(found)
    }

    /// The variables that decide below an alternative, its own condition included; `None` unless it is explored to its end.
    fn deciding(&mut self, pool: &Pool, tree: &Tree, slot: Slot) -> Option<Vars> {
        let mut vars: FxHashSet<VarId> = FxHashSet::default();
        if let Some(node) = slot.node() {
            for i in 0..tree.node(node).alternatives {
                vars.extend(pool.vars(tree.condition(node, i)).iter());
            }
        }
        vars.extend(self.below(pool, tree, slot)?.iter());
        Some(Rc::new(vars))
    }

    fn below(&mut self, pool: &Pool, tree: &Tree, root: Slot) -> Option<Vars> {
        if let Some(known) = self.deciding.get(&root) {
            return Some(known.clone());
        }
        let mut vars: FxHashSet<VarId> = FxHashSet::default();
        let mut open = vec![root];
        let mut seen = 0;
        while let Some(slot) = open.pop() {
            if let Some(known) = self.deciding.get(&slot) {
                vars.extend(known.iter());
                continue;
            }
            if self.cut.contains(&slot) {
                return None;
            }
            for term in self.implied.get(&slot).into_iter().flatten() {
                vars.extend(pool.vars(*term).iter());
            }
            match tree.child(slot) {
                // A bound ends the other one where it ends this; the ledger has it, so nothing is claimed beyond.
                Child::Infeasible | Child::Moot | Child::Leaf(_) | Child::GaveUp(GaveUp::Bound) => {}
                Child::Unexplored | Child::Open | Child::GaveUp(_) => return None,
                // What a run relied on is never tried otherwise; other exclusions are of our making.
                Child::Excluded => {
                    slot.node().filter(|node| tree.node(*node).kind == ElemKind::Assume)?;
                }
                // Left out only if that other was explored to its end.
                Child::Joined(other) => open.push(other),
                Child::Node(node) => {
                    for i in 0..tree.node(node).alternatives {
                        vars.extend(pool.vars(tree.condition(node, i)).iter());
                        open.push(Slot::of(node, i));
                    }
                }
            }
            seen += 1;
            self.effort += 1;
            if seen > MAX_NODES {
                return None;
            }
        }
        let vars = Rc::new(vars);
        self.deciding.insert(root, vars.clone());
        Some(vars)
    }
}

/// The assertions about some variables, and about whatever those are connected with by other assertions.
/// How many looks that took, too.
fn about(pool: &Pool, assertions: &[TermId], vars: &FxHashSet<VarId>) -> (Vec<TermId>, u64) {
    let mut vars = vars.clone();
    let mut left: Vec<TermId> = assertions.to_vec();
    let (mut found, mut looks) = (Vec::new(), 0);
    loop {
        let before = found.len();
        looks += left.len() as u64;
        left.retain(|&term| {
            let shares = pool.vars(term).iter().any(|var| vars.contains(var));
            if shares {
                vars.extend(pool.vars(term).iter());
                found.push(term);
            }
            !shares
        });
        if found.len() == before {
            return (found, looks);
        }
    }
}
