//! `testwright serve`: JSON-RPC 2.0, one message a line, on standard input and output. `docs/json-rpc.md` describes it.
//!
//! Requests are worked on one after the other; the lines that come meanwhile are read at once, so that a
//! request that runs or waits can be cancelled.

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use clap::Parser;
use engine::{Event, flow, reporting};
use serde_json::{Value, json};

use crate::args::{Cli, Command, CoverArgs, places};
use crate::{End, Failure};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const UNKNOWN_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
/// The work could not be done: the message says why.
const FAILED: i64 = -32000;
const CANCELLED: i64 = -32800;

/// Longer lines are refused: nothing that is asked for needs them.
const MAX_LINE: usize = 64 << 20;

/// A request that waits or runs.
struct Job {
    id: Value,
    method: String,
    params: Value,
    cancelled: Arc<AtomicBool>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    /// The one that runs.
    current: Option<(Value, Arc<AtomicBool>)>,
    ended: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// What a method could not do.
struct Refused(i64, String);

type Answer = Result<Value, Refused>;

pub fn run(interrupt: &Arc<AtomicBool>) -> Result<End, Failure> {
    let shared = Arc::new(Shared::default());
    let reader = shared.clone();
    std::thread::spawn(move || read(&reader));
    loop {
        let Some(job) = next(&shared) else { return Ok(End::Done) };
        let stop = job.cancelled.clone();
        let answer = match stop.load(Ordering::Relaxed) {
            true => Err(Refused(CANCELLED, "cancelled".to_string())),
            false => perform(&job, &stop),
        };
        let answer = match answer {
            // What was found before the end is not what was asked for.
            Ok(_) if stop.load(Ordering::Relaxed) => Err(Refused(CANCELLED, "cancelled".to_string())),
            other => other,
        };
        if let Ok(mut queue) = shared.queue.lock() {
            queue.current = None;
        }
        match answer {
            Ok(result) => send(&json!({ "jsonrpc": "2.0", "id": job.id, "result": result })),
            Err(Refused(code, message)) => send_error(&job.id, code, &message),
        }
        if interrupt.load(Ordering::Relaxed) {
            return Ok(End::Done);
        }
    }
}

/// The next request; none when the input has ended and all is done.
fn next(shared: &Shared) -> Option<Job> {
    let mut queue = shared.queue.lock().ok()?;
    loop {
        if let Some(job) = queue.waiting.pop_front() {
            queue.current = Some((job.id.clone(), job.cancelled.clone()));
            return Some(job);
        }
        if queue.ended {
            return None;
        }
        queue = shared.changed.wait(queue).ok()?;
    }
}

/// Reads lines until the input ends.
fn read(shared: &Shared) {
    for line in std::io::stdin().lock().split(b'\n') {
        let Ok(bytes) = line else { break };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if bytes.len() > MAX_LINE {
            send_error(&Value::Null, INVALID_REQUEST, "the line is longer than 64 MiB");
            continue;
        }
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(message) => take(shared, message),
            Err(why) => send_error(&Value::Null, PARSE_ERROR, &format!("not JSON: {why}")),
        }
    }
    if let Ok(mut queue) = shared.queue.lock() {
        queue.ended = true;
    }
    shared.changed.notify_all();
}

/// Puts a request into the queue, or does what a notification says.
fn take(shared: &Shared, message: Value) {
    let id = message.get("id").cloned();
    let method = message.get("method").and_then(Value::as_str).map(str::to_string);
    let params = message.get("params").cloned().unwrap_or(Value::Null);
    let valid_id = id.as_ref().is_none_or(|id| id.is_string() || id.is_number() || id.is_null());
    let (Some("2.0"), Some(method), true) =
        (message.get("jsonrpc").and_then(Value::as_str), method, valid_id)
    else {
        let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or(Value::Null);
        return send_error(&id, INVALID_REQUEST, "not a JSON-RPC 2.0 request");
    };
    let Ok(mut queue) = shared.queue.lock() else { return };
    match (method.as_str(), id) {
        ("cancel", id) => {
            let Some(wanted) = params.get("id").cloned() else {
                if let Some(id) = id {
                    send_error(&id, INVALID_PARAMS, "the parameter \"id\" says which request is cancelled");
                }
                return;
            };
            let running = queue.current.as_ref().filter(|(id, _)| *id == wanted).map(|(_, flag)| flag);
            let waiting = queue.waiting.iter().find(|job| job.id == wanted).map(|job| &job.cancelled);
            let found = running.or(waiting);
            if let Some(flag) = found {
                flag.store(true, Ordering::Relaxed);
            }
            let found = found.is_some();
            if let Some(id) = id {
                send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "cancelled": found } }));
            }
        }
        // Other notifications mean nothing here, and get no answer.
        (_, None) => {}
        (_, Some(id)) => {
            queue.waiting.push_back(Job { id, method, params, cancelled: Arc::default() });
            shared.changed.notify_all();
        }
    }
}

