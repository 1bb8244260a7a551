//! `make conformance`: the platform's public methods in our VM and in the real JVM, as a table for docs/conformance.md.
//!
//! Arguments: patterns of class names (all if none), `--calls N`, `--doc FILE`, `--notes FILE`, `--jdk HOME` (17 or newer).

#[path = "../tests/conformance/driver.rs"]
mod driver;
#[path = "../tests/conformance/table.rs"]
mod table;

use testkit::Jdk;
use testkit::conform::Conform;

fn main() {
    let mut patterns = Vec::new();
    let (mut calls, mut doc, mut notes, mut home) = (25, None, None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--calls" => calls = arguments.next().and_then(|text| text.parse().ok()).expect("a number"),
            "--doc" => doc = arguments.next(),
            "--notes" => notes = arguments.next(),
            "--jdk" => home = arguments.next(),
            _ => patterns.push(argument),
        }
    }
    if patterns.is_empty() {
        patterns.push("java.*".to_string());
    }
    let selected: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let jdk = match home {
        Some(home) => Jdk::at(std::path::Path::new(&home)).expect("a JDK"),
        None => Jdk::at_least(17).expect("a JDK"),
    };
    let conform = Conform::plan(&jdk, &selected).expect("the calls compile");
    let mut classes: Vec<&str> = conform
        .members
        .iter()
        .filter_map(|m| m.calls.as_ref().ok())
        .map(|place| place.class.as_str())
        .collect();
    classes.dedup();
    let results = driver::compare(&jdk, &conform, &classes, calls, |class| eprintln!("{class}"));
    for (reason, count) in &results.reasons {
        println!("{count:>6} {reason}");
    }
    match notes {
        Some(file) => std::fs::write(file, results.notes.join("\n") + "\n").expect("the notes are written"),
        None => results.notes.iter().take(60).for_each(|note| println!("{note}")),
    }
    let text = table::table(&jdk, &conform, &results);
    match doc {
        Some(file) => std::fs::write(file, text).expect("the table is written"),
        None => println!("{text}"),
    }
}
