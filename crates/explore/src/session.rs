//! The exploration: a short loop over injected parts.

use crate::budget::{Options, Spent};
use crate::code::Code;
use crate::finished::{End, Finished, RunId, taken};
use crate::frontier::{AIMS, Candidate, Checks, Guide, Strategy, Tried};
use crate::goal::{Aim, Flip, Goal, ObligationId};
use crate::target::Target;
use crate::tree::{Child, GaveUp, Inserted, Node, NodeId, Slot, Tree};
use crate::verdict::{Verdict, verdicts};
use ledger::{Kind, Ledger};
use solver::{Answer, Chain, Query};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use term::{Assignment, TermId};
use vm::{Edge, ElemKind, Lang, Outcome, Stop, Trace, Vm};

/// With everything met, so many flips are tried for a run that returns normally.
const RETURN_TRIES: u32 = 100;

/// Everything an exploration is made of.
pub struct Session<'a, L: Lang, T: Target<L>> {
    /// At its snapshot. Its inputs, terms and ledger are those of this exploration.
    pub vm: &'a mut Vm<L>,
    pub target: &'a mut T,
    /// New: it knows the terms of one exploration only.
    pub chain: &'a mut Chain,
    pub strategy: &'a mut dyn Strategy,
    pub goal: &'a dyn Goal,
    pub options: Options,
    /// Asked between runs; `true` ends the exploration. The place for a clock.
    pub cut: &'a dyn Fn() -> bool,
    pub observer: &'a mut dyn FnMut(Event),
}

/// What happens, as it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Ran { run: RunId, end: End, new: Vec<ObligationId>, met: usize, obligations: usize, spent: Spent },
    Infeasible { site: vm::Site, alternative: u32 },
    Unknown { site: vm::Site, alternative: u32, cause: String },
    Diverged { run: RunId, site: vm::Site },
    Stopped(Stopped),
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing was left to try.
    Complete,
    /// All obligations are met, and each check was tried.
    Met,
    /// Nothing new came for a long time.
    NothingNew,
    Paths,
    Work,
    /// [`Session::cut`] said so.
    Cut,
    Interrupted,
}

/// What an exploration found.
pub struct Exploration<O> {
    /// In the order of discovery; runs that are no behaviour of the program included.
    pub finished: Vec<Finished<O>>,
    pub verdicts: Vec<Verdict>,
    pub ledger: Ledger,
    pub tree: Tree,
    pub stopped: Stopped,
    pub spent: Spent,
    /// Runs that left the path they were solved for.
    pub diverged: u64,
    /// Whether every path was explored and the ledger allows to say so.
    pub exhaustive: bool,
}

/// So much is tried because runs asked for it.
const MAX_DEMANDS: usize = 400;

/// A run, before it is merged.
struct Run<O> {
    model: Assignment,
    outcome: Outcome,
    end: End,
    observation: O,
    trace: Trace,
    steps: u64,
}

/// What came of a candidate, before it is merged.
enum Attempt<O> {
    Ran(Box<Run<O>>),
    Unsat,
    Unknown(String),
}

/// What grows while exploring.
struct State<O> {
    tree: Tree,
    code: Code,
    checks: Checks,
    covered: Vec<Option<RunId>>,
    /// Obligations that are still worth meeting.
    wanted: Vec<bool>,
    /// What alternatives that are about to become candidates come near to.
    aims: BTreeMap<Slot, Vec<Aim>>,
    finished: Vec<Finished<O>>,
    /// Runs that came to a branch of an unmet obligation, by number.
    near: Vec<bool>,
    spent: Spent,
    orders: u64,
    diverged: u64,
    /// What runs asked for and nobody tried yet, and all that was ever asked for.
    demands: VecDeque<(Slot, TermId)>,
    asked: BTreeSet<(Slot, TermId)>,
    /// Flips tried since anything new came.
    fruitless: u32,
    /// Some run returned normally.
    returned: bool,
    left: u64,
}

