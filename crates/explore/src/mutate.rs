//! Inputs changed by chance: texts and other sequences as texts are changed by people, numbers by a little or to others.

use crate::strategy::Chance;
use term::{Assignment, Pool, Sort, VarId};
use vm::Inputs;

/// Texts do not grow beyond this.
const LONGEST: usize = 48;

/// Characters that texts of programs are made of, the frequent ones more often.
const ALPHABET: &[u8] =
    b"0123456789001abcdefghijklmnopqrstuvwxyzaeABCDEFGHIJKLMNOPQRSTUVWXYZ   \t\n.,:;-_+*/=<>()[]{}\"'\\@#%&!?|$^~";
/// What stands between the parts of a text.
const BETWEEN: &[u8] = b" ,;:-/.|=\t\n";

/// What inputs are changed with.
#[derive(Default)]
pub struct Words {
    /// Texts that the program knows, and characters.
    pub texts: Vec<Vec<u16>>,
}

/// The texts among the inputs of a model.
pub fn texts(pool: &Pool, model: &Assignment) -> Vec<Vec<u16>> {
    let mut found = Vec::new();
    for (length, value) in model.iter() {
        let Some(name) = pool.var_name(length).strip_suffix(".length") else { continue };
        let units: Option<Vec<u16>> = (0..value.bits().min(LONGEST as u128))
            .map(|i| {
                let unit = pool.var_by_name(&format!("{name}[{i}]"))?;
                (pool.var_sort(unit) == Sort::Bv(16)).then(|| model.bits(unit) as u16)
            })
            .collect();
        found.extend(units);
    }
    found
}

/// The variables behind the inputs of a run.
pub(crate) struct Genes {
    sequences: Vec<Sequence>,
    scalars: Vec<VarId>,
}

struct Sequence {
    name: String,
    elem: Sort,
    length: VarId,
    null: Option<VarId>,
}

impl Genes {
    /// Of the run that has just ended.
    pub(crate) fn of(pool: &Pool, inputs: &Inputs) -> Genes {
        let mut sequences = Vec::new();
        for sequence in inputs.sequences() {
            let Some(length) = pool.var_by_name(&format!("{}.length", sequence.name)) else { continue };
            let null = pool.var_by_name(&format!("{}.null", sequence.name));
            sequences.push(Sequence { name: sequence.name.clone(), elem: sequence.elem, length, null });
        }
        let mut scalars: Vec<VarId> = Vec::new();
        for var in &inputs.asked {
            let is_length = sequences.iter().any(|s| s.length == *var || s.null == Some(*var));
            if !is_length && !pool.var_sort(*var).is_array() && !scalars.contains(var) {
                scalars.push(*var);
            }
        }
        Genes { sequences, scalars }
    }

    /// Whether there is anything to change.
    pub(crate) fn is_empty(&self) -> bool {
        self.sequences.is_empty() && self.scalars.is_empty()
    }

    /// A model with a few changes; texts of the other model may come into it.
    pub(crate) fn child(
        &self,
        chance: &mut Chance,
        pool: &mut Pool,
        parent: &Assignment,
        other: &Assignment,
        words: &Words,
    ) -> Assignment {
        let mut model = parent.clone();
        for _ in 0..[1, 1, 2, 3, 4, 6][chance.below(6)] {
            let number = self.sequences.is_empty() || !self.scalars.is_empty() && chance.below(4) == 0;
            if !number {
                let sequence = &self.sequences[chance.below(self.sequences.len())];
                let mut units = sequence.read(pool, &model);
                match sequence.elem {
                    Sort::Bv(16) => {
                        // Of a text of its own, or of any other one.
                        let from = &self.sequences[chance.below(self.sequences.len())];
                        let donor =
                            if from.elem == Sort::Bv(16) { from.read(pool, other) } else { Vec::new() };
                        change_text(chance, &mut units, &donor, words);
                    }
                    sort => change_numbers(chance, &mut units, sort),
                }
                units.truncate(LONGEST);
                sequence.write(pool, &mut model, &units);
            } else if !self.scalars.is_empty() {
                let var = self.scalars[chance.below(self.scalars.len())];
                let value = number_like(chance, pool.var_sort(var), model.bits(var));
                model.set_bits(var, value);
            }
        }
        model
    }
}

