//! Exploring a class: each method with each way to make its receiver, until its obligations are settled.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use coverage::Obligation;
use coverage::decision::Decision;
use explore::{
    Exploration, Goal, Session, Spent, Stopped, Target, Verdict, Why, minimise, select, simplest_each,
    strategy,
};
use ir::{ClassId, FuncId, Function, Op};
use jvm::load::{FieldType, access};
use jvm::observe::Seen;
use jvm::world::Jvm;
use ledger::Ledger;
use suite::case::TestCase;
use term::Assignment;
use vm::{Lang, Vm};

use super::case::{self, params};
use super::entries::{Entry, entries};
use super::spelling::JavaSpelling;
use super::subject::{Param, Stage, Subject};
use super::suspect::{Suspect, suspect};
use super::turns::{Turn, Turns};
use crate::config::{Config, Questions, Seed, Suite};
use crate::error::Error;
use crate::event::Event;
use crate::goal::{CoverageGoal, Judgement};
use crate::journal::FileJournal;
use crate::seen::AllSeen;
use crate::target::ClassTarget;

/// What became of an obligation of the class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// By a test; its index among the proposed ones once they are chosen.
    Covered,
    Infeasible(String),
    Open(String),
}

/// A test before it is emitted.
pub struct Proposed {
    pub case: TestCase,
    /// Index of the method it belongs to.
    pub method: usize,
    /// Names and values of its input variables, for replay.
    pub inputs: BTreeMap<String, u128>,
    /// Obligations it meets, as keys of [`ClassResult::obligations`]; of what two tests show together, those it shows
    /// one half of.
    pub meets: Vec<Key>,
    /// Which half of those it shows, where there are two.
    pub halves: Vec<(Key, usize)>,
    /// Paths that nothing takes straight, but this with side trips.
    pub side_trips: Vec<Key>,
    /// It may show a bug.
    pub suspicious: Option<Suspect>,
    /// What it executes.
    pub seen: AllSeen,
    /// It tried to change files, which the VM refuses and a JVM that is not isolated might do.
    pub changes_files: bool,
}

/// An obligation of a class: the function and its number there.
pub type Key = (String, u32);

/// What was found out about one method.
pub struct MethodResult {
    /// Internal name of the class that declares it: the class under test, one nested in it, or a type by which objects
    /// of a nested class are used.
    pub class: String,
    pub name: String,
    pub descriptor: String,
    pub paths: u64,
    /// How its paths ended, counted.
    pub outcomes: BTreeMap<String, u64>,
    pub ledger: Ledger,
    pub stopped: Vec<Stopped>,
    pub exhaustive: bool,
    pub spent: Spent,
    pub times: explore::Times,
    /// Runs until the first that ended in an exception.
    pub runs_to_failure: Option<u64>,
    pub diverged: u64,
    pub millis: u64,
    /// Runs that could not become tests, and why.
    pub untestable: Vec<String>,
}

impl MethodResult {
    /// Nothing yet.
    pub(super) fn new(jvm: &Jvm, func: FuncId) -> MethodResult {
        let f = &jvm.funcs[func];
        MethodResult {
            class: jvm.classes[f.class].name.to_string(),
            name: f.name.to_string(),
            descriptor: f.descriptor.to_string(),
            paths: 0,
            outcomes: BTreeMap::new(),
            ledger: Ledger::default(),
            stopped: Vec::new(),
            exhaustive: true,
            spent: Spent::default(),
            times: explore::Times::default(),
            runs_to_failure: None,
            diverged: 0,
            millis: 0,
            untestable: Vec::new(),
        }
    }
}

/// What was found out about a class.
pub struct ClassResult {
    /// Internal name.
    pub class: String,
    pub methods: Vec<MethodResult>,
    pub tests: Vec<Proposed>,
    pub obligations: BTreeMap<Key, (Obligation, Fate)>,
    /// Those that are infeasible by the code alone, whatever calls came before.
    pub proved: BTreeSet<Key>,
    /// Those of which that was tried to be shown.
    tried: BTreeSet<Key>,
    /// Functions that owe more than the limit lets be listed.
    pub cut: BTreeSet<String>,
    /// Decisions of the functions that were looked at.
    pub decisions: BTreeMap<String, Vec<Decision>>,
    /// Lines of the class that have code.
    pub lines: BTreeSet<u32>,
    /// The name of the source file, where the class file tells it.
    pub source: Option<String>,
    pub solver: solver::Stats,
}

impl ClassResult {
    pub(super) fn new(class: &str) -> ClassResult {
        ClassResult {
            class: class.to_string(),
            methods: Vec::new(),
            tests: Vec::new(),
            obligations: BTreeMap::new(),
            proved: BTreeSet::new(),
            tried: BTreeSet::new(),
            cut: BTreeSet::new(),
            decisions: BTreeMap::new(),
            lines: BTreeSet::new(),
            source: None,
            solver: solver::Stats::default(),
        }
    }

