//! Literals are read back by javac to the very same value, whatever the value.

#[path = "../../emit/tests/samples/mod.rs"]
mod samples;

use emit::java::{Framework, Options, SuiteFile, render};
use emit::write::java_path;
use runner::confirm::{Environment, TestSource, Verdict, confirm};
use runner::junit::JunitJars;
use runner::process::Limits;
use runner::sandbox::Isolation;
use runner::toolchain::Jdk;
use suite::case::{Call, TestCase, Text, Type, Value};

/// A fixed sequence (splitmix64): the test is the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn on_string(text: Text, method: &str, expected: i32, name: String) -> TestCase {
    let class = samples::java_class("java.lang.String");
    let call = Call::on_instance(Value::Str(text), class, method, vec![], Type::Int, vec![]);
    TestCase::returns(name, call, Value::Int(expected))
}

#[test]
fn literals_are_exact() {
    let mut random = Random(1);
    let mut cases = Vec::new();
    for i in 0..400 {
        // Plain bits give all magnitudes; quotients give the short decimals that people write.
        let bits = match i % 3 {
            0 => random.next(),
            1 => ((random.next() % 100_000) as f64 / 1000.0).to_bits(),
            _ => (0x7ff0_0000_0000_0000u64 & random.next()) | (random.next() % 3),
        };
        let double = samples::java_class("java.lang.Double");
        let call = Call::on_class(
            double,
            "doubleToRawLongBits",
            vec![Type::Double],
            Type::Long,
            vec![Value::Double(bits)],
        );
        cases.push(TestCase::returns(format!("double{i}"), call, Value::Long(bits as i64)));
        let bits =
            if i % 2 == 0 { random.next() as u32 } else { ((random.next() % 9999) as f32 / 100.0).to_bits() };
        let float = samples::java_class("java.lang.Float");
        let call = Call::on_class(
            float,
            "floatToRawIntBits",
            vec![Type::Float],
            Type::Int,
            vec![Value::Float(bits)],
        );
        cases.push(TestCase::returns(format!("float{i}"), call, Value::Int(bits as i32)));
    }
    for i in 0..300u64 {
        let len = random.next() % 12 * (1 + i % 30);
        let units: Vec<u16> = (0..len)
            .map(|_| match random.next() % 4 {
                0 => (random.next() % 128) as u16,
                1 => [0x5c, 0x75, 0x30, 0x22, 0x0a, 0x0d][(random.next() % 6) as usize],
                2 => 0xd800 + (random.next() % 2048) as u16,
                _ => random.next() as u16,
            })
            .collect();
        let hash = units.iter().fold(0i32, |h, u| h.wrapping_mul(31).wrapping_add(i32::from(*u)));
        cases.push(on_string(Text(units.clone()), "length", len as i32, format!("length{i}")));
        cases.push(on_string(Text(units), "hashCode", hash, format!("hash{i}")));
    }
    for c in (0..=0xffffu32).step_by(97).chain(0..128) {
        let class = samples::java_class("java.lang.Character");
        let call =
            Call::on_class(class, "hashCode", vec![Type::Char], Type::Int, vec![Value::Char(c as u16)]);
        let name = format!("char{}_{c}", cases.len());
        cases.push(TestCase::returns(name, call, Value::Int(c as i32)));
    }
    let environment = Environment {
        jdk: Jdk::find(None).unwrap(),
        class_path: Vec::new(),
        isolation: Isolation::detect(),
        limits: Limits::default(),
        preview: None,
    };
    let junit = JunitJars::find(Framework::Junit5, &[]).unwrap();
    let file = SuiteFile { class_name: "LiteralsTest".into(), ..samples::file(cases) };
    let rendered = render(&file, Options { framework: Framework::Junit5, release: 11 });
    let source = TestSource::new(java_path(&file.package, &file.class_name), rendered);
    let report = confirm(&environment, &junit, vec![source], None).unwrap();
    let bad: Vec<_> = report.tests.iter().filter(|test| test.verdict != Verdict::Passed).take(5).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    assert!(report.tests.len() > 2000);
}
