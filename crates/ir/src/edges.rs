//! Coverage points of a function, numbered densely, so that a run can be remembered as a set of bits.
//!
//! Points are: a block is entered; a `br` or `switch` takes the successor at a position (the default of a
//! `switch` is the last position); what a `note` looks at holds (0) or does not (1); an instruction raised. Here and not in the coverage crate because the VM
//! marks them and stands above that crate.

use crate::func::Function;
use crate::op::Op;
use crate::types::BlockId;
use entity::EntityId;

/// The numbering of one function's points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeMap {
    /// By code index: the first point of the instruction there. One longer than the code.
    first: Vec<u32>,
    /// By block: exactly one normal edge leads to it, and it is not the entry.
    one_way_in: Vec<bool>,
}

impl EdgeMap {
    pub fn new(func: &Function) -> EdgeMap {
        let mut next = func.blocks.len() as u32;
        let mut first = Vec::with_capacity(func.code.len() + 1);
        for inst in &func.code {
            first.push(next);
            next += match inst.op {
                Op::Br | Op::Note => 2,
                Op::Switch => func.tables.get(inst.b as usize).map_or(0, |t| t.cases.len() as u32 + 1),
                op => u32::from(op.can_raise()),
            };
        }
        first.push(next);
        let mut ways_in = vec![0_u32; func.blocks.len()];
        for succ in func.blocks.keys().flat_map(|block| func.successors(block)) {
            if let Some(count) = ways_in.get_mut(succ.index()) {
                *count += 1;
            }
        }
        let one_way_in = ways_in.iter().enumerate().map(|(i, count)| i != 0 && *count == 1).collect();
        EdgeMap { first, one_way_in }
    }

    /// How many points there are; they are numbered from 0.
    pub fn len(&self) -> u32 {
        self.first.last().copied().unwrap_or(0)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The point "the block is entered".
    #[inline]
    pub fn entry(&self, block: BlockId) -> u32 {
        block.0
    }

    /// The point "the branch at this code index takes the successor at this position".
    #[inline]
    pub fn taken(&self, index: u32, position: u32) -> u32 {
        self.first[index as usize] + position
    }

    /// The point "the instruction at this code index raised"; `None` if it cannot.
    #[inline]
    pub fn raised(&self, func: &Function, index: u32) -> Option<u32> {
        let inst = func.code.get(index as usize)?;
        inst.op.can_raise().then(|| self.first[index as usize])
    }

    /// The points of a run that was recorded as blocks entered, (code index, position) of branches taken, and code
    /// indices of what raised.
    pub fn points(
        &self,
        func: &Function,
        entered: impl IntoIterator<Item = BlockId>,
        taken: impl IntoIterator<Item = (u32, u32)>,
        raised: impl IntoIterator<Item = u32>,
    ) -> EdgeSet {
        let entered = entered.into_iter().map(|block| self.entry(block));
        let taken = taken.into_iter().map(|(index, position)| self.taken(index, position));
        let raised = raised.into_iter().filter_map(|index| self.raised(func, index));
        entered.chain(taken).chain(raised).collect()
    }

    /// Which instructions the points say were executed, as a set of code indices. In a block where something
    /// raised, what stands behind the last instruction that raised counts only if a branch at the block's end,
    /// or a successor entered from nowhere else, shows that the end was reached too.
    pub fn executed(&self, func: &Function, points: &EdgeSet) -> EdgeSet {
        let mut executed = EdgeSet::default();
        for (id, block) in func.blocks.iter().filter(|(id, _)| points.contains(self.entry(*id))) {
            let raised = (block.start..block.end)
                .rev()
                .find(|i| self.raised(func, *i).is_some_and(|point| points.contains(point)));
            let last = match raised {
                Some(index) if !self.finished(func, id, points) => index + 1,
                _ => block.end,
            };
            (block.start..last).for_each(|i| executed.insert(i));
        }
        executed
    }

    fn finished(&self, func: &Function, block: BlockId, points: &EdgeSet) -> bool {
        let Some(last) = func.blocks[block].end.checked_sub(1) else { return false };
        let Some(inst) = func.code.get(last as usize) else { return false };
        match inst.op {
            Op::Br | Op::Switch => {
                (self.first[last as usize]..self.first[last as usize + 1]).any(|point| points.contains(point))
            }
            Op::Jump => {
                let to = BlockId(inst.a);
                self.one_way_in.get(to.index()) == Some(&true) && points.contains(self.entry(to))
            }
            _ => false,
        }
    }
}

/// A set of small numbers: coverage points, or code indices.
#[derive(Clone, Debug, Default)]
pub struct EdgeSet {
    words: Vec<u64>,
}

impl EdgeSet {
    pub fn new() -> EdgeSet {
        EdgeSet::default()
    }

