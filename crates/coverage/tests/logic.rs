//! Decisions and data flow: golden examples, and brute force on random functions.

use coverage::decision::{Decision, Row, decisions};
use coverage::mcdc::{Variant, pairs};
use coverage::{Criterion, DataFlow, Demand, Flow, Meter, Options, Projection, fewest_rows};
use ir::text::parse_module;
use ir::{BlockId, Function, Ids, Move};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn function(text: &str) -> Function {
    parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}")).module.function("f").unwrap().clone()
}

/// A Boolean expression.
#[derive(Clone, Debug)]
enum Expr {
    Condition(bool),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
}

/// The short-circuit code of an expression, as compilers make it: a block for each condition, true first.
struct Compiler {
    blocks: Vec<String>,
}

impl Compiler {
    fn compile(&mut self, expr: &Expr, yes: &str, no: &str) -> String {
        match expr {
            Expr::Condition(positive) => {
                let i = self.blocks.len();
                let (first, second) = if *positive { (yes, no) } else { (no, yes) };
                self.blocks.push(format!("  br %{i}, {first}, {second} @3 !source 0.{i}\n"));
                format!("b{i}")
            }
            Expr::And(a, b) => {
                let right = format!("b{}", self.blocks.len() + leaves(a));
                let entry = self.compile(a, &right, no);
                assert_eq!(self.compile(b, yes, no), right);
                entry
            }
            Expr::Or(a, b) => {
                let right = format!("b{}", self.blocks.len() + leaves(a));
                let entry = self.compile(a, yes, &right);
                assert_eq!(self.compile(b, yes, no), right);
                entry
            }
        }
    }
}

fn leaves(expr: &Expr) -> usize {
    match expr {
        Expr::Condition(_) => 1,
        Expr::And(a, b) | Expr::Or(a, b) => leaves(a) + leaves(b),
    }
}

fn holds(expr: &Expr, values: &[bool], next: &mut usize) -> bool {
    match expr {
        Expr::Condition(positive) => {
            *next += 1;
            values[*next - 1] == *positive
        }
        Expr::And(a, b) => {
            let (a, b) = (holds(a, values, next), holds(b, values, next));
            a && b
        }
        Expr::Or(a, b) => {
            let (a, b) = (holds(a, values, next), holds(b, values, next));
            a || b
        }
    }
}

/// `if (expr) return 1; else return 0;`
fn code_of(expr: &Expr) -> String {
    let n = leaves(expr);
    let mut compiler = Compiler { blocks: Vec::new() };
    let (yes, no) = (format!("b{n}"), format!("b{}", n + 1));
    compiler.compile(expr, &yes, &no);
    let params: Vec<String> = (0..n).map(|i| format!("%{i}: i1 \"c{i}\"")).collect();
    let mut text = format!("func @f({}) -> i32 {{\n", params.join(", "));
    for (i, block) in compiler.blocks.iter().enumerate() {
        text += &format!("b{i}:\n{block}");
    }
    text += &format!("{yes}:\n  %{n} = const.i32 1 @4\n  ret.val %{n}\n");
    text += &format!("{no}:\n  %{} = const.i32 0 @5\n  ret.val %{}\n}}\n", n + 1, n + 1);
    text
}

fn decision(func: &Function) -> Decision {
    let all = decisions(&Projection::new(func, &Ids));
    assert_eq!(all.len(), 1);
    all.into_iter().next().unwrap()
}

/// All rows with a value for each condition, in binary order: row 0 is all false.
fn full_rows(decision: &Decision) -> Vec<Row> {
    let n = decision.conditions.len();
    (0..1_u32 << n)
        .map(|bits| {
            let values: Vec<bool> = (0..n).map(|i| bits >> (n - 1 - i) & 1 == 1).collect();
            let outcome = decision.outcome(&values);
            Row { values: values.into_iter().map(Some).collect(), outcome }
        })
        .collect()
}

/// Whether some rows show every condition.
fn shows(decision: &Decision, rows: &[Row], variant: Variant) -> bool {
    (0..decision.conditions.len()).all(|c| !pairs(decision, rows, c, variant).is_empty())
}

fn subsets(rows: &[Row], size: usize) -> Vec<(Vec<usize>, Vec<Row>)> {
    (0..1_u32 << rows.len())
        .filter(|bits| bits.count_ones() as usize == size)
        .map(|bits| {
            let chosen: Vec<usize> = (0..rows.len()).filter(|i| bits >> i & 1 == 1).collect();
            let rows = chosen.iter().map(|i| rows[*i].clone()).collect();
            (chosen, rows)
        })
        .collect()
}

/// `(a < 10) || ((b > 0) && (c > 0))`, the example of the literature.
fn example() -> Decision {
    let condition = || Box::new(Expr::Condition(true));
    let expr = Expr::Or(condition(), Box::new(Expr::And(condition(), condition())));
    decision(&function(&code_of(&expr)))
}

