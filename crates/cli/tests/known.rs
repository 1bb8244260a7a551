//! What users know of their inputs: `testwright.toml`, annotations, drivers (`fixtures/known`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use report::{Report, Target, Verdict};
use testkit::Jdk;
use testkit::jdk::Options;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/known")
}

fn run(folder: &Path, config: &Path, targets: &[&str]) -> Output {
    let jdk = Jdk::at_least(17).unwrap();
    let mut sources = Vec::new();
    for topic in ["shop", "jakarta", "nullness"] {
        let entries = fs::read_dir(fixtures().join(topic)).unwrap();
        sources.extend(entries.map(|entry| entry.unwrap().path()));
    }
    sources.sort();
    let classes = jdk.compile(&sources, &Options::default()).unwrap();
    Command::new(env!("CARGO_BIN_EXE_testwright"))
        .args(["generate", "-o", "out", "--report", "json=report.json", "-c"])
        .arg(&classes)
        .arg("--config")
        .arg(config)
        .args(targets)
        .current_dir(folder)
        .env("JAVA_HOME", &jdk.home)
        .output()
        .unwrap()
}

fn unmet(target: &Target) -> Vec<String> {
    let unmet = target.obligations.iter().filter(|o| o.verdict != Verdict::Covered);
    unmet
        .map(|o| {
            let verdict = if o.verdict == Verdict::Infeasible { "infeasible" } else { "open" };
            format!("{verdict} {}", o.text)
        })
        .collect()
}

#[test]
fn inputs_are_what_callers_promise() {
    let dir = tempfile::tempdir().unwrap();
    let config = fixtures().join("testwright.toml");
    let targets = [
        "fx.known.Orders",
        "fx.known.Driver",
        "fx.known.Outer",
        "fx.known.Freight",
        "fx.known.Greeting",
        "fx.known.Stay",
        "fx.known.Desk",
    ];
    let output = run(dir.path(), &config, &targets);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let report: Report = serde_json::from_slice(&fs::read(dir.path().join("report.json")).unwrap()).unwrap();
    for target in &report.targets {
        assert!(target.dropped.is_empty() && target.disagreements.is_empty(), "{stderr}");
        assert!(target.tests.iter().all(|test| test.confirmed));
    }
    let [orders, driver, outer, freight, greeting, stay, desk] = report.targets.as_slice() else {
        panic!("{stderr}")
    };
    // By the user's word, though there is no end of paths; but what the class itself passes is another matter.
    let refused = [
        "line 18: pieces < 1",
        "line 18: pieces > 100",
        "line 21: code == null",
        "line 21: code.length() < 4",
        "line 27: names.isEmpty()",
        "line 27: names.size() > 3",
        "line 31: hour < 0",
        "line 31: hour > 23",
        "line 34: names.get(0) == null",
    ];
    let mut unmet_desk = unmet(desk);
    unmet_desk.sort();
    assert_eq!(unmet_desk, refused.map(|text| format!("infeasible {text}")), "{stderr}");
    // What nobody may pass is not covered, and no test passes it.
    let unmet_orders = unmet(orders);
    for text in [
        "infeasible line 21: pieces < 1",
        "infeasible line 32: code == null",
        "infeasible line 60: prices.isEmpty()",
        "infeasible line 71: line.pieces < 1",
        "infeasible line 63: off > 9",
    ] {
        assert!(unmet_orders.iter().any(|t| t == text), "{text}: {unmet_orders:?}");
    }
    let lines = unmet_orders.iter().filter_map(|text| text.split([' ', ':']).nth(2));
    assert_eq!(lines.collect::<Vec<_>>(), ["21", "71", "32", "60", "63", "43"], "{unmet_orders:?}");
    let why = orders.obligations.iter().find(|o| o.text.contains("pieces < 1")).unwrap().why.clone();
    assert!(why.unwrap().ends_with("of what testwright.toml and annotations allow"));
    let tests = fs::read_to_string(dir.path().join("out/fx/known/OrdersTest.java")).unwrap();
    assert!(tests.contains("Orders.discount(51)") && !tests.contains("Orders.discount(0)"), "{tests}");
    assert!(tests.contains("Orders.region(\"XA-0\")") && !tests.contains("Orders.region(null)"), "{tests}");
    assert!(tests.contains("line.pieces = 1;") && !tests.contains("Orders.days(0)"), "{tests}");
    // A driver is there for what it drives; an assumption is no branch of it.
    assert_eq!(unmet(driver), ["open line 8: step < 0"], "{stderr}");
    assert!(driver.obligations.iter().all(|o| o.function.starts_with("fx/known/Counter.")));
    // Objects that belong to others are made as Java makes them.
    assert_eq!(unmet(outer), Vec::<String>::new(), "{stderr}");
    let tests = fs::read_to_string(dir.path().join("out/fx/known/OuterTest.java")).unwrap();
    assert!(tests.contains(".new Part("), "{tests}");
    // Others answer by cases of what they are asked, and by patterns.
    let expected = [
        "infeasible line 14: rate > 2",
        "infeasible line 17: rate < 6",
        "infeasible line 26: zone.length() != 2",
    ];
    assert_eq!(unmet(freight), expected, "{stderr}");
    // Null is given where code of its own refuses it, and nowhere else where types say that they take none.
    assert_eq!(unmet(greeting), Vec::<String>::new(), "{stderr}");
    let tests = fs::read_to_string(dir.path().join("out/fx/known/GreetingTest.java")).unwrap();
    assert!(tests.contains("Greeting.shout(null)") && tests.contains("both(\"a\", null)"), "{tests}");
    for never in ["length(null)", "first(null)", "both(null"] {
        assert!(!tests.contains(never), "{tests}");
    }
    // Of listed values one is chosen; the method that says what is valid is itself tried with any object.
    let expected = ["stay.nights <= 0", "tariff.season(month) == Season.CLOSED"];
    let unmet_stay = unmet(stay);
    assert_eq!(unmet_stay.len(), expected.len(), "{unmet_stay:?}");
    for (text, part) in unmet_stay.iter().zip(expected) {
        assert!(text.starts_with("infeasible ") && text.contains(part), "{unmet_stay:?}");
    }
}

