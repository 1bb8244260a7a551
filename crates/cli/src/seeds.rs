//! Example inputs from a file: a report that `--report json=FILE` wrote, or as much of one as a person writes by hand.

use std::collections::BTreeMap;
use std::path::Path;

use engine::Seed;
use serde_json::Value;

use crate::Failure;

/// The inputs of all tests in the file.
pub fn read(file: &Path) -> Result<Vec<Seed>, Failure> {
    let fail = |why: String| Failure::Usage(format!("--seeds {}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|why| fail(why.to_string()))?;
    let all: Value = serde_json::from_str(&text).map_err(|why| fail(why.to_string()))?;
    seeds(&all).map_err(fail)
}

fn seeds(all: &Value) -> Result<Vec<Seed>, String> {
    let list = |of: &Value, key: &str| of[key].as_array().cloned().ok_or(format!("there is no list {key:?}"));
    let text = |of: &Value, key: &str| of[key].as_str().map(str::to_string);
    let mut seeds = Vec::new();
    for target in list(all, "targets")? {
        let class = text(&target, "class").ok_or("a target has no \"class\"")?;
        for test in list(&target, "tests")? {
            let method = text(&test, "method").ok_or(format!("a test of {class} has no \"method\""))?;
            let given = test["inputs"].as_object().ok_or(format!("a test of {class} has no \"inputs\""))?;
            let mut inputs = BTreeMap::new();
            for (name, value) in given {
                enter(&mut inputs, name, value)
                    .ok_or_else(|| format!("{class}.{method}: {name} cannot be {value}"))?;
            }
            seeds.push(Seed { class: class.clone(), method, descriptor: text(&test, "descriptor"), inputs });
        }
    }
    Ok(seeds)
}

/// Numbers, truth values, texts, and bits as reports write them.
fn enter(inputs: &mut BTreeMap<String, u128>, name: &str, value: &Value) -> Option<()> {
    let bits = match value {
        Value::Bool(truth) => u128::from(*truth),
        Value::Number(number) => match number.as_i64() {
            Some(number) => i128::from(number) as u128,
            None => number.as_f64()?.to_bits().into(),
        },
        Value::String(text) => match text.strip_prefix("0x").map(|hex| u128::from_str_radix(hex, 16)) {
            Some(Ok(bits)) => bits,
            _ => {
                let units: Vec<u16> = text.encode_utf16().collect();
                inputs.insert(format!("{name}.length"), units.len() as u128);
                for (i, unit) in units.into_iter().enumerate() {
                    inputs.insert(format!("{name}[{i}]"), unit.into());
                }
                return Some(());
            }
        },
        Value::Null => {
            inputs.insert(format!("{name}.null"), 1);
            return Some(());
        }
        Value::Array(_) | Value::Object(_) => return None,
    };
    inputs.insert(name.to_string(), bits);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reports_and_what_people_write_are_read() {
        let given = json!({"targets": [{"class": "a.B", "tests": [
            {"method": "m", "inputs": {"n": -1, "on": true, "text": "hi", "raw": "0x2a", "none": null}}
        ]}]});
        let found = seeds(&given).unwrap();
        let inputs = &found[0].inputs;
        assert_eq!((found[0].class.as_str(), found[0].method.as_str()), ("a.B", "m"));
        assert_eq!(inputs["n"] as u32, u32::MAX);
        assert_eq!([inputs["on"], inputs["raw"], inputs["none.null"]], [1, 42, 1]);
        assert_eq!([inputs["text.length"], inputs["text[1]"]], [2, 'i' as u128]);
        let wrong = json!({"targets": [{"class": "a.B", "tests": [{"method": "m", "inputs": {"n": []}}]}]});
        assert_eq!(seeds(&wrong).unwrap_err(), "a.B.m: n cannot be []");
        assert!(seeds(&json!({})).is_err());
    }
}
