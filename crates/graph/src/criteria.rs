//! The criteria, by name, as obligations of a graph.

use crate::cfg::{Cfg, Statement};
use crate::expr::VarIndex;
use crate::goal::{Decision, Goal, Use, defines};
use crate::mcdc::{MAX_CONDITIONS, Variant};
use coverage::Times;
use coverage::graph::{
    GraphEdge, GraphNode, Limit, Listed, Path, Span, complete_paths, du_paths, natural_loops,
    paths_of_length, prime_paths, round_trips,
};
use entity::EntityId;
use std::collections::BTreeMap;

/// One thing that a suite must do.
#[derive(Clone, Debug, PartialEq)]
pub struct Obligation {
    pub kind: &'static str,
    pub text: String,
    pub need: Need,
    /// Of a du-path the variable: a tour of it with side trips does not assign that.
    pub keeps: Option<VarIndex>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    /// One run does one of these.
    Any(Vec<Goal>),
    /// Two runs show that a condition of a decision matters.
    Pair { decision: usize, condition: usize, variant: Variant },
}

/// Obligations, and whether there are more than were listed.
#[derive(Clone, Debug, Default)]
pub struct Obligations {
    pub all: Vec<Obligation>,
    pub cut: bool,
}

/// Names of the criteria that a graph has.
pub const NAMES: &[&str] = &[
    "node",
    "edge",
    "branch",
    "line",
    "edge-pair",
    "prime-path",
    "round-trip",
    "complete-round-trip",
    "loop",
    "complete-path",
    "decision",
    "condition",
    "condition-decision",
    "multiple-condition",
    "mcdc",
    "mcdc-unique",
    "gacc",
    "cacc",
    "racc",
    "all-defs",
    "all-c-uses",
    "all-p-uses",
    "all-c-uses-some-p-uses",
    "all-p-uses-some-c-uses",
    "all-uses",
    "all-du-paths",
];

/// The obligations of a criterion; `None` if graphs have no such criterion. Complete paths go back along an edge
/// `rounds` times at most.
pub fn obligations(
    cfg: &Cfg,
    decisions: &[Decision],
    criterion: &str,
    limit: Limit,
    rounds: u32,
) -> Option<Obligations> {
    let builder = Builder { cfg, decisions, limit };
    let shape = &cfg.shape;
    Some(match criterion {
        "node" => builder.paths("node", paths_of_length(shape, 0, limit)),
        "edge" => builder.paths("edge", paths_of_length(shape, 1, limit)),
        "edge-pair" => builder.paths("edge pair", paths_of_length(shape, 2, limit)),
        "branch" => {
            let mut listed = paths_of_length(shape, 1, limit);
            listed.paths.retain(|p| p.edges.is_empty() || shape.succs(p.start).len() > 1);
            if listed.paths.is_empty() {
                listed.paths = shape.starts().iter().map(|n| Path::node(*n)).collect();
            }
            builder.paths("branch", listed)
        }
        "line" => builder.lines(),
        "prime-path" => builder.paths("prime path", prime_paths(shape, limit)),
        "complete-round-trip" => builder.paths("round trip", round_trips(shape, limit)),
        "round-trip" => {
            let mut listed = round_trips(shape, limit);
            let mut seen: Vec<GraphNode> = Vec::new();
            listed.paths.retain(|p| {
                !seen.contains(&p.start) && {
                    seen.push(p.start);
                    true
                }
            });
            builder.paths("round trip", listed)
        }
        "complete-path" => builder.whole(complete_paths(shape, rounds, limit)),
        "loop" => builder.loops(),
        "decision" => builder.decided(true, false),
        "condition" => builder.decided(false, true),
        "condition-decision" => builder.decided(true, true),
        "multiple-condition" => builder.rows(),
        "mcdc" | "cacc" => builder.pairs(Variant::Masking),
        "mcdc-unique" | "racc" => builder.pairs(Variant::UniqueCause),
        "gacc" => builder.pairs(Variant::General),
        "all-defs" => builder.uses(Uses { each: None, some: Some(Sort::Any) }),
        "all-c-uses" => builder.uses(Uses { each: Some(Sort::Computing), some: None }),
        "all-p-uses" => builder.uses(Uses { each: Some(Sort::Choosing), some: None }),
        "all-c-uses-some-p-uses" => {
            builder.uses(Uses { each: Some(Sort::Computing), some: Some(Sort::Choosing) })
        }
        "all-p-uses-some-c-uses" => {
            builder.uses(Uses { each: Some(Sort::Choosing), some: Some(Sort::Computing) })
        }
        "all-uses" => builder.uses(Uses { each: Some(Sort::Any), some: None }),
        "all-du-paths" => builder.all_du_paths(),
        _ => return None,
    })
}

