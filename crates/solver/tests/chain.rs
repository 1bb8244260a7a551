//! Layers one by one, batches, and shrinking.

use solver::shrink::default_order;
use solver::{Answer, Cause, Chain, Config, Dump, LayerKind, Limits, Model, Prefer, Query, shrink};
use term::{Pool, Sort, TermId};

fn bv(pool: &mut Pool, name: &str) -> TermId {
    pool.declare(name, Sort::Bv(32))
}

fn model_of(pool: &Pool, values: &[(TermId, u128)]) -> Model {
    let mut model = Model::new();
    for &(t, value) in values {
        model.set_bits(pool.var_of(t).unwrap(), value);
    }
    model
}

#[test]
fn unrelated_variables_keep_the_hint() {
    let mut pool = Pool::new();
    let (x, y) = (bv(&mut pool, "x"), bv(&mut pool, "y"));
    let (ten, five) = (pool.bv(32, 10), pool.bv(32, 5));
    let (large, small) = (pool.slt(ten, y), pool.slt(x, five));
    let flipped = pool.not(small);
    let hint = model_of(&pool, &[(x, 0), (y, 4711)]);
    let mut chain = Chain::default();
    let answer = chain.ask(&mut pool, &Query::new(&[large, flipped]).with_hint(&hint));
    let model = answer.model().unwrap();
    assert_eq!((model.bits(pool.var_of(x).unwrap()), model.bits(pool.var_of(y).unwrap())), (5, 4711));
    assert_eq!(chain.stats().by(LayerKind::Quick), 1);
}

#[test]
fn bounds_contradict_without_z3() {
    let cases: &[(&str, &[&str])] = &[
        ("signed", &["x<5", "10<x"]),
        ("equality", &["x=3", "10<x"]),
        ("exclusion", &["2<x", "x<4", "x!3"]),
        ("evaluated", &["x=3", "x*x>100"]),
    ];
    for (name, texts) in cases {
        let mut pool = Pool::new();
        let x = bv(&mut pool, "x");
        let mut assertions = Vec::new();
        for text in *texts {
            let number = |pool: &mut Pool, text: &str| pool.bv(32, text.parse().unwrap());
            let t = if let Some(k) = text.strip_prefix("x*x>") {
                let (square, k) = (pool.bvmul(x, x), number(&mut pool, k));
                pool.slt(k, square)
            } else if let Some(k) = text.strip_prefix("x<") {
                let k = number(&mut pool, k);
                pool.slt(x, k)
            } else if let Some(k) = text.strip_prefix("x=") {
                let k = number(&mut pool, k);
                pool.eq(x, k)
            } else if let Some(k) = text.strip_prefix("x!") {
                let k = number(&mut pool, k);
                pool.ne(x, k)
            } else {
                let k = number(&mut pool, text.strip_suffix("<x").unwrap());
                pool.slt(k, x)
            };
            assertions.push(t);
        }
        let mut chain = Chain::new(Config { audit: true, ..Config::default() });
        let answer = chain.ask(&mut pool, &Query::new(&assertions));
        assert_eq!(answer, Answer::Unsat((0..assertions.len()).collect()), "{name}");
        assert_eq!(chain.stats().by(LayerKind::Bounds), 1, "{name}");
    }
}

#[test]
fn caches_answer_supersets_of_cores_and_what_models_satisfy() {
    let mut pool = Pool::new();
    let (x, y) = (bv(&mut pool, "x"), bv(&mut pool, "y"));
    let seven = pool.bv(32, 7);
    let square = pool.bvmul(x, x);
    // No square is 7 modulo 8.
    let odd = pool.eq(square, seven);
    let related = pool.slt(x, y);
    let without = vec![LayerKind::Quick, LayerKind::Residues];
    let mut chain = Chain::new(Config { without, audit: true, ..Config::default() });
    assert!(chain.ask(&mut pool, &Query::new(&[odd])).is_unsat());
    assert_eq!(chain.ask(&mut pool, &Query::new(&[related, odd])), Answer::Unsat(vec![1]));
    assert_eq!((chain.stats().by(LayerKind::Cache), chain.stats().by(LayerKind::Bits)), (1, 1));
    let nine = pool.bv(32, 9);
    let is_nine = pool.eq(square, nine);
    let first = chain.ask(&mut pool, &Query::new(&[is_nine]));
    let root = first.model().unwrap().bits(pool.var_of(x).unwrap());
    let k = pool.bv128(32, root);
    let weaker = pool.ule(k, x);
    assert!(chain.ask(&mut pool, &Query::new(&[weaker, is_nine])).is_sat());
    assert_eq!(chain.stats().by(LayerKind::Bits), 2);
}

