//! When a branch goes which way, in words of the source, as far as the code near the branch tells.
//!
//! Texts say what holds on the way taken (`x > 0`), not how the compiler turned the comparison round.

use ir::{
    BlockId, Cfg, ClassId, Dominators, Edges, FuncId, Function, Inst, Loops, Meaning, Names, Op, Reg, StrId,
    Type,
};
use std::collections::{BTreeMap, BTreeSet};

/// A text longer than this explains nothing.
const LONGEST: usize = 80;
/// What stands for what the code does not tell in a few words.
const LEFT_OUT: &str = "…";
/// How many values of a switch are listed.
const MOST_CASES: usize = 8;

/// When the branch at a code index takes one of the successors at these positions.
pub fn branch_text(func: &Function, names: &dyn Names, index: u32, positions: &[u32]) -> String {
    let d = Describer { func, names, leaves_out: false };
    let inst = func.code[index as usize];
    if inst.op == Op::Switch {
        return d.switch(&inst, index, positions);
    }
    let truth = positions.first() == Some(&0);
    condition_text(func, names, index, truth).unwrap_or_else(|| {
        if let Some(stays) = stays_in_loop(func, index, positions) {
            return if stays { "the loop goes on" } else { "the loop ends" }.to_string();
        }
        if let Some(text) = shortened(func, names, index, truth) {
            return text;
        }
        let info = func.branch_info(index);
        let same = |other: &&(u32, ir::BranchInfo)| {
            let (decision, origin) = (other.1.decision, other.1.origin);
            origin == ir::Origin::Source && info.is_some_and(|i| i.decision == decision)
        };
        match (func.branches.iter().filter(same).count(), info) {
            (count @ 2.., Some(info)) => format!("condition {} of {count} is {truth}", info.condition + 1),
            _ => format!("the condition is {truth}"),
        }
    })
}

/// A condition of which a part is left out: `f(…) > 3`.
fn shortened(func: &Function, names: &dyn Names, index: u32, truth: bool) -> Option<String> {
    let d = Describer { func, names, leaves_out: true };
    let told = |depth: u32| d.condition(Reg(func.code[index as usize].a), index, truth, depth);
    let says = |text: &String| text.len() <= LONGEST && text.contains(char::is_alphabetic);
    (1..=6).rev().filter_map(told).find(says)
}

/// Whether these ways of a branch stay in its loop, if the others leave it.
fn stays_in_loop(func: &Function, index: u32, positions: &[u32]) -> Option<bool> {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &Dominators::new(&cfg, Edges::Normal), Edges::Normal);
    let block = func.block_at(index);
    let around = loops.get(loops.innermost(block)?);
    let inside = |b: &BlockId| around.blocks.contains(b);
    let successors = func.successors(block);
    let own: Vec<bool> = positions.iter().filter_map(|p| successors.get(*p as usize)).map(inside).collect();
    let stays = *own.first()?;
    let others = (0..successors.len() as u32).filter(|p| !positions.contains(p));
    let apart = others.filter_map(|p| successors.get(p as usize)).all(|b| inside(b) != stays);
    (apart && own.iter().all(|one| *one == stays)).then_some(stays)
}

/// What holds when the condition of the `br` at a code index is true, or is not; `None` if the code does not tell
/// it in a few words.
pub fn condition_text(func: &Function, names: &dyn Names, index: u32, truth: bool) -> Option<String> {
    let d = Describer { func, names, leaves_out: false };
    d.condition(Reg(func.code[index as usize].a), index, truth, 6).filter(|text| text.len() <= LONGEST)
}

/// What the `note` at a code index looks at: `x == 9`. None if the operands are truth values.
pub(crate) fn boundary_text(func: &Function, names: &dyn Names, index: u32) -> Option<String> {
    Describer { func, names, leaves_out: false }.boundary(index)
}

/// Calls that Java compilers add where a value is wanted of an object.
pub const UNBOXING: [&str; 8] = [
    "java/lang/Boolean.booleanValue()Z",
    "java/lang/Byte.byteValue()B",
    "java/lang/Short.shortValue()S",
    "java/lang/Character.charValue()C",
    "java/lang/Integer.intValue()I",
    "java/lang/Long.longValue()J",
    "java/lang/Float.floatValue()F",
    "java/lang/Double.doubleValue()D",
];

#[derive(Clone, Copy, PartialEq)]
enum Rel {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Rel {
    fn negated(self) -> Rel {
        match self {
            Rel::Eq => Rel::Ne,
            Rel::Ne => Rel::Eq,
            Rel::Lt => Rel::Ge,
            Rel::Le => Rel::Gt,
            Rel::Gt => Rel::Le,
            Rel::Ge => Rel::Lt,
        }
    }

    fn mirrored(self) -> Rel {
        match self {
            Rel::Eq | Rel::Ne => self,
            Rel::Lt => Rel::Gt,
            Rel::Le => Rel::Ge,
            Rel::Gt => Rel::Lt,
            Rel::Ge => Rel::Le,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Rel::Eq => "==",
            Rel::Ne => "!=",
            Rel::Lt => "<",
            Rel::Le => "<=",
            Rel::Gt => ">",
            Rel::Ge => ">=",
        }
    }

    /// Whether it holds of an ordering given as -1, 0 or 1.
    fn holds(self, sign: i32) -> bool {
        match self {
            Rel::Eq => sign == 0,
            Rel::Ne => sign != 0,
            Rel::Lt => sign < 0,
            Rel::Le => sign <= 0,
            Rel::Gt => sign > 0,
            Rel::Ge => sign >= 0,
        }
    }
}

struct Describer<'f> {
    func: &'f Function,
    names: &'f dyn Names,
    /// What is not told is left out, and the rest told.
    leaves_out: bool,
}

