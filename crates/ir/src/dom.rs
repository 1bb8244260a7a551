//! Dominators and post-dominators, by the iterative algorithm of Cooper, Harvey and Kennedy
//! ("A Simple, Fast Dominance Algorithm", 2001).

use crate::cfg::{Cfg, Edges, reverse_postorder};
use crate::types::BlockId;
use entity::EntityId;

/// Immediate dominators of a graph with one root; nodes that the root does not reach have none.
struct Tree {
    idom: Vec<Option<usize>>,
    /// Place in reverse postorder; the root is 0.
    order: Vec<usize>,
}

impl Tree {
    fn new(succs: &[Vec<usize>], root: usize) -> Tree {
        let rpo = reverse_postorder(succs, root);
        let mut order = vec![usize::MAX; succs.len()];
        let mut preds = vec![Vec::new(); succs.len()];
        for (place, node) in rpo.iter().enumerate() {
            order[*node] = place;
            for succ in &succs[*node] {
                preds[*succ].push(*node);
            }
        }
        let mut idom: Vec<Option<usize>> = vec![None; succs.len()];
        if root < succs.len() {
            idom[root] = Some(root);
        }
        let meet = |idom: &[Option<usize>], mut a: usize, mut b: usize| {
            while a != b {
                // The one further from the root climbs; nodes already placed always have a parent.
                if order[a] > order[b] {
                    a = idom[a].unwrap_or(root);
                } else {
                    b = idom[b].unwrap_or(root);
                }
            }
            a
        };
        let mut changed = true;
        while changed {
            changed = false;
            for node in rpo.iter().skip(1) {
                let placed = preds[*node].iter().copied().filter(|p| idom[*p].is_some());
                let new = placed.reduce(|a, b| meet(&idom, a, b));
                if new != idom[*node] {
                    idom[*node] = new;
                    changed = true;
                }
            }
        }
        if root < succs.len() {
            idom[root] = None;
        }
        Tree { idom, order }
    }

    fn dominates(&self, above: usize, mut below: usize) -> bool {
        if self.order[above] == usize::MAX || self.order[below] == usize::MAX {
            return false;
        }
        while self.order[below] > self.order[above] {
            match self.idom[below] {
                Some(up) => below = up,
                None => return false,
            }
        }
        below == above
    }
}

/// Which blocks every path from the entry must pass.
pub struct Dominators {
    tree: Tree,
}

impl Dominators {
    pub fn new(cfg: &Cfg, edges: Edges) -> Dominators {
        let succs: Vec<Vec<usize>> =
            cfg.blocks().map(|b| cfg.succs(b, edges).map(EntityId::index).collect()).collect();
        Dominators { tree: Tree::new(&succs, 0) }
    }

    /// The nearest other block that every path to this one passes; `None` for the entry and unreachable blocks.
    pub fn idom(&self, block: BlockId) -> Option<BlockId> {
        self.tree.idom.get(block.index()).copied().flatten().map(BlockId::from_index)
    }

    /// Whether every path from the entry to `below` passes `above`; a reachable block dominates itself.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        self.tree.dominates(above.index(), below.index())
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.tree.order.get(block.index()).is_some_and(|place| *place != usize::MAX)
    }
}

/// Which blocks every path to the end of the function must pass. All ends meet in a virtual exit; a loop that
/// never ends is given an edge to it, from the block latest in reverse postorder that cannot reach the exit.
pub struct PostDominators {
    tree: Tree,
    exit: usize,
}

impl PostDominators {
    pub fn new(cfg: &Cfg, edges: Edges) -> PostDominators {
        let exit = cfg.len();
        // The reversed graph: an edge from a block to each predecessor, from the exit to each end.
        let mut reversed: Vec<Vec<usize>> =
            cfg.blocks().map(|b| cfg.preds(b, edges).map(EntityId::index).collect()).collect();
        reversed.push(cfg.blocks().filter(|b| cfg.is_exit(*b, edges)).map(EntityId::index).collect());
        let mut reaches = vec![false; exit + 1];
        let mark = |reaches: &mut Vec<bool>, reversed: &[Vec<usize>], from: usize| {
            let mut open = vec![from];
            while let Some(node) = open.pop() {
                if !std::mem::replace(&mut reaches[node], true) {
                    open.extend(&reversed[node]);
                }
            }
        };
        mark(&mut reaches, &reversed, exit);
        for block in cfg.reverse_postorder(edges).into_iter().rev() {
            if !reaches[block.index()] {
                reversed[exit].push(block.index());
                mark(&mut reaches, &reversed, block.index());
            }
        }
        PostDominators { tree: Tree::new(&reversed, exit), exit }
    }

    /// The nearest other block that every path from this one to the end passes; `None` if there is none but
    /// the end itself.
    pub fn ipdom(&self, block: BlockId) -> Option<BlockId> {
        let up = self.tree.idom.get(block.index()).copied().flatten()?;
        (up != self.exit).then(|| BlockId::from_index(up))
    }

    /// Whether every path from `from` to the end passes `block`; a block post-dominates itself.
    pub fn post_dominates(&self, block: BlockId, from: BlockId) -> bool {
        self.tree.dominates(block.index(), from.index())
    }
}
