//! A slice of `make conformance`: calls of the platform's public methods give the same in our VM and in the JVM.

mod driver;

use testkit::Jdk;
use testkit::conform::Conform;

/// Small classes of many packages.
const SLICE: &[&str] = &[
    "java.lang.StringBuilder",
    "java.math.MathContext",
    "java.nio.CharBuffer",
    "java.text.ChoiceFormat",
    "java.time.YearMonth",
    "java.util.UUID",
    "java.util.Optional",
    "java.util.StringJoiner",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.function.Function",
    "java.util.regex.Matcher",
    "java.util.stream.IntStream",
    "java.io.StringReader",
];

#[test]
fn a_slice_of_the_platform_agrees() {
    let jdk = Jdk::at_least(17).expect("a JDK");
    let conform = Conform::plan(&jdk, SLICE).expect("the calls compile");
    let mut classes: Vec<&str> = conform
        .members
        .iter()
        .filter_map(|m| m.calls.as_ref().ok())
        .map(|place| place.class.as_str())
        .collect();
    classes.dedup();
    let results = driver::compare(&jdk, &conform, &classes, 4, |_| {});
    let calls: u32 = results.tallies.values().map(|tally| tally.calls).sum();
    results.notes.iter().for_each(|note| println!("{note}"));
    assert!(calls > 1000, "{calls} calls");
    assert!(results.notes.is_empty(), "{} calls did not agree", results.notes.len());
}
