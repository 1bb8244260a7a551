//! Criteria on the way of values from where variables are assigned to where they are used.

use super::paths::path_obligation;
use crate::criterion::{Owed, Rule, Subject};
use crate::dataflow::{DataFlow, Def, Pair, Use};
use crate::graph::{Limit, Span, du_paths};
use crate::obligation::{Demand, Kind};

pub(crate) enum DataFlowRule {
    Defs,
    CUses,
    PUses,
    CUsesSomePUses,
    PUsesSomeCUses,
    Uses,
    DuPaths,
}

impl Rule for DataFlowRule {
    fn owed(&self, subject: &Subject, owed: &mut Owed) {
        let data = DataFlow::new(subject.projection, subject.flow);
        for def in 0..data.defs.len() as u32 {
            let of_def = data.pairs.iter().copied().filter(|p| p.def == def);
            let (p_uses, c_uses): (Vec<Pair>, Vec<Pair>) =
                of_def.partition(|p| data.uses[p.use_ as usize].decides.is_some());
            let all: Vec<Pair> = c_uses.iter().chain(&p_uses).copied().collect();
            let (each, some) = match self {
                DataFlowRule::Defs => (&[][..], &all[..]),
                DataFlowRule::CUses => (&c_uses[..], &[][..]),
                DataFlowRule::PUses => (&p_uses[..], &[][..]),
                DataFlowRule::CUsesSomePUses => {
                    (&c_uses[..], if c_uses.is_empty() { &p_uses[..] } else { &[] })
                }
                DataFlowRule::PUsesSomeCUses => {
                    (&p_uses[..], if p_uses.is_empty() { &c_uses[..] } else { &[] })
                }
                DataFlowRule::Uses | DataFlowRule::DuPaths => (&all[..], &[][..]),
            };
            if !some.is_empty() {
                let text = format!("{} is used beyond its block", def_text(subject, &data, def));
                owed.obligations.push(obligation(subject, &data, def, &text, some.to_vec()));
            }
            for pair in each {
                match self {
                    DataFlowRule::DuPaths => along_paths(subject, &data, *pair, owed),
                    _ => {
                        let text = pair_text(subject, &data, *pair);
                        owed.obligations.push(obligation(subject, &data, def, &text, vec![*pair]));
                    }
                }
            }
        }
    }
}

fn obligation(
    subject: &Subject,
    data: &DataFlow,
    def: u32,
    text: &str,
    pairs: Vec<Pair>,
) -> crate::Obligation {
    let def = data.defs[def as usize];
    subject.at(Kind::DataFlow, def.block, def.line, text).demanding(Demand::DefUse(pairs))
}

fn along_paths(subject: &Subject, data: &DataFlow, pair: Pair, owed: &mut Owed) {
    let Some((from, to, edges)) = data.places(subject.flow, pair) else { return };
    let reg = data.defs[pair.def as usize].reg;
    let redefines = |node| data.redefines(subject.flow, node, reg);
    let left = subject.options.limit.paths.saturating_sub(owed.obligations.len()).max(1);
    let limit = Limit { paths: left, ..subject.options.limit };
    let lasts: Vec<_> = if edges.is_empty() { vec![None] } else { edges.into_iter().map(Some).collect() };
    let what = pair_text(subject, data, pair);
    for last in lasts {
        let (at_once, arrives) = (data.is_used_at_once(pair), data.arrives(pair));
        let span = Span { from, to, last, at_once, arrives };
        let listed = du_paths(&subject.flow.graph, span, &redefines, limit);
        owed.cut |= listed.cut;
        for path in listed.paths {
            let demand = Demand::DuPath(pair, path.clone());
            owed.obligations.push(path_obligation(subject, &path, &what, Kind::DataFlow, demand));
        }
    }
}

fn def_text(subject: &Subject, data: &DataFlow, def: u32) -> String {
    let def = data.defs[def as usize];
    let name = subject.projection.func.regs[def.reg].variable.as_deref().unwrap_or("?");
    match def.index {
        None => format!("parameter {name}"),
        Some(_) if def.line == 0 => format!("{name} as set in block {}", def.block),
        Some(index) => {
            // `for (int i = 0; i < n; i++)` assigns twice.
            let regs = &subject.projection.func.regs;
            let alike =
                |other: &&Def| other.line == def.line && regs[other.reg].variable.as_deref() == Some(name);
            let all: Vec<u32> = data.defs.iter().filter(alike).filter_map(|other| other.index).collect();
            let before = all.iter().filter(|other| **other < index).count();
            match all.len() {
                1 => format!("{name} as set in line {}", def.line),
                _ => format!("{name} as set in line {} (assignment {} there)", def.line, before + 1),
            }
        }
    }
}

fn pair_text(subject: &Subject, data: &DataFlow, pair: Pair) -> String {
    let use_ = data.uses[pair.use_ as usize];
    let place = if use_.line == 0 { format!("block {}", use_.block) } else { format!("line {}", use_.line) };
    // `x + 1 < x` uses a variable twice.
    let alike = |other: &&Use| {
        (other.reg, other.line, other.block, other.decides) == (use_.reg, use_.line, use_.block, use_.decides)
    };
    let all: Vec<u32> = data.uses.iter().filter(alike).map(|other| other.index).collect();
    let place = match all.iter().filter(|other| **other < use_.index).count() {
        _ if all.len() == 1 => place,
        before => format!("{place} (use {} there)", before + 1),
    };
    let how = match use_.decides {
        None => format!("is used in {place}"),
        Some((branch, choice)) => {
            let all = subject.projection.branches.iter().flat_map(|b| std::iter::once(b).chain(&b.copies));
            let text = all
                .filter(|b| b.index == branch)
                .find_map(|b| b.choices.get(choice as usize))
                .map_or_else(|| "a branch".to_string(), |c| c.text.clone());
            format!("decides {text} in {place}")
        }
    };
    format!("{} {how}", def_text(subject, data, pair.def))
}
