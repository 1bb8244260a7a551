//! Whether a walk tours a path.

use super::{GraphEdge, GraphNode, Path};

/// How a walk tours a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tour {
    No,
    /// It takes the path's edges in order, but leaves the path at a node and comes back to it.
    WithSideTrips,
    /// The path is a part of it.
    Direct,
}

/// How a walk tours a path; the walk is given by its first node and its edges.
pub fn tour(start: GraphNode, walk: &[GraphEdge], to: impl Fn(GraphEdge) -> GraphNode, path: &Path) -> Tour {
    if path.edges.is_empty() {
        let there = start == path.start || walk.iter().any(|e| to(*e) == path.start);
        return if there { Tour::Direct } else { Tour::No };
    }
    if walk.windows(path.edges.len()).any(|part| part == path.edges) {
        return Tour::Direct;
    }
    // The next edge leaves the node to which the one before led, so that whatever lies between comes back to it.
    let mut wanted = path.edges.iter().peekable();
    for edge in walk {
        if wanted.peek() == Some(&edge) {
            wanted.next();
        }
    }
    if wanted.peek().is_none() { Tour::WithSideTrips } else { Tour::No }
}
