//! What the code alone shows to be infeasible, and what is toured with side trips at least.

use std::collections::{BTreeMap, BTreeSet};

use coverage::{Projection, branch_text};
use explore::{Callees, Fact, Given, Goal, Leg, ObligationId as PartId, Verdict, refute};
use ir::{FuncId, Function, Ids, Names};

use crate::goal::CoverageGoal;

/// So many ways are looked at: each costs a question to the solver, or a few.
const MOST: u32 = 600;

/// What proofs were tried of.
#[derive(Default)]
pub struct Proofs {
    /// Parts that cannot be covered, with the reason in words of the source.
    pub refuted: BTreeMap<PartId, String>,
    /// All that were looked at, whatever came of it.
    pub tried: BTreeSet<PartId>,
}

/// Tries to prove that parts which no run covered cannot be: by the code alone, or by that and what is `given` of a function.
/// Those to `skip` are known.
pub fn prove(
    goal: &CoverageGoal,
    verdicts: &[Verdict],
    names: &dyn Names,
    (callees, given): (&Callees, Option<(FuncId, &Given)>),
    seed: u64,
    skip: &dyn Fn(PartId) -> bool,
    cut: &dyn Fn() -> bool,
) -> Proofs {
    let nothing = Given::default();
    let mut found = Proofs::default();
    let mut questions = 0;
    let mut projections: BTreeMap<FuncId, Projection> = BTreeMap::new();
    let open = |part: &PartId| !matches!(verdicts.get(*part as usize), Some(Verdict::Covered(_)));
    for part in (0..goal.len() as PartId).filter(open).filter(|part| !skip(*part)) {
        let Some((func, function)) = goal.place(part) else { continue };
        // What is given is so of one function only.
        let given = match given {
            None => &nothing,
            Some((of, given)) if of == func => given,
            Some(_) => continue,
        };
        let projection = projections.entry(func).or_insert_with(|| Projection::new(function, &Ids));
        let routes = goal.routes(part, projection);
        let mut reason = None;
        let mut by_types = false;
        let all = !routes.is_empty()
            && routes.into_iter().all(|route| {
                questions += 1;
                let leg = |p: coverage::Passed| {
                    let coverage::Passed { block, leaves, forget, detour, raises, until, notes } = p;
                    Leg { block, leaves, forget, detour, raises, until, notes }
                };
                let way: Vec<Leg> = route.into_iter().map(leg).collect();
                let found = refute((func, function), &way, callees, given, seed);
                let raises = way.last().is_some_and(|leg| leg.raises.is_some() || leg.notes.is_some());
                reason =
                    reason.take().or_else(|| found.as_ref().map(|f| text(function, names, &f.facts, raises)));
                by_types |= found.as_ref().is_some_and(|f| f.by_types);
                found.is_some()
            });
        if let (true, Some(reason)) = (all, reason) {
            let told = if by_types { format!("{reason}, as declared types say") } else { reason };
            found.refuted.insert(part, told);
        }
        found.tried.insert(part);
        if questions >= MOST || cut() {
            break;
        }
    }
    found
}

/// What cannot hold together, or with that a check fails or a boundary is met.
fn text(function: &Function, names: &dyn Names, facts: &[Fact], raises: bool) -> String {
    let mut texts: Vec<String> = Vec::new();
    for (index, positions) in facts {
        let what = branch_text(function, names, *index, positions);
        let text = match function.positions.get(*index as usize).map_or(0, |p| p.line) {
            0 => what,
            // A case that says its own line.
            _ if what.ends_with(')') && what.contains(" (line ") => what,
            line => format!("{what} (line {line})"),
        };
        texts.push(text);
    }
    let last = texts.pop();
    match last {
        None if raises => "the code before it rules that out".to_string(),
        Some(last) if raises => {
            texts.push(last);
            format!("it cannot where {}", texts.join(" and "))
        }
        None => "the checks on the way cannot all pass".to_string(),
        Some(last) if texts.is_empty() => format!("{last} cannot hold on this path"),
        Some(last) if texts.iter().all(|t| *t == last) => {
            format!("{last} cannot hold that often on this path")
        }
        Some(last) => format!("{} and {last} cannot hold together on this path", texts.join(", ")),
    }
}

/// Parts that are paths of the program that no run took, and that might be toured with side trips.
pub fn untoured(goal: &CoverageGoal, met: &BTreeSet<PartId>) -> BTreeSet<PartId> {
    let is_path = |part: &PartId| goal.is_plain_path(*part);
    (0..goal.len() as PartId).filter(|part| !met.contains(part)).filter(is_path).collect()
}
