//! Random programs over two inputs of four bits: exploring them must find exactly what running all 256 inputs
//! finds, outcomes, covered branches and verdicts alike.

mod support;

use explore::{Options, Verdict};
use ir::{BlockId, BranchInfo, Builder, Check, Module, Op, Origin, Reg, SwitchTable, Type};
use std::collections::BTreeSet;
use support::{Ask, Entry, explore};
use term::Assignment;
use vm::{Edge, TextLang, Val, Vm};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

const VARIABLES: usize = 4;

fn program(random: &mut Random) -> ir::Function {
    let mut b = Builder::new("f", &[Type::I32, Type::I32], Some(Type::I32));
    b.name_reg(Reg(0), "x");
    b.name_reg(Reg(1), "y");
    let count = 3 + random.below(8);
    let blocks: Vec<BlockId> = (1..count).map(|_| b.block()).collect();
    let mask = b.const_i32(15);
    let four = b.const_i32(4);
    let array = array_of_four(&mut b, four);
    let variables: Vec<Reg> =
        (0..VARIABLES).map(|i| b.value(Type::I32, Op::AndI32, (i % 2) as u32, mask.0, 0)).collect();
    let mut decision = 0;
    for i in 0..count {
        if i > 0 {
            b.switch_to(blocks[i - 1]);
        }
        for _ in 0..random.below(4) {
            statement(&mut b, random, &variables, array);
        }
        let later = &blocks[i.min(blocks.len())..];
        if later.is_empty() {
            b.ret(Some(variables[random.below(VARIABLES)]));
            continue;
        }
        let to = |random: &mut Random| later[random.below(later.len())];
        let info = BranchInfo { origin: Origin::Source, decision, condition: 0, far: false };
        match random.below(6) {
            0 => b.jump(to(random)),
            1 => {
                let mut cases: Vec<(i32, BlockId)> =
                    (0..3).map(|_| (random.below(20) as i32 - 2, to(random))).collect();
                cases.sort_unstable_by_key(|(value, _)| *value);
                cases.dedup_by_key(|(value, _)| *value);
                let table = SwitchTable { cases, default: to(random) };
                b.switch(variables[random.below(VARIABLES)], table, info);
                decision += 1;
            }
            2 if i > 0 => b.ret(Some(variables[random.below(VARIABLES)])),
            _ => {
                let compare = [Op::EqI32, Op::NeI32, Op::SltI32, Op::SleI32, Op::UltI32, Op::UleI32];
                let op = compare[random.below(compare.len())];
                let left = variables[random.below(VARIABLES)];
                let right = match random.below(2) {
                    0 => variables[random.below(VARIABLES)],
                    _ => b.const_i32(random.below(24) as i32 - 4),
                };
                let condition = b.value(Type::I1, op, left.0, right.0, 0);
                b.br(condition, to(random), to(random), info);
                decision += 1;
            }
        }
    }
    b.finish()
}

fn array_of_four(b: &mut Builder, four: Reg) -> Reg {
    b.value(Type::Ref, Op::NewArray, 0, four.0, 0)
}

fn statement(b: &mut Builder, random: &mut Random, variables: &[Reg], array: Reg) {
    let pick = |random: &mut Random| variables[random.below(VARIABLES)];
    let (dst, x, y) = (pick(random), pick(random), pick(random));
    match random.below(9) {
        0 => {
            b.effect(Op::GuardNonZeroI32, y.0, 0, 0);
            b.into(dst, if random.below(2) == 0 { Op::SDivI32 } else { Op::SRemI32 }, x.0, y.0, 0);
        }
        1 => {
            b.effect(Op::GuardBounds, array.0, x.0, 0);
            b.effect(Op::AStoreI32, array.0, x.0, y.0);
        }
        2 => {
            b.effect(Op::GuardBounds, array.0, x.0, 0);
            b.into(dst, Op::ALoadI32, array.0, x.0, 0);
        }
        3 => {
            let limit = b.const_i32(random.below(40) as i32);
            let small = b.value(Type::I1, Op::SltI32, x.0, limit.0, 0);
            b.effect(Op::Guard, Check::Cast as u32, small.0, 0);
        }
        _ => {
            let ops = [
                Op::AddI32,
                Op::SubI32,
                Op::MulI32,
                Op::XorI32,
                Op::AndI32,
                Op::OrI32,
                Op::ShlI32,
                Op::AShrI32,
            ];
            b.into(dst, ops[random.below(ops.len())], x.0, y.0, 0);
        }
    }
}

