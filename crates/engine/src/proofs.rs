//! What the code alone shows to be infeasible, and what is toured with side trips at least.

use std::collections::{BTreeMap, BTreeSet};

use coverage::{Projection, branch_text};
use explore::{Fact, Goal, Leg, ObligationId as PartId, Verdict, refute};
use ir::{FuncId, Function, Ids, Names};

use crate::goal::CoverageGoal;

/// So many ways are looked at: each costs a question to the solver, or a few.
const MOST: u32 = 600;

/// Parts that no run covered and that cannot be, with the reason in words of the source. Those to `skip` are known.
pub fn refuted(
    goal: &CoverageGoal,
    verdicts: &[Verdict],
    names: &dyn Names,
    seed: u64,
    skip: &dyn Fn(PartId) -> bool,
    cut: &dyn Fn() -> bool,
) -> BTreeMap<PartId, String> {
    let mut found = BTreeMap::new();
    let mut questions = 0;
    let mut projections: BTreeMap<FuncId, Projection> = BTreeMap::new();
    let open = |part: &PartId| !matches!(verdicts.get(*part as usize), Some(Verdict::Covered(_)));
    for part in (0..goal.len() as PartId).filter(open).filter(|part| !skip(*part)) {
        let Some((func, function)) = goal.place(part) else { continue };
        let projection = projections.entry(func).or_insert_with(|| Projection::new(function, &Ids));
        let routes = goal.routes(part, projection);
        let mut reason = None;
        let all = !routes.is_empty()
            && routes.into_iter().all(|route| {
                questions += 1;
                let leg = |p: coverage::Passed| Leg { block: p.block, leaves: p.leaves, forget: p.forget };
                let way: Vec<Leg> = route.into_iter().map(leg).collect();
                let facts = refute(function, &way, seed);
                reason = reason.take().or_else(|| facts.as_ref().map(|f| text(function, names, f)));
                facts.is_some()
            });
        if let (true, Some(reason)) = (all, reason) {
            found.insert(part, reason);
        }
        if questions >= MOST || cut() {
            break;
        }
    }
    found
}

/// What cannot hold together.
fn text(function: &Function, names: &dyn Names, facts: &[Fact]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for (index, positions) in facts {
        let what = branch_text(function, names, *index, positions);
        let text = match function.positions.get(*index as usize).map_or(0, |p| p.line) {
            0 => what,
            line => format!("{what} (line {line})"),
        };
        texts.push(text);
    }
    let last = texts.pop();
    match last {
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
