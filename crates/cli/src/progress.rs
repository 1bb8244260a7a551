//! Progress: a bar on a terminal, plain lines otherwise. Always on standard error.

use std::io::IsTerminal;
use std::time::Duration;

use engine::Event;
use indicatif::{ProgressBar, ProgressStyle};

pub struct Progress {
    bar: Option<ProgressBar>,
    class: String,
}

impl Progress {
    pub fn new() -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Progress { bar, class: String::new() }
    }

    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Booted { jdk, millis } => self.state(format!("JDK {jdk} started in the VM ({millis} ms)")),
            Event::ClassStarted { class, index, count } => {
                self.class = class.clone();
                match count {
                    1 => self.line(format!("exploring {class}")),
                    _ => self.line(format!("exploring {class} ({} of {count})", index + 1)),
                }
            }
            Event::MethodStarted { method, .. } => self.state(format!("{}#{method}", self.class)),
            Event::Progress { method, paths, flips, open, covered, obligations } => {
                let class = &self.class;
                self.state(format!(
                    "{class}#{method}: {covered} of {obligations} obligations, {paths} paths, \
                     {flips} alternatives tried, {open} waiting"
                ));
            }
            Event::MethodDone { method, paths, covered, infeasible, obligations, .. } => {
                let open = obligations.saturating_sub(covered + infeasible);
                let name = if method == "<init>" { "constructor" } else { method };
                let mut text =
                    format!("  {name}: {paths} paths, {covered} of {obligations} obligations covered");
                if *infeasible > 0 {
                    text.push_str(&format!(", {infeasible} infeasible"));
                }
                if open > 0 {
                    text.push_str(&format!(", {open} not covered"));
                }
                self.line(text);
            }
            Event::Confirming { tests, .. } => {
                self.state(format!("running {tests} tests on the real JVM, twice"))
            }
            Event::Written { path, tests, dropped } => {
                let dropped = if *dropped > 0 {
                    format!(", {dropped} not confirmed and dropped")
                } else {
                    String::new()
                };
                self.line(format!("wrote {path}: {tests} tests{dropped}"));
            }
            Event::Warning(text) => self.line(format!("warning: {text}")),
            Event::Skipped { class, why } => self.line(format!("no tests for {class}: {why}")),
        }
    }

    pub fn line(&self, text: String) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        }
    }

    fn state(&self, text: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(text);
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
