//! The fewest runs that show everything: each obligation that any run meets, and each way to end.

use crate::finished::{End, Finished};
use rustc_hash::FxHashSet;
use term::Value;
use vm::ElemKind;

/// Nodes the exact search may visit; beyond, the best found so far is taken.
const SEARCH: u32 = 20_000;

/// Indices, ascending, of a smallest set of runs that meets every obligation any run meets, by runs that return where
/// they can, and holds one witness of a normal return and of each exception class and throwing site. Among equal sets:
/// normal returns, then simple inputs, then short runs, then early ones. Runs that are no behaviour of the program are never taken.
pub fn select<O>(finished: &[Finished<O>]) -> Vec<usize> {
    let runs = items(finished);
    let mut problem = Cover::new(&runs);
    let mut chosen = problem.solve();
    if chosen.is_empty() && !runs.is_empty() {
        // Nothing is asked for: a program without branches still has a behaviour.
        chosen.push(0);
    }
    let mut indices: Vec<usize> = chosen.into_iter().map(|i| runs[i].index).collect();
    indices.sort_unstable();
    indices
}

/// Indices, ascending, of a smallest collection of sets that has every element any set has. Among equal ones: early sets.
pub fn smallest_cover(sets: &[Vec<usize>]) -> Vec<usize> {
    let item = |(index, needs): (usize, &Vec<usize>)| Item {
        index,
        cost: (false, index as u64, 0),
        needs: needs.clone(),
    };
    let items: Vec<Item> = sets.iter().enumerate().map(item).collect();
    let mut chosen = Cover::new(&items).solve();
    chosen.sort_unstable();
    chosen
}

/// Indices, ascending, of the simplest run for each obligation that any run meets, and for each way to end.
pub fn simplest_each<O>(finished: &[Finished<O>]) -> Vec<usize> {
    let runs = items(finished);
    let shown_by = Cover::new(&runs).shown_by;
    let mut indices: Vec<usize> =
        shown_by.iter().filter_map(|by| by.first()).map(|i| runs[*i].index).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

/// The runs that are behaviour of the program, the simplest first.
fn items<O>(finished: &[Finished<O>]) -> Vec<Item> {
    let mut runs: Vec<Item> = finished
        .iter()
        .enumerate()
        .filter(|(_, f)| f.end.is_behaviour())
        .map(|(index, f)| Item { index, cost: cost(f), needs: f.meets.iter().map(|o| *o as usize).collect() })
        .collect();
    returning_first(finished, &mut runs);
    add_ends(finished, &mut runs);
    runs.sort_by_key(|item| (item.cost, item.index));
    // Of runs that show the same only the simplest can be wanted.
    let mut seen: FxHashSet<Vec<usize>> = FxHashSet::default();
    runs.retain_mut(|item| {
        item.needs.sort_unstable();
        seen.insert(item.needs.clone())
    });
    runs
}

struct Item {
    index: usize,
    cost: Cost,
    /// What it shows, by number.
    needs: Vec<usize>,
}

/// What a wish that was not granted costs, in bits of inputs: a factory or a call more before the call.
const UNWISHED: u64 = 120;

/// Threw, complexity of the inputs, steps.
type Cost = (bool, u64, u64);

fn cost<O>(run: &Finished<O>) -> Cost {
    let bits = |v: u128| u64::from(128 - v.leading_zeros());
    let complexity: u64 = run
        .model
        .iter()
        .map(|(_, value)| match value {
            Value::Bits(0) => 0,
            // A variable that had to be something is worth a few bits of what it is.
            Value::Bits(v) => 4 + bits(*v),
            Value::Array(array) => 8 * array.entries.len() as u64 + bits(array.default),
        })
        .sum();
    let unwished = run.path.iter().filter(|s| s.kind == ElemKind::Prefer && s.choice != 0).count() as u64;
    (run.end != End::Returned, complexity + UNWISHED * unwished, run.steps)
}

/// What a run that returns can show is shown by one: a test of an exception says nothing of what was computed before
/// it, and tools that measure coverage may not count it.
fn returning_first<O>(finished: &[Finished<O>], runs: &mut [Item]) {
    let returns = |item: &Item| finished[item.index].end == End::Returned;
    let shown: FxHashSet<usize> =
        runs.iter().filter(|item| returns(item)).flat_map(|item| item.needs.iter().copied()).collect();
    for item in runs.iter_mut().filter(|item| !returns(item)) {
        item.needs.retain(|need| !shown.contains(need));
    }
}

/// Each way to end is one more thing to show: a normal return as well as each kind of failure.
fn add_ends<O>(finished: &[Finished<O>], runs: &mut [Item]) {
    let first = runs.iter().flat_map(|item| &item.needs).max().map_or(0, |max| max + 1);
    let mut kinds: Vec<(&End, Option<u32>)> = Vec::new();
    for item in runs {
        let run = &finished[item.index];
        // What the caller asked of the result tells returns apart.
        let asked = run.path.iter().rev().find(|s| s.kind == ElemKind::Branch && s.site.is_outside());
        let end = (&run.end, asked.map(|s| s.choice));
        let kind = kinds.iter().position(|k| *k == end).unwrap_or_else(|| {
            kinds.push(end);
            kinds.len() - 1
        });
        item.needs.push(first + kind);
    }
}

/// A set-cover problem over the runs, which are sorted by cost.
struct Cover<'a> {
    runs: &'a [Item],
    /// For each thing to show, the runs that do.
    shown_by: Vec<Vec<usize>>,
    best: Vec<usize>,
    nodes: u32,
}

