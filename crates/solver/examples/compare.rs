//! The chain against plain Z3 on the same questions, as a ratio: `cargo run --release --example compare`.
//!
//! The questions are those of depth-first explorations of small programs, written down as path conditions:
//! each prefix of a path with its last condition negated, with the path's own input as hint.

use std::time::{Duration, Instant};

use solver::z3::Context;
use solver::{Answer, Chain, LayerKind, Limits, Model, Query};
use term::{Float, Pool, Sort, TermId};

/// A program as a decision procedure over its inputs: conditions in order, each true or false for an input.
struct Subject {
    name: &'static str,
    conditions: fn(&mut Pool) -> Vec<TermId>,
}

const SUBJECTS: &[Subject] = &[
    Subject { name: "ranges", conditions: ranges },
    Subject { name: "text", conditions: text },
    Subject { name: "hash", conditions: hash },
    Subject { name: "products", conditions: products },
    Subject { name: "doubles", conditions: doubles },
];

/// Comparisons of a few ints with literals and each other.
fn ranges(pool: &mut Pool) -> Vec<TermId> {
    let vars: Vec<TermId> = (0..4).map(|i| pool.declare(&format!("i{i}"), Sort::Bv(32))).collect();
    let mut list = Vec::new();
    for (n, &v) in vars.iter().enumerate() {
        for bound in [0u64, 10, 100, 1000] {
            let k = pool.bv(32, bound + n as u64);
            list.push(pool.slt(v, k));
        }
        let next = vars[(n + 1) % vars.len()];
        let sum = pool.bvadd(v, next);
        list.push(pool.slt(sum, v));
    }
    list
}

/// A string of eight units looked at one by one, as `parseInt` does.
fn text(pool: &mut Pool) -> Vec<TermId> {
    let mut list = Vec::new();
    let ten = pool.bv(32, 10);
    let mut number = pool.bv(32, 0);
    for i in 0..8 {
        let unit = pool.declare(&format!("s[{i}]"), Sort::Bv(16));
        let wide = pool.zext(32, unit);
        let (zero, nine) = (pool.bv(32, 48), pool.bv(32, 57));
        list.push(pool.sle(zero, wide));
        list.push(pool.sle(wide, nine));
        let digit = pool.bvsub(wide, zero);
        let times = pool.bvmul(number, ten);
        number = pool.bvadd(times, digit);
    }
    let limit = pool.bv(32, 4_000_000);
    list.push(pool.slt(limit, number));
    list
}

/// `31 * h + c` over four characters, and the bucket it falls into.
fn hash(pool: &mut Pool) -> Vec<TermId> {
    let mut list = Vec::new();
    let mut hash = pool.bv(32, 0);
    let factor = pool.bv(32, 31);
    for i in 0..4 {
        let unit = pool.declare(&format!("key[{i}]"), Sort::Bv(16));
        let wide = pool.zext(32, unit);
        let product = pool.bvmul(hash, factor);
        hash = pool.bvadd(product, wide);
        let bucket = pool.bv(32, 15);
        let (index, k) = (pool.bvand(hash, bucket), pool.bv(32, 3 + i));
        list.push(pool.eq(index, k));
    }
    let known = pool.bv(32, 3_373_707);
    list.push(pool.eq(hash, known));
    list
}

fn products(pool: &mut Pool) -> Vec<TermId> {
    let (x, y) = (pool.declare("x", Sort::Bv(32)), pool.declare("y", Sort::Bv(32)));
    let product = pool.bvmul(x, y);
    let (k, zero, thousand) = (pool.bv(32, 391), pool.bv(32, 0), pool.bv(32, 1000));
    let seven = pool.bv(32, 7);
    let (rest, quotient) = (pool.bvsrem(x, seven), pool.bvsdiv(product, seven));
    let three = pool.bv(32, 3);
    vec![
        pool.slt(zero, x),
        pool.slt(zero, y),
        pool.slt(x, thousand),
        pool.eq(product, k),
        pool.eq(rest, three),
        pool.slt(quotient, y),
    ]
}

fn doubles(pool: &mut Pool) -> Vec<TermId> {
    let (x, y) = (pool.declare("dx", Sort::F64), pool.declare("dy", Sort::F64));
    let number = |pool: &mut Pool, value: f64| pool.f64(value.to_bits());
    let (sum, product) = (pool.fpadd(x, y), pool.fpmul(x, x));
    let (ten, two, tenth) = (number(pool, 10.0), number(pool, 2.0), number(pool, 0.3));
    let int = pool.fp_to_sbv_sat(32, sum);
    let hundred = pool.bv(32, 100);
    let back = pool.fp_from_sbv(Float::F64, int);
    vec![
        pool.fplt(x, ten),
        pool.fplt(two, product),
        pool.fpeq(sum, tenth),
        pool.slt(int, hundred),
        pool.fpeq(back, sum),
        pool.fpisnan(y),
    ]
}

/// Explores all outcomes depth first up to a number of questions, asking `ask`; gives the questions.
fn explore(
    pool: &mut Pool,
    conditions: &[TermId],
    max: usize,
    mut ask: impl FnMut(&mut Pool, &[TermId], &Model) -> Answer,
) -> usize {
    let mut questions = 0;
    let mut work = vec![(Model::new(), 0usize)];
    while let Some((model, from)) = work.pop() {
        let mut path: Vec<TermId> = Vec::new();
        for &c in conditions {
            path.push(if model.eval(pool, c) != 0 { c } else { pool.not(c) });
        }
        for n in from..path.len() {
            if questions == max {
                return questions;
            }
            questions += 1;
            let mut assertions = path[..=n].to_vec();
            assertions[n] = pool.not(path[n]);
            if let Answer::Sat(found) = ask(pool, &assertions, &model) {
                work.push((found, n + 1));
            }
        }
    }
    questions
}

fn main() {
    let limits = Limits::default();
    println!(
        "{:10} {:>9} {:>12} {:>12} {:>7}  answered by",
        "subject", "questions", "plain Z3", "chain", "ratio"
    );
    let (mut total_plain, mut total_chain) = (Duration::ZERO, Duration::ZERO);
    for subject in SUBJECTS {
        let mut pool = Pool::new();
        let conditions = (subject.conditions)(&mut pool);
        let mut chain = Chain::default();
        // Record the questions with the chain, then ask plain Z3 the same ones.
        let mut recorded = Vec::new();
        let start = Instant::now();
        let questions = explore(&mut pool, &conditions, 300, |pool, assertions, hint| {
            recorded.push(assertions.to_vec());
            chain.ask(pool, &Query { assertions, hint: Some(hint), limits })
        });
        let chain_time = start.elapsed();
        let start = Instant::now();
        let mut context = Context::new().expect("Z3");
        for assertions in &recorded {
            context.ask(&pool, assertions, limits.rlimit);
        }
        let plain_time = start.elapsed();
        total_plain += plain_time;
        total_chain += chain_time;
        let answered: Vec<String> =
            LayerKind::ALL.iter().map(|&layer| format!("{layer:?} {}", chain.stats().by(layer))).collect();
        println!(
            "{:10} {questions:9} {plain_time:12.1?} {chain_time:12.1?} {:6.1}x  {} (unknown {})",
            subject.name,
            plain_time.as_secs_f64() / chain_time.as_secs_f64(),
            answered.join(", "),
            chain.stats().unknown,
        );
    }
    println!("all: {:.1}x", total_plain.as_secs_f64() / total_chain.as_secs_f64());
}
