//! What a run must do to meet an obligation, as something that a search can follow edge by edge.

use crate::cfg::{Cfg, Statement};
use crate::concrete::{self, Run};
use crate::expr::{Expr, VarIndex};
use coverage::Times;
use coverage::graph::{GraphEdge, GraphNode, NaturalLoop, Path};
use entity::EntityId;

/// One thing that one run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Its path contains this one.
    Path(Path),
    /// Its path contains the edges of this one in order. What lies between them comes back to the node where it left (side trips), and
    /// does not assign the variable that is to be kept.
    Tour { path: Path, keeps: Option<VarIndex> },
    /// It takes this path and nothing else.
    Whole(Path),
    /// It goes through a loop so often when it comes to it; what ends in the loop has left it.
    Loop { shape: NaturalLoop, times: Times },
    /// It comes from a definition of a variable to a use and meets no other definition between.
    DefUse { var: VarIndex, def: GraphNode, used: Use },
    /// It makes a decision in which conditions have given values.
    Row { decision: usize, values: Vec<Option<bool>>, outcome: Option<bool> },
}

/// Where a definition is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// In a statement, before the node defines it again.
    Node(GraphNode),
    /// In choosing this edge.
    Edge(GraphEdge),
}

/// A Boolean expression by which a node is left.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub node: GraphNode,
    pub expr: Expr,
    /// The edge that is taken where it is true.
    pub edge: GraphEdge,
}

impl Decision {
    pub fn conditions(&self) -> Vec<&Expr> {
        self.expr.conditions()
    }
}

/// The goal is met.
pub const DONE: u32 = u32::MAX;
/// Nothing that follows can meet it.
const LOST: u32 = u32::MAX - 1;
/// Rounds of a loop that are told apart.
const MANY: u32 = 2;

/// A goal made ready to be followed.
pub struct Follower<'a> {
    pub goal: &'a Goal,
    cfg: &'a Cfg,
    /// Of a path: how much is still matched when the next edge is a wrong one.
    fallback: Vec<u32>,
}

impl<'a> Follower<'a> {
    pub fn new(cfg: &'a Cfg, goal: &'a Goal) -> Follower<'a> {
        let fallback = match goal {
            Goal::Path(path) => borders(&path.edges),
            _ => Vec::new(),
        };
        Follower { goal, cfg, fallback }
    }

    pub fn start(&self, node: GraphNode) -> u32 {
        match self.goal {
            Goal::Path(path) if path.edges.is_empty() && path.start == node => DONE,
            Goal::Whole(path) if path.start != node => LOST,
            Goal::Loop { shape, times } if shape.header == node => gone(shape.at_first(), *times),
            Goal::DefUse { def, .. } if *def == node => 1,
            _ => 0,
        }
    }

    pub fn step(&self, state: u32, edge: GraphEdge) -> u32 {
        if state == DONE {
            return DONE;
        }
        let to = self.cfg.shape.to(edge);
        match self.goal {
            Goal::Path(path) if path.edges.is_empty() => self.start(to),
            Goal::Path(path) => {
                let mut state = state;
                while state > 0 && path.edges[state as usize] != edge {
                    state = self.fallback[state as usize];
                }
                state += u32::from(path.edges[state as usize] == edge);
                if state as usize == path.edges.len() { DONE } else { state }
            }
            Goal::Tour { path, keeps } => match path.edges.get(state as usize) {
                Some(next) if *next == edge && state as usize + 1 == path.edges.len() => DONE,
                Some(next) if *next == edge => state + 1,
                _ if state > 0 && keeps.is_some_and(|var| defines(self.cfg, to, var)) => 0,
                _ => state,
            },
            Goal::DefUse { var, def, used } => match (state, used) {
                (1, Use::Edge(used)) if *used == edge => DONE,
                (1, Use::Node(used)) if *used == to => DONE,
                _ if *def == to => 1,
                (1, _) if defines(self.cfg, to, *var) => 0,
                _ => state,
            },
            Goal::Whole(path) => match path.edges.get(state as usize) {
                Some(next) if *next == edge => state + 1,
                _ => LOST,
            },
            Goal::Loop { shape, times } => match state.checked_sub(1) {
                None => self.start(to),
                Some(rounds) if !shape.contains(to) => match times.fits(rounds) {
                    true => DONE,
                    false => 0,
                },
                Some(rounds) => gone(rounds + u32::from(shape.begins(self.cfg.shape.from(edge), to)), *times),
            },
            Goal::Row { .. } => state,
        }
    }

    /// Whether a run that ends in a state has met the goal.
    pub fn ends(&self, state: u32) -> bool {
        match self.goal {
            _ if state == DONE => true,
            Goal::Whole(path) => state as usize == path.edges.len(),
            Goal::Loop { times, .. } => state.checked_sub(1).is_some_and(|rounds| times.fits(rounds)),
            _ => false,
        }
    }

    /// Whether a run in a state can still meet the goal, as far as that is known without looking at the graph.
    pub fn is_lost(state: u32) -> bool {
        state == LOST
    }

    /// Whether a run does it.
    pub fn met_by(&self, run: &Run, decisions: &[Decision]) -> bool {
        if let Goal::Row { decision, values, outcome } = self.goal {
            let Some(decision) = decisions.get(*decision) else { return false };
            let conditions = decision.conditions();
            let holds = |e: &Expr, at: &crate::cfg::Values| concrete::value(at, e).map(|v| v != 0);
            return run.steps.iter().filter(|s| s.node == decision.node).any(|step| {
                conditions
                    .iter()
                    .zip(values)
                    .all(|(c, v)| v.is_none_or(|v| holds(c, &step.values) == Some(v)))
                    && outcome.is_none_or(|o| holds(&decision.expr, &step.values) == Some(o))
            });
        }
        let Some(first) = run.steps.first() else { return false };
        let start = self.start(first.node);
        self.ends(run.edges.iter().fold(start, |state, edge| self.step(state, *edge)))
    }
}

