//! What the process and the solver's helpers take of the machine's memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A limit for it.
#[derive(Clone)]
pub(crate) struct Memory {
    most: u64,
    started: Instant,
    /// The millisecond in which the system was asked: that takes as long as a short run.
    asked: Arc<AtomicU64>,
}

impl Memory {
    /// Exploring ends at four fifths of the limit: the rest is for making tests of what was found. Where that is passed
    /// already, by what an allocator keeps of earlier work, a twentieth more is allowed: what was freed is used first.
    pub(crate) fn limited(bytes: u64) -> Memory {
        Memory::below((bytes / 5 * 4).max(resident() + bytes / 20))
    }

    fn below(most: u64) -> Memory {
        Memory { most, started: Instant::now(), asked: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    pub(crate) fn is_spent(&self) -> bool {
        let now = self.started.elapsed().as_millis() as u64;
        self.asked.swap(now, Ordering::Relaxed) != now && resident() >= self.most
    }
}

/// Bytes of the process and of the helpers that are in memory; 0 where the system does not tell.
fn resident() -> u64 {
    own() + solver::remote::memory_of_helpers()
}

fn own() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_counts() {
        let before = resident();
        let much = vec![1u8; 64 << 20];
        let limit = Memory::below(before + (32 << 20));
        assert!(limit.is_spent(), "{} bytes more", resident() - before);
        assert_eq!(much.iter().map(|b| u64::from(*b)).sum::<u64>(), 64 << 20);
        assert!(!Memory::limited(1 << 20).is_spent());
    }
}
