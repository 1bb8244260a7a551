//! Z3 in a process of its own: the same answers, and nothing that happens there happens to us.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use solver::backend::{Backend, InProcess};
use solver::remote::{Helper, Remote};
use solver::{Answer, Cause, Chain, Config, Limits, Query};
use term::{Pool, Sort, TermId};

fn helper() -> Helper {
    Helper { program: env!("CARGO_BIN_EXE_testwright").into(), args: vec!["solver-helper".to_string()] }
}

fn never() -> solver::remote::Stop {
    Arc::new(|| false)
}

/// Products of 64 bits that take Z3 minutes: a factorisation.
fn hopeless(pool: &mut Pool) -> Vec<TermId> {
    let (x, y) = (pool.declare("x", Sort::Bv(64)), pool.declare("y", Sort::Bv(64)));
    let (one, limit) = (pool.bv(64, 1), pool.bv(64, 1 << 31));
    let product = pool.bvmul(x, y);
    let wanted = pool.bv(64, 2_147_483_629 * 2_147_483_587);
    vec![pool.ult(one, x), pool.ult(x, limit), pool.ult(one, y), pool.ult(y, limit), pool.eq(product, wanted)]
}

fn easy(pool: &mut Pool) -> Vec<Vec<TermId>> {
    let (x, y) = (pool.declare("x", Sort::Bv(64)), pool.declare("y", Sort::Bv(64)));
    let (f, a) = (pool.declare("f", Sort::F32), pool.declare("a", Sort::Array { index: 64, elem: 8 }));
    let (k, sum) = (pool.bv(64, 77), pool.bvadd(x, y));
    let (less, more) = (pool.slt(x, k), pool.slt(k, x));
    let (is_sum, element) = (pool.eq(sum, k), pool.select(a, x));
    let five = pool.bv(8, 5);
    let (is_five, half) = (pool.eq(element, five), pool.f32(0.5f32.to_bits()));
    let (square, two) = (pool.fpmul(f, f), pool.f32(2f32.to_bits()));
    let (above, below) = (pool.fplt(half, square), pool.fplt(square, two));
    vec![vec![less, is_sum], vec![less, is_sum, more], vec![is_five, more], vec![above, below]]
}

#[test]
fn the_helper_answers_as_z3_does_here() {
    let mut pool = Pool::new();
    let questions = easy(&mut pool);
    let (mut here, mut there) = (InProcess::default(), Remote::new(helper(), never()));
    for round in 0..2 {
        for question in &questions {
            let answer = here.ask(&pool, question, 1_000_000);
            assert!(!matches!(answer, Answer::Unknown(_)), "{answer:?}");
            assert_eq!(answer, there.ask(&pool, question, 1_000_000), "round {round}");
        }
        here.forget();
        there.forget();
    }
    assert_eq!(here.used(), there.used());
}

#[test]
fn a_stop_reaches_into_a_running_question() {
    let mut pool = Pool::new();
    let (hard, easy) = (hopeless(&mut pool), easy(&mut pool));
    let looks = Arc::new(AtomicU32::new(0));
    let counter = looks.clone();
    // Time is up at the third look, while Z3 is busy.
    let stop = Arc::new(move || counter.fetch_add(1, Ordering::Relaxed) == 2);
    let mut remote = Remote::new(helper(), stop);
    assert_eq!(remote.ask(&pool, &hard, u32::MAX), Answer::Unknown(Cause::Interrupted));
    // The next question gets a new helper.
    assert!(remote.ask(&pool, &easy[0], 1_000_000).is_sat());
    assert!(looks.load(Ordering::Relaxed) >= 3);
}

#[test]
fn a_helper_that_dies_is_an_unknown_and_work_goes_on() {
    let mut pool = Pool::new();
    let questions = easy(&mut pool);
    for (program, args) in [
        ("/bin/sh", vec!["-c", "head -c 8 > /dev/null; kill -SEGV $$"]),
        ("/bin/false", vec![]),
        ("/no/such", vec![]),
    ] {
        let dying = Helper { program: program.into(), args: args.iter().map(ToString::to_string).collect() };
        let remote = Remote::new(dying, never());
        let mut chain = Chain::new(Config { backend: Some(Box::new(remote)), ..Config::default() });
        let limits = Limits { quick: 0, ..Limits::default() };
        let query = Query::new(&questions[2]).with_limits(limits);
        let answer = chain.ask(&mut pool, &query);
        assert!(matches!(answer, Answer::Unknown(Cause::Crashed(_))), "{program}: {answer:?}");
        // After some of them Z3 is asked here.
        let answers: Vec<Answer> = (0..6).map(|_| chain.ask(&mut pool, &query)).collect();
        assert!(answers[5].is_sat(), "{program}: {answers:?}");
    }
}

#[test]
fn nonsense_for_the_helper_is_answered_and_its_input_ends_it() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_testwright"))
        .arg("solver-helper")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for message in [&b"q\xff\xff\xff"[..], b"", b"x", b"q\x05\xff\xff\xff\xff\xff\xff\xff\x7f"] {
        input.write_all(&(message.len() as u64).to_le_bytes()).unwrap();
        input.write_all(message).unwrap();
    }
    // Longer than anything of ours.
    input.write_all(&u64::MAX.to_le_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(!output.stdout.is_empty());
}

/// A helper outlives explorations: the next method may call an `int` what was a `long` before.
#[test]
fn names_of_another_type_are_no_trouble() {
    let mut remote = Remote::new(helper(), never());
    for width in [32, 64, 32] {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::Bv(width));
        let square = pool.bvmul(x, x);
        let nine = pool.bv(width, 9);
        let asked = [pool.eq(square, nine)];
        assert!(remote.ask(&pool, &asked, 3_000_000).is_sat(), "{width} bits");
    }
}