fn module(function: ir::Function) -> Module {
    let mut module = ir::text::parse_module("array Ints of i32\n").expect("a module").module;
    let func = module.func_id("f");
    module.define(func, function);
    module
}

/// What all inputs do: outcomes, and the edges taken by runs that end by themselves.
fn brute_force(module: &Module) -> (BTreeSet<String>, BTreeSet<Edge>) {
    let entry = Entry::new(module, "f");
    let mut vm = Vm::new(TextLang::new(module.clone()), 1 << 20);
    vm.freeze();
    let (mut outcomes, mut edges) = (BTreeSet::new(), BTreeSet::new());
    for x in 0..16 {
        for y in 0..16 {
            vm.start_run(Assignment::default());
            let outcome = vm.call(entry.func, &[Val::i32(x), Val::i32(y)]);
            outcomes.insert(TextLang::show(&vm, &outcome, entry.ret));
            edges.extend(vm.trace.edges.iter().copied());
        }
    }
    (outcomes, edges)
}

/// The ways a program can go are found, whatever values the outcomes have: kinds of outcomes are compared, since
/// one path returns many values.
fn kinds(outcomes: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let kind = |o: String| if o.starts_with("raises") { o } else { "returns".to_string() };
    outcomes.into_iter().map(kind).collect()
}

#[test]
fn exploring_finds_what_all_inputs_find() {
    let mut infeasible = 0;
    for seed in 0..150 {
        let mut random = Random(seed);
        let module = module(program(&mut random));
        let text = || ir::text::print_module(&module);
        let errors = ir::verify_module(&module);
        assert!(errors.is_empty(), "seed {seed}: {errors:?}\n{}", text());
        let (outcomes, edges) = brute_force(&module);
        let ask = Ask {
            options: Options { audit: true, ..Options::exhaustive() },
            strategy: explore::strategy::NAMES[seed as usize % explore::strategy::NAMES.len()].to_string(),
            ..Ask::default()
        };
        let explored = explore(&module, "f", &ask);
        let found = &explored.found;
        assert!(found.exhaustive, "seed {seed}: {:?}\n{}", explored.ledger(), text());
        assert_eq!(kinds(explored.outcomes()), kinds(outcomes.clone()), "seed {seed}\n{}", text());
        for run in &found.finished {
            assert!(outcomes.contains(&run.observation), "seed {seed}: {}\n{}", run.observation, text());
        }
        let taken: BTreeSet<Edge> = found.finished.iter().flat_map(|f| f.edges.iter().copied()).collect();
        let by_block = |edges: &BTreeSet<Edge>| -> BTreeSet<(u32, BlockId)> {
            let function = module.function("f").expect("a body");
            let target =
                |e: &Edge| (e.index, function.successors(function.block_at(e.index))[e.successor as usize]);
            edges.iter().map(target).collect()
        };
        // Cases of a switch that go to one block are one way to go.
        assert_eq!(by_block(&taken), by_block(&edges), "seed {seed}\n{}", text());
        infeasible += found.verdicts.iter().filter(|v| matches!(v, Verdict::Infeasible(_))).count();
        assert!(!found.verdicts.iter().any(|v| matches!(v, Verdict::Open(_))), "seed {seed}");
    }
    assert!(infeasible > 20, "only {infeasible} infeasible branches: the programs are too easy");
}

