//! What stood in the way of a branch that was looked for in vain: where to go on.

use explore::{Child, End, Exploration, GaveUp, Goal, Slot};
use vm::{Edge, ElemKind, Stop};

use super::subject::Stage;
use crate::goal::CoverageGoal;

/// What was found of the branches that obligations ask for.
pub struct Hindrances<'a> {
    goal: &'a CoverageGoal,
    exploration: &'a Exploration<Stage>,
}

/// What the solver said of the other way.
#[derive(Default)]
struct Tries {
    refuted: usize,
    unknown: usize,
    strayed: usize,
    waiting: usize,
}

impl<'a> Hindrances<'a> {
    pub fn new(goal: &'a CoverageGoal, exploration: &'a Exploration<Stage>) -> Hindrances<'a> {
        Hindrances { goal, exploration }
    }

    /// Why calls that went this way cannot be tests: they end the process, or come to what we do not support.
    pub fn ends(&self, part: u32) -> Option<String> {
        let edges: Vec<Edge> =
            self.goal.edges().into_iter().filter(|(_, of)| *of == part).map(|(edge, _)| edge).collect();
        let went = |run: &&explore::Finished<_>| run.edges.iter().any(|taken| edges.contains(taken));
        let stops = self.exploration.finished.iter().filter(went).filter_map(|run| match &run.end {
            End::Stopped(stop) => Some(stop),
            _ => None,
        });
        let mut told = None;
        for stop in stops {
            match stop {
                Stop::Exit(_) => {
                    return Some(
                        "reached, but the program ends the JVM there, which no test can show".to_string(),
                    );
                }
                Stop::Unsupported { what, which } if told.is_none() => {
                    told = Some(format!("reached, but what it does there is not supported ({what} {which})"));
                }
                _ => {}
            }
        }
        told
    }

    /// What is to be told of a part that no run met, if it is a branch.
    pub fn of(&self, part: u32) -> Option<String> {
        let edges: Vec<Edge> =
            self.goal.edges().into_iter().filter(|(_, of)| *of == part).map(|(edge, _)| edge).collect();
        let edge = *edges.first()?;
        let runs = &self.exploration.finished;
        let here = |other: &Edge| (other.func, other.index) == (edge.func, edge.index);
        let came = runs.iter().filter(|run| run.edges.iter().any(here)).count();
        if came == 0 {
            return Some("no path came to this condition".to_string());
        }
        let went = |stop: Stop| {
            let mut ended = runs.iter().filter(|run| matches!(&run.end, End::Stopped(end) if *end == stop));
            ended.any(|run| run.edges.iter().any(|taken| edges.contains(taken)))
        };
        if went(Stop::Steps) {
            return Some("only calls that did not end in time (--max-steps) went this way".to_string());
        }
        if went(Stop::Deadlock) {
            return Some("only calls in which every thread waits for ever went this way".to_string());
        }
        let tries = self.tries(edge);
        let on_paths = |count: usize| match count {
            1 => "on one path".to_string(),
            count => format!("on {count} paths"),
        };
        let mut told: Vec<String> = Vec::new();
        if tries.refuted > 0 {
            told.push(format!("contradicts what was decided before {}", on_paths(tries.refuted)));
        }
        if tries.unknown > 0 {
            told.push(format!("was too hard to solve {}", on_paths(tries.unknown)));
        }
        if tries.strayed > 0 {
            told.push(format!("was not where the inputs led {}", on_paths(tries.strayed)));
        }
        if tries.waiting > 0 {
            told.push(format!("was not tried {}", on_paths(tries.waiting)));
        }
        Some(match told.is_empty() {
            true if came == 1 => "inputs do not decide it on the one path that came to it".to_string(),
            true => format!("inputs do not decide it on any of the {came} paths that came to it"),
            false => format!("it {}", told.join(", ")),
        })
    }

    fn tries(&self, edge: Edge) -> Tries {
        let tree = &self.exploration.tree;
        let mut tries = Tries::default();
        for number in 0..tree.len() as u32 {
            let id = explore::NodeId(number);
            let node = tree.node(id);
            let here = (node.site.func, node.site.index) == (edge.func, edge.index);
            if !here || node.kind != ElemKind::Branch || node.input {
                continue;
            }
            for alternative in 0..node.alternatives {
                match tree.child(Slot::of(id, alternative)) {
                    Child::Infeasible => tries.refuted += 1,
                    Child::GaveUp(GaveUp::Solver | GaveUp::Failed) => tries.unknown += 1,
                    Child::GaveUp(GaveUp::Diverged) => tries.strayed += 1,
                    Child::GaveUp(GaveUp::Bound) | Child::Open => tries.waiting += 1,
                    Child::Unexplored
                    | Child::Excluded
                    | Child::Moot
                    | Child::Joined(_)
                    | Child::Node(_)
                    | Child::Leaf(_) => {}
                }
            }
        }
        tries
    }
}
