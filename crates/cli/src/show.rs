//! `testwright show`: the IR, the control-flow graph, the ledger, the solver's questions.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use engine::java::entries::by_name;
use engine::java::explore::load;
use engine::{Worlds, prepare};

use crate::args::{ShowArgs, ShowWhat, config, places};
use crate::{End, Failure};

pub fn run(args: &ShowArgs, interrupt: &Arc<AtomicBool>) -> Result<End, Failure> {
    if let Some(file) = &args.cfg {
        return show_graph(args, file);
    }
    let mut config = config(&args.target, &args.search)?;
    let setup = prepare(&config, &places())?;
    if matches!(args.what, ShowWhat::Ir | ShowWhat::Cfg) {
        let mut vm = engine::unbooted(&setup.path)?;
        for target in &setup.targets {
            let class = load(&mut vm, target)?;
            for func in by_name(&mut vm, class, target, &config)?.into_iter().map(|entry| entry.func) {
                let Some(function) = vm.lang.ir(func) else {
                    println!("; {} is native", vm.lang.func_name(func));
                    continue;
                };
                match (args.what, args.dot) {
                    (ShowWhat::Cfg, _) if args.svg => {
                        print!("{}", report::picture::svg(&engine::pictures::plain(&function, &vm.lang)));
                    }
                    (ShowWhat::Cfg, true) => print!("{}", ir::dot::dot(&function, &vm.lang)),
                    (ShowWhat::Cfg, false) => print!("{}", cfg_text(&function)),
                    _ => print!("{}", ir::text::print_function(&function, &vm.lang)),
                }
            }
        }
        return Ok(End::Done);
    }
    let questions = Arc::new(Mutex::new(Vec::new()));
    config.questions = Some(questions.clone());
    let mut worlds = Worlds::boot(&config, &setup.path, interrupt, &mut |_| {})?;
    for target in &setup.targets {
        let result = worlds.explore(&config, target, Instant::now(), &mut |_| {})?;
        if args.what == ShowWhat::Ledger {
            for (entry, count) in result.ledger().iter() {
                println!(
                    "{} x{count} at {}: {} ({})",
                    entry.kind.code(),
                    entry.place,
                    entry.kind.text(),
                    entry.reason
                );
            }
        }
    }
    if args.what == ShowWhat::Smt {
        let questions =
            questions.lock().map_err(|_| Failure::Failed("the questions were lost".to_string()))?;
        questions.iter().for_each(|q| println!("{q}"));
    }
    Ok(End::Done)
}

/// A graph of another tool: its picture, or its nodes and edges.
fn show_graph(args: &ShowArgs, file: &Path) -> Result<End, Failure> {
    if args.what != ShowWhat::Cfg || args.dot {
        return Err(Failure::Usage("of a graph only 'show cfg' is known, as text or with --svg".to_string()));
    }
    let (_, cfg) = crate::flow::load(file, 32)?;
    if args.svg {
        print!("{}", report::picture::svg(&engine::flow::plain_drawing(&cfg)));
        return Ok(End::Done);
    }
    println!("{}", cfg.name);
    for node in cfg.shape.nodes() {
        println!("  {}", cfg.node(node).name);
        for statement in &cfg.node(node).statements {
            println!("    {}", cfg.statement_text(statement));
        }
        for edge in cfg.shape.succs(node) {
            let to = &cfg.node(cfg.shape.to(*edge)).name;
            match cfg.condition_text(*edge) {
                Some(condition) => println!("    -> {to} if {condition}"),
                None => println!("    -> {to}"),
            }
        }
    }
    Ok(End::Done)
}

/// The blocks of a function with their lines and where they go.
fn cfg_text(function: &ir::Function) -> String {
    let cfg = ir::Cfg::new(function);
    let mut text = format!("{}\n", function.name);
    for block in function.blocks.keys() {
        let range = function.blocks[block];
        let mut lines: Vec<u32> = (range.start..range.end)
            .map(|i| function.positions[i as usize].line)
            .filter(|line| *line != 0)
            .collect();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        let names =
            |blocks: Vec<ir::BlockId>| blocks.iter().map(|b| b.to_string()).collect::<Vec<_>>().join(" ");
        text.push_str(&format!(
            "  {block}: lines {} -> {}",
            lines.join(","),
            names(cfg.succs(block, ir::Edges::Normal).collect())
        ));
        if let Some(unwind) = range.unwind {
            text.push_str(&format!(" unwind {unwind}"));
        }
        text.push('\n');
    }
    text
}
