//! Budgets hold: memory, work, paths and time, by the command line.

mod support;

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use support::Place;

/// Eight numbers in order: half a million paths.
const MANY: &str = "package a; public class Many {
    public static int least(int a, int b, int c, int d, int e, int f, int g, int h) {
        int[] all = {a, b, c, d, e, f, g, h};
        for (int p = 1; p < all.length; p++) {
            int t = all[p];
            int j = p;
            while (j > 0 && t < all[j - 1]) {
                all[j] = all[j - 1];
                j--;
            }
            all[j] = t;
        }
        return all[0];
    }
    public static int sign(int x) {
        return x < 0 ? -1 : x > 0 ? 1 : 0;
    }
}";

struct Many(Place);

impl Many {
    /// What is said on standard error, and the most memory that was seen in use, in kB.
    fn explore(&self, options: &[&str]) -> (String, u64) {
        let mut command = self.0.command("explore");
        command.args(["--exhaustive", "--stats", "-j", "2"]).args(options).arg("a.Many");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let seen = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
            most = most.max(seen.unwrap_or(0));
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (said, most)
    }
}

/// A column of the line of a method: paths are the first, work is the fifth.
fn figure(said: &str, method: &str, column: usize) -> u64 {
    let start = said.find("questions").unwrap();
    let line = said[start..].lines().find(|line| line.trim_start().starts_with(method)).unwrap();
    line.split_whitespace().nth(column).unwrap().parse().unwrap()
}

#[test]
fn memory_work_and_paths_stay_within_their_limits() {
    let place = Many(Place::new("Many", MANY));
    let (said, most) = place.explore(&["--memory", "90"]);
    assert!(figure(&said, "least", 1) < 500_000, "{said}");
    assert!(most < 90 * 1024 * 11 / 10, "{most} kB: {said}");

    let (said, _) = place.explore(&["--work", "300000"]);
    let work = figure(&said, "least", 5) + figure(&said, "sign", 5);
    assert!((150_000..=330_000).contains(&work), "{said}");

    let (said, _) = place.explore(&["--class-paths", "100"]);
    let paths = [figure(&said, "least", 1), figure(&said, "sign", 1)];
    assert_eq!(paths[1], 3, "{said}");
    assert!((40..=97).contains(&paths[0]), "{said}");
}

/// Four bugs, one after the other.
const FAULTS: &str = "package a; public class Faults {
    public static int pick(int[] from, int at, int by) {
        if (from == null || from.length == 0) {
            return 0;
        }
        if (at > 90) {
            assert at != 99 : \"never\";
        }
        if (at < -90) {
            Object text = from;
            return ((String) text).length();
        }
        return from[at] / by;
    }
}";

#[test]
fn so_many_bugs_are_shown_as_were_asked_for() {
    let faults = Place::new("Faults", FAULTS);
    for most in [1, 2, 9] {
        let mut command = faults.command("generate");
        command.args(["-o", "out", "--no-run", "--max-bugs", &most.to_string(), "a.Faults"]);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let shown = said.lines().filter(|line| line.contains("suspected bug")).count();
        assert_eq!(shown, most.min(4), "{said}");
        let written = fs::read_to_string(faults.path().join("out/a/FaultsTest.java")).unwrap();
        assert_eq!(written.matches("// Suspected bug:").count(), most.min(4), "{written}");
    }
}

/// Its table takes two million steps to fill.
const HEAVY: &str = "package a; public class Heavy {
    private static final int[] SUMS = new int[256];
    static {
        for (int i = 0; i < 300_000; i++) {
            SUMS[i & 255] += i % 7;
        }
    }
    public static String look(int at) {
        return SUMS[at & 255] > 3_515 ? \"much\" : \"little\";
    }
}";

#[test]
fn a_table_that_takes_long_to_fill_is_filled_once() {
    let heavy = Place::new("Heavy", HEAVY);
    let mut command = heavy.command("generate");
    command.args(["-o", "out", "--no-run", "--max-steps", "100000", "a.Heavy"]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("0 open"), "{said}");
    let written = fs::read_to_string(heavy.path().join("out/a/HeavyTest.java")).unwrap();
    assert!(written.contains("\"much\"") && written.contains("\"little\""), "{written}");
}

/// A JDK whose compiler takes a minute.
fn with_slow_compiler(jdk: &Path, home: &Path) {
    let link = |from: &Path, to: &Path, but: &str| {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            if entry.file_name() != but {
                symlink(entry.path(), to.join(entry.file_name())).unwrap();
            }
        }
    };
    link(jdk, home, "bin");
    link(&jdk.join("bin"), &home.join("bin"), "javac");
    let compiler = home.join("bin/javac");
    fs::write(&compiler, "#!/bin/sh\nexec sleep 60\n").unwrap();
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_not_confirmed_in_time_is_not_written_and_not_lost() {
    let place = Place::new("Many", MANY);
    let slow = place.path().join("slow");
    with_slow_compiler(place.jdk_home(), &slow);
    let generate = |home: &Path, options: &[&str]| {
        let mut command = place.command("generate");
        command.args(["-o", "out", "a.Many#sign"]).args(options).env("JAVA_HOME", home);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let started = Instant::now();
    let (code, said) = generate(&slow, &["--time", "5"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(started.elapsed() < Duration::from_secs(30), "the compiler was waited for");
    assert!(said.contains("3 of 3 tests of a.Many were not confirmed in time"), "{said}");
    assert!(said.contains("--resume"), "{said}");
    assert!(!place.path().join("out/a/ManyTest.java").exists());

    let (code, said) = generate(place.jdk_home(), &["--resume"]);
    assert_eq!(code, Some(0), "{said}");
    let written = fs::read_to_string(place.path().join("out/a/ManyTest.java")).unwrap();
    assert_eq!(written.matches("@Test").count(), 3, "{written}");
    assert!(!place.path().join("out/.testwright").exists(), "nothing is left to be continued");
}
