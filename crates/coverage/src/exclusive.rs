//! How many executions it takes at least: branches of which no two lie on one way need one each.

use ir::{BlockId, Cfg, Edges, Function};

/// The most branches, each given by its block and the number of its successor, of which none leads to another: one way
/// through the function takes one of them at most.
pub fn exclusive(function: &Function, branches: &[(BlockId, u32)]) -> usize {
    let cfg = Cfg::new(function);
    let behind: Vec<Vec<bool>> = branches.iter().map(|branch| behind(function, &cfg, *branch)).collect();
    let leads = |a: usize, b: usize| behind[a][branches[b].0.0 as usize];
    // Branches of one loop lead to each other: one of them stands for all.
    let stands = |a: &usize| (0..*a).all(|b| !(leads(*a, b) && leads(b, *a)));
    let nodes: Vec<usize> = (0..branches.len()).filter(stands).collect();
    // The fewest ways that pass all of them are as many as the most that exclude each other (Dilworth), and each node that
    // can be given another one as its next on a way saves a way (Fulkerson).
    let next: Vec<Vec<usize>> = nodes
        .iter()
        .map(|a| (0..nodes.len()).filter(|b| nodes[*b] != *a && leads(*a, nodes[*b])).collect())
        .collect();
    let mut before: Vec<Option<usize>> = vec![None; nodes.len()];
    let saved = (0..nodes.len())
        .filter(|node| give(*node, &next, &mut before, &mut vec![false; nodes.len()]))
        .count();
    nodes.len() - saved
}

/// Blocks that can be come to by a branch.
fn behind(function: &Function, cfg: &Cfg, (block, successor): (BlockId, u32)) -> Vec<bool> {
    let mut seen = vec![false; function.blocks.len()];
    let mut open: Vec<BlockId> =
        function.successors(block).into_iter().skip(successor as usize).take(1).collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[block.0 as usize], true) {
            open.extend(cfg.succs(block, Edges::All));
        }
    }
    seen
}

/// Finds a node its next one, if need be by giving others another.
fn give(node: usize, next: &[Vec<usize>], before: &mut [Option<usize>], tried: &mut [bool]) -> bool {
    for other in &next[node] {
        if std::mem::replace(&mut tried[*other], true) {
            continue;
        }
        if before[*other].is_none_or(|owner| give(owner, next, before, tried)) {
            before[*other] = Some(node);
            return true;
        }
    }
    false
}
