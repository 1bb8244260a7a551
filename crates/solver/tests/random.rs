//! Evaluator, simplifier, chain and SMT-LIB text against Z3, on random terms of every operator.

#[path = "../../term/tests/support/generate.rs"]
mod generate;

use generate::{Allow, Choices, assignment, build, copy_raw};
use proptest::prelude::*;
use solver::audit::plain;
use solver::z3::Context;
use solver::{Answer, Chain, Config, LayerKind, Limits, Model, Query};
use term::{Op, Pool, Sort, TermId};

fn config(cases: u32) -> ProptestConfig {
    // Hard questions take long each: what failed is shown soon, and not after hours of looking for a smaller one.
    ProptestConfig { cases, failure_persistence: None, max_shrink_time: 30_000, ..ProptestConfig::default() }
}

fn numbers(max: usize) -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(any::<u64>(), 4..max)
}

/// Assertions that pin every variable of the terms to its value.
fn pinned(pool: &mut Pool, roots: &[TermId], model: &Model) -> Vec<TermId> {
    let mut list = Vec::new();
    for t in pool.postorder(roots) {
        let Some(var) = pool.var_of(t) else { continue };
        if let Sort::Array { .. } = pool.sort(t) {
            let Some(term::Value::Array(value)) = model.get(var).cloned() else { continue };
            let array = array_term(pool, &value);
            list.push(pool.eq(t, array));
        } else {
            let value = pool.constant(pool.sort(t), model.bits(var));
            list.push(pool.eq(t, value));
        }
    }
    list
}

/// The term with every variable replaced by its value.
fn grounded(pool: &mut Pool, t: TermId, model: &Model) -> TermId {
    let mut values = rustc_hash::FxHashMap::default();
    for var in pool.vars(t).iter().copied() {
        let value = match model.get(var) {
            Some(term::Value::Array(value)) => array_term(pool, value),
            _ => pool.constant(pool.var_sort(var), model.bits(var)),
        };
        values.insert(var, value);
    }
    pool.substitute(&[t], &values)[0]
}

fn array_term(pool: &mut Pool, value: &term::ArrayValue) -> TermId {
    let default = pool.bv128(8, value.default);
    let mut array = pool.const_array(8, default);
    for (&index, &element) in &value.entries {
        let (index, element) = (pool.bv128(8, index), pool.bv128(8, element));
        array = pool.store(array, index, element);
    }
    array
}

fn booleans(pool: &Pool, terms: &[TermId]) -> Vec<TermId> {
    terms.iter().copied().filter(|&t| pool.sort(t) == Sort::Bool && pool.as_const(t).is_none()).collect()
}

/// Chains of products and quotients may be given up, which is no answer; small circuits may not.
fn is_too_hard(decided: &solver::bits::Decided) -> bool {
    decided.gates > 10_000 && matches!(decided.answer, solver::Answer::Unknown(solver::Cause::Limit))
}

