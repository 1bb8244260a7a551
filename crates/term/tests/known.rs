//! What follows from conditions, against all values of the variables.

use term::{Assignment, Known, Op, Pool, Sort, TermId};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

const WIDTH: u32 = 6;

fn number(pool: &mut Pool, vars: &[TermId], random: &mut Random, depth: u32) -> TermId {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(3) {
            0 => pool.bv(WIDTH, random.below(1 << WIDTH)),
            _ => vars[random.below(vars.len() as u64) as usize],
        };
    }
    let a = number(pool, vars, random, depth - 1);
    if random.below(4) == 0 {
        let narrow = 1 + random.below(WIDTH.into()) as u32;
        let part = match random.below(3) {
            0 => pool.extract(WIDTH - 1, WIDTH - narrow, a),
            _ => pool.extract(narrow - 1, 0, a),
        };
        return if random.below(2) == 0 { pool.zext(WIDTH, part) } else { pool.sext(WIDTH, part) };
    }
    if random.below(4) == 0 {
        let (condition, b) =
            (condition(pool, vars, random, depth - 1), number(pool, vars, random, depth - 1));
        return pool.ite(condition, a, b);
    }
    let b = number(pool, vars, random, depth - 1);
    let ops = [Op::BvAdd, Op::BvAdd, Op::BvSub, Op::BvAnd, Op::BvAnd, Op::BvMul, Op::BvURem, Op::BvXor];
    pool.mk(ops[random.below(ops.len() as u64) as usize], &[a, b])
}

fn condition(pool: &mut Pool, vars: &[TermId], random: &mut Random, depth: u32) -> TermId {
    if depth > 0 && random.below(4) == 0 {
        let a = condition(pool, vars, random, depth - 1);
        let b = condition(pool, vars, random, depth - 1);
        return match random.below(3) {
            0 => pool.and(a, b),
            1 => pool.or(a, b),
            _ => pool.not(a),
        };
    }
    let a = number(pool, vars, random, depth);
    let b = number(pool, vars, random, depth.min(1));
    let ops = [Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq];
    pool.mk(ops[random.below(5) as usize], &[a, b])
}

#[test]
fn what_follows_holds_for_all_values_that_are_left() {
    let mut random = Random(7);
    let (mut followed, mut missed, mut ranges) = (0, 0, 0);
    for _ in 0..150 {
        let mut pool = Pool::new();
        let vars = [pool.declare("x", Sort::Bv(WIDTH)), pool.declare("y", Sort::Bv(WIDTH))];
        let ids = vars.map(|var| pool.var_of(var).unwrap());
        let mut known = Known::default();
        let mut left: Vec<Assignment> = Vec::new();
        for value in 0..1u64 << (2 * WIDTH) {
            let mut model = Assignment::new();
            model.set_bits(ids[0], (value & 63).into());
            model.set_bits(ids[1], (value >> WIDTH).into());
            left.push(model);
        }
        for _ in 0..8 {
            let of = if random.below(4) == 0 { &vars[..] } else { &vars[..1] };
            let term = condition(&mut pool, of, &mut random, 3);
            // As a run does: what holds of one of the inputs.
            let one = left[random.below(left.len() as u64) as usize].clone();
            let term = if one.eval(&pool, term) == 0 { pool.not(term) } else { term };
            let follows = left.iter().all(|model| model.eval(&pool, term) != 0);
            let claimed = known.assert(&pool, term);
            assert!(follows || !claimed, "{}", pool.display(term));
            followed += u32::from(claimed);
            missed += u32::from(follows && !claimed && pool.as_bool(term).is_none());
            left.retain(|model| model.eval(&pool, term) != 0);
            let term = number(&mut pool, of, &mut random, 2);
            if let Some((low, high)) = known.range(&pool, term) {
                let values: Vec<u128> = left.iter().map(|model| model.eval(&pool, term)).collect();
                assert!(values.iter().all(|v| (low..=high).contains(v)), "{}", pool.display(term));
                ranges += 1;
            }
        }
    }
    // Conditions of two variables are mostly beyond it.
    assert!(followed > 50 && ranges > 200, "{followed} followed, {missed} missed, {ranges} ranges");
}

#[test]
fn lengths_and_characters() {
    let mut pool = Pool::new();
    let mut known = Known::default();
    let length = pool.declare("s.length", Sort::Bv(32));
    let [zero, two, four] = [0, 2, 4].map(|k| pool.bv(32, k));
    let minus = pool.bv(32, u32::MAX.into());
    let last = pool.bvadd(length, minus);
    let some = pool.slt(zero, length);
    assert!(!known.assert(&pool, some));
    // 0 <= length - 1, and nothing below it.
    let inside = pool.sle(zero, last);
    assert!(known.assert(&pool, inside));
    let (least, below) = (pool.ule(two, last), pool.ult(last, four));
    assert!(!known.assert(&pool, least));
    assert!(!known.assert(&pool, below));
    assert_eq!(known.range(&pool, last), Some((2, 3)));
    assert_eq!(known.range(&pool, length), Some((3, 4)));
    // A byte of a narrow character is the character.
    let unit = pool.declare("s[0]", Sort::Bv(16));
    let (narrow, ascii) = (pool.bv(16, 256), pool.bv(16, 128));
    let (narrow, ascii) = (pool.ult(unit, narrow), pool.ult(unit, ascii));
    known.assert(&pool, narrow);
    known.assert(&pool, ascii);
    let byte = pool.extract(7, 0, unit);
    let byte = pool.sext(32, byte);
    let positive = pool.sle(zero, byte);
    assert!(known.assert(&pool, positive));
    let high = pool.bv(16, 0xff80);
    let (high, none) = (pool.bvand(unit, high), pool.bv(16, 0));
    let no_high = pool.eq(high, none);
    assert!(known.assert(&pool, no_high));
}

#[test]
fn comparisons_with_literals_are_exact() {
    let ops = [Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq];
    let mut random = Random(3);
    for _ in 0..2_000 {
        let mut pool = Pool::without_rules();
        let x = pool.declare("x", Sort::Bv(WIDTH));
        let id = pool.var_of(x).unwrap();
        let mut known = Known::default();
        let mut left: Vec<u64> = (0..1 << WIDTH).collect();
        for _ in 0..5 {
            let (k, by) = (pool.bv(WIDTH, random.below(64)), pool.bv(WIDTH, random.below(64)));
            let side = if random.below(2) == 0 { x } else { pool.bvadd(x, by) };
            let (a, b) = if random.below(2) == 0 { (side, k) } else { (k, side) };
            let term = pool.mk(ops[random.below(5) as usize], &[a, b]);
            let holds = |value: u64, pool: &Pool, term: TermId| {
                let mut model = Assignment::new();
                model.set_bits(id, value.into());
                model.eval(pool, term) != 0
            };
            let one = left[random.below(left.len() as u64) as usize];
            let term = if holds(one, &pool, term) { term } else { pool.not(term) };
            let follows = left.iter().all(|value| holds(*value, &pool, term));
            assert_eq!(known.assert(&pool, term), follows, "{}", pool.display(term));
            left.retain(|value| holds(*value, &pool, term));
            let ends = (left[0].into(), left[left.len() - 1].into());
            assert!(known.range(&pool, x).is_none_or(|range| range == ends));
        }
    }
}
