//! Runs `test cover CRITERION…` of the golden tests: obligations stand at the code that meets them first.

use coverage::{Criterion, ObligationId, Projection, Target};
use ir::filetest::{FileTest, discover};
use ir::text::parse_module;
use std::path::Path;

#[test]
fn golden_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests");
    let mut ran = 0;
    let mut failures = Vec::new();
    for path in discover(&folder).expect("the folder is there") {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let test = FileTest::read(&text).expect("a header");
        if test.command("cover").is_some() {
            ran += 1;
            failures.extend(check(&path, &test).err());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(ran >= 3, "only {ran} golden tests found");
}

fn check(path: &Path, test: &FileTest) -> Result<(), String> {
    let parsed = parse_module(&test.module).map_err(|e| format!("{}:{e}", path.display()))?;
    let mut found = Vec::new();
    let criteria = test.commands.iter().filter(|c| c.name == "cover").flat_map(|c| &c.args);
    for name in criteria {
        let criterion = Criterion::from_name(name).ok_or_else(|| format!("unknown criterion {name}"))?;
        for (id, func) in parsed.module.bodies() {
            let lines = parsed.lines_of(id).expect("every body has lines");
            let graph = Projection::new(func, &parsed.module);
            for (i, obligation) in criterion.obligations(&graph).iter().enumerate() {
                assert_eq!(obligation.id, ObligationId(i as u32));
                let targets: Vec<String> = obligation.targets.iter().map(|t| show(func, *t)).collect();
                let line = lines.insts[obligation.site(func) as usize];
                found.push((
                    line,
                    format!("{criterion} {}: {obligation} [{}]", obligation.id, targets.join(" ")),
                ));
            }
        }
    }
    test.check(path, "cover", &found)
}

/// A target by blocks, which the file shows: `b1` entered, `b1.0` taken, `b1+2` executed.
fn show(func: &ir::Function, target: Target) -> String {
    match target {
        Target::Enter(block) => block.to_string(),
        Target::Take { index, position } => format!("{}.{position}", func.block_at(index)),
        Target::Raise(index) => format!("{} raises", show(func, Target::Execute(index))),
        Target::Execute(index) => {
            let block = func.block_at(index);
            format!("{block}+{}", index - func.blocks[block].start)
        }
    }
}
