//! Several strategies over the same candidates: in turn, or more often the ones that brought more.

use crate::frontier::{Candidate, Guide, Strategy, Tried};
use crate::tree::Slot;
use rustc_hash::{FxHashMap, FxHashSet};

/// How the next to pick is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    RoundRobin,
    /// By what each picked before: the share of picks that met an obligation first.
    Progress,
}

pub struct Mixed {
    parts: Vec<Part>,
    turn: Turn,
    next: usize,
    /// Picks of whose turn it is.
    done: u32,
    /// Who picked what is being tried.
    picked: FxHashMap<Slot, usize>,
    /// Every part has every candidate; what one picked the others must not.
    gone: FxHashSet<Slot>,
}

struct Part {
    strategy: Box<dyn Strategy>,
    times: u32,
    tries: u64,
    gains: u64,
}

impl Mixed {
    /// Each strategy with how often it picks when its turn comes.
    pub fn new(strategies: Vec<(Box<dyn Strategy>, u32)>, turn: Turn) -> Mixed {
        let part = |(strategy, times)| Part { strategy, times, tries: 0, gains: 0 };
        Mixed {
            parts: strategies.into_iter().map(part).collect(),
            turn,
            next: 0,
            done: 0,
            picked: FxHashMap::default(),
            gone: FxHashSet::default(),
        }
    }

    fn whose_turn(&mut self) -> usize {
        let count = self.parts.len();
        let next = match self.turn {
            Turn::RoundRobin => self.next,
            // One that brought nothing is still asked from time to time: its share falls as others gain.
            Turn::Progress => {
                let worse =
                    |a: &Part, b: &Part| (a.gains + 1) * (b.tries + 2) < (b.gains + 1) * (a.tries + 2);
                (1..count).fold(0, |best, i| if worse(&self.parts[best], &self.parts[i]) { i } else { best })
            }
        };
        self.done += 1;
        if self.parts.get(next).is_none_or(|part| self.done >= part.times) {
            (self.next, self.done) = ((next + 1) % count.max(1), 0);
        }
        next
    }
}

impl Strategy for Mixed {
    fn add(&mut self, candidate: Candidate) {
        // It may come back: what lies beyond a bound is tried where nothing else is left.
        self.gone.remove(&candidate.slot);
        self.parts.iter_mut().for_each(|part| part.strategy.add(candidate));
    }

    fn next(&mut self, guide: &Guide<'_>) -> Option<Candidate> {
        let turn = self.whose_turn();
        let part = self.parts.get_mut(turn)?;
        part.tries += 1;
        loop {
            let candidate = part.strategy.next(guide)?;
            if self.gone.insert(candidate.slot) {
                self.picked.insert(candidate.slot, turn);
                return Some(candidate);
            }
        }
    }

    fn feedback(&mut self, candidate: &Candidate, tried: Tried) {
        if let Some(part) = self.picked.remove(&candidate.slot)
            && tried == (Tried::Ran { new: true })
        {
            self.parts[part].gains += 1;
        }
        self.parts.iter_mut().for_each(|part| part.strategy.feedback(candidate, tried));
    }
}
