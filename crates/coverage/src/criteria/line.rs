//! Line coverage: every line of the source that has code of its own is executed.

use crate::criterion::{Owed, Rule, Subject};
use crate::obligation::{Kind, Obligation, Target};
use std::collections::BTreeMap;

pub(crate) struct Line;

impl Rule for Line {
    fn owed(&self, subject: &Subject, owed: &mut Owed) {
        let graph = subject.projection;
        let mut lines: BTreeMap<u32, Vec<Target>> = BTreeMap::new();
        for block in graph.reachable() {
            let block = graph.func.blocks[block];
            let mut previous = 0;
            for index in (block.start..block.end).filter(|i| graph.has_line(*i)) {
                let line = graph.func.positions[index as usize].line;
                // Within a run of the same line the first instruction stands for the others.
                if line != previous {
                    lines.entry(line).or_default().push(Target::Execute(index));
                }
                previous = line;
            }
        }
        let one = |(line, targets)| Obligation::new(graph, Kind::Line, targets, line, "");
        owed.obligations.extend(lines.into_iter().map(one));
    }
}
