//! Paths that criteria ask for: golden graphs of the literature, and brute force on random ones.

use coverage::graph::{
    Graph, GraphEdge, GraphNode, Limit, Path, PrimePaths, Span, Tour, complete_paths, du_paths,
    has_round_trip, paths_of_length, prime_paths, round_trips, tour,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The example of the theory chapter: a loop in a loop.
fn theory() -> Graph {
    Graph::from_edges(7, &[(1, 2), (2, 3), (2, 6), (3, 4), (4, 2), (4, 5), (5, 4)], &[1], &[6])
}

/// The demonstration: two loops and a choice; its first condition is one node.
fn demo() -> Graph {
    let edges = [(2, 6), (6, 3), (6, 7), (3, 5), (5, 6), (5, 4), (4, 5), (7, 8), (7, 9), (8, 10), (9, 10)];
    Graph::from_edges(11, &edges, &[2], &[10])
}

/// The same as a compiler makes it: a node for each condition.
fn demo_compiled() -> Graph {
    let edges = [
        (2, 6),
        (3, 5),
        (4, 5),
        (5, 4),
        (5, 6),
        (6, 7),
        (6, 8),
        (7, 3),
        (7, 8),
        (8, 9),
        (8, 10),
        (9, 11),
        (10, 11),
    ];
    Graph::from_edges(12, &edges, &[2], &[11])
}

/// A loop followed by a choice.
fn figure() -> Graph {
    let edges = [(2, 4), (3, 4), (4, 3), (4, 5), (5, 6), (5, 7), (6, 8), (7, 8)];
    Graph::from_edges(9, &edges, &[2], &[8])
}

fn tutorial() -> Graph {
    Graph::from_edges(6, &[(2, 3), (2, 4), (3, 5), (4, 5)], &[2], &[5])
}

/// Without a bound that matters here.
const ALL: Limit = Limit { paths: 1 << 20, steps: 1 << 22 };

fn nodes(graph: &Graph, paths: &[Path]) -> BTreeSet<Vec<u32>> {
    paths.iter().map(|p| p.nodes(graph).iter().map(|n| n.0).collect()).collect()
}

fn set(paths: &[&[u32]]) -> BTreeSet<Vec<u32>> {
    paths.iter().map(|p| p.to_vec()).collect()
}

#[test]
fn the_graphs_of_the_literature_have_the_known_numbers() {
    let count = |graph: &Graph| {
        let of = |length| paths_of_length(graph, length, ALL).paths.len();
        (of(0), of(1), of(2), prime_paths(graph, ALL).paths.len())
    };
    assert_eq!(count(&theory()), (6, 7, 10, 10));
    assert_eq!(count(&demo()), (9, 11, 14, 13));
    assert_eq!(count(&demo_compiled()), (10, 13, 18, 20));
    assert_eq!(count(&figure()), (7, 8, 9, 7));
    assert_eq!(count(&tutorial()).0, 4);
}

#[test]
fn the_paths_are_the_known_ones() {
    let theory = theory();
    let pairs = paths_of_length(&theory, 2, ALL).paths;
    assert_eq!(
        nodes(&theory, &pairs),
        set(&[
            &[1, 2, 3],
            &[1, 2, 6],
            &[2, 3, 4],
            &[3, 4, 2],
            &[3, 4, 5],
            &[4, 5, 4],
            &[4, 2, 6],
            &[4, 2, 3],
            &[5, 4, 2],
            &[5, 4, 5],
        ])
    );
    let primes = prime_paths(&theory, ALL).paths;
    assert_eq!(
        nodes(&theory, &primes),
        set(&[
            &[1, 2, 3, 4, 5],
            &[2, 3, 4, 2],
            &[3, 4, 2, 3],
            &[3, 4, 2, 6],
            &[4, 2, 3, 4],
            &[5, 4, 2, 3],
            &[5, 4, 2, 6],
            &[1, 2, 6],
            &[4, 5, 4],
            &[5, 4, 5],
        ])
    );
    let demo = demo();
    assert_eq!(
        nodes(&demo, &prime_paths(&demo, ALL).paths),
        set(&[
            &[4, 5, 6, 7, 9, 10],
            &[4, 5, 6, 7, 8, 10],
            &[3, 5, 6, 7, 9, 10],
            &[3, 5, 6, 7, 8, 10],
            &[2, 6, 7, 9, 10],
            &[2, 6, 7, 8, 10],
            &[2, 6, 3, 5, 4],
            &[4, 5, 6, 3],
            &[5, 6, 3, 5],
            &[3, 5, 6, 3],
            &[6, 3, 5, 6],
            &[4, 5, 4],
            &[5, 4, 5],
        ])
    );
    let figure = figure();
    assert_eq!(
        nodes(&figure, &prime_paths(&figure, ALL).paths),
        set(&[
            &[2, 4, 5, 6, 8],
            &[2, 4, 5, 7, 8],
            &[3, 4, 5, 6, 8],
            &[3, 4, 5, 7, 8],
            &[2, 4, 3],
            &[3, 4, 3],
            &[4, 3, 4],
        ])
    );
}

#[test]
fn a_suite_for_edge_pairs_misses_one_prime_path() {
    let graph = theory();
    let suite: [&[u32]; 3] = [&[1, 2, 3, 4, 5, 4, 5, 4, 2, 6], &[1, 2, 6], &[1, 2, 3, 4, 2, 3, 4, 2, 6]];
    let met = |path: &Path| suite.iter().any(|test| tours(&graph, test, path) == Tour::Direct);
    assert!(paths_of_length(&graph, 2, ALL).paths.iter().all(met));
    let missed: Vec<Path> = prime_paths(&graph, ALL).paths.into_iter().filter(|p| !met(p)).collect();
    assert_eq!(nodes(&graph, &missed), set(&[&[5, 4, 2, 3]]));
}

fn tours(graph: &Graph, walk: &[u32], path: &Path) -> Tour {
    let walk = Path::along(graph, walk).unwrap();
    tour(walk.start, &walk.edges, |e| graph.to(e), path)
}

#[test]
fn side_trips_come_back_to_where_they_left() {
    let graph = theory();
    let path = Path::along(&graph, &[1, 2, 6]).unwrap();
    assert_eq!(tours(&graph, &[1, 2, 6], &path), Tour::Direct);
    assert_eq!(tours(&graph, &[1, 2, 3, 4, 2, 6], &path), Tour::WithSideTrips);
    let other = Path::along(&graph, &[5, 4, 5]).unwrap();
    assert_eq!(tours(&graph, &[1, 2, 3, 4, 2, 6], &other), Tour::No);
    let node = Path::node(GraphNode(4));
    assert_eq!(tours(&graph, &[1, 2, 3, 4, 2, 6], &node), Tour::Direct);
    assert_eq!(tours(&graph, &[1, 2, 6], &node), Tour::No);
}

/// Choices one after the other: twice as many paths with each.
fn diamonds(count: u32) -> Graph {
    let mut edges = Vec::new();
    for i in 0..count {
        let at = i * 3;
        edges.extend([(at, at + 1), (at, at + 2), (at + 1, at + 3), (at + 2, at + 3)]);
    }
    Graph::from_edges(count as usize * 3 + 1, &edges, &[0], &[count * 3])
}

#[test]
fn consecutive_choices_do_not_blow_up() {
    let graph = diamonds(16);
    assert_eq!(prime_paths(&graph, ALL).paths.len(), 1 << 16);
    // Under a limit only what is asked for is made: the work does not depend on how many there are.
    let limit = Limit { paths: 100, steps: 1_000 };
    for count in [16, 60] {
        let graph = diamonds(count);
        let listed = prime_paths(&graph, limit);
        assert!(listed.cut);
        assert_eq!(listed.paths.len(), 100);
        assert!(listed.paths.iter().all(|p| p.edges.len() == 2 * count as usize));
        assert_eq!(complete_paths(&graph, 1, limit).paths.len(), 100);
        let span =
            Span { from: GraphNode(0), to: GraphNode(count * 3), last: None, at_once: false, arrives: true };
        let whole = du_paths(&graph, span, &|_| false, limit);
        assert_eq!((whole.paths.len(), whole.cut), (100, true));
        assert_eq!(paths_of_length(&graph, 2, ALL).paths.len(), 6 * count as usize - 4);
    }
}

#[test]
fn loops_of_empty_blocks_end() {
    // A node that leads to itself, and two that lead to each other for ever.
    let graph = Graph::from_edges(4, &[(0, 0), (0, 1), (1, 2), (2, 1)], &[0], &[3]);
    let primes = nodes(&graph, &prime_paths(&graph, ALL).paths);
    assert_eq!(primes, set(&[&[0, 0], &[0, 1, 2], &[1, 2, 1], &[2, 1, 2]]));
    assert_eq!(complete_paths(&graph, 3, ALL).paths, []);
    let single = Graph::from_edges(1, &[], &[0], &[0]);
    for length in 0..3 {
        assert_eq!(nodes(&single, &paths_of_length(&single, length, ALL).paths), set(&[&[0]]));
    }
    assert_eq!(nodes(&single, &prime_paths(&single, ALL).paths), set(&[&[0]]));
    assert_eq!(nodes(&single, &complete_paths(&single, 1, ALL).paths), set(&[&[0]]));
}

#[test]
fn edges_between_the_same_nodes_are_different_paths() {
    let graph = Graph::from_edges(2, &[(0, 1), (0, 1)], &[0], &[1]);
    assert_eq!(prime_paths(&graph, ALL).paths.len(), 2);
    assert_eq!(paths_of_length(&graph, 1, ALL).paths.len(), 2);
    assert_eq!(complete_paths(&graph, 1, ALL).paths.len(), 2);
}

#[test]
fn a_bound_on_rounds_bounds_complete_paths() {
    let graph = figure();
    let paths = |rounds| complete_paths(&graph, rounds, ALL).paths.len();
    assert_eq!((paths(0), paths(1), paths(2), paths(5)), (2, 4, 6, 12));
}

#[test]
fn round_trips_are_the_closed_prime_paths() {
    let graph = theory();
    let trips = nodes(&graph, &round_trips(&graph, ALL).paths);
    assert_eq!(trips, set(&[&[2, 3, 4, 2], &[3, 4, 2, 3], &[4, 2, 3, 4], &[4, 5, 4], &[5, 4, 5]]));
    let on_cycle: Vec<u32> = (1..7).filter(|n| has_round_trip(&graph, GraphNode(*n))).collect();
    assert_eq!(on_cycle, [2, 3, 4, 5]);
}

// Brute force.

fn all_simple_paths(graph: &Graph) -> Vec<Path> {
    let reachable = graph.reachable();
    let mut found: Vec<Path> = graph.nodes().filter(|n| reachable[n.0 as usize]).map(Path::node).collect();
    let mut at = 0;
    while at < found.len() {
        let path = found[at].clone();
        at += 1;
        if path.is_cycle(graph) {
            continue;
        }
        let on_path = path.nodes(graph);
        for edge in graph.succs(path.end(graph)) {
            let to = graph.to(*edge);
            if to == path.start || !on_path.contains(&to) {
                let mut longer = path.clone();
                longer.edges.push(*edge);
                found.push(longer);
            }
        }
    }
    found
}

fn is_part(graph: &Graph, part: &Path, whole: &Path) -> bool {
    tour(whole.start, &whole.edges, |e| graph.to(e), part) == Tour::Direct
}

fn brute_primes(graph: &Graph) -> BTreeSet<Path> {
    let simple = all_simple_paths(graph);
    let prime =
        |p: &&Path| !simple.iter().any(|q| q != *p && q.edges.len() > p.edges.len() && is_part(graph, p, q));
    simple.iter().filter(prime).cloned().collect()
}

fn random_graph() -> impl Strategy<Value = Graph> {
    (2_usize..7).prop_flat_map(|n| {
        let node = 0..n as u32;
        proptest::collection::vec((node.clone(), node), 1..11)
            .prop_map(move |edges| Graph::from_edges(n, &edges, &[0], &[n as u32 - 1]))
    })
}

/// Random walks from the start.
fn random_suite(graph: &Graph, picks: &[Vec<usize>]) -> Vec<Path> {
    let mut suite = Vec::new();
    for test in picks {
        let mut path = Path::node(GraphNode(0));
        for pick in test {
            let succs = graph.succs(path.end(graph));
            if succs.is_empty() {
                break;
            }
            path.edges.push(succs[pick % succs.len()]);
        }
        suite.push(path);
    }
    suite
}

fn satisfies(graph: &Graph, suite: &[Path], paths: &[Path]) -> bool {
    paths.iter().all(|p| suite.iter().any(|test| is_part(graph, p, test)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn prime_paths_are_those_of_brute_force(graph in random_graph()) {
        let mut primes = PrimePaths::new(&graph, 1 << 20);
        let found: Vec<Path> = primes.by_ref().collect();
        prop_assert!(!primes.was_cut());
        let set: BTreeSet<Path> = found.iter().cloned().collect();
        prop_assert_eq!(set.len(), found.len(), "none twice");
        prop_assert_eq!(set, brute_primes(&graph));
    }

    #[test]
    fn du_paths_are_those_of_brute_force(graph in random_graph(), defs in proptest::collection::vec(any::<bool>(), 7)) {
        let redefines = |n: GraphNode| defs[n.0 as usize];
        let simple = all_simple_paths(&graph);
        for from in graph.nodes().filter(|n| graph.reachable()[n.0 as usize]) {
            for to in graph.nodes() {
                let span = Span { from, to, last: None, at_once: false, arrives: true };
                let listed = du_paths(&graph, span, &redefines, ALL);
                let found: BTreeSet<Path> = listed.paths.into_iter().collect();
                let clear = |p: &&Path| {
                    let nodes = p.nodes(&graph);
                    p.start == from && p.end(&graph) == to && nodes.len() > 1
                        && nodes[1..nodes.len() - 1].iter().all(|n| !redefines(*n))
                };
                let expected: BTreeSet<Path> = simple.iter().filter(clear).cloned().collect();
                prop_assert_eq!(found, expected);
                // A node that sets the variable and decides by it decides by what it set.
                for last in graph.succs(to).iter().copied() {
                    let span = Span { from, to, last: Some(last), at_once: true, arrives: false };
                    let found = du_paths(&graph, span, &redefines, ALL).paths;
                    let at_once = Path { start: from, edges: vec![last] };
                    prop_assert_eq!(found, if from == to { vec![at_once] } else { Vec::new() });
                }
            }
        }
    }

    #[test]
    fn complete_paths_are_those_of_brute_force(graph in random_graph(), rounds in 0_u32..2) {
        let listed = complete_paths(&graph, rounds, Limit { paths: 500, steps: 10_000 });
        prop_assume!(!listed.cut);
        let back = graph.retreating();
        let mut expected = BTreeSet::new();
        let mut open = vec![Path::node(GraphNode(0))];
        while let Some(path) = open.pop() {
            if graph.is_final(path.end(&graph)) {
                expected.insert(path.clone());
            }
            for edge in graph.succs(path.end(&graph)) {
                let before = path.edges.iter().filter(|e| *e == edge).count() as u32;
                if !back[edge.0 as usize] || before < rounds {
                    let mut longer = path.clone();
                    longer.edges.push(*edge);
                    open.push(longer);
                }
            }
        }
        let found: BTreeSet<Path> = listed.paths.iter().cloned().collect();
        prop_assert_eq!(found.len(), listed.paths.len());
        prop_assert_eq!(found, expected);
    }

    /// Whatever suite satisfies the stronger criterion satisfies the weaker one.
    #[test]
    fn criteria_subsume_each_other_as_the_literature_says(
        graph in random_graph(),
        picks in proptest::collection::vec(proptest::collection::vec(0_usize..8, 1..14), 1..6),
    ) {
        let suite = random_suite(&graph, &picks);
        let of = |length| paths_of_length(&graph, length, ALL).paths;
        let (node, edge, pair) = (of(0), of(1), of(2));
        let prime = prime_paths(&graph, ALL).paths;
        let complete: Vec<Path> = round_trips(&graph, ALL).paths;
        let has_self_edge = graph.edges().any(|e: GraphEdge| graph.from(e) == graph.to(e));
        let met = |paths: &[Path]| satisfies(&graph, &suite, paths);
        if met(&prime) {
            prop_assert!(met(&edge) && met(&complete));
            prop_assert!(has_self_edge || met(&pair));
        }
        if met(&pair) { prop_assert!(met(&edge)); }
        if met(&edge) { prop_assert!(met(&node)); }
        // Not only of suites that happen to: each weaker obligation is part of a stronger one.
        let within = |weak: &[Path], strong: &[Path]| {
            weak.iter().all(|w| strong.iter().any(|s| is_part(&graph, w, s)))
        };
        prop_assert!(within(&node, &edge) && within(&edge, &pair) && within(&edge, &prime));
        prop_assert!(has_self_edge || within(&pair, &prime));
    }
}
