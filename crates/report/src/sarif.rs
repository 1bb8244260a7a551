//! SARIF 2.1.0: suspected bugs, and obligations that are not covered, as results for code scanners.

use serde_json::{Value, json};

use crate::{Obligation, Report, Target, Verdict};

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> String {
    let results: Vec<Value> = report.targets.iter().flat_map(target).collect();
    let rule = |id: &str, text: &str, level: &str| json!({ "id": id, "shortDescription": { "text": text }, "defaultConfiguration": { "level": level } });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Testwright",
                "version": report.version,
                "rules": [
                    rule("suspected-bug", "An exception that no throw of the program raised.", "warning"),
                    rule("infeasible", "An obligation that no run can meet.", "note"),
                    rule("open", "An obligation that was neither covered nor proved infeasible.", "note"),
                ],
            } },
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).map_or_else(|_| String::new(), |text| text + "\n")
}

fn target(target: &Target) -> Vec<Value> {
    let file = source_file(target);
    let place = |line: u32| {
        let mut physical = json!({ "artifactLocation": { "uri": file } });
        if line > 0 {
            physical["region"] = json!({ "startLine": line });
        }
        json!([{ "physicalLocation": physical }])
    };
    let mut results: Vec<Value> = target
        .bugs
        .iter()
        .map(|bug| {
            let text = format!("{}; shown by the test {}", bug.what, bug.test);
            json!({ "ruleId": "suspected-bug", "level": "warning", "message": { "text": text }, "locations": place(bug.line) })
        })
        .collect();
    for o in target.obligations.iter().filter(|o| o.verdict != Verdict::Covered) {
        let rule = if o.verdict == Verdict::Infeasible { "infeasible" } else { "open" };
        let text = format!("{}: {}", o.text, o.why.as_deref().unwrap_or("no reason is known"));
        results.push(
            json!({ "ruleId": rule, "level": "note", "message": { "text": text }, "locations": place(o.line) }),
        );
    }
    results
}

/// Where the source of a class is: as the class file says, or by convention: `com/acme/Calc.java`.
pub(crate) fn source_file(target: &Target) -> String {
    if let Some(source) = &target.source {
        return source.clone();
    }
    let outer = target.class.split('$').next().unwrap_or(&target.class);
    format!("{}.java", outer.replace('.', "/"))
}

/// Obligations of a line, in the order of the report.
pub(crate) fn by_line(target: &Target) -> std::collections::BTreeMap<u32, Vec<&Obligation>> {
    let mut lines: std::collections::BTreeMap<u32, Vec<&Obligation>> = Default::default();
    for o in target.obligations.iter().filter(|o| o.line > 0) {
        lines.entry(o.line).or_default().push(o);
    }
    lines
}
