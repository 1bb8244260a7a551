//! Control-flow graphs of lowered functions as drawings, coloured by what a report says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use coverage::graph::{Graph, GraphEdge, GraphNode, Path};
use coverage::{Demand, Flow, Obligation, Projection, Target};
use ir::{BlockId, ClassId, FuncId, Function, Names};
use jvm::load::access;
use jvm::world::Jvm;
use report::html::{MethodPicture, Source};
use report::picture::{Drawing, DrawnEdge, DrawnNode, State};
use report::{SeenFlow, Verdict};

use crate::config::Config;
use crate::generate::{Places, prepare, unbooted};
use crate::java::explore::load;

/// What became of the blocks and edges of a function's projected graph.
pub struct Colours<'a> {
    pub block: &'a dyn Fn(BlockId) -> State,
    /// An edge by its blocks, and the choice of the branch that it leaves by.
    pub edge: &'a dyn Fn(BlockId, Option<u32>, BlockId) -> State,
}

/// The projected graph of a function of which nothing is known.
pub fn plain(function: &Function, names: &dyn Names) -> Drawing {
    let projection = Projection::new(function, names);
    let flow = Flow::new(&projection);
    draw(&projection, &flow, &Colours { block: &|_| State::Plain, edge: &|_, _, _| State::Plain })
}

/// The projected graph of a function: blocks that hold code of the source, and the ways between them.
fn draw(projection: &Projection, flow: &Flow, colours: &Colours) -> Drawing {
    let function = projection.func;
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    let ways = (0..projection.nodes.len() as u32).flat_map(|i| flow.graph.succs(GraphNode(i)));
    let entered: BTreeSet<usize> = ways.map(|edge| flow.graph.to(*edge).0 as usize).collect();
    for (i, node) in projection.nodes.iter().enumerate() {
        let range = function.blocks[node.block];
        let mut lines: Vec<u32> = (range.start..range.end)
            .map(|at| function.positions[at as usize].line)
            .filter(|line| *line != 0)
            .collect();
        lines.sort_unstable();
        lines.dedup();
        // Obligations name blocks by their numbers.
        let block = node.block;
        let title = match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first != last => format!("{block}: line {first}–{last}"),
            (Some(first), _) => format!("{block}: line {first}"),
            _ => block.to_string(),
        };
        nodes.push(DrawnNode {
            name: title,
            text: match i > 0 && !entered.contains(&i) {
                true => vec!["on exception".to_string()],
                false => Vec::new(),
            },
            hint: format!("block {}", node.block),
            state: (colours.block)(node.block),
            exit: node.succs.is_empty(),
        });
        let all = projection.branches.iter().flat_map(|b| std::iter::once(b).chain(&b.copies));
        let branch = all.into_iter().find(|b| b.index == range.end - 1);
        for edge in flow.graph.succs(GraphNode(i as u32)) {
            let to = flow.graph.to(*edge);
            let choice = flow.taken(*edge).map(|(_, choice)| choice);
            let way = branch.and_then(|b| b.choices.get(choice? as usize));
            edges.push(DrawnEdge {
                from: i,
                to: to.0 as usize,
                text: way.map(|choice| choice.text.clone()).unwrap_or_default(),
                state: (colours.edge)(node.block, choice, flow.block(to)),
                thin: false,
            });
        }
    }
    Drawing { title: jvm::title(&function.name), nodes, edges }
}

/// The methods of a class as a report tells of them, and its source if it is found beside the class path. What cannot be
/// loaded again has no picture.
pub fn of_class(
    config: &Config,
    places: &Places,
    target: &report::Target,
) -> (Vec<MethodPicture>, Option<Source>) {
    let pictures = pictures(config, places, target).unwrap_or_default();
    (pictures, source(config, target))
}