#[test]
fn annotations_of_one_parameter_hold_together() {
    let dir = tempfile::tempdir().unwrap();
    let output =
        run(dir.path(), &fixtures().join("testwright.toml"), &["fx.known.Booking", "--work", "4000000"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let report: Report = serde_json::from_slice(&fs::read(dir.path().join("report.json")).unwrap()).unwrap();
    let booking = &report.targets[0];
    assert!(booking.dropped.is_empty() && booking.disagreements.is_empty(), "{stderr}");
    let unmet = unmet(booking);
    let refused = ["price.signum() <= 0", "compareTo(new BigDecimal(\"100\")) >= 0", "day.getYear() < 2020"];
    assert_eq!(unmet.len(), refused.len(), "{unmet:?}");
    for text in refused {
        assert!(unmet.iter().any(|t| t.contains(text)), "{text}: {unmet:?}");
    }
    let tests = fs::read_to_string(dir.path().join("out/fx/known/BookingTest.java")).unwrap();
    assert!(tests.contains("\"dear\"") && !tests.contains("\"too much\""), "{tests}");
}

#[test]
fn a_slip_in_the_file_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("known.toml");
    for (text, message) in [
        ("[[method]]\nname = 'fx.known.Orders#discount'\ninputs.piece = { min = 1 }", "did you mean pieces?"),
        ("[[method]]\nname = 'fx.known.Order#discount'", "did you mean fx.known.Orders"),
        ("[[type]]\nname = 'fx.known.Orders$Line'\nvalid = 'fx.known.Orders#isMont'", "did you mean isMonth"),
        ("[[method]]\nname = 'fx.known.Orders#discount'\ninputs.pieces = { size = 3 }", "is a number"),
        ("[[type]]\nname = 'fx.known.Freight$Rates'\nresults.rates = {}", "did you mean rate"),
        (
            "[[type]]\nname = 'fx.known.Freight$Rates'\nresults.rate = [{ when = { arg0 = { max = 3 } }, then = {} }]",
            "no case holds of arg0 = 4",
        ),
        (
            "[[method]]\nname = 'fx.known.Driver#count'\ncovers = 'fx.known.Counter#ad'",
            "class fx.known.Counter has no method ad; did you mean add",
        ),
        ("[[method]\n", "TOML parse error"),
    ] {
        fs::write(&config, text).unwrap();
        let output = run(dir.path(), &config, &["fx.known.Orders"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(message) && stderr.contains("known.toml"), "{stderr}");
    }
}
