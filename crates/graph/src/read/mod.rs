//! Reads graphs from JSON: ours, which says its version, and the simple one of path-based generators.

mod ours;
mod simple;

use crate::cfg::{Cfg, Edge, Node, Role, Source, Var};
use crate::error::{At, Malformed};
use crate::expr::Expr;
use crate::json::Json;
use coverage::graph::{Graph, GraphNode};
use entity::EntityId;
use rustc_hash::FxHashMap;

/// What a graph of ours says in its field `schema`.
pub const SCHEMA: &str = "testwright-cfg/1";

/// Limits of what is read: enough for any function, too little to choke on.
const MAX_NODES: usize = 100_000;
const MAX_EDGES: usize = 200_000;
const MAX_VARS: usize = 10_000;
/// Elements of all arrays together; an array is one variable an element.
const MAX_ELEMENTS: u64 = 4_096;

/// Reads a graph. `int_width` is how wide an `Int` of the simple form is.
pub fn read(text: &str, int_width: u32) -> Result<Cfg, Malformed> {
    let json = Json::parse(text)?;
    let fields = json.object()?;
    match fields.get("schema") {
        Some(schema) if schema.string()? == SCHEMA => ours::read(&json),
        Some(schema) => {
            Err(schema.error(format!("this version reads {SCHEMA:?}, not {:?}", schema.string()?)))
        }
        None if fields.get("nodes_list").is_some() || fields.get("initial_node").is_some() => {
            simple::read(&json, int_width)
        }
        None => Err(json.error(format!(
            "neither \"schema\": {SCHEMA:?} nor the \"initial_node\" of the simple form is here"
        ))),
    }
}

/// Collects the parts and checks what holds of the whole.
#[derive(Default)]
struct Draft {
    nodes: Vec<Node>,
    ids: FxHashMap<String, GraphNode>,
    /// How many edges without a name lead from one node to another.
    parallel: FxHashMap<(GraphNode, GraphNode), u32>,
    edges: Vec<(GraphNode, GraphNode, Edge)>,
}

impl Draft {
    fn add_node(&mut self, at: At, node: Node) -> Result<(), Malformed> {
        if self.nodes.len() >= MAX_NODES {
            return Err(Malformed::new(at, format!("more than {MAX_NODES} nodes")));
        }
        let id = GraphNode(self.nodes.len() as u32);
        if self.ids.insert(node.name.clone(), id).is_some() {
            return Err(Malformed::new(at, format!("there are two nodes {:?}", node.name)));
        }
        self.nodes.push(node);
        Ok(())
    }

    fn find(&self, json: &Json) -> Result<GraphNode, Malformed> {
        let name = json.string()?;
        self.ids.get(name).copied().ok_or_else(|| json.error(format!("there is no node {name:?}")))
    }

    /// `bb2-bb3`; parallel edges are told apart as `bb2-bb3#2`.
    fn edge_name(&mut self, from: GraphNode, to: GraphNode) -> String {
        let count = self.parallel.entry((from, to)).or_default();
        *count += 1;
        let plain = format!("{}-{}", self.nodes[from.index()].name, self.nodes[to.index()].name);
        if *count == 1 { plain } else { format!("{plain}#{count}") }
    }

    fn add_edge(&mut self, at: At, from: GraphNode, to: GraphNode, edge: Edge) -> Result<(), Malformed> {
        if self.edges.len() >= MAX_EDGES {
            return Err(Malformed::new(at, format!("more than {MAX_EDGES} edges")));
        }
        self.edges.push((from, to, edge));
        Ok(())
    }

    fn finish(
        self,
        name: String,
        source: Option<Source>,
        vars: Vec<Var>,
        assume: Vec<Expr>,
        starts: &[GraphNode],
        ends: &[GraphNode],
    ) -> Cfg {
        let mut shape = Graph::new(self.nodes.len());
        let mut edges = Vec::with_capacity(self.edges.len());
        for (from, to, edge) in self.edges {
            shape.add_edge(from, to);
            edges.push(edge);
        }
        starts.iter().for_each(|n| shape.add_start(*n));
        ends.iter().for_each(|n| shape.add_final(*n));
        Cfg { name, source, vars, assume, nodes: self.nodes, edges, shape }
    }
}

/// Adds a variable, unless its name is taken or there are too many.
fn add_var(vars: &mut Vec<Var>, at: At, var: Var) -> Result<(), Malformed> {
    let size = |v: &Var| u64::from(v.len.unwrap_or(1));
    let error = |message: String| Err(Malformed::new(at, message));
    if vars.len() >= MAX_VARS {
        return error(format!("more than {MAX_VARS} variables"));
    }
    if var.len.is_some()
        && vars.iter().filter(|v| v.len.is_some()).map(size).sum::<u64>() + size(&var) > MAX_ELEMENTS
    {
        return error(format!("the arrays have more than {MAX_ELEMENTS} elements together"));
    }
    if vars.iter().any(|v| v.name == var.name) {
        return error(format!("there are two variables {:?}", var.name));
    }
    let mut chars = var.name.chars();
    let first = |c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '@');
    let plain = chars.next().is_some_and(first)
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '.'));
    let reserved = ["true", "false", "True", "False", "and", "or", "not"].contains(&var.name.as_str());
    if !plain || reserved {
        return error(format!("{:?} is no name of a variable", var.name));
    }
    vars.push(var);
    Ok(())
}

fn input(name: &str, ty: crate::types::Type) -> Var {
    Var { name: name.to_string(), ty, len: None, role: Role::Input }
}
