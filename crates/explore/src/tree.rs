//! The execution tree: every decision that runs have met, and what is known of each alternative.
//!
//! A node's conditions part the inputs that reach it, so every run has exactly one place in the tree, found by
//! its own decisions where they are the ones predicted, and by evaluating the conditions where they are not.

use crate::finished::RunId;
use entity::{EntityId, PrimaryMap, entity};
use term::{Assignment, Pool, TermId};
use vm::{Elem, ElemKind, Site, Trace};

entity! {
    /// A node of the tree.
    pub struct NodeId = "n";
}

/// A decision that some run took.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub site: Site,
    /// Where its function was called from ([`Elem::caller`]).
    pub caller: Site,
    pub kind: ElemKind,
    /// How often the site had decided before on this path.
    pub visit: u32,
    /// Decisions above.
    pub depth: u32,
    /// Nodes right above that choose the same index or reference.
    pub chain: u32,
    /// A wish above was not granted: what lies here is second best.
    pub unwished: bool,
    pub alternatives: u32,
    /// Decided while inputs were made.
    pub input: bool,
    /// Decided on the way out with an exception ([`Elem::doomed`]).
    pub doomed: bool,
    /// Nothing of the program goes another way with it ([`Elem::moot`]).
    pub moot: bool,
    /// The run that met it first.
    pub run: RunId,
    /// The first run through it that came to an end of its own, once there is one: its other inputs are worth keeping.
    pub ended: Option<RunId>,
    /// What lies ahead ([`Elem::state`]).
    pub state: u128,
    pub(crate) parent: Slot,
    first: u32,
}

/// The place of a child: an alternative of a node, or the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    node: u32,
    pub alternative: u32,
}

impl Slot {
    pub const ROOT: Slot = Slot { node: u32::MAX, alternative: 0 };

    pub fn of(node: NodeId, alternative: u32) -> Slot {
        Slot { node: node.0, alternative }
    }

    pub fn node(self) -> Option<NodeId> {
        (self.node != u32::MAX).then_some(NodeId(self.node))
    }
}

/// Why an alternative was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// The solver did not know.
    Solver,
    /// Runs solved for it went elsewhere.
    Diverged,
    /// It lies beyond a bound.
    Bound,
    /// The attempt at it was a failure of ours.
    Failed,
}

/// What is known of an alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    Unexplored,
    /// In the frontier.
    Open,
    /// No inputs take it.
    Infeasible,
    /// Outside what the inputs may be; never explored.
    Excluded,
    /// Changes nothing but what the message of an exception says, which nobody catches; never explored.
    Moot,
    /// Leads on as this alternative of another node does, which is explored to its end ([`crate::joined`]).
    Joined(Slot),
    GaveUp(GaveUp),
    Node(NodeId),
    Leaf(RunId),
}

/// Where a run went.
#[derive(Debug, Default)]
pub struct Inserted {
    /// Nodes that are new, from the top.
    pub new: Vec<NodeId>,
    /// Whether the run went through the slot it was solved for.
    pub reached: bool,
    /// The node where it first decided otherwise than runs before it, though it should have been the same.
    pub strayed: Option<NodeId>,
    /// Whether another run had ended there already.
    pub known: bool,
    /// The nodes of the run's decisions, one each, in order.
    pub nodes: Vec<NodeId>,
    /// The alternatives that it took there.
    pub path: Vec<Slot>,
}

#[derive(Default)]
pub struct Tree {
    nodes: PrimaryMap<NodeId, Node>,
    /// Conditions and children of all nodes, side by side.
    conditions: Vec<TermId>,
    children: Vec<Child>,
    root: Option<Child>,
    given_up: u64,
    open: u64,
}

