//! Inputs as a person would choose them: calls that are not needed, odd characters and results that nobody asks for are
//! left out, as long as the run ends alike and shows what it was chosen for.

use std::collections::{BTreeMap, BTreeSet};

use explore::{End, Finished, Goal, Step, Target};
use vm::ElemKind;

use super::explore::ClassExplorer;
use super::propose::assign;
use super::subject::{Stage, Subject};
use crate::goal::CoverageGoal;

type Inputs = BTreeMap<String, u128>;

/// So much is tried for one test.
const TRIALS: usize = 48;
/// What is tried with a type that may be a text.
const AS_TEXT: &str = " as a text";
/// Of larger collections no single element is left out, but half of them, or all but one.
const MOST_ELEMENTS: u128 = 4;
/// Larger ones stay as they are.
const LARGEST: u128 = 64;

impl ClassExplorer<'_> {
    pub(super) fn simplify(&mut self, subject: &mut Subject, goal: &CoverageGoal, run: &mut Finished<Stage>) {
        let ledger = self.vm.ledger.clone();
        self.vm.walking = goal.walks();
        let mut left = TRIALS;
        let mut refused: BTreeSet<String> = BTreeSet::new();
        'again: while left > 0 {
            let inputs: Inputs = explore::inputs(&self.vm.pool, &run.model)
                .into_iter()
                .map(|input| (input.name, input.value.bits()))
                .collect();
            self.vm.start_run(run.model.clone());
            subject.execute(self.vm);
            for (what, simpler) in self.simpler(&inputs) {
                if refused.contains(&what) {
                    continue;
                }
                if left == 0 {
                    break 'again;
                }
                left -= 1;
                let text = what.strip_suffix(AS_TEXT).and_then(|name| name.strip_suffix(".is"));
                if self.shows_as_much(subject, goal, (run, text), &simpler) {
                    continue 'again;
                }
                refused.insert(what);
            }
            break;
        }
        self.vm.walking = false;
        self.vm.ledger = ledger;
    }

    /// Simpler inputs, each by one step, and what the step is. The machine has run the present ones.
    fn simpler(&self, inputs: &Inputs) -> Vec<(String, Inputs)> {
        let mut found = Vec::new();
        for (name, value) in inputs.iter().rev() {
            if let Some((of, number)) = call(name)
                && *value != 0
            {
                found.push((format!("{name} {}", inputs.len()), without_call(inputs, of, number)));
            }
        }
        // Nothing is called on what a call handed out.
        for (name, _) in inputs.iter().rev().filter(|(name, which)| name.ends_with(".then") && **which != 0) {
            let mut simpler = inputs.clone();
            simpler.insert(name.clone(), 0);
            found.push((format!("{name} 0"), simpler));
        }
        for (name, size) in inputs.iter().filter(|(_, size)| (1..=MOST_ELEMENTS).contains(*size)) {
            let Some(of) = name.strip_suffix(".size") else { continue };
            if *size > 1 {
                let mut simpler = inputs.clone();
                simpler.insert(name.clone(), 0);
                found.push((format!("{name} 0"), simpler));
            }
            for at in (0..*size as u32).rev() {
                found.push((format!("{name} {size} {at}"), without_element(inputs, of, at)));
            }
        }
        for (name, size) in inputs.iter().filter(|(_, size)| (MOST_ELEMENTS + 1..=LARGEST).contains(*size)) {
            let Some(of) = name.strip_suffix(".size") else { continue };
            let size = *size as u32;
            for kept in [size - 1..size, 0..1, size / 2..size, 0..size / 2] {
                let gone = (0..size).rev().filter(|at| !kept.contains(at));
                let simpler = gone.fold(inputs.clone(), |left, at| without_element(&left, of, at));
                found.push((format!("{name} {size} {kept:?}"), simpler));
            }
        }
        found.extend(all_texts(inputs));
        found.extend(texts_for_null(inputs));
        // A text for `Object`, where an object of the program is not needed: a text shows in what comes of it.
        for (name, _) in inputs.iter().filter(|(name, which)| name.ends_with(".is") && **which != 0) {
            let mut simpler = inputs.clone();
            simpler.insert(name.clone(), 0);
            found.push((format!("{name}{AS_TEXT}"), simpler));
        }
        found.extend(self.real_ones(inputs));
        found.extend(of_today(inputs));
        for index in 0..self.vm.pool.var_count() {
            let name = self.vm.pool.var_name(term::VarId(index as u32));
            // What a stand-in returns, not what is inside of it.
            let inside = name.strip_suffix(".null").and_then(|of| of.rsplit_once("()"));
            let asked = inside.is_some_and(|(_, rest)| !rest.contains('.'));
            if asked
                && inputs.get(name).copied().unwrap_or(0) == 0
                && self.vm.pool.var_by_name(name).is_some()
            {
                let mut simpler = inputs.clone();
                simpler.insert(name.to_string(), 1);
                found.push((name.to_string(), simpler));
            }
        }
        for text in self.vm.inputs.texts() {
            let length = inputs.get(&format!("{text}.length")).copied().unwrap_or(0).min(64);
            let unit = |i: u128| inputs.get(&format!("{text}[{i}]")).copied().unwrap_or(0);
            let odd = (0..length).any(|i| !(0x21..0x7f).contains(&unit(i)));
            // One character may do: the last, the first, the odd one.
            let strange = (0..length).find(|i| !(0x21..0x7f).contains(&unit(*i)));
            for kept in [Some(length.wrapping_sub(1)), Some(0), strange].into_iter().flatten() {
                if length > 1 {
                    let mut simpler = inputs.clone();
                    simpler.retain(|name, _| !name.starts_with(&format!("{text}[")));
                    simpler.insert(format!("{text}.length"), 1);
                    simpler.insert(format!("{text}[0]"), unit(kept));
                    found.push((format!("{text} only {kept}"), simpler));
                }
            }
            if length == 0 || !odd {
                continue;
            }
            for shorter in [0, 1, length] {
                let mut simpler = inputs.clone();
                simpler.retain(|name, _| !name.starts_with(&format!("{text}[")));
                simpler.insert(format!("{text}.length"), shorter);
                simpler.extend((0..shorter).map(|i| (format!("{text}[{i}]"), 'a' as u128)));
                found.push((format!("{text} {shorter}"), simpler));
            }
            // Only what is odd is replaced.
            let mut simpler = inputs.clone();
            for i in (0..length).filter(|i| !(0x21..0x7f).contains(&unit(*i))) {
                simpler.insert(format!("{text}[{i}]"), 'b' as u128);
            }
            found.push((format!("{text} b"), simpler));
        }
        found
    }

    /// Takes inputs over if they end alike and meet what the run meets.
    /// The library's own object in place of one that stands for it, where what that returns is not needed: `Clock.fixed(…)` says in a
    /// line what a clock of the test's own takes ten for.
    fn real_ones(&self, inputs: &Inputs) -> Vec<(String, Inputs)> {
        let jvm = &self.vm.lang;
        let of_library = |kind: &str| kind.starts_with("java/") || kind.starts_with("java.");
        let stand_ins = jvm.worlds.fakes.iter().filter(|(_, (kind, _))| of_library(kind));
        let labels: Vec<String> = stand_ins
            .map(|(class, _)| jvm.classes[*class].java_name())
            .map(|name| name.rsplit(['.', '$']).next().unwrap_or_default().to_string())
            .collect();
        let mut found = Vec::new();
        for (name, _) in inputs.iter().filter(|(_, which)| **which != 0) {
            let Some(of) = name.strip_suffix(".is") else { continue };
            let inside =
                |input: &String| labels.iter().any(|label| input.starts_with(&format!("{of}.{label}.")));
            if !inputs.keys().any(inside) {
                continue;
            }
            let mut simpler = inputs.clone();
            simpler.retain(|input, _| !inside(input));
            simpler.insert(name.clone(), 0);
            found.push((format!("{name} a real one"), simpler));
        }
        found
    }

    pub(super) fn shows_as_much(
        &mut self,
        subject: &mut Subject,
        goal: &CoverageGoal,
        (run, text): (&mut Finished<Stage>, Option<&str>),
        inputs: &Inputs,
    ) -> bool {
        let model = assign(self.vm, subject, inputs);
        self.vm.start_run(model.clone());
        let outcome = subject.execute(self.vm);
        let stage = subject.observe(self.vm, &outcome);
        let met = goal.met_by(&self.vm.trace);
        let elems = &self.vm.trace.elems;
        let path: Vec<Step> = elems.iter().map(Step::of).collect();
        // What the caller asked of the result tells returns apart.
        let asked = |path: &[Step]| {
            let last = path.iter().rev().find(|s| s.kind == ElemKind::Branch && s.site.is_outside());
            last.map(|step| step.choice)
        };
        let beyond = goal.len() as u32;
        let texts = self.vm.inputs.texts();
        let alike = stage == Stage::Call
            && text.is_none_or(|text| texts.iter().any(|of| of == text))
            && End::of(self.vm, &outcome) == run.end
            && asked(&path) == asked(&run.path)
            && run.meets.iter().all(|part| *part >= beyond || met.contains(part));
        if alike {
            run.condition = elems.iter().map(|e| self.vm.trace.taken(e)).collect();
            run.path = path;
            run.model = model;
        }
        alike
    }
}