impl Describer<'_> {
    /// What last wrote a register before an instruction, in the same block; or, of what never changes, the only
    /// instruction that writes it.
    fn definition(&self, reg: Reg, before: u32) -> Option<(u32, Inst)> {
        let start = self.func.blocks[self.func.block_at(before)].start;
        let code = &self.func.code;
        let wrote = |i: &u32| code[*i as usize].dst == reg;
        let found = (start..before).rev().find(wrote).or_else(|| {
            let only = self.arriving(reg, before)?;
            let plain = |i: &u32| is_constant(code[*i as usize].op) || self.copies_what_stays(*i);
            let told = |i: &u32| plain(i) || self.computes_from_what_stays(*i, 4) || self.is_kept(*i, before);
            Some(only).filter(told)
        });
        found.map(|i| (i, code[i as usize]))
    }

    /// The only instruction whose value of a register arrives at the beginning of an instruction's block.
    fn arriving(&self, reg: Reg, at: u32) -> Option<u32> {
        let wrote = |i: &u32| self.func.code[*i as usize].dst == reg;
        let mut all = (0..self.func.code.len() as u32).filter(wrote);
        let first = all.next()?;
        if all.next().is_none() {
            return (reg.0 >= self.func.params).then_some(first);
        }
        let cfg = Cfg::new(self.func);
        let mut found = None;
        let mut seen = BTreeSet::new();
        let mut open: Vec<BlockId> = vec![self.func.block_at(at)];
        while let Some(block) = open.pop() {
            // Nothing wrote it on some way from the entry.
            if block == BlockId(0) {
                return None;
            }
            for pred in cfg.preds(block, Edges::All).filter(|pred| seen.insert(*pred)) {
                let range = self.func.blocks[pred];
                match ((range.start..range.end).rev().find(wrote), found) {
                    (None, _) => open.push(pred),
                    (Some(one), None) => found = Some(one),
                    (Some(one), Some(other)) if one != other => return None,
                    _ => {}
                }
            }
        }
        found
    }

    /// Whether what an instruction computes is no variable of the source, and is only kept while the rest of the expression is evaluated
    /// (`x in 1..n()` keeps `x`). What a loop keeps was computed by a statement before it.
    fn is_kept(&self, index: u32, before: u32) -> bool {
        let inst = self.func.code[index as usize];
        if self.func.regs[inst.dst].variable.is_some() || inst.op == Op::Catch {
            return false;
        }
        let cfg = Cfg::new(self.func);
        let loops = Loops::new(&cfg, &Dominators::new(&cfg, Edges::Normal), Edges::Normal);
        let around = |index: u32| loops.innermost(self.func.block_at(index));
        around(index) == around(before)
    }

    /// Whether an instruction copies a parameter that is never assigned: compilers keep what is switched on so.
    fn copies_what_stays(&self, index: u32) -> bool {
        let inst = self.func.code[index as usize];
        let stays = |reg: Reg| reg.0 < self.func.params && self.func.code.iter().all(|i| i.dst != reg);
        inst.op == Op::Copy && stays(Reg(inst.a))
    }

    /// Whether an instruction computes the same wherever it stands: from parameters that are never assigned and constants.
    /// What the source wrote once, compilers may keep.
    fn computes_from_what_stays(&self, index: u32, depth: u32) -> bool {
        let inst = self.func.code[index as usize];
        let Some(depth) = depth.checked_sub(1).filter(|_| self.func.regs[inst.dst].variable.is_none()) else {
            return false;
        };
        let start = self.func.blocks[self.func.block_at(index)].start;
        let stays = |reg: Reg| {
            let mut writers = self.func.code.iter().filter(|i| i.dst == reg);
            match writers.next() {
                None => reg.0 < self.func.params,
                Some(_) if writers.next().is_some() || self.func.regs[reg].variable.is_some() => false,
                Some(_) => (start..index).any(|i| {
                    let inst = self.func.code[i as usize];
                    inst.dst == reg && (is_constant(inst.op) || self.computes_from_what_stays(i, depth))
                }),
            }
        };
        // What is in a box stays too.
        let unboxes = || {
            let member = self.names.member(self.func, index);
            member.is_some_and(|m| m.owner.is_none() && m.takes.is_empty() && m.name.ends_with("Value"))
        };
        let is_plain = match inst.op {
            Op::Call | Op::CallVirt => unboxes(),
            op => op.effect() == ir::op::Effect::Pure,
        };
        is_plain && inst.reads(self.func).all(stays)
    }

    /// The definition behind copies to registers that hold no variable.
    fn origin(&self, reg: Reg, before: u32) -> Option<(u32, Inst)> {
        let (mut at, mut inst) = self.definition(reg, before)?;
        while inst.op == Op::Copy && self.func.regs[Reg(inst.a)].variable.is_none() {
            match self.definition(Reg(inst.a), at) {
                Some(found) => (at, inst) = found,
                None => break,
            }
        }
        Some((at, inst))
    }

    fn literal(&self, reg: Reg, before: u32) -> Option<i64> {
        if self.func.regs[reg].variable.is_some() {
            return None;
        }
        let (_, inst) = self.origin(reg, before)?;
        match inst.op {
            Op::ConstI1 | Op::ConstI32 => Some((inst.a as i32).into()),
            Op::ConstI64 => Some((u64::from(inst.a) | u64::from(inst.b) << 32) as i64),
            _ => None,
        }
    }

    fn is_literal(&self, reg: Reg, before: u32) -> bool {
        let constant = || self.origin(reg, before).is_some_and(|(_, inst)| is_constant(inst.op));
        self.func.regs[reg].variable.is_none() && constant()
    }

    fn condition(&self, reg: Reg, before: u32, truth: bool, depth: u32) -> Option<String> {
        let negation = if truth { "" } else { "!" };
        if let Some(variable) = &self.func.regs[reg].variable {
            return Some(format!("{negation}{variable}"));
        }
        let depth = depth.checked_sub(1)?;
        let (at, inst) = self.origin(reg, before)?;
        let (a, b) = (Reg(inst.a), Reg(inst.b));
        let rel = |rel: Rel| if truth { rel } else { rel.negated() };
        match inst.op {
            Op::EqI32 | Op::EqI64 => self.integers(a, rel(Rel::Eq), b, at, depth),
            Op::NeI32 | Op::NeI64 => self.integers(a, rel(Rel::Ne), b, at, depth),
            Op::SltI32 | Op::SltI64 => self.integers(a, rel(Rel::Lt), b, at, depth),
            Op::SleI32 | Op::SleI64 => self.integers(a, rel(Rel::Le), b, at, depth),
            Op::UltI32 | Op::UltI64 => {
                Some(format!("{} (unsigned)", self.compared(a, rel(Rel::Lt), b, at, depth)?))
            }
            Op::UleI32 | Op::UleI64 => {
                Some(format!("{} (unsigned)", self.compared(a, rel(Rel::Le), b, at, depth)?))
            }
            // That two floats are not equal is the same as `!=`, NaN or not; of an order it is not.
            Op::EqF32 | Op::EqF64 | Op::EqRef => self.compared(a, rel(Rel::Eq), b, at, depth),
            Op::LtF32 | Op::LtF64 => self.floats(a, Rel::Lt, b, at, truth, depth),
            Op::LeF32 | Op::LeF64 => self.floats(a, Rel::Le, b, at, truth, depth),
            Op::IsNull => Some(format!("{} {} null", self.value(a, at, depth)?, rel(Rel::Eq).text())),
            Op::NotI1 => self.condition(a, at, !truth, depth),
            Op::AndI1 | Op::OrI1 => {
                let (left, right) =
                    (self.condition(a, at, truth, depth)?, self.condition(b, at, truth, depth)?);
                // De Morgan.
                let joined = if (inst.op == Op::AndI1) == truth { "&&" } else { "||" };
                Some(format!("({left}) {joined} ({right})"))
            }
            Op::InstanceOf => {
                let class = short_class(&self.names.class(ClassId(inst.b)));
                let text = format!("{} instanceof {class}", self.value(a, at, depth)?);
                Some(if truth { text } else { format!("!({text})") })
            }
            _ => Some(format!("{negation}{}", self.value(reg, before, depth)?)),
        }
    }

    /// An integer comparison; what a language without truth values or three-way jumps encodes in integers is
    /// shown decoded.
    fn integers(&self, a: Reg, rel: Rel, b: Reg, at: u32, depth: u32) -> Option<String> {
        if self.literal(a, at).is_some() && self.literal(b, at).is_none() {
            return self.integers(b, rel.mirrored(), a, at, depth);
        }
        let zero = self.literal(b, at) == Some(0);
        let one = self.literal(b, at) == Some(1);
        let inner = self.origin(a, at).filter(|_| self.func.regs[a].variable.is_none());
        if let Some((inner_at, inner)) = inner {
            let (x, y) = (Reg(inner.a), Reg(inner.b));
            match inner.op {
                Op::I1ToI32 if (zero || one) && matches!(rel, Rel::Eq | Rel::Ne) => {
                    return self.condition(x, inner_at, (rel == Rel::Eq) == one, depth);
                }
                Op::CmpI64 if zero => return self.compared(x, rel, y, inner_at, depth),
                Op::CmplF32 | Op::CmplF64 | Op::CmpgF32 | Op::CmpgF64 if zero => {
                    let on_nan = if matches!(inner.op, Op::CmplF32 | Op::CmplF64) { -1 } else { 1 };
                    let unordered = rel.holds(on_nan) && rel != Rel::Ne;
                    let shown = if unordered { rel.negated() } else { rel };
                    return self.floats(x, shown, y, inner_at, !unordered, depth);
                }
                _ => {}
            }
        }
        if (zero || one) && matches!(rel, Rel::Eq | Rel::Ne) && self.meaning(a, at) == Meaning::Truth {
            if let Some((at, [x, y])) = inner.and_then(|(at, inst)| Some((at, self.equality(at, &inst)?))) {
                let rel = if (rel == Rel::Eq) == one { Rel::Eq } else { Rel::Ne };
                return self.compared(x, rel, y, at, depth);
            }
            let negation = if (rel == Rel::Eq) == one { "" } else { "!" };
            let value = self.value(a, at, depth)?;
            return Some(if negation.is_empty() { value } else { format!("!{}", wrapped(value)) });
        }
        self.compared(a, rel, b, at, depth)
    }

    /// What a call compares that the source spells `==`.
    fn equality(&self, at: u32, inst: &Inst) -> Option<[Reg; 2]> {
        let is_call = matches!(inst.op, Op::Call | Op::CallVirt | Op::CallIface);
        let list = self.func.list(is_call.then_some(inst.b)?);
        let member = self.names.member(self.func, at)?;
        <[Reg; 2]>::try_from(list).ok().filter(|_| member.name == ir::EQUALITY)
    }

    /// See [`ir::note_boundaries`]: `a == b`, or `a == b - 1` or `a == b + 1` and that it does not wrap.
    fn boundary(&self, index: u32) -> Option<String> {
        let (mut at, mut equal) = self.definition(Reg(self.func.code[index as usize].a), index)?;
        let beside = equal.op == Op::AndI1;
        if beside {
            (at, equal) = self.definition(Reg(equal.a), at)?;
        }
        let (a, b) = (Reg(equal.a), Reg(equal.b));
        if [a, b].iter().any(|reg| self.meaning(*reg, at) == Meaning::Truth) {
            return None;
        }
        if !beside {
            let in_range = |reg: Reg, literal: Option<i64>| {
                literal.is_none_or(|value| self.range(reg, self.meaning(reg, at)).contains(&value))
            };
            let possible = in_range(a, self.literal(b, at)) && in_range(b, self.literal(a, at));
            return self.compared(a, Rel::Eq, b, at, 5).filter(|_| possible);
        }
        let (at, sum) = self.definition(b, at)?;
        let (base, step) = (Reg(sum.a), if matches!(sum.op, Op::AddI32 | Op::AddI64) { 1 } else { -1 });
        // Nothing is beside the first and the last value of a type.
        let shown = |reg: Reg, value: Option<i64>| {
            let meaning = self.meaning(reg, at);
            let value = value.filter(|value| self.range(reg, meaning).contains(value))?;
            match meaning {
                Meaning::Char => {
                    let unit = char::from_u32(u32::try_from(value).ok()?);
                    Some(unit.map_or_else(|| value.to_string(), |unit| format!("{unit:?}")))
                }
                _ => Some(value.to_string()),
            }
        };
        match (self.literal(a, at), self.literal(base, at)) {
            (None, Some(base)) => {
                Some(format!("{} == {}", self.side(a, at, 5)?, shown(a, base.checked_add(step))?))
            }
            // A literal stands on the right, as people write it.
            (Some(literal), None) => {
                Some(format!("{} == {}", self.side(base, at, 5)?, shown(base, literal.checked_sub(step))?))
            }
            _ => {
                let sign = if step > 0 { "+" } else { "-" };
                Some(format!("{} == {} {sign} 1", self.side(a, at, 5)?, self.side(base, at, 5)?))
            }
        }
    }

    /// The values that a register can hold.
    fn range(&self, reg: Reg, meaning: Meaning) -> std::ops::RangeInclusive<i64> {
        match (meaning, self.func.regs[reg].ty) {
            (Meaning::Byte, _) => i8::MIN.into()..=i8::MAX.into(),
            (Meaning::Short, _) => i16::MIN.into()..=i16::MAX.into(),
            (Meaning::Char, _) => 0..=u16::MAX.into(),
            (_, Type::I64) => i64::MIN..=i64::MAX,
            _ => i32::MIN.into()..=i32::MAX.into(),
        }
    }

    fn floats(&self, a: Reg, rel: Rel, b: Reg, at: u32, truth: bool, depth: u32) -> Option<String> {
        let text = self.compared(a, rel, b, at, depth)?;
        Some(if truth { text } else { format!("!({text})") })
    }

    fn compared(&self, a: Reg, rel: Rel, b: Reg, at: u32, depth: u32) -> Option<String> {
        let (left, right) = (self.operand(a, b, at, depth)?, self.operand(b, a, at, depth)?);
        // A literal stands on the right, as people write it; otherwise what they wrote first stands first.
        let turned = match [a, b].map(|reg| self.is_literal(reg, at)) {
            [true, false] => true,
            [false, true] => false,
            _ => self.names.is_turned(self.func, at),
        };
        if turned {
            return Some(format!("{right} {} {left}", rel.mirrored().text()));
        }
        Some(format!("{left} {} {right}", rel.text()))
    }

    /// A side of a comparison: a number that is compared with a character is one.
    fn operand(&self, reg: Reg, other: Reg, at: u32, depth: u32) -> Option<String> {
        match self.literal(reg, at).and_then(|unit| char::from_u32(u32::try_from(unit).ok()?)) {
            Some(unit) if self.meaning(other, at) == Meaning::Char => Some(format!("{unit:?}")),
            _ => self.side(reg, at, depth).map(|text| match text.strip_suffix(" ? 1 : 0)") {
                // A truth value that is compared with another.
                Some(asked) if self.meaning(other, at) == Meaning::Truth => format!("{asked})"),
                _ => text,
            }),
        }
    }

    /// A value beside `==` or `<`: in parentheses where its operator binds less.
    fn side(&self, reg: Reg, at: u32, depth: u32) -> Option<String> {
        self.value(reg, at, depth).map(|text| match operator(&text) {
            Some("&" | "|" | "^") => format!("({text})"),
            _ => text,
        })
    }

    /// What the integer in a register is in the source.
    fn meaning(&self, reg: Reg, before: u32) -> Meaning {
        match self.func.regs[reg].ty {
            ir::Type::Ref => Meaning::Number,
            _ => self.declared(reg, before),
        }
    }

    /// The same; of an array, what its elements are.
    fn declared(&self, reg: Reg, before: u32) -> Meaning {
        if self.func.regs[reg].variable.is_some() {
            return self.names.meaning(self.func, reg);
        }
        match self.origin(reg, before) {
            None if reg.0 < self.func.params => self.names.meaning(self.func, reg),
            Some((_, inst)) if inst.op == Op::Copy => self.names.meaning(self.func, Reg(inst.a)),
            Some((_, inst)) if matches!(inst.op, Op::ALoadU16 | Op::I32ToU16) => Meaning::Char,
            Some((_, inst)) if matches!(inst.op, Op::ALoadI16 | Op::I32ToI16) => Meaning::Short,
            Some((_, inst)) if inst.op == Op::I32ToI8 => Meaning::Byte,
            // `a & b` of truth values is one.
            Some((at, inst)) if matches!(inst.op, Op::AndI32 | Op::OrI32 | Op::XorI32) => {
                match [inst.a, inst.b].iter().all(|reg| self.declared(Reg(*reg), at) == Meaning::Truth) {
                    true => Meaning::Truth,
                    false => Meaning::Number,
                }
            }
            // Arrays of bytes and of truth values are read alike.
            Some((at, inst)) if matches!(inst.op, Op::ALoadI8 | Op::ALoadU8) => {
                self.declared(Reg(inst.a), at)
            }
            Some((at, _)) => self.names.member(self.func, at).map_or(Meaning::Number, |m| m.meaning),
            None => Meaning::Number,
        }
    }

    fn value(&self, reg: Reg, before: u32, depth: u32) -> Option<String> {
        if let Some(variable) = &self.func.regs[reg].variable {
            return Some(variable.clone());
        }
        let left_out = self.leaves_out.then(|| LEFT_OUT.to_string());
        let Some(depth) = depth.checked_sub(1) else { return left_out };
        let told = match self.definition(reg, before) {
            Some((at, inst)) => self.computed(at, &inst, before, depth),
            None if reg.0 < self.func.params => Some(format!("argument {}", reg.0 + 1)),
            None => self.chosen(reg, before, depth),
        };
        told.or(left_out)
    }

    /// The value that an instruction computes.
    fn computed(&self, at: u32, inst: &Inst, before: u32, depth: u32) -> Option<String> {
        let (a, b) = (Reg(inst.a), Reg(inst.b));
        let bits64 = u64::from(inst.a) | u64::from(inst.b) << 32;
        let value = |reg: Reg| self.value(reg, at, depth);
        match inst.op {
            Op::ConstI1 => Some((inst.a != 0).to_string()),
            Op::ConstI32 => Some((inst.a as i32).to_string()),
            Op::ConstI64 => Some((bits64 as i64).to_string()),
            Op::ConstF32 => Some(format!("{:?}", f32::from_bits(inst.a))),
            Op::ConstF64 => Some(format!("{:?}", f64::from_bits(bits64))),
            Op::Null => Some("null".to_string()),
            Op::Str => Some(format!("{:?}", self.names.str(StrId(inst.a)))),
            Op::ClassRef => Some(format!("{}.class", short_class(&self.names.class(ClassId(inst.a))))),
            Op::ArrayLen => Some(format!("{}.length", value(a)?)),
            Op::I1ToI32 => self.condition(a, at, true, depth),
            Op::NegI32 | Op::NegI64 | Op::NegF32 | Op::NegF64 => Some(format!("-{}", wrapped(value(a)?))),
            Op::NewArray => {
                let class = short_class(&self.names.class(ClassId(inst.a)));
                match self.elements(at, inst, before, depth) {
                    Some(elements) => Some(format!("new {class} {{{}}}", elements.join(", "))),
                    None => Some(format!("new {}[{}]", class.strip_suffix("[]")?, value(b)?)),
                }
            }
            Op::Call | Op::CallIface | Op::CallVirt => {
                if let Some([x, y]) = self.equality(at, inst) {
                    return self.compared(x, Rel::Eq, y, at, depth);
                }
                if let Some(boxed) = self.boxed(at, inst) {
                    return value(boxed);
                }
                let list = self.func.list(inst.b);
                let member = self.names.member(self.func, at);
                // Of a plain call only the front end knows whether its first argument is a receiver.
                let has_receiver = match &member {
                    Some(member) => member.owner.is_none(),
                    None => inst.op != Op::Call,
                };
                // What iterates over a collection has no name in the source: `hasNext()` says enough.
                let (receiver, rest) = match list.split_first() {
                    Some((first, rest)) if has_receiver => (value(*first), rest),
                    _ => (member.as_ref().and_then(|m| self.foreign(m.owner.as_deref()?)), list),
                };
                let receiver = receiver.filter(|text| text != "this");
                let rest = member.as_ref().map_or(rest.to_vec(), |m| self.written_arguments(m, rest, at));
                // Where a number is asked for, compilers take it out of its box.
                if inst.op == Op::Call && UNBOXING.contains(&&*self.names.func(FuncId(inst.a))) {
                    return receiver;
                }
                let receiver = receiver.map_or_else(String::new, |text| format!("{}.", wrapped(text)));
                let (name, takes, spreads) = match member {
                    Some(member) => (member.name, member.takes, member.spreads),
                    None => (self.callee(inst)?, Vec::new(), false),
                };
                let meanings = takes.iter().copied().chain(std::iter::repeat(Meaning::Number));
                let arg = |(reg, meaning): (&Reg, Meaning)| match (meaning, self.literal(*reg, at)) {
                    (Meaning::Truth, Some(bit @ (0 | 1))) => Some((bit == 1).to_string()),
                    (Meaning::Char, Some(unit)) => {
                        let unit = u32::try_from(unit).ok().and_then(char::from_u32);
                        unit.map_or_else(|| value(*reg), |unit| Some(format!("{unit:?}")))
                    }
                    _ => value(*reg),
                };
                let last = rest.last().filter(|_| spreads).and_then(|last| self.definition(*last, at));
                let spread = last.filter(|(_, inst)| inst.op == Op::NewArray);
                let spread =
                    spread.and_then(|(made, inst)| self.elements(made, &inst, at, depth.saturating_sub(1)));
                let single = rest.len() - usize::from(spread.is_some());
                let args: Option<Vec<String>> = rest.iter().take(single).zip(meanings).map(arg).collect();
                let args = args?.into_iter().chain(spread.unwrap_or_default()).map(bare);
                Some(format!("{receiver}{name}({})", args.collect::<Vec<_>>().join(", ")))
            }
            Op::New => {
                let class = self.names.class(ClassId(inst.a));
                let makes = |i: &u32| {
                    let call = self.func.code[*i as usize];
                    call.op == Op::Call && self.func.list(call.b).first() == Some(&inst.dst)
                };
                let made = (at + 1..before).find(makes)?;
                let rest = self.func.list(self.func.code[made as usize].b).iter().skip(1);
                let args: Option<Vec<String>> = rest.map(|r| self.value(*r, made, depth)).collect();
                Some(format!("new {}({})", short_class(&class), args?.join(", ")))
            }
            _ => {
                // Families of opcodes that differ only in the type, told by their spelling.
                let family = inst.op.name().split('.').next().unwrap_or("");
                let operator = match family {
                    "add" => "+",
                    "sub" => "-",
                    "mul" => "*",
                    "sdiv" | "udiv" | "div" => "/",
                    "srem" | "urem" | "rem" => "%",
                    "and" => "&",
                    "or" => "|",
                    "xor" => "^",
                    "shl" => "<<",
                    "ashr" => ">>",
                    "lshr" => ">>>",
                    "copy" | "i32" | "u32" | "i64" | "f32" | "f64" => return value(a),
                    "aload" => return Some(format!("{}[{}]", value(a)?, value(b)?)),
                    "load" => {
                        if let Some(member) = self.names.member(self.func, at) {
                            let owner = match member.owner {
                                Some(class) => self.foreign(&class),
                                None => Some(value(a)?).filter(|owner| owner != "this"),
                            };
                            let owner = owner.map_or_else(String::new, |text| format!("{}.", wrapped(text)));
                            return Some(format!("{owner}{}", member.name));
                        }
                        let field = self.names.field(self.func, inst, inst.b)?;
                        let owner = match self.definition(a, at) {
                            Some((_, def)) if def.op == Op::Statics => {
                                short(&self.names.class(ClassId(def.a))).to_string()
                            }
                            _ => value(a)?,
                        };
                        return Some(format!("{owner}.{}", short(&field)));
                    }
                    _ => return None,
                };
                Some(format!("{} {operator} {}", wrapped(value(a)?), wrapped(value(b)?)))
            }
        }
    }

    /// What the elements of an array are made of, if all of them are given where it is made.
    fn elements(&self, made: u32, inst: &Inst, before: u32, depth: u32) -> Option<Vec<String>> {
        let length = usize::try_from(self.literal(Reg(inst.b), made)?).ok()?;
        let stores = (made + 1..before)
            .map(|at| (at, self.func.code[at as usize]))
            .filter(|(_, store)| store.op.name().starts_with("astore") && store.a == inst.dst.0);
        let mut elements: Vec<String> = Vec::new();
        for (at, store) in stores {
            let is_next = self.literal(Reg(store.b), at) == Some(elements.len() as i64);
            elements.push(bare(self.value(Reg(store.c), at, depth).filter(|_| is_next)?));
        }
        (elements.len() == length).then_some(elements)
    }

    /// What a call puts in a box, where compilers do that.
    fn boxed(&self, at: u32, inst: &Inst) -> Option<Reg> {
        let [value] = *self.func.list((inst.op == Op::Call).then_some(inst.b)?) else { return None };
        let member = self.names.member(self.func, at).filter(|member| member.name == "valueOf")?;
        let is_box = |unboxing: &&str| unboxing.split('.').next() == member.owner.as_deref();
        (self.func.regs[value].ty != Type::Ref && UNBOXING.iter().any(is_box)).then_some(value)
    }

    /// The arguments of a call that were written: without those that were left out, and what says which.
    fn written_arguments(&self, member: &ir::Member, all: &[Reg], at: u32) -> Vec<Reg> {
        let split = all.split_last_chunk::<2>().filter(|_| member.leaves_out);
        let bits = split.and_then(|(rest, [bits, _])| Some((rest, self.literal(*bits, at)?)));
        match bits {
            Some((rest, bits)) => {
                let is_written = |i: usize| i > 31 || bits >> i & 1 == 0;
                (0..rest.len()).filter(|i| is_written(*i)).map(|i| rest[i]).collect()
            }
            None => all.to_vec(),
        }
    }

    /// What the source chose where several ways meet: `(c ? a : b)`; of `p?.name`, which is null or something, the latter.
    fn chosen(&self, reg: Reg, before: u32, depth: u32) -> Option<String> {
        let cfg = Cfg::new(self.func);
        let doms = Dominators::new(&cfg, Edges::Normal);
        let last = |block: BlockId| self.func.blocks[block].end.checked_sub(1);
        let mut at = self.func.block_at(before);
        // Up to where it was last set: past what does not set it, be it another choice.
        while let Some(above) = doms.idom(at).filter(|above| *above != at) {
            if self.sets_between(&cfg, reg, above, at) {
                break;
            }
            let end = last(above)?;
            if (self.func.blocks[above].start..=end).any(|i| self.func.code[i as usize].dst == reg) {
                return self.value(reg, end, depth);
            }
            at = above;
        }
        let mut ways: Vec<BlockId> = cfg.preds(at, Edges::Normal).collect();
        ways.sort_unstable();
        ways.dedup();
        // A loop comes back from behind.
        let is_loop = ways.iter().any(|way| last(*way).is_none_or(|end| end >= self.func.blocks[at].start));
        if is_loop || ways.len() < 2 || self.func.regs[reg].variable.is_some() {
            return None;
        }
        let is_null = |way: &&BlockId| {
            let found = last(**way).and_then(|end| self.origin(reg, end));
            found.is_some_and(|(_, inst)| inst.op == Op::Null)
        };
        let told = |way: BlockId| self.value(reg, last(way)?, depth);
        let others: Vec<BlockId> = ways.iter().filter(|way| !is_null(way)).copied().collect();
        if let ([one], true) = (&others[..], ways.len() > 1) {
            return told(*one);
        }
        let [first, second] = ways[..] else { return None };
        let (a, b) = (told(first)?, told(second)?);
        // What is held meanwhile is the same on both ways.
        if a == b {
            return Some(a);
        }
        let asked = [first, second].map(|way| match cfg.preds(way, Edges::Normal).collect::<Vec<_>>()[..] {
            [asked] => Some(asked),
            _ => None,
        });
        let condition = match asked {
            [Some(asked), Some(other)] if asked == other => {
                let end = last(asked)?;
                let inst = self.func.code[end as usize];
                let is_branch = inst.op == Op::Br && inst.b != inst.c;
                is_branch.then(|| self.condition(Reg(inst.a), end, inst.b == first.0, depth)).flatten()
            }
            _ => None,
        };
        let condition = condition.or_else(|| self.leaves_out.then(|| LEFT_OUT.to_string()))?;
        Some(format!("({condition} ? {} : {})", bare(a), bare(b)))
    }

    /// Whether any block on the ways from one that dominates another sets a register, both left out.
    fn sets_between(&self, cfg: &Cfg, reg: Reg, above: BlockId, below: BlockId) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<BlockId> = cfg.preds(below, Edges::Normal).filter(|b| *b != above).collect();
        while let Some(block) = open.pop() {
            if !seen.insert(block) {
                continue;
            }
            let range = self.func.blocks[block];
            if (range.start..range.end).any(|i| self.func.code[i as usize].dst == reg) {
                return true;
            }
            open.extend(cfg.preds(block, Edges::Normal).filter(|b| *b != above));
        }
        false
    }

    /// The plain name of what a call calls.
    fn callee(&self, inst: &Inst) -> Option<String> {
        // A slot alone has no name.
        if inst.op == Op::CallVirt {
            return None;
        }
        let name = self.names.func(FuncId(inst.a));
        Some(short(name.split('(').next().unwrap_or(&name)).to_string())
    }

    /// The plain name of a class, unless the function is its own.
    fn foreign(&self, class: &str) -> Option<String> {
        let own = self.func.name.split('(').next().and_then(|path| path.rsplit_once('.'));
        (own.map(|(own, _)| own) != Some(class)).then(|| short_class(class))
    }

    /// What the source switches on, where compilers number the cases: the object of a pattern switch, the constant whose
    /// ordinal selects.
    fn switched(&self, reg: Reg, index: u32) -> Option<String> {
        let (mut at, mut inst) = self.origin(reg, index).or_else(|| self.unless_null(reg))?;
        if inst.op.name().starts_with("aload") {
            (at, inst) = self.origin(Reg(inst.b), at)?;
        }
        let is_call = matches!(inst.op, Op::Call | Op::CallVirt | Op::CallIface);
        let first = *self.func.list(is_call.then_some(inst.b)?).first()?;
        self.value(first, at, 4)
    }

    /// The only instruction that gives a register something else than -1, which compilers take for null.
    fn unless_null(&self, reg: Reg) -> Option<(u32, Inst)> {
        let all = (0..self.func.code.len() as u32).filter(|i| self.func.code[*i as usize].dst == reg);
        let origin = |i: u32| {
            let inst = self.func.code[i as usize];
            match inst.op {
                Op::Copy => self.origin(Reg(inst.a), i).unwrap_or((i, inst)),
                _ => (i, inst),
            }
        };
        let is_null = |(_, inst): &(u32, Inst)| inst.op == Op::ConstI32 && inst.a as i32 == -1;
        let mut others = all.map(origin).filter(|found| !is_null(found));
        others.next().filter(|_| others.next().is_none())
    }

    /// The text that is compared with the literals of a switch before it.
    fn compared_text(&self, labels: &BTreeMap<i32, String>, index: u32) -> Option<String> {
        (0..index).rev().find_map(|at| {
            let inst = self.func.code[at as usize];
            let [text, literal] = *self.func.list((inst.op == Op::Call).then_some(inst.b)?) else {
                return None;
            };
            let (_, literal) = self.definition(literal, at)?;
            let spelled = || format!("{:?}", self.names.str(StrId(literal.a)));
            let is_label = literal.op == Op::Str && labels.values().any(|label| *label == spelled());
            is_label.then(|| self.value(text, at, 4))?
        })
    }

    fn switch(&self, inst: &Inst, index: u32, positions: &[u32]) -> String {
        let labels = self.names.labels(self.func, index);
        let value = match &labels {
            Some(labels) => self.switched(Reg(inst.a), index).or_else(|| self.compared_text(labels, index)),
            None => self.value(Reg(inst.a), index, 4),
        };
        let value = value.filter(|v| v.len() <= LONGEST);
        let value = value.unwrap_or_else(|| "the value of the switch".to_string());
        let twice = |label: &String| {
            labels.iter().flat_map(|labels| labels.values()).filter(|other| *other == label).count() > 1
        };
        let line = |case: i32| {
            let found =
                self.func.tables.get(inst.b as usize)?.cases.iter().find(|(value, _)| *value == case)?;
            let line = self.func.positions.get(self.func.blocks.get(found.1)?.start as usize)?.line;
            (line != 0).then(|| format!(" (line {line})"))
        };
        let label = |case: i32| match labels.as_ref().and_then(|labels| labels.get(&case)) {
            // Several cases of one type, of which some have guards or patterns within.
            Some(label) if twice(label) => format!("{label}{}", line(case).unwrap_or_default()),
            Some(label) => label.clone(),
            None => match char::from_u32(case as u32) {
                Some(unit) if self.meaning(Reg(inst.a), index) == Meaning::Char => format!("{unit:?}"),
                _ => case.to_string(),
            },
        };
        let Some(table) = self.func.tables.get(inst.b as usize) else { return value };
        let mut texts: Vec<String> = positions
            .iter()
            .filter_map(|p| table.cases.get(*p as usize))
            .take(MOST_CASES + 1)
            .map(|(case, _)| label(*case))
            .collect();
        if texts.len() > MOST_CASES {
            texts[MOST_CASES] = format!("{} more", positions.len() - MOST_CASES);
        }
        if positions.contains(&(table.cases.len() as u32)) {
            texts.push("something else".to_string());
        }
        let last = texts.pop().unwrap_or_default();
        match texts.is_empty() {
            true => format!("{value} is {last}"),
            false => format!("{value} is {} or {last}", texts.join(", ")),
        }
    }
}

