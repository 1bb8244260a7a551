//! The chain on small questions with known answers.

use solver::{Answer, Chain, Config, LayerKind, Query};
use term::{Float, Pool, Sort, Value};

fn audited(without: &[LayerKind]) -> Chain {
    Chain::new(Config { audit: true, without: without.to_vec(), ..Config::default() })
}

#[test]
fn finds_the_simplest_input_of_a_linear_condition() {
    for without in [vec![], vec![LayerKind::Quick]] {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::Bv(32));
        let (three, hundred) = (pool.bv(32, 3), pool.bv(32, 100));
        let product = pool.bvmul(x, three);
        let big = pool.sgt(product, hundred);
        let zero = pool.bv(32, 0);
        let positive = pool.sgt(x, zero);
        let answer = audited(&without).ask(&mut pool, &Query::new(&[positive, big]));
        let model = answer.model().expect("satisfiable");
        assert_eq!(model.get(pool.var_of(x).unwrap()), Some(&Value::Bits(34)));
    }
}

#[test]
fn gives_the_contradicting_assertions() {
    let mut pool = Pool::new();
    let x = pool.declare("x", Sort::Bv(32));
    let y = pool.declare("y", Sort::Bv(32));
    let (three, five) = (pool.bv(32, 3), pool.bv(32, 5));
    let unrelated = pool.slt(y, three);
    let square = pool.bvmul(x, x);
    let is_three = pool.eq(square, three);
    let small = pool.slt(x, five);
    let mut chain = audited(&[]);
    let answer = chain.ask(&mut pool, &Query::new(&[unrelated, small, is_three]));
    let Answer::Unsat(core) = answer else { panic!("{answer:?}") };
    assert_eq!(core, [2]);
}

#[test]
fn solves_doubles() {
    let mut pool = Pool::new();
    let x = pool.declare("x", Sort::F64);
    let (tenth, sum) = (pool.f64(0.1f64.to_bits()), pool.f64(0.3f64.to_bits()));
    let left = pool.fpadd(tenth, x);
    let equal = pool.fpeq(left, sum);
    let answer = audited(&[]).ask(&mut pool, &Query::new(&[equal]));
    let model = answer.model().expect("satisfiable");
    let value = f64::from_bits(model.bits(pool.var_of(x).unwrap()) as u64);
    assert_eq!(0.1 + value, 0.3);
}

#[test]
fn solves_arrays() {
    let mut pool = Pool::new();
    let array = pool.declare("a", Sort::Array { index: 32, elem: 8 });
    let i = pool.declare("i", Sort::Bv(32));
    let (one, seven) = (pool.bv(32, 1), pool.bv(8, 7));
    let next = pool.bvadd(i, one);
    let (first, second) = (pool.select(array, i), pool.select(array, next));
    let (a, b) = (pool.eq(first, seven), pool.ne(second, seven));
    let answer = audited(&[]).ask(&mut pool, &Query::new(&[a, b]));
    assert!(answer.is_sat(), "{answer:?}");
}

#[test]
fn conversions_saturate_as_java_wants() {
    let mut pool = Pool::new();
    let x = pool.declare("x", Sort::F64);
    let int = pool.fp_to_sbv_sat(32, x);
    let max = pool.bv(32, 0x7fff_ffff);
    let back = pool.fp_from_sbv(Float::F64, int);
    let (is_max, above) = (pool.eq(int, max), pool.fplt(back, x));
    let answer = audited(&[]).ask(&mut pool, &Query::new(&[is_max, above]));
    assert!(answer.is_sat(), "{answer:?}");
}
