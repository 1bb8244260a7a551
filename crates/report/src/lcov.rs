//! LCOV tracefiles: every line with code, hit where a test executes it; the obligations of a line as its branches.

use std::fmt::Write;

use crate::sarif::{by_line, source_file};
use crate::{Report, Verdict};

pub fn lcov(report: &Report) -> String {
    let mut out = String::new();
    for target in &report.targets {
        let _ = writeln!(out, "TN:testwright\nSF:{}", source_file(target));
        let lines = by_line(target);
        let (mut found, mut hit, mut lines_hit) = (0, 0, 0);
        for (line, obligations) in &lines {
            if obligations.len() > 1 {
                for (i, o) in obligations.iter().enumerate() {
                    let covered = o.verdict == Verdict::Covered;
                    let _ = writeln!(out, "BRDA:{line},0,{i},{}", u32::from(covered));
                    found += 1;
                    hit += u32::from(covered);
                }
            }
        }
        if found > 0 {
            let _ = writeln!(out, "BRF:{found}\nBRH:{hit}");
        }
        // A report of another version may not know the lines: then those with obligations are all there are.
        let by_obligations = || {
            let covered = |all: &Vec<&crate::Obligation>| all.iter().any(|o| o.verdict == Verdict::Covered);
            lines.iter().map(|(line, all)| (*line, covered(all))).collect()
        };
        let known = if target.lines.is_empty() { by_obligations() } else { target.lines.clone() };
        for (line, covered) in &known {
            let covered = *covered;
            lines_hit += u32::from(covered);
            let _ = writeln!(out, "DA:{line},{}", u32::from(covered));
        }
        let _ = writeln!(out, "LF:{}\nLH:{lines_hit}\nend_of_record", known.len());
    }
    out
}