/// Whether the instruction gives the same wherever it stands. The length of an array is constant too, but which
/// array a variable held by then is not.
fn is_constant(op: Op) -> bool {
    let is_number = matches!(op, Op::ConstI1 | Op::ConstI32 | Op::ConstI64 | Op::ConstF32 | Op::ConstF64);
    is_number || matches!(op, Op::Null | Op::Str | Op::ClassRef)
}

/// Without the parentheses of a choice.
fn bare(text: String) -> String {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    match inner.filter(|inner| operator(inner).is_some() && operator(&text).is_none() && text.contains(" ? "))
    {
        // `(a).b(c)`.
        Some(inner) if !closes_early(inner) => inner.to_string(),
        _ => text,
    }
}

/// Whether a parenthesis is closed that was not opened.
fn closes_early(text: &str) -> bool {
    let mut depth = 0;
    text.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    })
}

/// In parentheses if it has an operator.
fn wrapped(text: String) -> String {
    match operator(&text) {
        Some(_) => format!("({text})"),
        None => text,
    }
}

/// The first operator that stands outside of parentheses, brackets and literals.
fn operator(text: &str) -> Option<&str> {
    if text.starts_with("argument ") {
        return None;
    }
    let (mut depth, mut quote, mut escaped) = (0, None, false);
    for (i, c) in text.strip_prefix("new ").unwrap_or(text).char_indices() {
        match (quote, c) {
            (Some(_), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(end), c) if c == end && !escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ' ') if depth == 0 => {
                let start = text.len() - text.strip_prefix("new ").unwrap_or(text).len() + i + 1;
                return text.get(start..)?.split(' ').next();
            }
            _ => {}
        }
        escaped = false;
    }
    None
}

