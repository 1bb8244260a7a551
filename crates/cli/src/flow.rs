//! `testwright cover --cfg FILE`.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::flow::{self, Flow};
use graph::{Cfg, Options, Suite};

use crate::args::{CoverArgs, ReportArg};
use crate::explore::DEFAULT_PATHS;
use crate::{End, Failure};

pub fn run(args: &CoverArgs, interrupt: &Arc<AtomicBool>) -> Result<End, Failure> {
    let Some(file) = &args.graph.cfg else { return Err(Failure::Usage("no graph".to_string())) };
    let (name, cfg) = load(file, args.graph.int_width)?;
    let found = find(args, &name, &cfg, interrupt, &mut |_, _| {})?;
    match args.json {
        true => print!("{}", found.report.to_json()),
        false => print!("{}", found.report.to_text()),
    }
    args.report.iter().try_for_each(|wanted| write(wanted, &found))?;
    Ok(End::Done)
}

/// What is asked for of a graph.
pub fn find(
    args: &CoverArgs,
    name: &str,
    cfg: &Cfg,
    interrupt: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Flow, Failure> {
    if args.search.boundary {
        return Err(Failure::Usage(
            "--boundary is for compiled code; a graph has no boundary values".to_string(),
        ));
    }
    let options = Options {
        cost: args.cost,
        max_obligations: args.search.criterion_limit.max(1),
        rounds: args.search.path_rounds,
        work: args.search.work,
        suite: if args.graph.each { Suite::Each } else { Suite::Minimal },
        seed: args.search.seed,
    };
    if args.paths {
        let most = args.search.max_paths.unwrap_or(DEFAULT_PATHS).try_into().unwrap_or(usize::MAX);
        return Ok(flow::paths(name, cfg, &options, most, interrupt, &mut |_| {}));
    }
    Ok(flow::cover(name, cfg, args.search.criterion.name(), &options, interrupt, progress)?)
}

/// Reads a graph; with its name for messages.
pub fn load(file: &Path, int_width: u32) -> Result<(String, Cfg), Failure> {
    let name = file.display().to_string();
    let bytes = fs::read(file).map_err(|e| Failure::Failed(format!("cannot read {name}: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::Failed(format!("{name} is not UTF-8 text")))?;
    let mut cfg = flow::read(&name, &text, int_width)?;
    if cfg.name == "graph"
        && let Some(stem) = file.file_stem()
    {
        // The simple form has no name of its own.
        cfg.name = stem.to_string_lossy().into_owned();
    }
    Ok((name, cfg))
}

fn write(wanted: &ReportArg, found: &Flow) -> Result<(), Failure> {
    let failed = |path: &Path, e: std::io::Error| {
        Failure::Failed(format!("cannot write the report {}: {e}", path.display()))
    };
    match wanted {
        ReportArg::Json(path) => {
            crate::reports::write_file(path, &found.report.to_json()).map_err(|e| failed(path, e))
        }
        ReportArg::Html(dir) => {
            let page = report::html::cover_page(&found.report, &found.drawing, found.source.as_ref());
            let write = || {
                fs::create_dir_all(dir)?;
                fs::write(dir.join("index.html"), page)?;
                fs::write(dir.join("cfg.svg"), report::picture::svg(&found.drawing))
            };
            write().map_err(|e| failed(dir, e))
        }
        ReportArg::Sarif(_) | ReportArg::Lcov(_) => {
            Err(Failure::Usage("of a graph json=FILE and html=DIR are written".to_string()))
        }
    }
}