/// The inputs with a text in place of each null that stands for one: all the same, as nulls are. Nobody opens an account for null.
fn texts_for_null(inputs: &Inputs) -> Option<(String, Inputs)> {
    let nulls = inputs.iter().filter(|(_, null)| **null != 0).filter_map(|(name, _)| {
        let of = name.strip_suffix(".null")?;
        inputs.contains_key(&format!("{of}.length")).then_some(of)
    });
    let nulls: Vec<&str> = nulls.collect();
    let taken = |letter: &u128| inputs.iter().any(|(name, unit)| name.ends_with("[0]") && unit == letter);
    let letter = ('b'..='z').map(|letter| letter as u128).find(|letter| !taken(letter))?;
    let mut simpler = inputs.clone();
    for of in &nulls {
        simpler.insert(format!("{of}.null"), 0);
        simpler.insert(format!("{of}.length"), 1);
        simpler.insert(format!("{of}[0]"), letter);
    }
    (!nulls.is_empty()).then(|| (format!("{} texts for null", nulls.len()), simpler))
}

/// The inputs with texts in place of numbers where an object of any type is wanted: a collection of both is an odd one.
/// Numbers that are the same become the same text.
fn all_texts(inputs: &Inputs) -> Option<(String, Inputs)> {
    let boxes = inputs.iter().filter(|(_, which)| **which != 0).filter_map(|(name, _)| {
        let of = name.strip_suffix(".is")?;
        Some((of, *inputs.get(&format!("{of}.Integer"))?))
    });
    let boxes: Vec<(&str, u128)> = boxes.collect();
    let mut values: Vec<u128> = boxes.iter().map(|(_, value)| *value).collect();
    values.sort_unstable();
    values.dedup();
    let mut simpler = inputs.clone();
    for (of, value) in &boxes {
        let letter = 'p' as u128 + values.iter().position(|other| other == value)? as u128;
        simpler.insert(format!("{of}.is"), 0);
        simpler.insert(format!("{of}.length"), 1);
        simpler.insert(format!("{of}[0]"), letter);
    }
    (!boxes.is_empty() && values.len() < 8).then(|| ("texts for numbers".to_string(), simpler))
}