/// The state of a loop whose body was begun so often.
fn gone(rounds: u32, times: Times) -> u32 {
    match times {
        Times::Many if rounds >= MANY => DONE,
        _ => 1 + rounds.min(MANY),
    }
}

/// Whether a run does what a goal asks for.
pub fn meets(cfg: &Cfg, goal: &Goal, run: &Run) -> bool {
    Follower::new(cfg, goal).met_by(run, &decisions(cfg))
}

/// Whether a block assigns a variable, or begins the run, with a value that each variable has then. Where edges lead back to the first
/// block, it assigns nothing by that: the value is what it was.
pub fn defines(cfg: &Cfg, node: GraphNode, var: VarIndex) -> bool {
    let begins = || cfg.shape.starts().contains(&node) && cfg.shape.preds(node).is_empty();
    let assigns = |s: &Statement| match s {
        // Writing an element leaves the others: the array is defined, and used too.
        Statement::Set(v, _) | Statement::SetElem(v, _, _) => *v == var,
        Statement::Assume(_) => false,
    };
    cfg.node(node).statements.iter().any(assigns) || begins()
}

/// For each prefix the length of its longest proper border.
fn borders(edges: &[GraphEdge]) -> Vec<u32> {
    let mut borders = vec![0; edges.len() + 1];
    let mut length = 0;
    for i in 1..edges.len() {
        while length > 0 && edges[i] != edges[length] {
            length = borders[length] as usize;
        }
        if edges[i] == edges[length] {
            length += 1;
        }
        borders[i + 1] = length as u32;
    }
    borders
}

/// The decisions of a graph. A condition that is the negation of one before it at the same node is the same decision.
pub fn decisions(cfg: &Cfg) -> Vec<Decision> {
    let mut all: Vec<Decision> = Vec::new();
    let mut symbolic = crate::symbolic::Symbolic::new(cfg);
    let (store, _) = symbolic.anywhere();
    for node in cfg.shape.nodes() {
        let mut seen = Vec::new();
        for (edge, condition) in cfg.conditions(node) {
            let term = symbolic.truth(&store, condition);
            let negated = symbolic.pool.not(term);
            if seen.contains(&term) || seen.contains(&negated) || condition.conditions().is_empty() {
                continue;
            }
            seen.push(term);
            all.push(Decision { node, expr: condition.clone(), edge });
        }
    }
    debug_assert!(all.iter().all(|d| d.node.index() < cfg.nodes.len()));
    all
}
