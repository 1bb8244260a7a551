//! The chain: layers asked in order, each may answer or pass a smaller question on.

use std::time::Instant;

use term::{Pool, Program};

use crate::ask::{Answer, Cause, Query};
use crate::backend::Backend;
use crate::layers::{Layers, Rest};

pub use crate::layers::LayerKind;
pub use crate::layers::cache::{Known, News};

/// Receives each question as SMT-LIB text. The chain itself touches no file.
pub trait Dump: Send {
    /// `number` counts the questions of a chain from 0.
    fn question(&mut self, number: u64, script: &str, answer: &Answer);
}

/// What a chain consists of.
pub struct Config {
    /// Layers to leave out, for comparison and tests.
    pub without: Vec<LayerKind>,
    /// Cross-check every answer with plain Z3 (slow; a wrong answer is a panic).
    pub audit: bool,
    /// Seed of the quick search.
    pub seed: u64,
    pub dump: Option<Box<dyn Dump>>,
    /// A safety stop besides the counted limits: Z3 does not count everything it does. Questions after it are unknown.
    pub deadline: Option<Instant>,
    /// The complete solver; Z3 in this process if none is given.
    pub backend: Option<Box<dyn Backend>>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            without: Vec::new(),
            audit: false,
            seed: 0x7465_7374,
            dump: None,
            deadline: None,
            backend: None,
        }
    }
}

/// What was asked and who answered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    pub questions: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Answers by layer, in the order of [`LayerKind`]; a question split in parts counts once a part.
    pub answered: [u64; LayerKind::COUNT],
    /// Questions that came to the complete solver, answered or not.
    pub asked_z3: u64,
    /// Resource units that Z3 used.
    pub rlimit: u64,
    /// Terms looked at by ranges and search, about ten nanoseconds each.
    pub effort: u64,
    /// Answers that were withdrawn because the model did not satisfy the question: bugs of ours or Z3's.
    pub withdrawn: u64,
}

impl Stats {
    pub fn by(&self, layer: LayerKind) -> u64 {
        self.answered[layer as usize]
    }

    /// Adds another chain's figures.
    pub fn add(&mut self, other: &Stats) {
        self.questions += other.questions;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        for (mine, theirs) in self.answered.iter_mut().zip(other.answered) {
            *mine += theirs;
        }
        self.asked_z3 += other.asked_z3;
        self.rlimit += other.rlimit;
        self.effort += other.effort;
        self.withdrawn += other.withdrawn;
    }
}

/// Answers questions about the terms of one pool. One a worker.
pub struct Chain {
    config: Config,
    layers: Layers,
    stats: Stats,
}

impl Default for Chain {
    fn default() -> Self {
        Self::new(Config::default())
    }
}

impl Chain {
    pub fn new(mut config: Config) -> Self {
        let backend = config.backend.take();
        Chain { layers: Layers::new(&config, backend), config, stats: Stats::default() }
    }

    /// Answers a question. A model mentions every variable of the assertions, and what the hint said about others.
    pub fn ask(&mut self, pool: &mut Pool, query: &Query) -> Answer {
        let number = self.stats.questions;
        self.stats.questions += 1;
        let answer = Rest::start(&mut self.layers, &mut self.stats).ask(pool, query);
        let answer = self.check(pool, query, answer);
        match &answer {
            Answer::Sat(_) => self.stats.sat += 1,
            Answer::Unsat(_) => self.stats.unsat += 1,
            Answer::Unknown(_) => self.stats.unknown += 1,
        }
        if self.config.audit {
            crate::audit::audit(pool, query, &answer);
        }
        if let Some(dump) = &mut self.config.dump {
            let hint =
                query.hint.map(|hint| term::smtlib::hint(pool, query.assertions, hint)).unwrap_or_default();
            let script = hint + &term::smtlib::script(pool, query.assertions);
            dump.question(number, &script, &answer);
        }
        answer
    }

    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Forgets the solver context and everything learned since the last call, and hands the latter out.
    ///
    /// Answers within a batch depend only on what was [absorbed](Self::absorb) before it and on the batch's own
    /// questions; so absorbing the news of a round in batch order makes runs independent of the number of workers.
    pub fn new_batch(&mut self) -> News {
        self.layers.new_batch()
    }

    /// From now on what one chain of several absorbs, all know that joined the same.
    pub fn join(&mut self, known: &Known) {
        self.layers.join(known);
    }

    /// Takes over what a batch learned.
    pub fn absorb(&mut self, news: &News) {
        self.layers.absorb(news);
    }

    /// A model is never believed: it is evaluated.
    fn check(&mut self, pool: &Pool, query: &Query, answer: Answer) -> Answer {
        match answer {
            Answer::Sat(model) => {
                let mut program = Program::compile(pool, query.assertions);
                if program.run_assignment(&model).iter().all(|&v| v != 0) {
                    Answer::Sat(model)
                } else {
                    self.stats.withdrawn += 1;
                    Answer::Unknown(Cause::Bug("a model that does not satisfy its question"))
                }
            }
            Answer::Unsat(_) | Answer::Unknown(_) => answer,
        }
    }
}
