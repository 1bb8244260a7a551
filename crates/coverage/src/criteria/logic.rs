//! Criteria on decisions and their conditions.

use crate::criterion::{Owed, Rule, Subject};
use crate::decision::{Decision, Row, decisions};
use crate::graph::Path;
use crate::mcdc::{Variant, pairs};
use crate::obligation::{Demand, Kind};
use ir::Op;

pub(crate) enum Logic {
    Conditions,
    Decisions,
    ConditionsAndDecisions,
    /// All evaluations of a decision.
    Rows,
    Independence(Variant),
}

impl Logic {
    pub(crate) const GENERAL: Logic = Logic::Independence(Variant::General);
    pub(crate) const MASKING: Logic = Logic::Independence(Variant::Masking);
    pub(crate) const UNIQUE: Logic = Logic::Independence(Variant::UniqueCause);
}

impl Rule for Logic {
    fn owed(&self, subject: &Subject, owed: &mut Owed) {
        for decision in decisions(subject.projection) {
            match self {
                Logic::Conditions => conditions(subject, &decision, owed),
                Logic::Decisions => outcomes(subject, &decision, owed),
                Logic::ConditionsAndDecisions => {
                    conditions(subject, &decision, owed);
                    // The outcomes of a single condition are its values.
                    if decision.conditions.len() > 1 {
                        outcomes(subject, &decision, owed);
                    }
                }
                Logic::Rows => rows(subject, &decision, owed),
                Logic::Independence(variant) => independence(subject, &decision, *variant, owed),
            }
        }
        // A switch is a decision with as many outcomes as it has ways.
        let graph = subject.projection;
        for branch in graph.branches.iter().filter(|b| graph.func.code[b.index as usize].op == Op::Switch) {
            for (i, choice) in branch.choices.iter().enumerate() {
                let mut one = subject.of_points(Kind::Condition, Vec::new(), branch.line, &choice.text);
                one.targets = branch.targets(i);
                owed.obligations.push(one);
            }
        }
        owed.obligations.sort_by_key(|o| o.site(graph.func));
    }
}

fn conditions(subject: &Subject, decision: &Decision, owed: &mut Owed) {
    for (i, condition) in decision.conditions.iter().enumerate() {
        for truth in [true, false] {
            let text = &condition.texts[usize::from(truth)];
            let mut one = subject.of_points(Kind::Condition, decision.takes(i, truth), condition.line, text);
            one.condition = Some((decision.number, i as u32));
            owed.obligations.push(one);
        }
    }
}

fn outcomes(subject: &Subject, decision: &Decision, owed: &mut Owed) {
    for outcome in [true, false] {
        let mut takes = Vec::new();
        for (i, condition) in decision.conditions.iter().enumerate() {
            for truth in [true, false] {
                if condition.next[usize::from(truth)] == crate::decision::Next::Outcome(outcome) {
                    takes.extend(decision.takes(i, truth));
                }
            }
        }
        let text = match decision.conditions.len() {
            1 => decision.conditions[0].texts[usize::from(outcome)].clone(),
            _ => format!("{} is {outcome}", decision.text),
        };
        owed.obligations.push(subject.of_points(Kind::Condition, takes, decision.line, &text));
    }
}

fn rows(subject: &Subject, decision: &Decision, owed: &mut Owed) {
    let (rows, cut) = decision.rows(subject.options.limit.paths);
    owed.cut |= cut;
    for row in rows {
        let text = decision.row_text(&row);
        let paths = paths(subject, decision, &row);
        let mut one = start(subject, decision, Kind::Condition, &text).demanding(Demand::Paths(paths));
        one.condition = Some((decision.number, 0));
        owed.obligations.push(one);
    }
}

fn independence(subject: &Subject, decision: &Decision, variant: Variant, owed: &mut Owed) {
    let (rows, cut) = decision.rows(subject.options.limit.paths);
    owed.cut |= cut;
    let paths: Vec<Vec<Path>> = rows.iter().map(|row| paths(subject, decision, row)).collect();
    for (i, condition) in decision.conditions.iter().enumerate() {
        let of = match decision.conditions.len() {
            1 => String::new(),
            _ => format!(" of {}", decision.text),
        };
        if variant == Variant::General {
            for truth in [true, false] {
                let shows = |(_, r): &(usize, &Row)| r.values[i] == Some(truth) && decision.determines(r, i);
                let ways =
                    rows.iter().enumerate().filter(shows).flat_map(|(r, _)| paths[r].clone()).collect();
                let text = format!("{} determines the outcome{of}", condition.texts[usize::from(truth)]);
                let mut one =
                    start(subject, decision, Kind::Independence, &text).demanding(Demand::Paths(ways));
                one.condition = Some((decision.number, i as u32));
                owed.obligations.push(one);
            }
            continue;
        }
        let ways: Vec<[Vec<Path>; 2]> = pairs(decision, &rows, i, variant)
            .into_iter()
            .map(|(t, f)| [paths[t].clone(), paths[f].clone()])
            .collect();
        let demand = match ways.is_empty() {
            true if variant == Variant::UniqueCause => {
                Demand::Impossible("no two evaluations differ in this condition alone and in the outcome")
            }
            true => Demand::Impossible("no two evaluations with different outcomes are determined by it"),
            false => Demand::Both(ways),
        };
        let text = format!("{} independently affects the outcome{of}", condition.texts[1]);
        let mut one = start(subject, decision, Kind::Independence, &text).demanding(demand);
        one.condition = Some((decision.number, i as u32));
        owed.obligations.push(one);
    }
}

fn start(subject: &Subject, decision: &Decision, kind: Kind, text: &str) -> crate::Obligation {
    let head = decision.takes(0, true).first().map_or(0, |(index, _)| *index);
    subject.at(kind, subject.projection.func.block_at(head), decision.line, text)
}

fn paths(subject: &Subject, decision: &Decision, row: &Row) -> Vec<Path> {
    decision.paths(subject.projection.func, subject.flow, row)
}
