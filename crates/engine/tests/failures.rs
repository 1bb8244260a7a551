//! A mistake of ours costs the method it happens in, and nothing else.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use engine::java::outcome::{ClassResult, Fate};
use engine::{ClassTarget, Config, Event, Places, Worlds, class_path};
use testkit::Fixtures;
use testkit::fixtures::DEFAULT_RELEASE;

/// Explores a class in both worlds; whoever is told that this method is done fails, as we might anywhere in it.
fn explore(config: &Config, class: &str, failing: Option<&str>) -> ClassResult {
    let path = class_path(config, &Places::default()).unwrap();
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut worlds = Worlds::boot(config, &path, &interrupt, &mut |_| {}).unwrap();
    let target = ClassTarget { class: class.replace('.', "/"), methods: Vec::new(), nested: Vec::new() };
    let events = &mut |event| {
        if let Event::MethodDone { method, .. } = event {
            assert_ne!(Some(method.as_str()), failing, "a mistake of ours");
        }
    };
    worlds.explore(config, &target, Instant::now(), events).unwrap()
}

fn tests_of_others(result: &ClassResult, failing: &str) -> Vec<String> {
    let others = result.tests.iter().filter(|test| result.methods[test.method].name != failing);
    others
        .map(|test| format!("{:?} {:?} {:?}", test.case.arrange, test.case.act, test.case.outcome))
        .collect()
}

#[test]
fn a_failing_method_costs_no_other_its_tests() {
    let compiled = Fixtures::discover().unwrap().compile(false).unwrap().remove(&DEFAULT_RELEASE).unwrap();
    let config = Config {
        class_path: vec![compiled.classes.clone()],
        jdk: Some(compiled.jdk.home.clone()),
        ..Config::default()
    };
    for (class, failing) in [("fx.objects.Range", "shifted"), ("fx.objects.Range", "contains")] {
        let whole = explore(&config, class, None);
        let rest = explore(&config, class, Some(failing));
        let expected = tests_of_others(&whole, failing);
        assert!(expected.len() > 2, "{class} has tests besides those of {failing}");
        assert_eq!(tests_of_others(&rest, failing), expected, "{class}");
        let failed = rest.methods.iter().find(|method| method.name == failing).unwrap();
        assert!(
            failed.untestable.iter().any(|why| why.contains("internal error")),
            "{:?}",
            failed.untestable
        );
        assert!(!failed.exhaustive);
        let lost = rest.obligations.values().filter(|(_, fate)| matches!(fate, Fate::Infeasible(_))).count();
        let known =
            whole.obligations.values().filter(|(_, fate)| matches!(fate, Fate::Infeasible(_))).count();
        assert!(lost <= known, "nothing is called infeasible because we failed");
    }
}