#[test]
fn what_no_low_bits_satisfy_is_not_asked() {
    let mut pool = Pool::new();
    let (x, y) = (bv(&mut pool, "x"), bv(&mut pool, "y"));
    let seven = pool.bv(32, 7);
    let square = pool.bvmul(x, x);
    let odd = pool.eq(square, seven);
    let related = pool.slt(x, y);
    let mut chain = Chain::new(Config { audit: true, ..Config::default() });
    assert_eq!(chain.ask(&mut pool, &Query::new(&[related, odd])), Answer::Unsat(vec![1]));
    assert_eq!(chain.stats().by(LayerKind::Residues), 1);
}

#[test]
fn news_travel_between_pools_and_batches_forget() {
    let question = |pool: &mut Pool| {
        let (x, seven) = (bv(pool, "x"), pool.bv(32, 7));
        let square = pool.bvmul(x, x);
        pool.eq(square, seven)
    };
    let mut pool = Pool::new();
    let t = question(&mut pool);
    let mut chain = Chain::new(Config { without: vec![LayerKind::Residues], ..Config::default() });
    chain.ask(&mut pool, &Query::new(&[t]));
    let news = chain.new_batch();
    assert_eq!(news.len(), 1);
    // Not absorbed: asked again.
    chain.ask(&mut pool, &Query::new(&[t]));
    assert_eq!(chain.stats().by(LayerKind::Bits), 2);
    // Absorbed by a chain whose pool numbers everything differently.
    let mut other_pool = Pool::new();
    for i in 0..10 {
        bv(&mut other_pool, &format!("other{i}"));
    }
    let t = question(&mut other_pool);
    let mut other = Chain::default();
    other.absorb(&news);
    assert!(other.ask(&mut other_pool, &Query::new(&[t])).is_unsat());
    assert_eq!((other.stats().by(LayerKind::Cache), other.stats().by(LayerKind::Bits)), (1, 0));
}

#[test]
fn what_z3_does_not_know_is_searched_and_bounded() {
    let mut pool = Pool::new();
    let x = pool.declare("x", Sort::F64);
    let (three, one) = (pool.f64(3f64.to_bits()), pool.f64(1f64.to_bits()));
    let rest = pool.fpfmod(x, three);
    let is_one = pool.fpeq(rest, one);
    let mut chain = Chain::default();
    let answer = chain.ask(&mut pool, &Query::new(&[is_one]));
    assert_eq!(f64::from_bits(answer.model().unwrap().bits(pool.var_of(x).unwrap()) as u64), 1.0);
    // Beyond the divisor there is nothing.
    let ten = pool.f64(10f64.to_bits());
    let beyond = pool.fplt(ten, rest);
    let answer = chain.ask(&mut pool, &Query::new(&[beyond]));
    assert_eq!(answer, Answer::Unsat(vec![0]));
    assert_eq!(chain.stats().by(LayerKind::Ranges), 1);
    // Nobody knows that this cannot be.
    let (sine, cosine) = (pool.fp_fun(term::Fun::Sin, x), pool.fp_fun(term::Fun::Cos, x));
    let (half, tenth) = (pool.f64(0.5f64.to_bits()), pool.f64(0.1f64.to_bits()));
    let both = [pool.fpeq(sine, half), pool.fpeq(cosine, tenth)];
    let answer = chain.ask(&mut pool, &Query::new(&both));
    assert!(matches!(answer, Answer::Unknown(Cause::Unsupported(_))), "{answer:?}");
}