fn perform(job: &Job, stop: &Arc<AtomicBool>) -> Answer {
    match job.method.as_str() {
        "version" => Ok(json!({ "version": env!("CARGO_PKG_VERSION") })),
        "cover-cfg" => cover_cfg(job, stop),
        "generate" => generate(job, stop),
        "explore" => explore(job, stop, "explore"),
        "cover" => explore(job, stop, "cover"),
        other => Err(Refused(UNKNOWN_METHOD, format!("there is no method {other}"))),
    }
}

/// The command line's arguments of a request: what can be said there can be said here, and means the same.
fn arguments(job: &Job, command: &str) -> Result<Command, Refused> {
    let wrong = |why: &str| Refused(INVALID_PARAMS, why.to_string());
    let mut line = vec!["testwright".to_string(), command.to_string()];
    let params = job.params.as_object().ok_or_else(|| wrong("the parameters are an object"))?;
    let text = |value: &Value| match value {
        Value::String(s) => Ok(s.clone()),
        Value::Number(n) => Ok(n.to_string()),
        _ => Err(wrong("an option is a string, a number, true, or a list of strings")),
    };
    let mut targets = Vec::new();
    for (name, value) in params {
        match (name.as_str(), value) {
            ("targets", Value::Array(all)) => {
                for target in all {
                    targets.push(text(target)?);
                }
            }
            ("targets", _) => return Err(wrong("\"targets\" is a list of strings")),
            // The graph is no option of the command line.
            ("graph", _) => {}
            (_, Value::Bool(true)) => line.push(format!("--{name}")),
            (_, Value::Bool(false) | Value::Null) => {}
            (_, Value::Array(all)) => {
                for one in all {
                    line.push(format!("--{name}={}", text(one)?));
                }
            }
            (_, one) => line.push(format!("--{name}={}", text(one)?)),
        }
    }
    line.push("--".to_string());
    line.extend(targets);
    let cli = Cli::try_parse_from(line).map_err(|e| {
        let message = e.to_string();
        wrong(message.lines().next().unwrap_or("wrong parameters").trim_start_matches("error: "))
    })?;
    Ok(cli.command)
}

fn refused(failure: Failure) -> Refused {
    match failure {
        Failure::Failed(why) => Refused(FAILED, why),
        Failure::Usage(why) => Refused(INVALID_PARAMS, why),
    }
}

fn cover_arguments(job: &Job) -> Result<CoverArgs, Refused> {
    match arguments(job, "cover")? {
        Command::Cover(args) => Ok(args),
        _ => Err(Refused(INVALID_PARAMS, "wrong parameters".to_string())),
    }
}

fn cover_cfg(job: &Job, stop: &Arc<AtomicBool>) -> Answer {
    let args = cover_arguments(job)?;
    let (name, text) = match (job.params.get("graph"), &args.graph.cfg) {
        (Some(graph), _) => ("graph".to_string(), graph.to_string()),
        (None, Some(file)) => {
            let read = std::fs::read_to_string(file);
            let text = read.map_err(|e| Refused(FAILED, format!("cannot read {}: {e}", file.display())))?;
            (file.display().to_string(), text)
        }
        (None, None) => {
            return Err(Refused(INVALID_PARAMS, "no graph: give \"graph\" or \"cfg\"".to_string()));
        }
    };
    let cfg =
        flow::read(&name, &text, args.graph.int_width).map_err(|e| Refused(INVALID_PARAMS, e.to_string()))?;
    let mut told = 0;
    let found = crate::flow::find(&args, &name, &cfg, stop, &mut |done, of| {
        // A line an obligation would drown a reader that has thousands.
        if done == of || done * 20 / of.max(1) != told {
            told = done * 20 / of.max(1);
            progress(&job.id, json!({ "kind": "obligations", "done": done, "of": of }));
        }
    })
    .map_err(refused)?;
    serde_json::to_value(&found.report).map_err(|e| Refused(FAILED, e.to_string()))
}

