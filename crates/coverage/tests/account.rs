//! From executions to verdicts.

use coverage::{Account, Counts, Criterion, EdgeMap, EdgeSet, ExecId, ObligationId, Projection, Verdict};
use ir::text::parse_module;
use ir::{BlockId, Function, Ids};

const CLAMP: &str = "func @clamp(%0: i32 \"x\", %1: i32 \"lo\", %2: ref \"log\") -> i32 {
b0:
  %3 = slt.i32 %0, %1 @3
  br %3, b1, b2 !source 0.0
b1:
  guard.nonnull %2 @4
  %4: i32 = call @note(%2) @5
  ret.val %1 @6
b2:
  ret.val %0 @8
}
";

fn clamp() -> Function {
    parse_module(CLAMP).unwrap().module.function("clamp").unwrap().clone()
}

fn account(func: &Function, criterion: Criterion) -> Account {
    Account::new(func, criterion.obligations(&Projection::new(func, &Ids)))
}

/// The points of an execution: blocks entered, branches taken, instructions that raised.
fn points(func: &Function, blocks: &[u32], taken: &[(u32, u32)], raised: &[u32]) -> EdgeSet {
    let blocks = blocks.iter().map(|b| BlockId(*b));
    EdgeMap::new(func).points(func, blocks, taken.iter().copied(), raised.iter().copied())
}

#[test]
fn the_first_execution_that_covers_is_named() {
    let func = clamp();
    let mut account = account(&func, Criterion::Branch);
    let texts: Vec<&str> = account.obligations().iter().map(|o| o.text.as_str()).collect();
    assert_eq!(texts, ["line 3: x < lo", "line 3: x >= lo"]);
    let low = points(&func, &[0, 1], &[(1, 0)], &[]);
    let high = points(&func, &[0, 2], &[(1, 1)], &[]);
    assert_eq!(account.record(&func, ExecId(7), &low), [ObligationId(0)]);
    assert_eq!(account.record(&func, ExecId(8), &low), []);
    assert_eq!(account.unmet().map(|o| o.id).collect::<Vec<_>>(), [ObligationId(1)]);
    assert_eq!(account.record(&func, ExecId(9), &high), [ObligationId(1)]);
    let verdicts: Vec<&Verdict> = account.iter().map(|(_, v)| v).collect();
    assert_eq!(verdicts, [&Verdict::Covered { by: ExecId(7) }, &Verdict::Covered { by: ExecId(9) }]);
    assert!(account.counts().is_complete());
}

#[test]
fn a_line_behind_what_raised_is_not_covered() {
    let func = clamp();
    let mut account = account(&func, Criterion::Line);
    let lines: Vec<u32> = account.obligations().iter().map(|o| o.line).collect();
    assert_eq!(lines, [3, 4, 5, 6, 8]);
    let covered = |account: &mut Account, set: &EdgeSet| -> Vec<u32> {
        account.record(&func, ExecId(0), set).iter().map(|id| lines[id.0 as usize]).collect()
    };
    assert_eq!(covered(&mut account, &points(&func, &[0, 1], &[(1, 0)], &[2])), [3, 4]);
    assert_eq!(covered(&mut account, &points(&func, &[0, 1], &[(1, 0)], &[3])), [5]);
    assert_eq!(covered(&mut account, &points(&func, &[0, 1], &[(1, 0)], &[])), [6]);
    assert_eq!(account.counts(), Counts { covered: 4, infeasible: 0, open: 1 });
}

#[test]
fn a_verdict_that_is_contradicted_is_kept_as_a_bug_of_ours() {
    let func = clamp();
    let mut account = account(&func, Criterion::Branch);
    account.open(ObligationId(0), "budget spent");
    assert_eq!(account.get(ObligationId(0)).unwrap().1, &Verdict::Open { reason: "budget spent".into() });
    account.infeasible(ObligationId(0), "unsat");
    account.open(ObligationId(0), "ignored");
    assert_eq!(account.counts(), Counts { covered: 0, infeasible: 1, open: 1 });
    account.record(&func, ExecId(1), &points(&func, &[0, 1], &[(1, 0)], &[]));
    assert_eq!(account.get(ObligationId(0)).unwrap().1, &Verdict::Covered { by: ExecId(1) });
    assert_eq!(account.contradictions(), [(ObligationId(0), "unsat".to_string())]);
    account.infeasible(ObligationId(0), "again");
    assert_eq!(account.contradictions().len(), 2);
    assert_eq!(account.counts(), Counts { covered: 1, infeasible: 0, open: 1 });
}

#[test]
fn criteria_have_the_names_of_the_command_line() {
    for criterion in Criterion::ALL {
        assert_eq!(Criterion::from_name(criterion.name()), Some(*criterion));
    }
    assert_eq!(Criterion::from_name("Branch"), None);
}
