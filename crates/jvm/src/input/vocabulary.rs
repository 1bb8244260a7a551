//! What the code of a class is about, as texts: its literals, what they match if they are patterns (of texts or dates), dates if
//! it reads some, and the characters it compares with. Inputs that are looked for
//! by chance are made of them.

use ir::ClassId;
use vm::Vm;

use super::moments;
use super::pattern::samples;
use super::producers::nest;
use crate::load::{ClassFile, Instr};
use crate::world::Jvm;

/// So many texts are kept, and none that is longer.
const MOST: usize = 256;
const LONGEST: usize = 32;

/// Literals and characters of a class and those nested in it, in the order of their code.
pub fn vocabulary(vm: &mut Vm<Jvm>, class: ClassId) -> Vec<Vec<u16>> {
    let mut found: Vec<Vec<u16>> = Vec::new();
    for class in nest(vm, class) {
        if let Some(file) = vm.lang.classes[class].file.clone() {
            of_class(&file, &mut found);
        }
    }
    found.truncate(MOST);
    found
}

fn of_class(file: &ClassFile, found: &mut Vec<Vec<u16>>) {
    let mut add = |units: Vec<u16>| {
        if !units.is_empty() && units.len() <= LONGEST && !found.contains(&units) {
            found.push(units);
        }
    };
    for code in file.methods.iter().filter_map(|method| method.bytecode().ok().flatten()) {
        for (_, instr) in &code.instrs {
            match instr {
                Instr::Ldc(cp) => {
                    if let Ok(units) = file.pool.string(*cp) {
                        let text = String::from_utf16(&units).unwrap_or_default();
                        add(units);
                        for text in samples(&text).into_iter().chain(moments::of_pattern(&text)) {
                            add(text.encode_utf16().collect());
                        }
                    }
                }
                Instr::InvokeStatic(cp) => {
                    if let Ok(called) = file.pool.method(*cp) {
                        for text in moments::of_parser(called.class, called.name) {
                            add(text.encode_utf16().collect());
                        }
                    }
                }
                Instr::Int(value) => character(*value).into_iter().for_each(&mut add),
                Instr::LookupSwitch(table) => {
                    table.cases.iter().filter_map(|(key, _)| character(*key)).for_each(&mut add);
                }
                Instr::TableSwitch(table) => {
                    let keys = (0..table.targets.len() as i32).map(|i| table.low.wrapping_add(i));
                    keys.filter_map(character).for_each(&mut add);
                }
                _ => {}
            }
        }
    }
}

/// A number that may be meant as a character.
fn character(value: i32) -> Option<Vec<u16>> {
    let unit = u16::try_from(value).ok().filter(|unit| matches!(unit, 9 | 10 | 13 | 32..=126))?;
    Some(vec![unit])
}
