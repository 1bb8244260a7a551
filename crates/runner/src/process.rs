//! Runs a program to its end or its limits, and leaves nothing of it behind.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::Error;

/// What a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When everything is over: whatever runs is killed, nothing new begins.
    pub until: Option<Instant>,
    /// Wall-clock time of the whole process.
    pub wall: Duration,
    /// Wall-clock time of one test, where the process runs several.
    pub test: Duration,
    /// The JVM's heap, in megabytes.
    pub heap_mb: u32,
    /// Bytes kept of each output stream; the rest is read and dropped.
    pub output: usize,
    /// The largest file it may write, in megabytes.
    pub file_mb: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            until: None,
            wall: Duration::from_secs(120),
            test: Duration::from_secs(5),
            heap_mb: 512,
            output: 1 << 20,
            file_mb: 256,
        }
    }
}

impl Limits {
    /// Whether the time for everything is over.
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Code(i32),
    Signal(i32),
    /// It was killed at its wall-clock limit.
    TimedOut,
    /// It was killed, or not even started, because the time for everything was over: nothing is said of the program.
    Late,
}

#[derive(Clone, Debug)]
pub struct Finished {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    pub fn succeeded(&self) -> bool {
        self.end == End::Code(0)
    }

    /// The end of what it said, for messages: standard error if there is any.
    pub fn last_words(&self) -> String {
        let said = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }
}

/// Runs `command` with no input. When this returns, no process of its group is left.
pub fn run(mut command: Command, limits: &Limits) -> Result<Finished, Error> {
    if limits.is_late() {
        return Ok(Finished { end: End::Late, stdout: String::new(), stderr: String::new() });
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|source| Error::Start { program: program.clone(), source })?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let cap = limits.output;
    let stdout = child.stdout.take().map(|pipe| thread::spawn(move || read_capped(pipe, cap)));
    let stderr = child.stderr.take().map(|pipe| thread::spawn(move || read_capped(pipe, cap)));
    let started = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status: Result<Option<ExitStatus>, std::io::Error> = loop {
        match child.try_wait() {
            Ok(None) if started.elapsed() >= limits.wall || limits.is_late() => break Ok(None),
            Ok(None) => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            Ok(Some(status)) => break Ok(Some(status)),
            Err(error) => break Err(error),
        }
    };
    // Also after a normal end: a descendant may live on and hold the pipes.
    if let Some(group) = group {
        // The group may be gone already, which is what is wanted.
        let _ = kill_process_group(group, Signal::KILL);
    }
    if !matches!(status, Ok(Some(_))) {
        // Reaps the killed child; its status no longer matters.
        let _ = child.wait();
    }
    let collect = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
        let bytes = reader.and_then(|handle| handle.join().ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (stdout, stderr) = (collect(stdout), collect(stderr));
    let end = match status.map_err(|source| Error::Start { program, source })? {
        None if limits.is_late() => End::Late,
        None => End::TimedOut,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => End::Code(code),
            (None, signal) => End::Signal(signal.unwrap_or(0)),
        },
    };
    Ok(Finished { end, stdout, stderr })
}

/// Reads to the end, keeping the first `cap` bytes: a program that floods its output must not block on it.
fn read_capped(mut pipe: impl Read, cap: usize) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = [0u8; 16 * 1024];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return kept,
            Ok(n) => {
                let room = cap.saturating_sub(kept.len()).min(n);
                kept.extend_from_slice(&buffer[..room]);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, wall_ms: u64) -> Finished {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let limits = Limits { wall: Duration::from_millis(wall_ms), output: 1000, ..Limits::default() };
        run(command, &limits).unwrap()
    }

    #[test]
    fn ends_are_told_apart() {
        assert_eq!(shell("exit 3", 5000).end, End::Code(3));
        assert_eq!(shell("kill -9 $$", 5000).end, End::Signal(9));
        assert_eq!(shell("sleep 100", 100).end, End::TimedOut);
        let until = Some(Instant::now() + Duration::from_millis(50));
        let limits = Limits { until, ..Limits::default() };
        let mut command = Command::new("sleep");
        command.arg("100");
        assert_eq!(run(command, &limits).unwrap().end, End::Late);
        // What would begin after that is not begun.
        assert_eq!(run(Command::new("no-such-program"), &limits).unwrap().end, End::Late);
    }

    #[test]
    fn floods_are_cut_and_do_not_block() {
        let finished = shell("yes | head -c 1000000; echo oops >&2", 20_000);
        assert_eq!((finished.end, finished.stdout.len()), (End::Code(0), 1000));
        assert_eq!(finished.last_words(), "oops");
    }

    #[test]
    fn descendants_die_with_the_program() {
        let started = Instant::now();
        assert_eq!(shell("sleep 60 & echo started", 20_000).stdout, "started\n");
        assert_eq!(shell("sleep 60 & sleep 60", 100).end, End::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(20), "a descendant held the pipe");
    }
}
