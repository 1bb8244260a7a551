//! Values that show what a method does: where a path asks nothing of an input and the outcome depends on it, zero would
//! hide how. `pay(2.0, 41)` is a better test of overtime than `pay(0.0, 41)`, whatever the formula is.

use std::collections::BTreeSet;

use explore::{End, Finished, Goal, Step, Target};
use ledger::Ledger;
use suite::case::{Assert, Outcome};
use term::{Assignment, Program, Sort, VarId};
use vm::ElemKind;

use super::case;
use super::explore::ClassExplorer;
use super::subject::{Stage, Subject};
use crate::config::Suite;
use crate::goal::CoverageGoal;

/// So many inputs of a test are looked at.
const MOST: usize = 8;

/// None of them is the sum or the product of others, none does nothing where one multiplies by it.
const NUMBERS: [i64; MOST] = [2, 3, 5, 7, 11, 13, 17, 19];

/// What is tried of an input that does not take its number.
const SMALL: [i64; 2] = [2, 1];

impl ClassExplorer<'_> {
    /// Gives inputs that the path does not ask about such values, as far as the outcome shows them.
    pub(super) fn tell(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        run: &mut Finished<Stage>,
        ledger: &Ledger,
    ) {
        let noted = self.vm.ledger.clone();
        self.vm.walking = goal.walks();
        self.vm.start_run(run.model.clone());
        subject.execute(self.vm);
        // What chance decides must not show.
        if self.vm.lang.worlds.random {
            self.vm.walking = false;
            self.vm.ledger = noted;
            return;
        }
        let changes = self.free(run);
        let mut told = run.model.clone();
        let mut kept = Vec::new();
        // What comes later is larger: so items that are in order stay in order, one after the other. Some have room only when
        // others have moved.
        let mut waiting: Vec<(usize, Change)> = changes.into_iter().enumerate().rev().collect();
        for _ in 0..2 {
            for (number, change) in std::mem::take(&mut waiting) {
                let mut given = false;
                for value in self.values(&change, number, &told) {
                    let mut model = told.clone();
                    change.give(self, &mut model, value);
                    given = self.same_path((subject, goal), run, &model);
                    if given {
                        told = model;
                        kept.push((value, change.clone()));
                        break;
                    }
                }
                if !given && matches!(change, Change::Item(_)) {
                    waiting.insert(0, (number, change));
                }
            }
        }
        if !kept.is_empty()
            && let Some(plain) = self.shown(subject, &run.model, ledger)
            && let Some(full) = self.shown(subject, &told, ledger)
            && full != plain
            && shows_more(&full, &plain)
        {
            // What does not show stays simple.
            for left_out in 0..kept.len() {
                let mut model = run.model.clone();
                for (at, (value, change)) in kept.iter().enumerate() {
                    if at != left_out {
                        change.give(self, &mut model, *value);
                    }
                }
                // Items that have an order may need one another.
                let alike = matches!(kept[left_out].1, Change::Item(_));
                if self.shown(subject, &model, ledger).as_ref() == Some(&full)
                    && (!alike || self.same_path((subject, goal), run, &model))
                {
                    kept[left_out].1 = Change::Nothing;
                }
            }
            let mut model = run.model.clone();
            for (value, change) in &kept {
                change.give(self, &mut model, *value);
            }
            self.vm.start_run(model.clone());
            subject.execute(self.vm);
            let elems = &self.vm.trace.elems;
            run.condition = elems.iter().map(|e| self.vm.trace.taken(e)).collect();
            run.path = elems.iter().map(Step::of).collect();
            run.model = model;
        }
        self.vm.walking = false;
        self.vm.ledger = noted;
    }

    /// What an input may be given, the best first. Items are told apart as their order allows: by numbers near to zero that none of them
    /// has.
    fn values(&self, change: &Change, number: usize, model: &Assignment) -> Vec<i64> {
        let mut found = vec![NUMBERS[number]];
        // Where there are only a few (constants of an enum, what the user allows), a small number is better than none.
        if matches!(change, Change::Scalar(_)) {
            found.extend(SMALL.into_iter().filter(|small| *small != NUMBERS[number]));
        }
        if let Change::Item(var) = change {
            let name = self.vm.pool.var_name(*var);
            let others = self.vm.inputs.asked.iter().copied().filter(|other| other != var);
            let others = others.filter(|other| is_alike(name, self.vm.pool.var_name(*other)));
            let taken: BTreeSet<u128> = others.map(|other| model.bits(other)).collect();
            let bits = |value: i64| bits_of(value, self.vm.pool.var_sort(*var));
            let near = (1..=MOST as i64).flat_map(|value| [value, -value]);
            found.extend(near.filter(|value| bits(*value).is_some_and(|bits| !taken.contains(&bits))));
        }
        found
    }

    /// Inputs of the last run that its path does not ask about, or that it would take with numbers below zero too: where
    /// zero is as far as it goes, that is the best number to test. Where it only compares items of a kind with one another (what
    /// `push(v)` was given three times), zero is no border, and equal ones hide which is which.
    fn free(&mut self, run: &Finished<Stage>) -> Vec<Change> {
        let mut used: BTreeSet<VarId> = BTreeSet::new();
        let mut compared: BTreeSet<VarId> = BTreeSet::new();
        let mut asked = Vec::new();
        // What constructors ask of their arguments is not what is tested.
        for (step, condition) in run.path.iter().zip(&run.condition) {
            let vars = self.vm.pool.vars(*condition);
            let name = |var: &VarId| self.vm.pool.var_name(*var);
            if vars.len() > 1 && vars.iter().all(|var| is_alike(name(var), name(&vars[0]))) {
                compared.extend(vars.iter().copied());
            } else if !step.input {
                used.extend(vars.iter().copied());
                asked.extend(self.counts(step).then_some(*condition));
            }
        }
        compared.retain(|var| !used.contains(var));
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let texts = self.vm.inputs.texts();
        for var in self.vm.inputs.asked.clone() {
            if !seen.insert(var) {
                continue;
            }
            let name = self.vm.pool.var_name(var).to_string();
            let elements = self.elements(&name, run.model.bits(var)).into_iter();
            found.extend(elements.filter(|var| run.model.bits(*var) == 0).map(Change::Scalar));
            if compared.contains(&var) && !is_structure(&name) {
                found.push(Change::Item(var));
                continue;
            }
            if run.model.bits(var) != 0 {
                continue;
            }
            if let Some(text) = name.strip_suffix(".length").filter(|text| texts.iter().any(|t| t == text)) {
                found.push(Change::Text(text.to_string(), var));
            } else if !is_structure(&name) {
                found.push(Change::Scalar(var));
            }
        }
        found.truncate(MOST);
        let mut asked = Program::compile(&self.vm.pool, &asked);
        found.retain(|change| match change {
            Change::Scalar(var) if used.contains(var) => {
                let below = match self.vm.pool.var_sort(*var) {
                    Sort::F32 => (-1f32).to_bits() as u128,
                    Sort::F64 => (-1f64).to_bits() as u128,
                    Sort::Bv(width @ (8 | 32 | 64)) => term::semantics::mask(width),
                    _ => return false,
                };
                let mut model = run.model.clone();
                model.set_bits(*var, below);
                asked.run_assignment(&model).iter().all(|holds| *holds != 0)
            }
            _ => true,
        });
        found
    }

    /// The variables of the elements of an array of numbers, by the variable of its length and so many of them.
    fn elements(&mut self, length: &str, count: u128) -> Vec<VarId> {
        let Some(id) = length.strip_suffix(".length").and_then(|name| self.vm.inputs.by_name(name)) else {
            return Vec::new();
        };
        if self.vm.inputs.get(id).elem == Sort::Bv(16) {
            return Vec::new();
        }
        let elements = 0..count.min(MOST as u128) as u32;
        let terms = elements.map(|i| self.vm.inputs.elem(&mut self.vm.pool, id, i)).collect::<Vec<_>>();
        terms.into_iter().filter_map(|term| self.vm.pool.var_of(term)).collect()
    }

    /// Whether a run ends alike and goes the same way in the program; where each path is to be shown, in the library too.
    fn same_path(
        &mut self,
        (subject, goal): (&mut Subject, &CoverageGoal),
        run: &Finished<Stage>,
        model: &Assignment,
    ) -> bool {
        // Up to the first decision that these inputs would change the run is the same: where that one counts, nothing need be run.
        let mut program = Program::compile(&self.vm.pool, &run.condition);
        let changed = program.run_assignment(model).iter().position(|holds| *holds == 0);
        if changed.and_then(|at| run.path.get(at)).is_some_and(|step| self.counts(step)) {
            return false;
        }
        self.vm.start_run(model.clone());
        let outcome = subject.execute(self.vm);
        if subject.observe(self.vm, &outcome) != Stage::Call || End::of(self.vm, &outcome) != run.end {
            return false;
        }
        let steps = self.vm.trace.elems.iter().map(Step::of).filter(|step| self.counts(step));
        if !steps.eq(run.path.iter().copied().filter(|step| self.counts(step))) {
            return false;
        }
        // Decisions of natives may be alike and lead elsewhere.
        let met = goal.met_by(&self.vm.trace);
        run.meets.iter().all(|part| *part >= goal.len() as u32 || met.contains(part))
    }

    /// Whether a decision is one of the program's, or what the caller asked of the result, which tells returns apart;
    /// any where each path is to be shown.
    fn counts(&self, step: &Step) -> bool {
        self.config.suite == Suite::Paths
            || step.kind == ElemKind::Branch && step.site.is_outside()
            || self.vm.lang.funcs.get(step.site.func).is_some_and(|f| f.tracked)
    }

    /// What a test with these inputs asserts.
    fn shown(
        &mut self,
        subject: &mut Subject,
        model: &Assignment,
        ledger: &Ledger,
    ) -> Option<(Outcome, Vec<Assert>)> {
        let detail = subject.detail(self.vm, model);
        let case = case::case(&self.vm.lang, subject, &detail, &[], ledger).ok()?;
        Some((case.outcome, case.asserts))
    }
}

