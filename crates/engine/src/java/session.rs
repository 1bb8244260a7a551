//! The exploration of one method, set up from what the user asked for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use explore::{Exploration, Goal, Session, Stopped, strategy};

use super::explore::ClassExplorer;
use super::propose::assign;
use super::subject::{Stage, Subject};
use super::turns::Turn;
use super::warm_up::warm_up;
use crate::config::{Questions, Seed, Suite};
use crate::event::Event;
use crate::goal::CoverageGoal;
use crate::memory::Memory;
use crate::proofs::prove;
use crate::target::means;

/// Telling of a path takes so many times what finding it does, as long as that was not measured.
const TELLING: u32 = 3;

/// A run that decides nothing may take so many times the steps of others: `for (int i = 0; i < 10080; i++)` around a date ends.
const QUIET: u64 = 7;

/// What making tests of runs took so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Telling {
    took: Duration,
    runs: u32,
    /// The most that one run of a method took, the runs of a method taken together.
    most: Duration,
}

impl Telling {
    pub fn add(&mut self, took: Duration, runs: usize) {
        let runs = runs.clamp(1, 1 << 20) as u32;
        self.took += took;
        self.runs += runs;
        self.most = self.most.max(took / runs);
    }

    /// What one more will take: the most where each is told of, as what is not told of is lost there.
    fn of_one(&self, each: bool) -> Option<Duration> {
        (self.runs > 0).then(|| if each { self.most } else { self.took / self.runs })
    }
}