impl Sequence {
    fn read(&self, pool: &Pool, model: &Assignment) -> Vec<u128> {
        let length = (model.bits(self.length) as usize).min(LONGEST);
        let unit = |i| pool.var_by_name(&format!("{}[{i}]", self.name)).map_or(0, |var| model.bits(var));
        (0..length).map(unit).collect()
    }

    fn write(&self, pool: &mut Pool, model: &mut Assignment, units: &[u128]) {
        model.set_bits(self.length, units.len() as u128);
        if let Some(null) = self.null {
            model.set_bits(null, 0);
        }
        for (i, unit) in units.iter().enumerate() {
            let term = pool.declare(&format!("{}[{i}]", self.name), self.elem);
            if let Some(var) = pool.var_of(term) {
                model.set_bits(var, *unit);
            }
        }
    }
}

fn letter(chance: &mut Chance, words: &Words) -> u128 {
    // The program's own characters are the likeliest to matter.
    if !words.texts.is_empty() && chance.below(3) == 0 {
        let word = &words.texts[chance.below(words.texts.len())];
        if !word.is_empty() {
            return word[chance.below(word.len())].into();
        }
    }
    ALPHABET[chance.below(ALPHABET.len())].into()
}

/// A word, a number or a few letters.
fn part(chance: &mut Chance, words: &Words) -> Vec<u128> {
    match chance.below(4) {
        0 if !words.texts.is_empty() => word(chance, words),
        0 | 1 => (0..1 + chance.below(3)).map(|_| u128::from(b'0') + chance.below(10) as u128).collect(),
        2 => (0..1 + chance.below(4)).map(|_| letter(chance, words)).collect(),
        _ => (0..1 + chance.below(3)).map(|_| u128::from(b'a') + chance.below(26) as u128).collect(),
    }
}

/// One of the words; single characters, of which there are many, only now and then.
fn word(chance: &mut Chance, words: &Words) -> Vec<u128> {
    if words.texts.is_empty() {
        return Vec::new();
    }
    let mut word = &words.texts[chance.below(words.texts.len())];
    for _ in 0..4 {
        if word.len() > 1 {
            break;
        }
        word = &words.texts[chance.below(words.texts.len())];
    }
    word.iter().map(|unit| u128::from(*unit)).collect()
}

/// Whether a character is inside of a part, not between two.
fn inside(unit: &u128) -> bool {
    u8::try_from(*unit).is_ok_and(|unit| unit.is_ascii_alphanumeric())
}

/// Where one of the parts of a text stands that signs and blanks lie between.
fn place(chance: &mut Chance, text: &[u128]) -> std::ops::Range<usize> {
    let at = chance.below(text.len().max(1));
    let before = text[..at.min(text.len())].iter().rev().take_while(|unit| inside(unit)).count();
    let after = text[at.min(text.len())..].iter().take_while(|unit| inside(unit)).count();
    at - before..at + after
}

/// A few parts with the same between each two.
fn parts(chance: &mut Chance, words: &Words) -> Vec<u128> {
    let between = match chance.below(3) {
        0 => letter(chance, words),
        _ => BETWEEN[chance.below(BETWEEN.len())].into(),
    };
    let count = 1 + chance.below(5);
    let mut text = Vec::new();
    for i in 0..count {
        if i > 0 {
            text.push(between);
        }
        text.extend(part(chance, words));
    }
    text
}

