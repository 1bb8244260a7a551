//! Dominators, post-dominators and loops against their definitions, on random graphs.

use ir::{
    BlockId, BranchInfo, Builder, Cfg, Dominators, Edges, Function, Loops, Op, Origin, PostDominators, Type,
};
use proptest::prelude::*;

/// A function whose block `i` goes to the blocks named: none returns, one jumps, two branch.
fn function(graph: &[Vec<u32>]) -> Function {
    let mut b = Builder::new("f", &[Type::I1], None);
    for _ in 1..graph.len() {
        b.block();
    }
    for (i, succs) in graph.iter().enumerate() {
        b.switch_to(BlockId(i as u32));
        match succs[..] {
            [] => b.ret(None),
            [to] => b.jump(BlockId(to)),
            [to, other, ..] => {
                let info =
                    BranchInfo { origin: Origin::Source, decision: i as u32, condition: 0, far: false };
                let cond = b.param(0);
                b.br(cond, BlockId(to), BlockId(other), info);
            }
        }
    }
    b.finish()
}

fn graphs() -> impl Strategy<Value = Vec<Vec<u32>>> {
    (1_u32..9).prop_flat_map(|n| prop::collection::vec(prop::collection::vec(0..n, 0..3), n as usize))
}

/// What can be reached from a block without passing another.
fn reach(graph: &[Vec<u32>], from: u32, without: Option<u32>) -> Vec<bool> {
    let mut seen = vec![false; graph.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if Some(node) != without && !std::mem::replace(&mut seen[node as usize], true) {
            open.extend(&graph[node as usize]);
        }
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_dominator_cuts_every_path_from_the_entry(graph in graphs()) {
        let cfg = Cfg::new(&function(&graph));
        let doms = Dominators::new(&cfg, Edges::All);
        let reachable = reach(&graph, 0, None);
        for a in 0..graph.len() as u32 {
            let without = reach(&graph, 0, Some(a));
            for b in 0..graph.len() as u32 {
                let both = reachable[a as usize] && reachable[b as usize];
                let expected = both && !without[b as usize];
                prop_assert_eq!(doms.dominates(BlockId(a), BlockId(b)), expected, "{} {}", a, b);
            }
            if let Some(up) = doms.idom(BlockId(a)) {
                prop_assert!(doms.dominates(up, BlockId(a)) && up != BlockId(a));
            }
            prop_assert_eq!(doms.is_reachable(BlockId(a)), reachable[a as usize]);
        }
    }

    #[test]
    fn a_post_dominator_cuts_every_path_to_the_end(graph in graphs()) {
        let cfg = Cfg::new(&function(&graph));
        let post = PostDominators::new(&cfg, Edges::Normal);
        let is_end = |b: usize| graph[b].is_empty();
        let ends = |from: u32, without: Option<u32>| {
            reach(&graph, from, without).iter().enumerate().any(|(b, seen)| *seen && is_end(b))
        };
        // Loops without end have a virtual edge to it, which the definition does not see.
        let all_end = (0..graph.len() as u32).all(|b| ends(b, None));
        for a in 0..graph.len() as u32 {
            for b in 0..graph.len() as u32 {
                if all_end {
                    prop_assert_eq!(post.post_dominates(BlockId(a), BlockId(b)), !ends(b, Some(a)), "{} {}", a, b);
                }
            }
        }
    }

    #[test]
    fn loops_are_what_their_headers_dominate_on_the_way_back(graph in graphs()) {
        let cfg = Cfg::new(&function(&graph));
        let doms = Dominators::new(&cfg, Edges::All);
        let loops = Loops::new(&cfg, &doms, Edges::All);
        for (_, l) in loops.iter() {
            for block in &l.blocks {
                prop_assert!(doms.dominates(l.header, *block));
                prop_assert!(reach(&graph, block.0, None)[l.header.0 as usize]);
            }
            for latch in &l.latches {
                prop_assert!(l.blocks.contains(latch) && graph[latch.0 as usize].contains(&l.header.0));
            }
            match l.parent {
                Some(parent) => {
                    prop_assert!(l.blocks.iter().all(|b| loops.get(parent).blocks.contains(b)));
                    prop_assert_eq!(l.depth, loops.get(parent).depth + 1);
                }
                None => prop_assert_eq!(l.depth, 1),
            }
        }
        // A reachable cycle without a natural loop through it makes the graph irreducible.
        let reachable = reach(&graph, 0, None);
        for b in 0..graph.len() as u32 {
            let on_cycle = reachable[b as usize] && graph[b as usize].iter().any(|s| reach(&graph, *s, None)[b as usize]);
            if on_cycle && loops.innermost(BlockId(b)).is_none() {
                prop_assert!(!loops.is_reducible());
            }
        }
    }

    #[test]
    fn reverse_postorder_holds_what_is_reachable_once(graph in graphs()) {
        let cfg = Cfg::new(&function(&graph));
        let mut order = cfg.reverse_postorder(Edges::All);
        prop_assert_eq!(order[0], BlockId(0));
        order.sort();
        let reachable = reach(&graph, 0, None);
        let expected: Vec<BlockId> = (0..graph.len()).filter(|b| reachable[*b]).map(|b| BlockId(b as u32)).collect();
        prop_assert_eq!(order, expected);
    }
}

/// Deep graphs must not exhaust the host's stack.
#[test]
fn a_chain_of_two_hundred_thousand_blocks() {
    let n = 200_000;
    let graph: Vec<Vec<u32>> = (0..n).map(|i| if i + 1 < n { vec![i + 1] } else { vec![] }).collect();
    let func = function(&graph);
    assert_eq!(func.code.iter().filter(|i| i.op == Op::Jump).count(), n as usize - 1);
    assert!(ir::verify(&func, &ir::verify::AnyProgram).is_empty());
    let cfg = Cfg::new(&func);
    let doms = Dominators::new(&cfg, Edges::All);
    assert_eq!(doms.idom(BlockId(n - 1)), Some(BlockId(n - 2)));
    assert!(doms.dominates(BlockId(0), BlockId(n - 1)));
}
