//! Strategies compared over the fixtures: obligations met as runs go by. Writes `docs/strategies.svg`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use engine::{ClassTarget, Config, Event, Places, Worlds, class_path, strategy};
use testkit::Fixtures;
use testkit::fixtures::DEFAULT_RELEASE;

/// Runs at which the curves are read off.
const AT: [u64; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/// Work a class: about a tenth of a second, so that all strategies take a few minutes.
const WORK: u64 = 100_000;

/// Mixtures that are compared besides the single strategies.
const MIXTURES: [&str; 4] =
    [strategy::DEFAULT, "coverage*7,dfs", "coverage,random-path", "coverage+dfs+random-path"];

fn main() {
    // `cargo bench -- TOPIC…` takes those topics only.
    let topics: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let fixtures = Fixtures::discover().expect("fixtures");
    let compiled = &fixtures.compile(false).expect("they compile")[&DEFAULT_RELEASE];
    let mut classes: Vec<String> = Vec::new();
    for case in fixtures.of_release(DEFAULT_RELEASE) {
        if topics.is_empty() || topics.contains(&case.topic) {
            classes.extend(case.classes());
        }
    }
    let mut curves = Vec::new();
    let base = Config {
        class_path: vec![compiled.classes.clone()],
        jdk: Some(compiled.jdk.home.clone()),
        run: false,
        ..Config::default()
    };
    let path = class_path(&base, &Places::default()).expect("a JDK");
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut booted = Worlds::boot(&base, &path, &interrupt, &mut |_| {}).expect("the JDK boots");
    for name in strategy::NAMES.into_iter().chain(MIXTURES) {
        let mut config = Config { strategy: name.to_string(), ..base.clone() };
        config.budget.work = WORK;
        let started = Instant::now();
        let curve = curve(&config, &mut booted, &classes);
        let (at, end) = curve.split_at(AT.len());
        println!("{name:<26} {at:?}, in the end {end:?} {:>6.1} s", started.elapsed().as_secs_f64());
        curves.push((name, curve));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/strategies.svg");
    std::fs::write(&file, svg(&curves, classes.len())).expect("docs/ can be written");
    println!("wrote {}", file.display());
}

/// Obligations met, over all methods, when each had so many runs; the last figure is what is met of all classes in
/// the end, second turns of methods included.
fn curve(config: &Config, booted: &mut Worlds, classes: &[String]) -> Vec<u64> {
    let mut total = vec![0; AT.len() + 1];
    for class in classes {
        let mut worlds = booted.fork();
        let target = ClassTarget { class: class.replace('.', "/"), methods: Vec::new(), nested: Vec::new() };
        // What the method under way had met at each point; more runs never mean fewer.
        let mut now = vec![0; AT.len()];
        let mut turns: Vec<Vec<u64>> = Vec::new();
        let mut events = |event: Event| match event {
            Event::Progress { paths, covered, .. } => {
                for (at, met) in AT.iter().zip(&mut now) {
                    if paths <= *at {
                        *met = u64::from(covered).max(*met);
                    }
                }
            }
            Event::MethodDone { .. } => {
                let mut most = 0;
                let turn = now.iter_mut().map(|met| {
                    most = most.max(std::mem::take(met));
                    most
                });
                turns.push(turn.collect());
            }
            _ => {}
        };
        // A class that cannot be explored adds nothing to any curve.
        let Ok(result) = worlds.explore(config, &target, Instant::now(), &mut events) else { continue };
        // What comes after the first turn of each method is a second one.
        for turn in turns.iter().take(result.methods.len()) {
            total.iter_mut().zip(turn).for_each(|(sum, met)| *sum += met);
        }
        total[AT.len()] += u64::from(result.counts().covered);
    }
    total
}

const COLOURS: [&str; 12] = [
    "#1b6ca8", "#d1495b", "#66a182", "#edae49", "#8d5a97", "#2e4057", "#00798c", "#b56576", "#6c757d",
    "#111111", "#9c6644", "#c77dff",
];

/// Lines over a logarithmic axis of runs.
fn svg(curves: &[(&str, Vec<u64>)], classes: usize) -> String {
    let (width, height, left, bottom, top, right) = (860.0, 480.0, 64.0, 48.0, 40.0, 220.0);
    let most = curves.iter().flat_map(|(_, c)| &c[..AT.len()]).copied().max().unwrap_or(1).max(1) as f64;
    let least = curves.iter().flat_map(|(_, c)| &c[..AT.len()]).copied().min().unwrap_or(0) as f64 * 0.95;
    let x = |i: usize| left + (width - left - right) * i as f64 / (AT.len() - 1) as f64;
    let y = |v: f64| height - bottom - (height - bottom - top) * (v - least) / (most - least).max(1.0);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    );
    let _ = writeln!(
        out,
        "<text x=\"{left}\" y=\"22\" font-size=\"14\">Obligations met in the first turn of each method as runs go by; beside the names: of all {classes} classes in the end</text>"
    );
    for (i, at) in AT.iter().enumerate() {
        let x = x(i);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"#e5e5e5\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{at}</text>",
            height - bottom,
            height - bottom + 18.0
        );
    }
    for step in 0..=4 {
        let value = least + (most - least) * f64::from(step) / 4.0;
        let y = y(value);
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#e5e5e5\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.0}</text>",
            width - right,
            left - 6.0,
            y + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">runs a method</text>",
        (left + width - right) / 2.0,
        height - 10.0
    );
    for (n, (name, curve)) in curves.iter().enumerate() {
        let colour = COLOURS[n % COLOURS.len()];
        let points: Vec<String> = curve
            .iter()
            .take(AT.len())
            .enumerate()
            .map(|(i, v)| format!("{:.1},{:.1}", x(i), y(*v as f64)))
            .collect();
        let at = top + 16.0 * n as f64;
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <line x1=\"{:.1}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"{colour}\" stroke-width=\"3\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\">{name}: {}</text>",
            points.join(" "),
            width - right + 12.0,
            width - right + 32.0,
            width - right + 38.0,
            at + 4.0,
            curve.last().copied().unwrap_or(0)
        );
    }
    out.push_str("</svg>\n");
    out
}
