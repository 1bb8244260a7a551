//! Criteria over the textual IR, from obligations to verdicts and suites: golden numbers of the literature, and brute
//! force over all small inputs as judge of every verdict.

use std::collections::{BTreeMap, BTreeSet};

use coverage::{Criterion, Options};
use engine::{CoverageGoal, Judgement};
use explore::{Exploration, Goal, Session, Target, select, strategy};
use ir::text::parse_module;
use ir::{FuncId, Type};
use term::Assignment;
use vm::{Callable, Outcome, TextLang, Val, Vm, sort_of};

/// A function of the textual IR whose parameters are inputs.
#[derive(Clone)]
struct Entry {
    func: FuncId,
    params: Vec<(Type, String)>,
}

impl Target<TextLang> for Entry {
    type Observation = ();

    fn execute(&mut self, vm: &mut Vm<TextLang>) -> Outcome {
        let mut args = Vec::new();
        for (ty, name) in &self.params {
            let (term, bits) = vm.inputs.scalar(&mut vm.pool, name, sort_of(*ty));
            args.push(Val { bits, term });
        }
        vm.call(self.func, &args)
    }

    fn observe(&mut self, _vm: &mut Vm<TextLang>, _outcome: &Outcome) {}
}

struct World {
    vm: Vm<TextLang>,
    entry: Entry,
    goal: CoverageGoal,
}

impl World {
    fn new(text: &str, criterion: Criterion, options: &Options) -> World {
        let mut module = parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}")).module;
        let func = module.find_func("f").unwrap();
        if options.boundary {
            let mut body = module.function("f").unwrap().clone();
            ir::note_boundaries(&mut body);
            module.define(func, body);
        }
        let body = module.function("f").unwrap();
        let params = body.regs.iter().take(body.params as usize);
        let params = params.map(|(_, r)| (r.ty, r.variable.clone().unwrap())).collect();
        let mut vm = Vm::new(TextLang::new(module), 1 << 24);
        vm.freeze();
        let Ok(Callable::Ir(function)) = vm.callable(func) else { panic!("it has a body") };
        let goal = CoverageGoal::new(criterion, options, [(func, function)], &ir::Ids);
        World { vm, entry: Entry { func, params }, goal }
    }

    fn explore(&mut self, options: explore::Options) -> Exploration<()> {
        let mut strategy = strategy::Aimed::new(Box::new(strategy::Coverage::default()));
        let session = Session {
            vm: &mut self.vm,
            target: &mut self.entry,
            chain: &solver::Chain::default,
            jobs: 1,
            strategy: &mut strategy,
            goal: &self.goal,
            options,
            cut: &|| None,
            observer: &mut |_| {},
            journal: None,
            seeds: explore::Seeds::default(),
            words: explore::Words::default(),
            doubts: None,
            clock: &|| 0,
        };
        session.explore()
    }

    /// What the code alone shows to be infeasible, of what these verdicts leave.
    fn refuted(&self, verdicts: &[explore::Verdict]) -> BTreeMap<u32, String> {
        let callees = explore::Callees::default();
        engine::prove(&self.goal, verdicts, &ir::Ids, (&callees, None), 0, &|_| false, &|| false).refuted
    }

    fn judge(&self, found: &Exploration<()>) -> Vec<Judgement> {
        let refuted = self.refuted(&found.verdicts);
        self.goal.judge(&found.verdicts, &|part| refuted.contains_key(&part))
    }

    /// The parts that a concrete run meets.
    fn run(&mut self, inputs: &[i64]) -> Vec<u32> {
        let mut model = Assignment::default();
        for ((ty, name), value) in self.entry.params.iter().zip(inputs) {
            let term = self.vm.pool.declare(name, sort_of(*ty));
            if let Some(var) = self.vm.pool.var_of(term) {
                model.set_bits(var, (*value as u32).into());
            }
        }
        self.vm.walking = true;
        self.vm.start_run(model);
        self.entry.execute(&mut self.vm);
        self.vm.walking = false;
        self.goal.met_by(&self.vm.trace)
    }
}

/// The fewest runs that meet every obligation any run meets, as a suite is chosen.
fn suite(world: &World, found: &mut Exploration<()>) -> usize {
    let met: BTreeSet<u32> = found.finished.iter().flat_map(|run| run.meets.iter().copied()).collect();
    let needed = world.goal.needed(&met);
    found.finished.iter_mut().for_each(|run| run.meets.retain(|part| needed.contains(part)));
    select(&found.finished).len()
}