#[test]
fn the_example_of_the_literature_needs_four_rows() {
    let example = example();
    assert_eq!(example.text, "c0 || (c1 && c2)");
    let rows = full_rows(&example);
    for variant in [Variant::General, Variant::Masking, Variant::UniqueCause] {
        assert!(subsets(&rows, 3).iter().all(|(_, rows)| !shows(&example, rows, variant)), "{variant:?}");
    }
    let sets = |variant| -> Vec<Vec<usize>> {
        let all = subsets(&rows, 4).into_iter();
        all.filter(|(_, rows)| shows(&example, rows, variant)).map(|(chosen, _)| chosen).collect()
    };
    assert_eq!(sets(Variant::UniqueCause), [vec![1, 2, 3, 5], vec![1, 2, 3, 6]]);
    assert!(sets(Variant::Masking).contains(&vec![1, 2, 3, 4]), "masking only");
    // The exact search finds as few.
    for variant in [Variant::Masking, Variant::UniqueCause] {
        let wants: Vec<Vec<Vec<u32>>> = (0..3)
            .map(|c| {
                let ways = pairs(&example, &rows, c, variant).into_iter();
                ways.map(|(a, b)| vec![a as u32, b as u32]).collect()
            })
            .collect();
        assert_eq!(fewest_rows(&wants).len(), 4);
    }
}

#[test]
fn short_circuit_evaluation_has_as_many_rows_as_paths() {
    let example = example();
    let (rows, cut) = example.rows(100);
    let shown: Vec<String> = rows.iter().map(|r| example.row_text(r)).collect();
    assert_eq!(shown, ["c0", "!c0, c1, c2", "!c0, c1, !c2", "!c0, !c1"]);
    assert!(!cut);
    let (few, cut) = example.rows(2);
    assert_eq!((few.len(), cut), (2, true));
}

/// Whether rows have each condition both ways and both outcomes.
fn conditions_and_decisions(decision: &Decision, rows: &[Row]) -> bool {
    let both = |values: BTreeSet<bool>| values.len() == 2;
    both(rows.iter().map(|r| r.outcome).collect())
        && (0..decision.conditions.len()).all(|c| both(rows.iter().filter_map(|r| r.values[c]).collect()))
}

fn expression() -> impl Strategy<Value = Expr> {
    any::<bool>().prop_map(Expr::Condition).prop_recursive(3, 6, 2, |inner| {
        (inner.clone(), inner, any::<bool>()).prop_map(|(a, b, and)| match and {
            true => Expr::And(Box::new(a), Box::new(b)),
            false => Expr::Or(Box::new(a), Box::new(b)),
        })
    })
}

/// Blocks with assignments and uses of two variables, and random jumps.
fn random_function() -> impl Strategy<Value = String> {
    let block = (0_u8..7, 0_u8..7, 0_u32..5, 0_u32..5, any::<bool>());
    proptest::collection::vec(block, 2..5).prop_map(|blocks| {
        let n = blocks.len() as u32;
        let mut text =
            "declare @use(i32)\nfunc @f(%0: i32 \"x\", %1: i32 \"y\", %2: i1 \"z\") {\n".to_string();
        let mut branches = 0;
        for (i, (first, second, to, other, branch)) in blocks.iter().enumerate() {
            text += &format!("b{i}:\n");
            for what in [first, second] {
                text += match what {
                    0 => "  %0 = copy %1 @1\n",
                    1 => "  %1 = copy %0 @1\n",
                    2 => "  %0 = add.i32 %0, %1 @1\n",
                    3 => "  call @use(%0) @1\n",
                    4 => "  call @use(%1) @1\n",
                    5 => "  %2 = slt.i32 %0, %1 @1\n",
                    _ => "",
                };
            }
            // Some branches decide with what was compared here, some with a variable.
            match branch {
                true => {
                    let (to, other) = (to % (n + 1), other % (n + 1));
                    text += &format!("  br %2, b{to}, b{other} @2 !source {branches}.0\n");
                    branches += 1;
                }
                false => text += &format!("  jump b{}\n", to % (n + 1)),
            }
        }
        text + &format!("b{n}:\n  ret @3\n}}\n")
    })
}

