//! Texts as short as a person would write them: what can be left out is, by plain runs, which cost next to nothing. The path
//! may be another one; what the run was chosen for and how it ends stay.

use std::collections::BTreeMap;

use explore::{End, Finished, Goal, Target};
use term::{Assignment, Sort};

use super::explore::ClassExplorer;
use super::subject::{Stage, Subject};
use crate::goal::CoverageGoal;

/// So much is tried for one test: runs, and instructions.
const RUNS: u32 = 96;
const STEPS: u64 = 600_000;
/// Longer texts are left as they are.
const LONGEST: u128 = 400;

/// What is left to try.
struct Effort {
    runs: u32,
    until: u64,
}

impl ClassExplorer<'_> {
    pub(super) fn shorten(&mut self, subject: &mut Subject, goal: &CoverageGoal, run: &mut Finished<Stage>) {
        self.vm.start_run(run.model.clone());
        subject.execute(self.vm);
        let ledger = self.vm.ledger.clone();
        let mut effort = Effort { runs: RUNS, until: self.vm.steps + STEPS };
        for texts in self.alike(&run.model) {
            let units = self.units(&texts[0], &run.model);
            self.vm.inputs.set_plain(true);
            self.vm.walking = goal.walks();
            let shorter = self.shorter((subject, goal), run, &texts, units.clone(), &mut effort);
            self.vm.inputs.set_plain(false);
            if shorter != units {
                let elements: Vec<String> = texts.iter().map(|text| format!("{text}[")).collect();
                let mut inputs: BTreeMap<String, u128> = explore::inputs(&self.vm.pool, &run.model)
                    .into_iter()
                    .map(|input| (input.name, input.value.bits()))
                    .filter(|(name, _)| !elements.iter().any(|element| name.starts_with(element)))
                    .collect();
                for text in &texts {
                    inputs.insert(format!("{text}.length"), shorter.len() as u128);
                    let unit = |(i, unit): (usize, &u128)| (format!("{text}[{i}]"), *unit);
                    inputs.extend(shorter.iter().enumerate().map(unit));
                }
                self.shows_as_much(subject, goal, (run, None), &inputs);
            }
            self.vm.walking = false;
        }
        self.vm.ledger = ledger;
    }

    /// The texts worth trying, those that are the same together: one is looked for among others.
    fn alike(&self, model: &Assignment) -> Vec<Vec<String>> {
        let mut groups: Vec<(Vec<u128>, Vec<String>)> = Vec::new();
        for text in self.vm.inputs.texts() {
            let units = self.units(&text, model);
            match groups.iter_mut().find(|(known, _)| *known == units) {
                Some((_, texts)) => texts.push(text),
                None => groups.push((units, vec![text])),
            }
        }
        let worth =
            |(units, texts): &(Vec<u128>, Vec<String>)| units.len() + texts.len() > 2 && !units.is_empty();
        let mut found: Vec<Vec<String>> = groups.into_iter().filter(worth).map(|(_, texts)| texts).collect();
        // Where they need not be the same, each by itself.
        let apart = found.iter().filter(|texts| texts.len() > 1).flatten().cloned();
        let apart: Vec<Vec<String>> = apart.map(|text| vec![text]).collect();
        found.extend(apart);
        found
    }

    fn units(&self, text: &str, model: &Assignment) -> Vec<u128> {
        let bits = |name: &str| self.vm.pool.var_by_name(name).map_or(0, |var| model.bits(var));
        let length = bits(&format!("{text}.length"));
        if length > LONGEST || bits(&format!("{text}.null")) != 0 {
            return Vec::new();
        }
        (0..length).map(|i| bits(&format!("{text}[{i}]"))).collect()
    }

    /// Leaves out half of it, a quarter and so on, down to single characters; then puts plainer characters in.
    fn shorter(
        &mut self,
        (subject, goal): (&mut Subject, &CoverageGoal),
        run: &Finished<Stage>,
        texts: &[String],
        mut units: Vec<u128>,
        effort: &mut Effort,
    ) -> Vec<u128> {
        let mut size = units.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < units.len() {
                let mut left = units.clone();
                left.drain(at..(at + size).min(units.len()));
                match self.ends_alike((subject, goal), run, texts, &left, effort) {
                    Some(true) => units = left,
                    Some(false) => at += size,
                    None => return units,
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        for at in 0..units.len() {
            for plainer in plainer(units[at]) {
                let mut left = units.clone();
                left[at] = *plainer as u128;
                match self.ends_alike((subject, goal), run, texts, &left, effort) {
                    Some(true) => {
                        units = left;
                        break;
                    }
                    Some(false) => {}
                    None => return units,
                }
            }
        }
        units
    }

    /// Whether the run ends alike and meets what it meets with another text; `None` if enough was tried.
    fn ends_alike(
        &mut self,
        (subject, goal): (&mut Subject, &CoverageGoal),
        run: &Finished<Stage>,
        texts: &[String],
        units: &[u128],
        effort: &mut Effort,
    ) -> Option<bool> {
        if effort.runs == 0 || self.vm.steps > effort.until {
            return None;
        }
        effort.runs -= 1;
        let mut model = run.model.clone();
        let pool = &mut self.vm.pool;
        let mut set = |name: String, sort: Sort, value: u128| {
            let term = pool.declare(&name, sort);
            pool.var_of(term).into_iter().for_each(|var| model.set_bits(var, value));
        };
        for text in texts {
            set(format!("{text}.length"), Sort::Bv(32), units.len() as u128);
            units.iter().enumerate().for_each(|(i, unit)| set(format!("{text}[{i}]"), Sort::Bv(16), *unit));
        }
        self.vm.start_run(model);
        let outcome = subject.execute(self.vm);
        let met = goal.met_by(&self.vm.trace);
        let end = End::of(self.vm, &outcome);
        let beyond = goal.len() as u32;
        Some(
            end == run.end
                && run.meets.iter().all(|part| *part >= beyond || met.contains(part))
                && subject.observe(self.vm, &outcome) == Stage::Call,
        )
    }
}

/// What would be plainer than a character, the plainest first.
fn plainer(unit: u128) -> &'static [u8] {
    match u8::try_from(unit) {
        Ok(b'0' | b'a') => &[],
        Ok(b'1') => b"0",
        Ok(b'2'..=b'9') => b"01",
        Ok(b'b'..=b'z') => b"a",
        Ok(b'A'..=b'Z') => b"aA",
        Ok(0x21..=0x7e) => b"a0",
        Ok(b' ') => b"a",
        _ => b"a0 ",
    }
}