/// The simple name of a class, nested or not.
fn short_class(name: &str) -> String {
    // The JVM's names of array types: `[I`, `[Ljava/lang/String;`.
    if let Some(elem) = name.strip_prefix('[') {
        let elem = match elem {
            "Z" => "boolean".to_string(),
            "B" => "byte".to_string(),
            "S" => "short".to_string(),
            "C" => "char".to_string(),
            "I" => "int".to_string(),
            "J" => "long".to_string(),
            "F" => "float".to_string(),
            "D" => "double".to_string(),
            elem => match elem.strip_prefix('L').and_then(|class| class.strip_suffix(';')) {
                Some(class) => short_class(class),
                None => short_class(elem),
            },
        };
        return format!("{elem}[]");
    }
    let name = short(name);
    name.rsplit('$').next().filter(|simple| !simple.is_empty()).unwrap_or(name).to_string()
}

/// The last part of a qualified name.
fn short(name: &str) -> &str {
    name.rsplit(['/', '.']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::text::parse_module;

    /// A front end that knows members by the place in the original code.
    struct ByOffset;

    impl Names for ByOffset {
        fn member(&self, func: &Function, index: u32) -> Option<ir::Member> {
            let member = |name: &str, owner: Option<&str>, meaning| ir::Member {
                takes: Vec::new(),
                name: name.to_string(),
                owner: owner.map(str::to_string),
                meaning,
                spreads: false,
                leaves_out: false,
            };
            match func.positions[index as usize].offset {
                10 => Some(member("isEmpty", None, Meaning::Truth)),
                20 => Some(member("size", None, Meaning::Number)),
                50 => Some(member("charAt", None, Meaning::Char)),
                60 => Some(member("max", Some("java/lang/Math"), Meaning::Number)),
                _ => None,
            }
        }

        fn meaning(&self, func: &Function, reg: Reg) -> Meaning {
            match func.regs[reg].variable.as_deref() {
                Some("done") => Meaning::Truth,
                _ => Meaning::Number,
            }
        }

        fn func(&self, _func: FuncId) -> String {
            "com/acme/Shape.area(I)D".to_string()
        }
    }

    #[test]
    fn what_binds_less_than_what_it_stands_in_has_parentheses() {
        let of = |text: &str| operator(text).map(str::to_string);
        assert_eq!(of("n & 7").as_deref(), Some("&"));
        assert_eq!(of("a + f(b)").as_deref(), Some("+"));
        assert_eq!(of("f(a + b)[c - d]"), None);
        assert_eq!(of("new Point(1, 2)"), None);
        assert_eq!(of(r#"s.indexOf(" \" ' ")"#), None);
        assert_eq!(of("argument 1"), None);
        let text = "func @f(%0: i32 \"n\", %1: i32 \"i\") {
b0:
  %2 = const.i32 7
  %3 = and.i32 %0, %2
  %4 = slt.i32 %1, %3
  br %4, b1, b1 !source 0.0
b1:
  ret
}
";
        let parsed = parse_module(text).unwrap();
        let func = parsed.module.function("f").unwrap();
        let index = func.branches[0].0;
        assert_eq!(condition_text(func, &ir::Ids, index, false).as_deref(), Some("i >= (n & 7)"));
        let text = "func @f(%0: i32 \"done\") {
b0:
  %1 = const.i32 0
  %2 = and.i32 %0, %0
  %3 = eq.i32 %2, %1
  br %3, b1, b1 !source 0.0
b1:
  ret
}
";
        let parsed = parse_module(text).unwrap();
        let func = parsed.module.function("f").unwrap();
        let told = |truth: bool| condition_text(func, &ByOffset, func.branches[0].0, truth);
        assert_eq!(told(false).as_deref(), Some("done & done"));
        assert_eq!(told(true).as_deref(), Some("!(done & done)"));
    }

    #[test]
    fn members_are_named_by_whoever_knows_them() {
        let text = "func @f(%0: ref \"list\", %1: i32 \"n\", %2: i32 \"done\") {
b0:
  %3: i32 = callvirt 4(%0) @1:10
  %4 = load.i32 %0, 8 @1:20
  %5 = slt.i32 %3, %4
  br %5, b1, b1 !source 0.0
b1:
  %6: i32 = calliface @g(%0, %1) @2:30
  %7 = eq.i32 %6, %1
  br %7, b2, b2 !source 1.0
b2:
  %8: i1 = callvirt 4(%0) @3:40
  br %8, b3, b3 !source 2.0
b3:
  %9 = null
  %10: ref = select %8, %0, %9
  %11: i1 = callvirt 4(%10) @4:10
  br %11, b4, b4 !source 3.0
b4:
  %12: i32 = call @charAt(%0, %1) @5:50
  %13 = const.i32 97
  %14 = eq.i32 %13, %12
  br %14, b5, b5 !source 4.0
b5:
  %15: i32 = call @max(%1, %13) @6:60
  %16 = slt.i32 %15, %1
  br %16, b6, b6 !source 5.0
b6:
  %17 = const.i32 0 @7:70
  %18 = eq.i32 %2, %17
  br %18, b7, b7 !source 6.0
b7:
  ret
}
";
        let parsed = parse_module(text).unwrap();
        let func = parsed.module.function("f").unwrap();
        let shown: Vec<_> =
            func.branches.iter().map(|(i, _)| condition_text(func, &ByOffset, *i, true)).collect();
        let expected = [
            Some("list.isEmpty() < list.size"),
            Some("list.area(n) == n"),
            None,
            Some("isEmpty()"),
            Some("list.charAt(n) == 'a'"),
            Some("Math.max(n, 97) < n"),
            Some("!done"),
        ];
        assert_eq!(shown.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    }
}