impl<'a> Cover<'a> {
    fn new(runs: &'a [Item]) -> Cover<'a> {
        let count = runs.iter().flat_map(|item| &item.needs).max().map_or(0, |max| max + 1);
        let mut shown_by = vec![Vec::new(); count];
        for (i, item) in runs.iter().enumerate() {
            for need in &item.needs {
                shown_by[*need].push(i);
            }
        }
        Cover { runs, shown_by, best: Vec::new(), nodes: 0 }
    }

    fn solve(&mut self) -> Vec<usize> {
        let mut open: Vec<bool> = self.shown_by.iter().map(|by| !by.is_empty()).collect();
        let mut chosen = Vec::new();
        for need in 0..open.len() {
            if let [only] = self.shown_by[need][..]
                && open[need]
            {
                self.take(only, &mut open, &mut chosen);
            }
        }
        self.best = self.greedy(open.clone(), chosen.clone());
        self.search(&open, &mut chosen);
        std::mem::take(&mut self.best)
    }

    fn take(&self, run: usize, open: &mut [bool], chosen: &mut Vec<usize>) {
        chosen.push(run);
        for need in &self.runs[run].needs {
            open[*need] = false;
        }
    }

    fn gain(&self, run: usize, open: &[bool]) -> usize {
        self.runs[run].needs.iter().filter(|need| open[**need]).count()
    }

    fn greedy(&self, mut open: Vec<bool>, mut chosen: Vec<usize>) -> Vec<usize> {
        // The cheapest of those that gain most: runs are sorted by cost.
        while let Some((gain, std::cmp::Reverse(run))) =
            (0..self.runs.len()).map(|run| (self.gain(run, &open), std::cmp::Reverse(run))).max()
            && gain > 0
        {
            self.take(run, &mut open, &mut chosen);
        }
        // A later choice may have made an earlier one superfluous.
        for i in (0..chosen.len()).rev() {
            let needed = self.runs[chosen[i]].needs.iter().any(|need| {
                !chosen.iter().enumerate().any(|(j, run)| j != i && self.runs[*run].needs.contains(need))
            });
            if !needed {
                chosen.remove(i);
            }
        }
        chosen
    }

    /// Branches on the open need that fewest runs show.
    fn search(&mut self, open: &[bool], chosen: &mut Vec<usize>) {
        self.nodes += 1;
        let left = open.iter().filter(|o| **o).count();
        if left == 0 {
            if self.is_better(chosen) {
                self.best = chosen.clone();
            }
            return;
        }
        let most = (0..self.runs.len()).map(|run| self.gain(run, open)).max().unwrap_or(0).max(1);
        if chosen.len() + left.div_ceil(most) > self.best.len() || self.nodes >= SEARCH {
            return;
        }
        let rarest = (0..open.len()).filter(|need| open[*need]).min_by_key(|need| self.shown_by[*need].len());
        let Some(need) = rarest else { return };
        for i in 0..self.shown_by[need].len() {
            let run = self.shown_by[need][i];
            let mut open = open.to_vec();
            self.take(run, &mut open, chosen);
            self.search(&open, chosen);
            chosen.pop();
        }
    }

    fn is_better(&self, chosen: &[usize]) -> bool {
        let weight = |set: &[usize]| {
            let threw = set.iter().filter(|r| self.runs[**r].cost.0).count();
            let complexity: u64 = set.iter().map(|r| self.runs[*r].cost.1).sum();
            let steps: u64 = set.iter().map(|r| self.runs[*r].cost.2).sum();
            let mut order = set.to_vec();
            order.sort_unstable();
            (set.len(), threw, complexity, steps, order)
        };
        weight(chosen) < weight(&self.best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(needs: &[&[usize]]) -> Vec<Item> {
        let item = |(index, needs): (usize, &&[usize])| Item {
            index,
            cost: (false, index as u64, 0),
            needs: needs.to_vec(),
        };
        needs.iter().enumerate().map(item).collect()
    }

    fn solve(needs: &[&[usize]]) -> Vec<usize> {
        let items = items(needs);
        let mut chosen = Cover::new(&items).solve();
        chosen.sort_unstable();
        chosen
    }

    #[test]
    fn the_smallest_cover_is_found_where_greed_fails() {
        // Greed takes the set of four and then needs two more.
        assert_eq!(solve(&[&[0, 1, 2, 3], &[0, 2, 4], &[1, 3, 5]]), [1, 2]);
    }

    #[test]
    fn among_equal_covers_the_cheapest_wins() {
        assert_eq!(solve(&[&[0, 1], &[0, 1], &[1]]), [0]);
        assert_eq!(solve(&[&[0], &[1], &[0], &[1]]), [0, 1]);
    }

    #[test]
    fn what_only_one_run_shows_is_taken() {
        assert_eq!(solve(&[&[0, 1, 2], &[3], &[2, 3, 4]]), [0, 2]);
    }

    #[test]
    fn no_cover_of_few_sets_is_smaller() {
        let mut state: u32 = 1;
        let mut below = |n: u32| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            (state >> 16) % n
        };
        for _ in 0..300 {
            let sets: Vec<Vec<usize>> =
                (0..9).map(|_| (0..8).filter(|_| below(3) == 0).collect::<Vec<usize>>()).collect();
            let bits = |set: &Vec<usize>| set.iter().fold(0u32, |bits, i| bits | 1 << i);
            let union = |chosen: u32| {
                let of = (0..9).filter(|i| chosen >> i & 1 == 1).map(|i| bits(&sets[i]));
                of.fold(0, |all, one| all | one)
            };
            let all = union(511);
            let fewest = (0..512u32).filter(|c| union(*c) == all).map(u32::count_ones).min();
            let chosen = smallest_cover(&sets);
            assert_eq!(union(chosen.iter().fold(0, |bits, i| bits | 1 << i)), all, "{sets:?}");
            assert_eq!(Some(chosen.len() as u32), fewest, "{sets:?}: {chosen:?}");
        }
    }

    #[test]
    fn many_runs_end_in_time_with_a_cover() {
        let needs: Vec<Vec<usize>> =
            (0..200).map(|i| (0..6).map(|k| (i * 7 + k * k * 13) % 97).collect()).collect();
        let refs: Vec<&[usize]> = needs.iter().map(|n| &n[..]).collect();
        let chosen = solve(&refs);
        let mut shown: Vec<usize> = chosen.iter().flat_map(|i| needs[*i].clone()).collect();
        shown.sort_unstable();
        shown.dedup();
        assert_eq!(shown.len(), 97);
    }
}
