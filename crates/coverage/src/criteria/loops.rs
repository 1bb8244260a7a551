//! Loop coverage: a loop is gone through not at all, once, and more than once.

use crate::criterion::{Owed, Rule, Subject};
use crate::loops::loops;
use crate::obligation::{Demand, Kind, Times};

pub(crate) struct Loops;

impl Rule for Loops {
    fn owed(&self, subject: &Subject, owed: &mut Owed) {
        for (number, shape) in loops(subject.projection, subject.flow).into_iter().enumerate() {
            let block = subject.flow.block(shape.header);
            for (times, text) in [
                (Times::Zero, "the loop is passed by"),
                (Times::One, "the loop is gone through once"),
                (Times::Many, "the loop is gone through more than once"),
            ] {
                let demand = match times == Times::Zero && !shape.tested_first {
                    true => Demand::Impossible("the loop's body runs before anything can leave it"),
                    false => Demand::Loop { number: number as u32, times },
                };
                let one = subject.at(Kind::Loop, block, shape.line, text).demanding(demand);
                owed.obligations.push(one);
            }
        }
    }
}
