//! From runs to proposed tests: choosing, minimising, running once more in another world.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

use explore::{Goal, Target, minimise, select, simplest_each};
use ir::{ClassId, FuncId};
use jvm::observe::Seen;
use jvm::world::Jvm;
use ledger::{Kind, Ledger};
use suite::case::{Check, Outcome, TestCase};
use term::Assignment;
use vm::{ElemKind, Lang, Vm};

use super::case;
use super::entries::Entry;
use super::explore::ClassExplorer;
use super::facts::{Purpose, facts};
use super::outcome::{Key, MethodResult, Proposed, key};
use super::spelling::JavaSpelling;
use super::subject::{Stage, Subject};
use super::suspect::{Rank, kept_field, suspect};
use super::warm_up::warming;
use crate::config::Suite;
use crate::goal::CoverageGoal;
use crate::seen::AllSeen;

impl ClassExplorer<'_> {
    /// Turns the runs worth showing into test cases.
    pub(super) fn propose(
        &mut self,
        (entry, index): (&Entry, usize),
        subject: &mut Subject,
        goal: &CoverageGoal,
        (mut finished, ledger): (Vec<explore::Finished<Stage>>, &Ledger),
        found: &mut MethodResult,
    ) -> Vec<Proposed> {
        // Runs that did not come to the call show nothing of the method.
        finished.retain(|run| run.observation == Stage::Call || !matches!(run.end, explore::End::Stopped(_)));
        let mut lost = self.leave_bugs(subject, &mut finished);
        let met: BTreeSet<u32> = finished.iter().flat_map(|run| run.meets.iter().copied()).collect();
        lost.retain(|part, _| !met.contains(part));
        let needed = goal.needed(&met);
        finished.iter_mut().for_each(|run| run.meets.retain(|part| needed.contains(part)));
        self.tour(subject, goal, &met, &mut finished);
        if self.config.suite != Suite::Paths {
            self.circles(subject, &mut finished, (&found.name, &mut found.ledger));
            self.failing(subject, &mut finished);
        }
        let chosen: Vec<usize> = match self.config.suite {
            Suite::Paths => self.different_paths(subject, &finished),
            Suite::Smallest => select(&finished),
            Suite::Each => simplest_each(&finished),
        };
        let mut chosen = match self.config.suite {
            Suite::Smallest => self.fewer(subject, goal, &needed, &mut finished, chosen),
            Suite::Paths | Suite::Each => chosen,
        };
        chosen.extend(self.running_on(subject, &finished));
        let handling = match self.config.suite {
            Suite::Paths => Vec::new(),
            Suite::Smallest | Suite::Each => self.handling(&finished, &chosen),
        };
        chosen.extend(&handling);
        let mut shown: BTreeMap<u32, u32> = BTreeMap::new();
        for part in chosen.iter().flat_map(|i| &finished[*i].meets) {
            *shown.entry(*part).or_default() += 1;
        }
        let mut cases: Vec<Proposed> = Vec::new();
        let mut told: BTreeSet<String> = BTreeSet::new();
        let mut tried: BTreeSet<usize> = BTreeSet::new();
        let mut waiting: VecDeque<usize> = chosen.into();
        let mut spare = MOST_SPARE;
        let mut late = false;
        while let Some(at) = waiting.pop_front() {
            tried.insert(at);
            late |= self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            // Tests are written all the same; of paths there can be any number.
            if late && self.config.suite == Suite::Paths && !cases.is_empty() {
                let reason = format!("{} paths are not told of", waiting.len() + 1);
                found.ledger.note(Kind::BudgetSpent, &found.name, reason);
                break;
            }
            match late {
                true => {
                    found.ledger.note(Kind::BudgetSpent, &found.name, "inputs that are not the simplest ones")
                }
                false if handling.contains(&at) => {
                    finished[at] = self.simple_handling(subject, goal, &finished[at], ledger);
                }
                false => self.make_simple(subject, goal, &mut finished[at], ledger),
            }
            match self.proposed((entry, index), subject, goal, &finished[at], &shown, ledger) {
                Ok(proposed) => {
                    lost.retain(|part, _| !finished[at].meets.contains(part));
                    // The same call twice shows nothing new.
                    let case = &proposed.case;
                    if told.insert(format!("{:?}{:?}{:?}", case.act, case.arrange, case.outcome)) {
                        cases.push(proposed);
                    }
                }
                Err(why) => {
                    lost.extend(finished[at].meets.iter().map(|part| (*part, why.clone())));
                    found.untestable.push(why);
                }
            }
            // Where a run cannot be a test, another one that shows the same may.
            if waiting.is_empty() && spare > 0 {
                let others =
                    (0..finished.len()).filter(|i| !tried.contains(i) && finished[*i].end.is_behaviour());
                let gain =
                    |i: &usize| finished[*i].meets.iter().filter(|part| lost.contains_key(part)).count();
                let next = others.max_by_key(|i| (gain(i), Reverse(finished[*i].path.len()), Reverse(*i)));
                waiting.extend(next.filter(|i| gain(i) > 0));
                spare -= 1;
            }
        }
        for (part, why) in lost {
            for number in goal.of_part(part) {
                found.lost.insert(key(&goal.obligations()[number].1), why.clone());
            }
        }
        cases
    }

    /// Leaves so many bugs as were asked for, those that the shortest paths show; what others met is lost, and why.
    fn leave_bugs(
        &self,
        subject: &Subject,
        finished: &mut Vec<explore::Finished<Stage>>,
    ) -> BTreeMap<u32, String> {
        let Some(most) = self.config.budget.max_bugs else { return BTreeMap::new() };
        let bug = |run: &explore::Finished<Stage>| match &run.end {
            explore::End::Threw { class, site, .. } if subject.is_bug(self.vm, &run.end) => {
                Some((*class, *site))
            }
            _ => None,
        };
        let mut shortest: Vec<(usize, (ClassId, Option<vm::Site>))> =
            finished.iter().filter_map(|run| Some((run.path.len(), bug(run)?))).collect();
        // In order of their length, those of one length as they were found.
        shortest.sort_by_key(|(length, _)| *length);
        let mut kept = Vec::new();
        for (_, bug) in shortest {
            if kept.len() < most as usize && !kept.contains(&bug) {
                kept.push(bug);
            }
        }
        let why = format!("only bugs beyond --max-bugs {most} come there");
        let mut lost = BTreeMap::new();
        finished.retain(|run| match bug(run) {
            Some(bug) if !kept.contains(&bug) => {
                lost.extend(run.meets.iter().map(|part| (*part, why.clone())));
                false
            }
            _ => true,
        });
        lost
    }

    /// Gives a run the inputs that a person would choose for it.
    fn make_simple(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        run: &mut explore::Finished<Stage>,
        ledger: &Ledger,
    ) {
        if !run.end.is_behaviour() {
            return;
        }
        minimise(self.vm, subject, run);
        prettify(self.vm, subject, run);
        // Where each path is to be shown, it must stay the one it is.
        if self.config.suite != Suite::Paths {
            self.simplify(subject, goal, run);
            self.shorten(subject, goal, run);
        }
        self.tell(subject, goal, run, ledger);
    }

    /// The same of a run that is there for a handler. Simpler inputs are not known to come there: nothing on the path says so where what
    /// is caught hangs on objects alone.
    fn simple_handling(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        run: &explore::Finished<Stage>,
        ledger: &Ledger,
    ) -> explore::Finished<Stage> {
        let mut simple = run.clone();
        self.make_simple(subject, goal, &mut simple, ledger);
        if self.handles_alike(subject, run, &simple) {
            return simple;
        }
        let mut plain = run.clone();
        minimise(self.vm, subject, &mut plain);
        prettify(self.vm, subject, &mut plain);
        if !self.handles_alike(subject, run, &plain) {
            return run.clone();
        }
        let mut told = plain.clone();
        self.tell(subject, goal, &mut told, ledger);
        if self.handles_alike(subject, run, &told) { told } else { plain }
    }

    /// The test of a run; why there is none.
    #[allow(clippy::too_many_arguments, reason = "what a run is looked at with, each once")]
    fn proposed(
        &mut self,
        (entry, index): (&Entry, usize),
        subject: &mut Subject,
        goal: &CoverageGoal,
        run: &explore::Finished<Stage>,
        shown: &BTreeMap<u32, u32>,
        ledger: &Ledger,
    ) -> Result<Proposed, String> {
        let detail = subject.detail(self.vm, &run.model);
        let enums = enum_names(self.vm);
        let reaches_out = jvm::natives::tried_to_reach_out(self.vm);
        let (seen, besides) = self.seen(subject, goal, run);
        let mut spelling = JavaSpelling::new(&self.vm.lang, subject, enums, self.vm.inputs.texts());
        let own = run.meets.iter().copied().filter(|part| shown.get(part).is_none_or(|tests| *tests == 1));
        let purpose = Purpose { goal, own: &own.collect() };
        let facts = facts(self.vm, run, &detail, &mut spelling, &purpose);
        let mut case = case::case(&self.vm.lang, subject, &detail, &facts, ledger).map_err(|why| why.0)?;
        let inputs: BTreeMap<String, u128> = explore::inputs(&self.vm.pool, &run.model)
            .into_iter()
            .map(|input| (input.name, input.value.bits()))
            .collect();
        let takes_null = subject.conditions.refuse_null.is_empty();
        self.stabilise(entry, takes_null, &inputs, &mut case)?;
        let obligation = |number: usize| &goal.obligations()[number].1;
        let shown: BTreeSet<u32> = shown.keys().copied().collect();
        let helped = goal.helped(&run.meets, &shown);
        let meets: Vec<Key> = helped.iter().map(|(number, _)| key(obligation(*number))).collect();
        let halves: Vec<(Key, usize)> = helped
            .iter()
            .filter(|(number, _)| goal.halves(*number) > 1)
            .map(|(number, half)| (key(obligation(*number)), *half))
            .collect();
        let toured = run.meets.iter().filter_map(|p| p.checked_sub(goal.len() as u32));
        let side_trips = toured.flat_map(|p| goal.of_part(p)).map(|number| key(obligation(number))).collect();
        let new = goal.helped(&run.new, &shown);
        case.covers = new.iter().map(|(number, _)| obligation(*number).text.clone()).collect();
        let refused = refused_null(&self.vm.lang, subject, &case);
        let suspicious = suspect(&mut self.vm.lang, (&detail, run.path.len()), &case, refused);
        if let Some(suspect) = &suspicious {
            case.comment.push(format!("Suspected bug: {}", suspect.what));
            if suspect.rank == Rank::KeptField
                && let Some(field) = kept_field(&self.vm.lang, &case)
            {
                let what = "is kept by methods of its class, which may never bring it into this state.";
                case.comment.push(format!("{field} {what}"));
            }
            case.suspect = Some(suspect.what.clone());
        }
        Ok(Proposed {
            case,
            method: index,
            inputs,
            meets,
            besides,
            halves,
            side_trips,
            suspicious,
            seen,
            reaches_out,
            takes_null,
        })
    }

    /// Runs that take different paths. Those that differ only in what their inputs are and nobody could tell are one.
    fn different_paths(
        &mut self,
        subject: &mut Subject,
        finished: &[explore::Finished<Stage>],
    ) -> Vec<usize> {
        let ledger = self.vm.ledger.clone();
        self.vm.walking = true;
        let mut known = BTreeSet::new();
        let mut chosen = Vec::new();
        for (i, run) in finished.iter().enumerate().filter(|(_, run)| run.end.is_behaviour()) {
            // Without a choice of that kind it is the only one.
            let chooses = |step: &explore::Step| matches!(step.kind, ElemKind::Fresh | ElemKind::Which);
            if run.path.iter().any(chooses) {
                self.vm.start_run(run.model.clone());
                subject.execute(self.vm);
                let outside = run.path.iter().filter(|step| {
                    let tracked = self.vm.lang.funcs.get(step.site.func).is_some_and(|f| f.tracked);
                    matches!(step.kind, ElemKind::Branch | ElemKind::Check(_)) && !tracked
                });
                let outside: Vec<_> = outside.map(|step| (step.site, step.choice)).collect();
                let walk = self.vm.trace.walk.iter().map(|step| (step.func, step.what));
                let walk: Vec<_> = walk.collect();
                if !known.insert(format!("{outside:?}{walk:?}{:?}", run.end)) {
                    continue;
                }
            }
            chosen.push(i);
        }
        self.vm.walking = false;
        self.vm.ledger = ledger;
        chosen
    }

    /// The simplest run that went round a loop which nothing it was given leads out of, or where all threads wait.
    fn running_on(&mut self, subject: &mut Subject, finished: &[explore::Finished<Stage>]) -> Option<usize> {
        let stopped = |run: &explore::Finished<Stage>| {
            matches!(run.end, explore::End::Stopped(vm::Stop::Steps | vm::Stop::Deadlock))
        };
        // Others may have been stopped early.
        let waited_for = |run: &explore::Finished<Stage>| run.steps > self.steps;
        let any = finished.iter().any(|run| stopped(run) && waited_for(run));
        let candidates = finished.iter().enumerate();
        let candidates = candidates.filter(|(_, run)| stopped(run) && (!any || waited_for(run)));
        let mut candidates: Vec<(usize, usize)> = candidates.map(|(i, run)| (run.path.len(), i)).collect();
        candidates.sort_unstable();
        candidates.truncate(MOST_ENDLESS);
        candidates.into_iter().map(|(_, i)| i).find(|i| subject.detail(self.vm, &finished[*i].model).runs_on)
    }

    /// What a run executes, without what looking at its results does; and what it meets that is not of the goal.
    fn seen(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        run: &explore::Finished<Stage>,
    ) -> (AllSeen, Vec<Key>) {
        let ledger = self.vm.ledger.clone();
        self.vm.walking = true;
        self.vm.start_run(run.model.clone());
        subject.execute(self.vm);
        let mut seen = goal.seen(&self.vm.trace);
        self.vm.walking = false;
        self.vm.ledger = ledger;
        let trace = std::mem::take(&mut self.vm.trace);
        let other = |func: &FuncId| self.vm.lang.is_tracked(*func) && goal.function(*func).is_none();
        let others: BTreeSet<FuncId> = trace.blocks.iter().map(|(func, _)| *func).filter(other).collect();
        let others: Vec<_> =
            others.into_iter().filter_map(|func| Some((func, self.vm.lang.ir(func)?))).collect();
        let (criterion, options) = (self.config.criterion, &self.config.criterion_options);
        let others = CoverageGoal::new(criterion, options, others, &self.vm.lang);
        seen.extend(others.seen(&trace));
        let besides = others.met_whole(&trace).map(key).collect();
        self.vm.trace = trace;
        (seen, besides)
    }

    /// Looks for runs that take paths with side trips which none takes straight. Such a part is shown by a run as
    /// another one, with a number beyond the goal's.
    fn tour(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        met: &BTreeSet<u32>,
        finished: &mut [explore::Finished<Stage>],
    ) {
        let wanted = crate::proofs::untoured(goal, met);
        if wanted.is_empty() {
            return;
        }
        // What the runs below note was noted when they were found.
        let ledger = self.vm.ledger.clone();
        self.vm.walking = true;
        for run in finished.iter_mut().filter(|run| run.end.is_behaviour()).take(MOST_TOURS) {
            self.vm.start_run(run.model.clone());
            subject.execute(self.vm);
            let toured = goal.side_trips(&self.vm.trace);
            run.meets
                .extend(toured.into_iter().filter(|p| wanted.contains(p)).map(|p| p + goal.len() as u32));
        }
        self.vm.walking = false;
        self.vm.ledger = ledger;
    }

    /// Runs a case in the other world and drops what differs there.
    fn stabilise(
        &mut self,
        entry: &Entry,
        subject_takes_null: bool,
        inputs: &BTreeMap<String, u128>,
        case: &mut TestCase,
    ) -> Result<(), String> {
        let Some(other) = self.other.as_deref_mut() else { return Ok(()) };
        let Some(mut twin) = counterpart(&self.vm.lang, other, entry, &self.twins) else { return Ok(()) };
        if subject_takes_null {
            twin.conditions.refuse_null.clear();
        }
        // That world is warmed up by the runs there: one may have to read the locale's and the zone's data first.
        other.limits.steps = self.config.budget.max_steps.saturating_mul(COLD);
        other.start_exploration();
        let class = twin.class;
        let model = assign(other, &mut twin, inputs);
        let again = warming(other, class, |other| {
            let detail = twin.detail(other, &model);
            case::case(&other.lang, &twin, &detail, &[], &Ledger::default())
        });
        let again =
            again.map_err(|why| format!("{} (in a world with other hashes, locale and clock)", why.0))?;
        agree(case, &again, "hashes, locale, time zone or clock")?;
        // What comes first of two things is the same in every other world that has other hashes: several are asked.
        for salt in 1..=MORE_HASHES {
            if !other.hashed {
                break;
            }
            other.run_salt = salt.wrapping_mul(0x2545_F491_4F6C_DD1D);
            let detail = twin.detail(other, &model);
            let again = case::case(&other.lang, &twin, &detail, &[], &Ledger::default());
            let agreed = again.map_err(|why| why.0).and_then(|again| agree(case, &again, "hashes"));
            other.run_salt = 0;
            agreed?;
        }
        Ok(())
    }
}

