//! Verdicts against brute force: small random graphs over small integers, every input run.

use coverage::graph::GraphNode;
use graph::{Cfg, Goal, Need, Options, Verdict};
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
        format!(
            r#"{{"schema": "testwright-cfg/1", "inputs": [{{"name": "a", "type": "i3"}}, {{"name": "b", "type": "i3"}}],
            "entry": "n0", "exits": ["n{}"], "nodes": [{}], "edges": [{}]}}"#,
            count - 1,
            nodes.join(","),
            edges.join(",")
        )
    }
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

/// How often a run goes through a loop each time it comes there, counted on its nodes.
fn rounds(nodes: &[GraphNode], header: GraphNode, inside: &[bool], tested_first: bool) -> Vec<u32> {
    let mut all = Vec::new();
    for stay in nodes.split(|n| !inside[n.0 as usize]).filter(|stay| stay.first() == Some(&header)) {
        let begun = if tested_first { &stay[..stay.len() - 1] } else { stay };
        all.push(begun.iter().filter(|n| **n == header).count() as u32);
    }
    all
}

#[test]
fn what_is_claimed_is_true() {
    let mut random = Random(7);
    let (mut covered, mut infeasible, mut open) = (0, 0, 0);
    for round in 0..10 * CRITERIA.len() {
        let text = random.graph();
        let cfg = graph::read(&text, 32).unwrap();
        let criterion = CRITERIA[round % CRITERIA.len()];
        let options = Options { work: 60_000, ..Options::default() };
        let cover = graph::cover(&cfg, criterion, &options, &NEVER, &mut |_, _| {}).unwrap();
        for (obligation, verdict) in &cover.obligations {
            let Need::Any(goals) = &obligation.need else { panic!() };
            let truth = possible(&cfg, goals);
            let text = format!("{} of {criterion}: {verdict:?}\n{text}", obligation.text);
            match verdict {
                Verdict::Covered { by } => {
                    covered += 1;
                    assert!(truth && by.len() == 1, "{text}");
                }
                Verdict::Infeasible { .. } => {
                    infeasible += 1;
                    assert!(!truth, "{text}");
                }
                Verdict::Open { .. } => open += 1,
            }
        }
    }
    println!("{covered} covered, {infeasible} infeasible, {open} open");
    assert!(covered > 50 && infeasible > 100 && open * 4 < infeasible, "{covered} {infeasible} {open}");
}
