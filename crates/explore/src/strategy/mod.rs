//! Strategies, a file each.

mod aimed;
mod bfs;
mod chance;
mod coverage;
mod deepening;
mod dfs;
mod fewest;
mod generational;
mod in_call;
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
pub use in_call::InCall;
pub use mixed::{Mixed, Turn};
pub use random::Random;
pub use random_path::RandomPath;

use crate::frontier::Strategy;

/// The strategy of a name as the command line spells it; the seed is for those that use chance. Several names
/// joined by commas take turns, one with `*3` after it three at a time; joined by `+`, those that bring more are asked
/// more often.
pub fn by_name(name: &str, seed: u64) -> Option<Box<dyn Strategy>> {
    if name.contains([',', '*']) {
        let part = |part: &str| {
            let (name, times) = part.split_once('*').unwrap_or((part, "1"));
            let times = times.parse().ok().filter(|times| (1..=100).contains(times))?;
            Some((by_name(name, seed)?, times))
        };
        let parts = name.split(',').map(part).collect::<Option<Vec<_>>>()?;
        return Some(Box::new(Mixed::new(parts, Turn::RoundRobin)));
    }
    if name.contains('+') {
        let part = |part: &str| Some((by_name(part, seed)?, 1));
        let parts = name.split('+').map(part).collect::<Option<Vec<_>>>()?;
        return Some(Box::new(Mixed::new(parts, Turn::Progress)));
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

/// What is taken where nothing is said. Depth-first in between finds soonest what needs several decisions in a row;
/// more often it costs coverage where budgets are small.
pub const DEFAULT: &str = "coverage*3,dfs";

/// The names [`by_name`] knows, each alone.
pub const NAMES: [&str; 8] =
    ["coverage", "dfs", "bfs", "random", "random-path", "generational", "deepening", "fewest"];
