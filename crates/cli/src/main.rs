//! The command line: arguments, progress, messages, exit codes.
//!
//! In: what the user typed. Out: what was asked for on standard output, everything else on standard error,
//! and an exit code: 0 done, 1 failed, 2 wrong usage, 3 bugs were found and `--fail-on-bug` was given.

mod args;
mod explore;
mod flow;
mod generate;
mod progress;
mod replay;
mod reports;
mod seeds;
mod serve;
mod show;
mod stats;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;

use args::{Cli, Command};

/// A fifth faster than the C library's where workers free what others made.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended.
pub enum End {
    Done,
    /// Suspected bugs were found, and the user wanted to know by the exit code.
    BugsFound,
}

/// What a command could not do.
pub enum Failure {
    Failed(String),
    Usage(String),
}

impl From<engine::flow::FlowError> for Failure {
    fn from(error: engine::flow::FlowError) -> Failure {
        match error {
            engine::flow::FlowError::Criterion(_) => Failure::Usage(error.to_string()),
            engine::flow::FlowError::Malformed { .. } => Failure::Failed(error.to_string()),
        }
    }
}

impl From<engine::Error> for Failure {
    fn from(error: engine::Error) -> Failure {
        match error.is_usage() {
            true => Failure::Usage(error.to_string()),
            false => Failure::Failed(error.to_string()),
        }
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // Help and version go to standard output, complaints to standard error; nothing to do if that fails.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    if let Command::SolverHelper = cli.command {
        solver::remote::serve(std::io::stdin().lock(), std::io::stdout().lock());
        return ExitCode::SUCCESS;
    }
    // Where our own binary cannot be found, Z3 works in this process.
    if let Ok(program) = std::env::current_exe() {
        solver::remote::use_helper(solver::remote::Helper {
            program,
            args: vec!["solver-helper".to_string()],
        });
    }
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = interrupt.clone();
    // Without the handler Ctrl-C ends the process at once, which is no worse than asking to stop.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\nstopping: what was found is being written; press Ctrl-C again to stop at once");
    });
    let end = match cli.command {
        Command::Generate(args) => generate::run(&args, &interrupt),
        Command::Explore(args) => explore::run(&args, &interrupt),
        Command::Cover(args) if args.graph.cfg.is_some() => flow::run(&args, &interrupt),
        Command::Cover(args) => explore::cover(&args, &interrupt),
        Command::Show(args) => show::run(&args, &interrupt),
        Command::Serve => serve::run(&interrupt),
        Command::Replay(args) => replay::run(&args, &interrupt),
        // Answered above.
        Command::SolverHelper => Ok(End::Done),
    };
    match end {
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::BugsFound) => ExitCode::from(3),
        Err(Failure::Failed(why)) => {
            eprintln!("testwright: {why}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(why)) => {
            eprintln!("testwright: {why}\nTry 'testwright --help'.");
            ExitCode::from(2)
        }
    }
}
