//! Truth values that are put on the stack only to be tested next: `x in 1..9` in Kotlin becomes 1 or 0, on which an `if`
//! jumps. What puts a constant there goes on directly where that leads, so that the conditions of the source decide.

use entity::EntityId;
use ir::op::Operand;
use ir::{Inst, Op, Reg};
use rustc_hash::FxHashMap;

use super::draft::{Draft, Line};

/// A block that does nothing but look whether a temporary is zero.
#[derive(Clone, Copy)]
struct Test {
    tested: Reg,
    /// Where it leads if it is, and if it is not.
    ways: [u32; 2],
}

/// Lets jumps to a test of a constant go where the test leads. The constant is not made any more: nothing else reads it.
pub(super) fn thread(draft: &mut Draft, is_local: &[bool]) {
    let uses = Uses::new(draft);
    let test = |block: usize| uses.test(draft, block, is_local);
    let mut tests: Vec<Option<Test>> = (0..draft.blocks.len()).map(test).collect();
    if tests.iter().all(Option::is_none) {
        return;
    }
    let mut asked: FxHashMap<Reg, u32> = FxHashMap::default();
    tests.iter().flatten().for_each(|test| *asked.entry(test.tested).or_default() += 1);
    for test in &mut tests {
        *test = test.filter(|test| uses.reads(test.tested) == asked[&test.tested]);
    }
    for index in 0..draft.blocks.len() {
        let Some((set, to)) = shortcut(draft, index, &tests, &uses) else { continue };
        let code = &mut draft.blocks[index].code;
        if let Some(Line { inst, .. }) = code.last_mut() {
            inst.a = to;
        }
        code.remove(set);
    }
}

/// The line of a block that sets what is tested next, and where that leads.
fn shortcut(draft: &Draft, index: usize, tests: &[Option<Test>], uses: &Uses) -> Option<(usize, u32)> {
    let code = &draft.blocks[index].code;
    let mut to = jump(code)?;
    // Over blocks that only jump.
    for _ in 0..draft.blocks.len() {
        match &draft.blocks[to as usize].code[..] {
            [only] if only.inst.op == Op::Jump => to = only.inst.a,
            _ => break,
        }
    }
    let Test { tested, ways } = (*tests.get(to as usize)?)?;
    let set = code.iter().rposition(|line| line.inst.dst == tested)?;
    let value = uses.constant(draft, &code[set].inst)?;
    Some((set, if value == 0 { ways[0] } else { ways[1] }))
}

fn jump(code: &[Line]) -> Option<u32> {
    code.last().filter(|line| line.inst.op == Op::Jump).map(|line| line.inst.a)
}

/// How often registers are read, and where they are set.
struct Uses {
    reads: Vec<u32>,
    /// Block and line; none if there are several.
    sets: Vec<Option<(usize, usize)>>,
}

impl Uses {
    fn new(draft: &Draft) -> Uses {
        let count = draft.regs.len();
        let mut uses = Uses { reads: vec![0; count], sets: vec![None; count] };
        let mut several = vec![false; count];
        for (b, block) in draft.blocks.iter().enumerate() {
            for (i, Line { inst, .. }) in block.code.iter().enumerate() {
                let mut word = 0;
                for kind in inst.op.operands() {
                    let operand = [inst.a, inst.b, inst.c].get(word).copied();
                    if let (Some(reg), true) =
                        (operand, matches!(kind, Operand::Reg(_) | Operand::Any | Operand::Same))
                    {
                        uses.reads[reg as usize] += 1;
                    }
                    word += kind.words();
                }
                if !inst.dst.is_none() {
                    let at = inst.dst.index();
                    several[at] |= uses.sets[at].replace((b, i)).is_some();
                }
            }
        }
        draft.lists.iter().flatten().for_each(|reg| uses.reads[reg.index()] += 1);
        uses.sets.iter_mut().zip(several).filter(|(_, several)| *several).for_each(|(set, _)| *set = None);
        uses
    }

    fn reads(&self, reg: Reg) -> u32 {
        self.reads[reg.index()]
    }

    /// The constant that an instruction gives, also as a copy.
    fn constant(&self, draft: &Draft, inst: &Inst) -> Option<u32> {
        match inst.op {
            Op::ConstI32 => Some(inst.a),
            Op::Copy => {
                let (block, line) = self.sets[Reg(inst.a).index()]?;
                // Lines that were taken out may have moved it: then it is not known.
                let from = draft.blocks[block].code.get(line)?.inst;
                (from.op == Op::ConstI32 && from.dst == Reg(inst.a)).then_some(from.a)
            }
            _ => None,
        }
    }

    fn test(&self, draft: &Draft, block: usize, is_local: &[bool]) -> Option<Test> {
        let (br, before) = draft.blocks[block].code.split_last()?;
        let (compare, loads) = before.split_last()?;
        let (br, compare) = (br.inst, compare.inst);
        let is_test = br.op == Op::Br
            && matches!(compare.op, Op::EqI32 | Op::NeI32)
            && br.a == compare.dst.0
            && self.reads(compare.dst) == 1
            // What it loads is for itself alone.
            && loads.iter().all(|line| line.inst.op == Op::ConstI32 && self.reads(line.inst.dst) == 1);
        if !is_test {
            return None;
        }
        let (a, b) = (Reg(compare.a), Reg(compare.b));
        let is_zero = |reg: Reg| {
            let set = self.sets[reg.index()].map(|(block, line)| draft.blocks[block].code[line].inst);
            set.is_some_and(|set| set.op == Op::ConstI32 && set.a == 0)
        };
        let tested = if is_zero(b) { a } else { b };
        let local = tested.0 < draft.params || is_local.get(tested.index()).copied().unwrap_or(false);
        let ways = if compare.op == Op::EqI32 { [br.b, br.c] } else { [br.c, br.b] };
        (is_zero(a) != is_zero(b) && !local).then_some(Test { tested, ways })
    }
}
