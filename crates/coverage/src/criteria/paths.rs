//! Criteria that ask for paths of the projected graph.

use crate::criterion::{Owed, Rule, Subject};
use crate::graph::{Listed, Path, complete_paths, has_round_trip, paths_of_length, prime_paths, round_trips};
use crate::obligation::{Demand, Kind, Obligation};

pub(crate) enum Paths {
    Pairs,
    Primes,
    SimpleRoundTrips,
    RoundTrips,
    Complete,
}

impl Rule for Paths {
    fn owed(&self, subject: &Subject, owed: &mut Owed) {
        let (graph, limit) = (&subject.flow.graph, subject.options.limit);
        let mut listed = match self {
            Paths::Pairs => paths_of_length(graph, 2, limit),
            Paths::Primes => prime_paths(graph, limit),
            Paths::RoundTrips => round_trips(graph, limit),
            Paths::Complete => complete_paths(graph, subject.options.rounds, limit),
            Paths::SimpleRoundTrips => {
                for node in graph.nodes().filter(|n| has_round_trip(graph, *n)) {
                    let line = subject.projection.nodes[node.0 as usize].line;
                    let block = subject.flow.block(node);
                    let what = format!("round trip from block {block}");
                    let one = subject.at(Kind::Path, block, line, &what).demanding(Demand::RoundTrip(node));
                    owed.obligations.push(one);
                }
                Listed::default()
            }
        };
        listed.paths.sort();
        owed.cut |= listed.cut;
        for path in listed.paths {
            let demand = match self {
                Paths::Complete => Demand::Whole(path.clone()),
                _ => Demand::Paths(vec![path.clone()]),
            };
            owed.obligations.push(path_obligation(subject, &path, "path", Kind::Path, demand));
        }
    }
}

/// An obligation to take a path: its text names the lines, and the blocks.
pub(super) fn path_obligation(
    subject: &Subject,
    path: &Path,
    what: &str,
    kind: Kind,
    demand: Demand,
) -> Obligation {
    let nodes = path.nodes(&subject.flow.graph);
    let lines: Vec<u32> = nodes.iter().map(|n| subject.projection.nodes[n.0 as usize].line).collect();
    let mut shown: Vec<String> = Vec::new();
    for line in lines.iter().filter(|l| **l != 0).map(u32::to_string) {
        if shown.last() != Some(&line) {
            shown.push(line);
        }
    }
    let blocks: Vec<String> = nodes.iter().map(|n| subject.flow.block(*n).to_string()).collect();
    // Ways of a branch that lead to the same block differ in nothing that blocks could show.
    let ways = path.edges.windows(1).filter_map(|e| {
        let graph = &subject.flow.graph;
        let twins = graph.succs(graph.from(e[0])).iter().filter(|o| graph.to(**o) == graph.to(e[0])).count();
        let (index, choice) = subject.flow.taken(e[0]).filter(|_| twins > 1)?;
        let branch = subject.projection.branches.iter().find(|b| b.index == index)?;
        Some(branch.choices.get(choice as usize)?.text.clone())
    });
    let ways: Vec<String> = ways.collect();
    let mut text = what.to_string();
    if shown.len() > 1 {
        text += &format!(" over lines {}", shown.join(", "));
    }
    text += &format!(" (blocks {})", blocks.join(" "));
    if !ways.is_empty() {
        text += &format!(" where {}", ways.join(", "));
    }
    let (line, block) = (lines.first().copied().unwrap_or(0), subject.flow.block(path.start));
    subject.at(kind, block, line, &text).demanding(demand)
}
