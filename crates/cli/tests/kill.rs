//! Killed at any moment, and continued: the tests that come out are those that nobody disturbed gives.
//!
//! `KILLS` says how often; a few by default, a hundred by `make kill`.

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::Place;

/// Sorts three numbers in a way that takes the explorer a while.
const SLOW: &str = "package a; public class Slow {
    public static int rank(int a, int b, int c, int d, int e) {
        int[] all = {a, b, c, d, e};
        for (int p = 1; p < all.length; p++) {
            int t = all[p];
            int j = p;
            while (j > 0 && t < all[j - 1]) {
                all[j] = all[j - 1];
                j--;
            }
            all[j] = t;
        }
        if (all[0] * 3 == all[4] && all[1] > 100) {
            throw new IllegalArgumentException();
        }
        return all[2];
    }
}";

struct Slow(Place);

impl Slow {
    fn command(&self, out: &str, resume: bool) -> Command {
        let mut command = self.0.command("generate");
        command.args(["-o", out, "--no-run", "--exhaustive", "--all-paths", "-j", "2"]);
        command.args(resume.then_some("--resume")).arg("a.Slow");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn text(&self, out: &str) -> String {
        fs::read_to_string(self.0.path().join(out).join("a/SlowTest.java")).unwrap()
    }

    fn journals(&self, out: &str) -> bool {
        self.0.path().join(out).join(".testwright").exists()
    }
}

#[test]
fn what_was_killed_goes_on() {
    let kills: u64 = std::env::var("KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let place = Slow(Place::new("Slow", SLOW));
    let started = Instant::now();
    assert!(place.command("whole", false).status().unwrap().success());
    let whole = started.elapsed();
    let expected = place.text("whole");
    assert!(!place.journals("whole"), "the journal is gone when all is written");
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut killed = 0;
    while killed < kills {
        let out = format!("out{killed}");
        let mut resume = false;
        // Killed once, twice or three times before it may finish.
        for _ in 0..=killed % 3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut child = place.command(&out, resume).spawn().unwrap();
            std::thread::sleep(Duration::from_nanos(random % (whole.as_nanos() as u64).max(1)));
            child.kill().unwrap();
            child.wait().unwrap();
            resume = true;
            killed += 1;
        }
        assert!(place.command(&out, true).status().unwrap().success());
        assert_eq!(place.text(&out), expected, "after {killed} kills");
        assert!(!place.journals(&out));
    }
}
