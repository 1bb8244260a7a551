//! Complete paths, from a start to an end, with a bound on how often they go back.

use super::{Graph, GraphEdge, GraphNode, Limit, Listed, Path};
use entity::EntityId;

/// All paths from a start to a node that ends, on which no retreating edge is taken more than `rounds` times; short
/// ones first among those listed.
pub fn complete_paths(graph: &Graph, rounds: u32, limit: Limit) -> Listed {
    let back = graph.retreating();
    let ends: Vec<GraphNode> = graph.nodes().filter(|n| graph.is_final(*n)).collect();
    let to_end = graph.distances_to(&ends);
    let mut listed = Listed::default();
    let mut steps = 0;
    for start in graph.starts().iter().filter(|n| to_end[n.index()].is_some()) {
        let mut taken = vec![0_u32; back.len()];
        let mut edges: Vec<GraphEdge> = Vec::new();
        let mut stack = vec![(*start, 0)];
        if graph.is_final(*start) {
            listed.paths.push(Path::node(*start));
        }
        while let Some((node, next)) = stack.last_mut() {
            let Some(edge) = graph.succs(*node).get(*next).copied() else {
                stack.pop();
                if let Some(edge) = edges.pop() {
                    taken[edge.index()] -= 1;
                }
                continue;
            };
            *next += 1;
            let to = graph.to(edge);
            let spent = back[edge.index()] && taken[edge.index()] >= rounds;
            if spent || to_end[to.index()].is_none() {
                continue;
            }
            steps += 1;
            if listed.paths.len() >= limit.paths || steps > limit.steps {
                listed.cut = true;
                break;
            }
            taken[edge.index()] += 1;
            edges.push(edge);
            stack.push((to, 0));
            if graph.is_final(to) {
                listed.paths.push(Path { start: *start, edges: edges.clone() });
            }
        }
    }
    listed.paths.sort_unstable_by_key(|p| (p.edges.len(), p.clone()));
    listed
}