fn change_text(chance: &mut Chance, text: &mut Vec<u128>, donor: &[u128], words: &Words) {
    let at = chance.below(text.len() + 1);
    let end = (at + 1 + chance.below(4)).min(text.len());
    match chance.below(16) {
        0 => text.insert(at, letter(chance, words)),
        1 | 2 if at < text.len() => text[at] = letter(chance, words),
        3 if at < text.len() => drop(text.drain(at..end)),
        4 => drop(text.splice(at..at, part(chance, words))),
        5 => *text = word(chance, words),
        6 => *text = parts(chance, words),
        7 if at < text.len() => {
            let copy = text[at..end].to_vec();
            drop(text.splice(end..end, copy));
        }
        // Another digit for a digit, another letter for a letter.
        8 if at < text.len() => {
            let class = [(b'0', 10u128), (b'a', 26), (b'A', 26)];
            let range = class.iter().find(|(first, count)| (text[at].wrapping_sub((*first).into())) < *count);
            if let Some((first, count)) = range {
                text[at] = u128::from(*first) + chance.below(*count as usize) as u128;
            }
        }
        9 if !donor.is_empty() => {
            let from = chance.below(donor.len());
            let to = (from + 1 + chance.below(donor.len())).min(donor.len());
            drop(text.splice(at..end.max(at), donor[from..to].iter().copied()));
        }
        10 if text.len() > 1 => {
            let other = chance.below(text.len());
            let at = at.min(text.len() - 1);
            text.swap(at, other);
        }
        // Another part in the place of one.
        11 | 12 if !text.is_empty() => {
            let place = place(chance, text);
            drop(text.splice(place, part(chance, words)));
        }
        // A part again, or all of it.
        13 if !text.is_empty() => {
            let place = if chance.below(2) == 0 { place(chance, text) } else { 0..text.len() };
            let mut again = vec![BETWEEN[chance.below(BETWEEN.len())].into()];
            again.extend_from_slice(&text[place.clone()]);
            drop(text.splice(place.end..place.end, again));
        }
        // The same for each part.
        14 if !text.is_empty() => {
            let part = part(chance, words);
            let mut changed = Vec::new();
            for (i, unit) in text.iter().enumerate() {
                match inside(unit) {
                    true if i == 0 || !inside(&text[i - 1]) => changed.extend_from_slice(&part),
                    true => {}
                    false => changed.push(*unit),
                }
            }
            *text = changed;
        }
        _ => text.extend(part(chance, words)),
    }
}

fn change_numbers(chance: &mut Chance, numbers: &mut Vec<u128>, sort: Sort) {
    let at = chance.below(numbers.len() + 1);
    match chance.below(4) {
        0 => numbers.insert(at, number_like(chance, sort, 0)),
        1 if at < numbers.len() => drop(numbers.remove(at)),
        2 if numbers.len() > 1 => {
            let (a, b) = (chance.below(numbers.len()), chance.below(numbers.len()));
            numbers[b] = numbers[a];
        }
        _ if at < numbers.len() => numbers[at] = number_like(chance, sort, numbers[at]),
        _ => numbers.push(number_like(chance, sort, 0)),
    }
}

/// Another number of a sort: near the old one, small, or any.
fn number_like(chance: &mut Chance, sort: Sort, old: u128) -> u128 {
    let width = sort.bits().clamp(1, 128);
    let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let wide = u128::from(chance.draw()) | u128::from(chance.draw()) << 64;
    let value = match sort {
        Sort::Bool => old ^ 1,
        Sort::F32 | Sort::F64 => {
            let number = match chance.below(4) {
                0 => (wide % 21) as f64 - 10.0,
                1 => (wide % 4001) as f64 / 4.0 - 500.0,
                2 => [0.5, 1.5, -0.5, 1e9, -1e9, 0.1][chance.below(6)],
                _ => return (old ^ 1 << (wide % u128::from(width))) & mask,
            };
            match sort {
                Sort::F32 => (number as f32).to_bits().into(),
                _ => number.to_bits().into(),
            }
        }
        _ => match chance.below(6) {
            0 => old.wrapping_add(1 + wide % 16),
            1 => old.wrapping_sub(1 + wide % 16),
            2 => wide % 12,
            3 => wide % 128,
            4 => (wide % 12).wrapping_neg(),
            _ => wide >> ((wide >> 64) % 64),
        },
    };
    value & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_parts_come_about_by_chance() {
        let mut chance = Chance::new(7);
        let words = Words { texts: vec!["*".encode_utf16().collect()] };
        let three = |text: &[u128]| {
            let text: String = text.iter().filter_map(|u| char::from_u32(*u as u32)).collect();
            text.split_whitespace().count() == 3
        };
        let mut text = Vec::new();
        let mut found = 0;
        for _ in 0..2000 {
            change_text(&mut chance, &mut text, &[], &words);
            text.truncate(LONGEST);
            found += u32::from(three(&text));
        }
        assert!(found > 20, "{found}");
    }

    #[test]
    fn a_changed_number_fits_its_sort() {
        let mut chance = Chance::new(1);
        for _ in 0..1000 {
            assert!(number_like(&mut chance, Sort::Bv(8), 250) < 256);
            assert!(number_like(&mut chance, Sort::Bool, 1) < 2);
        }
    }
}
