//! Verdicts against brute force: small random graphs over small integers, every input run.

use coverage::graph::{GraphEdge, GraphNode};
use graph::{Cfg, Goal, Need, Options, Statement, VarIndex, Verdict};
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

/// A small generator; what it makes must be the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn expr(&mut self, depth: u32) -> String {
        match self.below(if depth == 0 { 3 } else { 6 }) {
            0 => "a".into(),
            1 => "b".into(),
            2 => (self.below(8) as i64 - 4).to_string(),
            n => {
                let op = [["+", "-"], ["*", "&"], ["/", "%"]][n as usize - 3][self.below(2) as usize];
                format!("({} {op} {})", self.expr(depth - 1), self.expr(depth - 1))
            }
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.below(if depth == 0 { 3 } else { 6 }) {
            3 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
            4 => format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1)),
            5 => format!("!({})", self.condition(depth - 1)),
            _ => {
                let op = ["<", "<=", "==", "!=", ">", ">="][self.below(6) as usize];
                format!("{} {op} {}", self.expr(1), self.expr(1))
            }
        }
    }

    fn graph(&mut self) -> String {
        let count = 3 + self.below(4);
        let mut nodes = Vec::new();
        let mut edges = Vec::new();
        for n in 0..count {
            let statement = match self.below(3) {
                0 => String::new(),
                1 => format!("\"a = {}\"", self.expr(1)),
                _ => format!("\"b = {}\"", self.expr(1)),
            };
            nodes.push(format!(r#"{{"id": "n{n}", "statements": [{statement}]}}"#));
            if n + 1 == count {
                continue;
            }
            let next = n + 1;
            let other = self.below(count);
            if self.below(4) > 0 {
                let when = self.condition(1);
                edges.push(format!(r#"{{"from": "n{n}", "to": "n{other}", "when": "{when}"}}"#));
            }
            edges.push(format!(r#"{{"from": "n{n}", "to": "n{next}"}}"#));
        }
        text(&nodes, &edges)
    }

    /// Loops that count and statements that may be left out, one behind the other: many paths need a loop that they pass by.
    fn steps(&mut self) -> String {
        let mut nodes = vec![r#"{"id": "n0", "statements": ["b = 0"]}"#.to_string()];
        let mut edges = vec![r#"{"from": "n0", "to": "n1"}"#.to_string()];
        for step in 0..3 {
            let (head, body, next) = (2 * step + 1, 2 * step + 2, 2 * step + 3);
            let loops = self.below(2) == 0;
            let when = match loops {
                true => format!("a < {}", self.below(4)),
                false => format!("b > {}", self.below(3)),
            };
            let statements = match loops {
                true => ["\"a = a + 1\", \"b = b + 1\"", "\"a = a + 1\""][self.below(2) as usize],
                false => ["\"a = b\"", "\"b = 1\""][self.below(2) as usize],
            };
            nodes.push(format!(r#"{{"id": "n{head}", "statements": []}}"#));
            nodes.push(format!(r#"{{"id": "n{body}", "statements": [{statements}]}}"#));
            edges.push(format!(r#"{{"from": "n{head}", "to": "n{body}", "when": "{when}"}}"#));
            edges.push(format!(r#"{{"from": "n{head}", "to": "n{next}"}}"#));
            let back = if loops { head } else { next };
            edges.push(format!(r#"{{"from": "n{body}", "to": "n{back}"}}"#));
        }
        nodes.push(r#"{"id": "n7", "statements": ["a = a + b"]}"#.to_string());
        text(&nodes, &edges)
    }
}

/// A graph whose last node is the exit.
fn text(nodes: &[String], edges: &[String]) -> String {
    format!(
        r#"{{"schema": "testwright-cfg/1", "inputs": [{{"name": "a", "type": "i3"}}, {{"name": "b", "type": "i3"}}],
        "entry": "n0", "exits": ["n{}"], "nodes": [{}], "edges": [{}]}}"#,
        nodes.len() - 1,
        nodes.join(","),
        edges.join(",")
    )
}

const CRITERIA: [&str; 9] = [
    "prime-path",
    "all-uses",
    "multiple-condition",
    "edge-pair",
    "loop",
    "complete-path",
    "all-du-paths",
    "complete-round-trip",
    "all-c-uses-some-p-uses",
];

/// Whether some input's run meets an obligation of one goal.
fn possible(cfg: &Cfg, goals: &[Goal]) -> bool {
    let start = cfg.shape.starts()[0];
    let inputs = (0..8).flat_map(|a| (0..8).map(move |b| vec![vec![a], vec![b]]));
    inputs.into_iter().any(|inputs| {
        let Some(edges) = graph::run(cfg, &inputs, start, 200) else { return false };
        let run = graph::follow(cfg, &inputs, start, &edges).unwrap();
        goals.iter().any(|goal| {
            let meets = graph::meets(cfg, goal, &run);
            if let Goal::Loop { shape, times } = goal {
                let nodes: Vec<GraphNode> = run.steps.iter().map(|step| step.node).collect();
                let counted = rounds(&nodes, shape.header, &shape.inside, shape.tested_first);
                assert_eq!(meets, counted.iter().any(|n| times.fits(*n)), "{nodes:?} {goal:?}");
            }
            meets
        })
    })
}

/// Where each input leads.
fn runs(cfg: &Cfg) -> Vec<Vec<GraphEdge>> {
    let start = cfg.shape.starts()[0];
    let inputs = (0..8).flat_map(|a| (0..8).map(move |b| vec![vec![a], vec![b]]));
    inputs.filter_map(|inputs| graph::run(cfg, &inputs, start, 200)).collect()
}

/// Whether a run takes the edges of a path in order, and nothing between them that assigns a variable.
fn tours(cfg: &Cfg, run: &[GraphEdge], path: &[GraphEdge], keeps: Option<VarIndex>) -> bool {
    let assigns = |edge: &GraphEdge| {
        let statements = &cfg.node(cfg.shape.to(*edge)).statements;
        let is_it = |s: &Statement| matches!(s, Statement::Set(var, _) if Some(*var) == keeps);
        statements.iter().any(is_it)
    };
    path.len() > 1
        && (0..run.len()).filter(|at| run[*at] == path[0]).any(|at| {
            let mut wanted = path[1..].iter();
            let mut next = wanted.next();
            for edge in &run[at + 1..] {
                match next {
                    None => break,
                    Some(want) if want == edge => next = wanted.next(),
                    Some(_) if assigns(edge) => return false,
                    Some(_) => {}
                }
            }
            next.is_none()
        })
}

/// How often a run goes through a loop each time it comes there, counted on its nodes.
fn rounds(nodes: &[GraphNode], header: GraphNode, inside: &[bool], tested_first: bool) -> Vec<u32> {
    let mut all = Vec::new();
    for stay in nodes.split(|n| !inside[n.0 as usize]).filter(|stay| stay.first() == Some(&header)) {
        let begun = if tested_first { &stay[..stay.len() - 1] } else { stay };
        all.push(begun.iter().filter(|n| **n == header).count() as u32);
    }
    all
}

/// What was claimed.
#[derive(Debug, Default)]
struct Claims {
    covered: usize,
    infeasible: usize,
    open: usize,
    /// Infeasible paths with a tour that has side trips, and those for which none was found though there is one.
    toured: usize,
    missed: usize,
}

impl Claims {
    /// Tries every input on what is claimed of a graph.
    fn judge(&mut self, text: &str, criterion: &str) {
        let cfg = graph::read(text, 32).unwrap();
        let options = Options { work: 60_000, ..Options::default() };
        let cover = graph::cover(&cfg, criterion, &options, &NEVER, &mut |_, _| {}).unwrap();
        for (obligation, verdict) in &cover.obligations {
            let Need::Any(goals) = &obligation.need else { panic!() };
            let truth = possible(&cfg, goals);
            let text = format!("{} of {criterion}: {verdict:?}\n{text}", obligation.text);
            match verdict {
                Verdict::Covered { by } => {
                    self.covered += 1;
                    assert!(truth && by.len() == 1, "{text}");
                }
                Verdict::Infeasible { side_trips, .. } => {
                    self.infeasible += 1;
                    assert!(!truth, "{text}");
                    let [Goal::Path(path)] = &goals[..] else { continue };
                    let tours = |edges: &[GraphEdge]| tours(&cfg, edges, &path.edges, obligation.keeps);
                    match side_trips {
                        Some(test) => {
                            self.toured += 1;
                            assert!(tours(&cover.tests[*test].edges), "{text}");
                        }
                        None => self.missed += usize::from(runs(&cfg).iter().any(|run| tours(run))),
                    }
                }
                Verdict::Open { .. } => self.open += 1,
            }
        }
    }
}

#[test]
fn what_is_claimed_is_true() {
    let mut random = Random(7);
    let mut claims = Claims::default();
    for round in 0..10 * CRITERIA.len() {
        claims.judge(&random.graph(), CRITERIA[round % CRITERIA.len()]);
    }
    println!("{claims:?}");
    assert!(
        claims.covered > 50 && claims.infeasible > 100 && claims.open * 4 < claims.infeasible,
        "{claims:?}"
    );
}

#[test]
fn tours_with_side_trips_are_found() {
    let mut random = Random(1);
    let mut claims = Claims::default();
    for round in 0..60 {
        claims.judge(&random.steps(), ["prime-path", "all-du-paths"][round % 2]);
    }
    println!("{claims:?}");
    assert!(claims.toured > 20 && claims.missed == 0, "{claims:?}");
}