fn counts(judgements: &[Judgement]) -> (usize, usize, usize) {
    let count = |wanted: fn(&Judgement) -> bool| judgements.iter().filter(|j| wanted(j)).count();
    (
        count(|j| *j == Judgement::Covered),
        count(|j| matches!(j, Judgement::Infeasible(_, true) | Judgement::Impossible(_))),
        count(|j| matches!(j, Judgement::Open(_) | Judgement::Infeasible(_, false))),
    )
}

/// The demonstration of the literature with its first decision in one block:
/// `while (a < 3 && a > 0) { a++; i++; while (b < 3) { b++; i++; } } if (i > 5) return 1; else return 0;`
const DEMO: &str = "func @f(%0: i32 \"a\", %1: i32 \"b\") -> i32 {
b0:
  %2: i32 \"i\" = const.i32 0 @2
  jump b4
b1:
  %3 = const.i32 1 @6
  %0 = add.i32 %0, %3 @6
  %2 = add.i32 %2, %3 @7
  jump b3
b2:
  %4 = const.i32 1 @9
  %1 = add.i32 %1, %4 @9
  %2 = add.i32 %2, %4 @10
  jump b3
b3:
  %5 = const.i32 3 @8
  %6 = slt.i32 %1, %5 @8
  br %6, b2, b4 !source 1.0
b4:
  %7 = const.i32 3 @5
  %8 = slt.i32 %0, %7 @5
  %9 = const.i32 0 @5
  %10 = slt.i32 %9, %0 @5
  %11 = and %8, %10 @5
  br %11, b1, b5 !source 0.0
b5:
  %12 = const.i32 5 @13
  %13 = slt.i32 %12, %2 @13
  br %13, b6, b7 !source 2.0
b6:
  %14: i32 = const.i32 1 @14
  jump b8
b7:
  %14 = const.i32 0 @16
  jump b8
b8:
  ret.val %14 @17
}
";

#[test]
fn the_demonstration_has_thirteen_prime_paths_and_a_suite_of_five() {
    let options = Options::default();
    for (criterion, owed, covered) in [
        (Criterion::Node, 9, 9),
        (Criterion::Edge, 11, 11),
        (Criterion::EdgePair, 14, 14),
        (Criterion::PrimePath, 13, 12),
    ] {
        let mut world = World::new(DEMO, criterion, &options);
        assert_eq!(world.goal.obligations().len(), owed, "{criterion}");
        let mut found = world.explore(explore::Options::default());
        let judgements = world.judge(&found);
        assert_eq!(counts(&judgements), (covered, owed - covered, 0), "{criterion}: {judgements:?}");
        if criterion == Criterion::PrimePath {
            let infeasible = judgements.iter().position(|j| matches!(j, Judgement::Infeasible(..))).unwrap();
            let text = &world.goal.obligations()[infeasible].1.text;
            assert!(text.ends_with("(blocks b0 b4 b5 b6 b8)"), "{text}");
            let refuted = world.refuted(&found.verdicts);
            assert_eq!(refuted.values().collect::<Vec<_>>(), ["i > 5 (line 13) cannot hold on this path"]);
            // The fewest over all that were found; over all inputs there are no fewer.
            assert_eq!(suite(&world, &mut found), 5);
        }
    }
}

/// `if (a < 10 || (b > 0 && c > 0)) return 1; return 0;`
const EXAMPLE: &str = "func @f(%0: i32 \"a\", %1: i32 \"b\", %2: i32 \"c\") -> i32 {
b0:
  %3 = const.i32 10 @2
  %4 = slt.i32 %0, %3 @2
  br %4, b3, b1 !source 0.0
b1:
  %5 = const.i32 0 @2
  %6 = slt.i32 %5, %1 @2
  br %6, b2, b4 !source 0.1
b2:
  %7 = const.i32 0 @2
  %8 = slt.i32 %7, %2 @2
  br %8, b3, b4 !source 0.2
b3:
  %9 = const.i32 1 @3
  ret.val %9
b4:
  %10 = const.i32 0 @4
  ret.val %10
}
";

#[test]
fn independence_of_three_conditions_takes_four_tests() {
    for criterion in [Criterion::Mcdc, Criterion::McdcUnique, Criterion::Cacc, Criterion::Racc] {
        let mut world = World::new(EXAMPLE, criterion, &Options::default());
        assert_eq!(world.goal.obligations().len(), 3);
        let mut found = world.explore(explore::Options::default());
        assert_eq!(counts(&world.judge(&found)), (3, 0, 0));
        assert_eq!(suite(&world, &mut found), 4, "{criterion}");
    }
}