    #[inline]
    pub fn insert(&mut self, point: u32) {
        let word = point as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (point % 64);
    }

    #[inline]
    pub fn contains(&self, point: u32) -> bool {
        self.words.get(point as usize / 64).is_some_and(|word| word >> (point % 64) & 1 == 1)
    }

    /// Adds what the other has.
    pub fn union(&mut self, other: &EdgeSet) {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Whether the other has everything this one has.
    pub fn is_subset(&self, other: &EdgeSet) -> bool {
        let of = |i: usize| other.words.get(i).copied().unwrap_or(0);
        self.words.iter().enumerate().all(|(i, word)| word & !of(i) == 0)
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(i, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i as u32 * 64 + bit)
        })
    }
}

impl PartialEq for EdgeSet {
    fn eq(&self, other: &EdgeSet) -> bool {
        self.is_subset(other) && other.is_subset(self)
    }
}

impl Eq for EdgeSet {}

impl FromIterator<u32> for EdgeSet {
    fn from_iter<I: IntoIterator<Item = u32>>(points: I) -> EdgeSet {
        let mut set = EdgeSet::new();
        points.into_iter().for_each(|point| set.insert(point));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_module;

    const TEXT: &str = "func @f(%0: i32, %1: ref) {
b0:
  guard.nonnull %1
  switch %0, [1: b1, 2: b1, else: b2] !source 0.0
b1:
  guard.nonnull %1
  guard.nonzero.i32 %0
  jump b3
b2:
  ret
b3:
  ret
}
";

    fn function() -> Function {
        parse_module(TEXT).unwrap().module.function("f").unwrap().clone()
    }

    #[test]
    fn points_are_dense_and_distinct() {
        let func = function();
        let map = EdgeMap::new(&func);
        let blocks: Vec<u32> = func.blocks.keys().map(|b| map.entry(b)).collect();
        let others = [
            map.raised(&func, 0).unwrap(),
            map.taken(1, 0),
            map.taken(1, 1),
            map.taken(1, 2),
            map.raised(&func, 2).unwrap(),
            map.raised(&func, 3).unwrap(),
        ];
        assert_eq!(blocks, [0, 1, 2, 3]);
        assert_eq!(others, [4, 5, 6, 7, 8, 9]);
        assert_eq!(map.len(), 10);
        assert_eq!(map.raised(&func, 4), None);
    }

    #[test]
    fn what_stands_behind_a_raise_is_not_executed() {
        let func = function();
        let map = EdgeMap::new(&func);
        let executed =
            |points: &[u32]| map.executed(&func, &points.iter().copied().collect()).iter().collect();
        let all_of_b0_and_b1: Vec<u32> = executed(&[0, 1, 5]);
        assert_eq!(all_of_b0_and_b1, [0, 1, 2, 3, 4]);
        let raised_first: Vec<u32> = executed(&[0, 1, 5, 8]);
        assert_eq!(raised_first, [0, 1, 2]);
        // Raised in one visit, but b3 has no other way in: another visit came to the end.
        let both: Vec<u32> = executed(&[0, 1, 3, 5, 8]);
        assert_eq!(both, [0, 1, 2, 3, 4, 6]);
    }

    #[test]
    fn sets_are_equal_whatever_their_capacity() {
        let mut a: EdgeSet = [1, 70].into_iter().collect();
        let b: EdgeSet = [1].into_iter().collect();
        assert!(b.is_subset(&a) && !a.is_subset(&b));
        assert_eq!(a.iter().collect::<Vec<_>>(), [1, 70]);
        assert_eq!((a.len(), EdgeSet::new().is_empty()), (2, true));
        a.union(&b);
        assert_eq!(a, [70, 1].into_iter().collect());
    }
}