    pub fn ledger(&self) -> Ledger {
        let mut all = Ledger::default();
        self.methods.iter().for_each(|m| all.merge(&m.ledger));
        all
    }

    pub fn counts(&self) -> coverage::Counts {
        let mut counts = coverage::Counts::default();
        for (_, fate) in self.obligations.values() {
            match fate {
                Fate::Covered => counts.covered += 1,
                Fate::Infeasible(_) => counts.infeasible += 1,
                Fate::Open(_) => counts.open += 1,
            }
        }
        counts
    }
}

/// What a method is called on and with, and what is known of that; `None` if a test cannot make anything to call it on.
pub fn subject(vm: &mut Vm<Jvm>, class: ClassId, method: FuncId) -> Option<Subject> {
    let mut subject = unconditional(vm, class, method)?;
    let names: Vec<String> = subject.params.iter().map(|param| param.name.clone()).collect();
    subject.conditions = jvm::input::known::conditions(vm, method, &names);
    for (i, rule) in &subject.conditions.params {
        if !rule.types.is_empty() {
            subject.params[*i].kind =
                jvm::input::known::kind_of_types(vm, &subject.params[*i].ty, &rule.types);
        }
    }
    Some(subject)
}

/// What a method is called on and with; `None` if a test cannot make anything to call it on.
fn unconditional(vm: &mut Vm<Jvm>, class: ClassId, method: FuncId) -> Option<Subject> {
    vm.lang.worlds.context = Some(class);
    let is_abstract = vm.lang.classes[class].access & access::ABSTRACT != 0;
    let func = &vm.lang.funcs[method];
    let is_constructor = &*func.name == "<init>";
    if is_constructor && is_abstract {
        return None;
    }
    if func.is_static() || is_constructor {
        let params = params(vm, method, &[]);
        return Some(Subject::new(class, method, None, params));
    }
    let ty = FieldType::Class(vm.lang.classes[class].name.clone());
    let kind = jvm::input::kind_of(vm, &ty);
    if matches!(kind, jvm::input::Kind::Null(_)) {
        return None;
    }
    let name = receiver_name(&vm.lang, class);
    let params = params(vm, method, std::slice::from_ref(&name));
    Some(Subject::new(class, method, Some(Param { name, ty, kind }), params))
}

/// `order` for `Order`, `httpServer` for `HTTPServer`.
pub(super) fn receiver_name(jvm: &Jvm, class: ClassId) -> String {
    let simple = case::simple_name(jvm, class);
    let upper = simple.chars().take_while(|c| c.is_uppercase()).count();
    // Of several capitals the last one starts the next word.
    let lower = if upper > 1 && upper < simple.chars().count() { upper - 1 } else { upper.max(1) };
    let name: String =
        simple.chars().enumerate().map(|(i, c)| if i < lower { c.to_ascii_lowercase() } else { c }).collect();
    match case::is_keyword(&name) || matches!(name.as_str(), "result" | "thrown") {
        true => format!("the{simple}"),
        false => name,
    }
}

/// Explores the methods of a class.
pub struct ClassExplorer<'a> {
    pub vm: &'a mut Vm<Jvm>,
    /// The same program in a world that differs in what tests must not depend on.
    pub other: Option<&'a mut Vm<Jvm>>,
    pub config: &'a Config,
    pub deadline: Option<Instant>,
    pub journal: Option<FileJournal>,
    /// Work that later methods could lend.
    pub spare: u64,
    /// Classes nested in the one under test.
    pub(super) nested: Vec<ClassId>,
    /// What is explored, in the other world.
    twins: Vec<Entry>,
    pub events: &'a mut dyn FnMut(Event),
}