/// All walks of at most so many blocks, as an activation records them.
fn walks(func: &Function, most: usize) -> Vec<Vec<Move>> {
    let mut all = Vec::new();
    let mut open = vec![(BlockId(0), vec![Move::Block(BlockId(0))])];
    while let Some((at, moves)) = open.pop() {
        let blocks = moves.iter().filter(|m| matches!(m, Move::Block(_))).count();
        let successors = func.successors(at);
        if blocks < most {
            for (position, to) in successors.iter().enumerate() {
                let mut moves = moves.clone();
                if successors.len() > 1 {
                    let index = func.blocks[at].end - 1;
                    moves.push(Move::Take { index, successor: position as u32 });
                }
                moves.push(Move::Block(*to));
                open.push((*to, moves));
            }
        }
        all.push(moves);
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The diagram has the outcome of the expression, whatever the values.
    #[test]
    fn decisions_are_recovered_from_short_circuit_code(expr in expression()) {
        let decision = decision(&function(&code_of(&expr)));
        let n = leaves(&expr);
        prop_assert_eq!(decision.conditions.len(), n);
        for bits in 0..1_u32 << n {
            // A condition is true where it helps the outcome, whichever way the branch is written.
            let literal: Vec<bool> = (0..n).map(|i| bits >> i & 1 == 1).collect();
            let code: Vec<bool> = literal
                .iter()
                .zip(&decision.conditions)
                .map(|(truth, c)| (c.positions[1] == 0) == *truth)
                .collect();
            prop_assert_eq!(decision.outcome(&literal), holds(&expr, &code, &mut 0));
        }
    }

    #[test]
    fn mcdc_subsumes_condition_and_decision(expr in expression(), picks in any::<u64>()) {
        let decision = decision(&function(&code_of(&expr)));
        let (rows, _) = decision.rows(64);
        let some: Vec<Row> = rows.iter().enumerate().filter(|(i, _)| picks >> i & 1 == 1).map(|(_, r)| r.clone()).collect();
        for rows in [&rows, &some] {
            let met = |variant| shows(&decision, rows, variant);
            prop_assert!(!met(Variant::UniqueCause) || met(Variant::Masking));
            prop_assert!(!met(Variant::Masking) || met(Variant::General));
            prop_assert!(!met(Variant::Masking) || conditions_and_decisions(&decision, rows));
        }
        // All rows show everything: each condition occurs once.
        prop_assert!(shows(&decision, &rows, Variant::UniqueCause));
    }

    /// Of each pair some walk carries the value; what walks carry otherwise stays within a block.
    #[test]
    fn definitions_and_uses_are_those_of_brute_force(text in random_function()) {
        let func = function(&text);
        let projection = Projection::new(&func, &Ids);
        let flow = Flow::new(&projection);
        let data = DataFlow::new(&projection, &flow);
        let mut carried = BTreeSet::new();
        for walk in walks(&func, 8) {
            carried.extend(data.exercised(&func, &flow, &walk));
        }
        for pair in &data.pairs {
            prop_assert!(carried.contains(pair), "{:?} to {:?}", data.defs[pair.def as usize], data.uses[pair.use_ as usize]);
        }
        for pair in carried.iter().filter(|p| !data.pairs.contains(p)) {
            let (def, use_) = (data.defs[pair.def as usize], data.uses[pair.use_ as usize]);
            let local = def.block == use_.block && def.index.is_none_or(|i| i < use_.index);
            // A way into a loop without any code of the source is no edge.
            let nowhere = data.places(&flow, *pair).is_none_or(|(_, _, edges)| edges.is_empty());
            prop_assert!(nowhere && (local || use_.decides.is_some()), "{def:?} to {use_:?}");
        }
    }

    /// Whatever walks satisfy the stronger criterion satisfy the weaker one.
    #[test]
    fn data_flow_criteria_subsume_each_other(text in random_function(), picks in any::<u64>()) {
        let func = function(&text);
        let projection = Projection::new(&func, &Ids);
        let all = walks(&func, 6);
        let some: Vec<Vec<Move>> = all.iter().enumerate().filter(|(i, _)| picks >> (i % 64) & 1 == 1).map(|(_, w)| w.clone()).collect();
        let met = |criterion: Criterion, walks: &[Vec<Move>]| {
            let flow = Flow::new(&projection);
            let owed = criterion.owed(&projection, &flow, &Options::default());
            let parts: Vec<Demand> = owed.obligations.into_iter().map(|o| o.demand).filter(|d| *d != Demand::Points).collect();
            let count = parts.len();
            let meter = Meter::new(&projection, flow, parts);
            let met: BTreeSet<u32> = walks.iter().flat_map(|w| meter.met(&func, w)).collect();
            met.len() == count
        };
        use Criterion::*;
        for walks in [&all, &some] {
            for (strong, weak) in [
                (AllDuPaths, AllUses), (AllUses, AllDefs), (AllUses, AllCUses), (AllUses, AllPUses),
                (AllUses, AllCUsesSomePUses), (AllUses, AllPUsesSomeCUses), (AllCUsesSomePUses, AllDefs),
                (AllPUsesSomeCUses, AllDefs), (AllCUsesSomePUses, AllCUses), (AllPUsesSomeCUses, AllPUses),
                (PrimePath, EdgePair), (CompleteRoundTrip, RoundTrip),
            ] {
                // In the projection, where blocks without code of the source are gone.
                let graph = &Flow::new(&projection).graph;
                let has_self_edge = graph.edges().any(|e| graph.from(e) == graph.to(e));
                if (strong, weak) == (PrimePath, EdgePair) && has_self_edge {
                    continue;
                }
                prop_assert!(!met(strong, walks) || met(weak, walks), "{strong} but not {weak}\n{text}");
            }
        }
    }
}