impl Tree {
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node]
    }

    /// A run through these nodes came to an end of its own.
    pub fn ended(&mut self, nodes: &[NodeId], run: RunId) {
        for node in nodes {
            self.nodes[*node].ended.get_or_insert(run);
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether nothing is left to explore, and nothing was given up.
    pub fn is_closed(&self) -> bool {
        self.root.is_some() && self.open == 0 && self.given_up == 0
    }

    pub fn open(&self) -> u64 {
        self.open
    }

    pub fn child(&self, slot: Slot) -> Child {
        match slot.node() {
            None => self.root.unwrap_or(Child::Unexplored),
            Some(node) => self.children[(self.nodes[node].first + slot.alternative) as usize],
        }
    }

    pub fn set_child(&mut self, slot: Slot, child: Child) {
        let old = self.child(slot);
        self.count(old, false);
        self.count(child, true);
        match slot.node() {
            None => self.root = Some(child),
            Some(node) => {
                let at = self.nodes[node].first + slot.alternative;
                self.children[at as usize] = child;
            }
        }
    }

    /// Where what a node decides was decided first: above it, the variables of its condition were still free.
    pub fn first_decided(&self, pool: &Pool, node: NodeId) -> Slot {
        let vars = pool.vars(self.condition(node, 0));
        let mut first = self.nodes[node].parent;
        let mut at = first;
        while let Some(above) = at.node() {
            at = self.nodes[above].parent;
            if self.nodes[above].kind == ElemKind::Fresh && pool.vars(self.condition(above, 0)) == vars {
                first = at;
            }
        }
        first
    }

    /// The condition of an alternative alone.
    pub fn condition(&self, node: NodeId, alternative: u32) -> TermId {
        self.conditions[(self.nodes[node].first + alternative) as usize]
    }

    /// Everything that must hold to reach a slot, from the top.
    pub fn path_condition(&self, slot: Slot) -> Vec<TermId> {
        let mut path = Vec::new();
        let mut at = slot;
        while let Some(node) = at.node() {
            path.push(self.condition(node, at.alternative));
            at = self.nodes[node].parent;
        }
        path.reverse();
        path
    }

    /// Puts a run in its place.
    pub fn insert(
        &mut self,
        pool: &mut Pool,
        trace: &Trace,
        model: &Assignment,
        run: RunId,
        target: Option<Slot>,
    ) -> Inserted {
        let mut result = Inserted { reached: target.is_none(), ..Inserted::default() };
        let mut elems = trace.elems.iter().peekable();
        let mut slot = Slot::ROOT;
        let mut apart = false;
        loop {
            result.reached |= target == Some(slot);
            let child = self.child(slot);
            let Child::Node(node) = child else {
                match elems.peek() {
                    Some(elem) => {
                        let node = self.add(pool, slot, trace, elem, run);
                        result.new.push(node);
                        continue;
                    }
                    None => {
                        result.known = matches!(child, Child::Leaf(_));
                        if !result.known {
                            self.set_child(slot, Child::Leaf(run));
                        }
                        return result;
                    }
                }
            };
            let choice = match elems.peek() {
                Some(elem) if self.is_same(node, trace, elem) => {
                    let choice = elem.choice;
                    result.nodes.push(node);
                    result.path.push(Slot::of(node, choice));
                    elems.next();
                    choice
                }
                _ => {
                    // Which object or index a run picks differs from run to run, by design; from there on its
                    // decisions are its own.
                    apart |= matches!(self.nodes[node].kind, ElemKind::Which | ElemKind::Assume);
                    // So does how inputs are made: a longer array has more elements to decide on.
                    apart |= self.nodes[node].input || elems.peek().is_some_and(|elem| elem.input);
                    if !apart && result.strayed.is_none() {
                        result.strayed = Some(node);
                    }
                    self.alternative_of(pool, node, model)
                }
            };
            slot = Slot::of(node, choice);
        }
    }

    /// The alternative of a node that holds under a model.
    fn alternative_of(&self, pool: &Pool, node: NodeId, model: &Assignment) -> u32 {
        let alternatives = self.nodes[node].alternatives;
        let holds = |i: &u32| model.eval(pool, self.condition(node, *i)) != 0;
        // The last one is what is left: alternatives exclude each other and one of them holds.
        (0..alternatives.saturating_sub(1)).find(holds).unwrap_or(alternatives.saturating_sub(1))
    }

    fn is_same(&self, node: NodeId, trace: &Trace, elem: &Elem) -> bool {
        let known = &self.nodes[node];
        let conditions = &trace.conditions[elem.first as usize..(elem.first + elem.alternatives) as usize];
        let first = known.first as usize;
        known.site == elem.site
            && known.kind == elem.kind
            && known.alternatives == elem.alternatives.max(2)
            && self.conditions[first..first + conditions.len()] == *conditions
    }

    /// Adds the node of a decision. One that only has what was taken gets a second, excluded alternative, for
    /// runs that decided otherwise.
    fn add(&mut self, pool: &mut Pool, slot: Slot, trace: &Trace, elem: &Elem, run: RunId) -> NodeId {
        let first = self.conditions.len() as u32;
        let conditions = &trace.conditions[elem.first as usize..(elem.first + elem.alternatives) as usize];
        self.conditions.extend_from_slice(conditions);
        self.children.extend(conditions.iter().map(|_| Child::Unexplored));
        let mut alternatives = elem.alternatives;
        if let [only] = conditions {
            self.conditions.push(pool.not(*only));
            self.children.push(Child::Excluded);
            alternatives = 2;
        }
        let parent = slot.node().map(|node| self.nodes[node]);
        let chain = match parent {
            Some(p) if p.kind == ElemKind::Which && elem.kind == p.kind && p.site == elem.site => p.chain + 1,
            _ => 0,
        };
        let depth = parent.map_or(0, |p| p.depth + 1);
        let node = self.nodes.push(Node {
            site: elem.site,
            caller: elem.caller,
            kind: elem.kind,
            visit: elem.visit,
            depth,
            chain,
            unwished: parent
                .is_some_and(|p| p.unwished || p.kind == ElemKind::Prefer && slot.alternative != 0),
            doomed: elem.doomed,
            moot: elem.moot,
            alternatives,
            input: elem.input,
            run,
            ended: None,
            state: elem.state,
            parent: slot,
            first,
        });
        debug_assert_eq!(node.index() + 1, self.nodes.len());
        self.set_child(slot, Child::Node(node));
        node
    }

    fn count(&mut self, child: Child, add: bool) {
        let counter = match child {
            Child::Open => &mut self.open,
            Child::GaveUp(_) => &mut self.given_up,
            // Unexplored is what an alternative is only until the explorer has looked at its new node.
            _ => return,
        };
        match add {
            true => *counter += 1,
            false => *counter -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::FuncId;
    use term::Sort;

    /// `x < limit` for a 32-bit input `x`.
    fn below(pool: &mut Pool, limit: u64) -> TermId {
        let x = pool.declare("x", Sort::Bv(32));
        let limit = pool.bv(32, limit);
        pool.ult(x, limit)
    }

    fn model(pool: &mut Pool, x: u128) -> Assignment {
        let term = pool.declare("x", Sort::Bv(32));
        let mut model = Assignment::default();
        model.set_bits(pool.var_of(term).unwrap(), x);
        model
    }

    fn decide(
        pool: &mut Pool,
        trace: &mut Trace,
        index: u32,
        kind: ElemKind,
        condition: TermId,
        choice: u32,
    ) {
        let first = trace.conditions.len() as u32;
        let alternatives = if kind == ElemKind::Assume { 1 } else { 2 };
        trace.conditions.push(condition);
        if alternatives == 2 {
            let negated = pool.not(condition);
            trace.conditions.push(negated);
        }
        let site = Site { func: FuncId(0), index };
        trace.elems.push(Elem {
            site,
            kind,
            choice,
            alternatives,
            first,
            visit: 0,
            walked: 0,
            input: false,
            objects: 0,
            doomed: false,
            moot: false,
            caller: Site::OUTSIDE,
            state: 0,
        });
    }

    #[test]
    fn a_run_that_keeps_its_promise_reaches_its_slot() {
        let (mut pool, mut tree) = (Pool::new(), Tree::default());
        let small = below(&mut pool, 10);
        let mut trace = Trace::default();
        decide(&mut pool, &mut trace, 1, ElemKind::Branch, small, 0);
        let zero = model(&mut pool, 0);
        let first = tree.insert(&mut pool, &trace, &zero, RunId(0), None);
        let slot = Slot::of(first.new[0], 1);
        assert_eq!(
            (tree.child(slot), tree.child(Slot::of(first.new[0], 0))),
            (Child::Unexplored, Child::Leaf(RunId(0)))
        );

        trace.clear();
        decide(&mut pool, &mut trace, 1, ElemKind::Branch, small, 1);
        let big = model(&mut pool, 10);
        let second = tree.insert(&mut pool, &trace, &big, RunId(1), Some(slot));
        assert!(second.reached && second.strayed.is_none() && second.new.is_empty());
        assert_eq!(tree.child(slot), Child::Leaf(RunId(1)));
        let negated = pool.not(small);
        assert_eq!(tree.path_condition(slot), [negated]);
    }

    #[test]
    fn a_run_that_decides_elsewhere_has_strayed_and_is_placed_by_its_inputs() {
        let (mut pool, mut tree) = (Pool::new(), Tree::default());
        let small = below(&mut pool, 10);
        let mut trace = Trace::default();
        decide(&mut pool, &mut trace, 1, ElemKind::Branch, small, 0);
        let zero = model(&mut pool, 0);
        let node = tree.insert(&mut pool, &trace, &zero, RunId(0), None).new[0];

        // The same inputs region, but the program decides at another place.
        trace.clear();
        let tiny = below(&mut pool, 3);
        decide(&mut pool, &mut trace, 2, ElemKind::Branch, tiny, 1);
        let twenty = model(&mut pool, 20);
        let strayed = tree.insert(&mut pool, &trace, &twenty, RunId(1), Some(Slot::of(node, 1)));
        assert_eq!((strayed.strayed, strayed.reached), (Some(node), true));
        assert_eq!(tree.child(Slot::of(node, 1)), Child::Node(strayed.new[0]));
    }

    #[test]
    fn another_index_is_no_stray_but_the_next_choice_below() {
        let (mut pool, mut tree) = (Pool::new(), Tree::default());
        let x = pool.declare("x", Sort::Bv(32));
        let mut pick = |value: u64, tree: &mut Tree, run: u32, target: Option<Slot>| {
            let mut trace = Trace::default();
            let here = pool.bv(32, value);
            let picked = pool.eq(x, here);
            decide(&mut pool, &mut trace, 1, ElemKind::Which, picked, 0);
            let model = model(&mut pool, value.into());
            tree.insert(&mut pool, &trace, &model, RunId(run), target)
        };
        let first = pick(5, &mut tree, 0, None).new[0];
        let second = pick(7, &mut tree, 1, Some(Slot::of(first, 1)));
        assert!(second.reached && second.strayed.is_none());
        let node = second.new[0];
        assert_eq!(tree.child(Slot::of(first, 1)), Child::Node(node));
        assert_eq!((tree.node(node).chain, tree.node(node).depth), (1, 1));
        assert!(pick(5, &mut tree, 2, None).known, "the first path again");
    }

    #[test]
    fn what_was_assumed_is_asked_again_and_its_opposite_is_excluded() {
        let (mut pool, mut tree) = (Pool::new(), Tree::default());
        let small = below(&mut pool, 10);
        let tiny = below(&mut pool, 3);
        let mut trace = Trace::default();
        decide(&mut pool, &mut trace, 1, ElemKind::Assume, small, 0);
        decide(&mut pool, &mut trace, 2, ElemKind::Branch, tiny, 0);
        let zero = model(&mut pool, 0);
        let nodes = tree.insert(&mut pool, &trace, &zero, RunId(0), None).new;
        assert_eq!(tree.child(Slot::of(nodes[0], 1)), Child::Excluded);
        let not_tiny = pool.not(tiny);
        assert_eq!(tree.path_condition(Slot::of(nodes[1], 1)), [small, not_tiny]);
    }
}