/// So many more worlds are asked where a run depends on hashes of objects that it makes.
const MORE_HASHES: u64 = 5;

/// Keeps of a case what is the same in another world; says why it is none where it ends otherwise there.
pub(super) fn agree(case: &mut TestCase, again: &TestCase, what: &str) -> Result<(), String> {
    if std::mem::discriminant(&again.outcome) != std::mem::discriminant(&case.outcome) {
        let there = match &again.outcome {
            Outcome::Throws { class, .. } => format!("throws {}", class.simple_name()),
            Outcome::Returns => "returns".to_string(),
            Outcome::Endless { .. } => "does not end".to_string(),
        };
        return Err(format!("the outcome depends on {what} (it {there} there)"));
    }
    if again.outcome != case.outcome
        && let (Outcome::Throws { class, message }, Outcome::Throws { class: other_class, .. }) =
            (&mut case.outcome, &again.outcome)
    {
        if class != other_class {
            return Err(format!("the exception depends on {what}"));
        }
        *message = None;
    }
    let told = case.result().cloned();
    case.asserts.retain(|assert| {
        again.asserts.iter().any(|other| {
            other.subject == assert.subject
                && match (&other.check, &assert.check) {
                    (Check::Equals(a), Check::Within { expected: b, .. }) => a == b,
                    (a, b) => a == b,
                }
        })
    });
    suite::case::forget_idle_variables(&mut case.arrange, &case.act, &case.asserts);
    if let Some(told) = told.filter(|_| case.result().is_none()) {
        suite::name::forget_result(case, &told);
    }
    Ok(())
}

