//! Round trips: prime paths that end where they begin.

use super::{Graph, GraphNode, Limit, Listed, PrimePaths};

/// All round trips: each simple cycle, once for each of its nodes.
pub fn round_trips(graph: &Graph, limit: Limit) -> Listed {
    let mut primes = PrimePaths::new(graph, limit.steps);
    let mut listed = Listed::default();
    for path in primes.by_ref().filter(|p| p.is_cycle(graph)) {
        if listed.paths.len() == limit.paths {
            listed.cut = true;
            break;
        }
        listed.paths.push(path);
    }
    listed.cut |= primes.was_cut();
    listed.paths.sort_unstable_by_key(|p| (std::cmp::Reverse(p.edges.len()), p.clone()));
    listed
}

/// Whether any round trip begins at a node.
pub fn has_round_trip(graph: &Graph, node: GraphNode) -> bool {
    let next: Vec<GraphNode> = graph.succs(node).iter().map(|e| graph.to(*e)).collect();
    graph.reachable_from(&next, |_| true).get(node.0 as usize).copied().unwrap_or(false)
}
