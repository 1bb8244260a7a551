//! The helper's side.

use std::io::{BufReader, BufWriter, Read, Write};

use term::Pool;

use super::wire;
use crate::ask::{Answer, Cause};
use crate::backend::{Backend, InProcess};

/// What the helper may use altogether. Z3 gives up earlier by its own count, where it counts.
const MEMORY: u64 = 6 << 30;
/// Terms kept before the pool starts anew.
const MAX_TERMS: usize = 2_000_000;

/// Answers questions until the input ends. Never returns early: a question that cannot be read is answered so.
pub fn serve(input: impl Read, output: impl Write) {
    limit_memory();
    let (mut input, mut output) = (BufReader::new(input), BufWriter::new(output));
    let mut pool = Pool::without_rules();
    let mut solver = InProcess::default();
    while let Ok(message) = wire::receive(&mut input) {
        if message == wire::FORGET {
            solver.forget();
            // With the context goes the only reason to know the terms.
            if pool.len() > MAX_TERMS {
                pool = Pool::without_rules();
            }
            continue;
        }
        let before = solver.used();
        let mut question = wire::read_question(&mut pool, &message);
        if question.is_none() {
            // A variable of another exploration has the same name and another type.
            solver.forget();
            pool = Pool::without_rules();
            question = wire::read_question(&mut pool, &message);
        }
        let answer = match question {
            Some((assertions, rlimit)) => solver.ask(&pool, &assertions, rlimit),
            None => Answer::Unknown(Cause::Bug("a question that the helper cannot read")),
        };
        let reply = wire::answer(&pool, &answer, solver.used() - before);
        if wire::send(&mut output, &reply).is_err() {
            break;
        }
    }
}

#[cfg(unix)]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let old = getrlimit(Resource::As);
    let limit =
        Rlimit { current: Some(old.maximum.map_or(MEMORY, |most| most.min(MEMORY))), maximum: old.maximum };
    // Without the limit the helper works as well, only less safely.
    let _ = setrlimit(Resource::As, limit);
}

#[cfg(not(unix))]
fn limit_memory() {}
