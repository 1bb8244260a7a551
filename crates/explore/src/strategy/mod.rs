//! Strategies, a file each.

mod aimed;
mod bfs;
mod chance;
mod coverage;
mod deepening;
mod dfs;
mod fewest;
mod generational;
mod mixed;
mod random;
mod random_path;

pub use aimed::Aimed;
pub use bfs::Bfs;
pub(crate) use chance::Chance;
pub use coverage::Coverage;
pub use deepening::Deepening;
pub use dfs::Dfs;
pub use fewest::Fewest;
pub use generational::Generational;
pub use mixed::{Mixed, Turn};
pub use random::Random;
pub use random_path::RandomPath;

use crate::frontier::Strategy;

/// The strategy of a name as the command line spells it; the seed is for those that use chance. Several names
/// joined by commas take turns; joined by `+`, those that bring more are asked more often.
pub fn by_name(name: &str, seed: u64) -> Option<Box<dyn Strategy>> {
    for (separator, turn) in [(',', Turn::RoundRobin), ('+', Turn::Progress)] {
        if name.contains(separator) {
            let parts = name.split(separator).map(|part| by_name(part, seed)).collect::<Option<Vec<_>>>()?;
            return Some(Box::new(Mixed::new(parts, turn)));
        }
    }
    Some(match name {
        "coverage" => Box::new(Coverage::default()),
        "dfs" => Box::new(Dfs::default()),
        "bfs" => Box::new(Bfs::default()),
        "random" => Box::new(Random::new(seed)),
        "random-path" => Box::new(RandomPath::new(seed)),
        "generational" => Box::new(Generational::default()),
        "deepening" => Box::new(Deepening::default()),
        "fewest" => Box::new(Fewest::default()),
        _ => return None,
    })
}

/// The names [`by_name`] knows, each alone.
pub const NAMES: [&str; 8] =
    ["coverage", "dfs", "bfs", "random", "random-path", "generational", "deepening", "fewest"];