fn generate(job: &Job, stop: &Arc<AtomicBool>) -> Answer {
    let Command::Generate(args) = arguments(job, "generate")? else {
        return Err(Refused(INVALID_PARAMS, "wrong parameters".to_string()));
    };
    let mut config = crate::generate::configuration(&args).map_err(refused)?;
    config.discard = true;
    let mut jdk = String::new();
    let mut targets = Vec::new();
    let mut texts: Vec<Value> = Vec::new();
    let result = engine::generate(
        &config,
        &places(),
        stop,
        &mut |event| {
            if let Event::Booted { jdk: version, .. } = &event {
                jdk.clone_from(version);
            }
            progress(&job.id, event_json(&event));
        },
        &mut |generated| {
            let file = generated.file.as_ref().map(|f: &PathBuf| f.display().to_string());
            texts.push(json!({ "file": file, "text": generated.text }));
            targets.push(reporting::target(&generated, config.criterion, config.run));
        },
    );
    result.map_err(|e| refused(e.into()))?;
    if stop.load(Ordering::Relaxed) {
        return Err(Refused(CANCELLED, "cancelled".to_string()));
    }
    let mut report = reporting::new_report(&config, &jdk);
    report.targets = targets;
    crate::reports::write(&args.report, &report, &mut |target| {
        engine::pictures::of_class(&config, &places(), target)
    })
    .map_err(refused)?;
    let report = serde_json::to_value(&report).map_err(|e| Refused(FAILED, e.to_string()))?;
    Ok(json!({ "report": report, "files": texts }))
}

fn explore(job: &Job, stop: &Arc<AtomicBool>, command: &str) -> Answer {
    let mut events = |event: Event| progress(&job.id, event_json(&event));
    let lines = match arguments(job, command)? {
        Command::Explore(args) => crate::explore::found(&args, stop, &mut events),
        Command::Cover(args) => crate::explore::covered(&args, stop, &mut events),
        _ => return Err(Refused(INVALID_PARAMS, "wrong parameters".to_string())),
    };
    Ok(Value::Array(lines.map_err(refused)?))
}

fn event_json(event: &Event) -> Value {
    match event {
        Event::Booted { jdk, millis } => json!({ "kind": "booted", "jdk": jdk, "millis": millis }),
        Event::ClassStarted { class, index, count } => {
            json!({ "kind": "class", "class": class, "index": index, "of": count })
        }
        Event::MethodStarted { class, method } => {
            json!({ "kind": "method", "class": class, "method": method })
        }
        Event::Progress { method, paths, covered, obligations, .. } => json!({
            "kind": "progress", "method": method, "paths": paths, "covered": covered, "obligations": obligations
        }),
        Event::MethodDone { class, method, paths, covered, infeasible, obligations } => json!({
            "kind": "method-done", "class": class, "method": method, "paths": paths, "covered": covered,
            "infeasible": infeasible, "obligations": obligations
        }),
        Event::Confirming { class, tests } => json!({ "kind": "confirming", "class": class, "tests": tests }),
        Event::Written { path, tests, dropped } => {
            json!({ "kind": "written", "path": path, "tests": tests, "dropped": dropped })
        }
        Event::Warning(text) => json!({ "kind": "warning", "text": text }),
        Event::Skipped { class, why } => json!({ "kind": "skipped", "class": class, "why": why }),
    }
}

fn progress(id: &Value, what: Value) {
    send(&json!({ "jsonrpc": "2.0", "method": "progress", "params": { "id": id, "event": what } }));
}

fn send_error(id: &Value, code: i64, message: &str) {
    send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }));
}

/// A line. Both threads write: the lock keeps lines whole.
fn send(message: &Value) {
    let mut out = std::io::stdout().lock();
    // Whoever reads may be gone; the end of the input will tell.
    let _ = writeln!(out, "{message}");
    let _ = out.flush();
}
