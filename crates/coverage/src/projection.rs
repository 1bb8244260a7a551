//! The control-flow graph as the source has it: guards do not split blocks, branches that the compiler or the
//! lowering added are hidden, blocks without code of the source are contracted, unreachable code is left out,
//! and a branch that the compiler duplicated with its `finally` counts once.

use crate::describe::branch_text;
use crate::duplicate::duplicates;
use crate::obligation::Target;
use ir::{BlockId, BranchInfo, Cfg, Dominators, Edges, Function, Names, Op, Origin, Ways};
use std::collections::BTreeSet;

/// The projected graph of a function, which must be valid ([`ir::verify()`]).
pub struct Projection<'f> {
    pub func: &'f Function,
    pub names: &'f dyn Names,
    /// Reachable blocks that hold code of the source, ascending.
    pub nodes: Vec<Node>,
    /// Reachable branches of the source, by code index; of duplicated ones the first, the others as its copies.
    pub branches: Vec<Branch>,
    reachable: Vec<bool>,
    shown: Vec<bool>,
    cfg: Cfg,
    /// Nothing is known of lines: then every instruction counts as code of the source.
    lineless: bool,
}

/// A block that holds code of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub block: BlockId,
    /// The first line in it, 0 if unknown.
    pub line: u32,
    /// Where it goes normally, through blocks that are hidden; in the order of first discovery.
    pub succs: Vec<BlockId>,
}

/// A branch of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Of the `br` or `switch` in the code.
    pub index: u32,
    pub info: BranchInfo,
    pub line: u32,
    pub choices: Vec<Choice>,
    /// The same branch of the source again, where the compiler duplicated code.
    pub copies: Vec<Branch>,
}

/// One way a branch can go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub target: BlockId,
    /// Positions of the successors that go there; several for cases of a switch.
    pub positions: Vec<u32>,
    /// When it goes there, in words of the source.
    pub text: String,
}

impl Branch {
    /// What takes the choice at an index: this branch or a copy. Copies are structurally the same, so that the same
    /// choice is at the same place.
    pub fn targets(&self, choice: usize) -> Vec<Target> {
        let all = std::iter::once(self).chain(&self.copies);
        all.filter_map(|branch| Some((branch.index, branch.choices.get(choice)?)))
            .flat_map(|(index, choice)| {
                choice.positions.iter().map(move |position| Target::Take { index, position: *position })
            })
            .collect()
    }
}

