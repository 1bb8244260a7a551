//! What must hold of every exploration, whatever the function.

mod support;

use explore::{End, Options, Step, Verdict, select, strategy};
use ir::filetest::{FileTest, discover};
use ir::text::parse_module;
use std::collections::BTreeSet;
use std::path::Path;
use support::{Ask, Explored, explore};

/// Functions of the golden tests that say `exhaustive` of themselves: all strategies must find the same paths.
fn closed_functions() -> Vec<(ir::Module, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests/explore");
    let mut found = Vec::new();
    for path in discover(&folder).expect("the folder is there") {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let test = FileTest::read(&text).expect("a golden test");
        let module = parse_module(&test.module).expect("a module").module;
        for expected in test.expected("explore") {
            let Some((question, result)) = expected.text.split_once("=>") else { continue };
            let name = question.split_whitespace().next().unwrap_or("").trim_start_matches('@');
            if result.contains(", exhaustive") && !question.contains('=') {
                found.push((module.clone(), name.to_string()));
            }
        }
    }
    found
}

fn exhaustive(strategy: &str, batch: u32) -> Ask {
    let options = Options { audit: true, batch, ..Options::exhaustive() };
    Ask { options, strategy: strategy.to_string(), ..Ask::default() }
}

fn paths(explored: &Explored) -> BTreeSet<String> {
    // Which index or object comes first is a matter of order: those steps are no part of the comparison.
    let is_fixed = |s: &&Step| !matches!(s.kind, vm::ElemKind::Which | vm::ElemKind::Assume);
    let text = |steps: &[Step]| format!("{:?}", steps.iter().filter(is_fixed).collect::<Vec<_>>());
    explored.found.finished.iter().map(|f| format!("{} {:?}", text(&f.path), f.end)).collect()
}

#[test]
fn strategies_find_the_same_paths() {
    let functions = closed_functions();
    assert!(functions.len() >= 15, "only {} functions", functions.len());
    for (module, name) in functions {
        let reference = paths(&explore(&module, &name, &exhaustive("dfs", 1)));
        for strategy in strategy::NAMES.into_iter().chain(["coverage,random", "dfs+bfs+generational"]) {
            for batch in [1, 7] {
                let explored = explore(&module, &name, &exhaustive(strategy, batch));
                assert!(explored.found.exhaustive, "@{name} by {strategy}: {:?}", explored.ledger());
                assert_eq!(paths(&explored), reference, "@{name} by {strategy}, {batch} at a time");
            }
        }
    }
}

#[test]
fn explorations_repeat_exactly() {
    for (module, name) in closed_functions() {
        for strategy in strategy::NAMES {
            let ask = Ask { strategy: strategy.to_string(), ..Ask::default() };
            let runs = |e: &Explored| -> Vec<String> {
                e.found
                    .finished
                    .iter()
                    .map(|f| format!("{:?} {:?} {:?} {}", f.model, f.path, f.new, f.steps))
                    .collect()
            };
            let (a, b) = (explore(&module, &name, &ask), explore(&module, &name, &ask));
            assert_eq!(runs(&a), runs(&b), "@{name} by {strategy}");
            assert_eq!(a.found.verdicts, b.found.verdicts);
            assert_eq!(a.found.spent, b.found.spent);
        }
    }
}

/// Everything that is found, in order.
fn everything(e: &Explored) -> Vec<String> {
    let mut all: Vec<String> = (0..e.found.finished.len())
        .map(|i| {
            let f = &e.found.finished[i];
            format!("{} {:?} {:?} {:?} {} {}", e.inputs(i), f.path, f.end, f.new, f.steps, f.observation)
        })
        .collect();
    all.push(format!("{:?} {:?} {:?}", e.found.verdicts, e.found.spent, e.found.ledger));
    all
}