proptest! {
    #![proptest_config(config(200))]

    /// The value of a term under an assignment is the only one Z3 allows.
    #[test]
    fn the_evaluator_agrees_with_z3(recipe in numbers(40), inputs in numbers(30), steps in 1usize..10) {
        let mut pool = Pool::without_rules();
        let allow = Allow { fmod: false, ..Allow::ALL };
        let terms = build(&mut pool, &mut Choices::new(&recipe), steps, allow);
        let model = assignment(&mut pool, &mut Choices::new(&inputs));
        let Some(&t) = terms.iter().rev().find(|&&t| !pool.sort(t).is_array()) else { return Ok(()) };
        let value = model.eval(&pool, t);
        // Mostly with literals in place of variables, which Z3 folds; sometimes with equations, which it bit-blasts.
        let (t, mut assertions) = if recipe[0] % 8 == 0 {
            (t, pinned(&mut pool, &[t], &model))
        } else {
            (grounded(&mut pool, t, &model), Vec::new())
        };
        let literal = pool.constant(pool.sort(t), value);
        assertions.push(pool.ne(t, literal));
        let answer = plain(&pool, &assertions, 2_000_000);
        prop_assert!(!answer.is_sat(), "{} is not {value:#x} under {model:?}: {answer:?}", pool.display(t));
    }

    /// The value of a term under an assignment is the only one that its circuit allows.
    #[test]
    fn circuits_compute_what_the_evaluator_does(recipe in numbers(60), inputs in numbers(40), steps in 2usize..30) {
        let mut pool = Pool::without_rules();
        let terms = build(&mut pool, &mut Choices::new(&recipe), steps, Allow { width: 64, ..Allow::ALL });
        let model = assignment(&mut pool, &mut Choices::new(&inputs));
        for &t in &terms {
            if !solver::bits::knows(&pool, &pool.postorder(&[t])) {
                continue;
            }
            let literal = pool.constant(pool.sort(t), model.eval(&pool, t));
            let mut assertions = pinned(&mut pool, &[t], &model);
            assertions.push(pool.eq(t, literal));
            let decided = solver::bits::decide(&pool, &assertions, 1_000_000, None);
            let text = pool.display(t).to_string();
            let found = decided.answer.model().is_some_and(|found| found.satisfies(&pool, &assertions));
            prop_assert!(found || is_too_hard(&decided), "{text} under {model:?}: {decided:?}");
            let last = assertions.len() - 1;
            assertions[last] = pool.ne(t, literal);
            let decided = solver::bits::decide(&pool, &assertions, 1_000_000, None);
            let refuted = decided.answer.is_unsat();
            prop_assert!(refuted || is_too_hard(&decided), "{text} under {model:?}: {decided:?}");
        }
    }

    /// No assignment tells a simplified term from the raw one.
    #[test]
    fn rules_are_proved_by_z3(recipe in numbers(40), steps in 2usize..9) {
        let allow = Allow { fmod: false, floats: recipe[0] % 4 == 0, width: 8, ..Allow::ALL };
        let (mut simple, mut raw) = (Pool::new(), Pool::without_rules());
        let ours = build(&mut simple, &mut Choices::new(&recipe), steps, allow);
        let theirs = build(&mut raw, &mut Choices::new(&recipe), steps, allow);
        let (Some(&a), Some(&b)) = (ours.last(), theirs.last()) else { return Ok(()) };
        let a = copy_raw(&simple, &[a], &mut raw)[0];
        let differ = raw.ne(a, b);
        let answer = plain(&raw, &[differ], 400_000);
        prop_assert!(!answer.is_sat(), "{} became {}: {answer:?}", raw.display(b), raw.display(a));
    }

    /// What holds of some assignment is never called a contradiction, whatever the operators.
    #[test]
    fn ranges_and_bounds_refuse_nothing_that_holds(recipe in numbers(60), inputs in numbers(40), steps in 4usize..40) {
        let mut pool = if recipe[0] % 2 == 0 { Pool::new() } else { Pool::without_rules() };
        let terms = build(&mut pool, &mut Choices::new(&recipe), steps, Allow { width: 64, ..Allow::ALL });
        let model = assignment(&mut pool, &mut Choices::new(&inputs));
        let mut assertions = Vec::new();
        for &t in terms.iter().filter(|&&t| !pool.sort(t).is_array()).collect::<Vec<_>>() {
            let value = model.eval(&pool, t);
            let literal = pool.constant(pool.sort(t), value);
            let same = pool.eq(t, literal);
            assertions.push(same);
            if pool.sort(t).is_float() {
                let (below, above) = (pool.fple(t, literal), pool.fple(literal, t));
                assertions.extend([below, above].iter().filter(|&&c| model.eval(&pool, c) != 0));
            }
        }
        let only = [LayerKind::Simplify, LayerKind::Bounds, LayerKind::Ranges, LayerKind::Residues];
        let without = LayerKind::ALL.into_iter().filter(|layer| !only.contains(layer)).collect();
        let mut chain = Chain::new(Config { without, ..Config::default() });
        // Whole and in windows: less known means wider intervals.
        for window in [1, 3, assertions.len().max(1)] {
            for part in assertions.windows(window.min(assertions.len()).max(1)) {
                let answer = chain.ask(&mut pool, &Query::new(part));
                prop_assert!(!answer.is_unsat(), "{:?}", part.iter().map(|&t| pool.display(t).to_string()).collect::<Vec<_>>());
            }
        }
    }

    /// Shrinking keeps every assertion.
    #[test]
    fn shrinking_keeps_the_assertions(recipe in numbers(50), inputs in numbers(30), steps in 4usize..20) {
        let mut pool = Pool::new();
        let terms = build(&mut pool, &mut Choices::new(&recipe), steps, Allow::ALL);
        let mut model = assignment(&mut pool, &mut Choices::new(&inputs));
        let mut assertions = Vec::new();
        for t in booleans(&pool, &terms) {
            let holds = model.eval(&pool, t) != 0;
            assertions.push(if holds { t } else { pool.not(t) });
        }
        let order = solver::shrink::default_order(&pool, &assertions);
        solver::shrink(&pool, &assertions, &mut model, &order);
        prop_assert!(model.satisfies(&pool, &assertions));
    }
}