/// Whether a test that asserts the first is better than one that asserts the second: it says as much, or says what the call changed
/// where the other has nothing to say but what is as it was (a setter that was given what the field held).
fn shows_more(full: &(Outcome, Vec<Assert>), plain: &(Outcome, Vec<Assert>)) -> bool {
    let changed = full.0 == plain.0 && !full.1.is_empty() && full.1.iter().all(|a| !plain.1.contains(a));
    full.1.len() >= plain.1.len() || changed
}

/// What becomes of an input.
#[derive(Clone)]
enum Change {
    Nothing,
    Scalar(VarId),
    /// One of several numbers that are compared with one another.
    Item(VarId),
    /// An empty text gets a character; the variable is its length.
    Text(String, VarId),
}

impl Change {
    fn give(&self, explorer: &mut ClassExplorer<'_>, model: &mut Assignment, value: i64) {
        let pool = &mut explorer.vm.pool;
        match self {
            Change::Nothing => {}
            Change::Scalar(var) | Change::Item(var) => {
                // Nobody writes a price with seventeen places.
                let scale = pool.var_name(*var).ends_with(".scale");
                let value = if scale { NUMBERS[0] } else { value };
                if let Some(bits) = bits_of(value, pool.var_sort(*var)) {
                    model.set_bits(*var, bits);
                }
            }
            Change::Text(name, length) => {
                let Some(id) = explorer.vm.inputs.by_name(name) else { return };
                let unit = explorer.vm.inputs.elem(&mut explorer.vm.pool, id, 0);
                model.set_bits(*length, 1);
                if let Some(var) = explorer.vm.pool.var_of(unit) {
                    model.set_bits(var, letter(value));
                }
            }
        }
    }
}

