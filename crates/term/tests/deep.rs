//! Terms as deep as a long loop makes them: nothing may recurse over them.

use term::{Assignment, Pool, Program, Sort};

const DEPTH: u64 = 100_000;

#[test]
fn a_loop_of_a_hundred_thousand_turns() {
    let mut pool = Pool::new();
    let (x, y) = (pool.declare("x", Sort::Bv(32)), pool.declare("y", Sort::Bv(32)));
    let (mut sum, mut chosen) = (x, y);
    for i in 0..DEPTH {
        let product = pool.bvmul(sum, y);
        sum = pool.bvxor(product, x);
        let k = pool.bv(32, i);
        let cond = pool.eq(x, k);
        chosen = pool.ite(cond, k, chosen);
    }
    let zero = pool.bv(32, 0);
    // Comparing a long chain of choices with a literal walks down it in the simplifier.
    let both = pool.bvadd(sum, chosen);
    let (condition, walked) = (pool.eq(both, zero), pool.slt(chosen, zero));
    let mut model = Assignment::new();
    model.set_bits(pool.var_of(x).unwrap(), 3);
    model.set_bits(pool.var_of(y).unwrap(), 1);
    // x ^ x = 0 and 0 ^ x = x by turns; an even number of turns ends at x. chosen is 3, as x is.
    assert_eq!(Program::compile(&pool, &[sum, chosen]).run_assignment(&model), [3, 3]);
    assert_eq!(model.eval(&pool, condition), 0);
    assert_eq!(model.eval(&pool, walked), 0);
    assert_eq!(pool.vars(condition).len(), 2);
    assert!(pool.display(condition).to_string().len() < 20_000);
    assert!(term::smtlib::script(&pool, &[condition, walked]).len() > DEPTH as usize);
    let replaced = pool.substitute(&[condition], &[(pool.var_of(x).unwrap(), y)].into_iter().collect());
    assert_eq!(pool.vars(replaced[0]).len(), 1);
}

#[test]
fn hashes_do_not_depend_on_what_was_made_before() {
    let build = |pool: &mut Pool| {
        let (x, y) = (pool.declare("x", Sort::Bv(32)), pool.declare("y", Sort::Bv(32)));
        let sum = pool.bvadd(x, y);
        pool.slt(sum, x)
    };
    let (mut fresh, mut used) = (Pool::new(), Pool::new());
    for i in 0..50 {
        let (v, k) = (used.declare(&format!("v{i}"), Sort::Bv(32)), used.bv(32, i));
        used.bvmul(v, k);
    }
    used.declare("y", Sort::Bv(32));
    let (a, b) = (build(&mut fresh), build(&mut used));
    assert_eq!(fresh.hash128(a), used.hash128(b));
    assert_eq!(fresh.display(a).to_string(), used.display(b).to_string());
}

#[test]
fn parameters_reach_the_hash() {
    let mut pool = Pool::without_rules();
    let x = pool.declare("x", Sort::Bv(32));
    let terms = [
        pool.extract(7, 0, x),
        pool.extract(8, 1, x),
        pool.zext(64, x),
        pool.zext(40, x),
        pool.sext(64, x),
        pool.fp_from_sbv(term::Float::F32, x),
        pool.fp_from_sbv(term::Float::F64, x),
    ];
    let mut hashes: Vec<u128> = terms.iter().map(|&t| pool.hash128(t)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), terms.len());
}