/// Which uses of a definition are asked for: each of a sort, and where there is none, some of another.
struct Uses {
    each: Option<Sort>,
    some: Option<Sort>,
}

#[derive(Clone, Copy)]
enum Sort {
    Computing,
    Choosing,
    Any,
}

impl Sort {
    fn has(self, used: Use) -> bool {
        match self {
            Sort::Computing => matches!(used, Use::Node(_)),
            Sort::Choosing => matches!(used, Use::Edge(_)),
            Sort::Any => true,
        }
    }
}

struct Builder<'a> {
    cfg: &'a Cfg,
    decisions: &'a [Decision],
    limit: Limit,
}

impl Builder<'_> {
    fn paths(&self, kind: &'static str, listed: Listed) -> Obligations {
        let one = |path: Path| Obligation {
            kind: if path.edges.is_empty() { "node" } else { kind },
            text: self.path_text(&path),
            need: Need::Any(vec![Goal::Path(path)]),
            keeps: None,
        };
        Obligations { all: listed.paths.into_iter().map(one).collect(), cut: listed.cut }
    }

    fn whole(&self, listed: Listed) -> Obligations {
        let mut found = self.paths("complete path", listed);
        for obligation in &mut found.all {
            if let Need::Any(goals) = &mut obligation.need {
                goals.iter_mut().for_each(|goal| {
                    if let Goal::Path(path) = goal {
                        *goal = Goal::Whole(path.clone());
                    }
                });
            }
        }
        found
    }

    /// Each loop 0 times, once and more than once; of a graph without loops, that it is entered.
    fn loops(&self) -> Obligations {
        let mut all = Vec::new();
        for shape in natural_loops(&self.cfg.shape) {
            let name = &self.cfg.node(shape.header).name;
            for (times, text) in [
                (Times::Zero, "is passed by"),
                (Times::One, "is gone through once"),
                (Times::Many, "is gone through more than once"),
            ] {
                let need = Need::Any(vec![Goal::Loop { shape: shape.clone(), times }]);
                all.push(Obligation {
                    kind: "loop",
                    text: format!("{name}: the loop {text}"),
                    need,
                    keeps: None,
                });
            }
        }
        if all.is_empty() {
            let starts = self.cfg.shape.starts().iter().map(|n| Path::node(*n)).collect();
            return self.paths("node", Listed { paths: starts, cut: false });
        }
        self.limited(all.into_iter())
    }

    /// `bb6 -> bb3: a < 3`, `bb2 bb6 bb7`.
    fn path_text(&self, path: &Path) -> String {
        let cfg = self.cfg;
        match &path.edges[..] {
            [edge] => {
                let (from, to) = (cfg.shape.from(*edge), cfg.shape.to(*edge));
                let arrow = format!("{} -> {}", cfg.node(from).name, cfg.node(to).name);
                match cfg.condition_text(*edge) {
                    Some(condition) => format!("{arrow}: {condition}"),
                    None => arrow,
                }
            }
            _ => cfg.path_text(path.start, &path.edges),
        }
    }

    fn lines(&self) -> Obligations {
        let reachable = self.cfg.shape.reachable();
        let mut lines: BTreeMap<u32, Vec<Goal>> = BTreeMap::new();
        for node in self.cfg.shape.nodes().filter(|n| reachable[n.index()]) {
            for line in &self.cfg.node(node).lines {
                lines.entry(*line).or_default().push(Goal::Path(Path::node(node)));
            }
        }
        if lines.is_empty() {
            return self.paths("node", paths_of_length(&self.cfg.shape, 0, self.limit));
        }
        let one = |(line, goals)| Obligation {
            kind: "line",
            text: format!("line {line}"),
            need: Need::Any(goals),
            keeps: None,
        };
        self.limited(lines.into_iter().map(one))
    }

    fn limited(&self, all: impl Iterator<Item = Obligation>) -> Obligations {
        let mut all: Vec<Obligation> = all.take(self.limit.paths + 1).collect();
        let cut = all.len() > self.limit.paths;
        all.truncate(self.limit.paths);
        Obligations { all, cut }
    }

    fn decided(&self, outcomes: bool, conditions: bool) -> Obligations {
        let mut all = Vec::new();
        for (d, decision) in self.decisions.iter().enumerate() {
            let name = &self.cfg.node(decision.node).name;
            let parts = decision.conditions();
            for (i, condition) in parts.iter().enumerate().filter(|_| conditions) {
                for value in [true, false] {
                    let mut values = vec![None; parts.len()];
                    values[i] = Some(value);
                    let holds =
                        if value { self.cfg.text(condition) } else { self.cfg.text(&condition.negated()) };
                    all.push(Obligation {
                        kind: "condition",
                        text: format!("{name}: {holds}"),
                        need: Need::Any(vec![Goal::Row { decision: d, values, outcome: None }]),
                        keeps: None,
                    });
                }
            }
            for outcome in [true, false].into_iter().filter(|_| outcomes) {
                let values = vec![None; parts.len()];
                all.push(Obligation {
                    kind: "decision",
                    text: format!("{name}: {} is {outcome}", self.cfg.text(&decision.expr)),
                    need: Need::Any(vec![Goal::Row { decision: d, values, outcome: Some(outcome) }]),
                    keeps: None,
                });
            }
        }
        self.limited(all.into_iter())
    }

    fn rows(&self) -> Obligations {
        let mut cut = false;
        let mut all = Vec::new();
        for (d, decision) in self.decisions.iter().enumerate() {
            let parts = decision.conditions();
            cut |= parts.len() > MAX_CONDITIONS;
            let count = parts.len().min(MAX_CONDITIONS);
            for row in 0..1_u32 << count {
                if all.len() >= self.limit.paths {
                    return Obligations { all, cut: true };
                }
                let value = |i: usize| row >> i & 1 == 0;
                let texts: Vec<String> =
                    (0..count)
                        .map(|i| {
                            if value(i) {
                                self.cfg.text(parts[i])
                            } else {
                                self.cfg.text(&parts[i].negated())
                            }
                        })
                        .collect();
                let values = (0..parts.len()).map(|i| (i < count).then(|| value(i))).collect();
                all.push(Obligation {
                    kind: "multiple condition",
                    text: format!("{}: {}", self.cfg.node(decision.node).name, texts.join(", ")),
                    need: Need::Any(vec![Goal::Row { decision: d, values, outcome: None }]),
                    keeps: None,
                });
            }
        }
        Obligations { all, cut }
    }

    fn pairs(&self, variant: Variant) -> Obligations {
        let affects = match variant {
            Variant::General => "determines the outcome",
            _ => "independently affects the outcome",
        };
        let mut all = Vec::new();
        for (d, decision) in self.decisions.iter().enumerate() {
            for (c, condition) in decision.conditions().iter().enumerate() {
                let (name, whole) = (&self.cfg.node(decision.node).name, self.cfg.text(&decision.expr));
                let part = self.cfg.text(condition);
                let text = match part == whole {
                    true => format!("{name}: {part} {affects}"),
                    false => format!("{name}: {part} {affects} of {whole}"),
                };
                all.push(Obligation {
                    kind: "mcdc",
                    text,
                    need: Need::Pair { decision: d, condition: c, variant },
                    keeps: None,
                });
            }
        }
        self.limited(all.into_iter())
    }

    fn uses(&self, wanted: Uses) -> Obligations {
        let mut all = Vec::new();
        for (var, def) in self.definitions() {
            let name = &self.cfg.vars[var].name;
            let at = &self.cfg.node(def).name;
            let clear: Vec<Use> =
                self.uses_of(var).into_iter().filter(|used| self.is_clear(var, def, *used)).collect();
            let of =
                |sort: Option<Sort>| clear.iter().copied().filter(move |u| sort.is_some_and(|s| s.has(*u)));
            let goal = |used: Use| Goal::DefUse { var, def, used };
            let each: Vec<Use> = of(wanted.each).collect();
            for used in &each {
                let text = format!("{name} of {at} is used in {}", self.use_text(*used));
                all.push(Obligation { kind: "use", text, need: Need::Any(vec![goal(*used)]), keeps: None });
            }
            // A definition that nothing uses asks for nothing.
            let some: Vec<Goal> = of(wanted.some).filter(|_| each.is_empty()).map(goal).collect();
            if !some.is_empty() {
                let text = format!("{name} of {at} is used");
                all.push(Obligation { kind: "definition", text, need: Need::Any(some), keeps: None });
            }
        }
        self.limited(all.into_iter())
    }

    fn all_du_paths(&self) -> Obligations {
        let mut found = Obligations::default();
        for (var, def) in self.definitions() {
            for used in self.uses_of(var) {
                let (to, last) = match used {
                    Use::Node(node) => (node, None),
                    Use::Edge(edge) => (self.cfg.shape.from(edge), Some(edge)),
                };
                let left = self.limit.paths.saturating_sub(found.all.len());
                let limit = Limit { paths: left, steps: self.limit.steps };
                // Conditions are looked at behind the statements of their node.
                let arrives = last.is_none() || !defines(self.cfg, to, var);
                let span = Span { from: def, to, last, at_once: true, arrives };
                let listed = du_paths(&self.cfg.shape, span, &|n| defines(self.cfg, n, var), limit);
                found.cut |= listed.cut;
                for path in listed.paths {
                    let text = format!("{}: {}", self.cfg.vars[var].name, self.path_text(&path));
                    let need = Need::Any(vec![Goal::Path(path)]);
                    if found.all.iter().all(|o| o.need != need) {
                        found.all.push(Obligation { kind: "du-path", text, need, keeps: Some(var) });
                    }
                }
            }
        }
        found
    }

    /// Variables with the reachable nodes that define them.
    fn definitions(&self) -> Vec<(VarIndex, GraphNode)> {
        let reachable = self.cfg.shape.reachable();
        let mut all = Vec::new();
        for var in 0..self.cfg.vars.len() {
            for node in self.cfg.shape.nodes().filter(|n| reachable[n.index()]) {
                if defines(self.cfg, node, var) {
                    all.push((var, node));
                }
            }
        }
        all
    }

    fn uses_of(&self, var: VarIndex) -> Vec<Use> {
        let reachable = self.cfg.shape.reachable();
        let mut all = Vec::new();
        for node in self.cfg.shape.nodes().filter(|n| reachable[n.index()]) {
            if self.is_read(node, var) {
                all.push(Use::Node(node));
            }
            let mut reads = Vec::new();
            self.cfg.conditions(node).for_each(|(_, c)| c.reads(&mut reads));
            if reads.contains(&var) {
                all.extend(self.cfg.shape.succs(node).iter().map(|e| Use::Edge(*e)));
            }
        }
        all
    }

    /// Whether a block reads a variable before it defines it.
    fn is_read(&self, node: GraphNode, var: VarIndex) -> bool {
        for statement in &self.cfg.node(node).statements {
            let mut reads = Vec::new();
            match statement {
                Statement::Set(_, e) | Statement::Assume(e) => e.reads(&mut reads),
                Statement::SetElem(v, i, e) => {
                    i.reads(&mut reads);
                    e.reads(&mut reads);
                    reads.push(*v);
                }
            }
            if reads.contains(&var) {
                return true;
            }
            if matches!(statement, Statement::Set(v, _) if *v == var) {
                return false;
            }
        }
        false
    }

    /// Whether a way leads from a definition to a use without another definition.
    fn is_clear(&self, var: VarIndex, def: GraphNode, used: Use) -> bool {
        let shape = &self.cfg.shape;
        let free = |n: GraphNode| !defines(self.cfg, n, var);
        let reached = shape.reachable_from(&[def], free);
        let ends_in =
            |node: GraphNode| shape.preds(node).iter().any(|e: &GraphEdge| reached[shape.from(*e).index()]);
        match used {
            Use::Edge(edge) => reached[shape.from(edge).index()],
            Use::Node(node) => ends_in(node),
        }
    }

    fn use_text(&self, used: Use) -> String {
        match used {
            Use::Node(node) => self.cfg.node(node).name.clone(),
            Use::Edge(edge) => {
                let (from, to) = (self.cfg.shape.from(edge), self.cfg.shape.to(edge));
                format!("{} -> {}", self.cfg.node(from).name, self.cfg.node(to).name)
            }
        }
    }
}
