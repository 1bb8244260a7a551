//! Control-flow graphs of lowered functions as drawings, coloured by what a report says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use coverage::graph::{GraphEdge, GraphNode};
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
        let title = match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first != last => format!("line {first}–{last}"),
            (Some(first), _) => format!("line {first}"),
            _ => node.block.to_string(),
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
            false => missing.blocks.get(&block).copied().unwrap_or_default(),
        };
        let edge = |from: BlockId, choice: Option<u32>, to: BlockId| match seen
            .edges
            .contains(&(from.0, choice, to.0))
        {
            true => State::Covered,
            false => missing.edges.get(&(from, choice, to)).copied().unwrap_or_default(),
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

/// What obligations that are not covered are about.
#[derive(Default)]
struct Missing {
    blocks: BTreeMap<BlockId, State>,
    edges: BTreeMap<(BlockId, Option<u32>, BlockId), State>,
}

impl Missing {
    fn new<'o>(flow: &Flow, told: impl Iterator<Item = (&'o Obligation, Verdict)>) -> Missing {
        let mut missing = Missing::default();
        for (obligation, verdict) in told.filter(|(_, verdict)| *verdict != Verdict::Covered) {
            let mut edges: Vec<GraphEdge> = Vec::new();
            match &obligation.demand {
                Demand::Paths(paths) => edges.extend(paths.iter().flat_map(|path| &path.edges)),
                Demand::Whole(path) => edges.extend(&path.edges),
                // Of the pairs that would show a condition, all that their evaluations pass.
                Demand::Both(pairs) => {
                    edges.extend(pairs.iter().flatten().flatten().flat_map(|path| &path.edges));
                }
                Demand::Points => {
                    for target in &obligation.targets {
                        match target {
                            Target::Enter(block) => missing.raise_block(*block, state(verdict)),
                            Target::Take { index, position } => {
                                edges.extend(flow.edges_by(*index, *position))
                            }
                            Target::Execute(_) | Target::Raise(_) => {}
                        }
                    }
                }
                Demand::RoundTrip(node) => missing.raise_block(flow.block(*node), state(verdict)),
                Demand::Loop { .. } | Demand::DefUse(_) | Demand::Impossible(_) => {
                    for target in &obligation.targets {
                        if let Target::Enter(block) = target {
                            missing.raise_block(*block, state(verdict));
                        }
                    }
                }
            }
            for edge in edges {
                let [from, to] = [flow.graph.from(edge), flow.graph.to(edge)].map(|n| flow.block(n));
                let choice = flow.taken(edge).map(|(_, choice)| choice);
                raise(missing.edges.entry((from, choice, to)).or_default(), state(verdict));
                missing.raise_block(from, state(verdict));
                missing.raise_block(to, state(verdict));
            }
        }
        missing
    }

    fn raise_block(&mut self, block: BlockId, to: State) {
        raise(self.blocks.entry(block).or_default(), to);
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

/// The source of a class where build tools keep it, next to the classes.
fn source(config: &Config, target: &report::Target) -> Option<Source> {
    let outer = target.class.split('$').next()?.replace('.', "/");
    let roots = |entry: &PathBuf| -> Vec<PathBuf> {
        [
            "",
            "../../src/main/java",
            "../../../../src/main/java",
            "../../src/main/kotlin",
            "../src",
            "src/main/java",
            "src",
        ]
        .iter()
        .map(|r| entry.join(r))
        .collect()
    };
    let roots = config.class_path.iter().filter(|p| p.is_dir()).flat_map(roots);
    let source = target.source.clone().unwrap_or_else(|| format!("{outer}.java"));
    let file = roots.map(|root| root.join(&source)).find(|file| file.is_file())?;
    let text = fs::read_to_string(&file).ok()?;
    let mut lines: BTreeMap<u32, State> = BTreeMap::new();
    for o in target.obligations.iter().filter(|o| o.line > 0) {
        let new = state(o.verdict);
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
