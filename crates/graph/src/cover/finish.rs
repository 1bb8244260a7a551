//! From what is known of each goal to verdicts, a suite and tables.

use super::{Cover, DecisionTable, Job, Known, Suite, TableRow, Test, Verdict};
use crate::criteria::{self, Need};
use crate::goal::{Follower, Goal};
use crate::mcdc::{Plan, Row, Table, Variant};
use std::collections::BTreeMap;

/// Something one run of the suite must do.
struct Atom {
    goals: Vec<Goal>,
}

/// The rows that show a decision's conditions.
struct Shown {
    plan: Plan,
    /// Each row with its atom.
    rows: Vec<(Row, usize)>,
}

pub(super) fn finish(
    job: Job,
    listed: criteria::Obligations,
    known: Vec<Known>,
    tours: Vec<Option<Goal>>,
) -> Cover {
    let mut atoms: Vec<Atom> = Vec::new();
    let shown = shown(&job, &listed, &known, &mut atoms);
    // Atoms of each obligation that is met, or toured with side trips.
    let mut needs: Vec<Vec<usize>> = Vec::new();
    for ((obligation, known), tour) in listed.all.iter().zip(&known).zip(tours) {
        needs.push(match (&obligation.need, known) {
            (_, Known::Infeasible(_)) => {
                let tour = tour.map(|goal| atoms.push(Atom { goals: vec![goal] }));
                tour.map(|()| atoms.len() - 1).into_iter().collect()
            }
            (Need::Any(goals), Known::Met) => {
                atoms.push(Atom { goals: goals.clone() });
                vec![atoms.len() - 1]
            }
            (Need::Pair { decision, condition, .. }, Known::Pair) => {
                pair_atoms(&shown, *decision, *condition)
            }
            _ => Vec::new(),
        });
    }
    let by_run = met_by_runs(&job, &atoms);
    let chosen = choose(&job, &by_run, atoms.len());
    let first = |atom: usize| chosen.iter().position(|run| by_run[*run].contains(&atom));
    let mut tests: Vec<Test> = chosen.iter().map(|run| job.runs[*run].0.clone()).collect();
    let mut obligations = Vec::new();
    for (i, (obligation, known)) in listed.all.into_iter().zip(known).enumerate() {
        let verdict = match known {
            Known::Met | Known::Pair => {
                for (test, run) in tests.iter_mut().zip(&chosen) {
                    if needs[i].iter().any(|atom| by_run[*run].contains(atom)) {
                        test.covers.push(i);
                    }
                }
                Verdict::Covered { by: needs[i].iter().filter_map(|atom| first(*atom)).collect() }
            }
            Known::Infeasible(why) => {
                Verdict::Infeasible { why, side_trips: needs[i].first().and_then(|atom| first(*atom)) }
            }
            Known::Open(why) => Verdict::Open { why },
        };
        obligations.push((obligation, verdict));
    }
    let decisions = shown.iter().filter_map(|(d, shown)| table(&job, *d, shown, &first)).collect();
    let solver = job.tree.chain.stats().clone();
    Cover {
        obligations,
        cut: listed.cut,
        tests,
        decisions,
        learned: job.tree.learned.subpaths,
        spent: job.tree.spent,
        solver,
    }
}

/// The fewest rows of each decision, of those that can be made.
fn shown(
    job: &Job,
    listed: &criteria::Obligations,
    known: &[Known],
    atoms: &mut Vec<Atom>,
) -> BTreeMap<usize, Shown> {
    let mut variants: BTreeMap<usize, Variant> = BTreeMap::new();
    for (obligation, known) in listed.all.iter().zip(known) {
        if let (Need::Pair { decision, variant, .. }, Known::Pair) = (&obligation.need, known) {
            variants.insert(*decision, *variant);
        }
    }
    let mut all = BTreeMap::new();
    for (decision, variant) in variants {
        let Some(table) = Table::new(&job.decisions[decision]) else { continue };
        let made = |row: Row| matches!(job.rows.get(&(decision, row)), Some(Known::Met));
        let plan = table.plan(variant, &made, &|_| 1);
        let mut rows: Vec<Row> = plan.iter().flatten().flat_map(|(t, f)| [*t, *f]).collect();
        rows.sort_unstable_by_key(|row| (std::cmp::Reverse(table.outcome(*row)), std::cmp::Reverse(*row)));
        rows.dedup();
        let rows = rows
            .into_iter()
            .map(|row| {
                let values = (0..table.conditions).map(|i| Some(row >> i & 1 == 1)).collect();
                atoms.push(Atom { goals: vec![Goal::Row { decision, values, outcome: None }] });
                (row, atoms.len() - 1)
            })
            .collect();
        all.insert(decision, Shown { plan, rows });
    }
    all
}

fn pair_atoms(shown: &BTreeMap<usize, Shown>, decision: usize, condition: usize) -> Vec<usize> {
    let Some(shown) = shown.get(&decision) else { return Vec::new() };
    let Some(Some((t, f))) = shown.plan.get(condition) else { return Vec::new() };
    let atom = |row: &Row| shown.rows.iter().find(|(r, _)| r == row).map(|(_, atom)| *atom);
    [t, f].into_iter().filter_map(atom).collect()
}

fn met_by_runs(job: &Job, atoms: &[Atom]) -> Vec<Vec<usize>> {
    let mut by_run: Vec<Vec<usize>> = vec![Vec::new(); job.runs.len()];
    for (i, atom) in atoms.iter().enumerate() {
        let followers: Vec<Follower> = atom.goals.iter().map(|g| Follower::new(job.cfg, g)).collect();
        for (run, met) in by_run.iter_mut().enumerate() {
            if followers.iter().any(|f| f.met_by(&job.runs[run].1, job.decisions)) {
                met.push(i);
            }
        }
    }
    by_run
}

/// The runs of the suite, cheap ones first.
fn choose(job: &Job, by_run: &[Vec<usize>], atoms: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..by_run.len()).collect();
    order.sort_by_key(|run| (job.runs[*run].0.cost, job.runs[*run].0.edges.len(), *run));
    let mut chosen: Vec<usize> = match job.options.suite {
        Suite::Minimal => {
            let sets: Vec<Vec<usize>> = order.iter().map(|run| by_run[*run].clone()).collect();
            explore::smallest_cover(&sets).into_iter().map(|i| order[i]).collect()
        }
        Suite::Each => (0..atoms)
            .filter_map(|atom| order.iter().copied().find(|run| by_run[*run].contains(&atom)))
            .collect(),
    };
    chosen.sort_by_key(|run| order.iter().position(|r| r == run));
    chosen.dedup();
    chosen
}

fn table(
    job: &Job,
    decision: usize,
    shown: &Shown,
    first: &dyn Fn(usize) -> Option<usize>,
) -> Option<DecisionTable> {
    let table = Table::new(&job.decisions[decision])?;
    let rows: Vec<TableRow> = shown
        .rows
        .iter()
        .filter_map(|(row, atom)| {
            Some(TableRow {
                values: (0..table.conditions).map(|i| row >> i & 1 == 1).collect(),
                outcome: table.outcome(*row),
                test: first(*atom)?,
            })
        })
        .collect();
    let index = |row: Row| shown.rows.iter().position(|(r, _)| *r == row);
    let pairs = shown.plan.iter().map(|pair| pair.and_then(|(t, f)| Some((index(t)?, index(f)?)))).collect();
    Some(DecisionTable { decision: job.decisions[decision].clone(), rows, pairs })
}