proptest! {
    // Each case asks Z3 dozens of times.
    #![proptest_config(config(40))]

    /// Every answer is cross-checked by the audit, with layers left out at random, hints good or bad.
    #[test]
    fn the_chain_agrees_with_z3(
        recipe in numbers(50), inputs in numbers(30), steps in 4usize..20, without in 0usize..7, hinted in any::<bool>(),
    ) {
        let mut pool = Pool::new();
        let allow = Allow { fmod: false, floats: recipe[0] % 3 == 0, arrays: recipe[1] % 3 == 0, width: 32 };
        let terms = build(&mut pool, &mut Choices::new(&recipe), steps, allow);
        let conditions = booleans(&pool, &terms);
        let hint = assignment(&mut pool, &mut Choices::new(&inputs));
        let without = LayerKind::ALL.get(without).copied().filter(|&layer| layer != LayerKind::Z3);
        let mut chain = Chain::new(Config { audit: true, without: without.into_iter().collect(), ..Config::default() });
        let limits = Limits { quick: 300, rlimit: 300_000, ..Limits::default() };
        // As an exploration does: each prefix, with its last condition negated, then as it is.
        for n in 1..=conditions.len() {
            let mut assertions = conditions[..n].to_vec();
            assertions[n - 1] = pool.not(conditions[n - 1]);
            for _ in 0..2 {
                let query = Query { assertions: &assertions, hint: hinted.then_some(&hint), limits };
                // Without a cache only the beginning of a batch comes again as it was: Z3 goes on from what it was asked.
                if without == Some(LayerKind::Cache) {
                    chain.new_batch();
                }
                let answer = chain.ask(&mut pool, &query);
                if let Answer::Unknown(cause) = &answer {
                    prop_assert!(!matches!(cause, solver::Cause::Bug(_) | solver::Cause::Crashed(_)), "{cause}");
                }
                if without == Some(LayerKind::Cache) {
                    chain.new_batch();
                }
                let again = chain.ask(&mut pool, &query);
                prop_assert!(matches!(
                    (&answer, &again),
                    (Answer::Sat(_), Answer::Sat(_)) | (Answer::Unsat(_), Answer::Unsat(_)) | (Answer::Unknown(_), _)
                ), "{answer:?} then {again:?}");
                assertions[n - 1] = conditions[n - 1];
            }
        }
        prop_assert_eq!(chain.stats().withdrawn, 0);
    }

    /// The dump read back by Z3 gets Z3's verdict on the terms themselves.
    #[test]
    fn the_text_means_what_the_terms_mean(recipe in numbers(40), steps in 2usize..12, raw in any::<bool>()) {
        let mut pool = if raw { Pool::without_rules() } else { Pool::new() };
        let allow = Allow { fmod: false, floats: recipe[0] % 4 == 0, width: 16, ..Allow::ALL };
        let terms = build(&mut pool, &mut Choices::new(&recipe), steps, allow);
        let conditions = booleans(&pool, &terms);
        let direct = plain(&pool, &conditions, 300_000);
        let limited = "(set-option :rlimit 300000)\n(set-logic";
        let script = term::smtlib::script(&pool, &conditions).replacen("(set-logic", limited, 1);
        let read = Context::new().unwrap().check_script(&script);
        let read = read.map_err(|cause| TestCaseError::fail(format!("{cause}\n{script}")))?;
        let contradict = (direct.is_sat() && read.is_unsat()) || (direct.is_unsat() && read.is_sat());
        prop_assert!(!contradict, "{direct:?} but {read:?}:\n{script}");
    }
}

#[test]
fn every_operator_was_generated() {
    let mut seen = vec![false; term::op::TABLE.len()];
    let mut state = 1u64;
    for _ in 0..400 {
        let recipe: Vec<u64> = (0..40)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state ^ (state >> 29)
            })
            .collect();
        let mut pool = Pool::without_rules();
        let terms = build(&mut pool, &mut Choices::new(&recipe), 16, Allow::ALL);
        for t in pool.postorder(&terms) {
            seen[pool.node(t).0.code() as usize] = true;
        }
    }
    let missing: Vec<&str> =
        seen.iter().zip(term::op::TABLE).filter(|&(&seen, _)| !seen).map(|(_, row)| row.name).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(Op::FpFmod.row().smtlib, "", "if there is one now, let Z3 have it");
}