/// So many other runs are looked at for what chosen ones could not show.
const MOST_SPARE: u32 = 8;

/// So many runs that were stopped are looked at for one that would never have ended.
const MOST_ENDLESS: usize = 3;

/// So many times the steps of a run may be needed where nothing is warmed up.
pub(super) const COLD: u64 = 10;

/// So many runs are looked at for tours with side trips.
const MOST_TOURS: usize = 500;

/// A model from the names of variables. They come into being when inputs are made, those of an array's strings when it
/// has a length: runs with what is known so far declare them, one level at a time.
pub fn assign(vm: &mut Vm<Jvm>, subject: &mut Subject, inputs: &BTreeMap<String, u128>) -> Assignment {
    let mut model = Assignment::default();
    let mut open: Vec<(&String, u128)> = inputs.iter().map(|(name, value)| (name, *value)).collect();
    loop {
        vm.start_run(model.clone());
        subject.execute(vm);
        let before = open.len();
        open.retain(|(name, value)| match vm.pool.var_by_name(name).or_else(|| declare(vm, name)) {
            Some(var) => {
                model.set_bits(var, *value & term::semantics::mask(vm.pool.var_sort(var).bits()));
                false
            }
            None => true,
        });
        if open.is_empty() || open.len() == before {
            return model;
        }
    }
}