/// A year that people write in tests. It has a 29th of February, as the year 0 has.
const TODAY: u128 = 2024;

/// The inputs with dates of our time in place of those around the year 0, all moved by as much.
fn of_today(inputs: &Inputs) -> Option<(String, Inputs)> {
    let is_year = |name: &str, value: u128| {
        let date = name.strip_suffix(".year");
        value < 1000 && date.is_some_and(|date| inputs.contains_key(&format!("{date}.month")))
    };
    let years: Vec<(&String, u128)> = inputs
        .iter()
        .map(|(name, value)| (name, *value))
        .filter(|(name, value)| is_year(name, *value))
        .collect();
    let mut moved = inputs.clone();
    moved.extend(years.iter().map(|(name, value)| ((*name).clone(), value + TODAY)));
    (!years.is_empty()).then(|| ("dates of today".to_string(), moved))
}

/// Of the name of a call made on an object before: the object and the number.
fn call(name: &str) -> Option<(&str, u32)> {
    let (of, last) = name.rsplit_once('.')?;
    Some((of, last.strip_prefix("call")?.parse().ok()?))
}

/// The inputs with a collection that lacks one of its elements.
fn without_element(inputs: &Inputs, of: &str, number: u32) -> Inputs {
    let mut left = inputs.clone();
    for part in ["get", "key", "value", "element"] {
        left = without(&left, &format!("{of}.{part}"), number);
    }
    left.entry(format!("{of}.size")).and_modify(|size| *size = size.saturating_sub(1));
    left
}

