//! Prime paths: simple paths (no node twice, but the first may be the last too) that are part of no longer simple path.
//!
//! Listed lazily by a depth-first walk from each node. A path that cannot be made longer at its end is prime if it
//! cannot be made longer at its beginning either; a simple cycle always is. The walk turns back as soon as neither can
//! come of what it has.

use super::{Graph, GraphEdge, GraphNode, Limit, Listed, Path};
use entity::EntityId;

/// Walks the prime paths of the reachable part of a graph, in the order of their first node.
pub struct PrimePaths<'g> {
    graph: &'g Graph,
    starts: std::vec::IntoIter<GraphNode>,
    /// The nodes of the path so far, with the next edge to try.
    stack: Vec<(GraphNode, usize)>,
    edges: Vec<GraphEdge>,
    on_path: Vec<bool>,
    reachable: Vec<bool>,
    steps: u64,
    most_steps: u64,
    cut: bool,
}

/// The prime paths of a graph, as they are found.
pub fn prime_paths(graph: &Graph, limit: Limit) -> Listed {
    let mut primes = PrimePaths::new(graph, limit.steps);
    let mut paths: Vec<Path> = primes.by_ref().take(limit.paths).collect();
    let more = primes.next().is_some();
    paths.sort_unstable_by_key(|p| (std::cmp::Reverse(p.edges.len()), p.clone()));
    Listed { paths, cut: more || primes.was_cut() }
}

impl<'g> PrimePaths<'g> {
    pub fn new(graph: &'g Graph, most_steps: u64) -> PrimePaths<'g> {
        let reachable = graph.reachable();
        let starts: Vec<GraphNode> = graph.nodes().filter(|n| reachable[n.index()]).collect();
        PrimePaths {
            graph,
            starts: starts.into_iter(),
            stack: Vec::new(),
            edges: Vec::new(),
            on_path: vec![false; graph.len()],
            reachable,
            steps: 0,
            most_steps,
            cut: false,
        }
    }

    /// Whether the search was given up.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    fn start(&self) -> Option<GraphNode> {
        self.stack.first().map(|(node, _)| *node)
    }

    fn path(&self) -> Option<Path> {
        Some(Path { start: self.start()?, edges: self.edges.clone() })
    }

    /// Whether the path cannot be made longer at either end. Where the end leads to the beginning, the cycle is longer.
    fn is_maximal(&self) -> bool {
        let (Some(start), Some((end, _))) = (self.start(), self.stack.last()) else { return false };
        let stuck = |node: GraphNode| self.on_path[node.index()] && node != start;
        self.graph.succs(*end).iter().all(|e| stuck(self.graph.to(*e)))
            && self.before(start).all(|node| self.on_path[node.index()])
    }

    /// Whether a prime path can come of what there is, as far as reaching tells: the start is reached again, or all that
    /// leads to it is on the path.
    fn is_promising(&self) -> bool {
        let (Some(start), Some((end, _))) = (self.start(), self.stack.last()) else { return false };
        let free = |node: GraphNode| !self.on_path[node.index()];
        let reached = self.graph.reachable_from(&[*end], free);
        let closes = self.before(start).any(|node| reached[node.index()]);
        closes || self.before(start).all(|node| self.on_path[node.index()])
    }

    /// Reachable nodes that lead to a node.
    fn before(&self, node: GraphNode) -> impl Iterator<Item = GraphNode> + '_ {
        let preds = self.graph.preds(node).iter().map(|e| self.graph.from(*e));
        preds.filter(|n| self.reachable[n.index()])
    }

    fn push(&mut self, node: GraphNode) {
        self.on_path[node.index()] = true;
        self.stack.push((node, 0));
        self.steps += 1;
    }

    fn pop(&mut self) {
        if let Some((node, _)) = self.stack.pop() {
            self.on_path[node.index()] = false;
            self.edges.pop();
        }
    }
}

impl Iterator for PrimePaths<'_> {
    type Item = Path;

    fn next(&mut self) -> Option<Path> {
        loop {
            if self.steps > self.most_steps {
                self.cut = true;
                return None;
            }
            let Some((node, next)) = self.stack.last_mut() else {
                let start = self.starts.next()?;
                self.push(start);
                if self.is_maximal() {
                    let found = self.path();
                    self.pop();
                    return found;
                }
                continue;
            };
            let Some(edge) = self.graph.succs(*node).get(*next).copied() else {
                self.pop();
                continue;
            };
            *next += 1;
            let to = self.graph.to(edge);
            if Some(to) == self.start() {
                let mut found = self.path()?;
                found.edges.push(edge);
                return Some(found);
            }
            if self.on_path[to.index()] {
                continue;
            }
            self.push(to);
            self.edges.push(edge);
            if self.is_maximal() {
                let found = self.path();
                self.pop();
                return found;
            }
            if !self.is_promising() {
                self.pop();
            }
        }
    }
}
