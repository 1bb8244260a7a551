//! Control-flow graphs of lowered functions as drawings, coloured by what a report says.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use coverage::{Choice, Projection};
use ir::{BlockId, Function, Names};
use report::html::{MethodPicture, Source};
use report::picture::{Drawing, DrawnEdge, DrawnNode, State};
use report::{Target, Verdict};

use crate::config::Config;
use crate::generate::{Places, prepare, unbooted};
use crate::java::entries::by_name;
use crate::java::explore::load;

/// The projected graph of a function of which nothing is known.
pub fn plain(function: &Function, names: &dyn Names) -> Drawing {
    draw(function, names, &|_| State::Plain, &|_, _| State::Plain)
}

/// The projected graph of a function: blocks that hold code of the source, with what became of blocks and of the ways
/// that branches go (by code index of the branch and place of the choice).
pub fn draw(
    function: &Function,
    names: &dyn Names,
    block: &dyn Fn(BlockId) -> State,
    choice: &dyn Fn(u32, usize) -> State,
) -> Drawing {
    let graph = Projection::new(function, names);
    let place = |b: BlockId| graph.nodes.iter().position(|n| n.block == b);
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        let range = function.blocks[node.block];
        let mut lines: Vec<u32> = (range.start..range.end)
            .map(|at| function.positions[at as usize].line)
            .filter(|line| *line != 0)
            .collect();
        lines.sort_unstable();
        lines.dedup();
        let title = match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first != last => format!("{first}–{last}"),
            (Some(first), _) => first.to_string(),
            _ => String::new(),
        };
        nodes.push(DrawnNode {
            name: if title.is_empty() { node.block.to_string() } else { format!("line {title}") },
            text: Vec::new(),
            hint: format!("block {}", node.block),
            state: block(node.block),
            exit: node.succs.is_empty(),
        });
        let last = range.end - 1;
        let branch = graph.branches.iter().find(|b| b.index == last);
        for succ in &node.succs {
            let Some(to) = place(*succ) else { continue };
            let way: Option<(usize, &Choice)> = branch.and_then(|b| {
                b.choices.iter().enumerate().find(|(_, c)| c.target == *succ || node.succs.len() == 1)
            });
            let state = match way {
                Some((c, _)) => choice(last, c),
                None if block(node.block) == State::Covered && node.succs.len() == 1 => block(*succ),
                None => State::Plain,
            };
            let text = way.map(|(_, c)| c.text.clone()).unwrap_or_default();
            edges.push(DrawnEdge { from: i, to, text, state, thin: false });
        }
    }
    Drawing { title: function.name.clone(), nodes, edges }
}

/// The methods of a class as a report tells of them, and its source if it is found beside the class path. What cannot be
/// loaded again has no picture.
pub fn of_class(config: &Config, places: &Places, target: &Target) -> (Vec<MethodPicture>, Option<Source>) {
    let pictures = pictures(config, places, target).unwrap_or_default();
    (pictures, source(config, target))
}

fn pictures(config: &Config, places: &Places, target: &Target) -> Option<Vec<MethodPicture>> {
    let config = Config { targets: vec![target.class.clone()], run: false, ..config.clone() };
    let setup = prepare(&config, places).ok()?;
    let mut vm = unbooted(&setup.path).ok()?;
    let class_target = setup.targets.first()?;
    let class = load(&mut vm, class_target).ok()?;
    let told: BTreeMap<(&str, &str), State> = target
        .obligations
        .iter()
        .map(|o| ((o.function.as_str(), o.text.as_str()), state(o.verdict)))
        .collect();
    let mut pictures = Vec::new();
    for func in by_name(&mut vm, class, class_target, &config).ok()?.into_iter().map(|entry| entry.func) {
        let Some(function) = vm.lang.ir(func) else { continue };
        let explored = told.keys().any(|(name, _)| *name == function.name);
        if !explored {
            continue;
        }
        let graph = Projection::new(&function, &vm.lang);
        let choice = |index: u32, place: usize| {
            let Some(branch) = graph.branches.iter().find(|b| b.index == index) else { return State::Plain };
            let Some(choice) = branch.choices.get(place) else { return State::Plain };
            let text = match branch.line {
                0 => choice.text.clone(),
                line => format!("line {line}: {}", choice.text),
            };
            told.get(&(function.name.as_str(), text.as_str())).copied().unwrap_or_default()
        };
        let mut drawing = draw(&function, &vm.lang, &|_| State::Plain, &choice);
        spread(&mut drawing);
        pictures.push(MethodPicture { name: function.name.clone(), drawing, decisions: Vec::new() });
    }
    Some(pictures)
}

/// A block is covered where a covered way leads to it, and so is the only way out of a covered block.
fn spread(drawing: &mut Drawing) {
    if drawing.edges.iter().all(|e| e.state == State::Plain) && drawing.nodes.len() > 1 {
        return;
    }
    if let Some(first) = drawing.nodes.first_mut() {
        first.state = State::Covered;
    }
    for _ in 0..drawing.nodes.len() {
        for i in 0..drawing.edges.len() {
            let edge = &drawing.edges[i];
            let (from, to) = (edge.from, edge.to);
            let only = drawing.edges.iter().filter(|e| e.from == from).count() == 1;
            if only && edge.state == State::Plain {
                let state = drawing.nodes[from].state;
                drawing.edges[i].state = state;
            }
            let state = drawing.edges[i].state;
            let node = &mut drawing.nodes[to].state;
            if state == State::Covered
                || *node == State::Plain
                || state == State::Open && *node == State::Infeasible
            {
                *node = state;
            }
        }
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
fn source(config: &Config, target: &Target) -> Option<Source> {
    let outer = target.class.split('$').next()?.replace('.', "/");
    let roots = |entry: &PathBuf| -> Vec<PathBuf> {
        ["", "../../src/main/java", "../../../../src/main/java", "../src", "src/main/java", "src"]
            .iter()
            .map(|r| entry.join(r))
            .collect()
    };
    let roots = config.class_path.iter().filter(|p| p.is_dir()).flat_map(roots);
    let file = roots.map(|root| root.join(format!("{outer}.java"))).find(|file| file.is_file())?;
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
    Some(Source { file: file.display().to_string(), text, lines })
}