/// Sixteen choices one after the other.
fn choices(count: u32) -> String {
    let mut text = "func @f(%0: i32 \"x\") -> i32 {\nb0:\n  jump b1\n".to_string();
    for i in 0..count {
        let (at, t, mask, bit, set, zero) =
            (1 + 3 * i, i * 5 + 1, i * 5 + 2, i * 5 + 3, i * 5 + 4, i * 5 + 5);
        text += &format!("b{at}:\n  %{mask} = const.i32 {} @{}\n", 1_u32 << i, i + 2);
        text += &format!("  %{bit} = and.i32 %0, %{mask}\n  %{zero} = const.i32 0\n");
        text +=
            &format!("  %{t} = eq.i32 %{bit}, %{zero}\n  br %{t}, b{}, b{} !source {i}.0\n", at + 1, at + 2);
        text += &format!("b{}:\n  %{set} = const.i32 1 @{}\n  jump b{}\n", at + 1, i + 2, at + 3);
        text +=
            &format!("b{}:\n  %{} = const.i32 2 @{}\n  jump b{}\n", at + 2, count * 5 + 1 + i, i + 2, at + 3);
    }
    text + &format!("b{}:\n  ret.val %0 @99\n}}\n", 1 + 3 * count)
}

#[test]
fn consecutive_choices_do_not_blow_up() {
    let mut options = Options::default();
    options.limit.paths = 50;
    let mut world = World::new(&choices(16), Criterion::PrimePath, &options);
    assert_eq!(world.goal.obligations().len(), 50);
    assert_eq!(world.goal.cut(), ["f"]);
    let found = world.explore(explore::Options { max_paths: 400, ..explore::Options::default() });
    let (covered, infeasible, open) = counts(&world.judge(&found));
    assert_eq!((covered, infeasible, open), (50, 0, 0), "each is found directly");
}

/// A small structured program of two inputs, from a number.
struct Random {
    seed: u64,
    blocks: Vec<String>,
    regs: u32,
    branches: u32,
}

impl Random {
    fn pick(&mut self, n: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % n
    }

    fn reg(&mut self) -> u32 {
        self.regs += 1;
        self.regs - 1
    }

    fn block(&mut self) -> usize {
        self.blocks.push(String::new());
        self.blocks.len() - 1
    }

    /// A comparison of a variable with a number, and what follows from it.
    fn branch(&mut self, at: usize, yes: usize, no: usize) {
        let (var, number) = (self.pick(3), self.pick(7) as i64 - 3);
        let (constant, truth) = (self.reg(), self.reg());
        let op = ["slt.i32", "eq.i32"][self.pick(2) as usize];
        let line = at + 1;
        self.blocks[at] += &format!(
            "  %{constant} = const.i32 {number} @{line}\n  %{truth} = {op} %{var}, %{constant}\n  br %{truth}, b{yes}, b{no} !source {}.0\n",
            self.branches
        );
        self.branches += 1;
    }

    /// Statements from a block on; where they end.
    fn statements(&mut self, mut at: usize, depth: u32) -> usize {
        for _ in 0..1 + self.pick(3) {
            match self.pick(4) {
                0 | 1 => {
                    let (to, from, number) = (self.pick(3), self.pick(3), self.pick(5) as i64 - 2);
                    let constant = self.reg();
                    let line = at + 1;
                    self.blocks[at] += &format!(
                        "  %{constant} = const.i32 {number} @{line}\n  %{to} = add.i32 %{from}, %{constant}\n"
                    );
                }
                2 if depth > 0 => {
                    let (yes, no) = (self.block(), self.block());
                    self.branch(at, yes, no);
                    let (yes, no) = (self.statements(yes, depth - 1), self.statements(no, depth - 1));
                    let join = self.block();
                    for end in [yes, no] {
                        self.blocks[end] += &format!("  jump b{join}\n");
                    }
                    at = join;
                }
                3 if depth > 0 => {
                    // At most a few rounds, so that all of it ends.
                    let (head, body, out) = (self.block(), self.block(), self.block());
                    let fuel = self.reg();
                    let (one, zero, more) = (self.reg(), self.reg(), self.reg());
                    self.blocks[at] +=
                        &format!("  %{fuel}: i32 \"fuel{fuel}\" = const.i32 2 @{}\n  jump b{head}\n", at + 1);
                    let inner = self.block();
                    self.blocks[head] += &format!(
                        "  %{zero} = const.i32 0 @{0}\n  %{more} = slt.i32 %{zero}, %{fuel} @{0}\n  br %{more}, b{inner}, b{out} !source {1}.0\n",
                        head + 1,
                        self.branches
                    );
                    self.branches += 1;
                    self.branch(inner, body, out);
                    self.blocks[body] += &format!(
                        "  %{one} = const.i32 -1 @{0}\n  %{fuel} = add.i32 %{fuel}, %{one} @{0}\n",
                        body + 1
                    );
                    let end = self.statements(body, depth - 1);
                    self.blocks[end] += &format!("  jump b{head}\n");
                    at = out;
                }
                _ => {}
            }
        }
        at
    }
}