/// Alternatives that lead on as others do are left out by default: what is covered, and what is said to be infeasible,
/// must be what running all inputs says.
#[test]
fn what_is_left_out_covers_nothing() {
    let (mut left_out, mut runs, mut all_runs) = (0, 0, 0);
    for seed in 0..600 {
        let mut random = Random(seed);
        let module = module(program(&mut random));
        let text = || ir::text::print_module(&module);
        let (_, edges) = brute_force(&module);
        let options = Options {
            audit: true,
            join_after: 0,
            patience: u32::MAX,
            loop_bound: 4_000,
            ..Options::default()
        };
        let ask = |options: Options| Ask {
            options,
            strategy: explore::strategy::NAMES[seed as usize % explore::strategy::NAMES.len()].to_string(),
            ..Ask::default()
        };
        let explored = explore(&module, "f", &ask(options.clone()));
        let found = &explored.found;
        let function = module.function("f").expect("a body");
        let target =
            |e: &Edge| (e.index, function.successors(function.block_at(e.index))[e.successor as usize]);
        let taken: BTreeSet<_> = found.finished.iter().flat_map(|f| f.edges.iter().map(target)).collect();
        let wanted: BTreeSet<_> = edges.iter().map(target).collect();
        // What the goal owes is all that counts: branches, each way.
        let owed = |edges: &BTreeSet<(u32, BlockId)>| -> BTreeSet<(u32, BlockId)> {
            let branch = |(index, _): &&(u32, BlockId)| {
                matches!(function.code[*index as usize].op, Op::Br | Op::Switch)
            };
            edges.iter().filter(branch).copied().collect()
        };
        assert_eq!(owed(&taken), owed(&wanted), "seed {seed}\n{}", text());
        assert!(!found.verdicts.iter().any(|v| matches!(v, Verdict::Open(_))), "seed {seed}\n{}", text());
        let whole = explore(&module, "f", &ask(Options { join_after: u64::MAX, ..options }));
        left_out += u64::from(explored.ledger().contains(&"joined"));
        runs += found.spent.runs;
        all_runs += whole.found.spent.runs;
    }
    assert!(left_out > 8, "only {left_out} programs with something left out");
    assert!(runs < all_runs, "{runs} runs, {all_runs} without leaving anything out");
}

/// Sixteen questions that have nothing to do with each other, and one about the first input that contradicts it: 65536
/// paths, of which some forty show all there is.
#[test]
fn independent_branches_are_not_multiplied() {
    const INPUTS: usize = 16;
    let mut b = Builder::new("f", &[Type::I32; INPUTS], Some(Type::I32));
    let (small, large) = (b.const_i32(5), b.const_i32(10));
    let count = b.const_i32(0);
    let mut decision = 0;
    let mut branch = |b: &mut Builder, condition: Reg, yes: BlockId, no: BlockId| {
        b.br(condition, yes, no, BranchInfo { origin: Origin::Source, decision, condition: 0, far: false });
        decision += 1;
    };
    for input in 0..INPUTS as u32 {
        let (yes, next) = (b.block(), b.block());
        let condition = b.value(Type::I1, Op::SltI32, input, small.0, 0);
        branch(&mut b, condition, yes, next);
        b.switch_to(yes);
        Builder::into(&mut b, count, Op::AddI32, count.0, small.0, 0);
        b.jump(next);
        b.switch_to(next);
    }
    let (yes, never, end) = (b.block(), b.block(), b.block());
    let condition = b.value(Type::I1, Op::SltI32, 0, small.0, 0);
    branch(&mut b, condition, yes, end);
    b.switch_to(yes);
    let condition = b.value(Type::I1, Op::SltI32, large.0, 0, 0);
    branch(&mut b, condition, never, end);
    b.switch_to(never);
    b.jump(end);
    b.switch_to(end);
    b.ret(Some(count));
    let module = module(b.finish());
    let options = Options { patience: u32::MAX, join_after: 0, ..Options::default() };
    let explored = explore(&module, "f", &Ask { options, ..Ask::default() });
    let verdicts = &explored.found.verdicts;
    let infeasible = verdicts.iter().filter(|v| matches!(v, Verdict::Infeasible(_))).count();
    assert_eq!((infeasible, verdicts.len()), (1, 36));
    assert!(!verdicts.iter().any(|v| matches!(v, Verdict::Open(_))));
    assert!(explored.found.spent.runs < 200, "{} runs", explored.found.spent.runs);
    assert!(!explored.found.exhaustive, "paths were left out");
}