impl<L: Lang, T: Target<L>> Session<'_, L, T> {
    /// Explores to exhaustion, to the goal or to the budget.
    pub fn explore(mut self) -> Exploration<T::Observation> {
        self.vm.start_exploration();
        self.vm.walking = self.goal.walks();
        let mut state = self.start();
        let first = self.run(&mut state, Assignment::default());
        self.merge(&mut state, first, None);
        let stopped = loop {
            self.serve(&mut state);
            let round = match self.choose(&mut state) {
                Ok(round) => round,
                Err(stopped) => break stopped,
            };
            let attempts = self.attempt_all(&mut state, &round);
            for (candidate, attempt) in round.iter().zip(attempts) {
                self.conclude(&mut state, candidate, attempt);
            }
        };
        (self.observer)(Event::Stopped(stopped));
        self.vm.walking = false;
        self.finish(state, stopped)
    }

    fn start(&mut self) -> State<T::Observation> {
        let mut state = State {
            tree: Tree::default(),
            code: Code::default(),
            checks: Checks::new(self.options.check_tries),
            covered: vec![None; self.goal.len()],
            wanted: self.goal.wants(&vec![false; self.goal.len()]),
            aims: BTreeMap::new(),
            finished: Vec::new(),
            near: Vec::new(),
            spent: Spent::default(),
            orders: 0,
            diverged: 0,
            demands: VecDeque::new(),
            asked: BTreeSet::new(),
            fruitless: 0,
            returned: false,
            left: 0,
        };
        self.measure(&mut state, None);
        state
    }

    /// The next round's candidates, or why there is none.
    fn choose(&mut self, state: &mut State<T::Observation>) -> Result<Vec<Candidate>, Stopped> {
        self.check_budget(state)?;
        let runs_left = self.options.max_paths.saturating_sub(state.spent.runs);
        let batch = runs_left.min(self.options.batch.into()).max(1) as usize;
        let mut round = Vec::with_capacity(batch);
        // A suite that only shows failures shows too little: a normal return is looked for as well, for a while.
        let shown = state.returned || state.fruitless >= RETURN_TRIES;
        let met = shown && !state.wanted.contains(&true);
        while round.len() < batch {
            let guide = Guide {
                goal: self.goal,
                wanted: &state.wanted,
                code: &state.code,
                checks: &state.checks,
                near: &state.near,
            };
            let Some(candidate) = self.strategy.next(&guide) else { break };
            // A run that strayed may have been there meanwhile.
            if state.tree.child(candidate.slot) != Child::Open {
                continue;
            }
            if met && !self.options.exhaustive && !guide.is_fresh_check(&candidate) {
                state.left += 1;
                continue;
            }
            round.push(candidate);
        }
        match round.is_empty() {
            false => Ok(round),
            true if state.left > 0 => Err(Stopped::Met),
            true => Err(Stopped::Complete),
        }
    }

    fn check_budget(&self, state: &State<T::Observation>) -> Result<(), Stopped> {
        if self.vm.interrupt.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        if state.tree.open() == 0 {
            return Ok(());
        }
        if (self.cut)() {
            return Err(Stopped::Cut);
        }
        if state.spent.runs >= self.options.max_paths {
            return Err(Stopped::Paths);
        }
        if state.spent.work() >= self.options.work {
            return Err(Stopped::Work);
        }
        if !self.options.exhaustive && state.fruitless >= self.options.patience {
            return Err(Stopped::NothingNew);
        }
        Ok(())
    }

    /// Tries each candidate with what was known before the round; what the solver learned is merged after it.
    fn attempt_all(
        &mut self,
        state: &mut State<T::Observation>,
        round: &[Candidate],
    ) -> Vec<Attempt<T::Observation>> {
        let mut attempts = Vec::with_capacity(round.len());
        let mut learned = Vec::with_capacity(round.len());
        for candidate in round {
            // Who is out of time need not finish the round; without a cut every round is finished.
            if !attempts.is_empty() && ((self.cut)() || self.vm.interrupt.load(Ordering::Relaxed)) {
                break;
            }
            attempts.push(self.attempt(state, candidate, None));
            learned.push(self.chain.new_batch());
        }
        for news in &learned {
            self.chain.absorb(news);
        }
        attempts
    }

    /// Asks for inputs that take a candidate, and runs them.
    fn attempt(
        &mut self,
        state: &mut State<T::Observation>,
        candidate: &Candidate,
        but: Option<TermId>,
    ) -> Attempt<T::Observation> {
        match self.ask(state, candidate, but) {
            Answer::Sat(model) => Attempt::Ran(Box::new(self.run(state, model))),
            Answer::Unsat(_) => Attempt::Unsat,
            Answer::Unknown(cause) => Attempt::Unknown(cause.to_string()),
        }
    }

    fn ask(
        &mut self,
        state: &mut State<T::Observation>,
        candidate: &Candidate,
        but: Option<TermId>,
    ) -> Answer {
        let mut assertions = state.tree.path_condition(candidate.slot);
        assertions.extend(but);
        let run = candidate.slot.node().map(|node| state.tree.node(node).run);
        let hint = run.and_then(|run| state.finished.get(run.0 as usize)).map(|f| &f.model);
        let query = Query { assertions: &assertions, hint, limits: self.options.solver };
        let before = self.chain.stats().rlimit;
        let answer = self.chain.ask(&mut self.vm.pool, &query);
        state.spent.questions += 1;
        state.spent.rlimit += self.chain.stats().rlimit - before;
        answer
    }

    fn run(&mut self, state: &mut State<T::Observation>, model: Assignment) -> Run<T::Observation> {
        self.vm.start_run(model.clone());
        let before = self.vm.steps;
        let outcome = self.target.execute(self.vm);
        let steps = self.vm.steps - before;
        let end = End::of(self.vm, &outcome);
        // What observing does is no part of the path.
        let trace = std::mem::take(&mut self.vm.trace);
        let observation = self.target.observe(self.vm, &outcome);
        state.spent.steps += self.vm.steps - before;
        state.spent.runs += 1;
        Run { model, outcome, end, observation, trace, steps }
    }

    /// Puts the result of a candidate where it belongs; one that strayed is tried once more another way.
    fn conclude(
        &mut self,
        state: &mut State<T::Observation>,
        candidate: &Candidate,
        attempt: Attempt<T::Observation>,
    ) {
        state.fruitless += 1;
        let tried = match attempt {
            Attempt::Ran(run) => {
                let other = self.other_inputs(candidate, state, &run.model);
                let mut merged = self.merge(state, *run, Some(candidate.slot));
                if !merged.reached && state.tree.child(candidate.slot) == Child::Open {
                    if let Attempt::Ran(run) = self.attempt(state, candidate, Some(other)) {
                        let again = self.merge(state, *run, Some(candidate.slot));
                        merged = Merged { new: merged.new || again.new, reached: again.reached };
                    }
                    if !merged.reached && state.tree.child(candidate.slot) == Child::Open {
                        state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Diverged));
                    }
                }
                match merged.reached {
                    true => Tried::Ran { new: merged.new },
                    false => Tried::GaveUp,
                }
            }
            Attempt::Unsat => {
                state.tree.set_child(candidate.slot, Child::Infeasible);
                (self.observer)(Event::Infeasible {
                    site: candidate.site,
                    alternative: candidate.alternative,
                });
                Tried::Infeasible
            }
            Attempt::Unknown(cause) => {
                state.tree.set_child(candidate.slot, Child::GaveUp(GaveUp::Solver));
                let place = state.code.place(self.vm, candidate.site);
                self.vm.ledger.note(Kind::SolverUnknown, place, cause.clone());
                let (site, alternative) = (candidate.site, candidate.alternative);
                (self.observer)(Event::Unknown { site, alternative, cause });
                Tried::GaveUp
            }
        };
        // Another object or index is never seen as such: each run says which one it picked.
        if !matches!(tried, Tried::Ran { .. }) || matches!(candidate.kind, ElemKind::Which | ElemKind::Fresh)
        {
            state.checks.refused(candidate.site, candidate.alternative);
        }
        self.strategy.feedback(candidate, tried);
    }

    /// "Not these values for what the candidate's condition is about."
    fn other_inputs(
        &mut self,
        candidate: &Candidate,
        state: &State<T::Observation>,
        model: &Assignment,
    ) -> TermId {
        let pool = &mut self.vm.pool;
        let Some(node) = candidate.slot.node() else { return pool.bool(false) };
        let condition = state.tree.condition(node, candidate.alternative);
        let mut others = Vec::new();
        for var in pool.vars(condition).iter() {
            let sort = pool.var_sort(*var);
            if sort.is_array() {
                continue;
            }
            let value = pool.constant(sort, model.bits(*var));
            let term = pool.var_term(*var);
            others.push(pool.ne(term, value));
        }
        pool.any(&others)
    }

    /// Puts a run into the tree, the account and the list.
    fn merge(
        &mut self,
        state: &mut State<T::Observation>,
        run: Run<T::Observation>,
        target: Option<Slot>,
    ) -> Merged {
        let id = RunId(state.finished.len() as u32);
        if self.options.audit {
            self.audit(&run);
        }
        let inserted = state.tree.insert(&mut self.vm.pool, &run.trace, &run.model, id, target);
        self.note_stray(state, id, target, &inserted);
        self.note_stop(&run);
        let mut new = Vec::new();
        let mut meets = Vec::new();
        if run.end.is_behaviour() {
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
        state.returned |= run.end == End::Returned;
        if !new.is_empty() {
            state.fruitless = 0;
            let met: Vec<bool> = state.covered.iter().map(Option::is_some).collect();
            state.wanted = self.goal.wants(&met);
            self.measure(state, Some(&new));
        }
        let (path, condition) = taken(&run.trace);
        let mut edges: Vec<Edge> = run.trace.edges.iter().copied().collect();
        edges.sort_unstable();
        let mut blocks: Vec<_> = run.trace.blocks.iter().copied().collect();
        blocks.sort_unstable();
        (self.observer)(Event::Ran {
            run: id,
            end: run.end.clone(),
            new: new.clone(),
            met: state.covered.iter().flatten().count(),
            obligations: state.covered.len(),
            spent: state.spent,
        });
        let merged = Merged { new: !new.is_empty(), reached: inserted.reached };
        state.finished.push(Finished {
            id,
            model: run.model,
            outcome: run.outcome,
            end: run.end,
            observation: run.observation,
            path,
            condition,
            edges,
            blocks,
            meets,
            new,
            steps: run.steps,
        });
        self.note_near(state, merged.new);
        if self.goal.walks() {
            self.aim(state, &run.trace, &inserted.new);
        }
        for node in inserted.new {
            self.open(state, node);
        }
        for (elem, wanted) in run.trace.demands {
            let Some(node) = inserted.nodes.get(elem as usize) else { continue };
            let slot = state.tree.first_decided(&self.vm.pool, *node);
            if state.asked.len() < MAX_DEMANDS && state.asked.insert((slot, wanted)) {
                state.demands.push_back((slot, wanted));
            }
        }
        merged
    }

    /// Marks the last run if it came to a branch that is still wanted; all runs if what is wanted changed.
    fn note_near(&self, state: &mut State<T::Observation>, changed: bool) {
        let is_unmet = |o: &ObligationId| state.wanted.get(*o as usize).copied().unwrap_or(false);
        let wanted: BTreeSet<_> =
            self.goal.edges().iter().filter(|(_, o)| is_unmet(o)).map(|(e, _)| (e.func, e.index)).collect();
        let from = if changed { 0 } else { state.near.len() };
        state.near.truncate(from);
        for run in &state.finished[from..] {
            state.near.push(run.edges.iter().any(|e| wanted.contains(&(e.func, e.index))));
        }
    }

    /// Asks what other ways of a run's new decisions would have come near to.
    fn aim(&mut self, state: &mut State<T::Observation>, trace: &Trace, new: &[NodeId]) {
        let first = trace.elems.len().saturating_sub(new.len());
        let (mut slots, mut flips) = (Vec::new(), Vec::new());
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
                    flips.push(Flip { elem: (first + i) as u32, edge });
                }
            }
        }
        let wanted = |o: ObligationId| state.wanted.get(o as usize).copied().unwrap_or(false);
        let aims = self.goal.aims(trace, &flips, &wanted);
        state.aims = slots.into_iter().zip(aims).collect();
    }

    /// Looks at the alternatives of a new node: those that may be tried become candidates.
    fn open(&mut self, state: &mut State<T::Observation>, id: NodeId) {
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
                    ElemKind::Assume => Child::Excluded,
                    ElemKind::Which if node.chain >= self.options.which_bound => {
                        let place = state.code.place(self.vm, node.site);
                        let reason = format!("after {} values of an index or reference", node.chain + 1);
                        self.vm.ledger.note(Kind::Concretised, place, reason);
                        Child::GaveUp(GaveUp::Bound)
                    }
                    ElemKind::Branch | ElemKind::Check(_) if node.visit >= self.options.loop_bound => {
                        let place = state.code.place(self.vm, node.site);
                        let reason = format!("after {} times", self.options.loop_bound);
                        self.vm.ledger.note(Kind::LoopBound, place, reason);
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
                self.add_candidate(state, slot, &node);
            }
        }
    }

    /// Tries what runs asked for: another object or type for an input than they got. Each question is asked once,
    /// where the input is decided on: decisions further down belong to what it was.
    fn serve(&mut self, state: &mut State<T::Observation>) {
        while let Some((slot, wanted)) = state.demands.pop_front() {
            if self.check_budget(state).is_err() && state.tree.open() > 0 {
                return;
            }
            let mut assertions = state.tree.path_condition(slot);
            assertions.push(wanted);
            let query = Query { assertions: &assertions, hint: None, limits: self.options.solver };
            let before = self.chain.stats().rlimit;
            let answer = self.chain.ask(&mut self.vm.pool, &query);
            state.spent.questions += 1;
            state.spent.rlimit += self.chain.stats().rlimit - before;
            match answer {
                Answer::Sat(model) => {
                    let run = self.run(state, model);
                    self.merge(state, run, None);
                }
                Answer::Unsat(_) => {}
                Answer::Unknown(cause) => {
                    self.vm.ledger.note(Kind::SolverUnknown, "inputs", cause.to_string());
                }
            }
            let news = self.chain.new_batch();
            self.chain.absorb(&news);
        }
    }

    fn add_candidate(&mut self, state: &mut State<T::Observation>, slot: Slot, node: &Node) {
        let mut aims = [None; AIMS];
        let found = state.aims.remove(&slot).unwrap_or_default();
        aims.iter_mut().zip(found).for_each(|(aim, found)| *aim = Some(found));
        let leads = state.code.leads(self.vm, node.site, node.kind, slot.alternative);
        self.strategy.add(Candidate {
            slot,
            site: node.site,
            kind: node.kind,
            alternative: slot.alternative,
            depth: node.depth,
            visit: node.visit,
            unwished: node.unwished || node.kind == ElemKind::Prefer,
            run: node.run,
            order: state.orders,
            leads,
            aims,
        });
        state.orders += 1;
    }

    /// Measures functions again whose obligations changed; all of them at the start.
    fn measure(&mut self, state: &mut State<T::Observation>, changed: Option<&[ObligationId]>) {
        let edges = self.goal.edges();
        let mut funcs: Vec<_> = edges
            .iter()
            .filter(|(_, o)| changed.is_none_or(|changed| changed.contains(o)))
            .map(|(e, _)| e.func)
            .collect();
        funcs.sort_unstable();
        funcs.dedup();
        for func in funcs {
            let wanted: Vec<Edge> = edges
                .iter()
                .filter(|(e, o)| e.func == func && state.wanted.get(*o as usize).copied().unwrap_or(false))
                .map(|(e, _)| *e)
                .collect();
            state.code.measure(self.vm, func, &wanted);
        }
    }

    fn note_stray(
        &mut self,
        state: &mut State<T::Observation>,
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
    fn note_stop(&mut self, run: &Run<T::Observation>) {
        let Outcome::Stopped(stop) = &run.outcome else { return };
        let (kind, reason) = match stop {
            Stop::Steps => (Kind::StepLimit, format!("{} steps", self.vm.limits.steps)),
            Stop::Memory => (Kind::MemoryLimit, "heap".to_string()),
            Stop::Decisions => (Kind::LoopBound, format!("{} decisions", self.vm.limits.decisions)),
            Stop::Unsupported { what: "native", which } => (Kind::UnsupportedNative, which.clone()),
            Stop::Unsupported { what, which } => (Kind::UnsupportedConstruct, format!("{what} {which}")),
            Stop::Deadlock => (Kind::Deadlock, "every thread waits".to_string()),
            Stop::Interrupted => (Kind::BudgetSpent, "interrupted".to_string()),
            // What the program or the user asked for.
            Stop::Exit(_) | Stop::Assumption => return,
        };
        let place = self.vm.stopped_at.clone();
        self.vm.ledger.note(kind, place, reason);
    }

    /// The path condition of a run holds of its own inputs, or the machine's symbolic side is wrong.
    fn audit(&mut self, run: &Run<T::Observation>) {
        for elem in &run.trace.elems {
            let term = run.trace.taken(elem);
            if run.model.eval(&self.vm.pool, term) == 0 {
                let text = self.vm.pool.display(term).to_string();
                self.vm.ledger.note(Kind::Diverged, format!("{:?}", elem.site), format!("bug: not {text}"));
            }
        }
    }

    fn finish(self, state: State<T::Observation>, stopped: Stopped) -> Exploration<T::Observation> {
        let open = state.tree.open();
        let reason = format!("{open} alternatives left");
        let kind = match stopped {
            Stopped::Complete => None,
            Stopped::Met | Stopped::NothingNew => Some(Kind::NotSplit),
            Stopped::Paths => Some(Kind::PathLimit),
            Stopped::Work | Stopped::Cut | Stopped::Interrupted => Some(Kind::BudgetSpent),
        };
        if let Some(kind) = kind
            && open > 0
        {
            self.vm.ledger.note(kind, "exploration", reason);
        }
        let ledger = self.vm.ledger.clone();
        Exploration {
            verdicts: verdicts(&state.covered, &state.tree, &ledger, stopped),
            exhaustive: state.tree.is_closed() && ledger.allows_exhaustive(),
            finished: state.finished,
            ledger,
            tree: state.tree,
            stopped,
            spent: state.spent,
            diverged: state.diverged,
        }
    }
}

struct Merged {
    new: bool,
    reached: bool,
}
