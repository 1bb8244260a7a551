//! Rules keep values: simplified and raw terms evaluate alike, whatever the operators and inputs.

#[path = "support/generate.rs"]
mod generate;

use generate::{Allow, Choices, assignment, build};
use proptest::prelude::*;
use term::{Pool, Program};

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn simplified_terms_have_the_values_of_raw_ones(
        recipe in prop::collection::vec(any::<u64>(), 4..60),
        inputs in prop::collection::vec(any::<u64>(), 8..40),
        steps in 1usize..24,
    ) {
        let (mut simple, mut raw) = (Pool::new(), Pool::without_rules());
        let ours = build(&mut simple, &mut Choices::new(&recipe), steps, Allow::ALL);
        let theirs = build(&mut raw, &mut Choices::new(&recipe), steps, Allow::ALL);
        prop_assert_eq!(ours.len(), theirs.len());
        // Array terms have no value of their own; what reads them does.
        let pairs: Vec<_> = ours.iter().zip(&theirs).filter(|&(&t, _)| !simple.sort(t).is_array()).collect();
        let (a, b): (Vec<_>, Vec<_>) = pairs.iter().map(|&(&a, &b)| (a, b)).unzip();
        let (mut p, mut q) = (Program::compile(&simple, &a), Program::compile(&raw, &b));
        let mut choices = Choices::new(&inputs);
        for _ in 0..6 {
            let model = assignment(&mut raw, &mut choices);
            let (x, y) = (p.run_assignment(&model).to_vec(), q.run_assignment(&model).to_vec());
            for (i, (x, y)) in x.iter().zip(&y).enumerate() {
                prop_assert_eq!(
                    x, y, "{} became {} under {:?}", raw.display(b[i]), simple.display(a[i]), model
                );
            }
        }
    }

    #[test]
    fn one_changed_input_recomputes_to_the_same_values(
        recipe in prop::collection::vec(any::<u64>(), 4..60),
        inputs in prop::collection::vec(any::<u64>(), 8..40),
    ) {
        let mut pool = Pool::new();
        let terms: Vec<_> = build(&mut pool, &mut Choices::new(&recipe), 16, Allow::ALL)
            .into_iter().filter(|&t| !pool.sort(t).is_array()).collect();
        let mut choices = Choices::new(&inputs);
        let mut model = assignment(&mut pool, &mut choices);
        let mut program = Program::compile(&pool, &terms);
        program.load(&model);
        for slot in 0..program.vars().len() {
            let var = program.vars()[slot];
            let bits = generate::value(pool.var_sort(var), &mut choices);
            program.update(slot, bits);
            model.set_bits(var, bits);
            let updated: Vec<u128> = (0..terms.len()).map(|i| program.root(i)).collect();
            let fresh = Program::compile(&pool, &terms).run_assignment(&model).to_vec();
            prop_assert_eq!(updated, fresh);
        }
    }

    /// What is written down is read back as it was, with the hint.
    #[test]
    fn scripts_come_back(recipe in prop::collection::vec(any::<u64>(), 4..40), inputs in prop::collection::vec(any::<u64>(), 4..30)) {
        let mut pool = Pool::new();
        let terms: Vec<_> = build(&mut pool, &mut Choices::new(&recipe), 12, Allow::ALL)
            .into_iter().filter(|&t| pool.sort(t) == term::Sort::Bool).collect();
        let model = assignment(&mut pool, &mut Choices::new(&inputs));
        let text = term::smtlib::hint(&pool, &terms, &model) + &term::smtlib::script(&pool, &terms);
        let mut other = Pool::new();
        let read = term::read::script(&mut other, &text).map_err(TestCaseError::fail)?;
        let values = Program::compile(&pool, &terms).run_assignment(&model).to_vec();
        let hint = read.hint.unwrap_or_default();
        let again = Program::compile(&other, &read.assertions).run_assignment(&hint).to_vec();
        prop_assert_eq!(values, again, "{}\n{}", text, read.assertions.iter().map(|&t| other.display(t).to_string()).collect::<Vec<_>>().join("\n"));
    }
}
