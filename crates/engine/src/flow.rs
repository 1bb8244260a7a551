//! Control-flow graphs of other tools: from a file's text to a report, a picture and coloured source.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use coverage::graph::{GraphEdge, GraphNode, Path};
use entity::EntityId;
use graph::{
    Cfg, Cover, Goal, Malformed, Need, NextPath, NoSuchCriterion, Options, Paths, Subpath, Test, Verdict, Why,
};
use report::cover::{
    COVER_SCHEMA, Contradiction, CoverDecision, CoverObligation, CoverReport, CoverRow, CoverTest, GraphInfo,
    Work,
};
use report::html::Source;
use report::picture::{Drawing, DrawnEdge, DrawnNode, State};
use thiserror::Error;

/// What can be wrong with a graph or with what is asked of it.
#[derive(Debug, Error)]
pub enum FlowError {
    #[error("{file}: {why}")]
    Malformed { file: String, why: Malformed },
    #[error(transparent)]
    Criterion(#[from] NoSuchCriterion),
}

/// What was found of a graph.
pub struct Flow {
    pub report: CoverReport,
    pub drawing: Drawing,
    pub source: Option<Source>,
}

/// Reads a graph. `int_width` is how wide an `Int` of the simple form is.
pub fn read(file: &str, text: &str, int_width: u32) -> Result<Cfg, FlowError> {
    graph::read(text, int_width).map_err(|why| FlowError::Malformed { file: file.to_string(), why })
}

/// Covers a graph by a criterion.
pub fn cover(
    file: &str,
    cfg: &Cfg,
    criterion: &str,
    options: &Options,
    interrupt: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Flow, FlowError> {
    let cover = graph::cover(cfg, criterion, options, interrupt, progress)?;
    let mut report = new_report(file, cfg, options);
    report.criterion = Some(criterion.to_string());
    report.cut = cover.cut;
    report.work = work(cover.spent);
    report.solver = crate::reporting::solver_stats(&cover.solver);
    report.infeasible_subpaths = contradictions(cfg, &cover.learned);
    report.tests = cover.tests.iter().enumerate().map(|(i, t)| test(cfg, i, t)).collect();
    report.decisions = cover.decisions.iter().map(|d| decision(cfg, d)).collect();
    for (i, (o, verdict)) in cover.obligations.iter().enumerate() {
        let obligation = obligation(cfg, i, o, verdict);
        match obligation.verdict {
            report::Verdict::Covered => report.counts.covered += 1,
            report::Verdict::Infeasible => report.counts.infeasible += 1,
            report::Verdict::Open => report.counts.open += 1,
        }
        report.obligations.push(obligation);
    }
    let (nodes, edges) = states(cfg, &cover);
    let source = source(cfg, &nodes);
    Ok(Flow { report, drawing: drawing(cfg, &nodes, &edges), source })
}

/// Lists paths in order of their cost, so many at most. Each is handed on as it is found.
pub fn paths(
    file: &str,
    cfg: &Cfg,
    options: &Options,
    most: usize,
    interrupt: &AtomicBool,
    found: &mut dyn FnMut(&CoverTest),
) -> Flow {
    let mut report = new_report(file, cfg, options);
    let mut search = Paths::new(cfg, options);
    let mut tests: Vec<Test> = Vec::new();
    while tests.len() < most {
        match search.next(interrupt) {
            NextPath::Path(path) => {
                let one = test(cfg, tests.len(), &path);
                found(&one);
                report.tests.push(one);
                tests.push(path);
            }
            NextPath::End => {
                report.exhausted = true;
                break;
            }
            NextPath::Stopped(why) => {
                report.stopped = Some(why);
                break;
            }
        }
    }
    report.work = work(search.spent());
    report.infeasible_subpaths = contradictions(cfg, search.learned());
    let seen = |edge: GraphEdge| tests.iter().any(|t| t.edges.contains(&edge));
    let visited = |node: GraphNode| {
        tests.iter().any(|t| t.start == node || t.edges.iter().any(|e| cfg.shape.to(*e) == node))
    };
    let state = |yes: bool| if yes { State::Covered } else { State::Plain };
    let nodes: Vec<State> = cfg.shape.nodes().map(|n| state(visited(n))).collect();
    let edges: Vec<State> = cfg.shape.edges().map(|e| state(seen(e))).collect();
    let source = source(cfg, &nodes);
    Flow { report, drawing: drawing(cfg, &nodes, &edges), source }
}

/// The picture of a graph of which nothing is known.
pub fn plain_drawing(cfg: &Cfg) -> Drawing {
    drawing(cfg, &vec![State::Plain; cfg.nodes.len()], &vec![State::Plain; cfg.edges.len()])
}

fn new_report(file: &str, cfg: &Cfg, options: &Options) -> CoverReport {
    CoverReport {
        schema: COVER_SCHEMA.to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        graph: GraphInfo {
            name: cfg.name.clone(),
            file: file.to_string(),
            nodes: cfg.nodes.len(),
            edges: cfg.edges.len(),
        },
        criterion: None,
        cost: options.cost.name().to_string(),
        counts: Default::default(),
        cut: false,
        obligations: Vec::new(),
        tests: Vec::new(),
        decisions: Vec::new(),
        infeasible_subpaths: Vec::new(),
        exhausted: false,
        stopped: None,
        work: Work::default(),
        solver: Default::default(),
    }
}

fn work(spent: graph::Spent) -> Work {
    Work { prefixes: spent.prefixes, cut_by_subpaths: spent.cut_by_learned, units: spent.work }
}

fn names(cfg: &Cfg, start: GraphNode, edges: &[GraphEdge]) -> (Vec<String>, Vec<String>) {
    let path = Path { start, edges: edges.to_vec() };
    let nodes = path.nodes(&cfg.shape).into_iter().map(|n| cfg.node(n).name.clone()).collect();
    (nodes, edges.iter().map(|e| cfg.edge(*e).name.clone()).collect())
}

fn test(cfg: &Cfg, i: usize, test: &Test) -> CoverTest {
    let (nodes, edges) = names(cfg, test.start, &test.edges);
    let is_input = |v: &&graph::Var| v.role == graph::Role::Input;
    let inputs = cfg.vars.iter().zip(&test.inputs).filter(|(v, _)| is_input(v));
    CoverTest {
        id: format!("t{}", i + 1),
        inputs: inputs.map(|(v, bits)| (v.name.clone(), value(v, bits))).collect(),
        nodes,
        edges,
        cost: test.cost,
        covers: test.covers.iter().map(|o| format!("o{}", o + 1)).collect(),
    }
}

/// A number where JSON readers keep it exact, otherwise text.
fn value(var: &graph::Var, bits: &[u128]) -> serde_json::Value {
    let one = |bits: u128| -> serde_json::Value {
        let text = var.ty.show(bits);
        match var.ty {
            graph::Type::Bool => (bits != 0).into(),
            graph::Type::Int { width, .. } if width <= 53 => {
                text.parse::<i64>().map_or(text.into(), Into::into)
            }
            graph::Type::Int { .. } => text.into(),
            // NaN and infinities are no JSON numbers.
            graph::Type::Float(_) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => number.into(),
                _ => text.into(),
            },
        }
    };
    match (var.len, bits) {
        (None, [only]) => one(*only),
        _ => bits.iter().map(|b| one(*b)).collect(),
    }
}

fn contradictions(cfg: &Cfg, subpaths: &[Subpath]) -> Vec<Contradiction> {
    let one = |s: &Subpath| {
        let (nodes, edges) = names(cfg, s.start, &s.edges);
        let conditions = s.core.iter().filter_map(|i| cfg.condition_text(*s.edges.get(*i)?)).collect();
        Contradiction { nodes, edges, conditions }
    };
    subpaths.iter().map(one).collect()
}

fn obligation(cfg: &Cfg, i: usize, o: &graph::Obligation, verdict: &Verdict) -> CoverObligation {
    let path = match &o.need {
        Need::Any(goals) => match &goals[..] {
            [Goal::Path(path) | Goal::Whole(path)] => Some(path),
            _ => None,
        },
        Need::Pair { .. } => None,
    };
    let (nodes, edges) = path.map(|p| names(cfg, p.start, &p.edges)).unwrap_or_default();
    let mut result = CoverObligation {
        id: format!("o{}", i + 1),
        kind: o.kind.to_string(),
        text: o.text.clone(),
        nodes,
        edges,
        verdict: report::Verdict::Open,
        by: Vec::new(),
        why: None,
        contradictions: Vec::new(),
        side_trips: None,
    };
    let name = |t: &usize| format!("t{}", t + 1);
    match verdict {
        Verdict::Covered { by } => {
            result.verdict = report::Verdict::Covered;
            result.by = by.iter().map(name).collect();
        }
        Verdict::Infeasible { why, side_trips } => {
            result.verdict = report::Verdict::Infeasible;
            if let Why::Contradiction(subpaths) | Why::NeverEnds(subpaths) = why {
                result.contradictions = contradictions(cfg, subpaths);
            }
            result.why = Some(why_text(why, &result.contradictions));
            result.side_trips = side_trips.as_ref().map(name);
        }
        Verdict::Open { why } => result.why = Some(why.clone()),
    }
    result
}

fn why_text(why: &Why, contradictions: &[Contradiction]) -> String {
    match why {
        Why::Unreachable => "no path leads there".to_string(),
        Why::NoExit => "no exit can be reached from there".to_string(),
        Why::BodyFirst => "the loop's body runs before anything can leave it".to_string(),
        Why::Exhausted => "everything that can be run was searched".to_string(),
        Why::NoPair(why) => why.clone(),
        Why::Contradiction(_) | Why::NeverEnds(_) => {
            let one = |c: &Contradiction| match &c.conditions[..] {
                [] => c.nodes.join(" "),
                conditions => format!("{} with {}", c.nodes.join(" "), conditions.join(" and ")),
            };
            let all: Vec<String> = contradictions.iter().take(3).map(one).collect();
            let more = if contradictions.len() > 3 { ", …" } else { "" };
            let told = match contradictions.len() {
                1 => format!("no run takes {}", all[0]),
                _ => format!("no run takes any of: {}{more}", all.join("; ")),
            };
            match why {
                Why::NeverEnds(_) => format!("a run that comes there never ends: {told}"),
                _ => told,
            }
        }
    }
}

fn decision(cfg: &Cfg, table: &graph::DecisionTable) -> CoverDecision {
    let decision = &table.decision;
    CoverDecision {
        node: cfg.node(decision.node).name.clone(),
        text: cfg.text(&decision.expr),
        conditions: decision.conditions().into_iter().map(|c| cfg.text(c)).collect(),
        rows: table
            .rows
            .iter()
            .map(|r| CoverRow {
                values: r.values.iter().map(|v| Some(*v)).collect(),
                outcome: r.outcome,
                test: format!("t{}", r.test + 1),
            })
            .collect(),
        pairs: table.pairs.clone(),
    }
}

/// What became of nodes and edges: what a test passes is covered; what an infeasible obligation asks for, and nothing
/// but that leads to, is infeasible.
fn states(cfg: &Cfg, cover: &Cover) -> (Vec<State>, Vec<State>) {
    let mut nodes = vec![State::Plain; cfg.nodes.len()];
    let mut edges = vec![State::Plain; cfg.edges.len()];
    let raise = |state: &mut State, to: State| {
        // Open wins over infeasible: something may still go there.
        if *state == State::Plain || to == State::Open {
            *state = to;
        }
    };
    for (obligation, verdict) in &cover.obligations {
        let to = match verdict {
            Verdict::Covered { .. } => continue,
            Verdict::Infeasible { .. } => State::Infeasible,
            Verdict::Open { .. } => State::Open,
        };
        let Need::Any(goals) = &obligation.need else { continue };
        for goal in goals {
            // That a longer path is infeasible says nothing of its parts.
            let says = |path: &Path| to == State::Open || goals.len() == 1 && path.edges.len() <= 1;
            if let Goal::Path(path) | Goal::Whole(path) = goal
                && says(path)
            {
                if let (State::Infeasible, [edge]) = (to, &path.edges[..]) {
                    raise(&mut edges[edge.index()], to);
                    continue;
                }
                path.nodes(&cfg.shape).iter().for_each(|n| raise(&mut nodes[n.index()], to));
                path.edges.iter().for_each(|e| raise(&mut edges[e.index()], to));
            }
        }
    }
    crate::pictures::spread(&cfg.shape, &mut nodes, &mut edges);
    for test in &cover.tests {
        nodes[test.start.index()] = State::Covered;
        for edge in &test.edges {
            edges[edge.index()] = State::Covered;
            nodes[cfg.shape.to(*edge).index()] = State::Covered;
        }
    }
    (nodes, edges)
}

fn drawing(cfg: &Cfg, nodes: &[State], edges: &[State]) -> Drawing {
    let starts = cfg.shape.starts();
    // The start comes first, the others in the order of the file.
    let mut order: Vec<GraphNode> = starts.to_vec();
    order.extend(cfg.shape.nodes().filter(|n| !starts.contains(n)));
    let place: BTreeMap<GraphNode, usize> = order.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let node = |n: &GraphNode| {
        let node = cfg.node(*n);
        let lines: Vec<String> = node.lines.iter().map(u32::to_string).collect();
        DrawnNode {
            name: node.name.clone(),
            text: node.statements.iter().map(|s| cfg.statement_text(s)).collect(),
            hint: if lines.is_empty() { String::new() } else { format!("lines {}", lines.join(", ")) },
            state: nodes[n.index()],
            exit: cfg.shape.is_final(*n),
        }
    };
    let edge = |e: GraphEdge| DrawnEdge {
        from: place[&cfg.shape.from(e)],
        to: place[&cfg.shape.to(e)],
        text: cfg.condition_text(e).unwrap_or_default(),
        state: edges[e.index()],
        thin: false,
    };
    Drawing {
        title: cfg.name.clone(),
        nodes: order.iter().map(node).collect(),
        edges: cfg.shape.edges().map(edge).collect(),
    }
}

fn source(cfg: &Cfg, nodes: &[State]) -> Option<Source> {
    let source = cfg.source.as_ref()?;
    let mut lines: BTreeMap<u32, State> = BTreeMap::new();
    for (node, state) in cfg.nodes.iter().zip(nodes) {
        for line in &node.lines {
            let now = lines.entry(*line).or_insert(*state);
            if *state == State::Covered || *now == State::Plain {
                *now = *state;
            }
        }
    }
    Some(Source { file: source.file.clone().unwrap_or_default(), text: source.text.clone()?, lines })
}