/// A number as a variable of some sort holds it.
fn bits_of(value: i64, sort: Sort) -> Option<u128> {
    Some(match sort {
        Sort::Bool => 1,
        // A character, or a short number.
        Sort::Bv(16) => letter(value),
        Sort::F32 => (value as f32).to_bits() as u128,
        Sort::F64 => (value as f64).to_bits() as u128,
        Sort::Bv(width) => value as u128 & term::semantics::mask(width),
        Sort::Array { .. } => return None,
    })
}

/// The letter that stands for one of the numbers.
fn letter(value: i64) -> u128 {
    'a' as u128 + NUMBERS.iter().position(|number| *number == value).unwrap_or(0) as u128
}

/// Whether two variables are what parameters of one name were given in two calls, one of them the call under test or none:
/// `heap.call0.v`, `heap.call1.v`, `v`.
fn is_alike(a: &str, b: &str) -> bool {
    let numbered = |part: &str| part.strip_prefix("call").is_some_and(|n| n.parse::<u32>().is_ok());
    let called = |name: &str| name.split('.').any(numbered);
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_string();
    let given = |name: &str| called(name) || !name.contains('.');
    last(a) == last(b) && given(a) && given(b) && (called(a) || called(b))
}

/// Whether a variable says what an input is made of, not what it holds.
fn is_structure(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    let numbered = last.strip_prefix("call").is_some_and(|n| n.parse::<u32>().is_ok());
    let words = ["is", "way", "null", "some", "set", "copy", "length", "size", "at", "then", "throws"];
    numbered || words.contains(&last) && name.contains('.')
}
