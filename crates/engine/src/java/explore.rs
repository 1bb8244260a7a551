//! Exploring a class: each method with each way to make its receiver, until its obligations are settled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ir::{ClassId, FuncId};
use jvm::load::{FieldType, access};
use jvm::world::Jvm;
use vm::Vm;

use super::case::{self, params};
use super::entries::{Entry, entries};
use super::onward::Share;
use super::outcome::{ClassResult, Fate, Key, MethodResult, Proposed, key, record};
use super::session::Telling;
use super::subject::{Param, Stage, Subject};
use super::turns::{Turn, Turns};
use super::warm_up;
use crate::config::{Config, Suite};
use crate::error::Error;
use crate::event::Event;
use crate::goal::CoverageGoal;
use crate::journal::FileJournal;
use crate::target::ClassTarget;

/// What a method is called on and with, and what is known of that; `None` if a test cannot make anything to call it on.
pub fn subject(vm: &mut Vm<Jvm>, class: ClassId, method: FuncId) -> Option<Subject> {
    let mut subject = unconditional(vm, class, method)?;
    let names: Vec<String> = subject.params.iter().map(|param| param.name.clone()).collect();
    subject.conditions = jvm::input::known::conditions(vm, method, &names);
    for (i, rule) in &mut subject.conditions.params {
        let param = &mut subject.params[*i];
        param.kind = jvm::input::known::told_kind(vm, &param.ty, param.kind.clone(), rule);
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
        let stand_in = jvm::input::stand_in(vm, class)?;
        let name = receiver_name(&vm.lang, class);
        let params = params(vm, method, std::slice::from_ref(&name));
        let mut subject = Subject::new(class, method, None, params);
        subject.stand_in = Some((stand_in, name));
        return Some(subject);
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
    let types = jvm::input::param_types_on(&vm.lang, &kind, method);
    let params = case::params_as(vm, method, &types, std::slice::from_ref(&name));
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
    pub(super) telling: Telling,
    pub journal: Option<FileJournal>,
    /// Steps of a run: as configured, or what a plain run of one of the methods turned out to need.
    pub(super) steps: u64,
    /// Work that later methods could lend.
    pub spare: u64,
    /// Classes nested in the one under test.
    pub(super) nested: Vec<ClassId>,
    /// Those of them that a test cannot name and that nothing hands out: their methods run where one is made.
    pub(super) unseen: Vec<ClassId>,
    /// What is explored, in the other world.
    pub(super) twins: Vec<Entry>,
    /// Inputs that objects were made of, by their class and name, where it takes some to make one.
    pub(super) receivers: BTreeMap<(ClassId, String), BTreeMap<String, u128>>,
    /// Calls of existing tests, the first that are tried.
    pub examples: Vec<jvm::examples::Heard>,
    /// Objects in states that are known, for the next exploration to begin with.
    pub(super) states: Vec<BTreeMap<String, u128>>,
    /// Texts that runs returned from, for the explorations after them.
    pub(super) texts: BTreeSet<Vec<u16>>,
    /// Only what calls decide is tried, not how their inputs are made.
    pub(super) in_call: bool,
    pub events: &'a mut dyn FnMut(Event),
}

/// What is said where we failed.
const FAILED: &str = "an internal error ended its exploration; please report it";

/// Who stopped an exploration waits so long for what its paths are.
const WAITED_FOR: Duration = Duration::from_secs(2);

impl<'a> ClassExplorer<'a> {
    pub fn new(
        (vm, other): (&'a mut Vm<Jvm>, Option<&'a mut Vm<Jvm>>),
        config: &'a Config,
        deadline: Option<Instant>,
        journal: Option<FileJournal>,
        events: &'a mut dyn FnMut(Event),
    ) -> ClassExplorer<'a> {
        let (nested, unseen, twins, receivers) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
        let spare = 0;
        ClassExplorer {
            vm,
            other,
            config,
            deadline,
            telling: Telling::default(),
            journal,
            steps: config.budget.max_steps,
            spare,
            nested,
            unseen,
            twins,
            receivers,
            examples: Vec::new(),
            states: Vec::new(),
            texts: BTreeSet::new(),
            in_call: false,
            events,
        }
    }

    pub fn explore(&mut self, target: &ClassTarget) -> Result<ClassResult, Error> {
        let class = load(self.vm, target)?;
        let mut fresh = target.methods.is_empty().then(|| self.vm.fork());
        let entries = entries(self.vm, class, target, self.config)?;
        for entry in &entries {
            for driven in jvm::input::known::covered_by(&self.vm.lang, entry.func) {
                self.vm.lang.track(&driven.class);
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
        result.missing = missing(self.vm, class, target);
        let feature = self.vm.lang.path.jdk().feature;
        if let Some(text) = warning(&target.class, &result.missing, feature) {
            (self.events)(Event::Warning(text));
        }
        self.nested = target.nested.iter().filter_map(|name| self.vm.lang.loaded(name)).collect();
        self.unseen = super::unreached::unseen(self.vm, &self.nested, &entries);
        self.twins = match self.other.as_deref_mut() {
            Some(other) => load(other, target)
                .and_then(|class| super::entries::entries(other, class, target, self.config))?,
            None => Vec::new(),
        };
        let mut spare = self.spare_machines();
        let mut turns = Turns::new(entries.len(), self.config);
        let mut deadline = self.deadline_of_calls();
        let mut early = self.config.exhaustive || self.config.suite == Suite::Paths;
        // What was found before an interrupt is kept; what was not begun is not begun any more.
        while !self.is_interrupted() || turns.is_first_round() {
            // What only takes more calls is found soon that way, and would cost those who look for it in one call all they have.
            if turns.is_first_round_over() && !early {
                early = true;
                let spent = self
                    .guarded(&mut spare, |this| this.onward(&entries, &turns, Share::Little, &mut result));
                turns.spend(spent.unwrap_or_default());
            }
            let Some(turn) = turns.next(&mut result, deadline) else { break };
            self.spare = turn.spare;
            let entry = &entries[turn.index];
            if self.is_interrupted() {
                let found = self.given_up(entry, "interrupted before its turn", &mut result);
                super::turns::merge(&mut result, turn.index, found, Vec::new(), self.config.suite);
                continue;
            }
            let explored = self.guarded(&mut spare, |this| this.method(entry, &turn, &mut result));
            let (found, tests, goal) = explored
                .unwrap_or_else(|| (self.given_up(entry, FAILED, &mut result), Vec::new(), Vec::new()));
            turns.done(turn, &found, goal);
            let before = self.confirmed_later(&result);
            super::turns::merge(&mut result, turn.index, found, tests, self.config.suite);
            result.credit();
            // Confirming will take longer than was thought.
            let longer = self.confirmed_later(&result).saturating_sub(before);
            let sooner = |end: Instant| end.checked_sub(longer).unwrap_or(end);
            self.deadline = self.deadline.map(sooner);
            deadline = deadline.map(sooner);
        }
        let explored: Vec<FuncId> = entries.iter().map(|entry| entry.func).collect();
        self.outline(class, &mut result);
        let hidden = entries.iter().filter_map(|entry| entry.hidden.as_ref());
        let bodies: Vec<FuncId> = hidden.flat_map(|hidden| hidden.runs.iter().copied()).collect();
        super::claims::withdraw(&self.vm.lang, class, &explored, &bodies, &mut result);
        let mut after = Vec::new();
        if !self.is_interrupted() {
            after.extend([
                self.guarded(&mut spare, |this| {
                    this.onward(&entries, &turns, Share::Rest, &mut result);
                }),
                self.guarded(&mut spare, |this| this.beyond(&entries, &turns, &mut result)),
                self.guarded(&mut spare, |this| this.smallest(&entries, &turns, &mut result)),
                self.guarded(&mut spare, |this| this.outlast(class, &entries, &mut result)),
            ]);
        }
        if let Some(fresh) = &mut fresh {
            after.push(self.guarded(&mut spare, |this| this.uncalled(fresh, class, &mut result)));
        }
        result.credit();
        if after.contains(&None) {
            (self.events)(Event::Warning(format!("{}: {FAILED}", target.class.replace('/', "."))));
        }
        // The suspected bugs stand together, the likeliest first.
        result.tests.sort_by_key(|test| (test.suspicious.as_ref().map(|s| s.rank), test.method));
        super::recorded::leave_out_unrelated(&mut result.tests);
        suite::apart::tell_apart(result.tests.iter_mut().map(|t| &mut t.case));
        suite::name::make_unique(result.tests.iter_mut().map(|t| &mut t.case.name));
        Ok(result)
    }

    /// What confirming takes longer than is kept for it in any case.
    fn confirmed_later(&self, result: &ClassResult) -> Duration {
        let endless = result.tests.iter().filter(|test| test.case.outcome.is_endless()).count();
        if self.config.run { runner::confirm::longer(result.tests.len(), endless) } else { Duration::ZERO }
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
        let refusal = refusal(&self.vm.lang, method);
        let subject = if refusal.is_some() { None } else { entry.subject(self.vm) };
        if subject.is_none() {
            found.exhaustive = false;
            let why = "no constructor or factory that a test may call makes an object to call it on";
            let why = refusal.as_deref().unwrap_or(why);
            found.untestable.push(why.to_string());
            self.leave_open(method, why, result);
        }
        if let Some(mut subject) = subject {
            let goal = self.goal(&subject);
            wanted = goal.obligations().iter().map(|(_, obligation)| key(obligation)).collect();
            let mut exploration = self.session(&mut subject, &goal, turn, &name, &mut result.solver);
            if self.initialise_more(&mut subject, &exploration) {
                let before = exploration.spent;
                exploration = self.session(&mut subject, &goal, turn, &name, &mut result.solver);
                exploration.spent.add(&before);
            }
            record(&mut found, &exploration, &self.vm.lang);
            self.settle(&subject, &goal, &exploration, turn.deadline, result);
            // An interrupt ends the search, not the writing of what was found.
            let interrupt = std::mem::take(&mut self.vm.interrupt);
            if interrupt.load(Ordering::Relaxed) && self.config.suite == Suite::Paths {
                // Of paths there can be any number, and somebody waits.
                let soon = Instant::now() + WAITED_FOR;
                self.deadline = Some(self.deadline.map_or(soon, |deadline| deadline.min(soon)));
            }
            let (mut finished, proposing) = (exploration.finished, Instant::now());
            let told_of = match self.config.suite {
                Suite::Paths => finished.len(),
                Suite::Smallest | Suite::Each => finished.iter().filter(|run| !run.new.is_empty()).count(),
            };
            if turn.index < result.methods.len() && self.config.suite != Suite::Paths {
                only_new(&goal, &result.tests, &mut finished);
            }
            let place = (entry, turn.index);
            tests = self.propose(place, &mut subject, &goal, (finished, &exploration.ledger), &mut found);
            self.telling.add(proposing.elapsed(), told_of);
            self.vm.interrupt = interrupt;
        }
        found.millis = started.elapsed().as_millis() as u64;
        // Of a class without a name, what the call runs; of a driver, what it drives.
        let mut own = vec![method];
        if let Some(hidden) = &entry.hidden {
            own.extend(super::entries::runs(self.vm, method, &self.nested));
            own.extend(&hidden.runs);
        }
        own.extend(super::owed::driven(self.vm, method));
        if let Some(left_out) = &entry.left_out {
            own = vec![left_out.func];
        }
        // Bridges are the compiler's; what they lead to is meant.
        for at in 0..own.len() {
            let is_bridge = self.vm.lang.funcs[own[at]].access & access::BRIDGE != 0;
            if let Some(function) = is_bridge.then(|| self.vm.lang.ir(own[at])).flatten() {
                let near = super::owed::callees(&self.vm.lang, class, own[at], &function);
                own.extend(near.into_iter().map(|(_, callee)| callee));
            }
        }
        let own: Vec<String> = own.into_iter().map(|func| self.vm.lang.func_name(func)).collect();
        let mine = result.obligations.iter().filter(|(_, (o, _))| own.contains(&o.function));
        let (mut covered, mut infeasible, mut obligations) = (0, 0, 0);
        for (key, (_, fate)) in mine {
            obligations += 1;
            match fate {
                Fate::Covered => covered += 1,
                // Other claims may be withdrawn when the whole class is done.
                Fate::Infeasible(_) => infeasible += u32::from(result.proved.contains(key)),
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

    /// Puts a class into the snapshots that runs were stopped in while it was being initialised; whether there was one.
    fn initialise_more(&mut self, subject: &mut Subject, exploration: &explore::Exploration<Stage>) -> bool {
        // Who explores by the length of runs means the limit.
        if self.config.exhaustive || self.is_interrupted() {
            return false;
        }
        let is_stopped = |run: &&explore::Finished<Stage>| run.end == explore::End::Stopped(vm::Stop::Steps);
        let Some(run) = exploration.finished.iter().find(is_stopped) else { return false };
        let Some(name) = warm_up::initialise_stopped(self.vm, subject, &run.model) else { return false };
        if let Some(other) = self.other.as_deref_mut()
            && let Ok(class) = other.lang.class(&name)
        {
            other.limits.steps = self.config.budget.max_steps;
            warm_up::keep_however_long(other, class);
        }
        true
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.vm.interrupt.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// What is said of a method that was not explored.
    fn given_up(&mut self, entry: &Entry, why: &str, result: &mut ClassResult) -> MethodResult {
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
}

/// Classes that a class and those nested in it name and that nothing has.
fn missing(vm: &mut Vm<Jvm>, class: ClassId, target: &ClassTarget) -> BTreeSet<String> {
    let nested = target.nested.iter().filter_map(|name| vm.lang.loaded(name));
    let files: Vec<_> = std::iter::once(class)
        .chain(nested)
        .filter_map(|class| vm.lang.classes[class].file.clone())
        .collect();
    let mut found = BTreeSet::new();
    for file in files {
        let names = (1..file.pool.len()).filter_map(|index| file.pool.class(index).ok());
        let names = names.filter(|name| !name.starts_with('['));
        let lost = names
            .filter(|name| vm.lang.loaded(name).is_none() && matches!(vm.lang.path.load(name), Ok(None)));
        found.extend(lost.map(str::to_string));
    }
    found
}

/// What is said where classes are missing: tests that need them fail on the JVM, whatever they do.
fn warning(class: &str, missing: &BTreeSet<String>, feature: u32) -> Option<String> {
    let class = class.replace('/', ".");
    // The library's own classes are on no class path: a newer JDK has them.
    if let Some(newer) = missing.iter().find(|name| name.starts_with("java/")) {
        let newer = newer.replace('/', ".");
        return Some(format!(
            "{class} uses {newer}, which JDK {feature} does not have: give the JDK it was compiled for (--jdk HOME, JAVA_HOME), \
             or tests that need it are left out"
        ));
    }
    let named: Vec<String> = missing.iter().take(3).map(|name| name.replace('/', ".")).collect();
    let more = match missing.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty()).then(|| {
        let named = named.join(", ");
        format!("{class} uses {named}{more}, which -c does not have: add the jar or folder, or tests that need it are left out")
    })
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

/// Why a method is no target at all.
fn refusal(jvm: &Jvm, func: FuncId) -> Option<String> {
    // A suspend function takes the rest of the computation as its last parameter.
    if jvm.funcs[func].descriptor.contains("Lkotlin/coroutines/Continuation;)") {
        return Some("a suspend function of Kotlin: coroutines are not supported".to_string());
    }
    if jvm::input::is_written(jvm, func) { None } else { jvm::input::wrapped::unwritten(jvm, func) }
}

/// Keeps the runs that show what no test shows yet: of a method that comes again, the others are told of.
fn only_new(goal: &CoverageGoal, tests: &[Proposed], finished: &mut Vec<explore::Finished<Stage>>) {
    let met: BTreeSet<&Key> = tests.iter().flat_map(|test| &test.meets).collect();
    let is_new = |number: usize| {
        // One half of an obligation says nothing of the other.
        goal.halves(number) > 1 || !met.contains(&key(&goal.obligations()[number].1))
    };
    finished.retain(|run| run.meets.iter().any(|part| goal.of_part(*part).any(is_new)));
}
