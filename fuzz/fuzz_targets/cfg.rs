//! Graphs of other tools: whatever the bytes are, reading ends with a graph or an error that has a place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::atomic::AtomicBool;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(cfg) = graph::read(text, 32) {
        let options = graph::Options { work: 2_000, max_obligations: 20, ..graph::Options::default() };
        let _ = graph::cover(&cfg, "prime-path", &options, &AtomicBool::new(false), &mut |_, _| {});
    }
});
