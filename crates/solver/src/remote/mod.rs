//! Z3 in a process of its own: a question goes out through a pipe, the answer comes back.
//!
//! The helper is our own binary (see [`serve()`]). It may crash, be killed for its memory, or be stopped in the middle
//! of a question because time is up: the question is then unknown, and the next one gets a new helper.

mod serve;
mod wire;

use std::collections::BTreeSet;
use std::io::{BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use term::{Pool, TermId};

use crate::ask::{Answer, Cause};
use crate::backend::{Backend, InProcess};

pub use serve::serve;

/// How often a waiting question looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(20);
/// A helper that has more bytes in memory than this is not kept for the next questions.
const KEPT: u64 = 256 << 20;
/// Helpers that died one after the other without an answer before Z3 is asked in this process.
const MAX_FAILURES: u32 = 5;

/// Tells a running question to end: the user interrupted, or time is up.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// Starts a helper: the program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    pub program: std::path::PathBuf,
    pub args: Vec<String>,
}

static HELPER: OnceLock<Helper> = OnceLock::new();

/// Names the helper for all chains to come; for `main` to call, once. Without it Z3 works in this process.
pub fn use_helper(helper: Helper) {
    // The first one counts.
    let _ = HELPER.set(helper);
}

/// Z3 in the helper that was named, if any.
pub fn backend(stop: Stop) -> Option<Box<dyn Backend>> {
    HELPER.get().map(|helper| Box::new(Remote::new(helper.clone(), stop)) as Box<dyn Backend>)
}

/// The client's side.
pub struct Remote {
    helper: Helper,
    stop: Stop,
    running: Option<Running>,
    used: u64,
    failures: u32,
    /// Where no helper can be started.
    fallback: Option<InProcess>,
}

struct Running {
    child: Child,
    input: BufWriter<ChildStdin>,
    answers: Receiver<Vec<u8>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        live().remove(&self.child.id());
        // It may be in the middle of a question.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Process ids of the helpers there are.
static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn live() -> MutexGuard<'static, BTreeSet<u32>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes that all helpers have in memory; 0 where the system does not tell.
pub fn memory_of_helpers() -> u64 {
    let helpers: Vec<u32> = live().iter().copied().collect();
    helpers.into_iter().map(resident).sum()
}

fn resident(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

/// Helpers that wait for the next chain: starting one takes longer than most questions. At most one for each chain that
/// ever worked at the same time.
static IDLE: Mutex<Vec<(Helper, Running)>> = Mutex::new(Vec::new());

impl Drop for Remote {
    fn drop(&mut self) {
        self.forget();
        if let Some(running) = self.running.take() {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push((self.helper.clone(), running));
        }
    }
}

/// One that waits, or a new one.
fn take_or_start(helper: &Helper) -> std::io::Result<Running> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let waiting = idle.iter().position(|(of, _)| of == helper);
    match waiting.map(|at| idle.swap_remove(at)) {
        Some((_, running)) => Ok(running),
        None => start(helper),
    }
}

impl Remote {
    pub fn new(helper: Helper, stop: Stop) -> Remote {
        Remote { helper, stop, running: None, used: 0, failures: 0, fallback: None }
    }

    fn exchange(&mut self, question: &[u8]) -> Result<Vec<u8>, Cause> {
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(take_or_start(&self.helper).map_err(|why| Cause::Crashed(why.to_string()))?),
        };
        let crashed = |running: &mut Running| {
            let status = running.child.wait().map_or_else(|why| why.to_string(), |status| status.to_string());
            Cause::Crashed(status)
        };
        if wire::send(&mut running.input, question).is_err() {
            return Err(crashed(running));
        }
        loop {
            match running.answers.recv_timeout(LOOK) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => return Err(crashed(running)),
                Err(RecvTimeoutError::Timeout) if (self.stop)() => return Err(Cause::Interrupted),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn start(helper: &Helper) -> std::io::Result<Running> {
    let mut command = Command::new(&helper.program);
    command.args(&helper.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Ctrl-C at a terminal is for us; we stop the helper.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    live().insert(child.id());
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        live().remove(&child.id());
        return Err(std::io::Error::other("a helper without pipes"));
    };
    let (sender, answers) = channel();
    // Ends with the pipe, which ends with the helper.
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Ok(message) = wire::receive(&mut output) {
            if sender.send(message).is_err() {
                break;
            }
        }
    });
    Ok(Running { child, input: BufWriter::new(input), answers })
}

impl Backend for Remote {
    fn ask(&mut self, pool: &Pool, assertions: &[TermId], rlimit: u32) -> Answer {
        if self.failures >= MAX_FAILURES {
            return self.fallback.get_or_insert_default().ask(pool, assertions, rlimit);
        }
        let question = wire::question(pool, assertions, rlimit);
        let answer = self.exchange(&question).and_then(|reply| {
            let (answer, used) = wire::read_answer(pool, assertions, &reply)?;
            self.used += used;
            Ok(answer)
        });
        match answer {
            Ok(answer) => {
                self.failures = 0;
                answer
            }
            Err(cause) => {
                self.running = None;
                if cause != Cause::Interrupted {
                    self.failures += 1;
                }
                Answer::Unknown(cause)
            }
        }
    }

    fn used(&self) -> u64 {
        self.used + self.fallback.as_ref().map_or(0, Backend::used)
    }

    fn forget(&mut self) {
        // Z3 does not give back what a large question took.
        if self.running.as_ref().is_some_and(|running| resident(running.child.id()) > KEPT) {
            self.running = None;
        }
        if let Some(running) = &mut self.running
            && wire::send(&mut running.input, wire::FORGET).is_err()
        {
            self.running = None;
        }
        if let Some(fallback) = &mut self.fallback {
            fallback.forget();
        }
    }
}

/// So that both ends agree on buffering.
fn flushed(output: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    output.write_all(bytes)?;
    output.flush()
}

/// Reads exactly so many bytes, growing as they come: a wrong length must not ask for all memory.
fn exactly(input: &mut impl Read, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => Err(std::io::ErrorKind::UnexpectedEof.into()),
    }
}
