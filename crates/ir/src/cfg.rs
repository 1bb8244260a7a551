//! The control-flow graph of a function: normal and exceptional edges apart, and a reverse postorder.

use crate::func::Function;
use crate::types::BlockId;
use entity::{EntityId, PrimaryMap};

/// Which edges an analysis follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    /// Where the terminators go.
    Normal,
    /// And where exceptions go.
    All,
}

/// Edges of one block. Several edges to the same block are one here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// In the order of the terminator's operands.
    pub succs: Vec<BlockId>,
    /// The landing block, if something in this block can raise and it is caught here.
    pub unwind: Option<BlockId>,
    /// Ascending.
    pub preds: Vec<BlockId>,
    /// Blocks whose exceptions land here, ascending.
    pub raisers: Vec<BlockId>,
    /// Something in this block can raise, and it leaves the function.
    pub raises_out: bool,
}

/// The graph. Built from a verified function; edges to blocks that do not exist are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cfg {
    nodes: PrimaryMap<BlockId, Node>,
}

impl Cfg {
    pub fn new(func: &Function) -> Cfg {
        let mut nodes: PrimaryMap<BlockId, Node> = func.blocks.keys().map(|_| Node::default()).collect();
        for (id, block) in func.blocks.iter() {
            let code = func.code.get(block.start as usize..block.end as usize).unwrap_or(&[]);
            let raises = code.iter().any(|inst| inst.op.can_raise());
            let mut succs: Vec<BlockId> = Vec::new();
            for succ in func.successors(id) {
                if nodes.get(succ).is_some() && !succs.contains(&succ) {
                    succs.push(succ);
                }
            }
            let unwind = block.unwind.filter(|u| raises && nodes.get(*u).is_some());
            for succ in &succs {
                nodes[*succ].preds.push(id);
            }
            if let Some(unwind) = unwind {
                nodes[unwind].raisers.push(id);
            }
            let node = &mut nodes[id];
            node.succs = succs;
            node.unwind = unwind;
            node.raises_out = raises && block.unwind.is_none();
        }
        Cfg { nodes }
    }

    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator + use<> {
        self.nodes.keys()
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, block: BlockId) -> &Node {
        &self.nodes[block]
    }

    pub fn succs(&self, block: BlockId, edges: Edges) -> impl Iterator<Item = BlockId> + '_ {
        let node = &self.nodes[block];
        let unwind = node.unwind.filter(|u| edges == Edges::All && !node.succs.contains(u));
        node.succs.iter().copied().chain(unwind)
    }

    pub fn preds(&self, block: BlockId, edges: Edges) -> impl Iterator<Item = BlockId> + '_ {
        let node = &self.nodes[block];
        let raisers = node.raisers.iter().copied().filter(move |_| edges == Edges::All);
        node.preds.iter().copied().chain(raisers.filter(|r| !node.preds.contains(r)))
    }

    /// Whether control can leave the function from the end of this block, or by an exception if those count.
    pub fn is_exit(&self, block: BlockId, edges: Edges) -> bool {
        let node = &self.nodes[block];
        let ends = node.succs.is_empty() && node.unwind.is_none_or(|_| edges == Edges::Normal);
        ends || (edges == Edges::All && node.raises_out)
    }

    /// Blocks reachable from the entry, every block before its successors but for retreating edges.
    pub fn reverse_postorder(&self, edges: Edges) -> Vec<BlockId> {
        let succs =
            self.blocks().map(|b| self.succs(b, edges).map(EntityId::index).collect()).collect::<Vec<_>>();
        reverse_postorder(&succs, 0).into_iter().map(BlockId::from_index).collect()
    }
}

/// Reverse postorder of what is reachable from the root of a graph given by successors.
pub(crate) fn reverse_postorder(succs: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut order = Vec::with_capacity(succs.len());
    let mut seen = vec![false; succs.len()];
    let mut stack = Vec::new();
    if root < succs.len() {
        seen[root] = true;
        stack.push((root, 0));
    }
    while let Some((node, next)) = stack.last_mut() {
        match succs[*node].get(*next) {
            Some(succ) => {
                *next += 1;
                if !std::mem::replace(&mut seen[*succ], true) {
                    stack.push((*succ, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