/// Declares an element of a sequence that is known.
fn declare(vm: &mut Vm<Jvm>, name: &str) -> Option<term::VarId> {
    let (of, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let id = vm.inputs.by_name(of)?;
    let term = vm.inputs.elem(&mut vm.pool, id, index.parse().ok()?);
    vm.pool.var_of(term)
}

/// Gives characters that the path does not depend on a readable value instead of zero.
fn prettify(vm: &mut Vm<Jvm>, subject: &mut Subject, run: &mut explore::Finished<Stage>) {
    // Which texts there are is known once the machine has run.
    vm.start_run(run.model.clone());
    subject.execute(vm);
    let mut used: BTreeSet<term::VarId> = BTreeSet::new();
    for condition in &run.condition {
        used.extend(vm.pool.vars(*condition).iter().copied());
    }
    let mut model = run.model.clone();
    for name in vm.inputs.texts() {
        let Some(id) = vm.inputs.by_name(&name) else { continue };
        let length = vm.inputs.get(id).len;
        let Some(length) = vm.pool.var_of(length).map(|v| model.bits(v)) else { continue };
        for i in 0..length.min(READABLE) as u32 {
            let unit = vm.inputs.elem(&mut vm.pool, id, i);
            if let Some(var) = vm.pool.var_of(unit).filter(|v| !used.contains(v)) {
                model.set_bits(var, 'a' as u128);
            }
        }
    }
    if model == run.model {
        return;
    }
    vm.start_run(model.clone());
    let outcome = subject.execute(vm);
    let same_end = explore::End::of(vm, &outcome) == run.end;
    let path = vm.trace.elems.iter().map(explore::Step::of);
    if same_end && path.eq(run.path.iter().copied()) {
        run.model = model;
    }
}

/// So many characters of a string are made readable.
const READABLE: u128 = 256;

/// The same subject in another VM.
pub(super) fn counterpart(jvm: &Jvm, other: &mut Vm<Jvm>, entry: &Entry, twins: &[Entry]) -> Option<Subject> {
    let there = &other.lang;
    let class = |of: ClassId, in_there: ClassId| jvm.classes[of].name == there.classes[in_there].name;
    let same = |twin: &&Entry| {
        let (f, g) = (&jvm.funcs[entry.func], &there.funcs[twin.func]);
        let on = match (&entry.hidden, &twin.hidden) {
            (Some(a), Some(b)) => class(a.ty, b.ty) && a.args == b.args && a.name == b.name,
            (a, b) => a.is_none() && b.is_none(),
        };
        f.name == g.name
            && f.descriptor == g.descriptor
            && class(entry.class, twin.class)
            && on
            && entry.left_out.is_some() == twin.left_out.is_some()
    };
    twins.iter().find(same)?.clone().subject(other)
}

/// Names of the constants that inputs of the last run are of.
fn enum_names(vm: &mut Vm<Jvm>) -> Vec<(String, Vec<String>)> {
    let inputs = std::mem::take(&mut vm.lang.worlds.enum_inputs);
    let mut names = Vec::new();
    for (name, constants) in inputs {
        let constants = constants
            .iter()
            .map(|c| match jvm::observe::see_object(vm, *c) {
                Seen::Enum(_, name) => name,
                Seen::Class(class) => format!("{}.class", case::simple_name(&vm.lang, class)),
                _ => String::new(),
            })
            .collect();
        names.push((name, constants));
    }
    names
}

/// Whether null was given for a parameter that is declared not to take it: what follows is a refusal, no bug.
fn refused_null(jvm: &Jvm, subject: &Subject, case: &TestCase) -> bool {
    let refuses = jvm::input::refuses_null(jvm, subject.func);
    case.act.args.iter().zip(refuses).any(|(arg, refuses)| refuses && *arg == suite::case::Value::Null)
}
