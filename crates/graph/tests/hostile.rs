//! Foreign text never panics or hangs: mutilated and random graphs are read, and covered where they can be read.

use graph::Options;
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn attempt(text: &str) -> bool {
    match graph::read(text, 32) {
        Ok(cfg) => {
            let options = Options { work: 3_000, max_obligations: 20, ..Options::default() };
            for criterion in ["prime-path", "mcdc", "all-uses"] {
                graph::cover(&cfg, criterion, &options, &NEVER, &mut |_, _| {}).unwrap();
            }
            true
        }
        Err(why) => {
            assert!(why.at.line > 0 && why.at.column > 0 && !why.message.is_empty());
            false
        }
    }
}

fn seeds() -> Vec<String> {
    let folder = format!("{}/../../fixtures/cfg", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files.iter().map(|f| std::fs::read_to_string(f).unwrap()).filter(|t| t.len() < 4_000).collect()
}

#[test]
fn mutilated_graphs() {
    let mut random = Random(3);
    let pieces =
        ["{", "}", "[", "]", "\"", ",", ":", "null", "-1", "1e999", "\\u0000", "&&", "(", "a", "99999999999"];
    let mut read = 0;
    for seed in seeds() {
        for _ in 0..60 {
            let mut chars: Vec<char> = seed.chars().collect();
            for _ in 0..1 + random.below(2) {
                let at = random.below(chars.len());
                match random.below(4) {
                    0 => {
                        let end = (at + 1 + random.below(20)).min(chars.len());
                        chars.drain(at..end);
                    }
                    1 => chars.truncate(at),
                    2 => {
                        let piece = pieces[random.below(pieces.len())];
                        chars.splice(at..at, piece.chars());
                    }
                    _ => {
                        let from = random.below(chars.len());
                        let end = (from + random.below(40)).min(chars.len());
                        let copy: Vec<char> = chars[from..end].to_vec();
                        chars.splice(at..at, copy);
                    }
                }
                if chars.is_empty() {
                    break;
                }
            }
            read += usize::from(attempt(&chars.iter().collect::<String>()));
        }
    }
    assert!(read > 2, "the mutations leave nothing to cover: {read}");
}

#[test]
fn deep_wide_and_strange() {
    let graph = |when: &str| {
        format!(
            r#"{{"schema": "testwright-cfg/1", "inputs": [{{"name": "a", "type": "i32"}}], "entry": "s", "exits": "e",
            "nodes": [{{"id": "s"}}, {{"id": "e"}}], "edges": [{{"from": "s", "to": "e", "when": {when}}}]}}"#
        )
    };
    let text = |t: String| graph(&format!("\"{t}\""));
    assert!(!attempt(&text("(".repeat(100_000))));
    assert!(!attempt(&text("!".repeat(100_000))));
    assert!(!attempt(&text(format!("a {} == 0", "+ a ".repeat(50_000)))));
    assert!(!attempt(&text(format!("And({} a == 0)", "a == 0, ".repeat(50_000)))));
    assert!(!attempt(&graph(&(r#"{"op": "!", "args": ["#.repeat(5_000) + "true" + &"]}".repeat(5_000)))));
    assert!(!attempt(&text("a ==".to_string())));
    assert!(!attempt(&text("ä == 1 €".to_string())));
    assert!(attempt(&text(format!("a {} == 0", "+ a ".repeat(100)))));
    assert!(attempt(&text("a / (a - a) == 0".to_string())));
    assert!(!attempt(""));
    assert!(!attempt("\u{feff}"));
}

#[test]
fn doubling_does_not_explode() {
    let nodes: Vec<String> =
        (0..400).map(|i| format!(r#"{{"id": "n{i}", "statements": ["x = x + x", "x = x * x"]}}"#)).collect();
    let edges: Vec<String> = (0..399).map(|i| format!(r#"{{"from": "n{i}", "to": "n{}"}}"#, i + 1)).collect();
    let text = format!(
        r#"{{"schema": "testwright-cfg/1", "inputs": [{{"name": "x", "type": "i64"}}], "entry": "n0", "exits": "n399",
        "nodes": [{}], "edges": [{}]}}"#,
        nodes.join(","),
        edges.join(",")
    );
    assert!(attempt(&text));
}
