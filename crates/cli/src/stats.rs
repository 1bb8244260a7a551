//! `--stats` and `explore --profile`: what an exploration did and where its time went. Always on standard error.

use report::{Method, Solver};

/// A line a method, a line for all of them, and who answered the solver's questions.
pub fn print(class: &str, methods: &[Method], solver: &Solver) {
    eprintln!("{class}:");
    eprintln!(
        "  {:<24} {:>7} {:>7} {:>10} {:>9} {:>10} {:>8}",
        "method", "paths", "flips", "infeasible", "questions", "work", "ms"
    );
    for m in methods {
        eprintln!(
            "  {:<24} {:>7} {:>7} {:>10} {:>9} {:>10} {:>8}",
            m.name, m.paths, m.flips, m.infeasible_flips, m.questions, m.work, m.millis
        );
    }
    let by: Vec<String> = solver.answered.iter().map(|(layer, n)| format!("{layer} {n}")).collect();
    eprintln!(
        "  solver: {} questions, {} satisfiable, {} not, {} unknown; answered by {}",
        solver.questions,
        solver.sat,
        solver.unsat,
        solver.unknown,
        by.join(", ")
    );
}

/// Where the time went, by method.
pub fn profile(class: &str, methods: &[Method]) {
    eprintln!("{class}: time by stage, all workers together");
    eprintln!(
        "  {:<24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>12}",
        "method", "solving", "running", "moving", "choosing", "merging", "ms", "paths/s"
    );
    for m in methods {
        let s = m.stages;
        let total = s.solving + s.running + s.moving + s.choosing + s.merging;
        let share = |part: u64| format!("{:.1} %", 100.0 * part as f64 / total.max(1) as f64);
        eprintln!(
            "  {:<24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>12.0}",
            m.name,
            share(s.solving),
            share(s.running),
            share(s.moving),
            share(s.choosing),
            share(s.merging),
            m.millis,
            m.paths as f64 * 1e3 / m.millis.max(1) as f64
        );
    }
}
