//! Strategies, a file each.

mod aimed;
mod bfs;
mod coverage;
mod dfs;
mod random;

pub use aimed::Aimed;
pub use bfs::Bfs;
pub use coverage::Coverage;
pub use dfs::Dfs;
pub use random::Random;

use crate::frontier::Strategy;

/// The strategy of a name as the command line spells it; the seed is for those that use chance.
pub fn by_name(name: &str, seed: u64) -> Option<Box<dyn Strategy>> {
    Some(match name {
        "coverage" => Box::new(Coverage::default()),
        "dfs" => Box::new(Dfs::default()),
        "bfs" => Box::new(Bfs::default()),
        "random" => Box::new(Random::new(seed)),
        _ => return None,
    })
}

/// The names [`by_name`] knows.
pub const NAMES: [&str; 4] = ["coverage", "dfs", "bfs", "random"];