impl<'f> Projection<'f> {
    pub fn new(func: &'f Function, names: &'f dyn Names) -> Projection<'f> {
        let cfg = Cfg::new(func);
        let doms = Dominators::new(&cfg, Edges::All);
        let reachable: Vec<bool> =
            cfg.blocks().map(|b| doms.is_reachable(b) && !func.blocks[b].never).collect();
        let mut graph = Projection {
            func,
            names,
            nodes: Vec::new(),
            branches: Vec::new(),
            reachable,
            shown: Vec::new(),
            cfg: Cfg::new(func),
            lineless: func.positions.iter().all(|p| p.line == 0),
        };
        for (index, info) in &func.branches {
            if info.origin == Origin::Source && doms.is_reachable(func.block_at(*index)) {
                let branch = branch(func, names, *index, *info);
                // Of two ways, one of which cannot be: nothing is decided.
                if branch.choices.len() > 1 {
                    graph.branches.push(branch);
                }
            }
        }
        let ways = Ways::new(func);
        graph.shown = func
            .blocks
            .iter()
            .map(|(id, block)| {
                let visible = || (block.start..block.end).any(|i| graph.is_visible(i));
                graph.reachable[id.0 as usize] && !ways.is_passage(id) && visible()
            })
            .collect();
        graph.hide_glue();
        for block in cfg.blocks().filter(|b| graph.shown[b.0 as usize]) {
            let range = func.blocks[block];
            let lines = (range.start..range.end).filter(|i| graph.is_visible(*i));
            let line = lines.map(|i| func.positions[i as usize].line).next().unwrap_or(0);
            let succs = graph.shown_successors(block);
            graph.nodes.push(Node { block, line, succs });
        }
        graph.branches = duplicates(func, &cfg, std::mem::take(&mut graph.branches));
        graph
    }

    /// Hides what compilers put between a branch of their own and where all its ways come together again: a `switch` on
    /// strings compares first and finds a number, on which it switches.
    fn hide_glue(&mut self) {
        let func = self.func;
        let added = func.branches.iter().filter(|(_, info)| info.origin == Origin::Synthetic);
        for head in added.map(|(index, _)| func.block_at(*index)) {
            let mut glue: BTreeSet<BlockId> = BTreeSet::new();
            let mut meet: BTreeSet<BlockId> = BTreeSet::new();
            let mut open = self.cfg.node(head).succs.clone();
            while let Some(block) = open.pop() {
                match self.is_glue(block) {
                    true if glue.insert(block) => open.extend(&self.cfg.node(block).succs),
                    true => {}
                    false => {
                        meet.insert(block);
                    }
                }
            }
            let entered = |block: &BlockId| {
                self.cfg.preds(*block, Edges::All).all(|from| from == head || glue.contains(&from))
            };
            if meet.len() == 1 && !glue.contains(&head) && glue.iter().all(entered) {
                glue.iter().for_each(|block| self.shown[block.0 as usize] = false);
            }
        }
    }

    /// Whether a block ends in a branch that nobody wrote, or holds constants only.
    fn is_glue(&self, block: BlockId) -> bool {
        let range = self.func.blocks[block];
        let last = range.end - 1;
        match self.func.branch_info(last) {
            Some(info) => info.origin == Origin::Synthetic,
            None => {
                let code = &self.func.code[range.start as usize..last as usize];
                self.func.code[last as usize].op == Op::Jump
                    && code.iter().all(|inst| inst.op == Op::ConstI32)
            }
        }
    }

    /// Blocks that can be reached from the entry, ascending.
    pub fn reachable(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.func.blocks.keys().filter(|b| self.reachable[b.0 as usize])
    }

    /// Where a block goes normally on the graph of shown blocks, in the order of first discovery.
    pub(crate) fn shown_successors(&self, block: BlockId) -> Vec<BlockId> {
        self.follow(self.cfg.node(block).succs.clone()).0
    }

    /// The block, or where it goes if it is hidden.
    pub(crate) fn shown_from(&self, block: BlockId) -> Vec<BlockId> {
        self.follow(vec![block]).0
    }

    /// Whether the function can end, normally or by a `throw`, at the end of a block or of hidden ones behind it.
    pub(crate) fn ends(&self, block: BlockId) -> bool {
        let succs = &self.cfg.node(block).succs;
        succs.is_empty() || self.follow(succs.clone()).1
    }

    /// Shown blocks where walks begin: the entry, and where exceptions land.
    pub(crate) fn starts(&self) -> Vec<BlockId> {
        let landings = self.reachable().filter(|b| !self.cfg.node(*b).raisers.is_empty());
        let mut starts: Vec<BlockId> = self.shown_from(BlockId(0));
        for landing in landings {
            starts.extend(self.shown_from(landing));
        }
        starts
    }

    /// The first shown blocks on all ways from some blocks, and whether a way ends before one.
    fn follow(&self, from: Vec<BlockId>) -> (Vec<BlockId>, bool) {
        let (mut found, mut ends) = (Vec::new(), false);
        let mut seen = BTreeSet::new();
        let mut open: Vec<BlockId> = from.into_iter().rev().collect();
        while let Some(next) = open.pop() {
            if !seen.insert(next) || self.func.blocks[next].never {
                continue;
            }
            match self.shown[next.0 as usize] {
                true => found.push(next),
                false => {
                    let succs = &self.cfg.node(next).succs;
                    ends |= succs.is_empty();
                    open.extend(succs.iter().rev());
                }
            }
        }
        (found, ends)
    }

    /// Whether a block does nothing but go back to a switch whose next case is tried.
    pub(crate) fn tries_next_case(&self, block: BlockId) -> bool {
        let to = &self.cfg.node(block).succs;
        self.is_retried(block) || self.is_glue(block) && to.iter().all(|to| self.is_retried(*to))
    }

    /// Whether a block ends in a switch that is come to again where a guard fails: no loop begins there.
    pub(crate) fn is_retried(&self, block: BlockId) -> bool {
        let last = self.func.blocks[block].end - 1;
        self.func.code[last as usize].op == Op::Switch && self.names.is_retried(self.func, last)
    }

    pub(crate) fn is_shown(&self, block: BlockId) -> bool {
        self.shown[block.0 as usize]
    }

    /// The graph with its hidden blocks.
    pub(crate) fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    /// Whether an instruction is code of the source: it has a line, and is not a branch that nobody wrote, a
    /// plain jump or the reception of an exception.
    pub fn is_visible(&self, index: u32) -> bool {
        let known = self.has_line(index) || self.lineless && !self.is_hidden(index);
        known && self.func.code[index as usize].op != Op::Jump
    }

    /// Whether an instruction makes its line a line with code. Jumps do: `break` is nothing else.
    pub fn has_line(&self, index: u32) -> bool {
        !self.is_hidden(index) && self.func.positions[index as usize].line != 0
    }

    fn is_hidden(&self, index: u32) -> bool {
        self.func.code[index as usize].op == Op::Catch
            || self.func.branch_info(index).is_some_and(|info| info.origin == Origin::Synthetic)
    }
}

fn branch(func: &Function, names: &dyn Names, index: u32, info: BranchInfo) -> Branch {
    let line = func.positions[index as usize].line;
    let mut choices: Vec<Choice> = Vec::new();
    for (position, target) in func.successors(func.block_at(index)).into_iter().enumerate() {
        let position = position as u32;
        if func.blocks[target].never {
            continue;
        }
        match choices.iter_mut().find(|c| c.target == target) {
            // Both ways of a `br` to the same block are still two: the condition was true, or it was not.
            Some(choice) if func.code[index as usize].op == Op::Switch => choice.positions.push(position),
            _ => choices.push(Choice { target, positions: vec![position], text: String::new() }),
        }
    }
    for choice in &mut choices {
        choice.text = branch_text(func, names, index, &choice.positions);
    }
    Branch { index, info, line, choices, copies: Vec::new() }
}