fn pictures(config: &Config, places: &Places, target: &report::Target) -> Option<Vec<MethodPicture>> {
    let config = Config { targets: vec![target.class.clone()], run: false, ..config.clone() };
    let setup = prepare(&config, places).ok()?;
    let mut vm = unbooted(&setup.path).ok()?;
    // As when it was explored: instructions are told by their place.
    vm.lang.options.boundaries = config.criterion_options.boundary;
    let class_target = setup.targets.first()?;
    let class = load(&mut vm, class_target).ok()?;
    let mut pictures = Vec::new();
    let nested = class_target.nested.iter().filter_map(|name| Jvm::class(&mut vm.lang, name).ok());
    let classes: Vec<ClassId> = std::iter::once(class).chain(nested).collect();
    let functions: Vec<FuncId> =
        classes.iter().flat_map(|class| vm.lang.classes[*class].functions()).collect();
    for func in functions {
        if vm.lang.funcs[func].access & (access::ABSTRACT | access::NATIVE) != 0 {
            continue;
        }
        let Some(function) = vm.lang.ir(func) else { continue };
        let told: Vec<Verdict> =
            target.obligations.iter().filter(|o| o.function == function.name).map(|o| o.verdict).collect();
        if told.is_empty() {
            continue;
        }
        let projection = Projection::new(&function, &vm.lang);
        let flow = Flow::new(&projection);
        // The same function owes the same in the same order.
        let owed = config.criterion.owed(&projection, &flow, &config.criterion_options).obligations;
        let missing = Missing::new(&flow, owed.iter().zip(told));
        let none = SeenFlow::default();
        let seen = target.seen.get(&function.name).unwrap_or(&none);
        let block = |block: BlockId| match seen.blocks.contains(&block.0) {
            true => State::Covered,
            false => flow.node(block).map_or(State::Plain, |n| missing.nodes[n.0 as usize]),
        };
        let edge = |from: BlockId, choice: Option<u32>, to: BlockId| match seen
            .edges
            .contains(&(from.0, choice, to.0))
        {
            true => State::Covered,
            false => {
                let ends = flow.node(from).zip(flow.node(to));
                let edge = ends.and_then(|(from, to)| flow.edge(from, choice, to));
                edge.map_or(State::Plain, |e| missing.edges[e.0 as usize])
            }
        };
        let drawing = draw(&projection, &flow, &Colours { block: &block, edge: &edge });
        let lines = function.positions.iter().map(|p| p.line).filter(|line| *line != 0);
        pictures.push(MethodPicture {
            function: function.name.clone(),
            name: jvm::title(&function.name),
            drawing,
            lines: lines.clone().min().zip(lines.max()),
        });
    }
    pictures.sort_by_key(|picture| picture.lines);
    Some(pictures)
}

/// What obligations that are not covered are about, by node and edge.
struct Missing {
    nodes: Vec<State>,
    edges: Vec<State>,
}

impl Missing {
    /// All that is on a way which is open is open. That a longer way is infeasible says nothing of its parts: only a
    /// block or an edge that nothing reaches is infeasible, and what can be reached by such alone.
    fn new<'o>(flow: &Flow, told: impl Iterator<Item = (&'o Obligation, Verdict)>) -> Missing {
        let graph = &flow.graph;
        let mut missing = Missing {
            nodes: vec![State::Plain; graph.len()],
            edges: vec![State::Plain; graph.edges().count()],
        };
        for (obligation, verdict) in told.filter(|(_, verdict)| *verdict != Verdict::Covered) {
            let to = state(verdict);
            let mut paths: Vec<Path> = match &obligation.demand {
                Demand::Paths(paths) => paths.clone(),
                Demand::Whole(path) | Demand::DuPath(_, path) => vec![path.clone()],
                // Of the pairs that would show a condition, all that their evaluations pass.
                Demand::Both(pairs) => pairs.iter().flatten().flatten().cloned().collect(),
                Demand::Points => Vec::new(),
                Demand::RoundTrip(node) => vec![Path::node(*node)],
                Demand::Loop { .. } | Demand::DefUse(_) | Demand::Impossible(_) => Vec::new(),
            };
            let exact = matches!(obligation.demand, Demand::Points);
            for target in &obligation.targets {
                match target {
                    Target::Enter(block) if exact || to == State::Open => {
                        paths.extend(flow.node(*block).map(Path::node));
                    }
                    Target::Take { index, position } if exact => {
                        let edge = |e| Path { start: graph.from(e), edges: vec![e] };
                        paths.extend(flow.edges_by(*index, *position).map(edge));
                    }
                    _ => {}
                }
            }
            let one = matches!(obligation.demand, Demand::Points | Demand::Paths(_));
            if to == State::Open {
                paths.iter().for_each(|path| missing.open(graph, path));
            } else if one && paths.iter().all(|path| path.edges.len() <= 1) {
                paths.iter().for_each(|path| missing.rule_out(path));
            }
        }
        spread(graph, &mut missing.nodes, &mut missing.edges);
        missing
    }

    fn open(&mut self, graph: &Graph, path: &Path) {
        path.edges.iter().for_each(|e| raise(&mut self.edges[e.0 as usize], State::Open));
        path.nodes(graph).iter().for_each(|n| raise(&mut self.nodes[n.0 as usize], State::Open));
    }

    fn rule_out(&mut self, path: &Path) {
        match path.edges.first() {
            Some(edge) => raise(&mut self.edges[edge.0 as usize], State::Infeasible),
            None => raise(&mut self.nodes[path.start.0 as usize], State::Infeasible),
        }
    }
}

