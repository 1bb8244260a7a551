//! Fewest parts that satisfy what can be satisfied in several ways.

use std::collections::BTreeSet;

/// Nodes the exact search may visit; beyond, the best found so far is taken.
const SEARCH: u32 = 20_000;

/// Each want is met by all parts of one of its ways. A smallest set of parts that meets every want; a want without ways
/// is left out.
pub fn fewest_rows(wants: &[Vec<Vec<u32>>]) -> BTreeSet<u32> {
    let mut wants: Vec<&Vec<Vec<u32>>> = wants.iter().filter(|ways| !ways.is_empty()).collect();
    wants.sort_by_key(|ways| ways.len());
    let mut search = Search { wants: &wants, best: None, nodes: 0 };
    search.go(0, &mut BTreeSet::new());
    search.best.unwrap_or_default()
}

struct Search<'a> {
    wants: &'a [&'a Vec<Vec<u32>>],
    best: Option<BTreeSet<u32>>,
    nodes: u32,
}

impl Search<'_> {
    fn go(&mut self, at: usize, chosen: &mut BTreeSet<u32>) {
        self.nodes += 1;
        if self.best.as_ref().is_some_and(|best| chosen.len() >= best.len()) {
            return;
        }
        let open = (at..self.wants.len()).find(|i| !self.wants[*i].iter().any(|w| is_chosen(w, chosen)));
        let Some(want) = open else {
            self.best = Some(chosen.clone());
            return;
        };
        // What adds least first: the first set found is good, and the search may end with it.
        let mut ways: Vec<&Vec<u32>> = self.wants[want].iter().collect();
        ways.sort_by_key(|way| way.iter().filter(|p| !chosen.contains(p)).count());
        for way in ways {
            if self.best.is_some() && self.nodes >= SEARCH {
                return;
            }
            let added: Vec<u32> = way.iter().copied().filter(|p| !chosen.contains(p)).collect();
            chosen.extend(&added);
            self.go(want + 1, chosen);
            added.iter().for_each(|p| {
                chosen.remove(p);
            });
        }
    }
}

fn is_chosen(way: &[u32], chosen: &BTreeSet<u32>) -> bool {
    way.iter().all(|part| chosen.contains(part))
}
