//! Control-flow graphs as SVG: a small layered layout, the same picture for the same graph, no tool needed.

mod layout;
mod svg;

pub(crate) use svg::escape;
pub use svg::svg;

/// What became of a part of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing is asked of it.
    #[default]
    Plain,
    Covered,
    Infeasible,
    Open,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Plain => "plain",
            State::Covered => "covered",
            State::Infeasible => "infeasible",
            State::Open => "open",
        }
    }
}

/// A graph to be drawn. The first node is drawn at the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    pub title: String,
    pub nodes: Vec<DrawnNode>,
    pub edges: Vec<DrawnEdge>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnNode {
    pub name: String,
    /// Statements, one a line.
    pub text: Vec<String>,
    /// Shown when one points at it.
    pub hint: String,
    pub state: State,
    /// Drawn with a double border.
    pub exit: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnEdge {
    /// Indices of nodes.
    pub from: usize,
    pub to: usize,
    pub text: String,
    pub state: State,
    /// Drawn thin: an exceptional way.
    pub thin: bool,
}
