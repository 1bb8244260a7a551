//! Paths of a length: nodes (0), edges (1), pairs of edges (2).

use super::{Graph, Limit, Listed, Path};
use entity::EntityId;

/// All reachable paths of so many edges, and shorter ones that no path of that length contains: "each path of length at
/// most 2" without what is contained in another.
pub fn paths_of_length(graph: &Graph, length: usize, limit: Limit) -> Listed {
    let reachable = graph.reachable();
    let mut listed = Listed::default();
    let mut layer: Vec<Path> = graph.nodes().filter(|n| reachable[n.index()]).map(Path::node).collect();
    for _ in 0..length {
        let mut next = Vec::new();
        for path in &layer {
            let more = graph.succs(path.end(graph));
            if more.is_empty() && !can_grow_backwards(graph, path, &reachable) {
                listed.paths.push(path.clone());
            }
            for edge in more {
                let mut longer = path.clone();
                longer.edges.push(*edge);
                next.push(longer);
            }
            if next.len() > limit.paths {
                listed.cut = true;
                break;
            }
        }
        layer = next;
    }
    listed.paths.extend(layer);
    listed.cut |= listed.paths.len() > limit.paths;
    listed.paths.truncate(limit.paths);
    listed
}

fn can_grow_backwards(graph: &Graph, path: &Path, reachable: &[bool]) -> bool {
    graph.preds(path.start).iter().any(|e| reachable[graph.from(*e).index()])
}