impl<'a> ClassExplorer<'a> {
    pub fn new(
        (vm, other): (&'a mut Vm<Jvm>, Option<&'a mut Vm<Jvm>>),
        config: &'a Config,
        deadline: Option<Instant>,
        journal: Option<FileJournal>,
        events: &'a mut dyn FnMut(Event),
    ) -> ClassExplorer<'a> {
        let (nested, twins) = (Vec::new(), Vec::new());
        ClassExplorer { vm, other, config, deadline, journal, spare: 0, nested, twins, events }
    }

    pub fn explore(&mut self, target: &ClassTarget) -> Result<ClassResult, Error> {
        let class = load(self.vm, target)?;
        let entries = entries(self.vm, class, target, self.config)?;
        for entry in &entries {
            for driven in jvm::input::known::covered_by(&self.vm.lang, entry.func) {
                self.vm.lang.track(&driven);
            }
        }
        if entries.is_empty() {
            return Err(Error::NotTestable {
                class: self.vm.lang.classes[class].java_name(),
                what: match self.vm.lang.classes[class].is_interface() {
                    true => "an interface without code; name a class that implements it".to_string(),
                    false => {
                        "a class without public methods of its own; --package-private adds others".to_string()
                    }
                },
            });
        }
        let mut result = ClassResult::new(&target.class);
        self.nested = target.nested.iter().filter_map(|name| self.vm.lang.loaded(name)).collect();
        self.twins = match self.other.as_deref_mut() {
            Some(other) => load(other, target)
                .and_then(|class| super::entries::entries(other, class, target, self.config))?,
            None => Vec::new(),
        };
        let mut spare = self.vm.fork();
        let mut turns = Turns::new(entries.len(), self.config);
        while let Some(turn) = turns.next(&mut result, self.deadline) {
            self.spare = turn.spare;
            let entry = &entries[turn.index];
            let guarded = AssertUnwindSafe(|| self.method(entry, &turn, &mut result));
            let (found, tests, goal) = match catch_unwind(guarded) {
                Ok(found) => found,
                // A mistake of ours costs one method, not the class. Its machine is in no state to go on.
                Err(_) => {
                    *self.vm = spare.fork();
                    (self.given_up(entry, &mut result), Vec::new(), Vec::new())
                }
            };
            turns.done(turn, &found, goal);
            super::turns::merge(&mut result, turn.index, found, tests);
        }
        // The suspected bugs stand together, the likeliest first.
        result.tests.sort_by_key(|test| (test.suspicious.as_ref().map(|s| s.rank), test.method));
        let explored: Vec<FuncId> = entries.iter().map(|entry| entry.func).collect();
        self.outline(class, &mut result);
        super::claims::withdraw(&self.vm.lang, class, &explored, &mut result);
        suite::name::make_unique(result.tests.iter_mut().map(|t| &mut t.case.name));
        Ok(result)
    }

    /// Enters which lines have code, whether they were come to or not.
    fn outline(&mut self, class: ClassId, result: &mut ClassResult) {
        let classes = std::iter::once(class).chain(self.nested.iter().copied());
        let functions: Vec<FuncId> =
            classes.flat_map(|class| self.vm.lang.classes[class].functions()).collect();
        for func in functions {
            if self.vm.lang.funcs[func].access & (access::ABSTRACT | access::NATIVE) != 0 {
                continue;
            }
            let Some(function) = self.vm.lang.ir(func) else { continue };
            let projection = coverage::Projection::new(&function, &self.vm.lang);
            let lines = coverage::Criterion::Line.obligations(&projection).into_iter().map(|o| o.line);
            result.lines.extend(lines.filter(|line| *line != 0));
            result.source = result.source.take().or_else(|| function.source.clone());
        }
    }

    /// Explores one method; what was found, tests, and what it was to cover.
    fn method(
        &mut self,
        entry: &Entry,
        turn: &Turn,
        result: &mut ClassResult,
    ) -> (MethodResult, Vec<Proposed>, Vec<Key>) {
        let started = Instant::now();
        let (mut tests, mut wanted) = (Vec::new(), Vec::new());
        let (class, method) = (entry.class, entry.func);
        let name = self.vm.lang.funcs[method].name.to_string();
        let java_name = self.vm.lang.classes[class].java_name();
        (self.events)(Event::MethodStarted { class: java_name.clone(), method: name.clone() });
        let mut found = MethodResult::new(&self.vm.lang, method);
        let refusal = refusal(&found.name, &found.descriptor);
        let subject = if refusal.is_some() { None } else { entry.subject(self.vm) };
        if subject.is_none() {
            found.exhaustive = false;
            let why = "no constructor or factory that a test may call makes an object to call it on";
            let why = refusal.unwrap_or(why);
            found.untestable.push(why.to_string());
            self.leave_open(method, why, result);
        }
        if let Some(mut subject) = subject {
            let goal = self.goal(&subject);
            wanted = goal.obligations().iter().map(|(_, obligation)| key(obligation)).collect();
            let exploration = self.session(&mut subject, &goal, turn, &name, &mut result.solver);
            record(&mut found, &exploration, &self.vm.lang);
            self.settle(&goal, &exploration, turn.deadline, result);
            // An interrupt ends the search, not the writing of what was found.
            let interrupt = std::mem::take(&mut self.vm.interrupt);
            tests = self.propose((entry, turn.index), &mut subject, &goal, exploration, &mut found);
            self.vm.interrupt = interrupt;
        }
        found.millis = started.elapsed().as_millis() as u64;
        let mine = result.obligations.values().filter(|(o, _)| o.function == self.vm.lang.func_name(method));
        let (mut covered, mut infeasible, mut obligations) = (0, 0, 0);
        for (_, fate) in mine {
            obligations += 1;
            match fate {
                Fate::Covered => covered += 1,
                Fate::Infeasible(_) => infeasible += 1,
                Fate::Open(_) => {}
            }
        }
        (self.events)(Event::MethodDone {
            class: java_name,
            method: name,
            paths: found.paths,
            covered,
            infeasible,
            obligations,
        });
        (found, tests, wanted)
    }

    /// What is said of a method whose exploration failed.
    fn given_up(&mut self, entry: &Entry, result: &mut ClassResult) -> MethodResult {
        let why = "an internal error ended its exploration; please report it";
        let mut found = MethodResult::new(&self.vm.lang, entry.func);
        found.exhaustive = false;
        found.untestable.push(why.to_string());
        self.leave_open(entry.func, why, result);
        found
    }

    fn leave_open(&mut self, method: FuncId, why: &str, result: &mut ClassResult) {
        let Some(function) = self.vm.lang.ir(method) else { return };
        let (criterion, options) = (self.config.criterion, &self.config.criterion_options);
        let goal = CoverageGoal::new(criterion, options, [(method, function)], &self.vm.lang);
        for (_, obligation) in goal.obligations() {
            let entry = (obligation.clone(), Fate::Open(why.to_string()));
            result.obligations.entry(key(obligation)).or_insert(entry);
        }
    }

    /// The obligations of the method and of what it can reach in tracked classes.
    pub(super) fn goal(&mut self, subject: &Subject) -> CoverageGoal {
        // A constructor's obligations are its own tests' business, not those of each method.
        let mut open: Vec<FuncId> = vec![subject.func];
        open.extend(super::entries::runs(self.vm, subject.func, &self.nested));
        let mut seen: BTreeSet<FuncId> = BTreeSet::new();
        let mut functions: Vec<(FuncId, Arc<Function>)> = Vec::new();
        // A driver's business is what it drives.
        let driven = jvm::input::known::covered_by(&self.vm.lang, subject.func);
        for name in &driven {
            if let Ok(class) = self.vm.lang.class(name) {
                open.extend(self.vm.lang.classes[class].functions());
            }
        }
        while let Some(func) = open.pop() {
            if !seen.insert(func) {
                continue;
            }
            if self.vm.lang.funcs[func].access & access::ABSTRACT != 0 {
                continue;
            }
            let Some(function) = self.vm.lang.ir(func) else { continue };
            let own = self.vm.lang.funcs[func].class == subject.class && !driven.is_empty();
            if self.vm.lang.is_tracked(func) && !own {
                functions.push((func, function.clone()));
            }
            open.extend(callees(&self.vm.lang, subject.class, &function));
        }
        let (criterion, options) = (self.config.criterion, &self.config.criterion_options);
        CoverageGoal::new(criterion, options, functions, &self.vm.lang)
    }

    pub(super) fn session(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        turn: &Turn,
        method: &str,
        stats: &mut solver::Stats,
    ) -> Exploration<Stage> {
        self.vm.limits.steps = self.config.budget.max_steps;
        let (work, deadline) = (turn.work, turn.deadline);
        warm_up(self.vm, subject);
        let seeds = self.seeds(subject);
        let interrupt = self.vm.interrupt.clone();
        let chain = || {
            let dump = self.config.questions.clone().map(|to| Box::new(Script(to)) as Box<dyn solver::Dump>);
            let seed = self.config.seed;
            let interrupt = interrupt.clone();
            let backend = solver::remote::backend(Arc::new(move || {
                interrupt.load(std::sync::atomic::Ordering::Relaxed)
                    || deadline.is_some_and(|d| Instant::now() >= d)
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
        let mut options =
            if self.config.exhaustive { explore::Options::exhaustive() } else { explore::Options::default() };
        options.work = work;
        options.solver.rlimit = options.solver.rlimit.min(turn.question);
        options.loop_bound = options.loop_bound.max(self.config.budget.loop_bound);
        options.overdraft = self.spare;
        options.seed = self.config.seed;
        options.memory = self.config.budget.memory;
        options.max_bugs = self.config.budget.max_bugs;
        options.max_depth = self.config.budget.max_depth.unwrap_or(u32::MAX);
        options.function_tries = self.config.budget.function_paths.unwrap_or(u64::MAX);
        if let Some(paths) = self.config.budget.max_paths {
            options.max_paths = paths;
        }
        let started = Instant::now();
        let cut = move || deadline.is_some_and(|d| Instant::now() >= d);
        let events = &mut *self.events;
        let mut observer = |event: explore::Event| {
            if let explore::Event::Ran { met, obligations, spent, open, .. } = event {
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
            clock: &|| started.elapsed().as_nanos() as u64,
        };
        let exploration = session.explore();
        stats.add(&exploration.solver);
        exploration
    }

    /// The user's example inputs of a method.
    fn seeds(&mut self, subject: &mut Subject) -> explore::Seeds {
        let f = &self.vm.lang.funcs[subject.func];
        let (class, name) = (self.vm.lang.classes[subject.class].java_name(), f.name.to_string());
        let descriptor = f.descriptor.to_string();
        let mine = |seed: &&Seed| {
            seed.class == class
                && seed.method == name
                && seed.descriptor.as_ref().is_none_or(|other| *other == descriptor)
        };
        let seeds: Vec<Seed> = self.config.seeds.iter().filter(mine).cloned().collect();
        if seeds.is_empty() {
            return explore::Seeds::default();
        }
        self.vm.start_exploration();
        let inputs = seeds.iter().map(|seed| assign(self.vm, subject, &seed.inputs)).collect();
        explore::Seeds { pool: std::mem::take(&mut self.vm.pool), inputs }
    }

    /// Enters what an exploration says of the obligations.
    fn settle(
        &self,
        goal: &CoverageGoal,
        exploration: &Exploration<Stage>,
        deadline: Option<Instant>,
        result: &mut ClassResult,
    ) {
        result.cut.extend(goal.cut().iter().cloned());
        for (function, decisions) in goal.decisions() {
            result.decisions.entry(function.to_string()).or_insert_with(|| decisions.to_vec());
        }
        // What another method's exploration has tried to prove of shared code need not be tried again.
        let keys = |part: u32| goal.of_part(part).map(|number| key(&goal.obligations()[number].1));
        let tried = |part: u32| keys(part).any(|key| result.tried.contains(&key));
        let cut = || deadline.is_some_and(|d| Instant::now() >= d);
        let seed = self.config.seed;
        let refuted = crate::proofs::refuted(goal, &exploration.verdicts, &self.vm.lang, seed, &tried, &cut);
        result.tried.extend(goal.obligations().iter().map(|(_, obligation)| key(obligation)));
        let limited = exploration.ledger.iter().any(|(entry, _)| entry.reason == jvm::input::known::LIMITED);
        let judgements = goal.judge(&exploration.verdicts, &|part| refuted.contains_key(&part));
        for ((_, obligation), judgement) in goal.obligations().iter().zip(judgements) {
            let key = key(obligation);
            let verdict = |part: u32| exploration.verdicts.get(part as usize);
            let fate = match judgement {
                Judgement::Covered => Fate::Covered,
                Judgement::Impossible(why) => {
                    result.proved.insert(key.clone());
                    Fate::Infeasible(why.to_string())
                }
                Judgement::Infeasible(part, by_code) => {
                    if by_code {
                        result.proved.insert(key.clone());
                    }
                    match (refuted.get(&part), fate(verdict(part))) {
                        (Some(why), _) => Fate::Infeasible(why.clone()),
                        (None, Fate::Infeasible(why)) if limited => {
                            Fate::Infeasible(format!("{why}, of what testwright.toml and annotations allow"))
                        }
                        (None, fate) => fate,
                    }
                }
                Judgement::Open(part) => fate(verdict(part)),
            };
            match result.obligations.get_mut(&key) {
                None => {
                    result.obligations.insert(key, (obligation.clone(), fate));
                }
                Some((_, known)) => {
                    // One way in covers it; only if no way in can, it is infeasible.
                    let better = match (&*known, &fate) {
                        (Fate::Covered, _) => false,
                        (_, Fate::Covered) => true,
                        (Fate::Infeasible(_), Fate::Open(_)) => !result.proved.contains(&key),
                        _ => false,
                    };
                    if better {
                        *known = fate;
                    }
                }
            }
        }
    }

    /// Turns the runs worth showing into test cases.
    pub(super) fn propose(
        &mut self,
        (entry, index): (&Entry, usize),
        subject: &mut Subject,
        goal: &CoverageGoal,
        exploration: Exploration<Stage>,
        found: &mut MethodResult,
    ) -> Vec<Proposed> {
        let mut finished = exploration.finished;
        // Runs that did not come to the call show nothing of the method.
        finished.retain(|run| run.observation == Stage::Call || !matches!(run.end, explore::End::Stopped(_)));
        let met: BTreeSet<u32> = finished.iter().flat_map(|run| run.meets.iter().copied()).collect();
        let needed = goal.needed(&met);
        finished.iter_mut().for_each(|run| run.meets.retain(|part| needed.contains(part)));
        self.tour(subject, goal, &met, &mut finished);
        let chosen: Vec<usize> = match self.config.suite {
            Suite::Paths => (0..finished.len()).filter(|i| finished[*i].end.is_behaviour()).collect(),
            Suite::Smallest => select(&finished),
            Suite::Each => simplest_each(&finished),
        };
        let mut chosen = chosen;
        chosen.extend(self.running_on(subject, &finished));
        let shown: BTreeSet<u32> = chosen.iter().flat_map(|i| finished[*i].meets.iter().copied()).collect();
        let enums = enum_names(self.vm, subject);
        let spelling = JavaSpelling::new(subject, enums);
        let mut cases: Vec<Proposed> = Vec::new();
        let mut told: BTreeSet<String> = BTreeSet::new();
        for at in chosen {
            let run = &mut finished[at];
            if run.end.is_behaviour() {
                minimise(self.vm, subject, run);
                prettify(self.vm, subject, run);
            }
            let detail = subject.detail(self.vm, &run.model);
            let changes_files = jvm::natives::tried_to_change_files(self.vm);
            let seen = self.seen(subject, goal, run);
            let facts = case::facts(self.vm, run, &spelling);
            let case = case::case(&self.vm.lang, subject, &detail, &facts, &exploration.ledger);
            let mut case = match case {
                Ok(case) => case,
                Err(why) => {
                    found.untestable.push(why.0);
                    continue;
                }
            };
            let inputs: BTreeMap<String, u128> = explore::inputs(&self.vm.pool, &run.model)
                .into_iter()
                .map(|input| (input.name, input.value.bits()))
                .collect();
            if let Err(why) = self.stabilise(entry, &inputs, &mut case) {
                found.untestable.push(why);
                continue;
            }
            let obligation = |number: usize| &goal.obligations()[number].1;
            let helped = goal.helped(&run.meets, &shown);
            let meets: Vec<Key> = helped.iter().map(|(number, _)| key(obligation(*number))).collect();
            let halves: Vec<(Key, usize)> = helped
                .iter()
                .filter(|(number, _)| goal.halves(*number) > 1)
                .map(|(number, half)| (key(obligation(*number)), *half))
                .collect();
            let toured = run.meets.iter().filter_map(|p| p.checked_sub(goal.len() as u32));
            let side_trips =
                toured.flat_map(|p| goal.of_part(p)).map(|number| key(obligation(number))).collect();
            let new = goal.helped(&run.new, &shown);
            case.covers = new.iter().map(|(number, _)| obligation(*number).text.clone()).collect();
            let refused = refused_null(&self.vm.lang, subject, &case);
            let suspicious = suspect(&mut self.vm.lang, &detail, &case, refused);
            if let Some(suspect) = &suspicious {
                case.comment.push(format!("Suspected bug: {}", suspect.what));
                case.suspect = Some(suspect.what.clone());
            }
            let proposed = Proposed {
                case,
                method: index,
                inputs,
                meets,
                halves,
                side_trips,
                suspicious,
                seen,
                changes_files,
            };
            // The same call twice shows nothing new.
            let shown = &proposed.case;
            if told.insert(format!("{:?}{:?}{:?}", shown.act, shown.arrange, shown.outcome)) {
                cases.push(proposed);
            }
        }
        cases
    }

    /// The simplest run that went round a loop which nothing it was given leads out of, or where all threads wait.
    fn running_on(&mut self, subject: &mut Subject, finished: &[explore::Finished<Stage>]) -> Option<usize> {
        let stopped = |run: &explore::Finished<Stage>| {
            matches!(run.end, explore::End::Stopped(vm::Stop::Steps | vm::Stop::Deadlock))
        };
        let candidates = finished.iter().enumerate().filter(|(_, run)| stopped(run));
        let mut candidates: Vec<(usize, usize)> = candidates.map(|(i, run)| (run.path.len(), i)).collect();
        candidates.sort_unstable();
        candidates.truncate(MOST_ENDLESS);
        candidates.into_iter().map(|(_, i)| i).find(|i| subject.detail(self.vm, &finished[*i].model).runs_on)
    }

    /// What a run executes, without what looking at its results does.
    fn seen(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        run: &explore::Finished<Stage>,
    ) -> AllSeen {
        let ledger = self.vm.ledger.clone();
        self.vm.walking = true;
        self.vm.start_run(run.model.clone());
        subject.execute(self.vm);
        let seen = goal.seen(&self.vm.trace);
        self.vm.walking = false;
        self.vm.ledger = ledger;
        seen
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
        inputs: &BTreeMap<String, u128>,
        case: &mut TestCase,
    ) -> Result<(), String> {
        let Some(other) = self.other.as_deref_mut() else { return Ok(()) };
        let Some(mut twin) = counterpart(&self.vm.lang, other, entry, &self.twins) else { return Ok(()) };
        other.start_exploration();
        // That world is not warmed up: a run may have to read the locale's and the zone's data first.
        other.limits.steps = self.config.budget.max_steps.saturating_mul(COLD);
        let model = assign(other, &mut twin, inputs);
        let detail = twin.detail(other, &model);
        let again = case::case(&other.lang, &twin, &detail, &[], &Ledger::default())
            .map_err(|why| format!("{} (in a world with other hashes, locale and clock)", why.0))?;
        if std::mem::discriminant(&again.outcome) != std::mem::discriminant(&case.outcome) {
            return Err("the outcome depends on hashes, locale, time zone or clock".to_string());
        }
        if again.outcome != case.outcome
            && let (
                suite::case::Outcome::Throws { class, message },
                suite::case::Outcome::Throws { class: other_class, .. },
            ) = (&mut case.outcome, &again.outcome)
        {
            if class != other_class {
                return Err("the exception depends on hashes, locale, time zone or clock".to_string());
            }
            *message = None;
        }
        case.asserts.retain(|assert| {
            again.asserts.iter().any(|other| {
                other.subject == assert.subject
                    && match (&other.check, &assert.check) {
                        (suite::case::Check::Equals(a), suite::case::Check::Within { expected: b, .. }) => {
                            a == b
                        }
                        (a, b) => a == b,
                    }
            })
        });
        Ok(())
    }
}

/// Puts into the snapshot what every run would do again: the class under test is initialised, if that works
/// without inputs, and so are the library's classes that a first few runs came across.
fn warm_up(vm: &mut Vm<Jvm>, subject: &mut Subject) {
    vm.start_run(Assignment::default());
    if jvm::input::initialise(vm, subject.class).is_ok() {
        vm.freeze();
    }
    vm.start_exploration();
    let mut met: BTreeSet<ClassId> = BTreeSet::new();
    for value in WARM_UP_VALUES {
        vm.start_run(warm_model(vm, value));
        let before = initialised_library(vm);
        subject.execute(vm);
        met.extend(initialised_library(vm).difference(&before));
    }
    vm.start_run(Assignment::default());
    for class in met {
        // One that fails here fails in the runs too, where it belongs.
        let _ = jvm::input::initialise(vm, class);
    }
    vm.freeze();
}

/// So many runs that were stopped are looked at for one that would never have ended.
const MOST_ENDLESS: usize = 3;

/// So many times the steps of a run may be needed where nothing is warmed up.
const COLD: u64 = 10;

/// So many runs are looked at for tours with side trips.
const MOST_TOURS: usize = 500;

/// What all variables are in the runs that warm up: nothing, a letter, a digit, a letter beyond Latin.
const WARM_UP_VALUES: [u64; 4] = [0, 'a' as u64, '7' as u64, 'Ā' as u64];

/// All variables known so far have this value; sequences are one element long, unless it is zero.
fn warm_model(vm: &Vm<Jvm>, value: u64) -> Assignment {
    let mut model = Assignment::default();
    if value == 0 {
        return model;
    }
    for index in 0..vm.pool.var_count() {
        let var = term::VarId(index as u32);
        let name = vm.pool.var_name(var);
        match vm.pool.var_sort(var) {
            term::Sort::Bool => {}
            _ if name.ends_with(".length") || name.ends_with(".size") => model.set_bits(var, 1),
            _ if is_choice(name) => {}
            term::Sort::Bv(_) => model.set_bits(var, value as u128),
            _ => {}
        }
    }
    model
}

/// Whether a variable says how an object is made, not what it holds.
fn is_choice(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    matches!(last, "is" | "way") || last.strip_prefix("call").is_some_and(|n| n.parse::<u32>().is_ok())
}

fn initialised_library(vm: &Vm<Jvm>) -> BTreeSet<ClassId> {
    let is_library = |class: &ClassId| vm.lang.classes[*class].origin == jvm::link::ClassOrigin::Library;
    vm.lang.classes.keys().filter(|class| is_library(class) && Jvm::is_initialised(vm, *class)).collect()
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
    let path = vm.trace.elems.iter().map(|e| explore::Step { site: e.site, kind: e.kind, choice: e.choice });
    if same_end && path.eq(run.path.iter().copied()) {
        run.model = model;
    }
}

/// So many characters of a string are made readable.
const READABLE: u128 = 256;

/// The same subject in another VM.
fn counterpart(jvm: &Jvm, other: &mut Vm<Jvm>, entry: &Entry, twins: &[Entry]) -> Option<Subject> {
    let there = &other.lang;
    let class = |of: ClassId, in_there: ClassId| jvm.classes[of].name == there.classes[in_there].name;
    let same = |twin: &&Entry| {
        let (f, g) = (&jvm.funcs[entry.func], &there.funcs[twin.func]);
        let on = match (&entry.hidden, &twin.hidden) {
            (Some(a), Some(b)) => class(a.ty, b.ty) && a.args == b.args,
            (a, b) => a.is_none() && b.is_none(),
        };
        f.name == g.name && f.descriptor == g.descriptor && class(entry.class, twin.class) && on
    };
    twins.iter().find(same)?.clone().subject(other)
}

fn key(obligation: &Obligation) -> Key {
    (obligation.function.clone(), obligation.id.0)
}

/// What the explorer's verdict means to people.
fn fate(verdict: Option<&Verdict>) -> Fate {
    match verdict {
        Some(Verdict::Covered(_)) => Fate::Covered,
        Some(Verdict::Infeasible(explore::Proof::Exhaustive)) => {
            Fate::Infeasible("all paths were explored".to_string())
        }
        Some(Verdict::Infeasible(explore::Proof::WithinBounds)) => Fate::Infeasible(format!(
            "all paths were explored, for strings and arrays of up to {} elements",
            jvm::input::MAX_LENGTH
        )),
        Some(Verdict::Open(why)) => Fate::Open(why_open(why)),
        None => Fate::Open("not reached".to_string()),
    }
}

fn why_open(why: &Why) -> String {
    match why {
        Why::Stopped(stopped) => match stopped {
            Stopped::Bugs => "stopped after the number of bugs that was asked for".to_string(),
            Stopped::Paths => "the path budget was spent".to_string(),
            Stopped::Work => "the work budget was spent".to_string(),
            Stopped::Memory => "the memory budget was spent".to_string(),
            Stopped::Cut => "the time budget was spent".to_string(),
            Stopped::Interrupted => "interrupted".to_string(),
            Stopped::NothingNew => "many paths in a row added nothing; --exhaustive goes on".to_string(),
            Stopped::Complete | Stopped::Met => "not reached".to_string(),
        },
        Why::Imprecise(kinds) => {
            let texts: Vec<&str> = kinds.iter().map(|k| k.text()).collect();
            match texts.as_slice() {
                [] => "not reached".to_string(),
                texts => texts.join("; "),
            }
        }
    }
}

/// Loads the class under test and records its coverage from now on.
pub fn load(vm: &mut Vm<Jvm>, target: &ClassTarget) -> Result<ClassId, Error> {
    vm.lang.track(&target.class);
    let class = vm
        .lang
        .class(&target.class)
        .map_err(|why| Error::Link { class: target.class.replace('/', "."), why: why.to_string() })?;
    Ok(class)
}

/// Functions that code may call, as far as they can be told without running it.
fn callees(jvm: &Jvm, class: ClassId, function: &Function) -> Vec<FuncId> {
    let mut found = Vec::new();
    for inst in &function.code {
        match inst.op {
            Op::Call => found.push(FuncId(inst.a)),
            Op::CallVirt => found.extend(jvm.virtual_function(class, inst.a)),
            // A lambda: its class was made up, its methods call the body.
            Op::New => {
                let made = &jvm.classes[ClassId(inst.a)];
                if made.origin == jvm::link::ClassOrigin::Synthetic {
                    found.extend(made.functions());
                }
            }
            _ => {}
        }
    }
    let near = |func: &FuncId| {
        jvm.funcs.get(*func).is_some_and(|f| {
            // What makes a lambda is made up too: a function without descriptor.
            let made_up = f.descriptor.is_empty();
            f.tracked || made_up || jvm.classes[f.class].origin == jvm::link::ClassOrigin::Synthetic
        })
    };
    found.retain(near);
    found
}

pub(super) fn record(found: &mut MethodResult, exploration: &Exploration<Stage>, jvm: &Jvm) {
    found.paths += exploration.spent.runs;
    found.exhaustive &= exploration.exhaustive;
    found.stopped.push(exploration.stopped);
    found.diverged += exploration.diverged;
    if found.runs_to_failure.is_none() {
        let failed = |run: &explore::Finished<_>| matches!(run.end, explore::End::Threw { .. });
        let before = found.spent.runs;
        found.runs_to_failure = exploration.finished.iter().position(failed).map(|at| before + at as u64 + 1);
    }
    found.spent.add(&exploration.spent);
    found.times.add(&exploration.times);
    found.ledger.merge(&exploration.ledger);
    for run in &exploration.finished {
        let outcome = match &run.end {
            explore::End::Returned => "returns".to_string(),
            explore::End::Threw { class, .. } => format!("throws {}", jvm.classes[*class].java_name()),
            explore::End::Stopped(stop) => format!("stopped: {stop:?}"),
        };
        *found.outcomes.entry(outcome).or_insert(0) += 1;
    }
}

/// Names of the constants of enum parameters.
fn enum_names(vm: &mut Vm<Jvm>, subject: &Subject) -> Vec<(String, Vec<String>)> {
    let params: Vec<Param> = subject.inputs().cloned().collect();
    let mut names = Vec::new();
    for param in params {
        if let jvm::input::Kind::Enum { constants, .. } = &param.kind {
            let constants = constants
                .iter()
                .map(|c| match jvm::observe::see_object(vm, *c) {
                    Seen::Enum(_, name) => name,
                    Seen::Class(class) => format!("{}.class", case::simple_name(&vm.lang, class)),
                    _ => String::new(),
                })
                .collect();
            names.push((param.name.clone(), constants));
        }
    }
    names
}

/// Why a method is no target at all.
fn refusal(name: &str, descriptor: &str) -> Option<&'static str> {
    // A suspend function takes the rest of the computation as its last parameter.
    if descriptor.contains("Lkotlin/coroutines/Continuation;)") {
        return Some("a suspend function of Kotlin: coroutines are not supported");
    }
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '<' | '>');
    (!name.chars().all(plain)).then_some(
        "its name cannot be written in a test: Kotlin changes it where value classes are parameters",
    )
}

/// Whether null was given for a parameter that is declared not to take it: what follows is a refusal, no bug.
fn refused_null(jvm: &Jvm, subject: &Subject, case: &TestCase) -> bool {
    let f = &jvm.funcs[subject.func];
    let Some(file) = jvm.classes[f.class].file.as_deref() else { return false };
    let Some(method) = file.method(&f.name, &f.descriptor) else { return false };
    let refuses = super::kotlin::refuses_null(file, method);
    case.act.args.iter().zip(refuses).any(|(arg, refuses)| refuses && *arg == suite::case::Value::Null)
}
