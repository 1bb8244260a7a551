//! `testwright replay REPORT#TEST`: one input again in the VM, traced line by line.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::{Worlds, prepare, replay};
use report::Report;

use crate::args::{ReplayArgs, TargetArgs, config, default_search, entries, places};
use crate::{End, Failure};

pub fn run(args: &ReplayArgs, interrupt: &Arc<AtomicBool>) -> Result<End, Failure> {
    let Some((file, name)) = args.test.rsplit_once('#') else {
        return Err(Failure::Usage("name a report and a test, as in report.json#divide_bZero".to_string()));
    };
    let text = fs::read_to_string(file).map_err(|e| Failure::Failed(format!("cannot read {file}: {e}")))?;
    let report = Report::from_json(&text).map_err(|e| Failure::Failed(format!("{file}: {e}")))?;
    let Some((target, test)) = report.test(name) else {
        return Err(Failure::Failed(format!("{file} has no test {name}")));
    };
    let targets = TargetArgs {
        targets: vec![target.class.clone()],
        class_path: Some(String::new()),
        source_path: None,
        project: None,
        config: None,
        jdk: args.jdk.clone(),
    };
    let mut config = config(&targets, &default_search())?;
    config.class_path = match &args.class_path {
        Some(path) => entries(path),
        None => report.class_path.iter().map(Into::into).collect(),
    };
    let setup = prepare(&config, &places())?;
    let mut worlds = Worlds::boot(&config, &setup.path, interrupt, &mut |_| {})?;
    let class = setup.targets.first().ok_or_else(|| Failure::Failed("nothing to replay".to_string()))?;
    for line in replay(&mut worlds.vm, &config, class, test)? {
        println!("{line}");
    }
    Ok(End::Done)
}