impl ClassExplorer<'_> {
    pub(super) fn session(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        turn: &Turn,
        method: &str,
        stats: &mut solver::Stats,
    ) -> Exploration<Stage> {
        self.vm.limits.steps = self.steps;
        let (work, deadline) = (turn.work, turn.deadline);
        // One run is made in any case; more only while there is time.
        let late = deadline.is_some_and(|d| Instant::now() >= d);
        if !late {
            let needed = warm_up(self.vm, subject);
            // Who explores by the length of runs means the limit.
            if let Some(steps) = needed.filter(|_| !turn.whole) {
                // Other inputs take a little more.
                self.steps = self.steps.max(steps.saturating_add(steps / 2));
                self.vm.limits.steps = self.steps;
            }
        }
        self.vm.limits.quiet = if turn.whole { 0 } else { self.steps.saturating_mul(QUIET) };
        let seeds = self.seeds(subject, late);
        let mut words = explore::Words { texts: jvm::input::vocabulary(self.vm, subject.class) };
        words.texts.extend(self.texts.iter().cloned());
        let interrupt = self.vm.interrupt.clone();
        let memory = Memory::limited(self.config.budget.memory);
        let chain = || {
            let dump = self.config.questions.clone().map(|to| Box::new(Script(to)) as Box<dyn solver::Dump>);
            let seed = self.config.seed;
            let (interrupt, memory) = (interrupt.clone(), memory.clone());
            let backend = solver::remote::backend(Arc::new(move || {
                // A question that takes all memory is given up before the exploration is.
                interrupt.load(Ordering::Relaxed)
                    || deadline.is_some_and(|d| Instant::now() >= d)
                    || memory.is_spent()
            }));
            solver::Chain::new(solver::Config { seed, dump, deadline, backend, ..solver::Config::default() })
        };
        // Questions are told in order.
        let jobs = if self.config.questions.is_some() { 1 } else { self.config.jobs };
        // Who takes the name from a user has checked it.
        let mut strategy = strategy::by_name(&self.config.strategy, self.config.seed)
            .unwrap_or_else(|| Box::new(strategy::Coverage::default()));
        if matches!(&*self.config.strategy, "coverage" | strategy::DEFAULT) && goal.walks() {
            strategy = Box::new(strategy::Aimed::new(strategy));
        }
        // What is known to be worth having is kept as it is.
        if self.in_call {
            strategy = Box::new(strategy::InCall::new(strategy));
        }
        let mut options =
            if turn.whole { explore::Options::exhaustive() } else { explore::Options::default() };
        options.work = work;
        options.solver.rlimit = options.solver.rlimit.min(turn.question);
        options.loop_bound = options.loop_bound.max(self.config.budget.loop_bound);
        options.patience = turn.patience;
        options.overdraft = self.spare;
        options.seed = self.config.seed;
        // Counted, so that the same program always stops there; what the process really takes is the safety stop.
        options.memory = self.config.budget.memory / 2;
        options.max_bugs = self.config.budget.max_bugs;
        options.max_depth = self.config.budget.max_depth.unwrap_or(u32::MAX);
        options.function_tries = self.config.budget.function_paths.unwrap_or(u64::MAX);
        if let Some(paths) = turn.paths {
            options.max_paths = paths;
        }
        let started = Instant::now();
        let wall = || started.elapsed().as_nanos() as u64;
        // Where each path is told of, that takes longer than finding it; elsewhere, tests are made of runs that bring something.
        let tells = self.config.suite == Suite::Paths;
        let (telling, to_tell) = (self.telling.of_one(tells), AtomicU32::new(0));
        let reserve = || {
            let runs = to_tell.load(Ordering::Relaxed);
            match telling {
                Some(each) => each * runs,
                None => started.elapsed() * if tells && runs > 0 { TELLING } else { 0 },
            }
        };
        let cut = || match deadline.is_some_and(|d| Instant::now() + reserve() >= d) {
            true => Some(Stopped::Cut),
            false => memory.is_spent().then_some(Stopped::Memory),
        };
        let events = &mut *self.events;
        let mut most = 0;
        let mut observer = |event: explore::Event| {
            if let explore::Event::Ran { met, obligations, spent, open, .. } = event {
                to_tell.fetch_add((tells || met > most).into(), Ordering::Relaxed);
                most = met;
                events(Event::Progress {
                    method: method.to_string(),
                    paths: spent.runs,
                    flips: spent.flips,
                    open,
                    covered: met as u32,
                    obligations: obligations as u32,
                });
            }
        };
        let seed = self.config.seed;
        let late = || deadline.is_some_and(|d| Instant::now() >= d);
        let callees = super::settle::callees(&mut self.vm.lang, goal);
        let doubts = |met: &[bool]| {
            let is_met = |part: u32| met.get(part as usize).copied().unwrap_or(false);
            let proofs = prove(goal, &[], &ir::Ids, (&callees, None), seed, &is_met, &late);
            proofs.refuted.into_keys().collect()
        };
        let session = Session {
            vm: &mut *self.vm,
            target: subject,
            chain: &chain,
            jobs,
            strategy: &mut *strategy,
            goal,
            options,
            cut: &cut,
            observer: &mut observer,
            journal: self.journal.as_mut().map(|journal| {
                journal.begin();
                journal as &mut dyn explore::Journal
            }),
            seeds,
            words,
            doubts: Some(&doubts),
            clock: match self.config.processor_time {
                true => &processor_time,
                false => &wall,
            },
        };
        let mut exploration = session.explore();
        exploration.times.elapsed = started.elapsed().as_nanos() as u64;
        // Where nobody needed more steps, nobody is given them again.
        let needed = |run: &explore::Finished<Stage>| run.end.is_behaviour() && run.steps > self.steps;
        if !exploration.finished.iter().any(needed) {
            self.vm.limits.quiet = 0;
        }
        stats.add(&exploration.solver);
        self.remember(subject, &exploration);
        self.remember_texts(&exploration);
        exploration
    }

    /// Keeps the texts of runs that returned and brought something: what one method takes may be what another one wants.
    fn remember_texts(&mut self, exploration: &Exploration<Stage>) {
        for run in &exploration.finished {
            if run.end != explore::End::Returned || run.new.is_empty() {
                continue;
            }
            let texts = explore::texts(&self.vm.pool, &run.model);
            self.texts.extend(texts.into_iter().filter(|text| text.len() > 1));
        }
        while self.texts.len() > MAX_TEXTS {
            self.texts.pop_last();
        }
    }

    /// Keeps the inputs that the object called on was made of, if it takes some to make one: other methods begin with them.
    fn remember(&mut self, subject: &Subject, exploration: &Exploration<Stage>) {
        let Some(receiver) = &subject.receiver else { return };
        let inside = format!("{}.", receiver.name);
        let inputs = |run: &explore::Finished<Stage>| -> BTreeMap<String, u128> {
            let set = run.model.iter().filter(|(_, value)| value.bits() != 0);
            let named = set.map(|(var, value)| (self.vm.pool.var_name(var).to_string(), value.bits()));
            named.filter(|(name, _)| name.starts_with(&inside)).collect()
        };
        let ended = exploration.finished.iter().filter(|run| !matches!(run.end, explore::End::Stopped(_)));
        if let Some(fewest) = ended.map(inputs).min_by_key(BTreeMap::len)
            && !fewest.is_empty()
        {
            self.receivers.entry((subject.class, receiver.name.clone())).or_insert(fewest);
        }
    }

    /// The user's example inputs of a method, and what objects to call it on were made of before.
    fn seeds(&mut self, subject: &mut Subject, late: bool) -> explore::Seeds {
        let f = &self.vm.lang.funcs[subject.func];
        let (class, name) = (self.vm.lang.classes[subject.class].java_name(), f.name.to_string());
        let descriptor = f.descriptor.to_string();
        let mine = |seed: &&Seed| {
            seed.class == class
                && seed.method == name
                && seed.descriptor.as_ref().is_none_or(|other| means(other, &descriptor))
        };
        let seeds = self.config.seeds.iter().filter(mine).map(|seed| seed.inputs.clone());
        let called = if late { Vec::new() } else { self.called(subject) };
        let receiver = subject.receiver.as_ref().map(|receiver| (subject.class, receiver.name.clone()));
        let made = receiver.and_then(|receiver| self.receivers.get(&receiver)).cloned();
        let mut seeds: Vec<BTreeMap<String, u128>> =
            seeds.chain(called).chain(made).chain(std::mem::take(&mut self.states)).collect();
        if seeds.is_empty() && !late {
            seeds.extend(self.other_ways(subject));
        }
        if seeds.is_empty() {
            return explore::Seeds::default();
        }
        self.vm.start_exploration();
        let inputs = seeds.iter().map(|inputs| assign(self.vm, subject, inputs)).collect();
        explore::Seeds { pool: std::mem::take(&mut self.vm.pool), inputs }
    }
}

