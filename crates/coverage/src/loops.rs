//! Loops of the projected graph, and how often a walk goes through them.

use crate::flow::{Flow, Visit};
use crate::graph::{GraphNode, Path};
use crate::projection::Projection;
use ir::op::Effect;
use ir::{BlockId, Dominators, Edges, Function, Loops};

/// A loop as criteria see it.
#[derive(Clone, Debug)]
pub struct LoopShape {
    pub header: GraphNode,
    /// By node.
    inside: Vec<bool>,
    /// By node: conditions of the decision that the loop begins with.
    tests: Vec<bool>,
    /// The loop can be left before its body: `while` and `for`, not `do` or `while (true)`.
    pub tested_first: bool,
    pub line: u32,
}

/// The loops of a function whose header holds code of the source, outer ones first. What goes round by way of a handler within the
/// loop counts (`while (true) try { return ask(); } catch (IOException e) { tries++; }`); but a handler that catches what it raises itself,
/// as those do that release locks, is no loop.
pub fn loops(projection: &Projection, flow: &Flow) -> Vec<LoopShape> {
    let cfg = projection.cfg();
    let doms = Dominators::new(cfg, Edges::All);
    let found = Loops::new(cfg, &doms, Edges::All);
    let mut shapes = Vec::new();
    for (_, l) in found.iter() {
        let header = projection.shown_from(l.header).first().and_then(|b| flow.node(*b));
        let Some(header) = header else { continue };
        // Somebody wrote what leads there, on some way.
        if flow.graph.preds(header).is_empty() && l.header != BlockId(0) {
            continue;
        }
        let mut inside = vec![false; flow.graph.len()];
        l.blocks.iter().filter_map(|b| flow.node(*b)).for_each(|n| inside[n.0 as usize] = true);
        let retried = projection.is_retried(l.header);
        if !inside[header.0 as usize] || retried {
            continue;
        }
        let tests = tests(projection, flow, header, &inside);
        // A block that only an exception keeps in the loop (`try { return ask(); }`) tests nothing.
        let asks = |n: GraphNode| tests[n.0 as usize] && flow.graph.succs(n).len() > 1;
        let ways = || flow.graph.edges().filter(|e| asks(flow.graph.from(*e)));
        let leaves = ways().any(|e| !inside[flow.graph.to(e).0 as usize]);
        // A body that tests at its end may leave from its first block, and come back to it at once. Of a loop without a body the test
        // is the same; but the compiler has a test at the end jump back, and one at the beginning jump out.
        // One that begins with a statement has begun, even if it leaves at the end of its first block.
        let is_test = |b: &BlockId| flow.node(*b).is_some_and(|n| tests[n.0 as usize]);
        let returning = || cfg.preds(l.header, Edges::Normal).filter(|b| l.blocks.contains(b) && is_test(b));
        let jumps_out = |b: BlockId| projection.func.successors(b).last() == Some(&l.header);
        let repeats = returning().next().is_some() && !returning().any(jumps_out);
        let tested_first = leaves && !repeats && !has_statement(projection.func, flow.block(header));
        let line = projection.nodes[header.0 as usize].line;
        shapes.push(LoopShape { header, inside, tests, tested_first, line });
    }
    shapes
}

/// The nodes of the decision that the header begins.
fn tests(projection: &Projection, flow: &Flow, header: GraphNode, inside: &[bool]) -> Vec<bool> {
    let decision = |node: GraphNode| {
        let last = projection.func.blocks[flow.block(node)].end - 1;
        projection.branches.iter().find(|b| b.index == last).map(|b| b.info.decision)
    };
    let first = decision(header);
    let is_test = |n: GraphNode| n == header || first.is_some() && decision(n) == first;
    flow.graph.nodes().map(|n| inside[n.0 as usize] && is_test(n)).collect()
}

/// Whether something is done in a block on another line than the one where it branches: assigned, written or called for
/// its effect.
fn has_statement(func: &Function, block: BlockId) -> bool {
    let range = func.blocks[block];
    let line = |index: u32| func.positions.get(index as usize).map_or(0, |p| p.line);
    let last = line(range.end - 1);
    (range.start..range.end).filter(|index| line(*index) != last).any(|index| {
        let inst = func.code[index as usize];
        match inst.op.effect() {
            Effect::Write => true,
            Effect::Call => inst.dst.is_none(),
            _ => func.regs.get(inst.dst).is_some_and(|info| info.variable.is_some()),
        }
    })
}

/// So many ways past a loop are looked at.
const MOST_WAYS: usize = 64;

/// A way past a loop: a path, or one in whose last block a check fails.
pub struct WayPast {
    pub path: Path,
    pub raises: Option<u32>,
}

impl LoopShape {
    /// All ways on which the loop is come to and passed by, those first on which nothing fails. None if they are many, or if a test calls
    /// something or leads through hidden code, which may raise as well.
    pub fn ways_past(&self, projection: &Projection, flow: &Flow) -> Option<Vec<WayPast>> {
        let (graph, func) = (&flow.graph, projection.func);
        let outside = graph.preds(self.header).iter().filter(|e| !self.contains(graph.from(**e)));
        let mut open: Vec<Path> =
            outside.map(|edge| Path { start: graph.from(*edge), edges: vec![*edge] }).collect();
        if graph.starts().contains(&self.header) {
            open.push(Path { start: self.header, edges: Vec::new() });
        }
        let (mut past, mut raising) = (Vec::new(), Vec::new());
        while let Some(path) = open.pop() {
            let node = path.end(graph);
            let block = flow.block(node);
            let is_hidden = |block: &BlockId| flow.node(*block).is_none();
            if !self.tested_first || func.successors(block).iter().any(is_hidden) {
                return None;
            }
            let range = func.blocks[block];
            for index in range.start..range.end {
                match func.code[index as usize].op.effect() {
                    Effect::Call => return None,
                    Effect::Guard => raising.push(WayPast { path: path.clone(), raises: Some(index) }),
                    _ => {}
                }
            }
            if graph.succs(node).is_empty() {
                return None;
            }
            for edge in graph.succs(node) {
                let to = graph.to(*edge);
                let mut longer = path.clone();
                longer.edges.push(*edge);
                match self.contains(to) {
                    false => past.push(WayPast { path: longer, raises: None }),
                    true if self.tests[to.0 as usize] && to != self.header => open.push(longer),
                    true => {}
                }
            }
            if past.len() + raising.len() + open.len() > MOST_WAYS {
                return None;
            }
        }
        past.append(&mut raising);
        Some(past)
    }

    pub fn contains(&self, node: GraphNode) -> bool {
        self.inside[node.0 as usize]
    }

    /// How often the body was begun, each time the loop was come to. An exception that is caught within the loop does not leave it.
    pub fn rounds(&self, visits: impl IntoIterator<Item = Visit>) -> Vec<u32> {
        let mut all = Vec::new();
        let mut count: Option<u32> = None;
        let mut last: Option<GraphNode> = None;
        for Visit { node: to, raised } in visits {
            let from = last.replace(to);
            match &mut count {
                None if to == self.header => count = Some(u32::from(!self.tested_first)),
                None => {}
                Some(_) if !self.contains(to) => all.extend(count.take()),
                Some(rounds) => {
                    let test = |n: GraphNode| self.tests[n.0 as usize];
                    let begins = match self.tested_first {
                        // A test that raises has not let anybody in. The body of an empty loop is no node.
                        true => !raised && from.is_some_and(test) && (!test(to) || to == self.header),
                        false => to == self.header,
                    };
                    *rounds += u32::from(begins);
                }
            }
        }
        all.extend(count);
        all
    }
}
