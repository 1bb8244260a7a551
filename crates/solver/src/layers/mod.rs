//! The layers and how they call each other.

pub mod bits;
pub mod bounds;
pub mod cache;
pub mod independence;
mod news;
mod order;
pub mod quick;
pub mod ranges;
mod residues;
pub mod simplify;
pub mod z3;

use term::Pool;

use crate::ask::{Answer, Cause, Query};
use crate::backend::{Backend, InProcess};
use crate::chain::{Config, Stats};
use cache::{Known, News};

/// Names of the layers, in the order in which they are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum LayerKind {
    Simplify,
    Independence,
    Bounds,
    Cache,
    Ranges,
    Residues,
    Quick,
    Bits,
    Z3,
}

impl LayerKind {
    pub const COUNT: usize = 9;
    pub const ALL: [LayerKind; Self::COUNT] = [
        LayerKind::Simplify,
        LayerKind::Independence,
        LayerKind::Bounds,
        LayerKind::Cache,
        LayerKind::Ranges,
        LayerKind::Residues,
        LayerKind::Quick,
        LayerKind::Bits,
        LayerKind::Z3,
    ];
}

/// One layer: answers, or passes the question (or parts of it) to the rest of the chain.
pub trait Layer: Send {
    fn kind(&self) -> LayerKind;

    /// An answer of its own is counted with [`Rest::answered`].
    fn ask(&mut self, pool: &mut Pool, query: &Query, rest: &mut Rest<'_>) -> Answer;

    /// Forgets what may not outlive a batch, handing out what others may absorb.
    fn new_batch(&mut self, _news: &mut News) {}

    /// From now on knows what others know that joined the same.
    fn join(&mut self, _known: &Known) {}

    /// Takes over what another batch learned.
    fn absorb(&mut self, _news: &News) {}
}

/// All layers of a chain.
pub(crate) struct Layers(Vec<Box<dyn Layer>>);

impl Layers {
    pub(crate) fn new(config: &Config, backend: Option<Box<dyn Backend>>) -> Layers {
        let mut layers: Vec<Box<dyn Layer>> = vec![
            Box::new(simplify::Simplify),
            Box::new(independence::Independence),
            Box::new(bounds::Bounds),
            Box::new(cache::Cache::default()),
            Box::new(quick::Glance::new(config.seed)),
            Box::new(ranges::Ranges),
            Box::new(residues::Residues),
            Box::new(quick::Quick::new(config.seed)),
            Box::new(bits::Bits::new(config.deadline)),
            Box::new(z3::Z3::new(backend.unwrap_or_else(|| Box::new(InProcess::until(config.deadline))))),
        ];
        layers.retain(|layer| !config.without.contains(&layer.kind()));
        Layers(layers)
    }

    pub(crate) fn new_batch(&mut self) -> News {
        let mut news = News::default();
        for layer in &mut self.0 {
            layer.new_batch(&mut news);
        }
        news
    }

    pub(crate) fn join(&mut self, known: &Known) {
        self.0.iter_mut().for_each(|layer| layer.join(known));
    }

    pub(crate) fn absorb(&mut self, news: &News) {
        for layer in &mut self.0 {
            layer.absorb(news);
        }
    }
}

/// The layers below the one that is asking.
pub struct Rest<'a> {
    layers: &'a mut [Box<dyn Layer>],
    stats: &'a mut Stats,
}

impl<'a> Rest<'a> {
    pub(crate) fn start(layers: &'a mut Layers, stats: &'a mut Stats) -> Self {
        Rest { layers: &mut layers.0, stats }
    }

    /// Asks the layers below.
    pub fn ask(&mut self, pool: &mut Pool, query: &Query) -> Answer {
        match self.layers.split_first_mut() {
            Some((layer, layers)) => layer.ask(pool, query, &mut Rest { layers, stats: self.stats }),
            None => Answer::Unknown(Cause::Incomplete("no layer answered".to_string())),
        }
    }

    /// Counts an answer of a layer.
    pub fn answered(&mut self, layer: LayerKind) {
        self.stats.answered[layer as usize] += 1;
    }

    pub fn stats(&mut self) -> &mut Stats {
        self.stats
    }
}
