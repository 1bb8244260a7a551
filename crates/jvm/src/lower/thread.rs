//! Truth values that are put on the stack only to be tested next: `x in 1..9` in Kotlin becomes 1 or 0, on which an `if`
//! jumps. What puts a constant there goes on directly where that leads, so that the conditions of the source decide.

use entity::EntityId;
use ir::{BlockId, Function, Inst, Op, Reg};

/// Lets jumps to a test of a constant go where the test leads.
pub(super) fn thread(function: &mut Function) {
    let tests: Vec<Option<Test>> = function.blocks.keys().map(|block| test(function, block)).collect();
    for block in function.blocks.keys() {
        let Some(index) = function.blocks[block].end.checked_sub(1) else { continue };
        let jump = function.code[index as usize];
        if jump.op != Op::Jump {
            continue;
        }
        let Some(Some(test)) = tests.get(jump.a as usize) else { continue };
        let own = function.blocks[block].start..index;
        let last = own.rev().map(|i| &function.code[i as usize]).find(|inst| inst.dst == test.tested);
        if let Some(Inst { op: Op::ConstI32, a, .. }) = last {
            let to = if (*a == 0) == test.zero_first { test.ways[0] } else { test.ways[1] };
            function.code[index as usize].a = to.0;
        }
    }
}

/// A block that does nothing but look whether a temporary is zero.
struct Test {
    tested: Reg,
    ways: [BlockId; 2],
    /// Whether the first way is taken if it is.
    zero_first: bool,
}

fn test(function: &Function, block: BlockId) -> Option<Test> {
    let range = function.blocks[block];
    let (br, before) = function.code[range.start as usize..range.end as usize].split_last()?;
    let (compare, loads) = before.split_last()?;
    let is_test = br.op == Op::Br
        && matches!(compare.op, Op::EqI32 | Op::NeI32)
        && br.a == compare.dst.0
        && loads.iter().all(|inst| inst.op == Op::ConstI32 && is_temporary(function, inst.dst));
    let (a, b) = (Reg(compare.a), Reg(compare.b));
    let is_zero = |inst: &Inst| inst.op == Op::ConstI32 && inst.a == 0;
    // Loaded here, or once for all where a loop is around.
    let zero = |reg: Reg| match loads.iter().rev().find(|inst| inst.dst == reg) {
        Some(load) => is_zero(load),
        None => {
            let mut all = function.code.iter().filter(|inst| inst.dst == reg);
            all.next().is_some_and(is_zero) && all.next().is_none()
        }
    };
    let tested = if zero(b) { a } else { b };
    let loaded = loads.iter().any(|inst| inst.dst == tested);
    (is_test && zero(a) != zero(b) && !loaded && is_temporary(function, tested)).then(|| Test {
        tested,
        ways: [BlockId(br.b), BlockId(br.c)],
        zero_first: compare.op == Op::EqI32,
    })
}

/// Not a variable of the source. Where the test does not come, what the stack held is gone all the same.
fn is_temporary(function: &Function, reg: Reg) -> bool {
    reg.index() >= function.params as usize
        && function.regs.get(reg).is_some_and(|info| info.variable.is_none())
}