#[test]
fn the_number_of_workers_does_not_show() {
    for (module, name) in closed_functions() {
        for exhaustive in [false, true] {
            for strategy in ["coverage", "dfs"] {
                let of = |jobs: usize| {
                    let options = match exhaustive {
                        true => Options { audit: true, ..Options::exhaustive() },
                        false => Options { audit: true, ..Options::default() },
                    };
                    let ask = Ask { options, strategy: strategy.to_string(), jobs, ..Ask::default() };
                    everything(&explore(&module, &name, &ask))
                };
                let one = of(1);
                for jobs in [2, 4] {
                    assert_eq!(one, of(jobs), "@{name} by {strategy}, {jobs} workers");
                }
            }
        }
    }
}

/// Every answer of the solver is checked by plain Z3 besides.
#[test]
fn answers_stand_an_audit() {
    for (module, name) in closed_functions() {
        let ask = Ask { solver_audit: true, ..exhaustive("coverage", 4) };
        assert!(explore(&module, &name, &ask).found.exhaustive, "@{name}");
    }
}

#[test]
fn a_selection_meets_what_all_runs_meet() {
    for (module, name) in closed_functions() {
        let explored = explore(&module, &name, &exhaustive("coverage", 4));
        let finished = &explored.found.finished;
        let chosen = select(finished);
        let met = |runs: &mut dyn Iterator<Item = usize>| -> BTreeSet<u32> {
            runs.flat_map(|i| finished[i].meets.clone()).collect()
        };
        assert_eq!(met(&mut chosen.iter().copied()), met(&mut (0..finished.len())), "@{name}");
        let covered = explored.found.verdicts.iter().filter(|v| matches!(v, Verdict::Covered(_))).count();
        assert_eq!(met(&mut chosen.iter().copied()).len(), covered);
        let failures = |runs: &mut dyn Iterator<Item = usize>| -> BTreeSet<String> {
            runs.map(|i| &finished[i].end)
                .filter(|e| matches!(e, End::Threw { .. }))
                .map(|e| format!("{e:?}"))
                .collect()
        };
        assert_eq!(failures(&mut chosen.iter().copied()), failures(&mut (0..finished.len())), "@{name}");
        assert!(!chosen.is_empty());
    }
}

#[test]
fn an_interrupt_keeps_what_was_found() {
    let text = "func @loop(%0: i32 \"n\") {\n  %1: i32\nb0:\n  %2 = const.i32 0\n  %3 = const.i32 1\n  %1 = copy %2\n  jump b1\nb1:\n  %4 = ne.i32 %1, %0\n  br %4, b2, b3\nb2:\n  %1 = add.i32 %1, %3\n  jump b1\nb3:\n  ret\n}\n";
    let module = parse_module(text).expect("a module").module;
    let mut vm = vm::Vm::new(vm::TextLang::new(module.clone()), 1 << 20);
    vm.freeze();
    // The loop goes round the numbers: without this a run takes twenty thousand decisions.
    vm.limits.decisions = 100;
    let interrupt = vm.interrupt.clone();
    let mut entry = support::Entry::new(&module, "loop");
    let goal = explore::BranchGoal::new([]);
    let mut dfs = strategy::Dfs::default();
    let mut runs = 0;
    let found = explore::Session {
        vm: &mut vm,
        target: &mut entry,
        chain: &solver::Chain::default,
        jobs: 1,
        strategy: &mut dfs,
        goal: &goal,
        options: Options { loop_bound: 1_000_000, batch_most: 4, ..Options::exhaustive() },
        cut: &|| None,
        observer: &mut |event| {
            if matches!(event, explore::Event::Ran { .. }) {
                runs += 1;
                if runs == 5 {
                    interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
                }
            }
        },
        journal: None,
        seeds: explore::Seeds::default(),
        words: explore::Words::default(),
        doubts: None,
        clock: &|| 0,
    }
    .explore();
    assert_eq!(found.stopped, explore::Stopped::Interrupted);
    assert!(found.finished.len() >= 5 && !found.exhaustive);
    assert!(found.ledger.iter().any(|(e, _)| e.kind == ledger::Kind::BudgetSpent));
}