/// Equations over several variables, roots, powers and remainders, by evaluation alone.
#[test]
fn the_search_solves_systems_of_equations() {
    let mut pool = Pool::new();
    let (x, y) = (pool.declare("x", Sort::F64), pool.declare("y", Sort::F64));
    let number = |pool: &mut Pool, value: f64| pool.f64(value.to_bits());
    let (sum, difference, square) = (pool.fpadd(x, y), pool.fpsub(x, y), pool.fpmul(x, x));
    let (a, b) = (number(&mut pool, 14.5), number(&mut pool, 0.5));
    let linear = vec![pool.fpeq(sum, a), pool.fpeq(difference, b)];
    let (five, border) = (number(&mut pool, 5.0), number(&mut pool, 2.5));
    let times = pool.fpmul(five, x);
    let (quadratic, zero) = (pool.fpsub(square, times), number(&mut pool, -6.0));
    let root = vec![pool.fpeq(quadratic, zero), pool.fplt(border, x)];
    let power = pool.fp_fun2(term::Fun2::Pow, x, y);
    let (one, kilo) = (number(&mut pool, 1.0), number(&mut pool, 1024.0));
    let powers = vec![pool.fplt(one, x), pool.fplt(one, y), pool.fpeq(power, kilo)];
    let sine = pool.fp_fun(term::Fun::Sin, x);
    let (high, hundred) = (number(&mut pool, 0.9), number(&mut pool, 100.0));
    let waves = vec![pool.fplt(high, sine), pool.fplt(hundred, x)];
    let (seven, quarter) = (number(&mut pool, 7.5), number(&mut pool, 1.25));
    let rest = pool.fpfmod(x, seven);
    let rests = vec![pool.fplt(hundred, x), pool.fpeq(rest, quarter)];
    let limits = Limits { rlimit: 0, ..Limits::default() };
    for question in [linear, root, powers, waves, rests] {
        let answer = Chain::default().ask(&mut pool, &Query::new(&question).with_limits(limits));
        let text: Vec<String> = question.iter().map(|&t| pool.display(t).to_string()).collect();
        assert!(answer.is_sat(), "{text:?}: {answer:?}");
    }
}

#[test]
fn limits_of_work_end_a_question() {
    let mut pool = Pool::new();
    let (x, y) = (pool.declare("x", Sort::Bv(64)), pool.declare("y", Sort::Bv(64)));
    let product = pool.bvmul(x, y);
    // A product of two primes of 30 bits.
    let k = pool.bv(64, 1_073_741_789 * 1_073_741_783);
    let (one, limit) = (pool.bv(64, 1), pool.bv(64, 1 << 31));
    let assertions =
        [pool.ult(one, x), pool.ult(one, y), pool.ult(x, limit), pool.ult(y, limit), pool.eq(product, k)];
    let limits = Limits { quick: 100, rlimit: 50_000, ..Limits::default() };
    let answer = Chain::default().ask(&mut pool, &Query::new(&assertions).with_limits(limits));
    assert_eq!(answer, Answer::Unknown(Cause::Limit));
}

#[test]
fn the_same_batch_gives_the_same_models() {
    let run = || {
        let mut pool = Pool::new();
        let (x, y) = (bv(&mut pool, "x"), bv(&mut pool, "y"));
        let mut chain = Chain::default();
        let mut models = Vec::new();
        for k in 1..12 {
            let (product, k) = (pool.bvmul(x, y), pool.bv(32, k * 1_000_003));
            let sum = pool.bvadd(x, y);
            let (a, b) = (pool.eq(product, k), pool.ult(sum, k));
            models.push(chain.ask(&mut pool, &Query::new(&[b, a])));
        }
        models
    };
    assert_eq!(run(), run());
}