/// The inputs without a call; those after it come earlier.
fn without_call(inputs: &Inputs, of: &str, number: u32) -> Inputs {
    without(inputs, &format!("{of}.call"), number)
}

/// The inputs without those of one number behind a prefix; those after it come earlier.
fn without(inputs: &Inputs, prefix: &str, number: u32) -> Inputs {
    let mut left = Inputs::new();
    for (name, value) in inputs {
        let Some(rest) = name.strip_prefix(prefix) else {
            left.insert(name.clone(), *value);
            continue;
        };
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let name = match rest[..digits].parse::<u32>() {
            Ok(n) if n == number => continue,
            Ok(n) if n > number => format!("{prefix}{}{}", n - 1, &rest[digits..]),
            _ => name.clone(),
        };
        left.insert(name, *value);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_move_up() {
        let inputs =
            [("a.call0", 1), ("a.call0.add.n", 5), ("a.call1", 2), ("a.call1.put.k[0]", 7), ("b", 3)];
        let inputs: Inputs = inputs.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        assert_eq!(call("a.call0"), Some(("a", 0)));
        assert_eq!(call("a.call0.add.n"), None);
        let left: Vec<(String, u128)> = without_call(&inputs, "a", 0).into_iter().collect();
        let expected = [("a.call0", 2), ("a.call0.put.k[0]", 7), ("b", 3)];
        assert_eq!(left, expected.map(|(name, value)| (name.to_string(), value)));
    }

    #[test]
    fn dates_are_moved_together() {
        let inputs = [("a.month", 1), ("a.year", 0), ("b.month", 2), ("b.year", 3), ("model.year", 7)];
        let inputs: Inputs = inputs.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        let moved = of_today(&inputs).map(|(_, moved)| moved).unwrap_or_default();
        let years: Vec<u128> = ["a.year", "b.year", "model.year"].iter().map(|name| moved[*name]).collect();
        assert_eq!(years, [2024, 2027, 7]);
        assert!(of_today(&moved).is_none());
    }

    #[test]
    fn equal_numbers_become_the_same_text() {
        let inputs =
            [("a.Integer", 5), ("a.is", 1), ("b.Integer", 7), ("b.is", 1), ("c.Integer", 5), ("c.is", 1)];
        let inputs: Inputs = inputs.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        let texts = all_texts(&inputs).map(|(_, texts)| texts).unwrap_or_default();
        assert_eq!(["a.is", "b.is", "c.is"].map(|name| texts[name]), [0; 3]);
        assert!(texts["a[0]"] == texts["c[0]"] && texts["a[0]"] != texts["b[0]"]);
        assert!(all_texts(&texts).is_none());
    }

    #[test]
    fn elements_move_up() {
        let inputs = [("m.key0", 1), ("m.key1[0]", 5), ("m.size", 2), ("m.value0", 7), ("m.value1", 8)];
        let inputs: Inputs = inputs.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        let left: Vec<(String, u128)> = without_element(&inputs, "m", 0).into_iter().collect();
        let expected = [("m.key0[0]", 5), ("m.size", 1), ("m.value0", 8)];
        assert_eq!(left, expected.map(|(name, value)| (name.to_string(), value)));
    }
}