/// What can only be reached by way of what is infeasible is so too.
pub(crate) fn spread(graph: &Graph, nodes: &mut [State], edges: &mut [State]) {
    let reachable = graph.reachable();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for node in graph.nodes().filter(|n| reachable[n.0 as usize] && !graph.starts().contains(n)) {
            let dead = |e: &GraphEdge| edges[e.0 as usize] == State::Infeasible;
            if nodes[node.0 as usize] == State::Plain && graph.preds(node).iter().all(dead) {
                nodes[node.0 as usize] = State::Infeasible;
                changed = true;
            }
        }
        for edge in graph.edges() {
            let from = nodes[graph.from(edge).0 as usize];
            if from == State::Infeasible && edges[edge.0 as usize] == State::Plain {
                edges[edge.0 as usize] = State::Infeasible;
                changed = true;
            }
        }
    }
}

/// Open wins over infeasible: something may still go there.
fn raise(state: &mut State, to: State) {
    if *state == State::Plain || to == State::Open {
        *state = to;
    }
}

fn state(verdict: Verdict) -> State {
    match verdict {
        Verdict::Covered => State::Covered,
        Verdict::Infeasible => State::Infeasible,
        Verdict::Open => State::Open,
    }
}

/// A source file below a folder, and its text. Compilers do not insist on folders for packages, nor do Kotlin's conventions: one that
/// lacks some of them is taken if it says that it belongs to the package.
fn find_source(root: &std::path::Path, source: &str) -> Option<(PathBuf, String)> {
    let package = source.rsplit_once('/').map_or(String::new(), |(folders, _)| folders.replace('/', "."));
    let is_of_package = |text: &str| {
        let declared = text.lines().filter_map(|line| line.trim().strip_prefix("package "));
        declared.map(|rest| rest.split(';').next().unwrap_or_default().trim()).any(|name| name == package)
    };
    let starts = std::iter::once(0).chain(source.match_indices('/').map(|(slash, _)| slash + 1));
    starts.filter_map(|start| source.get(start..)).find_map(|path| {
        let file = root.join(path);
        let text = fs::read_to_string(&file).ok()?;
        (path == source || is_of_package(&text)).then_some((file, text))
    })
}

/// The source of a class, where the user says it is or where build tools keep it, next to the classes.
fn source(config: &Config, target: &report::Target) -> Option<Source> {
    let outer = target.class.split('$').next()?.replace('.', "/");
    let roots = |entry: &PathBuf| -> Vec<PathBuf> {
        [
            "",
            "../../src/main/java",
            "../../../../src/main/java",
            "../../src/main/kotlin",
            "../../../../src/main/kotlin",
            "../src",
            "src/main/java",
            "src",
        ]
        .iter()
        .map(|r| entry.join(r))
        .collect()
    };
    let beside = config.class_path.iter().filter(|p| p.is_dir()).flat_map(roots);
    let roots = config.source_path.iter().cloned().chain(beside);
    let source = target.source.clone().unwrap_or_else(|| format!("{outer}.java"));
    let (file, text) = roots.into_iter().find_map(|root| find_source(&root, &source))?;
    let mut lines: BTreeMap<u32, State> = BTreeMap::new();
    for o in target.obligations.iter().filter(|o| o.line > 0) {
        let new = state(o.verdict);
        // That a way over several lines is infeasible says nothing of the one where it begins.
        let is_way = ["path", "loop", "data-flow"].contains(&&*o.kind);
        if is_way && new == State::Infeasible {
            continue;
        }
        let now = lines.entry(o.line).or_insert(new);
        // What is missing is what one looks for.
        if new == State::Open || new == State::Infeasible && *now == State::Covered {
            *now = new;
        }
    }
    // Lines on which nothing is asked for are shown as executed or not.
    for (line, executed) in &target.lines {
        let state = if *executed { State::Covered } else { State::Plain };
        lines.entry(*line).or_insert(state);
    }
    Some(Source { file: file.display().to_string(), text, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_infeasible_edges_lead_to_is_infeasible() {
        let graph = Graph::from_edges(4, &[(0, 1), (0, 3), (1, 2), (2, 1), (2, 3)], &[0], &[3]);
        let mut nodes = vec![State::Plain; 4];
        let mut edges = vec![State::Plain; 5];
        edges[0] = State::Infeasible;
        spread(&graph, &mut nodes, &mut edges);
        // The loop of 1 and 2 leads to itself: nothing is said of it.
        assert_eq!(nodes, [State::Plain; 4]);
        let graph = Graph::from_edges(4, &[(0, 1), (0, 3), (1, 2), (2, 3)], &[0], &[3]);
        edges = vec![State::Infeasible, State::Plain, State::Plain, State::Plain];
        spread(&graph, &mut nodes, &mut edges);
        assert_eq!(nodes, [State::Plain, State::Infeasible, State::Infeasible, State::Plain]);
        assert_eq!(edges[2..], [State::Infeasible; 2]);
    }
}