impl ClassExplorer<'_> {
    /// What existing tests called a method with.
    fn called(&self, subject: &Subject) -> Vec<BTreeMap<String, u128>> {
        let f = &self.vm.lang.funcs[subject.func];
        let of = &self.vm.lang.classes[f.class].name;
        let mine = self.examples.iter().filter(|heard| {
            let call = &heard.call;
            call.class == *of && call.method == f.name && call.descriptor == f.descriptor
        });
        let inputs = mine.map(|heard| {
            let mut inputs = BTreeMap::new();
            let given =
                subject.receiver.iter().zip(&heard.on).chain(subject.params.iter().zip(&heard.call.args));
            for (param, example) in given {
                jvm::input::example::enter(self.vm, &param.name, &param.kind, example, &mut inputs);
            }
            inputs
        });
        inputs.collect()
    }
}

/// So many texts are kept.
const MAX_TEXTS: usize = 64;
/// So many ways to make the objects are tried before the search begins.
const OTHER_WAYS: u128 = 8;

impl ClassExplorer<'_> {
    /// Where the usual ways to make the objects fail with the simplest inputs: others that do not.
    fn other_ways(&mut self, subject: &mut Subject) -> Option<BTreeMap<String, u128>> {
        let fails = |vm: &mut vm::Vm<jvm::world::Jvm>, subject: &mut Subject, model: term::Assignment| {
            vm.start_run(model);
            matches!(explore::Target::execute(subject, vm), vm::Outcome::Stopped(vm::Stop::Assumption))
        };
        self.vm.start_exploration();
        if !fails(self.vm, subject, term::Assignment::default()) {
            return None;
        }
        for way in 1..OTHER_WAYS {
            let pool = &self.vm.pool;
            let vars = (0..pool.var_count() as u32).map(term::VarId);
            let ways: Vec<term::VarId> = vars
                .filter(|var| {
                    let name = pool.var_name(*var);
                    name.ends_with(".way") && name.matches('.').count() == 1
                })
                .collect();
            let mut model = term::Assignment::default();
            ways.iter().for_each(|var| model.set_bits(*var, way));
            if !fails(self.vm, subject, model) {
                return Some(ways.iter().map(|var| (self.vm.pool.var_name(*var).to_string(), way)).collect());
            }
        }
        None
    }
}

/// Keeps the solver's questions.
struct Script(Questions);

impl solver::Dump for Script {
    fn question(&mut self, number: u64, script: &str, answer: &solver::Answer) {
        let verdict = match answer {
            solver::Answer::Sat(_) => "sat".to_string(),
            solver::Answer::Unsat(_) => "unsat".to_string(),
            solver::Answer::Unknown(cause) => format!("unknown: {cause}"),
        };
        if let Ok(mut all) = self.0.lock() {
            all.push(format!("; question {number}: {verdict}\n{script}"));
        }
    }
}

/// Nanoseconds this thread had a processor.
pub fn processor_time() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