fn random_program(seed: u64) -> String {
    let mut random = Random { seed, blocks: Vec::new(), regs: 3, branches: 0 };
    let entry = random.block();
    random.blocks[entry] += "  %2: i32 \"z\" = const.i32 0 @1\n";
    let end = random.statements(entry, 2);
    random.blocks[end] += &format!("  ret.val %2 @{}\n", end + 1);
    let mut text = "func @f(%0: i32 \"x\", %1: i32 \"y\") -> i32 {\n".to_string();
    for (i, block) in random.blocks.iter().enumerate() {
        text += &format!("b{i}:\n{block}");
    }
    numbered(&(text + "}\n"))
}

/// With registers numbered in the order in which they appear.
fn numbered(text: &str) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let place = known.iter().position(|n| n == name).unwrap_or_else(|| {
            known.push(name.to_string());
            known.len() - 1
        });
        out += &format!("%{place}{rest}");
    }
    out
}

/// Every obligation has a verdict, and no input contradicts one: what a run over all small inputs meets is not called
/// infeasible, what is called covered is met by the run that is named, and the code alone refutes nothing that happens.
#[test]
fn verdicts_stand_against_all_small_inputs() {
    let mut infeasible = 0;
    let mut covered = 0;
    for seed in 0..40 {
        let text = random_program(seed);
        for criterion in [
            Criterion::Branch,
            Criterion::Line,
            Criterion::PrimePath,
            Criterion::CompletePath,
            Criterion::AllUses,
            Criterion::AllDuPaths,
            Criterion::Mcdc,
            Criterion::Loop,
            Criterion::RoundTrip,
        ] {
            let mut options = Options { boundary: criterion == Criterion::Branch, ..Options::default() };
            options.limit.paths = 60;
            let mut world = World::new(&text, criterion, &options);
            let found = world.explore(explore::Options {
                max_paths: 300,
                audit: true,
                ..explore::Options::default()
            });
            let judgements = world.judge(&found);
            assert_eq!(judgements.len(), world.goal.obligations().len());
            let refuted = world.refuted(&[]);
            let mut met: BTreeSet<u32> = BTreeSet::new();
            for x in -6..=6 {
                for y in -6..=6 {
                    met.extend(world.run(&[x, y]));
                }
            }
            for run in &found.finished {
                for part in &run.meets {
                    assert!(!refuted.contains_key(part), "{criterion}: {:?}\n{text}", refuted[part]);
                }
            }
            for part in &met {
                assert!(!refuted.contains_key(part), "{criterion}: {:?}\n{text}", refuted[part]);
            }
            let by_inputs: Vec<explore::Verdict> = (0..world.goal.len() as u32)
                .map(|part| match met.contains(&part) {
                    true => explore::Verdict::Covered(explore::RunId(0)),
                    false => explore::Verdict::Open(explore::Why::Imprecise(Vec::new())),
                })
                .collect();
            let truth = world.goal.judge(&by_inputs, &|_| false);
            for (i, (judged, truth)) in judgements.iter().zip(&truth).enumerate() {
                let text = || format!("{criterion}: {}\n{text}", world.goal.obligations()[i].1.text);
                match judged {
                    Judgement::Covered => covered += 1,
                    Judgement::Infeasible(..) | Judgement::Impossible(_) => {
                        infeasible += 1;
                        assert_ne!(*truth, Judgement::Covered, "{}", text());
                    }
                    Judgement::Open(_) => {}
                }
            }
        }
    }
    assert!(covered > 1000 && infeasible > 100, "{covered} covered, {infeasible} infeasible");
}
