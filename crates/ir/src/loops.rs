//! Natural loops, their nesting, and whether the graph is reducible.

use crate::cfg::{Cfg, Edges};
use crate::dom::Dominators;
use crate::types::BlockId;
use entity::{EntityId, PrimaryMap, entity};

entity! {
    /// A loop of a function, outer ones before inner ones.
    pub struct LoopId = "loop";
}

/// A natural loop: all back edges to one header, and what lies on a way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Dominates every block of the loop.
    pub header: BlockId,
    /// Where the back edges come from, ascending.
    pub latches: Vec<BlockId>,
    /// All blocks, the header and those of inner loops included, ascending.
    pub blocks: Vec<BlockId>,
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

pub struct Loops {
    loops: PrimaryMap<LoopId, Loop>,
    innermost: Vec<Option<LoopId>>,
    irreducible: Vec<(BlockId, BlockId)>,
}

impl Loops {
    pub fn new(cfg: &Cfg, doms: &Dominators, edges: Edges) -> Loops {
        let rpo = cfg.reverse_postorder(edges);
        let mut place = vec![usize::MAX; cfg.len()];
        for (i, block) in rpo.iter().enumerate() {
            place[block.index()] = i;
        }
        let mut irreducible = Vec::new();
        let mut loops: PrimaryMap<LoopId, Loop> = PrimaryMap::new();
        let mut innermost: Vec<Option<LoopId>> = vec![None; cfg.len()];
        // Headers in reverse postorder: an outer header dominates an inner one, so it comes first, and the
        // loop already noted at a header is the parent.
        for header in &rpo {
            let mut latches = Vec::new();
            for pred in cfg.preds(*header, edges) {
                if place[pred.index()] == usize::MAX || place[pred.index()] < place[header.index()] {
                    continue;
                }
                match doms.dominates(*header, pred) {
                    true => latches.push(pred),
                    false => irreducible.push((pred, *header)),
                }
            }
            if latches.is_empty() {
                continue;
            }
            latches.sort_unstable();
            let mut inside = vec![false; cfg.len()];
            inside[header.index()] = true;
            let mut open = latches.clone();
            while let Some(block) = open.pop() {
                if !std::mem::replace(&mut inside[block.index()], true) {
                    open.extend(cfg.preds(block, edges).filter(|p| place[p.index()] != usize::MAX));
                }
            }
            let parent = innermost[header.index()];
            let depth = parent.map_or(0, |p| loops[p].depth) + 1;
            let blocks: Vec<BlockId> = cfg.blocks().filter(|b| inside[b.index()]).collect();
            let id = loops.push(Loop { header: *header, latches, blocks: blocks.clone(), parent, depth });
            for block in blocks {
                innermost[block.index()] = Some(id);
            }
        }
        irreducible.sort_unstable();
        Loops { loops, innermost, irreducible }
    }

    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        self.loops.iter()
    }

    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }

    pub fn len(&self) -> usize {
        self.loops.len()
    }

    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The innermost loop a block is in.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost.get(block.index()).copied().flatten()
    }

    /// How many loops a block is in.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.innermost(block).map_or(0, |id| self.loops[id].depth)
    }

    /// Retreating edges whose target does not dominate their source: ways into a cycle besides its header. Such
    /// a cycle is no natural loop. Empty for what structured languages compile to.
    pub fn irreducible(&self) -> &[(BlockId, BlockId)] {
        &self.irreducible
    }

    pub fn is_reducible(&self) -> bool {
        self.irreducible.is_empty()
    }
}
