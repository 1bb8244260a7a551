//! Branches that exclude each other, against all ways through random graphs without loops.

use ir::text::parse_module;
use ir::{BlockId, Function};
use proptest::prelude::*;

/// A function whose blocks each go on to two that come after them; the last one returns.
fn function(next: &[(usize, usize)]) -> Function {
    let mut text = String::from("func @f(%0: i32, %1: i32) -> i32 {\n");
    for (i, (one, other)) in next.iter().enumerate() {
        text += &format!("b{i}:\n  %{} = slt.i32 %0, %1\n  br %{}, b{one}, b{other}\n", i + 2, i + 2);
    }
    text += &format!("b{}:\n  ret.val %0\n}}\n", next.len());
    parse_module(&text).unwrap_or_else(|why| panic!("{why}\n{text}")).module.function("f").unwrap().clone()
}

/// The sets of branches that the ways from a block take.
fn ways(next: &[(usize, usize)], block: usize) -> Vec<u32> {
    let Some((one, other)) = next.get(block) else { return vec![0] };
    let taken = |branch: usize, to: usize| ways(next, to).into_iter().map(move |way| way | 1 << branch);
    taken(2 * block, *one).chain(taken(2 * block + 1, *other)).collect()
}

/// The fewest of these ways that take all branches, as many as asked for at most.
fn fewest(ways: &[u32], open: u32, most: usize) -> usize {
    if open == 0 || most == 0 {
        return 0;
    }
    let first = 1 << open.trailing_zeros();
    let by = ways.iter().filter(|way| **way & first != 0);
    by.map(|way| 1 + fewest(ways, open & !way, most - 1)).min().unwrap_or(most)
}

fn graph() -> impl Strategy<Value = Vec<(usize, usize)>> {
    (1usize..6).prop_flat_map(|count| {
        let one = move |block: usize| (block + 1..=count, block + 1..=count);
        (0..count).map(one).collect::<Vec<_>>()
    })
}

proptest! {
    /// Of what can be come to at all, as many ways are needed as there are branches that exclude each other.
    #[test]
    fn as_many_ways_are_needed_as_exclude_each_other(next in graph()) {
        let ways = ways(&next, 0);
        let reached = ways.iter().fold(0, |all, way| all | way);
        let branches: Vec<_> = (0..2 * next.len() as u32)
            .filter(|branch| reached >> branch & 1 == 1)
            .map(|branch| (BlockId(branch / 2), branch % 2))
            .collect();
        let exclusive = coverage::exclusive(&function(&next), &branches);
        prop_assert_eq!(exclusive, fewest(&ways, reached, 12));
    }
}

#[test]
fn branches_of_a_loop_exclude_nothing() {
    let text = "func @f(%0: i32, %1: i32) -> i32 {
b0:
  %2 = slt.i32 %0, %1
  br %2, b1, b3
b1:
  %3 = slt.i32 %1, %0
  br %3, b2, b0
b2:
  jump b0
b3:
  ret.val %0
}
";
    let function = parse_module(text).unwrap().module.function("f").unwrap().clone();
    let all = [(BlockId(0), 0), (BlockId(0), 1), (BlockId(1), 0), (BlockId(1), 1)];
    assert_eq!(coverage::exclusive(&function, &all), 1);
}
