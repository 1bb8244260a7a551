//! What an exploration says of the obligations.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use explore::{Asks, Callees, Exploration, Goal, Stopped, Verdict, Why};
use ir::{ClassId, FuncId};
use jvm::load::access;
use jvm::world::Jvm;
use ledger::{Kind, Ledger};

use super::explore::ClassExplorer;
use super::hindrance::Hindrances;
use super::outcome::{ClassResult, Fate, key};
use super::subject::{Stage, Subject};
use crate::goal::{CoverageGoal, Judgement};
use crate::proofs::{Proofs, prove};

impl ClassExplorer<'_> {
    /// Enters what an exploration says of the obligations.
    pub(super) fn settle(
        &mut self,
        subject: &Subject,
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
        let callees = callees(&mut self.vm.lang, goal);
        let (names, verdicts) = (&self.vm.lang, &exploration.verdicts);
        let Proofs { mut refuted, tried } =
            prove(goal, verdicts, names, (&callees, None), seed, &tried, &cut);
        result.tried.extend(tried.into_iter().flat_map(keys));
        // By the user's word, which is about this way in: another one may lead there.
        let proved = goal.judge(&exploration.verdicts, &|part| refuted.contains_key(&part));
        let given = super::given::given(names, subject, goal);
        if !given.is_empty() {
            let about = (&callees, Some((subject.func, &given)));
            let known = |part: u32| refuted.contains_key(&part);
            let by_word = prove(goal, verdicts, names, about, seed, &known, &cut).refuted.into_iter();
            let told = |why: String| format!("{why}, of what testwright.toml and annotations allow");
            refuted.extend(by_word.map(|(part, why)| (part, told(why))));
        }
        let limited = exploration.ledger.iter().any(|(entry, _)| {
            [jvm::input::known::LIMITED, jvm::input::known::NO_NULL].contains(&&*entry.reason)
        });
        let hindrances = Hindrances::new(goal, exploration);
        let judgements = goal.judge(&exploration.verdicts, &|part| refuted.contains_key(&part));
        let by_code = proved.iter().map(|judgement| matches!(judgement, Judgement::Infeasible(_, true)));
        for (((_, obligation), judgement), by_code) in goal.obligations().iter().zip(judgements).zip(by_code)
        {
            let key = key(obligation);
            let fate_of = |part: u32| match fate(exploration.verdicts.get(part as usize), &exploration.ledger)
            {
                Fate::Open(why) => Fate::Open(match (hindrances.ends(part), hindrances.of(part)) {
                    (Some(reason), _) => reason,
                    (None, Some(more)) => format!("{why}; {more}"),
                    (None, None) => why,
                }),
                fate => fate,
            };
            let fate = match judgement {
                Judgement::Covered => Fate::Covered,
                Judgement::Impossible(why) => {
                    result.proved.insert(key.clone());
                    Fate::Infeasible(why.to_string())
                }
                Judgement::Infeasible(part, _) => {
                    if by_code {
                        result.proved.insert(key.clone());
                    }
                    if !by_code && refuted.contains_key(&part) {
                        result.by_word.insert(key.clone());
                    }
                    match (refuted.get(&part), fate_of(part)) {
                        (Some(why), _) => Fate::Infeasible(why.clone()),
                        (None, Fate::Infeasible(why)) if limited => {
                            Fate::Infeasible(format!("{why}, of what testwright.toml and annotations allow"))
                        }
                        (None, fate) => fate,
                    }
                }
                Judgement::Open(part) => fate_of(part),
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
}

/// What the explorer's verdict means to people.
fn fate(verdict: Option<&Verdict>, ledger: &Ledger) -> Fate {
    match verdict {
        Some(Verdict::Covered(_)) => Fate::Covered,
        Some(Verdict::Infeasible(explore::Proof::Exhaustive)) => {
            Fate::Infeasible("all paths were explored".to_string())
        }
        Some(Verdict::Infeasible(explore::Proof::WithinBounds)) => {
            Fate::Infeasible(match bounds(ledger, Kind::InputBound) {
                bounds if bounds.is_empty() => "all paths were explored".to_string(),
                bounds => format!("all paths were explored within these bounds: {bounds}"),
            })
        }
        Some(Verdict::Open(why)) => Fate::Open(why_open(why, ledger)),
        None => Fate::Open("not reached".to_string()),
    }
}

/// What inputs were tried at all.
fn bounds(ledger: &Ledger, kind: Kind) -> String {
    let known = [jvm::input::known::LIMITED, jvm::input::known::NO_NULL];
    let entries = ledger.iter().map(|(entry, _)| entry);
    let entries = entries.filter(|e| e.kind == kind && !known.contains(&&*e.reason));
    let texts: Vec<String> = entries
        .map(|entry| match &*entry.place {
            "inputs" => entry.reason.clone(),
            place => format!("{place}: {}", entry.reason),
        })
        .collect();
    texts.join("; ")
}

fn why_open(why: &Why, ledger: &Ledger) -> String {
    match why {
        Why::Stopped(stopped) => match stopped {
            Stopped::Bugs => "stopped after the number of bugs that was asked for".to_string(),
            Stopped::Paths => "the path budget was spent".to_string(),
            Stopped::Work => "the work budget was spent".to_string(),
            Stopped::Memory => "the memory budget was spent".to_string(),
            Stopped::Cut => "the time budget was spent".to_string(),
            Stopped::Interrupted => "interrupted".to_string(),
            Stopped::NothingNew => "many paths in a row added nothing (--exhaustive goes on)".to_string(),
            Stopped::Complete | Stopped::Met => "not reached".to_string(),
        },
        Why::Imprecise(kinds) => {
            let text = |kind: &Kind| match kind {
                Kind::Tried => format!("not reached within these bounds: {}", bounds(ledger, Kind::Tried)),
                kind => kind.text().to_string(),
            };
            let texts: Vec<String> = kinds.iter().map(text).collect();
            match texts.as_slice() {
                [] => "not reached".to_string(),
                texts => texts.join("; "),
            }
        }
    }
}

/// Which of the classes that code asks for exclude one another: neither extends the other, and no class can extend or implement both.
fn apart(jvm: &Jvm, code: &[&ir::Inst]) -> BTreeSet<(ClassId, ClassId)> {
    let asks = code.iter().filter(|inst| matches!(inst.op, ir::Op::InstanceOf | ir::Op::GuardCast));
    let classes: BTreeSet<ClassId> = asks.map(|inst| ClassId(inst.b)).collect();
    // Of arrays elements would have to be looked at.
    let classes: Vec<ClassId> = classes.into_iter().filter(|class| !jvm.classes[*class].is_array()).collect();
    let is_final = |class: ClassId| jvm.classes[class].access & access::FINAL != 0;
    let is_interface = |class: ClassId| jvm.classes[class].is_interface();
    let exclude = |a: ClassId, b: ClassId| {
        let related = jvm.is_subclass(a, b) || jvm.is_subclass(b, a);
        let either_extends = is_final(a) || is_final(b) || !is_interface(a) && !is_interface(b);
        !related && either_extends
    };
    let pairs = classes.iter().flat_map(|a| classes.iter().map(move |b| (*a, *b)));
    pairs.filter(|(a, b)| exclude(*a, *b)).collect()
}

/// What proofs know of what the functions of a goal call.
pub(super) fn callees(jvm: &mut Jvm, goal: &CoverageGoal) -> Callees {
    let mut callees = Callees::default();
    for (_, func) in goal.calls() {
        if let Some(function) = jvm.ir(*func) {
            callees.code.insert(*func, function);
        }
    }
    let code: Vec<&ir::Inst> = (goal.functions().filter_map(|func| goal.function(func)))
        .flat_map(|function| &function.code)
        .collect();
    callees.apart = apart(jvm, &code);
    for func in goal.functions() {
        let typed = goal.function(func).map(|function| super::declared::typed(jvm, func, function));
        callees.typed.extend(typed.map(|typed| (func, typed)));
    }
    let code = code.into_iter();
    let called = code.filter(|inst| inst.op == ir::Op::Call).map(|inst| FuncId(inst.a));
    for func in called.collect::<BTreeSet<_>>() {
        callees.steady.extend(steady(&jvm.func_name(func)).map(|asks| (func, asks)));
        if super::declared::is_arithmetic(jvm, func)
            && let Some(function) = jvm.written(func)
        {
            callees.code.entry(func).or_insert_with(|| Arc::new(function));
        }
    }
    let all: BTreeSet<FuncId> = goal.functions().chain(callees.code.keys().copied()).collect();
    callees.shared = all.into_iter().filter(|func| super::declared::is_shared(jvm, *func)).collect();
    callees
}

/// Whether a method of the library gives the same of the same object whenever it is called, and what it asks for.
fn steady(name: &str) -> Option<Option<Asks>> {
    match name {
        "java/lang/String.length()I" => Some(Some(Asks::Size)),
        "java/lang/String.isEmpty()Z" => Some(Some(Asks::IsEmpty)),
        _ => coverage::UNBOXING.contains(&name).then_some(None),
    }
}
