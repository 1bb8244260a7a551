//! Putting a run into the tree, the account and the list.

use std::collections::BTreeSet;

use ledger::Kind;
use vm::{ElemKind, Lang, Outcome, Stop, Trace};

use super::choose::beyond;
use super::{Event, MAX_DEMANDS, Session, State};
use crate::finished::{End, Finished, RunId, taken};
use crate::frontier::{AIMS, Candidate};
use crate::goal::{Aim, Flip, ObligationId};
use crate::target::Target;
use crate::tree::{Child, GaveUp, Inserted, Node, NodeId, Slot};
use crate::worker::Run;

/// So many of the last decisions of a run whose inputs could not be made are tried another way soon.
const MENDS: usize = 3;

/// What a run brought, and whether it went where it was sent.
pub(super) struct Merged {
    pub new: bool,
    pub reached: bool,
}

impl<L, T> Session<'_, L, T>
where
    L: Lang + Clone + Send,
    T: Target<L> + Clone + Send,
    T::Observation: Send,
{
    /// Puts a run into the tree, the account and the list.
    pub(super) fn merge(
        &mut self,
        state: &mut State<L, T>,
        run: Run<T::Observation>,
        target: Option<Slot>,
    ) -> Merged {
        let id = RunId(state.finished.len() as u32);
        if self.options.audit {
            self.audit(&run);
        }
        let inserted = state.tree.insert(&mut self.vm.pool, &run.trace, &run.model, id, target);
        state.joined.note(&state.tree, &run, &inserted);
        self.note_stray(state, id, target, &inserted);
        self.note_stop(&run);
        let waited_for = run.steps > self.vm.limits.steps && run.end == End::Stopped(Stop::Steps);
        state.endless += u32::from(waited_for);
        let mut new = Vec::new();
        let mut meets = Vec::new();
        let mut shown = false;
        if run.end.is_behaviour() {
            state.tree.ended(&inserted.nodes, id);
            state.tree.ended(&inserted.new, id);
            meets = self.goal.met_by(&run.trace);
            for obligation in &meets {
                if let Some(covered @ None) = state.covered.get_mut(*obligation as usize) {
                    *covered = Some(id);
                    new.push(*obligation);
                }
            }
            let asked = |e: &&vm::Elem| {
                matches!(e.kind, ElemKind::Check(_)) || e.kind == ElemKind::Branch && e.site.is_outside()
            };
            for elem in run.trace.elems.iter().filter(asked) {
                state.checks.saw(elem.site, elem.choice);
            }
        }
        if run.end == End::Returned {
            let first = !state.returned;
            state.returned = true;
            let unshown = |o: &&ObligationId| state.shown.get(**o as usize) == Some(&false);
            let newly: Vec<ObligationId> = meets.iter().filter(unshown).copied().collect();
            newly.iter().for_each(|o| state.shown[*o as usize] = true);
            if state.showing && (first || !newly.is_empty()) {
                state.fruitless = 0;
                shown = true;
            }
        }
        if let End::Threw { class, site, .. } = &run.end
            && self.target.is_bug(self.vm, &run.end)
        {
            state.bugs.insert((*class, *site));
        }
        if !new.is_empty() {
            state.fruitless = 0;
            let met: Vec<bool> = state.covered.iter().map(Option::is_some).collect();
            state.wanted = self.goal.wants(&met);
            state.leave_refuted();
            self.measure(state);
        }
        let (path, condition) = taken(&run.trace);
        // The model once more for the solvers, with the hashes of what it satisfies.
        state.kept += 400 + path.len() as u64 * 100 + run.model.len() as u64 * 160;
        (self.observer)(Event::Ran {
            run: id,
            end: run.end.clone(),
            new: new.clone(),
            met: state.covered.iter().flatten().count(),
            obligations: state.covered.len(),
            spent: state.spent,
            open: state.tree.open(),
        });
        state.gains.push(new.len() as u32);
        for elem in &run.trace.elems {
            *state.taken.entry((elem.site, elem.choice)).or_insert(0) += 1;
        }
        let merged = Merged { new: !new.is_empty(), reached: inserted.reached };
        state.nursery.note(id.0, &run.edges, &run.blocks);
        state.finished.push(Finished {
            id,
            model: run.model,
            outcome: run.outcome,
            end: run.end,
            observation: run.observation,
            path,
            condition,
            edges: run.edges,
            blocks: run.blocks,
            meets,
            new,
            steps: run.steps,
        });
        self.note_near(state, merged.new || shown);
        if self.goal.walks() {
            self.aim(state, &run.trace, &inserted.new);
        }
        let fails = state.finished.last().is_some_and(|run| run.end == End::Stopped(Stop::Assumption));
        let mut mends: Vec<NodeId> = Vec::new();
        if fails {
            let last = inserted.new.iter().rev().filter(|node| {
                let node = state.tree.node(**node);
                node.input && !node.doomed && matches!(node.kind, ElemKind::Branch | ElemKind::Check(_))
            });
            mends.extend(last.take(MENDS));
        }
        for node in inserted.new {
            self.open(state, node, mends.contains(&node));
        }
        for (elem, wanted) in run.trace.demands {
            let Some(node) = inserted.nodes.get(elem as usize) else { continue };
            let slot = state.tree.first_decided(&self.vm.pool, *node);
            if state.asked.len() < MAX_DEMANDS && state.asked.insert((slot, wanted)) {
                state.demands.push_back((slot, wanted, id));
            }
        }
        merged
    }

    /// Marks the last run if it came to a branch that is still wanted, or if it failed and nothing else shows what it met; all
    /// runs if what is wanted changed.
    pub(super) fn note_near(&self, state: &mut State<L, T>, changed: bool) {
        let is_unmet = |o: &ObligationId| state.wanted.get(*o as usize).copied().unwrap_or(false);
        let wanted: BTreeSet<_> =
            self.goal.edges().iter().filter(|(_, o)| is_unmet(o)).map(|(e, _)| (e.func, e.index)).collect();
        let from = if changed { 0 } else { state.near.len() };
        state.near.truncate(from);
        for run in &state.finished[from..] {
            let came = run.edges.iter().any(|e| wanted.contains(&(e.func, e.index)));
            state.near.push(came || state.showing && state.fails_to_show(run));
        }
    }

    /// Asks what other ways of a run's new decisions would have come near to.
    pub(super) fn aim(&mut self, state: &mut State<L, T>, trace: &Trace, new: &[NodeId]) {
        let first = trace.elems.len().saturating_sub(new.len());
        let (mut slots, mut flips, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (i, id) in new.iter().enumerate() {
            let node = *state.tree.node(*id);
            for alternative in 0..node.alternatives {
                let slot = Slot::of(*id, alternative);
                if node.kind != ElemKind::Branch || state.tree.child(slot) != Child::Unexplored {
                    continue;
                }
                let leads = state.code.leads(self.vm, node.site, node.kind, alternative);
                if let Some(edge) = leads.edge.filter(|_| leads.tracked) {
                    slots.push(slot);
                    places.push((node.site.func, leads.block));
                    flips.push(Flip { elem: (first + i) as u32, edge });
                }
            }
        }
        let wanted = |o: ObligationId| state.wanted.get(o as usize).copied().unwrap_or(false);
        let mut aims = self.goal.aims(trace, &flips, &wanted);
        // An activation knows what it comes near to itself; others may owe something too.
        for ((func, block), aims) in places.into_iter().zip(&mut aims) {
            if let Some(near) = state.code.beyond(func, block)
                && !aims.iter().any(|aim| aim.obligation == near.obligation)
            {
                aims.truncate(AIMS - 1);
                aims.push(Aim { remaining: near.away, obligation: near.obligation });
            }
        }
        state.aims = slots.into_iter().zip(aims).collect();
    }

    /// Looks at the alternatives of a new node: those that may be tried become candidates.
    pub(super) fn open(&mut self, state: &mut State<L, T>, id: NodeId, mends: bool) {
        let node = *state.tree.node(id);
        for alternative in 0..node.alternatives {
            let slot = Slot::of(id, alternative);
            if state.tree.child(slot) != Child::Unexplored {
                continue;
            }
            if node.kind == ElemKind::Fresh {
                // Until a run asks for it.
                continue;
            }
            let child = if self.vm.pool.as_bool(state.tree.condition(id, alternative)) == Some(false) {
                Child::Infeasible
            } else {
                match node.kind {
                    // The input cannot be made, whatever the exception's message says.
                    _ if node.doomed && node.input => Child::Excluded,
                    _ if self.is_moot(state, &node) => {
                        state.moot += 1;
                        Child::Moot
                    }
                    ElemKind::Assume if alternative == 0 => Child::Open,
                    ElemKind::Assume => Child::Excluded,
                    ElemKind::Which if node.chain >= self.options.which_bound => {
                        let place = state.code.place(self.vm, node.site);
                        let reason = format!("after {} values of an index or reference", node.chain + 1);
                        self.vm.ledger.note(Kind::Concretised, place, reason);
                        Child::GaveUp(GaveUp::Bound)
                    }
                    _ if node.depth >= self.options.max_depth => {
                        let place = state.code.place(self.vm, node.site);
                        let reason = format!("below {} decisions", self.options.max_depth);
                        self.vm.ledger.note(Kind::LoopBound, place, reason);
                        Child::GaveUp(GaveUp::Bound)
                    }
                    ElemKind::Branch | ElemKind::Check(_) if node.visit >= self.options.loop_bound => {
                        let place = state.code.place(self.vm, node.site);
                        self.vm.ledger.note(Kind::LoopBound, place, beyond(self.options.loop_bound));
                        state.bounded.iter_mut().for_each(|bounded| bounded.push(slot));
                        Child::GaveUp(GaveUp::Bound)
                    }
                    ElemKind::Branch
                    | ElemKind::Check(_)
                    | ElemKind::Which
                    | ElemKind::Prefer
                    | ElemKind::Fresh => Child::Open,
                }
            };
            state.tree.set_child(slot, child);
            if child == Child::Open {
                self.add_candidate(state, slot, &node, mends);
            }
        }
    }

    /// Whether a decision changes nothing but what the message of an exception says, and nobody wants another: no code that
    /// owes something goes on after one.
    fn is_moot(&mut self, state: &mut State<L, T>, node: &Node) -> bool {
        let nobody_wants = !self.options.exhaustive && !self.goal.catches();
        nobody_wants && node.moot && state.code.only_throws(self.vm, node.caller)
    }

    pub(super) fn add_candidate(&mut self, state: &mut State<L, T>, slot: Slot, node: &Node, mends: bool) {
        let mut aims = [None; AIMS];
        let found = state.aims.remove(&slot).unwrap_or_default();
        aims.iter_mut().zip(found).for_each(|(aim, found)| *aim = Some(found));
        let leads = state.code.leads(self.vm, node.site, node.kind, slot.alternative);
        // A path that a wish given up has brought is mostly followed by others that take the same wish.
        let gained = || state.gains.get(node.run.0 as usize).is_some_and(|gain| *gain > 0);
        let useful = self.goal.walks() && gained();
        self.strategy.add(Candidate {
            slot,
            site: node.site,
            caller: node.caller,
            kind: node.kind,
            alternative: slot.alternative,
            depth: node.depth,
            visit: node.visit,
            unwished: node.unwished && !useful || node.doomed || node.kind == ElemKind::Prefer,
            input: node.input,
            // Sizes and nulls are nobody's code.
            aside: node.input
                && !leads.tracked
                && !node.site.is_outside()
                && !matches!(node.kind, ElemKind::Assume | ElemKind::Prefer),
            mends,
            doomed: node.doomed,
            run: node.run,
            order: state.orders,
            leads,
            aims,
        });
        state.orders += 1;
    }

    /// Measures how far it is to what is still wanted.
    pub(super) fn measure(&mut self, state: &mut State<L, T>) {
        let is_wanted = |o: &ObligationId| state.wanted.get(*o as usize).copied().unwrap_or(false);
        if state.showing && !state.wanted.contains(&true) {
            state.code.measure(self.goal.returns().into_iter().map(|site| (site, 0)));
            return;
        }
        let places = self.goal.places();
        state.code.measure(places.into_iter().filter(|(_, obligation)| is_wanted(obligation)));
    }

    pub(super) fn note_stray(
        &mut self,
        state: &mut State<L, T>,
        run: RunId,
        target: Option<Slot>,
        inserted: &Inserted,
    ) {
        let node = match (inserted.strayed, inserted.reached) {
            (Some(node), _) => Some(node),
            (None, false) => target.and_then(Slot::node),
            (None, true) => None,
        };
        if let Some(node) = node {
            let site = state.tree.node(node).site;
            state.diverged += 1;
            let place = state.code.place(self.vm, site);
            self.vm.ledger.note(Kind::Diverged, place, "decided otherwise than predicted");
            (self.observer)(Event::Diverged { run, site });
        }
    }

    /// A run that did not end by itself is in the ledger.
    pub(super) fn note_stop(&mut self, run: &Run<T::Observation>) {
        let Outcome::Stopped(stop) = &run.outcome else { return };
        let (kind, reason) = match stop {
            Stop::Steps => (Kind::StepLimit, format!("{} steps", self.vm.limits.steps)),
            Stop::Memory => (Kind::MemoryLimit, "heap or terms".to_string()),
            Stop::Decisions => (Kind::LoopBound, format!("{} decisions", self.vm.limits.decisions)),
            Stop::Unsupported { what: "native", which } => (Kind::UnsupportedNative, which.clone()),
            Stop::Unsupported { what, which } => (Kind::UnsupportedConstruct, format!("{what} {which}")),
            Stop::Deadlock => (Kind::Deadlock, "every thread waits".to_string()),
            Stop::Interrupted => (Kind::BudgetSpent, "interrupted".to_string()),
            Stop::Time => (Kind::BudgetSpent, "the time for it was over".to_string()),
            Stop::Exit(_) => (Kind::Exit, "no test can show it".to_string()),
            // What the user asked for.
            Stop::Assumption => return,
        };
        self.vm.ledger.note(kind, run.stopped_at.clone(), reason);
    }

    /// The path condition of a run holds of its own inputs, or the machine's symbolic side is wrong.
    pub(super) fn audit(&mut self, run: &Run<T::Observation>) {
        for elem in &run.trace.elems {
            let term = run.trace.taken(elem);
            if run.model.eval(&self.vm.pool, term) == 0 {
                let text = self.vm.pool.display(term).to_string();
                self.vm.ledger.note(Kind::Diverged, format!("{:?}", elem.site), format!("bug: not {text}"));
            }
        }
    }
}