#[test]
fn a_term_of_a_hundred_thousand_nodes_is_survived() {
    let mut pool = Pool::new();
    let (x, y) = (bv(&mut pool, "x"), bv(&mut pool, "y"));
    let mut sum = x;
    for _ in 0..50_000 {
        let product = pool.bvxor(sum, y);
        sum = pool.bvadd(product, x);
    }
    let k = pool.bv(32, 12345);
    let t = pool.eq(sum, k);
    let limits = Limits { quick: 100, rlimit: 100_000, ..Limits::default() };
    // Whatever the answer: no crash, and no lie.
    Chain::default().ask(&mut pool, &Query::new(&[t]).with_limits(limits));
}

#[test]
fn questions_are_dumped() {
    struct Sink(std::sync::Arc<std::sync::Mutex<Vec<String>>>);
    impl Dump for Sink {
        fn question(&mut self, number: u64, script: &str, answer: &Answer) {
            self.0.lock().unwrap().push(format!("{number} {} {script}", answer.is_sat()));
        }
    }
    let texts = std::sync::Arc::default();
    let mut chain =
        Chain::new(Config { dump: Some(Box::new(Sink(std::sync::Arc::clone(&texts)))), ..Config::default() });
    let mut pool = Pool::new();
    let (x, k) = (bv(&mut pool, "x"), pool.bv(32, 5));
    let t = pool.slt(x, k);
    chain.ask(&mut pool, &Query::new(&[t]));
    let wanted = "0 true (set-logic ALL)\n(declare-fun |x| () (_ BitVec 32))\n(assert (! (bvslt |x| #x00000005) :named a0))\n(check-sat)\n";
    assert_eq!(*texts.lock().unwrap(), [wanted]);
}

#[test]
fn shrinking_prefers_what_a_person_writes() {
    let mut pool = Pool::new();
    let x = bv(&mut pool, "x");
    let unit = pool.declare("s[0]", Sort::Bv(16));
    let double = pool.declare("d", Sort::F64);
    let (minus_five, ten) = (pool.bv(32, (-5i64) as u64), pool.bv(16, 10));
    let (below, not_newline) = (pool.slt(x, minus_five), pool.ne(unit, ten));
    let bound = pool.f64(2.25f64.to_bits());
    let above = pool.fplt(bound, double);
    let assertions = [below, not_newline, above];
    let mut model = model_of(&pool, &[(x, 0x8000_1234), (unit, 0xfffd), (double, 1e300f64.to_bits().into())]);
    let order = default_order(&pool, &assertions);
    shrink(&pool, &assertions, &mut model, &order);
    let bits = |t| model.bits(pool.var_of(t).unwrap());
    assert_eq!(bits(x), (-6i32) as u32 as u128);
    assert_eq!(bits(unit), u128::from(b'a'));
    assert_eq!(f64::from_bits(bits(double) as u64), 3.0);
    // A preference of the caller's own.
    let mut model = model_of(&pool, &[(x, 0x8000_1234)]);
    shrink(&pool, &[below], &mut model, &[(pool.var_of(x).unwrap(), Prefer::Keep)]);
    assert_eq!(model.bits(pool.var_of(x).unwrap()), 0x8000_1234);
    // A length is held by an index that becomes small after it.
    let (length, index) = (bv(&mut pool, "a.length"), bv(&mut pool, "i"));
    let inside = pool.slt(index, length);
    let mut model = model_of(&pool, &[(length, 65_536), (index, 65_535)]);
    let order = default_order(&pool, &[inside]);
    shrink(&pool, &[inside], &mut model, &order);
    let bits = |t| model.bits(pool.var_of(t).unwrap());
    assert_eq!((bits(length), bits(index)), (1, 0));
    // Two numbers whose sum overflows: one of them may be small.
    let (zero, y) = (pool.bv(32, 0), bv(&mut pool, "y"));
    let sum = pool.bvadd(x, y);
    let assertions = [pool.slt(zero, x), pool.slt(zero, y), pool.slt(sum, zero)];
    let mut model = model_of(&pool, &[(x, 0x4123_4567), (y, 0x5765_4321)]);
    let order = default_order(&pool, &assertions);
    shrink(&pool, &assertions, &mut model, &order);
    let bits = |t| model.bits(pool.var_of(t).unwrap());
    assert_eq!((bits(x), bits(y)), (1, 0x7fff_ffff));
}
