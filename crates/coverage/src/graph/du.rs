//! Du-paths: simple paths from a definition of a variable to a use of it that meet no other definition on the way.

use super::{Graph, GraphEdge, GraphNode, Limit, Listed, Path};
use entity::EntityId;

/// Where a definition and a use are.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub from: GraphNode,
    pub to: GraphNode,
    /// The use is this edge out of `to`, and the path goes on along it.
    pub last: Option<GraphEdge>,
    /// The node of the definition uses it itself, by `last`, before it is left.
    pub at_once: bool,
    /// What enters `to` is what is used there; otherwise it defines the variable again before.
    pub arrives: bool,
}

/// All simple paths (closed ones too) from a definition to a use whose inner nodes do not redefine. Never a path
/// without edges.
pub fn du_paths(graph: &Graph, span: Span, redefines: &dyn Fn(GraphNode) -> bool, limit: Limit) -> Listed {
    let Span { from, to, last, at_once, arrives } = span;
    let mut listed = Listed::default();
    let finish =
        |edges: &[GraphEdge]| Path { start: from, edges: edges.iter().copied().chain(last).collect() };
    if from == to && last.is_some() && at_once {
        listed.paths.push(finish(&[]));
    }
    if !arrives {
        return listed;
    }
    let mut on_path = vec![false; graph.len()];
    on_path[from.index()] = true;
    let mut edges: Vec<GraphEdge> = Vec::new();
    let mut stack = vec![(from, 0)];
    let mut steps = 0;
    while let Some((node, next)) = stack.last_mut() {
        let Some(edge) = graph.succs(*node).get(*next).copied() else {
            on_path[node.index()] = false;
            stack.pop();
            edges.pop();
            continue;
        };
        *next += 1;
        let here = graph.to(edge);
        if here == to && (here == from || !on_path[here.index()]) {
            edges.push(edge);
            if listed.paths.len() >= limit.paths {
                listed.cut = true;
                return listed;
            }
            listed.paths.push(finish(&edges));
            edges.pop();
        }
        if here == to || on_path[here.index()] || redefines(here) {
            continue;
        }
        steps += 1;
        if steps > limit.steps {
            listed.cut = true;
            return listed;
        }
        on_path[here.index()] = true;
        let free = |n: GraphNode| n == to || !on_path[n.index()] && !redefines(n);
        let promising = graph.reachable_from(&[here], free)[to.index()];
        match promising {
            true => {
                edges.push(edge);
                stack.push((here, 0));
            }
            false => on_path[here.index()] = false,
        }
    }
    listed
}
