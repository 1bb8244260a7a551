//! A control-flow graph with statements and conditions, as another tool described it.

use crate::expr::{Expr, VarIndex};
use crate::types::Type;
use coverage::graph::{Graph, GraphEdge, GraphNode};
use entity::EntityId;

/// A function as a graph. Every name is resolved, every expression typed: the readers make sure of it.
///
/// Of the edges out of a node the first whose condition holds is taken, and one without a condition if none holds. Several
/// without a condition are a free choice: the graph does not say what decides. Where nothing can be taken the run is
/// stuck, unless the node is an exit. A run ends at an exit when no condition there holds.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub name: String,
    pub source: Option<Source>,
    pub vars: Vec<Var>,
    /// What holds of every input.
    pub assume: Vec<Expr>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Nodes, edges, starts and ends, with the indices of `nodes` and `edges`.
    pub shape: Graph,
}

/// Where the graph comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    pub file: Option<String>,
    /// The lines of the file, if the graph brings them along.
    pub text: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    pub name: String,
    pub ty: Type,
    /// Of arrays, which have the elements `0..len`.
    pub len: Option<u32>,
    pub role: Role,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// Anything at the start: what a test chooses.
    Input,
    /// This at the start, in each element.
    Local(u128),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub name: String,
    pub statements: Vec<Statement>,
    /// Lines of the source, ascending.
    pub lines: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Set(VarIndex, Expr),
    SetElem(VarIndex, Expr, Expr),
    /// The run goes on only if it holds.
    Assume(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub name: String,
    pub condition: Option<Expr>,
    /// Of the condition in the source.
    pub line: Option<u32>,
}

/// What a path costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// One a block.
    #[default]
    Blocks,
    /// One a statement.
    Statements,
    /// One a source line of a block; where a block has none, one a statement.
    Lines,
}

impl Cost {
    pub const ALL: &[Cost] = &[Cost::Blocks, Cost::Statements, Cost::Lines];

    pub fn name(self) -> &'static str {
        match self {
            Cost::Blocks => "blocks",
            Cost::Statements => "statements",
            Cost::Lines => "lines",
        }
    }

    pub fn from_name(name: &str) -> Option<Cost> {
        Cost::ALL.iter().copied().find(|c| c.name() == name)
    }
}

impl Cfg {
    pub fn node(&self, node: GraphNode) -> &Node {
        &self.nodes[node.index()]
    }

    pub fn edge(&self, edge: GraphEdge) -> &Edge {
        &self.edges[edge.index()]
    }

    /// What passing a block costs. Only a block that does nothing is free.
    pub fn cost(&self, node: GraphNode, cost: Cost) -> u64 {
        let node = self.node(node);
        match cost {
            Cost::Blocks => 1,
            Cost::Lines if !node.lines.is_empty() => node.lines.len() as u64,
            Cost::Statements | Cost::Lines => node.statements.len() as u64,
        }
    }

    pub fn text(&self, expr: &Expr) -> String {
        expr.text(&|v| self.vars[v].name.clone())
    }

    /// When an edge is taken, in words of the graph; `None` where there is no choice.
    pub fn condition_text(&self, edge: GraphEdge) -> Option<String> {
        if let Some(condition) = &self.edge(edge).condition {
            return Some(self.text(condition));
        }
        let others: Vec<&Expr> = self.conditions(self.shape.from(edge)).map(|(_, c)| c).collect();
        match &others[..] {
            [] => None,
            [only] => Some(self.text(&only.negated())),
            _ => Some("otherwise".to_string()),
        }
    }

    /// The conditions of the edges out of a node.
    pub fn conditions(&self, node: GraphNode) -> impl Iterator<Item = (GraphEdge, &Expr)> {
        self.shape.succs(node).iter().filter_map(|e| Some((*e, self.edge(*e).condition.as_ref()?)))
    }

    /// Whether nothing in the graph decides which of the edges without a condition is taken, or whether the run ends.
    pub fn is_free(&self, node: GraphNode) -> bool {
        let plain = self.shape.succs(node).iter().filter(|e| self.edge(**e).condition.is_none()).count();
        plain + usize::from(self.shape.is_final(node)) > 1
    }

    pub fn statement_text(&self, statement: &Statement) -> String {
        match statement {
            Statement::Set(v, e) => format!("{} = {}", self.vars[*v].name, self.text(e)),
            Statement::SetElem(v, i, e) => {
                format!("{}[{}] = {}", self.vars[*v].name, self.text(i), self.text(e))
            }
            Statement::Assume(e) => format!("assume {}", self.text(e)),
        }
    }

    /// `bb2 bb4 bb5`.
    pub fn path_text(&self, start: GraphNode, edges: &[GraphEdge]) -> String {
        let nodes = std::iter::once(start).chain(edges.iter().map(|e| self.shape.to(*e)));
        nodes.map(|n| self.node(n).name.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// Values of the inputs, an element a slot.
pub type Values = Vec<Vec<u128>>;
